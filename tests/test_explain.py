# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values: the laws they obey, and brute force over all coalitions."""

import itertools
import math
import sys
import textwrap
import warnings

import interrupting
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from oracle_columns import branch_of
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.inspection import permutation_importance as sklearn_importance
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from strategies import FEW

import ramify
from ramify import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    Tree,
)
from ramify.cli import main
from ramify.explanations import Explanation, explained
from ramify.explanations import shapley as shapley_module
from ramify.explanations.scores import Scores

# --- Models of every kind -------------------------------------------------------------


def frame(n_rows=120, *, seed=0, gaps=0.15, numbers=3, categories=2, levels=4):
    """Make a table of numbers and categories with gaps."""
    rng = np.random.default_rng(seed)
    columns = {}
    for j in range(numbers):
        values = rng.normal(size=n_rows).round(1)
        columns[f"n{j}"] = np.where(rng.random(n_rows) < gaps, np.nan, values)
    for j in range(categories):
        words = rng.choice([f"c{k}" for k in range(levels)], size=n_rows).astype(object)
        words[rng.random(n_rows) < gaps] = None
        columns[f"w{j}"] = words
    return pd.DataFrame(columns)


def signal_of(X, seed=1):
    """Make a number that depends on all columns, and on pairs of them."""
    rng = np.random.default_rng(seed)
    total = rng.normal(scale=0.3, size=len(X))
    filled = X.apply(lambda c: c.astype(object).where(c.notna(), "gap"))
    for name in X:
        effect = {v: rng.normal() for v in sorted(filled[name].unique(), key=str)}
        total += filled[name].map(effect).to_numpy(dtype=float)
    first, last = X.columns[0], X.columns[-1]
    return total + 2 * (X[first].fillna(0) > 0) * (filled[last] == filled[last][0])


def classes_of(number, n_classes):
    edges = np.quantile(number, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array(list("abcdefgh"))[np.searchsorted(edges, number)]


def deep(kind, **params):
    return kind(max_depth=5, **params)


MIXED = frame()
NUMBER = signal_of(MIXED).to_numpy()
NUMBERS = frame(numbers=5, categories=0)
TWO = np.column_stack([classes_of(NUMBER, 2), classes_of(-NUMBER, 3)])
RANDOM = {"random_state": 0}

MODELS = {
    "gaps": lambda: deep(DecisionTreeClassifier).fit(
        NUMBERS, classes_of(signal_of(NUMBERS), 2)
    ),
    "subsets": lambda: deep(DecisionTreeClassifier).fit(MIXED, classes_of(NUMBER, 2)),
    "four classes": lambda: deep(DecisionTreeClassifier, laplace=True).fit(
        MIXED, classes_of(NUMBER, 4)
    ),
    "multiway": lambda: deep(
        DecisionTreeClassifier, criterion="gain_ratio", categories="multiway"
    ).fit(MIXED, classes_of(NUMBER, 3)),
    "fractional": lambda: deep(
        DecisionTreeClassifier,
        criterion="gain_ratio",
        categories="multiway",
        missing="fractional",
    ).fit(MIXED, classes_of(NUMBER, 3)),
    "intervals": lambda: ramify.methods.make(
        "chaid", max_depth=4, alpha_merge=0.9, alpha_split=0.95
    ).fit(MIXED, classes_of(NUMBER, 3)),
    "regression": lambda: deep(DecisionTreeRegressor).fit(MIXED, 40 + NUMBER),
    "two outputs": lambda: deep(DecisionTreeClassifier).fit(MIXED, TWO),
    "forest": lambda: RandomForestClassifier(4, max_depth=5, **RANDOM).fit(
        MIXED, classes_of(NUMBER, 3)
    ),
    "votes": lambda: RandomForestClassifier(
        4, max_depth=5, voting="hard", **RANDOM
    ).fit(MIXED, classes_of(NUMBER, 3)),
    "forest of numbers": lambda: RandomForestRegressor(3, max_depth=4, **RANDOM).fit(
        MIXED, np.column_stack([NUMBER, -NUMBER])
    ),
    "boosted": lambda: BoostedTreesClassifier(n_estimators=4, max_depth=3).fit(
        MIXED, classes_of(NUMBER, 3)
    ),
    "boosted numbers": lambda: BoostedTreesRegressor(
        n_estimators=4, max_depth=3, loss="poisson"
    ).fit(MIXED, np.exp(NUMBER / 4)),
    "samme": lambda: BoostedTreesClassifier("cart", n_estimators=3, max_depth=2).fit(
        MIXED, classes_of(NUMBER, 3)
    ),
    "one per class": lambda: ramify.methods.make("spce", max_depth=3).fit(
        NUMBERS.fillna(0), classes_of(signal_of(NUMBERS), 3)
    ),
}
OBLIQUE = {
    "hyperplanes": lambda: deep(ObliqueTreeClassifier, method="wodt", **RANDOM).fit(
        MIXED, classes_of(NUMBER, 3)
    ),
    "climbed": lambda: deep(ObliqueTreeClassifier, method="oc1", **RANDOM).fit(
        NUMBERS, classes_of(signal_of(NUMBERS), 2)
    ),
    "oblique forest": lambda: RandomForestClassifier(
        3, method="wodt", max_depth=3, **RANDOM
    ).fit(MIXED, classes_of(NUMBER, 2)),
}
_made = {}


@pytest.fixture(autouse=True, scope="module")
def _forget():
    yield
    _made.clear()


def model_of(name):
    """Fit a model once."""
    if name not in _made:
        _made[name] = (MODELS | OBLIQUE)[name]()
    return _made[name]


def rows_of(name):
    """Return the table of a model: a few rows to explain, and a few to compare with."""
    numeric = ("gaps", "climbed")
    table = NUMBERS if name in numeric else MIXED
    if name == "one per class":
        table = NUMBERS.fillna(0)
    rows = table.iloc[[0, 5, 17, 40]].reset_index(drop=True)
    if table is MIXED:  # one that training has not seen
        rows.loc[0, "w0"] = "new"
    return rows, table.iloc[[60, 61, 90]].reset_index(drop=True)


def spoken(model, X):
    """Return what the model says in public: (n_rows, n_scores)."""
    if isinstance(model, (BoostedTreesClassifier, BoostedTreesRegressor)):
        if hasattr(model, "decision_function"):
            return np.asarray(model.decision_function(X)).reshape(len(X), -1)
        return np.log(model.predict(X))[:, None]
    if hasattr(model, "_votes"):
        return model._votes(X)
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X)).reshape(len(X), -1)
    shares = model.predict_proba(X)
    return np.hstack(shares) if isinstance(shares, list) else shares


