"""Signatures of multisets, by Ioffe's consistent weighted sampling (2010)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np


class WeightedMinHash:
    """The signature of a multiset: `hashvalues` has a row of two numbers for each sample. It is
    made by WeightedMinHashGenerator."""

    def __init__(self, seed: int, hashvalues: np.ndarray) -> None:
        self.seed = seed
        self.hashvalues = hashvalues

    def jaccard(self, other: WeightedMinHash) -> float:
        """Estimated weighted Jaccard similarity. ValueError if seeds or sizes differ."""
        if other.seed != self.seed:
            raise ValueError("Cannot compute Jaccard of WeightedMinHash with different seeds")
        if len(self) != len(other):
            raise ValueError("Cannot compute Jaccard of WeightedMinHash with different numbers of "
                             "hash values")
        same = np.asarray(self.hashvalues) == np.asarray(other.hashvalues)
        return int(same.all(axis=1).sum()) / len(self)

    def digest(self) -> np.ndarray:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        return WeightedMinHash(self.seed, self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: Any) -> bool:
        return (type(self) is type(other) and self.seed == other.seed
                and np.array_equal(self.hashvalues, other.hashvalues))


class WeightedMinHashGenerator:
    """Makes signatures of `sample_size` samples from vectors of `dim` weights."""

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed
        draw = np.random.RandomState(seed=seed)
        shape = (sample_size, dim)
        self.rs = draw.gamma(2, 1, shape).astype(np.float32)
        self.ln_cs = np.log(draw.gamma(2, 1, shape)).astype(np.float32)
        self.betas = draw.uniform(0, 1, shape).astype(np.float32)

    def minhash(self, v: Sequence[float] | np.ndarray) -> WeightedMinHash:
        """The signature of one vector. ValueError if it has another number of dimensions, or is all
        zeros."""
        if not isinstance(v, Sized):
            raise TypeError("Input vector must be sized")
        if len(v) != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        weights = np.asarray(v, dtype=np.float32)
        present = np.flatnonzero(weights)
        if not len(present):
            raise ValueError("Input is all zeros")
        rs, betas = self.rs[:, present], self.betas[:, present]
        t = np.floor(np.log(weights[present]) / rs + betas)
        ln_a = self.ln_cs[:, present] - (t - betas) * rs - rs
        return self._from_samples(present, t, np.nanargmin(ln_a, axis=1))

    def minhash_many(self, X: Any) -> list[WeightedMinHash | None]:
        """The signatures of the rows of a numpy array or a sparse matrix of scipy; None for a row
        of zeros. As in datasketch, they differ from those of minhash()."""
        if not isinstance(X, np.ndarray) and not hasattr(X, "tocsr"):
            raise TypeError("Input X must be a sparse matrix or numpy matrix")
        if X.ndim != 2:
            raise ValueError("Input must have two dimensions")
        if X.shape[1] != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        return [self._of_row(present, weights) if len(present) else None
                for present, weights in _rows(X)]

    def _of_row(self, present: np.ndarray, weights: np.ndarray) -> WeightedMinHash:
        rs, betas = self.rs[:, present], self.betas[:, present]
        t = np.floor(np.log(weights) / rs + betas)
        ln_a = self.ln_cs[:, present] - (t - betas + 1) * rs
        return self._from_samples(present, t, ln_a.argmin(axis=1))

    def _from_samples(self, present: np.ndarray, t: np.ndarray,
                      chosen: np.ndarray) -> WeightedMinHash:
        hashvalues = np.empty((self.sample_size, 2), dtype=int)
        hashvalues[:, 0] = present[chosen]
        hashvalues[:, 1] = t[np.arange(self.sample_size), chosen]
        return WeightedMinHash(self.seed, hashvalues)


def _rows(X: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The indexes and values of the weights of each row that are not zero."""
    if isinstance(X, np.ndarray):
        for row in X:
            weights = np.asarray(row, dtype=np.float32).reshape(-1)
            present = np.flatnonzero(weights)
            yield present, weights[present]
        return
    table = X.tocsr(copy=True).astype(np.float32)
    table.sum_duplicates()
    table.eliminate_zeros()
    for start, end in zip(table.indptr[:-1], table.indptr[1:]):
        yield table.indices[start:end], table.data[start:end]
