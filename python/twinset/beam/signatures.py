"""Signatures of documents of any size: a large document is cut into chunks, which several tasks
sketch, and a combiner merges their signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from ..cluster.documents import sketch
from ..cluster.settings import Settings, settings
from .documents import Documents
from .shuffle import Batches, each, rows

WHERE = "twinset.beam"
CHUNK = 1 << 20  # characters
NEAR = 200  # characters to look for a space in, to cut there


class Signature(NamedTuple):
    """A document's signature: 32-bit slots, lowest byte first."""

    id: str
    signature: bytes


beam.coders.registry.register_coder(Signature, beam.coders.RowCoder)


class MergeSignatures(beam.CombineFn):
    """Signatures of sets, made with the same options, to that of their union."""

    def create_accumulator(self) -> bytes:
        return b""

    def add_input(self, merged: bytes, signature: bytes) -> bytes:
        return _core.merge(merged, signature) if merged else signature

    def merge_accumulators(self, accumulators: Iterable[bytes]) -> bytes:
        merged = b""
        for signature in filter(None, accumulators):
            merged = self.add_input(merged, signature)
        return merged

    def extract_output(self, merged: bytes) -> bytes:
        return merged


class Signatures(beam.PTransform):
    """Records to their signatures: Signature. Those without id or text are left out.

    A text of more than `chunk` bytes is normalised by one task, and then sketched in chunks of as
    many characters.
    """

    def __init__(self, id: str = "id", text: str = "text", *, chunk: int = CHUNK,
                 **options: object) -> None:
        super().__init__()
        self.settings = settings(WHERE, options)
        self.documents = Documents(id, text, "skip")
        self.chunk = chunk

    def expand(self, records: beam.PCollection) -> beam.PCollection:
        texts = records | "documents" >> self.documents
        small = texts | "small" >> each(only_small, self.chunk) | "whole" >> self._sketched()
        large = (texts | "large" >> beam.FlatMap(chunks_of, self.settings, self.chunk)
                 .with_output_types(pa.RecordBatch)
                 | "spread" >> beam.Reshuffle()
                 | "chunks" >> self._sketched()
                 | "merge" >> beam.CombinePerKey(MergeSignatures()))
        return ((small, large) | "all" >> beam.Flatten()
                | "rows" >> beam.MapTuple(Signature).with_output_types(Signature))

    def _sketched(self) -> beam.ParDo:
        return beam.FlatMap(sketched, self.settings).with_output_types(tuple[str, bytes])


def sketched(batch: pa.RecordBatch, settings: Settings) -> Iterator[tuple[str, bytes]]:
    [signatures] = sketch([batch], settings)
    return rows([signatures])


def only_small(batches: Batches, most: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.filter(pc.less_equal(pc.binary_length(batch.column("text")), most))


def chunks_of(batch: pa.RecordBatch, settings: Settings, size: int) -> Iterator[pa.RecordBatch]:
    """The chunks of texts that are larger than `size`, each as a batch of its own."""
    large = batch.filter(pc.greater(pc.binary_length(batch.column("text")), size))
    for id, text in rows([large], "id", "text"):
        for chunk in cut(text, settings.options, size):
            yield pa.record_batch({"id": [id], "text": pa.array([chunk], pa.large_string())})


def cut(text: bytes, options: Mapping[str, str], size: int) -> list[str] | list[bytes]:
    """A text to chunks that together have its shingles and no others; or to the text itself, if it
    has to stay whole.

    The text is normalised first, because a chunk alone might be normalised differently. If
    normalising a chunk again would change it, the text stays whole: letters that look alike are
    recognised by the text around them.
    """
    if {options.get("quotations"), options.get("bibliography")} & {"drop"} or (
            options.get("bag") == "1"):  # what is left out, or counted, is known of the whole alone
        return [text]
    normal = _core.normalise(text, dict(options))
    chunks = list(_chunks(normal, options, size))
    if all(_core.normalise(chunk, dict(options)) == chunk for chunk in chunks):
        return chunks
    return [text]


def _chunks(normal: str, options: Mapping[str, str], size: int) -> Iterator[str]:
    by_word = options.get("by") == "word"
    k = int(options.get("k", 0)) or (5 if by_word else 9)
    start = 0
    while start < len(normal):
        next_start = len(normal)
        if next_start - start > 2 * size:  # a short rest goes with the last
            next_start = _cut_near(normal, start + size, by_word)
        end = _after_words(normal, next_start, k) if by_word else next_start + k + 1
        chunk = normal[start:end]
        # A space at an end does not belong to a text, so each chunk has one more character.
        yield chunk if options.get("spaces") == "keep" else chunk.strip(" ")
        start = next_start


def _cut_near(normal: str, offset: int, by_word: bool) -> int:
    """The offset after the next space; if characters have no space near, the offset itself."""
    space = normal.find(" ", offset, len(normal) if by_word else offset + NEAR)
    if space >= 0:
        return space + 1
    return len(normal) if by_word else offset


def _after_words(normal: str, offset: int, count: int) -> int:
    for _ in range(count):
        offset = normal.find(" ", offset) + 1 or len(normal) + 1
    return offset - 1
