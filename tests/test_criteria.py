# SPDX-License-Identifier: BSD-3-Clause
"""Every built-in criterion equals its NumPy twin and the numbers of the literature."""

import doctest

import numpy as np
import pytest
import twins
from family_twins import FAMILIES
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import LAWS, Counts, count_tables
from twins import TIE_BREAK, TWINS, distinct_classes

import ramify

NAMES = sorted(TWINS)
NEVER_NEGATIVE = sorted(set(NAMES) - {"ccp_entropy"})

# The worked tables: children of a node, class by class.
SPLITS = {
    "E1": ([5, 1], [1, 3]),
    "E2": ([4, 1, 0], [0, 2, 3]),
    "E3 X": ([40, 0, 0, 10], [0, 20, 10, 0]),
    "E3 Y": ([40, 0, 5, 5], [0, 20, 5, 5]),
}
# Their scores; for dcsm the penalty M, of which the score is the drop M0 - M.
SCORES = {
    "entropy": (0.25642589, 0.72451125, 0.95443400, 0.70443400),
    "gain_ratio": (0.26409778, 0.72451125, 1.00000000, 0.73806465),
    "gini": (0.16333333, 0.26000000, 0.28958333, 0.25625000),
    "misclassification": (0.20000000, 0.30000000, 0.25000000, 0.25000000),
    "twoing": (0.08166667, 0.16000000, 0.23437500, 0.15000000),
    "cart_measure": (0.56000000, 0.80000000, 0.93750000, 0.75000000),
    "dcsm": (24.57716495, 22.28428198, 19.59014803, 93.76068279),
    "hellinger": (0.61645948, 1.08788943, 1.08788943, 1.08788943),
    "ccp_entropy": (0.25877472, 0.78034480, 1.40245438, 0.77512158),
    "ccp_gini": (0.16797398, 0.36691964, 0.64463872, 0.36417278),
    "ihd": (0.04680824, 0.20934569, 0.27625445, 0.20361476),
    "ihdw": (0.03922249, 0.20934569, 0.27625445, 0.20361476),
}
ALIASES = {
    "information_gain": "entropy",
    "log_loss": "entropy",
    "error": "misclassification",
}


# Other readings of class confidence for many classes: E2, E3 X and E3 Y.
READINGS = {
    ("ccp_entropy", "normalised"): (0.69384814, 1.00000000, 0.50000000),
    ("ccp_entropy", "literal"): (0.78034480, 1.40245438, 0.77512158),
    ("ccp_gini", "normalised"): (0.23916667, 0.25000000, 0.12500000),
    ("ccp_gini", "literal"): (0.17293831, 0.15546123, 0.16997635),
}


def worked(name: str) -> Counts:
    left, right = (np.array([side], dtype=float) for side in SPLITS[name])
    return Counts((left + right)[0], left, right)


def scale_of(name: str, parent: np.ndarray) -> float:
    """How large the terms of a score are, the measure of its rounding errors."""
    if name == "dcsm":
        return float(distinct_classes(parent, (parent > 0).sum()))
    return max(1.0, parent.sum()) if name == "chi2" else 1.0


def assert_same(
    name: str, got: np.ndarray, expected: np.ndarray, parent: np.ndarray
) -> None:
    __tracebackhide__ = True
    atol = 1e-12 * scale_of(name, parent)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=atol)


def random_counts(rng: np.random.Generator, n_classes: int, m: int, unit: float):
    """Return a node and m splits of it; classes may be missing anywhere."""
    parent = rng.integers(0, 40, n_classes) * (rng.random(n_classes) < 0.85)
    parent[rng.integers(n_classes)] += 2
    left = rng.binomial(parent, rng.choice([0, 0.1, 0.5, 0.9, 1], (m, n_classes)))
    empty, full = left.sum(1) == 0, left.sum(1) == parent.sum()
    biggest = parent.argmax()
    left[empty, biggest] += 1
    left[full, biggest] -= 1
    return parent * unit, left * unit, (parent - left) * unit


def test_every_criterion_has_a_twin_and_every_twin_a_criterion():
    in_families = [twin.__name__ for twin in FAMILIES]
    # The twin of uplift sees who was treated: test_uplift.py.
    assert ramify.criteria.names() == sorted([*NAMES, *in_families])
    assert ramify.criteria.names("uplift") == ["uplift"]


