# SPDX-License-Identifier: BSD-3-Clause
"""Quantile forests: weights by hand, laws, small lists that follow the trees."""

import io
import pickle
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes

import ramify
from ramify import _core
from ramify.estimators.leaf_rows.lists import LeafRows, follow

X, Y = load_diabetes(return_X_y=True)
LEVELS = [0.1, 0.25, 0.5, 0.75, 0.9]

MODELS = {
    "forest": ramify.RandomForestRegressor(
        20, leaf_rows=True, min_samples_leaf=3, random_state=0
    ),
    "poisson": ramify.RandomForestRegressor(
        10, leaf_rows=True, bootstrap="poisson", random_state=0
    ),
    "extra": ramify.ExtraTreesRegressor(
        10, leaf_rows=True, min_samples_leaf=3, random_state=0
    ),
    "bagged": ramify.BaggedTreesRegressor(10, leaf_rows=True, random_state=0),
    "honest": ramify.RandomForestRegressor(
        10, leaf_rows=True, honest=0.5, random_state=0
    ),
    "honest, all rows": ramify.RandomForestRegressor(
        10, leaf_rows=True, honest=0.3, bootstrap=False, random_state=0
    ),
    "tree": ramify.DecisionTreeRegressor(leaf_rows=True, min_samples_leaf=10),
    "pruned": ramify.DecisionTreeRegressor(leaf_rows=True, ccp_alpha=30.0),
    "drawn": ramify.ExtraTreeRegressor(
        leaf_rows=True, min_samples_leaf=10, random_state=0
    ),
}
every_model = pytest.mark.parametrize("name", MODELS)


# --- the numbers of the specification -------------------------------------------------

BITS = np.array(
    [list(map(int, row)) for row in ["000", "010", "001", "111", "110", "101"]]
)
COUNTS = np.array(
    [list(map(int, row)) for row in ["102", "211", "011", "120", "111", "111"]]
)
SMALL_Y = np.array([1.0, 2.0, 2.0, 3.0, 5.0, 8.0])
QUERIES = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])


def small_forest():
    """Make three trees that look at one bit each, and the rows of their leaves."""
    rows = BITS.astype(float)
    trees = [
        ramify.DecisionTreeRegressor().fit(rows, rows[:, t]).tree_ for t in (0, 1, 2)
    ]
    order = np.arange(6, dtype=np.uint32)
    lists = []
    for t, tree in enumerate(trees):
        begin, row, times = _core.list_leaf_rows(
            tree.walker(),
            0,
            rows,
            False,
            COUNTS[:, t].astype(float),
            order,
            tree.parents().astype(np.int64),
        )
        lists.append((begin, row, times.astype(np.uint8)))
    known = LeafRows(lists, trees, SMALL_Y[:, None])
    return known, ramify.tree.trees.Trees(trees).predictor()


def small_weights(rows, skip=None):
    known, predictor = small_forest()
    mask = None if skip is None else np.ascontiguousarray(skip).view(np.uint8)
    begin, row, weight = known.core(predictor).weights(rows, False, mask, 1)
    found = np.zeros((len(rows), 6))
    for i in range(len(rows)):
        part = slice(begin[i], begin[i + 1])
        found[i, row[part]] = weight[part]
    return found


def test_weights_are_those_worked_out_by_hand():
    weights = small_weights(QUERIES)
    expected = [
        [5 / 18, 7 / 18, 0, 1 / 6, 1 / 6, 0],
        [0, 0, 1 / 3, 1 / 9, 1 / 9, 4 / 9],
    ]
    np.testing.assert_allclose(weights, expected, atol=1e-15)
    np.testing.assert_allclose(weights @ SMALL_Y, [2.38888889, 5.11111111])


