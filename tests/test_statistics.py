# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of comparisons: printed values, other packages, and laws."""

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.metrics import roc_auc_score

from ramify.comparison import statistics

GOLDEN = Path(__file__).parent / "golden"

# Demšar 2006, table 6: AUC of C4.5 with parameters m and cf tuned or not, 14 data sets.
# The two 0.975 of "voting" are ranked 2 and 3 there: they differ before rounding.
DEMSAR = np.array(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569]),
        *([0.954, 0.971, 0.968, 0.967], [0.628, 0.661, 0.654, 0.657]),
        *([0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625]),
        *([0.775, 0.838, 0.866, 0.875], [1.000, 1.000, 1.000, 1.000]),
        *([0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970]),
    ]
)
# Printed in every table of Wilcoxon's test: the largest smaller sum that is significant
# at 5 %, two-sided, for n differences.
WILCOXON_5_PERCENT = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 14: 21, 20: 52, 25: 89}

# Average ranks printed below table 4 of Akash et al. 2019 (AUC). Those of Entropy and
# GR are 4.80 and 4.28 there: one tie in the printed digits was none before rounding.
IHD_TABLE4 = """
65.82 66.04 66.70 65.75 65.85 66.50 66.24 66.80
96.17 94.82 96.17 95.83 95.48 95.00 96.36 96.36
78.03 77.35 82.80 80.61 77.95 77.50 79.70 80.61
70.77 75.77 81.73 74.04 71.35 76.35 76.15 76.15
84.41 82.90 85.59 87.42 87.58 82.74 86.56 89.89
84.00 82.00 84.00 83.25 84.75 74.00 82.25 84.75
80.43 79.41 83.85 79.40 83.93 80.57 80.04 80.61
56.79 52.22 52.51 56.18 52.73 54.47 51.86 56.88
91.48 91.48 90.42 91.48 91.48 91.48 92.08 92.08
88.97 90.83 93.70 90.74 90.61 91.06 92.05 92.05
95.69 94.58 93.61 96.11 95.11 96.39 96.39 96.39
87.97 88.30 81.13 79.99 82.04 89.83 89.04 89.52
68.40 68.20 64.30 70.40 70.80 67.80 69.60 71.10
94.99 93.35 94.97 93.41 93.96 93.76 93.75 93.66
68.06 68.86 69.45 73.32 69.15 70.30 70.91 71.19
53.87 53.65 53.23 52.84 54.61 52.91 54.74 54.64
92.40 92.08 92.89 94.38 92.72 93.72 92.99 92.76
75.48 74.26 74.21 77.36 76.47 71.03 74.31 75.75
64.85 61.76 63.87 59.74 64.41 58.74 63.85 64.85
84.68 80.41 86.03 78.32 84.15 82.38 84.26 85.09
"""


def ihd_table():
    lines = (GOLDEN / "ihd_table3.csv").read_text().splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return rows[0][1:], np.array([row[1:] for row in rows[1:]], dtype=float)


# Scores with two decimals, so that ties and zeros are common.
def tables(min_rows=2, max_rows=12, max_columns=6):
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(2, max_columns))
    return hnp.arrays(int, shape, elements=st.integers(0, 12)).map(lambda a: a / 100)


pairs = st.integers(2, 30).flatmap(
    lambda n: hnp.arrays(int, (2, n), elements=st.integers(0, 40)).map(
        lambda a: a / 1000
    )
)


# --- ranks, Friedman, Nemenyi ----------------------------------------------------


def test_the_ihd_papers_ranks_and_tests_are_reproduced():
    methods, accuracy = ihd_table()
    ranks = dict(zip(methods, statistics.average_ranks(accuracy), strict=True))
    assert accuracy.shape == (20, 8)
    assert ranks["iHDw"] == pytest.approx(2.45)
    assert ranks["iHD"] == pytest.approx(2.80)
    assert ranks["GR"] == pytest.approx(5.875)
    test = statistics.friedman(accuracy, correct_ties=False)
    assert test.chi_square == pytest.approx(35.77, abs=0.005)
    assert test.f == pytest.approx(6.52, abs=0.005)
    assert test.p < 1e-5


