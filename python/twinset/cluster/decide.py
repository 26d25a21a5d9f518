"""Decides which of similar documents are kept, by the rule of `twinset dedup`: documents come in
the order of preference, and a document is removed for the most similar kept document that it
resembles. Identical documents are decided as one.

In a cluster of more than STAR documents, a document was possibly not compared with all that it
resembles. So before it is kept, it is compared with the kept documents of its cluster, first with
those for which most documents were removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np
import pyarrow as pa

from .. import _core
from ..rules import LOOKS, STAR
from .columns import batched
from .limit import first_few
from .settings import Settings
from .spill import HELD_BYTES, on_disk

ROWS = pa.schema([pa.field("root", pa.string()), pa.field("size", pa.int64()),
                  pa.field("original", pa.string()), pa.field("best", pa.string()),
                  pa.field("earlier", pa.string()), pa.field("similarity", pa.float64()),
                  pa.field("text", pa.large_binary())])
DECIDED = pa.schema([pa.field("original", pa.string()), pa.field("kept", pa.string()),
                     pa.field("similarity", pa.float64())])


def few(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Matches (a, b, similarity) by b and a: the first few of each b, which are all that dedup
    uses."""
    return first_few(batches, "b", "a", STAR)


def decide(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """ROWS to DECIDED, in the order of roots, and of preference in each.

    The edges of a document come before it, each with a similar preferred document as `earlier`.
    Its own row has no edge, but a text if the cluster is large.
    """
    return batched(_decided(batches, _core.Comparer(settings.options)), DECIDED)


def _decided(batches: Iterable[pa.RecordBatch],
             comparer: _core.Comparer) -> Iterator[tuple[str, str, float]]:
    for _, documents in groupby(_rows(batches), lambda row: row[0]):
        kept: dict[str, tuple[int, str]] = {}  # (turn, best) by original
        cluster = KeptDocuments(comparer)
        nearest = None
        for turn, (_, size, original, best, earlier, similarity, text) in enumerate(documents):
            if earlier is not None:
                if earlier in kept:
                    nearest = max(nearest or (-1,), (similarity, -kept[earlier][0],
                                                     kept[earlier][1]))
                continue
            found = (nearest[2], nearest[0]) if nearest else (
                cluster.nearest(text) if size > STAR else None)
            if not found:
                kept[original] = turn, best
                if size > STAR:
                    cluster.add(best, text)
            yield original, *(found or (best, 1.0))
            nearest = None


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple]:
    """ROWS as tuples. Texts, few of which are read, stay arrays of length one."""
    for batch in batches:
        *others, texts = (batch.column(field.name) for field in ROWS)
        for index, row in enumerate(zip(*(column.to_pylist() for column in others))):
            yield *row, texts.slice(index, 1)


class KeptDocuments:
    """The kept documents of a large cluster. Their first texts are in memory, the others on
    disk."""

    def __init__(self, comparer: _core.Comparer) -> None:
        self.comparer = comparer
        self.best: list[str] = []
        self.texts: list[pa.Array] = []
        self.bytes = 0

    def add(self, best: str, text: pa.Array) -> None:
        if len(self.best) == LOOKS:  # later documents are never compared
            return
        text = text.take(pa.array([0]))  # a copy without the rest of its batch
        self.bytes += text.nbytes
        if self.bytes > HELD_BYTES:
            text = on_disk([pa.record_batch({"text": text})])[0].column("text")
        self.best.append(best)
        self.texts.append(text)

    def nearest(self, text: pa.Array) -> tuple[str, float] | None:
        """The first kept document that the text resembles, with the similarity. That document moves
        half the way to the front."""
        start, count = 0, 4
        while start < len(self.best):
            texts = self.texts[start:start + count]
            found, columns = self.comparer.pairs(
                pa.chunked_array([*texts, text]), np.arange(len(texts), dtype=np.int32),
                np.full(len(texts), len(texts), np.int32))
            if found:
                index = start + int(np.frombuffer(found, np.int32)[0])
                best, similarity = self.best[index], np.frombuffer(columns["similarity"])[0]
                for names in (self.best, self.texts):
                    names[index], names[index // 2] = names[index // 2], names[index]
                return best, float(similarity)
            start, count = start + count, 4 * count
        return None
