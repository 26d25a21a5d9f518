"""Candidates and their texts to pairs.

Rows come by family, chunk and id, each with its text. A family's partners, the texts that others
are compared with, are held as long as it lasts: some in memory, the rest on disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .settings import CHUNK, Settings
from .spill import on_disk

HELD_BYTES = 64 << 20  # of texts in memory

# What is known of a pair, as the command writes it; the cluster comes last.
FIELDS = {"similarity": pa.float64(), "jaccard": pa.float64(), "containment_a": pa.float64(),
          "containment_b": pa.float64(), "shared": pa.int64(), "union": pa.int64(),
          "estimate": pa.float64(), "longest": pa.int64()}
PAIRS = pa.schema([
    pa.field("a", pa.string(), False),
    pa.field("b", pa.string(), False),
    *(pa.field(name, kind, name == "estimate") for name, kind in FIELDS.items()),
    pa.field("original", pa.string(), False),
    pa.field("chunk", pa.int64(), False),
    pa.field("match", pa.bool_(), False),
])


def verify(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(family, chunk, id, text, partners, centres, members) to pairs of documents.

    A row without partners is one; a row with `members` is that of copies, of which nothing has to
    be found, but told what such a pair is. `centres` are those that an original is listed by;
    null: itself.

    `original` leads to a pair's cluster: that of b, or of the copies, by their chunk. `match` is
    true for one pair of each match, that of the two originals.
    """
    comparer = _core.Comparer(settings.options)
    held = Held()
    for batch in batches:
        meetings = Meetings()
        texts = held.take(batch, meetings)
        if meetings.rows:
            found, columns = comparer.pairs(texts, meetings.a, meetings.b)
            yield meetings.listed(array("i", found), columns)


class Held:
    """The partners of a family so far, through any number of batches."""

    def __init__(self) -> None:
        self.family: tuple[str, int] | None = None
        self.texts: list[pa.Array] = []
        self.bytes = 0
        self.partners: dict[str, tuple[int, list[str] | None]] = {}  # place, centres

    def take(self, batch: pa.RecordBatch, meetings: Meetings) -> pa.ChunkedArray:
        """Finds what meets in a batch. The texts that it meets in: those held, and the batch's."""
        text = batch.column("text")
        texts = pa.chunked_array([*self.texts, text], text.type)
        first = len(texts) - len(text)
        names = ("family", "chunk", "id", "partners", "centres", "members")
        rows = zip(*(batch.column(name).to_pylist() for name in names))
        for place, (family, chunk, id, partners, centres, members) in enumerate(rows, first):
            if self.family != (family, chunk):
                self.family, self.texts, self.bytes, self.partners = (family, chunk), [], 0, {}
            if members is not None:
                meetings.add_copies(place, id, chunk, centres, members)
            elif partners is None:
                self.partners[id] = place, centres
            else:
                for other in partners:
                    meetings.add(self.partners[other], (place, centres), other, id)
        self._hold([place - first for place, _ in self.partners.values() if place >= first], text)
        return texts

    def _hold(self, rows: list[int], text: pa.Array) -> None:
        """Keeps these of a batch; places are counted anew."""
        if rows:
            some = text.take(pa.array(rows))
            self.bytes += some.nbytes
            if self.bytes > HELD_BYTES:
                some = on_disk([pa.record_batch({"text": some})])[0].column("text")
            self.texts.append(some)
        for place, (id, (_, centres)) in enumerate(self.partners.items()):
            self.partners[id] = place, centres


class Meetings:
    """Pairs of texts, by their places, and what is listed of them if they are similar."""

    def __init__(self) -> None:
        self.a, self.b = array("i"), array("i")
        self.rows: list[tuple] = []  # a, b, their centres or None; or copies: chunk and members

    def add(self, a: tuple[int, list[str] | None], b: tuple[int, list[str] | None], a_id: str,
            b_id: str) -> None:
        self.a.append(a[0])
        self.b.append(b[0])
        self.rows.append((a_id, b_id, a[1], b[1], None, 0))

    def add_copies(self, place: int, id: str, chunk: int, centres: list[str],
                   members: list[str]) -> None:
        self.a.append(place)
        self.b.append(place)
        self.rows.append((id, id, centres, None, members, chunk))

    def listed(self, found: array, columns: dict[str, bytes]) -> pa.RecordBatch:
        """Pairs of documents: each centre of a match's a with each of its b."""
        rows = [row for index, at in enumerate(found) for row in self._pairs(index, at)]
        match, a, b, swapped, original, chunk, is_match = zip(*rows) if rows else [()] * 7
        known = {name: pa.Array.from_buffers(kind, len(found), [None, pa.py_buffer(columns[name])])
                 .take(pa.array(match, pa.int32())) for name, kind in FIELDS.items()}
        swap = pa.array(swapped, pa.bool_())
        contained = known["containment_a"], known["containment_b"]
        known["containment_a"] = pc.if_else(swap, contained[1], contained[0])
        known["containment_b"] = pc.if_else(swap, contained[0], contained[1])
        estimate = known["estimate"]
        known["estimate"] = pc.if_else(pc.is_nan(estimate), None, estimate)
        return pa.record_batch([pa.array(a, pa.string()), pa.array(b, pa.string()),
                                *known.values(), pa.array(original, pa.string()),
                                pa.array(chunk, pa.int64()), pa.array(is_match, pa.bool_())],
                               schema=PAIRS)

    def _pairs(self, index: int, at: int) -> Iterator[tuple]:
        a, b, a_centres, b_centres, members, chunk = self.rows[at]
        if members is not None:
            for place, y in enumerate(members, chunk * CHUNK):
                for x in a_centres[:place]:
                    yield index, x, y, False, a, chunk, False
            return
        for x in a_centres or (a,):
            for y in b_centres or (b,):
                match = x == a and y == b
                if x < y:
                    yield index, x, y, False, b, 0, match
                else:
                    yield index, y, x, True, b, 0, match
