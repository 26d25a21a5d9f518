"""Which documents are read, how they are named, and how they are grouped."""
import io
import json
import os
import tarfile
import unittest
import zipfile

from command import Case

TEXT = "The quick brown fox jumps over the lazy dog, and nobody in the village saw it happen. "
OTHER = "A completely different sentence about bread, butter, cheese and a long train journey. "


class Collections(Case):
    def names(self, *arguments, **options):
        """The names of the documents that are read."""
        result = self.succeed("sketch", "-n", "1", *arguments, **options)
        return [json.loads(line)["id"] for line in result.text.splitlines()]

    def pairs(self, *arguments):
        found = self.succeed("scan", "--format", "json", *arguments).json["pairs"]
        return sorted((pair["a"], pair["b"]) for pair in found)


class Walks(Collections):
    def setUp(self):
        super().setUp()
        for name in ("a.txt", "b.py", "sub/c.py", "sub/deep/d.py", "sub/deep/e.md", ".hidden.py",
                     ".git/config", "node_modules/x/y.py", "test/f.py"):
            self.write(f"in/{name}", TEXT + name)

    def test_hidden_and_generated_files_are_left_out(self):
        self.assertEqual(self.names("in"), ["in/a.txt", "in/b.py", "in/sub/c.py",
                                            "in/sub/deep/d.py", "in/sub/deep/e.md", "in/test/f.py"])
        result = self.succeed("scan", "in", "--format", "json")
        self.assertIn("--all", result.json["run"]["notes"][0])

    def test_all(self):
        self.assertEqual(len(self.names("in", "--all")), 9)

    def test_include(self):
        python = ["in/b.py", "in/sub/c.py", "in/sub/deep/d.py", "in/test/f.py"]
        self.assertEqual(self.names("in", "--include", "*.py"), python)
        self.assertEqual(self.names("in", "--include", "*.py", "--include", "*.md"),
                         sorted(python + ["in/sub/deep/e.md"]))
        self.assertEqual(self.names("in", "--include", "sub/**/*.py"),
                         ["in/sub/c.py", "in/sub/deep/d.py"])

    def test_exclude(self):
        self.assertEqual(self.names("in", "--include", "*.py", "--exclude", "test",
                                    "--exclude", "deep/"), ["in/b.py", "in/sub/c.py"])

    def test_a_note_counts_what_patterns_exclude(self):
        notes = self.succeed("scan", "in", "--exclude", "*.py", "--format", "json").json["run"]
        self.assertIn("4 files or folders were left out by --include", notes["notes"][1])

    def test_named_files_are_always_read(self):
        self.assertEqual(self.names("in/.hidden.py", "--exclude", "*.py"), ["in/.hidden.py"])

    def test_archives(self):
        """Patterns apply to the members of an archive, not to the archive."""
        with zipfile.ZipFile(self.path("in/z.zip"), "w") as packed:
            for name in ("p.py", "q.txt", "node_modules/r.py", ".s.py"):
                packed.writestr(name, TEXT + name)
        self.assertEqual(self.names("in", "--include", "*.py", "--exclude", "sub",
                                    "--exclude", "test"), ["in/b.py", "in/z.zip!/p.py"])
        self.assertEqual(self.names("in/z.zip", "--exclude", "*.txt"), ["in/z.zip!/p.py"])

    def test_no_pattern(self):
        self.fail_with(2, "in", "--include", "", says="--include")


