# SPDX-License-Identifier: BSD-3-Clause
"""Oblique trees on tables as people have them: categories, missing values, weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from oracle_columns import Rules
from oracle_oblique import (
    AXIS_IS_FALLBACK,
    METHODS,
    QUICK,
    audit,
    category_scores,
    columns_of,
    hyperplanes,
    slow_apply,
    terms_of,
    visits,
)
from strategies import FEW, Mixed, mixed_tables, random_mixed, random_table

import ramify
from ramify import ObliqueTreeClassifier, Tree

# Methods see a matrix without gaps and text; how it is made is the same for all, and of
# those that are formulas some stand for the rest.
ALIKE = ("ridge", "svm", "mpsvm", "hhcart", "cca", "pptree")
every_method = pytest.mark.parametrize("method", [m for m in METHODS if m not in ALIKE])


def make(method: str, **params: object) -> ObliqueTreeClassifier:
    own = {**QUICK.get(method, {}), **params.pop("method_params", {})}
    params = {"random_state": 0, **params}
    return ObliqueTreeClassifier(method, method_params=own or None, **params)


def fit(method: str, data: Mixed, **params: object) -> ObliqueTreeClassifier:
    chosen = np.flatnonzero(data.is_categorical).tolist()
    model = make(method, categorical_features=chosen, **params)
    plain = (data.weight == 1).all()
    return model.fit(data.X, data.y, sample_weight=None if plain else data.weight)


# --- Categories -----------------------------------------------------------------------


@every_method
@FEW
@given(data=mixed_tables(max_rows=24, max_classes=3))
def test_every_node_of_a_mixed_table_holds_what_its_rows_say(method, data):
    model = fit(method, data)
    audit(model.tree_, data, "entropy", compare_axis=method not in AXIS_IS_FALLBACK)
    np.testing.assert_array_equal(model.apply(data.X), slow_apply(model.tree_, data.X))


@every_method
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("missing", ["both", "left", "right"])
def test_larger_mixed_tables_are_sound_too(method, n_classes, missing):
    data = random_mixed(
        n_classes,
        n_rows=90,
        n_classes=n_classes,
        kinds="cnnc",
        missing=0.1,
        weights="real",
    )
    model = fit(method, data, missing=missing)
    rules = Rules(missing=missing)
    audit(
        model.tree_,
        data,
        "entropy",
        compare_axis=method not in AXIS_IS_FALLBACK,
        rules=rules,
    )
    fresh = data.X.copy()
    rng = np.random.default_rng(0)
    fresh[rng.random(fresh.shape) < 0.2] = np.nan
    np.testing.assert_array_equal(model.apply(fresh), slow_apply(model.tree_, fresh))


@every_method
def test_a_subset_of_categories_wins_where_it_is_better(method):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, 200)
    X = np.column_stack([rng.normal(size=200), codes, rng.normal(size=200)])
    y = np.isin(codes, [1, 2, 5]).astype(int)
    model = fit(method, Mixed(X, y, np.ones(200), (False, True, False)))
    tree = model.tree_
    assert tree.node_count == 3
    if tree.kind[0] == Tree.CATEGORIES:
        assert tree.feature[0] == 1
    else:  # a direction may say the same by the scores of the categories
        assert 1 in columns_of(tree, 0)
    assert model.score(X, y) == 1


def needs_both(seed: int, n_classes: int = 2) -> Mixed:
    """Labels that only the sum of a number and of a category's effect tells."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, 300)
    effect = np.linspace(-2, 2, 8)[rng.permutation(8)]
    number = rng.normal(size=300)
    total = number + effect[codes]
    cuts = np.quantile(total, np.arange(1, n_classes) / n_classes)
    X = np.column_stack([number, codes.astype(float), rng.normal(size=300)])
    return Mixed(X, np.searchsorted(cuts, total), np.ones(300), (False, True, False))


@pytest.mark.parametrize("method", ["wodt", "oc1", "cart_lc", "fisher"])
def test_categories_enter_directions(method):
    data = needs_both(1)
    tree = fit(method, data, max_depth=3).tree_
    mixed = [
        node for node in hyperplanes(tree) if {0, 1} <= set(columns_of(tree, node))
    ]
    assert mixed
    assert (terms_of(tree, mixed[0]).category >= 0).any()


