"""Pairs as lines, with the bytes of the command."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from ..rules import STEP_FORMATS
from .verify import FIELDS

FORMATS = STEP_FORMATS


def lines(batches: Iterable[pa.RecordBatch], format: str) -> Iterator[pa.RecordBatch]:
    """Pairs to lines without newlines. The heading comes before the first line of a stream."""
    heading = _core.pair_heading(format).decode().rstrip("\n")
    for batch in batches:
        if batch.num_rows and heading:
            yield pa.record_batch({"value": [heading]})
            heading = ""
        yield pa.record_batch({"value": lines_of(batch, format)})


def lines_of(batch: pa.RecordBatch, format: str) -> list[str]:
    """The lines of a batch, without a heading."""
    text, ends = _core.pair_lines(format, batch.column("a"), batch.column("b"),
                                  {name: _bytes(batch.column(name))
                                   for name in (*FIELDS, "cluster")})
    return _strings(text, memoryview(ends).cast("q").tolist())


def _bytes(column: pa.Array) -> memoryview:
    """The values of a column of 8 bytes each; NaN for null."""
    if pa.types.is_floating(column.type):
        column = pc.fill_null(column, math.nan)
    return memoryview(column.buffers()[1])[8 * column.offset:8 * (column.offset + len(column))]


def _strings(text: bytes, ends: list[int]) -> list[str]:
    return [text[start:end - 1].decode() for start, end in zip([0, *ends], ends)]
