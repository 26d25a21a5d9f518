"""Results do not depend on the locale. In Turkish, "I" is not the capital of "i"; in German,
numbers have a decimal comma. Each test runs a command in both locales and in C.UTF-8, and compares
all bytes of the output."""
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

from command import TIMEOUT, Case

LOCALES = ["tr_TR.UTF-8", "de_DE.UTF-8"]

WORDS = ("the river that gives the village its name is so narrow that a child can step over it "
         "in summer but in spring it carries whole trees and once it carried the chapel away and "
         "nobody in the valley was surprised since the miller had told them so for thirty years")
OTHER = ("bread was baked on a thursday in the house behind the chapel and all who had flour gave "
         "some of it and all who had none were given a loaf that was the rule and it was kept")

FOLDER = None


def setUpModule():
    """Makes the locales in a temporary folder, since few machines have them."""
    global FOLDER
    if not shutil.which("localedef"):
        raise unittest.SkipTest("there is no localedef")
    FOLDER = tempfile.mkdtemp(prefix="twinset-locales-")
    for name in LOCALES:
        language, charmap = name.split(".")
        made = subprocess.run(["localedef", "--no-archive", "-i", language, "-f", charmap,
                               os.path.join(FOLDER, name)], capture_output=True, timeout=TIMEOUT)
        if made.returncode > 1:  # 1: warnings
            shutil.rmtree(FOLDER)
            raise unittest.SkipTest(f"localedef cannot make {name}: {made.stderr.decode()}")


def tearDownModule():
    shutil.rmtree(FOLDER, ignore_errors=True)


