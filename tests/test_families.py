# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that come in families: twins, worked numbers, laws, convexity.

Random tables have empty cells and 2 to 5 classes, 2,000 of them for each law; the laws
hold to 1e-12 of the larger side, or of 1.
"""

import doctest
import warnings

import family_twins as family
import numpy as np
import pytest
from family_twins import FAMILIES
from scipy.stats import power_divergence
from test_criteria import SPLITS, random_counts, worked

import ramify
from ramify import _core
from ramify.criteria import balanced, get

TWINS = {twin.__name__: twin for twin in FAMILIES}
CASES = [
    *((name, {}) for name in sorted(TWINS)),
    *(("tsallis", {"q": q}) for q in (0.3, 1.0, 2.0, 7.0)),
    *(("tsallis_ratio", {"q": q}) for q in (0.5, 1.0, 3.0)),
    *(("renyi", {"q": q}) for q in (1.0, 2.0)),
    *(("sharma_mittal", {"q": q, "r": r}) for q, r in ((1, 2), (0.5, 1), (2, 1.5))),
    *(("two_power", {"a": a, "b": b}) for a, b in ((0.5, 2.0), (1.0, 1.0))),
    *(("alpha_divergence", {"alpha": a}) for a in (0.25, 0.5, 1.0, 2.0, 3.0)),
    ("bayes", {"alpha": 0.5}),
    ("bayes", {"alpha": 0.5, "equivalent": True}),
    *(("credal_gain", {"s": s}) for s in (0.0, 0.3, 4.0)),
    *(("credal_ratio", {"s": s}) for s in (0.0, 2.5)),
    *(("ks", {"mode": mode}) for mode in ("ovr_max", "ovr_mean", "ovo_mean")),
    *(("angle", {"mode": mode}) for mode in ("ovr_max", "ovo_max")),
    ("information_value", {"adjust": 0.0}),
    ("information_value", {"adjust": 3.0, "mode": "ovo_max"}),
    ("weighted_information_gain", {"power": 2.5}),
]


def label(case):
    name, params = case
    return repr(get(name, **params)) if params else name


def twin_of(name, params):
    return lambda parent, left, right: TWINS[name](parent, left, right, **params)


def quiet(name, **params):
    """Return a criterion; that it is not concave is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return get(name, **params)


def test_every_twin_has_a_value_worked_out_by_hand():
    result = doctest.testmod(family)
    assert result.failed == 0
    assert result.attempted >= len(FAMILIES)
    assert [name for name, twin in TWINS.items() if ">>> " not in twin.__doc__] == []


@pytest.mark.parametrize("case", CASES, ids=map(label, CASES))
def test_criterion_equals_its_twin(case):
    name, params = case
    criterion = quiet(name, **params)
    for n_classes in (2, 3, 4, 7, 10):
        rng = np.random.default_rng(n_classes)
        # Of weights that are no sums of powers of two, ties may be broken by rounding.
        units = (0.25, 3.0) if name == "weighted_information_gain" else (1 / 3, 0.7)
        for m, unit in ((1, 1.0), (23, units[0]), (60, 1.0), (20, units[1])):
            parent, left, right = random_counts(rng, n_classes, m, unit)
            expected = TWINS[name](parent, left, right, **params)
            got = criterion(parent, left, right)
            scale = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0))
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize("case", CASES, ids=map(label, CASES))
def test_tables_single_cuts_and_kernel_sets_agree_to_the_bit(case):
    name, params = case
    criterion = quiet(name, **params)
    values, shares = criterion.settings()
    rng = np.random.default_rng(5)
    for n_classes in (2, 5):
        parent = rng.integers(1, 60, n_classes).astype(float)
        left = rng.binomial(parent.astype(int), 0.5, (37, n_classes)).astype(float)
        left[:, 0] = np.clip(left[:, 0], 1, parent[0] - 1) if parent[0] > 1 else 1
        sums = np.ascontiguousarray(left.T).ravel()

        def score(sums=sums, parent=parent, **more):
            return _core.score_cuts(
                name, parent, sums, values=values, shares=shares, **more
            )

        expected = score()
        np.testing.assert_array_equal(score(use_tables=True), expected)
        np.testing.assert_array_equal(score(portable=True), expected)
        alone = [score(np.ascontiguousarray(row))[0] for row in left]
        np.testing.assert_array_equal(alone, expected)


# --- worked numbers -------------------------------------------------------------------

