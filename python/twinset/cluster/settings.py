"""What all pieces of a run go by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import _core
from ..options import to_engine

DEFAULT_MEMORY = "1G"
# Members that meet these in one place; more go to others.
CHUNK = 1024


@dataclass(frozen=True)
class Settings:
    """Options that were checked, and what follows from them. Small: it is sent to every task."""

    options: dict[str, str]
    bands: int
    max_bucket: int


def settings(function: str, given: Mapping[str, object]) -> Settings:
    """Checks options before any work is done.

    TypeError or UsageError for those that do not exist, or that need a collection in one place.
    """
    options = {"memory": DEFAULT_MEMORY, **to_engine(function, given)}
    refuse("by", options, ("auto", "char", "word"), "programs are compared on one machine")
    refuse("method", options, ("auto", "lsh"), "on many machines, pairs are found by lsh")
    _core.Comparer(options)  # says what is wrong with the others
    if float(options.get("threshold", 1)) == 0:
        raise _core.UsageError("threshold=0: lsh finds no pair reliably there; take more")
    keyer = _core.Keyer(options)
    return Settings(options, keyer.bands, keyer.max_bucket)


def refuse(name: str, options: Mapping[str, str], words: tuple[str, ...], why: str) -> None:
    value = options.get(name, words[0])
    if value not in words:
        raise _core.UsageError(f"{name}={value!r}: {why}; take {' or '.join(words)}")
