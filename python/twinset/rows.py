"""Rows of the engine's result: tuples, made as they are asked for, or whole columns."""

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
FRACTIONS = frozenset({"similarity", "jaccard", "containment_a", "containment_b", "estimate",
                       "coverage_a", "coverage_b", "weighted", "false_alarms"})

Row = TypeVar("Row", Pair, Removed)


class Ids:
    """From the engine's names to ids: as they are, or numbers."""

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
    _files: _core.Collection | None = None  # knows what was read, which is not written to

    def __init__(self, result: _core.Result | Saved, ids: Ids,
                 order: Sequence[int] | None = None) -> None:
        self._result, self._ids, self._order = result, ids, order

    def _check_target(self, target: output.Target) -> None:
        """Raises UsageError where a file that was read would be replaced."""
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
        """For pickle: what the engine holds becomes a value, and files are no longer known."""
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
        return [self._ids(data[ends[i]:ends[i + 1]].decode(errors="surrogateescape"))
                for i in range(len(self))]

    def _ordered(self, values: Any) -> Any:
        return values if self._order is None else tables.pick(values, self._order)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table. Names are text; positions and ids that are numbers, int64."""
        pyarrow = tables.need("pyarrow", "to_arrow()")
        table = pyarrow.table({field: self._to_arrow(field) for field in self._fields})
        return self._ordered(table)

    def _to_arrow(self, field: str) -> Any:
        import pyarrow.compute

        if field in NAMES and self._ids.known is not None:
            return pyarrow.array([str(one) for one in self._names(field)], pyarrow.large_string())
        data, offsets = self._result.column(self._kind, field)
        parts: list[bytes] = [data] if offsets is None else [offsets, data]
        kind = (pyarrow.large_string() if field in NAMES else
                pyarrow.float64() if field in FRACTIONS else pyarrow.int64())
        array = pyarrow.Array.from_buffers(kind, len(self), [None, *map(pyarrow.py_buffer, parts)])
        if field in NAMES:
            return _as_numbers(array) if self._ids.numbers else array
        if field in FRACTIONS:  # NaN is what is not known
            return pyarrow.compute.if_else(pyarrow.compute.is_nan(array), None, array)
        return array

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame; NaN is what is not known."""
        tables.need("pandas", "to_pandas()")
        import numpy
        import pandas

        columns = {field: self._ordered(self._names(field) if field in NAMES
                                        else numpy.array(self._numbers(field)))
                   for field in self._fields}
        return pandas.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """A polars.DataFrame; null is what is not known."""
        tables.need("polars", "to_polars()")
        import polars

        return polars.DataFrame([self._ordered(self._to_polars(field)) for field in self._fields])

    def _to_polars(self, field: str) -> Any:
        import polars

        if field in NAMES:
            values = self._names(field)
            whole = self._ids.known is None and all(isinstance(one, int) for one in values)
            whole = whole and self._ids.numbers
            return polars.Series(field, values if whole else list(map(str, values)),
                                 polars.Int64 if whole else polars.String)
        series = polars.Series(field, self._numbers(field).tolist(),
                               polars.Float64 if field in FRACTIONS else polars.Int64)
        return series.fill_nan(None) if field in FRACTIONS else series


def _as_numbers(names: Any) -> Any:
    """Names as numbers, where all are: ids that several files have are called FILE#ID."""
    import pyarrow

    try:
        return names.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        return names
