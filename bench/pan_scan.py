#!/usr/bin/env python3
"""Counts the pairs with planted passages, and other pairs, that a scan of all documents lists.

    bench/pan_scan.py FOLDER COMMAND [OPTION...]

FOLDER has the folders src and susp, and pairs.tsv (two documents, and the kind of what was planted,
or "none"). The command is twinset, which scans both folders with its defaults and these options.

Figures are by the kind that was planted in the suspicious document, or "none". A listed pair of a
suspicious and a source document is planted if it is in pairs.tsv. Otherwise it is copied if both
share ten equal words in a row, and counts as one of the others if not.
"""
import collections
import csv
import io
import math
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

WORD = re.compile(r"\w+")
RUN = 10
BITS = (30, 40, 50, 60, 80, 100, 120, 140)  # of evidence that a list may require
SIMILAR = 0.5  # a pair from this similarity on is listed without regard to evidence

Pair = tuple[str, str]


class Row(NamedTuple):
    pair: Pair
    similarity: float
    evidence: float  # in bits
    words: int  # in passages
    position: float  # in the list, from 0 to 1


class Figures(NamedTuple):
    """Figures of the suspicious documents of a kind. Words and positions are medians."""
    kind: str
    documents: int
    planted: int  # pairs by pairs.tsv; for "none", pairs that are known to have nothing
    found: int  # planted pairs that are listed
    found_runs: int  # found pairs with ten equal words in a row
    copied: int  # other listed pairs that share ten equal words in a row
    others: int  # other listed pairs that do not
    found_words: float  # in the passages of found pairs without such a run
    others_words: float  # in the passages of the others
    others_place: float  # in the list


def runs(text: str) -> set[int]:
    """The hashes of every ten words in a row."""
    words = WORD.findall(text.lower())
    return {hash(tuple(words[i:i + RUN])) for i in range(len(words) - RUN + 1)}


class Runs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, set[int]] = {}

    def of(self, name: str) -> set[int]:
        if name not in self.known:
            self.known[name] = runs((self.folder / name).read_text(errors="replace"))
        return self.known[name]

    def are_shared(self, pair: Pair) -> bool:
        return not self.of(pair[0]).isdisjoint(self.of(pair[1]))


def read_kinds(folder: Path) -> dict[Pair, str]:
    rows = [line.rstrip("\n").split("\t") for line in (folder / "pairs.tsv").open()]
    return {(source, suspicious): kind for suspicious, source, _, kind in rows}


# ---- the list

def bits(false_alarms: float, documents: int) -> float:
    """The evidence that gives so many false alarms among all pairs of so many documents."""
    pairs = documents * (documents - 1) / 2
    return math.log2(pairs) - math.log2(false_alarms) if false_alarms else math.inf


def read_list(text: str, documents: int) -> list[Row]:
    """The listed pairs of a source and a suspicious document."""
    rows = list(csv.DictReader(io.StringIO(text)))
    return [Row((row["a"], row["b"]), float(row["similarity"]),
                bits(float(row["false_alarms"] or "inf"), documents),
                int(row["passage_words"] or 0), position / len(rows))
            for position, row in enumerate(rows)
            if row["a"].startswith("src") and row["b"].startswith("susp")]


def scan(folder: Path, command: list[str]) -> list[Row]:
    done = subprocess.run([*command, "scan", "src", "susp", "--format", "csv", "--quiet"],
                          cwd=folder, stdout=subprocess.PIPE, check=True, text=True)
    return read_list(done.stdout, sum(1 for name in ("src", "susp")
                                      for _ in (folder / name).iterdir()))


def with_evidence(rows: Iterable[Row], least: float) -> list[Row]:
    """The rows of a list that requires more evidence."""
    return [row for row in rows if row.evidence >= least or row.similarity >= SIMILAR]


# ---- figures

def kinds_of_documents(kinds: dict[Pair, str]) -> dict[str, str]:
    """The kind that was planted in each suspicious document, which has only one kind."""
    planted = {pair[1]: "none" for pair in kinds}
    planted.update((pair[1], kind) for pair, kind in kinds.items() if kind != "none")
    return planted


def median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0


def count(kinds: dict[Pair, str], rows: list[Row],
          are_shared: Callable[[Pair], bool]) -> list[Figures]:
    """The figures of a list; `are_shared` says whether a pair shares ten equal words in a row."""
    planted_in = kinds_of_documents(kinds)
    documents = collections.Counter(planted_in.values())
    planted = collections.Counter(kinds.values())
    figures = []
    for kind in sorted(documents):
        own = [row for row in rows if planted_in.get(row.pair[1]) == kind]
        known = [row for row in own if kinds.get(row.pair) == kind]
        unknown = [row for row in own if kinds.get(row.pair, "none") == "none"]
        others = [row for row in unknown if not are_shared(row.pair)]
        without = [row for row in known if not are_shared(row.pair)]
        figures.append(Figures(
            kind, documents[kind], planted[kind], len(known), len(known) - len(without),
            len(unknown) - len(others), len(others), median([row.words for row in without]),
            median([row.words for row in others]), median([row.position for row in others])))
    return figures


def measure(folder: Path, command: list[str]) -> dict[int, list[Figures]]:
    """The figures of the default list, and those if a pair needs more evidence, by its bits."""
    kinds, shared = read_kinds(folder), Runs(folder)
    rows = scan(folder, command)
    return {least: count(kinds, with_evidence(rows, least), shared.are_shared) for least in BITS}


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    start = time.monotonic()
    print("bits", *Figures._fields, sep="\t")
    for least, figures in measure(Path(sys.argv[1]), [sys.argv[2], *sys.argv[3:]]).items():
        for kind in figures:
            print(least, *(f"{value:.4g}" if isinstance(value, float) else value
                           for value in kind), sep="\t")
    print(f"{time.monotonic() - start:.4g} seconds", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
