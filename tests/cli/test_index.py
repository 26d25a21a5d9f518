"""index: documents are added, found, removed and kept, and a query gives the result of a scan."""
import json
import os
import random
import re
import unittest

from command import SANITIZED, TWINSET
from indexing import Index, WORDS, families

DOCUMENTS = 120 if SANITIZED else 1000


class Equality(Index):
    """A query gives the bytes that scan --like gives."""

    def compare(self, records, queries, *options):
        self.write_records("all.jsonl", records)
        for number, query in enumerate(queries):
            self.write("query.txt", query["text"])
            for form in ("jsonl", "csv", "table") if number == 0 else ("jsonl",):
                arguments = ["--format", form, *options]
                asked = self.succeed("index", "query", "i.twx", "query.txt", *arguments)
                scanned = self.succeed("scan", "all.jsonl", "--like", "query.txt", *arguments)
                self.assertEqual(asked.text, scanned.text)

    def test_before_and_after_removal(self):
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        records = families(rng, DOCUMENTS)
        queries = rng.sample(records, 6)
        with self.subTest(seed=seed):
            self.write_records("all.jsonl", records)
            self.assertEqual(self.add("i.twx", "all.jsonl"),
                             f"added {len(records)}, known 0, skipped 0")
            self.compare(records, queries)
            self.compare(records, queries[:2], "-t", "0.2")
            self.compare(records, queries, "--method", "lsh", "-n", "288", "--bands", "72",
                         "--rows", "4")
            gone = rng.sample(records, len(records) // 2)
            ids = [str(record["id"]) for record in gone]
            removed = self.succeed("index", "remove", "i.twx", *ids, "nobody")
            self.assertEqual(removed.text, f"removed {len(ids)}, unknown 1\n")
            self.verify("i.twx", len(records) - len(gone))
            left = [record for record in records if record not in gone]
            self.compare(left, queries)
            rng.shuffle(gone)
            for quarter in range(4):
                self.write_records("part.jsonl", gone[quarter::4])
                self.add("i.twx", "part.jsonl")
            self.verify("i.twx", len(records))
            self.compare(records, queries)
            self.compare(records, queries[:3], "--method", "lsh", "-n", "288", "--bands", "72",
                         "--rows", "4")

    def test_many_at_once(self):
        rng = random.Random(5)
        records = families(rng, 200)
        self.write_records("all.jsonl", records[:150])
        self.write_records("new.jsonl", records[150:])
        self.add("i.twx", "all.jsonl")
        for options in ([], ["--group", "author"]):
            asked = self.succeed("index", "query", "i.twx", "new.jsonl", "--format", "jsonl",
                                 "-t", "0.3", *options)
            scanned = self.succeed("scan", "all.jsonl", "--like", "new.jsonl", "--format", "jsonl",
                                   "-t", "0.3", *options)
            if not options:
                self.assertEqual(asked.text, scanned.text)
            self.assertIn('"similarity": ', asked.text)

    def test_by_bands(self):
        """In an index too large to compare every document, bands find the same pairs."""
        rng = random.Random(11)
        records = families(rng, 400)
        filler = [{"id": f"f{i}", "text": " ".join(rng.choice(WORDS) for _ in range(40000))}
                  for i in range(22)]
        records += filler
        self.write_records("all.jsonl", records)
        self.add("i.twx", "all.jsonl")
        queries = rng.sample(records[:400], 5)
        self.compare(records, queries, "-t", "0.7")

    def test_programs(self):
        path = os.path.join(os.path.dirname(TWINSET), "../../samples/programs")
        self.add("p.twx", path, "--by", "code")
        program = sorted(name for name in os.listdir(path) if name.endswith(".py"))
        if not program:
            self.skipTest("the samples have no Python programs")
        like = os.path.join(path, program[0])
        options = ["--format", "jsonl", "-t", "0.2", "--group", "none"]
        asked = self.succeed("index", "query", "p.twx", like, *options)
        scanned = self.succeed("scan", path, "--like", like, "--by", "code", *options)
        self.assertEqual(asked.text, scanned.text)


class Adding(Index):
    def setUp(self):
        super().setUp()
        self.records = families(random.Random(3), 60)
        self.write_records("a.jsonl", self.records)

    def test_twice_changes_nothing(self):
        self.assertEqual(self.add("i.twx", "a.jsonl"), "added 60, known 0, skipped 0")
        before = self.read("i.twx")
        self.assertEqual(self.add("i.twx", "a.jsonl"), "added 0, known 60, skipped 0")
        self.assertEqual(self.read("i.twx"), before)
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if "i.twx" in name),
                         ["i.twx"])

    def test_a_long_addition_ends_in_one_run(self):
        """With little memory it takes many batches, which are merged at its end."""
        self.write_records("all.jsonl", families(random.Random(5), 1500))
        self.assertEqual(self.add("long.twx", "all.jsonl", "--memory", "1M"),
                         "added 1500, known 0, skipped 0")
        self.add("short.twx", "all.jsonl")
        said = self.succeed("index", "stat", "long.twx").text
        self.assertGreater(int(re.search(r"batches +(\d+)", said)[1]), 10)
        self.assertRegex(said, r"runs +1\n")
        self.verify("long.twx", 1500)
        question = ["a.jsonl", "--method", "lsh", "--format", "jsonl"]
        self.assertEqual(self.succeed("index", "query", "long.twx", *question).out,
                         self.succeed("index", "query", "short.twx", *question).out)

    def test_another_text_by_a_known_id(self):
        self.add("i.twx", "a.jsonl")
        self.write_records("b.jsonl", [{"id": "r00001", "text": "something else altogether"}])
        result = self.succeed("index", "add", "i.twx", "b.jsonl")
        self.assertEqual(result.text, "added 0, known 0, skipped 1\n")
        self.assertIn("r00001: the index has another text by this id", result.messages)

    def test_other_options_are_an_error(self):
        self.add("i.twx", "a.jsonl", "-k", "5", "--case", "keep")
        for options in (["-k", "7"], ["--by", "word"], ["--seed", "4"]):
            result = self.run_command("index", "query", "i.twx", "a.jsonl", *options)
            self.assertEqual(result.status, 2)
            self.assertIn("i.twx was made with", result.messages)
        self.succeed("index", "query", "i.twx", "a.jsonl", "-k", "5")

    def test_find_and_clusters(self):
        self.write_records("old.jsonl", self.records[:30])
        self.write_records("new.jsonl", self.records[30:])
        self.add("i.twx", "old.jsonl")
        found = self.succeed("index", "add", "i.twx", "new.jsonl", "--find", "--format", "jsonl")
        scanned = self.succeed("scan", "old.jsonl", "--like", "new.jsonl", "--format", "jsonl")
        self.assertEqual(found.text, scanned.text)
        self.assertTrue(found.messages.endswith("added 30, known 0, skipped 0\n"))
        members = {pair[side] for pair in map(json.loads, found.text.splitlines())
                   for side in "ab"}
        stat = self.succeed("index", "stat", "i.twx").text
        self.assertIn(f"clustered    {len(members)}\n", stat)

    def test_without_texts(self):
        self.add("n.twx", "a.jsonl", "--no-text")
        self.write("q.txt", self.records[1]["text"])
        asked = self.succeed("index", "query", "n.twx", "q.txt", "--format", "jsonl", "-t", "0.3")
        self.assertIn("every figure is an estimate", asked.messages)
        rows = [json.loads(line) for line in asked.text.splitlines()]
        self.assertEqual(rows[0]["similarity"], 1)
        self.assertEqual(rows, sorted(rows, key=lambda row: -row["similarity"]))
        self.assertNotIn(self.records[1]["text"][:30].encode(), self.read("n.twx"))
        self.succeed("index", "remove", "n.twx", "r00001")
        self.verify("n.twx", 59)

    def test_not_an_index(self):
        self.write("no.twx", "this is a text\n" * 100)
        for action in (["query", "no.twx", "a.jsonl"], ["verify", "no.twx"],
                       ["add", "no.twx", "a.jsonl"]):
            result = self.run_command("index", *action)
            self.assertEqual(result.status, 2)
            self.assertIn("not an index of twinset", result.messages)

    def test_a_failure_leaves_no_new_index(self):
        for arguments in (["index", "add", "new.twx", "nowhere"],
                          ["index", "add", "new.twx", "a.jsonl", "--old", "nowhere"],
                          ["index", "add", "new.twx", "nowhere", "--find"],
                          ["dedup", "nowhere", "-o", "out.jsonl", "--index", "new.twx"],
                          ["dedup", "a.jsonl", "-o", "a.jsonl", "--index", "new.twx"]):
            self.assertEqual(self.run_command(*arguments).status, 2, arguments)
            self.assertEqual(os.listdir(self.folder), ["a.jsonl"], arguments)
        self.add("old.twx", "a.jsonl")
        self.assertEqual(self.run_command("index", "add", "old.twx", "nowhere").status, 2)
        self.verify("old.twx", 60)

    def test_usage(self):
        for arguments in (["index"], ["index", "frob", "i.twx"], ["index", "add", "i.twx"],
                          ["index", "backup", "i.twx"], ["index", "remove", "i.twx"]):
            self.assertEqual(self.run_command(*arguments).status, 2)


