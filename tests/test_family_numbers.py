# SPDX-License-Identifier: BSD-3-Clause
"""tweedie, negative_binomial and crps: worked numbers, twins, trees by brute force."""

import itertools

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from scipy.special import xlogy

import ramify
from ramify import DecisionTreeRegressor

LEFT, RIGHT = (1, 2, 6), (4, 8)


def tweedie(y, w, power):
    m = np.average(y, weights=w)
    if power == 0:
        return np.average((y - m) ** 2, weights=w) / 2
    if power == 1:
        return np.average(xlogy(y, y / m), weights=w)
    if power == 2:
        return np.average(np.log(m / y), weights=w)
    p = power
    terms = y ** (2 - p) / ((1 - p) * (2 - p)) - y * m ** (1 - p) / (1 - p)
    return np.average(terms, weights=w) + m ** (2 - p) / (2 - p)


def negative_binomial(y, w, a):
    m = np.average(y, weights=w)
    terms = xlogy(y, y / m) - (y + 1 / a) * np.log((1 + a * y) / (1 + a * m))
    return np.average(terms, weights=w)


def crps(y, w, unbiased=False):
    n = w.sum()
    mean = (np.outer(w, w) * np.abs(np.subtract.outer(y, y))).sum() / n**2 / 2
    return mean * (min(2, n / (n - 1)) if unbiased and n > 1 else 1)


LOSSES = {
    ("tweedie", "power"): (tweedie, (0, 1, 1.5, 1.9, 2, 3)),
    ("negative_binomial", "dispersion"): (negative_binomial, (0.5, 1, 3)),
    ("crps", "unbiased"): (crps, (False, True)),
}
CASES = [
    (name, key, value, loss)
    for (name, key), (loss, values) in LOSSES.items()
    for value in values
]
WORKED = {
    **{("tweedie", p): v for p, v in ((0, 1.08), (1, 0.25036984), (1.5, 0.12145509))},
    **{("tweedie", p): v for p, v in ((2, 0.05921336), (3, 0.01428571))},
    ("negative_binomial", 0.5): 0.08004878,
    ("negative_binomial", 1): 0.04773981,
    ("crps", False): 0.37333333,
}


@pytest.mark.parametrize(("name", "value"), WORKED)
def test_the_worked_example_has_its_gain(name, value):
    key = next(key for known, key in LOSSES if known == name)
    X, y = [[0.0]] * 3 + [[1.0]] * 2, [*LEFT, *RIGHT]
    model = DecisionTreeRegressor(name, criterion_params={key: value}, max_depth=1)
    model.fit(X, y)
    assert model.tree_.gain[0] == pytest.approx(WORKED[name, value], rel=1e-7, abs=6e-9)
    named = DecisionTreeRegressor(f"{name}({key}={value})", max_depth=1).fit(X, y)
    assert named.tree_.gain[0] == model.tree_.gain[0]


def test_nodes_of_crps_are_the_published_ones():
    X, y = [[0.0]] * 3 + [[1.0]] * 2, [*LEFT, *RIGHT]
    tree = DecisionTreeRegressor("crps", max_depth=1).fit(X, y).tree_
    np.testing.assert_allclose(tree.impurity, [1.44, 10 / 9, 1.0])
    np.testing.assert_allclose(tree.value.ravel(), [4.2, 3, 6])


def gain(loss, y, w, side, value):
    parts = (side, ~side)
    inner = sum(w[s].sum() * loss(y[s], w[s], value) for s in parts) / w.sum()
    return loss(y, w, value) - inner


