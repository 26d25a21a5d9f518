"""From documents to pairs: docs/cluster.md explains the way."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..cluster.transport import NUL
from .documents import Documents
from .stages import by, settle, stage

# Rows that are sent to all executors, rather than all texts to where they are needed.
BROADCAST_ROWS = 500_000
# Parts of the records of buckets, and the records that one should have: 30 MB.
PARTS, PART_RECORDS = 1024, 1 << 20
# Pairs that one task should have, where there are many: 120 MB to keep.
TASK_PAIRS = 1 << 21
TASK_BYTES = 64 << 20  # of texts

FIELDS = ("similarity double, jaccard double, containment_a double, containment_b double, "
          "shared bigint, union bigint, estimate double, longest bigint")


def asked(documents: Documents, parts: int = PARTS) -> DataFrame:
    """Who is needed where: id, family, chunk, partners, centres, members.

    Candidates have partners, or are such; copies have members, and centres, which they are listed
    by. Each piece hands the rows of copies on.
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
    """id, chunk, centres as they are packed, members."""
    return asked.filter("members is not null").select(
        "id", "chunk", "centres", F.split("members", NUL).alias("members"))


def verified(documents: Documents, asked: DataFrame, listed: bool = True, broadcast: bool = False,
             tasks: int | None = None) -> DataFrame:
    """Pairs, with what leads to their clusters: original, chunk, match; without `listed`, matches
    alone. `tasks`: None leaves it to Spark, which knows of the texts alone."""
    needed = asked.drop("centres") if listed else asked.filter("members is null")
    rows = documents.rows.join(F.broadcast(needed) if broadcast else needed, "id")
    if listed:
        centres = copies_of(asked).filter("chunk = 0").select("id", "centres")
        rows = rows.join(centres, "id", "left")
    rows = by(rows, ["family", "chunk"], ["family", "chunk", "id"], tasks)
    return rows.mapInArrow(stage("verify.verify", documents.settings, listed),
                           f"a string, b string, {FIELDS}, original string, chunk bigint, "
                           "match boolean")


def _items(column: str) -> Column:
    """How many a packed list has."""
    return (F.length(column) - F.length(F.translate(column, NUL, "")) + 1).cast("bigint")


def _tasks(documents: Documents, pairs: int, rows: int) -> int | None:
    """None: Spark may choose, by the sizes of texts."""
    if pairs < TASK_PAIRS:
        return None
    size = documents.expected_bytes()
    if size is None:
        return int(documents.df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return max(pairs // TASK_PAIRS, size * rows // documents.count // TASK_BYTES) + 1


@dataclass(frozen=True)
class Found:
    """Pairs that were computed."""

    documents: Documents
    copies: DataFrame
    pairs: DataFrame


def find(documents: Documents, listed: bool = True) -> Found:
    """Runs the jobs for it. Without `listed`, of the pairs it finds matches alone."""
    records = documents.count * documents.settings.bands
    parts = max(PARTS, 1 << (records // PART_RECORDS).bit_length())
    needed = settle(asked(documents, parts))
    of_copies = _items("centres") * _items("members") if listed else F.lit(0)
    totals = needed.agg(F.count("*").alias("rows"), F.sum(
        F.coalesce(_items("partners"), of_copies)).alias("pairs")).first()
    pairs = verified(documents, needed, listed, totals["rows"] <= BROADCAST_ROWS,
                     _tasks(documents, totals["pairs"] or 0, totals["rows"]))
    return Found(documents, settle(copies_of(needed)), settle(pairs))
