#!/usr/bin/env python3
"""plagdet, PAN's measure of text alignment: how well planted passages are found.

    bench/plagdet.py FOLDER COMMAND [ARGUMENT...]

FOLDER has pairs.tsv (two documents, and the kind of what was planted, or "none") and passages.tsv
(two documents, kind, offset and length in characters in either). The command is bench/passages, or
another with the same input and output.

A case is a planted passage, a detection a passage that was found. Both are spans of two documents,
a and b. A detection meets a case if they overlap in a and in b.

    recall       the mean over cases: the fraction of the case's characters, in both documents,
                 that are in detections which meet it
    precision    the mean over detections: the fraction of the detection's characters that are in
                 cases which it meets; 0 where nothing was planted
    granularity  the mean over cases that are met: the number of detections that meet the case
    plagdet      the harmonic mean of recall and precision, divided by log2(1 + granularity)
"""
import collections
import itertools
import math
import subprocess
import sys
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple


class Passage(NamedTuple):
    a: int
    a_end: int
    b: int
    b_end: int


class Figures(NamedTuple):
    plagdet: float
    recall: float
    precision: float
    granularity: float
    detections: int


def union(spans: Iterable[tuple[int, int]]) -> int:
    """The number of characters in the union of spans."""
    total, end = 0, -1
    for first, last in sorted(spans):
        if last > end:
            total += last - max(first, end)
            end = last
    return total


def meets(x: Passage, y: Passage) -> bool:
    return min(x.a_end, y.a_end) > max(x.a, y.a) and min(x.b_end, y.b_end) > max(x.b, y.b)


def covered(x: Passage, others: Iterable[Passage]) -> tuple[float, int]:
    """The fraction of a passage that is in others which it meets, and the number of these."""
    met = [y for y in others if meets(x, y)]
    size = x.a_end - x.a + x.b_end - x.b
    both = (union((max(x.a, y.a), min(x.a_end, y.a_end)) for y in met) +
            union((max(x.b, y.b), min(x.b_end, y.b_end)) for y in met))
    return both / size if size else 0.0, len(met)


def measure(pairs: Iterable[tuple[list[Passage], list[Passage]]]) -> Figures:
    """The figures for pairs of documents, each with its cases and detections."""
    recall: list[float] = []
    precision: list[float] = []
    meeting_counts: list[int] = []
    for cases, detections in pairs:
        for case in cases:
            share, count = covered(case, detections)
            recall.append(share)
            meeting_counts += [count] if count else []
        precision += [covered(detection, cases)[0] for detection in detections]
    r, p = (sum(x) / len(x) if x else 0.0 for x in (recall, precision))
    granularity = sum(meeting_counts) / len(meeting_counts) if meeting_counts else 1.0
    f = 2 * r * p / (r + p) if r + p else 0.0
    return Figures(f / math.log2(1 + granularity), r, p, granularity, len(precision))


class Pair(NamedTuple):
    a: str
    b: str
    kind: str


def read_pairs(folder: Path) -> list[Pair]:
    rows = [line.rstrip("\n").split("\t") for line in (folder / "pairs.tsv").open()]
    return [Pair(a, b, kind) for a, b, _, kind in rows]


def read_cases(folder: Path) -> dict[tuple[str, str], list[Passage]]:
    cases = collections.defaultdict(list)
    for line in (folder / "passages.tsv").open():
        a, b, _, *numbers = line.rstrip("\n").split("\t")
        at, size, other, other_size = map(int, numbers)
        cases[a, b].append(Passage(at, at + size, other, other + other_size))
    return cases


class Characters:
    """Converts offsets in bytes into offsets in characters."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, list[int] | None] = {}

    def table(self, name: str) -> list[int] | None:
        if name not in self.tables:
            text = (self.folder / name).read_bytes()
            starts = itertools.accumulate(byte & 0xC0 != 0x80 for byte in text)
            self.tables[name] = None if text.isascii() else [0, *starts]
        return self.tables[name]

    def at(self, name: str, offset: int) -> int:
        table = self.table(name)
        return table[offset] if table else offset


def run(folder: Path, pairs: list[Pair], command: list[str]) -> Iterator[list[Passage]]:
    """The passages that a command finds, by pairs."""
    lines = "".join(f"{pair.a}\t{pair.b}\n" for pair in pairs)
    out = subprocess.run([*command, str(folder)], input=lines, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    found = collections.defaultdict(list)
    characters = Characters(folder)
    for line in out.splitlines():
        number, *offsets = map(int, line.split("\t")[:5])
        pair = pairs[number]
        found[number].append(Passage(*(characters.at((pair.a, pair.b)[i // 2], offset)
                                       for i, offset in enumerate(offsets))))
    return (found[number] for number in range(len(pairs)))


def by_kind(folder: Path, pairs: list[Pair], found: Iterable[list[Passage]]) -> dict[str, Figures]:
    cases = read_cases(folder)
    all_pairs = [(pair.kind, (cases[pair.a, pair.b], passages))
                 for pair, passages in zip(pairs, found, strict=True)]
    figures = {kind: measure(both for of, both in all_pairs if of == kind)
               for kind in sorted({pair.kind for pair in pairs} - {"none"})}
    figures["entire"] = measure(both for _, both in all_pairs)
    return figures


def main() -> None:
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    pairs = read_pairs(folder)
    for kind, figures in by_kind(folder, pairs, run(folder, pairs, command)).items():
        print(f"{kind:12} plagdet {figures.plagdet:.4f}  recall {figures.recall:.4f}  "
              f"precision {figures.precision:.4f}  granularity {figures.granularity:.4f}  "
              f"{figures.detections} detections")


if __name__ == "__main__":
    main()
