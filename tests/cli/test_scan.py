"""`scan` compared with the oracle: every field, to the last digit, in every format."""
import csv
import io
import itertools
import json
import os
import re
import unittest
from collections import Counter
from decimal import Decimal

import corpus
import oracle
from command import FIELDS, PASSAGE_FIELDS, SAMPLES, Case

STOP = ["# comment", "the", "?", "STRASSE", "and  ", "мир", "中", "over"]

RUN_FIELDS = ["version", "parameters", "method", "bands", "rows", "documents", "skipped",
              "flagged", "notes", "pairs", "candidates", "verified", "expected_recall"]
PARAMETERS = {
    "by": "char", "k": 9, "lang": None, "view": "both", "case": "fold", "spaces": "squeeze",
    "punctuation": "keep", "stop": False, "quotations": "keep", "bibliography": "keep",
    "threshold": 0.5, "top": 0, "measure": "jaccard", "bag": False, "common": 1,
    "group": "none", "min-passage": 0, "method": "auto", "hashes": 288, "scheme": "fss",
    "shingle-hash": "default", "seed": 1, "recall": 0.99, "prefer": "recall", "bands": 0,
    "rows": 0, "max-bucket": 1000,
    "text": None, "id": None, "input": "auto", "all": False, "include": None,
    "exclude": None, "max-size": 4 << 30, "html-boilerplate": "drop", "mail-quotes": "keep",
}


def options_of(rules):
    """The options of the command line for these rules."""
    options = []
    for name in ("by", "k", "case", "spaces", "punctuation", "threshold", "measure", "common"):
        options += [("-" if name == "k" else "--") + name, str(getattr(rules, name))]
    return options + ["--bag"] * rules.bag + ["--stop", "stop.list"] * bool(rules.stop)


def number(value):
    """A number without an exponent, unless it would have many zeros."""
    if value is None:
        return ""
    return repr(value) if 0 < value < 2**-16 else format(Decimal(repr(value)), "f")


def csv_rows(pairs):
    return [FIELDS] + [[pair["a"], pair["b"], *(number(pair[name]) for name in FIELDS[2:])]
                       for pair in pairs]


def tsv_name(name):
    for plain, escaped in ("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"):
        name = name.replace(plain, escaped)
    return name


def candidates_name(name):
    return json.dumps(name, ensure_ascii=False) if re.search(r'[",\[\]\0-\x1f\x7f]', name) else name


class Scan(Case):
    def check(self, paths, rules, *options, **found):
        """Runs the scan in all formats, and compares each with the result of the oracle. `found`
        names documents of other roles: ignore, old, like; or group=True."""
        self.write("stop.list", "\n".join(rules.stop))
        documents = self.find(paths, found)
        arguments = [*paths, *options_of(rules), *options]
        for role in ("ignore", "old", "like"):
            for path in found.get(role, []):
                arguments += ["--" + role, path]
        expected = oracle.scan(documents, rules)
        answer = self.succeed(*arguments, "--method", "exact", "--format", "json").json
        self.assertEqual(answer["pairs"], expected["pairs"], arguments)
        self.assertEqual(answer["clusters"], expected["clusters"], arguments)
        self.assertEqual(answer["run"]["documents"], expected["documents"])
        self.check_formats(arguments, expected["pairs"])
        self.check_candidates(arguments, expected)
        return answer

    def find(self, paths, found):
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            documents = {}
            for role in ("new", "old", "like", "ignore"):
                for path in paths if role == "new" else found.get(role, []):
                    for document in oracle.find(path, role):
                        documents[document.name] = document
        finally:
            os.chdir(here)
        if not found.get("group"):
            for document in documents.values():
                document.group = ""
        return list(documents.values())

    def check_formats(self, arguments, pairs):
        arguments = [*arguments, "--method", "exact", "--format"]
        lines = self.succeed(*arguments, "jsonl").text.splitlines()
        self.assertEqual([json.loads(line) for line in lines], pairs)
        text = io.StringIO(self.succeed(*arguments, "csv").text, newline="")
        self.assertEqual(list(csv.reader(text)), csv_rows(pairs))
        rows = csv_rows([dict(pair, a=tsv_name(pair["a"]), b=tsv_name(pair["b"]))
                         for pair in pairs])
        self.assertEqual(self.succeed(*arguments, "tsv").text,
                         "".join("\t".join(row) + "\n" for row in rows))

    def check_candidates(self, arguments, expected):
        lines = {name: [] for name in expected["names"]}
        for pair in expected["pairs"]:
            lines[pair["a"]].append(pair["b"])
            lines[pair["b"]].append(pair["a"])
        text = self.succeed(*arguments, "--method", "exact", "--format", "candidates").text
        self.assertEqual(text, "".join(
            f"{candidates_name(name)}: "
            f"[{', '.join(map(candidates_name, sorted(others, key=os.fsencode)))}]\n"
            for name, others in lines.items()))

    def write_mixed(self, **options):
        for name, text in corpus.mixed_texts(**options).items():
            self.write("docs/" + name, text)


