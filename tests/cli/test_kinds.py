"""The kind of a file: by its name, by its content, or by --input."""
import gzip
import io
import json
import tarfile
import unittest
import zipfile

from command import Case

FOX = "The quick brown fox jumps over the lazy dog, and over nothing else on that day. "


def records(count=3, **fields):
    return "".join(json.dumps({"id": f"r{i}", "text": f"{FOX} {i}", **fields}) + "\n"
                   for i in range(count))


def mail_folder(count=3):
    return "".join(f"From bob@example.org Sat Jan  3 01:05:3{i} 1996\nFrom: bob@example.org\n"
                   f"Subject: hello {i}\n\n{FOX * 2}\n\n" for i in range(count))


class Kinds(Case):
    def names(self, *arguments):
        result = self.succeed("sketch", "-n", "1", *arguments)
        return [json.loads(row)["id"] for row in result.out.splitlines()]

    def flags(self, *arguments):
        run = self.succeed("scan", *arguments, "--format", "json").json["run"]
        return {entry["path"]: entry["flags"] for entry in run["flagged"]}


class Records(Kinds):
    def test_records_are_recognised_by_content(self):
        """If the name has no known extension, the content decides."""
        for name in ("a.json", "a.json.gz", "a.gz", "none", "part-00000", "a.data", "A.JSON"):
            content = records().encode()
            self.write(name, gzip.compress(content) if name.endswith(".gz") else content)
            self.assertEqual(self.names(name), ["r0", "r1", "r2"], name)
            self.succeed("dedup", name, "-o", "out.jsonl")
            self.assertEqual(self.read("out.jsonl"), content[:content.index(b"\n") + 1])

    def test_compression_is_recognised_by_content(self):
        self.write("none", gzip.compress(records().encode()))
        self.assertEqual(self.names("none"), ["r0", "r1", "r2"])
        self.write("plain.jsonl", gzip.compress(records().encode()))
        self.assertEqual(self.names("plain.jsonl"), ["r0", "r1", "r2"])

    def test_files_of_folders_are_recognised_alike(self):
        self.write("in/a.json", records(2))
        self.write("in/b", FOX)
        self.assertEqual(self.names("in"), ["in/b", "r0", "r1"])

    def test_records_with_long_lines_are_recognised(self):
        """Records are recognised even if the first line is longer than the head of the file."""
        self.write("a.json", json.dumps({"text": "word " * 100_000}) + "\n" + records(1))
        self.assertEqual(self.names("a.json"), ["a.json:1", "r0"])

    def test_a_single_object_is_a_record(self):
        """A single object is a record if it has the field that holds texts."""
        self.write("a.json", records(1))
        self.assertEqual(self.names("a.json"), ["r0"])
        self.write("b.json", json.dumps({"body": FOX, "id": "b"}))
        self.assertEqual(self.names("b.json"), ["b.json"])
        self.assertEqual(self.names("b.json", "--text", "body"), ["b"])

    def test_other_json_is_a_text(self):
        """A note says that a list of objects was not divided."""
        self.write("a.json", json.dumps({"a": [1, 2, 3], "b": FOX}, indent=1))
        self.write("b.json", json.dumps([{"a": FOX}, {"a": FOX}], indent=1))
        self.assertEqual(self.names("a.json", "b.json"), ["a.json", "b.json"])
        self.assertEqual(self.flags("a.json", "b.json"), {"b.json": ["undivided"]})

    def test_names_of_texts_and_programs_decide(self):
        """The extension of a text or program decides; a flag says that the file holds several."""
        self.write("a.txt", records())
        self.write("a.md", "From ten past 10:30 on\n\nnothing: happened\n")
        self.assertEqual(self.names("a.txt", "a.md"), ["a.md", "a.txt"])
        self.assertEqual(self.flags("a.txt", "a.md"), {"a.txt": ["undivided"]})
        result = self.succeed("scan", "a.txt", "a.md")
        self.assertIn("a.txt: read as one text", result.messages)

    def test_tables_are_not_divided(self):
        self.write("a.csv", "id,text\n1,hello there\n2,hello again\n")
        self.write("b.tsv.gz", gzip.compress(b"id\ttext\n1\thello\n"))
        self.assertEqual(self.flags("a.csv", "b.tsv.gz"),
                         {"a.csv": ["undivided"], "b.tsv.gz": ["undivided"]})
        self.assertEqual(self.flags("a.csv", "b.tsv.gz", "--input", "text"), {})

    def test_input_overrides_name_and_content(self):
        self.write("a.txt", records())
        self.write("b.jsonl", records())
        self.assertEqual(self.names("a.txt", "--input", "jsonl"), ["r0", "r1", "r2"])
        self.assertEqual(self.names("b.jsonl", "--input", "text"), ["b.jsonl"])
        self.assertEqual(self.names("a.txt", "b.jsonl", "--input", "jsonl"),
                         [f"{name}#r{i}" for name in ("a.txt", "b.jsonl") for i in range(3)])
        result = self.succeed("cat", "-", "--input", "text", input=FOX.encode())
        self.assertEqual(result.text.strip(), FOX.lower().strip())
        self.fail_with(2, "b.jsonl", "--input", "csv", says=["--input", "jsonl"])
        self.fail_with(2, "a.txt", "--input", "archive", says=["a.txt", "not an archive"])
        self.fail_with(2, "a.txt", "--input", "mbox", says=["a.txt", "no mail folder"])
        self.fail_with(2, "a.txt", "--input", "warc", says=["a.txt", "no WARC file"])


