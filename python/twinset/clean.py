"""Cleaned files and folders, written as `twinset dedup` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from . import _core, output
from .records import Counts
from .rules import UNWRITTEN


CountTuple = tuple[int, int, int, int]


class Cleaning:
    """Where the cleaned files of a collection go. Made before the run, so that a target that
    cannot be written is reported at once."""

    def __init__(self, collection: _core.Collection, target: output.Target | None, annotate: bool,
                 removed: output.Target | None = None) -> None:
        self.collection, self.annotate = collection, annotate
        self.path = os.fspath(target) if isinstance(target, (str, os.PathLike)) else ""
        self.put: Callable[[bytes], object] = getattr(target, "write", lambda data: None)
        self.is_folder = self.path.endswith("/") or os.path.isdir(self.path)
        self.names = self._plan_outputs(target)
        collection.check_outputs(self._output_paths() + output.paths_of(removed))
        if self.is_folder:
            os.makedirs(self.path, exist_ok=True)

    def _plan_outputs(self, target: output.Target | None) -> list[str | None]:
        """The name of each output. Records of several inputs go to one file, unless a folder is
        named; documents always need a folder."""
        ending = os.path.splitext(self.path)[1][1:].lower()
        if ending in UNWRITTEN and not self.is_folder:
            raise _core.UsageError(f"output: records are written as JSON lines, not as .{ending}")
        try:
            return self.collection.outputs(self.is_folder or target is None, self.annotate)
        except _core.UsageError:
            if self.is_folder or not self.path:
                raise
        self.is_folder = True
        return self.collection.outputs(True, self.annotate)

    def _written_inputs(self) -> list[tuple[int, str]]:
        """The numbers of the inputs that are written, with the names of their outputs."""
        return [(number, name) for number, name in enumerate(self.names) if name is not None]

    def _output_paths(self) -> list[str]:
        if not self.is_folder:
            return [self.path] if self.path else []
        return [os.path.join(self.path, name) for _, name in self._written_inputs()]

    def write(self, result: _core.Result) -> Counts:
        """Writes what is kept, and counts records. Without a target it only counts."""
        missing = result.run()["missing"]
        counts: list[CountTuple] = [(missing, 0, 0, missing)]
        if self.is_folder:
            counts += [self._write_file(result, number, name)
                       for number, name in self._written_inputs()]
        elif self.path:
            with output.replacing(self.path) as file:
                counts += self._write_lines(result, file.write)
        else:
            counts += self._write_lines(result, self.put)
        return Counts(*map(sum, zip(*counts)))

    def _write_file(self, result: _core.Result, number: int, name: str) -> CountTuple:
        """Writes a file of the folder. It is created with its first bytes, so that an input of
        which nothing is kept leaves no file."""
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
                     put: Callable[[bytes], object]) -> list[CountTuple]:
        """Writes the records of all inputs, one input after the other."""
        return [self.collection.clean(result, number, self.path, self.annotate,
                                      lambda data: put(bytes(data)))
                for number, _ in self._written_inputs()]


def parquet_targets(read: Sequence[str], target: output.Target,
                    removed: output.Target | None) -> list[str]:
    """The paths of cleaned Parquet files: one file, or a folder with a file for each input."""
    if not isinstance(target, (str, os.PathLike)):
        raise _core.UsageError("output: Parquet is written to a path")
    path = os.fspath(target)
    paths = [path]
    is_named = path.lower().endswith(".parquet")
    if path.endswith("/") or os.path.isdir(path) or (len(read) > 1 and not is_named):
        paths = [os.path.join(path, os.path.basename(source)) for source in read]
        os.makedirs(path, exist_ok=True)
    elif not is_named:
        raise _core.UsageError(f"output: {path} must end in .parquet, as the input does")
    if len(set(paths)) < len(paths):
        raise _core.UsageError("output: two inputs have one name; rename one")
    files = _core.Collection()
    for source in read:
        files.add_path(os.path.abspath(source))
    files.check_outputs(paths + output.paths_of(removed))
    return paths