WORKED = {
    "tsallis(q=0.5)": (0.13594102, 0.70710831, 1.10599100, 0.69507885),
    "tsallis(q=1.5)": (0.17865540, 0.35949319, 0.42493297, 0.34991102),
    "tsallis(q=3)": (0.12250000, 0.14100000, 0.15273438, 0.14565104),
    "tsallis_ratio(q=2)": (0.34027778, 0.52000000, 0.61777778, 0.54666667),
    "renyi(q=0.5)": (0.14325146, 0.66136623, 0.98420148, 0.57962796),
    "renyi(q=2)": (0.39049654, 0.80648844, 0.87482370, 0.79090459),
    "sharma_mittal(q=0.5, r=2)": (0.05302619, 0.19539257, 0.26733185, 0.13579776),
    "sharma_mittal(q=0.5, r=1.5)": (0.07255002, 0.29858772, 0.42495869, 0.23312526),
    "two_power(a=0.5, b=1.5)": (0.15729821, 0.53330075, 0.76546199, 0.52249493),
    "alpha_divergence(alpha=5/3)": (0.17113917, 0.38679999, 0.51850148, 0.38149982),
    "alpha_divergence(alpha=0.25)": (0.19367059, 1.53094250, 2.03182982, 1.49451617),
    "alpha_divergence(alpha=3)": (0.17565265, 0.36666667, 0.54444444, 0.39333333),
    "mpi + 0": (0.08166667, 0.18333333, 0.23437500, 0.17187500),
    "mantaras + 0": (0.15213862, 0.39238291, 0.54539086, 0.35221700),
    "balanced_gain_ratio + 0": (0.13010265, 0.36225562, 0.48834292, 0.36042865),
    "symmetric_tau + 0": (0.34027778, 0.54022989, 0.67407407, 0.53333333),
    "relief_gini + 0": (0.35897436, 0.57932264, 0.71428571, 0.64502165),
    "1 * branch_balance": (0.96000000, 1.00000000, 0.93750000, 0.93750000),
    "mdl + 0": (0.14594316, 0.36520767, 0.78084602, 0.58141402),
    "bayes(alpha=1)": (0.14594316, 0.36520767, 0.78084602, 0.58141402),
    "bayes(alpha=0.5)": (0.14474590, 0.46695079, 0.85778603, 0.61983648),
    "stochastic_complexity + 0": (0.07812456, 0.42716883, 0.85260625, 0.60260625),
    "exact_probability + 0": (0.31292830, 0.63923174, 0.91137067, 0.71193867),
    "unbiased_gini + 0": (0.13333333, 0.23333333, 0.28806154, 0.25375471),
    "miller_madow + 0": (0.18429114, 0.72451125, 0.96345085, 0.69541716),
    "credal_gain(s=1)": (0.08777763, 0.22663540, 0.80102501, 0.58185992),
    "credal_ratio(s=1)": (0.08434620, 0.21720273, 0.83716582, 0.60661707),
    "dkm + 0": (0.18617214, 1.09574270, 1.81066017, 1.20710678),
    "ks(mode='ovo_max')": (0.58333333, 1.00000000, 1.00000000, 1.00000000),
    "ks(mode='ovr_mean')": (0.58333333, 0.59523810, 0.68154762, 0.46726190),
    "hellinger(mode='ovo_mean')": (0.61645948, 0.97980871, 0.94280904, 0.74594684),
    "hellinger(mode='ovo_max')": (0.61645948, 1.41421356, 1.41421356, 1.41421356),
    "hellinger(mode='ovr_mean')": (0.61645948, 0.76458489, 0.93785530, 0.59434695),
    "information_value(adjust=1)": (1.02723176, 1.35952939, 2.97400717, 2.09878495),
    "angle(mode='ovo_mean')": (0.70983171, 0.68947192, 0.66666667, 0.52746407),
    "ort + 0": (0.50386106, 0.86546544, 1.00000000, 0.94197411),
    "balanced(gini)": (0.17132867, 0.23333333, 0.25000000, 0.12500000),
    "balanced(entropy)": (0.26433456, 0.68497745, 1.00000000, 0.50000000),
    "asymmetric_entropy + 0": (0.32703003, 0.47859180, 0.61799365, 0.35183841),
    "off_centred_entropy + 0": (0.26171513, 0.71484992, 1.07975469, 0.63521486),
    "ordinal_gini + 0": (0.08166667, 0.25000000, 0.16354167, 0.15520833),
    "ranking_impurity + 0": (0.16000000, 0.35000000, 0.32812500, 0.33593750),
    "weighted_information_gain + 0": (
        *(0.07027499, 0.35556354, 0.20118275, 0.10164613),
    ),
}


