"""twinset.spark gives the command's bytes for any number of partitions, and reports invalid input
before any work is done."""

import csv
import json
import pathlib
import re
import subprocess
import sys
from zlib import crc32

import pytest
from spark_session import session, skip_without_spark

skip_without_spark()

import pyarrow  # noqa: E402
from py4j.protocol import Py4JError, Py4JNetworkError  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from spread import cleaned, documents, example, scanned, with_passages  # noqa: E402
from twins import command  # noqa: E402
from twinset import _core, spark as twins  # noqa: E402
from twinset.cluster import alone, clusters as steps  # noqa: E402
from twinset.cluster.settings import settings  # noqa: E402
from twinset.spark import pairs as planned  # noqa: E402
from twinset.spark.__main__ import explain, main, parser, read, reason  # noqa: E402
from twinset.spark.alone import all_members, all_pairs  # noqa: E402
from twinset.spark.clusters import Clusters  # noqa: E402
from twinset.spark.documents import Documents  # noqa: E402
from twinset.spark import stages  # noqa: E402
from twinset.spark.stages import stage  # noqa: E402


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    made = session(**{"spark.local.dir": str(folder)})
    yield made
    made.stop()


def frame(spark, given, partitions=2):
    return spark.createDataFrame(given, "id string, text string").repartition(partitions)


def as_lines(pairs, format="jsonl"):
    rows = pairs.coalesce(1).mapInArrow(stage("lines.lines", format), "value string")
    return sorted(row["value"] for row in rows.collect())


# ---- compared with the command

@pytest.fixture
def all_stages(monkeypatch):
    """Runs all stages for small inputs, too, which a single task would process otherwise."""
    monkeypatch.setattr(alone, "DOCUMENTS", 0)


@pytest.mark.parametrize("partitions", (1, 2, 8))
def test_pairs_are_those_of_the_command(spark, all_stages, tmp_path, partitions):
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    given = documents(300, hot=60, copies=60)
    expected = scanned(tmp_path, given, "--max-bucket", "20")
    assert len(expected) > 1000
    found = twins.similar_pairs(frame(spark, given, partitions), max_bucket=20)
    assert as_lines(found) == sorted(expected)
    spark.conf.set("spark.sql.shuffle.partitions", 4)


@pytest.mark.parametrize("options, words, format", [
    ({"threshold": .8}, ["-t", "0.8"], "csv"),
    ({"by": "word", "k": 2, "measure": "containment", "bag": True},
     ["--by", "word", "-k", "2", "--measure", "containment", "--bag"], "tsv"),
])
def test_options_and_formats(spark, all_stages, tmp_path, options, words, format):
    given = documents(120, hot=20, copies=20)
    expected = scanned(tmp_path, given, *words, format=format)
    assert as_lines(twins.similar_pairs(frame(spark, given), **options), format) == sorted(expected)


@pytest.mark.parametrize("options, words", [
    ({}, []),
    ({"by": "word", "k": 3, "max_bucket": 20}, ["--by", "word", "-k", "3", "--max-bucket", "20"]),
])
def test_small_inputs_take_one_task(spark, tmp_path, options, words):
    """File names that stand for a language on one machine do not do so here."""
    given = documents(300, hot=60, copies=60) + [("a.py", "x = 1"), ("b.py", "x = 1")]
    expected = scanned(tmp_path, given, *(words or ["--by", "char"]))
    found = twins.similar_pairs(frame(spark, given, 8), **options)
    assert found.rdd.getNumPartitions() == 1
    assert as_lines(found) == sorted(expected)


@pytest.mark.parametrize("limit, fits", (("DOCUMENTS", 23), ("BYTES", 23_000), ("LONGEST", 1_000)))
def test_one_task_is_tried_only_if_all_fits(spark, monkeypatch, limit, fits):
    """Otherwise no job begins but one that measures."""
    made = frame(spark, [(f"{at}", "x" * 1000) for at in range(23)])
    tried = []
    monkeypatch.setattr(twins.alone, "settle", lambda rows: tried.append(rows) or rows)
    for value, count in ((fits, 2), (fits - 1, 0)):
        monkeypatch.setattr(alone, limit, value)
        given = Documents(made, "id", "text", settings(twins.WHERE, {}), "error")
        found = all_pairs(given), all_members(given)
        assert len(tried) == count and [one is None for one in found] == [not count] * 2
        tried.clear()


