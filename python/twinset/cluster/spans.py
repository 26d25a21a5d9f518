"""Spans that repeat an earlier document word for word, for dedup with min_passage. Earlier
documents are the kept documents with lower ids.

    fingerprints   of all texts, packed by part, like records of buckets
    shared         fingerprints that several documents have; gather() collects those of a document
    runs           of min_passage words with a shared fingerprint, packed by part
    copies         each run that an earlier document has, with the first document that has it
    requests       the excerpts that each document needs of the first documents of its runs
    excerpts       of a first document, for all documents that request them
    verify         a document's spans, compared word by word

Every step takes linear time. A fingerprint or a run that all documents have is read in sorted
order, and only its first copy is held; no text is sent to other documents as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .candidates import Records
from .columns import any_starts, batched, codes, flags, ranges, starts
from .originals import RECORDS, packed_by_part
from .settings import CHUNK, Settings

RUN_ROWS = 1 << 20  # runs that are packed at once
SENT_BYTES = 16 << 20  # of excerpts in a batch

BY_PART = pa.schema([pa.field("part", pa.int64()), pa.field("packed", pa.binary())])
RUNS = pa.schema([*RECORDS, pa.field("word", pa.int64())])
# Rows are sorted by id and `kind`, so that the row of a removed document, kind 0, comes before its
# fingerprints, which are then dropped.
REMOVED, KEPT = 0, 1
SHARED = pa.schema([pa.field("id", pa.string()), pa.field("kind", pa.int64()),
                    pa.field("fingerprint", pa.int64())])
COPIES = pa.schema([pa.field("id", pa.string()), pa.field("word", pa.int64()),
                    pa.field("first", pa.string()), pa.field("first_word", pa.int64())])
# The document `of` requests excerpts of `id`. Its runs are three numbers each: word, count and
# first_word; wanted excerpts are two numbers each: word and count.
REQUESTS = pa.schema([pa.field("id", pa.string()), pa.field("of", pa.string()),
                      pa.field("runs", pa.binary()), pa.field("wanted", pa.binary())])
EXCERPTS = pa.schema([pa.field("id", pa.string()), pa.field("first", pa.string()),
                      pa.field("runs", pa.binary()), pa.field("excerpt", pa.binary())])
GATHERED = pa.schema([pa.field("id", pa.string()), pa.field("packed", pa.large_binary())])
SPANS = pa.list_(pa.struct([
    pa.field("start", pa.int64()), pa.field("end", pa.int64()), pa.field("words", pa.int64()),
    pa.field("first", pa.string()), pa.field("first_start", pa.int64()),
    pa.field("first_end", pa.int64())]))
# `kept`: the document with the first copy of the longest span, if spans cover the whole document;
# `numbers`: the spans as _core.cut_spans() takes them; `text`: the text after cutting.
FOUND = pa.schema([pa.field("id", pa.string()), pa.field("kept", pa.string()),
                   pa.field("covered", pa.int64()), pa.field("spans", SPANS),
                   pa.field("numbers", pa.binary()), pa.field("text", pa.large_binary())])


# ---- shared fingerprints

def fingerprints(batches: Iterable[pa.RecordBatch], settings: Settings,
                 parts: int) -> Iterator[pa.RecordBatch]:
    """(id, text) to BY_PART."""
    finder = _core.SpanFinder(settings.options)
    for batch in batches:
        values, ends = finder.fingerprints(batch.column("text"))
        counts = np.diff(np.frombuffer(ends, np.int64), prepend=0)
        records = pa.record_batch([
            _whole_numbers(values),
            batch.column("id").take(pa.array(np.repeat(np.arange(len(counts)), counts)))],
            schema=RECORDS)
        yield from batched(packed_by_part(records, parts), BY_PART)


def _whole_numbers(values: bytes) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(values) // 8, [None, pa.py_buffer(values)])


def by_part(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """BY_PART, part by part, to the sorted records of each part. Records that are alone in a bucket
    may be left out."""
    part, records = None, Records(schema)
    for batch in batches:
        for number, packed in zip(batch.column("part").to_pylist(),
                                  batch.column("packed").to_pylist()):
            if number != part:
                yield from records.in_order()
                part, records = number, Records(schema)
            records.add(packed)
    yield from records.in_order()


def shared(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """BY_PART, by part, to SHARED: the fingerprints that several documents have."""
    before: int | None = None  # the bucket of the row before the first
    held = pa.RecordBatch.from_pylist([], RECORDS)  # a row whose bucket may continue
    for batch in by_part(batches, RECORDS):
        rows = pa.concat_batches([held, batch])
        if len(rows) == 0:
            continue
        bucket = rows.column("bucket").to_numpy()
        is_equal = bucket[1:] == bucket[:-1]
        is_shared = np.append(is_equal, False) | np.insert(is_equal, 0, bucket[0] == before)
        last = len(rows) if is_shared[-1] else len(rows) - 1
        yield _shared(rows.slice(0, last).filter(pa.array(is_shared[:last])))
        held = rows.slice(last)
        before = int(bucket[last - 1]) if last else before


def _shared(rows: pa.RecordBatch) -> pa.RecordBatch:
    return pa.record_batch([rows.column("id"), pa.array(np.full(len(rows), KEPT, np.int64)),
                            rows.column("bucket")], schema=SHARED)


def removed(ids: pa.Array) -> pa.RecordBatch:
    """Rows of SHARED for removed documents."""
    count = len(ids)
    return pa.record_batch([ids, pa.array(np.full(count, REMOVED, np.int64)),
                            pa.nulls(count, pa.int64())], schema=SHARED)


# ---- rows by document

def gather_kept(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """SHARED, by id and kind, to GATHERED: the fingerprints of documents that are not removed."""
    return gather(_of_kept(batches), RUN_ROWS)


def _of_kept(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    last, is_kept = None, False
    for batch in batches:
        if len(batch) == 0:
            continue
        ids = batch.column("id")
        start = flags(starts(ids, last))
        kept = np.insert(batch.column("kind").to_numpy()[start] == KEPT, 0, is_kept)
        kept = kept[np.cumsum(start)]
        last, is_kept = ids[-1], bool(kept[-1])
        yield batch.filter(pa.array(kept)).select(["id", "fingerprint"])


def gather(batches: Iterable[pa.RecordBatch],
           most: int | None = CHUNK) -> Iterator[pa.RecordBatch]:
    """Rows by id to GATHERED: packs up to `most` rows of an id as one row; None: all rows."""
    return _by_bytes(_gathered(batches, most), GATHERED)


def _gathered(batches: Iterable[pa.RecordBatch], most: int | None) -> Iterator[tuple[str, bytes]]:
    id: str | None = None
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if len(batch) == 0:
            continue
        rows = batch.drop_columns(["id"])
        begin = np.flatnonzero(any_starts(batch, "id"))
        names = batch.column("id").take(pa.array(begin)).to_pylist()
        for name, start, end in zip(names, begin, np.append(begin[1:], len(batch))):
            if name != id:
                yield from _packed(id, waiting, most)
                id, waiting = name, []
            waiting.append(rows.slice(start, end - start))
    yield from _packed(id, waiting, most)


def _packed(id: str | None, waiting: list[pa.RecordBatch],
            most: int | None) -> Iterator[tuple[str, bytes]]:
    if not waiting:
        return
    rows = pa.concat_batches(waiting)
    for start in range(0, len(rows), most or len(rows)):
        with pa.BufferOutputStream() as sink:
            with pa.ipc.new_stream(sink, rows.schema) as writer:
                writer.write_batch(rows.slice(start, most))
            yield id, sink.getvalue().to_pybytes()


def _unpacked(packed: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(packed) as reader:
        return reader.read_next_batch()


def _by_bytes(rows: Iterable[tuple], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches of limited size, or of one row that is larger."""
    waiting: list[tuple] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += sum(len(value) for value in row if isinstance(value, bytes))
        if size > SENT_BYTES:
            yield from batched(waiting, schema)
            waiting, size = [], 0
    yield from batched(waiting, schema)


