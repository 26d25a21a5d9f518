"""What one task can take is done by one: docs/cluster.md says why."""

from __future__ import annotations

from pyspark.sql import DataFrame

from ..cluster import alone
from .documents import Documents
from .pairs import FIELDS
from .stages import settle, stage

PAIRS = f"a string, b string, {FIELDS}, cluster bigint"
MEMBERS = "id string, cluster bigint, size bigint"


def all_pairs(documents: Documents) -> DataFrame | None:
    """The pairs with their clusters; None: one task cannot find them."""
    return _in_one_task(documents, "alone.pairs", PAIRS)


def all_members(documents: Documents) -> DataFrame | None:
    """The documents of clusters; None: one task cannot find them."""
    return _in_one_task(documents, "alone.members", MEMBERS)


def _in_one_task(documents: Documents, piece: str, schema: str) -> DataFrame | None:
    """Tried where Spark expects little; what it does not know the size of is counted first."""
    size = documents.expected_bytes()
    if (documents.count > alone.DOCUMENTS) if size is None else (size > alone.BYTES):
        return None
    most = alone.DOCUMENTS
    rows = documents.rows.limit(most + 1).coalesce(1)  # without it, a limit may be optimised away
    made = settle(rows.mapInArrow(stage(piece, documents.settings, most), schema))
    return None if made.filter("cluster is null").head(1) else made
