"""The functions of the module, and messages of exceptions."""

import math
from array import array

import pytest

from twinset import _core

A = "The keeper of the lighthouse climbed the stairs every evening."
B = "The keeper of the lighthouse climbed these stairs every morning."


def shingles(text, k=9):
    text = text.casefold()
    return {text[i:i + k] for i in range(len(text) - k + 1)}


def test_compare_counts_shingles():
    pair = dict(zip(_core.PAIR_FIELDS, _core.compare(A, B, {}), strict=True))
    a, b = shingles(A), shingles(B)
    assert (pair["a"], pair["b"]) == ("a", "b")
    assert pair["shared"] == len(a & b)
    assert pair["union"] == len(a | b)
    assert pair["jaccard"] == pair["similarity"] == len(a & b) / len(a | b)
    assert pair["containment_a"] == len(a & b) / len(a)
    assert pair["containment_b"] == len(a & b) / len(b)
    assert pair["longest"] == len("The keeper of the lighthouse climbed the")
    assert 0 <= pair["estimate"] <= 1
    assert pair["weighted"] is None is pair["false_alarms"]
    assert _core.compare(A.encode(), B) == tuple(pair.values())


def test_compare_takes_options():
    assert _core.compare(A, B, {"by": "word", "k": "1"})[2] != _core.compare(A, B)[2]
    assert _core.compare("AB", "ab", {"case": "keep"})[2] == 0
    with pytest.raises(_core.EmptyError, match="a: empty"):
        _core.compare("", "")


@pytest.mark.parametrize("options, exception, message", [
    ({"k": "none"}, _core.UsageError, "k"),
    ({"unknown": "1"}, _core.UsageError, "unknown option 'unknown'"),
    ({"k": 5}, TypeError, "the value of an option is int, but must be str"),
    ({5: "k"}, TypeError, "the name of an option is int"),
    ({"k": "5\0"}, ValueError, "NUL"),
    (["k"], TypeError, "dict of str to str"),
])
def test_wrong_options(options, exception, message):
    for take in (lambda: _core.compare(A, B, options), lambda: _core.Collection(options),
                 lambda: _core.Sketcher(options), lambda: _core.tune(options),
                 lambda: _core.tune_walk(options), lambda: _core.normalise(A, options),
                 lambda: _core.shingles(A, options)):
        with pytest.raises(exception, match=message):
            take()


def test_exceptions_are_also_those_of_python():
    assert issubclass(_core.UsageError, _core.Error) and issubclass(_core.UsageError, ValueError)
    assert issubclass(_core.InputError, _core.Error) and issubclass(_core.InputError, OSError)
    assert issubclass(_core.EmptyError, _core.Error)
    assert not issubclass(_core.Error, ValueError)
    with pytest.raises(_core.InputError) as error:
        _core.Collection({"stop": "no such file"}).scan()
    assert "no such file" in str(error.value)


def test_options_are_those_of_the_command():
    table = {name: rest for name, *rest in _core.options()}
    assert table["threshold"][:2] == ["t", "X"]
    assert table["bag"][1] is None
    assert all(topic and text and commands for _, _, topic, text, commands in table.values())
    assert all(text.endswith(".") and "`" not in text for *_, text, _ in table.values())
    assert table["by"][0] == ""


def test_normalise_and_shingles():
    assert _core.normalise("  ＡＢＣ\n\tß ") == "abc ss"
    assert _core.normalise(b"\xff") == "\ufffd"
    hashes = array("Q", _core.shingles(A))
    assert list(hashes) == sorted(set(hashes))
    assert len(hashes) == len(shingles(A))
    assert _core.shingles("") == b""
    assert len(_core.shingles("abababab", {"k": "2", "bag": "1"})) == 7 * 8


def test_merge_and_estimate():
    sketcher = _core.Sketcher()
    a, b = sketcher.text(A), sketcher.text(B)
    merged = array("I", _core.merge(a, b))
    assert list(merged) == [min(pair) for pair in zip(array("I", a), array("I", b), strict=True)]
    same = sum(x == y for x, y in zip(array("I", a), array("I", b), strict=True))
    assert _core.estimate(a, b) == same / 256 == _core.compare(A, B)[8]
    assert _core.estimate(array("I", a), memoryview(b)) == same / 256
    for function in (_core.merge, _core.estimate):
        with pytest.raises(ValueError, match="256 and 128 slots"):
            function(a, b[:512])
        with pytest.raises(ValueError, match="whole numbers of 4 bytes"):
            function(a[:-1], b)
        with pytest.raises(ValueError, match="whole numbers of 4 bytes"):
            function(array("f", a), b)
        with pytest.raises(TypeError):
            function(a, "text")


def test_tuning():
    tuning = _core.tune({"threshold": "0.8", "hashes": "128"})
    assert tuning["hashes"] == 128
    assert tuning["threshold"] == 0.8
    assert tuning["recall"] >= 0.99
    assert tuning["recall"] == _core.probability(tuning["bands"], tuning["rows"], 0.8)
    walk = _core.tune_walk({"hashes": "16", "prefer": "accuracy"})
    assert [(step["bands"], step["rows"]) for step in walk] == [
        (1, 16), (2, 8), (4, 4), (8, 2), (16, 1)]
    assert math.isclose(_core.probability(2, 3, 0.5), 1 - (1 - 0.5**3) ** 2)


def test_docstrings_say_how_to_call():
    for documented in (_core, _core.compare, _core.Collection, _core.Collection.scan,
                       _core.LSH.query, _core.Sketcher.texts, _core.Result, _core.Error):
        assert documented.__doc__
    assert _core.compare.__text_signature__ == "($module, a, b, options=None, /)"
