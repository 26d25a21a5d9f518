"""MinHash: the signature of a set, with the values of datasketch.

Signatures of equal scheme, seed and length share their hash functions. The engine computes hashes
and permutations (about 23 ns for an item with 128 functions); only affine64 is computed by numpy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from twinset import _core
from twinset.datasketch.hashfunc import sha1_hash32, sha1_hash64

_PRIME = (1 << 61) - 1
_MOST_FUNCTIONS = 65536  # the limit of the engine


class _Scheme(NamedTuple):
    dtype: Any
    largest: int  # hash value, which is also the value of a slot before the first item
    hashfunc: Callable[[Any], int]
    engine: str  # the engine's name of the scheme


_SCHEMES = {
    "legacy": _Scheme(np.uint64, (1 << 32) - 1, sha1_hash32, "datasketch1"),
    "affine32": _Scheme(np.uint32, (1 << 32) - 1, sha1_hash32, "datasketch2"),
    "affine64": _Scheme(np.uint64, (1 << 64) - 1, sha1_hash64, ""),
}

# Codes in serialized signatures; the legacy scheme has none.
SCHEME_CODES = {"affine32": 1, "affine64": 2}


def scheme_of(minhash: Any) -> str:
    """The scheme of a MinHash. Objects of datasketch 1.x have no attribute for it."""
    return getattr(minhash, "scheme", "legacy")


def check_scheme(scheme: str) -> str:
    if scheme not in _SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(_SCHEMES)}, got {scheme!r}")
    return scheme


def same_scheme(known: str | None, minhash: Any) -> str | None:
    """The scheme of an index that had `known` and gets a signature. ValueError if the schemes
    differ. A WeightedMinHash has no scheme."""
    scheme = getattr(minhash, "scheme", None)
    if known is not None and scheme is not None and scheme != known:
        raise ValueError(f"MinHash scheme {scheme!r} does not match scheme {known!r} of the "
                         "MinHash previously given to this index")
    return known if scheme is None else scheme


# ---- hash functions


def _draw(scheme: str, seed: Any, num_perm: int) -> np.ndarray:
    """The parameters a and b of the functions, in two rows."""
    random = np.random.RandomState(seed)
    if scheme == "legacy":
        pairs = [(random.randint(1, _PRIME, dtype=np.uint64),
                  random.randint(0, _PRIME, dtype=np.uint64)) for _ in range(num_perm)]
        return np.array(pairs, dtype=np.uint64).T
    dtype = _SCHEMES[scheme].dtype
    bits = 8 * np.dtype(dtype).itemsize
    a = random.randint(0, 1 << (bits - 1), num_perm, dtype=dtype) * dtype(2) + dtype(1)
    return np.array([a, random.randint(0, 1 << bits, num_perm, dtype=dtype)])


class _Affine64:
    """Does the work of the engine's sketcher for affine64, which the engine does not have."""

    def __init__(self, a: np.ndarray, b: np.ndarray) -> None:
        self._a, self._b = a, b

    def lower(self, items: Iterable[Any], minhash: _core.HashValues) -> None:
        self.lower_values(np.array([sha1_hash64(item) for item in items], dtype=np.uint64),
                          minhash)

    def lower_values(self, values: np.ndarray, minhash: _core.HashValues) -> None:
        hashvalues = minhash.hashvalues.copy()
        for start in range(0, len(values), 1024):  # products of this many values stay in cache
            mixed = _fmix64(values[start:start + 1024])
            np.minimum(hashvalues, (mixed[:, None] * self._a + self._b).min(axis=0),
                       out=hashvalues)
        minhash.hashvalues = hashvalues


def _fmix64(values: np.ndarray) -> np.ndarray:
    """The finalizer of MurmurHash3."""
    shift = np.uint64(33)
    values = (values ^ values >> shift) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ values >> shift) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ values >> shift


class _Functions:
    """The hash functions of a signature: their parameters, and the sketcher that applies them."""

    def __init__(self, scheme: str, permutations: Any, seed: int | None = None) -> None:
        self.scheme = scheme
        self.permutations = permutations
        self.seed = seed  # that the parameters were drawn from, or None
        self.hashfunc = _SCHEMES[scheme].hashfunc  # that `lower` hashes items with
        a: Any
        b: Any
        a, b = (np.ascontiguousarray(row, dtype=np.uint64) for row in permutations)
        sketcher: _core.Sketcher | _Affine64
        if scheme == "affine64":
            sketcher = _Affine64(a, b)
        else:
            sketcher = _core.Sketcher({"scheme": _SCHEMES[scheme].engine, "hashes": str(len(a))})
            sketcher.set_functions(a, b)
        self.lower, self.lower_values = sketcher.lower, sketcher.lower_values


