"""python -m twinset: options, messages and statuses of the command, also for Parquet."""

import json
import os
import re
import signal
import subprocess
import sys

import pyarrow
import pyarrow.parquet as parquet
import pytest
from twinset import _core
from twins import FORMATS, FOX, TEXTS, command, families, lines


def run(*arguments, cwd, status=0, **options):
    done = subprocess.run([sys.executable, "-m", "twinset", *map(str, arguments)], cwd=cwd,
                          capture_output=True, check=False, **options)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout, done.stderr.decode().splitlines()


@pytest.fixture
def folder(tmp_path):
    """A folder with records as JSON lines and as Parquet."""
    records = [{"id": record["id"], "text": record["text"], "n": position}
               for position, record in enumerate(families(1))]
    (tmp_path / "in.jsonl").write_text(lines(records))
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "in.parquet",
                        row_group_size=20, compression="gzip")
    return tmp_path


def test_scan(folder):
    for format in FORMATS:
        expected, _ = command("in.jsonl", "-t", "0.4", "--format", format, cwd=folder)
        for file in ("in.jsonl", "in.parquet"):
            out, said = run("scan", file, "-t", "0.4", "--format", format, cwd=folder)
            assert (out, said) == (expected, [])
        run("scan", "in.parquet", "-t", "0.4", "--format", format, "-o", "out", cwd=folder)
        assert (folder / "out").read_bytes() == expected


def test_the_name_of_the_output_chooses_the_format(folder):
    for name in ("out.csv", "out.TSV", "out.json", "out.ndjson", "out.txt", "out.d/out"):
        (folder / "out.d").mkdir(exist_ok=True)
        command("in.jsonl", "-o", name, cwd=folder)
        expected = (folder / name).read_bytes()
        (folder / name).unlink()
        run("scan", "in.parquet", "-o", name, cwd=folder)
        assert (folder / name).read_bytes() == expected, name
    for name in ("out.parquet", "out.csv.gz"):
        _, said = run("scan", "in.parquet", "-o", name, cwd=folder, status=2)
        assert "are not written as ." in said[-1]
        assert not (folder / name).exists()
    run("scan", "in.parquet", "-o", "out.gz", "--format", "csv", cwd=folder)


@pytest.mark.parametrize("options", [[], ["--annotate"], ["--keep", "n", "-t", "0.5"],
                                     ["--keep", "longest"]])
def test_dedup(folder, options):
    out, counts = command("dedup", "in.jsonl", "-o", "-", "--removed", "expected", *options,
                          cwd=folder)
    _, said = run("dedup", "in.parquet", "-o", "out.parquet", "--removed", "removed", *options,
                  cwd=folder)
    assert said == [counts]
    assert parquet.read_table(folder / "out.parquet").to_pylist() == \
        [json.loads(line) for line in out.splitlines()]
    assert (folder / "removed").read_bytes() == (folder / "expected").read_bytes()
    again, said = run("dedup", "in.jsonl", "-o", "-", *options, cwd=folder)
    assert (again, said) == (out, [counts])
    assert {path.name for path in folder.iterdir()} == {"in.jsonl", "in.parquet", "out.parquet",
                                                        "expected", "removed"}


def test_columns(folder):
    table = parquet.read_table(folder / "in.parquet").rename_columns(["key", "body", "n"])
    parquet.write_table(table, folder / "named.parquet")
    expected, _ = command("in.jsonl", "--format", "csv", cwd=folder)
    out, _ = run("scan", "named.parquet", "--text", "body", "--id", "key", "--format", "csv",
                 cwd=folder)
    assert out == expected
    _, said = run("scan", "named.parquet", cwd=folder, status=2)
    assert said == ["twinset: named.parquet: there is no column 'text'; there are: 'key', 'body', "
                    "'n'"]


def test_roles(folder):
    expected, counts = command("dedup", "in.jsonl", "--old", "in.jsonl", "-o", "-", cwd=folder)
    (folder / "old.jsonl").write_text(lines([{"id": "old", "text": FOX}]))
    parquet.write_table(pyarrow.table({"text": [FOX, TEXTS[2]]}), folder / "new.parquet")
    _, said = run("dedup", "new.parquet", "--old", "old.jsonl", "-o", "out.parquet", cwd=folder)
    assert said == ["read 2, kept 1, removed 1, skipped 0"]
    out, _ = run("scan", "new.parquet", "--like", "old.jsonl", "--format", "csv", cwd=folder)
    assert out.splitlines()[1].startswith(b"new.parquet:1,old,1.0,")


