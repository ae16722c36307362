# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees and forests as estimators: conventions, files, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of, failing_of_bootstrap
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from survival_twins import EVENT, TIME, X

import ramify
from ramify import (
    ExtraSurvivalTree,
    ExtraSurvivalTrees,
    RandomSurvivalForest,
    SurvivalTree,
)
from ramify.criteria.survival import SurvivalScores
from ramify.datasets import load
from ramify.survival import StepFunction, Surv

EVERY = [SurvivalTree, ExtraSurvivalTree, RandomSurvivalForest, ExtraSurvivalTrees]
Y = Surv.from_arrays(EVENT, TIME)


@pytest.fixture(scope="module")
def lung():
    data = load("lung")
    frame = pd.DataFrame(data.columns)
    return frame, data.y


def with_times(y):
    """Return any target of scikit-learn's checks as times of events."""
    if y is None:
        return y
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    return Surv.from_arrays(np.ones(len(codes), bool), codes + 1.0)


class Timed(SurvivalTree):
    """A tree that takes the targets of scikit-learn's checks for times."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, with_times(y), sample_weight)

    def score(self, X, y):
        return super().score(X, with_times(y))


class TimedForest(RandomSurvivalForest):
    """A forest that does."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, with_times(y), sample_weight)

    def score(self, X, y):
        return super().score(X, with_times(y))


FULL = {"min_samples_leaf": 1, "min_samples_split": 2}  # where weights are rows


@each_of([Timed(**FULL), Timed("poisson", **FULL), Timed(splitter="random", **FULL)])
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


def test_the_common_checks_pass_for_forests():
    forest = TimedForest(3)
    assert_common_checks_pass(forest, failing_of_bootstrap(forest))


@pytest.mark.parametrize("kind", EVERY)
def test_scikit_learns_tools_take_structured_targets(kind, lung):
    frame, y = lung
    small = {"n_estimators": 3} if "n_estimators" in kind().get_params() else {}
    model = make_pipeline(StandardScaler(), kind(random_state=0, **small))
    numbers = frame[["age", "sex", "ph.ecog", "wt.loss"]]
    scores = cross_val_score(model, numbers, y, cv=3)
    assert (scores > 0.4).all()
    name = f"{kind.__name__.lower()}__max_depth"
    search = GridSearchCV(model, {name: [1, 3]}, cv=2).fit(numbers, y)
    assert search.best_score_ > 0.4
    assert clone(model).get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize(
    "y",
    [
        Y,
        (TIME, EVENT),
        (TIME.tolist(), EVENT.astype(int).tolist()),
        pd.DataFrame({"days": TIME, "dead": EVENT}),
        pd.DataFrame({"dead": EVENT, "days": TIME}),
    ],
    ids=["structured", "pair", "lists", "frame", "frame turned"],
)
def test_targets_may_have_many_forms(y):
    expected = SurvivalTree().fit(X[:, None], Y).predict(X[:, None])
    np.testing.assert_array_equal(
        SurvivalTree().fit(X[:, None], y).predict(X[:, None]), expected
    )


def test_functions_are_step_functions():
    tree = SurvivalTree().fit(X[:, None], Y)
    curves = tree.predict_survival_function(X[:3, None])
    assert all(isinstance(curve, StepFunction) for curve in curves)
    array = tree.predict_survival_function(X[:3, None], return_array=True)
    np.testing.assert_array_equal(curves[1](TIME.max()), array[1, -1])
    assert curves[0].domain == (0, 10)


@pytest.mark.parametrize("kind", EVERY)
def test_a_model_can_be_pickled_and_saved(kind, lung, tmp_path):
    frame, y = lung
    small = {"n_estimators": 4} if "n_estimators" in kind().get_params() else {}
    model = kind(random_state=0, **small).fit(frame, y)
    model.save(tmp_path / "model.ramify")
    for twin in (
        pickle.loads(pickle.dumps(model)),
        ramify.load(tmp_path / "model.ramify"),
    ):
        np.testing.assert_array_equal(twin.predict(frame), model.predict(frame))
        for name in ("survival", "cumulative_hazard"):
            predict = f"predict_{name}_function"
            np.testing.assert_array_equal(
                getattr(twin, predict)(frame, return_array=True),
                getattr(model, predict)(frame, return_array=True),
            )
        np.testing.assert_array_equal(twin.unique_times_, model.unique_times_)
        np.testing.assert_array_equal(twin.is_event_time_, model.is_event_time_)


def test_a_function_is_noted_by_its_name_in_a_file(tmp_path):
    def ranks(time, event, weight):
        return np.arange(len(time))

    tree = SurvivalTree(SurvivalScores(ranks)).fit(X[:, None], Y)
    tree.save(tmp_path / "model.ramify")
    twin = ramify.load(tmp_path / "model.ramify")
    assert twin.criterion == "function ranks"
    np.testing.assert_array_equal(twin.predict(X[:, None]), tree.predict(X[:, None]))


def test_a_pruned_tree_keeps_its_curves(lung, tmp_path):
    frame, y = lung
    grown = SurvivalTree().fit(frame, y)
    tree = SurvivalTree(prune="split_complexity").fit(frame, y)
    assert 1 <= tree.get_n_leaves() < grown.get_n_leaves()
    times = [100.0, 300.0]
    leaves = tree.apply(frame)
    found = tree.predict_survival_function(frame, times=times)
    for leaf in np.unique(leaves):
        own = leaves == leaf
        alone = SurvivalTree(max_depth=1).fit(np.zeros((own.sum(), 1)), y[own])
        expected = alone.predict_survival_function([[0.0]], times=times)[0]
        np.testing.assert_allclose(found[own], np.tile(expected, (own.sum(), 1)))
    tree.save(tmp_path / "pruned.ramify")
    twin = ramify.load(tmp_path / "pruned.ramify")
    np.testing.assert_array_equal(twin.predict(frame), tree.predict(frame))


