"""S1: "Detection of similarity between documents with hashing".

Its documents are random orders of the same 50 words, compared by shingles of k characters.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, count
from typing import TYPE_CHECKING

from .. import _core
from . import figure
from .corpus import WORDS, permutations
from .engine import exact, jaccard, options, candidate_pairs, scan, seconds, shingles, signatures
from .result import Result
from .table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMES = ("modular", "jenkins", "affine", "fss")
SPACES = {"counted": "keep", "left out": "drop"}


def jaccard_by_k(seed: int = 1, documents: int = 20, ks: Sequence[int] = range(1, 21)) -> Result:
    """Similarity of random orders of 50 words, by k."""
    texts = permutations(documents, seed)
    rows = []
    for k in ks:
        similar = [exact(a, b, k=k, spaces="keep") for a, b in combinations(texts, 2)]
        rows.append((k, statistics.mean(similar), min(similar), max(similar)))
    table = Table(("k", "jaccard", "lowest", "highest"), rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        axes.fill_between(ks, table.column("lowest"), table.column("highest"), alpha=0.2,
                          linewidth=0, label="lowest to highest")
        axes.plot(ks, table.column("jaccard"), label="mean")
        figure.draw_level(axes, 0.2, "20%")
        figure.ticks(axes, ks)
        figure.label(axes, "k, characters in a row", "Jaccard similarity")
        axes.legend()

    pairs = documents * (documents - 1) // 2
    return Result(f"S1: similarity of {documents} random orders of {len(WORDS)} words", table,
                  draw, notes=(f"Mean, lowest and highest of {pairs} pairs, spaces counted.",))


def jaccard_by_spaces(seed: int = 1, documents: int = 20,
                      ks: Sequence[int] = range(1, 21)) -> Result:
    """The same with spaces counted and left out."""
    texts = permutations(documents, seed)
    rows = [(k, name, statistics.mean(exact(a, b, k=k, spaces=spaces)
                                      for a, b in combinations(texts, 2)))
            for name, spaces in SPACES.items() for k in ks]
    table = Table(("k", "spaces", "jaccard"), rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        figure.lines(axes, table, "k", "jaccard", "spaces")
        figure.draw_level(axes, 0.2, "20%")
        figure.ticks(axes, ks)
        figure.label(axes, "k, characters in a row", "mean Jaccard similarity")
        axes.legend(title="spaces")

    return Result("S1: similarity with and without spaces", table, draw)


def time_by_k(seed: int = 1, orders: int = 100, ks: Sequence[int] = range(1, 21)) -> Result:
    """Time of an exact comparison, by k."""
    a, b = (" ".join(permutations(orders, seed + i)) for i in range(2))

    def by_definition(k: int) -> float:
        first, second = ({text[i : i + k] for i in range(len(text) - k + 1)} for text in (a, b))
        return len(first & second) / len(first | second)

    works = {
        "twinset: comparison": lambda k: exact(a, b, k=k),
        "twinset: sets of shingles": lambda k: [_core.shingles(text, options(k=k))
                                                for text in (a, b)],
        "Python: sets of strings": by_definition,
    }
    rows = [(k, name, 1000 * seconds(partial(work, k)))
            for name, work in works.items() for k in ks]
    table = Table(("k", "by", "milliseconds"), rows)

    def draw(page: Figure) -> None:
        axes = page.subplots()
        figure.lines(axes, table, "k", "milliseconds", "by")
        axes.set_yscale("log")
        figure.ticks(axes, ks)
        figure.label(axes, "k, characters in a row", "milliseconds for a pair")
        page.legend(loc="outside lower center", ncols=len(works))

    words = orders * len(WORDS)
    notes = ("The comparison estimates, too, and finds the longest passage that both have.",)
    return Result(f"S1: time to compare two documents of {words:,} words", table, draw,
                  notes=notes)


def estimate_by_hashes(seed: int = 1, k: int = 5,
                       hashes: Sequence[int] = range(10, 601, 10)) -> Result:
    """Estimate of one pair's similarity, by the length of its signatures."""
    pair = permutations(2, seed)
    truth = exact(*pair, k=k)
    rows = []
    for scheme in SCHEMES:
        for n in hashes:
            sketches = signatures(pair, scheme=scheme, hashes=n, k=k, seed=seed)
            estimate = _core.estimate(*sketches)
            rows.append((n, scheme, estimate, truth, estimate - truth))
    table = Table(("hashes", "scheme", "estimate", "exact", "error"), rows)

    def draw(page: Figure) -> None:
        axes = page.subplots(2, 2, sharex=True, sharey=True).flat
        for i, (ax, scheme) in enumerate(zip(axes, SCHEMES)):
            ax.plot(hashes, table.where(scheme=scheme).column("estimate"), marker="",
                      color=figure.COLOURS[i])
            figure.draw_level(ax, truth, "" if i else "exact")
            figure.label(ax, "hashes" if i > 1 else "", "" if i % 2 else "estimate", scheme)

    return Result(f"S1: estimate of one pair, k = {k}, exact {truth:.3f}", table, draw, (8, 5.5))


