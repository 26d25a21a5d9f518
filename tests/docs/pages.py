"""The pages of the documentation, and the environment of their commands."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TWINSET = pathlib.Path(os.environ.get("TWINSET", ROOT / "build/release/twinset")).resolve()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = PAGES + [ROOT / "CONTRIBUTING.md", ROOT / "NEWS.md", ROOT / "samples/README.md"]


def name(page):
    return str(page.relative_to(ROOT))


def text(page):
    return page.read_text(encoding="utf-8")


def blocks(page, language):
    """The fenced blocks of a language: (number of the first line, lines)."""
    found, block = [], None
    for number, line in enumerate(text(page).splitlines(), 1):
        if line.startswith("```"):
            if block is None:
                block = (line[3:].strip(), number + 1, [])
            else:
                found.append(block)
                block = None
        elif block is not None:
            block[2].append(line)
    return [(first, lines) for kind, first, lines in found if kind == language]


def prose(page):
    """The page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.M | re.S)


def environment():
    """An environment with plain output, in which the command is found by its name."""
    path = f"{TWINSET.parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
