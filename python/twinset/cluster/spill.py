"""Batches in temporary files, for data that does not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

HELD_BYTES = 64 << 20  # of texts that a task holds in memory


def on_disk(batches: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Moves batches to a temporary file, which is removed with them."""
    with tempfile.NamedTemporaryFile(prefix="twinset-") as file:
        with pa.ipc.new_file(file, batches[0].schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        file.flush()
        reader = pa.ipc.open_file(pa.memory_map(file.name))
        return [reader.get_batch(number) for number in range(reader.num_record_batches)]


def hold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All batches, most of them in temporary files."""
    in_memory: list[pa.RecordBatch] = []
    waiting = 0
    for batch in batches:
        in_memory.append(batch)
        waiting += batch.nbytes
        if waiting > HELD_BYTES:
            yield from on_disk(in_memory)
            in_memory, waiting = [], 0
    yield from in_memory
