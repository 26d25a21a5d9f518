"""MinHashLSH: finds the keys of signatures that agree with a query in a band of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from twinset.datasketch.index import Memory, Tables
from twinset.datasketch.tuning import best_bands

_KINDS = ("dict", "redis")
_DIRECT = ("insert", "query", "remove")


def check_threshold_and_weights(threshold: float, num_perm: int, weights: Sequence[float]) -> None:
    if threshold > 1.0 or threshold < 0.0:
        raise ValueError("threshold must be in [0.0, 1.0]")
    if num_perm < 2:
        raise ValueError("Too few permutation functions")
    if any(weight < 0.0 or weight > 1.0 for weight in weights):
        raise ValueError("Weight must be in [0.0, 1.0]")
    if sum(weights) != 1.0:
        raise ValueError("Weights must sum to 1.0")


class MinHashLSH:
    """An index that finds signatures that are likely to be similar to a query.

    threshold, weights: bands and rows are chosen for the least weighted sum of false positives
        and false negatives at this Jaccard similarity.
    num_perm: the length of the signatures.
    params: (bands, rows), which are then not chosen.
    storage_config: {"type": "dict"}, the default, or {"type": "redis", "redis": {...}}, with the
        arguments of redis.Redis. In Redis, equal values of "basename" (bytes) name the same index.
    prepickle: whether keys are pickled; by default only in Redis.
    hashfunc: turns the bytes of a band into a shorter key.

    An index in memory is written in C. `keys` and `hashtables` show its content; to build
    `hashtables` takes time in proportion to the content, once after each change.
    """

    def __init__(self, threshold: float = 0.9, num_perm: int = 128,
                 weights: tuple[float, float] = (0.5, 0.5), params: tuple[int, int] | None = None,
                 storage_config: dict[str, Any] | None = None, prepickle: bool | None = None,
                 hashfunc: Callable[[bytes], bytes] | None = None) -> None:
        config = storage_config if storage_config else {"type": "dict"}
        check_threshold_and_weights(threshold, num_perm, weights)
        self.h = num_perm
        self.b, self.r = (best_bands(threshold, num_perm, tuple(weights)) if params is None
                          else params)
        if self.b * self.r > num_perm:
            raise ValueError(f"The product of b and r in params is {self.b} * {self.r} = "
                             f"{self.b * self.r} -- it must be less than num_perm {num_perm}. "
                             "Did you forget to specify num_perm?")
        if self.b < 2:
            raise ValueError("The number of bands are too small (b < 2)")
        if config["type"] not in _KINDS:
            raise ValueError(f"Unknown storage type: {config['type']}; there are "
                             f"{' and '.join(_KINDS)}")
        self.prepickle = config["type"] == "redis" if prepickle is None else prepickle
        self.hashfunc = hashfunc
        self.hashranges = [(i * self.r, (i + 1) * self.r) for i in range(self.b)]
        self._buffer_size = 50000
        self._queries: list[set[Any]] = []
        self._index: Memory | Tables
        if config["type"] == "dict" and not self.prepickle and not hashfunc:
            self._index = Memory(self.b, self.r, self.h)
        else:
            self._index = Tables(self.b, self.r, self.h, config, self.prepickle, hashfunc)
        self._connect()

    def _connect(self) -> None:
        """For an index in memory, binds methods directly to those in C, except methods that a
        subclass overrides."""
        self.keys, self.hashtables = self._index.tables()
        if isinstance(self._index, Memory):
            for name in _DIRECT:
                if getattr(type(self), name) is getattr(MinHashLSH, name):
                    setattr(self, name, getattr(self._index, name))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items()
                if name not in (*_DIRECT, "keys", "hashtables")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()

    def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        """Inserts a MinHash or WeightedMinHash by a key. ValueError if the key exists; without
        that check, the key has both signatures."""
        self._index.insert(key, minhash, check_duplication)
        self._index.flush()

    def query(self, minhash: Any) -> list[Hashable]:
        """The keys of signatures that agree with `minhash` in a band, each key once."""
        return self._index.query(minhash)

    def remove(self, key: Hashable) -> None:
        """Removes a key. ValueError if it does not exist."""
        self._index.remove(key)
        self._index.flush()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._index

    def is_empty(self) -> bool:
        return self.keys.size() == 0

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Inserts all signatures of another index. ValueError if it has other parameters or another
        scheme, or, with check_overlap, if both have a key."""
        if type(self) is not type(other):
            raise ValueError(f"Cannot merge type MinHashLSH and type {type(other).__name__}.")
        kinds = [(lsh.h, lsh.b, lsh.r, lsh.hashfunc is None) for lsh in (self, other)]
        if kinds[0] != kinds[1]:
            raise ValueError("Cannot merge MinHashLSH with different initialization parameters.")
        schemes = [lsh._index.scheme for lsh in (self, other) if lsh._index.scheme]
        if len(set(schemes)) > 1:
            raise ValueError(f"Cannot merge MinHashLSH of MinHash schemes {' and '.join(schemes)}.")
        if check_overlap and set(self.keys).intersection(other.keys):
            raise ValueError("The keys are overlapping, duplicate key exists.")
        for key in other.keys:
            self._index.insert_bands(key, other.keys.get(key))
        self._index.scheme = self._index.scheme or other._index.scheme
        self._index.flush()

    # Buffers for tables in Redis.

    @property
    def buffer_size(self) -> int:
        return self._buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self._buffer_size = value
        for table in (self.keys, *self.hashtables):
            table.buffer_size = value

    def insertion_session(self, buffer_size: int = 50000) -> MinHashLSHInsertionSession:
        """A context for many insertions, sent to Redis in batches of `buffer_size` changes."""
        return MinHashLSHInsertionSession(self, buffer_size)

    def deletion_session(self, buffer_size: int = 50000) -> MinHashLSHDeletionSession:
        """A context for many removals, sent to Redis in batches of `buffer_size` changes."""
        return MinHashLSHDeletionSession(self, buffer_size)

    def add_to_query_buffer(self, minhash: Any) -> None:
        """Adds a query, whose answer collect_query_buffer() intersects with those of others."""
        self._queries.append(self._index.candidates(minhash))

    def collect_query_buffer(self) -> list[Hashable]:
        """The keys that every query found that was added since the last call."""
        queries, self._queries = self._queries, []
        return self._index.restored(set.intersection(*queries)) if queries else []

    # The content of bands.

    def _query_b(self, minhash: Any, b: int) -> set[Hashable]:
        """The keys that agree in one of the first b bands."""
        if b > self.b:
            raise ValueError("b must be less or equal to the number of hash tables")
        return set(self._index.query(minhash, b)) if b else set()

    def get_counts(self) -> list[dict[Hashable, int]]:
        """For each band, the number of keys in each bucket."""
        return [table.itemcounts() for table in self.hashtables]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[Hashable, int]]:
        """For each band, the number of these keys in each bucket."""
        counts: list[Counter[Hashable]] = [Counter() for _ in range(self.b)]
        for bands in self.keys.getmany(*map(self._index.stored, set(keys))):
            for band, count in zip(bands, counts):
                count[band] += 1
        return [dict(count) for count in counts]


class _Session:
    def __init__(self, lsh: MinHashLSH, buffer_size: int) -> None:
        self.lsh = lsh
        self.lsh.buffer_size = buffer_size

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Makes all delayed changes."""
        self.lsh._index.flush()


class MinHashLSHInsertionSession(_Session):
    """See MinHashLSH.insertion_session()."""

    def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        self.lsh._index.insert(key, minhash, check_duplication)


class MinHashLSHDeletionSession(_Session):
    """See MinHashLSH.deletion_session()."""

    def remove(self, key: Hashable) -> None:
        self.lsh._index.remove(key)
