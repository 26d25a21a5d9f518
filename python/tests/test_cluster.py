"""twinset.cluster: the steps of a scan, run here one after the other, write the command's bytes.

Rows are divided into partitions by a hash, sorted there, and cut into batches anywhere, as engines
do.
"""

import argparse
import random
from array import array
from collections import Counter
from itertools import cycle, islice, repeat

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from spread import SEED, documents, edited, scanned, text  # noqa: E402
from twinset import _core, options  # noqa: E402
from twinset.cluster import alone, arguments, candidates, clusters, columns  # noqa: E402
from twinset.cluster import decide, documents as texts  # noqa: E402
from twinset.cluster import limit, lines, needs, originals, spill, transport  # noqa: E402
from twinset.cluster import verify as verifying  # noqa: E402
from twinset.cluster.settings import settings  # noqa: E402


class Engine:
    """A stand-in for an engine: runs steps on rows in partitions."""

    def __init__(self, partitions, seed=SEED):
        self.partitions, self.chance = partitions, random.Random(seed)

    def deal(self, rows, key, order):
        """Divides dicts into partitions by their key, and sorts these by `order`."""
        partitions = [[] for _ in range(self.partitions)]
        for row in rows:
            partitions[hash(tuple(row[name] for name in key)) % self.partitions].append(row)
        for partition in partitions:
            partition.sort(key=lambda row: tuple(encoded(row[name]) for name in order))
        return partitions

    def run(self, partitions, schema, stage, *arguments):
        """Runs a stage on each partition, in batches of any size, and returns its rows."""
        return [row for partition in partitions
                for batch in stage(self.cut(partition, schema), *arguments)
                for row in batch.to_pylist()]

    def cut(self, rows, schema):
        at = 0
        while at < len(rows):
            size = self.chance.choice((0, 1, 2, 7, 100, 5000))
            yield pa.RecordBatch.from_pylist(rows[at:at + size], schema=schema)
            at += size


def encoded(value):
    return value.encode() if isinstance(value, str) else value


def schema(**fields):
    kinds = {"s": pa.string(), "b": pa.binary(), "i": pa.int64(), "S": pa.list_(pa.string()),
             "I": pa.list_(pa.int64())}
    return pa.schema([(name, kinds[kind]) for name, kind in fields.items()])


def number(engine, pairs, copies, stars):
    """Adds the numbers of clusters to pairs."""
    edges = [{"u": row["a"], "v": row["b"]} for row in pairs if row["match"]]
    roots = components(engine, edges, stars)
    sizes = Counter()
    for row in copies:
        sizes[row["id"]] += len(row["members"])
    all = {row["original"] for row in pairs} | {row["a"] for row in pairs if row["match"]}
    by_root = Counter()
    for id in all:
        by_root[roots.get(id, id)] += sizes.get(id, 1)
    order = sorted(by_root, key=lambda root: (-by_root[root], root.encode()))
    half = len(order) // 2
    rows = [{"part": 7 if at >= half else 3, "root": root, "size": by_root[root]}
            for at, root in enumerate(order)]
    numbered = engine.run([rows], schema(part="i", root="s", size="i"), clusters.number,
                          {3: 0, 7: half})
    cluster = {row["root"]: row["cluster"] for row in numbered}
    for row in pairs:
        row["cluster"] = cluster[roots.get(row["original"], row["original"])]
    return pairs


def components(engine, edges, stars):
    kind = schema(u="s", v="s")
    if not stars:
        found = engine.run([edges], kind, clusters.union_find)
        return {row["u"]: row["v"] for row in found}
    before = None
    while edges != before:
        before = edges
        both = edges + [{"u": row["v"], "v": row["u"]} for row in edges]
        large = engine.run(engine.deal(both, ["u"], ["u", "v"]), kind, clusters.large_star)
        down = [{"u": max(row.values()), "v": min(row.values())} for row in large]
        small = engine.run(engine.deal(down, ["u"], ["u", "v"]), kind, clusters.small_star)
        edges = [dict(row) for row in sorted({tuple(row.items()) for row in small})]
    return {row["u"]: row["v"] for row in edges}


