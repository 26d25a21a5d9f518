"""The folders of src/ are in the order of the data flow, and depend only on earlier folders.

CMakeLists.txt names, for each folder, the folders whose headers it sees. The #include lines, and
the symbols that objects need of each other, must agree with that table, the table must be without a
cycle, and docs/architecture.md must show its graph: `python3 tests/docs/test_folders.py` prints it.
The page also lists the folders of some runs, in order; walks.py checks these.
"""

import functools
import json
import pathlib
import re
import subprocess
import unittest

from pages import ROOT, TWINSET, text

ARCHITECTURE = ROOT / "docs/architecture.md"
WALKS = ("scan essays", "dedup records", "scan programs")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Kernels of several folders share the steps of an instruction set.
KERNEL_HEADERS = re.compile(r"(x86|arm)/lanes_\w+\.h|window_lanes\.h")


@functools.cache
def stages():
    """Each folder with the folders that it sees, in the order of CMakeLists.txt."""
    lines = re.findall(r"^stage\(([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    return {line.split()[0]: line.split()[1:] for line in lines}


def sources(folder):
    return [path for path in sorted((ROOT / "src" / folder).rglob("*"))
            if path.suffix in (".c", ".cc", ".h")]


def includes(folder):
    """Each folder with the headers that its files include from other folders, and these files."""
    found = {}
    for path in sources(folder):
        for name in INCLUDE.findall(path.read_text()):
            homes = [other for other in stages() if (ROOT / "src" / other / name).exists()]
            if homes and folder not in homes:
                found.setdefault((homes[0], name), path)
    return found


def is_implied(graph, folder, other):
    """Whether a third folder also leads to `other`, so that the graph need not draw the edge."""
    return any(other in graph[third] for third in graph[folder] if third != other)


def graph():
    """The graph: a line for each folder, with the folders that it sees, but not through others."""
    seen = {folder: {home for home, _ in includes(folder)} for folder in stages()}
    closed = {}
    for folder in stages():
        closed[folder] = set(seen[folder]).union(*(closed[other] for other in seen[folder]))
    lines = []
    for folder in stages():
        direct = [other for other in stages()
                  if other in seen[folder] and not is_implied(closed, folder, other)]
        lines.append(f"{folder:<9} <- {', '.join(direct)}" if direct else folder)
    return "\n".join(lines)


def programs_with_internals():
    """The programs that CMakeLists.txt lists as users of internal headers."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^set\(with_internals\n([^)]*)\)", text, re.MULTILINE)[1].split()


def included(path):
    """The headers that a program includes, directly or through headers of its own folder."""
    found = set()
    for name in INCLUDE.findall(path.read_text()):
        beside = path.parent / name
        found |= included(beside) if beside.exists() else {name}
    return found


def objects():
    """Each folder with its objects in the build of the command."""
    commands = json.loads((TWINSET.parent / "compile_commands.json").read_text())
    found = {folder: [] for folder in stages()}
    for made in commands:
        path = re.search(r" -o (\S*/twinset_(\w+)\.dir/\S+)", made["command"])
        if path and path[2] in found:
            found[path[2]].append(pathlib.Path(made["directory"]) / path[1])
    return found


def linked_names():
    """Symbols with the folders that define them; and (folder, symbol) with an object that needs
    it."""
    defined, needed = {}, {}
    for folder, paths in objects().items():
        table = subprocess.run(["nm", "-A", *paths], check=True, capture_output=True, text=True)
        for path, kind, name in re.findall(r"^(\S+?):[0-9a-f ]* (\w) (\S+)$", table.stdout, re.M):
            if kind == "U":
                needed[folder, name] = path
            elif kind.isupper():
                defined[name] = folder
    return defined, needed


def walks():
    """Kinds of runs with the folders that they enter, as the page lists them."""
    lines = re.findall(rf"^({'|'.join(WALKS)}): +(.+)$", text(ARCHITECTURE), re.MULTILINE)
    return {name: folders.split(" -> ") for name, folders in lines}


class Programs(unittest.TestCase):
    def test_programs_with_internals_need_them(self):
        for program in programs_with_internals():
            internal = [name for name in included(ROOT / f"{program}.c") for folder in stages()
                        if (ROOT / "src" / folder / name).exists()]
            self.assertTrue(internal, f"{program}.c includes nothing of src/: take it off the list")

    def test_other_programs_include_no_internals(self):
        for folder in ("cli", "server", "python/module", "examples", "fuzz", "bench", "tests"):
            for path in (ROOT / folder).glob("*.[ch]*"):
                for name in INCLUDE.findall(path.read_text()):
                    self.assertNotRegex(name, r"\.\./|^src/", str(path))


class Folders(unittest.TestCase):
    def test_every_folder_is_a_stage(self):
        folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(stages()))

    def test_a_folder_sees_only_earlier_folders(self):
        before = []
        for folder, seen in stages().items():
            self.assertLessEqual(set(seen), set(before), folder)
            before.append(folder)

    def test_includes_agree_with_the_table(self):
        for folder, seen in stages().items():
            for (home, name), path in includes(folder).items():
                self.assertIn(home, seen, f"{path} includes {name}")

    def test_a_folder_has_one_header_for_the_others(self):
        for folder in stages():
            for (home, name), path in includes(folder).items():
                if not KERNEL_HEADERS.fullmatch(name):
                    self.assertEqual(name, f"{home}.h", f"{path} includes {name} of {home}/")

    def test_every_edge_of_the_table_is_used(self):
        for folder, seen in stages().items():
            used = {home for home, _ in includes(folder)}
            through = used.union(*(stages()[other] for other in used))
            self.assertLessEqual(set(seen), through, folder)

    def test_architecture_shows_the_graph(self):
        self.assertIn(graph(), text(ARCHITECTURE))

    def test_calls_agree_with_the_table(self):
        """An object needs only symbols of folders that it sees; other calls go through pointers."""
        defined, needed = linked_names()
        self.assertGreater(len(defined), 100)
        backwards = [f"{folder}/ needs {name} of {defined[name]}/: {pathlib.Path(path).stem}"
                     for (folder, name), path in needed.items()
                     if defined.get(name, folder) not in (folder, *stages()[folder])]
        self.assertFalse(backwards, "\n".join(["Declared past the table, or in a public header:",
                                               *backwards]))


class Walks(unittest.TestCase):
    def test_the_page_lists_them(self):
        self.assertEqual(tuple(walks()), WALKS)

    def test_each_enters_a_folder_once(self):
        for name, folders in walks().items():
            self.assertEqual(len(folders), len(set(folders)), name)
            self.assertLessEqual(set(folders), set(stages()), name)

    def test_each_walk_follows_the_table(self):
        for name, folders in walks().items():
            self.assertEqual(folders[0], "api", name)
            for number, folder in enumerate(folders[1:], 1):
                self.assertTrue(any(folder in stages()[before] for before in folders[:number]),
                                f"{name}: none of those before sees {folder}/")


if __name__ == "__main__":
    print(graph())
