"""The hash functions of MinHash, for bytes."""

import hashlib


def sha1_hash32(data: bytes) -> int:
    """The first 32 bits of SHA-1, little-endian."""
    return int.from_bytes(hashlib.sha1(data).digest()[:4], "little")


def sha1_hash64(data: bytes) -> int:
    """The first 64 bits of SHA-1, little-endian."""
    return int.from_bytes(hashlib.sha1(data).digest()[:8], "little")