class Removing(Index):
    SECRET = "Zanzibarquixotic"

    def files(self):
        return b"".join(self.read(name) for name in os.listdir(self.folder) if "i.twx" in name)

    def test_removed_texts_are_not_in_the_file(self):
        rng = random.Random(9)
        noise = bytes(rng.randrange(33, 126) for _ in range(3000)).decode().replace('"', "q")
        records = families(rng, 50)
        records.append({"id": f"{self.SECRET}-id", "text": f"{noise} {self.SECRET} {noise[::-1]}"})
        self.write_records("a.jsonl", records)
        self.add("i.twx", "a.jsonl")
        self.assertIn(self.SECRET.encode(), self.files())
        self.succeed("index", "remove", "i.twx", f"{self.SECRET}-id")
        self.assertNotIn(self.SECRET.encode(), self.files())
        self.assertNotIn(noise[:40].encode(), self.files())
        self.verify("i.twx", 50)

    def test_by_pattern(self):
        self.write_records("a.jsonl", [{"id": f"{year}/{i}", "text": f"text {i} of {year} " * 5}
                                       for year in (2023, 2024) for i in range(5)])
        self.add("i.twx", "a.jsonl")
        removed = self.succeed("index", "remove", "i.twx", "--match", "2023/*")
        self.assertEqual(removed.text, "removed 5, unknown 0\n")
        self.verify("i.twx", 5)