@pytest.mark.parametrize("method", ["wodt", "fisher", "dgmml_mdt"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_weights_of_categories_are_their_class_scores(method, n_classes):
    data = needs_both(2, n_classes)
    tree = fit(method, data, compare_axis=False, max_depth=4).tree_
    n_checked = 0
    for number, _, node, _ in visits(tree, data):
        terms = terms_of(tree, number)
        of_column = terms.column == 1
        if of_column.sum() < 3:
            continue
        codes = np.unique(node.X[:, 1])
        weight = np.array(
            [terms.weight[of_column & (terms.category == c)].sum() for c in codes]
        )
        score = category_scores(node.X[:, 1], node.y, node.weight)
        size = np.array([(node.X[:, 1] == c).sum() for c in codes])
        score = score - np.average(score, weights=size)
        slope = (weight @ score) / (score @ score)
        np.testing.assert_allclose(weight, slope * score, atol=1e-8 * abs(weight).max())
        n_checked += 1
    assert n_checked > 0


@every_method
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_table_of_categories_only(method, n_classes):
    data = random_mixed(3, n_rows=80, n_classes=n_classes, kinds="ccc", weights="real")
    model = fit(method, data)
    audit(model.tree_, data, "entropy", compare_axis=method not in AXIS_IS_FALLBACK)
    np.testing.assert_array_equal(model.apply(data.X), slow_apply(model.tree_, data.X))
    assert np.isfinite(model.predict_proba(data.X)).all()
    assert np.isfinite(model.feature_importances_).all()


@every_method
@pytest.mark.parametrize("categories", ["subset", "one_vs_rest"])
def test_frames_with_text_and_unseen_categories(method, categories):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 120),
            "city": rng.choice(["Oslo", "Rome", "Lima", "Bern"], 120),
            "income": rng.lognormal(10, 1, 120),
        }
    )
    y = (frame["age"] + 12 * (frame["city"] == "Oslo") > 42).to_numpy()
    model = make(method, categories=categories).fit(frame, y)
    assert model.score(frame, y) == 1
    fresh = frame.head(3).assign(city=["Paris", None, "Rome"])
    assert model.predict(fresh).shape == (3,)
    assert np.isfinite(model.predict_proba(fresh)).all()
    refuses = make(method, unseen="error").fit(frame, y)
    with pytest.raises(ValueError, match="'city' has category 'Paris'"):
        refuses.predict(fresh)


def test_an_unseen_category_adds_nothing_to_the_sum():
    data = needs_both(3)
    model = fit("wodt", data, max_depth=1)
    tree = model.tree_
    assert tree.kind[0] == Tree.HYPERPLANE
    assert 1 in columns_of(tree, 0)
    terms = terms_of(tree, 0)
    number = dict(zip(terms.column, terms.weight, strict=True))
    for x in (-3.0, 0.1, 3.0):
        row = np.array([[x, np.nan, 0.5]])
        total = number[0] * x + number.get(2, 0) * 0.5
        due = tree.children(0)[int(total > tree.threshold[0])]
        assert model.apply(row)[0] == due
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    frame["b"] = "k" + frame["b"].astype(int).astype(str)
    named = make("wodt", max_depth=1).fit(frame, data.y)
    asked = frame.head(20).assign(b="new")
    gone = frame.head(20).assign(b=None)
    np.testing.assert_array_equal(named.apply(asked), named.apply(gone))


@every_method
def test_names_of_categories_do_not_matter(method):
    data = random_mixed(5, n_rows=80, kinds="ncn")
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    frame["b"] = np.array(["ab", "cd", "ef", "gh", "ij", "kl"])[
        data.X[:, 1].astype(int)
    ]
    plain = fit(method, data)
    named = make(method).fit(frame, data.y)
    np.testing.assert_array_equal(plain.apply(data.X), named.apply(frame))


