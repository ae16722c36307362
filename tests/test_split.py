# SPDX-License-Identifier: BSD-3-Clause
"""The engine finds the tree that trying every split finds, ties included."""

import numpy as np
import pytest
from hypothesis import given
from oracle import assert_no_better_tree, assert_same_tree, grow, walk
from strategies import LAWS, Data, random_table, tables
from twins import TIE_BREAK, TWINS

import ramify
from ramify import DecisionTreeClassifier

NAMES = sorted(TWINS)
C45_RULES = [
    {"threshold_cost": True},
    {"average_gain": True},
    {"min_branch": True},
    {"threshold_cost": True, "average_gain": True},
    {"threshold_cost": True, "min_branch": True},
    {"threshold_cost": True, "average_gain": True, "min_branch": True},
]

# Tables of at most 60 rows: ties, weights, missing values and many classes.
SMALL = {
    "ties": {"distinct": 5},
    "two values": {"distinct": 2, "n_columns": 4},
    "no ties": {},
    "one column": {"n_columns": 1},
    "three classes": {"n_classes": 3, "distinct": 8},
    "integer weights": {"distinct": 6, "weights": "integer"},
    "tenths as weights": {"distinct": 6, "weights": "tenths", "n_classes": 3},
    "real weights": {"weights": "real"},
    "missing": {"distinct": 6, "missing": 0.2},
    "mostly missing": {"distinct": 4, "missing": 0.7, "n_classes": 3},
    "missing and weights": {"missing": 0.3, "weights": "tenths", "n_classes": 3},
    "five classes": {"n_classes": 5, "distinct": 9, "missing": 0.1},
    "ten classes": {"n_classes": 10, "distinct": 7, "weights": "integer"},
    "ten classes missing": {"n_classes": 10, "missing": 0.25, "weights": "tenths"},
}
# Columns with more than 256 distinct values are kept as sorted lists, others not.
WIDE = {
    "wide": {"n_rows": 400},
    "wide with ties": {"n_rows": 700, "distinct": 1500},
    "wide, weights": {"n_rows": 400, "weights": "tenths", "n_classes": 3},
    "wide, missing": {"n_rows": 450, "missing": 0.15, "weights": "integer"},
}


def fit(name: str, data: Data, **params: object) -> DecisionTreeClassifier:
    model = DecisionTreeClassifier(criterion=name, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight)


def assert_exact(name: str, data: Data, **params: object) -> None:
    """Fail unless the engine grows the very tree of the brute force."""
    __tracebackhide__ = True
    expected = grow(data.X, data.y, name, weight=data.weight, **params)
    assert_same_tree(fit(name, data, **params).tree_, expected)


def mixed(seed: int, n_rows: int = 400) -> Data:
    """Return a table of wide and narrow columns, one of them with missing values."""
    wide = random_table(seed, n_rows=n_rows, n_columns=4, weights="integer")
    X = wide.X.copy()
    X[:, 1] = np.round(X[:, 1] * 2)
    X[:, 3] = np.round(X[:, 3])
    X[:: max(2, seed % 5), 3] = np.nan
    return Data(X, wide.y, wide.weight)


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("name", NAMES)
def test_tree_is_the_one_found_by_trying_every_split(name, kind):
    for seed in range(3):
        data = random_table(seed, n_rows=(60, 37, 20)[seed], **SMALL[kind])
        if name == "dcsm" and data.y.max() > 2:
            tree = fit(name, data).tree_
            assert_no_better_tree(tree, data.X, data.y, data.weight, name)
        else:
            assert_exact(name, data)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(data=tables())
