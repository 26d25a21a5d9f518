"""Defaults, limits and lists are in the engine only, not in the command and the package."""

import ast
import inspect
import json
import pathlib
import re
import subprocess
from functools import partial

import pytest
import twinset
from twinset import _core, options, rules
from twins import FOX, TWINSET

PACKAGE = pathlib.Path(twinset.__file__).parent
RULES = _core.rules()


def help_of(command):
    text = subprocess.run([TWINSET, command, "--help"], check=True, capture_output=True).stdout
    return " ".join(text.decode().split())


def test_values_are_the_engines():
    assert rules.THRESHOLD == float(RULES["threshold"]) == 0.5
    assert rules.DEDUP_THRESHOLD == float(RULES["dedup-threshold"]) == 0.8
    assert (rules.HASHES, rules.STAR, rules.LOOKS) == (256, 16, 1000)
    assert "|".join(rules.KEEP) == RULES["keep"]
    assert "|".join(rules.TIMES) == RULES["times"]
    assert set(rules.STEP_FORMATS) <= set(_core.SCAN_FORMATS)


def test_the_engine_uses_the_rules():
    """A run reports the default of an option that was not given."""
    texts = [FOX, FOX + " And again.", "something else"]
    assert twinset.scan(texts).report()["parameters"]["threshold"] == rules.THRESHOLD
    cleaned = twinset.dedup(texts).report()["parameters"]
    assert cleaned["threshold"] == rules.DEDUP_THRESHOLD
    assert {name: str(cleaned[name]) for name in ("recall", "max-bucket")} == {
        name: RULES[name] for name in ("recall", "max-bucket")}
    assert 0 < cleaned["hashes"] < rules.HASHES  # chosen automatically


def test_the_default_of_one_run_is_not_that_of_the_next():
    collection = _core.Collection()
    collection.add_texts([FOX, FOX + " And again.", "something else"], ["a", "b", "c"])
    thresholds = []
    for run in (collection.scan, partial(collection.dedup, "first"), collection.scan):
        report = bytearray()
        run().write_report(report.extend)
        thresholds.append(json.loads(report)["parameters"]["threshold"])
    assert thresholds == [rules.THRESHOLD, rules.DEDUP_THRESHOLD, rules.THRESHOLD]


def test_the_command_has_the_formats():
    assert f"--format {'|'.join(_core.SCAN_FORMATS)} " in help_of("scan")


def test_the_commands_help_has_the_values():
    cleaning, scanning = help_of("dedup"), help_of("scan")
    assert f"--keep {RULES['keep']}|FIELD " in cleaning
    assert f"Default {RULES['threshold']}; for dedup {RULES['dedup-threshold']};" in cleaning
    assert f"or {RULES['threshold']} if that is lower" in scanning
    assert f"its first {RULES['star']} only. Default {RULES['max-bucket']};" in scanning
    assert f"Default: {RULES['hashes']}; to find pairs, as many as" in scanning
    assert f"Default {RULES['recall']}." in scanning


def test_functions_have_the_defaults():
    assert inspect.signature(twinset.dedup).parameters["keep"].default == rules.KEEP_FIRST
    made = inspect.signature(twinset.LSH).parameters
    assert made["threshold"].default == rules.THRESHOLD
    assert made["hashes"].default == rules.HASHES


@pytest.mark.parametrize(("file", "name"), [
    ("spark/__init__.py", "dedup"), ("beam/transforms.py", "__init__")])
def test_engines_have_the_defaults(file, name):
    """The defaults are read from the source, since Spark and Beam are not installed here."""
    functions = [node for node in ast.walk(ast.parse((PACKAGE / file).read_text()))
                 if isinstance(node, ast.FunctionDef) and node.name == name]
    given = {(argument.arg, ast.unparse(default)) for function in functions
             for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults)
             if default is not None and argument.arg in ("keep", "threshold")}
    assert given == {("keep", "KEEP_FIRST"), ("threshold", "DEDUP_THRESHOLD")}


def test_no_rule_is_repeated():
    """The package has no list of keep rules, times, formats or options."""
    words = {word for name in ("keep", "times") for word in RULES[name].split("|")}
    lists = [set(value.split("|")) for name, value in RULES.items() if name.startswith("formats")]
    names = {row[0] for row in _core.options()}
    for path in sorted(PACKAGE.rglob("*.py")):
        if {"datasketch", "lab"} & set(path.relative_to(PACKAGE).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                found = {node_.value for node_ in node.elts
                         if isinstance(node_, ast.Constant) and isinstance(node_.value, str)}
                assert len(found & words) < 2 and found not in lists, (path, found)
                assert len(found & names) < 5, (path, found)


def test_sentences_name_options_as_python_does():
    with pytest.raises(twinset.Error, match=r"^memory: 'much' is not a size"):
        twinset.scan([FOX], memory="much")
    with pytest.raises(twinset.Error, match=r"use method=exact, or a threshold$"):
        twinset.scan([FOX], method="lsh", threshold=0)
    with pytest.raises(twinset.Error, match=r"leave shingle_hash= out$"):
        twinset.scan([FOX], scheme="datasketch1", shingle_hash="md5")
    before = _core.use_command_words(True)
    try:
        with pytest.raises(twinset.Error, match=r"^--memory: 'much' is not a size"):
            twinset.scan([FOX], memory="much")
    finally:
        assert _core.use_command_words(before) and not before


def test_switches_and_fields(tmp_path):
    (tmp_path / ".hidden").write_text(FOX)
    (tmp_path / "a.txt").write_text(FOX)
    (tmp_path / "b.txt").write_text(FOX)
    found = twinset.scan(tmp_path, group="course")
    assert any("all=True takes it in" in note for note in found.notes)
    assert any(note.startswith("group=course: no document has") for note in found.notes)
    assert not any(re.search("`|--", note) for note in found.notes)


def test_options_of_functions():
    assert {row[0] for row in options.known("twinset.spark")} == {
        row[0] for row in options.known("twinset.beam")} > {"threshold", "k", "memory"}
    assert "group" not in {row[0] for row in options.known("dedup")}
