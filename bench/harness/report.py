"""Writes tables and plots of figures.

The figures of each part are in PART.tsv, after a description of the machine. Tables and plots are
made from these files.
"""
import csv
import os

from harness import goals, plot

TITLES = {
    "kernels": "Sketch kernels, one core, normalised text to signature",
    "sketch": "Text to signature, 128 hashes, one core",
    "whole": "Deduplication of JSON lines, threshold .8",
    "growth": "Growth, texts of 600 bytes",
    "cores": "All cores, stage by stage",
    "hot": "One bucket: all documents are nearly the same",
    "huge": "One huge document among 999 others",
    "resume": "Killed at a random moment, then started again",
    "python": "What Python adds",
    "datasketch": "twinset.datasketch beside datasketch 1.10.0, 128 functions, 10,000 sets indexed",
    "spark": "Similar pairs by Spark, two executors of one core, texts of 600 bytes",
}


def save(folder, part, machine, rows):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, part + ".tsv"), "w", encoding="utf-8") as file:
        for name, value in machine.items():
            file.write(f"# {name}: {value}\n")
        writer = csv.DictWriter(file, rows[0] if rows else ["nothing"], delimiter="\t",
                                lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: tidy(value) for name, value in row.items()} for row in rows)


def tidy(value):
    if not isinstance(value, float):
        return value
    return f"{value:.0f}" if value.is_integer() else f"{value:.6g}"


def load(folder, part):
    """The description of the machine and the rows of a part, or nothing."""
    path = os.path.join(folder, part + ".tsv")
    if not os.path.exists(path):
        return {}, []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    machine = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
    return machine, [{name: number(value) for name, value in row.items()} for row in rows]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


# ---- tables

def digits(value, count=3):
    """A number with so many significant digits, and separators of thousands."""
    if not isinstance(value, float):
        return value
    if value >= 10 ** (count - 1):
        return f"{value:,.0f}"
    return f"{value:.{count}g}"


def fraction(value):
    """A fraction with four digits, without its leading 0; other values as they are."""
    if not isinstance(value, float):
        return value
    return "1" if value == 1 else f"{value:.4f}".lstrip("0")


# Heading, column, format.
COLUMNS = {
    "whole": [("tool", "tool", str), ("seconds", "seconds", digits), ("CPU", "cpu", digits),
              ("peak MB", "peak_mb", digits), ("recall", "recall", fraction),
              ("of .80–.85", "recall_low", fraction),
              ("precision", "precision", fraction), ("found", "found", digits),
              ("runs", "runs", digits)],
    "resume": [("documents", "documents", digits), ("undisturbed, s", "undisturbed", digits),
               ("killed after, s", "killed_after", digits), ("was killed", "was_killed", str),
               ("then took, s", "then_took", digits), ("same bytes", "same_bytes", str)],
}
COLUMNS["python"] = [("", "what", str), ("", "figure", digits), ("of C", "of_c", fraction)]
COLUMNS["datasketch"] = [("", "call", str), ("datasketch, µs", "datasketch_us", digits),
                         ("twinset, µs", "twinset_us", digits), ("times", "times", digits)]
COLUMNS["growth"] = [("documents", "documents", digits), *COLUMNS["whole"],
                     ("µs a document", "us_per_document", digits)]
COLUMNS["spark"] = [("documents", "documents", digits), ("collection", "collection", str),
                    ("", "tool", str), ("seconds", "seconds", digits), ("CPU", "cpu", digits),
                    ("peak MB of an executor", "peak_mb", digits),
                    ("shuffled MB", "shuffled_mb", digits),
                    ("bytes a document", "bytes_per_document", digits),
                    ("slowest task, of the median", "slowest_task", digits),
                    ("recall", "recall", fraction), ("pairs", "found", digits),
                    ("runs", "runs", digits), ("date", "date", str)]
COLUMNS["cores"] = [("cores", "cores", digits), ("stage", "stage", str),
                    ("seconds", "seconds", digits), ("CPU", "cpu", digits),
                    ("of one thread alone", "alone", digits),
                    ("of the run's CPU", "alone_of_all", fraction),
                    ("times one core", "times", digits), ("efficiency", "efficiency", fraction)]
COLUMNS["hot"] = COLUMNS["huge"] = COLUMNS["growth"]
# Columns that name a row; speeds by the size of documents follow.
SPEEDS = {"kernels": ["kernel", "hashes"], "sketch": ["tool", "from"]}


def table(part, rows):
    return speeds(SPEEDS[part], rows) if part in SPEEDS else listing(COLUMNS[part], rows)


def listing(columns, rows):
    return markdown([heading for heading, _, _ in columns],
                    [[write(row[name]) for _, name, write in columns] for row in rows])


def speeds(names, rows):
    sizes = sorted({row["bytes"] for row in rows})
    figures = {}
    for row in rows:
        figures.setdefault(tuple(row[name] for name in names), {})[row["bytes"]] = row["mb_per_s"]
    return markdown([*names, *(f"{digits(size)} bytes, MB/s" for size in sizes)],
                    [[*map(digits, key), *(digits(speed.get(size, "")) for size in sizes)]
                     for key, speed in figures.items()])


def markdown(headings, lines):
    return "".join("| " + " | ".join(map(str, line)) + " |\n"
                   for line in [headings, ["---"] * len(headings), *lines])


NOTES = {
    "sketch": "From `shingles`: a list of them is ready, and only the signature is made.\n",
    "whole": "Recall: of the planted pairs whose true similarity, by the tool's own shingles, is "
             ".8 or more, those of which one record was removed (for `scan`, that are listed). "
             "Precision: of the removed records, those with such a twin (of the listed pairs, "
             "those that truly have .8). Peak memory is that of the largest process.\n",
}
NOTES["spark"] = ("Recall: of the planted pairs that truly have .8 or more, by the tool's own "
                  "shingles, those that are listed. An executor is its JVM, with a heap of 512 MB, "
                  "of 1 GB for the hot bucket, and its Python. The "
                  "slowest task is compared with the median of its stage, where that has four or "
                  "more and five seconds of work. Rows of other dates are of other "
                  "builds, whose revision is in the history of the table.\n")
NOTES["cores"] = ("Of one thread alone: CPU time of work that more threads do not make shorter, "
                  "and its share of the CPU time of all stages.\n")
PLOTS = {"sketch": plot.sketch, "whole": plot.whole, "growth": plot.growth, "spark": plot.spark}


def write(folder):
    os.makedirs(folder, exist_ok=True)
    loaded = {part: load(folder, part) for part in TITLES}
    page = ["# Measured\n", "By `bench/run`; medians. The figures are in the `.tsv` files.\n"]
    for part, (machine, rows) in loaded.items():
        if not rows:
            continue
        page.append(f"## {TITLES[part]}\n")
        if part in PLOTS:
            with open(os.path.join(folder, part + ".svg"), "w", encoding="utf-8") as file:
                file.write(PLOTS[part](rows, machine))
            page.append(f"![{TITLES[part]}]({part}.svg)\n")
        page += [table(part, rows), NOTES.get(part, "")]
        described = "; ".join(f"{name}: {value}" for name, value in machine.items())
        page.append(f"<sub>{described}</sub>\n")
    page += ["## Goals\n", goals.table({part: rows for part, (_, rows) in loaded.items()})]
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(filter(None, page)))
