"""dedup() keeps and removes what the command does, for every type of data."""

import gzip
import io
import json
import os
import pickle

import numpy
import pandas
import polars
import pyarrow
import pytest
import twinset
from pyarrow import parquet
from twins import FOX, ROOT, TEXTS, Records, command, families, lines

KINDS = {
    "arrow": pyarrow.Table.from_pylist,
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
}


def plain(seed, count=60):
    """Records whose fields have one type each, as tables need."""
    records = families(seed, count)
    return [{"id": record["id"], "text": record["text"], "date": record.get("date"),
             "n": record["n"] if type(record.get("n")) in (int, float) else None}
            for record in records]


def run_command(tmp_path, records, *options):
    """The ids that the command keeps, and the bytes of its list of removed records."""
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, counts = command("dedup", "in.jsonl", "-o", "-", "--removed", "removed.jsonl", *options,
                          cwd=tmp_path)
    kept = [json.loads(line)["id"] for line in out.splitlines()]
    return kept, (tmp_path / "removed.jsonl").read_bytes(), counts


def removed_bytes(done):
    out = io.BytesIO()
    done.removed.write(out)
    return out.getvalue()


def rows_of(table):
    if isinstance(table, pyarrow.Table):
        return table.to_pylist()
    return table.to_dicts() if isinstance(table, polars.DataFrame) else table.to_dict("records")


# ---- compared with the command

@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("keep", ["first", "longest"])
def test_texts_as_the_command(tmp_path, seed, keep):
    records = families(seed)
    ids, texts = [record["id"] for record in records], [record["text"] for record in records]
    kept, removed, counts = run_command(tmp_path, records, "--keep", keep, "-t", "0.6")
    done = twinset.dedup(texts, ids, 0.6, keep)
    assert done.kept == kept and len(done) == len(kept) < len(records)
    assert removed_bytes(done) == removed
    assert str(done.counts) == counts
    assert done.table() == [text for name, text in zip(ids, texts) if name in kept]
    numbered = twinset.dedup(iter(texts), threshold=0.6, keep=keep)
    assert [ids[position] for position in numbered.kept] == kept
    assert numbered.table() == done.table()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", ["first", "longest", "newest", "n", "date"])
def test_tables_as_the_command(tmp_path, kind, keep):
    for seed in range(3):
        records = plain(seed)
        kept, removed, counts = run_command(tmp_path, records, "--keep", keep, "-t", "0.5")
        table = KINDS[kind](records)
        done = twinset.dedup(table, threshold=0.5, keep=keep)
        assert done.kept == kept, seed
        assert removed_bytes(done) == removed
        assert [record.id for record in done.removed] == \
            [json.loads(line)["id"] for line in removed.splitlines()]
        assert done.removed.to_arrow().to_pylist() == done.removed.to_polars().to_dicts() == \
            done.removed.to_pandas().to_dict("records") == \
            [json.loads(line) for line in removed.splitlines()]
        assert str(done.counts) == counts
        left = done.table()
        assert type(left) is type(table)
        assert [row["id"] for row in rows_of(left)] == kept
        assert done.to_arrow()["id"].to_pylist() == kept


@pytest.mark.parametrize("seed", range(50, 53))
def test_oracle(seed):
    records = families(seed, 150)
    expected = Records(records, 0.6, "longest")
    done = twinset.dedup([record["text"] for record in records],
                         [record["id"] for record in records],
                         0.6, "longest", method="exact")
    assert [record._asdict() for record in done.removed] == expected.removed_lines()
    assert done.kept == [record["id"] for i, record in enumerate(records)
                         if i not in expected.removed]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_archive_as_the_command(tmp_path, keep):
    records = families(5, 80)
    new, old = records[:50], records[50:]
    (tmp_path / "old.jsonl").write_text(lines(old))
    kept, removed, counts = run_command(tmp_path, new, "--keep", keep, "--old", "old.jsonl")
    for archive in (pandas.DataFrame(old), tmp_path / "old.jsonl"):
        done = twinset.dedup(pandas.DataFrame(new), keep=keep, old=archive)
        assert (done.kept, removed_bytes(done), str(done.counts)) == (kept, removed, counts)