class Members(Collections):
    def setUp(self):
        super().setUp()
        with zipfile.ZipFile(self.path("a.zip"), "w") as packed:
            packed.writestr("dir/x.txt", TEXT)
            packed.writestr("y.txt", OTHER)
            packed.writestr("lines.jsonl", '{"text": "a"}\n')

    def test_one_of_an_archive(self):
        self.write("b.txt", TEXT)
        self.assertEqual(self.succeed("cat", "a.zip!/dir/x.txt").text, TEXT.strip().lower() + "\n")
        result = self.succeed("compare", "a.zip!/dir/x.txt", "b.txt", "--format", "json")
        self.assertEqual(result.json["pairs"][0]["similarity"], 1)

    def test_not_there(self):
        self.fail_with(2, "cat", "a.zip!/no.txt", says="a.zip!/no.txt")
        self.fail_with(2, "cat", "no.zip!/x.txt", says="No such file")

    def test_records(self):
        result = self.succeed("scan", "a.zip")
        self.assert_says(result, "a.zip!/lines.jsonl", "unpack")

    def test_names_that_repeat(self):
        """A tar may have a name twice: the member that is not read is named."""
        with tarfile.open(self.path("twice.tar"), "w") as packed:
            for text in (TEXT, OTHER):
                data = text.encode()
                member = tarfile.TarInfo("x.txt")
                member.size = len(data)
                packed.addfile(member, io.BytesIO(data))
        result = self.run_command("scan", "twice.tar", "b.txt", "--strict", "--max-skipped", "1")
        self.assertEqual(result.status, 3)
        self.assert_says(result, "twice.tar!/x.txt", "duplicate")

    def test_archive_given_twice(self):
        self.assertEqual(self.names("a.zip", "a.zip", "--exclude", "*.jsonl"),
                         ["a.zip!/dir/x.txt", "a.zip!/y.txt"])

    def test_nested_and_left_out(self):
        with zipfile.ZipFile(self.path("outer.zip"), "w") as packed:
            packed.write(self.path("a.zip"), "inner.zip")
            packed.writestr("z.txt", TEXT)
        self.assertEqual(self.names("outer.zip", "--exclude", "inner.zip"), ["outer.zip!/z.txt"])
        self.assertEqual(self.names("outer.zip", "--exclude", "*.jsonl"),
                         ["outer.zip!/inner.zip!/dir/x.txt", "outer.zip!/inner.zip!/y.txt",
                          "outer.zip!/z.txt"])

    def test_empty(self):
        with zipfile.ZipFile(self.path("empty.zip"), "w"):
            pass
        result = self.succeed("scan", ".")
        self.assert_says(result, "empty.zip: no documents in it")

    def test_template(self):
        """A member of an archive can be a template."""
        self.write("p.txt", TEXT + OTHER)
        self.write("q.txt", TEXT + "And something of its own, in words that nobody else has.")
        self.assertEqual(self.pairs("p.txt", "q.txt", "-t", "0.2"), [("p.txt", "q.txt")])
        self.assertEqual(self.pairs("p.txt", "q.txt", "-t", "0.2", "--ignore", "a.zip"), [])


class Manifests(Collections):
    def setUp(self):
        super().setUp()
        for i, text in enumerate((TEXT, TEXT, TEXT, OTHER)):
            self.write(f"work/{i}.txt", text)

    def manifest(self, text, name="work/files.csv"):
        self.write(name, text)
        return f"@{name}"

    def test_ids(self):
        listed = self.manifest("path,id,label,author,time\n0.txt,ann,x,Ann,2026-01-01\n"
                               '"1.txt","bob, ""jr""",x,Bob,2026-01-02\n2.txt,,y,Cem,\n')
        self.assertEqual(self.names(listed), ["ann", 'bob, "jr"', "work/2.txt"])

    def test_groups(self):
        listed = self.manifest("author;path;label\nAnn;0.txt;x\nAnn;1.txt;y\nBob;2.txt;x\n")
        self.assertEqual(len(self.pairs(listed)), 3)
        self.assertEqual(self.pairs(listed, "--group", "author"),
                         [("work/0.txt", "work/2.txt"), ("work/1.txt", "work/2.txt")])
        self.assertEqual(self.pairs(listed, "--group", "label"),
                         [("work/0.txt", "work/1.txt"), ("work/1.txt", "work/2.txt")])

    def test_newest(self):
        listed = self.manifest("path,time\n0.txt,2026-01-01\n1.txt,2026-03-01\n2.txt,2026-02-01\n")
        self.succeed("dedup", listed, "-o", "out", "--keep", "newest")
        self.assertEqual(self.entries("out"), ["1.txt"])

    def test_cleaned_files_keep_their_names(self):
        listed = self.manifest("path,id\n0.txt,a\n1.txt,b\n3.txt,a much longer name\n")
        self.succeed("dedup", listed, "-o", "out")
        self.assertEqual(self.entries("out"), ["0.txt", "3.txt"])

    def test_broken_rows(self):
        listed = self.manifest("path,id\n0.txt,a\n1.txt,b,c\n,d\nno.txt,e\n2.txt,f\n")
        result = self.succeed("scan", listed, "--max-skipped", "0.6")
        self.assert_says(result, "files.csv:3", "files.csv:4", "no.txt")

    def test_one_file_of_two(self):
        listed = self.manifest("path,id\n0.txt,Ann\n0.txt,Bob\n0.txt,Bob\n")
        self.assertEqual(self.pairs(listed), [("Ann", "Bob")])

    def test_members(self):
        with zipfile.ZipFile(self.path("work/all.zip"), "w") as packed:
            packed.writestr("x.md", f"# *{TEXT.strip()}*")
        listed = self.manifest("path,id\nall.zip!/x.md,Ann\n0.txt,Bob\n")
        self.assertEqual(self.pairs(listed, "-t", "1"), [("Ann", "Bob")])

    def test_no_such_column(self):
        listed = self.manifest("path,author\n0.txt,Ann\n1.txt,Ann\n")
        result = self.succeed("scan", listed, "--group", "autor", "--format", "json")
        self.assertIn("autor", result.json["run"]["notes"][0])

    def test_same_id_twice(self):
        listed = self.manifest("path,id\n0.txt,a\n1.txt,a\n2.txt,b\n")
        result = self.succeed("scan", listed)
        self.assert_says(result, "duplicate id")