class Copies(Index):
    def setUp(self):
        super().setUp()
        self.records = families(random.Random(21), 80)
        self.write_records("a.jsonl", self.records[:50])
        self.write_records("b.jsonl", self.records[40:])
        self.add("a.twx", "a.jsonl")
        self.add("b.twx", "b.jsonl")

    def query(self, index):
        self.write("q.txt", self.records[45]["text"])
        return self.succeed("index", "query", index, "q.txt", "--format", "jsonl").text

    def test_backup(self):
        self.succeed("index", "backup", "a.twx", "copy.twx")
        self.verify("copy.twx", 50)
        self.assertEqual(self.query("copy.twx"), self.query("a.twx"))
        self.assertEqual(self.run_command("index", "backup", "a.twx", "copy.twx").status, 2)

    def test_merge_dump_optimize(self):
        merged = self.succeed("index", "merge", "a.twx", "b.twx")
        self.assertEqual(merged.text, "added 30, known 10, skipped 0\n")
        self.verify("a.twx", 80)
        dumped = self.succeed("index", "dump", "a.twx").text
        self.write("dump.jsonl", dumped)
        self.add("c.twx", "dump.jsonl")
        self.assertEqual(self.query("c.twx"), self.query("a.twx"))
        self.succeed("index", "optimize", "a.twx")
        self.assertIn("runs         1\n", self.succeed("index", "stat", "a.twx").text)
        self.verify("a.twx", 80)
        self.assertEqual(self.query("c.twx"), self.query("a.twx"))
        rows = self.succeed("index", "export", "a.twx", "bands").text.splitlines()
        self.assertEqual(len(rows), 80 * 72)
        self.assertEqual(len(self.succeed("index", "export", "a.twx", "documents").text
                             .splitlines()), 80)


