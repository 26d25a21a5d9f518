"""Valid types of data, and the errors for others."""

import pathlib
import subprocess
import sys
import warnings

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import twinset
from twins import FOX, TEXTS

THREE = [FOX, TEXTS[2], FOX.upper()]


def found(data, *arguments, **keywords):
    return [(pair.a, pair.b) for pair in twinset.scan(data, *arguments, **keywords)]


# ---- texts

@pytest.mark.parametrize("data", [
    THREE, tuple(THREE), (text for text in THREE), dict.fromkeys(THREE).keys(),
    [text.encode() for text in THREE], numpy.array(THREE), numpy.array(THREE, object),
    pyarrow.array(THREE), pyarrow.array(THREE, "large_string"), pyarrow.array(THREE, "binary"),
    pyarrow.array(THREE).dictionary_encode(), pyarrow.chunked_array([THREE[:1], [], THREE[1:]]),
    pyarrow.array(["x", *THREE])[1:],
    pandas.Series(THREE), pandas.Series(THREE, dtype=object), pandas.Series(THREE, dtype="string"),
    pandas.Series(THREE, dtype="category"), pandas.Series(THREE, dtype="string[pyarrow]"),
    pandas.Series(THREE, index=[5, 5, 5]), pandas.Index(THREE),
    polars.Series(THREE), polars.Series(THREE, dtype=polars.Categorical),
])
def test_texts(data):
    assert found(data) == [(0, 2)]


@pytest.mark.parametrize("data", [
    [FOX, None, FOX], pyarrow.array([FOX, None, FOX]), polars.Series([FOX, None, FOX]),
    pandas.Series([FOX, None, FOX]), pandas.Series([FOX, float("nan"), FOX], dtype=object),
    pandas.Series([FOX, pandas.NA, FOX], dtype="string"), pandas.Series([FOX, pandas.NA, FOX]),
    pandas.DataFrame({"text": [FOX, float("nan"), FOX]})["text"],
])
def test_missing_texts(data):
    result = twinset.scan(data)
    assert [row.id for row in result.skipped] == [1]
    assert [(pair.a, pair.b) for pair in result] == [(0, 2)]


def test_lone_surrogates():
    result = twinset.scan([FOX + "\ud800", FOX + "\udfff"])
    assert result[0].similarity == 1.0  # both are read as U+FFFD
    assert [row.flags for row in result.flagged] == [("invalid-utf8",)] * 2


def test_bytes_that_are_no_text():
    result = twinset.scan([FOX.encode() + b"\xff", FOX])
    assert [(row.id, row.flags) for row in result.flagged] == [(0, ("invalid-utf8",))]


@pytest.mark.parametrize(("data", "message"), [
    ([FOX, 5], r"texts\[1\] is int"), ([FOX, 1.5], "float"), ([[FOX]], "list"),
    ([{"text": FOX}, FOX], "dict"), ([{5: FOX}], "dict"), (5, "not int"),
    (None, "not NoneType"), (FOX.encode(), "one text"),
    ({"a": FOX}, r"ids=list\(data\)"), (pyarrow.array([1, 2]), "Arrow"),
    (pandas.Series([1.5, 2.5]), "Arrow"), (polars.Series([1, 2]), "Arrow"),
    ([FOX, pathlib.Path("x")], "PosixPath"),
])
def test_wrong_types(data, message):
    with pytest.raises(TypeError, match=message):
        twinset.scan(data)


def test_an_empty_list():
    with pytest.raises(twinset.EmptyError, match="there is no document to compare"):
        twinset.scan([])
    with pytest.raises(twinset.EmptyError, match="0000000000: empty; 0000000001: .*null"):
        twinset.scan(["", None])


# ---- paths

def test_names_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in zip("abc", THREE):
        pathlib.Path(name).write_text(text)
    with pytest.warns(UserWarning, match="every text is the name of a file.*pathlib.Path") as seen:
        assert found(["a", "b", "c"]) == []
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(["a", "b", "no file"]) == []
        assert found(list(map(pathlib.Path, "abc"))) == [("a", "c")]
        assert found(pathlib.Path(".")) == found(".") == [("a", "c")]
        assert found("[ac]") == [("a", "c")]


