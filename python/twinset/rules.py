"""Defaults and limits that the command, Python, Spark and Beam share, from the engine's table."""

from __future__ import annotations

from . import _core

_RULES = _core.rules()


def _words(name: str) -> tuple[str, ...]:
    return tuple(_RULES[name].split("|"))


THRESHOLD = float(_RULES["threshold"])
DEDUP_THRESHOLD = float(_RULES["dedup-threshold"])
HASHES = int(_RULES["hashes"])
# In a bucket over the limit, a member is paired with this many of the lowest members only.
STAR = int(_RULES["star"])
# A search with more candidates than these, and than so many for each document, lists a document
# with the first that it resembles.
MANY_CANDIDATES = int(_RULES["many-candidates"])
MANY_FOR_EACH = int(_RULES["many-for-each"])
# dedup compares a document with at most this many kept documents of its cluster.
LOOKS = int(_RULES["looks"])

# Rules for which of similar documents is kept, unless a field is named.
KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST = KEEP = _words("keep")
# Fields that hold a time; the first that has a value counts.
TIMES = _words("times")

# Extensions of formats that are not written, and of compressed files, which dedup writes.
UNWRITTEN = _words("unwritten")
PACKED = _words("packed")

STEP_FORMATS = _words("formats-step")

# Options that a call on an index takes: those that the index does not store.
INDEX_CALL = frozenset(row[0].replace("-", "_") for row in _core.options()
                       if "index" in (commands := row[5].split()) and "kept" not in commands)
