"""datasketch, to compare with: 1.x in this interpreter, 2.x in another, which TWINSET_DATASKETCH2
names. Also random sets, from TWINSET_TEST_SEED or a new seed, which is printed."""

import json
import os
import random
import subprocess

import pytest

datasketch = pytest.importorskip("datasketch", reason="datasketch 1.x is not installed")

NUM_PERMS = (1, 2, 16, 64, 100, 128, 256)
SCHEMES = ("legacy", "affine32", "affine64")


def dice():
    seed = int(os.environ.get("TWINSET_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"TWINSET_TEST_SEED={seed}")
    return random.Random(seed)


def random_items(chance, most=40):
    """Short items, some long ones, and sometimes none."""
    return [chance.randbytes(chance.choice((0, 1, 9, 9, 9, 55, 56, 64, 200)))
            for _ in range(chance.randrange(most + 1))]


def similar_sets(chance, count):
    """Sets, many of which resemble another."""
    sets = [{chance.randbytes(6) for _ in range(30)} for _ in range(count // 4)]
    while len(sets) < count:
        kept = sorted(chance.choice(sets))[chance.choice((0, 0, 1, 2, 10, 20)):]
        sets.append(set(kept) | {chance.randbytes(6) for _ in range(chance.randrange(4))})
    return [sorted(items) for items in sets]


_ANSWER = """
import json, pickle, sys
import numpy as np
from datasketch import LeanMinHash, MinHash, MinHashLSH, MinHashLSHForest, bBitMinHash

def lean(m, byteorder):
    lean = LeanMinHash(m)
    buf = bytearray(lean.bytesize(byteorder))
    lean.serialize(buf, byteorder)
    return buf.hex()

def signatures(case):
    sets = [[bytes.fromhex(item) for item in items] for items in case["sets"]]
    return MinHash.bulk(sets, num_perm=case["num_perm"], seed=case["seed"], scheme=case["scheme"])

def answer(case):
    ms = signatures(case)
    out = {"values": [m.hashvalues.tolist() for m in ms],
           "dtype": str(ms[0].hashvalues.dtype),
           "permutations": ms[0].permutations.tolist(),
           "counts": [float(m.count()) for m in ms],
           "lean": {order: [lean(m, order) for m in ms] for order in "@<>"},
           "bbit": [bytes(bBitMinHash(m, b=4).__getstate__()).hex() for m in ms],
           "pickles": [pickle.dumps(LeanMinHash(m).__getstate__()).hex() for m in ms]}
    if case["num_perm"] >= 16:
        lsh = MinHashLSH(threshold=0.5, num_perm=case["num_perm"])
        forest = MinHashLSHForest(num_perm=case["num_perm"], l=4)
        for i, m in enumerate(ms):
            lsh.insert(i, m)
            forest.add(i, m)
        forest.index()
        out["lsh"] = [sorted(lsh.query(m)) for m in ms]
        out["params"] = [lsh.b, lsh.r]
        out["forest"] = [sorted(forest.query(m, 3)) for m in ms]
        out["kept"] = forest.get_minhash_hashvalues(0).tolist()
    return out

json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
"""


def datasketch2(cases, script=_ANSWER):
    """The answers of datasketch 2.x for cases. The test is skipped if it is not installed."""
    python = os.environ.get("TWINSET_DATASKETCH2")
    if not python:
        pytest.skip("TWINSET_DATASKETCH2 does not name a python with datasketch 2.x")
    done = subprocess.run([python, "-c", script], input=json.dumps(cases), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
