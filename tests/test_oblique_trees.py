# SPDX-License-Identifier: BSD-3-Clause
"""Oblique trees node by node: their terms, their gains, and what must not matter."""

import sys

import interrupting
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_columns import by_criterion
from oracle_oblique import (
    AXIS_IS_FALLBACK,
    METHODS,
    QUICK,
    audit,
    best_line,
    column_shares,
    columns_of,
    hyperplanes,
    slow_apply,
    terms_of,
    visits,
)
from sklearn.datasets import load_iris
from strategies import FEW, Data, Mixed, random_table, tables
from test_own_criterion import numba_gini
from twins import TIE_BREAK, TWINS

import ramify
from ramify import DecisionTreeClassifier, ObliqueTreeClassifier, Tree

IRIS = load_iris(return_X_y=True)
every_method = pytest.mark.parametrize("method", METHODS)


def make(method: str, **params: object) -> ObliqueTreeClassifier:
    """Return an estimator with a fixed seed that searches briefly."""
    own = {**QUICK.get(method, {}), **params.pop("method_params", {})}
    params = {"random_state": 0, **params}
    return ObliqueTreeClassifier(method, method_params=own or None, **params)


def fit(method: str, data: Data, **params: object) -> ObliqueTreeClassifier:
    plain = (data.weight == 1).all()
    model = make(method, **params)
    return model.fit(data.X, data.y, sample_weight=None if plain else data.weight)


def numeric(data: Data) -> Mixed:
    return Mixed(*data, is_categorical=(False,) * data.X.shape[1])


def assert_equal(one: Tree, other: Tree, but: tuple[str, ...] = ()) -> None:
    """Fail unless two trees have bit for bit the same arrays."""
    __tracebackhide__ = True
    for name in Tree.ARRAYS:
        if name not in but:
            np.testing.assert_array_equal(
                getattr(one, name), getattr(other, name), err_msg=name
            )


# --- Every node -----------------------------------------------------------------------


@every_method
@FEW
@given(data=tables(max_rows=24, missing=False))
def test_every_node_holds_what_its_rows_say(method, data):
    tree = fit(method, data).tree_
    audit(tree, numeric(data), "entropy", compare_axis=method not in AXIS_IS_FALLBACK)


