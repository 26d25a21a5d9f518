"""Reads records from files that Beam can read, and checks whether files can be written."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

import apache_beam as beam
from apache_beam.io import fileio
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems
from pyarrow import parquet

from .. import _core
from .documents import Fields, name_of

KINDS = {".parquet": "Parquet", ".jsonl": "JSON lines", ".ndjson": "JSON lines",
         ".json": "JSON lines"}
BOM = "\ufeff"  # at the start of some files
LINE = "\n"  # under which a record has the line that it was read from
FIRST = 1000  # records, or files with a schema, that are looked at for the names of fields
BLOCK = 1 << 20


# ---- reading

def read(pipeline: beam.Pipeline, pattern: str, fields: Fields, whole: bool) -> beam.PCollection:
    """Records. Those of Parquet and JSON lines have the requested fields, or all fields if `whole`;
    those of other files have id and text. A field that no record has is an error before anything
    runs."""
    paths = [file.path for file in FileSystems.match([pattern])[0].metadata_list]
    if not paths:
        raise _core.InputError(f"there are no files like {pattern}")
    kind, names = kind_of(paths, pattern), [name for name, _ in fields.wanted()]
    if kind == "Parquet":
        fields.check_names(find_names(map(columns, paths), names))
        rows = beam.io.ReadFromParquet(pattern, columns=None if whole else names)
        return pipeline | "read" >> rows | "fill" >> beam.Map(fill, names)
    if kind == "JSON lines":
        return read_lines(pipeline, pattern, paths, fields, whole)
    return spread(pipeline, pattern) | "read" >> beam.Map(document, fields.id, fields.text)


def read_lines(pipeline: beam.Pipeline, pattern: str, paths: list[str], fields: Fields,
               whole: bool) -> beam.PCollection:
    names = [name for name, _ in fields.wanted()]
    first = (object_of(line.removeprefix(BOM)) for path in paths for line in lines_of(path)
             if line.strip())
    if found := find_names(first, names):
        fields.check_names(found)
    if any(map(is_packed, paths)):
        lines = spread(pipeline, pattern) | "read" >> beam.FlatMap(lines_of)
    else:  # Beam divides large files, too
        lines = pipeline | "read" >> beam.io.ReadFromText(pattern)
    return lines | "parse" >> beam.FlatMap(parse, names, whole)


def kind_of(paths: list[str], pattern: str) -> str:
    """What the files are: by their names, or else by the pattern."""
    if paths == [pattern] and FileSystems.match([f"{pattern}/*"], [1])[0].metadata_list:
        raise _core.InputError(f"{pattern} is a folder; {pattern}/** are all files below it")
    kinds = {_kind(path.rpartition("/")[2]) or _kind(pattern) or "documents" for path in paths}
    if len(kinds) > 1:
        raise _core.InputError(f"the files like {pattern} are of several kinds: "
                               f"{', '.join(sorted(kinds))}; take those of one")
    return kinds.pop()


def _kind(name: str) -> str | None:
    return next((kind for end, kind in KINDS.items() if end in name.lower()), None)


def spread(pipeline: beam.Pipeline, pattern: str) -> beam.PCollection:
    """The paths of files, for all workers to read."""
    return (pipeline | "match" >> fileio.MatchFiles(pattern)
            | "path" >> beam.Map(lambda file: file.path).with_output_types(str)
            | "spread" >> beam.Reshuffle())


def is_packed(path: str) -> bool:
    return CompressionTypes.detect_compression_type(path) != CompressionTypes.UNCOMPRESSED


def find_names(names: Iterable[Iterable[str]], wanted: list[str]) -> list[str]:
    """The names of fields in the first records or schemas. It stops as soon as all wanted names
    are found."""
    found: dict[str, None] = {}
    for record_names in islice(names, FIRST):
        found |= dict.fromkeys(record_names)
        if found.keys() >= set(wanted):
            break
    return list(found)


def columns(path: str) -> list[str]:
    """The names of the columns of a Parquet file."""
    try:
        with closing(FileSystems.open(path)) as file:
            return parquet.read_schema(file).names
    except (OSError, ValueError) as error:
        raise _core.InputError(f"{path} cannot be read: {error}") from error


def document(path: str, id: str, text: str) -> dict[str, Any]:
    return {id: path, text: b"".join(blocks(path))}


def lines_of(path: str) -> Iterator[str]:
    """The lines of a file, without line ends."""
    for line in blocks(path, by_line=True):
        yield line.removesuffix(b"\n").removesuffix(b"\r").decode()


def blocks(path: str, by_line: bool = False) -> Iterator[bytes]:
    """The blocks of a file, decompressed. The last block of a truncated file is not given."""
    last = b""
    try:
        with closing(FileSystems.open(path)) as file:
            for block in iter(file.readline if by_line else partial(file.read, BLOCK), b""):
                if last:
                    yield last
                last = block
            unpacker = getattr(file, "_decompressor", None)
            if unpacker and not unpacker.eof:  # which is an end like any other to Beam
                raise EOFError("it breaks off")
        yield last
    except Exception as error:  # each way of packing has its own
        raise _core.InputError(f"{path} cannot be read: {error}") from error


def object_of(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise _core.InputError(f"a line is no JSON ({error}): {line[:80]!r}") from None
    if not isinstance(record, dict):
        raise _core.InputError(f"a line is no JSON object: {line[:80]!r}")
    return record


def parse(line: str, names: list[str], with_line: bool) -> Iterator[dict[str, Any]]:
    """The needed fields of a line, id and text first; nothing for an empty line. A missing field
    is null."""
    if not line.strip():
        return
    line = line.removeprefix(BOM)
    record = object_of(line)
    name_of(record.get(names[0]), names[0])  # says what is wrong before Beam cannot send it
    needed = {name: record.get(name) for name in names}
    if isinstance(text := needed[names[1]], str):  # which may have half characters in JSON: no
        needed[names[1]] = text.encode("utf-8", "surrogatepass")  # string to Beam
    yield {**needed, **({LINE: line} if with_line else {})}


def fill(record: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A record with nulls for columns that its file does not have."""
    return record if all(name in record for name in names) else {**dict.fromkeys(names), **record}


# ---- writing

def check_output(prefix: str) -> None:
    """Fails if nothing can be written there, or if output exists already, which Beam would mix with
    the new files. For the check, a file is written into the nearest existing folder and removed."""
    if re.search(r"[*?[]", prefix):
        raise _core.UsageError(f"--output {prefix}: Beam cannot write names with * ? or [")
    folder = prefix
    try:
        system = FileSystems.get_filesystem(prefix)
        folder = FileSystems.split(prefix)[0]
        while (system.has_dirs() and not FileSystems.exists(folder)
               and (above := FileSystems.split(folder)[0]) != folder):
            folder = above
        trial = FileSystems.join(folder, f"twinset-{uuid.uuid4().hex}")
        FileSystems.create(trial).close()
        FileSystems.delete([trial])
        before = FileSystems.match([f"{prefix}-*-of-*"], [1])[0].metadata_list
    except (OSError, ValueError) as error:
        why = "it is a file" if isinstance(error, FileExistsError) else error
        raise _core.UsageError(f"nothing can be written to {folder}: {why}") from error
    if before:
        raise _core.UsageError(f"{before[0].path} is there already; --output names files to make")
