"""dedup --min-passage: exactly the spans that repeat an earlier record are cut."""
import gzip
import json
import random
import unittest

import spans
from cleaning import Dedup
from command import SANITIZED

SEEDS = range(3 if SANITIZED else 10)
LATIN = ["the", "of", "Straße", "été", "x1", "and", "Cat", "dog"]
MIXED = [*LATIN, "汉", "字", "かな", "ไทย", "שלום", "مرحبا", "0", "2024"]


def write_text(rng, words, count):
    """A text of words in any case, with random separators."""
    between = [" "] * 8 + [", ", ". ", "\n\n", " - ", ' "', '" ', "\t"]
    out = ""
    for _ in range(count):
        word = rng.choice(words)
        out += (word.upper() if rng.random() < 0.1 and word != "Straße" else word)
        out += rng.choice(between)
    return out


def plant(rng, texts, passages):
    """Inserts passages into texts, some truncated."""
    for i in range(len(texts)):
        for _ in range(rng.choice([0, 0, 1, 2, 3])):
            words = rng.choice(passages).split(" ")
            start = rng.randrange(len(words))
            passage = " ".join(words[start:start + rng.randrange(1, len(words) + 1)])
            at = rng.randrange(len(texts[i]) + 1)
            texts[i] = texts[i][:at] + " " + passage + " " + texts[i][at:]
    return texts


class Random(Dedup):
    def collection(self, rng, vocabulary, count=40):
        words = vocabulary + [f"w{i}" for i in range(rng.choice([3, 30, 300]))]
        passages = [write_text(rng, words, 80) for _ in range(5)]
        return plant(rng, [write_text(rng, words, rng.randrange(120)) for _ in range(count)],
                     passages)

    def test_random_texts(self):
        for seed in SEEDS:
            rng = random.Random(seed)
            texts = self.collection(rng, rng.choice([LATIN, MIXED]))
            texts = [text + f" end{i}" for i, text in enumerate(texts)]  # no two are the same
            for length in (8, 13, 25, 50):
                with self.subTest(seed=seed, length=length):
                    spans.check(self, texts, length, "-j", str(seed % 3 + 1))

    def test_old_documents_come_first(self):
        for seed in SEEDS:
            rng = random.Random(seed)
            texts = self.collection(rng, LATIN, 30)
            texts = [text + f" end{i}" for i, text in enumerate(texts)]
            with self.subTest(seed=seed):
                spans.check(self, texts[10:], 8, old=texts[:10])

    def test_few_words(self):
        """Texts consist of two words, so that every run is repeated in its own text as well."""
        for seed in SEEDS:
            rng = random.Random(seed)
            texts = [write_text(rng, ["a", "b"], rng.randrange(60)) + f" end{i}"
                     for i in range(20)]
            with self.subTest(seed=seed):
                spans.check(self, texts, 8)


