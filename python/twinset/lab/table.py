"""Tables of experiments, as CSV and Markdown."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | None
Row = tuple[Any, ...]  # of cells, whose types depend on the column


@dataclass(frozen=True)
class Table:
    """Rows with named columns. An unknown cell is None."""

    columns: tuple[str, ...]
    rows: Sequence[Row]

    def column(self, name: str) -> list[Any]:
        """All cells of a column."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    def where(self, **cells: Cell) -> "Table":
        """The rows that have these cells."""
        wanted = {self.columns.index(name): cell for name, cell in cells.items()}
        rows = [row for row in self.rows if all(row[i] == cell for i, cell in wanted.items())]
        return Table(self.columns, rows)

    def csv(self) -> str:
        """The table as CSV, with all digits. Unknown cells are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """The table as Markdown, with four digits."""
        lines: list[Sequence[str]] = [self.columns, ["---"] * len(self.columns)]
        lines += [[readable(cell) for cell in row] for row in self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def readable(cell: Cell) -> str:
    """A cell for readers: four digits, and commas in large numbers."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 1000:
        return f"{cell:,.0f}"
    return f"{cell:.4g}"


def distinct(cells: Sequence[Any]) -> list[Any]:
    """Each cell once, in the order of its first appearance."""
    return list(dict.fromkeys(cells))
