"""Collections and their results."""

import json
import os
import struct
from array import array

import pytest

from twinset import _core

BASE = "A text of some length about bridges, rivers and the people who cross them every day. "
TEXTS = [BASE + "First.", BASE + "Second.", BASE + "Third one, longer.", "Something else entirely.",
         "Something else entirely!"]
PROGRAM = """def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


def spread(values):
    middle = mean(values)
    return sum(abs(value - middle) for value in values) / len(values)
"""


def collected(options=None, texts=TEXTS, names=None, **keywords):
    collection = _core.Collection(options, **keywords)
    collection.add_texts(texts, names)
    return collection


def written(write, *arguments):
    chunks = []
    write(*arguments, chunks.append)
    assert all(type(chunk) is bytes for chunk in chunks)
    return b"".join(chunks)


def test_scan():
    result = collected({"threshold": "0.3"}, names=list("abcde")).scan()
    run = result.run()
    assert run["documents"] == 5
    assert run["method"] == "exact"
    assert len(result) == run["pairs"] == 4
    pairs = [dict(zip(_core.PAIR_FIELDS, result.pair(i), strict=True)) for i in range(4)]
    assert {(pair["a"], pair["b"]) for pair in pairs} == {("a", "b"), ("a", "c"), ("b", "c"),
                                                         ("d", "e")}
    for pair in pairs:
        exact = _core.compare(TEXTS[ord(pair["a"]) - 97], TEXTS[ord(pair["b"]) - 97])
        assert pair["similarity"] == exact[2]
        assert pair["shared"] == exact[6]
    number, members, typical, lowest = result.cluster(0)
    assert (number, members) == (1, ["a", "b", "c"])
    assert typical in members
    assert lowest == min(pair["similarity"] for pair in pairs if pair["cluster"] == 1)
    for wrong in (4, -1, 2**70):
        with pytest.raises(IndexError):
            result.pair(wrong)
    with pytest.raises(IndexError):
        result.cluster(2)
    with pytest.raises(TypeError):
        result.pair("0")


def test_columns():
    result = collected({"threshold": "0.3"}, names=["ä", "b", "c", "d", "e" * 40]).scan()
    count = len(result)
    for position, field in enumerate(_core.PAIR_FIELDS):
        wanted = [result.pair(i)[position] for i in range(count)]
        data, offsets = result.column("pairs", field)
        if offsets is not None:
            starts = array("q", offsets)
            assert len(starts) == count + 1
            found = [data[a:b].decode() or None
                     for a, b in zip(starts, starts[1:], strict=False)]
        else:
            kind = "d" if any(type(value) is float or value is None for value in wanted) else "Q"
            found = [None if value != value else value
                     for value in struct.unpack(f"={count}{kind}", data)]
        assert found == wanted, field
    with pytest.raises(ValueError, match="pairs have no field 'id'"):
        result.column("pairs", "id")
    with pytest.raises(ValueError, match="unknown kind 'triples'; there are: pairs, removed"):
        result.column("triples", "a")
    empty = collected({"threshold": "1"}, TEXTS[:2]).scan()
    assert empty.column("pairs", "a") == (b"", b"\0" * 8)
    assert empty.column("pairs", "jaccard") == (b"", None)


def test_formats():
    result = collected({"threshold": "0.3"}, names=list("abcde")).scan()
    lines = [json.loads(line) for line in written(result.write, "jsonl").splitlines()]
    assert [(line["a"], line["b"]) for line in lines] == [result.pair(i)[:2] for i in range(4)]
    whole = json.loads(written(result.write, "json"))
    assert [{**pair, "passages": None} for pair in whole["pairs"]] == [
        {**line, "passages": None} for line in lines]
    assert written(result.write, "csv").count(b"\n") == 5
    assert b"4 similar pairs in 5 documents" in written(result.write, "table")
    assert json.loads(written(result.write_report))["version"] == _core.version
    with pytest.raises(ValueError, match="unknown format 'xml'; there are: table, csv,"):
        result.write("xml", print)
    with pytest.raises(_core.UsageError):
        result.write("binary", print)


