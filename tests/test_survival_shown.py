# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees as text, rules, pictures, pages, exports and explanations."""

import json
import re
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

import ramify
from ramify import RandomSurvivalForest, SurvivalTree, datasets
from ramify.survival import kaplan_meier_estimator
from ramify.tree.outlook import outlook_of
from ramify.viewer.printed import report

VETERAN = datasets.load("veteran")
X, Y = VETERAN.raw(), VETERAN.y
KARNO = VETERAN.columns["karno"]
TIMES = [30.0, 365.0]


@pytest.fixture(scope="module")
def stump():
    return SurvivalTree(max_depth=1).fit(X, Y)


@pytest.fixture(scope="module")
def tree():
    return SurvivalTree(max_depth=3, min_samples_leaf=12).fit(X, Y)


@pytest.fixture(scope="module")
def forest():
    return RandomSurvivalForest(5, max_depth=3, random_state=0).fit(X, Y)


# --- text ---------------------------------------------------------------------------


def test_a_leaf_says_its_events_and_its_median(stump):
    assert ramify.export_text(stump) == (
        "karno <= 45: events 37 of 38, median 20\n"
        "karno > 45: events 91 of 99, median 111"
    )


def test_survival_at_times_is_added(stump):
    text = ramify.export_text(stump, times=[365])
    assert text.endswith("events 91 of 99, median 111, S(365) 0.111")
    assert ramify.export(stump, "text", times=[365]).artefact == text + "\n"
    iris = datasets.load("iris")
    plain = ramify.DecisionTreeClassifier(max_depth=1).fit(iris.X, iris.y)
    with pytest.raises(ValueError, match=r"times=\[365\] is for survival trees"):
        ramify.export_text(plain, times=[365])


def test_inner_nodes_say_it_too_and_those_of_forests_cannot(tree, forest):
    shown = ramify.export_text(tree, max_depth=0)
    assert shown == "events 128 of 137, median 80, 6 leaves below"
    of_forest = ramify.export_text(forest.estimators_[0], max_depth=0)
    assert re.fullmatch(r"[\d.]+ \(weight 137\), \d+ leaves below", of_forest)


def test_rules_predict_the_risk(stump):
    rules = ramify.rules(stump)
    assert str(rules[0]) == (
        "IF karno <= 45 THEN risk 196.5588  (events 37 of 38, median 20)"
    )
    assert rules[0].outlook.at(30) == stump.predict_survival_function(X, [30]).min()
    plain = rules.to_dicts()[1]
    assert (plain["events"], plain["median"]) == (91, 111)
    assert rules.to_frame()["median"].tolist() == [20, 111]


def test_an_outlook_is_the_curve_of_the_rows(tree):
    found = outlook_of(tree.tree_, 0)
    times, survival = kaplan_meier_estimator(Y["status"], Y["time"])
    assert_allclose(found.survival, survival)
    assert found.times.tolist() == times.tolist()
    assert_allclose(found.rmst(365), 115.6592156, atol=1e-7)
    assert (found.median, found.n_events, found.weight) == (80, 128, 137)
    assert found.at(0.5) == 1


def test_a_curve_that_stays_above_one_half_has_no_median():
    y = (np.arange(1, 11), np.arange(10) < 2)
    leaf = SurvivalTree().fit(np.zeros((10, 1)), y)
    assert ramify.export_text(leaf) == "events 2 of 10, no median"
    assert ramify.rules(leaf).to_dicts()[0]["median"] is None


# --- numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tree", "forest"])
@pytest.mark.parametrize(
    ("output", "predict"),
    [
        ("risk", lambda m: m.predict(X)),
        (("survival", TIMES), lambda m: m.predict_survival_function(X, TIMES)),
        (("hazard", 365), lambda m: m.predict_cumulative_hazard_function(X, [365])),
        (("rmst", 365), lambda m: m.predict_rmst(X, 365)),
    ],
)
def test_a_regressor_stands_for_a_number(request, name, output, predict):
    model = request.getfixturevalue(name)
    expected = np.squeeze(predict(model))
    regressor = model.as_regressor(output)
    assert_allclose(regressor.predict(X), expected, rtol=1e-12)
    found = ramify.explain(model, X, output="raw" if output == "risk" else output)
    added = found.values.sum(axis=1) + found.base_values
    assert_allclose(added, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "wrong", ["hazard", ("median", 3), ("survival", []), ("rmst", -1), ("hazard", "a")]
)
def test_other_numbers_are_refused(tree, wrong):
    with pytest.raises(ValueError, match=r"output=.* (use 'risk'|no times)"):
        tree.as_regressor(wrong)
    with pytest.raises(ValueError, match="output="):
        ramify.explain(tree, X, output=wrong)


def test_a_counterfactual_changes_risk_or_survival(stump):
    row = dict(zip(VETERAN.columns, [1, "squamous", 60, 7, 69, 0], strict=True))
    found = ramify.counterfactual(stump, row, to=(150, None))
    assert [str(change) for change in found.changes] == ["karno: 60 -> 45"]
    at_a_year = ("survival", 365)
    again = ramify.counterfactual(stump, row, to=(None, 0.1), output=at_a_year)
    assert again.row == found.row
    assert_allclose(again.before, outlook_of(stump.tree_, 2).at(365))


