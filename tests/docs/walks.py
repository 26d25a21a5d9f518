"""Compares the folders that docs/architecture.md lists for runs with those of real runs.

    python3 tests/docs/walks.py COMMAND

COMMAND is a twinset built with -finstrument-functions and tests/trace.c, as by `script/long walks`.
A run on one thread must enter exactly the folders of its line, first in that order. common/, which
every folder may use, does not count.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pages import ROOT
from test_folders import WALKS, walks


def write_records(path):
    """Writes the samples as records."""
    with path.open("w", encoding="utf-8") as file:
        for essay in sorted((ROOT / "samples/essays").glob("*.txt")):
            record = {"id": essay.name, "text": essay.read_text(encoding="utf-8")}
            print(json.dumps(record), file=file)


def arguments(name, folder):
    return {
        "scan essays": ["scan", ROOT / "samples/essays"],
        "dedup records": ["dedup", folder / "records.jsonl", "-o", folder / "kept.jsonl"],
        "scan programs": ["scan", ROOT / "samples/programs"],
    }[name]


def folders_of(command, addresses):
    """Addresses with the folder of src/ of their code, or None."""
    lines = subprocess.run(["addr2line", "-e", command], input="\n".join(addresses), text=True,
                           check=True, capture_output=True).stdout.splitlines()
    found = [re.match(rf"{re.escape(str(ROOT))}/src/(\w+)/", os.path.normpath(line))
             for line in lines]
    return {address: folder[1] if folder else None for address, folder in zip(addresses, found)}


def trace(command, name):
    """The folders that a run enters, in the order of their first calls."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write_records(folder / "records.jsonl")
        subprocess.run([command, *arguments(name, folder), "--quiet", "-j", "1"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, "TWINSET_TRACE": str(folder / "trace")})
        functions = (folder / "trace").read_text().split()
    homes = folders_of(command, functions)
    entered = dict.fromkeys(homes[function] for function in functions)
    return [folder for folder in entered if folder not in (None, "common")]


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    listed = walks()
    real = {name: trace(command, name) for name in WALKS}
    wrong = [name for name in WALKS if listed[name] != real[name]]
    if wrong:
        print("docs/architecture.md lists other walks. Change the code, or these lines:",
              *(f"{name}: {' -> '.join(real[name])}" for name in wrong), sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
