"""The functions compare(), scan() and dedup()."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, Unpack

from . import _core, inputs, tables
from .clean import Cleaning, parquet_targets
from .inputs import Columns, Files, ParquetFiles, Source, Texts
from .options import Options, to_engine
from .output import Target, paths_of
from .prefer import order_by
from .progress import Progress, watching
from .records import Pair
from .results import Dedup, Scan
from .rows import Ids
from .rules import KEEP_FIRST


def compare(a: Any, b: Any, **options: Unpack[Options]) -> Pair:
    """Compares two texts: exact and estimated similarity, and what they have in common.

    A text is str or bytes; a pathlib.Path is read as a document of whatever kind. Options are
    those of `twinset compare`, by the same names: by, k, case, measure...
    """
    chosen = to_engine("compare", options)
    if not isinstance(a, os.PathLike) and not isinstance(b, os.PathLike):
        return Pair(*_core.compare(a, b, chosen))
    collection = _core.Collection(chosen)
    for name, document in (("a", a), ("b", b)):
        if isinstance(document, os.PathLike):
            collection.add_path(document)
        else:
            collection.add_texts([document], [name])
    with _naming_skipped(collection):
        return Pair(*collection.compare().pair(0))


def scan(data: Any, ids: Any = None, threshold: float | None = None, *, ignore: Any = None,
         old: Any = None, like: Any = None, progress: Progress = None,
         **options: Unpack[Options]) -> Scan:
    """Finds the similar pairs of a collection, and the clusters they form.

    `data`: texts, in a list or any iterable, or in a column of pyarrow, pandas or polars; a
    table, whose columns `text` and `id` hold texts and ids (by default "text", and "id" if it
    exists); a path, or a list of pathlib.Path: files, folders, JSON lines, Parquet. A lone str is a
    path.
    `ids`: the names of the texts, str or int, each once. Without them, positions are names.
    `threshold`: the least similarity of a reported pair. None: 0.5, or for programs a threshold
    that chance similarity seldom reaches.
    `ignore`: templates, whose words are left out of all documents. `old`: an archive, compared
    with the data, not with itself. `like`: documents; only pairs with one of them are reported.
    Each of the three takes what `data` takes.
    `progress`: True, False, None (only in a terminal or notebook), or a function of stage, done
    and total.

    All other options are those of `twinset scan`, by the same names, with _ for -.
    """
    chosen = to_engine("scan", {**options, "threshold": threshold})
    columns = _columns(options)
    sources = inputs.read(data, ids, columns)
    others = _others(columns, ignore, old, like)
    is_grouped = chosen.get("group", "none") != "none"
    if is_grouped and not all(isinstance(source, Files) for source in sources):
        raise _core.UsageError("group is for files; a row in memory or of Parquet has no folder, "
                               "and no field")
    chosen, spooling = _leave_memory(chosen, sources, others)
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback)
        names = _add(collection, sources, others, spooling)
        with _naming_skipped(collection):
            found = Scan(collection.scan(), names)
        found._files = _collect_read_files(collection, sources, others)
        found._spools = spooling.spools
        return found


def dedup(data: Any, ids: Any = None, threshold: float | None = None, keep: str = KEEP_FIRST, *,
          output: Target | None = None, removed: Target | None = None, annotate: bool = False,
          ignore: Any = None, old: Any = None, progress: Progress = None,
          **options: Unpack[Options]) -> Dedup:
    """Removes the near-duplicates of a collection.

    A document is removed only for a kept document that it resembles itself. `data`, `ids`,
    `ignore`, `old` and `progress` are as for scan(); documents that resemble an old one are
    removed.
    `threshold`: the least similarity to a kept document; None: 0.8.
    `keep`: which of similar documents stays: "first", "longest", "newest" by a column such as
    date, or the name of a column, by its largest value; among equals, the first.
    `output`: where to write the kept documents of files: a path, for several inputs a folder, or
    a file that is open for bytes. `removed`: where to write a JSON line for each removed document.
    `annotate`: keep all records, and add the columns twinset_cluster, twinset_keep, twinset_kept
    and twinset_similarity to them; with `min_passage`, twinset_spans instead of cutting.

    All other options are those of `twinset dedup`, by the same names, with _ for -.
    """
    chosen = to_engine("dedup", {**options, "threshold": threshold})
    columns = _columns(options)
    source, *rest = inputs.read(data, ids, columns)
    if rest:
        raise _core.UsageError("Parquet files are cleaned by themselves; old= takes others")
    others = _others(columns, ignore, old)
    chosen, spooling = _leave_memory(chosen, [source], others)
    cuts_spans = chosen.get("min-passage", "off") != "off"
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback)
        if isinstance(source, Files):
            outcome = _dedup_files(collection, source, others, spooling, keep, output, annotate,
                                   removed)
        elif isinstance(source, ParquetFiles):
            if cuts_spans:
                raise _core.UsageError("min_passage: of Parquet, spans are cut out of what is in "
                                       "memory: give a table, such as pyarrow reads")
            outcome = _dedup_parquet(collection, source, others, spooling, keep, output, annotate,
                                     removed)
        else:
            outcome = _dedup_texts(collection, source, others, spooling, keep, output, annotate,
                                   removed, cuts_spans)
    outcome.removed._files = _collect_read_files(collection, [source], others)
    if removed is not None:
        outcome.removed.write(removed)
    return outcome


# ---- what goes into a collection

Others: TypeAlias = "list[tuple[_core.Role, Source]]"


def _columns(options: Options) -> Columns:
    return Columns(options.get("text") or "text", options.get("id"))


def _others(columns: Columns, ignore: Any, old: Any, like: Any = None) -> Others:
    """Reads templates, archives and the documents of `like`, each with its role."""
    roles: list[tuple[_core.Role, Any]] = [("ignore", ignore), ("old", old), ("like", like)]
    return [(role, source) for role, data in roles if data is not None
            for source in inputs.read(data, None, columns)]


class Spooling:
    """Turns Parquet files into temporary JSON lines, and owns these files."""

    def __init__(self, budget: Any, tmp: str | None) -> None:
        self.budget, self.tmp = budget, tmp
        self.keep = KEEP_FIRST
        self.spools: list[Any] = []

    def add(self, source: ParquetFiles, keep: str) -> str:
        """Writes JSON lines, and returns the path that the engine reads."""
        from .spool import Spool

        self.spools.append(Spool(source.rows, keep, self.budget, self.tmp))
        return str(self.spools[-1].list)


def _leave_memory(chosen: dict[str, str], sources: Sequence[Source], others: Others
                  ) -> tuple[dict[str, str], Spooling]:
    """The engine's options, less the memory that Parquet files need."""
    documents = [*sources, *(source for _, source in others)]
    if not any(isinstance(source, ParquetFiles) for source in documents):
        return chosen, Spooling(None, None)
    from . import parquet

    chosen, budget = parquet.leave_memory(chosen)
    return chosen, Spooling(budget, chosen.get("tmp"))