def error_by_hashes(seed: int = 1, k: int = 5, trials: int = 400,
                    hashes: Sequence[int] = (10, 20, 50, 100, 200, 500, 1000)) -> Result:
    """Error of estimates and time of signatures, by scheme and length."""
    pairs = [permutations(2, seed + trial) for trial in range(trials)]
    truths = [exact(*pair, k=k) for pair in pairs]
    rows = []
    for n in hashes:
        # The mean deviation of a binomial proportion with mean J is near this.
        ideal = statistics.mean(math.sqrt(2 * j * (1 - j) / (math.pi * n)) for j in truths)
        errors = {scheme: mean_error(pairs, truths, scheme, n, k, seed) for scheme in SCHEMES}
        for scheme in SCHEMES:
            sketcher = _core.Sketcher(options(scheme=scheme, hashes=n, k=k))
            time = seconds(lambda: sketcher.text(pairs[0][0]), 0.02)
            rows.append((n, scheme, errors[scheme], errors[scheme] - errors["modular"], ideal,
                         1e6 * time))
    table = Table(("hashes", "scheme", "error", "beside_modular", "ideal", "microseconds"), rows)

    def draw(page: Figure) -> None:
        error, difference, time = page.subplots(1, 3)
        figure.lines(error, table, "hashes", "error", "scheme")
        error.plot(hashes, table.where(scheme="modular").column("ideal"), color=figure.GREY,
                   linestyle="--", marker="", label="ideal")
        figure.lines(difference, table, "hashes", "beside_modular", "scheme")
        figure.lines(time, table, "hashes", "microseconds", "scheme")
        for axes in (error, difference, time):
            axes.set_xscale("log")
            figure.ticks(axes, hashes)
        error.set_yscale("log")
        time.set_yscale("log")
        figure.label(error, "hashes", "mean error", "Error of the estimate")
        figure.label(difference, "hashes", "error − error of modular", "Beside modular")
        figure.label(time, "hashes", "microseconds", "Time of a signature")
        error.legend()

    notes = (f"Mean of |estimate − exact| over {trials} pairs, each with hash functions of its "
             "own. `ideal` is what independent random permutations would give.",)
    return Result(f"S1: error and time of four schemes, k = {k}", table, draw, (11, 4.2), notes)


def mean_error(pairs: Sequence[Sequence[str]], truths: Sequence[float], scheme: str, hashes: int,
               k: int, seed: int) -> float:
    """Mean error of the estimates, with other hash functions for each pair."""
    return statistics.mean(
        abs(_core.estimate(*signatures(pair, scheme=scheme, hashes=hashes, k=k, seed=seed + i))
            - truth)
        for i, (pair, truth) in enumerate(zip(pairs, truths)))