@every_method
@pytest.mark.parametrize("scale", ["global", "node", None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_scale_grows_a_sound_tree(method, scale, n_classes):
    data = random_table(n_classes, n_rows=60, n_classes=n_classes, weights="tenths")
    model = fit(method, data, scale=scale)
    audit(
        model.tree_,
        numeric(data),
        "entropy",
        compare_axis=method not in AXIS_IS_FALLBACK,
    )
    np.testing.assert_array_equal(model.apply(data.X), slow_apply(model.tree_, data.X))


@every_method
@pytest.mark.parametrize("compare_axis", [True, False])
def test_the_axis_is_compared_if_asked_for(method, compare_axis):
    for seed in range(2):
        data = random_table(seed, n_rows=50, n_classes=3, distinct=8)
        tree = fit(method, data, compare_axis=compare_axis).tree_
        audit(tree, numeric(data), "entropy", compare_axis=compare_axis)


@every_method
@pytest.mark.parametrize("criterion", ["gini", "hellinger", "gain_ratio"])
def test_any_count_criterion_judges(method, criterion):
    data = random_table(5, n_rows=70, n_classes=3, weights="integer")
    tree = fit(method, data, criterion=criterion, max_depth=4, compare_axis=True).tree_
    audit(tree, numeric(data), criterion, compare_axis=True, max_depth=4)


@every_method
def test_predictions_are_those_of_the_stored_terms(method):
    data = random_table(8, n_rows=150, n_classes=3, n_columns=5)
    model = fit(method, data, max_depth=6)
    assert hyperplanes(model.tree_)
    rng = np.random.default_rng(0)
    fresh = rng.normal(size=(2000, 5)) * 3
    fresh[rng.random(fresh.shape) < 0.05] = np.nan
    leaves = model.apply(fresh)
    np.testing.assert_array_equal(leaves, slow_apply(model.tree_, fresh))
    np.testing.assert_array_equal(
        model.predict_proba(fresh), model.tree_.value[leaves, 0]
    )
    single = fresh.astype(np.float32)
    np.testing.assert_array_equal(
        model.apply(single), slow_apply(model.tree_, single.astype(np.float64))
    )
    path = model.decision_path(fresh)
    assert all(path[i, leaf] == 1 for i, leaf in enumerate(leaves[:50]))


@every_method
def test_single_precision_is_read_as_it_is(method):
    data = random_table(8, n_rows=100, n_classes=3, n_columns=4)
    single = data.X.astype(np.float32)
    model = make(method).fit(single, data.y)
    exact = single.astype(np.float64)
    audit(model.tree_, numeric(data._replace(X=exact)), "entropy")
    np.testing.assert_array_equal(model.apply(single), slow_apply(model.tree_, exact))


@every_method
def test_a_row_on_the_threshold_goes_left(method):
    # In training the threshold may be the value of a row; that row is in the left leaf.
    data = random_table(11, n_rows=80, n_classes=2, distinct=6)
    model = fit(method, data)
    counts = np.bincount(model.apply(data.X), minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left < 0
    np.testing.assert_array_equal(counts[is_leaf], model.tree_.n_node_samples[is_leaf])


@every_method
def test_importances_divide_the_gain_by_weight_times_range(method):
    data = random_table(4, n_rows=120, n_classes=3, n_columns=4, weights="real")
    model = fit(method, data, max_depth=4)
    importances = model.feature_importances_
    np.testing.assert_allclose(importances.sum(), 1)
    np.testing.assert_allclose(
        importances, column_shares(model.tree_, numeric(data)), atol=1e-9
    )
    for node in hyperplanes(model.tree_):
        part = slice(*model.tree_.term_begin[[node, node + 1]])
        share = model.tree_.term_share[part]
        np.testing.assert_allclose(share.sum(), 1)
        largest = model.tree_.term_column[part][share.argmax()]
        assert model.tree_.feature[node] == largest


def test_oc1_leaves_the_axis_only_for_a_better_split():
    for seed in range(3):
        data = random_table(seed, n_rows=80, n_classes=3, distinct=6)
        tree = fit("oc1", data).tree_
        judge = by_criterion("entropy")
        for number, _, node, _ in visits(tree, numeric(data)):
            if tree.kind[number] == Tree.HYPERPLANE:
                best = max(offer.score.max() for offer in judge(node).values())
                assert tree.gain[number] > best + 1e-12


# --- Limits ---------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("max_terms", [1, 2, 3])
def test_no_direction_has_more_terms_than_allowed(method, max_terms):
    data = random_table(2, n_rows=120, n_classes=3, n_columns=6)
    tree = fit(method, data, max_terms=max_terms, compare_axis=False).tree_
    audit(tree, numeric(data), "entropy")
    sizes = [len(columns_of(tree, node)) for node in hyperplanes(tree)]
    assert all(size <= max_terms for size in sizes)
    if max_terms > 1 and not (method == "cart_elc" and max_terms == 3):  # through two
        assert max(sizes) == max_terms


@every_method
def test_only_columns_of_one_group_are_combined(method):
    data = random_table(3, n_rows=120, n_classes=3, n_columns=6)
    groups = [[0, 1], [2, 3, 4]]
    tree = fit(method, data, combine=groups, compare_axis=False).tree_
    audit(tree, numeric(data), "entropy")
    assert hyperplanes(tree)
    for node in hyperplanes(tree):
        used = set(columns_of(tree, node))
        assert len(used) == 1 or any(used <= set(group) for group in groups), used


@every_method
def test_groups_may_be_named(method):
    pd = pytest.importorskip("pandas")
    data = random_table(3, n_rows=100, n_classes=2, n_columns=4)
    frame = pd.DataFrame(data.X, columns=["age", "income", "height", "weight"])
    model = make(method, combine=[["age", "income"], ["height", "weight"]])
    named = model.fit(frame, data.y).tree_
    numbered = make(method, combine=[[0, 1], [2, 3]]).fit(data.X, data.y).tree_
    assert_equal(named, numbered)


@every_method
@pytest.mark.parametrize("max_features", [1, 2, 0.5])
def test_a_direction_uses_no_more_columns_than_drawn(method, max_features):
    data = random_table(6, n_rows=120, n_classes=3, n_columns=6)
    model = fit(method, data, max_features=max_features)
    for node in hyperplanes(model.tree_):
        assert len(columns_of(model.tree_, node)) <= model.max_features_
    audit(model.tree_, numeric(data), "entropy", least=np.inf)
    seen = {tuple(columns_of(model.tree_, node)) for node in hyperplanes(model.tree_)}
    if max_features != 1 and len(hyperplanes(model.tree_)) > 5:
        assert len(seen) > 1  # drawn anew at each node


@every_method
def test_the_limits_of_ordinary_trees_hold(method):
    data = random_table(9, n_rows=200, n_classes=3, weights="integer")
    tree = fit(method, data, min_samples_leaf=9).tree_
    assert tree.n_node_samples[tree.children_left < 0].min() >= 9
    tree = fit(method, data, min_weight_fraction_leaf=0.1).tree_
    leaves = tree.children_left < 0
    assert tree.weighted_n_node_samples[leaves].min() >= 0.1 * data.weight.sum()
    assert fit(method, data, max_depth=2).get_depth() == 2
    assert 2 <= fit(method, data, max_leaf_nodes=5).get_n_leaves() <= 5
    tree = fit(method, data, min_samples_split=60).tree_
    assert tree.n_node_samples[tree.children_left >= 0].min() >= 60
    tree = fit(method, data, min_impurity_decrease=0.05).tree_
    inner = tree.children_left >= 0
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    assert (share * tree.gain)[inner].min(initial=1) >= 0.05
    full, pruned = fit(method, data), fit(method, data, ccp_alpha=0.02)
    assert pruned.get_n_leaves() < full.get_n_leaves()
    np.testing.assert_array_equal(
        pruned.apply(data.X), slow_apply(pruned.tree_, data.X)
    )


@every_method
def test_best_first_grows_the_same_splits_as_depth_first(method):
    data = random_table(9, n_rows=80, n_classes=2)
    plain, first = fit(method, data), fit(method, data, max_leaf_nodes=1000)
    np.testing.assert_array_equal(plain.predict(data.X), first.predict(data.X))
    assert plain.get_n_leaves() == first.get_n_leaves()


# --- What must not matter -------------------------------------------------------------


@every_method
@FEW
@given(data=tables(max_rows=24))
def test_one_thread_grows_what_two_grow(method, data):
    assert_equal(fit(method, data, n_jobs=1).tree_, fit(method, data, n_jobs=2).tree_)


@every_method
def test_one_thread_grows_what_two_grow_in_big_tables(method):
    data = random_table(2, n_rows=6000, n_classes=3, n_columns=5, weights="tenths")
    own = {"n_starts": 1, "n_kicks": 1} if method in ("oc1", "oc1r") else {}
    one, two = (
        fit(method, data, n_jobs=jobs, max_depth=3, method_params=own)
        for jobs in (1, 2)
    )
    assert_equal(one.tree_, two.tree_)
    np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X))


@every_method
def test_one_random_state_grows_one_tree(method):
    data = random_table(1, n_rows=100, n_classes=3)
    trees = [fit(method, data, random_state=seed).tree_ for seed in (7, 7, 8, 9, 10)]
    assert_equal(trees[0], trees[1])
    is_random = method in ("wodt", "oc1r", "cart_lcr", "co2r", "random_sparse")
    if is_random:
        sizes = {(tree.node_count, *tree.threshold) for tree in trees[1:]}
        assert len(sizes) > 1
    if method in ("cart_lc", "dgmml_mdt", "fisher"):
        assert_equal(trees[1], trees[2])


@every_method
def test_a_saved_tree_loads_and_predicts_the_same(method, tmp_path):
    data = random_table(4, n_rows=100, n_classes=3, missing=0.1)
    model = fit(method, data)
    assert hyperplanes(model.tree_)
    ramify.save(model, tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    assert isinstance(loaded, ObliqueTreeClassifier)
    assert_equal(model.tree_, loaded.tree_)
    rng = np.random.default_rng(0)
    fresh = rng.normal(size=(500, 3))
    fresh[rng.random(fresh.shape) < 0.2] = np.nan
    np.testing.assert_array_equal(loaded.apply(fresh), model.apply(fresh))
    np.testing.assert_array_equal(
        loaded.predict_proba(fresh), model.predict_proba(fresh)
    )


@every_method
@FEW
@given(
    data=tables(max_rows=20), place=st.integers(0, 3), value=st.sampled_from([0.0, 1e9])
)
def test_a_constant_column_changes_nothing(method, data, place, value):
    place = min(place, data.X.shape[1])
    wider = data._replace(X=np.insert(data.X, place, value, axis=1))
    plain, other = fit(method, data).tree_, fit(method, wider).tree_
    assert_equal(plain, other, but=("feature", "term_column"))
    for name in ("feature", "term_column"):
        old = getattr(plain, name)
        np.testing.assert_array_equal(getattr(other, name), old + (old >= place))


@every_method
def test_a_column_that_doubles_halves_its_weights(method):
    # Powers of two are exact: the same tree, weights aside, where columns are scaled.
    data = random_table(3, n_rows=80, n_classes=3, n_columns=4)
    factors = np.array([4.0, 0.5, 1.0, 1024.0])
    one = fit(method, data, scale="global")
    two = fit(method, data._replace(X=data.X * factors), scale="global")
    np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X * factors))


