"""An index for containment: sets are partitioned by size, with an index for each partition (Zhu and
others, 2016)."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from twinset.datasketch.lsh import MinHashLSH, check_threshold_and_weights
from twinset.datasketch.storage import random_name
from twinset.datasketch.tuning import best_bands_of_containment


class MinHashLSHEnsemble:
    """Finds sets that contain at least a fraction `threshold` of a query. `num_part`: number of
    partitions by size. `m`: the most rows of a band; more rows take more memory, and are more
    accurate. All other arguments are those of MinHashLSH."""

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, num_part: int = 16, m: int = 8,
                 weights: tuple[float, float] = (0.5, 0.5),
                 storage_config: dict[str, Any] | None = None,
                 prepickle: bool | None = None) -> None:
        check_threshold_and_weights(threshold, num_perm, weights)
        if num_part < 1:
            raise ValueError("num_part must be at least 1")
        if m < 2 or m > num_perm:
            raise ValueError("m must be in the range of [2, num_perm]")
        self.threshold = threshold
        self.h = num_perm
        self.m = m
        self.xqs = np.exp(np.linspace(-5, 5, 10))
        self.params = np.array([
            best_bands_of_containment(threshold, num_perm, m, float(ratio), tuple(weights))
            for ratio in self.xqs])
        rows = sorted({int(r) for _, r in self.params})
        config: dict[str, Any] = storage_config if storage_config else {"type": "dict"}
        basename = config.get("basename", random_name())
        self.indexes: list[dict[int, MinHashLSH]] = [
            {r: MinHashLSH(num_perm=num_perm, params=(num_perm // r, r), prepickle=prepickle,
                           storage_config={**config, "basename": _name(basename, partition, r)})
             for r in rows}
            for partition in range(num_part)]
        self.lowers: list[Any] = [None] * num_part
        self.uppers: list[Any] = [None] * num_part

    def index(self, entries: Iterable[tuple[Hashable, Any, int]]) -> None:
        """Indexes tuples (key, MinHash, size of the set). It can be called once. ValueError if
        there are no entries, a size is not positive, or it was called before."""
        if not self.is_empty():
            raise ValueError("Cannot call index again on a non-empty index")
        ordered = sorted(entries, key=lambda entry: entry[2])
        if not ordered:
            raise ValueError("entries is empty")
        if ordered[0][2] <= 0:
            raise ValueError("Set size must be positive")
        sizes, counts = np.array(sorted(Counter(size for _, _, size in ordered).items())).T
        for i, bounds in enumerate(optimal_partitions(sizes, counts, len(self.indexes))):
            self.lowers[i], self.uppers[i] = bounds
        partition = 0
        for key, minhash, size in ordered:
            if size > self.uppers[partition]:
                partition += 1
            for lsh in self.indexes[partition].values():
                lsh.insert(key, minhash)

    def query(self, minhash: Any, size: int) -> Iterator[Hashable]:
        """The keys of sets that are likely to contain enough of a query of this size."""
        for lshs, upper in zip(self.indexes, self.uppers):
            if upper is not None:
                nearest = int(np.searchsorted(self.xqs, float(upper) / float(size), side="left"))
                b, r = self.params[min(nearest, len(self.params) - 1)]
                yield from lshs[r]._query_b(minhash, b)

    def __contains__(self, key: Hashable) -> bool:
        return any(key in lsh for lshs in self.indexes for lsh in lshs.values())

    def is_empty(self) -> bool:
        return all(lsh.is_empty() for lshs in self.indexes for lsh in lshs.values())


def _name(basename: bytes, partition: int, rows: int) -> bytes:
    return b"-".join([basename, struct.pack(">H", partition), struct.pack(">H", rows)])


def optimal_partitions(sizes: np.ndarray, counts: np.ndarray,
                       num_part: int) -> list[tuple[Any, Any]]:
    """The smallest and largest size of each partition, chosen for the fewest expected false
    positives if every set counts as the largest of its partition. `sizes` ascend, and `counts` are
    the numbers of sets of each size. Time is the number of sizes squared, times partitions."""
    if num_part < 2:
        return [(sizes[0], sizes[-1])]
    if num_part >= len(sizes):
        return [(size, size) for size in sizes]
    false_positives = _false_positives(sizes, counts)
    # costs[p][u]: the least false positives for the sizes up to u in p partitions.
    costs = {1: false_positives[0]}
    for p in range(2, num_part):
        costs[p] = np.zeros(len(sizes))
        for u in range(p - 1, len(sizes)):
            costs[p][u] = (costs[p - 1][p - 2:u] + false_positives[p - 1:u + 1, u]).min()
    partitions, upper = [], len(sizes) - 1
    for p in range(num_part, 1, -1):
        # Here datasketch takes the cost of one partition too many, except for the last partition.
        # Partitions decide what is found, so this must be the same.
        before = costs[min(p, num_part - 1)]
        split = p - 2 + (before[p - 2:upper] + false_positives[p - 1:upper + 1, upper]).argmin()
        partitions.append((sizes[split + 1], sizes[upper]))
        upper = split
    partitions.append((sizes[0], sizes[upper]))
    return partitions[::-1]


def _false_positives(sizes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The expected false positives [l, u] of a partition of the sizes from l to u."""
    expected = np.zeros((len(sizes), len(sizes)))
    for u in range(len(sizes)):
        excess = (float(sizes[u]) - sizes[:u + 1]) / float(sizes[u]) * counts[:u + 1]
        # Each sum is computed anew: differences of sums would round differently, and change ties.
        expected[:u + 1, u] = [np.sum(excess[low:]) for low in range(u + 1)]
    return expected
