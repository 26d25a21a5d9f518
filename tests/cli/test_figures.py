"""Figures from the papers that twinset is based on, by the command line.

docs/text.md names the papers S0 to S3.
"""
import json
import unittest

import oracle
from command import FIELDS, SAMPLES, Case


class Tune(Case):
    def tune(self, *arguments):
        return self.succeed("tune", *arguments, "--format", "json").json

    def choice(self, *arguments):
        tuning = self.tune(*arguments)
        return tuning["bands"], tuning["rows"]

    def test_s0_accuracy(self):
        tuning = self.tune("-n", "225", "-t", "0.53", "--prefer", "accuracy")
        self.assertEqual((tuning["bands"], tuning["rows"]), (45, 5))
        self.assertEqual(tuning["knee"], 0.46704367745113423)

    def test_s0_speed(self):
        tuning = self.tune("-n", "225", "-t", "0.53", "--prefer", "speed")
        self.assertEqual((tuning["bands"], tuning["rows"]), (25, 9))
        self.assertEqual(tuning["knee"], 0.6993157867655625)

    def test_s0_walk(self):
        for prefer in ("accuracy", "speed"):
            table = self.succeed("tune", "-n", "225", "-t", "0.53", "--prefer", prefer).text
            rows = [line.split() for line in table.split("\n\n")[1].splitlines()[2:]]
            self.assertEqual([(row[0], row[1], row[2]) for row in rows], [
                ("1", "225", "1.00000"), ("3", "75", "0.98546"), ("5", "45", "0.96487"),
                ("9", "25", "0.91586"), ("15", "15", "0.83482"), ("25", "9", "0.69932"),
                ("45", "5", "0.46704"), ("75", "3", "0.23713"), ("225", "1", "0.00444")])
            chosen = [row[0] for row in rows if row[-1] == "chosen"]
            self.assertEqual(chosen, ["45" if prefer == "accuracy" else "25"])

    def test_s0_prime(self):
        for prefer in ("accuracy", "speed"):
            self.fail_with(2, "tune", "-n", "227", "--prefer", prefer,
                           says=["227", "prime", "--hashes 226", "228"])
            self.write("a", "some text")
            self.fail_with(2, "a", "-n", "227", "--prefer", prefer, "--method", "lsh",
                           says=["227", "prime"])

    def test_s0_curve(self):
        curve = self.tune("--bands", "20", "--rows", "5", "-n", "100")["curve"]
        published = {.2: .006, .3: .047, .4: .186, .5: .470, .6: .802, .7: .975, .8: .9996}
        found = {point["s"]: point["p"] for point in curve}
        self.assertEqual(list(found), [i / 100 for i in range(101)])
        for s, p in published.items():
            self.assertAlmostEqual(found[s], p, places=4 if s == .8 else 3)
        for s, p in found.items():
            self.assertAlmostEqual(p, 1 - (1 - s**5)**20, places=12)

    def test_s1_nearest(self):
        for n, t, bands in (100, 0.5, 20), (200, 0.8, 20), (500, 0.64, 50), (1000, 0.9, 25):
            self.assertEqual(self.choice("-n", str(n), "-t", str(t), "--prefer", "nearest"),
                             (bands, n // bands))

    def test_s3_table(self):
        """P(candidate), false positives and negatives by similarity, for 20 bands of 100 hashes."""
        table = self.succeed("tune", "-n", "100", "--bands", "20", "-t", "0.5").text
        rows = [line.split() for line in table.split("\n\n")[2].splitlines()[2:]]
        self.assertEqual(len(rows), 9)
        for row in rows:
            s = float(row[0])
            p = 1 - (1 - s**5)**20
            below = [f"{p:.5f}", f"{p:.5f}", "-"]
            above = [f"{p:.5f}", "-", f"{1 - p:.5f}"]
            self.assertEqual(row[1:], below if s < 0.5 else above)
        self.assertAlmostEqual(self.tune("-n", "100", "--bands", "20")["knee"], 0.05**0.2)

    def test_recall_by_default(self):
        """The default has the most rows that find 0.99 of the pairs at the threshold."""
        for threshold in (0.3, 0.5, 0.8, 0.95):
            tuning = self.tune("-t", str(threshold), "-n", "256")
            bands, rows = tuning["bands"], tuning["rows"]
            self.assertEqual(bands, 256 // rows)
            self.assertAlmostEqual(tuning["recall"], 1 - (1 - threshold**rows)**bands, places=12)
            self.assertGreaterEqual(tuning["recall"], 0.99)
            self.assertLess(1 - (1 - threshold**(rows + 1))**(256 // (rows + 1)), 0.9902)

    def test_contract(self):
        tuning = self.tune("--recall", "0.9", "-t", "0.7")
        self.assertEqual(list(tuning),
                         ["hashes", "threshold", "bands", "rows", "knee", "recall", "curve"])
        self.assertEqual((tuning["hashes"], tuning["threshold"]), (65, 0.7))
        self.assertEqual(set(map(tuple, tuning["curve"])), {("s", "p")})


class Compare(Case):
    def compare(self, a, b, *options):
        self.write("a", a)
        self.write("b", b)
        answer = self.succeed("compare", "a", "b", *options, "--format", "json").json
        pair, = answer["pairs"]
        return pair["shared"], pair["union"]

    def test_s1_nadal(self):
        self.assertEqual(self.compare("Nadal", "Nadia", "-k", "2"), (2, 6))
        self.assertEqual(self.compare("Nadal", "nadia", "-k", "2", "--case", "keep"), (1, 7))

    def test_s1_spaces(self):
        self.assertEqual(self.compare("a b c", "abc", "-k", "2", "--spaces", "drop"), (2, 2))
        self.assertEqual(self.compare("a b c", "abc", "-k", "2", "--spaces", "keep"), (0, 6))

    def test_s3(self):
        self.assertEqual(self.compare("abcde", "abde", "-k", "2"), (2, 5))
        self.assertEqual(self.compare("abcdab", "xy", "-k", "2"), (0, 5))
        self.assertEqual(self.compare("abcdab", "abcda", "-k", "2"), (4, 4))
        rule = ["--punctuation", "drop", "-k", "3"]
        self.assertEqual(self.compare(" The,  Page. ", "the page", *rule), (6, 6))

    def test_s0_sets(self):
        s1, s2, s3, s4 = "adghkl", "chijl", "bdefgl", "acdijlm"
        letters = ["--by", "char", "-k", "1"]
        self.assertEqual(self.compare(s1, s4, *letters), (3, 10))
        self.assertEqual(self.compare(s1, s2, *letters), (2, 9))
        self.assertEqual(self.compare(s2, s3, *letters), (1, 10))
        self.assertEqual(self.compare("abcde", "cdefgh", *letters), (3, 8))

    def test_s0_grades(self):
        """At 0.53, only the verbatim copy is reported; 0.15 shows copied phrases as well."""
        def partners(threshold):
            answer = self.succeed("essays", "--like", "essays/bridges-original.txt",
                                  "-t", threshold, "--format", "json", cwd=SAMPLES).json
            return [name for pair in answer["pairs"] for name in (pair["a"], pair["b"])
                    if "original" not in name]

        verbatim, phrases = "essays/bridges-verbatim.txt", "essays/bridges-phrases.txt"
        self.assertEqual(partners("0.53"), [verbatim])
        self.assertEqual(partners("0.15"), [verbatim, phrases])

    def test_s2_terms(self):
        """Documents are sets of words, without punctuation, short words and "the"."""
        self.write("stop", "the\n?\n??\n")
        rule = ["--by", "word", "-k", "1", "--punctuation", "drop", "--stop", "stop"]
        self.assertEqual(self.compare("The dog, it's a DOG: big.", "the big cat is in", *rule),
                         (1, 4))

    def test_every_field(self):
        """All fields are those of the oracle, in the order in which the documents are named."""
        rules = oracle.Rules(k=3)
        texts = {"a": "one two three four five", "b": "zero one two three five four"}
        for name, text in texts.items():
            self.write(name, text)
        by_name = {prepared.document.name: prepared for prepared in oracle.prepare(
            [oracle.Document(name, text.encode()) for name, text in texts.items()], rules)}
        lines = self.succeed("sketch", "a", "b", "-k", "3").text.splitlines()
        signatures = {line["id"]: line["signature"] for line in map(json.loads, lines)}
        for first, second in ("a", "b"), ("b", "a"):
            expected = oracle.describe(by_name[first], by_name[second], rules, {}, signatures)
            answer = self.succeed("compare", first, second, "-k", "3", "--format", "json").json
            self.assertEqual([{field: pair[field] for field in FIELDS} for pair in answer["pairs"]],
                             [dict(expected, cluster=0)])
            self.assertEqual(answer["clusters"], [])


if __name__ == "__main__":
    unittest.main()
