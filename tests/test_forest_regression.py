# SPDX-License-Identifier: BSD-3-Clause
"""Regression forests: their trees, rows not seen, weights, scikit-learn's beside."""

import itertools
import json
import os
import pickle
import signal
import zipfile

import numpy as np
import pandas as pd
import pytest
from common_checks import (
    assert_common_checks_pass,
    each_of,
    failing_of_bootstrap,
)
from oracle_numbers import predicted
from sklearn import ensemble
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import cross_val_score

import ramify
from ramify import (
    BaggedTreesRegressor,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestRegressor,
    Table,
)
from ramify.estimators.forest.bootstrap import Draws
from ramify.estimators.forest.honest import quantiles_by_node
from ramify.estimators.forest.importances import by_column, raised_product
from ramify.estimators.validation.regression_target import Numbers
from ramify.estimators.validation.sample import Sample

X, Y = load_diabetes(return_X_y=True)
# The others are in test_family_numbers.py.
NAMES = ["absolute_error", "gamma", "poisson", "quantile", "squared_error"]
LEVEL = 0.3
PARAMS = {"quantile": {"level": LEVEL}}
FORESTS = [RandomForestRegressor, ExtraTreesRegressor, BaggedTreesRegressor]
every_forest = pytest.mark.parametrize("forest", FORESTS)
every_criterion = pytest.mark.parametrize("name", NAMES)


class VarianceDrop:
    """A criterion of three sums whose name is the same in every process."""

    def __call__(self, parent, left, right):
        def variance(s):
            return s[..., 2] / s[..., 0] - (s[..., 1] / s[..., 0]) ** 2

        n = parent[0]
        below = left[:, 0] * variance(left) + right[:, 0] * variance(right)
        return variance(parent) - below / n

    def __repr__(self):
        return "variance_drop"


def draw(seed, n=150, *, n_outputs=1, missing=0.0):
    """Draw a table with ties and gaps, and positive numbers with ties."""
    rng = np.random.default_rng(seed)
    rows = np.round(rng.normal(size=(n, 4)) * 4) / 4
    effect = rows[:, :n_outputs] / 2 + rng.normal(size=(n, n_outputs)) / 4
    rows[rng.random(rows.shape) < missing] = np.nan
    numbers = np.round(np.exp(effect) * 8) / 8 + 0.125
    return rows, numbers[:, 0] if n_outputs == 1 else numbers


def make(forest, n, name="squared_error", **parameters):
    return forest(n, name, criterion_params=PARAMS.get(name), **parameters)


def same_forest(a, b):
    assert len(a.estimators_) == len(b.estimators_)
    for one, other in zip(a.estimators_, b.estimators_, strict=True):
        for name in ("feature", "threshold", "children_right", "value"):
            np.testing.assert_array_equal(
                getattr(one.tree_, name), getattr(other.tree_, name)
            )


# --- the contract with scikit-learn -------------------------------------------------


@each_of(
    [
        *(forest(n_estimators=5) for forest in FORESTS),
        RandomForestRegressor(3, "absolute_error", max_features=0.5, n_jobs=2),
        RandomForestRegressor(3, VarianceDrop()),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator, failing_of_bootstrap(estimator))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RandomForestRegressor, ensemble.RandomForestRegressor),
        (ExtraTreesRegressor, ensemble.ExtraTreesRegressor),
    ],
)
def test_parameters_and_attributes_are_those_of_scikit_learn(ours, theirs):
    known = ours().get_params()
    for name, value in theirs().get_params().items():
        assert known[name] == value, name
    parameters = {"n_estimators": 40, "bootstrap": True, "oob_score": True}
    mine = ours(**parameters, random_state=0).fit(X, Y)
    other = theirs(**parameters, random_state=0).fit(X, Y)
    assert is_regressor(mine)
    for name in vars(other):
        if name.endswith("_") and name != "estimator_":
            assert np.shape(getattr(mine, name)) == np.shape(getattr(other, name)), name
    assert mine.feature_importances_.shape == (10,)


