"""Columns and tables of pyarrow, pandas, polars, DuckDB and Hugging Face datasets; plain.py has
the tables of Python's own types.

A type is recognised by the name of its module, so that no library is imported unless it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from .records import Span


def package_of(value: object) -> str:
    """The name of the package that the type of a value is from."""
    return type(value).__module__.partition(".")[0]


def need(name: str, purpose: str, install: str = "") -> Any:
    """Imports a module. ImportError says what it is needed for, and what to install."""
    import importlib

    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != package:  # it is installed, but broken
            raise
        raise ImportError(f"{purpose} needs {package}: pip install {install or package}") from None


# ---- columns

def texts_of(column: Any) -> Any:
    """A column as the engine takes it: Arrow data, or a sequence of texts and None."""
    if package_of(column) == "pandas":
        is_arrow = column.dtype != object and hasattr(column, "__arrow_c_stream__")
        return column if is_arrow else values_of(column)
    if package_of(column) == "numpy":
        return column.tolist()
    if hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__"):
        return column
    return column if isinstance(column, (list, tuple)) else list(column)


def values_of(column: Any) -> list[Any]:
    """A column as a list of Python's own values, with None for missing values."""
    if package_of(column) == "pandas":
        return [None if missing else value
                for value, missing in zip(column.tolist(), column.isna())]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            column = getattr(column, method)()
    return list(column)


def pick(column: Any, positions: Sequence[int]) -> Any:
    """The elements of a column, a table or a list at positions, in the type that it has."""
    kind = package_of(column)
    if kind == "pandas":
        return column.iloc[positions]
    if kind in ("numpy", "polars"):
        return column[positions]
    if kind == "pyarrow":
        import pyarrow

        return column.take(pyarrow.array(positions, pyarrow.int64()))
    return [column[position] for position in positions]


def with_texts(column: Any, changed: Mapping[int, Any]) -> Any:
    """A column of the same type, with other texts at some positions."""
    kind = package_of(column)
    if kind == "pandas":
        column = column.astype(object) if str(column.dtype) == "category" else column.copy()
        column.iloc[list(changed)] = list(changed.values())
        return column
    values = values_of(column) if kind in ("polars", "pyarrow") else list(column)
    for position, text in changed.items():
        values[position] = text
    if kind == "polars":
        return type(column)(column.name, values, column.dtype)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.chunked_array([pyarrow.array(values, column.type)]) if (
            isinstance(column, pyarrow.ChunkedArray)) else pyarrow.array(values, column.type)
    if kind == "numpy":
        import numpy

        return numpy.array(values, column.dtype)
    return values


def widened(column: Any) -> Any:
    """A pyarrow column of strings with 64-bit offsets, so that it may hold more than 2 GB."""
    import pyarrow

    kinds = {pyarrow.string(): pyarrow.large_string(), pyarrow.binary(): pyarrow.large_binary()}
    return column.cast(kinds.get(column.type, column.type))


class Column(NamedTuple):
    """A column to be added to a table."""

    name: str
    kind: type
    """int, bool, float, str, or list: of spans as dicts."""
    values: list[Any]
    """Values of that type, or None."""

    def to_arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.values, arrow_type(self.kind))


def arrow_type(kind: type) -> Any:
    """The type of a column of int, bool, float, str or list."""
    import pyarrow

    types = {int: pyarrow.int64(), bool: pyarrow.bool_(), float: pyarrow.float64(),
             str: pyarrow.string()}
    if kind is not list:
        return types[kind]
    return pyarrow.list_(pyarrow.struct([
        (name, pyarrow.string() if name == "first" else pyarrow.int64())
        for name in Span._fields]))


# ---- tables

class Table(Protocol):
    """Rows that texts come from."""

    names: list[str]

    def column(self, name: str) -> Any: ...
    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        """Rows as a table of the same type. Added columns replace others of their names."""
    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        """What take() gave, with other texts in some rows of a column."""
    def to_arrow(self, taken: Any) -> Any:
        """The result of take() as a pyarrow.Table."""


class _Arrow:
    def __init__(self, data: Any) -> None:
        import pyarrow

        if isinstance(data, pyarrow.RecordBatch):
            data = pyarrow.Table.from_batches([data])
        elif isinstance(data, pyarrow.RecordBatchReader):
            data = data.read_all()
        self.data, self.names = data, data.column_names

    def column(self, name: str) -> Any:
        return self.data[name]

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        return extend(select(self.data, positions), added)

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return replaced(taken, name, changed)

    def to_arrow(self, taken: Any) -> Any:
        return taken


class _LazyArrow:
    """A pyarrow.dataset.Dataset or a ParquetFile, of which pyarrow reads only the columns that are
    needed. take() returns a pyarrow.Table."""

    def __init__(self, names: list[str], read: Callable[[list[str] | None], Any]) -> None:
        self.names, self._read = names, read

    def column(self, name: str) -> Any:
        return self._read([name])[name]

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        return extend(select(self._read(None), positions), added)

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return replaced(taken, name, changed)

    def to_arrow(self, taken: Any) -> Any:
        return taken


def _read_relation(data: Any) -> _Arrow:
    """The rows of a relation of DuckDB, read once, because their order may differ in each run."""
    need("pyarrow", "a relation of DuckDB")
    read = getattr(data, "to_arrow_table", None) or data.arrow
    return _Arrow(read())


