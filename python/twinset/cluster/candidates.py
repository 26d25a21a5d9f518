"""Packed records by part: who meets whom.

A part is held while it is sorted, in memory or in a file. Then no bucket is, however long: of its
ids as many as it may have, then the first few. Copies take no part in this: their rows are handed
on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rules import STAR
from .columns import ROWS, batched, lists, portions, ranges, repeated, starts
from .originals import COPIES, RECORDS, STRINGS
from .settings import CHUNK, Settings
from .spill import on_disk

PART_BYTES = 64 << 20  # of a part's records in memory; more are merged from a file

NEEDS = pa.schema([pa.field("id", pa.string()), pa.field("family", pa.string()),
                   pa.field("chunk", pa.int64()), pa.field("partners", STRINGS), *COPIES])


def candidates(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(part, packed, id, chunk, centres, members) to (id, family, chunk, partners, centres,
    members).

    A document and the partners before it are candidates; they come from every bucket that both
    are in. Those of one family and chunk are to be computed in one place: they share many texts.
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
                yield from meetings(records.in_order(), settings.max_bucket)
                part, records = number, Records()
            if packed is not None:
                records.add(packed)
    yield from meetings(records.in_order(), settings.max_bucket)


def needs_of(*columns: pa.Array | None) -> pa.RecordBatch:
    return pa.record_batch([pa.nulls(len(columns[0]), field.type) if column is None else column
                            for column, field in zip(columns, NEEDS)], schema=NEEDS)


class Records:
    """The records (bucket, id) of a part: in memory, or, if they are too many, in a file."""

    def __init__(self) -> None:
        self.batches: list[pa.RecordBatch] = []
        self.bytes = 0
        self.spilled: list[list[pa.RecordBatch]] = []  # each of them sorted

    def add(self, packed: bytes) -> None:
        self.batches.append(pa.ipc.read_record_batch(pa.py_buffer(packed), RECORDS))
        self.bytes += len(packed)
        if self.bytes > PART_BYTES:
            self._spill()

    def _spill(self) -> None:
        """Sorts what is in memory, if anything is, and lays it aside."""
        if self.batches:
            rows = _in_order(pa.concat_batches(self.batches))
            self.spilled.append(on_disk(pa.Table.from_batches([rows]).to_batches(ROWS)))
            self.batches, self.bytes = [], 0

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """By bucket and id; those that are alone in a bucket may be left out."""
        if self.spilled:
            self._spill()
            return batched(heapq.merge(*(chain.from_iterable(map(_rows, run))
                                         for run in self.spilled)), RECORDS)
        return self._repeated()

    def _repeated(self) -> Iterator[pa.RecordBatch]:
        if not self.batches:
            return
        rows = pa.concat_batches(self.batches)
        order = pc.sort_indices(rows.column("bucket"))
        some = repeated(starts(rows.column("bucket").take(order)))
        rows = _in_order(rows.take(order.filter(some)))
        yield from pa.Table.from_batches([rows]).to_batches(1 << 16)


def _in_order(rows: pa.RecordBatch) -> pa.RecordBatch:
    return rows.take(pc.sort_indices(rows, [("bucket", "ascending"), ("id", "ascending")]))


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    return zip(batch.column("bucket").to_pylist(), batch.column("id").to_pylist())


def meetings(batches: Iterable[pa.RecordBatch], limit: int) -> Iterator[pa.RecordBatch]:
    """Who meets whom: (bucket, id), in this order, to NEEDS."""
    last = Last(limit)
    for batch in batches:
        yield from last.and_more(batch)
    yield from last.and_more(None)


class Last:
    """The bucket that a batch ended in.

    A document meets all that come before it in a bucket; of one over the limit the lowest few,
    which are all that is held of it.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = pa.RecordBatch.from_pylist([], RECORDS)
        self.carried = self.hidden = 0  # of a bucket over the limit: rows that are held, and not

    def and_more(self, batch: pa.RecordBatch | None) -> Iterator[pa.RecordBatch]:
        """What meets in this bucket and in all of a batch but its last, of which more may come.
        None: nothing more comes."""
        rows = self.held if batch is None else pa.concat_batches([self.held, batch])
        if len(rows) == 0:
            return
        bucket, carried = rows.column("bucket").to_numpy(), self.carried
        start = np.flatnonzero(np.concatenate([[True], bucket[1:] != bucket[:-1]]))
        here = np.diff(start, append=len(bucket))
        first = np.repeat(start, here)
        place = np.arange(len(bucket)) - first
        place[carried:here[0]] += self.hidden
        size = here.copy()
        size[0] += self.hidden
        over = size > self.limit if self.limit else np.zeros(len(size), bool)
        is_over = np.repeat(over, here)
        count = np.where(is_over, np.minimum(place, STAR), place)
        count[:carried] = 0
        if batch is not None and not over[-1]:
            count[start[-1]:] = 0
        held = min(STAR, here[-1]) if over[-1] else here[-1]
        self.held = rows.slice(start[-1], held)
        self.carried, self.hidden = (held, size[-1] - held) if over[-1] else (0, 0)
        yield from _meeting(rows.column("id"), first, count, np.where(is_over, place // CHUNK, 0))


def _meeting(ids: pa.Array, first: np.ndarray, count: np.ndarray,
             chunk: np.ndarray) -> Iterator[pa.RecordBatch]:
    """Each with as many from its first on."""
    some = np.flatnonzero(count)
    for portion in portions(count[some]):
        rows = some[portion]
        partners = lists(count[rows], ids.take(pa.array(ranges(first[rows], count[rows]))))
        yield needs_of(ids.take(pa.array(rows)), ids.take(pa.array(first[rows])),
                       pa.array(chunk[rows]), partners, None, None)
