"""Brings rows together for the steps of twinset.cluster, by Beam's GroupByKey.

Rows travel as Arrow record batches. To code and group single rows would cost Beam more than all
other work on them, and a document has a row for each of its bands. So rows are dealt to shards by a
hash of their key, and GroupByKey groups shards. A worker sorts the rows of a shard itself: in
memory, or, if they are too large, from a file and in several passes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from zlib import crc32

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.metrics import Metrics
from apache_beam.transforms.window import GlobalWindows

CHUNK_BYTES = 16 << 20  # of rows that are dealt, or handed on, at once
HELD_BYTES = 64 << 20   # of a shard in memory

Batches = Iterable[pa.RecordBatch]
Stage = Callable[..., Iterator[pa.RecordBatch]]
Combine = Callable[[pa.RecordBatch], pa.RecordBatch]
Chunk = tuple[int, bytes]  # the number of the input, and rows of it

SHUFFLED = Metrics.counter("twinset", "shuffled_bytes")
SPILLED = Metrics.counter("twinset", "spilled_bytes")


class ArrowCoder(beam.coders.Coder):
    """A record batch as an Arrow stream. A slice is cut out, where pickle would send all of it."""

    def encode(self, batch: pa.RecordBatch) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return sink.getvalue().to_pybytes()

    def decode(self, encoded: bytes) -> pa.RecordBatch:
        with pa.ipc.open_stream(encoded) as reader:
            return reader.read_next_batch()


beam.coders.registry.register_coder(pa.RecordBatch, ArrowCoder)
CODER = ArrowCoder()


class By(beam.PTransform):
    """Applies a stage to rows that are grouped by `key` and sorted by the columns `order`. A "-"
    before a name stands for descending order.

    `combine` reduces the rows of a batch without changing the outcome. It is applied before rows
    travel, and again where rows of several batches meet.
    """

    def __init__(self, shards: int, key: list[str], order: list[str], stage: Stage,
                 *arguments: object, combine: Combine | None = None) -> None:
        super().__init__()
        self.shards, self.key, self.combine = shards, key, combine
        self.run = InOrder(shards, order, combine, stage, arguments)

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        return (batches | "deal" >> dealt(self.shards, self.key, combine=self.combine)
                | "group" >> beam.GroupByKey()
                | "run" >> beam.ParDo(self.run).with_output_types(pa.RecordBatch))


class Join(beam.PTransform):
    """(few, many) to the rows of many, each with those of few that have the same key.

    `other_key`: the name of the key in many.
    """

    def __init__(self, shards: int, key: list[str], other_key: list[str] | None = None) -> None:
        super().__init__()
        self.shards, self.key, self.other_key = shards, key, other_key or key
        self.join = Joined(shards, self.key, self.other_key)

    def expand(self, inputs: tuple[beam.PCollection, beam.PCollection]) -> beam.PCollection:
        few, many = inputs
        return ((few | "deal few" >> dealt(self.shards, self.key, 0),
                 many | "deal many" >> dealt(self.shards, self.other_key, 1))
                | beam.Flatten()
                | "group" >> beam.GroupByKey()
                | "join" >> beam.ParDo(self.join).with_output_types(pa.RecordBatch))


def rows(batches: Batches, *names: str) -> Iterator[tuple]:
    """The rows of these columns, or of all columns."""
    for batch in batches:
        columns = map(batch.column, names) if names else batch.columns
        yield from zip(*(column.to_pylist() for column in columns))


def each(stage: Stage, *arguments: object) -> beam.ParDo:
    """Applies a stage to each batch."""
    return beam.FlatMap(lambda batch: stage([batch], *arguments)).with_output_types(pa.RecordBatch)


# ---- from batches to shards

def dealt(shards: int, key: list[str], tag: int = 0,
          combine: Combine | None = None) -> beam.ParDo:
    return beam.ParDo(Deal(shards, key, tag, combine)).with_output_types(
        tuple[int, tuple[int, bytes]])


class Deal(beam.DoFn):
    """Batches to (shard, chunk), by a key of one column, or of a string and a whole number."""

    def __init__(self, shards: int, key: list[str], tag: int, combine: Combine | None) -> None:
        self.shards, self.key, self.tag, self.combine = shards, key, tag, combine

    def start_bundle(self) -> None:
        self.waiting: list[pa.RecordBatch] = []
        self.bytes = 0

    def process(self, batch: pa.RecordBatch) -> Iterator[tuple[int, Chunk]]:
        if batch.num_rows:
            self.waiting.append(batch)
            self.bytes += batch.nbytes
        if self.bytes >= CHUNK_BYTES:
            yield from self._deal()

    def finish_bundle(self) -> Iterator[Any]:
        if self.waiting:
            for dealt in self._deal():
                yield GlobalWindows.windowed_value_at_end_of_window(dealt)

    def _deal(self) -> Iterator[tuple[int, Chunk]]:
        batch = together(self.waiting)
        self.start_bundle()
        batch = self.combine(batch) if self.combine else batch
        batch = batch.append_column("hash", hashes(batch, self.key))
        shard = remainder(batch.column("hash"), self.shards)
        order = pc.sort_indices(shard)
        batch, runs = batch.take(order), pc.run_end_encode(shard.take(order), pa.int64())
        start = 0
        for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist()):
            encoded = CODER.encode(batch.slice(start, end - start))
            SHUFFLED.inc(len(encoded))
            yield number, (self.tag, encoded)
            start = end


def together(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def distinct(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The distinct rows."""
    groups = pa.Table.from_batches([batch]).group_by(batch.schema.names, use_threads=False)
    return together(groups.aggregate([]).to_batches() or [batch])


