"""dedup: which records are kept and why, bad records, and that no record is lost."""
import gzip
import itertools
import json
import os
import random
import unittest

import oracle
from cleaning import FOX, TEXTS, Dedup, Records, lines, pack, write_records
from command import SANITIZED

SEEDS = range(4 if SANITIZED else 12)


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

    def test_decisions_are_those_of_the_oracle(self):
        for seed, keep in itertools.product(SEEDS, ["first", "longest", "n", "newest"]):
            threshold = random.Random(seed).choice([0.4, 0.6, 0.8])
            with self.subTest(seed=seed, keep=keep, threshold=threshold):
                self.check(seed, keep, threshold, "--method", "exact", "-j", str(seed % 3 + 1))

    def test_decisions_with_an_archive_are_those_of_the_oracle(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed, random.Random(seed).choice(["first", "longest", "n"]), 0.5, old=12)

    def test_few_bands_find_all_pairs(self):
        """A few bands of a few rows find all pairs of this collection."""
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed, "first", 0.6, "--method", "lsh", "--bands", "128", "--rows", "2")

    def test_documents_of_large_buckets_are_compared_again(self):
        """Documents that were compared with only a few others are compared again."""
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

    def test_only_what_resembles_a_kept_record_is_removed(self):
        """b is removed for a; c, which resembles only b, is kept."""
        text = "abcdefghijklmnopqrstuvwxyz0123456789"
        self.write("in.jsonl", lines(*({"id": n, "text": text[i:i + 24]}
                                       for n, i in (("a", 0), ("b", 4), ("c", 8)))))
        for keep, threshold, kept in (("first", "0.5", "ac"), ("first", "0.3", "a")):
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", threshold, "--keep", keep)
            self.assertEqual("".join(record["id"] for record in self.objects("out.jsonl")), kept)

    def test_the_newest_record_is_kept(self):
        a, b = ({"id": n, "text": FOX} for n in "ab")
        for fields, kept in (({"date": ["2024-01-01", "2024-01-02"]}, "b"),
                             ({"created_at": [5, 3], "modified": [1, 2]}, "a"),
                             ({"timestamp": [1e9, "2024"]}, "b"),
                             ({"time": [7, None]}, "a")):
            self.write("in.jsonl", lines(*({**record, **{key: values[i]
                                                      for key, values in fields.items()}}
                                           for i, record in enumerate((a, b)))))
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", "newest")
            self.assertEqual([record["id"] for record in self.objects("out.jsonl")], [kept], fields)
        self.write("in.jsonl", lines(a, b))
        self.fail_with(2, "dedup", "in.jsonl", "-o", "new", "--keep", "newest",
                       says=["newest", "--keep FIELD"])

    def test_a_field_that_no_record_has_keeps_the_first(self):
        """A missing field has the smallest value: the first record is kept, and a note says so."""
        self.write("in.jsonl", lines(*({"id": i, "text": FOX} for i in range(3))))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", "lenght")
        self.assertEqual([record["id"] for record in self.objects("out.jsonl")], [0])
        self.assertIn("--keep lenght: no similar record has that field", result.messages)
        self.assertEqual(self.entries(), ["in.jsonl", "out.jsonl"])

    def test_the_newest_file_is_kept(self):
        for i, name in enumerate("abc"):
            self.write(f"docs/{name}", FOX)
            os.utime(self.path("docs", name), (0, 10**9 + i % 2))
        self.succeed("dedup", "docs", "-o", "out", "--keep", "newest")
        self.assertEqual(self.entries("out"), ["b"])

    def test_fields_may_be_nested(self):
        self.write("in.jsonl", lines(*({"id": i, "text": FOX, "meta": {"score": i % 3}}
                                       for i in range(5))))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", "meta.score")
        self.assertEqual([record["id"] for record in self.objects("out.jsonl")], [2])

    def test_values_of_packed_files_and_pipes_decide(self):
        records = [{"id": str(i), "text": TEXTS[i % 3], "n": i} for i in range(9)]
        self.write("in.jsonl.gz", gzip.compress(lines(*records).encode()))
        self.succeed("dedup", "in.jsonl.gz", "-o", "out.jsonl", "--keep", "n")
        expected = lines(records[7], records[8])
        self.assertEqual(self.read("out.jsonl").decode(), expected)
        given = lines(*records).encode()
        result = self.succeed("dedup", "-", "-o", "-", "--keep", "n", input=given)
        self.assertEqual(result.text, expected)


