"""Which documents of each cluster are kept; cluster/decide.py has the rule. Each cluster is decided
in a single task, which holds its edges, and also its texts if it is large."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from ..cluster.decide import ROWS, decide, few
from ..cluster.settings import Settings
from ..rules import STAR
from .clusters import Members, by_chunks
from .pairs import Found, counted
from .shuffle import Batches, By, Join, each

IN_ORDER = pa.schema([*ROWS, pa.field("value", pa.binary())])


class Few(beam.PTransform):
    """The pairs that were found, with only the matches that dedup uses."""

    def __init__(self, shards: int) -> None:
        super().__init__()
        self.shards = shards

    def expand(self, found: Found) -> Found:
        return found._replace(pairs=found.pairs | "matches" >> each(matches)
                              | "few" >> By(self.shards, ["b"], ["b", "a"], few))


class Decide(beam.PTransform):
    """(found, originals, texts) to batches of what is removed: id, kept, similarity, cluster."""

    def __init__(self, settings: Settings, shards: int) -> None:
        super().__init__()
        self.settings, self.shards = settings, shards

    def expand(self, inputs: tuple[Found, beam.PCollection, beam.PCollection]) -> beam.PCollection:
        found, originals, texts = inputs
        edges = found.pairs
        for end in ("a", "b"):
            known = originals | f"known by {end}" >> each(prefix_facts, end)
            edges = (known, edges) | f"join {end}" >> Join(self.shards, [end])
        large = (originals | "large" >> each(by_size, True), texts) | "texts" >> Join(
            self.shards, ["original"], ["id"])
        rows = (edges | "direct" >> each(directed),
                originals | "small" >> each(by_size, False) | "rows of small" >> each(in_order),
                large | "rows of large" >> each(in_order, "id")) | "rows" >> beam.Flatten()
        order = ["root", "-value", "best", "earlier"]
        decided = rows | "decide" >> By(self.shards, ["root"], order, decide, self.settings)
        fates = ((originals | "last" >> each(last_chunks), decided) | "fates" >> Join(
            self.shards, ["original"])
            | "chunks" >> each(by_chunks, ["original", "kept", "similarity", "cluster"]))
        return ((found, originals, fates) | "members" >> Members(self.shards)
                | "removed" >> each(removed) | "count" >> each(counted, "removed"))


def matches(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.filter(batch.column("match")).select(["a", "b", "similarity", "match"])


def prefix_facts(batches: Batches, end: str) -> Iterator[pa.RecordBatch]:
    """Renames the columns of originals for an end of an edge, a or b, to join them to edges."""
    for batch in batches:
        names = {"original": end, "value": f"value_{end}", "best": f"best_{end}"}
        names |= {"root": "root"} if end == "a" else {}
        yield batch.select(list(names)).rename_columns(list(names.values()))


def directed(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Matches as edges of the later of two to the earlier."""
    for batch in batches:
        a_first = pc.if_else(pc.equal(batch.column("value_a"), batch.column("value_b")),
                             pc.less(batch.column("best_a"), batch.column("best_b")),
                             pc.greater(batch.column("value_a"), batch.column("value_b")))
        later = {name: pc.if_else(a_first, batch.column(f"{name}b"), batch.column(f"{name}a"))
                 for name in ("", "value_", "best_")}
        earlier = pc.if_else(a_first, batch.column("a"), batch.column("b"))
        yield _in_order(len(batch), root=batch.column("root"), original=later[""],
                        value=later["value_"], best=later["best_"], earlier=earlier,
                        similarity=batch.column("similarity"))


def by_size(batches: Batches, large: bool) -> Iterator[pa.RecordBatch]:
    """The originals of large clusters, or of all others."""
    for batch in batches:
        is_large = pc.greater(batch.column("size"), STAR)
        selected = batch.filter(is_large if large else pc.invert(is_large))
        yield selected.select(["root", "size", "original", "best", "value"])


def in_order(batches: Batches, original: str = "original") -> Iterator[pa.RecordBatch]:
    """Originals, in a column of this name."""
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns))
        yield _in_order(len(batch), **{**columns, "original": columns[original]})


def _in_order(count: int, **columns: pa.Array) -> pa.RecordBatch:
    return pa.record_batch([columns.get(field.name, pa.nulls(count, field.type))
                            for field in IN_ORDER], schema=IN_ORDER)


def last_chunks(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.select(["original", "last", "cluster"]) for batch in batches)


def removed(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        gone = batch.filter(pc.not_equal(batch.column("id"), batch.column("kept")))
        yield gone.select(["id", "kept", "similarity", "cluster"])
