"""What is kept of each cluster, by the rule of `twinset dedup`: documents come in an order of
preference, and one is removed if it resembles one that is kept, the most similar of these.
Identical documents are decided on as one."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from .. import _core
from ..cluster.clusters import SMALL
from .clusters import Clusters
from .stages import settle, stage


def removed(clusters: Clusters, keep: str) -> DataFrame:
    """removed, kept, similarity: of each document that goes, the one that it goes for."""
    best = settle(preferred(clusters, keep))
    matches = clusters.found.pairs.filter("match").select("a", "b", "similarity")
    edges = settle(directed(matches, best))
    goes = decide(edges.select("later", "earlier"))
    nearest = Window.partitionBy("later").orderBy(F.desc("similarity"), F.desc_nulls_last("value"),
                                                  "best")
    gone = edges.join(goes, edges["later"] == goes["id"], "left_semi").join(
        goes, edges["earlier"] == goes["id"], "left_anti").withColumn(
        "place", F.row_number().over(nearest)).filter("place = 1").select(
        F.col("later").alias("original"), F.col("best").alias("other"), "similarity")
    kept = best.join(gone, "original", "left").select(
        "original", F.coalesce("other", "best").alias("kept"),
        F.coalesce("similarity", F.lit(1.0)).alias("similarity"))
    return clusters.documents().join(kept, "original").filter("id != kept").select(
        F.col("id").alias("removed"), "kept", "similarity")


def check_keep(df: DataFrame, keep: str) -> None:
    if keep not in ("first", "longest", *df.columns):
        raise _core.UsageError(f"keep={keep!r}: take first, longest or one of the columns "
                               f"{', '.join(df.columns)}")


def preferred(clusters: Clusters, keep: str) -> DataFrame:
    """Of each original, the copy that goes before the others: original, value, best."""
    documents = clusters.found.documents
    members = clusters.documents()
    if keep == "first":
        return members.groupBy("original").agg(F.lit(0).alias("value"), F.min("id").alias("best"))
    if keep == "longest":
        values = _lengths(clusters)
    else:
        values = documents.df.select(documents.id.alias("id"), F.col(f"`{keep}`").alias("value"))
    order = Window.partitionBy("original").orderBy(F.desc_nulls_last("value"), "id")
    return members.join(values, "id").withColumn("place", F.row_number().over(order)).filter(
        "place = 1").select("original", "value", F.col("id").alias("best"))


def _lengths(clusters: Clusters) -> DataFrame:
    """Tokens of the documents of clusters: the end of their identities."""
    documents = clusters.found.documents
    rows = documents.rows.join(clusters.documents().select("id"), "id", "left_semi")
    looked = rows.mapInArrow(stage("documents.look_through", documents.settings),
                             "id string, identity binary, buckets binary, skipped string")
    tokens = F.conv(F.hex(F.substring("identity", 17, 8)), 16, 10).cast("bigint")
    return looked.select("id", tokens.alias("value"))


def directed(matches: DataFrame, best: DataFrame) -> DataFrame:
    """Matches as edges from the later to the earlier, whose value and best copy they carry:
    later, earlier, similarity, value, best."""
    def side(name: str) -> DataFrame:
        return best.select(F.col("original").alias(name), F.col("value").alias(f"value_{name}"),
                           F.col("best").alias(f"best_{name}"))

    both = matches.join(side("a"), "a").join(side("b"), "b")
    known_a, known_b = F.col("value_a").isNotNull(), F.col("value_b").isNotNull()
    equal = F.col("value_a").eqNullSafe(F.col("value_b"))
    a_first = (F.when(equal, F.col("best_a") < F.col("best_b"))
               .when(known_a & known_b, F.col("value_a") > F.col("value_b")).otherwise(known_a))
    return both.withColumn("a_first", a_first).select(
        F.when(F.col("a_first"), F.col("b")).otherwise(F.col("a")).alias("later"),
        F.when(F.col("a_first"), F.col("a")).otherwise(F.col("b")).alias("earlier"),
        "similarity",
        F.when(F.col("a_first"), F.col("value_a")).otherwise(F.col("value_b")).alias("value"),
        F.when(F.col("a_first"), F.col("best_a")).otherwise(F.col("best_b")).alias("best"))


def decide(edges: DataFrame) -> DataFrame:
    """The ids that go. In rounds, until one task can take the rest: what has nothing before it
    stays, and what has such before it goes."""
    gone = []
    while edges.count() > SMALL:
        later = edges.select(F.col("later").alias("id")).distinct()
        stays = edges.select(F.col("earlier").alias("id")).distinct().join(later, "id", "left_anti")
        goes = settle(edges.join(stays, edges["earlier"] == stays["id"], "left_semi").select(
            F.col("later").alias("id")).distinct())
        edges = settle(edges.join(goes, edges["later"] == goes["id"], "left_anti")
                       .join(goes, edges["earlier"] == goes["id"], "left_anti"))
        gone.append(goes)
    rest = edges.coalesce(1).mapInArrow(stage("decide.decide"), "id string, kept boolean")
    return settle(reduce(DataFrame.union, gone, rest.filter("not kept").select("id")))
