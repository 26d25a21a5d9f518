"""What pairs join, and the numbers of clusters.

Beam has no loop. So edges go through ROUNDS of large_star() and small_star(), which leave little
but stars: ids with one edge, to the middle of their component. What is no star by then, long
chains, goes to one task, which takes a graph of REST edges. More is an error, not a wrong answer.

The order of ids is that of a hash here: a round makes a chain half as long then, where the names
of a chain that are in order would leave every round as many edges as it has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain, groupby, islice

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics

from .. import _core
from ..cluster import clusters as pieces
from ..cluster.columns import batched
from .pairs import Found
from .shuffle import Batches, By, Join, Stage, distinct, each, rows

ROUNDS = 3
REST = 2_000_000  # edges that one task takes: up to 1 GB
SAMPLE = 64  # clusters of a batch, to divide all of them into parts
HASH = 8  # characters before an id

EDGES = pieces.EDGES
LEAVES = pa.schema([*EDGES, pa.field("leaf", pa.bool_(), False)])
LABELS = pa.schema([pa.field("v", pa.string(), False), pa.field("u", pa.string(), False),
                    pa.field("root", pa.string())])
TOLD = pa.schema([
    pa.field("id", pa.string(), False),
    pa.field("root", pa.string()),
    pa.field("copies", pa.int64()),
    pa.field("chunk", pa.int64()),
    pa.field("value", pa.binary()),
    pa.field("best", pa.string()),
])
ORIGINALS = pa.schema([
    pa.field("original", pa.string(), False),
    pa.field("root", pa.string(), False),
    pa.field("copies", pa.int64(), False),
    pa.field("last", pa.int64(), False),  # chunk of them
    pa.field("value", pa.binary()),
    pa.field("best", pa.string()),
])
SIZES = pa.schema([
    pa.field("root", pa.string(), False),
    pa.field("first", pa.string(), False),
    pa.field("size", pa.int64(), False),
])
NUMBERS = pa.schema([
    pa.field("part", pa.int64(), False),
    pa.field("root", pa.string(), False),
    pa.field("size", pa.int64(), False),
    pa.field("cluster", pa.int64(), False),
])


class Number(beam.PTransform):
    """What was found to the originals that are in clusters: ORIGINALS, size, cluster."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, found: Found) -> beam.PCollection:
        edges = found.pairs | "edges" >> each(edges_of)
        originals = ((edges | "components" >> Components(self.shards)
                      | "roots" >> each(facts_of_roots),
                      edges | "ends" >> each(facts_of_ends),
                      found.copies | "copies" >> each(facts_of_copies),
                      found.preferred | "preferred" >> each(facts_of_preferred))
                     | "facts" >> beam.Flatten()
                     | "originals" >> By(self.shards, ["id"], ["id"], gather))
        sizes = originals | "sizes" >> By(self.shards, ["root"], ["root"], add_up)
        return (sizes | "numbers" >> Numbers(self.shards), originals) | "number" >> Join(
            self.shards, ["root"])


def by_chunks(batches: Batches, names: list[str]) -> Iterator[pa.RecordBatch]:
    """These columns of originals, and all chunks of their copies."""
    for batch in batches:
        last = batch.column("last").to_pylist()
        places = [place for place, end in enumerate(last) for _ in range(end + 1)]
        chunks = [chunk for end in last for chunk in range(end + 1)]
        yield batch.select(names).take(pa.array(places, pa.int64())).append_column(
            "chunk", pa.array(chunks, pa.int64()))


class Members(beam.PTransform):
    """(found, originals, rows) to rows with the members of each original, by its chunks. `rows` are
    of originals, with the number of their last chunk."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, inputs: tuple[Found, beam.PCollection, beam.PCollection]) -> beam.PCollection:
        found, originals, described = inputs
        members = ((found.copies | "copies" >> each(members_of_copies),
                    originals | "alone" >> each(members_alone)) | beam.Flatten())
        return ((described, members) | "of chunks" >> Join(self.shards, ["original", "chunk"])
                | "each" >> each(exploded))


def members_of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column(name) for name in ("id", "chunk", "members")],
                              names=["original", "chunk", "members"])


def members_alone(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of originals without copies, themselves."""
    for batch in batches:
        ids = batch.filter(pc.equal(batch.column("copies"), 1)).column("original")
        yield pa.record_batch([ids, pa.array([0] * len(ids), pa.int64()),
                               pa.array(([id] for id in ids.to_pylist()), pa.list_(pa.string()))],
                              names=["original", "chunk", "members"])


