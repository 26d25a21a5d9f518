"""Arguments that the command lines of Spark and Beam share."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..options import known
from ..rules import DEDUP_THRESHOLD, THRESHOLD
from ..show import visible
from .settings import DEFAULT_MEMORY


# Options that differ from those of the command: their values and their help.
OVERRIDDEN = {
    "by": ("auto|char|word", "What shingles are made of: characters (Unicode code points) or "
           "words. auto (default) takes char."),
    "k": ("N", "Shingle length, 1 to 64. Default: 9 characters or 5 words; 5 characters suit "
          "e-mail-sized texts."),
    "threshold": ("X", "Report pairs of at least this similarity, above 0 and up to 1. Default "
                  f"{THRESHOLD}; for dedup {DEDUP_THRESHOLD}."),
    "measure": ("auto|jaccard|containment", "jaccard (default): shared shingles of all; "
                "containment: shared of the smaller document."),
    "method": ("auto|lsh", "Pairs are found by lsh, which misses what --recall allows."),
    "min-passage": ("N|off", "For dedup: cut every span of at least N words, 5 to 10000, that an "
                    "earlier document has, word for word. Default: off."),
    "memory": ("SIZE", "What the engine may use in a task, as in 512M or 2G. Default "
               f"{DEFAULT_MEMORY}: of documents too long for it, the longest passage that they "
               "share is not measured."),
}


def add_options(parser: argparse.ArgumentParser, function: str) -> None:
    """Adds the options of a function, with the help of the command, or of OVERRIDDEN."""
    group = parser.add_argument_group("options of twinset scan")
    for option, letter, argument, _, text, _ in known(function):
        argument, text = OVERRIDDEN.get(option, (argument, text))
        flags = ([f"-{letter}"] if letter else []) + ([f"--{option}"] if len(option) > 1 else [])
        extra: dict[str, Any] = {"action": "store_true", "default": None}
        if argument is not None:
            extra = {"metavar": argument}
        group.add_argument(*flags, help=text.replace("%", "%%"), dest=option.replace("-", "_"),
                           **extra)


def chosen(arguments: argparse.Namespace, function: str) -> dict[str, object]:
    """The options that were given, by name."""
    names = [row[0].replace("-", "_") for row in known(function)]
    return {name: value for name in names if (value := getattr(arguments, name)) is not None}


def complain(error: object) -> int:
    """Prints an error. Returns the exit status."""
    print(f"twinset: {visible(str(error))}", file=sys.stderr)
    return 2