def wide(explanation):
    """Return values and base with an axis for scores."""
    values, base = explanation.values, explanation.base_values
    if explanation.output_names is None:
        return values[..., None], base[:, None]
    return values, base


# --- Brute force ----------------------------------------------------------------------


def marginal(scores, x, known):
    """Walk down every tree: known columns as x says, others by the shares of weight."""
    total = scores.start.copy()
    for tree, table, first in zip(
        scores.trees, scores.tables, scores.first, strict=True
    ):
        part = total[first : first + table.shape[1]]
        stack = [(0, 1.0)]
        while stack:
            node, share = stack.pop()
            children = tree.children(node)
            if not children:
                part += share * table[node] / scores.divide
                continue
            column = int(tree.feature[node])
            weight = tree.weighted_n_node_samples[children]
            goes = branch_of(tree, node, x[[column]])[0] if column in known else -1
            if goes >= 0:
                stack.append((children[goes], share))
            else:
                each = share * weight / weight.sum()
                stack += zip(children, each.tolist(), strict=True)
    return total


def mixtures(model, X, row, background):
    """Average what the model says of the background with some columns of a row.

    Gives the worth of every coalition, from one long table.
    """
    n, many = X.shape[1], len(background)
    every = coalitions(n)
    mixed = pd.concat([background] * len(every), ignore_index=True)
    for j, name in enumerate(mixed):
        known = np.repeat([j in s for s in every], many)
        mixed[name] = mixed[name].where(~known, X.iloc[row, j])
    worth = spoken(model, mixed).reshape(len(every), many, -1).mean(axis=1)
    return dict(zip(every, worth, strict=True))


def coalitions(n):
    """List all sets of n columns."""
    sizes = (itertools.combinations(range(n), k) for k in range(n + 1))
    return [frozenset(s) for s in itertools.chain.from_iterable(sizes)]


def marginals(scores, x):
    """Return the worth of every coalition along paths."""
    return {s: marginal(scores, x, s) for s in coalitions(len(x))}


def shapley(game, n):
    """Return Shapley values by their definition: [column, score]."""
    found = np.zeros((n, len(game[frozenset()])))
    for i in range(n):
        for s, worth in game.items():
            if i in s:
                continue
            order = math.factorial(len(s)) * math.factorial(n - len(s) - 1)
            found[i] += order / math.factorial(n) * (game[s | {i}] - worth)
    return found