class Passages(Index):
    def write_essays(self):
        """Writes essays; e07 shares a passage with q.txt. Returns the passage."""
        rng = random.Random(12)

        def words(count):
            return " ".join(rng.choice(WORDS) + rng.choice(WORDS) for _ in range(count)) + ". "

        shared = words(60)
        records = [{"id": f"e{i:02}", "text": words(400) + shared * (i == 7) + words(300)}
                   for i in range(30)]
        self.write_records("all.jsonl", records)
        self.write("q.txt", words(300) + shared + words(300))
        return shared

    def test_texts_that_share_only_a_passage(self):
        """Texts that share no more than a passage are found, and listed, as scan lists them."""
        shared = self.write_essays()
        self.add("i.twx", "all.jsonl")
        self.assertEqual(self.succeed("index", "query", "i.twx", "q.txt", "--format", "jsonl").text,
                         "")
        for form in ("jsonl", "csv", "table"):
            arguments = ["--min-passage", "20", "--format", form]
            asked = self.succeed("index", "query", "i.twx", "q.txt", *arguments)
            scanned = self.succeed("scan", "all.jsonl", "--like", "q.txt", *arguments)
            self.assertEqual(asked.text, scanned.text)
            self.assertIn("e07", asked.text)
        self.write_records("new.jsonl", [{"id": "new", "text": self.read("q.txt").decode()}])
        self.succeed("dedup", "new.jsonl", "--index", "i.twx", "--min-passage", "20", "-o",
                     "fresh.jsonl")
        self.assertNotIn(shared.strip(), self.objects("fresh.jsonl")[0]["text"])

    def test_fingerprints(self):
        """An index that was created with --min-passage finds a passage without reading all texts,
        and chance is estimated from a sample of it."""
        shared = self.write_essays()
        self.add("i.twx", "all.jsonl", "--min-passage", "20")
        self.assertIn("by fingerprints", self.succeed("index", "stat", "i.twx").text)
        arguments = ["--min-passage", "20", "--method", "lsh", "--format", "jsonl"]
        asked = json.loads(self.succeed("index", "query", "i.twx", "q.txt", *arguments).text)
        scanned = json.loads(self.succeed("scan", "all.jsonl", "--like", "q.txt", *arguments).text)
        self.assertEqual(asked["a"], "e07")
        self.assertLess(asked.pop("false_alarms"), 1e-50)
        self.assertLess(scanned.pop("false_alarms"), 1e-50)
        self.assertEqual(asked, scanned)
        self.write_records("new.jsonl", [{"id": "new", "text": self.read("q.txt").decode()}])
        self.succeed("dedup", "new.jsonl", "--index", "i.twx", "--min-passage", "20", "-o",
                     "fresh.jsonl")
        self.assertNotIn(shared.strip(), self.objects("fresh.jsonl")[0]["text"])
        self.succeed("index", "remove", "i.twx", "e07", "new")
        self.assertEqual(self.succeed("index", "query", "i.twx", "q.txt", *arguments).text, "")
        self.verify("i.twx", 29)

    def test_an_index_without_fingerprints(self):
        self.write_essays()
        self.add("i.twx", "all.jsonl")
        self.assertIn("by reading all texts", self.succeed("index", "stat", "i.twx").text)
        self.fail_with(2, "index", "add", "i.twx", "q.txt", "--min-passage", "20",
                       says=("it was not created with --min-passage",))
        self.fail_with(2, "index", "add", "n.twx", "q.txt", "--min-passage", "20", "--no-text",
                       says=("an index without texts has no passages",))