class Locales(Case):
    def same_everywhere(self, *arguments, **options):
        """Runs a command in all locales. Returns the output, which must be equal in all."""
        expected = self.succeed(*arguments, **options)
        for name in LOCALES:
            result = self.succeed(*arguments, env={"LC_ALL": name, "LOCPATH": FOLDER}, **options)
            self.assertEqual(result.out, expected.out, name)
            self.assertEqual(result.err, expected.err, name)
        return expected

    def pairs(self, *arguments):
        """The pairs of a scan, which may not skip anything."""
        result = self.same_everywhere("scan", "-t", "0.1", "--format", "json", *arguments)
        self.assertEqual(result.json["run"]["skipped"], [], result)
        return {(pair["a"], pair["b"]): pair["similarity"] for pair in result.json["pairs"]}

    def test_the_locales_change_case_and_numbers(self):
        seen = subprocess.run(["locale", "-k", "decimal_point", "charmap"], capture_output=True,
                              env=dict(os.environ, LC_ALL="de_DE.UTF-8", LOCPATH=FOLDER),
                              check=True)
        self.assertIn(b'decimal_point=","', seen.stdout)
        seen = subprocess.run(["locale", "-k", "yesstr", "int_curr_symbol", "charmap"],
                              capture_output=True, check=True,
                              env=dict(os.environ, LC_ALL="tr_TR.UTF-8", LOCPATH=FOLDER))
        self.assertIn(b"TRY", seen.stdout)

    def test_html_with_capital_tags(self):
        self.write("small.html", f"""<!doctype html><html><body><script>var x = "{OTHER}";</script>
            <div style="visibility: hidden"><p>{OTHER}</p></div>
            <ul><li>{WORDS}</li></ul></body></html>""")
        self.write("CAPITAL.HTML", f"""<!DOCTYPE HTML><HTML><BODY>
            <SCRIPT>var x = "{OTHER}";</SCRIPT>
            <DIV STYLE="VISIBILITY: HIDDEN"><P>{OTHER}</P></DIV>
            <UL><LI>{WORDS}</LI></UL></BODY></HTML>""")
        self.assertEqual(self.pairs("."), {("CAPITAL.HTML", "small.html"): 1.0})

    def test_html_with_lengths(self):
        self.write("plain.html", f"<!doctype html><html><body><p>{WORDS}</p></body></html>")
        for name, style in (("half", "font-size:0.5px"), ("exponent", "font-size:5e-1px"),
                            ("shown", "font-size:1.5px"), ("comma", "font-size:1,5px")):
            self.write(f"{name}.html", f"""<!doctype html><html><body><p>{WORDS}
                <span style="{style}">{OTHER}</span></p></body></html>""")
        pairs = self.pairs(".")
        self.assertEqual(pairs["half.html", "plain.html"], 1)
        self.assertEqual(pairs["exponent.html", "plain.html"], 1)
        self.assertEqual(pairs["comma.html", "shown.html"], 1)
        self.assertLess(pairs["half.html", "shown.html"], 0.8)

    def test_html_role_and_charset(self):
        nav = " ".join(f'<a href="/{i}">{OTHER}</a>' for i in range(3))
        self.write("a.html", f"""<META CHARSET="ISO-8859-9"><html><body>
            <div ROLE="NAVIGATION">{nav}</div>
            <div><p>{WORDS} &#305;\u00fd</p></div></body></html>"""
                   .encode("iso-8859-1"))
        self.write("b.html", f"""<html><body><div role="navigation">{nav}</div>
            <div><p>{WORDS} \u0131\u0131</p></div></body></html>""")
        self.assertEqual(self.pairs("."), {("a.html", "b.html"): 1.0})

    def test_archives_with_capital_endings(self):
        with zipfile.ZipFile(self.path("A.ZIP"), "w") as archive:
            archive.writestr("river.txt", WORDS)
            archive.writestr("NOTEBOOK.IPYNB", self.notebook(OTHER))
        with tarfile.open(self.path("B.TAR.GZ"), "w:gz") as archive:
            archive.add(self.write("kept/river.txt", WORDS), "river.txt")
        shutil.rmtree(self.path("kept"))
        self.write("OTHER.TXT", OTHER)
        self.assertEqual(self.pairs(".", "--case", "keep"),
                         {("A.ZIP!/river.txt", "B.TAR.GZ!/river.txt"): 1.0,
                          ("A.ZIP!/NOTEBOOK.IPYNB", "OTHER.TXT"): 1.0})

    def test_names_in_archives(self):
        with zipfile.ZipFile(self.path("I.ZIP"), "w") as archive:
            archive.writestr("\u0131\u0130\u00dcber.txt", WORDS)
            archive.writestr("ISI.txt", WORDS)
        self.assertEqual(self.pairs("."),
                         {("I.ZIP!/ISI.txt", "I.ZIP!/\u0131\u0130\u00dcber.txt"): 1.0})

    def test_sizes_of_archives_have_a_decimal_point(self):
        with zipfile.ZipFile(self.path("large.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", WORDS)
            archive.writestr("large.txt", (WORDS + "\n") * 40000)
        self.write("b.txt", WORDS)
        result = self.same_everywhere("scan", "--memory", "16M", "--format", "json", ".")
        reasons = [skipped["reason"] for skipped in result.json["run"]["skipped"]]
        self.assertEqual(len(reasons), 1, result)
        self.assertRegex(reasons[0], r"^unpacks to more than \d+\.\d MB$")

    def test_records_with_a_capital_ending(self):
        self.write("LINES.NDJSON", json.dumps({"id": "I", "text": WORDS}) + "\n" +
                   json.dumps({"id": "i", "text": WORDS + " once more"}) + "\n" +
                   json.dumps({"id": 1.5, "text": OTHER}) + "\n")
        self.assertEqual(list(self.pairs("LINES.NDJSON")), [("I", "i")])

    def test_a_manifest_with_capitals(self):
        self.write("in/a.txt", WORDS)
        self.write("in/b.txt", WORDS)
        self.write("LIST.TSV", "ID\tPATH\tTIME\nfirst\tin/a.txt\t2026-01-01\n"
                               "second\tin/b.txt\t2026-01-02\n")
        self.assertEqual(self.pairs("@LIST.TSV"), {("first", "second"): 1.0})

    def test_wildcards(self):
        for name in ("\u00e4.txt", "\u0131.txt", "I.txt", "i.txt", "ab.txt"):
            self.write(name, WORDS)
        result = self.same_everywhere("scan", "--format", "json", "?.txt", "-t", "0.9")
        self.assertEqual(result.json["run"]["documents"], 4)
        plain = self.succeed("scan", "--format", "json", "?.txt", "-t", "0.9", env={"LC_ALL": "C"})
        self.assertEqual(plain.out, result.out)
        result = self.same_everywhere("scan", "--format", "json", "[a-z].txt", "i.txt", "-t", "0.9")
        self.assertEqual(result.json["run"]["documents"], 1)

    def test_include_and_exclude(self):
        for name in ("FILE.TXT", "file.txt", "\u0130.txt"):
            self.write(name, WORDS)
        result = self.same_everywhere("scan", "--format", "json", "--include", "[F-f]ile.txt",
                                      "--include", "?.txt", ".")
        self.assertEqual(result.json["run"]["documents"], 2)

    def test_mail_with_capitals(self):
        self.write("SMALL.EML", "From: a\nTo: b\nContent-Type: multipart/alternative; "
                   f"boundary=IiI\n\n--IiI\nContent-Type: text/plain\n\n{WORDS}\n--IiI\n"
                   f"Content-Type: text/html\n\n<p>{OTHER}</p>\n--IiI--\n")
        self.write("CAPITAL.EML", "FROM: a\nTO: b\nCONTENT-TYPE: MULTIPART/ALTERNATIVE; "
                   f"BOUNDARY=IiI\n\n--IiI\nCONTENT-TYPE: TEXT/PLAIN\n\n{WORDS}\n--IiI\n"
                   f"CONTENT-TYPE: TEXT/HTML\n\n<p>{OTHER}</p>\n--IiI--\n")
        self.write("FOLDER.MBOX", "From a@b Sun Nov  1 10:00:00 2026\nFROM: a\n"
                   "CONTENT-TRANSFER-ENCODING: QUOTED-PRINTABLE\n\n" + WORDS.replace(" ", "=20"))
        self.assertEqual(set(self.pairs(".").values()), {1.0})
        self.assertEqual(len(self.pairs(".")), 3)

    def test_markdown_with_capitals(self):
        self.write("SMALL.MD",
                   f"# Title\n\n<div hidden>x</div>\n\n{WORDS}<br>and &ldquo;x&rdquo;\n")
        self.write("CAPITAL.MKD",
                   f"# Title\n\n<DIV HIDDEN>x</DIV>\n\n{WORDS}<BR>and &ldquo;x&rdquo;\n")
        self.assertEqual(self.pairs("."), {("CAPITAL.MKD", "SMALL.MD"): 1.0})

    def test_reasons_of_skipped_files(self):
        self.write("binary.bin", b"\0\1\2" * 100)
        self.write("a.txt", WORDS)
        self.write("b.txt", OTHER)
        os.symlink("nowhere", self.path("link"))
        result = self.same_everywhere("scan", ".", "missing", "--format", "json",
                                      "--max-skipped", "0.6")
        skipped = result.json["run"]["skipped"]
        self.assertEqual({entry["path"]: entry["reason"] for entry in skipped},
                         {"binary.bin": "binary file", "link": "symbolic link to nothing",
                          "missing": "No such file or directory"})

    def test_dedup(self):
        self.write("I.jsonl", "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in
                                      enumerate([WORDS, WORDS.upper(), OTHER, OTHER + " i"])))
        result = self.same_everywhere("dedup", "I.jsonl", "-o", "-")
        self.assertEqual(len(result.out.splitlines()), 2, result)

    @staticmethod
    def notebook(text):
        return json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": [text]}],
                           "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


if __name__ == "__main__":
    unittest.main()