class Samples(Scan):
    def test_essays(self):
        os.symlink(os.path.join(SAMPLES, "essays"), self.path("essays"))
        for threshold in (0, 0.2, 0.5, 1):
            self.check(["essays"], oracle.Rules(threshold=threshold))

    def test_programs_by_words(self):
        os.symlink(os.path.join(SAMPLES, "programs"), self.path("programs"))
        self.check(["programs"], oracle.Rules(by="word", k=3, threshold=0.1))

    def test_readme(self):
        """The table of samples/README.md."""
        answer = self.succeed("essays", "programs", "-t", "0.15", "--format", "json",
                              cwd=SAMPLES).json
        values = {(pair["a"], pair["b"]): (pair["shared"], pair["union"])
                  for pair in answer["pairs"]}
        with open(os.path.join(SAMPLES, "README.md"), encoding="utf-8") as file:
            rows = [line.replace("`", "").split("|") for line in file if " / " in line]
        listed = 0
        for row in rows:
            a, b, counts = (cell.strip() for cell in row[1:4])
            shared, union = map(int, counts.split("/")) if counts[0].isdigit() else (0, 1)
            if shared / union >= 0.15:
                folder = "programs/" if "-" in a and not a.endswith(".txt") else "essays/"
                self.assertEqual(values.pop((folder + a, folder + b)), (shared, union))
                listed += 1
        self.assertEqual((listed, values), (7, {}))


