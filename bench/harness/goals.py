"""The goals of twinset, compared with measurements."""


def pick(rows, **wanted):
    """The only row with these values, or None."""
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return found[0] if found else None


def ratio(above, below, field):
    return above[field] / below[field] if above and below else None


def fastest_kernel(kernels, bytes_):
    """From normalised text, whose windows are the shingles, to signatures of 128."""
    own = [row for row in kernels if row["kernel"].startswith("fss ") and row["hashes"] == 128
           and row["bytes"] == bytes_]
    return max(own, key=lambda row: row["mb_per_s"], default=None)


def kernel_goals(kernels):
    for bytes_ in (1024.0, 5120.0, 102400.0):
        prototype = pick(kernels, kernel="prototype FSS v2", bytes=bytes_)
        yield (f"`fss`, {bytes_ / 1024:.0f} KB: of the prototype's speed", "at least", 0.9,
               ratio(fastest_kernel(kernels, bytes_), prototype, "mb_per_s"))


def sketch_goals(rows, kernels):
    for bytes_ in (1024.0, 5120.0):
        size = f"{bytes_ / 1024:.0f} KB"
        own = pick(rows, tool="twinset", bytes=bytes_)
        for tool in ("datasketch 1.10.0", "datasketch 2.0.0"):
            peer = pick(rows, tool=tool, bytes=bytes_, **{"from": "text"})
            yield (f"sketching {size}: times {tool}, both from raw text", "at least", 500.0,
                   ratio(own, peer, "mb_per_s"))
        rensa = pick(rows, tool="rensa 0.5.0", bytes=bytes_, **{"from": "shingles"})
        yield (f"sketching {size}: times rensa 0.5.0, which has ready shingles, from normalised "
               "text", "at least", 10.0, ratio(fastest_kernel(kernels, bytes_), rensa, "mb_per_s"))
        yield (f"sketching {size}: times rensa 0.5.0, which has ready shingles, from raw text",
               "at least", 10.0, ratio(own, rensa, "mb_per_s"))


def whole_goals(rows):
    own = pick(rows, tool="twinset dedup")
    for tool, least in (("txtfp 0.3.2, words", 4.0), ("rensa 0.5.0", 20.0),
                        ("datasketch 1.10.0", 300.0)):
        yield (f"whole job: times {tool}", "at least", least,
               ratio(pick(rows, tool=tool), own, "seconds"))
    yield "whole job: recall", "at least", 0.99, own and own["recall"]
    yield "whole job: precision", "at least", 1.0, own and own["precision"]


def growth_goals(rows):
    own = [row for row in rows if row["tool"] == "twinset dedup"]
    largest = max(own, key=lambda row: row["documents"], default=None)
    if not largest:
        return
    size = largest["documents"]
    for name in ("wc -w", "md5sum"):
        yield (f"{size:,.0f} documents: time, of that of `{name}`", "at most", 1.0,
               ratio(largest, pick(rows, tool=name, documents=size), "seconds"))
    yield f"{size:,.0f} documents: peak memory, GB", "at most", 4.0, largest["peak_mb"] / 1000
    yield f"{size:,.0f} documents: recall", "at least", 0.99, largest["recall"]
    yield f"{size:,.0f} documents: precision", "at least", 1.0, largest["precision"]
    yield (f"time a document, {size:,.0f} against 100,000", "at most", 1.5,
           ratio(largest, pick(own, documents=100000.0), "us_per_document"))


def limit_goals(rows, what):
    for row in rows:
        yield f"{what}: peak memory, GB", "at most", 4.0, row["peak_mb"] / 1000


def resume_goals(rows):
    if rows:
        yield ("killed and resumed: same bytes, of ten", "at least", 10.0,
               float(sum(row["same_bytes"] == "True" for row in rows)))


def datasketch_goals(rows):
    for row in rows:
        limit = 50.0 if "update_batch" in row["call"] else 20.0
        if ",000" in row["call"] or "threshold" in row["call"]:
            yield f"{row['call']}: times datasketch 1.10.0", "at least", limit, row["times"]


STAGES_TIMES = {100_000: 5.0, 300_000: 10.0}


def spark_goals(rows):
    for peer in rows:
        if peer["tool"] == "Spark MLlib":
            known = {field: peer[field] for field in ("documents", "collection")}
            stages = pick(rows, tool="twinset.spark, all stages", **known)
            row = pick(rows, tool="twinset.spark", **known) or stages
            size = f"Spark, {peer['documents']:,.0f} documents"
            yield f"{size}: times MLlib", "at least", 10.0, ratio(peer, row, "seconds")
            yield f"{size}: recall", "at least", peer["recall"], row and row["recall"]
            if limit := STAGES_TIMES.get(peer["documents"]):
                yield (f"{size}, all stages: times MLlib", "at least", limit,
                       ratio(peer, stages, "seconds"))
    stages = [row for row in rows if row["tool"] == "twinset.spark, all stages"]
    last_day = max((row["date"] for row in stages), default="")  # rows of other builds may stay
    plain = [row for row in stages if "bucket" not in row["collection"] and row["date"] == last_day]
    if plain:
        first, last = plain[0], plain[-1]
        sizes = f"{last['documents']:,.0f} documents against {first['documents']:,.0f}"
        yield (f"Spark, all stages, shuffled bytes a document, {sizes}", "at most", 1.1,
               ratio(last, first, "bytes_per_document"))
        yield (f"Spark, all stages, time a document, {sizes}", "at most", 1.1,
               ratio(last, first, "us_per_document"))
    for row in stages:
        if row["documents"] == stages[-1]["documents"]:
            name = f"Spark, {row['documents']:,.0f} documents, {row['collection']}"
            yield (f"{name}: peak memory of an executor, GiB", "at most", 1.0,
                   row["peak_mb"] / 1073.7)
            if "bucket" in row["collection"]:
                yield f"{name}: slowest task, of the median", "at most", 3.0, row["slowest_task"]


