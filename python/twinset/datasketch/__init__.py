"""A drop-in for datasketch: the same classes, arguments, values and errors.

    from twinset.datasketch import MinHash, MinHashLSH

Values are those of datasketch 1.x; `MinHash(scheme="affine32")` and "affine64" give those of 2.x.
What differs is listed in docs/datasketch.md. Needs numpy; storage in Redis needs redis.
"""

try:
    import numpy as _numpy  # noqa: F401
except ImportError as error:
    raise ImportError("twinset.datasketch needs numpy: pip install numpy") from error

from twinset.datasketch.b_bit_minhash import bBitMinHash
from twinset.datasketch.hashfunc import sha1_hash32, sha1_hash64
from twinset.datasketch.lean_minhash import LeanMinHash
from twinset.datasketch.lsh import (
    MinHashLSH,
    MinHashLSHDeletionSession,
    MinHashLSHInsertionSession,
)
from twinset.datasketch.lshensemble import MinHashLSHEnsemble
from twinset.datasketch.lshforest import MinHashLSHForest
from twinset.datasketch.minhash import MinHash
from twinset.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = [
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHDeletionSession",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "MinHashLSHInsertionSession",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "WeightedMinHashLSHForest",
    "bBitMinHash",
    "sha1_hash32",
    "sha1_hash64",
]
