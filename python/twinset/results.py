"""The results of scan() and dedup()."""

from __future__ import annotations

import operator
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from . import _core, output, show, tables
from .clean import Cleaning
from .inputs import Texts
from .records import Cluster, Counts, Cut, Flagged, Id, Pair, Removed, Skipped, Span
from .rows import Ids, Rows
from .rules import PACKED, UNWRITTEN
from .saved import Saved

if TYPE_CHECKING:
    import pyarrow

    from .parquet import Kept

FLAGS = ("invalid-utf8", "hidden-characters", "homoglyphs", "hidden-text", "encoding-guessed",
         "unparsed", "mostly-quoted", "lexed", "controls", "undivided")
TEXT_FIELDS = 11  # fields of any pair; those after them are for programs
PROGRAM_FIELDS = 21  # and those after these for programs of different languages


def format_of(target: output.Target | None) -> _core.Format | None:
    """The format that the extension of a target names, if any. UsageError for an extension of a
    format that is not written."""
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else ""
    ending = os.path.basename(name).rpartition(".")[2].lower() if "." in name else ""
    if ending in (*UNWRITTEN, *PACKED):
        raise _core.UsageError(f"{name}: the results of scan are not written as .{ending}; "
                               f"the formats are {', '.join(_core.SCAN_FORMATS)}")
    format = "jsonl" if ending == "ndjson" else ending
    return cast("_core.Format", format) if format in _core.SCAN_FORMATS else None


