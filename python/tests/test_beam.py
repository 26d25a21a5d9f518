"""twinset.beam gives the command's output from a Beam pipeline, in one process and in two.

Even a small pipeline takes a second or two to start, so tests use none where they can.
"""

import bz2
import datetime
import gzip
import json
import lzma
import os
import pathlib
import random
import socket
import subprocess
import sys
from array import array
from collections import Counter
from itertools import islice
from types import SimpleNamespace
from typing import NamedTuple

import pytest

beam = pytest.importorskip("apache_beam", reason="apache-beam is not installed")

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from apache_beam.metrics import MetricsFilter  # noqa: E402
from apache_beam.options.pipeline_options import PipelineOptions  # noqa: E402
from spread import (  # noqa: E402
    SEED, cleaned, documents, example, scanned, text, with_passages)
from twins import ROOT, command  # noqa: E402
from twinset import _core  # noqa: E402
from twinset.beam import (  # noqa: E402
    Clusters,
    Dedup,
    MergeSignatures,
    Removed,
    Signatures,
    SimilarPairs,
    Span,
)
from twinset.beam import clusters, shuffle  # noqa: E402
from twinset.beam.__main__ import main  # noqa: E402
from twinset.beam.documents import Fields, Read, rank  # noqa: E402
from twinset.beam.files import LINE, blocks, find_names, kind_of, lines_of  # noqa: E402
from twinset.beam.signatures import cut  # noqa: E402
from twinset.beam.spans import Without  # noqa: E402
from twinset.cluster import limit, lines  # noqa: E402


class Run:
    """Runs pipelines in this process, reads their output, and keeps their counters."""

    def __init__(self, folder):
        self.folder, self.counters = folder, Counter()

    def __call__(self, records, build):
        """Runs build(records), and returns its collections as lists."""
        pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
        made = build(pipeline | beam.Create(records, reshuffle=False))
        made = made if isinstance(made, tuple) else (made,)
        for number, collection in enumerate(made):
            out = self.folder / f"part{number}"
            (collection | f"json {number}" >> beam.Map(as_json)
             | f"write {number}" >> beam.io.WriteToText(str(out)))
        result = pipeline.run()
        result.wait_until_finish()
        counted = result.metrics().query(MetricsFilter().with_namespace("twinset"))["counters"]
        self.counters = Counter()
        for counter in counted:  # each step has its own
            self.counters[counter.key.metric.name] += counter.committed
        found = [self.read(number) for number in range(len(made))]
        return found if len(found) > 1 else found[0]

    def read(self, number):
        return [json.loads(line) for path in sorted(self.folder.glob(f"part{number}-*"))
                for line in path.read_text().splitlines()]


def as_json(element):
    return json.dumps(element._asdict() if hasattr(element, "_asdict") else element,
                      default=bytes.hex)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def records(given):
    return [{"id": name, "text": content} for name, content in given]


def pairs(run, given, **options):
    """The lines of all pairs, sorted."""
    return sorted(run(records(given), lambda all: SimilarPairs(**options).batches(all)
                      | "lines" >> beam.FlatMap(lines.lines_of, "jsonl")))


# ---- compared with the command

@pytest.mark.parametrize("shards", (1, 2, 8))
def test_pairs_are_those_of_the_command(run, tmp_path, shards):
    """A bucket and a group of copies are over the limit."""
    given = documents(150, hot=60, copies=40)
    expected = scanned(tmp_path, given, "--max-bucket", "20")
    assert len(expected) > 1000
    assert pairs(run, given, shards=shards, max_bucket=20) == sorted(expected)
    assert run.counters["documents"] == len(given)
    assert run.counters["null_texts"] == 1 and run.counters["empty_texts"] == 2
    assert run.counters["pairs"] == len(expected)
    assert run.counters["clusters"] == len({json.loads(line)["cluster"] for line in expected})


def test_many_copies(run, tmp_path):
    given = documents(60, copies=2300)
    expected = scanned(tmp_path, given)
    assert pairs(run, given, shards=3) == sorted(expected)


