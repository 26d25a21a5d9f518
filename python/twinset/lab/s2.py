"""S2: "minhash and locality sensitive hashing".

Its documents are newsgroup posts, the set coms535, each a set of terms. A signature has the least
number of each random permutation of all terms. The permutations of S2 are (a x + b) mod p, where x
is the number of a term, and p the first prime above all numbers.
"""

from __future__ import annotations

import math
import os
import random
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, starmap
from typing import TYPE_CHECKING, Any

from .. import _core
from ..tables import need
from . import figure
from .corpus import coms535
from .engine import jaccard, options, rows_of, scan, seconds
from .result import Result
from .table import Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Data = str | os.PathLike[str] | None

# Schemes by their names in tables; None: S2's own permutations.
SCHEMES = {"S2": None, "modular": "modular", "jenkins": "jenkins", "affine": "affine", "fss": "fss"}
SPACE = "space-*.txt"  # 1,001 posts, without their copies
COPIES = 7

# The paper's results: pairs by error and permutations, and near-copies found, of 7, by bands. Only
# the first and the last of its six numbers of bands are known here.
PAPER_ERRORS = {(0.04, 400): 7077, (0.04, 600): 1225, (0.04, 800): 739,
                (0.07, 400): 15, (0.07, 600): 0.2, (0.07, 800): 0,
                (0.09, 400): 0.3, (0.09, 600): 0, (0.09, 800): 0}
PAPER_FOUND = {15: 1.04, 120: 5.85}
PAPER_MATRIX = {600: 654}


def terms(text: str) -> set[str]:
    """The terms of a post: words of three letters or more, without punctuation and "the"."""
    plain = text.lower().translate(str.maketrans("", "", ".,:;'"))
    return {word for word in plain.split() if len(word) >= 3 and word != "the"}


@dataclass(frozen=True)
class Posts:
    """Posts by name, as sets of numbers of terms, and the number of all terms."""

    sets: dict[str, frozenset[int]]
    terms: int

    def texts(self) -> list[str]:
        """Texts whose words are the numbers, so that the engine sees the same sets."""
        return [" ".join(map(str, sorted(numbers))) for numbers in self.sets.values()]


def posts_of(data: Data, pattern: str = "*") -> Posts:
    """The posts whose names match a pattern. By default all posts, with their copies."""
    numbers: dict[str, int] = {}
    sets = {name: frozenset(numbers.setdefault(term, len(numbers)) for term in sorted(terms(text)))
            for name, text in coms535(data, pattern).items()}
    return Posts(sets, len(numbers))


def first_prime(least: int) -> int:
    """The first prime from `least` up."""
    while any(least % divisor == 0 for divisor in range(2, math.isqrt(least) + 1)):
        least += 1
    return least


def matrix(posts: Posts, scheme: str, hashes: int, seed: int) -> list[memoryview]:
    """The signatures of all posts by a scheme of SCHEMES."""
    named = options(scheme=SCHEMES[scheme] or "modular", hashes=hashes, seed=seed)
    sketcher = _core.Sketcher(named)
    if SCHEMES[scheme] is None:
        dice, p = random.Random(seed), first_prime(posts.terms)
        factors, summands = dice.sample(range(1, p), hashes), dice.sample(range(p), hashes)
        sketcher.set_functions(array("Q", factors), array("Q", summands), p)
    return [rows_of(sketcher.values(array("Q", numbers)), hashes)[0]
            for numbers in posts.sets.values()]


# ---- 1. Errors of estimates


