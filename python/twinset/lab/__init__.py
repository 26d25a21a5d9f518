"""The experiments of the papers that twinset grew from, with tables and figures.

Each is a function that returns a Result: `result.table`, `result.svg()`, `result.write(folder,
name)`. `python -m twinset.lab NAME DIR` runs an experiment from the shell; docs/lab.md shows all
of them beside the results of the papers.
"""

from collections.abc import Callable
from importlib.util import find_spec

from ..tables import need

if find_spec("numpy") is None:  # checked here, but imported only when it is used
    need("numpy", "twinset.lab", "numpy matplotlib")

from . import s0, s1, s2, s3  # noqa: E402
from .result import Result  # noqa: E402
from .table import Table  # noqa: E402

__all__ = ["EXPERIMENTS", "Result", "Table", "s0", "s1", "s2", "s3"]

EXPERIMENTS: dict[str, Callable[..., Result]] = {
    "s0-walk": s0.walk,
    "s0-curve": s0.s_curve,
    "s0-matrix": s0.matrix,
    "s1-k": s1.jaccard_by_k,
    "s1-spaces": s1.jaccard_by_spaces,
    "s1-time": s1.time_by_k,
    "s1-estimate": s1.estimate_by_hashes,
    "s1-error": s1.error_by_hashes,
    "s1-lsh": s1.lsh_against_brute_force,
    "s1-candidates": s1.candidates_by_k,
    "s1-bands": s1.best_bands,
    "s2-accuracy": s2.accuracy,
    "s2-time": s2.time,
    "s2-bands": s2.bands,
    "s3-documents": s3.time_by_documents,
    "s3-hashes": s3.time_by_hashes,
    "s3-probabilities": s3.probabilities,
}
