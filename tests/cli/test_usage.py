"""The command line: refused options with their hints, statuses, operands."""
import unittest

from command import Case


class Usage(Case):
    def setUp(self):
        super().setUp()
        self.write("docs/a.txt", "The quick brown fox jumps over the lazy dog.")
        self.write("docs/b.txt", "The quick brown fox jumps over the lazy cat.")

    def refuse(self, *arguments, says=()):
        """Checks a usage error: status 2, no standard output, and a hint on help."""
        result = self.fail_with(2, *arguments, says=says)
        self.assertEqual(result.out, b"")
        return result


class Values(Usage):
    def test_threshold(self):
        for value in ("2", "-0.1", "1.0001", "nan", "inf", "x", "", "0.5x", "50 %"):
            self.refuse("docs", "-t", value, says=["--threshold", f"'{value}'", "0 to 1", "--help"])
            self.refuse("docs", f"--threshold={value}", says=["--threshold", f"'{value}'"])

    def test_k(self):
        for value in ("0", "65", "-1", "1.5", "", "999999999999999999999"):
            self.refuse("docs", "-k", value, says=["k: ", f"'{value}'", "1 to 64"])

    def test_bands_and_rows(self):
        for command in (["docs", "--method", "lsh", "-n", "256"], ["tune", "-n", "256"]):
            self.refuse(*command, "--bands", "20", "--rows", "20",
                        says=["20 bands", "20 rows", "400", "256"])
            self.refuse(*command, "--bands", "300", says=["300", "256"])
            self.refuse(*command, "--rows", "300", says=["300", "256"])

    def test_bands_alone_name_the_hashes_they_need(self):
        result = self.refuse("tune", "--bands", "300", "-n", "256")
        self.assertNotIn(" 0 hashes", result.messages)
        self.assertIn("300 hashes", result.messages)

    def test_other_numbers(self):
        for option, value in (("-n", "0"), ("-n", "65537"), ("-j", "0"), ("--seed", "-1"),
                              ("--memory", "5"), ("--memory", "1X"), ("--common", "1.1"),
                              ("--recall", "2"), ("--max-bucket", "-1"), ("--fail-above", "2"),
                              ("--fail-above", "0x0.8p0"), ("--fail-above", " 0.5"),
                              ("--fail-above", "nan"), ("--fail-above", "0.5x"),
                              ("--fail-above", ""),
                              ("--seed", "18446744073709551616"), ("--memory", "99999999999G")):
            self.refuse("docs", option, value, says=f"'{value}'")

    def test_choices(self):
        for option in ("--by", "--case", "--spaces", "--punctuation", "--measure",
                       "--method", "--scheme", "--shingle-hash", "--prefer", "--format"):
            result = self.refuse("docs", option, "nonsense", says=[option, "'nonsense'", "|"])
            for word in result.messages.split("one of ")[1].split("\n")[0].split("|"):
                if (option, word) != ("--by", "code"):
                    self.succeed("docs", option, word)

    def test_lsh_without_threshold(self):
        self.refuse("docs", "-t", "0", "--method", "lsh", says=["lsh", "threshold 0", "exact"])

    def test_format_of_another_command(self):
        self.refuse("sketch", "docs", "--format", "csv", says=["'csv'", "jsonl|binary"])
        self.refuse("docs", "--format", "binary", says=["'binary'", "csv"])
        self.refuse("compare", "docs/a.txt", "docs/b.txt", "--format", "candidates",
                    says=["'candidates'", "table|csv|tsv|json|jsonl"])
        self.refuse("tune", "--format", "csv", says=["'csv'", "table|json"])

    def test_stop_list_missing(self):
        self.refuse("docs", "--stop", "nowhere.txt", says=["nowhere.txt", "No such file"])
        self.refuse("docs", "--stop", "docs", says="docs")


