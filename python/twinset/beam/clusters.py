"""The clusters of pairs, and their numbers.

Beam has no loop. So edges go through ROUNDS of large_star() and small_star(), which leave mostly
stars: ids with one edge, to the centre of their component. Other edges, of long chains, go to a
single task, which takes a graph of REST edges. More edges are an error, not a wrong result.

Ids are ordered by a hash: then a round halves the length of a chain, while a chain whose ids are in
order would keep all its edges in every round.
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
from ..cluster import clusters as steps
from ..cluster.columns import batched
from .pairs import Found
from .shuffle import Batches, By, Join, Stage, distinct, each, rows

ROUNDS = 3
REST = 2_000_000  # edges that one task takes: up to 1 GB
SAMPLE = 64  # clusters of a batch, to divide all of them into parts
HASH = 8  # characters before an id

EDGES = steps.EDGES
LEAVES = pa.schema([*EDGES, pa.field("leaf", pa.bool_(), False)])
LABELS = pa.schema([pa.field("v", pa.string(), False), pa.field("u", pa.string(), False),
                    pa.field("root", pa.string())])
DECISIONS = pa.schema([
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
    """A Found to the originals that are in clusters: ORIGINALS, size, cluster."""

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
                     | "originals" >> By(self.shards, ["id"], ["id"], merge_facts))
        sizes = originals | "sizes" >> By(self.shards, ["root"], ["root"], add_up)
        return (sizes | "numbers" >> Numbers(self.shards), originals) | "number" >> Join(
            self.shards, ["root"])


def by_chunks(batches: Batches, names: list[str]) -> Iterator[pa.RecordBatch]:
    """The named columns of originals, with a row for each chunk of their copies."""
    for batch in batches:
        last = batch.column("last").to_pylist()
        indices = [index for index, end in enumerate(last) for _ in range(end + 1)]
        chunks = [chunk for end in last for chunk in range(end + 1)]
        yield batch.select(names).take(pa.array(indices, pa.int64())).append_column(
            "chunk", pa.array(chunks, pa.int64()))


class Members(beam.PTransform):
    """(found, originals, rows) to rows with the members of each original, by its chunks. `rows` has
    a row for each original, with the number of its last chunk."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, inputs: tuple[Found, beam.PCollection, beam.PCollection]) -> beam.PCollection:
        found, originals, described = inputs
        members = ((found.copies | "copies" >> each(members_of_copies),
                    originals | "alone" >> each(members_alone)) | beam.Flatten())
        return ((described, members) | "of chunks" >> Join(self.shards, ["original", "chunk"])
                | "each" >> each(explode))


def members_of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column(name) for name in ("id", "chunk", "members")],
                              names=["original", "chunk", "members"])


