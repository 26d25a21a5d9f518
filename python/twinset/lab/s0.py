"""S0, a thesis: "Plagiarism Detection in Text Collections".

Bands and rows from the divisors of the number of hashes, and signatures of small sets.
"""

from __future__ import annotations

from array import array
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from .. import _core
from . import figure
from .engine import curve, options, rows_of
from .result import Result
from .table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Rows 0 to 12 of the thesis' matrix are the elements a to m.
ELEMENTS = "abcdefghijklm"
SETS = {"S1": "adghkl", "S2": "chijl", "S3": "bdefgl", "S4": "acdijlm"}
FACTORS = (1, 3, 5, 7, 9, 11)


def walk(hashes: int = 225, threshold: float = 0.53) -> Result:
    """Tuning: the knee of every bands x rows, and what accuracy and speed choose."""
    named = {"hashes": hashes, "threshold": threshold}
    chosen = {}
    for rule in ("accuracy", "speed"):
        chosen[_core.tune(options(**named, prefer=rule))["bands"]] = rule
    tunings = _core.tune_walk(options(**named, prefer="accuracy"))
    table = Table(
        ("bands", "rows", "knee", "found", "false_positives", "false_negatives", "chosen_by"),
        [(tuning["bands"], tuning["rows"], tuning["knee"], tuning["recall"],
          tuning["false_positives"], tuning["false_negatives"], chosen.get(tuning["bands"], ""))
         for tuning in tunings],
    )

    def draw(page: Figure) -> None:
        left, right = page.subplots(1, 2)
        left.plot(table.column("bands"), table.column("knee"))
        figure.draw_level(left, threshold, f"threshold {threshold:g}")
        left.set_xscale("log")
        figure.ticks(left, table.column("bands"))
        figure.label(left, "bands (bands × rows = hashes)", "knee (1/b)^(1/r)", "The walk")
        for bands, rows, knee, *_, rule in table.rows:
            if rule:
                left.annotate(f"{rule}: {bands}×{rows}", (bands, knee), xytext=(-8, -10),
                              textcoords="offset points", ha="right")
                right.plot(*curve(bands, rows), marker="", label=f"{rule}: {bands}×{rows}")
        figure.draw_upright(right, threshold, f"threshold {threshold:g}")
        figure.label(right, "similarity s", "probability to become a candidate", "The choices")
        right.legend(loc="upper left")

    notes = (
        "`found` is the probability that a pair at the threshold becomes a candidate; "
        "`false_positives` and `false_negatives` are the areas under the curve below the "
        "threshold and over it above.",
    )
    title = f"S0: bands and rows for {hashes} hashes and a threshold of {threshold:g}"
    return Result(title, table, draw, (9, 4.2), notes)


def s_curve(bands: int = 20, rows: int = 5) -> Result:
    """The S-curve: probability of a candidate by similarity."""
    table = Table(("similarity", "probability"),
                  [(tenth / 10, _core.probability(bands, rows, tenth / 10))
                   for tenth in range(11)])
    knee = (1 / bands) ** (1 / rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        axes.plot(*curve(bands, rows), marker="")
        axes.plot(table.column("similarity"), table.column("probability"), "o",
                  color=figure.COLOURS[0])
        for s, probability in table.rows[2:9]:
            axes.annotate(f"{probability:.3f}", (s, probability), xytext=(8, -10),
                          textcoords="offset points", fontsize=9)
        figure.draw_upright(axes, knee, f"knee {knee:.3f}")
        figure.label(axes, "similarity s", "probability to become a candidate")

    return Result(f"S0: the S-curve of {bands} bands of {rows} rows", table, draw)


def matrix() -> Result:
    """Signatures of four small sets by six hash functions."""
    sketches = {name: sketch(elements) for name, elements in SETS.items()}
    table = Table(
        ("function", *SETS),
        [(f"({factor}x + 1) mod {len(ELEMENTS)}", *(slots[i] for slots in sketches.values()))
         for i, factor in enumerate(FACTORS)],
    )
    pairs = [(a, b, exact(SETS[a], SETS[b]), _core.estimate(sketches[a], sketches[b]))
             for a, b in combinations(SETS, 2)]

    def draw(page: Figure) -> None:
        left, middle, right = page.subplots(1, 3, width_ratios=(1, 1, 1.4))
        members = [[int(element in elements) for elements in SETS.values()]
                   for element in ELEMENTS]
        grid(left, members, list(ELEMENTS), "Characteristic matrix")
        slots = [list(row[1:]) for row in table.rows]
        grid(middle, slots, [f"{factor}x + 1" for factor in FACTORS], "Signatures (mod 13)")
        bars = range(len(pairs))
        right.barh([y - 0.2 for y in bars], [float(pair[2]) for pair in pairs], 0.38,
                   label="exact", color=figure.COLOURS[0])
        right.barh([y + 0.2 for y in bars], [pair[3] for pair in pairs], 0.38,
                   label="estimate", color=figure.COLOURS[1])
        right.set_yticks(bars, [f"{a}, {b}" for a, b, *_ in pairs])
        right.invert_yaxis()
        right.grid(axis="y", visible=False)
        figure.label(right, "Jaccard similarity", "", "Six slots estimate roughly")
        right.legend(loc="lower right")

    notes = ("Exact similarities: " +
             ", ".join(f"J({a}, {b}) = {value}" for a, b, value, _ in pairs) + ".",)
    return Result("S0: from sets to signatures", table, draw, (9, 4.2), notes)


def sketch(elements: str) -> memoryview:
    """The signature by h(x) = (factor x + 1) mod 13."""
    sketcher = _core.Sketcher(options(scheme="modular", hashes=len(FACTORS)))
    ones = array("Q", [1] * len(FACTORS))
    sketcher.set_functions(array("Q", FACTORS), ones, len(ELEMENTS))
    numbers = array("Q", map(ELEMENTS.index, elements))
    return rows_of(sketcher.values(numbers), len(FACTORS))[0]


def exact(a: str, b: str) -> Fraction:
    """Jaccard similarity of two sets of letters."""
    return Fraction(len(set(a) & set(b)), len(set(a) | set(b)))


def grid(axes: Axes, rows: list[list[int]], names: list[str], title: str) -> None:
    """Draws a matrix of small numbers, with a column for each set."""
    axes.imshow(rows, cmap="Blues", vmax=2 * max(map(max, rows)), aspect="auto")
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            axes.text(x, y, str(value), ha="center", va="center")
    axes.set_xticks(range(len(SETS)), list(SETS))
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
    axes.set_title(title, loc="left")
