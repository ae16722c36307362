# SPDX-License-Identifier: BSD-3-Clause
"""Without ties the engine grows scikit-learn's tree, and its tree reads like one.

Labels are noisy, weights vary and leaves hold several rows, so no two splits score
alike; `reference` makes sure of it by growing scikit-learn's tree with the columns
visited in different orders. Weights are multiples of 2^-11, whose sums are exact:
otherwise scikit-learn finds an impurity of 2e-16 in a pure node, and splits it.
"""

import numpy as np
import pytest
from sklearn import tree as sk
from strategies import Data

from ramify import DecisionTreeClassifier

CRITERIA = ("gini", "entropy")
LIMITS = {"min_samples_leaf": 12}
WHOLE = ("feature", "n_node_samples")
REAL = ("threshold", "impurity", "weighted_n_node_samples", "value")


def table(seed: int, n_classes: int = 2, n_rows: int = 500) -> Data:
    """Return float32 columns without repeated values, and noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5)).astype(np.float32)
    assert all(len(np.unique(column)) == n_rows for column in X.T)
    signal = X.astype(float) @ rng.normal(size=(5, n_classes))
    y = (signal + rng.gumbel(size=(n_rows, n_classes))).argmax(1)
    return Data(X, y, rng.integers(2**10, 2**12, n_rows) / 2**11)


def reference(data: Data, **params: object) -> sk.DecisionTreeClassifier:
    """Return scikit-learn's tree, after checking that no tie was broken by chance."""
    models = [
        sk.DecisionTreeClassifier(random_state=seed, **params).fit(
            data.X, data.y, sample_weight=data.weight
        )
        for seed in range(3)
    ]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].tree_.feature, other.tree_.feature)
        np.testing.assert_array_equal(models[0].tree_.threshold, other.tree_.threshold)
    return models[0]


def ours(data: Data, **params: object) -> DecisionTreeClassifier:
    model = DecisionTreeClassifier(**params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def depth_first(tree: object) -> list[int]:
    """Return the nodes depth first, left child first: best-first growth numbers them
    as they come.
    """
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if tree.children_left[node] >= 0:
            pending += [tree.children_right[node], tree.children_left[node]]
    return order


def assert_same_arrays(tree: object, expected: object) -> None:
    __tracebackhide__ = True
    assert tree.node_count == expected.node_count
    assert tree.node_count > 1
    rows, expected_rows = depth_first(tree), depth_first(expected)
    for name in WHOLE:
        np.testing.assert_array_equal(
            getattr(tree, name)[rows],
            getattr(expected, name)[expected_rows],
            err_msg=name,
        )
    for name in REAL:
        np.testing.assert_allclose(
            getattr(tree, name)[rows],
            getattr(expected, name)[expected_rows],
            rtol=1e-9,
            atol=1e-12,
            err_msg=name,
        )
    for name in ("max_depth", "n_leaves", "n_features", "n_outputs"):
        assert getattr(tree, name) == getattr(expected, name), name
    np.testing.assert_array_equal(tree.n_classes, expected.n_classes)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_tree_arrays_are_the_same(criterion, n_classes, seed):
    data = table(seed, n_classes)
    params = {"criterion": criterion, **LIMITS}
    model, expected = ours(data, **params), reference(data, **params)
    assert_same_arrays(model.tree_, expected.tree_)
    for name in ("children_left", "children_right"):
        np.testing.assert_array_equal(
            getattr(model.tree_, name), getattr(expected.tree_, name)
        )
    np.testing.assert_array_equal(model.predict(data.X), expected.predict(data.X))
    np.testing.assert_array_equal(model.apply(data.X), expected.apply(data.X))
    np.testing.assert_array_equal(
        model.decision_path(data.X).toarray(), expected.decision_path(data.X).toarray()
    )
    np.testing.assert_allclose(
        model.predict_proba(data.X), expected.predict_proba(data.X), rtol=1e-9
    )
    assert model.get_depth() == expected.get_depth()
    assert model.get_n_leaves() == expected.get_n_leaves()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_full_depth_trees_of_one_column_are_the_same(criterion, n_classes):
    data = table(4, n_classes, n_rows=300)
    data = data._replace(X=data.X[:, :1])
    model, expected = (
        ours(data, criterion=criterion),
        reference(data, criterion=criterion),
    )
    assert_same_arrays(model.tree_, expected.tree_)
    assert model.tree_.n_leaves > 50


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(10, 20))
def test_every_split_reaches_the_impurity_of_scikit_learn(criterion, seed):
    """Unit weights: ties between columns are likely, their impurities are equal."""
    data = table(seed, n_classes=2 + seed % 3, n_rows=200)
    params = {"criterion": criterion, "max_depth": 1}
    stump = DecisionTreeClassifier(**params).fit(data.X, data.y).tree_
    expected = sk.DecisionTreeClassifier(**params).fit(data.X, data.y).tree_

    def after(tree: object) -> float:
        return np.average(tree.impurity[1:], weights=tree.weighted_n_node_samples[1:])

    assert stump.impurity[0] == pytest.approx(expected.impurity[0], rel=1e-12)
    assert after(stump) == pytest.approx(after(expected), rel=1e-12)
    assert stump.gain[0] == pytest.approx(stump.impurity[0] - after(stump), rel=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_full_depth_trees_are_right_on_all_training_rows(criterion):
    data = table(21, n_classes=3)
    model = ours(data, criterion=criterion)
    assert model.score(data.X, data.y) == 1.0
    assert not model.tree_.impurity[model.tree_.children_left < 0].any()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 3},
        {"min_samples_split": 80, "min_samples_leaf": 10},
        {"min_samples_split": 0.2, "min_samples_leaf": 0.05},
        {"min_weight_fraction_leaf": 0.07},
        {"max_leaf_nodes": 9, **LIMITS},
        {"max_leaf_nodes": 14, "max_depth": 5, **LIMITS},
        {"min_impurity_decrease": 0.01, **LIMITS},
        {"min_impurity_decrease": 0.003, "max_leaf_nodes": 20, **LIMITS},
        {"class_weight": "balanced", "max_depth": 4, "min_samples_leaf": 20},
        {"class_weight": {0: 1, 1: 5, 2: 0.5}, **LIMITS},
        {"ccp_alpha": 0.004, **LIMITS},
        {"ccp_alpha": 0.02, **LIMITS},
    ],
    ids=str,
)
def test_parameters_mean_the_same(criterion, limits):
    data = table(30, n_classes=3)
    params = {"criterion": criterion, **limits}
    model, expected = ours(data, **params), reference(data, **params)
    assert_same_arrays(model.tree_, expected.tree_)
    np.testing.assert_array_equal(model.predict(data.X), expected.predict(data.X))
    np.testing.assert_allclose(
        model.feature_importances_, expected.feature_importances_, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruning_path_is_the_same(criterion):
    data = table(40, n_classes=3)
    params = {"criterion": criterion, **LIMITS}
    paths = [
        cls(**params).cost_complexity_pruning_path(
            data.X, data.y, sample_weight=data.weight
        )
        for cls in (DecisionTreeClassifier, sk.DecisionTreeClassifier)
    ]
    assert len(paths[1].ccp_alphas) > 5
    for name in ("ccp_alphas", "impurities"):
        np.testing.assert_allclose(
            getattr(paths[0], name), getattr(paths[1], name), rtol=1e-8, atol=1e-12
        )


@pytest.mark.parametrize("criterion", CRITERIA)
def test_unweighted_rows_weigh_one(criterion):
    data = table(46)
    params = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 20}
    data = data._replace(weight=None)
    model, expected = ours(data, **params), reference(data, **params)
    assert_same_arrays(model.tree_, expected.tree_)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_several_outputs_are_the_same(criterion):
    first, second = table(50, n_classes=3), table(51, n_classes=2)
    data = first._replace(y=np.column_stack([first.y, second.y]))
    params = {"criterion": criterion, **LIMITS}
    model, expected = ours(data, **params), reference(data, **params)
    assert_same_arrays(model.tree_, expected.tree_)
    assert model.n_outputs_ == 2
    np.testing.assert_array_equal(model.n_classes_, expected.n_classes_)
    np.testing.assert_array_equal(model.predict(data.X), expected.predict(data.X))
    for got, due in zip(
        model.predict_proba(data.X), expected.predict_proba(data.X), strict=True
    ):
        np.testing.assert_allclose(got, due, rtol=1e-9)
    for got, due in zip(model.classes_, expected.classes_, strict=True):
        np.testing.assert_array_equal(got, due)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("constraints", [[1, -1, 0, 1, 0], [-1, 0, 0, 0, 1]], ids=str)
