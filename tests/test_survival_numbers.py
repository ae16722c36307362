# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees against numbers of R's survival, rpart, party, maxstat and by hand."""

import numpy as np
import oracle_survival as oracle
import pytest
from survival_twins import EVENT, TIME, X

from ramify import SurvivalTree, _core
from ramify.datasets import load
from ramify.estimators.survival.pruning import split_complexities
from ramify.estimators.survival.target import Times
from ramify.tree import Tree

LEFT = X <= 4.5
Y = (TIME, EVENT)


def score_of(left, y, criterion="logrank", weight=None, **params):
    """Return the score of one cut: that of a column of two values."""
    tree = SurvivalTree(
        criterion,
        max_depth=1,
        min_samples_leaf=1,
        min_samples_split=2,
        criterion_params=params,
    )
    tree.fit(np.where(left, 0.0, 1.0)[:, None], y, sample_weight=weight)
    return tree.tree_.gain[0]


OF_TEN_ROWS = [
    ("logrank", {}, 4.616484838),
    ("gehan", {}, 4.695652174),
    ("tarone_ware", {}, 4.829006934),
    ("peto_peto", {}, 4.787427234),
    ("peto_peto", {"andersen": True}, 4.725789177),
    ("fleming_harrington", {"rho": 1, "gamma": 0}, 4.818204489),
    ("fleming_harrington", {"rho": 0.5, "gamma": 0}, 4.799358424),
    ("fleming_harrington", {"rho": 0, "gamma": 1}, 2.071330078),
    ("fleming_harrington", {"rho": 0.5, "gamma": 0.5}, 3.170940687),
    ("logrank_score", {}, 4.925095294),
    ("logrank_score", {"ties": "hothorn_lausen"}, 4.905973540),
    ("approximate_logrank", {}, 4.459900826),
    ("poisson", {}, 2.288651143),
    ("exponential", {}, 2.141117761),
    ("full_likelihood", {}, 2.594006225),
    ("harrell_c", {}, 0.2666666667),
    ("harrell_c", {"ties": "ignore"}, 0.9444444444),
    ("gehan_score", {}, 4.151351351),
    ("brier", {"times": [4, 7]}, 0.7508604748),
    ("rmst", {"tau": 8}, 20.84127614),
    ("rmst_difference", {"tau": 8}, 8.333834135),
    ("l1", {}, 0.8333333333),
]


@pytest.mark.parametrize(("criterion", "params", "expected"), OF_TEN_ROWS)
def test_ten_rows(criterion, params, expected):
    assert score_of(LEFT, Y, criterion, **params) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("criterion", "u", "v"),
    [("logrank", 2.543650794, 1.401533762), ("gehan", 18, 69)],
)
def test_the_oracle_has_the_same_u_and_v(criterion, u, v):
    found = oracle.log_rank(criterion, TIME, EVENT, np.ones(10), LEFT)
    assert found == pytest.approx((u, v), rel=1e-9)


def test_all_cuts_of_ten_rows():
    expected = [
        *(6.26999947, 10.78958758, 9.83640767, 4.61648484),
        *(3.90988815, 4.59902123, 3.30922014, 1.81895797),
    ]
    cuts = np.arange(1.5, 9, 1)
    assert [score_of(cut >= X, Y) for cut in cuts] == pytest.approx(expected, rel=1e-8)
    tree = SurvivalTree(max_depth=1, min_samples_leaf=1).fit(X[:, None], Y)
    assert tree.tree_.threshold[0] == 2.5


def test_weights_of_ten_rows():
    weight = np.array([1.0, 2, 1, 1, 3, 1, 1, 2, 1, 1])
    assert score_of(LEFT, Y, weight=weight) == pytest.approx(8.70867133, rel=1e-8)
    u, v = oracle.log_rank("logrank", TIME, EVENT, weight, LEFT)
    assert (u, v) == pytest.approx((3.57997558, 1.47166251), rel=1e-8)


def test_categories_of_ten_rows():
    letters = np.array(list("abcabdcdbc"), dtype=object)[:, None]
    tree = SurvivalTree(max_depth=1, min_samples_leaf=1).fit(letters, Y).tree_
    assert tree.gain[0] == pytest.approx(6.26999947, rel=1e-8)
    assert tree.optimal[0]
    codes, branches = tree.listed(0)
    assert codes[branches == 0].tolist() == [0]


@pytest.fixture(scope="module")
def root_of_ten_rows():
    return SurvivalTree(max_depth=1).fit(np.zeros((10, 1)), Y)


def test_the_curves_of_ten_rows(root_of_ten_rows):
    tree, row = root_of_ten_rows, np.zeros((1, 1))
    survival = tree.predict_survival_function(row, times=[4, 7])[0]
    assert survival == pytest.approx([0.8, 0.4285714286], rel=1e-9)
    hazard = tree.predict_cumulative_hazard_function(row, times=[7, 4])[0]
    assert hazard == pytest.approx([0.7706349206, 0.2111111111], rel=1e-9)


