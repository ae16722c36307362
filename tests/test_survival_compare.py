# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons on times to an event, and files that hold them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator

import ramify
from ramify import datasets
from ramify import survival as sv
from ramify.cli import main
from ramify.comparison.metrics import Trial, measure, metric_names
from ramify.survival import KaplanMeier, Surv


class ByKarno(BaseEstimator):
    """Predicts the third column, and the curve of all rows."""

    def fit(self, X, y):
        self.model_ = KaplanMeier().fit(X, y)
        return self

    def predict(self, X):
        return -np.asarray(X)[:, -4]

    def predict_survival_function(self, X):
        return self.model_.predict_survival_function(X)


VETERAN = datasets.load("veteran")
METRICS = ["c_index", "c_index_ipcw", "ibs", "auc"]


def test_methods_are_compared_by_the_metrics_of_survival():
    methods = {"karno": ByKarno(), "everyone": KaplanMeier()}
    result = ramify.compare(methods, "veteran", cv=5, metrics=METRICS)
    assert not result.failures
    karno, everyone = np.transpose([result.means(name)[0] for name in METRICS])
    assert everyone[[0, 1, 3]].tolist() == [0.5, 0.5, 0.5]
    assert (karno[[0, 1, 3]] > 0.65).all()
    assert karno[2] == everyone[2]  # the same curve
    assert result.datasets[0].n_events == 128
    assert "128" in ramify.report.build(result)


def test_usual_metrics_and_folds():
    result = ramify.compare(KaplanMeier(), ["veteran", "lung"], cv=3)
    assert result.metrics == ("c_index", "ibs", "leaves", "fit_time")
    rows = result.sources.rows["lung"]
    events = sv.read_survival_target(rows.dataset.y).event
    shares = [events[test].mean() for _, test in rows.folds[0]]
    assert np.ptp(shares) < 0.02


def test_metrics_are_those_of_the_fold():
    X, y = VETERAN.columns["karno"][:, None], VETERAN.y
    test = np.arange(137) % 3 == 0
    test[y["time"].argmax()] = False  # so that no test row need be cut off
    train = ~test
    model = KaplanMeier().fit(X[train], y[train])
    trial = Trial(
        *(model, X[test], y[test], -X[test], 0.0, 0.0),
        y_train=y[train],
        task="survival",
    )
    found = measure(trial, METRICS)
    risk = -X[test, 0]
    expected = sv.concordance_index_censored(y["status"][test], y["time"][test], risk)
    assert found["c_index"] == expected[0]
    first, tau = np.quantile(y["time"][train], [0.1, 0.8])
    uno = sv.concordance_index_ipcw(y[train], y[test], risk, tau=tau)
    assert_allclose(found["c_index_ipcw"], uno[0])
    times = np.linspace(first, tau, 100)
    survival = model.predict_survival_function(X[test], times)
    score = sv.integrated_brier_score(y[train], y[test], survival, times)
    assert_allclose(found["ibs"], score)
    auc = sv.cumulative_dynamic_auc(y[train], y[test], risk, times)
    assert_allclose(found["auc"], auc[1])


def test_what_a_fold_cannot_say_is_missing():
    y = Surv.from_arrays([False, False, True], [1.0, 2.0, 3.0])
    model = KaplanMeier().fit(np.zeros((3, 1)), y)
    trial = Trial(
        *(model, np.zeros((3, 1)), y, np.zeros(3), 0.0, 0.0), y_train=y, task="survival"
    )
    found = measure(trial, METRICS)
    assert np.isnan([found[name] for name in METRICS]).all()


def test_names_files_frames_and_pairs_are_data():
    frame = pd.DataFrame(VETERAN.columns)
    pair = (frame, Surv.from_arrays(VETERAN.y["status"], VETERAN.y["time"]))
    by_pair = ramify.compare(KaplanMeier(), {"veteran": pair}, cv=3, metrics=["ibs"])
    by_name = ramify.compare("kaplan_meier", "veteran", cv=3, metrics=["ibs"])
    assert by_pair.means("ibs") == by_name.means("ibs")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"datasets": ["veteran", "iris"]}, "times to an event to learn and 'iris'"),
        ({"metrics": ["accuracy"]}, "'accuracy' is for classification, and this is"),
        ({"sample_weight": np.ones(137)}, "count rows alike"),
        ({"methods": "kaplan_meyer"}, "did you mean 'kaplan_meier'"),
        ({"task": "regression"}, "has times to an event to learn"),
    ],
)
def test_what_does_not_fit_is_refused(given, words):
    given = {"methods": KaplanMeier(), "datasets": VETERAN, **given}
    with pytest.raises(ValueError, match=words):
        ramify.compare(**given, cv=3)


def test_a_classifier_knows_no_censored_rows():
    with pytest.raises(TypeError, match="knows no censored rows"):
        ramify.compare(ramify.DecisionTreeClassifier(), "veteran")


def test_metrics_know_their_tasks():
    assert {"auc", *METRICS} <= set(metric_names("survival"))
    assert "auc" in metric_names("classification")
    assert "c_index" not in metric_names("classification")
    assert "auc" not in metric_names("regression")


# --- files -----------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,days,dead,sex\n50,10,1,m\n60,20.5,0,f\n70,,1,m\n80,30,1,f\n")
    return path


def test_a_file_has_times_and_events(path):
    data = datasets.read_file(path, time="days", event="dead")
    assert data.task == "survival"
    assert data.y["days"].tolist() == [10, 20.5, 30]
    assert data.y["dead"].tolist() == [True, False, True]
    assert data.feature_names == ("age", "sex")
    assert data.n_dropped == 1
    again = eval(data.code, {"ramify": ramify})
    assert (again.y == data.y).all()
    assert data.read_as["target"] == "dead"
    assert data.read_as["ignored"] == ["days"]