# ---- runs, and the first documents that have them

def runs(batches: Iterable[pa.RecordBatch], settings: Settings,
         parts: int) -> Iterator[pa.RecordBatch]:
    """(id, text, packed fingerprints) to BY_PART: the runs with one of these
    fingerprints."""
    finder = _core.SpanFinder(settings.options)
    for batch in batches:
        wanted = [np.sort(_unpacked(packed).column("fingerprint").to_numpy().view(np.uint64))
                  for packed in batch.column("packed").to_pylist()]
        if not wanted:
            continue
        ends = np.cumsum([len(fingerprints_) for fingerprints_ in wanted], dtype=np.int64)
        hashes, words, ends = finder.runs(batch.column("text"), np.concatenate(wanted), ends)
        counts = np.diff(np.frombuffer(ends, np.int64), prepend=0)
        of = np.repeat(np.arange(len(counts)), counts)
        hashes, words = _whole_numbers(hashes), _whole_numbers(words)
        for start in range(0, len(of), RUN_ROWS):
            rows = slice(start, start + RUN_ROWS)
            records = pa.record_batch([hashes[rows], batch.column("id").take(pa.array(of[rows])),
                                       words[rows]], schema=RUNS)
            yield from batched(packed_by_part(records, parts), BY_PART)


def copies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """BY_PART, by part, to COPIES."""
    first = pa.RecordBatch.from_pylist([], RUNS)  # the first row of the last bucket
    for batch in by_part(batches, RUNS):
        if len(batch) == 0:
            continue
        rows = pa.concat_batches([first, batch])
        start = flags(starts(rows.column("bucket")))
        firsts = np.maximum.accumulate(np.where(start, np.arange(len(rows)), 0))
        known = rows.take(pa.array(firsts))
        found = pa.record_batch([rows.column("id"), rows.column("word"), known.column("id"),
                                 known.column("word")], schema=COPIES)
        yield found.filter(pc.not_equal(found.column("id"), found.column("first")))
        first = rows.slice(firsts[-1], 1)