def test_very_many_candidates_limit_the_matches_of_a_document(run, monkeypatch):
    monkeypatch.setattr(limit, "MANY_CANDIDATES", 1)
    monkeypatch.setattr(limit, "MANY_FOR_EACH", 2)
    given = [(f"{i:02}", f"all of this is the same but for the number {i // 2}")
             for i in range(12)]
    found = run(records(given), lambda docs: docs | SimilarPairs(threshold=.5))
    originals = [f"{i:02}" for i in range(0, 12, 2)]
    matches = {(a, b) for position, b in enumerate(originals) for a in originals[:position][:2]}
    names = {name: (name, f"{int(name) + 1:02}") for name in originals}
    expected = {(x, y) for a, b in matches for x in names[a] for y in names[b]}
    assert {(pair["a"], pair["b"]) for pair in found} == expected | set(names.values())


def test_options_are_those_of_the_command(run, tmp_path):
    given = documents(150)
    expected = scanned(tmp_path, given, "--by", "word", "-k", "2", "--measure", "containment",
                       "--threshold", "0.7")
    assert len(expected) > 50
    assert pairs(run, given, shards=2, by="word", k=2, measure="containment",
                 threshold=0.7) == sorted(expected)


def test_two_processes_write_what_the_command_writes(tmp_path):
    given = documents(200, hot=30, copies=25)
    heading, *expected = scanned(tmp_path, given, "--max-bucket", "10", format="csv")
    written, messages = beam_command(
        tmp_path, "--input", "in.jsonl", "--format", "csv", "--max-bucket", "10",
        "--runner=FnApiRunner", "--direct_running_mode=multi_processing", "--direct_num_workers=2")
    assert written.count(heading) == len(list(tmp_path.glob("out-*.csv"))) > 0
    assert sorted(line for line in written if line != heading) == sorted(expected)
    assert f"{len(given)} documents" in messages


def test_rows_have_names(run):
    model = text(random.Random(SEED))
    [found] = run(records([("b", model + " end"), ("a", model)]),
                  lambda all: all | SimilarPairs(hashes=256))
    row = _core.compare(model, model + " end", {"hashes": "256"})
    expected = dict(zip(_core.PAIR_FIELDS, row, strict=True))
    assert found == {**{name: expected[name] for name in found}, "a": "a", "b": "b", "cluster": 1}
    assert list(found)[-1] == "cluster"


def test_a_shard_that_does_not_fit_goes_through_a_file(run, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffle, "HELD_BYTES", 5000)
    monkeypatch.setattr(shuffle, "CHUNK_BYTES", 1500)
    given = documents(120, hot=20, copies=10)
    assert pairs(run, given, shards=2) == sorted(scanned(tmp_path, given))
    assert run.counters["spilled_bytes"] > 50_000


# ---- clusters

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


# ---- dedup

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


# ---- signatures

CUT = [{}, {"by": "word"}, {"by": "word", "k": "2"}, {"k": "1"}, {"spaces": "keep"},
       {"spaces": "drop"}, {"punctuation": "drop", "by": "word"}, {"scheme": "affine", "k": "20"}]
WHOLE = [{"bag": "1"}, {"quotations": "drop"}, {"bibliography": "drop"}]


def odd_texts():
    chance = random.Random(SEED)
    words = ["".join(chance.choices("abcdefghij,.-\"é", k=chance.randrange(1, 9)))
             for _ in range(4000)]
    yield " ".join(words)
    yield "".join(words)
    yield "  ".join(words) + " \n "
    yield "".join(chance.choices([chr(point) for point in range(0x4E00, 0x4F00)], k=9000))
    yield "".join(chance.choices(("a\u0301", "q\u0308", "\u0928\u0940", " "), k=9000))
    yield " ".join(chance.choices(("рас", "cat", "Αθηνα", "paypаl"), k=3000))  # some look alike
    yield "abc " * 1001 + "x"


@pytest.mark.parametrize("options", CUT + WHOLE, ids=str)
def test_chunks_have_the_shingles_of_the_text(options):
    sketcher, merge, most = _core.Sketcher(options), MergeSignatures(), 0
    for text in odd_texts():
        chunks = cut(text.encode(), options, 1000)
        signatures = [sketcher.text(chunk) for chunk in chunks]
        half = len(chunks) // 2
        accumulators = [merge.create_accumulator() for _ in range(2)]
        for signature in signatures[:half]:
            accumulators[0] = merge.add_input(accumulators[0], signature)
        for signature in signatures[half:]:
            accumulators[1] = merge.add_input(accumulators[1], signature)
        assert merge.extract_output(merge.merge_accumulators(accumulators)) == sketcher.text(text)
        assert max(map(len, chunks)) < 2500 or len(chunks) == 1
        most = max(most, len(chunks))
    assert most > 5 if options in CUT else most == 1


