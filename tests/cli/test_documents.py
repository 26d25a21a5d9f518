"""Documents of users: a text in many kinds of files, web pages, archives, damaged files. The files
are made by the programs that users have, if they are installed."""
import email.message
import email.policy
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import tarfile
import unittest
import zipfile

from command import TIMEOUT, Case

ESSAYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples/essays")
FRENCH = os.path.join(ESSAYS, "market-french.txt")
ENGLISH = os.path.join(ESSAYS, "library.txt")


def has(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def mail(text, **more):
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message["From"], message["To"] = "A <a@example.org>", "B <b@example.org>"
    message["Subject"] = "My essay"
    message["Date"] = "Sun, 01 Nov 2026 10:00:00 +0000"
    message.set_content(text, **more)
    return message


class Documents(Case):
    def run_tool(self, *command, **more):
        subprocess.run(command, cwd=self.folder, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT,
                       **more)

    def similarities(self, *arguments):
        """{(a, b): similarity} of all pairs; nothing may be skipped."""
        result = self.succeed("scan", "-t", "0", "--format", "json", *arguments)
        self.assertEqual(result.json["run"]["skipped"], [])
        return {(pair["a"], pair["b"]): pair["similarity"] for pair in result.json["pairs"]}

    def assert_all_alike(self, least, *arguments):
        found = self.similarities(*arguments)
        names = sorted({name for pair in found for name in pair})
        low = {pair: found.get(pair, 0) for pair in itertools.combinations(names, 2)
               if found.get(pair, 0) < least}
        self.assertEqual(low, {})
        return names


class OneEssay(Documents):
    """A text is recognised in every format in which it is saved."""

    def save_as_text(self, text):
        self.write("essay.txt", text)
        self.write("utf16.txt", text.encode("utf-16"))
        self.write("utf16le.txt", text.encode("utf-16-le"))
        self.write("utf32.txt", text.encode("utf-32"))
        self.write("bom.txt", text.encode("utf-8-sig"))
        self.write("latin1.txt", text.replace("’", "'").replace("œ", "oe").encode("latin-1"))
        self.write("windows.txt", text.replace("\n", "\r\n").encode("cp1252"))

    def save_as_mail(self, text):
        self.write("plain.eml", mail(text).as_bytes())
        self.write("latin1.eml", mail(text, charset="windows-1252", cte="base64").as_bytes())
        both = mail(text, cte="quoted-printable")
        paragraphs = "".join(f"<p>{part}</p>\n" for part in text.split("\n\n"))
        both.add_alternative(f"<html><body>{paragraphs}</body></html>", subtype="html")
        both.add_attachment(os.urandom(500), maintype="image", subtype="png", filename="x.png")
        self.write("both.eml", both.as_bytes())

    def save_packed(self, text):
        with zipfile.ZipFile(self.path("one.zip"), "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("deep/er/essay.txt", text)
        with tarfile.open(self.path("two.tar.gz"), "w:gz") as packed:
            packed.add(self.path("essay.txt"), "essay.txt")
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as packed:
            packed.writestr("essay.txt", text)
        with zipfile.ZipFile(self.path("nested.zip"), "w") as packed:
            packed.writestr("inner.zip", inner.getvalue())
        for command in (["gzip", "-kf"], ["xz", "-kf"], ["zstd", "-qf"], ["bzip2", "-kf"]):
            if shutil.which(command[0]):
                self.run_tool(*command, "essay.txt")

    def test_by_hand(self):
        for source in (FRENCH, ENGLISH):
            with self.subTest(source=os.path.basename(source)):
                text = read(source)
                self.save_as_text(text)
                self.save_as_mail(text)
                self.save_packed(text)
                names = self.assert_all_alike(0.95, ".")
                self.assertIn("one.zip!/deep/er/essay.txt", names)
                self.assertIn("nested.zip!/inner.zip!/essay.txt", names)
                self.assertGreaterEqual(len(names), 14)

    @has("pandoc")
    def test_with_pandoc(self):
        for source in (FRENCH, ENGLISH):
            with self.subTest(source=os.path.basename(source)):
                text = read(source)
                self.write("essay.txt", text)
                title, rest = text.split("\n", 1)
                self.write("essay.md", f"# {title}\n{rest}")
                for kind, more in (("html", ["-s", "--metadata", "title="]), ("docx", []),
                                   ("odt", []), ("rtf", ["-s"]), ("latex", ["-s"]),
                                   ("ipynb", []), ("xhtml", [])):
                    to = {"latex": "tex"}.get(kind, kind)
                    form = {"xhtml": "html4"}.get(kind, kind)
                    self.run_tool("pandoc", "-f", "markdown-smart", "-t", form, *more, "essay.md",
                                  "-o", f"essay.{to}")
                self.assertEqual(len(self.assert_all_alike(0.95, ".")), 9)

    @has("soffice")
    def test_with_libreoffice(self):
        home = f"-env:UserInstallation=file://{self.path('home')}"
        self.write("in/essay.txt", read(FRENCH).encode("utf-8-sig"))
        for kind in ("docx", "odt", "pdf", "rtf", "html"):
            self.run_tool("soffice", home, "--headless", "--convert-to", kind, "--outdir", "out",
                          "in/essay.txt")
        self.assertEqual(len(self.assert_all_alike(0.95, "in", "out")), 6)

    @has("pandoc", "soffice")
    def test_all_formats_in_one_folder(self):
        text = read(FRENCH)
        title, rest = text.split("\n", 1)
        self.write("made/essay.md", f"# {title}\n{rest}")
        self.write("essay.txt", text)
        self.write("utf16.txt", text.encode("utf-16"))
        self.write("latin1.txt", text.replace("’", "'").replace("œ", "oe").encode("latin-1"))
        self.write("essay.eml", mail(text).as_bytes())
        with zipfile.ZipFile(self.path("essay.zip"), "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("essay.txt", text)
        for kind in ("html", "docx", "odt", "ipynb"):
            self.run_tool("pandoc", "-f", "markdown-smart", "made/essay.md", "-o", f"essay.{kind}")
        home = f"-env:UserInstallation=file://{self.path('home')}"
        self.run_tool("soffice", home, "--headless", "--convert-to", "pdf", "essay.docx")
        shutil.rmtree(self.path("home"))
        shutil.rmtree(self.path("made"))
        found = self.succeed("scan", "--format", "json", ".").json["pairs"]
        self.assertEqual(len(found), 10 * 9 // 2)
        self.assertGreaterEqual(min(pair["similarity"] for pair in found), 0.95)

    @has("groff")
    def test_with_groff(self):
        """A PDF in justified lines, with hyphens at their ends and a number on each page."""
        paragraphs = read(ENGLISH).split("\n\n")
        source = ".nr PS 18\n.nr VS 40\n" + "".join(f".PP\n{part}\n" for part in paragraphs)
        self.write("essay.ms", source)
        with open(self.path("essay.pdf"), "wb") as out:
            subprocess.run(["groff", "-ms", "-Tpdf", "essay.ms"], cwd=self.folder, stdout=out,
                           check=True)
        self.assert_all_alike(0.95, "essay.pdf", os.path.abspath(ENGLISH))


# ---- web pages

WORDS = ("river bridge market winter garden letter window stone music morning teacher harbour "
         "forest kitchen journey silver answer village shadow summer paper mountain captain "
         "number table evening question orchard engine station colour theatre history island "
         "picture needle candle carpet weather machine").split()


def prose(rng, sentences):
    made = []
    for _ in range(sentences):
        words = [rng.choice(WORDS) for _ in range(rng.randint(8, 18))]
        made.append(f"{words[0].capitalize()} {' '.join(words[1:])}.")
    return made


def article(rng):
    """Paragraphs of several sentences each."""
    return [" ".join(prose(rng, rng.randint(3, 6))) for _ in range(rng.randint(5, 8))]


def links(rng, count):
    return [f'<a href="/{rng.choice(WORDS)}">{rng.choice(WORDS).title()} {rng.choice(WORDS)}</a>'
            for _ in range(count)]


def semantic_page(rng, paragraphs):
    items = "".join(f"<li>{link}</li>" for link in links(rng, 12))
    body = "".join(f"<p>{part}</p>" for part in paragraphs)
    return (f"<!DOCTYPE html><html><head><title>{rng.choice(WORDS)}</title>"
            f"<style>p {{color: red}}</style></head><body><header><nav><ul>{items}</ul></nav>"
            f"</header><main><article>{body}</article></main><aside><h3>Related</h3><ul>"
            f"{''.join(f'<li>{link}</li>' for link in links(rng, 8))}</ul></aside><footer>"
            f"Copyright {rng.randint(1990, 2026)} {rng.choice(WORDS)} Ltd. All rights reserved."
            f"</footer><script>var x = '{' '.join(prose(rng, 3))}';</script></body></html>")


def div_page(rng, paragraphs):
    advert = " ".join(prose(rng, 1))
    body = "".join(f"<p>{part}</p>\n" for part in paragraphs)
    return (f'<html><body><div id="top-menu">{" | ".join(links(rng, 10))}</div>'
            f'<div class="cookie-banner">We use cookies. <a href="#">Accept</a></div>'
            f'<div class="wrap"><div class="content">{body}</div>'
            f'<div class="sidebar"><div class="ad"><a href="/buy">{advert}</a></div>'
            f'{"<br>".join(links(rng, 9))}</div></div>'
            f'<div class="footer">{" ".join(links(rng, 6))}<p>Impressum</p></div></body></html>')


def table_page(rng, paragraphs):
    body = "<br><br>\n".join(paragraphs)
    return (f'<html><body bgcolor="white"><table width="100%"><tr><td colspan="2">'
            f'{" &middot; ".join(links(rng, 7))}</td></tr><tr><td width="120" valign="top">'
            f'{"<br>".join(links(rng, 14))}</td><td><font face="Arial">{body}</font></td></tr>'
            f'<tr><td colspan="2" align="center"><small>Last change {rng.randint(1, 28)} May, '
            f'visitors: {rng.randint(100, 99999)}</small></td></tr></table></body></html>')


PAGES = [semantic_page, div_page, table_page]


class Mirrors(Documents):
    COUNT = 200

    def clusters(self):
        found = self.succeed("scan", "-t", "0.8", "--format", "json", ".").json
        self.assertEqual(found["run"]["documents"], self.COUNT)
        return [cluster["size"] for cluster in found["clusters"]]

    def test_one_text_in_many_templates(self):
        text = article(random.Random(1))
        for i in range(self.COUNT):
            rng = random.Random(100 + i)
            self.write(f"page{i:03}.html", PAGES[i % 3](rng, text))
        self.assertEqual(self.clusters(), [self.COUNT])

    def test_many_texts_in_one_template(self):
        for page in PAGES:
            with self.subTest(template=page.__name__):
                for i in range(self.COUNT):
                    self.write(f"page{i:03}.html",
                               page(random.Random(7), article(random.Random(1000 + i))))
                self.assertEqual(self.clusters(), [])

    def test_boilerplate_can_be_kept(self):
        self.write("page.html", semantic_page(random.Random(3), article(random.Random(4))))
        self.assertNotIn("rights reserved", self.succeed("cat", "page.html").text)
        kept = self.succeed("cat", "page.html", "--html-boilerplate", "keep").text
        self.assertIn("rights reserved", kept)
        self.assertNotIn("color: red", kept)


# ---- tricks

class Tricks(Documents):
    def flags(self, *arguments):
        found = self.succeed("scan", "-t", "0.9", "--format", "json", *arguments).json
        self.assertEqual(len(found["pairs"]), 1)
        return {row["path"]: row["flags"] for row in found["run"]["flagged"]}

    def test_letters_of_other_scripts(self):
        text = read(ENGLISH)
        self.write("a.txt", text)
        self.write("b.txt", text.translate(str.maketrans("aeopcxyAEO", "аеорсхуАЕО")))
        self.assertEqual(self.flags("."), {"b.txt": ["homoglyphs"]})

    def test_invisible_characters(self):
        text = read(ENGLISH)
        self.write("a.txt", text)
        self.write("b.txt", text.replace("e", "e\u200b").replace("tt", "t\u00adt"))
        self.assertEqual(self.flags("."), {"b.txt": ["hidden-characters"]})

    def test_hidden_text(self):
        paragraphs = read(ENGLISH).split("\n\n")
        noise = prose(random.Random(5), len(paragraphs))
        plain = "".join(f"<p>{part}</p>" for part in paragraphs)
        hidden = "".join(f'<p>{part} <span style="display: none">{extra}</span></p>'
                         for part, extra in zip(paragraphs, noise))
        self.write("a.html", f"<html><body>{plain}</body></html>")
        self.write("b.html", f"<html><body>{hidden}</body></html>")
        self.assertEqual(self.flags("."), {"b.html": ["hidden-text"]})

    def test_records_as_well(self):
        text = " ".join(read(ENGLISH).split())
        other = text.translate(str.maketrans("aeo", "аео"))
        self.write("in.jsonl", "".join(json.dumps({"id": name, "text": value}) + "\n"
                                       for name, value in (("a", text), ("b", other))))
        self.assertEqual(self.flags("in.jsonl"), {"b": ["homoglyphs"]})


# ---- archives

class Archives(Documents):
    def zip(self, name, members):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED) as packed:
            for member, content in members.items():
                packed.writestr(member, content)

    def test_submissions(self):
        """With an archive for each student, files of one student are not compared."""
        for student in ("ann", "bob"):
            self.zip(f"in/{student}.zip", {"main.txt": read(ENGLISH), "copy.txt": read(ENGLISH),
                                           "__MACOSX/._main.txt": "x", ".hidden": "y"})
        found = self.similarities("in", "--group", "dir")
        self.assertEqual(sorted(found), [(f"in/ann.zip!/{a}.txt", f"in/bob.zip!/{b}.txt")
                                         for a in ("copy", "main") for b in ("copy", "main")])

    def test_one_archive_of_all(self):
        self.zip("class.zip", {f"{student}/{name}.txt": read(ENGLISH)
                               for student in ("ann", "bob") for name in ("x", "y")})
        found = self.similarities("class.zip", "--group", "dir")
        self.assertEqual(len(found), 4)
        self.assertEqual(len(self.similarities("class.zip")), 6)

    def test_bomb(self):
        self.zip("bomb.zip", {"zeros.txt": b"0" * 300_000_000, "a.txt": read(ENGLISH)})
        self.write("b.txt", read(ENGLISH))
        result = self.succeed("scan", "--format", "json", ".", "--memory", "512M")
        self.assertEqual([row["path"] for row in result.json["run"]["skipped"]],
                         ["bomb.zip!/zeros.txt"])
        self.assertEqual(len(result.json["pairs"]), 1)

    def test_limit_of_decompressed_bytes(self):
        self.zip("big.zip", {f"{i}.txt": os.urandom(1 << 19).hex() for i in range(8)})
        result = self.run_command("scan", "big.zip", "--max-size", "2M")
        self.assertIn("big.zip", result.messages)

    def test_encrypted(self):
        if not shutil.which("7z"):
            self.skipTest("not installed: 7z")
        self.write("a.txt", read(ENGLISH))
        self.write("b.txt", read(ENGLISH))
        self.run_tool("7z", "a", "-psecret", "locked.zip", "a.txt")
        self.run_tool("7z", "a", "seven.7z", "a.txt")
        result = self.succeed("scan", ".")
        self.assert_says(result, "locked.zip", "encrypted")
        self.assertIn("seven.7z!/a.txt", result.text)

    def test_names_of_members_are_never_paths(self):
        self.zip("evil.zip", {"../../../etc/passwd": read(ENGLISH), "/abs.txt": read(ENGLISH),
                              "C:\\win\\x.txt": read(ENGLISH)})
        found = self.similarities("evil.zip")
        names = {name for pair in found for name in pair}
        self.assertEqual(len(names), 3)
        for name in names:
            self.assertNotIn("..", name)
            self.assertNotIn("//", name)

    def test_checkpoint(self):
        self.zip("all.zip", {f"{i}.html": f"<p>{read(ENGLISH)} {i}</p>" for i in range(50)})
        plain = self.succeed("scan", "all.zip", "--format", "jsonl")
        for _ in range(2):
            again = self.succeed("scan", "all.zip", "--format", "jsonl", "--checkpoint", "keep")
            self.assertEqual(again.out, plain.out)

    def test_dedup_does_not_clean_archives(self):
        self.zip("all.zip", {"a.txt": read(ENGLISH)})
        self.fail_with(2, "dedup", "all.zip", "-o", "out", says="all.zip")


# ---- broken files

class Broken(Documents):
    """Damaged files give messages, not crashes or hangs."""

    def scan_folder(self):
        """Scans all files, and an essay. Each is a document, or is skipped by name."""
        self.write("other.txt", read(ENGLISH))
        result = self.succeed("scan", ".", "--memory", "512M", "--max-skipped", "1", "--format",
                              "json")
        run, skipped = result.json["run"], result.json["run"]["skipped"]
        names = {file["path"].split("!")[0] for file in skipped}  # of an archive for its members
        self.assertLessEqual(names, set(self.entries()))
        self.assertEqual(run["documents"] + len(skipped), len(self.entries()))
        return result

    def test_truncated_files(self):
        if not shutil.which("pandoc"):
            self.skipTest("not installed: pandoc")
        self.write("essay.md", read(ENGLISH))
        for kind in ("docx", "odt", "html", "rtf", "ipynb"):
            self.run_tool("pandoc", "essay.md", "-s", "--metadata", "title=x", "-o",
                          f"essay.{kind}")
            with open(self.path(f"essay.{kind}"), "rb") as file:
                whole = file.read()
            os.remove(self.path(f"essay.{kind}"))
            for i in range(1, 12):
                self.write(f"cut{i:02}.{kind}", whole[:len(whole) * i // 12])
        result = self.scan_folder()
        for kind in ("docx", "odt", "ipynb"):
            self.assertIn(f".{kind}: ", result.messages)

    def test_nested_archives(self):
        content, name = read(ENGLISH).encode(), "essay.txt"
        for i in range(12):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
                packed.writestr(name, content)
            content, name = out.getvalue(), f"level{i}.zip"
        self.write("deep.zip", content)
        self.assertIn("deep.zip", self.scan_folder().messages)

    def test_html_nested_deep(self):
        self.write("deep.html", "<div>" * 100_000 + read(ENGLISH) + "</div>" * 100_000)
        self.write("spans.html", "<b><i>" * 50_000 + read(ENGLISH))
        self.write("tables.html", "<table><tr><td>" * 30_000 + read(ENGLISH))
        result = self.scan_folder()
        self.assertEqual([file["path"] for file in result.json["run"]["skipped"]],
                         ["deep.html", "tables.html"])
        self.assertEqual([(pair["a"], pair["b"], pair["similarity"])
                          for pair in result.json["pairs"]], [("other.txt", "spans.html", 1)])

    def test_pdf_of_many_pages(self):
        objects, pages = [], 10_000
        kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(pages))
        objects += ["<< /Type /Catalog /Pages 2 0 R >>",
                    f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
                    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
        for i in range(pages):
            stream = f"BT /F1 12 Tf 72 700 Td (Page {i} has words of its own {i * i}) Tj ET"
            objects += [f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents "
                        f"{5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
                        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
        out, offsets = "%PDF-1.4\n", []
        for number, body in enumerate(objects, 1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n{body}\nendobj\n"
        table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
        out += (f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
                f"<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n")
        self.write("long.pdf", out)
        self.write("broken.pdf", out[:len(out) // 2])
        self.write("no.pdf", "%PDF-1.4\nnothing")
        result = self.scan_folder()
        self.assertIn("no.pdf", result.messages)

    def test_rubbish(self):
        rng = random.Random(11)
        for kind in "html docx odt pdf rtf ipynb eml md tex zip tar.gz 7z mbox".split():
            self.write(f"empty.{kind}", b"")
            self.write(f"noise.{kind}", rng.randbytes(5000))
            self.write(f"text.{kind}", "just a few words that are nothing of the kind")
            self.write(f"zeros.{kind}", bytes(3000))
        self.scan_folder()


class Mail(Documents):
    def test_folder_of_mails(self):
        with open(self.path("box.mbox"), "wb") as box:
            for text in (read(ENGLISH), read(FRENCH), read(ENGLISH)):
                box.write(b"From a@example.org Sun Nov  1 10:00:00 2026\n")
                box.write(mail(text).as_bytes().replace(b"\r\n", b"\n") + b"\n")
        found = self.succeed("scan", "box.mbox", "--format", "json").json
        self.assertEqual(found["run"]["documents"], 3)
        self.assertEqual([(pair["a"], pair["b"]) for pair in found["pairs"]],
                         [("box.mbox!/1.eml", "box.mbox!/3.eml")])

    def test_quotes(self):
        quoted = "".join(f"> {line}\n" for line in read(ENGLISH).splitlines())
        self.write("reply.eml", mail(f"I agree.\n\nOn Monday A wrote:\n{quoted}").as_bytes())
        self.assertIn("branch library", self.succeed("cat", "reply.eml").text)
        dropped = self.succeed("cat", "reply.eml", "--mail-quotes", "drop").text
        self.assertIn("i agree", dropped)
        self.assertNotIn("branch library", dropped)


class Cat(Documents):
    def test_one_and_several(self):
        self.write("a.txt", "Words,  and\nWORDS")
        self.write("b.html", "<p>Text &amp; more")
        self.assertEqual(self.succeed("cat", "a.txt").text, "words, and words\n")
        self.assertEqual(self.succeed("cat", "a.txt", "--case", "keep", "--spaces", "keep").text,
                         "Words,  and\nWORDS\n")
        self.assertEqual(self.succeed("cat", ".").text,
                         "==> a.txt <==\nwords, and words\n\n==> b.html <==\ntext & more\n")

    def test_records(self):
        self.write("in.jsonl", '{"id": "x", "text": "One Two"}\n{"text": "Three"}\n')
        self.assertIn("one two", self.succeed("cat", "in.jsonl").text)

    def test_nothing(self):
        self.fail_with(2, "cat", "no.txt", says="no.txt")


if __name__ == "__main__":
    unittest.main()
