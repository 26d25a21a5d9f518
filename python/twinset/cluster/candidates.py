"""Packed records of buckets to candidate pairs, part by part.

The records of a part are held while they are sorted, in memory or in a file. After that, no bucket
is held as a whole: only as many of its ids as it may have, and of a larger one the first few. Rows
of copies pass unchanged.

A bucket of n documents has n²/2 pairs. So a partner is listed as a reference of 8 bytes, however
long its id is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain, groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rules import STAR
from .columns import ROWS, batched, lists, portions, ranges, repeated, starts
from .originals import COPIES, RECORDS
from .settings import CHUNK, Settings
from .spill import on_disk

PART_BYTES = 64 << 20  # of records of a part in memory; more are merged from files

REFERENCES = pa.list_(pa.int64())
NEEDS = pa.schema([pa.field("id", pa.string()), pa.field("family", pa.string()),
                   pa.field("chunk", pa.int64()), pa.field("partners", REFERENCES), *COPIES])


def candidates(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(part, packed, id, chunk, centres, members) to (id, family, chunk, partners, centres,
    members).

    A document and its partners, which come before it, are candidates, once for every bucket that
    has both. Each partner has a row without partners. Candidates of one family and chunk share many
    texts, and are compared in one task. An id of several documents has a row without a family, with
    their number as its chunk.
    """
    part, records = None, Records()
    for batch in batches:
        copies = batch.filter(pc.is_valid(batch.column("id")))
        if len(copies):
            yield needs_of(copies.column("id"), copies.column("id"), copies.column("chunk"), None,
                           copies.column("centres"), copies.column("members"))
        for number, packed in zip(batch.column("part").to_pylist(),
                                  batch.column("packed").to_pylist()):
            if number != part:
                yield from _of_part(part, records, settings)
                part, records = number, Records()
            if packed is not None:
                records.add(packed)
    yield from _of_part(part, records, settings)


def _of_part(part: int | None, records: Records, settings: Settings) -> Iterator[pa.RecordBatch]:
    if part is not None and part < 0:
        return batched(_repeated_ids(records.in_order()), NEEDS)
    return pairs_in_buckets(records.in_order(), settings.max_bucket)


def _repeated_ids(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple]:
    """Rows of NEEDS for the ids that several records have."""
    ids = chain.from_iterable(batch.column("id").to_pylist() for batch in batches)
    for id, same in groupby(ids):
        if (count := sum(1 for _ in same)) > 1:
            yield id, None, count, None, None, None


def references(ids: pa.Array) -> np.ndarray:
    """Hashes of ids. Two of a family's documents have the same once in 10^13 families of 1,000."""
    return np.frombuffer(b"".join(blake2b(id, digest_size=8).digest()
                                  for id in ids.cast(pa.binary()).to_pylist()), "<i8")


def needs_of(*columns: pa.Array | None) -> pa.RecordBatch:
    return pa.record_batch([pa.nulls(len(columns[0]), field.type) if column is None else column
                            for column, field in zip(columns, NEEDS)], schema=NEEDS)


class Records:
    """The records of a part, whose first column is the bucket, in memory or in sorted files."""

    def __init__(self, schema: pa.Schema = RECORDS) -> None:
        self.schema = schema
        self.batches: list[pa.RecordBatch] = []
        self.bytes = 0
        self.spilled: list[list[pa.RecordBatch]] = []  # sorted runs in files

    def add(self, packed: bytes) -> None:
        self.batches.append(pa.ipc.read_record_batch(pa.py_buffer(packed), self.schema))
        self.bytes += len(packed)
        if self.bytes > PART_BYTES:
            self._spill()

    def _spill(self) -> None:
        """Sorts the records in memory, and moves them to a file."""
        if self.batches:
            rows = _in_order(pa.concat_batches(self.batches))
            self.spilled.append(on_disk(pa.Table.from_batches([rows]).to_batches(ROWS)))
            self.batches, self.bytes = [], 0

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """The records, sorted by all columns. Records that are alone in a bucket may be left
        out."""
        if self.spilled:
            self._spill()
            return batched(heapq.merge(*(chain.from_iterable(map(_rows, run))
                                         for run in self.spilled)), self.schema)
        return self._repeated()

    def _repeated(self) -> Iterator[pa.RecordBatch]:
        if not self.batches:
            return
        rows = pa.concat_batches(self.batches)
        order = pc.sort_indices(rows.column("bucket"))
        is_repeated = repeated(starts(rows.column("bucket").take(order)))
        rows = _in_order(rows.take(order.filter(is_repeated)))
        yield from pa.Table.from_batches([rows]).to_batches(1 << 16)


