"""The counts, layouts and pages of bench/accuracy. Its measurements are not tested."""
import os
import re
import sys
import unittest

from command import ROOT, Case

sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import accuracy, detectors, labelled, page, programs, ranking, report  # noqa: E402


class Measures(unittest.TestCase):
    """Hand-computed measures of a ranking with copies at ranks 1 and 3 of four."""
    FOUR = [(0.6, False), (0.9, True), (0.7, True), (0.8, False)]

    def test_average_precision(self):
        self.assertAlmostEqual(ranking.average_precision(self.FOUR), (1 / 1 + 2 / 3) / 2)
        self.assertEqual(ranking.average_precision([(1, True), (0.5, True), (0, False)]), 1)
        self.assertAlmostEqual(ranking.average_precision([(1, False), (0.5, True)]), 0.5)

    def test_f1(self):
        self.assertAlmostEqual(ranking.best_f1(self.FOUR), 2 * (2 / 3) * 1 / (2 / 3 + 1))
        self.assertAlmostEqual(ranking.f1_at(self.FOUR, 0.9), 2 * 1 * (1 / 2) / (1 + 1 / 2))
        self.assertAlmostEqual(ranking.f1_at(self.FOUR, 0.75), 0.5)
        self.assertEqual(ranking.f1_at(self.FOUR, 0.95), 0)

    def test_area(self):
        self.assertEqual(ranking.area(self.FOUR), 3 / 4)
        self.assertEqual(ranking.area([(1, True), (0, False)]), 1)
        self.assertEqual(ranking.area([(0, True), (1, False)]), 0)

    def test_recall(self):
        self.assertEqual(ranking.recall(self.FOUR, 0), 1 / 2)
        self.assertEqual(ranking.recall(self.FOUR, 0.49), 1 / 2)
        self.assertEqual(ranking.recall(self.FOUR, 0.5), 1)
        self.assertEqual(ranking.recall([(1, False), (0, True)], 0), 0)

    def test_ties(self):
        """Equal scores are one step, whatever their order."""
        for tied in ([(0.5, True), (0.5, False)], [(0.5, False), (0.5, True)]):
            self.assertEqual(ranking.average_precision(tied), 0.5)
            self.assertEqual(ranking.area(tied), 0.5)
            self.assertEqual(ranking.recall(tied, 0), 0)
            self.assertAlmostEqual(ranking.best_f1(tied), 2 / 3)
        unnamed = [(0, True), *[(0, False)] * 3]
        self.assertEqual(ranking.average_precision(unnamed), 1 / 4)


class FixedDetector(detectors.Detector):
    """A detector with fixed scores."""
    name = "some"

    def __init__(self, scores, lists):
        self.given, self.lists = scores, lists

    def scores(self, _collection):
        return self.given

    def listed(self, collection):
        return self.lists[collection.folder]


