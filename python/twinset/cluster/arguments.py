"""What the command lines of engines have in common."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..options import known


# What of an option's values does not need the collection in one place.
VALUES = {"by": "auto|char|word", "method": "auto|lsh", "measure": "auto|jaccard|containment"}


def add_options(parser: argparse.ArgumentParser, function: str) -> None:
    """Adds what the function takes, as the command's help has it."""
    group = parser.add_argument_group("options of twinset scan")
    for option, letter, argument, _, text in known(function):
        flags = ([f"-{letter}"] if letter else []) + ([f"--{option}"] if len(option) > 1 else [])
        extra: dict[str, Any] = {"action": "store_true", "default": None}
        if argument is not None:
            extra = {"metavar": VALUES.get(option, argument)}
        group.add_argument(*flags, help=text.replace("%", "%%"), dest=option.replace("-", "_"),
                           **extra)


def chosen(arguments: argparse.Namespace, function: str) -> dict[str, object]:
    """Those that were given, by name."""
    names = [row[0].replace("-", "_") for row in known(function)]
    return {name: value for name in names if (value := getattr(arguments, name)) is not None}


def complain(error: object) -> int:
    """Says what is wrong; gives the exit status."""
    print(f"twinset: {error}", file=sys.stderr)
    return 2
