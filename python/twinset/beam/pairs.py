"""Documents to pairs; docs/cluster.md explains the steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics

from ..cluster.candidates import candidates
from ..cluster.columns import batched, starts
from ..cluster.limit import first_few, most_matches
from ..cluster.needs import needs
from ..cluster.originals import originals
from ..cluster.settings import Settings
from ..cluster.verify import verify
from ..rules import KEEP_LONGEST
from .documents import Unique, look
from .shuffle import Batches, By, Join, each, rows

PARTS = 1024  # of the records of buckets
CANDIDATES = Metrics.counter("twinset", "candidates")
TOTALS = pa.schema([pa.field("candidates", pa.int64()), pa.field("documents", pa.int64())])
PREFERRED = pa.schema([
    pa.field("id", pa.string(), False),
    pa.field("value", pa.binary(), False),
    pa.field("best", pa.string(), False),
])


class Found(NamedTuple):
    """Batches of what was found."""

    copies: beam.PCollection     # id, chunk, members
    preferred: beam.PCollection  # id, value, best: of each original, the copy that goes first
    pairs: beam.PCollection      # as cluster/verify.py has them


class Find(beam.PTransform):
    """Batches of texts to the pairs of similar ones. `keep`: which copies are preferred (see
    decide.py), or None."""

    def __init__(self, settings: Settings, shards: int, duplicates: str,
                 keep: str | None = None) -> None:
        super().__init__()
        self.settings, self.shards = settings, shards
        self.duplicates, self.keep = duplicates, keep

    def expand(self, texts: beam.PCollection) -> Found:
        looked = (texts, texts | "look" >> each(look, self.settings)) | "unique" >> Unique(
            self.shards, self.duplicates)
        grouped = looked | "same" >> By(self.shards, ["identity"], ["identity", "id"],
                                        find_originals, self.settings, self.keep)
        met = self._met(grouped | "records" >> each(with_column, "packed"))
        asked, totals = (met | f"with {column}" >> each(with_column, column)
                         for column in ("partners", "candidates"))
        fetched = (asked, texts | "texts" >> each(without_values)) | "fetch" >> Join(
            self.shards, ["id"])
        pairs = (fetched
                 | "verify" >> By(self.shards, ["family", "chunk"], ["family", "chunk", "id"],
                                  verify, self.settings))
        pairs = self._limited(pairs, totals) | "count pairs" >> each(counted, "pairs")
        return Found(asked | "copies" >> each(of_copies),
                     grouped | "preferred" >> each(with_column, "best"), pairs)

    def _met(self, records: beam.PCollection) -> beam.PCollection:
        return (records
                | "candidates" >> By(self.shards, ["part"], ["part"], candidates,
                                     self.settings)
                | "needs" >> By(self.shards, ["id"], ["id", "family", "chunk"], needs_and_totals))

    def _limited(self, pairs: beam.PCollection, totals: beam.PCollection) -> beam.PCollection:
        """Limits each document to its first matches if there are very many candidates."""
        totals = (totals | "totals" >> beam.FlatMap(lambda batch: rows([batch]))
                  | "all" >> beam.CombineGlobally(lambda counts: tuple(
                      map(sum, zip(*counts))) or (0, 0)))
        most = beam.pvalue.AsSingleton(totals | "most" >> beam.Map(
            lambda total, settings: most_matches(*total, settings), self.settings))
        limited = (pairs | "of many" >> beam.FlatMap(
            lambda batch, most: [with_most(batch, most)] if most else [], most).with_output_types(
                pa.RecordBatch)
            | "few" >> By(self.shards, ["original"], ["original", "first"], limit_matches))
        usual = pairs | "of few" >> beam.FlatMap(
            lambda batch, most: [] if most else [batch], most).with_output_types(pa.RecordBatch)
        return (usual, limited) | "of both" >> beam.Flatten()


def find_originals(batches: Batches, settings: Settings,
                   keep: str | None) -> Iterator[pa.RecordBatch]:
    """(id, identity, buckets, value) by identity and id to batches of two kinds: originals and
    their copies; and the preferred ones."""
    if keep is None:
        yield from originals(batches, settings, PARTS)
        return
    preferred = Preferred(keep)
    for made in originals(preferred.watch(batches), settings, PARTS):
        yield made
        yield from preferred.flush()
    preferred.end()
    yield from preferred.flush()


class Preferred:
    """Finds the preferred id of each run: the first with the largest value."""

    def __init__(self, keep: str) -> None:
        self.longest = keep == KEEP_LONGEST
        self.identity: bytes | None = None
        self.rows: list[tuple[str, bytes, str]] = []

    def watch(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Yields batches unchanged, and reads their rows."""
        for batch in batches:
            for row in rows([batch], "identity", "id", "value"):
                self._add(*row)
            yield batch

    def _add(self, identity: bytes, id: str, value: bytes | None) -> None:
        if self.longest:
            value = identity[16:]  # its tokens, the largest byte first
        value = value or b""
        if identity != self.identity:
            self.end()
            self.identity, self.original, self.best, self.value = identity, id, id, value
        elif value > self.value:
            self.best, self.value = id, value

    def end(self) -> None:
        """Ends the last run."""
        if self.identity is not None:
            self.rows.append((self.original, self.value, self.best))

    def flush(self) -> Iterator[pa.RecordBatch]:
        flushed, self.rows = self.rows, []
        return batched(flushed, PREFERRED)


def with_column(batches: Batches, column: str) -> Iterator[pa.RecordBatch]:
    """The batches that have a column."""
    return (batch for batch in batches if column in batch.schema.names)


def without_values(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.select(["id", "text"]) for batch in batches)


def counted(batches: Batches, name: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        Metrics.counter("twinset", name).inc(batch.num_rows)
        yield batch


def needs_and_totals(batches: Batches) -> Iterator[pa.RecordBatch]:
    """What needs() gives, then a row of TOTALS."""
    documents = candidates = 0
    last = None
    for batch in needs(batches):
        later = batch.column("id").filter(pc.is_valid(batch.column("partners")))
        if len(later):
            documents += pc.sum(starts(later, last)).as_py()
            last = later[-1]
        candidates += pc.sum(pc.list_value_length(batch.column("partners"))).as_py() or 0
        yield batch
    CANDIDATES.inc(candidates)
    yield from batched([(candidates, documents)], TOTALS)


def with_most(batch: pa.RecordBatch, most: int) -> pa.RecordBatch:
    return batch.append_column("most", pa.array([most] * len(batch), pa.int64()))


def limit_matches(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Pairs by original and first, with as many matches of each original as `most` says."""
    batches = iter(batches)
    for batch in batches:
        rest = (pairs.drop_columns("most") for pairs in chain([batch], batches))
        yield from first_few(rest, "original", "first", batch.column("most")[0].as_py())


def of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The rows of copies among needs."""
    for batch in batches:
        yield batch.filter(pc.is_valid(batch.column("members"))).select(["id", "chunk", "members"])
