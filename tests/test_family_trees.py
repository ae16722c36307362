# SPDX-License-Identifier: BSD-3-Clause
"""Trees of the criteria in families: against twins, brute force, and their laws."""

import itertools

import numpy as np
import pandas as pd
import pytest
from oracle import grow
from test_families import CASES, label, quiet, twin_of
from test_split import assert_same_tree, random_table

import ramify
from ramify import DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier
from ramify.criteria import balanced, function, get

ARRAYS = ("children_left", "children_right", "feature", "threshold")
DATA = {
    "weights": random_table(31, distinct=6, weights="tenths", n_classes=3),
    "missing": random_table(32, distinct=6, missing=0.3),
    "wide": random_table(33, n_rows=120, n_classes=4),
}
# One per way of computing, not per parameter: the rest is the same code.
FEW = [case for case in CASES if not case[1] or case[0] in ("alpha_divergence", "ks")]
# Ties are broken by Gini; a function has none unless it is given one.
TIES = {"ort"}


def fitted(criterion, data, **given):
    model = DecisionTreeClassifier(criterion, zero_gain="stop", **given)
    return model.fit(data.X, data.y, sample_weight=data.weight)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("case", FEW, ids=map(label, FEW))
def test_the_tree_is_that_of_the_twin(case, kind):
    name, params = case
    twin = twin_of(name, params)
    if name in TIES:
        twin = function(twin, tie_break=ramify.criteria.gini)
    named = fitted(quiet(name, **params), DATA[kind], max_depth=5).tree_
    own = fitted(twin, DATA[kind], max_depth=5).tree_
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(own, array), getattr(named, array))
    np.testing.assert_allclose(own.gain, named.gain, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    "name", ["tsallis", "mpi", "credal_gain", "relief_gini", "angle", "unbiased_gini"]
)
@pytest.mark.parametrize("n_classes", [2, 5, 10])
def test_the_tree_is_that_of_trying_every_cut(name, n_classes):
    data = random_table(
        n_classes, n_rows=60, distinct=8, missing=0.2, n_classes=n_classes
    )
    expected = grow(data.X, data.y, twin_of(name, {}), weight=data.weight)
    model = DecisionTreeClassifier(name)
    model.fit(data.X, data.y, sample_weight=data.weight)
    assert_same_tree(model.tree_, expected)


@pytest.mark.parametrize("case", FEW, ids=map(label, FEW))
def test_categories_are_parted_as_well_as_any_subset(case):
    name, params = case
    criterion = quiet(name, **params)
    rng = np.random.default_rng(4)
    for n_classes in (2, 4):
        codes = rng.integers(0, 6, 150)
        y = (rng.random(150) * n_classes * (0.4 + codes / 8)).astype(int) % n_classes
        table = np.array(
            [[(y[codes == c] == k).sum() for k in range(n_classes)] for c in range(6)],
            dtype=float,
        )
        subsets = [
            list(s) for k in (1, 2, 3) for s in itertools.combinations(range(6), k)
        ]
        left = np.array([table[subset].sum(0) for subset in subsets])
        parent = table.sum(0)
        best = twin_of(name, params)(parent, left, parent - left).max()
        X = pd.DataFrame({"c": pd.Categorical.from_codes(codes, list("abcdef"))})
        given = (
            {"max_exhaustive_categories": 1}
            if n_classes == 2 and (criterion.properties["is_quasi_convex"])
            else {}
        )
        model = DecisionTreeClassifier(criterion, max_depth=1, **given).fit(X, y)
        if best > 1e-12:
            assert model.tree_.gain[0] == pytest.approx(best, rel=1e-9, abs=1e-12)
        else:
            assert model.tree_.node_count == 1


