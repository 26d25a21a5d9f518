"""Parquet files are read by columns and cleaned by row groups, with the results of JSON lines."""

import datetime
import json
import random
import subprocess
import sys

import duckdb
import polars
import pyarrow
import pyarrow.parquet as parquet
import pytest
import twinset
from twins import FOX, TEXTS, command, families, lines, written


def records_of(seed, count=60):
    return [{"id": record["id"], "n": number, "text": record["text"], "tags": [record["id"], "x"],
             "meta": {"date": record.get("date")}}
            for number, record in enumerate(families(seed, count))]


def write(path, records, **options):
    table = pyarrow.Table.from_pylist(records)
    table = table.replace_schema_metadata({"made by": "a test"})
    parquet.write_table(table, path, **{"row_group_size": 7, "compression": "zstd", **options})
    return table


def test_scan_as_the_command(tmp_path):
    records = records_of(1)
    write(tmp_path / "in.parquet", records)
    (tmp_path / "in.jsonl").write_text(lines(records))
    found = twinset.scan(tmp_path / "in.parquet")
    assert written(found, "json") == command("in.jsonl", "--format", "json", cwd=tmp_path)[0]
    assert len(found) > 5


@pytest.mark.parametrize("keep", ["first", "longest", "n"])
def test_dedup_as_the_command(tmp_path, keep):
    records = records_of(2)
    write(tmp_path / "in.parquet", records)
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, counts = command("dedup", "in.jsonl", "-o", "-", "--removed", "expected", "--keep", keep,
                          cwd=tmp_path)
    (tmp_path / "temporary").mkdir()
    done = twinset.dedup(tmp_path / "in.parquet", keep=keep, output=tmp_path / "out.parquet",
                         removed=tmp_path / "removed", tmp=tmp_path / "temporary")
    assert not list((tmp_path / "temporary").iterdir())
    left = parquet.read_table(tmp_path / "out.parquet")
    assert left.to_pylist() == [json.loads(line) for line in out.splitlines()]
    assert left.schema.equals(parquet.read_schema(tmp_path / "in.parquet"), check_metadata=True)
    assert left.schema.metadata == {b"made by": b"a test"}
    assert str(done.counts) == counts
    assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected").read_bytes()
    assert done.table() == left == done.to_arrow()
    metadata = parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert {metadata.row_group(0).column(i).compression for i in range(5)} == {"ZSTD"}
    assert metadata.num_row_groups == 9
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "expected", "in.jsonl", "in.parquet", "out.parquet", "removed", "temporary"]


def test_annotate_as_the_command(tmp_path):
    records = records_of(3)
    write(tmp_path / "in.parquet", records, compression={"id": "none", "n": "gzip"})
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, _ = command("dedup", "in.jsonl", "-o", "-", "--annotate", cwd=tmp_path)
    twinset.dedup(tmp_path / "in.parquet", annotate=True, output=tmp_path / "out.parquet")
    left = parquet.read_table(tmp_path / "out.parquet")
    assert left.to_pylist() == [json.loads(line) for line in out.splitlines()]
    group = parquet.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0)
    assert [group.column(i).compression for i in range(2)] == ["UNCOMPRESSED", "GZIP"]


def test_several_files(tmp_path):
    records = records_of(4)
    for name, part in (("a", records[:25]), ("b", []), ("c", records[25:])):
        table = pyarrow.Table.from_pylist(part or records[:1])[:len(part)]
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=10)
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, counts = command("dedup", "in.jsonl", "-o", "-", cwd=tmp_path)
    done = twinset.dedup(str(tmp_path / "*.parquet"), output=tmp_path / "out")
    assert str(done.counts) == counts
    parts = [parquet.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist()
             for name in "abc"]
    assert parts[1] == [] != parts[0]
    assert sum(parts, []) == [json.loads(line) for line in out.splitlines()]
    for annotate in (False, True):
        twinset.dedup(str(tmp_path / "?.parquet"), output=tmp_path / "one.parquet",
                      annotate=annotate)
        out, _ = command("dedup", "in.jsonl", "-o", "-", *["--annotate"] * annotate, cwd=tmp_path)
        assert parquet.read_table(tmp_path / "one.parquet").to_pylist() == \
            [json.loads(line) for line in out.splitlines()]