class Rules(Scan):
    """Single options, and some together, on difficult texts."""

    def setUp(self):
        super().setUp()
        self.write_mixed()

    def test_thresholds(self):
        for threshold in (0, 0.2, 0.5, 1):
            self.check(["docs"], oracle.Rules(threshold=threshold))

    def test_characters(self):
        for k in (1, 2, 5, 20, 64):
            self.check(["docs"], oracle.Rules(k=k, threshold=0.3))

    def test_words(self):
        for k in (1, 2, 5, 64):
            self.check(["docs"], oracle.Rules(by="word", k=k, threshold=0.2))

    def test_case(self):
        self.check(["docs"], oracle.Rules(case="keep", threshold=0.1))
        self.check(["docs"], oracle.Rules(by="word", k=2, case="keep", threshold=0.1))

    def test_spaces(self):
        for spaces in ("keep", "drop"):
            self.check(["docs"], oracle.Rules(spaces=spaces, threshold=0.2))
            self.check(["docs"], oracle.Rules(by="word", k=2, spaces=spaces, threshold=0.2))

    def test_punctuation(self):
        for punctuation in ("space", "drop"):
            for by in ("char", "word"):
                self.check(["docs"], oracle.Rules(by=by, k=4, punctuation=punctuation))
        self.check(["docs"], oracle.Rules(punctuation="space", spaces="keep"))
        self.check(["docs"], oracle.Rules(punctuation="drop", spaces="drop", case="keep"))

    def test_stop(self):
        self.check(["docs"], oracle.Rules(stop=STOP))
        self.check(["docs"], oracle.Rules(stop=STOP, spaces="drop", punctuation="drop"))
        self.check(["docs"], oracle.Rules(by="word", k=2, stop=STOP, threshold=0.2))
        self.check(["docs"], oracle.Rules(by="word", k=2, stop=STOP, case="keep", threshold=0.2))

    def test_measures(self):
        for measure in ("containment", "weighted"):
            for threshold in (0, 0.2, 0.5, 1):
                self.check(["docs"], oracle.Rules(measure=measure, threshold=threshold))

    def test_bag(self):
        for measure in ("jaccard", "containment", "weighted"):
            self.check(["docs"], oracle.Rules(k=3, bag=True, measure=measure, threshold=0.3))
        self.check(["docs"], oracle.Rules(by="word", k=1, bag=True, threshold=0.2))

    def test_common(self):
        for common in (0.5, 0.2, 0.05, 0):
            self.check(["docs"], oracle.Rules(common=common, k=5, threshold=0.1))
        self.check(["docs"], oracle.Rules(common=0.3, k=3, bag=True, measure="weighted"))

    def test_common_at_the_limit(self):
        """A shingle of 29 of 100 documents is not in more than 0.29 of them."""
        for i in range(100):
            shared = "stands in twenty-nine " if i < 29 else ""
            self.write(f"hundred/{i:03}", f"{shared}{i * i * 7919 + 10**9}")
        answer = self.check(["hundred"], oracle.Rules(common=0.29, threshold=0.3))
        self.assertGreater(len(answer["pairs"]), 0)

    def test_ignore(self):
        self.write("template.txt", " ".join(corpus.PIECES[:30]))
        for bag in (False, True):
            rules = oracle.Rules(k=4, bag=bag, threshold=0.2)
            self.check(["docs"], rules, ignore=["template.txt", "docs/family1/text0.txt"])
        self.check(["docs/family0", "docs/copies"], oracle.Rules(measure="weighted", common=0.6),
                   ignore=["docs/family2"])

    def test_old(self):
        answer = self.check(["docs/family0", "docs/odd"], oracle.Rules(threshold=0.1),
                            old=["docs/family1", "docs/copies"])
        self.assertGreater(len(answer["pairs"]), 0)
        self.check(["docs"], oracle.Rules(measure="weighted"), old=["docs/copies", "docs/odd"])

    def test_like(self):
        self.write("outside.txt", self.read("docs/family2/text1.txt") + b" and more")
        rules = oracle.Rules(threshold=0.2)
        self.check(["docs"], rules, like=["docs/family0/text1.txt"])
        self.check(["docs"], rules, like=["outside.txt"])
        self.check(["docs"], oracle.Rules(measure="weighted"), like=["outside.txt"])
        self.check(["docs/family1"], rules, like=["outside.txt"], old=["docs/family2"])

    def test_like_twice(self):
        """Each pair is listed once, even if a copy of one document comes first in the
        collection."""
        self.write("docs/a copy.txt", self.read("docs/family2/text1.txt"))
        self.check(["docs"], oracle.Rules(threshold=0.2),
                   like=["docs/family2/text1.txt", "docs/family2/text2.txt"])

    def test_group(self):
        self.check(["docs"], oracle.Rules(threshold=0.1), "--group", "dir", group=True)
        named = [f"docs/family{i}/text{j}.txt" for i in (0, 1) for j in (0, 1, 2)]
        self.check(named, oracle.Rules(threshold=0), "--group", "dir", group=True)

    def test_all_together(self):
        self.write("template.txt", " ".join(corpus.PIECES[:20]))
        rules = oracle.Rules(by="word", k=2, case="keep", punctuation="drop", stop=STOP, bag=True,
                             measure="weighted", common=0.7, threshold=0.2)
        self.check(["docs"], rules, "--group", "dir", group=True, ignore=["template.txt"],
                   old=["docs/copies"])

    def test_order_of_paths(self):
        """The bytes do not depend on the order of paths on the command line."""
        paths = ["docs/family0", "docs/family1", "docs/copies"]
        usual = self.succeed(*paths, "--format", "json").out
        self.assertEqual(self.succeed(*reversed(paths), "--format", "json").out, usual)
        self.assertEqual(self.succeed(*paths, *paths, "docs/copies/", "--format", "json").out,
                         usual)


