"""Programs of a class: copies among honest solutions, exercises too small to decide, submissions of
several files, and files that are no valid programs."""
import functools
import json
import math
import os
import random
import re
import resource
import subprocess
import unittest
import zipfile

import oracle
from classroom import Class, COMBINED, DISGUISES, write_tiny
from command import LARGE, SANITIZED, TIMEOUT, TWINSET, Case, restore_signals
from dialect import LANGUAGES

NAMES = ("bash c cpp csharp go haskell java javascript kotlin lua ocaml php python r ruby rust "
         "scala sql swift tsx typescript plain text").split()
DEPTH = 100_000


@functools.lru_cache(None)
def class_of(language):
    """A class of programs, which many tests share."""
    return Class(language, seed=2)


class Programs(Case):
    def write_all(self, files, folder="in"):
        for name, text in files.items():
            self.write(f"{folder}/{name}", text)

    def rank(self, *arguments, **options):
        """The similarities of all pairs, by the names of their files."""
        result = self.succeed("scan", *arguments, "-t", "0", "--format", "jsonl", **options)
        rows = (json.loads(line) for line in result.text.splitlines())
        return {tuple(sorted(os.path.basename(row[side]) for side in "ab")): row["similarity"]
                for row in rows if "a" in row}

    def report(self, *arguments, **options):
        """The report of a run, and its messages."""
        result = self.succeed("scan", *arguments, "--format", "json", **options)
        return result.json["run"], result


class Classes(Programs):
    """Every copy ranks above every honest pair, whatever its disguise."""

    def check(self, language, *arguments):
        made = class_of(language)
        found = self.rank("in", "--by", "code", *arguments)
        rows = {"honest": [], "copy": []}
        for pair, kind in made.pairs().items():
            rows[kind].append((found.get(pair, 0), pair))
        honest, copies = sorted(rows["honest"], reverse=True), sorted(rows["copy"])
        if copies[0][0] <= honest[0][0]:
            self.fail("\n".join(["a copy ranks below honest pairs"] +
                                [f"{score:.3f} {kind} {' '.join(pair)}" for score, kind, pair in
                                 self.around(honest, copies)]))

    @staticmethod
    def around(honest, copies):
        """The most similar honest pairs and the least similar copies, in order."""
        rows = [(score, "honest", pair) for score, pair in honest[:5]]
        rows += [(score, "COPY", pair) for score, pair in copies[:12]]
        return sorted(rows, reverse=True)

    def check_language(self, language):
        made = class_of(language)
        self.write_all(made.files())
        handout = self.write(f"handout{LANGUAGES[language].ending}", made.handout())
        self.check(language)
        self.check(language, "--ignore", handout)

    def test_python(self):
        self.check_language("python")

    def test_java(self):
        self.check_language("java")

    def test_c(self):
        self.check_language("c")

    def test_kinds_of_pairs_in_a_class(self):
        made = class_of("python")
        kinds = list(made.pairs().values())
        self.assertEqual(len(made.copies), len(DISGUISES) + len(COMBINED) + 2)
        self.assertEqual(kinds.count("copy"), len(made.copies) + 1)  # merged has two sources
        self.assertGreater(kinds.count("honest"), 500)
        for text in made.files().values():
            compile(text, "student", "exec")

    def test_by_chance(self):
        """Honest pairs are expected by chance, most copies are not."""
        made = class_of("python")
        self.write_all(made.files())
        self.assertEqual(self.listed(made)["honest"], [])
        self.assertGreater(len(self.listed(made)["copy"]), 9)
        alarms = self.listed(made, "-t", "0")
        self.assertGreater(min(alarms["honest"]), 0.5)
        self.assertGreater(sum(number < 1 for number in alarms["copy"]), 9)

    def test_nothing_beyond_chance(self):
        """The list is empty, and the message does not deny that pairs are similar."""
        made = class_of("python")
        copies = {name for pair, kind in made.pairs().items() if kind == "copy" for name in pair}
        honest = {name: text for name, text in made.files().items() if name not in copies}
        self.write_all(honest)
        self.assertEqual(self.succeed("in").text,
                         f"No pair in {len(honest)} documents is beyond chance. "
                         "Use -t 0.3 to see those that may be chance.\n")

    def listed(self, made, *arguments):
        """For listed pairs by kind: how many such pairs chance is expected to give."""
        alarms, kinds = {"honest": [], "copy": [], None: []}, made.pairs()
        for pair in self.succeed("scan", "in", "--format", "json", *arguments).json["pairs"]:
            names = tuple(sorted(os.path.basename(pair[side]) for side in "ab"))
            alarms[kinds.get(names)].append(pair["false_alarms"])
        return alarms

    def test_calls_without_structure(self):
        """Programs that are lists of calls share no structure, but a copy shares its words."""
        seed = 7
        draw = random.Random(seed)

        def call():
            return f'system("{" ".join(f"w{draw.randrange(10_000)}" for _ in range(5))}");'

        programs = [[call() for _ in range(20)] for _ in range(20)]
        copied = programs[0][:17] + programs[19][:3]
        for i, calls in enumerate([*programs, copied]):
            body = "\n".join(sorted(calls))
            self.write(f"in/{i:02}.c", f"int main() {{\n{body}\n}}\n")
        pairs = self.succeed("scan", "in", "--format", "json").json["pairs"]
        self.assertEqual([(pair["a"], pair["b"]) for pair in pairs],
                         [("in/00.c", "in/20.c")], f"seed {seed}")
        by_hand = 21 * 20 / 2 * math.exp(-18 * pairs[0]["similarity"] ** 2)
        self.assertAlmostEqual(pairs[0]["false_alarms"] / by_hand, 1, delta=0.002)

    def test_words_of_two_only(self):
        """A misspelt name of two programs is shown, a name of three is not."""
        files = class_of("python").files()
        names = sorted(files)[:12]
        texts = {name: files[name] for name in names}
        for name in names[:2]:
            texts[name] = files[names[0]] + "recieve_totl = 48271\nknown_to_all = 1\n"
        texts[names[2]] += "known_to_all = 1\n"
        self.write_all(texts)
        pairs = self.succeed("scan", "in", "--format", "json", "-t", "0.9").json["pairs"]
        first = next(pair for pair in pairs if os.path.basename(pair["a"]) == names[0])
        found = {word["word"]: (word["kind"], word["a"]["lines"]) for word in first["only_both"]}
        line = files[names[0]].count("\n") + 1
        self.assertEqual(found["recieve_totl"], ("name", [line, line]))
        self.assertNotIn("known_to_all", found)

    def test_long_enough(self):
        self.write_all(class_of("python").files())
        run, _ = self.report("in")
        self.assertNotIn("too short", " ".join(run["notes"]))


