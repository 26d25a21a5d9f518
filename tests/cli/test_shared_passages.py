"""scan lists pairs of prose that share passages, whether or not they are similar as a whole."""
import csv
import io
import json
import random
import unittest

from command import Case

SYLLABLES = ("ba", "ko", "ri", "mu", "ten", "sal", "vor", "lin", "da", "pe", "gul", "fra", "nis",
             "jo", "wim", "zel", "hur", "qua")
COMMON = "the of and to in that is was he for it with as his on be at by i this had not are".split()


class Author:
    """Writes prose in sentences: half of the words are common, the others of a large vocabulary."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        made = random.Random(1)
        self.rare = ["".join(made.choices(SYLLABLES, k=made.choice((2, 3, 4))))
                     for _ in range(4000)]

    def word(self):
        if self.random.random() < 0.5:
            return self.random.choice(COMMON)
        return self.rare[int(len(self.rare) * self.random.random() ** 2)]

    def sentence(self):
        return " ".join(self.word() for _ in range(self.random.randint(8, 20))).capitalize() + "."

    def text(self, words):
        sentences = []
        while sum(len(sentence.split()) for sentence in sentences) < words:
            sentences.append(self.sentence())
        return sentences


class Shared(Case):
    def write_essays(self, count=10, words=1500):
        author = Author(7)
        essays = [author.text(words) for _ in range(count)]
        for number, essay in enumerate(essays):
            self.write_essay(number, essay)
        return essays

    def write_essay(self, number, sentences):
        self.write(f"essays/{number}.txt", "\n".join(sentences) + "\n")

    def pairs(self, *arguments):
        text = self.succeed("scan", *arguments, "--format", "csv").text
        return list(csv.DictReader(io.StringIO(text)))

    def copy_paragraph(self, essays, change=lambda sentence: sentence):
        """Copies nine sentences of essay 2, about 120 words, into essay 7."""
        taken = essays[2][30:39]
        essays[7][50:59] = [change(sentence) for sentence in taken]
        self.write_essay(7, essays[7])
        return sum(len(sentence.split()) for sentence in taken)


class Paragraph(Shared):
    def test_unrelated_essays(self):
        self.write_essays()
        self.assertEqual(self.pairs("essays"), [])

    def test_copied_paragraph(self):
        words = self.copy_paragraph(self.write_essays())
        [pair] = self.pairs("essays")
        self.assertEqual((pair["a"], pair["b"]), ("essays/2.txt", "essays/7.txt"))
        self.assertEqual((pair["passages"], pair["cluster"]), ("1", "0"))
        self.assertLessEqual(abs(int(pair["passage_words"]) - words), 3)
        self.assertLess(float(pair["similarity"]), 0.2)
        self.assertLess(float(pair["false_alarms"]), 1e-6)
        for side in "ab":
            self.assertTrue(0.05 < float(pair[f"coverage_{side}"]) < 0.12)

    def test_in_other_order(self):
        """The words of each sentence are shuffled, so that no run of them remains."""
        shuffle = random.Random(3)

        def change(sentence):
            words = sentence.rstrip(".").lower().split()
            shuffle.shuffle(words)
            return " ".join(words) + "."

        self.copy_paragraph(self.write_essays(), change)
        [pair] = self.pairs("essays")
        self.assertEqual((pair["a"], pair["b"]), ("essays/2.txt", "essays/7.txt"))

    def test_table(self):
        self.copy_paragraph(self.write_essays())
        text = self.succeed("essays").text
        self.assertIn("0 similar pairs and 1 with common passages in 10 documents", text)
        self.assertRegex(text, r"\d+ words in 1 passage  2\.txt  7\.txt")

    def test_passages_are_those_of_compare(self):
        self.copy_paragraph(self.write_essays())
        [pair] = json.loads(self.succeed("essays", "--format", "json").out)["pairs"]
        [other] = json.loads(self.succeed("compare", "essays/2.txt", "essays/7.txt", "--format",
                                          "json").out)["pairs"]
        for field in ("similarity", "passage_words", "coverage_a", "coverage_b", "passages"):
            self.assertEqual(pair[field], other[field], field)

    def test_longest_run_by_any_method(self):
        self.copy_paragraph(self.write_essays())
        [known] = self.pairs("essays")
        [pair] = self.pairs("essays", "--method", "lsh", "--min-passage", "25")
        self.assertEqual(pair["longest"], known["longest"])


class Options(Shared):
    def test_when_passages_are_searched(self):
        """Passages are not searched if a threshold, a method or one document is given, unless an
        option requests it."""
        self.copy_paragraph(self.write_essays())
        for options, found in (([], 1), (["-t", "0.5"], 0), (["--min-passage", "off"], 0),
                               (["-t", "0.5", "--min-passage", "25"], 1),
                               (["--min-passage", "300"], 0), (["--method", "lsh"], 0),
                               (["--like", "essays/7.txt", "--min-passage", "25"], 1)):
            with self.subTest(options):
                self.assertEqual(len(self.pairs("essays", *options)), found)

    def test_roles(self):
        essays = self.write_essays()
        self.copy_paragraph(essays)
        self.write("old/a.txt", "\n".join(essays[2]))
        self.write("template.txt", "\n".join(essays[2][30:39]))
        self.assertEqual([pair["b"] for pair in self.pairs("essays/7.txt", "--old", "old")],
                         ["old/a.txt"])
        self.assertEqual(self.pairs("essays", "--ignore", "template.txt"), [])

    def test_other_fields_play_no_part(self):
        """Texts count alone, and not the bytes of the records that have them."""
        author, answers = Author(3), []
        essays = [author.text(150) for _ in range(60)]
        for i in range(1, 60, 2):
            essays[i][3:6] = essays[i - 1][3:6]
        for padding in ("", "x" * 20_000):
            self.write("essays.jsonl", "".join(
                json.dumps({"text": "\n".join(essay), "other": padding}) + "\n"
                for essay in essays))
            answers.append(self.pairs("essays.jsonl"))
        self.assertGreater(len(answers[0]), 20)
        self.assertEqual(answers[0], answers[1])

    def test_same_bytes_for_any_number_of_threads(self):
        self.copy_paragraph(self.write_essays(40, 300))
        texts = {self.succeed("essays", "--format", form, "-j", threads).out
                 for form in ("json",) for threads in ("1", "2", "5")}
        self.assertEqual(len(texts), 1)
        few = self.succeed("essays", "--format", "json", "--memory", "32M").out
        self.assertEqual(json.loads(few)["pairs"], json.loads(texts.pop())["pairs"])


class ManyPairs(Case):
    def test_passages_of_more_text_than_is_looked_at_unasked(self):
        long = " ".join(letter * 1500 for letter in "abcdef")
        self.write("docs.jsonl", "".join(
            json.dumps({"id": f"{i:03}", "text": f"{long} c{i}"}) + "\n" for i in range(400)))
        options = ["docs.jsonl", "--by", "word", "-k", "1", "--top", "3", "--format", "jsonl"]
        result = self.succeed(*options)
        self.assert_says(result, "passages were not looked for in the similar pairs", "1024M")
        pairs = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([(pair["passages"], pair["coverage_a"]) for pair in pairs],
                         3 * [(None, None)])
        result = self.succeed(*options, "--min-passage", "5")
        self.assertNotIn("not looked for", result.messages)
        pairs = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([pair["passages"] for pair in pairs], [1, 1, 1])


class BadInput(Shared):
    def test_everybody_quotes_one_page(self):
        """A page that all quote is named once, and does not pair every two documents."""
        author = Author(5)
        page = author.text(200)
        for number in range(60):
            essay = author.text(1200)
            self.write_essay(number, essay[:20] + page + essay[20:])
        result = self.succeed("essays", "--format", "csv")
        self.assertLess(len(result.text.splitlines()), 60 * 59 / 2 / 8)
        self.assertIn("what stands in more than 32 documents lists no pair by itself",
                      result.messages)
        self.assertIn("60 documents", result.messages)

    def test_one_sentence(self):
        author = Author(9)
        self.write("essays/a.txt", "One sentence is all that this text has to say. " * 20000)
        self.write("essays/b.txt", "Another one is all there is to say in this one. " * 20000)
        self.write("essays/c.txt", "\n".join(author.text(500)))
        self.assertEqual(self.pairs("essays"), [])

    def test_no_document_is_long_enough(self):
        self.write_essays(2, 100)
        result = self.succeed("essays", "--min-passage", "5000")
        self.assertRegex(result.messages, "no passage was looked for: the longest document has "
                         r"1\d\d words, and --min-passage is 5000")

    def test_too_large_for_memory(self):
        """A note says that passages were not searched, and their columns are empty."""
        author = Author(5)
        self.write("essays/a.txt", "\n".join(author.text(40)) * 6000)
        self.write("essays/b.txt", "\n".join(Author(5).text(300)))
        options = ("--memory", "1M")
        for search in (["scan", "essays", "--min-passage", "13"],
                       ["compare", "essays/a.txt", "essays/b.txt"]):
            with self.subTest(search[0]):
                result = self.succeed(*search, *options)
                self.assertIn("too large for --memory 1M were not looked for", result.messages)
                self.assertNotIn("longest", result.text)
        self.write("essays/b.txt", "\n".join(Author(5).text(50)))
        result = self.succeed("essays", "-t", "0.3", "--method", "lsh", *options)
        self.assertRegex(result.text, r"% +-  a\.txt  b\.txt")
        self.assertNotIn("0 chars", result.text)

    def test_other_scripts(self):
        random_ = random.Random(4)
        signs = {"han": range(0x4E00, 0x5E00), "thai": range(0xE01, 0xE2F),
                 "hebrew": range(0x5D0, 0x5EA)}
        for script, letters in signs.items():
            texts = []
            for _ in range(6):
                text = "".join(chr(random_.choice(letters)) for _ in range(3000))
                if script == "hebrew":
                    text = " ".join(text[i:i + 5] for i in range(0, len(text), 5))
                texts.append(text)
            texts[4] = texts[4][:1000] + texts[1][500:900] + texts[4][1400:]
            for number, text in enumerate(texts):
                self.write(f"{script}/{number}.txt", text)
            with self.subTest(script):
                self.assertEqual([(pair["a"], pair["b"]) for pair in self.pairs(script)],
                                 [(f"{script}/1.txt", f"{script}/4.txt")])

    def test_items_too_short(self):
        """Items of a test set that are in a collection are found; items too short are reported."""
        author = Author(11)
        item = " ".join(author.text(60))
        records = [{"id": str(i), "text": " ".join(author.text(300))} for i in range(20)]
        records[3]["text"] += " " + item
        items = [{"id": "item", "text": item}, {"id": "short", "text": "what is it"}]
        for name, lines in (("corpus.jsonl", records), ("tests.jsonl", items)):
            self.write(name, "".join(json.dumps(line) + "\n" for line in lines))
        result = self.succeed("corpus.jsonl", "--old", "tests.jsonl", "--min-passage", "13",
                              "--format", "csv")
        [pair] = csv.DictReader(io.StringIO(result.text))
        self.assertEqual({pair["a"], pair["b"]}, {"3", "item"})
        self.assertGreater(max(float(pair["coverage_a"]), float(pair["coverage_b"])), 0.95)
        self.assertIn("1 of 2 old documents are too short, or too commonplace, to tell by "
                      "passages, for example short", result.messages)


if __name__ == "__main__":
    unittest.main()