def test_every_twin_has_a_value_worked_out_by_hand():
    result = doctest.testmod(twins)
    assert result.failed == 0
    assert result.attempted >= len(TWINS)
    assert [name for name in NAMES if ">>> " not in TWINS[name].__doc__] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_classes", range(2, 11))
def test_criterion_equals_its_twin_on_random_tables(name, n_classes):
    rng = np.random.default_rng(n_classes)
    criterion = ramify.criteria.get(name)
    for m, unit in ((1, 1.0), (2, 0.1), (17, 1 / 3), (300, 1.0), (300, 0.7)):
        parent, left, right = random_counts(rng, n_classes, m, unit)
        score = criterion(parent, left, right)
        assert score.shape == (m,)
        assert score.dtype == np.float64
        assert_same(name, score, TWINS[name](parent, left, right), parent)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_classes", [40, 120])
def test_criterion_equals_its_twin_for_many_classes(name, n_classes):
    rng = np.random.default_rng(n_classes)
    parent, left, right = random_counts(rng, n_classes, 50, 1.0)
    score = ramify.criteria.get(name)(parent, left, right)
    assert_same(name, score, TWINS[name](parent, left, right), parent)


@pytest.mark.parametrize("name", NAMES)
def test_a_thousand_classes_still_give_finite_scores(name):
    parent = np.full(1000, 2.0)
    left = np.zeros((3, 1000))
    left[0, :1], left[1, :500], left[2] = 2, 2, 1
    score = ramify.criteria.get(name)(parent, left, parent - left)
    assert np.isfinite(score).all()
    assert (score[:2] > 1e-6).all()
    assert abs(score[2]) < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_twin_reads_one_parent_per_split_too(name):
    rng = np.random.default_rng(0)
    parent, left, right = random_counts(rng, 4, 20, 1.0)
    once = TWINS[name](parent, left, right)
    each = TWINS[name](np.tile(parent, (20, 1)), left, right)
    np.testing.assert_allclose(each, once, rtol=1e-14)


@pytest.mark.parametrize("table", SPLITS)
@pytest.mark.parametrize("name", SCORES)
def test_worked_tables_have_the_published_scores(name, table):
    parent, left, right = worked(table)
    expected = SCORES[name][list(SPLITS).index(table)]
    score = ramify.criteria.get(name)(parent, left, right)[0]
    if name == "dcsm":
        score = distinct_classes(parent, (parent > 0).sum()) - score
    assert score == pytest.approx(expected, rel=1e-7, abs=6e-9)


@pytest.mark.parametrize(
    ("table", "expected"),
    [("E1", 30.50845676 - 24.57716495), ("E2", 145.64868288 - 22.28428198)],
)
def test_dcsm_is_the_drop_of_the_published_penalty(table, expected):
    score = ramify.criteria.get("dcsm")(*worked(table))[0]
    assert score == pytest.approx(expected, rel=1e-8)


def test_chi2_is_pearsons_statistic():
    score = ramify.criteria.get("chi2")(*worked("E1"))[0]
    assert score == pytest.approx(3.40277778, rel=1e-8)


def test_pieces_of_the_worked_tables_are_the_published_ones():
    parent, left, right = worked("E1")
    sides = np.stack([parent, left[0], right[0]])
    share = sides / sides.sum(1, keepdims=True)
    published = {
        twins._entropy_of: (0.97095059, 0.65002242, 0.81127812),
        twins._gini_of: (0.48, 0.27777778, 0.375),
    }
    for impurity, values in published.items():
        np.testing.assert_allclose(impurity(share), values, atol=6e-9)
    both = sides[1:]
    np.testing.assert_allclose(
        twins.node_distance(both, parent), (0.03469433, 0.06497911), atol=6e-9
    )
    np.testing.assert_allclose(
        twins.lost_class_weight(both, parent), (0.79166667, 0.875), atol=6e-9
    )
    np.testing.assert_allclose(
        twins._confidence(both, parent),
        [(0.76923077, 0.23076923), (0.18181818, 0.81818182)],
        atol=6e-9,
    )
    squared_half = twins.hellinger(parent, left, right) ** 2 / 2
    np.testing.assert_allclose(squared_half, 0.19001114, atol=6e-9)


