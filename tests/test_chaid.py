# SPDX-License-Identifier: BSD-3-Clause
"""CHAID merges categories that are alike and splits where the test is surest."""

import math
from itertools import product

import numpy as np
import pytest
from oracle_columns import (
    Judge,
    Node,
    Offer,
    audit,
    bonferroni,
    branch_of,
    chaid_column,
    independence,
    is_close,
    same_parting,
    slow_apply,
    subsets,
    visits,
)
from scipy import stats
from strategies import Mixed, random_mixed

import ramify
from ramify import DecisionTreeClassifier

# Counts (class 0, class 1) of the worked tables, category by category.
E1 = [(5, 1), (1, 3)]
E6 = [(4, 1), (1, 3), (2, 2), (0, 2)]


def fit(data: Mixed, **params: object) -> DecisionTreeClassifier:
    """Grow a CHAID tree; what is no parameter of the tree is one of the splitter."""
    options = {
        name: params.pop(name)
        for name in ("alpha_merge", "alpha_split", "resplit", "binary")
        if name in params
    }
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = DecisionTreeClassifier(
        splitter="chaid",
        splitter_params=options or None,
        categorical_features=columns,
        max_bins=10,
        **params,
    )
    return model.fit(data.X, data.y, sample_weight=data.weight)


def bins_of(data: Mixed) -> list[dict[float, float]]:
    """Return the bin of each value of each column, as the engine cuts them."""
    columns = np.flatnonzero(data.is_categorical).tolist()
    table = ramify.Table(data.X, categorical_features=columns, max_bins=10)
    bins = []
    for column, x in enumerate(data.X.T):
        known = ~np.isnan(x)
        codes = np.asarray(table.core.codes(column), dtype=float)
        bins.append(dict(zip(x[known], codes[known], strict=True)))
    return bins


def by_test(data: Mixed, **options: object) -> Judge:
    """Judge columns by their adjusted p, but for those whose merging met a tie."""
    bins = bins_of(data)

    def judge(node: Node) -> dict[int, Offer]:
        offers = {}
        for column, x in enumerate(node.X.T):
            codes = np.array([bins[column].get(v, np.nan) for v in x])
            merged, branch = chaid_column(node, column, codes, **options)
            if merged.is_clear:
                score = -math.log10(merged.adjusted)
                offers[column] = Offer(branch[None], np.array([score]), np.zeros(1))
        return offers

    return judge


def assert_surest(
    tree: object, number: int, offers: dict[int, Offer], branch: np.ndarray
) -> None:
    __tracebackhide__ = True
    where = f"node {number}"
    best = max((offer.score[0] for offer in offers.values()), default=0)
    assert tree.gain[number] >= best * (1 - 1e-9), where
    column = tree.feature[number]
    if column in offers:
        score = float(offers[column].score[0])
        assert is_close(tree.gain[number], score), f"{where}: {score}"
        assert same_parting(branch, offers[column].branch[0]), where
        for other, offer in offers.items():
            assert other >= column or offer.score[0] < score, where


def assert_chaid(
    data: Mixed, *, alpha_split: float = 0.05, max_depth: int | None = None, **options
) -> object:
    """Fail unless the engine grows the tree of the oracle; return it."""
    __tracebackhide__ = True
    tree = fit(data, alpha_split=alpha_split, max_depth=max_depth, **options).tree_
    audit(
        tree,
        data,
        by_test(data, **options),
        max_depth=max_depth,
        least=-math.log10(alpha_split),
        check=assert_surest,
    )
    return tree


def rows_of(table: list[tuple[int, ...]]) -> Mixed:
    """Return the rows of a table of counts, one category per line."""
    rows = [
        (v, k)
        for v, line in enumerate(table)
        for k, n in enumerate(line)
        for _ in range(n)
    ]
    x, y = np.array(rows).T
    return Mixed(x[:, None].astype(float), y, np.ones(len(y)), (True,))


