# SPDX-License-Identifier: BSD-3-Clause
"""Trees with lines in their leaves: numbers worked out by hand, laws, bad input."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, make_friedman1
from strategies import FEW

import ramify
from ramify import CommitteeRegressor, ModelTreeRegressor, _core
from ramify.explanations.scores import Scores
from ramify.tree.lines import Lines

METHODS = ("m5", "pilot")
every_method = pytest.mark.parametrize("method", METHODS)

# A line up to 10, with a bend there, and an alternating error.
BENT = np.arange(20.0)[:, None]
BENT_Y = np.minimum(BENT[:, 0], 10) + np.where(np.arange(20) % 2 == 0, 0.1, -0.1)
STEP = np.arange(10.0)[:, None]
STEP_Y = np.array([1, 1.2, 0.9, 1.1, 1, 5, 6.1, 6.9, 8.2, 9])


def random_rows(seed, n=200, gaps=0.1, categories=True):
    """Return a frame of numbers with gaps and perhaps categories, and a number."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    y = np.where(X[:, 0] > 0, 2 * X[:, 1], -X[:, 2]) + 0.3 * rng.normal(size=n)
    city = rng.choice(["a", "b", "c", "d"], n)
    y = y + np.isin(city, ["b", "d"]) * 1.5
    X[rng.random(X.shape) < gaps] = np.nan
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    if categories:
        frame["city"] = city
        frame.loc[rng.random(n) < gaps, "city"] = None
    return frame, y


def arrays_of(model):
    """Return all arrays of a tree, and of its lines."""
    tree = model.tree_
    return {**tree.arrays(), **{f"line {k}": v for k, v in vars(tree.lines).items()}}


def assert_same_tree(one, other):
    first, second = arrays_of(one), arrays_of(other)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


# --- PILOT, by hand and by least squares ----------------------------------------------


def pilot(X, y, models=("lin", "pcon", "blin", "plin"), **settings):
    return ModelTreeRegressor(
        "pilot", method_params={"models": list(models), **settings}
    ).fit(X, y)


def bic(rss, k, n):
    return n * math.log(rss / n) + k * math.log(n)


def rss_of(tree):
    return float((tree.impurity * tree.weighted_n_node_samples)[tree.feature < 0].sum())


@pytest.mark.parametrize(
    ("model", "cut", "rss", "k", "score"),
    [
        ("lin", None, 41.8338346, 2, 20.7509281),
        ("blin", 10.5, 0.53021237, 5, -57.6255372),
        ("plin", 9.5, 0.19393939, 7, -71.7487110),
    ],
)
def test_each_model_of_pilot_has_the_squares_worked_out_by_hand(
    model, cut, rss, k, score
):
    tree = pilot(BENT, BENT_Y, [model]).tree_
    # What leaves take afterwards is not the model's.
    found = rss_of(tree) if cut is None else 20 * (tree.impurity[0] - tree.gain[0])
    assert found == pytest.approx(rss, abs=1e-7)
    assert bic(found, k, 20) == pytest.approx(score, abs=1e-6)
    assert tree.threshold[0] == (-2 if cut is None else cut)


def test_a_step_of_pilot_is_where_it_was_by_hand():
    tree = pilot(BENT, BENT_Y, ["pcon"]).tree_
    assert tree.threshold[0] == 5.5
    after = 20 * (tree.impurity[0] - tree.gain[0])
    assert after == pytest.approx(39.5571429, abs=1e-6)
    assert bic(after, 5, 20) == pytest.approx(28.6189415, abs=1e-6)
    assert 20 * tree.impurity[0] == pytest.approx(232.95)
    assert bic(232.95, 1, 20) == pytest.approx(52.0975636, abs=1e-6)


