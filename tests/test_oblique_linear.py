# SPDX-License-Identifier: BSD-3-Clause
"""Oblique methods that are formulas: worked numbers, slow twins, and laws."""

import math

import numpy as np
import oracle_linear as twin
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from strategies import random_table

from ramify import DecisionTreeClassifier, ObliqueTreeClassifier, _core
from ramify.estimators.tree.oblique_parameters import native_params

E11_X = np.array([(1, 2), (2, 3), (3, 3), (2, 1), (3, 2), (5, 3)], dtype=float)
E11_Y = np.array([0, 0, 0, 1, 1, 1])
WEDGE_X = np.array(
    [*((0, 0.1), (1, 1), (2, 2.2), (3, 2.9)), *((2, 0.2), (3, 0), (4, 0.4), (5, 0.3))]
)
WEDGE_Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
THREE_X = np.array([(0, 1), (1, 2), (4, 1), (5, 3), (9, 2), (10, 2)], dtype=float)
THREE_Y = np.array([0, 0, 1, 1, 2, 2])

LINEAR = ("ridge", "logistic", "svm", "mpsvm", "hhcart", "cca", "pptree")


def propose(method, X, y, weight=None, *, criterion="gini", seed=0, **params):
    """Ask a method for a hyperplane: weights, bias, and whether the cut is its own."""
    own = native_params(ObliqueTreeClassifier(method, method_params=params))
    X, y = np.ascontiguousarray(X, dtype=np.float64), y.astype(np.uint32)
    found = _core.propose(method, X, y, weight, criterion, own, seed, None)
    return found if found is None else (np.array(found[0]), *found[1:])


def unit(w):
    return np.asarray(w) / np.linalg.norm(w)


def same_line(one, other, tolerance=1e-7):
    """Fail unless two directions are the same up to sign and length."""
    __tracebackhide__ = True
    one, other = unit(one), unit(other)
    np.testing.assert_allclose(one * np.sign(one @ other), other, atol=tolerance)


