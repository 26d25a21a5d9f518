"""Figures: one look for all, and the same bytes for the same rows.

matplotlib is imported by the functions that need it, so that tables can be had without.
Text stays text in SVG files, and places have two digits, which keeps them small.
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

# Okabe and Ito's palette, which people tell apart whatever colours they see; its yellow is
# too faint on white. Markers differ, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (6, 3)), (0, (1, 2)), "-.", (0, (3, 3)))  # where markers would be too many
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
    # The grid does what tick marks are for.
    "xtick.bottom": False,
    "ytick.left": False,
}

Draw = Callable[["Figure"], None]


def render(draw: Draw, title: str, size: tuple[float, float], kind: str) -> bytes:
    """The figure as `kind`, svg or png. `size` is in inches."""
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
        # Neither dates nor versions, which would make other bytes of the same figure.
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata)
    return compact(file.getvalue()) if kind == "svg" else file.getvalue()


def compact(svg: bytes) -> bytes:
    """The same figure in a third of the bytes: no indentation, places to 1/100 point."""
    def shorten(attribute: re.Match[bytes]) -> bytes:
        return re.sub(rb"(\.\d\d)\d+", rb"\1", attribute[0]).replace(b" \n", b" ")

    svg = re.sub(rb'(?<= )(?:d|x|y|transform)="[^"]*"', shorten, svg)
    return re.sub(rb"\n +", b"\n", svg)


def lines(axes: Axes, table: Table, x: str, y: str, by: str) -> None:
    """A line for each value of the column `by`."""
    for cell in distinct(table.column(by)):
        part = table.where(**{by: cell})
        axes.plot(part.column(x), part.column(y), label=readable(cell))


def label(axes: Axes, x: str, y: str, title: str = "") -> None:
    """Names of the axes, and what is drawn."""
    axes.set(xlabel=x, ylabel=y)
    axes.set_title(title, loc="left")


def level(axes: Axes, height: float, text: str) -> None:
    """A dashed line across, with its name at the right, under it."""
    axes.axhline(height, color=GREY, linestyle="--", linewidth=1, marker="")
    axes.annotate(text, (1, height), xycoords=("axes fraction", "data"), xytext=(-4, -12),
                  textcoords="offset points", ha="right", color=GREY, fontsize=9)


def place(axes: Axes, where: float, text: str) -> None:
    """The same upright, with its name at the foot."""
    axes.axvline(where, color=GREY, linestyle="--", linewidth=1, marker="")
    axes.annotate(text, (where, 0), xycoords=("data", "axes fraction"), xytext=(4, 4),
                  textcoords="offset points", color=GREY, fontsize=9)


def ticks(axes: Axes, places: Sequence[int]) -> None:
    """Names these places of the x axis, and no others."""
    axes.set_xticks(places, map(readable, places))
    axes.minorticks_off()