def test_names_of_an_archive(tmp_path):
    texts = [TEXTS[2], FOX]
    assert twinset.dedup(texts, old=["Some other text.", FOX]).removed[0] == (1, 3, 1.0, 1)
    assert twinset.dedup(texts, ["a", "b"], old=[FOX]).removed[0] == ("b", "old:0", 1.0, 1)
    marked = twinset.dedup(pyarrow.table({"text": texts, "id": [5, 6]}), old=[FOX], annotate=True)
    assert marked.table()["twinset_kept"].to_pylist() == [None, "old:0"]
    with pytest.raises(twinset.UsageError, match="two documents are named 'a'"):
        twinset.dedup(texts, ["a", "b"], old=pyarrow.table({"id": ["a"], "text": [FOX]}))
    (tmp_path / "old.jsonl").write_text(lines([{"id": "a", "text": "x"}, {"id": "z", "text": FOX}]))
    done = twinset.dedup(texts, ["a", "b"], old=tmp_path / "old.jsonl")
    assert done.kept == ["a"] and done.skipped == []  # the archive's own "a" is named with its file
    (tmp_path / "old.jsonl").write_text(lines([{"id": "a", "text": FOX}]))
    done = twinset.dedup(texts, ["a", "b"], old=tmp_path / "old.jsonl")
    assert done.removed[0] == ("b", f"{tmp_path}/old.jsonl#a", 1.0, 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", ["first", "n"])
def test_annotate_as_the_command(tmp_path, kind, keep):
    records = plain(6)
    records[3]["twinset_keep"] = "of an earlier run"
    (tmp_path / "in.jsonl").write_text(lines(records))
    out, _ = command("dedup", "in.jsonl", "-o", "-", "--annotate", "--keep", keep, cwd=tmp_path)
    expected = [json.loads(line) for line in out.splitlines()]
    table = KINDS[kind]([{"twinset_keep": None, **record} for record in records])
    done = twinset.dedup(table, keep=keep, annotate=True)
    found = rows_of(done.table())
    missing = [None if value is pandas.NA else value for row in found for value in row.values()]
    assert len(missing) == len(found) * 8
    for row, line in zip(found, expected, strict=True):
        values = {name: None if value is pandas.NA or value != value else value
                  for name, value in row.items()}
        assert values == {**dict.fromkeys(records[0]), **line}
    assert [row["id"] for row in found if row["twinset_keep"]] == done.kept


def test_annotations_have_types():
    """Annotations have types even if nothing was removed."""
    rows = [{"text": text} for text in TEXTS[1:]]
    schema = twinset.dedup(pyarrow.Table.from_pylist(rows), annotate=True).to_arrow().schema
    assert [str(schema.field(i).type) for i in range(1, 5)] == ["int64", "bool", "int64", "double"]
    named = pyarrow.Table.from_pylist([{"id": "a", **rows[0]}, {"id": "b", **rows[1]}])
    schema = twinset.dedup(named, annotate=True).to_arrow().schema
    assert str(schema.field("twinset_kept").type) == "string"


def test_nulls_and_empty_texts():
    table = pyarrow.table({"text": [FOX, None, "", FOX, None, ""], "n": range(6)})
    done = twinset.dedup(table)
    assert done.kept == [0, 1, 2, 4, 5]
    assert done.counts == (6, 5, 1, 0)
    assert done.table()["n"].to_pylist() == [0, 1, 2, 4, 5]
    marked = twinset.dedup(table, annotate=True).table()
    assert marked["n"].to_pylist() == list(range(6))
    assert marked["twinset_keep"].to_pylist() == [True, True, True, False, True, True]
    with pytest.raises(twinset.EmptyError, match="2 of 6 .* max_skipped"):
        twinset.dedup(table, max_skipped=0.3)


def test_columns_are_unchanged():
    texts = [FOX, TEXTS[2], FOX]
    for column in (pyarrow.array(texts), pyarrow.chunked_array([texts[:1], texts[1:]]),
                   pyarrow.array(texts).dictionary_encode(), pandas.Series(texts, index=[7, 8, 9]),
                   polars.Series(texts)):
        done = twinset.dedup(column)
        left = done.table()
        assert type(left) is type(column) and len(left) == 2 == len(done)
        assert done.to_arrow().to_pydict() == {"id": [0, 1], "text": texts[:2]}
    assert twinset.dedup(pandas.Series(texts, index=[7, 8, 9])).table().index.tolist() == [7, 8]


def test_no_documents():
    done = twinset.dedup([])
    assert (done.kept, len(done), len(done.removed), done.table()) == ([], 0, 0, [])
    assert done.counts == (0, 0, 0, 0)
    assert repr(done) == "read 0, kept 0, removed 0, skipped 0"


def test_ties_keep_the_first():
    table = pyarrow.table({"text": [FOX, FOX, FOX], "n": [1, 2, 2]})
    assert twinset.dedup(table, keep="n").kept == [1]
    same = pyarrow.table({"text": [FOX, FOX, FOX], "n": [None, None, None]})
    assert twinset.dedup(same, keep="n").kept == [0]


def test_times():
    for values, kept in ((["2024-01-01", "2024-01-03", "2024-01-02"], 1),
                         (pandas.to_datetime(["2024-01-01", None, "2024-01-02"]), 2),
                         (pandas.to_datetime([5, 7, 6], unit="ns"), 1)):
        frame = pandas.DataFrame({"text": [FOX] * 3, "created": values})
        assert twinset.dedup(frame, keep="newest").kept == [kept]
        assert twinset.dedup(pyarrow.Table.from_pandas(frame), keep="newest").kept == [kept]
    dates = pyarrow.table({"text": [FOX] * 2, "date": pyarrow.array([1, 2], pyarrow.date32())})
    assert twinset.dedup(dates, keep="newest").kept == [1]
    assert twinset.dedup(polars.from_arrow(dates), keep="newest").kept == [1]
    empty = dates.set_column(1, "date", pyarrow.nulls(2, pyarrow.date32()))
    with pytest.raises(twinset.UsageError, match="newest.*timestamp, date"):
        twinset.dedup(empty, keep="newest")


def test_missing_values_rank_last():
    frame = pandas.DataFrame({"text": [FOX] * 3, "n": pandas.array([None, 1, 2], "Int64")})
    assert twinset.dedup(frame, keep="n").kept == [2]
    frame = pandas.DataFrame({"text": [FOX] * 3, "n": [float("nan"), -1, None]})
    assert twinset.dedup(frame, keep="n").kept == [1]
    frame = pandas.DataFrame({"text": [FOX] * 3, "n": [True, 5, "a"]}, dtype=object)
    assert twinset.dedup(frame, keep="n").kept == [2]


def test_invalid_keep():
    with pytest.raises(twinset.UsageError, match="keep: 'date'.*a list has none"):
        twinset.dedup([FOX, FOX], keep="date")
    with pytest.raises(ValueError, match="keep: there is no column 'daet'; there are: 'text'"):
        twinset.dedup(pyarrow.table({"text": [FOX]}), keep="daet")
    with pytest.raises(TypeError, match="keep"):
        twinset.dedup([FOX], keep=None)


def test_options_of_files_are_refused_for_memory(tmp_path):
    with pytest.raises(twinset.UsageError, match=r"output.*table\(\)"):
        twinset.dedup([FOX], output=tmp_path / "out.jsonl")
    with pytest.raises(twinset.UsageError, match="annotate"):
        twinset.dedup([FOX], annotate=True)
    table = pyarrow.table({"text": [FOX], "date": [1]})
    with pytest.raises(twinset.UsageError, match="min_passage: with keep='date', spans are cut"):
        twinset.dedup(table, keep="date", min_passage=25)
    parquet.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(twinset.UsageError, match="min_passage: of Parquet"):
        twinset.dedup(tmp_path / "in.parquet", min_passage=25)
    (tmp_path / "in.parquet").unlink()
    assert list(tmp_path.iterdir()) == []


def test_clusters_and_report():
    done = twinset.dedup([FOX, TEXTS[2], FOX], ["a", "b", "c"])
    assert done.clusters == [(1, ("a", "c"), "a", 1.0)]
    assert done.removed[0] == ("c", "a", 1.0, 1)
    report = done.report()
    assert report["cleaned"] == {"read": 3, "kept": 2, "removed": 1, "skipped": 0}
    assert report["parameters"]["threshold"] == 0.8


# ---- files

def test_files_as_the_command(tmp_path):
    records = families(8)
    (tmp_path / "in.jsonl").write_text(lines(records))
    for options, keywords in (([], {}), (["--annotate", "--keep", "n"],
                                         {"annotate": True, "keep": "n"})):
        _, counts = command("dedup", "in.jsonl", "-o", "expected.jsonl.gz", "--removed",
                            "expected.removed", *options, cwd=tmp_path)
        done = twinset.dedup(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl.gz",
                             removed=tmp_path / "removed", **keywords)
        assert str(done.counts) == counts and len(done) == done.counts.kept
        assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected.removed").read_bytes()
        assert gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()) == \
            gzip.decompress((tmp_path / "expected.jsonl.gz").read_bytes())
    out = io.BytesIO()
    done = twinset.dedup(str(tmp_path / "in.jsonl"), output=out)
    assert out.getvalue() == command("dedup", "in.jsonl", "-o", "-", cwd=tmp_path)[0]


