"""Unusable inputs and outputs: each is named with its reason, the status is right, and no
incomplete file has the name of a result."""
import ctypes
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from command import LARGE, SANITIZED, TIMEOUT, TWINSET, Case, run_on_terminal

FOX = "The quick brown fox jumps over the lazy dog."
NAME_IN_TWO = b"two\nlines"
NOT_UTF8 = b"caf\xe9 \xff\x9b31m"
ESCAPE = b"red \x1b[31m \xc2\x9b31m \x07 \xe2\x80\xae name"


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.write("docs/a.txt", FOX)
        self.write("docs/b.txt", FOX.replace("dog", "cat"))

    def link(self, target, name):
        os.symlink(target, self.path(name))
        return name

    def skip_reasons(self, *arguments):
        run = self.succeed(*arguments, "--format", "json").json["run"]
        return {skip["path"]: skip["reason"] for skip in run["skipped"]}

    def check_skipped(self, path, reason, *arguments):
        """Checks that a path is named on standard error and in the result. The status is 0, or 3
        with
        --strict."""
        arguments = arguments or (path,)
        result = self.succeed("docs", *arguments, "--format", "json")
        self.assert_says(result, f"skipped {path}: ", reason)
        run = result.json["run"]
        self.assertEqual([skip["path"] for skip in run["skipped"]], [path])
        self.assertIn(reason, run["skipped"][0]["reason"])
        self.assertEqual(len(result.json["pairs"]), 1)
        self.fail_with(3, "docs", *arguments, "--strict", says=[path, reason])


