"""Collections, and scores of the results of tools for them."""
import csv
import json
import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENERATE = os.path.join(BENCH, "generate")
THRESHOLD = 0.8


@dataclass
class Corpus:
    path: str
    truth: str
    options: list  # for bench/generate

    @property
    def bytes(self):
        return os.path.getsize(self.path)

    def planted(self, column, low=THRESHOLD, high=2):
        """Planted pairs (copy, original) with a similarity from `low` to `high`."""
        for row in self.rows():
            if low <= float(row[column]) < high:
                yield row["copy"], row["original"]

    def rows(self):
        with open(self.truth, encoding="utf-8") as file:
            yield from csv.DictReader(file, delimiter="\t")

    def similarities(self, pairs, column):
        """The true similarities of pairs of ids."""
        lines = "".join(f"{a}\t{b}\n" for a, b in pairs)
        printed = subprocess.run([GENERATE, *self.options, "--pairs", "-"], input=lines.encode(),
                              capture_output=True, check=True).stdout.decode()
        return [float(row[column]) for row in csv.DictReader(printed.splitlines(), delimiter="\t")]


def make(folder, documents, bytes_, seed=1, truth=True, **more):
    """The collection in a folder, made only if it does not exist."""
    options = ["--documents", str(documents), "--bytes", str(bytes_), "--seed", str(seed)]
    for name, value in more.items():
        options += [f"--{name}", str(value)]
    name = "-".join(option.lstrip("-") for option in options)
    path, truth_path = (os.path.join(folder, name + ending) for ending in (".jsonl", ".tsv"))
    if not os.path.exists(path):
        with_truth = ["--truth", truth_path] if truth else []
        subprocess.run([GENERATE, *options, "--output", path + ".part", *with_truth], check=True)
        os.rename(path + ".part", path)
    return Corpus(path, truth_path, options)


def real_text(path, bytes_):
    """Writes ASCII text from the documentation of the machine, or random words if there is too
    little. Returns the path."""
    if os.path.exists(path):
        return path
    text = bytearray()
    for folder in ("/usr/share/doc", "/usr/share/perl", "/usr/include", "/usr/lib/python3"):
        for subfolder, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if len(text) < bytes_:
                    text += readable(os.path.join(subfolder, name))
    if len(text) < bytes_:
        made = subprocess.run([GENERATE, "--documents", str(bytes_ // 5000), "--bytes", "6000"],
                              capture_output=True, check=True).stdout
        text += b"\n".join(json.loads(line)["text"].encode() for line in made.splitlines())
    with open(path + ".part", "wb") as file:
        file.write(bytes(text[:bytes_]))
    os.rename(path + ".part", path)
    return path


def readable(path):
    if os.path.islink(path) or not 200 < os.path.getsize(path) < 2_000_000:
        return b""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return b""
    return text if text.isascii() and b"\0" not in text else b""


def cut(source, path, bytes_, count):
    """Writes the first `count` documents of so many bytes each as JSON lines."""
    with open(source, "rb") as file, open(path, "w", encoding="ascii") as out:
        for number in range(count):
            text = file.read(bytes_).decode("ascii")
            out.write(json.dumps({"id": f"d{number:08}", "text": text}) + "\n")
    return path


# ---- scores

@dataclass
class Score:
    recall: float  # of the planted pairs that are similar enough
    recall_low: float  # of pairs with similarities between .80 and .85
    precision: float  # of removed records or reported pairs
    count: int  # removed or reported


def share(hits):
    hits = list(hits)
    return sum(hits) / len(hits) if hits else float("nan")


def score_removed(corpus, removed, column):
    """The score of a deduplicator: a pair is found if one of its records was removed; a record is
    removed correctly if a similar enough record is in the collection."""
    def found(low, high):
        return share(a in removed or b in removed for a, b in corpus.planted(column, low, high))

    return Score(found(THRESHOLD, 2), found(THRESHOLD, 0.85),
                 len(with_twin(corpus, removed, column)) / max(len(removed), 1), len(removed))


def with_twin(corpus, ids, column):
    """The ids that resemble their original, or else another copy of it."""
    original, copies = {}, defaultdict(list)
    for row in corpus.rows():
        original[row["copy"]] = row["original"]
        copies[row["original"]].append(row["copy"])

    def similar(pairs):
        found = zip(pairs, corpus.similarities(pairs, column))
        return {a for (a, _), similarity in found if similarity >= THRESHOLD}

    sure = similar([(a, original[a]) for a in ids if a in original])
    others = [(a, b) for a in ids if a not in sure for b in copies[original.get(a, a)] if a != b]
    return sure | similar(others)


def score_pairs(corpus, pairs, column):
    reported = {frozenset(pair) for pair in pairs}

    def found(low, high):
        return share(frozenset(pair) in reported for pair in corpus.planted(column, low, high))

    right = sum(s >= THRESHOLD for s in corpus.similarities(pairs, column))
    return Score(found(THRESHOLD, 2), found(THRESHOLD, 0.85),
                 right / max(len(pairs), 1), len(pairs))
