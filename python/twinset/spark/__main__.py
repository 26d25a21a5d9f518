"""python -m twinset.spark: for spark-submit.

    spark-submit ... -m twinset.spark pairs --input PATH --output PATH [OPTION]...

Paths may be of any file system that Spark can read. docs/cluster.md describes the executors.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from . import WHERE, clusters, dedup, signatures, similar_pairs, skipped
from .. import _core, program
from ..cluster.arguments import add_options, chosen, complain
from ..cluster.lines import FORMATS
from ..cluster.settings import settings
from ..rules import KEEP_FIRST, KEEP_LONGEST
from .documents import missing
from .stages import check_executors, stage

COMMANDS = {"pairs": "the pairs of similar documents", "clusters": "the clusters they form",
            "dedup": "the documents without near-duplicates", "signatures": "their signatures"}
READ = ("parquet", "jsonl", "csv", "text")
WRITTEN = ("jsonl", "parquet", "csv", "tsv")
ENDS = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
        ".csv": "csv", ".txt": "text"}
# With this setting, Spark reads 4,096 rows of a column at once, so that ten documents of 200 MB do
# not fit into memory. Reading row by row takes as long here.
BY_COLUMNS = "spark.sql.parquet.enableVectorizedReader"
FIRST = 1000  # lines that are read to find the names of columns


# ---- the command line

def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m twinset.spark", allow_abbrev=False,
                                  description="Similar documents, by Spark.")
    top.add_argument("command", nargs="?", choices=COMMANDS, default="pairs",
                     metavar="|".join(COMMANDS),
                     help="; ".join(f"{name}: {what}" for name, what in COMMANDS.items())
                     + ". Default: pairs.")
    top.add_argument("--input", required=True, nargs="+", metavar="PATH", help="What to read.")
    top.add_argument("--output", required=True, metavar="PATH", help="A folder that is not there "
                     "yet.")
    top.add_argument("--input-format", choices=READ, metavar="|".join(READ),
                     help="text: each file is a document. Default: by the ends of the names, or "
                     "parquet.")
    top.add_argument("--format", choices=WRITTEN, metavar="|".join(WRITTEN),
                     help="Of the output. Default: jsonl, and for dedup that of the input.")
    top.add_argument("--id", default="id", metavar="COLUMN", help="What names a document; of text, "
                     "its path does. Default: id.")
    top.add_argument("--text", default="text", metavar="COLUMN",
                     help="What holds its text. Default: text.")
    top.add_argument("--duplicates", choices=("error", "skip"), default="error",
                     metavar="error|skip", help="Documents whose id is null or not unique. "
                     "Default: error.")
    top.add_argument("--keep", default=KEEP_FIRST, metavar=f"{KEEP_FIRST}|{KEEP_LONGEST}|COLUMN",
                     help="For dedup: which of similar documents is kept. Default: first.")
    top.add_argument("--annotate", action="store_true",
                     help="For dedup: keep all, and add what was decided.")
    top.add_argument("--checkpoint", metavar="PATH",
                     help="A folder for what was computed, so that executors may be lost.")
    top.add_argument("--quiet", action="store_true", help="Do not count what was skipped.")
    add_options(top, WHERE)
    return top


@program.in_command_words
def main(words: Sequence[str] | None = None) -> int:
    """Runs a command. Exit status: 0 for success, 2 for an error."""
    asked = parser().parse_args(words)
    options = chosen(asked, WHERE)
    try:
        settings(WHERE, options, asked.command == "dedup")  # checks options before Spark starts
        with started() as session:
            if asked.checkpoint:
                session.sparkContext.setCheckpointDir(asked.checkpoint)
            run(session, asked, options)
    except _core.Error as error:
        return complain(error)
    except (PySparkException, Py4JError, ConnectionError) as error:
        return complain(explain(error))
    return 0


@contextmanager
def started() -> Iterator[SparkSession]:
    """The session of Spark. Settings here do not replace those of users."""
    is_ours = SparkSession.getActiveSession() is None
    builder = SparkSession.builder.appName("twinset")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit sets it, and other settings
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # for executors
        if not sys.stderr.isatty():
            builder = builder.config("spark.ui.showConsoleProgress", "false")
    # Without this handler, stack traces are printed if Spark has ended.
    logging.getLogger().addHandler(logging.NullHandler())
    session = builder.getOrCreate()
    if not session.sparkContext.getConf().contains("spark.log.level"):
        # Failures are reported at the end. A cluster also reports lost executors.
        is_here = re.fullmatch(r"local(\[.*)?", session.sparkContext.master)
        session.sparkContext.setLogLevel("FATAL" if is_here else "ERROR")
    try:
        yield session
    finally:
        if is_ours:  # without it, executors print long messages
            stop(session)


def stop(session: SparkSession) -> None:
    try:
        session.stop()
    except (Py4JError, ConnectionError):  # it has ended already
        pass


# ---- errors

MEMORY = ("%s ran out of memory. A document of 200 MB needs 4 GB: raise spark.executor.memory, or "
          "spark.driver.memory where the master is local; see docs/cluster.md")
REASONS = (
    (r"RuntimeError: (an executor has no twinset.*)", r"\1"),
    (r"twinset\.\w*Error: (.*)", r"\1"),
    (r"No module named '(pyspark|pyarrow|pandas|numpy)'", r"the executors' Python has no \1. Set "
     r"PYSPARK_PYTHON to one that has it, and twinset; see docs/cluster.md"),
    (r"Cannot run program \"(.*?)\"", r"the executors have no Python at \1. Set PYSPARK_PYTHON to "
     r"one that they have, with twinset; see docs/cluster.md"),
    (r"OutOfMemory|Java heap space|exited with code 52|exit code:? (?:52|137)",
     MEMORY % "an executor"),
    (r"\[JAVA_GATEWAY_EXITED\]", "Spark did not start. It needs Java 17 or later: set JAVA_HOME"),
    (r"reading file (\S+?)\.? [\s\S]*Malformed records", r"a line of \1 is no JSON object"),
    (r"Malformed records", "a line of the input is no JSON object"),
    (r"reading file (.+?)\. Could not read footer", r"\1 cannot be read as Parquet; "
     "--input-format names another format"),
    (r"\[UNABLE_TO_INFER_SCHEMA\]", "there is nothing to read: the input has no file of this "
     "format that is not empty; --input-format names another"),
    (r"\[[A-Z][A-Z0-9_.]+\] (.*?)(?: SQLSTATE|\n|$)", r"\1"),  # messages of Spark
    (r"\n: [\w.$]+: (.*)", r"\1"),  # or of Java
    (r"(.*)", r"\1"),
)


def explain(error: Exception) -> str:
    try:
        if not isinstance(error, (ConnectionError, Py4JNetworkError)):
            return reason(str(error))
    except (Py4JError, ConnectionError):  # Spark has ended, and has no message
        pass
    return MEMORY % "Spark has ended, as it does when it"


def reason(message: str) -> str:
    """The sentence for users in a message of Spark, which has stack traces."""
    found, words = next((found, words) for pattern, words in REASONS
                        if (found := re.search(pattern, message)))
    return found.expand(words).strip()


# ---- reading, computing, writing

def run(session: SparkSession, asked: argparse.Namespace, options: dict[str, Any]) -> None:
    check_output(session, asked.output)
    check_executors(session)
    files = session.read.text(asked.input, recursiveFileLookup=True).inputFiles()
    if not files:
        raise _core.UsageError(f"there are no files in {' '.join(asked.input)}")
    source = asked.input_format or format_of(asked.input, files)
    df = read(session, asked.input, source, asked, is_nested(session, asked.input, files))
    columns = {"id": "id" if source == "text" else asked.id,
               "text": "text" if source == "text" else asked.text}
    given = {**columns, **options}
    if asked.command != "signatures":
        given["duplicates"] = asked.duplicates
    if asked.command == "dedup":
        made = dedup(df, keep=asked.keep, annotate=asked.annotate, **given)
        write(made, asked.format or (source if source in WRITTEN else "jsonl"), asked.output)
    elif asked.command == "pairs":
        write_pairs(similar_pairs(df, **given), asked.format or "jsonl", asked.output)
    else:
        made = clusters(df, **given) if asked.command == "clusters" else signatures(df, **given)
        write(made, asked.format or "jsonl", asked.output)
    if not asked.quiet:
        given = {**columns, **options, "min_passage": None}
        print_skipped(skipped(df, **given), asked.command == "dedup")


def check_output(session: SparkSession, path: str) -> None:
    """Fails if the folder exists or cannot be made. To check that, it is made with its parents, and
    all of them are removed again."""
    try:
        folder = session._jvm.org.apache.hadoop.fs.Path(path)
        system = folder.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
        missing_folders = []
        while folder is not None and not system.exists(folder):
            missing_folders.append(folder)
            folder = folder.getParent()
        if missing_folders and not system.mkdirs(missing_folders[0]):
            raise _core.UsageError(f"--output {path}: no folder can be made in {folder}")
    except Py4JError as error:
        raise _core.UsageError(f"--output {path}: {reason(str(error))}") from error
    if not missing_folders:
        raise _core.UsageError(f"{path} is there already; --output names a folder to make")
    for made in missing_folders:
        _remove_empty(system, made)


def _remove_empty(system: Any, folder: Any) -> None:
    """Removes a folder, unless another program has written to it."""
    try:
        system.delete(folder, False)
    except Py4JError:
        pass


def format_of(paths: list[str], files: list[str]) -> str:
    """The format by the extensions of paths and of their files."""
    kinds = {kind for path in (*paths, *files) if (kind := _by_end(path))}
    if len(kinds) > 1:
        raise _core.UsageError(f"the input has files of several kinds: {', '.join(sorted(kinds))}; "
                               "--input-format says how to read them")
    return kinds.pop() if kinds else "parquet"


def _by_end(path: str) -> str | None:
    name = path.lower().rstrip("/").removesuffix(".gz").removesuffix(".zst").removesuffix(".bz2")
    return next((kind for end, kind in ENDS.items() if name.endswith(end)), None)


def is_nested(session: SparkSession, paths: list[str], files: list[str]) -> bool:
    """Whether there are files in subfolders. By default, Spark reads these only if the names of
    folders are values of columns."""
    return len(session.read.text(paths).inputFiles()) < len(files)


def read(session: SparkSession, paths: list[str], source: str, asked: argparse.Namespace,
         nested: bool = False) -> DataFrame:
    if source == "parquet":
        if not session.sparkContext.getConf().contains(BY_COLUMNS):
            session.conf.set(BY_COLUMNS, "false")
        return session.read.parquet(*paths, recursiveFileLookup=nested)
    if source == "csv":
        return session.read.csv(paths, header=True, multiLine=True, escape='"',
                                recursiveFileLookup=nested)
    if source == "text":
        files = session.read.text(paths, wholetext=True, recursiveFileLookup=True)
        # The path of Spark is a URL in which + is not a space.
        path = F.url_decode(F.replace("_metadata.file_path", F.lit("+"), F.lit("%2B")))
        return files.select(path.alias("id"), F.col("value").alias("text"))
    # Without this, a line that is no JSON, or that has 100 MB, gives a row of nulls.
    reader = session.read.options(mode="FAILFAST", maxStringLen=(1 << 31) - 1,
                                  recursiveFileLookup=nested)
    if asked.command == "dedup":  # it writes all columns, so their names are needed
        return reader.json(paths)
    names = first_names(session, paths, {asked.id, asked.text})
    for name, what in ((asked.id, "id"), (asked.text, "text")):
        if names and name not in names:
            raise missing(name, what, names)
    return reader.schema(f"`{asked.id}` string, `{asked.text}` string").json(paths)


def first_names(session: SparkSession, paths: list[str], wanted: set[str]) -> list[str]:
    """The names in the first records of JSON lines, or in the first, if it has the wanted ones."""
    keys = session.read.text(paths, recursiveFileLookup=True).select(F.json_object_keys("value"))
    names: list[str] = []
    for count in (1, FIRST):
        if not wanted <= set(names):
            names = list(dict.fromkeys(name for row in keys.head(count) for name in row[0] or ()))
    return names


def write(df: DataFrame, format: str, path: str) -> None:
    if format == "parquet":
        df.write.parquet(path)
    elif format == "jsonl":
        df.write.json(path)
    else:
        df.write.csv(path, header=True, sep="," if format == "csv" else "\t", escape='"',
                     ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False)


def write_pairs(pairs: DataFrame, format: str, path: str) -> None:
    """Writes pairs in the order of the command. The files together have its lines."""
    pairs = pairs.orderBy(F.desc("similarity"), "a", "b")
    if format not in FORMATS:
        return write(pairs, format, path)
    return pairs.mapInArrow(stage("lines.lines", format), "value string").write.text(path)


def print_skipped(rows: DataFrame, is_kept: bool) -> None:
    """Prints the numbers of skipped documents, which dedup keeps unchanged."""
    fate = "kept" if is_kept else "skipped"
    for row in rows.groupBy("reason").count().orderBy("reason").collect():
        count = f"{row['count']:,} document{'s' * (row['count'] != 1)}"
        print(f"twinset: {fate} {count}: {row['reason']}", file=sys.stderr)


if __name__ == "__main__":
    program.run(main)
