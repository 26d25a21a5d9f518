"""twinset finds the twins in a set of documents: near-duplicates, plagiarism, copied code.

    compare(a, b)    two texts, or two files: exact similarity
    scan(data)       similar pairs and clusters
    dedup(data)      the collection without its near-duplicates
    Index(path)      an index in a file: was this document seen before?
    Sketcher, Signature, LSH, tune    the building blocks, for programs of your own

`data` is a list of texts, a column or a table of pyarrow, pandas or polars, or a path: a file, a
folder, JSON lines, Parquet. Options are those of the command line by the same names, with _ for -.
docs/python.md shows more.
"""

from ._core import EmptyError, Error, InputError, UsageError
from ._core import version as __version__
from .api import compare, dedup, scan
from .index import Added, Document, Index
from .records import Cluster, Counts, Cut, Flagged, Pair, Removed, Skipped, Span
from .results import Dedup, Scan
from .signatures import LSH, Signature, Signatures, Sketcher, Tuning, tune

__all__ = [
    "LSH",
    "Added",
    "Cluster",
    "Counts",
    "Cut",
    "Dedup",
    "Document",
    "EmptyError",
    "Error",
    "Flagged",
    "Index",
    "InputError",
    "Pair",
    "Removed",
    "Scan",
    "Signature",
    "Signatures",
    "Sketcher",
    "Skipped",
    "Span",
    "Tuning",
    "UsageError",
    "__version__",
    "compare",
    "dedup",
    "scan",
    "tune",
]