def test_what_follows_from_the_curves_of_ten_rows(root_of_ten_rows):
    tree, row = root_of_ten_rows, np.zeros((1, 1))
    assert tree.predict_quantile(row, 0.25) == [5]
    assert tree.predict_median(row) == [7]
    assert tree.predict_rmst(row, 8) == pytest.approx(6.185714286, rel=1e-9)
    assert tree.predict(row) == pytest.approx(3.226984127, rel=1e-9)


def hand_made_tree():
    """Return the tree 0(1,2), 1(3,4), 2(5,6), 3(7,8), in preorder."""
    scores = [10.0, 1, 5, np.nan, np.nan, np.nan, 3, np.nan, np.nan]
    left = np.array([1, 2, 3, -1, -1, -1, 7, -1, -1])
    right = np.array([6, 5, 4, -1, -1, -1, 8, -1, -1])
    sibling = np.full(9, -1)
    sibling[left[left >= 0]] = right[left >= 0]
    inner = left >= 0
    n = len(left)
    arrays = {
        "children_left": left,
        "children_right": right,
        "next_sibling": sibling,
        "feature": np.where(inner, 0, -2),
        "kind": np.zeros(n, np.uint8),
        "threshold": np.where(inner, 0.5, -2.0),
        "split_begin": np.zeros(n + 1, np.int64),
        "split_value": np.zeros(0),
        "split_branch": np.zeros(0, np.int64),
        "missing_branch": np.zeros(n, np.int64),
        "default_branch": np.zeros(n, np.int64),
        "optimal": inner.astype(np.uint8),
        "gain": np.array(scores),
        "impurity": np.zeros(n),
        "n_node_samples": np.ones(n, np.int64),
        "weighted_n_node_samples": np.ones(n),
        "value": np.zeros((n, 1, 1)),
    }
    return Tree(arrays, 1, [1])


def test_split_complexity_takes_weakest_links_first():
    tree = hand_made_tree()
    price = split_complexities(tree, tree.gain)
    three = tree.cut(price <= 3)
    assert three.gain[three.children_left >= 0].tolist() == [10]
    assert tree.cut(price <= 10).node_count == 1


# --- veteran ---


@pytest.fixture(scope="module")
def veteran():
    data = load("veteran")
    return data.columns, data.y


OF_VETERAN = [
    ("logrank", {}, 44.49501943),
    ("fleming_harrington", {"rho": 1}, 55.18361672),
    ("fleming_harrington", {"rho": 0.5}, 52.97154357),
    ("gehan", {}, 55.69914514),
    ("tarone_ware", {}, 53.61799537),
    ("peto_peto", {}, 55.29194882),
    ("peto_peto", {"andersen": True}, 55.33897793),
    ("fleming_harrington", {"rho": 0, "gamma": 1}, 9.081015011),
    ("fleming_harrington", {"rho": 0.5, "gamma": 0.5}, 38.07083238),
    ("logrank_score", {}, 21.23523171),
    ("logrank_score", {"ties": "hothorn_lausen"}, 21.32649286),
    ("approximate_logrank", {}, 41.52876317),
    ("poisson", {}, 15.19125891),
    ("exponential", {}, 20.42430707),
    ("full_likelihood", {}, 15.18455102),
    ("harrell_c", {}, 0.1437990224),
    ("harrell_c", {"ties": "ignore"}, 0.8443113772),
    ("rmst_difference", {"tau": 365}, 35.64244036),
    ("l1", {}, 20.57838865),
]


@pytest.mark.parametrize(("criterion", "params", "expected"), OF_VETERAN)
def test_veteran_at_karno_45(veteran, criterion, params, expected):
    columns, y = veteran
    found = score_of(columns["karno"] <= 45, y, criterion, **params)
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("criterion", "params", "u", "v"),
    [
        ("logrank", {}, 22.85702849, 11.74162317),
        ("fleming_harrington", {"rho": 1.0}, 18.48841552, 6.194257076),
    ],
)
def test_veteran_by_the_oracle(veteran, criterion, params, u, v):
    columns, y = veteran
    left, weight = columns["karno"] <= 45, np.ones(137)
    found = oracle.log_rank(criterion, y["time"], y["status"], weight, left, **params)
    assert found == pytest.approx((u, v), rel=1e-8)