@every_forest
def test_a_forest_survives_clone_and_pickle(forest):
    model = forest(7, "absolute_error", max_depth=4, random_state=1).fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "estimators_")
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))


@every_forest
@pytest.mark.parametrize(
    ("criterion", "data", "max_features"),
    [
        ("squared_error", (X, Y), 1 / 3),
        ("squared_error", make_friedman1(300, noise=1.0, random_state=0), 1.0),
        ("absolute_error", make_friedman1(200, noise=1.0, random_state=0), 0.5),
    ],
    ids=["diabetes", "friedman", "friedman-absolute"],
)
def test_it_is_as_good_as_scikit_learn_within_noise(
    forest, criterion, data, max_features
):
    scores = []
    theirs = forest.__name__.replace("BaggedTrees", "RandomForest")
    for kind in (forest, getattr(ensemble, theirs)):
        parameters = {"criterion": criterion, "max_features": max_features}
        model = kind(20, **parameters, min_samples_leaf=3, random_state=0)
        scores.append(cross_val_score(model, *data, cv=3).mean())
    assert abs(scores[0] - scores[1]) < 0.05
    assert scores[0] > 0.35


# --- one forest, whatever the threads, the order and the way ------------------------


@every_forest
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "own"])
def test_the_number_of_threads_changes_nothing(forest, criterion):
    rows, numbers = draw(3, n=300, missing=0.05)
    chosen = VarianceDrop() if criterion == "own" else criterion
    models = [
        forest(6, chosen, max_features=0.5, random_state=5, n_jobs=n_jobs)
        for n_jobs in (None, 2, 3)
    ]
    for model in models:
        model.fit(rows, numbers)
    for other in models[1:]:
        same_forest(models[0], other)
        np.testing.assert_array_equal(models[0].predict(rows), other.predict(rows))


@every_forest
@every_criterion
def test_the_order_of_rows_changes_nothing(forest, name):
    rows, numbers = draw(5, n=200)
    order = np.random.default_rng(0).permutation(200)
    model = make(forest, 3, name, max_features=2, random_state=3)
    one = clone(model).fit(rows, numbers)
    same_forest(one, clone(model).fit(rows[order], numbers[order]))


@every_forest
@every_criterion
def test_a_weight_is_a_number_of_rows(forest, name):
    rows, numbers = draw(7, n=120, n_outputs=2)
    times = np.random.default_rng(1).integers(0, 4, 120)
    model = make(forest, 4, name, random_state=2, bootstrap=False)
    weighted = clone(model).fit(rows, numbers, sample_weight=times)
    repeated = clone(model).fit(rows.repeat(times, axis=0), numbers.repeat(times, 0))
    same_forest(weighted, repeated)


@every_criterion
def test_one_tree_on_all_rows_is_the_tree(name):
    rows, numbers = draw(9, n=250, n_outputs=2, missing=0.1)
    forest = make(RandomForestRegressor, 1, name, bootstrap=False).fit(rows, numbers)
    alone = DecisionTreeRegressor(name, criterion_params=PARAMS.get(name))
    alone.fit(rows, numbers)
    for array in ("feature", "threshold", "value", "gain", "impurity"):
        np.testing.assert_array_equal(
            getattr(forest[0].tree_, array), getattr(alone.tree_, array)
        )
    np.testing.assert_array_equal(forest.predict(rows), alone.predict(rows))
    np.testing.assert_array_equal(
        forest.feature_importances_, alone.feature_importances_
    )


@every_forest
def test_trees_of_a_forest_are_the_trees_they_seem_to_be(forest):
    rows, numbers = draw(9, n=250)
    model = forest(4, max_depth=6, max_features=2, bootstrap=True, random_state=0)
    model.fit(rows, numbers)
    for tree, sample in zip(model.estimators_, model.estimators_samples_, strict=True):
        weight = np.bincount(sample, minlength=250)
        alone = clone(tree).fit(rows, numbers, sample_weight=weight)
        np.testing.assert_array_equal(alone.tree_.threshold, tree.tree_.threshold)
        np.testing.assert_array_equal(alone.predict(rows), tree.predict(rows))