def shapley_pairs(game, n):
    """Return Shapley interactions by their definition: [i, k, score]."""
    found = np.zeros((n, n, len(game[frozenset()])))
    for i, k in itertools.permutations(range(n), 2):
        for s in game:
            if i in s or k in s:
                continue
            order = math.factorial(len(s)) * math.factorial(n - len(s) - 2)
            jump = game[s | {i, k}] - game[s | {i}] - game[s | {k}] + game[s]
            found[i, k] += order / (2 * math.factorial(n - 1)) * jump
    values = shapley(game, n)
    for i in range(n):
        found[i, i] = values[i] - found[i].sum(axis=0)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_values_along_paths_are_those_of_brute_force(name):
    model, (X, _) = model_of(name), rows_of(name)
    scores = Scores.from_model(model, "test")
    matrix = scores.matrix(X)
    values, base = wide(explained(model, X))
    both, _ = wide(explained(model, X, interactions=True))
    for row, x in enumerate(matrix):
        game = marginals(scores, x)
        np.testing.assert_allclose(values[row], shapley(game, len(x)), atol=2e-14)
        np.testing.assert_allclose(base[row], game[frozenset()], atol=2e-14)
        np.testing.assert_allclose(both[row], shapley_pairs(game, len(x)), atol=2e-14)


@pytest.mark.parametrize("name", [*MODELS, *OBLIQUE])
def test_values_against_a_background_are_those_of_brute_force(name):
    model, (X, background) = model_of(name), rows_of(name)
    values, base = wide(explained(model, X, background))
    both, _ = wide(explained(model, X, background, interactions=True))
    n = X.shape[1]
    for row in range(len(X)):
        game = mixtures(model, X, row, background)
        np.testing.assert_allclose(values[row], shapley(game, n), atol=2e-14)
        np.testing.assert_allclose(base[row], game[frozenset()], atol=2e-14)
        np.testing.assert_allclose(both[row], shapley_pairs(game, n), atol=2e-14)


def test_models_have_every_kind_of_node():
    kinds, is_fractional = set(), False
    for name in [*MODELS, *OBLIQUE]:
        for tree in Scores.from_model(model_of(name), "test").trees:
            kinds |= set(tree.kind[tree.children_left >= 0].tolist())
            is_fractional |= tree.is_fractional
    assert kinds == {Tree.THRESHOLD, Tree.CATEGORIES, Tree.INTERVALS, Tree.HYPERPLANE}
    assert is_fractional


def test_eight_columns_are_those_of_brute_force():
    X = frame(200, numbers=5, categories=3, seed=3)
    tree = DecisionTreeClassifier().fit(X, classes_of(signal_of(X), 2))
    oblique = deep(ObliqueTreeClassifier, **RANDOM).fit(X, classes_of(signal_of(X), 2))
    rows, background = X.iloc[:1], X.iloc[[50, 51]].reset_index(drop=True)
    scores = Scores.from_model(tree, "test")
    x = scores.matrix(rows)[0]
    along = marginals(scores, x)
    np.testing.assert_allclose(
        explained(tree, rows).values[0], shapley(along, 8), atol=2e-15
    )
    for model in (tree, oblique):
        game = mixtures(model, rows, 0, background)
        found = explained(model, rows, background).values[0]
        np.testing.assert_allclose(found, shapley(game, 8), atol=2e-15)


# --- Laws -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MODELS, *OBLIQUE])
def test_efficiency_values_and_base_sum_to_the_score(name):
    model = model_of(name)
    table = NUMBERS if name in ("gaps", "climbed") else MIXED
    X = NUMBERS.fillna(0) if name == "one per class" else table
    for background in [None, X.iloc[:7]] if name in MODELS else [X.iloc[:7]]:
        values, base = wide(explained(model, X, background))
        np.testing.assert_allclose(
            values.sum(axis=1) + base, spoken(model, X), atol=5e-14
        )


@FEW
@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 12), fraction=st.booleans())
def test_efficiency_on_random_trees(seed, n_columns, fraction):
    X = frame(80, seed=seed, numbers=n_columns, categories=1)
    tree = DecisionTreeClassifier(
        "gain_ratio", missing="fractional" if fraction else "both"
    ).fit(X, classes_of(signal_of(X, seed), 3))
    for background in (None, X.iloc[:3]):
        values, base = wide(explained(tree, X, background))
        np.testing.assert_allclose(
            values.sum(axis=1) + base, tree.predict_proba(X), atol=1e-14
        )


