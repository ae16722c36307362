# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of criteria: how they are given, checked, shown, searched and kept."""

import copy
import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_iris

import ramify
from ramify import DecisionTreeClassifier, TunedTreeClassifier
from ramify.cli import main
from ramify.criteria import balanced, entropy, get, gini, ks, mdl, parse, tsallis

X, Y = load_iris(return_X_y=True)


def test_all_ways_to_give_a_parameter_mean_the_same():
    expected = DecisionTreeClassifier("tsallis", criterion_params={"q": 0.5})
    expected = expected.fit(X, Y).tree_
    for criterion in ("tsallis(q=0.5)", tsallis(q=0.5), get("tsallis", q=0.5)):
        tree = DecisionTreeClassifier(criterion).fit(X, Y).tree_
        np.testing.assert_array_equal(tree.threshold, expected.threshold)
    both = DecisionTreeClassifier(tsallis, criterion_params={"q": 0.5}).fit(X, Y)
    np.testing.assert_array_equal(both.tree_.threshold, expected.threshold)
    other = DecisionTreeClassifier("tsallis(q=3)").fit(X, Y).tree_
    assert not np.array_equal(other.gain[:1], expected.gain[:1])


@pytest.mark.parametrize(
    "text",
    [
        *("tsallis(q=0.5)", "2 * tsallis(q=0.5) + ks(mode='ovr_mean')"),
        *("balanced(gini)", "balanced(tsallis(q=0.5)) + gini"),
        *("sharma_mittal(q=0.7, r=2.0)", "bayes(alpha=0.5, equivalent=True)"),
        "asymmetric_entropy(prior=(0.2, 0.3, 0.5))",
        "top(3, tsallis(q=0.5)).smallest(csn)",
        "gini * branch_balance",
    ],
)
def test_what_is_shown_can_be_read_back(text):
    expression = parse(text)
    assert parse(repr(expression)) == expression
    assert repr(expression) == text
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert copy.deepcopy(expression) is expression
    model = clone(DecisionTreeClassifier(expression)).fit(X, Y)
    by_text = DecisionTreeClassifier(text).fit(X, Y)
    np.testing.assert_array_equal(model.tree_.threshold, by_text.tree_.threshold)


def test_defaults_need_not_be_said():
    assert tsallis(q=1.5) == tsallis
    assert repr(tsallis(q=1.5)) == "tsallis"
    assert tsallis(q=0.5)(q=2).params == {"q": 2.0}
    assert ks(mode="ovo_max") == ks
    assert gini() == gini


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("tsallis", {"q": 0}, r"\['q'\]=0 must be a number above 0 to 10"),
        ("tsallis", {"q": "2"}, "must be a number above 0"),
        ("tsallis", {"q": np.nan}, "must be a number above 0"),
        ("tsallis", {"q": True}, "must be a number above 0"),
        ("tsallis", {"alpha": 1}, "it takes: q"),
        ("dkm", {"q": 1}, "it takes: none"),
        ("ks", {"mode": "ova"}, "'ovr_max' or 'ovo_max'"),
        ("bayes", {"equivalent": 1}, "True or False"),
        ("two_power", {"a": 2, "b": 3}, "one of a and b must"),
        ("asymmetric_entropy", {"prior": (0.5, 1.5)}, "one share between 0 and 1"),
        ("asymmetric_entropy", {"prior": 0.5}, "one share between 0 and 1"),
        ("alpha_divergence", {"alpha": 11}, "above 0 to 10"),
    ],
)
def test_bad_parameters_are_refused(name, params, message):
    with pytest.raises(ValueError, match=message):
        get(name, **params)
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(name, criterion_params=params).fit(X, Y)


