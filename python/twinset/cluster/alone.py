"""A collection that fits into one task: twinset's engine scans it there, as on one machine.

The results are those of the steps, byte for byte, in a fraction of the time that an engine takes to
bring rows together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .clusters import PAIRS
from .columns import batched
from .settings import DEFAULT_MEMORY, Settings
from .spill import hold

# What an engine gives to one task at most.
DOCUMENTS = 500_000
BYTES = 256 << 20  # of texts, which are on disk; the task takes as much memory
MEMORY = "256M"  # for the engine, unless another limit was given
LONGEST = 1 << 20  # of a text; for a longer one the engine's memory may change the result

MEMBERS = pa.schema([pa.field("id", pa.string()), pa.field("cluster", pa.int64()),
                     pa.field("size", pa.int64())])


class NotHere(Exception):
    """One task cannot scan the collection."""


def pairs(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """All documents (id, text) to PAIRS. A row of nulls says that one task cannot do it: memory is
    not enough, or ids are null, not unique or no text."""
    try:
        if result := _scan(batches, settings):
            yield from _pairs(result)
    except (MemoryError, NotHere):
        yield _nothing(PAIRS)


def members(batches: Iterable[pa.RecordBatch], settings: Settings) -> Iterator[pa.RecordBatch]:
    """All documents (id, text) to the MEMBERS of clusters, or a row of nulls, as for pairs()."""
    try:
        if result := _scan(batches, settings):
            yield from batched(_members(result), MEMBERS)
    except (MemoryError, NotHere):
        yield _nothing(MEMBERS)


def _scan(batches: Iterable[pa.RecordBatch], settings: Settings) -> _core.Result | None:
    # The caller counts null texts, so many of them are no error here.
    options = {**settings.options, "method": "lsh", "threads": "1", "max-skipped": "1"}
    if options.get("by", "auto") == "auto":
        options["by"] = "char"  # even if ids have extensions of programs
    if options["memory"] == DEFAULT_MEMORY:
        options["memory"] = MEMORY
    collection = _core.Collection(options)
    held = list(hold(batches))
    _check_ids([batch.column("id") for batch in held])
    for batch in held:
        collection.add_texts(batch.column("text"), batch.column("id"))
    try:
        return collection.scan()
    except _core.EmptyError:
        return None


def _check_ids(columns: list[pa.Array]) -> None:
    """Raises NotHere for ids that are null, not unique or no text; other steps report the error."""
    ids = pa.chunked_array(columns, pa.string())
    try:
        ids.validate(full=True)
    except pa.ArrowInvalid as error:  # not UTF-8
        raise NotHere from error
    if (ids.null_count or pc.count_distinct(ids).as_py() < len(ids)
            or pc.any(pc.match_substring(ids, "\0")).as_py()):
        raise NotHere


def _pairs(result: _core.Result) -> Iterator[pa.RecordBatch]:
    columns = [_column(result, field) for field in PAIRS]
    table = pa.Table.from_arrays(columns, schema=PAIRS)
    return iter(table.to_batches(max_chunksize=1 << 14))


def _column(result: _core.Result, field: pa.Field) -> pa.Array:
    data, offsets = result.column("pairs", field.name)
    buffers = [None, pa.py_buffer(data)]
    if offsets is None:
        column = pa.Array.from_buffers(field.type, len(result), buffers)
        is_known = field.name != "estimate" or pc.invert(pc.is_nan(column))
        return pc.if_else(is_known, column, None)
    buffers.insert(1, pa.py_buffer(offsets))
    return pa.Array.from_buffers(pa.large_string(), len(result), buffers).cast(pa.string())


def _members(result: _core.Result) -> Iterator[tuple[str, int, int]]:
    for index in range(result.run()["clusters"]):
        number, names, _, _ = result.cluster(index)
        for name in names:
            yield name, number, len(names)


def _nothing(schema: pa.Schema) -> pa.RecordBatch:
    return pa.record_batch([pa.nulls(1, field.type) for field in schema], schema=schema)
