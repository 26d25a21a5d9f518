"""Writes docs/accuracy.md: the text of accuracy.md in this folder, with figures."""
import os

from harness import goals
from harness.labelled import BASES, LEVELS
from harness.report import digits, load, markdown

FRAME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accuracy.md")
# Average precision of the best of three plain measures without tuning: Jaccard of 8-token shingles,
# containment of 5-token shingles, and Jaccard of 12-character shingles.
PLAIN = {"VK Cup finals": ".973", "ConPlag raw": ".791", "inserted": "1", "refactored": ".982",
         "rewritten": ".799", "homework": ".097"}
PLANTED = ("verbatim", "random", "translation", "summary", "none")
SETS = ("SOCO C", "SOCO Java", "ConPlag", "VK Cup", "IR-Plag", "SimPlag")


def best(rows, tool, column, **wanted):
    """The highest figure of a tool among its readings, or None."""
    found = [row for row in rows if row["tool"] == tool
             and all(row[name] == value for name, value in wanted.items())]
    return max((row[column] for row in found), default=None)


def fraction(value):
    """A fraction with three digits, without its leading 0."""
    if value is None:
        return "–"
    return "1" if value >= 0.9995 else f"{value:.3f}".lstrip("0")


def tools(rows):
    return list(dict.fromkeys(row["tool"] for row in rows))


def table(headings, rows, columns):
    """A table with a line for each tool. Columns are functions of the tool."""
    return markdown(headings, [[tool, *(column(tool) for column in columns)]
                               for tool in tools(rows)])


def cells(rows, columns, **wanted):
    """A column of figures for a set or a part of it, separated by slashes."""
    def write(tool):
        return " / ".join(fraction(best(rows, tool, column, **wanted)) for column in columns)
    return write


def ranked(rows, what="tool"):
    return table([what, *SETS], rows,
                 [cells(rows, goals.measures(name), set=name, part="all") for name in SETS])


def conplag(rows):
    parts = ["train", "validation"]
    return table(["tool", *parts], rows,
                 [cells(rows, goals.measures("ConPlag"), set="ConPlag", part=part)
                  for part in parts])


def levels(rows):
    return table(["tool", *LEVELS, "all"], rows,
                 [cells(rows, ["auc", "recall"], set="IR-Plag", part=part)
                  for part in (*LEVELS, "all")])


def variants(rows):
    parts = [f"program {base}" for base in BASES]
    return table(["tool", *parts], rows,
                 [cells(rows, ["recall"], set="SimPlag", part=part) for part in parts])


def share(value):
    return fraction(value if isinstance(value, float) else None)


def default_list(rows):
    own = [row for row in rows if row["tool"] == "twinset" and row["part"] == "all"]
    return markdown(["set", "pairs", "copies", "listed", "precision", "recall", "F1", "best F1"],
                    [[row["set"], digits(row["pairs"]), digits(row["copies"]),
                      digits(row["listed"]), share(row["precision"]), share(row["listed_recall"]),
                      fraction(row["f1"]), fraction(row["best_f1"])] for row in own])


def unseen(rows):
    """twinset on the sets that were not used to develop its score."""
    own = [row for row in rows if row["tool"] == "twinset" and row["part"] == "all"
           and row["set"] not in SETS and row["copies"]]
    return markdown(["set", "average precision", "best F1", "best plain measure"],
                    [[row["set"], fraction(row["average_precision"]),
                      fraction(row["best_f1"]), PLAIN.get(row["set"], "–")] for row in own])


def prose(rows):
    own = [row for row in rows if row["set"] == "short answers"]
    return markdown(["pairs", "copies", "average precision", "best F1"],
                    [[digits(row["pairs"]), digits(row["copies"]),
                      fraction(row["average_precision"]), fraction(row["best_f1"])]
                     for row in own])


