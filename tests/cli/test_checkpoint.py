"""Runs that are killed and resumed give the same bytes. Journals are checked, too."""
import fcntl
import functools
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from command import ROOT, SANITIZED, TIMEOUT, TWINSET, Case

HEADER = 32  # bytes, before the first frame
SEARCH = ["--method", "lsh", "--format", "json", "-t", "0.6"]


@functools.lru_cache(None)
def write_texts(count, seed=11):
    """Records: every third is similar to the one before it, every tenth is a copy."""
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
        self.data = write_texts(1500 if SANITIZED else 8000)
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


def said(result):
    """Standard error without the line about resuming."""
    return b"".join(line for line in result.err.splitlines(keepends=True)
                    if b"went on from the checkpoint" not in line)


class Killed(Checkpoint):
    def check(self, *inputs, search=SEARCH, kills=5):
        """Kills runs at random moments, each with another number of threads."""
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
        for threads in ("1", "3"):  # the second run finds everything done
            again = self.succeed(*command, "-j", threads)
            self.assertEqual((again.out, said(again)), (usual.out, usual.err))
        self.assertIn("went on from the checkpoint in state, which had 100% of the input",
                      again.messages)
        self.assertEqual(self.entries("tmp"), [])

    def test_killed_runs_over_plain_files_are_resumed(self):
        self.check("docs.jsonl", "text", kills=10)

    def test_killed_runs_over_packed_files_are_resumed(self):
        self.write("docs.jsonl.gz", gzip.compress(self.data, 1))
        os.remove(self.path("docs.jsonl"))
        self.check("text", "docs.jsonl.gz", search=[*SEARCH, "--memory", "1M"])

    def test_killed_exact_runs_are_resumed(self):
        """Sets are not stored, but made again."""
        self.write("few.jsonl", write_texts(1000))
        self.write("few.jsonl.gz", gzip.compress(write_texts(1000, seed=12)))
        for name in ("few.jsonl", "few.jsonl.gz"):
            self.check("text", name, search=["--format", "json", "-t", "0.6"], kills=2)
            shutil.rmtree(self.path("state"))

    def test_killed_runs_that_cut_spans_are_resumed(self):
        """Spans are searched again, and are the same."""
        command = ["dedup", "docs.jsonl", "-o", "-", "--method", "lsh", "--min-passage", "8"]
        start = time.monotonic()
        usual = self.succeed(*command)
        whole = time.monotonic() - start
        self.assertRegex(usual.messages, r"cut [1-9]\d+ in \d+ spans")
        for share in (0.3, 0.6, 0.8, 0.95):
            process = self.start(*command, "--checkpoint", "state", "--tmp", "tmp")
            time.sleep(share * whole)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        again = self.succeed(*command, "--checkpoint", "state", "--tmp", "tmp", "-j", "3")
        self.assertEqual((again.out, said(again)), (usual.out, usual.err))

    def test_killed_runs_with_common_are_resumed(self):
        self.check("docs.jsonl", search=[*SEARCH, "--common", "0.5"], kills=2)


