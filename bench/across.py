#!/usr/bin/env python3
"""How well translated programs are found, by the default view and by `--view across`.

    bench/across.py CLASSES [DATA]

Three kinds of programs: those of the VK Cup and its finals in DATA (build/data); those of
tests/cli/translations.py, translated by hand; CLASSES that are made as those of tests/cli, with 25
honest programs in Python, Java and C by turns, and twelve disguised copies of the first, each in
another language. Their seeds are from 3 on. Pairs of one language do not count, nor do C and C++.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests/cli"))

import translations  # noqa: E402
from classroom import Class, write  # noqa: E402
from dialect import LANGUAGES  # noqa: E402
from harness import ranking  # noqa: E402

TWINSET = ROOT / "build/release/twinset"
VIEWS = ("both", "across")
MADE = ("python", "java", "c")
FIRST = 3
KIN = {"c": "cpp", "py2": "py", "py3": "py", "dpr": "pas"}


def rows(folder, *options):
    """Similarities by the names of two files."""
    done = subprocess.run([TWINSET, "scan", folder, "--by", "code", "--group", "none", "--format",
                           "jsonl", "-q", *options], capture_output=True, text=True, check=True)
    found = map(json.loads, done.stdout.splitlines())
    return {frozenset(os.path.basename(row[side]) for side in "ab"): row["similarity"]
            for row in found if "similarity" in row}


def is_across(a, b):
    a, b = (name.rsplit(".")[-1] for name in (a, b))
    return KIN.get(a, a) != KIN.get(b, b)


def measure(folder, view, kinds):
    """The ranking of the pairs in `kinds`, which says whether each is a copy, and the kinds of
    those that are listed by default."""
    found = rows(folder, "--view", view, "-t", "0")
    listed = rows(folder, "--view", view)
    return ([(found.get(pair, 0), is_copy) for pair, is_copy in kinds.items()],
            [is_copy for pair, is_copy in kinds.items() if pair in listed])


def pairs_across(names):
    names = sorted(names)
    return [frozenset((a, b)) for i, a in enumerate(names) for b in names[:i] if is_across(a, b)]


def contests(data):
    for name in ("vkcup2015", "vkcup2015_finals"):
        lines = [line.split("\t") for line in
                 (data / name / "pairs.tsv").read_text().splitlines()]
        for contest in sorted(path for path in (data / name).iterdir() if path.is_dir()):
            copies = {frozenset(os.path.basename(side) for side in line[:2]) for line in lines
                      if line[0].startswith(contest.name + "/") and line[2] == "1"}
            folder = contest / "sources"
            yield folder, {pair: pair in copies for pair in pairs_across(os.listdir(folder))}


def by_hand(folder):
    for name, text in translations.files().items():
        (folder / name).write_text(text)
    return {pair: translations.is_translation(*pair)
            for pair in pairs_across(translations.files())}


def made_class(folder, seed):
    """A class; pairs of two copies are neither copies nor honest."""
    made, works = Class("python", seed=seed), {}
    for i, work in enumerate(made.honest + made.copies):
        language = MADE[(seed + (i if work in made.honest else 1 + i % 2)) % len(MADE)]
        works[work.name + LANGUAGES[language].ending] = work
        (folder / list(works)[-1]).write_text(write(work, language, seed))
    kinds = {}
    for pair in pairs_across(works):
        a, b = (works[name] for name in pair)
        if made.honest[0] in (a, b) or not a.sources & b.sources:
            kinds[pair] = bool(a.sources & b.sources)
    return kinds


def say(name, view, precisions, kinds, listed):
    print(name, view, f"{sum(kinds)} copies of {len(kinds)} pairs",
          f"average precision {sum(precisions) / len(precisions):.3f}",
          f"listed {sum(listed)} copies and {len(listed) - sum(listed)} others", sep="\t")


def report(name, collections):
    """`collections` are folders with their pairs; average precision is the mean over them."""
    for view in VIEWS:
        measured = [measure(folder, view, kinds) for folder, kinds in collections]
        say(name, view, [ranking.average_precision(ranked) for ranked, _ in measured],
            [is_copy for ranked, _ in measured for _, is_copy in ranked],
            [is_copy for _, listed in measured for is_copy in listed])


def report_contests(data):
    """All pairs of all contests are one ranking, since nearly all contests have no translation."""
    for view in VIEWS:
        measured = [measure(folder, view, kinds) for folder, kinds in contests(data)]
        ranked = [pair for some, _ in measured for pair in some]
        say("contests", view, [ranking.average_precision(ranked)],
            [is_copy for _, is_copy in ranked],
            [is_copy for _, listed in measured for is_copy in listed])


def main(classes, data):
    with tempfile.TemporaryDirectory() as made:
        folders = [pathlib.Path(made, str(seed)) for seed in range(FIRST - 1, FIRST + classes)]
        for folder in folders:
            folder.mkdir()
        report("by hand", [(folders[0], by_hand(folders[0]))])
        report("classes", [(folder, made_class(folder, FIRST + i))
                           for i, folder in enumerate(folders[1:])])
    report_contests(data)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(int(sys.argv[1]), pathlib.Path(*sys.argv[2:] or [ROOT / "build/data"]))