class Sets(Case):
    def test_rows(self):
        first, second = labelled.Collection("x"), labelled.Collection("y")
        first.names = {"1": "c/1.c", "2": "c/2.c", "3": "c/3.c"}
        second.names = dict(first.names)
        first.label_all([{"2", "1"}])
        second.label("1", "2", True, "hard")
        self.assertEqual([pair.is_copy for pair in first.pairs], [True, False, False])
        second.label("1", "3", False, "hard")
        both = labelled.Labelled("both", [first, second], {"hard": {"hard"}}, false_share=0)
        results = {"good": {frozenset(("c/2.c", "c/1.c")): 0.9}, "bad": {}}
        rows = {(row["reading"], row["part"]): row
                for row in accuracy.measure(both, FixedDetector(results, {
                    "x": {}, "y": {frozenset(("c/2.c", "c/1.c")): True}}))}
        self.assertEqual([(row["pairs"], row["copies"], row["average_precision"], row["f1"],
                           row["recall"]) for row in rows.values()],
                         [(5, 2, 1, 2 / 3, 1), (2, 1, 1, 1, 1), (5, 2, 0.4, 2 / 3, 0),
                          (2, 1, 0.5, 1, 0)])
        self.assertEqual([(row["listed"], row["precision"], row["listed_recall"])
                          for row in rows.values()][:2], [(1, 1, 0.5), (1, 1, 1)])

    def test_layout(self):
        """A program is a file, or the files of a folder, joined for tools that read only files."""
        for name, text in (("in/x.py3", "x"), ("in/many/b/2.java", "2"), ("in/many/1.java", "1"),
                           ("in/many/notes.txt", "n")):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.write(name, text)
        plain = labelled.Collection(self.path("plain"))
        plain.add(self.path("in/x.py3"))
        self.assertEqual((plain.names, plain.languages, plain.joined),
                         ({self.path("in/x.py3"): "python/0000.py"}, ["python"], plain.folder))
        several = labelled.Collection(self.path("several"))
        several.add_folder(self.path("in/many"), ".java")
        found = [os.path.relpath(path, several.folder) for path in labelled.files(several.folder)]
        self.assertEqual(found, ["java/0000/1.java", "java/0000/b/2.java"])
        with open(os.path.join(several.joined, "java/0000.java"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "1\n2\n")

    def test_sim(self):
        scores = detectors.Sim("-p").read(
            "p/a.c consists for 40 % of q/b.c material\nq/b.c consists for 10 % of p/a.c material\n"
            "p/a.c consists for 3 % of p/c.c material\nTotal input: 3 files\n")
        self.assertEqual(scores["mean"], {("a.c", "b.c"): 25, ("a.c", "c.c"): 1.5})
        self.assertEqual(scores["minimum"], {("a.c", "b.c"): 10, ("a.c", "c.c"): 0})


def shape(text):
    """A program without its names and numbers."""
    words = "class|private|int|new|return|while|for|if|else|null|throw|System|out|print(?:ln)?"
    return re.sub(rf"\b(?!(?:{words})\b)\w+", "I", text)


class Programs(Case):
    def make(self, folder, lines=60):
        pairs, mean = programs.make(self.path(folder), 200, lines, seed=3)
        texts = {}
        for name in os.listdir(self.path(folder)):
            with open(os.path.join(self.path(folder), name), encoding="utf-8") as file:
                texts[name] = file.read()
        return pairs, mean, texts

    def test_same_seed_same_bytes(self):
        self.assertEqual(self.make("one"), self.make("two"))

    def test_sizes(self):
        for lines in (20, 200):
            _, mean, texts = self.make("some", lines)
            self.assertEqual(len(texts), 200)
            self.assertAlmostEqual(mean, lines, delta=lines / 4)

    def test_disguises(self):
        """There are ten copies; merged ones have two originals."""
        pairs, _, texts = self.make("some")
        for (copy, original), kind in zip(pairs, (*programs.KINDS, "merged") * 2, strict=True):
            with self.subTest(kind):
                self.assertNotEqual(texts[copy], texts[original])
                a, b = shape(texts[copy]).split("\n"), shape(texts[original]).split("\n")
                if kind == "renamed":
                    self.assertEqual(a, b)
                elif kind == "reordered":
                    self.assertEqual(sorted(a), sorted(b))
                elif kind == "merged":
                    self.assertGreater(len(set(a) & set(b)), len(set(b)) / 4)
                else:
                    self.assertGreater(len(set(a) & set(b)), len(set(b)) / 2)
                    self.assertGreater(len(a), len(b))

    def test_others_differ(self):
        _, _, texts = self.make("some")
        self.assertGreaterEqual(len(set(map(shape, texts.values()))), 190)


class Page(Case):
    def test_tables(self):
        rows = []
        for tool, score in (("twinset", 0.9), ("Dolos 3.5.1", 0.8)):
            for name in (*page.SETS, "short answers"):
                if name != "short answers" or tool == "twinset":
                    rows.append({"set": name, "part": "all", "tool": tool, "reading": "r",
                                 "pairs": 10, "copies": 2, "average_precision": score,
                                 "best_f1": score, "listed": 4, "precision": 0.5,
                                 "listed_recall": 0.75, "f1": 0.25, "auc": score,
                                 "recall": score})
        times = [{"programs": size, "count": 1000, "lines": 20.0, "tool": tool, "seconds": seconds,
                  "cpu": seconds, "peak_mb": 20.0, "found": 1.0, "runs": 3, "ended": True}
                 for size in ("large", "small")
                 for tool, seconds in (("twinset", 0.1), ("Dolos 3.5.1", 6.0))]
        report.save(self.folder, "accuracy", {"cores": "2"}, rows)
        report.save(self.folder, "programs", {"cores": "3"}, times)
        report.save(self.folder, "views", {"cores": "4"},
                    [dict(row, tool="`--view raw`", best_f1=0.7) for row in rows])
        page.write(self.path("page.md"), self.folder)
        with open(self.path("page.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("<!--", text)
        self.assertIn("| SOCO C: average precision | at least 0.87 | 0.9 | ✓ |", text)
        self.assertIn("| SOCO Java: average precision | at least 0.94 | 0.9 | not met |", text)
        self.assertIn("| large programs: times Dolos | at least 50 | 60 | ✓ |", text)
        self.assertIn("| Dolos 3.5.1 | .800 / .800 |", text)
        self.assertIn("| SOCO C | 10 | 2 | 4 | .500 | .750 | .250 | .900 |", text)
        self.assertIn("| `--view raw` | .900 / .700 |", text)
        for cores in (2, 3, 4):
            self.assertIn(f"<sub>cores: {cores}</sub>", text)


if __name__ == "__main__":
    unittest.main()