def exploded(batches: Batches) -> Iterator[pa.RecordBatch]:
    """A row for each of the members: id, in the place of members."""
    for batch in batches:
        members = batch.column("members")
        others = batch.drop_columns(["original", "chunk", "members"])
        yield others.take(pc.list_parent_indices(members)).append_column("id", members.flatten())


# ---- components

class Components(beam.PTransform):
    """Edges (u, v) to one edge from each id to one of its component, but for that one itself."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, edges: beam.PCollection) -> beam.PCollection:
        edges = edges | "hash" >> each(with_hashes)
        for turn in range(ROUNDS):
            edges = (edges | f"large {turn}" >> each(both_ways)
                     | f"large star {turn}" >> self._by(pieces.large_star)
                     | f"small star {turn}" >> self._by(pieces.small_star))
        seen = edges | "both" >> each(both_ways) | "leaves" >> self._by(tell_leaves)
        rest = (seen | "rest" >> each(of_rest)
                | "one task" >> By(1, ["u"], ["u", "v"], one_task))
        return ((seen | "of leaves" >> each(label_leaves), rest | "of rest" >> each(label_rest))
                | "all" >> beam.Flatten()
                | "labels" >> By(self.shards, ["v"], ["v", "u"], label)
                | "names" >> each(without_hashes))

    def _by(self, stage: Stage) -> By:
        return By(self.shards, ["u"], ["u", "v"], stage, combine=distinct)


def edges_of(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Pairs to the edges (u, v) of their originals, u > v."""
    for batch in batches:
        matches = batch.filter(batch.column("match"))
        yield pa.record_batch([matches.column("b"), matches.column("a")], schema=EDGES)