class ManyOfAKind(Dedup):
    def test_a_note_counts_what_was_not_compared(self):
        """In a chain, each document resembles only the next two: every third is kept."""
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


class Usage(Dedup):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", lines({"id": "a", "text": FOX}, {"id": "b", "text": TEXTS[1]}))

    def test_unusable_options_are_refused(self):
        for arguments, says in (([], "-o"), (["-o", ""], "--output"), (["-o", "x", "--keep", ""],
                                "--keep"), (["-o", "x", "--removed", "x"], "two outputs"),
                                (["-o", "x", "--report", "-"], "--report"),
                                (["-o", "x", "--like", "in.jsonl"], "--like"),
                                (["-o", "x", "--group", "dir"], "--group"),
                                (["-o", "x", "--format", "csv"], "--format"),
                                (["-o", "x", "--fail-above", "1"], "--fail-above")):
            self.fail_with(2, "dedup", "in.jsonl", *arguments, says=says)
        self.fail_with(2, "dedup", "-o", "x", says="nothing to read")
        self.fail_with(2, "dedup", "nowhere.jsonl", "-o", "x", says="No such file")
        self.assertEqual(self.entries(), ["in.jsonl"])

    def test_the_default_threshold_is_80_percent(self):
        """The default threshold is 0.8."""
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
            self.assertEqual((result.err.splitlines()[-1], self.read("y")),
                             (expected.splitlines()[-1], self.read("x")))


