"""What the engine, the command, Python, Spark and Beam agree on: read from the engine's table."""

from __future__ import annotations

from . import _core

_RULES = _core.rules()


def _words(name: str) -> tuple[str, ...]:
    return tuple(_RULES[name].split("|"))


THRESHOLD = float(_RULES["threshold"])
DEDUP_THRESHOLD = float(_RULES["dedup-threshold"])
HASHES = int(_RULES["hashes"])
# A member of a bucket over the limit meets as many of the lowest.
STAR = int(_RULES["star"])
# Of those that are kept of a cluster, dedup looks at so many.
LOOKS = int(_RULES["looks"])

# Which of similar documents is kept, where no field is named.
KEEP_FIRST, KEEP_LONGEST, KEEP_NEWEST = KEEP = _words("keep")
# Fields that say when, the first that has a value.
TIMES = _words("times")

# Endings of files that are not written, and those that dedup packs files for.
UNWRITTEN = _words("unwritten")
PACKED = _words("packed")

STEP_FORMATS = _words("formats-step")

# Options that a call on an index may choose.
INDEX_CALL = frozenset(name.replace("-", "_") for name in _words("index-call"))
