"""The first use: percentages, the first pairs of many, names in order, submissions."""
import csv
import io
import json
import os
import unittest
import zipfile

from command import Case

FOX = "The quick brown fox jumps over the lazy dog, and nobody in the whole village wonders why."


class Percentages(Case):
    """An option that takes a fraction accepts 0.7 and 70%."""

    def setUp(self):
        super().setUp()
        self.write("docs/a.txt", FOX)
        self.write("docs/b.txt", FOX.replace("dog", "cat"))
        self.write("docs/c.txt", "Something else altogether, which resembles neither of them.")

    def test_a_share_may_be_in_percent(self):
        for share, percent in (("0.7", "70%"), ("0.333", "33.3%"), ("1", "100%"), ("0.05", "5%")):
            for option in ("-t", "--common"):
                self.assertEqual(
                    self.succeed("docs", option, percent, "--format", "json").out,
                    self.succeed("docs", option, share, "--format", "json").out, (option, percent))
        self.succeed("docs", "--max-skipped", "70%")
        self.assertEqual(self.succeed("tune", "-t", "70%", "--recall", "95%").out,
                         self.succeed("tune", "-t", "0.7", "--recall", "0.95").out)

    def test_fail_above_may_be_in_percent(self):
        self.fail_with(1, "docs", "--fail-above", "70%")
        self.succeed("docs", "--fail-above", "99.5%")

    def test_other_shares_are_refused_with_a_hint(self):
        for value in ("70", "101%", "70 %", "%"):
            self.fail_with(2, "docs", "-t", value, says=[f"'{value}'", "0 to 1", "70%"])
            self.fail_with(2, "docs", "--fail-above", value, says=[f"'{value}'", "0 to 1", "70%"])


class Top(Case):
    """--top N lists the N most similar pairs in all formats, and the number of all pairs."""

    def setUp(self):
        super().setUp()
        for i in range(6):
            self.write(f"docs/{i}.txt", FOX + " And then it goes home." * (i % 3) + f" End {i}.")
        self.all = self.pairs()

    def pairs(self, *options):
        return list(csv.reader(io.StringIO(
            self.succeed("docs", "--format", "csv", *options).text)))[1:]

    def test_top_lists_the_first_pairs(self):
        self.assertGreater(len(self.all), 4)
        self.assertEqual(self.pairs("--top", "4"), self.all[:4])
        self.assertEqual(self.pairs("--top", "1000"), self.all)

    def test_top_applies_to_all_formats(self):
        names = [tuple(pair[:2]) for pair in self.all[:2]]
        for form, read in (("tsv", lambda out: len(out.splitlines()) - 1),
                           ("jsonl", lambda out: len(out.splitlines())),
                           ("json", lambda out: len(json.loads(out)["pairs"]))):
            out = self.succeed("docs", "--top", "2", "--format", form).text
            self.assertEqual(read(out), 2, form)
            for a, b in names:
                self.assertIn(a, out)
                self.assertIn(b, out)
        partners = self.succeed("docs", "--top", "1", "--format", "candidates").text
        self.assertEqual(sum("docs/" in line.split(": ", 1)[1] for line in partners.splitlines()),
                         2)

    def test_the_number_of_all_pairs_is_printed(self):
        count = len(self.all)
        result = self.succeed("docs", "--top", "2")
        self.assertIn(f"{count} similar pairs in 6 documents, 1 cluster; the 2 most similar:",
                      result.text)
        self.assertIn(f"the 2 most similar of {count} pairs are listed; without --top all are",
                      result.messages)
        answer = self.succeed("docs", "--top", "2", "--format", "json").json
        self.assertEqual(answer["run"]["pairs"], count)
        self.assertEqual(answer["run"]["parameters"]["top"], 2)

    def test_clusters_join_all_pairs(self):
        clusters = self.succeed("docs", "--format", "json").json["clusters"]
        self.assertEqual(self.succeed("docs", "--top", "1", "--format", "json").json["clusters"],
                         clusters)
        self.assertEqual(clusters[0]["size"], 6)

    def test_the_table_has_the_clusters_of_the_listed_pairs(self):
        for i in range(2):
            self.write(f"docs/pair{i}.txt", "Another text that is in two files, word for word.")
        lines = self.succeed("docs", "--top", "1").text.splitlines()
        self.assertIn("cluster 2: 2 documents, lowest similarity 100.0%, most typical pair0.txt",
                      lines)
        self.assertFalse([line for line in lines if line.startswith("cluster 1:")])
        self.assertIn("… and 1 more cluster; --format json lists them all", lines)

    def test_other_values_of_top_are_refused(self):
        self.fail_with(2, "docs", "--top", "0", says="--top: '0' is not a whole number from 1")


