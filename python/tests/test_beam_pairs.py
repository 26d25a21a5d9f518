"""twinset.beam finds the pairs of the command, in one process and in two."""

import json
import random
import subprocess
import sys

import pytest
from beam_runs import beam_command, pairs, records  # skips these tests without Beam
from spread import SEED, documents, example, scanned, text
from twins import ROOT
from twinset import _core
from twinset.beam import SimilarPairs, shuffle
from twinset.cluster import limit


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
