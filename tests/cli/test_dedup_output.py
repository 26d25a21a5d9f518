"""The bytes that dedup writes, and the files it writes them to."""
import gzip
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import unittest

from cleaning import FOX, TEXTS, Dedup, lines, pack, unpack
from command import TIMEOUT, TWINSET, wait_for_cpu_seconds


class Bytes(Dedup):
    """Kept records are unchanged, byte for byte."""

    ODD = [b'{"id": "a", "text": "%s"}' % FOX.encode(), b"", b" \t",
           b'  {"text":"%s" , "id":"b", "x":[1,{"y":"}"}]  }  \r' % TEXTS[2].encode(), b"\r",
           b'{"id": "c", "text": "%s", "caf\\u00e9": "\xc3\xa9"}' % FOX.encode(),
           b'{"id":"empty","text":""}', b'{"text": "%s", "id": "d"}' % TEXTS[1].encode()]
    KEPT = [line for i, line in enumerate(ODD) if i not in (5, 7)]

    def test_layout(self):
        for end in (b"\n", b""):
            self.write("in.jsonl", b"\n".join(self.ODD) + end)
            result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl")
            self.assertEqual(self.read("out.jsonl"), b"\n".join(self.KEPT) + b"\n")
            self.assert_sums(result, 5, 3, 2, 0)
            self.assertIn("kept in.jsonl:7: empty", result.messages)
            self.succeed("dedup", "in.jsonl", "-o", "-", "--strict")
        self.write("in.jsonl", b"\n".join(self.KEPT))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl")
        self.assertEqual(self.read("out.jsonl"), b"\n".join(self.KEPT))

    def test_packing(self):
        names = ["in.jsonl", "in.jsonl.gz", "in.ndjson.zst", "in.jsonl.xz", "in.jsonl.bz2"]
        inside = b"\n".join(b"\n".join(line.replace(b'"id": "', b'"id": "%d' % i)
                                       .replace(b'"id":"', b'"id":"%d' % i)
                                       for line in self.ODD) for i in range(50)) + b"\n"
        self.write("plain.jsonl", inside)
        self.succeed("dedup", "plain.jsonl", "-o", "plain")
        expected = self.read("plain")
        for given, wanted in itertools.product(names, names):
            self.write(given, pack(given, inside))
            self.succeed("dedup", given, "-o", "out" + wanted)
            packed = self.read("out" + wanted)
            self.assertEqual(unpack(wanted, packed), expected, (given, wanted))
            self.assertEqual(packed == expected, wanted == "in.jsonl")
            result = self.succeed("dedup", "-", "-o", "-", input=pack(given, inside))
            self.assertEqual(result.out, expected.replace(b"in.jsonl", b"-"))

    def test_several_blocks(self):
        """Blocks have a megabyte: records end at their ends, and lines are longer than a block."""
        rng = random.Random(3)
        records = []
        for i in range(24):
            text = " ".join(str(rng.random()) for _ in range(rng.choice([10, 3000, 9000, 70000])))
            records += [{"id": f"{i}a", "text": text}, {"id": f"{i}b", "text": text + " more"}]
        rng.shuffle(records)
        self.write("in.jsonl", lines(*records))
        self.write("in.jsonl.gz", gzip.compress(self.read("in.jsonl"), 1))
        seen, kept = set(), []
        for record in records:
            if record["id"][:-1] not in seen:
                kept.append(record)
            seen.add(record["id"][:-1])
        for arguments in (["in.jsonl", "-j", "1"], ["in.jsonl", "-j", "3"], ["in.jsonl.gz"]):
            result = self.succeed("dedup", *arguments, "-o", "out.jsonl")
            self.assertEqual(self.read("out.jsonl").decode(), lines(*kept))
            self.assert_sums(result, 48, 24, 24, 0)

    def test_large(self):
        """The end of a large file is written in blocks, to a disk and to file systems in memory,
        and has the same bytes as the output to a pipe."""
        rng = random.Random(7)
        records = [lines({"id": str(i), "text": rng.randbytes(rng.randrange(400_000)).hex()})
                   for i in range(110)]
        copies = [record.replace('"id": "', '"id": "copy ') for record in records[20:30]]
        self.write("in.jsonl", "".join(records[:100] + copies + records[100:]))
        kept = "".join(records).encode()
        self.assertGreater(len(kept), 35 << 20)
        piped = subprocess.run([TWINSET, "dedup", "in.jsonl", "-o", "-"], cwd=self.folder,
                               capture_output=True, check=True)
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "removed.jsonl")
        self.assertTrue(self.read("out.jsonl") == piped.stdout == kept)
        self.assertEqual(len(self.objects("removed.jsonl")), 10)
        if os.path.isdir("/dev/shm"):
            with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                self.succeed("dedup", "in.jsonl", "-o", f"{folder}/out.jsonl")
                self.assertTrue(pathlib.Path(folder, "out.jsonl").read_bytes() == kept)

    def test_annotate(self):
        self.write("in.jsonl", b"\n".join(self.ODD))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--annotate")
        none = b'"twinset_keep": true, "twinset_kept": null, "twinset_similarity": null}'
        out = self.read("out.jsonl").split(b"\n")
        self.assertEqual(out[0], self.ODD[0][:-1] + b', "twinset_cluster": 1, ' + none)
        self.assertEqual(out[1:3] + out[4:5], self.ODD[1:3] + self.ODD[4:5])
        self.assertEqual(out[3], self.ODD[3][:-4] + b', "twinset_cluster": null, ' + none + b"  \r")
        self.assertEqual(out[5], self.ODD[5][:-1] + b', "twinset_cluster": 1, "twinset_keep": '
                         b'false, "twinset_kept": "a", "twinset_similarity": 1.0}')
        self.assertEqual(out[6], self.ODD[6][:-1] + b', "twinset_cluster": null, ' + none)
        self.assertEqual(len(out), 8)

    def test_annotate_again(self):
        """Fields of an earlier annotation are replaced at any position."""
        self.write("in.jsonl", b"\n".join(self.ODD) + b"\n")
        self.succeed("dedup", "in.jsonl", "-o", "once.jsonl", "--annotate")
        self.succeed("dedup", "once.jsonl", "-o", "twice.jsonl", "--annotate")
        self.assertEqual(self.read("once.jsonl"), self.read("twice.jsonl"))
        record = ('{ "twinset_kept" : {"a": ["}", 1]}, "text": "%s twinset_keep",\t"x": '
                  '"\\"twinset_keep\\": 1, ", "twinset_cluster":-1.5e3 ,"y": [], '
                  '"twinset_keep": true}')
        self.write("in.jsonl", record % FOX)
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--annotate")
        self.assertEqual(
            self.read("out.jsonl").decode(),
            '{"text": "%s twinset_keep",\t"x": "\\"twinset_keep\\": 1, ","y": [], '
            '"twinset_cluster": null, "twinset_keep": true, "twinset_kept": null, '
            '"twinset_similarity": null}' % FOX)

    def test_names_of_all_kinds(self):
        self.write("in.jsonl", lines({"text": FOX}, {"text": FOX, "id": 'quo"te\n\u00e9'},
                                     {"text": FOX, "id": 12345678901234567890}))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "removed.jsonl")
        self.assertEqual([(row["id"], row["kept"]) for row in self.objects("removed.jsonl")],
                         [('quo"te\n\u00e9', "in.jsonl:1"), (12345678901234567890, "in.jsonl:1")])

    def test_annotated_twice(self):
        """A byte order mark does not hide the fields of an earlier run."""
        self.write("in.jsonl", b"\xef\xbb\xbf" + lines({"id": "a", "text": FOX},
                                                      {"id": "b", "text": FOX}).encode())
        self.succeed("dedup", "in.jsonl", "-o", "once.jsonl", "--annotate")
        self.succeed("dedup", "once.jsonl", "-o", "twice.jsonl", "--annotate")
        self.assertEqual(self.read("twice.jsonl"), self.read("once.jsonl"))

    def test_no_records_are_removed(self):
        self.write("in.jsonl", b"")
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "out.jsonl"), 0, 0, 0, 0)
        self.assertEqual(self.read("out.jsonl"), b"")
        self.write("in.jsonl", lines({"id": 1, "text": " "}))
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "out.jsonl"), 1, 1, 0, 0)
        self.assertEqual(self.read("out.jsonl"), self.read("in.jsonl"))


