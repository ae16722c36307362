# SPDX-License-Identifier: BSD-3-Clause
"""Forests: the same for any threads and row order, honest about rows not seen."""

import itertools
import json
import os
import pickle
import signal
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from common_checks import (
    assert_common_checks_pass,
    each_of,
    failing_of_bootstrap,
)
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as PeerTree
from strategies import random_table
from twins import gini

import ramify
from ramify import (
    BaggedTreesClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    Table,
)
from ramify.cli import main
from ramify.estimators.forest.bootstrap import Draws
from ramify.estimators.forest.growing import _Interrupts
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import encode_labels
from ramify.tree.packed import pack

X, Y = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
FORESTS = [RandomForestClassifier, ExtraTreesClassifier, BaggedTreesClassifier]
every_forest = pytest.mark.parametrize("forest", FORESTS)


class GiniFunction:
    """A function whose name is the same in every process of a test run."""

    def __call__(self, parent, left, right):
        return gini(parent, left, right)

    def __repr__(self):
        return "own_gini"


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
        RandomForestClassifier(n_estimators=3, criterion=GiniFunction()),
        RandomForestClassifier(n_estimators=3, method="ihd", voting="hard"),
        BaggedTreesClassifier(n_estimators=3, n_jobs=2, oob_score=False),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator, failing_of_bootstrap(estimator))


@every_forest
def test_a_forest_survives_clone_and_pickle(forest):
    model = forest(7, "ihd", max_depth=4, random_state=1).fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "estimators_")
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))
    assert len(twin) == 7
    assert twin[0].tree_.node_count == next(iter(model)).tree_.node_count


def test_defaults_are_those_of_scikit_learn():
    from sklearn import ensemble

    for ours, theirs in (
        (RandomForestClassifier, ensemble.RandomForestClassifier),
        (ExtraTreesClassifier, ensemble.ExtraTreesClassifier),
    ):
        known = ours().get_params()
        for name, value in theirs().get_params().items():
            assert known[name] == value, name


# --- one forest, whatever the threads, the order and the way ------------------------


@every_forest
@pytest.mark.parametrize("criterion", ["gini", "hellinger", gini])
def test_the_number_of_threads_changes_nothing(forest, criterion):
    data = random_table(3, n_rows=300, n_classes=3, missing=0.05)
    models = [
        forest(6, criterion, random_state=5, n_jobs=n_jobs).fit(data.X, data.y)
        for n_jobs in (None, 2, 3)
    ]
    for other in models[1:]:
        same_forest(models[0], other)
        np.testing.assert_array_equal(
            models[0].predict_proba(data.X), other.predict_proba(data.X)
        )


@every_forest
def test_the_order_of_rows_changes_nothing(forest):
    data = random_table(5, n_rows=400, n_classes=3)
    order = np.random.default_rng(0).permutation(400)
    model = forest(5, random_state=3)
    one = clone(model).fit(data.X, data.y)
    other = clone(model).fit(data.X[order], data.y[order])
    same_forest(one, other)


@every_forest
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ihdw"])
def test_a_weight_is_a_number_of_rows(forest, criterion):
    data = random_table(7, n_rows=120, n_classes=3)
    times = np.random.default_rng(1).integers(0, 4, 120)
    model = forest(5, criterion, random_state=2, bootstrap=False)
    weighted = clone(model).fit(data.X, data.y, sample_weight=times)
    repeated = clone(model).fit(
        data.X.repeat(times, axis=0), data.y.repeat(times, axis=0)
    )
    same_forest(weighted, repeated)


def test_trees_of_a_forest_are_the_trees_they_seem_to_be():
    """A tree of a forest is what `DecisionTreeClassifier` grows on the drawn rows."""
    data = random_table(9, n_rows=250, n_classes=3)
    forest = RandomForestClassifier(4, "twoing", max_depth=6, random_state=0)
    forest.fit(data.X, data.y)
    for model, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert model.max_features == "sqrt"
        alone = clone(model).fit(
            data.X, data.y, sample_weight=np.bincount(rows, minlength=250)
        )
        np.testing.assert_array_equal(alone.tree_.threshold, model.tree_.threshold)
        np.testing.assert_array_equal(alone.tree_.value, model.tree_.value)
        np.testing.assert_array_equal(alone.predict(data.X), model.predict(data.X))


def test_a_warm_start_gives_the_forest_grown_at_once():
    model = RandomForestClassifier(25, random_state=4, warm_start=True, oob_score=True)
    model.fit(X, Y).set_params(n_estimators=40).fit(X, Y)
    once = RandomForestClassifier(40, random_state=4, oob_score=True).fit(X, Y)
    same_forest(model, once)
    assert model.oob_score_ == once.oob_score_
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(X, Y)
    with pytest.raises(ValueError, match=r"n_estimators=2 .* 40 trees"):
        model.set_params(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="same data"):
        model.set_params(n_estimators=42).fit(X[:, :2], Y)


