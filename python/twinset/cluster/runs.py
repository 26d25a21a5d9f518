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
from itertools import chain, groupby, islice
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc

from .settings import CHUNK, STAR, Settings
from .spill import on_disk

ROWS = 1 << 14  # of a batch that is handed on
PART_BYTES = 64 << 20  # of a part's records in memory; more are merged from a file

STRINGS = pa.list_(pa.string())
COPIES = [pa.field("centres", STRINGS), pa.field("members", STRINGS)]
RECORDS = pa.schema([pa.field("bucket", pa.int64()), pa.field("id", pa.string())])
PACKED = pa.schema([pa.field("part", pa.int64()), pa.field("packed", pa.binary()),
                    pa.field("id", pa.string()), pa.field("chunk", pa.int64()), *COPIES])
NEEDS = pa.schema([pa.field("id", pa.string()), pa.field("family", pa.string()),
                   pa.field("chunk", pa.int64()), pa.field("partners", STRINGS), *COPIES])


# ---- streams

def starts(column: pa.Array, last: pa.Scalar | None) -> pa.Array:
    """Whether a value is another than the one before; `last` is that before the first."""
    first = last is None or not column[0].equals(last)
    return pa.concat_arrays([pa.array([first]), pc.not_equal(column[1:], column[:-1])])


def batched(rows: Iterable[tuple], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches."""
    rows = iter(rows)
    while some := list(islice(rows, ROWS)):
        columns = [pa.array(column, field.type) for column, field in zip(zip(*some), schema)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


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
    return batched(_candidates(batches, settings.max_bucket), NEEDS)


def _candidates(batches: Iterable[pa.RecordBatch], limit: int) -> Iterator[tuple]:
    part, records = None, Records()
    names = ("part", "packed", "id", "chunk", "centres", "members")
    for batch in batches:
        for number, packed, id, chunk, centres, members in zip(
                *(batch.column(name).to_pylist() for name in names)):
            if number != part:
                yield from records.candidates(limit)
                part, records = number, Records()
            if packed is None:
                yield id, id, chunk, None, centres, members
            else:
                records.add(packed)
    yield from records.candidates(limit)


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
        if not self.batches:
            return
        rows = pa.Table.from_batches(self.batches, RECORDS).sort_by(
            [("bucket", "ascending"), ("id", "ascending")])
        self.spilled.append(on_disk(rows.to_batches(max_chunksize=ROWS)))
        self.batches, self.bytes = [], 0

    def candidates(self, limit: int) -> Iterator[tuple]:
        rows = self._merged() if self.spilled else self._sorted()
        for _, rows in groupby(rows, lambda row: row[0]):
            for b, family, chunk, partners in meetings((row[1] for row in rows), limit):
                yield b, family, chunk, partners, None, None

    def _sorted(self) -> Iterator[tuple[int, str]]:
        """By bucket and id, without those that are alone in a bucket."""
        if not self.batches:
            return
        rows = pa.Table.from_batches(self.batches, RECORDS).combine_chunks()
        order = pc.sort_indices(rows.column("bucket"))
        bucket = rows.column("bucket").take(order).combine_chunks()
        some = _repeated(starts(bucket, None))
        found = zip(bucket.filter(some).to_pylist(),
                    rows.column("id").take(order.filter(some)).to_pylist())
        for _, run in groupby(found, lambda row: row[0]):
            yield from sorted(run)

    def _merged(self) -> Iterator[tuple[int, str]]:
        """By bucket and id, of which little is in memory."""
        self._spill()
        return heapq.merge(*(chain.from_iterable(map(_rows, run)) for run in self.spilled))


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    return zip(batch.column("bucket").to_pylist(), batch.column("id").to_pylist())


def meetings(ids: Iterator[str], limit: int) -> Iterator[tuple[str, str, int, list[str]]]:
    """Who meets whom in one bucket, whose ids come in ascending order: (id, family, chunk,
    partners).

    All that come before it; or, of more than the limit, the lowest few.
    """
    members = list(islice(ids, max(limit + 1, STAR)) if limit else ids)
    if not limit or len(members) <= limit:
        for place in range(1, len(members)):
            yield members[place], members[0], 0, members[:place]
        return
    centres = members[:STAR]
    for place, id in enumerate(chain(members, ids)):
        if place:
            yield id, centres[0], place // CHUNK, centres[:place]


# ---- needs: candidates by id, family and chunk

def needs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """(id, family, chunk, partners, centres, members) to the same: who is needed where.

    Every pair once, with the first family and chunk that it has. A row with partners is a
    document that is to be compared with these. One without is such a partner, and may come again;
    or, with members, it stands for copies.
    """
    return batched(_needed(batches), NEEDS)


def _needed(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple]:
    names = ("id", "family", "chunk", "partners", "centres", "members")
    rows = chain.from_iterable(zip(*(batch.column(name).to_pylist() for name in names))
                               for batch in batches)
    told: set[tuple[str, str, int]] = set()
    for id, several in groupby(rows, lambda row: row[0]):
        met: set[str] = set()
        places: dict[tuple[str, int], list[str]] = {}
        for _, family, chunk, partners, centres, members in several:
            if members is not None:
                yield id, family, chunk, None, centres, members
            elif new := [other for other in partners if other not in met]:
                places.setdefault((family, chunk), []).extend(new)
                met.update(new)
        for (family, chunk), partners in places.items():
            yield id, family, chunk, partners, None, None
            for other in partners:
                if (other, family, chunk) not in told:
                    yield other, family, chunk, None, None, None
                    told.add((other, family, chunk))
        if len(told) > ROWS:
            told.clear()
