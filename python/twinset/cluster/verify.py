"""Candidates and their texts to pairs.

Rows are sorted by family, chunk and id, each with its text. The partners of a family, the texts
that others are compared with, are held until its last row: the first in memory, the others on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .candidates import references
from .columns import ITEMS, any_starts, codes, flags, lengths, portions, ranges
from .settings import CHUNK, Settings
from .spill import HELD_BYTES, on_disk

# The fields of a pair in the order of the command; the cluster comes last.
FIELDS = {"similarity": pa.float64(), "jaccard": pa.float64(), "containment_a": pa.float64(),
          "containment_b": pa.float64(), "shared": pa.int64(), "union": pa.int64(),
          "estimate": pa.float64(), "longest": pa.int64()}
PAIRS = pa.schema([
    pa.field("a", pa.string(), False),
    pa.field("b", pa.string(), False),
    *(pa.field(name, kind, name == "estimate") for name, kind in FIELDS.items()),
    pa.field("first", pa.string(), False),
    pa.field("original", pa.string(), False),
    pa.field("chunk", pa.int64(), False),
    pa.field("match", pa.bool_(), False),
])


def verify(batches: Iterable[pa.RecordBatch], settings: Settings,
           listed: bool = True) -> Iterator[pa.RecordBatch]:
    """(family, chunk, id, text, partners, centres, members) to pairs of documents.

    A row without partners is a partner, which others list by its reference. A row with `members` is
    of copies, whose text is compared with itself. `centres` are the documents that represent an
    original in lists; null: itself.

    `first` and `original` are the originals of the match, the earlier one and the later one; for
    copies, both are their original. `original` and the chunk of copies identify a pair's cluster.
    `match` is true for one pair of each match, that of the two originals. If `listed` is false,
    only these pairs are made.
    """
    comparer = _core.Comparer(settings.options)
    held = HeldPartners()
    for batch in batches:
        if len(batch):
            yield from held.pairs_of(batch, listed).listed(comparer)


class HeldPartners:
    """The partners of a family, which may continue over several batches."""

    def __init__(self) -> None:
        self.family: tuple[str, int] | None = None
        self._forget()

    def _forget(self) -> None:
        self.rows: list[pa.RecordBatch] = []  # id, centres
        self.texts: list[pa.Array] = []
        self.bytes = 0

    def pairs_of(self, batch: pa.RecordBatch, listed: bool) -> TextPairs:
        """The pairs of texts to compare in a batch."""
        if self.family != _family(batch, 0):
            self._forget()
        self.family = _family(batch, -1)
        family = np.cumsum(any_starts(batch, "family", "chunk")) - 1
        is_partner = flags(pc.and_(pc.is_null(batch.column("partners")),
                                   pc.is_null(batch.column("members"))))
        pairs = TextPairs(self, batch, family, is_partner)
        if not listed:
            pairs.drop_copies()
        if family[-1] > 0:
            self._forget()
        self._hold(batch.filter(pa.array(is_partner & (family == family[-1]))))
        return pairs

    def _hold(self, partners: pa.RecordBatch) -> None:
        if len(partners) == 0:
            return
        text = partners.column("text")
        self.bytes += text.nbytes
        if self.bytes > HELD_BYTES:
            text = on_disk([pa.record_batch({"text": text})])[0].column("text")
        self.rows.append(partners.select(["id", "centres"]))
        self.texts.append(text)


def _family(batch: pa.RecordBatch, row: int) -> tuple[str, int]:
    return batch.column("family")[row].as_py(), batch.column("chunk")[row].as_py()


class TextPairs:
    """Pairs of texts to compare, and the pairs of documents to list if they are similar.

    Rows are those of held partners, which are of the first family of the batch, and of the batch.
    """

    def __init__(self, held: HeldPartners, batch: pa.RecordBatch, family: np.ndarray,
                 is_partner: np.ndarray) -> None:
        self.rows = pa.concat_batches([*held.rows, batch.select(["id", "centres"])])
        self.texts = pa.chunked_array([*held.texts, batch.column("text")])
        before = len(self.rows) - len(batch)
        partners, members = batch.column("partners"), batch.column("members")
        known = np.concatenate([np.arange(before), before + np.flatnonzero(is_partner)])
        family = np.concatenate([np.zeros(before, np.int64), family])
        b = before + np.repeat(np.arange(len(batch)), lengths(partners))
        a = known[_find_in_families(references(self.rows.column("id").take(pa.array(known))),
                                    family[known], partners.flatten().to_numpy(), family[b])]
        copies = np.flatnonzero(flags(pc.is_valid(members)))
        self.pairs = len(a)  # then come copies, compared with themselves
        self.a, self.b = (np.concatenate([side, before + copies]) for side in (a, b))
        self.chunk = np.concatenate([np.zeros(len(a), np.int64),
                                     batch.column("chunk").to_numpy()[copies]])
        self._name(members, lengths(members)[copies])

    def _name(self, members: pa.ListArray, counts: np.ndarray) -> None:
        """Finds the documents to list: for a pair, the centres of each side, or itself; for copies,
        their centres with their members. Each has `count` names from `first` on."""
        ids, centres = self.rows.columns
        count, itself = lengths(centres), flags(pc.is_null(centres))
        self.names = pa.concat_arrays([ids, centres.flatten(), members.flatten()])
        first = np.where(itself, np.arange(len(ids)), len(ids) + np.cumsum(count) - count)
        count = np.where(itself, 1, count)
        self.a_first, self.a_count = first[self.a], count[self.a]
        self.b_first, self.b_count = first[self.b], count[self.b]
        if len(counts):
            self.b_first[self.pairs:] = len(self.names) - counts.sum() + np.cumsum(counts) - counts
            self.b_count[self.pairs:] = counts

    def drop_copies(self) -> None:
        """Lists only originals, which are the first names."""
        self.a, self.b, self.chunk = (all[:self.pairs] for all in (self.a, self.b, self.chunk))
        self.a_count, self.b_count = np.ones((2, self.pairs), np.int64)

    def listed(self, comparer: _core.Comparer) -> Iterator[pa.RecordBatch]:
        """Compares texts, and lists pairs of documents: each centre of a with each of b."""
        for start in range(0, len(self.a), ITEMS):
            range_ = slice(start, start + ITEMS)
            found, columns = comparer.pairs(self.texts, self.a[range_].astype(np.int32),
                                            self.b[range_].astype(np.int32))
            found = start + np.frombuffer(found, np.int32)
            known = pa.record_batch([pa.Array.from_buffers(kind, len(found), [
                None, pa.py_buffer(columns[name])]) for name, kind in FIELDS.items()],
                names=list(FIELDS))
            for portion in portions(self.b_count[found]):
                yield from self._listed(found[portion],
                                        known.slice(portion.start, portion.stop - portion.start))

    def _listed(self, found: np.ndarray, known: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        match = np.repeat(np.arange(len(found)), self.b_count[found])
        y = ranges(0, self.b_count[found])
        x_count = self.a_count[found][match]
        is_copies = found[match] >= self.pairs  # a copy is listed with the centres before it
        x_count = np.where(is_copies, np.minimum(x_count, self.chunk[found][match] * CHUNK + y),
                           x_count)
        for portion in portions(x_count):
            each = np.repeat(np.arange(portion.start, portion.stop), x_count[portion])
            yield self._pairs(found, known, match[each], ranges(0, x_count[portion]), y[each])

    def _pairs(self, found: np.ndarray, known: pa.RecordBatch, match: np.ndarray, x: np.ndarray,
               y: np.ndarray) -> pa.RecordBatch:
        """PAIRS for indexes of matches, and of the names of their sides."""
        rows = found[match]
        a = self.names.take(pa.array(self.a_first[rows] + x))
        b = self.names.take(pa.array(self.b_first[rows] + y))
        swapped = pc.greater(a, b)
        known = dict(zip(FIELDS, known.take(pa.array(match)).columns))
        contained = known["containment_a"], known["containment_b"]
        known["containment_a"] = pc.if_else(swapped, contained[1], contained[0])
        known["containment_b"] = pc.if_else(swapped, contained[0], contained[1])
        known["estimate"] = pc.if_else(pc.is_nan(known["estimate"]), None, known["estimate"])
        first, original = (self.rows.column("id").take(pa.array(side[rows]))
                           for side in (self.a, self.b))
        # The first centre is the original, the others are copies.
        is_match = (rows < self.pairs) & (x == 0) & (y == 0)
        return pa.record_batch([pc.if_else(swapped, b, a), pc.if_else(swapped, a, b),
                                *known.values(), first, original, pa.array(self.chunk[rows]),
                                pa.array(is_match)], schema=PAIRS)


def _find_in_families(known: np.ndarray, families: np.ndarray, wanted: np.ndarray,
                      wanted_families: np.ndarray) -> np.ndarray:
    """The indexes of the wanted references among the known ones of their families."""
    code, distinct = codes(pa.array(np.concatenate([known, wanted])))
    key = np.concatenate([families, wanted_families]) * len(distinct) + code
    key, wanted = key[:len(known)], key[len(known):]
    order = np.argsort(key, kind="stable")
    indexes = np.append(order, 0)[np.searchsorted(key[order], wanted)]
    if (np.append(key, -1)[indexes] != wanted).any():
        raise KeyError("a partner is not with its family")
    return indexes