def test_the_ihd_papers_second_table_is_reproduced_but_for_one_tie():
    auc = np.array([row.split() for row in IHD_TABLE4.split("\n")[1:-1]], dtype=float)
    assert auc.shape == (20, 8)
    ranks = statistics.average_ranks(auc)
    assert ranks[0] == pytest.approx(4.825)
    assert ranks[2] == pytest.approx(4.25)
    # Printed 32.42, without the tie that the rounding made.
    test = statistics.friedman(auc, correct_ties=False)
    assert test.chi_square == pytest.approx(32.51, abs=0.005)


def test_demsars_example_is_reproduced():
    """Demšar 2006, section 3.2.2: four methods on 14 data sets."""
    ranks = statistics.average_ranks(DEMSAR)
    assert ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=0.0005)
    test = statistics.friedman(DEMSAR, correct_ties=False)
    assert test.chi_square == pytest.approx(9.28, abs=0.005)
    assert test.f == pytest.approx(3.69, abs=0.01)
    assert test == statistics.friedman_of_ranks(ranks, 14)
    assert statistics.nemenyi_critical_difference(4, 14, 0.1) == pytest.approx(
        1.12, abs=0.005
    )


def test_nemenyis_critical_values_are_demsars():
    """Demšar 2006, table 5(a), for 2 to 10 methods at 5 %."""
    printed = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in enumerate(printed, start=2):
        difference = statistics.nemenyi_critical_difference(k, 60)
        assert difference / np.sqrt(k * (k + 1) / 360) == pytest.approx(q, abs=1e-3)


def test_nemenyis_p_is_that_of_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    for table in (DEMSAR, ihd_table()[1]):
        expected = posthocs.posthoc_nemenyi_friedman(table).to_numpy()
        assert statistics.nemenyi_p(table) == pytest.approx(expected, abs=1e-6)


def test_nemenyis_p_and_critical_difference_say_the_same():
    _, accuracy = ihd_table()
    ranks = statistics.average_ranks(accuracy)
    apart = np.abs(ranks[:, None] - ranks)
    difference = statistics.nemenyi_critical_difference(8, 20)
    assert ((statistics.nemenyi_p(accuracy) < 0.05) == (apart > difference)).all()


def test_friedman_agrees_with_scipy_without_ties():
    rng = np.random.default_rng(0)
    for n, k in ((3, 3), (10, 4), (25, 13)):
        scores = rng.normal(size=(n, k))
        expected = stats.friedmanchisquare(*scores.T)
        test = statistics.friedman(scores)
        assert test.chi_square == pytest.approx(expected.statistic)
        assert test.p_chi_square == pytest.approx(expected.pvalue)


def test_friedman_agrees_with_scipy_and_scikit_posthocs_with_ties():
    rng = np.random.default_rng(1)
    for n, k in ((3, 3), (10, 4), (25, 13)):
        scores = rng.integers(0, 3, size=(n, k)) * 1.0
        expected = stats.friedmanchisquare(*scores.T)
        test = statistics.friedman(scores)
        assert test.chi_square == pytest.approx(expected.statistic)
        assert test.p_chi_square == pytest.approx(expected.pvalue)
        plain = statistics.friedman(scores, correct_ties=False)
        assert test.tie_correction < 1 == plain.tie_correction
        assert plain.chi_square == pytest.approx(test.chi_square * test.tie_correction)
        assert test.p < plain.p


def test_perfect_agreement_is_as_certain_as_can_be():
    test = statistics.friedman(np.tile([3.0, 2.0, 1.0], (6, 1)))
    assert test.f == np.inf
    assert test.p == 0


def test_permutation_p_is_the_exact_one_for_few_data_sets():
    """Chi-square 6 with 3 methods: 0.0694 for 4 data sets, 1/36 for 3, by counting."""
    scores = [[3, 1, 2], [3, 2, 1]] * 2
    assert statistics.friedman(scores).chi_square == pytest.approx(6)
    for few, p in ((scores, 15 / 216), ([[3, 2, 1]] * 3, 1 / 36)):
        assert statistics.friedman_permutation_p(few) == pytest.approx(p, abs=0.006)


def test_permutation_p_agrees_with_f_for_many_data_sets():
    scores = np.random.default_rng(5).normal(size=(40, 6)) + np.arange(6) * 0.08
    f = statistics.friedman(scores).p
    assert statistics.friedman_permutation_p(scores) == pytest.approx(f, abs=0.02)


