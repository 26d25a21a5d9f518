"""What is kept of documents that resemble each other, by the rule of `twinset dedup`: documents
come in an order of preference, and one is removed if it resembles one that is kept, the most
similar of these. Identical documents are decided on as one.

In a cluster of more than STAR a document may not have met all that it resembles. So one that is
to be kept is first compared with what is kept of its cluster, those that most were removed for
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np
import pyarrow as pa

from .. import _core
from ..rules import LOOKS, STAR
from .columns import any_starts, batched
from .settings import Settings
from .spill import HELD_BYTES, on_disk

ROWS = pa.schema([pa.field("root", pa.string()), pa.field("size", pa.int64()),
                  pa.field("original", pa.string()), pa.field("best", pa.string()),
                  pa.field("earlier", pa.string()), pa.field("similarity", pa.float64()),
                  pa.field("text", pa.large_binary())])
DECIDED = pa.schema([pa.field("original", pa.string()), pa.field("kept", pa.string()),
                     pa.field("similarity", pa.float64())])


def few(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Matches (a, b, similarity) by b and a: of each b the first few, which are all that dedup
    looks for."""
    last, seen = None, 0
    for batch in batches:
        if len(batch) == 0:
            continue
        start = np.flatnonzero(any_starts(batch, "b"))
        place = np.arange(len(batch)) - np.repeat(start, np.diff(start, append=len(batch)))
        if batch.column("b")[0].as_py() == last:
            place[:start[1] if len(start) > 1 else None] += seen
        last, seen = batch.column("b")[-1].as_py(), place[-1] + 1
        yield batch.filter(pa.array(place < STAR))


def decide(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """ROWS to DECIDED, in the order of roots, and of preference in each.

    Before a document come its edges: similar documents that go before it, as `earlier`. Its own
    row has none, but a text if the cluster is large.
    """
    return batched(_decided(batches, _core.Comparer(settings.options)), DECIDED)


def _decided(batches: Iterable[pa.RecordBatch],
             comparer: _core.Comparer) -> Iterator[tuple[str, str, float]]:
    for _, documents in groupby(_rows(batches), lambda row: row[0]):
        kept: dict[str, tuple[int, str]] = {}  # turn, best
        stays = Stays(comparer)
        nearest = None
        for turn, (_, size, original, best, earlier, similarity, text) in enumerate(documents):
            if earlier is not None:
                if earlier in kept:
                    nearest = max(nearest or (-1,), (similarity, -kept[earlier][0],
                                                     kept[earlier][1]))
                continue
            found = (nearest[2], nearest[0]) if nearest else (
                stays.nearest(text) if size > STAR else None)
            if not found:
                kept[original] = turn, best
                if size > STAR:
                    stays.add(best, text)
            yield original, *(found or (best, 1.0))
            nearest = None


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple]:
    """Texts, of which few are looked at, as arrays of one."""
    for batch in batches:
        *others, texts = (batch.column(field.name) for field in ROWS)
        for place, row in enumerate(zip(*(column.to_pylist() for column in others))):
            yield *row, texts.slice(place, 1)


class Stays:
    """What is kept of a large cluster: some texts in memory, the rest on disk."""

    def __init__(self, comparer: _core.Comparer) -> None:
        self.comparer = comparer
        self.best: list[str] = []
        self.texts: list[pa.Array] = []
        self.bytes = 0

    def add(self, best: str, text: pa.Array) -> None:
        if len(self.best) == LOOKS:  # one beyond is never looked at
            return
        text = text.take(pa.array([0]))  # without the rest of its batch
        self.bytes += text.nbytes
        if self.bytes > HELD_BYTES:
            text = on_disk([pa.record_batch({"text": text})])[0].column("text")
        self.best.append(best)
        self.texts.append(text)

    def nearest(self, text: pa.Array) -> tuple[str, float] | None:
        """The first that it resembles, and how much; this one goes half the way to the front."""
        start, count = 0, 4
        while start < len(self.best):
            some = self.texts[start:start + count]
            found, columns = self.comparer.pairs(
                pa.chunked_array([*some, text]), np.arange(len(some), dtype=np.int32),
                np.full(len(some), len(some), np.int32))
            if found:
                place = start + int(np.frombuffer(found, np.int32)[0])
                best, similarity = self.best[place], np.frombuffer(columns["similarity"])[0]
                for names in (self.best, self.texts):
                    names[place], names[place // 2] = names[place // 2], names[place]
                return best, float(similarity)
            start, count = start + count, 4 * count
        return None
