"""dedup: what is kept and why, the bytes that are written, and that nothing gets lost."""
import bz2
import gzip
import itertools
import json
import lzma
import os
import random
import signal
import subprocess
import time
import unittest

import oracle
from command import SANITIZED, TWINSET, Case

SEEDS = range(4 if SANITIZED else 12)
FOX = "The quick brown fox jumps over the lazy dog, and over nothing else on that day."
TEXTS = [FOX, FOX + " So it did.", "Something else altogether, of which there is no other copy."]


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def unpack(name, data):
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout
    modules = {".gz": gzip, ".xz": lzma, ".bz2": bz2}
    module = modules.get(os.path.splitext(name)[1])
    return module.decompress(data) if module else data


def pack(name, data):
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout
    modules = {".gz": gzip, ".xz": lzma, ".bz2": bz2}
    module = modules.get(os.path.splitext(name)[1])
    return module.compress(data) if module else data


# ---- the oracle

class Records:
    """Records in the order of the input, and what a cleaning should decide about them."""

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
                leader = [new if one == old else one for one in leader]
        groups = [[i for i, one in enumerate(leader) if one == each] for each in set(leader)]
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
    """Orders the largest first."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return other.value == self.value


def write_records(rng, count, prefix=""):
    """Families of similar records, whose names are in no order."""
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
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def objects(self, name):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def assert_sums(self, result, read, kept, removed, skipped):
        self.assertEqual(read, kept + removed + skipped)
        self.assertEqual(result.messages.splitlines()[-1],
                         f"read {read}, kept {kept}, removed {removed}, skipped {skipped}", result)


class Decisions(Dedup):
    def check(self, seed, keep, threshold, *options, old=0):
        rng = random.Random(seed)
        records = write_records(rng, 40)
        archive = write_records(rng, old, "old") if old else []
        for record in archive[: old // 2]:
            record["text"] = rng.choice(records)["text"]
        expected = Records(records, threshold, keep, archive)
        self.write("in.jsonl", lines(*records))
        self.write("archive.jsonl", lines(*archive))
        arguments = ["in.jsonl", "--keep", keep, "-t", str(threshold), *options]
        if old:
            arguments += ["--old", "archive.jsonl"]
        result = self.succeed("dedup", *arguments, "-o", "out.jsonl", "--removed", "removed.jsonl")
        # The archive comes after the input on the command line, before it in the oracle.
        kept = [record for i, record in enumerate(records, old) if i not in expected.removed]
        self.assertEqual(self.objects("removed.jsonl"), expected.removed_lines())
        self.assertEqual(self.read("out.jsonl").decode(), lines(*kept))
        self.assert_sums(result, len(records), len(kept), len(records) - len(kept), 0)
        self.check_annotated(arguments, expected, records, old)

    def check_annotated(self, arguments, expected, records, old):
        annotated = []
        for i, record in enumerate(records, old):
            kept, similarity = expected.removed.get(i, (None, None))
            fields = {"twinset_cluster": expected.cluster_of(i), "twinset_keep": kept is None,
                      "twinset_kept": None if kept is None else expected.names[kept],
                      "twinset_similarity": similarity}
            annotated.append({**record, **fields})
        result = self.succeed("dedup", *arguments, "-o", "all.jsonl", "--annotate")
        self.assertEqual(self.read("all.jsonl").decode(), lines(*annotated))
        removed = len(expected.removed)
        self.assert_sums(result, len(records), len(records) - removed, removed, 0)

    def test_random(self):
        for seed, keep in itertools.product(SEEDS, ["first", "longest", "n", "newest"]):
            threshold = random.Random(seed).choice([0.4, 0.6, 0.8])
            with self.subTest(seed=seed, keep=keep, threshold=threshold):
                self.check(seed, keep, threshold, "--method", "exact", "-j", str(seed % 3 + 1))

    def test_random_with_archive(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed, random.Random(seed).choice(["first", "longest", "n"]), 0.5, old=12)

    def test_bands(self):
        """Few bands of few rows find all there is here."""
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed, "first", 0.6, "--method", "lsh", "--bands", "128", "--rows", "2")

    def test_buckets_over_the_limit(self):
        """Documents that were compared with a few others only are looked at again."""
        rng = random.Random(5)
        records = [{"id": f"{n}", "text": f"{FOX} {FOX.upper()} {TEXTS[2]} number {n}"}
                   for n in rng.sample(range(100000), 400)]
        self.write("in.jsonl", lines(*records))
        for keep in ("first", "longest"):
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--method", "lsh", "--keep", keep,
                         "--max-bucket", "20", "--removed", "removed.jsonl")
            kept = {record["id"] for record in self.objects("out.jsonl")}
            self.assertEqual(len(kept), 1)
            for removed in self.objects("removed.jsonl"):
                self.assertIn(removed["kept"], kept)
                self.assertGreaterEqual(removed["similarity"], 0.8)

    def test_no_chains(self):
        """b goes for a; c, which resembles b alone, stays."""
        text = "abcdefghijklmnopqrstuvwxyz0123456789"
        self.write("in.jsonl", lines(*({"id": n, "text": text[i:i + 24]}
                                       for n, i in (("a", 0), ("b", 4), ("c", 8)))))
        for keep, threshold, kept in (("first", "0.5", "ac"), ("first", "0.3", "a")):
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", threshold, "--keep", keep)
            self.assertEqual("".join(one["id"] for one in self.objects("out.jsonl")), kept)

    def test_newest(self):
        a, b = ({"id": n, "text": FOX} for n in "ab")
        for fields, kept in (({"date": ["2024-01-01", "2024-01-02"]}, "b"),
                             ({"created_at": [5, 3], "modified": [1, 2]}, "a"),
                             ({"timestamp": [1e9, "2024"]}, "b"),
                             ({"time": [7, None]}, "a")):
            self.write("in.jsonl", lines(*({**one, **{key: values[i]
                                                      for key, values in fields.items()}}
                                           for i, one in enumerate((a, b)))))
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", "newest")
            self.assertEqual([one["id"] for one in self.objects("out.jsonl")], [kept], fields)
        self.write("in.jsonl", lines(a, b))
        self.fail_with(2, "dedup", "in.jsonl", "-o", "new", "--keep", "newest",
                       says=["newest", "--keep FIELD"])
        self.fail_with(2, "dedup", "in.jsonl", "-o", "new", "--keep", "lenght", says="lenght")
        self.assertEqual(self.entries(), ["in.jsonl", "out.jsonl"])

    def test_newest_file(self):
        for i, name in enumerate("abc"):
            self.write(f"docs/{name}", FOX)
            os.utime(self.path("docs", name), (0, 10**9 + i % 2))
        self.succeed("dedup", "docs", "-o", "out", "--keep", "newest")
        self.assertEqual(self.entries("out"), ["b"])

    def test_field_of_a_field(self):
        self.write("in.jsonl", lines(*({"id": i, "text": FOX, "meta": {"score": i % 3}}
                                       for i in range(5))))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", "meta.score")
        self.assertEqual([one["id"] for one in self.objects("out.jsonl")], [2])

    def test_packed_and_spooled_values(self):
        records = [{"id": str(i), "text": TEXTS[i % 3], "n": i} for i in range(9)]
        self.write("in.jsonl.gz", gzip.compress(lines(*records).encode()))
        self.succeed("dedup", "in.jsonl.gz", "-o", "out.jsonl", "--keep", "n")
        expected = lines(records[7], records[8])
        self.assertEqual(self.read("out.jsonl").decode(), expected)
        given = lines(*records).encode()
        result = self.succeed("dedup", "-", "-o", "-", "--keep", "n", input=given)
        self.assertEqual(result.text, expected)


class ManyOfAKind(Dedup):
    def test_what_is_not_looked_at_is_told(self):
        """A chain, of which each link resembles the next two alone: every third is kept."""
        words = [f"{random.Random(i).getrandbits(40):010x}" for i in range(3340)]
        chain = [{"id": f"{i:04}", "text": " ".join(words[i:i + 10])} for i in range(3330)]
        self.write("in.jsonl", lines(*chain))
        options = ["in.jsonl", "-o", "out.jsonl", "--by", "word", "-k", "1", "-t", "0.6",
                   "--method", "exact"]
        result = self.succeed("dedup", *options)
        self.assertIn("109 documents were kept after a look at 1000", result.messages)
        self.assertIn("read 3330, kept 1110, removed 2220, skipped 0", result.messages)
        self.write("in.jsonl", lines(*chain[:2700]))
        self.assertNotIn("after a look", self.succeed("dedup", *options).messages)


class Bytes(Dedup):
    """What stays does so byte for byte."""

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
        """Blocks are a megabyte: cuts at their ends, and lines longer than one."""
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
        """Fields of an earlier annotation are replaced, wherever they stand."""
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
        self.assertEqual([(one["id"], one["kept"]) for one in self.objects("removed.jsonl")],
                         [('quo"te\n\u00e9', "in.jsonl:1"), ("12345678901234567890", "in.jsonl:1")])

    def test_nothing_to_do(self):
        self.write("in.jsonl", b"")
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "out.jsonl"), 0, 0, 0, 0)
        self.assertEqual(self.read("out.jsonl"), b"")
        self.write("in.jsonl", lines({"id": 1, "text": " "}))
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "out.jsonl"), 1, 1, 0, 0)
        self.assertEqual(self.read("out.jsonl"), self.read("in.jsonl"))


class Places(Dedup):
    """Where it comes from, and where it goes."""

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
        self.succeed("dedup", "a/x.jsonl", "b/y.jsonl", "-o", "out")
        self.assertEqual(self.entries("out"), ["x.jsonl", "y.jsonl"])
        self.fail_with(2, "dedup", "a/x.jsonl", "b/x.jsonl", "-o", "other",
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
        result = self.succeed("dedup", "x.jsonl", "-", "-o", "out", input=f"{b}\n{c}".encode())
        self.assertEqual(self.read("out/x.jsonl").decode(), a)
        self.assertEqual(self.read("out/stdin.jsonl").decode(), c)
        self.assert_sums(result, 3, 2, 1, 0)

    def test_two_streams(self):
        """What cannot be read twice is kept apart, even where a last newline is missing."""
        script = ('mkfifo p.jsonl q.jsonl; (printf %s "$1" > p.jsonl) & '
                  '(printf %s "$2" > q.jsonl) & "$0" dedup p.jsonl q.jsonl -o out')
        a, b, c = (json.dumps({"id": n, "text": text}) for n, text in zip("abc", TEXTS))
        subprocess.run(["bash", "-c", script, TWINSET, a, f"{b}\n{c}"], cwd=self.folder,
                       check=True, capture_output=True, timeout=60)
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

    def test_what_cannot_be_written(self):
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
        time.sleep(0.5)
        process.send_signal(number)
        self.assertEqual(self.finish(process).status, -number)
        self.assertEqual(self.entries(), ["docs", "out"])
        self.assertEqual(self.entries("out"), [])

    def test_interrupted(self):
        self.check_ended(signal.SIGINT)

    def test_killed(self):
        """Unfinished files have no names, where the file system can do without."""
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY))
        except OSError as reason:
            self.skipTest(f"{self.folder}: {reason}")
        self.check_ended(signal.SIGKILL)


class Usage(Dedup):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", lines({"id": "a", "text": FOX}, {"id": "b", "text": TEXTS[1]}))

    def test_options(self):
        for arguments, says in (([], "-o"), (["-o", ""], "--output"), (["-o", "x", "--keep", ""],
                                "--keep"), (["-o", "x", "--removed", "x"], "one name"),
                                (["-o", "x", "--report", "-"], "--report"),
                                (["-o", "x", "--like", "in.jsonl"], "--like"),
                                (["-o", "x", "--group", "dir"], "--group"),
                                (["-o", "x", "--format", "csv"], "--format"),
                                (["-o", "x", "--fail-above", "1"], "--fail-above")):
            self.fail_with(2, "dedup", "in.jsonl", *arguments, says=says)
        self.fail_with(2, "dedup", "-o", "x", says="nothing to read")
        self.fail_with(2, "dedup", "nowhere.jsonl", "-o", "x", says="No such file")
        self.assertEqual(self.entries(), ["in.jsonl"])

    def test_threshold(self):
        """0.8, unless it is said."""
        result = self.succeed("in.jsonl", "-t", "0", "--format", "jsonl").json
        self.assertTrue(0.8 < result["similarity"] < 0.95)
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "x"), 2, 1, 1, 0)
        self.assert_sums(self.succeed("dedup", "in.jsonl", "-o", "x", "-t", "0.95"), 2, 2, 0, 0)

    def test_quiet(self):
        self.assertEqual(self.succeed("dedup", "in.jsonl", "-o", "x", "--quiet").err, b"")

    def test_checkpoint(self):
        expected = self.succeed("dedup", "in.jsonl", "-o", "x").err
        for _ in range(2):
            result = self.succeed("dedup", "in.jsonl", "-o", "y", "--checkpoint", "point")
            self.assertEqual((result.err, self.read("y")), (expected, self.read("x")))


class BadRecords(Dedup):
    """Each is named by file and line, and counted; the others go on."""

    GOOD = [json.dumps({"id": f"good{i}", "text": text}).encode()
            for i, text in enumerate([FOX, TEXTS[2], FOX])]

    def check(self, bad, reason, *options, line=2, name="in.jsonl"):
        content = b"\n".join([self.GOOD[0], bad, *self.GOOD[1:], b""])
        self.write(name, pack(name, content))
        for j in ("1", "2"):
            result = self.succeed("dedup", name, "-o", "out.jsonl", "-j", j, *options)
            self.assertEqual(self.read("out.jsonl"), b"\n".join([*self.GOOD[:2], b""]))
            self.assertIn(f"twinset: skipped {name}:{line}: ", result.messages)
            self.assertIn(reason, result.messages)
            self.assert_sums(result, 4, 2, 1, 1)
        self.fail_with_summary(3, "dedup", name, "-o", "out.jsonl", "--strict", *options)
        result = self.succeed("dedup", name, "-o", "out.jsonl", "--annotate", *options)
        self.assertEqual([one["id"] for one in self.objects("out.jsonl")],
                         ["good0", "good1", "good2"])
        self.assert_sums(result, 4, 2, 1, 1)

    def fail_with_summary(self, status, *arguments):
        result = self.run_command(*arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.messages.splitlines()[-1], "^read ")

    def test_records(self):
        for bad, reason in ((b"not json", ""), (b'{"id": "x"}', "text"), (b'{"text": 7}', "text"),
                            (b'{"text": "cut off', ""), (b"[1]", ""), (b"\0", ""),
                            (b'{"text": "\xff\xfe"}', ""),
                            (b'{"id": "a\\u0000b", "text": "x"}', "NUL"),
                            (self.GOOD[2].replace(b"good2", b"good0"), "duplicate id 'good0'")):
            with self.subTest(bad=bad):
                self.check(bad, reason)
                self.check(bad, reason, name="in.jsonl.gz")

    def test_long_line(self):
        bad = b'{"text": "' + b"x" * (5 << 20) + b'"}'
        for name in ("in.jsonl", "in.jsonl.gz"):
            self.check(bad, "too long", "--memory", "64M", name=name)
        content = b"\n".join([self.GOOD[0], bad, *self.GOOD[1:]])
        result = self.succeed("dedup", "-", "-o", "-", "--memory", "64M", input=content)
        self.assertEqual(result.out, b"\n".join([*self.GOOD[:2], b""]))
        self.assert_sums(result, 4, 2, 1, 1)

    def test_cut_off_streams(self):
        many = lines(*({"id": i, "text": f"{FOX} {random.Random(i).random()} {i}" * 3}
                       for i in range(3000))).encode()
        for name in ("in.jsonl.gz", "in.jsonl.zst", "in.jsonl.xz", "in.jsonl.bz2"):
            packed = pack(name, many)
            self.write(name, packed[:len(packed) * 2 // 3])
            result = self.succeed("dedup", name, "-o", "out.jsonl", "-t", "1")
            count = self.read("out.jsonl").count(b"\n")
            self.assertEqual(self.read("out.jsonl"), b"".join(many.splitlines(True)[:count]))
            self.assert_sums(result, count + 1, count, 0, 1)
            place = f"{name}:{count + 1}" if count else name
            self.assertIn(f"skipped {place}: ", result.messages)
            self.fail_with_summary(3, "dedup", name, "-o", "out.jsonl", "--strict")

    def test_missing_path(self):
        self.write("in.jsonl", self.GOOD[0])
        result = self.succeed("dedup", "in.jsonl", "nowhere.jsonl", "-o", "out.jsonl")
        self.assert_sums(result, 2, 1, 0, 1)
        self.fail_with(2, "dedup", "nowhere.jsonl", "-o", "none.jsonl",
                       says=["nowhere.jsonl", "no document"])
        self.assertNotIn("none.jsonl", self.entries())

    def test_unreadable_texts(self):
        self.write("docs/a", FOX)
        self.write("docs/b", b"\0\1\2" * 100)
        result = self.succeed("dedup", "docs", "-o", "out")
        self.assert_sums(result, 2, 1, 0, 1)
        self.assertEqual(self.entries("out"), ["a"])

    def test_many_duplicate_ids(self):
        """They are named, but not all of them."""
        self.write("in.jsonl", lines(*({"id": i % 3, "text": f"{FOX} {i}"} for i in range(60))))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", "1")
        self.assert_sums(result, 60, 3, 0, 57)
        self.assertLess(len(result.messages.splitlines()), 15)


class Report(Dedup):
    def setUp(self):
        super().setUp()
        self.records = write_records(random.Random(7), 300)
        self.write("in.jsonl", lines(*self.records) + "nonsense\n")

    def report(self, *arguments):
        result = self.succeed(*arguments, "--report", "report.json")
        return json.loads(self.read("report.json")), result

    def test_dedup(self):
        report, result = self.report("dedup", "in.jsonl", "-o", "out.jsonl", "-j", "2")
        self.assertEqual(report["command"], "dedup")
        self.assertEqual(report["parameters"]["threshold"], 0.8)
        self.assertEqual((report["records"], report["documents"]), (301, 300))
        self.assertEqual(report["bytes"], len(self.read("in.jsonl")))
        self.assertEqual([skip["path"] for skip in report["skipped"]], ["in.jsonl:301"])
        cleaned = report["cleaned"]
        self.assert_sums(result, *(cleaned[name] for name in ("read", "kept", "removed",
                                                              "skipped")))
        self.assertEqual(report["threads"], 2)
        self.assertGreater(report["peak_memory_bytes"], 1 << 20)
        stages = {stage["name"]: stage for stage in report["stages"]}
        self.assertTrue({"read", "cluster", "decide", "write"} <= set(stages))
        self.assertEqual(stages["read"]["bytes"], report["bytes"])
        self.assertEqual(stages["write"]["bytes"], len(self.read("out.jsonl")))
        self.assertIsNone(report["sample"])

    def test_clusters(self):
        report, _ = self.report("scan", "in.jsonl", "-t", "0.5", "-o", "out")
        result = self.succeed("in.jsonl", "-t", "0.5", "--format", "json").json
        self.assertEqual(report["command"], "scan")
        self.assertEqual(report["pairs"], len(result["pairs"]))
        self.assertEqual(report["clusters"], len(result["clusters"]))
        sizes = [cluster["size"] for cluster in result["clusters"]]
        self.assertEqual(report["cluster_sizes"], [
            {"from": low, "to": high, "clusters": len(inside), "documents": sum(inside)}
            for low, high in ((2, 2), (3, 4), (5, 8), (9, 16), (17, 32))
            if (inside := [size for size in sizes if low <= size <= high])])
        first = result["clusters"][0]
        self.assertEqual(report["largest_cluster"], {
            name: first[name] for name in ("id", "size", "representative", "min_similarity")})

    def test_sample(self):
        """A sample of all documents finds what an exact scan finds."""
        def pairs(*arguments):
            found = self.succeed("in.jsonl", "-t", "0.5", *arguments, "--format", "jsonl").text
            texts = {record["id"]: record["text"].lower() for record in self.records}
            found = [json.loads(line) for line in found.splitlines()]
            return {frozenset((texts[pair["a"]], texts[pair["b"]])) for pair in found
                    if texts[pair["a"]] != texts[pair["b"]]}

        poor = ["--method", "lsh", "--bands", "6", "--rows", "4"]
        everything, found = pairs("--method", "exact"), pairs(*poor)
        self.assertTrue(0 < len(found) < len(everything))
        for options in ([], ["-j", "1"]):
            report, result = self.report("in.jsonl", "-t", "0.5", *poor, "--sample", "1000",
                                         "-o", "out", *options)
            originals = len({record["text"].lower() for record in self.records})
            self.assertEqual(report["sample"], {
                "documents": originals, "pairs": len(everything), "found": len(found),
                "recall": len(found) / len(everything)})
            self.assert_says(result, f"found {len(found)}")
        report, _ = self.report("in.jsonl", "-t", "0.5", "--method", "exact", "--sample", "20",
                                "-o", "out")
        self.assertEqual((report["sample"]["documents"], report["sample"]["recall"]), (20, 1.0))
        self.write("in.jsonl.gz", gzip.compress(self.read("in.jsonl")))
        once, _ = self.report("in.jsonl", "-t", "0.5", *poor, "--sample", "50", "-o", "out")
        again, _ = self.report("in.jsonl.gz", "-t", "0.5", *poor, "--sample", "50", "-o", "out")
        self.assertEqual(once["sample"], again["sample"])

    def test_sample_of_bags(self):
        records = [{"id": i, "text": "abc " * (20 + i) + f"tail {i // 5} " * 3} for i in range(30)]
        self.write("in.jsonl", lines(*records))
        options = ["in.jsonl", "--bag", "-t", "0.5", "-o", "out"]
        exact, _ = self.report(*options, "--method", "exact")
        report, _ = self.report(*options, "--method", "lsh", "--sample", "100")
        self.assertEqual(report["sample"]["documents"], 30)
        self.assertEqual(report["sample"]["pairs"], exact["pairs"])

    def test_sample_of_another_measure(self):
        self.fail_with(2, "in.jsonl", "--measure", "containment", "--sample", "5",
                       says=["--sample", "jaccard"])


if __name__ == "__main__":
    unittest.main()
