"""The elements of a PCollection as documents."""

from __future__ import annotations

import datetime
import decimal
import numbers
import struct
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics

from .. import _core
from ..cluster.documents import look_through
from ..cluster.columns import batched
from ..cluster.settings import Settings
from ..rules import KEEP_FIRST, KEEP_LONGEST
from .shuffle import Batches, By, CHUNK_BYTES, each, rows

TEXTS = pa.schema([
    pa.field("id", pa.string(), False),
    pa.field("text", pa.large_binary()),  # the texts of a shard may be more than 2 GB
    pa.field("value", pa.binary()),
])
SHARED = pa.schema([pa.field("id", pa.string(), False), pa.field("count", pa.int64(), False)])

DUPLICATES = ("error", "skip")
HINT = "every document needs its own; duplicates=\"skip\" leaves such documents out"

DOCUMENTS = Metrics.counter("twinset", "documents")
BYTES = Metrics.distribution("twinset", "document_bytes")
NULL_IDS = Metrics.counter("twinset", "null_ids")
SHARED_IDS = Metrics.counter("twinset", "duplicate_ids")
SKIPPED = {reason: Metrics.counter("twinset", f"{reason}_texts") for reason in ("null", "empty")}


class Documents(beam.PTransform):
    """Records to batches of (id, text, value), with ids as strings and texts as bytes.

    `value` is the field `keep` as bytes in the order of its values, or null without `keep`; the
    largest is preferred. Records without an id are an error, or left out.
    """

    def __init__(self, id: str, text: str, duplicates: str, keep: str | None = None) -> None:
        super().__init__()
        if duplicates not in DUPLICATES:
            raise _core.UsageError(f"duplicates={duplicates!r}: take {' or '.join(DUPLICATES)}")
        self.fields = Fields(id, text, keep)
        self.duplicates = duplicates

    def expand(self, records: beam.PCollection) -> beam.PCollection:
        if not records.windowing.is_default():
            raise _core.UsageError("documents must be in the global window: they are compared with "
                                   "all others")
        self.fields.check(records.element_type)
        return (records | "read" >> beam.ParDo(Read(self.fields, self.duplicates))
                .with_output_types(tuple[str, bytes | None, bytes | None])
                | "batch" >> beam.BatchElements(
                    min_batch_size=CHUNK_BYTES, max_batch_size=CHUNK_BYTES,
                    element_size_fn=_size, record_metrics=False)
                | "columns" >> beam.FlatMap(lambda read: batched(read, TEXTS))
                .with_output_types(pa.RecordBatch))


def _size(row: tuple) -> int:
    return len(row[1] or b"") + 1000  # what goes along: keys


def field_of(keep: str | None) -> str | None:
    """The field that `keep` names, or None."""
    return None if keep in (None, KEEP_FIRST, KEEP_LONGEST) else keep


class Fields:
    """Where a document is in a record: a mapping, a row with attributes, or a tuple (id, text)."""

    def __init__(self, id: str, text: str, keep: str | None) -> None:
        self.id, self.text, self.keep = id, text, keep

    def wanted(self) -> list[tuple[str, str]]:
        """The names of fields, each with its purpose."""
        all = ((self.id, "the id"), (self.text, "the text"), (self.keep, "keep"))
        return [(name, what) for name, what in all if name is not None]

    def check(self, kind: Any) -> None:
        """Fails now if the elements' type is known and has no such fields."""
        fields = getattr(kind, "_fields", None)
        if fields is not None:
            self.check_names([field if isinstance(field, str) else field[0] for field in fields])

    def check_names(self, names: list[str]) -> None:
        for name, what in self.wanted():
            if name not in names:
                raise _missing(name, what, names)

    def take(self, record: Any, name: str, what: str) -> Any:
        if is_plain_tuple(record):
            return self.take_of_tuple(record, name, what)
        try:
            return record[name] if isinstance(record, Mapping) else getattr(record, name)
        except (KeyError, AttributeError):
            names = record if isinstance(record, Mapping) else (
                getattr(record, "_fields", None) or getattr(record, "__dict__", ()))
            raise _missing(name, what, names) from None


    def take_of_tuple(self, record: tuple, name: str, what: str) -> Any:
        """The field of a tuple (id, text), whatever its name."""
        if len(record) != 2:
            raise _core.UsageError(f"a tuple of {len(record)} is no document; give (id, text), or "
                                   "records with names")
        if name not in (self.id, self.text):
            raise _core.UsageError(f"{what}: a tuple (id, text) has no field '{name}'; give "
                                   "records with names")
        return record[0] if name == self.id else record[1]


def is_plain_tuple(record: Any) -> bool:
    """Whether it is a tuple without names."""
    return isinstance(record, tuple) and not hasattr(record, "_fields")


def _missing(name: str, what: str, names: Any) -> _core.UsageError:
    return _core.UsageError(f"there is no field '{name}' for {what}; there are "
                            f"{', '.join(map(str, names)) or 'none'}")