def test_symmetry_columns_with_the_same_role_get_the_same_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    tree = deep(DecisionTreeRegressor).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    twin = ramify.Tree(
        {name: array.copy() for name, array in tree.tree_.arrays().items()}, 3, [1]
    )
    swapped = tree.tree_.arrays() | {
        "feature": np.where(
            tree.tree_.feature == 0,
            1,
            np.where(tree.tree_.feature == 1, 0, tree.tree_.feature),
        )
    }
    # The sum of a tree and its mirror image treats both columns alike.
    forest = RandomForestRegressor(2, **RANDOM).fit(X, X[:, 0])
    mirror = ramify.Tree({k: v.copy() for k, v in swapped.items()}, 3, [1])
    for member, one in zip(forest.estimators_, (twin, mirror), strict=True):
        member.tree_ = one
    same = X.copy()
    same[:, 1] = same[:, 0]
    background = same[:5]
    for others in (None, background):
        values = explained(forest, same, others).values
        np.testing.assert_allclose(values[:, 0], values[:, 1], atol=1e-14)
        assert np.ptp(values[:, 0]) > 0.1


@pytest.mark.parametrize("name", ["forest", "oblique forest", "boosted"])
def test_missingness_a_column_that_nobody_looks_at_gets_nothing(name):
    model, (X, background) = model_of(name), rows_of(name)
    same = X.copy()
    same["n0"] = background["n0"][0]
    one = background.iloc[:1]
    found = wide(explained(model, same, one))[0]
    assert (found[:, 0] == 0).all()  # equal in the row and in the background
    assert np.abs(found).max() > 0
    stump = DecisionTreeClassifier(max_depth=1).fit(MIXED, classes_of(NUMBER, 2))
    unused = np.arange(5) != stump.tree_.feature[0]
    assert (explained(stump, X).values[:, unused] == 0).all()
    assert (explained(stump, X, background).values[:, unused] == 0).all()


def test_missing_against_missing_makes_no_difference():
    model, (X, background) = model_of("gaps"), rows_of("gaps")
    X, one = X.copy(), background.iloc[:1].copy()
    X["n1"] = np.nan
    one["n1"] = np.nan
    assert (explained(model, X, one).values[:, 1] == 0).all()


def test_many_columns_on_a_path_are_still_exact():
    """A rule of 12 points is not enough for 60 columns: t^59 needs more."""
    n = 60
    rng = np.random.default_rng(0)
    X = (rng.random((3000, n)) < 0.97).astype(float)
    tree = DecisionTreeRegressor().fit(X, X.cumprod(axis=1).sum(axis=1))
    row = np.ones((1, n))
    found = explained(tree, row)
    assert found.values.sum() + found.base_values[0] == pytest.approx(n, abs=1e-10)
    exact = _by_fractions(tree.tree_, row[0])
    np.testing.assert_allclose(found.values[0], exact, atol=1e-11)


def _by_fractions(tree, x):
    """Return values along paths from the coefficients of the polynomials themselves."""
    found = np.zeros(len(x))
    stack = [(0, {})]
    while stack:
        node, edges = stack.pop()
        children = tree.children(node)
        if not children:
            value = tree.value[node, 0, 0]
            for i, (o, z) in edges.items():
                poly = np.array([1.0], dtype=np.longdouble)
                for j, (p, q) in edges.items():
                    if j != i:  # t p + (1 - t) q
                        poly = np.convolve(poly, np.array([q, p - q], np.longdouble))
                integral = (poly / np.arange(1, len(poly) + 1)).sum()
                found[i] += float(value * (o - z) * integral)
            continue
        column = int(tree.feature[node])
        weight = tree.weighted_n_node_samples[children]
        goes = branch_of(tree, node, x[[column]])[0]
        o, z = edges.get(column, (1.0, 1.0))
        for b, child in enumerate(children):
            share = weight[b] / weight.sum()
            stack.append((child, {**edges, column: (o * (goes == b), z * share)}))
    return found


# --- Against shap ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def shap():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("shap")