def test_a_table_is_as_good_as_its_numbers():
    model = RandomForestClassifier(5, random_state=0)
    same_forest(clone(model).fit(X, Y), clone(model).fit(Table(X), Y))
    rows = np.r_[0:40, 60:140]
    same_forest(
        clone(model).fit(X[rows], Y[rows]), clone(model).fit(Table(X)[rows], Y[rows])
    )
    same_forest(clone(model).fit(X, Y), clone(model).fit(sparse.csr_array(X), Y))


# --- drawing ------------------------------------------------------------------------


def draws_of(X, y, weight=None, max_samples=None):
    sample = Sample(Table(X), None, encode_labels(y, len(y))).weighted(weight)
    return Draws.from_sample(sample, max_samples, seed=0)


def test_every_row_is_drawn_as_often_as_its_weight_says():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(2, size=200)
    for weight in (None, rng.integers(1, 5, 200).astype(float), rng.random(200) + 0.1):
        draws = draws_of(X, y, weight)
        counts = np.array([draws.counts(t) for t in range(400)])
        assert (counts.sum(axis=1) == draws.n_draws).all()
        expected = np.ones(200) if weight is None else weight
        mean = counts.mean(axis=0) * draws.worth
        assert np.abs(mean - expected).max() < 0.3 * max(1, expected.max() ** 0.5)
        np.testing.assert_allclose(mean.sum(), expected.sum())


@pytest.mark.parametrize("scale", [0.25, 1, 5, 1000])
def test_the_scale_of_weights_changes_no_draw(scale):
    rng = np.random.default_rng(3)
    weight = rng.integers(1, 4, len(X)).astype(float)
    for one in (np.ones(len(X)), weight):
        counts = [draws_of(X, Y, w).counts(0) for w in (one, scale * one)]
        assert counts[0].sum() == counts[1].sum() == len(X)
    plain = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, Y)
    scaled = clone(plain).fit(X, Y, sample_weight=np.full(len(X), float(scale)))
    assert scaled.oob_score_ == plain.oob_score_
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))


def test_classes_weigh_the_same_by_either_name():
    by_class = RandomForestClassifier(
        5, class_weight={0: 1, 1: 3, 2: 3}, random_state=0
    )
    by_row = clone(by_class).set_params(class_weight=None)
    by_class.fit(X, Y)
    by_row.fit(X, Y, sample_weight=np.where(Y == 0, 1.0, 3.0))
    same_forest(by_class, by_row)


def test_a_share_of_the_rows_is_drawn():
    assert draws_of(X, Y, max_samples=0.5).counts(0).sum() == 75
    assert draws_of(X, Y, max_samples=10).counts(0).sum() == 10
    assert draws_of(X, Y, np.full(150, 3.0), 0.5).counts(0).sum() == 75
    assert draws_of(X, Y, np.full(150, 1000.0)).counts(0).sum() == 150
    assert draws_of(X, Y, max_samples=1.5).counts(0).sum() == 225
    assert draws_of(X, Y, max_samples=200).counts(0).sum() == 200
    model = RandomForestClassifier(3, max_samples=20, random_state=0).fit(X, Y)
    assert all(len(rows) == 20 for rows in model.estimators_samples_)
    assert all(m.tree_.weighted_n_node_samples[0] == 20 for m in model.estimators_)


def test_rows_are_ordered_by_content():
    rng = np.random.default_rng(2)
    X, y = rng.integers(3, size=(500, 4)).astype(float), rng.integers(2, size=500)
    order = draws_of(X, y).order
    rows = np.column_stack([X, y])[order]
    np.testing.assert_array_equal(rows, rows[np.lexsort(rows.T[::-1])])
    assert sorted(order.tolist()) == list(range(500))


# --- rows not seen ------------------------------------------------------------------


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("method", [None, "c45"])
def test_out_of_bag_equals_a_slow_recomputation(voting, method):
    data = random_table(11, n_rows=200, n_classes=3, missing=0.1)
    forest = RandomForestClassifier(
        30, method=method, voting=voting, oob_score=True, random_state=0, n_jobs=2
    ).fit(data.X, data.y)
    sums, n_answers = np.zeros((200, 3)), np.zeros(200)
    for model, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(200), rows)
        shares = model.predict_proba(data.X[unseen])
        if voting == "hard":
            shares = np.eye(3)[shares.argmax(axis=1)]
        sums[unseen] += shares
        n_answers[unseen] += 1
    shares = sums / n_answers[:, None]
    np.testing.assert_allclose(forest.oob_decision_function_, shares, atol=1e-12)
    right = forest.classes_[shares.argmax(axis=1)] == data.y
    assert forest.oob_score_ == pytest.approx(right.mean())


def test_another_out_of_bag_score_may_be_asked_for():
    forest = RandomForestClassifier(
        40, oob_score=balanced_accuracy_score, random_state=0
    ).fit(*CANCER)
    predicted = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == balanced_accuracy_score(CANCER[1], predicted)


