"""The rows of a DataFrame as documents."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, IntegralType, StringType

from .. import _core
from ..cluster import alone
from ..cluster.settings import Settings
from .stages import check_executors, send_if_small, settle, stage

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
    rows, which runs jobs that look for them, or "keep" them if it does not matter.
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
            odd = settle(self._odd().select("id"))
            self.rows = self.rows.filter("id is not null").join(send_if_small(odd), "id",
                                                                "left_anti")

    def _odd(self) -> DataFrame:
        """Ids that are null, no text or not unique: (id, count). It reads only ids."""
        return self.rows.groupBy("id").count().filter(ODD)

    @cached_property
    def _summary(self) -> Row:
        """One look at all rows, but at the texts only if they may be few. Runs a job."""
        may_be_few = (self.expected_bytes() or 0) <= alone.BYTES
        if not may_be_few:  # this takes long
            check_executors(self.df.sparkSession)
        length = F.octet_length("text").cast("bigint")
        summary = self.rows.agg(
            F.count("*").alias("count"), F.max(length if may_be_few else F.lit(0)).alias("longest"),
            (F.sum(length) if may_be_few else F.lit(UNKNOWN)).alias("bytes"),
            F.count_if(F.col("id").isNull()).alias("nulls"),
            F.count_if(F.expr(IS_TORN)).alias("torn")).first()
        if self.duplicates == "error" and summary["nulls"]:
            raise _core.UsageError(NULL)
        if self.duplicates == "error" and summary["torn"]:
            raise _core.UsageError(TORN % summary["torn"])
        return summary

    @property
    def count(self) -> int:
        """The number of rows. Fails if ids are null or no text. The first call runs a job."""
        return self._summary["count"]

    @property
    def bytes(self) -> int:
        """The bytes of all texts; UNKNOWN if they are too many to look at. Fails as count does."""
        return self._summary["bytes"] or 0

    @property
    def fits_one_task(self) -> bool:
        """Whether one task can scan all documents. Fails as count does."""
        found = self._summary
        return (found["count"] <= alone.DOCUMENTS and self.bytes <= alone.BYTES
                and (found["longest"] or 0) <= alone.LONGEST)

    def expected_bytes(self) -> int | None:
        """The estimate of Spark, by the sizes of files; None if it has no estimate."""
        estimate = self.rows._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
        return size if (size := int(str(estimate))) < UNKNOWN else None

    def check_later(self) -> None:
        """Adds a check of ids, which fails when the plan is run."""
        if self.duplicates != "error":
            return
        odd = self._odd().agg(
            F.min("id").alias("id"), F.sum("count").alias("rows"),
            F.count_if(F.col("id").isNull()).alias("nulls"),
            F.sum(F.when(F.expr(IS_TORN), F.col("count"))).alias("torn"))
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