@pytest.mark.parametrize("name", ["gaps", "regression", "forest", "boosted"])
def test_values_are_those_of_shap(shap, name):
    X = NUMBERS.to_numpy()
    y = signal_of(NUMBERS)
    model = {
        "gaps": lambda: DecisionTreeClassifier().fit(X, classes_of(y, 3)),
        "regression": lambda: DecisionTreeRegressor().fit(X, y),
        "forest": lambda: RandomForestClassifier(8, **RANDOM).fit(X, classes_of(y, 2)),
        "boosted": lambda: BoostedTreesClassifier(n_estimators=5).fit(
            X, classes_of(y, 2)
        ),
    }[name]()
    explainer = shap.TreeExplainer(
        ramify.to_shap(model), feature_perturbation="tree_path_dependent"
    )
    theirs = np.asarray(explainer.shap_values(X, check_additivity=False))
    ours = explained(model, X)
    np.testing.assert_allclose(
        ours.values, theirs.reshape(ours.values.shape), atol=1e-9
    )
    expected = np.asarray(explainer.expected_value).ravel()
    np.testing.assert_allclose(np.ravel(ours.base_values[0]), expected, atol=1e-9)
    theirs = explainer.shap_interaction_values(X[:10])
    ours = explained(model, X[:10], interactions=True).values
    np.testing.assert_allclose(ours, np.reshape(theirs, ours.shape), atol=1e-9)


def test_explain_gives_what_shap_plots(shap):
    model, (X, background) = model_of("subsets"), rows_of("subsets")
    found = ramify.explain(model, X, background)
    assert isinstance(found, shap.Explanation)
    assert found.exact
    assert found.method == "pairs"
    assert found.feature_names == list(X.columns)
    assert list(found.output_names) == ["a", "b"]
    assert found.display_data[0, 3] == "(unseen)"
    assert found[1, :, 0].values.shape == (5,)
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap.plots.waterfall(found[1, :, 0], show=False)
        shap.plots.beeswarm(found[:, :, 1], show=False)
    plt.close("all")


def test_to_shap_says_what_it_cannot_hold():
    with pytest.raises(ValueError, match=r"node \d+ lists categories; use ramify.expl"):
        ramify.to_shap(model_of("subsets"))
    with pytest.raises(ValueError, match="is a hyperplane"):
        ramify.to_shap(model_of("climbed"))
    with pytest.raises(ValueError, match=r"node \d+ of tree 0 (lists|is|has)"):
        ramify.to_shap(model_of("oblique forest"))
    fractional = DecisionTreeClassifier("gain_ratio", missing="fractional")
    fractional.fit(NUMBERS, classes_of(signal_of(NUMBERS), 2))
    with pytest.raises(ValueError, match="down every branch"):
        ramify.to_shap(fractional)


# --- Hyperplanes that are drawn -------------------------------------------------------


def test_too_many_pieces_are_drawn_with_an_honest_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 9))
    y = (X @ rng.normal(size=9) > 0) ^ (X[:, 0] * X[:, 1] > 1)
    model = ObliqueTreeClassifier("wodt", max_depth=3, random_state=0).fit(X, y)
    rows, background = X[:6], X[100:110]
    exact = explained(model, rows, background)
    assert exact.exact
    assert exact.standard_error is None
    assert exact.method == "pieces"
    drawn = explained(model, rows, background, max_pieces=1, n_samples=200)
    assert not drawn.exact
    assert drawn.method == "drawn"
    assert drawn.standard_error.shape == drawn.values.shape
    error = np.abs(drawn.values - exact.values)
    assert 0 < drawn.standard_error.max() < 0.05
    assert (error <= 5 * drawn.standard_error + 1e-12).all()
    z = (drawn.values - exact.values) / np.maximum(drawn.standard_error, 1e-12)
    assert 0.3 < np.sqrt((z**2).mean()) < 1.6  # the errors are as large as they say
    np.testing.assert_allclose(  # efficiency holds all the same
        drawn.values.sum(axis=1) + drawn.base_values,
        model.predict_proba(rows),
        atol=1e-12,
    )
    again = explained(model, rows, background, max_pieces=1, n_samples=200, n_jobs=2)
    np.testing.assert_array_equal(again.values, drawn.values)
    other = explained(
        model, rows, background, max_pieces=1, n_samples=200, random_state=1
    )
    assert (other.values != drawn.values).any()
    until = explained(model, rows, background, max_pieces=1)
    largest = np.abs(until.values).max(axis=(1, 2))
    reached = until.standard_error.max(axis=(1, 2)) / largest
    assert reached.max() < 0.03  # by 8192 pairs at most
    assert np.abs(until.values - exact.values).max() < 0.02
    with pytest.raises(ValueError, match="row 0 needs more than max_pieces=1 pieces"):
        explained(model, rows, background, max_pieces=1, interactions=True)


