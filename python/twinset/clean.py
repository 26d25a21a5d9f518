"""What is left of files and folders, written as `twinset dedup` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from . import _core, output
from .inputs import Texts
from .records import Counts


Four = tuple[int, int, int, int]


class Cleaning:
    """Where the files of a collection go. Made before the work, so that what cannot be written is
    told at once."""

    def __init__(self, collection: _core.Collection, given: Sequence[str],
                 target: output.Target | None, annotate: bool,
                 removed: output.Target | None = None) -> None:
        self.collection, self.annotate = collection, annotate
        self.path = os.fspath(target) if isinstance(target, (str, os.PathLike)) else ""
        self.put: Callable[[bytes], object] = getattr(target, "write", lambda data: None)
        self.names = collection.outputs(bool(self.path) or target is None, annotate)
        self.is_folder = bool(self.path) and self._needs_folder(given)
        collection.check_outputs(self._paths() + output.paths_of(removed))
        if self.is_folder:
            os.makedirs(self.path, exist_ok=True)

    def _needs_folder(self, given: Sequence[str]) -> bool:
        return (len(self._written()) > 1 or self.path.endswith("/") or os.path.isdir(self.path)
                or any(path.startswith("@") or os.path.isdir(path) for path in given))

    def _written(self) -> list[tuple[int, str]]:
        """The inputs that something may be left of, and what it would be called."""
        return [(number, name) for number, name in enumerate(self.names) if name is not None]

    def _paths(self) -> list[str]:
        if not self.is_folder:
            return [self.path] if self.path else []
        return [os.path.join(self.path, name) for _, name in self._written()]

    def write(self, result: _core.Result) -> Counts:
        """Writes what is left, or to nowhere without a target, and counts it."""
        missing = result.run()["missing"]
        counts: list[Four] = [(missing, 0, 0, missing)]
        if self.is_folder:
            counts += [self._write_file(result, number, name) for number, name in self._written()]
        elif self.path:
            with output.replacing(self.path) as file:
                counts += self._write_lines(result, file.write)
        else:
            counts += self._write_lines(result, self.put)
        return Counts(*map(sum, zip(*counts)))

    def _write_file(self, result: _core.Result, number: int, name: str) -> Four:
        """A file of the folder, which is there with its first bytes: what is not kept has none."""
        path, file = os.path.join(self.path, name), None

        def write(data: bytes) -> None:
            nonlocal file
            if file is None:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                file = stack.enter_context(output.replacing(path, sync_from=1 << 20))
            file.write(data)

        with ExitStack() as stack:
            return self.collection.clean(result, number, None, self.annotate, write)

    def _write_lines(self, result: _core.Result,
                     put: Callable[[bytes], object]) -> list[Four]:
        """All inputs one after the other, with a newline where the last has none at its end."""
        counts, is_first, last = [], True, b"\n"

        def write(data: bytes) -> None:
            nonlocal is_first, last
            data = bytes(data)
            put(b"\n" + data if data and is_first and last != b"\n" else data)
            is_first, last = is_first and not data, data[-1:] or last

        for number, _ in self._written():
            is_first = True
            counts.append(self.collection.clean(result, number, self.path, self.annotate, write))
        return counts


def parquet_targets(texts: Texts, target: output.Target,
                    removed: output.Target | None) -> list[str]:
    """Where what is kept of Parquet files goes: one to a file, several to a folder."""
    if not hasattr(texts.data, "paths"):
        raise _core.UsageError("output: is for files; table() gives what is kept of data in memory")
    if not isinstance(target, (str, os.PathLike)):
        raise _core.UsageError("output: Parquet is written to a path")
    read, path = texts.data.paths, os.fspath(target)
    paths = [path]
    if len(read) > 1 or path.endswith("/") or os.path.isdir(path):
        os.makedirs(path, exist_ok=True)
        paths = [os.path.join(path, os.path.basename(one)) for one in read]
    elif not path.lower().endswith(".parquet"):
        raise _core.UsageError(f"output: {path} must end in .parquet, as the input does")
    if len(set(paths)) < len(paths):
        raise _core.UsageError("output: two inputs have one name; rename one")
    files = _core.Collection()
    for one in read:
        files.add_path(os.path.abspath(one))
    files.check_outputs(paths + output.paths_of(removed))
    return paths