class Metadata(Index):
    RECORD = ('{"url": "u1", "id": 7, "text": "A bridge is never done.", "author": "Zoë", '
              '"big": 123456789012345678901234567890, "more": {"n": [1, 2.5, null]}}')

    def test_fields_of_records_are_returned(self):
        """Other fields of a record are returned unchanged."""
        self.write("a.jsonl", self.RECORD + "\n" + '{"id": "plain", "text": "Nothing else."}\n')
        self.add("i.twx", "a.jsonl")
        dumped = self.succeed("index", "dump", "i.twx").text
        first, second = map(json.loads, dumped.splitlines())
        self.assertEqual(first, json.loads(self.RECORD))
        self.assertEqual(second, {"id": "plain", "text": "Nothing else."})
        self.write("d.jsonl", dumped)
        self.add("j.twx", "d.jsonl")
        self.assertEqual(self.succeed("index", "dump", "j.twx").text, dumped)

    def test_quotes_and_backslashes(self):
        values = ["", "\\", '"', '\\"', '\\\\"', '"\\', 'a "b" \\', '", "id": "c', '\\\\', '"""']
        record = {"id": "a", "text": 'A "bridge" \\'}
        record |= {f'{value}{number}': value for number, value in enumerate(values)}
        self.write("a.jsonl", json.dumps(record) + "\n")
        self.add("i.twx", "a.jsonl")
        self.assertEqual(json.loads(self.succeed("index", "dump", "i.twx").text), record)

    def test_text_below_another_field(self):
        self.write("a.jsonl", '\ufeff{"url": "u", "body": {"text": "A bridge.", "html": "}{"} '
                              ', "n" : [1, "]\\\\"] }\n')
        self.add("i.twx", "a.jsonl", "--id", "url", "--text", "body.text")
        self.assertEqual(json.loads(self.succeed("index", "dump", "i.twx").text),
                         {"id": "u", "text": "A bridge.", "n": [1, "]\\"]})

    def test_patterns(self):
        """A pattern of many stars takes time in proportion to its length and the length of the
        id."""
        self.write_records("a.jsonl", [{"id": "a" * 200 + "b", "text": "A bridge."},
                                       {"id": "c.txt", "text": "Another."}])
        self.add("i.twx", "a.jsonl")
        stars = self.succeed("index", "dump", "i.twx", "--match", "*a" * 40 + "c")
        self.assertEqual(stars.text, "")
        for pattern, count in (("*", 2), ("a*b", 1), ("?.tx?", 1), ("*.*", 1), ("c", 0)):
            found = self.succeed("index", "dump", "i.twx", "--match", pattern).text
            self.assertEqual(len(found.splitlines()), count, pattern)

    def test_other_formats_are_refused(self):
        """Rows are JSON lines, whatever the name of the output says."""
        self.write("a.jsonl", self.RECORD + "\n")
        self.add("i.twx", "a.jsonl")
        for action in (["dump", "i.twx"], ["export", "i.twx", "bands"]):
            for options in (["-o", "x.json"], ["-o", "x.csv"], ["--format", "json"]):
                result = self.run_command("index", *action, *options)
                self.assertEqual((result.status, os.path.exists(self.path(options[1]))), (2, False))
                self.assertIn("JSON lines (.jsonl)", result.messages)
            self.succeed("index", *action, "-o", "x.jsonl")

    def test_parquet(self):
        """There are two tables between the magic words; python/tests/test_postgres.py reads
        them."""
        self.write("a.jsonl", self.RECORD + "\n")
        self.add("i.twx", "a.jsonl")
        for table in ("documents", "bands"):
            self.succeed("index", "export", "i.twx", table, "-o", f"{table}.parquet")
            written = self.read(f"{table}.parquet")
            self.assertEqual((written[:4], written[-4:]), (b"PAR1", b"PAR1"))
            self.succeed("index", "export", "i.twx", table, "--format", "parquet", "-o", "again")
            self.assertEqual(self.read("again"), written)
        self.fail_with(2, "index", "dump", "i.twx", "--format", "parquet", says="is for export")
        self.fail_with(2, "index", "export", "i.twx", "bands", "--format", "csv",
                       says="jsonl and parquet")
        self.fail_with(2, "index", "export", "i.twx", "keys", says="documents or bands")