def test_some_rows_may_be_drawn_and_others_exact():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    model = ObliqueTreeClassifier("wodt", max_depth=3, random_state=0)
    model.fit(X, X[:, 0] * X[:, 1] + X[:, 2] > 0)
    background = X[:1]
    rows = np.vstack([X[1], X[0]])  # the latter is the background itself
    found = explained(model, rows, background, max_pieces=2)
    assert not found.exact
    assert found.standard_error[0].max() > 0
    assert (found.standard_error[1] == 0).all()
    assert (found.values[1] == 0).all()


# --- Threads, interruption, bad input -------------------------------------------------


@pytest.mark.parametrize("name", ["forest", "fractional", "oblique forest"])
def test_threads_change_nothing(name):
    model = model_of(name)
    for background in (
        [None, MIXED.iloc[:5]] if name != "oblique forest" else [MIXED[:5]]
    ):
        one = explained(model, MIXED, background, n_jobs=1).values
        two = explained(model, MIXED, background, n_jobs=2).values
        np.testing.assert_array_equal(one, two)


def test_rows_are_explained_alone_as_together():
    model = model_of("forest")
    together = explained(model, MIXED).values
    alone = np.vstack([explained(model, MIXED.iloc[[i]]).values for i in range(40)])
    np.testing.assert_array_equal(together[:40], alone)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child there")
@pytest.mark.parametrize("background", ["None", "X[:200]"])
def test_ctrl_c_stops_it(background):
    code = f"""
        import numpy as np, ramify
        from ramify.explanations import explained
        X = np.random.default_rng(0).normal(size=(20000, 10))
        forest = ramify.RandomForestRegressor(40, max_depth=10, random_state=0)
        forest.fit(X[:2000], X[:2000].sum(axis=1))
        interrupt_soon()
        try:
            explained(forest, X, {background}, n_jobs=2)
        except KeyboardInterrupt:
            print("stopped")
    """
    assert interrupting.run(textwrap.dedent(code)) == "stopped\n"


def test_bad_input_is_refused():
    tree, oblique = model_of("subsets"), model_of("hyperplanes")
    with pytest.raises(TypeError, match=r"explain\(\) takes a fitted tree"):
        explained(DecisionTreeClassifier(), MIXED)
    with pytest.raises(TypeError, match="takes a fitted tree"):
        explained(SklearnRegressor(), MIXED)
    with pytest.raises(ValueError, match="pass background="):
        explained(oblique, MIXED)
    with pytest.raises(ValueError, match=r"output='log' is unknown; use 'raw'"):
        explained(tree, MIXED, output="log")
    with pytest.raises(ValueError, match="by 'softmax': use output='raw'"):
        explained(model_of("boosted"), MIXED, output="probability")
    with pytest.raises(ValueError, match="predicts numbers: use output='raw'"):
        explained(model_of("regression"), MIXED, output="probability")
    for name, value in (("max_pieces", 0), ("n_samples", 1), ("random_state", -1)):
        with pytest.raises(ValueError, match=f"{name}={value} is not allowed"):
            explained(tree, MIXED, **{name: value})
    with pytest.raises(ValueError, match="n3"):
        explained(tree, MIXED.rename(columns={"n0": "n3"}))
    votes = RandomForestClassifier(
        2, "gain_ratio", voting="hard", missing="fractional", **RANDOM
    ).fit(MIXED, classes_of(NUMBER, 2))
    with pytest.raises(ValueError, match="voting='hard' with missing='fractional'"):
        explained(votes, MIXED)
    same = explained(tree, MIXED, output="probability").values
    np.testing.assert_array_equal(same, explained(tree, MIXED).values)


def test_a_tree_of_one_leaf_has_nothing_to_say():
    tree = DecisionTreeClassifier().fit([[1.0, 2.0], [3.0, 4.0]], ["a", "a"])
    found = explained(tree, [[1.0, 1.0]], [[0.0, 0.0]])
    assert found.values.tolist() == [[[0.0], [0.0]]]
    assert explained(tree, [[1.0, 1.0]]).base_values.tolist() == [[1.0]]


def test_an_explanation_without_shap(monkeypatch):
    monkeypatch.setattr(shapley_module, "has_shap", lambda: False)
    found = ramify.explain(model_of("subsets"), MIXED[:3])
    assert isinstance(found, Explanation)
    assert found.values.shape == (3, 5, 2)
    assert found.exact


