"""The steps of twinset.cluster as functions for mapInArrow()."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from ..cluster.settings import Settings


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


def by(df: DataFrame, keys: list[str], order: list[str], tasks: int | None = None) -> DataFrame:
    """Rows with equal keys in one partition, sorted: a stream that steps read. `tasks` is the
    number of partitions; None lets Spark choose."""
    return df.repartition(*([tasks] if tasks else []), *keys).sortWithinPartitions(*order)


def settle(df: DataFrame) -> DataFrame:
    """Computes a DataFrame once, and stores it without its plan. With a checkpoint folder, it
    survives the loss of executors; without one, it is on the disks of two executors, one of which
    may be lost."""
    if df.sparkSession.sparkContext.getCheckpointDir():
        return df.checkpoint()
    return df.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY_2)
