"""python -m twinset.beam: similar documents, by Beam.

    python -m twinset.beam pairs --input PATTERN --output PREFIX [OPTION]... [OPTION OF BEAM]...

Other options are passed to Beam: --runner, --job_endpoint, --direct_num_workers and so on.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import apache_beam as beam
from apache_beam.metrics import MetricsFilter
from apache_beam.options.pipeline_options import PipelineOptions

from .. import _core, program
from ..cluster.arguments import add_options, chosen, complain
from ..cluster.lines import FORMATS, lines_of
from ..cluster.settings import settings
from ..rules import KEEP_FIRST, KEEP_LONGEST
from .documents import Fields, field_of
from .files import LINE, check_output, read
from .transforms import SHARDS, WHERE, Clusters, Dedup, SimilarPairs

COMMANDS = {"pairs": "the pairs of similar documents", "clusters": "the clusters they form",
            "dedup": "the documents without near-duplicates"}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog=f"python -m twinset.beam [{'|'.join(COMMANDS)}]", allow_abbrev=False,
        description="; ".join(f"{name}: {what}" for name, what in COMMANDS.items())
                    + ". Default: pairs.",
        epilog="All other options go to Beam, --runner=... above all; without one, the pipeline "
               "runs here, in one process.")
    top.add_argument("--input", required=True, metavar="PATTERN", type=make_absolute,
                     help="Files on any file system that Beam reaches: Parquet, JSON lines "
                          "(.jsonl, .ndjson, .json, also packed), or a document each.")
    top.add_argument("--output", required=True, metavar="PREFIX", type=prefix,
                     help="What the names of the files to write begin with; or FOLDER/.")
    top.add_argument("--format", choices=FORMATS, default="jsonl", metavar="|".join(FORMATS),
                     help="How pairs are written. Default: jsonl.")
    top.add_argument("--id", default="id", metavar="FIELD", help="Default: id.")
    top.add_argument("--text", default="text", metavar="FIELD", help="Default: text.")
    top.add_argument("--keep", default=KEEP_FIRST, metavar=f"{KEEP_FIRST}|{KEEP_LONGEST}|FIELD",
                     help="For dedup: which of similar documents is kept. Default: first.")
    top.add_argument("--duplicates", choices=("error", "skip"), default="error",
                     metavar="error|skip",
                     help="What of documents whose ids are missing or not unique. Default: error.")
    top.add_argument("--shards", type=int, default=SHARDS, metavar="N",
                     help=f"Tasks of a stage. Default: {SHARDS}.")
    add_options(top, WHERE)
    return top


def make_absolute(path: str) -> str:
    """An absolute path, because workers have other folders."""
    return path if "://" in path else os.path.abspath(path)


def prefix(path: str) -> str:
    """The absolute prefix of output files."""
    absolute = make_absolute(path)
    return absolute.rstrip("/") + "/part" if path.endswith("/") else absolute


# ---- writing

def write(records: beam.PCollection, command: str, arguments: argparse.Namespace) -> None:
    options = chosen(arguments, WHERE)
    options |= {"id": arguments.id, "text": arguments.text, "duplicates": arguments.duplicates,
                "shards": arguments.shards}
    if command == "pairs":
        heading = _core.pair_heading(arguments.format).decode().rstrip("\n") or None
        (SimilarPairs(**options).batches(records)
         | "lines" >> beam.FlatMap(lines_of, arguments.format)
         | "write" >> beam.io.WriteToText(arguments.output, f".{arguments.format}",
                                          header=heading))
        return
    if command == "clusters":
        found = records | Clusters(**options)
    else:
        found = (records | Dedup(keep=arguments.keep, **options)).kept
    (found | "lines" >> beam.Map(json_line)
     | "write" >> beam.io.WriteToText(arguments.output, ".jsonl"))


def json_line(record: Any) -> str:
    if isinstance(record, dict) and LINE in record:
        return record[LINE]
    record = record._asdict() if hasattr(record, "_asdict") else record
    return json.dumps(record, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# ---- running

def choose_options_of_beam(words: list[str], own: argparse.ArgumentParser) -> list[str]:
    """The options for Beam, which accepts any. So misspelt options of this module, and options that
    only the command has, are errors here."""
    names = [flag for flag in own._option_string_actions if flag.startswith("--")]
    others = {f"--{row[0]}" for row in _core.options()}
    for word in words:
        if word.partition("=")[0] in others:
            raise _core.UsageError(f"{word.partition('=')[0]} is an option of the command, and has "
                                   "no use here")
        if near := difflib.get_close_matches(word.partition("=")[0], names, 1, 0.85):
            raise _core.UsageError(f"there is no option {word}; did you mean {near[0]}?")
    has_runner = any(word.partition("=")[0] == "--runner" for word in words)
    return words if has_runner else [*words, "--runner=FnApiRunner"]


def print_counters(result: Any) -> None:
    """Prints the counters, if the runner has them."""
    wanted = MetricsFilter().with_namespace("twinset")
    counts: Counter[str] = Counter()
    for counter in result.metrics().query(wanted)["counters"]:  # each step has its own
        counts[counter.key.metric.name] += counter.result
    counted = [f"{count:,} {name.replace('_', ' ')}" for name, count in sorted(counts.items())]
    print(f"twinset: {', '.join(counted) or 'nothing was counted'}", file=sys.stderr)


REASONS = (
    (r"twinset\.\w*Error: (.*)", r"\1"),
    (r"No module named 'twinset'", "a worker has no twinset. Put the wheel into the workers' "
     "image, or send it with --extra_package; see docs/cluster.md"),
    (r"Unicode\w*Error: (.*)", r"a string of the input is not UTF-8 (\1); such texts have to be "
     "stored as bytes"),
    (r"(?:ArrowInvalid|ValueError|\w*(?:OS|IO|Directory|FileNotFound|Permission)Error): (.*)",
     r"\1"),
)


def reason(error: Exception) -> str | None:
    """What is wrong with the input, or the workers, in a sentence; None for all else. What another
    process, or machine, said is text here, stacks and all."""
    text = re.sub(r" \[while running '.*?'\]", "",
                  f"{type(error).__module__}.{type(error).__name__}: {error}")
    for pattern, words in REASONS:
        if found := re.search(pattern, text):
            return found.expand(words)
    return None


def check(command: str, arguments: argparse.Namespace, words: list[str]) -> None:
    """Checks arguments before any work is done."""
    if command not in COMMANDS:
        raise _core.UsageError(f"there is no '{command}' here; take {', '.join(COMMANDS)}")
    values = [word for before, word in zip(words, words[1:])  # which Beam would leave alone
              if not word.startswith("-") and (not before.startswith("-") or "=" in before)]
    if values or sum(word.partition("=")[0] == "--input" for word in words) > 1:
        raise _core.UsageError("--input takes one pattern, in quotation marks if it has a *; there "
                               f"is {' '.join(values) or 'another'} as well")
    if command != "pairs" and arguments.format != "jsonl":
        raise _core.UsageError("only pairs are written as csv and tsv")
    settings(WHERE, chosen(arguments, WHERE), command == "dedup")


@program.in_command_words
def main(words: Sequence[str] | None = None) -> int:
    """Runs a command. Exit status: 0 for success, 2 for an error."""
    words = list(sys.argv[1:] if words is None else words)
    command = words.pop(0) if words and not words[0].startswith("-") else "pairs"
    own = parser()
    arguments, rest = own.parse_known_args(words)
    try:
        check(command, arguments, words)
        pipeline = beam.Pipeline(options=PipelineOptions(choose_options_of_beam(rest, own)))
        check_output(arguments.output)
        keep = field_of(arguments.keep) if command == "dedup" else None
        records = read(pipeline, arguments.input, Fields(arguments.id, arguments.text, keep),
                       whole=command == "dedup")
        write(records, command, arguments)
    except (_core.Error, OSError, TypeError, ValueError) as error:
        return complain(reason(error) or error)
    try:
        result = pipeline.run()
        result.wait_until_finish()
    except Exception as error:
        if "KeyboardInterrupt" in str(error):  # as Beam tells it
            raise KeyboardInterrupt from None
        if sentence := reason(error):
            return complain(sentence)
        raise
    print_counters(result)
    return 0


if __name__ == "__main__":
    program.run(main)
