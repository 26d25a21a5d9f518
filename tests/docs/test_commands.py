"""Every command of a page works, and prints what the page shows.

In a block marked `sh`, a line that starts with `$ ` is a command, and the lines after it are its
output; a last line of `...` stands for further output. Without output lines, only the status is
checked. The commands of a page run one after the other in a folder with samples/.
"""

import csv
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from pages import PAGES, ROOT, TWINSET, blocks, environment, name

# Commands that install or build. They are not run, but must exist.
NOT_RUN = {"apt-get", "cmake", "git", "sudo"}


def commands(page):
    """The commands of a page: (number of line, command, output or None, whether there is more)."""
    found = []
    for first, lines in blocks(page, "sh"):
        for number, line in enumerate(lines, first):
            if line.startswith("$ "):
                found.append((number, line[2:], []))
            elif not found or found[-1][0] < first:
                raise ValueError(f"{name(page)}:{number}: output without a command: {line}")
            else:
                found[-1][2].append(line)
    for number, command, output in found:
        more = output[-1:] == ["..."]
        output = output[:-1] if more else output
        yield number, command, "".join(line + "\n" for line in output), more


class Commands(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(ROOT / "samples", pathlib.Path(self.folder, "samples"))

    def run_shell(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600, check=False)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, f"{command}\n{output}")
        return output

    def check(self, command, output, more):
        first = command.split()[0]
        if first.startswith("script/"):
            self.assertTrue(os.access(ROOT / first, os.X_OK), first)
        elif first not in NOT_RUN:
            printed = self.run_shell(command)
            if more:
                printed = printed[:len(output)]
            if output:
                self.assertEqual(printed, output, command)

    def check_page(self, page):
        for number, command, output, more in commands(page):
            with self.subTest(f"{name(page)}:{number}"):
                self.check(command, output, more)

    def test_pages_have_commands(self):
        self.assertGreater(sum(1 for page in PAGES for _ in commands(page)), 20)


def add_test(page):
    def test(self):
        self.check_page(page)
    setattr(Commands, "test_" + page.stem.lower(), test)


for each in PAGES:
    add_test(each)


