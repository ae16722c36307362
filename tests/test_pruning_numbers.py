# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of pruning that were worked out elsewhere, on trees written by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from small_trees import COLUMNS, HELD, NODES, TREES, distinct_of

import ramify
from ramify import _core
from ramify.pruning import counting
from ramify.pruning.nodes import Nodes
from ramify.pruning.sequence import risks, weakest_links
from ramify.pruning.settings import settings_of
from ramify.pruning.shrink import shrunk_values
from ramify.pruning.simplify import simplified

COSTS = np.array([[0.0, 1, 4], [2, 0, 1], [1, 1, 0]])
N_TESTS = {"H15": 87, "H15f": 87, "W": 6, "I": 119}


def judge(name, method, **params):
    """Prune one of the trees."""
    nodes = Nodes(TREES[name], costs=params.pop("costs", None), is_multiway=name == "W")
    settings = settings_of(method, params)
    if method == "ccp":
        return counting.cost_complexity(nodes, settings)
    if method == "pep":
        return counting.pessimistic(nodes, settings)
    if method == "ebp":
        return counting.error_based(nodes, settings)
    if method == "mep":
        return counting.minimum_error(nodes, settings)
    if method == "cvp":
        return counting.critical_value(nodes, settings)
    if method == "km":
        return counting.kearns_mansour(nodes, settings, N_TESTS[name])
    v = distinct_of(NODES[name])
    bits = counting.test_bits(nodes, v, np.zeros_like(v))
    labels = counting.label_bits(nodes.of_one_output)
    found = counting.bottom_up(nodes.tree, labels, of_test=1 + bits)
    return counting.cut_by(nodes.tree, *found[:3])


def leaves_of(tree, outcome):
    """List the nodes of a tree that are leaves after pruning."""
    path = outcome.path
    if "decision" in path:
        cut = set(path["node"][path["decision"] == "cut"].tolist())
        gone = set(path["node"][path["decision"] == "gone"].tolist())
        marked = np.zeros(tree.node_count, dtype=bool)
        marked[list(cut)] = True
        below = tree.is_below(marked)
        leaves = {i for i in range(tree.node_count) if tree.children_left[i] < 0}
        found = sorted(cut | {i for i in leaves if not below[i]})
        assert not cut & gone
    else:
        found = leaves_at(tree, outcome)
    assert outcome.tree.n_leaves == len(found)
    return found


def leaves_at(tree, outcome):
    step = int(np.flatnonzero(outcome.path["chosen"])[0])
    alpha = outcome.path["alpha"][step]
    collapse = leaves_at.collapse
    marked = (collapse <= alpha + 1e-12) | (tree.children_left < 0)
    below = tree.is_below(marked)
    return [i for i in range(tree.node_count) if marked[i] and not below[i]]


ALL = "all"
REMAINING = [
    ("pep", {}, "2 5 8", "2 5 8", ALL, "1 4 7 12"),
    ("pep", {"n_se": 0}, "3 4 5 9 11 12 13 14", "3 4 5 8", ALL, "1 5 6 8 10 11 12"),
    *(
        (
            "ebp",
            {"raising": False, "bound": bound},
            *("3 4 5 8", "3 4 5 8", ALL, "1 5 6 8 10 11 12"),
        )
        for bound in ("j48", "c45", "exact")
    ),
    (
        "ebp",
        {"raising": False, "cf": 0.1},
        *("2 5 8", "3 4 5 8", ALL, "1 5 6 8 10 11 12"),
    ),
    ("mep", {}, "3 4 5 9 11 12 13 14", "3 4 5 8", ALL, "1 5 6 8 10 11 12"),
    ("mep", {"prior": "laplace"}, "3 4 5 8", "3 4 5 8", ALL, "1 5 6 8 10 11 12"),
    ("mep", {"m": 20}, "2 5 8", "2 5 8", ALL, "1 3 12"),
    (
        "cvp",
        {"measure": "gini", "critical": 0.15},
        *("2 5 9 11 12 13 14", "2 5 8", ALL, "1 4 8 10 11 14 15 16"),
    ),
    (
        "cvp",
        {},
        *("3 4 5 9 10 13 14", "3 4 5 9 10 13 14", ALL, "1 5 6 7 13 16"),
    ),
    ("cvp", {"significance": 0.001}, "2 5 8", "3 4 5 8", "0", "1 5 6 7 13 16"),
    ("mdl", {}, "2 5 8", "2 5 8", "0", "1 3 12"),
    ("ccp", {"alpha": "bic"}, "2 5 8", "2 5 8", "0", "1 4 7 12"),
    ("km", {}, "0", "0", "0", "0"),
]


