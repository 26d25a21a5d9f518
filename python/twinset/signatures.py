"""Signatures of texts, LSH to find similar signatures, and its tuning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

from . import _core
from .options import Bands, Options, Tuned, to_engine
from .rules import HASHES, THRESHOLD

if TYPE_CHECKING:
    import numpy

Text = str | bytes | None


class Signature:
    """The signature of a text, by which its similarity to others is estimated: 32-bit slots.

    Signatures can be compared if they were made with the same options. They do not change; they
    can be keys of a dict, and be pickled. `hashvalues` holds the slots without a copy:
    `numpy.asarray(signature.hashvalues)`.
    """

    __slots__ = ("hashvalues",)

    hashvalues: memoryview
    """The slots, as unsigned 32-bit numbers."""

    def __init__(self, slots: bytes | bytearray | memoryview) -> None:
        view = memoryview(slots).toreadonly()
        if view.format != "I":
            view = view.cast("B").cast("I")
        if len(view) == 0:
            raise ValueError("a signature needs at least one slot of 4 bytes")
        object.__setattr__(self, "hashvalues", view)

    @classmethod
    def from_bytes(cls, slots: bytes) -> Signature:
        """The signature from the bytes of Signature.bytes()."""
        return cls(bytes(slots))

    def jaccard(self, other: Signature) -> float:
        """The share of slots that agree: an estimate of the Jaccard similarity."""
        return _core.estimate(self.hashvalues, other.hashvalues)

    def merge(self, other: Signature) -> Signature:
        """The signature of the union of both sets."""
        return Signature(_core.merge(self.hashvalues, other.hashvalues))

    def is_empty(self) -> bool:
        """Whether it is the signature of a text without shingles, which resembles nothing."""
        return all(slot == _core.empty_slot for slot in self.hashvalues)

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __getitem__(self, index: int) -> int:
        return self.hashvalues[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self.hashvalues)

    def __bytes__(self) -> bytes:
        return self.hashvalues.tobytes()

    def __buffer__(self, flags: int) -> memoryview:  # from Python 3.12 on: memoryview(signature)
        return self.hashvalues

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return _array(self.hashvalues, dtype, copy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signature):
            return NotImplemented
        return bytes(self) == bytes(other)

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a signature does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Signature.from_bytes, (bytes(self),)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.hashvalues[:4]))
        return f"<Signature of {len(self)} slots: {shown}{', ...' if len(self) > 4 else ''}>"

    # It comes last, because its name hides the type bytes from the methods after it.
    def bytes(self) -> bytes:
        """The slots as bytes, 4 for each, in the order of the machine: bytes(signature)."""
        return self.hashvalues.tobytes()


class Signatures(Sequence[Signature]):
    """Signatures of one length, one after the other in memory.

    `hashvalues` is a memoryview with a row for each signature, `numpy.asarray(signatures)` an array
    of the same memory; neither is a copy.
    """

    __slots__ = ("_slots", "hashes")

    def __init__(self, slots: bytes, hashes: int) -> None:
        self._slots = memoryview(slots).cast("I")
        self.hashes = hashes

    @property
    def hashvalues(self) -> memoryview:
        if len(self) == 0:  # a view without rows cannot have two dimensions
            return self._slots
        return self._slots.cast("B").cast("I", [len(self), self.hashes])

    def __len__(self) -> int:
        return len(self._slots) // self.hashes

    @overload
    def __getitem__(self, index: int) -> Signature: ...
    @overload
    def __getitem__(self, index: slice) -> list[Signature]: ...

    def __getitem__(self, index: int | slice) -> Signature | list[Signature]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        return Signature(self._slots[row * self.hashes:(row + 1) * self.hashes])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return _array(self._slots, dtype, copy).reshape(len(self), self.hashes)

    def __repr__(self) -> str:
        return f"<{len(self):,} signatures of {self.hashes} slots>"


def _array(slots: memoryview, dtype: Any, copy: bool | None) -> numpy.ndarray:
    import numpy

    array = numpy.frombuffer(slots, numpy.uint32)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


class Sketcher:
    """Makes signatures. Options are those of `twinset sketch`: by, k, hashes, scheme, seed...

    Threads may share a sketcher; their calls run one after the other.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._core = _core.Sketcher(to_engine("Sketcher", options))

    @property
    def hashes(self) -> int:
        """The number of slots of a signature."""
        return self._core.hashes

    def sketch(self, text: Text) -> Signature:
        """The signature of a text."""
        return Signature(self._core.text(text))

    def sketch_many(self, texts: Any) -> Signatures:
        """The signatures of a sequence of texts, in their order. A column of pyarrow or polars is
        not copied. None gives the empty signature."""
        return Signatures(self._core.texts(texts), self.hashes)


class Tuning(NamedTuple):
    """How a signature is divided into bands, and how well that finds similar pairs."""

    hashes: int
    threshold: float
    bands: int
    rows: int
    knee: float
    """The similarity where the S-curve is steepest: (1/bands)^(1/rows)."""
    recall: float
    """Probability that a pair at the threshold becomes a candidate."""
    false_positives: float
    """Area under the S-curve below the threshold."""
    false_negatives: float
    """Area over the S-curve above the threshold."""

    def probability(self, similarity: float) -> float:
        """Probability that two documents of this similarity become candidates."""
        return _core.probability(self.bands, self.rows, similarity)


def tune(**options: Unpack[Tuned]) -> Tuning:
    """Chooses bands and rows, as `twinset tune` does."""
    return Tuning(**_core.tune(to_engine("tune", options)))


class LSH(_core.LSH):
    """A growing set of signatures with keys, in which similar signatures are found.

    lsh = LSH(threshold=0.8)
    lsh.insert("a", sketcher.sketch(text))
    lsh.query(sketcher.sketch(other))    # keys of candidates, in the order they were inserted

    query() returns the keys of signatures that agree with a signature in a band: candidates.
    `tuning.recall` is the probability that a pair at the threshold is a candidate;
    Signature.jaccard() estimates the similarity of a candidate. A key is any hashable object.
    Options are those of tune().
    """

    tuning: Tuning

    def __init__(self, threshold: float = THRESHOLD, hashes: int = HASHES,
                 **options: Unpack[Bands]) -> None:
        self.tuning = tune(threshold=threshold, hashes=hashes, **options)
        super().__init__(self.tuning.bands, self.tuning.rows * 4)

    def __repr__(self) -> str:
        bands, rows = self.tuning.bands, self.tuning.rows
        return f"<LSH of {len(self):,} signatures in {bands} bands of {rows} rows>"