def test_ids_that_several_files_have(tmp_path, monkeypatch):
    """Such ids are named with their files, as in JSON lines."""
    monkeypatch.chdir(tmp_path)
    shards = [[{"id": i, "text": record["text"]}
               for i, record in enumerate(records_of(seed, count))]
              for seed, count in ((6, 30), (6, 40))]
    for name, shard in zip("ab", shards):
        write(f"{name}.parquet", shard)
        (tmp_path / f"{name}.jsonl").write_text(lines(shard))
    expected, _ = command("a.jsonl", "b.jsonl", "--format", "csv", cwd=tmp_path)
    found = twinset.scan("?.parquet")
    assert found.to_csv() == expected.decode().replace(".jsonl", ".parquet")
    assert any(pair.b.startswith("a.parquet#") for pair in found)


def test_ids_that_a_file_repeats(tmp_path, monkeypatch):
    """A row with a repeated id is skipped, as in JSON lines."""
    monkeypatch.chdir(tmp_path)
    write("in.parquet", [{"id": number, "text": text}
                         for number, text in ((1, FOX), (2, TEXTS[2]), (1, FOX))])
    done = twinset.dedup("in.parquet", output="out.parquet")
    assert done.counts == (3, 2, 0, 1)
    skipped, = done.skipped
    assert skipped[:2] == ("in.parquet:3", "duplicate id '1', which in.parquet:1 has already")
    assert parquet.read_table("out.parquet")["id"].to_pylist() == [1, 2] == done.kept


