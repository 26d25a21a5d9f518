"""The steps of twinset.cluster as functions for mapInArrow()."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType

from ..cluster.settings import Settings

BROADCAST_BYTES = 32 << 20
ROW_BYTES = 64  # beside strings


def stage(step: str, *arguments: object) -> Callable[[Iterator], Iterator]:
    """The function "module.name" of twinset.cluster, as executors run it.

    The function itself is sent, so that it can report an executor without the package. So no object
    of the package may be sent with it: settings are sent as a dict. Lists are packed.
    """
    module, name = step.split(".")
    plain = [vars(argument) if isinstance(argument, Settings) else argument
             for argument in arguments]

    def run(batches: Iterator) -> Iterator:
        import importlib

        try:
            settings = importlib.import_module("twinset.cluster.settings")
            transport = importlib.import_module("twinset.cluster.transport")
            function = getattr(importlib.import_module(f"twinset.cluster.{module}"), name)
        except ImportError as error:
            raise RuntimeError(
                f"an executor has no twinset ({error}). Its Python needs the wheel: send an "
                "environment with spark.archives, or put it into the executors' image; see "
                "docs/cluster.md") from error
        given = [settings.Settings(**argument)
                 if isinstance(argument, dict) and "bands" in argument else argument
                 for argument in plain]
        return transport.pack(function(transport.unpack(batches), *given))

    return run


def check_executors(session: SparkSession) -> None:
    """Fails if executors have no package, before any other work of Spark."""
    session.range(0, 1, 1, 1).mapInArrow(stage("transport.pack"), "id bigint").collect()


def by(df: DataFrame, keys: Sequence[str | Column], order: list[str],
       tasks: int | None = None) -> DataFrame:
    """Rows with equal keys in one partition, sorted: a stream that steps read. `tasks` is the
    number of partitions; None lets Spark choose."""
    return df.repartition(*([tasks] if tasks else []), *keys).sortWithinPartitions(*order)


def send_if_small(df: DataFrame) -> DataFrame:
    """Rows to join with others, which are sent to all executors if they are few bytes. Runs a
    job, so `df` should be settled."""
    strings = [field.name for field in df.schema
               if isinstance(field.dataType, (StringType, BinaryType))]
    lengths = (F.coalesce(F.octet_length(name), F.lit(0)) for name in strings)
    size = df.agg(F.sum(sum(lengths, F.lit(ROW_BYTES)))).first()[0] or 0
    return F.broadcast(df) if size <= BROADCAST_BYTES else df


def settle(df: DataFrame) -> DataFrame:
    """Computes a DataFrame once, and stores it without its plan. With a checkpoint folder, it
    survives the loss of executors; without one, it is on the disks of two executors, one of which
    may be lost."""
    if df.sparkSession.sparkContext.getCheckpointDir():
        return df.checkpoint()
    return df.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY_2)
