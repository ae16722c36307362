# SPDX-License-Identifier: BSD-3-Clause
"""Prediction intervals: their ranks by hand, what they promise, and who refuses."""

import copy
import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression, QuantileRegressor

import ramify
from ramify.conformal import Pair, Scores, rows_needed
from ramify.estimators.conformal.spread import (
    deviations_of,
    known_deviations,
    moments_of,
    spread_from,
)

X, Y = load_diabetes(return_X_y=True)
HALF = np.arange(len(Y)) % 2 == 0

MODELS = {
    "forest": ramify.RandomForestRegressor(15, min_samples_leaf=3, random_state=0),
    "extra": ramify.ExtraTreesRegressor(10, min_samples_leaf=3, random_state=0),
    "bagged": ramify.BaggedTreesRegressor(10, "absolute_error", random_state=0),
    "honest": ramify.RandomForestRegressor(10, honest=0.5, random_state=0),
    "tree": ramify.DecisionTreeRegressor(min_samples_leaf=10),
    "median": ramify.DecisionTreeRegressor("absolute_error", min_samples_leaf=10),
    "drawn": ramify.ExtraTreeRegressor(min_samples_leaf=10, random_state=0),
    "boosted": ramify.BoostedTreesRegressor(n_estimators=10, max_depth=3),
    "tuned": ramify.TunedTreeRegressor(None, {"min_samples_leaf": [10, 20]}, cv=2),
}
every_model = pytest.mark.parametrize("name", MODELS)


def calibrated(name, weight=None):
    model = clone(MODELS[name]).fit(X[HALF], Y[HALF])
    return model.calibrate(X[~HALF], Y[~HALF], weight)


def share_inside(ends, y):
    return ((ends[:, 0] <= y) & (y <= ends[:, 1])).mean()


# --- ranks ------------------------------------------------------------------------


