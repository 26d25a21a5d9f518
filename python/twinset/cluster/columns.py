"""Functions on columns of values and of lists, without an object for each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

ROWS = 1 << 14   # of a batch
ITEMS = 1 << 16  # of the lists of a batch


def starts(column: pa.Array, last: pa.Scalar | None = None) -> pa.Array:
    """Whether each value differs from the value before it; `last` is before the first."""
    if len(column) == 0:
        return pa.array([], pa.bool_())
    first = last is None or not column[0].equals(last)
    return pa.concat_arrays([pa.array([first]), pc.not_equal(column[1:], column[:-1])])


def repeated(start: pa.Array) -> pa.Array:
    """Whether each row is in a run of several, or at an end of the batch, where a run may
    continue."""
    alone = pc.and_(start, pa.concat_arrays([start[1:], pa.array([False])]))
    return pc.invert(alone)


def any_starts(batch: pa.RecordBatch, *names: str) -> np.ndarray:
    """Whether one of these columns differs from the row before."""
    return np.logical_or.reduce([flags(starts(batch.column(name))) for name in names])


def flags(column: pa.Array) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)


def batched(rows: Iterable[tuple], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches of limited length, with lists of limited length."""
    rows = iter(rows)
    lists = [index for index, field in enumerate(schema) if pa.types.is_list(field.type)]
    while batch := list(_limited(rows, lists) if lists else islice(rows, ROWS)):
        columns = [pa.array(column, field.type) for column, field in zip(zip(*batch), schema)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _limited(rows: Iterator[tuple], lists: Sequence[int]) -> Iterator[tuple]:
    items = 0
    for row in islice(rows, ROWS):
        yield row
        items += sum(len(row[index] or ()) for index in lists)
        if items > ITEMS:
            return


def portions(counts: np.ndarray) -> Iterator[slice]:
    """Slices of rows with at most ITEMS items together, or of a single row that has more."""
    ends, start = np.cumsum(counts), 0
    while start < len(counts):
        before = ends[start] - counts[start]
        end = max(start + 1, int(np.searchsorted(ends, before + ITEMS, "right")))
        yield slice(start, end)
        start = end


def ranges(first: np.ndarray | int, counts: np.ndarray) -> np.ndarray:
    """The ranges of `counts` numbers from each `first` on, one after the other."""
    ends = np.cumsum(counts)
    total = ends[-1] if len(ends) else 0
    return np.arange(total) + np.repeat(first - (ends - counts), counts)


def lists(counts: np.ndarray, values: pa.Array) -> pa.ListArray:
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def lengths(column: pa.ListArray) -> np.ndarray:
    """The lengths of lists; 0 for null."""
    return pc.fill_null(pc.list_value_length(column), 0).to_numpy()


def codes(column: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Codes of values, numbered from 0 in the order of first occurrence, and the distinct
    values."""
    encoded = pa.concat_arrays([column]).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary


def firsts(*keys: np.ndarray) -> np.ndarray:
    """The indexes at which a combination of small numbers first occurs."""
    key = keys[0]
    for other in keys[1:]:
        width = int(other.max(initial=0)) + 1
        if (int(key.max(initial=0)) + 1) * width >= 1 << 63:
            key, _ = codes(pa.array(key))
        key = key * width + other
    code, _ = codes(pa.array(key))  # numbered by first occurrence
    return np.flatnonzero(np.diff(np.maximum.accumulate(code), prepend=-1))