def test_quantiles_are_those_worked_out_by_hand():
    known, predictor = small_forest()
    asked = (QUERIES, False)
    found = known.quantiles(predictor, asked, np.array(LEVELS), is_lower=False)
    assert found[:, :, 0].tolist() == [[1, 1, 2, 3, 5], [2, 2, 5, 8, 8]]
    shares = known.cdf(predictor, asked, np.array([4.5, 2.0]))[:, :, 0]
    np.testing.assert_allclose(shares, [[5 / 6, 2 / 3], [4 / 9, 1 / 3]])


def test_rows_out_of_bag_are_those_worked_out_by_hand():
    rows, seen = BITS.astype(float), COUNTS.T > 0
    weights = small_weights(rows, seen)
    np.testing.assert_allclose(weights[0], [0, 0, 1 / 2, 0, 0, 1 / 2])
    assert weights[0] @ SMALL_Y == 5
    assert weights[2] @ SMALL_Y == pytest.approx(1.66666667)
    assert weights[3] @ SMALL_Y == 5
    known, predictor = small_forest()
    for is_lower, median in ((False, 5.0), (True, 2.0)):
        found = known.quantiles(
            predictor, (rows, False), np.array([0.5]), is_lower=is_lower, skip=seen
        )[:, 0, 0]
        assert found[0] == median
        assert np.isnan(found[[1, 4, 5]]).all()


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(None, [1, 1.5, 3.5, 5.5, 9]), ([1, 2, 1, 1, 3, 1, 1, 2], [1, 1.5, 4.5, 5.5, 6])],
)
def test_quantiles_of_one_leaf_are_those_worked_out_by_hand(weight, expected):
    y = [3, 1, 4, 1, 5, 9, 2, 6]
    tree = ramify.DecisionTreeRegressor(leaf_rows=True, min_samples_leaf=8)
    tree.fit(np.arange(8.0)[:, None], y, weight)
    assert tree.predict_quantiles([[3.0]], LEVELS)[0].tolist() == expected


# --- the oracle -----------------------------------------------------------------------


def slow_weights(forest, rows, y, weight=None):
    """Return the weights of the formula, tree by tree and row by row."""
    trees = getattr(forest, "estimators_", [forest])
    found = np.zeros((len(rows), len(y)))
    for t, model in enumerate(trees):
        if getattr(forest, "bootstrap", False):
            count = np.bincount(forest.estimators_samples_[t], minlength=len(y))
        else:
            count = np.ones(len(y)) if weight is None else weight
        own, asked = model.tree_.apply(X), model.tree_.apply(rows)
        for i, leaf in enumerate(asked):
            inside = count * (own == leaf)
            found[i] += inside / inside.sum() / len(trees)
    return found


@pytest.mark.parametrize("name", ["forest", "extra", "bagged", "tree", "drawn"])
def test_weights_are_those_of_the_formula(name):
    weight = np.arange(len(Y)) % 4 if name in ("extra", "tree", "drawn") else None
    model = clone(MODELS[name]).fit(X, Y, weight)
    expected = slow_weights(model, X[:9], Y, weight)
    np.testing.assert_allclose(model.row_weights(X[:9]).toarray(), expected, atol=1e-13)
    order = np.argsort(Y, kind="stable")
    up_to = np.cumsum(expected[:, order], axis=1)
    for i in range(9):
        for level in LEVELS:
            place = int(np.argmax(up_to[i] >= level - 1e-10))
            value = Y[order][place]
            if up_to[i][Y[order] <= value].max() <= level + 1e-10:
                value = (
                    value
                    + Y[order][expected[i][order] > 0][
                        Y[order][expected[i][order] > 0] > value
                    ][0]
                ) / 2
            assert model.predict_quantiles(X[i : i + 1], [level])[0, 0] == value
    points = [60.0, 250.0, 100.0]
    shares = [(expected * (point >= Y)).sum(axis=1) for point in points]
    np.testing.assert_allclose(
        model.predict_cdf(X[:9], points), np.transpose(shares), atol=1e-12
    )


