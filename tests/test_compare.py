# SPDX-License-Identifier: BSD-3-Clause
"""The comparison: entries, folds, cells here and elsewhere, cache, result."""

import csv
import functools
import itertools
import json
import os
import pickle
import runpy
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics
from sklearn import tree as sklearn_tree
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import ramify
import ramify.comparison
from ramify.cli import main
from ramify.comparison import Cache, Protocol, Record, workers
from ramify.comparison.entries import entries_of
from ramify.comparison.fingerprint import of_data, of_estimator
from ramify.comparison.metrics import metric_names
from ramify.comparison.rows import Rows, seed_of
from ramify.comparison.workers import run_tasks
from ramify.datasets import Dataset, load

OF_CLASSES = metric_names("classification")
NUMBERS = [name for name in OF_CLASSES if not name.endswith("_time")]


def tiny(y, name="tiny"):
    y = np.asarray(y)
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    classes = tuple(map(str, np.unique(y)))
    return Dataset(name, X, y, ("a", "b"), classes, "Made up.")


def spread(parent, left, right):
    """Judge by how unequal the classes are on either side."""
    return (left**2).sum(1) / left.sum(1) + (right**2).sum(1) / right.sum(1)


class Constant(ClassifierMixin, BaseEstimator):
    """Predicts the first class; `mood` is what fit does besides."""

    def __init__(self, mood=None):
        self.mood = mood

    def fit(self, X, y):
        if self.mood is not None:
            self.mood(X, y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def without_times(comparison):
    """Records as plain facts, in any order, but for the times."""
    found = []
    for r in comparison.records:
        numbers = {key: r.values.get(key) for key in NUMBERS if key in r.values}
        found.append((r.dataset, r.method, r.repeat, r.fold, repr(numbers), r.error))
    return Counter(found)


@pytest.fixture(scope="module")
def result():
    return ramify.compare(
        ["cart", "ihd", "wodt"],
        ["iris", "wine", "rings"],
        cv="2x5",
        random_state=3,
        metrics=["accuracy", *(name for name in OF_CLASSES if name != "accuracy")],
    )


# --- entries ---------------------------------------------------------------------


def test_methods_may_be_any_mix():
    given = [
        "c45",
        "gini",
        "hellinger + 0.5*gini",
        ramify.criteria.top(3, ramify.criteria.gini).smallest(ramify.criteria.csn),
        spread,
        ramify.DecisionTreeClassifier(max_depth=2),
        sklearn_tree.DecisionTreeClassifier(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ]
    found = ramify.compare(given, ["iris"], cv=2)
    assert not found.failures
    assert found.names == (
        "c45",
        "gini",
        "hellinger + 0.5 * gini",
        "top(3, gini).smallest(csn)",
        "spread",
        "DecisionTreeClassifier(max_depth=2)",
        "DecisionTreeClassifier()",
        "Pipeline",
    )


def test_a_method_goes_before_a_criterion_of_the_same_name():
    found = ramify.compare(["hddt", "hellinger"], ["iris"], cv=2)
    assert "laplace=True" in found.methods[0].settings
    assert "laplace" not in found.methods[1].settings


def test_an_alias_of_a_criterion_goes_by_its_own_name():
    alias = ramify.criteria.get("entropy").aliases[0]
    assert alias not in ramify.methods.names()
    assert ramify.compare([alias], ["iris"], cv=2).names == ("entropy",)


def test_methods_may_come_from_anywhere():
    def names(methods):
        return ramify.compare(methods, ["iris"], cv=2).names

    assert names(name for name in ("cart", "id3")) == ("cart", "id3")
    assert names(np.array(["cart", "id3"])) == ("cart", "id3")
    assert names(ramify.methods.get("c45")) == ("c45",)
    # An ensemble is no list of methods, although it has a length and items.
    assert names(RandomForestClassifier(2)) == ("RandomForestClassifier",)


def test_a_dict_names_its_methods():
    own = {"mine": spread, "short": ramify.DecisionTreeClassifier(max_depth=1)}
    found = ramify.compare(own, ["iris"], cv=2)
    assert found.names == ("mine", "short")
    assert found.methods[0].summary == spread.__doc__
    assert found.methods[1].settings == "DecisionTreeClassifier(max_depth=1)"


def test_two_libraries_may_name_a_class_alike():
    pair = [ramify.DecisionTreeClassifier(), sklearn_tree.DecisionTreeClassifier()]
    names = ramify.compare(pair, ["iris"], cv=2).names
    assert names == (
        "ramify.DecisionTreeClassifier()",
        "sklearn.DecisionTreeClassifier()",
    )


def test_facts_of_methods_are_those_of_the_catalogue():
    cart, oc1, bnm = ramify.compare(["cart", "oc1", "bnm"], ["iris"], cv=2).methods
    assert cart.formula == ramify.criteria.gini.formula
    assert "Breiman" in cart.reference
    assert oc1.summary == ramify.methods.get("oc1").summary
    assert bnm.formula == "gini + 0.01 * bnm"


# --- protocol --------------------------------------------------------------------


def test_there_is_one_record_per_cell(result):
    cells = [(r.dataset, r.method, r.repeat, r.fold) for r in result.records]
    order = itertools.product(
        ("iris", "wine", "rings"), range(2), range(5), ("cart", "ihd", "wodt")
    )
    assert cells == [(d, m, r, f) for d, r, f, m in order]
    assert not result.failures
    assert all(set(r.values) == set(OF_CLASSES) for r in result.records)


@pytest.mark.parametrize("repeat", [0, 1])
def test_cells_are_what_one_would_compute_by_hand(result, repeat):
    data, seed = load("wine"), seed_of(3, repeat)
    splitter = StratifiedKFold(5, shuffle=True, random_state=seed)
    train, test = list(splitter.split(data.X, data.y))[2]
    tree = ramify.DecisionTreeClassifier(criterion="ihd", random_state=seed)
    tree.fit(data.X[train], data.y[train])
    cell = ("wine", "ihd", repeat, 2)
    (record,) = [
        r for r in result.records if (r.dataset, r.method, r.repeat, r.fold) == cell
    ]
    p = tree.predict_proba(data.X[test])
    assert record.values["accuracy"] == tree.score(data.X[test], data.y[test])
    assert record.values["leaves"] == tree.get_n_leaves()
    assert record.values["depth"] == tree.get_depth()
    assert record.values["auc"] == pytest.approx(
        sklearn_metrics.roc_auc_score(data.y[test], p, multi_class="ovo")
    )


def test_the_first_repeat_has_the_seed_of_the_run_and_others_share_none():
    assert seed_of(7, 0) == 7
    drawn = [seed_of(run, repeat) for run in range(20) for repeat in range(20)]
    assert len(set(drawn)) == 400
    assert all(0 <= seed < 2**32 for seed in drawn)


def test_all_methods_see_the_same_folds():
    seen = {"a": [], "b": [], "c": []}

    class Spy(Constant):
        def __init__(self, name, table=False):
            super().__init__()
            self.name, self.table = name, table

        def fit(self, X, y):
            seen[self.name].append((X[:, 0].tolist(), y.tolist()))
            return super().fit(X, y)

    spies = {name: Spy(name) for name in seen}
    ramify.compare(spies, ["iris", "wine"], cv="2x3", n_jobs=1)
    assert len(seen["a"]) == 2 * 2 * 3
    assert seen["a"] == seen["b"] == seen["c"]
    (first, _), (second, _) = seen["a"][0], seen["a"][6]
    assert first != second


def test_scikit_learns_own_estimators_score_as_by_cross_val_score():
    data = load("breast_cancer")
    models = {
        "tree": sklearn_tree.DecisionTreeClassifier(random_state=5),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    found = ramify.compare(models, [data], cv=4, random_state=9)
    folds = StratifiedKFold(4, shuffle=True, random_state=9)
    for j, model in enumerate(models.values()):
        expected = cross_val_score(model, data.X, data.y, cv=folds)
        assert found.values("accuracy")[0, j] == pytest.approx(expected, abs=1e-12)


def test_estimators_of_others_see_plain_numbers():
    data = load("passengers")
    matrix = Rows(data, Protocol(2), 0).matrix
    n_levels = sum(len(set(data.columns[name])) for name in data.categorical)
    assert matrix.shape == (1000, 2 + n_levels)
    assert np.array_equal(np.isnan(matrix[:, 0]), np.isnan(data.columns["age"]))
    deck = matrix[:, -len(set(data.columns["deck"])) :]
    assert set(np.unique(deck)) == {0, 1}
    assert (deck.sum(axis=1) == 1).all()
    is_missing = [value is None for value in data.columns["deck"]]
    assert deck[:, 0].astype(bool).tolist() == is_missing
    models = {"tree": sklearn_tree.DecisionTreeClassifier(), "svm": LinearSVC()}
    found = ramify.compare(models, [data], cv=2)
    assert {r.method for r in found.failures} == {"svm"}
    assert "contains NaN" in found.failures[0].error
    filled = make_pipeline(SimpleImputer(), LinearSVC())
    assert not ramify.compare([filled], [data], cv=2).failures


def test_open_seeds_are_set_and_given_ones_are_kept():
    def seeds(model):
        found = []
        spy = make_pipeline(model, Constant(lambda X, y: found.append(X.sum())))
        ramify.compare([spy], ["iris"], cv=2, random_state=4)
        return found

    from sklearn.random_projection import GaussianRandomProjection

    def projection(seed):
        return seeds(GaussianRandomProjection(3, random_state=seed))

    assert projection(None) == projection(4) != projection(5)


@pytest.mark.slow
def test_every_method_runs_on_every_kind_of_column():
    found = ramify.compare(ramify.methods.names(), ["passengers"], cv=2)
    assert found.names == tuple(ramify.methods.names())
    assert not found.failures
    assert np.isfinite(found.means("leaves")).all()
    plain, fair, rare = found.notes
    assert rare.startswith("class 'saved' of passengers is rare: ")
    assert plain.startswith("bnm, csn, bnm_csn, ")
    assert "On passengers" in plain
    assert fair.startswith("scaff: ")
    assert ramify.compare(["bnm"], ["iris"], cv=2).notes == ()


def test_bins_are_those_of_the_training_rows():
    data = load("waveform")
    found = ramify.compare(["chaid"], [data], cv=2, metrics=["accuracy", "leaves"])
    folds = StratifiedKFold(2, shuffle=True, random_state=0).split(data.X, data.y)
    for record, (train, test) in zip(found.records, folds, strict=True):
        tree = ramify.methods.make("chaid").fit(data.X[train], data.y[train])
        assert record.values == {
            "accuracy": tree.score(data.X[test], data.y[test]),
            "leaves": tree.get_n_leaves(),
        }


def test_a_failed_cell_is_recorded_and_the_rest_goes_on():
    def moody(X, y):
        if X[0, 0] == 4.9:  # true of one fold
            raise RuntimeError("not today")

    found = ramify.compare(["cart", Constant(moody)], ["iris", "wine"], cv=5)
    (failure,) = found.failures
    assert (failure.dataset, failure.method) == ("iris", "Constant")
    assert failure.error == "RuntimeError: not today"
    assert failure.values == {}
    assert np.isnan(found.values("accuracy")).sum() == 1
    assert np.isnan(found.means("accuracy")).tolist() == [[False, True], [False, False]]
    best, worst = found.summary()
    assert (best["method"], best["rank"]) == ("cart", 1)
    assert np.isnan(worst["accuracy"])


def test_progress_counts_every_cell():
    seen = []
    ramify.compare(["gini"], ["iris"], cv=3, progress=lambda *facts: seen.append(facts))
    assert seen == [(i, 3, "iris gini") for i in (1, 2, 3)]


BAD = {
    "unknown method": ({"methods": ["ginni"]}, "did you mean 'gini'"),
    "nearest method": ({"methods": ["wodtt"]}, "did you mean 'wodt"),
    "bad expression": ({"methods": ["gini + "]}, "method 'gini \\+'"),
    "measure": ({"methods": ["segments"]}, "is a measure"),
    "method twice": ({"methods": ["cart", "cart"]}, "'cart' is given twice.*dict"),
    "functions twice": ({"methods": [spread, spread]}, "'spread' is given twice"),
    "no method": ({"methods": []}, "no methods"),
    "unknown baseline": ({"baseline": "ginni"}, "did you mean 'gini'"),
    "nearest baseline": (
        {"methods": {"mine": "gini"}, "baseline": "mien"},
        "baseline 'mien' is not among the methods; did you mean 'mine'",
    ),
    "unknown data": ({"datasets": ["irs"]}, "did you mean 'iris'"),
    "data twice": ({"datasets": ["iris", "iris"]}, "'iris' is given twice"),
    "no data": ({"datasets": []}, "no data sets"),
    "one fold": ({"cv": 1}, "cv=1 is too small"),
    "no repeat": ({"cv": "0x5"}, "repeats nothing"),
    "folds in words": ({"cv": "ten"}, "cv='ten' is not understood"),
    "no workers": ({"n_jobs": 0}, "n_jobs=0"),
    "seed": ({"random_state": None}, "random_state=None"),
    "negative seed": ({"random_state": -1}, "random_state=-1"),
    "unknown metric": ({"metrics": ["acuracy"]}, "did you mean 'accuracy'"),
    "metric twice": ({"metrics": ["auc", "auc"]}, "'auc' is given twice"),
    "no metric": ({"metrics": []}, "no metrics"),
    "one class": ({"datasets": [tiny([0] * 20)]}, "has one class, '0'"),
    "rare class": (
        {"datasets": [tiny(["a"] * 20 + ["b"] * 4)]},
        "class 'b' has 4 rows, fewer than the 10 folds.*use at most 4 folds",
    ),
    "name of a rare class": ({"datasets": ["iris"], "cv": 60}, "class 'setosa' has"),
    "single row": (
        {"datasets": [tiny(["a"] * 20 + ["b"])]},
        "1 row, fewer than the 10 folds.*; join or drop",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_clear_error_before_any_work(case, tmp_path):
    arguments, message = BAD[case]
    usual = {"methods": ["gini"], "datasets": ["iris"], "cache": tmp_path / "kept"}
    with pytest.raises(ValueError, match=message):
        ramify.compare(**(usual | arguments))
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (ramify.DecisionTreeClassifier, "is a class"),
        (ramify.DecisionTreeRegressor(), "predicts numbers"),
        (StandardScaler(), "cannot predict"),
        (3.5, "not a criterion"),
    ],
)
def test_what_is_no_classifier_is_refused(given, message):
    with pytest.raises(TypeError, match=message):
        ramify.compare([given], ["iris"])


@pytest.mark.parametrize("given", [3, object(), 1.5])
def test_what_is_no_data_set_is_refused(given):
    for datasets in (given, [given]):
        with pytest.raises(TypeError, match="is no data set; give a name"):
            ramify.compare(["cart"], datasets)


# --- laws ------------------------------------------------------------------------


@st.composite
def small_data(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.repeat(np.arange(draw(st.integers(2, 3))), draw(st.integers(4, 12)))
    X = rng.integers(0, draw(st.integers(2, 9)), size=(len(y), 3)).astype(float)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    names = tuple(f"class {k}" for k in np.unique(y))
    return Dataset("drawn", X, rng.permutation(y), tuple("abc"), names, "Drawn.")


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(data=small_data(), seed=st.integers(0, 99))
def test_identical_methods_never_differ(data, seed):
    twins = {
        name: ramify.ExtraTreesClassifier(n_estimators=3) for name in ("one", "other")
    }
    both = twins | {"plain": "cart"}
    found = ramify.compare(both, [data], cv="2x3", metrics=NUMBERS, random_state=seed)
    assert not found.failures
    for metric in NUMBERS:
        one, other, _ = np.moveaxis(found.values(metric), 1, 0)
        assert np.array_equal(one, other, equal_nan=True)


@functools.cache
def in_usual_order():
    found = ramify.compare(["cart", "c45", "oc1", "quest"], ["iris", "wine"], cv=2)
    return without_times(found)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(
    methods=st.permutations(["cart", "c45", "oc1", "quest"]),
    datasets=st.permutations(["iris", "wine"]),
)
def test_order_changes_no_record(methods, datasets):
    found = ramify.compare(methods, datasets, cv=2)
    assert without_times(found) == in_usual_order()


def test_the_same_seed_gives_the_same_numbers(result):
    again = ramify.compare(
        ["cart", "ihd", "wodt"],
        ["iris", "wine", "rings"],
        cv=Protocol(5, 2),
        random_state=3,
        metrics=NUMBERS,
    )
    for metric in NUMBERS:
        assert np.array_equal(again.values(metric), result.values(metric))


# --- metrics ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_metrics_are_scikit_learns(name):
    data = load(name)
    train, test = np.arange(len(data.y)) % 3 > 0, np.arange(len(data.y)) % 3 == 0
    model = ramify.DecisionTreeClassifier(max_depth=2).fit(data.X[train], data.y[train])
    y, predicted = data.y[test], model.predict(data.X[test])
    p = model.predict_proba(data.X[test])
    trial = ramify.comparison.metrics.Trial(model, data.X[test], y, predicted, 0.1, 0.2)
    found = ramify.comparison.metrics.measure(trial, NUMBERS)
    score = p[:, 1] if len(model.classes_) == 2 else p
    expected = {
        "accuracy": sklearn_metrics.accuracy_score(y, predicted),
        "balanced_accuracy": sklearn_metrics.balanced_accuracy_score(y, predicted),
        "f1": sklearn_metrics.f1_score(y, predicted, average="macro"),
        "log_loss": sklearn_metrics.log_loss(y, p),
        "auc": sklearn_metrics.roc_auc_score(y, score, multi_class="ovo"),
        "mcc": sklearn_metrics.matthews_corrcoef(y, predicted),
        "pr_auc": sklearn_metrics.average_precision_score(y, score),
        "brier": sklearn_metrics.brier_score_loss(y, score, scale_by_half="auto"),
        "leaves": model.get_n_leaves(),
        "depth": 2,
        "path_length": model.tree_.depths()[model.apply(data.X[test])].mean(),
        "fit_time": 0.1,
        "predict_time": 0.2,
    }
    assert found == pytest.approx(expected, abs=1e-12)


def test_what_a_model_has_not_is_nan_and_no_failure():
    svm = make_pipeline(StandardScaler(), LinearSVC())
    found = ramify.compare([svm], ["iris", "breast_cancer"], cv=2, metrics=NUMBERS)
    assert not found.failures
    for metric in ("leaves", "depth", "log_loss"):
        assert np.isnan(found.values(metric)).all()
    assert (found.means("auc") > 0.9).all()  # by decision_function


class AsColumn(sklearn_tree.DecisionTreeClassifier):
    """Predicts one column, as some libraries do."""

    def predict(self, X):
        return super().predict(X)[:, None]


class AsList(sklearn_tree.DecisionTreeClassifier):
    def predict(self, X):
        return super().predict(X).tolist()


class TooFew(sklearn_tree.DecisionTreeClassifier):
    def predict(self, X):
        return super().predict(X)[:1]


def test_predictions_may_be_a_column_or_a_list_but_not_too_few():
    plain = sklearn_tree.DecisionTreeClassifier()
    methods = {"plain": plain, "column": AsColumn(), "list": AsList(), "few": TooFew()}
    found = ramify.compare(methods, ["iris"], cv=3, metrics=NUMBERS)
    for metric in NUMBERS:
        plain, column, listed, _ = found.values(metric)[0]
        assert plain.tolist() == column.tolist() == listed.tolist()
    assert {record.method for record in found.failures} == {"few"}


def test_distances_of_pairs_of_classes_are_no_scores_of_classes():
    """Three classes have three pairs, so the number of columns does not tell."""
    methods = {
        shape: make_pipeline(StandardScaler(), SVC(decision_function_shape=shape))
        for shape in ("ovr", "ovo")
    }
    found = ramify.compare(methods, ["iris"], cv=2)
    assert (found.means("auc")[0] > 0.9).tolist() == [True, False]
    assert np.isnan(found.means("auc")[0, 1])
    assert not found.failures


@pytest.mark.parametrize(
    ("model", "leaves", "depth"),
    [
        (RandomForestClassifier(3, max_depth=1), 6, 1),
        (GradientBoostingClassifier(n_estimators=2, max_depth=1), 12, 1),
        (make_pipeline(StandardScaler(), sklearn_tree.DecisionTreeClassifier()), 0, 0),
        (GridSearchCV(ramify.DecisionTreeClassifier(), {"max_depth": [1]}, cv=2), 2, 1),
        (ramify.BaggedTreesClassifier(n_estimators=3, max_depth=1), 6, 1),
        ("spce", 0, 0),
    ],
)
def test_leaves_are_counted_in_all_trees(model, leaves, depth):
    found = ramify.compare([model], ["iris"], cv=2, metrics=["leaves", "depth"])
    assert not found.failures
    if leaves:
        assert (found.values("leaves") == leaves).all()
        assert (found.values("depth") == depth).all()
    else:
        assert (found.values("leaves") > 3).all()


def test_times_are_those_of_the_processor(monkeypatch):
    spent = [0.0]
    monkeypatch.setattr("time.process_time", lambda: spent[0])

    def busy(X, y):
        spent[0] += 3.25

    found = ramify.compare([Constant(busy)], ["iris"], cv=2, metrics=["fit_time"])
    assert (found.values("fit_time") == 3.25).all()


# --- several processes -----------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    """Let processes do all the work, not only what takes longer than a second."""
    monkeypatch.setattr(workers, "PATIENCE", 0)


@pytest.mark.slow
def test_processes_give_the_same_numbers(at_once):
    def inner(parent, left, right):
        return spread(parent, left, right) - offset

    def prints(X, y):
        print("to standard output", sys.stdin.read())

    def dies(X, y):
        if X[0, 0] == 4.9:  # true of one fold
            os._exit(3)

    offset = 1.0
    cannot_be_sent = with_code(
        "import threading\nlock = threading.Lock()\ndef f(X, y): lock.locked()\n"
    )
    methods = {"cart": "cart", "forest": "cart_rf", "own": inner, "lambda": spread}
    odd = {"prints": prints, "dies": dies, "stays": cannot_be_sent.mood}
    arguments = {"datasets": ["iris", "passengers"], "cv": 5, "metrics": NUMBERS}
    two = ramify.compare(
        methods | {name: Constant(mood) for name, mood in odd.items()},
        n_jobs=2,
        **arguments,
    )
    one = ramify.compare(methods | dict.fromkeys(odd, Constant()), **arguments)
    assert Counter((r.method, r.dataset) for r in two.failures) == {
        ("dies", "iris"): 1,
        ("stays", "iris"): 5,
        ("stays", "passengers"): 5,
    }
    assert {r.error.split("; ")[-1] for r in two.failures} == {
        "the process ended with code 3",
        "it cannot be sent to another process: use n_jobs=1",
    }
    failed = [(r.dataset, r.method, r.repeat, r.fold) for r in two.failures]
    lost = without_times(one) - without_times(two)
    assert sorted(failed) == sorted(facts[:4] for facts in lost.elements())


def test_what_nobody_would_know_again_stays_in_this_process(at_once):
    lock = threading.Lock()

    def locked(X, y):
        assert not lock.locked()

    assert not ramify.compare([Constant(locked)], ["iris"], cv=2, n_jobs=2).failures


def test_compiled_criteria_stay_in_this_process(at_once):
    import ctypes

    kinds = [ctypes.c_int64, ctypes.c_int64] + [ctypes.c_void_p] * 5

    @ctypes.CFUNCTYPE(None, *kinds)
    def judge(n_cuts, n_classes, parent, left, right, scores, user_data):
        answer = (ctypes.c_double * n_cuts).from_address(scores)
        for i in range(n_cuts):
            answer[i] = float(-abs(i - n_cuts // 2))

    compiled = ramify.criteria.compiled(judge)
    found = ramify.compare({"own": compiled}, ["iris"], cv=2, n_jobs=2)
    assert not found.failures


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_starts_is_replaced(monkeypatch):
    born = []

    class Unlucky(workers._Worker):
        def __init__(self):
            super().__init__()
            born.append(self)
            if len(born) <= 2:
                self.kill()

    monkeypatch.setattr(workers, "_Worker", Unlucky)
    answers = run_tasks(abs, [-1, -2, -3], 1, lambda task, why: why)
    assert sorted(answers) == [1, 2, 3]
    assert len(born) == 3


def test_workers_that_never_start_are_given_up(monkeypatch):
    class Stillborn(workers._Worker):
        def __init__(self):
            super().__init__()
            self.kill()

    monkeypatch.setattr(workers, "_Worker", Stillborn)
    with pytest.raises(ChildProcessError, match=r"could not start.*use n_jobs=1"):
        list(run_tasks(abs, [-1, -2], 1, lambda task, why: why))


def test_whoever_stops_listening_ends_the_processes():
    answers = run_tasks(abs, [-1, -2, -3], 1, lambda task, why: why)
    assert next(answers) == 1
    answers.close()
    assert not [t for t in threading.enumerate() if t.name.endswith("(_lead)")]


# --- cache -----------------------------------------------------------------------


def test_a_second_run_takes_everything_from_the_cache(tmp_path):
    arguments = (["cart", "wodt", spread], ["iris", "passengers"], "2x3")
    first = ramify.compare(*arguments, cache=tmp_path / "kept")
    seen = []
    again = ramify.compare(
        *arguments, cache=tmp_path / "kept", progress=lambda *f: seen.append(f)
    )
    assert (first.n_cached, again.n_cached) == (0, 3 * 2 * 6)
    assert again.records == first.records  # the times, too
    assert seen == [(36, 36, "known already")]


def test_more_folds_methods_data_and_metrics_cost_only_what_is_new(tmp_path):
    def n_new(*arguments, **more):
        found = ramify.compare(*arguments, cache=tmp_path / "kept", **more)
        return len(found.records) - found.n_cached

    assert n_new(["cart"], ["iris"], 3) == 3
    assert n_new(["cart", "id3"], ["iris"], 3) == 3
    assert n_new(["cart", "id3"], ["iris", "wine"], 3) == 6
    assert n_new(["cart"], ["iris"], "2x3") == 3  # the first repeat is known
    assert n_new(["cart"], ["iris"], 3, metrics=["log_loss", "depth"]) == 0
    assert n_new(["cart"], ["iris"], 4) == 4
    assert n_new(["cart"], ["iris"], 3, random_state=1) == 3
    # Another name for the same tree is the same cell.
    assert n_new([ramify.methods.make("cart")], ["iris"], 3) == 0
    # The criterion alone splits nodes where nothing is gained, which CART does not.
    assert n_new(["gini"], ["iris"], 3) == 3
    tree = ramify.DecisionTreeClassifier(min_samples_leaf=2)
    assert n_new([tree], ["iris"], 3) == 3
    changed = load("iris")
    changed.columns["petal width (cm)"][7] += 1
    assert n_new(["cart"], [changed], 3) == 3


def test_failed_cells_are_tried_again(tmp_path):
    is_down = tmp_path / "down"
    is_down.touch()

    def network(X, y):
        if is_down.exists():
            raise OSError("down")

    def run():
        model = Constant(network)
        return ramify.compare(["cart", model], ["iris"], 2, cache=tmp_path / "kept")

    assert len(run().failures) == 2
    is_down.unlink()
    again = run()
    assert not again.failures
    assert again.n_cached == 2


def test_fresh_takes_nothing_and_keeps_the_new(tmp_path):
    kept = tmp_path / "kept"
    first = ramify.compare(["cart"], ["iris"], 2, cache=kept)
    fresh = ramify.compare(["cart"], ["iris"], 2, cache=Cache(kept, fresh=True))
    assert fresh.n_cached == 0
    assert ramify.compare(["cart"], ["iris"], 2, cache=kept).records == fresh.records
    assert without_times(fresh) == without_times(first)


def sqlite_of_another_program(path):
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE cell (a)")
    file.close()


def cache_of_another_version(path):
    ramify.compare(["cart"], ["iris"], 2, cache=path)
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 99")
    file.close()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_text("y,x\n1,2\n" * 99), "not a database; delete it"),
        (sqlite_of_another_program, "another program; delete it"),
        (cache_of_another_version, "format 99"),
        (lambda path: path.mkdir(), "unable to open"),
    ],
)
def test_a_file_that_is_no_cache_is_refused_and_left_alone(tmp_path, spoil, message):
    path = tmp_path / "kept"
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ValueError, match=f"cannot use '.*kept' as.*{message}"):
        ramify.compare(["cart"], ["iris"], 2, cache=path)
    assert (path.read_bytes() if path.is_file() else None) == before


@pytest.mark.parametrize("text", ["null", "[]", "1", "", '{"auc": null}', "{"])
def test_a_cell_of_the_cache_that_holds_no_numbers_is_run_again(tmp_path, text):
    path = tmp_path / "kept"
    first = ramify.compare(["cart"], ["iris"], 2, cache=path)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE cell SET numbers = ? WHERE fold = 0", (text,))
    file.close()
    again = ramify.compare(["cart"], ["iris"], 2, cache=path)
    assert again.n_cached == 1
    assert without_times(again) == without_times(first)


def test_a_cache_that_stays_locked_is_not_waited_for_long(tmp_path, monkeypatch):
    path = tmp_path / "kept"
    ramify.compare(["cart"], ["iris"], 2, cache=path)
    monkeypatch.setattr("ramify.comparison.cache._PATIENCE", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ValueError, match="locked"):
        ramify.compare(["cart"], ["iris"], 2, cache=path)
    other.close()


def test_a_corrupt_cache_is_refused(tmp_path):
    path = tmp_path / "kept"
    ramify.compare(["cart", "id3"], ["iris"], 10, cache=path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="malformed; delete it"):
        ramify.compare(["cart"], ["iris"], 10, cache=path)


def test_several_runs_may_share_a_cache(tmp_path):
    cache, wrong = Cache(tmp_path / "kept"), []

    def write(run):
        try:
            with cache.writing() as keep:
                for i in range(50):
                    keep(f"{run} {i}", Record("d", "m", 0, i), {"auc": run + i / 64})
        except BaseException as error:
            wrong.append(error)

    runs = [threading.Thread(target=write, args=(run,)) for run in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert not wrong
    keys = [f"{run} {i}" for run in range(4) for i in range(50)]
    found = cache.find(keys)
    assert found == {key: {"auc": sum_of(key)} for key in keys}


def sum_of(key):
    run, i = map(int, key.split())
    return run + i / 64


def with_code(text):
    """Define a function f as a script would."""
    scope = {"np": np, "__name__": "__main__"}
    exec(text, scope)
    return Constant(scope["f"])


def test_a_function_is_known_by_its_code():
    usual = "def f(X, y): return 1\n"
    code = of_estimator(with_code(usual))
    assert code == of_estimator(with_code(usual))
    for changed in (
        "def f(X, y): return 2\n",
        "def f(X, y, z=1): return 1\n",
        "k = 1\ndef f(X, y): return k\n",
        "k = 2\ndef f(X, y): return k\n",
        "def g(): return 1\ndef f(X, y): return g()\n",
        "def g(): return 2\ndef f(X, y): return g()\n",
        "def f(X, y): return (lambda: 1)()\n",
        "def f(X, y): return (lambda: 2)()\n",
        "def g(k):\n def h(X, y): return k\n return h\nf = g(1)\n",
        "def g(k):\n def h(X, y): return k\n return h\nf = g(2)\n",
        "class C:\n def m(self): return 1\ndef f(X, y): return C().m()\n",
        "class C:\n def m(self): return 2\ndef f(X, y): return C().m()\n",
        "def f(X, y): return f(X, y)\n",
        "w = np.arange(3)\ndef f(X, y): return w\n",
        "w = np.arange(4)\ndef f(X, y): return w\n",
    ):
        other = of_estimator(with_code(changed))
        assert other == of_estimator(with_code(changed))
        assert other != code
        code = other


def test_an_estimator_is_known_by_its_parameters():
    def code(**parameters):
        return of_estimator(ramify.DecisionTreeClassifier(**parameters))

    gini, entropy = ramify.criteria.gini, ramify.criteria.entropy
    different = [
        code(),
        code(max_depth=1),
        code(max_depth=1.0),
        code(criterion=gini),
        code(criterion=entropy),
        code(criterion=gini + 0.5 * entropy),
        code(criterion=gini + 0.25 * entropy),
        code(criterion=spread),
        code(class_weight={0: 1.0}),
        code(class_weight={0: 2.0}),
        code(random_state=np.random.RandomState(1)),
        of_estimator(sklearn_tree.DecisionTreeClassifier()),
    ]
    assert len(set(different)) == len(different)
    assert code() == code()


def test_an_estimator_is_known_by_the_version_of_its_package(tmp_path, monkeypatch):
    """Wherever it stands; and no other method in the run has a say in it."""
    package = ModuleType("elsewhere")
    package.__version__ = "1.0"
    Other = type("Other", (Constant,), {"__module__": "elsewhere"})
    package.Other = Other
    monkeypatch.setitem(sys.modules, "elsewhere", package)
    methods = {"cart": "cart", "own": make_pipeline(Other())}

    def n_cached():
        return ramify.compare(methods, ["iris"], 2, cache=tmp_path / "kept").n_cached

    assert n_cached() == 0
    assert n_cached() == 4
    package.__version__ = "2.0"
    assert n_cached() == 2
    methods["own"] = Other()
    assert n_cached() == 2


def test_data_are_known_by_their_content():
    data = load("passengers")
    code = of_data(data)
    renamed = Dataset("other", list(data.columns.values()), data.y, "abcdef", "lr", "")
    assert of_data(renamed) == code
    for i in range(len(data.columns)):
        columns = [values.copy() for values in data.columns.values()]
        columns[i][3] = 77.0 if columns[i].dtype == float else "another"
        changed = Dataset("passengers", columns, data.y, "abcdef", "lr", "")
        assert of_data(changed) != code


KILLED = """
import sys, time
import numpy as np
import ramify
is_first = sys.argv[2] == "2"
assert ramify.compare and not (is_first and "matplotlib" in sys.modules)
from ramify.comparison import workers
from sklearn.base import BaseEstimator, ClassifierMixin

class Slow(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep(0.1)
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

def show(done, total, what):
    print(done, flush=True)

workers.PATIENCE = 0
result = ramify.compare(
    ["cart", "wodt", Slow()], ["iris", "wine"], cv=6, metrics=["accuracy", "leaves"],
    cache=sys.argv[1], n_jobs=int(sys.argv[2]), progress=show,
)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    script, kept = tmp_path / "script.py", tmp_path / "kept"
    script.write_text(KILLED)
    command = [sys.executable, str(script), str(kept)]
    with subprocess.Popen([*command, "2"], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            if int(line) == 9:
                run.kill()
                break
    assert run.returncode == -signal.SIGKILL

    monkeypatch.setattr(sys, "argv", [*command[1:], "1"])
    monkeypatch.setattr(
        workers, "PATIENCE", workers.PATIENCE
    )  # undo what the script sets
    rest = runpy.run_path(str(script), run_name="__main__")["result"]
    assert 9 <= rest.n_cached < 36
    expected = ramify.compare(
        {"cart": "cart", "wodt": "wodt", "Slow": Constant()},
        ["iris", "wine"],
        cv=6,
        metrics=["accuracy", "leaves"],
    )
    assert not expected.failures
    assert rest.to_csv() == expected.to_csv()


# --- result ----------------------------------------------------------------------


def test_protocols_are_read_and_written():
    for text, folds, repeats in (("10", 10, 1), ("10x5", 5, 10), (" 2 X 3 ", 3, 2)):
        found = Protocol.parse(text)
        assert (found.n_folds, found.n_repeats) == (folds, repeats)
        assert found.n_trials == folds * repeats
        assert Protocol.parse(str(found)) == found
    assert str(Protocol.parse("1x5")) == "5"
    for bad in ("x5", "5x", "5.0", "", True, None):
        with pytest.raises(ValueError, match="is not understood"):
            Protocol.parse(bad)


def test_values_are_data_sets_by_methods_by_trials(result):
    values = result.values("accuracy")
    assert values.shape == (3, 3, 10)
    record = result.records[-1]
    assert values[2, 2, 9] == record.values["accuracy"]
    assert np.array_equal(result.means("accuracy"), values.mean(axis=2))


def test_summary_is_sorted_by_rank(result):
    rows = result.summary()
    ranks = [row["rank"] for row in rows]
    assert ranks == sorted(ranks)
    assert {row["method"] for row in rows} == set(result.names)
    assert sum(ranks) == pytest.approx(1 + 2 + 3)


def test_csv_has_one_line_per_cell(result):
    rows = list(csv.DictReader(result.to_csv().splitlines()))
    assert len(rows) == 90
    keys = ["dataset", "method", "repeat", "fold", *result.metrics, "error"]
    assert list(rows[0]) == keys
    assert float(rows[0]["accuracy"]) == result.records[0].values["accuracy"]


def test_a_result_can_be_pickled(result):
    assert pickle.loads(pickle.dumps(result)) == result


def test_the_baseline_is_added_if_it_is_not_there():
    def run(baseline):
        found = ramify.compare(["cart", "ihd"], ["iris"], cv=2, baseline=baseline)
        return found.baseline, found.names

    assert run("ihd") == ("ihd", ("cart", "ihd"))
    assert run("gini") == ("gini", ("cart", "ihd", "gini"))
    assert run(None) == (None, ("cart", "ihd"))


def test_without_a_baseline_nothing_is_held_against_it(result):
    with pytest.raises(ValueError, match="there is no baseline"):
        result.against_baseline()


def test_versions_tell_what_took_part():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    found = ramify.compare([model], ["iris"], cv=2)
    assert list(found.versions) == [
        *("ramify", "python", "numpy", "scipy", "scikit-learn")
    ]
    assert found.versions["numpy"] == np.__version__


def test_folders_are_several_data_sets(tmp_path):
    for name in ("a", "b"):
        rows = "".join(f"{i},{i % 2}\n" for i in range(20))
        (tmp_path / f"{name}.csv").write_text(f"x,y\n{rows}")
    found = ramify.compare(["cart"], [tmp_path, "iris"], cv=2)
    assert [facts.name for facts in found.datasets] == ["a", "b", "iris"]


def test_the_module_is_the_function():
    assert callable(ramify.compare)
    assert ramify.comparison.statistics.hand_till_auc


# --- the command -----------------------------------------------------------------


def command(*arguments, out):
    arguments = ["compare", "--out", out, *arguments]
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, list(map(str, arguments)))


@pytest.mark.slow
def test_the_table_of_all_methods_fits_80_columns(tmp_path):
    found = command(
        "wine", "--cv", 2, "--baseline", "gini", "--n-jobs", 1, out=tmp_path
    )
    assert found.exit_code == 0, found.stderr
    lines = found.stdout.splitlines()
    usual = [entry.name for entry in entries_of(None)]
    assert {"cart", "wodt", "ridge", "tsallis"} < set(usual)
    end = 3 + len(usual) + 1
    assert max(map(len, lines[:end])) <= 80
    rows = {line.split()[0]: line.split() for line in lines[3:end]}
    assert set(rows) == {*usual, "gini"}
    assert len(rows["gini"]) == 6  # nothing against itself
    # One data set has no wins, and p is that of its folds.
    assert {len(row) for name, row in rows.items() if name != "gini"} <= {7, 8}
    ranks = [float(line.split()[5]) for line in lines[3:end]]
    assert ranks == sorted(ranks)


def test_long_names_are_cut_and_numbers_never(tmp_path):
    methods = "top(3, gini + 0.25 * hellinger).smallest(csn),cart"
    metrics = ",".join(OF_CLASSES)
    found = command(
        "iris", "--cv", 2, "--methods", methods, "--metrics", metrics, out=tmp_path
    )
    assert found.exit_code == 0, found.stderr
    row = next(line for line in found.stdout.splitlines() if line.startswith("top"))
    assert row.startswith("top(3, gini + 0…")
    assert len(row.split("…")[1].split()) == len(OF_CLASSES) + 1
    assert "…" not in row.split("…")[1]


def test_a_second_command_goes_on_from_the_first(tmp_path):
    def n_cached(*arguments):
        chosen = ("iris", "--cv", 2, "--methods", "cart,ihd", "--json")
        found = command(*chosen, *arguments, out=tmp_path)
        assert found.exit_code == 0, found.stderr
        return json.loads(found.stdout)["cached"]

    assert n_cached() == 0
    assert n_cached() == 4
    assert n_cached("--baseline", "gini") == 4
    assert n_cached("--baseline", "gini") == 6
    assert n_cached("--fresh") == 0


def bad_files(folder):
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20))
    (folder / "good.csv").write_text(f"x,y\n{rows}")
    (folder / "one.csv").write_text("x,y\n" + "1,a\n" * 20)
    (folder / "rare.csv").write_text(f"x,y\n{rows}1,c\n1,c\n")
    (folder / "unlabelled.csv").write_text("x,y\n" + "1,\n" * 20)
    (folder / "mixed.csv").write_bytes("x,y\né,a\n".encode() + b"\xe9,b\n" * 9)
    (folder / "empty").mkdir()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["good.csv", "--target", "z"], "no column 'z'"),
        (["one.csv"], "one class"),
        (["rare.csv"], "use at most 2 folds"),
        (["mixed.csv"], "mixed.csv"),
        (["unlabelled.csv"], "has no labels"),
        (["empty"], "'empty'"),
        (["missing.csv"], "missing.csv"),
        ([""], "names no data set"),
        (["good.csv", "--methods", "c46"], "did you mean 'c45'"),
        (["good.csv", "--methods", ","], "no methods"),
        (["good.csv", "--metrics", "aux"], "did you mean 'auc'"),
        (["good.csv", "--baseline", "c46"], "did you mean 'c45'"),
        (["good.csv", "--cv", "5x"], "--cv 5x"),
        (["good.csv", "--n-jobs", "0"], "--n-jobs 0"),
        (["good.csv", "--seed", "-1"], "random_state=-1"),
        (["good.csv", "good.csv"], "'good' is given twice"),
    ],
)
def test_bad_commands_are_one_line(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    bad_files(tmp_path)
    found = command(*arguments, out=tmp_path / "out")
    assert found.exit_code == 2, found.output
    assert found.stdout == ""
    assert found.stderr.startswith("ramify: ")
    assert found.stderr.count("\n") == 1
    assert words in found.stderr
    assert not (tmp_path / "out").exists()


def test_all_trees_are_pruned_alike():
    methods = ["cart", "ihd", "cart_rf"]
    given = {"cv": 3}
    result = ramify.compare(methods, ["iris"], cv=3, prune="ccp_cv", prune_params=given)
    assert not result.failures
    assert "by prune='ccp_cv' with {'cv': 3}. Not so cart_rf" in result.notes[0]
    assert "prune='ccp_cv'" in result.methods[0].settings
    whole = ramify.compare(methods, ["iris"], cv=3)
    assert (result.means("leaves")[0, :2] < whole.means("leaves")[0, :2]).all()
    with pytest.raises(ValueError, match="did you mean 'ebp'"):
        ramify.compare(methods, ["iris"], prune="ebpp")
    with pytest.raises(ValueError, match="needs prune"):
        ramify.compare(methods, ["iris"], prune_params={"cf": 0.1})
    with pytest.raises(ValueError, match="there is none among the methods"):
        ramify.compare(["cart_rf"], ["iris"], prune="pep")
