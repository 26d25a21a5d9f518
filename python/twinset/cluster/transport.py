"""Lists as strings and bytes, for engines that move lists slowly: Spark takes 30 us to send a list,
even a null, to Python, and less than one for a string."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

LISTS = {"buckets": pa.list_(pa.int64()), "partners": pa.list_(pa.int64()),
         "centres": pa.list_(pa.string()), "members": pa.list_(pa.string())}

NUL = "\0"
EIGHT = pa.scalar(8, pa.int32())  # of the type of offsets


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turns lists of numbers into binary, and lists of ids, which are never empty, into a string
    with NUL, which no id has, between them."""
    for batch in batches:
        yield pa.record_batch([_packed(column) if name in LISTS else column
                               for name, column in zip(batch.schema.names, batch.columns)],
                              names=batch.schema.names)


def unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turns the columns of pack() into lists again."""
    for batch in batches:
        yield pa.record_batch([_unpacked(column, LISTS[name]) if name in LISTS else column
                               for name, column in zip(batch.schema.names, batch.columns)],
                              names=batch.schema.names)


def _packed(column: pa.Array) -> pa.Array:
    if column.type.value_type != pa.int64():
        return pc.binary_join(column, NUL)
    column = pa.concat_arrays([column])  # a copy without an offset
    valid, _ = column.buffers()[:2]
    return pa.Array.from_buffers(pa.binary(), len(column),
                                 [valid, pc.multiply_checked(column.offsets, EIGHT).buffers()[1],
                                  column.values.buffers()[1]])


def _unpacked(column: pa.Array, kind: pa.ListType) -> pa.Array:
    if kind.value_type != pa.int64():
        return pc.split_pattern(column, NUL)
    column = pa.concat_arrays([column])
    valid, offsets, values = column.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(column) + 1, [None, offsets])
    numbers = pa.Array.from_buffers(pa.int64(), ends[-1].as_py() // 8, [None, values])
    return pa.Array.from_buffers(kind, len(column), [valid, pc.divide(ends, EIGHT).buffers()[1]],
                                 children=[numbers])