def test_variance_is_that_of_the_formula():
    forest = ramify.RandomForestRegressor(60, max_depth=3, random_state=0).fit(
        X[:50], Y[:50]
    )
    counts = np.array(
        [np.bincount(own, minlength=50) for own in forest.estimators_samples_]
    )
    votes = forest.votes(X[50:60])
    for row, own in enumerate(votes):
        away = own - own.mean()
        covariance = ((counts - counts.mean(axis=0)) * away[:, None]).mean(axis=0)
        variance = (covariance**2).sum() - 50 / 60**2 * (away**2).sum()
        found = forest.predict_std(X[50 + row : 51 + row])[0]
        assert found == pytest.approx(np.sqrt(max(0, variance)))
    with pytest.warns(UserWarning, match="20 trees are too few for predict_std"):
        ramify.RandomForestRegressor(20, random_state=0).fit(X, Y).predict_std(X[:2])


# --- laws -----------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_sum_to_one_and_reproduce_the_mean(name, weighted):
    weight = np.arange(len(Y)) % 3 if weighted else None
    model = clone(MODELS[name]).fit(X, Y, weight)
    found = model.row_weights(X)
    assert found.shape == (len(X), len(Y))
    np.testing.assert_allclose(np.asarray(found.sum(axis=1)), 1, atol=1e-12)
    np.testing.assert_allclose(found @ Y, model.predict(X), rtol=1e-10)
    if weighted:
        assert found[:, np.flatnonzero(weight == 0)].nnz == 0


@every_model
def test_quantiles_do_not_cross_and_hold_their_share(name):
    model = clone(MODELS[name]).fit(X, Y)
    levels = np.linspace(0, 1, 21)
    found = model.predict_quantiles(X[:40], levels)
    assert (np.diff(found, axis=1) >= 0).all()
    for j, level in enumerate(levels):
        for i in range(0, 40, 7):
            share = model.predict_cdf(X[i : i + 1], found[i, j])[0, 0]
            assert share >= level - 1e-9


@every_model
def test_quantiles_of_minus_y_are_those_of_y_turned_round(name):
    model = clone(MODELS[name]).fit(X, Y)
    turned = clone(model).fit(X, -Y)
    if name in ("forest", "poisson", "bagged"):  # equal draws: contents sort otherwise
        return
    levels = np.array([0.05, 0.3, 0.5, 0.95])
    np.testing.assert_allclose(
        model.predict_quantiles(X, levels), -turned.predict_quantiles(X, 1 - levels)
    )


@pytest.mark.parametrize("name", ["extra", "tree", "forest"])
def test_a_weight_of_two_is_the_row_twice(name):
    weight = np.arange(len(Y)) % 3
    rows = np.repeat(np.arange(len(Y)), weight)
    model = clone(MODELS[name])
    if name == "extra":  # drawn cuts: leaves are limited by rows
        model.set_params(min_samples_leaf=1)
    if name == "forest":
        model.set_params(bootstrap=False, min_samples_leaf=1, max_depth=4)
    model.set_params(
        **({"min_samples_leaf": 1, "max_depth": 4} if name == "tree" else {})
    )
    one = clone(model).fit(X, Y, weight)
    other = clone(model).fit(X[rows], Y[rows])
    np.testing.assert_allclose(
        one.predict_quantiles(X, LEVELS), other.predict_quantiles(X, LEVELS)
    )


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**20))
def test_no_order_of_rows_and_no_threads_show(seed):
    order = np.random.default_rng(seed).permutation(len(Y))
    one = clone(MODELS["forest"]).fit(X, Y)
    other = clone(MODELS["forest"]).set_params(n_jobs=2).fit(X[order], Y[order])
    assert np.array_equal(
        one.predict_quantiles(X, LEVELS), other.predict_quantiles(X, LEVELS)
    )
    points = np.quantile(Y, LEVELS)
    assert np.array_equal(one.predict_cdf(X, points), other.predict_cdf(X, points))
    weights = one.row_weights(X[:20]).toarray()[:, order]
    np.testing.assert_array_equal(weights, other.row_weights(X[:20]).toarray())


