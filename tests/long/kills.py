"""Kills runs with --checkpoint in every stage: the resumed run must write the same bytes.

    python3 tests/long/kills.py COMMAND KILLS

The report of a complete run has the times of its stages. Each kill is at a moment of one stage, in
a run from the start; every second time, the resumed run is killed as well, at a random moment. Then
the run is completed, and must write the output of the complete run. Prints a line for each kill:
the stage, the moment, and the bytes of the journals.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RECORDS = 12000
SEARCH = ["docs.jsonl", "--method", "lsh", "--format", "json", "-t", "0.5", "--memory", "64M"]


def write_records(path, rng):
    """Writes records: every third is similar to the one before it, every tenth is a copy."""
    words = []
    with open(path, "w", encoding="ascii") as file:
        for number in range(RECORDS):
            if number % 3 == 2:
                words = [word if rng.randrange(20) else "changed" for word in words]
            elif number % 10:
                words = [f"word{rng.randrange(10 ** 4)}" for _ in range(60)]
            print(json.dumps({"id": f"doc{number}", "text": " ".join(words)}), file=file)


class Killing:
    def __init__(self, command, folder, rng):
        self.command, self.folder, self.rng = command, folder, rng
        self.state = folder / "state"
        write_records(folder / "docs.jsonl", rng)
        started = time.monotonic()
        self.run("-o", "whole.json", "--report", "report.json")
        self.whole = time.monotonic() - started
        self.expected = (folder / "whole.json").read_bytes()
        self.stages = self.find_stages()

    def start(self, *more):
        return subprocess.Popen([self.command, *SEARCH, "--quiet", *more], cwd=self.folder)

    def run(self, *more):
        status = self.start(*more).wait()
        if status != 0:
            sys.exit(f"status {status} with {' '.join(more)}")

    def find_stages(self):
        """The times of each stage and of writing, from the start of the process."""
        stages = json.loads((self.folder / "report.json").read_text())["stages"]
        found, at = {}, 0.0
        for stage in stages:
            found[stage["name"]] = at, at + stage["seconds"]
            at += stage["seconds"]
        found["write"] = at, max(at, self.whole)
        return found

    def journal_bytes(self):
        names = ("read.journal", "matches.journal")
        return tuple(path.stat().st_size if path.exists() else 0
                     for path in (self.state / name for name in names))

    def kill(self, stage, moment):
        """Kills a run at a moment, and prints its progress. Returns whether it was still
        running."""
        process = self.start("--checkpoint", "state", "-o", "out.json",
                             "-j", str(self.rng.choice([1, 2, 4])))
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        was_running = process.wait() == -signal.SIGKILL
        read, matches = self.journal_bytes()
        print(f"{stage:10} {moment:7.3f} s  read.journal {read:9,}  matches.journal {matches:9,}"
              f"{'' if was_running else '  had ended'}", flush=True)
        return was_running

    def complete(self):
        self.run("--checkpoint", "state", "-o", "out.json", "-j", str(self.rng.choice([1, 3])))
        if (self.folder / "out.json").read_bytes() != self.expected:
            sys.exit("another result after this")
        shutil.rmtree(self.state)
        (self.folder / "out.json").unlink()

    def go_on(self, kills):
        killed = tried = 0
        while killed < kills:
            stage = list(self.stages)[tried % len(self.stages)]
            killed += self.kill(stage, self.rng.uniform(*self.stages[stage]))
            if tried % 2 and killed < kills:
                killed += self.kill("going on", self.rng.uniform(0, self.whole))
            self.complete()
            tried += 1


def main(command, kills):
    seed = int(os.environ.get("TWINSET_TEST_SEED", random.randrange(10 ** 9)))
    print(f"TWINSET_TEST_SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        killing = Killing(os.path.abspath(command), pathlib.Path(folder), random.Random(seed))
        print({name: f"{start:.3f}-{end:.3f} s" for name, (start, end) in killing.stages.items()})
        killing.go_on(int(kills))
    print(f"{kills} kills, the same bytes after each")


if __name__ == "__main__":
    main(*sys.argv[1:])