def test_a_row_that_all_trees_have_seen_has_no_out_of_bag_answer():
    with pytest.warns(UserWarning, match="seen by all trees"):
        forest = RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, Y)
    seen = np.isnan(forest.oob_decision_function_).any(axis=1)
    assert 0 < seen.sum() < 150
    assert 0.5 < forest.oob_score_ <= 1


def test_a_row_without_weight_has_no_say_in_the_out_of_bag_score():
    weight = (Y > 0).astype(float)
    forest = RandomForestClassifier(30, oob_score=True, random_state=0)
    forest.fit(X, Y, sample_weight=weight)
    answers = forest.oob_decision_function_[Y > 0].argmax(axis=1)
    assert forest.oob_score_ == (answers == Y[Y > 0]).mean()


@pytest.mark.parametrize(
    "changed",
    [{"max_samples": 0.3}, {"bootstrap": True}, {"rows": 140}, {"weight": True}],
)
def test_trees_that_drew_otherwise_have_no_common_out_of_bag(changed):
    """A warm start may change what is drawn, but nobody knows then who saw what."""
    rows = slice(changed.pop("rows", None))
    weight = 1.0 + Y[rows] if changed.pop("weight", False) else None
    forest = RandomForestClassifier(5, random_state=0, warm_start=True)
    forest.set_params(bootstrap="bootstrap" not in changed).fit(X, Y)
    forest.set_params(n_estimators=9, **changed)
    forest.set_params(oob_score=True)
    with pytest.raises(ValueError, match="drew otherwise"):
        forest.fit(X[rows], Y[rows], weight)
    assert len(forest.estimators_) == 5
    forest.set_params(oob_score=False).fit(X[rows], Y[rows], weight)
    assert len(forest.estimators_) == 9
    with pytest.raises(ValueError, match="several fits"):
        forest.importances("oob", X[rows], Y[rows])
    with pytest.raises(AttributeError, match="several fits"):
        _ = forest.estimators_samples_


def test_several_outputs_have_out_of_bag_answers_too():
    both = np.column_stack([Y, Y > 0])
    forest = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, both)
    assert forest.oob_decision_function_.shape == (150, 3, 2)
    assert forest.oob_score_ > 0.85
    assert forest.n_classes_ == [3, 2]
    shares = forest.predict_proba(X)
    assert [share.shape for share in shares] == [(150, 3), (150, 2)]
    assert forest.votes(X).shape == (150, 30, 2)
    assert (forest.predict(X) == both).mean() > 0.95


# --- prediction ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_forest_says_what_its_trees_say(dtype, layout, missing):
    data = random_table(13, n_rows=300, n_classes=3, missing=missing)
    rows = np.asarray(data.X, dtype=dtype, order=layout)
    forest = RandomForestClassifier(8, random_state=0, n_jobs=2).fit(rows, data.y)
    shares = [model.predict_proba(rows) for model in forest.estimators_]
    np.testing.assert_allclose(
        forest.predict_proba(rows), np.mean(shares, axis=0), atol=1e-14
    )
    leaves = [model.apply(rows) for model in forest.estimators_]
    np.testing.assert_array_equal(forest.apply(rows), np.column_stack(leaves))
    votes = np.column_stack([model.predict(rows) for model in forest.estimators_])
    np.testing.assert_array_equal(forest.votes(rows), votes)
    hard = clone(forest).set_params(voting="hard").fit(rows, data.y)
    counts = np.array([(votes == label).mean(axis=1) for label in hard.classes_]).T
    np.testing.assert_allclose(hard.predict_proba(rows), counts)
    labels, support = forest.predict(rows, return_support=True)
    np.testing.assert_array_equal(labels, forest.predict(rows))
    weights = [m.tree_.weighted_n_node_samples[m.apply(rows)] for m in forest]
    np.testing.assert_allclose(support, np.mean(weights, axis=0))


