"""script/abi reports changes that break programs linked before, and no others."""

import contextlib
import importlib.machinery
import importlib.util
import io
import unittest

from pages import ROOT

LOADER = importlib.machinery.SourceFileLoader("abi", str(ROOT / "script/abi"))
ABI = importlib.util.module_from_spec(importlib.util.spec_from_loader("abi", LOADER))
LOADER.exec_module(ABI)

RELEASED = ROOT / "tests/abi/interface.txt"
BEFORE = """library: libtwinset.so.1
function twinset_run: int (twinset_result *, twinset_run *, size_t)
struct twinset_error: 1024 bytes
field twinset_error.message: char [1024], at 0
struct twinset_run: 16 bytes, may grow
field twinset_run.pairs: size_t, at 0
field twinset_run.method: int, at 8
constant TWINSET_OK: 0
"""


class Interface(unittest.TestCase):
    def compare(self, before, after):
        """The exit status and messages of a comparison."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return ABI.compare(before, after), said.getvalue()

    def assert_breaks(self, old, new, what):
        self.assertIn(old, BEFORE)
        status, said = self.compare(BEFORE, BEFORE.replace(old, new))
        self.assertEqual(status, 1, said)
        self.assertIn(what, said)
        self.assertIn("SOVERSION", said)

    def assert_holds(self, old, new):
        self.assertIn(old, BEFORE)
        status, said = self.compare(BEFORE, BEFORE.replace(old, new))
        self.assertEqual(status, 0, said)

    def test_breaking_changes(self):
        self.assert_breaks("function twinset_run", "function twinset_go", "twinset_run is gone")
        self.assert_breaks("twinset_result *,", "const char *,", "function twinset_run was int")
        self.assert_breaks("constant TWINSET_OK: 0", "constant TWINSET_OK: 1", "was 0, is 1")
        self.assert_breaks("method: int, at 8", "method: int, at 12", "twinset_run.method was")
        self.assert_breaks("struct twinset_error: 1024", "struct twinset_error: 1032", "was 1024")
        self.assert_breaks("16 bytes, may grow", "8 bytes, may grow", "struct twinset_run was 16")
        # A field in former padding may hold any value in older programs.
        self.assert_breaks("method: int, at 8\n",
                           "method: int, at 8\nfield twinset_run.bands: int, at 12\n",
                           "field twinset_run.bands was put")

    def test_harmless_changes(self):
        self.assert_holds("constant TWINSET_OK: 0\n",
                          "constant TWINSET_OK: 0\nconstant TWINSET_NEW: 1\n")
        self.assert_holds("struct twinset_error:", "function twinset_new: int ()\n"
                          "struct twinset_error:")
        grown = BEFORE.replace("16 bytes, may grow", "24 bytes, may grow") \
            + "field twinset_run.bytes: uint64_t, at 16\n"
        self.assertEqual(self.compare(BEFORE, grown)[0], 0)

    def test_another_soname_may_differ(self):
        status, said = self.compare(BEFORE, "library: libtwinset.so.2\n")
        self.assertEqual(status, 0, said)
        self.assertIn("SOVERSION", said)

    def test_the_released_interface_is_valid(self):
        text = RELEASED.read_text()
        self.assertEqual(self.compare(text, text)[0], 0)
        self.assertRegex(text, r"\nfunction twinset_compare: int \(")
        self.assertRegex(text, r"\nfield twinset_pair.similarity: double, at \d+\n")
        self.assertLess(len(text), 100_000)


if __name__ == "__main__":
    unittest.main()