def test_ties_share_ranks_and_rounding_noise_is_a_tie():
    scores = [[0.1 + 0.2, 0.3, np.nan, 0.5]]
    assert statistics.ranks_per_row(scores).tolist() == [[2.5, 2.5, 4, 1]]
    lower = statistics.ranks_per_row(scores, higher_is_better=False)
    assert lower.tolist() == [[1.5, 1.5, 4, 3]]


def test_bars_join_what_is_closer_than_the_critical_difference():
    assert statistics.rank_groups([3, 1, 2], 5) == [(1, 3)]
    assert statistics.rank_groups([1, 2, 3], 0.5) == []
    assert statistics.rank_groups([1, 1.4, 3, 3.2, 4], 1) == [(1, 1.4), (3, 4)]


# --- Wilcoxon and Holm -----------------------------------------------------------


def test_wilcoxon_of_demsars_example():
    """Demšar 2006, table 2: sums 93 and 12, significant at 5 %."""
    test = statistics.wilcoxon_signed_rank(DEMSAR[:, 1], DEMSAR[:, 0])
    assert (test.plus, test.minus, test.n) == (93, 12, 12)
    assert test.p < 0.05


@pytest.mark.parametrize("n", WILCOXON_5_PERCENT)
def test_wilcoxons_critical_values_are_those_of_the_tables(n):
    def p_of(smaller):
        signs, left = np.ones(n), smaller
        for rank in range(n, 0, -1):
            if rank <= left:
                signs[rank - 1], left = -1, left - rank
        test = statistics.wilcoxon_signed_rank(signs * np.arange(1, n + 1), np.zeros(n))
        assert test.minus == smaller
        return test.p

    limit = WILCOXON_5_PERCENT[n]
    assert p_of(limit) <= 0.05 < p_of(limit + 1)


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_wilcoxon_equals_scipy_with_normal_distribution(pair):
    """Its plain sums and zeros, in both ways of treating zeros."""
    ours, theirs = pair
    rounded = np.round(ours - theirs, 12)
    for zeros, theirs_name in (("split", "zsplit"), ("drop", "wilcox")):
        test = statistics.wilcoxon_signed_rank(ours, theirs, zeros=zeros)
        if not rounded.any():
            assert test.p == 1
            continue
        expected = stats.wilcoxon(rounded, zero_method=theirs_name, method="asymptotic")
        assert min(test.plus, test.minus) == pytest.approx(expected.statistic)


@given(
    st.integers(2, 9).flatmap(lambda n: hnp.arrays(int, n, elements=st.integers(-4, 4)))
)
@settings(max_examples=30, deadline=None)
def test_wilcoxons_p_is_what_counting_all_signs_gives(found):
    """Ranks, and all 2^n signs by hand: scipy's permutation p, ties and zeros too."""
    for zeros, name in (("split", "pratt"), ("drop", "wilcox")):
        test = statistics.wilcoxon_signed_rank(found, np.zeros(len(found)), zeros=zeros)
        kept = found if zeros == "split" else found[found != 0]
        ranks = stats.rankdata(np.abs(kept))[kept != 0]
        sums = [
            sum(rank for rank, up in zip(ranks, signs, strict=True) if up)
            for signs in product([0, 1], repeat=len(ranks))
        ]
        plus = ranks[kept[kept != 0] > 0].sum()
        sides = (
            np.mean(np.less_equal(sums, plus)),
            np.mean(np.greater_equal(sums, plus)),
        )
        assert test.p == pytest.approx(min(1, 2 * min(sides)))
        if found.any():
            expected = stats.wilcoxon(found.astype(float), zero_method=name).pvalue
            assert test.p == pytest.approx(expected)


@pytest.mark.parametrize("n", [14, 30, 50, 51, 200])
def test_wilcoxon_equals_scipy_without_ties(n):
    rng = np.random.default_rng(n)
    ours, theirs = rng.normal(0.2, 1, size=n), rng.normal(size=n)
    test = statistics.wilcoxon_signed_rank(ours, theirs)
    assert test.p == pytest.approx(stats.wilcoxon(ours, theirs).pvalue, rel=1e-9)


@pytest.mark.parametrize(("zeros", "name"), [("split", "pratt"), ("drop", "wilcox")])
def test_wilcoxon_equals_scipy_with_many_ties_and_zeros(zeros, name):
    found = np.random.default_rng(1).integers(-4, 6, size=90)
    test = statistics.wilcoxon_signed_rank(found, np.zeros(90), zeros=zeros)
    expected = stats.wilcoxon(found.astype(float), zero_method=name)
    assert test.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_failed_data_set_is_left_out():
    ours, theirs = [0.9, 0.8, np.nan, 0.7], [0.8, np.nan, 0.7, 0.5]
    assert statistics.wilcoxon_signed_rank(ours, theirs) == (
        statistics.wilcoxon_signed_rank([0.9, 0.7], [0.8, 0.5])
    )


