"""docs/lab.md: its commands work, and its figures exist and are real."""

import functools
import os
import pathlib
import re
import shlex

import pytest

from twinset import lab
from twinset.lab import __main__ as command

pytest.importorskip("matplotlib")

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "lab"
PAGE = (ROOT / "docs" / "lab.md").read_text(encoding="utf-8")
DATA = pathlib.Path(os.environ.get("TWINSET_DATA", ROOT / "build" / "data"))

# Settings with which all experiments together take seconds.
QUICK = {
    "s1-k": {"documents": 4},
    "s1-spaces": {"documents": 4},
    "s1-candidates": {"documents": 4},
    "s1-estimate": {"hashes": (10, 20)},
    "s1-time": {"orders": 1, "ks": (1, 5)},
    "s1-error": {"trials": 5, "hashes": (10, 20)},
    "s1-lsh": {"sizes": (5, 10, 20)},
    "s2-accuracy": {"pattern": "space-1?.txt", "runs": 2, "hashes": (10, 20)},
    "s2-time": {"pattern": "space-1?.txt", "hashes": (10,)},
    "s2-bands": {"pattern": "space-1?.txt*", "hashes": 60, "bands": (15, 20)},
    "s3-documents": {"words": 50, "ks": (4, 5), "counts": (10, 20)},
    "s3-hashes": {"words": (100, 200), "hashes": (50, 100)},
    "s3-probabilities": {"trials": 5},
}
# Experiments that neither measure time nor need data: the page shows their results.
REPEATABLE = ["s0-walk", "s0-curve", "s0-matrix", "s1-k", "s1-spaces", "s1-estimate",
              "s1-candidates", "s1-bands", "s3-probabilities"]


def shown():
    """The commands of the page, each with its output."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, flags=re.M | re.S):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append((line[2:].strip(), []))
            else:
                found[-1][1].append(line)
    return [(command_line, "".join(output)) for command_line, output in found]


@pytest.fixture
def quick(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, settings in QUICK.items():
        experiment = functools.partial(lab.EXPERIMENTS[name], **settings)
        monkeypatch.setitem(lab.EXPERIMENTS, name, functools.update_wrapper(
            experiment, lab.EXPERIMENTS[name]))


@pytest.mark.parametrize("line, output", shown())
def test_commands(line, output, quick, capsys):
    line = line.replace("DATA", str(DATA))
    program, *arguments = shlex.split(line)
    assert [program, *arguments[:2]] == ["python", "-m", "twinset.lab"]
    if str(DATA) in arguments and not DATA.is_dir():
        pytest.skip(f"there is no {DATA}")
    assert command.main(arguments[2:]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    if output:
        assert printed == output
    if "all" in arguments:
        assert len(list(pathlib.Path("out").iterdir())) == 4 * len(lab.EXPERIMENTS)


def test_program():
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S)
    names: dict = {}
    exec(program, names)
    assert [row[0] for row in names["result"].table.rows] == list(range(1, 8))


def test_every_kind_of_command_is_shown():
    words = {word for line, _ in shown() for word in shlex.split(line)}
    assert words >= {"--list", "--seed", "--data", "all"}


def test_every_figure_is_shown():
    assert sorted(path.name for path in FIGURES.iterdir()) == sorted(
        f"{name}.svg" for name in lab.EXPERIMENTS)
    for name in lab.EXPERIMENTS:
        assert f"(lab/{name}.svg)" in PAGE


@pytest.mark.parametrize("name", lab.EXPERIMENTS)
def test_figures_are_small_and_undated(name):
    figure = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
    assert len(figure.encode()) < 60_000
    assert "<dc:date>" not in figure


@pytest.mark.parametrize("name", REPEATABLE)
def test_figures_are_real(name):
    figure = (FIGURES / f"{name}.svg").read_bytes()
    assert figure == lab.EXPERIMENTS[name]().svg(), \
        f"run python -m twinset.lab {name}, and copy the figure to docs/lab"
