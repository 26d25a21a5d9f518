"""What is kept of documents that resemble each other.

Documents come in an order of preference; one is removed if it resembles one before it that is
kept. Edges lead from the later of two to the earlier, so there is no circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from .columns import batched

DECIDED = pa.schema([pa.field("id", pa.string(), False), pa.field("kept", pa.bool_(), False)])


def decide(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All edges (later, earlier) of a graph, in any order, to (id, kept) of all its ids."""
    before: dict[str, list[str]] = {}
    for batch in batches:
        for later, earlier in zip(batch.column("later").to_pylist(),
                                  batch.column("earlier").to_pylist()):
            before.setdefault(later, []).append(earlier)
            before.setdefault(earlier, [])
    return batched(_kept(before).items(), DECIDED)


def _kept(before: dict[str, list[str]]) -> dict[str, bool]:
    """Kept is what has nothing kept before it. By a stack: chains may be long."""
    kept: dict[str, bool] = {}
    for id in before:
        stack = [id]
        while stack:
            top = stack[-1]
            unknown = [other for other in before[top] if other not in kept]
            if unknown and not any(kept.get(other) for other in before[top]):
                stack.extend(unknown)
                continue
            kept[top] = not any(kept.get(other) for other in before[top])
            stack.pop()
    return kept
