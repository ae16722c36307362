# SPDX-License-Identifier: BSD-3-Clause
"""Leaves filled by rows that chose no split, and intervals that hold what they say."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main
from ramify.tree.intervals import share_interval

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 4)).round(1)
Y = np.array(["a", "b", "c"])[
    (X[:, 0] + RNG.normal(size=900) > 0).astype(int) + (X[:, 1] > 1)
]
GROW, HELD, NEW = slice(300), slice(300, 600), slice(600, 900)


def grown(**options):
    return ramify.DecisionTreeClassifier(max_leaf_nodes=12, **options).fit(
        X[GROW], Y[GROW]
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_say_what_the_rows_say(weighted):
    tree = grown()
    before = tree.predict_proba(X)
    weight = RNG.integers(0, 4, 300).astype(float) if weighted else None
    honest = ramify.refill(tree, X[HELD], Y[HELD], weight)
    own = np.ones(300) if weight is None else weight
    leaves = tree.apply(X[HELD])
    for leaf in np.unique(leaves):
        here = leaves == leaf
        total = own[here].sum()
        if total == 0:
            continue
        expected = [own[here & (Y[HELD] == label)].sum() / total for label in "abc"]
        np.testing.assert_allclose(honest.tree_.value[leaf, 0], expected)
        assert honest.tree_.weighted_n_node_samples[leaf] == total
        assert honest.tree_.n_node_samples[leaf] == (own[here] > 0).sum()
    np.testing.assert_array_equal(tree.predict_proba(X), before)
    np.testing.assert_array_equal(honest.apply(X), tree.apply(X))


def test_a_leaf_without_rows_says_what_the_node_above_says():
    tree = grown()
    one = ramify.refill(tree, X[HELD][:1], Y[HELD][:1])
    assert set(one.predict(X)) == {Y[HELD][0]}
    assert one.tree_.n_node_samples.max() == 1
    _labels, interval = one.predict(X, return_interval=0.95)
    empty = one.tree_.n_node_samples[one.apply(X)] == 0
    np.testing.assert_array_equal(
        interval[empty], np.tile([0.0, 1.0], (empty.sum(), 1))
    )


@pytest.mark.parametrize("kind", ["wilson", "jeffreys"])
def test_nothing_is_known_without_rows(kind):
    low, high = share_interval([0.0, 0.3, 1.0], [0, 0, 0], kind=kind)
    assert low.tolist() == [0, 0, 0]
    assert high.tolist() == [1, 1, 1]


def test_intervals_of_rows_that_had_no_say_hold_what_they_promise():
    """Over many draws the true share lies within as often as the level says.

    The classes are noise, so that the true share of each leaf is 1/2; of the rows that
    chose the leaves far fewer intervals hold it.
    """
    hits = {"training": [], "held": []}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, coin = rng.normal(size=(400, 3)), rng.integers(2, size=400)
        tree = ramify.DecisionTreeClassifier(max_leaf_nodes=8, min_samples_leaf=5)
        tree.fit(rows[:200], coin[:200])
        for name, model in (
            ("training", tree),
            ("held", ramify.refill(tree, rows[200:], coin[200:])),
        ):
            for rule in ramify.rules(model):
                # Of one class, whichever is predicted: that choice would be a say.
                share = model.tree_.value[rule.leaf, 0, 1]
                low, high = share_interval(share, rule.n_rows, 0.9)
                hits[name].append(low <= 0.5 <= high)
    assert np.mean(hits["held"]) > 0.85
    assert np.mean(hits["training"]) < 0.7


def test_each_tree_of_a_forest_is_filled_by_the_rows_that_it_has_not_seen():
    forest = ramify.RandomForestClassifier(6, max_depth=4, random_state=0)
    forest.fit(X[GROW], Y[GROW])
    honest = ramify.refill(forest, X[GROW], Y[GROW], out_of_bag=True)
    for t, rows in enumerate(forest.estimators_samples_):
        left_out = np.setdiff1d(np.arange(300), rows)
        alone = ramify.refill(
            forest.estimators_[t], X[GROW][left_out], Y[GROW][left_out]
        )
        np.testing.assert_array_equal(
            honest.estimators_[t].predict_proba(X), alone.predict_proba(X)
        )
    shares = np.mean([one.predict_proba(X) for one in honest.estimators_], axis=0)
    np.testing.assert_allclose(honest.predict_proba(X), shares)
    new = ramify.refill(forest, X[HELD], Y[HELD], np.r_[np.zeros(100), np.ones(200)])
    some = ramify.refill(forest, X[HELD][100:], Y[HELD][100:])
    np.testing.assert_array_equal(new.predict_proba(X), some.predict_proba(X))


def test_class_weights_count_as_in_fit():
    tree = grown(class_weight={"a": 3, "b": 1, "c": 1})
    again = ramify.refill(tree, X[GROW], Y[GROW])
    np.testing.assert_allclose(again.tree_.value, tree.tree_.value)
    np.testing.assert_allclose(again.tree_.impurity, tree.tree_.impurity)


def test_what_cannot_be_refilled_is_refused():
    tree = grown()
    with pytest.raises(ValueError, match="out_of_bag=True is for forests"):
        ramify.refill(tree, X, Y, out_of_bag=True)
    with pytest.raises(TypeError, match="trees of classes, not DecisionTreeRegressor"):
        ramify.refill(ramify.DecisionTreeRegressor().fit(X, X[:, 0]), X, X[:, 0])
    with pytest.raises(ValueError, match="fractional"):
        ramify.refill(ramify.methods.make("c45").fit(_gaps(), Y), X, Y)
    with pytest.raises(ValueError, match="'d' in row 0, which did not occur in fit"):
        ramify.refill(tree, X[:1], ["d"])
    forest = ramify.RandomForestClassifier(2).fit(X, Y)
    with pytest.raises(ValueError, match="needs the 900 rows of fit; X has 300"):
        ramify.refill(forest, X[HELD], Y[HELD], out_of_bag=True)
    whole = ramify.ExtraTreesClassifier(2).fit(X, Y)
    with pytest.raises(ValueError, match="bootstrap"):
        ramify.refill(whole, X, Y, out_of_bag=True)


def _gaps():
    rows = X.copy()
    rows[::5, 0] = np.nan
    return rows


def test_the_command_line_refills_and_shows_intervals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(label=Y)
    frame[GROW].to_csv("grow.csv", index=False)
    frame[HELD].to_csv("held.csv", index=False)

    def run(*args):
        done = CliRunner().invoke(main, args)
        assert done.exit_code == 0, done.output
        return done.output

    run("fit", "grow.csv", "--target", "label", "--max-depth", "2", "-o", "m.ramify")
    line = ("prune", "m.ramify", "--method", "refill", "-o", "honest.ramify")
    run(*line, "--data", "held.csv")
    shown = run("show", "honest.ramify", "--intervals")
    honest = ramify.refill(ramify.load("m.ramify"), frame[HELD][list("pqrs")], Y[HELD])
    assert shown.rstrip("\n") == ramify.rules(honest).to_text(intervals=0.95)
    done = CliRunner().invoke(main, line)
    assert "needs rows it has not seen: give --data" in done.output
