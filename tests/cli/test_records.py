"""Records: documents as lines of JSON, compressed or not, complete or truncated."""
import bz2
import gzip
import json
import lzma
import os
import random
import shutil
import subprocess
import unittest

import corpus
import oracle
from command import SANITIZED, Case

FOX = "The quick brown fox jumps over the lazy dog."
OTHER = FOX.replace("dog", "cat")


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
if shutil.which("zstd"):
    PACKERS[".zst"] = zstd


def line(text, **fields):
    return json.dumps(dict(fields, text=text)).encode() + b"\n"


def distinct_texts(count):
    """Texts that pairwise share at most a word."""
    dice = random.Random(5)
    return ["".join(dice.choice("abcdefghijklmnopqrstuvwxyz   ") for _ in range(200))
            for _ in range(count)]


def texts(seed=1):
    """Texts by name, without invalid UTF-8, and with distinct names."""
    return {name: text.decode() for name, text in corpus.mixed_texts(seed).items()
            if name not in ("odd/broken.txt", "odd/wide.txt", "odd/marked.txt")}


class Records(Case):
    def write_records(self, name="docs.jsonl", seed=1):
        data = b"".join(line(text, id=name) for name, text in texts(seed).items())
        self.write(name, data)
        return data

    def scan(self, *arguments, **options):
        answer = self.succeed(*arguments, "--format", "json", "--min-passage", "off",
                              **options).json
        return answer["run"], answer["pairs"], answer["clusters"]

    def skips(self, *arguments, **options):
        return {skip["path"]: skip["reason"]
                for skip in self.scan(*arguments, **options)[0]["skipped"]}