def test_signatures_of_large_documents_are_sketched_in_chunks(run):
    given = dict(documents(20))
    given["large"] = text(random.Random(SEED), 3000)
    found = run(records(given.items()), lambda all: all | Signatures(chunk=1000, k=5)
                | beam.Map(lambda row: {"id": row.id, "hex": row.signature.hex()}))
    sketcher = _core.Sketcher({"k": "5"})
    assert {row["id"]: row["hex"] for row in found} == {
        id: sketcher.text(content).hex() for id, content in given.items()
        if content is not None}
    assert len(found) == len(given) - 1


# ---- bad input

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


FINE = {"id": "a", "text": "Some text or other."}


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


# ---- the command line

def beam_command(folder, *words, status=0):
    """The lines of its output files, and its last message."""
    done = subprocess.run([sys.executable, "-m", "twinset.beam", *words, "--output", "out",
                           "--shards", "3"], cwd=folder, capture_output=True, check=False,
                          timeout=600)
    assert done.returncode == status, done.stderr.decode()
    return ([line for path in folder.glob("out-*") for line in path.read_text().splitlines()],
            done.stderr.decode().splitlines()[-1])


def test_parquet(tmp_path):
    import pyarrow.parquet as parquet

    given = documents(80)
    table = pa.table({"url": [name for name, _ in given], "body": [content for _, content in given],
                      "other": list(range(len(given)))})
    for number in range(2):
        parquet.write_table(table.slice(number * 40, 40 + 40 * number),
                            tmp_path / f"part{number}.parquet")
    written, messages = beam_command(tmp_path, "--input", "part*.parquet", "--id", "url", "--text",
                                 "body")
    assert sorted(written) == sorted(scanned(tmp_path, given))
    assert f"{len(given)} documents" in messages


def test_kept_lines_are_unchanged(tmp_path):
    model = text(random.Random(SEED))
    lines = [json.dumps({"x": 1.50, "id": id, "text": content}) + " " for id, content in
             (("b", model), ("a", model), ("c", None), ("d", "\ud800 " + model[::-1]))]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n\n")
    written, messages = beam_command(tmp_path, "dedup", "--input", "in.jsonl")
    assert sorted(written) == sorted(lines[1:])
    assert "1 removed" in messages


def test_files_are_read_by_their_type(tmp_path, capsys, monkeypatch):
    """The pattern does not matter. Output goes into a folder, and replaces no files."""
    monkeypatch.chdir(tmp_path)
    line = json.dumps({"id": "%s", "text": text(random.Random(SEED))}) + "\n"
    (tmp_path / "in" / "below").mkdir(parents=True)
    (tmp_path / "in/a.json").write_text("\ufeff" + line % "a")
    (tmp_path / "in/below/b.ndjson").write_text(line % "b")
    assert main(["--input", "in", "--output", "new/"]) == 2
    assert f"in is a folder; {tmp_path}/in/** are all files below it" in capsys.readouterr().err
    written = {}
    for verb in ("dedup", "pairs"):
        assert main([verb, "--input", "in/**", "--output", f"{verb}/"]) == 0
        [path] = (tmp_path / verb).iterdir()
        [written[verb]] = path.read_text().splitlines()
    assert written["dedup"] == (line % "a").rstrip() and '"b": "b"' in written["pairs"]
    capsys.readouterr()
    assert main(["--input", "in/**", "--output", "pairs/"]) == 2
    assert f"{tmp_path}/pairs/part-00000-of-00001.jsonl is there already" in capsys.readouterr().err
    assert kind_of(["x.jsonl/part-0"], "x.jsonl/*") == kind_of(["A.JSON.gz"], "*") == "JSON lines"
    (tmp_path / "in/readme").write_text("x")
    assert main(["--input", "in/**", "--output", "new/"]) == 2
    assert "are of several kinds: JSON lines, documents; take" in capsys.readouterr().err