@every_criterion
def test_leaves_hold_means_or_quantiles_of_the_drawn_rows(name):
    rows, numbers = draw(8, n=120, missing=0.05)
    forest = make(RandomForestRegressor, 3, name, min_samples_leaf=7, random_state=1)
    forest.fit(rows, numbers)
    for tree, sample in zip(
        forest.estimators_, forest.estimators_samples_, strict=True
    ):
        leaves = tree.apply(rows)[sample]
        for leaf in np.unique(leaves):
            here = numbers[sample[leaves == leaf]]
            expected = predicted(name, LEVEL, here, np.ones(len(here)))
            np.testing.assert_allclose(tree.tree_.value[leaf, 0, 0], expected)


def test_a_warm_start_gives_the_forest_grown_at_once():
    model = RandomForestRegressor(25, random_state=4, warm_start=True, oob_score=True)
    model.fit(X, Y).set_params(n_estimators=40).fit(X, Y)
    once = RandomForestRegressor(40, random_state=4, oob_score=True).fit(X, Y)
    same_forest(model, once)
    assert model.oob_score_ == once.oob_score_
    with pytest.raises(ValueError, match="same data"):
        model.set_params(n_estimators=42).fit(X, np.column_stack([Y, Y]))


def test_a_table_is_as_good_as_its_numbers():
    model = RandomForestRegressor(3, random_state=0)
    same_forest(clone(model).fit(X, Y), clone(model).fit(Table(X), Y))
    some = np.r_[0:40, 60:140]
    same_forest(
        clone(model).fit(X[some], Y[some]), clone(model).fit(Table(X)[some], Y[some])
    )


def test_rows_are_drawn_in_the_order_of_contents():
    rng = np.random.default_rng(2)
    rows = rng.integers(3, size=(300, 2)).astype(float)
    numbers = np.round(rng.normal(size=(300, 2)), 1)
    sample = Sample(Table(rows), None, Numbers(numbers))
    found = np.column_stack([rows, numbers])[
        Draws.from_sample(sample, None, seed=0).order
    ]
    np.testing.assert_array_equal(found, found[np.lexsort(found.T[::-1])])


# --- rows not seen ------------------------------------------------------------------


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("missing", ["both", "fractional"])
def test_out_of_bag_equals_a_slow_recomputation(n_outputs, missing):
    rows, numbers = draw(11, n=200, n_outputs=n_outputs, missing=0.1)
    forest = RandomForestRegressor(
        30, missing=missing, oob_score=True, random_state=0, n_jobs=2
    ).fit(rows, numbers)
    sums, n_answers = np.zeros(numbers.shape), np.zeros(200)
    for model, sample in zip(
        forest.estimators_, forest.estimators_samples_, strict=True
    ):
        unseen = np.setdiff1d(np.arange(200), sample)
        sums[unseen] += model.predict(rows[unseen])
        n_answers[unseen] += 1
    mean = sums / (n_answers if n_outputs == 1 else n_answers[:, None])
    np.testing.assert_allclose(forest.oob_prediction_, mean, atol=1e-12)
    assert forest.oob_score_ == pytest.approx(r2_score(numbers, mean))


def test_another_out_of_bag_score_may_be_asked_for():
    forest = RandomForestRegressor(
        40, oob_score=mean_absolute_error, random_state=0
    ).fit(X, Y)
    expected = mean_absolute_error(Y, forest.oob_prediction_)
    assert forest.oob_score_ == pytest.approx(expected)


def test_a_row_that_all_trees_have_seen_has_no_out_of_bag_answer():
    with pytest.warns(UserWarning, match="seen by all trees"):
        forest = RandomForestRegressor(2, oob_score=True, random_state=0).fit(X, Y)
    known = ~np.isnan(forest.oob_prediction_)
    assert 0 < known.sum() < len(Y)
    score = r2_score(Y[known], forest.oob_prediction_[known])
    assert forest.oob_score_ == pytest.approx(score)
    with pytest.warns(UserWarning, match="1 of 1 rows"):
        alone = RandomForestRegressor(2, oob_score=True).fit([[1.0]], [3.0])
    assert np.isnan(alone.oob_score_)
    forest.set_params(oob_score=False).fit(X, Y)
    assert not hasattr(forest, "oob_prediction_")


