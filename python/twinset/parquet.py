"""Parquet files by pyarrow: texts and ids alone when they are read, all columns when what is kept
of them is written, a row group at a time."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import _core, tables
from .inputs import Columns, Texts, id_column, read_ids
from .records import Id


class Rows:
    """The rows of some Parquet files, one file after the other: a tables.Table."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self.files = [_open(path) for path in paths]
        self.counts = [file.metadata.num_rows for file in self.files]
        self.names = self.files[0].schema_arrow.names
        for path, file in zip(paths, self.files):
            if missing := [name for name in self.names if name not in file.schema_arrow.names]:
                raise _core.InputError(f"{path}: there is no column {missing[0]!r}, "
                                       f"which {paths[0]} has")

    def column(self, name: str) -> Any:
        import pyarrow

        kind = self.files[0].schema_arrow.field(name).type
        chunks = [batch.column(0) for file in self.files
                  for batch in file.iter_batches(columns=[name])]
        return pyarrow.chunked_array(chunks, chunks[0].type if chunks else kind)

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        import pyarrow

        table = pyarrow.concat_tables([file.read() for file in self.files])
        return tables.extend(tables.select(table, positions), added)

    def to_arrow(self, taken: Any) -> Any:
        return taken

    def write(self, targets: Sequence[Any], positions: Sequence[int],
              added: Sequence[tables.Column] = ()) -> None:
        """Writes what is at some positions, which rise, each file to a target of its own, or all to
        one: columns, metadata, packing and row groups stay as they are, in one as in the first."""
        parts = _parts(positions, self.counts, added)
        if len(targets) == len(self.files):
            for file, target, part in zip(self.files, targets, parts):
                with _writer(file, target, added) as writer:
                    _write(writer, file, *part)
            return
        with _writer(self.files[0], targets[0], added) as writer:
            for file, part in zip(self.files, parts):
                _write(writer, file, *part)


def read(paths: Sequence[str], columns: Columns) -> Texts:
    """The texts of some files. Without ids a row is named FILE:ROW, as a line of JSON is."""
    rows = Rows(paths)
    texts = tables.find(rows, columns.text, paths[0])
    column = id_column(rows, columns)
    ids = None if column is None else _read_ids(rows, tables.values_of(column))
    if ids is None:
        ids = [f"{path}:{row}" for path, count in zip(paths, rows.counts)
               for row in range(1, count + 1)]
    return Texts(texts, len(texts), ids, rows, rows, columns.text)


def _read_ids(rows: Rows, values: Sequence[Any]) -> list[Id]:
    """Ids are unique within a file; those that several files have are named FILE#ID, as records of
    JSON lines are."""
    ids: list[Id] = []
    for count in rows.counts:
        ids += read_ids(values[len(ids):len(ids) + count], count) or []
    often = Counter(map(str, ids))
    if len(often) == len(ids):
        return read_ids(ids, len(ids)) or []
    files = (path for path, count in zip(rows.paths, rows.counts) for _ in range(count))
    return [f"{path}#{one}" if often[str(one)] > 1 else str(one) for path, one in zip(files, ids)]


def _open(path: str) -> Any:
    parquet = tables.need("pyarrow.parquet", "a Parquet file")
    import pyarrow

    try:
        return parquet.ParquetFile(path, memory_map=True)
    except (OSError, pyarrow.ArrowException) as error:
        number = getattr(error, "errno", None)
        raise _core.InputError(f"{path}: {os.strerror(number) if number else error}") from None


# ---- writing

def _parts(positions: Sequence[int], counts: Iterable[int], added: Sequence[tables.Column]
           ) -> Iterator[tuple[list[int], list[tables.Column]]]:
    """Positions and columns cut into those of rows that lie together, so many at a time."""
    start = done = 0
    for count in counts:
        end = bisect_left(positions, start + count, done)
        yield ([position - start for position in positions[done:end]],
               [tables.Column(name, kind, values[done:end]) for name, kind, values in added])
        start, done = start + count, end


def _writer(file: Any, target: Any, added: Sequence[tables.Column]) -> Any:
    """Writes files like this one, with these columns more."""
    import pyarrow.parquet

    empty = [column._replace(values=[]) for column in added]
    schema = tables.extend(file.schema_arrow.empty_table(), empty).schema
    return pyarrow.parquet.ParquetWriter(target, schema,
                                         compression=_packing(_groups(file), added),
                                         version=file.metadata.format_version)


def _write(writer: Any, file: Any, positions: Sequence[int],
           added: Sequence[tables.Column]) -> None:
    parts = _parts(positions, [group.num_rows for group in _groups(file)], added)
    for number, (kept, columns) in enumerate(parts):
        if kept:
            table = tables.extend(_rows(file, number, kept), columns)
            writer.write_table(table.select(writer.schema.names).cast(writer.schema),
                               row_group_size=len(table))


def _groups(file: Any) -> list[Any]:
    return [file.metadata.row_group(i) for i in range(file.num_row_groups)]


def _packing(groups: Sequence[Any], added: Sequence[tables.Column]) -> str | dict[str, str]:
    """How each column is packed in the first row group; those that are added, as the first is."""
    if not groups:
        return "snappy"
    columns = [groups[0].column(i) for i in range(groups[0].num_columns)]
    packing = {column.path_in_schema: "none" if column.compression == "UNCOMPRESSED"
               else column.compression.lower() for column in columns}
    return {**packing, **{name: next(iter(packing.values())) for name, _, _ in added}}


def _rows(file: Any, group: int, positions: Sequence[int]) -> Any:
    """Some rows of a row group. It is read in batches, so that only what is kept is held whole."""
    import pyarrow

    kept, start, done = [], 0, 0
    for batch in file.iter_batches(row_groups=[group]):
        end = bisect_left(positions, start + len(batch), done)
        chosen = [position - start for position in positions[done:end]]
        kept.append(batch.take(pyarrow.array(chosen, pyarrow.int64())))
        start, done = start + len(batch), end
    return pyarrow.Table.from_batches(kept, file.schema_arrow)