class Options(Usage):
    def test_unknown_with_hint(self):
        for typed, meant in (("--treshold", "--threshold"), ("--threshhold", "--threshold"),
                             ("--formt", "--format"), ("--mehtod", "--method"),
                             ("--hases=3", "--hashes"), ("--quite", "--quiet")):
            self.refuse("docs", typed, says=[typed, f"did you mean {meant}?"])

    def test_unknown_without_hint(self):
        for typed in ("--frobnicate", "-x", "--", "--=", "---"):
            if typed != "--":
                result = self.refuse("docs", typed, says=f"unknown option {typed}")
                self.assertNotIn("did you mean", result.messages)

    def test_missing_value(self):
        for option in ("-t", "--threshold", "-k", "-o", "--like", "--format", "--fail-above"):
            self.refuse("docs", option, says=f"{option} needs a value")

    def test_value_too_many(self):
        for option in ("--bag=1", "--strict=yes", "--quiet=", "--help=scan"):
            self.refuse("docs", option, says="takes no value")

    def test_for_another_command(self):
        for command, option in (("tune", "--stop"), ("tune", "--old"), ("compare", "--like"),
                                ("compare", "-t"), ("sketch", "--measure"), ("sketch", "--bands"),
                                ("tune", "--quiet"), ("sketch", "--fail-above")):
            long = {"-t": "--threshold"}.get(option, option)
            value = [] if option == "--quiet" else ["docs"]
            self.refuse(command, option, *value, says=f"{long} does not apply to {command}")

    def test_forms(self):
        """Options are before and after the command and its operands, with joined and separate
        values."""
        usual = self.succeed("scan", "docs", "-t", "0.7", "-k", "5", "--format", "csv").out
        self.assertIn(b"docs/b.txt", usual)
        for arguments in (["-t0.7", "-k5", "--format=csv", "docs"],
                          ["-t", "0.7", "scan", "docs", "-k", "5", "--format", "csv"],
                          ["--threshold=0.7", "docs", "-k5", "--format", "csv"],
                          ["docs", "-t", "0.1", "-t", "0.7", "-k", "9", "-k5", "--format=csv"]):
            self.assertEqual(self.succeed(*arguments).out, usual, arguments)

    def test_command_hint(self):
        self.refuse("scna", "docs", says=["'scna'", "did you mean 'twinset scan'?"])
        self.refuse("comapre", "docs/a.txt", "docs/b.txt", says="twinset compare")
        self.refuse("help", "nonsense", says="'nonsense'")

    def test_a_path_named_like_a_command(self):
        self.write("scan", "The quick brown fox jumps over the lazy cow.")
        self.assertIn("scan", self.succeed("scan", "scan", "docs", "--format", "csv").text)
        self.assertIn("./scan", self.succeed("./scan", "docs", "--format", "csv").text)


class Operands(Usage):
    def test_none(self):
        for arguments in ([], ["scan"], ["sketch"], ["-t", "0.5"]):
            self.refuse(*arguments, says=["nothing to read", "--help"])

    def test_empty(self):
        self.refuse("", says="path is empty")
        self.refuse("docs", "--like", "", says="path is empty")

    def test_compare_takes_two(self):
        self.refuse("compare", says="compare takes 2 documents, not 0")
        self.refuse("compare", "docs/a.txt", says="not 1")
        self.refuse("compare", "docs/a.txt", "docs/b.txt", "docs/a.txt", says="not 3")

    def test_compare_takes_one_text_of_each(self):
        self.refuse("compare", "docs", "docs/a.txt", says=["docs has 2 texts", "scan the folder"])
        self.refuse("compare", "docs/a.txt", "nowhere", says=["nowhere", "No such file"])

    def test_compare_with_itself(self):
        answer = self.succeed("compare", "docs/a.txt", "docs/a.txt", "--format", "json").json
        self.assertEqual(answer["pairs"][0]["similarity"], 1)
        answer = self.succeed("compare", "docs/a.txt", "./docs/a.txt", "--format", "json").json
        self.assertEqual(answer["pairs"][0]["similarity"], 1)

    def test_tune_takes_none(self):
        self.refuse("tune", "docs", says=["tune reads no documents", "'docs'"])

    def test_standard_input_is_records(self):
        self.refuse("compare", "-", "docs/a.txt", says=["-", "standard input"])

    def test_dashes_end_options(self):
        self.write("-k", "The quick brown fox jumps over the lazy cow.")
        self.write("--help", "The quick brown fox jumps over the lazy hen.")
        text = self.succeed("--format", "tsv", "--", "-k", "--help", "docs").text
        self.assertIn("-k\tdocs/a.txt", text)
        self.assertIn("--help\t-k", text)
        text = self.succeed("./-k", "docs", "--format", "tsv").text
        self.assertIn("./-k\tdocs/a.txt", text)

    def test_names_with_at(self):
        self.write("@name", "The quick brown fox jumps over the lazy cow.")
        text = self.succeed("./@name", "docs", "--format", "csv").text
        self.assertIn("./@name,docs/a.txt", text)
        self.assertIn("@name", self.succeed(".", "--format", "csv").text)


