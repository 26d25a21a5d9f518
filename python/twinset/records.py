"""What results are made of: small tuples."""

from __future__ import annotations

from typing import NamedTuple

Id = str | int
"""What a document is called: its id, its position where it has none, or the path of a file."""


class Pair(NamedTuple):
    """Two documents and what is known of them, by their shingles."""

    a: Id
    b: Id
    similarity: float
    """By the chosen measure, 0 to 1."""
    jaccard: float
    """shared / union."""
    containment_a: float
    """Share of a's shingles that b has."""
    containment_b: float
    shared: int
    union: int
    estimate: float | None
    """Agreement of the signatures; None where none were made."""
    longest: int
    """Characters, words or tokens of the longest passage that both have."""
    cluster: int
    """Number of the cluster, from 1; 0 where there is none."""
    passages: int = 0
    """How many passages both have, where they were looked for."""
    passage_words: int = 0
    """Words in all of them; of programs, tokens."""
    coverage_a: float | None = None
    """Share of a's words that are in passages; None where these were not looked for."""
    coverage_b: float | None = None
    false_alarms: float | None = None
    """Pairs of such passages, or programs so similar, to expect if nobody copied."""
    weighted: float | None = None
    """Of programs alone, as all that follows: similarity by which rare shingles count more."""
    overlap: int = 0
    """Tokens in all passages that both have."""
    longest_lines: int = 0
    lines_a: int = 0
    lines_b: int = 0


class Cluster(NamedTuple):
    """Documents that similar pairs join."""

    id: int
    members: tuple[Id, ...]
    representative: Id
    """The member that most resembles the others."""
    min_similarity: float
    """The lowest of any two members."""

    @property
    def size(self) -> int:
        return len(self.members)


class Removed(NamedTuple):
    """A document that was removed."""

    id: Id
    kept: Id
    """The one that it was removed for."""
    similarity: float | None
    """None where all of its text was cut by min_passage, and no document resembles it."""
    cluster: int
    """0 where there is none."""


class Skipped(NamedTuple):
    """A document that could not be used."""

    id: Id
    reason: str
    is_empty: bool
    """There is no text in it: missing, null or empty. dedup() keeps it."""


class Flagged(NamedTuple):
    """A document that was used, with something to know about it."""

    id: Id
    flags: tuple[str, ...]
    """As docs/documents.md explains them: "homoglyphs", "hidden-text"..."""
    encoding: str | None
    """The one that was guessed."""


class Counts(NamedTuple):
    """What became of records: those read are those kept, removed and skipped together."""

    read: int
    kept: int
    removed: int
    skipped: int

    def __str__(self) -> str:
        return (f"read {self.read}, kept {self.kept}, removed {self.removed}, "
                f"skipped {self.skipped}")