def test_dedup_and_cleaning(tmp_path):
    source = tmp_path / "records.jsonl"
    source.write_text("".join(json.dumps({"id": f"r{i}", "text": text}) + "\n"
                              for i, text in enumerate(TEXTS)))
    collection = _core.Collection({"threshold": "0.3"})
    collection.add_path(source)
    result = collection.dedup()
    assert [result.removed(i)[:2] for i in range(3)] == [("r1", "r0"), ("r2", "r0"), ("r4", "r3")]
    data, offsets = result.column("removed", "kept")
    assert (data, array("q", offsets).tolist()) == (b"r0r0r3", [0, 2, 4, 6])
    data, _ = result.column("removed", "similarity")
    assert list(struct.unpack("=3d", data)) == [result.removed(i)[2] for i in range(3)]
    assert collection.outputs(False, False) == ["records.jsonl"]
    chunks = []
    counts = collection.clean(result, 0, None, False, chunks.append)
    assert counts == (5, 2, 3, 0)
    kept = b"".join(chunks).decode()
    lines = source.read_text().splitlines(keepends=True)
    assert kept == lines[0] + lines[3]
    removed = [json.loads(line) for line in written(result.write_removed).splitlines()]
    assert [line["id"] for line in removed] == ["r1", "r2", "r4"]
    report = json.loads(written(lambda write: result.write_report(write, counts)))
    assert report["cleaned"] == {"read": 5, "kept": 2, "removed": 3, "skipped": 0}
    assert {name for name, _, _ in result.stages()} >= {"write"}
    with pytest.raises(ValueError, match="another collection"):
        collected().clean(result, 0, None, False, chunks.append)
    with pytest.raises(IndexError):
        collection.clean(result, 1, None, False, chunks.append)
    with pytest.raises(IndexError):
        collection.clean(result, -1, None, False, chunks.append)


def test_every_input_has_an_output(tmp_path):
    for name in ("template", "one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": BASE + name}) + "\n")
    collection = _core.Collection()
    for name, role in (("template", "ignore"), ("one", "new"), ("two", "new")):
        collection.add_path(tmp_path / f"{name}.jsonl", role)
    assert collection.outputs(True, False) == [None, "one.jsonl", "two.jsonl"]


def test_dedup_keeps_the_longest():
    result = collected({"threshold": "0.3"}, names=list("abcde")).dedup("longest")
    assert [result.removed(i)[0] for i in range(result.run()["removed"])] == ["a", "b", "e"]
    with pytest.raises(_core.Error):
        collected().dedup("")


def test_compare_of_programs_has_passages():
    renamed = PROGRAM.replace("value", "number").replace("total", "sum_of_all")
    collection = _core.Collection({"by": "code", "lang": "python"})
    collection.add_texts([PROGRAM, renamed], ["b.py", "a.py"])
    result = collection.compare()
    assert result.pair(0)[:2] == ("b.py", "a.py")
    passages = result.passages(0)
    assert passages[0]["a"]["first_line"] == 1
    assert passages[0]["a"]["last_line"] == len(PROGRAM.splitlines())
    assert passages[0]["kinds"] == ["renamed"]
    assert ("value", "number") in [rename[:2] for rename in passages[0]["renames"]]
    with pytest.raises(IndexError):
        result.passages(1)


def test_grammars_are_in_the_package():
    """Without a grammar, a program would be lexed, and flagged."""
    collection = _core.Collection({"by": "code", "lang": "python"})
    collection.add_texts([PROGRAM, PROGRAM], ["a.py", "b.py"])
    assert collection.scan().flagged() == []
    with open("/proc/self/maps") as file:
        loaded = {line.split()[-1] for line in file if line.endswith("/python.so\n")}
    assert loaded == {os.path.join(os.path.dirname(_core.__file__), "grammars/python.so")}


