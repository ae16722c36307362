# SPDX-License-Identifier: BSD-3-Clause
"""Rotation forests: columns turned in groups, tests that are sums of few columns."""

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from oracle_oblique import columns_of, hyperplanes, slow_apply
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from strategies import random_mixed, random_table

import ramify
from ramify import (
    DecisionTreeClassifier,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)
from ramify.estimators.tree.rotation import draw_rotation


def draw(X, y, seed=0, *, group_size=3, share=0.75, is_number=None, weight=None):
    n_columns = X.shape[1]
    return draw_rotation(
        *(X, y.astype(np.uint32)),
        np.ones(n_columns, dtype=bool) if is_number is None else is_number,
        weight,
        np.random.default_rng(seed),
        group_size=group_size,
        share=share,
        scale=np.ones(n_columns),
    )


@pytest.mark.parametrize("group_size", [1, 2, 3, 5, 20])
def test_a_rotation_turns_and_does_no_more(group_size):
    X, y = load_wine(return_X_y=True)
    rotation = draw(X, y, group_size=group_size)
    R = rotation.matrix()
    np.testing.assert_allclose(R.T @ R, np.eye(13), atol=1e-12)
    assert sorted(np.concatenate(rotation.groups)) == list(range(13))
    sizes = sorted(map(len, rotation.groups), reverse=True)
    assert all(size == group_size for size in sizes[:-1])
    np.testing.assert_allclose(rotation.turned(X), X @ R, rtol=1e-10, atol=1e-9)
    assert all((np.abs(R[:, j]) > 1e-12).sum() <= group_size for j in range(13))


def test_new_columns_are_main_axes_of_the_rows_drawn():
    # One class and all of its rows: what is drawn is known but for the bootstrap.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3)) @ np.array([[3, 1, 0], [0, 1, 0.2], [0, 0, 0.1]])
    rotation = draw(X, np.zeros(4000), share=1.0)
    axes = np.linalg.eigh(np.cov(X.T))[1][:, ::-1]
    (turn,) = rotation.weights
    assert np.abs(turn.T @ axes).diagonal().min() > 0.99
    assert all(axis[np.abs(axis) > 1e-12][0] > 0 for axis in turn.T)


def test_categories_are_not_turned():
    data = random_mixed(0, n_rows=80, kinds="ncnn", missing=0.1)
    is_number = ~np.array(data.is_categorical)
    rotation = draw(data.X, data.y, is_number=is_number)
    assert sorted(np.concatenate(rotation.groups)) == [0, 2, 3]
    turned = rotation.turned(data.X)
    np.testing.assert_array_equal(turned[:, 1], data.X[:, 1])
    assert not np.isnan(turned[:, [0, 2, 3]]).any()


