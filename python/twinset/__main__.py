"""python -m twinset scan|dedup: the command's options for what Python reads, Parquet above all.

Help is made from the engine's table of options, as that of the command is. All other commands are
those of the command itself, which the wheel contains.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import _core, api
from .command import become
from .options import known
from .output import write
from .program import in_command_words, run
from .results import Outcome, format_of
from .rules import KEEP, KEEP_FIRST, THRESHOLD
from .show import visible

SHOWN = 10  # lines about skipped inputs, unless --verbose


# ---- the command line

def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m twinset", allow_abbrev=False,
        description="Finds the twins in a set of documents. Reads what the command twinset does, "
                    "and Parquet. All other commands are those of twinset: see twinset --help.")
    top.add_argument("-V", "--version", action="version", version=f"twinset {_core.version}")
    commands = top.add_subparsers(dest="command", required=True, metavar="scan|dedup")
    scan = _command(commands, "scan", "similar pairs and clusters")
    scan.add_argument("--like", action="append", metavar="FILE",
                      help="Report only the pairs that this document is part of. Repeatable.")
    scan.add_argument("--format", choices=_core.SCAN_FORMATS,
                      metavar="|".join(_core.SCAN_FORMATS),
                      help="How results are written. Default: what the name of -o ends with, or "
                           "table.")
    scan.add_argument("-o", "--output", metavar="FILE",
                      help="Write results to FILE, which appears when it is complete.")
    scan.add_argument("--fail-above", type=_fraction, metavar="X",
                      help="Exit with status 1 if a pair has at least this similarity.")
    dedup = _command(commands, "dedup", "the collection without its near-duplicates")
    dedup.add_argument("-o", "--output", required=True, metavar="OUT",
                       help="Where to: a file, a folder with a slash at its end, or - for standard "
                            "output, but of Parquet.")
    dedup.add_argument("--keep", default=KEEP_FIRST, metavar="|".join((*KEEP, "FIELD")),
                       help=f"Which of similar documents is kept. Default: {KEEP_FIRST}.")
    dedup.add_argument("--annotate", action="store_true",
                       help="Keep all records, and add to each what was decided about it.")
    dedup.add_argument("--removed", metavar="FILE",
                       help="Write to FILE a JSON line for each removed record.")
    return top


def _command(commands: Any, name: str, summary: str) -> argparse.ArgumentParser:
    """Adds a command with the arguments that scan and dedup share."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=f"twinset {name}: {summary}.", allow_abbrev=False)
    command.add_argument("paths", nargs="+", metavar="PATH",
                         help="Parquet, JSON lines, files, folders, @LIST.")
    topics: dict[str, Any] = {}
    for option, letter, argument, topic, text, _ in known(name):
        group = topics.setdefault(topic, None) or command.add_argument_group(topic)
        topics[topic] = group
        flags = [f"-{letter}"] if letter else []
        flags += [f"--{option}"] if len(option) > 1 else []
        extra: dict[str, Any] = {"action": "store_true", "default": None}
        if argument is not None:
            extra = {"metavar": argument, "action": "append" if argument == "GLOB" else "store"}
        group.add_argument(*flags, help=text.replace("%", "%%"), dest=option.replace("-", "_"),
                           **extra)
    for role, text in (("ignore", "Template: leave what it says out of all documents."),
                       ("old", "Archive: compared with the others, not with itself.")):
        command.add_argument(f"--{role}", action="append", metavar="PATH",
                             help=f"{text} Repeatable.")
    command.add_argument("--report", metavar="FILE", help="Write to FILE how the run went.")
    command.add_argument("--strict", action="store_true",
                         help="Exit with status 3 if any input was skipped.")
    command.add_argument("-q", "--quiet", action="store_true",
                         help="No progress, no notes, no names of skipped inputs, no summary.")
    command.add_argument("-v", "--verbose", action="store_true", help="All names.")
    return command


