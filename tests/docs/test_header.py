"""The public headers follow their conventions, and tests/test_arguments.c tests every call."""

import os
import re
import subprocess
import tempfile
import unittest

from pages import ROOT, TWINSET

# The header of simple calls, which begins with a whole program, should be read in one go. All else
# belongs into the other header.
SIMPLE_LINES = 475


def header(name):
    return (ROOT / "include" / name).read_text()


def code(name):
    """The header without its comments."""
    return re.sub(r"/\*.*?\*/", "", header(name), flags=re.DOTALL)


def declarations(name):
    """Functions with (return type, arguments)."""
    found = re.findall(r"^TWINSET_(?:API|CHECKED) ([\w\s*]+?)(twinset_\w+)\(([^)]*)\);",
                       code(name), re.MULTILINE)
    return {function: (kind.strip(), " ".join(arguments.split()))
            for kind, function, arguments in found}


def everything():
    return {**declarations("twinset.h"), **declarations("twinset_advanced.h")}


def structs():
    both = code("twinset.h") + code("twinset_advanced.h")
    return set(re.findall(r"^typedef struct (\w+) \{", both, re.MULTILINE))


class Header(unittest.TestCase):
    def test_every_function_is_found(self):
        both = code("twinset.h") + code("twinset_advanced.h")
        self.assertEqual(len(everything()), len(re.findall(r"^TWINSET_(?:API|CHECKED) ", both,
                                                           re.MULTILINE)))
        self.assertGreater(len(everything()), 80)

    def test_every_call_is_tested_with_bad_arguments(self):
        tried = (ROOT / "tests/test_arguments.c").read_text()
        for function in everything():
            with self.subTest(function):
                self.assertRegex(tried, rf"\b{function}\b")

    def test_no_struct_is_passed_by_value(self):
        for function, (kind, arguments) in everything().items():
            with self.subTest(function):
                self.assertNotIn(kind, structs())
                for argument in arguments.split(", "):
                    words = argument.split()
                    self.assertFalse(words[0] in structs() and "*" not in argument, argument)

    def test_structs_that_are_filled_have_their_size(self):
        fixed = {"twinset_error"}  # its size never changes
        for function, (_, arguments) in everything().items():
            arguments = arguments.split(", ")
            for argument, after in zip(arguments, arguments[1:] + [""]):
                kind = argument.split()[0]
                if kind in structs() - fixed and "**" not in argument and \
                        function not in ("twinset_options_set",):
                    with self.subTest(f"{function}: {argument}"):
                        self.assertRegex(after, r"^size_t (\w+_)?size$")

    def test_results_of_calls_that_can_fail_must_be_used(self):
        both = code("twinset.h") + code("twinset_advanced.h")
        found = re.findall(r"^TWINSET_API int (twinset_\w+)", both, re.MULTILINE)
        # These return a number and a boolean, not a status.
        self.assertEqual(set(found), {"twinset_version_number", "twinset_collection_reads"})

    def test_lists_have_a_count(self):
        for function, (kind, arguments) in everything().items():
            if "size_t index" in arguments and "passages" not in function and \
                    function not in ("twinset_option_at", "twinset_format_at"):
                plural = function + "s"
                with self.subTest(function):
                    self.assertIn(plural, everything())
                    self.assertEqual(everything()[plural][0], "size_t")

    def test_the_simple_header_is_short(self):
        simple, reference = header("twinset.h").split(" reference: the options */")
        self.assertLess(len(simple.splitlines()), SIMPLE_LINES)
        self.assertNotIn("TWINSET_API", reference)
        self.assertNotIn("TWINSET_CHECKED", reference)

    def test_the_environment_is_stated(self):
        read = set()
        for path in (ROOT / "src").rglob("*.c"):
            read.update(re.findall(r'getenv\("(\w+)"\)', path.read_text()))
        self.assertIn("TMPDIR", read)
        process = header("twinset.h").split(" reference: the process")[1]
        for name in read | {"PATH", "pdftotext"}:
            self.assertIn(name, process)

    def test_the_first_program_is_a_scan(self):
        """The program that the header begins with compiles, and lists the pairs of a scan."""
        comment = header("twinset.h").split("*/")[0]
        lines = re.findall(r"^ \*(?:     (.*))?$", comment.split("* This header")[0], re.MULTILINE)
        library = TWINSET.parent
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-x", "c", "-", "-o",
                            program, f"-I{ROOT}/include", f"-L{library}", "-ltwinset",
                            f"-Wl,-rpath,{library}"],
                           input="\n".join(lines), text=True, check=True)
            listed = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=True)
        scanned = subprocess.run([TWINSET, "scan", "samples/essays", "--format", "csv"], cwd=ROOT,
                                 capture_output=True, text=True, check=True)
        pairs = [line.split(",")[:2] for line in scanned.stdout.splitlines()[1:]]
        self.assertGreater(len(pairs), 3)
        self.assertEqual([line.split()[1:] for line in listed.stdout.splitlines()], pairs)


if __name__ == "__main__":
    unittest.main()
