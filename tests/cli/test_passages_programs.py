"""Passages of programs, and of submissions of several files."""
import io
import json
import tokenize
import unittest

from passages import ORIGINAL, PARTS, Passages, rename

RENAMES = {"values": "xs", "value": "x", "total": "sum_up", "mean": "average", "rows": "lines_"}


def tokens_of(text):
    """The tokens of Python's own tokenizer, without layout and comments."""
    layout = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT,
              tokenize.ENDMARKER}
    return [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type not in layout]


class Programs(Passages):
    def setUp(self):
        super().setUp()
        self.write("anna.py", ORIGINAL)

    def compare_with(self, text, name="otto.py"):
        self.write(name, text)
        passages = self.compare("anna.py", name)
        self.check_spans(passages, [ORIGINAL.encode(), text.encode()])
        return passages

    def text_of_span(self, text, span):
        start, end = span["bytes"]
        return text.encode()[start:end].decode()

    def test_verbatim(self):
        """A copy with other comments and layout, which are no tokens, is verbatim."""
        text = "# By Otto\n\n" + ORIGINAL.replace("    ", "\t").replace("+= value", "+=  value # !")
        match, = self.compare_with(text)
        self.assertEqual((match["kinds"], match["names"]), (["verbatim"], []))
        self.assertEqual(match["tokens"], len(tokens_of(ORIGINAL)))
        self.assertEqual((match["a"]["lines"], match["b"]["lines"]), ([2, 21], [4, 23]))
        for side, source in ("a", ORIGINAL), ("b", text):
            self.assertEqual(match[side]["bytes"], [source.index("def mean"), len(source) - 1])

    def test_renamed(self):
        text = rename(ORIGINAL, RENAMES)
        match, = self.compare_with(text)
        self.assertEqual((match["kinds"], match["tokens"]), (["renamed"], len(tokens_of(ORIGINAL))))
        written = tokens_of(ORIGINAL)
        self.assertEqual({name["a"]: (name["b"], name["count"]) for name in match["names"]},
                         {name: (other, written.count(name)) for name, other in RENAMES.items()})
        counts = [name["count"] for name in match["names"]]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_edited(self):
        match, = self.compare_with(ORIGINAL.replace("limit=100", "limit=99").replace('";"', '","'))
        self.assertEqual((match["kinds"], match["names"]), (["edited"], []))

    def test_reordered(self):
        text = "\n\n\n".join([PARTS[2].rstrip("\n"), PARTS[1], PARTS[0]]) + "\n"
        passages = self.compare_with(text)
        self.assertGreater(len(passages), 1)
        self.assertGreaterEqual(sum("reordered" in match["kinds"] for match in passages), 1)
        self.assertLess(sum("reordered" in match["kinds"] for match in passages), len(passages))
        covered = "".join(self.text_of_span(ORIGINAL, match["a"]) for match in passages)
        for line in "total += value", 'line.split(";")', "names.pop()":
            self.assertIn(line, covered)

    def test_padded(self):
        """A statement is added after every statement; kinds name all changes."""
        lines = [line + (f"\n{line[:len(line) - len(line.lstrip())]}unused = [{i}]"
                         if " = " in line or "+=" in line else "")
                 for i, line in enumerate(ORIGINAL.splitlines())]
        text = "\n".join(lines) + "\n"
        passages = self.compare_with(text)
        self.assertEqual([match["kinds"] for match in passages], [["padded"]] * len(passages))
        self.assertGreater(sum(match["tokens"] for match in passages),
                           .9 * len(tokens_of(ORIGINAL)))
        passages = self.compare_with(rename(text, RENAMES), "renamed.py")
        self.assertTrue(all("padded" in match["kinds"] for match in passages))
        self.assertTrue(any("renamed" in match["kinds"] for match in passages))

    def test_like_gives_the_similarity_of_a_scan(self):
        """compare notes that it has only two documents; --like gives the similarity of a scan."""
        self.write("left.py", PARTS[0] + PARTS[1])
        self.write("right.py", PARTS[0] + PARTS[2])
        self.write("third.py", PARTS[1] + PARTS[2])
        self.assertIn("counted in these two documents alone",
                      self.succeed("compare", "left.py", "right.py").messages)
        search = ["scan", "left.py", "right.py", "third.py", "-t", "0", "--format", "json"]
        every = {(pair["a"], pair["b"]): pair["similarity"]
                 for pair in json.loads(self.succeed(*search).out)["pairs"]}
        for pair in json.loads(self.succeed(*search, "--like", "left.py").out)["pairs"]:
            self.assertEqual(pair["similarity"], every[pair["a"], pair["b"]])

    def test_rarity(self):
        """A passage has the number of documents with its rarest shingle, and of all documents."""
        self.write("otto.py", ORIGINAL)
        for i in range(4):
            body = "\n".join(f"    x{j} = y{j} % {i} if z{j}({j}) else [{j}]" for j in range(9))
            self.write(f"other{i}.py", f"{PARTS[0]}\n\n\ndef other{i}():\n" + "".join(
                body.replace("if", "if not " * i) + "\n"))
        found = self.pairs("--by", "code", "-t", "0", "--common", "1", ".")
        match, = found["anna.py", "otto.py"]
        self.assertEqual((match["documents"], match["among"]), (2, 6))
        with_mean = [passage for pair, passages in found.items() for passage in passages
                     if "anna" in pair[0] and "other" in pair[1] and passage["a"]["lines"][0] == 2]
        self.assertEqual({(match["documents"], match["among"]) for match in with_mean}, {(6, 6)})

    def test_templates(self):
        self.write("form.py", PARTS[0])
        self.write("otto.py", ORIGINAL)
        self.write("emma.py", ORIGINAL.replace("names.pop()", "names.pop(0)"))
        for passages in self.pairs("anna.py", "emma.py", "--ignore", "form.py").values():
            for match in passages:
                self.assertNotIn("total += value", self.text_of_span(ORIGINAL, match["a"]))
        same, = self.pairs("anna.py", "otto.py", "--ignore", "form.py").values()
        self.assertEqual([match["kinds"] for match in same], [["verbatim"]])

    def test_other_languages(self):
        """Programs of other languages have passages as well."""
        for name, text in (
                ("x.c", "int f(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }\n"),
                ("x.lsp", "(defun f (a n) (let ((s 0)) (dolist (x a) (incf s x)) (/ s n)))\n")):
            self.write(name, text * 2)
            self.write("y" + name, rename(text * 2, {"s": "t"}))
            match, = self.compare(name, "y" + name, "--by", "code")
            with self.subTest(name):
                self.assertEqual(match["kinds"], ["renamed"])
                self.assertIn(["s", "t"], [[pair["a"], pair["b"]] for pair in match["names"]])


