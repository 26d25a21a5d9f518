"""A Spark session for tests: executors run this Python, on this machine only, and log little."""

import os
import shutil
import sys

import pytest


def reason_to_skip():
    """The reason to skip the tests, or None."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed"
    return None if shutil.which("java") else "there is no Java"


# Jobs of tests end before compiled code would pay off.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def session(master="local[2]", **settings):
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                        "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "4",
                        "spark.log.level": "ERROR",
                        "spark.driver.extraJavaOptions": JAVA,
                        "spark.executor.extraJavaOptions": JAVA,
                        "spark.sql.codegen.wholeStage": "false", **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def skip_without_spark():
    if reason := reason_to_skip():
        pytest.skip(reason, allow_module_level=True)
