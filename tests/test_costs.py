# SPDX-License-Identifier: BSD-3-Clause
"""Costs of mistakes steer both the splits and what a leaf predicts."""

import numpy as np
import pytest
from oracle_columns import visits
from strategies import Mixed, random_mixed
from twins import TWINS

from ramify import DecisionTreeClassifier

NAMES = sorted(TWINS)
STRUCTURE = (
    *("children_left", "children_right", "feature", "threshold"),
    *("split_value", "split_branch", "missing_branch", "default_branch"),
)
COSTS = {
    2: np.array([[0.0, 1.0], [5.0, 0.0]]),
    3: np.array([[0.0, 1.0, 4.0], [0.5, 0.0, 2.0], [10.0, 3.0, 0.0]]),
}


def fit(criterion: object, data: Mixed, **params: object) -> DecisionTreeClassifier:
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = DecisionTreeClassifier(criterion, categorical_features=columns, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def tables() -> list[Mixed]:
    return [
        random_mixed(seed, n_classes=n_classes, missing=0.1, levels=5, weights=weights)
        for seed, (n_classes, weights) in enumerate(
            [(2, "one"), (3, "one"), (2, "integer"), (3, "tenths")]
        )
    ]


@pytest.mark.parametrize("name", NAMES)
def test_splits_are_those_of_classes_weighted_by_their_costs(name):
    for data in tables():
        costs = COSTS[int(data.y.max()) + 1]
        costly = fit(name, data, cost_matrix=costs).tree_
        weighted = fit(name, data, class_weight=dict(enumerate(costs.sum(1)))).tree_
        for array in STRUCTURE:
            np.testing.assert_array_equal(
                getattr(costly, array), getattr(weighted, array), array
            )
        np.testing.assert_allclose(costly.gain, weighted.gain, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_values_are_the_shares_without_the_costs(name):
    for data in tables():
        tree = fit(name, data, cost_matrix=COSTS[int(data.y.max()) + 1]).tree_
        for number, _, node, _ in visits(tree, data):
            counts = node.by_class.sum(0)
            np.testing.assert_allclose(
                tree.value[number, 0], counts / counts.sum(), atol=1e-9
            )


@pytest.mark.parametrize("name", NAMES)
def test_leaves_predict_the_cheapest_class(name):
    differs = 0
    for data in tables():
        costs = COSTS[int(data.y.max()) + 1]
        model = fit(name, data, cost_matrix=costs, max_depth=2)
        share = model.tree_.value[model.apply(data.X), 0]
        np.testing.assert_allclose(model.predict_proba(data.X), share, atol=1e-12)
        expected = share @ costs
        order = np.sort(expected, axis=1)
        sure = order[:, 1] - order[:, 0] > 1e-9
        predicted = model.predict(data.X)
        np.testing.assert_array_equal(predicted[sure], expected.argmin(1)[sure])
        differs += (predicted != share.argmax(1)).any()
    assert differs > 0


@pytest.mark.parametrize("name", NAMES)
def test_equal_costs_change_nothing(name):
    for data in tables():
        costs = 1 - np.eye(int(data.y.max()) + 1)
        plain, costly = fit(name, data), fit(name, data, cost_matrix=costs)
        for array in STRUCTURE:
            np.testing.assert_array_equal(
                getattr(costly.tree_, array), getattr(plain.tree_, array), array
            )
        np.testing.assert_allclose(costly.tree_.value, plain.tree_.value, atol=1e-12)
        np.testing.assert_array_equal(costly.predict(data.X), plain.predict(data.X))


def test_ties_of_cost_go_to_the_first_class():
    # One leaf, three rows of class 0 and one of class 1, whose mistakes cost 3.
    model = DecisionTreeClassifier(cost_matrix=[[0, 1], [3, 0]])
    model.fit([[1.0]] * 4, [0, 0, 0, 1])
    assert model.predict([[1.0]])[0] == 0
    model = DecisionTreeClassifier(cost_matrix=[[0, 1], [3.5, 0]])
    model.fit([[1.0]] * 4, [0, 0, 0, 1])
    assert model.predict([[1.0]])[0] == 1
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.75, 0.25]])


def test_costs_follow_the_order_of_the_labels():
    data = random_mixed(5, n_classes=3)
    names = np.array(["ant", "bee", "cat"])
    plain = fit("gini", data, cost_matrix=COSTS[3], max_depth=3)
    named = fit(
        "gini", data._replace(y=names[data.y]), cost_matrix=COSTS[3], max_depth=3
    )
    np.testing.assert_array_equal(names[plain.predict(data.X)], named.predict(data.X))


def test_costs_and_class_weights_multiply():
    data = random_mixed(6, n_classes=3, levels=5)
    factor = {0: 2.0, 1: 1.0, 2: 0.5}
    both = fit("entropy", data, cost_matrix=COSTS[3], class_weight=factor).tree_
    product = {k: factor[k] * COSTS[3][k].sum() for k in factor}
    weighted = fit("entropy", data, class_weight=product).tree_
    for array in STRUCTURE:
        np.testing.assert_array_equal(getattr(both, array), getattr(weighted, array))


def test_predictions_with_gaps_in_every_branch_are_the_cheapest_too():
    data = random_mixed(7, n_classes=3, missing=0.2, levels=5)
    model = fit("gini", data, cost_matrix=COSTS[3], missing="fractional", max_depth=3)
    expected = model.predict_proba(data.X) @ COSTS[3]
    order = np.sort(expected, axis=1)
    sure = order[:, 1] - order[:, 0] > 1e-9
    np.testing.assert_array_equal(model.predict(data.X)[sure], expected.argmin(1)[sure])


# --- Bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        [[0, 1, 1], [1, 0, 1]],
        [[0]],
        [0, 1],
        [[0, 1], [1, 0], [1, 1]],
        [[0, -1], [1, 0]],
        [[1, 1], [1, 0]],
        [[0, 1], [0, 0]],
        [[0, np.nan], [1, 0]],
        [[0, np.inf], [1, 0]],
        [["0", "a"], ["1", "0"]],
        "balanced",
        np.zeros((2, 2, 2)),
    ],
    ids=str,
)
def test_wrong_costs_are_an_error(costs):
    with pytest.raises((ValueError, TypeError), match="cost"):
        DecisionTreeClassifier(cost_matrix=costs).fit([[1.0], [2.0]], [0, 1])


def test_costs_need_one_output():
    model = DecisionTreeClassifier(cost_matrix=COSTS[2])
    with pytest.raises(ValueError, match="cost_matrix"):
        model.fit([[1.0], [2.0]], [[0, 1], [1, 0]])
