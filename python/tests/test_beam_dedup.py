"""Dedup of twinset.beam keeps, removes and cuts what the command does."""

import datetime
import json
import random
from array import array
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from beam_runs import as_json, beam, records  # skips these tests without Beam
import numpy as np
from spread import SEED, cleaned, documents, text, with_passages
from twins import command
from twinset.beam import Dedup, Removed, Span
from twinset.beam.documents import Fields, rank
from twinset.beam.files import LINE
from twinset.beam.spans import Without


def kept_by_command(tmp_path, given, keep):
    """The records that dedup keeps and removes. Sorted by id, "first" is the lowest id."""
    ordered = sorted(given, key=lambda record: record["id"])
    lines = "".join(json.dumps(record) + "\n" for record in ordered)
    (tmp_path / "ordered.jsonl").write_text(lines)
    command("dedup", "ordered.jsonl", "--method", "lsh", "-q", "--keep", keep, "-o", "kept.jsonl",
            "--removed", "gone.jsonl", "--threshold", "0.75", "--max-bucket", "20", cwd=tmp_path)
    return ([json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
            for name in ("kept.jsonl", "gone.jsonl"))


@pytest.mark.parametrize("keep", ("first", "longest", "rank"))
def test_dedup_is_that_of_the_command(run, tmp_path, keep):
    chance = random.Random(SEED)
    given = [{**record, "rank": chance.choice((1, 2, 3.5, None, "x"))}
             for record in records(documents(200, hot=150, copies=30))]
    expected, gone = kept_by_command(tmp_path, given, keep)
    kept, removed = run(given, lambda all: all | Dedup(
        keep=keep, shards=3, threshold=0.75, max_bucket=20))
    assert any(record["text"] is None for record in kept)
    assert sorted(kept, key=as_json) == sorted(expected, key=as_json)
    assert sorted(removed, key=as_json) == sorted(gone, key=as_json)
    assert len(removed) > 50 and len(kept) + len(removed) == len(given)
    assert run.counters["removed"] == len(removed)


def test_spans_are_cut_as_the_command_cuts(run, tmp_path):
    given = with_passages(documents(60, copies=5))
    left, removed = cleaned(tmp_path, given, "--min-passage", "13")
    kept, gone, cut = run(records(given), lambda all: all | Dedup(shards=2, min_passage=13))
    assert {row["id"]: row["text"] for row in kept if row["text"] is not None} == {
        name: content for name, content in left.items() if content is not None}
    key = lambda row: row["id"]  # noqa: E731
    assert sorted(gone, key=key) == sorted(({name: row[name] for name in Removed._fields}
                                            for row in removed if "kept" in row), key=key)
    assert {row["id"]: [dict(zip(Span._fields, span)) for span in row["spans"]]
            for row in cut} == {row["id"]: row["spans"] for row in removed if "spans" in row}
    assert len(cut) == run.counters["cut_records"] > 10 and len(gone) > len(removed) - len(cut)


class Named(NamedTuple):
    id: str
    text: str


def test_records_without_spans():
    """Spans are cut from records of any type, and lines are written as by the command."""
    span = array("Q", (4, 7, 0, 3, 1, 1, 0)).tobytes()
    without = Without(Fields("id", "text", None))
    line = '{"text": "one \\u0074wo three",  "id": 1}'
    thing = SimpleNamespace(id="1", text="one two three")
    assert without({"id": "1", "text": b"one two three", LINE: line}, span) == {
        "id": "1", "text": b"one three", LINE: '{"text": "one three",  "id": 1}'}
    assert without(("1", "one two three"), span) == ("1", "one three")
    assert without(Named("1", "one two three"), span) == Named("1", "one three")
    row = beam.Row(id="1", text="one two three")
    assert without(row, span) == beam.Row(id="1", text="one three")
    assert without(thing, span).text == "one three" and thing.text == "one two three"


def test_ranks_are_in_order():
    day = datetime.datetime(2024, 2, 29)
    zoned = datetime.datetime(2024, 3, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    ordered = [[None, True, float("nan"), [1]], [-float("inf")], [-10**40], [-2**63],
               [-1.5, np.float32(-1.5)], [0, 0.0, -0.0, np.int64(0)], [2**53], [2**53 + 1],
               [10**18 + 1], [10**18 + 2], [2**63], [float("inf")], [day],
               [day + datetime.timedelta(1), zoned], [""], ["a"], ["aa"], ["é"],
               ["\ud800"]]
    ranks = [[rank(value) for value in equal] for equal in ordered]
    assert all(len(set(equal)) == 1 for equal in ranks)
    assert [equal[0] for equal in ranks] == sorted({equal[0] for equal in ranks})
