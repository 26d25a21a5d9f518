"""Parquet files by pyarrow, in bounded memory. The columns that the engine compares go to a
temporary file of JSON lines (spool.py); kept rows are written with all columns, by row groups."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

from . import _core, tables
from .ahead import cores, for_each, in_order
from .output import replacing
from .records import Counts, Id
from .rows import Ids

SKIPPED = 2**32 - 1  # a value of Result.decisions()
ENGINE_BYTES = 48 << 20  # the least that the engine needs, as docs/limits.md says
DEFAULT_BYTES = 512 << 20  # for Arrow, if `memory` is not given
BATCH_BYTES = 1 << 20  # that are decoded at once
RANGE_ROWS = 1 << 20  # rows whose decisions are read at once


# ---- memory

class Budget(NamedTuple):
    """What Arrow may take while the engine does not run, and how many threads read."""

    memory: int
    threads: int

    def divided(self, shares: int) -> Budget:
        """One of several equal shares."""
        return Budget(self.memory // shares, max(self.threads // shares, 1))

    def depth(self) -> int:
        """Batches that a thread may read ahead. They take a quarter of the memory at most."""
        return min(max(self.memory // 4 // self.threads // BATCH_BYTES, 1), 64)

    def group_bytes(self) -> int:
        """Bytes of a row group to write. Arrow takes several times as many to compress them: with
        100 MB of text and 200 MB of memory, the whole process took 156 to 162 MB with groups of a
        sixth, and 171 to 226 MB with groups of a third whose unused memory was not given back."""
        return self.memory // 6


def leave_memory(chosen: dict[str, str]) -> tuple[dict[str, str], Budget]:
    """The engine's options, less the memory that Python and pyarrow have taken already, and the
    budget of Arrow."""
    threads = int(chosen["threads"]) if chosen.get("threads", "").isdigit() else cores()
    if "memory" not in chosen:
        return chosen, Budget(DEFAULT_BYTES, threads)
    allowed, taken = _bytes_of(chosen["memory"]), _resident()
    if not allowed:
        return chosen, Budget(DEFAULT_BYTES, threads)  # the engine reports the error
    if allowed < taken + ENGINE_BYTES:
        raise _core.UsageError(f"memory: Python and pyarrow take {taken >> 20}M already; give at "
                               f"least {(taken + ENGINE_BYTES >> 20) + 1}M for Parquet")
    left = allowed - taken
    return {**chosen, "memory": str(left)}, Budget(left // 3, threads)


def _bytes_of(size: str) -> int:
    """Parses a size such as 512M; 0 if it is not a size."""
    digits = size.upper().removesuffix("B")
    shift = 10 * ("KMGT".find(digits[-1:]) + 1) if digits[-1:].isalpha() else 0
    digits = digits.rstrip("KMGT")
    return int(digits) << shift if digits.isdigit() else 0


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- files

class Rows:
    """The rows of several Parquet files, one file after the other."""

    def __init__(self, paths: Sequence[str], text: str, id: str | None) -> None:
        self.paths = paths
        self.files = [_open(path) for path in paths]
        self.counts = [file.metadata.num_rows for file in self.files]
        self.names = self.files[0].schema_arrow.names
        for path, file in zip(paths, self.files):
            if missing := [name for name in self.names if name not in file.schema_arrow.names]:
                raise _core.InputError(f"{path}: there is no column {missing[0]!r}, "
                                       f"which {paths[0]} has")
        self.text = self.find(text, paths[0])
        self.id: str | None = None
        if id != "none" and (id is not None or "id" in self.names):
            self.id = self.find(id or "id", "id")

    def find(self, name: str, what: str) -> str:
        """Checks that a column exists, and returns its name; otherwise raises ValueError."""
        if name not in self.names:
            columns = ", ".join(map(repr, self.names)) or "none"
            raise ValueError(f"{what}: there is no column {name!r}; there are: {columns}")
        return name

    def kind(self, name: str) -> Any:
        """The type of a column, in the first file."""
        return self.files[0].schema_arrow.field(name).type

    def is_numbered(self) -> bool:
        import pyarrow

        return self.id is not None and pyarrow.types.is_integer(self.kind(self.id))

    def batches(self, number: int, columns: Sequence[str] | None, budget: Budget,
                change: Callable[[Any, int, int], Any] = lambda batch, group, start: batch
                ) -> Iterator[Any]:
        """The rows of a file in batches, read ahead. The thread that reads a batch calls `change`
        for it, with the number of its row group and the number of its first row in the file."""
        groups = groups_of(self.files[number])
        starts = [0]
        for metadata in groups:
            starts.append(starts[-1] + metadata.num_rows)

        def read(group: int) -> Iterator[Any]:
            rows, group_bytes = groups[group].num_rows, groups[group].total_byte_size
            size = max(BATCH_BYTES * rows // max(group_bytes, 1), 64)
            file = _open(self.paths[number], self.files[number].metadata)
            start = starts[group]
            for batch in file.iter_batches(size, [group], columns, use_threads=False):
                yield change(batch, group, start)
                start += len(batch)

        return in_order([partial(read, group) for group in range(len(groups))], budget.threads,
                        budget.depth())

    def read_ids(self) -> list[Id]:
        """The names of the rows, by the rules of JSON lines: FILE:ROW for rows without ids, and
        FILE#ID for an id that several files have."""
        if self.id is None:
            return [f"{path}:{row}" for path, count in zip(self.paths, self.counts)
                    for row in range(1, count + 1)]
        found = [(path, id) for path, file in zip(self.paths, self.files)
                 for id in file.read(columns=[self.id])[self.id].to_pylist()]
        files_by_id = Counter(id for _, id in {(path, str(id)) for path, id in found})
        return [f"{path}#{id}" if files_by_id[str(id)] > 1 else id for path, id in found]