class BadRecords(Dedup):
    """Bad records are named by file and line, and counted; all others are processed."""

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
        self.assertEqual([record["id"] for record in self.objects("out.jsonl")],
                         ["good0", "good1", "good2"])
        self.assert_sums(result, 4, 2, 1, 1)

    def fail_with_summary(self, status, *arguments):
        result = self.run_command(*arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.messages.splitlines()[-1], "^read ")

    def test_bad_records_are_named_and_counted(self):
        for bad, reason in ((b"not json", ""), (b'{"text": 7}', "text"),
                            (b'{"text": "cut off', ""), (b"[1]", ""), (b"\0", ""),
                            (b'{"text": "\xff\xfe"}', ""),
                            (b'{"id": "a\\u0000b", "text": "x"}', "NUL"),
                            (self.GOOD[2].replace(b"good2", b"good0"), "duplicate id 'good0'")):
            with self.subTest(bad=bad):
                self.check(bad, reason)
                self.check(bad, reason, name="in.jsonl.gz")

    def test_records_without_text_are_kept_and_named(self):
        """A record whose text is missing or null is named and kept, also by --annotate."""
        for bad in (b'{"id": "x"}', b'{"id": "x", "text": null}'):
            content = b"\n".join([self.GOOD[0], bad, *self.GOOD[1:], b""])
            self.write("in.jsonl", content)
            result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl")
            self.assertEqual(self.read("out.jsonl"),
                             b"\n".join([self.GOOD[0], bad, self.GOOD[1], b""]))
            self.assertIn("twinset: kept in.jsonl:2: ", result.messages)
            self.assert_sums(result, 4, 3, 1, 0)
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--strict", "--annotate")
            marked = self.objects("out.jsonl")
            self.assertEqual([record["id"] for record in marked], ["good0", "x", "good1", "good2"])
            self.assertEqual([record["twinset_keep"] for record in marked],
                             [True, True, True, False])

    def test_texts_of_other_types_are_skipped(self):
        """A null text is kept, and a number as text is skipped; the reasons name the types."""
        bad = [b'{"id": 1, "text": null}', b'{"id": 2, "text": 7}', b'{"id": 3, "text": ["a"]}']
        self.write("in.jsonl", b"\n".join([*self.GOOD, *bad, b""]))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl")
        self.assertEqual(self.read("out.jsonl"), b"\n".join([*self.GOOD[:2], bad[0], b""]))
        for line, verb, kind in ((4, "kept", "null"), (5, "skipped", "a number"),
                                 (6, "skipped", "an array")):
            self.assertIn(f"twinset: {verb} in.jsonl:{line}: field 'text' is {kind}, not a string",
                          result.messages)
        self.assert_sums(result, 6, 3, 1, 2)
        self.write("in.jsonl", b"\n".join([*self.GOOD * 20, *[bad[1]] * 12, b""]))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--id", "none")
        self.assertIn("and 2 more: field is a number (--verbose", result.messages)

    def test_a_run_that_skips_most_replaces_nothing(self):
        """If too many records are skipped, an existing output is not replaced."""
        many = lines(*({"id": i, "text": f"{FOX} {i}"} for i in range(10))).encode()
        torn = b"{not JSON\n" * 11
        self.write("out.jsonl", "as before")
        self.write("removed.jsonl", "as before")
        for name, content, options, says in (
                ("wrong.jsonl", many, ["--text", "body"], "no field 'body'"),
                ("torn.jsonl", many + torn, [], "11 of 21"),
                ("part.jsonl", many + b'{"id": "x"}\n' * 11, [], "11 of 21"),
                ("same.jsonl", many + many + many, [], "20 of 30")):
            self.write(name, content)
            arguments = ["dedup", name, "-o", "out.jsonl", "--removed", "removed.jsonl", *options]
            self.fail_with(2, *arguments, says=says)
            self.assertEqual((self.read("out.jsonl"), self.read("removed.jsonl")),
                             (b"as before", b"as before"))
            self.fail_with(2, name, "-o", "out.jsonl", *options, says=says)
            self.assertEqual(self.read("out.jsonl"), b"as before")
        self.write("half.jsonl", many + torn[:-len(torn) // 11])
        self.succeed("dedup", "half.jsonl", "-o", "half.out")
        self.fail_with(2, "dedup", "half.jsonl", "-o", "out.jsonl", "--max-skipped", "0.49",
                       says="10 of 20")
        self.succeed("dedup", "torn.jsonl", "-o", "out.jsonl", "--max-skipped", "0.6")
        self.fail_with(2, "dedup", "half.jsonl", "-o", "x", "--max-skipped", "2",
                       says="max-skipped")

    def test_a_line_over_the_limit_is_skipped(self):
        bad = b'{"text": "' + b"x" * (5 << 20) + b'"}'
        for name in ("in.jsonl", "in.jsonl.gz"):
            self.check(bad, "too long", "--memory", "64M", name=name)
        content = b"\n".join([self.GOOD[0], bad, *self.GOOD[1:]])
        result = self.succeed("dedup", "-", "-o", "-", "--memory", "64M", input=content)
        self.assertEqual(result.out, b"\n".join([*self.GOOD[:2], b""]))
        self.assert_sums(result, 4, 2, 1, 1)

    def test_truncated_streams_are_named(self):
        many = lines(*({"id": i, "text": f"{FOX} {random.Random(i).random()} {i}" * 3}
                       for i in range(3000))).encode()
        for name in ("in.jsonl.gz", "in.jsonl.zst", "in.jsonl.xz", "in.jsonl.bz2"):
            packed = pack(name, many)
            self.write(name, packed[:len(packed) * 2 // 3])
            if name.endswith(".bz2"):  # its first block is truncated
                self.fail_with(2, "dedup", name, "-o", "new.jsonl", says=[name, "no document"])
                self.assertNotIn("new.jsonl", self.entries())
                continue
            result = self.succeed("dedup", name, "-o", "out.jsonl", "-t", "1")
            count = self.read("out.jsonl").count(b"\n")
            self.assertEqual(self.read("out.jsonl"), b"".join(many.splitlines(True)[:count]))
            self.assert_sums(result, count + 1, count, 0, 1)
            self.assertIn(f"skipped {name}:{count + 1}: ", result.messages)
            self.fail_with_summary(3, "dedup", name, "-o", "out.jsonl", "--strict")

    def test_a_missing_path_is_skipped_and_counted(self):
        self.write("in.jsonl", self.GOOD[0])
        result = self.succeed("dedup", "in.jsonl", "nowhere.jsonl", "-o", "out.jsonl")
        self.assert_sums(result, 2, 1, 0, 1)
        self.fail_with(2, "dedup", "nowhere.jsonl", "-o", "none.jsonl",
                       says=["nowhere.jsonl", "no document"])
        self.assertNotIn("none.jsonl", self.entries())

    def test_unreadable_texts_are_skipped(self):
        self.write("docs/a", FOX)
        self.write("docs/b", b"\0\1\2" * 100)
        result = self.succeed("dedup", "docs", "-o", "out")
        self.assert_sums(result, 2, 1, 0, 1)
        self.assertEqual(self.entries("out"), ["a"])

    def test_many_duplicate_ids_are_not_all_named(self):
        """Not all duplicate ids are named."""
        self.write("in.jsonl", lines(*({"id": i % 3, "text": f"{FOX} {i}"} for i in range(60))))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", "1", "--max-skipped",
                              "1")
        self.assert_sums(result, 60, 3, 0, 57)
        self.assertLess(len(result.messages.splitlines()), 15)


if __name__ == "__main__":
    unittest.main()
