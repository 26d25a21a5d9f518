"""The pages of the documentation, and the command they are about."""

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
    """The fenced blocks of one language, as (number of first line, lines)."""
    found, inside = [], None
    for number, line in enumerate(text(page).splitlines(), 1):
        if line.startswith("```"):
            if inside is None:
                inside = (line[3:].strip(), number + 1, [])
            else:
                found.append(inside)
                inside = None
        elif inside is not None:
            inside[2].append(line)
    return [(first, lines) for kind, first, lines in found if kind == language]


def prose(page):
    """The page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.M | re.S)


def environment():
    """Plain output, and the command under its own name."""
    path = f"{TWINSET.parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
