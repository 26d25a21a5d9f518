"""The clusters of pairs."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..cluster import clusters as steps
from .alone import PAIRS
from .documents import Documents
from .pairs import Found, are_few, needed_by, pairs_of, with_texts
from .stages import by, settle, stage

EDGES = "u string, v string"


def numbered_pairs(documents: Documents) -> DataFrame:
    """The pairs with their clusters. Runs jobs; one task finds both if they are few."""
    needed, totals = needed_by(documents)
    if not are_few(documents, totals):
        return Clusters(pairs_of(documents, needed, totals)).numbered_pairs()
    rows = with_texts(documents, needed, broadcast=True, tasks=1)
    return settle(rows.mapInArrow(stage("clusters.number_pairs", documents.settings), PAIRS))


class Clusters:
    """The clusters of pairs. With `few`, only as many matches as dedup uses count. Jobs run when it
    is made."""

    def __init__(self, found: Found, few: bool = False) -> None:
        self.found = found
        self.matches = found.pairs.filter("match").select("a", "b", "similarity")
        if few:
            self.matches = settle(by(self.matches, ["b"], ["b", "a"]).mapInArrow(
                stage("decide.few"), "a string, b string, similarity double"))
        self.copies = found.copies.groupBy("id").agg(
            F.sum(F.size("members")).alias("copies"), F.max("chunk").alias("last"))
        self.numbers = self._number(
            self.matches.select(F.col("b").alias("u"), F.col("a").alias("v")))

    def _number(self, edges: DataFrame) -> DataFrame:
        """The numbers of clusters: original, root, size, cluster."""
        rows = edges.withColumn("copies", F.lit(None).cast("bigint")).union(
            self.found.copies.select("id", F.lit(None).cast("string"),
                                     F.size("members").cast("bigint")))
        if self.found.is_small or rows.count() <= steps.SMALL:
            return settle(rows.coalesce(1).mapInArrow(
                stage("clusters.number_all"),
                "original string, root string, size bigint, cluster bigint"))
        roots = components(edges)
        ids = edges.select("u").union(edges.select("v")).union(self.copies.select("id")).distinct()
        originals = ids.join(roots, "u", "left").join(
            self.copies.withColumnRenamed("id", "u"), "u", "left").select(
            F.col("u").alias("original"), F.coalesce("v", "u").alias("root"),
            F.coalesce("copies", F.lit(1)).alias("copies"))
        originals = settle(originals)
        sizes = originals.groupBy("root").agg(F.sum("copies").alias("size"))
        return originals.select("original", "root").join(numbered(sizes), "root")

    def numbered_pairs(self) -> DataFrame:
        """The pairs with their clusters. Pairs of very many copies are joined in chunks, so that
        they are not all in one task."""
        if self.found.is_small:
            numbers = F.broadcast(self.numbers.select("original", "cluster"))
            return self.found.pairs.join(numbers, "original").drop(
                "first", "original", "chunk", "match")
        chunks = self.copies.select(F.col("id").alias("original"), "last")
        numbers = self.numbers.join(chunks, "original", "left").select(
            "original", "cluster",
            F.explode(F.sequence(F.lit(0), F.coalesce("last", F.lit(0)))).alias("chunk"))
        return self.found.pairs.join(numbers, ["original", "chunk"]).drop(
            "first", "original", "chunk", "match")

    def documents(self) -> DataFrame:
        """All documents of clusters: id, original."""
        copies = self.found.copies.select(F.col("id").alias("original"),
                                          F.explode("members").alias("id"))
        alone = self.numbers.select("original").join(
            self.copies.select(F.col("id").alias("original")), "original", "left_anti")
        return copies.select("id", "original").union(
            alone.select(F.col("original").alias("id"), "original"))

    def members(self) -> DataFrame:
        """The documents of clusters: id, cluster, size."""
        return self.documents().join(self.numbers, "original").select("id", "cluster", "size")


def components(edges: DataFrame) -> DataFrame:
    """Edges (u, v) in any direction, to one edge from each id to the lowest id of its component,
    except for the lowest id itself."""
    edges = edges.filter("u != v")
    before = None
    while True:
        edges = settle(star(edges))
        checksum = edges.agg(F.count("*"), F.sum(F.xxhash64("u", "v").cast("decimal(38)"))).first()
        if checksum == before:
            return edges
        before = checksum


def star(edges: DataFrame) -> DataFrame:
    """A round of large_star() and small_star()."""
    both = edges.union(edges.select("v", "u"))
    large = by(both, ["u"], ["u", "v"]).mapInArrow(stage("clusters.large_star"), EDGES)
    down = large.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
    return by(down.distinct(), ["u"], ["u", "v"]).mapInArrow(
        stage("clusters.small_star"), EDGES).distinct()


def numbered(sizes: DataFrame) -> DataFrame:
    """(root, size) to (root, size, cluster): numbers from 1, the largest first, then by root."""
    ordered = sizes.orderBy(F.desc("size"), "root").select(
        F.spark_partition_id().alias("part"), "root", "size")
    ordered = settle(ordered)
    before, all = {}, 0
    for row in ordered.groupBy("part").count().orderBy("part").collect():
        before[row["part"]] = all
        all += row["count"]
    return ordered.mapInArrow(stage("clusters.number", before),
                              "root string, size bigint, cluster bigint")
