"""What the tests of passages share: their spans as data, and a program to copy."""
import itertools
import json

from command import Case

FIELDS = ["a", "b", "tokens", "kinds", "names", "documents", "among"]


class Passages(Case):
    def pairs(self, *arguments, **options):
        """All pairs with their passages, by the names of the documents."""
        answer = self.succeed(*arguments, "--format", "json", **options)
        return {(pair["a"], pair["b"]): pair["passages"]
                for pair in json.loads(answer.out)["pairs"]}

    def compare(self, *arguments, **options):
        return next(iter(self.pairs("compare", *arguments, **options).values()))

    def check_spans(self, passages, texts):
        """Checks that spans are in the order of a and do not overlap, and that lines agree with
        bytes. `texts` are those of a and b, or of their files by name."""
        spans = {"a": {}, "b": {}}
        for passage in passages:
            self.assertEqual([field for field in passage if field != "rarity"], FIELDS)
            for side, text in zip("ab", texts):
                span = passage[side]
                text = text[span["file"]] if isinstance(text, dict) else text
                start, end = span["bytes"]
                self.assertTrue(0 <= start < end <= len(text), passage)
                self.assertEqual(span["lines"], [1 + text.count(b"\n", 0, start),
                                                  1 + text.count(b"\n", 0, end - 1)])
                spans[side].setdefault(span.get("file"), []).append((start, end))
        for files in spans.values():
            for of_file in files.values():
                for (_, end), (start, _) in itertools.pairwise(sorted(of_file)):
                    self.assertLessEqual(end, start)
        for of_file in spans["a"].values():
            self.assertEqual(of_file, sorted(of_file))


ORIGINAL = '''\
# Homework of Anna.
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


class Table:
    def __init__(self, path, limit=100):
        with open(path, encoding="utf-8") as file:
            self.rows = [line.split(";") for line in file][:limit]

    def column(self, number):
        return [float(row[number]) for row in self.rows if row[number] != ""]


def report(table, names):
    while names:
        name = names.pop()
        print(name, "%.2f" % mean(table.column(int(name))), sep=": ")
'''
PARTS = ORIGINAL.split("\n\n\n")


def rename(text, names):
    for name, other in names.items():
        text = text.replace(name, other)
    return text
