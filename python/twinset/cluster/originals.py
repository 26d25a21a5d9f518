"""Documents by identity and id: of those that are the same, the first stands for all.

No run of them is ever held, however long it is: of its ids as many as a bucket may have, then the
first few. A batch may end anywhere.

Documents are in as many buckets as there are bands, most of them alone. So that an engine need
not move a row for each, the records (bucket, id) of many documents are packed by the part that
their buckets belong to; those of a part come together again, and are sorted there.
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
        some = batch.filter(repeated(start))
        rows = zip(some.column("identity").to_pylist(), some.column("id").to_pylist())
        yield from batched(_placed(copies.take(rows), parts), PACKED)
    yield from batched(_placed(copies.end(), parts), PACKED)


def _packed(batch: pa.RecordBatch, parts: int) -> Iterator[tuple]:
    buckets = batch.column("buckets")  # of a batch that was filtered: null ones have no values
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