def hashes(batch: pa.RecordBatch, key: list[str]) -> pa.Array:
    """Whole numbers that are equal on every machine. A key that is a number is its own hash."""
    first = batch.column(key[0])
    if pa.types.is_int64(first.type):
        return first
    values = (value if isinstance(value, bytes) else value.encode() for value in first.to_pylist())
    if len(key) == 1:
        return pa.array(map(crc32, values), pa.int64())
    return pa.array(map(crc32, values, batch.column(key[1]).to_pylist()), pa.int64())


def remainder(numbers: pa.Array, divisor: int) -> pa.Array:
    return pc.subtract(numbers, pc.multiply(pc.divide(numbers, divisor), divisor))


# ---- from shards to rows in order

class InOrder(beam.DoFn):
    """Applies a stage to the sorted rows of a shard."""

    def __init__(self, shards: int, order: list[str], combine: Combine | None, stage: Stage,
                 arguments: tuple) -> None:
        self.shards, self.order, self.combine = shards, order, combine
        self.stage, self.arguments = stage, arguments

    def process(self, shard: tuple[int, Iterable[Chunk]]) -> Iterator[pa.RecordBatch]:
        return self.stage(self._rows(shard[1]), *self.arguments)

    def _rows(self, chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
        for [batches] in passes(chunks, 1, self.shards):
            batch = together(batches)
            batch = self.combine(batch) if self.combine else batch
            order = pc.sort_indices(batch, [
                (name.removeprefix("-"), "descending" if name[0] == "-" else "ascending")
                for name in self.order])
            for indices in portions(order, batch):
                yield batch.take(indices)


class Joined(beam.DoFn):
    """A shard to the rows of its second input with those of the first."""

    def __init__(self, shards: int, key: list[str], other_key: list[str]) -> None:
        self.shards, self.key, self.other_key = shards, key, other_key

    def process(self, shard: tuple[int, Iterable[Chunk]]) -> Iterator[pa.RecordBatch]:
        for few, many in passes(shard[1], 2, self.shards):
            if few and many:
                yield from self._join(together(few), many)

    def _join(self, few: pa.RecordBatch, many: Batches) -> Iterator[pa.RecordBatch]:
        rows_by_key: dict[tuple, list[int]] = {}
        for index, key in enumerate(rows([few], *self.key)):
            rows_by_key.setdefault(key, []).append(index)
        few = few.drop_columns(self.key)
        for batch in many:
            found = [(index, few_index)
                     for index, key in enumerate(rows([batch], *self.other_key))
                     for few_index in rows_by_key.get(key, ())]
            left, right = (pa.array((pair[side] for pair in found), pa.int64()) for side in (0, 1))
            for chosen in portions(pa.array(range(len(found)), pa.int64()), batch):
                left_rows, right_rows = batch.take(left.take(chosen)), few.take(right.take(chosen))
                yield pa.record_batch(
                    [*left_rows.columns, *right_rows.columns],
                    names=[*left_rows.schema.names, *right_rows.schema.names])


def portions(indices: pa.Array, batch: pa.RecordBatch) -> Iterator[pa.Array]:
    """The indices, divided into lists of as many rows as are passed on at once."""
    count = max(1, CHUNK_BYTES * len(batch) // (batch.nbytes + 1))
    for start in range(0, len(indices), count):
        yield indices.slice(start, count)


def passes(chunks: Iterable[Chunk], tags: int, shards: int) -> Iterator[list[list[pa.RecordBatch]]]:
    """Divides a shard into passes that fit into memory, each with batches of every input. All rows
    of a key are in the same pass."""
    size = sum(len(encoded) for _, encoded in chunks)
    count = size // HELD_BYTES + 1
    if count == 1:
        yield _by_tag(((tag, CODER.decode(encoded)) for tag, encoded in chunks), tags)
        return
    SPILLED.inc(size)
    with tempfile.TemporaryFile(prefix="twinset-") as file:
        lengths = [(tag, file.write(encoded)) for tag, encoded in chunks]
        for turn in range(count):
            file.seek(0)
            yield _by_tag(((tag, _of_turn(CODER.decode(file.read(length)), turn, count, shards))
                           for tag, length in lengths), tags)


def _of_turn(batch: pa.RecordBatch, turn: int, count: int, shards: int) -> pa.RecordBatch:
    turns = remainder(pc.divide(batch.column("hash"), shards), count)
    return batch.filter(pc.equal(turns, turn))


def _by_tag(chunks: Iterable[tuple[int, pa.RecordBatch]],
            tags: int) -> list[list[pa.RecordBatch]]:
    batches: list[list[pa.RecordBatch]] = [[] for _ in range(tags)]
    for tag, batch in chunks:
        batches[tag].append(batch.drop_columns("hash"))
    return batches