BEST_CUTS = [
    ("karno", "logrank", 45, 44.49501943),
    ("karno", "gehan", 45, 55.69914514),
    ("karno", "approximate_logrank", 45, 41.52876317),
    ("karno", "poisson", 45, 15.19125891),
    ("karno", "logrank_score", 87.5, 21.957917),
    ("karno", "harrell_c", 55, 0.15209731),
    ("karno", "l1", 65, 23.678985),
    ("age", "logrank", 35.5, 5.417907),
    ("age", "gehan", 35.5, 7.3300917),
    ("age", "logrank_score", 58.5, 3.2569487),
    ("age", "harrell_c", 64.5, 0.029669205),
]


@pytest.mark.parametrize(("column", "criterion", "cut", "expected"), BEST_CUTS)
def test_best_cuts_of_veteran(veteran, column, criterion, cut, expected):
    columns, y = veteran
    tree = SurvivalTree(criterion, max_depth=1, min_samples_leaf=1)
    tree.fit(columns[column][:, None], y)
    assert tree.tree_.threshold[0] == cut
    assert tree.tree_.gain[0] == pytest.approx(expected, rel=5e-8)


def test_maxstat_of_veteran(veteran):
    columns, y = veteran
    params = {"alpha": 1.0}
    tree = SurvivalTree("maxstat", max_depth=1, criterion_params=params)
    tree.fit(columns["karno"][:, None], y)
    assert tree.tree_.threshold[0] == 45
    assert np.sqrt(tree.tree_.gain[0]) == pytest.approx(4.618061591, rel=1e-9)
    tree.fit(columns["age"][:, None], y)
    assert tree.tree_.threshold[0] == 58.5
    assert np.sqrt(tree.tree_.gain[0]) == pytest.approx(1.799299334, rel=1e-9)


def test_the_p_of_maxstat_decides(veteran):
    # age: Lau92 .6077113934, Lau94 .6753299724; karno: Lau94 1.916270603e-05
    columns, y = veteran
    for column, p in (("age", 0.6077113934), ("karno", 1.916270603e-05)):
        for alpha, n_leaves in ((p * (1 - 1e-8), 1), (p * (1 + 1e-8), 2)):
            tree = SurvivalTree(
                "maxstat", max_depth=1, criterion_params={"alpha": alpha}
            ).fit(columns[column][:, None], y)
            assert tree.get_n_leaves() == n_leaves, (column, alpha)


def test_ctree_of_veteran(veteran):
    # Statistics 30.4199319, .5183279774, .6438945371: chi-square of one degree.
    from scipy.stats import chi2

    columns, y = veteran
    statistics = {"karno": 30.4199319, "age": 0.5183279774, "diagtime": 0.6438945371}
    for column, statistic in statistics.items():
        p = chi2.sf(statistic, 1)
        for alpha, is_split in ((p * (1 - 1e-6), False), (p * (1 + 1e-6), True)):
            tree = SurvivalTree(
                "ctree", max_depth=1, criterion_params={"alpha": alpha}
            ).fit(columns[column][:, None], y)
            assert (tree.get_n_leaves() == 2) == is_split, (column, alpha)


def test_ctree_pays_for_looking_at_more_columns(veteran):
    from scipy.stats import chi2

    columns, y = veteran
    X = np.column_stack([columns["diagtime"], columns["age"]])
    p = 1 - (1 - chi2.sf(0.6438945371, 1)) ** 2
    for alpha, n_leaves in ((p * (1 - 1e-6), 1), (p * (1 + 1e-6), 2)):
        tree = SurvivalTree("ctree", max_depth=1, criterion_params={"alpha": alpha})
        assert tree.fit(X, y).get_n_leaves() == n_leaves


def test_the_best_subset_of_cell_types(veteran):
    columns, y = veteran
    tree = SurvivalTree(max_depth=1, min_samples_leaf=1)
    tree.fit(columns["celltype"][:, None], y)
    assert tree.tree_.gain[0] == pytest.approx(24.52418592, rel=1e-9)
    assert tree.tree_.optimal[0]
    codes, branches = tree.tree_.listed(0)
    names = np.array(tree.schema_.columns[0].categories)
    sides = [set(names[codes[branches == b].astype(int)]) for b in (0, 1)]
    assert {"smallcell", "adeno"} in sides


def rpart_of(columns, y, **limits):
    kinds = ["squamous", "smallcell", "adeno", "large"]
    X = np.column_stack(
        [
            columns["trt"],
            [kinds.index(kind) + 1.0 for kind in columns["celltype"]],
            *(columns[name] for name in ("karno", "diagtime", "age", "prior")),
        ]
    )
    return SurvivalTree("full_likelihood", **limits).fit(X, y)


def test_the_root_of_rpart(veteran):
    tree = rpart_of(*veteran, max_depth=1, min_samples_leaf=15).tree_
    deviance = tree.impurity * tree.weighted_n_node_samples
    assert tree.threshold[0] == 45
    assert 2 * tree.gain[0] == pytest.approx(30.36910204, rel=1e-9)
    assert tree.n_node_samples[1:].tolist() == [38, 99]
    expected = [157.5647197, 46.39903451, 80.86026982]
    assert deviance == pytest.approx(expected, rel=1e-9)


