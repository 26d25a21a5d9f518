"""The schemes of datasketch 2.x, compared with 2.0.0 in another interpreter."""

import pickle

import numpy as np
import pytest
from datasketch_peers import SCHEMES, datasketch2, dice, similar_sets

from twinset import datasketch as ours


def made(case):
    sets = [[bytes.fromhex(item) for item in items] for items in case["sets"]]
    return ours.MinHash.bulk(sets, num_perm=case["num_perm"], seed=case["seed"],
                             scheme=case["scheme"])


def lean_bytes(minhash, byteorder):
    lean = ours.LeanMinHash(minhash)
    buffer = bytearray(lean.bytesize(byteorder))
    lean.serialize(buffer, byteorder)
    assert ours.LeanMinHash.deserialize(buffer, byteorder) == lean
    assert ours.LeanMinHash.deserialize(buffer, byteorder).scheme == minhash.scheme
    return buffer.hex()


def test_as_datasketch_2():
    chance = dice()
    cases = [{"num_perm": num_perm, "seed": seed, "scheme": scheme,
              "sets": [[item.hex() for item in items] for items in similar_sets(chance, 60)] + [[]]}
             for scheme in SCHEMES for num_perm in (1, 16, 100, 128, 256) for seed in (1, 77)]
    for case, answer in zip(cases, datasketch2(cases)):
        minhashes = made(case)
        assert [m.hashvalues.tolist() for m in minhashes] == answer["values"]
        assert str(minhashes[0].hashvalues.dtype) == answer["dtype"]
        assert minhashes[0].permutations.tolist() == answer["permutations"]
        assert [float(m.count()) for m in minhashes] == answer["counts"]
        assert [m.is_empty() for m in minhashes] == [not items for items in case["sets"]]
        for byteorder, expected in answer["lean"].items():
            assert [lean_bytes(m, byteorder) for m in minhashes] == expected
        for m, bbit, state in zip(minhashes, answer["bbit"], answer["pickles"]):
            assert bytes(ours.bBitMinHash(m, b=4).__getstate__()).hex() == bbit
            loaded = pickle.loads(bytes.fromhex(state))
            assert ours.LeanMinHash(m).__getstate__() == loaded
        if case["num_perm"] >= 16:
            check_indexes(case, minhashes, answer)


def check_indexes(case, minhashes, answer):
    lsh = ours.MinHashLSH(threshold=0.5, num_perm=case["num_perm"])
    forest = ours.MinHashLSHForest(num_perm=case["num_perm"], l=4)
    for i, minhash in enumerate(minhashes):
        lsh.insert(i, minhash)
        forest.add(i, minhash)
    forest.index()
    assert [lsh.b, lsh.r] == answer["params"]
    assert [sorted(lsh.query(m)) for m in minhashes] == answer["lsh"]
    assert [sorted(forest.query(m, 3)) for m in minhashes] == answer["forest"]
    assert forest.get_minhash_hashvalues(0).tolist() == answer["kept"]


ERRORS = """
import json, sys
import numpy as np
from datasketch import LeanMinHash, MinHash, MinHashLSH, MinHashLSHForest, bBitMinHash

def name_of_error(code):
    try:
        exec(code, globals().copy())
    except Exception as error:
        return type(error).__name__

json.dump([name_of_error(code) for code in json.load(sys.stdin)], sys.stdout)
"""

PREPARED = """
a, b, c = (MinHash(4, scheme=scheme) for scheme in ('affine32', 'legacy', 'affine64'))
odd = np.array([[1, 3], [2, 4]])
lsh = MinHashLSH(num_perm=4, params=(2, 2)); lsh.insert('b', b)
forest = MinHashLSHForest(num_perm=4, l=2); forest.add('b', b)
"""

MISUSE = [
    "MinHash(scheme='affine16')",
    "a.jaccard(b)", "b.merge(c)", "MinHash.union(a, c)", "LeanMinHash.union(a, b)",
    "bBitMinHash(a).jaccard(bBitMinHash(b))",
    "LeanMinHash(a, scheme='legacy')", "LeanMinHash(seed=1, hashvalues=[1], scheme='x')",
    "LeanMinHash(seed=1, hashvalues=[], scheme='affine32')",
    "LeanMinHash.deserialize(b'\\0' * 8 + b'\\xff' * 4 + b'\\x07' + b'\\0' * 99)",
    "MinHash(hashvalues=[2**32], scheme='affine32')",
    "MinHash(hashvalues=np.array([2**32]), scheme='affine32')",
    "MinHash(hashvalues=np.array([-1]), scheme='affine64')",
    "MinHash(2, permutations=np.array([[1, 2], [2, 4]]), scheme='affine32')",
    "MinHash(2, permutations=([1, 2**32 + 1], [2, 4]), scheme='affine32')",
    "MinHash(hashfunc=lambda item: 2**32, scheme='affine32').update(b'')",
    "MinHash(hashfunc=lambda item: 2**64, scheme='affine64').update_batch([b''])",
    "MinHash(num_perm=0)",
    "lsh.insert('a', a)", "lsh.insert('c', c)", "lsh.query(a)", "lsh.query(c)",
    "lsh.add_to_query_buffer(c)", "lsh._query_b(c, 1)",
    "other = MinHashLSH(num_perm=4, params=(2, 2)); other.insert('c', c); lsh.merge(other)",
    "forest.add('a', a)", "forest.query(c, 1)",
]
FINE = [
    "MinHash(2, permutations=odd, scheme='affine32').update(b'a')",
    "MinHash(2, permutations=odd.tolist(), scheme='affine64').update(b'a')",
    "lsh.insert('b2', b)", "lsh.query(b)",
    "lsh.merge(MinHashLSH(num_perm=4, params=(2, 2)))",
    "other = MinHashLSH(num_perm=4, params=(2, 2)); other.merge(lsh); assert 'b' in other",
]


def test_errors_of_datasketch_2():
    expected = datasketch2([PREPARED + code for code in MISUSE + FINE], ERRORS)
    assert expected == ["ValueError"] * len(MISUSE) + [None] * len(FINE)
    for code in MISUSE:
        with pytest.raises(ValueError):
            exec(PREPARED + code, {**vars(ours), "np": np})
    for code in FINE:
        exec(PREPARED + code, {**vars(ours), "np": np})


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_at_a_time_as_in_batches(scheme):
    items = [b"%d" % number for number in range(2000)]
    batch = ours.MinHash(64, scheme=scheme)
    batch.update_batch(items)
    single = ours.MinHash(64, scheme=scheme)
    for item in items:
        single.update(item)
    assert single == batch
    numbers = ours.MinHash(64, scheme=scheme, hashfunc=lambda item: ours.MinHash(
        1, scheme=scheme).hashfunc(item))
    numbers.update_batch(items)
    assert numbers.hashvalues.tolist() == batch.hashvalues.tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pickles_and_copies(scheme):
    minhash = ours.MinHash(32, seed=4, scheme=scheme)
    minhash.update(b"a")
    for same in (pickle.loads(pickle.dumps(minhash)), minhash.copy(),
                 ours.MinHash(seed=4, hashvalues=minhash.hashvalues, scheme=scheme,
                              permutations=minhash.permutations)):
        assert same == minhash and same.scheme == scheme
        same.update(b"b")
        assert same != minhash
        assert same.hashvalues.dtype == minhash.hashvalues.dtype
    lean = ours.LeanMinHash(minhash)
    assert pickle.loads(pickle.dumps(lean)) == lean
    bbit = ours.bBitMinHash(minhash, b=3)
    assert pickle.loads(pickle.dumps(bbit)) == bbit