class Read(beam.DoFn):
    """Records to (id, text, value)."""

    def __init__(self, fields: Fields, duplicates: str) -> None:
        self.fields, self.duplicates = fields, duplicates

    def process(self, record: Any) -> Iterator[tuple[str, bytes | None, bytes | None]]:
        fields = self.fields
        id = name_of(fields.take(record, fields.id, "the id"), fields.id)
        if id is None and self.duplicates == "error":
            raise _core.UsageError(f"an id is null; {HINT}")
        if id is None:
            NULL_IDS.inc()
            return
        text = _bytes(fields.take(record, fields.text, "the text"), fields.text, id)
        DOCUMENTS.inc()
        BYTES.update(len(text or b""))
        yield id, text, (fields.keep and rank(fields.take(record, fields.keep, "keep")))


def name_of(value: Any, field: str) -> str | None:
    """An id as a string."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise _core.UsageError(f"the field '{field}' holds {value!r}, but an id is a string or a "
                               "whole number")
    try:
        str(value).encode()
    except UnicodeEncodeError:
        raise _core.UsageError(f"the id {value!r} is no text: it has half a character") from None
    if "\0" in str(value):
        raise _core.UsageError(f"the id {value!r} is no text: it has a NUL character")
    return str(value)


def _bytes(text: Any, field: str, id: str) -> bytes | None:
    if text is None or isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")  # the engine knows what to do with halves
    raise _core.UsageError(f"the field '{field}' of '{id}' holds {type(text).__name__}, but must "
                           "hold a string")


def rank(value: Any) -> bytes:
    """Bytes in the order of values: strings are larger than numbers, and a value that is missing or
    neither of them is the smallest. The rules are those of dedup() (prefer.py)."""
    if value is None or isinstance(value, bool) or value != value:
        return b""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return b"\2" + value.isoformat().encode()
    if isinstance(value, str):
        return b"\3" + value.encode("utf-8", "surrogatepass")
    if not isinstance(value, (numbers.Real, decimal.Decimal)):
        return b""
    near = _float(value)
    bits = struct.pack(">d", near + 0.0)  # -0.0 is 0.0
    ordered = bytes(byte ^ 0xFF for byte in bits) if bits[0] & 0x80 else (
        bytes([bits[0] ^ 0x80]) + bits[1:])
    is_exact = isinstance(value, numbers.Integral) and abs(near) < 2.0 ** 63
    rest = int(value) - int(near) if is_exact else 0
    return b"\1" + ordered + struct.pack(">I", rest + (1 << 31))


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


# ---- ids that are not unique

class Unique(beam.PTransform):
    """(texts, looked) to looked, without the documents whose ids others have; or an error, before
    anything is made of them."""

    def __init__(self, shards: int, duplicates: str) -> None:
        super().__init__()
        self.shards, self.duplicates = shards, duplicates

    def expand(self, inputs: tuple[beam.PCollection, beam.PCollection]) -> beam.PCollection:
        texts, looked = inputs
        shared = (texts | "ids" >> each(ids_of)
                  | "shared" >> By(self.shards, ["id"], ["id"], shared_ids)
                  | "duplicates" >> beam.ParDo(
                      DuplicateIds(self.duplicates)).with_output_types(str))
        return looked | "leave out" >> beam.FlatMap(
            _without, beam.pvalue.AsList(shared)).with_output_types(pa.RecordBatch)


def ids_of(batches: Batches) -> Iterator[pa.RecordBatch]:
    return (batch.select(["id"]) for batch in batches)


def shared_ids(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Sorted ids to the repeated ones: (id, count)."""
    counts = ((id, sum(1 for _ in group)) for (id,), group in groupby(rows(batches)))
    return batched((row for row in counts if row[1] > 1), SHARED)


class DuplicateIds(beam.DoFn):
    """Yields ids that are not unique, or raises an error."""

    def __init__(self, duplicates: str) -> None:
        self.duplicates = duplicates

    def process(self, batch: pa.RecordBatch) -> Iterator[str]:
        for id, count in rows([batch]):
            if self.duplicates == "error":
                raise _core.UsageError(f"{count} documents have the id '{id}'; {HINT}")
            SHARED_IDS.inc(count)
            yield id


def _without(batch: pa.RecordBatch, ids: list[str]) -> Iterator[pa.RecordBatch]:
    yield batch.filter(pc.invert(pc.is_in(batch.column("id"), pa.array(ids, pa.string()))))


# ---- identities and buckets

def look(batches: Batches, settings: Settings) -> Iterator[pa.RecordBatch]:
    """(id, text, value) to (id, identity, buckets, value), without skipped documents."""
    for batch in batches:
        [looked] = look_through([batch], settings)
        for reason, counter in SKIPPED.items():
            counter.inc(pc.sum(pc.equal(looked.column("skipped"), reason)).as_py() or 0)
        looked = looked.append_column("value", batch.column("value"))
        yield looked.filter(pc.is_null(looked.column("skipped"))).drop_columns("skipped")
