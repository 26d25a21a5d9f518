"""Forest, ensemble, weighted and b-bit signatures, compared with datasketch 1.x."""

import pickle

import numpy as np
import pytest
from datasketch_peers import datasketch, dice, similar_sets

from twinset import datasketch as ours


def same_errors(*calls):
    for call in calls:
        errors = []
        for package in (datasketch, ours):
            with pytest.raises(Exception) as caught:
                call(package)
            errors.append(caught.type)
        assert errors[1] is errors[0], call


# ---- forest


@pytest.mark.parametrize("num_perm,l", [(128, 8), (100, 7), (16, 16), (64, 1)])
def test_forest(num_perm, l):  # noqa: E741
    chance = dice()
    minhashes = ours.MinHash.bulk(similar_sets(chance, 200), num_perm=num_perm)
    mine = ours.MinHashLSHForest(num_perm=num_perm, l=l)
    theirs = datasketch.MinHashLSHForest(num_perm=num_perm, l=l)
    assert mine.is_empty() and mine.query(minhashes[0], 3) == []
    for i, minhash in enumerate(minhashes):
        mine.add(f"set {i}", minhash)
        theirs.add(f"set {i}", minhash)
        if i == 150:
            mine.index()
            theirs.index()
    for _ in range(2):
        for minhash in minhashes:
            for k in (1, 3, 10, 500):
                assert mine.query(minhash, k) == theirs.query(minhash, k)
        mine.index()
        theirs.index()
    assert (mine.k, mine.l, mine.hashranges) == (theirs.k, theirs.l, theirs.hashranges)
    assert mine.keys == theirs.keys and mine.hashtables == theirs.hashtables
    assert mine.sorted_hashtables == theirs.sorted_hashtables
    for key in ("set 0", "set 199"):
        mine_values, values = (f.get_minhash_hashvalues(key) for f in (mine, theirs))
        assert mine_values.dtype == values.dtype and (mine_values == values).all()
    loaded = pickle.loads(pickle.dumps(mine))
    assert loaded.query(minhashes[0], 5) == mine.query(minhashes[0], 5) and "set 3" in loaded


def test_forest_of_weighted():
    generator = ours.WeightedMinHashGenerator(5, 16)
    forests = [package.WeightedMinHashLSHForest(num_perm=16, l=4) for package in (ours, datasketch)]
    minhash = generator.minhash([1, 2, 3, 4, 5])
    for forest in forests:
        forest.add("a", minhash)
        forest.index()
    assert forests[0].query(minhash, 1) == forests[1].query(minhash, 1) == ["a"]
    assert (forests[0].get_minhash_hashvalues("a") == forests[1].get_minhash_hashvalues("a")).all()


def test_forest_errors():
    def twice(package):
        forest = package.MinHashLSHForest(num_perm=16, l=4)
        forest.add("a", package.MinHash(16))
        forest.add("a", package.MinHash(16))

    same_errors(
        lambda d: d.MinHashLSHForest(num_perm=0), lambda d: d.MinHashLSHForest(l=0),
        lambda d: d.MinHashLSHForest(num_perm=4, l=5), twice,
        lambda d: d.MinHashLSHForest(num_perm=16).add("a", d.MinHash(8)),
        lambda d: d.MinHashLSHForest(num_perm=16).query(d.MinHash(8), 1),
        lambda d: d.MinHashLSHForest(num_perm=16).query(d.MinHash(16), 0),
        lambda d: d.MinHashLSHForest(num_perm=16).get_minhash_hashvalues("a"))


# ---- ensemble


@pytest.mark.parametrize("arguments", [
    {"threshold": 0.8, "num_perm": 64}, {"threshold": 0.3, "num_perm": 128, "num_part": 4},
    {"threshold": 0.9, "num_part": 1, "m": 4}, {"threshold": 0.5, "num_part": 2, "m": 16},
    {"threshold": 0.6, "num_perm": 32, "num_part": 40, "weights": (0.25, 0.75)}])
