# SPDX-License-Identifier: BSD-3-Clause
"""GUIDE chooses the column by chi-square tests of groups, the cut by the criterion."""

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from oracle_by_test import (
    by_group,
    guide_groups,
    guide_pair,
    guide_scores,
    one_degree,
    pearson,
)
from oracle_columns import Node, Rules, by_criterion, slow_apply, visits
from strategies import Mixed, random_mixed
from test_quest import E7, root_of
from twins import TWINS

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor


def fit(data: Mixed, criterion="gini", interactions=False, **params):
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = DecisionTreeClassifier(
        criterion,
        splitter="guide",
        splitter_params={"interactions": interactions},
        categorical_features=columns,
        **params,
    )
    return model.fit(data.X, data.y, sample_weight=data.weight)


def test_the_tests_of_the_worked_example():
    root = root_of(E7)
    tables = [pearson(by_group(guide_groups(root, j), root)) for j in range(3)]
    statistics = [7, 0.19444444, 4.27777778]
    np.testing.assert_allclose([t[0] for t in tables], statistics, rtol=1e-7)
    assert [t[1] for t in tables] == [2, 2, 2]
    scores = [4.63984582, 0.00499878, 2.42133900]
    np.testing.assert_allclose([one_degree(*t) for t in tables], scores, rtol=1e-6)
    np.testing.assert_allclose(guide_scores(root), scores, rtol=1e-6)
    tree = fit(E7).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 3.0)


KINDS = {
    "numbers": {"kinds": "nnn"},
    "numbers, three classes": {"kinds": "nnnn", "n_classes": 3},
    "categories": {"kinds": "ccc", "levels": 5},
    "mixed": {"kinds": "cncn", "levels": 4, "n_classes": 3},
    "missing": {"kinds": "ncnc", "levels": 4, "missing": 0.15, "n_classes": 3},
    "whole weights": {"kinds": "ncn", "weights": "integer"},
    "real weights": {"kinds": "ncn", "weights": "real", "n_classes": 3},
}


def gain_of(criterion: str, branch: np.ndarray, node: Node) -> float:
    by_class = node.weight[:, None] * np.eye(node.n_classes)[node.y]
    sides = np.eye(2)[branch].T @ by_class
    return float(TWINS[criterion](sides.sum(0), sides[:1], sides[1:])[0])