def scan(engine, given, stars=False, **options):
    """All pairs, by the steps of twinset.cluster."""
    chosen = settings("twinset.spark", options)
    rows = [{"id": name, "text": content} for name, content in given]
    looked = engine.run([rows[0::2], rows[1::2]], schema(id="s", text="s"), texts.look_through,
                        chosen)
    known = [row for row in looked if not row["skipped"]]
    assert {row["skipped"] for row in looked} == {None, "null", "empty"}
    packed = engine.run(engine.deal(known, ["identity"], ["identity", "id"]),
                        schema(identity="b", id="s", buckets="I"), originals.originals, chosen, 4)
    found = engine.run(engine.deal(packed, ["part"], ["part"]), originals.PACKED,
                       candidates.candidates, chosen)
    asked = engine.run(engine.deal(found, ["id"], ["id", "family", "chunk"]), candidates.NEEDS,
                       needs.needs)
    copies = [row for row in asked if row["members"]]
    text = dict(given)
    asked = [{**row, "text": text[row["id"]]} for row in asked]
    kind = schema(family="s", chunk="i", id="s", text="s", partners="I", centres="S", members="S")
    pairs = engine.run(engine.deal(asked, ["family", "chunk"], ["family", "chunk", "id"]), kind,
                       verifying.verify, chosen)
    numbered = number(engine, pairs, copies, stars)
    asked.sort(key=lambda row: tuple(encoded(row[name]) for name in ("family", "chunk", "id")))
    together = engine.run([asked], kind, clusters.number_pairs, chosen)
    assert as_lines(engine, together) == as_lines(engine, numbered)
    return numbered


def as_lines(engine, pairs, format="jsonl"):
    pairs = sorted(pairs, key=lambda row: (-row["similarity"], row["a"], row["b"]))
    return [row["value"] for row in engine.run([pairs], clusters.PAIRS, lines.lines, format)]


@pytest.mark.parametrize("partitions", (1, 2, 8))
@pytest.mark.parametrize("stars", (False, True))
def test_steps_make_a_scan(tmp_path, partitions, stars):
    engine = Engine(partitions)
    given = documents(400)
    expected = scanned(tmp_path, given)
    assert len(expected) > 200
    assert as_lines(engine, scan(engine, given, stars)) == expected