# --- Permutation and partial dependence -----------------------------------------------


def test_permutation_importance_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + 2 * X[:, 1]
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y)
    ours = ramify.permutation_importance(tree, X, y, n_repeats=20)
    theirs = sklearn_importance(tree, X, y, n_repeats=20, random_state=0)
    assert ours.score == pytest.approx(tree.score(X, y))
    for j in range(4):
        spread = max(theirs.importances_std[j], 1e-9)
        gap = abs(ours.importances_mean[j] - theirs.importances_mean[j])
        assert gap < 2 * spread
    assert (ours.importances_mean[2:] == 0).all()
    assert ours.importances_mean[1] > ours.importances_mean[0] > 0
    again = ramify.permutation_importance(tree, X, y, n_repeats=20, n_jobs=2)
    np.testing.assert_array_equal(again.importances, ours.importances)


@pytest.mark.parametrize(
    "name", ["subsets", "four classes", "votes", "boosted", "samme"]
)
def test_permutation_importance_starts_from_what_predict_gives(name):
    model = model_of(name)
    y = classes_of(NUMBER, len(model.classes_))
    found = ramify.permutation_importance(model, MIXED, y, n_repeats=1)
    assert found.score == pytest.approx((model.predict(MIXED) == y).mean())
    assert found.importances.max() > 0
    half = np.r_[np.ones(60), np.zeros(60)]
    part = ramify.permutation_importance(model, MIXED, y, sample_weight=half)
    assert part.score == pytest.approx((model.predict(MIXED) == y)[:60].mean())


def test_permutation_importance_refuses_what_does_not_fit():
    model = model_of("subsets")
    with pytest.raises(ValueError, match="y has 3 rows, X has 120"):
        ramify.permutation_importance(model, MIXED, [1, 2, 3])
    with pytest.raises(ValueError, match="n_repeats=0 is not allowed"):
        ramify.permutation_importance(model, MIXED, NUMBER, n_repeats=0)
    with pytest.raises(ValueError, match="sample_weight has shape"):
        ramify.permutation_importance(model, MIXED, NUMBER, sample_weight=[1.0])


def test_partial_dependence_by_recursion_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)).astype(np.float32).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    theirs = SklearnRegressor(max_depth=4, min_samples_leaf=20, random_state=0).fit(
        X, y
    )
    ours = DecisionTreeRegressor(max_depth=4, min_samples_leaf=20).fit(X, y)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    for columns in ([0], [1, 2]):
        expected = sklearn_dependence(
            *(theirs, X, columns),
            method="recursion",
            grid_resolution=20,
            percentiles=(0, 1),
        )
        found = ramify.partial_dependence(
            ours, X, columns, n_points=20, percentiles=(0, 1)
        )
        assert found.method == "recursion"
        for one, other in zip(found.grid, expected["grid_values"], strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)
        np.testing.assert_allclose(found.average, expected["average"], atol=1e-9)


@pytest.mark.parametrize("name", ["subsets", "fractional", "forest", "boosted"])
def test_partial_dependence_is_the_worth_of_a_coalition(name):
    model = model_of(name)
    scores = Scores.from_model(model, "test")
    found = ramify.partial_dependence(
        model, MIXED, ["n1", "w0"], n_points=6, method="recursion"
    )
    assert found.feature_names == ["n1", "w0"]
    assert found.grid[1].tolist() == ["c0", "c1", "c2", "c3"]
    for a, b in ((0, 0), (3, 2), (5, 3)):
        x = np.array([np.nan, found.grid[0][a], np.nan, float(b), np.nan])
        expected = marginal(scores, x, {1, 3})
        np.testing.assert_allclose(found.average[:, a, b], expected, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("DecisionTreeRegressor", "recursion"),
        ("ExtraTreeRegressor", "recursion"),
        ("RandomForestRegressor", "recursion"),
        ("ExtraTreesRegressor", "brute"),
        ("DecisionTreeClassifier", "brute"),
        ("RandomForestClassifier", "brute"),
        ("BoostedTreesRegressor", "recursion"),
        ("BoostedTreesClassifier", "recursion"),
    ],
)
def test_the_method_of_partial_dependence_is_the_one_scikit_learn_chooses(name, method):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    is_single = name.startswith(("Decision", "ExtraTreeR"))
    model = getattr(ramify, name)(**({} if is_single else {"n_estimators": 2}))
    found = ramify.partial_dependence(model.fit(X, y), X, 0, n_points=3)
    assert found.method == method


