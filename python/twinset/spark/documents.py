"""The rows of a DataFrame as documents."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, IntegralType, StringType

from .. import _core
from ..cluster.settings import Settings
from .stages import check_executors, stage

NULL = ("an id is null, but every document needs one; duplicates=\"skip\" leaves such rows out")
SHARED = ("%s rows have ids that others have, such as %s; every document needs its own; "
          "duplicates=\"skip\" leaves such rows out")
TORN = ("%s rows have ids that are no text, with NUL characters or bytes that are not UTF-8; "
        "duplicates=\"skip\" leaves such rows out")
IS_TORN = "(not is_valid_utf8(id) or contains(id, char(0)))"
ODD = f"id is null or count > 1 or {IS_TORN}"
UNKNOWN = 1 << 50  # bytes; an estimate of Spark without statistics


class Documents:
    """Rows (id, text), with ids as strings.

    `duplicates`: what to do with ids that are null, no text or not unique: "error", "skip" their
    rows, or "keep" them if it does not matter.
    """

    def __init__(self, df: DataFrame, id: str, text: str, settings: Settings,
                 duplicates: str) -> None:
        check_frame(df)
        if duplicates not in ("error", "skip", "keep"):
            raise _core.UsageError(f"duplicates={duplicates!r}: take error or skip")
        self.df, self.settings, self.duplicates = df, settings, duplicates
        name = _column(df, id, "id", (StringType, IntegralType), "strings or whole numbers")
        content = _column(df, text, "text", (StringType, BinaryType), "strings")
        self.id = name.cast("string")
        self.rows = df.select(self.id.alias("id"), content.alias("text"))
        if duplicates == "skip":
            odd = self._odd().select("id")
            self.rows = self.rows.filter("id is not null").join(F.broadcast(odd), "id", "left_anti")

    def _odd(self) -> DataFrame:
        """Ids that are null, no text or not unique: (id, count). It reads only ids."""
        return self.rows.groupBy("id").count().filter(ODD)

    @cached_property
    def count(self) -> int:
        """The number of rows. Fails if ids are null, no text or not unique, or if executors have no
        package. It runs jobs."""
        check_executors(self.df.sparkSession)
        if self.duplicates != "error":
            return self.rows.count()
        summary = self.rows.groupBy("id").count().agg(
            F.sum("count").alias("all"), *_counts(F.expr(ODD))).first()
        if summary["nulls"]:
            raise _core.UsageError(NULL)
        if summary["torn"]:
            raise _core.UsageError(TORN % summary["torn"])
        if summary["rows"]:
            raise _core.UsageError(SHARED % (summary["rows"], summary["id"]))
        return summary["all"] or 0

    def expected_bytes(self) -> int | None:
        """The estimate of Spark, by the sizes of files; None if it has no estimate."""
        estimate = self.rows._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
        return size if (size := int(str(estimate))) < UNKNOWN else None

    def check_later(self) -> None:
        """Adds a check of ids, which fails when the plan is run."""
        if self.duplicates != "error":
            return
        odd = self._odd().agg(*_counts(F.lit(True)))
        complaint = F.when(F.col("nulls") > 0, F.lit(NULL)).when(
            F.col("torn") > 0, F.format_string(TORN % "%d", "torn")).otherwise(
            F.format_string(SHARED % ("%d", "%s"), "rows", "id"))
        fine = F.when(F.col("rows") > 0, F.raise_error(complaint).cast("boolean")).otherwise(True)
        self.rows = self.rows.filter(odd.select(fine).scalar())

    def looked(self) -> DataFrame:
        """Identities and buckets of documents: id, identity, buckets, skipped."""
        return self.rows.mapInArrow(
            stage("documents.look_through", self.settings),
            "id string, identity binary, buckets binary, skipped string")


def check_frame(df: object) -> None:
    """Fails for an object that is no DataFrame of Spark, or one of Spark Connect."""
    if hasattr(df, "_jdf"):
        return
    where = type(df).__module__
    if where.startswith("pyspark.sql.connect"):
        raise _core.UsageError("twinset.spark does not work with Spark Connect, which has no local "
                               "checkpoints; use a session on the cluster itself, without remote()")
    hint = ("; spark.createDataFrame(df) makes one, and twinset.scan(df) needs no Spark"
            if where.partition(".")[0] in ("pandas", "polars", "pyarrow") else "")
    kind = f"{where.partition('.')[0]}.{type(df).__name__}"
    raise _core.UsageError(f"twinset.spark takes a DataFrame of Spark, not {kind}{hint}")


def missing(name: str, what: str, names: Iterable[str]) -> _core.UsageError:
    return _core.UsageError(f"there is no column '{name}' for the {what}; there are "
                            f"{', '.join(names) or 'none'}")


def _column(df: DataFrame, name: str, what: str, kinds: tuple[type[DataType], ...],
            must: str) -> Column:
    if name not in df.columns:
        raise missing(name, what, df.columns)
    kind = df.schema[name].dataType
    if not isinstance(kind, kinds):
        raise _core.UsageError(f"the column '{name}' holds {kind.typeName()}, but must hold {must}")
    return F.col(f"`{name}`")


def _counts(odd: Column) -> list[Column]:
    """Counts ids that are null, torn or shared, from the number of rows of each id."""
    return [F.min(F.when(odd, F.col("id"))).alias("id"),
            F.sum(F.when(odd, F.col("count"))).alias("rows"),
            F.count_if(F.col("id").isNull()).alias("nulls"),
            F.sum(F.when(F.expr(IS_TORN), F.col("count"))).alias("torn")]
