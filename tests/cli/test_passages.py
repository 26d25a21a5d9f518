"""Passages: what two documents have in common and where, as data and on the screen."""
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
LEAST_COPY = 40  # words in a row that are in a passage in any case
FIELDS = ["a", "b", "tokens", "kinds", "names", "documents", "among"]


class Passages(Case):
    def pairs(self, *arguments, **options):
        """All pairs, passages and all, by the names of the two."""
        answer = self.succeed(*arguments, "--format", "json", **options)
        return {(pair["a"], pair["b"]): pair["passages"]
                for pair in json.loads(answer.out)["pairs"]}

    def compare(self, *arguments, **options):
        return next(iter(self.pairs("compare", *arguments, **options).values()))

    def check_places(self, passages, texts):
        """They are in the order of a, part from part, and lines are those of the bytes. `texts`
        are those of a and b, or of their files by name."""
        places = {"a": {}, "b": {}}
        for passage in passages:
            self.assertEqual([field for field in passage if field != "rarity"], FIELDS)
            for side, text in zip("ab", texts):
                place = passage[side]
                text = text[place["file"]] if isinstance(text, dict) else text
                start, end = place["bytes"]
                self.assertTrue(0 <= start < end <= len(text), passage)
                self.assertEqual(place["lines"], [1 + text.count(b"\n", 0, start),
                                                  1 + text.count(b"\n", 0, end - 1)])
                places[side].setdefault(place.get("file"), []).append((start, end))
        for files in places.values():
            for spans in files.values():
                for (_, end), (start, _) in itertools.pairwise(sorted(spans)):
                    self.assertLessEqual(end, start)
        for spans in places["a"].values():
            self.assertEqual(spans, sorted(spans))


# ---- prose