# --- prediction ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_the_forest_says_what_its_trees_say(dtype, layout, n_outputs):
    rows, numbers = draw(13, n=300, n_outputs=n_outputs, missing=0.1)
    rows = np.asarray(rows, dtype=dtype, order=layout)
    forest = RandomForestRegressor(8, random_state=0, n_jobs=2).fit(rows, numbers)
    assert forest.n_outputs_ == n_outputs
    every = np.stack([model.predict(rows) for model in forest.estimators_], axis=1)
    np.testing.assert_array_equal(forest.votes(rows), every)
    np.testing.assert_allclose(forest.predict(rows), every.mean(axis=1), rtol=1e-13)
    leaves = [model.apply(rows) for model in forest.estimators_]
    np.testing.assert_array_equal(forest.apply(rows), np.column_stack(leaves))
    found, support = forest.predict(rows, return_support=True)
    np.testing.assert_array_equal(found, forest.predict(rows))
    weights = [m.tree_.weighted_n_node_samples[m.apply(rows)] for m in forest]
    np.testing.assert_allclose(support, np.mean(weights, axis=0))
    paths, begins = forest.decision_path(rows)
    assert paths.shape == (300, begins[-1])
    assert (paths[np.arange(300), begins[1] + leaves[1]] == 1).all()


def test_many_blocks_of_rows_are_predicted_as_one():
    rows = np.random.default_rng(0).normal(size=(9001, 10)) / 20
    forest = RandomForestRegressor(3, random_state=0).fit(X, Y)
    whole = forest.predict(rows)
    parts = [forest.predict(rows[i : i + 700]) for i in range(0, 9001, 700)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    np.testing.assert_array_equal(whole, forest.set_params(n_jobs=2).predict(rows))


def test_packed_trees_hold_the_same_numbers():
    rows, numbers = draw(17, n=300, n_outputs=2)
    for y in (numbers, np.round(numbers), numbers * 1e99, numbers - 1e6):
        tree = DecisionTreeRegressor().fit(rows, y).tree_
        packed = tree.packed()
        for name in tree.ARRAYS:
            np.testing.assert_array_equal(getattr(packed, name), getattr(tree, name))
        np.testing.assert_array_equal(packed.values(), tree.value)


# --- parameters ---------------------------------------------------------------------


def test_each_parameter_reaches_the_trees():
    def trees(**parameters):
        model = RandomForestRegressor(3, random_state=0, **parameters).fit(X, Y)
        return [one.tree_ for one in model.estimators_]

    assert all(tree.max_depth == 2 for tree in trees(max_depth=2))
    assert all(tree.n_leaves <= 5 for tree in trees(max_leaf_nodes=5))
    for tree in trees(min_samples_leaf=9):
        assert tree.n_node_samples.min() >= 9
    for tree in trees(min_samples_split=50):
        assert tree.n_node_samples[tree.children_left >= 0].min() >= 50
    for tree in trees(min_weight_fraction_leaf=0.2):
        assert tree.weighted_n_node_samples.min() >= 0.2 * len(Y)
    for name, value in {
        "max_features": 1,
        "min_impurity_decrease": 100.0,
        "ccp_alpha": 100.0,
        "max_bins": 3,
        "criterion": "absolute_error",
        "bootstrap": False,
        "max_samples": 0.2,
        "honest": 0.5,
        "splitter": "random",
        "monotonic_cst": [1] * 10,
        "categorical_features": [2],
        "threshold": "value",
    }.items():
        plain, changed = trees(max_depth=4), trees(max_depth=4, **{name: value})
        assert any(
            not np.array_equal(a.threshold, b.threshold)
            for a, b in zip(plain, changed, strict=True)
        ), name
    low, high = (
        make(RandomForestRegressor, 5, "quantile", random_state=0, max_depth=3)
        .set_params(criterion_params={"level": level})
        .fit(X, Y)
        .predict(X)
        for level in (0.1, 0.9)
    )
    assert (low < high).mean() > 0.95


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_monotone_columns_stay_monotone(criterion):
    forest = RandomForestRegressor(
        5, criterion, monotonic_cst=[0, 0, 1] + [0] * 7, random_state=0
    ).fit(X, Y)
    low, high = X[:40].copy(), X[:40].copy()
    high[:, 2] += 0.05
    assert (forest.predict(high) >= forest.predict(low) - 1e-9).all()


def test_categories_and_missing_values_are_taken_as_they_are():
    rng = np.random.default_rng(0)
    city = rng.choice(["Bergen", "Oslo", "Voss", None], 400)
    size = np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400))
    rent = np.where(city == "Oslo", 10.0, 2.0) + np.nan_to_num(size)
    frame = pd.DataFrame({"city": city, "size": size})
    for forest in (RandomForestRegressor, ExtraTreesRegressor):
        model = forest(20, bootstrap=True, oob_score=True, random_state=0)
        model.fit(frame, rent)
        assert model.oob_score_ > 0.95
        assert list(model.feature_names_in_) == ["city", "size"]
        new = pd.DataFrame({"city": ["Oslo", "Bodø"], "size": [0.0, None]})
        assert model.predict(new)[0] > 8
        with pytest.raises(ValueError, match="Bodø"):
            model.set_params(unseen="error").predict(new)