class Cleaning(Index):
    def test_dedup_against_everything_before(self):
        records = families(random.Random(2), 90)
        seen, total = [], 0
        for crawl in range(3):
            batch = records[crawl * 30:crawl * 30 + 30] + records[:3]
            self.write_records("crawl.jsonl", [dict(record, id=f"{crawl}-{record['id']}")
                                               for record in batch])
            self.write_records("seen.jsonl", seen)
            by_index = self.succeed("dedup", "crawl.jsonl", "--index", "seen.twx", "-t", "0.8",
                                    "-o", "fresh.jsonl")
            if seen:
                self.succeed("dedup", "crawl.jsonl", "--old", "seen.jsonl", "-t", "0.8",
                             "-o", "expected.jsonl")
                self.assertEqual(self.read("fresh.jsonl"), self.read("expected.jsonl"))
            fresh = self.objects("fresh.jsonl")
            self.assertIn(f"kept {len(fresh)}", by_index.messages)
            seen += fresh
            self.verify("seen.twx", len(seen))
        self.assertLess(len(seen), 99)


class SameNames(Index):
    """Documents of this year have the names of last year's, and other texts."""

    def setUp(self):
        super().setUp()
        self.texts = [" ".join(random.Random(seed).choices(WORDS, k=100)) for seed in range(3)]
        self.write_records("old.jsonl", [{"id": "ada", "text": self.texts[0]},
                                         {"id": "ben", "text": self.texts[1]}])
        self.write_records("new.jsonl", [{"id": "ada", "text": self.texts[2]},
                                         {"id": "ben", "text": self.texts[0]},
                                         {"id": "cem", "text": self.texts[1]}])
        self.pairs = {("ben", "i.twx#ada"), ("cem", "i.twx#ben")}

    def ask(self, *arguments):
        answer = self.succeed("index", *arguments, "--format", "json").json
        return answer["run"]["documents"], {(pair["a"], pair["b"]) for pair in answer["pairs"]}

    def test_other_texts_by_known_ids_are_compared(self):
        self.add("i.twx", "old.jsonl")
        self.assertEqual(self.ask("query", "i.twx", "new.jsonl"), (5, self.pairs))
        self.assertEqual(self.ask("query", "i.twx", "old.jsonl"), (2, set()))

    def test_without_texts(self):
        self.add("i.twx", "old.jsonl", "--no-text")
        self.assertEqual(self.ask("query", "i.twx", "new.jsonl")[1], self.pairs)
        self.assertEqual(self.ask("query", "i.twx", "old.jsonl")[1], set())

    def test_only_what_was_added_joins_clusters(self):
        """The new ada and ben are not added: the index has other texts by these ids."""
        self.add("i.twx", "old.jsonl")
        self.assertEqual(self.ask("add", "i.twx", "new.jsonl", "--find")[1], self.pairs)
        self.assertIn("clustered    2\n", self.succeed("index", "stat", "i.twx").text)
        self.write_records("more.jsonl", [{"id": "ben", "text": self.texts[2]},
                                          {"id": "dan", "text": self.texts[2]}])
        self.assertEqual(self.ask("add", "i.twx", "more.jsonl", "--find")[1], {("ben", "dan")})
        self.assertIn("clustered    2\n", self.succeed("index", "stat", "i.twx").text)


class Skips(Index):
    def test_what_cannot_be_asked_about_is_listed(self):
        """A result lists it, as that of a scan does."""
        text = " ".join(random.Random(5).choices(WORDS, k=50))
        self.write_records("old.jsonl", [{"id": 1, "text": text}])
        self.write_records("new.jsonl", [{"id": 2, "text": text}, {"id": 3, "text": ""}])
        listed = [{"path": "new.jsonl:2", "reason": "empty"}]
        scanned = self.succeed("scan", "old.jsonl", "--like", "new.jsonl")
        for options in ([], ["--no-text"]):
            self.add("i.twx", "old.jsonl", *options)
            asked = self.succeed("index", "query", "i.twx", "new.jsonl", "--format", "json")
            self.assertEqual(asked.json["run"]["skipped"], listed, options)
            if not options:
                asked = self.succeed("index", "query", "i.twx", "new.jsonl")
                self.assertEqual(asked.text, scanned.text)
            os.remove(self.path("i.twx"))