AFFINE = ("wodt", "co2", "co2r", "fisher", "ridge", "logistic", "svm", "cca", "pptree")


@pytest.mark.parametrize("method", AFFINE)
def test_affine_maps_leave_the_tree_as_it_was(method):
    agree = []
    for seed in range(4):
        data = random_table(seed, n_rows=80, n_classes=2)
        bent = data._replace(X=data.X * [3.7, 0.01, 55.0] + [-2.0, 1.0, 17.0])
        one, two = fit(method, data), fit(method, bent)
        agree.append(np.mean(one.apply(data.X) == two.apply(bent.X)))
    assert np.median(agree) == 1


EXACT = ("cart_lc", "fisher", "dgmml_mdt", "ridge", "cca", "pptree")


@pytest.mark.parametrize("method", EXACT)
def test_row_order_changes_no_prediction(method):
    for seed in range(4):
        data = random_table(seed, n_rows=80, n_classes=3)
        order = np.random.default_rng(seed).permutation(80)
        one, two = fit(method, data), fit(method, Data(*(p[order] for p in data)))
        np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X))


@pytest.mark.parametrize("method", EXACT)
def test_relabelling_the_classes_permutes_predictions(method):
    for seed in range(4):
        data = random_table(seed, n_rows=80, n_classes=2)
        one = fit(method, data)
        two = fit(method, data._replace(y=1 - data.y))
        np.testing.assert_array_equal(one.predict(data.X), 1 - two.predict(data.X))


