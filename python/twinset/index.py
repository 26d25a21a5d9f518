"""Index: documents that stay, to be asked whether something was seen before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple, Unpack

from . import _core, inputs
from .api import _add, _columns, _explaining, _make_room
from .options import Options, to_engine
from .progress import Progress, watching
from .records import Skipped
from .results import Scan
from .rows import Ids
from .rules import INDEX_CALL

BATCH_DOCUMENTS = 4096  # of what is added as it comes, in one batch


class Added(NamedTuple):
    """What became of documents that were added."""

    added: int
    known: int
    """Were in the index already: nothing was changed."""
    skipped: int
    """Could not be read, are empty, or the index has another text by the id."""


class Document(NamedTuple):
    """A document of an index."""

    id: str
    text: str | None
    """None where the index keeps no texts."""
    group: str | None
    metadata: Any
    """What it had beside its text: a dict, or None."""


class Index:
    """An index in a file, as `twinset index` has it: the same file, the same answers.

    One object belongs to one thread at a time, and waits for its turn; any number of objects and
    processes may have a file open. Use it in a with statement, or close() it.
    """

    def __init__(self, path: str | PathLike[str], *, read_only: bool = False, create: bool = True,
                 keep_texts: bool = True, **options: Unpack[Options]) -> None:
        """Opens an index, or creates it.

        A new index keeps those options that texts are compared by, such as by, k and threshold.
        UsageError where an index has others. `keep_texts`: False makes a new index without texts,
        whose answers are estimates.
        """
        self._store = _core.Store(path, to_engine("index", options), read_only=read_only,
                                  create=create and not read_only, no_text=not keep_texts)

    # ---- documents in

    def add(self, documents: Iterable[Mapping[str, Any]]) -> Added:
        """Adds documents from memory: mappings with "id", "text", perhaps "group", and whatever
        else is to be kept with them. They are written in batches of 4,096, each of which is there
        as a whole or not at all."""
        total = Added(0, 0, 0)
        for batch in _batches(documents):
            texts = [one["text"] for one in batch]
            counts = self._store.add_texts(texts, [str(one["id"]) for one in batch],
                                           [one.get("group") for one in batch],
                                           [_metadata(one) for one in batch])
            total = Added(*map(sum, zip(total, counts)))
        return total

    def add_files(self, data: Any, *, progress: Progress = None,
                  **options: Unpack[Options]) -> Added:
        """Adds files: paths as scan() takes them. `group` names the field of JSON records whose
        documents are not compared with each other."""
        with _collected(self._store, data, None, progress, options) as (collection, _):
            return Added(*self._store.add(collection))

    def add_and_find(self, data: Any, *, progress: Progress = None, **options: Unpack[Options]
                     ) -> tuple[Scan, Added]:
        """Asks about files and adds them in one pass. The pairs that were found join clusters,
        which the index keeps."""
        with _collected(self._store, data, None, progress, options) as (collection, names):
            result, counts = self._store.add_find(collection)
            return Scan(result, names), Added(*counts)

    @property
    def skipped(self) -> list[Skipped]:
        """What the last call that added did not take because of what the index has."""
        return [Skipped(*one) for one in self._store.skipped()]

    # ---- questions

    def query(self, data: Any, ids: Any = None, threshold: float | None = None, *,
              progress: Progress = None, **options: Unpack[Options]) -> Scan:
        """Finds what resembles these documents: the pairs that scan(old, like=data) finds.

        `data` and `ids` are as for scan(); of the options, threshold, top, method, group,
        min_passage, threads and memory count. A document of the index by the id of one that is
        asked about is taken for the same document.
        """
        chosen: Any = {**options, "threshold": threshold}
        with _collected(self._store, data, ids, progress, chosen) as (collection, names):
            return Scan(self._store.query(collection), names)

    def get(self, id: str) -> Document | None:
        """A document by its id; None where there is none."""
        found = self._store.get(id)
        return None if found is None else _document(*found)

    def documents(self, match: str | None = None) -> list[Document]:
        """All documents, or those whose id matches a pattern with * and ?, in the order in which
        they were added."""
        found: list[Document] = []
        self._store.dump(lambda *one: found.append(_document(*one)), match)
        return found

    def clusters(self) -> list[list[str]]:
        """The clusters that add_and_find() made, largest first."""
        found: list[list[str]] = []
        self._store.clusters(found.append)
        return found

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._store.get(id) is not None

    def __len__(self) -> int:
        return int(self.stat()["documents"])

    # ---- documents out

    def remove(self, *ids: str) -> int:
        """Removes documents by their ids: nothing of them stays in the file. Gives the number of
        those that were there."""
        return self._store.remove(list(ids))[0]

    def remove_matching(self, match: str | None = None, group: str | None = None) -> int:
        """Removes the documents whose id matches a pattern, and that are of a group."""
        if match is None and group is None:
            raise _core.UsageError("match or group is wanted; match='*' removes all")
        return self._store.remove_matching(match, group)[0]

    # ---- the whole index

    def stat(self) -> dict[str, Any]:
        """Figures: documents, text_bytes, file_bytes, bands, rows, threshold, has_texts..."""
        return self._store.stat()

    def verify(self) -> list[str]:
        """Reads all of the index, and tells what is wrong with it: a sentence for each problem."""
        problems: list[str] = []
        try:
            self._store.verify(problems.append)
        except _core.InputError:
            if not problems:
                raise
        return problems

    def optimize(self) -> None:
        """Makes the file as small and fast as it can be."""
        self._store.optimize()

    def backup(self, path: str | PathLike[str]) -> None:
        """Copies the index, while others use it, to a file that must not exist."""
        self._store.backup(path)

    def merge(self, path: str | PathLike[str]) -> Added:
        """Adds the documents of another index, which must have the same options."""
        return Added(*self._store.merge(path))

    def close(self) -> None:
        """Writes what is in the log to the file, and closes it."""
        self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()


@contextmanager
def _collected(store: _core.Store, data: Any, ids: Any, progress: Progress, options: Options
               ) -> Iterator[tuple[_core.Collection, Ids]]:
    """A collection with the options of an index, filled with documents."""
    parts = inputs.read(data, ids, _columns(options))
    for name in options:
        if options.get(name) is not None and name not in INDEX_CALL:
            raise _core.UsageError(f"{name}: an index keeps it, or has no use for it; "
                                   "Index(..., option=...) checks that it is the same")
    chosen, spooling = _make_room(to_engine("index", options), parts, [])
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback, store)
        names = _add(collection, parts, [], spooling)
        with _explaining(collection):
            known = names.known
            if names.numbers:
                known = {name: int(name) for name in collection.inputs()}
            yield collection, Ids(numbers=False, known=known)


def _batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    for one in documents:
        batch.append(one)
        if len(batch) == BATCH_DOCUMENTS:
            yield batch
            batch = []
    if batch:
        yield batch


def _metadata(document: Mapping[str, Any]) -> str | None:
    rest = {key: value for key, value in document.items() if key not in ("id", "text", "group")}
    return json.dumps(rest, ensure_ascii=False) if rest else None


def _document(id: str, text: str | None, group: str | None, metadata: str | None) -> Document:
    return Document(id, text, group, None if metadata is None else json.loads(metadata))
