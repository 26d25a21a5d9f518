"""Candidates by id, family and chunk, to each pair once, and the texts that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .candidates import needs_of
from .columns import ROWS, any_starts, codes, firsts, flags, lengths, lists, portions, starts

BLOCK = 1 << 19  # candidates that are processed together


def needs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """(id, family, chunk, partners, centres, members) to rows of the same schema.

    Every pair occurs once, with its first family and chunk. A row with partners is a document to
    compare with these. A row with members stands for copies. Other rows are partners, which may be
    repeated.
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
    """The needs of documents, from all their candidates."""
    if len(rows) == 0:
        return
    partner, names = codes(rows.column("partners").flatten())
    parent = np.repeat(np.arange(len(rows)), lengths(rows.column("partners")))
    new = firsts(np.cumsum(flags(starts(rows.column("id"))))[parent], partner)
    partner, parent = partner[new], parent[new]
    group = np.cumsum(any_starts(rows, "id", "family", "chunk")) - 1
    count = np.bincount(group[parent], minlength=group[-1] + 1)
    row = np.flatnonzero(np.diff(group, prepend=-1))[count > 0]
    yield from _with_partners(rows, row, count[count > 0], names.take(pa.array(partner)))
    family, _ = codes(rows.column("family"))
    once = firsts(family[parent], rows.column("chunk").to_numpy()[parent], partner)
    for start in range(0, len(once), ROWS):
        selected = once[start:start + ROWS]
        parents = pa.array(parent[selected])
        yield needs_of(names.take(pa.array(partner[selected])), rows.column("family").take(parents),
                       rows.column("chunk").take(parents), None, None, None)


def _with_partners(rows: pa.RecordBatch, row: np.ndarray, count: np.ndarray,
         partners: pa.Array) -> Iterator[pa.RecordBatch]:
    """Rows with their partners, `count` for each."""
    start = 0
    for portion in portions(count):
        selected, counts = rows.take(pa.array(row[portion])), count[portion]
        yield needs_of(selected.column("id"), selected.column("family"), selected.column("chunk"),
                       lists(counts, partners.slice(start, counts.sum())), None, None)
        start += counts.sum()