class Fields(Collections):
    def test_groups_of_records(self):
        rows = [{"id": str(i), "text": TEXT, "who": who}
                for i, who in enumerate(("ann", "ann", "bob", None, None))]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(len(self.pairs("in.jsonl")), 10)
        grouped = self.pairs("in.jsonl", "--group", "who")
        self.assertEqual(len(grouped), 9)
        self.assertNotIn(("0", "1"), grouped)
        self.assertEqual(self.pairs("in.jsonl", "--group", "who", "--method", "lsh"), grouped)

    def test_numbers(self):
        rows = [{"id": name, "text": TEXT, "n": n} for name, n in (("b", 1), ("a", 1), ("c", 2))]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.pairs("in.jsonl", "--group", "n"), [("a", "c"), ("b", "c")])

    def test_groups_of_files(self):
        """The author in a list applies to the records of a file that have none."""
        for name in ("x", "y"):
            self.write(f"{name}.jsonl", "".join(json.dumps({"id": name + str(i), "text": TEXT}) +
                                                "\n" for i in range(2)))
        self.write("files.csv", "path,author\nx.jsonl,Ann\ny.jsonl,Bob\n")
        self.assertEqual(self.pairs("@files.csv", "--group", "author"),
                         [("x0", "y0"), ("x0", "y1"), ("x1", "y0"), ("x1", "y1")])

    def test_resumed(self):
        rows = [{"id": str(i), "text": TEXT + str(i), "who": i % 3} for i in range(30)]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        plain = self.pairs("in.jsonl", "--group", "who")
        for _ in range(2):
            again = self.pairs("in.jsonl", "--group", "who", "--checkpoint", "keep")
            self.assertEqual(again, plain)


class Streams(Collections):
    def test_a_pipe_has_a_guessed_encoding(self):
        os.mkfifo(self.path("pipe"))
        process = self.start("scan", "pipe", "--format", "json")
        with open(self.path("pipe"), "wb") as pipe:
            pipe.write((TEXT + " Grüße aus Köln, schön.").encode("latin-1"))
        result = self.finish(process)
        self.assertEqual(result.json["run"]["flagged"][0]["encoding"], "WINDOWS-1252")

    def test_large_files_are_not_shown(self):
        self.write("large.txt", TEXT * 70_000)
        self.write("small.txt", TEXT)
        result = self.succeed("cat", "large.txt", "small.txt", "--memory", "64M")
        self.assert_says(result, "large.txt: too large to be shown")
        self.assertIn("small.txt", result.text)


class Lists(Collections):
    def test_names_are_bytes(self):
        name = b"caf\xe9.txt"
        try:
            self.write(name, TEXT)
        except OSError:
            self.skipTest("the file system takes UTF-8 alone")
        self.write("list", name + b"\n")
        result = self.succeed("sketch", "-n", "1", "@list")
        self.assertEqual(len(result.text.splitlines()), 1)
        self.assertEqual(os.listdir(os.fsencode(self.folder)).count(name), 1)


if __name__ == "__main__":
    unittest.main()