class Targets(Dedup):
    """Inputs from files, folders and streams, and the targets of output."""

    def test_folder(self):
        a, b, c = ({"id": n, "text": text} for n, text in zip("abc", TEXTS))
        self.write("in/x.jsonl", lines(a))
        self.write("in/sub/x.jsonl.gz", gzip.compress(lines(b, c).encode()))
        self.write("in/sub/doc.txt", FOX)
        self.write("in/sub/other.txt", "Not a copy of anything at all, this one.")
        self.write("in/empty.txt", "")
        self.write("in/all.jsonl", lines({"id": "d", "text": FOX.upper()}))
        result = self.succeed("dedup", "in", "-o", "new/", "-t", "0.8")
        self.assert_sums(result, 7, 4, 3, 0)
        found = {os.path.relpath(os.path.join(folder, name), self.path("new"))
                 for folder, _, names in os.walk(self.path("new")) for name in names}
        self.assertEqual(found, {"x.jsonl", "all.jsonl", "empty.txt", "sub/x.jsonl.gz",
                                 "sub/other.txt"})
        self.assertEqual(self.read("new/x.jsonl"), b"")
        self.assertEqual(self.read("new/sub/other.txt"), self.read("in/sub/other.txt"))
        self.assertEqual(gzip.decompress(self.read("new/sub/x.jsonl.gz")).decode(), lines(c))
        again = self.succeed("dedup", "in", "-o", "new")
        self.assertEqual(again.messages, result.messages)

    def test_several_files(self):
        for i, name in enumerate(("a/x.jsonl", "b/y.jsonl", "b/x.jsonl")):
            self.write(name, lines({"id": i, "text": TEXTS[i]}))
        self.succeed("dedup", "a/x.jsonl", "b/y.jsonl", "-o", "out/")
        self.assertEqual(self.entries("out"), ["x.jsonl", "y.jsonl"])
        self.fail_with(2, "dedup", "a/x.jsonl", "b/x.jsonl", "-o", "other/",
                       says=["a/x.jsonl and b/x.jsonl", "x.jsonl"])
        self.assertEqual(self.entries(), ["a", "b", "out"])
        self.succeed("dedup", "a/x.jsonl", "./a/x.jsonl", "-o", "one")  # given twice, read once
        self.assertTrue(os.path.isfile(self.path("one")))
        self.succeed("dedup", "a/x.jsonl", "-o", "out2/")
        self.assertEqual(self.entries("out2"), ["x.jsonl"])

    def test_standard_streams(self):
        a, b, c = (json.dumps({"id": n, "text": text}) for n, text in zip("abc", TEXTS))
        self.write("x.jsonl", a)  # without a newline
        self.write("y.jsonl", c + "\n" + b)
        self.assertEqual(self.succeed("dedup", "x.jsonl", "y.jsonl", "-o", "-").text,
                         f"{a}\n{c}\n")
        result = self.succeed("dedup", "x.jsonl", "-", "-o", "out/", input=f"{b}\n{c}".encode())
        self.assertEqual(self.read("out/x.jsonl").decode(), a)
        self.assertEqual(self.read("out/stdin.jsonl").decode(), c)
        self.assert_sums(result, 3, 2, 1, 0)

    def test_merged(self):
        """Several inputs and a name without a slash give one file, in the order of the inputs. Its
        bytes do not depend on compression, a missing newline or a byte order mark."""
        a, b, c = (json.dumps({"id": n, "text": text}).encode() for n, text in zip("abc", TEXTS))
        self.write("in/x.jsonl", b"\xef\xbb\xbf" + a)  # without a newline
        self.write("in/y.jsonl.gz", gzip.compress(b"\xef\xbb\xbf" + c + b"\n"))
        self.write("in/z.json", b"\xef\xbb\xbf" + b + b"\n" + b)
        merged = b"\xef\xbb\xbf" + a + b"\n" + c + b"\n"
        for given in (["in/x.jsonl", "in/y.jsonl.gz", "in/z.json"], ["in"]):
            result = self.succeed("dedup", *given, "-o", "out.jsonl", "--id", "none")
            self.assertEqual(self.read("out.jsonl"), merged)
            self.assert_sums(result, 4, 2, 2, 0)
            for name in ("out.jsonl.gz", "out.jsonl.zst", "out.jsonl.xz", "out.jsonl.bz2"):
                self.succeed("dedup", *given, "-o", name, "--id", "none")
                self.assertEqual(unpack(name, self.read(name)), merged)
        self.succeed("dedup", "in", "-o", "all.jsonl", "--annotate", "--id", "none")
        marked = self.read("all.jsonl").decode("utf-8-sig").splitlines()
        self.assertEqual([json.loads(row)["id"] for row in marked], ["a", "c", "b", "b"])
        os.mkdir(self.path("there"))
        for target in ("there", "here/"):
            self.succeed("dedup", "in", "-o", target, "--id", "none")
            self.assertEqual(self.entries(target), ["x.jsonl", "y.jsonl.gz", "z.json"])

    def test_names_with_extensions_of_other_formats(self):
        self.write("in.jsonl", lines({"text": FOX}))
        for name in ("x.parquet", "x.PARQUET", "x.jsonl.lz4", "x.csv", "x.zip", "x.json"):
            self.fail_with(2, "dedup", "in.jsonl", "-o", name, says=[name])
        for name in ("x.parquet", "x.jsonl.gz", "x.csv", "x.json"):
            self.fail_with(2, "dedup", "in.jsonl", "-o", "x.jsonl", "--removed", name, says=[name])
        self.fail_with(2, "dedup", "in.jsonl", "-o", "x.parquet", says="python -m twinset")
        self.assertEqual(self.entries(), ["in.jsonl"])
        self.write("in.json", lines({"text": FOX}, {"text": FOX}))
        self.succeed("dedup", "in.json", "-o", "x.json")
        self.assertEqual(self.read("x.json").decode(), lines({"text": FOX}))

    def test_long_name(self):
        """A name may have 255 bytes; the name of the unfinished file must not have more."""
        self.write("in.jsonl", lines({"text": FOX}))
        for length in (250, 255):
            name = "x" * (length - 6) + ".jsonl"
            self.succeed("dedup", "in.jsonl", "-o", name)
            self.assertEqual(self.read(name), self.read("in.jsonl"))
            self.succeed("dedup", "in.jsonl", "-o", name, "--removed", "y" * length)
        self.fail_with(2, "dedup", "in.jsonl", "-o", "x" * 256, says="too long")

    def test_two_streams(self):
        """Streams, which cannot be read twice, stay separate, even without a last newline."""
        script = ('mkfifo p.jsonl q.jsonl; (printf %s "$1" > p.jsonl) & '
                  '(printf %s "$2" > q.jsonl) & "$0" dedup p.jsonl q.jsonl -o out/')
        a, b, c = (json.dumps({"id": n, "text": text}) for n, text in zip("abc", TEXTS))
        subprocess.run(["bash", "-c", script, TWINSET, a, f"{b}\n{c}"], cwd=self.folder,
                       check=True, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(self.read("out/p.jsonl").decode(), a)
        self.assertEqual(self.read("out/q.jsonl").decode(), c)

    def test_texts(self):
        self.write("docs/a", FOX)
        self.write("docs/b", FOX)
        for arguments in (["docs/a", "docs/b", "-o", "-"], ["docs", "-o", "-"]):
            self.fail_with(2, "dedup", *arguments, says="folder")
        self.fail_with(2, "dedup", "docs", "-o", "out", "--annotate", says="annotated")
        self.assertEqual(self.entries(), ["docs"])
        self.write("list", "docs/a\ndocs/b\n")
        self.succeed("dedup", "@list", "-o", "out")
        self.assertEqual(self.entries("out"), ["a"])

    def test_inputs_are_not_replaced(self):
        self.write("in/x.jsonl", lines({"text": FOX}))
        self.write("in/y.jsonl", lines({"text": FOX}))
        os.symlink("in", self.path("link"))
        for arguments in (["in/x.jsonl", "-o", "in/x.jsonl"], ["in", "-o", "in"],
                          ["in", "-o", "link/"], ["in/x.jsonl", "-o", "in"],
                          ["in/x.jsonl", "-o", "out", "--removed", "in/x.jsonl"],
                          ["in/x.jsonl", "-o", "out", "--report", "./in/x.jsonl"]):
            self.fail_with(2, "dedup", *arguments, says="would replace an input")
        self.assertEqual(self.entries(), ["in", "link"])
        self.assertEqual(self.read("in/x.jsonl"), self.read("in/y.jsonl"))

    def test_outputs_are_not_one_file(self):
        self.write("in.jsonl", lines({"text": FOX}, {"text": FOX}))
        self.write("there", "older")
        os.link(self.path("there"), self.path("hard"))
        os.symlink("there", self.path("soft"))
        os.mkdir(self.path("folder"))
        before = self.entries()
        for first, second in (("out.jsonl", "out.jsonl"), ("out.jsonl", "./out.jsonl"),
                              ("out.jsonl", "folder/..//out.jsonl"), ("there", "hard"),
                              ("there", "soft"), (self.path("out.jsonl"), "out.jsonl"),
                              ("new/", "new/in.jsonl"), ("new/", "./new//./in.jsonl"),
                              ("folder", self.path("folder/in.jsonl"))):
            for option in ("--removed", "--report"):
                self.fail_with(2, "dedup", "in.jsonl", "-o", first, option, second,
                               says=[first, second, "choose another name"])
            self.assertEqual(self.entries(), before)
        self.fail_with(2, "dedup", "in.jsonl", "-o", "out", "--removed", "./x", "--report", "x",
                       says=["outputs ./x and x are the same file"])
        self.assertEqual(self.entries("folder"), [])
        self.assertEqual(self.read("there"), b"older")

    def test_standard_output_is_an_output(self):
        text = lines({"text": FOX}, {"text": FOX})
        self.write("in.jsonl", text)
        for arguments in ("in.jsonl -o - --removed out >out", "in.jsonl -o - >>in.jsonl",
                          "- -o in.jsonl <in.jsonl"):
            done = subprocess.run(["sh", "-c", f'"$0" dedup {arguments}', TWINSET], check=False,
                                  cwd=self.folder, capture_output=True, timeout=TIMEOUT, text=True)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("choose another name", done.stderr)
        self.assertEqual(self.read("in.jsonl").decode(), text)
        self.assertEqual(self.read("out"), b"")

    def test_devices_and_pipes_are_written_twice(self):
        self.write("in.jsonl", lines({"text": FOX}, {"text": FOX}))
        self.succeed("dedup", "in.jsonl", "-o", "/dev/null", "--removed", "/dev/null", "--report",
                     "/dev/null")
        result = self.succeed("dedup", "in.jsonl", "-o", "/dev/stdout", "--removed", "/dev/stdout")
        self.assertEqual(len(result.out.splitlines()), 2)

    def test_files_of_manifests_are_not_replaced(self):
        """Documents of a manifest have other names than their paths."""
        self.write("in/d1.txt", FOX)
        self.write("in/d2.txt", FOX)
        self.write("list.csv", "path,id\nin/d1.txt,one\nin/d2.txt,two\n")
        self.fail_with(2, "dedup", "@list.csv", "-o", "in/",
                       says=["in/d1.txt", "would replace an input"])
        for output in ("in/d1.txt", "list.csv"):
            self.fail_with(2, "scan", "@list.csv", "-o", output,
                           says=[output, "would replace an input"])
        self.assertEqual(self.read("in/d1.txt").decode(), FOX)
        self.assertEqual(self.read("in/d2.txt").decode(), FOX)

    def test_unwritable_targets(self):
        self.write("in.jsonl", lines({"text": FOX}))
        self.write("file", "older")
        self.fail_with(2, "dedup", "in.jsonl", "-o", "/dev/full", says="No space left")
        self.fail_with(2, "dedup", "in.jsonl", "-o", "nowhere/out", says="No such file")
        self.fail_with(2, "dedup", "in.jsonl", "in.jsonl", "-o", "file/", says="file/")
        self.fail_with(2, "dedup", "in.jsonl", "-o", "out", "--removed", "nowhere/out",
                       says="No such file")
        self.fail_with(2, "dedup", "in.jsonl", "-o", "out", "--report", "/dev/full",
                       says="No space left")
        self.assertEqual(self.read("file"), b"older")

    def check_ended(self, number):
        for i in range(200):
            self.write(f"docs/{i:03}", f"A text of thirty characters {i * i * 104729}.")
        process = self.start("dedup", "docs", "-o", "out", "--removed", "removed", "--report",
                             "report", "--method", "lsh", "--scheme", "md5", "-n", "8192")
        wait_for_cpu_seconds(process, 0.5)
        process.send_signal(number)
        self.assertEqual(self.finish(process).status, -number)
        self.assertEqual(self.entries(), ["docs", "out"])
        self.assertEqual(self.entries("out"), [])

    def test_interrupted(self):
        self.check_ended(signal.SIGINT)

    def test_killed(self):
        """Unfinished files have no name, if the file system supports that."""
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY))
        except OSError as reason:
            self.skipTest(f"{self.folder}: {reason}")
        self.check_ended(signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