class Paths(BadInput):
    def test_a_missing_path_is_named(self):
        self.check_skipped("nowhere", "No such file or directory")
        for command in ("scan", "sketch"):
            result = self.fail_with(2, command, "nowhere", says=["nowhere", "No such file"])
            self.assertEqual(result.out, b"")

    def test_a_missing_archive_or_template_is_an_error(self):
        """A run without a missing archive or template would give the result of another
        collection."""
        self.write("pairs.csv", "as before")
        self.write("empty.txt")
        self.write("noise.bin", bytes(range(256)) * 10)
        for role in ("--ignore", "--old", "--like", "--stop"):
            for path in ("nowhere", "no*.such", "@nowhere", "docs/a.txt/b", "a.zip!/b",
                         "noise.bin"):
                if role == "--stop" and path == "no*.such":
                    continue
                self.fail_with(2, "docs", role, path, "-o", "pairs.csv", says=[path, role])
                self.assertEqual(self.read("pairs.csv"), b"as before")
        for role in ("--ignore", "--old"):
            self.fail_with(2, "dedup", "docs", role, "nowhere", "-o", "out/",
                           says=[role, "nowhere"])
        self.assertNotIn("out", self.entries())
        for role in ("--ignore", "--old"):
            for command in (["scan"], ["dedup", "-o", "out/"]):
                result = self.succeed(*command, "docs", role, "empty.txt")
                self.assertIn("twinset: skipped empty.txt: empty", result.messages)

    def test_a_missing_document_of_like_is_an_error(self):
        """A run without the document of --like would give another result."""
        os.mkdir(self.path("nothing"))
        self.write("empty.txt")
        self.write("noise/1.bin", bytes(range(256)) * 10)
        self.write("in.jsonl", '{"id": 1, "text": "some words"}\n{"id": 2}\n')
        self.write("pairs.csv", "as before")
        for path in ("nothing", "empty.txt", "noise", "in.jsonl:2", "in.jsonl:3", "in.jsonl#3"):
            self.fail_with(2, "docs", "--like", path, "-o", "pairs.csv",
                           says=[path.partition("/")[0], "--like"])
        self.fail_with(2, "docs", "--like", "docs/a.txt", "--ignore", "docs/a.txt", "-o",
                       "pairs.csv", says="--like")
        self.assertEqual(self.read("pairs.csv"), b"as before")

    def test_a_folder_without_documents_is_named(self):
        """The message names the missing documents and the folder."""
        os.mkdir(self.path("nothing"))
        for command in ("scan", "sketch"):
            self.fail_with(2, command, "nothing", says=["nothing", "no document"])

    def test_hidden_files_are_counted(self):
        self.write("docs/.hidden", FOX)
        self.write("docs/.git/config", FOX)
        result = self.succeed("docs", "--format", "json")
        self.assert_says(result, "2 hidden files or folders")
        self.assertEqual(result.json["run"]["documents"], 2)
        self.assertEqual(self.succeed("docs", "docs/.hidden", "--format", "json")
                         .json["run"]["documents"], 3)

    @unittest.skipIf(os.getuid() != 0, "needs root to become another user")
    def test_unreadable_files_are_named(self):
        os.chmod(self.folder, 0o755)
        os.chmod(self.write("docs/secret.txt", FOX), 0)
        self.write("docs/closed/inside.txt", FOX)
        os.chmod(self.path("docs/closed"), 0)
        # A build that counts coverage writes its counts.
        os.mkdir(self.path("counts"))
        os.chmod(self.path("counts"), 0o777)
        try:
            result = self.run_command("docs", user="nobody", env={
                "LSAN_OPTIONS": "detect_leaks=0", "GCOV_PREFIX": self.path("counts")})
        except PermissionError:
            self.skipTest("the command cannot be run by others")
        self.assertEqual(result.status, 0, result)
        self.assert_says(result, "skipped docs/secret.txt: Permission denied",
                         "skipped docs/closed: Permission denied")

    def test_loops_of_links_end(self):
        self.check_skipped("loop", "levels of symbolic links", self.link("loop", "loop"))
        os.symlink("loop2", self.path("docs/loop1"))
        os.symlink("loop1", self.path("docs/loop2"))
        os.symlink("..", self.path("docs/up"))
        os.symlink("nowhere", self.path("docs/broken"))
        os.symlink("a.txt", self.path("docs/good"))
        reasons = self.skip_reasons("docs", "--max-skipped", "0.6")
        self.assertEqual(set(reasons), {"docs/loop1", "docs/loop2", "docs/up", "docs/broken"})
        self.assertIn("levels of symbolic links", reasons["docs/loop1"])
        self.assertIn("folder", reasons["docs/up"])
        self.assertIn("nothing", reasons["docs/broken"])

    def test_folders_that_are_too_deep_are_named(self):
        """A tree that is deeper than paths may be long."""
        start = os.getcwd()
        os.chdir(self.path("docs"))
        try:
            for _ in range(30):
                os.mkdir("d" * 200)
                os.chdir("d" * 200)
            with open("bottom.txt", "w", encoding="ascii") as file:
                file.write(FOX)
        finally:
            os.chdir(start)
        result = self.succeed("docs", "--format", "json")
        self.assert_says(result, "ddd", "File name too long")
        self.assertEqual(len(result.json["run"]["skipped"]), 1)
        self.assertEqual(len(result.json["pairs"]), 1)

    def test_deep_folders_are_read(self):
        deep = "/".join(["deep"] * 500)
        self.write(f"docs/{deep}/c.txt", FOX)
        self.assertEqual(len(self.succeed("docs", "--format", "json").json["pairs"]), 3)

    def test_a_path_in_a_file(self):
        self.check_skipped("docs/a.txt/b", "Not a directory")

    def test_a_very_long_path_is_named(self):
        self.check_skipped("x" * 5000, "File name too long")

    def test_special_files_are_skipped(self):
        os.mkfifo(self.path("docs/pipe"))
        self.assertEqual(self.skip_reasons("docs"), {"docs/pipe": "not a regular file"})
        self.fail_with(3, "docs", "--strict", says="skipped docs/pipe: not a regular file")


