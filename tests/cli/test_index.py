"""index: what is added, found, removed and kept, and that a query says what a scan says."""
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import threading
import time
import unittest

from command import SANITIZED, TWINSET, Case

WORDS = [f"{a}{b}" for a in "ba ce di fo gu ha je ki lo mu na pe ri so tu".split()
         for b in "lan mer nor pil ras sev tim vok wun xir zab".split()]
DOCUMENTS = 120 if SANITIZED else 1000


def families(rng, count):
    """Records in families of similar texts, some identical, some with ids that are numbers."""
    records = []
    while len(records) < count:
        base = [rng.choice(WORDS) for _ in range(rng.randrange(5, 90))]
        for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
            words = [rng.choice(WORDS) if rng.random() < rng.choice([0, 0.02, 0.1]) else word
                     for word in base]
            number = len(records)
            records.append({"id": number if number % 7 == 0 else f"r{number:05}",
                            "text": " ".join(words), "author": f"a{number % 40}"})
    return records[:count]


class Index(Case):
    def write_records(self, name, records):
        self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def objects(self, name):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def add(self, *arguments):
        result = self.succeed("index", "add", *arguments)
        return result.text.splitlines()[-1]

    def verify(self, index, documents):
        self.assertEqual(self.succeed("index", "verify", index).text,
                         f"{documents} documents, nothing wrong\n")


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
            for part in range(4):
                self.write_records("part.jsonl", gone[part::4])
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
        """Above the size up to which every document is compared, bands propose the same."""
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

    def test_usage(self):
        for arguments in (["index"], ["index", "frob", "i.twx"], ["index", "add", "i.twx"],
                          ["index", "backup", "i.twx"], ["index", "remove", "i.twx"]):
            self.assertEqual(self.run_command(*arguments).status, 2)


class Removing(Index):
    SECRET = "Zanzibarquixotic"

    def files(self):
        return b"".join(self.read(name) for name in os.listdir(self.folder) if "i.twx" in name)

    def test_nothing_stays_in_the_bytes(self):
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
    def test_a_passage_alone(self):
        """Texts that share no more than a passage are found, and listed, as scan lists them."""
        rng = random.Random(12)

        def words(count):
            return " ".join(rng.choice(WORDS) + rng.choice(WORDS) for _ in range(count)) + ". "

        shared = words(60)
        records = [{"id": f"e{i:02}", "text": words(400) + shared * (i == 7) + words(300)}
                   for i in range(30)]
        self.write_records("all.jsonl", records)
        self.add("i.twx", "all.jsonl")
        self.write("q.txt", words(300) + shared + words(300))
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


class Metadata(Index):
    RECORD = ('{"url": "u1", "id": 7, "text": "A bridge is never done.", "author": "Zoë", '
              '"big": 123456789012345678901234567890, "more": {"n": [1, 2.5, null]}}')

    def test_fields_of_records_stay(self):
        """What a record has beside its text comes out again, as it was."""
        self.write("a.jsonl", self.RECORD + "\n" + '{"id": "plain", "text": "Nothing else."}\n')
        self.add("i.twx", "a.jsonl")
        dumped = self.succeed("index", "dump", "i.twx").text
        first, second = map(json.loads, dumped.splitlines())
        self.assertEqual(first, json.loads(self.RECORD))
        self.assertEqual(second, {"id": "plain", "text": "Nothing else."})
        self.write("d.jsonl", dumped)
        self.add("j.twx", "d.jsonl")
        self.assertEqual(self.succeed("index", "dump", "j.twx").text, dumped)

    def test_text_below_another_field(self):
        self.write("a.jsonl", '\ufeff{"url": "u", "body": {"text": "A bridge.", "html": "}{"} '
                              ', "n" : [1, "]\\\\"] }\n')
        self.add("i.twx", "a.jsonl", "--id", "url", "--text", "body.text")
        self.assertEqual(json.loads(self.succeed("index", "dump", "i.twx").text),
                         {"id": "u", "text": "A bridge.", "n": [1, "]\\"]})

    def test_patterns(self):
        """A pattern of many stars takes no longer than its length times that of the id."""
        self.write_records("a.jsonl", [{"id": "a" * 200 + "b", "text": "A bridge."},
                                       {"id": "c.txt", "text": "Another."}])
        self.add("i.twx", "a.jsonl")
        stars = self.succeed("index", "dump", "i.twx", "--match", "*a" * 40 + "c")
        self.assertEqual(stars.text, "")
        for pattern, count in (("*", 2), ("a*b", 1), ("?.tx?", 1), ("*.*", 1), ("c", 0)):
            found = self.succeed("index", "dump", "i.twx", "--match", pattern).text
            self.assertEqual(len(found.splitlines()), count, pattern)

    def test_parquet(self):
        """Two tables between the magic words; python/tests/test_postgres.py reads them."""
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
            part = records[crawl * 30:crawl * 30 + 30] + records[:3]
            self.write_records("crawl.jsonl", [dict(record, id=f"{crawl}-{record['id']}")
                                               for record in part])
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


