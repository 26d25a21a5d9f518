"""From documents to pairs: docs/cluster.md explains the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics

from ..cluster.candidates import candidates
from ..cluster.columns import batched
from ..cluster.needs import needs
from ..cluster.originals import originals
from ..cluster.settings import Settings
from ..cluster.verify import verify
from ..rules import KEEP_LONGEST
from .documents import Unique, look
from .shuffle import Batches, By, Join, distinct, each, rows, together

PARTS = 1024  # of the records of buckets
CANDIDATES = Metrics.counter("twinset", "candidates")
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
        same = looked | "same" >> By(self.shards, ["identity"], ["identity", "id"], tell_apart,
                                     self.settings, self.keep)
        asked = self._asked(same | "records" >> each(only, "packed"))
        fetched = (asked, texts | "texts" >> each(without_values)) | "fetch" >> Join(
            self.shards, ["id"], prepare=ask)
        pairs = (fetched
                 | "verify" >> By(self.shards, ["family", "chunk"], ["family", "chunk", "id"],
                                  verify, self.settings)
                 | "count pairs" >> each(counted, "pairs"))
        return Found(asked | "copies" >> each(of_copies),
                     same | "preferred" >> each(only, "best"), pairs)

    def _asked(self, records: beam.PCollection) -> beam.PCollection:
        return (records
                | "candidates" >> By(self.shards, ["part"], ["part"], candidates,
                                     self.settings)
                | "needs" >> By(self.shards, ["id"], ["id", "family", "chunk"], needs)
                | "count candidates" >> each(count_candidates))


def tell_apart(batches: Batches, settings: Settings, keep: str | None) -> Iterator[pa.RecordBatch]:
    """(id, identity, buckets, value) by identity and id to batches of two kinds: originals and
    their copies; which of these are preferred."""
    if keep is None:
        yield from originals(batches, settings, PARTS)
        return
    preferred = Preferred(keep)
    for made in originals(preferred.beside(batches), settings, PARTS):
        yield made
        yield from preferred.flush()
    preferred.end()
    yield from preferred.flush()


class Preferred:
    """Of each run, the id that goes first: the first of those with the largest value."""

    def __init__(self, keep: str) -> None:
        self.longest = keep == KEEP_LONGEST
        self.identity: bytes | None = None
        self.rows: list[tuple[str, bytes, str]] = []

    def beside(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """The same batches, which it looks at."""
        for batch in batches:
            for row in rows([batch], "identity", "id", "value"):
                self._see(*row)
            yield batch

    def _see(self, identity: bytes, id: str, value: bytes | None) -> None:
        if self.longest:
            value = identity[16:]  # its tokens, the largest byte first
        value = value or b""
        if identity != self.identity:
            self.end()
            self.identity, self.original, self.best, self.value = identity, id, id, value
        elif value > self.value:
            self.best, self.value = id, value

    def end(self) -> None:
        """No more comes of the last run."""
        if self.identity is not None:
            self.rows.append((self.original, self.value, self.best))

    def flush(self) -> Iterator[pa.RecordBatch]:
        flushed, self.rows = self.rows, []
        return batched(flushed, PREFERRED)


def only(batches: Batches, column: str) -> Iterator[pa.RecordBatch]:
    """Those that have such a column."""
    return (batch for batch in batches if column in batch.schema.names)


def without_values(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.select(["id", "text"]) for batch in batches)


def counted(batches: Batches, name: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        Metrics.counter("twinset", name).inc(batch.num_rows)
        yield batch


def count_candidates(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        CANDIDATES.inc(pc.sum(pc.list_value_length(batch.column("partners"))).as_py() or 0)
        yield batch


def of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The copies of what is asked for."""
    for batch in batches:
        yield batch.filter(pc.is_valid(batch.column("members"))).select(["id", "chunk", "members"])


def ask(batches: Batches) -> Iterator[pa.RecordBatch]:
    """All that is asked of some documents: each partner once, and with their centres those that
    have copies."""
    if not (batches := list(batches)):
        return
    asked = together(batches)
    copies = asked.filter(pc.is_valid(asked.column("members")))
    is_partner = pc.and_(pc.is_null(asked.column("partners")), pc.is_null(asked.column("members")))
    partners = distinct(asked.filter(is_partner).select(["id", "family", "chunk"]))
    rows = pa.concat_tables([pa.Table.from_batches([asked.filter(pc.invert(is_partner))]),
                             pa.Table.from_batches([partners])], promote_options="default")
    of_copies = pc.index_in(rows.column("id"), copies.column("id"))
    centres = copies.column("centres").take(of_copies)
    yield from rows.drop_columns("centres").append_column("centres", centres).to_batches()