class TooShort(Programs):
    """A program without a shingle is named once, and not listed."""

    def test_named(self):
        for name in "abcde":
            self.write(f"in/{name}.h", "#pragma once\n#include <stdio.h>\nint x;\n")
        self.write_all(class_of("c").files())
        run, result = self.report("in", "-t", "0.9")
        self.assertEqual([note for note in run["notes"] if "too short to judge" in note],
                         ["5 programs have fewer than 8 tokens, too short to judge, and are "
                          "compared with nothing: in/a.h, in/b.h, in/c.h, ..."])
        self.assertFalse([pair for pair in result.json["pairs"] if pair["a"].endswith(".h")])

    def test_of_two(self):
        self.write("a.c", "int x;\n")
        self.write("b.c", "int y;\n")
        answer = self.succeed("compare", "a.c", "b.c", "--format", "json")
        self.assertGreater(answer.json["pairs"][0]["similarity"], 0)


class Tiny(Programs):
    """In tiny exercises, many students write the same programs independently."""

    def check(self, exercise, language):
        self.write_all(write_tiny(exercise, language))
        run, result = self.report("in")
        self.assertEqual(run["documents"], 200)
        self.assertIn("too short to tell", " ".join(run["notes"]))
        self.assert_says(result, "too short to tell")
        self.assertLess(len(result.json["pairs"]), 50)
        return result

    def test_sum(self):
        self.check("sum", "python")

    def test_fizzbuzz(self):
        self.check("fizzbuzz", "java")

    def test_reverse(self):
        self.check("reverse", "c")

    def test_pairs_of_like_are_listed(self):
        self.write_all(write_tiny("sum", "python"))
        run, result = self.report("in", "-t", "0.4")
        self.assertIn("too short to tell", " ".join(run["notes"]))
        self.assertGreater(len(result.json["pairs"]), 500)


