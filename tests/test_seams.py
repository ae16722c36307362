# SPDX-License-Identifier: BSD-3-Clause
"""Trees from blocks of rows: encode, count, choose and route give the bytes of fit."""

from dataclasses import replace

import numpy as np
import pytest
from partitions import InMemory, cut, fit_pieces
from twins import OF_EACH_KIND, TWINS

from ramify import DecisionTreeClassifier, Table, Tree
from ramify.criteria import function


def random_table(rng, n):
    columns = [rng.normal(size=n), np.round(rng.normal(size=n), 1)]
    columns += [rng.integers(0, 40, n) * 1.0, rng.integers(0, 4, n) * 1.0]
    columns += [rng.integers(0, 11, n) * 1.0, -np.abs(rng.normal(size=n)) * 1e6]
    for column in columns[:4]:
        if rng.random() < 0.5:
            column[rng.random(n) < 0.2] = np.nan
    X = np.column_stack(columns)
    known = np.nan_to_num(X)
    signal = known[:, 0] + (known[:, 3] > 1) * known[:, 1] + rng.normal(size=n) * 0.3
    n_classes = int(rng.integers(2, 5))
    y = np.searchsorted(
        np.quantile(signal, np.arange(1, n_classes) / n_classes), signal
    )
    return X, y


def mine(parent, left, right):
    """Gini, written by a user."""
    n, n_left, n_right = parent.sum(-1), left.sum(-1), right.sum(-1)
    pure = (left**2).sum(-1) / n_left + (right**2).sum(-1) / n_right
    return (pure - (parent**2).sum(-1) / n) / n


PLANS = [
    *({"criterion": name} for name in (*TWINS, *OF_EACH_KIND)),
    *({"criterion": c} for c in ("0.5 * entropy + 0.5 * hellinger", mine)),
    {"criterion": function(mine, by_cut=True)},
    {"criterion": function(mine, by_cut=True), "max_leaf_nodes": 9},
    {"criterion": function(mine, tie_break=mine, by_cut=True), "record_candidates": 2},
    {"criterion": "top(4, ihd).largest(entropy)"},
    {
        "criterion": "entropy",
        "record_candidates": 3,
        "candidate_criteria": ["gini", "chi2"],
    },
    *({"missing": side} for side in ("left", "right")),
    *({"categories": how} for how in ("one_vs_rest", "multiway")),
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 9, "leaf_rule": "give_up"},
    {"min_weight_fraction_leaf": 0.04},
    {"min_impurity_decrease": 0.003, "criterion": "gain_ratio"},
    {"max_features": 2, "random_state": 5},
    {"splitter": "random", "random_state": 5},
    {"splitter": "random", "max_features": 3, "random_state": 1},
    *({"splitter": splitter} for splitter in ("chaid", "quest", "dgmml")),
    {"splitter": "dgmml", "splitter_params": {"split_point": "median"}},
    {"splitter": "dgmml", "splitter_params": {"split_point": "mean"}},
    {"splitter": "dgmml", "splitter_params": {"between": "scatter"}, "missing": "left"},
    {"splitter": "dgmml", "max_features": 2, "random_state": 3, "min_samples_leaf": 4},
    *({"threshold": how} for how in ("value", "data")),
    *({"max_leaf_nodes": n} for n in (5, 40)),
    {"max_leaf_nodes": 12, "categories": "multiway", "min_samples_leaf": 3},
    {"max_leaf_nodes": 9, "record_candidates": 2, "leaf_rule": "give_up"},
    {"class_weight": "balanced", "ccp_alpha": 0.01},
    {
        "criterion": "gain_ratio",
        "criterion_params": {"threshold_cost": True, "average_gain": True},
    },
    {"monotonic_cst": [1, 0, 0, 0, 0, -1], "max_depth": 5},
]


def name_of(number):
    """Name a plan; a function by its name, which is the same in every process."""
    values = ((key, getattr(v, "__name__", v)) for key, v in PLANS[number].items())
    return ", ".join(f"{key}={value}" for key, value in values)


