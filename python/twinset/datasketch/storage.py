"""The tables of an index, which map a key to several values, in Python or in Redis.

In Redis, keys and layout are those of datasketch, so that either can read the index of the other: a
hash NAME has a field for each key, and NAME + key is a list, or a set, of its values.
"""

from __future__ import annotations

import os
import random
import string
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any


def random_name(length: int = 11) -> bytes:
    return "".join(random.choices(string.ascii_lowercase, k=length)).encode()


class Table(ABC):
    """A table that can be read."""

    buffer_size = 50000  # of buffered changes; only Redis has them

    @abstractmethod
    def keys(self) -> Collection[Hashable]:
        """All keys."""

    @abstractmethod
    def get(self, key: Hashable) -> Any:
        """The values of a key; empty if there is no such key."""

    def getmany(self, *keys: Hashable) -> list[Any]:
        return [self.get(key) for key in keys]

    def has_key(self, key: Hashable) -> bool:
        return key in self.keys()

    def size(self) -> int:
        """The number of keys."""
        return len(self.keys())

    def itemcounts(self) -> dict[Hashable, int]:
        """The number of values of each key."""
        keys = list(self.keys())
        return dict(zip(keys, map(len, self.getmany(*keys))))

    def status(self) -> dict[str, Any]:
        return {"keyspace_size": len(self)}

    def __getitem__(self, key: Hashable) -> Any:
        return self.get(key)

    def __contains__(self, key: Hashable) -> bool:
        return self.has_key(key)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.keys())

    def __len__(self) -> int:
        return self.size()


class Storage(Table):
    """A table that can be changed. Changes may be delayed until flush()."""

    @abstractmethod
    def insert(self, key: Any, *values: Any) -> None:
        """Adds values to those of a key."""

    @abstractmethod
    def remove(self, *keys: Any) -> None:
        """Removes keys with all their values."""

    def flush(self) -> None:
        """Makes all delayed changes."""


class SetStorage(Storage):
    """A table that has every value of a key once."""

    @abstractmethod
    def remove_val(self, key: Any, value: Any) -> None:
        """Removes a value of a key. The key may stay, without values."""


# ---- in Python


class DictListStorage(Storage):
    """A table that has the values of a key in the order of insertion."""

    def __init__(self) -> None:
        self._dict: dict[Hashable, Any] = {}

    def keys(self) -> Collection[Hashable]:
        return self._dict.keys()

    def get(self, key: Hashable) -> Any:
        return self._dict.get(key, [])

    def insert(self, key: Any, *values: Any) -> None:
        self._dict.setdefault(key, []).extend(values)

    def remove(self, *keys: Any) -> None:
        for key in keys:
            self._dict.pop(key, None)


class DictSetStorage(DictListStorage, SetStorage):
    def get(self, key: Hashable) -> Any:
        return self._dict.get(key, set())

    def insert(self, key: Any, *values: Any) -> None:
        self._dict.setdefault(key, set()).update(values)

    def remove_val(self, key: Any, value: Any) -> None:
        self.get(key).discard(value)


# ---- in Redis


class RedisServer:
    """The connection of a `storage_config`, shared by the tables of an index, and its delayed
    changes. "redis" has the arguments of redis.Redis; {"env": NAME, "default": VALUE} stands for
    a variable of the environment."""

    def __init__(self, config: dict[str, Any]) -> None:
        try:
            import redis
        except ImportError as error:
            raise ImportError("storage in Redis needs the package redis: pip install redis"
                              ) from error
        self.parameters = _resolved(config["redis"])
        self.client = redis.Redis(**self.parameters)
        transaction = _resolved(config.get("redis_buffer", {})).get("transaction", True)
        self._changes = self.client.pipeline(transaction=transaction)
        self.buffer_size = Table.buffer_size

    def changes(self) -> Any:
        """The pipeline that takes another change. It is sent first if it is full."""
        if len(self._changes) >= self.buffer_size:
            self.flush()
        return self._changes

    def flush(self) -> None:
        self._changes.execute()


def _resolved(config: dict[str, Any]) -> dict[str, Any]:
    return {name: os.getenv(value["env"], value.get("default"))
            if isinstance(value, dict) and "env" in value else value
            for name, value in config.items()}


class RedisListStorage(Storage):
    """A table that has the values of a key in the order of insertion."""

    def __init__(self, server: RedisServer, name: bytes) -> None:
        self.server = server
        self._name = name

    @property
    def buffer_size(self) -> int:
        return self.server.buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self.server.buffer_size = value

    def redis_key(self, key: Any) -> bytes:
        return self._name + (key.encode() if isinstance(key, str) else key)

    def keys(self) -> Collection[Hashable]:
        return self.server.client.hkeys(self._name)

    def get(self, key: Any) -> Any:
        return self.request(self.server.client, key)

    def request(self, client: Any, key: Any) -> Any:
        """Requests the values of a key from a client or a pipeline."""
        return client.lrange(self.redis_key(key), 0, -1)

    def getmany(self, *keys: Any) -> list[Any]:
        return get_each([self] * len(keys), keys)

    def has_key(self, key: Any) -> bool:
        return bool(self.server.client.hexists(self._name, key))

    def size(self) -> int:
        return self.server.client.hlen(self._name)

    def status(self) -> dict[str, Any]:
        return {**self.server.parameters, **super().status()}

    def insert(self, key: Any, *values: Any) -> None:
        self.server.changes().hset(self._name, key, self.redis_key(key))
        self.server.changes().rpush(self.redis_key(key), *values)

    def remove(self, *keys: Any) -> None:
        self.server.changes().hdel(self._name, *keys)
        self.server.changes().delete(*map(self.redis_key, keys))

    def flush(self) -> None:
        self.server.flush()


class RedisSetStorage(RedisListStorage, SetStorage):
    def request(self, client: Any, key: Any) -> Any:
        return client.smembers(self.redis_key(key))

    def insert(self, key: Any, *values: Any) -> None:
        self.server.changes().hset(self._name, key, self.redis_key(key))
        self.server.changes().sadd(self.redis_key(key), *values)

    def remove_val(self, key: Any, value: Any) -> None:
        self.server.changes().srem(self.redis_key(key), value)


def get_each(tables: Sequence[Table], keys: Sequence[Any]) -> list[Any]:
    """The values of a key in each table, with a single request to Redis."""
    if not tables or not isinstance(tables[0], RedisListStorage):
        return [table.get(key) for table, key in zip(tables, keys)]
    pipeline = tables[0].server.client.pipeline(transaction=False)
    for table, key in zip(tables, keys):
        table.request(pipeline, key)  # type: ignore[attr-defined]
    return pipeline.execute()
