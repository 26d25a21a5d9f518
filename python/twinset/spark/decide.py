"""What is kept of each cluster: cluster/decide.py has the rule."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .. import _core
from ..cluster.settings import STAR
from .clusters import Clusters
from .stages import settle, stage


def removed(clusters: Clusters, keep: str) -> DataFrame:
    """removed, kept, similarity: of each document that goes, the one that it goes for."""
    documents = clusters.found.documents
    places = settle(clusters.numbers.join(preferred(clusters, keep), "original"))
    large = documents.rows.join(places.filter(F.col("size") > STAR).select(
        F.col("original").alias("id")), "id", "left_semi").withColumnRenamed("id", "original")
    rows = directed(clusters.matches, places).unionByName(
        places.drop("cluster").join(large, "original", "left"), allowMissingColumns=True)
    # Any type has an order in Spark, but not everything goes to Python.
    rows = rows.repartition("root").sortWithinPartitions(
        "root", F.desc_nulls_last("value"), "best", F.asc_nulls_last("earlier")).drop("value")
    decided = rows.mapInArrow(stage("decide.decide", documents.settings),
                              "original string, kept string, similarity double")
    return clusters.documents().join(decided, "original").filter("id != kept").select(
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


def directed(matches: DataFrame, places: DataFrame) -> DataFrame:
    """Matches as edges of the later of two to the earlier: root, original, value, best, earlier,
    similarity."""
    def side(name: str) -> DataFrame:
        return places.select(F.col("original").alias(name), F.col("value").alias(f"value_{name}"),
                             F.col("best").alias(f"best_{name}"), "root")

    def chosen(name: str) -> Column:
        return F.when(F.col("a_first"), F.col(f"{name}b")).otherwise(F.col(f"{name}a"))

    both = matches.join(side("a"), "a").join(side("b").drop("root"), "b")
    known_a, known_b = F.col("value_a").isNotNull(), F.col("value_b").isNotNull()
    equal = F.col("value_a").eqNullSafe(F.col("value_b"))
    a_first = (F.when(equal, F.col("best_a") < F.col("best_b"))
               .when(known_a & known_b, F.col("value_a") > F.col("value_b")).otherwise(known_a))
    return both.withColumn("a_first", a_first).select(
        "root", chosen("").alias("original"), chosen("value_").alias("value"),
        chosen("best_").alias("best"),
        F.when(F.col("a_first"), F.col("a")).otherwise(F.col("b")).alias("earlier"), "similarity")
