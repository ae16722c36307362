# SPDX-License-Identifier: BSD-3-Clause
"""What happens to rows without a value: one side, every side, or an error."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_columns import (
    NARY,
    SHARED,
    Rules,
    audit,
    by_criterion,
    slow_apply,
    slow_proba,
)
from strategies import LAWS, Mixed, mixed_tables, random_mixed
from twins import TWINS

from ramify import DecisionTreeClassifier

NAMES = sorted(TWINS)
every_criterion = pytest.mark.parametrize("name", NAMES)
MODES = ["both", "left", "right", "fractional"]

SMALL = {
    "numbers": {"kinds": "nn", "missing": 0.2, "n_classes": 3},
    "categories": {"kinds": "cc", "levels": 6, "missing": 0.2, "n_classes": 3},
    "two classes": {"kinds": "cnc", "levels": 7, "missing": 0.3},
    "weights": {"kinds": "ncn", "missing": 0.3, "weights": "tenths", "n_classes": 4},
    "nothing missing": {"kinds": "cn", "levels": 6, "n_classes": 3},
}


def fit(criterion: object, data: Mixed, **params: object) -> DecisionTreeClassifier:
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = DecisionTreeClassifier(criterion, categorical_features=columns, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def assert_exact(name: str, data: Mixed, categories: str, missing: str) -> None:
    """Fail unless each node of the engine's tree has the best split in its mode."""
    __tracebackhide__ = True
    tree = fit(name, data, categories=categories, missing=missing).tree_
    judge = by_criterion(name, Rules(categories, missing))
    zero_gain = name == "misclassification"
    audit(tree, data, judge, missing=missing, zero_gain=zero_gain)


def with_gaps(seed: int, **params: object) -> np.ndarray:
    """Return fresh rows with many gaps and some categories that are new."""
    return random_mixed(seed, n_rows=80, missing=0.4, levels=9, **params).X


@pytest.mark.parametrize("missing", ["left", "right", "fractional"])
@pytest.mark.parametrize("kind", SMALL)
@every_criterion
def test_every_node_has_the_best_split_of_its_mode(name, kind, missing):
    assert_exact(name, random_mixed(0, n_rows=40, **SMALL[kind]), "subset", missing)


@every_criterion
@LAWS
@given(
    data=mixed_tables(max_rows=20),
    categories=st.sampled_from(["subset", "one_vs_rest"]),
    missing=st.sampled_from(["left", "right", "fractional"]),
)
def test_small_tables_full_of_gaps_have_the_best_splits(
    name, data, categories, missing
):
    assert_exact(name, data, categories, missing)


@pytest.mark.parametrize("name", sorted(NARY))
@LAWS
@given(data=mixed_tables(max_rows=20))
def test_small_tables_full_of_gaps_have_the_best_many_branches(name, data):
    assert_exact(name, data, "multiway", "fractional")


# --- One side -------------------------------------------------------------------------


@pytest.mark.parametrize(("missing", "branch"), [("left", 0), ("right", 1)])
def test_missing_rows_go_where_they_are_told(missing, branch):
    data = random_mixed(0, kinds="cncn", missing=0.2, n_classes=3)
    model = fit("gini", data, missing=missing)
    tree = model.tree_
    assert (tree.missing_branch[tree.feature >= 0] == branch).all()
    side = "children_left" if missing == "left" else "children_right"
    children = tree.array(side)
    leaf = 0
    while children[leaf] >= 0:
        leaf = children[leaf]
    assert model.apply(np.full((1, 4), np.nan))[0] == leaf


@pytest.mark.parametrize("missing", ["left", "right"])
def test_a_side_is_named_by_the_lowest_known_category(missing):
    # The missing rows look like category 1, the right side.
    x = np.array([0, 0, 0, 1, 1, 1, np.nan, np.nan])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    data = Mixed(x[:, None], y, np.ones(8), (True,))
    tree = fit("gini", data, missing=missing, max_depth=1).tree_
    n_left = 5 if missing == "left" else 3
    assert tree.n_node_samples.tolist() == [8, n_left, 8 - n_left]


# --- Every side -----------------------------------------------------------------------


