# SPDX-License-Identifier: BSD-3-Clause
"""poisson(shrink=...): rates that lean on that of the root, as in R's rpart."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import xlogy

import ramify
from ramify import DecisionTreeRegressor, RandomForestRegressor

# Twelve rows: two columns, the time a row was watched, and its events.
X = np.column_stack([np.arange(1.0, 13), [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]])
TIME = np.array([1.0, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1, 2])
EVENTS = np.array([0.0, 0, 0, 0, 1, 0, 2, 1, 3, 4, 2, 9])
# What rpart 4.1.19 (R 4.2) prints for them, in preorder: frame$yval and frame$dev of
# rpart(cbind(t, n) ~ x + z, method = "poisson", parms = list(shrink = s), control =
# rpart.control(minsplit = 2, minbucket = 1, cp = -1, xval = 0, maxdepth = 2)).
IN_R = {
    0.5: """
    1.375 0.575163398692810 0.505747126436782 0.897959183673469
    2.781609195402299 1.534883720930233 2.894736842105263
    33.516046315964985 9.078403626555660 5.057471264367816 3.636555517620556
    2.515036569127790 0.128537658768794 1.900701905669846""",
    1: """
    1.375 0.426356589147287 0.174603174603175 0.743243243243243
    3.317460317460317 1.736842105263158 3.596153846153846
    33.5160463159649851 8.1996787142739205 1.7460317460317460 3.2927741826925097
    1.5314307391456525 0.0379986035659379 0.5689757874303893""",
    2: """
    1.375 0.3800813008130081 0.0482456140350877 0.6875
    3.5219298245614037 1.9038461538461537 3.8858695652173916
    33.51604631596497086 8.10074941498795198 0.48245614035087725 3.24754759553128647
    1.42298167107098017 0.00477650371943866 0.40728116195914144""",
}


def grown(shrink, **given):
    params = {"shrink": shrink}
    return DecisionTreeRegressor("poisson", criterion_params=params, **given)


@pytest.mark.parametrize("shrink", IN_R)
def test_rates_and_deviances_are_those_of_rpart(shrink):
    model = grown(shrink, max_depth=2).fit(X, EVENTS / TIME, sample_weight=TIME)
    tree = model.tree_
    rates, deviances = np.array(IN_R[shrink].split(), float).reshape(2, 7)
    np.testing.assert_allclose(tree.threshold[[0, 1, 4]], [8.5, 4.5, 1.5])
    np.testing.assert_allclose(tree.value.ravel(), rates, rtol=1e-13)
    twice = 2 * tree.weighted_n_node_samples * tree.impurity
    np.testing.assert_allclose(twice, deviances, rtol=1e-12)


def test_complexities_are_those_of_rpart():
    # Its printed CP, for the tree above with shrink = 1, times the root's deviance.
    model = grown(1, max_depth=2).fit(X, EVENTS / TIME, sample_weight=TIME)
    path = model.cost_complexity_pruning_path(X, EVENTS / TIME, sample_weight=TIME)
    cp = path.ccp_alphas / model.tree_.impurity[0]
    expected = [0, 0.0275825000191, 0.0943092379021, 0.7096581929240]
    np.testing.assert_allclose(cp, expected, rtol=1e-10)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_every_node_has_the_mean_of_the_prior_and_its_rows(n_outputs):
    rng = np.random.default_rng(n_outputs)
    data, weight = rng.integers(0, 9, (80, 3)).astype(float), rng.uniform(0.5, 3, 80)
    y = rng.poisson(rng.gamma(0.4, 2.0, (80, n_outputs))).astype(float)
    model = grown(0.7).fit(data, y, sample_weight=weight)
    tree, a = model.tree_, 1 / 0.7**2
    overall = np.average(y, axis=0, weights=weight)
    paths = model.decision_path(data).toarray().astype(bool)
    assert tree.node_count > 20
    for node, rows in enumerate(paths.T):
        w, own = weight[rows], y[rows]
        rate = (w @ own + a) / (w.sum() + a / overall)
        np.testing.assert_allclose(tree.value[node].ravel(), rate, rtol=1e-12)
        deviance = (w @ (xlogy(own, own / rate) - own + rate)).mean() / w.sum()
        assert tree.impurity[node] == pytest.approx(deviance, rel=1e-10, abs=1e-14)


def gain(y, w, side):
    """Return the drop of half the mean deviance, rates not shrunk; 0 ln 0 is 0."""

    def fit(rows):
        events = w[rows] @ y[rows]
        return xlogy(events, events / w[rows].sum())

    return (fit(side) + fit(~side) - fit(side | ~side)) / w.sum()


@pytest.mark.parametrize("seed", range(30))
def test_the_best_cut_may_leave_a_child_without_events(seed):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 8, (30, 2)).astype(float)
    y = rng.poisson(np.where(data[:, 0] > 3, 1.0, 0.05)).astype(float)
    y[0] += 1
    w = rng.integers(1, 4, 30) * 1.0
    sides = [c <= cut for c in data.T for cut in np.unique(c)[:-1]]
    best = max(gain(y, w, side) for side in sides)
    tree = grown(1, max_depth=1).fit(data, y, sample_weight=w).tree_
    assert tree.gain[0] == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n_levels", [4, 11])
@pytest.mark.parametrize("least", [1, 6])
def test_categories_without_events_may_stand_alone(n_levels, least):
    rng = np.random.default_rng(n_levels)
    codes = rng.integers(0, n_levels, 60)
    y = rng.poisson(np.where(codes % 2, 0.8, 0.0)).astype(float)
    w = np.ones(60)
    best = max(
        gain(y, w, side)
        for k in range(1, n_levels // 2 + 1)
        for subset in itertools.combinations(range(n_levels), k)
        for side in [np.isin(codes, subset)]
        if min(side.sum(), (~side).sum()) >= least
    )
    frame = pd.DataFrame({"c": pd.Categorical(codes)})
    model = grown(1, max_depth=1, min_samples_leaf=least).fit(frame, y)
    assert model.tree_.gain[0] == pytest.approx(best, rel=1e-9)
    assert model.predict(frame).min() > 0


def test_no_prior_is_the_tree_of_before():
    y = EVENTS / TIME
    plain = DecisionTreeRegressor("poisson").fit(X, y, sample_weight=TIME).tree_
    same = grown(0).fit(X, y, sample_weight=TIME).tree_
    assert all(
        (same.arrays()[k] == v).all() for k, v in plain.arrays().items() if k != "gain"
    )
    assert plain.value.min() > 0  # a child without events is refused


def test_a_tiny_prior_predicts_the_rate_of_all_rows_and_a_wide_one_that_of_the_leaf():
    y = EVENTS / TIME
    narrow = grown(1e-300).fit(X, y, sample_weight=TIME)
    np.testing.assert_allclose(narrow.predict(X), 1.375)
    wide = grown(1e6).fit(X, y, sample_weight=TIME)
    np.testing.assert_allclose(wide.predict(X), y, atol=1e-10)


def test_a_saved_model_has_the_same_rates(tmp_path):
    model = grown(1).fit(X, EVENTS / TIME, sample_weight=TIME)
    ramify.save(model, tmp_path / "m.ramify")
    loaded = ramify.load(tmp_path / "m.ramify")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_forest_predicts_no_zeros():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(200, 3))
    y = rng.poisson(np.exp(data[:, 0] - 2)).astype(float)
    params = {"shrink": 1}
    forest = RandomForestRegressor(5, "poisson", criterion_params=params).fit(data, y)
    each = [tree.predict(data).min() for tree in forest.estimators_]
    assert min(each) > 0


def test_what_would_undo_the_prior_is_refused():
    params = {"shrink": 1}
    with pytest.raises(ValueError, match="shrink=1 cannot be used with monotonic_cst"):
        grown(1, monotonic_cst=[1, 0]).fit(X, EVENTS)
    forest = RandomForestRegressor(2, "poisson", criterion_params=params, honest=0.5)
    with pytest.raises(ValueError, match=r"honest=0.5 fills leaves .* shrink"):
        forest.fit(X, EVENTS)
    with pytest.raises(ValueError, match="shrink"):
        grown(-1).fit(X, EVENTS)
