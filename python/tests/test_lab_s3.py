"""The claims of S3."""

import math
from collections import Counter

import pytest

from twinset import _core
from twinset.lab import s3
from twinset.lab.corpus import pages
from twinset.lab.engine import options, scan


@pytest.mark.parametrize("a, b, shared, union", [("abcde", "abde", 2, 5), ("abcdab", "ab", 1, 4)])
def test_worked_examples(a, b, shared, union):
    pair = dict(zip(_core.PAIR_FIELDS, _core.compare(a, b, options(k=2))))
    assert (pair["shared"], pair["union"]) == (shared, union)


def test_probabilities():
    table = s3.probabilities(trials=2).table
    for s, p, wrong, missed, _ in table.rows:
        assert p == pytest.approx(1 - (1 - s**5) ** 20, abs=1e-12)
        assert (wrong, missed) == ((p, None) if s < 0.5493 else (None, 1 - p))


def test_measured_candidates_follow_the_curve():
    """Within four standard deviations, and a margin because sets are finite."""
    trials = 400
    for s, p, *_, measured in s3.probabilities(seed=2, trials=trials).table.rows:
        assert abs(measured - p) < 4 * math.sqrt(p * (1 - p) / trials) + 0.02, s


def test_times_are_measured():
    table = s3.time_by_documents(words=60, ks=(4, 10), counts=(20, 40)).table
    assert len(table.rows) == 8
    assert all(time > 0 for time in table.column("milliseconds"))
    table = s3.time_by_hashes(words=(100,), hashes=(50, 100)).table
    assert len(table.rows) == 4
    assert all(time > 0 for time in table.column("microseconds"))


def test_pages_have_frequent_words():
    """By Zipf's law, the first of 5,000 words is one in nine words, the second one in 18."""
    words = Counter(" ".join(pages(20, 500, 4)).split()).most_common()
    assert [count / 10000 for _, count in words[:2]] == pytest.approx([1 / 9.1, 1 / 18.2], rel=0.2)


def test_pages_have_mirrors():
    """Every tenth page is similar to the page before it, and no others are."""
    texts = pages(50, 200, 4)
    assert {len(text.split()) for text in texts} == {200}
    result = scan(texts, by="word", k=4, threshold=0.5)
    pairs = {tuple(int(name) for name in result.pair(at)[:2]) for at in range(len(result))}
    assert pairs == {(at - 1, at) for at in range(9, 50, 10)}