def test_pilot_takes_the_broken_line_of_the_example():
    model = pilot(BENT, BENT_Y)
    tree = model.tree_
    assert tree.threshold.tolist() == [9.5, -2, -2]
    np.testing.assert_allclose(tree.value[1:, 0, 0], [0.02727273, 10.08787879], 1e-6)
    np.testing.assert_allclose(tree.line_slope, [0.99393939, -0.00606061], 1e-5)
    assert ramify.export_text(model).startswith("x0 <= 9.5: y = 0.02727 + 0.9939 x0")
    line = pilot(BENT, BENT_Y, ["lin"]).tree_
    np.testing.assert_allclose(line.value[0, 0, 0], 2.15714286)
    np.testing.assert_allclose(line.line_slope, [0.53609023], 1e-7)


def test_pilot_on_diabetes_is_a_leaf_of_four_columns():
    X, y = load_diabetes(return_X_y=True)
    model = ModelTreeRegressor("pilot").fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.tree_.line_column[0] == 2
    error = float(((model.predict(X) - y) ** 2).mean())
    assert error == pytest.approx(3059.73547, abs=1e-5)
    np.testing.assert_allclose(
        model.predict(X[:3]), [218.641691, 76.0599089, 191.466553], 1e-7
    )
    first = pilot(X, y, ["lin"], rel_tol=1.0).tree_  # the first line is the last one
    assert first.line_column.tolist() == [2]
    np.testing.assert_allclose(first.line_slope, [949.43526], 1e-7)
    assert rss_of(first) == pytest.approx(1719581.81, abs=0.01)
    assert bic(rss_of(first), 2, 442) == pytest.approx(3665.87918, abs=1e-5)


def columns_of_model(model, x, cut):
    """Write out the columns of which a model of PILOT is the least squares."""
    one, right = np.ones(len(x)), x > cut
    return {
        "pcon": [one, right],
        "blin": [one, x, np.maximum(x - cut, 0)],
        "plin": [~right, right, np.where(right, 0, x), np.where(right, x, 0)],
    }[model]


@pytest.mark.parametrize("model", ["pcon", "blin", "plin"])
@given(st.integers(0, 10**6))
@FEW
def test_pilot_finds_the_best_cut_that_least_squares_finds(model, seed):
    rng = np.random.default_rng(seed)
    n = 40
    x = rng.integers(0, 15, n).astype(float) * 10.0 ** rng.integers(-3, 4)
    weight = rng.integers(1, 4, n).astype(float)
    y = rng.normal(size=n) + np.where(x > np.median(x), 2 * x / x.max(), -1)
    tree = (
        ModelTreeRegressor("pilot", max_depth=1, method_params={"models": [model]})
        .fit(x[:, None], y, weight)
        .tree_
    )
    if tree.node_count == 1:
        return  # BIC sees nothing
    root = np.sqrt(weight)
    values = np.unique(x)
    best = np.inf
    for low, high in itertools.pairwise(values):
        cut = (low + high) / 2
        sides = [weight[x <= cut].sum(), weight[x > cut].sum()]
        unique = [(values <= cut).sum(), (values > cut).sum()]
        if min(sides) < 5 or (model != "pcon" and min(unique) < 5):
            continue
        columns = np.column_stack(columns_of_model(model, x, cut)) * root[:, None]
        rest = y * root - columns @ np.linalg.lstsq(columns, y * root, rcond=None)[0]
        best = min(best, float(rest @ rest))
    total = weight.sum()
    found = total * (tree.impurity[0] - tree.gain[0])
    assert found == pytest.approx(best, rel=1e-9, abs=1e-9)
    if model == "plin":  # the children are these lines; those of blin end in a mean
        leaf = tree.lines.at(tree.value[:, 0, 0], tree.apply(x[:, None]), x[:, None])
        inside = (leaf > y.min()) & (leaf < y.max())
        assert inside.any()
        if inside.all():
            assert weight @ (y - leaf) ** 2 == pytest.approx(best, rel=1e-7, abs=1e-9)