def test_spans_are_cut_as_by_the_command(tmp_path):
    passage = " ".join(f"w{i}" for i in range(30))
    records = [{"id": str(i), "text": f"{TEXTS[i]} {passage} {i}"} for i in range(3)]
    (tmp_path / "in.jsonl").write_text(lines([*records, {"id": "all", "text": passage}]))
    command("dedup", "in.jsonl", "-o", "expected.jsonl", "--removed", "expected.removed",
            "--min-passage", "25", "-t", "1", cwd=tmp_path)
    done = twinset.dedup(tmp_path / "in.jsonl", threshold=1, min_passage=25,
                         output=tmp_path / "out.jsonl", removed=tmp_path / "removed")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()
    assert (tmp_path / "removed").read_bytes() == (tmp_path / "expected.removed").read_bytes()
    assert done.removed[0] == ("all", "0", None, 0) and "all" in repr(done)


def maker_of(kind):
    """A function that makes data of a kind from rows: a table, or its texts alone."""
    makers = {
        "list": lambda rows: [row["text"] for row in rows],
        "bytes": lambda rows: [row["text"].encode() for row in rows],
        "numpy": lambda rows: numpy.array([row["text"] for row in rows]),
        "series": lambda rows: pandas.Series([row["text"] for row in rows], name="x"),
        "array": lambda rows: pyarrow.array([row["text"] for row in rows], pyarrow.large_string()),
        "chunked": lambda rows: pyarrow.chunked_array([[row["text"] for row in rows]]),
        "column": lambda rows: polars.Series("x", [row["text"] for row in rows]),
        "rows": lambda rows: rows,
        "columns": lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
        "lazy": polars.LazyFrame,
        "category": lambda rows: pandas.DataFrame(rows).astype({"text": "category"}),
        **KINDS,
    }
    return makers[kind]