@pytest.mark.parametrize("text", WORKED)
def test_worked_tables_have_the_published_scores(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        criterion = ramify.criteria.parse(text)
    for table, expected in zip(SPLITS, WORKED[text], strict=True):
        score = criterion(*worked(table))[0]
        assert score == pytest.approx(expected, rel=1e-7, abs=6e-9), table


@pytest.mark.parametrize(
    ("criterion", "left", "right", "expected"),
    [
        ("bayes(alpha=1/2, equivalent=True)", (5, 1), (1, 3), 0.04469746),
        ("bayes(alpha=1/3, equivalent=True)", (4, 1, 0), (0, 2, 3), 0.43495989),
        ("mdl + 0", (3, 2), (3, 2), -0.06401041),
        ("credal_gain + 0", (3, 2), (3, 2), -0.00596979),
        ("unbiased_gini + 0", (3, 2), (3, 2), -0.06666667),
        ("exact_probability + 0", (3, 2), (3, 2), 0.10703893),
        ("credal_gain(s=2)", (5, 1), (1, 3), 0.02733960),
        ("asymmetric_entropy(prior=(0.9, 0.1))", (5, 1), (1, 3), 0.02292656),
        ("off_centred_entropy(prior=(0.9, 0.1))", (5, 1), (1, 3), 0.08814422),
        ("ordinal_gini + 0", (3, 0, 2), (1, 0, 4), 0.08),
        ("ranking_impurity + 0", (3, 0, 2), (1, 0, 4), 0.28),
        ("hellinger + 0", (4, 1, 0), (1, 2, 3), 0.88048573),
        ("hellinger + 0", (4, 10, 0), (1, 20, 3), 0.67142137),
        ("hellinger(mode='ovo_max')", (4, 1, 0), (1, 2, 3), 1.05146222),
        ("hellinger(mode='ovo_max')", (4, 10, 0), (1, 20, 3), 1.05146222),
    ],
)
def test_further_worked_numbers(criterion, left, right, expected):
    one, other = np.array([left], dtype=float), np.array([right], dtype=float)
    score = ramify.criteria.parse(criterion)((one + other)[0], one, other)[0]
    assert score == pytest.approx(expected, rel=1e-7, abs=6e-9)


def test_upper_entropies_are_the_published_ones():
    both = np.array([True, True])
    for counts, expected in (
        *(((6, 4), 0.99403021), ((5, 1), 0.86312057), ((1, 3), 0.97095059)),
        ((6, 0), 0.59167278),
    ):
        found = family.upper_entropy(np.array(counts, dtype=float), both, 1.0)
        assert found == pytest.approx(expected, abs=6e-9)


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(1, 3.40277778), (0, 3.55481768), (-0.5, 3.74465925), (2 / 3, 3.42278341)],
)
def test_alpha_divergence_is_scipys_power_divergence(exponent, expected):
    parent, left, right = worked("E1")
    n = parent.sum()
    statistic = 2 * n * get("alpha_divergence", alpha=exponent + 1)(parent, left, right)
    assert statistic[0] == pytest.approx(expected, rel=1e-7)
    rng = np.random.default_rng(0)
    for _ in range(50):
        table = rng.integers(1, 30, (2, rng.integers(2, 6))).astype(float)
        whole = table.sum(0)
        fit = np.outer(table.sum(1), whole) / whole.sum()
        theirs = power_divergence(table, fit, axis=None, lambda_=exponent).statistic
        score = get("alpha_divergence", alpha=exponent + 1)(whole, table[:1], table[1:])
        assert 2 * whole.sum() * score[0] == pytest.approx(theirs, rel=1e-9, abs=1e-9)


# --- laws -----------------------------------------------------------------------------


def tables(seed, classes=(2, 3, 4, 5), n_nodes=40, n_cuts=50):
    """Yield nodes with 2,000 cuts in all, with empty cells; every class occurs."""
    rng = np.random.default_rng(seed)
    for i in range(n_nodes):
        k = classes[i % len(classes)]
        parent = rng.integers(1, 40, k)
        parent[:2] += 1
        share = rng.choice([0, 0.1, 0.5, 0.9, 1], (n_cuts, k))
        left = rng.binomial(parent, share)
        left[left.sum(1) == 0, 0] = 1
        left[left.sum(1) == parent.sum(), 0] -= 1
        yield parent.astype(float), left.astype(float), (parent - left).astype(float)