def words_of(text):
    """The words of a text, each with its place in bytes; nothing is folded but ASCII."""
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
    """Of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


class Prose(Passages):
    def inside(self, text, place):
        """The words of a place, which begins and ends with one."""
        start, end = place["bytes"]
        found = [(word, i) for i, (word, first, last) in enumerate(words_of(text))
                 if first >= start and last <= end]
        places = words_of(text)
        self.assertEqual(places[found[0][1]][1], start)
        self.assertEqual(places[found[-1][1]][2], end)
        return [word for word, _ in found]

    def check_words(self, passages, texts):
        """Kinds and counts are what the words of both places say."""
        self.check_places(passages, texts)
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
        """Of any script, and of words that come again and again."""
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
        """A text of parts of another, in any order, with words of its own between them; the
        parts that are there."""
        parts, text, fresh = [], [], (f"own{i}" for i in itertools.count())
        cuts = sorted(rng.sample(range(len(original)), 12))
        pieces = [original[i:j] for i, j in zip(cuts, cuts[1:])]
        rng.shuffle(pieces)
        for piece in pieces[:8]:
            text += itertools.islice(fresh, rng.choice([1, 4, 40]))
            text += piece
            parts.append(piece)
        return " ".join(text), parts

    def test_nothing_is_missed(self):
        """Where every word comes once, passages have all that brute force finds, of parts that are
        long enough."""
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
        """What every shingle of it is of a template is in no passage, nor at its end."""
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
        """Records of a template are left out like files; one that is no record is named once."""
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
        self.check_places(passages, texts)
        for text, side in zip(texts, "ab"):
            places = words_of(text)
            words = [word for word, _, _ in places]
            kept = {i + j for i in range(len(words) - LEAST + 1) for j in range(LEAST)
                    if tuple(words[i:i + LEAST]) not in excluded}
            for passage in passages:
                start, end = passage[side]["bytes"]
                inside = [i for i, (_, first, last) in enumerate(places)
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
                    self.assertEqual(sorted(map(len, (one["kinds"] for one in found))), [1, 2])
                    self.assertTrue(any("reordered" in one["kinds"] for one in found))

    def test_what_is_quoted(self):
        shared = "the materials they had at hand were not those that they had wanted"
        self.write("a", f'One says. "{shared}," it says there, and one goes on to say more.')
        self.write("b", f'Another begins: "{shared}", and that is where it comes to an end.')
        for choice, expected in ("keep", [13]), ("drop", []):
            found = self.compare("a", "b", "--quotations", choice)
            self.assertEqual([passage["tokens"] for passage in found], expected, choice)

    def test_short_and_empty_likenesses(self):
        self.write("a", "four words in common")
        self.write("b", "four words in common")
        self.write("c", "four words in commons")
        self.assertEqual([one["kinds"] for one in self.compare("a", "b")], [["verbatim"]])
        self.assertEqual(self.compare("a", "c", "-k", "2"), [])

    def test_not_of_all_too_many(self):
        """After so many pairs nobody reads them."""
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
        """Places are those in the text of the record, however it is packed."""
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
    """By Python itself, less layout and comments."""
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
        self.check_places(passages, [ORIGINAL.encode(), text.encode()])
        return passages

    def piece(self, text, place):
        start, end = place["bytes"]
        return text.encode()[start:end].decode()

    def test_verbatim(self):
        """But for comments and layout, which are no tokens."""
        text = "# By Otto\n\n" + ORIGINAL.replace("    ", "\t").replace("+= value", "+=  value # !")
        one, = self.compare_with(text)
        self.assertEqual((one["kinds"], one["names"]), (["verbatim"], []))
        self.assertEqual(one["tokens"], len(tokens_of(ORIGINAL)))
        self.assertEqual((one["a"]["lines"], one["b"]["lines"]), ([2, 21], [4, 23]))
        for side, source in ("a", ORIGINAL), ("b", text):
            self.assertEqual(one[side]["bytes"], [source.index("def mean"), len(source) - 1])

    def test_renamed(self):
        text = rename(ORIGINAL, RENAMES)
        one, = self.compare_with(text)
        self.assertEqual((one["kinds"], one["tokens"]), (["renamed"], len(tokens_of(ORIGINAL))))
        written = tokens_of(ORIGINAL)
        self.assertEqual({name["a"]: (name["b"], name["count"]) for name in one["names"]},
                         {name: (other, written.count(name)) for name, other in RENAMES.items()})
        counts = [name["count"] for name in one["names"]]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_edited(self):
        one, = self.compare_with(ORIGINAL.replace("limit=100", "limit=99").replace('";"', '","'))
        self.assertEqual((one["kinds"], one["names"]), (["edited"], []))

    def test_reordered(self):
        text = "\n\n\n".join([PARTS[2].rstrip("\n"), PARTS[1], PARTS[0]]) + "\n"
        passages = self.compare_with(text)
        self.assertGreater(len(passages), 1)
        self.assertGreaterEqual(sum("reordered" in one["kinds"] for one in passages), 1)
        self.assertLess(sum("reordered" in one["kinds"] for one in passages), len(passages))
        covered = "".join(self.piece(ORIGINAL, one["a"]) for one in passages)
        for line in "total += value", 'line.split(";")', "names.pop()":
            self.assertIn(line, covered)

    def test_padded(self):
        """Something stands after every statement; kinds say what else was done."""
        lines = [line + (f"\n{line[:len(line) - len(line.lstrip())]}unused = [{i}]"
                         if " = " in line or "+=" in line else "")
                 for i, line in enumerate(ORIGINAL.splitlines())]
        text = "\n".join(lines) + "\n"
        passages = self.compare_with(text)
        self.assertEqual([one["kinds"] for one in passages], [["padded"]] * len(passages))
        self.assertGreater(sum(one["tokens"] for one in passages), .9 * len(tokens_of(ORIGINAL)))
        passages = self.compare_with(rename(text, RENAMES), "renamed.py")
        self.assertTrue(all("padded" in one["kinds"] for one in passages))
        self.assertTrue(any("renamed" in one["kinds"] for one in passages))

    def test_one_similarity(self):
        """compare says that it knows two documents only; --like gives what a scan gives."""
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
        """How many documents have the rarest of it, and among how many."""
        self.write("otto.py", ORIGINAL)
        for i in range(4):
            body = "\n".join(f"    x{j} = y{j} % {i} if z{j}({j}) else [{j}]" for j in range(9))
            self.write(f"other{i}.py", f"{PARTS[0]}\n\n\ndef other{i}():\n" + "".join(
                body.replace("if", "if not " * i) + "\n"))
        found = self.pairs("--by", "code", "-t", "0", "--common", "1", ".")
        one, = found["anna.py", "otto.py"]
        self.assertEqual((one["documents"], one["among"]), (2, 6))
        with_mean = [passage for pair, passages in found.items() for passage in passages
                     if "anna" in pair[0] and "other" in pair[1] and passage["a"]["lines"][0] == 2]
        self.assertEqual({(one["documents"], one["among"]) for one in with_mean}, {(6, 6)})

    def test_templates(self):
        self.write("form.py", PARTS[0])
        self.write("otto.py", ORIGINAL)
        self.write("emma.py", ORIGINAL.replace("names.pop()", "names.pop(0)"))
        for passages in self.pairs("anna.py", "emma.py", "--ignore", "form.py").values():
            for one in passages:
                self.assertNotIn("total += value", self.piece(ORIGINAL, one["a"]))
        same, = self.pairs("anna.py", "otto.py", "--ignore", "form.py").values()
        self.assertEqual([one["kinds"] for one in same], [["verbatim"]])

    def test_other_languages(self):
        """One of another language is lexed by other rules, and has its passages as well."""
        for name, text in (
                ("x.c", "int f(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }\n"),
                ("x.lsp", "(defun f (a n) (let ((s 0)) (dolist (x a) (incf s x)) (/ s n)))\n")):
            self.write(name, text * 2)
            self.write("y" + name, rename(text * 2, {"s": "t"}))
            one, = self.compare(name, "y" + name, "--by", "code")
            with self.subTest(name):
                self.assertEqual(one["kinds"], ["renamed"])
                self.assertIn(["s", "t"], [[pair["a"], pair["b"]] for pair in one["names"]])


class Submissions(Passages):
    """The pair is about submissions, its passages about files."""

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
            self.check_places(passages, sides)
        places = {(one["a"]["file"], one["b"]["file"]) for one in found["in/anna", "in/otto"]}
        self.assertEqual(places, {("in/anna/mean.py", "in/otto/all.py"),
                                  ("in/anna/table.py", "in/otto/all.py")})
        one, = found["in/emma", "in/otto"]
        self.assertNotIn("file", one["a"])  # there is but one
        self.assertEqual(one["b"]["file"], "in/otto/lib/more.py")


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
        """One below the other, or side by side where there is room; colour changes no letter."""
        for columns, expected in (80, BELOW), (120, BESIDE):
            plain = self.succeed("compare", "left.py", "right.py", env={"COLUMNS": str(columns)})
            coloured = self.on_terminal("left.py", "right.py", columns=columns)
            with self.subTest(columns=columns):
                self.assertTrue(plain.text.endswith("\n\n" + expected + MARKS), plain.text)
                self.assertEqual(without_colour(coloured), plain.text)
                self.assertIn("\x1b[33mtotal\x1b[0m = 0", coloured)
                self.assertIn("\x1b[2m    count = len(values)\x1b[0m", coloured)

    def test_templates(self):
        """What was handed out is shown where it stands, but as such, and is not counted."""
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
        """What the one has more is bracketed, or dim where there is colour."""
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