def test_monotonic_constraints_are_kept_and_give_the_same_predictions(
    criterion, constraints
):
    data = table(60)
    params = {"criterion": criterion, "monotonic_cst": constraints, **LIMITS}
    model, expected = ours(data, **params), reference(data, **params)
    np.testing.assert_allclose(
        model.predict_proba(data.X), expected.predict_proba(data.X), rtol=1e-9
    )
    free = ours(data, criterion=criterion, **LIMITS)
    assert (free.predict_proba(data.X) != model.predict_proba(data.X)).any()

    X = data.X[:60].astype(float)
    for column, sign in enumerate(constraints):
        if sign == 0:
            continue
        moved = np.repeat(X[:, None, :], 15, axis=1)
        moved[:, :, column] = np.linspace(-3, 3, 15)
        chance = model.predict_proba(moved.reshape(-1, 5))[:, 1].reshape(60, 15)
        assert (np.diff(chance, axis=1) * sign >= -1e-12).all()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", [{}, {"proportion": True, "impurity": False}])
def test_export_graphviz_draws_the_same_picture(criterion, options):
    data = table(70, n_classes=3)
    params = {"criterion": criterion, "max_depth": 3, **LIMITS}
    pictures = [
        sk.export_graphviz(model, filled=True, node_ids=True, **options)
        for model in (ours(data, **params), reference(data, **params))
    ]
    assert pictures[0] == pictures[1]
    assert pictures[0].count("->") >= 6


@pytest.mark.parametrize("criterion", ["hellinger", "ihd", "gain_ratio", "twoing"])
def test_export_graphviz_draws_trees_that_scikit_learn_cannot_grow(criterion):
    data = table(71, n_classes=3)
    picture = sk.export_graphviz(ours(data, criterion=criterion, max_depth=3))
    assert picture.startswith("digraph")
    assert picture.count("->") >= 6


@pytest.mark.parametrize("criterion", CRITERIA)
def test_missing_values_reach_the_impurity_of_scikit_learn(criterion):
    rng = np.random.default_rng(80)
    for seed in range(81, 89):
        data = table(seed, n_classes=3, n_rows=200)
        data.X[rng.random(data.X.shape) < 0.2] = np.nan
        params = {"criterion": criterion, "max_depth": 1}
        stump = ours(data, **params).tree_
        expected = sk.DecisionTreeClassifier(random_state=0, **params).fit(
            data.X, data.y, sample_weight=data.weight
        )
        for tree in (stump, expected.tree_):
            assert tree.node_count == 3
        after = [
            np.average(tree.impurity[1:], weights=tree.weighted_n_node_samples[1:])
            for tree in (stump, expected.tree_)
        ]
        assert after[0] == pytest.approx(after[1], rel=1e-9)
