"""--html: a page with all results. Its data is compared with the sources."""
import gzip
import hashlib
import json
import os
import re
import unittest

from command import Case, SAMPLES
from page import Page, allowed

STORY = ("The lighthouse keeper counted ships every evening and wrote their names into a long "
         "ledger that nobody else on the island was ever allowed to read or to touch. ")
HOSTILE = "</script><script>document.title='broken'</script><!-- \" ' & \x1b[31m"


class Html(Case):
    def page(self, *arguments):
        self.succeed(*arguments, "--quiet", "--html", "page.html")
        return Page(self.read("page.html").decode())

    def assert_spans(self, page, name_of, read):
        """Checks that the spans of every passage have equal text in both sources."""
        documents, seen = page.block("documents"), 0
        for index, pair in enumerate(page.pairs):
            for passage in page.passages(index)["list"]:
                sources = {}
                for side in "ab":
                    document = documents[pair[side]]
                    files = [file["name"] for file in document["files"]]
                    file = files.index(passage[side]["file"]) if "file" in passage[side] else 0
                    source = sources[side] = read(name_of(document, files[file]))
                    self.assertEqual(page.text(pair[side], file), source)
                    first, last = passage[side]["bytes"]
                    self.assertTrue(0 <= first < last <= len(source))
                    quoted = source[first:last].decode()  # whole characters
                    lines = passage[side]["lines"]
                    self.assertEqual(lines[0], source[:first].count(b"\n") + 1)
                    self.assertTrue(quoted.strip())
                for a_from, a_to, b_from, b_to in page.spans(passage):
                    texts = sources["a"][a_from:a_to], sources["b"][b_from:b_to]
                    self.assertEqual(*(re.findall(r"\w+", text.decode().casefold())
                                       for text in texts))  # equal text, by its words
                    self.assertTrue(passage["a"]["bytes"][0] <= a_from <= a_to
                                    <= passage["a"]["bytes"][1])
                    self.assertTrue(passage["b"]["bytes"][0] <= b_from <= b_to
                                    <= passage["b"]["bytes"][1])
                seen += 1
        self.assertGreater(seen, 0)

    def test_many_pairs(self):
        """The page lists the first pairs, as many as fit into an eighth of the memory, and says
        so."""
        texts = (f"{STORY} and {number}" for number in range(100))
        self.write("docs.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts))
        result = self.succeed("docs.jsonl", "--memory", "48M", "--format", "csv", "--html",
                              "page.html")
        page = Page(self.read("page.html").decode())
        self.assertEqual(len(page.pairs), 4096)
        self.assertIn("the page lists the first 4096 of 4950 pairs", result.messages)
        self.assertIn("the first 4,096 of 4,950 pairs", " ".join(page.block("run")["notes"]))
        rows = result.out.decode().splitlines()[1:]
        names = [document["name"] for document in page.block("documents")]
        self.assertEqual([",".join((names[pair["a"]], names[pair["b"]])) for pair in page.pairs],
                         [",".join(row.split(",")[:2]) for row in rows[:4096]])

    def test_page_is_closed(self):
        """The page has one script and one style, both allowed by the policy, and loads nothing."""
        page = self.page(os.path.join(SAMPLES, "essays"), "-t", "0.15")
        self.assertEqual((len(page.scripts), len(page.styles)), (1, 1))
        self.assertIn("default-src 'none'", page.policy)
        self.assertIn(allowed("script", page.scripts[0]), page.policy)
        self.assertIn(allowed("style", page.styles[0]), page.policy)
        self.assertLess(len(page.scripts[0]) + len(page.styles[0]), 300_000)
        self.assertNotIn(b"src=", self.read("page.html").split(b"<script>")[0])

    def test_figures_are_those_of_json(self):
        folder = os.path.join(SAMPLES, "essays")
        page = self.page(folder, "-t", "0.15")
        result = self.succeed(folder, "-t", "0.15", "--format", "json").json
        names = [document["name"] for document in page.block("documents")]
        found = [{**pair, "a": names[pair["a"]], "b": names[pair["b"]]} for pair in page.pairs]
        self.assertEqual(found, result["pairs"])
        run = page.block("run")
        self.assertEqual(run["documents"], result["run"]["documents"])
        self.assertEqual(run["expected_recall"], result["run"]["expected_recall"])
        clusters = page.block("clusters")
        self.assertEqual([[names[i] for i in entry["members"]] for entry in clusters],
                         [entry["members"] for entry in result["clusters"]])
        for entry in clusters:
            points = set(zip(entry["x"], entry["y"]))
            self.assertEqual(len(points), len(entry["members"]))

    def test_spans_of_prose(self):
        page = self.page(os.path.join(SAMPLES, "essays"), "-t", "0.15")
        self.assert_spans(page, lambda document, _: document["name"], self.read)
        for document in page.block("documents"):
            self.assertEqual(document["digest"],
                             hashlib.sha1(self.read(document["name"])).hexdigest())

    def test_how_similar_any_two_texts_are(self):
        """The background of 14 essays is that of all 91 pairs, whatever is listed."""
        essays = os.path.join(SAMPLES, "essays")
        listed = self.succeed(essays, "-t", "0", "--format", "jsonl").out.splitlines()
        all_pairs = sorted([json.loads(line)["similarity"] for line in listed] +
                           [0] * (91 - len(listed)))
        bars = [0] * 50
        for similarity in all_pairs:
            bars[min(49, int(similarity * 50))] += 1
        for options in [[], ["-t", "0.6"], ["-j", "3"]]:
            background = self.page(essays, *options).block("run")["background"]
            self.assertEqual((background["sampled"], background["pairs"]), (91, 91), options)
            self.assertEqual(background["bars"], bars)
            self.assertEqual((background["median"], background["upper"]),
                             (all_pairs[45], all_pairs[81]))
        # Nothing is measured where sets are not in memory, and no passages are looked for.
        page = self.page(essays, "-t", "0.6", "--method", "lsh")
        self.assertIsNone(page.block("run")["background"])

    def test_spans_of_programs(self):
        page = self.page(os.path.join(SAMPLES, "programs"), "-t", "0.15")
        run = page.block("run")
        self.assertTrue(run["programs"])
        self.assertFalse(run["case"])
        background = run["background"]  # of ten programs, all pairs are in the sample
        self.assertEqual((background["sampled"], sum(background["bars"])), (45, 45))
        self.assert_spans(page, lambda document, _: document["name"], self.read)

    def test_names_that_became_others_are_no_equal_text(self):
        with open(os.path.join(SAMPLES, "programs", "marks-felix.c")) as source:
            text = source.read()
        name = max(re.findall(r"\b[a-z]{5,}\b(?!\s*\()", text), key=text.count)
        self.write("a.c", text)
        self.write("b.c", re.sub(rf"\b{name}\b", "other", text))
        page = self.page("a.c", "b.c", "-t", "0.1")
        self.assert_spans(page, lambda document, _: document["name"], self.read)
        equal = [page.text(page.pairs[0]["a"])[a_from:a_to].decode()
                 for passage in page.passages(0)["list"]
                 for a_from, a_to, _, _ in page.spans(passage)]
        self.assertTrue(equal)
        self.assertFalse([text for text in equal if re.search(rf"\b{name}\b", text)])

    def test_passages_of_many_pairs_are_small(self):
        """The passages of a pair take a few hundred bytes; offsets of each token took thousands."""
        with open(os.path.join(SAMPLES, "programs", "marks-felix.c")) as source:
            text = source.read()
        for i in range(30):
            self.write(f"in/{i}.c", re.sub(r"\b(?:i|n|sum|total|count)\b", rf"\g<0>{i}", text))
        page = self.page("in", "-t", "0.1", "--measure", "jaccard", "--common", "1")
        self.assertEqual(len(page.pairs), 435)
        bytes_of_passages = sum(len(text) for name, text in page.blocks.items()
                                if name.startswith("passages-"))
        self.assertLess(bytes_of_passages / 435, 600)

    def test_spans_in_any_script(self):
        """Texts are right to left, outside of the basic plane, with tabs, and without spaces."""
        texts = {"arabic": "كان حارس المنارة يعد السفن كل مساء ويكتب أسماءها ",
                 "hebrew": "שומר המגדלור ספר אוניות בכל ערב ורשם ",
                 "chinese": "灯塔看守人每天晚上数船并把它们的名字写进一本长长的账簿岛上没有别人可以读它",
                 "gothic": "𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼 𐍅𐌴𐌹𐌷𐌽𐌰𐌹 𐌽𐌰𐌼𐍉 𐌸𐌴𐌹𐌽 𐌵𐌹𐌼𐌰𐌹 𐌸𐌹𐌿𐌳𐌹𐌽𐌰𐍃𐍃𐌿𐍃 ",
                 "windows": "The keeper\tcounted ships\r\nevery evening 🚢 and wrote names\r\n",
                 "emoji": "👩‍🚀 sails\tthe 🚢 past\tthe 🗼 at night and waves 👋🏽 twice "}
        for name, text in texts.items():
            self.write(f"in/{name}-1.txt", text * 3 + "\n" + STORY)
            self.write(f"in/{name}-2.txt", f"An introduction.\n{text * 3}\n")
        page = self.page("in", "-t", "0.1")
        self.assert_spans(page, lambda document, _: document["name"], self.read)
        pairs = {frozenset(page.block("documents")[pair[side]]["name"].split("-")[0]
                           for side in "ab") for pair in page.pairs}
        self.assertLessEqual({frozenset([f"in/{name}"]) for name in texts}, pairs)

    def test_submissions_of_several_files(self):
        for name in ("ada", "bob"):
            for file in ("life-anna.py", "marks-felix.c"):
                with open(os.path.join(SAMPLES, "programs", file)) as source:
                    self.write(f"class/{name}/{file}", source.read())
        self.write("class/bob/notes.py", "print('my own')\n")
        page = self.page("class", "--group", "dir", "--by", "code", "-t", "0.1")
        self.assert_spans(page, lambda _, file: file, self.read)
        self.assertEqual(sorted(len(entry["files"]) for entry in page.block("documents")), [2, 3])

    def test_hostile_names_and_texts(self):
        for i in range(2):
            record = {"id": f"{i}{HOSTILE}", "text": f"{STORY}{HOSTILE} " * 3}
            self.write(f"in{i}.jsonl", json.dumps(record) + "\n")
        page = self.page("in0.jsonl", "in1.jsonl")
        self.assertEqual(len(page.scripts), 1)
        self.assertIn(HOSTILE, page.block("documents")[0]["name"])
        self.assertIn(HOSTILE.encode(), page.text(0))

    def test_comparison(self):
        first, second = (os.path.join(SAMPLES, "essays", name)
                         for name in ("bridges-verbatim.txt", "bridges-original.txt"))
        page = self.page("compare", first, second)
        self.assertEqual(page.block("run")["kind"], "compare")
        names = [document["name"] for document in page.block("documents")]
        self.assertEqual([names[page.pairs[0][side]] for side in "ab"], [first, second])
        self.assert_spans(page, lambda document, _: document["name"], self.read)

    def test_cleaning(self):
        others = [" ".join(f"{i}x{j}" for j in range(40)) for i in range(3)]
        records = [{"id": str(i), "text": text} for i, text in enumerate([STORY] * 3 + others)]
        self.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        page = self.page("dedup", "in.jsonl", "-o", "out.jsonl", "-t", "0.7")
        self.assertEqual(page.block("run")["kind"], "dedup")
        removals = page.block("removals")
        names = [document["name"] for document in page.block("documents")]
        self.assertEqual([(names[entry["document"]], names[entry["kept"]]) for entry in removals],
                         [("1", "0"), ("2", "0")])
        sample = removals[0]
        for document in (sample["document"], sample["kept"]):
            self.assertEqual(page.text(document).decode(), STORY)

    def test_collection_of_a_cleaning_run(self):
        words = " ".join(f"word{i}" for i in range(60))
        for name, ids in (("one.jsonl", "abc"), ("two.jsonl", "xy")):
            self.write(name, "".join(json.dumps({"id": i, "text": f"{words} {i}"}) + "\n"
                                     for i in ids))
        page = self.page("dedup", "one.jsonl", "two.jsonl", "-o", "out.jsonl", "-t", "0.7")
        collection = page.block("collection")
        self.assertEqual(sum(collection["similarities"]), 4)
        self.assertEqual(collection["repeats"],
                         [{"removed": "one.jsonl", "kept": "one.jsonl", "count": 2},
                          {"removed": "two.jsonl", "kept": "one.jsonl", "count": 2}])
        self.assertEqual([sum(column) for column in zip(*collection["growth"])], [5, 4])
        self.assertEqual([(entry["id"], entry["size"]) for entry in collection["largest"]],
                         [(1, 5)])
        texts = [page.text(entry["document"]) for entry in page.block("removals")]
        self.assertEqual(len([text for text in texts if text]), 3)  # one of its cluster, two of 90%

    def test_hosts_of_all_removals(self):
        """Hosts are counted in all removals, not in the 10,000 that the page lists."""
        addresses = ["id-without-host", "https://a.org/1?x=http://z.org", "#http://b.org/2", "x"]
        addresses += [f"http://host{i % 3}.net/{i}" for i in range(10_500)]
        self.write("in.jsonl", "".join(json.dumps({"id": i, "text": STORY}) + "\n"
                                       for i in ["http://first.org"] + addresses))
        page = self.page("dedup", "in.jsonl", "-o", "out.jsonl")
        self.assertEqual(len(page.block("removals")), 10_000)
        collection = page.block("collection")
        self.assertEqual(collection["hosts"],
                         [{"removed": f"host{i}.net", "kept": "first.org", "count": 3500}
                          for i in range(3)] +
                         [{"removed": f"{i}.org", "kept": "first.org", "count": 1} for i in "ab"])
        self.assertEqual(collection["hosts_not_counted"], 0)

    def times(self, name, times):
        records = [{"id": i, "text": f"{STORY}{i}", "date": time, "modified": "1999-01-01"}
                   for i, time in enumerate(times)]
        self.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        if name != "in.jsonl":
            with gzip.open(os.path.join(self.folder, name), "wb") as packed:
                packed.write(self.read("in.jsonl"))
        page = self.page("dedup", name, "-o", "out.jsonl")
        return page.block("collection").get("times")

    def test_removals_by_time(self):
        """2026-03-02 and the day after, as records write them; all but the first are removed."""
        forms = ["2026-03-02", "20260302", "2026-03-02T00:00:00.5Z", 1772409600, 1772409600123,
                 1772409600123456, "2026-03-03", "2026-03-03 00:00", 1772496000.5]
        times = self.times("in.jsonl", forms)
        self.assertEqual((times["field"], times["from"]), ("date", 1772409600))
        self.assertTrue(86400 <= times["to"] - times["from"] < 86401)
        self.assertEqual((times["sampled"], times["known"]), (9, 9))
        self.assertEqual([step for step in times["steps"] if step[0]], [[6, 5], [3, 3]])
        # What is no time is none, and where most are none, or all the same, there is no chart.
        times = self.times("in.jsonl", forms[::3] + ["soon", "2026-13-01"])
        self.assertEqual((times["sampled"], times["known"]), (5, 3))
        self.assertIsNone(self.times("in.jsonl", forms[::8] + ["soon", None, "2026-3-1", 1e300]))
        self.assertIsNone(self.times("in.jsonl", forms[:6]))
        self.assertIsNone(self.times("in.jsonl.gz", forms))  # not read twice

    def test_removals_by_time_of_files(self):
        for name, time in (("a", 0), ("b", 1), ("c", 3)):
            self.write(f"in/{name}.txt", f"{STORY}{name}")
            os.utime(os.path.join(self.folder, f"in/{name}.txt"), (0, 1772409600 + 86400 * time))
        times = self.page("dedup", "in", "-o", "out/").block("collection")["times"]
        self.assertIsNone(times["field"])
        self.assertEqual((times["from"], times["to"]), (1772409600, 1772409600 + 3 * 86400))
        self.assertEqual([sum(column) for column in zip(*times["steps"])], [3, 2])

    def test_removals_along_the_collection(self):
        """They are counted in the order of reading, whatever the names of records are."""
        records = [{"id": f"{99 - i:02}", "text": " ".join(f"{i}x{j}" for j in range(40))
                    if i < 50 else STORY} for i in range(100)]
        self.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        for method in ("exact", "lsh"):
            page = self.page("dedup", "in.jsonl", "-o", "out.jsonl", "--method", method)
            growth = page.block("collection")["growth"]
            self.assertEqual(growth, [[2, 0]] * 25 + [[2, 1]] + [[2, 2]] * 24)

    def test_properties_of_documents(self):
        """The page has labels, authors and times of a manifest, and the archive."""
        for name in ("ada", "bob", "old"):
            self.write(f"{name}.txt", f"{STORY * 3}{name}\n")
        self.write("list.csv", "path,label,author,time\n"
                   "ada.txt,staff,Ada L.,2026-01-02\nbob.txt,,Bob,\n")
        arguments = "@list.csv", "--old", "old.txt", "-t", "0.1"
        known = {entry["name"]: entry for entry in self.page(*arguments).block("documents")}
        self.assertEqual([known["ada.txt"][key] for key in ("label", "author", "time")],
                         ["staff", "Ada L.", "2026-01-02"])
        self.assertEqual(known["bob.txt"]["author"], "Bob")
        self.assertNotIn("label", known["bob.txt"])
        self.assertTrue(known["old.txt"]["old"])
        blocks = json.dumps(self.page(*arguments, "--anonymise").blocks)
        self.assertNotRegex(blocks, r"(?i)ada l|bob|staff")

    def test_other_documents_with_a_passage(self):
        others = [" ".join(f"{i}x{j}" for j in range(60)) for i in range(4)]
        self.write("in/a.txt", f"{STORY}\n{others[0]}\n{others[3]}\n")
        self.write("in/b.txt", f"{STORY}\n{others[1]}\n{others[3]}\n")
        self.write("in/c.txt", f"{STORY}\n{others[2]}\n")
        page = self.page("in", "-t", "0.05", "--by", "word")
        names = [document["name"] for document in page.block("documents")]
        listed = page.block("pairs")["listed"]
        found = {frozenset(names[pair[side]][3] for side in "ab"): sorted(listed[i])
                 for i, pair in enumerate(page.pairs)}
        self.assertEqual(found[frozenset("ac")], [3])
        self.assertIn(2, found[frozenset("ab")])

    def test_quotations_are_marked(self):
        quoted = f'As he wrote, "{STORY.strip()}" and nothing more.\n'
        for i in range(2):
            self.write(f"in/{i}.txt", quoted + " ".join(f"own{i}n{j}" for j in range(50)))
        page = self.page("in", "-t", "0.05")
        self.assertEqual(page.block("pairs")["contexts"], [[1]])

    def test_same_bytes_for_any_number_of_threads(self):
        folder, pages = os.path.join(SAMPLES, "essays"), set()
        for threads in ("1", "2", "5"):
            self.succeed(folder, "-t", "0.1", "--quiet", "-j", threads, "--html", "page.html")
            page = Page(self.read("page.html").decode())
            run = page.block("run")
            run["parameters"].pop("threads", None)
            rest = sorted(item for item in page.blocks.items() if item[0] != "run")
            pages.add(json.dumps([run, rest]))
        self.assertEqual(len(pages), 1)

    def write_class(self):
        for name, file in (("ada", "life-anna.py"), ("bob", "life-dora.py")):
            with open(os.path.join(SAMPLES, "programs", file)) as source:
                self.write(f"class/{name}/life.py",
                           f"# {name.title()} ADA.bob@x.org\n{source.read()}")
        return "class", "--group", "dir", "--by", "code", "-t", "0.1"

    def test_names_are_removed(self):
        arguments = self.write_class()
        plain, page = self.page(*arguments), self.page(*arguments, "--anonymise")
        blocks = json.dumps(page.blocks) + str([page.text(0), page.text(1)])
        self.assertNotRegex(blocks, r"(?i)\b(ada|bob)\b")
        self.assertIn("# xxx xxx.xxx@x.org", page.text(0).decode())
        self.assertEqual(page.passages(0)["list"][0]["a"]["bytes"],
                         plain.passages(0)["list"][0]["a"]["bytes"])
        key = json.loads(self.read("page.key.json"))
        digests = {entry["digest"]: entry["name"] for entry in plain.block("documents")}
        self.assertEqual({entry["name"]: entry["real"] for entry in key["documents"]},
                         {entry["name"]: digests[entry["digest"]]
                          for entry in page.block("documents")})
        self.assertEqual(len(key["documents"]), 2)

    def test_authors_are_removed(self):
        """Authors of a manifest, and authors that sources name, are removed from every document."""
        with open(os.path.join(SAMPLES, "programs", "marks-hugo.c")) as source:
            program = source.read()
        self.write("one.c", f"/**\n * @author grace h. hopper\n */\n{program}")
        self.write("two.c", f"// Author: Alan Turing, Bletchley\n{program}"
                   "/* with thanks to Grace, and to Kurt Goedel; the author is no name */\n")
        self.write("list.csv", "path,author\none.c,Kurt Goedel\ntwo.c,\n")
        page = self.page("@list.csv", "-t", "0.1", "--anonymise")
        texts = "".join(page.text(i).decode() for i in range(2))
        for words in ("@author xxxxx h. xxxxxx", "Author: xxxx xxxxxx, xxxxxxxxx",
                      "thanks to xxxxx, and to xxxx xxxxxx; the author is no name"):
            self.assertIn(words, texts)
        self.assertNotRegex(json.dumps(page.blocks), r"(?i)grace|hopper|turing|goedel")

    def test_a_page_of_one_pair(self):
        folder = os.path.join(SAMPLES, "programs")
        page = self.page(folder, "-t", "0.05", "--evidence", "marks-hugo.c", "marks-felix.c")
        names = {document["name"] for document in page.block("documents")}
        self.assertEqual(names, {f"{folder}/marks-{name}.c" for name in ("felix", "hugo")})
        self.assertEqual(len(page.pairs), 1)
        self.assertTrue(page.block("run")["case"])
        self.assert_spans(page, lambda document, _: document["name"], self.read)
        self.fail_with(2, folder, "-q", "--html", "no.html", "--evidence", "nobody", "else",
                       says="no pair of nobody and else")
        self.assertNotIn("no.html", self.entries())

    def test_review(self):
        review = {"format": "twinset review", "version": 1, "passages": [],
                  "decisions": {"x": {"note": HOSTILE, "a": "a", "b": "b"}}}
        self.write("review.json", json.dumps(review, indent=1))
        folder = os.path.join(SAMPLES, "programs")
        page = self.page(folder, "--review", "review.json")
        self.assertEqual(page.block("review"), review)
        without_names = self.run_command(folder, "--html", "p.html", "--anonymise", "--review",
                                         "review.json")
        self.assertIn("does not have the decisions of review.json:", without_names.messages)
        self.write("other.json", '{"format": "another"}')
        for name, says in (("other.json", "not a review"), ("none.json", "No such file")):
            self.fail_with(2, folder, "-q", "--html", "p.html", "--review", name, says=says)

    def test_options_of_the_page_need_one(self):
        for options in (["--anonymise"], ["--review", "x"], ["--evidence", "a", "b"]):
            self.fail_with(2, SAMPLES, *options, says="add --html FILE")
        self.fail_with(2, SAMPLES, "--evidence", "a", says="--evidence")

    def test_page_is_no_input(self):
        self.write("in/a.txt", STORY)
        self.write("in/b.txt", STORY)
        self.fail_with(2, "in", "--html", "in/a.txt", says=["in/a.txt"])
        self.assertEqual(self.read("in/a.txt").decode(), STORY)


if __name__ == "__main__":
    unittest.main()