# --- honest trees -------------------------------------------------------------------


@every_criterion
def test_honest_leaves_are_filled_by_rows_that_chose_no_split(name):
    rng = np.random.default_rng(0)
    noise, numbers = rng.normal(size=(1200, 3)), rng.gamma(2.0, size=1200)
    spread = {}
    for share in (None, 0.5):
        forest = make(
            RandomForestRegressor, 4, name, honest=share, min_samples_leaf=5, n_jobs=2
        )
        forest.set_params(random_state=0).fit(noise, numbers)
        spread[share] = np.std(forest.votes(noise))
    assert spread[0.5] < 0.8 * spread[None]
    assert np.isfinite(forest.predict(noise)).all()
    alone = make(RandomForestRegressor, 2, name, honest=0.5).fit([[1.0]], [3.0])
    assert alone.predict([[2.0]]) == 3


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.75])
def test_quantiles_by_node_equal_a_slow_recomputation(quantile):
    rows, numbers = draw(19, n=200, n_outputs=2)
    model = DecisionTreeRegressor(max_depth=4).fit(rows, numbers)
    tree = model.tree_
    weight = np.random.default_rng(0).integers(1, 4, 200).astype(float)
    found = quantiles_by_node(tree, tree.apply(rows), numbers, weight, quantile)
    paths = tree.decision_path(rows).tocsc()
    for node in range(tree.node_count):
        here = paths[:, node].indices
        for output in range(2):
            expected = predicted(
                "quantile", quantile, numbers[here, output], weight[here]
            )
            np.testing.assert_allclose(found[node, output], expected)


def test_the_quantile_of_equal_smallest_numbers_is_that_number():
    rows, numbers = np.zeros((2, 1)), np.full((2, 1), 5e-324)
    tree = DecisionTreeRegressor().fit(rows, numbers[:, 0]).tree_
    found = quantiles_by_node(tree, tree.apply(rows), numbers, np.ones(2), 0.5)
    assert found.tolist() == [[5e-324]]


# --- importances --------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [*NAMES, VarianceDrop()])
def test_columns_of_noise_have_no_out_of_bag_importance(criterion):
    rng = np.random.default_rng(0)
    rows = np.column_stack(
        [rng.integers(2, size=400), rng.normal(size=400), rng.integers(4, size=400)]
    ).astype(float)
    numbers = 5 + 2 * rows[:, 0] + rng.normal(size=400)
    params = {"level": 0.4} if criterion == "quantile" else None
    forest = RandomForestRegressor(
        25, criterion, criterion_params=params, max_features=1, random_state=0
    ).fit(rows, numbers)
    by_impurity = forest.importances()
    np.testing.assert_allclose(by_impurity.sum(), 1)
    assert by_impurity[1] > 0.15
    for kind in ("oob", "permutation"):
        found = forest.importances(kind, rows, numbers)
        assert found[0] > 0.15
        assert np.abs(found[1:]).max() < 0.35 * found[0]
    more = forest.importances("permutation", rows, numbers, n_repeats=2)
    threaded = forest.set_params(n_jobs=2)
    np.testing.assert_allclose(
        more, threaded.importances("permutation", rows, numbers, n_repeats=2)
    )