LAWS = {
    "tsallis(q=2)": "gini",
    "tsallis(q=1)": "entropy * 0.6931471805599453",
    "sharma_mittal(q=0.7, r=0.7)": "tsallis(q=0.7)",
    "two_power(a=1, b=3)": "tsallis(q=3)",
    "two_power(a=0.4, b=1)": "tsallis(q=0.4)",
    "sharma_mittal(q=0.3, r=1)": "renyi(q=0.3) * 0.6931471805599453",
    "sharma_mittal(q=0.5, r=0)": "dkm",
    "sharma_mittal(q=1, r=1)": "entropy * 0.6931471805599453",
    "sharma_mittal(q=2, r=2)": "gini",
    "alpha_divergence(alpha=0.5)": "4 * ihd",
    "alpha_divergence(alpha=1)": "entropy * 0.6931471805599453",
    "bayes(alpha=1)": "mdl",
    "credal_gain(s=0)": "entropy",
    "credal_ratio(s=0)": "gain_ratio",
    "tsallis_ratio(q=1)": "gain_ratio",
    "renyi(q=1)": "entropy",
    "ks(mode='ovo_max')": "ks",
}
OF_TWO_CLASSES = {
    "twoing": "0.5 * gini",
    "ordinal_gini": "0.5 * gini",
    "asymmetric_entropy(prior=(0.5, 0.5))": "2 * gini",
    "off_centred_entropy(prior=(0.5, 0.5))": "entropy",
    "balanced(cart_measure)": "ks",
    "balanced(dkm)": "0.5 * hellinger * hellinger",
    "angle(mode='ovr_max')": "angle",
    "ks(mode='ovr_mean')": "ks",
    "hellinger(mode='ovo_mean')": "hellinger",
}


def parsed(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ramify.criteria.parse(text)


def assert_equal(one, other):
    __tracebackhide__ = True
    scale = max(1.0, np.abs(other).max())
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12 * scale)


@pytest.mark.parametrize("law", [*LAWS, *OF_TWO_CLASSES])
def test_laws_between_criteria(law):
    is_of_two = law in OF_TWO_CLASSES
    one, other = parsed(law), parsed(OF_TWO_CLASSES[law] if is_of_two else LAWS[law])
    for table in tables(1, classes=(2,) if is_of_two else (2, 3, 4, 5)):
        assert_equal(one(*table), other(*table))


def sums(parent, left, right):
    n, rho = parent.sum(), left.sum(1) / parent.sum()
    return n, rho, 1 - rho


def test_laws_with_the_sizes_of_nodes():
    names = ("alpha_divergence", "chi2", "mpi", "gini", "twoing", "cart_measure")
    of = {name: get(name) for name in names}
    for parent, left, right in tables(2):
        n, rho, rest = sums(parent, left, right)
        table = (parent, left, right)
        chi2 = of["chi2"](*table)
        assert_equal(2 * n * get("alpha_divergence", alpha=2)(*table), chi2)
        assert_equal(of["mpi"](*table), rho * rest * chi2 / n)
        gap = left / left.sum(1)[:, None] - right / right.sum(1)[:, None]
        variation = np.abs(gap).sum(1) / 2
        assert_equal(of["gini"](*table), rho * rest * (gap**2).sum(1))
        assert_equal(of["twoing"](*table), rho * rest * variation**2)
        assert_equal(of["cart_measure"](*table), 4 * rho * rest * variation)
        shares = left / parent
        p = parent / n
        spread = (p * (shares - rho[:, None]) ** 2).sum(1)
        assert_equal(of["mpi"](*table), spread)


def test_laws_of_dkm_and_disjoint_classes():
    for parent, left, right in tables(3):
        n = parent.sum()
        p = parent / n
        share = left / parent
        total = 0
        for k in range(len(p)):
            for j in range(k):
                squared = sum(
                    (np.sqrt(a[:, k]) - np.sqrt(a[:, j])) ** 2
                    for a in (share, 1 - share)
                )
                total = total + np.sqrt(p[k] * p[j]) * squared
        assert_equal(get("dkm")(parent, left, right), total)
    rng = np.random.default_rng(0)
    for _ in range(200):
        parent = rng.integers(1, 30, rng.integers(2, 7)).astype(float)
        left = parent * rng.permutation(np.arange(len(parent)) % 2)
        rho = left.sum() / parent.sum()
        for a in (0.25, 5 / 3, 3):
            score = get("alpha_divergence", alpha=a)(parent, left, parent - left)[0]
            expected = (rho ** (2 - a) + (1 - rho) ** (2 - a) - 1) / (a * (a - 1))
            assert score == pytest.approx(expected, rel=1e-10)
        score = get("mpi")(parent, left, parent - left)[0]
        assert score == pytest.approx(rho * (1 - rho), rel=1e-10)


