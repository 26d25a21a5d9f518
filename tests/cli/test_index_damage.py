"""index: concurrent readers and a writer, killed runs, full disks and damaged files."""
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import threading
import time
import unittest

from command import SANITIZED, TWINSET
from indexing import Index, WORDS, families


class Beside(Index):
    def test_readers_beside_a_writer_threads(self):
        """Processes that read while another writes get right answers, without waiting."""
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
            for batch in range(12):
                self.write_records("more.jsonl", records[100 + 25 * batch:125 + 25 * batch])
                self.add("i.twx", "more.jsonl")
                self.succeed("index", "remove", "i.twx", str(records[100 + 25 * batch]["id"]))
        finally:
            done.set()
            for reader in readers:
                reader.join()
        self.assertEqual(failures, [])
        self.verify("i.twx", 388)


class Crashes(Index):
    """After kill -9 at random moments, acknowledged batches exist, and no partial batch does."""
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
                    self.assertIn("not an index", result.messages)  # killed while it was created
                    os.unlink(os.path.join(self.folder, "i.twx"))
                    continue
                self.assertEqual(result.status, 0, result)
                self.check_batches(batches + done)
                batches += done

    def check_batches(self, least):
        """Checks that each batch is whole, except its first document, which may be removed."""
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
    """A batch that does not fit changes nothing, and the next batch that fits is added."""

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
    """A changed byte is detected or harmless; an answer is right or an error."""
    FLIPS = int(os.environ.get("TWINSET_FLIPS", "20" if SANITIZED else "60"))

    def answer(self, index):
        """All documents of an index, or None if it reports damage."""
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
        for batch in range(5):
            self.write_records("part.jsonl", records[30 * batch:30 * batch + 30])
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
        """The answer of an index with a random bit of its files changed."""
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
        """Keeps the log while writers end, by a reader that has begun."""
        reader = sqlite3.connect(self.path(index), isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM document").fetchone()
        try:
            yield
        finally:
            reader.close()

    def test_damaged_log(self):
        """The loss of an acknowledged batch with the log is detected."""
        rng = random.Random(4)
        records = families(rng, 90)
        for name, batch in (("a.jsonl", records[:30]), ("b.jsonl", records[30:60]),
                           ("c.jsonl", records[60:])):
            self.write_records(name, batch)
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