def test_out_of_bag_importances_equal_a_slow_recomputation():
    rows, numbers = draw(21, n=150, n_outputs=2)
    forest = RandomForestRegressor(5, random_state=0, max_depth=5).fit(rows, numbers)
    credit, lost, n_unseen = np.zeros(4), np.zeros(4), 0
    for t, sample in enumerate(forest.estimators_samples_):
        model, tree = forest[t], forest[t].tree_
        unseen = np.setdiff1d(np.arange(150), sample)
        n_unseen += len(unseen)
        for row in unseen:
            path = tree.decision_path(rows[[row]]).indices
            for above, node in itertools.pairwise(path):
                change = tree.value[node, :, 0] - tree.value[above, :, 0]
                error = numbers[row] - tree.value[above, :, 0]
                credit[tree.feature[above]] += (change * error).mean()
        rng = np.random.default_rng([forest._seed_of_fit, t, 2])
        own = rows[unseen]
        before = ((model.predict(own) - numbers[unseen]) ** 2).mean(axis=1).sum()
        for column in np.unique(tree.feature[tree.feature >= 0]):
            shuffled = own.copy()
            shuffled[:, column] = rng.permutation(own[:, column])
            error = model.predict(shuffled) - numbers[unseen]
            lost[column] += (error**2).mean(axis=1).sum() - before
    np.testing.assert_allclose(
        forest.importances("oob", rows, numbers), credit / n_unseen, atol=1e-12
    )
    np.testing.assert_allclose(
        forest.importances("permutation", rows, numbers), lost / n_unseen, atol=1e-12
    )


def test_importances_on_the_rows_of_growth_are_those_of_the_variance():
    """Li et al. (2019), proposition 1: on its own rows MDI-oob is the drop of it."""
    rows, numbers = draw(23, n=200)
    tree = DecisionTreeRegressor(max_depth=4).fit(rows, numbers).tree_
    raised = raised_product(tree, tree.apply(rows), numbers[:, None], np.ones(200))
    np.testing.assert_allclose(
        by_column(tree, raised) / 200,
        tree.compute_feature_importances(normalize=False),
        atol=1e-12,
    )


def test_importances_need_rows_that_were_not_seen():
    forest = RandomForestRegressor(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="pass the X and y of fit"):
        forest.importances("oob")
    with pytest.raises(ValueError, match="the same rows"):
        forest.importances("oob", X[:9], Y[:9])
    with pytest.raises(ValueError, match="y has 2 outputs, the forest 1"):
        forest.importances("oob", X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="bootstrap=True"):
        ExtraTreesRegressor(3).fit(X, Y).importances("permutation", X, Y)


def test_a_row_without_weight_has_no_say_in_the_out_of_bag_score():
    weight = np.where(np.arange(len(Y)) % 3 > 0, 1.0, 0.0)
    forest = RandomForestRegressor(30, oob_score=True, random_state=0)
    forest.fit(X, Y, sample_weight=weight)
    used = weight > 0
    expected = r2_score(Y[used], forest.oob_prediction_[used])
    assert forest.oob_score_ == pytest.approx(expected, rel=1e-12)


def test_the_order_of_rows_changes_no_embedding_where_equal_rows_have_other_weights():
    rng = np.random.default_rng(0)
    X, order = rng.integers(0, 4, (60, 3)).astype(float), rng.permutation(60)
    weight = rng.choice([0.1, 1 / 3, 1.9], 60)
    model = ramify.RandomTreesEmbedding(3, random_state=0)
    one = [member.tree_ for member in model.fit(X, None, weight).estimators_]
    two = model.fit(X[order], None, weight[order]).estimators_
    for here, there in zip(one, two, strict=True):
        for name, array in here.arrays().items():
            np.testing.assert_array_equal(array, there.tree_.array(name), name)