def test_categories_are_parted_as_the_best_subset_would_be():
    rng = np.random.default_rng(3)
    city = rng.choice(list("abcdef"), 200)
    y = np.isin(city, ["a", "d", "e"]) * 3.0 + rng.normal(size=200)
    model = ModelTreeRegressor("pilot", max_depth=1).fit(
        pd.DataFrame({"city": city}), y
    )
    best = min(
        y[inside].var() * inside.sum() + y[~inside].var() * (~inside).sum()
        for size in (1, 2, 3)
        for subset in itertools.combinations("abcdef", size)
        if (inside := np.isin(city, subset)).any()
    )
    assert rss_of(model.tree_) == pytest.approx(best, rel=1e-9)


# --- M5' by hand ----------------------------------------------------------------------


def m5(X, y, **settings):
    return ModelTreeRegressor("m5", method_params={"penalty": 0, **settings}).fit(X, y)


def test_cuts_of_m5_score_as_by_hand():
    left, right = STEP_Y[:5].tolist(), STEP_Y[5:].tolist()
    assert _core.fifth_root_score(left, right) == pytest.approx(0.80801936)
    left, right = STEP_Y[:7].tolist(), STEP_Y[7:].tolist()
    assert _core.fifth_root_score(left, right) == pytest.approx(0.36801497)
    assert _core.fifth_root_score([1.0, 1.0], [4.0, 4.0, 4.0]) == pytest.approx(
        np.var([1, 1, 4, 4, 4]) ** 0.2
    )


def test_m5_grows_the_tree_of_the_example():
    model = m5(STEP, STEP_Y, smoothing=0)
    tree = model.tree_
    assert tree.threshold.tolist() == [4.5, -2, -2]
    np.testing.assert_allclose(tree.value[:, 0, 0], [-0.59636364, 1.04, -0.03], 1e-6)
    np.testing.assert_allclose(tree.line_slope, [1.03030303, 1.01], 1e-7)
    assert tree.line_begin.tolist() == [0, 1, 1, 2]  # the left leaf is a constant
    rest = tree.on_lines(STEP, clipped=False)[:, 0] - STEP_Y
    assert np.sqrt((rest**2).mean()) == pytest.approx(0.10148892, abs=1e-7)
    unclipped = STEP_Y - (tree.value[0, 0, 0] + tree.line_slope[0] * STEP[:, 0])
    assert np.sqrt((unclipped**2).mean()) == pytest.approx(1.12819513, abs=1e-7)


def test_m5_smooths_as_by_hand():
    model = m5(STEP, STEP_Y)
    assert model.predict([[7.0]])[0] == pytest.approx((5 * 7.04 + 15 * 6.61575758) / 20)


def test_a_ridge_line_is_that_of_linear_algebra():
    """The root of a tree that may not be cut has the line of all tested columns."""
    X, y = load_diabetes(return_X_y=True)
    weight = np.arange(1.0, 101)
    for rows, w in ((slice(None), None), (slice(100), weight)):
        Z, t = X[rows][:, [2, 8]], y[rows]
        own = np.ones(len(t)) if w is None else w
        mean, centre = np.average(Z, axis=0, weights=own), np.average(t, weights=own)
        deviation = np.sqrt(np.average((Z - mean) ** 2, axis=0, weights=own))
        S = (Z - mean) / deviation
        slope = np.linalg.solve(
            S.T @ (own[:, None] * S) + np.eye(2), S.T @ (own * (t - centre))
        )
        model = ModelTreeRegressor(
            method_params={"factor": 0, "smoothing": 0, "prune": False}, max_depth=3
        ).fit(Z, t, w)
        found = model.tree_.lines.slopes(0)
        np.testing.assert_allclose(
            [found[0], found[1]], slope / deviation, rtol=1e-9, atol=0
        )
    whole = ModelTreeRegressor(
        method_params={"factor": 0, "smoothing": 0, "prune": False}, max_depth=3
    ).fit(X[:, [2, 8]], y)
    np.testing.assert_allclose(
        list(whole.tree_.lines.slopes(0).values()), [673.941541, 614.064663], 1e-8
    )
    weighted = ModelTreeRegressor(
        method_params={"factor": 0, "smoothing": 0, "prune": False}, max_depth=3
    ).fit(X[:100][:, [2, 8]], y[:100], weight)
    np.testing.assert_allclose(
        list(weighted.tree_.lines.slopes(0).values()), [605.217130, 551.370494], 1e-8
    )
    np.testing.assert_allclose(weighted.tree_.value[0, 0, 0], 143.664762, 1e-8)
    np.testing.assert_allclose(whole.tree_.value[0, 0, 0], 152.133484, 1e-8)


