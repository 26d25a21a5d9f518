"""What is kept of each cluster: cluster/decide.py has the rule."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, FractionalType, MapType, StructType

from .. import _core
from ..rules import KEEP_FIRST, KEEP_LONGEST, STAR
from .clusters import Clusters
from .documents import Documents
from .pairs import BROADCAST_ROWS
from .stages import settle, stage


# What annotate adds, and names that no table has.
ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept", "twinset_similarity")
REMOVED, MEMBER = "__twinset_removed", "__twinset_member"
NO_ORDER = (ArrayType, BooleanType, MapType, StructType)


def removed(clusters: Clusters, keep: str) -> DataFrame:
    """REMOVED, twinset_kept, twinset_similarity: of each document that goes, the one that it goes
    for."""
    documents = clusters.found.documents
    places = settle(clusters.numbers.join(preferred(clusters, keep), "original"))
    rows = directed(clusters.matches, places).unionByName(
        places.drop("cluster").join(_large(documents, places), "original", "left"),
        allowMissingColumns=True)
    # Spark knows the order of values, whatever they are.
    rows = rows.repartition("root").sortWithinPartitions(
        "root", F.desc_nulls_last("value"), "best", F.asc_nulls_last("earlier")).drop("value")
    decided = rows.mapInArrow(stage("decide.decide", documents.settings),
                              "original string, kept string, similarity double")
    return clusters.documents().join(settle(decided), "original").filter("id != kept").select(
        F.col("id").alias(REMOVED), F.col("kept").alias(ADDED[2]),
        F.col("similarity").alias(ADDED[3]))


def _large(documents: Documents, places: DataFrame) -> DataFrame:
    """The texts of clusters that are large: original, text."""
    large = places.filter(F.col("size") > STAR).select(F.col("original").alias("id"))
    count = large.count()
    if count == 0:
        return documents.rows.limit(0).withColumnRenamed("id", "original")
    large = F.broadcast(large) if count <= BROADCAST_ROWS else large
    return documents.rows.join(large, "id", "left_semi").withColumnRenamed("id", "original")


def check_columns(df: DataFrame, keep: str, annotate: bool) -> None:
    if keep not in (KEEP_FIRST, KEEP_LONGEST, *df.columns):
        raise _core.UsageError(f"keep={keep!r}: take {KEEP_FIRST}, {KEEP_LONGEST} or one "
                               f"of the columns {', '.join(df.columns)}")
    if keep in df.columns and isinstance(df.schema[keep].dataType, NO_ORDER):
        raise _core.UsageError(f"keep={keep!r}: the column holds "
                               f"{df.schema[keep].dataType.typeName()}, which has no order")
    if annotate and (there := [name for name in ADDED if name in df.columns]):
        raise _core.UsageError(f"there is a column '{there[0]}' already, which annotate adds")


def preferred(clusters: Clusters, keep: str) -> DataFrame:
    """Of each original, the copy that goes before the others: original, value, best."""
    documents = clusters.found.documents
    members = clusters.documents()
    if keep == KEEP_FIRST:
        return members.groupBy("original").agg(F.lit(0).alias("value"), F.min("id").alias("best"))
    if keep == KEEP_LONGEST:
        values = _lengths(clusters)
    else:
        values = documents.df.select(documents.id.alias("id"), _value(documents.df, keep))
    order = Window.partitionBy("original").orderBy(F.desc_nulls_last("value"), "id")
    return members.join(values, "id").withColumn("place", F.row_number().over(order)).filter(
        "place = 1").select("original", "value", F.col("id").alias("best"))


def _value(df: DataFrame, keep: str) -> Column:
    """As the command has it: what is no number is missing."""
    value = F.col(f"`{keep}`")
    if isinstance(df.schema[keep].dataType, FractionalType):
        value = F.when(~F.isnan(value.cast("double")), value)
    return value.alias("value")


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
