"""Programs of different languages, compared by what these have in common."""
import json
import os
import unittest

import translations
from classroom import Class, write
from command import Case
from dialect import LANGUAGES

ACROSS = ("--view", "across")


class Across(Case):
    def write_all(self, files):
        for name, text in files.items():
            self.write(f"in/{name}", text)

    def rows(self, *arguments):
        """The rows of a scan across languages, by the names of their files."""
        result = self.succeed("scan", "in", *ACROSS, *arguments, "--format", "jsonl")
        rows = (json.loads(line) for line in result.text.splitlines())
        return {tuple(sorted(os.path.basename(row[side]) for side in "ab")): row
                for row in rows if "similarity" in row}

    def test_translations_rank_above_all_others(self):
        self.write_all(translations.files())
        found = self.rows("-t", "0")
        alike = {translations.is_translation(*pair): [] for pair in found}
        for pair, row in found.items():
            alike[translations.is_translation(*pair)].append(row["similarity"])
        self.assertEqual(len(alike[True]), 24)
        self.assertGreater(min(alike[True]), max(alike[False]))

    def test_the_default_list_has_translations_alone(self):
        self.write_all(translations.files())
        found = self.rows()
        self.assertGreaterEqual(len(found), 16)
        for pair in found:
            self.assertTrue(translations.is_translation(*pair), pair)

    def test_rows_name_both_languages(self):
        languages = {".py": "python", ".java": "java", ".cpp": "cpp", ".js": "javascript"}
        self.write_all(translations.files())
        for row in self.rows("-t", "0").values():
            for side in "ab":
                ending = os.path.splitext(row[side])[1]
                self.assertEqual(row[f"language_{side}"], languages[ending])
            self.assertNotEqual(row["language_a"], row["language_b"])
        self.assertIn("across languages in 16 documents", self.succeed("in", *ACROSS).text)
        self.assertNotIn("language_a", self.succeed("in", "--format", "json").text)

    def test_passages_are_shown(self):
        files = translations.FUEL_ANNA
        a, b = self.write("fuel.py", files[".py"]), self.write("fuel.java", files[".java"])
        result = self.succeed("compare", a, b, *ACROSS, "--format", "json")
        [pair] = json.loads(result.text)["pairs"]
        self.assertEqual([pair["language_a"], pair["language_b"]], ["python", "java"])
        longest = max(pair["passages"], key=lambda passage: passage["tokens"])
        start, end = longest["b"]["bytes"]
        self.assertIn("fuelLeft -= needed", files[".java"][start:end])

    def test_renamed_copies_rank_first(self):
        """A class in three languages: copies of the first program are in other ones, renamed."""
        made, languages = Class("python", seed=3), ("python", "java", "c")
        names = {}
        for i, work in enumerate(made.honest + made.copies):
            language = languages[i % 3 if work in made.honest else 1 + i % 2]
            names[work.name + LANGUAGES[language].ending] = work
            self.write(f"in/{work.name}{LANGUAGES[language].ending}", write(work, language, 3))
        original = made.honest[0]
        found = self.rows("-t", "0")
        honest = max(row["similarity"] for pair, row in found.items()
                     if not names[pair[0]].sources & names[pair[1]].sources)
        for name in ("renamed", "reordered", "padded", "relooped", "revalued", "merged", "partial"):
            [row] = [row for pair, row in found.items()
                     if {names[file].name for file in pair} == {name, original.name}]
            self.assertGreater(row["similarity"], honest, name)

    def test_related_languages_and_prose_are_compared_as_they_are(self):
        """C and C++ are compared as they are, and so is prose."""
        self.write_all({"a.cpp": translations.FUEL_ANNA[".cpp"],
                        "b.c": translations.FUEL_ANNA[".cpp"],
                        "c.md": translations.FUEL_ANNA[".py"]})
        result = self.succeed("scan", "in", *ACROSS, "-t", "0", "--by", "code")
        self.assertIn("there are no programs of two languages", result.messages)
        self.write("in/d.py", translations.FUEL_ANNA[".py"])
        self.assertEqual(set(self.rows("-t", "0", "--by", "code")),
                         {("a.cpp", "d.py"), ("b.c", "d.py")})

    def test_a_language_without_a_grammar_is_named(self):
        self.write_all({
            "a.py": translations.FUEL_ANNA[".py"], "b.java": translations.FUEL_ANNA[".java"],
            "c.pas": "begin writeln(cheapestTrip(stations, tankSize)) end."})
        result = self.succeed("scan", "in", *ACROSS, "-t", "0")
        self.assertIn("1 program is in a language without a grammar, such as in/c.pas",
                      result.messages)

    def test_submissions_of_several_languages(self):
        """A folder with files in two languages is compared with all others."""
        for person, endings in (("ann", (".py",)), ("ben", (".java",)), ("cem", (".py", ".java")),
                                ("dan", (".py", ".js"))):
            for ending in endings:
                self.write(f"in/{person}/fuel{ending}", translations.FUEL_ANNA[ending])
        found = self.rows("-t", "0", "--group", "dir")
        self.assertEqual({pair: {row["language_a"], row["language_b"]}
                          for pair, row in found.items()},
                         {("ann", "ben"): {"python", "java"}, ("ann", "cem"): {"python", "several"},
                          ("ann", "dan"): {"python", "several"},
                          ("ben", "cem"): {"java", "several"}, ("ben", "dan"): {"java", "several"},
                          ("cem", "dan"): {"several"}})

    def test_a_shingle_has_six_tokens(self):
        self.write_all({f"fuel{ending}": text
                        for ending, text in translations.FUEL_ANNA.items()})
        for given, expected in (((), 6), (("-k", "8"), 8)):
            run = self.succeed("scan", "in", *ACROSS, *given, "--format", "json").json["run"]
            self.assertEqual(run["parameters"]["k"], expected)
            self.assertEqual(run["parameters"]["view"], "across")

    def test_the_id_of_a_record_has_its_language(self):
        """The language of a record is that of its id."""
        texts = translations.files()
        self.write("in.jsonl", "".join(json.dumps({"id": name, "text": text}) + "\n"
                                       for name, text in texts.items()))
        self.write_all(texts)
        result = self.succeed("scan", "in.jsonl", *ACROSS, "--by", "code", "-t", "0", "--format",
                              "jsonl")
        rows = {(row["a"], row["b"]): row["similarity"]
                for row in map(json.loads, result.text.splitlines()) if "similarity" in row}
        expected = {pair: row["similarity"] for pair, row in self.rows("-t", "0").items()}
        self.assertEqual(rows, expected)

    def test_threads_and_a_checkpoint_change_nothing(self):
        self.write_all(translations.files())
        command = ("scan", "in", *ACROSS, "--format", "json")
        expected = self.succeed(*command, "-j", "1").text
        self.assertEqual(self.succeed(*command, "-j", "3").text, expected)
        for _ in range(2):
            self.assertEqual(self.succeed(*command, "--checkpoint", "kept").text, expected)

    def test_it_is_refused_where_it_makes_no_sense(self):
        self.write_all({"a.py": translations.FUEL_ANNA[".py"]})
        self.fail_with(2, "scan", "in", *ACROSS, "--lang", "python", says=["leave --lang out"])
        self.fail_with(2, "dedup", "in", "--by", "code", *ACROSS, "-o", "out/",
                       says=["leave --view across out"])
        self.fail_with(2, "index", "add", "i.twinset", "in", "--by", "code", *ACROSS,
                       says=["an index has no --view across"])


if __name__ == "__main__":
    unittest.main()