class Views(Programs):
    """Views: normalised tokens, written tokens, or both."""
    VIEWS = ("both", "normalised", "raw")
    ONE = "def grow(size):\n    return size * 2 + 'a b'  # more\n"

    def write_copies(self):
        """Writes a work, disguised copies of it, and the work of another student."""
        made = class_of("python")
        for work in (made.honest[0], made.honest[9], *made.copies):
            self.write(f"in/{made.file_name(work)}", made.write(work))

    def tokens(self, name, view):
        """The tokens that `cat` prints. In these files, none contains a space."""
        return self.succeed("cat", f"in/{name}", "--by", "code", "--view", view).text.split()

    def test_tokens_of_each_view(self):
        self.write_copies()
        found = {view: self.rank("in", "--view", view) for view in self.VIEWS}
        renamed = ("renamed.py", "student00.py")
        self.assertEqual(found["normalised"][renamed], 1)
        self.assertLess(found["raw"][renamed], 0.1)
        self.assertTrue(0.3 < found["both"][renamed] < 0.9, found["both"][renamed])
        for view in self.VIEWS:
            self.assertEqual(found[view]["reformatted.py", "student00.py"], 1)
            self.assertGreater(found[view]["reordered.py", "student00.py"],
                               2 * found[view]["student00.py", "student09.py"])

    def test_shingles(self):
        """Shingles are every k consecutive tokens, as `cat` prints them, and their repetitions."""
        names = ("one.py", "two.py", "three.py")
        rng = random.Random(3)
        for name in names:
            lines = (f"{rng.choice('xyz')} = {rng.choice('12')} {rng.choice('+*')} "
                     f"f('a', {name[0]})" for _ in range(40))
            self.write(f"in/{name}", "\n".join(lines))
        for view in ("normalised", "raw"):
            for k in (1, 3, 8):
                sets = {}
                for name in names:
                    tokens = self.tokens(name, view)
                    self.assertEqual(len(tokens), 40 * 10)
                    sets[name] = oracle.program_structure(tokens, k)
                found = self.rank("in", "--view", view, "-k", str(k), "--measure", "jaccard")
                for (a, b), similarity in found.items():
                    self.assertAlmostEqual(
                        similarity, len(sets[a] & sets[b]) / len(sets[a] | sets[b]), 5)

    def check_scores(self, count, view):
        """Compares the similarity of every pair with the description in docs/programs.md."""
        rng = random.Random(count)
        names = [f"p{i:02}.py" for i in range(count)]
        pool = [f"{rng.choice('xyz')} = {rng.choice('12')} {rng.choice('+*-%')} "
                f"f({rng.choice('abc')}, {i})" for i in range(40)]
        for name in names:
            lines = ["x = 1 + 2 * 3 - f(x)", *rng.sample(pool, rng.randint(8, 30))]
            self.write(f"in/{name}", "\n".join(lines))
        programs = []
        for name in names:
            tokens = self.tokens(name, "raw" if view == "raw" else "normalised")
            words = oracle.program_words(self.tokens(name, "raw")) if view == "both" else set()
            programs.append(oracle.program_structure(tokens) | words)
        found = self.rank("in", "--view", view)
        for (a, b), similarity in oracle.program_similarities(programs).items():
            self.assertAlmostEqual(found.get((names[b], names[a]), 0), similarity, 4)

    def test_scores(self):
        for count in (2, 3, 12, 25):
            for view in self.VIEWS:
                with self.subTest(count=count, view=view):
                    self.setUp()
                    self.check_scores(count, view)

    def test_default(self):
        self.write_copies()
        answers = {self.succeed("in", *options, "--by", "code", "--format", "json").out
                   for options in ((), ("--view", "both"))}
        self.assertEqual(len(answers), 1)
        self.assertEqual(self.report("in", "--view", "raw")[0]["parameters"]["view"], "raw")

    def test_cat(self):
        self.write("in/one.py", self.ONE)
        for view, text in (("both", "def I ( I ) : return I * N + S\n"),
                           ("normalised", "def I ( I ) : return I * N + S\n"),
                           ("raw", "def grow ( size ) : return size * 2 + 'a b'\n")):
            self.assertEqual(self.succeed("cat", "in", "--by", "code", "--view", view).text, text)

    def test_cat_of_an_archive(self):
        with zipfile.ZipFile(self.path("in.zip"), "w") as packed:
            packed.writestr("a.py", self.ONE)
            packed.writestr("b.py", "pass\n" * 3)
        answer = self.succeed("cat", "in.zip", "--by", "code", "--view", "raw")
        self.assertEqual(answer.text, "==> in.zip!/a.py <==\ndef grow ( size ) : return size * 2 + "
                         "'a b'\n\n==> in.zip!/b.py <==\npass pass pass\n")

    def test_templates(self):
        """Renamed text is of a template by its structure, but not as it is written."""
        self.write_copies()
        plain = ("--measure", "jaccard")
        template = ("--ignore", "in/student00.py", "in/renamed.py", "in/reordered.py", *plain)
        found = {view: self.rank(*template, "--view", view).get(("renamed.py", "reordered.py"), 0)
                 for view in self.VIEWS}
        whole = self.rank("in", "--view", "raw", *plain)["renamed.py", "reordered.py"]
        self.assertEqual(found["normalised"], 0)
        self.assertLess(found["raw"], whole)

    def passages(self, view, copy):
        """The passages of the original and a copy, as a scan of all programs finds them."""
        answer = self.succeed("scan", "in", "-t", "0", "--view", view, "--format", "json")
        for pair in json.loads(answer.out)["pairs"]:
            if (pair["a"], pair["b"]) == (f"in/{copy}.py", "in/student00.py"):
                return pair, pair["passages"]
        return None, []

    def test_passages(self):
        self.write_copies()
        for view in self.VIEWS:
            with self.subTest(view):
                pair, passages = self.passages(view, "reordered")
                self.assertGreater(sum(passage["tokens"] for passage in passages), 200)
                self.assertEqual(pair["overlap"], sum(passage["tokens"] for passage in passages))
                kinds = {kind for passage in passages for kind in passage["kinds"]}
                self.assertLessEqual({"verbatim", "reordered"}, kinds)
                self.assertTrue(all(1 < passage["documents"] <= passage["among"]
                                    for passage in passages))

    def test_passages_with_other_names(self):
        self.write_copies()
        for view in ("both", "normalised"):
            kinds = [passage["kinds"] for passage in self.passages(view, "renamed")[1]]
            self.assertIn(["renamed"], kinds)
        written, normal = (sum(passage["tokens"] for passage in self.passages(view, "renamed")[1])
                           for view in ("raw", "normalised"))
        self.assertLess(written, normal / 2)  # the hand-out, and lines with few names

    def test_views_do_not_change_prose(self):
        self.write("in/a.txt", "nothing but words in a row")
        self.write("in/b.txt", "nothing but words in a line")
        found = {self.succeed("in", "-t", "0", "--format", "csv", "--view", view).out
                 for view in self.VIEWS}
        self.assertEqual(len(found), 1)

    def test_unknown(self):
        self.fail_with(2, "in", "--view", "names", says=["--view", "both|normalised|raw"])