def _fraction(text: str) -> float:
    """Parses a fraction as the engine does: 0.7 or 70%."""
    number = float(text[:-1] + "e-2" if text.endswith("%") else text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number from 0 to 1, or a percentage such as 70%")
    return number


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments for scan() or dedup()."""
    names = [row[0].replace("-", "_") for row in known(arguments.command)]
    chosen = {name: getattr(arguments, name) for name in names}
    for role in ("ignore", "old", "like"):
        if paths := getattr(arguments, role, None):
            chosen[role] = list(map(_ExactPath, paths))
    return {**chosen, "progress": False if arguments.quiet else None}


class _ExactPath(os.PathLike[str]):
    """A path as it was typed: pathlib would remove a leading ./ and a trailing slash."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


# ---- messages on standard error

def _say(message: object) -> None:
    print(f"twinset: {visible(str(message))}", file=sys.stderr)


def _say_lines(lines: Sequence[str], is_verbose: bool) -> None:
    shown = lines if is_verbose else lines[:SHOWN]
    for line in shown:
        _say(line)
    if len(shown) < len(lines):
        _say(f"... and {len(lines) - len(shown):,} more (--verbose names them all)")


def _report(arguments: argparse.Namespace, result: Outcome, is_cleaned: bool) -> None:
    if arguments.report:
        write(arguments.report, result._write_report)
    if not arguments.quiet:
        _say_lines([f"{'kept' if is_cleaned and skipped.is_empty else 'skipped'} {skipped.id}: "
                    f"{skipped.reason}" for skipped in result.skipped], arguments.verbose)
        _say_lines([f"{flagged.id}: {', '.join(flagged.flags)}"
                    f"{f' ({flagged.encoding})' if flagged.encoding else ''}"
                    for flagged in result.flagged], arguments.verbose)
        for note in result.notes:
            _say(note)


# ---- the commands

def _scan(arguments: argparse.Namespace) -> int:
    options, fail_above = _options(arguments), arguments.fail_above
    if fail_above is not None and options["threshold"] is None:
        # Pairs below the threshold are not looked for.
        options["threshold"] = min(fail_above, THRESHOLD)
    elif fail_above is not None and fail_above < float(options["threshold"]):
        raise ValueError(f"--fail-above {fail_above:g} lies below the threshold, where pairs are "
                         "not looked for; lower --threshold")
    format = arguments.format or format_of(arguments.output) or "table"
    result = api.scan(list(map(_ExactPath, arguments.paths)), **options)
    to_file = arguments.output not in (None, "-")
    result.write(arguments.output if to_file else sys.stdout.buffer, format)
    _report(arguments, result, is_cleaned=False)
    if arguments.strict and result.skipped:
        return 3
    return int(fail_above is not None and len(result) > 0 and result[0].similarity >= fail_above)


def _dedup(arguments: argparse.Namespace) -> int:
    result = api.dedup(
        list(map(_ExactPath, arguments.paths)), keep=arguments.keep, removed=arguments.removed,
        annotate=arguments.annotate,
        output=sys.stdout.buffer if arguments.output == "-" else arguments.output,
        **_options(arguments))
    _report(arguments, result, is_cleaned=True)
    if not arguments.quiet:
        print(result.counts, file=sys.stderr)
    return 3 if arguments.strict and any(not skipped.is_empty for skipped in result.skipped) else 0


@in_command_words
def main(words: Sequence[str] | None = None) -> int:
    """Runs a command. Exit status: 0 for success; 1 if --fail-above was reached; 2 for an error;
    3 if --strict was given and an input was skipped."""
    words = sys.argv[1:] if words is None else words
    # pyarrow's own allocator gives memory back and takes it again all the time.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # numpy, which pyarrow loads, would start threads for products of matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if words and words[0] not in ("scan", "dedup") and not words[0].startswith("-"):
        become(words)
    arguments = parser().parse_args(words)
    try:
        status = {"scan": _scan, "dedup": _dedup}[arguments.command](arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (_core.Error, ValueError, ImportError, OSError, MemoryError) as error:
        _say(error)
    return 2


if __name__ == "__main__":
    run(main)