def test_the_order_of_rows_changes_no_honest_leaf():
    y = Y / 7  # sums of whole numbers would be exact in any order
    order = np.random.RandomState(0).permutation(len(X))
    forest = RandomForestRegressor(5, honest=0.5, max_depth=3, random_state=0)
    expected = clone(forest).fit(X, y).predict(X)
    found = forest.fit(X[order], y[order]).predict(X)
    np.testing.assert_array_equal(found, expected)


# --- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 .* at least 1"),
        ({"max_samples": -0.5}, "max_samples=-0.5 .* share of the rows above 0"),
        ({"bootstrap": False, "oob_score": True}, "oob_score needs rows"),
        ({"bootstrap": False, "max_samples": 9}, "bootstrap=False draws none"),
        ({"oob_score": "r2"}, "oob_score='r2'"),
        ({"honest": 1}, "honest=1 is not allowed"),
        ({"honest": 0.5, "monotonic_cst": [1] * 10}, "honest=0.5 fills leaves by oth"),
        ({"criterion": "gini"}, "'gini' is unknown for numbers"),
        ({"criterion": "squared_eror"}, "did you mean 'squared_error'"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"splitter": "chaid"}, "splitter='chaid' is not allowed where numbers"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        RandomForestRegressor(**{"n_estimators": 3, **parameters}).fit(X, Y)


@pytest.mark.parametrize(
    ("criterion", "numbers", "message"),
    [
        ("poisson", [1, -2, 3], "y has -2 in row 1, but criterion='poisson'"),
        ("poisson", [0, 0, 0], "the sum of y is zero"),
        ("gamma", [1, 2, 0], "y has 0 in row 2, but criterion='gamma'"),
        ("squared_error", ["a", "b", "c"], "'a' in row 0; RandomForestRegressor learn"),
        ("squared_error", [1.0, np.nan, 2.0], "Input y contains NaN"),
        ("squared_error", [1.0, 2.0], "X has 3 rows and y has 2"),
    ],
)
def test_numbers_that_cannot_be_learnt_are_refused(criterion, numbers, message):
    with pytest.raises(ValueError, match=message):
        RandomForestRegressor(3, criterion).fit([[1.0], [2.0], [3.0]], numbers)


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]"])
def test_times_are_no_numbers(dtype):
    with pytest.raises(ValueError, match=r"y has dtype .* turn times into numbers"):
        RandomForestRegressor(2).fit(X, np.arange(len(X)).astype(dtype))


def test_a_bad_parameter_is_named_by_fit_and_not_by_tags():
    forest = ExtraTreesRegressor(2, splitter="best")
    assert forest.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="draws its cuts"):
        forest.fit(X, Y)


def test_extra_trees_draw_their_cuts():
    with pytest.raises(ValueError, match="use RandomForestRegressor"):
        ExtraTreesRegressor(3, splitter="best").fit(X, Y)


def test_a_bootstrap_of_zeros_only_predicts_zero():
    rows, numbers = np.arange(40.0).reshape(-1, 1), np.zeros(40)
    numbers[0] = 1
    forest = RandomForestRegressor(9, "poisson", max_samples=5, random_state=0)
    votes = forest.fit(rows, numbers).votes(rows)
    saw_one = [0 in sample for sample in forest.estimators_samples_]
    assert 0 < sum(saw_one) < 9
    np.testing.assert_array_equal(votes.max(axis=0) > 0, saw_one)


class FailsInTree(VarianceDrop):
    """A criterion that fails at the n-th root it sees; a root has the most rows."""

    def __init__(self, tree):
        self.tree, self.roots = tree, 0

    def __call__(self, parent, left, right):
        if parent[0] == 60:
            self.roots += 1
            if self.roots > self.tree:
                raise ZeroDivisionError("nothing to divide by")
        return super().__call__(parent, left, right)