class Skips(Case):
    """Skipped records are named in the order of their lines."""

    def test_skipped_records_are_in_the_order_of_lines(self):
        lines = [json.dumps({"text": FOX + str(i)}) if i % 3 else "broken" for i in range(1, 40)]
        self.write("in.jsonl", "\n".join(lines) + "\n")
        expected = [f"in.jsonl:{i}" for i in range(3, 40, 3)]
        result = self.succeed("in.jsonl", "--format", "json", "--verbose")
        self.assertEqual([skip["path"] for skip in result.json["run"]["skipped"]], expected)
        named = [line.split()[2].rstrip(":") for line in result.messages.splitlines()
                 if line.startswith("twinset: skipped")]
        self.assertEqual(named, expected)

    def test_ten_records_of_each_reason_are_named(self):
        """Ten records of each reason are named, in the order of their lines."""
        lines = [("broken", "{}", '{"text": 7}', json.dumps({"text": FOX}))[i % 4]
                 for i in range(1, 61)]
        self.write("in.jsonl", "\n".join(lines) + "\n")
        result = self.succeed("in.jsonl", "--id", "none", "--max-skipped", "1")
        named = [int(line.split(":")[2]) for line in result.messages.splitlines()
                 if line.startswith("twinset: skipped")]
        self.assertEqual(named, [i for i in range(1, 41) if i % 4 != 3])
        self.assertEqual(result.messages.count("… and 5 more: "), 3)


def program(name, lines=12):
    """A program that `name` makes different from all others."""
    body = "".join(f"    {name}_{i} = [{name} * {i} for {name} in range({i + len(name)})]\n"
                   f"    print('{name}', {name}_{i}[{i}:], sum({name}_{i}))\n"
                   for i in range(lines))
    return f"def {name}_main({name}):\n{body}    return {name}_0\n\n\n{name}_main(3)\n"


def write_class(case):
    """Writes three submissions of two files each, and a copy of both files of one in a single
    file."""
    for who in ("ada", "ben", "cem"):
        case.write(f"class/{who}/main.py", program(who))
        case.write(f"class/{who}/src/tools.py", program("tools_of_" + who))
    case.write("class/dora/start.py", program("tools_of_ada") + program("ada"))