def test_hellinger_and_error_cannot_tell_x_from_y_but_ihd_can():
    x, y = worked("E3 X"), worked("E3 Y")
    for name in ("hellinger", "misclassification"):
        criterion = ramify.criteria.get(name)
        assert criterion(*x)[0] == pytest.approx(criterion(*y)[0], rel=1e-12)
    for name in ("ihd", "ihdw"):
        criterion = ramify.criteria.get(name)
        assert criterion(*x)[0] > criterion(*y)[0] + 0.07


@pytest.mark.parametrize(("name", "multiclass"), READINGS)
def test_other_readings_of_class_confidence_have_their_scores(name, multiclass):
    criterion = ramify.criteria.get(name, multiclass=multiclass)
    found = [criterion(*worked(table))[0] for table in ("E2", "E3 X", "E3 Y")]
    assert found == pytest.approx(READINGS[name, multiclass], abs=6e-9)


@pytest.mark.parametrize(("name", "multiclass"), READINGS)
@pytest.mark.parametrize("n_classes", [2, 3, 5, 9])
def test_readings_of_class_confidence_equal_their_twins(name, multiclass, n_classes):
    rng = np.random.default_rng(n_classes)
    criterion = ramify.criteria.get(name, multiclass=multiclass)
    for m, unit in ((1, 1.0), (17, 1 / 3), (300, 0.7)):
        counts = random_counts(rng, n_classes, m, unit)
        expected = TWINS[name](*counts, multiclass=multiclass)
        assert_same(name, criterion(*counts), expected, counts[0])


@pytest.mark.parametrize(("name", "multiclass"), READINGS)
@LAWS
@given(counts=count_tables(max_classes=2))
def test_two_classes_have_one_class_confidence(name, multiclass, counts):
    usual, other = (
        ramify.criteria.get(name),
        ramify.criteria.get(name, multiclass=multiclass),
    )
    np.testing.assert_array_equal(usual(*counts), other(*counts))


def test_the_literal_gini_of_class_confidence_prefers_the_less_exclusive_split():
    x, y = worked("E3 X"), worked("E3 Y")
    literal = ramify.criteria.get("ccp_gini", multiclass="literal")
    assert literal(*x)[0] < literal(*y)[0]
    for name in ("ccp_entropy", "ccp_gini"):
        criterion = ramify.criteria.get(name)
        assert criterion(*x)[0] > criterion(*y)[0] + 0.2


@pytest.mark.parametrize("name", NEVER_NEGATIVE)
@LAWS
@given(counts=count_tables())
def test_scores_are_never_negative(name, counts):
    score = ramify.criteria.get(name)(*counts)[0]
    assert score >= -1e-12 * scale_of(name, counts.parent)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(counts=count_tables())
def test_exchanging_the_sides_changes_nothing(name, counts):
    parent, left, right = counts
    criterion = ramify.criteria.get(name)
    expected = criterion(parent, left, right)
    assert_same(name, criterion(parent, right, left), expected, parent)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(counts=count_tables(), data=st.data())
def test_relabelling_the_classes_changes_nothing(name, counts, data):
    order = data.draw(st.permutations(range(len(counts.parent))))
    criterion = ramify.criteria.get(name)
    shuffled = criterion(*(side[..., order] for side in counts))
    assert_same(name, shuffled, criterion(*counts), counts.parent)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(counts=count_tables(), place=st.integers(0, 2))
def test_a_class_absent_from_the_node_changes_nothing(name, counts, place):
    criterion = ramify.criteria.get(name)
    wider = (np.insert(side, place, 0.0, axis=-1) for side in counts)
    assert_same(name, criterion(*wider), criterion(*counts), counts.parent)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(
    mixture=st.lists(st.integers(0, 9), min_size=2, max_size=10).filter(any),
    shares=st.tuples(st.integers(1, 7), st.integers(1, 7)),
)
def test_equal_proportions_on_both_sides_score_zero(name, mixture, shares):
    left, right = (np.array([mixture], dtype=float) * share for share in shares)
    parent = (left + right)[0]
    score = ramify.criteria.get(name)(parent, left, right)
    assert_same(name, score, np.zeros(1), parent)


