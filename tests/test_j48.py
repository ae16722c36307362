# SPDX-License-Identifier: BSD-3-Clause
"""The method j48 prints the trees of WEKA's J48, line by line."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ramify

GOLDEN = json.loads((Path(__file__).parent / "golden" / "j48.json").read_text())
CASES = [
    pytest.param(table, printed, id=f"{i}-{name}")
    for i, table in enumerate(GOLDEN["tables"])
    for name, printed in table["printed"].items()
]


def frame(table):
    data = pd.DataFrame(table["rows"], columns=list("abcd"))
    return data.astype({"a": object, "b": object, "c": float, "d": float})


def lines_of(model):
    """Write a tree as WEKA does: columns a0, ..., categories v0, ..., classes c0."""
    tree = model.tree_

    def two_digits(x):
        return repr(math.floor(x * 100 + 0.5) / 100)

    def leaf(node):
        weight, shares = tree.weighted_n_node_samples[node], tree.value[node, 0]
        wrong = weight * (1 - shares.max())
        errors = f"/{two_digits(wrong)}" if wrong > 1e-6 else ""
        return f": c{shares.argmax()} ({two_digits(weight)}{errors})"

    def tests(node):
        column = f"a{tree.feature[node]}"
        if tree.kind[node] == 0:
            cut = f"{tree.threshold[node]:.6f}".rstrip("0").rstrip(".")
            cut = "0" if cut == "-0" else cut
            return [f"{column} <= {cut}", f"{column} > {cut}"]
        values, branches = tree.listed(node)
        names = dict(zip(branches.tolist(), values.astype(int).tolist(), strict=True))
        n_children = len(tree.children(node))
        # A leaf for unseen categories has no name.
        return [f"{column} = v{names[b]}" for b in range(n_children) if b in names]

    def below(node, depth):
        found = []
        for child, test in zip(tree.children(node), tests(node), strict=False):
            line = "|   " * depth + test
            if tree.children_left[child] < 0:
                found.append(line + leaf(child))
            else:
                found += [line, *below(child, depth + 1)]
        return found

    return below(0, 0) or [leaf(0)]


@pytest.mark.parametrize(("table", "printed"), CASES)
def test_j48_prints_the_tree_of_weka(table, printed):
    X, y = frame(table), table["y"]
    model = ramify.methods.make("j48", prune_params=printed["prune_params"]).fit(X, y)
    assert lines_of(model) == printed["lines"]
    assert model.get_n_leaves() == printed["leaves"]


def test_some_branches_were_raised():
    raised = 0
    for table in GOLDEN["tables"]:
        model = ramify.methods.make("j48").fit(frame(table), table["y"])
        raised += int((model._pruning["decision"] == "raised").sum())
    assert raised >= 3


def test_empty_branches_say_what_their_parents_say_after_raising():
    n_empty = 0
    for table in GOLDEN["tables"]:
        tree = ramify.methods.make("j48").fit(frame(table), table["y"]).tree_
        empty = np.flatnonzero(tree.weighted_n_node_samples == 0)
        above = tree.parents()[empty]
        np.testing.assert_array_equal(tree.value[empty], tree.value[above])
        n_empty += len(empty)
    assert n_empty > 3


def test_empty_branches_say_what_their_parents_say_after_held_out_rows_came():
    rng = np.random.default_rng(16)
    a = rng.choice(list("abcde"), 60, p=[0.3, 0.3, 0.3, 0.05, 0.05])
    c = rng.integers(0, 3, 60) * 1.0
    y = (a == "a") ^ (c > 0) ^ (rng.random(60) < 0.2)
    model = ramify.DecisionTreeClassifier(
        categories="multiway_all",
        prune="rep",
        prune_params={"holdout": 1 / 3, "random_state": 0},
    ).fit([list(row) for row in zip(a, c, strict=True)], y.astype(int))
    tree = model.tree_
    empty = np.flatnonzero(tree.weighted_n_node_samples == 0)
    assert len(empty) > 0
    np.testing.assert_array_equal(tree.value[empty], tree.value[tree.parents()[empty]])


def test_unseen_categories_stop_at_the_node_that_asks():
    X = [["a", 1.0], ["a", 2.0], ["b", 1.0], ["b", 2.0], ["c", 1.0], ["c", 3.0]] * 3
    y = [0, 0, 1, 1, 2, 2] * 3
    model = ramify.DecisionTreeClassifier(
        "gain_ratio", categories="multiway", unseen="parent"
    ).fit(X, y)
    assert model.get_n_leaves() == 3
    np.testing.assert_allclose(model.predict_proba([["new", 1.0]]), [[1 / 3] * 3])
    np.testing.assert_array_equal(model.predict(X), y)
    assert len(ramify.rules(model)) == model.tree_.n_leaves
    assert "(0 of 0)" in ramify.export_text(model)


def test_thresholds_in_the_data():
    X = np.array([[1.0], [2.0], [4.0], [8.0]])
    model = ramify.DecisionTreeClassifier(threshold="data").fit(X, [0, 0, 1, 1])
    assert model.tree_.threshold[0] == 2.0
    X = np.array([[1.0, 0], [2, 0], [9, 0], [4.9, 1], [5, 1], [5.2, 1]])
    model = ramify.DecisionTreeClassifier(threshold="data").fit(X, [0, 0, 1, 2, 2, 2])
    cut = model.tree_.threshold[model.tree_.feature == 0]
    assert cut.tolist() == [5.2]  # the largest of the column below (2 + 9) / 2


def test_a_threshold_may_miss_a_value_of_the_data_by_half_a_digit():
    # (-0.239766 - 0.216374) / 2 is 5e-7 below the value of another row.
    X = np.array([[0, -0.239766], [0, -0.216374], [1, -0.2280695], [1, -0.2280695]])
    for offset, expected in ((0.0, -0.2280695), (1e-5, -0.239766)):
        X[2:, 1] = -0.2280695 + offset
        model = ramify.DecisionTreeClassifier(threshold="data")
        tree = model.fit(X, [0, 1, 2, 2]).tree_
        assert tree.threshold[tree.feature == 1].tolist() == [expected]
    close = np.array([[0.0], [1e-7], [2e-7], [3e-7]])  # no row may change sides
    model = ramify.DecisionTreeClassifier(threshold="data").fit(close, [0, 0, 1, 1])
    assert model.tree_.threshold[0] == 1e-7


def test_every_category_of_the_column_has_a_branch():
    X = [["a", 0], ["b", 0], ["a", 1], ["b", 1], ["c", 1], ["d", 0]] * 2
    y = [0, 1, 1, 1, 0, 0] * 2
    for how, n_branches in (("multiway", {2, 3, 4}), ("multiway_all", {4})):
        tree = ramify.DecisionTreeClassifier(categories=how).fit(X, y).tree_
        nodes = np.flatnonzero(tree.kind == ramify.Tree.CATEGORIES)
        assert {len(tree.children(node)) for node in nodes} <= n_branches
        empty = tree.weighted_n_node_samples == 0
        parent = tree.parents()[empty]
        np.testing.assert_array_equal(tree.value[empty], tree.value[parent])


def test_empty_leaves_are_smoothed_like_their_parents():
    table = GOLDEN["tables"][0]
    model = ramify.methods.make("j48", laplace=True).fit(frame(table), table["y"])
    tree = model.tree_
    empty = np.flatnonzero(tree.weighted_n_node_samples == 0)
    assert len(empty) > 0
    smooth = tree.smoothed()
    np.testing.assert_array_equal(smooth[empty], smooth[tree.parents()[empty]])


def test_trees_with_empty_leaves_are_written_and_read(tmp_path):
    table = GOLDEN["tables"][1]
    X = frame(table)
    model = ramify.methods.make("j48").fit(X, table["y"])
    ramify.save(model, tmp_path / "m.ramify")
    new = X.copy()
    new.loc[::3, "b"] = "never seen"
    same = ramify.load(tmp_path / "m.ramify")
    np.testing.assert_array_equal(same.predict_proba(new), model.predict_proba(new))
