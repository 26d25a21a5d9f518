"""Runs pipelines of twinset.beam for its tests: in this process, and from the command line.

Even a small pipeline takes a second or two to start, so tests use none where they can. Without
Beam, the tests that import this module are skipped.
"""

import json
import subprocess
import sys
from collections import Counter

import pytest

beam = pytest.importorskip("apache_beam", reason="apache-beam is not installed")

from apache_beam.metrics import MetricsFilter  # noqa: E402
from apache_beam.options.pipeline_options import PipelineOptions  # noqa: E402
from twinset.beam import SimilarPairs  # noqa: E402
from twinset.cluster import lines  # noqa: E402

FINE = {"id": "a", "text": "Some text or other."}


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


def records(given):
    return [{"id": name, "text": content} for name, content in given]


def pairs(run, given, **options):
    """The lines of all pairs, sorted."""
    return sorted(run(records(given), lambda all: SimilarPairs(**options).batches(all)
                      | "lines" >> beam.FlatMap(lines.lines_of, "jsonl")))


def beam_command(folder, *words, status=0):
    """The lines of its output files, and its last message."""
    done = subprocess.run([sys.executable, "-m", "twinset.beam", *words, "--output", "out",
                           "--shards", "3"], cwd=folder, capture_output=True, check=False,
                          timeout=600)
    assert done.returncode == status, done.stderr.decode()
    return ([line for path in folder.glob("out-*") for line in path.read_text().splitlines()],
            done.stderr.decode().splitlines()[-1])
