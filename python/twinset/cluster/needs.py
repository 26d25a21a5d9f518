"""Candidates by id, family and chunk, to each pair once, and the texts that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .candidates import needs_of
from .columns import any_starts, codes, firsts, flags, lengths, lists, portions, starts

BLOCK = 1 << 19  # candidates that are processed together
TOTALS = ("rows", "bytes", "ids", "candidates", "pairs", "shared")


def needs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """(id, family, chunk, partners, centres, members) to rows of the same schema.

    Every pair occurs once, with its first family and chunk. A row with partners is a document to
    compare with these. A row with members stands for copies. Other rows are partners, each once in
    a family and chunk. All rows of an id have the centres of its copies. Rows without a family, of
    ids that several documents have, pass unchanged.
    """
    waiting, items, enough = [], 0, BLOCK
    for batch in batches:
        passes = pc.or_(pc.is_valid(batch.column("members")), pc.is_null(batch.column("family")))
        if pc.any(passes).as_py():
            yield batch.filter(passes)
        # Of copies, one row stays, for its centres.
        stays = pc.and_(pc.is_valid(batch.column("family")), pc.or_(
            pc.is_null(batch.column("members")), pc.equal(batch.column("chunk"), 0)))
        waiting.append(batch.drop_columns("members").filter(stays))
        items += _items(waiting[-1])
        if items >= enough:
            rows = pa.concat_batches(waiting)
            last = np.flatnonzero(flags(starts(rows.column("id"))))[-1]
            yield from _needed(rows.slice(0, last))
            waiting = [rows.slice(last)]
            items = _items(waiting[0])
            enough = max(BLOCK, 2 * items)
    if waiting:
        yield from _needed(pa.concat_batches(waiting))


def _items(rows: pa.RecordBatch) -> int:
    return len(rows) + int(lengths(rows.column("partners")).sum())


def _needed(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The needs of documents, from all their candidates."""
    if len(rows) == 0:
        return
    document = np.cumsum(flags(starts(rows.column("id")))) - 1
    centres = _rows_with_centres(rows, document)
    alone = np.flatnonzero(flags(pc.and_(pc.is_null(rows.column("partners")),
                                         pc.is_null(rows.column("centres")))))
    alone = alone[any_starts(rows.take(pa.array(alone)), "id", "family", "chunk")]
    yield from _made(rows, alone, centres[alone])
    partner, distinct = codes(rows.column("partners").flatten())
    parent = np.repeat(np.arange(len(rows)), lengths(rows.column("partners")))
    new = firsts(document[parent], partner)
    partner, parent = partner[new], parent[new]
    group = np.cumsum(any_starts(rows, "id", "family", "chunk")) - 1
    count = np.bincount(group[parent], minlength=group[-1] + 1)
    row = np.flatnonzero(np.diff(group, prepend=-1))[count > 0]
    partners = lists(count[count > 0], distinct.take(pa.array(partner)))
    yield from _made(rows, row, centres[row], partners)


def _rows_with_centres(rows: pa.RecordBatch, document: np.ndarray) -> np.ndarray:
    """For each row, the row with the centres of its document's copies, or -1."""
    found = np.flatnonzero(flags(pc.is_valid(rows.column("centres"))))
    of_document = np.full(document[-1] + 1, -1)
    of_document[document[found]] = found
    return of_document[document]


def _made(rows: pa.RecordBatch, row: np.ndarray, centres: np.ndarray,
          partners: pa.ListArray | None = None) -> Iterator[pa.RecordBatch]:
    """Needs: some rows, with the centres of other rows."""
    items = 1 + np.where(centres < 0, 0, lengths(rows.column("centres"))[centres])
    items += 0 if partners is None else lengths(partners)
    for portion in portions(items):
        taken = rows.take(pa.array(row[portion]))
        of_copies = pa.array(centres[portion], mask=centres[portion] < 0)
        yield needs_of(taken.column("id"), taken.column("family"), taken.column("chunk"),
                       None if partners is None else
                       partners.slice(portion.start, portion.stop - portion.start),
                       rows.column("centres").take(of_copies), None)


def totals(batches: Iterable[pa.RecordBatch], listed: bool) -> Iterator[pa.RecordBatch]:
    """Needs to one row of TOTALS: the numbers of rows, of their bytes, of the bytes of ids, of
    candidate pairs, of these with the pairs of copies if they are listed, and of documents whose
    ids others have; and the lowest such id, as `example`."""
    sums, example = dict.fromkeys(TOTALS, 0), None
    for batch in batches:
        candidates = int(lengths(batch.column("partners")).sum())
        of_copies = int((lengths(batch.column("centres")) * lengths(batch.column("members"))).sum())
        shared = batch.filter(pc.is_null(batch.column("family")))
        found = (len(batch), batch.nbytes,
                 pc.sum(pc.binary_length(batch.column("id")), min_count=0).as_py(),
                 candidates, candidates + (of_copies if listed else 0),
                 pc.sum(shared.column("chunk"), min_count=0).as_py())
        sums = {name: sums[name] + value for name, value in zip(TOTALS, found)}
        example = min(filter(None, [example, pc.min(shared.column("id")).as_py()]), default=None)
    yield pa.record_batch({name: [value] for name, value in sums.items()}
                          | {"example": pa.array([example], pa.string())})