class Tables(Programs):
    """Tables of constants, which are alike by their shape alone."""

    def driver(self, name, rows):
        """A table of constants of its own, then what this driver does."""
        rng = random.Random(name)

        def word():
            return "".join(rng.choice("abcdefghiklmnoprstuvw") for _ in range(6))
        table = "".join(f"    {{ 0x{rng.randrange(4096, 65536):04x}, {word().upper()} }},\n"
                        for _ in range(rows))
        lines = [rng.choice((f"if ({word()} {rng.choice('<>')} {word()}) return {word()}();",
                             f"{word()}[{word()}] {rng.choice('+-*')}= {word()};",
                             f"while ({word()}({word()}, &{word()}->{word()})) {word()}--;",
                             f"{word()} = {word()} {rng.choice('+-*/')} {word()}({word()});"))
                 for _ in range(12)]
        body = "".join(f"    {line}\n" for line in lines)
        self.write(f"in/{name}.c", f"static const struct {word()} {word()}[] = {{\n{table}}};\n\n"
                                   f"int {word()}(int {word()})\n{{\n{body}}}\n")

    def test_of_constants(self):
        names = [f"chip{i:02}" for i in range(20)]
        for i, name in enumerate(names):
            self.driver(name, 300 if i < 2 else 1)
        self.assertFalse(self.succeed("in", "--format", "json").json["pairs"])
        self.assertLess(self.rank("in")["chip00.c", "chip01.c"], 0.05)
        # By structure alone, the rows would be most of both programs.
        self.assertLess(self.rank("in", "--view", "normalised")["chip00.c", "chip01.c"], 0.5)


