"""Which of similar rows of a table is kept: the engine keeps the first, so they are given to it in
the order of preference. The rules are those of JSON lines (docs/format.md)."""

from __future__ import annotations

from typing import Any

from . import _core, tables
from .inputs import Texts
from .rules import KEEP, KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST, TIMES

Rank = tuple[int, Any]
NOTHING: Rank = (0, 0)


def order_by(texts: Texts, keep: str) -> list[int] | None:
    """Positions by preference; None where the engine knows the rule itself."""
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
        column = _plain(column)
    return [_rank(value) for value in tables.values_of(column)]


def _plain(column: Any) -> Any:
    """Times as the numbers that they are: Python's own have no nanoseconds."""
    import pyarrow

    if not pyarrow.types.is_temporal(column.type) or pyarrow.types.is_interval(column.type):
        return column
    return column.cast(pyarrow.int32() if column.type.bit_width == 32 else pyarrow.int64())


def _rank(value: Any) -> Rank:
    """Strings are larger than numbers, and what is missing, or neither, is the smallest."""
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
