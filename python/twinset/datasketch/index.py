"""The indexes behind a MinHashLSH: one in memory, written in C, and one in tables.

Both insert, query and remove, and both can be read as tables: one table maps each key to the bytes
of its bands, and one table for each band maps these bytes to keys. As in datasketch, the bytes of
each hash value are swapped in these tables.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable, Collection, Hashable, Iterable
from itertools import cycle
from typing import Any

import numpy as np

from twinset import _core
from twinset.datasketch.minhash import same_scheme
from twinset.datasketch.storage import (
    DictListStorage,
    DictSetStorage,
    RedisListStorage,
    RedisServer,
    RedisSetStorage,
    SetStorage,
    Storage,
    Table,
    get_each,
    random_name,
)


def _split(signature: bytes, bands: int) -> list[bytes]:
    size = len(signature) // bands
    return [signature[start:start + size] for start in range(0, len(signature), size)]


# ---- in memory


class Memory(_core.MinHashIndex):
    """An index in C: `bands` of `rows` values, from signatures of `length` values. query() returns
    keys in the order of insertion."""

    def tables(self) -> tuple[Table, list[Table]]:
        buckets = _BucketsOfMemory(self)
        return _KeysOfMemory(self), [_BandOfMemory(buckets, band) for band in range(self.bands)]

    def bands_of(self, key: Hashable) -> list[bytes]:
        """The bands of all signatures of a key. It has several if it was inserted again
        unchecked."""
        return [band for signature in self.signatures(key)
                for band in _split(_swap_bytes(signature, self.slot_bytes), self.bands)]

    def insert_bands(self, key: Hashable, bands: list[bytes]) -> None:
        """Inserts bands from bands_of(), or from the table of keys of another index."""
        for start in range(0, len(bands), self.bands):
            signature = b"".join(bands[start:start + self.bands])
            slot_bytes = len(signature) // (self.bands * self.rows)
            self.insert(key, _swap_bytes(signature, slot_bytes), False)

    def candidates(self, minhash: Any) -> set[Hashable]:
        return set(self.query(minhash))

    def stored(self, key: Hashable) -> Hashable:
        return key

    def restored(self, keys: Iterable[Hashable]) -> list[Hashable]:
        return list(keys)

    def flush(self) -> None:
        """Does nothing, since changes are never delayed."""

    def __reduce__(self) -> Any:
        entries = [(key, signature) for key in self.keys() for signature in self.signatures(key)]
        return _rebuild, (self.bands, self.rows, self.length, self.scheme, entries)


def _rebuild(bands: int, rows: int, length: int, scheme: str | None,
                entries: list[tuple[Hashable, bytes]]) -> Memory:
    memory = Memory(bands, rows, length)
    for key, signature in entries:
        memory.insert(key, signature, False)
    memory.scheme = scheme
    return memory


def _swap_bytes(signature: bytes, slot_bytes: int) -> bytes:
    """Swaps the bytes of each number. A slot of 16 bytes, of a WeightedMinHash, is two numbers."""
    unit = np.uint32 if slot_bytes == 4 else np.uint64
    return np.frombuffer(signature, dtype=unit).byteswap().tobytes()


class _KeysOfMemory(Table):
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def keys(self) -> Collection[Hashable]:
        return self._memory.keys()

    def get(self, key: Hashable) -> list[bytes]:
        return self._memory.bands_of(key) if key in self._memory else []

    def has_key(self, key: Hashable) -> bool:
        return key in self._memory

    def size(self) -> int:
        return len(self._memory)


class _BucketsOfMemory:
    """The buckets of all bands. They are built when they are read after the index has changed; all
    bands at once, since a key's bands are read together."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._changes = -1
        self._bands: list[dict[Hashable, set[Hashable]]] = []

    def of_band(self, band: int) -> dict[Hashable, set[Hashable]]:
        if self._changes != self._memory.changes:
            self._changes = self._memory.changes
            self._bands = [{} for _ in range(self._memory.bands)]
            for key in self._memory.keys():
                for bucket, buckets in zip(self._memory.bands_of(key), cycle(self._bands)):
                    buckets.setdefault(bucket, set()).add(key)
        return self._bands[band]


class _BandOfMemory(Table):
    def __init__(self, buckets: _BucketsOfMemory, band: int) -> None:
        self._buckets = buckets
        self._band = band

    def keys(self) -> Collection[Hashable]:
        return self._buckets.of_band(self._band).keys()

    def get(self, key: Hashable) -> set[Hashable]:
        return self._buckets.of_band(self._band).get(key, set())