class School(Index):
    def test_three_years(self):
        """This year's work against three years, in one command; nobody is held to their own."""
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


class Beside(Index):
    def test_readers_beside_a_writer_threads(self):
        """Processes that read while one writes get right answers, and need not wait."""
        records = families(random.Random(31), 400)
        self.write_records("first.jsonl", records[:100])
        self.add("i.twx", "first.jsonl")
        self.write("q.txt", records[5]["text"])
        expected = {(pair["a"], pair["b"]) for pair in map(json.loads, self.succeed(
            "index", "query", "i.twx", "q.txt", "--format", "jsonl").text.splitlines())}
        self.assertTrue(expected)
        failures, done = [], threading.Event()

        def read():
            while not done.is_set():
                answer = subprocess.run([TWINSET, "index", "query", "i.twx", "q.txt", "--format",
                                         "jsonl"], cwd=self.folder, capture_output=True)
                pairs = {(pair["a"], pair["b"])
                         for pair in map(json.loads, answer.stdout.decode().splitlines())}
                if answer.returncode or not expected <= pairs:
                    failures.append((answer.returncode, answer.stderr, pairs))

        readers = [threading.Thread(target=read) for _ in range(3 if SANITIZED else 10)]
        for reader in readers:
            reader.start()
        try:
            for part in range(12):
                self.write_records("more.jsonl", records[100 + 25 * part:125 + 25 * part])
                self.add("i.twx", "more.jsonl")
                self.succeed("index", "remove", "i.twx", str(records[100 + 25 * part]["id"]))
        finally:
            done.set()
            for reader in readers:
                reader.join()
        self.assertEqual(failures, [])
        self.verify("i.twx", 388)


class Crashes(Index):
    """kill -9 at random moments: what was acknowledged is there, and no half batch."""
    KILLS = int(os.environ.get("TWINSET_KILLS", "4" if SANITIZED else "12"))
    BATCH = 50

    def acknowledged(self, writer):
        lines = writer.stdout.read().splitlines()
        return len([line for line in lines if line.startswith("added")])

    def test_kills(self):
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        batches = 0
        script = ("n=$1; while :; do \"$2\" index add i.twx b$n.jsonl || exit 1; "
                  "[ $((n % 3)) -eq 0 ] && \"$2\" index remove i.twx b$n-0; n=$((n+1)); done")
        for number in range(self.KILLS * 12):
            self.write_records(f"b{number}.jsonl", [
                {"id": f"b{number}-{i}", "text": " ".join(rng.choice(WORDS) for _ in range(40))}
                for i in range(self.BATCH)])
        for kill in range(self.KILLS):
            with self.subTest(seed=seed, kill=kill):
                writer = subprocess.Popen(["sh", "-c", script, "sh", str(batches), TWINSET],
                                          cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                          stderr=subprocess.DEVNULL, start_new_session=True)
                time.sleep(rng.uniform(0.01, 0.25))
                os.killpg(writer.pid, 9)
                done = self.acknowledged(writer)
                writer.wait()
                writer.stdout.close()
                if not os.path.exists(os.path.join(self.folder, "i.twx")):
                    self.assertEqual(done, 0)
                    continue
                result = self.run_command("index", "verify", "i.twx")
                if done == 0 and batches == 0 and result.status == 2:
                    self.assertIn("not an index", result.messages)  # killed while it was made
                    os.unlink(os.path.join(self.folder, "i.twx"))
                    continue
                self.assertEqual(result.status, 0, result)
                self.check_batches(batches + done)
                batches += done

    def check_batches(self, least):
        """Each batch is whole, but for its first document, which may have been removed."""
        ids = [document["id"] for document in map(
            json.loads, self.succeed("index", "dump", "i.twx").text.splitlines())]
        counts = {}
        for name in ids:
            batch, _, number = name[1:].partition("-")
            counts.setdefault(int(batch), []).append(int(number))
        self.assertGreaterEqual(len(counts), least)
        for batch, numbers in counts.items():
            self.assertIn(len(numbers), (self.BATCH, self.BATCH - (batch % 3 == 0)))
            self.assertEqual(sorted(numbers), list(range(self.BATCH - len(numbers), self.BATCH)))


