"""LeanMinHash: a signature that cannot be updated, and its serialization."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, NoReturn

from twinset.datasketch.minhash import (
    SCHEME_CODES,
    MinHash,
    as_values,
    check_scheme,
    scheme_of,
    united,
)


class LeanMinHash(MinHash):
    """A signature that can be compared, merged and hashed, but not updated. It is made from a
    `minhash`, or from `seed`, `hashvalues` and `scheme`, which is "legacy" by default."""

    __slots__ = ("scheme", "seed")

    def __init__(self, minhash: MinHash | None = None, seed: int | None = None,
                 hashvalues: Iterable[int] | None = None, scheme: str | None = None) -> None:
        if minhash is not None:
            if scheme is not None and scheme != scheme_of(minhash):
                raise ValueError(f"scheme {scheme!r} conflicts with the scheme "
                                 f"{scheme_of(minhash)!r} of the given MinHash")
            self._fill(minhash.seed, minhash.hashvalues, scheme_of(minhash))
        elif hashvalues is not None and seed is not None:
            self._fill(seed, hashvalues, "legacy" if scheme is None else scheme)
        else:
            raise ValueError("Init parameters cannot be None: make sure to set either minhash or "
                             "both of hash values and seed")

    def _fill(self, seed: int, hashvalues: Any, scheme: str) -> None:
        self.seed = seed
        self.scheme = check_scheme(scheme)
        self.hashvalues = as_values(scheme, hashvalues)
        if scheme != "legacy" and not len(self):
            raise ValueError("hashvalues must not be empty")

    @classmethod
    def _make(cls, seed: int, hashvalues: Any, scheme: str) -> LeanMinHash:
        minhash = object.__new__(cls)
        minhash._fill(seed, hashvalues, scheme)
        return minhash

    def update(self, b: Any) -> NoReturn:
        """A LeanMinHash cannot be updated: TypeError."""
        raise TypeError("Cannot update a LeanMinHash")

    def update_batch(self, b: Iterable[Any]) -> NoReturn:
        """A LeanMinHash cannot be updated: TypeError."""
        raise TypeError("Cannot update a LeanMinHash")

    def copy(self) -> LeanMinHash:
        return self._make(self.seed, self.hashvalues, self.scheme)

    @classmethod
    def union(cls, *lmhs: MinHash) -> LeanMinHash:
        """The signature of the union of at least two sets."""
        hashvalues = united(lmhs)
        return cls._make(lmhs[0].seed, hashvalues, scheme_of(lmhs[0]))

    # A serialized signature is a seed, the number of values, and values of 32 bits. For the schemes
    # of datasketch 2, the number is negative, and the scheme's code follows it; values of affine64
    # have 64 bits.

    def _format(self, byteorder: str) -> str:
        code = "" if self.scheme == "legacy" else "B"
        return f"{byteorder}qi{code}{len(self)}{_letter(self.scheme)}"

    def bytesize(self, byteorder: str = "@") -> int:
        """The number of bytes that serialize() writes. `byteorder` is a character of struct."""
        return struct.calcsize(self._format(byteorder))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Writes the signature to the start of a buffer. ValueError if it does not fit."""
        if len(buf) < self.bytesize(byteorder):
            raise ValueError("The buffer does not have enough space for holding this MinHash.")
        numbers = ((len(self),) if self.scheme == "legacy"
                   else (-len(self), SCHEME_CODES[self.scheme]))
        struct.pack_into(self._format(byteorder), buf, 0, self.seed, *numbers,
                         *self.hashvalues.tolist())

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """Reads a signature from the start of a buffer."""
        return cls._make(*_read(buf, byteorder))

    def __getstate__(self) -> bytearray:  # type: ignore[override]
        state = bytearray(self.bytesize())
        self.serialize(state)
        return state

    def __setstate__(self, state: Any) -> None:
        self._fill(*_read(state, "@"))

    def __hash__(self) -> int:
        return hash((self.scheme, self.seed, self.hashvalues.tobytes()))


def _letter(scheme: str) -> str:
    """The character of a hash value in formats of struct."""
    return "Q" if scheme == "affine64" else "I"


def _read(buf: Any, byteorder: str) -> tuple[int, tuple[int, ...], str]:
    start = f"{byteorder}qi"
    seed, size = struct.unpack_from(start, buf)
    offset = struct.calcsize(start)
    scheme = "legacy"
    if size < 0:
        code = memoryview(buf)[offset]
        names = [name for name, known in SCHEME_CODES.items() if known == code]
        if not names:
            raise ValueError(f"Unknown permutation scheme code: {code}")
        scheme = names[0]
        offset = struct.calcsize(f"{start}B0{_letter(scheme)}")  # values are aligned with "@"
    return seed, struct.unpack_from(f"{byteorder}{abs(size)}{_letter(scheme)}", buf, offset), scheme
