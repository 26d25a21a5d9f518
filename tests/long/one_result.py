"""Reads a folder of all kinds of files by four threads, thousands of times: one result.

    python3 tests/long/one_result.py COMMAND RUNS

Two threads may be the first to use a library, which then prepares its data, so each run is a new
process. Prints every result that differs from the first, and fails if there is one.
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import mixed_folder

COMMANDS = (["scan", ".", "--format", "json", "-t", "0.2"],
            ["scan", ".", "--format", "jsonl", "--by", "char", "--method", "lsh"],
            ["sketch", ".", "-n", "16"])


def run(command, arguments, folder):
    done = subprocess.run([command, *arguments, "-j", "4"], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


def check(command, runs, folder):
    first = [run(command, arguments, folder) for arguments in COMMANDS]
    for arguments, (status, out, err) in zip(COMMANDS, first):
        if status != 0 or not out:
            sys.exit(f"{' '.join(arguments)}: status {status}\n{err.decode()}")
    others = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [number % len(COMMANDS) for number in range(runs)]
        results = pool.map(lambda which: run(command, COMMANDS[which], folder), chosen)
        for number, (which, result) in enumerate(zip(chosen, results)):
            if result != first[which]:
                others += 1
                print(f"run {number}, {' '.join(COMMANDS[which])}: status {result[0]}\n"
                      f"{result[1].decode()}{result[2].decode(errors='replace')}", flush=True)
    return others


def main(command, runs):
    with tempfile.TemporaryDirectory() as folder:
        mixed_folder.write(folder, mixed_folder.contents())
        others = check(os.path.abspath(command), int(runs), folder)
    print(f"{runs} runs, {others} with another result")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
