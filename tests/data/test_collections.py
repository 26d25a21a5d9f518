"""Real collections compared with brute force: newsgroup posts, news articles, licences.

The collections are not part of the project. TWINSET_DATA names the folder they were
unpacked into; TWINSET and TWINSET_BRUTE_FORCE the programs.
"""

import json
import os
import subprocess
import unittest

DATA = os.environ["TWINSET_DATA"]
TWINSET = os.environ["TWINSET"]
BRUTE_FORCE = os.environ["TWINSET_BRUTE_FORCE"]
COLLECTIONS = ["newsgroups", "bbc_news", "spdx_licenses"]


def folder(name):
    return os.path.join(DATA, name, "docs")


def files(name):
    return [
        os.path.join(root, file)
        for root, _, found in os.walk(folder(name))
        for file in found
        if not file.startswith(".")
    ]


def brute_force(name, threshold, *options):
    """All pairs of at least this Jaccard similarity: {(a, b): (shared, union)}."""
    run = subprocess.run(
        [BRUTE_FORCE, str(threshold), *options],
        input="\n".join(files(name)),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        errors="surrogateescape",
    )
    rows = (line.split("\t") for line in run.stdout.splitlines())
    return {(a, b): (int(shared), int(union)) for a, b, shared, union in rows}


def scan(name, *options):
    run = subprocess.run(
        [TWINSET, "scan", folder(name), "--format", "json", "--quiet", *options],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(run.stdout)


class AgainstBruteForce(unittest.TestCase):
    truth = {}

    @classmethod
    def setUpClass(cls):
        cls.truth = {name: brute_force(name, 0.5) for name in COLLECTIONS}

    def wanted(self, name, threshold):
        return {p: v for p, v in self.truth[name].items() if v[0] / v[1] >= threshold}

    def check_values(self, name, found):
        """Checks that no pair is wrong, and that similarities agree to the last digit."""
        for pair in found:
            shared, union = self.truth[name][pair["a"], pair["b"]]
            self.assertEqual((pair["shared"], pair["union"]), (shared, union), pair)
            self.assertEqual(pair["similarity"], shared / union, pair)
            self.assertEqual(pair["jaccard"], shared / union, pair)

    def check_exact(self, name, threshold):
        result = scan(name, "-t", str(threshold), "--method", "exact")
        self.check_values(name, result["pairs"])
        found = {(pair["a"], pair["b"]) for pair in result["pairs"]}
        self.assertEqual(found, set(self.wanted(name, threshold)))
        self.assertEqual(len(result["pairs"]), len(found))
        self.assertEqual(result["run"]["expected_recall"], 1)

    def check_lsh(self, name, threshold, *options):
        result = scan(name, "-t", str(threshold), "--method", "lsh", *options)
        self.check_values(name, result["pairs"])
        wanted = self.wanted(name, threshold)
        found = {(pair["a"], pair["b"]) for pair in result["pairs"]}
        self.assertLessEqual(found, set(wanted))
        self.assertGreaterEqual(len(found), result["run"]["expected_recall"] * len(wanted))
        self.assertGreaterEqual(result["run"]["expected_recall"], 0.99)


def add_cases():
    for name in COLLECTIONS:
        for threshold in (0.5, 0.8, 0.9):
            label = f"{name}_{threshold:g}".replace(".", "_")
            setattr(
                AgainstBruteForce,
                f"test_exact_{label}",
                lambda self, n=name, t=threshold: self.check_exact(n, t),
            )
            setattr(
                AgainstBruteForce,
                f"test_lsh_{label}",
                lambda self, n=name, t=threshold: self.check_lsh(n, t),
            )
        setattr(
            AgainstBruteForce,
            f"test_lsh_other_seed_{name}",
            lambda self, n=name: self.check_lsh(n, 0.5, "--seed", "7", "-n", "128"),
        )


add_cases()


class AgainstOthers(unittest.TestCase):
    """The collections include a join of word 3-grams by another program."""

    def check_natural_pairs(self, name):
        def is_ascii(path):
            with open(os.path.join(folder(name), path), "rb") as file:
                return file.read().isascii()

        with open(os.path.join(DATA, name, "natural_pairs_w3_j03.tsv")) as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        # That program rounds to 4 digits, and takes bytes over 127 as letters.
        truth = {
            (a, b): float(jaccard)
            for a, b, jaccard, _ in rows
            if float(jaccard) >= 0.31 and is_ascii(a) and is_ascii(b)
        }
        result = scan(name, "--by", "word", "-k", "3", "-t", "0.3", "--method", "exact")
        base = len(folder(name)) + 1
        found = {(p["a"][base:], p["b"][base:]): p["jaccard"] for p in result["pairs"]}
        self.assertGreater(len(truth), 100)
        for (a, b), jaccard in truth.items():
            ours = found.get((a, b), found.get((b, a)))
            self.assertIsNotNone(ours, (a, b, jaccard))
            self.assertAlmostEqual(ours, jaccard, delta=0.00006, msg=(a, b))

    def test_news(self):
        self.check_natural_pairs("bbc_news")

    def test_licences(self):
        self.check_natural_pairs("spdx_licenses")

    def test_newsgroups(self):
        self.check_natural_pairs("newsgroups")


class PlantedCopies(unittest.TestCase):
    def test_every_near_copy_of_a_post_is_found(self):
        """Each post has seven copies that begin with another line; all with similarity >= .9 are
        found."""
        truth = brute_force("coms535", 0.9, "by", "word", "k", "1")
        result = scan("coms535", "--by", "word", "-k", "1", "-t", "0.9", "--method", "exact")
        found = {(pair["a"], pair["b"]) for pair in result["pairs"]}
        self.assertEqual(found, set(truth))


if __name__ == "__main__":
    unittest.main()