def _in_order(rows: pa.RecordBatch) -> pa.RecordBatch:
    return rows.take(pc.sort_indices(rows, [(name, "ascending") for name in rows.schema.names]))


def _rows(batch: pa.RecordBatch) -> Iterator[tuple]:
    return zip(*(column.to_pylist() for column in batch.columns))


def pairs_in_buckets(batches: Iterable[pa.RecordBatch], limit: int) -> Iterator[pa.RecordBatch]:
    """(bucket, id), in this order, to NEEDS: the candidate pairs."""
    last = OpenBucket(limit)
    for batch in batches:
        yield from last.pairs_of(batch)
    yield from last.pairs_of(None)


class OpenBucket:
    """The bucket at the end of a batch, which may continue in the next.

    A document is paired with all documents before it in a bucket; in a bucket over the limit, with
    the lowest few, which are the only ones that are held.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = pa.RecordBatch.from_pylist([], RECORDS)
        self.carried = self.hidden = 0  # rows of a bucket over the limit, held and not

    def pairs_of(self, batch: pa.RecordBatch | None) -> Iterator[pa.RecordBatch]:
        """The pairs of this bucket, and of all buckets of a batch but the last, which may continue.
        None: there are no more batches."""
        rows = self.held if batch is None else pa.concat_batches([self.held, batch])
        if len(rows) == 0:
            return
        bucket, carried = rows.column("bucket").to_numpy(), self.carried
        start = np.flatnonzero(np.concatenate([[True], bucket[1:] != bucket[:-1]]))
        length = np.diff(start, append=len(bucket))
        first = np.repeat(start, length)
        rank = np.arange(len(bucket)) - first
        rank[carried:length[0]] += self.hidden
        size = length.copy()
        size[0] += self.hidden
        over = size > self.limit if self.limit else np.zeros(len(size), bool)
        is_over = np.repeat(over, length)
        count = np.where(is_over, np.minimum(rank, STAR), rank)
        count[:carried] = 0
        if batch is not None and not over[-1]:
            count[start[-1]:] = 0
        held = min(STAR, length[-1]) if over[-1] else length[-1]
        self.held = rows.slice(start[-1], held)
        self.carried, self.hidden = (held, size[-1] - held) if over[-1] else (0, 0)
        yield from _needs(rows.column("id"), first, count, np.where(is_over, rank // CHUNK, 0))


def _needs(ids: pa.Array, first: np.ndarray, count: np.ndarray,
             chunk: np.ndarray) -> Iterator[pa.RecordBatch]:
    """NEEDS rows: each id with `count` partners from `first` on, and these partners."""
    later = np.flatnonzero(count)
    # The last row of a bucket and chunk has all partners that the others have.
    last = later[np.flatnonzero(np.diff(first[later], append=-1) |
                                np.diff(chunk[later], append=-1))]
    for portion in portions(count[last]):
        rows = last[portion]
        each = np.repeat(rows, count[rows])
        yield needs_of(ids.take(pa.array(ranges(first[rows], count[rows]))),
                       ids.take(pa.array(first[each])), pa.array(chunk[each]), None, None, None)
    partner = np.unique(ranges(first[last], count[last]))
    reference = np.zeros(len(ids), np.int64)
    reference[partner] = references(ids.take(pa.array(partner)))
    for portion in portions(count[later]):
        rows = later[portion]
        partners = pa.array(reference[ranges(first[rows], count[rows])])
        yield needs_of(ids.take(pa.array(rows)), ids.take(pa.array(first[rows])),
                       pa.array(chunk[rows]), lists(count[rows], partners), None, None)