# ---- requests and excerpts

CHAINS = pa.schema([*COPIES, pa.field("count", pa.int64())])


def requests(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """COPIES by id and word to REQUESTS.

    A span that begins with a run ends, at the latest, with the last of the runs that follow
    without a gap, so that much of the first document is requested.
    """
    length = int(settings.options["min-passage"])
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if len(batch) == 0:
            continue
        chains = _chains(batch)
        start = np.flatnonzero(any_starts(chains, "id"))
        if held and not held[0].column("id")[0].equals(chains.column("id")[0]):
            yield _requests(pa.concat_batches(held), length)
            held = []
        if len(start) > 1:
            yield _requests(pa.concat_batches([*held, chains.slice(0, start[-1])]), length)
            held = []
        held.append(chains.slice(start[-1]))
    if held:
        yield _requests(pa.concat_batches(held), length)


def _chains(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Joins runs that follow each other in both documents: CHAINS."""
    word, first_word = (batch.column(name).to_numpy() for name in ("word", "first_word"))
    start = any_starts(batch, "id", "first")
    start[1:] |= (np.diff(word) != 1) | (np.diff(first_word) != 1)
    begin = np.flatnonzero(start)
    counts = pa.array(np.diff(begin, append=len(batch)))
    return pa.record_batch([*batch.take(pa.array(begin)).columns, counts], schema=CHAINS)


def _requests(chains: pa.RecordBatch, length: int) -> pa.RecordBatch:
    word, count, first_word = (chains.column(name).to_numpy()
                               for name in ("word", "count", "first_word"))
    of, first = codes(chains.column("id"))[0], codes(chains.column("first"))[0]
    # Regions of chains that follow each other without a gap, and the end of the last run of each.
    gap = any_starts(chains, "id")
    gap[1:] |= word[1:] != (word + count)[:-1]
    region = np.cumsum(gap) - 1
    last = np.append(np.flatnonzero(gap)[1:], len(chains)) - 1
    wanted = (word + count)[last][region] - word - 1 + length
    order = np.lexsort((first_word, first, of))
    begin = np.flatnonzero(_changes(of[order], first[order]))
    spans, span_ends = _united(first_word[order], wanted[order], begin)
    numbers = np.stack([word, count, first_word], axis=1)[order]
    ends = np.append(begin[1:], len(order))
    begins = pa.array(order[begin])
    return pa.record_batch([chains.column("first").take(begins), chains.column("id").take(begins),
                            _binary(numbers, ends), _binary(spans, span_ends)], schema=REQUESTS)


def _changes(*columns: np.ndarray) -> np.ndarray:
    """Whether one of the columns differs from the row before."""
    changes = np.logical_or.reduce([np.diff(column, prepend=column[0]) != 0 for column in columns])
    changes[0] = True
    return changes


def _united(start: np.ndarray, count: np.ndarray,
            begin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The union of the intervals of each group, in which they ascend. `begin` has the first index
    of each group. Returns (start, size) of intervals, and the end of each group among them."""
    group = np.zeros(len(start), np.int64)
    group[begin] = 1
    group = np.cumsum(group) - 1
    shift = int((start + count).max()) + 1  # groups are shifted, so that they do not overlap
    end = np.maximum.accumulate(start + count + group * shift)
    new = np.insert(start[1:] + group[1:] * shift > end[:-1], 0, True)
    new[begin] = True
    begins = np.flatnonzero(new)
    last = np.append(begins[1:], len(start)) - 1
    sizes = end[last] - group[begins] * shift - start[begins]
    return (np.stack([start[begins], sizes], axis=1),
            np.searchsorted(group[begins], np.arange(len(begin)), "right"))


def _binary(rows: np.ndarray, ends: np.ndarray) -> pa.Array:
    """Rows of numbers as binary values, each up to one of the ends."""
    rows = np.ascontiguousarray(rows, np.int64)
    offsets = np.insert(ends, 0, 0) * 8 * rows.shape[1]
    column = pa.Array.from_buffers(pa.large_binary(), len(ends), [
        None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(rows)])
    return column.cast(pa.binary())


def excerpts(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """(id, text, packed requests for the text) to EXCERPTS."""
    return _by_bytes(_excerpts(batches, _core.SpanFinder(settings.options)), EXCERPTS)


def _excerpts(batches: Iterable[pa.RecordBatch],
              finder: _core.SpanFinder) -> Iterator[tuple[str, str, bytes, bytes]]:
    for batch in batches:
        for id, text, packed in zip(*map(partial(_objects, batch), ("id", "text", "packed"))):
            asked = _unpacked(packed)
            wanted = asked.column("wanted").to_pylist()
            made = iter(finder.excerpts(text, b"".join(wanted)))
            for of, runs_of, spans in zip(asked.column("of").to_pylist(),
                                      asked.column("runs").to_pylist(), wanted):
                for _ in range(len(spans) // 16):
                    yield of, id, runs_of, next(made)
                    runs_of = b""  # the runs go with the first excerpt


def _objects(batch: pa.RecordBatch, name: str) -> Iterator:
    """The values of a column as Python objects."""
    return (value.as_py() for value in batch.column(name))


# ---- spans

def verify(batches: Iterable[pa.RecordBatch], settings: Settings,
           with_text: bool) -> Iterator[pa.RecordBatch]:
    """(id, text, packed excerpts) to FOUND."""
    return _by_bytes(_verified(batches, _core.SpanFinder(settings.options), with_text), FOUND)


def _verified(batches: Iterable[pa.RecordBatch], finder: _core.SpanFinder,
              with_text: bool) -> Iterator[tuple]:
    for batch in batches:
        for id, text, packed in zip(*map(partial(_objects, batch), ("id", "text", "packed"))):
            given = _unpacked(packed)
            number, names = codes(given.column("first"))
            numbers, covered, words = finder.verify(
                text, _runs_of(given, number), number, given.column("excerpt").to_pylist())
            if numbers:  # empty if only the hashes were equal
                spans = np.frombuffer(numbers, np.int64).reshape(-1, 7)
                longest = names[int(spans[spans[:, 5].argmax(), 6])].as_py()
                yield (id, longest if covered == words else None, covered, _described(spans, names),
                       numbers, _core.cut_spans(text, numbers) if with_text else None)


def _runs_of(given: pa.RecordBatch, number: np.ndarray) -> np.ndarray:
    """The runs in the order of words, as rows (word, count, first, first_word)."""
    each = [np.frombuffer(runs, np.int64).reshape(-1, 3)
            for runs in given.column("runs").to_pylist()]
    numbers = np.repeat(number, [len(rows) for rows in each])
    rows = np.insert(np.concatenate(each), 2, numbers, axis=1)
    return np.ascontiguousarray(rows[np.argsort(rows[:, 0], kind="stable")])


def _described(spans: np.ndarray, names: pa.Array) -> list[dict[str, object]]:
    return [{"start": start, "end": end, "words": words, "first": names[first].as_py(),
             "first_start": first_start, "first_end": first_end}
            for start, end, first_start, first_end, _, words, first in spans.tolist()]