def test_an_event_may_be_any_field(path):
    data = datasets.read_file(path, time="days", event="sex", event_value="f")
    assert data.y["sex"].tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"time": "days"}, "time needs event"),
        ({"event": "dead"}, "event needs time"),
        ({"event_value": "1"}, "event_value needs time and event"),
        ({"time": "days", "event": "sex"}, "'f', 'm'; say which .* event_value='m'"),
        ({"time": "day", "event": "dead"}, "did you mean 'days'"),
        ({"time": "days", "event": "days"}, "they are two columns"),
        ({"time": "days", "event": "dead", "target": "sex"}, "are the target; leave"),
        ({"time": "days", "event": "dead", "ignore": ["days"]}, "do not ignore it"),
        (
            {"time": "days", "event": "sex", "event_value": "w"},
            "no field 'w'; event_value is one of 'f', 'm'",
        ),
    ],
)
def test_wrong_columns_are_refused(path, given, words):
    with pytest.raises(ValueError, match=words):
        datasets.read_file(path, **given)


# --- the command line ----------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = datasets.load("veteran")
    frame = pd.DataFrame(data.columns)
    frame["days"], frame["dead"] = data.y["time"], data.y["status"].astype(int)
    frame.to_csv("veteran.csv", index=False)

    def run(*words):
        found = CliRunner().invoke(main, [str(word) for word in words])
        return found.exit_code, found.output

    return run


FIT = ("fit", "veteran.csv", "--time", "days", "--event", "dead")


def test_a_tree_is_fitted_and_asked_on_the_command_line(run):
    code, said = run(*FIT, "--criterion", "gehan", "--max-depth", 2, "-o", "m.ramify")
    assert code == 0, said
    assert re.search(r"events +128\n", said)
    assert re.search(r"cross-validated C +0\.\d+", said)
    ask = ("--at", "30,365", "--median", "--rmst", 365)
    code, said = run("predict", "m.ramify", "veteran.csv", *ask)
    assert code == 0, said
    header, first, *_ = said.splitlines()
    assert header == "risk,survival_30,survival_365,median,rmst_365"
    tree = ramify.load("m.ramify")
    X = datasets.load("veteran").raw()
    expected = [
        tree.predict(X)[0],
        *tree.predict_survival_function(X, [30, 365])[0],
        tree.predict_median(X)[0],
        tree.predict_rmst(X, 365)[0],
    ]
    assert_allclose([float(field) for field in first.split(",")], expected)


def test_a_saved_tree_is_shown_exported_and_explained(run):
    assert run(*FIT, "--max-depth", 2, "--no-estimate", "-o", "m.ramify")[0] == 0
    for words in (
        ("view", "m.ramify", "--data", "veteran.csv", "-o", "m.html"),
        ("report", "m.ramify", "--data", "veteran.csv", "-o", "r.html"),
        ("export", "m.ramify", "--to", "python", "--times", "30,365", "-o", "m.py"),
        ("certify", "m.ramify", "m.py"),
    ):
        code, said = run(*words)
        assert code == 0, said
    code, said = run("explain", "m.ramify", "veteran.csv", "--at", 365, "--max-rows", 1)
    assert said.splitlines()[0].startswith("row,base,trt,celltype,karno")
    code, said = run("show", "m.ramify")
    assert code == 0
    assert "events" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fit", "veteran.csv", "-o", "m"), "Missing option '--target'"),
        ((*FIT[:4], "-o", "m"), "--event is missing: --time needs it"),
        ((*FIT, "--target", "age", "-o", "m"), "--time and --target are two targets"),
        ((*FIT, "--max-purity", 0.9, "-o", "m"), "--max-purity is not for survival"),
        ((*FIT, "--class-weight", "balanced", "-o", "m"), "for labels, not for surv"),
        ((*FIT, "--method", "c45", "-o", "m"), "--method c45 learns labels"),
        ((*FIT, "--small", "-o", "m"), "--prune split_complexity"),
        ((*FIT, "--memory", "1GB", "-o", "m"), "need all rows of a node at once"),
        ((*FIT, "--criterion", "gini", "-o", "m"), "--criterion gini is unknown"),
        (("advise", "veteran"), "times to an event, which advise knows nothing of"),
    ],
)
def test_what_the_command_line_cannot_do_is_refused(run, words, said):
    code, output = run(*words)
    assert code != 0
    assert said in " ".join(output.split())


def test_pruning_is_part_of_the_fit(run):
    prune = ("--prune", "split_complexity", "--prune-param", "alpha=4")
    assert run(*FIT, *prune, "--no-estimate", "-o", "m.ramify")[0] == 0
    assert ramify.load("m.ramify").get_n_leaves() < 20
    code, said = run("prune", "m.ramify", "--method", "ccp", "-o", "n.ramify")
    assert code != 0
    assert "survival trees are pruned as they are fitted" in said


def test_methods_are_compared_on_the_command_line(run):
    names = ("--methods", "kaplan_meier,logrank", "--cv", 3, "--no-trees", "-o", "out")
    code, said = run("compare", *FIT[1:], *names, "--figures", "svg")
    assert code == 0, said
    assert re.search(r"logrank +0\.\d+ +0\.\d+", said)


def test_all_bundled_sets_are_listed(run):
    _, said = run("datasets")
    assert "rotterdam   2982 rows  10 columns   1272 events" in said
    _, said = run("datasets", "--json")
    assert json.loads(said)["survival"][0]["events"] == 128