def test_skipped_records_are_named(folder):
    """Records without text are named, and dedup keeps them, unless most records have none."""
    table = pyarrow.table({"text": [FOX, None, "", *[None] * 15]})
    parquet.write_table(table, folder / "holes.parquet")
    _, said = run("dedup", "holes.parquet", "-o", "out.parquet", cwd=folder, status=2)
    assert "16 of 18" in said[-1] and "--max-skipped" in said[-1]
    assert not (folder / "out.parquet").exists()
    dedup = ["dedup", "holes.parquet", "-o", "out.parquet", "--max-skipped", "1"]
    _, said = run(*dedup, cwd=folder)
    assert said[0].startswith("twinset: kept holes.parquet:")
    assert re.search(r"and 7 more \(--verbose", said[10])
    assert said[-1] == "read 18, kept 18, removed 0, skipped 0"
    assert parquet.read_table(folder / "out.parquet") == table
    _, verbose = run(*dedup, "-v", cwd=folder)
    assert {"twinset: kept holes.parquet:2: field 'text' is null, not a string",
            "twinset: kept holes.parquet:3: empty"} < set(verbose) and len(verbose) == 18
    assert run(*dedup, "-q", "--strict", cwd=folder)[1] == []  # nothing was skipped
    assert run("scan", "holes.parquet", "--strict", "-q", "--max-skipped", "1", cwd=folder,
               status=3)[1] == []


def test_flags_and_notes(folder):
    parquet.write_table(pyarrow.table({"text": ["zero\u200bwidth"] + [FOX] * 20}),
                        folder / "odd.parquet")
    _, said = run("scan", "odd.parquet", "--max-bucket", "5", cwd=folder)
    assert said[0] == "twinset: odd.parquet:1: hidden-characters"
    assert "--max-bucket" in said[1]


def test_statuses(folder):
    run("scan", "in.parquet", "--fail-above", "0.9", "-q", cwd=folder, status=1)
    parquet.write_table(pyarrow.table({"text": TEXTS[:2]}), folder / "two.parquet")
    run("scan", "two.parquet", "--fail-above", "1", cwd=folder)
    run("scan", "two.parquet", "--fail-above", "0.2", cwd=folder, status=1)
    for arguments, said in (
            (["scan", "in.parquet", "--fail-above", "0.3", "-t", "0.5"], "lower --threshold"),
            (["scan", "nowhere.parquet"], "nowhere.parquet: No such file or directory"),
            (["scan", "nowhere.txt"], "nowhere.txt: No such file or directory"),
            (["scan", "in.parquet", "-k", "0"], "-k: '0' is not a whole number"),
            (["scan", "in.parquet", "--memory", "much"], "--memory: 'much' is not a size"),
            (["scan", "in.parquet", "--fail-above", "2"], "not a number from 0 to 1"),
            (["scan"], "required: PATH"), (["dedup", "in.parquet"], "required: -o/--output"),
            (["dedup", "in.parquet", "-o", "in.parquet"], "would replace an input"),
            (["dedup", "in.parquet", "-o", "-"], "Parquet is written to a path"),
            (["dedup", "in.parquet", "-o", "out.jsonl"], "must end in .parquet"),
            (["scan", "in.parquet", "--nonsense"], "--nonsense"), (["sing"], "no document")):
        _, lines_said = run(*arguments, cwd=folder, status=2)
        assert said in lines_said[-1], lines_said


def test_reports(folder):
    run("dedup", "in.parquet", "-o", "out.parquet", "--report", "report", cwd=folder)
    report = json.loads((folder / "report").read_text())
    assert report["cleaned"]["read"] == 60 and report["command"] == "dedup"


def test_no_rows(folder):
    parquet.write_table(pyarrow.table({"text": pyarrow.array([], "string")}), folder / "no.parquet")
    _, said = run("dedup", "no.parquet", "-o", "out.parquet", cwd=folder)
    assert said == ["read 0, kept 0, removed 0, skipped 0"]
    assert run("scan", "no.parquet", cwd=folder, status=2)[1] == [
        "twinset: there is no document to compare"]


def test_help(folder):
    """The help comes from the engine's table."""
    for name in ("scan", "dedup"):
        text = " ".join(run(name, "--help", cwd=folder, env={**os.environ, "COLUMNS": "100"})[0]
                        .decode().split())
        for option, letter, _, _, explained, commands in _core.options():
            if name in commands.split():
                assert (f"--{option}" if len(option) > 1 else f"-{letter}") in text
                assert " ".join(explained.split())[:40] in text, option
    assert run("--version", cwd=folder)[0].decode() == f"twinset {_core.version}\n"
    assert command("--version", cwd=folder)[0].decode() == f"twinset {_core.version}\n"


def test_a_reader_that_ends_early(folder):
    process = subprocess.Popen([sys.executable, "-m", "twinset", "scan", "in.parquet", "-t", "0",
                                "--format", "json"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    assert process.wait(30) == 2


def test_ctrl_c(folder):
    """An unfinished file is removed, and the process ends by the signal."""
    before = sorted(path.name for path in folder.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-m", "twinset", "dedup", "-", "-o", "out.jsonl"], cwd=folder,
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    # The input is larger than a pipe: once it is written, the engine is reading.
    process.stdin.write(lines({"text": f"{FOX} {i}"} for i in range(10000)).encode())
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT, said
    assert said.decode().splitlines()[-1] == "twinset: interrupted"
    assert sorted(path.name for path in folder.iterdir()) == before
