"""Clusters: the connected components of pairs, and their numbers.

By Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, Connected Components in MapReduce and
Beyond (2014): large_star() and small_star() alternate until nothing changes; then each id has one
edge, to the lowest id of its component. That takes about log n rounds of two sorts. A graph
that fits into one task needs one round, by union_find().
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from .columns import batched, lengths, starts
from .settings import Settings
from .spill import hold
from .verify import FIELDS, verify

SMALL = 500_000  # edges that one task takes: up to 250 MB

PAIRS = pa.schema([pa.field("a", pa.string()), pa.field("b", pa.string()),
                   *(pa.field(name, kind) for name, kind in FIELDS.items()),
                   pa.field("cluster", pa.int64())])
NUMBERS = pa.schema([pa.field("original", pa.string(), False),
                     pa.field("root", pa.string(), False), pa.field("size", pa.int64(), False),
                     pa.field("cluster", pa.int64(), False)])
EDGES = pa.schema([pa.field("u", pa.string(), False), pa.field("v", pa.string(), False)])


def large_star(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges (u, v) in both directions, by u and v: connects larger neighbours to the least
    one."""
    for u, v, least in _with_least(batches):
        least = pc.if_else(pc.less(u, least), u, least)
        larger = pc.greater(v, u)
        yield _edges(v.filter(larger), least.filter(larger))


def small_star(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges (u, v) with u > v, by u and v: connects u and its neighbours to the least one."""
    for u, v, least in _with_least(batches):
        first = pc.equal(v, least)
        yield _edges(pc.if_else(first, u, v), least)


def _with_least(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.Array, pa.Array, pa.Array]]:
    """u, v, and the least v of each u, which is its first."""
    last = least = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        u, v = batch.column("u"), batch.column("v")
        first = pc.fill_null_forward(pc.if_else(starts(u, last), v, None))
        if first.null_count:
            first = pc.fill_null(first, least)
        last, least = u[-1], first[-1]
        yield u, v, first


def _edges(u: pa.Array, v: pa.Array) -> pa.RecordBatch:
    return pa.record_batch([u, v], schema=EDGES)


def union_find(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All edges (u, v) of a graph, in any order, to one edge (id, lowest id of its component)
    for each id that is not the lowest."""
    parents: dict[str, str] = {}
    for batch in batches:
        for u, v in zip(batch.column("u").to_pylist(), batch.column("v").to_pylist()):
            _join(parents, u, v)
    return batched(((id, _root(parents, id)) for id in list(parents)), EDGES)


def _join(parents: dict[str, str], u: str, v: str) -> None:
    u, v = _root(parents, u), _root(parents, v)
    if u != v:
        parents[max(u, v)] = min(u, v)


def _root(parents: dict[str, str], id: str) -> str:
    root = id
    while root in parents:
        root = parents[root]
    while id != root:  # shortens the path for the next search
        parents[id], id = root, parents[id]
    return root


def number_all(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """(u, v, copies) to the NUMBERS of all originals in clusters, in one task. Rows are edges,
    or, if v is null, identical documents of u, whose numbers are added."""
    parents: dict[str, str] = {}
    copies: Counter[str] = Counter()  # none: the document itself
    for batch in batches:
        for u, v, count in zip(*(batch.column(name).to_pylist() for name in ("u", "v", "copies"))):
            copies[u] += count or 0
            if v is not None:
                copies[v] += 0
                _join(parents, u, v)
    sizes: Counter[str] = Counter()
    for id, count in copies.items():
        sizes[_root(parents, id)] += count or 1
    order = sorted(sizes, key=lambda root: (-sizes[root], root))
    numbers = {root: number for number, root in enumerate(order, 1)}
    found = ((id, root, sizes[root], numbers[root])
             for id in copies for root in (_root(parents, id),))
    return batched(found, NUMBERS)


def number_pairs(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """All rows of verify(), in one task, to PAIRS with their clusters."""
    edges: list[pa.RecordBatch] = []

    def noted() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            copies = batch.filter(pc.is_valid(batch.column("members")))
            edges.append(_edges_of(copies.column("id"), None, copies.column("members")))
            yield batch

    held = []
    for pairs in hold(verify(noted(), settings)):
        matches = pairs.filter(pairs.column("match"))
        edges.append(_edges_of(matches.column("b"), matches.column("a"), None))
        held.append(pairs)
    numbers = pa.Table.from_batches(number_all(edges), NUMBERS).combine_chunks()
    for pairs in held:
        found = pc.index_in(pairs.column("original"), numbers.column("original"))
        cluster = pa.concat_arrays(numbers.column("cluster").take(found).chunks)
        yield pa.record_batch([*pairs.select(PAIRS.names[:-1]).columns, cluster], schema=PAIRS)


def _edges_of(u: pa.Array, v: pa.Array | None, members: pa.Array | None) -> pa.RecordBatch:
    """Rows of number_all()."""
    return pa.record_batch({
        "u": u, "v": pa.nulls(len(u), pa.string()) if v is None else v,
        "copies": pa.nulls(len(u), pa.int64()) if members is None else lengths(members)})


def number(batches: Iterable[pa.RecordBatch],
           before: Mapping[int, int]) -> Iterator[pa.RecordBatch]:
    """(part, root, size), in the order of their numbers, to (root, size, cluster).

    `before` has the number of clusters before the first of each part.
    """
    seen: dict[int, int] = {}
    for batch in batches:
        numbers = []
        for part in batch.column("part").to_pylist():
            seen[part] = seen.get(part, 0) + 1
            numbers.append(before[part] + seen[part])
        yield pa.record_batch({"root": batch.column("root"), "size": batch.column("size"),
                               "cluster": pa.array(numbers, pa.int64())})
