"""python -m twinset.lab, and its output."""

import csv
import os
import subprocess
import sys

import pytest

from twinset import lab
from twinset.lab import __main__ as command
from twinset.lab.table import Table

pytest.importorskip("matplotlib")


def test_list(capsys):
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(lab.EXPERIMENTS)
    assert all(line.endswith(".") and len(line) <= 100 for line in lines)


def test_files(tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert command.main(["s0-walk", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "s0-walk.csv", "s0-walk.md", "s0-walk.png", "s0-walk.svg"]
    assert str(folder / "s0-walk.svg") in capsys.readouterr().out
    with open(folder / "s0-walk.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["bands"] for row in rows if row["chosen_by"] == "accuracy"] == ["45"]
    assert float(rows[6]["knee"]) == 0.46704367745113423
    page = (folder / "s0-walk.md").read_text()
    assert "![" in page and "(s0-walk.svg)" in page and "| 45 | 5 | 0.467 |" in page
    assert (folder / "s0-walk.png").read_bytes().startswith(b"\x89PNG")


def test_as_a_command(tmp_path):
    done = subprocess.run([sys.executable, "-m", "twinset.lab", "s0-curve", "out"], cwd=tmp_path,
                          check=True, capture_output=True, text=True)
    assert done.stdout.startswith("s0-curve: out")
    assert (tmp_path / "out" / "s0-curve.svg").exists()


def test_seed_changes_documents(tmp_path):
    for seed in ("1", "2"):
        assert command.main(["s1-k", str(tmp_path / seed), "--seed", seed]) == 0
    first, second = ((tmp_path / seed / "s1-k.csv").read_text() for seed in ("1", "2"))
    assert first != second


@pytest.mark.parametrize("arguments, words", [
    ([], "--list"), (["s0-walk"], "--list"), (["s9", "out"], "no experiment s9")])
def test_usage(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_missing_data(tmp_path, capsys):
    assert command.main(["s2-bands", str(tmp_path), "--data", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "s2-bands: there is no " in error and "--data" in error
    assert list(tmp_path.iterdir()) == []


def test_missing_library(tmp_path):
    """A missing library gives a message of one line; tables can be made without it."""
    program = """import sys
sys.modules["matplotlib"] = None
from twinset.lab import __main__ as command, s0
s0.walk().table.csv()
sys.exit(command.main(["s0-walk", "out"]))"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == ("twinset.lab: s0-walk: a figure needs matplotlib: "
                           "pip install matplotlib\n")
    assert done.stdout == ""


def test_imports_no_optional_library():
    program = "import sys, twinset.lab; print({'numpy', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True,
                          text=True)
    assert done.stdout == "set()\n"


def test_same_figure_same_bytes(tmp_path):
    """The bytes are equal in another process with other settings."""
    (tmp_path / "matplotlibrc").write_text("axes.facecolor: red\nsvg.hashsalt: other\n")
    program = "import sys; from twinset.lab import s0; sys.stdout.buffer.write(s0.walk().svg())"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True,
                          env={**os.environ, "MATPLOTLIBRC": str(tmp_path / "matplotlibrc")})
    assert lab.s0.walk().svg() == done.stdout


def test_cells_of_tables():
    table = Table(("name", "value"), [("a", None), ("b", 12345), ("c", 0.123456)])
    assert table.csv() == "name,value\na,\nb,12345\nc,0.123456\n"
    assert table.markdown() == ("| name | value |\n| --- | --- |\n| a |  |\n| b | 12,345 |\n"
                                "| c | 0.1235 |\n")
    assert table.where(name="b").column("value") == [12345]
