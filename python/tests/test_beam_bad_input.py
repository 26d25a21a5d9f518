"""What may be wrong with the input of twinset.beam, and what looks wrong and is valid."""

import random
from typing import NamedTuple

import pytest
from beam_runs import FINE, beam, records  # skips these tests without Beam
from apache_beam.options.pipeline_options import PipelineOptions
from spread import SEED, text
from twinset import _core
from twinset.beam import Clusters, Dedup, SimilarPairs, shuffle
from twinset.beam.documents import Fields, Read


class Page(NamedTuple):
    url: str
    body: str


def test_rows_with_attributes_are_records(run):
    model = text(random.Random(SEED))
    pages = [Page("x", model), Page("y", model)]
    [found] = run(pages, lambda all: all | SimilarPairs(id="url", text="body"))
    assert (found["a"], found["b"], found["similarity"]) == ("x", "y", 1)


def test_tuples_are_an_id_and_a_text(run):
    chance = random.Random(SEED)
    model = text(chance)
    given = [(1, model), (2, model), (3, text(chance))]
    found = run(given, lambda read: read | SimilarPairs(id="url", text="body"))
    assert [(pair["a"], pair["b"]) for pair in found] == [("1", "2")]
    kept, removed = run(given, lambda read: read | Dedup())
    assert sorted(record[0] for record in kept) == [1, 3]
    assert [record["id"] for record in removed] == ["2"]
    for keep, record, word in ((None, ("a", "b", "c"), "a tuple of 3"),
                               ("date", ("a", "b"), "has no field 'date'")):
        with pytest.raises(_core.UsageError, match=word):
            list(Read(Fields("id", "text", keep), "error").process(record))


def test_a_wrong_field_is_refused_before_anything_runs():
    pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
    pages = pipeline | beam.Create([Page("x", "y")]).with_output_types(Page)
    with pytest.raises(_core.UsageError, match="no field 'text' for the text; there are url, body"):
        pages | "wrong text" >> SimilarPairs(id="url")
    rows = pages | beam.Select("url", "body")
    with pytest.raises(_core.UsageError, match="no field 'id' for the id; there are url, body"):
        rows | "wrong id" >> Clusters(text="body")
    with pytest.raises(_core.UsageError, match="no field 'when' for keep; there are url, body"):
        pages | "wrong keep" >> Dedup(id="url", text="body", keep="when")


@pytest.mark.parametrize("record, word", [
    ({"id": "b", "body": ""}, "no field 'text' for the text; there are id, body"),
    ({"id": None, "text": "x"}, "an id is null; .* duplicates=\"skip\" leaves such documents out"),
    ({"id": 1.5, "text": "x"}, "the field 'id' holds 1.5, but an id is a string or a whole number"),
    ({"id": "b", "text": 7}, "the field 'text' of 'b' holds int, but must hold a string"),
    (FINE, "2 documents have the id 'a'; every document needs its own"),
], ids=str)
def test_bad_records_are_errors(run, record, word):
    with pytest.raises(_core.UsageError, match=word):
        run([FINE, record], lambda all: all | SimilarPairs(shards=1))


def test_ids_that_are_missing_or_shared_are_skipped_on_demand(run):
    model = text(random.Random(SEED))
    given = records([("a", model), ("b", model), ("b", model), (None, model), ("c", model),
                     (7, None), ("8", "")])
    kept, removed = run(given, lambda all: all | Dedup(duplicates="skip", shards=2))
    assert [(row["id"], row["kept"]) for row in removed] == [("c", "a")]
    assert sorted(str(record["id"]) for record in kept) == ["7", "8", "None", "a", "b", "b"]
    assert run.counters["null_ids"] == 1 and run.counters["duplicate_ids"] == 2
    assert run.counters["null_texts"] == 1 and run.counters["empty_texts"] == 1


def test_half_a_character():
    """Beam cannot send such strings, but a reader may make them."""
    read = Read(Fields("id", "text", None), "error")
    assert list(read.process({"id": 1, "text": "\ud800"})) == [("1", b"\xed\xa0\x80", None)]
    for id, word in (("\ud800", "half a character"), ("a\0", "a NUL character")):
        with pytest.raises(_core.UsageError, match=word):
            list(read.process({"id": id, "text": "x"}))


def test_empty_inputs(run):
    assert run([], lambda all: all | SimilarPairs(shards=1)) == []
    assert run(records([("a", None)]), lambda all: all | Dedup(shards=1)) == [
        [{"id": "a", "text": None}], []]


def test_very_large_documents(run, monkeypatch):
    """Documents are larger than a batch and than the memory of a shard; one is not text."""
    monkeypatch.setattr(shuffle, "HELD_BYTES", 1 << 20)
    monkeypatch.setattr(shuffle, "CHUNK_BYTES", 1 << 18)
    chance = random.Random(SEED)
    large = " ".join(text(chance, 500) for _ in range(1000))
    given = [("large", large), ("larger", large + " and so on"), ("bytes", b"\xff\xfe" * 20),
             ("small", text(chance))]
    [found] = run(records(given), lambda all: all | SimilarPairs(shards=2))
    assert len(large) > 2_000_000
    assert (found["a"], found["b"]) == ("large", "larger") and found["similarity"] > 0.99


def test_an_empty_id_is_valid(run):
    """It is also the centre of its cluster here."""
    model = text(random.Random(SEED))
    [found] = run(records([("", model), ("~", model + " end"), ("x", None)]),
                  lambda all: all | SimilarPairs(shards=2))
    assert (found["a"], found["b"], found["cluster"]) == ("", "~", 1)
    assert run.counters["clusters"] == 1


def test_documents_in_windows_are_refused():
    pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
    windows = pipeline | beam.Create([FINE]) | beam.WindowInto(beam.window.FixedWindows(60))
    with pytest.raises(_core.UsageError, match="global window"):
        windows | SimilarPairs()


@pytest.mark.parametrize("options, error, word", [
    ({"by": "code"}, _core.UsageError, "one machine"), ({"common": 0.5}, TypeError, "common"),
    ({"threshold": 2}, _core.UsageError, "threshold"), ({"shards": 0}, _core.UsageError, "shards"),
    ({"duplicates": "keep"}, _core.UsageError, "error or skip"),
])
def test_invalid_options_are_refused(options, error, word):
    with pytest.raises(error, match=word):
        SimilarPairs(**options)