def accuracy(data: Data = None, seed: int = 1, pattern: str = SPACE, runs: int = 10,
             hashes: Sequence[int] = (400, 600, 800),
             errors: Sequence[float] = (0.04, 0.07, 0.09)) -> Result:
    """Pairs whose estimate errs by more than some epsilon."""
    numpy = need("numpy", "this experiment")
    posts = posts_of(data, pattern)
    exact = all_pairs(jaccard, posts.sets.values())
    counts: dict[tuple[str, int, float], list[int]] = {}  # a count for each run
    for scheme in SCHEMES:
        for n in hashes:
            for run in range(runs):
                off = abs(all_pairs(_core.estimate, matrix(posts, scheme, n, seed + run)) - exact)
                for epsilon in errors:
                    wrong = int(numpy.count_nonzero(off > epsilon))
                    counts.setdefault((scheme, n, epsilon), []).append(wrong)
    table = Table(
        ("epsilon", "permutations", "paper", "S2_lowest", "S2_highest", *SCHEMES, "ideal"),
        [(epsilon, n, PAPER_ERRORS.get((epsilon, n)), min(counts["S2", n, epsilon]),
          max(counts["S2", n, epsilon]),
          *(sum(counts[scheme, n, epsilon]) / runs for scheme in SCHEMES),
          expected(exact, n, epsilon))
         for epsilon in errors for n in hashes],
    )

    def draw(page: Figure) -> None:
        for axes, epsilon in zip(page.subplots(1, len(errors)), errors):
            rows = table.where(epsilon=epsilon)
            least = 1 / runs  # a logarithmic axis cannot show 0
            axes.fill_between(hashes, [max(count, least) for count in rows.column("S2_lowest")],
                              [max(count, least) for count in rows.column("S2_highest")],
                              alpha=0.15, linewidth=0, label="S2, all runs")
            for i, name in enumerate(SCHEMES):
                axes.plot(hashes, drawable(rows.column(name)), color=figure.COLOURS[i],
                          label=name)
            axes.plot(hashes, drawable(rows.column("paper")), color="black", marker="X",
                      linestyle="", markersize=8, label="the paper")
            axes.plot(hashes, rows.column("ideal"), color=figure.GREY, linestyle="--", marker="",
                      label="ideal")
            axes.set_yscale("log")
            figure.ticks(axes, hashes)
            figure.label(axes, "permutations", "pairs" if epsilon == errors[0] else "",
                         f"wrong by more than {epsilon:g}")
        handles, labels = axes.get_legend_handles_labels()
        page.legend(handles, labels, loc="outside lower center", ncols=len(labels))

    notes = (
        f"Of {len(exact):,} pairs of {len(posts.sets):,} posts with {posts.terms:,} terms; means "
        f"of {runs} runs. `S2` are its permutations, computed here, with the lowest and highest of "
        "the runs; `modular` to `fss` are twinset's schemes on the same terms. `ideal`: what "
        "independent random permutations give in the long run, computed from the exact "
        "similarities. The figure has no place for 0.",
    )
    return Result("S2: pairs whose estimate errs", table, draw, (10, 4.4), notes)


def drawable(counts: Iterable[float | None]) -> list[float]:
    """Counts for a logarithmic axis, which cannot show 0: NaN in its place."""
    return [count if count else math.nan for count in counts]


def all_pairs(measure: Callable[[Any, Any], float], documents: Iterable[Any]) -> NDArray[Any]:
    """The measure of every two documents, as a numpy array."""
    measured = starmap(measure, combinations(documents, 2))
    return need("numpy", "this experiment").fromiter(measured, float)


def expected(exact: NDArray[Any], hashes: int, epsilon: float) -> float:
    """The expected number of estimates that err by more than epsilon, if each slot agrees with the
    probability of the exact similarity, independently. Similarities are rounded to 4 digits."""
    numpy = need("numpy", "this experiment")
    values, counts = numpy.unique(numpy.round(exact, 4), return_counts=True)
    agree = numpy.arange(hashes + 1)
    ways = numpy.array([math.lgamma(hashes + 1) - math.lgamma(n + 1) - math.lgamma(hashes - n + 1)
                        for n in agree])
    total = 0.0
    for j, count in zip(values, counts):
        if 0 < j < 1:
            chances = numpy.exp(ways + agree * math.log(j) + (hashes - agree) * math.log(1 - j))
            total += count * chances[abs(agree / hashes - j) > epsilon].sum()
    return float(total)


# ---- 2. Time