def test_shared_rows_count_in_proportion_to_the_branches():
    # Known: 3 rows left, 1 row right; the two missing rows go 3 : 1.
    x = np.array([1.0, 1.0, 1.0, 2.0, np.nan, np.nan])
    y = np.array([0, 0, 0, 1, 0, 1])
    model = DecisionTreeClassifier(missing="fractional", max_depth=1).fit(x[:, None], y)
    tree = model.tree_
    # Gini gain 3/8 of the known rows, which are 2/3 of all.
    assert tree.gain[0] == pytest.approx(3 / 8 * 2 / 3)
    np.testing.assert_allclose(tree.weighted_n_node_samples, [6, 4.5, 1.5])
    np.testing.assert_allclose(
        tree.value[:, 0], [[4 / 6, 2 / 6], [3.75 / 4.5, 0.75 / 4.5], [1 / 6, 5 / 6]]
    )
    assert tree.missing_branch[0] == SHARED
    np.testing.assert_allclose(
        model.predict_proba([[np.nan], [1.0], [9.0]]),
        [[4 / 6, 2 / 6], [5 / 6, 1 / 6], [1 / 6, 5 / 6]],
    )
    assert model.apply([[np.nan]])[0] == 1


@pytest.mark.parametrize("categories", ["subset", "one_vs_rest"])
@every_criterion
def test_predictions_are_means_over_the_branches(name, categories):
    data = random_mixed(2, kinds="cnc", missing=0.2, n_classes=3)
    model = fit(name, data, missing="fractional", categories=categories)
    fresh = with_gaps(3, kinds="cnc")
    expected = slow_proba(model.tree_, fresh)
    np.testing.assert_allclose(model.predict_proba(fresh), expected, atol=1e-12)
    top = np.sort(expected, axis=1)
    sure = top[:, -1] - top[:, -2] > 1e-9
    np.testing.assert_array_equal(model.predict(fresh)[sure], expected.argmax(1)[sure])
    np.testing.assert_array_equal(model.apply(fresh), slow_apply(model.tree_, fresh))


def test_smoothed_leaves_are_averaged_too():
    data = random_mixed(4, kinds="cnc", missing=0.2, n_classes=3)
    model = fit("gini", data, missing="fractional", laplace=True)
    fresh = with_gaps(5, kinds="cnc")

    class Smoothed:
        def __getattr__(self, name: str) -> object:
            return getattr(model.tree_, name)

        @property
        def value(self) -> np.ndarray:
            weight = model.tree_.weighted_n_node_samples[:, None, None]
            return (model.tree_.value * weight + 1) / (weight + 3)

    np.testing.assert_allclose(
        model.predict_proba(fresh), slow_proba(Smoothed(), fresh), atol=1e-12
    )


@every_criterion
def test_without_gaps_sharing_changes_nothing_but_predictions_of_gaps(name):
    data = random_mixed(6, kinds="cnc", n_classes=3, weights="integer")
    one, other = (fit(name, data, missing=mode) for mode in ("both", "fractional"))
    for array in ("feature", "threshold", "split_value", "split_branch", "value"):
        np.testing.assert_array_equal(
            getattr(one.tree_, array), getattr(other.tree_, array)
        )
    np.testing.assert_array_equal(
        one.predict_proba(data.X), other.predict_proba(data.X)
    )
    inner = other.tree_.feature >= 0
    assert (other.tree_.missing_branch[inner] == SHARED).all()


def test_shared_rows_grow_depth_first_only():
    data = random_mixed(7, kinds="cnc", missing=0.2, n_classes=3)
    with pytest.raises(ValueError, match=r"max_leaf_nodes=5.*fractional"):
        fit("gini", data, missing="fractional", max_leaf_nodes=5)


def test_shared_rows_respect_the_least_weight_of_a_leaf():
    data = random_mixed(8, n_rows=100, kinds="cnc", missing=0.2, n_classes=3)
    for limits in ({"min_weight_fraction_leaf": 0.1}, {"min_samples_leaf": 8}):
        tree = fit("gini", data, missing="fractional", **limits).tree_
        leaves = tree.children_left < 0
        assert tree.n_leaves > 2
        if "min_samples_leaf" in limits:
            assert (tree.n_node_samples[leaves] >= 8).all()
        else:
            assert (tree.weighted_n_node_samples[leaves] >= 10 - 1e-9).all()


def test_one_thread_shares_rows_as_two_do():
    data = random_mixed(9, n_rows=3000, kinds="cnccn", missing=0.1, n_classes=3)
    one, two = (
        fit("entropy", data, missing="fractional", min_samples_leaf=20, n_jobs=jobs)
        for jobs in (1, 2)
    )
    for array in ("feature", "threshold", "split_branch", "value", "gain"):
        np.testing.assert_array_equal(
            getattr(one.tree_, array), getattr(two.tree_, array)
        )
    np.testing.assert_array_equal(one.predict_proba(data.X), two.predict_proba(data.X))