def members_alone(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The members of originals without copies: themselves."""
    for batch in batches:
        ids = batch.filter(pc.equal(batch.column("copies"), 1)).column("original")
        yield pa.record_batch([ids, pa.array([0] * len(ids), pa.int64()),
                               pa.array(([id] for id in ids.to_pylist()), pa.list_(pa.string()))],
                              names=["original", "chunk", "members"])


def explode(batches: Batches) -> Iterator[pa.RecordBatch]:
    """A row for each member, with the column id in place of members."""
    for batch in batches:
        members = batch.column("members")
        others = batch.drop_columns(["original", "chunk", "members"])
        yield others.take(pc.list_parent_indices(members)).append_column("id", members.flatten())


# ---- components

class Components(beam.PTransform):
    """Edges (u, v) to an edge from each id to the root of its component, except from the root."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, edges: beam.PCollection) -> beam.PCollection:
        edges = edges | "hash" >> each(with_hashes)
        for turn in range(ROUNDS):
            edges = (edges | f"large {turn}" >> each(both_ways)
                     | f"large star {turn}" >> self._by(steps.large_star)
                     | f"small star {turn}" >> self._by(steps.small_star))
        seen = edges | "both" >> each(both_ways) | "leaves" >> self._by(mark_leaves)
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
    """Edges with hashes in front of ids, and u > v in their order."""
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


def mark_leaves(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Edges in both directions, by u and v, to those with u > v, and whether u has no other."""
    return batched(_leaves(rows(batches)), LEAVES)


def _leaves(edges: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    for u, group in groupby(edges, lambda row: row[0]):
        first_two = list(islice(group, 2))
        for _, v in chain(first_two, group):
            if v < u:
                yield u, v, len(first_two) == 1


def of_rest(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.filter(pc.invert(batch.column("leaf"))).select(["u", "v"]) for batch in batches)


def one_task(batches: Batches) -> Iterator[pa.RecordBatch]:
    return steps.union_find(_no_more(batches, REST))


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
    and has the root of v. Without such a row, v is its own root."""
    return batched(_labels(rows(batches)), EDGES)


def _labels(labels: Iterator[tuple[str, str, str | None]]) -> Iterator[tuple[str, str]]:
    for v, group in groupby(labels, lambda row: row[0]):
        root = v
        for _, u, known in group:
            root = known or root
            yield u or v, root


# ---- originals: rows of several kinds, by id

def _facts(count: int, **columns: pa.Array) -> pa.RecordBatch:
    return pa.record_batch([columns.get(field.name, pa.nulls(count, field.type))
                            for field in DECISIONS], schema=DECISIONS)


def facts_of_roots(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (_facts(len(batch), id=batch.column("u"), root=batch.column("v")) for batch in batches)


def facts_of_ends(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Facts that documents are in a pair. No other fact says so of the root of a component."""
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


def merge_facts(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Facts, by id, to ORIGINALS, without those that are in no cluster."""
    return batched(_gathered(rows(batches)), ORIGINALS)


def _gathered(facts: Iterator[tuple]) -> Iterator[tuple]:
    for id, group in groupby(facts, lambda row: row[0]):
        root, copies, last, value, best, clustered = id, 0, 0, None, None, False
        for _, fact_root, count, chunk, fact_value, fact_best in group:
            root = root if fact_root is None else fact_root  # an id may be empty
            copies, last = copies + (count or 0), max(last, chunk or 0)
            value, best = (value, best) if fact_best is None else (fact_value, fact_best)
            clustered = clustered or fact_best is None
        if clustered:
            yield id, root, copies or 1, last, value, best


# ---- numbers

class Numbers(beam.PTransform):
    """SIZES to (root, size, cluster): numbers from 1, the largest first, then by first member.

    Clusters are sorted and divided into parts, so that each part is numbered by one task.
    """

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, sizes: beam.PCollection) -> beam.PCollection:
        sample = sizes | "sample" >> beam.FlatMap(draw_sample).with_output_types(tuple[int, str])
        in_parts = (sizes
                    | "part" >> beam.FlatMap(with_parts, beam.pvalue.AsList(sample), self.shards)
                    .with_output_types(pa.RecordBatch)
                    | "place" >> By(self.shards, ["part"], ["part", "order", "first"],
                                    number_parts))
        counts = (in_parts | "count" >> beam.FlatMap(counts_of).with_output_types(tuple[int, int])
                  | "add" >> beam.CombinePerKey(sum))
        return in_parts | "number" >> beam.FlatMap(
            numbered, beam.pvalue.AsList(counts)).with_output_types(pa.RecordBatch)


def add_up(batches: Batches) -> Iterator[pa.RecordBatch]:
    """ORIGINALS by root to SIZES."""
    return batched(_sizes(rows(batches, "root", "original", "copies")), SIZES)


def _sizes(originals: Iterator[tuple[str, str, int]]) -> Iterator[tuple[str, str, int]]:
    for root, group in groupby(originals, lambda row: row[0]):
        first, size = root, 0
        for _, original, copies in group:
            first, size = min(first, original), size + copies
        yield root, first, size


def draw_sample(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """A sample of the clusters, by their order."""
    return islice(_ordered(batch), 0, None, len(batch) // SAMPLE + 1)


def _ordered(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    return zip(pc.negate(batch.column("size")).to_pylist(), batch.column("first").to_pylist())


def with_parts(batch: pa.RecordBatch, sample: list[tuple[int, str]],
               parts: int) -> Iterator[pa.RecordBatch]:
    """SIZES with a column of the part, whose bounds come from the sample."""
    begins = sorted(sample)[::len(sample) // parts + 1]
    part = [bisect_right(begins, key) for key in _ordered(batch)]
    yield batch.append_column("part", pa.array(part, pa.int64())).append_column(
        "order", pc.negate(batch.column("size")))


def number_parts(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Clusters, by part and in order, to NUMBERS, counted from 1 in each part."""
    by_part = groupby(rows(batches, "part", "root", "size"), lambda row: row[0])
    return batched(((*row, number) for _, group in by_part
                    for number, row in enumerate(group, 1)), NUMBERS)


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