class Contract(Scan):
    """The fields of the json object besides pairs and clusters."""

    def test_fields(self):
        self.write_mixed()
        self.write("docs/empty", b"")
        answer = json.loads(self.succeed("docs", "--format", "json").out)
        self.assertEqual(list(answer), ["run", "pairs", "clusters"])
        self.assertEqual(list(answer["run"]), RUN_FIELDS)
        self.assertEqual(list(answer["pairs"][0]), [*FIELDS, *PASSAGE_FIELDS[1:], "passages"])
        self.assertEqual(list(answer["clusters"][0]),
                         ["id", "size", "members", "representative", "min_similarity"])
        run = answer["run"]
        self.assertEqual(run["parameters"], PARAMETERS)
        self.assertEqual(run["version"], "0.1.0")
        self.assertEqual((run["method"], run["bands"], run["rows"]), ("exact", 0, 0))
        self.assertEqual(run["skipped"], [{"path": "docs/empty", "reason": "empty"}])
        self.assertIn({"path": "docs/odd/broken.txt",
                       "flags": ["invalid-utf8", "hidden-characters"]}, run["flagged"])
        self.assertEqual(run["expected_recall"], 1)
        self.assertEqual(run["notes"], [])
        self.assertLessEqual(run["verified"], run["candidates"])

    def test_parameters(self):
        self.write_mixed()
        self.write("list", "the\n")
        options = {
            "by": "word", "k": 3, "lang": "c", "view": "raw", "case": "keep", "spaces": "drop",
            "punctuation": "space",
            "quotations": "drop", "bibliography": "drop",
            "threshold": 0.25, "top": 9, "measure": "weighted", "common": 0.75, "group": "dir",
            "method": "lsh", "hashes": 100, "scheme": "affine", "shingle-hash": "murmur3",
            "seed": 18446744073709551615, "recall": 0.9, "prefer": "nearest", "bands": 20,
            "rows": 5, "max-bucket": 7, "text": "body", "id": "meta.key", "include": "*.t*",
            "exclude": "*~", "max-size": 5 << 20, "html-boilerplate": "keep",
            "mail-quotes": "drop", "input": "text",
        }
        arguments = [word for name, value in options.items()
                     for word in (("-" if name == "k" else "--") + name, str(value))]
        answer = self.succeed("docs", *arguments, "--bag", "--all", "--stop", "list", "--format",
                              "json")
        self.assertEqual(answer.json["run"]["parameters"],
                         dict(options, bag=True, all=True, stop=True, **{"min-passage": 0}))

    def test_no_pair(self):
        self.write("one", "nothing in common")
        self.write("two", "something else")
        answer = self.succeed("one", "two", "--format", "json").json
        self.assertEqual((answer["pairs"], answer["clusters"]), ([], []))
        self.assertEqual(self.succeed("one", "two", "--format", "jsonl").out, b"")
        self.assertEqual(self.succeed("one", "two", "--format", "csv").text,
                         ",".join(FIELDS + PASSAGE_FIELDS) + "\n")
        self.assertEqual(self.succeed("one", "two", "--format", "csv", "-t", "0.5").text,
                         ",".join(FIELDS) + "\n")

    def test_identical_whatever_is_ignored(self):
        """Identical documents have similarity 1.0, even if all their shingles are ignored."""
        for name in ("one", "two", "template"):
            self.write(name, "all of this is in the handout")
        answer = self.succeed("one", "two", "--ignore", "template", "--format", "json").json
        self.assertEqual([pair["similarity"] for pair in answer["pairs"]], [1])


class Clusters(Scan):
    def test_chain(self):
        """The ends of a chain are in one cluster, though they share nothing."""
        for i in range(6):
            self.write(f"docs/{i}", "abcdefghijklmnopqrst"[2 * i:2 * i + 10])
        answer = self.check(["docs"], oracle.Rules(k=1, threshold=0.5))
        self.assertEqual([cluster["size"] for cluster in answer["clusters"]], [6])
        self.assertEqual(answer["clusters"][0]["min_similarity"], 0)

    def test_first_of_two_representatives(self):
        """Sums of the same terms in another order are equal, so the first member is chosen."""
        for name, text in (("a", "abcdefghij"), ("m", "abcdef"), ("n", "abcdefgh"),
                           ("z", "jihgfedcba")):
            self.write(f"docs/{name}", text)
        answer = self.check(["docs"], oracle.Rules(k=1))
        self.assertEqual(answer["clusters"][0]["representative"], "docs/a")

    def test_largest_first(self):
        for i, word in enumerate(["pair", "four", "four", "trio", "pair", "four", "trio", "four",
                                  "trio"]):
            self.write(f"docs/{i}", f"{word} {word} {word} {word} {word}")
        answer = self.check(["docs"], oracle.Rules())
        self.assertEqual([cluster["members"] for cluster in answer["clusters"]],
                         [["docs/1", "docs/2", "docs/5", "docs/7"], ["docs/3", "docs/6", "docs/8"],
                          ["docs/0", "docs/4"]])


