"""The compared columns of Parquet files as JSON lines in a temporary folder. The engine reads them
like other JSON lines, so memory, names and the rules of `keep` are the same."""

from __future__ import annotations

import bisect
import csv
import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _core
from .ahead import for_each
from .parquet import Budget, Rows
from .rules import KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST, TIMES


class Position(NamedTuple):
    """Where a row begins in a file of JSON lines."""

    row: int
    byte: int


class Spool:
    """A folder with a file of JSON lines for each Parquet file, and a list that maps these files to
    the Parquet files. The folder is removed with this object."""

    def __init__(self, rows: Rows, keep: str, budget: Budget, tmp: str | None) -> None:
        self.rows = rows
        self.positions: list[list[Position]] = [[] for _ in rows.files]
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
        positions, row = self.positions[number], 0
        with open(self._path(f"{number}.jsonl"), "wb", buffering=0) as file:
            for batch in self.rows.batches(number, columns, budget):
                positions.append(Position(row, file.tell()))
                row += len(batch.rows)
                lines = tuple(_field(self.rows, name, batch.rows.column(name), is_first=i == 0)
                              for i, name in enumerate(columns))
                try:
                    _core.write_json_lines(lines, file.fileno())
                except TypeError as error:
                    raise TypeError(f"column {self.rows.text!r}: {error}") from None
            positions.append(Position(row, file.tell()))

    def has_texts(self, number: int) -> bool:
        """Whether the texts of a file are here as they are in its column."""
        return _is_text(self.rows.files[number].schema_arrow.field(self.rows.text).type)

    def range(self, number: int, start: int, stop: int) -> tuple[Position, Position]:
        """Where the lines of some rows begin and end, or a little before and after."""
        positions = self.positions[number]
        first = bisect.bisect_right(positions, start, key=lambda position: position.row) - 1
        last = bisect.bisect_left(positions, stop, key=lambda position: position.row)
        return positions[first], positions[max(first, last)]

    def read_texts(self, number: int, start: int, removals: bytes) -> Any:
        """The texts of the rows from `start` on that are not removed, as a pyarrow.Array."""
        import pyarrow

        first, last = self.range(number, start, start + len(removals) // 4)
        before = b"\1" * 4 * (start - first.row)
        with open(self._path(f"{number}.jsonl"), "rb") as file:
            *buffers, count = _core.read_json_texts(
                file.fileno(), first.byte, last.byte, len(_key(self.rows.text, is_first=True)),
                before + removals)
        return pyarrow.Array.from_buffers(
            pyarrow.large_string(), count,
            [None if buffer is None else pyarrow.py_buffer(buffer) for buffer in buffers])


def _folder() -> str:
    """The folder of the engine's temporary files."""
    return os.environ.get("TMPDIR") or "/var/tmp"


def _release() -> None:
    """Returns memory that Arrow no longer uses to the system."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()


def _columns(rows: Rows, keep: str) -> list[str]:
    """The columns that are compared, and those that `keep` needs. The text is the first, where
    read_texts() expects it."""
    names = [rows.text] if rows.id is None else [rows.text, rows.id]
    if keep == KEEP_NEWEST:
        names += [name for name in TIMES if name in rows.names]
    elif keep not in (KEEP_FIRST, KEEP_LONGEST):
        names.append(rows.find(keep, "keep"))
    return list(dict.fromkeys(names))


def _key(name: str, is_first: bool) -> str:
    """What precedes the value of a field. Other characters than ASCII are escaped."""
    return ("{" if is_first else ",") + json.dumps(name) + ":"


def _field(rows: Rows, name: str, values: Any, is_first: bool) -> tuple[str, Any, bool]:
    """A column as a field of JSON: texts as they are, numbers and times as numbers, and null for
    all other types."""
    import pyarrow
    import pyarrow.compute

    key, types, kind = _key(name, is_first), pyarrow.types, values.type
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
