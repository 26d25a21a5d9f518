"""docs/architecture.md lists the files that an addition touches; an addition of each kind shows it.

The additions are made in a copy of the tree. Each must touch the files that the page lists for its
kind, at most three. Then the copy is built once, unoptimised, and each addition is tested.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from pages import ROOT, TWINSET, environment, text

MOST_FILES = 3

# Files that CMakeLists.txt needs to build the command.
NEEDED = re.compile(r"CMakeLists\.txt$|cmake/|include/|src/|cli/|server/|fuzz/|tests/[^/]*$|"
                    r"bench/\w+\.c$|python/twinset/options\.py$")


def append_to_list(path, opening, closing, line):
    """An edit that adds a line at the end of the list that begins with `opening`."""
    return (path, rf"({opening}.*?)({closing})", rf"\g<1>{line}\g<2>")


def example():
    """The converter that CONTRIBUTING.md shows."""
    block = re.search(r"^( +)```c\n(.*?)^ +```$", text(ROOT / "CONTRIBUTING.md"), re.M | re.S)
    return "".join(line.removeprefix(block[1]) for line in block[2].splitlines(keepends=True))


# For each kind: the new files, and edits as (file, expression, replacement), each of which must
# match exactly once.

FILE_KIND = {
    "src/input/convert/srt.c": example(),
}, [
    append_to_list("src/input/convert.h", r"extern const tw_converter ", ";", ", tw_convert_srt"),
    append_to_list("src/input/convert.c", r"const CONVERTERS\[\] = \{", r"\};",
                   "    &tw_convert_srt,\n"),
]

LANGUAGE = {}, [
    append_to_list("src/text/language.c", r"tw_language languages\[\] = \{", r"\};",
                   '    {"rhubarb", NULL, " rhubarb ", " ", TW_LEX_SEMI},\n'),
]

SCHEME = {}, [
    append_to_list("include/twinset.h", "    TWINSET_SCHEME_FSS,", r"\n\}",
                   ",\n    TWINSET_SCHEME_RHUBARB"),
    append_to_list("src/common/options.c", r'\{\{"scheme", 0, "', '", SEARCH_TOPIC', "|rhubarb"),
    ("src/sketch/schemes.c", r"(?=static const tw_scheme_row rows)", r"""
static int draw_rhubarb(tw_scheme *scheme, uint64_t seed)
{
    return draw_affine(scheme, seed + 1);
}

"""),
    append_to_list("src/sketch/schemes.c", r"tw_scheme_row rows\[\] = \{", r"\n\};", """
    [TWINSET_SCHEME_RHUBARB] = {.id_shift = 32,
                                .external = mix_high_half,
                                .draw_parameters = draw_rhubarb,
                                .is_linear = true,
                                .lower_slot = lower_by_affine,
                                .kernel = TW_KERNEL_AFFINE},"""),
]

FORMAT = {
    "src/output/names.c": r"""/* The names of the pairs alone. */
#include "writers.h"

tw_write_fn tw_write_names;

int tw_write_names(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                   twinset_error *error)
{
    twinset_pair pair;
    (void)style, (void)error;
    for (size_t i = 0; twinset_result_pair(result, i, &pair, sizeof pair) == TWINSET_OK; i++) {
        tw_put_text(sink, pair.a);
        tw_put_text(sink, " and ");
        tw_put_text(sink, pair.b);
        tw_put_text(sink, "\n");
    }
    return TWINSET_OK;
}
"""}, [
    append_to_list("include/twinset.h", "typedef enum twinset_format", r"\} twinset_format",
                   "    TWINSET_FORMAT_NAMES,\n"),
    append_to_list("src/output/write.c", "tw_write_fn tw_write_table", ";", ", tw_write_names"),
    append_to_list("src/output/write.c", r"format_row ROWS\[\] = \{", r"\n\};", """
    {"names", TWINSET_FORMAT_NAMES, tw_write_names, tw_write_names, NULL, false},"""),
]

ENGINE_OPTION = {}, [
    append_to_list("include/twinset.h", "struct twinset_options {", r"\n\};",
                   "\n    unsigned volume; /* how loud it is; 0: chosen */"),
    append_to_list("src/common/options.c", r"option_row rows\[\] = \{", r"\};",
                   '    {{"volume", 0, "N", MACHINE_TOPIC, "How loud it is, 1 to 11.", READING},\n'
                   "     TW_OPTION_WHOLE, FIELD(volume), 1, 11, true},\n"),
    append_to_list("python/twinset/options.py", "    checkpoint: PathLike", "\n\n\n# The",
                   r"\n    volume: int | str"),
]

COMMAND_OPTION = {}, [
    append_to_list("cli/options.h", r"    bool threshold_given", ";", ", greet"),
    append_to_list("cli/commands.c", r"cli_option options_after\[\] = \{", r"\n\};", """
    {OPTION_SWITCH,
     {"greet", 0, NULL, "Output", "Begin with a greeting.", "tune"},
     offsetof(cli_invocation, greet)},"""),
    ("cli/cmd_tune.c", r"(?=    write_choice\(out, tuning\);)",
     r"""    if (in->greet)
        output_printf(out, "Good morning.\\n");
