"""What the tests of twinset.cluster, .spark and .beam share: documents, and what the command says.

TWINSET_TEST_SEED in the environment makes other documents.
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
    """[(id, text)] in any order: near-copies, `hot` that differ in a word or two, `copies` of one
    text, empty ones and None."""
    print(f"TWINSET_TEST_SEED={seed}")
    chance = random.Random(seed)
    texts = [text(chance, chance.choice((3, 30, 60, 120))) for _ in range(count // 2)]
    while len(texts) < count:
        model = chance.choice(texts)
        texts.append(chance.choice((model, model.upper(), edited(chance, model, 1),
                                    edited(chance, model, 4))))
    family, same = text(chance), text(chance)
    texts += [edited(chance, family, chance.randrange(1, 3)) for _ in range(hot)]
    texts += [same.upper() if chance.random() < .5 else same for _ in range(copies)]
    texts += ["", " \n", None]
    chance.shuffle(texts)
    names = chance.sample(range(10 * len(texts)), len(texts))
    marks = ("", "é", '"', ",", "\\", "\U0001f600", " ")
    return [(f"{chance.choice(marks)}{name}", one) for name, one in zip(names, texts)]


def scanned(folder, given, *options, format="jsonl"):
    """What `twinset scan --method lsh` writes of these documents, line by line."""
    with open(folder / "in.jsonl", "w", encoding="utf-8") as out:
        for name, one in given:
            out.write(json.dumps({"id": name, "text": one}) + "\n")
    written, _ = command("scan", "in.jsonl", "--method", "lsh", "-q", "--format", format, *options,
                         cwd=folder)
    return written.decode().splitlines()


def shown(heading):
    """The program that docs/cluster.md shows under a heading."""
    page = (ROOT / "docs/cluster.md").read_text("utf-8")
    return re.search(rf"^## {heading}\n.*?^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]