def test_rows_out_of_bag_are_answered_by_the_other_trees():
    forest = clone(MODELS["forest"]).set_params(n_estimators=6, oob_score=True)
    with pytest.warns(UserWarning, match="seen by all trees"):
        forest.fit(X, Y)
    found, seen = forest.oob_quantiles([0.2, 0.8]), forest._seen_rows()
    for i in range(0, len(Y), 20):
        others = np.flatnonzero(~seen[:, i])
        if len(others) == 0:
            assert np.isnan(found[i]).all()
            continue
        part = clone(forest).set_params(oob_score=False).fit(X, Y)
        part.estimators_ = [part.estimators_[t] for t in others]
        expected = part.predict_quantiles(X[i : i + 1], [0.2, 0.8])[0]
        np.testing.assert_array_equal(found[i], expected)


def test_outputs_have_their_own_quantiles():
    both = np.column_stack([Y, 1000 - 3 * Y])
    forest = clone(MODELS["forest"]).fit(X, both)
    found = forest.predict_quantiles(X, [0.2, 0.7])
    assert found.shape == (len(X), 2, 2)
    np.testing.assert_allclose(
        found[:, 0, 1], 1000 - 3 * forest.predict_quantiles(X, [0.8])[:, 0, 0]
    )
    assert forest.predict_cdf(X, [100.0]).shape == (len(X), 1, 2)
    assert forest.oob_quantiles([0.5]).shape == (len(X), 1, 2)
    np.testing.assert_allclose(forest.row_weights(X) @ both, forest.predict(X))
    ends = clone(forest).set_params(oob_score=True, n_estimators=30)
    ends = ends.fit(X, both).predict_interval(X, 0.9, "quantile")
    assert ends.shape == (len(X), 2, 2)


@pytest.mark.parametrize("missing", ["both", "fractional"])
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_missing_values_and_categories_walk_as_in_predict(kind, missing):
    frame = pd.DataFrame(X[:, :4], columns=list("abcd"))
    frame.loc[::3, "c"] = np.nan
    frame["e"] = pd.Categorical(np.where(Y > 150, "high", "low"))
    frame.loc[::7, "e"] = np.nan
    model = clone(MODELS[kind]).set_params(missing=missing, max_depth=4).fit(frame, Y)
    found = model.row_weights(frame)
    np.testing.assert_allclose(np.asarray(found.sum(axis=1)), 1, atol=1e-12)
    if missing == "both":
        np.testing.assert_allclose(found @ Y, model.predict(frame), rtol=1e-10)
    strange = frame.assign(e="new")
    assert np.isfinite(model.predict_quantiles(strange)).all()


# --- quantiles made into intervals ----------------------------------------------------


def test_intervals_of_quantiles_are_those_of_the_formula():
    forest = clone(MODELS["forest"]).set_params(n_estimators=40, oob_score=True)
    forest.fit(X, Y)
    ends = forest.oob_quantiles([0.1, 0.9])
    score = np.sort(np.maximum(ends[:, 0] - Y, Y - ends[:, 1]))
    q = score[int(np.ceil((len(Y) + 1) * 0.8)) - 1]
    expected = forest.predict_quantiles(X, [0.1, 0.9]) + np.array([-q, q])
    found = forest.predict_interval(X, 0.8, "quantile")
    np.testing.assert_allclose(found, expected)
    half = np.arange(len(Y)) % 2 == 0
    tree = clone(MODELS["tree"]).fit(X[half], Y[half]).calibrate(X[~half], Y[~half])
    found = tree.predict_interval(X[~half], 0.8, "quantile")
    inside = ((found[:, 0] <= Y[~half]) & (Y[~half] <= found[:, 1])).mean()
    assert 0.8 <= inside < 0.85


# --- files, pruning, warm starts ------------------------------------------------------


