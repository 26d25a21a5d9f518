"""The pages state the figures of bench/results, which is the one place that they come from.

After `bench/run` or `bench/spark` has measured again, a failure says what a page should state.
"""

import csv
import re
import unittest

from pages import ROOT, name, text

README, CLUSTER, ACCURACY = (ROOT / page for page in ("README.md", "docs/cluster.md",
                                                      "docs/accuracy.md"))
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
         9: "nine", 10: "ten", 20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty",
         70: "seventy", 80: "eighty", 90: "ninety", 100: "a hundred", 200: "two hundred",
         300: "three hundred", 400: "four hundred", 500: "five hundred"}


def rows(part):
    with open(ROOT / "bench/results" / f"{part}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")),
                                   delimiter="\t"))


def seconds(part, tool, documents):
    """The seconds that a tool takes."""
    found = [row for row in rows(part) if row["tool"] == tool and row["documents"] == documents]
    return float(found[0]["seconds"])


def at_least(number):
    """A number in words, with one digit that counts, cut off and not rounded."""
    unit = 10 ** (len(str(int(number))) - 1)
    return WORDS[int(number / unit) * unit]


def table(page, heading):
    """The first table below a heading: its head, and its rows as lists of cells."""
    below = text(page).split(heading, 1)[1]
    lines = re.search(r"(^\|.*\n)+", below, flags=re.M)[0].splitlines()
    whole = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return whole[0], whole[2:]


class Speeds(unittest.TestCase):
    def assert_states(self, page, sentence):
        self.assertTrue(sentence in " ".join(text(page).split()),
                        f"{name(page)} should state: {sentence}")

    def test_beside_other_tools(self):
        own = seconds("whole", "twinset dedup", "100000")
        others = {row["tool"]: float(row["seconds"]) for row in rows("whole")
                  if row["recall"] and not row["tool"].startswith("twinset")}
        self.assertEqual(min(others, key=others.get), "txtfp 0.3.2, words")
        fastest = at_least(min(others.values()) / own)
        datasketch = at_least(min(took for tool, took in others.items()
                                  if tool.startswith("datasketch")) / own)
        self.assert_states(README, f"more than {fastest} times as fast as the fastest other tool "
                           f"measured, and more than {datasketch} times as fast as datasketch")

    def test_ten_million_records(self):
        own, = (row for row in rows("growth")
                if row["tool"] == "twinset dedup" and row["documents"] == "10000000")
        took, peak = float(own["seconds"]), float(own["peak_mb"]) / 1000
        self.assert_states(README, f"takes {took:.0f} seconds and {peak:.1f} GB on two cores")
        self.assert_states(README, f"finds {float(own['recall']):.4f} of the planted twins"
                           .replace(" 0.", " ."))
        self.assert_states(
            README, f"`wc -w` takes {seconds('growth', 'wc -w', '10000000'):.0f} seconds")
        self.assert_states(CLUSTER, "less than half a minute on two cores")
        self.assertLess(took, 30)

    def test_spark(self):
        documents = ""
        _, stated = table(CLUSTER, "## Sizing")
        self.assertGreaterEqual(len(stated), 8)
        for cells in stated:
            documents = cells[0].replace(",", "") or documents
            tool = "Spark MLlib" if "MLlib" in cells[1] else cells[1]
            took = seconds("spark", tool, documents)
            self.assertEqual(cells[2], f"{took:.1f}" if took < 100 else f"{took:.0f}", cells)


class Accuracy(unittest.TestCase):
    def test_other_detectors(self):
        sets, ours = table(README, "How well copied programs are found")
        measured_sets, measured = table(ACCURACY, "## Ranking")
        measured = {cells[0]: dict(zip(measured_sets, cells)) for cells in measured}
        for cells in ours:
            for which, stated in list(zip(sets, cells))[1:]:
                precision = float(measured[cells[0]][which].split("/")[0])
                with self.subTest(f"{cells[0]}, {which}"):
                    self.assertLessEqual(abs(float(stated) - precision), 0.00501)
                    self.assertRegex(stated, r"^(\.\d\d|1\.0)$")

    def test_most_sets(self):
        """twinset ranks above the others on most sets."""
        sets, measured = table(ACCURACY, "## Ranking")
        first = [float(re.split(" /", cell)[0]) for cell in measured[0][1:]]
        best = [max(float(re.split(" /", cells[i + 1])[0]) for cells in measured[1:])
                for i in range(len(first))]
        above = sum(own > other for own, other in zip(first, best))
        self.assertGreater(2 * above, len(sets) - 1)


if __name__ == "__main__":
    unittest.main()
