"""The settings of all steps of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import _core
from ..options import to_engine

DEFAULT_MEMORY = "1G"
# Members of a bucket or run that are compared in one task; more members go to other tasks.
CHUNK = 1024


@dataclass(frozen=True)
class Settings:
    """Checked options, and values derived from them. They are small, and sent to every task."""

    options: dict[str, str]
    bands: int
    max_bucket: int

    @property
    def cuts_spans(self) -> bool:
        return self.options.get("min-passage", "off") != "off"


def settings(function: str, given: Mapping[str, object], dedup: bool = False) -> Settings:
    """Checks options before any work is done. `dedup`: whether the call cleans.

    TypeError or UsageError for options that do not exist, or that need the whole collection on one
    machine.
    """
    options = {"memory": DEFAULT_MEMORY, **to_engine(function, given)}
    refuse("by", options, ("auto", "char", "word"), "programs are compared on one machine")
    refuse("method", options, ("auto", "lsh"), "on many machines, pairs are found by lsh")
    _core.Comparer(options)  # checks the other options
    if float(options.get("threshold", 1)) == 0:
        raise _core.UsageError("threshold=0: lsh finds no pair reliably there; take more")
    keyer = _core.Keyer(options)
    made = Settings(options, keyer.bands, keyer.max_bucket)
    if made.cuts_spans:
        _core.SpanFinder(options)
        if not dedup:
            raise _core.UsageError("min_passage: pairs are listed for passages on one machine, by "
                                   "the words of the whole collection; here, dedup cuts them")
    return made


def refuse(name: str, options: Mapping[str, str], words: tuple[str, ...], why: str) -> None:
    value = options.get(name, words[0])
    if value not in words:
        raise _core.UsageError(f"{name}={value!r}: {why}; take {' or '.join(words)}")