def _open(path: str, metadata: Any = None) -> Any:
    """Opens a file. It is read page by page, so that a row group need not fit into memory."""
    parquet = tables.need("pyarrow.parquet", "a Parquet file")
    import pyarrow

    try:
        return parquet.ParquetFile(path, metadata=metadata, buffer_size=1 << 20, pre_buffer=False)
    except (OSError, pyarrow.ArrowException) as error:
        number = getattr(error, "errno", None)
        raise _core.InputError(f"{path}: {os.strerror(number) if number else error}") from None


def groups_of(file: Any) -> list[Any]:
    return [file.metadata.row_group(i) for i in range(file.num_row_groups)]


# ---- kept rows

class Kept:
    """The rows of Parquet files that the engine decided to keep."""

    def __init__(self, rows: Rows, result: _core.Result, ids: Ids, annotate: bool,
                 budget: Budget) -> None:
        self.rows, self.result, self.ids, self.annotate = rows, result, ids, annotate
        self.budget = budget

    def counts(self) -> Counts:
        read, removed = sum(self.rows.counts), self.result.run()["removed"]
        skipped = sum(self._skipped(number, start, count)
                      for number, start, count in self._ranges())
        return Counts(read, read - removed - skipped, removed, skipped)

    def _ranges(self) -> Iterator[tuple[int, int, int]]:
        """All rows in ranges: the number of the file, the first row, and the number of rows."""
        for number, count in enumerate(self.rows.counts):
            for start in range(0, count, RANGE_ROWS):
                yield number, start, min(count - start, RANGE_ROWS)

    def _skipped(self, number: int, start: int, count: int) -> int:
        removals, _ = self.result.decisions(number, start, count)
        return memoryview(removals).cast("I").tolist().count(SKIPPED)

    def read_ids(self) -> list[Id]:
        ids, kept, first = self.rows.read_ids(), [], 0
        for number, start, count in self._ranges():
            removals, _ = self.result.decisions(number, start, count)
            kept += [id for id, removal in zip(ids[first:first + count],
                                               memoryview(removals).cast("I")) if not removal]
            first += count
        return kept

    def table(self) -> Any:
        """The kept rows as a pyarrow.Table."""
        import pyarrow

        schema = self._schema(self.rows.files[0])
        batches = [batch for number in range(len(self.rows.files))
                   for batch, _ in self._batches(number, self.budget)]
        return pyarrow.concat_tables(
            [schema.empty_table(),
             *(pyarrow.Table.from_batches([batch]).select(schema.names).cast(schema)
               for batch in batches)])

    def write(self, targets: Sequence[str]) -> None:
        """Writes the kept rows, each file to a target of its own, or all to one target. Columns,
        metadata, compression and row groups stay as they are; a single target takes those of the
        first file. Only a row group that does not fit into memory is divided."""
        files = range(len(self.rows.files))
        with ExitStack() as stack:
            opened = [stack.enter_context(replacing(path)) for path in targets]
            if len(targets) == 1:
                self._write_file(opened[0], list(files), self.budget)
                return
            writers = min(self.budget.threads, len(files))
            for_each(lambda number: self._write_file(opened[number], [number],
                                                     self.budget.divided(writers)), files, writers)

    def _write_file(self, target: Any, numbers: Sequence[int], budget: Budget) -> None:
        import pyarrow

        first = self.rows.files[numbers[0]]
        with _writer(first, target, self._schema(first), self.rows.text) as writer:
            for number in numbers:
                for batches in self._groups(number, budget):
                    table = pyarrow.Table.from_batches(batches)
                    table = table.select(writer.schema.names).cast(writer.schema)
                    writer.write_table(table, row_group_size=max(len(table), 1))
                    pyarrow.default_memory_pool().release_unused()

    def _groups(self, number: int, budget: Budget) -> Iterator[list[Any]]:
        """The kept batches of each row group, or of as much of it as fits."""
        held: list[Any] = []
        size, current = 0, 0
        for batch, group in self._batches(number, budget):
            if held and (group != current or size > budget.group_bytes()):
                yield held
                held, size = [], 0
            current = group
            if len(batch):
                held.append(batch)
                size += batch.nbytes
        if held:
            yield held

    def _batches(self, number: int, budget: Budget) -> Iterator[tuple[Any, int]]:
        """The kept rows of a file in batches, each with the number of its row group."""
        return self.rows.batches(number, None, budget, partial(self._filter, number))

    def _filter(self, number: int, batch: Any, group: int, start: int) -> tuple[Any, int]:
        """The kept rows of a batch; with annotations, all rows that were not skipped."""
        import pyarrow
        import pyarrow.compute

        removals, clusters = self.result.decisions(number, start, len(batch), self.annotate)
        if not self.annotate:
            removed = pyarrow.Array.from_buffers(pyarrow.uint32(), len(batch),
                                                 [None, pyarrow.py_buffer(removals)])
            # A comparison with 0 would import pandas.
            return batch.filter(pyarrow.compute.invert(removed.cast(pyarrow.bool_()))), group
        table = tables.extend(pyarrow.Table.from_batches([batch]),
                              self._annotations(removals, clusters))
        used = [removal != SKIPPED for removal in memoryview(removals).cast("I")]
        table = table.filter(pyarrow.array(used, pyarrow.bool_())).combine_chunks()
        empty = pyarrow.RecordBatch.from_pylist([], table.schema)
        return next(iter(table.to_batches()), empty), group

    def _annotations(self, removals: bytes, clusters: bytes | None) -> list[tables.Column]:
        """The columns of annotations."""
        rows = [None if removal in (0, SKIPPED) else self.result.removed(removal - 1)
                for removal in memoryview(removals).cast("I")]
        kept = [row and (int(row[1]) if self._are_ids_numbers() else row[1]) for row in rows]
        values = [[cluster or None for cluster in memoryview(clusters or b"").cast("I")],
                  [row is None for row in rows], kept, [row and row[2] for row in rows]]
        return [tables.Column(name, kind, column)
                for (name, kind), column in zip(self._annotation_types(), values)]

    def _are_ids_numbers(self) -> bool:
        return len(self.rows.files) == 1 and self.rows.is_numbered() and self.ids.numbers

    def _annotation_types(self) -> list[tuple[str, type]]:
        kept = int if self._are_ids_numbers() else str
        return [("twinset_cluster", int), ("twinset_keep", bool), ("twinset_kept", kept),
                ("twinset_similarity", float)] if self.annotate else []

    def _schema(self, file: Any) -> Any:
        """A file's schema with the columns of annotations. An empty table would import pandas."""
        import pyarrow

        schema = file.schema_arrow
        for name, kind in self._annotation_types():
            if name in schema.names:
                schema = schema.remove(schema.names.index(name))
            schema = schema.append(pyarrow.field(name, tables.arrow_type(kind)))
        return schema


def _writer(file: Any, target: Any, schema: Any, text: str) -> Any:
    """A writer of files like `file`. Texts seldom repeat, so their column gets no dictionary."""
    import pyarrow.parquet

    compression = _compression(groups_of(file), schema)
    is_plain = isinstance(compression, str)
    names = schema.names if is_plain else list(compression)
    return pyarrow.parquet.ParquetWriter(target, schema, compression=compression,
                                         use_dictionary=[name for name in names if name != text],
                                         version=file.metadata.format_version)


def _compression(groups: Sequence[Any], schema: Any) -> str | dict[str, str]:
    """The compression of each column in the first row group. New columns take that of the first."""
    if not groups:
        return "snappy"
    columns = [groups[0].column(i) for i in range(groups[0].num_columns)]
    compression = {column.path_in_schema: "none" if column.compression == "UNCOMPRESSED"
               else column.compression.lower() for column in columns}
    known = {path.partition(".")[0] for path in compression}
    first = next(iter(compression.values()))
    return {**compression, **{name: first for name in schema.names if name not in known}}