def lsh_against_brute_force(seed: int = 1, k: int = 7, threshold: float = 0.64, hashes: int = 100,
                            sizes: Sequence[int] = (5, 10, 20, 40, 80, 160, 320, 640)) -> Result:
    """Time of LSH and of brute force, and where they cross."""
    searches = searches_of(k, threshold, hashes, seed)
    texts = permutations(max(sizes), seed)
    rows = [(size, name, 1000 * seconds(partial(search, texts[:size])))
            for name, search in searches.items() for size in sizes]
    table = Table(("documents", "search", "milliseconds"), rows)
    brute, *others = searches
    crossings = {name: crossing(sizes, table.where(search=name).column("milliseconds"),
                                table.where(search=brute).column("milliseconds"))
                 for name in others}

    def draw(page: Figure) -> None:
        axes = page.subplots()
        figure.lines(axes, table, "documents", "milliseconds", "search")
        axes.set(xscale="log", yscale="log")
        figure.ticks(axes, sizes)
        figure.label(axes, "documents", "milliseconds")
        axes.legend()

    notes = tuple(f"{name}: faster than {brute} {describe_crossing(size, sizes)}."
                  for name, size in crossings.items())
    title = f"S1: LSH against brute force, k = {k}, threshold {threshold:g}, {hashes} hashes"
    return Result(title, table, draw, notes=notes)


def describe_crossing(crossing: int | None, sizes: Sequence[int]) -> str:
    """A crossing in words."""
    if crossing is None:
        return f"nowhere up to {max(sizes)} documents"
    return f"from {crossing} documents on" if crossing > sizes[0] else "at every size measured"


Search = Callable[[Sequence[str]], object]


def searches_of(k: int, threshold: float, hashes: int, seed: int) -> dict[str, Search]:
    """Functions that find the similar pairs of texts, brute force first. All verify exactly, on
    one core. LSH takes other hash functions in every call, since some are lucky."""
    seeds = count(seed)
    tuning = _core.tune(options(hashes=hashes, threshold=threshold, prefer="nearest"))

    def brute_force(texts: Sequence[str]) -> set[tuple[int, int]]:
        sets = [shingles(text, k=k) for text in texts]
        return {(a, b) for a, b in combinations(range(len(sets)), 2)
                if jaccard(sets[a], sets[b]) >= threshold}

    def by_bands(texts: Sequence[str], scheme: str) -> set[tuple[int, int]]:
        sketches = signatures(texts, scheme=scheme, hashes=hashes, k=k, seed=next(seeds))
        pairs = candidate_pairs(sketches, tuning["bands"], tuning["rows"])
        sets = {i: shingles(texts[i], k=k) for pair in pairs for i in pair}
        return {(a, b) for a, b in pairs if jaccard(sets[a], sets[b]) >= threshold}

    return {
        "brute force": brute_force,
        "LSH, modular": lambda texts: by_bands(texts, "modular"),
        "LSH, fss": lambda texts: by_bands(texts, "fss"),
        "twinset scan": lambda texts: scan(texts, k=k, threshold=threshold, threads=1),
    }


def crossing(sizes: Sequence[int], times: Sequence[float], brute: Sequence[float]) -> int | None:
    """The number of documents from which `times` stay below `brute`, interpolated between two
    measured sizes by logarithms; None if they never do."""
    gains = [math.log(slow / time) for slow, time in zip(brute, times)]
    last = max((i for i, gain in enumerate(gains) if gain <= 0), default=-1)
    if last == len(sizes) - 1:
        return None
    if last < 0:
        return sizes[0]
    fraction = gains[last] / (gains[last] - gains[last + 1])
    return math.ceil(sizes[last] * (sizes[last + 1] / sizes[last]) ** fraction)


