# SPDX-License-Identifier: BSD-3-Clause
"""One branch per category: ID3, C4.5 and the criteria that can count branches."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_columns import (
    NARY,
    Judge,
    Node,
    Quinlan,
    Rules,
    audit,
    branch_of,
    by_criterion,
    node_slice,
    scores_of,
    slow_apply,
    slow_proba,
    visits,
)
from strategies import LAWS, Mixed, mixed_tables, random_mixed
from twins import TWINS

import ramify
from ramify import DecisionTreeClassifier, Tree

NAMES = sorted(NARY)
OTHERS = sorted(set(TWINS) - set(NARY))
C45_RULES = {"threshold_cost": True, "average_gain": True, "min_branch": True}

SMALL = {
    "one column": {"kinds": "c", "levels": 9},
    "three classes": {"kinds": "cc", "levels": 5, "n_classes": 3},
    "numbers compete": {"kinds": "ncn", "levels": 4, "n_classes": 3},
    "weights": {"levels": 5, "weights": "tenths", "n_classes": 3},
    "missing": {"levels": 5, "missing": 0.2},
    "missing and weights": {"missing": 0.3, "weights": "integer", "n_classes": 4},
}


def fit(criterion: object, data: Mixed, **params: object) -> DecisionTreeClassifier:
    columns = np.flatnonzero(data.is_categorical).tolist()
    params = {"categories": "multiway", "categorical_features": columns} | params
    model = DecisionTreeClassifier(criterion, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def assert_exact(name: str, data: Mixed, missing: str = "both") -> object:
    """Fail unless each node has the best split; return the tree."""
    __tracebackhide__ = True
    tree = fit(name, data, missing=missing).tree_
    judge = by_criterion(name, Rules("multiway", missing))
    zero_gain = name == "misclassification"
    audit(tree, data, judge, missing=missing, zero_gain=zero_gain)
    return tree


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("name", NAMES)
def test_columns_compete_by_the_same_score(name, kind):
    for seed, n_rows in enumerate((60, 25)):
        assert_exact(name, random_mixed(seed, n_rows=n_rows, **SMALL[kind]))


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(data=mixed_tables(), missing=st.sampled_from(["both", "left", "right"]))
def test_small_tables_full_of_ties_have_the_best_splits(name, data, missing):
    assert_exact(name, data, missing)


@pytest.mark.parametrize("name", NAMES)
def test_each_category_has_its_child_in_order_and_missing_the_last(name):
    data = random_mixed(1, n_rows=200, levels=7, missing=0.1, n_classes=3)
    tree = assert_exact(name, data)
    n_checked = 0
    for number, _, node, branch in visits(tree, data):
        if branch is None or tree.kind[number] != 1:
            continue
        n_checked += 1
        x = node.X[:, tree.feature[number]]
        values, branches = node_slice(tree, number)
        has_missing = np.isnan(x).any()
        np.testing.assert_array_equal(branches, np.arange(len(values)))
        assert len(tree.children(number)) == len(values) + has_missing
        if has_missing:
            assert tree.missing_branch[number] == len(values)
        assert tree.optimal[number] == 1
    assert n_checked > 3


@pytest.mark.parametrize("name", NAMES)
def test_hundreds_of_categories_have_hundreds_of_children(name):
    codes = np.arange(900) % 300
    data = Mixed(codes[:, None].astype(float), codes % 2, np.ones(900), (True,))
    model = fit(name, data)
    assert model.get_n_leaves() == 300
    assert model.get_depth() == 1
    assert (model.predict(data.X) == data.y).all()


@pytest.mark.parametrize("name", OTHERS)
def test_other_criteria_know_only_two_branches(name):
    data = random_mixed(0, kinds="nc")
    with pytest.raises(ValueError, match=f"{name}.*multiway|multiway.*{name}"):
        fit(name, data)
    # Without categories there is nothing to refuse.
    numbers = random_mixed(0, kinds="nn")
    assert fit(name, numbers).get_n_leaves() > 1


def test_a_function_knows_only_two_branches():
    with pytest.raises(ValueError, match="multiway"):
        fit(TWINS["gini"], random_mixed(0, kinds="nc"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("least", [2, 5])
def test_every_branch_has_enough_rows(name, least):
    for seed in range(3):
        data = random_mixed(seed, n_rows=150, levels=4, n_classes=3, missing=0.1)
        tree = fit(name, data, min_samples_leaf=least).tree_
        assert (tree.n_node_samples >= least).all()
        judge = by_criterion(name, Rules("multiway", min_samples_leaf=least))
        audit(tree, data, judge, zero_gain=name == "misclassification")


@pytest.mark.parametrize("name", NAMES)
def test_many_branches_stay_below_the_number_of_leaves(name):
    data = random_mixed(4, n_rows=200, levels=5, n_classes=3)
    full = fit(name, data).get_n_leaves()
    for most in (2, 4, 9, 30):
        tree = fit(name, data, max_leaf_nodes=most).tree_
        assert 1 <= tree.n_leaves <= most < full
        # A split that is skipped for its many branches is still the best one.
        audit(tree, data, by_criterion(name, Rules("multiway")), least=np.inf)


@pytest.mark.parametrize("name", NAMES)
def test_predictions_follow_the_arrays_of_the_tree(name):
    data = random_mixed(5, n_rows=100, levels=6, missing=0.1, n_classes=3)
    model = fit(name, data)
    fresh = random_mixed(6, n_rows=200, levels=9, missing=0.3).X  # new categories
    leaves = slow_apply(model.tree_, fresh)
    np.testing.assert_array_equal(model.apply(fresh), leaves)
    np.testing.assert_array_equal(
        model.predict_proba(fresh), model.tree_.value[leaves, 0]
    )


@pytest.mark.parametrize("name", NAMES)
def test_two_categories_are_an_ordinary_split(name):
    data = random_mixed(7, n_rows=80, levels=2, n_classes=3, kinds="ccc")
    one, other = fit(name, data).tree_, fit(name, data, categories="subset").tree_
    for array in ("feature", "children_left", "split_value", "split_branch"):
        np.testing.assert_array_equal(getattr(one, array), getattr(other, array))
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-9, atol=1e-12)


def test_id3_is_information_gain_with_a_branch_per_category():
    assert {"id3", "c45"} <= set(ramify.methods.names())
    data = random_mixed(8, n_rows=100, levels=5, n_classes=3)
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = ramify.methods.make("id3", categorical_features=columns)
    tree = model.fit(data.X, data.y).tree_
    audit(tree, data, by_criterion("entropy", Rules("multiway")))


# --- C4.5 -----------------------------------------------------------------------------


def c45(data: Mixed, **params: object) -> DecisionTreeClassifier:
    columns = np.flatnonzero(data.is_categorical).tolist()
    # Leaves of unseen categories are looked at elsewhere.
    params = {"unseen": "heavier", **params}
    model = ramify.methods.make("c45", categorical_features=columns, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def quinlan(data: Mixed) -> Judge:
    n_values = [len(np.unique(x[~np.isnan(x)])) for x in data.X.T]
    many = np.array(n_values) >= 0.3 * len(data.y)
    return Quinlan(frozenset(np.flatnonzero(many & np.array(data.is_categorical))))


C45_DATA = {
    "categories": {"kinds": "ccc", "levels": 4},
    "numbers": {"kinds": "nnn"},
    "mixed": {"kinds": "ncnc", "levels": 4},
    "three classes": {"kinds": "ncnc", "levels": 5, "n_classes": 3},
    "missing": {"kinds": "ncnc", "levels": 4, "missing": 0.15},
    "half missing": {"kinds": "ncnc", "levels": 4, "missing": 0.5, "n_classes": 3},
    "weights": {
        "kinds": "ncnc",
        "levels": 4,
        "missing": 0.1,
        "weights": "tenths",
        "n_classes": 3,
    },
}


@pytest.mark.parametrize("kind", C45_DATA)
def test_c45_splits_each_node_by_the_rules_of_quinlan(kind):
    for seed, n_rows in enumerate((60, 150, 300)):
        data = random_mixed(seed, n_rows=n_rows, **C45_DATA[kind])
        audit(c45(data).tree_, data, quinlan(data), missing="fractional")


@pytest.mark.parametrize("kind", C45_DATA)
def test_c45_averages_over_the_branches_of_a_missing_value(kind):
    data = random_mixed(3, n_rows=150, **C45_DATA[kind])
    model = c45(data)
    kinds = C45_DATA[kind]["kinds"]
    fresh = random_mixed(4, n_rows=60, kinds=kinds, levels=6, missing=0.4).X
    expected = slow_proba(model.tree_, fresh)
    np.testing.assert_allclose(model.predict_proba(fresh), expected, atol=1e-12)
    sure = np.sort(expected, 1)[:, -1] - np.sort(expected, 1)[:, -2] > 1e-9
    np.testing.assert_array_equal(model.predict(fresh)[sure], expected.argmax(1)[sure])


def test_c45_is_gain_ratio_with_its_parameters():
    data = random_mixed(5, n_rows=150, kinds="ncnc", levels=4, missing=0.1)
    preset = c45(data).tree_
    spelled = fit(
        "gain_ratio", data, criterion_params=C45_RULES, missing="fractional"
    ).tree_
    for array in ("feature", "threshold", "split_value", "split_branch", "gain"):
        np.testing.assert_array_equal(getattr(preset, array), getattr(spelled, array))


@pytest.mark.parametrize("kind", ["categories", "mixed", "three classes"])
def test_c45_answers_by_the_node_for_a_category_without_rows_there(kind):
    data = random_mixed(6, n_rows=120, **C45_DATA[kind])
    model = c45(data, unseen="parent")
    assert ramify.methods.make("c45").unseen == "parent"
    # J48 says it by a branch for each category of the column.
    every = c45(data, unseen="parent", categories="multiway_all")
    plain = c45(data)
    rows = random_mixed(7, n_rows=400, kinds=C45_DATA[kind]["kinds"], levels=6).X
    found = model.predict_proba(rows)
    np.testing.assert_array_equal(found, every.predict_proba(rows))
    tree, differs = plain.tree_, 0
    for row, shares in zip(rows, found, strict=True):
        node = 0
        while tree.children_left[node] >= 0:
            codes, branches = tree.listed(node)
            x = row[tree.feature[node]]
            if tree.kind[node] == Tree.CATEGORIES:
                if x not in codes:
                    differs += 1
                    break
                branch = branches[list(codes).index(x)]
            else:
                branch = int(x > tree.threshold[node])
            node = tree.children(node)[branch]
        np.testing.assert_allclose(shares, tree.value[node, 0], atol=1e-12)
    assert differs > 5
    assert model.get_n_leaves() == plain.get_n_leaves()


@pytest.mark.parametrize("options", [{}, {"method": "c45"}, {"honest": 0.5}])
def test_the_trees_of_a_forest_stop_at_unseen_categories_too(options):
    data = random_mixed(8, n_rows=120, kinds="cn", levels=5)
    forest = ramify.RandomForestClassifier(
        4, unseen="parent", categorical_features=[0], random_state=0, **options
    ).fit(data.X, data.y)
    row = np.array([[77.0, 0.0]])
    for member in forest:
        tree, node = member.tree_, 0
        while tree.children_left[node] >= 0 and tree.kind[node] != Tree.CATEGORIES:
            branch = int(row[0, tree.feature[node]] > tree.threshold[node])
            node = tree.children(node)[branch]
        np.testing.assert_allclose(member.predict_proba(row)[0], tree.value[node, 0])


def test_c45_needs_two_branches_with_two_rows():
    # Ten categories of one row each, and one of ten rows: only one branch is heavy.
    codes = np.array([*range(10), *[10] * 10], dtype=float)
    y = np.array([0, 1] * 5 + [1] * 10)
    data = Mixed(codes[:, None], y, np.ones(20), (True,))
    assert c45(data).get_n_leaves() == 1
    # A second branch of two rows is enough.
    y[0] = y[1] = 0
    codes[1] = codes[0]
    data = Mixed(codes[:, None], y, np.ones(20), (True,))
    assert c45(data).get_n_leaves() == 10


@pytest.mark.parametrize(
    "weights", [[0.7, 0.7, 0.6], [0.2] * 10, [0.1] * 20, [1 / 3] * 6, [0.4] * 5]
)
@pytest.mark.parametrize("is_categorical", [True, False])
def test_c45_takes_branches_that_weigh_two_but_for_rounding(weights, is_categorical):
    y = np.repeat([0, 1], len(weights))
    data = Mixed(y[:, None].astype(float), y, np.tile(weights, 2), (is_categorical,))
    assert c45(data).get_n_leaves() == 2


def test_c45_keeps_columns_of_many_values_out_of_the_mean():
    # 40 rows; an attribute of 12 values (0.3 of the rows) with a large gain, a good
    # attribute of two values, and a weak one between. With the large gain in the
    # mean only the first could compete.
    differs = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 40)
        many = rng.permutation(np.arange(40) % 12)
        good = np.where(rng.random(40) < 0.8, y, 1 - y)
        weak = np.where(rng.random(40) < 0.6, y, rng.integers(0, 3, 40))
        X = np.column_stack([many, good, weak]).astype(float)
        data = Mixed(X, y, np.ones(40), (True, True, True))
        tree = c45(data, max_depth=1).tree_
        audit(tree, data, quinlan(data), missing="fractional", max_depth=1)
        node = Node(X, y, np.ones(40), data.is_categorical, 2)
        differs += set(Quinlan()(node)) != set(quinlan(data)(node))
    assert differs > 5


def test_c45_counts_a_column_that_gains_nothing_in_the_mean():
    # All known rows of the first column are of one class. J48 splits the third too.
    X = pd.DataFrame(
        {
            "A": ["a", "a", "b", "b", None, None],
            "B": list("acccab"),
            "C": list("babbaa"),
        }
    )
    y = [0, 0, 0, 0, 1, 1]
    assert ramify.methods.make("c45").fit(X, y).tree_.feature[0] == 2


def test_c45_judges_the_known_rows_and_counts_the_unknown_as_a_branch():
    # Four known rows of each kind are parted perfectly, two rows are unknown:
    # gain 0.8 * 1; split info of 0.4, 0.4 and 0.2.
    x = np.array([0, 0, 0, 0, 1, 1, 1, 1, np.nan, np.nan])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 1])
    info = -2 * 0.4 * np.log2(0.4) - 0.2 * np.log2(0.2)
    for is_categorical in (True, False):
        data = Mixed(x[:, None], y, np.ones(10), (is_categorical,))
        tree = c45(data).tree_
        assert tree.gain[0] == pytest.approx(0.8 / info, rel=1e-12)
        assert tree.weighted_n_node_samples.tolist() == [10, 5, 5]
        np.testing.assert_allclose(tree.value[1:, 0], [[0.9, 0.1], [0.1, 0.9]])
        model = c45(data)
        np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.5, 0.5]])


def test_c45_pays_for_the_threshold_out_of_all_rows():
    # Known: 1..10 as in the worked example; five more rows are unknown.
    x = np.array([*range(1, 11), *[np.nan] * 5], dtype=float)
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1])
    data = Mixed(x[:, None], y, np.ones(15), (False,))
    tree = c45(data, max_depth=1).tree_
    known = 10 / 15
    info = -2 * known / 2 * np.log2(known / 2) - (1 - known) * np.log2(1 - known)
    gain = known * 0.60998655 - np.log2(7) / 15
    assert tree.threshold[0] == 5.5
    assert tree.gain[0] == pytest.approx(gain / info, rel=1e-7)


def test_the_rules_of_c45_leave_columns_of_two_categories_to_gain_ratio():
    data = random_mixed(9, n_rows=100, kinds="ccc", levels=2)
    tree = fit("gain_ratio", data, missing="fractional").tree_
    column = tree.feature[0]
    branch = branch_of(tree, 0, data.X[:, column])
    by_class = np.eye(2)[data.y]
    score = scores_of("gain_ratio", branch[None], by_class, multiway=True)
    assert tree.gain[0] == pytest.approx(score[0])