@pytest.mark.parametrize("name", NAMES)
@LAWS
@given(counts=count_tables(), factor=st.sampled_from([1e-3, 0.3, 2.0, 1e4]))
def test_scaling_all_weights_scales_only_chi2(name, counts, factor):
    criterion = ramify.criteria.get(name)
    scaled = criterion(*(side * factor for side in counts))
    expected = criterion(*counts) * (factor if name == "chi2" else 1)
    assert_same(name, scaled, expected, counts.parent * max(factor, 1))


@LAWS
@given(counts=count_tables(max_classes=2))
def test_twoing_is_half_the_gini_gain_for_two_classes(counts):
    twoing, gini = (
        ramify.criteria.get(name)(*counts)[0] for name in ("twoing", "gini")
    )
    assert twoing == pytest.approx(gini / 2, rel=1e-10, abs=1e-14)


@LAWS
@given(counts=count_tables(max_classes=2, zeros=False))
def test_cart_measure_ranks_two_classes_by_the_distance_of_their_shares(counts):
    parent, left, _ = counts
    share, sent_left = parent / parent.sum(), left[0] / parent
    expected = 4 * share[0] * share[1] * abs(sent_left[0] - sent_left[1])
    score = ramify.criteria.get("cart_measure")(*counts)[0]
    assert score == pytest.approx(expected, rel=1e-10, abs=1e-14)


@LAWS
@given(
    counts=count_tables(max_classes=2, zeros=False),
    factor=st.sampled_from([1e-3, 0.1, 7.0, 1e4]),
)
def test_hellinger_ignores_how_frequent_the_two_classes_are(counts, factor):
    hellinger = ramify.criteria.get("hellinger")
    skewed = hellinger(*(side * [1.0, factor] for side in counts))[0]
    assert skewed == pytest.approx(hellinger(*counts)[0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", ["ihd", "ihdw"])
@LAWS
@given(
    sizes=st.lists(st.integers(1, 30), min_size=2, max_size=10),
    data=st.data(),
)
def test_ihd_of_disjoint_class_sets_depends_on_the_balance_alone(name, sizes, data):
    parent = np.array(sizes, dtype=float)
    part = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    assume(any(part) and not all(part))
    left = np.where(part, parent, 0)[None]
    rho = left.sum() / parent.sum()
    score = ramify.criteria.get(name)(parent, left, parent - left)[0]
    assert score == pytest.approx(1 - rho**1.5 - (1 - rho) ** 1.5, rel=1e-9)
    assert score <= 1 - 0.5**0.5 + 1e-12


@LAWS
@given(counts=count_tables())
def test_distances_stay_within_their_ranges(counts):
    assert ramify.criteria.get("hellinger")(*counts)[0] <= 2**0.5 + 1e-12
    ihd = ramify.criteria.get("ihd")(*counts)[0]
    ihdw = ramify.criteria.get("ihdw")(*counts)[0]
    assert -1e-12 <= ihdw <= ihd + 1e-12 <= 1 - 0.5**0.5 + 1e-11


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases_lead_to_the_same_criterion(alias, name):
    found = ramify.criteria.get(alias)
    assert found.name == name
    assert alias in found.aliases


@pytest.mark.parametrize(
    ("method", "criterion"),
    [
        *(("cart", "gini"), ("id3", "entropy"), ("c45", "gain_ratio")),
        *(("hddt", "hellinger"), ("ccpdt", "ccp_entropy")),
    ],
)
def test_the_name_of_a_method_is_no_criterion(method, criterion):
    message = rf"make\('{method}'\), or its criterion, criterion='{criterion}'"
    with pytest.raises(ValueError, match=message):
        ramify.criteria.get(method)
    assert method in ramify.methods.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_says_what_it_is_and_where_it_comes_from(name):
    criterion = ramify.criteria.get(name)
    assert criterion.name == name
    assert isinstance(criterion.aliases, tuple)
    assert isinstance(criterion.params, dict)
    for text in (criterion.formula, criterion.reference, criterion.summary):
        assert isinstance(text, str)
        assert text.strip()


@pytest.mark.parametrize("name", TIE_BREAK)
def test_tie_breaks_are_measures_that_are_twins_themselves(name):
    assert TIE_BREAK[name] in TWINS.values()