class Submissions(Case):
    """One folder or archive for each person is recognised, as with --group dir."""

    def setUp(self):
        super().setUp()
        write_class(self)

    def scan(self, *arguments):
        answer = self.succeed(*arguments, "-t", "0", "--format", "json").json
        names = {pair[side] for pair in answer["pairs"] for side in "ab"}
        return answer, names

    def every_folder(self):
        return [f"class/{who}" for who in ("ada", "ben", "cem", "dora")]

    def check_class(self, *arguments):
        answer, names = self.scan(*arguments)
        self.assertEqual(names, set(self.every_folder()), arguments)
        self.assertEqual(answer["run"]["documents"], 4)
        self.assertEqual((answer["pairs"][0]["a"], answer["pairs"][0]["b"]),
                         ("class/ada", "class/dora"))
        self.assertEqual(answer["run"]["parameters"]["group"], "dir")
        return answer

    def check_files(self, *arguments, documents=7):
        answer, names = self.scan(*arguments)
        self.assertEqual(answer["run"]["documents"], documents, arguments)
        self.assertTrue(all(name.endswith(".py") for name in names), names)
        self.assertEqual(answer["run"]["parameters"]["group"], "none")
        return " ".join(answer["run"]["notes"])

    def test_submissions_are_recognised(self):
        folders = self.every_folder()
        for arguments in (["class"], ["class/"], folders, folders[::-1],
                          [folder + "/" for folder in folders]):
            answer = self.check_class(*arguments)
            self.assertIn("4 folders or archives are taken as one submission each, such as "
                          "class/", answer["run"]["notes"][0])
            self.assertIn("with 7 files in all; --group none compares file by file",
                          answer["run"]["notes"][0])

    def test_group_dir_takes_folders_as_submissions(self):
        for arguments in (["class"], self.every_folder()):
            answer = self.check_class(*arguments, "--group", "dir")
            self.assertNotIn("--group", answer["run"]["notes"][0])

    def test_group_none_compares_file_by_file(self):
        self.assertNotIn("submission", self.check_files("class", "--group", "none"))
        self.assertNotIn("submission", self.check_files(*self.every_folder(), "--group", "none"))

    def test_archives_are_submissions(self):
        os.mkdir(self.path("packed"))
        for who in ("ada", "ben"):
            with zipfile.ZipFile(self.path(f"packed/{who}.zip"), "w") as archive:
                for name in ("main.py", "src/tools.py"):
                    archive.write(self.path(f"class/{who}/{name}"), f"work/{name}")
        both = {"packed/ada.zip", "packed/ben.zip"}
        self.assertEqual(self.scan("packed")[1], both)
        self.assertEqual(self.scan("packed/ada.zip", "packed/ben.zip")[1], both)
        with zipfile.ZipFile(self.path("all.zip"), "w") as archive:
            for folder in self.every_folder():
                for where, _, names in os.walk(self.path(folder)):
                    for name in names:
                        path = os.path.join(where, name)
                        archive.write(path, os.path.relpath(path, self.path("class")))
        self.assertEqual(self.scan("all.zip")[1],
                         {f"all.zip!/{who}" for who in ("ada", "ben", "cem", "dora")})

    def test_two_classes_are_recognised(self):
        """Two folders of folders are classes; src and test of a project are not."""
        for who in ("eva", "fay"):
            self.write(f"other/{who}/main.py", program(who))
        names = {*self.every_folder(), "other/eva", "other/fay"}
        self.assertEqual(self.scan("class", "other")[1], names)
        self.assertEqual(self.scan("class", "other", "--group", "dir")[1], names)
        for who in ("gus", "hal"):
            self.write(f"maven/{who}/src/Main.py", program(who))
            self.write(f"maven/{who}/test/Test.py", program("test_of_" + who))
        self.assertEqual(self.scan("maven/gus", "maven/hal")[1], {"maven/gus", "maven/hal"})

    def test_a_folder_with_other_files_is_no_class(self):
        self.write("class/common.py", program("common"))
        notes = self.check_files("class", documents=8)
        self.assertIn("the files of 4 folders or archives are compared one by one; --group dir "
                      "takes each of them for one submission", notes)
        self.assertEqual(self.scan("class", "--group", "dir")[0]["run"]["documents"], 5)

    def test_other_files_beside_programs(self):
        """A class hands in programs, although most of the files are others."""
        for who in ("ada", "ben", "cem", "dora"):
            for name in ("README.md", "data.csv"):
                self.write(f"class/{who}/{name}", f"{name} of {who}: what is in it, and what for.")
        self.assertEqual(self.scan("class")[1], set(self.every_folder()))

    def test_programs_compared_as_text(self):
        """It is said where programs are many, and not recognised as those of a class."""
        self.write("class/common.py", program("common"))
        for i in range(8):
            self.write(f"class/page{i}.txt", f"Page {i}. {FOX}")
        note = "8 of 16 files are programs, and are compared as text; --by code compares all as " \
               "programs"
        self.assertIn(note, self.succeed("class").messages)
        for options in (["--by", "char"], ["--by", "code"]):
            self.assertNotIn("compared as text", self.succeed("class", *options).messages)
        self.assertNotIn("compared as text", self.succeed("dedup", "class", "-o", "out/").messages)
        for i in range(8, 27):
            self.write(f"class/page{i}.txt", f"Page {i}. {FOX}")
        self.assertNotIn("compared as text", self.succeed("class").messages)

    def test_a_project_is_no_class(self):
        self.write("class/tests/test_ada.py", program("test_ada"))
        self.check_files("class", documents=8)

    def test_many_files_are_no_submission(self):
        for i in range(31 * 4):
            self.write(f"class/ben/more/{i}.py", f"x{i} = {i} + len(str({i}))\n")
        self.check_files("class", documents=7 + 31 * 4)

    def test_texts_are_not_grouped(self):
        for who in ("ada", "ben"):
            self.write(f"essays/{who}/one.txt", FOX)
            self.write(f"essays/{who}/two.txt", FOX + " The end.")
        self.assertEqual(len(self.scan("essays")[0]["pairs"]), 6)
        self.assertEqual(len(self.scan("essays", "--group", "dir")[0]["pairs"]), 4)

    def test_like_takes_a_submission(self):
        self.write("suspect/a.py", program("ada"))
        self.write("suspect/lib/b.py", program("tools_of_ada"))
        answer, _ = self.scan("class", "--like", "suspect", "--group", "dir")
        self.assertEqual({pair["b"] for pair in answer["pairs"]}, {"suspect"})
        self.assertEqual(answer["run"]["documents"], 5)
        for like in ("class/ada", "class/ada/", "class/ada/src/tools.py"):
            answer, _ = self.scan("class", "--like", like, "--group", "dir")
            self.assertEqual(answer["run"]["documents"], 4)
            self.assertTrue(all("class/ada" in (pair["a"], pair["b"]) for pair in answer["pairs"]))

    def test_earlier_years_are_submissions(self):
        self.write("2025/eva/a.py", program("ada"))
        self.write("2025/eva/b.py", program("tools_of_ada"))
        self.write("2024/fay/a.py", program("fay"))
        self.write("2024/fay/b.py", program("tools_of_fay"))
        _, names = self.scan("class", "--old", "2025", "--old", "2024")
        self.assertEqual(names, {*self.every_folder(), "2025/eva", "2024/fay"})

    def test_named_files_of_a_folder_are_a_submission(self):
        """If only files are named, files of one folder are a submission."""
        files = [f"class/{who}/{name}" for who in ("ada", "ben")
                 for name in ("main.py", "src/tools.py")]
        self.assertEqual(self.scan(*files, "--group", "dir")[1],
                         {"class/ada", "class/ada/src", "class/ben", "class/ben/src"})
        self.check_files(*files, documents=4)