def test_only_few_bytes_are_sent_to_all_executors(spark, monkeypatch):
    df = spark.createDataFrame([("x" * 68, None)] * 10, "id string, packed binary")
    for most, is_sent in ((10 * (68 + stages.ROW_BYTES), True), (1_000, False)):
        monkeypatch.setattr(stages, "BROADCAST_BYTES", most)
        plan = stages.send_if_small(df)._jdf.queryExecution().logical().toString()
        assert ("broadcast" in plan) == is_sent


def test_long_ids(spark, all_stages, tmp_path):
    """Ids that begin alike, and are longer than all else."""
    given = [(f"{'x' * 3000}{name}", content) for name, content in documents(60, hot=30, copies=9)]
    expected = scanned(tmp_path, given)
    assert as_lines(twins.similar_pairs(frame(spark, given))) == sorted(expected)


def test_buckets_over_the_limit(spark, all_stages, tmp_path):
    """Groups of more than 1,000 copies fill several chunks."""
    given = documents(20, hot=0, copies=2500)
    expected = scanned(tmp_path, given)
    assert as_lines(twins.similar_pairs(frame(spark, given, 3))) == sorted(expected)


@pytest.mark.parametrize("limits", [
    [(steps, "SMALL", 40), (planned, "BROADCAST_BYTES", 0)],  # rounds of stars
    [(planned, "FEW_PAIRS", 40)],  # numbers that are sent to the pairs
])
def test_clusters_of_more_than_one_task_takes(spark, all_stages, tmp_path, monkeypatch, limits):
    for limit in limits:
        monkeypatch.setattr(*limit)
    joined, made = Clusters.numbered_pairs, []
    monkeypatch.setattr(Clusters, "numbered_pairs", lambda self: made.append(1) or joined(self))
    given = documents(120, hot=30, copies=10)
    expected = scanned(tmp_path, given, "--max-bucket", "5")
    df = frame(spark, given)
    assert as_lines(twins.similar_pairs(df, max_bucket=5)) == sorted(expected)
    assert made


def test_without_clusters_nothing_runs_before_an_action(spark, tmp_path):
    given = documents(120, copies=10)
    jobs = spark.sparkContext.statusTracker()
    before = jobs.getJobIdsForGroup(None)
    found = twins.similar_pairs(frame(spark, given), cluster=False)
    twins.signatures(frame(spark, given))
    twins.skipped(frame(spark, given))
    assert jobs.getJobIdsForGroup(None) == before
    rows = [json.loads(line) for line in scanned(tmp_path, given)]
    for row in rows:
        del row["cluster"]
    key = lambda row: (row["a"], row["b"])  # noqa: E731
    assert sorted((row.asDict() for row in found.collect()), key=key) == sorted(rows, key=key)


@pytest.mark.parametrize("limit", (0, 10_000))
def test_clusters_are_those_of_the_command(spark, monkeypatch, tmp_path, limit):
    monkeypatch.setattr(alone, "DOCUMENTS", limit)

    given = documents(200, copies=30)
    scanned(tmp_path, given)
    answer, _ = command("scan", "in.jsonl", "--method", "lsh", "-q", "--format", "json",
                        cwd=tmp_path)
    expected = {(member, cluster["id"], cluster["size"])
                for cluster in json.loads(answer)["clusters"] for member in cluster["members"]}
    assert len(expected) > 50
    assert {tuple(row) for row in twins.clusters(frame(spark, given)).collect()} == expected


