"""bench/generate, whose truth the benchmarks rely on, compared with the oracle."""
import csv
import json
import os
import subprocess
import unittest

import oracle
from command import ROOT, Case

EDITS = {"insert", "append", "replace", "shuffle", "header", "exact"}


def similarity(a, b, by):
    rules = oracle.Rules(by=by)
    a, b = (set(oracle.shingles(oracle.tokens(text, rules), rules)) for text in (a, b))
    return len(a & b) / len(a | b)


class Generate(Case):
    def generate(self, *arguments, **options):
        return subprocess.run([os.path.join(ROOT, "bench/generate"), *map(str, arguments)],
                              cwd=self.folder, capture_output=True, **options)

    def make(self, *arguments):
        """The texts by id and the rows of the truth."""
        made = self.generate(*arguments, "--truth", "truth.tsv")
        self.assertEqual((made.returncode, made.stderr), (0, b""))
        records = [json.loads(line) for line in made.stdout.splitlines()]
        with open(self.path("truth.tsv"), encoding="utf-8") as file:
            truth = list(csv.DictReader(file, delimiter="\t"))
        texts = {record["id"]: record["text"] for record in records}
        self.assertEqual(len(texts), len(records))
        return texts, truth

    def check_row(self, texts, a, b, row):
        for column, by in (("jaccard", "char"), ("jaccard_words", "word")):
            self.assertAlmostEqual(float(row[column]), similarity(texts[a], texts[b], by),
                                   delta=1e-14, msg=row)

    def test_truth(self):
        texts, truth = self.make("--documents", 1200, "--seed", 7, "--unicode", 0.1)
        self.assertEqual((len(texts), len(truth)), (1200, 120))
        self.assertEqual({row["edit"] for row in truth}, EDITS)
        for row in truth:
            self.check_row(texts, row["copy"], row["original"], row)
            if row["edit"] == "exact":
                self.assertEqual(texts[row["copy"]], texts[row["original"]])

    def test_similarities_are_spread(self):
        _, truth = self.make("--documents", 5000)
        found = [float(row["jaccard"]) for row in truth]
        for low, high, least in ((0.5, 0.8, 0.1), (0.8, 0.9, 0.3), (0.9, 1, 0.2), (1, 2, 0.05)):
            self.assertGreater(sum(low <= s < high for s in found), least * len(found))

    def test_lengths(self):
        for mean in (200, 600, 5000):
            texts, _ = self.make("--documents", 2000, "--bytes", mean)
            lengths = [len(text) for text in texts.values()]
            self.assertAlmostEqual(sum(lengths) / len(lengths), mean, delta=0.1 * mean)
            self.assertGreater(max(lengths), 2 * mean)

    def test_same_bytes_for_a_seed(self):
        seeds = ["7", "7", "8"]
        first, again, other = (self.generate("--documents", 500, "--seed", seed).stdout
                             for seed in seeds)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertFalse(set(first.splitlines()) & set(other.splitlines()))

    def test_order(self):
        shuffled, _ = self.make("--documents", 500)
        ordered, _ = self.make("--documents", 500, "--in-order")
        self.assertEqual(shuffled, ordered)
        self.assertNotEqual(list(shuffled), list(ordered))
        self.assertEqual(sorted(shuffled), list(ordered))

    def test_hot(self):
        texts, truth = self.make("--documents", 100, "--hot", 60)
        hot = [row for row in truth if row["edit"] == "hot"]
        self.assertEqual((len(texts), len(hot)), (100, 59))
        for row in hot:
            self.assertGreater(float(row["jaccard"]), 0.7)
            self.check_row(texts, row["copy"], row["original"], row)

    def test_huge(self):
        texts, _ = self.make("--documents", 10, "--huge", 1000000)
        lengths = sorted(map(len, texts.values()))
        self.assertAlmostEqual(lengths[-1], 1000000, delta=1000)
        self.assertLess(lengths[-2], 6000)

    def test_pairs(self):
        texts, truth = self.make("--documents", 300, "--seed", 3)
        pairs = [(row["copy"], row["original"]) for row in truth] + [("d00000000", "d00000001")]
        lines = "".join(f"{a}\t{b}\n" for a, b in pairs)
        answer = self.generate("--documents", 300, "--seed", 3, "--pairs", "-",
                               input=lines.encode())
        rows = list(csv.DictReader(answer.stdout.decode().splitlines(), delimiter="\t"))
        self.assertEqual([(row["a"], row["b"]) for row in rows], pairs)
        for row in rows:
            self.check_row(texts, row["a"], row["b"], row)

    def test_bad_usage(self):
        for arguments in (["--documents", "x"], ["--documents", "5", "--hot", "6"], ["what"],
                          ["--output", "no/such/folder"], ["--pairs", "nothing"], ["--share", "2"]):
            made = self.generate(*arguments)
            self.assertEqual((made.returncode, made.stdout), (2, b""))
            self.assertIn(b"bench/generate: ", made.stderr)


if __name__ == "__main__":
    unittest.main()
