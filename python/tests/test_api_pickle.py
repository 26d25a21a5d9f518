"""A result that was pickled has and writes the same as before."""

import pickle

import pandas
import pytest
import twinset
from twinset import _core
from twins import FOX, TEXTS, families, lines, written


def again(result):
    return pickle.loads(pickle.dumps(result))


def same(before, after):
    for name in ("clusters", "skipped", "flagged", "notes", "run"):
        assert getattr(after, name) == getattr(before, name), name
    assert repr(after) == repr(before)
    assert after._repr_html_() == before._repr_html_()


@pytest.mark.parametrize("data", [
    [FOX, TEXTS[2], FOX.upper(), None, ""],
    pandas.DataFrame({"text": [record["text"] for record in families(7)]}),
])
def test_scan(data):
    before = twinset.scan(data, threshold=0.3)
    after = again(again(before))
    assert len(before) > 0 and list(after) == list(before) and after[0] == before[0]
    same(before, after)
    assert {**after.report(), "peak_memory_bytes": 0} == {**before.report(), "peak_memory_bytes": 0}
    assert after.to_arrow().equals(before.to_arrow())
    assert after.to_pandas().equals(before.to_pandas())
    for format in _core.SCAN_FORMATS:
        if format != "html":
            assert written(after, format) == written(before, format), format
    with pytest.raises(ValueError, match="pickled has no texts"):
        after.passages(0)


def test_scan_of_files(tmp_path):
    for name, text in (("a.py", "def f(a):\n    return a + 1\n"),
                       ("b.py", "def g(b):\n    return b + 1\n")):
        (tmp_path / name).write_text(text)
    before = twinset.scan(tmp_path, threshold=0)
    after = again(before)
    assert list(after) == list(before)
    after.write(tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_bytes() == written(before, "csv")


@pytest.mark.parametrize("keep", ["first", "n"])
def test_dedup(keep):
    frame = pandas.DataFrame([{**record, "n": n} for n, record in enumerate(families(3))])
    before = twinset.dedup(frame, keep=keep)
    after = again(before)
    assert len(before.removed) > 0
    assert list(after.removed) == list(before.removed)
    assert list(again(before.removed)) == list(before.removed)
    assert after.kept == before.kept and after.counts == before.counts
    assert after.table().equals(before.table())
    same(before, after)
    assert after.report()["records"] == before.report()["records"]


def test_dedup_of_files(tmp_path):
    (tmp_path / "in.jsonl").write_text(lines(families(3)))
    before = twinset.dedup(tmp_path / "in.jsonl")
    after = again(before)
    assert list(after.removed) == list(before.removed) and after.counts == before.counts
    with pytest.raises(ValueError, match="what is kept of files is not listed"):
        after.table()