def test_holm_by_hand():
    """Demšar 2006, section 3.2.2: 0.016 and 0.019 are rejected at 5 %, 0.607 is not."""
    assert statistics.holm([0.019, 0.607, 0.016]) == pytest.approx(
        [0.048, 0.607, 0.048]
    )
    assert statistics.holm([0.04, 0.03, 0.02]).tolist() == [0.06, 0.06, 0.06]
    assert statistics.holm([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.randoms())
@settings(deadline=None)
def test_holm_keeps_order_and_never_lowers_p(p, random):
    corrected = statistics.holm(p)
    assert (corrected >= p).all()
    assert (corrected <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
    assert (corrected <= np.minimum(1, len(p) * np.array(p))).all()  # Bonferroni
    shuffled = random.sample(range(len(p)), len(p))
    assert (statistics.holm(np.array(p)[shuffled]) == corrected[shuffled]).all()


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(3).uniform(size=25) ** 3
    expected = multitest.multipletests(p, method="holm")[1]
    assert statistics.holm(p) == pytest.approx(expected)


def test_all_pairs_equal_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = np.random.default_rng(4).normal(size=(20, 5)) + np.arange(5) * 0.4
    expected = posthocs.posthoc_wilcoxon(scores.T.tolist(), p_adjust="holm").to_numpy()
    ours = statistics.wilcoxon_all_pairs(scores)
    assert ours == pytest.approx(expected, rel=1e-9)


def test_a_baseline_needs_fewer_corrections_than_all_pairs():
    scores = np.random.default_rng(4).normal(size=(20, 5)) + np.arange(5) * 0.4
    few = statistics.wilcoxon_to_baseline(scores, 0)
    plain = [
        statistics.wilcoxon_signed_rank(scores[:, 0], scores[:, j]).p
        for j in range(1, 5)
    ]
    assert few[1:].tolist() == statistics.holm(plain).tolist()
    assert few[0] == 1
    assert (few <= statistics.wilcoxon_all_pairs(scores)[0]).all()


# --- t-tests, wins and losses ----------------------------------------------------


@given(pairs)
@settings(deadline=None)
def test_paired_t_equals_scipy(pair):
    ours, theirs = pair
    found = np.round(ours - theirs, 12)
    test = statistics.paired_t_test(ours, theirs)
    if np.ptp(found) == 0:
        assert test.p == (1 if found[0] == 0 else 0)
    else:
        expected = stats.ttest_rel(ours, theirs)
        assert test.t == pytest.approx(expected.statistic, abs=1e-6)
        assert test.p == pytest.approx(expected.pvalue, abs=1e-6)


def test_corrected_t_by_hand():
    """Differences 1, 2, 3, 2 (mean 2, s² = 2/3) of 4 folds: 2 / sqrt(7/12 * 2/3)."""
    test = statistics.corrected_t_test([1, 2, 3, 2], [0, 0, 0, 0], test_share=1 / 4)
    assert test.t == pytest.approx(2 / np.sqrt(7 / 18))
    assert test.p == pytest.approx(2 * stats.t.sf(2 / np.sqrt(7 / 18), 3))


def test_repeating_does_not_make_a_difference_significant():
    ours = np.array([0.90, 0.88, 0.91, 0.86, 0.92])
    theirs = np.array([0.89, 0.89, 0.90, 0.85, 0.90])
    plain = statistics.paired_t_test(np.tile(ours, 40), np.tile(theirs, 40))
    corrected = statistics.corrected_t_test(
        np.tile(ours, 40), np.tile(theirs, 40), test_share=1 / 5
    )
    assert plain.p < 1e-6
    assert corrected.p > 0.05
    assert corrected.t > 0


def test_win_tie_loss_of_the_ihd_papers_table():
    """Counted by eye in table 3: iHDw against Gini and against iHD."""
    methods, accuracy = ihd_table()
    column = dict(zip(methods, accuracy.T, strict=True))
    gini = statistics.win_tie_loss(column["iHDw"], column["Gini"])
    assert str(gini) == "19/0/1"  # lost: yeast, 52.16 against 52.61
    same = statistics.win_tie_loss(column["iHDw"], column["iHD"])
    assert sum(same) == 20
    assert same.ties == 1  # wine


def test_reliable_wins_need_the_corrected_test():
    ours = [[0.9, 0.8, 0.9, 0.8], [0.9, 0.9, 0.8, 0.9], [0.5, 0.5, 0.5, 0.5]]
    theirs = [[0.5, 0.4, 0.4, 0.4], [0.8, 0.9, 0.8, 0.9], [0.6, 0.7, 0.6, 0.6]]
    count = statistics.reliable_win_tie_loss(ours, theirs, test_share=1 / 4)
    assert count == (1, 1, 1)
    turned = statistics.reliable_win_tie_loss(
        ours, theirs, test_share=1 / 4, higher_is_better=False
    )
    assert turned == (1, 1, 1)
    assert statistics.reliable_win_tie_loss(theirs[:2], ours[:2], test_share=0.25) == (
        *(0, 1, 1),
    )


def test_a_failed_run_loses():
    nan = np.nan
    assert statistics.win_tie_loss([nan, 0.5, nan], [0.5, nan, nan]) == (1, 1, 1)
    assert statistics.reliable_win_tie_loss(
        [[0.5, nan], [0.5, 0.6]], [[0.5, 0.6], [nan, nan]], test_share=1 / 2
    ) == (1, 0, 1)


# --- Bayes -----------------------------------------------------------------------


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.01, 0.05])
@pytest.mark.parametrize("column", [0, 2, 5])
def test_signed_rank_posterior_is_that_of_baycomp(column, rope):
    """Within five standard errors of both draws."""
    baycomp = pytest.importorskip("baycomp")
    methods, accuracy = ihd_table()
    ours, theirs = accuracy[:, methods.index("iHDw")] / 100, accuracy[:, column] / 100
    found = statistics.bayesian_signed_rank_test(ours, theirs, rope=rope)
    n_theirs = 10_000
    sample = baycomp.SignedRankTest.sample(
        theirs, ours, rope, nsamples=n_theirs, random_state=1
    )
    worse, same, better = baycomp.multiple.Posterior(sample).probs()
    for p, expected in zip(found, (better, same, worse), strict=True):
        spread = np.sqrt(max(expected * (1 - expected), 1e-4) * (1 / n_theirs + 2e-5))
        assert p == pytest.approx(expected, abs=5 * spread)


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("column", [0, 2, 5])
def test_signed_rank_posterior_may_be_baycomps_draw_by_draw(column, rope):
    baycomp = pytest.importorskip("baycomp")
    methods, accuracy = ihd_table()
    ours, theirs = accuracy[:, methods.index("iHDw")] / 100, accuracy[:, column] / 100
    options = {"rope": rope, "edge": "baycomp", "n_draws": 2000, "random_state": 3}
    sample = baycomp.SignedRankTest.sample(
        theirs, ours, rope, nsamples=2000, random_state=3
    )
    expected = baycomp.multiple.Posterior(sample).probs()[::-1]
    found = statistics.bayesian_signed_rank_test(ours, theirs, **options)
    assert found == pytest.approx(expected)
    turned = statistics.bayesian_signed_rank_test(
        -ours, -theirs, higher_is_better=False, **options
    )
    assert turned == found