def time(data: Data = None, seed: int = 1, pattern: str = SPACE,
         hashes: Sequence[int] = (400, 600, 800)) -> Result:
    """Time of exact similarities, of estimates, and of the matrix of signatures."""
    posts = posts_of(data, pattern)
    sets, texts = list(posts.sets.values()), posts.texts()
    rows: list[Row] = [
        ("exact, by sets in Python", None,
         seconds(lambda: sum(starmap(jaccard, combinations(sets, 2)))), None),
        ("exact, twinset scan", None,
         seconds(lambda: scan(texts, by="word", k=1, threshold=0, method="exact", max_bucket=0,
                              threads=1)), None),
    ]
    for scheme in ("S2", "fss"):
        rows += [(f"matrix, {scheme}", n, seconds(lambda: matrix(posts, scheme, n, seed)),
                  PAPER_MATRIX.get(n) if scheme == "S2" else None) for n in hashes]
    for n in hashes:
        sketches = matrix(posts, "fss", n, seed)
        work = seconds(lambda: sum(starmap(_core.estimate, combinations(sketches, 2))))
        rows.append(("estimates", n, work, None))
    table = Table(("what", "permutations", "seconds", "paper"), rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        bars = [(f"{what}, {n} permutations" if n else what, taken, what)
                for what, n, taken, _ in table.rows]
        bars += [(f"matrix, {n} permutations, the paper", taken, "paper")
                 for n, taken in PAPER_MATRIX.items()]
        kinds = [what.partition(",")[0] for *_, what in bars]
        colours = dict(zip(("exact", "matrix", "estimates"), figure.COLOURS))
        drawn = axes.barh([name for name, *_ in bars], [taken for _, taken, _ in bars],
                          color=[colours.get(kind, figure.GREY) for kind in kinds])
        axes.bar_label(drawn, [f" {taken:.3g}" for _, taken, _ in bars])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.grid(axis="y", visible=False)
        figure.label(axes, "seconds", "")

    notes = (f"{len(sets):,} posts, {len(sets) * (len(sets) - 1) // 2:,} pairs, one thread. The "
             "scan makes the sets, compares, and finds the longest passage of every pair.",)
    return Result("S2: time of similarities, estimates and signatures", table, draw, (9, 4.6),
                  notes)


# ---- 3. Near-copies found


def bands(data: Data = None, seed: int = 1, pattern: str = "*", hashes: int = 1200,
          s: float = 0.9,
          bands: Sequence[int] = (15, 20, 24, 30, 40, 60, 80, 120)) -> Result:
    """Near-copies found, false positives and negatives, by the number of bands."""
    posts = posts_of(data, pattern)
    texts, names = posts.texts(), list(posts.sets)
    originals = [name for name in names if name.endswith(".txt")]
    own = {method: scan(texts, names, by="word", k=1, threshold=s, method=method, hashes=hashes,
                        max_bucket=0) for method in ("lsh", "exact")}
    truth = truth_of(posts, twins(own["exact"], names), originals, s)
    complete = sum(copies_of(name) <= truth[name] for name in originals)
    sketches = dict(zip(names, matrix(posts, "S2", hashes, seed)))
    rows = [row_of("S2", n, hashes // n, originals, truth, *search(sketches, originals, n, s),
                   PAPER_FOUND.get(n)) for n in bands]
    for method, result in own.items():
        run, found = result.run(), twins(result, names)
        rows.append(row_of(f"twinset, {method}", run["bands"] or None, run["rows"] or None,
                           originals, truth, found, found, None))
    table = Table(("by", "bands", "rows", "found", "found_true", "true", "false_positives",
                   "false_positive_rate", "false_negatives", "false_negative_rate", "paper"), rows)

    def draw(page: Figure) -> None:
        left, right = page.subplots(1, 2)
        rows_of_s2 = table.where(by="S2")
        truly = rows_of_s2.column("true")[0]
        left.plot(bands, rows_of_s2.column("found_true"), label="S2's search, computed here")
        left.plot(list(PAPER_FOUND), list(PAPER_FOUND.values()), linestyle="",
                  label="the paper, of 7")
        lsh = table.where(by="twinset, lsh")
        left.plot(lsh.column("bands"), lsh.column("found_true"), linestyle="", markersize=8,
                  label="twinset, lsh")
        figure.draw_level(left, truly, f"truly ≥ {s:g}: {truly:.2f}; twinset, exact")
        figure.label(left, "bands", "near-copies a post", "Found, of those truly similar")
        left.set_ylim(0, COPIES + 0.5)
        left.legend(loc="lower right")
        right.plot(bands, rows_of_s2.column("false_positive_rate"), label="false positives")
        right.plot(bands, rows_of_s2.column("false_negative_rate"), label="false negatives")
        figure.label(right, "bands", "rate", "Errors of S2's search")
        right.legend()

    notes = (
        f"Means over {len(originals):,} posts, each with {COPIES} copies that have a line of "
        f"random words in front; {hashes:,} permutations, similar from {s:g} up. `found`: copies "
        f"reported; `found_true`: of these, those whose exact similarity is {s:g} or more, of "
        "which there are `true`. False positives are candidates below it, before S2's filter by "
        "the estimate; twinset verifies and reports none. False negatives are documents from it "
        "up that are not reported.",
        f"Of {complete:,} posts, all {COPIES} copies are truly similar.",
    )
    return Result("S2: near-copies found", table, draw, (10, 4.4), notes)


def copies_of(name: str) -> set[str]:
    """The near-copies of a post."""
    return {f"{name}.copy{number}" for number in range(1, COPIES + 1)}


def twins(result: _core.Result, names: Iterable[str]) -> dict[str, set[str]]:
    """For each document, the documents that the engine reports as similar."""
    found: dict[str, set[str]] = {name: set() for name in names}
    for index in range(len(result)):
        a, b, *_ = result.pair(index)
        found[a].add(b)
        found[b].add(a)
    return found


def truth_of(posts: Posts, joined: dict[str, set[str]], originals: Iterable[str],
             s: float) -> dict[str, set[str]]:
    """The documents that are truly similar to each original. Copies are compared by the definition
    of similarity, all other documents, which would be 32 million pairs, by the engine's exact
    join."""
    truth = {}
    for name in originals:
        copies = copies_of(name)
        true = {copy for copy in copies if jaccard(posts.sets[name], posts.sets[copy]) >= s}
        truth[name] = joined[name] - copies | true
    return truth


def search(sketches: dict[str, memoryview], originals: Sequence[str], bands: int,
           s: float) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """S2's search for each original: its candidates, and those whose estimate is high enough."""
    lsh = _core.LSH(bands, len(sketches[originals[0]]) // bands * 4)
    for name, sketch in sketches.items():
        lsh.insert(name, sketch)
    candidates = {name: set(map(str, lsh.query(sketches[name]))) - {name} for name in originals}
    kept = {name: {other for other in others
                   if _core.estimate(sketches[name], sketches[other]) >= s}
            for name, others in candidates.items()}
    return candidates, kept


def row_of(by: str, bands: int | None, rows: int | None, originals: Sequence[str],
           truth: dict[str, set[str]], candidates: dict[str, set[str]],
           reported: dict[str, set[str]], paper: float | None) -> Row:
    """A row of the table, with means over all originals."""
    count = len(originals)

    def mean(sets: Iterable[set[str]]) -> float:
        return sum(map(len, sets)) / count

    copies = {name: copies_of(name) for name in originals}
    wrong = mean(candidates[name] - truth[name] for name in originals)
    missed = mean(truth[name] - reported[name] for name in originals)
    return (
        by, bands, rows,
        mean(copies[name] & reported[name] for name in originals),
        mean(copies[name] & reported[name] & truth[name] for name in originals),
        mean(copies[name] & truth[name] for name in originals),
        wrong, wrong / mean(candidates[name] for name in originals),
        missed, missed / mean(truth[name] for name in originals),
        paper,
    )