def _add(collection: _core.Collection, sources: Sequence[Source], others: Others,
         spooling: Spooling, order: Sequence[int] | None = None) -> Ids:
    """Adds all documents, and returns how the engine's names become ids.

    If no document has a name, documents are numbered: those of the data, then the others.
    Otherwise, others without names are called old:0, old:1...
    """
    documents: Others = [*(("new", source) for source in sources), *others]
    compared = [source for role, source in documents if role != "ignore"]
    is_plain = order is None and all(
        isinstance(source, Texts) and source.ids is None for source in compared)
    for role, source in documents:
        if isinstance(source, Files):
            for path in source.paths:
                collection.add_path(path, role)
        elif isinstance(source, ParquetFiles):
            keep = spooling.keep if role == "new" else KEEP_FIRST
            collection.add_path(spooling.add(source, keep), role)
        elif is_plain and role != "ignore":
            _add_texts(collection, source, source.texts, None, role)
        elif role == "new" and order is not None:
            names = tables.pick(source.names(), order)
            _add_texts(collection, source, source.ordered(order), names, role)
        else:
            names = source.names("" if role == "new" else f"{role}:")
            _add_texts(collection, source, source.texts, names, role)
    if is_plain or all(isinstance(source, ParquetFiles) and source.rows.is_numbered()
                       for source in compared):
        return Ids(numbers=True)
    numbered = [source for source in compared if isinstance(source, Texts) and source.is_numbered()
                and (source is sources[0] or source.ids is not None)]
    if len(numbered) == len(compared):
        return Ids(numbers=True)
    known = {name: int(id) for source in numbered
             for name, id in zip(source.names(), source.ids_or_positions())}
    return Ids(numbers=False, known=known or None)


