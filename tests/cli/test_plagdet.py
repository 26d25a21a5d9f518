"""plagdet by hand-computed cases, and the command on equal texts."""
import importlib.util
import math
import unittest
from pathlib import Path

from command import Case

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("plagdet", ROOT / "bench/plagdet.py")
plagdet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plagdet)
Passage = plagdet.Passage


class Measure(unittest.TestCase):
    def check(self, pairs, recall, precision, granularity):
        found = plagdet.measure(pairs)
        f = 2 * recall * precision / (recall + precision) if recall + precision else 0
        expected = (f / math.log2(1 + granularity), recall, precision, granularity)
        for figure, value in zip(found, expected):
            self.assertAlmostEqual(figure, value)

    def test_all_found(self):
        case = Passage(10, 110, 0, 100)
        self.check([([case], [case])], 1, 1, 1)

    def test_fractions_are_of_both_sides(self):
        """100 of 100 characters of a and 40 of 100 of b are found. The detection has 200
        characters, of which 140 are in the case."""
        self.check([([Passage(0, 100, 0, 100)], [Passage(0, 100, 60, 160)])], .7, .7, 1)

    def test_an_overlap_on_one_side_only_is_wrong(self):
        self.check([([Passage(0, 100, 0, 100)], [Passage(0, 100, 200, 300)])], 0, 0, 1)

    def test_overlapping_detections_count_once_and_raise_granularity(self):
        """Two detections that overlap in 20 characters cover 80 of 100. The granularity is 2."""
        detections = [Passage(0, 50, 0, 50), Passage(30, 80, 30, 80)]
        self.check([([Passage(0, 100, 0, 100)], detections)], .8, 1, 2)

    def test_means_are_over_cases_and_detections(self):
        """A short case that is found counts as much as a long case that is not."""
        short, long = Passage(0, 10, 0, 10), Passage(50, 950, 50, 950)
        self.check([([short, long], [short])], .5, 1, 1)
        wrong = Passage(0, 500, 0, 500)
        self.check([([short], [short]), ([], [wrong])], 1, .5, 1)

    def test_granularity_is_of_detected_cases(self):
        first, second = Passage(0, 100, 0, 100), Passage(200, 300, 200, 300)
        halves = [Passage(0, 50, 0, 50), Passage(50, 100, 50, 100)]
        self.check([([first, second], halves)], .5, 1, 2)

    def test_nothing(self):
        self.assertEqual(plagdet.measure([([], [])]).plagdet, 0)
        self.assertEqual(plagdet.measure([([Passage(0, 9, 0, 9)], [])]).plagdet, 0)


class Characters(Case):
    def test_offsets(self):
        self.write("plain", b"abc")
        self.write("other", "äbç".encode())
        characters = plagdet.Characters(Path(self.folder))
        self.assertEqual([characters.at("plain", i) for i in range(4)], [0, 1, 2, 3])
        self.assertEqual([characters.at("other", i) for i in (0, 2, 3, 5)], [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
