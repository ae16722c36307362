# SPDX-License-Identifier: BSD-3-Clause
"""`max_purity`: a node that is pure enough is a leaf, whoever grows the tree."""

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone

import ramify
from ramify import (
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)
from ramify.cli import main

RNG = np.random.default_rng(0)
N_ROWS = 600
X = RNG.normal(size=(N_ROWS, 5))
Y = np.select(
    [X[:, 0] + 0.6 * RNG.normal(size=N_ROWS) > 0.3, X[:, 1] > 0.5], [0, 1], default=2
)
WHOLE = (4 * X).round()  # few values per column
MIXED = WHOLE.copy()
MIXED[:, 2] = RNG.integers(0, 12, N_ROWS)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
WEIGHT = RNG.integers(1, 4, N_ROWS)


def children_of(tree, node):
    """List the children of a node, of which there may be more than two."""
    child = tree.children_left[node]
    while child >= 0:
        yield child
        child = tree.next_sibling[child]


def assert_stops(tree, full, purity):
    """Fail unless a tree is the full one without what is below nodes that are pure."""
    waiting = [(0, 0)]
    n_stopped = 0
    while waiting:
        here, there = waiting.pop()
        share = full.value[there].max(axis=-1)
        if (share >= purity - 1e-9).all():
            assert tree.children_left[here] < 0
            n_stopped += full.children_left[there] >= 0
            continue
        assert tree.feature[here] == full.feature[there]
        assert tree.threshold[here] == pytest.approx(full.threshold[there], nan_ok=True)
        both = [*children_of(tree, here)], [*children_of(full, there)]
        waiting += zip(*both, strict=True)
    assert n_stopped > 0


TREES = {
    "lists": (DecisionTreeClassifier(), X),
    "few values": (DecisionTreeClassifier(), WHOLE),
    "general": (
        DecisionTreeClassifier(min_impurity_decrease=1e-9, candidate_criteria=None),
        MIXED,
    ),
    "categories": (DecisionTreeClassifier(categorical_features=[2]), MIXED),
    "branches": (
        DecisionTreeClassifier(
            "entropy", categorical_features=[2], categories="multiway"
        ),
        MIXED,
    ),
    "sampled columns": (DecisionTreeClassifier(max_features=2, random_state=0), X),
    "random cuts": (DecisionTreeClassifier(splitter="random", random_state=0), X),
    "mean and median": (DecisionTreeClassifier(splitter="central"), X),
    "missing values": (DecisionTreeClassifier("gain_ratio"), GAPS),
    "parts of rows": (DecisionTreeClassifier(missing="fractional"), GAPS),
    "structure": (DecisionTreeClassifier("gini + 0.01 * bnm", max_depth=4), X),
    "dgmml": (DecisionTreeClassifier(splitter="dgmml"), X),
    "chaid": (DecisionTreeClassifier(splitter="chaid"), X),
    "quest": (DecisionTreeClassifier(splitter="quest"), X),
    "oblique": (ObliqueTreeClassifier("ridge", max_depth=5, random_state=0), X),
    "own": (
        DecisionTreeClassifier(
            lambda parent, left, right: left.max(1) + right.max(1) - parent.max()
        ),
        WHOLE,
    ),
}


@pytest.mark.parametrize("purity", [0.7, 0.9])
@pytest.mark.parametrize("kind", TREES)
def test_trees_stop_where_a_node_is_pure_enough(kind, purity):
    model, table = TREES[kind]
    full = clone(model).fit(table, Y).tree_
    tree = clone(model).set_params(max_purity=purity).fit(table, Y).tree_
    assert_stops(tree, full, purity)


def test_weights_count_as_repeated_rows():
    many = np.repeat(np.arange(N_ROWS), WEIGHT)
    model = DecisionTreeClassifier(max_purity=0.8)
    once = clone(model).fit(X, Y, sample_weight=WEIGHT).tree_
    twice = clone(model).fit(X[many], Y[many]).tree_
    np.testing.assert_array_equal(once.threshold, twice.threshold)
    full = DecisionTreeClassifier().fit(X, Y, sample_weight=WEIGHT).tree_
    assert_stops(once, full, 0.8)


