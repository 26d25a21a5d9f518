"""Orders the rows of a table by preference, because the engine keeps the first of similar rows.
The rules are those of JSON lines (docs/format.md)."""

from __future__ import annotations

from typing import Any

from . import _core, tables
from .inputs import Texts
from .rules import KEEP, KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST, TIMES

Rank = tuple[int, Any]
NOTHING: Rank = (0, 0)


def order_by(texts: Texts, keep: str) -> list[int] | None:
    """The positions of rows by preference; None if the engine itself has the rule."""
    if not isinstance(keep, str) or not keep:
        raise TypeError(f"keep: {', '.join(KEEP)} or a column is wanted, not {keep!r}")
    if keep in (KEEP_FIRST, KEEP_LONGEST):
        return None
    if texts.table is None:
        raise _core.UsageError(f"keep: '{keep}' is of a table's columns, and a list has none; "
                               f"'{KEEP_FIRST}' and '{KEEP_LONGEST}' are for any texts")
    ranks = _times(texts.table) if keep == KEEP_NEWEST else _ranks(texts.table, keep)
    return sorted(range(texts.size), key=ranks.__getitem__, reverse=True)


def _times(table: tables.Table) -> list[Rank]:
    for name in TIMES:
        if name in table.names:
            ranks = _ranks(table, name)
            if any(rank != NOTHING for rank in ranks):
                return ranks
    raise _core.UsageError(f"keep: '{KEEP_NEWEST}' needs one of the columns {', '.join(TIMES)}; "
                           "name the one that says when")


def _ranks(table: tables.Table, name: str) -> list[Rank]:
    column = tables.find(table, name, "keep")
    if tables.package_of(column) == "pyarrow":
        column = _times_as_numbers(column)
    return [_rank(value) for value in tables.values_of(column)]


def _times_as_numbers(column: Any) -> Any:
    """Times as Arrow's numbers, since times of Python have no nanoseconds; other columns as is."""
    import pyarrow

    if not pyarrow.types.is_temporal(column.type) or pyarrow.types.is_interval(column.type):
        return column
    return column.cast(pyarrow.int32() if column.type.bit_width == 32 else pyarrow.int64())


def _rank(value: Any) -> Rank:
    """A sort key: strings rank above times, times above numbers, and all else is NOTHING."""
    import datetime
    import decimal

    if value is None or isinstance(value, bool) or value != value:
        return NOTHING
    if isinstance(value, (int, float, decimal.Decimal)):
        return 1, value
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return 2, value
    if isinstance(value, str):
        return 3, value.encode("utf-8", "surrogatepass")
    return NOTHING
