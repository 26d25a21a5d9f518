"""Texts of every type, compared with the same texts as bytes."""

import struct

import arrow_by_hand as by_hand
import numpy
import pandas
import polars
import pyarrow
import pytest

from twinset import _core

TEXTS = ["The keeper climbed the stairs every evening.", None, "", "Smørrebrød på Strøget, søndag",
         "雨が降る日は本を読む", "The keeper climbed the stairs every morning."]
EMPTY = b"\xff" * 4 * 16


@pytest.fixture
def sketcher():
    return _core.Sketcher({"hashes": "16"})


def expected(sketcher, texts):
    return b"".join(EMPTY if text is None else sketcher.text(text.encode()) for text in texts)


# ---- types of Python


def test_str_bytes_and_none(sketcher):
    assert sketcher.texts(TEXTS) == expected(sketcher, TEXTS)
    assert sketcher.texts(tuple(TEXTS)) == expected(sketcher, TEXTS)
    encoded = [None if text is None else text.encode() for text in TEXTS]
    assert sketcher.texts(encoded) == expected(sketcher, TEXTS)
    assert sketcher.text(None) == sketcher.text("") == EMPTY
    assert sketcher.text(TEXTS[0]) != EMPTY


def test_no_texts(sketcher):
    assert sketcher.texts([]) == b""
    collection = _core.Collection()
    collection.add_texts([])
    assert collection.inputs() == []
    with pytest.raises(_core.EmptyError):
        collection.scan()


def test_other_sequences(sketcher):
    assert sketcher.texts(numpy.array(TEXTS, object)) == expected(sketcher, TEXTS)
    series = pandas.Series(TEXTS, dtype=object)
    assert sketcher.texts(series.tolist()) == expected(sketcher, TEXTS)


def test_lone_surrogate_is_flagged(sketcher):
    lone = "half of a pair: \ud83d, then nothing"
    assert sketcher.text(lone) == sketcher.text(lone.encode("utf-8", "surrogatepass"))
    assert sketcher.text(lone) == sketcher.text(lone.replace("\ud83d", "\ufffd" * 3))
    collection = _core.Collection()
    collection.add_texts([lone, "a text without such things"])
    flagged = collection.scan().flagged()
    assert [(path, flags & 1) for path, flags, _ in flagged] == [("0000000000", 1)]


def test_none_is_skipped_with_a_reason():
    collection = _core.Collection()
    collection.add_texts([None, "a text that can be read"], ["nothing", "something"])
    result = collection.scan()
    assert result.run()["documents"] == 1
    [(path, reason, _)] = result.skipped()
    assert path == "nothing"
    assert reason == "null"


@pytest.mark.parametrize("wrong, position, name", [
    (["a", "b", 3], "[2]", "int"), ([b"a", bytearray(b"b")], "[1]", "bytearray"),
    ([["a"]], "[0]", "list"), (["a", float("nan")], "[1]", "float")])
def test_wrong_elements(sketcher, wrong, position, name):
    with pytest.raises(TypeError, match="texts.* is .*, but must be str, bytes or None") as error:
        sketcher.texts(wrong)
    assert position in str(error.value)
    assert name in str(error.value)


@pytest.mark.parametrize("wrong", ["text", b"text", 7, None, {"a": 1}, {"a"}, iter(["a"])])
def test_objects_that_are_no_sequences(sketcher, wrong):
    with pytest.raises(TypeError, match=f"texts is {type(wrong).__name__}, but must be"):
        sketcher.texts(wrong)


def test_names():
    collection = _core.Collection()
    collection.add_texts(["one", "two"], ["ä", b"b"])
    collection.add_texts(["three"], pyarrow.array(["c"]))
    collection.add_texts(["four"], ["undecodable \udcff"])
    assert collection.inputs() == ["ä", "b", "c", "undecodable \udcff"]
    null = pyarrow.array([None], pyarrow.string())
    for wrong, exception in [([None], TypeError), (null, TypeError), (["a", "b"], ValueError),
                             (["\ud83d"], UnicodeEncodeError), (["a\0b"], _core.UsageError)]:
        with pytest.raises(exception):
            collection.add_texts(["text"], wrong)
    collection.add_texts(["text"], ["b"])
    with pytest.raises(_core.UsageError, match="two documents are named 'b'"):
        collection.scan()