@pytest.mark.parametrize("method", [*EXACT, "cart_lcr", "random_sparse", "wodt"])
def test_weight_two_is_the_row_twice(method):
    # The gap of dGMML counts rows, and Fisher asks if there are more columns than
    # rows: other settings, and no small nodes.
    own = {"split_point": "mean"} if method == "dgmml_mdt" else {}
    for seed in range(3):
        data = random_table(seed, n_rows=60, n_classes=2, weights="integer")
        times = data.weight.astype(int)
        many = Data(*(np.repeat(part, times, axis=0) for part in data))
        many = many._replace(weight=np.ones(len(many.y)))
        one, two = (
            fit(method, d, method_params=own, max_depth=2) for d in (data, many)
        )
        np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X))
        np.testing.assert_allclose(one.tree_.gain, two.tree_.gain, rtol=1e-7)


# Their penalty is weighed against numbers of rows.
COUNT_ROWS = ("ridge", "logistic", "svm", "heterogeneous")


@pytest.mark.parametrize("method", [m for m in METHODS if m not in COUNT_ROWS])
def test_scaling_all_weights_by_a_power_of_two_changes_nothing(method):
    data = random_table(5, n_rows=70, n_classes=3, weights="integer")
    one = fit(method, data)
    two = fit(method, data._replace(weight=data.weight * 4))
    np.testing.assert_array_equal(one.apply(data.X), two.apply(data.X))


