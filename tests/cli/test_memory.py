"""Little memory: the same bytes, by temporary files in the right folder."""
import gzip
import json
import os
import random
import re
import resource
import signal
import subprocess
import unittest

from command import LARGE, SANITIZED, Case

SEARCH = ["--method", "lsh", "--format", "json"]


class Memory(Case):
    def write_records(self, name, count, words=12, like=3):
        """Writes families of records that differ in a word."""
        rng = random.Random(7)
        text, lines = [], []
        for i in range(count):
            if i % like == 0:
                text = [f"{rng.randrange(10**4)}" for _ in range(words)]
            at = rng.randrange(words)
            lines.append(json.dumps({"id": f"d{i:06}",
                                     "text": " ".join([*text[:at], f"{i}", *text[at + 1:]])}))
        data = ("\n".join(lines) + "\n").encode()
        self.write(name, gzip.compress(data, 1) if name.endswith(".gz") else data)

    def scan(self, *arguments, most=None):
        """The pairs without passages, which are not searched in large documents. The peak may be
        `most` megabytes."""
        result = self.succeed(*arguments, "--format", "json", "--verbose")
        if most and not SANITIZED:
            used = float(re.search(r"peak memory +([0-9.]+) MiB", result.messages).group(1))
            self.assertLess(used, most, arguments)
        return [dict(pair, longest=None) for pair in result.json["pairs"]]


class Converted(Memory):
    def test_texts_of_packed_files_are_not_held(self):
        """The converted text of many files, 400 MB here, is not held in memory."""
        packed = gzip.compress(" ".join(str(i) for i in range(300_000)).encode(), 1)
        for i in range(200):
            self.write(f"docs/{i:03}.txt.gz", packed)
        process = self.start("cat", "docs", "--memory", "256M", "-j", "4", "-o", "/dev/null")
        _, status, used = os.wait4(process.pid, 0)
        process.communicate()
        self.assertEqual(status, 0)
        if not SANITIZED:
            self.assertLess(used.ru_maxrss / 1024, 256)


    def test_a_missing_temporary_folder_is_named(self):
        self.write("docs/a.txt.gz", gzip.compress(b"a few words of text"))
        self.write("docs/b.txt.gz", gzip.compress(b"a few words of text"))
        self.write("plain/a.txt", "a few words of text")
        for name, reason in (("nowhere", "No such file"), ("plain/a.txt", "Not a directory")):
            self.fail_with(2, "plain", "--tmp", name, "-o", "out.csv", says=[name, reason, "--tmp"])
        self.assertNotIn("out.csv", self.entries())
        for more in ([], ["--checkpoint", "keep"]):
            self.fail_with(2, "docs", "--tmp", "nowhere", *more,
                           says=["temporary files in nowhere", "--tmp"])