@pytest.mark.parametrize("row", REMAINING, ids=lambda row: f"{row[0]}-{row[1]}")
def test_the_table_of_remaining_leaves(row):
    method, params, *expected = row
    for name, leaves in zip(TREES, expected, strict=True):
        tree = TREES[name]
        outcome = judge(name, method, **params)
        if method == "ccp":
            risk = risks(Nodes(tree), "entropy")
            leaves_at.collapse = _core.weakest_links(tree.arrays(), risk)
        full = np.flatnonzero(tree.children_left < 0).tolist()
        wanted = full if leaves == ALL else [int(i) for i in leaves.split()]
        assert leaves_of(tree, outcome) == wanted, name


def path_of(name, risk, costs=None):
    nodes = Nodes(TREES[name], costs=costs)
    of_node = risks(nodes, risk)
    sequence, _ = weakest_links(TREES[name], of_node)
    return sequence.alphas, sequence.n_leaves.tolist(), sequence.over_steps(of_node)


@pytest.mark.parametrize(
    ("name", "risk", "alphas", "leaves"),
    [
        ("H15", "error", [0, 0.00833333, 0.0125, 0.175, 0.2375], [7, 4, 3, 2, 1]),
        (
            *("H15", "gini"),
            [0, 0.00188492, 0.01605063, 0.03601190, 0.12912415, 0.17291742],
            [8, 7, 4, 3, 2, 1],
        ),
        (
            *("H15", "entropy"),
            [
                *(0, 0.01221700, 0.05177137, 0.05458572),
                *(0.07822089, 0.22313215, 0.45268943),
            ],
            [8, 7, 6, 4, 3, 2, 1],
        ),
        ("H15f", "error", [0, 0.005, 0.0175, 0.175, 0.2375], None),
        ("W", "error", [0, 0.08928571], [5, 1]),
        ("W", "gini", [0, 0.11479592], [5, 1]),
        ("W", "entropy", [0, 0.23507149], [5, 1]),
        (
            *("I", "error"),
            [0, 0.00333333, 0.00666667, 0.01333333, 0.29333333, 0.33333333],
            [9, 7, 4, 3, 2, 1],
        ),
        (
            *("I", "gini"),
            [
                *(0, 0.00652174, 0.00888889, 0.01305556),
                *(0.02966049, 0.25979603, 0.33333333),
            ],
            None,
        ),
    ],
)
def test_paths_of_weakest_links(name, risk, alphas, leaves):
    found, n_leaves, _ = path_of(name, risk)
    np.testing.assert_allclose(found, alphas, atol=5e-9)
    if leaves is not None:
        assert n_leaves == leaves


def test_risks_along_the_path_of_errors():
    _, _, risk = path_of("H15", "error")
    np.testing.assert_allclose(risk, [0.1875, 0.2125, 0.225, 0.4, 0.6375], atol=1e-12)
    assert path_of("H15", "gini")[2][0] == pytest.approx(0.27534722, abs=5e-9)


def test_a_path_with_costs():
    alphas, leaves, risk = path_of("H15", "cost", COSTS)
    np.testing.assert_allclose(alphas, [0, 0.05, 0.0625, 0.125], atol=1e-12)
    assert leaves == [6, 4, 3, 1]
    np.testing.assert_allclose(risk, [0.2375, 0.3375, 0.4, 0.65], atol=1e-12)
    found = judge("H15", "mep", costs=COSTS).path
    check(
        found,
        {2: (0.399167, 0.249064), 8: (0.654545, 0.494014), 10: (0.775, 0.756667)},
    )


