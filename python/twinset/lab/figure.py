"""Figures of one style, with the same bytes for the same rows.

matplotlib is imported by the functions that need it, so that tables can be made without it. Text
stays text in SVG files, and coordinates have two digits, which keeps files small.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..tables import need
from .table import Table, distinct, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which colour-blind people can distinguish, without its yellow, which is
# too faint on white. Markers differ, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (6, 3)), (0, (1, 2)), "-.", (0, (3, 3)))  # where markers would overlap
GREY = "#6E7781"

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.facecolor": "white",
    "figure.titlesize": 13,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 10,
    "grid.color": "#E4E7EB",
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "twinset",
    # The grid replaces tick marks.
    "xtick.bottom": False,
    "ytick.left": False,
}

Draw = Callable[["Figure"], None]


def render(draw: Draw, title: str, size: tuple[float, float], kind: str) -> bytes:
    """Renders a figure as `kind`, svg or png. `size` is in inches."""
    matplotlib = need("matplotlib", "a figure")
    figures = need("matplotlib.figure", "a figure")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        cycle = matplotlib.cycler(color=COLOURS, marker=MARKERS)
        matplotlib.rcParams.update({**STYLE, "axes.prop_cycle": cycle})
        figure = figures.Figure(figsize=size, dpi=120, layout="constrained")
        figure.suptitle(title)
        draw(figure)
        file = io.BytesIO()
        # Dates and versions would change the bytes of equal figures.
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata)
    return compact(file.getvalue()) if kind == "svg" else file.getvalue()


def compact(svg: bytes) -> bytes:
    """Removes indentation and rounds coordinates to 1/100 point, which leaves a third of the
    bytes."""
    def shorten(attribute: re.Match[bytes]) -> bytes:
        return re.sub(rb"(\.\d\d)\d+", rb"\1", attribute[0]).replace(b" \n", b" ")

    svg = re.sub(rb'(?<= )(?:d|x|y|transform)="[^"]*"', shorten, svg)
    return re.sub(rb"\n +", b"\n", svg)


def lines(axes: Axes, table: Table, x: str, y: str, by: str) -> None:
    """Draws a line for each value of the column `by`."""
    for cell in distinct(table.column(by)):
        rows = table.where(**{by: cell})
        axes.plot(rows.column(x), rows.column(y), label=readable(cell))


def label(axes: Axes, x: str, y: str, title: str = "") -> None:
    """Sets the labels of the axes, and the title."""
    axes.set(xlabel=x, ylabel=y)
    axes.set_title(title, loc="left")


def draw_level(axes: Axes, height: float, text: str) -> None:
    """Draws a dashed horizontal line, with its name at the right, under it."""
    axes.axhline(height, color=GREY, linestyle="--", linewidth=1, marker="")
    axes.annotate(text, (1, height), xycoords=("axes fraction", "data"), xytext=(-4, -12),
                  textcoords="offset points", ha="right", color=GREY, fontsize=9)


def draw_upright(axes: Axes, x: float, text: str) -> None:
    """Draws a dashed vertical line, with its name at the foot."""
    axes.axvline(x, color=GREY, linestyle="--", linewidth=1, marker="")
    axes.annotate(text, (x, 0), xycoords=("data", "axes fraction"), xytext=(4, 4),
                  textcoords="offset points", color=GREY, fontsize=9)


def ticks(axes: Axes, values: Sequence[int]) -> None:
    """Labels these values of the x axis, and no others."""
    axes.set_xticks(values, map(readable, values))
    axes.minorticks_off()
