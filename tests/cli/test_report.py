"""--report: a run in numbers, for programs."""
import gzip
import json
import random
import unittest

from cleaning import Dedup, lines, write_records


class Report(Dedup):
    def setUp(self):
        super().setUp()
        self.records = write_records(random.Random(7), 300)
        self.write("in.jsonl", lines(*self.records) + "nonsense\n")

    def report(self, *arguments):
        result = self.succeed(*arguments, "--report", "report.json")
        return json.loads(self.read("report.json")), result

    def test_dedup(self):
        report, result = self.report("dedup", "in.jsonl", "-o", "out.jsonl", "-j", "2")
        self.assertEqual(report["command"], "dedup")
        self.assertEqual(report["parameters"]["threshold"], 0.8)
        self.assertEqual((report["records"], report["documents"]), (301, 300))
        self.assertEqual(report["bytes"], len(self.read("in.jsonl")))
        self.assertEqual([skip["path"] for skip in report["skipped"]], ["in.jsonl:301"])
        cleaned = report["cleaned"]
        self.assert_sums(result, *(cleaned[name] for name in ("read", "kept", "removed",
                                                              "skipped")))
        self.assertEqual(report["threads"], 2)
        self.assertGreater(report["peak_memory_bytes"], 1 << 20)
        stages = {stage["name"]: stage for stage in report["stages"]}
        self.assertTrue({"read", "cluster", "decide", "write"} <= set(stages))
        self.assertEqual(stages["read"]["bytes"], report["bytes"])
        self.assertEqual(stages["write"]["bytes"], len(self.read("out.jsonl")))
        for stage in report["stages"]:
            self.assertGreaterEqual(stage["cpu_seconds"], stage["serial_seconds"])
            self.assertGreaterEqual(stage["serial_seconds"], 0)
        self.assertIsNone(report["sample"])

    def test_clusters(self):
        report, _ = self.report("scan", "in.jsonl", "-t", "0.5", "-o", "out")
        result = self.succeed("in.jsonl", "-t", "0.5", "--format", "json").json
        self.assertEqual(report["command"], "scan")
        self.assertEqual(report["pairs"], len(result["pairs"]))
        self.assertEqual(report["clusters"], len(result["clusters"]))
        sizes = [cluster["size"] for cluster in result["clusters"]]
        self.assertEqual(report["cluster_sizes"], [
            {"from": low, "to": high, "clusters": len(inside), "documents": sum(inside)}
            for low, high in ((2, 2), (3, 4), (5, 8), (9, 16), (17, 32))
            if (inside := [size for size in sizes if low <= size <= high])])
        first = result["clusters"][0]
        self.assertEqual(report["largest_cluster"], {
            name: first[name] for name in ("id", "size", "representative", "min_similarity")})

    def test_sample(self):
        """A sample of all documents finds what an exact scan finds."""
        def pairs(*arguments):
            found = self.succeed("in.jsonl", "-t", "0.5", *arguments, "--format", "jsonl").text
            texts = {record["id"]: record["text"].lower() for record in self.records}
            found = [json.loads(line) for line in found.splitlines()]
            return {frozenset((texts[pair["a"]], texts[pair["b"]])) for pair in found
                    if texts[pair["a"]] != texts[pair["b"]]}

        poor = ["--method", "lsh", "--bands", "6", "--rows", "4"]
        everything, found = pairs("--method", "exact"), pairs(*poor)
        self.assertTrue(0 < len(found) < len(everything))
        for options in ([], ["-j", "1"]):
            report, result = self.report("in.jsonl", "-t", "0.5", *poor, "--sample", "1000",
                                         "-o", "out", *options)
            originals = len({record["text"].lower() for record in self.records})
            self.assertEqual(report["sample"], {
                "documents": originals, "pairs": len(everything), "found": len(found),
                "recall": len(found) / len(everything)})
            self.assert_says(result, f"found {len(found)}")
        report, _ = self.report("in.jsonl", "-t", "0.5", "--method", "exact", "--sample", "20",
                                "-o", "out")
        self.assertEqual((report["sample"]["documents"], report["sample"]["recall"]), (20, 1.0))
        self.write("in.jsonl.gz", gzip.compress(self.read("in.jsonl")))
        once, _ = self.report("in.jsonl", "-t", "0.5", *poor, "--sample", "50", "-o", "out")
        again, _ = self.report("in.jsonl.gz", "-t", "0.5", *poor, "--sample", "50", "-o", "out")
        self.assertEqual(once["sample"], again["sample"])

    def test_sample_of_bags(self):
        records = [{"id": i, "text": "abc " * (20 + i) + f"tail {i // 5} " * 3} for i in range(30)]
        self.write("in.jsonl", lines(*records))
        options = ["in.jsonl", "--bag", "-t", "0.5", "-o", "out"]
        exact, _ = self.report(*options, "--method", "exact")
        report, _ = self.report(*options, "--method", "lsh", "--sample", "100")
        self.assertEqual(report["sample"]["documents"], 30)
        self.assertEqual(report["sample"]["pairs"], exact["pairs"])

    def test_sample_of_another_measure(self):
        self.fail_with(2, "in.jsonl", "--measure", "containment", "--sample", "5",
                       says=["--sample", "jaccard"])


if __name__ == "__main__":
    unittest.main()
