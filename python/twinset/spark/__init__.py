"""Similar documents in Spark DataFrames: the C engine inside the executors, no jar.

    from twinset import spark as twins

    twins.similar_pairs(df, id="url", text="body", threshold=0.8)
    twins.clusters(df)
    twins.dedup(df, keep="longest")

Functions take and return DataFrames. The pairs are those of `twinset scan --method lsh`, field by
field, for any number of partitions. The executors need this package as well: docs/cluster.md.

Options are those of the command line, with _ for -: threshold, by, k, max_bucket and so on, except
those that need the whole collection on one machine. The package needs PySpark 4 and pyarrow.
"""

from __future__ import annotations

from ..tables import need

for _name in ("pyspark", "pyarrow", "numpy"):
    need(_name, "twinset.spark", "pyspark pyarrow numpy")

from pyspark.sql import DataFrame  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

from ..cluster.settings import settings  # noqa: E402
from ..rules import DEDUP_THRESHOLD, KEEP_FIRST  # noqa: E402
from .alone import all_members, all_pairs  # noqa: E402
from .clusters import Clusters, numbered_pairs  # noqa: E402
from .decide import annotated, check_columns, left, removed  # noqa: E402
from .documents import Documents, check_frame  # noqa: E402
from .pairs import asked, find, verified  # noqa: E402
from .stages import settle, stage  # noqa: E402

__all__ = ["clusters", "dedup", "signatures", "similar_pairs", "skipped"]

WHERE = "twinset.spark"


def similar_pairs(df: DataFrame, id: str = "id", text: str = "text", *, cluster: bool = True,
                  duplicates: str = "error", **options: object) -> DataFrame:
    """The pairs of similar documents: a, b, similarity, jaccard, containment_a, containment_b,
    shared, union, estimate, longest, cluster.

    With `cluster`, jobs run before this returns, because clusters are found in rounds. Without it,
    there is no such column, and everything is planned lazily, except with duplicates="skip".

    Ids must be unique and not null; duplicates="skip" leaves other documents out. skipped() returns
    the documents with null and empty texts, which are skipped.
    """
    documents = Documents(df, id, text, settings(WHERE, options), duplicates)
    if cluster:
        alone = all_pairs(documents)
        return numbered_pairs(documents) if alone is None else alone
    documents.check_later()
    return verified(documents, asked(documents)).drop("first", "original", "chunk", "match")


def clusters(df: DataFrame, id: str = "id", text: str = "text", *, duplicates: str = "error",
             **options: object) -> DataFrame:
    """The clusters of similar documents: id, cluster, size. They are numbered from 1 by size.

    Jobs run before this returns.
    """
    documents = Documents(df, id, text, settings(WHERE, options), duplicates)
    alone = all_members(documents)
    return Clusters(find(documents)).members() if alone is None else alone


def dedup(df: DataFrame, id: str = "id", text: str = "text", *, keep: str = KEEP_FIRST,
          annotate: bool = False, duplicates: str = "error", threshold: float = DEDUP_THRESHOLD,
          **options: object) -> DataFrame:
    """The rows of df without near-duplicates. A row is removed only for a kept row that it
    resembles.

    `keep` chooses which of similar rows is kept: "first", by the lowest id; "longest", by
    characters or words; or the name of a column, by its largest value. Among equals, the row with
    the lowest id is kept. With `annotate`, all rows are kept, with the columns twinset_cluster,
    twinset_keep, twinset_kept and twinset_similarity added.

    With `min_passage`, every span of at least so many words that a kept document with a lower id
    has is cut from the texts, and a row that has no other text is removed. With `annotate`, nothing
    is cut, and a column twinset_spans lists the spans.

    Rows whose documents are skipped are kept. Jobs run before this returns.
    """
    chosen = settings(WHERE, {**options, "threshold": threshold}, dedup=True)
    check_frame(df)
    check_columns(df, keep, annotate, chosen.cuts_spans)
    documents = Documents(df, id, text, chosen, duplicates)
    found = Clusters(find(documents), few=True)
    gone = removed(found, keep)
    gone = settle(gone) if chosen.cuts_spans else gone  # it is used twice
    return (annotated if annotate else left)(found, gone, text)


def signatures(df: DataFrame, id: str = "id", text: str = "text", **options: object) -> DataFrame:
    """id and signature: binary, with 32-bit slots, lowest byte first. It is planned lazily."""
    documents = Documents(df, id, text, settings(WHERE, options), "keep")
    return documents.rows.mapInArrow(stage("documents.sketch", documents.settings),
                                     "id string, signature binary")


def skipped(df: DataFrame, id: str = "id", text: str = "text", **options: object) -> DataFrame:
    """The documents that are skipped: id and reason, null or empty. It is planned lazily."""
    documents = Documents(df, id, text, settings(WHERE, options), "keep")
    # A text with a letter or a digit is never empty.
    documents.rows = documents.rows.filter("text is null or not text rlike '[0-9A-Za-z]'")
    return documents.looked().filter("skipped is not null").select(
        "id", F.col("skipped").alias("reason"))