@pytest.mark.parametrize("keep", ("first", "longest", "rank"))
def test_dedup_is_that_of_the_command(spark, tmp_path, keep):
    given = [(name, text, crc32(name.encode()) % 5 or None) for name, text in
             sorted(documents(200, hot=150, copies=30), key=lambda record: record[0].encode())]
    options = {"max_bucket": 20, "threshold": 0.75}
    with open(tmp_path / "in.jsonl", "w", encoding="utf-8") as out:
        for name, text, rank in given:
            out.write(json.dumps({"id": name, "text": text, "rank": rank}) + "\n")
    command("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", keep, "--method", "lsh", "-q",
            "--max-bucket", "20", "--threshold", "0.75", "--annotate", cwd=tmp_path)
    df = spark.createDataFrame(given, "id string, text string, rank int")
    found = {row["id"]: row for row in
             twins.dedup(df, keep=keep, annotate=True, **options).collect()}
    expected = [json.loads(line) for line in open(tmp_path / "out.jsonl", encoding="utf-8")]
    assert len(found) == len(given) and sum(not row["twinset_keep"] for row in expected) > 20
    for row in expected:
        for field in ("cluster", "keep", "kept", "similarity"):
            assert found[row["id"]][f"twinset_{field}"] == row[f"twinset_{field}"], (row, field)
    kept = {row["id"] for row in twins.dedup(df, keep=keep, **options).collect()}
    assert kept == {row["id"] for row in found.values() if row["twinset_keep"]}


def test_spans_are_cut_as_the_command_cuts(spark, tmp_path):
    """Without annotate, texts are cut; with annotate, the spans are listed, as the command does."""
    given = with_passages(documents(60, copies=5))
    left, removed = cleaned(tmp_path, given, "--min-passage", "13")
    rows = twins.dedup(frame(spark, given), min_passage=13).collect()
    assert {row["id"]: row["text"] for row in rows} == left
    rows = twins.dedup(frame(spark, given), min_passage=13, annotate=True).collect()
    marked = {row["id"]: row.asDict(True) for row in rows}
    assert {name: row["twinset_spans"] for name, row in marked.items() if row["twinset_spans"]} == {
        row["id"]: row["spans"] for row in removed if row.get("spans")}
    assert {name: (row["twinset_kept"], row["twinset_similarity"], row["twinset_cluster"])
            for name, row in marked.items() if not row["twinset_keep"]} == {
        row["id"]: (row["kept"], row["similarity"], row["cluster"]) for row in removed
        if "kept" in row}


def test_dedup_leaves_columns_alone(spark):
    names = ("kept", "cluster", "similarity", "removed", "a.b")
    given = [("1", "the same words as there", 1, 2, 3), ("2", "the same words as there", 4, 5, 6)]
    df = spark.createDataFrame(given, names)
    [row] = twins.dedup(df, id="kept", text="cluster").collect()
    assert tuple(row) == given[0]
    marked = twins.dedup(df, id="kept", text="cluster", annotate=True)
    assert marked.columns[:5] == list(names)
    assert {row["a.b"]: row["twinset_kept"] for row in marked.collect()} == {3: None, 6: "1"}
    with pytest.raises(_core.UsageError, match="'twinset_cluster' already"):
        twins.dedup(marked, id="kept", text="cluster", annotate=True)


def test_large_clusters_of_any_bytes(spark):
    """Texts are binary, or strings of invalid UTF-8, which Spark makes of files in other
    encodings."""
    common = b"caf\xe9 " * 3 + b"the words that all of these documents have in common, and some "
    given = [(f"{at:02}", common + b"number %d" % at) for at in range(40)]
    whole = spark.createDataFrame(given, "id string, text binary")
    texts = whole.selectExpr("id", "cast(text as string) as text")
    for df in (whole, texts):
        assert [row["id"] for row in twins.dedup(df, threshold=0.7).collect()] == ["00"]


def test_fields_without_an_order_are_refused(spark):
    df = spark.createDataFrame([("a", "b", {"x": 1}, True)],
                               "id string, text string, m map<string, int>, b boolean")
    for keep in ("m", "b"):
        with pytest.raises(_core.UsageError, match="no order"):
            twins.dedup(df, keep=keep)


