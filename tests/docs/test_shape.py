"""Files and structs of src/ are small, names have one meaning, and programs use only public names.

`python3 tests/docs/test_shape.py` lists the largest structs and files of src/.
"""

import re
import unittest

from pages import ROOT

MOST_FIELDS = 20
MOST_LINES = 600
PUBLIC = ("cli", "server", "python", "examples")  # programs that see only the public headers
NOT_CODE = re.compile(r"""/\*.*?\*/ | //[^\n]*               # comments
                          | "(?:\\.|[^"\\\n])*"              # strings
                          | '(?:\\.|[^'\\\n])*'              # characters
                          | ^[ \t]*\#(?:\\\n|[^\n])*         # lines of the preprocessor""",
                      re.DOTALL | re.MULTILINE | re.VERBOSE)
TYPE = re.compile(r"\b(struct|union)\b\s*(\w*)[^;{}()=]*\{")
DEFINITION = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
SHARED_CONSTANT = re.compile(r"\b(TW_\w+)\s*=|^[ \t]*#[ \t]*define[ \t]+(TW_\w+)", re.MULTILINE)
KERNELS = ("arm", "x86")  # folders of files that define the same for different processors
# Of a declaration: what has parentheses and names no field.
ASIDE = re.compile(r"\b(?:__attribute__|_Atomic|_Alignas)\s*"
                   r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^\]]*\]")
METHOD = re.compile(r"\w\s*\((?!\s*\*)")


def sources(folder, *endings):
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in endings]


def code(text):
    """The text without comments, strings and directives, with its lines unchanged."""
    return NOT_CODE.sub(lambda found: " " + "\n" * found[0].count("\n"), text)


