# SPDX-License-Identifier: BSD-3-Clause
"""Oblique trees of numbers: directions by twins, numbers worked out apart, laws."""

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, make_friedman1
from strategies import FEW

import ramify
from ramify import ObliqueTreeClassifier, ObliqueTreeRegressor
from ramify.estimators.tree.oblique_parameters import NUMBER_PARAMS

X, Y = load_diabetes(return_X_y=True)
every_method = pytest.mark.parametrize("method", NUMBER_PARAMS)


def root(method="ridge", X=X, y=Y, weight=None, **settings):
    settings = {"min_samples_leaf": 5, "random_state": 0, **settings}
    model = ObliqueTreeRegressor(method, max_depth=1, **settings)
    return model.fit(X, y, weight).tree_


def random_rows(seed, n=150):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)).round(1), columns=list("pqrs"))
    city = rng.choice(["a", "b", "c"], n)
    y = frame["p"] + frame["q"] > 0.3
    y = 2.0 * y + (city == "b") + 0.3 * rng.normal(size=n)
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    frame["city"] = city
    return frame, y.to_numpy()


def test_the_best_single_column_lowers_the_error_as_worked_out():
    tree = ramify.DecisionTreeRegressor(max_depth=1, min_samples_leaf=5).fit(X, Y).tree_
    assert tree.feature[0] == 8
    assert tree.gain[0] == pytest.approx(1728.80843, abs=1e-4)
    assert tree.threshold[0] == pytest.approx(-0.00376117601, abs=1e-10)
    alone = ramify.DecisionTreeRegressor(max_depth=1, min_samples_leaf=5)
    assert alone.fit(X[:, [2]], Y).tree_.gain[0] == pytest.approx(1650.72013, abs=1e-4)


@pytest.mark.parametrize(
    ("method", "params", "drop"),
    [
        ("ridge", {"penalty": 0}, 2237.61929),
        ("ridge", {}, 2217.60692),
        ("ridge", {"penalty": 100}, 2217.46779),
        ("cca", {}, 2237.61929),
    ],
)
def test_directions_lower_the_error_of_diabetes_as_worked_out(method, params, drop):
    assert root(method, method_params=params).gain[0] == pytest.approx(drop, abs=1e-4)


def direction_of(tree, n_columns):
    terms = tree.terms(0)
    weight = np.zeros(n_columns)
    weight[terms.column] = terms.weight
    return weight / np.linalg.norm(weight)


def assert_same_direction(one, other, atol=1e-8):
    sign = np.sign(one @ other)
    np.testing.assert_allclose(one, sign * other / np.linalg.norm(other), atol=atol)


@given(st.integers(0, 10**6))
@FEW
def test_ridge_is_that_of_numpy(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)) + 3
    y = Z @ rng.normal(size=4) + rng.normal(size=80)
    weight = rng.integers(1, 4, 80).astype(float)
    mean = np.average(Z, axis=0, weights=weight)
    deviation = np.sqrt(np.average((Z - mean) ** 2, axis=0, weights=weight))
    S = (Z - mean) / deviation
    products = S.T @ (weight[:, None] * S) + 7 * np.eye(4)
    expected = np.linalg.solve(products, S.T @ (weight * (y - y.mean()))) / deviation
    tree = root("ridge", Z, y, weight, method_params={"penalty": 7})
    if tree.kind[0] == tree.HYPERPLANE:
        assert_same_direction(direction_of(tree, 4), expected)


@pytest.mark.parametrize("method", ["logistic", "svm", "fisher", "mpsvm", "pptree"])
def test_methods_of_classes_see_the_two_groups_of_the_best_cut(method):
    ordered = np.sort(Y)
    cuts = np.unique(ordered)[:-1]
    drop = [Y.var() - sum(Y[s].var() * s.mean() for s in (c >= Y, c < Y)) for c in cuts]
    best = cuts[int(np.argmax(drop))]
    assert (best + ordered[ordered > best][0]) / 2 == 165
    assert (best < Y).sum() == 180
    assert max(drop) == pytest.approx(4415.26965, abs=1e-4)
    tree = root(method, compare_axis=False)
    classes = ObliqueTreeClassifier(
        method, max_depth=1, min_samples_leaf=5, compare_axis=False, random_state=0
    )
    expected = direction_of(classes.fit(X, best < Y).tree_, X.shape[1])
    assert_same_direction(direction_of(tree, X.shape[1]), expected, atol=1e-5)