def test_nan_is_a_missing_value(spark):
    text = "the same words in all three of these"
    df = spark.createDataFrame([("a", text, float("nan")), ("b", text, 1.0), ("c", text, None)],
                               "id string, text string, score double")
    assert [row["id"] for row in twins.dedup(df, keep="score").collect()] == ["b"]



def test_signatures_are_those_of_the_engine(spark):
    given = documents(50)
    found = {row["id"]: row["signature"]
             for row in twins.signatures(frame(spark, given), hashes=64).collect()}
    sketcher = _core.Sketcher({"hashes": "64"})
    assert found == {name: text and sketcher.text(text) if text is not None else None
                     for name, text in given} | {name: sketcher.text("") for name, text in given
                                                 if text == ""}


# ---- as a command

@pytest.mark.parametrize("source", ("jsonl", "parquet", "csv"))
def test_the_command_line_writes_the_bytes_of_the_command(spark, tmp_path, source):
    given = [(name, text) for name, text in documents(100, copies=10) if text]
    expected = scanned(tmp_path, given, "-t", "0.6")
    path = str(tmp_path / f"in.{source}")
    if source == "parquet":
        frame(spark, given).write.parquet(path)
    elif source == "csv":
        with open(path, "w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([("id", "text"), *given])
    status = main(["--input", path, "--output", str(tmp_path / "out"), "--threshold", "0.6"])
    assert status == 0
    paths = sorted((tmp_path / "out").glob("part-*"))
    written = b"".join(file.read_bytes() for file in paths)
    assert written.decode().splitlines() == expected


def test_the_command_line_removes_and_counts(spark, tmp_path, capsys):
    given = documents(80, copies=5)
    frame(spark, given).write.parquet(str(tmp_path / "in.parquet"))
    assert main(["dedup", "--input", str(tmp_path / "in.parquet"), "--output",
                 str(tmp_path / "out")]) == 0
    messages = capsys.readouterr().err
    assert "kept 2 documents: empty" in messages and "kept 1 document: null" in messages
    assert spark.read.parquet(str(tmp_path / "out")).count() < len(given)
    for name, format in (("clusters", "csv"), ("signatures", "parquet")):
        assert main([name, "--input", str(tmp_path / "in.parquet"), "--format", format,
                     "--output", str(tmp_path / name), "--quiet"]) == 0
        assert list((tmp_path / name).glob("part-*"))


def test_text_files_are_documents(spark, tmp_path):
    for name, text in (("0 +%20é.txt", "one text that is here twice"), ("2.txt", "another"),
                       ("below/1.txt", "one text that is here twice")):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    assert main(["--input", str(tmp_path / "in"), "--output", str(tmp_path / "out"),
                 "--quiet"]) == 0
    [row] = [json.loads(line) for path in (tmp_path / "out").glob("part-*")
             for line in path.read_text().splitlines()]
    assert row["a"].endswith("in/0 +%20é.txt") and row["b"].endswith("in/below/1.txt")


@pytest.mark.parametrize("verb, format", [("pairs", "json"), ("pairs", "csv"),
                                          ("dedup", "parquet")])
def test_folders_are_read_with_their_subfolders(spark, tmp_path, verb, format):
    """Names of subfolders may also stand for values of columns."""
    for name in ("x", "below/y", "far/below/z"):
        df = frame(spark, [(name, "one text that is here thrice")], 1)
        df.coalesce(1).write.save(f"{tmp_path}/in/{name}", format, header=True)
    assert main([verb, "--input", f"{tmp_path}/in", "--output", f"{tmp_path}/out", "--format",
                 "jsonl"]) == 0
    assert spark.read.json(f"{tmp_path}/out").count() == {"pairs": 3, "dedup": 1}[verb]
    if verb == "dedup":
        partitioned = df.select("*", F.lit("a").alias("where")).write.partitionBy("where")
        partitioned.parquet(f"{tmp_path}/parted")
        assert main([verb, "--input", f"{tmp_path}/parted", "--output", f"{tmp_path}/again"]) == 0
        assert spark.read.parquet(f"{tmp_path}/again").columns == ["id", "text", "where"]


@pytest.mark.parametrize("verb", ("pairs", "dedup"))
def test_records_without_a_text_are_skipped_and_counted(spark, tmp_path, capsys, verb):
    shared = {"text": "one text that is here twice"}
    given = [{"id": "a", **shared}, {"id": "b"}, {"id": "c", "text": None}, {"id": "d", **shared}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in given))
    words = [verb, "--input", f"{tmp_path}/in.jsonl", "--output"]
    assert main([*words, f"{tmp_path}/out"]) == 0
    fate = {"pairs": "skipped", "dedup": "kept"}[verb]
    assert capsys.readouterr().err == f"twinset: {fate} 2 documents: null\n"
    written = "".join(path.read_text() for path in tmp_path.glob("out/part-*"))
    assert written.count("\n") == {"pairs": 1, "dedup": 3}[verb]
    assert main([*words, f"{tmp_path}/none", "--text", "body"]) == 2
    assert "no column 'body' for the text; there are id, text" in capsys.readouterr().err