class Journal(Checkpoint):
    def test_a_damaged_journal_is_used_up_to_the_damage(self):
        """A journal that is truncated or changed is used up to that offset."""
        self.write("docs.jsonl", write_texts(1500 if SANITIZED else 4000))  # two chunks or more
        usual = self.usual("docs.jsonl")
        command = ["docs.jsonl", *SEARCH, "--checkpoint", "state"]
        self.assertEqual(self.succeed(*command).out, usual.out)
        whole = {path: self.read(path) for path in self.journals()}
        self.assertEqual(len(whole), 2)
        rng = random.Random(1)
        for path, data in whole.items():
            cuts = [0, 1, HEADER - 1, HEADER, HEADER + 1, 48, len(data) - 1]
            cuts += [rng.randrange(len(data)) for _ in range(2)]
            for cut in cuts:
                changed = max(cut, HEADER)
                for damaged in (data[:cut], data + b"\xff" * cut,
                                data[:changed] + b"?" + data[changed + 1:]):
                    self.write(path, damaged)
                    again = self.succeed(*command)
                    self.assertEqual((again.out, said(again)), (usual.out, usual.err), cut)
            self.write(path, data)

    def test_other_options_or_inputs_are_refused(self):
        """A checkpoint is refused for other options or inputs."""
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

    def test_outputs_are_no_journals(self):
        """An output in the folder of journals is refused, even before the folder exists."""
        for _ in range(2):
            for output in ("state/read.journal", "./state//matches.journal",
                           "tmp/../state/read.journal"):
                for option in ("-o", "--report"):
                    self.fail_with(2, "text", "--checkpoint", "state", option, output,
                                   says=["would replace a journal of --checkpoint"])
            self.succeed("text", "--checkpoint", "state")
        self.succeed("text", "--checkpoint", "state", "-o", "state/pairs.csv")

    def test_other_columns_of_a_list_are_refused(self):
        """The author, id and time of a file in a list are part of the run."""
        text = "A text that two of them have in common, whoever wrote it. " * 20
        for name in ("a.txt", "b.txt", "c.txt"):
            self.write(f"essays/{name}", text)

        def write_list(author="Ann", name="two", day=2):
            self.write("list.csv", "path,id,author,time\n"
                       "essays/a.txt,one,Ann,2026-01-01\n"
                       f"essays/b.txt,{name},{author},2026-01-0{day}\n"
                       "essays/c.txt,three,Bob,2026-01-03\n")

        command = ["@list.csv", "--group", "author", "--format", "jsonl"]
        write_list()
        self.assertEqual(len(self.succeed(*command, "--checkpoint", "state").text.splitlines()), 2)
        for change in ({"author": "Eve"}, {"name": "zwei"}, {"day": 9}):
            write_list(**change)
            self.fail_with(2, *command, "--checkpoint", "state",
                           says=["state", "other options or inputs"])
        write_list(author="Eve")
        shutil.rmtree(self.path("state"))
        self.assertEqual(len(self.succeed(*command, "--checkpoint", "state").text.splitlines()), 3)

    def test_other_templates_and_archives_are_refused(self):
        self.write("template.txt", "A text of its own beside the records.")
        for role in ("--ignore", "--old", "--like"):
            command = ["text", role, "template.txt", "--checkpoint", "state"]
            os.utime(self.path("template.txt"), (1, 1))
            self.succeed(*command)
            os.utime(self.path("template.txt"), (2, 2))
            self.fail_with(2, *command, says=["state", "other options or inputs"])
            shutil.rmtree(self.path("state"))

    def test_other_grammars_are_refused(self):
        command = ["text", "--checkpoint", "state"]
        self.succeed(*command)
        self.fail_with(2, *command, says=["state", "other options or inputs"],
                       env={"TWINSET_GRAMMARS": self.path("nowhere")})

    def test_another_build_is_refused(self):
        """A run is resumed only by the build that began it, by a digest of its sources."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, "src/common"), os.path.join(folder, "src"))
            digests = [self.build_id(folder, "grammars-1")]
            digests.append(self.build_id(folder, "grammars-2"))
            digests.append(self.build_id(folder, ""))
            with open(os.path.join(folder, "src/sort.c"), "a", encoding="ascii") as file:
                file.write("\n")
            digests.append(self.build_id(folder, "grammars-1"))
            self.assertEqual(len(set(digests)), 4)
        with open(os.path.join(os.path.dirname(TWINSET), "build_id.c"), encoding="ascii") as file:
            digest = re.search("[0-9a-f]{64}", file.read())[0]
        with open(TWINSET, "rb") as program:
            program = program.read()
        self.assertEqual(program.count(digest.encode()), 1)
        self.write("other", program.replace(digest.encode(), digests[0].encode()))
        os.chmod(self.path("other"), 0o755)
        arguments = ["text", "--checkpoint", "state"]
        self.succeed(*arguments)
        rebuilt = subprocess.run([self.path("other"), *arguments], cwd=self.folder,
                                 capture_output=True, timeout=TIMEOUT)
        self.assertEqual(rebuilt.returncode, 2)
        self.assertIn(b"other options or inputs", rebuilt.stderr)

    def build_id(self, folder, parsers):
        output = os.path.join(folder, "build_id.c")
        subprocess.run(["cmake", "-D", f"FOLDER={folder}/src", "-D", f"PARSERS={parsers}",
                        "-D", f"OUTPUT={output}", "-P",
                        os.path.join(ROOT, "cmake/build_id.cmake")], check=True, timeout=TIMEOUT)
        with open(output, encoding="ascii") as file:
            return re.search("[0-9a-f]{64}", file.read())[0]

    def test_another_command_is_refused(self):
        """The findings of dedup have no passages, so scan refuses them."""
        self.succeed("docs.jsonl", "--checkpoint", "state", "-t", "0.8")
        self.fail_with(2, "dedup", "docs.jsonl", "-o", "out.jsonl", "--checkpoint", "state",
                       says=["state", "other options or inputs"])

    def test_standard_input_is_refused(self):
        self.fail_with(2, "-", "--checkpoint", "state", says=["--checkpoint", "standard input"],
                       input=self.data)

    def test_a_second_run_at_once_is_refused(self):
        self.succeed("text", "--checkpoint", "state")
        with open(self.path("state", "read.journal"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.fail_with(2, "text", "--checkpoint", "state", says=["state", "another run"])
        self.succeed("text", "--checkpoint", "state")

    def test_a_missing_folder_is_named(self):
        self.fail_with(2, "text", "--checkpoint", "no/where", says=["no/where", "No such file"])
        self.write("file")
        self.fail_with(2, "text", "--checkpoint", "file", says=["file", "checkpoint"])

    def test_a_run_on_a_full_disk_is_resumed(self):
        """A limit on the size of files acts as a full disk. With enough space, the run is
        resumed."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        usual = self.usual("docs.jsonl")
        command = ["docs.jsonl", *SEARCH, "--checkpoint", "state"]
        self.fail_with(2, *command, says=["read.journal", "checkpoint", "File too large"],
                       preexec_fn=limit)
        self.assertEqual(self.succeed(*command).out, usual.out)

    def test_other_files_are_not_overwritten(self):
        """A file of another kind is not overwritten."""
        self.write("state/read.journal", b"dear diary, " * 10)
        self.fail_with(2, "text", "--checkpoint", "state", says="state")
        self.assertEqual(self.read(self.path("state/read.journal")), b"dear diary, " * 10)
        for name in ("read.journal", "matches.journal"):
            self.write("short/" + name, b"mine")
            self.fail_with(2, "text", "--checkpoint", "short", says=[name, "is not a journal"])
            self.assertEqual(self.read(self.path("short", name)), b"mine")
            os.unlink(self.path("short", name))

    def test_journals_among_the_inputs_are_no_documents(self):
        """Journals in a folder of inputs are no documents, and the run is resumed."""
        self.write("docs.jsonl", write_texts(300))
        for folder, state in (("text", "text/state"), ("text", "text"), (".", "./state/")):
            command = [folder, "--checkpoint", state]
            usual = self.succeed(*command)
            again = self.succeed(*command)
            self.assertEqual(again.out, usual.out)
            self.assertIn("went on from the checkpoint", again.messages)
            self.assertNotIn("journal", usual.messages + again.messages)
            for name in ("read.journal", "matches.journal"):
                os.unlink(self.path(state, name))
        self.succeed("text", "--checkpoint", "text")
        self.fail_with(2, "text", "text/read.journal", "--checkpoint", "text",
                       says=["--checkpoint would replace an input, text/read.journal"])
        self.write("list.csv", "path,id\ntext/read.journal,x\n")
        self.fail_with(2, "@list.csv", "--checkpoint", "text", says=["would replace an input"])


if __name__ == "__main__":
    unittest.main()