def test_ensemble(arguments):
    chance = dice()
    mine = ours.MinHashLSHEnsemble(**arguments)
    theirs = datasketch.MinHashLSHEnsemble(**arguments)
    assert (mine.params == theirs.params).all() and (mine.xqs == theirs.xqs).all()
    universe = [b"%d" % i for i in range(3000)]
    sets = [chance.sample(universe[: chance.choice((60, 300, 3000))], chance.randrange(1, 50))
            for _ in range(200)]
    minhashes = ours.MinHash.bulk(sets, num_perm=arguments.get("num_perm", 128))
    entries = [(i, minhash, len(items)) for i, (minhash, items) in enumerate(zip(minhashes, sets))]
    assert mine.is_empty() and theirs.is_empty()
    mine.index(iter(entries))
    theirs.index(iter(entries))
    assert (mine.lowers, mine.uppers) == (theirs.lowers, theirs.uppers)
    assert [sorted(lshs) for lshs in mine.indexes] == [sorted(lshs) for lshs in theirs.indexes]
    for minhash, items in zip(minhashes, sets):
        found = list(mine.query(minhash, len(items)))
        assert set(found) == set(theirs.query(minhash, len(items)))
        assert len(found) == len(set(found))
    assert 5 in mine and 999 not in mine and not mine.is_empty()
    with pytest.raises(ValueError):
        mine.index(entries)


def test_ensemble_partitions():
    chance = dice()
    for _ in range(60):
        sizes = np.array(sorted(chance.sample(range(1, 200), chance.randrange(1, 30))))
        counts = np.array([chance.choice((1, 1, 2, 50)) for _ in sizes])
        for partitions in (1, 2, 3, 5, 8):
            expected = datasketch.lshensemble_partition.optimal_partitions(sizes, counts,
                                                                           partitions)
            assert ours.lshensemble.optimal_partitions(sizes, counts, partitions) == list(expected)


def test_ensemble_errors():
    same_errors(
        lambda d: d.MinHashLSHEnsemble(threshold=2), lambda d: d.MinHashLSHEnsemble(num_perm=1),
        lambda d: d.MinHashLSHEnsemble(num_part=0), lambda d: d.MinHashLSHEnsemble(m=1),
        lambda d: d.MinHashLSHEnsemble(m=129), lambda d: d.MinHashLSHEnsemble(weights=(0.1, 0.2)),
        lambda d: d.MinHashLSHEnsemble(num_perm=16).index([]),
        lambda d: d.MinHashLSHEnsemble(num_perm=16).index(iter([("a", d.MinHash(16), 0)])),
        lambda d: d.MinHashLSHEnsemble(num_perm=16).index([("a", d.MinHash(8), 1)]))


# ---- weighted


def test_weighted():
    chance = dice()
    mine = ours.WeightedMinHashGenerator(50, sample_size=64, seed=9)
    theirs = datasketch.WeightedMinHashGenerator(50, sample_size=64, seed=9)
    for name in ("rs", "ln_cs", "betas"):
        assert (getattr(mine, name) == getattr(theirs, name)).all()
    weights = (0, 0, 1, 3, 0.25, 1e6)
    vectors = [[chance.choice(weights) for _ in range(49)] + [1] for _ in range(100)]
    kept = None
    for vector in vectors:
        for kind in (list, tuple, np.array, lambda v: np.array(v, dtype=np.float32)):
            ours_, other = mine.minhash(kind(vector)), theirs.minhash(kind(vector))
            assert ours_.hashvalues.dtype == other.hashvalues.dtype
            assert (ours_.hashvalues == other.hashvalues).all()
        if kept:
            assert ours_.jaccard(kept[0]) == other.jaccard(kept[1]) == ours_.jaccard(kept[1])
        kept = ours_, other
        assert ours_ == ours_.copy() and len(ours_) == 64
        assert (ours_.digest() == ours_.hashvalues).all()
        assert pickle.loads(pickle.dumps(ours_)) == ours_
    assert mine.minhash(vectors[0]) != ours.WeightedMinHash(2, mine.minhash(vectors[0]).hashvalues)