@every_method
@given(st.integers(0, 10**6))
@FEW
def test_the_order_of_rows_and_threads_change_no_byte(method, seed):
    frame, y = random_rows(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    settings = {"max_depth": 3, "random_state": 0, "min_samples_leaf": 3}
    one = ObliqueTreeRegressor(method, **settings).fit(frame, y).tree_
    other = ObliqueTreeRegressor(method, n_jobs=2, **settings)
    other = other.fit(frame.iloc[order], y[order]).tree_
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


@every_method
def test_a_tree_predicts_the_means_of_its_leaves(method, tmp_path):
    frame, y = random_rows(1)
    model = ObliqueTreeRegressor(method, max_depth=4, random_state=0).fit(frame, y)
    leaves = model.apply(frame)
    for leaf in np.unique(leaves):
        np.testing.assert_allclose(
            model.predict(frame)[leaves == leaf], y[leaves == leaf].mean()
        )
    assert model.score(frame, y) > 0.6
    model.save(tmp_path / "model.ramify")
    again = ramify.load(tmp_path / "model.ramify")
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


@pytest.mark.parametrize("method", ["ridge", "random_sparse", "logistic"])
def test_weight_two_is_the_row_twice(method):
    times = np.random.default_rng(0).integers(0, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), times)
    settings = {"max_depth": 3, "random_state": 0}
    one = ObliqueTreeRegressor(method, **settings).fit(X, Y, times)
    other = ObliqueTreeRegressor(method, **settings).fit(X[rows], Y[rows])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["poisson", "gamma", "tweedie"])
def test_other_criteria_of_sums_judge(criterion):
    tree = root("ridge", criterion=criterion)
    assert tree.kind[0] == tree.HYPERPLANE
    assert tree.gain[0] > 0


def test_a_category_stands_for_its_mean():
    rng = np.random.default_rng(0)
    city = rng.choice(list("abcd"), 400)
    height = pd.Series(city).map({"a": 0.0, "b": 3.0, "c": 1.0, "d": 2.0}).to_numpy()
    x = rng.normal(size=400)
    y = (x + height > 1.5) * 1.0
    tree = root("ridge", pd.DataFrame({"x": x, "city": city}), y)
    terms = tree.terms(0)
    assert set(terms.column.tolist()) == {0, 1}
    own = dict(zip(terms.category.tolist(), terms.weight.tolist(), strict=True))
    means = [y[city == c].mean() for c in "abcd"]
    weights = [own.get(k, 0.0) for k in range(4)]
    assert np.corrcoef(means, weights)[0, 1] ** 2 > 0.999


def test_ridge_forests_look_at_half_of_the_columns():
    X, y = make_friedman1(400, random_state=0, noise=1)
    usual = {"n_estimators": 30, "random_state": 0, "oob_score": True}
    plain = ramify.RandomForestRegressor(**usual).fit(X, y)
    ridge = ramify.RandomForestRegressor(**usual, method="ridge").fit(X, y)
    assert ridge.oob_score_ > plain.oob_score_ - 0.05
    assert ridge.max_features_ == 5
    assert ridge.set_params(max_features=4).fit(X, y).max_features_ == 4
    few = ramify.RandomForestRegressor(**usual, method="ridge").fit(X[:, :3], y)
    assert few.max_features_ == 2
    again = ramify.RandomForestRegressor(**usual, method="ridge", n_jobs=2)
    again.set_params(max_features=4).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(again.predict(X), ridge.predict(X))
    for method in ("random_sparse", "rotation"):
        forest = ramify.RandomForestRegressor(**usual, method=method, max_depth=4)
        assert forest.fit(X, y).oob_score_ > 0.4


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ObliqueTreeRegressor("co2"), "its bound is one of class losses"),
        (ObliqueTreeRegressor("oc1"), "its search counts classes"),
        (ObliqueTreeRegressor("ridg"), "did you mean 'ridge'"),
        (ObliqueTreeRegressor(criterion="absolute_error"), "by weight and sum"),
        (ObliqueTreeRegressor(criterion="quantile"), "by weight and sum"),
        (
            ObliqueTreeRegressor(criterion=lambda _, left, right: left[:, 0]),
            "by weight and sum",
        ),
        (ObliqueTreeRegressor(method_params={"penalty": -1}), "penalty=-1"),
        (
            ObliqueTreeRegressor("heterogeneous", method_params={"methods": ["oc1"]}),
            "different methods for numbers",
        ),
        (
            ramify.RandomForestRegressor(method="ridge", splitter="random"),
            "splitter='random' cannot be used with method='ridge'",
        ),
    ],
)
def test_what_means_nothing_is_refused(model, words):
    y = Y if ramify.ObliqueTreeRegressor is type(model) else Y > 150
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_several_outputs_and_streams_are_refused():
    with pytest.raises(ValueError, match="y has 2 outputs; an oblique tree takes one"):
        ObliqueTreeRegressor().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="an oblique tree needs the numbers of all"):
        ObliqueTreeRegressor().fit_stream(lambda: [(X, Y)])


def test_methods_say_what_they_predict():
    assert ramify.methods.get("ridge").task == "both"
    assert ramify.methods.get("oc1").task == "classes"
    made = ramify.methods.make("ridge", task="numbers", penalty=3)
    assert isinstance(made, ObliqueTreeRegressor)
    assert made.method_params == {"penalty": 3}
    assert isinstance(ramify.methods.make("ridge"), ObliqueTreeClassifier)
    with pytest.raises(ValueError, match="'oc1'"):
        ramify.methods.make("oc1", task="numbers")


@each_of([ObliqueTreeRegressor(), ObliqueTreeRegressor("fisher")])
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
