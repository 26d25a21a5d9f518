"""scan() and compare(), compared with the bytes of the command, and with the oracle."""

import io
import json
import pickle
import random

import pytest
import twinset
from twinset import output
from twins import FORMATS, FOX, ROOT, TEXTS, command, families, lines, written

import oracle  # from tests/cli, which twins adds to the path


def compare_with_command(tmp_path, documents, *options, **keywords):
    """Scans documents, a list of (id, text), in Python, and as JSON lines by the command."""
    records = [{"id": name, "text": text} for name, text in documents]
    (tmp_path / "in.jsonl").write_text(lines(records))
    found = twinset.scan([text for _, text in documents], [name for name, _ in documents],
                         **keywords)
    for format in FORMATS:
        expected, _ = command("in.jsonl", *options, "--format", format, "-q", cwd=tmp_path)
        assert written(found, format) == expected, (format, options)
    return found


# ---- compared with the command

@pytest.mark.parametrize("seed", range(4))
def test_texts_as_the_command(tmp_path, seed):
    documents = [(record["id"], record["text"]) for record in families(seed)]
    found = compare_with_command(tmp_path, documents)
    assert len(found) > 5
    compare_with_command(tmp_path, documents, "-t", "0.3", "--by", "word", "-k", "2",
                         "--measure", "containment", threshold=0.3, by="word", k=2,
                         measure="containment")
    compare_with_command(tmp_path, documents, "--method", "lsh", "--max-bucket", "3", "--bag",
                         method="lsh", max_bucket=3, bag=True)


def test_positions_as_the_command(tmp_path):
    texts = [record["text"] for record in families(9)]
    found = twinset.scan(texts)
    named = compare_with_command(tmp_path, [(f"{i:010}", text) for i, text in enumerate(texts)])
    assert written(found, "json") == written(named, "json")
    assert {type(pair.a) for pair in found} == {int}
    assert [(pair.a, pair.b) for pair in found] == [(int(pair.a), int(pair.b)) for pair in named]


def test_programs_as_the_command(tmp_path):
    programs = sorted((ROOT / "samples/programs").glob("*.*"))
    documents = [(path.name, path.read_text()) for path in programs if path.suffix != ".md"]
    found = compare_with_command(tmp_path, documents, "--by", "code", by="code")
    assert len(found) > 0
    assert found[0].overlap > 0
    assert found.to_arrow().column_names == list(twinset.Pair._fields[:21])


def test_programs_across_languages(tmp_path):
    documents = [("max.py", "def f(x):\n    if x[0] > 3 and x[1] < 2:\n        return g(x[0])\n"),
                 ("max.js", "function f(x) {\n  if (x[0] > 3 && x[1] < 2) return g(x[0]);\n}\n")]
    options = {"by": "code", "view": "across", "threshold": 0}
    found = compare_with_command(tmp_path, documents, "--by", "code", "--view", "across", "-t", "0",
                                 **options)
    [pair] = found
    assert (pair.language_a, pair.language_b) == ("javascript", "python")
    assert found.to_arrow().column_names == list(twinset.Pair._fields)
    assert found.to_arrow().column("language_b").to_pylist() == ["python"]
    assert found.to_pandas()["language_a"].tolist() == ["javascript"]
    assert found.to_polars()["language_b"].to_list() == ["python"]
    again = pickle.loads(pickle.dumps(found))
    assert again.to_arrow() == found.to_arrow()


def test_other_texts_as_the_command(tmp_path):
    """Scripts, tricks, invalid UTF-8, and texts without shingles give the same results."""
    documents = [("a", "Ein Straßenschild, STRASSE, und noch eins mehr."),
                 ("b", "ein strassenschild, strasse, und noch eins mehr."),
                 ("c", "漢字かな交じり文は空白で区切られない。" * 2),
                 ("d", "漢字かな交じり文は空白で区切られない。"),
                 ("e", "zero\u200bwidth inside of words, here and there"), ("f", "x"), ("g", "X"),
                 ('h, "i"\t', "ein strassenschild, strasse, und noch eins mehr")]
    compare_with_command(tmp_path, documents, "-t", "0.2", threshold=0.2)


