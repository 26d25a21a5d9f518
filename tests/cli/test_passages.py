"""Passages: the common text of two documents and its spans, as data and on the screen."""
import gzip
import io
import itertools
import json
import random
import tokenize
import unicodedata
import unittest

import corpus
import oracle
from command import Case, columns_of, run_on_terminal, without_colour

LEAST = 5  # words of a passage of prose
LEAST_COPY = 40  # words of a common run that is always in a passage
FIELDS = ["a", "b", "tokens", "kinds", "names", "documents", "among"]


class Passages(Case):
    def pairs(self, *arguments, **options):
        """All pairs with their passages, by the names of the documents."""
        answer = self.succeed(*arguments, "--format", "json", **options)
        return {(pair["a"], pair["b"]): pair["passages"]
                for pair in json.loads(answer.out)["pairs"]}

    def compare(self, *arguments, **options):
        return next(iter(self.pairs("compare", *arguments, **options).values()))

    def check_spans(self, passages, texts):
        """Checks that spans are in the order of a and do not overlap, and that lines agree with
        bytes. `texts` are those of a and b, or of their files by name."""
        spans = {"a": {}, "b": {}}
        for passage in passages:
            self.assertEqual([field for field in passage if field != "rarity"], FIELDS)
            for side, text in zip("ab", texts):
                span = passage[side]
                text = text[span["file"]] if isinstance(text, dict) else text
                start, end = span["bytes"]
                self.assertTrue(0 <= start < end <= len(text), passage)
                self.assertEqual(span["lines"], [1 + text.count(b"\n", 0, start),
                                                  1 + text.count(b"\n", 0, end - 1)])
                spans[side].setdefault(span.get("file"), []).append((start, end))
        for files in spans.values():
            for of_file in files.values():
                for (_, end), (start, _) in itertools.pairwise(sorted(of_file)):
                    self.assertLessEqual(end, start)
        for of_file in spans["a"].values():
            self.assertEqual(of_file, sorted(of_file))


# ---- prose

def words_of(text):
    """The words of a text, each with its span in bytes. Only ASCII is folded."""
    found, at, open_word = [], 0, False
    for c in text.decode("utf-8"):
        size = len(c.encode())
        alone = oracle.is_unspaced(c)
        if unicodedata.category(c)[0] not in "LMN":
            open_word = False
        elif open_word and not alone:
            found[-1] = (found[-1][0] + c, found[-1][1], at + size)
        else:
            found.append((c, at, at + size))
            open_word = not alone
        at += size
    return found


def fold(word):
    return "".join(c.lower() if c.isascii() else c for c in word)


def grams(words):
    return {tuple(words[i:i + LEAST]) for i in range(len(words) - LEAST + 1)}