def test_a_missing_path(tmp_path):
    with pytest.raises(twinset.EmptyError, match="nothing.txt: No such file or directory"):
        twinset.scan(tmp_path / "nothing.txt")
    (tmp_path / "a.txt").write_text(FOX)
    result = twinset.scan([tmp_path / "a.txt", tmp_path / "nothing.txt"])
    assert result.skipped == [(str(tmp_path / "nothing.txt"), "No such file or directory", False)]


def test_ids_of_files(tmp_path):
    with pytest.raises(TypeError, match="files are named by their paths"):
        twinset.scan(tmp_path, ["a"])


# ---- ids

@pytest.mark.parametrize(("ids", "pair"), [
    (["x", "y", "a"], ("a", "x")), ([7, 8, 9], (7, 9)), ([10, 8, 9], (10, 9)),
    ([-1, 0, 1], (-1, 1)),
    (range(3), (0, 2)), (numpy.arange(3), (0, 2)), ([numpy.int64(3), 4, 5], (3, 5)),
    (pyarrow.array(["x", "y", "a"]), ("a", "x")), (pyarrow.array([7, 8, 9]), (7, 9)),
    (pandas.Series(["x", "y", "a"]), ("a", "x")), (polars.Series([7, 8, 9]), (7, 9)),
    (iter(["x", "y", "a"]), ("a", "x")), (["\n", "", "ü\""], ("\n", 'ü"')),
    (["\udcff", "y", "a"], ("a", "\udcff")),
])
def test_ids(ids, pair):
    assert found(THREE, ids) == [pair]


@pytest.mark.parametrize(("ids", "error", "message"), [
    (["a", "b", "a"], ValueError, "'a' is both at position 0 and at position 2"),
    ([1, 2, 2], ValueError, "2 is both at position 1 and at position 2"),
    (["a", "b"], ValueError, "2 of them for 3 texts"),
    (["a", "b", 1], TypeError, "1 at position 2"),
    (["a", None, "b"], TypeError, "None at position 1"),
    ([1, 2, "a"], TypeError, "'a' at position 2"),
    ([1, 2.5, 3], TypeError, "2.5 at position 1"), ([1, True, 3], TypeError, "True at position 1"),
    (pandas.Series([1, None, 3]), TypeError, "1.0 at position 0"),
    (["a", "b\0", "c"], ValueError, "NUL"), (["a", "\ud800", "c"], ValueError, "surrogate"),
])
def test_wrong_ids(ids, error, message):
    with pytest.raises(error, match=message):
        twinset.scan(THREE, ids)


# ---- tables

COLUMNS = {"id": ["x", "y", "a"], "text": THREE, "n": [1, 2, 3], "more": ["p", "q", "r"]}


class Dataset:
    """A stand-in for datasets.Dataset: rows, or a selection of them."""

    def __init__(self, table, rows=None, format=None, columns=None):
        self.table, self.format = table, format
        self.rows = list(range(len(table))) if rows is None else rows
        self.column_names = columns or table.column_names

    def __len__(self):
        return len(self.rows)

    def with_format(self, format, columns=None):
        return Dataset(self.table, self.rows, format, columns)

    def __getitem__(self, which):
        assert self.format == "arrow" and which == slice(None)
        return self.table.take(self.rows).select(self.column_names)

    def select(self, rows):
        return Dataset(self.table, [self.rows[row] for row in rows])

    def remove_columns(self, names):
        return Dataset(self.table.drop_columns(names), self.rows)

    def select_columns(self, names):
        return Dataset(self.table.select(names), self.rows)

    def add_column(self, name, column):
        table = self.table.take(self.rows).append_column(name, column)
        return Dataset(table)