# --- laws -----------------------------------------------------------------------------


@every_method
@given(st.integers(0, 10**6))
@FEW
def test_the_order_of_rows_changes_no_byte(method, seed):
    X, y = random_rows(seed)
    weight = np.random.default_rng(seed).integers(1, 3, len(y)) / 4
    order = np.random.default_rng(seed + 1).permutation(len(y))
    model = ModelTreeRegressor(method).fit(X, y, weight)
    other = ModelTreeRegressor(method, n_jobs=2)
    # Categories that are text are learnt in sorted order, whatever the rows.
    assert_same_tree(model, other.fit(X.iloc[order], y[order], weight[order]))


@every_method
@given(st.integers(0, 10**6))
@FEW
def test_weight_two_is_the_row_twice(method, seed):
    X, y = random_rows(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    model = ModelTreeRegressor(method).fit(X, y, times)
    rows = np.repeat(np.arange(len(y)), times)
    other = ModelTreeRegressor(method).fit(X.iloc[rows], y[rows])
    np.testing.assert_array_equal(model.tree_.feature, other.tree_.feature)
    np.testing.assert_allclose(model.predict(X), other.predict(X), 1e-9, 1e-9)


@every_method
@given(st.integers(0, 10**6))
@FEW
def test_answers_are_those_of_the_lines_in_numpy_and_within_the_range(method, seed):
    X, y = random_rows(seed, gaps=0.2)
    model = ModelTreeRegressor(method, missing="right").fit(X, y)
    wild = X.copy()
    wild[["p", "q", "r"]] *= 1e6
    tree = model.tree_
    for rows in (X, wild):
        matrix, _ = model._prepare(rows)
        expected = tree.lines.at(tree.value[:, 0, 0], tree.apply(matrix), matrix)
        found = model.predict(rows)
        np.testing.assert_array_equal(found, expected)
        assert y.min() <= found.min()
        assert found.max() <= y.max()
    one = model.row_predictor()
    assert [one(row) for row in X.head(9).to_dict("records")] == found_of(model, X)


def found_of(model, X):
    return model.predict(X.head(9)).tolist()


@every_method
def test_a_line_needs_no_split(method):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = 3 * X[:, 1] + 1
    model = ModelTreeRegressor(
        method, method_params={"penalty": 0} if method == "m5" else None
    )
    model.fit(X, y)
    assert model.get_n_leaves() == 1
    assert list(model.tree_.lines.slopes(0)) == [1]
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)


@every_method
def test_few_rows_and_constants_give_a_leaf(method):
    rng = np.random.default_rng(0)
    for X, y in (
        (rng.normal(size=(50, 2)), np.full(50, 3.5)),
        (rng.normal(size=(1, 2)), np.array([3.5])),
        (np.ones((50, 2)), rng.normal(size=50)),
        (np.full((50, 2), np.nan), rng.normal(size=50)),
    ):
        model = ModelTreeRegressor(method).fit(X, y)
        assert model.get_n_leaves() == 1
        np.testing.assert_allclose(model.predict(X), y.mean(), atol=1e-9)


@every_method
def test_huge_and_tiny_columns_cost_no_digits(method):
    X, y = make_friedman1(300, n_features=5, random_state=0)
    model = ModelTreeRegressor(method).fit(X, y)
    moved = X * [1e150, 1e-150, 1, 1e9, 1] + [0, 0, 1e7, 0, 0]
    other = ModelTreeRegressor(method).fit(moved, y)
    np.testing.assert_array_equal(model.tree_.feature, other.tree_.feature)
    np.testing.assert_allclose(model.predict(X), other.predict(moved), 1e-5)
    extreme = ModelTreeRegressor(method).fit(X * 1.7e308, y)
    assert np.isfinite(extreme.predict(X * 1.7e308)).all()