OPTIONS = [
    {"threshold": 0.8},
    {"max_bucket": 5},
    {"max_bucket": 0, "threshold": 0.9},
    {"max_bucket": 20, "by": "word", "k": 2, "measure": "containment"},
    {"bag": True, "hashes": 64, "scheme": "affine", "seed": 7},
    {"quotations": "drop", "bibliography": "drop", "k": 5, "case": "keep"},
    {"bands": 20, "rows": 2, "max_bucket": 3},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_steps_make_a_scan_with_options(tmp_path, options):
    engine = Engine(3)
    given = documents(150, hot=60, copies=40)
    given += [("q1", '"All of this was said by somebody else."'),
              ("q2", '"All of this was said by somebody else."')]
    words = [word for name, value in options.items()
             for word in ([f"--{name.replace('_', '-')}"] +
                          ([] if value is True else [str(value)]))]
    for format in lines.FORMATS:
        expected = scanned(tmp_path, given, *words, format=format)
        assert as_lines(engine, scan(engine, given, **options), format) == expected
    assert len(expected) > 500


def test_a_hot_bucket_and_many_copies(tmp_path):
    engine = Engine(4)
    given = documents(50, hot=1200, copies=1200)
    expected = scanned(tmp_path, given, "--max-bucket", "100", "--threshold", "0.9")
    assert as_lines(engine, scan(engine, given, max_bucket=100, threshold=.9)) == expected


def test_rows_beyond_the_limit_of_memory_go_to_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(verifying, "HELD_BYTES", 2000)
    monkeypatch.setattr(candidates, "PART_BYTES", 5000)
    engine = Engine(1)
    given = documents(60, hot=80)
    expected = scanned(tmp_path, given, "--max-bucket", "10")
    assert as_lines(engine, scan(engine, given, max_bucket=10)) == expected


# ---- candidates and needs

def cut(ids, sizes, bucket=7):
    """The ids of one bucket, in batches."""
    ids = iter(ids)
    while taken := list(islice(ids, next(sizes))):
        yield pa.record_batch([pa.array([bucket] * len(taken), pa.int64()), pa.array(taken)],
                              schema=originals.RECORDS)


def references(ids):
    return candidates.references(pa.array(ids, pa.string())).tolist()


def candidate_rows(batches, limit, ids):
    """The rows with partners. Those of partners have to be what these ask for."""
    rows = [row for batch in candidates.pairs_in_buckets(batches, limit)
            for row in batch.to_pylist()]
    names = dict(zip(references(ids), ids))
    found = [(row["id"], row["family"], row["chunk"], [names[one] for one in row["partners"]])
             for row in rows if row["partners"]]
    assert {(partner, family, chunk) for _, family, chunk, partners in found
            for partner in partners} == {
        (row["id"], row["family"], row["chunk"]) for row in rows if not row["partners"]}
    return found


@pytest.mark.parametrize("sizes", ([3000], [1], [999, 1, 1], [7, 1000, 3]), ids=str)
def test_a_bucket_over_the_limit_is_a_star(sizes):
    ids = [f"{number:05}" for number in range(3000)]
    found = candidate_rows(cut(ids, cycle(sizes)), 1000, ids)
    assert [id for id, _, _, _ in found] == ids[1:]
    assert all(partners == [other for other in ids[:16] if other < id]
               for id, _, _, partners in found)
    assert Counter(chunk for _, _, chunk, _ in found)[1] == 1024
    assert all(family == ids[0] for _, family, _, _ in found)
    for limit in (1000, 0):
        all_pairs = candidate_rows(cut(ids[:1000], cycle(sizes)), limit, ids)
        assert all_pairs[-1] == (ids[999], ids[0], 0, ids[:999])
        assert sum(len(partners) for _, _, _, partners in all_pairs) == 1000 * 999 // 2
    assert candidate_rows(cut(ids[:1], cycle(sizes)), 1, ids) == []


@pytest.mark.parametrize("limit", (0, 1, 3, 16, 17, 40))
def test_buckets_may_end_anywhere(limit):
    chance = random.Random(SEED + limit)
    rows, expected = [], []
    for bucket in range(200):
        ids = sorted(f"{bucket}-{at:03}" for at in range(chance.choice((1, 2, 3, 17, 30, 90))))
        rows += [(bucket, id) for id in ids]
        over = limit and len(ids) > limit
        expected += [(id, ids[0], 0, ids[:min(at, 16) if over else at])
                     for at, id in enumerate(ids) if at]
    for _ in range(20):
        batches, at = [], 0
        while at < len(rows):
            size = chance.choice((0, 1, 2, 15, 16, 17, 50, 400))
            batches.append(pa.RecordBatch.from_arrays(
                [pa.array([row[side] for row in rows[at:at + size]], field.type)
                 for side, field in enumerate(originals.RECORDS)], schema=originals.RECORDS))
            at += size
        ids = [id for _, id in rows]
        assert candidate_rows(batches, limit, ids) == expected, f"seed {SEED + limit}"


def test_a_large_bucket_is_not_held_in_memory():
    """Pairs of a bucket of a million records come out before all records are read."""
    def endless():
        for number in range(1_000_000):
            taken.append(number)
            yield f"{number:07}"

    taken, seen = [], 0
    for batch in candidates.pairs_in_buckets(cut(endless(), repeat(100)), 1000):
        seen += len(batch)
        assert len(batch.column("partners").flatten()) <= columns.ITEMS
        if seen > 5000:
            break
    assert len(taken) < seen + 200


def test_a_partner_takes_eight_bytes():
    ids = [f"{number:068}" for number in range(1000)]
    made = candidates.pairs_in_buckets(cut(ids, repeat(1000)), 1000)
    assert sum(batch.nbytes for batch in made) < 8 * 499_500 + 400 * 1000


@pytest.mark.parametrize("block", (1, 50, 1 << 19))
def test_each_pair_is_needed_once(monkeypatch, block):
    monkeypatch.setattr(needs, "BLOCK", block)
    monkeypatch.setattr(columns, "ITEMS", 20)
    chance, rows = random.Random(SEED), []
    for at in range(1, 60):
        for _ in range(chance.randrange(1, 6)):
            others = chance.sample(range(at), min(at, chance.randrange(1, 9)))
            row = {"family": f"{min(others):02}", "chunk": chance.randrange(2), "partners": None,
                   "centres": None, "members": None}
            rows += [{**row, "id": f"{other:02}"} for other in others]
            rows.append({**row, "id": f"{at:02}", "partners": sorted(others)})
    copies = [{"id": "07", "family": "07", "chunk": chunk, "partners": None, "centres": ["07", "x"],
               "members": ["07", "x"]} for chunk in range(3)]
    repeated = {"id": "08", "family": None, "chunk": 2, "partners": None, "centres": None,
                "members": None}
    rows += [*copies, repeated]
    rows.sort(key=lambda row: (row["id"], row["family"] or "", row["chunk"]))
    first, asked = {}, set()
    for row in rows:
        for other in row["partners"] or ():
            first.setdefault((other, row["id"]), (row["family"], row["chunk"]))
            asked.add((f"{other:02}", row["family"], row["chunk"]))
    found = Engine(1).run([rows], candidates.NEEDS, needs.needs)
    assert [row for row in found if row["members"]] == copies
    assert [row for row in found if row["family"] is None] == [repeated]
    others = [row for row in found if row["family"] and not row["members"]]
    fetched = {(other, row["id"]): (row["family"], row["chunk"])
             for row in others for other in row["partners"] or ()}
    assert fetched == first
    assert sum(len(row["partners"] or ()) for row in others) == len(first)
    partners = [(row["id"], row["family"], row["chunk"]) for row in others if not row["partners"]]
    assert len(partners) == len(asked) and set(partners) == asked
    assert all(row["centres"] == (["07", "x"] if row["id"] == "07" else None) for row in others)


def test_equal_ids_are_found(monkeypatch):
    """Also if the records of their part are in files."""
    monkeypatch.setattr(candidates, "PART_BYTES", 2000)
    engine, chosen = Engine(3), settings("twinset.spark", {})
    given = documents(300, copies=10)
    given += [(name, f"{content} {at}") for at, (name, content) in enumerate(given) if at % 30 < 2]
    given += [("none", None), ("none", "")]
    rows = [{"id": name, "text": content} for name, content in given]
    looked = engine.run([rows], schema(id="s", text="s"), texts.look_through, chosen)
    packed = engine.run(engine.deal(looked, ["identity"], ["id"]),
                        schema(identity="b", id="s", buckets="I"), originals.originals, chosen, 4,
                        True)
    found = engine.run(engine.deal(packed, ["part"], ["part"]), originals.PACKED,
                       candidates.candidates, chosen)
    repeated = {row["id"]: row["chunk"] for row in found if row["family"] is None}
    counts = Counter(name for name, _ in given)
    assert repeated == {name: count for name, count in counts.items() if count > 1} != {}


def test_batches_of_long_lists_are_short():
    rows = [("a", [str(at) for at in range(1000)])] * 1000
    kind = pa.schema([("id", pa.string()), ("members", pa.list_(pa.string()))])
    sizes = [len(batch) for batch in columns.batched(rows, kind)]
    assert sum(sizes) == 1000 and max(sizes) <= columns.ITEMS // 1000 + 1


def test_lists_travel_as_strings():
    rows = pa.table({"id": ["a", "b", "c", "d"], "buckets": [[1, -2], None, [], [3]],
                     "members": [None, ["x", "", "\u00e9\""], [""], None], "centres": [None] * 4},
                    pa.schema([("id", pa.string()), ("buckets", pa.list_(pa.int64())),
                               ("members", pa.list_(pa.string())),
                               ("centres", pa.list_(pa.string()))]))
    batches = [*rows.to_batches(), rows.to_batches()[0].slice(1, 2), rows.to_batches()[0].slice(3)]
    packed = list(transport.pack(batches))
    assert not any(pa.types.is_list(kind) for kind in packed[0].schema.types)
    sliced = [packed[0].slice(1, 3)]
    for out, expected in [*zip(transport.unpack(packed), batches),
                          *zip(transport.unpack(sliced), [batches[0].slice(1, 3)])]:
        out.validate(full=True)
        assert out.to_pylist() == expected.to_pylist()


# ---- clusters and decisions

@pytest.mark.parametrize("seed", range(5))
def test_components_by_stars_and_in_one_task(seed):
    chance = random.Random(seed)
    engine = Engine(3, seed)
    edges = [{"u": f"{chance.randrange(200):03}", "v": f"{chance.randrange(200):03}"}
             for _ in range(150)]
    edges = [row for row in edges if row["u"] != row["v"]]
    edges += [{"u": f"x{at:03}", "v": f"x{at + 1:03}"} for at in range(300)]  # a long chain
    leader = {}
    for row in edges:
        left, right = leader.get(row["u"], {row["u"]}), leader.get(row["v"], {row["v"]})
        both = left | right
        leader.update(dict.fromkeys(both, both))
    expected = {id: min(all) for id, all in leader.items() if id != min(all)}
    assert components(engine, edges, True) == expected
    assert components(engine, edges, False) == expected


@pytest.mark.parametrize("seed", range(5))
def test_a_document_is_kept_if_it_resembles_no_earlier_kept_one(seed):
    chance = random.Random(seed)
    edges = {(f"{max(pair):04}", f"{min(pair):04}"): chance.choice((.8, .9, .95)) for pair in
             (chance.sample(range(200), 2) for _ in range(300))}
    ids = sorted({id for edge in edges for id in edge})
    expected = {}
    for id in ids:
        near = [(-edges[id, other], other) for other in ids
                if (id, other) in edges and expected[other] == (other, 1)]
        expected[id] = (min(near)[1], -min(near)[0]) if near else (id, 1)
    kind = {"root": "r", "size": 3, "best": None, "earlier": None, "similarity": None, "text": None}
    rows = [{**kind, "original": later, "best": later, "earlier": earlier, "similarity": similarity}
            for (later, earlier), similarity in edges.items()]
    rows += [{**kind, "original": id, "best": id} for id in ids]
    rows.sort(key=lambda row: (row["best"], row["earlier"] or "~"))
    found = Engine(1, seed).run([rows], decide.ROWS, decide.decide, settings("twinset.spark", {}))
    assert {row["original"]: (row["kept"], row["similarity"]) for row in found} == expected


@pytest.mark.parametrize("looks, held", ((1000, 1 << 26), (5, 1 << 26), (40, 1000)))
def test_kept_documents_of_a_large_cluster(monkeypatch, looks, held):
    """They are those of a plain loop with the rule of the engine."""
    monkeypatch.setattr(decide, "LOOKS", looks)
    monkeypatch.setattr(decide, "HELD_BYTES", held)
    chance, engine = random.Random(SEED), Engine(1)
    models = [text(chance, 40) for _ in range(80)]
    given = [edited(chance, chance.choice(models), 3) for _ in range(300)]
    chosen = settings("twinset.spark", {"threshold": 0.5})
    comparer = _core.Comparer(chosen.options)

    def similarity(first, second):
        _, found = comparer.pairs([given[first], given[second]], array("i", [0]), array("i", [1]))
        return next(iter(array("d", found["similarity"])), None)

    kept, expected, beyond = [], [], 0
    for at in range(len(given)):
        near = ((index, alike) for index, other in enumerate(kept[:looks])
                if (alike := similarity(other, at)))
        index, alike = next(near, (None, 1.0))
        expected.append((at if index is None else kept[index], alike))
        if index is None:
            kept.append(at)
        else:
            beyond = max(beyond, index)
            kept[index], kept[index // 2] = kept[index // 2], kept[index]
    assert len(kept) > 50 and beyond > min(looks, 20) - 2
    rows = [{"root": "r", "size": 300, "original": str(at), "best": str(at), "earlier": None,
             "similarity": None, "text": content.encode()} for at, content in enumerate(given)]
    found = engine.run([rows], decide.ROWS, decide.decide, chosen)
    assert [(int(row["kept"]), row["similarity"]) for row in found] == expected


def test_dedup_uses_few_of_many_matches():
    rows = [{"a": f"{a:02}", "b": f"{b}", "similarity": .9} for b in range(6)
            for a in range((3, 16, 17, 40, 1, 99)[b])]
    kind = schema(a="s", b="s").append(pa.field("similarity", pa.float64()))
    for seed in range(20):
        found = Engine(1, SEED + seed).run([rows], kind, decide.few)
        assert found == [row for row in rows if row["a"] < "16"], f"seed {SEED + seed}"


def test_very_many_candidates_limit_the_matches_of_a_document(monkeypatch):
    monkeypatch.setattr(limit, "MANY_CANDIDATES", 30)
    chosen = settings("twinset.spark", {})
    assert limit.most_matches(30, 3, chosen) == 0
    assert limit.most_matches(97, 3, chosen) == 32 == limit.most_matches(10000, 300, chosen)
    assert limit.most_matches(96, 3, chosen) == 0
    assert limit.most_matches(97, 3, settings("twinset.spark", {"max_bucket": 0})) == 0


def test_the_first_matches_of_a_document():
    rows = [{"original": f"{b:02}", "first": f"{a:02}"} for b in range(12) for a in range(b)
            for _ in range(1 + a % 3)]
    rows += [{"original": "07", "first": "07"}] * 5
    rows.sort(key=lambda row: tuple(row.values()))
    expected = [row for row in rows if row["first"] < "04" or row["first"] == row["original"]]
    for seed in range(20):
        found = Engine(1, SEED + seed).run([rows], schema(original="s", first="s"), limit.first_few,
                                           "original", "first", 4)
        assert found == expected, f"seed {SEED + seed}"


# ---- invalid options

@pytest.mark.parametrize("options, word", [
    ({"by": "code"}, "one machine"), ({"method": "exact"}, "lsh"),
    ({"measure": "weighted"}, "whole collection"), ({"threshold": 2}, "threshold"),
    ({"min_passage": 25}, "min_passage: .* here, dedup cuts them"), ({"min_passage": 4}, "5 to"),
])
def test_options_that_need_one_machine_are_refused(options, word):
    with pytest.raises(_core.UsageError, match=word):
        settings("twinset.spark", options)


@pytest.mark.parametrize("name", ("common", "group", "old", "like", "stop",
                                  "threads", "treshold"))
def test_unknown_options_are_refused(name):
    with pytest.raises(TypeError, match=name):
        settings("twinset.spark", {name: 1})


# ---- a scan in one task

def as_batches(given, rows):
    names = [name.encode() if isinstance(name, str) else name for name, _ in given]
    ids = pa.array(names, pa.binary()).view(pa.string())  # some may not be UTF-8
    table = pa.table({"id": ids, "text": [content for _, content in given]})
    return table.to_batches(max_chunksize=rows)


def test_one_task_makes_a_scan(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "HELD_BYTES", 5000)  # other rows are on disk
    given = documents(200, hot=30, copies=30)
    chosen = settings("twinset.spark", {"max_bucket": 10})
    found = alone.pairs(as_batches(given, 17), chosen)
    seen = [line for batch in found for line in lines.lines_of(batch, "jsonl")]
    assert seen == scanned(tmp_path, given, "--max-bucket", "10")


def test_one_task_with_many_null_texts():
    given = [("a", "one text"), ("b", "one text"), *((f"{at}", None) for at in range(9))]
    [found] = alone.pairs(as_batches(given, 4), settings("twinset.spark", {}))
    assert found.to_pylist()[0]["a"] == "a" and found.num_rows == 1


def test_one_task_without_enough_memory(monkeypatch):
    def scan(*_):
        raise MemoryError

    monkeypatch.setattr(alone, "_scan", scan)
    for function in (alone.pairs, alone.members):
        [batch] = function([], settings("twinset.spark", {}))
        assert batch.column("cluster").null_count == 1


@pytest.mark.parametrize("given", [
    [("a", "x"), ("a", "y")], [(None, "x")], [("a\0b", "x")], [(b"a\xff", "x")],
])
def test_inputs_that_one_task_refuses(given):
    for function in (alone.pairs, alone.members):
        [batch] = function(as_batches(given, 1), settings("twinset.spark", {}))
        assert batch.num_rows == 1 and batch.column("cluster").null_count == 1


# ---- options

@pytest.mark.parametrize("function", ("twinset.spark", "twinset.beam"))
def test_help_lists_only_supported_values(function):
    parser = argparse.ArgumentParser()
    arguments.add_options(parser, function)
    help = parser.format_help()
    for word in ("|code", "programs", "tokens", "exact", "weighted", "machine"):
        assert word not in help, word
    assert arguments.OVERRIDDEN.keys() <= {row[0] for row in options.known(function)}
    for name in ("by", "measure", "method"):
        for value in arguments.OVERRIDDEN[name][0].split("|"):
            settings(function, {name: value})
    with pytest.raises(_core.UsageError, match="threshold"):
        settings(function, {"threshold": 0})


def test_messages_have_no_control_characters(capsys):
    assert arguments.complain(_core.UsageError("the id '\x1b[2J'\n")) == 2
    assert capsys.readouterr().err == "twinset: the id '\\u{1b}[2J'\\n\n"
