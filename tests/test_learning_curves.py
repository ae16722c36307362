# SPDX-License-Identifier: BSD-3-Clause
"""Learning curves, and the power of a comparison."""

import numpy as np
import pytest
from made_up import comparison
from scipy import stats
from sklearn.model_selection import StratifiedKFold

import ramify
import ramify.report
from ramify.comparison import Protocol, statistics
from ramify.comparison.pictures import draw
from ramify.comparison.repeat import python_of
from ramify.comparison.rows import Rows

SETS = ["iris", "wine"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cells") / "cells.sqlite"
    made = ramify.compare(["gini", "ihd"], SETS, cv=3, sizes=[0.5, 0.2], cache=cache)
    return made, cache


def test_samples_are_nested_keep_the_shares_of_classes_and_are_of_training_rows():
    rows = Rows(ramify.datasets.load("imbalanced_classes"), Protocol(3), 0)
    y = rows.dataset.y
    train, _ = rows.folds[0][1]
    before = set()
    for size in (5, 0.1, 0.4, 0.9):
        part = rows._part_of(train, 0, 1, size)
        n = size if isinstance(size, int) else round(size * len(train))
        assert len(part) == len(set(part)) == n
        assert before <= set(part) <= set(train)
        before = set(part)
        assert set(y[part]) == {0, 1, 2}
        shares = np.bincount(y[part]) / n
        assert abs(shares - np.bincount(y[train]) / len(train)).max() <= 3 / n


def test_curves_are_the_scores_of_models_fitted_on_the_samples(found):
    result, _ = found
    assert result.sizes == (0.2, 0.5, 1.0)
    curves = result.learning_curves()
    np.testing.assert_array_equal(curves[:, :, 2], result.means("accuracy"))
    data = ramify.datasets.load("wine")
    rows = Rows(data, Protocol(3), 0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(data.X, data.y)
    scores = []
    for fold, (train, test) in enumerate(folds):
        part = rows._part_of(train, 0, fold, 0.2)
        tree = ramify.DecisionTreeClassifier("ihd", random_state=0)
        tree.fit(data.X[part], data.y[part])
        scores.append(tree.score(data.X[test], data.y[test]))
    assert curves[1, 1, 0] == pytest.approx(np.mean(scores))


def test_the_ranking_is_that_without_sizes(found):
    result, _ = found
    plain = ramify.compare(["gini", "ihd"], SETS, cv=3, metrics=["accuracy"])
    assert len(result.records) == len(plain.records)
    np.testing.assert_array_equal(result.ranks, plain.ranks)
    assert {one.size for one in result.curve_records} == {0.2, 0.5}
    assert all(one.size is None for one in result.records)


def test_curves_come_from_the_cache(found):
    result, cache = found
    again = ramify.compare(["gini", "ihd"], SETS, cv=3, sizes=[0.2, 0.5], cache=cache)
    assert again.n_cached == len(result.records) + len(result.curve_records)
    np.testing.assert_array_equal(again.learning_curves(), result.learning_curves())


def test_curves_are_shown_everywhere(found):
    result, _ = found
    assert "20 %" in result.to_latex("sizes").replace("\\", "")
    assert result.to_text(what="sizes") in str(result)
    frame = result.to_frame("sizes", "leaves")
    assert len(frame) == 2 * 2 * 3
    assert result.only(["ihd"]).learning_curves().shape == (2, 1, 3)
    assert "sizes=[0.2, 0.5, 1.0]" in python_of(result)
    page = ramify.report.build(result)
    assert "Learning curves in numbers" in page
    assert "learning_curves" in [picture.name for picture in draw(result)]
    for at, name in enumerate(result.names):
        means = result.learning_curves()[:, at].mean(axis=0)
        line = next(x for x in result.to_text(what="sizes").split("\n") if name in x)
        assert line.split() == [name, *(f"{100 * mean:.2f}" for mean in means)]


def test_numbers_of_rows_that_a_data_set_lacks_are_left_out():
    result = ramify.compare(["gini"], ["iris", "xor"], cv=2, sizes=[10, 100])
    curves = result.learning_curves()[:, 0]
    assert np.isnan(curves[0, 1])  # half of 150 rows are 75
    assert not np.isnan(curves[[0, 1, 1], [0, 0, 1]]).any()
    assert "1 of 2 data sets, which have every size" in result.to_latex("sizes")


@pytest.mark.parametrize("sizes", [[], [0.0], [1.5], [1], [0.5, 100], ["10%"], [True]])
def test_sizes_that_are_none(sizes):
    with pytest.raises(ValueError, match="are not understood"):
        ramify.compare(["gini"], ["iris"], sizes=sizes)


def test_there_are_no_curves_without_sizes():
    result = ramify.compare(["gini", "ihd"], SETS, cv=2)
    with pytest.raises(ValueError, match=r"use compare\(\.\.\., sizes="):
        result.to_frame("sizes")
    assert "learning_curves" not in [picture.name for picture in draw(result)]


# --- power --------------------------------------------------------------------------


def test_the_power_of_a_comparison_is_what_its_test_finds():
    """NumPy twin: shift the differences by what is said, test, and count."""
    rng = np.random.default_rng(3)
    scores = 0.8 + rng.normal(0, 0.02, size=(10, 2))
    power = comparison(scores, ["a", "b"], baseline="a").power
    spread = (scores[:, 1] - scores[:, 0]).std(ddof=1)
    assert power.spread == pytest.approx(spread)
    draws = rng.normal(power.difference, spread, size=(2000, 10))
    share = (stats.wilcoxon(draws, axis=1, method="exact").pvalue < 0.05).mean()
    assert share == pytest.approx(0.8, abs=0.05)
    few = statistics.wilcoxon_power(0.01 / spread, power.n_needed)
    assert few == pytest.approx(0.8, abs=0.06)
    assert power.words.startswith("Power: with 10 data sets a difference of ")
    points = f"{100 * power.difference:.1f} points to a is found in 80 % of cases"
    assert points in power.words
    assert f"1 point would need about {power.n_needed} data sets" in power.words


def test_the_power_is_part_of_the_verdict():
    scores = 0.8 + np.random.default_rng(3).normal(0, 0.02, size=(10, 3))
    made = comparison(scores, ["a", "b", "c"])
    assert made.power.words in made.verdict.details
    assert "Holm's correction for 2 methods" in made.power.words
    assert "80 % of cases" in ramify.report.build(made)


def test_few_data_sets_have_no_power():
    scores = 0.8 + np.random.default_rng(3).normal(0, 0.02, size=(5, 2))
    power = comparison(scores, ["a", "b"]).power
    assert power.difference == np.inf
    assert "no difference can be found" in power.words
    assert "needs at least 6 data sets" in power.words
    assert statistics.wilcoxon_power(50, 6) == 1
    assert comparison(np.full((5, 2), 0.5), ["a", "b"]).power is None


def test_the_power_of_the_folds_of_one_data_set():
    result = ramify.compare(["gini", "ihd"], ["waveform"], cv=5)
    values = result.values("accuracy")[0]
    spread = (values[1] - values[0]).std(ddof=1)
    effect = statistics.detectable_by_t_test(5, 1 / 5)
    assert result.power.difference == pytest.approx(effect * spread)
    assert "with these 5 folds" in result.verdict.details