class Lists(Usage):
    def test_list(self):
        self.write("list", "docs/a.txt\r\n\r\n  \ndocs/nowhere.txt\r\ndocs/b.txt")
        result = self.succeed("@list", "--format", "csv")
        self.assertIn("docs/a.txt,docs/b.txt", result.text)
        self.assertEqual(result.messages,
                         "twinset: skipped docs/nowhere.txt: No such file or directory\n")
        self.fail_with(3, "@list", "--strict", says="docs/nowhere.txt")

    def test_standard_input(self):
        result = self.succeed("@-", "--format", "csv", input=b"docs/b.txt\ndocs/a.txt\n")
        self.assertIn("docs/a.txt,docs/b.txt", result.text)

    def test_roles(self):
        self.write("old", "docs/b.txt\n")
        text = self.succeed("docs/a.txt", "--old", "@old", "--format", "csv").text
        self.assertIn("docs/a.txt,docs/b.txt", text)

    def test_missing(self):
        self.fail_with(2, "@nowhere", says=["@nowhere", "list", "No such file"])
        self.fail_with(2, "@docs", says=["@docs", "list"])

    def test_an_empty_list(self):
        self.write("list", "\n\n")
        self.fail_with(2, "@list", says="list")


class Statuses(Usage):
    def test_fail_above(self):
        self.fail_with(1, "docs", "--fail-above", "0.8")
        self.succeed("docs", "--fail-above", "0.81")
        self.fail_with(1, "compare", "docs/a.txt", "docs/b.txt", "--fail-above", "0.8")
        self.succeed("compare", "docs/a.txt", "docs/b.txt", "--fail-above", "0.81")

    def test_fail_above_with_results(self):
        result = self.fail_with(1, "docs", "--fail-above", "0.8", "--format", "csv", "-o", "out")
        self.assertEqual(result.err, b"")
        self.assertEqual(self.entries(), ["docs", "out"])

    def test_fail_above_below_the_threshold(self):
        """--fail-above lowers the threshold, unless a threshold is given."""
        self.write("docs/c.txt", "The quick brown fox was seen elsewhere.")
        self.fail_with(1, "docs/a.txt", "docs/c.txt", "--fail-above", "0.1")
        self.refuse("docs", "-t", "0.5", "--fail-above", "0.4", says=["0.4", "0.5"])

    def test_strict(self):
        self.succeed("docs", "--strict")
        self.write("docs/empty.txt")
        self.succeed("docs")
        self.fail_with(3, "docs", "--strict", says="docs/empty.txt: empty")
        self.fail_with(3, "docs", "--strict", "--fail-above", "0.5")
        self.fail_with(3, "sketch", "docs", "--strict", says="docs/empty.txt: empty")

    def test_quiet(self):
        self.write("docs/empty.txt")
        self.write("docs/broken.txt", b"\xff\xfe\xff not UTF-8 at all \xff")
        self.write("docs/.hidden", "hidden")
        loud, quiet = self.succeed("docs"), self.succeed("docs", "--quiet")
        self.assertEqual(loud.out, quiet.out)
        self.assertNotEqual(loud.err, b"")
        self.assertEqual(quiet.err, b"")
        self.assertEqual(self.succeed("docs", "-q", "--verbose").out, quiet.out)

    def test_verbose(self):
        messages = self.succeed("docs", "--verbose", "--method", "lsh").messages
        for word in ("2 documents", "lsh", "bands", "candidates", "verified", "peak memory"):
            self.assertIn(word, messages)


class Pages(Usage):
    def test_man_and_completion(self):
        self.assertIn(b".Dt TWINSET 1", self.succeed("--man").out)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("threshold", self.succeed("--completion", shell).text)
        self.refuse("--completion", "csh", says=["'csh'", "bash|zsh|fish"])


if __name__ == "__main__":
    unittest.main()