class Reading(Records):
    """Records give the results of files with the same texts, whatever their form."""

    def test_same_as_files(self):
        data = self.write_records()
        os.mkdir(self.path("files"))
        for name, text in texts().items():
            self.write("files/" + name, text)
        for packer in PACKERS:
            self.write("docs.jsonl" + packer, PACKERS[packer](data))
        for search in (["--method", "exact"], ["--method", "lsh"], ["--bag", "--by", "word"],
                       ["--method", "lsh", "--memory", "1M"], ["--common", "0.4"],
                       ["--measure", "weighted", "-t", "0.2"]):
            usual = self.scan(*sorted(texts()), *search, cwd=self.path("files"))
            self.assertGreater(len(usual[1]), 5)
            for name in ("docs.jsonl", *("docs.jsonl" + packer for packer in PACKERS)):
                self.assertEqual(self.scan(name, *search)[1:], usual[1:], (name, search))
            for given in (data, gzip.compress(data)):
                self.assertEqual(self.scan("-", *search, input=given)[1:], usual[1:], search)

    def test_oracle(self):
        """Pairs are those of brute force, and with bands those that signatures propose."""
        self.write("docs.jsonl.gz", gzip.compress(self.write_records(seed=2)))
        documents = [oracle.Document(name, text.encode()) for name, text in texts(2).items()]
        rules = oracle.Rules(threshold=0.3)
        for file in ("docs.jsonl", "docs.jsonl.gz"):
            expected = oracle.scan(documents, rules)
            run, pairs, clusters = self.scan(file, "-t", "0.3", "--method", "exact")
            self.assertEqual((pairs, clusters), (expected["pairs"], expected["clusters"]))
            signatures = {row["id"]: row["signature"] for row in map(
                json.loads, self.succeed("sketch", file, "-n", "64").out.splitlines())}
            run, pairs, clusters = self.scan(file, "-t", "0.3", "--method", "lsh", "-n", "64",
                                             "--memory", "1M")
            expected = oracle.scan(
                documents, rules, signatures,
                lambda a, b: oracle.shares_band(a, b, run["bands"], run["rows"]))
            self.assertEqual((pairs, clusters), (expected["pairs"], expected["clusters"]))

    def test_roles(self):
        self.write("new.jsonl", line(FOX, id="new"))
        self.write("old.jsonl.gz", gzip.compress(line(OTHER, id="old") + line(OTHER, id="older")))
        pairs = self.scan("new.jsonl", "--old", "old.jsonl.gz")[1]
        self.assertEqual([(pair["a"], pair["b"]) for pair in pairs],
                         [("new", "old"), ("new", "older")])
        pairs = self.scan("old.jsonl.gz", "--like", "new.jsonl")[1]
        self.assertEqual([(pair["a"], pair["b"]) for pair in pairs],
                         [("new", "old"), ("new", "older")])
        # A template leaves out its shingles; a text of a single shingle is left out entirely.
        pairs = self.scan("new.jsonl", "old.jsonl.gz", "--ignore", "new.jsonl")[1]
        self.assertEqual([(pair["a"], pair["b"]) for pair in pairs], [("old", "older")])

    def test_names(self):
        self.write("a.jsonl", line(FOX) + line(FOX, id=17) + line(FOX, id=None) +
                   line(FOX, id="x\ty") + line(FOX, id=["no", "name"]) + line(FOX, id=""))
        names = {row["id"] for row in map(json.loads,
                                          self.succeed("sketch", "a.jsonl").out.splitlines())}
        self.assertLessEqual({"a.jsonl:1", 17, "a.jsonl:3", "x\ty", "a.jsonl:5"}, names)
        self.assertEqual(len(names), 6)

    def test_fields(self):
        record = json.dumps({"meta": {"key": "one", "n": 1}, "body": {"plain": FOX}}).encode()
        other = json.dumps({"meta": {"key": "two"}, "body.plain": OTHER}).encode()
        self.write("a.jsonl", record + b"\n" + other)
        pairs = self.scan("a.jsonl", "--text", "body.plain", "--id", "meta.key")[1]
        self.assertEqual([(pair["a"], pair["b"]) for pair in pairs], [("one", "two")])
        self.assertEqual(set(self.skips("a.jsonl", "docs.txt", "--text", "text",
                                        "--old", self.write("docs.txt", FOX))),
                         {"a.jsonl:1", "a.jsonl:2"})

    def test_many_files(self):
        """Inputs are several files, a folder with other files, and wildcards."""
        for i in range(12):
            self.write(f"in/part{i:02}.jsonl", line(FOX + str(i), id=f"id{i}"))
        self.write("in/plain.txt", FOX)
        self.write("in/part12.jsonl.gz", gzip.compress(line(FOX, id="packed")))
        usual = self.scan("in")
        self.assertEqual(usual[0]["documents"], 14)
        self.assertEqual(self.scan("in/*")[1:], usual[1:])
        self.assertEqual(self.scan("in/part0?.jsonl", "in/p*1[0-9].*", "in/plain.txt")[1:],
                         usual[1:])
        self.assertIn("no file matches", self.skips("in", "none*.jsonl")["none*.jsonl"])

    def test_standard_input_twice(self):
        self.assertEqual(self.scan("-", "-", input=line(FOX) + line(OTHER))[0]["documents"], 2)


