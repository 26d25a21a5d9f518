"""The screen: tables to the last character, colour, width, progress."""
import json
import math
import re
import unittest

import oracle
from command import Case, columns_of, run_on_terminal, without_colour

SCAN = """\
3 similar pairs in 4 documents, 1 cluster
in essays/

similar           a in b  b in a   longest  a          b    cluster
 100.0% ████████  100.0%  100.0%  44 chars  anna.txt   chloe.txt  1
  80.0% ██████▍    88.8%   88.8%  40 chars  anna.txt   boris.txt  1
  80.0% ██████▍    88.8%   88.8%  40 chars  boris.txt  chloe.txt  1

cluster 1: 3 documents, lowest similarity 80.0%, most typical anna.txt
    anna.txt, boris.txt, chloe.txt

1 input skipped; --format json has the names.
"""

WEIGHTED = """\
1 similar pair in 4 documents, 1 cluster
in essays/

similar           jaccard  a in b  b in a  longest  a         b    cluster
 100.0% ████████   100.0%  100.0%  100.0%  9 words  anna.txt  chloe.txt  1

cluster 1: 2 documents, lowest similarity 100.0%, most typical anna.txt
    anna.txt, chloe.txt
"""

COMPARE = """\
essays/anna.txt
essays/boris.txt

similarity    80.0% ██████▍  by jaccard
jaccard       80.0% 32 of 40 shingles shared
containment   88.8% of anna.txt is found in boris.txt
              88.8% of boris.txt is found in anna.txt
estimate      {estimate}% of 256 hash values agree
longest      40 chars in a row that both have
passages     8 words in 1 passage that both have

1. verbatim: 8 words
   essays/anna.txt 1 essays/boris.txt 1
   “The quick brown fox jumps over the lazy”
"""

TUNE = """\
20 bands x 5 rows of 100 hashes: 47.00% of the pairs at 0.50 become candidates

                        recall at      false      false
 bands   rows      knee threshold  positives  negatives
     1    100   1.00000   0.00000    0.00000    0.49010
     2     50   0.98623   0.00000    0.00000    0.47069
     4     25   0.94606   0.00000    0.00000    0.42107
     5     20   0.92268   0.00000    0.00000    0.39370
    10     10   0.79433   0.00972    0.00044    0.25206
    20      5   0.54928   0.47005    0.04463    0.04598  <- chosen
    25      4   0.44721   0.80080    0.10809    0.01094
    50      2   0.14142   1.00000    0.37560    0.00000
   100      1   0.01000   1.00000    0.49010    0.00000
"""

HELP = """\
Usage: twinset [COMMAND] [OPTION...] PATH...

Finds the twins in a set of documents: near-duplicates, plagiarism, copied text.
Every similarity it reports is exact.

Examples:
  twinset essays/
      which essays resemble each other, and how much
"""

SCAN_HELP = """\
Usage: twinset scan [OPTION...] PATH...

Reads the documents, finds the pairs whose similarity reaches the threshold, and
joins them into clusters. Every similarity reported is exact. A PATH is a file,
"""


# Under the pairs, on a terminal of 80 columns.
LEGEND = """
similar: what both have, of all that either has. a in b: how much of a is also
in b. longest: the longest passage that both have. cluster: documents that
similar pairs join have one number.
"""


class Screen(Case):
    def setUp(self):
        super().setUp()
        self.write("essays/anna.txt", "The quick brown fox jumps over the lazy dog.\n")
        self.write("essays/boris.txt", "The quick brown fox jumps over the lazy cat.\n")
        self.write("essays/chloe.txt", "the  QUICK brown fox\njumps over the lazy dog.\n")
        self.write("essays/dora.txt", "Nothing of the kind is said here.\n")

    def on_terminal(self, *arguments, **options):
        result = run_on_terminal(*arguments, cwd=self.folder, **options)
        self.assertEqual(result.status, 0, result)
        return result