def test_roles_as_the_command(tmp_path):
    texts = [record["text"] for record in families(3, 40)]
    new, old, like = texts[:20], texts[20:35], texts[35:]
    names = [f"{i:010}" for i in range(40)]
    files = {"new": names[:20], "old": names[20:35], "like": names[35:]}
    for (file, ids), part in zip(files.items(), (new, old, like)):
        (tmp_path / f"{file}.jsonl").write_text(
            lines({"id": name, "text": text} for name, text in zip(ids, part)))
    (tmp_path / "handout.txt").write_text("word1 word2 word3")
    arguments = ["new.jsonl", "--old", "old.jsonl", "--ignore", "handout.txt", "--format", "jsonl",
                 "-t", "0.2", "-q"]
    keywords = {"old": old, "ignore": ["word1 word2 word3"], "threshold": 0.2}
    expected, _ = command(*arguments, cwd=tmp_path)
    assert written(twinset.scan(new, **keywords), "jsonl") == expected != b""
    expected, _ = command(*arguments, "--like", "like.jsonl", cwd=tmp_path)
    assert written(twinset.scan(new, **keywords, like=like), "jsonl") == expected


def test_files_as_the_command(monkeypatch):
    monkeypatch.chdir(ROOT)
    for data, options, keywords in (
            ("samples/essays", ["-t", "0.15"], {"threshold": 0.15}),
            ("samples/programs", [], {}),
            ("samples", ["--exclude", "*.md", "--exclude", "*.java"],
             {"exclude": ["*.md", "*.java"]})):
        found = twinset.scan(data, **keywords)
        for format in FORMATS:
            expected, _ = command(data, *options, "--format", format, "-q", cwd=ROOT)
            assert written(found, format) == expected, (data, format)


# ---- the oracle

@pytest.mark.parametrize("seed", range(3))
def test_oracle(seed):
    rng = random.Random(seed)
    records = families(seed + 100, 120)
    rules = oracle.Rules(threshold=rng.choice([0.2, 0.5, 0.8]), by=rng.choice(["char", "word"]),
                         k=rng.choice([3, 5]))
    documents = [oracle.Document(record["id"], record["text"].encode()) for record in records]
    expected = oracle.scan(documents, rules)
    found = twinset.scan([record["text"] for record in records],
                         [record["id"] for record in records],
                         rules.threshold, by=rules.by, k=rules.k, method="exact")
    pairs = [{**pair._asdict(), "estimate": None} for pair in found]
    assert [{field: pair[field] for field in expected["pairs"][0]} for pair in pairs] == \
        expected["pairs"]
    assert [(cluster.id, list(cluster.members), cluster.representative, cluster.min_similarity,
             cluster.size) for cluster in found.clusters] == \
        [tuple(cluster[field] for field in ("id", "members", "representative", "min_similarity",
                                            "size")) for cluster in expected["clusters"]]


# ---- compare

def test_compare():
    pair = twinset.compare(TEXTS[0], TEXTS[1])
    assert (pair.a, pair.b) == ("a", "b")
    assert pair.similarity == pair.jaccard == pair.shared / pair.union < 1
    assert pair.containment_a == 1.0
    assert twinset.compare(FOX, FOX.upper()).similarity == 1.0
    assert twinset.compare(FOX, FOX.upper(), case="keep").similarity < 0.1
    assert twinset.compare(FOX.encode(), FOX).similarity == 1.0
    with pytest.raises(twinset.EmptyError, match="a: empty"):
        twinset.compare("", FOX)
    for wrong in (None, 5, [FOX]):
        with pytest.raises(TypeError):
            twinset.compare(FOX, wrong)


