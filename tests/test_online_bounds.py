# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of online trees: numbers of the design page, and exact probabilities."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ramify import _core
from ramify.criteria import catalogue
from ramify.criteria.planning import set_plan

T = np.array([[40.0, 10.0], [20.0, 30.0]])


def information(left, right):
    """The twin of the native function: n I in nats."""
    table = np.array([left, right], dtype=float)
    n = table.sum()
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nansum(np.where(table > 0, table * np.log(table / expected), 0))


def tail_bound(x, m):
    """What theorem 1 says of P(n I >= x)."""
    return math.exp(-x) * (math.e * x / m) ** m if x > m else 1.0


def needed(**given):
    of_a_cut = {"is_categorical": False, "has_missing": False}
    return _core.online_needed(**(of_a_cut | given))


def epsilon(kind, kind_of_gain, p, n, n_classes=2, range=1.0):
    return _core.online_epsilon(kind, kind_of_gain, p, n, n_classes, range)


def exact_chance(limit, class_sizes, share, atol=1e-9):
    """P(n I > limit) if sides are drawn independently of the given classes."""
    total = 0.0
    for counts in itertools.product(*(range(n + 1) for n in class_sizes)):
        p = math.prod(
            stats.binom.pmf(k, n, share)
            for k, n in zip(counts, class_sizes, strict=True)
        )
        right = np.array(class_sizes) - counts
        if information(counts, right) > limit + atol:
            total += p
    return total


def test_vfdt_needs_3224_rows_to_call_anything_a_tie():
    assert epsilon("hoeffding", 1, 1e-7, 200) == pytest.approx(0.200736741, abs=1e-9)
    assert (
        epsilon("hoeffding", 1, 1e-7, 3223)
        >= 0.05
        > epsilon("hoeffding", 1, 1e-7, 3224)
    )


def entropy_of(ones, n):
    p = np.clip(ones / np.maximum(n, 1), 1e-300, 1)
    q = np.clip(1 - p, 1e-300, 1)
    return -(p * np.log2(p) + q * np.log2(q))


@pytest.mark.parametrize(
    ("n", "chance"), [(200, 0.0456567228), (1000, 0.0454790966), (5000, 0.0451990013)]
)
def test_vfdt_is_certain_of_a_difference_that_is_not_there(n, chance):
    """Two columns with equal gains: (1, 0) or (0, 1), each with probability 0.1."""
    limit = epsilon("hoeffding", 1, 1e-7, n)
    mean, spread = 0.1 * n, 9 * math.sqrt(0.1 * n)
    counts = np.arange(max(0, int(mean - spread)), min(n, int(mean + spread)) + 1)
    a, b = np.meshgrid(counts, counts, indexing="ij")
    fits = a + b <= n
    log_p = np.where(
        fits,
        math.lgamma(n + 1)
        - _log_factorial(a)
        - _log_factorial(b)
        - _log_factorial(np.maximum(n - a - b, 0))
        + (a + b) * math.log(0.1)
        + np.maximum(n - a - b, 0) * math.log(0.8),
        -np.inf,
    )
    # On the left of a column are only ones; on its right are those of the other.
    gain_a = -(n - a) / n * entropy_of(b, n - a)
    gain_b = -(n - b) / n * entropy_of(a, n - b)
    found = np.exp(log_p)[np.abs(gain_a - gain_b) > limit].sum()
    assert found == pytest.approx(chance, abs=1e-9)


def _log_factorial(n):
    return np.vectorize(math.lgamma)(np.asarray(n) + 1.0)


def within(kind, side, label):
    """n times the impurity within two sides."""
    total = 0.0
    for each in (0, 1):
        n = (side == each).sum()
        p = np.bincount(label[side == each], minlength=2) / max(n, 1)
        with np.errstate(divide="ignore"):
            total += (
                n
                * {
                    "gini": 1 - (p**2).sum(),
                    "misclassification": 1 - p.max(),
                    "entropy": -(
                        p * np.where(p > 0, np.log2(np.maximum(p, 1e-9)), 0)
                    ).sum(),
                }[kind]
            )
    return total