def test_other_mistakes_are_explained():
    with pytest.raises(TypeError, match="by name"):
        tsallis(1.5)
    with pytest.raises(TypeError, match="not both"):
        tsallis([3, 3], [[1, 2]], [[2, 1]], q=2)
    with pytest.raises(ValueError, match="only criteria and measures take parameters"):
        parse("tsallis(1.5) + gini")
    with pytest.raises(ValueError, match="3 classes; give one per class"):
        DecisionTreeClassifier("asymmetric_entropy(prior=(0.5, 0.5))").fit(X, Y)
    with pytest.raises(TypeError, match="cannot be a part of an expression"):
        mdl(threshold_cost=True) + gini
    with pytest.raises(TypeError, match="takes a built-in criterion"):
        balanced(ramify.criteria.bnm)


def test_balanced_goes_into_sums():
    assert repr(balanced(gini + 0.5 * entropy)) == (
        "balanced(gini) + 0.5 * balanced(entropy)"
    )
    assert balanced(balanced(gini)) == balanced(gini)
    assert (
        repr(balanced(gini.then(entropy))) == "balanced(gini).then(balanced(entropy))"
    )


def test_grids_search_parameters():
    tuned = TunedTreeClassifier(
        DecisionTreeClassifier("tsallis"), {"q": [0.5, 1.0, 2.0]}, cv=3
    ).fit(X, Y)
    assert tuned.best_params_["q"] in (0.5, 1.0, 2.0)
    assert tuned.best_estimator_.criterion_params == tuned.best_params_
    usual = TunedTreeClassifier(DecisionTreeClassifier("alpha_divergence"), cv=3)
    assert len(usual.fit(X, Y).results_["mean_test_score"]) == 5


@pytest.mark.parametrize(
    ("criterion", "params"),
    [
        ("tsallis", {"q": 0.5}),
        ("tsallis(q=0.5)", None),
        (tsallis(q=0.5), None),
        (balanced(tsallis(q=0.5)), None),
        (get("asymmetric_entropy", prior=(0.2, 0.3, 0.5)), None),
    ],
)
def test_model_files_keep_parameters(criterion, params, tmp_path):
    model = DecisionTreeClassifier(criterion, criterion_params=params).fit(X, Y)
    model.save(tmp_path / "tree.ramify")
    loaded = ramify.load(tmp_path / "tree.ramify")
    again = clone(loaded).fit(X, Y)
    np.testing.assert_array_equal(again.tree_.threshold, model.tree_.threshold)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_the_command_line_lists_parameters():
    listed = json.loads(CliRunner().invoke(main, ["criteria", "--json"]).output)
    facts = {one["name"]: one["parameters"] for one in listed}
    assert facts["tsallis"] == [
        {"name": "q", "default": 1.5, "range": "a number above 0 to 10"}
    ]
    assert facts["gini"] == []
    shown = CliRunner().invoke(main, ["criteria"]).output
    assert "q=1.5" in shown
    numbers = json.loads(
        CliRunner().invoke(main, ["criteria", "--regression", "--json"]).output
    )
    by_name = {one["name"]: one["parameters"] for one in numbers}
    assert by_name["tweedie"][0]["range"] == "0, or a number from 1 to 3"


def test_the_map_knows_every_criterion_and_its_relatives():
    found = ramify.criteria.map()
    kinds = ("criteria", "uplift", "regression")
    names = [name for kind in kinds for name in ramify.criteria.names(kind)]
    assert sorted(place.name for place in found) == sorted(names)
    assert {place.family for place in found} == set(found.families)
    assert "hellinger" in found["dkm"].alike
    assert found["ks"].ignores_class_weights
    assert not found["gini"].ignores_class_weights
    assert "power sums" in str(found)
    with pytest.raises(KeyError):
        found["nothing"]


def test_what_the_map_calls_alike_orders_cuts_alike():
    from ramify.criteria.families import ALIKE

    rng = np.random.default_rng(0)
    for group in ALIKE:
        for _ in range(20):
            parent = rng.integers(2, 40, 2).astype(float)
            left = rng.random((30, 2)) * parent
            orders = []
            for text in group:
                score = parse(f"{text} + 0")(parent, left, parent - left)
                orders.append(np.argsort(score))
            for order in orders[1:]:
                np.testing.assert_array_equal(order, orders[0])