def _add_texts(collection: _core.Collection, source: Texts, texts: Any, names: list[str] | None,
               role: _core.Role) -> None:
    try:
        collection.add_texts(texts, names, role)
    except TypeError as error:
        if not source.column:
            raise
        raise TypeError(f"column {source.column!r}: {error}") from None


def _collect_read_files(collection: _core.Collection, sources: Sequence[Source], others: Others
                        ) -> _core.Collection:
    """A collection of the files that were read, which must not be written to. It holds no texts in
    memory: these need not live as long as a result."""
    documents = [*sources, *(source for _, source in others)]
    if all(isinstance(source, Files) for source in documents):
        return collection
    files = _core.Collection()
    for source in documents:
        read = source.paths if isinstance(source, Files) else (
            source.rows.paths if isinstance(source, ParquetFiles) else ())
        for path in read:
            if path != "-":  # standard input, which can be read only once
                files.add_path(os.path.abspath(path) if isinstance(source, ParquetFiles) else path)
    return files


@contextmanager
def _naming_skipped(collection: _core.Collection) -> Iterator[None]:
    """Adds the reasons why documents were skipped to an error that says that none are left."""
    try:
        yield
    except (_core.EmptyError, _core.UsageError) as error:
        reasons = [f"{path}: {reason}" for path, reason, _ in collection.skipped()]
        if not reasons or str(error) in reasons:
            raise
        more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
        raise type(error)(f"{error}: {'; '.join(reasons[:3])}{more}") from None


# ---- cleaning

def _dedup_files(collection: _core.Collection, files: Files, others: Others, spooling: Spooling,
                 keep: str, target: Target | None, annotate: bool, removed: Target | None) -> Dedup:
    if annotate and target is None:
        raise _core.UsageError("annotate: files are annotated as they are written; give output=")
    names = _add(collection, [files], others, spooling)
    collection.check_outputs(paths_of(removed))
    cleaning = None
    if target is not None:
        cleaning = Cleaning(collection, target, annotate, removed)
    outcome = Dedup(collection.dedup(keep), names, collection)
    if cleaning is not None:
        outcome.counts = cleaning.write(outcome._result)
    return outcome


def _dedup_parquet(collection: _core.Collection, source: ParquetFiles, others: Others,
                   spooling: Spooling, keep: str, target: Target | None, annotate: bool,
                   removed: Target | None) -> Dedup:
    from . import parquet

    targets = None
    if target is not None:
        targets = parquet_targets(source.rows.paths, target, removed)
    spooling.keep = keep
    names = _add(collection, [source], others, spooling)
    collection.check_outputs(paths_of(removed))
    result = collection.dedup(keep)
    kept = parquet.Kept(source.rows, result, names, annotate, spooling.budget)
    outcome = Dedup(result, names, kept)
    if targets is not None:
        kept.write(targets, spooling.spools[0])
    return outcome


def _dedup_texts(collection: _core.Collection, texts: Texts, others: Others, spooling: Spooling,
                 keep: str, target: Target | None, annotate: bool, removed: Target | None,
                 cuts_spans: bool) -> Dedup:
    if annotate and texts.table is None:
        raise _core.UsageError("annotate: adds columns, and a list of texts has none; give a table")
    if target is not None:
        raise _core.UsageError("output: is for files; table() gives what is kept of data in memory")
    order = order_by(texts, keep)
    if order is not None and cuts_spans:
        raise _core.UsageError(f"min_passage: with keep={keep!r}, spans are cut out of files "
                               "alone; write the rows to a file of JSON lines, and give its name")
    names = _add(collection, [texts], others, spooling, order)
    collection.check_outputs(paths_of(removed))
    result = collection.dedup(KEEP_FIRST if order is not None else keep)
    return Dedup(result, names, texts, annotate, order is not None, cuts_spans)