class Comparisons(Case):
    """Everything that a scan lists can be compared: folders, archives, their files, records."""

    def setUp(self):
        super().setUp()
        write_class(self)

    def compare(self, *arguments):
        pair = json.loads(self.succeed("compare", *arguments, "--format", "json").text)["pairs"][0]
        return pair["a"], pair["b"], pair["similarity"], pair["passages"]

    def test_folders_are_compared(self):
        a, b, similarity, passages = self.compare("class/dora", "class/ada")
        self.assertEqual((a, b), ("class/dora", "class/ada"))
        self.assertGreater(similarity, 0.8)
        self.assertEqual({passage["b"]["file"] for passage in passages},
                         {"class/ada/main.py", "class/ada/src/tools.py"})
        self.assertEqual(self.compare("class/ada/", "class/dora/")[:3],
                         ("class/ada", "class/dora", similarity))
        self.assertEqual(self.compare("class/ada", "class/ada/")[2], 1)
        self.assertIn("class/ada/src/tools.py", self.succeed("compare", "class/ada",
                                                             "class/dora").text)

    def test_folders_with_other_files(self):
        """Folders with one program each, and a page that describes it, are programs."""
        for who in ("eva", "fay"):
            self.write(f"pages/{who}/main.py", program("ada"))
            self.write(f"pages/{who}/README.md", f"# Marks by {who}\n\nRun main.\n")
        self.assertGreater(self.compare("pages/eva", "pages/fay")[2], 0.9)
        self.fail_with(2, "compare", "pages/eva", "pages/fay/README.md",
                       says=["pages/eva has 2 texts"])

    def test_comparisons_agree_with_the_scan(self):
        """A measure that does not depend on other documents gives the same number as a scan."""
        options = ("--measure", "jaccard")
        pairs = self.succeed("class", "-t", "0", *options, "--format", "json").json["pairs"]
        for pair in pairs:
            self.assertEqual(self.compare(pair["a"], pair["b"], *options)[2], pair["similarity"])

    def test_archives_are_compared(self):
        for who in ("ada", "dora"):
            with zipfile.ZipFile(self.path(f"{who}.zip"), "w") as archive:
                for where, _, names in os.walk(self.path(f"class/{who}")):
                    for name in names:
                        archive.write(os.path.join(where, name), name)
        folders = self.compare("class/ada", "class/dora")
        self.assertEqual(self.compare("ada.zip", "dora.zip")[:3],
                         ("ada.zip", "dora.zip", folders[2]))
        self.assertEqual(self.compare("ada.zip!/main.py", "class/ada/main.py")[2], 1)
        self.assertEqual(self.compare("ada.zip", "class/ada")[2], 1)

    def test_a_file_on_both_sides_is_refused(self):
        self.fail_with(2, "compare", "class/ada", "class/ada/src",
                       says=["class/ada/src/tools.py is on both sides"])

    def test_records_are_compared(self):
        lines = [{"id": "a#1", "text": FOX}, {"text": FOX.replace("dog", "cat")},
                 {"id": 7, "text": FOX}, {"id": "twice", "text": "x"}, {"id": "twice", "text": "y"},
                 {"id": "none"}]
        self.write("in.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        first, second = "in.jsonl#a#1", "in.jsonl:2"
        a, b, similarity, _ = self.compare(first, second)
        self.assertEqual((a, b), (first, second))
        self.write("a.txt", FOX)
        self.write("b.txt", FOX.replace("dog", "cat"))
        self.assertEqual(self.compare("a.txt", "b.txt")[2], similarity)
        self.assertEqual(self.compare("in.jsonl:1", "in.jsonl#7")[2], 1)
        self.assertEqual(self.compare("in.jsonl:1", "in.jsonl:1")[2], 1)
        for wrong, says in (("in.jsonl#twice", "lines 4 and 5 have this id"),
                            ("in.jsonl#no", "no record of the file has this id"),
                            ("in.jsonl:7", "the file has 6 lines"),
                            ("in.jsonl:6", "no field 'text'"),
                            ("nowhere.jsonl:1", "No such file"),
                            ("a1", "a record of JSON lines is named FILE:LINE or FILE#ID")):
            self.fail_with(2, "compare", first, wrong, says=[wrong + ": ", says][wrong == "a1":])

    def test_records_have_the_names_of_the_scan(self):
        """An id that several files have is named with its file."""
        for name in ("x", "y"):
            self.write(f"{name}.jsonl", "".join(
                json.dumps({"id": i, "text": f"{FOX} {name} {i * i * 1000003}"}) + "\n"
                for i in range(3)))
        pairs = self.succeed("x.jsonl", "y.jsonl", "--format", "json").json["pairs"]
        self.assertEqual(len(pairs), 15)
        for pair in pairs:
            self.assertEqual(self.compare(pair["a"], pair["b"])[:3],
                             (pair["a"], pair["b"], pair["similarity"]))

    def test_files_of_records_are_never_written_to(self):
        """The file of a record is never written to."""
        self.write("in.jsonl", "".join(json.dumps({"text": FOX}) + "\n" for _ in range(2)))
        self.fail_with(2, "compare", "in.jsonl:1", "in.jsonl:2", "-o", "in.jsonl",
                       says="in.jsonl")
        self.assertEqual(len(self.read("in.jsonl").splitlines()), 2)

    def test_like_takes_a_record(self):
        self.write("in.jsonl", json.dumps({"id": "a", "text": FOX}) + "\n")
        self.write("docs/b.txt", FOX.replace("dog", "cat"))
        self.write("docs/c.txt", FOX.replace("fox", "cat"))
        pairs = self.succeed("docs", "--like", "in.jsonl#a", "--format", "json").json["pairs"]
        self.assertEqual({pair["b"] for pair in pairs}, {"in.jsonl#a"})
        self.assertEqual(len(pairs), 2)


if __name__ == "__main__":
    unittest.main()