def test_compare_files(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = [f"samples/programs/roman-{who}.java" for who in ("ines", "kira")]
    pair = twinset.compare(*map(ROOT.joinpath, names))
    expected, _ = command("compare", *names, "--format", "jsonl", cwd=ROOT)
    expected = json.loads(expected)
    assert {**pair._asdict(), "a": names[0], "b": names[1]} == \
        {field: expected.get(field) for field in twinset.Pair._fields}
    text = twinset.compare(ROOT / names[0], (ROOT / names[1]).read_text(), by="code")
    assert text.similarity == pair.similarity
    with pytest.raises(twinset.UsageError, match="two documents.*nothing.txt: No such file"):
        twinset.compare(tmp_path / "nothing.txt", FOX)
    with pytest.raises(twinset.UsageError, match="samples has [0-9]+ texts"):
        twinset.compare(ROOT / "samples", FOX)
    with pytest.raises(twinset.UsageError, match=f"{names[0]} is on both sides"):
        twinset.compare(ROOT / "samples/programs", ROOT / names[0])


# ---- results

def test_inputs_are_not_overwritten(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("the very same text in both of the files, word for word")
    (tmp_path / "link.csv").symlink_to("a.csv")
    found = twinset.scan([tmp_path / "a.csv", tmp_path / "b.csv"])
    before = (tmp_path / "a.csv").read_bytes()
    for target in ("a.csv", "link.csv"):
        with pytest.raises(twinset.UsageError, match="would replace an input"):
            found.write(tmp_path / target)
        with pytest.raises(twinset.UsageError, match="would replace an input"):
            found.to_csv(str(tmp_path / target))
    assert (tmp_path / "a.csv").read_bytes() == before
    found.write(tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_text() == found.to_csv()


def test_sequence():
    found = twinset.scan([FOX, TEXTS[2], FOX.upper(), FOX.title()])
    assert len(found) == 3
    assert found[0] == found[-3] == next(iter(found))
    assert found[1:] == [found[1], found[2]] == list(found)[1:]
    assert found[0] in found and [pair.a for pair in reversed(found)] == [2, 0, 0]
    for index in (3, -4):
        with pytest.raises(IndexError):
            found[index]
    with pytest.raises(TypeError):
        found["a"]
    cluster, = found.clusters
    assert cluster == (1, (0, 2, 3), 0, 1.0) and cluster.size == 3
    with pytest.raises(AttributeError):
        found[0].similarity = 1
    assert found.run["documents"] == 4
    assert found.report()["parameters"]["threshold"] == 0.5


def test_skipped_and_flagged():
    found = twinset.scan([FOX, None, "", "x\ud800y" + FOX, b"\xff" + FOX.encode()])
    assert [(record.id, record.is_empty) for record in found.skipped] == [(1, True), (2, True)]
    assert "null" in found.skipped[0].reason
    assert {record.id for record in found.flagged if "invalid-utf8" in record.flags} == {3, 4}
    assert len(found) == 3
    named = twinset.scan([FOX, None], ["a", "b"])
    assert [record.id for record in named.skipped] == ["b"]


def test_flags_have_the_engines_names():
    found = twinset.scan(["zero\u200bwidth " + FOX, "Сору\u0440 homoglyphs: p\u0430ypal " + FOX])
    report = json.loads(written(found, "json"))["run"]["flagged"]
    assert [(f"{record.id:010}", list(record.flags)) for record in found.flagged] == \
        [(record["path"], record["flags"]) for record in report]
    assert len(report) == 2


def test_notes():
    found = twinset.scan([FOX] * 30, max_bucket=5)
    assert found.notes and "max_bucket= changes this" in found.notes[0]
    assert found.notes[0] in repr(found)


def test_tables():
    records = families(1)
    for ids, kind in ((None, int), ([record["id"] for record in records], str), (range(60), int)):
        found = twinset.scan([record["text"] for record in records], ids, 0.4)
        rows = [pair[:11] for pair in found]
        assert {type(row[0]) for row in rows} == {kind}
        arrow = found.to_arrow()
        assert arrow.column_names == list(twinset.Pair._fields[:11])
        assert [tuple(row.values()) for row in arrow.to_pylist()] == rows
        polars = found.to_polars()
        assert polars.rows() == rows
        pandas = found.to_pandas()
        assert pandas.estimate.isna().all()
        assert list(pandas.drop(columns="estimate").itertuples(index=False, name=None)) == \
            [row[:8] + row[9:] for row in rows]


def test_tables_with_estimates():
    found = twinset.scan([FOX, TEXTS[1]], method="lsh")
    assert found.to_arrow()["estimate"].to_pylist() == found.to_polars()["estimate"].to_list() == \
        found.to_pandas()["estimate"].tolist() == [found[0].estimate]
    assert found[0].estimate is not None


def test_empty_tables():
    found = twinset.scan([FOX])
    assert len(found) == len(found.to_arrow()) == len(found.to_pandas()) == len(found.to_polars())
    assert len(found) == 0 and found.clusters == [] and found.to_jsonl() == ""
    assert found.to_arrow().schema.field("a").type == "int64"


def test_mixed_ids(tmp_path):
    """Numeric ids stay numbers if files are compared as well, whatever the names of files."""
    (tmp_path / "0000000001").write_text(FOX)
    (tmp_path / "17").write_text(FOX)
    found = twinset.scan([FOX, TEXTS[2]], old=tmp_path / "17")
    assert {found[0].a, found[0].b} == {0, str(tmp_path / "17")}
    found = twinset.scan([FOX, TEXTS[2]], [17, 18], like=[FOX])
    assert {found[0].a, found[0].b} == {17, "like:0"}
    assert found.to_arrow()["a"].to_pylist() == found.to_polars()["a"].to_list() == ["17"]
    assert found.to_pandas()["a"].tolist() == [17]
    assert found.to_pandas()["b"].tolist() == ["like:0"]


def test_passages():
    text = " ".join(f"word{i}" for i in range(40))
    found = twinset.scan([text, "Something before it: " + text], threshold=0.2)
    passage, = found.passages(0)
    assert passage["kinds"] == ["verbatim"] and passage["tokens"] >= 40
    assert passage["b"]["start"] == 21
    assert found.passages(found[0]) == found.passages(-1) == [passage]
    with pytest.raises(ValueError, match="no pair"):
        found.passages(found[0]._replace(b=5))
    with pytest.raises(IndexError):
        found.passages(1)


def test_write(tmp_path):
    found = twinset.scan(TEXTS)
    text = found.to_csv()
    assert text.startswith("a,b,similarity,") and text.count("\n") == 2
    for target in (tmp_path / "pairs.csv", str(tmp_path / "pairs.csv")):
        found.write(target)
        assert (tmp_path / "pairs.csv").read_text() == text
    found.to_jsonl(tmp_path / "pairs")
    assert (tmp_path / "pairs").read_text() == found.to_jsonl()
    out = io.StringIO()
    found.write(out, "csv")
    assert out.getvalue() == text
    with pytest.raises(ValueError, match="format"):
        found.write(tmp_path / "pairs.xls")
    with pytest.raises(ValueError, match="format"):
        found.write(io.BytesIO())
    with pytest.raises(ValueError, match="unknown format"):
        found.write(io.BytesIO(), "xls")
    with pytest.raises(FileNotFoundError):
        found.to_csv(tmp_path / "no folder" / "pairs.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs", "pairs.csv"]


def test_a_failed_write_leaves_nothing(tmp_path):
    (tmp_path / "pairs.csv").write_text("as it was")

    def fail(put):
        put(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output.write(tmp_path / "pairs.csv", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]
    assert (tmp_path / "pairs.csv").read_text() == "as it was"