def test_many_blocks_of_rows_are_predicted_as_one():
    rows = np.random.default_rng(0).normal(size=(9001, 4))
    forest = BaggedTreesClassifier(3, random_state=0).fit(X, Y)
    whole = forest.predict_proba(rows)
    parts = [forest.predict_proba(rows[i : i + 700]) for i in range(0, 9001, 700)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    np.testing.assert_array_equal(
        whole, forest.set_params(n_jobs=2).predict_proba(rows)
    )
    assert forest.predict_proba(rows[:1]).shape == (1, 3)


def test_paths_lead_to_the_leaves():
    forest = ExtraTreesClassifier(4, max_depth=4, random_state=0).fit(X, Y)
    paths, begins = forest.decision_path(X)
    assert paths.shape == (150, begins[-1])
    leaves = forest.apply(X)
    for t in range(4):
        assert (paths[np.arange(150), begins[t] + leaves[:, t]] == 1).all()
    assert forest.get_depth() == max(m.get_depth() for m in forest)
    assert forest.get_n_leaves() == sum(m.get_n_leaves() for m in forest)


def test_trees_may_be_taken_away():
    forest = RandomForestClassifier(6, random_state=0).fit(X, Y)
    few = RandomForestClassifier(2, random_state=0).fit(X, Y)
    forest.estimators_ = forest.estimators_[:2]
    np.testing.assert_array_equal(forest.predict_proba(X), few.predict_proba(X))


def test_packed_trees_hold_the_same_numbers():
    data = random_table(17, n_rows=400, n_classes=4, missing=0.1)
    for weight in (None, np.random.default_rng(0).random(400) + 0.5):
        tree = DecisionTreeClassifier().fit(data.X, data.y, weight).tree_
        packed = tree.packed()
        for name in tree.ARRAYS:
            ours, theirs = getattr(packed, name), getattr(tree, name)
            assert ours.dtype == theirs.dtype, name
            np.testing.assert_array_equal(ours, theirs)
            assert not ours.flags.writeable
        np.testing.assert_array_equal(packed.values(), tree.value)
        np.testing.assert_array_equal(packed.apply(data.X), tree.apply(data.X))
        with pytest.raises(AttributeError, match="no candidates were recorded"):
            _ = packed.candidates
        with pytest.raises(AttributeError, match="nothing_like_that"):
            _ = packed.nothing_like_that
    narrow = pack(tree.arrays()).narrow["feature"].cells
    assert narrow.itemsize == 1


# --- parameters ---------------------------------------------------------------------


def test_each_parameter_reaches_the_trees():
    def trees(**parameters):
        model = RandomForestClassifier(3, random_state=0, **parameters).fit(*CANCER)
        return [one.tree_ for one in model.estimators_]

    assert all(tree.max_depth == 2 for tree in trees(max_depth=2))
    assert all(tree.n_leaves <= 5 for tree in trees(max_leaf_nodes=5))
    for tree in trees(min_samples_leaf=9):
        assert tree.n_node_samples.min() >= 9
    for tree in trees(min_samples_leaf=0.1):  # of all rows
        assert tree.n_node_samples.min() >= 57
    for tree in trees(min_samples_split=50):
        assert tree.n_node_samples[tree.children_left >= 0].min() >= 50
    for tree in trees(min_weight_fraction_leaf=0.2):
        assert tree.weighted_n_node_samples.min() >= 0.2 * 569
    for name, value in {
        "max_features": 1,
        "min_impurity_decrease": 0.05,
        "ccp_alpha": 0.02,
        "max_bins": 3,
        "criterion": "misclassification",
        "bootstrap": False,
        "max_samples": 0.2,
        "honest": 0.5,
        "class_weight": {0: 1, 1: 9},
        "cost_matrix": [[0, 9], [1, 0]],
        "splitter": "random",
    }.items():
        plain, changed = trees(max_depth=4), trees(max_depth=4, **{name: value})
        assert any(
            not np.array_equal(a.threshold, b.threshold)
            for a, b in zip(plain, changed, strict=True)
        ), name
    for one, other in zip(trees(), trees(threshold="value"), strict=True):
        assert (one.threshold >= other.threshold).all()
        assert (one.threshold > other.threshold).any()


def test_monotone_columns_stay_monotone():
    signs = [-1] + [0] * 29
    forest = RandomForestClassifier(
        10, monotonic_cst=signs, max_depth=4, random_state=0
    ).fit(*CANCER)
    rows = CANCER[0][:40].copy()
    low = forest.predict_proba(rows)[:, 1]
    rows[:, 0] += 5
    assert (forest.predict_proba(rows)[:, 1] <= low + 1e-12).all()


def test_laplace_and_costs_mean_what_they_mean_for_a_tree():
    forest = RandomForestClassifier(5, laplace=True, random_state=0).fit(X, Y)
    shares = np.mean([m.predict_proba(X) for m in forest], axis=0)
    assert forest.estimators_[0].laplace
    np.testing.assert_allclose(forest.predict_proba(X), shares)
    assert shares.max() < 1
    dear = [[0, 1, 1], [50, 0, 1], [1, 1, 0]]
    for voting in ("soft", "hard"):
        model = RandomForestClassifier(
            15, max_depth=2, cost_matrix=dear, voting=voting, random_state=0
        )
        missed = (model.fit(X, Y).predict(X)[Y == 1] == 0).sum()
        assert missed == 0


@pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample"])
def test_balanced_classes_weigh_the_same_in_every_tree(class_weight):
    few = np.r_[0:50, 50:60]
    forest = RandomForestClassifier(
        10, class_weight=class_weight, max_depth=1, random_state=0
    ).fit(X[few], Y[few])
    shares = np.array([model.tree_.value[0, 0, 1] for model in forest])
    if class_weight == "balanced_subsample":
        np.testing.assert_allclose(shares, 0.5)
    else:
        assert np.ptp(shares) > 0.05
        assert abs(shares.mean() - 0.5) < 0.1
    extra = ExtraTreesClassifier(3, class_weight=class_weight, random_state=0)
    for model in extra.fit(X[few], Y[few]):
        np.testing.assert_allclose(model.tree_.value[0, 0], 0.5)


def test_honest_leaves_are_filled_by_rows_that_chose_no_split():
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(2000, 3)), rng.integers(2, size=2000)
    forests = {
        share: RandomForestClassifier(
            10, honest=share, min_samples_leaf=5, random_state=0, n_jobs=2
        ).fit(noise, labels)
        for share in (None, 0.5)
    }
    spread = {
        share: np.std([m.tree_.value[m.apply(noise), 0, 1] for m in forest])
        for share, forest in forests.items()
    }
    assert spread[0.5] < 0.75 * spread[None]
    for model in forests[0.5]:
        tree = model.tree_
        np.testing.assert_allclose(tree.value.sum(axis=2), 1)
        assert 450 < tree.n_node_samples[0] < 750  # about half of the drawn rows
    honest = BaggedTreesClassifier(20, honest=0.3, random_state=0)
    assert cross_val_score(honest, X, Y, cv=3).mean() > 0.9
    assert BaggedTreesClassifier(2, honest=0.5).fit([[1.0]], [3]).predict([[2.0]]) == 3


