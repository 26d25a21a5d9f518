"""Helpers for tests of dedup: records, the expected decisions, and the written files."""
import bz2
import gzip
import itertools
import json
import lzma
import os
import subprocess

import oracle
from command import Case

FOX = "The quick brown fox jumps over the lazy dog, and over nothing else on that day."
TEXTS = [FOX, FOX + " So it did.", "Something else altogether, of which there is no other copy."]
PACKERS = {".gz": gzip, ".xz": lzma, ".bz2": bz2}


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def unpack(name, data):
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout
    packer = PACKERS.get(os.path.splitext(name)[1])
    return packer.decompress(data) if packer else data


def pack(name, data):
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout
    packer = PACKERS.get(os.path.splitext(name)[1])
    return packer.compress(data) if packer else data


class Records:
    """Records in the order of the input, and the decisions that cleaning should make."""

    def __init__(self, records, threshold, keep="first", old=()):
        self.records, self.old = old + records if old else records, len(old)
        rules = oracle.Rules(threshold=threshold)
        self.tokens = [oracle.tokens(record["text"], rules) for record in self.records]
        self.sets = [set(oracle.shingles(words, rules)) for words in self.tokens]
        self.names = [str(record["id"]) for record in self.records]
        self.threshold, self.keep = threshold, keep
        self.clusters = self.find_clusters()
        self.removed = {}
        for members in self.clusters:
            self.decide(sorted(members, key=self.preference))

    def similarity(self, a, b):
        if self.tokens[a] == self.tokens[b]:
            return 1.0
        return len(self.sets[a] & self.sets[b]) / len(self.sets[a] | self.sets[b])

    def find_clusters(self):
        leader = list(range(len(self.records)))
        for a, b in itertools.combinations(range(len(self.records)), 2):
            if b >= self.old and self.similarity(a, b) >= self.threshold:
                old, new = leader[b], leader[a]
                leader = [new if label == old else label for label in leader]
        groups = [[i for i, label in enumerate(leader) if label == each] for each in set(leader)]
        groups = [sorted(group, key=lambda i: self.names[i].encode()) for group in groups]
        return sorted((group for group in groups if len(group) > 1),
                      key=lambda group: (-len(group), self.names[group[0]].encode()))

    def preference(self, i):
        value = (0, 0)
        if self.keep == "longest":
            value = (1, len(self.tokens[i]))
        elif self.keep != "first":
            found = self.records[i].get("date" if self.keep == "newest" else self.keep)
            if isinstance(found, str):
                value = (2, found.encode())
            elif isinstance(found, (int, float)) and not isinstance(found, bool):
                value = (1, found)
        return (i >= self.old, Backwards(value), i)

    def decide(self, order):
        kept, way = [], {}
        for i in order:
            text = tuple(self.tokens[i])
            if i < self.old:
                way.setdefault(text, (i, 1.0))
            elif text in way:
                self.removed[i] = way[text]
                continue
            else:
                found = [(self.similarity(i, j), -at, j) for at, j in enumerate(kept)
                         if self.similarity(i, j) >= self.threshold]
                way[text] = (max(found)[2], max(found)[0]) if found else (i, 1.0)
                if found:
                    self.removed[i] = way[text]
                    continue
            kept.append(i)

    def cluster_of(self, i):
        return next((n for n, members in enumerate(self.clusters, 1) if i in members), None)

    def removed_lines(self):
        return [{"id": self.names[i], "kept": self.names[kept], "similarity": similarity,
                 "cluster": self.cluster_of(i)}
                for i, (kept, similarity) in sorted(self.removed.items())]


class Backwards:
    """A sort key that reverses the order of values."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return other.value == self.value


def write_records(rng, count, prefix=""):
    """Writes families of similar records, whose ids are in random order."""
    words = [f"word{i}" for i in range(200)]
    records, numbers = [], rng.sample(range(10 * count), count)
    while len(records) < count:
        text = [rng.choice(words) for _ in range(rng.randrange(10, 40))]
        for _ in range(rng.choice([1, 1, 2, 4, 7])):
            changed = list(text)
            for _ in range(rng.choice([0, 0, 0, 1, 2, 3, 5])):
                changed[rng.randrange(len(changed))] = rng.choice(words)
            record = {"id": f"{prefix}{numbers[len(records)]}",
                      "text": rng.choice([str, str.upper])(" ".join(changed))}
            if rng.random() < 0.8:
                record["n"] = rng.choice([1, 2, 2.5, -1, "1", "b", "bb", None, True, [3]])
            if rng.random() < 0.8:
                record["date"] = f"2024-01-{rng.randrange(1, 5):02}"
            records.append(record)
            if len(records) == count:
                break
    rng.shuffle(records)
    return records


class Dedup(Case):
    def objects(self, name):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def assert_sums(self, result, read, kept, removed, skipped):
        self.assertEqual(read, kept + removed + skipped)
        self.assertEqual(result.messages.splitlines()[-1],
                         f"read {read}, kept {kept}, removed {removed}, skipped {skipped}", result)