def test_to_shap_takes_survival(tree):
    numbers = VETERAN.columns["karno"][:, None]
    plain = SurvivalTree(max_depth=2).fit(numbers, Y)
    made = ramify.to_shap(plain, ("survival", 30))
    assert len(made["trees"]) == 1
    with pytest.raises(ValueError, match="is for survival trees"):
        ramify.to_shap(ramify.DecisionTreeRegressor().fit(numbers, KARNO), "risk")


# --- exports -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tree", "forest"])
@pytest.mark.parametrize("times", [None, TIMES])
@pytest.mark.parametrize("form", ["json", "python", "sql"])
def test_exports_are_certified(request, name, times, form):
    model = request.getfixturevalue(name)
    made = ramify.export(model, form, times=times, n_rows=500)
    assert made.certificate.is_exact
    assert made.certificate.facts["model"].get("times") == times


def test_an_export_answers_as_the_model(tree):
    made = ramify.export(tree, "python", times=TIMES, certify=False)
    module = {}
    exec(made.artefact, module)
    row = {name: values[0] for name, values in VETERAN.columns.items()}
    expected = tree.predict_survival_function(X, TIMES)[0]
    assert module["predict"](row) == expected.tolist()


def test_a_certificate_knows_the_times(tree, tmp_path):
    path = tmp_path / "tree.json"
    ramify.export(tree, "json", path, times=TIMES, n_rows=200)
    assert ramify.certify(tree, path, n_rows=200).is_exact
    iris = datasets.load("iris")
    other = ramify.DecisionTreeClassifier(max_depth=1).fit(iris.X, iris.y)
    with pytest.raises(ValueError, match="is for survival trees and forests"):
        ramify.export(other, "json", times=TIMES)


# --- pictures and pages ------------------------------------------------------------


def facts_of(page):
    text = re.search(
        r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.html
    )
    return json.loads(text[1])


def test_a_page_has_the_curves_of_all_nodes(tree):
    page = ramify.view(tree, X, Y)
    (shown,) = facts_of(page)["trees"]
    curves = shown["curves"]
    assert curves["scoreName"] == "chi-square"
    assert len(curves["nodes"]) == tree.tree_.node_count
    root = curves["nodes"]["0"]
    assert root["words"] == "events 128 of 137, median 80"
    assert root["atRisk"][0] == 137
    assert root["steps"][-1] == 1000
    heights = root["steps"][1:-1:2]
    assert heights == sorted(heights, reverse=True)
    assert "p-value" not in json.dumps(shown)


def test_a_page_of_a_tree_of_a_forest_has_those_of_its_leaves(forest):
    (shown,) = facts_of(ramify.view(forest, tree=1))["trees"]
    grown = forest.estimators_[1].tree_
    leaves = np.flatnonzero(grown.children_left < 0)
    assert sorted(map(int, shown["curves"]["nodes"])) == leaves.tolist()


def test_a_page_refuses_what_is_no_time(tree):
    with pytest.raises(ValueError, match="has no times and events"):
        ramify.view(tree, X, np.zeros(137))
    with pytest.raises(ValueError, match="has no times and events"):
        ramify.plot_tree(tree, X, np.zeros(137), ax=Figure().add_subplot())


@pytest.mark.parametrize("rows", [(), (X, Y)])
def test_a_plot_has_medians_and_events(tree, rows):
    ax = ramify.plot_tree(tree, *rows, ax=Figure((6, 4)).add_subplot())
    words = [text.get_text() for text in ax.texts]
    assert {"median 18", "19 of 19", "median 216", "35 of 39"} <= set(words)


def test_a_plot_of_a_tree_of_a_forest_draws_what_is_known(forest):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = ramify.plot_tree(forest, tree=0, ax=Figure((6, 4)).add_subplot())
    assert any("median" in text.get_text() for text in ax.texts)


def test_a_printed_page_says_the_concordance(tree):
    page = report(tree, X, Y)
    assert f"concordance {tree.score(X, Y):.3f}" in page.html
    assert "events 35 of 39, median 216" in page.html
    assert "right" not in page.html.split("<h2>The tree</h2>")[0]


# --- what else takes a tree -------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (ramify.simplify, "ramify.simplify takes trees of classes and numbers"),
        (ramify.shrink, "whose leaves hold curves"),
        (lambda t: ramify.refine(t, X, Y), "whose leaves hold curves"),
        (lambda t: ramify.prune(t, "rep", X, Y), "method='rep'"),
        (lambda t: ramify.view(t, t, X, Y), "show each SurvivalTree by itself"),
        (lambda t: t.fit_stream("some.parquet"), "needs the rows of a node at once"),
    ],
)
def test_what_would_not_fit_the_curves_is_refused(tree, ask, words):
    with pytest.raises(TypeError, match=words):
        ask(tree)


def test_shuffled_columns_lower_the_concordance(tree):
    found = ramify.permutation_importance(tree, X, Y, n_repeats=3)
    names = np.array(found.feature_names)
    assert names[found.importances_mean.argmax()] == "karno"
    with pytest.raises(ValueError, match="concordance counts pairs of rows"):
        ramify.permutation_importance(tree, X, Y, sample_weight=np.ones(137))
