"""Signatures from numbers and byte strings."""

import hashlib
import random
from array import array

import numpy
import pytest

from twinset import _core

MERSENNE = 2**61 - 1


def slots_of(hashes, a, b):
    """datasketch 1.x: ((a h + b) mod 2^64) mod (2^61 - 1), of which 32 bits are kept."""
    return [min(((x * h + y) % 2**64 % MERSENNE) & 0xFFFFFFFF for h in hashes)
            for x, y in zip(a, b, strict=True)]


def sha1(item):
    return int.from_bytes(hashlib.sha1(item).digest()[:4], "little")


@pytest.fixture
def sketcher():
    return _core.Sketcher({"hashes": "8", "scheme": "datasketch1", "seed": "1"})


def test_published_values():
    sketcher = _core.Sketcher({"hashes": "4", "scheme": "datasketch1", "seed": "1"})
    assert array("I", sketcher.items([b"Hello"])).tolist() == [
        734825475, 960773806, 359816889, 342714745]


def test_items(sketcher):
    seed = 20261116
    print("seed", seed)
    draw = random.Random(seed)
    items = [draw.randbytes(draw.randrange(80)) for _ in range(100)]
    a, b = (array("Q", subset) for subset in sketcher.functions())
    wanted = slots_of([sha1(item) for item in items], a, b)
    assert array("I", sketcher.items(items)).tolist() == wanted
    assert array("I", sketcher.items(iter(items))).tolist() == wanted
    assert array("I", sketcher.items([bytearray(item) for item in items])).tolist() == wanted
    assert array("I", sketcher.items(memoryview(item) for item in items)).tolist() == wanted
    assert sketcher.items([]) == b"\xff" * 32


@pytest.mark.parametrize("wrong", [["a"], [1], [None], b"abc", "abc", 7])
def test_wrong_items(sketcher, wrong):
    with pytest.raises(TypeError, match="items|not iterable"):
        sketcher.items(wrong)


def test_values(sketcher):
    values = [0, 1, 2**32 - 1, 2**32, 2**61 - 1, 2**64 - 1]
    a, b = (array("Q", subset) for subset in sketcher.functions())
    for subset in (values, values[2:4], values[5:]):
        wanted = slots_of(subset, a, b)
        assert array("I", sketcher.values(array("Q", subset))).tolist() == wanted
        assert array("I", sketcher.values(numpy.array(subset, numpy.uint64))).tolist() == wanted
        assert array("I", sketcher.values(array("Q", subset).tobytes())).tolist() == wanted
    assert sketcher.values(b"") == b"\xff" * 32
    apart = numpy.zeros(4, numpy.uint64)[::2]
    for wrong in (array("I", [1, 2]), array("d", [1]), b"1234567", apart):
        with pytest.raises((ValueError, BufferError)):
            sketcher.values(wrong)


def held(values, dtype=numpy.uint64):
    made = _core.HashValues()
    made.hashvalues = numpy.array(values, dtype)
    return made


@pytest.mark.parametrize("dtype", [numpy.uint32, numpy.uint64])
def test_lower(sketcher, dtype):
    first, second = [b"a", b"b", b"c"], [b"d", b"e"]
    whole = array("I", sketcher.items(first + second)).tolist()
    slots = held([2**32 - 1] * 8, dtype)
    sketcher.lower(first, slots)
    assert slots.hashvalues.tolist() == array("I", sketcher.items(first)).tolist()
    sketcher.lower(second, slots)
    assert slots.hashvalues.tolist() == whole
    sketcher.lower([], slots)
    assert slots.hashvalues.tolist() == whole
    values = array("Q", [sha1(b"f")])
    sketcher.lower_values(values, slots)
    assert slots.hashvalues.tolist() == array("I", sketcher.items([*first, *second, b"f"])).tolist()
    assert slots.hashvalues.dtype == dtype
    zeros = held([0] * 8, dtype)
    sketcher.lower(first, zeros)
    assert zeros.hashvalues.tolist() == [0] * 8


def test_many_hashvalues():
    sketcher = _core.Sketcher({"hashes": "1000", "scheme": "datasketch1"})
    slots = held([2**32 - 1] * 1000)
    sketcher.lower([b"a", b"b"], slots)
    assert slots.hashvalues.tolist() == array("I", sketcher.items([b"a", b"b"])).tolist()


def test_unshared_values_are_lowered_in_place(sketcher):
    slots = held([2**32 - 1] * 8)
    address = slots.hashvalues.ctypes.data
    sketcher.lower([b"a"], slots)
    assert slots.hashvalues.ctypes.data == address


@pytest.mark.parametrize("look", [lambda held: held.hashvalues, lambda held: held.hashvalues[2:],
                                  lambda held: memoryview(held.hashvalues)])
def test_shared_values_are_not_lowered(sketcher, look):
    slots = held([2**32 - 1] * 8)
    seen = look(slots)
    sketcher.lower([b"a"], slots)
    assert (numpy.asarray(seen) == 2**32 - 1).all()
    assert slots.hashvalues.tolist() == array("I", sketcher.items([b"a"])).tolist()


def test_views_are_not_lowered(sketcher):
    whole = numpy.full((2, 16), 2**32 - 1, numpy.uint64)
    fixed = numpy.broadcast_to(numpy.uint64(2**32 - 1), 8)
    slots = _core.HashValues()
    for subset in (lambda: whole[0, :8], lambda: whole[1, ::2], lambda: fixed[:]):
        slots.hashvalues = subset()
        sketcher.lower([b"a"], slots)
        assert slots.hashvalues.tolist() == array("I", sketcher.items([b"a"])).tolist()
        assert (whole == 2**32 - 1).all() and (fixed == 2**32 - 1).all()


def test_wrong_hashvalues(sketcher):
    for wrong in (numpy.ones(7, numpy.uint32), numpy.ones(9, numpy.uint64),
                  numpy.ones(8, numpy.uint16), numpy.ones((8, 2), numpy.uint32), [1] * 8):
        slots = _core.HashValues()
        slots.hashvalues = wrong
        with pytest.raises(ValueError, match="8 whole numbers of 4 or 8 bytes"):
            sketcher.lower([b"a"], slots)
    with pytest.raises(AttributeError):
        sketcher.lower([b"a"], _core.HashValues())
    with pytest.raises(TypeError, match="HashValues"):
        sketcher.lower([b"a"], numpy.ones(8, numpy.uint64))
    with pytest.raises(TypeError):
        sketcher.lower([b"a"])


def test_functions(sketcher):
    a, b = array("Q", range(1, 9)), array("Q", range(8))
    sketcher.set_functions(a, b)
    assert sketcher.functions() == (a.tobytes(), b.tobytes())
    wanted = slots_of([sha1(b"a"), sha1(b"b")], a, b)
    assert array("I", sketcher.items([b"a", b"b"])).tolist() == wanted
    modular = _core.Sketcher({"hashes": "2", "scheme": "modular"})
    modular.set_functions(array("Q", [3, 5]), array("Q", [1, 2]), 101)
    assert array("I", modular.values(array("Q", [40, 7]))).tolist() == [20, 0]
    with pytest.raises(ValueError, match="a must be 8 numbers"):
        sketcher.set_functions(a[:3], b)
    with pytest.raises(_core.UsageError):
        _core.Sketcher({"scheme": "fss"}).functions()


def test_hashes():
    assert _core.Sketcher().hashes == 256
    assert _core.Sketcher({"hashes": "7"}).hashes == 7
    with pytest.raises(AttributeError):
        _core.Sketcher().hashes = 7