def test_bic_is_a_price_of_half_a_logarithm_per_share():
    for name, alpha in (("H15", 0.11853615), ("W", 0.27195392), ("I", 0.07228819)):
        n, k = TREES[name].weighted_n_node_samples[0], TREES[name].max_n_classes
        assert k * np.log2(n) / (2 * n) == pytest.approx(alpha, abs=5e-9)


def check(path, expected, atol=5e-7):
    """Compare what nodes are worth as a leaf and as a subtree."""
    at = {int(node): i for i, node in enumerate(path["node"])}
    for node, (leaf, subtree) in expected.items():
        assert path["as_leaf"][at[node]] == pytest.approx(leaf, abs=atol), node
        assert path["as_subtree"][at[node]] == pytest.approx(subtree, abs=atol), node


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "H15",
            {
                **{0: (51.5, 19, 3.806245), 1: (23.5, 10, 2.821203)},
                **{2: (5.5, 5, 2.026609), 5: (4.5, 5, 1.951800)},
                **{8: (9.5, 9, 2.527271), 10: (4.5, 3, 1.309307)},
            },
        ),
        ("H15f", {8: (9.5, 9.8, 2.588810)}),
        ("W", {0: (5.5, 2.5, 1.433029), 1: (2.5, 1, 0.894427), 5: (2.5, 1, 0.894427)}),
        ("I", {3: (5.5, 2.5, 1.544105), 12: (1.5, 1.5, 1.204611)}),
    ],
)
def test_pessimistic_errors(name, expected):
    nodes = Nodes(TREES[name])
    leaf, subtree, error = counting.pessimistic_errors(nodes, 1.0, 0.5)
    for node, numbers in expected.items():
        found = (leaf[node], subtree[node], error[node])
        assert found == pytest.approx(numbers, abs=5e-7)


@pytest.mark.parametrize(
    ("n", "errors", "j48", "c45", "exact"),
    [
        (1, 0, 0.75, 0.75, 0.75),
        (2, 0, 1, 1, 1),
        (6, 0, 1.23779684, 1.23779684, 1.23779684),
        (9, 0, 1.28480415, 1.28480415, 1.28480415),
        (6, 1, 1.30350656, 1.32648544, 1.33687691),
        (16, 1, 1.47571463, 1.50689396, 1.55377142),
        (14, 5, 1.76111981, 1.79499315, 1.76918404),
        (2, 1, 0.79149304, 0.79624113, 0.73205081),
        (5.5, 0.6, 1.25769367, 1.27083611, 1.29278242),
        (4.3, 1.7, 1.16008385, 1.17584474, 1.13763747),
        (1.2, 0.9, 0.26220237, 0.20280237, 0.29474890),
        (1, 1, 0, 0, 0),
        (0, 0, 0, 0, 0),
    ],
)
def test_added_errors_of_the_three_bounds(n, errors, j48, c45, exact):
    for bound, number in (("j48", j48), ("c45", c45), ("exact", exact)):
        found = _core.added_errors(n, errors, bound, 0.25)
        assert found == pytest.approx(number, abs=6e-9), bound


def test_quinlans_textbook_case_is_cut():
    leaves = sum(_core.added_errors(n, 0, "c45", 0.25) for n in (6, 9, 1))
    one = 1 + _core.added_errors(16, 1, "c45", 0.25)
    assert leaves == pytest.approx(3.27260, abs=5e-6)
    assert one == pytest.approx(2.50689, abs=5e-6)


@pytest.mark.parametrize(
    ("name", "params", "expected"),
    [
        (
            *("H15", {}),
            {
                **{0: (0.637500, 0.247836), 1: (0.475980, 0.209403)},
                **{2: (0.209167, 0.193629), 5: (0.230435, 0.265121)},
                **{8: (0.315909, 0.308584), 10: (0.586111, 0.425952)},
            },
        ),
        (
            *("H15", {"prior": "laplace"}),
            {2: (0.225806, 0.21875), 5: (0.25, 0.297619), 8: (0.323529, 0.329647)},
        ),
        ("H15f", {}, {8: (0.315909, 0.325218)}),
        (
            *("W", {}),
            {0: (0.357143, 0.191156), 1: (0.469388, 0.225714), 5: (0.387755, 0.214286)},
        ),
        ("I", {}, {12: (0.048611, 0.051852), 4: (0.046667, 0.035903)}),
    ],
)
def test_minimum_errors(name, params, expected):
    check(judge(name, "mep", **params).path, expected)