class Chunks(Records):
    """Files of several chunks of a megabyte, with lines at the ends of chunks."""

    def numbered(self, name):
        """The number of shingles of each document, by name."""
        rows = map(json.loads, self.succeed("sketch", name, "-n", "1").out.splitlines())
        return {row["id"]: row["shingles"] for row in rows}

    def check(self, lines, last="\n"):
        """Checks lines, each of which has as many shingles as it says."""
        data = "\n".join(lines) + last
        expected = {}
        for number, text in enumerate(lines, 1):
            if text.strip():
                expected[number] = len(set(oracle.shingles(list(json.loads(text)["text"]),
                                                           oracle.Rules())))
        self.write("docs.jsonl", data)
        self.write("docs.jsonl.gz", gzip.compress(data.encode(), 1))
        for name in ("docs.jsonl", "docs.jsonl.gz"):
            self.assertEqual(self.numbered(name),
                             {f"{name}:{number}": count for number, count in expected.items()})

    def random_lines(self, rng, size):
        lines, length = [], 0
        while length < size:
            kind = rng.randrange(40)
            if kind < 2:
                lines.append("" if kind else " \t")
            else:
                words = rng.choice([3, 20, 200, 2000] if kind < 39 else [60000])
                text = " ".join(f"{rng.randrange(10**6)}" for _ in range(words))
                lines.append(json.dumps({"text": text}) + ("\r" if kind < 6 else ""))
            length += len(lines[-1]) + 1
        return lines

    def test_random_lines_of_all_lengths_are_read(self):
        seed = int(os.environ.get("TWINSET_TEST_SEED", random.randrange(10**9)))
        print(f"TWINSET_TEST_SEED={seed}")
        rng = random.Random(seed)
        for last in ("\n", ""):
            self.check(self.random_lines(rng, (1 if SANITIZED else 3) << 20), last)

    def test_lines_at_the_ends_of_chunks_are_read(self):
        """Lines end or start at the end of a chunk, and one line has several chunks."""
        part = 1 << 20
        for ahead in (-1, 0, 1):
            first = json.dumps({"text": "x" * (part + ahead - 13)})
            self.assertEqual(len(first) + 1, part + ahead)
            rest = [json.dumps({"text": f"{i} rest"}) for i in range(5)]
            self.check([first, *rest])
            self.check([*rest, json.dumps({"text": "y" * (2 * part + ahead)}), *rest, first], "")

    def test_empty_file(self):
        for data in (b"", b"\n", b"\r\n \n\n"):
            self.write("none.jsonl", data)
            self.write("none.jsonl.gz", gzip.compress(data))
            self.fail_with(2, "none.jsonl", "none.jsonl.gz", "-", input=data, says="no document")
            self.write("one.jsonl", line(FOX))
            run = self.scan("none.jsonl", "one.jsonl", "none.jsonl.gz")[0]
            self.assertEqual((run["documents"], run["skipped"]), (1, []))