class Lsh(Scan):
    """Candidates can be computed from the signatures that `sketch` writes."""

    def setUp(self):
        super().setUp()
        self.write_mixed(families=4)

    def check_lsh(self, threshold, *options, search=(), **found):
        """`options` are those that change signatures, `search` are all others."""
        answer = self.succeed("docs", "-t", str(threshold), "--method", "lsh", *options, *search,
                              "--format", "json").json
        run = answer["run"]
        hashes, bands, rows = run["parameters"]["hashes"], run["bands"], run["rows"]
        same = () if "-n" in options else ("-n", str(hashes))
        lines = self.succeed("sketch", "docs", *same, *options).text.splitlines()
        signatures = {line["id"]: line["signature"] for line in map(json.loads, lines)}
        self.assertEqual({len(signature) for signature in signatures.values()}, {hashes})
        documents = self.find(["docs"], found)
        expected = oracle.scan(documents, oracle.Rules(threshold=threshold), signatures,
                               lambda a, b: oracle.shares_band(a, b, bands, rows))
        self.assertEqual(answer["pairs"], expected["pairs"])
        self.assertEqual(answer["clusters"], expected["clusters"])
        if not found:
            self.check_counts(run, documents, signatures)
        return answer

    def check_counts(self, run, documents, signatures):
        """Checks counts, in which identical texts count once."""
        texts = {}
        for document in documents:
            words = tuple(oracle.tokens(oracle.decode(document.raw), oracle.Rules()))
            texts[words] = signatures[document.name]
        candidates = [(a, b) for a, b in itertools.combinations(texts.values(), 2)
                      if oracle.shares_band(a, b, run["bands"], run["rows"])]
        self.assertEqual(run["candidates"], len(candidates))
        self.assertEqual(run["verified"], len(candidates))

    def test_default(self):
        for threshold in (0.2, 0.5, 0.8, 1):
            answer = self.check_lsh(threshold)
            self.assertGreaterEqual(answer["run"]["expected_recall"], 0.99)

    def test_schemes(self):
        for scheme in ("affine", "modular", "jenkins", "md5", "datasketch1", "datasketch2"):
            self.check_lsh(0.4, "--scheme", scheme, "-n", "60")

    def test_shingle_hashes_and_seeds(self):
        self.check_lsh(0.4, "--shingle-hash", "murmur3")
        self.check_lsh(0.4, "--shingle-hash", "md5", "--seed", "7")

    def test_bands_and_rows(self):
        answer = self.check_lsh(0.3, "-n", "100", search=["--bands", "20", "--rows", "5"])
        self.assertEqual((answer["run"]["bands"], answer["run"]["rows"]), (20, 5))
        recall = 1 - (1 - 0.3**5)**20
        self.assertLess(answer["run"]["expected_recall"], recall)
        self.assertGreater(answer["run"]["expected_recall"], recall - 1e-4)
        self.check_lsh(0.6, "-n", "100", search=["--prefer", "nearest"])
        self.check_lsh(0.6, search=["--recall", "0.5"])

    def test_roles(self):
        self.check_lsh(0.2, search=["--old", "docs/family1"], old=["docs/family1"])
        self.check_lsh(0.2, search=["--group", "dir"], group=True)
        like = ["docs/family0/text1.txt", "docs/copies/copy1.txt"]
        self.check_lsh(0.2, search=["--like", like[0], "--like", like[1]], like=like)

    def test_other_measures_have_no_expected_recall(self):
        for measure in ("containment", "weighted"):
            answer = self.succeed("docs", "--method", "lsh", "--measure", measure,
                                  "--min-passage", "off", "--format", "json").json
            rules = oracle.Rules(measure=measure)
            exact = {(pair["a"], pair["b"]): pair["similarity"]
                     for pair in oracle.scan(self.find(["docs"], {}), rules)["pairs"]}
            found = {(pair["a"], pair["b"]): pair["similarity"] for pair in answer["pairs"]}
            self.assertEqual(found, {pair: exact[pair] for pair in found})
            self.assertIsNone(answer["run"]["expected_recall"])
            self.assertEqual(len(answer["run"]["notes"]), 1)