class Names(BadInput):
    """Names never reach a terminal or a message with control characters."""

    def check_clean(self, data):
        """Checks for control characters, characters that reverse text, and invalid UTF-8."""
        text = data.decode(errors="surrogateescape").replace("\n", "")
        self.assertNotRegex(text, "[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\udc80-\udcff]")

    def test_in_tables(self):
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            self.write(b"docs/" + name, FOX + " " + repr(name))
        result = self.succeed("docs", "-t", "0.3")
        self.check_clean(result.out)
        self.assertIn("two\\nlines", result.text)
        self.assertIn("caf\\xe9 \\xff\\x9b31m", result.text)
        self.check_clean(self.succeed("compare", b"docs/" + ESCAPE, b"docs/" + NOT_UTF8).out)

    def test_skipped(self):
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            self.write(b"docs/" + name)
            with self.subTest(name=name):
                result = self.succeed("docs")
                self.check_clean(result.err)
                self.assertEqual(result.err.count(b"\n"), len(os.listdir(self.path("docs"))) - 2)

    def test_in_errors(self):
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            with self.subTest(name=name):
                for arguments in ([name], ["compare", "docs/a.txt", name], [b"--" + name],
                                  ["docs", "--stop", name], ["docs", "-o", name + b"/x"],
                                  ["docs", "--by", name], [b"@" + name]):
                    self.check_clean(self.fail_with(2, *arguments).err)

    def test_in_json(self):
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            self.write(b"docs/" + name, FOX)
        names = {name for pair in self.succeed("docs", "--format", "json").json["pairs"]
                 for name in (pair["a"], pair["b"])}
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            self.assertIn("docs/" + os.fsdecode(name), names)

    def test_options_of_any_bytes_are_json(self):
        for option in ("--id", "--text", "--exclude"):
            result = self.succeed("docs", option, b"\xff", "--format", "json")
            self.assertEqual(json.loads(result.out)["run"]["documents"], 2, option)
            self.succeed("docs", option, b"\xff", "--report", "report.json")
            json.loads(self.read("report.json"))

    def test_in_csv_bytes_stay(self):
        for name in (NAME_IN_TWO, NOT_UTF8, ESCAPE):
            self.write(b"docs/" + name, FOX)
        out = self.succeed("docs", "--format", "csv").out
        self.assertIn(b'"docs/two\nlines"', out)
        self.assertIn(b"docs/" + NOT_UTF8, out)

    def test_labels_stay_distinct(self):
        """A name may imitate the escaped form of another."""
        self.write(b"docs/two\nlines", FOX)
        self.write("docs/two\\nlines", FOX)
        text = self.succeed("docs").text
        self.assertIn("two\\nlines", text)
        self.assertIn("two\\\\nlines", text)


