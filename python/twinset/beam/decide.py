"""What is kept of each cluster, by the rule of `twinset dedup`: documents come in an order of
preference, and one is removed if it resembles one that is kept, the most similar of these.
Identical documents are decided on as one.

A cluster is decided on in one task, which takes MOST pairs of originals.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from ..cluster.decide import decide
from ..cluster.columns import batched
from .clusters import Members, by_chunks
from .pairs import Found, counted
from .shuffle import Batches, By, Join, each, rows

MOST = 5_000_000  # pairs of a cluster: up to 2 GB

EDGES = pa.schema([
    pa.field("root", pa.string(), False),
    pa.field("later", pa.string(), False),
    pa.field("earlier", pa.string(), False),
    pa.field("similarity", pa.float64(), False),
    pa.field("value", pa.binary(), False),  # of the earlier
    pa.field("best", pa.string(), False),
])
FATES = pa.schema([
    pa.field("original", pa.string(), False),
    pa.field("last", pa.int64()),
    pa.field("cluster", pa.int64()),
    pa.field("kept", pa.string(), False),
    pa.field("similarity", pa.float64()),
])


class Decide(beam.PTransform):
    """(found, originals) to batches of what is removed: id, kept, similarity, cluster."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, inputs: tuple[Found, beam.PCollection]) -> beam.PCollection:
        found, originals = inputs
        edges = found.pairs | "matches" >> each(matches)
        for end in ("a", "b"):
            known = originals | f"known by {end}" >> each(known_by, end)
            edges = (known, edges) | f"join {end}" >> Join(self.shards, [end])
        gone = (edges | "direct" >> each(directed)
                | "decide" >> By(self.shards, ["root"], ["root"], settle))
        fates = ((originals | "stay" >> each(staying), gone) | "fates" >> beam.Flatten()
                 | "fate" >> By(self.shards, ["original"], ["original"], fate)
                 | "chunks" >> each(by_chunks, ["original", "kept", "similarity", "cluster"]))
        return ((found, originals, fates) | "members" >> Members(self.shards)
                | "removed" >> each(removed) | "count" >> each(counted, "removed"))


def matches(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.filter(batch.column("match")).select(["a", "b", "similarity"])


def known_by(batches: Batches, end: str) -> Iterator[pa.RecordBatch]:
    """What is known of originals, by names of an end of an edge."""
    for batch in batches:
        names = {"original": end, "value": f"value_{end}", "best": f"best_{end}"}
        names |= {"root": "root"} if end == "a" else {}
        yield batch.select(list(names)).rename_columns(list(names.values()))


def directed(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Matches to EDGES."""
    for batch in batches:
        a, b, similarity, value_a, best_a, root, value_b, best_b = (
            batch.column(name) for name in ("a", "b", "similarity", "value_a", "best_a", "root",
                                            "value_b", "best_b"))
        a_first = pc.if_else(pc.equal(value_a, value_b), pc.less(best_a, best_b),
                             pc.greater(value_a, value_b))
        yield pa.record_batch([root, pc.if_else(a_first, b, a), pc.if_else(a_first, a, b),
                               similarity, pc.if_else(a_first, value_a, value_b),
                               pc.if_else(a_first, best_a, best_b)], schema=EDGES)


def settle(batches: Batches) -> Iterator[pa.RecordBatch]:
    """EDGES by root to the FATES of the originals that go."""
    return batched((row for root, edges in groupby(rows(batches), lambda row: row[0])
                    for row in _gone(root, edges)), FATES)


def _gone(root: str, all: Iterator[tuple]) -> Iterator[tuple]:
    edges = list(islice(all, MOST))
    if next(all, None):
        raise _core.Error(f"the cluster of '{root}' has more than {MOST:,} pairs, which one task "
                          "decides on; take a higher threshold, or twinset.spark")
    _, later, earlier, *_ = zip(*edges)
    graph = pa.record_batch({"later": pa.array(later), "earlier": pa.array(earlier)})
    kept = {id for id, stays in rows(decide([graph])) if stays}
    nearest: dict[str, tuple] = {}
    for _, later, earlier, similarity, value, best in edges:
        if earlier in kept and later not in kept:
            nearest[later] = _nearer(nearest.get(later), (similarity, value, best))
    for original, (similarity, _, best) in nearest.items():
        yield original, None, None, best, similarity


def _nearer(one: tuple | None, other: tuple) -> tuple:
    """The more similar; then the one that goes before."""
    if one is None or other[:2] > one[:2] or (other[:2] == one[:2] and other[2] < one[2]):
        return other
    return one


def staying(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The FATES of originals if nothing else is known."""
    for batch in batches:
        yield pa.record_batch([batch.column(name) for name in ("original", "last", "cluster",
                                                               "best")]
                              + [pa.nulls(len(batch), pa.float64())], schema=FATES)


def fate(batches: Batches) -> Iterator[pa.RecordBatch]:
    """FATES by original, one or two each, to one."""
    by_original = groupby(rows(batches), lambda row: row[0])
    return batched((_fate(list(same)) for _, same in by_original), FATES)


def _fate(told: list[tuple]) -> tuple:
    [(original, last, cluster, best, _)] = (row for row in told if row[1] is not None)
    for _, _, _, kept, similarity in told:
        if similarity is not None:
            return original, last, cluster, kept, similarity
    return original, last, cluster, best, 1.0


def removed(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        gone = batch.filter(pc.not_equal(batch.column("id"), batch.column("kept")))
        yield gone.select(["id", "kept", "similarity", "cluster"])
