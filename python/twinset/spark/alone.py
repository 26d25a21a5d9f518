"""Scans a small collection in a single task; docs/cluster.md says why."""

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


def _in_one_task(documents: Documents, step: str, schema: str) -> DataFrame | None:
    """Runs a step in a single task if Spark expects few bytes, or, if it has no estimate, if there
    are few documents. None if the task fails."""
    size = documents.expected_bytes()
    if (documents.count > alone.DOCUMENTS) if size is None else (size > alone.BYTES):
        return None
    most = alone.DOCUMENTS
    rows = documents.rows.limit(most + 1).coalesce(1)  # without it, a limit may be optimised away
    made = settle(rows.mapInArrow(stage(step, documents.settings, most), schema))
    return None if made.filter("cluster is null").head(1) else made
