"""dedup --min-passage finds exactly the shared runs of words in real texts.

The sets are not part of the project. TWINSET_DATA names the folder they were unpacked into;
TWINSET the program.
"""

import glob
import os
import random
import sys
import unittest

DATA = os.environ["TWINSET_DATA"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

import spans  # noqa: E402
from cleaning import Dedup  # noqa: E402


def load(case, name, folder):
    """The texts of a set as ASCII, in which words are easy to find."""
    paths = sorted(glob.glob(os.path.join(DATA, name, folder, "**", "*"), recursive=True))
    paths = [path for path in paths if os.path.isfile(path)]
    if not paths:
        case.skipTest(f"there is no {name} in {DATA}")
    texts = []
    for path in paths:
        with open(path, encoding="utf-8", errors="ignore") as file:
            texts.append(file.read().encode("ascii", "ignore").decode())
    return texts


class Spans(Dedup):
    def check_all(self, texts):
        texts = [f"{text} end{i}" for i, text in enumerate(texts)]  # all texts differ
        for length in (8, 13, 25, 50):
            with self.subTest(length=length):
                result = spans.check(self, texts, length)
                self.assertRegex(result.messages, r"cut [1-9]\d* in")

    def test_newsgroups(self):
        self.check_all(load(self, "newsgroups", "docs")[::60])

    def test_licences(self):
        self.check_all(load(self, "spdx_licenses", "docs")[::10])

    def test_novels_with_planted_passages(self):
        rng = random.Random(19)
        novels = [text.split(" ")[:8000] for text in load(self, "novels", "corpus")[:12]]
        for i, words in enumerate(novels):
            for _ in range(20):
                source = rng.choice(novels[:i] or novels)
                start, at = rng.randrange(len(source)), rng.randrange(len(words))
                words[at:at] = source[start:start + rng.randrange(4, 120)]
        self.check_all([" ".join(words) for words in novels])


if __name__ == "__main__":
    unittest.main()
