"""compare, scan and dedup."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, Unpack

from . import _core, inputs, tables
from .clean import Cleaning, parquet_targets
from .inputs import Columns, Files, Packed, Part, Texts
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
    with _explaining(collection):
        return Pair(*collection.compare().pair(0))


def scan(data: Any, ids: Any = None, threshold: float | None = None, *, ignore: Any = None,
         old: Any = None, like: Any = None, progress: Progress = None,
         **options: Unpack[Options]) -> Scan:
    """Finds the similar pairs of a collection, and the clusters they form.

    `data`: texts, in a list or any iterable, or in a column of pyarrow, pandas or polars; a
    table, whose columns `text` and `id` hold them (by default "text", and "id" where there is
    one); a path, or a list of pathlib.Path: files, folders, JSON lines, Parquet. A lone str is a
    path.
    `ids`: what the texts are called, str or int, each once; without, by their positions.
    `threshold`: pairs from here up; None: 0.5, or of programs what chance suggests.
    `ignore`: templates, whose words are left out of all documents. `old`: an archive, compared
    with the data, not with itself. `like`: only pairs that one of these is part of. Each is given
    as data is.
    `progress`: True, False, None for where it can be seen, or a function of stage, done, total.

    All other options are those of `twinset scan`, by the same names, with _ for -.
    """
    chosen = to_engine("scan", {**options, "threshold": threshold})
    columns = _columns(options)
    parts = inputs.read(data, ids, columns)
    others = _others(columns, ignore, old, like)
    if chosen.get("group", "none") != "none" and not all(isinstance(part, Files) for part in parts):
        raise _core.UsageError("group is for files; a row in memory or of Parquet has no folder, "
                               "and no field")
    chosen, spooling = _make_room(chosen, parts, others)
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback)
        names = _add(collection, parts, others, spooling)
        with _explaining(collection):
            found = Scan(collection.scan(), names)
        found._files = _guard(collection, parts, others)
        found._spools = spooling.made
        return found


def dedup(data: Any, ids: Any = None, threshold: float | None = None, keep: str = KEEP_FIRST, *,
          output: Target | None = None, removed: Target | None = None, annotate: bool = False,
          ignore: Any = None, old: Any = None, progress: Progress = None,
          **options: Unpack[Options]) -> Dedup:
    """Finds what is left of a collection without its near-duplicates.

    A document is removed only for one that is kept and that it resembles itself. `data`, `ids`,
    `ignore`, `old` and `progress` are as for scan(); what resembles something old is removed.
    `threshold`: None: 0.8.
    `keep`: which of similar documents stays: "first", "longest", "newest" by a column such as
    date, or the name of a column, by its largest value; among equals, the first.
    `output`: of files, where to write what is kept: a path, for several inputs a folder, or a
    file that is open for bytes. `removed`: where to write a line of JSON for each removed one.
    `annotate`: keep all records, and add the columns twinset_cluster, twinset_keep, twinset_kept
    and twinset_similarity to them.

    All other options are those of `twinset dedup`, by the same names, with _ for -.
    """
    chosen = to_engine("dedup", {**options, "threshold": threshold})
    columns = _columns(options)
    part, *more = inputs.read(data, ids, columns)
    if more:
        raise _core.UsageError("Parquet files are cleaned by themselves; old= takes others")
    others = _others(columns, ignore, old)
    chosen, spooling = _make_room(chosen, [part], others)
    with watching(progress) as callback:
        collection = _core.Collection(chosen, callback)
        if isinstance(part, Files):
            done = _dedup_files(collection, part, others, spooling, keep, output, annotate, removed)
        elif chosen.get("min-passage", "off") != "off":
            raise _core.UsageError("min_passage: spans are cut out of files; write the texts to a "
                                   "file of JSON lines, and give its name")
        elif isinstance(part, Packed):
            done = _dedup_packed(collection, part, others, spooling, keep, output, annotate,
                                 removed)
        else:
            done = _dedup_texts(collection, part, others, spooling, keep, output, annotate,
                                removed)
    done.removed._files = _guard(collection, [part], others)
    if removed is not None:
        done.removed.write(removed)
    return done


# ---- what goes into a collection

Others: TypeAlias = "list[tuple[_core.Role, Part]]"


def _columns(options: Options) -> Columns:
    return Columns(options.get("text") or "text", options.get("id"))


def _others(columns: Columns, ignore: Any, old: Any, like: Any = None) -> Others:
    """Documents that are not of the data itself, with their roles."""
    roles: list[tuple[_core.Role, Any]] = [("ignore", ignore), ("old", old), ("like", like)]
    return [(role, part) for role, data in roles if data is not None
            for part in inputs.read(data, None, columns)]


class Spooling:
    """How Parquet files become JSON lines, and those that did."""

    def __init__(self, budget: Any, tmp: str | None) -> None:
        self.budget, self.tmp = budget, tmp
        self.keep = KEEP_FIRST
        self.made: list[Any] = []

    def add(self, part: Packed, keep: str) -> str:
        """Gives the path that the engine is to read."""
        from .spool import Spool

        self.made.append(Spool(part.rows, keep, self.budget, self.tmp))
        return str(self.made[-1].list)


def _make_room(chosen: dict[str, str], parts: Sequence[Part], others: Others
               ) -> tuple[dict[str, str], Spooling]:
    """The engine's options, with the memory that Parquet leaves it."""
    if not any(isinstance(part, Packed) for part in [*parts, *(part for _, part in others)]):
        return chosen, Spooling(None, None)
    from . import parquet

    chosen, budget = parquet.leave_memory(chosen)
    return chosen, Spooling(budget, chosen.get("tmp"))