class FullDisk(Index):
    """A batch that does not fit changes nothing, and the next that fits is taken."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("small"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs",
                                  self.path("small")], capture_output=True, check=False)
        if mounted.returncode:
            self.skipTest("a file system of its own needs the right to mount one")
        self.addCleanup(subprocess.run, ["umount", self.path("small")], check=True)

    def test_batches_beyond_its_end(self):
        rng = random.Random(6)
        added = []
        for number in range(40):
            batch = [{"id": f"b{number}-{i}", "text": " ".join(rng.choices(WORDS, k=60))}
                     for i in range(100)]
            self.write_records("batch.jsonl", batch)
            result = self.run_command("index", "add", "small/i.twx", "batch.jsonl")
            if result.status:
                break
            added += batch
        self.assertGreater(len(added), 100)
        self.assertEqual(result.status, 2)
        self.assert_says(result, "disk")
        ids = [json.loads(line)["id"] for line in
               self.succeed("index", "dump", "small/i.twx").text.splitlines()]
        self.assertEqual(sorted(ids), sorted(record["id"] for record in added))
        self.verify("small/i.twx", len(added))
        gone = [record["id"] for record in added[:-20]]
        removed = self.run_command("index", "remove", "small/i.twx", *gone)
        left = len(added) if removed.status else 20
        self.verify("small/i.twx", left)


class Damage(Index):
    """A flipped byte is noticed or harmless; an answer is right or an error."""
    FLIPS = int(os.environ.get("TWINSET_FLIPS", "20" if SANITIZED else "60"))

    def answer(self, index):
        """All that an index says, or None where it says that it is damaged."""
        dumped = self.run_command("index", "dump", index)
        asked = self.run_command("index", "query", index, "q.txt", "--format", "jsonl", "--method",
                                 "lsh", "-t", "0.2")
        if dumped.status or asked.status:
            self.assertIn(2, (dumped.status, asked.status))
            return None
        return dumped.text, asked.text

    def test_flips(self):
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        records = families(rng, 150)
        self.write("q.txt", records[3]["text"])
        for part in range(5):
            self.write_records("part.jsonl", records[30 * part:30 * part + 30])
            self.add("i.twx", "part.jsonl")
        right = self.answer("i.twx")
        whole = {"": self.read("i.twx")}
        with self.log_held("i.twx"):
            self.write_records("part.jsonl", [dict(record, id=f"x{record['id']}")
                                              for record in families(rng, 20)])
            self.add("i.twx", "part.jsonl")
            self.succeed("index", "remove", "i.twx", str(records[9]["id"]))
            with_log = {end: self.read("i.twx" + end) for end in ("", "-wal", "-ack")}
        right_with_log = self.answer("i.twx")
        noticed = 0
        for flip in range(self.FLIPS):
            files, expected = ((whole, right), (with_log, right_with_log))[flip % 2]
            with self.subTest(seed=seed, flip=flip):
                found = self.answer_damaged(rng, files)
                noticed += found is None
                self.assertIn(found, (None, expected))
        self.assertGreater(noticed, 0)

    def answer_damaged(self, rng, files):
        """What an index says with one bit changed, somewhere in any of its files."""
        at = rng.randrange(sum(map(len, files.values())))
        for end in ("", "-wal", "-ack", "-shm"):
            if os.path.exists(self.path("d.twx" + end)):
                os.unlink(self.path("d.twx" + end))
        for end, content in files.items():
            content = bytearray(content)
            if 0 <= at < len(content):
                content[at] ^= 1 << rng.randrange(8)
            at -= len(content)
            self.write("d.twx" + end, bytes(content))
        return self.answer("d.twx")

    @contextlib.contextmanager
    def log_held(self, index):
        """Keeps the log in place while writers end, by a reader that has begun."""
        reader = sqlite3.connect(self.path(index), isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM document").fetchone()
        try:
            yield
        finally:
            reader.close()

    def test_damaged_log(self):
        """A batch that was acknowledged and lost with the log is missed."""
        rng = random.Random(4)
        records = families(rng, 90)
        for name, part in (("a.jsonl", records[:30]), ("b.jsonl", records[30:60]),
                           ("c.jsonl", records[60:])):
            self.write_records(name, part)
        self.add("i.twx", "a.jsonl")
        with self.log_held("i.twx"):
            self.add("i.twx", "b.jsonl")
            self.add("i.twx", "c.jsonl")
            files = {end: self.read("i.twx" + end) for end in ("", "-wal", "-ack")}
        log = bytearray(files["-wal"])
        self.assertGreater(len(log), 10000)
        for name, content in (("whole", files["-wal"]), ("damaged", None), ("cut", b"")):
            if content is None:
                log[len(log) // 2] ^= 1
                content = bytes(log)
            for end, bytes_ in {**files, "-wal": content}.items():
                self.write(name + end, bytes_)
        self.verify("whole", 90)
        for name in ("damaged", "cut"):
            self.fail_with(2, "index", "verify", name, says="was lost or damaged")
            self.fail_with(2, "index", "query", name, "a.jsonl", says="was lost or damaged")
            self.fail_with(2, "index", "add", name, "a.jsonl", says="was lost or damaged")


if __name__ == "__main__":
    unittest.main()
