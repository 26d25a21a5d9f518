"""Tables of Python's own types: a list of dicts, and a dict of columns; and those of Hugging Face
that are a dict of datasets, or an iterable of rows."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import tables


class Records:
    """A list of dicts. A key that a dict lacks has the value None."""

    def __init__(self, data: Sequence[Mapping[str, Any]]) -> None:
        self.data = data
        self.names = list(dict.fromkeys(name for record in data for name in record))

    def column(self, name: str) -> Any:
        return [record.get(name) for record in self.data]

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        return [{**self.data[position], **{name: values[i] for name, _, values in added}}
                for i, position in enumerate(positions)]

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return [{**record, name: changed[i]} if i in changed else record
                for i, record in enumerate(taken)]

    def to_arrow(self, taken: Any) -> Any:
        return tables.need("pyarrow", "to_arrow()").Table.from_pylist(taken)


class Columns:
    """A dict of columns of equal length."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data, self.names = data, list(data)
        lengths = {name: len(column) for name, column in data.items()}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
            raise ValueError(f"data: the columns of a dict must be of one length; {sizes}")

    def column(self, name: str) -> Any:
        return self.data[name]

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        taken = {name: tables.pick(column, positions) for name, column in self.data.items()}
        return {**taken, **{name: values for name, _, values in added}}

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        return {**taken, name: tables.with_texts(taken[name], changed)}

    def to_arrow(self, taken: Any) -> Any:
        return tables.need("pyarrow", "to_arrow()").table(taken)


class Splits:
    """A DatasetDict, whose rows are those of its splits, one split after the other. take() returns
    a dict of the same type, with the same splits; for an IterableDatasetDict, a dict of lists."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.splits = [tables.table_of(split) or Records(split) for split in data.values()]
        self.counts = [len(split) for split in data.values()]
        self.names = [name for name in self.splits[0].names
                      if all(name in split.names for split in self.splits)]

    def column(self, name: str) -> Any:
        values: list[Any] = []
        for split in self.splits:
            values += tables.values_of(split.column(name))
        return values

    def row_ids(self, ids: Sequence[Any] | None) -> list[str]:
        """SPLIT:ROW for rows without ids; SPLIT#ID for ids that occur more than once."""
        splits = [name for name, count in zip(self.data, self.counts) for _ in range(count)]
        if ids is None:
            return [f"{name}:{row}" for name, count in zip(self.data, self.counts)
                    for row in range(1, count + 1)]
        counts = Counter(map(str, ids))
        return [f"{split}#{id}" if counts[str(id)] > 1 else str(id)
                for split, id in zip(splits, ids)]

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        taken, start, done = {}, 0, 0
        for name, split, count in zip(self.data, self.splits, self.counts):
            end = bisect_left(positions, start + count, done)
            columns = [column._replace(values=column.values[done:end]) for column in added]
            taken[name] = split.take([row - start for row in positions[done:end]], columns)
            start, done = start + count, end
        return type(self.data)(taken)

    def replace(self, taken: Any, name: str, changed: Mapping[int, Any]) -> Any:
        replaced, start = {}, 0
        for split, (split_name, rows) in zip(self.splits, taken.items()):
            changed_rows = {position - start: text for position, text in changed.items()
                            if start <= position < start + len(rows)}
            replaced[split_name] = split.replace(rows, name, changed_rows)
            start += len(rows)
        return type(self.data)(replaced)

    def to_arrow(self, taken: Any) -> Any:
        pyarrow = tables.need("pyarrow", "to_arrow()")
        return pyarrow.concat_tables([split.to_arrow(rows)
                                      for split, rows in zip(self.splits, taken.values())])


def table_of(data: Any) -> tables.Table | None:
    """The table that `data` is, or None."""
    if isinstance(data, Mapping):
        return _mapping(data)
    if isinstance(data, (list, tuple)):
        return Records(data) if data and _are_records(data) else None
    if tables.package_of(data) == "datasets" and isinstance(data, Iterable):
        return Records(list(data))  # an IterableDataset, whose rows can be read once
    return None


def _are_records(data: Sequence[Any]) -> bool:
    return all(isinstance(record, Mapping) and all(isinstance(name, str) for name in record)
               for record in data)


def _mapping(data: Mapping[Any, Any]) -> tables.Table | None:
    """The table that a dict of datasets or of columns is. None for others: a dict of texts by id is
    not a table."""
    if not data or not all(isinstance(name, str) for name in data):
        return None
    if all(hasattr(value, "with_format") for value in data.values()):
        is_read = all(hasattr(value, "select") for value in data.values())
        return Splits(data if is_read else {name: list(value) for name, value in data.items()})
    is_columns = all(hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping))
                     for value in data.values())
    return Columns(data) if is_columns else None
