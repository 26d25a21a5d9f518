"""The claims of S1, with small settings for experiments that take time."""

import statistics

import pytest

from twinset import _core
from twinset.lab import s1
from twinset.lab.corpus import WORDS, permutations
from twinset.lab.engine import options


def test_nadal_and_nadia():
    pair = dict(zip(_core.PAIR_FIELDS, _core.compare("Nadal", "Nadia", options(k=2))))
    assert (pair["shared"], pair["union"]) == (2, 6)


def test_documents_are_orders_of_the_same_words():
    texts = permutations(30, 7)
    assert len(WORDS) == 50
    assert len(set(texts)) == 30
    assert all(sorted(text.split()) == sorted(WORDS) for text in texts)
    assert texts == permutations(30, 7) != permutations(30, 8)


def test_similarity_falls_with_k():
    table = s1.jaccard_by_k().table
    means = dict(zip(table.column("k"), table.column("jaccard")))
    assert means[1] == 1
    assert means[6] > 0.2 > means[7]
    assert all(means[k] >= means[k + 1] for k in range(1, 20))


def test_similarity_is_that_of_sets_of_strings():
    a, b = permutations(2, 3)
    for k in (1, 4, 9):
        first, second = ({text[at : at + k] for at in range(len(text) - k + 1)} for text in (a, b))
        assert s1.exact(a, b, k=k, spaces="keep") == len(first & second) / len(first | second)


def test_without_spaces_less_is_shared():
    table = s1.jaccard_by_spaces(documents=10).table
    counted, without_spaces = (table.where(spaces=name).column("jaccard") for name in s1.SPACES)
    assert all(with_ > without for with_, without in zip(counted[1:12], without_spaces[1:12]))


def test_times_are_measured():
    table = s1.time_by_k(orders=2, ks=(1, 9)).table
    assert table.column("k") == [1, 9] * 3
    assert all(time > 0 for time in table.column("milliseconds"))


def test_estimate_settles():
    """With about 200 hashes, all estimates are near the exact similarity."""
    table = s1.estimate_by_hashes().table
    for scheme in s1.SCHEMES:
        rows = table.where(scheme=scheme)
        off = [abs(error) for n, error in zip(rows.column("hashes"), rows.column("error"))
               if n >= 200]
        assert max(off) < 0.12, scheme
        assert statistics.mean(off) < 0.05, scheme


def test_error_is_that_of_random_permutations():
    table = s1.error_by_hashes(trials=200, hashes=(50, 200)).table
    for row in table.rows:
        _, scheme, error, beside, ideal, _ = row
        # fss draws without replacement if a set is smaller than a signature.
        assert (0.5 if scheme == "fss" else 0.8) < error / ideal < 1.2, row
        assert (beside == 0) == (scheme == "modular"), row


def test_all_searches_find_the_same():
    """All searches find certain copies, and report no other documents."""
    texts = permutations(30, 5)
    texts += [text + " there" for text in texts[:3]]
    searches = s1.searches_of(k=7, threshold=0.64, hashes=100, seed=5)
    scan = searches.pop("twinset scan")(texts)
    pairs = {tuple(int(name) for name in scan.pair(at)[:2]) for at in range(len(scan))}
    assert pairs == {(0, 30), (1, 31), (2, 32)}
    for name, search in searches.items():
        assert search(texts) == pairs, name


def test_lsh_is_timed():
    result = s1.lsh_against_brute_force(sizes=(2, 4))
    assert len(result.table.rows) == 8
    assert len(result.notes) == 3


@pytest.mark.parametrize("times, brute, expected", [
    ([1, 1, 1], [2, 4, 8], 10),       # from the first
    ([4, 4, 4], [1, 4, 16], 20),      # where they are equal
    ([4, 8, 16], [1, 2, 4], None),    # never
    ([2, 2, 2], [1, 4, 16], 15),      # 10 * 2^(1/2), rounded up
    ([1, 9, 1], [2, 8, 16], 21),      # the last crossing counts
])
def test_crossing(times, brute, expected):
    assert s1.crossing([10, 20, 40], times, brute) == expected


def test_candidates():
    table = s1.candidates_by_k().table
    assert table.column("threshold") == sorted([0, 0.2, 0.42, 0.64, 0.8, 1] * 15)
    for row in table.rows:
        threshold, k, candidates, copies, wrong, missed, _ = row
        assert candidates - wrong == copies - missed, row
        assert 0 <= candidates <= 190, row
        if k == 1 or threshold == 0:
            assert copies == 190, row
        if k == 1:
            assert (candidates, wrong, missed) == (190, 0, 0), row


def test_own_rule_misses_fewer():
    """The rule misses fewer, except at a threshold of 0, where no bands have a guarantee."""
    table = s1.candidates_by_k().table
    own, theirs = (sum(count for count, threshold in zip(table.column(name),
                                                         table.column("threshold")) if threshold)
                   for name in ("missed_by_own_rule", "false_negatives"))
    assert own == 0 < theirs


def test_best_bands():
    table = s1.best_bands().table
    assert [row[:3] for row in table.rows] == [
        (100, 0.5, 20), (200, 0.8, 20), (500, 0.64, 50), (1000, 0.9, 25)]
