"""Candidates by id, family and chunk: who is needed where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .candidates import needs_of
from .columns import ROWS, any_starts, codes, firsts, flags, lengths, lists, portions, starts

BLOCK = 1 << 19  # candidates that are looked at together


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
        yield needs_of(names.take(pa.array(partner[some])), rows.column("family").take(at),
                       rows.column("chunk").take(at), None, None, None)


def _met(rows: pa.RecordBatch, row: np.ndarray, count: np.ndarray,
         partners: pa.Array) -> Iterator[pa.RecordBatch]:
    """These rows, with so many of the partners each."""
    start = 0
    for portion in portions(count):
        some, its = rows.take(pa.array(row[portion])), count[portion]
        yield needs_of(some.column("id"), some.column("family"), some.column("chunk"),
                       lists(its, partners.slice(start, its.sum())), None, None)
        start += its.sum()