# ---- copied programs

# Average precision; for IR-Plag, the area under the curve.
BARS = {"SOCO C": 0.87, "SOCO Java": 0.94, "ConPlag": 0.92, "VK Cup": 0.999, "IR-Plag": 0.74,
        "VK Cup finals": 0.975, "SOCO large C": 0.5, "SOCO large Java": 0.95, "ConPlag raw": 0.8,
        "inserted": 0.99, "refactored": 0.985, "rewritten": 0.8, "homework": 0.12,
        "short answers": 0.985}
WORDS = {"average_precision": "average precision", "best_f1": "best F1",
         "auc": "area under the curve", "recall": "recall without a false hit"}
# The measures of sets that do not use average precision.
MEASURES = {"IR-Plag": ["auc"], "SimPlag": ["recall"]}


def measures(set_):
    return MEASURES.get(set_, ["average_precision", "best_f1"])


def top(rows, column, set_, peers):
    """The highest figure of twinset, or of any peer, for the best reading of its scores."""
    return max((row[column] for row in rows if row["set"] == set_ and row["part"] == "all"
                and (row["tool"] != "twinset") == peers), default=None)


def list_goals(rows):
    """The default list, compared with the best list by a threshold for the whole set."""
    for row in rows:
        if row["tool"] != "twinset" or row["part"] != "all" or row["set"] == "short answers":
            continue
        if row["set"] == "honest":
            yield "honest: pairs listed of 2,000 programs", "at most", 60.0, row["listed"]
        elif row["set"] not in ("IR-Plag", "SimPlag"):
            yield (f"{row['set']}: F1 of the default list, below the best", "at most", 0.1,
                   row["best_f1"] - row["f1"])
        if row["set"].startswith("SOCO large"):
            yield f"{row['set']}: precision of the default list", "at least", 0.5, row["precision"]


def accuracy_goals(rows):
    yield from list_goals(rows)
    for name, bar in BARS.items():
        column = measures(name)[0]
        yield f"{name}: {WORDS[column]}", "at least", bar, top(rows, column, name, False)
    for name in [*BARS, "SimPlag"]:
        for column in measures(name):
            own, peer = (top(rows, column, name, peers) for peers in (False, True))
            if own is not None and peer is not None:
                yield (f"{name}: {WORDS[column]}, over the best of the others",
                       "at least", 0.0, own - peer)


def collection_goals(rows):
    """The default list of a collection of prose: planted pairs, and other listed pairs."""
    least = min((row["bits"] for row in rows), default=None)
    own = [row for row in rows if row["bits"] == least]
    for kind, bar in (("verbatim", 0.99), ("random", 0.9), ("translation", 0.9), ("summary", 0.5)):
        row = pick(own, kind=kind)
        yield (f"PAN 2013, pairs found in the collection: {kind}", "at least", bar,
               row and row["found"] / row["planted"])
    if own:
        yield ("PAN 2013, listed pairs on no list, without ten equal words", "at most", 1000.0,
               sum(row["others"] for row in own))


def speed_goals(rows):
    def compared(size, peer):
        return ratio(pick(rows, programs=size, tool=peer),
                     pick(rows, programs=size, tool="twinset"), "seconds")

    large = pick(rows, programs="large", tool="twinset")
    yield "large programs: times Dolos", "at least", 50.0, compared("large", "Dolos 3.5.1")
    yield "large programs: peak memory, MB", "at most", 200.0, large and large["peak_mb"]
    yield "small programs: times Dolos", "at least", 20.0, compared("small", "Dolos 3.5.1")
    yield ("small programs: times compare50", "at least", 1.0,
           compared("small", "compare50 1.2.15"))


def table(parts):
    goals = [*kernel_goals(parts["kernels"]), *sketch_goals(parts["sketch"], parts["kernels"]),
             *whole_goals(parts["whole"]), *growth_goals(parts["growth"]),
             *limit_goals(parts["hot"], "one bucket"), *limit_goals(parts["huge"], "huge document"),
             *resume_goals(parts["resume"]), *datasketch_goals(parts["datasketch"]),
             *spark_goals(parts["spark"])]
    return listing(goals)


def listing(goals):
    """The goals that were measured: name, bound, goal and figure."""
    lines = ["| goal | | measured | |", "|---|---|---|---|"]
    for what, sense, limit, measured in goals:
        if measured is None:
            continue
        met = measured >= limit if sense == "at least" else measured <= limit
        mark = "✓" if met else "not met"
        lines.append(f"| {what} | {sense} {limit:g} | {measured:.4g} | {mark} |")
    return "\n".join(lines) + "\n"