class Submissions(Passages):
    """A pair is of submissions, its passages are of files."""

    def test_files(self):
        files = {"in/anna/mean.py": PARTS[0] + "\n", "in/anna/table.py": PARTS[1] + "\n",
                 "in/otto/all.py": f"{PARTS[1]}\n\n\n{rename(PARTS[0], RENAMES)}\n",
                 "in/otto/lib/more.py": PARTS[2], "in/emma/report.py": PARTS[2]}
        for name, text in files.items():
            self.write(name, text)
        found = self.pairs("in", "--group", "dir", "-t", "0.05")
        texts = {name: text.encode() for name, text in files.items()}
        self.assertIn(("in/anna", "in/otto"), found)
        for (a, b), passages in found.items():
            sides = [texts if name != "in/emma" else texts["in/emma/report.py"] for name in (a, b)]
            self.check_spans(passages, sides)
        spans = {(match["a"]["file"], match["b"]["file"]) for match in found["in/anna", "in/otto"]}
        self.assertEqual(spans, {("in/anna/mean.py", "in/otto/all.py"),
                                  ("in/anna/table.py", "in/otto/all.py")})
        match, = found["in/emma", "in/otto"]
        self.assertNotIn("file", match["a"])  # the submission has one file
        self.assertEqual(match["b"]["file"], "in/otto/lib/more.py")


if __name__ == "__main__":
    unittest.main()
