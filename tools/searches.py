# SPDX-License-Identifier: BSD-3-Clause
"""The formulas of methods that are more than a criterion."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Search:
    """What a method computes at a node."""

    formula: str
    words: str


_WODT = """\
E(theta) = W_L log W_L + W_R log W_R - sum_k W_Lk log W_Lk - sum_k W_Rk log W_Rk
r_i = 1 / (1 + exp(-theta·(x_i, 1)))
W_Rk = sum of r_i over the rows of class k,  W_Lk = sum of 1 - r_i"""
_WODT_WORDS = (
    "L-BFGS minimises E per row from a random start. Rows with theta·(x, 1) < 0 then "
    "go left. If a side is empty, it starts again (`n_restarts`); after that the best "
    "split of one column is taken."
)
_OC1 = """\
V_i = a·x_i + c;  row i changes sides at  a_m - V_i / x_im  as the new a_m
kick: a + alpha q, q random;  row i changes sides at  alpha = -V_i / (q·(x_i, 1))"""
_OC1_WORDS = (
    "One coefficient at a time is set to the best of all values at which a row changes "
    "sides, until nothing improves. Up to `n_kicks` random directions then try to "
    "leave the local optimum. Of `n_starts` starts {start} The result is used where "
    "it beats the best split of one column."
)
_CART_LC = """\
v - delta (x_m + gamma) <= c,  v = a·x,  gamma in {-0.25, 0, 0.25}
row i changes sides at delta = (v_i - c) / (x_im + gamma)"""
_CART_LC_WORDS = (
    "For each column the best delta over all rows and the three gamma changes a_m by "
    "-delta and c by delta times gamma. Cycles over the columns go on until one gains "
    "less than `tol`. The first hyperplane is {start}. Columns are standardised; "
    "`backward_deletion` drops those that matter little."
)
_CO2 = """\
minimise  sum_i max( -w·x_i + l(theta_0, y_i), w·x_i + l(theta_1, y_i) ) - |w·x_i|
subject to  |w|² <= nu
l(theta, y) = -theta[y] + ln sum_k exp theta[k]"""
_CO2_WORDS = (
    "The sum is never below the log loss of a tree with one split by the sign of w·x "
    "and leaves theta_0, theta_1. It is descended on row by row with steps `eta`, "
    "from {start}. Of all rounds the direction with the best score is kept."
)
_DGMML = "w_j = sqrt(B_j / W_j),  B_j = sum over pairs of classes of (m_kj - m_lj)²"

SEARCHES = {
    "chaid": Search(
        "adjusted p = p(chi2 of groups x classes) · number of ways to form the groups",
        "In each column the two groups of values whose class shares differ least are "
        "merged, while p of their chi-square test is above `alpha_merge`. The column "
        "with the smallest adjusted p is split, one branch per group, if that is at "
        "most `alpha_split`. Numbers are cut into ten bins, of which neighbours merge.",
    ),
    "quest": Search(
        "pi_A N(x; m_A, v_A) = pi_B N(x; m_B, v_B)",
        "The column is the one with the smallest p of an F test of its class means, or "
        "of a chi-square test for categories; if none is below `alpha` over the number "
        "of columns, Levene's test of spreads decides. The classes are put into two "
        "groups A and B by their means, and the cut is where the densities of two "
        "normal distributions, weighted by their shares, meet.",
    ),
    "dgmml": Search(
        f"{_DGMML}\ncut = (mean of the q highest rows of the lower class "
        "+ mean of the q lowest of the higher) / 2",
        "W_j is the sum of squares within classes and m_kj a class mean of column j. "
        "The column with the largest w_j is cut between the classes; q is half of "
        "`n_gap_points`. With more than two classes the cuts between neighbours are "
        "judged by Gini.",
    ),
    "wodt": Search(_WODT, _WODT_WORDS),
    "wodt_l1": Search(
        _WODT + "\nminimise  E(theta) / n + penalty · sum_j |theta_j|",
        _WODT_WORDS + " The columns that the penalty leaves are fitted once more "
        "without it (`debias`).",
    ),
    "oc1": Search(
        _OC1, _OC1_WORDS.format(start="the first is the best split of one column.")
    ),
    "oc1r": Search(_OC1, _OC1_WORDS.format(start="all are random.")),
    "cart_lc": Search(
        _CART_LC, _CART_LC_WORDS.format(start="the best split of one column")
    ),
    "cart_lcr": Search(_CART_LC, _CART_LC_WORDS.format(start="random")),
    "co2": Search(_CO2, _CO2_WORDS.format(start="the best split of one column")),
    "co2r": Search(_CO2, _CO2_WORDS.format(start="a random direction")),
    "dgmml_mdt": Search(
        f"{_DGMML}\nsplit  sum_j ± w_j x_j <= cut",
        "W_j is the sum of squares within classes and m_kj a class mean of column j. "
        "The sign of a weight is that of the difference of the two class means that "
        "lie farthest apart. The sum is cut as `dgmml` cuts a column.",
    ),
    "fisher": Search(
        "w = (S_w + lambda tr(S_w) / d · I)⁻¹ (m_1 - m_0)",
        "S_w is the scatter within classes, m_0 and m_1 the means of two classes or of "
        "two groups of classes, lambda is `ridge`. The sum w·x is cut where the "
        "criterion is best, and used where it beats the best split of one column.",
    ),
    "random_sparse": Search(
        "w with n_terms entries of -1 or 1 at random columns, the rest 0",
        "Of `n_directions` draws the one with the best cut by the criterion wins, if "
        "it beats the best split of one column.",
    ),
}