def test_errors_of_the_command_line(spark, tmp_path, capsys):
    (tmp_path / "fine.jsonl").write_text('{"id": "a", "text": "x"}\n')
    (tmp_path / "torn.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": \n')
    (tmp_path / "torn.parquet").write_text("PAR1 and no more")
    (tmp_path / "empty").mkdir()
    for words, expected in (
            ("fine.jsonl --text body", "no column 'body' for the text; there are id, text"),
            ("fine.jsonl --id url", "there is no column 'url' for the id; there are id, text"),
            ("torn.jsonl", r"a line of file:.*/torn.jsonl is no JSON object"),
            ("torn.parquet", "file:.*/torn.parquet cannot be read as Parquet; --input-format"),
            ("none.jsonl", "Path does not exist: file:.*/none.jsonl"),
            ("empty", "there are no files in .*/empty"),
            ("", "the input has files of several kinds: jsonl, parquet; --input-format says"),
            (f"torn.parquet {tmp_path}/fine.jsonl", "the input has files of several kinds: jsonl"),
            ("none.jsonl --checkpoint nowhere://x", "No FileSystem for scheme"),
            (f"none.jsonl --output {tmp_path}", f"{tmp_path} is there already"),
            (f"none.jsonl --output {tmp_path}/fine.jsonl/out", "--output .*not a directory"),
            ("none.jsonl --output /proc/none/out", "--output .*: no folder can be made in /proc"),
            ("none.jsonl --output nowhere://x/out", "--output .*: No FileSystem for scheme"),
            (f"none.jsonl --output {tmp_path}/not/there/yet", "Path does not exist"),
            ("none.jsonl --threshold 7", "'7' is not a number from 0 to 1")):
        assert main(["--output", f"{tmp_path}/out", "--input", *f"{tmp_path}/{words}".split()]) == 2
        [message] = capsys.readouterr().err.splitlines()
        assert re.match(f"twinset: .*{expected}", message), message
    assert not (tmp_path / "out").exists() and not (tmp_path / "not").exists()


@pytest.mark.parametrize("message, word", [
    ("PythonException: ...\nRuntimeError: an executor has no twinset (No module ...). Do.\n\tat x",
     "an executor has no twinset (No module ...). Do."),
    ("...\ntwinset.InputError: what it is\n\tat org.apache", "what it is"),
    ("...\nModuleNotFoundError: No module named 'pyarrow'\n",
     "the executors' Python has no pyarrow"),
    ("java.io.IOException: Cannot run program \"./env/bin/python\": error=2",
     "the executors have no Python at ./env/bin/python"),
    ("Job aborted due to stage failure: Task 0 failed 4 times: ExecutorLostFailure (executor 3 "
     "exited caused by one of the running tasks) Reason: Command exited with code 52\n",
     "an executor ran out of memory"),
    ("[JAVA_GATEWAY_EXITED] Java gateway process exited", "Spark did not start"),
    ("something else\n\tat org.apache", "something else"),
])
def test_the_reason_of_a_failure_is_one_sentence(message, word):
    assert reason(message).startswith(word) and "\n" not in reason(message)


def test_an_ended_spark_is_explained():
    """Spark cannot give the text of an error then."""
    class Unspeakable(Py4JError):
        def __str__(self):
            raise ConnectionRefusedError

    for error in (ConnectionRefusedError(), Py4JNetworkError("Answer from Java side is empty"),
                  Unspeakable()):
        assert re.match("Spark has ended, .* raise .*spark.driver.memory", explain(error))


def test_long_documents_are_read(spark, tmp_path):
    """By default, Spark reads lines of up to 100 MB, and 4,096 rows of a column of Parquet at once.
    Only the options are checked: documents of that size would take a minute."""
    frame(spark, [("a", "x")]).write.parquet(f"{tmp_path}/in.parquet")
    frame(spark, [("a", "x")]).write.json(f"{tmp_path}/in.jsonl")
    asked = parser().parse_args(["--input", "in", "--output", "out"])
    plans = [read(spark, [f"{tmp_path}/in.{source}"], source, asked)._jdf.queryExecution()
             for source in ("parquet", "jsonl")]
    assert "Batched: false" in plans[0].toString()
    options = plans[1].analyzed().collectLeaves().head().relation().options()
    assert options.apply("maxStringLen") == str(2**31 - 1)


def test_examples_of_the_page(spark):
    given = [(name, text, name, text, len(name)) for name, text in documents(40) if text]
    names = {"df": spark.createDataFrame(
        given, "id string, text string, url string, body string, score int")}
    program = [line for line in example("Spark").splitlines() if line]
    made = [eval(line, names) for line in program[1:]  # noqa: S307
            if not exec(program[0], names)]  # noqa: S102
    assert [df.columns[0] for df in made] == ["a", "id", "id", "id", "id", "id"]
    assert all(df.count() or df.columns[-1] == "reason" for df in made)


# ---- bad input

def test_skipped_documents_have_a_reason(spark):
    given = [("a", None), ("b", ""), ("c", " \u200b"), ("d", "some text"), ("e", "...")]
    found = {tuple(row) for row in twins.skipped(frame(spark, given)).collect()}
    assert found == {("a", "null"), ("b", "empty"), ("c", "empty")}


@pytest.mark.parametrize("given, word", [
    ([("a", "x"), ("a", "y"), ("b", "z")], "2 rows .* such as a"),
    ([("b", "x"), ("b", "x"), ("c", None), ("c", ""), ("c", "y")], "5 rows .* such as b"),
    ([(None, "x"), ("b", "z")], "an id is null"),
    ([("a\0b", "x"), ("b", "z")], "1 rows have ids that are no text"),
])
def test_ids_that_are_null_or_no_text_or_not_unique(spark, given, word):
    df = spark.createDataFrame(given, "id string, text string")
    for function in (twins.similar_pairs, twins.clusters, twins.dedup):
        with pytest.raises(_core.UsageError, match=word):
            function(df)
    later = twins.similar_pairs(df, cluster=False)
    with pytest.raises(Exception, match=word):
        later.collect()
    assert twins.similar_pairs(df, duplicates="skip").count() == 0


@pytest.mark.parametrize("most", (stages.BROADCAST_BYTES, 0))
def test_only_few_ids_to_skip_are_sent_to_all_executors(spark, monkeypatch, most):
    monkeypatch.setattr(stages, "BROADCAST_BYTES", most)
    df = spark.createDataFrame([("a", "one"), ("a", "one"), (None, "one"), ("b\0", "one"),
                                ("c", "one"), ("d", "one")], "id string, text string")
    rows = Documents(df, "id", "text", settings(twins.WHERE, {}), "skip").rows
    plan = rows._jdf.queryExecution().logical().toString()
    assert ("broadcast" in plan) == (most > 0)
    [pair] = twins.similar_pairs(df, duplicates="skip").collect()
    assert (pair["a"], pair["b"]) == ("c", "d")


def test_wrong_columns_and_options(spark):
    df = frame(spark, [("a", "x")]).withColumn("number", F.lit(1))
    with pytest.raises(_core.UsageError, match="no column 'body' for the text; there are id, text"):
        twins.similar_pairs(df, text="body")
    with pytest.raises(_core.UsageError, match="must hold strings"):
        twins.similar_pairs(df, text="number")
    with pytest.raises(_core.UsageError, match="'id' holds binary, but must hold strings or whole"):
        twins.similar_pairs(df.withColumn("id", F.unhex(F.lit("ff"))))
    torn = df.withColumn("id", F.unhex(F.lit("ff")).cast("string"))
    with pytest.raises(_core.UsageError, match="1 rows have ids that are no text"):
        twins.clusters(torn)
    with pytest.raises(_core.UsageError, match="keep='size'"):
        twins.dedup(df, keep="size")
    with pytest.raises(_core.UsageError, match="whole collection"):
        twins.similar_pairs(df, measure="weighted")
    with pytest.raises(TypeError, match="common"):
        twins.clusters(df, common=0.5)


def test_empty_inputs_and_numbers_as_ids(spark):
    empty = spark.createDataFrame([], "id string, text string")
    assert twins.similar_pairs(empty).collect() == []
    assert twins.clusters(empty).collect() == []
    assert twins.dedup(empty).collect() == []
    whole = spark.createDataFrame([(7, "one"), (8, "one"), (9, "two")], "id int, text string")
    [pair] = twins.similar_pairs(whole).collect()
    assert (pair["a"], pair["b"], pair["similarity"], pair["cluster"]) == ("7", "8", 1.0, 1)
    assert {row["id"] for row in twins.dedup(whole).collect()} == {7, 9}


@pytest.fixture(scope="module")
def python_without(tmp_path_factory):
    """A Python with all packages of this one except twinset."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for path in pathlib.Path(pyarrow.__file__).parents[1].iterdir():
        if not path.name.startswith("twinset"):
            (packages / path.name).symlink_to(path)
    return str(folder / "bin/python")


@pytest.fixture
def bare(spark, python_without, monkeypatch):
    """Executors without the package."""
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python_without)


@pytest.mark.parametrize("verb", ("pairs", "clusters", "dedup", "signatures"))
def test_executors_without_the_package(spark, bare, tmp_path, capsys, verb):
    """They are refused before the input is read."""
    assert main([verb, "--input", "none.jsonl", "--output", str(tmp_path / "out")]) == 2
    [message] = capsys.readouterr().err.splitlines()
    assert re.match("twinset: an executor has no twinset .* docs/cluster.md$", message), message
    assert not (tmp_path / "out").exists()


def test_all_functions_name_executors_without_the_package(spark, all_stages, bare):
    """The error comes before that of ids, which are not unique here."""
    df = frame(spark, [("a", "x"), ("a", "x")])
    for function in (twins.similar_pairs, twins.clusters, twins.dedup):
        with pytest.raises(Exception, match="an executor has no twinset"):
            function(df)
    with pytest.raises(Exception, match="an executor has no twinset"):
        twins.signatures(df).collect()


# ---- other DataFrames

@pytest.mark.parametrize("call", [twins.similar_pairs, twins.clusters, twins.dedup,
                                  twins.signatures, twins.skipped])
def test_other_frames_are_refused_at_once(call):
    import pandas

    with pytest.raises(_core.UsageError, match="takes a DataFrame of Spark, not pandas.DataFrame; "
                                               "spark.createDataFrame"):
        call(pandas.DataFrame({"id": [1], "text": ["a"]}))
    with pytest.raises(_core.UsageError, match="not builtins.list$"):
        call([1])
    remote = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    with pytest.raises(_core.UsageError, match="does not work with Spark Connect"):
        call(remote)
