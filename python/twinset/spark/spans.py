"""Spans that repeat an earlier document; cluster/spans.py explains the steps."""

from __future__ import annotations

from pyspark.sql import DataFrame

from .documents import Documents
from .pairs import parts_of
from .stages import by, send_if_small, settle, stage

PACKED = "part bigint, packed binary"
GATHERED = "id string, packed binary"
SPANS = ("array<struct<start: bigint, end: bigint, words: bigint, first: string, "
         "first_start: bigint, first_end: bigint>>")


def find(documents: Documents, removed: DataFrame, with_text: bool) -> DataFrame:
    """The documents that spans are cut from: id, kept, spans, text. `removed` has the ids of
    documents that are removed as a whole. `kept` is the earlier document for a document that is
    cut entirely; `text` is the text after cutting."""
    settings, parts = documents.settings, parts_of(documents)
    texts = documents.rows.filter("text is not null")
    packed = texts.mapInArrow(stage("spans.fingerprints", settings, parts), PACKED)
    shared = by(packed, ["part"], ["part"]).mapInArrow(
        stage("spans.shared"), "id string, kind bigint, fingerprint bigint")
    gone = removed.selectExpr("id", "0L as kind", "cast(null as bigint) as fingerprint")
    of_texts = _join_texts(texts, by(shared.union(gone), ["id"], ["id", "kind"]).mapInArrow(
        stage("spans.gather_kept"), GATHERED))
    packed = of_texts.mapInArrow(stage("spans.runs", settings, parts), PACKED)
    copies = by(packed, ["part"], ["part"]).mapInArrow(
        stage("spans.copies"), "id string, word bigint, first string, first_word bigint")
    asked = by(copies, ["id"], ["id", "word"]).mapInArrow(
        stage("spans.requests", settings), "id string, of string, runs binary, wanted binary")
    excerpts = _join_texts(texts, _gathered(asked)).mapInArrow(
        stage("spans.excerpts", settings), "id string, first string, runs binary, excerpt binary")
    return settle(_join_texts(texts, _gathered(excerpts, None)).mapInArrow(
        stage("spans.verify", settings, with_text),
        f"id string, kept string, covered bigint, spans {SPANS}, numbers binary, text binary"))


def _gathered(df: DataFrame, *most: object) -> DataFrame:
    """Rows packed by id."""
    return by(df, ["id"], ["id"]).mapInArrow(stage("spans.gather", *most), GATHERED)


def _join_texts(texts: DataFrame, gathered: DataFrame) -> DataFrame:
    """id, text, packed. A small `gathered` is sent to the texts, which then are not moved."""
    return texts.join(send_if_small(settle(gathered)), "id")