class Rules(Dedup):
    PASSAGE = "one two three four five six seven eight"

    def cut(self, *texts, options=()):
        """The last text after cutting."""
        self.write("in.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "8", "-t", "1",
                     *options)
        return json.loads(self.read("out.jsonl").splitlines()[-1])["text"]

    def test_separators_that_are_cut_with_a_span(self):
        for before, behind, left in [
                ("Start. ", ". End", "Start. End"), ("Start.\n\n", ".\n\nEnd", "Start.\n\nEnd"),
                ("(Start ", ") end", "(Start end"), ("Start ", '. "End"', 'Start "End"'),
                ("Start-", "-end", "Start-end"), ("Start ", "!", "Start "),
                ("", " end", "end"), ("汉", "字", "汉字")]:
            with self.subTest(before=before, behind=behind):
                self.assertEqual(self.cut(self.PASSAGE, before + self.PASSAGE + behind), left)

    def test_words_are_not_joined(self):
        han = "一二三四五六七八"
        self.assertEqual(self.cut(han, f"start{han}end"), "start end")

    def test_a_record_may_repeat_itself(self):
        text = f"{self.PASSAGE} and {self.PASSAGE}"
        self.assertEqual(self.cut("something else", text), text)

    def test_case_and_punctuation_do_not_count(self):
        self.assertEqual(self.cut(self.PASSAGE, "x One, two: THREE (four) five six seven. Eight y"),
                         "x y")
        text = "x One two three four five six seven eight y"
        self.assertEqual(self.cut(self.PASSAGE, text, options=["--case", "keep"]), text)

    def test_similar_records_are_removed_first(self):
        """Spans are not cut because of a record that is itself removed."""
        long = " ".join(f"w{i}" for i in range(50))
        self.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in [
            {"id": "a", "text": long}, {"id": "b", "text": f"{long} {self.PASSAGE}"},
            {"id": "c", "text": f"c {self.PASSAGE}"}]))
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", "0.5", "--min-passage", "8",
                     "--removed", "removed.jsonl")
        self.assertEqual([line["id"] for line in spans.read(self, "out.jsonl")], ["a", "c"])
        self.assertEqual([(line["id"], line["kept"]) for line in spans.read(self, "removed.jsonl")],
                         [("b", "a")])

    def test_a_record_of_spans_alone_is_removed(self):
        self.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in [
            {"id": "a", "text": f"a {self.PASSAGE} a"}, {"id": "b", "text": f"({self.PASSAGE})"}]))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "-t", "1", "--min-passage",
                              "8", "--removed", "removed.jsonl")
        self.assertEqual([line["id"] for line in spans.read(self, "out.jsonl")], ["a"])
        [line] = spans.read(self, "removed.jsonl")
        self.assertEqual((line["id"], line["kept"], line["similarity"], line["cluster"]),
                         ("b", "a", None, None))
        self.assertTrue(result.messages.endswith(
            "words 18, cut 8 in 1 span of 1 record\nread 2, kept 1, removed 1, skipped 0\n"))

    def test_only_the_text_changes(self):
        """Escapes, other fields, nested fields, spaces and line ends are unchanged."""
        line = ('{ "a":1e5 ,"te\\u0078t" : {"text.x": "\\u00e9\\ud83d\\ude00 \\"start\\"\\n'
                + self.PASSAGE + '\\n\\tend\\/ \\u00E9", "y": [ ] } , "z": "' + self.PASSAGE
                + '" }\r\n')
        self.write("in.jsonl", json.dumps({"text": {"text.x": self.PASSAGE}}) + "\n" + line)
        self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "8", "--text",
                     "text.text.x")
        self.assertEqual(self.read("out.jsonl").decode().split("\n", 1)[1],
                         line.replace(self.PASSAGE + "\\n\\t", "", 1))

    def test_folder_of_files(self):
        self.write("in/a.txt", f"\ufeffFirst. {self.PASSAGE}.\r\n")
        self.write("in/b.txt", f"\ufeffSecond. {self.PASSAGE}.\r\nRest.\r\n")
        self.write("in/c.txt", f"{self.PASSAGE}")
        self.write("in/d.html", f"<html><body><p>A page. {self.PASSAGE}. More.</body></html>")
        result = self.succeed("dedup", "in", "-o", "out", "--min-passage", "8", "-t", "1")
        self.assertEqual(self.entries("out"), ["a.txt", "b.txt", "d.html"])
        self.assertEqual(self.read("out/a.txt"), self.read("in/a.txt"))
        self.assertEqual(self.read("out/b.txt").decode(), "\ufeffSecond. Rest.\r\n")
        self.assertEqual(self.read("out/d.html"), self.read("in/d.html"))
        self.assertIn("1 documents with passages of earlier ones were left whole", result.messages)

    def test_no_spans_are_found(self):
        self.write("in.jsonl", '{"text": "just three words"}\n')
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "25")
        self.assertIn("the longest document has 3 words, and --min-passage is 25", result.messages)
        self.assertEqual(self.read("out.jsonl"), self.read("in.jsonl"))

    def test_old_documents_may_be_too_short(self):
        self.write("in.jsonl", json.dumps({"id": "a", "text": f"x {self.PASSAGE} y"}) + "\n")
        self.write("old.jsonl", json.dumps({"id": "q1", "text": self.PASSAGE}) + "\n"
                   + json.dumps({"id": "q2", "text": "one two three"}) + "\n")
        result = self.succeed("dedup", "in.jsonl", "--old", "old.jsonl", "-o", "out.jsonl", "-t",
                              "1", "--min-passage", "8")
        self.assertEqual(json.loads(self.read("out.jsonl"))["text"], "x y")
        self.assertIn("1 of 2 old documents are too short to tell: they have fewer words than "
                      "--min-passage 8", result.messages)

    def test_refused(self):
        self.write("in.jsonl", '{"text": "some words"}\n')
        for more in (["--by", "code"], ["--quotations", "drop"], ["--bibliography", "drop"]):
            self.fail_with(2, "dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "8", *more,
                           says="--min-passage cuts texts by all their words")
        for value in ("4", "x", "10001"):
            self.fail_with(2, "dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", value,
                           says="is not a whole number from 5 to 10000")


class Scale(Dedup):
    def test_a_passage_in_all_records_is_named_once(self):
        header = " ".join(f"licence{i}" for i in range(40))
        self.write("in.jsonl", "".join(
            json.dumps({"id": f"r{i:05}", "text": f"{header}. {i} " + " ".join(
                f"w{(i * 7 + j * j) % 9973}" for j in range(60))}) + "\n" for i in range(3000)))
        result = self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "25", "-t",
                              "1")
        self.assertEqual(result.messages.count(" documents, first in"), 1)
        self.assertIn('a passage of 40 words stands in 3000 documents, first in r00000: '
                      '"licence0 licence1', result.messages)
        self.assertIn("cut 119960 in 2999 spans of 2999 records", result.messages)

    def test_threads_and_memory_change_nothing(self):
        rng = random.Random(5)
        texts = Random.collection(self, rng, MIXED, 400)
        self.write("in.jsonl", "".join(json.dumps({"id": str(i), "text": text}) + "\n"
                                       for i, text in enumerate(texts)))
        outputs = set()
        for i, more in enumerate((["-j1"], ["-j3"], ["-j2", "--memory", "1M"])):
            self.succeed("dedup", "in.jsonl", "-o", "out.jsonl", "--min-passage", "8", "--removed",
                         "removed.jsonl", *more)
            outputs.add((self.read("out.jsonl"), self.read("removed.jsonl")))
        self.assertEqual(len(outputs), 1)

    def test_packed_input(self):
        rng = random.Random(6)
        texts = Random.collection(self, rng, MIXED, 100)
        self.write("in.jsonl", "".join(json.dumps({"id": str(i), "text": text}) + "\n"
                                       for i, text in enumerate(texts)))
        self.write("in.jsonl.gz", gzip.compress(self.read("in.jsonl")))
        for name in ("in.jsonl", "in.jsonl.gz"):
            self.succeed("dedup", name, "-o", f"{name}.out", "--min-passage", "8")
        self.assertEqual(self.read("in.jsonl.out"), self.read("in.jsonl.gz.out"))
        with open(self.path("in.jsonl"), "rb") as stream:
            result = self.succeed("dedup", "-", "-o", "-", "--min-passage", "8", stdin=stream)
        self.assertEqual(result.out, self.read("in.jsonl.out"))


if __name__ == "__main__":
    unittest.main()