class School(Index):
    def test_three_years(self):
        """This year's work is compared with three years in one command, but not with own earlier
        work."""
        rng = random.Random(8)

        def essay():
            return " ".join(rng.choice(WORDS) for _ in range(150))

        old = essay()
        years = {year: [{"id": f"{year}-{name}", "author": name, "text": essay()}
                        for name in ("anna", "ben", "carla")] for year in (2022, 2023, 2024)}
        years[2023][1]["text"] = old
        for year, work in years.items():
            self.write_records(f"{year}.jsonl", work)
            self.add("school.twx", f"{year}.jsonl", "--group", "author")
        self.write_records("2025.jsonl", [
            {"id": "2025-ben", "author": "ben", "text": old},             # his own, again
            {"id": "2025-dora", "author": "dora", "text": old + " and more"},  # his, not hers
            {"id": "2025-emil", "author": "emil", "text": essay()}])
        found = self.succeed("index", "query", "school.twx", "2025.jsonl", "--group", "author",
                             "--format", "jsonl")
        pairs = {(pair["a"], pair["b"]) for pair in map(json.loads, found.text.splitlines())}
        self.assertEqual(pairs, {("2023-ben", "2025-dora"), ("2025-ben", "2025-dora")})


class Groups(Index):
    """They count where they are named both when documents are added and when they are asked
    about; a note says where only one was done."""

    def setUp(self):
        super().setUp()
        text = " ".join(random.Random(5).choices(WORDS, k=50))
        for name, authors in (("old", "ab"), ("new", "a"), ("nobody", " ")):
            self.write_records(f"{name}.jsonl", [{"id": f"{name}-{author}", "text": text,
                                                  **({"author": author} if author != " " else {})}
                                                 for author in authors])

    def ask(self, question, *options):
        asked = self.succeed("index", "query", "i.twx", question, "--format", "json", *options)
        pairs = {(pair["a"], pair["b"]) for pair in asked.json["pairs"]}
        return pairs, [line for line in asked.messages.splitlines() if "group" in line]

    def test_added_with_groups(self):
        self.add("i.twx", "old.jsonl", "--group", "author")
        both = {("new-a", "old-a"), ("new-a", "old-b")}
        self.assertEqual(self.ask("new.jsonl", "--group", "author"), ({("new-a", "old-b")}, []))
        self.assertEqual(self.ask("new.jsonl", "--group", "none"), (both, []))
        pairs, notes = self.ask("new.jsonl")
        self.assertEqual(pairs, both)
        self.assertEqual(notes, ["twinset: documents of i.twx have groups, and those that are "
                                 "asked about have none, so that nothing is left out; --group "
                                 "names theirs"])
        pairs, notes = self.ask("new.jsonl", "--group", "writer")
        self.assertEqual(pairs, both)
        self.assertEqual(notes, ["twinset: --group writer: no document has such a field or column"])

    def test_added_without(self):
        self.add("i.twx", "old.jsonl")
        self.assertEqual(self.ask("new.jsonl")[1], [])
        pairs, notes = self.ask("new.jsonl", "--group", "author")
        self.assertEqual(pairs, {("new-a", "old-a"), ("new-a", "old-b")})
        self.assertEqual(notes, ["twinset: --group author: the documents of i.twx that were "
                                 "compared have no groups, so that it left nothing out; it counts "
                                 "when they are added"])

    def test_added_both_with_and_without(self):
        self.add("i.twx", "old.jsonl", "--group", "author")
        self.add("i.twx", "nobody.jsonl")
        self.assertEqual(self.ask("new.jsonl", "--group", "author")[1],
                         ["twinset: --group author: some documents of i.twx that were compared "
                          "have no group; it counts when they are added"])

    def test_without_texts(self):
        self.add("i.twx", "old.jsonl", "--group", "author", "--no-text")
        self.assertEqual(self.ask("new.jsonl", "--group", "author"), ({("new-a", "old-b")}, []))
        self.assertEqual(len(self.ask("new.jsonl")[1]), 1)

    def test_a_field_that_no_document_has_is_refused(self):
        """It would be too late to notice when the index is asked."""
        result = self.run_command("index", "add", "i.twx", "nobody.jsonl", "--group", "author")
        self.assertEqual(result.status, 2)
        self.assertIn("--group author: no document has such a field or column; nothing was added",
                      result.messages)
        self.assertFalse(os.path.exists(self.path("i.twx")))


if __name__ == "__main__":
    unittest.main()
