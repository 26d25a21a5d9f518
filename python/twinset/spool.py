"""The compared columns of Parquet files as JSON lines in a temporary folder. The engine reads them
like other JSON lines, so memory, names and the rules of `keep` are the same."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

from .ahead import for_each
from .parquet import Budget, Rows
from .rules import KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST, TIMES


class Spool:
    """A folder with a file of JSON lines for each Parquet file, and a list that maps these files to
    the Parquet files. The folder is removed with this object."""

    def __init__(self, rows: Rows, keep: str, budget: Budget, tmp: str | None) -> None:
        self.rows = rows
        self.folder = tempfile.TemporaryDirectory(prefix="twinset-", dir=tmp or _folder())
        columns = _columns(rows, keep)
        writers = min(budget.threads, len(rows.files))
        for_each(lambda number: self._write(number, columns, budget.divided(writers)),
                 range(len(rows.files)), writers)
        with open(self._path("list.csv"), "w", encoding="utf-8", errors="surrogateescape",
                  newline="") as file:
            listed = csv.writer(file)
            listed.writerow(("path", "id"))
            listed.writerows((f"{number}.jsonl", path) for number, path in enumerate(rows.paths))
        _release()

    @property
    def list(self) -> str:
        """The path that the engine reads."""
        return "@" + self._path("list.csv")

    def _path(self, name: str) -> str:
        return os.path.join(self.folder.name, name)

    def _write(self, number: int, columns: Sequence[str], budget: Budget) -> None:
        from . import _core

        with open(self._path(f"{number}.jsonl"), "wb") as file:
            for batch in self.rows.batches(number, columns, budget):
                lines = tuple(_field(self.rows, name, batch.rows.column(name), is_first=i == 0)
                              for i, name in enumerate(columns))
                try:
                    _core.write_json_lines(lines, file.fileno())
                except TypeError as error:
                    raise TypeError(f"column {self.rows.text!r}: {error}") from None


def _folder() -> str:
    """The folder of the engine's temporary files."""
    return os.environ.get("TMPDIR") or "/var/tmp"


def _release() -> None:
    """Returns memory that Arrow no longer uses to the system."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()


def _columns(rows: Rows, keep: str) -> list[str]:
    """The columns that are compared, and those that `keep` needs."""
    names = [rows.text] if rows.id is None else [rows.id, rows.text]
    if keep == KEEP_NEWEST:
        names += [name for name in TIMES if name in rows.names]
    elif keep not in (KEEP_FIRST, KEEP_LONGEST):
        names.append(rows.find(keep, "keep"))
    return list(dict.fromkeys(names))


def _field(rows: Rows, name: str, values: Any, is_first: bool) -> tuple[str, Any, bool]:
    """A column as a field of JSON: texts as they are, numbers and times as numbers, and null for
    all other types."""
    import pyarrow
    import pyarrow.compute

    key = ("{" if is_first else ",") + json.dumps(name) + ":"
    types, kind = pyarrow.types, values.type
    if types.is_dictionary(kind):
        values, kind = values.dictionary_decode(), kind.value_type
    if _is_text(kind) or name == rows.text:
        return key, values, True
    if name == rows.id and not types.is_integer(kind):
        raise TypeError(f"ids: column {name!r} holds {kind}; ids are text, or whole numbers")
    if types.is_temporal(kind) and not types.is_interval(kind):
        values = values.cast(pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64())
    elif types.is_floating(kind):
        values = pyarrow.compute.if_else(pyarrow.compute.is_finite(values), values, None)
    elif not types.is_integer(kind) and not types.is_decimal(kind):
        return key, pyarrow.nulls(len(values), pyarrow.string()), False
    return key, values.cast(pyarrow.string()), False


def _is_text(kind: Any) -> bool:
    import pyarrow

    types = pyarrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind)
                or types.is_large_binary(kind) or types.is_string_view(kind))