@pytest.mark.parametrize(
    "method", ["c45", "ihd", "dgmml", "hddt", "segment_c45", "spce", "csn", "chaid"]
)
def test_a_method_grows_the_trees(method):
    forest = RandomForestClassifier(5, method=method, max_depth=4, random_state=0)
    forest.fit(X, Y)
    made = ramify.methods.get(method)
    for model in forest.estimators_:
        assert model.max_depth == 4
        assert model.max_features == "sqrt"
        for name, value in made.parameters.items():
            assert getattr(model, name) == value
    assert forest.score(X, Y) > 0.9
    reads_rows = method in ("csn", "spce", "segment_c45")
    assert forest.__sklearn_tags__().input_tags.allow_nan != reads_rows


def test_a_method_takes_parameters_of_its_own_and_of_the_forest():
    forest = RandomForestClassifier(
        2, method="csn", method_params={"k": 7}, min_samples_leaf=4, random_state=0
    ).fit(X, Y)
    assert forest.estimators_[0].criterion_params == {"k": 7}
    assert forest.estimators_[0].min_samples_leaf == 4
    assert forest.estimators_[0].leaf_rule == "give_up"  # the method's


def test_random_cuts_go_with_any_method_that_has_cuts():
    model = ExtraTreesClassifier(3, method="ihd", random_state=0).fit(X, Y)
    assert model.estimators_[0].splitter == "random"
    assert model.estimators_[0].criterion == "ihd"
    with pytest.raises(ValueError, match="use RandomForestClassifier"):
        ExtraTreesClassifier(3, method="dgmml").fit(X, Y)


def test_categories_and_missing_values_are_taken_as_they_are():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 400)
    size = np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400))
    labels = np.where((colour == "red") | (size > 0.5), "yes", "no")
    frame = pd.DataFrame({"colour": colour, "size": size})
    for method in (None, "c45"):
        forest = RandomForestClassifier(
            25, method=method, max_features=None, oob_score=True, random_state=0
        )
        forest.fit(frame, labels)
        assert forest.oob_score_ > 0.93
        assert list(forest.feature_names_in_) == ["colour", "size"]
        new = pd.DataFrame({"colour": ["red", "violet"], "size": [0.0, None]})
        assert forest.predict(new)[0] == "yes"
    with pytest.raises(ValueError, match="violet"):
        forest.set_params(unseen="error").predict(new)


def test_categories_that_no_bootstrap_saw_are_known_to_the_forest():
    frame = pd.DataFrame({"c": ["a", "b"] * 30 + ["rare"]})
    labels = [0, 1] * 30 + [1]
    forest = RandomForestClassifier(3, max_samples=8, random_state=0)
    forest.fit(frame, labels)
    forest.set_params(unseen="error").predict(frame)
    honest = BaggedTreesClassifier(5, honest=0.5, random_state=0).fit(frame, labels)
    assert honest.score(frame, labels) > 0.95


def test_a_view_of_a_table_may_lack_categories():
    frame = pd.DataFrame({"c": ["a", "b", "c"] * 20, "x": np.arange(60.0)})
    labels = np.array([0, 1, 1] * 20)
    rows = np.flatnonzero(frame["c"] != "a")
    view = Table(frame)[rows]
    forest = RandomForestClassifier(5, honest=0.4, oob_score=False, random_state=0)
    forest.fit(view, labels[rows])
    assert forest.schema_.columns[0].categories == ("b", "c")
    assert (forest.predict(frame.iloc[rows]) == 1).all()


