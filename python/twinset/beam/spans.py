"""Spans that repeat an earlier document; cluster/spans.py explains the steps."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics

from .. import _core
from ..cluster import spans as steps
from ..cluster.columns import batched
from ..cluster.settings import Settings
from .documents import Fields, is_plain_tuple
from .files import LINE
from .pairs import PARTS
from .shuffle import Batches, By, Join, each, rows

SPANS, WORDS, RECORDS = (Metrics.counter("twinset", name)
                         for name in ("cut_spans", "cut_words", "cut_records"))

REMOVED = pa.schema([pa.field("id", pa.string()), pa.field("kept", pa.string()),
                     pa.field("similarity", pa.float64()), pa.field("cluster", pa.int64())])


class Span(NamedTuple):
    """A span that is cut, in bytes of the text in UTF-8, and where the first copy of it is."""

    start: int
    end: int
    words: int
    first: str
    first_start: int
    first_end: int


class Cut(NamedTuple):
    """A document that spans are cut from."""

    id: str
    spans: list[Span]


class FindSpans(beam.PTransform):
    """(texts, removed) to batches of steps.FOUND, of those that spans are cut from; `removed` are
    batches of what is removed as a whole."""

    def __init__(self, settings: Settings, shards: int) -> None:
        super().__init__()
        self.settings, self.shards = settings, shards

    def expand(self, inputs: tuple[beam.PCollection, beam.PCollection]) -> beam.PCollection:
        texts, removed = inputs
        texts = texts | "valid" >> each(not_null)
        shared = (texts | "fingerprints" >> each(steps.fingerprints, self.settings, PARTS)
                  | "shared" >> By(self.shards, ["part"], ["part"], steps.shared))
        kept = ((shared, removed | "gone" >> each(ids_of_removed)) | beam.Flatten()
                | "kept" >> By(self.shards, ["id"], ["id", "kind"], steps.gather_kept))
        copies = ((kept, texts) | "texts of runs" >> Join(self.shards, ["id"])
                  | "runs" >> each(steps.runs, self.settings, PARTS)
                  | "copies" >> By(self.shards, ["part"], ["part"], steps.copies))
        asked = (copies
                 | "requests" >> By(self.shards, ["id"], ["id", "word"], steps.requests,
                                    self.settings)
                 | "asked" >> By(self.shards, ["id"], ["id"], steps.gather))
        given = ((asked, texts) | "texts of firsts" >> Join(self.shards, ["id"])
                 | "excerpts" >> each(steps.excerpts, self.settings)
                 | "given" >> By(self.shards, ["id"], ["id"], steps.gather, None))
        return ((given, texts) | "texts of spans" >> Join(self.shards, ["id"])
                | "verify" >> each(steps.verify, self.settings, False)
                | "count spans" >> each(count))


def not_null(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.filter(pc.is_valid(batch.column("text"))) for batch in batches)


def ids_of_removed(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (steps.removed(batch.column("id")) for batch in batches)


def count(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        RECORDS.inc(len(batch))
        WORDS.inc(pc.sum(batch.column("covered")).as_py() or 0)
        SPANS.inc(pc.sum(pc.list_value_length(batch.column("spans"))).as_py() or 0)
        yield batch


# ---- documents that have nothing else

def emptied(batches: Batches) -> Iterator[pa.RecordBatch]:
    """FOUND to REMOVED: the documents that are cut entirely."""
    for batch in batches:
        selected = batch.filter(pc.is_valid(batch.column("kept")))
        yield pa.record_batch([selected.column("id"), selected.column("kept"),
                               pa.nulls(len(selected), pa.float64()),
                               pa.nulls(len(selected), pa.int64())],
                              schema=REMOVED)


def members(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Documents of clusters as REMOVED, with nothing but their cluster."""
    for batch in batches:
        count = len(batch)
        yield pa.record_batch([batch.column("id"), pa.nulls(count, pa.string()),
                               pa.nulls(count, pa.float64()), batch.column("cluster")],
                              schema=REMOVED)


def with_clusters(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The rows of emptied() and members(), by id, with null after kept, to those of emptied() with
    their clusters."""
    return batched(_with_clusters(rows(batches)), REMOVED)


def _with_clusters(both: Iterator[tuple]) -> Iterator[tuple]:
    for id, group in groupby(both, lambda row: row[0]):
        (_, kept, _, _), *rest = group
        if kept is not None:
            yield id, kept, None, rest[0][3] if rest else None


# ---- records without their spans

def cuts(batches: Batches) -> Iterator[Cut]:
    """FOUND to what is said of it."""
    for id, spans in rows(batches, "id", "spans"):
        yield Cut(id, [Span(**span) for span in spans])


def numbers(batches: Batches) -> Iterator[tuple[str, bytes]]:
    """FOUND to what Without takes."""
    return rows(batches, "id", "numbers")


@dataclass(frozen=True)
class Without:
    """Cuts spans from records."""

    fields: Fields

    def __call__(self, record: Any, spans: bytes) -> Any:
        name = self.fields.text
        text = self.fields.take(record, name, "the text")
        left: Any = _core.cut_spans(text, spans)
        left = left if isinstance(text, bytes) else left.decode("utf-8", "surrogatepass")
        if is_plain_tuple(record):
            return record[0], left
        if isinstance(record, Mapping):
            line = {LINE: _core.cut_spans(record[LINE], spans, name).decode()} if (
                LINE in record) else {}
            return {**record, name: left, **line}
        if hasattr(record, "_replace"):
            return record._replace(**{name: left})
        if isinstance(record, beam.Row):
            return beam.Row(**{**record.as_dict(), name: left})
        changed = copy.copy(record)
        setattr(changed, name, left)
        return changed
