# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees chosen by cross-validation: the same as by hand."""

import pickle

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, KFold

import ramify
from ramify import DecisionTreeRegressor, TunedTreeRegressor
from ramify.criteria import for_regression
from ramify.estimators.tuning.losses import loss_of

X, Y = load_diabetes(return_X_y=True)
DEPTHS = {"max_depth": [1, 2, 5]}


@pytest.mark.slow
@each_of(
    [
        TunedTreeRegressor(cv=2),
        TunedTreeRegressor(DecisionTreeRegressor("absolute_error"), DEPTHS, cv=2),
        TunedTreeRegressor(cv=2, random_state=0, n_jobs=2, scoring="r2"),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


@pytest.mark.parametrize("random_state", [None, 3])
@pytest.mark.parametrize(
    ("criterion", "scoring"),
    [
        ("squared_error", "neg_mean_squared_error"),
        ("absolute_error", "neg_mean_absolute_error"),
        ("poisson", "neg_mean_poisson_deviance"),
        ("gamma", "neg_mean_gamma_deviance"),
    ],
)
def test_the_choice_is_that_of_a_grid_search(criterion, scoring, random_state):
    tree = DecisionTreeRegressor(criterion, min_samples_leaf=3)
    folds = KFold(4, shuffle=random_state is not None, random_state=random_state)
    plain = GridSearchCV(tree, DEPTHS, cv=folds, scoring=scoring).fit(X, Y)
    tuned = TunedTreeRegressor(tree, DEPTHS, cv=4, random_state=random_state)
    tuned.fit(X, Y)
    assert tuned.best_params_ == plain.best_params_
    assert tuned.best_score_ == pytest.approx(plain.best_score_)
    for name in ("mean_test_score", "std_test_score", "split2_test_score"):
        np.testing.assert_allclose(tuned.results_[name], plain.cv_results_[name])
    np.testing.assert_array_equal(tuned.predict(X), plain.predict(X))
    # Like every regressor of scikit-learn, which its common checks ask for.
    assert tuned.score(X, Y) == plain.best_estimator_.score(X, Y)
    named = TunedTreeRegressor(
        tree, DEPTHS, cv=4, random_state=random_state, scoring=scoring
    ).fit(X, Y)
    assert named.score(X, Y) == pytest.approx(plain.score(X, Y))
    np.testing.assert_allclose(
        named.results_["mean_test_score"], tuned.results_["mean_test_score"]
    )


def test_losses_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, f = rng.poisson(2.0, 200).astype(float), rng.gamma(2.0, size=200) + 0.1
    for power in (0.0, 1.0, 1.3, 1.5, 1.9):
        own = loss_of(for_regression("tweedie", power=power))(y, f).mean()
        assert own == pytest.approx(metrics.mean_tweedie_deviance(y, f, power=power))
    own = loss_of(for_regression("gamma"))(y + 1, f).mean()
    assert own == pytest.approx(metrics.mean_gamma_deviance(y + 1, f))
    own = loss_of(for_regression("tweedie", power=3.0))(y + 1, f).mean()
    assert own == pytest.approx(metrics.mean_tweedie_deviance(y + 1, f, power=3))
    own = loss_of(for_regression("quantile", level=0.8))(y, f).mean()
    assert own == pytest.approx(metrics.mean_pinball_loss(y, f, alpha=0.8))
    # Without dispersion a negative binomial is Poisson.
    own = loss_of(for_regression("negative_binomial", dispersion=1e-7))(y, f).mean()
    poisson = metrics.mean_poisson_deviance(y, f)
    assert own == pytest.approx(poisson, rel=1e-5)


def test_a_mean_of_zero_costs_much_but_not_infinitely_much():
    for name in ("poisson", "tweedie", "negative_binomial"):
        lost = loss_of(for_regression(name))(np.array([0.0, 1.0]), np.zeros(2))
        assert np.isfinite(lost).all()
        assert lost[1] > 100 > lost[0]


def test_weights_count_in_the_score():
    weight = np.arange(len(Y)) % 4.0
    tuned = TunedTreeRegressor(None, DEPTHS, cv=3).fit(X, Y, weight)
    kept = weight > 0
    rows = np.repeat(np.flatnonzero(kept), weight[kept].astype(int))
    numbers = np.arange(int(kept.sum()))
    folds = [(numbers[numbers % 3 != j], numbers[numbers % 3 == j]) for j in range(3)]
    tuned = TunedTreeRegressor(
        None,
        DEPTHS,
        cv=[(np.flatnonzero(kept)[a], np.flatnonzero(kept)[b]) for a, b in folds],
    ).fit(X, Y, weight)
    fold_of = np.full(len(Y), -1)
    fold_of[np.flatnonzero(kept)] = numbers % 3
    again = TunedTreeRegressor(
        None,
        DEPTHS,
        cv=[
            (np.flatnonzero(fold_of[rows] != j), np.flatnonzero(fold_of[rows] == j))
            for j in range(3)
        ],
    ).fit(X[rows], Y[rows])
    np.testing.assert_allclose(
        tuned.results_["mean_test_score"], again.results_["mean_test_score"]
    )


def test_it_can_be_cloned_pickled_and_asked():
    model = TunedTreeRegressor(None, DEPTHS, cv=3).fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    numbers, support = model.predict(X, return_support=True)
    assert numbers.shape == support.shape == (len(Y),)
    assert model.row_predictor()(X[3]) == model.predict(X[3:4])[0]
    assert model.get_n_leaves() == model.best_estimator_.get_n_leaves()


def test_nested_scores_are_not_better_than_those_of_papers():
    model = TunedTreeRegressor(None, {"min_samples_leaf": [1, 5, 20]}, cv=3)
    means = model.evaluate(X, Y, protocol="both").summary()
    assert means["nested"]["score"] <= means["paper"]["score"]
    assert 0 < means["nested"]["r2"] < 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TunedTreeRegressor("cart"), "'cart' is given by name"),
        (TunedTreeRegressor(None, ["cart"]), "'cart' is given by name"),
        (TunedTreeRegressor(None, {"max_depht": [2]}), "did you mean 'max_depth'"),
        (TunedTreeRegressor(None, DEPTHS, cv="five"), r"such as KFold\(5\)"),
        (TunedTreeRegressor(None, DEPTHS, cv=1), "cv=1 is too small"),
        (TunedTreeRegressor(None, DEPTHS, scoring="r3"), "scoring='r3' is unknown"),
    ],
)
def test_bad_parameters_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_trees_of_the_other_kind_are_refused():
    tree = ramify.DecisionTreeClassifier()
    with pytest.raises(TypeError, match="predicts classes, and numbers are tuned"):
        TunedTreeRegressor(tree).fit(X, Y)
    with pytest.raises(TypeError, match="predicts numbers, and classes are tuned"):
        ramify.TunedTreeClassifier(DecisionTreeRegressor()).fit(X, Y > 100)
    with pytest.raises(ValueError, match="a classifier for labels"):
        TunedTreeRegressor().fit(X, np.where(Y > 100, "a", "b"))


def test_parameters_of_the_criterion_are_tuned():
    tree = DecisionTreeRegressor("tweedie", min_samples_leaf=10)
    model = TunedTreeRegressor(tree, {"power": [1.0, 2.0]}, cv=3).fit(X, Y)
    assert set(model.best_params_) == {"power"}
    chosen = model.best_estimator_.criterion_params
    assert chosen == model.best_params_
