"""The tables of S2 on its newsgroup posts, if the set coms535 is available."""

import itertools
import os
import pathlib

import pytest

from twinset.lab import s2
from twinset.lab.engine import jaccard

numpy = pytest.importorskip("numpy")

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("TWINSET_DATA", ROOT / "build" / "data"))

needs_data = pytest.mark.skipif(not (DATA / "coms535").is_dir(),
                                reason=f"there is no coms535 in {DATA}")


def test_terms():
    assert s2.terms("The THE there: it's Up; \"well-known\", don't (a) e.g. u.s.a.\n") == {
        "there", "its", '"well-known"', "dont", "(a)", "usa"}


def test_first_prime():
    assert [s2.first_prime(least) for least in (2, 3, 4, 13, 14, 90)] == [2, 3, 5, 13, 17, 97]


def test_missing_data_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="TWINSET_DATA"):
        s2.accuracy(data=tmp_path)


@needs_data
def test_signature_is_by_permutations():
    """A slot is the least (a x + b) mod p, with distinct a and distinct b."""
    posts = s2.posts_of(DATA, "space-1*.txt")
    p = s2.first_prime(posts.terms)
    (slots, *_), numbers = s2.matrix(posts, "S2", 50, 3), next(iter(posts.sets.values()))
    dice = s2.random.Random(3)
    factors, summands = dice.sample(range(1, p), 50), dice.sample(range(p), 50)
    assert list(slots) == [min((a * x + b) % p for x in numbers)
                           for a, b in zip(factors, summands)]
    assert len(set(factors)) == len(set(summands)) == 50


@pytest.fixture(scope="module")
def accuracy():
    return s2.accuracy(DATA, runs=1, hashes=(400,))


@needs_data
def test_accuracy_is_of_the_papers_pairs(accuracy):
    assert "Of 500,500 pairs of 1,001 posts" in accuracy.notes[0]


@needs_data
def test_estimates_err_as_often_as_chance(accuracy):
    """If a frequent term is first in a permutation, many pairs agree at once, so the errors of a
    run vary; those of four together vary less. fss draws without replacement, and errs less."""
    for row in accuracy.table.where(epsilon=0.04).rows:
        *_, fss, ideal = row
        others = row[5:-2]
        assert len(others) == 4
        assert ideal / 4 < sum(others) / 4 < 4 * ideal, row
        assert fss < ideal / 3, row


def test_ideal_is_what_chance_gives():
    """The ideal is compared with a simulation of pairs of two similarities."""
    exact = numpy.repeat([0.05, 0.3], 20000)
    off = abs(numpy.random.default_rng(1).binomial(100, exact) / 100 - exact)
    wrong = numpy.count_nonzero(off > 0.055)
    assert s2.expected(exact, 100, 0.055) == pytest.approx(wrong, rel=0.05)


@needs_data
def test_times_are_measured():
    table = s2.time(DATA, pattern="space-1?.txt", hashes=(20,)).table
    assert len(table.rows) == 5
    assert all(seconds > 0 for seconds in table.column("seconds"))


@pytest.fixture(scope="module")
def near_copies():
    return s2.bands(DATA, pattern="space-*", bands=(15, 120))


@pytest.fixture(scope="module")
def truly():
    """For every post, how many of its seven copies are truly similar."""
    sets = s2.posts_of(DATA, "space-*").sets
    return [sum(jaccard(sets[name], sets[f"{name}.copy{at}"]) >= 0.9 for at in range(1, 8))
            for name in sets if name.endswith(".txt")]


@needs_data
def test_all_true_near_copies_are_found(near_copies, truly):
    """If all 7 copies are truly similar, all 7 are found."""
    mean = sum(truly) / len(truly)
    exact = near_copies.table.where(by="twinset, exact")
    assert exact.column("found_true") == exact.column("found") == exact.column("true") == [mean]
    assert exact.column("false_negatives") == exact.column("false_positives") == [0]
    complete = sum(count == 7 for count in truly)
    assert near_copies.notes[1].startswith(f"Of {complete:,} posts, all 7 copies")
    assert complete > 990 and mean > 6.9


@needs_data
def test_the_expected_recall_is_reached(near_copies):
    lsh = near_copies.table.where(by="twinset, lsh")
    assert lsh.column("false_negative_rate")[0] <= 0.01
    assert lsh.column("false_positives") == [0]


@needs_data
def test_more_bands_find_more(near_copies):
    few, many = near_copies.table.where(by="S2").rows
    columns = near_copies.table.columns
    found, wrong = columns.index("found"), columns.index("false_positives")
    assert few[found] < many[found]
    assert few[wrong] <= many[wrong]


@needs_data
def test_engine_sees_the_same_sets():
    """Terms are numbers for the engine; its similarities are those of the sets."""
    posts = s2.posts_of(DATA, "space-1?.txt*")
    names = list(posts.sets)
    result = s2.scan(posts.texts(), names, by="word", k=1, threshold=0, method="exact",
                     max_bucket=0)
    found = {result.pair(at)[:2]: result.pair(at)[3] for at in range(len(result))}
    wanted = {tuple(sorted(pair)): jaccard(posts.sets[pair[0]], posts.sets[pair[1]])
              for pair in itertools.combinations(names, 2)}
    assert found == {pair: value for pair, value in wanted.items() if value > 0}