def test_numbers_as_names_continue_and_sort_as_numbers():
    collection = _core.Collection()
    collection.add_texts(["one"] * 9)
    collection.add_texts(["with a name"], ["name"])
    collection.add_texts(["one"] * 3)
    names = collection.inputs()
    del names[9]
    assert [int(name) for name in names] == list(range(12))
    assert names == sorted(names)


# ---- Arrow

KINDS = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.binary(),
         pyarrow.large_binary(), pyarrow.binary_view()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrow_kinds(sketcher, kind):
    whole = pyarrow.array(TEXTS, pyarrow.string()).cast(kind)
    assert sketcher.texts(whole) == expected(sketcher, TEXTS)
    for start in range(len(TEXTS)):
        for end in range(start, len(TEXTS) + 1):
            slice_ = whole.slice(start, end - start)
            assert sketcher.texts(slice_) == expected(sketcher, TEXTS[start:end])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrow_chunks(sketcher, kind):
    chunk = pyarrow.array(TEXTS, pyarrow.string()).cast(kind)
    chunked = pyarrow.chunked_array([chunk[:0], chunk[1:4], chunk[:0], chunk, chunk[5:]])
    wanted = TEXTS[1:4] + TEXTS + TEXTS[5:]
    assert sketcher.texts(chunked) == expected(sketcher, wanted)
    assert sketcher.texts(chunked.slice(2, 5)) == expected(sketcher, wanted[2:7])
    assert sketcher.texts(pyarrow.chunked_array([], kind)) == b""


@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                   "uint64"])
@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()], ids=str)
def test_arrow_dictionaries(sketcher, index, kind):
    values = pyarrow.array(["never used", *TEXTS], kind)[1:]
    indices = pyarrow.array([5, None, 0, 1, 3, 3, 5], index)
    column = pyarrow.DictionaryArray.from_arrays(indices, values)
    wanted = [TEXTS[5], None, TEXTS[0], None, TEXTS[3], TEXTS[3], TEXTS[5]]
    assert sketcher.texts(column) == expected(sketcher, wanted)
    assert sketcher.texts(column[1:6]) == expected(sketcher, wanted[1:6])


def test_arrow_of_nulls_only(sketcher):
    assert sketcher.texts(pyarrow.nulls(3)) == EMPTY * 3
    assert sketcher.texts(pyarrow.nulls(3, pyarrow.string())) == EMPTY * 3


@pytest.mark.parametrize("wrong", [
    pyarrow.array([1]), pyarrow.array([["a"]]), pyarrow.table({"text": ["a"]}),
    pyarrow.record_batch({"text": ["a"]}), pyarrow.array([{"a": "b"}]),
    pyarrow.array([1, 1]).dictionary_encode(), pyarrow.array([b"abc"], pyarrow.binary(3))],
    ids=lambda wrong: str(getattr(wrong, "type", "table")))
def test_arrow_of_other_types(sketcher, wrong):
    with pytest.raises(TypeError, match="Arrow data has the format"):
        sketcher.texts(wrong)


def test_polars(sketcher):
    series = polars.Series("text", TEXTS)
    assert sketcher.texts(series) == expected(sketcher, TEXTS)
    assert sketcher.texts(series[2:5]) == expected(sketcher, TEXTS[2:5])
    categories = series.cast(polars.Categorical)
    assert sketcher.texts(categories) == expected(sketcher, TEXTS)
    joined = polars.concat([series, series[1:3]], rechunk=False)
    assert sketcher.texts(joined) == expected(sketcher, TEXTS + TEXTS[1:3])


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", pandas.ArrowDtype(pyarrow.string())],
                         ids=str)
def test_pandas(sketcher, dtype):
    series = pandas.Series(TEXTS, dtype=dtype)
    assert sketcher.texts(series) == expected(sketcher, TEXTS)
    assert sketcher.texts(series[2:5]) == expected(sketcher, TEXTS[2:5])


def test_reader_made_in_python(sketcher):
    """The batches of a reader are made on demand, in Python."""
    schema = pyarrow.schema({"text": pyarrow.string()})
    batches = (pyarrow.record_batch([pyarrow.array([text])], schema) for text in TEXTS)
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches)

    class Texts:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.chunked_array(
                [batch.column(0) for batch in reader]).__arrow_c_stream__(requested_schema)

    assert sketcher.texts(Texts()) == expected(sketcher, TEXTS)


# ---- Arrow by hand


def offsets(*numbers):
    return struct.pack(f"={len(numbers)}i", *numbers)


def released_all():
    return by_hand.released == by_hand.handed_out


@pytest.fixture
def counted():
    yield
    assert released_all()


