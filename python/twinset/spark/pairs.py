"""Documents to pairs; docs/cluster.md explains the steps."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..cluster import limit
from ..cluster.settings import Settings
from ..cluster.transport import NUL
from .documents import Documents
from .stages import by, settle, stage

# Up to this many rows are sent to all executors; more are joined with texts by a shuffle.
BROADCAST_ROWS = 500_000
# Parts of the records of buckets, and the records that a part should have: 30 MB.
PARTS, PART_RECORDS = 1024, 1 << 20
# Pairs that a task should have, if there are many: 120 MB to store.
TASK_PAIRS = 1 << 21
TASK_BYTES = 64 << 20  # of texts

FIELDS = ("similarity double, jaccard double, containment_a double, containment_b double, "
          "shared bigint, union bigint, estimate double, longest bigint")


def asked(documents: Documents, parts: int = PARTS) -> DataFrame:
    """The needs of candidate pairs: id, family, chunk, partners, centres, members.

    Candidates have partners, or are partners. Copies have members, and the centres that represent
    them in lists. Every step passes the rows of copies unchanged.
    """
    settings = documents.settings
    rows = "id string, family string, chunk bigint, partners string, centres string, members string"
    known = by(documents.looked().filter("skipped is null"), ["identity"], ["identity", "id"])
    packed = known.mapInArrow(stage("originals.originals", settings, parts),
                              "part bigint, packed binary, id string, chunk bigint, "
                              "centres string, members string")
    candidates = by(packed, ["part"], ["part"]).mapInArrow(
        stage("candidates.candidates", settings), rows)
    return by(candidates, ["id"], ["id", "family", "chunk"]).mapInArrow(
        stage("needs.needs"), rows).dropDuplicates()


def copies_of(asked: DataFrame) -> DataFrame:
    """The rows of copies: id, chunk, packed centres, members."""
    return asked.filter("members is not null").select(
        "id", "chunk", "centres", F.split("members", NUL).alias("members"))


def verified(documents: Documents, asked: DataFrame, listed: bool = True, broadcast: bool = False,
             tasks: int | None = None) -> DataFrame:
    """Pairs, with the columns that lead to their clusters: original, chunk, match. Without
    `listed`, only matches. `tasks`: None lets Spark choose, by the sizes of texts."""
    needed = asked.drop("centres") if listed else asked.filter("members is null")
    rows = documents.rows.join(F.broadcast(needed) if broadcast else needed, "id")
    if listed:
        centres = copies_of(asked).filter("chunk = 0").select("id", "centres")
        rows = rows.join(centres, "id", "left")
    rows = by(rows, ["family", "chunk"], ["family", "chunk", "id"], tasks)
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


def _items(column: str) -> Column:
    """The length of a packed list."""
    return (F.length(column) - F.length(F.translate(column, NUL, "")) + 1).cast("bigint")


def _tasks(documents: Documents, pairs: int, rows: int) -> int | None:
    """The number of tasks to compare pairs; None lets Spark choose, by the sizes of texts."""
    if pairs < TASK_PAIRS:
        return None
    size = documents.expected_bytes()
    if size is None:
        return int(documents.df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return max(pairs // TASK_PAIRS, size * rows // documents.count // TASK_BYTES) + 1


@dataclass(frozen=True)
class Found:
    """The pairs of documents, and the rows of copies."""

    documents: Documents
    copies: DataFrame
    pairs: DataFrame


def parts_of(documents: Documents) -> int:
    """The number of parts of records, a power of two."""
    records = documents.count * documents.settings.bands
    return max(PARTS, 1 << (records // PART_RECORDS).bit_length())


def find(documents: Documents, listed: bool = True) -> Found:
    """Runs the jobs that find pairs. Without `listed`, it finds only matches."""
    needed = settle(asked(documents, parts_of(documents)))
    of_copies = _items("centres") * _items("members") if listed else F.lit(0)
    totals = needed.agg(F.count("*").alias("rows"), F.sum(_items("partners")).alias("candidates"),
                        F.sum(F.coalesce(_items("partners"), of_copies)).alias("pairs")).first()
    pairs = verified(documents, needed, listed, totals["rows"] <= BROADCAST_ROWS,
                     _tasks(documents, totals["pairs"] or 0, totals["rows"]))
    pairs = limited(pairs, needed, totals["candidates"] or 0, documents.settings)
    return Found(documents, settle(copies_of(needed)), settle(pairs))
