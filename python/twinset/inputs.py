"""What `data` may be: texts in memory, a table, or paths.

A single str or PathLike is a path; in a list, str are texts, and pathlib.Path are paths.
"""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import plain, tables
from .records import Id

if TYPE_CHECKING:
    from . import parquet


class Columns(NamedTuple):
    """Which columns of a table are read. If `id` is None, the column "id" is read if it exists."""

    text: str = "text"
    id: str | None = None


class Files(NamedTuple):
    """Paths, which the engine reads."""

    paths: list[str]


class ParquetFiles(NamedTuple):
    """Parquet files, which the engine reads as JSON lines (spool.py)."""

    rows: parquet.Rows


class Texts(NamedTuple):
    """Texts in memory."""

    texts: Any
    """As the engine takes them: a sequence, or Arrow data."""
    size: int
    ids: list[Id] | None
    """All str or all int; None: positions are ids."""
    data: Any
    """The list, column or table that the caller gave."""
    table: tables.Table | None = None
    """The table that has the texts as a column."""
    column: str = ""
    """The name of that column."""

    def is_numbered(self) -> bool:
        return self.ids is None or (self.size > 0 and isinstance(self.ids[0], int))

    def ids_or_positions(self) -> Sequence[Id]:
        return range(self.size) if self.ids is None else self.ids

    def names(self, prefix: str = "") -> list[str]:
        """The engine's names of the texts: ids as text, or positions with leading zeros, so that
        names sort as numbers do, as those that the engine makes itself."""
        if self.ids is not None:
            return list(map(str, self.ids))
        width = 0 if prefix else 10
        return [f"{prefix}{position:0{width}}" for position in range(self.size)]

    def ordered(self, order: Sequence[int]) -> Any:
        """The texts in another order."""
        texts = self.texts
        if tables.package_of(texts) == "pyarrow":  # its column of strings holds 2 GB at most
            texts = tables.widened(texts)
        return tables.pick(texts, order)


Source = Files | ParquetFiles | Texts

PARQUET = ".parquet"


def read(data: Any, ids: Any, columns: Columns) -> list[Source]:
    """The sources in `data`. There is one, unless paths name both Parquet and other files."""
    if isinstance(data, Iterator) and tables.package_of(data) != "pyarrow":
        data = list(data)
    if isinstance(data, (str, os.PathLike)):
        sources = read_paths([data], columns)
    elif (table := tables.table_of(data)) is not None:
        return [read_table(data, table, ids, columns)]
    else:
        sources = read_column(data, ids, columns)
    if ids is not None and not isinstance(sources[0], Texts):
        raise TypeError("ids: files are named by their paths; ids are for texts in memory")
    return sources


# ---- paths

def read_paths(paths: Iterable[Any], columns: Columns) -> list[Source]:
    """Separates Parquet files, which pyarrow reads, from all others, which the engine reads."""
    other_paths: list[str] = []
    parquet_paths: list[str] = []
    for path in map(_path, paths):
        found = _parquet_files(path)
        parquet_paths += found
        other_paths += [] if found else [path]
    sources: list[Source] = []
    if parquet_paths:
        from . import parquet

        sources.append(ParquetFiles(parquet.Rows(parquet_paths, columns.text, columns.id)))
    return sources + [Files(other_paths)] if other_paths else sources


def _parquet_files(path: str) -> list[str]:
    """The Parquet files that a name or pattern stands for, or that a folder holds if it holds no
    other files. Names in a folder that begin with . or _ are ignored."""
    if path.lower().endswith(PARQUET) and not os.path.isdir(path):
        return _expand(path)
    if not os.path.isdir(path):
        return []
    found = [os.path.join(folder, name) for folder, folders, names in os.walk(path)
             if folders.sort() is None for name in sorted(names) if name[0] not in "._"]
    return found if all(name.lower().endswith(PARQUET) for name in found) else []


def _path(path: Any) -> str:
    path = os.fspath(path)
    return os.fsdecode(path) if isinstance(path, bytes) else path


def _expand(path: str) -> list[str]:
    """The files that a pattern stands for. The engine expands the patterns of other files."""
    import glob

    if os.path.exists(path) or not glob.has_magic(path):
        return [path]
    return sorted(glob.glob(path, recursive=True)) or [path]


# ---- texts

def read_column(data: Any, ids: Any, columns: Columns) -> list[Source]:
    if isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("data: one text in bytes; give a list of texts")
    if isinstance(data, Mapping):
        raise TypeError("data: a dict of texts; give its values as a list, and ids=list(data); "
                        "a dict of columns is a table")
    if not isinstance(data, Iterable) and not hasattr(data, "__arrow_c_array__"):
        raise TypeError(f"data: texts, a table or a path are wanted, not {type(data).__name__}")
    texts = tables.texts_of(data)
    if isinstance(texts, (list, tuple)) and texts:
        if all(isinstance(text, os.PathLike) for text in texts):
            return read_paths(texts, columns)
        _warn_of_names(texts)
    # A generator cannot be read twice, so its list is kept in its place.
    kept = data if hasattr(data, "__getitem__") else texts
    return [Texts(texts, len(texts), read_ids(ids, len(texts)), kept)]


def _warn_of_names(texts: Sequence[Any]) -> None:
    if all(isinstance(text, str) and _is_file(text) for text in texts):
        warnings.warn("every text is the name of a file, but was compared as a text; "
                      "pathlib.Path(name) reads the file", UserWarning, stacklevel=5)


def _is_file(text: str) -> bool:
    try:
        return len(text) < 4096 and os.path.isfile(text)
    except ValueError:  # a NUL, or a lone surrogate
        return False


def read_table(data: Any, table: tables.Table, ids: Any, columns: Columns) -> Texts:
    texts = tables.texts_of(tables.find(table, columns.text, "text"))
    if ids is None:
        ids = id_column(table, columns)
        if isinstance(table, plain.Splits):
            ids = table.row_ids(None if ids is None else tables.values_of(ids))
    return Texts(texts, len(texts), read_ids(ids, len(texts)), data, table, columns.text)


def id_column(table: tables.Table, columns: Columns) -> Any:
    """The column of ids; None if there is no such column, or columns.id is "none"."""
    if columns.id == "none":
        return None
    if columns.id is None:
        return table.column("id") if "id" in table.names else None
    return tables.find(table, columns.id, "id")


# ---- ids

def read_ids(ids: Any, count: int) -> list[Id] | None:
    if ids is None:
        return None
    values = tables.values_of(ids)
    if len(values) != count:
        raise ValueError(f"ids: there are {len(values)} of them for {count} texts")
    fits = _is_text if values and isinstance(values[0], str) else _is_whole
    for position, value in enumerate(values):
        if not fits(value):
            raise TypeError(f"ids: {value!r} at position {position}; ids are all text, or all "
                            "whole numbers")
    if fits is _is_whole:
        values = list(map(operator.index, values))
    if len(set(values)) < count:
        raise ValueError(_duplicate_message(values))
    return values


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _duplicate_message(ids: list[Id]) -> str:
    first: dict[Id, int] = {}
    for position, id in enumerate(ids):
        if first.setdefault(id, position) != position:
            return f"ids: {id!r} is both at position {first[id]} and at position {position}"
    return ""