# --- The oracle itself ----------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3, 4, 5, 6])
def test_the_factors_count_the_ways_to_merge(c):
    # A grouping is the list of the groups of all categories, named as they appear.
    groupings = [
        way
        for way in product(range(c), repeat=c)
        if all(g <= max(way[:i], default=-1) + 1 for i, g in enumerate(way))
    ]
    for r in range(1, c + 1):
        ways = [way for way in groupings if len(set(way)) == r]
        assert bonferroni("nominal", c, r) == len(ways)
        assert bonferroni("ordinal", c, r) == sum(
            way == tuple(sorted(way)) for way in ways
        )
        if r > 1:
            # The last one floats; the others stay in order.
            n = sum(way[:-1] == tuple(sorted(way[:-1])) for way in ways)
            assert bonferroni("floating", c, r) == n


def test_the_factors_of_the_worked_example():
    assert [bonferroni("ordinal", 4, 2), bonferroni("nominal", 4, 2)] == [3, 7]
    assert [bonferroni("ordinal", 5, 3), bonferroni("nominal", 5, 3)] == [6, 25]


# --- Numbers worked out by hand -------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "p"), [(E1, 0.06508673), (E6, 0.19068503)], ids=["E1", "E6"]
)
def test_the_gain_is_the_logarithm_of_p(table, p):
    # Nothing is merged, so there is one way to merge.
    tree = fit(rows_of(table), alpha_merge=1.0, alpha_split=1.0, max_depth=1).tree_
    assert len(tree.children(0)) == len(table)
    assert tree.gain[0] == pytest.approx(-math.log10(p), rel=1e-6)


def test_the_worked_tables_are_not_sure_enough_to_be_split():
    for table in (E1, E6):
        assert fit(rows_of(table)).tree_.node_count == 1