def test_weighted_input_is_unchanged():
    vector = np.array([0, 1, 2], dtype=np.float32)
    ours.WeightedMinHashGenerator(3).minhash(vector)
    assert vector.tolist() == [0, 1, 2]


def test_weighted_many():
    sparse = pytest.importorskip("scipy.sparse")
    chance = dice()
    table = np.array([[chance.choice((0, 0, 0, 1, 2.5)) for _ in range(30)] for _ in range(60)])
    table[7] = 0
    mine = ours.WeightedMinHashGenerator(30, 32)
    theirs = datasketch.WeightedMinHashGenerator(30, 32)
    expected = theirs.minhash_many(table)
    for kind in (np.array, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        found = mine.minhash_many(kind(table))
        assert found[7] is None and len(found) == 60
        for ours_, other in zip(found, expected):
            assert (ours_ is None) == (other is None)
            assert ours_ is None or (ours_.hashvalues == other.hashvalues).all()


def test_weighted_errors():
    same_errors(
        lambda d: d.WeightedMinHashGenerator(3).minhash(iter([1, 2, 3])),
        lambda d: d.WeightedMinHashGenerator(3).minhash([1, 2]),
        lambda d: d.WeightedMinHashGenerator(3).minhash([0, 0, 0]),
        lambda d: d.WeightedMinHashGenerator(3).minhash_many([[1, 2, 3]]),
        lambda d: d.WeightedMinHashGenerator(3).minhash_many(np.ones(3)),
        lambda d: d.WeightedMinHashGenerator(3).minhash_many(np.ones((2, 4))),
        lambda d: d.WeightedMinHashGenerator(3, 8).minhash([1, 2, 3]).jaccard(
            d.WeightedMinHashGenerator(3, 9).minhash([1, 2, 3])),
        lambda d: d.WeightedMinHashGenerator(3, seed=1).minhash([1, 2, 3]).jaccard(
            d.WeightedMinHashGenerator(3, seed=2).minhash([1, 2, 3])))


# ---- b bits


@pytest.mark.parametrize("b", range(33))
def test_b_bits(b):
    chance = dice()
    for num_perm in (1, 7, 64, 100):
        first, second = ours.MinHash.bulk(similar_sets(chance, 8), num_perm=num_perm)[:2]
        for r in (0.0, 0.1, 0.5):
            mine = [ours.bBitMinHash(m, b, r) for m in (first, second)]
            theirs = [datasketch.bBitMinHash(m, b, r) for m in (first, second)]
            assert (mine[0].hashvalues == theirs[0].hashvalues).all()
            assert mine[0].hashvalues.dtype == theirs[0].hashvalues.dtype
            assert mine[0].bytesize() == theirs[0].bytesize()
            assert mine[0].__getstate__() == theirs[0].__getstate__()
            if b:
                assert mine[0].jaccard(mine[1]) == theirs[0].jaccard(theirs[1])
            loaded = pickle.loads(pickle.dumps(mine[0]))
            assert type(loaded) is ours.bBitMinHash and loaded == mine[0]
            assert (mine[0] == mine[1]) == (theirs[0] == theirs[1])


def test_b_bits_errors():
    same_errors(
        lambda d: d.bBitMinHash(d.MinHash(), b=33), lambda d: d.bBitMinHash(d.MinHash(), b=-1),
        lambda d: d.bBitMinHash(d.MinHash(), r=1.5), lambda d: d.bBitMinHash(d.MinHash(), b="two"),
        lambda d: d.bBitMinHash(d.MinHash(), 2).jaccard(d.bBitMinHash(d.MinHash(), 3)),
        lambda d: d.bBitMinHash(d.MinHash()).jaccard(d.bBitMinHash(d.MinHash(seed=2))))
