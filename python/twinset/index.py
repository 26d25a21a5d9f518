"""Index: documents in a file, to ask whether a document was seen before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple, Unpack

from . import _core, inputs
from .api import _add, _columns, _leave_memory, _naming_skipped
from .options import Options, to_engine
from .progress import Progress, watching
from .records import Skipped
from .results import Scan
from .rows import Ids
from .rules import INDEX_CALL

BATCH_DOCUMENTS = 4096  # that add() writes at once


class Added(NamedTuple):
    """How many documents were added, known already, or skipped."""

    added: int
    known: int
    """Documents that the index had already; they are not changed."""
    skipped: int
    """Documents that could not be read, are empty, or whose id has another text in the index."""


class Document(NamedTuple):
    """A document of an index."""

    id: str
    text: str | None
    """None if the index keeps no texts."""
    group: str | None
    metadata: Any
    """The other members of the added document: a dict, or None."""


class Index:
    """An index in a file. `twinset index` reads the same files, and gives the same answers.

    Threads may share an Index; their calls run one after the other. Any number of objects and
    processes may have a file open. Use it in a with statement, or close() it.
    """

    def __init__(self, path: str | PathLike[str], *, read_only: bool = False, create: bool = True,
                 keep_texts: bool = True, **options: Unpack[Options]) -> None:
        """Opens an index, or creates it.

        A new index stores the options that texts are compared by, such as by, k and threshold,
        and with min_passage fingerprints of passages. UsageError if an existing index has other
        options. `keep_texts`: False creates an index without texts, whose answers are estimates.
        """
        self._store = _core.Store(path, to_engine("index", options), read_only=read_only,
                                  create=create and not read_only, no_text=not keep_texts)

    # ---- documents in

    def add(self, documents: Iterable[Mapping[str, Any]]) -> Added:
        """Adds documents from memory: mappings with "id", "text" and, optionally, "group". All
        other members are metadata. Documents are written in batches of 4,096, each as a whole or
        not at all."""
        total = Added(0, 0, 0)
        for batch in _batches(documents):
            texts = [document["text"] for document in batch]
            counts = self._store.add_texts(texts, [str(document["id"]) for document in batch],
                                           [document.get("group") for document in batch],
                                           [_metadata(document) for document in batch])
            total = Added(*map(sum, zip(total, counts)))
        return total

    def add_files(self, data: Any, *, progress: Progress = None,
                  **options: Unpack[Options]) -> Added:
        """Adds files: paths as scan() takes them. `group` names the field of JSON records whose
        documents are not compared with each other."""
        with _collecting(self._store, data, None, progress, options) as (collection, _):
            return Added(*self._store.add(collection))

    def add_and_find(self, data: Any, *, progress: Progress = None, **options: Unpack[Options]
                     ) -> tuple[Scan, Added]:
        """Queries files and adds them in one pass. The pairs that are found join clusters, which
        the index keeps."""
        with _collecting(self._store, data, None, progress, options) as (collection, names):
            result, counts = self._store.add_find(collection)
            return Scan(result, names), Added(*counts)

    @property
    def skipped(self) -> list[Skipped]:
        """Documents that the last call that adds skipped because of what the index has."""
        return [Skipped(*fields) for fields in self._store.skipped()]

    # ---- queries

    def query(self, data: Any, ids: Any = None, threshold: float | None = None, *,
              progress: Progress = None, **options: Unpack[Options]) -> Scan:
        """Finds what resembles these documents: the pairs that scan(old, like=data) finds.

        `data` and `ids` are as for scan(); of the options, threshold, top, method, group,
        min_passage, threads and memory count. A document of the index that has the id of a
        queried document counts as the same document.
        """
        chosen: Any = {**options, "threshold": threshold}
        with _collecting(self._store, data, ids, progress, chosen) as (collection, names):
            return Scan(self._store.query(collection), names)

    def get(self, id: str) -> Document | None:
        """A document by its id; None if the index has no such document."""
        found = self._store.get(id)
        return None if found is None else _document(*found)

    def documents(self, match: str | None = None) -> list[Document]:
        """All documents, or those whose id matches a pattern with * and ?, in the order in which
        they were added."""
        found: list[Document] = []
        self._store.dump(lambda *fields: found.append(_document(*fields)), match)
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
        """Removes documents by their ids; nothing of them stays in the file. Returns how many
        documents were removed."""
        return self._store.remove(list(ids))[0]

    def remove_matching(self, match: str | None = None, group: str | None = None) -> int:
        """Removes the documents whose id matches a pattern, or that are of a group, or both.
        Returns how many documents were removed."""
        if match is None and group is None:
            raise _core.UsageError("match or group is wanted; match='*' removes all")
        return self._store.remove_matching(match, group)[0]

    # ---- the whole index

    def stat(self) -> dict[str, Any]:
        """Figures: documents, text_bytes, file_bytes, bands, rows, threshold, has_texts..."""
        return self._store.stat()

    def verify(self) -> list[str]:
        """Reads all of the index, and returns a sentence for each problem."""
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
        """Copies the index to a file that must not exist. Others may use the index meanwhile."""
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
def _collecting(store: _core.Store, data: Any, ids: Any, progress: Progress, options: Options
               ) -> Iterator[tuple[_core.Collection, Ids]]:
    """A collection with the options of an index, filled with documents."""
    sources = inputs.read(data, ids, _columns(options))
    for name in options:
        if options.get(name) is not None and name not in INDEX_CALL:
            raise _core.UsageError(f"{name}: an index keeps it, or has no use for it; "
                                   "Index(..., option=...) checks that it is the same")
    chosen, spooling = _leave_memory(to_engine("index", options), sources, [])
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback, store)
        names = _add(collection, sources, [], spooling)
        with _naming_skipped(collection):
            known = names.known
            if names.numbers:
                known = {name: int(name) for name in collection.inputs()}
            yield collection, Ids(numbers=False, known=known)


def _batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    for document in documents:
        batch.append(document)
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