def test_released_once_after_use(sketcher, counted):
    column = by_hand.Column(by_hand.schema(b"u"),
                            by_hand.array(2, [None, offsets(0, 1, 3), b"abb"]))
    assert sketcher.texts(column) == expected(sketcher, ["a", "bb"])
    assert released_all()


def test_kept_as_long_as_a_collection_or_its_result(counted):
    column = by_hand.Column(by_hand.schema(b"u"),
                            by_hand.array(2, [None, offsets(0, 9, 18), b"same text" * 2]))
    collection = _core.Collection()
    collection.add_texts(column)
    del column
    result = collection.scan()
    del collection
    assert by_hand.released["array"] == by_hand.handed_out["array"] - 1
    assert result.pair(0)[2] == 1
    del result
    assert released_all()


def test_bits_of_validity(sketcher, counted):
    """The offset is more than a byte, the number of nulls is unknown, an empty array has no
    data."""
    bits = bytes([0b11111111, 0b11101011])
    ends = offsets(*range(8), 8, 9, 9, 10, 10, 10, 11, 12, 13)
    column = by_hand.Column(by_hand.schema(b"z"),
                            by_hand.array(7, [bits, ends, b"xxxxxxxxabcdefgh"], offset=8))
    assert sketcher.texts(column) == expected(sketcher, ["a", "", None, "", None, "c", "d"])
    nothing = by_hand.Column(by_hand.schema(b"u"), by_hand.array(2, [None, offsets(0, 0, 0), None]))
    assert sketcher.texts(nothing) == EMPTY * 2
    none = by_hand.Column(by_hand.schema(b"u"), by_hand.array(0, [None, None, None]))
    assert sketcher.texts(none) == b""


def test_views(sketcher, counted):
    """Up to 12 bytes are in the view; longer texts are in one of several buffers."""
    def view(text, number=0, offset=0):
        if len(text) <= 12:
            return struct.pack("=i12s", len(text), text)
        return struct.pack("=i4sii", len(text), text[:4], number, offset)

    views = (view(b"exactly 12 b") + view(b"this is longer than that", 1, 2) + view(b"")
             + view(b"and so is this one", 0, 0))
    buffers = [None, views, b"and so is this one", b"..this is longer than that",
               struct.pack("=2q", 18, 26)]
    column = by_hand.Column(by_hand.schema(b"vu"), by_hand.array(4, buffers))
    wanted = ["exactly 12 b", "this is longer than that", "", "and so is this one"]
    assert sketcher.texts(column) == expected(sketcher, wanted)


def test_dictionary_with_nulls_on_both_sides(sketcher, counted):
    values = by_hand.array(3, [bytes([0b101]), offsets(0, 1, 2, 3), b"abc"])
    by_hand.handed_out["array"] -= 1  # its parent releases it
    by_hand.handed_out["schema"] -= 1
    column = by_hand.Column(
        by_hand.schema(b"S", by_hand.schema(b"u")),
        by_hand.array(4, [bytes([0b1011]), struct.pack("=4H", 2, 1, 0, 0)], dictionary=values))
    assert sketcher.texts(column) == expected(sketcher, ["c", None, None, "a"])


def test_stream_that_fails(sketcher, counted):
    chunks = by_hand.Chunks(by_hand.schema(b"u"),
                            [by_hand.array(1, [None, offsets(0, 1), b"a"]) for _ in range(3)],
                            fails=b"the disk is gone")
    with pytest.raises(OSError, match="the disk is gone"):
        sketcher.texts(chunks)


def test_stream_of_the_wrong_type(sketcher, counted):
    by_hand_chunks = by_hand.Chunks(by_hand.schema(b"l"), [])
    with pytest.raises(TypeError, match="'l'"):
        sketcher.texts(by_hand_chunks)
    column = by_hand.Column(by_hand.schema(b"l"), by_hand.array(0, [None, None]))
    with pytest.raises(TypeError, match="'l'"):
        sketcher.texts(column)


def test_methods_that_raise_or_lie(sketcher):
    class Raises:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ZeroDivisionError

    class Lies:
        def __arrow_c_array__(self, requested_schema=None):
            return "capsules"

    class Strange:
        def __arrow_c_stream__(self, requested_schema=None):
            return 7

    with pytest.raises(ZeroDivisionError):
        sketcher.texts(Raises())
    with pytest.raises(TypeError, match="two capsules"):
        sketcher.texts(Lies())
    with pytest.raises(ValueError):
        sketcher.texts(Strange())