class Bad(Records):
    """A bad record is named by its line with the reason, and all others are read."""

    def check(self, data, location, reason, name="bad.jsonl", memory="1G"):
        """Checks a bad record among two good ones, which are compared."""
        self.write("good.jsonl", line(FOX, id="a") + line(OTHER, id="b"))
        files = [self.write(name, data)]
        if not name.endswith((".gz", ".zst")):
            files.append(self.write(name + ".gz", gzip.compress(data, 1)))
        for file in map(os.path.basename, files):
            path = location.replace(name, file)
            result = self.succeed(file, "good.jsonl", "--format", "json", "--memory", memory)
            self.assert_says(result, f"skipped {path}: ", reason)
            answer = result.json
            self.assertEqual([skip["path"] for skip in answer["run"]["skipped"]], [path])
            self.assertIn(("a", "b"), [(pair["a"], pair["b"]) for pair in answer["pairs"]])
            self.fail_with(3, file, "good.jsonl", "--strict", "--memory", memory,
                           says=[path, reason])
        return answer

    def test_no_json(self):
        for text, reason in (
                (b'{"text": "half', "JSON"), (b"plain words", "JSON"),
                (b'{"text": "x"} {}', "JSON"), (b"[1, 2", "JSON"), (b"\0\0", "JSON"),
                (b'{"text": "\xff"}', "UTF-8"), (b"\xef\xbb", "UTF-8")):
            self.check(line("one") + text + b"\n" + line("three"), "bad.jsonl:2", reason)

    def test_no_object(self):
        for text in (b"17", b'"text"', b"[]", b"null"):
            self.check(b"\n" + text, "bad.jsonl:2", "object")

    def test_no_field(self):
        self.check(b'{"Text": "x", "txt": "y"}', "bad.jsonl:1", "text")

    def test_wrong_kind(self):
        for value in (b"17", b"null", b'["x"]', b'{"x": "y"}', b"true"):
            self.check(b'{"text": ' + value + b"}", "bad.jsonl:1", "string")

    def test_empty_text(self):
        self.check(line("") + line("good"), "bad.jsonl:1", "empty")
        self.check(line(" \n ") + line("good"), "bad.jsonl:1", "empty")

    def test_nul(self):
        self.check(line(FOX, id="a\0b"), "bad.jsonl:1", "NUL")
        self.write("good.jsonl", line("some\0text" + FOX, id="n") + line(FOX, id="o"))
        self.assertEqual(len(self.scan("good.jsonl")[1]), 1)

    def test_long_line(self):
        """A line over the limit, 4 MiB with little memory, is skipped; lines after it are read."""
        for lines, ahead in ((line("before"), "2"), (b"", "1")):
            for last in (b"\n", b""):
                for size in (4 << 20, 9 << 20):
                    long = b'{"text": "' + b"x" * size + b'"}' + last
                    rest = line("after") if last else b""
                    answer = self.check(lines + long + rest, f"bad.jsonl:{ahead}",
                                        f"a line of {len(long) >> 20} MB", memory="1M")
                    self.assertEqual(answer["run"]["documents"],
                                     2 + (lines != b"") + (last != b""))

    def test_line_at_the_limit(self):
        """The longest line that is read, and the shortest that is not, compressed or plain."""
        limit = 4 << 20
        for last in (b"\n", b""):
            for size in (limit, limit + 1):
                data = b'{"text": "' + b"x" * (size - 12) + b'"}' + last
                for name, packed in (("a.jsonl", data), ("a.jsonl.gz", gzip.compress(data, 1))):
                    self.write(name, line(FOX) + data if name == "a.jsonl"
                               else gzip.compress(line(FOX) + data, 1))
                    run = self.scan(name, "--memory", "1M")[0]
                    self.assertEqual(len(run["skipped"]), size - limit, (name, last))

    def test_truncated(self):
        rng = random.Random(3)
        data = b"".join(line(f"{i} " + rng.randbytes(60).hex(), id=f"t{i}") for i in range(5000))
        for packer in PACKERS:
            if packer == ".bz2" or packer == ".xz":
                continue  # it has a single block
            packed = PACKERS[packer](data)
            name = "bad.jsonl" + packer
            self.write(name, packed[:len(packed) // 2])
            self.write("good.jsonl", line(FOX, id="a") + line(OTHER, id="b"))
            run, pairs, _ = self.scan(name, "good.jsonl")
            [skip] = run["skipped"]
            read = run["documents"] - 2
            self.assertGreater(read, 500)
            self.assertEqual(skip["path"], f"{name}:{read + 1}")
            self.assertRegex(skip["reason"], "cut|truncated|end")
            self.assertIn(("a", "b"), [(pair["a"], pair["b"]) for pair in pairs])
            self.fail_with(3, name, "good.jsonl", "--strict", says=f"{name}:{read + 1}")
            # Pairs of records before the cut are found.
            self.write(name, PACKERS[packer](line(FOX, id="x") + data)[:len(packed) // 2])
            pairs = self.scan(name, "good.jsonl", "--method", "lsh")[1]
            self.assertIn(("a", "x"), [(pair["a"], pair["b"]) for pair in pairs])

    def test_each_file_has_its_own_reason(self):
        """Chunks of several files are read at the same time."""
        rng = random.Random(5)
        names = [f"{i}.jsonl{packer}" for i in range(6) for packer in (".gz", ".zst")]
        for name in names:
            data = b"".join(line(rng.randbytes(10_000).hex()) for _ in range(70))
            packed = PACKERS[os.path.splitext(name)[1]](data)
            self.write(name, packed[:-3])
        run = self.succeed(*names, "--format", "json", "-j", "7").json["run"]
        for skip in run["skipped"]:
            kind = "gzip" if ".gz" in skip["path"] else "zstd"
            self.assertIn(kind, skip["reason"], skip)
        self.assertEqual(len(run["skipped"]), len(names))

    def test_templates(self):
        """A bad record of a template is named as well; blank lines are no records."""
        self.write("docs.jsonl", line(FOX, id="a") + line(OTHER, id="b"))
        self.write("base.jsonl", line("The quick brown fox") + b"\nhalf {\n" + line("jumps over"))
        result = self.succeed("docs.jsonl", "--ignore", "base.jsonl", "--format", "json")
        self.assertEqual([skip["path"] for skip in result.json["run"]["skipped"]],
                         ["base.jsonl:3"])
        self.assertIn("JSON", result.json["run"]["skipped"][0]["reason"])
        self.fail_with(3, "docs.jsonl", "--ignore", "base.jsonl", "--strict", says="base.jsonl:3")

    def test_the_content_decides_the_compression(self):
        """The first bytes of a file, not its name, decide its compression."""
        self.write("plain.jsonl.gz", line(FOX) + line(OTHER))
        self.assertEqual(len(self.scan("plain.jsonl.gz")[1]), 1)
        self.write("packed.jsonl.zst", gzip.compress(line(FOX) + line(OTHER)))
        self.assertEqual(len(self.scan("packed.jsonl.zst")[1]), 1)
        self.check(b"\x1f\x8b\x08\x00 and no more", "bad.jsonl.gz", "", name="bad.jsonl.gz")

    def test_unreadable(self):
        self.write("good.jsonl", line(FOX) + line(OTHER))
        for name in ("no.jsonl", "no.jsonl.gz"):
            self.assertIn("No such file", self.skips("good.jsonl", name)[name])
        os.mkdir(self.path("folder.jsonl"))
        self.assertIn("no documents", self.skips("good.jsonl", "folder.jsonl")["folder.jsonl"])

    def test_duplicate_ids(self):
        """In one file, the first record with an id counts; ids of several files are named with
        their file. Neither depends on the number of threads."""
        self.write("a.jsonl", line("alpha " + FOX, id="x") + line(FOX, id="y"))
        self.write("b.jsonl.gz", gzip.compress(
            b"\n" + line("beta " + FOX, id="x") + line(FOX, id="z") + line("gamma", id="x")))
        self.write("c", FOX)
        self.write("c.jsonl", line(FOX, id="c"))
        for threads in ("1", "2", "7"):
            run, pairs, _ = self.scan("a.jsonl", "b.jsonl.gz", "c", "c.jsonl", "-j", threads)
            self.assertEqual(run["skipped"], [
                {"path": "b.jsonl.gz:4",
                 "reason": "duplicate id 'b.jsonl.gz#x', which b.jsonl.gz:2 has already"}])
            self.assertEqual(run["documents"], 6)
            names = {name for pair in pairs for name in (pair["a"], pair["b"])}
            self.assertEqual(names, {"a.jsonl#x", "b.jsonl.gz#x", "c", "c.jsonl#c", "y", "z"})
        self.fail_with(3, "a.jsonl", "b.jsonl.gz", "--strict", says=["b.jsonl.gz:4"])

    def test_ids_that_start_anew(self):
        """Shards that all number their records from 0, with different texts, lose no record."""
        texts = iter(distinct_texts(400))
        for shard in range(4):
            self.write(f"shard-{shard}.jsonl",
                       b"".join(line(next(texts), id=number) for number in range(100)))
        shards = [f"shard-{shard}.jsonl" for shard in range(4)]
        result = self.succeed("dedup", *shards, "-o", "out/")
        self.assertEqual(result.messages.splitlines()[-1],
                         "read 400, kept 400, removed 0, skipped 0")
        for shard in shards:
            self.assertEqual(self.read(f"out/{shard}"), self.read(shard))
        self.write("again.jsonl", line(next(iter(distinct_texts(1))), id=7))
        self.succeed("dedup", *shards, "again.jsonl", "-o", "out/", "--removed", "removed.jsonl")
        [removed] = map(json.loads, self.read("removed.jsonl").splitlines())
        self.assertEqual((removed["id"], removed["kept"]), ("again.jsonl#7", "shard-0.jsonl#0"))
        self.succeed("dedup", *shards, "again.jsonl", "-o", "out/", "--removed", "removed.jsonl",
                     "--id", "none")
        [removed] = map(json.loads, self.read("removed.jsonl").splitlines())
        self.assertEqual((removed["id"], removed["kept"]), ("again.jsonl:1", "shard-0.jsonl:1"))

    def test_ids_that_look_like_other_names(self):
        """An id may look like FILE#ID or FILE:LINE, of its own or of another file."""
        self.write("a.jsonl", line(FOX, id="x") + line(FOX, id="a.jsonl#x") + line(FOX) +
                   line(FOX, id="a.jsonl:3"))
        self.write("b.jsonl", line(FOX, id="x") + line(FOX, id="a.jsonl#x"))
        run, pairs, _ = self.scan("a.jsonl", "b.jsonl")
        self.assertEqual(run["skipped"], [])
        names = {name for pair in pairs for name in (pair["a"], pair["b"])}
        self.assertEqual(names, {"a.jsonl#x", "a.jsonl#a.jsonl#x", "a.jsonl:3",
                                 "a.jsonl#a.jsonl:3", "b.jsonl#x", "b.jsonl#a.jsonl#x"})

    def test_numbers_stay_numbers(self):
        """In JSON, a numeric id is a number, and a string is a string."""
        big = 12345678901234567890123
        self.write("in.jsonl", line(FOX, id=3) + line(FOX, id="4") + line(FOX, id=-5) +
                   line(FOX, id=2.5) + line(FOX, id=big))
        _, pairs, clusters = self.scan("in.jsonl")
        names = {3, "4", -5, 2.5, big}
        self.assertEqual({name for pair in pairs for name in (pair["a"], pair["b"])}, names)
        self.assertEqual(set(clusters[0]["members"]), names)
        self.assertIn(clusters[0]["representative"], names)
        rows = self.succeed("in.jsonl", "--format", "jsonl").out.splitlines()
        self.assertEqual({json.loads(row)["a"] for row in rows} - names, set())
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "removed.jsonl")
        removed = [json.loads(row) for row in self.read("removed.jsonl").splitlines()]
        self.assertEqual({row["id"] for row in removed}, names - {3})
        self.assertEqual({row["kept"] for row in removed}, {3})
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--annotate")
        kept = [json.loads(row)["twinset_kept"] for row in self.read("out.jsonl").splitlines()]
        self.assertEqual(kept, [None, 3, 3, 3, 3])

    def test_many_duplicates_are_cut(self):
        self.write("a.jsonl", b"".join(line(f"text {i}", id=f"{i % 50}") for i in range(100)))
        messages = self.succeed("a.jsonl").messages
        self.assertEqual(messages.count("\n"), 11)
        self.assertIn("40 more: duplicate id (", messages)

    def test_everything_at_once(self):
        """Of several thousand records, every tenth is bad: all good ones are read, and every bad
        one is named."""
        rng = random.Random(5)
        lines, bad = [], set()
        for i in range(20000 if not SANITIZED else 3000):
            good = line(f"{i} " + " ".join(f"{rng.randrange(1000)}" for _ in range(20)),
                        id=f"r{i:05}")
            lines.append(good if rng.randrange(10) else
                         rng.choice([good[:30] + b"\n", b"[]\n", b"{}\n", line("", id="q")]))
            bad |= {i + 1} if lines[-1] != good else set()
        self.write("docs.jsonl", b"".join(lines))
        self.write("docs.jsonl.gz", gzip.compress(b"".join(lines)))
        for name in ("docs.jsonl", "docs.jsonl.gz"):
            for threads in ("1", "3"):
                run = self.scan(name, "-j", threads)[0]
                self.assertEqual({skip["path"] for skip in run["skipped"]},
                                 {f"{name}:{number}" for number in bad})
                self.assertEqual(run["documents"], len(lines) - len(bad))


if __name__ == "__main__":
    unittest.main()