def test_partial_dependence_of_a_classifier_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)).astype(np.float32).astype(float)
    X[:, 1] += X[:, 0]  # so that the two methods differ
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = ramify.DecisionTreeClassifier(max_depth=3).fit(X, y)
    expected = sklearn_dependence(model, X, [0], grid_resolution=5, percentiles=(0, 1))
    found = ramify.partial_dependence(model, X, 0, n_points=5, percentiles=(0, 1))
    np.testing.assert_allclose(found.average[-1], expected["average"][0], atol=1e-9)
    other = ramify.partial_dependence(
        model, X, 0, n_points=5, percentiles=(0, 1), method="recursion"
    )
    assert np.abs(other.average - found.average).max() > 0.01


def test_partial_dependence_by_brute_force():
    model = model_of("hyperplanes")
    found = ramify.partial_dependence(model, MIXED, "n0", n_points=4)
    assert found.method == "brute"
    assert found.average.shape == (3, 4)
    fixed = MIXED.assign(n0=found.grid[0][2])
    expected = model.predict_proba(fixed).mean(axis=0)
    np.testing.assert_allclose(found.average[:, 2], expected, atol=1e-14)


def test_partial_dependence_refuses_what_it_cannot_do():
    model = model_of("subsets")
    with pytest.raises(ValueError, match="cannot pass a hyperplane"):
        ramify.partial_dependence(
            model_of("hyperplanes"), MIXED, "n0", method="recursion"
        )
    with pytest.raises(ValueError, match="method='fast' is unknown"):
        ramify.partial_dependence(model, MIXED, "n0", method="fast")
    with pytest.raises(ValueError, match="are 3 columns; name one, or two"):
        ramify.partial_dependence(model, MIXED, ["n0", "n1", "n2"])
    with pytest.raises(ValueError, match="n9"):
        ramify.partial_dependence(model, MIXED, "n9")
    with pytest.raises(ValueError, match="n_points=1"):
        ramify.partial_dependence(model, MIXED, "n0", n_points=1)


# --- The command line -----------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.parametrize("name", ["four classes", "regression", "hyperplanes"])
def test_the_command_writes_a_line_per_row_and_score(tmp_path, name):
    model, path, out = model_of(name), tmp_path / "m.ramify", tmp_path / "shap.csv"
    ramify.save(model, path)
    rows, others = MIXED.iloc[:6], MIXED.iloc[20:25]
    rows.assign(who=list("abcdef")).to_csv(tmp_path / "rows.csv", index=False)
    others.to_csv(tmp_path / "others.csv", index=False)
    done = run(
        *("explain", path, tmp_path / "rows.csv", "-o", out, "--id", "who"),
        *("--background", tmp_path / "others.csv", "--max-rows", 5),
    )
    assert done.exit_code == 0, done.output
    found = pd.read_csv(out)
    values, base = wide(explained(model, rows[:5], others.reset_index(drop=True)))
    n_scores = values.shape[2]
    assert len(found) == 5 * n_scores
    assert found["who"][0] == "a"
    np.testing.assert_allclose(found["base"], base.ravel())
    np.testing.assert_allclose(
        found[list(MIXED)], values.transpose(0, 2, 1).reshape(-1, 5), atol=1e-15
    )
    np.testing.assert_allclose(
        found["total"], spoken(model, rows[:5]).ravel(), atol=1e-14
    )
    if name != "regression":
        assert found["score"][:3].tolist() == ["a", "b", "c"]


def test_the_command_says_what_was_sampled(tmp_path):
    ramify.save(model_of("hyperplanes"), tmp_path / "m.ramify")
    MIXED.iloc[:3].to_csv(tmp_path / "rows.csv", index=False)
    MIXED.iloc[20:22].to_csv(tmp_path / "others.csv", index=False)
    files = (tmp_path / "m.ramify", tmp_path / "rows.csv")
    done = run(
        *("explain", *files, "--background", tmp_path / "others.csv"),
        *("--max-pieces", 1),
    )
    assert done.exit_code == 0
    assert "rows have more than --max-pieces 1 pieces and were sampled" in done.stderr
    refused = run("explain", *files)
    assert refused.exit_code == 2
    assert "pass background=" in refused.stderr or "--background" in refused.stderr
    assert run("explain", *files, "--max-rows", 0).exit_code == 2