def test_p_is_multiplied_by_the_number_of_ways_to_merge():
    table = [(30, 5), (28, 6), (4, 40), (6, 50)]
    data = rows_of(table)
    merged = np.array([(58, 11), (10, 90)])
    p = independence(merged).p
    tree = assert_chaid(data, max_depth=1)
    assert same_parting(branch_of(tree, 0, data.X[:, 0]), data.X[:, 0] // 2)
    assert tree.gain[0] == pytest.approx(-math.log10(7 * p), rel=1e-9)

    # The same numbers in order: only neighbours may be merged, in three ways.
    ordinal = data._replace(is_categorical=(False,))
    tree = assert_chaid(ordinal, max_depth=1)
    assert tree.gain[0] == pytest.approx(-math.log10(3 * p), rel=1e-9)


def test_only_neighbours_of_a_numeric_column_are_merged():
    table = [(30, 5), (4, 40), (28, 6), (6, 50)]
    data = rows_of(table)
    assert len(assert_chaid(data, max_depth=1).children(0)) == 2
    ordinal = assert_chaid(data._replace(is_categorical=(False,)), max_depth=1)
    assert len(ordinal.children(0)) == 4
    assert ordinal.kind[0] == 2
    np.testing.assert_array_equal(
        ordinal.split_branch[: ordinal.split_begin[1]], range(4)
    )


def test_p_may_be_smaller_than_any_number():
    table = [(3000, 10), (12, 2900), (2800, 9), (15, 3100)]
    statistic = independence(np.array([(5800, 19), (27, 6000)])).statistic
    tree = fit(rows_of(table), max_depth=1).tree_
    # With one degree of freedom it is the square of a normal variable.
    log_p = math.log(2) + stats.norm.logsf(math.sqrt(statistic)) + math.log(7)
    assert len(tree.children(0)) == 2
    assert tree.gain[0] == pytest.approx(-log_p / math.log(10), rel=1e-9)
    assert tree.gain[0] > 1000


# --- Against the oracle ---------------------------------------------------------------

KINDS = {
    "nominal": {"kinds": "ccc", "levels": 6},
    "nominal, three classes": {"kinds": "cc", "levels": 5, "n_classes": 3},
    "ordinal": {"kinds": "nnn", "n_classes": 3},
    "mixed": {"kinds": "cnc", "levels": 5},
    "missing": {"kinds": "cncn", "levels": 5, "missing": 0.15, "n_classes": 3},
    "weights": {"kinds": "cncn", "missing": 0.1, "weights": "tenths"},
    "real weights": {"kinds": "ncc", "weights": "real", "n_classes": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_node_has_the_groups_and_the_column_of_the_oracle(kind):
    sizes = []
    for seed, n_rows in enumerate((80, 200, 400)):
        data = random_mixed(seed, n_rows=n_rows, **KINDS[kind])
        sizes.append(assert_chaid(data).node_count)
    assert max(sizes) > 5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [{"alpha_merge": 0.2}, {"alpha_merge": 0.01}, {"alpha_split": 0.3}],
    ids=str,
)
def test_the_levels_of_the_tests_can_be_chosen(kind, options):
    data = random_mixed(5, n_rows=250, **KINDS[kind])
    assert_chaid(data, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_merging_may_go_on_until_two_groups_remain(kind):
    for seed in (6, 7):
        data = random_mixed(seed, n_rows=250, **KINDS[kind])
        tree = assert_chaid(data, binary=True)
        inner = np.flatnonzero(tree.feature >= 0)
        assert all(len(tree.children(node)) == 2 for node in inner)
        assert len(inner) > 0


def test_the_preset_is_chaid():
    data = random_mixed(8, n_rows=300, kinds="cnc", n_classes=3)
    assert "chaid" in ramify.methods.names()
    model = ramify.methods.make("chaid", categorical_features=[0, 2])
    tree = model.fit(data.X, data.y).tree_
    audit(tree, data, by_test(data), least=-math.log10(0.05), check=assert_surest)


# --- Missing values, weights, limits --------------------------------------------------


def test_missing_values_float_to_the_group_they_are_like():
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(6.0), 60)
    y = (rng.random(360) < np.where(x < 2, 0.1, np.where(x < 4, 0.5, 0.9))).astype(int)
    gap = np.tile([False] * 5 + [True], 60) & (x >= 4)
    x[gap] = np.nan  # alike the highest
    y[gap] = 1
    for is_categorical in (True, False):
        data = Mixed(x[:, None], y, np.ones(360), (is_categorical,))
        tree = assert_chaid(data, max_depth=1)
        branch = branch_of(tree, 0, x)
        assert branch[np.isnan(x)][0] == branch[x == 5][0]


def test_missing_values_may_be_a_group_of_their_own():
    rng = np.random.default_rng(1)
    x = np.repeat(np.arange(6.0), 60)
    y = (rng.random(360) < np.where(x < 3, 0.1, 0.9)).astype(int)
    gap = rng.random(360) < 0.3
    x[gap] = np.nan
    y[gap] = 2
    for is_categorical in (True, False):
        data = Mixed(x[:, None], y, np.ones(360), (is_categorical,))
        tree = assert_chaid(data, max_depth=1)
        branch = branch_of(tree, 0, x)
        assert set(branch[gap]).isdisjoint(branch[~gap])
        assert len(tree.children(0)) == 3


@pytest.mark.parametrize("factor", [0.01, 3.0, 1000.0])
def test_the_scale_of_the_weights_does_not_make_a_test_surer(factor):
    data = random_mixed(9, n_rows=300, kinds="cnc", weights="tenths", missing=0.1)
    one = fit(data).tree_
    other = fit(data._replace(weight=data.weight * factor)).tree_
    for array in ("feature", "split_value", "split_branch", "n_node_samples"):
        np.testing.assert_array_equal(getattr(one, array), getattr(other, array))
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-8)


def test_every_group_has_enough_rows():
    data = random_mixed(10, n_rows=400, kinds="cncn", n_classes=3, missing=0.1)
    tree = fit(data, min_samples_leaf=25).tree_
    assert tree.n_leaves > 1
    assert (tree.n_node_samples >= 25).all()


def test_predictions_follow_the_arrays_of_the_tree():
    data = random_mixed(11, n_rows=400, kinds="cncn", n_classes=3, missing=0.1)
    model = fit(data)
    fresh = random_mixed(12, n_rows=200, kinds="cncn", levels=9, missing=0.3).X
    leaves = slow_apply(model.tree_, fresh)
    np.testing.assert_array_equal(model.apply(fresh), leaves)
    np.testing.assert_array_equal(
        model.predict_proba(fresh), model.tree_.value[leaves, 0]
    )


def test_row_order_and_threads_change_nothing():
    data = random_mixed(13, n_rows=500, kinds="cncn", n_classes=3, missing=0.1)
    order = np.random.default_rng(0).permutation(500)
    shuffled = Mixed(*(part[order] for part in data[:3]), data.is_categorical)
    one, two, three = fit(data), fit(shuffled), fit(data, n_jobs=2)
    for other in (two, three):
        np.testing.assert_array_equal(one.apply(data.X), other.apply(data.X))
        np.testing.assert_array_equal(one.tree_.gain, other.tree_.gain)


# --- Splitting merged groups again ----------------------------------------------------


def test_resplit_groups_are_still_worth_their_p():
    for seed in range(4):
        data = random_mixed(seed, n_rows=400, kinds="ccn", levels=8, noise=2.0)
        tree = fit(data, resplit=True).tree_
        for number, _, node, branch in visits(tree, data):
            if branch is None:
                continue
            column = tree.feature[number]
            codes = node.X[:, column]
            n_levels = len(np.unique(codes))
            table = [node.by_class[branch == t].sum(0) for t in range(branch.max() + 1)]
            p = independence(np.array(table)).p
            if data.is_categorical[column]:
                p *= bonferroni("nominal", n_levels, len(table))
                assert tree.gain[number] == pytest.approx(-math.log10(p), rel=1e-9)
            assert tree.gain[number] >= -math.log10(0.05)


# Counts of seven categories whose merged groups hide a difference.
HIDING = [
    [(1, 2), (0, 11), (7, 2), (2, 0), (1, 7), (2, 4), (2, 3)],
    [(1, 2), (0, 2), (9, 2), (2, 3), (1, 3), (5, 4), (1, 8)],
]


@pytest.mark.parametrize("table", HIDING)
def test_a_merged_group_that_hides_a_difference_is_split_again(table):
    data = rows_of(table)
    codes = np.arange(7.0)
    hides = []
    for resplit in (False, True):
        tree = fit(data, max_depth=1, alpha_split=1.0, resplit=resplit).tree_
        branch = branch_of(tree, 0, codes)
        groups = [np.flatnonzero(branch == t) for t in range(branch.max() + 1)]
        hides.append(any(parts(table, group) <= 0.05 for group in groups))
    assert hides == [True, False]


def parts(table: list[tuple[int, ...]], group: np.ndarray) -> float:
    """Return the smallest p of all ways to part a group of three or more in two."""
    if len(group) < 3:
        return 1.0
    counts = np.array(table)[group]
    ways = subsets(len(group))
    return min(
        independence([counts[way].sum(0), counts[~way].sum(0)]).p for way in ways
    )


# --- Bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {"alpha_merge": -0.1},
        {"alpha_split": 1.5},
        {"alpha_merge": "0.05"},
        {"alpha_split": np.nan},
        {"resplit": "yes"},
        {"alpha": 0.05},
    ],
    ids=str,
)
def test_wrong_parameters_of_the_splitter_are_named(params):
    (name,) = params
    model = DecisionTreeClassifier(splitter="chaid", splitter_params=params)
    with pytest.raises((ValueError, TypeError), match=name):
        model.fit([[1.0], [2.0]], [0, 1])