# --- importances --------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "hellinger", "gain_ratio", gini])
def test_columns_of_noise_have_no_out_of_bag_importance(criterion):
    rng = np.random.default_rng(0)
    n = 400
    rows = np.column_stack(
        [
            rng.integers(2, size=n),
            rng.normal(size=n),  # noise of many values: what impurity falls for
            rng.integers(4, size=n),
        ]
    ).astype(float)
    labels = np.where(rng.random(n) < 0.25, rng.integers(2, size=n), rows[:, 0])
    forest = RandomForestClassifier(40, criterion, random_state=0).fit(rows, labels)
    by_impurity = forest.importances()
    np.testing.assert_allclose(by_impurity.sum(), 1)
    assert by_impurity[1] > 0.15
    for kind in ("oob", "permutation"):
        found = forest.importances(kind, rows, labels)
        assert found[0] > 0.15
        assert np.abs(found[1:]).max() < 0.06
    twice = forest.importances("permutation", rows, labels, n_repeats=3)
    np.testing.assert_allclose(
        twice,
        forest.set_params(n_jobs=2).importances(
            "permutation", rows, labels, n_repeats=3
        ),
    )


def test_out_of_bag_importances_equal_a_slow_recomputation():
    data = random_table(21, n_rows=150, n_classes=3)
    forest = RandomForestClassifier(5, random_state=0, max_depth=5)
    forest.fit(data.X, data.y)
    credit, n_unseen = np.zeros(data.X.shape[1]), 0
    for model, rows in zip(forest, forest.estimators_samples_, strict=True):
        tree = model.tree_
        unseen = np.setdiff1d(np.arange(150), rows)
        n_unseen += len(unseen)
        for row in unseen:
            k = int(np.searchsorted(forest.classes_, data.y[row]))
            path = tree.decision_path(data.X[[row]]).indices
            for above, node in itertools.pairwise(path):
                change = tree.value[node, 0, k] - tree.value[above, 0, k]
                credit[tree.feature[above]] += change
    np.testing.assert_allclose(
        forest.importances("oob", data.X, data.y), credit / n_unseen, atol=1e-12
    )


def test_importances_on_the_rows_of_growth_are_those_of_gini():
    """Li et al. (2019), proposition 1: on its own rows MDI-oob is the Gini gain."""
    from ramify.estimators.forest.importances import by_column, raised_probability

    data = random_table(23, n_rows=200, n_classes=3)
    tree = DecisionTreeClassifier(max_depth=4).fit(data.X, data.y).tree_
    codes = np.searchsorted(np.unique(data.y), data.y).astype(np.uint32)[:, None]
    ones = np.ones(200)
    raised = raised_probability(tree, tree.apply(data.X), codes, ones)
    found = by_column(tree, raised) / 200
    np.testing.assert_allclose(
        found, tree.compute_feature_importances(normalize=False), atol=1e-12
    )


def test_importances_need_rows_that_were_not_seen():
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="pass the X and y of fit"):
        forest.importances("oob")
    with pytest.raises(ValueError, match="the same rows"):
        forest.importances("oob", X[:9], Y[:9])
    with pytest.raises(ValueError, match="did not occur"):
        forest.importances("oob", X, Y + 1)
    with pytest.raises(ValueError, match="kind='mdi' is unknown"):
        forest.importances("mdi")
    with pytest.raises(ValueError, match="n_repeats=0"):
        forest.importances("permutation", X, Y, n_repeats=0)
    with pytest.raises(ValueError, match="bootstrap=True"):
        ExtraTreesClassifier(3).fit(X, Y).importances("permutation", X, Y)

    with pytest.raises(ValueError, match=r"y the shape \(\)"):
        forest.importances("oob", X, 3)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        *(("int8", -128, 127), ("int16", -300, 300), ("uint8", 0, 255)),
        *(("int64", -(2**63), 2**63 - 1), ("uint64", 2**64 - 5, 2**64 - 1)),
    ],
)
def test_labels_may_be_any_whole_numbers(dtype, low, high):
    labels = np.array([low, high], dtype=dtype)[(Y > 0).astype(int)]
    forest = RandomForestClassifier(5, random_state=0).fit(X, labels)
    assert forest.classes_.dtype == dtype
    assert forest.classes_.tolist() == [low, high]
    assert forest.score(X, labels) == 1


# --- as good as others --------------------------------------------------------------


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_bagging_agrees_with_scikit_learn_within_noise(load):
    rows, labels = load(return_X_y=True)
    ours = BaggedTreesClassifier(15, random_state=0)
    theirs = BaggingClassifier(PeerTree(random_state=0), 15, random_state=0)
    scores = [cross_val_score(model, rows, labels, cv=5) for model in (ours, theirs)]
    noise = np.sqrt(0.1 * 0.9 / len(labels))
    assert abs(scores[0].mean() - scores[1].mean()) < 2.5 * noise


