"""Sketcher, Signature, LSH and tune."""

import json
import pickle
import random
import struct

import numpy
import pyarrow
import pytest
import twinset
from twins import FOX, TEXTS, command, families, lines


def test_signatures_are_the_commands(tmp_path):
    records = families(1)
    (tmp_path / "in.jsonl").write_text(lines(records))
    for options, keywords in (([], {}), (["-n", "64", "--by", "word", "-k", "2", "--scheme",
                                          "affine", "--seed", "7"],
                                         {"hashes": 64, "by": "word", "k": 2, "scheme": "affine",
                                          "seed": 7})):
        out, _ = command("sketch", "in.jsonl", *options, cwd=tmp_path)
        expected = {row["id"]: row["signature"] for row in map(json.loads, out.splitlines())}
        sketcher = twinset.Sketcher(**keywords)
        many = sketcher.sketch_many([signature_["text"] for signature_ in records])
        for record, signature in zip(records, many, strict=True):
            assert list(signature) == expected[record["id"]]
            assert sketcher.sketch(record["text"]) == signature
        assert sketcher.hashes == len(many[0]) == keywords.get("hashes", 256)


def test_a_signature():
    sketcher = twinset.Sketcher(hashes=128)
    a, b = map(sketcher.sketch, TEXTS[:2])
    assert a == sketcher.sketch(FOX) != b and a != bytes(a)
    assert len({a, b, sketcher.sketch(FOX)}) == 2
    assert a.jaccard(a) == 1.0
    assert a.jaccard(b) == sum(x == y for x, y in zip(a, b)) / 128
    assert list(a.merge(b)) == list(map(min, a, b))
    assert len(a) == 128 and a[0] == list(a)[0] == struct.unpack("=128I", bytes(a))[0]
    assert bytes(a) == a.bytes() and twinset.Signature.from_bytes(a.bytes()) == a
    assert pickle.loads(pickle.dumps(a)) == a
    assert memoryview(a.hashvalues).format == "I" and a.hashvalues.readonly
    assert numpy.asarray(a).dtype == numpy.uint32 and numpy.asarray(a).tolist() == list(a)
    assert numpy.array(a, dtype=numpy.uint64).tolist() == list(a)
    assert numpy.shares_memory(numpy.asarray(a.hashvalues), numpy.asarray(a.hashvalues))
    assert repr(a).startswith(f"<Signature of 128 slots: {a[0]}, ")
    with pytest.raises(AttributeError):
        a.hashvalues = b.hashvalues
    with pytest.raises(TypeError):
        a.hashvalues[0] = 1


def test_empty_signatures():
    sketcher = twinset.Sketcher(hashes=16)
    for text in ("", None, " \n"):
        assert sketcher.sketch(text).is_empty()
        assert sketcher.sketch(text).jaccard(sketcher.sketch("")) == 0.0
    assert not sketcher.sketch("x").is_empty()
    many = sketcher.sketch_many([FOX, None, ""])
    assert [signature_.is_empty() for signature_ in many] == [False, True, True]


def test_incompatible_signatures():
    a, b = twinset.Sketcher(hashes=16).sketch(FOX), twinset.Sketcher(hashes=32).sketch(FOX)
    for use in (a.jaccard, a.merge):
        with pytest.raises(ValueError):
            use(b)
    for wrong in (b"", b"abc"):
        with pytest.raises((ValueError, TypeError)):
            twinset.Signature.from_bytes(wrong)


def test_many():
    sketcher = twinset.Sketcher(hashes=8)
    for texts in (TEXTS, pyarrow.array(TEXTS), tuple(TEXTS)):
        many = sketcher.sketch_many(texts)
        assert many.hashvalues.shape == numpy.asarray(many).shape == (3, 8)
        assert many.hashvalues.tolist() == numpy.asarray(many).tolist() == list(map(list, many))
        assert many[-1] == many[2] and many[:2] == [many[0], many[1]]
        with pytest.raises(IndexError):
            many[3]
    assert repr(many) == "<3 signatures of 8 slots>"
    empty = sketcher.sketch_many([])
    assert len(empty) == 0 and numpy.asarray(empty).shape == (0, 8) and list(empty) == []


def test_lsh():
    rng = random.Random(1)
    words = [f"word{i}" for i in range(300)]
    texts = [" ".join(rng.choices(words, k=60)) for _ in range(200)]
    sketcher = twinset.Sketcher()
    lsh = twinset.LSH(threshold=0.8)
    for name, text in enumerate(texts):
        lsh.insert(("text", name), sketcher.sketch(text))
    for name, text in enumerate(texts):
        assert ("text", name) in lsh.query(sketcher.sketch(text + " changed"))
    assert len(lsh) == 200 and ("text", 3) in lsh and 3 not in lsh
    lsh.remove(("text", 3))
    assert ("text", 3) not in lsh
    assert lsh.query(sketcher.sketch(texts[3])) == []
    with pytest.raises(ValueError):
        lsh.insert(("text", 4), sketcher.sketch(FOX))
    with pytest.raises(ValueError):
        lsh.remove(("text", 3))
    with pytest.raises(ValueError, match="too short"):
        lsh.query(twinset.Sketcher(hashes=8).sketch(FOX))
    assert (lsh.tuning.bands, lsh.tuning.rows) == (32, 8)
    assert repr(lsh) == "<LSH of 199 signatures in 32 bands of 8 rows>"


def test_lsh_is_tuned(tmp_path):
    lsh = twinset.LSH(0.53, 225, prefer="accuracy")
    assert (lsh.tuning.bands, lsh.tuning.rows) == (45, 5)
    assert lsh.tuning == twinset.tune(threshold=0.53, hashes=225, prefer="accuracy")
    expected = json.loads(command("tune", "-t", "0.53", "-n", "225", "--prefer", "accuracy",
                                  "--format", "json", cwd=tmp_path)[0])
    for field in ("hashes", "threshold", "bands", "rows", "knee", "recall"):
        assert getattr(lsh.tuning, field) == expected[field]
    for point in expected["curve"]:
        assert lsh.tuning.probability(point["s"]) == pytest.approx(point["p"], abs=1e-12)
    assert twinset.tune().threshold == 0.5
