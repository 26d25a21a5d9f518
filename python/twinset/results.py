"""What scan() and dedup() give."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from . import _core, output, show, tables
from .clean import Cleaning
from .inputs import Texts
from .records import Cluster, Counts, Flagged, Id, Pair, Removed, Skipped
from .rows import Ids, Rows
from .rules import PACKED, UNWRITTEN
from .saved import Saved

if TYPE_CHECKING:
    import pyarrow

    from .parquet import Kept

FLAGS = ("invalid-utf8", "hidden-characters", "homoglyphs", "hidden-text", "encoding-guessed",
         "unparsed", "mostly-quoted", "lexed", "controls", "undivided")
OF_TEXT = 11  # fields of a pair; the others are of programs


def format_of(target: output.Target | None) -> _core.Format | None:
    """The format that the name of a target ends with, if any. UsageError for a name that promises
    what is not written."""
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else ""
    ending = os.path.basename(name).rpartition(".")[2].lower() if "." in name else ""
    if ending in (*UNWRITTEN, *PACKED):
        raise _core.UsageError(f"{name}: the results of scan are not written as .{ending}; "
                               f"the formats are {', '.join(_core.SCAN_FORMATS)}")
    format = "jsonl" if ending == "ndjson" else ending
    return cast("_core.Format", format) if format in _core.SCAN_FORMATS else None


class Outcome:
    """What every result has."""

    _result: _core.Result | Saved
    _ids: Ids

    @cached_property
    def clusters(self) -> list[Cluster]:
        """What similar pairs join, the largest first."""
        found = []
        for number in range(self._result.run()["clusters"]):
            one, members, representative, least = self._result.cluster(number)
            found.append(Cluster(one, tuple(map(self._ids, members)), self._ids(representative),
                                 least))
        return found

    @cached_property
    def skipped(self) -> list[Skipped]:
        """Documents that could not be used, with the reason."""
        return [Skipped(self._ids(path), reason, bool(is_empty))
                for path, reason, is_empty in self._result.skipped()]

    @cached_property
    def flagged(self) -> list[Flagged]:
        """Documents with something to know about them."""
        return [Flagged(self._ids(path),
                        tuple(flag for bit, flag in enumerate(FLAGS) if flags >> bit & 1), encoding)
                for path, flags, encoding in self._result.flagged()]

    @property
    def notes(self) -> list[str]:
        """Sentences a person should read: limits that were met, what a method cannot promise."""
        return self._result.notes()

    @property
    def run(self) -> _core.Run:
        """How the documents were compared: counts, method, bands, rows, expected_recall."""
        return self._result.run()

    def report(self) -> dict[str, Any]:
        """The whole report of the run, with options, seconds by stage and peak memory."""
        import json

        report: dict[str, Any] = json.loads(_collect(self._write_report))
        return report

    def _write_report(self, put: Callable[[bytes], object]) -> None:
        self._result.write_report(put, None)


class Scan(Rows[Pair], Outcome):
    """Similar pairs, the most similar first: a sequence of Pair."""

    _kind, _type = "pairs", Pair
    _spools: Sequence[Any] = ()  # what the engine reads in place of Parquet files

    def __len__(self) -> int:
        return len(self._result)

    @cached_property
    def _fields(self) -> tuple[str, ...]:
        is_code = self.report()["parameters"]["by"] == "code"
        return Pair._fields if is_code else Pair._fields[:OF_TEXT]

    def _at(self, index: int) -> Pair:
        a, b, *others = self._result.pair(index)
        return Pair._make((self._ids(a), self._ids(b), *others))

    def passages(self, pair: Pair | int) -> list[_core.Passage] | None:
        """What the two documents of a pair have in common, in the order of a: where in either
        text, how many tokens or words, of which kinds (docs/format.md), which names became which.
        None where they are too large for it. `pair` is one of these, or its index."""
        if isinstance(pair, tuple):
            index = self._index.get(pair[:2])
            if index is None:
                raise ValueError(f"{pair[0]!r} and {pair[1]!r} are no pair of this result")
            return self._result.passages(index)
        return self._result.passages(range(len(self))[operator.index(pair)])

    @cached_property
    def _index(self) -> dict[tuple[Id, Id], int]:
        pairs = zip(self._names("a"), self._names("b"))
        return {pair: number for number, pair in enumerate(pairs)}

    # ---- as the command prints it

    def write(self, target: output.Target, format: _core.Format | None = None) -> None:
        """Writes what the command prints for the same documents. `target` is a path, or a file
        that is open; `format` is table, csv, tsv, json, jsonl or candidates, and may be left out
        where the path ends with it."""
        format = format or format_of(target)
        if format is None:
            raise ValueError(f"format: give one of {', '.join(_core.SCAN_FORMATS)}")
        self._check_target(target)
        output.write(target, partial(self._result.write, format))

    def to_csv(self, target: output.Target | None = None) -> str | None:
        """The pairs as CSV, to a target, or as text without one."""
        return self._text("csv", target)

    def to_jsonl(self, target: output.Target | None = None) -> str | None:
        """The pairs as JSON lines, to a target, or as text without one."""
        return self._text("jsonl", target)

    def _text(self, format: _core.Format, target: output.Target | None) -> str | None:
        if target is not None:
            self.write(target, format)
            return None
        return _collect(partial(self._result.write, format)).decode(errors="surrogateescape")

    # ---- for people

    def _summary(self) -> str:
        run = self.run
        parts = [f"{show.count(len(self), 'similar pair')} in "
                 f"{show.count(run['documents'], 'document')}"]
        parts.append(show.count(run["clusters"], "cluster"))
        parts += [f"{run[what]:,} {what}" for what in ("skipped", "flagged") if run[what]]
        return ", ".join(parts)

    def _table(self, rows: int) -> show.Table:
        lines = [(show.percent(pair.similarity), show.percent(pair.containment_a),
                  show.percent(pair.containment_b), f"{pair.longest:,}", show.visible(str(pair.a)),
                  show.visible(str(pair.b)), str(pair.cluster)) for pair in self[:rows]]
        heads = ("similar", "a in b", "b in a", "longest", "a", "b", "cluster")
        return show.Table(self._summary(), heads, lines, len(self) - len(lines), self.notes)

    def __repr__(self) -> str:
        return show.as_text(self._table(show.ROWS_OF_TEXT))

    def _repr_html_(self) -> str:
        return show.as_html(self._table(show.ROWS_OF_HTML))


class Removals(Rows[Removed]):
    """Removed documents in the order of the input: a sequence of Removed."""

    _kind, _type = "removed", Removed

    def __len__(self) -> int:
        return self._result.run()["removed"]

    def _at(self, index: int) -> Removed:
        place = index if self._order is None else self._order[index]
        one, kept, *others = self._result.removed(place)
        return Removed._make((self._ids(one), self._ids(kept), *others))

    def write(self, target: output.Target) -> None:
        """A line of JSON for each, as `twinset dedup --removed` writes it."""
        self._check_target(target)
        if self._order is None:
            output.write(target, self._result.write_removed)
        else:
            lines = self._ordered(_collect(self._result.write_removed).splitlines(keepends=True))
            output.write(target, lambda put: put(b"".join(lines)))

    def _table(self, summary: str, rows: int, notes: Sequence[str]) -> show.Table:
        lines = [(show.percent(one.similarity), show.visible(str(one.id)),
                  show.visible(str(one.kept)), str(one.cluster)) for one in self[:rows]]
        heads = ("similar", "removed", "kept", "cluster")
        return show.Table(summary, heads, lines, len(self) - len(lines), notes)

    def __repr__(self) -> str:
        return show.as_text(self._table(f"{len(self):,} removed", show.ROWS_OF_TEXT, ()))

    def _repr_html_(self) -> str:
        return show.as_html(self._table(f"{len(self):,} removed", show.ROWS_OF_HTML, ()))


class Dedup(Outcome):
    """What is kept of a collection, and what was removed from it."""

    def __init__(self, result: _core.Result, ids: Ids, source: Texts | Kept | _core.Collection,
                 annotate: bool = False, is_reordered: bool = False) -> None:
        self._result, self._ids, self._source, self._annotate = result, ids, source, annotate
        self.removed = Removals(result, ids)
        """The removed documents, in the order of the input."""
        if is_reordered:  # the engine has them in the order that it was given
            place = {one: position for position, one in enumerate(self._texts.known_as())}
            found = self.removed._names("id")
            order = sorted(range(len(found)), key=lambda i: place[found[i]])
            self.removed = Removals(result, ids, order)

    @property
    def _texts(self) -> Texts:
        if not isinstance(self._source, Texts):
            raise ValueError("what is kept of files is not listed: output= writes it, and .removed "
                             "lists the rest")
        return self._source

    @property
    def _packed(self) -> Kept | None:
        """Parquet files, whose rows can be read again."""
        is_other = self._source is None or isinstance(self._source, (Texts, _core.Collection))
        return None if is_other else cast("Kept", self._source)

    @cached_property
    def counts(self) -> Counts:
        """How many records were read, kept, removed and skipped."""
        if isinstance(self._source, _core.Collection):
            return Cleaning(self._source, None, False).write(self._result)
        if not isinstance(self._source, Texts):
            return self._source.counts()
        read, kept, removed = self._texts.size, len(self._positions), len(self.removed)
        return Counts(read, kept, removed, read - kept - removed)

    def __len__(self) -> int:
        return self.counts.kept

    @property
    def _is_counted(self) -> bool:
        """To count what is kept of files takes another reading."""
        return not isinstance(self._source, _core.Collection) or "counts" in self.__dict__

    def _write_report(self, put: Callable[[bytes], object]) -> None:
        self._result.write_report(put, self.counts if self._is_counted else None)

    def __getstate__(self) -> dict[str, Any]:
        saved = Saved(self._result, self.counts)
        removed = Removals(saved, self._ids, self.removed._order)
        source = self._source if isinstance(self._source, Texts) else None
        return {**self.__dict__, "_result": saved, "removed": removed, "_source": source}

    # ---- what is kept

    @cached_property
    def _unusable(self) -> set[Id]:
        return {one.id for one in self.skipped if not one.is_empty}

    @cached_property
    def _positions(self) -> list[int]:
        gone = self._unusable.union(self.removed._names("id"))
        return [place for place, one in enumerate(self._texts.known_as()) if one not in gone]

    @property
    def kept(self) -> list[Id]:
        """The ids of what is kept, or its positions where there are no ids."""
        if self._packed is not None:
            return self._packed.read_ids()
        ids = self._texts.known_as()
        return [ids[place] for place in self._positions]

    def table(self) -> Any:
        """What is kept, in the kind that came in: a list, a column or a table. With annotate=True
        every row that could be used, and four more columns."""
        if self._packed is not None:
            return self._packed.table()
        texts = self._texts
        if texts.table is None:
            return tables.pick(texts.data, self._positions)
        return texts.table.take(*self._rows())

    def to_arrow(self) -> pyarrow.Table:
        """The same as a pyarrow.Table; of a list or a column, with columns id and text."""
        pyarrow = tables.need("pyarrow", "to_arrow()")
        if self._packed is not None:
            return self._packed.table()
        if self._texts.table is not None:
            return self._texts.table.to_arrow(self.table())
        return pyarrow.table({"id": self.kept, "text": pyarrow.array(self.table())})

    def _rows(self) -> tuple[list[int], list[tables.Column]]:
        """The positions of rows to show, and the columns to add."""
        if not self._annotate:
            return self._positions, []
        ids = list(self._texts.known_as())
        places = [place for place, one in enumerate(ids) if one not in self._unusable]
        clusters = {one: cluster.id for cluster in self.clusters for one in cluster.members}
        removed = {one.id: one for one in self.removed}
        shown = [ids[place] for place in places]
        gone = [removed.get(one) for one in shown]
        is_number = self._ids.numbers and self._ids.known is None
        return places, [
            tables.Column("twinset_cluster", int, [clusters.get(one) for one in shown]),
            tables.Column("twinset_keep", bool, [one is None for one in gone]),
            tables.Column("twinset_kept", int if is_number else str,
                          [one and (one.kept if is_number else str(one.kept)) for one in gone]),
            tables.Column("twinset_similarity", float, [one and one.similarity for one in gone]),
        ]

    # ---- for people

    def _table(self, rows: int) -> show.Table:
        summary = str(self.counts) if self._is_counted else f"removed {len(self.removed)}"
        return self.removed._table(summary, rows, self.notes)

    def __repr__(self) -> str:
        return show.as_text(self._table(show.ROWS_OF_TEXT))

    def _repr_html_(self) -> str:
        return show.as_html(self._table(show.ROWS_OF_HTML))


def _collect(produce: Callable[[Callable[[bytes], object]], object]) -> bytes:
    """All that is written."""
    parts = bytearray()
    produce(parts.extend)
    return bytes(parts)