# --- An error -------------------------------------------------------------------------


@pytest.mark.parametrize("column", [0, 1])
def test_a_gap_is_an_error_if_asked_for(column):
    data = random_mixed(0, kinds="nc")
    model = fit("gini", data, missing="error")
    np.testing.assert_array_equal(
        model.predict(data.X), fit("gini", data).predict(data.X)
    )
    X = data.X.copy()
    X[7, column] = np.nan
    for method in (model.predict, model.predict_proba, model.apply):
        with pytest.raises(ValueError, match=f"x{column}|column {column}"):
            method(X)
    with pytest.raises(ValueError, match=f"x{column}|column {column}"):
        fit("gini", data._replace(X=X), missing="error")


def test_a_gap_in_a_named_column_is_an_error_with_its_name():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "city": ["Oslo", "Bergen", None]})
    with pytest.raises(ValueError, match="city"):
        DecisionTreeClassifier(missing="error").fit(frame, [0, 1, 1])
    frame["city"] = ["Oslo", "Bergen", "Oslo"]
    model = DecisionTreeClassifier(missing="error").fit(frame, [0, 1, 1])
    frame["age"] = [1.0, np.nan, 3.0]
    with pytest.raises(ValueError, match="age"):
        model.predict(frame)


@pytest.mark.parametrize("mode", ["Both", "", None, 1, "surrogates"])
def test_an_unknown_mode_is_named_in_the_error(mode):
    with pytest.raises(ValueError, match="missing"):
        DecisionTreeClassifier(missing=mode).fit([[1.0], [2.0]], [0, 1])


# --- Gaps and categories that training never saw --------------------------------------


@pytest.mark.parametrize("missing", MODES)
@every_criterion
def test_gaps_only_at_prediction_work_in_every_mode(name, missing):
    data = random_mixed(1, kinds="ncn", n_classes=3)
    model = fit(name, data, missing=missing)
    fresh = with_gaps(2, kinds="ncn")
    np.testing.assert_allclose(
        model.predict_proba(fresh), slow_proba(model.tree_, fresh), atol=1e-12
    )


@pytest.mark.parametrize("missing", MODES)
def test_new_categories_can_be_treated_as_missing(missing):
    data = random_mixed(2, kinds="cnc", levels=5, missing=0.1, n_classes=3)
    fresh = with_gaps(3, kinds="cnc")
    new = np.zeros(fresh.shape, dtype=bool)
    new[:, [0, 2]] = fresh[:, [0, 2]] > 4
    assert new.any()
    model = fit("gini", data, missing=missing, unseen="missing")
    gone = np.where(new, np.nan, fresh)
    np.testing.assert_array_equal(model.predict_proba(fresh), model.predict_proba(gone))

    model = fit("gini", data, missing=missing, unseen="error")
    model.predict(np.where(new, 0, fresh))
    with pytest.raises(ValueError, match=r"unseen|not seen"):
        model.predict(fresh)


@every_criterion
@pytest.mark.parametrize("missing", MODES)
def test_a_column_without_any_value_is_never_used(name, missing):
    data = random_mixed(3, kinds="cnc", n_classes=3)
    X = data.X.copy()
    X[:, 2] = np.nan
    empty = data._replace(X=X)
    tree = fit(name, empty, missing=missing).tree_
    assert 2 not in tree.feature
    without = Mixed(data.X[:, :2], data.y, data.weight, data.is_categorical[:2])
    np.testing.assert_array_equal(
        tree.feature, fit(name, without, missing=missing).tree_.feature
    )


@pytest.mark.parametrize("seed", [0, 193])  # the second failed once
@pytest.mark.parametrize("sign", [1, -1])
def test_missing_rows_on_the_left_count_in_a_monotonic_column(seed, sign):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = (rng.random(60) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    X[rng.random(60) < 0.3, 0] = np.nan
    model = DecisionTreeClassifier(monotonic_cst=[sign, 0]).fit(X, y)
    for other in (-1.0, 0.0, 1.0):
        along = np.column_stack([np.linspace(-3, 3, 50), np.full(50, other)])
        shares = model.predict_proba(along)[:, 1]
        assert (np.diff(shares) * sign >= -1e-12).all()