@every_model
def test_a_loaded_model_has_the_same_quantiles(name, tmp_path):
    model = clone(MODELS[name]).fit(X, Y, np.arange(len(Y)) % 3 + 0.5)
    ramify.save(model, tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    for twin in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(
            twin.predict_quantiles(X, LEVELS), model.predict_quantiles(X, LEVELS)
        )
    ramify.save(loaded, tmp_path / "again.ramify")
    first, second = (tmp_path / "model.ramify", tmp_path / "again.ramify")
    assert first.read_bytes() == second.read_bytes()
    model.save(tmp_path / "bare.ramify", leaf_rows=False)
    bare = ramify.load(tmp_path / "bare.ramify")
    np.testing.assert_array_equal(bare.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="fit it with leaf_rows=True"):
        bare.predict_quantiles(X)
    with zipfile.ZipFile(tmp_path / "bare.ramify") as archive:
        assert not [path for path in archive.namelist() if path.startswith("rows/")]


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("rows/y.npy", lambda array: array[:5]),
        ("rows/y.npy", lambda array: np.full_like(array, np.nan)),
        ("rows/0/row.npy", lambda array: array + np.uint32(10**6)),
        ("rows/0/begin.npy", lambda array: array[::-1]),
        ("rows/0/begin.npy", lambda array: array * 0),
        ("rows/0/begin.npy", lambda array: array[:-1]),
        ("rows/0/times.npy", lambda array: array * 0),
        ("rows/0/times.npy", lambda array: array[:-1]),
        ("rows/0/times.npy", lambda array: array.astype(np.int64)),
    ],
)
def test_damaged_rows_are_refused(member, change, tmp_path):
    path = tmp_path / "model.ramify"
    clone(MODELS["tree"]).fit(X, Y).save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    array = np.load(io.BytesIO(files[member]))
    buffer = io.BytesIO()
    np.save(buffer, change(array))
    files[member] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="cannot be read as a model"):
        ramify.load(path)


def test_lists_follow_a_tree_that_is_pruned():
    tree = ramify.DecisionTreeRegressor(leaf_rows=True).fit(X, Y)
    pruned = ramify.prune(tree, "ccp", alpha=20.0)
    assert pruned.get_n_leaves() < tree.get_n_leaves()
    np.testing.assert_allclose(pruned.row_weights(X) @ Y, pruned.predict(X), rtol=1e-10)
    same = ramify.DecisionTreeRegressor(leaf_rows=True, ccp_alpha=20.0).fit(X, Y)
    np.testing.assert_array_equal(
        pruned.predict_quantiles(X, LEVELS), same.predict_quantiles(X, LEVELS)
    )
    other = ramify.DecisionTreeRegressor(max_depth=2).fit(X, -Y[::-1]).tree_
    assert follow(tree.leaf_rows_.lists[0], tree.tree_, other) is None


def test_a_warm_start_has_the_lists_of_all_trees():
    forest = clone(MODELS["forest"]).set_params(n_estimators=5, warm_start=True)
    forest.fit(X, Y).set_params(n_estimators=20).fit(X, Y)
    whole = clone(MODELS["forest"]).fit(X, Y)
    np.testing.assert_array_equal(
        forest.predict_quantiles(X, LEVELS), whole.predict_quantiles(X, LEVELS)
    )
    forest.set_params(n_estimators=25)
    with pytest.raises(ValueError, match="leaf_rows=True needs to know which rows"):
        forest.fit(X[:200], Y[:200])
    assert len(forest.estimators_) == 20


def test_trees_may_be_taken_away_but_not_changed():
    forest = clone(MODELS["forest"]).fit(X, Y)
    forest.estimators_ = forest.estimators_[:5]
    np.testing.assert_allclose(forest.row_weights(X) @ Y, forest.predict(X))
    forest.estimators_ = [ramify.DecisionTreeRegressor(max_depth=2).fit(X, Y)]
    with pytest.raises(ValueError, match="were changed after they were grown"):
        forest.predict_quantiles(X)


