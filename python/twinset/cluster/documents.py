"""Texts to identities and buckets. Only this step reads every text."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .settings import Settings

KINDS = {_core.NULL_TEXT: "null", _core.EMPTY: "empty"}


def look_through(batches: Iterator[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(id, text) to (id, identity, buckets, skipped).

    Documents with equal identities are identical. Documents that share a bucket are candidates.
    `skipped` is the reason why a document is skipped, or null; if it is skipped, identity and
    buckets are null.
    """
    keyer = _core.Keyer(settings.options)
    for batch in batches:
        identities, kinds, buckets = keyer.texts(batch.column("text"))
        count = batch.num_rows
        kind = pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(kinds)])
        skipped = pc.is_in(kind, pa.array(list(KINDS), pa.uint8()))
        blank = pc.not_equal(kind, pa.scalar(_core.DOCUMENT, pa.uint8()))
        yield pa.record_batch({
            "id": batch.column("id"),
            "identity": pc.if_else(skipped, None, _binary(identities, count)),
            "buckets": _lists(buckets, count, keyer.bands, blank),
            "skipped": _reasons(kind),
        })


def sketch(batches: Iterator[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(id, text) to (id, signature): 32-bit slots, lowest byte first; null for a null text."""
    sketcher = _core.Sketcher(settings.options)
    for batch in batches:
        slots = pa.py_buffer(sketcher.texts(batch.column("text")))
        signatures = pa.Array.from_buffers(pa.binary(4 * sketcher.hashes), batch.num_rows,
                                           [None, slots]).cast(pa.binary())
        yield pa.record_batch({
            "id": batch.column("id"),
            "signature": pc.if_else(pc.is_valid(batch.column("text")), signatures, None),
        })


def _binary(values: bytes, count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.binary(24), count,
                                 [None, pa.py_buffer(values)]).cast(pa.binary())


def _lists(values: bytes, count: int, size: int, null: pa.Array) -> pa.Array:
    flat = pa.Array.from_buffers(pa.int64(), count * size, [None, pa.py_buffer(values)])
    offsets = pa.array(range(0, count * size + 1, size), pa.int32())
    return pa.ListArray.from_arrays(offsets, flat, mask=null)


def _reasons(kind: pa.Array) -> pa.Array:
    numbers = pa.array(list(KINDS), pa.uint8())
    return pa.array(KINDS.values(), pa.string()).take(pc.index_in(kind, numbers))