def readings(rows):
    """The best reading of each tool that has several."""
    lines = []
    for tool in tools(rows):
        own = [row for row in rows if row["tool"] == tool and row["part"] == "all"]
        if len({row["reading"] for row in own}) > 1:
            chosen = {}
            for name in dict.fromkeys(row["set"] for row in own):
                column = goals.measures(name)[0]
                top = max((row for row in own if row["set"] == name),
                          key=lambda row, column=column: row[column])
                chosen.setdefault(top["reading"], []).append(name)
            lines.append(f"* {tool}: " + "; ".join(
                f"{reading} ({', '.join(names)})" for reading, names in chosen.items()) + "\n")
    return "".join(lines)


def speed(rows):
    return markdown(["programs", "lines", "tool", "seconds", "CPU", "peak MB", "planted found"],
                    [[digits(row["count"]), digits(row["lines"]), row["tool"],
                      digits(row["seconds"]) if row["ended"] == "True" else "not done in "
                      + digits(row["seconds"]), digits(row["cpu"]), digits(row["peak_mb"]),
                      fraction(row["found"] if row["found"] != "" else None)]
                     for row in rows])


def passages(rows):
    """plagdet and its components, by kind."""
    lines = [[row["kind"], *(f"{float(row[name]):.3f}".removeprefix("0") for name in
                             ("plagdet", "recall", "precision", "granularity"))]
             for row in rows]
    heading = ["kind", "plagdet", "recall", "precision", "granularity"]
    return "".join(f"| {' | '.join(line)} |\n" for line in [heading, ["---"] * 5, *lines])


def of_kind(rows, bits, kind):
    return goals.pick(rows, bits=bits, kind=kind)


def collection(rows):
    """The pairs that a scan lists, by the kind planted in the suspicious document."""
    least = min((row["bits"] for row in rows), default=None)
    lines = [[kind, *(digits(row[name]) for name in ("documents", "planted")),
              share(row["found"] / row["planted"]), digits(row["found_runs"]),
              digits(row["found"] - row["found_runs"]), digits(row["copied"]),
              digits(row["others"])]
             for kind in PLANTED if (row := of_kind(rows, least, kind))]
    return markdown(["planted", "suspicious documents", "pairs on the list", "found",
                     "with ten equal words", "without", "on no list, with ten equal words",
                     "without"], lines)


def by_evidence(rows):
    """The pairs of lists that require more evidence."""
    lines = []
    for bits in dict.fromkeys(row["bits"] for row in rows):
        own = {row["kind"]: row for row in rows if row["bits"] == bits}
        lines.append([digits(bits), *(share(own[kind]["found"] / own[kind]["planted"])
                                      for kind in PLANTED if kind != "none"),
                      digits(sum(row["others"] for row in own.values()))])
    return markdown(["bits", *PLANTED[:-1], "others"], lines)


def machine(described):
    return "<sub>" + "; ".join(f"{name}: {value}" for name, value in described.items()) + "</sub>\n"


def write(path, results):
    """Writes the page from the figures in a folder."""
    measured_on, rows = load(results, "accuracy")
    seen_on, views = load(results, "views")
    timed_on, timed = load(results, "programs")
    code = [row for row in rows if row["set"] != "short answers"]
    planted_on, planted = load(results, "passages")
    scanned_on, scanned = load(results, "collection")
    parts = {
        "goals": goals.listing([*goals.accuracy_goals(rows), *goals.collection_goals(scanned),
                                *goals.speed_goals(timed)]),
        "ranked": ranked(code), "readings": readings(code), "unseen": unseen(code),
        "default list": default_list(code),
        "conplag": conplag(code), "levels": levels(code), "variants": variants(code),
        "prose": prose(rows), "machine": machine(measured_on),
        "views": ranked(views, "options"), "views machine": machine(seen_on),
        "speed": speed(timed), "speed machine": machine(timed_on),
        "passages": passages(planted), "passages machine": machine(planted_on),
        "collection": collection(scanned), "by evidence": by_evidence(scanned),
        "collection machine": machine(scanned_on),
    }
    with open(FRAME, encoding="utf-8") as file:
        text = file.read()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->\n", part)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
