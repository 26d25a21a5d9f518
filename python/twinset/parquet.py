"""Parquet files by pyarrow, in bounded memory. The columns that the engine compares go to a
temporary file of JSON lines (spool.py); kept rows are written with all columns, by row groups."""

from __future__ import annotations

import io
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, tables
from .ahead import Item, cores, for_each, in_order, mapped
from .footer import Joined
from .output import replacing
from .records import Counts, Id
from .rows import Ids

if TYPE_CHECKING:
    from .spool import Spool

SKIPPED = 2**32 - 1  # a value of Result.decisions()
ENGINE_BYTES = 48 << 20  # the least that the engine needs, as docs/limits.md says
DEFAULT_BYTES = 1 << 30  # for Arrow, if `memory` is not given
ARROW_BYTES = 64 << 20  # that Arrow takes beside rows, and again for each thread
BATCH_BYTES = 1 << 20  # that are decoded at once
# Bytes of a row group to write, at most: threads write one each. The allocator of the C library
# returns buffers of more than 32 MB to the system, and takes them anew.
GROUP_BYTES = 24 << 20
RANGE_ROWS = 1 << 20  # rows whose decisions are read at once


# ---- memory

class Budget(NamedTuple):
    """What Arrow may take, and how many threads read or write."""

    memory: int
    threads: int
    allowed: int
    """What the whole process may take; 0 if `memory` is not given."""

    def divided(self, shares: int) -> Budget:
        """One of several equal shares."""
        return self._replace(memory=self.memory // shares, threads=max(self.threads // shares, 1))

    def after_the_engine(self) -> Budget:
        """All that is left now, for as many threads as it suffices for."""
        if not self.allowed:
            return self
        memory = max(self.allowed - _resident() - ARROW_BYTES, BATCH_BYTES)
        return self._replace(memory=memory,
                             threads=max(min(self.threads, memory // ARROW_BYTES), 1))

    def depth(self) -> int:
        """Batches that a thread may read ahead. They take a quarter of the memory at most."""
        return min(max(self.memory // 4 // self.threads // BATCH_BYTES, 1), 64)

    def group_bytes(self) -> int:
        """Bytes of a row group to write. Each of several threads has one, and another waits to be
        written. A group takes several times its bytes: rows, kept rows, and these compressed."""
        groups = 1 if self.threads == 1 else self.threads + 1
        return min(self.memory // 10 // groups, GROUP_BYTES)


def leave_memory(chosen: dict[str, str]) -> tuple[dict[str, str], Budget]:
    """The engine's options, less the memory that Python and pyarrow have taken already, and the
    budget of Arrow."""
    threads = int(chosen["threads"]) if chosen.get("threads", "").isdigit() else cores()
    allowed, taken = _bytes_of(chosen.get("memory", "")), _resident()
    if not allowed:  # not given; or wrong, as the engine reports
        return chosen, Budget(DEFAULT_BYTES, threads, 0)
    if allowed < taken + ENGINE_BYTES:
        raise _core.UsageError(f"memory: Python and pyarrow take {taken >> 20}M already; give at "
                               f"least {(taken + ENGINE_BYTES >> 20) + 1}M for Parquet")
    left = allowed - taken
    return {**chosen, "memory": str(left)}, Budget(left // 3, threads, allowed)


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

class Batch(NamedTuple):
    """Some rows of a file."""

    rows: Any
    """A pyarrow.RecordBatch."""
    group: int
    """The row group that has them."""
    start: int
    """The number of the first of them in the file."""


class Rows:
    """The rows of several Parquet files, one file after the other. They are read twice: some
    columns for the engine, then all columns of what is kept."""

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
                change: Callable[[Batch], Batch] = lambda batch: batch) -> Iterator[Batch]:
        """The rows of a file in batches, which threads read ahead, and change."""
        groups = groups_of(self.files[number])
        starts = accumulate((group.num_rows for group in groups), initial=0)
        readers = [partial(map, change, self._read(number, group, start, columns))
                   for group, start in zip(range(len(groups)), starts)]
        return in_order(readers, budget.threads, budget.depth())

    def _read(self, number: int, group: int, start: int, columns: Sequence[str] | None
              ) -> Iterator[Batch]:
        metadata = self.files[number].metadata
        rows, size = metadata.row_group(group).num_rows, metadata.row_group(group).total_byte_size
        file = _open(self.paths[number], metadata)
        with _naming(self.paths[number]):
            for batch in file.iter_batches(max(BATCH_BYTES * rows // max(size, 1), 64), [group],
                                           columns, use_threads=False):
                yield Batch(batch, group, start)
                start += len(batch)

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
    with _naming(path):
        return parquet.ParquetFile(path, metadata=metadata, buffer_size=1 << 20, pre_buffer=False)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Names the file in an error of pyarrow."""
    import pyarrow

    try:
        yield
    except (OSError, pyarrow.ArrowException) as error:
        number = getattr(error, "errno", None)
        raise _core.InputError(f"{path}: {os.strerror(number) if number else error}") from None


def _drain(batches: deque[Item]) -> Iterator[Item]:
    """Yields batches and lets go of each."""
    while batches:
        yield batches.popleft()


def groups_of(file: Any) -> list[Any]:
    return [file.metadata.row_group(i) for i in range(file.num_row_groups)]


# ---- kept rows

class Kept:
    """The rows of Parquet files that the engine decided to keep."""

    def __init__(self, rows: Rows, result: _core.Result, ids: Ids, annotate: bool,
                 budget: Budget) -> None:
        self.rows, self.result, self.ids, self.annotate = rows, result, ids, annotate
        self.budget = budget
        self.spool: Spool | None = None

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
        return pyarrow.concat_tables(
            [schema.empty_table(),
             *(self._table(schema, deque([batch])) for number in range(len(self.rows.files))
               for batch in self._batches(number, self.budget))])

    def write(self, targets: Sequence[str], spool: Spool) -> None:
        """Writes the kept rows, each file to a target of its own, or all to one target. Columns,
        metadata, compression and row groups stay as they are; a single target takes those of the
        first file. Only a row group that is too large for a thread is divided. Texts come from
        `spool`, where they need not be decoded again; it is removed afterwards."""
        self.spool = None if self.annotate else spool
        files, budget = range(len(self.rows.files)), self.budget.after_the_engine()
        with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
            opened = [stack.enter_context(replacing(path)) for path in targets]
            if len(targets) == 1:
                self._write_file(opened[0], list(files), budget)
            else:
                writers = min(budget.threads, len(files))
                for_each(lambda number: self._write_file(opened[number], [number],
                                                         budget.divided(writers)), files, writers)
            self.spool = None
            pool.submit(spool.folder.cleanup)  # while the disk takes what is left

    def _write_file(self, target: Any, numbers: Sequence[int], budget: Budget) -> None:
        first = self.rows.files[numbers[0]]
        schema = self._schema(first)
        writer = _writer(first, schema, self.rows.text)
        groups = (batches for number in numbers for batches in self._groups(number, budget))
        if budget.threads == 1 or not _is_packed(first):  # copied faster than handed to threads
            with writer(target) as file:
                for group in groups:
                    _write_group(file, self._table(schema, group), budget)
            return

        def encode(table: Any) -> memoryview:
            out = io.BytesIO()
            with writer(out) as file:
                _write_group(file, table, budget)
            return out.getbuffer()

        joined = Joined(target, encode(schema.empty_table()))
        for file in mapped(lambda group: encode(self._table(schema, group)), groups,
                           budget.threads):
            joined.append(file)
            del file
        joined.close()

    def _groups(self, number: int, budget: Budget) -> Iterator[deque[Batch]]:
        """The batches of each row group, or of as much of it as fits."""
        held: deque[Batch] = deque()
        size = 0
        for batch in self._batches(number, budget):
            if held and (batch.group != held[0].group or size > budget.group_bytes()):
                yield held
                held, size = deque(), 0
            held.append(batch)
            size += batch.rows.nbytes
        if held:
            yield held

    def _batches(self, number: int, budget: Budget) -> Iterator[Batch]:
        """The kept rows of a file; with annotations, all that were not skipped."""
        return self.rows.batches(number, self._decoded_columns(number), budget,
                                 lambda batch: batch._replace(rows=self._filter(number, batch)))

    def _decoded_columns(self, number: int) -> list[str] | None:
        """The columns that are not in the spool; None: all of them are decoded."""
        others = [name for name in self.rows.files[number].schema_arrow.names
                  if name != self.rows.text]
        return others if others and self.spool and self.spool.has_texts(number) else None

    def _table(self, schema: Any, batches: deque[Batch]) -> Any:
        """Batches of a file as a table. Lets go of the batches."""
        import pyarrow

        rows = [batch.rows for batch in _drain(batches)]
        return pyarrow.Table.from_batches(rows).select(schema.names).cast(schema)

    def _filter(self, number: int, batch: Batch) -> Any:
        import pyarrow
        import pyarrow.compute

        rows = batch.rows
        removals, clusters = self.result.decisions(number, batch.start, len(rows), self.annotate)
        if not self.annotate:
            removed = pyarrow.Array.from_buffers(pyarrow.uint32(), len(rows),
                                                 [None, pyarrow.py_buffer(removals)])
            # A comparison with 0 would import pandas.
            kept = rows.filter(pyarrow.compute.invert(removed.cast(pyarrow.bool_())))
            if not self.spool or self._decoded_columns(number) is None:
                return kept
            texts = self.spool.read_texts(number, batch.start, removals)
            names = [name for name in kept.schema.names if name != self.rows.text]
            return pyarrow.RecordBatch.from_arrays([*map(kept.column, names), texts],
                                                   [*names, self.rows.text])
        table = tables.extend(pyarrow.Table.from_batches([rows]),
                              self._annotations(removals, clusters))
        used = [removal != SKIPPED for removal in memoryview(removals).cast("I")]
        table = table.filter(pyarrow.array(used, pyarrow.bool_())).combine_chunks()
        empty = pyarrow.RecordBatch.from_pylist([], table.schema)
        return next(iter(table.to_batches()), empty)

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


def _writer(file: Any, schema: Any, text: str) -> Callable[[Any], Any]:
    """What makes writers of files like `file`. Texts seldom repeat, so their column gets no
    dictionary."""
    import pyarrow.parquet

    compression = _compression(groups_of(file), schema)
    is_plain = isinstance(compression, str)
    names = schema.names if is_plain else list(compression)
    return partial(pyarrow.parquet.ParquetWriter, schema=schema, compression=compression,
                   use_dictionary=[name for name in names if name != text],
                   version=file.metadata.format_version)


def _write_group(writer: Any, table: Any, budget: Budget) -> None:
    import pyarrow

    if len(table):
        writer.write_table(table, row_group_size=len(table))
    if budget.allowed:
        pyarrow.default_memory_pool().release_unused()


def _is_packed(file: Any) -> bool:
    return any(group.column(i).compression != "UNCOMPRESSED"
               for group in groups_of(file)[:1] for i in range(group.num_columns))


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