def gain_of(X, y, w, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return twin.best_cut("gini", [(w, 0.0)], X, y, weight)


# --- Numbers worked out by hand -------------------------------------------------------


def test_the_ridge_direction_of_e11():
    w, _, has_cut = propose("ridge", E11_X, E11_Y)
    assert not has_cut
    np.testing.assert_allclose(unit(w), [0.54133959, -0.84080405], rtol=1e-7)
    assert gain_of(E11_X, E11_Y, w) == pytest.approx(0.5, abs=1e-12)
    w, *_ = propose("ridge", E11_X, E11_Y, penalty=1e-9)
    np.testing.assert_allclose(unit(w), [0.53687549, -0.84366149], rtol=1e-7)


@pytest.mark.parametrize(
    ("method", "w", "b", "value"),
    [
        ("logistic", [0.71821267, -1.08841071], 0.61868341, 2.91679245),
        ("svm", [0.71154463, -1.12969261], 0.69299878, 1.16742604),
    ],
)
def test_the_margins_of_e11(method, w, b, value):
    found, bias, has_cut = propose(method, E11_X, E11_Y, cut="own")
    assert has_cut
    np.testing.assert_allclose(found, w, rtol=1e-6)
    assert bias == pytest.approx(b, rel=1e-6)
    z, mean, spread = twin.standardised(E11_X, np.ones(6))
    objective = twin.margin_objective(method, z, 2 * E11_Y - 1, np.ones(6), 1.0)
    theta = np.append(found * spread, bias + found @ mean)
    assert objective(theta) == pytest.approx(value, rel=1e-8)


def test_the_proximal_planes_of_e11_are_nearly_parallel():
    w, bias, _ = propose("mpsvm", E11_X, E11_Y, cut="own")
    sign = np.sign(w[1])
    np.testing.assert_allclose(sign * unit(w), [-0.50011440, 0.86595934], rtol=1e-6)
    assert -sign * bias / np.linalg.norm(w) == pytest.approx(0.58710964, rel=1e-6)
    assert gain_of(E11_X, E11_Y, w) == pytest.approx(0.5, abs=1e-12)


def test_the_bisector_of_the_wedge():
    w, bias, _ = propose("mpsvm", WEDGE_X, WEDGE_Y, cut="own")
    sign = np.sign(w[1])
    np.testing.assert_allclose(sign * w, [-0.77180580, 1.71640984], rtol=1e-6)
    assert -sign * bias == pytest.approx(0.02203297, rel=1e-5)
    assert gain_of(WEDGE_X, WEDGE_Y, w) == pytest.approx(0.5, abs=1e-12)


def test_crossing_classes_fall_back_on_one_column():
    t = np.linspace(-1, 1, 9)
    X = np.concatenate([np.column_stack([t, t]), np.column_stack([t, -t])])
    y = np.repeat([0, 1], 9)
    model = ObliqueTreeClassifier("mpsvm", scale=None, max_depth=1).fit(X, y)
    assert (model.tree_.kind != model.tree_.HYPERPLANE).all()


def test_the_reflected_axes_of_e11():
    planes = twin.hhcart(E11_X, E11_Y, np.ones(6))
    assert len(planes) == 4
    # Both classes have a mirror in which the second column is cut without error. The
    # specification prints that of class 1; ties go to the first.
    np.testing.assert_allclose(planes[3][0], [0.54491354, -0.83849224], rtol=1e-7)
    assert gain_of(E11_X, E11_Y, planes[3][0]) == pytest.approx(0.5, abs=1e-12)
    w, *_ = propose("hhcart", E11_X, E11_Y)
    same_line(w, planes[1][0], 1e-8)
    assert gain_of(E11_X, E11_Y, w) == pytest.approx(0.5, abs=1e-12)


def test_the_canonical_directions_of_three_classes():
    directions, correlation = twin.canonical(THREE_X, THREE_Y, np.ones(6))
    np.testing.assert_allclose(correlation, [0.99609155, 0.20458439], rtol=1e-7)
    same_line(directions[:, 0], [0.86240459, -0.50621964], 1e-8)
    w, *_ = propose("cca", THREE_X, THREE_Y)
    assert min(
        np.abs(unit(w) - s * unit(d)).max() for d in directions.T for s in (1, -1)
    ) == pytest.approx(0, abs=1e-8)


def test_the_projection_pursuit_of_three_classes():
    _first, index = twin.pursuit(THREE_X, THREE_Y, np.ones(6))
    assert index == pytest.approx(0.99219838, rel=1e-7)
    _second, index = twin.pursuit(THREE_X, (THREE_Y == 2).astype(int), np.ones(6))
    assert index == pytest.approx(0.82122093, rel=1e-7)
    w, bias, _ = propose("pptree", THREE_X, THREE_Y, cut="own")
    same_line(w, [0.67426936, -0.73848549], 1e-8)
    sign = np.sign(w[0]) / np.linalg.norm(w)
    assert -sign * bias == pytest.approx(2.66095588, rel=1e-7)


def test_the_planes_through_rows_of_e11():
    planes = twin.cart_elc(E11_X)
    assert len(planes) == 15
    w, bias, has_cut = propose("cart_elc", E11_X, E11_Y)
    assert has_cut
    np.testing.assert_allclose(w, [0.44721360, -0.89442719], rtol=1e-7)
    assert bias == pytest.approx(1.34164079, rel=1e-7)
    is_left = E11_X @ w + bias < 0
    assert is_left.tolist() == [True] * 3 + [False] * 3


# --- Against slow twins ---------------------------------------------------------------


def planes_of(method, X, y, weight, **params):
    """Return all directions of a method, by its twin."""
    if method in ("logistic", "svm"):
        return twin.by_margin(method, X, y, weight, *params.values())
    return getattr(twin, method)(X, y, weight, *params.values())


CASES = [
    *((method, {}) for method in LINEAR),
    ("ridge", {"penalty": 30.0}),
    ("logistic", {"penalty": 0.1}),
    ("svm", {"C": 0.05}),
    ("hhcart", {"variant": "A"}),
]


@pytest.mark.parametrize(("method", "params"), CASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weights", ["one", "real"])
def test_a_direction_is_one_of_its_twin_and_as_good_as_any(
    method, params, n_classes, weights
):
    data = random_table(n_classes, n_rows=60, n_columns=4, n_classes=n_classes)
    rng = np.random.default_rng(n_classes)
    # Means that differ, so that directions are no noise.
    X = data.X / np.abs(data.X).max(0) + 0.3 * np.eye(5)[data.y][:, :4]
    weight = np.ones(60) if weights == "one" else rng.uniform(0.1, 3, 60)
    given = None if weights == "one" else weight
    planes = planes_of(method, X, data.y, weight, **params)
    w, *_ = propose(method, X, data.y, given, **params)
    away = [
        np.abs(unit(w) * np.sign(unit(w) @ unit(v)) - unit(v)).max() for v, _ in planes
    ]
    assert min(away) < 2e-6
    best = twin.best_cut("gini", planes, X, data.y, weight)
    assert gain_of(X, data.y, w, weight) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("method", ["ridge", "logistic", "svm", "mpsvm", "pptree"])
def test_an_own_cut_is_where_the_method_says(method):
    data = random_table(1, n_rows=60, n_columns=3, n_classes=3)
    X = data.X / np.abs(data.X).max(0) + 0.3 * np.eye(3)[data.y]
    planes = planes_of(method, X, data.y, np.ones(60))
    w, bias, has_cut = propose(method, X, data.y, cut="own")
    assert has_cut
    gain = twin.hard_score("gini", X @ w + bias < 0, data.y, np.ones(60))
    best = twin.best_own("gini", planes, X, data.y, np.ones(60))
    assert gain == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("shrinkage", [0.1, 1.0])
def test_penalised_pursuit_shrinks_what_columns_share(shrinkage):
    data = random_table(2, n_rows=40, n_columns=4, n_classes=3)
    X = data.X / np.abs(data.X).max(0)
    w, *_ = propose("pptree", X, data.y, index="pda", shrinkage=shrinkage)
    (expected, _), *_ = twin.pptree(X, data.y, np.ones(40), shrinkage)
    same_line(w, expected, 1e-6)


def test_the_heaviest_class_stands_against_the_rest():
    data = random_table(4, n_rows=60, n_columns=3, n_classes=3)
    X = data.X / np.abs(data.X).max(0)
    heaviest = np.bincount(data.y).argmax()
    w, *_ = propose("mpsvm", X, data.y, grouping="largest")
    planes = twin.mpsvm(X, (data.y != heaviest).astype(int), np.ones(60))
    assert any(abs(unit(w) @ unit(v)) > 1 - 1e-9 for v, _ in planes)


@pytest.mark.parametrize("n_points", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_best_of_all_planes_is_found(n_points, n_classes):
    for seed in range(3):
        data = random_table(seed, n_rows=11, n_columns=3, n_classes=n_classes)
        X = data.X / np.abs(data.X).max(0)
        w, bias, _ = propose("cart_elc", X, data.y, n_points=n_points)
        assert np.count_nonzero(w) <= n_points
        is_left = X @ w + bias < 0
        gain = twin.hard_score("gini", is_left, data.y, np.ones(11))
        best = max(
            twin.hard_score("gini", X @ v + b <= 1e-9, data.y, np.ones(11))
            for v, b in twin.cart_elc(X, n_points)
        )
        assert gain == pytest.approx(best, abs=1e-12)


def test_planes_through_one_row_are_the_splits_of_one_column():
    for seed in range(4):
        data = random_table(seed, n_rows=40, n_columns=3, n_classes=3)
        w, bias, _ = propose("cart_elc", data.X, data.y, n_points=1)
        tree = DecisionTreeClassifier(threshold="value", max_depth=1)
        stump = tree.fit(data.X, data.y).tree_
        gain = twin.hard_score("gini", data.X @ w + bias < 0, data.y, np.ones(40))
        assert gain == pytest.approx(stump.gain[0], abs=1e-12)


def test_too_many_planes_are_sampled_by_seed():
    data = random_table(0, n_rows=60, n_columns=4, n_classes=2)
    X = data.X / np.abs(data.X).max(0)
    every, *_ = propose("cart_elc", X, data.y)
    some = [
        propose("cart_elc", X, data.y, max_planes=300, seed=seed)[0]
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(some[0], some[1])
    assert not np.array_equal(some[0], some[2])
    assert gain_of(X, data.y, some[0]) <= gain_of(X, data.y, every) + 0.05
    # Fewer planes than pairs of columns: these are drawn too.
    few, *_ = propose("cart_elc", X, data.y, max_planes=3)
    assert 0 < gain_of(X, data.y, few) <= gain_of(X, data.y, every)


# --- Laws -----------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["one", "real"])
def test_for_two_classes_correlation_fisher_and_ridge_are_one(weights):
    for seed in range(5):
        data = random_table(seed, n_rows=50, n_columns=4, weights=weights)
        given = None if weights == "one" else data.weight
        fisher, *_ = propose("fisher", data.X, data.y, given, ridge=0.0)
        for method, params in (
            ("cca", {}),
            ("ridge", {"penalty": 0.0}),
            ("ridge", {"penalty": 1e-9}),
            ("pptree", {}),
        ):
            w, *_ = propose(method, data.X, data.y, given, **params)
            same_line(w, fisher, 1e-6)


AFFINE = ("ridge", "logistic", "svm", "cca", "pptree", "fisher")


@pytest.mark.parametrize("method", AFFINE)
def test_an_affine_map_of_a_column_changes_its_weight_alone(method):
    params = {"ridge": 0.0} if method == "fisher" else {}
    data = random_table(3, n_rows=60, n_columns=4, n_classes=3)
    X = data.X / np.abs(data.X).max(0)
    factor, shift = np.array([3.0, 1.0, 0.25, 7.0]), np.array([5.0, -2.0, 0.0, 1.0])
    one, *_ = propose(method, X, data.y, **params)
    other, *_ = propose(method, X * factor + shift, data.y, **params)
    same_line(other * factor, one, 1e-6)


@pytest.mark.parametrize("method", ["hhcart", "mpsvm"])
def test_reflections_and_proximal_planes_depend_on_the_scale(method):
    data = random_table(3, n_rows=60, n_columns=4)
    X = data.X / np.abs(data.X).max(0)
    factor = np.array([3.0, 1.0, 0.25, 7.0])
    one, *_ = propose(method, X, data.y)
    other, *_ = propose(method, X * factor, data.y)
    assert abs(unit(other * factor) @ unit(one)) < 1 - 1e-6


@pytest.mark.parametrize("method", [*LINEAR, "cart_elc"])
def test_a_weight_of_two_is_the_row_twice(method):
    data = random_table(5, n_rows=30, n_columns=3, n_classes=3)
    X = data.X / np.abs(data.X).max(0)
    times = np.random.default_rng(0).integers(1, 4, 30)
    rows = np.repeat(np.arange(30), times)
    one, *_ = propose(method, X, data.y, times.astype(float))
    other, *_ = propose(method, X[rows], data.y[rows])
    same_line(one, other, 1e-6)


@pytest.mark.parametrize("method", [*LINEAR, "cart_elc"])
def test_the_order_of_rows_changes_nothing_but_rounding(method):
    data = random_table(6, n_rows=40, n_columns=3, n_classes=3)
    X = data.X / np.abs(data.X).max(0)
    order = np.random.default_rng(0).permutation(40)
    one, *_ = propose(method, X, data.y)
    other, *_ = propose(method, X[order], data.y[order])
    same_line(one, other, 1e-6)


def test_the_best_of_several_methods_wins_and_ties_go_to_the_first():
    names = ["ridge", "fisher", "mpsvm", "logistic", "svm", "hhcart", "cart_elc"]
    for seed in range(6):
        data = random_table(seed, n_rows=60, n_columns=3, n_classes=3)
        X = data.X / np.abs(data.X).max(0) + 0.2 * np.eye(3)[data.y]
        gains = []
        for name in names:
            params = {"superclasses": "ova"} if name == "fisher" else {}
            w, bias, has_cut = propose(name, X, data.y, **params)
            is_left = X @ w + bias < 0
            own = twin.hard_score("gini", is_left, data.y, np.ones(60))
            gains.append(own if has_cut else gain_of(X, data.y, w))
        w, bias, has_cut = propose("heterogeneous", X, data.y, methods=names)
        first = int(np.argmax(np.array(gains) > max(gains) - 1e-12))
        params = {"superclasses": "ova"} if names[first] == "fisher" else {}
        expected, *_ = propose(names[first], X, data.y, **params)
        np.testing.assert_array_equal(w, expected)


def test_a_bootstrap_of_the_node_gives_other_correlations():
    data = random_table(7, n_rows=60, n_columns=4, n_classes=3)
    plain, *_ = propose("cca", data.X, data.y)
    some = [
        propose("cca", data.X, data.y, seed=seed, bootstrap=True)[0]
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(some[0], some[1])
    assert abs(unit(some[0]) @ unit(some[2])) < 1 - 1e-9
    assert abs(unit(some[0]) @ unit(plain)) < 1 - 1e-9


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 40])
def test_axes_of_symmetric_matrices_are_those_of_numpy(n):
    rng = np.random.default_rng(n)
    for rank in {1, max(1, n // 2), n}:
        half = rng.normal(size=(n, rank))
        matrix = half @ half.T
        value, vector = _core.symmetric_eigen(matrix)
        np.testing.assert_allclose(
            value, np.linalg.eigvalsh(matrix)[::-1], atol=1e-11 * (1 + value[0])
        )
        np.testing.assert_allclose(vector @ vector.T, np.eye(n), atol=1e-12)
        np.testing.assert_allclose(
            vector.T @ (value[:, None] * vector), matrix, atol=1e-11 * (1 + value[0])
        )


# --- How good they are ----------------------------------------------------------------

DATA = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}
# Accuracies of the specification (5 folds, seeds 0 to 2, information gain).
EXPECTED = {
    "fisher": (96.00, 96.79, 95.26),
    "ridge": (96.44, 97.17, 95.25),
    "logistic": (95.11, 97.74, 96.54),
    "svm": (95.33, 96.61, 96.31),
    "mpsvm": (95.56, 97.95, 95.08),
    "hhcart": (96.22, 93.07, 93.50),
    "cca": (96.00, 97.74, 95.26),
    "pptree": (96.00, 98.32, 95.26),
}


@pytest.mark.parametrize("method", EXPECTED)
def test_accuracy_is_about_that_of_the_specification(method):
    for name, expected in zip(DATA, EXPECTED[method], strict=True):
        X, y = DATA[name](return_X_y=True)
        params = {"superclasses": "ova"} if method == "fisher" else None
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        model = ObliqueTreeClassifier(method, method_params=params)
        score = 100 * cross_val_score(model, X, y, cv=folds).mean()
        assert score > expected - 3 * math.sqrt(expected * (100 - expected) / len(y))
