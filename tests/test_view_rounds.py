# SPDX-License-Identifier: BSD-3-Clause
"""Pages of boosted models: the tree of a round, and what all rounds add to a row."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ramify
from ramify.viewer import rounds

D = load_diabetes(as_frame=True)


@pytest.fixture(scope="module")
def boosted():
    model = ramify.BoostedTreesRegressor(
        n_estimators=6, max_depth=2, early_stopping=True, random_state=0
    )
    return model.fit(D.data, D.target)


def data_of(page):
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page.html)
    return json.loads(found[1])


def value_of(tree, row):
    """Let a row walk down, by what the page has of a tree of thresholds."""
    at = 0
    while tree["left"][at] >= 0:
        goes_right = row[tree["feature"][at]] > tree["threshold"][at]
        at = tree["next"][tree["left"][at]] if goes_right else tree["left"][at]
    return tree["value"][at]


def test_the_rounds_of_a_page_add_up_to_the_prediction(boosted):
    page = ramify.view(boosted, D.data, D.target, tree=3)
    assert page.title == "BoostedTreesRegressor: round 3 of 6"
    found = data_of(page)["rounds"]
    assert found["chosen"] == 3
    assert len(found["each"]) == boosted.n_iter_ == 6
    for k, one in enumerate(found["each"]):
        assert one["loss"] == pytest.approx(boosted.train_score_[k])
        assert one["held"] == pytest.approx(boosted.validation_score_[k])
        assert one["leaves"] == boosted.trees_[k][0].n_leaves
        assert one["gain"] > 0
    row = D.data.iloc[4].to_numpy()
    total = found["start"] + sum(value_of(one["tree"], row) for one in found["each"])
    assert total == pytest.approx(boosted.predict(D.data.iloc[4:5])[0])


def test_the_tree_of_a_page_is_that_of_the_round(boosted):
    (tree,) = data_of(ramify.view(boosted, tree=5))["trees"]
    np.testing.assert_allclose(tree["value"], boosted.trees_[5][0].value[:, 0, 0])
    assert tree["estimator"] == "RoundTree"


def test_the_score_of_a_class_is_chosen_by_output():
    X, y = load_iris(return_X_y=True)
    model = ramify.BoostedTreesClassifier(n_estimators=3, max_depth=1).fit(X, y)
    found = data_of(ramify.view(model, X, y, output=2))["rounds"]
    assert found["start"] == pytest.approx(model.sum_.baseline[2], rel=1e-6)
    assert "held" not in found["each"][0]
    with pytest.raises(ValueError, match="the model has 3 scores, from 0 to 2"):
        ramify.view(model, output=3)
    with pytest.raises(ValueError, match="the model has 3 rounds, from 0 to 2"):
        ramify.view(model, tree=-1)


def test_of_very_many_nodes_the_gains_are_left(boosted, monkeypatch):
    monkeypatch.setattr(rounds, "MAX_NODES", 10)
    found = data_of(ramify.view(boosted))["rounds"]
    assert all("tree" not in one and "gain" in one for one in found["each"])


def test_rounds_are_on_pages_of_boosted_models_only(boosted):
    tree = ramify.DecisionTreeRegressor(max_depth=2).fit(D.data, D.target)
    page = ramify.view(tree, D.data, D.target)
    assert "rounds" not in data_of(page)
    assert "function roundsPanel" not in page.html
    assert "function roundsPanel" in ramify.view(boosted).html