class Submissions(Programs):
    """Folders of several files are compared as submissions, not by files."""

    def setUp(self):
        super().setUp()
        made = class_of("java")
        self.texts = {work.name: made.write(work) for work in made.honest + made.copies}

    def submit(self, name, work, *files):
        """Submits a program, divided between functions into so many files."""
        parts = re.split(r"(?<=\n)(?=[ \t]+static )", self.texts[work])
        for i, file in enumerate(files):
            start, stop = (len(parts) * at // len(files) for at in (i, i + 1))
            self.write(f"{name}/{file}", "".join(parts[start:stop]))

    def submit_all(self):
        self.submit("work/ann", "student00", "Main.java", "Tools.java")
        self.submit("work/bob", "renamed", "Start.java", "lib/First.java", "lib/Second.java")
        self.submit("work/cem", "student05", "Main.java", "Tools.java")
        self.submit("work/dan", "student06", "Main.java")

    def pairs(self, *arguments):
        result = self.succeed("scan", *arguments, "-t", "0", "--group", "dir", "--format", "json")
        pairs = json.loads(result.text)["pairs"]  # with passages
        return sorted(pairs, key=lambda pair: -pair["similarity"])

    def test_copied_into_other_files(self):
        self.submit_all()
        pairs = self.pairs("work")
        self.assertEqual({pair[side] for pair in pairs for side in "ab"},
                         {"work/ann", "work/bob", "work/cem", "work/dan"})
        self.assertEqual(len(pairs), 6)
        self.assertEqual((pairs[0]["a"], pairs[0]["b"]), ("work/ann", "work/bob"))
        self.assertGreater(pairs[0]["similarity"], 2 * pairs[1]["similarity"])

    def test_passages_are_in_files(self):
        self.submit_all()
        passages = self.pairs("work")[0]["passages"]
        files = {(passage["a"]["file"], passage["b"]["file"]) for passage in passages}
        self.assertIn(("work/ann/Main.java", "work/bob/Start.java"), files)
        self.assertIn(("work/ann/Tools.java", "work/bob/lib/Second.java"), files)

    def test_split_differently(self):
        """A program in one file, in two and in three files is almost equally similar."""
        for name, files in (("a", "A"), ("b", "AB"), ("c", "ABC")):
            self.submit(f"work/{name}", "student03", *(f"{file}.java" for file in files))
        for pair in self.pairs("work"):
            self.assertGreater(pair["similarity"], 0.85)

    def test_earlier_years(self):
        self.submit_all()
        self.submit("old/eva", "student06", "A.java", "B.java")
        self.submit("old/fay", "student06", "A.java", "B.java")
        pairs = self.pairs("work", "--old", "old")
        names = [(pair["a"], pair["b"]) for pair in pairs]
        self.assertNotIn(("old/eva", "old/fay"), names)
        self.assertEqual(set(names[:2]), {("old/eva", "work/dan"), ("old/fay", "work/dan")})
        self.assertEqual(names[2], ("work/ann", "work/bob"))

    def test_the_hand_out_does_not_count(self):
        """The hand-out does not count, but two submissions of only the hand-out are identical."""
        self.submit_all()
        for name in ("ann", "bob", "cem", "dan"):
            self.submit(f"given/{name}", {"ann": "student00", "bob": "renamed", "cem": "student05",
                                          "dan": "student06"}[name], "Main.java", "Tools.java")
        self.submit("work/eva", "student05", "Main.java", "Tools.java")
        self.submit("work/bob", "renamed", "Start.java", "lib/First.java")
        os.remove(self.path("work/bob/lib/Second.java"))
        self.submit("work/dan", "student06", "Main.java", "Tools.java")
        pairs = self.pairs("work", "--ignore", "given")
        self.assertEqual((pairs[0]["a"], pairs[0]["b"], pairs[0]["similarity"]),
                         ("work/cem", "work/eva", 1))
        self.assertEqual([pair for pair in pairs[1:] if pair["similarity"] > 0], [])

    def test_identical(self):
        self.submit_all()
        self.submit("work/eva", "student00", "Main.java", "Tools.java")
        pairs = self.pairs("work")
        self.assertEqual((pairs[0]["a"], pairs[0]["b"], pairs[0]["similarity"]),
                         ("work/ann", "work/eva", 1))


class Odd(Programs):
    """Invalid programs are compared as well as possible, and all others as usual."""

    def setUp(self):
        super().setUp()
        made = class_of("python")
        texts = {work.name: made.write(work) for work in made.honest + made.copies}
        self.text, self.other = texts["student00"], texts["student09"]
        self.write("in/a.py", self.text)
        self.write("in/b.py", texts["renamed"])
        self.write("in/c.py", self.other)

    def check_others(self, *arguments, **options):
        """Checks that a pair of good programs is found. Returns all similarities."""
        found = self.rank("in", "--by", "code", *arguments, **options)
        self.assertGreater(found["a.py", "b.py"], 0.4)
        self.assertLess(found["a.py", "c.py"], 0.4)
        return found

    def flags(self, **options):
        run, _ = self.report("in", "--by", "code", **options)
        return {os.path.basename(entry["path"]): entry["flags"] for entry in run["flagged"]}

    def check_unparsed(self, *names):
        """Checks that only these are flagged as unparsed."""
        flags = self.flags()
        if "lexed" in flags.get("a.py", []):
            self.skipTest("this build has no grammars")
        self.assertEqual([name for name in flags if "unparsed" in flags[name]], list(names))

    def check_skipped(self, name, reason):
        run, result = self.report("in", "--by", "code")
        self.assertEqual([(skip["path"], skip["reason"]) for skip in run["skipped"]],
                         [(f"in/{name}", reason)])
        self.assert_says(result, f"skipped in/{name}: {reason}")
        self.fail_with(3, "in", "--by", "code", "--strict", says=name)
        self.check_others()


class Contents(Odd):
    def test_cut_off(self):
        """A program is truncated in a function, in a string, and in a word."""
        for part in (0.5, 0.7, 0.9):
            self.write("in/cut.py", self.text[:int(part * len(self.text))])
            found = self.check_others()
            self.assertGreater(found["a.py", "cut.py"], part - 0.2)
            self.check_unparsed()

    def test_a_missing_bracket(self):
        """An error does not affect the tokens after it."""
        self.write("in/error.py", self.text.replace("):\n", ":\n", 1))
        self.assertGreater(self.check_others()["a.py", "error.py"], 0.9)
        self.check_unparsed()

    def test_empty(self):
        self.write("in/empty.py")
        self.check_skipped("empty.py", "empty")

    def test_comments_alone(self):
        self.write("in/comments.py", "# nothing to see\n# here\n" * 50)
        self.check_skipped("comments.py", "empty")

    def test_strings_alone(self):
        text = "".join(f'say("{word} is what was said here")\n' for word in self.text.split()[:80])
        self.write("in/strings.py", text)
        self.write("in/strings too.py", text.replace("say", "tell").replace("here", "there"))
        found = self.check_others()
        self.assertGreater(found["strings too.py", "strings.py"], 0.3)

    def test_a_list_of_strings(self):
        words = "".join(f'    "{word!r}",\n' for word in self.text.split())
        self.write("in/words.py", f"WORDS = [\n{words}]\n")
        self.check_others()

    def test_binary(self):
        self.write("in/binary.py", random.Random(1).randbytes(20000))
        self.check_skipped("binary.py", "binary file")

    def test_layout(self):
        """Line ends, tabs and byte order marks make no difference."""
        self.check_others()
        forms = {"crlf.py": self.text.replace("\n", "\r\n"), "mark.py": "\ufeff" + self.text,
                 "tabs.py": self.text.replace("    ", "\t"),
                 "mixed.py": self.text.replace("\n", "\r\n", 40).replace("    ", "\t", 30),
                 "wide.py": self.text.encode("utf-16"), "end.py": self.text.rstrip("\n"),
                 "spaces.py": self.text.replace("\n", "   \n\n")}
        for name, text in forms.items():
            self.write(f"in/{name}", text)
        found = self.rank("in", "--by", "code", "--common", "1")
        for name in forms:
            self.assertEqual(found[tuple(sorted(("a.py", name)))], 1, name)
            self.assertEqual(found[tuple(sorted(("b.py", name)))], found["a.py", "b.py"], name)
        self.assertGreater(found["a.py", "b.py"], 0)

    def test_names(self):
        names = [b"two\nlines.py", b"caf\xe9.py", "π и 中.py".encode(), b"-t 0 '\".py",
                 b"red \x1b[31m.py"]
        for name in names:
            self.write(b"in/" + name, self.text)
        found = self.rank("in", "--by", "code")
        for name in names:
            self.assertEqual(found[tuple(sorted(("a.py", os.fsdecode(name))))], 1, name)


class Deep(Odd):
    """Nesting too deep for any stack."""

    def check_deep(self, files):
        for name, text in files.items():
            self.write(f"in/{name}", text)
            self.write(f"in/again-{name}", text + "\n")
        found = self.check_others(preexec_fn=limited(60))
        for name in files:
            self.assertEqual(found[tuple(sorted((name, f"again-{name}")))], 1, name)

    def test_brackets(self):
        text = f"x = {'(' * DEPTH}1{')' * DEPTH};\ny = x + 1;\nz = x + y;\n"
        self.check_deep({f"round.{ending}": text for ending in ("py", "java", "c", "js")})

    def test_brackets_that_stay_open(self):
        self.check_deep({"open.py": "f" + "(" * DEPTH,
                         "open.c": "int x = " + "{[(" * (DEPTH // 3)})

    def test_blocks(self):
        blocks = "{" * DEPTH + "}" * DEPTH
        self.check_deep({"blocks.c": f"int main(void) {blocks}", "blocks.js": f"() => {blocks}",
                         "Blocks.java": f"class A {{ void f() {blocks} }}"})

    def test_conditions(self):
        self.check_deep({
            "else.c": "int f(int x) { " + "if (x) x++; else " * (DEPTH // 3) + "x--; }\n",
            "if.py": "".join(" " * i + "if x:\n" for i in range(1500)) + " " * 1500 + "y\n"})

    def test_operators(self):
        self.check_deep({"sum.py": "x = " + "1 + " * DEPTH + "1\n",
                         "not.c": "int x = " + "!" * DEPTH + "1;\n"})


def limited(seconds, memory=0):
    """Limits the processor time and memory of a command."""
    def limit():
        restore_signals()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if memory and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return limit


class Large(Odd):
    def minified(self, size):
        """A line of statements, in which blocks are repeated."""
        rng = random.Random(5)
        forms = ["function {}({},b){{return {}+b*{}}}", "var {}={}?{}:[{},\"{}\"];",
                 "for(var {}=0;{}<{};i++){{f({},c)}}", "{}.prototype.{}=function(){{return {}}};"]
        letters = [a + b for a in "abcdefghijklm" for b in "nopqrstuvwxyz_$"]
        block = "".join(rng.choice(forms).format(*rng.choices(letters, k=5)) for _ in range(30_000))
        return (block * (size // len(block) + 1))[:size]

    def test_minified(self):
        """A line of many megabytes is lexed and flagged, within the memory limit."""
        size, memory = (50 << 20, 3 << 10) if LARGE else (6 << 20, 1 << 9)
        text = self.minified(size)
        self.write("in/large.js", text)
        self.write("in/part.js", text[:100_000])
        process = self.start("scan", "in", "--by", "code", "-t", "0", "--format", "json",
                             "--memory", f"{memory}M", stderr=subprocess.DEVNULL,
                             preexec_fn=limited(120))
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        process.communicate()
        self.assertEqual(status, 0)
        result = json.loads(out)
        names = {os.path.basename(pair[side]) for pair in result["pairs"] for side in "ab"}
        self.assertLessEqual({"a.py", "b.py", "c.py", "large.js", "part.js"}, names)
        self.assertIn({"path": "in/large.js", "flags": ["lexed"]}, result["run"]["flagged"])
        if not SANITIZED:
            self.assertLess(used.ru_maxrss / 1024, memory)

    def test_too_large_for_little_memory(self):
        self.write("in/large.js", self.minified(20 << 20))
        result = self.succeed("scan", "in", "--by", "code", "--memory", "64M", "-t", "0")
        self.assert_says(result, "skipped in/large.js: too large")
        self.assertIn("b.py", result.text)


class WrongNames(Odd):
    """A file whose extension is of another language."""

    def check_wrong(self, text, right, wrong):
        """Checks that the file is compared, even with a correctly named one, and flagged."""
        self.write(f"in/{right}", text)
        self.write(f"in/{wrong}", text)
        found = self.check_others()
        self.assertGreater(found[tuple(sorted((right, wrong)))], 0.5)
        self.check_unparsed(wrong)

    def text_in(self, language):
        made = class_of(language)
        return made.write(made.honest[4])

    def test_java_for_python(self):
        self.check_wrong(self.text_in("java"), "Right.java", "wrong.py")

    def test_c_for_python(self):
        self.check_wrong(self.text_in("c"), "right.c", "wrong.py")

    def test_python_for_java(self):
        self.check_wrong(self.text_in("python"), "right.py", "Wrong.java")

    def test_c_for_java(self):
        """The languages are so similar that C may parse as Java."""
        self.write("in/right.c", self.text_in("c"))
        self.write("in/Wrong.java", self.text_in("c"))
        self.assertGreater(self.check_others()["Wrong.java", "right.c"], 0.5)

    def test_prose(self):
        prose = " ".join(f"It was the {word} of times, it was the age of {word}."
                         for word in self.text.split() if word.isalpha())
        self.write("in/prose.c", prose)
        self.check_others()
        self.check_unparsed("prose.c")

    def test_no_extension(self):
        self.write("in/a", self.text)
        self.assertGreater(self.check_others()["a", "a.py"], 0.99)

    def test_no_file_has_an_extension(self):
        """Programs without extensions are recognised; letters without extensions are not."""
        for language in ("c", "java", "python"):
            for folder in ("programs", "mixed"):
                self.write(f"{folder}/{language}", self.text_in(language))
                self.write(f"{folder}/{language}-again", self.text_in(language) + "\n")
        for number in range(7):
            self.write(f"mixed/letter{number}", f"Dear aunt {number}, it rains. " * 30)
        self.assertEqual(self.unit_of("programs"), "code")
        self.assertEqual(self.unit_of("mixed"), "char")

    def unit_of(self, folder):
        run = self.succeed("scan", folder, "--format", "json").json["run"]
        return run["parameters"]["by"]


class AnotherUser(Odd):
    def test_finds_the_grammars(self):
        """Grammars are found without the cache of the user who built the command."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        os.chmod(self.folder, 0o755)
        env = dict(os.environ, HOME="/nonexistent", LC_ALL="C.UTF-8")
        try:
            done = subprocess.run([TWINSET, "in", "--by", "code", "--format", "json"], user=65534,
                                  group=65534, extra_groups=[], cwd=self.folder, env=env,
                                  capture_output=True, timeout=TIMEOUT)
        except PermissionError:
            self.skipTest("others cannot reach the command")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)["run"]["flagged"], [])


class Grammars(Odd):
    """If a grammar cannot be loaded, the plain lexer is used, and its files are flagged."""

    def check_without(self, grammars):
        variables = {"TWINSET_GRAMMARS": grammars}
        found = self.check_others(env=variables)
        self.assertLess(found["a.py", "c.py"], 0.3)
        self.assertEqual(self.flags(env=variables), {name: ["lexed"] for name in
                                                     ("a.py", "b.py", "c.py")})

    def test_an_empty_folder(self):
        os.mkdir(self.path("none"))
        self.check_without(self.path("none"))

    def test_no_such_folder(self):
        self.check_without(self.path("nowhere"))

    def test_damaged(self):
        self.write("damaged/python.so", b"\x7fELF" + random.Random(1).randbytes(5000))
        self.check_without(self.path("damaged"))

    def test_no_library(self):
        self.write("text/python.so", "no library\n")
        self.check_without(self.path("text"))

    def test_a_folder_instead_of_a_library(self):
        os.makedirs(self.path("strange/python.so"))
        self.check_without(self.path("strange"))

    def test_others_are_not_needed(self):
        """Languages without a grammar have no message."""
        self.write("in/a.txt", "Prose, of a few words, is not parsed.")
        self.write("in/a.zig", "const x = 1;\n")
        self.assertLessEqual(set(self.flags()), {"a.py", "b.py", "c.py"})


class Languages(Programs):
    def write_samples(self, *languages):
        for language in languages:
            made = class_of(language)
            ending = LANGUAGES[language].ending
            self.write(f"in/one{ending}", made.write(made.honest[0]))
            self.write(f"in/copy{ending}", made.write(made.copies[0]))

    def test_names(self):
        self.write_samples("c")
        for name in NAMES + ["auto"]:
            with self.subTest(name):
                found = self.rank("in", "--lang", name, "--by", "code")
                self.assertGreater(found["copy.c", "one.c"], 0.1)

    def test_unknown(self):
        self.write_samples("c")
        for name in ("klingon", "", "Python ", "py,c"):
            self.fail_with(2, "scan", "in", "--lang", name,
                           says=["--lang", f"'{name}'", "python", "plain"])

    def test_mixed(self):
        """In a mixture of languages, copies are found in each."""
        self.write_samples("python", "java", "c")
        found = self.rank("in", "--by", "code")
        best = sorted(found, key=found.get, reverse=True)[:3]
        self.assertEqual(set(best), {("copy.py", "one.py"), ("copy.java", "one.java"),
                                     ("copy.c", "one.c")})

    def test_records(self):
        """The extension of a record's id decides its language, as that of a file does."""
        self.write_samples("python", "java", "c")
        folder = self.path("in")
        records = []
        for name in self.entries("in"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                records.append(json.dumps({"id": name, "text": file.read()}))
        self.write("in.jsonl", "\n".join(records))
        files = self.rank("in", "--by", "code")
        self.assertEqual(self.rank("in.jsonl", "--by", "code"), files)
        self.assertEqual(self.rank("in.jsonl", "--by", "code", "--memory", "1M"), files)

    def by(self, *arguments):
        return self.report("in", *arguments)[0]["parameters"]["by"]

    def test_programs_are_recognised_among_prose(self):
        self.write_samples("python", "java")
        self.assertEqual(self.by(), "code")
        self.assertEqual(self.by("--by", "auto"), "code")
        self.assertEqual(self.by("--by", "word"), "word")
        for i in range(3):
            self.write(f"in/notes{i}.txt", f"Some prose, the {i}th, about what the program does.")
        self.assertEqual(self.by(), "code")
        for i in range(3, 8):
            self.write(f"in/notes{i}.txt", f"Some prose, the {i}th, about what the program does.")
        self.assertEqual(self.by(), "char")

    def test_prose(self):
        for i in range(3):
            self.write(f"in/{i}.txt", f"Nothing but words, {i} times.")
        self.assertEqual(self.by(), "char")

    def test_prose_by_code(self):
        """With --by code, the words of prose are tokens."""
        for i in range(2):
            self.write(f"in/{i}.txt", f"Nothing but words, in a row of {i}, and some more words.")
        self.assertGreater(self.rank("in", "--by", "code")["0.txt", "1.txt"], 0.1)


if __name__ == "__main__":
    unittest.main()
