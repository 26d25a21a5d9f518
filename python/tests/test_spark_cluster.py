"""twinset.spark on a cluster of two executors, one of which is killed during the run, gives the
command's bytes, with and without checkpoints."""

import os
import pathlib
import subprocess
import sys

import pytest
from spark_session import skip_without_spark

skip_without_spark()

from spread import documents, scanned  # noqa: E402

HERE = pathlib.Path(__file__).parent


# Each case takes 45 seconds. script/long also runs the case without checkpoints.
CASES = [(8, "points")] + [(3, None)] * (os.environ.get("TWINSET_TEST_LARGE") == "1")


@pytest.mark.parametrize("when, points", CASES)
def test_an_executor_is_killed(tmp_path, when, points):
    given = documents(300, hot=40, copies=40)
    expected = scanned(tmp_path, given, "--max-bucket", "20")
    done = subprocess.run([sys.executable, HERE / "spark_cluster.py", "in.jsonl", "out.jsonl",
                           str(when), *([points] if points else [])], capture_output=True,
                          text=True, timeout=600, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "killed an executor" in done.stdout
    assert (tmp_path / "out.jsonl").read_text().splitlines() == sorted(expected)
    assert bool(list(tmp_path.glob("points/**/part-*"))) == bool(points)
