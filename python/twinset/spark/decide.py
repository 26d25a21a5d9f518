"""The rows that are kept, by the rule of cluster/decide.py, and their texts without spans."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, FractionalType, MapType, StructType

from .. import _core
from ..rules import KEEP_FIRST, KEEP_LONGEST, STAR
from . import spans
from .clusters import Clusters
from .documents import Documents
from .stages import send_if_small, settle, stage


# The columns that annotate adds, and names of temporary columns.
ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept", "twinset_similarity")
SPANS = "twinset_spans"
REMOVED, MEMBER, CUT = "__twinset_removed", "__twinset_member", "__twinset_cut"
LEFT, SOURCE = "__twinset_left", "__twinset_source"
NO_ORDER = (ArrayType, BooleanType, MapType, StructType)


def removed(clusters: Clusters, keep: str) -> DataFrame:
    """REMOVED, twinset_kept, twinset_similarity: each removed document, and the kept document that
    it is removed for."""
    documents = clusters.found.documents
    ranks = settle(clusters.numbers.join(preferred(clusters, keep), "original"))
    rows = directed(clusters.matches, ranks).unionByName(
        ranks.drop("cluster").join(_large(documents, ranks), "original", "left"),
        allowMissingColumns=True)
    # Spark has an order for values of all types.
    rows = rows.repartition("root").sortWithinPartitions(
        "root", F.desc_nulls_last("value"), "best", F.asc_nulls_last("earlier")).drop("value")
    decided = rows.mapInArrow(stage("decide.decide", documents.settings),
                              "original string, kept string, similarity double")
    return clusters.documents().join(settle(decided), "original").filter("id != kept").select(
        F.col("id").alias(REMOVED), F.col("kept").alias(ADDED[2]),
        F.col("similarity").alias(ADDED[3]))


def _spans(clusters: Clusters, gone: DataFrame, with_text: bool) -> DataFrame:
    """CUT, SOURCE, SPANS and LEFT of the documents that spans are cut from."""
    found = spans.find(clusters.found.documents, gone.select(F.col(REMOVED).alias("id")), with_text)
    return found.select(F.col("id").alias(CUT), F.col("kept").alias(SOURCE),
                        F.col("spans").alias(SPANS), F.col("text").alias(LEFT))


def left(clusters: Clusters, gone: DataFrame, text: str) -> DataFrame:
    """The kept rows, with spans cut from their texts."""
    documents = clusters.found.documents
    df, name = documents.df, documents.id
    kept = df.join(gone, name == F.col(REMOVED), "left_anti")
    if not documents.settings.cuts_spans:
        return kept
    cut = kept.join(_spans(clusters, gone, True), name == F.col(CUT), "left")
    cut = cut.filter(F.col(SOURCE).isNull())
    text_left = F.coalesce(F.col(LEFT).cast(df.schema[text].dataType), F.col(f"`{text}`"))
    return cut.select(*(text_left.alias(column) if column == text else F.col(f"`{column}`")
                        for column in df.columns))


def annotated(clusters: Clusters, gone: DataFrame, _: str) -> DataFrame:
    """All rows, with the columns of decisions."""
    documents = clusters.found.documents
    df, name, added = documents.df, documents.id, [*ADDED]
    numbers = clusters.members().select(F.col("id").alias(MEMBER),
                                        F.col("cluster").alias(ADDED[0]))
    marked = df.join(numbers, name == F.col(MEMBER), "left")
    marked = marked.join(gone, name == F.col(REMOVED), "left")
    if documents.settings.cuts_spans:
        marked = marked.join(_spans(clusters, gone, False), name == F.col(CUT), "left")
        marked = marked.withColumn(ADDED[2], F.coalesce(ADDED[2], SOURCE))
        marked = marked.withColumn(SPANS, F.coalesce(SPANS, F.array().cast(spans.SPANS)))
        added.append(SPANS)
    marked = marked.withColumn(ADDED[1], F.col(ADDED[2]).isNull())
    return marked.select(*(f"`{column}`" for column in df.columns), *added)


def _large(documents: Documents, ranks: DataFrame) -> DataFrame:
    """The texts of large clusters: original, text."""
    large = ranks.filter(F.col("size") > STAR).select(F.col("original").alias("id"))
    if large.isEmpty():
        return documents.rows.limit(0).withColumnRenamed("id", "original")
    return documents.rows.join(send_if_small(large), "id", "left_semi").withColumnRenamed(
        "id", "original")


def check_columns(df: DataFrame, keep: str, annotate: bool, cuts_spans: bool) -> None:
    if keep not in (KEEP_FIRST, KEEP_LONGEST, *df.columns):
        raise _core.UsageError(f"keep={keep!r}: take {KEEP_FIRST}, {KEEP_LONGEST} or one "
                               f"of the columns {', '.join(df.columns)}")
    if keep in df.columns and isinstance(df.schema[keep].dataType, NO_ORDER):
        raise _core.UsageError(f"keep={keep!r}: the column holds "
                               f"{df.schema[keep].dataType.typeName()}, which has no order")
    added = [*ADDED, SPANS] if cuts_spans else ADDED
    if annotate and (there := [name for name in added if name in df.columns]):
        raise _core.UsageError(f"there is a column '{there[0]}' already, which annotate adds")


def preferred(clusters: Clusters, keep: str) -> DataFrame:
    """The preferred copy of each original: original, value, best."""
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
    """The value of a column. As in the command, NaN counts as missing."""
    value = F.col(f"`{keep}`")
    if isinstance(df.schema[keep].dataType, FractionalType):
        value = F.when(~F.isnan(value.cast("double")), value)
    return value.alias("value")


def _lengths(clusters: Clusters) -> DataFrame:
    """The numbers of tokens of documents in clusters, from the ends of their identities."""
    documents = clusters.found.documents
    rows = documents.rows.join(clusters.documents().select("id"), "id", "left_semi")
    looked = rows.mapInArrow(stage("documents.look_through", documents.settings),
                             "id string, identity binary, buckets binary, skipped string")
    tokens = F.conv(F.hex(F.substring("identity", 17, 8)), 16, 10).cast("bigint")
    return looked.select("id", tokens.alias("value"))


def directed(matches: DataFrame, ranks: DataFrame) -> DataFrame:
    """Matches as edges from a document to a preferred one: root, original, value, best, earlier,
    similarity."""
    def side(name: str) -> DataFrame:
        return ranks.select(F.col("original").alias(name), F.col("value").alias(f"value_{name}"),
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