def _add(collection: _core.Collection, parts: Sequence[Part], others: Others, spooling: Spooling,
         order: Sequence[int] | None = None) -> Ids:
    """Adds everything, and tells how names become ids.

    Where nothing has a name, documents are numbered: those of the data, then the others. Else
    others without names are called old:0, old:1...
    """
    documents: Others = [*(("new", part) for part in parts), *others]
    compared = [part for role, part in documents if role != "ignore"]
    is_plain = order is None and all(
        isinstance(part, Texts) and part.ids is None for part in compared)
    for role, part in documents:
        if isinstance(part, Files):
            for path in part.paths:
                collection.add_path(path, role)
        elif isinstance(part, Packed):
            keep = spooling.keep if role == "new" else KEEP_FIRST
            collection.add_path(spooling.add(part, keep), role)
        elif is_plain and role != "ignore":
            _add_texts(collection, part, part.texts, None, role)
        elif role == "new" and order is not None:
            names = tables.pick(part.names(), order)
            _add_texts(collection, part, part.ordered(order), names, role)
        else:
            names = part.names("" if role == "new" else f"{role}:")
            _add_texts(collection, part, part.texts, names, role)
    if is_plain or all(isinstance(part, Packed) and part.rows.is_numbered() for part in compared):
        return Ids(numbers=True)
    numbered = [part for part in compared if isinstance(part, Texts) and part.is_numbered()
                and (part is parts[0] or part.ids is not None)]
    if len(numbered) == len(compared):
        return Ids(numbers=True)
    known = {name: int(one) for part in numbered
             for name, one in zip(part.names(), part.known_as())}
    return Ids(numbers=False, known=known or None)


def _add_texts(collection: _core.Collection, part: Texts, texts: Any, names: list[str] | None,
               role: _core.Role) -> None:
    try:
        collection.add_texts(texts, names, role)
    except TypeError as error:
        if not part.column:
            raise
        raise TypeError(f"column {part.column!r}: {error}") from None


def _guard(collection: _core.Collection, parts: Sequence[Part], others: Others
           ) -> _core.Collection:
    """A collection that knows the files that were read, and no texts in memory: these need not
    live as long as a result."""
    documents = [*parts, *(part for _, part in others)]
    if all(isinstance(part, Files) for part in documents):
        return collection
    files = _core.Collection()
    for part in documents:
        read = part.paths if isinstance(part, Files) else (
            part.rows.paths if isinstance(part, Packed) else ())
        for path in read:
            if path != "-":  # standard input, which can be read only once
                files.add_path(os.path.abspath(path) if isinstance(part, Packed) else path)
    return files


@contextmanager
def _explaining(collection: _core.Collection) -> Iterator[None]:
    """Where no document is left, why each was skipped is the thing to say."""
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
    done = Dedup(collection.dedup(keep), names, collection)
    if cleaning is not None:
        done.counts = cleaning.write(done._result)
    return done


def _dedup_packed(collection: _core.Collection, part: Packed, others: Others, spooling: Spooling,
                  keep: str, target: Target | None, annotate: bool, removed: Target | None
                  ) -> Dedup:
    from . import parquet

    targets = None
    if target is not None:
        targets = parquet_targets(part.rows.paths, target, removed)
    spooling.keep = keep
    names = _add(collection, [part], others, spooling)
    collection.check_outputs(paths_of(removed))
    result = collection.dedup(keep)
    kept = parquet.Kept(part.rows, result, names, annotate, spooling.budget)
    done = Dedup(result, names, kept)
    if targets is not None:
        kept.write(targets)
    return done


def _dedup_texts(collection: _core.Collection, texts: Texts, others: Others, spooling: Spooling,
                 keep: str, target: Target | None, annotate: bool, removed: Target | None) -> Dedup:
    if annotate and texts.table is None:
        raise _core.UsageError("annotate: adds columns, and a list of texts has none; give a table")
    if target is not None:
        raise _core.UsageError("output: is for files; table() gives what is kept of data in memory")
    order = order_by(texts, keep)
    names = _add(collection, [texts], others, spooling, order)
    collection.check_outputs(paths_of(removed))
    result = collection.dedup(KEEP_FIRST if order is not None else keep)
    return Dedup(result, names, texts, annotate, order is not None)