class Mail(Kinds):
    def test_mailboxes_are_recognised_by_content(self):
        for name in ("Inbox", "mail/Sent Items", "Inbox.gz"):
            content = mail_folder().encode()
            self.write(name, gzip.compress(content) if name.endswith(".gz") else content)
            self.assertEqual(self.names(name), [f"{name}!/{i}.eml" for i in (1, 2, 3)])
        self.assertEqual(self.succeed("cat", "Inbox!/2.eml").text.strip(),
                         (FOX * 2).lower().strip())
        self.write("Letter", f"From Bob, at 10:30 in the morning.\n\n{FOX}")
        self.assertEqual(self.names("Letter"), ["Letter"])

    def test_a_book_is_one_document(self):
        """A book is one document, by its name, by its content, and in an archive."""
        page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>'
        book = io.BytesIO()
        with zipfile.ZipFile(book, "w") as archive:
            archive.writestr("mimetype", "application/epub+zip")
            archive.writestr("b.xhtml", page.format("The end."))
            archive.writestr("a.xhtml", page.format(FOX))
            archive.writestr("META-INF/container.xml", "<container><rootfiles>"
                             '<rootfile full-path="c.opf"/></rootfiles></container>')
            archive.writestr("c.opf", '<package><manifest><item id="a" href="a.xhtml"/>'
                             '<item id="b" href="b.xhtml"/></manifest><spine><itemref idref="a"/>'
                             '<itemref idref="b"/></spine></package>')
        self.write("a.epub", book.getvalue())
        self.write("book", book.getvalue())
        with zipfile.ZipFile(self.path("all.zip"), "w") as archive:
            archive.writestr("c.epub", book.getvalue())
        self.write("plain.txt", f"{FOX}\nThe end.\n")
        names = ["a.epub", "all.zip!/c.epub", "book", "plain.txt"]
        found = self.succeed(".", "--format", "json").json
        self.assertEqual({(pair["a"], pair["b"], pair["similarity"]) for pair in found["pairs"]},
                         {(a, b, 1.0) for a in names for b in names if a < b})

    def test_messages_of_a_maildir_are_read(self):
        """A message is recognised by its folder and name, even without a line of delivery."""
        message = f"From: ann@example.org\nTo: bob@example.org\nSubject: hello\n\n{FOX}\n"
        self.write("Maildir/cur/1204680122.27c448.host:2,S", message)
        self.write("Maildir/new/1204680123.V1I2M3.host", f"Return-Path: <x@y>\n{message}")
        names = ["Maildir/cur/1204680122.27c448.host:2,S", "Maildir/new/1204680123.V1I2M3.host"]
        self.assertEqual(self.names("Maildir"), names)
        for name in names:
            self.assertEqual(self.succeed("cat", name).text.strip(), FOX.lower().strip())

    def test_a_page_saved_as_mhtml_is_read(self):
        """MHTML, a page that a browser saves as one file, is read."""
        page = ("From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\n"
                "Subject: A page\r\nMIME-Version: 1.0\r\n"
                'Content-Type: multipart/related; type="text/html"; boundary="-=b"\r\n\r\n'
                "---=b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable"
                f"\r\n\r\n<html><body><p>{FOX}</p><p>caf=C3=A9</p></body></html>\r\n"
                "---=b\r\nContent-Type: text/css\r\n\r\np {color: red}\r\n---=b--\r\n")
        for name in ("page.mhtml", "page.mht", "page"):
            self.write(name, page)
            text = self.succeed("cat", name).text
            self.assertIn(FOX.lower().strip(), text)
            self.assertIn("caf\u00e9", text)
            self.assertNotIn("boundary", text)
            self.assertNotIn("color", text)


