"""Parquet files by pyarrow, in bounded memory: what the engine compares of them goes to a temporary
file of JSON lines (spool.py); what is kept is written with all columns, a row group at a time."""

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

SKIPPED = 2**32 - 1  # of Result.decisions()
LEAST = 48 << 20  # that the engine needs, as docs/limits.md says
USUAL = 512 << 20  # for Arrow, where `memory` is not given
BATCH = 1 << 20  # bytes that are decoded at once


# ---- memory

class Budget(NamedTuple):
    """What Arrow may take while the engine does not run, and how many threads read."""

    memory: int
    threads: int

    def divided(self, parts: int) -> Budget:
        return Budget(self.memory // parts, max(self.threads // parts, 1))

    def depth(self) -> int:
        """Batches that a thread may be ahead, which take a quarter of the memory at most."""
        return min(max(self.memory // 4 // self.threads // BATCH, 1), 64)

    def group(self) -> int:
        """Bytes of a row group to write. Arrow takes as many again while it packs them."""
        return self.memory // 3


def leave_memory(chosen: dict[str, str]) -> tuple[dict[str, str], Budget]:
    """The engine's options without the memory that Python and pyarrow take already, and what Arrow
    may take beside them."""
    threads = int(chosen["threads"]) if chosen.get("threads", "").isdigit() else cores()
    if "memory" not in chosen:
        return chosen, Budget(USUAL, threads)
    allowed, taken = _bytes_of(chosen["memory"]), _resident()
    if not allowed:
        return chosen, Budget(USUAL, threads)  # the engine says what is wrong with it
    if allowed < taken + LEAST:
        raise _core.UsageError(f"memory: Python and pyarrow take {taken >> 20}M already; give at "
                               f"least {(taken + LEAST >> 20) + 1}M for Parquet")
    left = allowed - taken
    return {**chosen, "memory": str(left)}, Budget(left // 3, threads)


def _bytes_of(size: str) -> int:
    """512M in bytes; 0 where that is no size."""
    digits = size.upper().removesuffix("B")
    shift = 10 * ("KMGT".find(digits[-1:]) + 1) if digits[-1:].isalpha() else 0
    digits = digits.rstrip("KMGT")
    return int(digits) << shift if digits.isdigit() else 0


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- files

class Rows:
    """The rows of some Parquet files, one file after the other."""

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
        """A name of a column; ValueError where there is none of it."""
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
        """The rows of a file in batches, read ahead. `change` is called for each by the thread that
        reads it, with the number of its row group and that of its first row in the file."""
        groups = groups_of(self.files[number])
        starts = [0]
        for group in groups:
            starts.append(starts[-1] + group.num_rows)

        def read(place: int) -> Iterator[Any]:
            size = max(BATCH * groups[place].num_rows // max(groups[place].total_byte_size, 1), 64)
            file = _open(self.paths[number], self.files[number].metadata)
            start = starts[place]
            for batch in file.iter_batches(size, [place], columns, use_threads=False):
                yield change(batch, place, start)
                start += len(batch)

        return in_order([partial(read, place) for place in range(len(groups))], budget.threads,
                        budget.depth())

    def read_ids(self) -> list[Id]:
        """What the rows are called: as records of JSON lines are, FILE:ROW without ids, and FILE#ID
        where several files have an id."""
        if self.id is None:
            return [f"{path}:{row}" for path, count in zip(self.paths, self.counts)
                    for row in range(1, count + 1)]
        found = [(path, one) for path, file in zip(self.paths, self.files)
                 for one in file.read(columns=[self.id])[self.id].to_pylist()]
        often = Counter(one for _, one in {(path, str(one)) for path, one in found})
        return [f"{path}#{one}" if often[str(one)] > 1 else one for path, one in found]


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


# ---- what is kept

class Kept:
    """What is kept of Parquet files, by the decisions of the engine."""

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
        """All rows, some at a time: the number of the file, the first row, and how many."""
        for number, count in enumerate(self.rows.counts):
            for start in range(0, count, 1 << 20):
                yield number, start, min(count - start, 1 << 20)

    def _skipped(self, number: int, start: int, count: int) -> int:
        removals, _ = self.result.decisions(number, start, count)
        return memoryview(removals).cast("I").tolist().count(SKIPPED)

    def read_ids(self) -> list[Id]:
        ids, kept, first = self.rows.read_ids(), [], 0
        for number, start, count in self._ranges():
            removals, _ = self.result.decisions(number, start, count)
            kept += [one for one, removal in zip(ids[first:first + count],
                                                 memoryview(removals).cast("I")) if not removal]
            first += count
        return kept

    def table(self) -> Any:
        """What is kept as a pyarrow.Table."""
        import pyarrow

        schema = self._schema(self.rows.files[0])
        batches = [batch for number in range(len(self.rows.files))
                   for batch, _ in self._batches(number, self.budget)]
        return pyarrow.concat_tables(
            [schema.empty_table(),
             *(pyarrow.Table.from_batches([batch]).select(schema.names).cast(schema)
               for batch in batches)])

    def write(self, targets: Sequence[str]) -> None:
        """Writes what is kept, each file to a target of its own, or all to one: columns, metadata,
        packing and row groups stay as they are, in one as in the first. Only a row group that does
        not fit into memory becomes several."""
        files = range(len(self.rows.files))
        with ExitStack() as stack:
            opened = [stack.enter_context(replacing(path)) for path in targets]
            if len(targets) == 1:
                self._write_file(opened[0], list(files), self.budget)
                return
            parts = min(self.budget.threads, len(files))
            for_each(lambda number: self._write_file(opened[number], [number],
                                                     self.budget.divided(parts)), files, parts)

    def _write_file(self, target: Any, numbers: Sequence[int], budget: Budget) -> None:
        import pyarrow

        first = self.rows.files[numbers[0]]
        with _writer(first, target, self._schema(first), self.rows.text) as writer:
            for number in numbers:
                for batches in self._groups(number, budget):
                    table = pyarrow.Table.from_batches(batches)
                    table = table.select(writer.schema.names).cast(writer.schema)
                    writer.write_table(table, row_group_size=max(len(table), 1))

    def _groups(self, number: int, budget: Budget) -> Iterator[list[Any]]:
        """What is kept of each row group, or of a part of it that fits."""
        held: list[Any] = []
        size, current = 0, 0
        for batch, group in self._batches(number, budget):
            if held and (group != current or size > budget.group()):
                yield held
                held, size = [], 0
            current = group
            if len(batch):
                held.append(batch)
                size += batch.nbytes
        if held:
            yield held

    def _batches(self, number: int, budget: Budget) -> Iterator[tuple[Any, int]]:
        """What is kept of a file, with the number of its row group."""
        return self.rows.batches(number, None, budget, partial(self._choose, number))

    def _choose(self, number: int, batch: Any, group: int, start: int) -> tuple[Any, int]:
        """What is kept of a batch; with annotations, all that was not skipped."""
        import pyarrow
        import pyarrow.compute

        removals, clusters = self.result.decisions(number, start, len(batch), self.annotate)
        if not self.annotate:
            removed = pyarrow.Array.from_buffers(pyarrow.uint32(), len(batch),
                                                 [None, pyarrow.py_buffer(removals)])
            # A comparison with 0 would import pandas.
            return batch.filter(pyarrow.compute.invert(removed.cast(pyarrow.bool_()))), group
        table = tables.extend(pyarrow.Table.from_batches([batch]), self._notes(removals, clusters))
        used = [one != SKIPPED for one in memoryview(removals).cast("I")]
        table = table.filter(pyarrow.array(used, pyarrow.bool_())).combine_chunks()
        empty = pyarrow.RecordBatch.from_pylist([], table.schema)
        return next(iter(table.to_batches()), empty), group

    def _notes(self, removals: bytes, clusters: bytes | None) -> list[tables.Column]:
        """The columns that are added."""
        removed = [None if one in (0, SKIPPED) else self.result.removed(one - 1)
                   for one in memoryview(removals).cast("I")]
        kept = [one and (int(one[1]) if self._names_numbers() else one[1]) for one in removed]
        values = [[cluster or None for cluster in memoryview(clusters or b"").cast("I")],
                  [one is None for one in removed], kept, [one and one[2] for one in removed]]
        return [tables.Column(name, kind, column)
                for (name, kind), column in zip(self._added(), values)]

    def _names_numbers(self) -> bool:
        return len(self.rows.files) == 1 and self.rows.is_numbered() and self.ids.numbers

    def _added(self) -> list[tuple[str, type]]:
        kept = int if self._names_numbers() else str
        return [("twinset_cluster", int), ("twinset_keep", bool), ("twinset_kept", kept),
                ("twinset_similarity", float)] if self.annotate else []

    def _schema(self, file: Any) -> Any:
        """That of a file, with the columns that are added. An empty table would import pandas."""
        import pyarrow

        schema = file.schema_arrow
        for name, kind in self._added():
            if name in schema.names:
                schema = schema.remove(schema.names.index(name))
            schema = schema.append(pyarrow.field(name, tables.arrow_type(kind)))
        return schema


def _writer(file: Any, target: Any, schema: Any, text: str) -> Any:
    """Writes files like this one. Texts seldom repeat, so that a dictionary of them only costs."""
    import pyarrow.parquet

    packing = _packing(groups_of(file), schema)
    is_plain = isinstance(packing, str)
    names = schema.names if is_plain else list(packing)
    return pyarrow.parquet.ParquetWriter(target, schema, compression=packing,
                                         use_dictionary=[name for name in names if name != text],
                                         version=file.metadata.format_version)


def _packing(groups: Sequence[Any], schema: Any) -> str | dict[str, str]:
    """How each column is packed in the first row group; those that are added, as the first is."""
    if not groups:
        return "snappy"
    columns = [groups[0].column(i) for i in range(groups[0].num_columns)]
    packing = {column.path_in_schema: "none" if column.compression == "UNCOMPRESSED"
               else column.compression.lower() for column in columns}
    known = {path.partition(".")[0] for path in packing}
    first = next(iter(packing.values()))
    return {**packing, **{name: first for name in schema.names if name not in known}}