def test_at_an_edge_of_the_region_a_difference_counts_half_or_by_its_last_bit():
    ours, theirs = [0.81] * 8, [0.80] * 8
    assert 0.81 - 0.80 > 0.01
    exact = statistics.bayesian_signed_rank_test(
        ours, theirs, rope=0.01, edge="baycomp", n_draws=500
    )
    rounded = statistics.bayesian_signed_rank_test(ours, theirs, rope=0.01, n_draws=500)
    assert exact.better > 0.95
    assert rounded.same > 0.9  # half of each pair, and all pairs with the made-up one
    with pytest.raises(ValueError, match="edge='half' is unknown"):
        statistics.bayesian_signed_rank_test(ours, theirs, edge="half")


@pytest.mark.parametrize("runs", [1, 3])
def test_correlated_t_posterior_is_that_of_baycomp(runs):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(runs)
    theirs = rng.normal(0.8, 0.02, size=10 * runs)
    ours = theirs + rng.normal(0.008, 0.02, size=10 * runs)
    found = statistics.bayesian_correlated_t_test(ours, theirs, test_share=1 / 10)
    expected = baycomp.two_on_single(theirs, ours, rope=0.01, runs=runs)
    assert found == pytest.approx(expected[::-1], abs=1e-6)


def test_posterior_without_a_region_is_the_corrected_t_test():
    ours, theirs = [0.91, 0.88, 0.93, 0.90], [0.90, 0.89, 0.92, 0.88]
    found = statistics.bayesian_correlated_t_test(
        ours, theirs, test_share=0.25, rope=0.0
    )
    test = statistics.corrected_t_test(ours, theirs, test_share=0.25)
    assert found.worse == pytest.approx(test.p / 2)
    assert found.same == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_posteriors_of_equal_methods(rope):
    same = [0.9, 0.8, 0.7]
    expected = (0, 1, 0) if rope else (0.5, 0, 0.5)
    kinds = (
        statistics.bayesian_signed_rank_test(same, same, rope=rope),
        statistics.bayesian_correlated_t_test(same, same, rope=rope, test_share=1 / 3),
    )
    for found in kinds:
        assert found == pytest.approx(expected)


