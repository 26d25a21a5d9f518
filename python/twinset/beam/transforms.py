"""SimilarPairs, Clusters and Dedup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

import apache_beam as beam

from .. import _core
from ..cluster.settings import settings
from ..rules import DEDUP_THRESHOLD, KEEP_FIRST
from .clusters import Members, Number, by_chunks
from .decide import Decide, Few
from .documents import Documents, Fields, field_of, name_of
from .pairs import Find, Found, without_values
from .shuffle import Join, each, rows

WHERE = "twinset.beam"
SHARDS = 64


class Pair(NamedTuple):
    """Two similar documents, and what is known of them by their shingles."""

    a: str
    b: str
    similarity: float
    jaccard: float
    containment_a: float
    containment_b: float
    shared: int
    union: int
    estimate: Optional[float]
    longest: int
    cluster: int


class Member(NamedTuple):
    """A document of a cluster."""

    id: str
    cluster: int
    size: int


class Removed(NamedTuple):
    """A document that was removed, and the one that it was removed for."""

    id: str
    kept: str
    similarity: float
    cluster: int


class Deduped(NamedTuple):
    """What Dedup() gives: the records that are kept, and a Removed for each other one."""

    kept: beam.PCollection
    removed: beam.PCollection


for _kind in (Pair, Member, Removed):
    beam.coders.registry.register_coder(_kind, beam.coders.RowCoder)


class _Similar(beam.PTransform):
    """What all of them do first."""

    def __init__(self, id: str, text: str, keep: str | None, duplicates: str, shards: int,
                 options: dict[str, object]) -> None:
        super().__init__()
        if not isinstance(shards, int) or shards < 1:
            raise _core.UsageError(f"shards={shards!r}: take a number from 1 on")
        chosen = settings(WHERE, options)
        self.shards, self.id = shards, id
        self.documents = Documents(id, text, duplicates, field_of(keep))
        self.find = Find(chosen, shards, duplicates, keep)

    def found(self, records: beam.PCollection) -> tuple[Found, beam.PCollection]:
        """What was found, and the originals that are in clusters."""
        found = records | "documents" >> self.documents | "find" >> self.find
        return found, found | "clusters" >> Number(self.shards)


class SimilarPairs(_Similar):
    """Records to the pairs of similar ones: Pair.

    `id` and `text` name fields of the records, which are mappings, or rows with attributes. Ids
    must be unique and not null; duplicates="skip" leaves such documents out. Null and empty texts
    are skipped; counters tell how many there were.

    `shards`: how many tasks there are in a stage. One holds 64 MB of rows; more goes through a
    temporary file.
    """

    def __init__(self, id: str = "id", text: str = "text", *, duplicates: str = "error",
                 shards: int = SHARDS, **options: object) -> None:
        super().__init__(id, text, None, duplicates, shards, options)

    def expand(self, records: beam.PCollection) -> beam.PCollection:
        return self.batches(records) | "rows" >> _rows(Pair)

    def batches(self, records: beam.PCollection) -> beam.PCollection:
        """The same as record batches."""
        found, originals = self.found(records)
        numbers = originals | "chunks" >> each(by_chunks, ["original", "cluster"])
        return (numbers, found.pairs) | "in clusters" >> Join(self.shards, ["original", "chunk"])


class Clusters(_Similar):
    """Records to the clusters of similar ones: a Member for each document that is in one.
    Clusters are numbered from 1, the largest first. Arguments: see SimilarPairs."""

    def __init__(self, id: str = "id", text: str = "text", *, duplicates: str = "error",
                 shards: int = SHARDS, **options: object) -> None:
        super().__init__(id, text, None, duplicates, shards, options)

    def expand(self, records: beam.PCollection) -> beam.PCollection:
        found, originals = self.found(records)
        numbers = originals | "chunks" >> each(by_chunks, ["original", "cluster", "size"])
        return ((found, originals, numbers) | "members" >> Members(self.shards)
                | "rows" >> _rows(Member))


class Dedup(_Similar):
    """Records to (kept, removed): the records without near-duplicates, and a Removed for each of
    the others. One is removed only for one that is kept and that it resembles.

    `keep` says which goes before: "first", the lowest id; "longest", by characters or words; or
    the name of a field, whose largest value does. Among equals, the lowest id. Records whose
    documents are skipped are kept. Other arguments: see SimilarPairs.
    """

    def __init__(self, id: str = "id", text: str = "text", *, keep: str = KEEP_FIRST,
                 duplicates: str = "error", shards: int = SHARDS,
                 threshold: float = DEDUP_THRESHOLD, **options: object) -> None:
        super().__init__(id, text, keep, duplicates, shards, {**options, "threshold": threshold})

    def expand(self, records: beam.PCollection) -> Deduped:
        texts = records | "documents" >> self.documents
        found = texts | "find" >> self.find | "few" >> Few(self.shards)
        originals = found | "clusters" >> Number(self.shards)
        removed = ((found, originals, texts | "texts" >> each(without_values))
                   | "decide" >> Decide(self.find.settings, self.shards)
                   | "rows" >> _rows(Removed))
        named, nameless = records | "name" >> beam.ParDo(Name(self.id)).with_outputs(
            "nameless", main="named")
        stay = ({"records": named, "removed": removed | "ids" >> beam.Map(
                     lambda one: (one.id, None)).with_output_types(tuple[str, None])}
                | "meet" >> beam.CoGroupByKey()
                | "stay" >> beam.FlatMapTuple(
                    lambda _, both: () if both["removed"] else both["records"]))
        return Deduped((stay, nameless) | "kept" >> beam.Flatten(), removed)


class Name(beam.DoFn):
    """Records to (id, record); those without an id go aside."""

    def __init__(self, id: str) -> None:
        self.fields = Fields(id, "", None)

    def process(self, record: Any) -> Iterator[Any]:
        name = name_of(self.fields.take(record, self.fields.id, "the id"), self.fields.id)
        yield (name, record) if name is not None else beam.pvalue.TaggedOutput("nameless", record)


def _rows(kind: Any) -> beam.ParDo:
    """Batches to elements of a kind."""
    return beam.FlatMap(lambda batch: map(kind._make, rows([batch], *kind._fields))
                        ).with_output_types(kind)