@every_method
def test_rows_of_weight_zero_are_as_good_as_gone(method):
    data = random_table(5, n_rows=70, n_classes=3, weights="integer")
    kept = np.arange(70) % 4 != 0
    lighter = data._replace(weight=np.where(kept, data.weight, 0))
    without = Data(*(part[kept] for part in data))
    assert_equal(fit(method, lighter).tree_, fit(method, without).tree_)


@every_method
def test_class_names_do_not_matter(method):
    data = random_table(5, n_rows=70, n_classes=3)
    names = np.array(["ant", "bee", "cat"])
    plain, named = fit(method, data), fit(method, data._replace(y=names[data.y]))
    assert_equal(plain.tree_, named.tree_)
    np.testing.assert_array_equal(names[plain.predict(data.X)], named.predict(data.X))


@every_method
def test_one_row_one_class_or_equal_rows_give_a_single_leaf(method):
    for X, y in (
        ([[1.0, 2.0]], [0]),
        ([[1.0, 4.0], [2.0, 5.0], [3.0, 1.0]], [1, 1, 1]),
        ([[4.0, 4.0]] * 5, [0, 1, 0, 1, 2]),
        ([[np.nan, np.nan]] * 4, [0, 1, 0, 1]),
    ):
        model = make(method).fit(X, y)
        assert model.tree_.node_count == 1
        assert model.predict(X).tolist() == [min(y)] * len(y)


@every_method
def test_two_rows_are_told_apart(method):
    model = make(method).fit([[1.0, 7.0], [2.0, 5.0]], ["a", "b"])
    assert model.predict([[1.0, 7.0], [2.0, 5.0]]).tolist() == ["a", "b"]


# --- Sparse directions ----------------------------------------------------------------


def n_terms(tree: Tree) -> float:
    """Return the mean number of columns of a split."""
    inner = np.flatnonzero(tree.children_left >= 0)
    return float(np.mean([max(1, len(columns_of(tree, node))) for node in inner]))


def test_no_penalty_is_plain_wodt():
    for seed in range(3):
        data = random_table(seed, n_rows=100, n_classes=3, n_columns=4)
        plain = fit("wodt", data, max_depth=3)
        sparse = fit("wodt_l1", data, max_depth=3, method_params={"penalty": 0.0})
        np.testing.assert_array_equal(plain.apply(data.X), sparse.apply(data.X))


def test_a_larger_penalty_leaves_fewer_terms():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    y = (X[:, 0] - 0.7 * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    sizes = []
    for penalty in (0.0, 1e-3, 1e-2, 1e-1):
        model = make("wodt_l1", method_params={"penalty": penalty}, max_depth=1)
        sizes.append(n_terms(model.fit(X, y).tree_))
    assert sizes[0] == 20
    assert sizes[1] < 20
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[2] <= 6


def test_a_huge_penalty_leaves_the_axis():
    data = random_table(0, n_rows=100, n_classes=2, n_columns=4)
    model = fit("wodt_l1", data, method_params={"penalty": 1e6})
    assert hyperplanes(model.tree_) == []
    axis = DecisionTreeClassifier("entropy").fit(data.X, data.y)
    np.testing.assert_array_equal(model.predict(data.X), axis.predict(data.X))


def test_the_refit_of_the_active_columns_helps():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 10))
    y = (X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=300) > 0).astype(int)
    gains = [
        make("wodt_l1", method_params={"penalty": 0.05, "debias": debias}, max_depth=1)
        .fit(X, y)
        .tree_.gain[0]
        for debias in (True, False)
    ]
    assert gains[0] >= gains[1] - 1e-9


