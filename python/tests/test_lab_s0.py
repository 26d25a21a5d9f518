"""The worked examples of the thesis: bands and rows, the curve, the matrix."""

import pytest

from twinset.lab import s0


def test_walk():
    table = s0.walk().table
    assert list(zip(table.column("bands"), table.column("rows"))) == [
        (1, 225), (3, 75), (5, 45), (9, 25), (15, 15), (25, 9), (45, 5), (75, 3), (225, 1)]
    assert [round(knee, 5) for knee in table.column("knee")] == [
        1.0, 0.98546, 0.96487, 0.91586, 0.83482, 0.69932, 0.46704, 0.23713, 0.00444]


def test_choices():
    table = s0.walk().table
    (accuracy,) = table.where(chosen_by="accuracy").rows
    (speed,) = table.where(chosen_by="speed").rows
    assert accuracy[:2] == (45, 5)
    assert accuracy[2] == pytest.approx(0.46704367745113423, abs=1e-15)
    assert speed[:2] == (25, 9)
    assert speed[2] == pytest.approx(0.6993157867655625, abs=1e-15)


def test_curve():
    by_similarity = dict(s0.s_curve().table.rows)
    found = [by_similarity[tenth / 10] for tenth in range(2, 9)]
    assert [round(p, 3) for p in found[:6]] == [0.006, 0.047, 0.186, 0.470, 0.802, 0.975]
    assert round(found[6], 4) == 0.9996


def test_matrix():
    result = s0.matrix()
    assert [row[1:] for row in result.table.rows] == [
        (1, 3, 2, 0), (1, 2, 0, 1), (1, 2, 0, 1), (0, 0, 0, 0), (0, 4, 2, 1), (0, 0, 2, 1)]


@pytest.mark.parametrize("pair, exact", [("S1, S4", "3/10"), ("S1, S2", "2/9"),
                                         ("S2, S3", "1/10")])
def test_exact_similarities(pair, exact):
    assert f"J({pair}) = {exact}" in s0.matrix().notes[0]
