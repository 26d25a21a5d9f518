"""twinset.cluster.spans: the steps of dedup with min_passage, run here one after the other, cut the
command's spans."""

import random
from array import array

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from spread import SEED, cleaned, documents, with_passages  # noqa: E402
from test_cluster import Engine, schema  # noqa: E402
from twinset import _core  # noqa: E402
from twinset.cluster import candidates, spans  # noqa: E402
from twinset.cluster.settings import settings  # noqa: E402

WITH_TEXT = pa.schema([("id", pa.string()), ("text", pa.string()), ("packed", pa.large_binary())])


def cut(engine, given, gone, **options):
    """The rows of spans.FOUND. `gone` has the ids of documents that are removed entirely."""
    chosen, text = settings("twinset.spark", options, dedup=True), dict(given)

    def with_text(gathered):
        return [[{**row, "text": text[row["id"]]} for row in gathered]]

    rows = [{"id": name, "text": content} for name, content in given]
    packed = engine.run([rows[0::2], rows[1::2]], schema(id="s", text="s"), spans.fingerprints,
                        chosen, 4)
    shared = engine.run(engine.deal(packed, ["part"], ["part"]), spans.BY_PART, spans.shared)
    shared += spans.removed(pa.array(gone, pa.string())).to_pylist()
    kept = engine.run(engine.deal(shared, ["id"], ["id", "kind"]), spans.SHARED, spans.gather_kept)
    packed = engine.run(with_text(kept), WITH_TEXT, spans.runs, chosen, 4)
    copies = engine.run(engine.deal(packed, ["part"], ["part"]), spans.BY_PART, spans.copies)
    asked = engine.run(engine.deal(copies, ["id"], ["id", "word"]), spans.COPIES, spans.requests,
                       chosen)
    asked = engine.run(engine.deal(asked, ["id"], ["id"]), spans.REQUESTS, spans.gather, 3)
    made = engine.run(with_text(asked), WITH_TEXT, spans.excerpts, chosen)
    made = engine.run(engine.deal(made, ["id"], ["id"]), spans.EXCERPTS, spans.gather, None)
    return engine.run(with_text(made), WITH_TEXT, spans.verify, chosen, True)


def check_cut(folder, engine, given, **options):
    words = [word for name, value in options.items()
             for word in (f"--{name.replace('_', '-')}", str(value))]
    left, removed = cleaned(folder, given, *words)
    gone = [row["id"] for row in removed if row.get("similarity") is not None]
    found = cut(engine, given, gone, **options)
    assert {row["id"]: (row["spans"], row["kept"]) for row in found} == {
        row["id"]: (row["spans"], row.get("kept")) for row in removed if row.get("spans")}
    texts = {name: content for name, content in given if name not in gone}
    texts |= {row["id"]: row["text"].decode() for row in found}
    assert {name: content for name, content in texts.items() if name in left} == left
    assert texts.keys() - left.keys() == {row["id"] for row in found if row["kept"] is not None}
    return found


def test_spans_are_those_of_the_command(tmp_path):
    for partitions, length in ((1, 8), (3, 13), (8, 25)):
        given = with_passages(documents(80, copies=5, seed=SEED + partitions), SEED + partitions)
        found = check_cut(tmp_path, Engine(partitions), given, min_passage=length)
        assert len(found) > 10 and any(row["kept"] for row in found)


def test_spans_of_few_words(tmp_path, monkeypatch):
    """Runs are repeated in their own text, too, and are sorted in files."""
    monkeypatch.setattr(candidates, "PART_BYTES", 2000)
    chance = random.Random(SEED)
    given = [(f"{name}", " ".join(chance.choices("ab", k=chance.randrange(60))) + f" end{name}")
             for name in range(10, 40)]
    given += [("x", "One sentence again. " * 3000), ("y", "One sentence again. " * 2000 + "End.")]
    found = check_cut(tmp_path, Engine(2), given, min_passage=8, threshold=1)
    assert max(span["words"] for row in found for span in row["spans"]) == 6000


def test_options_of_words(tmp_path):
    given = [("a", "One two THREE four five six seven eight nine"),
             ("b", "x one two three four five six seven eight nine y")]
    assert check_cut(tmp_path, Engine(1), given, min_passage=8, threshold=1)
    assert not check_cut(tmp_path, Engine(1), given, min_passage=8, threshold=1, case="keep")


def test_spans_that_are_not_of_a_text():
    span = array("Q", (0, 9, 0, 9, 0, 2, 0)).tobytes()
    later = array("Q", (3, 9, 0, 6, 7, 2, 0)).tobytes()  # not behind the first, nor next to it
    assert _core.cut_spans("some text here", span) == b"here"
    assert _core.cut_spans('{"t": "some text here"}', span, "t") == b'{"t": "here"}'
    for text, packed, field in (("short", span, None), ("some text", span, "t"),
                              ("some text here", span + later, None)):
        with pytest.raises(_core.UsageError, match="the spans are not of this text"):
            _core.cut_spans(text, packed, field)
