"""Helpers for tests of the API: the command, records, and the oracles of tests/cli.

TWINSET     the command to compare with; build/release/twinset if not set
"""

import io
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/cli"))

from cleaning import FOX, TEXTS, Records, write_records  # noqa: E402, F401
from command import TWINSET, environment  # noqa: E402

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "candidates")


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def command(*arguments, cwd, status=0):
    """Runs the command. Returns standard output, and the last line of standard error."""
    done = subprocess.run([TWINSET, *map(str, arguments)], cwd=cwd, capture_output=True,
                          check=False, env=environment({}))
    assert done.returncode == status, done.stderr.decode()
    return done.stdout, (done.stderr.decode().splitlines() or [""])[-1]


def written(result, format):
    """The bytes that a result writes in a format."""
    out = io.BytesIO()
    result.write(out, format)
    return out.getvalue()


def families(seed, count=60):
    """Families of similar records."""
    return write_records(random.Random(seed), count)