def common_length(a, b):
    """The length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


class Prose(Passages):
    def inside(self, text, span):
        """The words of a span, which begins and ends with a word."""
        start, end = span["bytes"]
        found = [(word, i) for i, (word, first, last) in enumerate(words_of(text))
                 if first >= start and last <= end]
        spans = words_of(text)
        self.assertEqual(spans[found[0][1]][1], start)
        self.assertEqual(spans[found[-1][1]][2], end)
        return [word for word, _ in found]

    def check_words(self, passages, texts):
        """Checks kinds and counts by the words of both spans."""
        self.check_spans(passages, texts)
        for passage in passages:
            a, b = (self.inside(text, passage[side]) for side, text in zip("ab", texts))
            kinds = set(passage["kinds"]) - {"reordered"}
            self.assertGreaterEqual(passage["tokens"], min(LEAST, *map(len, map(words_of, texts))))
            self.assertEqual((passage["names"], passage["documents"], passage["among"]),
                             ([], None, None))
            if kinds == {"verbatim"}:
                self.assertEqual([*map(fold, a)], [*map(fold, b)])
                self.assertEqual(passage["tokens"], len(a))
            else:
                self.assertIn(kinds, [{"edited"}, {"paraphrased"}, {"summary"}])
                self.assertNotEqual([*map(fold, a)], [*map(fold, b)])
                self.assertLessEqual(passage["tokens"], min(len(a), len(b)))

    def test_every_kind_of_text(self):
        """Texts are in any script, and of words that are repeated often."""
        texts = {name: text for name, text in corpus.mixed_texts().items() if b"\xff" not in text}
        for name, text in texts.items():
            self.write("docs/" + name, text)
        found = self.pairs("docs", "-t", "0")
        self.assertGreater(sum(map(len, found.values())), 50)
        for (a, b), passages in found.items():
            plain = [texts[name[5:]].removeprefix(b"\xef\xbb\xbf") for name in (a, b)]
            with self.subTest(a=a, b=b):
                self.check_words(passages, plain)

    def patch(self, rng, original):
        """A text of ranges of another, in any order, with words of its own between them; and these
        ranges."""
        parts, text, fresh = [], [], (f"own{i}" for i in itertools.count())
        cuts = sorted(rng.sample(range(len(original)), 12))
        ranges = [original[i:j] for i, j in zip(cuts, cuts[1:])]
        rng.shuffle(ranges)
        for piece in ranges[:8]:
            text += itertools.islice(fresh, rng.choice([1, 4, 40]))
            text += piece
            parts.append(piece)
        return " ".join(text), parts

    def test_all_long_ranges_are_found(self):
        """If every word occurs once, passages have all long enough ranges that brute force
        finds."""
        for seed in range(20):
            rng = random.Random(seed)
            original = [f"word{i}" for i in range(300)]
            copy, parts = self.patch(rng, original)
            texts = [" ".join(original).encode(), copy.encode()]
            for name, text in zip("ab", texts):
                self.write(name, text)
            passages = self.compare("a", "b", "--by", "word", "-k", "2")
            with self.subTest(seed=seed):
                self.check_words(passages, texts)
                least = {word for part in parts if len(part) >= LEAST_COPY for word in part}
                most = {word for part in parts for word in part}
                tokens = sum(passage["tokens"] for passage in passages)
                self.assertTrue(len(least) <= tokens <= len(most), (len(least), tokens, len(most)))
                inside = {word for passage in passages
                          for word in self.inside(texts[0], passage["a"])}
                self.assertLessEqual(least, inside)

    def test_templates(self):
        """Text whose shingles are all of a template is in no passage, and at no end of one."""
        for seed in range(20):
            rng = random.Random(seed)
            form = [f"form{i}" for i in range(60)]
            shared = [f"word{i}" for i in range(40)]
            texts = []
            for name in "ab":
                own = [f"{name}{i}" for i in range(30)]
                parts = [own[:10], form[:rng.randrange(20, 60)], shared[:20], own[10:20],
                         form[rng.randrange(30):], shared[20:], own[20:]]
                texts.append(" ".join(itertools.chain(*parts)).encode())
                self.write(name, texts[-1])
            self.write("form", " ".join(form))
            passages = self.compare("a", "b", "--ignore", "form")
            with self.subTest(seed=seed):
                self.check_left_out(passages, texts, form)
                self.assertGreaterEqual(sum(passage["tokens"] for passage in passages), 40)
            self.assertGreater(sum(passage["tokens"] for passage in self.compare("a", "b")),
                               sum(passage["tokens"] for passage in passages))

    def test_templates_of_records(self):
        """Records of a template are left out like files; a bad record is named once."""
        form, shared = ([f"{word}{i}" for i in range(30)] for word in ("form", "word"))
        for name in "ab":
            self.write(name, " ".join([*form, name, *shared, name]))
        self.write("form", " ".join(form))
        self.write("short", " ".join(form[:20]))
        records = b"".join(json.dumps({"text": " ".join(words)}).encode() + b"\n"
                           for words in (form, ["other"]))
        self.write("form.jsonl", records + b"no record\n")
        self.write("form.jsonl.gz", gzip.compress(records))
        plain = self.compare("a", "b", "--ignore", "form")
        self.assertEqual([passage["tokens"] for passage in plain], [30])
        for name in ("form.jsonl", "form.jsonl.gz"):
            self.assertEqual(self.compare("a", "b", "--ignore", name), plain, name)
        self.assertNotEqual(self.compare("a", "b", "--ignore", "short"), plain)
        result = self.succeed("a", "b", "-t", "0", "--ignore", "form.jsonl", "--format", "json")
        self.assertEqual(result.messages.count("form.jsonl:3"), 1, result)

    def check_left_out(self, passages, texts, form):
        excluded = grams(form)
        self.check_spans(passages, texts)
        for text, side in zip(texts, "ab"):
            spans = words_of(text)
            words = [word for word, _, _ in spans]
            kept = {i + j for i in range(len(words) - LEAST + 1) for j in range(LEAST)
                    if tuple(words[i:i + LEAST]) not in excluded}
            for passage in passages:
                start, end = passage[side]["bytes"]
                inside = [i for i, (_, first, last) in enumerate(spans)
                          if first >= start and last <= end]
                self.assertTrue({inside[0], inside[-1]} <= kept, (side, passage))
                self.assertLessEqual(passage["tokens"], len(kept.intersection(inside)))

    def test_kinds(self):
        first = "it was a bright cold day in April and the clocks were striking thirteen"
        second = "Winston Smith slipped quickly through the glass doors of Victory Mansions"
        for name, text, kinds in (
                ("verbatim", f"{first}\n{second}", [["verbatim"]]),
                ("capitals", f"{first.upper()} {second}", [["verbatim"]]),
                ("edited", f"{first[:40]} most of all {first[40:]} {second}", [["edited"]]),
                ("moved", f"{second}. {'Other words, as one finds them. ' * 9}{first}", None)):
            self.write("original", f"{first} {second}")
            self.write(name, text)
            found = self.compare("original", name)
            with self.subTest(name):
                if kinds:
                    self.assertEqual([passage["kinds"] for passage in found], kinds)
                else:
                    self.assertEqual(sorted(map(len, (match["kinds"] for match in found))), [1, 2])
                    self.assertTrue(any("reordered" in match["kinds"] for match in found))

    def test_quotations(self):
        shared = "the materials they had at hand were not those that they had wanted"
        self.write("a", f'One says. "{shared}," it says there, and one goes on to say more.')
        self.write("b", f'Another begins: "{shared}", and that is where it comes to an end.')
        for choice, expected in ("keep", [13]), ("drop", []):
            found = self.compare("a", "b", "--quotations", choice)
            self.assertEqual([passage["tokens"] for passage in found], expected, choice)

    def test_short_and_empty_documents(self):
        self.write("a", "four words in common")
        self.write("b", "four words in common")
        self.write("c", "four words in commons")
        self.assertEqual([match["kinds"] for match in self.compare("a", "b")], [["verbatim"]])
        self.assertEqual(self.compare("a", "c", "-k", "2"), [])

    def test_limited_number_of_pairs(self):
        """Only a limited number of pairs has passages."""
        for i in range(143):
            self.write(f"docs/{i:03}", "the same few words in each")
        result = self.succeed("docs", "--max-bucket", "0", "--format", "json")
        answer = json.loads(result.out)
        found = [pair["passages"] for pair in answer["pairs"]]
        self.assertEqual(len(found), 10153)
        self.assertTrue(all(len(passages) == 1 for passages in found[:10000]))
        self.assertEqual(found[10000:], [None] * 153)
        self.assertIn("the first 10,000 pairs have passages", answer["run"]["notes"][-1])
        self.assert_says(result, "the first 10000 pairs have passages")
        for options in (("jsonl",), ("json", "--like", "docs/000")):
            other = self.succeed("docs", "--max-bucket", "0", "--format", *options)
            self.assertNotIn("have passages", other.messages + other.text)

    def test_records(self):
        """Spans are offsets in the text of the record, whatever the compression."""
        texts = {f"id {i}": f"Ça – “{i}”:\n{'naïve words ' * i}and a tail that all of them have"
                 for i in range(6)}
        lines = "".join(json.dumps({"id": name, "text": text}) + "\n"
                        for name, text in texts.items()).encode()
        self.write("docs.jsonl", lines)
        self.write("docs.jsonl.gz", gzip.compress(lines))
        for name, text in texts.items():
            self.write("files/" + name, text)
        usual = self.pairs("docs.jsonl", "-t", "0.1")
        self.assertGreater(len(usual), 10)
        for (a, b), passages in usual.items():
            self.check_words(passages, [texts[name].encode() for name in (a, b)])
            self.assertEqual(len(passages), 1)
        for method in "exact", "lsh":
            search = ["-t", "0.1", "--method", method]
            self.assertEqual(self.pairs("docs.jsonl.gz", *search), usual)
            self.assertEqual(self.pairs("-", *search, input=lines), usual)
            self.assertEqual(self.pairs("docs.jsonl", *search, "-j", "3"), usual)
        named = self.pairs(*sorted(texts), "-t", "0.1", cwd=self.path("files"))
        self.assertEqual(named, usual)


# ---- programs

ORIGINAL = '''\
# Homework of Anna.
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


class Table:
    def __init__(self, path, limit=100):
        with open(path, encoding="utf-8") as file:
            self.rows = [line.split(";") for line in file][:limit]

    def column(self, number):
        return [float(row[number]) for row in self.rows if row[number] != ""]


def report(table, names):
    while names:
        name = names.pop()
        print(name, "%.2f" % mean(table.column(int(name))), sep=": ")
'''
PARTS = ORIGINAL.split("\n\n\n")
RENAMES = {"values": "xs", "value": "x", "total": "sum_up", "mean": "average", "rows": "lines_"}


def rename(text, names):
    for name, other in names.items():
        text = text.replace(name, other)
    return text


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

    def piece(self, text, span):
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
        covered = "".join(self.piece(ORIGINAL, match["a"]) for match in passages)
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
                self.assertNotIn("total += value", self.piece(ORIGINAL, match["a"]))
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


# ---- on the screen

LEFT = '''\
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)
'''
RIGHT = '''\
# Otto
def mean(values):
    result = 0
    count = len(values)
    for value in values:
        result += value
    return result / len(values)
'''
BELOW = '''\
1. renamed, padded: 24 tokens
1-5  left.py
= 1 def mean(values):
~ 2     total = 0
= 3     for value in values:
~ 4         total += value
~ 5     return total / len(values)
2-7  right.py
= 2 def mean(values):
~ 3     result = 0
> 4     count = len(values)
= 5     for value in values:
~ 6         result += value
~ 7     return result / len(values)
names: total → result (3)
'''
BESIDE = '''\
1. renamed, padded: 24 tokens
1-5  left.py                                                 2-7  right.py
1 def mean(values):                                        = 2 def mean(values):
2     total = 0                                            ~ 3     result = 0
                                                           > 4     count = len(values)
3     for value in values:                                 = 5     for value in values:
4         total += value                                   ~ 6         result += value
5     return total / len(values)                           ~ 7     return result / len(values)
names: total → result (3)
'''
HANDED_OUT = '''

def handed_out(stream, limit):
    print("handed out", len(stream), file=stream.log)
    while stream.more() and limit > 0:
        yield stream.next().strip()
        limit = limit - 1
    raise ValueError("nothing is left of it", limit)


'''
MARKS = "\n= same, ~ other names or values, | changed, < > only here, . left out\n"
FIRST = "It was a bright cold day in April, and the clocks were striking thirteen."
SECOND = ("I say: it was a bright\n\ncold day in April, and all the clocks were striking thirteen,"
          " or nearly so.")
QUOTED = {
    80: '''\
1. edited: 14 words
   first 1
   “It was a bright cold day in April, and the clocks were striking thirteen”
   second 1-3
   “it was a bright cold day in April, and [all] the clocks were striking
    thirteen”
''',
    120: '''\
1. edited: 14 words
   first 1
   “It was a bright cold day in April, and the clocks were striking thirteen”
   second 1-3
   “it was a bright cold day in April, and [all] the clocks were striking thirteen”
'''}


class Screen(Passages):
    def setUp(self):
        super().setUp()
        for name, text in (("left.py", LEFT), ("right.py", RIGHT), ("first", FIRST),
                           ("second", SECOND)):
            self.write(name, text)

    def on_terminal(self, *arguments, columns, **options):
        result = run_on_terminal("compare", *arguments, columns=columns, cwd=self.folder, **options)
        self.assertEqual(result.status, 0, result)
        for line in result.text.splitlines():
            self.assertLessEqual(columns_of(line), columns)
            self.assertFalse(without_colour(line).endswith(" "), line)
            self.assertIn(line.rpartition("\x1b[")[2][:2], ("0m", line[:2]))  # none goes on
        return result.text

    def test_programs(self):
        """Passages are one below the other, or side by side if they fit; colour changes no
        letter."""
        for columns, expected in (80, BELOW), (120, BESIDE):
            plain = self.succeed("compare", "left.py", "right.py", env={"COLUMNS": str(columns)})
            coloured = self.on_terminal("left.py", "right.py", columns=columns)
            with self.subTest(columns=columns):
                self.assertTrue(plain.text.endswith("\n\n" + expected + MARKS), plain.text)
                self.assertEqual(without_colour(coloured), plain.text)
                self.assertIn("\x1b[33mtotal\x1b[0m = 0", coloured)
                self.assertIn("\x1b[2m    count = len(values)\x1b[0m", coloured)

    def test_templates(self):
        """Lines of a template are shown and marked, but not counted."""
        self.write("form.py", HANDED_OUT)
        self.write("left.py", PARTS[0] + HANDED_OUT + PARTS[2])
        self.write("right.py", rename(PARTS[0] + HANDED_OUT + PARTS[2], {"total": "result"}))
        for columns in (80, 120):
            search = ["compare", "left.py", "right.py", "--ignore", "form.py"]
            text = self.succeed(*search, env={"COLUMNS": str(columns)}).text
            coloured = self.on_terminal(*search[1:], columns=columns)
            rows = [line for line in text.splitlines() if "yield stream" in line]
            with self.subTest(columns=columns):
                self.assertEqual(len(rows), 160 // columns)
                for row in rows:
                    self.assertRegex(row, r"(^| )\. +11 +yield stream")
                self.assertEqual(coloured.count("\x1b[2m        yield stream"), 2)
                self.assertEqual(without_colour(coloured), text)

    def test_prose(self):
        """Words of one text only are in brackets, or dim with colour."""
        for columns in (80, 120):
            plain = self.succeed("compare", "first", "second", env={"COLUMNS": str(columns)}).text
            coloured = self.on_terminal("first", "second", columns=columns)
            with self.subTest(columns=columns):
                self.assertIn("\npassages     14 words in 1 passage that both have\n\n", plain)
                self.assertTrue(plain.endswith("\n\n" + QUOTED[columns]), plain)
                self.assertIn("\x1b[2mall\x1b[0m", coloured)
                self.assertEqual(without_colour(coloured), plain.replace("[all]", "all"))

    def test_any_width(self):
        for columns in range(60, 130, 3):
            self.on_terminal("left.py", "right.py", columns=columns)
            self.on_terminal("first", "second", columns=columns)

    def test_without_utf8(self):
        self.succeed("compare", "first", "second", env={"LC_ALL": "C"}).out.decode("ascii")
        self.succeed("compare", "left.py", "right.py", env={"LC_ALL": "C"}).out.decode("ascii")

    def test_other_formats_have_their_number(self):
        found = json.loads(self.succeed("compare", "first", "second", "--format", "json").out)
        line = json.loads(self.succeed("compare", "first", "second", "--format", "jsonl").out)
        passages = found["pairs"][0]["passages"]
        self.assertEqual(line["passages"], len(passages))
        self.assertEqual(line["passage_words"], sum(passage["tokens"] for passage in passages))


if __name__ == "__main__":
    unittest.main()
