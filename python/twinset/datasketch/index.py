"""What is behind a MinHashLSH: an index in memory, made in C, or one in tables.

Both insert, query and remove. What they hold can be read as tables: one from each key to the bytes
of its bands, and one for each band from its bytes to the keys that have them. As in datasketch,
each hash value stands there with its bytes swapped.
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
    return [signature[at:at + size] for at in range(0, len(signature), size)]


# ---- in memory


class Memory(_core.MinHashIndex):
    """Keys and signatures in C: `bands` of `rows` values, of signatures with `length`. Answers come
    in the order of insertion."""

    def tables(self) -> tuple[Table, list[Table]]:
        buckets = _BucketsOfMemory(self)
        return _KeysOfMemory(self), [_BandOfMemory(buckets, band) for band in range(self.bands)]

    def bands_of(self, key: Hashable) -> list[bytes]:
        """Those of all its signatures: there are several where duplicates were not looked for."""
        return [band for signature in self.signatures(key)
                for band in _split(_swapped(signature, self.slot_bytes), self.bands)]

    def insert_bands(self, key: Hashable, bands: list[bytes]) -> None:
        """Inserts what bands_of(), or the table of keys of another index, gave."""
        for start in range(0, len(bands), self.bands):
            signature = b"".join(bands[start:start + self.bands])
            slot_bytes = len(signature) // (self.bands * self.rows)
            self.insert(key, _swapped(signature, slot_bytes), False)

    def candidates(self, minhash: Any) -> set[Hashable]:
        return set(self.query(minhash))

    def stored(self, key: Hashable) -> Hashable:
        return key

    def restored(self, keys: Iterable[Hashable]) -> list[Hashable]:
        return list(keys)

    def flush(self) -> None:
        """Nothing waits here."""

    def __reduce__(self) -> Any:
        entries = [(key, signature) for key in self.keys() for signature in self.signatures(key)]
        return _remembered, (self.bands, self.rows, self.length, self.scheme, entries)


def _remembered(bands: int, rows: int, length: int, scheme: str | None,
                entries: list[tuple[Hashable, bytes]]) -> Memory:
    memory = Memory(bands, rows, length)
    for key, signature in entries:
        memory.insert(key, signature, False)
    memory.scheme = scheme
    return memory


def _swapped(signature: bytes, slot_bytes: int) -> bytes:
    """A slot of 16 bytes is two numbers, of a WeightedMinHash."""
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
    """The buckets of all bands, put together when they are asked for and the index has changed: at
    once, since each key gives its bands together."""

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

_MOST_TOUCHED = 10000  # buckets that something was removed from, until they are looked at


class Tables:
    """Keys and bands in tables, in Redis, or in Python where keys are pickled or bands hashed.
    Changes wait until flush()."""

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
        """A key as the tables have it."""
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
        """Inserts what the table of keys of an index gave."""
        self._keys.insert(stored, *bands)
        for band, table in zip(bands, cycle(self._tables)):
            table.insert(band, stored)

    def query(self, minhash: Any, bands: int = 0) -> list[Any]:
        return self.restored(self.candidates(minhash, bands))

    def candidates(self, minhash: Any, bands: int = 0) -> set[Any]:
        """The keys, as they are stored, that agree in one of the first bands; 0: in any."""
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
        """Makes all changes. Buckets that became empty are removed."""
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