def test_a_decision_needs_95_percent():
    decisions = {
        (0.96, 0.03, 0.01): "better",
        (0.01, 0.95, 0.04): "same",
        (0.0, 0.05, 0.95): "worse",
        (0.5, 0.0, 0.5): "undecided",
    }
    for p, expected in decisions.items():
        assert statistics.Posterior(*p).decision() == expected
    assert statistics.Posterior(0.6, 0.3, 0.1).decision(0.5) == "better"


# --- laws ------------------------------------------------------------------------


@given(tables(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_of_data_sets_changes_nothing(scores, random):
    order = random.sample(range(len(scores)), len(scores))
    turned = scores[order]
    a, b = scores[:, 0], scores[:, 1]
    few = {"n_draws": 500}
    assert statistics.friedman(turned) == statistics.friedman(scores)
    assert statistics.friedman_permutation_p(
        turned, n_permutations=199
    ) == statistics.friedman_permutation_p(scores, n_permutations=199)
    assert (statistics.nemenyi_p(turned) == statistics.nemenyi_p(scores)).all()
    for test in (statistics.wilcoxon_signed_rank, statistics.win_tie_loss):
        assert test(a[order], b[order]) == test(a, b)
    assert statistics.bayesian_signed_rank_test(a[order], b[order], **few) == (
        statistics.bayesian_signed_rank_test(a, b, **few)
    )


@given(tables(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_of_methods_changes_no_p(scores, random):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    turned = scores[:, order]
    assert statistics.friedman(turned).p == pytest.approx(statistics.friedman(scores).p)
    few = {"n_permutations": 199}
    assert statistics.friedman_permutation_p(turned, **few) == (
        statistics.friedman_permutation_p(scores, **few)
    )
    pairs_of = statistics.wilcoxon_all_pairs(scores)
    assert (
        statistics.wilcoxon_all_pairs(turned) == pairs_of[np.ix_(order, order)]
    ).all()


@given(tables(min_rows=3), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_identical_methods_never_differ(scores, n_methods):
    one = scores[:, 0]
    alike = np.repeat(one[:, None], n_methods, axis=1)
    test = statistics.friedman(alike)
    assert (test.chi_square, test.f) == (0, 0)
    assert test.p == pytest.approx(1)
    assert statistics.friedman_permutation_p(alike, n_permutations=99) == 1
    assert (statistics.nemenyi_p(alike) == 1).all()
    assert (statistics.wilcoxon_all_pairs(alike) == 1).all()
    assert statistics.corrected_t_test(one, one, test_share=0.1) == (0, 1)
    assert statistics.win_tie_loss(one, one) == (0, len(one), 0)
    assert statistics.bayesian_signed_rank_test(one, one, n_draws=100) == (0, 1, 0)


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_probabilities_are_probabilities_and_sides_can_be_swapped(pair):
    ours, theirs = pair
    wilcoxon = statistics.wilcoxon_signed_rank(ours, theirs)
    swapped = statistics.wilcoxon_signed_rank(theirs, ours)
    assert 0 <= wilcoxon.p == swapped.p <= 1
    assert (wilcoxon.plus, wilcoxon.minus) == (swapped.minus, swapped.plus)
    # Lower is better: the same test from the other side.
    lower = statistics.wilcoxon_signed_rank(ours, theirs, higher_is_better=False)
    assert lower == swapped
    t = statistics.corrected_t_test(ours, theirs, test_share=0.1)
    assert 0 <= t.p <= 1
    assert t.t == -statistics.corrected_t_test(theirs, ours, test_share=0.1).t
    for posterior, other in (
        (
            statistics.bayesian_signed_rank_test(ours, theirs, n_draws=200),
            statistics.bayesian_signed_rank_test(theirs, ours, n_draws=200),
        ),
        (
            statistics.bayesian_correlated_t_test(ours, theirs, test_share=0.1),
            statistics.bayesian_correlated_t_test(theirs, ours, test_share=0.1),
        ),
    ):
        assert sum(posterior) == pytest.approx(1)
        assert min(posterior) >= 0
        assert posterior.better == pytest.approx(other.worse, abs=0.2)


# --- AUC -------------------------------------------------------------------------


def slow_auc(y, probability, classes):
    """Hand and Till 2001, equations 3 and 7: count pairs of rows, one by one."""

    def area(i, j):
        own = [p[i] for p, label in zip(probability, y, strict=True) if label == i]
        others = [p[i] for p, label in zip(probability, y, strict=True) if label == j]
        wins = [(a > b) + 0.5 * (a == b) for a in own for b in others]
        return sum(wins) / len(wins)

    k = len(classes)
    pairs_of = [(i, j) for i in range(k) for j in range(i)]
    return sum((area(i, j) + area(j, i)) / 2 for i, j in pairs_of) / len(pairs_of)


def test_auc_by_hand():
    """Three classes: A(1|0) = 1, A(0|1) = 1/2; A(2|0) = A(0|2) = 1; A(2|1) = 1, ..."""
    y = np.array([0, 1, 0, 2])
    p = np.array([[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]])
    # p_0: own 0.1, 0.35 against 0.3: 1/2; p_1: own 0.4 against 0.8, 0.5: 0.
    # All pairs with class 2 are separated, by either probability.
    expected = (np.mean([1 / 2, 0]) + 1 + 1) / 3
    assert statistics.hand_till_auc(y, p, np.arange(3)) == pytest.approx(expected)


def test_auc_of_two_classes_is_the_mann_whitney_statistic():
    """The rows of Fawcett 2006, figure 3: 68 of 100 pairs are in order."""
    positive = np.array([c == "p" for c in "ppnpppnnpnpnpnnnpnpn"]).astype(int)
    score = np.array(
        [
            *(0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505),
            *(0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1),
        ]
    )
    p = np.column_stack([1 - score, score])
    found = statistics.hand_till_auc(positive, p, np.arange(2))
    assert found == pytest.approx(0.68)
    test = stats.mannwhitneyu(score[positive == 1], score[positive == 0])
    assert found == pytest.approx(test.statistic / 100)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_auc_is_hand_and_tills(n_classes):
    rng = np.random.default_rng(n_classes)
    classes = np.arange(n_classes)
    for _ in range(20):
        y = np.concatenate([classes, rng.integers(n_classes, size=50)])
        p = rng.integers(1, 4, size=(len(y), n_classes)).astype(float)  # many ties
        p /= p.sum(axis=1, keepdims=True)
        score = p[:, 1] if n_classes == 2 else p
        expected = roc_auc_score(y, score, multi_class="ovo", average="macro")
        ours = statistics.hand_till_auc(y, p, classes)
        assert ours == pytest.approx(expected, abs=1e-12)
        assert ours == pytest.approx(slow_auc(y, p, classes), abs=1e-9)


def test_auc_leaves_out_pairs_that_are_not_there():
    classes = np.array(["a", "b", "c"])
    p = np.array([[0.8, 0.2, 0], [0.1, 0.9, 0], [0.3, 0.7, 0]])
    y = np.array(["a", "b", "b"])
    assert statistics.hand_till_auc(y, p, classes) == 1
    assert np.isnan(statistics.hand_till_auc(y[1:], p[1:], classes))


# --- bad input -------------------------------------------------------------------

BAD = {
    "one data set": (
        lambda: statistics.friedman([[1.0, 2.0]]),
        "at least 2 methods and 2 data sets",
    ),
    "one method": (
        lambda: statistics.nemenyi_critical_difference(1, 10),
        "at least 2 methods",
    ),
    "lengths": (
        lambda: statistics.wilcoxon_signed_rank([1, 2], [1, 2, 3]),
        r"same length.*\(2,\) and \(3,\)",
    ),
    "zeros": (
        lambda: statistics.wilcoxon_signed_rank([1], [2], zeros="keep"),
        "zeros='keep' is unknown; use 'split' or 'drop'",
    ),
    "p": (lambda: statistics.holm([0.5, 1.5]), "numbers from 0 to 1"),
    "list": (
        lambda: statistics.wilcoxon_all_pairs([1, 2]),
        "one row per data set and one column per method",
    ),
    "one run": (
        lambda: statistics.corrected_t_test([1], [2], test_share=0.1),
        "at least 2 runs, not 1",
    ),
    "one run, Bayes": (
        lambda: statistics.bayesian_correlated_t_test([1], [2], test_share=0.1),
        "at least 2 runs, not 1",
    ),
    "share": (
        lambda: statistics.corrected_t_test([1, 2], [2, 4], test_share=10),
        "test_share=10 is not a share of the rows; for k folds it is 1 / k",
    ),
    "no data set": (
        lambda: statistics.bayesian_signed_rank_test([np.nan], [0.5]),
        "no data set in common",
    ),
    "rope": (
        lambda: statistics.bayesian_signed_rank_test([1, 2], [2, 4], rope=-1),
        "rope=-1 is no width",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_clear_error(case):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


# --- power --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "n", "alpha"), [(0.0, 12, 0.05), (0.8, 10, 0.05), (1.2, 9, 0.02)]
)
def test_power_of_wilcoxon_is_that_of_simulated_experiments(effect, n, alpha):
    """NumPy twin: draw experiments of its own, and let scipy test each."""
    draws = np.random.default_rng(7).normal(effect, 1, size=(1500, n))
    found = stats.wilcoxon(draws, axis=1, method="exact").pvalue < alpha
    error = np.sqrt(0.25 / 1500 + 0.25 / 4000)
    assert abs(statistics.wilcoxon_power(effect, n, alpha) - found.mean()) < 4 * error


def test_power_of_the_t_test_is_that_of_simulated_experiments():
    """NumPy twin: normal runs whose mean is as uncertain as the correction says."""
    rng = np.random.default_rng(8)
    n, share, effect, n_draws = 10, 0.1, 1.1, 4000
    factor = 1 / n + share / (1 - share)
    mean = effect + np.sqrt(factor) * rng.normal(size=n_draws)
    spread = np.sqrt(rng.chisquare(n - 1, size=n_draws) / (n - 1))
    t = mean / (spread * np.sqrt(factor))
    found = (np.abs(t) > 2.2622).mean()  # of 9 degrees of freedom, at 5 %
    power = statistics.t_test_power(effect, n, share)
    assert abs(power - found) < 0.035
    exact = stats.nct.sf(2.2622, n - 1, effect / np.sqrt(factor))
    assert power == pytest.approx(exact, abs=1e-4)


def test_what_is_detectable_is_found_in_four_of_five_cases():
    for n, alpha in ((8, 0.05), (20, 0.01), (60, 0.05)):
        effect = statistics.detectable_by_wilcoxon(n, alpha)
        assert statistics.wilcoxon_power(effect, n, alpha) == pytest.approx(
            0.8, abs=0.01
        )
    for n_runs in (2, 3, 10, 100):
        effect = statistics.detectable_by_t_test(n_runs, 0.1)
        assert statistics.t_test_power(effect, n_runs, 0.1) == pytest.approx(0.8)


def test_more_data_sets_find_smaller_differences():
    effects = [statistics.detectable_by_wilcoxon(n) for n in (5, 6, 10, 20, 40)]
    assert effects[0] == np.inf  # p is never below 1 / 16
    assert effects == sorted(effects, reverse=True)
    needed = [statistics.datasets_needed(effect) for effect in (2.0, 1.0, 0.5, 0.2)]
    assert needed == sorted(needed)
    assert statistics.wilcoxon_power(1.0, needed[1]) >= 0.8
    assert statistics.wilcoxon_power(1.0, needed[1] - 1) < 0.8
    # The simulation and the formula for large samples agree where they meet.
    assert statistics.wilcoxon_power(0.4, statistics.datasets_needed(0.4)) == (
        pytest.approx(0.8, abs=0.05)
    )
    assert statistics.datasets_needed(0.001) is None
