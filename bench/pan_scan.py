#!/usr/bin/env python3
"""How many of the pairs with planted passages a scan of all documents lists, and what else.

    bench/pan_scan.py FOLDER COMMAND [OPTION...]

FOLDER has the folders src and susp, and pairs.tsv (two documents, and the kind of what was planted,
or "none"). The command is twinset, which scans both folders with its defaults and these options.

For each kind the share of the planted pairs that are listed; then the pairs of a suspicious and a
source document that nothing was planted in by the list: how many share ten equal words in a row,
and how many do not, with the median of their places in the list.
"""
import collections
import csv
import io
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

WORD = re.compile(r"\w+")
RUN = 10


class Figures(NamedTuple):
    found: dict[str, float]  # by kind: the share of its pairs that are listed
    listed: int  # pairs of a suspicious and a source document
    copied: int  # of these, not planted by the list, with ten equal words in a row
    others: int  # the same, without such a run
    place: float  # the median place of the others in the list, from 0 to 1
    seconds: float


def runs(text: str) -> set[int]:
    """Hashes of every ten words in a row."""
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

    def are_shared(self, a: str, b: str) -> bool:
        return not self.of(a).isdisjoint(self.of(b))


def read_kinds(folder: Path) -> dict[tuple[str, str], str]:
    rows = [line.rstrip("\n").split("\t") for line in (folder / "pairs.tsv").open()]
    return {(source, suspicious): kind for suspicious, source, _, kind in rows}


def scan(folder: Path, command: list[str]) -> tuple[list[tuple[str, str]], float]:
    start = time.monotonic()
    done = subprocess.run([*command, "scan", "src", "susp", "--format", "csv", "--quiet"],
                          cwd=folder, stdout=subprocess.PIPE, check=True, text=True)
    seconds = time.monotonic() - start
    return [(row["a"], row["b"]) for row in csv.DictReader(io.StringIO(done.stdout))], seconds


def measure(folder: Path, command: list[str]) -> Figures:
    kinds = read_kinds(folder)
    pairs, seconds = scan(folder, command)
    listed = set(pairs)
    totals = collections.Counter(kinds.values())
    found = collections.Counter(kind for pair, kind in kinds.items() if pair in listed)
    shared = Runs(folder)
    mixed = [(place, pair) for place, pair in enumerate(pairs)
             if pair[0].startswith("src") and pair[1].startswith("susp")]
    unknown = [(place, pair) for place, pair in mixed if kinds.get(pair, "none") == "none"]
    others = [place for place, pair in unknown if not shared.are_shared(*pair)]
    return Figures({kind: found[kind] / totals[kind] for kind in sorted(totals)}, len(mixed),
                   len(unknown) - len(others), len(others),
                   statistics.median(others) / len(pairs) if others else 1.0, seconds)


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    figures = measure(Path(sys.argv[1]), [sys.argv[2], *sys.argv[3:]])
    for kind, share in figures.found.items():
        print(f"{kind}\t{share:.4f}")
    for name, value in figures._asdict().items():
        if name != "found":
            print(f"{name}\t{value:.4g}" if isinstance(value, float) else f"{name}\t{value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