def test_laws_of_two_classes_with_shares():
    for parent, left, right in tables(4, classes=(2,)):
        n = parent.sum()
        p, q = parent / n
        table = (parent, left, right)
        chi2, ks, hellinger = (get(c)(*table) for c in ("chi2", "ks", "hellinger"))
        assert_equal(get("symmetric_tau")(*table), chi2 / n)
        assert_equal(get("gini")(*table), 2 * p * q * chi2 / n)
        assert_equal(get("mpi")(*table), p * q * ks**2)
        assert_equal(get("cart_measure")(*table), 4 * p * q * ks)
        assert_equal(get("dkm")(*table), np.sqrt(p * q) * hellinger**2)


@pytest.mark.parametrize("q", [0.4, 2.5])
def test_members_of_sharma_and_mittals_family_have_their_own_formulas(q):
    for parent, left, right in tables(5):

        def drop(impurity, table=(parent, left, right)):
            return family._drop(impurity, *table)

        def powers(counts):
            return family._power(family._share(counts), q).sum(-1)

        table = (parent, left, right)
        vedral = quiet("sharma_mittal", q=q, r=2 - q)(*table)
        assert_equal(vedral, drop(lambda c: (1 - 1 / powers(c)) / (1 - q)))
        norm = quiet("sharma_mittal", q=q, r=2 - 1 / q)(*table)
        expected = drop(lambda c: q / (q - 1) * (1 - powers(c) ** (1 / q)))
        assert_equal(norm, expected)


@pytest.mark.parametrize(
    ("name", "key", "step"),
    [
        *(("tsallis", "q", 1e-6), ("tsallis_ratio", "q", 1e-6), ("renyi", "q", 1e-6)),
        *(("sharma_mittal", "q", 1e-6), ("sharma_mittal", "r", 1e-6)),
        *(("alpha_divergence", "alpha", 1e-6), ("two_power", "b", 1e-6)),
    ],
)
def test_limits_in_the_parameters_are_continuous(name, key, step):
    fixed = {"two_power": {"a": 1.0}}.get(name, {})
    for table in SPLITS:
        at = quiet(name, **{**fixed, key: 1.0})(*worked(table))[0]
        for side in (1 - step, 1 + step):
            near = quiet(name, **{**fixed, key: side})(*worked(table))[0]
            assert abs(near - at) < 1e-5


ORDERED = {"ordinal_gini", "ranking_impurity", "weighted_information_gain"}
NOT_ZERO = {
    *("bayes", "mdl", "stochastic_complexity", "unbiased_gini", "miller_madow"),
    *("credal_gain", "credal_ratio", "exact_probability", "ranking_impurity"),
}


@pytest.mark.parametrize("case", CASES, ids=map(label, CASES))
def test_symmetry_labels_scale_and_information(case):
    name, params = case
    criterion = quiet(name, **params)
    rng = np.random.default_rng(1)
    for parent, left, right in tables(6, n_nodes=4, n_cuts=20):
        expected = criterion(parent, left, right)
        finite = np.isfinite(expected)
        scale = np.abs(expected[finite]).max(initial=1)

        def same(got, expected=expected, finite=finite, scale=scale):
            np.testing.assert_array_equal(np.isfinite(got), finite)
            np.testing.assert_allclose(
                got[finite], expected[finite], rtol=1e-9, atol=1e-11 * scale
            )

        same(criterion(parent, right, left))
        order = rng.permutation(len(parent))
        if name not in ORDERED:
            same(criterion(parent[order], left[:, order], right[:, order]))
        if not criterion.properties["counts"]:
            same(criterion(parent * 0.3, left * 0.3, right * 0.3))
        if name not in NOT_ZERO:
            flat = criterion(3 * parent, parent[None], 2 * parent[None])[0]
            assert abs(flat) < 1e-11


# --- convexity ------------------------------------------------------------------------


