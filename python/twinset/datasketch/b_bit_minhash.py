"""b-bit MinHash (Li and König, 2010): only the lowest bits of each hash value."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from twinset.datasketch.minhash import SCHEME_CODES, check_scheme, scheme_of


class bBitMinHash:
    """The lowest `b` bits, 0 to 32, of the values of a MinHash. `r` is the size of the set as a
    fraction of all possible values, or 0.0 if that is not known. Pickled, a value takes little
    more than b bits."""

    __slots__ = ("b", "hashvalues", "r", "scheme", "seed")

    def __init__(self, minhash: Any, b: int = 1, r: float = 0.0) -> None:
        b, r = int(b), float(r)
        if not 0 <= b <= 32:
            raise ValueError("b must be an integer in [0, 32]")
        if r > 1.0:
            raise ValueError("r must be a float in [0.0, 1.0]")
        self.hashvalues = np.bitwise_and(minhash.hashvalues, (1 << b) - 1).astype(np.uint32)
        self.seed = minhash.seed
        self.scheme = check_scheme(scheme_of(minhash))
        self.b = b
        self.r = r

    def __eq__(self, other: Any) -> bool:
        return (type(self) is type(other)
                and all(getattr(self, name) == getattr(other, name)
                        for name in ("scheme", "seed", "b", "r"))
                and np.array_equal(self.hashvalues, other.hashvalues))

    def jaccard(self, other: bBitMinHash) -> float:
        """Estimated Jaccard similarity. ValueError if b, scheme or seed differ."""
        if self.b != other.b:
            raise ValueError("Cannot compare two b-bit MinHashes with different b values")
        if self.scheme != scheme_of(other):
            raise ValueError("Cannot compare two b-bit MinHashes with different permutation "
                             "schemes")
        if self.seed != other.seed:
            raise ValueError("Cannot compare two b-bit MinHashes with different set of "
                             "permutations")
        agreeing = np.count_nonzero(self.hashvalues == other.hashvalues)
        c1, c2 = _chance(self.r, other.r, self.b)
        return (agreeing / self.hashvalues.size - c1) / (1 - c2)

    def bytesize(self) -> int:
        """Its size in bytes when it is pickled."""
        slot = _slot_bits(self.b)
        return struct.calcsize(self._header()) + 8 * -(-self.hashvalues.size // (64 // slot))

    def _header(self) -> str:
        """The format of seed, b, r and the number of values. If that number is negative, the code
        of the scheme follows; datasketch 1 had only one scheme."""
        return "<qBdi" if self.scheme == "legacy" else "<qBdiB"

    def __getstate__(self) -> bytearray:
        size = self.hashvalues.size
        numbers = (size,) if self.scheme == "legacy" else (-size, SCHEME_CODES[self.scheme])
        state = bytearray(struct.pack(self._header(), self.seed, self.b, self.r, *numbers))
        return state + _packed(self.hashvalues, _slot_bits(self.b)).tobytes()

    def __setstate__(self, state: bytes) -> None:
        view = memoryview(state)
        self.seed, self.b, self.r, size = struct.unpack_from("<qBdi", view)
        self.scheme = "legacy"
        if size < 0:
            code = view[struct.calcsize("<qBdi")]
            names = [name for name, known in SCHEME_CODES.items() if known == code]
            if not names:
                raise ValueError(f"Unknown permutation scheme code: {code}")
            self.scheme = names[0]
        blocks = np.frombuffer(view[struct.calcsize(self._header()):], dtype="<u8")
        self.hashvalues = _unpacked(blocks, _slot_bits(self.b), abs(size))


def _slot_bits(b: int) -> int:
    """Bits that a value takes: b rounded up to a power of two, and 4 for b = 0."""
    return next(bits for bits in (1, 2, 4, 8, 16, 32) if b <= bits) if b else 4


def _shifts(slot: int) -> np.ndarray:
    """The shifts of the values in a block of 64 bits. The first value has the highest bits."""
    return np.arange(64 - slot, -1, -slot, dtype=np.uint64)


def _packed(values: np.ndarray, slot: int) -> np.ndarray:
    per_block = 64 // slot
    padded = np.zeros(-(-values.size // per_block) * per_block, dtype=np.uint64)
    padded[:values.size] = values
    shifted = padded.reshape(-1, per_block) << _shifts(slot)
    return np.bitwise_or.reduce(shifted, axis=1).astype("<u8")


def _unpacked(blocks: np.ndarray, slot: int, size: int) -> np.ndarray:
    values = blocks.astype(np.uint64)[:, None] >> _shifts(slot) & np.uint64((1 << slot) - 1)
    return values.astype(np.uint32).reshape(-1)[:size]


def _chance(r1: float, r2: float, b: int) -> tuple[float, float]:
    """The agreement to expect by chance: C1 and C2 of the paper, as datasketch computes them."""
    a1, a2 = _of_ratio(r1, b), _of_ratio(r2, b)
    if r1 == 0.0 and r2 == 0.0:
        return a1, a2
    div = 1 / (r1 + r2)
    return (a1 * r2 + a2 * r1) * div, (a1 * r1 + a2 * r2) * div


def _of_ratio(r: float, b: int) -> float:
    if r == 0.0:
        return 1.0 / (1 << b)
    return r * (1 - r) ** (2**b - 1) / (1 - (1 - r) ** (2 * b))