@every_method
def test_missing_values_that_say_something_are_split_off(method):
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    is_gap = rng.random(400) < 0.4
    y = is_gap * 10.0 + 0.1 * rng.normal(size=400)
    x[is_gap] = np.nan
    model = ModelTreeRegressor(method).fit(x[:, None], y)
    assert abs(model.predict([[np.nan]])[0] - 10) < 0.6
    assert abs(model.predict([[0.5]])[0]) < 0.6


def test_columns_are_drawn_by_the_seed_alone():
    X, y = make_friedman1(300, random_state=0)
    fit = [
        ModelTreeRegressor("pilot", max_features=3, random_state=seed).fit(X, y)
        for seed in (0, 0, 1)
    ]
    assert_same_tree(fit[0], fit[1])
    assert not np.array_equal(fit[0].predict(X), fit[2].predict(X))


# --- what is done with the tree -------------------------------------------------------


@every_method
def test_shapley_values_are_those_of_all_coalitions(method):
    X, y = random_rows(4, n=150, categories=False)
    for model in (
        ModelTreeRegressor(method).fit(X, y),
        CommitteeRegressor(2, method).fit(X, y),
    ):
        scores = Scores.from_model(model, "explain")
        rows, others = scores.matrix(X[:3]), scores.matrix(X[10:15])

        def worth(row, columns, others=others, scores=scores):
            mixed = others.copy()
            mixed[:, list(columns)] = row[list(columns)]
            return float(scores.scores(mixed, clipped=False).mean())

        found = ramify.explain(model, X[:3], X[10:15], interactions=False)
        for i, row in enumerate(rows):
            for j in range(3):
                rest = [k for k in range(3) if k != j]
                total = 0.0
                for size in range(3):
                    share = math.factorial(size) * math.factorial(2 - size) / 6
                    for own in itertools.combinations(rest, size):
                        gain = worth(row, (*own, j)) - worth(row, own)
                        total += share * gain
                assert found.values[i, j] == pytest.approx(total, abs=1e-9)
        both = ramify.explain(model, X[:3], X[10:15], interactions=True)
        np.testing.assert_allclose(both.values.sum(axis=2), found.values, atol=1e-9)