@pytest.mark.parametrize(
    ("kind", "largest"), [("gini", 3), ("misclassification", 2), ("entropy", 6.490225)]
)
def test_one_row_changes_a_difference_of_gains_by_less_than_the_bound(kind, largest):
    rows = list(itertools.product((0, 1), repeat=3))  # sides of two splits, and class
    value = {}
    for chosen in itertools.combinations_with_replacement(range(8), 4):
        a, b, label = np.array([rows[i] for i in chosen]).T
        value[chosen] = within(kind, b, label) - within(kind, a, label)
    worst = max(
        abs(value[tuple(sorted((*three, i)))] - value[tuple(sorted((*three, j)))])
        for three in itertools.combinations_with_replacement(range(8), 3)
        for i in range(8)
        for j in range(8)
    )
    assert worst == pytest.approx(largest, abs=1e-6)
    assert worst <= _core.online_largest_change(kind, 4) + 1e-9


def test_the_plug_in_gini_is_too_low_by_a_known_amount():
    n, shares, impurities = 20, (0.3, 0.7), (0.5, 0.32)
    bias = -sum(
        g * (1 - (1 - r) ** n) / n for r, g in zip(shares, impurities, strict=True)
    )
    assert bias == pytest.approx(-0.0409800519, abs=1e-9)
    # The same by all sizes of the sides: n_t G_t loses G_t wherever there is a row.
    exact = sum(
        stats.binom.pmf(k, n, shares[0])
        * (impurities[0] * max(k - 1, 0) + impurities[1] * max(n - k - 1, 0))
        for k in range(n + 1)
    ) / n - (0.3 * 0.5 + 0.7 * 0.32)
    assert exact == pytest.approx(bias, abs=1e-9)
    # Type II of gini allows for no more than that.
    allowed = epsilon("gini", 2, 0.01, n) - epsilon("gini", 1, 0.01, n)
    assert -bias <= allowed


@pytest.mark.parametrize(
    ("p", "m", "x"),
    [
        (1e-7, 2, 23.0030554),
        (0.01, 2, 9.77944034),
        (1e-5, 6, 26.4033034),
        (1e-5, 50, 92.0026374),
    ],
)
def test_the_tail(p, m, x):
    found = _core.online_tail(p, m)
    assert found == pytest.approx(x, abs=1e-6)
    assert tail_bound(found, m) == pytest.approx(p, rel=1e-9)


def test_what_is_needed():
    assert _core.online_information(*T) == pytest.approx(8.63046217, abs=1e-7)
    assert _core.online_information(*T) == pytest.approx(information(*T))
    common = {"delta": 0.01, "n_classes": 2}
    assert needed(attempt=1, n_columns=2, n=5, **common) == pytest.approx(
        13.4060151, abs=1e-6
    )
    assert needed(attempt=5, n_columns=10, n=63, **common) == pytest.approx(
        21.1710637, abs=1e-6
    )
    for n, least in ((4, 13.9565028), (30, 33.7440464)):
        found = needed(attempt=1, n_columns=2, n=n, is_categorical=True, **common)
        assert found == pytest.approx(least, abs=1e-6)
    more = needed(attempt=1, n_columns=2, n=5, **(common | {"has_missing": True}))
    assert more > needed(attempt=1, n_columns=2, n=5, **common)


@pytest.mark.parametrize(
    ("limit", "sizes", "share", "exact", "bound"),
    [
        (8, (10, 30), 0.1, 7.07720381e-5, 0.0396600348),
        (5, (40, 40), 0.5, 0.00232650485, 0.311169177),
    ],
)
def test_theorem_1_holds_exactly(limit, sizes, share, exact, bound):
    assert exact_chance(limit, sizes, share) == pytest.approx(exact, rel=1e-6)
    assert tail_bound(limit, 2) == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize(
    ("left", "classes", "p", "exact"),
    [
        (0.3, (0.6, 0.3, 0.1), 0.5, 0.00281836195),
        (0.2, (0.9, 0.1), 0.3, 0.00110462421),
    ],
)
def test_the_number_of_classes_may_be_that_of_the_sample(left, classes, p, exact):
    n, chance = 12, 0.0
    k = len(classes)
    limits = {m: _core.online_tail(p, m) for m in range(1, k + 1)}
    for sizes in itertools.product(range(n + 1), repeat=k):
        if sum(sizes) != n:
            continue
        present = [size for size in sizes if size > 0]
        weight = stats.multinomial.pmf(sizes, n, classes)
        if len(present) > 1:
            chance += weight * exact_chance(limits[len(present)], present, left)
    assert chance == pytest.approx(exact, rel=1e-6)


