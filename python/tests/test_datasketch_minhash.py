"""MinHash and LeanMinHash compared with datasketch 1.x: values, errors, pickles, and objects of the
other package."""

import pickle
import struct
import warnings

import numpy as np
import pytest
from datasketch_peers import NUM_PERMS, datasketch, dice, random_items

from twinset import datasketch as ours

SEEDS = (0, 1, 2, 42, 2**32 - 1)


def both(items=(), **arguments):
    made = [package.MinHash(**arguments) for package in (ours, datasketch)]
    for minhash in made:
        minhash.update_batch(items)
    return made


def assert_same(mine, theirs):
    assert mine.hashvalues.dtype == theirs.hashvalues.dtype
    assert mine.hashvalues.tobytes() == theirs.hashvalues.tobytes()
    assert mine.digest().tobytes() == theirs.digest().tobytes()
    assert len(mine) == len(theirs)
    assert mine.seed == theirs.seed


def test_published_example():
    minhash = ours.MinHash(4, 1)
    minhash.update(b"Hello")
    assert minhash.hashvalues.tolist() == [734825475, 960773806, 359816889, 342714745]


def test_ten_thousand_random_sets():
    chance = dice()
    for num_perm in NUM_PERMS:
        for seed in SEEDS:
            sets = [random_items(chance) for _ in range(10_000 // len(NUM_PERMS) // len(SEEDS) + 1)]
            mine = ours.MinHash.bulk(sets, num_perm=num_perm, seed=seed)
            theirs = datasketch.MinHash.bulk(sets, num_perm=num_perm, seed=seed)
            assert len(mine) == len(theirs) == len(sets)
            for ours_, other in zip(mine, theirs):
                assert_same(ours_, other)
                assert ours_.is_empty() == other.is_empty()
                if num_perm > 1:
                    assert ours_.jaccard(mine[0]) == other.jaccard(theirs[0])


def test_permutations():
    for seed in (*SEEDS, None, [1, 2, 3]):
        mine = ours.MinHash(16, seed=seed)
        assert mine.permutations.shape == (2, 16)
        assert mine.permutations.dtype == np.uint64
        if seed is not None:
            assert (mine.permutations == datasketch.MinHash(16, seed=seed).permutations).all()
    assert (ours.MinHash(16, seed=None).permutations
            != ours.MinHash(16, seed=None).permutations).any()


def test_one_at_a_time_as_in_batches():
    items = random_items(dice())
    mine, theirs = both(num_perm=100)
    for item in items:
        mine.update(item)
        theirs.update(item)
        assert_same(mine, theirs)
    assert_same(both(items, num_perm=100)[0], theirs)


@pytest.mark.parametrize("items", [
    [], (), iter([b"a", b"b"]), (item for item in [b"a"]), {b"a": 1, b"b": 2}, {b"x"},
    [bytearray(b"a"), memoryview(b"b")], np.arange(30), np.arange(4, dtype=np.float32)],
    ids=["list", "tuple", "iterator", "generator", "dict", "set", "buffers", "numbers", "floats"])
def test_items_of_any_kind(items):
    kept = list(items)
    mine, theirs = both()
    mine.update_batch(iter(kept) if not isinstance(items, np.ndarray) else items)
    theirs.update_batch(kept)
    assert_same(mine, theirs)


@pytest.mark.parametrize("hashfunc", [
    lambda item: hash(item) & 0xFFFFFFFF, lambda item: 2**64 - 1 - item,
    lambda item: np.uint64(item), lambda item: True], ids=["32", "64", "numpy", "bool"])
def test_hash_functions(hashfunc):
    mine, theirs = both(range(1000), hashfunc=hashfunc)
    assert_same(mine, theirs)
    assert mine.hashfunc is hashfunc
    mine.update(7)
    theirs.update(7)
    assert_same(mine, theirs)


def test_hash_function_of_the_package():
    for name in ("sha1_hash32", "sha1_hash64"):
        mine, theirs = getattr(ours.hashfunc, name), getattr(datasketch.hashfunc, name)
        assert [mine(data) for data in (b"", b"Hello", bytearray(100))] == [
            theirs(data) for data in (b"", b"Hello", bytearray(100))]
    assert ours.MinHash().hashfunc is ours.sha1_hash32


def test_hash_function_may_be_changed_later():
    mine, theirs = both([b"a"])
    mine.hashfunc = theirs.hashfunc = len
    mine.update(b"abc")
    theirs.update(b"abc")
    assert_same(mine, theirs)


def test_own_permutations():
    chance = dice()
    a = np.array([chance.randrange(1, 2**64) for _ in range(20)], dtype=np.uint64)
    b = np.array([chance.randrange(2**64) for _ in range(20)], dtype=np.uint64)
    for permutations in ((a, b), np.array([a, b])):
        mine, theirs = both([b"x", b"y"], num_perm=20, permutations=permutations)
        assert_same(mine, theirs)
        assert mine.permutations is permutations
        assert_same(pickle.loads(pickle.dumps(mine)), theirs)
        loaded, copy = pickle.loads(pickle.dumps(mine)), mine.copy()
        for minhash in (loaded, copy, theirs):
            minhash.update(b"z")
        assert_same(loaded, theirs)
        assert_same(copy, theirs)


def test_permutations_of_another_are_shared():
    first = ours.MinHash(64)
    second = ours.MinHash(64, permutations=first.permutations)
    assert second._functions is first._functions is ours.MinHash(64)._functions
    theirs = ours.MinHash(64, permutations=datasketch.MinHash(64).permutations)
    theirs.update(b"x")
    first.update(b"x")
    assert_same(theirs, first)


def test_arrays_that_were_taken_do_not_change():
    minhash = ours.MinHash()
    taken = minhash.hashvalues
    minhash.update(b"x")
    minhash.update_batch([b"y"])
    assert (taken == 2**32 - 1).all()
    digest = minhash.digest()
    digest[:] = 0
    assert minhash.hashvalues.all()


def test_a_bad_item_changes_nothing():
    minhash = ours.MinHash()
    for bad in ("text", 3, None, 1.5):
        with pytest.raises(TypeError):
            minhash.update(bad)
        with pytest.raises(TypeError):
            minhash.update_batch([b"good", bad])
    for bad in (b"text", "text"):
        with pytest.raises(TypeError):
            minhash.update_batch(bad)
    assert minhash.is_empty()


def test_estimates():
    chance = dice()
    a, b = random_items(chance, 300), random_items(chance, 300)
    mine_a, theirs_a = both(a)
    mine_b, theirs_b = both(a[: len(a) // 2] + b)
    assert mine_a.jaccard(mine_b) == theirs_a.jaccard(theirs_b)
    assert mine_a.count() == theirs_a.count()
    assert type(mine_a.jaccard(mine_b)) is float
    assert mine_a.jaccard(theirs_b) == theirs_a.jaccard(mine_b) == theirs_a.jaccard(theirs_b)
    assert ours.MinHash().jaccard(ours.MinHash()) == 1.0


def test_union_and_merge():
    sets = [[b"a", b"b"], [b"c"], [b"d", b"e"]]
    mine, theirs = (package.MinHash.bulk(sets) for package in (ours, datasketch))
    assert_same(ours.MinHash.union(*mine), datasketch.MinHash.union(*theirs))
    assert_same(ours.MinHash.union(mine[0], theirs[1]), datasketch.MinHash.union(*theirs[:2]))
    mine[0].merge(theirs[1])
    theirs[0].merge(mine[1])
    assert_same(mine[0], theirs[0])
    united = ours.MinHash.union(ours.MinHash(hashfunc=len), ours.MinHash(hashfunc=len))
    assert united.hashfunc is len


def test_copies_are_independent():
    minhash = ours.MinHash(16, seed=3)
    minhash.update(b"a")
    copy = minhash.copy()
    assert copy == minhash and copy is not minhash and copy.seed == 3 and copy.num_perm == 16
    copy.update(b"b")
    assert copy != minhash
    copy.clear()
    assert copy.is_empty() and len(copy) == 16 and not minhash.is_empty()


def test_equality():
    assert ours.MinHash(4) == ours.MinHash(4)
    assert ours.MinHash(4) != ours.MinHash(4, seed=2)
    assert ours.MinHash(4) != ours.MinHash(5)
    assert ours.MinHash(4) != ours.LeanMinHash(ours.MinHash(4))
    assert ours.MinHash(4) != 4
    with pytest.raises(TypeError):
        hash(ours.MinHash(4))


def test_pickles():
    chance = dice()
    minhash = ours.MinHash(100, seed=5, hashfunc=ours.sha1_hash64)
    minhash.update_batch(random_items(chance))
    minhash.label = "mine"
    loaded = pickle.loads(pickle.dumps(minhash))
    assert type(loaded) is ours.MinHash and loaded == minhash
    assert (loaded.label, loaded.num_perm, loaded.hashfunc) == ("mine", 100, ours.sha1_hash64)
    loaded.update(b"more")
    minhash.update(b"more")
    assert loaded == minhash
    assert len(pickle.dumps(ours.MinHash(256))) < 3000


def test_state_of_datasketch_is_read():
    theirs = datasketch.MinHash(64)
    theirs.update(b"a")
    mine = ours.MinHash(hashvalues=theirs.hashvalues)
    assert mine.num_perm == 64
    back = datasketch.MinHash(hashvalues=mine.hashvalues)
    for minhash in (mine, back, theirs):
        minhash.update(b"b")
    assert_same(mine, theirs)
    assert_same(back, theirs)
    assert ours.MinHash(hashvalues=[1, 2, 3]).hashvalues.dtype == np.uint64


def same_error(call):
    """Checks that a call raises the same type with both packages, unless documented otherwise."""
    errors = []
    for package in (datasketch, ours):
        with pytest.raises(Exception) as caught:
            call(package)
        errors.append(caught.type)
    assert errors[1] is errors[0]


@pytest.mark.parametrize("call", [
    lambda d: d.MinHash(num_perm=2**33),
    lambda d: d.MinHash(num_perm=-1),
    lambda d: d.MinHash(hashfunc=3),
    lambda d: d.MinHash(seed=-1),
    lambda d: d.MinHash(seed=2**32),
    lambda d: d.MinHash(seed=1.5),
    lambda d: d.MinHash(seed="one"),
    lambda d: d.MinHash(4, permutations=d.MinHash(5).permutations),
    lambda d: d.MinHash(4).jaccard(d.MinHash(4, seed=2)),
    lambda d: d.MinHash(4).jaccard(d.MinHash(5)),
    lambda d: d.MinHash(4).jaccard(3),
    lambda d: d.MinHash(4).merge(d.MinHash(4, seed=2)),
    lambda d: d.MinHash(4).merge(d.MinHash(5)),
    lambda d: d.MinHash.union(d.MinHash(4)),
    lambda d: d.MinHash.union(d.MinHash(4), d.MinHash(5)),
    lambda d: d.MinHash.union(d.MinHash(4), d.MinHash(4, seed=2)),
    lambda d: d.MinHash(hashfunc=lambda item: 2**64).update(b""),
    lambda d: d.MinHash(hashfunc=lambda item: "one").update_batch([b""]),
    lambda d: d.MinHash(gpu_mode="always").update_batch([b"a"]),
    lambda d: d.MinHash.bulk([["text"]]),
    lambda d: d.MinHash(num_hashes=3),
    lambda d: d.LeanMinHash(),
    lambda d: d.LeanMinHash(seed=1),
    lambda d: d.LeanMinHash(hashvalues=[1]),
    lambda d: d.LeanMinHash(d.MinHash(4)).update(b"a"),
    lambda d: d.LeanMinHash(d.MinHash(4)).permutations,
    lambda d: d.LeanMinHash(d.MinHash(4)).hashfunc,
    lambda d: d.LeanMinHash(d.MinHash(4)).serialize(bytearray(3)),
    lambda d: d.LeanMinHash.deserialize(bytearray(3)),
    lambda d: d.LeanMinHash.union(d.LeanMinHash(d.MinHash(4))),
    lambda d: d.LeanMinHash.union(d.LeanMinHash(d.MinHash(4)), d.LeanMinHash(d.MinHash(5))),
    lambda d: d.LeanMinHash(seed=2**63, hashvalues=[1]).serialize(bytearray(99)),
], ids=range(32))
def test_errors(call):
    same_error(call)


def test_accepted_gpu_modes():
    for mode in ("disable", "detect"):
        minhash = ours.MinHash(gpu_mode=mode)
        minhash.update_batch([b"a"])
        assert not minhash.is_empty()
    always = ours.MinHash(gpu_mode="always")
    always.update_batch([])
    always.update(b"a")
    assert not always.is_empty()


def test_hashobj_is_deprecated():
    with pytest.warns(DeprecationWarning):
        ours.MinHash(hashobj=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.MinHash()


def test_subclasses():
    class Named(ours.MinHash):
        def __init__(self, name, **arguments):
            super().__init__(**arguments)
            self.name = name

    named = Named("a", num_perm=8)
    named.update(b"x")
    assert named.jaccard(ours.MinHash(8)) == 0.0


# ---- lean


def lean_pair(items=(b"a", b"b"), **arguments):
    mine, theirs = both(items, **arguments)
    return ours.LeanMinHash(mine), datasketch.LeanMinHash(theirs)


@pytest.mark.parametrize("byteorder", "@=<>!")
@pytest.mark.parametrize("num_perm", [1, 5, 128])
def test_lean_bytes(byteorder, num_perm):
    mine, theirs = lean_pair(num_perm=num_perm, seed=7)
    assert mine.bytesize(byteorder) == theirs.bytesize(byteorder)
    buffers = [bytearray(mine.bytesize(byteorder) + 5) for _ in range(2)]
    mine.serialize(buffers[0], byteorder)
    theirs.serialize(buffers[1], byteorder)
    assert buffers[0] == buffers[1]
    for buffer in (buffers[0], bytes(buffers[0]), memoryview(buffers[0])):
        read = ours.LeanMinHash.deserialize(buffer, byteorder)
        assert read == mine and read.scheme == "legacy"
    assert_same(mine, datasketch.LeanMinHash.deserialize(buffers[0], byteorder))
    read = ours.LeanMinHash(seed=7, hashvalues=theirs.hashvalues)
    assert read == mine and hash(read) == hash(mine)


def test_lean_agrees_with_minhash():
    mine, theirs = lean_pair()
    full, full_theirs = both([b"b", b"c"])
    assert mine.jaccard(full) == full.jaccard(mine) == theirs.jaccard(full_theirs)
    assert mine.jaccard(full_theirs) == full_theirs.jaccard(mine) == theirs.jaccard(full_theirs)
    assert mine.count() == theirs.count()
    union = ours.LeanMinHash.union(mine, full)
    assert type(union) is ours.LeanMinHash
    assert_same(union, datasketch.LeanMinHash.union(theirs, full_theirs))
    copy = mine.copy()
    copy.merge(full)
    assert copy == union and mine != union
    copy.clear()
    assert copy.is_empty()
    assert ours.LeanMinHash(theirs) == mine
    assert_same(datasketch.LeanMinHash(mine), theirs)
    assert len({mine, mine.copy(), union}) == 2


def test_lean_pickles():
    mine, theirs = lean_pair(num_perm=100, seed=3)
    loaded = pickle.loads(pickle.dumps(mine))
    assert type(loaded) is ours.LeanMinHash and loaded == mine
    assert mine.__getstate__() == theirs.__getstate__()
    assert struct.unpack_from("qi", mine.__getstate__()) == (3, 100)


def test_lean_cannot_be_updated():
    with pytest.raises(TypeError, match="Cannot update"):
        ours.LeanMinHash(ours.MinHash(4)).update_batch([b"a"])
