"""Checks that the command, Python, Spark and Beam find equal pairs, with 1, 2 and 8 partitions; and
that they cut equal spans from texts.

    same_pairs.py [DOCUMENTS [CLEANED [GROUPS [SIZE]]]]

There are 50,000 documents, a tenth of them copies of one text. Python, Spark and Beam must
write the command's lines, after sorting. 20,000 documents are cleaned with min_passage: Beam must
write the command's lines, and Spark, which formats JSON differently, the command's values. Of 12
groups of 1,000 near-copies with ids of 68 characters, Spark must write the command's file. TWINSET
is the command.
"""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from itertools import product

import twinset
from spread import (cleaned, documents, near_copies, scanned, with_passages,
                    write_documents)
from twins import command

PARTITIONS = (1, 2, 8)


def write_files(folder, given, count):
    """Writes the documents into `count` files, and returns the pattern of their names."""
    with open(folder / "in.jsonl", encoding="utf-8") as file:
        lines = file.readlines()
    assert len(lines) == len(given)
    shutil.rmtree(folder / "parts", ignore_errors=True)
    (folder / "parts").mkdir()
    for number in range(count):
        (folder / "parts" / f"{number}.jsonl").write_text("".join(lines[number::count]))
    return str(folder / "parts" / "*.jsonl")


def by_python(folder, given, _):
    ids, texts = zip(*given)
    twinset.scan(list(texts), ids=list(ids), method="lsh").write(folder / "out.jsonl")
    return [folder / "out.jsonl"]


def by_spark(folder, given, partitions):
    """Runs all stages, although a single task could do the work."""
    script = ("import sys; from twinset.cluster import alone; alone.DOCUMENTS = 0\n"
              "from twinset.spark.__main__ import main; sys.exit(main())")
    return _spark(folder, given, partitions, ["-c", script])


def by_one_task_of_spark(folder, given, partitions):
    return _spark(folder, given, partitions, ["-m", "twinset.spark"])


def _spark(folder, given, partitions, program, *more):
    settings = {"spark.sql.shuffle.partitions": partitions, "spark.driver.host": "127.0.0.1",
                "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    run([*program, "--input", write_files(folder, given, partitions), "--output",
         folder / "out-spark", *more], SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable,
        PYSPARK_SUBMIT_ARGS=f"--master local[2] {' '.join(words)} pyspark-shell")
    return glob.glob(f"{folder}/out-spark/part-*")


def by_beam(folder, given, partitions, *more):
    run(["-m", "twinset.beam", *more, "--input", write_files(folder, given, partitions), "--output",
         folder / "out-beam", "--shards", partitions, "--runner=FnApiRunner",
         "--direct_running_mode=multi_processing", "--direct_num_workers=2"])
    return glob.glob(f"{folder}/out-beam*")


def run(words, **environment):
    subprocess.run([sys.executable, *map(str, words)], check=True,
                   env={**os.environ, **environment})


# ---- cut spans

CUT = ("--min-passage", "13")


def cut_by_spark(folder, given, partitions, *more):
    paths = _spark(folder, given, partitions, ["-m", "twinset.spark", "dedup"], *CUT, *more)
    return [json.loads(line) for line in lines_of(paths)]


def check_cut(folder, given):
    left, removed = cleaned(folder, given, *CUT)
    expected = sorted((folder / "clean.jsonl").read_text("utf-8").splitlines())
    spans = {row["id"]: row["spans"] for row in removed if row.get("spans")}
    gone = {row["id"]: (row["kept"], row["similarity"], row["cluster"]) for row in removed
            if "kept" in row}
    print(f"the command: {len(left):,} of {len(given):,} documents are left, {len(spans):,} have "
          "spans")
    for partitions in PARTITIONS:
        agree("the texts of Spark", partitions, left, {
            row["id"]: row.get("text") for row in cut_by_spark(folder, given, partitions)})
        clear(folder)
        marked = cut_by_spark(folder, given, partitions, "--annotate")
        agree("the spans of Spark", partitions, spans, {
            row["id"]: row["twinset_spans"] for row in marked if row["twinset_spans"]})
        agree("what Spark removes", partitions, gone, {
            row["id"]: (row["twinset_kept"], row.get("twinset_similarity"),
                        row.get("twinset_cluster")) for row in marked if not row["twinset_keep"]})
        clear(folder)
        agree("the lines of Beam", partitions, expected,
              lines_of(by_beam(folder, given, partitions, "dedup", *CUT)))
        clear(folder)


def agree(what, partitions, expected, found):
    if expected != found:
        sys.exit(f"{what}, {partitions} partitions: they are not the command's")
    print(f"{what}, {partitions} partitions: the same", flush=True)


# ---- pairs

def lines_of(paths):
    return sorted(line for path in paths
                  for line in pathlib.Path(path).read_text("utf-8").splitlines())


def clear(folder):
    shutil.rmtree(folder / "out-spark", ignore_errors=True)
    for path in glob.glob(f"{folder}/out*"):
        os.remove(path)


def check_pairs(folder, given):
    expected = sorted(scanned(folder, given))
    print(f"the command: {len(expected):,} pairs of {len(given):,} documents")
    for way, partitions in [(by_python, 1), (by_one_task_of_spark, 2),
                            *product((by_spark, by_beam), PARTITIONS)]:
        found = lines_of(way(folder, given, partitions))
        if found != expected:
            sys.exit(f"{way.__name__}, {partitions} partitions: {len(found):,} pairs, of which "
                     f"{len(set(found) & set(expected)):,} are the command's")
        print(f"{way.__name__}, {partitions} partitions: the same bytes", flush=True)
        clear(folder)


def check_groups(folder, given):
    """Compares files of gigabytes, in their order: that of the parts is the command's."""
    write_documents(folder, given)
    command("scan", "in.jsonl", "--method", "lsh", "-q", "-o", "pairs.jsonl", cwd=folder)
    parts = sorted(by_spark(folder, given, 8))
    with open(folder / "pairs.jsonl", "rb") as expected:
        for part in parts:
            with open(part, "rb") as found:
                while block := found.read(1 << 20):
                    if expected.read(len(block)) != block:
                        sys.exit(f"{len(given):,} near-copies: {part} is not the command's")
        if expected.read(1):
            sys.exit(f"{len(given):,} near-copies: the command has more pairs")
        print(f"{len(given):,} near-copies in groups: the same {expected.tell():,} bytes")


def main(count=50_000, cut=20_000, groups=12, size=1_000):
    with tempfile.TemporaryDirectory() as name:
        check_pairs(pathlib.Path(name), documents(count - count // 10, copies=count // 10))
    with tempfile.TemporaryDirectory() as name:
        check_cut(pathlib.Path(name), with_passages(documents(cut - cut // 10, copies=cut // 10)))
    with tempfile.TemporaryDirectory() as name:
        check_groups(pathlib.Path(name), near_copies(groups, size, 68))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