# ---- in tables

_MOST_TOUCHED = 10000  # buckets with removed keys, before empty buckets are removed


class Tables:
    """An index in tables: in Redis, or in Python if keys are pickled or bands are hashed. Changes
    may be delayed until flush()."""

    def __init__(self, bands: int, rows: int, length: int, config: dict[str, Any], prepickle: bool,
                 hashfunc: Callable[[bytes], bytes] | None) -> None:
        self.bands, self.rows, self.length = bands, rows, length
        self.scheme: str | None = None
        self._config = {"basename": random_name(), **config}
        self._prepickle = prepickle
        self._hashfunc = hashfunc
        self._touched: list[tuple[SetStorage, Any]] = []
        self._open()

    def _open(self) -> None:
        basename = self._config["basename"]
        names = [basename + b"_bucket_" + struct.pack(">H", band) for band in range(self.bands)]
        if self._config["type"] == "redis":
            server = RedisServer(self._config)
            self._keys: Storage = RedisListStorage(server, basename + b"_keys")
            self._tables: list[SetStorage] = [RedisSetStorage(server, name) for name in names]
        else:
            self._keys = DictListStorage()
            self._tables = [DictSetStorage() for _ in names]

    def tables(self) -> tuple[Table, list[Table]]:
        return self._keys, list(self._tables)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._config["type"] == "redis":  # a connection cannot be pickled
            del state["_keys"], state["_tables"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_keys" not in state:
            self._open()

    def stored(self, key: Hashable) -> Any:
        """A key as it is stored in the tables."""
        return pickle.dumps(key) if self._prepickle else key

    def restored(self, keys: Iterable[Any]) -> list[Any]:
        return [pickle.loads(key) for key in keys] if self._prepickle else list(keys)

    def __contains__(self, key: Hashable) -> bool:
        return self.stored(key) in self._keys

    def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        bands = self._bands(minhash)
        self.scheme = same_scheme(self.scheme, minhash)
        if self._config["type"] == "redis" and not self._prepickle and not isinstance(key, bytes):
            raise TypeError("prepickle=False requires bytes keys for non-dict storage, got "
                            f"{type(key).__name__}. Either pass bytes keys or use prepickle=True "
                            "for automatic serialization.")
        stored = self.stored(key)
        if check_duplication and stored in self._keys:
            raise ValueError("The given key already exists")
        self.insert_bands(stored, bands)

    def insert_bands(self, stored: Any, bands: list[Any]) -> None:
        """Inserts bands from the table of keys of another index."""
        self._keys.insert(stored, *bands)
        for band, table in zip(bands, cycle(self._tables)):
            table.insert(band, stored)

    def query(self, minhash: Any, bands: int = 0) -> list[Any]:
        return self.restored(self.candidates(minhash, bands))

    def candidates(self, minhash: Any, bands: int = 0) -> set[Any]:
        """The stored keys of signatures that agree in one of the first `bands`; 0: in any band."""
        wanted = self._bands(minhash)[:bands or None]
        same_scheme(self.scheme, minhash)
        return set().union(*get_each(self._tables[:len(wanted)], wanted))

    def remove(self, key: Hashable) -> None:
        stored = self.stored(key)
        if stored not in self._keys:
            raise ValueError("The given key does not exist")
        for band, table in zip(self._keys.get(stored), cycle(self._tables)):
            table.remove_val(band, stored)
            self._touched.append((table, band))
        self._keys.remove(stored)
        if len(self._touched) >= _MOST_TOUCHED:
            self.flush()

    def flush(self) -> None:
        """Makes all delayed changes, and removes buckets that became empty."""
        self._keys.flush()
        touched, self._touched = self._touched, []
        values = get_each([table for table, _ in touched], [band for _, band in touched])
        for (table, band), keys in zip(touched, values):
            if not keys:
                table.remove(band)
        self._keys.flush()

    def _bands(self, minhash: Any) -> list[Any]:
        if len(minhash) != self.length:
            raise ValueError(f"Expecting minhash with length {self.length}, got {len(minhash)}")
        swapped = minhash.hashvalues[:self.bands * self.rows].byteswap().tobytes()
        bands = _split(swapped, self.bands)
        return [self._hashfunc(band) for band in bands] if self._hashfunc else bands