def best_gain(criterion: str, node: Node, column: int) -> float:
    alone = node._replace(
        X=node.X[:, [column]], is_categorical=(node.is_categorical[column],)
    )
    judge = by_criterion(criterion, Rules())
    return max(found.score.max(initial=-np.inf) for found in judge(alone).values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_every_node_has_the_column_and_the_cut_of_the_oracle(kind, criterion):
    n_split = 0
    for seed, n_rows in enumerate((30, 150)):
        data = random_mixed(seed, n_rows=n_rows, **KINDS[kind])
        tree = fit(data, criterion, max_depth=4).tree_
        for number, _, node, branch in visits(tree, data):
            if branch is None:
                continue
            scores = guide_scores(node)
            top = np.nanmax(scores)
            if np.sum(scores > top - 1e-6) > 1:
                continue  # tied
            n_split += 1
            column = int(np.nanargmax(scores))
            assert tree.feature[number] == column
            gain = gain_of(criterion, branch, node)
            assert tree.gain[number] == pytest.approx(gain, rel=1e-9, abs=1e-12)
            assert gain == pytest.approx(best_gain(criterion, node, column), rel=1e-9)
    assert n_split >= 8


def xor(seed: int, n_rows: int = 300) -> Mixed:
    """Return classes that two of five columns tell only together."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    y = ((X[:, 1] > 0) ^ (X[:, 3] > 0)).astype(int)
    return Mixed(X, y, np.ones(n_rows), (False,) * 5)


def test_pairs_are_found_where_no_column_is_significant():
    n_pairs = 0
    for seed in range(8):
        data = xor(seed)
        pair = guide_pair(root_of(data))
        tree = fit(data, interactions=True, max_depth=1).tree_
        if pair is None:
            assert tree.feature[0] == np.nanargmax(guide_scores(root_of(data)))
            continue
        n_pairs += 1
        assert pair == (1, 3)
        gains = [best_gain("gini", root_of(data), j) for j in pair]
        assert tree.feature[0] == pair[int(gains[1] > gains[0] + 1e-12)]
        plain = fit(data, max_depth=1).tree_
        assert plain.feature[0] == np.nanargmax(guide_scores(root_of(data)))
    assert n_pairs >= 6


@pytest.mark.parametrize("kind", ["mixed", "missing", "whole weights", "real weights"])
def test_pairs_are_those_of_the_oracle(kind):
    for seed in range(4):
        data = random_mixed(seed, n_rows=80, noise=4.0, **KINDS[kind])
        pair = guide_pair(root_of(data))
        tree = fit(data, interactions=True, max_depth=1, zero_gain="split").tree_
        if pair is None:
            scores = guide_scores(root_of(data))
            assert tree.feature[0] == np.nanargmax(scores)
        else:
            assert tree.feature[0] in pair


def test_noise_is_split_too():
    data = random_mixed(3, n_rows=100, kinds="nnn", noise=1000.0)
    model = fit(data)
    assert model.get_n_leaves() > 20
    assert model.score(data.X, data.y) > 0.9


def test_columns_of_many_values_have_no_advantage():
    # Noise of many values against a weak column of two: CART takes the noise.
    n_guide = n_cart = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 60)
        weak = np.where(rng.random(60) < 0.7, y, 1 - y)
        X = np.column_stack([rng.normal(size=(60, 6)), weak])
        n_guide += (
            ramify.methods.make("guide", max_depth=1).fit(X, y).tree_.feature[0] == 6
        )
        n_cart += (
            ramify.methods.make("cart", max_depth=1).fit(X, y).tree_.feature[0] == 6
        )
    assert n_guide >= n_cart
    assert n_guide >= 14


def test_row_order_and_threads_change_nothing():
    data = random_mixed(8, n_rows=300, kinds="ncn", n_classes=3, missing=0.1)
    order = np.random.default_rng(0).permutation(300)
    shuffled = Mixed(*(part[order] for part in data[:3]), data.is_categorical)
    for interactions in (False, True):
        one, two, three = (
            fit(data, interactions=interactions),
            fit(shuffled, interactions=interactions),
            fit(data, interactions=interactions, n_jobs=2),
        )
        for other in (two, three):
            np.testing.assert_array_equal(one.apply(data.X), other.apply(data.X))


def test_whole_weights_are_rows_seen_more_often():
    data = random_mixed(3, n_rows=80, kinds="ncn", weights="integer")
    rows = np.repeat(np.arange(80), data.weight.astype(int))
    again = Mixed(data.X[rows], data.y[rows], np.ones(len(rows)), data.is_categorical)
    for interactions in (False, True):
        one = fit(data, interactions=interactions, max_depth=4).tree_
        other = fit(again, interactions=interactions, max_depth=4).tree_
        np.testing.assert_array_equal(one.feature, other.feature)


def test_predictions_follow_the_arrays_of_the_tree():
    data = random_mixed(6, n_rows=200, kinds="ncn", n_classes=3, missing=0.1)
    for missing in ("both", "left", "fractional"):
        model = fit(data, missing=missing)
        assert model.get_n_leaves() > 5
    model = fit(data)
    fresh = random_mixed(7, n_rows=100, kinds="ncn", levels=9, missing=0.3).X
    np.testing.assert_array_equal(model.apply(fresh), slow_apply(model.tree_, fresh))


def test_a_function_cuts_the_column_too():
    data = random_mixed(2, n_rows=80, kinds="nnn")
    by_name = fit(data, "gini", max_depth=3)
    by_function = fit(data, TWINS["gini"], max_depth=3)
    np.testing.assert_array_equal(by_name.tree_.feature, by_function.tree_.feature)
    np.testing.assert_allclose(by_name.tree_.threshold, by_function.tree_.threshold)


def test_what_does_not_fit_is_refused():
    X, y = E7.X, E7.y
    with pytest.raises(ValueError, match="one output"):
        DecisionTreeClassifier(splitter="guide").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="not allowed where numbers are predicted"):
        DecisionTreeRegressor(splitter="guide").fit(X, y)
    with pytest.raises(ValueError, match="either side"):
        DecisionTreeClassifier("bnm_gini", splitter="guide").fit(X, y)
    with pytest.raises(ValueError, match="interactions"):
        fit(E7, interactions="yes")


# --- The contract with scikit-learn ---------------------------------------------------


@each_of(
    [DecisionTreeClassifier(splitter="guide")],
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
