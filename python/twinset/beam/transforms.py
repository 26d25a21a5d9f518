"""The transforms SimilarPairs, Clusters and Dedup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

import apache_beam as beam

from .. import _core
from ..cluster.settings import settings
from ..rules import DEDUP_THRESHOLD, KEEP_FIRST
from . import spans as spans_of
from .clusters import Members, Number, by_chunks
from .decide import Decide, Few
from .documents import Documents, Fields, field_of, name_of
from .pairs import Find, Found, without_values
from .shuffle import By, Join, each, rows
from .spans import Cut, FindSpans, Without, cuts, numbers

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
    similarity: Optional[float]  # None: all of it was cut
    cluster: Optional[int]


class Deduped(NamedTuple):
    """The output of Dedup(): the kept records, and a Removed for each other record."""

    kept: beam.PCollection
    removed: beam.PCollection


class Cleaned(NamedTuple):
    """The output of Dedup() with min_passage: also a Cut for each record with spans."""

    kept: beam.PCollection
    removed: beam.PCollection
    cut: beam.PCollection


for _kind in (Pair, Member, Removed):
    beam.coders.registry.register_coder(_kind, beam.coders.RowCoder)


class _Similar(beam.PTransform):
    """The base class of all transforms: documents to pairs."""

    def __init__(self, id: str, text: str, keep: str | None, duplicates: str, shards: int,
                 options: dict[str, object]) -> None:
        super().__init__()
        if not isinstance(shards, int) or shards < 1:
            raise _core.UsageError(f"shards={shards!r}: take a number from 1 on")
        chosen = settings(WHERE, options, dedup=keep is not None)
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
        """The pairs as record batches."""
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
    the others. A record is removed only if it resembles a kept one.

    `keep` says which goes before: "first", the lowest id; "longest", by characters or words; or
    the name of a field, whose largest value does. Among equals, the lowest id. Records whose
    documents are skipped are kept. Other arguments: see SimilarPairs.

    With `min_passage`, (kept, removed, cut): every span of at least so many words that a kept
    document with a lower id has is cut from the texts, a Cut says which, and a record that is
    nothing else goes.
    """

    def __init__(self, id: str = "id", text: str = "text", *, keep: str = KEEP_FIRST,
                 duplicates: str = "error", shards: int = SHARDS,
                 threshold: float = DEDUP_THRESHOLD, **options: object) -> None:
        super().__init__(id, text, keep, duplicates, shards, {**options, "threshold": threshold})

    def expand(self, records: beam.PCollection) -> Deduped | Cleaned:
        texts = records | "documents" >> self.documents
        found = texts | "find" >> self.find | "few" >> Few(self.shards)
        originals = found | "clusters" >> Number(self.shards)
        texts = texts | "texts" >> each(without_values)
        removed = (found, originals, texts) | "decide" >> Decide(self.find.settings, self.shards)
        if not self.find.settings.cuts_spans:
            return Deduped(*self._stay(records, removed, ()))
        spans = (texts, removed) | "spans" >> FindSpans(self.find.settings, self.shards)
        numbers = originals | "chunks" >> each(by_chunks, ["original", "cluster", "size"])
        members = (found, originals, numbers) | "members" >> Members(self.shards)
        emptied = ((spans | "all of it" >> each(spans_of.emptied),
                    members | "numbers" >> each(spans_of.members)) | beam.Flatten()
                   | "emptied" >> By(self.shards, ["id"], ["id", "kept"], spans_of.with_clusters))
        all_removed = (removed, emptied) | "all removed" >> beam.Flatten()
        kept, gone = self._stay(records, all_removed, (spans,))
        return Cleaned(kept, gone, spans | "cut" >> beam.FlatMap(lambda batch: cuts([batch]))
                       .with_output_types(Cut))

    def _stay(self, records: beam.PCollection, removed: beam.PCollection,
              spans: tuple[beam.PCollection, ...]) -> tuple[beam.PCollection, beam.PCollection]:
        """The kept records, with spans cut from them, and the removed documents."""
        gone = removed | "rows" >> _rows(Removed)
        named, nameless = records | "name" >> beam.ParDo(Name(self.id)).with_outputs(
            "nameless", main="named")
        sides = {"records": named, "removed": gone | "ids" >> beam.Map(
            lambda row: (row.id, None)).with_output_types(tuple[str, None])}
        sides |= {"spans": found | "of records" >> beam.FlatMap(
            lambda batch: numbers([batch])).with_output_types(tuple[str, bytes]) for found in spans}
        stay = (sides | "meet" >> beam.CoGroupByKey()
                | "stay" >> beam.FlatMapTuple(Stays(Without(self.documents.fields))))
        return (stay, nameless) | "kept" >> beam.Flatten(), gone


class Stays:
    """The records of an id that are kept, with spans cut from them."""

    def __init__(self, without: Without) -> None:
        self.without = without

    def __call__(self, _: str, both: dict[str, Any]) -> Iterator[Any]:
        spans = list(both.get("spans", ()))
        for record in () if list(both["removed"]) else both["records"]:
            yield self.without(record, spans[0]) if spans else record


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
