"""Similar documents in Spark DataFrames: the C engine inside the executors, no jar.

    from twinset import spark as twins

    twins.similar_pairs(df, id="url", text="body", threshold=0.8)
    twins.clusters(df)
    twins.dedup(df, keep="longest")

DataFrame in, DataFrame out. The pairs are those of `twinset scan --method lsh`, field by field,
for any number of partitions. The executors need this package, too: docs/cluster.md.

Options are those of the command line, with _ for -: threshold, by, k, max_bucket and so on; not
those that need the collection in one place. PySpark 4 and pyarrow are needed.
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
from .clusters import Clusters  # noqa: E402
from .decide import ADDED, MEMBER, REMOVED, check_columns, removed  # noqa: E402
from .documents import Documents, check_frame  # noqa: E402
from .pairs import asked, find, verified  # noqa: E402
from .stages import stage  # noqa: E402

__all__ = ["clusters", "dedup", "signatures", "similar_pairs", "skipped"]

WHERE = "twinset.spark"


def similar_pairs(df: DataFrame, id: str = "id", text: str = "text", *, cluster: bool = True,
                  duplicates: str = "error", **options: object) -> DataFrame:
    """The pairs of similar documents: a, b, similarity, jaccard, containment_a, containment_b,
    shared, union, estimate, longest, cluster.

    With `cluster`, jobs run before this returns, since clusters are found in rounds. Without it,
    the column is not there, and all is planned lazily.

    Ids must be unique and not null; duplicates="skip" leaves such documents out. What is skipped,
    null and empty texts among it, skipped() tells.
    """
    documents = Documents(df, id, text, settings(WHERE, options), duplicates)
    if cluster:
        alone = all_pairs(documents)
        return Clusters(find(documents)).numbered_pairs() if alone is None else alone
    documents.check_later()
    return verified(documents, asked(documents)).drop("original", "chunk", "match")


def clusters(df: DataFrame, id: str = "id", text: str = "text", *, duplicates: str = "error",
             **options: object) -> DataFrame:
    """The clusters of similar documents: id, cluster, size. Numbered from 1, the largest first.

    Jobs run before this returns.
    """
    documents = Documents(df, id, text, settings(WHERE, options), duplicates)
    alone = all_members(documents)
    return Clusters(find(documents, listed=False)).members() if alone is None else alone


def dedup(df: DataFrame, id: str = "id", text: str = "text", *, keep: str = KEEP_FIRST,
          annotate: bool = False, duplicates: str = "error", threshold: float = DEDUP_THRESHOLD,
          **options: object) -> DataFrame:
    """The rows of df without near-duplicates. One is removed only for one that is kept and that
    it resembles.

    `keep` says which goes before: "first", the lowest id; "longest", by characters or words; or
    the name of a column, whose largest value does. Among equals, the lowest id. With `annotate`
    all rows are kept and get the columns twinset_cluster, twinset_keep, twinset_kept and
    twinset_similarity.

    Rows whose documents are skipped are kept. Jobs run before this returns.
    """
    chosen = settings(WHERE, {**options, "threshold": threshold})
    check_frame(df)
    check_columns(df, keep, annotate)
    documents = Documents(df, id, text, chosen, duplicates)
    found = Clusters(find(documents, listed=False), few=True)
    gone = removed(found, keep)
    name = documents.id
    if not annotate:
        return df.join(gone, name == F.col(REMOVED), "left_anti")
    numbers = found.members().select(F.col("id").alias(MEMBER),
                                     F.col("cluster").alias(ADDED[0]))
    marked = df.join(numbers, name == F.col(MEMBER), "left")
    marked = marked.join(gone, F.col(MEMBER) == F.col(REMOVED), "left")
    marked = marked.withColumn(ADDED[1], F.col(REMOVED).isNull())
    return marked.select(*(f"`{column}`" for column in df.columns), *ADDED)


def signatures(df: DataFrame, id: str = "id", text: str = "text", **options: object) -> DataFrame:
    """id and signature: 32-bit slots, lowest byte first, as binary. Planned lazily."""
    documents = Documents(df, id, text, settings(WHERE, options), "keep")
    return documents.rows.mapInArrow(stage("documents.sketch", documents.settings),
                                     "id string, signature binary")


def skipped(df: DataFrame, id: str = "id", text: str = "text", **options: object) -> DataFrame:
    """The documents that take no part: id, and why: null, empty. Planned lazily."""
    documents = Documents(df, id, text, settings(WHERE, options), "keep")
    # What has a letter or a digit is not empty, whatever the options.
    documents.rows = documents.rows.filter("text is null or not text rlike '[0-9A-Za-z]'")
    return documents.looked().filter("skipped is not null").select(
        "id", F.col("skipped").alias("reason"))
