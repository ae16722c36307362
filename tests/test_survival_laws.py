# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees against trying everything, and laws that hold for any data."""

import itertools

import numpy as np
import oracle_survival as oracle
import pytest

from ramify import (
    ExtraSurvivalTree,
    ExtraSurvivalTrees,
    RandomSurvivalForest,
    SurvivalTree,
)
from ramify.criteria.survival import SURVIVAL_CRITERIA, SurvivalCuts, SurvivalScores

PARAMS = {
    "peto_peto": {"andersen": True},
    "fleming_harrington": {"rho": 0.5, "gamma": 1.0},
    "logrank_score": {"ties": "hothorn_lausen"},
    "rmst": {"tau": 6.0},
}
SCORED_BY_THE_ORACLE = [
    *oracle.FAMILY,
    *("logrank_score", "gehan_score", "harrell_c", "martingale", "rmst"),
    *("approximate_logrank", "poisson", "exponential"),
]
FULL = {"min_samples_leaf": 1, "min_samples_split": 2}


def a_table(seed, n=40, n_times=8, n_columns=3):
    """Return rows with ties in times and columns, and whole weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, size=(n, n_columns)).astype(float)
    time = rng.integers(1, n_times + 1, size=n).astype(float)
    event = rng.random(n) < 0.6
    event[0] = True
    weight = rng.integers(1, 4, size=n).astype(float)
    return X, time, event, weight


def grown(model, *data, **more):
    """Return the arrays of a tree that say what was grown."""
    tree = model.fit(*data, **more).tree_
    names = ("feature", "threshold", "gain", "value", "weighted_n_node_samples")
    return [tree.array(name) for name in names]


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("criterion", SCORED_BY_THE_ORACLE)
@pytest.mark.parametrize("seed", range(4))
def test_the_best_cut_is_that_of_trying_all(criterion, seed):
    X, time, event, weight = a_table(seed, n_times=[3, 8, 40, 200][seed])
    if seed % 2:
        weight[:] = 1
    params = PARAMS.get(criterion, {})
    if criterion == "rmst":
        params = {"tau": float(np.median(time))}
    best = [
        oracle.best_cut(criterion, time, event, weight, x, 3, **params) for x in X.T
    ]
    tree = SurvivalTree(criterion, max_depth=1, criterion_params=params)
    tree = tree.fit(X, (time, event), sample_weight=weight).tree_
    top = max(score for score, _ in best)
    assert tree.gain[0] == pytest.approx(top, rel=1e-9)
    column = next(j for j, (score, _) in enumerate(best) if score > top - 1e-9 * top)
    assert tree.feature[0] == column
    assert tree.threshold[0] == best[column][1]


@pytest.mark.parametrize("seed", range(6))
def test_weights_that_are_not_whole(seed):
    X, time, event, _ = a_table(seed)
    weight = np.random.default_rng(seed).random(len(X)) * 3 + 1
    best, cut = oracle.best_cut("logrank", time, event, weight, X[:, 0], 3)
    tree = SurvivalTree(max_depth=1).fit(X[:, :1], (time, event), sample_weight=weight)
    assert tree.tree_.gain[0] == pytest.approx(best, rel=1e-4)  # rounded to 2^-20
    assert tree.tree_.threshold[0] == cut


@pytest.mark.parametrize("criterion", SURVIVAL_CRITERIA)
def test_a_whole_weight_is_the_row_so_often(criterion):
    X, time, event, weight = a_table(5)
    model = SurvivalTree(criterion, max_depth=4, **FULL)
    often = weight.astype(int)
    rows = [np.repeat(each, often, axis=0) for each in (X, time, event)]
    assert_same(
        grown(model, X, (time, event), sample_weight=weight),
        grown(model, rows[0], (rows[1], rows[2])),
    )


@pytest.mark.parametrize("criterion", SURVIVAL_CRITERIA)
def test_the_order_of_rows_and_threads_change_nothing(criterion):
    X, time, event, weight = a_table(6, n=600, n_times=300, n_columns=4)
    X[::7, 1] = np.nan
    order = np.random.default_rng(0).permutation(len(X))
    one = grown(
        SurvivalTree(criterion, n_jobs=1), X, (time, event), sample_weight=weight
    )
    other = grown(
        SurvivalTree(criterion, n_jobs=2),
        X[order],
        (time[order], event[order]),
        sample_weight=weight[order],
    )
    assert_same(one, other)


@pytest.mark.parametrize("criterion", [*oracle.FAMILY, "harrell_c", "logrank_score"])
def test_a_column_and_its_negative_are_the_same(criterion):
    X, time, event, weight = a_table(7, n=200, n_times=100)
    model = SurvivalTree(criterion, max_depth=1)
    one = model.fit(X, (time, event), sample_weight=weight).tree_.gain[0]
    other = model.fit(-X, (time, event), sample_weight=weight).tree_.gain[0]
    assert one == other


def subsets(names):
    """Yield the proper subsets with the first name, which stand for all splits."""
    first, *rest = names
    for n in range(len(rest)):
        for chosen in itertools.combinations(rest, n):
            yield {first, *chosen}


@pytest.mark.parametrize("criterion", SCORED_BY_THE_ORACLE)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_subset_of_categories_is_that_of_trying_all(criterion, seed):
    _, time, event, weight = a_table(seed, n=60)
    codes = np.random.default_rng(seed).integers(0, 5, size=60)
    params = PARAMS.get(criterion, {})
    best = max(
        oracle.any_score(
            criterion, time, event, weight, np.isin(codes, list(chosen)), **params
        )
        for chosen in subsets(range(5))
    )
    X = np.array(list("abcde"), dtype=object)[codes][:, None]
    tree = SurvivalTree(criterion, max_depth=1, criterion_params=params, **FULL)
    tree.fit(X, (time, event), sample_weight=weight)
    assert tree.tree_.optimal[0]
    assert tree.tree_.gain[0] == pytest.approx(best, rel=1e-9)


def test_many_categories_are_put_in_order():
    _X, time, event, _ = a_table(3, n=300, n_times=50)
    codes = np.random.default_rng(1).integers(0, 20, size=300)
    names = np.array([f"c{i:02}" for i in range(20)], dtype=object)[codes][:, None]
    tree = SurvivalTree(max_depth=1).fit(names, (time, event)).tree_
    assert not tree.optimal[0]
    listed, branches = tree.listed(0)
    left = np.isin(codes, listed[branches == 0])
    found = oracle.score("logrank", time, event, np.ones(300), left)
    assert tree.gain[0] == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("criterion", ["logrank", "poisson", "gehan_score", "l1"])
@pytest.mark.parametrize("is_text", [False, True])
def test_missing_rows_go_to_the_better_side(criterion, is_text):
    X, time, event, weight = a_table(11, n=60)
    X[::5, 0] = np.nan
    column = X[:, :1]
    if is_text:
        column = np.array([None if v != v else f"v{v:g}" for v in X[:, 0]], object)
        column = column[:, None]
    known = ~np.isnan(X[:, 0])
    data = (column, (time, event))
    both = SurvivalTree(criterion, max_depth=1).fit(*data, sample_weight=weight)
    sides = [
        SurvivalTree(criterion, max_depth=1, missing=side)
        .fit(*data, sample_weight=weight)
        .tree_.gain[0]
        for side in ("left", "right")
    ]
    assert both.tree_.gain[0] >= max(sides) - 1e-12 or is_text
    reached = both.apply(column)
    assert len(set(reached[~known].tolist())) == 1
    with pytest.raises(ValueError, match="missing='error'"):
        SurvivalTree(criterion, missing="error").fit(*data)


def test_missing_rows_may_stand_apart():
    X = np.array([[1.0], [2], [3], [4], *[[np.nan]] * 4])
    y = (np.array([5.0, 6, 7, 8, 1, 2, 3, 4]), np.ones(8))
    tree = SurvivalTree(max_depth=1, **FULL).fit(X, y)
    assert tree.tree_.threshold[0] == np.inf
    assert set(tree.apply(X[4:])) == {2}


def test_least_weight_and_least_events():
    X, time, event, weight = a_table(2, n=200, n_times=60)
    tree = SurvivalTree(min_events_leaf=9).fit(X, (time, event), sample_weight=weight)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert weight[(leaves == leaf) & event].sum() >= 9
    tree = SurvivalTree(min_weight_fraction_leaf=0.1).fit(X, (time, event), weight)
    sizes = tree.tree_.weighted_n_node_samples[tree.tree_.children_left < 0]
    assert (sizes >= 0.1 * weight.sum()).all()


@pytest.mark.parametrize("criterion", ["logrank", "exponential", "martingale", "l1"])
def test_a_random_cut_scores_as_the_same_cut_of_all(criterion):
    X, time, event, weight = a_table(4, n=80)
    tree = ExtraSurvivalTree(criterion, max_depth=1, random_state=3)
    tree = tree.fit(X, (time, event), sample_weight=weight).tree_
    left = X[:, tree.feature[0]] <= tree.threshold[0]
    column = np.where(left, 0.0, 1.0)[:, None]
    own = SurvivalTree(criterion, max_depth=1)
    own = own.fit(column, (time, event), sample_weight=weight).tree_
    assert own.gain[0] == tree.gain[0]


def test_scores_of_a_user_are_scored_like_built_in_ones():
    X, time, event, weight = a_table(8, n=120, n_times=70)

    def residuals(time, event, weight):
        return event - oracle.hazard(time, event, weight)

    one = SurvivalTree(SurvivalScores(residuals))
    # The built-in scores are those of the root; a user's are made anew: depth one.
    one.max_depth = 1
    built_in = SurvivalTree("martingale", max_depth=1)
    data = (X, (time, event))
    own = one.fit(*data, sample_weight=weight).tree_
    other = built_in.fit(*data, sample_weight=weight).tree_
    assert own.gain[0] == pytest.approx(other.gain[0], rel=1e-9)
    assert own.threshold[0] == other.threshold[0]


def test_cuts_of_a_user_are_scored_from_counts():
    X, time, event, _ = a_table(9, n=120, n_times=70)

    def log_rank(at_risk_left, events_left, at_risk, events, times):
        assert (np.diff(times) > 0).all()
        u = (events_left - events * at_risk_left / at_risk).sum(axis=1)
        free = np.where(at_risk > 1, at_risk - 1, 1)
        c = np.where(at_risk > 1, events * (at_risk - events) / free, 0)
        share = at_risk_left / at_risk
        v = (c * share * (1 - share)).sum(axis=1)
        return np.where(v > 1e-12, u**2 / np.where(v > 1e-12, v, 1), -np.inf)

    one = SurvivalTree(SurvivalCuts(log_rank, max_cuts=None), max_depth=3)
    other = SurvivalTree(max_depth=3).fit(X, (time, event)).tree_
    own = one.fit(X, (time, event)).tree_
    np.testing.assert_array_equal(own.threshold, other.threshold)
    np.testing.assert_allclose(own.gain, other.gain, rtol=1e-9)


@pytest.mark.parametrize("answer", [np.nan, [1.0], "text"])
def test_a_users_function_must_answer_in_numbers(answer):
    X, time, event, _ = a_table(1)
    with pytest.raises((ValueError, TypeError)):
        SurvivalTree(SurvivalScores(lambda *rows: answer)).fit(X, (time, event))


# --- leaves, forests ---


def test_the_curves_of_leaves_are_those_of_their_rows():
    X, time, event, weight = a_table(12, n=150, n_times=60)
    tree = SurvivalTree(min_samples_leaf=10).fit(X, (time, event), weight)
    leaves = tree.apply(X)
    hazard = tree.predict_cumulative_hazard_function(X, return_array=True)
    at = np.searchsorted(tree.unique_times_, time)
    for leaf in np.unique(leaves):
        own = leaves == leaf
        expected = oracle.hazard(time[own], event[own], weight[own])
        found = hazard[own, :][np.arange(own.sum()), at[own]]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    risks = hazard[:, tree.is_event_time_].sum(axis=1)
    np.testing.assert_allclose(tree.predict(X), risks, rtol=1e-12)


def test_the_curve_of_an_inner_node_joins_those_below():
    X, time, event, weight = a_table(13, n=150, n_times=60)
    tree = SurvivalTree().fit(X, (time, event), weight)
    pruned = SurvivalTree(max_depth=2).fit(X, (time, event), weight)
    depth = tree.tree_.depths()
    is_leaf = (depth >= 2) | (tree.tree_.children_left < 0)
    cut = tree.tree_.cut(is_leaf)
    for kind in ("survival", "hazard"):
        np.testing.assert_allclose(
            cut.curves.values(kind), pruned.tree_.curves.values(kind), rtol=1e-12
        )
    whole = tree.tree_.curves_of(0).values("survival")
    root = SurvivalTree(max_depth=1).fit(np.zeros((150, 1)), (time, event), weight)
    np.testing.assert_allclose(whole, root.tree_.curves.values("survival"), rtol=1e-12)


@pytest.mark.parametrize("forest", [RandomSurvivalForest, ExtraSurvivalTrees])
def test_a_forest_is_the_mean_of_its_trees(forest):
    X, time, event, weight = a_table(14, n=150, n_times=60)
    model = forest(6, random_state=0).fit(X, (time, event), weight)
    every = [
        tree.predict_survival_function(X, return_array=True)
        for tree in model.estimators_
    ]
    found = model.predict_survival_function(X, return_array=True)
    np.testing.assert_allclose(found, np.mean(every, axis=0), rtol=1e-12)
    some = model.predict_survival_function(X, times=[30.0, 3.0, 0.0])
    places = np.searchsorted(model.unique_times_, [30, 3], side="right") - 1
    np.testing.assert_array_equal(some[:, :2], found[:, places])
    assert (some[:, 2] == 1).all()
    risks = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict(X), risks, rtol=1e-12)


@pytest.mark.parametrize("forest", [RandomSurvivalForest, ExtraSurvivalTrees])
def test_a_forest_does_not_depend_on_threads_and_order(forest):
    X, time, event, _ = a_table(15, n=200, n_times=60)
    order = np.random.default_rng(0).permutation(len(X))
    one = forest(6, random_state=0, n_jobs=1).fit(X, (time, event))
    two = forest(6, random_state=0, n_jobs=2)
    two.fit(X[order], (time[order], event[order]))
    for a, b in zip(one.estimators_, two.estimators_, strict=True):
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
        np.testing.assert_array_equal(a.tree_.value, b.tree_.value)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_out_of_bag_is_by_trees_that_have_not_seen_a_row():
    X, time, event, _ = a_table(16, n=100, n_times=40)
    model = RandomSurvivalForest(30, oob_score=True, random_state=0)
    model.fit(X, (time, event))
    risks = np.full((30, 100), np.nan)
    for t, (tree, rows) in enumerate(
        zip(model.estimators_, model.estimators_samples_, strict=True)
    ):
        unseen = np.setdiff1d(np.arange(100), rows)
        risks[t, unseen] = tree.predict(X[unseen])
    np.testing.assert_allclose(
        model.oob_prediction_, np.nanmean(risks, axis=0), rtol=1e-12
    )
    curves = model.oob_survival_function(X, times=[5.0, 20.0])
    assert curves.shape == (100, 2)
    assert (curves[:, 0] >= curves[:, 1]).all()


def test_importances_find_the_column_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    time = rng.exponential(np.exp(-1.5 * X[:, 2]))
    y = (time, np.ones(300))
    model = RandomSurvivalForest(20, random_state=0).fit(X, y)
    assert model.feature_importances_.argmax() == 2
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.importances("permutation", X, y).argmax() == 2