def candidates_by_k(seed: int = 1, documents: int = 20, hashes: int = 100,
                    thresholds: Sequence[float] = (0, 0.2, 0.42, 0.64, 0.8, 1),
                    ks: Sequence[int] = range(1, 16)) -> Result:
    """Candidates, copies, false positives and negatives of LSH, by k and threshold."""
    texts = permutations(documents, seed)
    rows = []
    for k in ks:
        sets = [shingles(text, k=k, spaces="keep") for text in texts]
        similar = {pair: jaccard(sets[pair[0]], sets[pair[1]])
                   for pair in combinations(range(documents), 2)}
        sketches = signatures(texts, scheme="modular", hashes=hashes, k=k, spaces="keep",
                              seed=seed)
        for threshold in thresholds:
            copies = {pair for pair, similarity in similar.items() if similarity >= threshold}
            found = {}
            for rule in ("nearest", "recall"):
                tuning = _core.tune(options(hashes=hashes, threshold=threshold, prefer=rule))
                found[rule] = candidate_pairs(sketches, tuning["bands"], tuning["rows"])
            rows.append((threshold, k, len(found["nearest"]), len(copies),
                         len(found["nearest"] - copies), len(copies - found["nearest"]),
                         len(copies - found["recall"])))
    columns = ("threshold", "k", "candidates", "copies", "false_positives", "false_negatives",
               "missed_by_own_rule")
    table = Table(columns, sorted(rows))

    def draw(page: Figure) -> None:
        grid = page.subplots(2, 3, sharex=True, sharey=True).flat
        for i, (axes, threshold) in enumerate(zip(grid, thresholds)):
            lines = table.where(threshold=threshold)
            for column, dashes in zip(columns[2:], figure.DASHES):
                axes.plot(lines.column("k"), lines.column(column), linestyle=dashes, marker="",
                          linewidth=2, label=column.replace("_", " "))
            figure.ticks(axes, ks[::2])
            figure.label(axes, "k" if i > 2 else "", "" if i % 3 else "pairs",
                         f"threshold {threshold:g}")
        handles, labels = axes.get_legend_handles_labels()
        page.legend(handles, labels, loc="outside lower center", ncols=5)

    pairs = documents * (documents - 1) // 2
    notes = (
        f"{pairs} pairs, modular hashing. A copy is a pair of the threshold or more; a candidate "
        "one that agrees in a band; false positives are candidates that are no copies, false "
        "negatives copies that are no candidates. Bands by S1's rule; the last column is what "
        "is missed by twinset's own.",
    )
    return Result(f"S1: what LSH proposes among {documents} documents", table, draw, (10, 6.2),
                  notes)


def best_bands(cases: Sequence[tuple[int, float]] = ((100, 0.5), (200, 0.8), (500, 0.64),
                                                     (1000, 0.9))) -> Result:
    """The number of bands whose knee is nearest to the threshold."""
    rows, walks = [], []
    for hashes, threshold in cases:
        named = options(hashes=hashes, threshold=threshold, prefer="nearest")
        tuning = _core.tune(named)
        rows.append((hashes, threshold, tuning["bands"], tuning["rows"], tuning["knee"],
                     tuning["recall"]))
        walks.append(_core.tune_walk(named))
    table = Table(("hashes", "threshold", "bands", "rows", "knee", "found"), rows)

    def draw(page: Figure) -> None:
        grid = page.subplots(2, 2, sharey=True).flat
        for i, (axes, row, steps) in enumerate(zip(grid, table.rows, walks)):
            hashes, threshold, bands, size, knee, _ = row
            axes.plot([step["bands"] for step in steps], [step["knee"] for step in steps],
                      label="knee (1/b)^(b/n)")
            axes.plot([bands], [knee], linestyle="", markersize=8, label="nearest")
            figure.draw_level(axes, threshold, f"threshold {threshold:g}")
            axes.set_xscale("log")
            figure.ticks(axes, sorted({1, 10, 100, hashes}))
            figure.label(axes, "bands" if i > 1 else "", "" if i % 2 else "knee",
                         f"{hashes:,} hashes, {threshold:g}: {bands} × {size}")
            if not i:
                axes.legend(loc="lower left")

    notes = ("`found` is the probability that a pair at the threshold becomes a candidate.",)
    return Result("S1: the divisor with the nearest knee", table, draw, (8.5, 5.5), notes)
