# SPDX-License-Identifier: BSD-3-Clause
"""Trees and roots printed in the literature; each file in golden/ names its source."""

import json
from pathlib import Path

import numpy as np
import pytest
from oracle import Limits, class_weights, cuts_of
from sklearn.datasets import load_breast_cancer, load_iris
from twins import TWINS, distinct_classes

import ramify
from ramify import DecisionTreeClassifier

GOLDEN = Path(__file__).parent / "golden"
TWELVE, IRIS, CANCER = (
    json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("ihd_twelve_rows", "iris", "breast_cancer")
)


def twelve_rows(columns: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the illustration with its columns in the given order."""
    X = np.array([TWELVE["data"][column] for column in columns], dtype=float).T
    return X, np.array(TWELVE["data"]["y"])


def as_printed(model: DecisionTreeClassifier, columns: list[str], node: int = 0):
    """Return a tree as the golden file writes it."""
    tree = model.tree_
    if tree.feature[node] < 0:
        counts = tree.value[node, 0] * tree.weighted_n_node_samples[node]
        return dict(zip(model.classes_.tolist(), counts.round().tolist(), strict=True))
    return {
        "test": f"{columns[tree.feature[node]]} <= {tree.threshold[node]:g}",
        "gain": pytest.approx(tree.gain[node], abs=6e-7),
        "yes": as_printed(model, columns, tree.children_left[node]),
        "no": as_printed(model, columns, tree.children_right[node]),
    }


@pytest.mark.parametrize(
    "golden",
    TWELVE["trees"],
    ids=lambda golden: f"{golden['criterion']}-{'-'.join(golden['columns'])}",
)
def test_trees_of_the_ihd_illustration(golden):
    X, y = twelve_rows(golden["columns"])
    model = DecisionTreeClassifier(
        criterion=golden["criterion"], **TWELVE["parameters"]
    ).fit(X, y)
    assert as_printed(model, golden["columns"]) == golden["tree"]


@pytest.mark.parametrize("name", TWELVE["roots"])
def test_roots_of_the_ihd_illustration(name):
    golden = TWELVE["roots"][name]
    X, y = twelve_rows(["f1", "f2"])
    tree = DecisionTreeClassifier(criterion=name, max_depth=1).fit(X, y).tree_
    test = f"{('f1', 'f2')[tree.feature[0]]} <= {tree.threshold[0]:g}"
    assert test == golden["test"]
    gain = tree.gain[0]
    if name == "dcsm":  # printed is the penalty of the split, not its drop
        gain = distinct_classes(np.array([4.0, 8.0]), 2) - gain
    assert gain == pytest.approx(golden["score"], abs=6e-9)


def test_root_of_ihdw_is_tied_and_goes_to_the_first_column():
    tied = TWELVE["tied_ihdw_roots"]
    scores = {}
    for columns in (["f1", "f2"], ["f2", "f1"]):
        X, y = twelve_rows(columns)
        tree = DecisionTreeClassifier(criterion="ihdw", max_depth=1).fit(X, y).tree_
        assert tree.feature[0] == 0
        scores[f"{columns[0]} <= {tree.threshold[0]:g}"] = tree.gain[0]
    assert set(scores) == set(tied["tests"])
    assert list(scores.values()) == pytest.approx([tied["score"]] * 2, abs=6e-9)


@pytest.mark.parametrize("name", TWELVE["scores_along_f2"]["scores"])
def test_scores_along_a_column_of_the_ihd_illustration(name):
    golden = TWELVE["scores_along_f2"]
    X, y = twelve_rows(["f2"])
    codes = np.unique(y, return_inverse=True)[1]
    by_class = class_weights(codes, np.ones(len(y)), 2)
    cuts = cuts_of(X[:, 0], by_class, Limits())
    assert cuts.threshold.tolist() == golden["thresholds"]
    score = ramify.criteria.get(name)(by_class.sum(0), cuts.left, cuts.right)
    np.testing.assert_allclose(score, golden["scores"][name], atol=6e-7)


def test_golden_files_cover_every_criterion():
    assert sorted(IRIS["leaves"]) == sorted(CANCER["roots"]) == sorted(TWINS)


@pytest.mark.parametrize("name", sorted(TWINS))
def test_root_and_size_of_the_iris_tree(name):
    data = load_iris()
    model = DecisionTreeClassifier(criterion=name).fit(data.data, data.target)
    assert model.tree_.feature[0] == IRIS["root"]["column"]
    assert model.tree_.threshold[0] == pytest.approx(IRIS["root"]["threshold"])
    assert model.get_n_leaves() == IRIS["leaves"][name]
    assert model.score(data.data, data.target) == 1.0


@pytest.mark.parametrize("name", sorted(TWINS))
def test_root_of_the_breast_cancer_tree(name):
    data = load_breast_cancer()
    golden = CANCER["roots"][name]
    model = DecisionTreeClassifier(criterion=name, max_depth=1)
    tree = model.fit(data.data, data.target).tree_
    assert tree.feature[0] == golden["column"]
    assert tree.threshold[0] == pytest.approx(golden["threshold"])