class Spilling(Memory):
    def test_threads_and_little_memory_change_nothing(self):
        """The keys of so many documents do not fit into 16 MB: without temporary files the run
        would fail."""
        count, little = (4000, "1M") if SANITIZED else (60000, "16M")
        self.write_records("docs.jsonl", count)
        self.write_records("docs.jsonl.gz", count)
        usual = self.succeed("docs.jsonl", *SEARCH)
        self.assertGreater(len(usual.json["pairs"]), count // 3)
        nowhere = {"TMPDIR": "nowhere"}
        self.fail_with(2, "docs.jsonl", *SEARCH, "--memory", little, env=nowhere,
                       says=["temporary files in nowhere", "--tmp"])
        self.succeed("docs.jsonl", *SEARCH, "--memory", "1G", env=nowhere)
        for name, memory, threads in (("docs.jsonl", little, "1"), ("docs.jsonl", "64M", "7"),
                                      ("docs.jsonl.gz", little, "2")):
            again = self.succeed(name, *SEARCH, "--memory", memory, "-j", threads)
            self.assertEqual(again.out, usual.out, (name, memory, threads))

    def test_several_batches_of_pairs_change_nothing(self):
        """There are more pairs than are computed at once, so compressed files are read again."""
        self.write_records("docs.jsonl", 420, words=60, like=420)
        self.write_records("docs.jsonl.gz", 420, words=60, like=420)
        search = ["--method", "lsh", "-t", "0.5", "--format", "csv", "--report", "report"]
        usual = self.succeed("docs.jsonl", *search)
        self.assertGreater(json.loads(self.read("report"))["candidates"], 1 << 16)
        for memory in ("1M", "64M"):
            again = self.succeed("docs.jsonl.gz", *search, "--memory", memory)
            self.assertEqual(again.out, usual.out, memory)

    def test_a_limit_on_file_sizes_is_an_error(self):
        """A limit on the size of files acts as a full disk."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.write_records("docs.jsonl", 8000)
        self.write_records("docs.jsonl.gz", 8000)
        for name, memory in (("docs.jsonl", "1M"), ("docs.jsonl.gz", "1G")):
            self.fail_with(2, name, *SEARCH, "--memory", memory, "--tmp", ".", preexec_fn=limit,
                           says=["temporary files in .", "File too large", "--tmp"])

    def test_a_full_disk_is_an_error(self):
        """Temporary files are on a small disk, if the system lets us mount one."""
        os.mkdir(self.path("small"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none",
                                  self.path("small")], stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("needs leave to mount a disk")
        self.addCleanup(subprocess.run, ["umount", self.path("small")], check=False)
        self.write_records("docs.jsonl", 8000)
        self.write_records("docs.jsonl.gz", 8000)
        self.fail_with(2, "docs.jsonl", *SEARCH, "--memory", "1M", "--tmp", "small",
                       says=["temporary files in small", "No space left", "--tmp"])
        self.fail_with(2, "docs.jsonl.gz", *SEARCH, "--tmp", "small",
                       says=["temporary files in small", "No space left", "--tmp"])
        self.fail_with(2, "-", *SEARCH, "--tmp", "small", says=["small", "No space left"],
                       stdin=open(self.path("docs.jsonl"), "rb"))
        self.assertEqual(self.entries("small"), [])


class LargeDocuments(Memory):
    def write_large(self, name, size, seed, changed=0):
        """Writes random words; the last `changed` bytes are of other words."""
        rng = random.Random(seed)
        vocabulary = [f"{rng.randrange(10**6)} " for _ in range(20000)]
        block = lambda: "".join(rng.choices(vocabulary, k=150000)).encode()
        with open(self.path(name), "wb") as file:
            while file.tell() < size - changed:
                file.write(block())
            file.truncate(size - changed)
            file.seek(0, os.SEEK_END)
            rng.seed(seed + 1)
            while file.tell() < size:
                file.write(block())
            file.truncate(size)

    def check(self, size, memory):
        """Two large documents that share a span, and a small one, give the result of much
        memory."""
        self.write_large("a", size, 1)
        self.write_large("b", size, 1, changed=size // 5)
        self.write("c", b"a small one")
        for search in (["--method", "lsh"], ["--like", "c", "--like", "b", "-j", "2"]):
            usual = self.scan("a", "b", "c", *search, "--memory", "4G")
            self.assertEqual(len(usual), 1)
            found = self.scan("a", "b", "c", *search, "--memory", f"{memory}M", most=memory + 8)
            self.assertEqual(found, usual)
        self.scan("compare", "a", "b", "--memory", f"{memory}M", most=memory + 8)
        self.succeed("sketch", "a", "--memory", f"{memory}M")

    def test_large_documents_are_compared_in_little_memory(self):
        self.check((2 if SANITIZED else 5) << 20, 16)

    @unittest.skipUnless(LARGE, "TWINSET_TEST_LARGE is not set")
    def test_40_megabytes_and_more(self):
        self.check(40 << 20, 64)
        self.check(400 << 20, 64)

    def test_bags_are_counted_in_little_memory(self):
        """Repetitions are counted for one range of ids at a time."""
        self.write_large("a", 1 << 20, 1)
        self.write_large("b", 1 << 20, 1, changed=1 << 18)
        for method in (["--method", "lsh"], ["--like", "a"]):
            search = ["a", "b", "--bag", "-t", "0.1", *method]
            self.assertEqual(self.scan(*search, "--memory", "1M"),
                             self.scan(*search, "--memory", "1G"))

    def test_templates_are_left_out_of_large_documents(self):
        """Templates are left out of large documents, and small documents have passages."""
        self.write_large("a", 300 << 10, 1)
        self.write_large("b", 300 << 10, 1, changed=100 << 10)
        self.write_large("form", 50 << 10, 1)
        for name in ("c", "d", "e"):
            self.write(name, self.read("a")[40 << 10:52 << 10] + name.encode())
        search = ["a", "b", "c", "d", "e", "--ignore", "form", "--format", "json", "-t", "0.001",
                  "--method", "lsh", "--rows", "1"]
        usual = self.succeed(*search, "--memory", "1G", "-j", "1").json["pairs"]
        self.assertGreater(len(usual), 3)
        for threads in ("1", "3"):
            found = self.succeed(*search, "--memory", "1M", "-j", threads).json["pairs"]
            large = {"a", "b"}
            for pair, other in zip(found, usual):
                if large & {pair["a"], pair["b"]}:
                    pair["longest"] = other["longest"] = None
            self.assertEqual(found, usual)

    def test_white_space_takes_no_memory(self):
        """A file that is too large to be read as a whole has few tokens."""
        self.write("a", b"few words in" + b" " * (5 << 20) + b"a large file")
        self.write("b", b"few words in" + b"\n" * (5 << 20) + b"a large folder")
        for command in (["a", "b"], ["compare", "a", "b"], ["sketch", "a", "b"]):
            self.succeed(*command, "--memory", "1M")
        answer = self.succeed("compare", "a", "b", "--memory", "1M", "--format", "json").json
        self.assertEqual(answer["pairs"][0]["longest"], len("few words in a large f"))

    def test_sets_that_do_not_fit_are_an_error(self):
        """All pairs need all sets; if they do not fit, that is an error before memory is taken."""
        self.write_large("a", 10 << 20, 1)
        self.write("b", b"a small one")
        for search in (["--method", "exact"], ["--measure", "weighted"]):
            self.fail_with(2, "a", "b", *search, "--memory", "16M", says=["--memory 16M"])


if __name__ == "__main__":
    unittest.main()