def test_strengths_of_tests():
    from scipy.stats import chi2

    expected = {
        0: (0.17291742, 0.45268943, 44.774878, 2),
        1: (0.21081494, 0.36429738, 22.386946, 2),
        2: (0.10289116, 0.22348827, 9.820290, 1),
        5: (0.00718065, 0.04654096, 0.983660, 2),
        8: (0.07741192, 0.28173274, 13.604437, 4),
        10: (0.20748299, 0.59167278, 4.277778, 2),
    }
    nodes = Nodes(TREES["H15"])
    found = {
        measure: counting.strengths_by(nodes, measure)
        for measure in ("gini", "entropy", "chi2")
    }
    for node, (gini, entropy, statistic, degrees) in expected.items():
        assert found["gini"][node] == pytest.approx(gini, abs=5e-9)
        assert found["entropy"][node] == pytest.approx(entropy, abs=5e-9)
        wanted = chi2.cdf(statistic, degrees)
        assert found["chi2"][node] == pytest.approx(wanted, abs=2e-7)
    p = 1 - counting.strengths_by(Nodes(TREES["W"]), "chi2")
    assert p[0] == pytest.approx(0.16976616, abs=5e-9)
    assert p[1] == p[5] == pytest.approx(0.02534732, abs=5e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "H15",
            {
                **{0: (135.198360, 110.781788), 1: (63.068060, 59.360838)},
                **{2: (26.413223, 31.980725), 5: (25.040724, 35.569283)},
                **{8: (42.813620, 48.557984), 10: (15.600561, 20.794845)},
            },
        ),
        ("H15f", {2: (26.413223, 30.458043)}),
        ("W", {0: (17.219177, 22.485922), 1: (8.167213, 8.595474)}),
        (
            "I",
            {
                **{0: (247.624690, 71.159965), 3: (32.439886, 33.317144)},
                12: (15.125519, 22.239032),
            },
        ),
    ],
)
def test_description_lengths(name, expected):
    assert COLUMNS[name] == TREES[name].n_features
    check(judge(name, "mdl").path, expected)


def test_the_bound_of_kearns_and_mansour():
    check(judge("H15", "km").path, {0: (0.6375, 0.4000 + 0.5096)}, atol=6e-5)
    check(judge("I", "km").path, {0: (0.6667, 0.3333 + 0.3860)}, atol=1e-4)


def test_reduced_errors_of_held_rows():
    tree, nodes = TREES["H15"], Nodes(TREES["H15"])
    errors = nodes.lost(HELD[:, None])
    is_leaf, leaf, subtree, _ = counting.bottom_up(tree, errors)
    expected = {2: (2, 3), 5: (3, 3), 1: (10, 5), 10: (3, 3), 8: (5, 6), 0: (23, 10)}
    for node, numbers in expected.items():
        assert (leaf[node], subtree[node]) == numbers
    assert [i for i in (2, 5, 8, 10) if is_leaf[i]] == [2, 5, 8, 10]
    small = tree.cut(is_leaf.astype(bool))
    assert small.n_leaves == 3
    assert errors[np.flatnonzero(tree.children_left < 0)].sum() == 12


def test_reduced_errors_on_iris():
    X, y = load_iris(return_X_y=True)
    held = np.flatnonzero(np.arange(150) % 3 == 0)
    model = ramify.DecisionTreeClassifier(
        prune="rep", prune_params={"holdout": held, "refit": "none"}
    ).fit(X, y)
    assert (model.n_rows_grown_, model.n_rows_held_) == (100, 50)
    grown = ramify.DecisionTreeClassifier().fit(
        X[np.arange(150) % 3 > 0], y[np.arange(150) % 3 > 0]
    )
    assert grown.get_n_leaves() == 7
    assert (grown.predict(X[held]) != y[held]).sum() == 7
    assert model.get_n_leaves() == 3
    assert (model.predict(X[held]) != y[held]).sum() == 3