# --- Parameters of the methods --------------------------------------------------------

OPTIONS = [
    ("wodt", {"cut": "scan"}),
    ("wodt", {"n_restarts": 0, "max_iter": 5, "memory": 2, "tol": 0.1}),
    ("wodt_l1", {"penalty": 0.01, "debias": False, "cut": "scan"}),
    ("oc1", {"order": "best_first"}),
    ("oc1", {"order": "random", "n_random_steps": 10}),
    ("oc1", {"n_kicks": 0, "n_starts": 1}),
    ("oc1r", {"order": "best_first", "n_starts": 1}),
    ("cart_lc", {"standardize": False}),
    ("cart_lc", {"backward_deletion": 0.2}),
    ("cart_lcr", {"max_cycles": 1, "tol": 0.1}),
    ("co2", {"nu": 0.1, "eta": 0.03, "decay": True}),
    ("co2r", {"nu": 100.0, "max_outer": 2, "tol": 0.1}),
    ("dgmml_mdt", {"split_point": "median"}),
    ("dgmml_mdt", {"split_point": "mean", "signed": False}),
    ("dgmml_mdt", {"n_gap_points": 4}),
    ("fisher", {"superclasses": "ova"}),
    ("fisher", {"ridge": 1.0}),
    ("random_sparse", {"n_directions": 5, "n_terms": 2}),
    ("random_sparse", {"density": 0.5, "binary": False}),
    ("ridge", {"penalty": 0.0, "cut": "own"}),
    ("logistic", {"penalty": 0.1, "cut": "own"}),
    ("svm", {"C": 10.0, "cut": "own"}),
    ("mpsvm", {"grouping": "largest", "cut": "own"}),
    ("mpsvm", {"delta": 1.0}),
    ("hhcart", {"variant": "A"}),
    ("cca", {"bootstrap": True}),
    ("pptree", {"index": "pda", "shrinkage": 0.5}),
    ("pptree", {"cut": "own"}),
    ("cart_elc", {"n_points": 1}),
    ("cart_elc", {"n_points": 3, "max_planes": 500}),
    ("heterogeneous", {"methods": ["fisher", "cca"]}),
    ("heterogeneous", {"methods": ["oc1", "wodt", "random_sparse", "cart_lcr"]}),
]


@pytest.mark.parametrize(("method", "own"), OPTIONS, ids=str)
def test_every_option_of_a_method_grows_a_sound_tree(method, own):
    data = random_table(7, n_rows=50, n_classes=3, n_columns=4, weights="tenths")
    model = fit(method, data, method_params=own, compare_axis=True)
    audit(model.tree_, numeric(data), "entropy", compare_axis=True)


def test_a_scanned_cut_gains_no_less_than_the_sign():
    for seed in range(4):
        data = random_table(seed, n_rows=100, n_classes=3)
        sign, scan = (
            fit("wodt", data, max_depth=1, method_params={"cut": cut}).tree_.gain[0]
            for cut in ("sign", "scan")
        )
        assert scan >= sign - 1e-12


def test_backward_deletion_drops_columns():
    data = random_table(1, n_rows=150, n_classes=2, n_columns=8)
    sizes = [
        n_terms(
            fit(
                "cart_lc",
                data,
                max_depth=1,
                compare_axis=False,
                method_params={"backward_deletion": beta},
            ).tree_
        )
        for beta in (0.0, 0.2)
    ]
    assert sizes[1] < sizes[0]


def test_small_nodes_are_not_searched_by_oc1_unless_asked():
    data = random_table(1, n_rows=120, n_classes=3, n_columns=5)
    own = {"n_starts": 2, "min_samples_oblique": None}
    tree = fit("oc1", data, method_params=own).tree_
    assert hyperplanes(tree)
    assert all(tree.n_node_samples[node] > 10 for node in hyperplanes(tree))
    own["min_samples_oblique"] = 60
    tree = fit("oc1", data, method_params=own).tree_
    assert all(tree.n_node_samples[node] > 60 for node in hyperplanes(tree))