def texts_in(left):
    if isinstance(left, polars.LazyFrame):
        left = left.collect()
    if isinstance(left, (polars.DataFrame, pandas.DataFrame, pyarrow.Table, dict)):
        left = left["text"]
    return [one["text"] if isinstance(one, dict) else one.decode() if isinstance(one, bytes)
            else one for one in getattr(left, "to_pylist", lambda: list(left))()]


@pytest.mark.parametrize("kind", ("list", "bytes", "numpy", "series", "array", "chunked", "column",
                                  "rows", "columns", "lazy", "category", *KINDS))
def test_spans_of_data_in_memory(kind):
    """Spans are cut from data of every kind, whose type and other columns stay."""
    passage = " ".join(f"w{i}" for i in range(30))
    rows = [{"text": f"{TEXTS[i]} {passage} {i}", "n": i} for i in range(3)]
    rows.append({"text": passage, "n": 3})
    data = maker_of(kind)(rows)
    done = twinset.dedup(data, threshold=1, min_passage=25)
    left = done.table()
    assert texts_in(left) == [rows[0]["text"], f"{TEXTS[1]} 1", f"{TEXTS[2]} 2"]
    assert type(left) is type(data) and done.kept == [0, 1, 2]
    start = len(TEXTS[1]) + 1
    assert done.cut[0] == (1, ((start, start + len(passage), 30, 0, len(TEXTS[0]) + 1,
                                len(TEXTS[0]) + 1 + len(passage)),))
    assert [one.id for one in done.cut] == [1, 2, 3] and done.removed[0][:3] == (3, 0, None)
    assert pickle.loads(pickle.dumps(done)).cut == done.cut
    if kind in KINDS:
        assert list(getattr(left, "column_names", None) or left.columns) == ["text", "n"]
        marked = twinset.dedup(data, threshold=1, min_passage=25, annotate=True)
        assert texts_in(marked.table()) == [row["text"] for row in rows]
        spans = marked.to_arrow()["twinset_spans"].to_pylist()
        assert [len(one) for one in spans] == [0, 1, 1, 1]
        assert spans[1][0] == {**done.cut[0].spans[0]._asdict(), "first": "0"}