def test_what_needs_values_in_leaves_is_refused_with_a_reason():
    X, y = random_rows(0, categories=False)
    model = ModelTreeRegressor("pilot").fit(X, y)
    forest = ramify.RandomForestRegressor(3, method="pilot", random_state=0).fit(X, y)
    for call, words in (
        (lambda: ramify.explain(model, X), "pass background="),
        (lambda: ramify.to_shap(model), "the leaves of a model tree have lines"),
        (lambda: ramify.counterfactual(model, X[:1], 3.0), "lines, which change"),
        (lambda: ramify.prune(model, "ccp", n_leaves=2), "fit it with ccp_alpha"),
        (lambda: ramify.shrink(model, X, y), "lines"),
        (lambda: ramify.refine(model, X, y), "lines"),
        (lambda: ramify.export(model, "pmml"), "cannot say lines in leaves"),
        (lambda: ramify.export(model, "treelite"), "cannot say lines in leaves"),
        (lambda: ramify.to_sklearn(model), "cannot say lines in leaves"),
        (lambda: forest.importances("oob", X, y), "permutation_importance"),
        (
            lambda: ramify.partial_dependence(model, X, "p", method="recursion"),
            "use method='brute'",
        ),
        (
            lambda: ModelTreeRegressor().fit_stream(lambda: [(X, y)]),
            "needs the residuals of all rows",
        ),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            call()
    average = ramify.partial_dependence(model, X, "p").average
    assert np.isfinite(average).all()


@every_method
def test_pruning_by_a_price_leaves_the_lines_of_the_nodes_above(method):
    X, y = make_friedman1(400, n_features=5, random_state=0)
    settings = {"prune": False} if method == "m5" else None
    model = ModelTreeRegressor(method, method_params=settings).fit(X, y)
    path = model.cost_complexity_pruning_path(X, y)
    small = ModelTreeRegressor(
        method, method_params=settings, ccp_alpha=float(path.ccp_alphas[-2])
    ).fit(X, y)
    assert 1 < small.get_n_leaves() < model.get_n_leaves()
    error = ((small.predict(X) - y) ** 2).mean()
    leaf = small.tree_.feature < 0
    share = small.tree_.weighted_n_node_samples[leaf] / len(y)
    assert error == pytest.approx(float(share @ small.tree_.impurity[leaf]), rel=1e-9)


@every_method
def test_importances_say_which_columns_lines_and_splits_use(method):
    X, y = make_friedman1(500, n_features=8, random_state=0)
    model = ModelTreeRegressor(method).fit(X, y)
    found = model.feature_importances_
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert found[:5].sum() > 0.95


def test_rules_have_the_line_as_text_and_as_numbers():
    model = pilot(BENT, BENT_Y)
    rules = ramify.rules(model)
    assert str(rules[0]).startswith("IF x0 <= 9.5 THEN y = 0.02727 + 0.9939 x0  (")
    line = rules[0].to_dict()["line"]
    assert line["terms"][0]["column"] == "x0"
    assert (line["low"], line["high"]) == (BENT_Y.min(), BENT_Y.max())
    assert "if missing: x0 4.5" in rules[0].to_text(missing=True)
    assert (
        ramify.rules(ramify.DecisionTreeRegressor().fit(BENT, BENT_Y))[0].line is None
    )


@every_method
def test_files_and_pickles_say_the_same(method, tmp_path):
    X, y = random_rows(2)
    for model in (
        ModelTreeRegressor(method).fit(X, y),
        CommitteeRegressor(3, method).fit(X, y),
        ramify.RandomForestRegressor(3, method=method, random_state=0).fit(X, y),
    ):
        model.save(tmp_path / "model.ramify")
        for twin in (
            ramify.load(tmp_path / "model.ramify"),
            pickle.loads(pickle.dumps(model)),
        ):
            np.testing.assert_array_equal(twin.predict(X), model.predict(X))
            assert type(twin) is type(model)


def test_a_file_whose_lines_are_damaged_is_refused(tmp_path):
    X, y = random_rows(2)
    model = ModelTreeRegressor().fit(X, y)
    whole = model.tree_.lines
    for name, wrong, words in (
        ("column", np.full_like(whole.column, 9), "a column that does not exist"),
        ("column", np.full_like(whole.column, 3), "a column of categories"),
        ("slope", np.full_like(whole.slope, np.nan), "not a finite number"),
        ("low", whole.high + 1, "whose bounds are none"),
        ("begin", whole.begin[::-1].copy(), "do not begin one after the other"),
    ):
        model.tree_.lines = Lines(**{**whole.arrays(), name: wrong})
        with pytest.raises(ValueError, match=words):
            model.save(tmp_path / "wrong.ramify")


@pytest.mark.parametrize(
    "model",
    [
        ModelTreeRegressor("pilot"),
        CommitteeRegressor(3, "pilot"),
        ramify.RandomForestRegressor(
            30, method="pilot", random_state=0, oob_score=True
        ),
    ],
)
def test_intervals_are_as_wide_as_lines_are_off(model):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(900, 2))
    y = 5 * X[:, 0] + (0.1 + 2 * (X[:, 1] > 0.5)) * rng.normal(size=900)
    model.fit(X[:300], y[:300]).calibrate(X[300:600], y[300:600])
    ends = model.predict_interval(X[600:], 0.9)
    inside = (ends[:, 0] <= y[600:]) & (y[600:] <= ends[:, 1])
    assert 0.84 < inside.mean() < 0.96
    found, scale = model._numbers_and_spread(X[600:])
    np.testing.assert_allclose(found[:, 0], model.predict(X[600:]), 1e-12)
    lines = [each.tree_ for each in getattr(model, "estimators_", [model])]
    mean = np.mean([tree.on_lines(X[600:])[:, 0] for tree in lines], axis=0)
    square = np.mean(
        [
            tree.on_lines(X[600:])[:, 0] ** 2 + tree.impurity[tree.apply(X[600:])]
            for tree in lines
        ],
        axis=0,
    )
    spread = np.sqrt(square - mean**2) + 0.04 * y[:300].std()
    np.testing.assert_allclose(scale[:, 0], spread, 1e-9)


