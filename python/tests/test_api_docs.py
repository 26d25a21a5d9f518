"""The examples of docs/python.md work, and print what the page shows."""

import doctest
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest
from twins import FOX, ROOT, TEXTS, lines

sys.path.append(str(ROOT / "tests/docs"))

from pages import text  # noqa: E402

PAGE = ROOT / "docs/python.md"


def blocks():
    """(number of the first line, kind, text) of each fenced block."""
    found, kind, first, block = [], None, 0, []
    for number, line in enumerate(text(PAGE).splitlines(), 1):
        if not line.startswith("```"):
            block.append(line)
        elif kind is None:
            kind, first, block = line[3:], number, []
        else:
            found.append((first, kind, "\n".join(block) + "\n"))
            kind = None
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with samples/ and a collection."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "samples", "samples")
    records = [{"id": position, "text": sample}
               for position, sample in enumerate([FOX, FOX, TEXTS[2]])]
    pathlib.Path("crawl.jsonl").write_text(lines(records))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), "crawl.parquet")
    return tmp_path


def run_shell(session):
    """Runs commands that begin with `$ `, and compares their output."""
    commands = [command.split("\n", 1) for command in session.split("$ ")[1:]]
    for command, printed in commands:
        words = shlex.split(command)
        assert words[:3] == ["python", "-m", "twinset"]
        done = subprocess.run([sys.executable, *words[1:]], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.stdout.decode() == printed, command
    return len(commands)


def test_page(folder):
    names, ran = {}, {"python": 0, "pycon": 0, "console": 0}
    for number, kind, source in blocks():
        location = f"docs/python.md:{number}"
        if kind == "python":
            exec(compile(source, location, "exec"), names)
            ran[kind] += 1
        elif kind == "pycon":
            test = doctest.DocTestParser().get_doctest(source, names, location, str(PAGE), number)
            failures = []
            runner = doctest.DocTestRunner(verbose=False)
            runner.run(test, out=failures.append, clear_globs=False)
            assert not failures, "".join(failures)
            names.update(test.globs)
            ran[kind] += 1
        elif kind == "console":
            ran[kind] += run_shell(source)
    assert min(ran.values()) >= 2, ran
    assert {"pairs.csv", "clean.jsonl.gz", "removed.jsonl", "clean.parquet"} <= set(os.listdir())
    assert names["clean"]["key"].tolist() == ["p2", "p3"]
    assert names["marked"]["twinset_keep"].all()


def test_every_block_is_of_a_kind_that_runs():
    """All blocks run, except the one that installs."""
    assert [source for _, kind, source in blocks() if kind not in ("python", "pycon", "console")] \
        == ["$ pip install ./python\n"]