def test_the_score_of_a_level_is_the_one_worked_out_by_hand():
    values = np.array([0.3, 0.1, 0.9, 0.4, 0.7, 0.2, 0.6, 0.5, 0.8])
    scores = Scores.sorted_from(values, None)
    found = [scores.critical(level) for level in (0.5, 0.8, 0.9, 0.95)]
    assert found == [0.5, 0.8, 0.9, np.inf]
    weighted = Scores.sorted_from(values, np.arange(1.0, 10.0))
    assert weighted.critical(0.8) == 0.8
    # The lower rank: floor((n + 1)(1 - level)).
    assert -Scores.sorted_from(-values, None).critical(0.8) == 0.2


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=30),
    st.lists(st.integers(0, 4), min_size=30, max_size=30),
    st.integers(1, 19),
)
def test_a_weight_of_two_is_the_row_twice(values, weights, twentieths):
    weight = np.array(weights[: len(values)])
    if weight.sum() == 0:
        weight[0] = 1
    value, level = np.array(values, dtype=float), twentieths / 20
    own = Scores.sorted_from(value, weight.astype(float))
    many = Scores.sorted_from(np.repeat(value, weight), None)
    assert own.critical(level) == many.critical(level)
    assert own.n == many.n
    # As the definition says, in whole numbers.
    rank = -(-(int(many.n) + 1) * twentieths // 20)
    expected = np.sort(many.value)[rank - 1] if rank <= many.n else np.inf
    assert own.critical(level) == expected


def test_the_rows_that_a_level_needs():
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        n = rows_needed(level)
        enough, few = np.zeros(n), np.zeros(n - 1)
        assert np.isfinite(Scores.sorted_from(enough, None).critical(level))
        assert np.isinf(Scores.sorted_from(few, None).critical(level))


def test_the_spread_of_three_leaves_is_the_one_worked_out_by_hand():
    mean, variance = np.array([2.0, 3.0, 4.0]), np.array([1.0, 0.5, 0.0])
    moments = np.array([[[mean.mean()], [(variance + mean**2).mean()]]])
    assert spread_from(moments)[0, 0] ** 2 == pytest.approx(1.16666667)


# --- the oracle -------------------------------------------------------------------


def test_intervals_of_a_forest_are_those_of_the_formula():
    forest = ramify.RandomForestRegressor(
        25, min_samples_leaf=4, oob_score=True, random_state=3
    ).fit(X, Y)
    trees = [model.tree_ for model in forest.estimators_]
    seen = forest._seen_rows()
    b = 0.04 * Y.std()

    def f_and_d(rows, used):
        """Return mean and spread of a row by the trees that are used."""
        leaf = [tree.apply(X[rows : rows + 1])[0] for tree in trees]
        m = np.array([t.value[i, 0, 0] for t, i in zip(trees, leaf, strict=True)])[used]
        v = np.array([t.impurity[i] for t, i in zip(trees, leaf, strict=True)])[used]
        return m.mean(), np.sqrt((v + m**2).mean() - m.mean() ** 2)

    scores = {"residual": [], "scaled": []}
    for i in range(len(Y)):
        if seen[:, i].all():
            continue
        f, d = f_and_d(i, ~seen[:, i])
        scores["residual"].append(abs(Y[i] - f))
        scores["scaled"].append(abs(Y[i] - f) / (d + b))
    k = int(np.ceil((len(scores["scaled"]) + 1) * 0.9)) - 1
    for method, own in scores.items():
        q = np.sort(own)[k]
        found = forest.predict_interval(X[:20], 0.9, method)
        for i in range(20):
            f, d = f_and_d(i, slice(None))
            reach = q * (d + b if method == "scaled" else 1)
            np.testing.assert_allclose(found[i], [f - reach, f + reach], rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_jackknife_plus_is_that_of_the_formula(level):
    forest = ramify.RandomForestRegressor(
        20, min_samples_leaf=4, oob_score=True, random_state=3
    ).fit(X, Y)
    unseen = ~forest._seen_rows()
    kept = np.flatnonzero(unseen.any(axis=0))
    votes, own = forest.votes(X[:15]), forest.votes(X)
    low, high = [], []
    for i in kept:
        mean = own[i, unseen[:, i]].mean()
        error = abs(Y[i] - mean)
        others = votes[:, unseen[:, i]].mean(axis=1)
        low.append(others - error)
        high.append(others + error)
    n = len(kept)
    upper = np.sort(high, axis=0)[int(np.ceil((n + 1) * level - 1e-9)) - 1]
    lower = np.sort(low, axis=0)[int(np.floor((n + 1) * (1 - level) + 1e-9)) - 1]
    found = forest.predict_interval(X[:15], level, "jackknife+")
    np.testing.assert_allclose(found, np.column_stack([lower, upper]), rtol=1e-12)


def test_weights_of_jackknife_plus_are_numbers_of_rows():
    from ramify import _core

    rng = np.random.default_rng(0)
    votes, error = rng.normal(size=(7, 12)), np.abs(rng.normal(size=30))
    unseen = (rng.random((12, 30)) < 0.4).astype(np.uint8)
    unseen[0] = 1
    weight = rng.integers(1, 4, size=30)
    rank = (weight.sum() + 1) * 0.8
    whole = _core.jackknife_plus(votes, unseen, error, weight.astype(float), rank)
    repeated = np.ascontiguousarray(np.repeat(unseen, weight, axis=1))
    plain = _core.jackknife_plus(votes, repeated, np.repeat(error, weight), None, rank)
    np.testing.assert_array_equal(whole, plain)
    two = _core.jackknife_plus(votes, unseen, error, weight.astype(float), rank, 2)
    np.testing.assert_array_equal(whole, two)


def test_deviations_know_no_order_of_rows():
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=(500, 2)) * 1e6, rng.random(500)
    order = rng.permutation(500)
    own = deviations_of(values, weight)
    np.testing.assert_array_equal(own, deviations_of(values[order], weight[order]))
    mean = np.average(values, axis=0, weights=weight)
    expected = np.average((values - mean) ** 2, axis=0, weights=weight)
    np.testing.assert_allclose(own**2, expected)


# --- laws -------------------------------------------------------------------------


@every_model
def test_coverage_is_that_of_the_level(name):
    rows, numbers = make_friedman1(3000, noise=1.0, random_state=0)
    model = clone(MODELS[name]).fit(rows[:300], numbers[:300])
    model.calibrate(rows[300:1300], numbers[300:1300])
    for level in (0.5, 0.9):
        found = model.predict_interval(rows[1300:], level)
        inside = share_inside(found, numbers[1300:])
        # Both sets of rows are drawn: three standard errors.
        error = np.sqrt(level * (1 - level) * (1 / 1000 + 1 / 1700))
        assert abs(inside - level) < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("method", ["scaled", "residual"])
def test_coverage_over_two_thousand_sets_is_the_one_promised(method):
    # The tree stays; calibration rows and the new row are drawn anew.
    rng = np.random.default_rng(1)
    rows = rng.uniform(size=(300, 2))
    tree = ramify.DecisionTreeRegressor(min_samples_leaf=10)
    tree.fit(rows, rows[:, 0] + rng.normal(size=300) * rows[:, 1])
    n, level, n_sets = 20, 0.8, 2000
    inside = 0
    for _ in range(n_sets):
        some = rng.uniform(size=(n + 1, 2))
        numbers = some[:, 0] + rng.normal(size=n + 1) * some[:, 1]
        tree.calibrate(some[:n], numbers[:n])
        low, high = tree.predict_interval(some[n:], level, method)[0]
        inside += low <= numbers[n] <= high
    error = np.sqrt(level * (1 - level) / n_sets)
    share = inside / n_sets
    assert level - 3 * error < share < level + 1 / (n + 1) + 3 * error


@every_model
def test_intervals_grow_with_the_level_and_hold_the_prediction(name):
    model = calibrated(name)
    predicted = model.predict(X)
    before = np.column_stack([predicted, predicted])
    for level in (0.1, 0.5, 0.8, 0.95):
        found = model.predict_interval(X, level)
        assert (found[:, 0] <= before[:, 0]).all()
        assert (found[:, 1] >= before[:, 1]).all()
        before = found


@every_model
def test_a_weight_of_two_is_a_calibration_row_twice(name):
    weight = np.arange((~HALF).sum()) % 3
    rows = np.repeat(np.flatnonzero(~HALF), weight)
    one = calibrated(name, weight)
    other = clone(MODELS[name]).fit(X[HALF], Y[HALF]).calibrate(X[rows], Y[rows])
    np.testing.assert_allclose(
        one.predict_interval(X[:9]), other.predict_interval(X[:9]), rtol=1e-12
    )


@settings(max_examples=5)
@given(st.integers(0, 2**20))
def test_no_order_of_rows_and_no_threads_show(seed):
    order = np.random.default_rng(seed).permutation(len(Y))
    model = ramify.RandomForestRegressor(
        8, min_samples_leaf=4, oob_score=True, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few trees
        one = clone(model).fit(X, Y)
        other = clone(model).set_params(n_jobs=2).fit(X[order], Y[order])
    for method in ("scaled", "residual", "jackknife+"):
        np.testing.assert_array_equal(
            one.predict_interval(X[:30], 0.9, method),
            other.predict_interval(X[:30], 0.9, method),
        )


def test_outputs_have_their_own_intervals():
    both = np.column_stack([Y, 1000 * np.sqrt(Y)])
    forest = ramify.RandomForestRegressor(20, oob_score=True, random_state=0)
    forest.fit(X, both)
    for method in ("scaled", "residual", "jackknife+"):
        found = forest.predict_interval(X, 0.9, method)
        assert found.shape == (len(Y), 2, 2)
        for j in range(2):
            assert share_inside(found[:, :, j], both[:, j]) > 0.85
    tree = ramify.DecisionTreeRegressor(max_depth=3).fit(X[HALF], both[HALF])
    assert tree.calibrate(X, both).predict_interval(X[:4]).shape == (4, 2, 2)


def test_missing_values_that_go_down_every_branch():
    rows = X.copy()
    rows[::3, 2] = np.nan
    tree = ramify.DecisionTreeRegressor(max_depth=4, missing="fractional")
    tree.fit(rows[HALF], Y[HALF]).calibrate(rows[~HALF], Y[~HALF])
    found = tree.predict_interval(rows)
    assert (found[:, 0] < found[:, 1]).all()
    tree_, answers = tree.tree_, tree.predict(rows)
    moments = moments_of(tree_, np.zeros(1), with_variance=True)
    mean = tree_.average(rows, moments.reshape(len(moments), 1, 2))
    width = np.sqrt(mean[:, 1] - mean[:, 0] ** 2) + 0.04 * Y[HALF].std()
    q = tree.calibration_.scores["scaled"][0].critical(0.9)
    np.testing.assert_allclose(found[:, 1], answers + q * width)


# --- a pair of quantiles ----------------------------------------------------------


def test_a_pair_moves_both_quantiles():
    low, high = (
        ramify.BoostedTreesRegressor("quantile", quantile=q, n_estimators=20)
        for q in (0.05, 0.95)
    )
    pair = Pair(low, high).fit(X[HALF], Y[HALF]).calibrate(X[~HALF], Y[~HALF])
    ends = np.column_stack([pair.lower_.predict(X), pair.upper_.predict(X)])
    score = np.maximum(ends[~HALF, 0] - Y[~HALF], Y[~HALF] - ends[~HALF, 1])
    n = (~HALF).sum()
    q = np.sort(score)[int(np.ceil((n + 1) * 0.8)) - 1]
    expected = ends + np.array([-q, q])
    is_crossed = expected[:, 0] > expected[:, 1]
    expected[is_crossed] = expected[is_crossed].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(pair.predict_interval(X, 0.8), expected)
    fitted = Pair(pair.lower_, pair.upper_).calibrate(X[~HALF], Y[~HALF])
    np.testing.assert_array_equal(
        fitted.predict_interval(X, 0.8), pair.predict_interval(X, 0.8)
    )
    np.testing.assert_array_equal(pair.predict(X), ends.mean(axis=1))


def test_a_pair_takes_models_of_other_libraries():
    low, high = (QuantileRegressor(quantile=q, alpha=0.0) for q in (0.1, 0.9))
    pair = Pair(low, high).fit(X[HALF], Y[HALF]).calibrate(X[~HALF], Y[~HALF])
    assert 0.7 < share_inside(pair.predict_interval(X, 0.8), Y) < 0.9
    with pytest.raises(ValueError, match=r"not for this Pair.*use 'quantile'"):
        pair.predict_interval(X, method="residual")
    with pytest.raises(ValueError, match="not fitted: call fit"):
        Pair(LinearRegression(), LinearRegression()).predict(X)


# --- files and copies -------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MODELS if name != "tuned"])
def test_a_loaded_model_has_the_same_intervals(name, tmp_path):
    model = calibrated(name)
    ramify.save(model, tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    pickled = pickle.loads(pickle.dumps(model))
    for twin in (loaded, pickled):
        np.testing.assert_array_equal(
            twin.predict_interval(X, 0.8), model.predict_interval(X, 0.8)
        )
    assert loaded.calibration_.source == "calibrate"
    assert loaded.calibration_.n == (~HALF).sum()
    ramify.save(loaded, tmp_path / "again.ramify")
    first, second = (
        (tmp_path / n).read_bytes() for n in ("model.ramify", "again.ramify")
    )
    assert first == second


def test_a_damaged_calibration_is_refused(tmp_path):
    path = tmp_path / "model.ramify"
    ramify.save(calibrated("tree"), path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(files["model.json"])

    def changed(change):
        own = json.loads(files["model.json"])
        change(own)
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                text = json.dumps(own) if name == "model.json" else data
                archive.writestr(name, text)
        with pytest.raises(ValueError, match=r"calibration|spread"):
            ramify.load(path)

    def set_scores(value):
        def change(own):
            own["calibration"]["scores"]["residual"][0] = value

        return change

    good = header["calibration"]["scores"]["residual"][0]["value"]
    changed(set_scores({"value": good[::-1], "weight": None}))
    changed(set_scores({"value": good, "weight": [1.0]}))
    changed(lambda own: own["calibration"].update(source="guess"))
    changed(lambda own: own["calibration"]["scores"].update(other=[]))
    changed(lambda own: own["calibration"]["scores"]["residual"].append({}))
    changed(lambda own: own.update(deviation=[-1.0]))


def test_the_root_of_a_tree_knows_the_spread_of_its_target(tmp_path):
    path = tmp_path / "model.ramify"
    tree = clone(MODELS["tree"]).fit(X[HALF], Y[HALF])
    found = known_deviations(tree, [tree.tree_], 1)
    np.testing.assert_allclose(found, Y[HALF].std())
    ramify.save(tree, path)
    loaded = ramify.load(path)
    for model in (tree, loaded):
        model.calibrate(X[~HALF], Y[~HALF])
    np.testing.assert_array_equal(loaded.predict_interval(X), tree.predict_interval(X))


def test_other_fits_forget_what_was_learnt():
    model = calibrated("tree")
    model.fit(X, Y)
    assert not hasattr(model, "calibration_")
    model = calibrated("boosted").fit(X, Y)
    assert not hasattr(model, "calibration_")
    forest = calibrated("forest").fit(X, Y)
    assert not hasattr(forest, "calibration_")
    tree = calibrated("tree")
    pruned = copy.copy(tree)
    pruned.tree_ = tree.tree_.pruned(50.0)
    with pytest.raises(ValueError, match=r"changed after it was calibrated"):
        pruned.predict_interval(X)
    assert tree.predict_interval(X).shape == (len(Y), 2)


# --- what is refused --------------------------------------------------------------


def test_models_say_what_they_lack():
    forest = ramify.RandomForestRegressor(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"call calibrate.*or fit with oob_score=True"):
        forest.predict_interval(X)
    with pytest.raises(ValueError, match=r"'jackknife\+' is not for this .*oob_score"):
        forest.predict_interval(X, method="jackknife+")
    extra = ramify.ExtraTreesRegressor(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"not fitted$"):
        extra.predict_interval(X)
    with pytest.raises(ValueError, match="bootstrap=False shows all rows"):
        extra.predict_interval(X, method="jackknife+")
    with pytest.raises(ValueError, match=r"'scaled' is not for this Boosted.*residual"):
        calibrated("boosted").predict_interval(X, method="scaled")
    with pytest.raises(ValueError, match=r"unknown.*did you mean 'jackknife\+'"):
        calibrated("tree").predict_interval(X, method="jackknife")
    for level in (0, 1, 90, "0.9", True, np.nan):
        with pytest.raises(ValueError, match=r"level=.* is not allowed"):
            calibrated("tree").predict_interval(X, level)


def test_bad_calibration_rows_are_refused():
    tree = clone(MODELS["tree"]).fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.calibrate(X, Y[:5])
    with pytest.raises(ValueError, match="y has 2 outputs, the model 1"):
        tree.calibrate(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="at least one non-zero"):
        tree.calibrate(X, Y, np.zeros(len(Y)))
    with pytest.raises(ValueError, match=r"NaN|missing"):
        tree.calibrate(X, np.where(HALF, Y, np.nan))
    assert not hasattr(tree, "calibration_")


def test_too_few_rows_give_infinite_intervals_and_a_warning():
    tree = clone(MODELS["tree"]).fit(X, Y).calibrate(X[:8], Y[:8])
    with pytest.warns(UserWarning, match=r"level=0.9 needs at least 9 .*there are 8"):
        found = tree.predict_interval(X[:3])
    assert np.isinf(found).all()
    assert np.isfinite(tree.predict_interval(X[:3], 0.8)).all()
    forest = ramify.RandomForestRegressor(30, oob_score=True, random_state=0)
    forest.fit(X[:12], Y[:12])
    with pytest.warns(UserWarning, match="level=0.99 needs at least 99"):
        found = forest.predict_interval(X[:3], 0.99, "jackknife+")
    assert np.isinf(found).all()


def test_calibrate_of_fit_keeps_errors_without_a_score():
    forest = ramify.RandomForestRegressor(30, random_state=0)
    forest.fit(X, Y, calibrate="oob")
    assert not hasattr(forest, "oob_score_")
    scored = clone(forest).set_params(oob_score=True).fit(X, Y)
    for method in ("scaled", "jackknife+"):
        np.testing.assert_array_equal(
            forest.predict_interval(X, 0.9, method),
            scored.predict_interval(X, 0.9, method),
        )
    with pytest.raises(ValueError, match="calibrate='yes' is not allowed"):
        forest.fit(X, Y, calibrate="yes")
    with pytest.raises(ValueError, match="bootstrap=False shows all rows"):
        ramify.ExtraTreesRegressor(3).fit(X, Y, calibrate="oob")


def test_a_constant_target_has_intervals_without_width():
    forest = ramify.RandomForestRegressor(20, random_state=0)
    forest.fit(X[:100], np.full(100, 3.0), calibrate="oob")
    for method in ("scaled", "residual", "jackknife+"):
        np.testing.assert_array_equal(forest.predict_interval(X, 0.9, method), 3.0)
