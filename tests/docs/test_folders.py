"""The folders of src/ stand in the order that data takes, and no look goes backwards.

CMakeLists.txt names for each folder the ones whose headers it sees. The #include lines are held to
that table, the table to an order without a cycle, and docs/architecture.md to the graph drawn from
it: `python3 tests/docs/test_folders.py` prints that graph.
"""

import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# What kernels of several folders share: the steps of one instruction set.
KERNEL_HEADERS = re.compile(r"(x86|arm)/lanes_\w+\.h|window_lanes\.h")


@functools.cache
def stages():
    """Folder to the folders that it sees, in the order of CMakeLists.txt."""
    lines = re.findall(r"^stage\(([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    return {line.split()[0]: line.split()[1:] for line in lines}


def sources(folder):
    return [path for path in sorted((ROOT / "src" / folder).rglob("*"))
            if path.suffix in (".c", ".cc", ".h")]


def looks(folder):
    """Folder to the headers that its files include from other folders, with who does."""
    found = {}
    for path in sources(folder):
        for name in INCLUDE.findall(path.read_text()):
            homes = [other for other in stages() if (ROOT / "src" / other / name).exists()]
            if homes and folder not in homes:
                found.setdefault((homes[0], name), path)
    return found


def needless(graph, folder, other):
    """Whether a look at `other` goes through a third folder as well: the graph need not draw it."""
    return any(other in graph[third] for third in graph[folder] if third != other)


def graph():
    """One line for each folder: what it adds to the folders that those see which it names."""
    seen = {folder: {home for home, _ in looks(folder)} for folder in stages()}
    closed = {}
    for folder in stages():
        closed[folder] = set(seen[folder]).union(*(closed[other] for other in seen[folder]))
    lines = []
    for folder in stages():
        direct = [other for other in stages()
                  if other in seen[folder] and not needless(closed, folder, other)]
        lines.append(f"{folder:<9} <- {', '.join(direct)}" if direct else folder)
    return "\n".join(lines)


def programs_with_internals():
    """Those that CMakeLists.txt lists as seeing more than the public header."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^set\(with_internals\n([^)]*)\)", text, re.MULTILINE)[1].split()


def included(path):
    """The headers that a program includes, by itself or through those that lie beside it."""
    found = set()
    for name in INCLUDE.findall(path.read_text()):
        beside = path.parent / name
        found |= included(beside) if beside.exists() else {name}
    return found


class Programs(unittest.TestCase):
    def test_who_sees_internals_needs_them(self):
        for program in programs_with_internals():
            internal = [name for name in included(ROOT / f"{program}.c") for folder in stages()
                        if (ROOT / "src" / folder / name).exists()]
            self.assertTrue(internal, f"{program}.c includes nothing of src/: take it off the list")

    def test_no_include_goes_round_the_list(self):
        for folder in ("cli", "python/module", "examples", "fuzz", "bench", "tests"):
            for path in (ROOT / folder).glob("*.[ch]*"):
                for name in INCLUDE.findall(path.read_text()):
                    self.assertNotRegex(name, r"\.\./|^src/", str(path))


class Folders(unittest.TestCase):
    def test_every_folder_is_a_stage(self):
        folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(stages()))

    def test_a_folder_sees_only_those_before_it(self):
        before = []
        for folder, seen in stages().items():
            self.assertLessEqual(set(seen), set(before), folder)
            before.append(folder)

    def test_includes_keep_to_the_table(self):
        for folder, seen in stages().items():
            for (home, name), path in looks(folder).items():
                self.assertIn(home, seen, f"{path} includes {name}")

    def test_a_folder_has_one_header_for_the_others(self):
        for folder in stages():
            for (home, name), path in looks(folder).items():
                if not KERNEL_HEADERS.fullmatch(name):
                    self.assertEqual(name, f"{home}.h", f"{path} includes {name} of {home}/")

    def test_nothing_is_seen_in_vain(self):
        for folder, seen in stages().items():
            used = {home for home, _ in looks(folder)}
            through = used.union(*(stages()[other] for other in used))
            self.assertLessEqual(set(seen), through, folder)

    def test_architecture_shows_the_graph(self):
        self.assertIn(graph(), (ROOT / "docs" / "architecture.md").read_text())


if __name__ == "__main__":
    print(graph())