# --- committees and forests -----------------------------------------------------------


def test_a_committee_is_its_recipe():
    X, y = random_rows(7)
    committee = CommitteeRegressor(3, "pilot").fit(X, y)
    low, high = y.min(), y.max()
    own = y
    for member in committee.estimators_:
        tree = ModelTreeRegressor("pilot")._fit_clipped(X, own, None, (low, high))
        np.testing.assert_array_equal(tree.predict(X), member.predict(X))
        own = np.clip(2 * y - tree.predict(X), low - (high - low), high + high - low)
    np.testing.assert_allclose(
        committee.predict(X), committee.votes(X).mean(axis=1), rtol=1e-12
    )


def test_forests_grow_model_trees_by_name():
    X, y = make_friedman1(300, random_state=0)
    usual = {"random_state": 0, "oob_score": True, "n_estimators": 20}
    plain = ramify.RandomForestRegressor(**usual).fit(X, y)
    lines = ramify.RandomForestRegressor(
        **usual, method="pilot", method_params={"alpha": 0.5}
    ).fit(X, y)
    assert lines.oob_score_ > plain.oob_score_ + 0.05
    again = ramify.RandomForestRegressor(
        **usual, n_jobs=2, method="pilot", method_params={"alpha": 0.5}
    ).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(lines.predict(X), again.predict(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ModelTreeRegressor("m6"), "method='m6' is no model tree; use 'm5' or 'pilot'"),
        (ModelTreeRegressor(method_params={"alpha": 1}), "has no setting 'alpha'"),
        (ModelTreeRegressor(method_params={"stop": -1}), "a share of the deviation"),
        (
            ModelTreeRegressor("pilot", method_params={"alpha": 0}),
            "a number above 0 and at most 1",
        ),
        (
            ModelTreeRegressor("pilot", method_params={"models": ["line"]}),
            "a list of some of",
        ),
        (ModelTreeRegressor(missing="fractional"), "'left', 'right' or 'error'"),
        (ModelTreeRegressor(unseen="parent"), "'heavier', 'error' or 'missing'"),
        (ModelTreeRegressor(max_depth=0), "max_depth=0 is not allowed"),
        (CommitteeRegressor(0), "n_estimators=0 is not allowed"),
        (
            ramify.RandomForestRegressor(method="m5", honest=0.5),
            "has lines in them; set honest=None",
        ),
        (
            ramify.RandomForestRegressor(method="m5", criterion="poisson"),
            "criterion='poisson' cannot be used with method='m5'",
        ),
    ],
)
def test_what_means_nothing_is_refused(model, words):
    X, y = random_rows(0)
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_bins_and_outputs_are_refused():
    X, y = make_friedman1(50, random_state=0)
    with pytest.raises(ValueError, match="a model tree needs all values"):
        ModelTreeRegressor().fit(ramify.Table(X, max_bins=9), y)
    for model in (ModelTreeRegressor(), CommitteeRegressor()):
        with pytest.raises(ValueError, match="y has 2 outputs; a model tree"):
            model.fit(X, np.column_stack([y, y]))


@each_of([ModelTreeRegressor(), ModelTreeRegressor("pilot"), CommitteeRegressor(2)])
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)