# --- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 .* at least 1"),
        ({"n_estimators": 2.5}, "n_estimators=2.5 .* whole number"),
        ({"n_estimators": True}, "n_estimators=True"),
        ({"max_samples": -0.5}, "max_samples=-0.5 .* share of the rows above 0"),
        ({"max_samples": 0}, "max_samples=0 is not allowed"),
        ({"bootstrap": False, "oob_score": True}, "oob_score needs rows"),
        ({"bootstrap": False, "max_samples": 9}, "bootstrap=False draws none"),
        ({"bootstrap": "yes"}, "bootstrap='yes' .* True, False or 'poisson'"),
        ({"oob_score": "f1"}, "oob_score='f1'"),
        ({"voting": "loud"}, "voting='loud' .* 'soft' or 'hard'"),
        ({"honest": 1}, "honest=1 is not allowed"),
        ({"honest": 0.0}, "honest=0.0 is not allowed"),
        ({"honest": 0.5, "monotonic_cst": [1] * 4}, "honest=0.5 fills leaves by other"),
        ({"class_weight": "even"}, "class_weight='even' .* 'balanced_subsample'"),
        ({"class_weight": 3}, "class_weight=3 is not allowed"),
        ({"method": "ihdd"}, "did you mean 'ihd'"),
        ({"method": "cart_rf"}, "method='cart_rf' grows no tree"),
        ({"method_params": {"k": 3}}, "no method"),
        ({"criterion": "ginni"}, "did you mean 'gini'"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"splitter": "worst"}, "splitter='worst'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        RandomForestClassifier(**{"n_estimators": 3, **parameters}).fit(X, Y)


def test_a_parameter_that_the_method_lacks_is_refused():
    with pytest.raises(TypeError, match="method 'ihd' has no parameter 'kk'"):
        RandomForestClassifier(3, method="ihd", method_params={"kk": 3}).fit(X, Y)


def test_a_class_that_no_bootstrap_saw_has_no_votes():
    rows = np.vstack([X, [[9.0, 9.0, 9.0, 9.0]]])
    labels = np.append(Y, 7)
    forest = RandomForestClassifier(2, max_samples=20, random_state=0)
    forest.fit(rows, labels)
    assert not any(150 in sample for sample in forest.estimators_samples_)
    assert forest.classes_.tolist() == [0, 1, 2, 7]
    shares = forest.predict_proba(rows)
    assert shares.shape == (151, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[:, 3] == 0).all()


class FailsInTree:
    """A criterion that fails at the n-th root it sees; a root has the most rows."""

    def __init__(self, tree):
        self.tree, self.roots = tree, 0

    def __call__(self, parent, left, right):
        if parent.sum() == 150:
            self.roots += 1
            if self.roots > self.tree:
                raise ZeroDivisionError("nothing to divide by")
        return gini(parent, left, right)


def test_a_criterion_that_fails_says_in_which_tree_and_node():
    message = (
        r"tree 7 of 20 could not be grown: ZeroDivisionError: nothing to divide by "
        r"\(in criterion .*FailsInTree.*, at a node with the class weights \[\d"
    )
    model = BaggedTreesClassifier(20, FailsInTree(7), random_state=0)
    with pytest.raises(RuntimeError, match=message) as failure:
        model.fit(X, Y)
    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert not hasattr(model, "estimators_")


def test_the_first_tree_that_fails_is_named_whatever_the_threads():
    def refuses(parent, left, right):
        raise ValueError("no")

    for n_jobs in (1, 3):
        with pytest.raises(ValueError, match="tree 0 of 9 could not be grown: no"):
            RandomForestClassifier(9, refuses, n_jobs=n_jobs).fit(X, Y)


def test_a_failed_fit_leaves_the_old_forest_usable():
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[:, :2], Y[:10])
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict(X), before)


# --- stopping and progress ----------------------------------------------------------


class Interrupts:
    """A criterion during which the user presses Ctrl-C once, in a later tree."""

    def __init__(self, after):
        self.calls, self.after = 0, after

    def __call__(self, parent, left, right):
        self.calls += 1
        if self.calls == self.after:
            os.kill(os.getpid(), signal.SIGINT)
        return gini(parent, left, right)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_the_trees_grown_so_far(n_jobs):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals arrive in the main thread")
    parameters = {"max_features": None, "random_state": 0}
    model = RandomForestClassifier(
        500, Interrupts(150), n_jobs=n_jobs, warm_start=True, **parameters
    )
    with pytest.warns(UserWarning, match="interrupted: .* of 500 trees were grown"):
        model.fit(X, Y)
    n_grown = len(model.estimators_)
    assert 1 <= n_grown < 500
    assert model.score(X, Y) > 0.9
    fewer = RandomForestClassifier(n_grown, gini, **parameters).fit(X, Y)
    same_forest(model, fewer)
    model.set_params(n_estimators=n_grown + 3).fit(X, Y)
    assert len(model.estimators_) == n_grown + 3


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_is_noted_while_threads_wait_and_raised_later():
    """Raised inside a lock it broke the lock, and the trees were lost."""
    with _Interrupts() as interrupts:
        interrupts.check()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.noted
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_before_the_first_tree_goes_on():
    with pytest.raises(KeyboardInterrupt):
        RandomForestClassifier(5, Interrupts(1)).fit(X, Y)