class Buckets(Scan):
    """--max-bucket shortens the list, but does not change clusters."""

    def setUp(self):
        super().setUp()
        text = " ".join(corpus.PIECES)
        for i in range(60):
            self.write(f"docs/{i:02}", f"{text} number {i // 3}")

    def check_clusters(self, limit, *options):
        """Checks the clusters. Returns the number of pairs that are listed."""
        usual = self.succeed("docs", *options, "--format", "json").json
        few = self.succeed("docs", *options, "--max-bucket", limit, "--format", "json").json
        self.assertEqual(len(usual["pairs"]), 60 * 59 // 2)
        self.assertEqual(few["clusters"], usual["clusters"])
        self.assertGreaterEqual(len(few["run"]["notes"]), 1)
        self.assertEqual([pair for pair in usual["pairs"] if pair in few["pairs"]], few["pairs"])
        return len(few["pairs"])

    def test_clusters_stay_whole(self):
        self.assertLess(self.check_clusters("18", "--method", "exact"), 60 * 59 // 2)
        self.check_clusters("18", "--method", "lsh")

    def test_exact_lists_the_most_similar_partners(self):
        limit, star = 20, 16
        for i in range(60):  # the larger the numbers, the more of the text is replaced
            self.write(f"nested/{i:02}", " ".join(f"w{n}" if n > i else f"x{n}y{i % 2}"
                                                  for n in range(100)))
        options = ("nested", "--by", "word", "-k", "1", "-t", "0.2", "--method", "exact")
        usual = self.succeed(*options, "--format", "json").json["pairs"]
        few = self.succeed(*options, "--max-bucket", str(limit), "--format", "json").json
        partners = Counter(name for pair in usual for name in (pair["a"], pair["b"]))
        seen, listed = Counter(), []
        for pair in usual:  # the most similar first, and of equal ones in the order of names
            names = pair["a"], pair["b"]
            if min(partners[name] for name in names) <= limit or min(
                    seen[name] for name in names) < star:
                listed.append(names)
            seen.update(names)
        self.assertLess(len(listed), len(usual))
        self.assertGreater(max(partners.values()), limit)
        self.assertEqual([(pair["a"], pair["b"]) for pair in few["pairs"]], listed)
        hot = sum(count > limit for count in partners.values())
        self.assertEqual(few["run"]["notes"][0],
                         f"{hot} documents resemble more than {limit} others each: of these pairs "
                         f"only those with the {star} most similar are listed; --max-bucket "
                         "changes this")

    def test_limit_below_the_size_of_a_star(self):
        self.check_clusters("2", "--method", "exact")
        self.check_clusters("2", "--method", "lsh")


class ManyPairs(Case):
    MOST = 1 << 22  # candidates of a search that lists all of them

    def test_documents_are_listed_with_the_first_that_they_resemble(self):
        count = 2950  # all are similar to all
        self.write("docs.jsonl", "".join(json.dumps({"id": f"{i:04}", "text": f"a b c{i}"}) + "\n"
                                         for i in range(count)))
        result = self.succeed("docs.jsonl", "--method", "lsh", "--by", "word", "-k", "1", "-t",
                              "0.3", "-n", "16", "--bands", "16", "--rows", "1", "--max-bucket",
                              str(count), "--top", "1", "--report", "report")
        report = json.loads(self.read("report"))
        self.assertGreater(report["candidates"], self.MOST)
        most = self.MOST // (count - 1)
        pairs = re.search(r"most similar of ([\d,]+) pairs", result.messages).group(1)
        self.assertEqual(int(pairs.replace(",", "")), sum(min(i, most) for i in range(count)))
        self.assert_says(result, f"{count - most:,} documents", f"first {most} before them")
        self.assertEqual(report["largest_cluster"]["size"], count)
        self.assertIsNone(report["expected_recall"])


if __name__ == "__main__":
    unittest.main()
