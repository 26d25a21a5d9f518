"""The command in the wheel: `twinset` on the PATH, with its grammars."""

import json
import os
import subprocess
import sys
from pathlib import Path

import twinset
from twins import command

SCRIPT = Path(sys.executable).with_name("twinset")
SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def run(*arguments, status=0, program=(SCRIPT,), **options):
    done = subprocess.run([*map(str, program), *map(str, arguments)], capture_output=True,
                          check=False, **options)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def test_the_script_is_the_command():
    assert run("--version").split()[1].decode() == twinset.__version__
    assert b"compare" in run("--help")
    assert run("--man").startswith(b".")


def test_the_same_bytes_as_the_command_that_was_built_alone():
    """The command uses the grammars of the package: without them, tokens of programs would
    differ."""
    where = {"cwd": SAMPLES.parent, "env": {**os.environ, "TWINSET_GRAMMARS": ""}}
    del where["env"]["TWINSET_GRAMMARS"]
    for arguments in (["samples/programs", "--format", "json"],
                      ["scan", "samples/essays", "--format", "jsonl"],
                      ["tune", "-t", "0.7"]):
        expected, _ = command(*arguments, cwd=SAMPLES.parent)
        assert run(*arguments, **where) == expected, arguments


def test_commands_that_python_does_not_have(tmp_path):
    (tmp_path / "a.txt").write_text("the quick brown fox jumps over the lazy dog")
    (tmp_path / "b.txt").write_text("the quick brown fox jumps over the lazy cat")
    module = (sys.executable, "-m", "twinset")
    for words in (["compare", "a.txt", "b.txt", "--format", "json"], ["tune", "--format", "json"]):
        out = run(*words, cwd=tmp_path, program=module)
        assert json.loads(out)
        assert out == run(*words, cwd=tmp_path)


def test_a_wheel_without_the_program_says_what_to_do(tmp_path):
    code = ("import sys, twinset.command as c; c.PROGRAM = '/nowhere/twinset'; "
            "sys.exit(c.main())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2
    assert "/nowhere/twinset" in done.stderr and "pip install" in done.stderr