class Format(unittest.TestCase):
    """The readers in docs/format.md read the files of the command."""

    def test_readers(self):
        with tempfile.TemporaryDirectory() as folder:
            sketch = [TWINSET, "sketch", "samples/essays", "-n", "64"]
            binary = pathlib.Path(folder, "signatures")
            subprocess.run([*sketch, "--format", "binary", "-o", binary], cwd=ROOT, check=True)
            lines = subprocess.run(sketch, cwd=ROOT, check=True, capture_output=True).stdout
            readers = [line for _, block in blocks(ROOT / "docs/format.md", "python")
                       for line in block]
            read = subprocess.run([sys.executable, "-c", "\n".join(readers), binary],
                                  check=True, capture_output=True, env=environment()).stdout
        self.assertEqual(read.decode(), self.expected(lines.decode()))

    def test_candidates(self):
        """Each pair is listed for both documents, also for unusual names."""
        text = "The very same text, whatever the name of its file may look like. "
        names = ["a", "b, c", "d: [e, f]", '"g"', "h\ti", " j", "k ", "l\\", "m: ", "\udcff"]
        with tempfile.TemporaryDirectory() as folder:
            for name_ in names + ["alone"]:
                pathlib.Path(folder, name_).write_text(text if name_ in names else "Nothing alike.")
            done = subprocess.run([TWINSET, ".", "--format", "candidates"], cwd=folder, check=True,
                                  capture_output=True).stdout.decode(errors="surrogateescape")
        reader = next(lines for _, lines in blocks(ROOT / "docs/format.md", "python")
                      if any("def read(line)" in line for line in lines))
        found = {}
        exec("\n".join(reader), found)
        names.sort(key=os.fsencode)
        expected = {one: [other for other in names if other != one] for one in names}
        self.assertEqual(dict(found["read"](line + "\n") for line in done.split("\n")[:-1]),
                         {**expected, "alone": []})

    def test_names_in_csv(self):
        """Names are read back unchanged, even names that a spreadsheet would evaluate."""
        names = ["=1+1", "+a", "-b", "@c", "\td", "\re", "'=f", "''-g", "'h", 'i,"j"', "k"]
        with tempfile.TemporaryDirectory() as folder:
            for name_ in names:
                pathlib.Path(folder, name_).write_text("The very same text in all of the files.")
            done = subprocess.run([TWINSET, ".", "--format", "csv"], cwd=folder, check=True,
                                  capture_output=True).stdout.decode()
        reader = next(lines for _, lines in blocks(ROOT / "docs/format.md", "python")
                      if any("def name_of(cell)" in line for line in lines))
        found = {}
        exec("\n".join(reader), found)
        rows = list(csv.DictReader(io.StringIO(done, newline="")))
        self.assertEqual(len(rows), len(names) * (len(names) - 1) // 2)
        self.assertEqual([row for row in rows if row["a"][0] in "=+-@\t\r"], [])
        self.assertEqual({found["name_of"](row[side]) for row in rows for side in "ab"}, set(names))

    def test_journals(self):
        """The frames of a checkpoint have the fields that the page lists."""
        with tempfile.TemporaryDirectory() as folder:
            scan = [TWINSET, "samples/essays", "--method", "lsh", "-t", "0.1", "--format", "jsonl"]
            done = subprocess.run([*scan, "-q", "--checkpoint", folder], cwd=ROOT, check=True,
                                  capture_output=True).stdout.decode()
            read = pathlib.Path(folder, "read.journal").read_bytes()
            matches = pathlib.Path(folder, "matches.journal").read_bytes()
        reader = next(lines for _, lines in blocks(ROOT / "docs/format.md", "python")
                      if any("def frames(journal)" in line for line in lines))
        found = {}
        exec("\n".join(reader), found)
        pairs = [json.loads(line) for line in done.splitlines()]
        pairs = [pair for pair in pairs if pair["similarity"] < 1]  # equal texts are one original
        self.assertGreater(len(pairs), 0)
        self.check_read(found["frames"], read)
        self.check_matches(found["frames"], matches, pairs)
        self.assertEqual(read[16:32], matches[16:32])

    def check_read(self, frames, journal):
        documents, length = 0, 32
        for frame in frames(journal):
            length += 16 + len(frame)
            source, lines, *_, records, _, size, failure = struct.unpack_from("<IB7Q", frame)
            self.assertEqual((lines, failure, source), (0, 0, documents))
            count, = struct.unpack_from("<Q", frame, 61)
            rows = list(struct.iter_unpack("<4Q3IHBB", frame[69 : 69 + 48 * count]))
            self.assertEqual([row[5] for row in rows], list(range(documents, documents + count)))
            self.assertEqual(count, records)
            documents += count
        self.assertEqual((documents, length), (len(list((ROOT / "samples/essays").iterdir())),
                                               len(journal)))

    def check_matches(self, frames, journal, pairs):
        frame, = frames(journal)
        _, candidates, verified, count = struct.unpack_from("<4Q", frame)
        rows = list(struct.iter_unpack("<2I4Q2d", frame[32:]))
        self.assertEqual(count, len(rows))
        self.assertGreaterEqual(candidates, verified)
        self.assertGreaterEqual(verified, count)
        self.assertTrue(all(a < b for a, b, *_ in rows))
        self.assertEqual(sorted((row[4], row[5], row[6], row[7]) for row in rows),
                         sorted((pair["shared"], pair["longest"], pair["similarity"],
                                 pair["estimate"]) for pair in pairs))

    @staticmethod
    def expected(jsonl):
        rows = [json.loads(line) for line in jsonl.splitlines()]
        return "".join(
            " ".join(map(str, [row["id"], row["shingles"], *row["signature"][:4]])) + "\n"
            for row in rows)


class Recompute(unittest.TestCase):
    """The program in docs/text.md computes the numbers of the command."""

    def test_pairs(self):
        (_, program), = blocks(ROOT / "docs/text.md", "python")
        listed = subprocess.run([TWINSET, "samples", "--exclude", "*.md", "-t", "0",
                                 "--format", "tsv"], cwd=ROOT,
                                check=True, capture_output=True).stdout.decode()
        pairs = [line.split("\t") for line in listed.splitlines()[1:]]
        self.assertGreater(len(pairs), 100)
        for a, b, similarity, *_, shared, union, _, _, _ in pairs[::10]:
            done = subprocess.run([sys.executable, "-c", "\n".join(program), a, b], cwd=ROOT,
                                  check=True, capture_output=True, env=environment())
            self.assertEqual(done.stdout.decode().split(), [shared, union, similarity], (a, b))


if __name__ == "__main__":
    unittest.main()
