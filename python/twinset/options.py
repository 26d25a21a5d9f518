"""Options as keywords: the command line's names, with _ for -, and its values.

The engine's table lists the options; the engine also parses and checks their values.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from . import _core

Number = int | float | str
PathLike = str | os.PathLike[str]


class Bands(TypedDict, total=False):
    """How a signature is divided into bands; `twinset tune --help` explains each option."""

    recall: Number
    prefer: str
    bands: int | str
    rows: int | str


class Tuned(Bands, total=False):
    """The options of tune()."""

    threshold: Number
    hashes: int | str


class Options(Bands, total=False):
    """The options of scan(), less the threshold; `twinset scan --help` explains each."""

    by: str
    k: int | str
    lang: str
    view: str
    case: str
    spaces: str
    punctuation: str
    stop: PathLike
    quotations: str
    bibliography: str
    top: int | str
    measure: str
    bag: bool
    common: Number
    group: str
    min_passage: int | str
    method: str
    hashes: int | str
    scheme: str
    shingle_hash: str
    seed: int | str
    max_bucket: int | str
    sample: int | str
    text: str
    id: str
    input: str
    all: bool
    include: str | Sequence[str]
    exclude: str | Sequence[str]
    max_size: int | str
    max_skipped: Number
    html_boilerplate: str
    mail_quotes: str
    threads: int | str
    memory: int | str
    tmp: PathLike
    checkpoint: PathLike


# The command whose options a function takes, if it has another name. "spread" marks the options
# that work on a cluster, where no machine holds the whole collection.
COMMANDS = {"Sketcher": "sketch", "LSH": "tune", "twinset.spark": "spread",
            "twinset.beam": "spread"}

Row = tuple[str, str, str | None, str, str, str]


def known(function: str) -> list[Row]:
    """The rows of the engine's table that a function takes."""
    command = COMMANDS.get(function, function)
    return [row for row in _core.options() if command in row[5].split()]


def to_engine(function: str, given: Mapping[str, object]) -> dict[str, str]:
    """Options as the engine takes them: names and values of the command line.

    None stands for an option that was not given. TypeError for a name that is not known, and for
    a value of a type that no option takes; the engine checks whether the value suits the option.
    """
    arguments = {row[0]: row[2] for row in known(function)}
    chosen = {}
    for keyword, value in given.items():
        name = keyword.replace("_", "-")
        if name not in arguments:
            raise TypeError(_unknown(function, keyword, arguments))
        if value is not None:
            chosen[name] = _value(keyword, value, arguments[name])
    return chosen


def _unknown(function: str, keyword: str, names: Mapping[str, object]) -> str:
    if any(row[0] == keyword.replace("_", "-") for row in _core.options()):
        return f"{function}() has no use for the option '{keyword}'"
    import difflib

    near = difflib.get_close_matches(keyword.lower().replace("-", "_"),
                                     [name.replace("-", "_") for name in names], 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"{function}() has no option '{keyword}'{hint}"


def _value(keyword: str, value: object, argument: str | None) -> str:
    if argument is None:
        if not isinstance(value, bool):
            raise TypeError(f"{keyword}: True or False is wanted, not {value!r}")
        return "1" if value else "0"
    if isinstance(value, (str, os.PathLike)):
        return str(os.fspath(value))
    if argument == "GLOB" and isinstance(value, Sequence):
        return "\n".join(map(str, value))
    if not isinstance(value, (bool, bytes)):
        if hasattr(value, "__index__"):
            return str(operator.index(value))
        if hasattr(value, "__float__"):
            return repr(float(value))
    raise TypeError(f"{keyword}: {argument} is wanted, not {value!r}")
