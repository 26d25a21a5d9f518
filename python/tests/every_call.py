"""Calls every function of the module repeatedly, also with wrong arguments.

    python every_call.py COUNT

script/long runs it under AddressSanitizer, and test_core_memory.py runs it for a short time.
"""

import os
import sys
import tempfile
from array import array
from pathlib import Path

from twinset import _core


class Array(array):
    """An array with the methods of numpy that the module uses."""

    base = None

    def copy(self):
        return Array(self.typecode, self)


ESSAY = "The lighthouse keeper climbed the stairs every evening, counting them as he went. " * 4
OTHER = ESSAY.replace("evening", "morning") + "One day there was one stair more."
LONE = "half of a pair: \ud83d, and nothing behind it; that is no text, but people have it"
PROGRAM = """def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)
"""


class Named:
    """A signature of another library."""

    def __init__(self, hashvalues):
        self.hashvalues = hashvalues


def nothing(*_):
    pass


def fails(*_):
    raise ZeroDivisionError


def expect(exception, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except exception:
        return
    raise AssertionError(f"{function} did not raise {exception.__name__}")


def filled(options=None, progress=None):
    collection = _core.Collection({"threads": "1", **(options or {})}, progress)
    collection.add_texts([ESSAY, OTHER, None, LONE, b"bytes \xff, too", ""])
    return collection


def functions():
    _core.options()
    _core.rules()
    _core.use_command_words(_core.use_command_words(True))
    _core.compare(ESSAY, OTHER.encode(), {"k": "5"})
    expect(_core.UsageError, _core.compare, "a", "b", {"k": "none"})
    expect(TypeError, _core.compare, "a", None)
    expect(TypeError, _core.compare, "a", "b", {"k": 5})
    _core.normalise(LONE)
    _core.shingles(ESSAY, {"by": "word"})
    expect(TypeError, _core.shingles, 7)
    _core.tune({"threshold": "0.8"})
    _core.tune_walk({"hashes": "12"})
    _core.probability(5, 25, 0.9)


def sketcher():
    sketch = _core.Sketcher({"hashes": "16", "scheme": "datasketch1"})
    first, second = sketch.text(ESSAY), sketch.text(None)
    sketch.texts([ESSAY, None, b"bytes", LONE, ""])
    expect(TypeError, sketch.texts, ["a", 1])
    expect(TypeError, sketch.texts, "a")
    _core.merge(first, second)
    _core.estimate(first, second)
    expect(ValueError, _core.merge, first, second[:8])
    values, slots = array("Q", [1, 2, 3]), _core.HashValues()
    sketch.values(values)
    sketch.items([b"a", bytearray(b"b"), memoryview(b"c")])
    slots.hashvalues = taken = Array("Q", [2**32 - 1] * 16)
    sketch.lower(iter([b"a", b"b"]), slots)
    sketch.lower_values(values, slots)
    assert slots.hashvalues != taken
    expect(TypeError, sketch.lower, ["a"], slots)
    expect(TypeError, sketch.lower, [b"a"], values)
    slots.hashvalues = first
    expect(AttributeError, sketch.lower, [b"a"], slots)
    slots.hashvalues = Array("Q", [1])
    expect(ValueError, sketch.lower, [b"a"], slots)
    a, b = sketch.functions()
    sketch.set_functions(a, b)
    expect(ValueError, sketch.set_functions, a, b[:8])
    expect(_core.UsageError, _core.Sketcher({"hashes": "4"}).functions)
    expect(_core.UsageError, _core.Sketcher, {"unknown": ""})


def spans():
    finder = _core.SpanFinder({"min-passage": "5"})
    expect(_core.UsageError, _core.SpanFinder, {})
    found, ends = finder.fingerprints([ESSAY, None, OTHER])
    hashes, words, ends = finder.runs([ESSAY, None, OTHER], found, ends)
    expect(ValueError, finder.runs, [ESSAY], found, b"")
    expect(ValueError, finder.runs, [ESSAY], found, array("q", [-1]))
    first = array("Q", ends)[0]
    [excerpt] = finder.excerpts(ESSAY, array("Q", [0, 1000]))
    expect(ValueError, finder.excerpts, ESSAY, array("Q", [0]))
    expect(TypeError, finder.excerpts, None, b"")
    runs = array("Q", [0, first, 0, 0])
    cut, covered, count = finder.verify(ESSAY, runs, array("Q", [0]), [excerpt])
    assert covered == count and _core.cut_spans(ESSAY, cut) == b""
    _core.cut_spans(ESSAY.encode(), b"")
    expect(_core.UsageError, finder.verify, ESSAY, runs, array("Q", [0]), [excerpt[1:]])
    expect(ValueError, finder.verify, ESSAY, runs, b"", [excerpt])
    expect(ValueError, _core.cut_spans, ESSAY, b"8 bytes.")
    expect(_core.UsageError, _core.cut_spans, "short", cut)
    collection = _core.Collection({"min-passage": "5", "threshold": "1"})
    collection.add_texts([ESSAY, "Then: " + ESSAY], ["a", "b"])
    result = collection.dedup()
    id, numbers, sources = result.cut(0)
    assert (result.cuts(), id, sources) == (1, "b", ["a"]) and len(numbers) == 56
    expect(IndexError, result.cut, 1)


def lsh():
    index = _core.LSH(4, 8)
    signature = bytes(range(32))
    index.insert("a", signature)
    index.insert(("b", 1), Named(bytearray(signature)))
    expect(ValueError, index.insert, "a", signature)
    expect(ValueError, index.insert, "short", b"")
    expect(TypeError, index.insert, "none", None)
    expect(TypeError, index.insert, [], signature)
    assert index.query(signature) == ["a", ("b", 1)] == index.keys()
    index.query(Named(signature), 2)
    expect(ValueError, index.query, signature, 5)
    index.signature("a")
    index.remove("a")
    expect(ValueError, index.remove, "a")
    expect(ValueError, index.signature, "a")
    assert len(index) == 1 and "a" not in index
    expect(ValueError, _core.LSH, 0, 1)


def index():
    values = array("Q", range(10))
    made = _core.MinHashIndex(2, 4, 10)
    own = _core.HashValues()
    expect(AttributeError, getattr, own, "hashvalues")
    for held in (None, values, bytearray(80), values):
        own.hashvalues = held
    made.insert("a", own)
    made.insert(key="b", minhash=Named(values), check_duplication=False)
    made.insert("a", own, False)
    made.insert("a", values.tobytes()[:64], False)
    assert made.query(own) == made.query(minhash=Named(values), bands=1) == ["a", "b"]
    expect(ValueError, made.insert, "a", own)
    expect(ValueError, made.insert, "c", Named(array("I", range(10))))
    expect(ValueError, made.query, Named(array("Q", range(9))))
    expect(ValueError, made.query, b"short")
    expect(ValueError, made.query, own, 3)
    expect(AttributeError, made.insert, "c", None)
    expect(TypeError, made.insert, [], own)
    expect(TypeError, made.insert, "c", own, name=1)
    expect(TypeError, made.query)
    own.hashvalues = memoryview(array("Q", range(20)))[::2]
    made.query(own)
    own.hashvalues = array("Q", [2**40] * 10)  # values are stored in 64 bits from now on
    assert made.query(own) == [] and len(made.signatures("a")) == 3
    made.scheme = "legacy"
    own_scheme = Named(own.hashvalues)
    own_scheme.scheme = "other"
    expect(ValueError, made.query, own_scheme)
    del made.scheme
    made.remove("a")
    expect(ValueError, made.remove, "a")
    expect(ValueError, made.signatures, "a")
    assert made.keys() == ["b"] and made.changes and made.slot_bytes == 8
    expect(ValueError, _core.MinHashIndex, 2, 4, 7)
    expect(ValueError, _core.MinHashIndex.__new__(_core.MinHashIndex).query, own)
    del own.hashvalues


def scan():
    collection = filled({"threshold": "0.1"}, nothing)
    result = collection.scan()
    result.run(), result.pair(0), result.cluster(0), result.skipped(), result.flagged()
    result.notes(), result.stages(), result.passages(0)
    expect(IndexError, result.pair, len(result))
    for field in _core.PAIR_FIELDS:
        result.column("pairs", field)
    expect(ValueError, result.column, "pairs", "unknown")
    for form in ("table", "csv", "tsv", "json", "jsonl", "candidates"):
        result.write(form, nothing)
    expect(ZeroDivisionError, result.write, "csv", fails)
    result.write_report(nothing, (1, 1, 0, 0))
    collection.add_texts(["a"])
    collection.cancel()
    expect(_core.Error, collection.scan)
    collection.scan()


def dedup():
    collection = filled({"threshold": "0.1"})
    result = collection.dedup("longest")
    result.removed(0)
    result.column("removed", "id"), result.column("removed", "cluster")
    result.write_removed(nothing)
    expect(_core.UsageError, collection.outputs, False, False)
    for number, name in enumerate(collection.outputs(True, False)):
        if name:
            collection.clean(result, number, None, False, nothing)
    expect(_core.UsageError, result.decisions, 0, 0, 1)
    expect(ValueError, result.decisions, 0, -1, 1)


def json_texts():
    with tempfile.TemporaryFile(buffering=0) as file:
        _core.write_json_lines((('{"t":', ['a\n"\0' * 9, "b", None, ""], True),), file.fileno())
        size, keep = file.tell(), bytes(4)
        valid, offsets, characters, count = _core.read_json_texts(
            file.fileno(), 0, size, 5, keep + b"gone" + 2 * keep)
        assert (valid, characters, count) == (b"\5", b'a\n"\0' * 9, 3)
        assert array("q", offsets).tolist()[:4] == [0, 36, 36, 36]
        for start, end, key, removals in ((0, size + 1, 5, keep), (0, size, 5, 5 * keep),
                                          (0, 9, 5, keep), (0, size, size, keep)):
            expect(OSError, _core.read_json_texts, file.fileno(), start, end, key, removals)
        for bad in (b'{"t":"a\n', b'{"t":"a\\\n', b'{"t":"a\\u00\n', b'{"t":"a\tb"}\n'):
            file.truncate(0)
            os.pwrite(file.fileno(), bad, 0)
            expect(OSError, _core.read_json_texts, file.fileno(), 0, len(bad), 5, keep)
    expect(OSError, _core.read_json_texts, -1, 0, 1, 5, keep)
    expect(ValueError, _core.read_json_texts, 0, 2, 1, 5, keep)
    expect(TypeError, _core.read_json_texts, 0, 0, 1, 5, None)


def records():
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/a.jsonl", "wb") as file:
        _core.write_json_lines((('{"id":', ["1", "2"], False), (',"text":', ["a\n", None], True)),
                               file.fileno())
        expect(ValueError, _core.write_json_lines, (("a", ["b"], True), ("c", [], True)), 1)
        expect(OSError, _core.write_json_lines, (("a", ["b"], True),), -1)
        collection = _core.Collection()
        collection.add_path(file.name)
        result = collection.dedup()
        assert result.decisions(0, 0, 2, True) == (bytes(8), bytes(8))
        assert result.decisions(0, 1, 1) == (bytes(4), None)


def rest_of_collections():
    filled().sketch("jsonl", nothing)
    expect(ZeroDivisionError, filled().sketch, "binary", fails)
    filled().texts(nothing)
    expect(ZeroDivisionError, filled().texts, fails)
    collection = filled({"by": "code", "lang": "python"})
    expect(ValueError, collection.add_texts, ["a", "b"], ["one"])
    expect(_core.UsageError, collection.add_texts, ["a"], ["with\0nul"])
    expect(TypeError, collection.add_texts, ["a"], [None])
    expect(ValueError, collection.add_texts, ["a"], role="other")
    collection.add_path("no such file")
    collection.inputs(), collection.skipped()
    collection.check_outputs(["a", Path("b")])
    expect(_core.UsageError, collection.check_outputs, ["a", "./a"])
    expect(TypeError, collection.check_outputs, ["a", 7])
    expect(TypeError, collection.check_outputs, 7)
    two = _core.Collection()
    two.add_texts([PROGRAM, PROGRAM.replace("total", "sum")], ["one.py", "two.py"])
    two.compare().write("json", nothing)
    expect(_core.EmptyError, _core.Collection().scan)
    expect(TypeError, _core.Collection, None, 7)


def files(folder):
    path = os.path.join(folder, "records.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f'{{"id": "{i}", "text": "{ESSAY}"}}\n' for i in range(3))
    collection = _core.Collection({"threads": "1"})
    collection.add_path(path)
    result = collection.dedup()
    collection.outputs(True, False)
    collection.clean(result, 0, "out.jsonl", True, nothing)
    expect(ZeroDivisionError, collection.clean, result, 0, None, False, fails)
    expect(IndexError, collection.clean, result, 9, None, False, nothing)


def store(folder):
    path, copy = os.path.join(folder, "i.twx"), os.path.join(folder, "copy.twx")
    made = _core.Store(path, {"threads": "1"}, create=True)
    made.add_texts([ESSAY, OTHER, None], ["one", "two", "three"], ["g", None, "g"],
                   ["{}", "", None])
    expect(ValueError, made.add_texts, [ESSAY], ["one", "two"])
    expect(ValueError, made.add_texts, [ESSAY], ["o\0ne"])
    made.skipped(), made.get("one"), made.get("nobody"), made.stat()
    collection = _core.Collection({"threshold": "0.1"}, None, made)
    collection.add_texts([ESSAY], ["asked"])
    made.query(collection).pair(0)
    made.add_find(collection)
    made.add(collection)
    expect(TypeError, made.query, path)
    made.dump(nothing_of_four, "*")
    made.clusters(nothing)
    expect(ZeroDivisionError, made.dump, lambda *given: 1 / 0)
    made.verify(nothing)
    made.optimize()
    made.backup(copy)
    made.merge(copy)
    made.remove(["one", "nobody"])
    made.remove_matching("t*", None)
    made.close()
    expect(ValueError, made.stat)
    expect(_core.InputError, _core.Store, folder)
    os.unlink(path), os.unlink(copy)


def nothing_of_four(*given):
    return None


def arrow():
    import pyarrow
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        column = pyarrow.array([ESSAY, None, OTHER, ""], kind)
        _core.Sketcher({"hashes": "8"}).texts(column[1:])
        _core.Sketcher({"hashes": "8"}).texts(pyarrow.chunked_array([column, column[:0], column]))
    _core.Sketcher({"hashes": "8"}).texts(pyarrow.array([ESSAY, None]).dictionary_encode())
    expect(TypeError, _core.Sketcher().texts, pyarrow.array([1]))
    expect(TypeError, _core.Sketcher().texts, pyarrow.table({"text": [ESSAY]}))
    collection = _core.Collection({"threads": "1"})
    collection.add_texts(pyarrow.array([ESSAY, OTHER]), pyarrow.array(["one", "two"]))
    collection.scan()


def calls(folder):
    """The calls by name. Each takes a fraction of a second, and leaves nothing behind."""
    found = {function.__name__: function
             for function in (functions, sketcher, spans, lsh, index, scan, dedup, json_texts,
                              records, rest_of_collections)}
    found["files"] = lambda: files(folder)
    found["store"] = lambda: store(folder)
    try:
        import pyarrow  # noqa: F401
        found["arrow"] = arrow
    except ImportError:
        pass
    return found


def main():
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(folder).items():
            for _ in range(count):
                call()
            print(f"{name}: {count} times", flush=True)


if __name__ == "__main__":
    main()
