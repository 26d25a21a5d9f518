"""S3: "Web Documents Similarity Using K-Shingle Tokens and MinHash".

Its web pages are not available, so pages are generated. Punctuation is dropped, case is folded.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import _core
from ..tables import need
from . import figure
from .corpus import pages
from .engine import curve, options, candidate_pairs, rows_of, scan, seconds
from .result import Result
from .table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {"characters": "char", "words": "word"}


def time_by_documents(seed: int = 1, words: int = 500, ks: Sequence[int] = range(4, 11),
                      counts: Sequence[int] = range(100, 1001, 100)) -> Result:
    """Time from texts to clusters, by k and the number of documents."""
    texts = pages(max(counts), words, seed)
    rows = []
    for kind, by in KINDS.items():
        for k in ks:
            for count in counts:
                def work() -> _core.Result:
                    return scan(texts[:count], by=by, k=k, punctuation="drop", method="lsh",
                                hashes=100, bands=20, seed=seed, threads=1)
                candidates = work().run()["candidates"]
                rows.append((kind, k, count, candidates, 1000 * seconds(work)))
    table = Table(("shingles_of", "k", "documents", "candidates", "milliseconds"), rows)

    def draw(page: Figure) -> None:
        shades = shades_of(len(ks))
        for axes, kind in zip(page.subplots(1, 2), KINDS):
            for k, shade in zip(ks, shades):
                rows_of_k = table.where(shingles_of=kind, k=k)
                axes.plot(rows_of_k.column("documents"), rows_of_k.column("milliseconds"),
                          color=shade, marker="", label=str(k))
            axes.set_ylim(bottom=0)
            figure.label(axes, "documents", "milliseconds", f"k {kind} in a row")
        handles, labels = axes.get_legend_handles_labels()
        page.legend(handles, labels, title="k", loc="outside right center")

    notes = (f"Texts of {words} words, 100 hashes in 20 bands, one thread: reading, shingles, "
             "signatures, candidates, verification and clusters.",)
    return Result("S3: time by number of documents", table, draw, (9, 4.2), notes)


def shades_of(count: int) -> list[tuple[float, ...]]:
    """Shades from dark to light, which look evenly spaced."""
    colormap = need("matplotlib", "a figure").colormaps["viridis"]
    return [colormap(0.9 * i / max(count - 1, 1)) for i in range(count)]


def time_by_hashes(seed: int = 1, words: Sequence[int] = (100, 1000, 10000),
                   hashes: Sequence[int] = (50, 100, 200, 400, 800, 1600)) -> Result:
    """Time of a signature, by hash functions and words."""
    rows = []
    for scheme in ("modular", "fss"):
        for count in words:
            text = pages(1, count, seed)[0]
            for n in hashes:
                sketcher = _core.Sketcher(options(scheme=scheme, hashes=n, by="word", k=5))
                time = seconds(lambda: sketcher.text(text))
                rows.append((scheme, count, n, 1e6 * time))
    table = Table(("scheme", "words", "hashes", "microseconds"), rows)

    def draw(page: Figure) -> None:
        for axes, scheme in zip(page.subplots(1, 2, sharey=True), ("modular", "fss")):
            figure.lines(axes, table.where(scheme=scheme), "hashes", "microseconds", "words")
            axes.set(xscale="log", yscale="log")
            figure.ticks(axes, hashes)
            figure.label(axes, "hash functions", "microseconds" if scheme == "modular" else "",
                         scheme)
        axes.legend(title="words")

    notes = ("Shingles of 5 words. Modular hashing computes every function of every shingle; "
             "the Fast Similarity Sketch about one hash of each, whatever their number.",)
    return Result("S3: time by hash functions and words", table, draw, (9, 4.2), notes)


def probabilities(seed: int = 1, bands: int = 20, hashes: int = 100, trials: int = 1000) -> Result:
    """Candidates, false positives and false negatives, by similarity."""
    rows_ = hashes // bands
    knee = (1 / bands) ** (1 / rows_)
    dice = random.Random(seed)
    rows = []
    for tenth in range(1, 11):
        s = tenth / 10
        p = _core.probability(bands, rows_, s)
        hits = sum(is_candidate(s, bands, rows_, dice) for _ in range(trials))
        rows.append((s, p, p if s < knee else None, 1 - p if s >= knee else None, hits / trials))
    table = Table(("similarity", "candidate", "false_positive", "false_negative", "measured"),
                  rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        axes.plot(*curve(bands, rows_), marker="", label="1 − (1 − s^r)^b")
        for start, end, base, colour, name in ((0, knee, 0, 1, "false positives"),
                                               (knee, 1, 1, 2, "false negatives")):
            similarities = [start + (end - start) * step / 50 for step in range(51)]
            heights = [_core.probability(bands, rows_, s) for s in similarities]
            axes.fill_between(similarities, heights, base, color=figure.COLOURS[colour],
                              alpha=0.3, linewidth=0, label=name)
        axes.plot(table.column("similarity"), table.column("measured"), "o",
                  color=figure.COLOURS[6], label=f"measured, {trials:,} pairs each")
        figure.draw_upright(axes, knee, f"threshold {knee:.3f}")
        figure.label(axes, "similarity s", "probability to become a candidate")
        axes.legend(loc="upper left")

    notes = (f"The threshold is the knee, (1/{bands})^(1/{rows_}) = {knee:.3f}: a candidate below "
             "it is a false positive, a pair above it that is none a false negative.",)
    title = f"S3: candidates by similarity, {bands} bands of {hashes} hashes"
    return Result(title, table, draw, notes=notes)


def is_candidate(s: float, bands: int, rows: int, dice: random.Random,
                 size: int = 200) -> bool:
    """Whether two random sets of similarity s, `size` numbers in all, agree in a band."""
    numbers = [dice.getrandbits(64) for _ in range(size)]
    shared = round(s * size)
    half = shared + (size - shared) // 2
    named = options(scheme="fss", hashes=bands * rows, seed=dice.getrandbits(32))
    sketcher = _core.Sketcher(named)
    sketches = [rows_of(sketcher.values(array("Q", members)), bands * rows)[0]
                for members in (numbers[:half], numbers[:shared] + numbers[half:])]
    return bool(candidate_pairs(sketches, bands, rows))
