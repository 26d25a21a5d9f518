"""Runs the command with random options on random files, many damaged: it must never crash.

    python3 tests/long/black_box.py COMMAND RUNS

COMMAND should be built with a sanitizer, as by `script/long blackbox`. Options and values come from
COMMAND --help, so that new options are tested as well. A run must end with a status that the manual
lists, and with a message if the status is 2. Prints all other runs with their numbers:
`TWINSET_TEST_SEED=SEED` and the same number of runs repeat them.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import mixed_folder

COMMANDS = ("scan", "compare", "dedup", "tune", "sketch", "cat")
STATUSES = (0, 1, 2, 3)
SECONDS = 120

# Values of options, by the word for the argument in the help.
NUMBERS = ["0", "1", "2", "3", "5", "9", "17", "64", "100", "1000", "-1", "", "x", "1e3", "0x10",
           "18446744073709551616", "4294967296", " 1", "1 "]
SHARES = ["0", "0.1", "0.5", "0.8", "1", "50%", "1.5", "-0.5", "nan", "inf", ".5", "1e-9", "", "a"]
SIZES = ["1", "64K", "1M", "16M", "64M", "1G", "0", "-1M", "9999999T", "1Q", ""]
FIELDS = ["id", "text", "no.such.field", "a..b", "", "\udcff", "none", "author", "a" * 300]
FILES = ["stop.txt", "0/text.txt", "nowhere.txt", ".", "binary.bin", "", "records.jsonl", "0"]
GLOBS = ["*.txt", "**", "[", "*", "0/**/*.odt", "\\", "", "[a-", "{a,b}", "*" * 200]
OUTPUTS = ["out", "out.csv", "out.json", "out.jsonl.gz", "folder/", "no/where/out", "-",
           "0/text.md"]
VALUES = {"N": NUMBERS, "X": SHARES, "SHARE": SHARES, "SIZE": SIZES, "FIELD": FIELDS,
          "PATH": FILES, "FILE": FILES, "GLOB": GLOBS, "DIR": ["state", "tmp", "0", "nowhere/x"]}
WRITTEN = {"-o", "--output", "--report", "--removed", "--html", "--review"}
UNTRIED = {"--help", "--man", "--version"}


def find_options(command, name):
    """The options in the help of a command: the name, and the word for its argument or ""."""
    text = subprocess.run([command, name, "--help"], capture_output=True, check=True).stdout
    lines = re.findall(r"^  (?:(-\w), |    )?(--?[\w-]+)(?: (\S+))?", text.decode(), flags=re.M)
    return [(option, takes) for short, long, takes in lines for option in (short, long)
            if option and option not in UNTRIED]


def choose_value(rng, option, takes):
    if option in WRITTEN:
        return rng.choice(OUTPUTS)
    if "|" in takes and rng.random() < 0.9:
        return rng.choice(takes.split("|"))
    return rng.choice(VALUES.get(takes, NUMBERS + SHARES + FIELDS))


def choose_options(rng, options):
    chosen = []
    for option, takes in rng.sample(options, min(len(options), rng.choice([0, 1, 2, 3, 5, 8]))):
        chosen.append(option)
        if takes and rng.random() < 0.98:
            chosen.append(choose_value(rng, option, takes))
    return [word.replace("\0", "") for word in chosen]


def damage(rng, content, other):
    """Content that is truncated, changed, doubled, padded, or mixed with another file."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(content) + 1)
        how = rng.randrange(6)
        if how == 0:
            del content[at:]
        elif how == 1 and at < len(content):
            content[at] = rng.randrange(256)
        elif how == 2:
            content[at:at] = content[:at][-rng.randrange(1, 2000):]
        elif how == 3:
            content[at:at] = bytes([rng.randrange(256)]) * rng.choice([1, 10, 1000, 70000])
        elif how == 4:
            start = rng.randrange(len(other) + 1)
            content[at:at + 50] = other[start:start + rng.randrange(500)]
        else:
            del content[at:at + rng.randrange(1, 100)]
    return bytes(content)


def choose_files(rng, whole):
    """A selection of files, half of them damaged, some under the name of another."""
    names = rng.sample(sorted(whole), rng.randrange(1, 9))
    found = {"stop.txt": b"the\nan?\n# comment\n", "0/text.txt": whole["0/text.txt"],
             "records.jsonl": whole["records.jsonl"], "binary.bin": whole["binary.bin"]}
    for name in names:
        content = whole[name]
        if rng.random() < 0.5:
            content = damage(rng, content, whole[rng.choice(sorted(whole))])
        if rng.random() < 0.15:
            name = "renamed/" + rng.choice(sorted(whole))
        found[name] = content
    if rng.random() < 0.2:
        columns = rng.choice(["path", "path,id", "path,id,author,time", "id,path", "x", ""])
        lines = [",".join(rng.choice(names + ["a", '"', "nowhere", ""])
                          for _ in range(rng.randrange(1, 5))) for _ in range(4)]
        found["list.csv"] = "\n".join([columns, *lines]).encode()
    return found


def choose_inputs(rng, name, files):
    if name == "tune":
        return []
    choices = [".", "0", *files, *(["@list.csv"] if "list.csv" in files else []), "-", "nowhere"]
    count = 2 if name == "compare" and rng.random() < 0.9 else rng.randrange(1, 4)
    return [rng.choice(choices) for _ in range(count)]


def run(command, options, whole, seed):
    """Makes a run in a folder of its own. Returns a description of a failure, or None."""
    rng = random.Random(seed)
    files = choose_files(rng, whole)
    name = rng.choice(COMMANDS)
    words = [name, *choose_options(rng, options[name]), *choose_inputs(rng, name, files)]
    if name == "dedup" and rng.random() < 0.9:
        words += ["-o", rng.choice(OUTPUTS)]
    with tempfile.TemporaryDirectory() as folder:
        mixed_folder.write(folder, files)
        try:
            done = subprocess.run([command, *words], cwd=folder, capture_output=True, check=False,
                                  input=rng.choice(list(files.values())), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{words}: takes more than {SECONDS} s"
    err = done.stderr.decode(errors="replace")
    if done.returncode not in STATUSES or "Sanitizer" in err or "runtime error" in err:
        return f"{words}: status {done.returncode}\n{err[-4000:]}"
    return f"{words}: status 2 without a message" if done.returncode == 2 and not err else None


def main(command, runs):
    seed = int(os.environ.get("TWINSET_TEST_SEED", random.randrange(10 ** 9)))
    print(f"TWINSET_TEST_SEED={seed}", flush=True)
    command = os.path.abspath(command)
    options = {name: find_options(command, name) for name in COMMANDS}
    whole = mixed_folder.contents()
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda number: run(command, options, whole, seed + number),
                           range(int(runs)))
        for number, problem in enumerate(results):
            if problem:
                failed += 1
                print(f"run {number} (seed {seed + number}): {problem}", flush=True)
    print(f"{runs} runs, {failed} not as they must be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