def test_files_are_documents(tmp_path):
    model = text(random.Random(SEED))
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(model if name != "b" else "Something else.")
    written, _ = beam_command(tmp_path, "clusters", "--input", "*.txt")
    assert sorted((json.loads(line) for line in written), key=as_json) == [
        {"id": str(tmp_path / f"{name}.txt"), "cluster": 1, "size": 2} for name in "ac"]


@pytest.mark.parametrize("name, pack", [("gz", gzip.compress), ("bz2", bz2.compress),
                                        ("xz", lzma.compress),
                                        ("zst", lambda data: pa.compress(data, "zstd", True))])
def test_truncated_compressed_files(tmp_path, name, pack):
    path, data = tmp_path / f"in.{name}", b"a line\r\nand another\n" * 900_000
    packed = pack(data)
    path.write_bytes(packed + packed)  # concatenated files are one file
    assert b"".join(blocks(str(path))) == data + data
    assert list(islice(lines_of(str(path)), 3)) == ["a line", "and another", "a line"]
    path.write_bytes(packed[:len(packed) // 2])
    with pytest.raises(_core.InputError, match=rf"{path} cannot be read: it breaks off"):
        list(lines_of(str(path)))


def test_truncated_files_with_two_processes(tmp_path):
    for file in range(2):  # longer than the first block that is read
        packed = gzip.compress(b"".join(b'{"id": "%d-%d", "text": "x"}\n' % (file, number)
                                        for number in range(3000)))
        (tmp_path / f"{file}.jsonl.gz").write_bytes(packed[:len(packed) - 100 * file])
    written, messages = beam_command(
        tmp_path, "--input", "*.jsonl.gz", "--runner=FnApiRunner",
        "--direct_running_mode=multi_processing", "--direct_num_workers=2", status=2)
    assert messages == f"twinset: {tmp_path}/1.jsonl.gz cannot be read: it breaks off"
    assert not written


def test_records_are_read_until_all_names_are_found():
    rest = iter([["id"], ["text", "x"], ["y"]])
    assert find_names(rest, ["id", "text"]) == ["id", "text", "x"] and next(rest) == ["y"]


def without_texts(folder):
    """Writes four documents as JSON lines and as Parquet: two are equal, and two have no text."""
    import pyarrow.parquet as parquet

    model = text(random.Random(SEED))
    given = [{"id": "a", "text": model}, {"id": "b"}, {"id": "c", "text": None},
             {"id": "d", "text": model}]
    (folder / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in given))
    parquet.write_table(pa.Table.from_pylist([given[0], given[2]]), folder / "0.parquet")
    parquet.write_table(pa.Table.from_pylist([given[1]]), folder / "1.parquet")
    parquet.write_table(pa.Table.from_pylist([given[3]]), folder / "2.parquet")


@pytest.mark.parametrize("verb, pattern", [("pairs", "in.jsonl"), ("pairs", "*.parquet"),
                                           ("dedup", "*.parquet")])
def test_records_without_a_text_are_skipped_and_counted(tmp_path, capsys, monkeypatch, verb,
                                                        pattern):
    monkeypatch.chdir(tmp_path)
    without_texts(tmp_path)
    words = [verb, "--input", pattern, "--shards", "2", "--output"]
    assert main([*words, "out"]) == 0
    assert "4 documents" in (messages := capsys.readouterr().err) and "2 null texts" in messages
    written = "".join(path.read_text() for path in tmp_path.glob("out-*"))
    assert written.count("\n") == {"pairs": 1, "dedup": 3}[verb]
    for more, field in ((["--text", "body"], "'body' for the text"), (["--id", "x"], "'x' for")):
        assert main([*words, "other", *more]) == 2
        assert f"there is no field {field}" in (messages := capsys.readouterr().err), messages
        assert messages.endswith("; there are id, text\n")


def test_errors_of_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("in.jsonl").write_text('{"id": "a", "text": "b"}\nnot so\n')
    pathlib.Path("half.jsonl").write_text(json.dumps({"id": "\ud800", "text": "b"}) + "\n")
    pathlib.Path("torn.parquet").write_text("PAR1 and no more")
    pathlib.Path("other.jsonl").write_text('{"id": "a", "text": "\xe9"}\n', "latin-1")
    for words, messages in (
            ("--input in.jsonl --treshold .8", "no option --treshold; did you mean --threshold?"),
            ("--input in.jsonl --common 0.5", "--common is an option of the command"),
            ("--input in.jsonl --min-passage 25", "here, dedup cuts them"),
            ("--input in.jsonl --method exact", "pairs are found by lsh"),
            ("pears --input in.jsonl", "there is no 'pears' here; take pairs, clusters, dedup"),
            ("--input in.jsonl half.jsonl --runner FnApiRunner",
             "--input takes one pattern, in quotation marks if it has a *; there is half.jsonl"),
            ("--input in.jsonl --input=half.jsonl", "--input takes one pattern"),
            ("clusters --input in.jsonl --format csv", "only pairs are written as csv and tsv"),
            ("--input none.jsonl", "there are no files like"),
            ("--input none*.txt --output not/there/yet", "there are no files like"),
            ("--input none.jsonl --output in.jsonl/below/out",
             f"nothing can be written to {tmp_path}/in.jsonl: it is a file"),
            ("--input none.jsonl --output /proc/none/out", "nothing can be written to /proc: "),
            ("--input none.jsonl --output nowhere://x/out",
             "nothing can be written to nowhere://x/out: Unable to get filesystem"),
            ("--input none.jsonl --output out[1]/x", "Beam cannot write names with * ? or ["),
            ("--input torn.parquet", "not a parquet file"),
            ("--input half.jsonl", "it has half a character"),
            ("--input other.jsonl", "a string of the input is not UTF-8"),
            ("--input in.jsonl", "a line is no JSON")):
        words = words if "--output" in words else f"{words} --output out"
        assert main(words.split()) == 2
        assert messages in capsys.readouterr().err.splitlines()[-1]
    assert not [path for name in ("out*", "twinset-*", "not") for path in tmp_path.glob(name)]


def test_ctrl_c(tmp_path, monkeypatch):
    """Beam reports it as an error of the interrupted step."""
    (tmp_path / "in.jsonl").write_text(as_json(FINE))
    error = RuntimeError("KeyboardInterrupt [while running 'parse']")
    monkeypatch.setattr(beam.Pipeline, "run", lambda _: (_ for _ in ()).throw(error))
    with pytest.raises(KeyboardInterrupt):
        main(["--input", f"{tmp_path}/in.jsonl", "--output", f"{tmp_path}/out"])


def test_a_worker_without_the_package(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (tmp_path / "in.jsonl").write_text(as_json(FINE))
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "twinset.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'twinset'\")")
    # The pool starts its workers as `python`.
    found_first = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    pool = subprocess.Popen(
        [sys.executable, "-m", "apache_beam.runners.worker.worker_pool_main",
         f"--service_port={port}"], stderr=subprocess.DEVNULL,
        env={**os.environ, "PATH": found_first, "PYTHONPATH": str(tmp_path / "none")})
    try:
        _, messages = beam_command(tmp_path, "--input", "in.jsonl", "--runner=PortableRunner",
                               "--job_endpoint=embed", "--environment_type=EXTERNAL",
                               f"--environment_config=localhost:{port}", status=2)
    finally:
        pool.terminate()
        pool.wait()
    assert "a worker has no twinset" in messages and "docs/cluster.md" in messages


def test_examples_of_the_page(run):
    model = text(random.Random(SEED))
    given = [{"url": str(number), "body": model, "date": number} for number in range(3)]
    first, *program = filter(None, example("Beam").splitlines())
    names = {}
    exec(first, names)

    def build(pages):
        made = [eval(line.split(" = ")[-1], {**names, "pages": pages}) for line in program]
        return made[0], made[1], *made[2], made[3]

    found = run(given, build)
    assert list(map(len, found)) == [3, 3, 1, 2, 3]
    assert found[2] == [given[2]]  # of the latest date


def test_the_package_does_not_import_beam():
    code = "import sys, twinset, twinset.cluster; print('apache_beam' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert (ROOT / "python/twinset/beam/__init__.py").exists()
