# SPDX-License-Identifier: BSD-3-Clause
"""A column is found wherever it stands: for each engine, target, dtype and width.

Kernels read columns in packs, and a pack that does not divide the width has a tail. Two
laws watch it. A column that alone determines the target is found: at every place of the
widest table, and in tables of other widths. And permuting the columns permutes the
tree, and changes nothing else, for engines that do not draw by the numbers of columns.
Dtypes take turns over places and widths; random cuts are tried with all of them.

Each engine tries every third place and width, and three neighbouring engines try all of
them; ``RAMIFY_PLACES=all``, as in ``.ci/run``, has each engine try all.

The laws run in this process with the widest instruction set of the processor, and once
more in one process for each narrower set.
"""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from processors import narrower_sets

import ramify

WIDEST = 40
BEYOND = (63, 64, 65, 129)  # more than one word of bits
DTYPES = ("float32", "float64", "int32")
STEP = 1 if os.environ.get("RAMIFY_PLACES") == "all" else 3
N_ROWS = 260  # more than 256 distinct values: not a column of few codes


@dataclass(frozen=True)
class Engine:
    """One way to grow: an estimator, and what the table and the target are made of."""

    estimator: Any
    params: dict[str, Any] = field(default_factory=dict)
    target: str = "two"
    values: str = "wide"
    weights: str = ""
    draws: bool = False  # by the numbers of columns: these may not be permuted

    def fit(self, X, y, **more):
        """Fit the estimator to a table of any width."""
        width = X.shape[1]
        params = {**self.params, **more}
        if params.get("max_features") == "most":
            params["max_features"] = max(1, width * 3 // 4)
        if self.values == "categories":
            params["categorical_features"] = list(range(width))
        weights = {
            "": None,
            "whole": np.arange(N_ROWS) % 3 + 1,
            "fractional": np.linspace(0.5, 1.5, N_ROWS),
        }
        return self.estimator(**params).fit(X, y, sample_weight=weights[self.weights])


def engines():
    """Return all engines by name."""
    found = {}

    def add(name, estimator, *args, **options):
        assert name not in found
        found[name] = Engine(estimator, *args, **options)

    tree, regressor = ramify.DecisionTreeClassifier, ramify.DecisionTreeRegressor
    flat = {"max_depth": 2}
    most = {"max_depth": 6, "max_features": "most", "random_state": 0}
    random = {"splitter": "random", "random_state": 0}
    for target in ("two", "five", "thirty"):
        for values in ("wide", "narrow", "missing", "categories"):
            if target == "thirty" and values in ("missing", "categories"):
                continue
            of = f"{target} {values}"
            add(f"exact {of}", tree, flat, target, values)
            add(f"sampled {of}", tree, most, target, values, draws=True)
            add(f"random {of}", tree, {**flat, **random}, target, values, draws=True)
    for criterion in ("entropy", "hellinger", "gain_ratio", "twoing", "ihdw", "chi2"):
        add(criterion, tree, {**flat, "criterion": criterion}, "five")
    for weights in ("whole", "fractional"):
        for values in ("wide", "narrow"):
            of = f"{weights} {values}"
            add(f"exact {of}", tree, flat, "five", values, weights)
            add(f"regression {of}", regressor, flat, "number", values, weights)
        params = {**flat, **random}
        add(f"sampled {weights}", tree, most, "two", "wide", weights, draws=True)
        add(f"random {weights}", tree, params, "five", "wide", weights, draws=True)
        of = f"regression random {weights}"
        add(of, regressor, params, "number", "wide", weights, draws=True)
    multiway = {**flat, "categories": "multiway"}
    add("multiway", tree, multiway, "two", "categories")
    add("bins", tree, {**flat, "max_bins": 20})
    add("best first", tree, {"max_leaf_nodes": 4}, "five")
    add("two outputs", tree, flat, "pair")
    expression = {**flat, "criterion": "top(3, gini).smallest(csn)"}
    add("expression", tree, expression)
    for splitter in ("chaid", "quest", "ctree", "guide", "dgmml"):
        add(splitter, tree, {"max_depth": 1, "splitter": splitter})
    for criterion in (
        "squared_error",
        "absolute_error",
        "quantile",
        "poisson",
        "gamma",
    ):
        params = {**flat, "criterion": criterion}
        add(f"{criterion} wide", regressor, params, "number")
        add(f"{criterion} narrow", regressor, params, "number", "narrow")
        add(
            f"{criterion} random", regressor, {**params, **random}, "number", draws=True
        )
    add("regression missing", regressor, flat, "number", "missing")
    add("regression categories", regressor, flat, "number", "categories")
    add("regression sampled", regressor, most, "number", draws=True)
    add("regression bins", regressor, {**flat, "max_bins": 20}, "number")
    add("two numbers", regressor, flat, "numbers")
    few = {"n_estimators": 2, "max_depth": 6, "random_state": 0}
    for target in ("two", "five", "number"):
        kind = "Regressor" if target == "number" else "Classifier"
        for name in ("RandomForest", "ExtraTrees"):
            forest = getattr(ramify, name + kind)
            add(f"{name} {target}", forest, {**few, **most}, target, draws=True)
        rounds = {"n_estimators": 1, "max_depth": 2}
        boosted = getattr(ramify, "BoostedTrees" + kind)
        for values in ("wide", "missing", "categories"):
            if target != "five" or values == "wide":
                add(f"boosted {target} {values}", boosted, rounds, target, values)
        sampled = {**rounds, **most, "n_estimators": 3}
        add(f"boosted {target} sampled", boosted, sampled, target, draws=True)
    add("bagged", ramify.BaggedTreesClassifier, few, "five", draws=True)
    for method in ("fisher", "ridge", "wodt"):
        params = {"max_depth": 1, "method": method, "random_state": 0}
        add(f"oblique {method}", ramify.ObliqueTreeClassifier, params, draws=True)
    return found


ENGINES = engines()


def in_turn(name, values):
    """Return the values that an engine tries, each with a dtype."""
    number = list(ENGINES).index(name)
    tried = list(values)[number % STEP :: STEP]
    return [(value, DTYPES[(i + number) % 3]) for i, value in enumerate(tried)]


@cache
def noise(values, dtype):
    """Return columns without a signal, more of them than any width needs."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N_ROWS, max(BEYOND)))
    if values == "narrow":
        X = rng.integers(15, size=X.shape)
    elif values == "categories":
        X = rng.integers(5, size=X.shape)
    elif dtype == "int32":
        X = X.argsort(axis=0)
    X = X.astype(dtype)
    if values == "missing" and dtype != "int32":
        X[rng.random(X.shape) < 0.05] = np.nan
    return X


@cache
def levels(target):
    """Return the level of each row, which is to be found, and the target it makes."""
    n_levels = {"five": 5, "thirty": 30}.get(target, 2)
    level = np.random.default_rng(8).permutation(N_ROWS) % n_levels
    if target == "pair":
        return level, np.column_stack([level, 1 - level])
    if target == "number":
        return level, 1.0 + 9 * level
    if target == "numbers":
        return level, np.column_stack([1.0 + 9 * level, -3.0 * level])
    return level, level


def with_signal(engine, width, place, dtype):
    """Return a table in which the column at this place alone determines the target."""
    X = noise(engine.values, dtype)[:, :width].copy()
    level, y = levels(engine.target)
    if engine.values in ("narrow", "categories"):
        X[:, place] = level
    else:  # every value once; far apart, so that most random cuts are between levels
        X[:, place] = level * 100_000 + np.arange(N_ROWS)
    return X, y


def assert_found(engine, width, place, dtype):
    X, y = with_signal(engine, width, place, dtype)
    model = engine.fit(X, y)
    found = np.argmax(model.feature_importances_)
    assert found == place, f"{dtype}, {width} columns: {found} instead of {place}"
    if not engine.draws and engine.target == "two":
        np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("name", ENGINES)
def test_a_column_that_determines_the_target_is_found_wherever_it_stands(name):
    engine = ENGINES[name]
    for place, dtype in in_turn(name, range(WIDEST)):
        assert_found(engine, WIDEST, place, dtype)
    # The other engines meet narrower tables when their columns are permuted.
    widths = (*range(1, WIDEST), *BEYOND) if engine.draws else BEYOND
    for width, dtype in in_turn(name, widths):
        assert_found(engine, width, width - 1, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", ["random two wide", "random five wide", "squared_error random"]
)
def test_random_cuts_find_it_in_each_dtype(name, dtype):
    # These are drawn between values as they are; all others read codes.
    for place, _ in in_turn(name, range(WIDEST)):
        assert_found(ENGINES[name], WIDEST, place, dtype)


def with_two_signals(engine, width, dtype):
    """Return a table whose first splits are at two columns, without a tie."""
    X = noise(engine.values, dtype)[:, :width]
    known = np.nan_to_num(X.astype(float))
    signal = known[:, width // 2] + 0.6 * known[:, -1]
    rank = signal.argsort(kind="stable").argsort()
    n_levels = len(np.unique(levels(engine.target)[0]))
    level = rank * n_levels // N_ROWS
    y = {
        "pair": np.column_stack([level, rank > N_ROWS // 3]),
        "number": 1.0 + rank,
        "numbers": np.column_stack([1.0 + rank, signal]),
    }
    return X, y.get(engine.target, level)


def trees_of(model):
    return [model.tree_] if hasattr(model, "tree_") else list(np.ravel(model.trees_))


@pytest.mark.parametrize("name", [name for name in ENGINES if not ENGINES[name].draws])
def test_permuting_the_columns_permutes_the_tree_and_nothing_else(name):
    engine = ENGINES[name]
    for width, dtype in in_turn(name, range(1, WIDEST + 1)):
        X, y = with_two_signals(engine, width, dtype)
        order = np.random.default_rng(width).permutation(width)
        # Deeper nodes of classes have ties: few counts make few scores.
        depth = {} if engine.target.startswith("number") else {"max_depth": 1}
        one, other = (engine.fit(Z, y, **depth) for Z in (X, X[:, order]))
        for mine, theirs in zip(trees_of(one), trees_of(other), strict=True):
            assert mine.node_count > 1
            for array in mine.ARRAYS:
                found = theirs.array(array)
                if array == "feature":
                    found = np.where(found < 0, found, order[np.maximum(found, 0)])
                message = f"{array} of {width} columns"
                np.testing.assert_array_equal(mine.array(array), found, message)
        np.testing.assert_array_equal(one.predict(X), other.predict(X[:, order]))


@pytest.mark.slow
@pytest.mark.skipif("RAMIFY_PROCESSOR" in os.environ, reason="one set was asked for")
@pytest.mark.parametrize("processor", narrower_sets())
def test_the_laws_hold_on_every_narrower_instruction_set(processor):
    pytest_of = [sys.executable, "-m", "pytest", "-q", "-n", "0"]
    done = subprocess.run(
        [*pytest_of, "-p", "no:cacheprovider", __file__],
        env={**os.environ, "RAMIFY_PROCESSOR": processor},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