def body_end(text, start):
    """The offset at which the brace that opens at `start` is closed."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.end()
    raise ValueError("braces that are not closed")


def split(text, separator):
    """Splits a text at separators outside of parentheses, brackets and braces."""
    fields, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and depth == 0:
            fields.append("")
        else:
            fields[-1] += letter
    return fields


def count_fields(body):
    """The number of fields of a struct, including those of nameless structs and unions."""
    count = 0
    for declaration in split(body, ";"):
        nested = TYPE.search(declaration)
        if nested:
            end = body_end(declaration, nested.end() - 1)
            if not declaration[end:].strip():
                count += 0 if nested[2] else count_fields(declaration[nested.end():end - 1])
                continue
            declaration = "int" + declaration[end:]
        declaration = ASIDE.sub("", declaration)
        if declaration.strip() and not METHOD.search(declaration.split("(*")[0]):
            count += len(split(declaration, ","))
    return count


def structs(text):
    """Name, line and number of fields of every struct, including nested ones."""
    text = code(text)
    for found in TYPE.finditer(text):
        end = body_end(text, found.end() - 1)
        rest = re.match(r"[^;]*", text[end:])[0].strip()
        name = found[2] or rest or "without a name"
        yield name, text.count("\n", 0, found.start()) + 1, count_fields(
            text[found.end():end - 1])


def all_structs():
    for path in sources("src", ".c", ".cc", ".h"):
        for name, line, fields in structs(path.read_text()):
            yield fields, f"{path.relative_to(ROOT)}:{line}: {name}, {fields} fields"


def all_names(pattern, clean):
    """The names that a pattern finds in src/, each with the files that it is in."""
    files = {}
    for path in sources("src", ".c", ".cc", ".h"):
        if path.parent.name not in KERNELS:
            for found in pattern.finditer(clean(path.read_text())):
                name = next(filter(None, found.groups()))
                files.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return files


def without_bodies(text):
    """C without comments, strings, and what is in parentheses or in the bodies of functions."""
    depth, kept = 0, []
    for line in code(text).splitlines():
        if line == "{":
            depth += 1
        if depth == 0:
            kept.append(re.sub(r"\([^()]*\)", "", line))
        if line == "}":
            depth -= 1
    return "\n".join(kept)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def all_lengths():
    for path in sources("src", ".c", ".cc", ".h"):
        lines = len(path.read_text().splitlines())
        yield lines, f"{path.relative_to(ROOT)}: {lines} lines"


class Shape(unittest.TestCase):
    def assert_none(self, offenders, advice):
        offenders = list(offenders)
        self.assertFalse(offenders, "\n".join([advice, *offenders]))

    def test_structs_are_small(self):
        self.assert_none(
            (what for fields, what in all_structs() if fields > MOST_FIELDS),
            f"A struct of more than {MOST_FIELDS} fields does several things: give those that"
            " change together a type of their own, and hand on only what is needed.")

    def test_files_are_short(self):
        self.assert_none(
            (what for lines, what in all_lengths() if lines > MOST_LINES),
            f"A file of more than {MOST_LINES} lines has more than one subject: move one of them"
            " to a file that is named for it.")

    def test_files_have_distinct_names(self):
        folders = {}
        for path in sources("src", ".c", ".cc"):
            folders.setdefault(path.name, []).append(str(path.parent.relative_to(ROOT)))
        self.assert_none(
            (f"{name}: {', '.join(found)}" for name, found in folders.items() if len(found) > 1),
            "A file is named for what it does: two of one name cannot both be.")

    def assert_one_meaning(self, files, advice):
        self.assert_none((f"{name}: {', '.join(sorted(found))}" for name, found in files.items()
                          if len(found) > 1), advice)

    def test_types_have_distinct_names(self):
        files = all_names(DEFINITION, without_bodies)
        self.assertGreater(len(files), 400)
        self.assert_one_meaning(files, "A type is named for what it is: two cannot both be that.")

    def test_shared_constants_have_distinct_names(self):
        files = all_names(SHARED_CONSTANT, without_comments)
        self.assertGreater(len(files), 200)
        self.assert_one_meaning(files, "Two constants that files share have one name.")

    def test_programs_use_public_names(self):
        self.assert_none(
            (f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
             for folder in PUBLIC for path in sources(folder, ".c", ".h")
             for number, line in enumerate(code(path.read_text()).splitlines(), 1)
             if re.search(r"\b(tw|TW)_\w", line)),
            "Names that start with tw_ belong to src/: use a function of include/, or add one.")


class Counting(unittest.TestCase):
    """Tests of the counting on which the rules rely."""

    def assert_counted(self, text, *expected):
        self.assertEqual([(name, fields) for name, _, fields in structs(text)], list(expected))

    def test_declarators(self):
        self.assert_counted("typedef struct a { int x, *y[2]; uint64_t z : 3, : 0; } a;", ("a", 4))
        self.assert_counted("struct a { int (*call)(void *, int), n; char text[F(1, 2)]; };",
                            ("a", 3))
        self.assert_counted("struct a { int x __attribute__((aligned(8))), y; };", ("a", 2))
        self.assert_counted("struct a { _Atomic(bool) x; _Alignas(64) int y, z; };", ("a", 3))
        self.assert_counted("struct a { enum { ONE, TWO } kind; struct b *b; const char *s; };",
                            ("a", 3))

    def test_comments_and_strings(self):
        self.assert_counted("struct a { int x; /* int y; { */ int z; // int v;\n };", ("a", 2))
        self.assert_counted('const char *s = "struct b { int x; };"; struct a { int x; };',
                            ("a", 1))
        self.assert_counted("#define S struct b { int x; \\\n int y; }\nstruct a { int x; };",
                            ("a", 1))

    def test_nested(self):
        self.assert_counted("struct a { int x; union { int y, z; struct { int u, v; }; }; };",
                            ("a", 5), ("without a name", 4), ("without a name", 2))
        self.assert_counted("struct a { int x; struct { int y, z; } in, out; };",
                            ("a", 3), ("in, out", 2))
        self.assert_counted("struct a { struct b { int y; } b; union c { int z; } *c; };",
                            ("a", 2), ("b", 1), ("c", 1))

    def test_declarations_that_are_no_structs(self):
        self.assert_counted("struct a *make(struct b b) { return 0; } struct c c = {0};")
        self.assert_counted("struct a { int x; bool has(int y, int z) const; };", ("a", 1))
        self.assert_counted("typedef struct { int x; } a; enum e { X, Y };", ("a", 1))

    def test_lines(self):
        self.assertEqual([line for _, line, _ in structs("/* 1\n */\nstruct a { int x; };")], [3])


if __name__ == "__main__":
    for sizes in (all_structs(), all_lengths()):
        for _, size in sorted(sizes, reverse=True)[:10]:
            print(size)
