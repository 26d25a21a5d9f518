"""What the experiments use of the engine: options by name, signatures, candidates."""

import statistics
from array import array
from collections.abc import Callable, Iterable, Sequence
from time import process_time
from typing import Any

from .. import _core

Option = str | int | float


def options(**named: Option) -> dict[str, str]:
    """Options for the engine, from keywords named as the command's options, with _ for -."""
    return {name.replace("_", "-"): str(value) for name, value in named.items()}


def exact(a: str, b: str, **named: Option) -> float:
    """Jaccard similarity of two texts."""
    _, _, _, similarity, *_ = _core.compare(a, b, options(**named))
    return similarity


def shingles(text: str, **named: Option) -> frozenset[int]:
    """The shingles of a text, as numbers."""
    return frozenset(array("Q", _core.shingles(text, options(**named))))


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    """Jaccard similarity by its definition, to which the engine is compared."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def signatures(texts: Sequence[str], **named: Option) -> list[memoryview]:
    """The signature of each text."""
    sketcher = _core.Sketcher(options(**named))
    return rows_of(sketcher.texts(texts), sketcher.hashes)


def rows_of(matrix: bytes, hashes: int) -> list[memoryview]:
    """The rows of a matrix of signatures."""
    slots = memoryview(matrix).cast("I")
    return [slots[start : start + hashes] for start in range(0, len(slots), hashes)]


def candidate_pairs(sketches: Iterable[memoryview], bands: int, rows: int) -> set[tuple[int, int]]:
    """The pairs of signatures that agree in a band, as indexes a < b."""
    lsh = _core.LSH(bands, rows * 4)
    pairs: set[tuple[Any, int]] = set()
    for number, sketch in enumerate(sketches):
        pairs.update((earlier, number) for earlier in lsh.query(sketch))
        lsh.insert(number, sketch)
    return pairs


def scan(texts: Sequence[str], names: Sequence[str] | None = None,
         **named: Option) -> _core.Result:
    """The engine's result for a scan of texts."""
    collection = _core.Collection(options(**named))
    collection.add_texts(texts, names)
    return collection.scan()


def curve(bands: int, rows: int) -> tuple[list[float], list[float]]:
    """Points of the S-curve."""
    similarities = [step / 100 for step in range(101)]
    return similarities, [_core.probability(bands, rows, s) for s in similarities]


def seconds(work: Callable[[], object], least: float = 0.05) -> float:
    """Median processor time of a call, from as many calls as fit into `least` seconds, but at least
    three. Other work of the machine hardly changes it."""
    taken: list[float] = []
    while len(taken) < 3 or sum(taken) < least:
        start = process_time()
        work()
        taken.append(process_time() - start)
    return statistics.median(taken)