@every_method
def test_categories_absent_from_the_rows_used_are_unseen(method):
    data = needs_both(5)
    frame = pd.DataFrame(data.X, columns=["a", "city", "c"])
    frame["city"] = np.array(list("ABCDEFGH"))[data.X[:, 1].astype(int)]
    rows = np.flatnonzero(~frame["city"].isin(["A", "D"]))
    alone = make(method).fit(frame.iloc[rows], data.y[rows])
    viewed = make(method).fit(ramify.Table(frame)[rows], data.y[rows])
    kept = np.isin(np.arange(300), rows).astype(float)
    weighted = make(method).fit(frame, data.y, sample_weight=kept)
    for model in (viewed, weighted):
        np.testing.assert_array_equal(model.apply(frame), alone.apply(frame))


@every_method
def test_a_saved_mixed_tree_predicts_the_same(method, tmp_path):
    data = needs_both(4)
    gaps = data.X.copy()
    gaps[::7, 0] = np.nan
    gaps[::11, 1] = np.nan
    model = fit(method, data._replace(X=gaps))
    ramify.save(model, tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    np.testing.assert_array_equal(loaded.apply(gaps), model.apply(gaps))
    np.testing.assert_array_equal(loaded.predict_proba(gaps), model.predict_proba(gaps))


@every_method
def test_groups_hold_for_categories_too(method):
    data = needs_both(1)
    tree = fit(method, data, combine=[[0, 2]], compare_axis=False).tree_
    for node in hyperplanes(tree):
        used = columns_of(tree, node)
        assert set(used) <= {0, 2} or len(used) == 1
    audit(tree, data, "entropy")


# --- Missing values -------------------------------------------------------------------


@every_method
def test_means_of_the_node_fill_gaps(method):
    data = random_table(3, n_rows=120, n_classes=2, n_columns=4, missing=0.15)
    data = Mixed(*data, is_categorical=(False,) * 4)
    model = fit(method, data, compare_axis=False)
    tree = model.tree_
    assert hyperplanes(tree)
    audit(tree, data, "entropy")  # asserts the means, and where every row goes
    blank = np.full((1, 4), np.nan)
    node = 0
    while children := tree.children(node):
        if tree.kind[node] == Tree.HYPERPLANE:
            terms = terms_of(tree, node)
            total = 0.0
            for weight, fill in zip(terms.weight, terms.fill, strict=True):
                total += weight * fill
            node = children[int(total > tree.threshold[node])]
        else:
            node = children[tree.missing_branch[node]]
    assert model.apply(blank)[0] == node


@every_method
def test_gaps_at_prediction_follow_the_stored_means(method):
    # No gap in training: the means are stored all the same.
    data = random_table(5, n_rows=100, n_classes=3, n_columns=4)
    data = Mixed(*data, is_categorical=(False,) * 4)
    model = fit(method, data)
    audit(model.tree_, data, "entropy")
    for column in range(4):
        fresh = data.X.copy()
        fresh[:, column] = np.nan
        leaves = model.apply(fresh)
        np.testing.assert_array_equal(leaves, slow_apply(model.tree_, fresh))
        assert np.isfinite(model.predict_proba(fresh)).all()


@every_method
def test_missing_values_are_refused_if_asked_for(method):
    X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 1.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="missing"):
        make(method, missing="error").fit(X, [0, 1, 0, 1])
    model = make(method, missing="error").fit(np.nan_to_num(X), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="missing"):
        model.predict(X)


@every_method
def test_a_column_without_any_value_changes_nothing(method):
    data = random_table(5, n_rows=60, n_classes=3)
    blank = np.insert(data.X, 1, np.nan, axis=1)
    plain, other = make(method).fit(data.X, data.y), make(method).fit(blank, data.y)
    np.testing.assert_array_equal(plain.apply(data.X), other.apply(blank))
    used = set(other.tree_.term_column) | set(other.tree_.feature)
    assert 1 not in used


@every_method
def test_class_weights_and_costs_are_weights(method):
    data = random_table(5, n_rows=90, n_classes=2)
    balanced = make(method, class_weight={0: 3.0, 1: 1.0}).fit(data.X, data.y)
    weighted = make(method).fit(
        data.X, data.y, sample_weight=np.where(data.y == 0, 3.0, 1.0)
    )
    np.testing.assert_array_equal(balanced.apply(data.X), weighted.apply(data.X))
    dear = make(method, cost_matrix=[[0, 3], [1, 0]]).fit(data.X, data.y)
    np.testing.assert_array_equal(dear.apply(data.X), weighted.apply(data.X))