class IterableDataset:
    """A stand-in for datasets.IterableDataset: an iterable of rows."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def with_format(self, format):
        return self


IterableDataset.__module__ = "datasets.iterable_dataset"


class DatasetDict(dict):
    """A stand-in for datasets.DatasetDict: datasets by the names of splits."""


def parquet_file():
    packed = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(TABLE, packed, row_group_size=2)
    return pyarrow.parquet.ParquetFile(pyarrow.BufferReader(packed.getvalue()))


TABLE = pyarrow.table(COLUMNS)
ROWS = TABLE.to_pylist()
TABLES = {
    "records": lambda: ROWS, "generator": lambda: (dict(row) for row in ROWS),
    "columns": lambda: COLUMNS, "columns of numpy": lambda: {
        name: numpy.array(values) for name, values in COLUMNS.items()},
    "lazy": lambda: polars.LazyFrame(COLUMNS), "duckdb": lambda: duckdb.from_arrow(TABLE),
    "arrow dataset": lambda: pyarrow.dataset.dataset(TABLE),
    "scanner": lambda: pyarrow.dataset.dataset(TABLE).scanner(),
    "parquet file": parquet_file, "iterable": lambda: IterableDataset(ROWS),
    "arrow": lambda: TABLE, "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: TABLE.to_reader(max_chunksize=2), "pandas": lambda: pandas.DataFrame(COLUMNS),
    "polars": lambda: polars.DataFrame(COLUMNS), "dataset": lambda: Dataset(TABLE),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    table = TABLES[kind]
    assert found(table()) == [("a", "x")]
    assert found(table(), id="n") == [(1, 3)]
    assert found(table(), ids=[5, 6, 7]) == [(5, 7)]
    assert found(table(), text="more") == []
    done = twinset.dedup(table(), id="n")
    assert done.kept == [1, 2]
    marked = twinset.dedup(table(), annotate=True).to_arrow()
    assert marked["twinset_kept"].to_pylist() == [None, None, "x"]
    assert marked["more"].to_pylist() == ["p", "q", "r"]


@pytest.mark.parametrize(("kind", "expected"), [
    ("records", list), ("generator", list), ("columns", dict), ("lazy", polars.LazyFrame),
    ("duckdb", pyarrow.Table), ("arrow dataset", pyarrow.Table), ("parquet file", pyarrow.Table),
    ("iterable", list)])
def test_kept_rows_have_the_type_of_the_data(kind, expected):
    kept = twinset.dedup(TABLES[kind]()).table()
    assert isinstance(kept, expected)
    rows = {list: lambda: kept, dict: lambda: pyarrow.table(kept).to_pylist(),
            pyarrow.Table: lambda: kept.to_pylist(),
            polars.LazyFrame: lambda: kept.collect().to_dicts()}[expected]()
    assert rows == ROWS[:2]


def test_records_with_missing_fields():
    rows = [{"text": FOX, "id": "a"}, {"id": "b"}, {"id": "c", "text": FOX, "more": 1}]
    result = twinset.scan(rows)
    assert [(pair.a, pair.b) for pair in result] == [("a", "c")]
    assert [row.id for row in result.skipped] == ["b"]
    with pytest.raises(ValueError, match="'text' has 2, 'n' has 1"):
        twinset.scan({"text": [FOX, FOX], "n": [1]})


def test_splits():
    """A DatasetDict has the rows of its splits, one split after the other, named by split."""
    train = pyarrow.table({"text": [FOX, TEXTS[2]], "key": [1, 2]})
    test = pyarrow.table({"text": ["other", FOX], "key": [2, 3]})
    data = DatasetDict(train=Dataset(train), test=Dataset(test))
    assert found(data) == [("test:2", "train:1")]
    assert found(data, id="key") == [("1", "3")]
    done = twinset.dedup(data, id="key", annotate=False)
    assert done.kept == ["1", "train#2", "test#2"]
    kept = done.table()
    assert isinstance(kept, DatasetDict) and list(kept) == ["train", "test"]
    assert kept["test"].with_format("arrow")[:]["text"].to_pylist() == ["other"]
    marked = twinset.dedup(data, annotate=True).table()
    assert marked["test"].with_format("arrow")[:]["twinset_kept"].to_pylist() == [None, "train:1"]
    lazy = {name: IterableDataset(row.to_pylist()) for name, row in
            (("train", train), ("test", test))}
    assert twinset.dedup(lazy).table() == {"train": train.to_pylist(),
                                           "test": test.to_pylist()[:1]}


def test_spans_of_splits():
    passage = " ".join(f"w{number}" for number in range(30))
    texts = [f"{FOX} {passage}", f"{TEXTS[2]} {passage} End."], [f"Other. {passage} Last."]
    train, test = (pyarrow.table({"text": column, "n": range(len(column))}) for column in texts)
    data = DatasetDict(train=Dataset(train), test=Dataset(test))
    lazy = {name: IterableDataset(table.to_pylist()) for name, table in
            (("train", train), ("test", test))}
    left = [[texts[0][0], f"{TEXTS[2]} End."], ["Other. Last."]]
    for given in (data, lazy):
        kept = twinset.dedup(given, min_passage=25).table()
        rows = [split.with_format("arrow")[:].to_pylist() if given is data else split
                for split in kept.values()]
        assert [[row["text"] for row in split] for split in rows] == left
        assert [list(row) for row in rows[0]] == [["text", "n"]] * 2


def test_a_selection_of_a_dataset():
    """After select() or shuffle(), the rows of a dataset differ from those of its Arrow table."""
    data = Dataset(pyarrow.table({"text": [TEXTS[2], FOX, FOX, "other"]}), [3, 2, 1])
    assert found(data) == [(1, 2)]
    left = twinset.dedup(data).table()
    assert isinstance(left, Dataset) and left.with_format("arrow")[:]["text"].to_pylist() == \
        ["other", FOX]
    again = twinset.dedup(twinset.dedup(data, annotate=True).table(), annotate=True).to_arrow()
    assert again.column_names == ["text", "twinset_cluster", "twinset_keep", "twinset_kept",
                                  "twinset_similarity"]
    assert again["twinset_keep"].to_pylist() == [True, True, False]


def test_tables_without_ids():
    table = TABLE.drop_columns(["id"])
    assert found(table) == [(0, 2)]


@pytest.mark.parametrize("kind", TABLES)
def test_missing_columns(kind):
    for keywords in ({"text": "body"}, {"id": "key"}):
        what, name = next(iter(keywords.items()))
        with pytest.raises(ValueError, match=f"{what}: there is no column '{name}'; there are: "
                                             "'id', 'text', 'n', 'more'"):
            twinset.scan(TABLES[kind](), **keywords)


def test_a_column_of_numbers():
    with pytest.raises(TypeError, match="column 'n'.*Arrow"):
        twinset.scan(TABLE, text="n")
    with pytest.raises(TypeError, match="column 'n'"):
        twinset.scan(pandas.DataFrame(COLUMNS), text="n")
    with pytest.raises(TypeError, match="1.5 at position 0"):
        twinset.scan(pyarrow.table({"text": THREE, "id": [1.5, 2.5, 3.0]}))


def test_only_needed_libraries_are_imported():
    """A library is imported only for its own data."""
    program = f"""
