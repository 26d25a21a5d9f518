"""The budget: commands over several kinds of large inputs, at three budgets. The peak of each run
stays within --memory, or the run reports how much it needs. TWINSET_TEST_LARGE=1 uses inputs of
full size. TWINSET_TEST_TABLE=1 prints a table."""
import json
import os
import random
import re
import unittest
import zipfile

from command import LARGE, SANITIZED, Case

BUDGETS = (48, 64, 256)  # below 48 MB a run may take as much
TABLE = os.environ.get("TWINSET_TEST_TABLE") == "1"


class Budget(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(3)
        self.words = [f"{self.random.getrandbits(40):x}" for _ in range(20000)]

    def write_records(self, name, texts, id_of="record-{}".format):
        with open(self.path(name), "w") as file:
            for i, text in enumerate(texts):
                file.write(json.dumps({"id": id_of(i), "text": text}) + "\n")

    def some_words(self, count):
        return " ".join(self.random.choices(self.words, k=count))

    def measure(self, *arguments, budgets=BUDGETS, refusal=None):
        """Runs a command at each budget. If a budget is refused, the message says how much is
        needed."""
        for budget in budgets:
            result = self.run_command(*arguments, "--memory", f"{budget}M", "--report", "report")
            if refusal and result.status == 2:
                self.assert_says(result, *refusal)
                continue
            self.assertEqual(result.status, 0, result)
            peak = json.loads(self.read("report"))["peak_memory_bytes"] / (1 << 20)
            if TABLE:
                print(f"{budget:>5} MB  {peak:7.1f} MB  {' '.join(arguments)}")
            if not SANITIZED:
                self.assertLessEqual(peak, budget, arguments)

    def both(self, name, *options, budgets=BUDGETS):
        self.measure("scan", name, *options, "-o", "out.csv", "--format", "csv", budgets=budgets)
        self.measure("dedup", name, *options, "-o", "out.jsonl", budgets=budgets)

    def test_distinct_records(self):
        """Some arrays grow with the documents, by 40 bytes for each (docs/limits.md)."""
        for count in (100_000, 300_000, 700_000) if LARGE else (60_000,):
            self.write_records("docs.jsonl", (self.some_words(5) for _ in range(count)))
            kept = [budget for budget in BUDGETS if (budget << 20) >= (32 << 20) + 40 * count]
            self.both("docs.jsonl", budgets=kept if LARGE else BUDGETS[:2])

    def test_join_that_does_not_fit(self):
        """All documents are similar to all, so the join is given up before matches fill the
        memory."""
        count = 20_000 if LARGE else 1_500
        self.write_records("docs.jsonl", (f"text {i} and its words are short"
                                          for i in range(count)))
        few = [] if LARGE else ["--max-bucket", "100"]
        self.measure("scan", "docs.jsonl", *few, "-o", "out.csv",
                     budgets=BUDGETS if LARGE else BUDGETS[:1])

    def test_every_pair(self):
        """Pairs that do not fit are sorted and listed from a temporary file, with the same
        bytes."""
        count = 3_000 if LARGE else 450
        self.write_records("docs.jsonl", (" ".join(self.random.choices(self.words[:3000], k=60))
                                          for _ in range(count)))
        search = ["scan", "docs.jsonl", "--method", "exact", "-t", "0", "--max-bucket", "0",
                  "--format", "csv", "-o"]
        self.succeed(*search, "usual.csv", "--memory", "2G")
        refusal = ["do not fit", "may suffice"] if LARGE else None
        self.measure(*search, "out.csv", budgets=reversed(BUDGETS), refusal=refusal)
        self.assertEqual(self.read("out.csv"), self.read("usual.csv"))

    def test_large_family(self):
        """Near-identical records are listed by stars, however many there are."""
        count = 200_000 if LARGE else 1_000
        base = self.random.choices(self.words, k=60 if LARGE else 20)
        self.write_records("docs.jsonl", (
            " ".join([*base[:i % len(base)], str(i), *base[i % len(base) + 1:]])
            for i in range(count)))
        if LARGE:
            self.both("docs.jsonl")
            self.measure("scan", "docs.jsonl", "-o", "out", "--format", "candidates")
        else:
            self.both("docs.jsonl", "--max-bucket", "100", budgets=BUDGETS[:1])

    def test_long_names(self):
        count = 30_000 if LARGE else 6_000
        self.write_records("docs.jsonl", (self.some_words(12) for _ in range(count)),
                           id_of=lambda i: f"{i:06}" + "x" * 10_000)
        self.both("docs.jsonl", budgets=BUDGETS if LARGE else BUDGETS[:1])

    def test_long_names_of_pairs(self):
        """What is written holds a name at a time, though each name has a pair."""
        count = 30_000 if LARGE else 3_000
        texts = [self.some_words(12) for _ in range(count // 2)]
        self.write_records("docs.jsonl", (text for text in texts for _ in range(2)),
                           id_of=lambda i: f"{i:06}" + "x" * 10_000)
        for format in "table", "csv", "json", "jsonl", "candidates":
            self.measure("scan", "docs.jsonl", "-o", "out", "--format", format,
                         budgets=BUDGETS if LARGE else BUDGETS[:1])

    def test_members_of_an_archive(self):
        count = 100_000 if LARGE else 3_000
        with zipfile.ZipFile(self.path("docs.zip"), "w") as archive:
            for i in range(count):
                text = f"text {i} and its words are short" if LARGE else self.some_words(6)
                archive.writestr(f"docs/{i}.txt", text)
        self.measure("scan", "docs.zip", "-o", "out", budgets=BUDGETS[1:])

    def test_templates_and_stop_words(self):
        """Templates and stop words are held in memory. Too many are refused before the run
        starts."""
        self.write_records("docs.jsonl", (self.some_words(30) for _ in range(500)))
        self.write("template.txt", " ".join(f"{self.random.getrandbits(40):x}" for _ in range(
            7_000_000 if LARGE else 1_000_000)))
        self.measure("scan", "docs.jsonl", "--ignore", "template.txt", "-o", "out",
                     refusal=["templates do not fit", "need about"])
        self.write("stop.txt", self.read("template.txt")[:48_000_000].replace(b" ", b"\n"))
        self.measure("scan", "docs.jsonl", "--by", "word", "--stop", "stop.txt", "-o", "out",
                     refusal=["stop words", "too large", "--memory"])
        result = self.run_command("docs.jsonl", "--ignore", "template.txt", "--memory", "48M")
        needed = re.search(r"need about (\d+)M", result.messages).group(1)
        self.succeed("docs.jsonl", "--ignore", "template.txt", "--memory", needed + "M")

    def test_programs_nested_deeply(self):
        """A parse takes a hundred times the memory of its text. A program whose parse does not fit
        is lexed, and a program whose tokens do not fit is skipped."""
        size = (1 << 20) if LARGE else 60_000
        for i in range(4):
            nest = f"int f{i}(int a) {{" + "if(a){" * 2000 + f"a=a+{i};" + "}" * 2000 + "}\n"
            self.write(f"programs/nest{i}.c", (nest * (size // len(nest) + 1))[:size])
            self.write(f"programs/list{i}.py", ("x = " + "[" * 300 + "1" + "]" * 300 + "\n") *
                       (size // 605))
        refusal = ["too large for a program", "--memory"]
        self.measure("scan", "programs", "-o", "out.csv", "-j", "8", refusal=refusal)
        usual = self.succeed("programs", "--format", "csv", "--memory", "256M", "-j", "1").out
        self.assertEqual(self.succeed("programs", "--format", "csv", "--memory", "256M", "-j",
                                      "8").out, usual)


if __name__ == "__main__":
    unittest.main()