@pytest.mark.parametrize("case", FEW, ids=map(label, FEW))
def test_engines_agree_and_weights_are_rows(case):
    name, params = case
    criterion = quiet(name, **params)
    rng = np.random.default_rng(8)
    X = rng.normal(size=(250, 6)).round(2)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=250) > 1).astype(int)
    y[rng.random(250) < 0.15] = 2
    times = rng.integers(1, 4, 250)
    # Drawn columns, by two engines: a tie of the seed chooses the same columns.
    given = {"max_features": 3, "random_state": 1, "max_depth": 6}
    drawn = DecisionTreeClassifier(criterion, **given).fit(X, y)
    stored = DecisionTreeClassifier(criterion, min_weight_fraction_leaf=1e-9, **given)
    stored.fit(X, y)
    for array in ARRAYS:
        one, other = (getattr(model.tree_, array) for model in (drawn, stored))
        np.testing.assert_array_equal(one, other)
    whole = DecisionTreeClassifier(criterion, max_depth=6).fit(
        X, y, sample_weight=times
    )
    rows = np.repeat(np.arange(250), times)
    repeated = DecisionTreeClassifier(criterion, max_depth=6).fit(X[rows], y[rows])
    thirds = DecisionTreeClassifier(criterion, max_depth=6).fit(
        X, y, sample_weight=times / 3
    )
    for array in ARRAYS:
        one, other = (getattr(model.tree_, array) for model in (whole, repeated))
        np.testing.assert_array_equal(one, other)
        if not criterion.properties["counts"] and name not in TIES:
            np.testing.assert_array_equal(getattr(thirds.tree_, array), one)


BLIND = [
    *(balanced(get(name)) for name in ("gini", "entropy", "mantaras", "ordinal_gini")),
    *(get("ks"), get("angle"), get("hellinger", mode="ovo_max")),
]


@pytest.mark.parametrize("criterion", BLIND, ids=repr)
def test_trees_that_do_not_see_class_weights(criterion):
    data = random_table(3, n_rows=200, n_classes=3)
    plain = fitted(criterion, data, max_depth=1).tree_
    heavy = data.weight * np.array([1.0, 10.0, 0.5])[data.y]
    skewed = fitted(criterion, data._replace(weight=heavy), max_depth=1).tree_
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(skewed, array), getattr(plain, array))
    np.testing.assert_allclose(skewed.gain, plain.gain, rtol=1e-9)


def test_noise_is_left_alone_if_the_search_is_paid_for():
    single = dict.fromkeys(("mdl_at_cost", "mdl", "credal_gain", "gini"), 0)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
        for name in single:
            plain = name.removesuffix("_at_cost")
            params = {"threshold_cost": True} if plain != name else None
            model = DecisionTreeClassifier(
                plain, criterion_params=params, zero_gain="stop", max_depth=1
            )
            single[name] += model.fit(X, y).tree_.node_count == 1
    assert single["mdl_at_cost"] >= 36
    assert single["mdl"] == single["credal_gain"] == single["gini"] == 0


def test_codes_stop_by_themselves_also_where_zero_gain_splits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    for name in ("mdl", "bayes"):
        given = {"threshold_cost": True}
        model = DecisionTreeClassifier(name, criterion_params=given).fit(X, y)
        assert model.tree_.node_count == 1


def test_forests_take_families():
    data = random_table(5, n_rows=200, n_classes=3)
    for forest in (RandomForestClassifier, ExtraTreesClassifier):
        for criterion in ("tsallis(q=0.5)", "balanced(gini)", "ordinal_gini"):
            model = forest(4, criterion=criterion, random_state=0)
            assert model.fit(data.X, data.y).score(data.X, data.y) > 0.5


@pytest.mark.parametrize(
    ("name", "same"),
    [("dkm", "hellinger"), ("ks", "cart_measure"), ("mpi", "cart_measure")],
)
def test_two_classes_make_some_criteria_one(name, same):
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    one, other = (
        DecisionTreeClassifier(criterion).fit(X, y).tree_ for criterion in (name, same)
    )
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(one, array), getattr(other, array))