class _Pandas:
    def __init__(self, data: Any) -> None:
        self.data, self.names = data, list(data.columns)

    def column(self, name: str) -> Any:
        return self.data[name]

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        import pandas

        types = {int: "Int64", bool: "bool", float: "Float64", str: "string"}
        return pick(self.data, positions).assign(
            **{name: values if kind is list else pandas.array(values, types[kind])
               for name, kind, values in added})

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return taken.assign(**{name: with_texts(taken[name], changed)})

    def to_arrow(self, taken: Any) -> Any:
        return need("pyarrow", "to_arrow()").Table.from_pandas(taken, preserve_index=False)


class _Polars:
    def __init__(self, data: Any) -> None:
        self.data, self.names = data, data.columns

    def column(self, name: str) -> Any:
        return self.data.get_column(name)

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        import polars

        spans = polars.List(polars.Struct({
            name: polars.String if name == "first" else polars.Int64 for name in Span._fields}))
        types = {int: polars.Int64, bool: polars.Boolean, float: polars.Float64,
                 str: polars.String, list: spans}
        return pick(self.data, positions).with_columns(
            [polars.Series(name, values, types[kind]) for name, kind, values in added])

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return taken.with_columns(with_texts(taken.get_column(name), changed))

    def to_arrow(self, taken: Any) -> Any:
        need("pyarrow", "to_arrow()")
        return taken.to_arrow()


class _LazyPolars(_Polars):
    """A polars.LazyFrame, which is collected once. take() returns a LazyFrame."""

    def __init__(self, data: Any) -> None:
        super().__init__(data.collect())

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        return super().take(positions, added).lazy()

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return super().replace(taken.collect(), name, changed).lazy()

    def to_arrow(self, taken: Any) -> Any:
        return super().to_arrow(taken.collect())


class _Dataset:
    """A datasets.Dataset, which may be a selection of the rows of its Arrow table."""

    def __init__(self, data: Any) -> None:
        self.data, self.names = data, data.column_names

    def column(self, name: str) -> Any:
        return self.data.with_format("arrow", columns=[name])[:][name]

    def take(self, positions: Sequence[int], added: Sequence[Column] = ()) -> Any:
        taken = self.data.select(positions)
        old = [column.name for column in added if column.name in self.names]
        taken = taken.remove_columns(old) if old else taken
        for column in added:
            taken = taken.add_column(column.name, column.to_arrow())
        return taken

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        texts = with_texts(self.to_arrow(taken)[name], changed)
        return taken.remove_columns([name]).add_column(name, texts).select_columns(
            taken.column_names)

    def to_arrow(self, taken: Any) -> Any:
        return taken.with_format("arrow")[:]


def table_of(data: Any) -> Table | None:
    """The table that `data` is, or None."""
    kind = package_of(data)
    if kind == "pandas" and hasattr(data, "columns"):
        return _Pandas(data)
    if kind == "polars" and hasattr(data, "get_column"):
        return _Polars(data)
    if kind == "polars" and hasattr(data, "collect") and hasattr(data, "collect_schema"):
        return _LazyPolars(data)
    if kind == "pyarrow" and (hasattr(data, "schema") or hasattr(data, "to_table")):
        return _arrow_table(data)
    if kind in ("duckdb", "_duckdb") and hasattr(data, "columns"):
        return _read_relation(data)
    if hasattr(data, "with_format") and hasattr(data, "select"):
        return _Dataset(data)
    from . import plain

    return plain.table_of(data)


def _arrow_table(data: Any) -> Table:
    if hasattr(data, "schema_arrow"):  # a ParquetFile
        return _LazyArrow(data.schema_arrow.names, lambda columns: data.read(columns=columns))
    if hasattr(data, "to_table"):  # a Dataset, or a Scanner of one
        if not hasattr(data, "get_fragments"):
            return _Arrow(data.to_table())
        return _LazyArrow(data.schema.names, lambda columns: data.to_table(columns=columns))
    return _Arrow(data)


def select(table: Any, positions: Sequence[int]) -> Any:
    """The rows of a pyarrow.Table at ascending positions. Unlike Table.take(), it copies chunk by
    chunk, and so has no limit of 2 GB."""
    import pyarrow

    mask = [False] * len(table)
    for position in positions:
        mask[position] = True
    return table.filter(pyarrow.array(mask, pyarrow.bool_()))


def extend(table: Any, added: Sequence[Column]) -> Any:
    """A pyarrow.Table with columns added at its end, which replace others of their names."""
    table = table.drop_columns([name for name, _, _ in added if name in table.column_names])
    for column in added:
        table = table.append_column(column.name, column.to_arrow())
    return table


def replaced(table: Any, name: str, changed: Mapping[int, Any]) -> Any:
    """A pyarrow.Table with other texts in some rows of a column."""
    index = table.column_names.index(name)
    return table.set_column(index, table.schema.field(name), with_texts(table[name], changed))


def find(table: Table, name: str, what: str) -> Any:
    """A column by its name; ValueError if the table has no such column."""
    if name not in table.names:
        columns = ", ".join(map(repr, table.names)) or "none"
        raise ValueError(f"{what}: there is no column {name!r}; there are: {columns}")
    return table.column(name)
