"""Pieces of twinset.cluster as functions for mapInArrow()."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from ..cluster.settings import Settings


def stage(piece: str, *arguments: object) -> Callable[[Iterator], Iterator]:
    """The function "module.name" of twinset.cluster, as executors run it.

    It is sent as it stands, and says what is wrong where the package is not there. So nothing of
    the package may be sent with it: settings go as a dict. Lists are packed on the way.
    """
    module, name = piece.split(".")
    plain = [vars(one) if isinstance(one, Settings) else one for one in arguments]

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
        given = [settings.Settings(**one) if isinstance(one, dict) and "bands" in one else one
                 for one in plain]
        return transport.pack(function(transport.unpack(batches), *given))

    return run


def check_executors(session: SparkSession) -> None:
    """Fails at once where they have no package, not after all that Spark does by itself first."""
    session.range(0, 1, 1, 1).mapInArrow(stage("transport.pack"), "id bigint").collect()


def by(df: DataFrame, keys: list[str], order: list[str], tasks: int | None = None) -> DataFrame:
    """Rows of one key in one partition, in order: a stream that pieces read. In so
    many tasks; None: as many as Spark finds fit."""
    return df.repartition(*([tasks] if tasks else []), *keys).sortWithinPartitions(*order)


def settle(df: DataFrame) -> DataFrame:
    """Computes it once, and forgets how. With a checkpoint folder, what was computed outlives the
    executors; without one it lies on the disks of two, and one may be lost."""
    if df.sparkSession.sparkContext.getCheckpointDir():
        return df.checkpoint()
    return df.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY_2)