"""),
]

KINDS = {
    "a file kind": FILE_KIND,
    "a language": LANGUAGE,
    "a scheme": SCHEME,
    "an output format": FORMAT,
    "an option of the engine": ENGINE_OPTION,
    "an option of the command": COMMAND_OPTION,
}


def listed():
    """Kinds of additions, with the files that the page lists for each."""
    section = text(ROOT / "docs/architecture.md").split("\n## How to add\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (an? [^|]+) \| (.+) \|$", section, re.MULTILINE)
    return {what: re.findall(r"`([^`]+)`", files) for what, files in rows}


def touched(kind):
    new, edits = KINDS[kind]
    return {*new, *(edit[0] for edit in edits)}


def fits(path, pattern):
    """Whether a pattern of the page matches a file: NAME and * match any name."""
    return re.fullmatch(re.escape(pattern).replace("NAME", r"\w+").replace(r"\*", r"\w+"), path)


def copy_tree(to):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in names.split("\0"):
        if NEEDED.match(name) and (ROOT / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)


def apply(kind, tree):
    new, edits = KINDS[kind]
    for name, content in new.items():
        (tree / name).write_text(content)
    for name, expression, replacement in edits:
        before = (tree / name).read_text()
        after, count = re.subn(expression, replacement, before, flags=re.DOTALL)
        if count != 1:
            raise AssertionError(f"{kind}: {expression} is {count} times in {name}, not once")
        (tree / name).write_text(after)


def build(tree):
    """Builds the command of a tree. It takes 25 seconds of a core, or 3 with ccache."""
    made = tree / "build/made"
    settings = ["-DCMAKE_BUILD_TYPE=Debug", "-DTWINSET_CODE=OFF", "-DTWINSET_WERROR=ON"]
    variables = dict(os.environ, CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1",
                     CCACHE_SLOPPINESS="time_macros")
    for language in ("C", "CXX"):
        settings.append(f"-DCMAKE_{language}_FLAGS_DEBUG=-O0")
        if shutil.which("ccache"):
            settings.append(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache")
    for command in (["cmake", "-G", "Ninja", "-S", tree, "-B", made, *settings],
                    ["cmake", "--build", made, "--target", "twinset"]):
        done = subprocess.run(command, env=variables, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stdout[-4000:] + done.stderr[-4000:])
    return made / "twinset"


class Lists(unittest.TestCase):
    def test_the_page_lists_every_kind(self):
        self.assertEqual(sorted(listed()), sorted(KINDS))

    def test_an_addition_touches_what_the_page_lists(self):
        for kind, patterns in listed().items():
            with self.subTest(kind):
                files = touched(kind)
                self.assertEqual(len(files), len(patterns))
                for pattern in patterns:
                    self.assertTrue(any(fits(path, pattern) for path in files), pattern)

    def test_an_addition_touches_few_files(self):
        for kind in KINDS:
            self.assertLessEqual(len(touched(kind)), MOST_FILES, kind)


class Additions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = pathlib.Path(folder.name) / "tree"
        cls.files = pathlib.Path(folder.name) / "files"
        cls.files.mkdir()
        copy_tree(cls.tree)
        for kind in KINDS:
            apply(kind, cls.tree)
        cls.extended = build(cls.tree)

    def write(self, name, content):
        path = self.files / name
        path.write_text(content)
        return path

    def run_command(self, *arguments, status=0, command=None):
        done = subprocess.run([command or self.extended, *arguments], env=environment(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def signatures(self, *options):
        lines = self.run_command("sketch", "-n", "64", ROOT / "samples/essays", *options)
        return [json.loads(line) for line in lines.splitlines()]

    def assert_offered(self, option, command):
        """Checks that an option is in the help of a command, the manual and the completion."""
        self.assertRegex(self.run_command(command, "--help"), rf"\s--{option}\b")
        self.assertRegex(self.run_command("--man"), rf"Fl {option}\b")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(option, self.run_command("--completion", shell))

    def test_a_file_kind(self):
        titles = ("1\n00:00:01,600 --> 00:00:04,200\nMind the gap.\n\n"
                  "2\n00:00:05,000 --> 00:00:06,000\nMind 2 gaps.\n")
        film, plain = self.write("a.srt", titles), self.write("a.txt", titles)
        self.assertEqual(self.run_command("cat", film), "mind the gap. mind 2 gaps.\n")
        for path, command in ((plain, self.extended), (film, TWINSET)):
            self.assertIn("00:00:01,600", self.run_command("cat", path, command=command))
        large = self.write("b.srt", "")
        large.write_bytes(b"\xe9t\xe9 " * 800_000)  # 5.4 MB in UTF-8
        self.assertIn("too large", self.run_command("cat", large, "--memory", "48M", status=2))

    def test_a_language(self):
        lines = [f"put stalk {number} in pot {number * number} (boil it)" for number in range(20)]
        one = self.write("one.rhubarb", "".join(f"{line} ; it is red\n" for line in lines))
        two = self.write("two.rhubarb", "".join(f"{line}\n" for line in lines))
        compared = json.loads(self.run_command("compare", one, two, "--format", "json", "-q"))
        self.assertEqual(compared["run"]["parameters"]["by"], "code")
        self.assertEqual(compared["pairs"][0]["jaccard"], 1)
        named = self.run_command("compare", one, two, "--by", "code", "--lang", "rhubarb", "-q")
        self.assertIn("100", named)
        before = self.run_command("compare", one, two, "--format", "json", "-q", command=TWINSET)
        self.assertEqual(json.loads(before)["run"]["parameters"]["by"], "char")
        self.assertLess(json.loads(before)["pairs"][0]["jaccard"], 1)

    def test_a_scheme(self):
        made = self.signatures("--scheme", "rhubarb", "--seed", "1")
        affine = self.signatures("--scheme", "affine", "--seed", "2")
        self.assertGreater(len(made), 5)
        self.assertEqual([row["signature"] for row in made], [row["signature"] for row in affine])
        self.assertNotEqual([row["signature"] for row in made],
                            [row["signature"] for row in self.signatures("--scheme", "affine")])
        self.assertRegex(self.run_command("sketch", "--help"), r"datasketch2\|rhubarb")

    def test_an_output_format(self):
        found = self.run_command(ROOT / "samples/essays", "--format", "names", "-q")
        pairs = self.run_command(ROOT / "samples/essays", "--format", "jsonl", "-q").splitlines()
        self.assertGreater(len(pairs), 1)
        self.assertEqual(found.splitlines(),
                         ["{a} and {b}".format(**json.loads(pair)) for pair in pairs])
        self.assertIn("names", self.run_command("scan", "--help"))

    def test_an_option_of_the_engine(self):
        run = json.loads(self.run_command(ROOT / "samples/essays", "--volume", "11", "-q",
                                          "--format", "json"))["run"]
        self.assertEqual(run["parameters"]["volume"], 11)
        self.assertIn("from 1 to 11", self.run_command("scan", ".", "--volume", "12", status=2))
        self.assert_offered("volume", "scan")

    def test_an_option_of_the_command(self):
        plain = self.run_command("tune")
        self.assertEqual(self.run_command("tune", "--greet"), "Good morning.\n" + plain)
        self.assertIn("does not apply", self.run_command("scan", "--greet", ".", status=2))
        self.assert_offered("greet", "tune")


if __name__ == "__main__":
    unittest.main()