def test_cuts_of_many_nodes_are_asked_about_in_one_call():
    calls = []

    def noted(parent, left, right):
        assert parent.shape == left.shape == right.shape
        assert np.allclose(parent, left + right)
        calls.append(len(np.unique(parent, axis=0)))
        return mine(parent, left, right)

    rng = np.random.default_rng(0)
    X, y = random_table(rng, 900)
    given = {"categorical_features": [3, 4], "max_bins": 32, "max_depth": 7}
    criterion = function(noted, by_cut=True)
    whole = DecisionTreeClassifier(criterion, **given).fit(X, y)
    n_alone = len(calls)
    calls.clear()
    engine = InMemory(cut(X, y, None, rng, 5))
    parts = fit_pieces(DecisionTreeClassifier(criterion, **given), engine)
    assert max(calls) > 10  # nodes of one level
    assert len(calls) < n_alone / 3
    for name in Tree.ARRAYS:
        one, other = getattr(whole.tree_, name), getattr(parts.tree_, name)
        assert one.tobytes() == other.tobytes(), name


def test_a_function_that_fails_at_many_nodes_says_where():
    def bad(parent, left, right):
        return np.full(len(left), np.nan)

    rng = np.random.default_rng(0)
    X, y = random_table(rng, 200)
    engine = InMemory(cut(X, y, None, rng, 2))
    with pytest.raises(ValueError, match=r"criterion bad returned nan for parent=\["):
        fit_pieces(DecisionTreeClassifier(function(bad, by_cut=True)), engine)


def same_file(one, other, folder):
    """Return whether two models are the same file, byte for byte."""
    one.save(folder / "one.ramify")
    other.save(folder / "other.ramify")
    return (folder / "one.ramify").read_bytes() == (
        folder / "other.ramify"
    ).read_bytes()


@pytest.mark.parametrize("share_apart", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("number", range(len(PLANS)), ids=name_of)
def test_blocks_give_the_bytes_of_fit(number, share_apart, tmp_path):
    plan = PLANS[number]
    for seed in range(2):
        rng = np.random.default_rng([number, seed, int(10 * share_apart)])
        X, y = random_table(rng, int(rng.integers(60, 260)))
        if "monotonic_cst" in plan:
            y = y > 0
        least = int(plan.get("threshold") == "data")  # which rows without weight bar
        whole = rng.integers(least, 4, len(y)) * 1.0
        weights = [None, whole, rng.gamma(1.0, 1.0, len(y))]
        given = {"categorical_features": [3, 4], "max_bins": 32, **plan}
        for weight in weights:
            whole = DecisionTreeClassifier(**given).fit(X, y, sample_weight=weight)
            pieces = cut(X, y, weight, rng, int(rng.integers(1, 7)))
            engine = InMemory(
                pieces, [number, seed], share_apart, slots=int(rng.integers(1, 9))
            )
            engine.keeps_nodes = bool(rng.random() < 0.5)
            parts = fit_pieces(
                DecisionTreeClassifier(**given),
                engine,
                budget=int(rng.choice([0, 10**5, 10**8])),
            )
            for name in Tree.ARRAYS:
                one, other = getattr(whole.tree_, name), getattr(parts.tree_, name)
                assert one.tobytes() == other.tobytes(), name
            assert same_file(whole, parts, tmp_path)


class Crowded(InMemory):
    """Says that there are `factor` rows for each that there is."""

    factor = 2**26

    def look(self, *asked, **more):
        summary, sketch = super().look(*asked, **more)
        return replace(summary, n_rows=summary.n_rows * self.factor), sketch

    def encode(self, book):
        extent = super().encode(book)
        extent.n_rows *= self.factor
        extent.n_used *= self.factor
        return extent

    def sums(self, request):
        self.is_wide = request.dtype == "int64"
        return super().sums(replace(request, dtype="int64")) * self.factor


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"criterion": "entropy"},
        {"min_samples_leaf": 7},
        {"min_samples_split": 30, "missing": "left"},
        {"min_samples_leaf": 9, "leaf_rule": "give_up", "missing": "right"},
        {"min_samples_leaf": 5, "categories": "one_vs_rest", "criterion": "hellinger"},
        {"min_samples_leaf": 4, "categories": "multiway"},
        {"splitter": "random", "min_samples_leaf": 3, "random_state": 1},
        {"max_leaf_nodes": 12, "min_samples_leaf": 6},
        {"max_features": 2, "random_state": 5, "min_weight_fraction_leaf": 0.03},
    ],
    ids=str,
)
def test_nodes_of_more_rows_than_32_bits_count(plan, weighted):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = random_table(rng, 500)
        X[:, 4] = rng.integers(0, 900, 500)  # more categories than a byte has
        weight = rng.integers(1, 4, 500) * 1.0 if weighted else None
        given = {"categorical_features": [3, 4], "max_bins": 32, **plan}
        pieces = cut(X, y, weight, rng, 4)
        few = fit_pieces(DecisionTreeClassifier(**given), InMemory(pieces)).tree_
        for name in ("min_samples_leaf", "min_samples_split"):
            if name in given:
                given[name] *= Crowded.factor
        engine = Crowded(pieces)
        many = fit_pieces(DecisionTreeClassifier(**given), engine).tree_
        assert many.n_node_samples[0] == 500 * Crowded.factor > 2**32
        assert few.node_count > 3
        for name in Tree.ARRAYS:
            one, other = getattr(few, name), getattr(many, name)
            if name in ("n_node_samples", "weighted_n_node_samples"):
                one = one * Crowded.factor
            if name == "gain":  # logarithms of other numbers
                np.testing.assert_allclose(one, other, 1e-12)
            else:
                np.testing.assert_array_equal(one, other, name)


