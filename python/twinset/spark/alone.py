"""Scans a small collection in a single task; docs/cluster.md says why."""

from __future__ import annotations

from pyspark.sql import DataFrame

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
    """Runs a step in a single task if all documents fit into one. None if they do not, or if the
    task says so."""
    if not documents.fits_one_task:
        return None
    rows = documents.rows.repartition(1)  # so that what they come from may be many tasks
    made = settle(rows.mapInArrow(stage(step, documents.settings), schema))
    return None if made.filter("cluster is null").head(1) else made
