"""Runs that are cut short and go on: the same bytes in the end. And what they leave behind."""
import fcntl
import functools
import gzip
import json
import os
import random
import resource
import shutil
import signal
import time
import unittest

from command import SANITIZED, Case

HEADER = 32  # bytes, before the first frame
SEARCH = ["--method", "lsh", "--format", "json", "-t", "0.6"]


@functools.lru_cache(None)
def write_texts(count, seed=11):
    """Records in which every third document is like the one before it, every tenth a copy."""
    rng = random.Random(seed)
    lines, words = [], []
    for i in range(count):
        if i % 10 == 9:
            words = list(words)
        elif i % 3 == 2:
            words = [word if rng.randrange(20) else "changed" for word in words]
        else:
            words = [f"{rng.randrange(10**5)}" for _ in range(60)]
        record = {"id": f"doc{i * 7919 % count:06}", "text": " ".join(words)}
        lines.append("{ broken" if i % 1000 == 500 else json.dumps(record))
    return "\n".join(lines).encode()


class Checkpoint(Case):
    def setUp(self):
        super().setUp()
        self.data = write_texts(1500 if SANITIZED else 12000)
        self.write("docs.jsonl", self.data)
        self.write("text/a.txt", b"A text of its own beside the records. " * 20)
        self.write("text/b.txt", b"A text of its own beside the others. " * 20)
        os.mkdir(self.path("tmp"))

    def usual(self, *inputs, search=SEARCH):
        result = self.succeed(*inputs, *search)
        self.assertGreater(len(result.json["pairs"]), 100)
        return result

    def journals(self):
        return [self.path("state", name) for name in self.entries("state")]


class Killed(Checkpoint):
    def check(self, *inputs, search=SEARCH, kills=5):
        """Killed at random moments, each time with another number of threads."""
        seed = int(os.environ.get("TWINSET_TEST_SEED", random.randrange(10**9)))
        print(f"TWINSET_TEST_SEED={seed}")
        rng = random.Random(seed)
        start = time.monotonic()
        usual = self.usual(*inputs, search=search)
        whole = time.monotonic() - start
        command = [*inputs, *search, "--checkpoint", "state", "--tmp", "tmp"]
        for _ in range(kills):
            process = self.start(*command, "-j", str(rng.choice([1, 2, 7])))
            time.sleep(rng.random() * whole)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.assertEqual(self.entries("tmp"), [])
        for threads in ("1", "3"):  # the second finds all done
            again = self.succeed(*command, "-j", threads)
            self.assertEqual((again.out, again.err), (usual.out, usual.err))
        self.assertEqual(self.entries("tmp"), [])

    def test_plain(self):
        self.check("docs.jsonl", "text", kills=10)

    def test_packed(self):
        self.write("docs.jsonl.gz", gzip.compress(self.data, 1))
        os.remove(self.path("docs.jsonl"))
        self.check("text", "docs.jsonl.gz", search=[*SEARCH, "--memory", "1M"])

    def test_exact(self):
        """Sets are not kept: they are made again."""
        self.write("few.jsonl", write_texts(1000))
        self.write("few.jsonl.gz", gzip.compress(write_texts(1000, seed=12)))
        for name in ("few.jsonl", "few.jsonl.gz"):
            self.check("text", name, search=["--format", "json", "-t", "0.6"], kills=2)
            shutil.rmtree(self.path("state"))

    def test_common(self):
        self.check("docs.jsonl", search=[*SEARCH, "--common", "0.5"], kills=2)


class Journal(Checkpoint):
    def test_damaged(self):
        """Cut off or changed anywhere, a journal is good up to there."""
        self.write("docs.jsonl", write_texts(1500 if SANITIZED else 4000))  # two parts or more
        usual = self.usual("docs.jsonl")
        command = ["docs.jsonl", *SEARCH, "--checkpoint", "state"]
        self.assertEqual(self.succeed(*command).out, usual.out)
        whole = {path: self.read(path) for path in self.journals()}
        self.assertEqual(len(whole), 2)
        rng = random.Random(1)
        for path, data in whole.items():
            cuts = [0, 1, HEADER - 1, HEADER, HEADER + 1, 48, len(data) - 1]
            cuts += [rng.randrange(len(data)) for _ in range(4)]
            for cut in cuts:
                changed = max(cut, HEADER)
                for damaged in (data[:cut], data + b"\xff" * cut,
                                data[:changed] + b"?" + data[changed + 1:]):
                    self.write(path, damaged)
                    again = self.succeed(*command)
                    self.assertEqual((again.out, again.err), (usual.out, usual.err), cut)
            self.write(path, data)

    def test_refused(self):
        """What a checkpoint holds depends on options and inputs."""
        self.write("stop", "and\n")
        self.write("other.jsonl", self.data[:5000])
        command = ["docs.jsonl", "--checkpoint", "state", "--method", "lsh", "--stop", "stop"]
        usual = self.succeed(*command).out
        says = ["state", "other options or inputs"]
        for more in (["-t", "0.9"], ["-k", "5"], ["--seed", "2"], ["--id", "text"], ["--bag"],
                     ["--memory", "64M"], ["other.jsonl"], ["--old", "other.jsonl"]):
            self.fail_with(2, *command, *more, says=says)
        os.utime(self.path("stop"), (1, 1))
        self.fail_with(2, *command, says=says)
        os.utime(self.path("docs.jsonl"), (1, 1))
        shutil.rmtree(self.path("state"))
        self.assertEqual(self.succeed(*command).out, usual)
        self.assertEqual(self.succeed(*command, "-j", "1", "--tmp", "tmp").out, usual)

    def test_other_command(self):
        """What dedup finds has no passages."""
        self.succeed("docs.jsonl", "--checkpoint", "state", "-t", "0.8")
        self.fail_with(2, "dedup", "docs.jsonl", "-o", "out.jsonl", "--checkpoint", "state",
                       says=["state", "other options or inputs"])

    def test_standard_input(self):
        self.fail_with(2, "-", "--checkpoint", "state", says=["--checkpoint", "standard input"],
                       input=self.data)

    def test_two_at_once(self):
        self.succeed("text", "--checkpoint", "state")
        with open(self.path("state", "read.journal"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.fail_with(2, "text", "--checkpoint", "state", says=["state", "another run"])
        self.succeed("text", "--checkpoint", "state")

    def test_no_folder(self):
        self.fail_with(2, "text", "--checkpoint", "no/where", says=["no/where", "No such file"])
        self.write("file")
        self.fail_with(2, "text", "--checkpoint", "file", says=["file", "checkpoint"])

    def test_full(self):
        """A limit on the size of files stands for a full disk; with room, the run goes on."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        usual = self.usual("docs.jsonl")
        command = ["docs.jsonl", *SEARCH, "--checkpoint", "state"]
        self.fail_with(2, *command, says=["read.journal", "checkpoint", "File too large"],
                       preexec_fn=limit)
        self.assertEqual(self.succeed(*command).out, usual.out)

    def test_no_journal(self):
        """A file of another kind is not overwritten."""
        self.write("state/read.journal", b"dear diary, " * 10)
        self.fail_with(2, "text", "--checkpoint", "state", says="state")
        self.assertEqual(self.read(self.path("state/read.journal")), b"dear diary, " * 10)


if __name__ == "__main__":
    unittest.main()
