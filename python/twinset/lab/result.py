"""The result of an experiment."""

import pathlib
from dataclasses import dataclass

from .figure import Draw, render
from .table import Table


@dataclass(frozen=True)
class Result:
    """A table, its figure, and notes on it."""

    title: str
    table: Table
    draw: Draw
    size: tuple[float, float] = (7.5, 4.2)  # of the figure, in inches
    notes: tuple[str, ...] = ()

    def svg(self) -> bytes:
        """The figure as SVG. Equal rows give equal bytes."""
        return render(self.draw, self.title, self.size, "svg")

    def png(self) -> bytes:
        """The figure as PNG."""
        return render(self.draw, self.title, self.size, "png")

    def markdown(self, name: str) -> str:
        """A page with the figure NAME.svg, the notes and the table."""
        blocks = [f"# {self.title}", f"![{self.title}]({name}.svg)", *self.notes,
                  self.table.markdown()]
        return "\n\n".join(blocks)

    def write(self, folder: pathlib.Path, name: str) -> list[pathlib.Path]:
        """Writes NAME.csv, .md, .svg and .png. Returns their paths."""
        files = {
            "csv": self.table.csv().encode(),
            "md": self.markdown(name).encode(),
            "svg": self.svg(),
            "png": self.png(),
        }
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for kind, content in files.items():
            paths.append(folder / f"{name}.{kind}")
            paths[-1].write_bytes(content)
        return paths
