"""A copy of the engine's result, for pickle. It has the same rows and writes the same bytes, but it
has no passages, for which the texts are needed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Literal

from . import _core
from .records import Pair, Removed

Put = Callable[[bytes], object]


class Saved:
    """A copy of the engine's result, without passages and without the HTML report."""

    def __init__(self, result: Any, cleaned: tuple[int, int, int, int] | None = None
                 ) -> None:
        if isinstance(result, Saved):
            self.__dict__.update(result.__dict__)
            return
        self._run, self._notes = result.run(), result.notes()
        self._skipped, self._flagged = result.skipped(), result.flagged()
        self._pairs = [result.pair(i) for i in range(len(result))]
        self._clusters = [result.cluster(i) for i in range(self._run["clusters"])]
        self._removed = [result.removed(i) for i in range(self._run["removed"])]
        self._cuts = [result.cut(i) for i in range(result.cuts())]
        self._columns = {("pairs", field): result.column("pairs", field)
                         for field in Pair._fields}
        self._columns |= {("removed", field): result.column("removed", field)
                          for field in Removed._fields}
        self._written = {format: _compressed(lambda put, format=format: result.write(format, put))
                         for format in _core.SCAN_FORMATS if format != "html"}
        self._removed_lines = _compressed(result.write_removed)
        self._report = _compressed(lambda put: result.write_report(put, cleaned))

    def __len__(self) -> int:
        return len(self._pairs)

    def run(self) -> Any:
        return self._run

    def pair(self, index: int) -> Any:
        return self._pairs[index]

    def cluster(self, index: int) -> Any:
        return self._clusters[index]

    def removed(self, index: int) -> Any:
        return self._removed[index]

    def cuts(self) -> int:
        return len(self._cuts)

    def cut(self, index: int) -> Any:
        return self._cuts[index]

    def skipped(self) -> Any:
        return self._skipped

    def flagged(self) -> Any:
        return self._flagged

    def notes(self) -> list[str]:
        return self._notes

    def column(self, kind: Literal["pairs", "removed"], field: str) -> Any:
        return self._columns[kind, field]

    def passages(self, index: int) -> Any:
        raise ValueError("a result that was pickled has no texts, and so no passages; ask for them "
                         "before")

    def write(self, format: str, put: Put) -> None:
        if format not in self._written:
            raise ValueError(f"a result that was pickled has no texts, and is not written as "
                             f"{format}; write it before")
        put(zlib.decompress(self._written[format]))

    def write_removed(self, put: Put) -> None:
        put(zlib.decompress(self._removed_lines))

    def write_report(self, put: Put, cleaned: object = None) -> None:
        put(zlib.decompress(self._report))


def _compressed(produce: Callable[[Put], object]) -> bytes:
    collected = bytearray()
    produce(collected.extend)
    return zlib.compress(collected, 1)
