"""Similar documents in Beam pipelines: the C engine inside the workers.

    from twinset.beam import Dedup, SimilarPairs

    pairs = documents | SimilarPairs(id="url", text="body", threshold=0.8)
    kept, removed = documents | Dedup(keep="longest")

`documents` are records: mappings, rows with attributes, or tuples (id, text). The pairs are
those of `twinset scan --method lsh`, field by field, on any number of workers. Workers need this
package, too: docs/cluster.md.

Options are those of the command line, with _ for -: threshold, by, k, max_bucket and so on; not
those that need the whole collection. apache-beam 2.70 or later is needed.
"""

from ..tables import need

for _name in ("apache_beam", "pyarrow", "numpy"):
    need(_name, "twinset.beam", "apache-beam pyarrow numpy")

from .signatures import MergeSignatures, Signature, Signatures  # noqa: E402
from .spans import Cut, Span  # noqa: E402
from .transforms import (  # noqa: E402
    Cleaned,
    Clusters,
    Dedup,
    Deduped,
    Member,
    Pair,
    Removed,
    SimilarPairs,
)

__all__ = [
    "Cleaned",
    "Clusters",
    "Cut",
    "Dedup",
    "Deduped",
    "Member",
    "MergeSignatures",
    "Pair",
    "Removed",
    "Signature",
    "Signatures",
    "SimilarPairs",
    "Span",
]
