"""MinHashLSH compared with datasketch 1.x: bands and rows, answers, tables, sessions, errors."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from datasketch_peers import NUM_PERMS, datasketch, dice, similar_sets

from twinset import datasketch as ours
from twinset.datasketch.index import Memory


def both(**arguments):
    return ours.MinHashLSH(**arguments), datasketch.MinHashLSH(**arguments)


def signatures(chance, count, package=ours, **arguments):
    return package.MinHash.bulk(similar_sets(chance, count), **arguments)


def tables_of(lsh):
    """The content of `keys` and `hashtables`."""
    return ({key: list(lsh.keys[key]) for key in lsh.keys},
            [{bucket: set(table[bucket]) for bucket in table} for table in lsh.hashtables])


def assert_same(mine, theirs):
    assert tables_of(mine) == tables_of(theirs)
    assert list(mine.keys) == list(theirs.keys)
    assert (mine.b, mine.r, mine.h) == (theirs.b, theirs.r, theirs.h)
    assert mine.hashranges == theirs.hashranges
    assert mine.is_empty() == theirs.is_empty()
    assert mine.get_counts() == theirs.get_counts()
    assert mine.keys.itemcounts() == theirs.keys.itemcounts()
    assert mine.keys.size() == len(mine.keys) == theirs.keys.size()


# ---- bands and rows


def test_known_bands_and_rows():
    for threshold, num_perm, expected in ((0.9, 128, (5, 25)), (0.8, 128, (9, 13)),
                                          (0.7, 128, (14, 9)), (0.7, 256, (25, 10))):
        lsh = ours.MinHashLSH(threshold=threshold, num_perm=num_perm)
        assert (lsh.b, lsh.r) == expected


@pytest.mark.parametrize("num_perm", [n for n in NUM_PERMS if n > 1] + [3, 10, 200])
def test_bands_and_rows_as_theirs(num_perm):
    chance = dice()
    all_weights = [(0.5, 0.5), (0.0, 1.0), (1.0, 0.0), (0.25, 0.75), (0.875, 0.125)]
    thresholds = [0.0, 0.05, 0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0]
    tested = thresholds if num_perm <= 16 else chance.sample(thresholds, 5)
    for threshold in [*tested, chance.random()]:
        for weights in all_weights if num_perm <= 16 else chance.sample(all_weights, 2):
            found = ours.tuning.best_bands(threshold, num_perm, weights)
            assert found == datasketch.lsh._optimal_param(threshold, num_perm, *weights), (
                threshold, num_perm, weights)


# ---- answers


@pytest.mark.parametrize("threshold,num_perm", [
    (0.2, 16), (0.6, 16), (0.8, 50), (0.2, 128), (0.5, 128), (0.8, 128), (0.9, 128)])
def test_answers(threshold, num_perm):
    chance = dice()
    minhashes = signatures(chance, 400, num_perm=num_perm)
    mine, theirs = both(threshold=threshold, num_perm=num_perm)
    found = 0
    for i, minhash in enumerate(minhashes):
        assert set(mine.query(minhash)) == set(theirs.query(minhash))
        found += len(mine.query(minhash))
        mine.insert(f"set {i}", minhash)
        theirs.insert(f"set {i}", minhash)
    assert found > 50
    for minhash in minhashes:
        answer = mine.query(minhash)
        assert type(answer) is list and len(answer) == len(set(answer))
        assert set(answer) == set(theirs.query(minhash))
        assert answer == sorted(answer, key=lambda key: int(key[4:]))
        for b in range(mine.b + 1):
            assert mine._query_b(minhash, b) == theirs._query_b(minhash, b)
    assert_same(mine, theirs)


def test_any_order_of_calls():
    chance = dice()
    minhashes = signatures(chance, 60, num_perm=32)
    mine, theirs = both(threshold=0.5, num_perm=32)
    present = set()
    for _ in range(3000):
        key = chance.randrange(40)
        minhash = chance.choice(minhashes)
        if key in present and chance.random() < 0.6:
            for lsh in (mine, theirs):
                lsh.remove(key)
            present.remove(key)
        elif key not in present:
            for lsh in (mine, theirs):
                lsh.insert(key, minhash)
            present.add(key)
        assert (key in mine) == (key in theirs) == (key in present)
        assert set(mine.query(minhash)) == set(theirs.query(minhash))
    assert tables_of(mine) == tables_of(theirs)
    for key in present:
        mine.remove(key)
    assert mine.is_empty() and mine.query(minhashes[0]) == []


def test_keys_of_any_kind():
    keys = [0, "a", b"b", (1, "x"), None, frozenset([3]), 2.5, True]
    mine, theirs = both(num_perm=16, threshold=0.5)
    minhash = ours.MinHash(16)
    for key in keys:
        mine.insert(key, minhash)
        theirs.insert(key, minhash)
    assert mine.query(minhash) == keys
    assert_same(mine, theirs)
    with pytest.raises(TypeError):
        mine.insert([1], minhash)
    with pytest.raises(ValueError, match="already exists"):
        mine.insert(1, minhash)
    assert 1.0 in mine and 3 not in mine


def test_signatures_of_either_package_are_accepted():
    chance = dice()
    sets = similar_sets(chance, 100)
    mine, theirs = both(threshold=0.5)
    own, foreign = (package.MinHash.bulk(sets) for package in (ours, datasketch))
    for i, (ours_, other) in enumerate(zip(own, foreign)):
        mine.insert(i, other if i % 2 else ours.LeanMinHash(ours_))
        theirs.insert(i, ours_ if i % 2 else ours.LeanMinHash(other))
    for ours_, other in zip(own, foreign):
        assert (set(mine.query(ours_)) == set(mine.query(other))
                == set(theirs.query(ours_)) == set(theirs.query(other)))
    assert_same(mine, theirs)


def test_weighted_signatures():
    chance = dice()
    vectors = np.array([[chance.randrange(3) for _ in range(20)] for _ in range(50)]) + 0.5
    mine, theirs = both(threshold=0.3, num_perm=32)
    assert ours.WeightedMinHashLSH is ours.MinHashLSH
    own = ours.WeightedMinHashGenerator(20, 32)
    foreign = datasketch.WeightedMinHashGenerator(20, 32)
    for i, vector in enumerate(vectors):
        mine.insert(i, own.minhash(vector))
        theirs.insert(i, foreign.minhash(vector))
    for vector in vectors:
        assert set(mine.query(foreign.minhash(vector))) == set(theirs.query(own.minhash(vector)))
    assert_same(mine, theirs)


def test_by_name():
    lsh = ours.MinHashLSH(num_perm=16, threshold=0.5)
    minhash = ours.MinHash(16)
    lsh.insert(key="a", minhash=minhash)
    lsh.insert("a", minhash=minhash, check_duplication=False)
    assert lsh.query(minhash=minhash) == ["a"]
    lsh.remove(key="a")
    assert lsh.query(minhash) == []
    for wrong in (lambda: lsh.insert("a"), lambda: lsh.insert("a", minhash, True, 1),
                  lambda: lsh.insert("a", minhash, name=1), lambda: lsh.query(),
                  lambda: lsh.insert("a", minhash, key="a"), lambda: lsh.remove(),
                  lambda: lsh.query(minhash, minhash=minhash)):
        with pytest.raises(TypeError):
            wrong()
    assert lsh.is_empty()


def test_values_of_more_than_32_bits():
    chance = dice()
    for small in (0, 1, 20):
        values = [[chance.choice((7, 2**32 - 1, 2**32, 2**50 + 7)) for _ in range(12)]
                  for _ in range(40)]
        values[:small] = [[value % 2**32 for value in row] for row in values[:small]]
        minhashes = [ours.MinHash(hashvalues=row) for row in values]
        mine, theirs = both(num_perm=12, params=(6, 2))
        for i, minhash in enumerate(minhashes):
            assert set(mine.query(minhash)) == set(theirs.query(minhash))
            mine.insert(i, minhash)
            theirs.insert(i, minhash)
            if i in (3, 25):
                mine.remove(i)
                theirs.remove(i)
            if i == 7:
                mine.insert(5, minhash, check_duplication=False)
                theirs.insert(5, minhash, check_duplication=False)
        for minhash in minhashes:
            assert set(mine.query(minhash)) == set(theirs.query(minhash))
        assert_same(mine, theirs)
        assert tables_of(pickle.loads(pickle.dumps(mine))) == tables_of(mine)


def test_an_array_that_is_not_contiguous():
    values = np.arange(32, dtype=np.uint64)
    mine, theirs = both(num_perm=16, threshold=0.5)
    minhash = ours.MinHash(16)
    minhash.hashvalues = values[::2]
    mine.insert("a", minhash)
    theirs.insert("a", minhash)
    assert_same(mine, theirs)
    assert mine.query(minhash) == mine.query(ours.MinHash(hashvalues=values[::2])) == ["a"]


def test_a_key_with_two_signatures():
    chance = dice()
    first, second, third = signatures(chance, 8, num_perm=16)[:2] + [ours.MinHash(16)]
    mine, theirs = both(num_perm=16, threshold=0.5)
    for lsh in (mine, theirs):
        lsh.insert("a", first)
        lsh.insert("b", third)
        lsh.insert("a", second, check_duplication=False)
    assert_same(mine, theirs)
    for minhash in (first, second, third):
        assert sorted(mine.query(minhash)) == sorted(theirs.query(minhash))
    loaded = pickle.loads(pickle.dumps(mine))
    assert tables_of(loaded) == tables_of(theirs)
    for lsh in (mine, loaded):
        lsh.insert("a", first, False)
        assert lsh.query(first).count("a") == 1
        lsh.remove("a")
        assert "a" not in lsh and lsh.query(first) == lsh.query(second) == []
        assert lsh.query(third) == ["b"]


# ---- other storage


def shorter(data):
    return data[:3]


@pytest.mark.parametrize("arguments", [
    {"hashfunc": shorter}, {"prepickle": True}, {"hashfunc": hash},
    {"hashfunc": shorter, "prepickle": True}], ids=["short", "pickled", "numbers", "both"])
def test_hashed_bands_and_pickled_keys(arguments):
    chance = dice()
    minhashes = signatures(chance, 80, num_perm=32)
    mine, theirs = both(num_perm=32, threshold=0.4, **arguments)
    for i, minhash in enumerate(minhashes):
        mine.insert((i, "set"), minhash)
        theirs.insert((i, "set"), minhash)
    for i, minhash in enumerate(minhashes):
        assert set(mine.query(minhash)) == set(theirs.query(minhash))
        assert mine._query_b(minhash, 2) == theirs._query_b(minhash, 2)
        assert ((i, "set") in mine) == ((i, "set") in theirs) is True
    assert_same(mine, theirs)
    with pytest.raises(ValueError, match="already exists"):
        mine.insert((0, "set"), minhashes[0])
    loaded = pickle.loads(pickle.dumps(mine))
    assert tables_of(loaded) == tables_of(mine)
    for i in range(0, 80, 2):
        mine.remove((i, "set"))
        theirs.remove((i, "set"))
    assert_same(mine, theirs)
    assert (mine.prepickle, mine.hashfunc) == (theirs.prepickle, theirs.hashfunc)


def test_unhashable_keys_can_be_pickled():
    lsh = ours.MinHashLSH(num_perm=16, prepickle=True, threshold=0.5)
    lsh.insert([1, 2], ours.MinHash(16))
    assert lsh.query(ours.MinHash(16)) == [[1, 2]] and [1, 2] in lsh
    lsh.add_to_query_buffer(ours.MinHash(16))
    assert lsh.collect_query_buffer() == [[1, 2]]


# ---- sessions and buffers


@pytest.mark.parametrize("arguments", [{}, {"prepickle": True}], ids=["memory", "tables"])
def test_sessions(arguments):
    chance = dice()
    minhashes = signatures(chance, 50, num_perm=32)
    mine, theirs = both(num_perm=32, threshold=0.5, **arguments)
    for lsh in (mine, theirs):
        with lsh.insertion_session(buffer_size=7) as session:
            for i, minhash in enumerate(minhashes):
                session.insert(i, minhash)
            with pytest.raises(ValueError, match="already exists"):
                session.insert(0, minhashes[0])
            session.insert(0, minhashes[0], check_duplication=False)
        assert lsh.buffer_size == 7 and session.lsh is lsh
        with lsh.deletion_session(buffer_size=9) as session:
            for i in range(1, 40):
                session.remove(i)
            with pytest.raises(ValueError, match="does not exist"):
                session.remove("no such key")
        assert lsh.keys.buffer_size == 9
    assert_same(mine, theirs)


def test_query_buffer():
    chance = dice()
    minhashes = signatures(chance, 100, num_perm=32)
    mine, theirs = both(num_perm=32, threshold=0.3)
    assert mine.collect_query_buffer() == theirs.collect_query_buffer() == []
    for lsh in (mine, theirs):
        for i, minhash in enumerate(minhashes):
            lsh.insert(i, minhash)
    for asked in (1, 2, 3):
        queries = chance.sample(minhashes, asked)
        for lsh in (mine, theirs):
            for minhash in queries:
                lsh.add_to_query_buffer(minhash)
        assert set(mine.collect_query_buffer()) == set(theirs.collect_query_buffer())
    assert mine.collect_query_buffer() == []


def test_merge():
    chance = dice()
    minhashes = signatures(chance, 60, num_perm=32)
    pairs = [both(num_perm=32, threshold=0.5) for _ in range(3)]
    for which, (mine, theirs) in enumerate(pairs[:2]):
        for i in range(40 * which, 40 * which + 40):
            mine.insert(i, minhashes[i % 60])
            theirs.insert(i, minhashes[i % 60])
    (a, a2), (b, b2), (empty, empty2) = pairs
    a.merge(b, check_overlap=True)
    a2.merge(b2, check_overlap=True)
    assert_same(a, a2)
    empty.merge(a)
    empty2.merge(a2)
    assert_same(empty, empty2)
    for lsh, other in ((a, b), (a2, b2)):
        with pytest.raises(ValueError, match="overlapping"):
            lsh.merge(other, check_overlap=True)
        lsh.merge(other)
    assert_same(a, a2)
    for minhash in minhashes:
        assert set(a.query(minhash)) == set(a2.query(minhash))
    pickled = ours.MinHashLSH(num_perm=32, threshold=0.5, hashfunc=shorter)
    pickled.insert(0, minhashes[0])
    with pytest.raises(ValueError):
        a.merge(pickled)


# ---- tables


def test_tables_show_the_content():
    chance = dice()
    minhashes = signatures(chance, 40, num_perm=32)
    mine, theirs = both(num_perm=32, threshold=0.4)
    assert_same(mine, theirs)
    keys, table = mine.keys, mine.hashtables[0]
    for i, minhash in enumerate(minhashes):
        mine.insert(i, minhash)
        theirs.insert(i, minhash)
        assert len(keys) == keys.size() == i + 1 and i in keys and keys.has_key(i)
    assert table.size() == len(table) == theirs.hashtables[0].size()
    bucket = keys.get(0)[0]
    assert bucket == theirs.keys.get(0)[0] and bucket in table
    assert table.get(bucket) == table[bucket] == theirs.hashtables[0].get(bucket)
    assert keys.getmany(0, 1, "none") == theirs.keys.getmany(0, 1, "none")
    assert keys.get("none") == [] and table.get(b"none") == set() and b"none" not in table
    assert keys.status() == theirs.keys.status() == {"keyspace_size": 40}
    assert mine.get_subset_counts(0, 5, 5, 7) == theirs.get_subset_counts(0, 5, 5, 7)
    assert mine.get_subset_counts() == [{}] * mine.b
    assert Counter(map(type, mine.get_counts())) == {dict: mine.b}
    mine.remove(0)
    assert 0 not in table.get(bucket) and 0 not in keys


def test_tables_of_all_bands_cost_as_much_as_those_of_one(monkeypatch):
    """The bands of a key are read once, not once for each band."""
    asked = Counter()
    bands_of = Memory.bands_of

    def count(self, key):
        asked[key] += 1
        return bands_of(self, key)

    monkeypatch.setattr(Memory, "bands_of", count)
    lsh = ours.MinHashLSH(num_perm=128, params=(64, 2))
    for i, minhash in enumerate(signatures(dice(), 30, num_perm=128)):
        lsh.insert(i, minhash)
    assert sum(len(table) for table in lsh.hashtables) >= 64
    assert asked == {i: 1 for i in range(30)}
    lsh.remove(0)
    assert all(0 not in keys for table in lsh.hashtables for keys in map(table.get, table))
    assert asked == {0: 1, **{i: 2 for i in range(1, 30)}}


# ---- pickles and subclasses


def test_pickles():
    chance = dice()
    minhashes = signatures(chance, 30, num_perm=32)
    lsh = ours.MinHashLSH(num_perm=32, threshold=0.5)
    assert pickle.loads(pickle.dumps(lsh)).is_empty()
    for i, minhash in enumerate(minhashes):
        lsh.insert(i, minhash)
    for same in (pickle.loads(pickle.dumps(lsh)), copy.deepcopy(lsh)):
        assert tables_of(same) == tables_of(lsh)
        assert [same.query(m) for m in minhashes] == [lsh.query(m) for m in minhashes]
        same.remove(0)
        assert 0 in lsh and 0 not in same.keys
        same.insert(0, minhashes[0])
        with pytest.raises(ValueError):
            same.insert(1, minhashes[1])


class Counted(ours.MinHashLSH):
    def __init__(self, *arguments, **others):
        super().__init__(*arguments, **others)
        self.inserted = 0

    def insert(self, key, minhash, check_duplication=True):
        self.inserted += 1
        super().insert(key, minhash, check_duplication)


@pytest.mark.parametrize("arguments", [{}, {"prepickle": True}], ids=["memory", "tables"])
def test_subclasses(arguments):
    lsh = Counted(num_perm=16, threshold=0.5, **arguments)
    lsh.insert("a", ours.MinHash(16))
    assert lsh.inserted == 1 and lsh.query(ours.MinHash(16)) == ["a"]
    lsh.remove("a")
    assert lsh.is_empty() and pickle.loads(pickle.dumps(lsh)).inserted == 1


# ---- errors


@pytest.mark.parametrize("call", [
    lambda d: d.MinHashLSH(threshold=1.1),
    lambda d: d.MinHashLSH(threshold=-0.1),
    lambda d: d.MinHashLSH(threshold=1.0),
    lambda d: d.MinHashLSH(num_perm=1),
    lambda d: d.MinHashLSH(weights=(0.5, 0.6)),
    lambda d: d.MinHashLSH(weights=(-0.5, 1.5)),
    lambda d: d.MinHashLSH(weights=(0.25, 0.25, 0.5)),
    lambda d: d.MinHashLSH(weights=(1.0, 0.0)),
    lambda d: d.MinHashLSH(params=(1, 5)),
    lambda d: d.MinHashLSH(params=(50, 50)),
    lambda d: d.MinHashLSH(params=(50,)),
    lambda d: d.MinHashLSH(storage_config={"type": "none"}),
    lambda d: d.MinHashLSH(storage_config={"kind": "dict"}),
    lambda d: d.MinHashLSH(size=4),
    lambda d: d.MinHashLSH().insert("a", d.MinHash(64)),
    lambda d: d.MinHashLSH().insert("a", d.MinHash(256)),
    lambda d: d.MinHashLSH().query(d.MinHash(127)),
    lambda d: d.MinHashLSH(prepickle=True).query(d.MinHash(127)),
    lambda d: d.MinHashLSH(prepickle=True).insert("a", d.MinHash(129)),
    lambda d: d.MinHashLSH().add_to_query_buffer(d.MinHash(127)),
    lambda d: d.MinHashLSH()._query_b(d.MinHash(), 99),
    lambda d: d.MinHashLSH().remove("a"),
    lambda d: d.MinHashLSH().remove([]),
    lambda d: d.MinHashLSH().merge(d.MinHashLSH(threshold=0.5)),
    lambda d: d.MinHashLSH().merge(d.MinHashLSH(params=(5, 25), num_perm=130)),
    lambda d: d.MinHashLSH().merge({}),
], ids=range(26))
def test_errors(call):
    errors = []
    for package in (datasketch, ours):
        with pytest.raises(Exception) as caught:
            call(package)
        errors.append(caught.type)
    assert errors[1] is errors[0]


def test_objects_that_are_no_signature():
    lsh = ours.MinHashLSH(num_perm=16, threshold=0.5)
    lsh.insert("a", ours.MinHash(16))
    with pytest.raises(AttributeError):
        lsh.query("text")
    with pytest.raises(AttributeError):
        lsh.insert("b", None)
    with pytest.raises(ValueError):
        lsh.insert("b", ours.MinHash(16).hashvalues[:3])
    weighted = ours.WeightedMinHashGenerator(4, 16).minhash([1, 2, 3, 4])
    with pytest.raises(ValueError, match="bytes"):
        lsh.query(weighted)
    with pytest.raises(ValueError, match="bytes"):
        lsh.insert("b", weighted)
    assert list(lsh.keys) == ["a"]


def test_missing_storage():
    with pytest.raises(ValueError, match="dict and redis"):
        ours.MinHashLSH(storage_config={"type": "cassandra"})
