"""Random documents for the tests of twinset.cluster, .spark and .beam, and the command's output for
them.

TWINSET_TEST_SEED in the environment is the seed of the documents.
"""

import json
import os
import random
import re

from twins import ROOT, command

SEED = int(os.environ.get("TWINSET_TEST_SEED", "20261116"))
WORDS = ["".join(letters) for letters in
         zip("bdfgklmnprst" * 30, "aeiou" * 72, "tsrpnmlkgfdb" * 30, "uoiea" * 72)]


def text(chance, words=60):
    return " ".join(chance.choices(WORDS, k=words))


def edited(chance, original, changes):
    words = original.split(" ")
    for _ in range(changes):
        words[chance.randrange(len(words))] = chance.choice(WORDS)
    return " ".join(words)


def documents(count, hot=0, copies=0, seed=SEED):
    """[(id, text)] in random order: near-copies, `hot` texts that differ in a word or two, `copies`
    of one text, empty texts and None."""
    print(f"TWINSET_TEST_SEED={seed}")
    chance = random.Random(seed)
    texts = [text(chance, chance.choice((3, 30, 60, 120))) for _ in range(count // 2)]
    while len(texts) < count:
        model = chance.choice(texts)
        texts.append(chance.choice((model, model.upper(), edited(chance, model, 1),
                                    edited(chance, model, 4))))
    family, copied = text(chance), text(chance)
    texts += [edited(chance, family, chance.randrange(1, 3)) for _ in range(hot)]
    texts += [copied.upper() if chance.random() < .5 else copied for _ in range(copies)]
    texts += ["", " \n", None]
    chance.shuffle(texts)
    names = chance.sample(range(10 * len(texts)), len(texts))
    marks = ("", "é", '"', ",", "\\", "\U0001f600", " ")
    return [(f"{chance.choice(marks)}{name}", content) for name, content in zip(names, texts)]


def with_passages(given, seed=SEED):
    """The documents, sorted by id, many of them with a passage of 60 words or an excerpt of it; and
    three documents that have passages only."""
    chance = random.Random(seed)
    passages = [text(chance) for _ in range(10)]

    def with_passage(content):
        start = chance.randrange(45)
        excerpt = " ".join(chance.choice(passages).split(" ")[start:start + chance.choice((9, 60))])
        return (f"{content}. {excerpt}, {text(chance, 5)}" if content and chance.random() < .5
                else content)

    given = [(name, with_passage(content)) for name, content in given]
    given += [("~1", " and ".join(passages)), ("~2", passages[3]), ("~3", passages[4].upper())]
    return sorted(given, key=lambda row: row[0].encode())


def near_copies(groups, size, length, seed=SEED):
    """[(id, text)]: groups of texts that differ in a word or two, with ids of some length."""
    print(f"TWINSET_TEST_SEED={seed}")
    chance = random.Random(seed)
    texts = [edited(chance, family, chance.randrange(1, 3))
             for family in [text(chance) for _ in range(groups)] for _ in range(size)]
    chance.shuffle(texts)
    return [(f"{number:x>{length}}", content) for number, content in enumerate(texts)]


def write_documents(folder, given):
    with open(folder / "in.jsonl", "w", encoding="utf-8") as out:
        for name, content in given:
            out.write(json.dumps({"id": name, "text": content}) + "\n")


def cleaned(folder, given, *options):
    """The texts that `twinset dedup --method lsh` keeps, by id, and its list of removed records."""
    write_documents(folder, given)
    command("dedup", "in.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl", "--method",
            "lsh", "--max-skipped", "1", "-q", *options, cwd=folder)
    left, removed = ([json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
                     for name in ("clean.jsonl", "removed.jsonl"))
    return {row["id"]: row["text"] for row in left}, removed


def scanned(folder, given, *options, format="jsonl"):
    """The lines that `twinset scan --method lsh` writes for these documents."""
    write_documents(folder, given)
    written, _ = command("scan", "in.jsonl", "--method", "lsh", "-q", "--format", format, *options,
                         cwd=folder)
    return written.decode().splitlines()


def example(heading):
    """The first program under a heading of docs/cluster.md."""
    page = (ROOT / "docs/cluster.md").read_text("utf-8")
    return re.search(rf"^## {heading}\n.*?^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]