def test_leaves_smoothed_by_laplace():
    assert TREES["H15"].smoothed()[4, 0] == pytest.approx([0.4, 0.5, 0.1])


def test_simplified_leaves():
    for name in TREES:
        nodes = Nodes(TREES[name])
        small = simplified(nodes, merge=False, implied=False, twins=False)
        assert small.n_leaves == (8 if name.startswith("H15") else TREES[name].n_leaves)
    merged = simplified(Nodes(TREES["H15"]), implied=False, twins=False)
    assert merged.n_leaves == 6  # 3 4 5 {9, 13, 14} 11 12
    node = int(np.flatnonzero(merged.kind == 1)[0])
    assert merged.listed(node)[1].tolist() == [0, 1, 0, 0]
    costly = simplified(Nodes(TREES["H15"], costs=COSTS), merge=False, implied=False)
    assert costly.n_leaves == 7  # node 10, too


@pytest.mark.parametrize(
    ("name", "amount", "expected"),
    [
        (
            *("H15", 1),
            {3: (0.939974, 0.056321, 0.003706), 12: (0.629817, 0.313039, 0.057144)},
        ),
        (
            *("H15", 10),
            {
                **{
                    3: (0.849950, 0.116914, 0.033136),
                    4: (0.463985, 0.502879, 0.033136),
                },
                11: (0.303641, 0.113781, 0.582578),
                14: (0.053129, 0.348127, 0.598744),
            },
        ),
        ("H15f", 10, {11: (0.334763, 0.142509, 0.522729)}),
        ("W", 10, {2: (0.367857, 0.632143), 6: (0.417857, 0.582143)}),
        (
            *("I", 10),
            {10: (0.020833, 0.577502, 0.401665), 14: (0.020833, 0.464599, 0.514567)},
        ),
    ],
)
def test_shrunk_values(name, amount, expected):
    found = shrunk_values(TREES[name], amount)
    for node, shares in expected.items():
        assert found[node, 0] == pytest.approx(shares, abs=6e-7)


def test_shrinkage_of_iris_by_folds():
    X, y = load_iris(return_X_y=True)
    tree = ramify.DecisionTreeClassifier().fit(X, y)
    calm = ramify.shrink(tree, "cv", X, y, cv=np.arange(150) % 5)
    assert calm.shrunk_ == 10
    expected = [
        *(0.12, 0.11895865, 0.11311588, 0.10506862),
        *(0.15567755, 0.23294973, 0.48657358),
    ]
    np.testing.assert_allclose(list(calm.shrink_path_.values()), expected, atol=6e-9)


FOLDS = np.arange(150) % 10


def test_iris_by_folds():
    X, y = load_iris(return_X_y=True)
    for se in (0, 1):
        model = ramify.DecisionTreeClassifier(
            prune="ccp_cv", prune_params={"cv": FOLDS, "se": se}
        ).fit(X, y)
        path = model._pruning
        assert model.get_n_leaves() == 7
        assert path["n_leaves"].tolist() == [9, 7, 4, 3, 2, 1]
        alphas = [0, 0.00333333, 0.00666667, 0.01333333, 0.29333333, 0.33333333]
        np.testing.assert_allclose(path["alpha"], alphas, atol=5e-9)
        betas = [0, 0.00471405, 0.00942809, 0.06253888, 0.31269438, np.inf]
        np.testing.assert_allclose(path["beta"], betas, atol=5e-9)
        errors = [0.04666667, 0.04, 0.06666667, 0.06666667, 0.33333333, 0.66666667]
        np.testing.assert_allclose(path["xerror"], errors, atol=5e-9)
        spread = [0.01722186, 0.016, 0.02036700, 0.02036700, 0.03849002, 0.03849002]
        np.testing.assert_allclose(path["xstd"], spread, atol=5e-9)