def with_hashes(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The same by other names, and u > v by these."""
    for batch in batches:
        u, v = (pa.array(map(_hashed, column.to_pylist()), pa.string())
                for column in batch.columns)
        yield pa.record_batch([pc.if_else(pc.greater(u, v), u, v),
                               pc.if_else(pc.greater(u, v), v, u)], schema=EDGES)


def _hashed(id: str) -> str:
    return blake2b(id.encode(), digest_size=HASH // 2).hexdigest() + id


def without_hashes(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([pa.array((id[HASH:] for id in column.to_pylist()), pa.string())
                               for column in batch.columns], schema=EDGES)


def both_ways(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch
        yield pa.record_batch([batch.column("v"), batch.column("u")], schema=EDGES)


def tell_leaves(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Edges in both directions, by u and v, to those with u > v, and whether u has no other."""
    return batched(_leaves(rows(batches)), LEAVES)


def _leaves(edges: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    for u, its in groupby(edges, lambda row: row[0]):
        some = list(islice(its, 2))
        for _, v in chain(some, its):
            if v < u:
                yield u, v, len(some) == 1


def of_rest(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.filter(pc.invert(batch.column("leaf"))).select(["u", "v"]) for batch in batches)


def one_task(batches: Batches) -> Iterator[pa.RecordBatch]:
    return pieces.union_find(_no_more(batches, REST))


def _no_more(batches: Batches, most: int) -> Iterator[pa.RecordBatch]:
    seen = 0
    for batch in batches:
        seen += batch.num_rows
        if seen > most:
            raise _core.Error(f"clusters are chains so long that more than {most:,} of their edges "
                              f"are left after {ROUNDS} rounds; take a higher threshold, or "
                              "twinset.spark, which goes on as long as it takes")
        yield batch


def label_leaves(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        leaves = batch.filter(batch.column("leaf"))
        yield pa.record_batch([leaves.column("v"), leaves.column("u"),
                               pa.nulls(len(leaves), pa.string())], schema=LABELS)


def label_rest(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column("u"), pa.array([""] * len(batch), pa.string()),
                               batch.column("v")], schema=LABELS)


def label(batches: Batches) -> Iterator[pa.RecordBatch]:
    """(v, u, root) by v and u to (u, root). The row with an empty u, if there is one, comes first
    and has the root of v; without one that is v itself."""
    return batched(_labels(rows(batches)), EDGES)


def _labels(labels: Iterator[tuple[str, str, str | None]]) -> Iterator[tuple[str, str]]:
    for v, same in groupby(labels, lambda row: row[0]):
        root = v
        for _, u, known in same:
            root = known or root
            yield u or v, root


# ---- originals: rows of several kinds, by id

def _facts(count: int, **columns: pa.Array) -> pa.RecordBatch:
    return pa.record_batch([columns.get(field.name, pa.nulls(count, field.type))
                            for field in TOLD], schema=TOLD)


def facts_of_roots(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (_facts(len(batch), id=batch.column("u"), root=batch.column("v")) for batch in batches)


def facts_of_ends(batches: Batches) -> Iterator[pa.RecordBatch]:
    """That documents are in a pair, which nothing else says of the root of a component."""
    for batch in batches:
        ends = pc.unique(pa.concat_arrays(batch.columns))
        yield _facts(len(ends), id=ends)


def facts_of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _facts(len(batch), id=batch.column("id"), chunk=batch.column("chunk"),
                    copies=pc.cast(pc.list_value_length(batch.column("members")), pa.int64()))


def facts_of_preferred(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _facts(len(batch), **dict(zip(batch.schema.names, batch.columns)))


def gather(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Facts, by id, to ORIGINALS, without those that are in no cluster."""
    return batched(_gathered(rows(batches)), ORIGINALS)


def _gathered(facts: Iterator[tuple]) -> Iterator[tuple]:
    for id, same in groupby(facts, lambda row: row[0]):
        root, copies, last, value, best, clustered = id, 0, 0, None, None, False
        for _, its_root, count, chunk, its_value, its_best in same:
            root = root if its_root is None else its_root  # an id may be empty
            copies, last = copies + (count or 0), max(last, chunk or 0)
            value, best = (value, best) if its_best is None else (its_value, its_best)
            clustered = clustered or its_best is None
        if clustered:
            yield id, root, copies or 1, last, value, best


# ---- numbers

class Numbers(beam.PTransform):
    """SIZES to (root, size, cluster): numbers from 1, the largest first, then by first member.

    Clusters are divided into parts, each of clusters that follow each other.
    """

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, sizes: beam.PCollection) -> beam.PCollection:
        sample = sizes | "sample" >> beam.FlatMap(sampled).with_output_types(tuple[int, str])
        placed = (sizes | "part" >> beam.FlatMap(parted, beam.pvalue.AsList(sample), self.shards)
                  .with_output_types(pa.RecordBatch)
                  | "place" >> By(self.shards, ["part"], ["part", "order", "first"], place))
        counts = (placed | "count" >> beam.FlatMap(counts_of).with_output_types(tuple[int, int])
                  | "add" >> beam.CombinePerKey(sum))
        return placed | "number" >> beam.FlatMap(
            numbered, beam.pvalue.AsList(counts)).with_output_types(pa.RecordBatch)


def add_up(batches: Batches) -> Iterator[pa.RecordBatch]:
    """ORIGINALS by root to SIZES."""
    return batched(_sizes(rows(batches, "root", "original", "copies")), SIZES)


def _sizes(originals: Iterator[tuple[str, str, int]]) -> Iterator[tuple[str, str, int]]:
    for root, same in groupby(originals, lambda row: row[0]):
        first, size = root, 0
        for _, original, copies in same:
            first, size = min(first, original), size + copies
        yield root, first, size


def sampled(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """Some of the clusters, as they are ordered."""
    return islice(_ordered(batch), 0, None, len(batch) // SAMPLE + 1)


def _ordered(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    return zip(pc.negate(batch.column("size")).to_pylist(), batch.column("first").to_pylist())


def parted(batch: pa.RecordBatch, sample: list[tuple[int, str]],
           parts: int) -> Iterator[pa.RecordBatch]:
    """SIZES with their parts: the sample says where these begin."""
    begins = sorted(sample)[::len(sample) // parts + 1]
    part = [bisect_right(begins, one) for one in _ordered(batch)]
    yield batch.append_column("part", pa.array(part, pa.int64())).append_column(
        "order", pc.negate(batch.column("size")))


def place(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Clusters in order to NUMBERS, counted from 1 in each part."""
    by_part = groupby(rows(batches, "part", "root", "size"), lambda row: row[0])
    return batched(((*row, number) for _, same in by_part
                    for number, row in enumerate(same, 1)), NUMBERS)


def counts_of(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    for row in pc.value_counts(batch.column("part")).to_pylist():
        yield row["values"], row["counts"]


def numbered(batch: pa.RecordBatch, counts: list[tuple[int, int]]) -> Iterator[pa.RecordBatch]:
    before, all = {}, 0
    for part, count in sorted(counts):
        before[part] = all
        all += count
    offsets = pa.array(map(before.get, batch.column("part").to_pylist()), pa.int64())
    cluster = pc.add(batch.column("cluster"), offsets)
    yield batch.select(["root", "size"]).append_column("cluster", cluster)
    Metrics.counter("twinset", "clusters").inc(len(batch))
