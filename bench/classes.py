#!/usr/bin/env python3
"""How many copies rank above every honest pair, in classes made as those of tests/cli.

    bench/classes.py CLASSES COMMAND...

CLASSES of 25 honest programs and twelve disguised copies, in Python, Java and C each, are scanned
with `--by code -t 0` by every COMMAND: the one of the tree, or those of other revisions. The seeds
are from 3 on: the tests, and who changes the score, look at the first two.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests/cli"))

from classroom import Class  # noqa: E402

LANGUAGES = ("python", "java", "c")
FIRST = 3


def similarities(command, folder):
    """By the names of two files."""
    done = subprocess.run([command, "scan", folder, "--by", "code", "-t", "0", "--format", "jsonl",
                           "-q"], capture_output=True, text=True, check=True)
    rows = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {tuple(sorted(os.path.basename(row[side]) for side in "ab")): row["similarity"]
            for row in rows if "a" in row}


def kind_of(made, pair):
    [name] = [work.name for work in made.copies if made.file_name(work) in pair]
    if name in ("partial", "merged"):
        return "half-copied"
    return "padded" if "padded" in name else "other"


def count(made, found):
    """Copies by kind, and how many of them rank above all honest pairs."""
    kinds = made.pairs()
    honest = max(found.get(pair, 0) for pair, kind in kinds.items() if kind == "honest")
    all, above = Counter(), Counter()
    for pair in (pair for pair, kind in kinds.items() if kind == "copy"):
        all[kind_of(made, pair)] += 1
        above[kind_of(made, pair)] += found.get(pair, 0) > honest
    return all, above


def main(classes, commands):
    totals = {(command, language): (Counter(), Counter())
              for command in commands for language in LANGUAGES}
    for language in LANGUAGES:
        for seed in range(FIRST, FIRST + classes):
            made = Class(language, seed=seed)
            with tempfile.TemporaryDirectory() as folder:
                for name, text in made.files().items():
                    pathlib.Path(folder, name).write_text(text)
                for command in commands:
                    for total, some in zip(totals[command, language],
                                           count(made, similarities(command, folder))):
                        total.update(some)
    for (command, language), (all, above) in totals.items():
        print(command, language, *(f"{kind} {above[kind]} of {all[kind]}" for kind in sorted(all)),
              sep="\t")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), sys.argv[2:])