class Tables(Screen):
    def test_scan(self):
        self.write("essays/empty.txt")
        result = self.succeed("essays")
        self.assertEqual(result.text, SCAN)
        self.assertEqual(result.messages, "twinset: skipped essays/empty.txt: empty\n")
        self.assertEqual(self.succeed("scan", "essays", "-o", "out").out, b"")
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertEqual(file.read(), SCAN)

    def test_weighted(self):
        self.assertEqual(self.succeed("essays", "-t", "1", "--measure", "weighted", "--by", "word",
                                      "-k", "2").text, WEIGHTED)

    def test_nothing_found(self):
        self.assertEqual(self.succeed("essays/anna.txt").text,
                         "Only one document: there is nothing to compare it with.\n")
        two = ["essays/anna.txt", "essays/dora.txt"]
        self.assertEqual(self.succeed(*two).text, "No pair at 50% or more in 2 documents. "
                                                  "Use -t 0.3 to see less similar ones.\n")
        self.assertEqual(self.succeed(*two, "-t", "0.125").text,
                         "No pair at 12.5% or more in 2 documents. "
                         "Use -t 0 to see every pair that shares anything.\n")
        self.assertEqual(self.succeed(*two, "-t", "0").text,
                         "No two of 2 documents share anything. "
                         "A smaller -k finds what is shorter.\n")

    def test_compare(self):
        names = ["essays/anna.txt", "essays/boris.txt"]
        lines = map(json.loads, self.succeed("sketch", *names).text.splitlines())
        estimate = oracle.agreement(*(line["signature"] for line in lines))
        self.assertEqual(self.succeed("compare", *names).text,
                         COMPARE.format(estimate=math.floor(1000 * estimate) / 10))

    def test_tune(self):
        text = self.succeed("tune", "-n", "100", "--prefer", "nearest").text
        self.assertEqual(text[:len(TUNE)], TUNE)
        curve = text.split("\n\n")[-1].splitlines()
        self.assertEqual(curve[0], "probability of becoming a candidate")
        self.assertEqual(curve[-1], "      similarity; the upright line is the threshold 0.50")

    def test_tune_without_utf8(self):
        self.succeed("tune", env={"LC_ALL": "C"}).out.decode("ascii")

    def test_version(self):
        for option in ("--version", "-V"):
            self.assertEqual(self.succeed(option).text, "twinset 0.1.0\n")

    def test_help(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            text = self.succeed(*arguments).text
            self.assertEqual(text[:len(HELP)], HELP)
        for arguments in (["scan", "--help"], ["help", "scan"], ["--help", "scan"]):
            text = self.succeed(*arguments).text
            self.assertEqual(text[:len(SCAN_HELP)], SCAN_HELP)
        for command in ("scan", "compare", "tune", "sketch"):
            text = self.succeed(command, "--help").text
            self.assertTrue(text.startswith(f"Usage: twinset {command}"))
            self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_rows_without_limit_in_a_pipe(self):
        for i in range(12):
            self.write(f"many/{i:02}", "twelve documents that all say the same thing")
        self.assertEqual(self.succeed("many").text.count("100.0% █"), 66)
        self.assertIn("… and 16 more; --format csv lists them all\n",
                      self.on_terminal("many", columns=100).text)
        self.assertEqual(without_colour(self.on_terminal("many", "--verbose", columns=100).text)
                         .count("100.0% █"), 66)


class Messages(Case):
    """What standard error says is broken between words on a terminal, and nowhere else."""
    arguments = ["essays", "-t", "größer als ähnlich überhaupt sein kann"]
    message = ("twinset: --threshold: 'größer als ähnlich überhaupt sein kann' is not a number "
               "from 0 to 1, or a percentage such as 70%\nTry 'twinset scan --help'.\n")

    def messages_on_terminal(self, columns, **options):
        result = run_on_terminal(*self.arguments, columns=columns, cwd=self.folder, **options)
        self.assertEqual(result.status, 2, result)
        return result.messages

    def test_on_a_terminal(self):
        for columns in (30, 36, 60):
            with self.subTest(columns=columns):
                text = self.messages_on_terminal(columns)
                self.assertLessEqual(max(map(columns_of, text.splitlines())), columns)
                self.assertEqual(text.replace("\n", " "), self.message.replace("\n", " "))

    def test_words_longer_than_a_line_stay_whole(self):
        self.assertEqual(self.messages_on_terminal(8).split(), self.message.split())

    def test_in_a_pipe(self):
        self.assertEqual(self.messages_on_terminal(20, err=False), self.message)


class Legend(Screen):
    """Below the pairs, a terminal shows what the columns mean."""

    def test_on_a_terminal(self):
        self.assertIn(LEGEND, without_colour(self.on_terminal("essays").text))

    def test_nowhere_else(self):
        for arguments in (["--quiet"], ["--format", "csv"], ["-t", "1", "--measure", "containment",
                                                             "--like", "essays/dora.txt"]):
            self.assertNotIn("similar: what", self.on_terminal("essays", *arguments).text)
        self.assertNotIn("similar: what", self.succeed("essays").text)

    def test_only_present_columns_are_explained(self):
        text = " ".join(without_colour(self.on_terminal("essays", "--measure", "weighted",
                                                        columns=90).text).split())
        self.assertIn("rare parts count more. jaccard: the same", text)
        self.assertNotIn("chance:", text)
        narrow = without_colour(self.on_terminal("essays", columns=36).text)
        self.assertNotIn("longest:", narrow)
        self.assertIn("cluster:", narrow)


class Colour(Screen):
    def test_on_a_terminal(self):
        text = self.on_terminal("essays").text
        self.assertRegex(text, r"\x1b\[31m 100\.0%")
        self.assertRegex(text, r"\x1b\[33m +80\.0%")
        self.assertEqual(without_colour(text).replace(LEGEND, ""), self.succeed("essays").text)
        self.assertIn("\x1b[", self.on_terminal("compare", "essays/anna.txt",
                                                "essays/boris.txt").text)

    def test_not_wanted_or_not_possible(self):
        plain = self.succeed("essays").text
        for env in {"NO_COLOR": "1"}, {"NO_COLOR": "anything"}, {"TERM": "dumb"}:
            self.assertEqual(self.on_terminal("essays", env=env).text.replace(LEGEND, ""), plain,
                             env)
        self.assertIn("\x1b[", self.on_terminal("essays", env={"NO_COLOR": ""}).text)

    def test_never_in_other_formats_or_pipes(self):
        for form in ("csv", "tsv", "json", "jsonl"):
            self.assertNotIn("\x1b", self.on_terminal("essays", "--format", form).text)
        self.assertNotIn(b"\x1b", self.succeed("essays").out)
        self.on_terminal("essays", "-o", "out")
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertNotIn("\x1b", file.read())


class Width(Screen):
    def write_long_names(self):
        """Writes files whose names differ in the middle, at the end, or only by folder."""
        for i in range(6):
            folder = f"collection/a folder with a rather long name, number {i}"
            for name in ("the same name in every folder.txt", f"{i} at the beginning.txt",
                         f"somewhere {i} in the middle of a name.txt", f"汉字文件名很长很长很长{i}.txt"):
                self.write(f"{folder}/{name}", f"The quick brown fox jumps over the lazy dog {i}.")

    def assert_fits(self, text, columns):
        for line in text.splitlines():
            self.assertLessEqual(columns_of(line), columns, line)

    def pairs_in(self, text):
        rows = re.findall(r"^ *[0-9.]+%.*? chars +(.*)$", without_colour(text), re.MULTILINE)
        return [re.sub(r" +\d+$", "", row) for row in rows]

    def test_the_terminal_decides_the_width(self):
        self.write_long_names()
        full = self.succeed("collection").text
        for columns in (80, 100):
            text = self.on_terminal("collection", "--verbose", columns=columns).text
            with self.subTest(columns=columns):
                self.assert_fits(text, columns)
            names = self.pairs_in(text)
            self.assertEqual(len(names), len(self.pairs_in(full)))
            self.assertEqual(len(set(names)), len(names), "pairs that look the same")

    def test_short_names(self):
        for columns in (60, 80, 100):
            for arguments in (["essays", "-t", "0"], ["compare", "essays/anna.txt",
                                                      "essays/boris.txt"]):
                with self.subTest(columns=columns, arguments=arguments):
                    text = self.on_terminal(*arguments, columns=columns).text
                    self.assert_fits(text, columns)

    def test_the_variable_decides_the_width(self):
        self.write_long_names()
        text = self.succeed("collection", env={"COLUMNS": "100"}).text
        self.assert_fits(text, 100)
        self.assertIn("…", text)
        self.assertNotIn("…", self.succeed("collection").text)

    def test_help_fits(self):
        for columns in (80, 100):
            for command in ([], ["scan"], ["tune"]):
                text = self.on_terminal(*command, "--help", columns=columns).text
                self.assert_fits(text, columns)

    def test_same_names_in_many_folders(self):
        """Of 1,000 files with equal names, every label of the table identifies one."""
        for i in range(1000):
            self.write(f"all/a long enough folder name {i * 7919 % 1000}/submission.txt",
                       f"A quite short submission of group {i // 4}, which is {i // 4} words.")
        text = self.on_terminal("all", "--verbose", "-t", "0.95", "--group", "dir",
                                columns=100).text
        pairs = self.pairs_in(text)
        self.assertGreater(len(pairs), 1000)
        self.assertEqual(len(set(pairs)), len(pairs))
        self.assert_fits(text, 100)


class Progress(Screen):
    """The progress of a run that takes several seconds, because MD5 is slow."""

    def setUp(self):
        super().setUp()
        for i in range(8):
            self.write(f"docs/{i:02}", f"A text of thirty characters {i * i * 104729}.")
        self.slow = ["sketch", "docs", "--scheme", "md5", "-n", "32768", "-j", "1"]

    def test_on_a_terminal_and_erased(self):
        """A bar is drawn on a terminal, and erased at the end. A pipe gets none."""
        result = self.on_terminal(*self.slow, out=False)
        self.assertRegex(result.messages,
                         r"\r\w+ +\[#+ *\] +\d+% of 8 documents(, \d+ s left)?\x1b\[K")
        self.assertTrue(result.messages.endswith("\r\x1b[K"), result.messages[-80:])
        self.assertNotIn("\n", result.messages)
        piped = self.succeed(*self.slow)
        self.assertEqual((result.out, piped.err), (piped.out, b""))

    def test_narrow_terminal(self):
        result = self.on_terminal(*self.slow, out=False, columns=30)
        self.assertIn("\r", result.messages)
        for line in re.split(r"\r|\x1b\[K", result.messages):
            self.assertLess(len(line), 30)

    def test_not_if_quiet_or_dumb(self):
        self.assertEqual(self.on_terminal(*self.slow, "--quiet", out=False).err, b"")
        self.assertEqual(self.on_terminal(*self.slow, out=False, env={"TERM": "dumb"}).err, b"")

    def test_not_in_short_runs(self):
        """On a busy machine, a short run may take long, but not every time."""
        self.assertTrue(any(self.on_terminal("essays").err == b"" for _ in range(20)))


if __name__ == "__main__":
    unittest.main()