def test_mcdiarmid():
    for kind, first, second in (
        ("gini", 0.191941036, 0.192941036),
        ("misclassification", 0.0959705182, 0.109466566),
        ("entropy", 1.09480842, 1.09913003),
    ):
        assert epsilon(kind, 1, 0.01, 1000) == pytest.approx(first, abs=1e-6)
        assert epsilon(kind, 2, 0.01, 1000) == pytest.approx(second, abs=1e-6)


def test_the_hybrids_are_certain_of_the_example():
    a = np.array([[900.0, 100.0], [150.0, 850.0]])
    b = np.array([[700.0, 300.0], [350.0, 650.0]])

    def gain(table, impurity):
        n = table.sum()
        whole = table.sum(0)
        inner = sum(side.sum() / n * impurity(side / side.sum()) for side in table)
        return impurity(whole / n) - inner

    errors = gain(a, lambda p: 1 - p.max()) - gain(b, lambda p: 1 - p.max())
    gini = gain(a, lambda p: 1 - (p**2).sum()) - gain(b, lambda p: 1 - (p**2).sum())
    assert errors == pytest.approx(0.2)
    assert gini == pytest.approx(0.22)
    assert errors > epsilon("misclassification", 1, 0.005, 2000)
    assert epsilon("misclassification", 1, 0.005, 2000) == pytest.approx(
        0.0727895416, abs=1e-9
    )
    assert epsilon("gini", 1, 0.005, 2000) == pytest.approx(0.145579083, abs=1e-9)
    assert epsilon("gini", 2, 0.005, 2000) == pytest.approx(0.146079083, abs=1e-9)


def test_the_normal_quantile():
    for p, z in ((1e-4, 3.71901649), (1e-7, 5.19933758)):
        assert _core.online_normal_quantile(p) == pytest.approx(z, abs=1e-7)
    for p in (0.4, 1e-12, 1e-200, 1e-300):
        assert _core.online_normal_quantile(p) == pytest.approx(
            stats.norm.isf(p), rel=1e-9
        )


@pytest.mark.parametrize(
    ("criterion", "influences", "deviation"),
    [
        ("gini", (0.156831991, -0.615871954, -0.464406604, 0.315985938), 0.347631708),
        (
            "hellinger",
            (0.567141204, -2.04155045, -1.12849412, 0.690318572),
            0.971132021,
        ),
    ],
)
def test_influences(criterion, influences, deviation):
    plan = _core.Plan()
    set_plan(plan, catalogue.resolve(criterion, None))
    found = _core.online_influences(plan, *T)
    assert found == pytest.approx(influences, abs=1e-6)
    weight = T.ravel() / T.sum()
    spread = math.sqrt((weight * found**2).sum() - (weight * found).sum() ** 2)
    assert spread == pytest.approx(deviation, abs=1e-6)


def test_theorem_2():
    left = np.array([1, 2, 2, 3, 1, 2] * 5, dtype=float)
    right = np.array([4, 5, 3, 4, 6, 5, 4] * 10, dtype=float)

    def sums(y):
        return (float(len(y)), float(y.sum()), float((y**2).sum()))

    found = _core.online_log_chance(sums(left), sums(right), 5.0)
    assert found == pytest.approx(-9.60261868, abs=1e-7)
    limit = math.log(0.01 / (1 * 2 * 2) / 5 / 2)
    assert limit == pytest.approx(-8.29404964, abs=1e-7)
    assert found < limit
    # By chance, with the same values on sides of the same sizes, it is rarer than that.
    rng, n_extreme = np.random.default_rng(0), 0
    y = np.concatenate([left[:6], right[:7]])
    mean, variance = y.mean(), y.var()
    for _ in range(2000):
        side = rng.permutation(y)[:5]
        distance = abs(side.sum() - 5 * mean)
        bound = 2 * math.exp(
            -(distance**2) / (2 * (5 * variance + np.ptp(y) * distance / 3))
        )
        n_extreme += bound < 0.3
    assert n_extreme <= 0.3 * 2000


def mix(x):
    """The mixer of `util/rng.hpp`."""
    x = np.asarray(x, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def test_adwin_finds_the_change():
    window = _core.Adwin(0.002)
    digits = mix(np.arange(4000)) % np.uint64(10)
    limits = np.where(np.arange(4000) < 2000, 2, 5)
    changes = [i + 1 for i, x in enumerate(digits < limits) if window.add(float(x))]
    assert changes[0] == 2112
    assert window.width == 2080
    assert window.mean == pytest.approx((digits < limits)[-2080:].mean())
