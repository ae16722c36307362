# SPDX-License-Identifier: BSD-3-Clause
"""Conditional inference trees choose the column by a permutation test, and stop."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from oracle_by_test import ctree_choice, ctree_test
from oracle_columns import (
    Node,
    Rules,
    by_criterion,
    slow_apply,
    visits,
)
from sklearn.datasets import load_breast_cancer
from strategies import Mixed, random_mixed
from test_quest import E7

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor

E6 = Mixed(
    np.repeat([0.0, 1, 2, 3], [5, 4, 4, 2])[:, None],
    np.array([0] * 4 + [1] + [0] + [1] * 3 + [0] * 2 + [1] * 2 + [1] * 2),
    np.ones(15),
    (True,),
)


def fit(data: Mixed, alpha: float | None = None, **params):
    columns = np.flatnonzero(data.is_categorical).tolist()
    options = None if alpha is None else {"alpha": alpha}
    model = DecisionTreeClassifier(
        splitter="ctree",
        splitter_params=options,
        categorical_features=columns,
        **params,
    )
    return model.fit(data.X, data.y, sample_weight=data.weight)


def column_of(data: Mixed, column: int) -> Mixed:
    return data._replace(
        X=data.X[:, [column]], is_categorical=(data.is_categorical[column],)
    )


# --- Numbers worked out by hand -------------------------------------------------------

E7_TESTS = [
    (5.27411576, 0.02164478),
    (0.32661290, 0.56766037),
    (3.40898058, 0.06484249),
]


@pytest.mark.parametrize("column", range(3))
def test_the_tests_of_the_worked_example(column):
    statistic, p = E7_TESTS[column]
    test = ctree_test(
        *(E7.X[:, column], E7.y, E7.weight), categories=False, numbers=False
    )
    assert test.statistic == pytest.approx(statistic, rel=1e-7)
    assert test.degrees == 1
    assert test.p == pytest.approx(p, rel=1e-6)
    tree = fit(column_of(E7, column), alpha=1.0, max_depth=1).tree_
    assert tree.gain[0] == pytest.approx(-math.log10(p), rel=1e-6)


def test_the_worked_example_is_a_leaf_unless_the_level_is_raised():
    assert fit(E7).tree_.node_count == 1
    tree = fit(E7, alpha=0.1).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 3.0)
    assert tree.gain[0] == pytest.approx(-math.log10(0.06353899), rel=1e-6)
    assert tree.node_count == 3


def test_the_test_of_four_categories():
    test = ctree_test(E6.X[:, 0], E6.y, E6.weight, categories=True, numbers=False)
    assert test.statistic == pytest.approx(4.4375, rel=1e-9)
    assert test.degrees == 3
    assert test.p == pytest.approx(0.21793336, rel=1e-7)
    assert fit(E6).tree_.node_count == 1
    tree = fit(E6, alpha=0.3, max_depth=1).tree_
    assert tree.gain[0] == pytest.approx(-math.log10(0.21793336), rel=1e-6)


# --- Against the oracle ---------------------------------------------------------------

KINDS = {
    "numbers": {"kinds": "nnn"},
    "numbers, three classes": {"kinds": "nnn", "n_classes": 3},
    "categories": {"kinds": "ccc", "levels": 5},
    "mixed": {"kinds": "cncn", "levels": 4, "n_classes": 3},
    "missing": {"kinds": "ncnc", "levels": 4, "missing": 0.15, "n_classes": 3},
    "whole weights": {"kinds": "ncn", "weights": "integer"},
    "real weights": {"kinds": "ncn", "weights": "real", "n_classes": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_node_has_the_column_and_the_cut_of_the_oracle(kind):
    n_split = n_leaves = 0
    for seed, n_rows in enumerate((40, 120, 300)):
        data = random_mixed(seed, n_rows=n_rows, **KINDS[kind])
        tree = fit(data).tree_
        for number, _, node, branch in visits(tree, data):
            chosen = ctree_choice(node)
            if branch is None:
                n_leaves += 1
                assert chosen is None or len(np.unique(node.y)) == 1
                continue
            n_split += 1
            assert chosen is not None
            assert tree.feature[number] == chosen[0]
            assert tree.gain[number] == pytest.approx(
                -math.log10(chosen[1]), rel=1e-6, abs=1e-9
            )
            alone = node._replace(
                X=node.X[:, [chosen[0]]],
                is_categorical=(data.is_categorical[chosen[0]],),
            )
            assert_cut_is_best(alone, branch)
    assert n_split >= 3
    assert n_leaves >= 3


def assert_cut_is_best(node: Node, branch: np.ndarray) -> None:
    """Fail unless the chi-square of a parting is the highest of its column."""
    judge = by_criterion("chi2", Rules())
    best = max(candidates.score.max() for candidates in judge(node).values())
    sides = np.eye(2)[branch].T @ (
        node.weight[:, None] * np.eye(node.n_classes)[node.y]
    )
    from twins import TWINS

    own = TWINS["chi2"](sides.sum(0), sides[:1], sides[1:])[0]
    assert own == pytest.approx(best, rel=1e-9)


def test_noise_is_a_single_leaf():
    n_single = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
        tree = ramify.methods.make("ctree").fit(X, y).tree_
        n_single += tree.node_count == 1
        assert DecisionTreeClassifier().fit(X, y).get_n_leaves() > 1
    assert n_single >= 36


def test_signal_is_found_and_needs_no_pruning():
    X, y = load_breast_cancer(return_X_y=True)
    model = ramify.methods.make("ctree").fit(X, y)
    assert 4 <= model.get_n_leaves() <= 20
    assert model.score(X, y) > 0.92
    assert (model.tree_.n_node_samples >= 7).all()


def test_numbers_are_tested_by_their_correlation_and_by_means():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=90), rng.integers(0, 4, 90)])
    X[rng.random(90) < 0.1, 0] = np.nan
    for column, categorical in ((0, False), (1, True)):
        x = X[:, [column]]
        y = np.nan_to_num(x[:, 0]) * 0.4 + rng.normal(size=90)
        for weight in (np.ones(90), rng.integers(1, 4, 90) * 1.0, rng.random(90) + 0.1):
            test = ctree_test(x[:, 0], y, weight, categories=categorical, numbers=True)
            model = DecisionTreeRegressor(
                splitter="ctree",
                splitter_params={"alpha": 1.0},
                categorical_features=[0] if categorical else None,
                max_depth=1,
            )
            tree = model.fit(x, y, sample_weight=weight).tree_
            assert tree.gain[0] == pytest.approx(-math.log10(test.p), rel=1e-6)
            best = DecisionTreeRegressor(
                categorical_features=[0] if categorical else None, max_depth=1
            ).fit(x, y, sample_weight=weight)
            np.testing.assert_array_equal(model.apply(x), best.apply(x))


def test_numbers_of_noise_are_a_single_leaf():
    rng = np.random.default_rng(1)
    n_single = 0
    for _ in range(20):
        X, y = rng.normal(size=(100, 4)), rng.normal(size=100)
        model = DecisionTreeRegressor(splitter="ctree").fit(X, y)
        n_single += model.tree_.node_count == 1
    assert n_single >= 16
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    model = DecisionTreeRegressor(splitter="ctree").fit(X, y + 2 * X[:, 2])
    assert model.tree_.feature[0] == 2
    assert model.score(X, y + 2 * X[:, 2]) > 0.6


def test_the_next_column_is_cut_where_the_first_has_no_admissible_cut():
    # The surest column parts one row from the others.
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = np.column_stack([np.zeros(80), y * 0.9 + rng.normal(size=80)])
    X[:3, 0] = 1
    y[:3] = 1
    loose = DecisionTreeClassifier(splitter="ctree", splitter_params={"alpha": 0.5})
    strict = DecisionTreeClassifier(
        splitter="ctree", splitter_params={"alpha": 0.5}, min_samples_leaf=10
    )
    strict.fit(X, y)
    assert (strict.tree_.n_node_samples >= 10).all()
    assert set(strict.tree_.feature[strict.tree_.feature >= 0]) == {1}
    assert loose.fit(X, y).tree_.n_leaves >= strict.tree_.n_leaves


def test_row_order_and_threads_change_nothing():
    data = random_mixed(8, n_rows=300, kinds="ncn", n_classes=3, missing=0.1)
    order = np.random.default_rng(0).permutation(300)
    shuffled = Mixed(*(part[order] for part in data[:3]), data.is_categorical)
    one, two, three = fit(data), fit(shuffled), fit(data, n_jobs=2)
    assert one.get_n_leaves() > 1
    for other in (two, three):
        np.testing.assert_array_equal(one.apply(data.X), other.apply(data.X))


def test_whole_weights_are_rows_seen_more_often():
    data = random_mixed(3, n_rows=80, kinds="ncn", weights="integer")
    rows = np.repeat(np.arange(80), data.weight.astype(int))
    repeated = Mixed(
        data.X[rows], data.y[rows], np.ones(len(rows)), data.is_categorical
    )
    one, other = fit(data).tree_, fit(repeated).tree_
    assert one.node_count > 1
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-7)


def test_scaling_weights_that_are_not_whole_changes_nothing():
    data = random_mixed(4, n_rows=120, kinds="ncn", weights="real")
    half = data._replace(weight=data.weight * 0.37)
    one, other = fit(data).tree_, fit(half).tree_
    assert one.node_count > 1
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-6)


def test_predictions_follow_the_arrays_of_the_tree():
    data = random_mixed(6, n_rows=400, kinds="ncn", n_classes=3, missing=0.1)
    model = fit(data)
    assert model.get_n_leaves() > 3
    fresh = random_mixed(7, n_rows=100, kinds="ncn", levels=9, missing=0.3).X
    np.testing.assert_array_equal(model.apply(fresh), slow_apply(model.tree_, fresh))


def test_p_may_be_smaller_than_any_number():
    rng = np.random.default_rng(0)
    y = np.arange(5000) % 2
    X = np.column_stack([3 * y, 10 * y]) + rng.normal(size=(5000, 2))
    tree = DecisionTreeClassifier(splitter="ctree", max_depth=1).fit(X, y).tree_
    assert tree.feature[0] == 1
    assert tree.gain[0] > 300


def test_columns_far_from_zero_are_tested_alike():
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    y = (x + rng.normal(size=200) > 0).astype(int)
    near = DecisionTreeClassifier(splitter="ctree", max_depth=1).fit(x[:, None], y)
    far = DecisionTreeClassifier(splitter="ctree", max_depth=1)
    far.fit(x[:, None] + 1e6, y)
    assert far.tree_.gain[0] == pytest.approx(near.tree_.gain[0], rel=1e-6)


def test_leaves_are_those_of_partykit():
    golden = json.loads((Path(__file__).parent / "golden" / "ctree.json").read_text())
    X = np.array([[float(digit) for digit in row] for row in golden["rows"].split()])
    y = np.array(list(golden["y"]))
    model = ramify.methods.make("ctree").fit(X, y)
    pairs = set(zip(model.apply(X).tolist(), golden["leaves"], strict=True))
    assert len(pairs) == model.get_n_leaves() == len(set(golden["leaves"]))
    loose = ramify.methods.make("ctree", splitter_params={"minprob": 0.0}).fit(X, y)
    assert loose.get_n_leaves() != model.get_n_leaves()


@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("minprob", [0.0, 0.05, 0.2])
def test_each_child_has_its_share_of_the_node(minprob, categorical):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 12, 500) * 1.0
    y = (x < 1) | (rng.random(500) < 0.1 + 0.02 * x)
    n_small = 0
    for weight in (np.ones(500), rng.integers(1, 4, 500) * 1.0, rng.random(500) / 500):
        for kind, target in (
            (DecisionTreeClassifier, y.astype(int)),
            (DecisionTreeRegressor, y + 0.1 * x),
        ):
            model = kind(
                splitter="ctree",
                splitter_params={"minprob": minprob, "alpha": 0.5, "tol": 0.0},
                categorical_features=[0] if categorical else None,
            )
            tree = model.fit(x[:, None], target, sample_weight=weight).tree_
            assert tree.node_count > 1
            of_node = tree.weighted_n_node_samples
            share = of_node[1:] / of_node[tree.parents()[1:]]
            assert (share >= minprob - 1e-12).all()
            n_small += int((share < 0.2).sum())
    assert (n_small == 0) == (minprob == 0.2)


def test_only_so_many_columns_are_tried():
    # The surest two columns part three rows from the others.
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = np.column_stack([np.zeros(80), np.zeros(80), y * 0.9 + rng.normal(size=80)])
    X[:3, 0] = 1
    X[:4, 1] = 1
    y[:4] = 1
    order = np.argsort(
        [ctree_test(x, y, np.ones(80), categories=False, numbers=False).p for x in X.T]
    )
    first_admissible = int(np.flatnonzero(order == 2)[0]) + 1
    for splittry in (1, 2, 3):
        model = DecisionTreeClassifier(
            splitter="ctree",
            splitter_params={"alpha": 0.5, "splittry": splittry},
            min_samples_leaf=10,
        )
        has_split = model.fit(X, y).tree_.node_count > 1
        assert has_split == (splittry >= first_admissible)


@pytest.mark.parametrize("numbers", [False, True])
def test_columns_that_hardly_vary_are_not_tested(numbers):
    rng = np.random.default_rng(5)
    x = rng.normal(size=100)
    y = x + rng.normal(size=100) if numbers else (x > 0).astype(int)
    model = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    spread = np.var(y) if numbers else np.mean(y) * (1 - np.mean(y))
    seen = set()
    for scale in 10.0 ** np.arange(-7, 1):
        # Hothorn, Hornik, Zeileis 2006: the variance of sum x h under permutations.
        variance = 100 / 99 * spread * ((x - x.mean()) ** 2).sum() * scale**2
        tree = model(splitter="ctree", max_depth=1).fit(scale * x[:, None], y).tree_
        is_tested = variance >= np.sqrt(np.finfo(float).eps)
        assert (tree.node_count > 1) == is_tested
        seen.add(bool(is_tested))
        free = model(splitter="ctree", splitter_params={"tol": 0.0}, max_depth=1)
        assert free.fit(scale * x[:, None], y).tree_.node_count > 1
    assert seen == {False, True}


def test_columns_that_hardly_vary_do_not_count_among_the_tests():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 3)) * [1, 1e-9, 1e-9]
    y = (X[:, 0] + 2 * rng.normal(size=60) > 0).astype(int)
    options = {"splitter": "ctree", "splitter_params": {"alpha": 1.0}, "max_depth": 1}
    alone = DecisionTreeClassifier(**options).fit(X[:, :1], y).tree_
    among = DecisionTreeClassifier(**options).fit(X, y).tree_
    assert among.feature[0] == 0
    assert among.gain[0] == alone.gain[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("minprob", -0.1),
        ("minprob", 2),
        ("splittry", 0),
        ("splittry", 1.5),
        ("tol", -1),
    ],
)
def test_wrong_rules_are_named(name, value):
    model = DecisionTreeClassifier(splitter="ctree", splitter_params={name: value})
    with pytest.raises(ValueError, match=f"splitter_params has {name}={value}"):
        model.fit(E7.X, E7.y)


@pytest.mark.parametrize("alpha", [-0.1, 1.5, "small", np.nan])
def test_a_wrong_level_is_named(alpha):
    with pytest.raises((ValueError, TypeError), match="alpha"):
        fit(E7, alpha=alpha)


def test_what_does_not_fit_is_refused():
    X, y = E7.X, E7.y
    with pytest.raises(ValueError, match="one output"):
        DecisionTreeClassifier(splitter="ctree").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="squared_error"):
        DecisionTreeRegressor("absolute_error", splitter="ctree").fit(X, y)
    with pytest.raises(ValueError, match="one output"):
        DecisionTreeRegressor(splitter="ctree").fit(X, np.column_stack([y, y]))


# --- The contract with scikit-learn ---------------------------------------------------


@each_of(
    [DecisionTreeClassifier(splitter="ctree"), DecisionTreeRegressor(splitter="ctree")],
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
