"""Rows of one key, in a stream that is sorted by it: a run.

No run is ever held, however long it is: of its ids as many as a bucket may have, then the first
few. A batch may end anywhere.

Documents are in as many buckets as there are bands, most of them alone. So that an engine need
not move a row for each, the records (bucket, id) of many documents are packed by the part that
their buckets belong to; those of a part come together again, and are sorted there.

Copies take no part in this: their rows are handed on from piece to piece.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import (ROWS, any_starts, batched, codes, firsts, flags, lengths, lists, portions,
                      ranges, starts)
from .settings import CHUNK, STAR, Settings
from .spill import on_disk

PART_BYTES = 64 << 20  # of a part's records in memory; more are merged from a file
BLOCK = 1 << 19  # candidates that are looked at together

STRINGS = pa.list_(pa.string())
COPIES = [pa.field("centres", STRINGS), pa.field("members", STRINGS)]
RECORDS = pa.schema([pa.field("bucket", pa.int64()), pa.field("id", pa.string())])
PACKED = pa.schema([pa.field("part", pa.int64()), pa.field("packed", pa.binary()),
                    pa.field("id", pa.string()), pa.field("chunk", pa.int64()), *COPIES])
NEEDS = pa.schema([pa.field("id", pa.string()), pa.field("family", pa.string()),
                   pa.field("chunk", pa.int64()), pa.field("partners", STRINGS), *COPIES])


def _repeated(start: pa.Array) -> pa.Array:
    """Which rows are not alone in their run; those at the ends of a batch may be."""
    alone = pc.and_(start, pa.concat_arrays([start[1:], pa.array([False])]))
    return pc.invert(pa.concat_arrays([pa.array([False]), alone[1:]]))


# ---- originals: documents by identity and id

def originals(batches: Iterable[pa.RecordBatch], settings: Settings,
              parts: int) -> Iterator[pa.RecordBatch]:
    """(identity, id, buckets) to (part, packed, id, chunk, centres, members).

    Of documents that are the same, the first stands for all, and its records are packed. `parts`
    is a power of two. Copies have a row for themselves.
    """
    copies, last = Copies(settings.max_bucket), None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        identity = batch.column("identity")
        start = starts(identity, last)
        last = identity[-1]
        yield from batched(_packed(batch.filter(start), parts), PACKED)
        some = batch.filter(_repeated(start))
        rows = zip(some.column("identity").to_pylist(), some.column("id").to_pylist())
        yield from batched(_placed(copies.take(rows), parts), PACKED)
    yield from batched(_placed(copies.end(), parts), PACKED)


def _packed(batch: pa.RecordBatch, parts: int) -> Iterator[tuple]:
    buckets = batch.column("buckets")
    records = pa.record_batch([buckets.flatten(),
                               batch.column("id").take(pc.list_parent_indices(buckets))],
                              schema=RECORDS)
    part = pc.bit_wise_and(records.column("bucket"), parts - 1)
    order = pc.sort_indices(part)
    runs = pc.run_end_encode(part.take(order), run_end_type=pa.int64())
    records, start = records.take(order), 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist()):
        yield (number, records.slice(start, end - start).serialize().to_pybytes(), None, None,
               None, None)
        start = end


def _placed(rows: Iterable[tuple], parts: int) -> Iterator[tuple]:
    for id, chunk, centres, members in rows:
        yield crc32(id.encode()) & (parts - 1), None, id, chunk, centres, members


class Copies:
    """Runs of documents that are the same, as they come: (id, chunk, centres, members).

    `id` is the first. `centres` are those that are listed with all others: every one, or the
    first few of more than a bucket may have, whose members come in chunks.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._begin(None)

    def _begin(self, key: object) -> None:
        self.key, self.first, self.chunk = key, None, 0
        self.centres: list[str] | None = None  # of more than the limit
        self.waiting: list[str] = []

    def take(self, rows: Iterable[tuple[object, str]]) -> Iterator[tuple]:
        """Rows (key, id), of which runs may have begun before."""
        for key, several in groupby(rows, lambda row: row[0]):
            if key != self.key:
                yield from self.end()
                self._begin(key)
            for _, id in several:
                self.first = id if self.first is None else self.first
                self.waiting.append(id)
                if len(self.waiting) == CHUNK + self.limit and self.limit:
                    yield self._chunk()

    def end(self) -> Iterator[tuple]:
        """What is left of the last run."""
        if len(self.waiting) < 2 and not self.centres:
            return
        if not self.centres and (not self.limit or len(self.waiting) <= self.limit):
            yield self.first, 0, self.waiting, self.waiting
            self.waiting = []
        while self.waiting:
            yield self._chunk()

    def _chunk(self) -> tuple:
        self.centres = self.centres or self.waiting[:STAR]
        members, self.waiting = self.waiting[:CHUNK], self.waiting[CHUNK:]
        self.chunk += 1
        return self.first, self.chunk - 1, self.centres, members


