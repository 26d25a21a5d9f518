"""An index for the k most similar: prefixes of bands, the longest first (Bawa and others, 2005)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from twinset.datasketch.minhash import same_scheme


class MinHashLSHForest:
    """`l` trees over signatures of `num_perm` values. Signatures are found after index()."""

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:  # noqa: E741
        if l <= 0 or num_perm <= 0:
            raise ValueError("num_perm and l must be positive")
        if l > num_perm:
            raise ValueError("l cannot be greater than num_perm")
        self.l = l
        self.k = num_perm // l
        self.hashtables: list[dict[bytes, list[Hashable]]] = [defaultdict(list) for _ in range(l)]
        self.hashranges = [(i * self.k, (i + 1) * self.k) for i in range(l)]
        self.keys: dict[Hashable, list[bytes]] = {}
        self.sorted_hashtables: list[list[bytes]] = [[] for _ in range(l)]
        self._minhash_scheme: str | None = None

    def add(self, key: Hashable, minhash: Any) -> None:
        """Adds a MinHash or WeightedMinHash under a new key."""
        self._check_length(minhash)
        self._minhash_scheme = same_scheme(self._minhash_scheme, minhash)
        if key in self.keys:
            raise ValueError("The given key has already been added")
        self.keys[key] = self._bands(minhash)
        for band, table in zip(self.keys[key], self.hashtables):
            table[band].append(key)

    def index(self) -> None:
        """Makes all added signatures searchable."""
        self.sorted_hashtables = [sorted(table) for table in self.hashtables]

    def query(self, minhash: Any, k: int) -> list[Hashable]:
        """At most k keys of the signatures that are likely to be most similar."""
        if k <= 0:
            raise ValueError("k must be positive")
        self._check_length(minhash)
        same_scheme(self._minhash_scheme, minhash)
        bands = self._bands(minhash)
        results: set[Hashable] = set()
        for depth in range(self.k, 0, -1):
            for key in self._with_prefix(bands, depth):
                results.add(key)
                if len(results) >= k:
                    return list(results)
        return list(results)

    def _with_prefix(self, bands: list[bytes], depth: int) -> Iterator[Hashable]:
        size = len(bands[0]) // self.k * depth
        for band, table, order in zip(bands, self.hashtables, self.sorted_hashtables):
            prefix = band[:size]
            i = bisect_left(order, prefix)
            while i < len(order) and order[i].startswith(prefix):
                yield from table[order[i]]
                i += 1

    def get_minhash_hashvalues(self, key: Hashable) -> np.ndarray:
        """The hash values that were added under a key. KeyError if there are none."""
        if key not in self.keys:
            raise KeyError(f"The provided key does not exist in the LSHForest: {key}")
        bands = self.keys[key]
        dtype = np.uint32 if len(bands[0]) == 4 * self.k else np.uint64
        return np.frombuffer(b"".join(bands), dtype=dtype).byteswap()

    def is_empty(self) -> bool:
        """Whether nothing is searchable."""
        return any(not order for order in self.sorted_hashtables)

    def __contains__(self, key: Hashable) -> bool:
        return key in self.keys

    def _check_length(self, minhash: Any) -> None:
        if len(minhash) < self.k * self.l:
            raise ValueError("The num_perm of MinHash out of range")

    def _bands(self, minhash: Any) -> list[bytes]:
        """The bytes of the bands, the highest byte of each value first, so that bytes sort as
        values do."""
        swapped = minhash.hashvalues[:self.k * self.l].byteswap().tobytes()
        size = len(swapped) // self.l
        return [swapped[start:start + size] for start in range(0, len(swapped), size)]
