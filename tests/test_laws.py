# SPDX-License-Identifier: BSD-3-Clause
"""What must never change a tree: row order, threads, scales, names, storage."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LAWS, Data, random_table, tables
from twins import TWINS

import ramify
from ramify import DecisionTreeClassifier

NAMES = sorted(TWINS)
STRUCTURE = ("children_left", "children_right", "feature")
EVERYTHING = (
    *STRUCTURE,
    "threshold",
    "missing_go_to_left",
    "n_node_samples",
    "weighted_n_node_samples",
    "impurity",
    "value",
    "gain",
)

every_criterion = pytest.mark.parametrize("name", NAMES)


def fit(name: str, data: Data, **params: object) -> DecisionTreeClassifier:
    model = DecisionTreeClassifier(criterion=name, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def assert_equal(one: object, other: object, arrays: tuple = EVERYTHING) -> None:
    """Fail unless two trees have bit for bit the same arrays."""
    __tracebackhide__ = True
    for name in arrays:
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=name
        )


def assert_same_splits(one: object, other: object) -> None:
    """Fail unless two trees split alike; weights may have been rounded differently."""
    __tracebackhide__ = True
    assert_equal(one, other, (*STRUCTURE, "threshold"))
    np.testing.assert_allclose(one.value, other.value, rtol=1e-9, atol=1e-12)
    weight = one.weighted_n_node_samples
    balance = weight[one.children_left] - weight[one.children_right]
    clear = (one.children_left >= 0) & (abs(balance) > 1e-9 * weight)
    np.testing.assert_array_equal(
        one.missing_go_to_left[clear], other.missing_go_to_left[clear]
    )


@every_criterion
@LAWS
@given(data=tables(weights="integer"))
def test_weight_two_is_the_row_twice(name, data):
    times = data.weight.astype(int)
    repeated = Data(*(np.repeat(part, times, axis=0) for part in data))
    repeated = repeated._replace(weight=np.ones(len(repeated.y)))
    once, many = fit(name, data).tree_, fit(name, repeated).tree_
    assert_same_splits(once, many)
    np.testing.assert_allclose(once.gain, many.gain, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        once.weighted_n_node_samples, many.weighted_n_node_samples
    )


@every_criterion
@LAWS
@given(data=tables(), factor=st.sampled_from([0.25, 0.7, 3.0, 1000.0]))
def test_scaling_all_weights_changes_nothing(name, data, factor):
    plain = fit(name, data).tree_
    scaled = fit(name, data._replace(weight=data.weight * factor)).tree_
    assert_same_splits(plain, scaled)
    expected = plain.gain * (factor if name == "chi2" else 1)
    np.testing.assert_allclose(scaled.gain, expected, rtol=1e-8, atol=1e-11)


@every_criterion
@LAWS
@given(data=tables(), rows=st.randoms(use_true_random=False))
def test_rows_of_weight_zero_are_as_good_as_gone(name, data, rows):
    dropped = np.array([rows.random() < 0.3 for _ in data.y])
    kept = data.y[~dropped]
    dropped[~np.isin(data.y, kept)] = False  # every class stays
    lighter = data._replace(weight=np.where(dropped, 0, data.weight))
    without = Data(*(part[~dropped] for part in data))
    assert_same_splits(fit(name, lighter).tree_, fit(name, without).tree_)


@every_criterion
@LAWS
@given(data=tables(), rows=st.randoms(use_true_random=False))
def test_row_order_changes_nothing(name, data, rows):
    order = list(range(len(data.y)))
    rows.shuffle(order)
    shuffled = Data(*(part[order] for part in data))
    plain, other = fit(name, data), fit(name, shuffled)
    assert_equal(plain.tree_, other.tree_)
    np.testing.assert_array_equal(plain.apply(data.X), other.apply(data.X))


@every_criterion
@pytest.mark.parametrize("kind", ["narrow", "wide"])
def test_row_order_changes_nothing_in_big_tables(name, kind):
    data = random_table(
        1,
        n_rows=4000,
        n_classes=2,
        distinct={"narrow": 30, "wide": None}[kind],
        missing=0.05,
    )
    order = np.random.default_rng(0).permutation(len(data.y))
    shuffled = Data(*(part[order] for part in data))
    limits = {"max_depth": 12, "min_samples_leaf": 3}
    assert_equal(fit(name, data, **limits).tree_, fit(name, shuffled, **limits).tree_)


@every_criterion
@LAWS
@given(data=tables())
def test_one_thread_grows_what_two_grow(name, data):
    assert_equal(fit(name, data, n_jobs=1).tree_, fit(name, data, n_jobs=2).tree_)


@every_criterion
@pytest.mark.parametrize("kind", ["narrow", "wide", "best first"])
def test_one_thread_grows_what_two_grow_in_big_tables(name, kind):
    data = random_table(
        2,
        n_rows=12_000,
        n_columns=6,
        n_classes=3,
        distinct={"narrow": 40}.get(kind),
        missing=0.05,
        weights="tenths",
    )
    limits = {"max_leaf_nodes": 60} if kind == "best first" else {"max_depth": 14}
    one, two = (fit(name, data, n_jobs=jobs, **limits) for jobs in (1, 2))
    assert_equal(one.tree_, two.tree_)
    np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X))


@every_criterion
@LAWS
@given(
    data=tables(),
    bend=st.sampled_from([np.exp, np.arctan, lambda x: x**3 + x, lambda x: 5 * x - 1]),
)
def test_strictly_increasing_maps_keep_the_structure(name, data, bend):
    plain, bent = fit(name, data), fit(name, data._replace(X=bend(data.X)))
    assert_equal(plain.tree_, bent.tree_, (*STRUCTURE, "missing_go_to_left", "value"))
    np.testing.assert_array_equal(plain.apply(data.X), bent.apply(bend(data.X)))


@every_criterion
@LAWS
@given(data=tables(), place=st.integers(0, 3), value=st.sampled_from([0.0, -7.5, 1e9]))
def test_a_constant_column_changes_nothing(name, data, place, value):
    place = min(place, data.X.shape[1])
    wider = data._replace(X=np.insert(data.X, place, value, axis=1))
    plain, other = fit(name, data).tree_, fit(name, wider).tree_
    shifted = plain.feature + (plain.feature >= place)
    np.testing.assert_array_equal(other.feature, shifted)
    assert_equal(plain, other, tuple(a for a in EVERYTHING if a != "feature"))


@every_criterion
@LAWS
@given(data=tables())
def test_a_column_without_any_value_changes_nothing(name, data):
    wider = data._replace(X=np.insert(data.X, 0, np.nan, axis=1))
    plain, other = fit(name, data).tree_, fit(name, wider).tree_
    np.testing.assert_array_equal(other.feature, plain.feature + (plain.feature >= 0))
    assert_equal(plain, other, tuple(a for a in EVERYTHING if a != "feature"))


@every_criterion
@LAWS
@given(data=tables())
def test_a_repeated_column_is_never_used(name, data):
    wider = data._replace(X=np.hstack([data.X, data.X]))
    assert_equal(fit(name, data).tree_, fit(name, wider).tree_)


@every_criterion
@LAWS
@given(data=tables(), classes=st.permutations(range(3)))
def test_relabelling_the_classes_permutes_predictions_only(name, data, classes):
    present = np.unique(data.y)
    new_code = np.argsort(np.argsort(np.array(classes)[present]))
    plain = fit(name, data)
    other = fit(name, data._replace(y=new_code[data.y]))
    assert_equal(
        plain.tree_, other.tree_, (*STRUCTURE, "threshold", "missing_go_to_left")
    )
    np.testing.assert_allclose(
        other.predict_proba(data.X)[:, new_code], plain.predict_proba(data.X)
    )


@every_criterion
@LAWS
@given(data=tables())
def test_class_names_do_not_matter(name, data):
    names = np.array(["ant", "bee", "cat"])
    plain = fit(name, data)
    named = fit(name, data._replace(y=names[data.y]))
    assert_equal(plain.tree_, named.tree_)
    np.testing.assert_array_equal(names[plain.predict(data.X)], named.predict(data.X))


@every_criterion
@LAWS
@given(data=tables())
def test_a_saved_tree_loads_and_predicts_the_same(name, data):
    model = fit(name, data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.ramify"
        ramify.save(model, path)
        loaded = ramify.load(path)
    assert_equal(model.tree_, loaded.tree_)
    fresh = np.vstack([data.X, np.full((1, data.X.shape[1]), np.nan)])
    np.testing.assert_array_equal(loaded.apply(fresh), model.apply(fresh))
    np.testing.assert_array_equal(loaded.predict(fresh), model.predict(fresh))
    np.testing.assert_array_equal(
        loaded.predict_proba(fresh), model.predict_proba(fresh)
    )


@every_criterion
@LAWS
@given(data=tables())
def test_a_table_made_once_serves_every_fit(name, data):
    table = ramify.Table(data.X)
    plain = fit(name, data)
    for _ in range(2):
        again = fit(name, data._replace(X=table))
        assert_equal(plain.tree_, again.tree_)
    np.testing.assert_array_equal(again.predict(table), plain.predict(data.X))


@every_criterion
def test_rows_of_a_table_are_those_rows(name):
    data = random_table(5, n_rows=600, n_classes=3, missing=0.1, weights="integer")
    data.X[:, 1] = np.round(data.X[:, 1])
    table = ramify.Table(data.X)
    rng = np.random.default_rng(6)
    for size in (25, 300, 600):
        rows = rng.choice(600, size, replace=False)
        y, weight = data.y[rows], data.weight[rows]
        viewed = fit(name, Data(table[rows], y, weight))
        copied = fit(name, Data(data.X[rows], y, weight))
        assert_same_splits(viewed.tree_, copied.tree_)
        np.testing.assert_array_equal(viewed.predict(table), copied.predict(data.X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int8, bool])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_storage_of_the_numbers_does_not_matter(dtype, order):
    data = random_table(9, distinct=8, n_classes=3)
    values = (data.X > 0) if dtype is bool else np.floor(data.X)
    expected = fit("gini", data._replace(X=values.astype(np.float64)))
    stored = values.astype(dtype)
    if order == "strided":
        stored = np.repeat(np.repeat(stored, 2, axis=0), 3, axis=1)[::2, ::3]
    else:
        stored = np.asarray(stored, order=order)
    before = stored.copy()
    model = fit("gini", data._replace(X=stored))
    assert_equal(model.tree_, expected.tree_)
    np.testing.assert_array_equal(model.predict(stored), expected.predict(values))
    np.testing.assert_array_equal(stored, before)


@pytest.mark.parametrize("name", NAMES)
def test_one_row_one_class_or_equal_rows_give_a_single_leaf(name):
    for X, y in (
        ([[1.0, 2.0]], [0]),
        ([[1.0], [2.0], [3.0]], [1, 1, 1]),
        ([[4.0, 4.0]] * 5, [0, 1, 0, 1, 2]),
        ([[np.nan]] * 4, [0, 1, 0, 1]),
    ):
        model = DecisionTreeClassifier(criterion=name).fit(X, y)
        assert model.tree_.node_count == 1
        assert model.predict(X).tolist() == [min(y)] * len(y)


@pytest.mark.parametrize(
    "n_classes",
    [
        1_000,
        pytest.param(1_500, marks=pytest.mark.slow),
        pytest.param(3_000, marks=pytest.mark.slow),
    ],
)
def test_a_leaf_for_each_of_very_many_classes(n_classes):
    # Small nodes of few classes whose labels are large.
    place = np.repeat(np.arange(float(n_classes)), 2)
    X = np.column_stack([place, np.zeros_like(place)])
    tree = DecisionTreeClassifier().fit(X, place)
    assert tree.get_n_leaves() == n_classes
    np.testing.assert_array_equal(tree.predict(X), place)
