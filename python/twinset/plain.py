"""Tables of Python's own kinds: a list of dicts, a dict of columns, and of Hugging Face what is a
dict of datasets, or gives its rows one by one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import tables


class Records:
    """A list of dicts. A key that one of them lacks is None there."""

    def __init__(self, data: Sequence[Mapping[str, Any]]) -> None:
        self.data = data
        self.names = list(dict.fromkeys(name for record in data for name in record))

    def column(self, name: str) -> Any:
        return [record.get(name) for record in self.data]

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        return [{**self.data[position], **{name: values[i] for name, _, values in added}}
                for i, position in enumerate(positions)]

    def to_arrow(self, taken: Any) -> Any:
        return tables.need("pyarrow", "to_arrow()").Table.from_pylist(taken)


class Columns:
    """A dict of columns, all of one length."""

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

    def to_arrow(self, taken: Any) -> Any:
        return tables.need("pyarrow", "to_arrow()").table(taken)


class Splits:
    """A DatasetDict: datasets by the names of splits, one after the other. What is taken of it is
    a dict of the same kind, with the same splits; of an IterableDatasetDict, a dict of lists."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.parts = [tables.table_of(one) or Records(one) for one in data.values()]
        self.counts = [len(one) for one in data.values()]
        self.names = [name for name in self.parts[0].names
                      if all(name in part.names for part in self.parts)]

    def column(self, name: str) -> Any:
        values: list[Any] = []
        for part in self.parts:
            values += tables.values_of(part.column(name))
        return values

    def row_ids(self, ids: Sequence[Any] | None) -> list[str]:
        """SPLIT:ROW without ids; SPLIT#ID for ids that are in several splits, as with files."""
        splits = [name for name, count in zip(self.data, self.counts) for _ in range(count)]
        if ids is None:
            return [f"{name}:{row}" for name, count in zip(self.data, self.counts)
                    for row in range(1, count + 1)]
        often = Counter(map(str, ids))
        return [f"{split}#{one}" if often[str(one)] > 1 else str(one)
                for split, one in zip(splits, ids)]

    def take(self, positions: Sequence[int], added: Sequence[tables.Column] = ()) -> Any:
        taken, start, done = {}, 0, 0
        for name, part, count in zip(self.data, self.parts, self.counts):
            end = bisect_left(positions, start + count, done)
            columns = [column._replace(values=column.values[done:end]) for column in added]
            taken[name] = part.take([one - start for one in positions[done:end]], columns)
            start, done = start + count, end
        return type(self.data)(taken)

    def to_arrow(self, taken: Any) -> Any:
        pyarrow = tables.need("pyarrow", "to_arrow()")
        return pyarrow.concat_tables([part.to_arrow(one)
                                      for part, one in zip(self.parts, taken.values())])


def table_of(data: Any) -> tables.Table | None:
    """The table that `data` is, or None."""
    if isinstance(data, Mapping):
        return _mapping(data)
    if isinstance(data, (list, tuple)):
        return Records(data) if data and _are_records(data) else None
    if tables.package_of(data) == "datasets" and isinstance(data, Iterable):
        return Records(list(data))  # an IterableDataset, whose rows come once, one by one
    return None


def _are_records(data: Sequence[Any]) -> bool:
    return all(isinstance(one, Mapping) and all(isinstance(name, str) for name in one)
               for one in data)


def _mapping(data: Mapping[Any, Any]) -> tables.Table | None:
    """A dict of tables, a dict of columns, or none of them: a dict of texts by their ids is not a
    table."""
    if not data or not all(isinstance(name, str) for name in data):
        return None
    if all(hasattr(one, "with_format") for one in data.values()):
        is_read = all(hasattr(one, "select") for one in data.values())
        return Splits(data if is_read else {name: list(one) for name, one in data.items()})
    is_columns = all(hasattr(one, "__len__") and not isinstance(one, (str, bytes, Mapping))
                     for one in data.values())
    return Columns(data) if is_columns else None