def test_rows_without_ids(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = [{"body": record["text"]} for record in records_of(5)]
    write("in.parquet", records)
    (tmp_path / "in.jsonl").write_text(lines(records))
    expected, _ = command("in.jsonl", "--text", "body", "--format", "csv", cwd=tmp_path)
    found = twinset.scan("in.parquet", text="body")
    assert found.to_csv() == expected.decode().replace("jsonl", "parquet")
    assert found[0].a.startswith("in.parquet:")


def test_beside_other_files(tmp_path):
    write(tmp_path / "in.parquet", [{"id": "p", "text": FOX}])
    (tmp_path / "in.jsonl").write_text(lines([{"id": "j", "text": FOX}]))
    paths = [tmp_path / "in.parquet", tmp_path / "in.jsonl"]
    pair, = twinset.scan(paths)
    assert (pair.a, pair.b) == ("j", "p")
    with pytest.raises(twinset.UsageError, match="old="):
        twinset.dedup(paths)
    assert twinset.dedup(paths[0], old=paths[1]).kept == []


def test_inputs_are_not_replaced(tmp_path):
    write(tmp_path / "in.parquet", [{"id": "p", "text": FOX}])
    before = (tmp_path / "in.parquet").read_bytes()
    with pytest.raises(twinset.UsageError, match="would replace an input"):
        twinset.scan(tmp_path / "in.parquet").write(tmp_path / "in.parquet", "csv")
    with pytest.raises(twinset.UsageError, match="would replace an input"):
        twinset.dedup(tmp_path / "in.parquet").removed.write(tmp_path / "in.parquet")
    with pytest.raises(twinset.UsageError, match="would replace an input"):
        twinset.dedup(tmp_path / "in.parquet", removed=tmp_path / "in.parquet")
    assert (tmp_path / "in.parquet").read_bytes() == before


def test_no_rows(tmp_path):
    table = pyarrow.table({"id": pyarrow.array([], "int64"), "text": pyarrow.array([], "string")})
    for groups in (False, True):
        with parquet.ParquetWriter(tmp_path / "in.parquet", table.schema) as writer:
            if groups:
                writer.write_table(table)
        done = twinset.dedup(tmp_path / "in.parquet", output=tmp_path / "out.parquet",
                             annotate=True)
        assert done.counts == (0, 0, 0, 0)
        left = parquet.read_table(tmp_path / "out.parquet")
        assert (len(left), left.column_names[:3]) == (0, ["id", "text", "twinset_cluster"])
        with pytest.raises(twinset.EmptyError, match="no document"):
            twinset.scan(tmp_path / "in.parquet")


@pytest.mark.parametrize("has_others", [False, True])
def test_text_of_every_kind(tmp_path, has_others):
    """Texts come from the JSON lines, if there are other columns, and from the file otherwise."""
    texts = [FOX, None, TEXTS[2], FOX, "\0\t\n\x1f\\\"é\u2028" * 9]
    for column in (pyarrow.array(texts), pyarrow.array(texts, pyarrow.large_string()),
                   pyarrow.array(texts).dictionary_encode(),
                   pyarrow.array([text and text.encode() for text in texts]),
                   pyarrow.array(texts, pyarrow.large_binary())):
        table = pyarrow.table({"n": range(5), "text": column, "m": range(5)})
        table = table if has_others else table.select(["text"])
        parquet.write_table(table, tmp_path / "in.parquet")
        done = twinset.dedup(tmp_path / "in.parquet", output=tmp_path / "out.parquet")
        assert done.counts == (5, 4, 1, 0)
        left = parquet.read_table(tmp_path / "out.parquet")
        assert left == table.take([0, 1, 2, 4]) and left.schema == table.schema


def test_invalid_inputs(tmp_path):
    write(tmp_path / "in.parquet", [{"n": 1, "text": FOX}, {"n": 2, "text": FOX}])
    with pytest.raises(ValueError, match=r"in\.parquet: there is no column 'body'; there are: "
                                         "'n', 'text'"):
        twinset.scan(tmp_path / "in.parquet", text="body")
    with pytest.raises(TypeError, match="column 'n'.*Arrow"):
        twinset.scan(tmp_path / "in.parquet", text="n")
    with pytest.raises(twinset.InputError, match="nothing.parquet: No such file or directory"):
        twinset.scan(tmp_path / "nothing.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(twinset.InputError, match="broken.parquet: .*Parquet"):
        twinset.scan(tmp_path / "broken.parquet")
    for target, message in (("in.parquet", "would replace an input"),
                            ("out.jsonl", "must end in .parquet")):
        with pytest.raises(twinset.UsageError, match=message):
            twinset.dedup(tmp_path / "in.parquet", output=tmp_path / target)
    with pytest.raises(TypeError, match="ids: column 'id' holds double; ids are text, or whole"):
        write(tmp_path / "in.parquet", [{"id": 1.5, "text": FOX}])
        twinset.scan(tmp_path / "in.parquet")
    with pytest.raises(twinset.UsageError, match="memory: Python and pyarrow take .*M already"):
        twinset.scan(tmp_path / "in.parquet", memory="20M")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.parquet", "in.parquet"]


def test_folders(tmp_path, monkeypatch):
    """A folder of Parquet files only is read; Parquet files among others are not."""
    monkeypatch.chdir(tmp_path)
    records = records_of(7)
    (tmp_path / "in" / "more").mkdir(parents=True)
    write("in/b.parquet", records[:40])
    write("in/more/a.parquet", records[40:])
    (tmp_path / "in" / "_SUCCESS").touch()
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, counts = command("dedup", "in.jsonl", "-o", "-", "--removed", "expected", cwd=tmp_path)
    done = twinset.dedup("in", output="out/", removed="removed")
    assert str(done.counts) == counts
    assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected").read_bytes()
    parts = [parquet.read_table(f"out/{name}.parquet").to_pylist() for name in "ba"]
    assert sum(parts, []) == [json.loads(line) for line in out.splitlines()] == \
        done.table().to_pylist()
    (tmp_path / "in" / "notes.txt").write_text(FOX)
    assert any(skipped.id.endswith(".parquet")
               for skipped in twinset.scan("in", max_skipped=1).skipped)


def test_any_text_of_any_row(tmp_path, monkeypatch):
    """Texts have characters that JSON escapes, any length, and columns that `keep` needs."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f'"{number}"\\', "text": "\0\t\n\x1f\\\"é\u2028"[:number % 9] * number + FOX,
             "when": datetime.datetime(2020, 1, 1 + number % 28), "score": float("nan")}
            for number in range(60)]
    write("in.parquet", rows)
    (tmp_path / "in.jsonl").write_text(lines(
        [{**row, "when": row["when"].timestamp(), "score": None} for row in rows]))
    for keep in ("when", "score"):
        command("dedup", "in.jsonl", "-o", "-", "--removed", "expected", "--keep", keep, "-t", ".5",
                cwd=tmp_path)
        done = twinset.dedup("in.parquet", threshold=.5, keep=keep, removed="removed",
                             output="out.parquet")
        assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected").read_bytes()
        assert (tmp_path / "removed").stat().st_size > 1000
        left = set(done.kept)
        assert str(parquet.read_table("out.parquet").to_pylist()) == \
            str([row for row in parquet.read_table("in.parquet").to_pylist() if row["id"] in left])


def test_the_limit_of_memory_is_kept(tmp_path):
    """The whole process keeps the limit, even if a row group is as large as the limit."""
    words = [f"{number:x}" * 3 for number in range(5000)]
    dice = random.Random(1)
    texts = [" ".join(dice.choices(words, k=400)) for _ in range(27000)]
    parquet.write_table(pyarrow.table({"text": texts}), tmp_path / "in.parquet")
    code = ("import sys, twinset; "
            "twinset.dedup(sys.argv[1], output=sys.argv[2], memory='200M'); "
            "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])")
    out = subprocess.run([sys.executable, "-c", code, tmp_path / "in.parquet",
                          tmp_path / "out.parquet"], check=True, stdout=subprocess.PIPE).stdout
    assert sum(map(len, texts)) > 100 << 20
    assert int(out) <= 200 << 10
    assert parquet.read_table(tmp_path / "out.parquet")["text"].to_pylist() == texts


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_large_row_groups_are_divided(tmp_path, monkeypatch, compression):
    """Threads encode parts of row groups, which any reader finds, with columns of all kinds."""
    monkeypatch.setattr("twinset.parquet.GROUP_BYTES", 5000)
    monkeypatch.setattr("twinset.parquet.BATCH_BYTES", 1000)
    records = records_of(8, 800)
    write(tmp_path / "in.parquet", [{**record, "kind": record["id"][:1], "large": 1 << 40,
                                     "flag": record["n"] % 2 == 0} for record in records],
          row_group_size=1000, compression=compression)
    (tmp_path / "in.jsonl").write_text(lines(records))
    command("dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "expected", cwd=tmp_path)
    twinset.dedup(tmp_path / "in.parquet", output=tmp_path / "out.parquet", threads=3,
                  removed=tmp_path / "removed")
    assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected").read_bytes()
    ids = [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    expected = [row for row in parquet.read_table(tmp_path / "in.parquet").to_pylist()
                if row["id"] in set(ids)]
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == expected
    assert polars.read_parquet(tmp_path / "out.parquet").to_dicts() == expected
    rows = duckdb.sql(f"SELECT id, n FROM '{tmp_path / 'out.parquet'}' WHERE n >= 30").fetchall()
    assert rows == [(row["id"], row["n"]) for row in expected if row["n"] >= 30]
    metadata = parquet.ParquetFile(tmp_path / "out.parquet").metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    assert len(groups) > 8
    assert sum(group.num_rows for group in groups) == metadata.num_rows == len(expected)
    assert [group.column(1).statistics.max for group in groups] == sorted(
        group.column(1).statistics.max for group in groups)


def test_errors_of_threads_reach_the_caller(tmp_path, monkeypatch):
    """A page that cannot be decoded is named with its file, and no output is left."""
    write(tmp_path / "in.parquet", records_of(9), compression="zstd")
    data = bytearray((tmp_path / "in.parquet").read_bytes())
    column = parquet.ParquetFile(tmp_path / "in.parquet").metadata.row_group(3).column(2)
    start = column.dictionary_page_offset
    data[start:start + 60] = bytes(60)
    (tmp_path / "bad.parquet").write_bytes(data)
    with pytest.raises(twinset.InputError, match="bad.parquet: "):
        twinset.dedup(tmp_path / "bad.parquet", output=tmp_path / "out.parquet")
    monkeypatch.setattr("twinset.parquet.Joined.append", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        twinset.dedup(tmp_path / "in.parquet", output=tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.parquet", "in.parquet"]