# ---- candidates: packed records by part

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
            yield _needs(copies.column("id"), copies.column("id"), copies.column("chunk"), None,
                         copies.column("centres"), copies.column("members"))
        for number, packed in zip(batch.column("part").to_pylist(),
                                  batch.column("packed").to_pylist()):
            if number != part:
                yield from meetings(records.in_order(), settings.max_bucket)
                part, records = number, Records()
            if packed is not None:
                records.add(packed)
    yield from meetings(records.in_order(), settings.max_bucket)


def _needs(*columns: pa.Array | None) -> pa.RecordBatch:
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
        some = _repeated(starts(rows.column("bucket").take(order)))
        yield _in_order(rows.take(order.filter(some)))


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
        self.told = self.hidden = 0  # of a bucket over the limit: rows that are held, and not

    def and_more(self, batch: pa.RecordBatch | None) -> Iterator[pa.RecordBatch]:
        """What meets in this bucket and in all of a batch but its last, of which more may come.
        None: nothing more comes."""
        rows = self.held if batch is None else pa.concat_batches([self.held, batch])
        if len(rows) == 0:
            return
        bucket, told = rows.column("bucket").to_numpy(), self.told
        start = np.flatnonzero(np.concatenate([[True], bucket[1:] != bucket[:-1]]))
        here = np.diff(start, append=len(bucket))
        first = np.repeat(start, here)
        place = np.arange(len(bucket)) - first
        place[told:here[0]] += self.hidden
        size = here.copy()
        size[0] += self.hidden
        over = size > self.limit if self.limit else np.zeros(len(size), bool)
        is_over = np.repeat(over, here)
        count = np.where(is_over, np.minimum(place, STAR), place)
        count[:told] = 0
        if batch is not None and not over[-1]:
            count[start[-1]:] = 0
        held = min(STAR, here[-1]) if over[-1] else here[-1]
        self.held = rows.slice(start[-1], held)
        self.told, self.hidden = (held, size[-1] - held) if over[-1] else (0, 0)
        yield from _meeting(rows.column("id"), first, count, np.where(is_over, place // CHUNK, 0))


def _meeting(ids: pa.Array, first: np.ndarray, count: np.ndarray,
             chunk: np.ndarray) -> Iterator[pa.RecordBatch]:
    """Each with as many from its first on."""
    some = np.flatnonzero(count)
    for portion in portions(count[some]):
        rows = some[portion]
        partners = lists(count[rows], ids.take(pa.array(ranges(first[rows], count[rows]))))
        yield _needs(ids.take(pa.array(rows)), ids.take(pa.array(first[rows])),
                     pa.array(chunk[rows]), partners, None, None)


# ---- needs: candidates by id, family and chunk

def needs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """(id, family, chunk, partners, centres, members) to the same: who is needed where.

    Every pair once, with the first family and chunk that it has. A row with partners is a
    document that is to be compared with these. One without is such a partner, and may come again;
    or, with members, it stands for copies.
    """
    waiting, items, enough = [], 0, BLOCK
    for batch in batches:
        is_copies = pc.is_valid(batch.column("members"))
        if pc.any(is_copies).as_py():
            yield batch.filter(is_copies)
        waiting.append(batch.filter(pc.invert(is_copies)))
        items += lengths(waiting[-1].column("partners")).sum()
        if items >= enough:
            rows = pa.concat_batches(waiting)
            last = np.flatnonzero(flags(starts(rows.column("id"))))[-1]
            yield from _needed(rows.slice(0, last))
            waiting = [rows.slice(last)]
            items = lengths(waiting[0].column("partners")).sum()
            enough = max(BLOCK, 2 * items)
    if waiting:
        yield from _needed(pa.concat_batches(waiting))


def _needed(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The same of all candidates of some documents."""
    if len(rows) == 0:
        return
    partner, names = codes(rows.column("partners").flatten())
    parent = np.repeat(np.arange(len(rows)), lengths(rows.column("partners")))
    new = firsts(np.cumsum(flags(starts(rows.column("id"))))[parent], partner)
    partner, parent = partner[new], parent[new]
    group = np.cumsum(any_starts(rows, "id", "family", "chunk")) - 1
    count = np.bincount(group[parent], minlength=group[-1] + 1)
    row = np.flatnonzero(np.diff(group, prepend=-1))[count > 0]
    yield from _met(rows, row, count[count > 0], names.take(pa.array(partner)))
    family, _ = codes(rows.column("family"))
    once = firsts(family[parent], rows.column("chunk").to_numpy()[parent], partner)
    for start in range(0, len(once), ROWS):
        some = once[start:start + ROWS]
        at = pa.array(parent[some])
        yield _needs(names.take(pa.array(partner[some])), rows.column("family").take(at),
                     rows.column("chunk").take(at), None, None, None)


def _met(rows: pa.RecordBatch, row: np.ndarray, count: np.ndarray,
         partners: pa.Array) -> Iterator[pa.RecordBatch]:
    """These rows, with so many of the partners each."""
    start = 0
    for portion in portions(count):
        some, its = rows.take(pa.array(row[portion])), count[portion]
        yield _needs(some.column("id"), some.column("family"), some.column("chunk"),
                     lists(its, partners.slice(start, its.sum())), None, None)
        start += its.sum()