class Contents(BadInput):
    def test_empty(self):
        self.write("empty")
        self.check_skipped("empty", "empty")
        for i, text in enumerate([b"", b" \n\t ", b"\xef\xbb\xbf", b"\xe2\x80\x8b"]):
            self.write(f"blank/{i}", text)
        result = self.fail_with(2, "blank", says=[f"blank/{i}: empty" for i in range(4)])
        self.assertEqual(result.out, b"")
        self.fail_with(2, "sketch", "blank", says="blank/0: empty")
        self.fail_with(2, "compare", "docs/a.txt", "blank/0", says="blank/0: empty")

    def test_no_words(self):
        self.write("marks", "!!! ... ???")
        self.check_skipped("marks", "empty", "marks", "--by", "word", "-k", "2", "-t", "0.1")

    def test_binary(self):
        self.write("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        self.check_skipped("image", "binary")
        self.check_skipped(os.path.basename(TWINSET), "binary",
                           self.link(TWINSET, os.path.basename(TWINSET)))
        self.fail_with(2, "compare", "docs/a.txt", "image", says=["image", "binary"])

    def test_invalid_utf8(self):
        """Invalid UTF-8 is compared, and flagged."""
        self.write("docs/broken.txt", FOX.encode() + "é è ü".encode() + b" \xf0\x9f")
        result = self.succeed("docs", "--format", "json")
        self.assert_says(result, "docs/broken.txt: ", "UTF-8")
        self.assertEqual(result.json["run"]["flagged"],
                         [{"path": "docs/broken.txt", "flags": ["invalid-utf8"]}])
        self.assertEqual(len(result.json["pairs"]), 3)
        self.succeed("docs", "--strict")

    def test_other_encoding(self):
        self.write("docs/latin.txt", FOX.encode() + b" caf\xe9 \xfcber")
        result = self.succeed("docs", "--format", "json")
        self.assert_says(result, "docs/latin.txt: ", "WINDOWS-1252")
        self.assertEqual(result.json["run"]["flagged"],
                         [{"path": "docs/latin.txt", "flags": ["encoding-guessed"],
                           "encoding": "WINDOWS-1252"}])

    def test_hidden_characters(self):
        self.write("docs/tricky.txt", FOX.replace("fox", "f\u200box"))
        result = self.succeed("docs", "--format", "json")
        self.assert_says(result, "docs/tricky.txt: ", "invisible")
        self.assertEqual(result.json["run"]["flagged"],
                         [{"path": "docs/tricky.txt", "flags": ["hidden-characters"]}])
        self.assertEqual(result.json["pairs"][0]["similarity"], 1)

    def test_many_messages_are_cut(self):
        for i in range(30):
            self.write(f"docs/empty{i:02}")
        messages = self.succeed("docs").messages
        self.assertEqual(messages.count("\n"), 11)
        self.assertIn("20 more: empty", messages)
        self.assertEqual(self.succeed("docs", "--verbose").messages.count(": empty"), 30)

    def test_many_empty_files(self):
        """The files are in memory, since some disks take minutes to make them. Without such a file
        system, there are fewer."""
        memory = "/dev/shm"
        spacious = os.access(memory, os.W_OK) and not SANITIZED
        count = (100000 if LARGE else 20000) if spacious else 2000
        folder = tempfile.mkdtemp(dir=memory if spacious else self.folder)
        self.addCleanup(shutil.rmtree, folder)
        for i in range(count):
            if i % 1000 == 0:
                os.mkdir(f"{folder}/{i // 1000}")
            os.close(os.open(f"{folder}/{i // 1000}/{i}", os.O_CREAT | os.O_WRONLY))
        result = self.fail_with(2, folder, says=["/0/0: empty", f"{count - 10:,} more: empty"])
        self.assertLess(result.err.count(b"\n"), 20)
        answer = self.succeed(folder, "docs", "--format", "json").json
        self.assertEqual(len(answer["run"]["skipped"]), count)
        self.assertEqual(len(answer["pairs"]), 1)


class Large(BadInput):
    def write_letters(self, size):
        block = b"letters and no newline " * 50000
        with open(self.path("large"), "wb") as file:
            for _ in range(size // len(block) + 1):
                file.write(block)
            file.truncate(size)

    def test_gigabyte_without_newline(self):
        """A text of any size is compared in any amount of memory. Half of it is half of another."""
        self.write_letters(1 << 30 if LARGE else 6 << 20)
        size = os.path.getsize(self.path("large"))
        with open(self.path("large"), "r+b") as file:
            file.write(FOX.encode() * 20000)
        shutil.copy(self.path("large"), self.path("again"))
        with open(self.path("again"), "ab") as file:
            file.write(b"and an end of its own")
        answer = self.succeed("large", "again", "--memory", "64M", "--format", "json").json
        self.assertEqual(answer["run"]["skipped"], [])
        usual = self.succeed("large", "again", "--memory", "2G", "--format", "json").json
        self.assertEqual(answer["pairs"][0]["jaccard"], usual["pairs"][0]["jaccard"])
        self.assertLess(answer["pairs"][0]["jaccard"], 1)
        self.assertEqual(os.path.getsize(self.path("again")), size + 21)
        self.succeed("sketch", "docs", "large", "--memory", "64M", "-o", "out")
        self.succeed("compare", "again", "large", "--memory", "64M", "-o", "out")

    def test_large_and_not_utf8(self):
        """A file that must be decoded has to fit into memory."""
        self.write("wide", b"\xff\xfe" + ("wide letters " * 250000).encode("utf-16-le"))
        for memory in ("1M", "64M"):
            result = self.succeed("docs", "wide", "--memory", memory, "--format", "json")
            self.assert_says(result, "skipped wide: too large", "UTF-16", "--memory")
        self.assertEqual(self.skip_reasons("docs", "wide", "--memory", "1G"), {})

    def test_sparse_gigabyte(self):
        self.write("sparse")
        os.truncate(self.path("sparse"), 1 << 30)
        self.check_skipped("sparse", "")

    def test_20_megabytes_without_newline(self):
        self.write_letters((4 if SANITIZED else 20) << 20)
        self.succeed("large", "docs", "-t", "0", "--memory", "1G")

    def test_endless_stream(self):
        self.check_skipped("/dev/zero", "binary")
        process = subprocess.Popen(["yes", FOX], stdout=subprocess.PIPE)
        try:
            result = self.succeed("/dev/stdin", "docs", "--memory", "96M", stdin=process.stdout)
        finally:
            process.stdout.close()
            process.wait()
        self.assert_says(result, "/dev/stdin: too large")


class Streams(BadInput):
    def test_standard_input(self):
        text = self.succeed("/dev/stdin", "docs/b.txt", "--format", "csv", input=FOX.encode()).text
        self.assertIn("/dev/stdin,docs/b.txt,0.8,", text)

    def test_fifo_and_process_substitution(self):
        script = ('mkfifo pipe; (cat docs/a.txt > pipe) & "$0" pipe docs/b.txt --format csv; '
                  '"$0" compare <(cat docs/a.txt) <(cat docs/b.txt) --format csv')
        result = subprocess.run(["bash", "-c", script, TWINSET], cwd=self.folder,
                                capture_output=True, timeout=TIMEOUT, text=True, check=True)
        self.assertEqual(result.stdout.count(",0.8,0.8,"), 2)
        self.assertIn("docs/b.txt,pipe,0.8,", result.stdout)

    def test_closed_standard_streams(self):
        script = '"$0" docs --format csv "$@"'
        def run(redirections, *options):
            return subprocess.run(["bash", "-c", f"{script} {redirections}", TWINSET, *options],
                                  cwd=self.folder, capture_output=True, timeout=TIMEOUT)

        self.assertEqual(run("<&-").returncode, 0)
        self.assertEqual(run("2>&-").returncode, 0)
        self.assertEqual(run(">&-").returncode, 2)
        self.assertEqual(run("<&- >&- 2>&-", "-o", "out").returncode, 0)
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 2)

    def test_reader_that_ends_early(self):
        """With | head -1, there is no message, and the status is not 0."""
        for i in range(150):
            self.write(f"many/{i:03}", FOX)
        script = 'set -o pipefail; "$0" many --format csv --max-bucket 0 | head -n 1'
        result = subprocess.run(["bash", "-c", script, TWINSET], cwd=self.folder,
                                capture_output=True, timeout=TIMEOUT)
        self.assertEqual((result.returncode, result.stderr), (141, b""))
        self.assertEqual(result.stdout.count(b"\n"), 1)


class Outputs(BadInput):
    def test_full_device(self):
        for command in (["docs"], ["compare", "docs/a.txt", "docs/b.txt"], ["sketch", "docs"],
                        ["tune"]):
            self.fail_with(2, *command, "-o", "/dev/full",
                           says=["cannot write /dev/full", "No space left"])
            with open("/dev/full", "wb") as full:
                self.fail_with(2, *command, stdout=full,
                               says=["cannot write standard output", "No space left"])
        for command in (["add", "index", "docs"], ["remove", "index", "docs/a.txt"]):
            with open("/dev/full", "wb") as full:
                self.fail_with(2, "index", *command, stdout=full,
                               says=["No space left", "the index has changed"])
        for option in ("--help", "--version", "--man"):
            with open("/dev/full", "wb") as full:
                self.fail_with(2, option, stdout=full, says="No space left")

    def test_full_disk(self):
        """Neither the result nor its temporary file remains; an older result stays."""
        libc = ctypes.CDLL(None, use_errno=True)
        target = self.path("small")
        os.mkdir(target)
        if libc.mount(b"tmpfs", target.encode(), b"tmpfs", 0, b"size=64k") != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(libc.umount2, target.encode(), 2)
        for i in range(60):
            self.write(f"many/a name that takes up some room {i:03}", FOX)
        self.write("small/older", "older result")
        for name in ("out", "older"):
            self.fail_with(2, "many", "--format", "json", "-o", f"small/{name}",
                           says=[f"cannot write small/{name}", "No space left"])
            self.assertEqual(self.entries("small"), ["older"])
        with open(self.path("small/older"), encoding="ascii") as file:
            self.assertEqual(file.read(), "older result")

    def test_size_limit(self):
        """A limit on file sizes gives a message, not a death by a signal."""
        for i in range(60):
            self.write(f"many/{i:03}", FOX)
        script = 'ulimit -f 8; "$0" many --format json -o out'
        result = subprocess.run(["bash", "-c", script, TWINSET], cwd=self.folder,
                                capture_output=True, timeout=TIMEOUT, text=True)
        self.assertEqual(result.returncode, 2, result)
        self.assertIn("cannot write out: File too large", result.stderr)
        self.assertEqual(self.entries(), ["docs", "many"])

    def test_missing_folder(self):
        for command in (["docs"], ["tune"], ["sketch", "docs"]):
            self.fail_with(2, *command, "-o", "nowhere/out",
                           says=["nowhere/out", "No such file or directory"])
        self.fail_with(2, "docs", "-o", "docs", says=["docs", "Is a directory"])
        self.fail_with(2, "docs", "-o", "docs/a.txt/out", says=["docs/a.txt", "Not a directory"])
        self.assertEqual(self.entries(), ["docs"])

    def test_input_as_output(self):
        self.write("list", "docs/a.txt\n")
        for arguments in (["docs/a.txt", "docs/b.txt", "-o", "docs/a.txt"],
                          ["docs", "--like", "docs/a.txt", "-o", "./docs/a.txt"],
                          ["compare", "docs/a.txt", "docs/b.txt", "-o", "docs/b.txt"],
                          ["@list", "-o", "list"]):
            self.fail_with(2, *arguments, says=[arguments[-1], "would replace an input"])
        with open(self.path("docs/a.txt"), encoding="ascii") as file:
            self.assertEqual(file.read(), FOX)

    def test_every_file_that_is_read_as_output(self):
        """Archives, templates and stop lists are inputs, though they are no documents."""
        with zipfile.ZipFile(self.path("a.zip"), "w") as archive:
            archive.writestr("x.txt", FOX)
            archive.writestr("y.txt", FOX)
        with zipfile.ZipFile(self.path("empty.zip"), "w"):
            pass
        self.write("words", "the\n")
        self.write("template", FOX)
        os.link(self.path("a.zip"), self.path("hard.zip"))
        os.symlink("a.zip", self.path("soft.zip"))
        before = {name: self.read(name) for name in self.entries() if name != "docs"}
        for arguments, output in (
                (["a.zip"], "a.zip"), (["a.zip"], "./a.zip"), (["a.zip!/x.txt", "docs"], "a.zip"),
                (["a.zip"], "hard.zip"), (["a.zip"], "soft.zip"), (["soft.zip"], "a.zip"),
                (["docs", "empty.zip"], "empty.zip"), (["docs", "--stop", "words"], "words"),
                (["docs", "--ignore", "template"], "template"),
                (["docs", "--old", "a.zip"], "a.zip")):
            self.fail_with(2, *arguments, "-o", output, "--format", "csv",
                           says=[output, "would replace an input"])
        self.fail_with(2, "docs", "-o", "out", "--report", "./out",
                       says=["./out and out are the same file"])
        self.assertEqual(before, {name: self.read(name) for name in before})
        self.assertFalse(os.path.exists(self.path("out")))

    def test_files_of_the_command_itself_as_output(self):
        """An index, an earlier result and a review are inputs, though they hold no documents."""
        self.succeed("index", "add", "index", "docs")
        self.succeed("docs", "-o", "earlier.json")
        self.write("review.json", "{}")
        os.link(self.path("index"), self.path("hard"))
        os.symlink("index", self.path("soft"))
        before = {name: self.read(name) for name in self.entries() if name != "docs"}
        for arguments, output in (
                (["index", "query", "index", "docs", "-o"], "index"),
                (["index", "query", "index", "docs", "-o"], "index-wal"),
                (["index", "query", "soft", "docs", "-o"], "index-wal"),
                (["index", "query", "index", "docs", "-o", "out", "--report"], "hard"),
                (["index", "add", "index", "docs", "--find", "-o"], "./index"),
                (["index", "dump", "index", "-o"], "index"),
                (["index", "export", "index", "documents", "-o"], "hard"),
                (["index", "stat", "index", "-o"], "index"),
                (["dedup", "docs", "--index", "index", "-o", "out/", "--removed"], "index"),
                (["docs", "--baseline", "earlier.json", "--fail-above", "1", "-o"],
                 "earlier.json"),
                (["docs", "--review", "review.json", "--html"], "review.json")):
            self.fail_with(2, *arguments, output, says=[output, "would replace an input"])
        self.assertEqual({name: self.read(name) for name in self.entries() if name != "docs"},
                         before)

    def test_output_of_the_shell_in_a_folder_of_inputs(self):
        """The shell has created the file before the command searches for inputs."""
        done = subprocess.run(["sh", "-c", '"$0" . --format csv >pairs', TWINSET], check=True,
                              cwd=self.folder, capture_output=True, timeout=TIMEOUT, text=True)
        self.assertIn("docs/a.txt", self.read("pairs").decode(), done.stderr)

    def test_input_as_output_of_the_shell(self):
        """A file that has content already is not what the shell has created."""
        for command in ("scan docs", "scan docs/a.txt docs/b.txt", "sketch docs"):
            done = subprocess.run(["sh", "-c", f'"$0" {command} >>docs/a.txt', TWINSET],
                                  check=False, cwd=self.folder, capture_output=True, text=True,
                                  timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("would replace an input", done.stderr)
        self.assertEqual(self.read("docs/a.txt").decode(), FOX)

    def test_input_in_a_folder_as_output(self):
        """A document of a folder is an input as well."""
        self.run_command("docs", "--format", "csv", "-o", "docs/a.txt")
        with open(self.path("docs/a.txt"), encoding="ascii") as file:
            self.assertEqual(file.read(), FOX)

    def test_a_failed_run_leaves_no_files(self):
        self.fail_with(2, "nowhere", "-o", "out")
        self.fail_with(2, "docs", "-t", "2", "-o", "out")
        self.fail_with(2, "compare", "docs/a.txt", "nowhere", "-o", "out")
        self.assertEqual(self.entries(), ["docs"])

    def test_output_in_the_folder_that_is_scanned(self):
        """The unfinished file is not a document."""
        self.succeed("docs", "--format", "json", "-o", "docs/pairs.json")
        with open(self.path("docs/pairs.json"), encoding="utf-8") as file:
            self.assertNotIn("pairs.json", file.read())
        self.assertEqual(self.entries("docs"), ["a.txt", "b.txt", "pairs.json"])

    def test_modes_and_links(self):
        """A new file has the usual mode; an existing file keeps its mode, and a link stays a
        link."""
        mask = os.umask(0o027)
        self.addCleanup(os.umask, mask)
        self.succeed("docs", "-o", "new")
        self.assertEqual(os.stat(self.path("new")).st_mode & 0o777, 0o640)
        os.chmod(self.path("new"), 0o604)
        os.symlink("new", self.path("link"))
        self.succeed("docs", "--format", "csv", "-o", "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(os.stat(self.path("new")).st_mode & 0o777, 0o604)

    def test_binary_on_a_terminal(self):
        result = run_on_terminal("sketch", "docs", "--format", "binary", columns=120,
                                 cwd=self.folder)
        self.assertEqual((result.status, result.out), (2, b""))
        self.assert_says(result, "terminal", "-o FILE")


if __name__ == "__main__":
    unittest.main()
