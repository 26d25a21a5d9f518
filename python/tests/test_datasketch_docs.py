"""The examples of docs/datasketch.md work."""

import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/datasketch.md"


def test_page():
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.M | re.S)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 3 and len(names["lsh"].keys) == 3
