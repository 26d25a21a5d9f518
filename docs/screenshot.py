#!/usr/bin/env python3
"""Draws docs/compare.svg: a command and what it prints first on a terminal, colours and all.

    docs/screenshot.py > docs/compare.svg

TWINSET names the command to run; build/release/twinset where it is not set.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import sys
import termios
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARGUMENTS = ["compare", "samples/programs/life-anna.py", "samples/programs/life-dora.py"]
COLUMNS, ROWS, CELL, LINE, MARGIN = 100, 36, 8.4, 19, 18
STYLES = {"1": "bold", "2": "dim", "31": "red", "33": "yellow"}

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">
<title>{title}</title>
<style>
text {{ font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
.plain {{ fill: #d8dee9; }}
.bold {{ font-weight: bold; fill: #ffffff; }}
.dim {{ fill: #8792a6; }}
.red {{ fill: #ff7b72; }}
.yellow {{ fill: #e3b341; }}
</style>
<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>
"""


def on_terminal(command):
    """What the command prints where its output is a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 50, COLUMNS, 0, 0))
        os.chdir(ROOT)
        environment = {"TERM": "xterm", "LC_ALL": "C.UTF-8"}
        os.execve(command[0], command, environment)
    output = b""
    try:
        while block := os.read(terminal, 65536):
            output += block
    except OSError:  # how Linux says that the other end was closed
        pass
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{command[0]} failed: {output.decode()}")
    return output.decode().replace("\r\n", "\n")


def runs(line, style):
    """The runs of a line as (column, style, text), and the style in force after it."""
    found, column = [], 0
    for number, piece in enumerate(re.split(r"\x1b\[([0-9]*)m", line)):
        if number % 2:
            style = STYLES.get(piece, "plain")
            continue
        for run in re.finditer(r"\S+(?: \S+)*", piece):
            found.append((column + run.start(), style, run[0]))
        column += len(piece)
    return found, style


def draw(text, title):
    lines = text.rstrip("\n").split("\n")[:ROWS]
    svg = HEAD.format(width=COLUMNS * CELL + 2 * MARGIN, height=len(lines) * LINE + 2 * MARGIN,
                      title=escape(title))
    style = "plain"
    for number, line in enumerate(lines):
        found, style = runs(line, style)
        for column, name, run in found:
            # The length keeps columns straight in fonts of another width.
            svg += (f'<text x="{MARGIN + column * CELL:g}" y="{MARGIN + 14 + number * LINE}"'
                    f' textLength="{len(run) * CELL:g}" class="{name}"\n'
                    f">{escape(run, quote=False)}</text>\n")
    return svg + "</svg>\n"


def main():
    twinset = os.environ.get("TWINSET", str(ROOT / "build/release/twinset"))
    shown = " ".join(["twinset", *ARGUMENTS])
    output = on_terminal([twinset, *ARGUMENTS])
    sys.stdout.write(draw(f"\x1b[2m$\x1b[0m {shown}\n{output}", shown))


if __name__ == "__main__":
    main()
