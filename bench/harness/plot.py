"""Plots as SVG, with a background that follows the light or dark scheme of the reader."""
import math
from html import escape

STYLE = """
  .back { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif }
  .title { font-size: 15px; font-weight: 600 } .soft { fill: #656d76; font-size: 12px }
  .grid { stroke: #d8dee4 } .line { stroke: #8c959f } .dot { fill: #8c959f }
  .own { fill: #0969da } .ownline { stroke: #0969da } text.own { font-weight: 600 }
  .bar { fill: #bf8700 } .barline { stroke: #bf8700; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #e6edf3 } .soft { fill: #9198a1 }
    .grid { stroke: #30363d } .line { stroke: #768390 } .dot { fill: #768390 }
    .own, text.own { fill: #58a6ff } .ownline { stroke: #58a6ff }
    .bar { fill: #e3b341 } .barline { stroke: #e3b341 }
  }"""


class Canvas:
    def __init__(self, width, height, title, subtitle):
        self.width, self.height, self.parts = width, height, []
        self.text(20, 28, title, "title")
        self.text(20, 47, subtitle, "soft")

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">'
                          f"{escape(str(words))}</text>")

    def line(self, x1, y1, x2, y2, kind, width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'class="{kind}" stroke-width="{width}"/>')

    def dot(self, x, y, kind, radius=4.5):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{kind}"/>')

    def path(self, points, kind):
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{steps}" class="{kind}" fill="none" '
                          f'stroke-width="2"/>')

    def svg(self):
        width, height = round(self.width), round(self.height)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}"><style>{STYLE}</style>\n'
                f'<rect width="100%" height="100%" rx="8" class="back"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


class Scale:
    """Maps values to coordinates on a logarithmic scale between two powers of ten."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.start, self.end = start, end

    def __call__(self, value):
        fraction = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + fraction * (self.end - self.start)

    def ticks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def short(value):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def three_digits(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def kind_of(tool):
    """The kind of a tool: twinset, a peer, or a yardstick for another job."""
    return "own" if tool.startswith("twinset") else "bar" if tool.startswith(YARDS) else "dot"


YARDS = ("md5sum", "wc ")
LINES = {"own": "ownline", "bar": "barline", "dot": "line"}


def dot_plot(rows, title, subtitle, field, unit, columns):
    """A plot with a row for each tool: a dot for its figure on a logarithmic scale, and columns
    (heading, text of a row) at the right."""
    left = 35 + 7.2 * max(len(row["tool"]) for row in rows)
    right, top, step = left + 345, 88, 25
    canvas = Canvas(right + 45 + 85 * len(columns), top + step * len(rows) + 40, title, subtitle)
    bottom = top + step * len(rows) - 8
    scale = Scale([row[field] for row in rows], left, right)
    for tick in scale.ticks():
        canvas.line(scale(tick), top - 14, scale(tick), bottom, "grid")
        canvas.text(scale(tick), bottom + 18, f"{short(tick)} {unit}", "soft", "middle")
    for i, (heading, _) in enumerate(columns):
        canvas.text(right + 100 + 85 * i, top - 16, heading, "soft", "end")
    for number, row in enumerate(rows):
        y, kind = top + 5 + step * number, kind_of(row["tool"])
        canvas.text(left - 14, y + 4, row["tool"], kind if kind == "own" else "", "end")
        canvas.line(left, y, scale(row[field]), y, LINES[kind], 1.5)
        canvas.dot(scale(row[field]), y, kind)
        for i, (_, words) in enumerate(columns):
            canvas.text(right + 100 + 85 * i, y + 4, words(row), "own" if kind == "own" else "",
                        "end")
    return canvas.svg()


def whole(rows, machine):
    def part(field):
        return lambda row: row[field] if row[field] == "" else f"{row[field]:.3f}"

    def memory(row):
        return "" if kind_of(row["tool"]) == "bar" else three_digits(row["peak_mb"])

    rows = sorted(rows, key=lambda row: row["seconds"])
    return dot_plot(
        rows, f"Near-duplicates out of {rows[0]['documents']:,.0f} JSON records",
        f"{rows[0]['bytes'] / 1e6:,.0f} MB, similarity .8 or more; wall time, logarithmic; "
        f"{machine['cores']} cores", "seconds", "s",
        [("seconds", lambda row: three_digits(row["seconds"])), ("recall", part("recall")),
         ("precision", part("precision")), ("peak MB", memory)])


def sketch(rows, _machine):
    added = {"text": "", "shingles": ", ready shingles"}
    rows = [{**row, "tool": row["tool"] + added[row["from"]]} for row in rows
            if row["bytes"] == 1024]
    rows.sort(key=lambda row: -row["mb_per_s"])
    return dot_plot(rows, "Signatures of texts of 1 KB", "128 hashes, one core; logarithmic",
                    "mb_per_s", "MB/s",
                    [("MB/s", lambda row: three_digits(row["mb_per_s"]))])


def growth(rows, machine):
    """Plots time for a document by the number of documents, with a line for each tool."""
    canvas = Canvas(860, 455, "Time for each document, as the collection grows",
                    f"Texts of 600 bytes, JSON lines to JSON lines; {machine['cores']} cores; "
                    f"both axes logarithmic")
    return lines(canvas, rows, "us_per_document", "µs")


def spark(rows, _machine):
    """Plots seconds and shuffled megabytes by the number of documents."""
    rows = [row for row in rows if "bucket" not in row["collection"]]
    shown = [{"documents": row["documents"], "figure": row[field],
              "tool": f"{row['tool'].replace('.spark', '')}, {unit}"}
             for unit, field in (("s", "seconds"), ("MB", "shuffled_mb")) for row in rows]
    canvas = Canvas(860, 455, "Similar pairs by Spark, as the collection grows",
                    "Seconds, and megabytes that are shuffled; texts of 600 bytes; both axes "
                    "logarithmic")
    return lines(canvas, shown, "figure", "")


def lines(canvas, rows, field, unit):
    """Draws a line for each tool."""
    left, right, top, bottom = 75, 640, 75, 400
    across = Scale([row["documents"] for row in rows], left, right)
    up = Scale([row[field] for row in rows], bottom, top)
    for tick in up.ticks():
        canvas.line(left, up(tick), right, up(tick), "grid")
        canvas.text(left - 8, up(tick) + 4, f"{short(tick)} {unit}".rstrip(), "soft", "end")
    for tick in across.ticks():
        canvas.text(across(tick), bottom + 20, short(tick), "soft", "middle")
    canvas.text((left + right) / 2, bottom + 40, "documents", "soft", "middle")
    ends = []
    for tool in dict.fromkeys(row["tool"] for row in rows):
        kind = kind_of(tool)
        points = [(across(row["documents"]), up(row[field]))
                  for row in rows if row["tool"] == tool]
        canvas.path(points, LINES[kind])
        for x, y in points:
            canvas.dot(x, y, kind, 3.5)
        ends.append((points[-1], tool, kind))
    for (x, _), y, tool, kind in spread(ends):
        canvas.text(x + 10, y + 4, tool, kind if kind == "own" else "")
    return canvas.svg()


def spread(ends, apart=15):
    """Positions of labels at the ends of lines, moved up if they would overlap."""
    placed = []
    for (x, y), tool, kind in sorted(ends, key=lambda end: -end[0][1]):
        label = y
        for (other_x, _), other, _, _ in placed:
            if abs(other_x - x) < 150 and label > other - apart:
                label = min(label, other - apart)
        placed.append(((x, y), label, tool, kind))
    return placed