def test_petal_width_by_folds():
    X, _ = load_iris(return_X_y=True)
    chosen = {}
    for se in (0, 1):
        model = ramify.DecisionTreeRegressor(
            min_samples_split=20,
            min_samples_leaf=7,
            prune="ccp_cv",
            prune_params={"cv": FOLDS, "se": se},
        ).fit(X[:, :3], X[:, 3])
        chosen[se] = model.get_n_leaves()
        path = model._pruning
        errors = [
            *(0.03903893, 0.03902607, 0.03922094, 0.04074485, 0.04143636, 0.04468132),
            *(0.04904089, 0.05276135, 0.05258822, 0.04804054, 0.12371243, 0.57779479),
        ]
        np.testing.assert_allclose(path["xerror"], errors, atol=6e-9)
        assert path["xstd"][1] == pytest.approx(0.00578781, abs=6e-9)
    assert chosen == {0: 11, 1: 7}


RAISING = [
    *(("f", 6, 1), ("f", 2, 1), ("t", 5, 0), ("f", 8, 1), ("f", 7, 1), ("f", 8, 1)),
    *(("t", 2, 0), ("f", 8, 0), ("f", 1, 0), ("f", 4, 0), ("f", 1, 0), ("f", 4, 0)),
]


def test_a_branch_is_raised():
    X = [[a, float(x)] for a, x, _ in RAISING]
    y = [c for *_, c in RAISING]
    model = ramify.methods.make("c45").fit(X, y)
    small = ramify.prune(model, "ebp", X, y)
    path = small._pruning
    root = {name: column[0] for name, column in path.items()}
    assert root["decision"] == "raised"
    assert root["as_leaf"] == pytest.approx(6.66113658, abs=5e-9)
    assert root["as_subtree"] == pytest.approx(5.50066511, abs=5e-9)
    assert root["as_branch"] == pytest.approx(4.59234837, abs=5e-9)
    tree = small.tree_
    assert tree.node_count == 3
    counts = tree.value[:, 0] * tree.weighted_n_node_samples[:, None]
    np.testing.assert_allclose(counts, [[7, 5], [6, 1], [1, 4]])
    assert ramify.prune(model, "ebp", raising=False).get_n_leaves() == 3


# Numbered, so that the categories stand in the order of WEKA's file.
OUTLOOK = "1sunny 1sunny 2overcast 3rainy 3rainy 3rainy 2overcast 1sunny 1sunny 3rainy"
WEATHER = {
    "outlook": f"{OUTLOOK} 1sunny 2overcast 2overcast 3rainy".split(),
    "temperature": [
        *("hot", "hot", "hot", "mild", "cool", "cool", "cool", "mild", "cool"),
        *("mild", "mild", "mild", "hot", "mild"),
    ],
    "humidity": [
        *("high", "high", "high", "high", "normal", "normal", "normal", "high"),
        *("normal", "normal", "normal", "high", "normal", "high"),
    ],
    "windy": [
        *("false", "true", "false", "false", "false", "true", "true", "false"),
        *("false", "false", "true", "true", "false", "true"),
    ],
}
PLAY = [
    *("no", "no", "yes", "yes", "yes", "no", "yes"),
    *("no", "yes", "yes", "yes", "yes", "yes", "no"),
]


def test_weather_stays_whole():
    X = np.array(list(WEATHER.values()), dtype=object).T
    tree = ramify.methods.make("c45").fit(X, PLAY)
    small = ramify.prune(tree, "ebp", X, PLAY)
    assert small.get_n_leaves() == tree.get_n_leaves() == 5
    path = small._pruning
    assert path["as_leaf"] == pytest.approx([6.761120, 3.221972, 3.221972], abs=5e-7)
    subtrees = [5.391810, 2.110118, 2.110118]
    assert path["as_subtree"] == pytest.approx(subtrees, abs=5e-7)
    assert path["as_branch"][0] == pytest.approx(7.695481, abs=5e-7)
    careful = ramify.prune(tree, "ebp", X, PLAY, cf=0.1)._pruning
    assert careful["as_leaf"][0] == pytest.approx(7.878603, abs=5e-7)
    assert careful["as_subtree"][0] == pytest.approx(7.700770, abs=5e-7)


def test_iris_by_error_based_pruning():
    X, y = load_iris(return_X_y=True)
    full = ramify.prune(ramify.DecisionTreeClassifier().fit(X, y), "ebp", X, y)
    assert full.get_n_leaves() == 7
    assert full._pruning["as_branch"][0] == pytest.approx(56.973827, abs=5e-7)
