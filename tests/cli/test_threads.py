"""The output has the same bytes for any number of threads, and for all kernels."""
import unittest

import corpus
from command import Case

FORMATS = ["table", "csv", "tsv", "json", "jsonl"]
SEARCHES = [
    ["--method", "exact"],
    ["--method", "lsh"],
    ["--method", "lsh", "--scheme", "affine", "--max-bucket", "20", "--memory", "1M"],
    ["--measure", "weighted", "--bag", "--common", "0.8", "--by", "word", "-k", "2"],
    ["--like", "docs/family0/text1.txt", "-t", "0"],
]


class Threads(Case):
    def setUp(self):
        super().setUp()
        for name, text in corpus.mixed_texts(families=6, members=6).items():
            self.write("docs/" + name, text)

    def check(self, *arguments):
        usual = self.succeed(*arguments, "-j", "1")
        for threads in ("2", "7"):
            other = self.succeed(*arguments, "-j", threads)
            self.assertEqual((other.out, other.err), (usual.out, usual.err), arguments)
        other = self.succeed(*arguments, env={"TWINSET_ISA": "portable"})
        self.assertEqual((other.out, other.err), (usual.out, usual.err), arguments)

    def test_threads_scan(self):
        for form in FORMATS:
            self.check("docs", "--format", form)

    def test_threads_searches(self):
        for search in SEARCHES:
            self.check("docs", *search, "--format", "json")

    def test_threads_sketch(self):
        for form in ("jsonl", "binary"):
            self.check("sketch", "docs", "--format", form)
        self.check("sketch", "docs", "--scheme", "datasketch1", "-n", "40", "--memory", "1M")

    def test_threads_compare(self):
        for form in FORMATS:
            self.check("compare", "docs/family0/text1.txt", "docs/family0/text2.txt",
                       "--format", form)

    def test_threads_skip_and_flag(self):
        for i in range(40):
            self.write(f"docs/empty{i}")
            self.write(f"docs/binary{i}", b"\0")
        for form in ("table", "json"):  # which name or count what is skipped
            self.check("docs", "nowhere", "--format", form)
        self.check("docs", "--verbose", "--format", "csv", "--quiet")


class InstructionSets(Case):
    def setUp(self):
        super().setUp()
        self.write("a", "some text, and some more of it\n" * 50)
        self.write("b", "some other text, and some more of it\n" * 40)

    def test_all_give_the_same(self):
        """An instruction set that the machine lacks is refused by name."""
        for command in (["a", "b", "-t", "0"], ["compare", "a", "b"], ["sketch", "a", "b"]):
            usual = self.succeed(*command)
            self.assertEqual(self.succeed(*command, env={"TWINSET_ISA": "portable"}).out, usual.out)
            for name in ("avx2", "avx512", "neon"):
                held = self.run_command(*command, env={"TWINSET_ISA": name})
                if held.status == 0:
                    self.assertEqual(held.out, usual.out, name)
                else:
                    self.fail_with(2, *command, says=[f"TWINSET_ISA={name}", "portable"],
                                   env={"TWINSET_ISA": name})

    def test_unknown(self):
        for command in (["a"], ["compare", "a", "a"], ["sketch", "a"]):
            for name in ("garbage", "AVX2", ""):
                self.fail_with(2, *command, says=[f"TWINSET_ISA={name}", "portable"],
                               env={"TWINSET_ISA": name})


if __name__ == "__main__":
    unittest.main()