_drawn: WeakValueDictionary[int, _Functions] = WeakValueDictionary()  # by id of permutations


@lru_cache(maxsize=64)
def _draw_once(scheme: str, seed: int, num_perm: int) -> _Functions:
    permutations = _draw(scheme, seed, num_perm)
    permutations.flags.writeable = False
    _drawn[id(permutations)] = functions = _Functions(scheme, permutations, seed)
    return functions


def _functions_of(scheme: str, seed: Any, num_perm: int) -> _Functions:
    if isinstance(seed, (int, np.integer)):
        return _draw_once(scheme, int(seed), num_perm)
    return _Functions(scheme, _draw(scheme, seed, num_perm))  # None is a new seed each time


# ---- signatures


class MinHash(_core.HashValues):
    """The signature of a set: for each of `num_perm` functions, its least value on an item.

    `hashfunc` turns items into numbers. The default is for bytes: the first 32 bits of SHA-1, or
    64 for affine64. `hashvalues` and `permutations` continue from those of another MinHash.
    `scheme` is "legacy" (datasketch 1.x, the default), "affine32" (the default of 2.x) or
    "affine64".
    `gpu_mode="always"` is refused at the first update: there is no kernel for a GPU here.
    """

    def __init__(self, num_perm: int = 128, seed: int = 1, gpu_mode: str = "disable",
                 hashfunc: Callable[[Any], int] | None = None, hashobj: object = None,
                 hashvalues: Any = None, permutations: Any = None,
                 scheme: str | None = None) -> None:
        self.scheme = check_scheme("legacy" if scheme is None else scheme)
        if hashvalues is not None:
            num_perm = len(hashvalues)
        if num_perm < 1:
            raise ValueError("num_perm must be positive")
        if num_perm > _MOST_FUNCTIONS:
            raise ValueError(f"Cannot have more than {_MOST_FUNCTIONS} permutation functions")
        self.seed = seed
        self.num_perm = num_perm
        self.hashfunc = _SCHEMES[self.scheme].hashfunc if hashfunc is None else hashfunc
        if not callable(self.hashfunc):
            raise ValueError("The hashfunc must be a callable.")
        if hashobj is not None:
            warnings.warn("hashobj is deprecated, use hashfunc instead.", DeprecationWarning,
                          stacklevel=2)
        self.hashvalues = (empty_values(self.scheme, num_perm) if hashvalues is None
                           else as_values(self.scheme, hashvalues))
        if permutations is None:
            self._functions = _functions_of(self.scheme, seed, num_perm)
        else:
            self.permutations = permutations
        self._gpu_mode = gpu_mode

    @property
    def permutations(self) -> Any:
        """Parameters a and b of the functions, in two rows."""
        return self._functions.permutations

    @permutations.setter
    def permutations(self, permutations: Any) -> None:
        if len(self) != len(permutations[0]):
            raise ValueError("Numbers of hash values and permutations mismatch")
        drawn = _drawn.get(id(permutations))
        if drawn is not None and drawn.scheme == self.scheme:
            self._functions = drawn
            return
        if self.scheme != "legacy":
            permutations = np.array([as_values(self.scheme, row) for row in permutations])
            if not (permutations[0] & 1).all():
                raise ValueError("all `a` permutation parameters must be odd for scheme "
                                 f"{self.scheme!r}")
        self._functions = _Functions(self.scheme, permutations)

    # An update replaces the array `hashvalues` if others hold it, and an item that raises leaves
    # the signature unchanged.

    def update(self, b: Any) -> None:
        """Adds an item: bytes, or another argument of the hashfunc."""
        functions = self._functions
        if self.hashfunc is functions.hashfunc:
            functions.lower((b,), self)
        else:
            functions.lower_values(self._numbers([self.hashfunc(b)]), self)

    def update_batch(self, b: Iterable[Any]) -> None:
        """Adds many items, many times faster than by single calls."""
        if self._gpu_mode == "always":
            b = list(b)
            if b:
                raise RuntimeError("GPU mode 'always' requested, but twinset.datasketch has no "
                                   "kernel for a GPU: use 'detect' or 'disable'")
        functions = self._functions
        if self.hashfunc is functions.hashfunc:
            functions.lower(b, self)
        else:
            functions.lower_values(self._numbers([self.hashfunc(item) for item in b]), self)

    def _numbers(self, numbers: list[int]) -> Any:
        """The results of the hashfunc as the engine takes them."""
        try:
            return np.array(numbers, dtype=_SCHEMES[self.scheme].dtype).astype(np.uint64)
        except OverflowError as error:
            if self.scheme == "legacy":
                raise
            raise ValueError(f"hashfunc returned a value out of range for scheme {self.scheme!r}: "
                             f"{error}. Use a hash function of that width, or scheme='affine64' "
                             "for 64 bits.") from error

    def jaccard(self, other: MinHash) -> float:
        """Estimated Jaccard similarity. ValueError if scheme, seed or sizes differ."""
        self._check_comparable(other, "compute Jaccard given")
        return float(np.count_nonzero(self.hashvalues == other.hashvalues)) / len(self)

    def merge(self, other: MinHash) -> None:
        """Makes this the signature of the union. ValueError if scheme, seed or sizes differ."""
        self._check_comparable(other, "merge")
        self.hashvalues = np.minimum(other.hashvalues, self.hashvalues)

    def _check_comparable(self, other: MinHash, what: str) -> None:
        if scheme_of(other) != self.scheme:
            raise ValueError(f"Cannot {what} MinHash with different permutation schemes")
        if other.seed != self.seed:
            raise ValueError(f"Cannot {what} MinHash with different seeds")
        if len(self) != len(other):
            raise ValueError(f"Cannot {what} MinHash with different numbers of permutation "
                             "functions")

    def count(self) -> float:
        """Estimated number of distinct items."""
        largest = float(_SCHEMES[self.scheme].largest)
        return float(len(self)) / np.sum(self.hashvalues / largest) - 1.0

    def digest(self) -> np.ndarray:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def is_empty(self) -> bool:
        """Whether no item was added."""
        return bool((self.hashvalues == _SCHEMES[self.scheme].largest).all())

    def clear(self) -> None:
        """Forgets all items."""
        self.hashvalues = empty_values(self.scheme, len(self))

    def copy(self) -> MinHash:
        copied = object.__new__(MinHash)
        copied.scheme, copied.seed, copied.num_perm = self.scheme, self.seed, len(self)
        copied.hashfunc, copied._gpu_mode = self.hashfunc, self._gpu_mode
        copied._functions = self._functions
        copied.hashvalues = self.digest()
        return copied

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: Any) -> bool:
        return (type(self) is type(other) and self.scheme == other.scheme
                and self.seed == other.seed
                and np.array_equal(self.hashvalues, other.hashvalues))

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        """The signature of the union of at least two sets."""
        hashvalues = united(mhs)
        first = mhs[0]
        return cls(seed=first.seed, hashfunc=first.hashfunc, hashvalues=hashvalues,
                   permutations=first.permutations, scheme=scheme_of(first))

    @classmethod
    def bulk(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[MinHash]:
        """The signatures of many sets of items, all with the same arguments."""
        return list(cls.generator(b, **minhash_kwargs))

    @classmethod
    def generator(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Iterator[MinHash]:
        """The signatures of many sets of items, made one after the other."""
        empty = cls(**minhash_kwargs)
        for items in b:
            minhash = empty.copy()
            minhash.update_batch(items)
            yield minhash

    # Functions that were drawn from the seed are not pickled, but drawn again.

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "hashvalues": self.hashvalues}
        functions = state.pop("_functions")
        if functions.seed is None or functions.seed != self.seed:
            state["permutations"] = functions.permutations
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        permutations = state.pop("permutations", None)
        self.hashvalues = state.pop("hashvalues")
        self.__dict__.update(state)
        self._functions = (_functions_of(self.scheme, self.seed, len(self))
                           if permutations is None else _Functions(self.scheme, permutations))


def empty_values(scheme: str, size: int) -> np.ndarray:
    return np.full(size, _SCHEMES[scheme].largest, dtype=_SCHEMES[scheme].dtype)


def as_values(scheme: str, values: Any) -> np.ndarray:
    """Hash values or parameters as the scheme holds them; ValueError if a value is too large."""
    dtype = _SCHEMES[scheme].dtype
    if scheme == "legacy":
        return np.array(values, dtype=dtype)
    outside = f"values out of range for scheme {scheme!r}"
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu" and values.size and (
                int(values.max()) > _SCHEMES[scheme].largest or int(values.min()) < 0):
            raise ValueError(outside)
        return values.astype(dtype)
    try:
        return np.array(values, dtype=dtype)
    except OverflowError as error:
        raise ValueError(f"{outside}: {error}") from error


def united(minhashes: Sequence[Any]) -> np.ndarray:
    """The hash values of the union."""
    if len(minhashes) < 2:
        raise ValueError("Cannot union less than 2 MinHash")
    first = minhashes[0]
    kind = (first.seed, len(first), scheme_of(first))
    if any((m.seed, len(m), scheme_of(m)) != kind for m in minhashes):
        raise ValueError("The unioning MinHash must have the same seed, number of permutation "
                         "functions and scheme")
    return np.minimum.reduce([m.hashvalues for m in minhashes])