class Outcome:
    """What results of scan() and dedup() share."""

    _result: _core.Result | Saved
    _ids: Ids

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The clusters of similar documents, the largest first."""
        found = []
        for number in range(self._result.run()["clusters"]):
            id, members, representative, lowest = self._result.cluster(number)
            found.append(Cluster(id, tuple(map(self._ids, members)), self._ids(representative),
                                 lowest))
        return found

    @cached_property
    def skipped(self) -> list[Skipped]:
        """Documents that could not be used, with the reason."""
        return [Skipped(self._ids(path), reason, bool(is_empty))
                for path, reason, is_empty in self._result.skipped()]

    @cached_property
    def flagged(self) -> list[Flagged]:
        """Documents that have something that users should know, such as hidden text."""
        return [Flagged(self._ids(path),
                        tuple(flag for bit, flag in enumerate(FLAGS) if flags >> bit & 1), encoding)
                for path, flags, encoding in self._result.flagged()]

    @property
    def notes(self) -> list[str]:
        """Sentences for users: limits that were reached, and what a method cannot promise."""
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
        parameters = self.report()["parameters"]
        if parameters["by"] != "code":
            return Pair._fields[:TEXT_FIELDS]
        return Pair._fields if parameters["view"] == "across" else Pair._fields[:PROGRAM_FIELDS]

    def _at(self, index: int) -> Pair:
        a, b, *others = self._result.pair(index)
        return Pair._make((self._ids(a), self._ids(b), *others))

    def passages(self, pair: Pair | int) -> list[_core.Passage] | None:
        """The common passages of a pair, in the order of a: their spans in both texts, their
        lengths in tokens or words, their kinds (docs/format.md), and which names became which.
        None if the documents are too large for it. `pair` is a pair of this result, or its
        index."""
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
        """Writes what the command prints for the same documents. `target` is a path or an open
        file; `format` is table, csv, tsv, json, jsonl or candidates, and may be omitted if the
        path has it as its extension."""
        format = format or format_of(target)
        if format is None:
            raise ValueError(f"format: give one of {', '.join(_core.SCAN_FORMATS)}")
        self._check_target(target)
        output.write(target, partial(self._result.write, format))

    def to_csv(self, target: output.Target | None = None) -> str | None:
        """Writes the pairs as CSV to a target; without a target, returns them as text."""
        return self._text("csv", target)

    def to_jsonl(self, target: output.Target | None = None) -> str | None:
        """Writes the pairs as JSON lines to a target; without a target, returns them as text."""
        return self._text("jsonl", target)

    def _text(self, format: _core.Format, target: output.Target | None) -> str | None:
        if target is not None:
            self.write(target, format)
            return None
        return _collect(partial(self._result.write, format)).decode(errors="surrogateescape")

    # ---- display

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
        row = index if self._order is None else self._order[index]
        removed, kept, *others = self._result.removed(row)
        return Removed._make((self._ids(removed), self._ids(kept), *others))

    def write(self, target: output.Target) -> None:
        """Writes a JSON line for each removed document, as `twinset dedup --removed` does."""
        self._check_target(target)
        if self._order is None:
            output.write(target, self._result.write_removed)
        else:
            lines = self._ordered(_collect(self._result.write_removed).splitlines(keepends=True))
            output.write(target, lambda put: put(b"".join(lines)))

    def _table(self, summary: str, rows: int, notes: Sequence[str]) -> show.Table:
        lines = [(show.percent(removed.similarity), show.visible(str(removed.id)),
                  show.visible(str(removed.kept)), str(removed.cluster)) for removed in self[:rows]]
        heads = ("similar", "removed", "kept", "cluster")
        return show.Table(summary, heads, lines, len(self) - len(lines), notes)

    def __repr__(self) -> str:
        return show.as_text(self._table(f"{len(self):,} removed", show.ROWS_OF_TEXT, ()))

    def _repr_html_(self) -> str:
        return show.as_html(self._table(f"{len(self):,} removed", show.ROWS_OF_HTML, ()))


class Dedup(Outcome):
    """The kept and the removed documents of a collection."""

    def __init__(self, result: _core.Result, ids: Ids, source: Texts | Kept | _core.Collection,
                 annotate: bool = False, is_reordered: bool = False,
                 cuts_spans: bool = False) -> None:
        self._result, self._ids, self._source, self._annotate = result, ids, source, annotate
        self._cuts_spans = cuts_spans
        self.removed = Removals(result, ids)
        """The removed documents, in the order of the input."""
        if is_reordered:  # the engine's order is that of preference
            position_of = {id: i for i, id in enumerate(self._texts.ids_or_positions())}
            found = self.removed._names("id")
            order = sorted(range(len(found)), key=lambda i: position_of[found[i]])
            self.removed = Removals(result, ids, order)

    @property
    def _texts(self) -> Texts:
        if not isinstance(self._source, Texts):
            raise ValueError("what is kept of files is not listed: output= writes it, and .removed "
                             "lists the rest")
        return self._source

    @property
    def _parquet(self) -> Kept | None:
        """The kept rows of Parquet files, which can be read again; None for other sources."""
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
        """Whether counts are known. To count the kept records of files, they are read again."""
        return not isinstance(self._source, _core.Collection) or "counts" in self.__dict__

    def _write_report(self, put: Callable[[bytes], object]) -> None:
        self._result.write_report(put, self.counts if self._is_counted else None)

    def __getstate__(self) -> dict[str, Any]:
        saved = Saved(self._result, self.counts)
        removed = Removals(saved, self._ids, self.removed._order)
        source = self._source if isinstance(self._source, Texts) else None
        return {**self.__dict__, "_result": saved, "removed": removed, "_source": source}

    # ---- kept documents

    @cached_property
    def _unusable(self) -> set[Id]:
        return {skipped.id for skipped in self.skipped if not skipped.is_empty}

    @cached_property
    def _positions(self) -> list[int]:
        gone = self._unusable.union(self.removed._names("id"))
        return [i for i, id in enumerate(self._texts.ids_or_positions()) if id not in gone]

    @property
    def kept(self) -> list[Id]:
        """The ids of the kept documents, or their positions if there are no ids."""
        if self._parquet is not None:
            return self._parquet.read_ids()
        ids = self._texts.ids_or_positions()
        return [ids[position] for position in self._positions]

    @cached_property
    def cut(self) -> list[Cut]:
        """The documents that min_passage cuts spans from, in the order of the input."""
        return [Cut(self._ids(name), tuple(
                    Span(start, end, words, self._ids(first), first_start, first_end)
                    for (start, end, first_start, first_end, _, words, _), first
                    in zip(struct.iter_unpack("=7Q", numbers), sources)))
                for name, numbers, sources in self._spans()]

    def _spans(self) -> Iterator[tuple[str, bytes, list[str]]]:
        return map(self._result.cut, range(self._result.cuts()))

    def _cut_texts(self) -> dict[int, str | bytes]:
        """The texts that spans are cut from, without them, by position."""
        spans = {self._ids(name): numbers for name, numbers, _ in self._spans()}
        if not spans:
            return {}
        values = tables.values_of(self._texts.texts)
        found: dict[int, str | bytes] = {}
        for position, id in enumerate(self._texts.ids_or_positions()):
            if id in spans:
                text = _core.cut_spans(values[position], spans[id])
                is_text = isinstance(values[position], str)
                found[position] = text.decode("utf-8", "surrogatepass") if is_text else text
        return found

    def table(self) -> Any:
        """The kept documents in the type of `data`: a list, a column or a table, without the spans
        that min_passage cuts. With annotate=True, all rows that could be used, with their texts as
        they are and four more columns, or five with min_passage."""
        if self._parquet is not None:
            return self._parquet.table()
        texts = self._texts
        cut = {} if self._annotate else self._cut_texts()
        changed = {i: cut[position] for i, position in enumerate(self._positions)
                   if position in cut}
        if texts.table is not None:
            taken = texts.table.take(*self._rows())
            return texts.table.replace(taken, texts.column, changed) if changed else taken
        taken = tables.pick(texts.data, self._positions)
        return tables.with_texts(taken, changed) if changed else taken

    def to_arrow(self) -> pyarrow.Table:
        """The kept documents as a pyarrow.Table; of a list or a column, with columns id and
        text."""
        pyarrow = tables.need("pyarrow", "to_arrow()")
        if self._parquet is not None:
            return self._parquet.table()
        if self._texts.table is not None:
            return self._texts.table.to_arrow(self.table())
        return pyarrow.table({"id": self.kept, "text": pyarrow.array(self.table())})

    def _rows(self) -> tuple[list[int], list[tables.Column]]:
        """The positions of the rows of table(), and the columns to add."""
        if not self._annotate:
            return self._positions, []
        ids = list(self._texts.ids_or_positions())
        positions = [i for i, id in enumerate(ids) if id not in self._unusable]
        clusters = {id: cluster.id for cluster in self.clusters for id in cluster.members}
        removed = {removal.id: removal for removal in self.removed}
        shown = [ids[position] for position in positions]
        removals = [removed.get(id) for id in shown]
        is_number = self._ids.numbers and self._ids.known is None
        spans = {cut.id: [{**span._asdict(), "first": str(span.first)} for span in cut.spans]
                 for cut in self.cut}
        kept = [removal and (removal.kept if is_number else str(removal.kept))
                for removal in removals]
        return positions, [
            tables.Column("twinset_cluster", int, [clusters.get(id) for id in shown]),
            tables.Column("twinset_keep", bool, [removal is None for removal in removals]),
            tables.Column("twinset_kept", int if is_number else str, kept),
            tables.Column("twinset_similarity", float,
                          [removal and removal.similarity for removal in removals]),
            *([tables.Column("twinset_spans", list, [spans.get(id, []) for id in shown])]
              if self._cuts_spans else []),
        ]

    # ---- display

    def _table(self, rows: int) -> show.Table:
        summary = str(self.counts) if self._is_counted else f"removed {len(self.removed)}"
        return self.removed._table(summary, rows, self.notes)

    def __repr__(self) -> str:
        return show.as_text(self._table(show.ROWS_OF_TEXT))

    def _repr_html_(self) -> str:
        return show.as_html(self._table(show.ROWS_OF_HTML))


def _collect(produce: Callable[[Callable[[bytes], object]], object]) -> bytes:
    """The bytes that `produce` writes."""
    collected = bytearray()
    produce(collected.extend)
    return bytes(collected)