@pytest.mark.parametrize(
    ("params", "is_smaller"),
    [
        ({"prune": "split_complexity", "prune_params": {"n_bootstrap": 3}}, True),
        ({"prune": "ccp", "prune_params": {"n_leaves": 4}}, True),
        ({"prune": "ccp", "prune_params": {"cp": 0.02}}, True),
        ({"prune": "split_complexity", "prune_params": {"alpha": 0}}, False),
    ],
)
def test_ways_to_prune(lung, params, is_smaller):
    frame, y = lung
    grown = SurvivalTree("full_likelihood").fit(frame, y)
    tree = SurvivalTree("full_likelihood", **params).fit(frame, y)
    assert (tree.get_n_leaves() < grown.get_n_leaves()) == is_smaller
    assert len(tree.tree_.curves) == tree.get_n_leaves()


def test_best_first_growth_takes_the_best_splits(lung):
    frame, y = lung
    tree = SurvivalTree(max_leaf_nodes=5).fit(frame, y)
    assert tree.get_n_leaves() == 5
    assert len(tree.tree_.curves) == 5


def test_warm_start_adds_trees(lung):
    frame, y = lung
    one = RandomSurvivalForest(2, warm_start=True, random_state=0).fit(frame, y)
    one.set_params(n_estimators=4).fit(frame, y)
    other = RandomSurvivalForest(4, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(one.predict(frame), other.predict(frame))


def test_a_row_alone_gets_its_risk(lung):
    frame, y = lung
    for model in (SurvivalTree(), RandomSurvivalForest(3, random_state=0)):
        predict = model.fit(frame, y).row_predictor()
        assert predict(dict(frame.iloc[5])) == model.predict(frame.iloc[[5]])[0]


# --- what is refused ---


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "log_rank"}, "did you mean 'logrank'"),
        ({"criterion": "gini"}, "criterion='gini' is unknown"),
        ({"criterion": "rmst", "criterion_params": {"tau": -1}}, "tau=-1"),
        ({"criterion_params": {"rho": 1}}, "has no parameter 'rho'"),
        ({"criterion": np.log}, "SurvivalScores"),
        ({"missing": "fractional"}, "missing='fractional'"),
        ({"splitter": "central"}, "splitter='central'"),
        ({"min_events_leaf": -1}, "min_events_leaf=-1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"prune": "rep"}, "prune='rep'"),
        ({"prune": "split_complexity", "prune_params": {"alpha": -1}}, "alpha=-1"),
        ({"prune": "ccp"}, "exactly one of"),
        ({"prune_params": {"alpha": 4}}, "prune is None"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(params, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        SurvivalTree(**params).fit(X[:, None], Y)


@pytest.mark.parametrize("name", ["class_weight", "monotonic_cst", "honest"])
def test_parameters_of_other_models_are_refused(name):
    for kind in EVERY:
        with pytest.raises(TypeError, match=name):
            kind(**{name: None})
    assert not hasattr(SurvivalTree(), "predict_proba")


@pytest.mark.parametrize("kind", EVERY)
def test_targets_that_mean_nothing_are_refused(kind):
    with pytest.raises(ValueError, match="all samples are censored"):
        kind().fit(X[:, None], (TIME, np.zeros(10, bool)))
    with pytest.raises(ValueError, match="all samples are censored"):
        kind().fit(X[:, None], Y, sample_weight=1.0 - EVENT)
    with pytest.raises(ValueError, match="which column is the event"):
        kind().fit(X[:, None], np.column_stack([TIME, EVENT]))
    with pytest.raises(ValueError, match="row 3"):
        kind().fit(X[:, None], (np.where(np.arange(10) == 3, np.nan, TIME), EVENT))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X[:5, None], Y)


@pytest.mark.parametrize("ask", ["predict_quantile", "predict_rmst"])
@pytest.mark.parametrize("value", [0, -1.0, np.nan, "text", None])
def test_questions_that_mean_nothing_are_refused(ask, value):
    tree = SurvivalTree().fit(X[:, None], Y)
    with pytest.raises(ValueError, match="is not allowed"):
        getattr(tree, ask)(X[:, None], value)


def test_beyond_the_last_time_curves_stay_flat():
    tree = SurvivalTree(max_depth=1).fit(np.zeros((10, 1)), Y)
    with pytest.warns(UserWarning, match="beyond the last training time"):
        far = tree.predict_rmst([[0.0]], 30)
    near = tree.predict_rmst([[0.0]], 10)
    end = tree.predict_survival_function([[0.0]], times=[10, 30])[0]
    assert end[0] == end[1]
    assert far == pytest.approx(near + 20 * end[0])


def test_a_leaf_without_events_has_no_risk_and_no_median():
    y = (np.array([1.0, 2, 3, 4, 5, 6]), np.array([1, 1, 1, 0, 0, 0]))
    tree = SurvivalTree(max_depth=1).fit(np.repeat([[0.0], [1.0]], 3, axis=0), y)
    row = [[1.0]]
    assert tree.predict(row) == [0]
    assert np.isnan(tree.predict_median(row))
    assert tree.predict_survival_function(row, return_array=True).tolist() == [[1] * 6]


def test_an_event_at_time_zero_counts():
    tree = SurvivalTree(max_depth=1).fit(
        np.zeros((4, 1)), ([0.0, 1, 2, 3], [1, 1, 0, 0])
    )
    at = tree.predict_survival_function([[0.0]], times=[0, 1])[0]
    assert at.tolist() == [0.75, 0.5]