class Archives(Kinds):
    def pack(self, name):
        with tarfile.open(self.path(name), "w") as packed:
            for member, kind, target, content in (
                    ("file.txt", tarfile.REGTYPE, "", FOX), ("more.txt", tarfile.REGTYPE, "", FOX),
                    ("folder", tarfile.DIRTYPE, "", ""), ("sym", tarfile.SYMTYPE, "file.txt", ""),
                    ("hard", tarfile.LNKTYPE, "file.txt", ""), ("pipe", tarfile.FIFOTYPE, "", ""),
                    ("disk", tarfile.BLKTYPE, "", ""), ("tty", tarfile.CHRTYPE, "", ""),
                    ("data.json", tarfile.REGTYPE, "", records()),
                    ("Inbox", tarfile.REGTYPE, "", mail_folder())):
                info = tarfile.TarInfo(member)
                info.type, info.linkname, info.size = kind, target, len(content)
                packed.addfile(info, io.BytesIO(content.encode()))

    def test_members_that_are_no_files_are_named(self):
        """Links, devices and pipes are named; files that hold several documents are flagged."""
        self.pack("a.tar")
        run = self.succeed("scan", "a.tar", "--format", "json", "--max-skipped", "0.6").json["run"]
        reasons = {entry["path"]: entry["reason"] for entry in run["skipped"]}
        self.assertEqual(set(reasons), {f"a.tar!/{entry}" for entry in
                                        ("sym", "hard", "pipe", "disk", "tty")})
        self.assertIn("symbolic link", reasons["a.tar!/sym"])
        self.assertIn("link to another file", reasons["a.tar!/hard"])
        self.assertIn("FIFO", reasons["a.tar!/pipe"])
        self.assertIn("device", reasons["a.tar!/disk"])
        self.assertEqual({entry["path"]: entry["flags"] for entry in run["flagged"]},
                         {"a.tar!/data.json": ["undivided"], "a.tar!/Inbox": ["undivided"]})

    def test_archives_are_recognised_by_content(self):
        self.pack("none")
        self.assertIn("none!/file.txt", self.names("none", "--max-skipped", "1"))

    def test_parquet_is_refused_with_advice(self):
        """A message says that Python reads Parquet files, and nothing is written."""
        self.write("in.parquet", b"PAR1" + bytes(range(256)) * 9 + b"PAR1")
        self.write("noend", b"PAR1" + bytes(range(256)) * 9 + b"PAR1")
        self.write("in.jsonl", records())
        for name in ("in.parquet", "noend"):
            for arguments in ([name], ["dedup", name, "-o", "out.jsonl"],
                              ["dedup", "in.jsonl", name, "-o", "out.jsonl"],
                              ["dedup", "in.jsonl", "--old", name, "-o", "out.jsonl"]):
                self.fail_with(2, *arguments, says=[name, "Parquet", "python -m twinset"])
        self.assertEqual(self.entries(), ["in.jsonl", "in.parquet", "noend"])
        result = self.succeed(".", "--max-skipped", "1")
        self.assertIn("skipped in.parquet: a Parquet file", result.messages)


class Outputs(Kinds):
    """The extension of an output chooses the format."""

    def test_the_extension_chooses_the_format(self):
        self.write("in.jsonl", records())
        for name, format in (("x.csv", "csv"), ("x.CSV", "csv"), ("x.tsv", "tsv"),
                             ("x.json", "json"), ("x.jsonl", "jsonl"), ("x.ndjson", "jsonl"),
                             ("x.txt", "table"), ("x", "table")):
            self.succeed("in.jsonl", "-o", name)
            expected = self.succeed("in.jsonl", "--format", format).out
            self.assertEqual(self.read(name), expected, name)
        self.succeed("in.jsonl", "-o", "x.csv", "--format", "jsonl")
        self.assertEqual(self.read("x.csv"), self.succeed("in.jsonl", "--format", "jsonl").out)
        self.succeed("tune", "-o", "tune.json")
        self.assertIn("bands", json.loads(self.read("tune.json")))

    def test_extensions_of_other_formats_are_refused(self):
        self.write("in.jsonl", records())
        for name in ("x.parquet", "x.csv.gz", "x.jsonl.zst", "x.xlsx", "x.pdf"):
            self.fail_with(2, "in.jsonl", "-o", name, says=[name, "--format"])
        self.fail_with(2, "tune", "-o", "x.csv", says=["x.csv", "table|json"])
        self.assertEqual(self.entries(), ["in.jsonl"])


if __name__ == "__main__":
    unittest.main()