def test_the_rates_of_rpart(veteran):
    tree = rpart_of(*veteran, max_depth=1, min_samples_leaf=15)
    expected = [1, 2.508803226, 0.8010215755]
    assert tree.event_rates_ == pytest.approx(expected, rel=1e-9)


def test_the_tree_of_rpart(veteran):
    limits = {"min_samples_leaf": 15, "min_samples_split": 30}
    tree = rpart_of(*veteran, **limits).tree_
    sizes = tree.n_node_samples[tree.children_left < 0].tolist()
    assert sorted(sizes) == sorted([28, 23, 15, 16, 17, 19, 19])


@pytest.fixture(scope="module")
def root_of_veteran(veteran):
    return SurvivalTree(max_depth=1).fit(np.zeros((137, 1)), veteran[1])


def test_the_curves_of_veteran(root_of_veteran):
    tree, row, times = root_of_veteran, np.zeros((1, 1)), [30, 100, 365]
    survival = tree.predict_survival_function(row, times=times)[0]
    expected = [0.700435007, 0.4179945072, 0.09004510676]
    assert survival == pytest.approx(expected, rel=1e-9)
    hazard = tree.predict_cumulative_hazard_function(row, times=times)[0]
    expected = [0.352658368, 0.8633161224, 2.359198883]
    assert hazard == pytest.approx(expected, rel=1e-9)


def test_what_follows_from_the_curves_of_veteran(root_of_veteran):
    tree, row = root_of_veteran, np.zeros((1, 1))
    assert tree.predict_quantile(row, 0.25) == [25]
    assert tree.predict_median(row) == [80]
    assert tree.predict_rmst(row, 365) == pytest.approx(115.6592156, rel=1e-9)
    assert tree.predict(row) == pytest.approx(107.2221046, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "column", "cut", "expected"),
    [
        ("lung", "sex", 1.5, 10.32674195),
        ("lung", "age", 63.5, 1.880999125),
        ("gbsg", "nodes", 3.5, 67.90604761),
    ],
)
def test_other_sets_of_r(name, column, cut, expected):
    data = load(name)
    found = score_of(data.columns[column] <= cut, data.y)
    assert found == pytest.approx(expected, rel=1e-9)


def test_the_root_of_veteran_as_scikit_survival_has_it(veteran):
    columns, y = veteran
    kinds = np.unique(columns["celltype"].astype(str), return_inverse=True)[1]
    names = ("age", "diagtime", "karno", "prior", "trt")
    others = [columns[name].astype(np.float32) for name in names]
    X = np.column_stack([others[0], kinds, *others[1:]])
    tree = SurvivalTree(min_samples_leaf=15, min_samples_split=30).fit(X, y)
    assert tree.tree_.gain[0] == pytest.approx(44.4950, abs=5e-5)
    assert tree.get_n_leaves() == 7


# --- scikit-survival's edges ---


def test_a_split_without_a_difference_is_made():
    X = np.array([[0.0], [1], [0], [1]])
    y = ([1.0, 1, 2, 2], [1, 1, 1, 1])
    tree = SurvivalTree(min_samples_split=2, min_samples_leaf=1).fit(X, y)
    assert tree.tree_.threshold[0] == 0.5
    assert tree.tree_.gain[0] == pytest.approx(0, abs=1e-12)
    assert tree.predict(X).tolist() == [2, 2, 2, 2]


def test_a_side_without_events_does_not_die():
    X = np.array([[0.0], [1], [0], [1]])
    y = ([1.0, 1, 2, 3], [1, 0, 0, 1])
    tree = SurvivalTree(min_samples_split=2, min_samples_leaf=1).fit(X, y)
    curves = tree.predict_survival_function(X[:2], return_array=True)
    assert curves.tolist() == [[0.5, 0.5, 0.5], [1, 1, 0]]
    assert tree.predict(X).tolist() == [1, 1, 1, 1]


def test_exposures_of_rpart(veteran):
    _, y = veteran
    places = np.unique(y["time"], return_inverse=True)[1]
    found = _core.expected_events(Times.read(y, 137, None).core(None))
    expected = [0.6549845667, 3.003458799, 1.691433427, 1.097166034, 1.049667796]
    assert found[places[:5]] == pytest.approx(expected, rel=1e-9)
    assert found[places].sum() == pytest.approx(128)
    found = _core.expected_events(Times.read(Y, 10, None).core(None))
    expected = [0.1, 0.2111111111, 0.2111111111, 0.3539682540, 0.5206349206]
    places = np.unique(TIME, return_inverse=True)[1]
    assert found[places[:5]] == pytest.approx(expected, rel=1e-9)
