"""Writes a folder with a file of every kind that twinset converts, decompresses or parses, small
enough to be read thousands of times. Every text is in files of several kinds, so most have a pair.

    python3 tests/long/mixed_folder.py FOLDER
"""
import bz2
import gzip
import io
import json
import lzma
import pathlib
import random
import sys
import tarfile
import zipfile

WORDS = ("river village narrow child summer spring carries whole trees chapel valley miller years "
         "bread thursday house flour loaf rule kept bridge stone winter letter garden street "
         "window evening market teacher lesson paper answer question number figure").split()

ODT = """<?xml version="1.0"?><office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>{}
</office:text></office:body></office:document-content>"""
DOCX = """<?xml version="1.0"?><w:document
 xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}
</w:body></w:document>"""
TYPES = """<?xml version="1.0"?><Types
 xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override
 PartName="/word/document.xml" ContentType=
 "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
LINKS = """<?xml version="1.0"?><Relationships
 xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type=
 "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""


def write_text(rng):
    """Paragraphs of sentences."""
    return [" ".join(" ".join(rng.choices(WORDS, k=9)).capitalize() + "." for _ in range(4))
            for _ in range(3)]


def change(rng, paragraphs):
    return [" ".join(word if rng.randrange(25) else "other" for word in paragraph.split())
            for paragraph in paragraphs]


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def tarred(**members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def odt(text):
    body = "".join(f"<text:p>{paragraph}</text:p>" for paragraph in text)
    return zipped(**{"mimetype": "application/vnd.oasis.opendocument.text",
                     "content.xml": ODT.format(body)})


def docx(text):
    body = "".join(f"<w:p><w:r><w:t>{paragraph}</w:t></w:r></w:p>" for paragraph in text)
    return zipped(**{"[Content_Types].xml": TYPES, "_rels/.rels": LINKS,
                     "word/document.xml": DOCX.format(body)})


def html(text):
    body = "".join(f"<p>{paragraph}</p>" for paragraph in text)
    return f"<!DOCTYPE html><html><body><article>{body}</article></body></html>".encode()


def pdf(text):
    shown = " ".join(f"({line[at:at + 90]}) '" for line in text for at in range(0, len(line), 90))
    content = f"BT /F 9 Tf 12 TL 40 800 Td {shown} ET"
    return (f"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
            f"2 0 obj<</Type/Pages/Count 1/Kids[4 0 R]>>endobj\n"
            f"3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
            f"4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>"
            f"/Contents 5 0 R>>endobj\n5 0 obj<</Length {len(content)}>>stream\n{content}\n"
            f"endstream endobj\ntrailer<</Root 1 0 R>>\n").encode()


def mail(text):
    body = "\n\n".join(text)
    return f"From: a@b.example\nTo: c@d.example\nSubject: Text\n\n{body}\n".encode()


def notebook(text):
    return json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": text}],
                       "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def records(texts):
    return "".join(json.dumps({"id": f"record {number}", "text": " ".join(text)}) + "\n"
                   for number, text in enumerate(texts)).encode()


def convert(text):
    """A text as a file of each kind."""
    plain = "\n\n".join(text)
    latex = "\n\n".join(f"\\emph{{{paragraph}}}" for paragraph in text)
    rtf = "\\par ".join(text)
    return {
        "odt": odt(text), "docx": docx(text), "html": html(text), "pdf": pdf(text),
        "eml": mail(text), "ipynb": notebook(text), "txt": plain.encode(),
        "md": "\n\n".join(f"*{paragraph}*" for paragraph in text).encode(),
        "tex": f"\\begin{{document}}{latex}\\end{{document}}".encode(),
        "rtf": f"{{\\rtf1\\ansi {rtf}}}".encode(), "gz": gzip.compress(plain.encode(), mtime=0),
        "latin1.txt": (plain + " caf\xe9 d\xe9j\xe0 vu \xe0 No\xebl").encode("latin-1"),
        "utf16.txt": b"\xff\xfe" + plain.encode("utf-16-le"),
        "koi8.txt": ("Привет, мир: река и деревня. " * 20).encode("koi8-r"),
        "sjis.txt": ("村の名前は川から来ています。" * 20).encode("shift-jis"),
        "mbox": b"From a@b.example Sun Nov  1 10:00:00 2026\n" + mail(text),
    }


def programs(rng):
    names = rng.sample(WORDS, 6)
    python = "".join(f"def {name}(a, b):\n    if a > {number}:\n        return b * a\n"
                     f"    return [x + {number} for x in range(b)]\n"
                     for number, name in enumerate(names))
    c = "".join(f"int {name}(int a) {{ for (int i = 0; i < a; i++) a += {number}; return a; }}\n"
                for number, name in enumerate(names))
    return {"py": python.encode(), "c": c.encode(), "java": f"class A {{ {c} }}".encode()}


def contents(seed=1, families=2):
    """The content of each file, by its name."""
    rng = random.Random(seed)
    found = {}
    texts = []
    for family in range(families):
        text = write_text(rng)
        texts += [text, change(rng, text)]
        for ending, content in convert(texts[-1]).items():
            found[f"{family}/text.{ending}"] = content
        for ending, content in programs(rng).items():
            found[f"{family}/program.{ending}"] = content
        members = convert(texts[-2])
        chosen = {f"text.{ending}": members[ending] for ending in ("odt", "html", "txt", "rtf")}
        found[f"{family}/all.zip"] = zipped(**chosen)
        found[f"{family}/all.tar"] = tarred(**chosen)
        found[f"{family}/all.tar.xz"] = lzma.compress(tarred(**chosen))
    found["records.jsonl"] = records(texts)
    found["records.jsonl.bz2"] = bz2.compress(records(texts).replace(b"record", b"packed"))
    found["empty.txt"] = b""
    found["binary.bin"] = bytes(range(256)) * 4
    found["cut.docx"] = docx(text)[:300]
    return found


def write(folder, files):
    for name, content in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    write(sys.argv[1], contents())
