"""Passages as compare shows them on the screen."""
import json
import unittest

from command import columns_of, run_on_terminal, without_colour
from passages import PARTS, Passages, rename

LEFT = '''\
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)
'''
RIGHT = '''\
# Otto
def mean(values):
    result = 0
    count = len(values)
    for value in values:
        result += value
    return result / len(values)
'''
BELOW = '''\
1. renamed, padded: 24 tokens
1-5  left.py
= 1 def mean(values):
~ 2     total = 0
= 3     for value in values:
~ 4         total += value
~ 5     return total / len(values)
2-7  right.py
= 2 def mean(values):
~ 3     result = 0
> 4     count = len(values)
= 5     for value in values:
~ 6         result += value
~ 7     return result / len(values)
names: total → result (3)
'''
BESIDE = '''\
1. renamed, padded: 24 tokens
1-5  left.py                                                 2-7  right.py
1 def mean(values):                                        = 2 def mean(values):
2     total = 0                                            ~ 3     result = 0
                                                           > 4     count = len(values)
3     for value in values:                                 = 5     for value in values:
4         total += value                                   ~ 6         result += value
5     return total / len(values)                           ~ 7     return result / len(values)
names: total → result (3)
'''
HANDED_OUT = '''

def handed_out(stream, limit):
    print("handed out", len(stream), file=stream.log)
    while stream.more() and limit > 0:
        yield stream.next().strip()
        limit = limit - 1
    raise ValueError("nothing is left of it", limit)


'''
MARKS = "\n= same, ~ other names or values, | changed, < > only here, . left out\n"
FIRST = "It was a bright cold day in April, and the clocks were striking thirteen."
SECOND = ("I say: it was a bright\n\ncold day in April, and all the clocks were striking thirteen,"
          " or nearly so.")
QUOTED = {
    80: '''\
1. edited: 14 words
   first 1
   “It was a bright cold day in April, and the clocks were striking thirteen”
   second 1-3
   “it was a bright cold day in April, and [all] the clocks were striking
    thirteen”
''',
    120: '''\
1. edited: 14 words
   first 1
   “It was a bright cold day in April, and the clocks were striking thirteen”
   second 1-3
   “it was a bright cold day in April, and [all] the clocks were striking thirteen”
'''}


class Screen(Passages):
    def setUp(self):
        super().setUp()
        for name, text in (("left.py", LEFT), ("right.py", RIGHT), ("first", FIRST),
                           ("second", SECOND)):
            self.write(name, text)

    def on_terminal(self, *arguments, columns, **options):
        result = run_on_terminal("compare", *arguments, columns=columns, cwd=self.folder, **options)
        self.assertEqual(result.status, 0, result)
        for line in result.text.splitlines():
            self.assertLessEqual(columns_of(line), columns)
            self.assertFalse(without_colour(line).endswith(" "), line)
            self.assertIn(line.rpartition("\x1b[")[2][:2], ("0m", line[:2]))  # none goes on
        return result.text

    def test_programs(self):
        """Passages are one below the other, or side by side if they fit; colour changes no
        letter."""
        for columns, expected in (80, BELOW), (120, BESIDE):
            plain = self.succeed("compare", "left.py", "right.py", env={"COLUMNS": str(columns)})
            coloured = self.on_terminal("left.py", "right.py", columns=columns)
            with self.subTest(columns=columns):
                self.assertTrue(plain.text.endswith("\n\n" + expected + MARKS), plain.text)
                self.assertEqual(without_colour(coloured), plain.text)
                self.assertIn("\x1b[33mtotal\x1b[0m = 0", coloured)
                self.assertIn("\x1b[2m    count = len(values)\x1b[0m", coloured)

    def test_templates(self):
        """Lines of a template are shown and marked, but not counted."""
        self.write("form.py", HANDED_OUT)
        self.write("left.py", PARTS[0] + HANDED_OUT + PARTS[2])
        self.write("right.py", rename(PARTS[0] + HANDED_OUT + PARTS[2], {"total": "result"}))
        for columns in (80, 120):
            search = ["compare", "left.py", "right.py", "--ignore", "form.py"]
            text = self.succeed(*search, env={"COLUMNS": str(columns)}).text
            coloured = self.on_terminal(*search[1:], columns=columns)
            rows = [line for line in text.splitlines() if "yield stream" in line]
            with self.subTest(columns=columns):
                self.assertEqual(len(rows), 160 // columns)
                for row in rows:
                    self.assertRegex(row, r"(^| )\. +11 +yield stream")
                self.assertEqual(coloured.count("\x1b[2m        yield stream"), 2)
                self.assertEqual(without_colour(coloured), text)

    def test_prose(self):
        """Words of one text only are in brackets, or dim with colour."""
        for columns in (80, 120):
            plain = self.succeed("compare", "first", "second", env={"COLUMNS": str(columns)}).text
            coloured = self.on_terminal("first", "second", columns=columns)
            with self.subTest(columns=columns):
                self.assertIn("\npassages     14 words in 1 passage that both have\n\n", plain)
                self.assertTrue(plain.endswith("\n\n" + QUOTED[columns]), plain)
                self.assertIn("\x1b[2mall\x1b[0m", coloured)
                self.assertEqual(without_colour(coloured), plain.replace("[all]", "all"))

    def test_any_width(self):
        for columns in range(60, 130, 3):
            self.on_terminal("left.py", "right.py", columns=columns)
            self.on_terminal("first", "second", columns=columns)

    def test_without_utf8(self):
        self.succeed("compare", "first", "second", env={"LC_ALL": "C"}).out.decode("ascii")
        self.succeed("compare", "left.py", "right.py", env={"LC_ALL": "C"}).out.decode("ascii")

    def test_other_formats_have_their_number(self):
        found = json.loads(self.succeed("compare", "first", "second", "--format", "json").out)
        line = json.loads(self.succeed("compare", "first", "second", "--format", "jsonl").out)
        passages = found["pairs"][0]["passages"]
        self.assertEqual(line["passages"], len(passages))
        self.assertEqual(line["passage_words"], sum(passage["tokens"] for passage in passages))


if __name__ == "__main__":
    unittest.main()
