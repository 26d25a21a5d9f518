"""The pages agree with the tree: links have targets, and named files exist."""

import os
import re
import subprocess
import sys
import unittest

from pages import ALL_PAGES, PAGES, ROOT, TWINSET, name, prose, text

FOLDERS = "bench|cli|cmake|docs|examples|fuzz|grammars|include|python|samples|script|src|tests"


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Tree(unittest.TestCase):
    def test_links(self):
        for page in ALL_PAGES:
            links = re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", prose(page))
            for link in (markdown or html for markdown, html in links):
                if re.match(r"[a-z]+:", link):
                    continue
                with self.subTest(f"{name(page)}: {link}"):
                    self.check_link(page, *link.partition("#")[::2])

    def check_link(self, page, path, anchor):
        target = (page.parent / path).resolve() if path else page
        self.assertTrue(target.exists(), target)
        if anchor:
            self.assertIn(anchor, anchors(target))

    def test_files(self):
        for page in ALL_PAGES:
            for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)[` ]", text(page)):
                if re.search(r"/NAME(\.c)?$", path):  # any file
                    continue
                with self.subTest(f"{name(page)}: {path}"):
                    self.assertTrue((ROOT / path).exists(), path)

    def test_architecture_names_every_source(self):
        page = text(ROOT / "docs/architecture.md")
        for source in sorted([*(ROOT / "src").rglob("*.c"), *(ROOT / "python/module").glob("*.c")]):
            with self.subTest(str(source.relative_to(ROOT))):
                self.assertRegex(page, rf"\b{source.name}\b")

    def test_readme_has_the_two_commands(self):
        readme = text(ROOT / "README.md")
        self.assertIn("$ script/demo\n", readme)
        self.assertIn("$ script/test\n", readme)

    def test_readme_links_every_page(self):
        readme = text(ROOT / "README.md")
        for page in PAGES[1:]:
            self.assertIn(f"({name(page)})", readme)

    def test_examples_are_short(self):
        examples = sorted((ROOT / "examples").glob("*.c"))
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            with self.subTest(name(example)):
                self.assertLess(len(text(example).splitlines()), 60)
                self.assertIn(f"examples/{example.stem} ", text(example))

    def test_picture_is_real(self):
        environment = {**os.environ, "TWINSET": str(TWINSET)}
        drawn = subprocess.run([sys.executable, ROOT / "docs/screenshot.py"], env=environment,
                               capture_output=True, check=False)
        if b"pty" in drawn.stderr and drawn.returncode != 0:
            self.skipTest("no terminal can be made here")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertEqual(drawn.stdout.decode(), text(ROOT / "docs/compare.svg"),
                         "run docs/screenshot.py > docs/compare.svg")


if __name__ == "__main__":
    unittest.main()