def test_lists_are_small():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 3))
    forest = ramify.RandomForestRegressor(
        2, leaf_rows=True, random_state=0, max_bins=255
    )
    forest.fit(rows, rng.normal(size=20_000))
    for begin, row, times in forest.leaf_rows_.lists:
        assert (row.dtype, times.dtype) == (np.uint32, np.uint8)
        n_drawn = 20_000 * (1 - np.exp(-1))
        assert len(row) == pytest.approx(n_drawn, rel=0.02)
        assert begin.nbytes + row.nbytes + times.nbytes < 200_000


# --- what is refused ------------------------------------------------------------------


def test_models_say_what_they_lack():
    forest = ramify.RandomForestRegressor(3, random_state=0).fit(X, Y)
    asks = (
        lambda: forest.predict_quantiles(X),
        lambda: forest.predict_cdf(X, [100.0]),
        lambda: forest.row_weights(X),
        lambda: forest.oob_quantiles([0.5]),
    )
    for ask in asks:
        with pytest.raises(ValueError, match="fit it with leaf_rows=True"):
            ask()
    extra = clone(MODELS["extra"]).fit(X, Y)
    with pytest.raises(ValueError, match="fit with bootstrap=True"):
        extra.oob_quantiles([0.5])
    with pytest.raises(ValueError, match="bootstrap=False"):
        extra.predict_std(X)
    with pytest.raises(ValueError, match="leaf_rows='yes' is not allowed"):
        ramify.RandomForestRegressor(2, leaf_rows="yes").fit(X, Y)
    with pytest.raises(ValueError, match="leaf_rows=2 is not allowed"):
        ramify.DecisionTreeRegressor(leaf_rows=2).fit(X, Y)


def test_bad_questions_are_refused():
    tree = clone(MODELS["tree"]).fit(X, Y)
    for levels in (1.5, [-0.1], [], "half", [np.nan], [[0.5]]):
        with pytest.raises(ValueError, match=r"levels=.* is not allowed"):
            tree.predict_quantiles(X, levels)
    with pytest.raises(ValueError, match="interpolation='linear' is unknown"):
        tree.predict_quantiles(X, [0.5], "linear")
    with pytest.raises(ValueError, match=r"values=.* is not allowed"):
        tree.predict_cdf(X, [np.nan])
    with pytest.raises(ValueError, match=r"columns|features"):
        tree.predict_quantiles(X[:, :3])


def test_rows_in_parts_are_refused():
    tree = ramify.DecisionTreeRegressor(leaf_rows=True, max_bins=255)
    forest = ramify.ExtraTreesRegressor(2, leaf_rows=True, max_bins=255)
    assert "leaf_rows=True needs" in tree._why_not_by_sums()
    assert "leaf_rows=True needs" in forest._why_not_by_sums()


def test_one_row_has_the_quantiles_of_many():
    forest = clone(MODELS["forest"]).fit(X, Y)
    predict = forest.row_predictor(quantiles=LEVELS)
    for row, many in zip(X[:3], forest.predict_quantiles(X[:3], LEVELS), strict=True):
        np.testing.assert_array_equal(predict(row.tolist()), many)
    frame = pd.DataFrame({"a": X[:, 2], "b": np.where(Y > 150, "high", "low")})
    tree = clone(MODELS["tree"]).fit(frame, Y)
    found = tree.row_predictor(quantiles=[0.5])({"a": X[0, 2], "b": "high"})
    first = pd.DataFrame({"a": [X[0, 2]], "b": ["high"]})
    np.testing.assert_array_equal(found, tree.predict_quantiles(first, [0.5])[0])


def test_asking_of_no_rows_gives_none():
    forest = clone(MODELS["forest"]).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert forest.predict_quantiles(X[:1], 0.5).shape == (1, 1)
