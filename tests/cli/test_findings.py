"""Findings for code reviews: SARIF, GitLab's code quality, and what is new since a baseline."""
import json
import os
import unittest
import urllib.parse

from command import Case

BODY = "".join(f"    total = total + values[{n}] * weights[{n} % size]\n" for n in range(12))
PROGRAM = f"def weigh(values, weights, size):\n    total = 0\n{BODY}    return total\n"
OTHER = "".join(f"class Kind{n}:\n    name = 'x{n}'\n    def get(self):\n        return {n}\n\n"
                for n in range(6))


class Findings(Case):
    def setUp(self):
        super().setUp()
        self.write("src/one.py", PROGRAM)
        self.write("src/a b%é.py", "# moved\n\n" + PROGRAM.replace("total", "sum_of"))
        self.write("src/three.py", OTHER)

    def findings(self, format, *options):
        return json.loads(self.succeed("src", "-t", "0.5", "--format", format, *options).out)


class Sarif(Findings):
    def test_required_properties(self):
        """All properties that the schema of SARIF 2.1.0 and GitHub require are there."""
        log = self.findings("sarif")
        self.assertEqual(log["version"], "2.1.0")
        [run] = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "twinset")
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertGreater(len(run["results"]), 0)
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertIn(result["level"], ("warning", "note"))
            self.assertTrue(0 <= result["rank"] <= 100)
            self.assertTrue(result["message"]["text"])
            self.assertEqual(list(result["partialFingerprints"]), ["twinset/v1"])
            for location in result["locations"] + result["relatedLocations"]:
                physical = location["physicalLocation"]
                self.assertLessEqual(physical["region"]["startLine"], physical["region"]["endLine"])
                uri = physical["artifactLocation"]["uri"]
                self.assertRegex(uri, r"^[A-Za-z0-9._~/%-]+$")

    def test_lines_are_those_of_the_passages(self):
        [pair] = self.findings("json")["pairs"]
        results = self.findings("sarif")["runs"][0]["results"]
        sides = [(passage, side) for passage in pair["passages"] for side in ("ab", "ba")]
        self.assertEqual(len(results), len(sides))
        for result, (passage, (one, other)) in zip(results, sides):
            for key, side in (("locations", one), ("relatedLocations", other)):
                physical = result[key][0]["physicalLocation"]
                uri = urllib.parse.unquote(physical["artifactLocation"]["uri"])
                self.assertEqual(uri, pair[side])
                self.assertEqual([physical["region"]["startLine"], physical["region"]["endLine"]],
                                 passage[side]["lines"])

    def test_files_of_submissions(self):
        """A path is that of a file, once, for folders and for archives."""
        for name in ("ada", "ben"):
            self.write(f"hand-in/{name}/lib/weigh.py", PROGRAM.replace("total", name))
            self.write(f"hand-in/{name}/other.py", OTHER.replace("Kind", name.title()))
        log = json.loads(self.succeed("hand-in", "-t", "0.1", "--format", "sarif").out)
        uris = {location["physicalLocation"]["artifactLocation"]["uri"]
                for result in log["runs"][0]["results"] for location in result["locations"]}
        self.assertLessEqual({"hand-in/ada/lib/weigh.py", "hand-in/ben/lib/weigh.py"}, uris)
        for uri in uris:
            self.assertTrue(os.path.isfile(self.path(uri)), uri)

    def test_no_pairs(self):
        log = json.loads(self.succeed("src", "-t", "1", "--format", "sarif").out)
        self.assertEqual(log["runs"][0]["results"], [])

    def test_the_extension_chooses_the_format(self):
        self.succeed("src", "-t", "0.5", "-o", "found.sarif")
        self.assertEqual(json.loads(self.read("found.sarif"))["version"], "2.1.0")

    def test_two_files(self):
        log = json.loads(self.succeed("compare", "src/one.py", "src/a b%é.py",
                                     "--format", "sarif").out)
        self.assertGreater(len(log["runs"][0]["results"]), 0)


class CodeQuality(Findings):
    def test_required_fields(self):
        issues = self.findings("codequality")
        self.assertGreater(len(issues), 0)
        for issue in issues:
            self.assertEqual(set(issue), {"description", "check_name", "fingerprint", "severity",
                                          "location"})
            self.assertIn(issue["severity"], ("minor", "major"))
            self.assertGreater(issue["location"]["lines"]["begin"], 0)
        fingerprints = [issue["fingerprint"] for issue in issues]
        self.assertEqual(len(set(fingerprints)), len(fingerprints))
        self.assertEqual({issue["location"]["path"] for issue in issues},
                         {"src/one.py", "src/a b%é.py"})

    def test_fingerprints_stay_when_lines_move(self):
        before = [issue["fingerprint"] for issue in self.findings("codequality")]
        self.write("src/one.py", "\n\n\n" + PROGRAM)
        after = [issue["fingerprint"] for issue in self.findings("codequality")]
        self.assertEqual(before, after)


class Baseline(Findings):
    def test_only_new_findings_fail(self):
        for format in ("json", "jsonl"):
            with self.subTest(format=format):
                self.fail_with(1, "src", "--fail-above", "0.5", "--format", format,
                               "-o", f"old.{format}")
                arguments = ("src", "--fail-above", "0.5", "--baseline", f"old.{format}")
                known = self.succeed(*arguments)
                self.assertIn("pairs with at least 0.5: 1, of which new", known.messages)
                self.write("src/four.py", OTHER.replace("name", "label"))
                self.fail_with(1, *arguments, says=["pairs with at least 0.5: 2", "json", ": 1",
                                    "twinset: new: src/four.py and src/three.py, "])
                os.remove(self.path("src/four.py"))

    def test_of_many_new_pairs_only_the_first_are_named(self):
        self.write("old.jsonl")
        for n in range(5):
            self.write(f"src/copy{n}.py", PROGRAM)
        result = self.fail_with(1, "src", "--fail-above", "0.5", "--baseline", "old.jsonl",
                                says=["at least 0.5: 21, of which new since old.jsonl: 21"])
        named = [line for line in result.messages.splitlines() if " and src/" in line]
        self.assertEqual(len(named), 10)
        self.assertIn("twinset: new: 11 more pairs\n", result.messages)

    def test_findings_that_rise_above_the_limit_are_new(self):
        self.succeed("src", "-t", "0.1", "--format", "jsonl", "-o", "old.jsonl")
        lines = [json.loads(line) for line in self.read("old.jsonl").splitlines()]
        text = self.read("old.jsonl").decode()
        lowered = text.replace(f'"similarity": {lines[0]["similarity"]}', '"similarity": 0.2', 1)
        self.assertNotEqual(lowered, text)
        self.write("old.jsonl", lowered)
        self.fail_with(1, "src", "--fail-above", "0.5", "--baseline", "old.jsonl")

    def test_an_empty_baseline(self):
        for text in ("", '{\n  "pairs": [],\n}\n'):
            self.write("old.jsonl", text)
            self.fail_with(1, "src", "--fail-above", "0.5", "--baseline", "old.jsonl")

    def test_files_that_are_no_baseline(self):
        self.write("old.txt", "something else\n")
        self.fail_with(2, "src", "--fail-above", "0.5", "--baseline", "old.txt",
                       says=["old.txt: it has no pairs", "--format json"])
        self.fail_with(2, "src", "--fail-above", "0.5", "--baseline", "missing",
                       says=["--baseline missing: No such file"])
        self.fail_with(2, "src", "--baseline", "old.txt", says=["add --fail-above"])


if __name__ == "__main__":
    unittest.main()
