"""A result of the engine as a value of Python, for pickle: what a result that was pickled has in
place of the engine's. It gives the same rows and writes the same bytes; it has no passages, for
which the texts are needed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Literal

from . import _core
from .records import Pair, Removed

Put = Callable[[bytes], object]


class Saved:
    """All that the engine's result says, but passages and the page of the report."""

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
        self._columns = {("pairs", field): result.column("pairs", field)
                         for field in Pair._fields}
        self._columns |= {("removed", field): result.column("removed", field)
                          for field in Removed._fields}
        self._written = {format: _packed(lambda put, format=format: result.write(format, put))
                         for format in _core.SCAN_FORMATS if format != "html"}
        self._removed_lines = _packed(result.write_removed)
        self._report = _packed(lambda put: result.write_report(put, cleaned))

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


def _packed(produce: Callable[[Put], object]) -> bytes:
    parts = bytearray()
    produce(parts.extend)
    return zlib.compress(parts, 1)
