# SPDX-License-Identifier: BSD-3-Clause
"""The method rpart prunes as R's rpart does, and prints its complexities."""

import json
from pathlib import Path

import numpy as np
import pytest

import ramify
from ramify.pruning.sequence import rpart_complexities

GOLDEN = json.loads((Path(__file__).parent / "golden" / "rpart.json").read_text())


def rows_of(table):
    """Give rows, classes and R's leaves; a table may say how often each row occurs."""
    X = np.array([[float(digit) for digit in row] for row in table["rows"]])
    times = table.get("times", np.ones(len(X), int))
    parts = X, np.array(list(table["y"])), np.array(table["leaves"])
    return tuple(np.repeat(part, times, axis=0) for part in parts)


@pytest.mark.parametrize("table", GOLDEN["tables"])
def test_complexities_and_leaves_are_those_of_r(table):
    X, y, leaves = rows_of(table)
    model = ramify.methods.make("rpart").fit(X, y)
    pairs = set(zip(model.apply(X).tolist(), leaves.tolist(), strict=True))
    assert len(pairs) == model.get_n_leaves() == len(set(leaves))
    path = model._pruning
    assert path["cp"] == pytest.approx(table["cp"][::-1])
    assert path["n_leaves"].tolist() == [int(n) + 1 for n in table["nsplit"][::-1]]


@pytest.mark.parametrize("table", GOLDEN["tables"])
def test_the_book_has_other_complexities(table):
    X, y, _ = rows_of(table)
    model = ramify.methods.make("rpart", prune_params={"cp": 0.01, "risk": "error"})
    found = model.fit(X, y)._pruning["cp"]
    book = found[found > 0.01]
    printed = np.array(table["cp"][-2::-1])
    assert len(book) != len(printed) or not np.allclose(book, printed)


def test_a_node_lets_only_whole_children_collapse_before_itself():
    # By hand: the left child has a subtree of one strong and one weak link.
    X = np.array([[0.0], [1], [2], [3], [4], [5]]).repeat([9, 3, 4, 2, 8, 6], axis=0)
    y = np.array([0, 1, 0, 1, 0, 1]).repeat([9, 3, 4, 2, 8, 6])
    tree = ramify.DecisionTreeClassifier("gini").fit(X, y).tree_
    errors = tree.weighted_n_node_samples * (1 - tree.value[:, 0].max(axis=1))
    found = rpart_complexities(tree, np.round(errors, 9), 0.0)
    parent = tree.parents()
    inner = np.flatnonzero(tree.children_left >= 0)
    assert np.isinf(found[tree.children_left < 0]).all()
    for node in inner[1:]:
        assert found[node] <= found[parent[node]]
    whole = (errors[0] - errors[tree.children_left < 0].sum()) / (len(inner))
    assert found[0] >= whole