def test_progress_is_shown_only_if_asked_for(capfd):
    RandomForestClassifier(3).fit(X, Y)
    assert capfd.readouterr() == ("", "")
    RandomForestClassifier(3, verbose=1).fit(X, Y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "3 of 3 trees" in err


# --- files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(4, "ihd", voting="hard", random_state=0),
        ExtraTreesClassifier(3, criterion_params=None, max_depth=3, random_state=1),
        BaggedTreesClassifier(3, method="c45", laplace=True, random_state=2),
        RandomForestClassifier(3, gini, random_state=3),
    ],
    ids=["random", "extra", "bagged", "function"],
)
def test_a_saved_forest_predicts_the_same(model, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.array(["x", "y", "z"])[(X[:, 0] * 10).astype(int) % 3]
    labels = np.array(["one", "two", "three"])[Y]
    model = clone(model).fit(frame, labels)
    model.save(tmp_path / "forest.ramify")
    loaded = ramify.load(tmp_path / "forest.ramify")
    assert type(loaded) is type(model)
    same_forest(loaded, model)
    np.testing.assert_array_equal(
        loaded.predict_proba(frame), model.predict_proba(frame)
    )
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.apply(frame), model.apply(frame))
    seeds = [tree.random_state for tree in model.estimators_]
    assert [tree.random_state for tree in loaded.estimators_] == seeds
    assert loaded.schema_ == model.schema_
    if model.criterion != gini:
        assert loaded.get_params() == model.get_params()
        np.testing.assert_array_equal(loaded.importances(), model.importances())
    with pytest.raises(ValueError, match="loaded from a file"):
        loaded.importances("oob", frame, labels)
    with pytest.raises(AttributeError, match="loaded from a file"):
        _ = loaded.estimators_samples_


def test_a_loaded_forest_cannot_be_started_warm(tmp_path):
    RandomForestClassifier(3).fit(X, Y).save(tmp_path / "forest.ramify")
    forest = ramify.load(tmp_path / "forest.ramify")
    forest.set_params(n_estimators=5, warm_start=True)
    with pytest.raises(ValueError, match="loaded from a file"):
        forest.fit(X, Y)


def test_only_a_fitted_forest_is_saved(tmp_path):
    with pytest.raises(TypeError, match="or a forest, not RandomForest"):
        ramify.save(RandomForestClassifier(), tmp_path / "none")


def test_a_damaged_forest_is_refused(tmp_path):
    path = tmp_path / "forest.ramify"
    RandomForestClassifier(3, random_state=0).fit(X, Y).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for wrong in ({"seeds": [1, 2, 3, 4]}, {"seeds": []}, {"tree": {"kind": "Shrub"}}):
        header = json.loads(parts["model.json"]) | wrong
        damaged = {**parts, "model.json": json.dumps(header).encode()}
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in damaged.items():
                archive.writestr(name, data)
        with pytest.raises(ValueError, match="cannot be read as a model"):
            ramify.load(path)


def test_the_command_line_grows_and_asks_forests(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["label"] = np.array(["one", "two", "three"])[Y]
    data, model = tmp_path / "iris.csv", tmp_path / "iris.ramify"
    frame.to_csv(data, index=False)
    run = CliRunner().invoke
    arguments = ["fit", str(data), "--target", "label", "--method", "ihd_rf"]
    arguments += ["--random-state", "0", "--json", "-o", str(model)]
    result = run(main, arguments)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.output)
    assert facts["method"] == "ihd_rf"
    assert facts["training_accuracy"] > 0.95
    result = run(main, [*arguments, "--prune", "ebp"])
    assert result.exit_code == 2
    why = "--method ihd_rf takes no --prune: it grows more than one tree"
    assert why in result.output
    loaded = ramify.load(model)
    assert len(loaded) == 20
    frame.drop(columns="label").to_csv(data, index=False)
    result = run(main, ["predict", str(model), str(data), "--proba"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("prediction,probability_one")
    result = run(main, ["show", str(model)])
    assert result.exit_code == 2
    assert "is a forest of 20 trees" in result.output


# --- the catalogue ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["c45", "cart", "ihd", "ihdw", "dgmml", "hddt"])
def test_forests_of_the_papers_are_in_the_catalogue(name):
    forest = ramify.methods.make(f"{name}_rf", random_state=0)
    assert isinstance(forest, RandomForestClassifier)
    assert forest.n_estimators == 20
    assert forest.max_features == "sqrt"
    assert forest.voting == "hard"
    for key, value in ramify.methods.get(name).parameters.items():
        assert getattr(forest, key) == value
    assert cross_val_score(forest, X, Y, cv=3).mean() > 0.9
    few = ramify.methods.make(f"{name}_rf", n_estimators=3, max_depth=2)
    assert len(few.fit(X, Y)) == 3
