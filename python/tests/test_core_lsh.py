"""LSH, compared with a plain implementation."""

import gc
import random
import weakref

import numpy
import pytest

from twinset import _core


class PlainLSH:
    def __init__(self, bands, size):
        self.bands, self.size, self.signatures = bands, size, {}

    def query(self, signature, bands=0):
        slices = [slice(i * self.size, (i + 1) * self.size) for i in range(bands or self.bands)]
        return [key for key, stored in self.signatures.items()
                if any(stored[band] == signature[band] for band in slices)]


@pytest.mark.parametrize("bands, size", [(1, 1), (2, 8), (5, 3), (9, 104)])
def test_against_a_plain_implementation(bands, size):
    seed = bands * 1000 + size
    print("seed", seed)
    draw = random.Random(seed)
    plain, lsh = PlainLSH(bands, size), _core.LSH(bands, size)

    def signature():
        return b"".join(bytes([draw.randrange(6)]) * size for _ in range(bands))

    for step in range(3000):
        key = draw.randrange(300)
        if key in plain.signatures and draw.random() < 0.7:
            lsh.remove(key)
            del plain.signatures[key]
        elif key not in plain.signatures:
            plain.signatures[key] = signature()
            lsh.insert(key, plain.signatures[key] + b"more")
        if step % 10 == 0:
            asked, first = signature(), draw.randrange(bands + 1)
            assert lsh.query(asked, first) == plain.query(asked, first)
            assert lsh.query(asked) == plain.query(asked)
    assert lsh.keys() == list(plain.signatures)
    assert len(lsh) == len(plain.signatures)
    for key, stored in plain.signatures.items():
        assert key in lsh and lsh.signature(key) == stored


def test_signatures_of_other_kinds():
    class MinHash:
        def __init__(self, hashvalues):
            self.hashvalues = hashvalues

    lsh = _core.LSH(2, 16)
    values = numpy.arange(5, dtype=numpy.uint64)
    lsh.insert("array", values)
    lsh.insert("object", MinHash(values))
    lsh.insert("bytes", values.tobytes())
    for signature in (MinHash(values), bytearray(values)):
        assert lsh.query(signature) == ["array", "object", "bytes"]
    for wrong, exception in [(values[:3], ValueError), (values[::2], (ValueError, BufferError)),
                             (None, TypeError), (MinHash([1, 2]), TypeError), ("text", TypeError)]:
        with pytest.raises(exception):
            lsh.insert("wrong", wrong)
        with pytest.raises(exception):
            lsh.query(wrong)
    assert len(lsh) == 3


def test_keys():
    lsh = _core.LSH(1, 1)
    for key in (None, 1, "1", (1, 2), 1.5, frozenset([1])):
        lsh.insert(key, b"x")
    assert lsh.query(b"x") == [None, 1, "1", (1, 2), 1.5, frozenset([1])]
    with pytest.raises(ValueError, match="^The given key already exists$"):
        lsh.insert(True, b"y")  # True equals the key 1
    with pytest.raises(TypeError, match="unhashable"):
        lsh.insert([], b"x")
    with pytest.raises(TypeError, match="unhashable"):
        lsh.remove([])
    with pytest.raises(ValueError, match="^The given key does not exist$"):
        lsh.remove("absent")
    with pytest.raises(ValueError, match="^The given key does not exist$"):
        lsh.signature("absent")


def test_wrong_arguments():
    for wrong in ((0, 1), (1, 0), (-1, 1), (1, -1)):
        with pytest.raises(ValueError):
            _core.LSH(*wrong)
    lsh = _core.LSH(2, 1)
    for wrong in (3, -1, 2**40):
        with pytest.raises(ValueError, match="bands is"):
            lsh.query(b"xy", wrong)
    with pytest.raises(TypeError):
        lsh.query(b"xy", "1")
    with pytest.raises(TypeError):
        lsh.query()
    with pytest.raises(TypeError):
        lsh.insert("a")
    with pytest.raises(ValueError, match="already"):
        lsh.__init__(2, 1)
    assert (lsh.bands, lsh.band_bytes) == (2, 1)


def test_derived_classes():
    class Derived(_core.LSH):
        def __init__(self, threshold):
            self.threshold = threshold
            super().__init__(3, 2)

    lsh = Derived(0.9)
    lsh.insert("a", b"aabbcc")
    lsh.extra = lsh  # a cycle, for the garbage collector
    assert lsh.query(b"xxbbxx") == ["a"]
    watch = weakref.ref(lsh)
    del lsh
    gc.collect()
    assert watch() is None

    class Forgets(_core.LSH):
        def __init__(self):
            pass

    for call in (lambda lsh: lsh.insert("a", b"x"), lambda lsh: lsh.query(b"x")):
        with pytest.raises(ValueError, match="not called"):
            call(Forgets())
    assert len(Forgets()) == 0 and "a" not in Forgets() and Forgets().keys() == []
    with pytest.raises(ValueError, match="does not exist"):
        Forgets().remove("a")


def test_cycle_through_a_key():
    class Key:
        pass

    key = Key()
    key.lsh = _core.LSH(1, 1)
    key.lsh.insert(key, b"x")
    watch = weakref.ref(key)
    del key
    gc.collect()
    assert watch() is None


def test_keys_that_use_the_index_while_they_are_compared():
    lsh = _core.LSH(1, 1)

    class Key:
        def __init__(self, number):
            self.number = number

        def __hash__(self):
            return 7

        def __eq__(self, other):
            lsh.query(b"x")
            if f"made by {self.number}" not in lsh:
                lsh.insert(f"made by {self.number}", b"x")
            return self.number == other.number

    for number in range(20):
        lsh.insert(Key(number), b"x")
    for number in range(0, 20, 2):
        lsh.remove(Key(number))
    found = [key.number for key in lsh.query(b"x") if isinstance(key, Key)]
    assert found == list(range(1, 20, 2))


def test_keys_that_cannot_be_compared():
    class Key:
        def __hash__(self):
            return 7

        def __eq__(self, other):
            raise ZeroDivisionError

    lsh = _core.LSH(1, 1)
    lsh.insert(Key(), b"x")
    for call in (lambda: lsh.insert(Key(), b"x"), lambda: lsh.remove(Key()),
                 lambda: Key() in lsh, lambda: lsh.signature(Key())):
        with pytest.raises(ZeroDivisionError):
            call()
    assert len(lsh) == len(lsh.query(b"x")) == 1
