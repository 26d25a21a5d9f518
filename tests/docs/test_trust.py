"""Every promise of docs/trust.md has a test, and no test depends on how busy the machine is."""

import re
import unittest

from pages import ROOT, text

PAGE = ROOT / "docs/trust.md"
# test_common.c tests the clock itself.
OF_THE_CLOCK = {"test_common.c"}


def named_tests(line):
    """The tests that a line of a table names: (file, name of the test or None)."""
    file = None
    for path, after, alone in re.findall(r"`([\w./]+\.(?:py|c))(?:: (\w+))?`|`(\w+)`", line):
        file = path or file
        if file:
            yield file, after or alone or None


class Trust(unittest.TestCase):
    def test_named_tests_exist(self):
        lines = [line.split("|")[2] for line in text(PAGE).splitlines() if line.startswith("| ")]
        promises = [list(named_tests(line)) for line in lines if line.strip() != "tests"]
        self.assertGreater(len(promises), 40)
        for tests in promises:
            self.assertTrue(tests)
            for file, name in tests:
                with self.subTest(file=file, name=name):
                    source = text(ROOT / file)
                    if name:
                        self.assertRegex(source, rf"(def |static void ){name}\(")

    def test_files_exist(self):
        for path in re.findall(r"`((?:tests|python|script)/[\w./]+)", text(PAGE)):
            self.assertTrue((ROOT / path).exists(), path)

    def test_no_wall_clock(self):
        """Tests may assert processor time, by cpu_time.h or command.py, but no wall-clock time."""
        for path in sorted((ROOT / "tests").glob("test_*.c")):
            if path.name not in OF_THE_CLOCK:
                with self.subTest(path=path.name):
                    self.assertNotRegex(text(path), r"\b(tw_now|gettimeofday|CLOCK_MONOTONIC|"
                                        r"CLOCK_REALTIME)\b")
        for folder in ("tests/cli", "tests/data", "python/tests"):
            for path in sorted((ROOT / folder).glob("test_*.py")):
                with self.subTest(path=path.name):
                    self.assertNotRegex(text(path),
                                        r"\bassert.*\b(monotonic|perf_counter|time\.time)\(")


if __name__ == "__main__":
    unittest.main()
