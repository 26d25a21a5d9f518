"""Documents to pairs; docs/cluster.md explains the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .. import _core
from ..cluster import clusters, limit, needs
from ..cluster.settings import Settings
from ..cluster.transport import NUL
from .documents import SHARED, Documents
from .stages import BROADCAST_BYTES, ROW_BYTES, by, settle, stage

# The records of buckets that a part should have: few are slower, many take memory (30 MB).
FEW_RECORDS, MANY_RECORDS = 1 << 16, 1 << 20
PARTS = 1024  # that a cluster should have for its tasks, unless records are few
FEW_PAIRS = 50_000  # that one task verifies, in less than a second
TASK_BYTES = 128 << 20  # of pairs that a task should store, if there are many
TASK_TEXT_BYTES = 64 << 20

FIELDS = ("similarity double, jaccard double, containment_a double, containment_b double, "
          "shared bigint, union bigint, estimate double, longest bigint")


def asked(documents: Documents, parts: int = PARTS, check_ids: bool = False) -> DataFrame:
    """The needs of candidate pairs: id, family, chunk, partners, centres, members.

    Candidates have partners, or are partners. Copies have members. The centres of copies represent
    them in lists. Every step passes the rows of copies unchanged. With `check_ids`, ids that
    several documents have get a row without a family, whose chunk is their number.
    """
    settings = documents.settings
    rows = "id string, family string, chunk bigint, partners binary, centres string, members string"
    looked = documents.looked().drop("skipped")
    key = F.coalesce("identity", F.col("id").cast("binary"))  # documents that are skipped have none
    known = by(looked, [key], ["identity", "id"])
    packed = known.mapInArrow(stage("originals.originals", settings, parts, check_ids),
                              "part bigint, packed binary, id string, chunk bigint, "
                              "centres string, members string")
    candidates = by(packed, ["part"], ["part"]).mapInArrow(
        stage("candidates.candidates", settings), rows)
    return by(candidates, ["id"], ["id", "family", "chunk"]).mapInArrow(
        stage("needs.needs"), rows)


def copies_of(asked: DataFrame) -> DataFrame:
    """The rows of copies: id, chunk, members."""
    return asked.filter("members is not null").select(
        "id", "chunk", F.split("members", NUL).alias("members"))


def with_texts(documents: Documents, needed: DataFrame, broadcast: bool = False,
               tasks: int | None = None) -> DataFrame:
    """Needs with their texts, by family. `tasks`: None lets Spark choose, by the sizes of texts."""
    rows = documents.rows.join(F.broadcast(needed) if broadcast else needed, "id")
    return by(rows, ["family", "chunk"], ["family", "chunk", "id"], tasks)


def verified(documents: Documents, asked: DataFrame, listed: bool = True, broadcast: bool = False,
             tasks: int | None = None) -> DataFrame:
    """Pairs, with the columns that lead to their clusters: original, chunk, match. Without
    `listed`, only matches."""
    needed = asked if listed else asked.filter("members is null")
    rows = with_texts(documents, needed, broadcast, tasks)
    return rows.mapInArrow(stage("verify.verify", documents.settings, listed),
                           f"a string, b string, {FIELDS}, first string, original string, "
                           "chunk bigint, match boolean")


def limited(pairs: DataFrame, needed: DataFrame, candidates: int,
            settings: Settings) -> DataFrame:
    """Each document with the first that it resembles, where there are very many candidates."""
    if candidates <= limit.MANY_CANDIDATES:
        return pairs
    later = needed.filter("partners is not null").select("id").distinct().count()
    most = limit.most_matches(candidates, later, settings)
    return by(pairs, ["original"], ["original", "first"]).mapInArrow(
        stage("limit.first_few", "original", "first", most), pairs.schema) if most else pairs


def _tasks(documents: Documents, totals: Mapping[str, Any]) -> int | None:
    """The number of tasks to compare pairs; None lets Spark choose, by the sizes of texts."""
    pair_bytes = ROW_BYTES + 4 * totals["ids"] // max(totals["rows"], 1)
    of_pairs = totals["pairs"] * pair_bytes // TASK_BYTES
    if not of_pairs:
        return None
    size = documents.expected_bytes()
    if size is None:
        return int(documents.df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return max(of_pairs, size * totals["rows"] // documents.count // TASK_TEXT_BYTES) + 1


@dataclass(frozen=True)
class Found:
    """The pairs of documents, and the rows of copies. `is_small`: their clusters are found in one
    task, and may be sent to all executors."""

    documents: Documents
    copies: DataFrame
    pairs: DataFrame
    is_small: bool


def parts_of(documents: Documents) -> int:
    """The number of parts of records, a power of two."""
    records = documents.count * documents.settings.bands
    most, least = (1 << (records // part).bit_length() for part in (FEW_RECORDS, MANY_RECORDS))
    return max(min(PARTS, most), least)


def needed_by(documents: Documents, listed: bool = True) -> tuple[DataFrame, dict[str, Any]]:
    """Runs the jobs that find candidates: the needs of all documents, and their totals."""
    needed = settle(asked(documents, parts_of(documents), documents.duplicates == "error"))
    totals = _totals(needed, listed)
    if totals["shared"]:
        raise _core.UsageError(SHARED % (totals["shared"], totals["example"]))
    return needed, totals


def are_few(documents: Documents, totals: Mapping[str, Any]) -> bool:
    """Whether one task verifies all pairs in the time that it takes to begin another."""
    return (totals["pairs"] <= FEW_PAIRS and totals["bytes"] <= BROADCAST_BYTES
            and documents.bytes * totals["rows"] <= TASK_TEXT_BYTES * documents.count)


def pairs_of(documents: Documents, needed: DataFrame, totals: Mapping[str, Any],
             listed: bool = True) -> Found:
    """The pairs of needs. Without `listed`, only matches."""
    is_small = totals["bytes"] <= BROADCAST_BYTES
    pairs = verified(documents, needed, listed, is_small, _tasks(documents, totals))
    pairs = limited(pairs, needed, totals["candidates"], documents.settings)
    return Found(documents, copies_of(needed), settle(pairs),
                 is_small and totals["candidates"] + totals["rows"] <= clusters.SMALL)


def find(documents: Documents) -> Found:
    """Runs the jobs that find pairs, of which only matches are made."""
    return pairs_of(documents, *needed_by(documents, listed=False), listed=False)


def _totals(needed: DataFrame, listed: bool) -> dict[str, Any]:
    """The sums of needs.totals(), and the lowest id that several documents have."""
    counts = ", ".join(f"{name} bigint" for name in needs.TOTALS)
    found = needed.mapInArrow(stage("needs.totals", listed), f"{counts}, example string").collect()
    return {**{name: sum(row[name] for row in found) for name in needs.TOTALS},
            "example": min((row["example"] for row in found if row["shared"]), default=None)}