def test_folders_as_the_command(tmp_path):
    (tmp_path / "in/below").mkdir(parents=True)
    for name, text in (("a.txt", FOX), ("below/b.txt", FOX), ("below/c.txt", TEXTS[2])):
        (tmp_path / "in" / name).write_text(text)
    records = families(2)
    (tmp_path / "in/x.jsonl").write_text(lines(records[:40]))
    (tmp_path / "in/y.jsonl").write_text(lines(records[40:]))
    _, counts = command("dedup", "in", "-o", "expected", cwd=tmp_path)
    done = twinset.dedup(tmp_path / "in", output=tmp_path / "out")
    assert str(done.counts) == counts

    def files(folder):
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in folder.rglob("*") if path.is_file()}

    assert files(tmp_path / "out") == files(tmp_path / "expected")
    assert "below/b.txt" not in files(tmp_path / "out")


def test_a_file_that_is_given_twice_is_written_once(tmp_path):
    for name, text in (("a", FOX), ("b", TEXTS[2])):
        (tmp_path / f"{name}.jsonl").write_text(lines([{"id": name, "text": text}]))
    paths = [tmp_path / f"{name}.jsonl" for name in "aab"]
    done = twinset.dedup(paths, output=f"{tmp_path}/out/", ignore=["So it did."])
    assert done.counts == (2, 2, 0, 0)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.jsonl", "b.jsonl"]


def test_several_inputs_become_one_file(tmp_path):
    for name, text in (("a", FOX), ("b", TEXTS[2])):
        (tmp_path / f"{name}.jsonl").write_text(lines([{"id": 1, "text": text}]))
    command("dedup", "a.jsonl", "b.jsonl", "-o", "expected.jsonl", cwd=tmp_path)
    done = twinset.dedup([tmp_path / "a.jsonl", tmp_path / "b.jsonl"],
                         output=tmp_path / "out.jsonl")
    assert done.counts == (2, 2, 0, 0)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_streams_are_joined_as_the_command_does(tmp_path):
    (tmp_path / "x.jsonl").write_text(lines([{"text": FOX}]).rstrip("\n"))
    (tmp_path / "y.jsonl").write_text("\n" + lines([{"text": TEXTS[2]}]))
    out = io.BytesIO()
    twinset.dedup([tmp_path / "x.jsonl", tmp_path / "y.jsonl"], output=out)
    assert out.getvalue() == command("dedup", "x.jsonl", "y.jsonl", "-o", "-", cwd=tmp_path)[0]


def test_files_without_output(tmp_path):
    done = twinset.dedup(ROOT / "samples/essays", threshold=0.5)
    assert repr(done).startswith("removed 2\n")
    assert done.counts == (14, 12, 2, 0) and len(done) == 12
    assert "read 14, kept 12" in repr(done)
    with pytest.raises(ValueError, match="output="):
        len(done.kept)
    with pytest.raises(ValueError, match="output="):
        done.table()
    with pytest.raises(twinset.UsageError, match="output="):
        twinset.dedup(ROOT / "samples/essays", annotate=True)


def test_inputs_are_not_replaced(tmp_path):
    (tmp_path / "in.jsonl").write_text(lines([{"text": FOX}]))
    (tmp_path / "link.jsonl").symlink_to("in.jsonl")
    for name in ("in.jsonl", "link.jsonl"):
        with pytest.raises(twinset.UsageError, match="would replace an input"):
            twinset.dedup(tmp_path / "in.jsonl", output=tmp_path / name)
    with pytest.raises(twinset.UsageError, match="would replace an input"):
        twinset.dedup(tmp_path, output=tmp_path)
    for target in (None, tmp_path / "out.jsonl"):
        with pytest.raises(twinset.UsageError, match="would replace an input"):
            twinset.dedup(tmp_path / "in.jsonl", output=target, removed=tmp_path / "link.jsonl")
    with pytest.raises(twinset.UsageError, match="are the same file"):
        twinset.dedup(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl",
                      removed=f"{tmp_path}/./out.jsonl")
    (tmp_path / "list.csv").write_text("path,id\nin.jsonl,one\n")
    with pytest.raises(twinset.UsageError, match="would replace an input"):
        twinset.dedup(f"@{tmp_path}/list.csv", output=tmp_path)
    results = [twinset.scan(tmp_path / "in.jsonl"), twinset.scan([FOX], old=tmp_path / "in.jsonl"),
               twinset.dedup(tmp_path / "in.jsonl").removed,
               twinset.dedup([FOX], old=tmp_path / "in.jsonl").removed]
    for result in results:
        with pytest.raises(twinset.UsageError, match="would replace an input"):
            result.write(tmp_path / "link.jsonl")
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "link.jsonl", "list.csv"]
    assert (tmp_path / "in.jsonl").read_text() == lines([{"text": FOX}])
