"""Index: documents in a file. Its answers are those of the command and of scan()."""
import json
import os
import subprocess
import threading

import pytest

import twinset

TWINSET = os.environ.get("TWINSET", "")


def text(number):
    return (f"The bridge over the river was built in a single year, {number} years ago, "
            f"of stone from the hill {number * number} behind it.")


@pytest.fixture(name="index")
def made(tmp_path):
    with twinset.Index(tmp_path / "i.twx") as index:
        index.add({"id": f"d{i}", "text": text(i), "group": f"g{i % 3}", "year": 2000 + i}
                  for i in range(30))
        yield index


def test_documents_are_added_and_removed(index):
    assert len(index) == 30 and "d3" in index and "e3" not in index and 3 not in index
    assert index.get("d3") == twinset.Document("d3", text(3), "g0", {"year": 2003})
    assert index.get("nobody") is None
    assert index.add([{"id": "d3", "text": text(3)}]) == (0, 1, 0)
    assert index.add([{"id": "d3", "text": "another"}, {"id": "e", "text": ""}]) == (0, 0, 2)
    assert [(entry.id, entry.is_empty) for entry in index.skipped] == [("d3", False), ("e", True)]
    assert [entry.id for entry in index.documents("d1?")] == [f"d{i}" for i in range(10, 20)]
    assert index.remove("d3", "nobody") == 1 and "d3" not in index
    assert index.remove_matching(group="g1") == 10
    assert index.remove_matching("d2?", "g0") == 3
    assert len(index) == 16 and index.verify() == []
    with pytest.raises(twinset.UsageError, match="match or group"):
        index.remove_matching()


def test_query_is_a_scan(index):
    """A query gives the pairs and passages of scan() with like."""
    documents = index.documents()
    asked = [text(7) + " More.", "Nothing of the kind."]
    found = index.query(asked, ["q1", "q2"], threshold=0.6)
    scanned = twinset.scan([entry.text for entry in documents], [entry.id for entry in documents],
                           threshold=0.6, like=asked[:1])
    assert len(found) > 1
    assert [(pair.a, *pair[2:]) for pair in found] == [(pair.a, *pair[2:]) for pair in scanned]
    assert found[0][:3] == ("d7", "q1", pytest.approx(0.92, abs=0.1))
    assert found.passages(0)[0]["tokens"] > 10
    assert index.query([text(7)])[0][:3] == (0, "d7", 1.0)  # by its position


def test_files(tmp_path, index):
    records = [{"id": f"r{i}", "text": text(100 + i % 2), "author": f"a{i}"} for i in range(4)]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    pairs, counts = index.add_and_find(path, threshold=0.9, group="author")
    assert counts == (4, 0, 0)
    assert {("r0", "r2"), ("r1", "r3")} <= {(pair.a, pair.b) for pair in pairs}
    assert ["r0", "r2"] in [[id for id in ids if id.startswith("r") and int(id[1]) % 2 == 0]
                            for ids in index.clusters()]
    assert index.get("r1").metadata == {"author": "a1"}
    assert index.add_files([path]) == (0, 4, 0)
    found = index.query(path, group="author", threshold=0.9)
    assert all("r0" not in pair[:2] or pair.a != pair.b for pair in found)


def test_options_of_an_index_do_not_change(tmp_path, index):
    with pytest.raises(twinset.UsageError, match="was made with 9"):
        twinset.Index(tmp_path / "i.twx", k=5)
    with pytest.raises(twinset.UsageError, match="an index keeps it"):
        index.query(["text"], k=5)
    with pytest.raises(TypeError, match="no option 'colour'"):
        twinset.Index(tmp_path / "j.twx", colour=1)
    with twinset.Index(tmp_path / "words.twx", by="word", k=2) as words:
        words.add([{"id": "a", "text": "one two three"}])
        assert words.query(["two three four"], threshold=0.1)[0].similarity == pytest.approx(1 / 3)


def test_without_texts(tmp_path):
    with twinset.Index(tmp_path / "n.twx", keep_texts=False) as index:
        index.add([{"id": "a", "text": text(1)}])
        assert index.get("a").text is None and not index.stat()["has_texts"]
        found = index.query([text(1)])
        assert found[0].similarity == 1.0
        assert any("every figure is an estimate" in note for note in found.notes)


def test_fingerprints_of_passages(tmp_path):
    with twinset.Index(tmp_path / "p.twx", min_passage=20) as index:
        assert index.stat()["has_fingerprints"] and index.stat()["version"] == 2


def test_whole_index(tmp_path, index):
    index.backup(tmp_path / "copy.twx")
    with pytest.raises(twinset.UsageError, match="exists"):
        index.backup(tmp_path / "copy.twx")
    with twinset.Index(tmp_path / "copy.twx") as copy:
        copy.add([{"id": "new", "text": "Something else."}])
    assert index.merge(tmp_path / "copy.twx") == (1, 30, 0)
    index.optimize()
    assert index.stat()["documents"] == 31
    with twinset.Index(tmp_path / "i.twx", read_only=True) as reader:
        assert len(reader) == 31
        with pytest.raises(twinset.UsageError, match="reading only"):
            reader.remove("new")
    with pytest.raises(twinset.InputError):
        twinset.Index(tmp_path / "absent.twx", create=False)
    index.close()
    with pytest.raises(ValueError, match="closed"):
        len(index)


def test_damage_is_reported(tmp_path, index):
    index.close()
    path = tmp_path / "i.twx"
    bytes_ = bytearray(path.read_bytes())
    at = bytes_.index(b"d17\0")
    bytes_[at + 8] ^= 1
    path.write_bytes(bytes_)
    with twinset.Index(path, read_only=True) as damaged:
        assert any("damaged" in problem for problem in damaged.verify())


def test_a_callback_that_raises(index):
    def refuse(*document):
        raise KeyError(document[0])

    with pytest.raises(KeyError, match="d0"):
        index._store.dump(refuse)
    assert len(index) == 30


def test_threads_share_an_index(index):
    found = []
    threads = [threading.Thread(target=lambda: found.append(len(index.query([text(5)]))))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 8


def test_beside_the_command(tmp_path, index):
    """The command and Python use the same file at the same time."""
    if not TWINSET:
        pytest.skip("TWINSET does not name the command")
    (tmp_path / "q.txt").write_text(text(9), encoding="utf-8")
    rows = subprocess.run([TWINSET, "index", "query", "i.twx", "q.txt", "--format", "jsonl"],
                          cwd=tmp_path, check=True, capture_output=True).stdout
    assert index.query([text(9)], ["q.txt"]).to_jsonl() == rows.decode()