def test_few_rows_are_turned_by_all():
    X = np.random.default_rng(0).normal(size=(6, 5))
    y = np.arange(6) % 3  # two rows per class
    rotation = draw(X, y, group_size=5, share=0.5)
    R = rotation.matrix()
    np.testing.assert_allclose(R.T @ R, np.eye(5), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_turned_tree_is_an_ordinary_oblique_tree(n_classes, missing):
    data = random_mixed(
        n_classes, n_rows=200, kinds="nncnnn", n_classes=n_classes, missing=missing
    )
    model = ObliqueTreeClassifier(
        "rotation", categorical_features=[2], random_state=1, min_samples_leaf=2
    ).fit(data.X, data.y, sample_weight=data.weight)
    tree = model.tree_
    assert len(hyperplanes(tree)) > 3
    for node in hyperplanes(tree):
        assert 1 <= len(columns_of(tree, node)) <= 3
        assert tree.terms(node).share.sum() == pytest.approx(1)
    leaves = model.apply(data.X)
    np.testing.assert_array_equal(leaves, slow_apply(tree, data.X))
    # Prediction parts the rows just as growing did.
    is_leaf = tree.children_left < 0
    counts = np.bincount(leaves, minlength=tree.node_count)
    np.testing.assert_array_equal(counts[is_leaf], tree.n_node_samples[is_leaf])


def test_groups_of_one_are_the_forest_without_rotation():
    data = random_mixed(3, n_rows=150, kinds="nncn", n_classes=3, missing=0.1)
    turned = ramify.methods.make(
        "rotation_forest",
        n_estimators=4,
        method_params={"group_size": 1},
        categorical_features=[2],
        random_state=0,
    ).fit(data.X, data.y)
    plain = DecisionTreeClassifier(
        "entropy", zero_gain="stop", categorical_features=[2]
    ).fit(data.X, data.y)
    for model in turned.estimators_:
        np.testing.assert_array_equal(model.tree_.feature, plain.tree_.feature)
        np.testing.assert_array_equal(model.tree_.threshold, plain.tree_.threshold)
        np.testing.assert_array_equal(model.tree_.value, plain.tree_.value)


def forest(**params):
    return ramify.methods.make(
        "rotation_forest", **{"n_estimators": 12, "random_state": 0, **params}
    )


@pytest.mark.parametrize("large", [1e160, 1e300, 1.7e308])
def test_numbers_whose_squares_overflow_are_turned_too(large):
    X, y = load_wine(return_X_y=True)
    far = X[:, :6] * (large / np.abs(X[:, :6]).max())
    for scale in (1.0, np.array([1, -1, 1, -1, 1, 1])):
        model = forest().fit(far * scale, y)
        assert model.score(far * scale, y) > 0.95


@pytest.mark.parametrize("scale", [1.79e308, 1e200, 1e-200, 1e-308])
def test_numbers_of_any_size_have_importances_and_can_be_saved(scale, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    X *= scale / np.abs(X).max()
    y = X[:, 0] / 2 + X[:, 1] / 2 > 0
    model = ramify.ObliqueTreeClassifier("rotation", random_state=0).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    model.save(tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    np.testing.assert_array_equal(loaded.predict(X), y)


def test_threads_and_row_order_change_nothing():
    X, y = load_wine(return_X_y=True)
    one, two = forest(n_jobs=1).fit(X, y), forest(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = forest().fit(X[order], y[order])
    np.testing.assert_array_equal(one.predict_proba(X), shuffled.predict_proba(X))


def test_trees_differ_and_vote_better_than_one():
    X, y = load_wine(return_X_y=True)
    model = forest().fit(X, y)
    assert len({m.tree_.threshold[0] for m in model.estimators_}) > 6
    alone = cross_val_score(ramify.methods.make("cart"), X, y, cv=5).mean()
    assert cross_val_score(forest(n_estimators=30), X, y, cv=5).mean() > alone + 0.03


def test_a_saved_forest_loads_and_predicts_the_same(tmp_path):
    data = random_mixed(5, n_rows=120, kinds="nncnn", n_classes=3, missing=0.1)
    model = forest(categorical_features=[2]).fit(data.X, data.y)
    model.save(tmp_path / "forest")
    loaded = ramify.load(tmp_path / "forest")
    np.testing.assert_array_equal(
        model.predict_proba(data.X), loaded.predict_proba(data.X)
    )
    assert isinstance(loaded, RandomForestClassifier)
    assert loaded.estimators_[0].method == "rotation"


def test_a_tree_of_the_forest_can_be_grown_again():
    X, y = load_iris(return_X_y=True)
    model = forest(n_estimators=3).fit(X, y)
    for member in model.estimators_:
        again = ObliqueTreeClassifier(**member.get_params()).fit(X, y)
        np.testing.assert_array_equal(again.tree_.term_weight, member.tree_.term_weight)


def test_weights_and_other_sizes_of_groups():
    data = random_table(1, n_rows=100, n_columns=7, n_classes=3, weights="real")
    for group_size in (2, 7):
        model = ObliqueTreeClassifier(
            "rotation",
            method_params={"group_size": group_size, "share": 0.3},
            scale=None,
            random_state=0,
        ).fit(data.X, data.y, sample_weight=data.weight)
        sizes = [len(columns_of(model.tree_, n)) for n in hyperplanes(model.tree_)]
        assert max(sizes) == group_size
        assert model.score(data.X, data.y) > 0.95


def test_scaled_columns_are_turned_by_their_share_of_the_range():
    X, y = load_wine(return_X_y=True)
    wide = X * np.where(np.arange(13) == 3, 1024.0, 1.0)
    for scale in ("global", None):
        one, two = (
            ObliqueTreeClassifier("rotation", scale=scale, random_state=0).fit(Z, y)
            for Z in (X, wide)
        )
        same = np.array_equal(one.apply(X), two.apply(wide))
        assert same == (scale == "global")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method_params": {"group_size": 0}}, "group_size=0"),
        ({"method_params": {"share": 0.0}}, "share=0.0"),
        ({"method_params": {"share": 1.5}}, "share=1.5"),
        ({"scale": "node"}, "scale='node'"),
        ({"max_terms": 2}, "max_terms=2"),
        ({"compare_axis": True}, "compare_axis=True"),
        ({"combine": [[0, 1]]}, "combine"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(params, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ObliqueTreeClassifier("rotation", **params).fit(X, y)


# --- The contract with scikit-learn ---------------------------------------------------


@each_of(
    [RandomForestClassifier(3, method="rotation", bootstrap=False, max_features=None)],
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
