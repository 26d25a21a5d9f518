"""The same pairs from the command, Python, Spark and Beam, for 1, 2 and 8 partitions.

    same_pairs.py [DOCUMENTS]

50,000 documents, a tenth of them copies of one. Every way writes a file; sorted, it must have the
bytes of the command's. TWINSET is the command.
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import product

import twinset
from spread import documents, scanned

PARTITIONS = (1, 2, 8)


def in_lines(folder, given, parts):
    """Writes the documents as so many files; the pattern of their names."""
    with open(folder / "in.jsonl", encoding="utf-8") as file:
        lines = file.readlines()
    assert len(lines) == len(given)
    shutil.rmtree(folder / "parts", ignore_errors=True)
    (folder / "parts").mkdir()
    for part in range(parts):
        (folder / "parts" / f"{part}.jsonl").write_text("".join(lines[part::parts]))
    return str(folder / "parts" / "*.jsonl")


def by_python(folder, given, _):
    ids, texts = zip(*given)
    twinset.scan(list(texts), ids=list(ids), method="lsh").write(folder / "out.jsonl")
    return [folder / "out.jsonl"]


def by_spark(folder, given, partitions):
    """All stages, although one task could take it."""
    script = ("import sys; from twinset.cluster import alone; alone.DOCUMENTS = 0\n"
              "from twinset.spark.__main__ import main; sys.exit(main())")
    return _spark(folder, given, partitions, ["-c", script])


def by_one_task_of_spark(folder, given, partitions):
    return _spark(folder, given, partitions, ["-m", "twinset.spark"])


def _spark(folder, given, partitions, program):
    settings = {"spark.sql.shuffle.partitions": partitions, "spark.driver.host": "127.0.0.1",
                "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    run([*program, "--input", in_lines(folder, given, partitions), "--output",
         folder / "out-spark"], SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable,
        PYSPARK_SUBMIT_ARGS=f"--master local[2] {' '.join(words)} pyspark-shell")
    return glob.glob(f"{folder}/out-spark/part-*")


def by_beam(folder, given, partitions):
    run(["-m", "twinset.beam", "--input", in_lines(folder, given, partitions), "--output",
         folder / "out-beam", "--shards", partitions, "--runner=FnApiRunner",
         "--direct_running_mode=multi_processing", "--direct_num_workers=2"])
    return glob.glob(f"{folder}/out-beam*")


def run(words, **environment):
    subprocess.run([sys.executable, *map(str, words)], check=True,
                   env={**os.environ, **environment})


def main(count=50_000):
    given = documents(count - count // 10, copies=count // 10)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = sorted(scanned(folder, given))
        print(f"the command: {len(expected):,} pairs of {len(given):,} documents")
        for way, partitions in [(by_python, 1), (by_one_task_of_spark, 2),
                                *product((by_spark, by_beam), PARTITIONS)]:
            before = time.monotonic()
            paths = way(folder, given, partitions)
            found = sorted(line for path in paths
                           for line in pathlib.Path(path).read_text("utf-8").splitlines())
            if found != expected:
                sys.exit(f"{way.__name__}, {partitions} partitions: {len(found):,} pairs, of which "
                         f"{len(set(found) & set(expected)):,} are the command's")
            print(f"{way.__name__}, {partitions} partitions: the same bytes, "
                  f"{time.monotonic() - before:.0f} s", flush=True)
            shutil.rmtree(folder / "out-spark", ignore_errors=True)
            for path in glob.glob(f"{folder}/out*"):
                os.remove(path)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