def worst_excess(criterion, seed, n_classes):
    """How much higher a cut is than the better of two cuts that it lies between."""
    rng = np.random.default_rng(seed)
    worst = -np.inf
    for _ in range(40):
        parent = rng.integers(2, 30, n_classes) * rng.choice([0.1, 0.3, 1.0])
        ends = []
        for _ in range(2):
            share = rng.random((50, n_classes)) ** rng.choice([0.3, 1, 3])
            share = np.where(rng.random(share.shape) < 0.25, np.rint(share), share)
            share[:, 0] = np.clip(share[:, 0], 0.02, 0.98)
            ends.append(share * parent)
        near = rng.choice([0.02, 0.2, 1.0], (50, 1))  # short segments, too
        ends[1] = ends[0] + near * (ends[1] - ends[0])
        t = rng.random((50, 1))
        between = t * ends[0] + (1 - t) * ends[1]
        scores = [
            criterion(parent, at, np.maximum(parent - at, 0)) for at in (*ends, between)
        ]
        assert np.isfinite(scores).all()
        better = np.maximum(scores[0], scores[1])
        excess = (scores[2] - better) / np.maximum(1, np.abs(better))
        worst = max(worst, excess.max())
    return worst


CONVEX = [
    case for case in CASES if quiet(case[0], **case[1]).properties["is_quasi_convex"]
]


@pytest.mark.parametrize("case", CONVEX, ids=map(label, CONVEX))
def test_convex_criteria_are_nowhere_higher_between_two_cuts(case):
    criterion = quiet(case[0], **case[1])
    for n_classes in (2, 4):
        assert worst_excess(criterion, n_classes, n_classes) < 1e-9


@pytest.mark.parametrize(
    ("text", "n_classes"),
    [
        *(("relief_gini + 0", 3), ("exact_probability + 0", 3)),
        *(("unbiased_gini + 0", 2), ("credal_ratio + 0", 3)),
        *(("ranking_impurity + 0", 3), ("weighted_information_gain + 0", 4)),
        *(("angle + 0", 3), ("hellinger(mode='ovo_mean')", 3)),
        *(("renyi(q=4)", 4), ("1 * branch_balance", 2)),
        ("sharma_mittal(q=3, r=0.2)", 3),
    ],
)
def test_what_is_denied_has_a_counterexample(text, n_classes):
    assert worst_excess(parsed(text), 0, n_classes) > 1e-6


def test_sharma_mittal_below_its_border_may_lose_and_says_so():
    with pytest.warns(UserWarning, match="not concave"):
        criterion = get("sharma_mittal", q=3, r=0.2)
    lowest = min(criterion(*table).min() for table in tables(7, classes=(4, 5)))
    assert lowest < -0.05
    assert not criterion.properties["is_quasi_convex"]
    assert quiet("sharma_mittal", q=3, r=2 - 1 / 3).properties["is_quasi_convex"]
    for q, expected in ((0.5, True), (1.0, True), (2.0, False)):
        assert get("renyi", q=q).properties["is_quasi_convex"] is expected


# --- class weights --------------------------------------------------------------------

BLIND = [
    *("balanced(gini)", "balanced(entropy)", "balanced(tsallis(q=0.5))"),
    *("balanced(ihd)", "balanced(twoing)", "balanced(ordinal_gini)"),
    *("ks + 0", "hellinger(mode='ovo_max')", "hellinger(mode='ovo_mean')"),
    *("angle + 0", "ks(mode='ovo_mean')"),
    "information_value(adjust=0, mode='ovo_max')",
]


@pytest.mark.parametrize("text", BLIND)
def test_class_weights_change_nothing(text):
    criterion = parsed(text)
    for parent, left, right in tables(8, n_nodes=12):
        factor = np.linspace(0.2, 7, len(parent))
        expected = criterion(parent, left, right)
        got = criterion(parent * factor, left * factor, right * factor)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)
    part = next(iter(getattr(criterion, "parts", tuple)()), criterion)
    if isinstance(part, ramify.criteria.Criterion) and "balanced" not in text:
        assert part.properties["ignores_class_weights"]


def test_balanced_is_the_criterion_of_shares():
    for name in ("gini", "tsallis", "mantaras", "ccp_entropy", "mpi"):
        inner, outer = get(name), balanced(get(name))
        for parent, left, right in tables(9, n_nodes=4):
            ones = np.ones(len(parent))
            expected = inner(ones, left / parent, right / parent)
            np.testing.assert_allclose(outer(parent, left, right), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["mdl", "bayes", "credal_gain", "information_value"])
def test_balanced_refuses_what_counts_rows(name):
    with pytest.raises(ValueError, match="counts rows"):
        balanced(get(name))
