"""The counts of bench/pan_scan.py for hand-computed lists, and for a small collection."""
import importlib.util
import math
import random
import sys
import unittest
from pathlib import Path

from command import ROOT, TWINSET, Case

sys.path.insert(0, str(Path(ROOT) / "bench"))

from harness import goals, page  # noqa: E402

spec = importlib.util.spec_from_file_location("pan_scan", Path(ROOT) / "bench/pan_scan.py")
pan_scan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pan_scan)

KINDS = {("src/1", "susp/a"): "random", ("src/2", "susp/a"): "random",
         ("src/3", "susp/b"): "none", ("src/4", "susp/c"): "verbatim",
         ("src/5", "susp/c"): "none"}
HEADINGS = "a,b,similarity,passage_words,false_alarms\n"


def listed(pair, words=20, evidence=50.0, position=0.5, similarity=0.1):
    return pan_scan.Row(pair, similarity, evidence, words, position)


def figures(rows, shared=()):
    return {of.kind: of for of in pan_scan.count(KINDS, rows, lambda pair: pair in shared)}


class Counts(unittest.TestCase):
    def test_nothing_listed(self):
        found = figures([])
        self.assertEqual(sorted(found), ["none", "random", "verbatim"])
        self.assertEqual((found["random"].documents, found["random"].planted), (1, 2))
        self.assertEqual((found["none"].documents, found["none"].planted), (1, 2))
        self.assertEqual((found["random"].found, found["random"].others_words), (0, 0))

    def test_planted(self):
        rows = [listed(("src/1", "susp/a"), words=30), listed(("src/2", "susp/a"), words=90)]
        of = figures(rows, {("src/2", "susp/a")})["random"]
        self.assertEqual((of.found, of.found_runs, of.copied, of.others), (2, 1, 0, 0))
        self.assertEqual(of.found_words, 30)

    def test_others_go_by_their_suspicious_document(self):
        rows = [listed(("src/9", "susp/a"), words=30, position=0.2),
                listed(("src/8", "susp/a"), words=40, position=0.6), listed(("src/7", "susp/c")),
                listed(("src/5", "susp/c")), listed(("src/9", "susp/b")),
                listed(("src/3", "susp/b"))]
        found = figures(rows, {("src/7", "susp/c")})
        self.assertEqual((found["random"].others, found["random"].others_words), (2, 35))
        self.assertAlmostEqual(found["random"].others_place, 0.4)
        self.assertEqual((found["verbatim"].copied, found["verbatim"].others), (1, 1))
        self.assertEqual((found["none"].found, found["none"].others), (1, 2))

    def test_more_evidence(self):
        rows = [listed(("src/1", "susp/a"), evidence=35), listed(("src/2", "susp/a"), evidence=60),
                listed(("src/9", "susp/a"), evidence=5, similarity=0.9)]
        self.assertEqual([row.evidence for row in pan_scan.with_evidence(rows, 40)], [60, 5])

    def test_list(self):
        text = HEADINGS + ("src/1,src/2,.9,5,0.0\nsrc/1,susp/a,.1,25,0.375\n"
                           "src/2,susp/a,.1,25,0.0\nsrc/3,susp/a,.6,0,\n")
        rows = pan_scan.read_list(text, 4)  # six pairs
        self.assertEqual([row.position for row in rows], [0.25, 0.5, 0.75])
        self.assertEqual([round(row.evidence, 9) for row in rows[:1]], [4])
        self.assertEqual([row.evidence for row in rows[1:]], [math.inf, -math.inf])

    def test_goals_and_tables(self):
        rows = [{"bits": 30.0, "kind": kind, "documents": 2.0, "planted": 10.0, "found": 9.0,
                 "found_runs": 4.0, "copied": 3.0, "others": 300.0} for kind in page.PLANTED]
        text = goals.listing(goals.collection_goals(rows))
        self.assertIn("verbatim | at least 0.99 | 0.9 | not met |", text)
        self.assertIn("random | at least 0.9 | 0.9 | ✓ |", text)
        self.assertIn("at most 1000 | 1500 | not met |", text)
        self.assertIn("| random | 2 | 10 | .900 | 4 | 5 | 3 | 300 |", page.collection(rows))
        self.assertIn("| 30 | .900 | .900 | .900 | .900 | 1,500 |", page.by_evidence(rows))


class Command(Case):
    def test_collection(self):
        dice = random.Random(5)
        vocabulary = ["".join(dice.choices("abcdefghijklm", k=6)) for _ in range(4000)]
        passage = dice.choices(vocabulary, k=120)
        for name in ("src/1.txt", "src/2.txt", "susp/a.txt", "susp/b.txt"):
            words = dice.choices(vocabulary, k=400)
            if name in ("src/1.txt", "susp/a.txt"):
                words[100:100] = passage
            self.write(name, " ".join(words))
        self.write("pairs.tsv", "susp/a.txt\tsrc/1.txt\t1\tverbatim\n"
                                "susp/b.txt\tsrc/2.txt\t0\tnone\n")
        found = pan_scan.measure(Path(self.folder), [TWINSET])
        self.assertEqual([(of.kind, of.found, of.found_runs, of.others) for of in found[140]],
                         [("none", 0, 0, 0), ("verbatim", 1, 1, 0)])


if __name__ == "__main__":
    unittest.main()
