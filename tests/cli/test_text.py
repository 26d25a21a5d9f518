"""The rules for text, on all of Unicode. A text shorter than k is one shingle, so its MD5 shows
whether its normal form is that of the oracle."""
import itertools
import json
import random
import unicodedata
import unittest

import oracle
from command import Case

ASSIGNED = [chr(point) for point in range(1, 0x110000)
            if unicodedata.category(chr(point)) not in ("Cn", "Co", "Cs")]
MARKS = [c for c in ASSIGNED if unicodedata.combining(c)]
CHANGING = [c for c in ASSIGNED if unicodedata.normalize("NFKD", c).casefold() != c]
HANGUL = [chr(point) for point in (*range(0x1100, 0x1200), *range(0xAC00, 0xAD00))]
ASCII = [chr(point) for point in range(1, 0x80)]
INVISIBLE = [c for c in ASSIGNED if ord(c) in oracle.DEFAULT_IGNORABLE]
SPACES = [chr(point) for point in oracle.WHITE_SPACE] + ["\r\n"]
KINDS = [ASSIGNED, MARKS, CHANGING, HANGUL, ASCII, INVISIBLE, SPACES]


def random_text(rng, count):
    weights = [rng.random() ** 3 for _ in KINDS]
    return "".join(rng.choice(rng.choices(KINDS, weights)[0]) for _ in range(count))