def test_roles():
    collection = _core.Collection({"threshold": "0.3"})
    collection.add_texts(TEXTS[:2], ["old a", "old b"], role="old")
    collection.add_texts(TEXTS[2:3], ["new"])
    result = collection.scan()
    assert {result.pair(i)[:2] for i in range(len(result))} == {("new", "old a"), ("new", "old b")}
    with pytest.raises(ValueError, match="unknown role 'odd'; there are: new, old, like, ignore"):
        collection.add_texts([], role="odd")


def test_paths(tmp_path):
    for i, text in enumerate(TEXTS):
        (tmp_path / f"{i}.txt").write_text(text)
    collection = _core.Collection()
    collection.add_path(tmp_path)
    collection.add_path(str(tmp_path / "missing.txt"))
    assert len(collection.inputs()) == 5
    [(path, reason, empty)] = collection.skipped()
    assert path.endswith("missing.txt") and reason and empty is False
    result = collection.scan()
    assert result.run()["documents"] == 5
    assert result.skipped() == collection.skipped()
    with pytest.raises(ValueError):
        _core.Collection().add_path("with\0nul")
    with pytest.raises(TypeError):
        _core.Collection().add_path(7)


def test_texts_and_signatures():
    collection = collected(names=list("edcba"))
    seen = []
    collection.texts(lambda name, text: seen.append((name, text)))
    assert [name for name, _ in seen] == list("abcde")
    assert seen[0][1] == TEXTS[4].lower()
    lines = [json.loads(line) for line in written(collection.sketch, "jsonl").splitlines()]
    sketcher = _core.Sketcher()
    assert len(lines) == 5
    for line, text in zip(lines, reversed(TEXTS), strict=True):
        assert line["signature"] == array("I", sketcher.text(text)).tolist()
    assert len(written(collection.sketch, "binary")) > 5 * 256 * 4


def test_exceptions_of_callbacks_are_raised():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop("enough")

    result = collected({"threshold": "0.3"}).scan()
    for call in (lambda: result.write("json", stop), lambda: result.write_report(stop),
                 lambda: collected().sketch("jsonl", stop), lambda: collected().texts(stop),
                 lambda: collected().dedup().write_removed(stop)):
        with pytest.raises(Stop, match="enough"):
            call()
    assert len(written(result.write, "jsonl")) > 0  # the result can still be used
    with pytest.raises(TypeError):
        result.write("json", 7)


def test_progress():
    seen = []
    texts = [f"{BASE} {i} {BASE[i % 40:]}" for i in range(3000)]
    collection = collected({"method": "lsh", "threads": "1"}, texts,
                           progress=lambda *report: seen.append(report))
    collection.scan()
    assert seen
    assert all(type(stage) is str and done <= total or not total for stage, done, total in seen)


def test_progress_can_end_a_run():
    def stop(*_):
        raise LookupError("stopped")

    texts = [f"{BASE} {i} {BASE[i % 40:]}" for i in range(3000)]
    collection = collected({"method": "lsh", "threads": "1"}, texts, progress=stop)
    with pytest.raises(LookupError, match="stopped"):
        collection.scan()
    with pytest.raises(LookupError, match="stopped"):
        collection.dedup()


def test_a_result_is_a_value():
    """A result does not change if documents are added or runs are made afterwards."""
    collection = collected({"threshold": "0.3"})
    result = collection.scan()
    first = written(result.write, "json")
    collection.add_texts([TEXTS[0]])
    collection.texts(lambda *_: None)
    more = collection.scan()
    assert len(more) > len(result)
    assert written(result.write, "json") == first
    del collection
    assert written(result.write, "json") == first


def test_cancel():
    collection = collected()
    collection.cancel()
    with pytest.raises(_core.Error, match="interrupted"):
        collection.scan()
    assert len(collection.scan()) >= 0


def test_a_callback_cannot_use_its_collection():
    caught = []

    def nosy(*_):
        with pytest.raises(_core.Error, match="in use by the call") as error:
            collection.inputs()
        caught.append(error)

    collection = collected()
    collection.texts(nosy)
    assert len(caught) == len(TEXTS)


def test_results_cannot_be_constructed():
    with pytest.raises(TypeError):
        _core.Result()