def test_small_tables_full_of_ties_give_the_exact_tree(name, data):
    assert_exact(name, data)


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.parametrize("name", NAMES)
def test_columns_of_many_distinct_values_give_the_exact_tree(name, kind):
    data = random_table(7, n_columns=2, **WIDE[kind])
    assert max(len(np.unique(column)) for column in data.X.T) > 256
    assert_exact(name, data, max_depth=4, min_samples_leaf=3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_wide_and_narrow_columns_compete_fairly(name, seed):
    assert_exact(name, mixed(seed), max_depth=3)


@pytest.mark.parametrize("name", NAMES)
def test_a_wide_column_and_its_narrow_copy_tie_to_the_first(name):
    base = random_table(3, n_rows=700, n_columns=1)
    narrow = np.minimum(np.round(base.X[:, 0] * 4), 0)
    at_top = narrow == 0
    # The same cuts and labels, and hundreds of distinct values in one pure group.
    wide = np.where(at_top, np.arange(700), narrow)
    assert len(np.unique(wide)) > 256 > len(np.unique(narrow))
    y = np.where(at_top, 0, base.y)
    X = np.column_stack([wide, narrow])
    for columns in ([0, 1], [1, 0]):
        assert_exact(name, Data(X[:, columns], y, base.weight), max_depth=4)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 1},
        {"max_depth": 3},
        {"min_samples_leaf": 4},
        {"min_samples_split": 9},
        {"min_samples_leaf": 3, "min_samples_split": 15, "max_depth": 4},
        {"min_weight_fraction_leaf": 0.125},
        {"min_weight_fraction_leaf": 0.0625, "min_samples_leaf": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", NAMES)
def test_limits_keep_only_admissible_splits(name, limits):
    for missing in (0.0, 0.3):
        data = random_table(
            11, distinct=9, weights="integer", n_classes=3, missing=missing
        )
        assert_exact(name, data, **limits)


@pytest.mark.parametrize("name", NAMES)
def test_a_child_may_be_exactly_as_light_as_allowed(name):
    X = np.arange(8.0)[:, None]
    y = [0, 0, 1, 1, 1, 1, 1, 1]
    for fraction, threshold in ((0.25, 1.5), (0.26, 2.5)):
        model = DecisionTreeClassifier(
            criterion=name, min_weight_fraction_leaf=fraction, max_depth=1
        ).fit(X, y)
        assert model.tree_.threshold[0] == threshold


@pytest.mark.parametrize("name", NAMES)
def test_thresholds_can_be_data_values(name):
    for missing in (0.0, 0.2):
        data = random_table(5, distinct=12, missing=missing)
        assert_exact(name, data, threshold="value")
        tree = fit(name, data, threshold="value").tree_
        inner = (tree.feature >= 0) & np.isfinite(tree.threshold)
        for column, threshold in zip(
            tree.feature[inner], tree.threshold[inner], strict=True
        ):
            assert threshold in data.X[:, column]


def test_threshold_between_neighbouring_doubles_is_the_lower_one():
    low = 1.0
    high = np.nextafter(low, 2)
    X = np.array([[low], [low], [high], [high]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert model.tree_.threshold[0] == low
    assert model.predict(X).tolist() == [0, 0, 1, 1]


def test_threshold_between_the_largest_doubles_parts_them():
    largest = np.finfo(float).max
    X = np.array([[-largest], [0.0], [largest]])
    model = DecisionTreeClassifier().fit(X, [0, 1, 2])
    assert model.predict(X).tolist() == [0, 1, 2]
    X = np.array([[-largest], [largest]])
    model = DecisionTreeClassifier().fit(X, [0, 1])
    assert np.isfinite(model.tree_.threshold[0])
    assert model.predict(X).tolist() == [0, 1]


def test_values_that_differ_only_beyond_float32_are_told_apart():
    X = 1 + np.arange(4)[:, None] * 1e-12
    model = DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("name", NAMES)
def test_missing_rows_may_be_parted_from_the_rest(name):
    X = np.array([[3.0], [np.nan], [1.0], [np.nan], [2.0], [np.nan]])
    model = DecisionTreeClassifier(criterion=name).fit(X, [0, 1, 0, 1, 0, 1])
    assert model.tree_.threshold[0] == np.inf
    assert not model.tree_.missing_go_to_left[0]
    assert model.tree_.node_count == 3
    assert model.predict([[-1e300], [np.nan], [1e300]]).tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", NAMES)
def test_missing_rows_may_go_either_way(name):
    x = np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    for label_of_missing, to_left in ((0, True), (1, False)):
        y = [0, 0, 1, 1, label_of_missing]
        model = DecisionTreeClassifier(criterion=name).fit(x[:, None], y)
        assert model.tree_.threshold[0] == 2.5
        assert bool(model.tree_.missing_go_to_left[0]) is to_left
        assert model.predict([[np.nan]])[0] == label_of_missing


def test_missing_rows_unknown_in_training_go_to_the_heavier_child():
    X = np.array([[0.0], [1.0], [2.0]])
    y = [0, 1, 1]
    for weight, to_left in (([1, 1, 1], False), ([2, 1, 1], False), ([9, 1, 1], True)):
        model = DecisionTreeClassifier().fit(X, y, sample_weight=weight)
        assert bool(model.tree_.missing_go_to_left[0]) is to_left
        assert model.predict([[np.nan]])[0] == (0 if to_left else 1)


@pytest.mark.parametrize("name", NAMES)
def test_predictions_follow_the_arrays_of_the_tree(name):
    data = random_table(21, n_rows=60, n_classes=4, missing=0.1, distinct=10)
    model = fit(name, data)
    fresh = random_table(22, n_rows=200, n_classes=4, missing=0.3).X
    leaves = walk(model.tree_, fresh)
    np.testing.assert_array_equal(model.apply(fresh), leaves)
    np.testing.assert_array_equal(
        model.predict_proba(fresh), model.tree_.value[leaves, 0, :]
    )
    np.testing.assert_array_equal(
        model.predict(fresh), model.tree_.value[leaves, 0, :].argmax(1)
    )


FUNCTION_DATA = {
    "weights": random_table(31, distinct=6, weights="tenths", n_classes=3),
    "missing": random_table(32, distinct=6, missing=0.3),
    "mixed": mixed(4),
}


@pytest.mark.parametrize("kind", FUNCTION_DATA)
@pytest.mark.parametrize("name", NAMES)
def test_twin_passed_as_a_function_grows_the_identical_tree(name, kind):
    twin = TWINS[name]
    if name in TIE_BREAK:
        twin = ramify.criteria.function(
            twin,
            tie_break=TIE_BREAK[name],
            allow_zero_gain=name == "misclassification",
        )
    named, own = (
        fit(criterion, FUNCTION_DATA[kind]).tree_ for criterion in (name, twin)
    )
    for array in ("children_left", "children_right", "feature", "threshold"):
        np.testing.assert_array_equal(getattr(own, array), getattr(named, array))
    np.testing.assert_array_equal(own.missing_go_to_left, named.missing_go_to_left)
    np.testing.assert_allclose(own.gain, named.gain, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", TIE_BREAK)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_plain_function_has_no_tie_break(name, missing):
    data = random_table(33, distinct=6, missing=missing)
    expected = grow(data.X, data.y, TWINS[name], weight=data.weight)
    model = DecisionTreeClassifier(criterion=TWINS[name])
    model.fit(data.X, data.y, sample_weight=data.weight)
    assert_same_tree(model.tree_, expected)


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [("ccp_entropy", (1, 6), (0, 4)), ("ccp_gini", (2, 4), (0, 1))],
)
def test_equal_confidence_gains_are_settled_by_the_hellinger_distance(name, near, far):
    # 8 + 8 rows; both cuts part off so many of each class, with exactly the same gain.
    y = np.repeat([0, 1], 8)
    place = np.tile(np.arange(8), 2)
    parted = [place < np.array(counts)[y] for counts in (near, far)]

    two_columns = np.column_stack(parted).astype(float)
    model = DecisionTreeClassifier(criterion=name, max_depth=1).fit(two_columns, y)
    assert model.tree_.feature[0] == 1

    one_column = (two_columns[:, :1] + two_columns[:, 1:]).astype(float)
    model = DecisionTreeClassifier(criterion=name, max_depth=1).fit(one_column, y)
    assert model.tree_.threshold[0] == 1.5


def test_misclassification_splits_where_only_gini_gains():
    # Both children keep the majority class: the error stays, the Gini index drops.
    X = np.array([[0.0]] * 10 + [[1.0]] * 10)
    y = np.array([0] * 10 + [0] * 6 + [1] * 4)
    model = DecisionTreeClassifier(criterion="misclassification").fit(X, y)
    assert model.tree_.node_count == 3
    assert model.tree_.gain[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("rules", C45_RULES, ids=lambda rules: "+".join(rules))
def test_c45_rules_give_the_exact_tree(rules):
    for seed, n_classes in enumerate((2, 2, 3, 4, 2)):
        data = random_table(
            seed,
            n_rows=57,
            n_columns=4,
            n_classes=n_classes,
            distinct=(None, 6, 9, 12, 30)[seed],
            weights=("one", "integer", "one", "integer", "tenths")[seed],
        )
        assert_exact("gain_ratio", data, criterion_params=rules)


@pytest.mark.parametrize("rules", C45_RULES, ids=lambda rules: "+".join(rules))
def test_c45_rules_give_the_exact_tree_on_wide_columns(rules):
    data = random_table(8, n_rows=420, n_columns=3, n_classes=3)
    assert_exact("gain_ratio", data, criterion_params=rules, max_depth=4)


def test_c45_branches_need_not_hold_more_than_25_rows():
    # A tenth of the rows per class would be 40, the largest demand is 25.
    X = np.arange(800.0)[:, None]
    for n_first, is_split_there in ((25, True), (24, False)):
        y = (np.arange(800) >= n_first).astype(int)
        data = Data(X, y, np.ones(800))
        rules = {"min_branch": True}
        assert_exact("gain_ratio", data, criterion_params=rules, max_depth=1)
        tree = fit("gain_ratio", data, criterion_params=rules, max_depth=1).tree_
        assert bool(tree.threshold[0] == n_first - 0.5) is is_split_there


def test_c45_chooses_the_cut_by_gain_and_pays_for_the_threshold():
    X = np.arange(1.0, 11.0)[:, None]
    y = [0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    rules = {"threshold_cost": True, "average_gain": True, "min_branch": True}
    quinlan = DecisionTreeClassifier(
        criterion="gain_ratio", criterion_params=rules, max_depth=1
    ).fit(X, y)
    assert quinlan.tree_.threshold[0] == 5.5
    assert quinlan.tree_.gain[0] == pytest.approx(0.32925105, rel=1e-7)

    plain = DecisionTreeClassifier(criterion="gain_ratio", max_depth=1).fit(X, y)
    assert plain.tree_.threshold[0] == 3.5
    assert plain.tree_.gain[0] > 0.6

    # Each rule alone chooses by gain; without the cost the gain is the raw one.
    for rule, ratio in (
        ("average_gain", 0.60998655),
        ("min_branch", 0.60998655),
        ("threshold_cost", 0.60998655 - np.log2(9) / 10),
    ):
        model = DecisionTreeClassifier(
            criterion="gain_ratio", criterion_params={rule: True}, max_depth=1
        ).fit(X, y)
        assert model.tree_.threshold[0] == 5.5, rule
        assert model.tree_.gain[0] == pytest.approx(ratio, rel=1e-7), rule

    value = DecisionTreeClassifier(
        criterion="gain_ratio", criterion_params=rules, max_depth=1, threshold="value"
    ).fit(X, y)
    assert value.tree_.threshold[0] == 5


def test_c45_threshold_cost_can_forbid_every_split():
    X = np.arange(8.0)[:, None]
    y = [0, 1, 0, 1, 0, 1, 0, 1]
    costly = DecisionTreeClassifier(
        criterion="gain_ratio", criterion_params={"threshold_cost": True}
    ).fit(X, y)
    assert costly.tree_.node_count == 1
    assert DecisionTreeClassifier(criterion="gain_ratio").fit(X, y).get_n_leaves() == 8


@pytest.mark.parametrize("name", NAMES)
def test_enough_bins_change_nothing(name):
    data = random_table(41, distinct=12, missing=0.1, weights="integer")
    exact, binned = fit(name, data).tree_, fit(name, data, max_bins=255).tree_
    np.testing.assert_array_equal(binned.feature, exact.feature)
    np.testing.assert_array_equal(binned.threshold, exact.threshold)
    np.testing.assert_allclose(binned.gain, exact.gain, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("max_bins", [2, 5, 40])
@pytest.mark.parametrize("name", NAMES)
def test_bins_are_quantiles_and_their_rows_stay_together(name, max_bins):
    n_rows = 600
    data = random_table(42, n_rows=n_rows, n_columns=2, n_classes=3)
    model = fit(name, data, max_bins=max_bins)
    rank = data.X.argsort(0).argsort(0)
    bin_of_row = rank * max_bins // n_rows
    leaves = model.apply(data.X)
    for cell in np.unique(bin_of_row, axis=0):
        together = (bin_of_row == cell).all(1)
        assert len(np.unique(leaves[together])) == 1

    # The root is a cut between two bins, judged on all rows.
    exact = fit(name, data, max_depth=1).tree_
    root = fit(name, data, max_bins=max_bins, max_depth=1).tree_
    assert root.gain[0] <= exact.gain[0] + 1e-12
    goes_left = data.X[:, root.feature[0]] <= root.threshold[0]
    assert goes_left.sum() % (n_rows // max_bins) == 0
    left, right = (
        np.bincount(data.y[side], minlength=3)[None].astype(float)
        for side in (goes_left, ~goes_left)
    )
    score = ramify.criteria.get(name)((left + right)[0], left, right)[0]
    assert root.gain[0] == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_many_bins_find_nearly_the_best_cut(name):
    data = random_table(43, n_rows=3000, n_columns=3)
    exact = fit(name, data, max_depth=1, min_samples_leaf=100).tree_.gain[0]
    binned = fit(name, data, max_depth=1, min_samples_leaf=100, max_bins=255)
    assert binned.tree_.gain[0] >= 0.95 * exact


def paths(tree: object) -> dict[str, int]:
    """Return the node at the end of every path, written like 'LRL'."""
    found, pending = {}, [("", 0)]
    while pending:
        path, node = pending.pop()
        found[path] = node
        if tree.children_left[node] >= 0:
            pending.append((path + "L", tree.children_left[node]))
            pending.append((path + "R", tree.children_right[node]))
    return found


@pytest.mark.parametrize("max_leaf_nodes", [2, 5, 11])
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"misclassification"}))
def test_limited_leaves_go_to_the_splits_that_gain_most(name, max_leaf_nodes):
    data = random_table(51, weights="real", n_classes=3)
    full = fit(name, data).tree_
    node_at = paths(full)
    assert full.n_leaves > max_leaf_nodes
    # Weight times gain, best first, among the nodes whose parents were split.
    frontier, chosen = {""}, set()
    while len(chosen) < max_leaf_nodes - 1:
        inner = [path for path in frontier if full.children_left[node_at[path]] >= 0]
        best = max(
            inner,
            key=lambda path: (
                full.weighted_n_node_samples[node_at[path]] * full.gain[node_at[path]]
            ),
        )
        chosen.add(best)
        frontier = frontier - {best} | {best + "L", best + "R"}

    limited = fit(name, data, max_leaf_nodes=max_leaf_nodes).tree_
    assert limited.n_leaves == max_leaf_nodes
    splits = {path: n for path, n in paths(limited).items() if limited.feature[n] >= 0}
    assert set(splits) == chosen
    for path, node in splits.items():
        assert limited.feature[node] == full.feature[node_at[path]]
        assert limited.threshold[node] == full.threshold[node_at[path]]


@pytest.mark.parametrize("name", NAMES)
def test_plenty_of_leaves_give_the_whole_tree(name):
    data = random_table(52, distinct=9, missing=0.1)
    full, limited = fit(name, data), fit(name, data, max_leaf_nodes=10_000)
    assert limited.get_n_leaves() == full.get_n_leaves()
    np.testing.assert_array_equal(
        limited.predict_proba(data.X), full.predict_proba(data.X)
    )