class Text(Case):
    def check(self, texts, rules):
        for i, text in enumerate(texts):
            self.write(f"docs/{i:05}", text)
        self.write("stop", "\n".join(rules.stop))
        options = ["--stop", "stop"] if rules.stop else []
        lines = self.succeed(
            "sketch", "docs", "--by", rules.by, "-k", str(rules.k), "--case", rules.case,
            "--spaces", rules.spaces, "--punctuation", rules.punctuation, "--scheme", "md5",
            "--shingle-hash", "md5", "-n", "1", "--quiet", *options).text.splitlines()
        found = {line["id"]: (line["shingles"], line["signature"])
                 for line in map(json.loads, lines)}
        for i, text in enumerate(texts):
            raw = text if isinstance(text, bytes) else text.encode()
            sequence = oracle.shingles(oracle.tokens(oracle.decode(raw), rules), rules)
            expected = (len(set(sequence)), oracle.md5_signature(sequence, 1)) if sequence else None
            self.assertEqual(found.get(f"docs/{i:05}"), expected, (ascii(text), rules))

    def test_every_character(self):
        """Each character is tested alone, and between letters, where it may compose."""
        texts = ["".join(ASSIGNED[i:i + 60]) for i in range(0, len(ASSIGNED), 60)]
        texts += ["".join(f"{c}a" for c in CHANGING[i:i + 20]) for i in range(0, len(CHANGING), 20)]
        # Hundreds of tags and variation selectors all behave alike.
        texts = [text for text in texts if ord(max(text)) < 0xE0000]
        for case in ("fold", "keep"):
            self.check(texts[::7], oracle.Rules(k=64, case=case, spaces="keep"))

    def test_random(self):
        rng = random.Random(1)
        choices = list(itertools.product(("char", "word"), ("fold", "keep"),
                                         ("squeeze", "keep", "drop"), ("keep", "space", "drop")))
        for by, case, spaces, punctuation in choices:
            texts = [random_text(rng, rng.randrange(1, 60)) for _ in range(20)]
            self.check(texts, oracle.Rules(by=by, k=64, case=case, spaces=spaces,
                                           punctuation=punctuation))

    def test_marks_of_compatible_forms(self):
        """Marks, including half-width forms, are ordered before case is folded."""
        for text in ("a\u0345\uff9fb", "a\u0345\uff9e\u0301b", "\u03b1\u0345\uff9f"):
            self.write("a.txt", text)
            folded = unicodedata.normalize("NFKD", text).casefold()
            self.assertEqual(self.succeed("cat", "a.txt").text.rstrip("\n"),
                             unicodedata.normalize("NFKC", folded))

    def test_invisible_characters(self):
        """Characters that Unicode reserves as invisible are invisible."""
        points = [point for point in sorted(oracle.DEFAULT_IGNORABLE)
                  if point < 0xE0000 or point % 97 == 0]
        self.check([f"a{chr(point)}b" for point in points], oracle.Rules(k=2))

    def test_stop_words(self):
        rng = random.Random(2)
        words = ["the", "Straße", "ＦＵＬＬ", "é", "e\u0301", "中", "カ", "no1", "x", "ไ"]
        for by, spaces in itertools.product(("char", "word"), ("squeeze", "keep", "drop")):
            pieces = words + ["THE", "strasse", "a"]
            texts = ["".join(rng.choice(pieces) + rng.choice(" ,.-\n\u3000") for _ in range(8))
                     for _ in range(20)]
            stop = rng.sample(words, 3) + ["#a", "??"]
            self.check(texts, oracle.Rules(by=by, k=64, spaces=spaces, stop=stop))

    def test_broken_bytes(self):
        rng = random.Random(3)
        # Bytes that begin Greek and Cyrillic letters are left out: these could be look-alikes.
        pieces = [bytes([byte]) for byte in range(0x80, 0x100) if not 0xCD <= byte <= 0xD6]
        pieces += ["é".encode(), "中".encode(), "🙂".encode(), b"a", b" ", "e\u0301".encode()]
        texts = ["\ufeffx".encode() + b"".join(rng.choice(pieces)
                                               for _ in range(rng.randrange(1, 40)))
                 for _ in range(200)]  # the byte order mark declares UTF-8
        self.check(texts, oracle.Rules(k=64))

    def test_byte_order_marks(self):
        text = "Ein Wörtchen, 中文 🙂"
        texts = [mark + text.encode(encoding) for mark, encoding in oracle.BYTE_ORDER_MARKS]
        self.check(texts, oracle.Rules(k=64))

    def test_across_chunks(self):
        """Documents are processed in chunks of several kilobytes, whose ends must not matter."""
        rng = random.Random(4)
        units = ["e\u0301\u0323", "ﬁ", "\r\n", "  ", "中文", "\u1112\u1161\u11ab", "word", "🙂",
                 "\u00ad", "ไทย", "か\u3099", "Å", "a\u200d\u0301", ". "]
        for by, spaces in ("char", "squeeze"), ("char", "keep"), ("word", "squeeze"):
            texts = []
            for _ in range(3):
                unit = "".join(rng.choice(units) for _ in range(rng.randrange(3, 12)))
                texts.append("x" * rng.randrange(20) + unit * (70000 // len(unit.encode())))
            self.check(texts, oracle.Rules(by=by, k=7, spaces=spaces))


class Omissions(Case):
    QUOTED = "“It is the same old story, told by the same old people in the same old words.”"
    ENTRIES = ("Doe, J. (1999). On bridges, and what they are built of. Journal of Bridges, 12, "
               "pp. 1-20.\nRoe, R. (2001). Rivers. Vol. 3. Oxford University Press.\n")
    OPTIONS = ["--quotations", "drop", "--bibliography", "drop"]

    def setUp(self):
        super().setUp()
        for name, own in (("a", "Nothing of this is from anyone else, as far as the author knows."),
                          ("b", "Here is another essay on a subject that is quite different.")):
            self.write(f"docs/{name}", f"{own} {self.QUOTED} {own[::-1]}\n\nReferences\n\n"
                                       f"{self.ENTRIES}\nAppendix\n\n{own.upper()[::-1]}\n")

    def similarity(self, *options):
        pairs = self.succeed("docs", "-t", "0", "--format", "json", *options).json["pairs"]
        return pairs[0]["similarity"] if pairs else 0

    def test_sides(self):
        """Omitted text is neither in the numerator nor in the denominator."""
        whole = self.similarity()
        self.assertGreater(whole, 0.4)
        self.assertLess(self.similarity(*self.OPTIONS[:2]), whole)
        self.assertLess(self.similarity(*self.OPTIONS[2:]), whole)
        self.assertLess(self.similarity(*self.OPTIONS), 0.1)
        with open(self.path("docs/a"), encoding="utf-8") as file:
            self.write("docs/b", file.read().replace(self.QUOTED, self.QUOTED.upper()))
        self.assertEqual(self.similarity(*self.OPTIONS, "--case", "keep"), 1)

    def test_cat(self):
        text = self.succeed("cat", "docs/a", "--case", "keep", *self.OPTIONS).text
        self.assertNotIn("same old", text)
        self.assertNotIn("Doe", text)
        self.assertIn("far as the author knows.\n", text)
        self.assertIn("Appendix", text)

    def test_mostly(self):
        self.write("docs/c", f"As they say: {self.QUOTED}")
        result = self.succeed("docs", *self.OPTIONS, "--format", "json")
        self.assertIn({"path": "docs/c", "flags": ["mostly-quoted"]},
                      result.json["run"]["flagged"])
        self.assert_says(result, "docs/c: most of it was left out")


if __name__ == "__main__":
    unittest.main()
