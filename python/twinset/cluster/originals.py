"""Documents by identity and id: the first of identical documents represents all of them.

No run of identical documents is held as a whole: only as many of its ids as a bucket may have, and
of a longer run the first few. A batch may end anywhere.

A document is in as many buckets as there are bands, and alone in most. So that an engine need not
move a row for each bucket, the records (bucket, id) of many documents are packed by parts, which
divide the buckets. Records of a part are brought together, and sorted there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc

from ..rules import STAR
from .columns import batched, repeated, starts
from .settings import CHUNK, Settings

STRINGS = pa.list_(pa.string())
COPIES = [pa.field("centres", STRINGS), pa.field("members", STRINGS)]
RECORDS = pa.schema([pa.field("bucket", pa.int64()), pa.field("id", pa.string())])
PACKED = pa.schema([pa.field("part", pa.int64()), pa.field("packed", pa.binary()),
                    pa.field("id", pa.string()), pa.field("chunk", pa.int64()), *COPIES])


def originals(batches: Iterable[pa.RecordBatch], settings: Settings, parts: int,
              check_ids: bool = False) -> Iterator[pa.RecordBatch]:
    """(identity, id, buckets) to (part, packed, id, chunk, centres, members).

    The first of identical documents represents all of them, and its records are packed. `parts`
    is a power of two. Copies have rows of their own. With `check_ids`, records of the ids of all
    documents, also of those that are skipped, are packed as well, in parts below 0.
    """
    copies, last = Copies(settings.max_bucket), None
    for batch in batches:
        if check_ids:
            yield from batched(_packed_ids(batch.column("id"), parts), PACKED)
        batch = batch.filter(pc.is_valid(batch.column("identity")))
        if batch.num_rows == 0:
            continue
        identity = batch.column("identity")
        start = starts(identity, last)
        last = identity[-1]
        yield from batched(_packed(batch.filter(start), parts), PACKED)
        repeated_rows = batch.filter(repeated(start))
        rows = zip(repeated_rows.column("identity").to_pylist(),
                   repeated_rows.column("id").to_pylist())
        yield from batched(_with_parts(copies.take(rows), parts), PACKED)
    yield from batched(_with_parts(copies.end(), parts), PACKED)


def _packed(batch: pa.RecordBatch, parts: int) -> Iterator[tuple]:
    buckets = batch.column("buckets")  # of a filtered batch: null lists have no values
    records = pa.record_batch([buckets.flatten(),
                               batch.column("id").take(pc.list_parent_indices(buckets))],
                              schema=RECORDS)
    for number, packed in packed_by_part(records, parts):
        yield number, packed, None, None, None, None


def _packed_ids(ids: pa.Array, parts: int) -> Iterator[tuple]:
    hashes = pa.array(map(crc32, ids.cast(pa.binary()).to_pylist()), pa.int64())
    for number, packed in packed_by_part(pa.record_batch([hashes, ids], schema=RECORDS), parts):
        yield -1 - number, packed, None, None, None, None


def packed_by_part(records: pa.RecordBatch, parts: int) -> Iterator[tuple[int, bytes]]:
    """The records of each part, serialized."""
    part = pc.bit_wise_and(records.column("bucket"), parts - 1)
    order = pc.sort_indices(part)
    runs = pc.run_end_encode(part.take(order), run_end_type=pa.int64())
    records, start = records.take(order), 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist()):
        yield number, records.slice(start, end - start).serialize().to_pybytes()
        start = end


def _with_parts(rows: Iterable[tuple], parts: int) -> Iterator[tuple]:
    for id, chunk, centres, members in rows:
        yield crc32(id.encode()) & (parts - 1), None, id, chunk, centres, members


class Copies:
    """Turns runs of identical documents into rows (id, chunk, centres, members).

    `id` is the first document. `centres` are the documents that are listed with all others: all,
    or the first few of a run over the limit of a bucket, whose members come in chunks.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._begin(None)

    def _begin(self, key: object) -> None:
        self.key, self.first, self.chunk = key, None, 0
        self.centres: list[str] | None = None  # of a run over the limit
        self.waiting: list[str] = []

    def take(self, rows: Iterable[tuple[object, str]]) -> Iterator[tuple]:
        """Takes rows (key, id), whose first run may have begun before."""
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
        """The remaining rows of the last run."""
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
