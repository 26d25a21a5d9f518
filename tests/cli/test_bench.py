"""The counts and figures of bench/run. Its measurements are not tested."""
import os
import sys
import unittest
import xml.etree.ElementTree as xml

from command import ROOT, Case

sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import corpus, parts, process, report  # noqa: E402


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Scores(Case):
    def setUp(self):
        super().setUp()
        self.texts = corpus.make(self.folder, 400, 600, seed=5)
        self.similar = list(self.texts.planted("jaccard"))

    def test_a_perfect_list_scores_1(self):
        score = corpus.score_removed(self.texts, {copy for copy, _ in self.similar}, "jaccard")
        self.assertEqual((score.recall, score.precision), (1, 1))
        score = corpus.score_pairs(self.texts, self.similar, "jaccard")
        self.assertEqual((score.recall, score.recall_low, score.precision), (1, 1, 1))

    def test_half_of_the_pairs_is_a_recall_of_half(self):
        half = self.similar[:len(self.similar) // 2]
        score = corpus.score_pairs(self.texts, half, "jaccard")
        self.assertAlmostEqual(score.recall, len(half) / len(self.similar))
        self.assertEqual((score.precision, score.count), (1, len(half)))

    def test_wrong_removals_score_0(self):
        planted = {name for row in self.texts.rows() for name in (row["copy"], row["original"])}
        strangers = {f"d{number:08}" for number in range(400)} - planted
        score = corpus.score_removed(self.texts, strangers, "jaccard")
        self.assertEqual((score.recall, score.precision, score.count), (0, 0, len(strangers)))

    def test_lost_and_swapped_records_are_found(self):
        lines = read(self.texts.path).splitlines(keepends=True)
        names = [line[8:17].decode() for line in lines]
        kept = self.write("kept.jsonl", b"".join(lines[:100] + lines[101:]))
        parts.check_kept(self.texts.path, kept, {names[100]})
        for removed in (set(), {names[7]}, {names[100], names[7]}):
            with self.assertRaises(RuntimeError):
                parts.check_kept(self.texts.path, kept, removed)
        swapped = self.write("kept.jsonl", b"".join([lines[1], lines[0], *lines[2:]]))
        with self.assertRaises(RuntimeError):
            parts.check_kept(self.texts.path, swapped, set())


class Processes(unittest.TestCase):
    def test_output_and_peak_memory_are_measured(self):
        code = "x = b'x' * 100_000_000; print('done')"
        run = process.run([sys.executable, "-c", code])
        self.assertEqual((run.status, run.out), (0, b"done\n"))
        self.assertGreater(run.peak_mb, 100)
        self.assertLess(process.run(["true"]).peak_mb, 20)

    def test_a_process_can_be_killed(self):
        run = process.run(["sleep", "60"], kill_after=0.1)
        self.assertEqual(run.status, -9)

    def test_a_failure_raises(self):
        with self.assertRaises(RuntimeError):
            process.run(["false"])


class Report(Case):
    def test_pictures_and_the_page_are_written(self):
        machine = {"cores": "2"}
        run = process.Run(1.5, 1, 20, 0, b"", b"")
        texts = corpus.make(self.folder, 100, 600)
        rows = [parts.whole_row(tool, [run], documents, texts, None)
                for tool in ("twinset dedup", "md5sum", "other <1>") for documents in (100, 1000)]
        for row in rows:
            row.update(recall=0.5, recall_low=0.25, precision=1.0)
        speeds = [{"tool": "twinset", "bytes": 1024, "from": "text", "mb_per_s": 900.0}]
        for name, measured in (("whole", rows), ("growth", rows), ("sketch", speeds)):
            report.save(self.folder, name, machine, measured)
        report.write(self.folder)
        for name in ("whole.svg", "growth.svg", "sketch.svg"):
            self.assertTrue(xml.parse(self.path(name)).getroot().tag.endswith("svg"))
        page = read(self.path("README.md")).decode()
        self.assertIn("| twinset dedup | 1.5 | 1 | 20 | .5000 | .2500 | 1 |", page)
        self.assertIn("| whole job: recall | at least 0.99 | 0.5 | not met |", page)


if __name__ == "__main__":
    unittest.main()
