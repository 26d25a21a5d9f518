"""Passages of prose: the common text of two documents and its spans, as data."""
import gzip
import itertools
import json
import random
import unicodedata
import unittest

import corpus
import oracle
from passages import Passages

LEAST = 5  # words of a passage of prose
LEAST_COPY = 40  # words of a common run that is always in a passage


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
    def words_of_span(self, text, span):
        """The words of a span, which begins and ends with a word."""
        start, end = span["bytes"]
        found = [word for word in words_of(text) if word[1] >= start and word[2] <= end]
        self.assertEqual((found[0][1], found[-1][2]), (start, end))
        return [word for word, _, _ in found]

    def check_words(self, passages, texts):
        """Checks kinds and counts by the words of both spans."""
        self.check_spans(passages, texts)
        for passage in passages:
            a, b = (self.words_of_span(text, passage[side]) for side, text in zip("ab", texts))
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

    def shuffle(self, rng, original):
        """A text of ranges of another, in any order, with words of its own between them; and these
        ranges."""
        text, fresh = [], (f"own{i}" for i in itertools.count())
        cuts = sorted(rng.sample(range(len(original)), 12))
        ranges = [original[i:j] for i, j in zip(cuts, cuts[1:])]
        rng.shuffle(ranges)
        copied = ranges[:8]
        for words in copied:
            text += itertools.islice(fresh, rng.choice([1, 4, 40]))
            text += words
        return " ".join(text), copied

    def test_all_long_ranges_are_found(self):
        """If every word occurs once, passages have all long enough ranges that brute force
        finds."""
        for seed in range(20):
            rng = random.Random(seed)
            original = [f"word{i}" for i in range(300)]
            copy, ranges = self.shuffle(rng, original)
            texts = [" ".join(original).encode(), copy.encode()]
            for name, text in zip("ab", texts):
                self.write(name, text)
            passages = self.compare("a", "b", "--by", "word", "-k", "2")
            with self.subTest(seed=seed):
                self.check_words(passages, texts)
                least = {word for words in ranges if len(words) >= LEAST_COPY
                         for word in words}
                most = set(itertools.chain(*ranges))
                tokens = sum(passage["tokens"] for passage in passages)
                self.assertTrue(len(least) <= tokens <= len(most), (len(least), tokens, len(most)))
                found = {word for passage in passages
                         for word in self.words_of_span(texts[0], passage["a"])}
                self.assertLessEqual(least, found)

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
                found = [i for i, (_, first, last) in enumerate(spans)
                         if first >= start and last <= end]
                self.assertTrue({found[0], found[-1]} <= kept, (side, passage))
                self.assertLessEqual(passage["tokens"], len(kept.intersection(found)))

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


if __name__ == "__main__":
    unittest.main()
