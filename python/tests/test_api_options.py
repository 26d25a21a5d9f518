"""Options: names and values of the command, and errors for others."""

import pathlib
import re
import subprocess

import numpy
import pytest
import twinset
from twinset import _core, options
from twins import FOX, TEXTS, TWINSET


def names_of(function):
    return {row[0] for row in options.known(function)}


def test_names_are_the_engines():
    """The names that editors complete are those of the engine."""
    typed = set(options.Options.__annotations__) | {"threshold"}
    assert {name.replace("_", "-") for name in typed} == {row[0] for row in _core.options()}
    assert set(options.Tuned.__annotations__) == names_of("tune") == names_of("LSH")


@pytest.mark.parametrize(("command", "function"), [
    ("scan", "scan"), ("dedup", "dedup"), ("compare", "compare"), ("sketch", "Sketcher"),
    ("tune", "tune")])
def test_commands_take_the_same(command, function):
    text = subprocess.run([TWINSET, command, "--help"], check=True, capture_output=True).stdout
    listed = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text.decode(), flags=re.M))
    listed |= {"k"} if re.search(r"^ +-k N", text.decode(), flags=re.M) else set()
    everything = {row[0] for row in _core.options()}
    assert listed & everything == names_of(function)


def test_values():
    given = {"threshold": 0.25, "k": 7, "bag": True, "all": False, "memory": "2G", "seed": 2**63,
             "include": ["*.py", "src/**/*.c"], "exclude": "*.md", "stop": pathlib.Path("words"),
             "recall": numpy.float64(0.9), "hashes": numpy.int32(64), "group": None}
    assert options.to_engine("scan", given) == {
        "threshold": "0.25", "k": "7", "bag": "1", "all": "0", "memory": "2G",
        "seed": "9223372036854775808", "include": "*.py\nsrc/**/*.c", "exclude": "*.md",
        "stop": "words", "recall": "0.9", "hashes": "64"}


def test_values_reach_the_engine(tmp_path):
    (tmp_path / "words").write_text("fox\n")
    found = twinset.scan(TEXTS, threshold=0.1, k=5, by="word", bag=True, stop=tmp_path / "words",
                         memory="64M", threads=1, max_bucket=7, shingle_hash="md5", method="lsh",
                         hashes=64, recall=0.9, seed=5, html_boilerplate="keep")
    parameters = found.report()["parameters"]
    assert {name: parameters[name] for name in (
        "threshold", "k", "by", "bag", "max-bucket", "shingle-hash", "method", "hashes", "recall",
        "seed", "html-boilerplate")} == {
        "threshold": 0.1, "k": 5, "by": "word", "bag": True, "max-bucket": 7,
        "shingle-hash": "md5", "method": "lsh", "hashes": 64, "recall": 0.9, "seed": 5,
        "html-boilerplate": "keep"}
    assert found.report()["threads"] == 1


def test_thresholds():
    assert twinset.scan(TEXTS).report()["parameters"]["threshold"] == 0.5
    assert twinset.scan(TEXTS, by="code").report()["parameters"]["threshold"] != 0.5
    assert twinset.dedup(TEXTS).report()["parameters"]["threshold"] == 0.8
    assert twinset.scan(TEXTS, threshold=0).report()["parameters"]["threshold"] == 0


@pytest.mark.parametrize(("call", "message"), [
    (lambda: twinset.scan(TEXTS, treshold=0.5), r"scan\(\) .*'treshold'; did you mean 'threshold'"),
    (lambda: twinset.scan(TEXTS, max_buckets=5), "did you mean 'max_bucket'"),
    (lambda: twinset.scan(TEXTS, colour=1), r"'colour'$"),
    (lambda: twinset.dedup(TEXTS, group="dir"), r"dedup\(\) has no use for the option 'group'"),
    (lambda: twinset.dedup(TEXTS, like=TEXTS), "'like'"),
    (lambda: twinset.compare(FOX, FOX, threshold=0.5), r"compare\(\) has no use.*'threshold'"),
    (lambda: twinset.Sketcher(hashs=5), r"Sketcher\(\).*did you mean 'hashes'"),
    (lambda: twinset.tune(by="char"), r"tune\(\) has no use for the option 'by'"),
    (lambda: twinset.LSH(k=5), "'k'"),
    (lambda: twinset.scan(TEXTS, bag=1), "bag: True or False is wanted, not 1"),
    (lambda: twinset.scan(TEXTS, bag="yes"), "bag: True or False"),
    (lambda: twinset.scan(TEXTS, k=True), "k: N is wanted, not True"),
    (lambda: twinset.scan(TEXTS, k=[5]), r"k: N is wanted, not \[5\]"),
    (lambda: twinset.scan(TEXTS, by=["char"]), "by: auto|char|word|code is wanted"),
    (lambda: twinset.scan(TEXTS, stop=b"words"), "stop: FILE is wanted, not b'words'"),
])
def test_wrong_kinds(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(("given", "message"), [
    ({"k": 0}, "^k: '0' is not a whole number from 1 to 64"), ({"k": 2.5}, "'2.5'"),
    ({"threshold": 1.5}, "^threshold: '1.5'"), ({"threshold": float("nan")}, "'nan'"),
    ({"by": "letter"}, r"^by: 'letter' is not one of auto\|char\|word\|code"),
    ({"memory": "much"}, "^memory: 'much'"), ({"stop": "/no/such/file"}, "/no/such/file"),
    ({"lang": "klingon"}, "klingon"), ({"bands": 200, "rows": 200, "hashes": 256}, "40000 hashes"),
])
def test_wrong_values(given, message):
    """The message is the engine's, with options named as in Python."""
    with pytest.raises(twinset.Error, match=message) as raised:
        twinset.scan(TEXTS, **given)
    assert isinstance(raised.value, (ValueError, OSError))
