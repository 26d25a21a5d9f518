"""Limits how many matches of each document are listed, if there are very many similar pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rules import MANY_CANDIDATES, MANY_FOR_EACH
from .columns import any_starts, flags
from .settings import Settings


def most_matches(candidates: int, documents: int, settings: Settings) -> int:
    """The most earlier documents that a document is listed with, or 0 for all of them. `candidates`
    are the candidate pairs, and `documents` the documents that are the later one of such a pair."""
    few = max(MANY_CANDIDATES, MANY_FOR_EACH * documents)
    return few // documents if settings.max_bucket and candidates > few else 0


def first_few(batches: Iterable[pa.RecordBatch], later: str, earlier: str,
              most: int) -> Iterator[pa.RecordBatch]:
    """Rows, sorted by the columns `later` and `earlier`, to those of the first `most` earlier
    documents of each later one. Rows of copies, where both are the same document, stay."""
    last, rank = (None, None), 0
    for batch in batches:
        if len(batch) == 0:
            continue
        position = np.cumsum(any_starts(batch, later, earlier))
        start = np.flatnonzero(any_starts(batch, later))
        position -= np.repeat(position[start], np.diff(start, append=len(batch)))
        columns = batch.column(later), batch.column(earlier)
        if columns[0][0].as_py() == last[0]:
            continued = start[1] if len(start) > 1 else len(batch)
            position[:continued] += rank + (columns[1][0].as_py() != last[1])
        last, rank = tuple(column[-1].as_py() for column in columns), int(position[-1])
        is_copy = flags(pc.equal(*columns))
        yield batch.filter(pa.array((position < most) | is_copy))