def test_a_criterion_that_fails_says_in_which_tree_and_node():
    message = (
        r"tree 37 of 40 could not be grown: ZeroDivisionError: nothing to divide by "
        r"\(in criterion .*variance_drop.*, at a node with .*60"
    )
    model = RandomForestRegressor(40, FailsInTree(37), max_depth=2, random_state=0)
    with pytest.raises(RuntimeError, match=message) as failure:
        model.fit(X[:60], Y[:60])
    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert not hasattr(model, "estimators_")


# --- stopping and progress ----------------------------------------------------------


class Interrupts(VarianceDrop):
    """A criterion during which the user presses Ctrl-C once, in a later tree."""

    def __init__(self, after):
        self.calls, self.after = 0, after

    def __call__(self, parent, left, right):
        self.calls += 1
        if self.calls == self.after:
            os.kill(os.getpid(), signal.SIGINT)
        return super().__call__(parent, left, right)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_the_trees_grown_so_far(n_jobs):
    model = RandomForestRegressor(
        500, Interrupts(40), max_depth=3, n_jobs=n_jobs, warm_start=True, random_state=0
    )
    with pytest.warns(UserWarning, match="interrupted: .* of 500 trees were grown"):
        model.fit(X, Y)
    n_grown = len(model.estimators_)
    assert 1 <= n_grown < 500
    fewer = RandomForestRegressor(n_grown, VarianceDrop(), max_depth=3, random_state=0)
    same_forest(model, fewer.fit(X, Y))
    model.set_params(n_estimators=n_grown + 3).fit(X, Y)
    assert len(model.estimators_) == n_grown + 3


def test_progress_is_shown_only_if_asked_for(capfd):
    RandomForestRegressor(3).fit(X, Y)
    assert capfd.readouterr() == ("", "")
    RandomForestRegressor(3, verbose=1).fit(X, Y)
    assert "3 of 3 trees" in capfd.readouterr().err


# --- files --------------------------------------------------------------------------


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(4, "absolute_error", random_state=0),
        ExtraTreesRegressor(3, max_depth=3, random_state=1),
        RandomForestRegressor(3, VarianceDrop(), random_state=3),
        RandomForestRegressor(2, ramify.criteria.for_regression("quantile", level=0.2)),
    ],
    ids=["random", "extra", "function", "quantile"],
)
def test_a_saved_forest_predicts_the_same(model, n_outputs, tmp_path):
    rows, numbers = draw(25, n_outputs=n_outputs, missing=0.05)
    frame = pd.DataFrame(rows, columns=list("abcd"))
    frame["kind"] = np.array(["x", "y", "z"])[np.arange(150) % 3]
    model = clone(model).fit(frame, numbers)
    path = tmp_path / "forest.ramify"
    model.save(path)
    loaded = ramify.load(path)
    assert type(loaded) is type(model)
    same_forest(loaded, model)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.apply(frame), model.apply(frame))
    assert loaded.n_outputs_ == model.n_outputs_ == n_outputs
    assert loaded.schema_ == model.schema_
    if isinstance(model.criterion, str):
        assert loaded.get_params() == model.get_params()
        np.testing.assert_array_equal(loaded.importances(), model.importances())
    with pytest.raises(ValueError, match="loaded from a file"):
        loaded.importances("oob", frame, numbers)


def test_a_damaged_forest_is_refused(tmp_path):
    path = tmp_path / "forest.ramify"
    RandomForestRegressor(3, random_state=0).fit(X, Y).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    labels = {"dtype": "<i8", "values": [0, 1]}
    wrongs = (
        {"classes": [labels]},
        {"seeds": []},
        {"kind": "RandomForestClassifier"},
    )
    for wrong in wrongs:
        header = json.loads(parts["model.json"]) | wrong
        damaged = {**parts, "model.json": json.dumps(header).encode()}
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in damaged.items():
                archive.writestr(name, data)
        with pytest.raises(ValueError, match="cannot be read as a model"):
            ramify.load(path)
