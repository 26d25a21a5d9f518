"""Rows of the engine's result: as tuples, made on access, or as whole columns."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from . import _core, output, tables
from .records import Id, Pair, Removed
from .saved import Saved

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

NAMES = frozenset({"a", "b", "id", "kept"})
LANGUAGES = frozenset({"language_a", "language_b"})
TEXTS = NAMES | LANGUAGES
FRACTIONS = frozenset({"similarity", "jaccard", "containment_a", "containment_b", "estimate",
                       "coverage_a", "coverage_b", "weighted", "false_alarms"})

Row = TypeVar("Row", Pair, Removed)


class Ids:
    """Turns the engine's names into ids: text or numbers."""

    def __init__(self, numbers: bool, known: dict[str, int] | None = None) -> None:
        self.numbers, self.known = numbers, known

    def __call__(self, name: str) -> Id:
        if self.known is not None:
            return self.known.get(name, name)
        if self.numbers and name.removeprefix("-").isdecimal():  # not FILE#ID
            return int(name)
        return name


class Rows(Sequence[Row], Generic[Row]):
    """Rows of a result as a sequence, or as a table of pyarrow, pandas or polars."""

    _kind: Literal["pairs", "removed"]
    _type: type[Pair] | type[Removed]
    _files: _core.Collection | None = None  # that were read, and must not be written to

    def __init__(self, result: _core.Result | Saved, ids: Ids,
                 order: Sequence[int] | None = None) -> None:
        self._result, self._ids, self._order = result, ids, order

    def _check_target(self, target: output.Target) -> None:
        """Raises UsageError if the target is a file that was read."""
        if self._files is not None:
            self._files.check_outputs(output.paths_of(target))

    @property
    def _fields(self) -> tuple[str, ...]:
        return self._type._fields

    def _at(self, index: int) -> Row:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        return self._at(range(len(self))[operator.index(index)])

    def __iter__(self) -> Iterator[Row]:
        return map(self._at, range(len(self)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the engine's result becomes a Saved; the files that were read are dropped."""
        state = {**self.__dict__, "_result": Saved(self._result)}
        state.pop("_files", None)
        state.pop("_spools", None)
        return state

    # ---- as tables

    def _numbers(self, field: str) -> Any:
        data, _ = self._result.column(self._kind, field)
        return memoryview(data).cast("d" if field in FRACTIONS else "q")

    def _names(self, field: str) -> list[Id]:
        data, offsets = self._result.column(self._kind, field)
        ends = memoryview(offsets or b"").cast("q")
        make = self._ids if field in NAMES else str
        return [make(data[ends[i]:ends[i + 1]].decode(errors="surrogateescape"))
                for i in range(len(self))]

    def _ordered(self, values: Any) -> Any:
        return values if self._order is None else tables.pick(values, self._order)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table. Ids are text, or int64 if they are positions or numbers."""
        pyarrow = tables.need("pyarrow", "to_arrow()")
        table = pyarrow.table({field: self._to_arrow(field) for field in self._fields})
        return self._ordered(table)

    def _to_arrow(self, field: str) -> Any:
        import pyarrow.compute

        if field in NAMES and self._ids.known is not None:
            return pyarrow.array([str(id) for id in self._names(field)], pyarrow.large_string())
        data, offsets = self._result.column(self._kind, field)
        buffers: list[bytes] = [data] if offsets is None else [offsets, data]
        kind = (pyarrow.large_string() if field in TEXTS else
                pyarrow.float64() if field in FRACTIONS else pyarrow.int64())
        array = pyarrow.Array.from_buffers(kind, len(self),
                                           [None, *map(pyarrow.py_buffer, buffers)])
        if field in NAMES:
            return _as_numbers(array) if self._ids.numbers else array
        if field in FRACTIONS:  # NaN stands for unknown values
            return pyarrow.compute.if_else(pyarrow.compute.is_nan(array), None, array)
        return array

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame. Unknown values are NaN."""
        tables.need("pandas", "to_pandas()")
        import numpy
        import pandas

        columns = {field: self._ordered(self._names(field) if field in TEXTS
                                        else numpy.array(self._numbers(field)))
                   for field in self._fields}
        return pandas.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame. Unknown values are null."""
        tables.need("polars", "to_polars()")
        import polars

        return polars.DataFrame([self._ordered(self._to_polars(field)) for field in self._fields])

    def _to_polars(self, field: str) -> Any:
        import polars

        if field in LANGUAGES:
            return polars.Series(field, self._names(field), polars.String)
        if field in NAMES:
            values = self._names(field)
            is_number = (self._ids.known is None and self._ids.numbers
                         and all(isinstance(id, int) for id in values))
            return polars.Series(field, values if is_number else list(map(str, values)),
                                 polars.Int64 if is_number else polars.String)
        series = polars.Series(field, self._numbers(field).tolist(),
                               polars.Float64 if field in FRACTIONS else polars.Int64)
        return series.fill_nan(None) if field in FRACTIONS else series


def _as_numbers(names: Any) -> Any:
    """Names as numbers, if all are numbers. An id that several files have is named FILE#ID."""
    import pyarrow

    try:
        return names.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        return names
