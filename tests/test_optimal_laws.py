# SPDX-License-Identifier: BSD-3-Clause
"""Laws of optimal trees: what does not change them, and what makes none worse."""

import sys

import numpy as np
import pytest
from interrupting import run
from processors import assert_sets_agree

import ramify
from ramify import OptimalTreeClassifier, OptimalTreeRegressor

RNG = np.random.default_rng(5)
X = RNG.normal(size=(240, 5)).round(1)
Y = ((X[:, 0] * X[:, 1] > 0) * 1 + (X[:, 2] > 1) + (RNG.random(240) < 0.15)) % 3


def arrays(model):
    tree = model.tree_
    return [getattr(tree, name).tobytes() for name in ("feature", "threshold", "value")]


def best(depth=3, X=X, y=Y, weight=None, **params):
    kind = OptimalTreeRegressor if y.dtype.kind == "f" else OptimalTreeClassifier
    return kind(max_depth=depth, start=None, **params).fit(X, y, weight)


@pytest.mark.parametrize(
    "y", [Y, X[:, 0] * X[:, 1] + X[:, 3] ** 2], ids=["classes", "numbers"]
)
def test_order_of_rows_and_threads_change_no_byte(y):
    depth = 3 if y.dtype.kind == "i" else 2
    expected = arrays(best(depth, y=y))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        assert arrays(best(depth, X[order], y[order])) == expected
    assert arrays(best(depth, y=y, n_jobs=2)) == expected


SETS = """
import hashlib
import numpy as np
import ramify
from ramify import _core

print(_core.processor())
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 3)).round(1)
y = (X[:, 0] * X[:, 1] > 0) + 1 * (X[:, 2] > 0.5)
costs = [[0, 1, 2.5], [1, 0, 1], [3, 1, 0]]
light, heavy = rng.random(100), rng.integers(1, 10**6, 100)
for target, weight, params in [
    (y, None, {}),
    (y > 0, None, {"penalty": 0.004}),
    (y, light, {}),
    (y > 0, light, {}),
    (y, heavy, {}),
    (y > 0, heavy, {}),
    (y, None, {"cost_matrix": costs}),
    (X[:, 0] * X[:, 1], light, None),
]:
    numeric = params is None
    kind = "OptimalTreeRegressor" if numeric else "OptimalTreeClassifier"
    model = getattr(ramify, kind)(max_depth=3, start=None, **(params or {}))
    model.fit(X, target, weight)
    tree = model.tree_
    every = [tree.feature, tree.threshold, tree.value, np.array(model.objective_)]
    print(hashlib.sha256(b"".join(each.tobytes() for each in every)).hexdigest()
          + f":{model.n_cuts_}")
"""


@pytest.mark.slow  # three processes
def test_instruction_sets_change_no_byte():
    assert_sets_agree(SETS, 8)


def test_a_weight_of_two_is_the_row_twice():
    weight = RNG.integers(1, 4, len(X))
    twice = np.repeat(np.arange(len(X)), weight)
    assert arrays(best(weight=weight)) == arrays(best(X=X[twice], y=Y[twice]))


def test_copies_and_monotone_maps_of_columns_change_no_loss():
    wide = np.column_stack([X, X[:, :2]])
    assert best(X=wide).loss_ == best().loss_ == best(X=np.exp(X)).loss_
    assert best(X=X[:, ::-1]).loss_ == best().loss_


def test_another_level_never_costs_more():
    found = [best(depth).loss_ for depth in (1, 2, 3, 4)]
    assert found == sorted(found, reverse=True)


def test_the_objective_is_concave_in_the_penalty_and_leaves_do_not_rise():
    penalties = np.linspace(0, 0.1, 11)
    models = [best(penalty=float(p)) for p in penalties]
    costs = np.array([m.objective_ for m in models])
    assert (costs[1:-1] >= (costs[:-2] + costs[2:]) / 2 - 1e-9).all()
    leaves = [m.get_n_leaves() for m in models[1:]]  # without a penalty trees may tie
    assert leaves == sorted(leaves, reverse=True)


def test_no_greedy_tree_nor_refine_is_better():
    exact = best().loss_
    for name in ramify.criteria.names():
        try:
            tree = ramify.DecisionTreeClassifier(name, max_depth=3).fit(X, Y)
        except ValueError:
            continue  # of two classes only
        refined = ramify.refine(tree, X, Y)
        assert (tree.predict(X) != Y).sum() >= exact
        assert (refined.predict(X) != Y).sum() >= exact


def test_a_start_from_a_tree_of_the_user_is_kept_if_nothing_beats_it():
    own = best()
    again = OptimalTreeClassifier(max_depth=3, start=own).fit(X, Y)
    assert again.start_objectives_ == {"OptimalTreeClassifier": own.objective_}
    assert again.loss_ == own.loss_
    with pytest.raises(ValueError, match="max_depth=2; fit it with the same max_depth"):
        OptimalTreeClassifier(max_depth=2, start=own).fit(X, Y)
    with pytest.raises(ValueError, match="other columns"):
        OptimalTreeClassifier(start=own).fit(X[:, :3], Y)


def test_a_budget_of_subproblems_gives_the_same_tree_again():
    with pytest.warns(ramify.OptimalityWarning, match="stopped by max_subproblems=40"):
        first = best(4, max_subproblems=40)
    with pytest.warns(ramify.OptimalityWarning):
        again = best(4, max_subproblems=40, n_jobs=2)
    assert arrays(first) == arrays(again)
    assert first.stopped_by_ == "subproblems"
    assert 0 < first.optimality_gap_ <= 1
    assert not first.is_optimal_


def test_a_gap_that_is_allowed_ends_the_search():
    exact, near = best(3), best(3, max_gap=0.5)
    assert near.n_subproblems_ < exact.n_subproblems_
    assert near.lower_bound_ <= exact.loss_ <= near.loss_
    assert near.optimality_gap_ <= 0.5 + 1e-12


def test_no_time_still_gives_a_tree():
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(3000, 12))
    y = (wide[:, :6].prod(axis=1) > 0).astype(int)
    model = OptimalTreeClassifier(max_depth=4, time_limit=0)
    with pytest.warns(ramify.OptimalityWarning, match="stopped by time_limit=0"):
        model.fit(wide, y)
    assert model.stopped_by_ == "time"
    assert model.objective_ <= min(model.start_objectives_.values())


INTERRUPTED = """
import os, signal, threading, warnings
import numpy as np
import ramify
from ramify.estimators.optimal import base

class Bell:
    # Rings once there is a tree: now, or a little later, in the middle of the search.
    def __init__(self, price):
        self.rung = False

    def __call__(self, best, bound, n_open, better):
        if not self.rung:
            self.rung = True
            {ring}

base.Progress = Bell
rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 12))
y = (X[:, :6].prod(axis=1) > 0).astype(int)
model = ramify.OptimalTreeClassifier(max_depth=5, start=None, verbose=1)
model.set_params(n_jobs={n_jobs})
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
print(model.stopped_by_, caught[0].category.__name__, model.get_depth() > 0)
"""
RINGS = {
    "now": "os.kill(os.getpid(), signal.SIGINT)",
    "later": "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()",
}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child there")
@pytest.mark.parametrize(
    ("ring", "n_jobs"),
    [
        ("later", 2),
        pytest.param("later", 1, marks=pytest.mark.slow),
        pytest.param("now", 1, marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_keeps_the_best_tree(ring, n_jobs):
    code = INTERRUPTED.replace("{n_jobs}", str(n_jobs)).replace("{ring}", RINGS[ring])
    assert run(code).split() == ["interrupt", "OptimalityWarning", "True"]
