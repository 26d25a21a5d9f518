"""Displays results: a few rows as text, or as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ROWS_OF_TEXT = 10
ROWS_OF_HTML = 20
NAME_COLUMNS = 40
RIGHT_ALIGNED = frozenset({"similar", "a in b", "b in a", "longest", "cluster"})


class Table(NamedTuple):
    """The first rows of a result."""

    summary: str
    heads: Sequence[str]
    lines: Sequence[Sequence[str]]
    more: int
    """Rows that are not shown."""
    notes: Sequence[str]


def count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """A percentage, cut, not rounded, so that 100.0% means all, as in the command's table."""
    if share is None or share != share:
        return ""
    tenths = 1000 if share >= 1 else min(int(share * 1000 + 1e-12), 999)
    return f"{tenths // 10}.{tenths % 10}%"


def visible(name: str) -> str:
    """A name with escapes for characters that are invisible, move the cursor or reverse text."""
    return name if name.isprintable() else "".join(map(_visible, name))


def _visible(character: str) -> str:
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if character.isprintable() or character in escapes:
        return escapes.get(character, character)
    return f"\\u{{{ord(character):x}}}"


# ---- text

def as_text(table: Table) -> str:
    lines = [tuple(map(_shorten, line)) for line in table.lines]
    widths = [max(len(line[i]) for line in (table.heads, *lines)) for i in range(len(table.heads))]
    shown = [table.summary, *([""] if lines else [])]
    for line in (table.heads, *lines) if lines else ():
        cells = (cell.rjust(width) if head in RIGHT_ALIGNED else cell.ljust(width)
                 for cell, width, head in zip(line, widths, table.heads))
        shown.append("  ".join(cells).rstrip())
    if table.more:
        shown.append(f"... and {table.more:,} more")
    return "\n".join([*shown, *([""] if table.notes else []), *table.notes])


def _shorten(cell: str) -> str:
    """Keeps the end of a long name, which says more than its start."""
    return cell if len(cell) <= NAME_COLUMNS else "…" + cell[1 - NAME_COLUMNS:]


# ---- HTML

# The bars have the only colour, which is visible on light and on dark; all others are inherited.
STYLE = """
.twinset table { border-collapse: collapse; margin: 0.4em 0; font-variant-numeric: tabular-nums }
.twinset th, .twinset td { padding: 0.2em 0.7em; text-align: left; vertical-align: top;
  border: 0; border-bottom: 1px solid rgba(128, 128, 128, 0.3); background-color: transparent }
.twinset th { font-weight: 600; border-bottom-color: rgba(128, 128, 128, 0.8) }
.twinset td.number, .twinset th.number { text-align: right; white-space: nowrap }
.twinset td.name { overflow-wrap: anywhere; max-width: 28em }
.twinset td.bar { background-repeat: no-repeat; min-width: 5em;
  background-image: linear-gradient(rgba(66, 133, 220, 0.35), rgba(66, 133, 220, 0.35)) }
.twinset p { margin: 0.3em 0 }
"""


def as_html(table: Table) -> str:
    from html import escape

    rows = "".join(f"<tr>{_cells(table.heads, line)}</tr>" for line in table.lines)
    heads = "".join(f'<th class="{_class(head)}">{escape(head)}</th>' for head in table.heads)
    blocks = [f"<style>{STYLE}</style>", f"<p>{escape(table.summary)}</p>"]
    if table.lines:
        blocks.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
    if table.more:
        blocks.append(f"<p>… and {table.more:,} more</p>")
    blocks += [f"<p>{escape(visible(note))}</p>" for note in table.notes]
    return f'<div class="twinset">{"".join(blocks)}</div>'


def _class(head: str) -> str:
    return "number" if head in RIGHT_ALIGNED else "name"


def _cells(heads: Sequence[str], line: Sequence[str]) -> str:
    from html import escape

    cells = []
    for head, cell in zip(heads, line):
        bar = f' style="background-size: {cell} 100%"' if head == "similar" else ""
        kind = "number bar" if bar else _class(head)
        cells.append(f'<td class="{kind}"{bar}>{escape(cell)}</td>')
    return "".join(cells)