def test_more_starts_find_no_worse_splits():
    data = random_table(3, n_rows=100, n_classes=3, n_columns=4)
    few, many = (
        fit("oc1", data, max_depth=1, method_params={"n_starts": n}).tree_.gain[0]
        for n in (1, 20)
    )
    assert many >= few - 1e-12


@pytest.mark.parametrize("method", ["oc1", "oc1r"])
def test_oc1_finds_the_best_line_of_a_small_plane(method):
    for seed in range(3):
        data = random_table(seed, n_rows=16, n_classes=2 + seed % 2, n_columns=2)
        own = {"n_starts": 20, "n_kicks": 5}
        gain = fit(method, data, max_depth=1, method_params=own).tree_.gain[0]
        best = best_line("entropy", data.X, data.y, data.weight)
        np.testing.assert_allclose(gain, best)


def test_unit_weights_of_random_directions():
    data = random_table(3, n_rows=100, n_classes=3, n_columns=6)
    own = {"n_terms": 2, "n_directions": 20}
    tree = fit("random_sparse", data, method_params=own, scale=None).tree_
    assert hyperplanes(tree)
    for node in hyperplanes(tree):
        terms = terms_of(tree, node)
        assert len(terms.column) <= 2
        size = np.abs(terms.weight)
        np.testing.assert_allclose(size, size[0], rtol=1e-9)


# --- Criteria of one's own ------------------------------------------------------------


@every_method
@pytest.mark.parametrize("name", ["entropy", "gini", "hellinger"])
def test_the_twin_of_a_criterion_grows_the_same_tree(method, name):
    data = random_table(6, n_rows=60, n_classes=3, weights="integer")
    mine = ramify.criteria.function(TWINS[name], tie_break=TIE_BREAK.get(name))
    built_in = fit(method, data, criterion=name, max_depth=3).tree_
    own = fit(method, data, criterion=mine, max_depth=3).tree_
    np.testing.assert_array_equal(own.children_left, built_in.children_left)
    np.testing.assert_array_equal(own.n_node_samples, built_in.n_node_samples)
    np.testing.assert_allclose(own.gain, built_in.gain, rtol=1e-9)
    audit(own, numeric(data), TWINS[name], max_depth=3)


@every_method
def test_a_compiled_criterion_grows_the_tree_of_its_twin(method):
    data = random_table(6, n_rows=60, n_classes=3, weights="integer")
    built_in = fit(method, data, criterion="gini", max_depth=3).tree_
    own = fit(method, data, criterion=numba_gini, max_depth=3).tree_
    np.testing.assert_array_equal(own.n_node_samples, built_in.n_node_samples)
    np.testing.assert_allclose(own.gain, built_in.gain, rtol=1e-9)


@every_method
def test_an_exception_of_a_function_arrives(method):
    def judge(parent, left, right):
        raise RuntimeError("no opinion")

    with pytest.raises(RuntimeError, match="no opinion"):
        make(method, criterion=judge).fit(*IRIS)


def test_a_function_that_refuses_all_leaves_one_leaf():
    def refuse(parent, left, right):
        return np.full(len(left), -np.inf)

    for method in METHODS:
        assert make(method, criterion=refuse).fit(*IRIS).get_n_leaves() == 1


# --- Interruption ---------------------------------------------------------------------

SCRIPT = """
import numpy as np
from ramify import ObliqueTreeClassifier

rng = np.random.default_rng(0)
X, y = rng.normal(size=({n}, 40)), rng.integers(0, 5, {n})
interrupt_soon()
try:
    ObliqueTreeClassifier({method!r}, n_jobs={n_jobs}).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
    print(ObliqueTreeClassifier().fit(X[:99], y[:99]).get_n_leaves() > 1)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
@pytest.mark.parametrize(
    ("method", "n_jobs", "n"), [("wodt", 1, 200_000), ("oc1", 2, 20_000)]
)
def test_an_interrupt_stops_a_long_fit(method, n_jobs, n):
    script = SCRIPT.format(method=method, n_jobs=n_jobs, n=n)
    assert interrupting.run(script) == "interrupted\nTrue\n"
