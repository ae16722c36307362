# SPDX-License-Identifier: BSD-3-Clause
"""The tree of a cluster is the tree of one machine, byte by byte."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from cutting import CUTS, N, bytes_of, cut, local, rows, split, together

import ramify.dask as rd
from ramify import DecisionTreeClassifier, Table, criteria
from ramify.dask import local_client

X, Y, WEIGHTS = rows()


def grown(client, how, weight=None, labels=Y, **given):
    frame = cut(together(X, labels, weight), how)
    data = split(frame, X, weight)
    tree = rd.DecisionTreeClassifier(client=client, **given)
    return tree.fit(*data[:2], sample_weight=data[2])


def same(one, other, folder):
    return bytes_of(one, folder) == bytes_of(other, folder)


@pytest.mark.parametrize("how", CUTS, ids=str)
def test_partitions_do_not_show(client, tmp_path, how):
    weight = WEIGHTS["fractional"]
    there = grown(client, how, weight, handoff=0)
    assert same(there, local(X, Y, weight), tmp_path)


@pytest.mark.parametrize("name", criteria.names())
def test_every_criterion_grows_the_same_tree(client, tmp_path, name):
    given = {"criterion": name, "max_depth": 6}
    there = grown(client, 5, handoff=0, **given)
    assert same(there, local(X, Y, **given), tmp_path)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("handoff", [0, None])
def test_weights_are_weights(client, tmp_path, kind, handoff):
    given = {"min_samples_leaf": 3, "criterion": "entropy"}
    there = grown(client, 3, WEIGHTS[kind], handoff=handoff, **given)
    assert same(there, local(X, Y, WEIGHTS[kind], **given), tmp_path)


def mine(parent, left, right):
    """Gini, written by a user."""
    n, n_left, n_right = parent.sum(-1), left.sum(-1), right.sum(-1)
    pure = (left**2).sum(-1) / n_left + (right**2).sum(-1) / n_right
    return (pure - (parent**2).sum(-1) / n) / n


OPTIONS = {
    "expression": {"criterion": "0.5 * entropy + 0.5 * hellinger", "max_depth": 5},
    "top": {"criterion": "top(4, ihd).largest(entropy)", "max_depth": 5},
    "own function": {"criterion": mine, "max_depth": 5},
    "left": {"missing": "left"},
    "one_vs_rest": {"categories": "one_vs_rest"},
    "multiway": {"categories": "multiway"},
    "give up": {"min_samples_leaf": 9, "leaf_rule": "give_up"},
    "share": {"min_weight_fraction_leaf": 0.04},
    "decrease": {"min_impurity_decrease": 0.003},
    "drawn": {"max_features": 2, "random_state": 5},
    "random": {"splitter": "random", "random_state": 5},
    "best first": {"max_leaf_nodes": 23},
    "chaid": {"splitter": "chaid", "max_bins": 10},
    "value": {"threshold": "value"},
    "costs": {"cost_matrix": [[0, 1, 5], [1, 0, 1], [2, 1, 0]], "max_depth": 5},
    "balanced": {"class_weight": "balanced"},
    "few bins": {"max_bins": 16},
    "ledger": {"record_candidates": 3, "candidate_criteria": ["gini"], "max_depth": 4},
    "pruned": {"ccp_alpha": 0.004},
    "laplace": {"laplace": True, "max_depth": 3},
}


@pytest.mark.parametrize("handoff", [0, None], ids=["levels", "handoff"])
@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_grows_the_same_tree(client, tmp_path, name, handoff):
    given = OPTIONS[name]
    there = grown(client, 4, handoff=handoff, **given)
    assert same(there, local(X, Y, **given), tmp_path)


def test_several_outputs(client, tmp_path):
    labels = np.column_stack([Y, np.where(X["age"] > 30, "old", "young")])
    frame = X.assign(a=labels[:, 0], b=labels[:, 1])
    ddf = cut(frame, 4)
    tree = rd.DecisionTreeClassifier(client=client, max_depth=5, handoff=0)
    tree.fit(ddf[list(X.columns)], ddf[["a", "b"]])
    there = local(X, labels, max_depth=5)
    assert same(tree, there, tmp_path)
    found = tree.predict(ddf[list(X.columns)]).compute().to_numpy()
    assert (found == there.predict(X)).all()


def test_monotonic_columns(client, tmp_path):
    labels = (Y != "low").astype(int)
    given = {"monotonic_cst": [1, -1, 0, 0, 0, 0], "max_depth": 5}
    there = grown(client, 4, labels=labels, handoff=0, **given)
    assert same(there, local(X, labels, **given), tmp_path)


def test_labels_that_some_partitions_lack(client, tmp_path):
    order = np.argsort(Y.to_numpy(), kind="stable")
    sorted_x, labels = X.iloc[order], Y.iloc[order]
    ddf = cut(together(sorted_x, labels), 7)
    tree = rd.DecisionTreeClassifier(client=client, handoff=0)
    tree.fit(ddf[list(X.columns)], ddf["y"])
    assert same(tree, local(sorted_x, labels), tmp_path)


def test_more_categories_than_a_byte_holds(client, tmp_path):
    rng = np.random.default_rng(4)
    names = np.array([f"n{i:03}" for i in range(400)])
    wide = X.assign(name=names[rng.integers(0, 400, N)])
    labels = pd.Series(np.where(wide["name"] < "n150", "a", "b"), dtype=object)
    ddf = cut(together(wide, labels), 5)
    for handoff in (0, None):
        tree = rd.DecisionTreeClassifier(client=client, handoff=handoff, max_depth=6)
        tree.fit(ddf[list(wide.columns)], ddf["y"])
        assert same(tree, local(wide, labels, max_depth=6), tmp_path)


def test_arrays_of_the_cluster(client, tmp_path):
    numbers = X[["height", "steps", "age"]].to_numpy()
    codes = np.unique(Y, return_inverse=True)[1]
    array = da.from_array(numbers, chunks=(400, 3))
    labels = da.from_array(codes, chunks=130)
    tree = rd.DecisionTreeClassifier(client=client, handoff=0).fit(array, labels)
    assert same(tree, local(numbers, codes), tmp_path)
    found = tree.predict(array)
    assert isinstance(found, da.Array)
    assert (found.compute() == local(numbers, codes).predict(numbers)).all()


@pytest.mark.parametrize(("n_workers", "n_threads"), [(1, 4), (1, 1)])
def test_workers_and_threads_do_not_show(tmp_path, n_workers, n_threads):
    weight = WEIGHTS["fractional"]
    with local_client(n_workers, n_threads) as other:
        for handoff in (0, 20_000, None):
            there = grown(other, 16, weight, handoff=handoff)
            assert same(there, local(X, Y, weight), tmp_path)


@pytest.mark.parametrize("handoff", [500, 2000, 5000, 20_000, "1MiB"])
def test_handoff_at_any_depth_does_not_show(client, tmp_path, handoff):
    weight = WEIGHTS["fractional"]
    given = {"max_features": 3, "random_state": 2, "min_impurity_decrease": 1e-4}
    there = grown(client, 5, weight, handoff=handoff, **given)
    assert same(there, local(X, Y, weight, **given), tmp_path)


def test_columns_of_many_values_are_binned_alike_for_any_cut(client, tmp_path):
    """More than 65,536 values: the bins are those of the rows of least hash."""
    rng = np.random.default_rng(1)
    n = 70_000
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    y = (frame["a"] * frame["b"] > 0).astype(int)
    found = []
    for how in (1, 5):
        ddf = cut(frame.assign(y=y), how)
        tree = rd.DecisionTreeClassifier(client=client, max_depth=5, handoff=0)
        found.append(tree.fit(ddf[["a", "b"]], ddf["y"]))
    assert same(*found, tmp_path)
    table = Table(frame, max_bins=255, bins=found[0].bins_)
    there = DecisionTreeClassifier(max_bins=255, max_depth=5).fit(table, y)
    assert same(found[0], there, tmp_path)