def test_sums_of_many_rows_are_wide():
    X, y = random_table(np.random.default_rng(0), 100)
    engine = Crowded(cut(X, y, None, np.random.default_rng(0), 2))
    fit_pieces(DecisionTreeClassifier(max_bins=32, max_depth=1), engine)
    assert engine.is_wide


def test_a_table_may_be_given_its_bins():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    X[rng.random(500) < 0.1, 1] = np.nan
    table = Table(X, max_bins=16)
    again = Table(X, max_bins=16, bins=table.bins)
    assert [len(bins) for bins in table.bins] == [16, 16, 16]
    one = DecisionTreeClassifier(max_bins=16).fit(table, y).tree_
    other = DecisionTreeClassifier(max_bins=16).fit(again, y).tree_
    for name in Tree.ARRAYS:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    few = Table(X[:40], bins=table.bins)  # codes of the whole, whatever occurs
    for j in range(3):
        assert few.core.codes(j).tolist() == table.core.codes(j)[:40].tolist()


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ([[0.0, 1.0]], "bins has 1 entries, X has 2 columns"),
        ([[0.0, 1.0], [2.0, 1.0]], "must ascend"),
        ([[0.0, 1.0], []], "is empty"),
        ([[0.0, np.inf], [0.0]], "must be finite"),
    ],
)
def test_bins_that_mean_nothing_are_refused(bins, message):
    with pytest.raises(ValueError, match=message):
        Table(np.zeros((4, 2)), bins=bins)


@pytest.mark.parametrize("n_parts", [1, 6])
def test_a_users_function_is_called_once_per_node_whatever_the_cut(n_parts):
    rng = np.random.default_rng(4)
    X, y = random_table(rng, 200)
    calls = []

    def counted(parent, left, right):
        calls.append(len(left))
        return mine(parent, left, right)

    given = {"categorical_features": [3, 4], "max_bins": 32, "max_depth": 4}
    tree = DecisionTreeClassifier(counted, **given)
    fit_pieces(tree, InMemory(cut(X, y, None, rng, n_parts)))
    n_splits = tree.tree_.node_count - tree.get_n_leaves()
    n_searched = sum(
        tree.tree_.impurity[node] > 0 and depth < 4
        for node, depth in enumerate(tree.tree_.compute_node_depths() - 1)
    )
    # With the cuts of all columns, rows without a value on either side.
    assert n_splits <= len(calls) <= 2 * n_searched
