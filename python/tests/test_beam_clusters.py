"""The clusters of twinset.beam are those of the command, and need few rounds."""

import json
import random

import pytest
from beam_runs import beam, records  # skips these tests without Beam
import pyarrow as pa
from spread import SEED, documents, scanned
from twins import command
from twinset import _core
from twinset.beam import Clusters, clusters


def test_clusters_are_those_of_the_command(run, tmp_path):
    given = documents(200, copies=30)
    scanned(tmp_path, given)
    answer, _ = command("scan", "in.jsonl", "--method", "lsh", "-q", "--max-bucket", "8",
                      "--format", "json", cwd=tmp_path)
    expected = {(member, cluster["id"], len(cluster["members"]))
                for cluster in json.loads(answer)["clusters"] for member in cluster["members"]}
    found = run(records(given), lambda all: all | Clusters(shards=3, max_bucket=8))
    assert {(row["id"], row["cluster"], row["size"]) for row in found} == expected
    assert len(found) == len(expected) > 100


def components(run, edges):
    batch = pa.record_batch([pa.array([u for u, _ in edges]), pa.array([v for _, v in edges])],
                            schema=clusters.EDGES)
    found = run([batch], lambda all: all | clusters.Components(3)
                | beam.FlatMap(lambda batch: batch.to_pylist()))
    assert len(found) == len({row["u"] for row in found})
    return {row["u"]: row["v"] for row in found}


def graph(chance):
    """Edges of chains with ordered and shuffled names, of a star, and random edges."""
    order = [f"c{at:04}" for at in range(700)]
    shuffled = [f"s{at:04}" for at in range(700)]
    chance.shuffle(shuffled)
    edges = [edge for names in (order, shuffled) for edge in zip(names, names[1:])]
    edges += [("star", f"p{at:02}") for at in range(50)]
    edges += [tuple(chance.sample([f"r{at:03}" for at in range(200)], 2)) for _ in range(150)]
    return edges


def joined(edges):
    """The component of each id."""
    component = {}
    for u, v in edges:
        both = component.get(u, {u}) | component.get(v, {v})
        component.update(dict.fromkeys(both, both))
    return component


def test_components_of_long_chains(run):
    edges = graph(random.Random(SEED))
    found, expected = components(run, edges), joined(edges)
    for id, members in expected.items():
        assert {found.get(other, other) for other in members} == {found.get(id, id)} <= members
    assert set(found) < set(expected)


def test_chains_too_large_for_one_task_are_an_error(run, monkeypatch):
    monkeypatch.setattr(clusters, "REST", 20)
    edges = [(f"{at:04}", f"{at + 1:04}") for at in range(2000)]
    with pytest.raises(_core.Error, match="more than 20 of their edges are left after 3 rounds"):
        components(run, edges)