@pytest.mark.parametrize("weights", ["one", "whole", "parts"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[2]}")
def test_the_root_is_the_best_of_all_cuts(case, weights):
    name, key, value, loss = case
    rng = np.random.default_rng(7)
    X = rng.integers(0, 15, (60, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.gamma(1.5, 2, 60) * (1 + (X[:, 1] > 7)) + 0.01
    if name == "negative_binomial":
        y = np.floor(y)
    w = {"one": np.ones(60), "whole": rng.integers(1, 4, 60) * 1.0}.get(weights)
    w = rng.random(60) + 0.2 if w is None else w
    if name == "crps" and value and weights == "parts":
        w = w * 3  # a correction for few rows needs rows
    best = -np.inf
    for column in X.T:
        missing = np.isnan(column)
        for low in np.unique(column[~missing])[:-1]:
            for there in (False, True):
                side = np.where(missing, there, column <= low)
                best = max(best, gain(loss, y, w, side, value))
        best = max(best, gain(loss, y, w, ~missing, value))
    model = DecisionTreeRegressor(name, criterion_params={key: value}, max_depth=1)
    model.fit(X, y, sample_weight=w)
    assert model.tree_.gain[0] == pytest.approx(best, rel=1e-8)
    assert model.tree_.impurity[0] == pytest.approx(loss(y, w, value), rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[2]}")
def test_categories_are_parted_as_well_as_any_subset(case):
    name, key, value, loss = case
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 6, 80)
    y = np.round(rng.gamma(2.0, 1 + codes % 4) + 0.5, 2)
    w = np.ones(80)
    best = max(
        gain(loss, y, w, np.isin(codes, subset), value)
        for k in range(1, 4)
        for subset in itertools.combinations(range(6), k)
    )
    import pandas as pd

    X = pd.DataFrame({"c": pd.Categorical.from_codes(codes, list("abcdef"))})
    model = DecisionTreeRegressor(name, criterion_params={key: value}, max_depth=1)
    assert model.fit(X, y).tree_.gain[0] == pytest.approx(best, rel=1e-9)


def test_limits_of_the_families():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.poisson(3, 300) + 0.0
    pairs = (
        ("tweedie(power=0)", "squared_error", y),
        ("tweedie(power=1)", "poisson", y),
        ("tweedie(power=2)", "gamma", y + 1),
        ("negative_binomial(dispersion=1e-6)", "poisson", y + 1),
    )
    for one, other, target in pairs:
        first, second = (
            DecisionTreeRegressor(name, max_depth=4).fit(X, target).tree_
            for name in (one, other)
        )
        np.testing.assert_array_equal(first.feature, second.feature)
        np.testing.assert_allclose(first.value, second.value)


def test_crps_on_class_numbers_is_ordinal_gini():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 5, 200)
    numbers = DecisionTreeRegressor("crps", max_depth=3).fit(X, y).tree_
    classes = ramify.DecisionTreeClassifier("ordinal_gini", max_depth=3).fit(X, y).tree_
    np.testing.assert_array_equal(numbers.feature, classes.feature)
    np.testing.assert_allclose(numbers.gain, classes.gain, atol=1e-12)


@pytest.mark.parametrize(
    ("criterion", "y", "message"),
    [
        ("tweedie", [-1.0, 2, 3], "not negative"),
        ("tweedie(power=2.5)", [0.0, 2, 3], "positive numbers"),
        ("negative_binomial", [-1.0, 2, 3], "not negative"),
        ("tweedie(power=0.5)", [1.0, 2, 3], "0, or a number from 1 to 3"),
        ("negative_binomial(dispersion=0)", [1.0, 2, 3], "above 0"),
        ("crps(unbiased=2)", [1.0, 2, 3], "True or False"),
        ("tweedie(1.5)", [1.0, 2, 3], "cannot be read"),
        ("tweedie(p=1.5)", [1.0, 2, 3], "it takes: power"),
    ],
)
def test_what_is_not_allowed_is_said(criterion, y, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeRegressor(criterion).fit([[0.0], [1.0], [2.0]], y)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("name", ["tweedie", "negative_binomial", "crps"])
def test_neither_the_order_of_rows_nor_their_repetition_matters(name, kind):
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(80, 4)) * 2)
    y = np.round(rng.gamma(2.0, 2.0, 80), 1) + 0.5
    weight = rng.integers(1, 4, 80).astype(float)
    if kind == "fractions":
        weight = rng.choice([0.1, 0.3, 2 / 3, 1.9], 80)
    plain = DecisionTreeRegressor(name).fit(X, y, sample_weight=weight).tree_
    order = rng.permutation(80)
    other = DecisionTreeRegressor(name).fit(
        X[order], y[order], sample_weight=weight[order]
    )
    np.testing.assert_array_equal(other.tree_.feature, plain.feature)
    np.testing.assert_array_equal(other.tree_.threshold, plain.threshold)
    if kind == "whole":
        rows = np.repeat(np.arange(80), weight.astype(int))
        again = DecisionTreeRegressor(name).fit(X[rows], y[rows]).tree_
        np.testing.assert_array_equal(again.feature, plain.feature)
        np.testing.assert_array_equal(again.threshold, plain.threshold)


@each_of(
    # As for poisson and gamma, the numbers of the checks are negative for the others.
    [DecisionTreeRegressor(name) for name in ("tweedie(power=0)", "crps")]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
