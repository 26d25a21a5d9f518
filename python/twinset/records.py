"""The records of results: named tuples."""

from __future__ import annotations

from typing import NamedTuple

Id = str | int
"""Names a document: its id, its position if it has no id, or the path of a file."""


class Pair(NamedTuple):
    """Two documents, and how similar they are."""

    a: Id
    b: Id
    similarity: float
    """Similarity by the chosen measure, 0 to 1."""
    jaccard: float
    """Jaccard similarity: shared / union."""
    containment_a: float
    """Fraction of a's shingles that b has."""
    containment_b: float
    shared: int
    union: int
    estimate: float | None
    """Jaccard similarity by signatures; None if no signatures were made."""
    longest: int
    """Length of the longest common passage in characters, words or tokens."""
    cluster: int
    """Number of the cluster, from 1; 0 if there is none."""
    passages: int = 0
    """Number of common passages, if passages were searched."""
    passage_words: int = 0
    """Words in common passages; tokens for programs."""
    coverage_a: float | None = None
    """Fraction of a's words in common passages; None if passages were not searched."""
    coverage_b: float | None = None
    false_alarms: float | None = None
    """Expected number of pairs with such passages, or of programs so similar, if nobody copied."""
    weighted: float | None = None
    """Similarity that weighs rare shingles more. From this field on, all are for programs only."""
    overlap: int = 0
    """Tokens in common passages."""
    longest_lines: int = 0
    lines_a: int = 0
    lines_b: int = 0
    language_a: str | None = None
    """With the option view="across", the languages of the two programs."""
    language_b: str | None = None


class Cluster(NamedTuple):
    """Documents that are joined by similar pairs."""

    id: int
    members: tuple[Id, ...]
    representative: Id
    """The member that is most similar to the others."""
    min_similarity: float
    """The lowest similarity of any two members."""

    @property
    def size(self) -> int:
        return len(self.members)


class Removed(NamedTuple):
    """A document that was removed."""

    id: Id
    kept: Id
    """The kept document that it was removed for."""
    similarity: float | None
    """None if min_passage cut all of its text, and no document resembles it."""
    cluster: int
    """Number of the cluster; 0 if there is none."""


class Span(NamedTuple):
    """A span that is cut, in bytes of the text in UTF-8, and where the first copy of it is."""

    start: int
    end: int
    words: int
    first: Id
    first_start: int
    first_end: int


class Cut(NamedTuple):
    """A document that spans are cut from."""

    id: Id
    spans: tuple[Span, ...]


class Skipped(NamedTuple):
    """A document that could not be used."""

    id: Id
    reason: str
    is_empty: bool
    """Whether it has no text: missing, null or empty. dedup() keeps such documents."""


class Flagged(NamedTuple):
    """A document that was used, but has something that users should know."""

    id: Id
    flags: tuple[str, ...]
    """Flags such as "homoglyphs" and "hidden-text", which docs/documents.md explains."""
    encoding: str | None
    """The encoding, if it was guessed."""


class Counts(NamedTuple):
    """Numbers of records. `read` is the sum of the others."""

    read: int
    kept: int
    removed: int
    skipped: int

    def __str__(self) -> str:
        return (f"read {self.read}, kept {self.kept}, removed {self.removed}, "
                f"skipped {self.skipped}")