import sys
import twinset
twinset.scan({THREE!r}); twinset.dedup({THREE!r}); twinset.compare("a", "b")
twinset.LSH().insert("a", twinset.Sketcher().sketch("a"))
loaded = sorted({{"numpy", "pyarrow", "pandas", "polars", "tqdm", "datasets"}} & set(sys.modules))
assert not loaded, loaded
import polars
twinset.dedup(polars.DataFrame({{"text": {THREE!r}}}), annotate=True).table()
twinset.scan({THREE!r}).to_polars()
assert "pyarrow" not in sys.modules and "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_errors_name_what_to_install(monkeypatch):
    result = twinset.scan(THREE)
    for name, use in (("pyarrow", result.to_arrow), ("pandas", result.to_pandas),
                      ("polars", result.to_polars)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"needs {name}: pip install {name}"):
            use()


@pytest.mark.parametrize(("module", "without"), [
    ("spark", "pyspark"), ("beam", "apache_beam"), ("datasketch", "numpy"), ("lab", "numpy")])
def test_errors_name_what_to_install_for_a_module(module, without):
    program = f"import sys; sys.modules[{without!r}] = None; import twinset.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: twinset.{module} needs {without}: pip install "), last


def test_groups_are_of_files():
    with pytest.raises(twinset.UsageError, match="group"):
        twinset.scan(THREE, group="dir")
    assert found(THREE, group="none") == [(0, 2)]