def test_a_share_that_is_reached_exactly_is_enough():
    y = np.repeat([0, 1], [9, 1])
    x = np.arange(10.0)[:, None]
    for weight in (None, np.full(10, 0.1), np.full(10, 1e9)):
        stump = DecisionTreeClassifier(max_purity=0.9).fit(x, y, sample_weight=weight)
        assert stump.get_n_leaves() == 1
        tree = DecisionTreeClassifier(max_purity=0.91).fit(x, y, sample_weight=weight)
        assert tree.get_n_leaves() == 2


def test_every_output_must_be_pure_enough():
    both = np.column_stack([Y, Y % 2])
    full = DecisionTreeClassifier().fit(X, both).tree_
    tree = DecisionTreeClassifier(max_purity=0.8).fit(X, both).tree_
    n_outputs = tree.value.shape[1]
    assert n_outputs == 2
    assert_stops(tree, full, 0.8)


@pytest.mark.parametrize("grower", [RandomForestClassifier, ExtraTreesClassifier])
def test_trees_of_forests_stop_too(grower):
    model = grower(4, random_state=0, max_purity=0.75)
    full = clone(model).set_params(max_purity=1.0).fit(X, Y)
    for tree, whole in zip(model.fit(X, Y), full, strict=True):
        assert_stops(tree.tree_, whole.tree_, 0.75)


def test_best_first_growth_leaves_pure_nodes_alone():
    model = DecisionTreeClassifier(max_leaf_nodes=12, max_purity=0.7).fit(X, Y)
    tree = model.tree_
    inner = tree.children_left >= 0
    assert (tree.value[inner, 0].max(axis=1) < 0.7).all()


def test_streams_grow_the_same_tree(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame = pd.DataFrame(WHOLE, columns=list("abcde")).assign(y=Y)
    for i, part in enumerate(np.array_split(np.arange(N_ROWS), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"{i}.parquet", index=False)
    model = DecisionTreeClassifier(max_purity=0.8, max_bins=64)
    read = clone(model).fit_stream(str(tmp_path), target="y").tree_
    kept = clone(model).fit(frame.drop(columns="y"), frame.y).tree_
    np.testing.assert_array_equal(read.threshold, kept.threshold)
    assert_stops(read, clone(model).set_params(max_purity=1.0).fit(WHOLE, Y).tree_, 0.8)


def test_model_files_keep_it(tmp_path):
    model = DecisionTreeClassifier(max_purity=0.8).fit(X, Y)
    model.save(tmp_path / "tree.ramify")
    assert ramify.load(tmp_path / "tree.ramify").max_purity == 0.8


@pytest.mark.parametrize("purity", [0, -0.5, 1.5, np.nan, "0.9", None, True])
def test_what_is_no_share_is_refused(purity):
    with pytest.raises(ValueError, match=r"max_purity=.*in \(0, 1\]"):
        DecisionTreeClassifier(max_purity=purity).fit(X, Y)


def test_the_command_line_takes_it(tmp_path):
    file, out = tmp_path / "data.csv", tmp_path / "m.ramify"
    rows = "\n".join(f"{x:.4f},{y}" for x, y in zip(X[:, 0], Y, strict=True))
    file.write_text(f"x,y\n{rows}\n")
    fit = ["fit", str(file), "--target", "y", "-o", str(out), "--max-purity", "0.8"]
    assert CliRunner().invoke(main, fit).exit_code == 0
    assert ramify.load(out).max_purity == 0.8
    refused = CliRunner().invoke(main, [*fit, "--task", "regression"])
    assert refused.exit_code != 0
    assert "--max-purity is for labels" in refused.output
