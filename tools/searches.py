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
    "L-BFGS minimises E, the sum over the rows, from a random start in [-0.5, 0.5], "
    "until no entry of the gradient exceeds `tol` or a step gains less than 1e-9 of E. "
    "Rows with theta·(x, 1) < 0 then go left. If a side is empty, the search restarts "
    "(`n_restarts`); after that the best axis-parallel split is used."
)
_OC1 = """\
V_i = a·x_i + c;  row i changes sides at  a_m - V_i / x_im  as the new a_m
kick: a + alpha q, q random;  row i changes sides at  alpha = -V_i / (q·(x_i, 1))"""
_OC1_WORDS = (
    "One coefficient at a time is set to the best of all values at which a row changes "
    "sides, until nothing improves. Up to `n_kicks` random perturbations then try to "
    "leave the local optimum. Of `n_starts` starts {start} The result is used if it "
    "beats the best axis-parallel split."
)
_CART_LC = """\
v - delta (x_m + gamma) <= c,  v = a·x,  gamma in {-0.25, 0, 0.25}
row i changes sides at delta = (v_i - c) / (x_im + gamma)"""
_CART_LC_WORDS = (
    "For each column the best delta over all rows and the three gamma changes a_m by "
    "-delta and c by delta times gamma. Cycles over the columns continue until one "
    "gains less than `tol`. The first hyperplane is {start}. Columns are standardised; "
    "`backward_deletion` removes unimportant ones."
)
_CO2 = """\
minimise  sum_i max( -w·x_i + l(theta_0, y_i), w·x_i + l(theta_1, y_i) ) - |w·x_i|
subject to  |w|² <= nu
l(theta, y) = -theta[y] + ln sum_k exp theta[k]"""
_CO2_WORDS = (
    "The sum is an upper bound of the log loss of a tree with one split by the sign of "
    "w·x and leaves theta_0, theta_1. Stochastic gradient descent minimises it with "
    "step size `eta`, from {start}. The direction with the best score of all rounds is "
    "kept."
)
_DGMML = "w_j = sqrt(B_j / W_j),  B_j = sum over pairs of classes of (m_kj - m_lj)²"

_AGAINST_REST = (
    "z are the columns, standardised in the node; t_i is 1 for the rows of a class and "
    "-1 for the others. With more than two classes, each class is compared with the "
    "rest, and the best split wins."
)
_SEARCHED_CUT = (
    'The threshold is the one with the best score of the criterion (`cut="own"`: the '
    "method's own threshold), and the split is used if it beats the best axis-parallel "
    "split."
)

SEARCHES = {
    "optimal": Search(
        "J(T) = sum over leaves of c(leaf) + penalty W (number of leaves)\n"
        "c(leaf) = least weight, or cost, of the rows that one answer gets wrong",
        "All trees of depth 3 over all thresholds are searched, and the best is proved "
        "to be so; after `time_limit` seconds the best tree so far is taken. [How]"
        "(../design/optimal.md).",
    ),
    "lookahead": Search(
        "root of argmin J(T) over trees T of depth 3,  then so below it\n"
        "J(T) = sum over leaves of c(leaf) + penalty W (number of leaves)",
        "At every node the best tree of depth 3 is found, and its first test is kept; "
        "the last three levels are optimal, given those above. [How]"
        "(../design/optimal.md).",
    ),
    "chaid": Search(
        "adjusted p = p(chi2 of groups x classes) · number of ways to form the groups",
        "In each column the two groups of values with the most similar class shares "
        "are merged, as long as the p-value of their chi-square test is above "
        "`alpha_merge`. The column with the smallest adjusted p-value is split, one "
        "branch per group, if this is at most `alpha_split`. Numeric columns are put "
        "into ten bins, of which neighbours may merge.",
    ),
    "quest": Search(
        "pi_A N(x; m_A, v_A) = pi_B N(x; m_B, v_B)",
        "The column with the smallest p-value of an F test of its class means is "
        "selected, or of a chi-square test for categories; if none is below `alpha` "
        "divided by the number of columns, Levene's test of spreads decides. The "
        "classes are divided into two groups A and B by their means, and the threshold "
        "is where the densities of two normal distributions, weighted by their shares, "
        "intersect.",
    ),
    "ctree": Search(
        "c = (n - 1) B / (B + W),  p = P(chi2 with K - 1 degrees > c)\n"
        "adjusted p = 1 - (1 - p)^M",
        "B and W are the sums of squares of the column between and within the classes; "
        "for categories c is (n - 1)/n times Pearson's chi-square, for regression n - "
        "1 times the squared correlation. The column with the smallest p-value of the "
        "M that vary is split where chi-square is largest, if its adjusted p-value is "
        "at most `alpha`; otherwise the node is a leaf. Each child has at least the "
        "share `minprob` of the node; if a column has no such split the next is tried, "
        "up to `splittry` columns. A column varies if the variance of its linear "
        "statistic is at least `tol`. These are the rules and defaults of R's "
        "partykit. A row with integer weight w counts as w rows; other weights are "
        "scaled to the number of rows.",
    ),
    "vfc45": Search(
        "cut = mean of the column in the node, or its median",
        "A numeric column has only these two candidate thresholds; the better of them "
        "by information gain competes with the other columns by gain ratio, with the "
        "rules of C4.5. Rows count by their weights. The median between two middle "
        "values is their mean. Categories are split as in C4.5.",
    ),
    "guide": Search(
        "w = max(0, 7/9 + sqrt(nu) ((X / nu)^(1/3) - 1 + 2 / (9 nu)))^3",
        "X is Pearson's chi-square, of nu degrees of freedom, of classes against "
        "groups: a numeric column is divided at its mean and at fixed multiples of its "
        "standard deviation into three groups or, with twenty rows per class, four; "
        "categories are groups, and so are the missing values. The column with the "
        "largest w is split where the criterion is best. With `interactions=True` "
        "pairs of columns are tested if no column is significant alone.",
    ),
    "dgmml": Search(
        f"{_DGMML}\ncut = (mean of the q highest rows of the lower class "
        "+ mean of the q lowest of the higher) / 2",
        "W_j is the sum of squares within classes and m_kj a class mean of column j. "
        "The column with the largest w_j is split between the classes; q is half of "
        "`n_gap_points`. With more than two classes the Gini gain chooses among the "
        "cuts between neighbouring classes.",
    ),
    "wodt": Search(_WODT, _WODT_WORDS),
    "wodt_l1": Search(
        _WODT + "\nminimise  E(theta) / n + penalty · sum_j |theta_j|",
        _WODT_WORDS
        + ("The remaining columns are fitted again without the penalty (`debias`)."),
    ),
    "oc1": Search(
        _OC1, _OC1_WORDS.format(start="the first is the best axis-parallel split.")
    ),
    "oc1r": Search(_OC1, _OC1_WORDS.format(start="all are random.")),
    "cart_lc": Search(
        _CART_LC, _CART_LC_WORDS.format(start="the best axis-parallel split")
    ),
    "cart_lcr": Search(_CART_LC, _CART_LC_WORDS.format(start="random")),
    "co2": Search(_CO2, _CO2_WORDS.format(start="the best axis-parallel split")),
    "co2r": Search(_CO2, _CO2_WORDS.format(start="a random direction")),
    "dgmml_mdt": Search(
        f"{_DGMML}\nsplit  sum_j ± w_j x_j <= cut",
        "W_j is the sum of squares within classes and m_kj a class mean of column j. "
        "The sign of a weight is that of the difference of the two class means that "
        "lie farthest apart. The linear combination is split like a column of `dgmml`.",
    ),
    "fisher": Search(
        "w = (S_w + lambda tr(S_w) / d · I)⁻¹ (m_1 - m_0)",
        "S_w is the scatter within classes, m_0 and m_1 the means of two classes or of "
        "two groups of classes, lambda is `ridge`. The projection w·x is split where "
        "the criterion is best, and used if it beats the best axis-parallel split.",
    ),
    "random_sparse": Search(
        "w with n_terms entries of -1 or 1 at random columns, the rest 0",
        "Of `n_directions` random directions the one with the best split wins, if it "
        "beats the best axis-parallel split.",
    ),
    "ridge": Search(
        "minimise  sum_i s_i (w·z_i + b - t_i)² + penalty · |w|²",
        f"{_AGAINST_REST} s_i is the weight of a row. One Cholesky decomposition "
        f"serves all classes. {_SEARCHED_CUT}",
    ),
    "logistic": Search(
        "minimise  sum_i s_i ln(1 + exp(-t_i (w·z_i + b))) + penalty / 2 · |w|²",
        f"{_AGAINST_REST} L-BFGS minimises until the gradient per row is below 1e-8. "
        f"{_SEARCHED_CUT}",
    ),
    "svm": Search(
        "minimise  |w|² / 2 + C · sum_i s_i max(0, 1 - t_i (w·z_i + b))²",
        f"{_AGAINST_REST} The hinge is squared, which STree's is not, so the "
        f"problem is smooth. {_SEARCHED_CUT}",
    ),
    "mpsvm": Search(
        "p maximises v'Hv / v'Gv,  q maximises v'Gv / v'Hv,  v = (w, b)\n"
        "G, H = mean of (x, -1)(x, -1)' over the first and the second group",
        "p is close to the first group of classes and far from the second, q the other "
        "way round. If they are nearly parallel (cosine above 0.9), the plane midway "
        "is the candidate, else the two that bisect their angles. More than two "
        "classes make two groups about the two that lie farthest apart by "
        'Bhattacharyya\'s distance; `grouping="largest"` takes the heaviest class '
        f"against the rest. {_SEARCHED_CUT}",
    ),
    "hhcart": Search(
        "Q = I - 2 u u',  u = (e_1 - v) / |e_1 - v|",
        "v is the first principal axis of the rows of a class, and Q the Householder "
        "reflection that maps it onto the first coordinate axis. All columns of Q are "
        'directions, for every class with at least two rows; `variant="A"` uses all '
        "principal axes of a class. The best split of all wins, if it beats the best "
        "axis-parallel split.",
    ),
    "cca": Search(
        "w = the eigenvectors of (W + B)⁺ B",
        "W is the scatter within, B that between the classes: these are the canonical "
        "directions of the columns and the one-hot encoded classes, at most one less "
        "than there are classes. For two classes there is one, that of `fisher`. The "
        "best split of all wins, if it beats the best axis-parallel split. "
        "`bootstrap=True` computes them on a bootstrap sample of the node, as in "
        "canonical correlation forests.",
    ),
    "pptree": Search(
        "a = the leading eigenvector of (W + B)⁺ B",
        "a orders the classes by their means, and the largest gap makes two groups of "
        "them; the same formula with the two groups gives the direction. "
        '`index="pda"` shrinks the products of different columns in W by '
        f"`shrinkage`, for many columns. {_SEARCHED_CUT}",
    ),
    "cart_elc": Search(
        "w·x + b = 0 through `n_points` rows, w of as many columns",
        "All sets of rows and all sets of columns are tried, and rows on the plane go "
        "left; the best wins, if it beats the best axis-parallel split. If there are "
        "more than `max_planes`, the sets of rows are sampled.",
    ),
    "heterogeneous": Search(
        "the best gain of all `methods` wins",
        "Each method proposes a split with its defaults; Fisher's discriminant "
        "compares one class with the rest. Ties go to the first.",
    ),
    "rotation": Search(
        "x' = x R,  R'R = I,  R made of blocks of `group_size` columns",
        "The numeric columns are partitioned at random into groups. For each group a "
        "random set of classes and a bootstrap sample of a `share` of their rows are "
        "chosen, and the block holds their principal components, centred and not "
        "scaled. The tree has axis-parallel splits on x', and each split is a linear "
        "combination of at most `group_size` columns of x.",
    ),
}

# The formulas as TeX, line by line; where there is none, the page shows the text.
_WODT_TEX = (
    r"E(\theta) = W_L \log W_L + W_R \log W_R"
    r" - \sum_k W_{Lk} \log W_{Lk} - \sum_k W_{Rk} \log W_{Rk}",
    r"r_i = \frac{1}{1 + \exp(-\theta \cdot (x_i, 1))}",
    r"W_{Rk} = \sum_{i : y_i = k} r_i, \quad W_{Lk} = \sum_{i : y_i = k} (1 - r_i)",
)
_OC1_TEX = (
    r"V_i = a \cdot x_i + c, \quad \text{row } i \text{ changes sides at } "
    r"a_m - \frac{V_i}{x_{im}} \text{ as the new } a_m",
    r"a + \alpha q, \quad \text{row } i \text{ changes sides at } "
    r"\alpha = -\frac{V_i}{q \cdot (x_i, 1)}",
)
_CART_LC_TEX = (
    r"v - \delta (x_m + \gamma) \le c, \quad v = a \cdot x, \quad "
    r"\gamma \in \{-0.25, 0, 0.25\}",
    r"\text{row } i \text{ changes sides at } \delta = \frac{v_i - c}{x_{im} + \gamma}",
)
_CO2_TEX = (
    r"\min_w \sum_i \max\bigl(-w \cdot x_i + l(\theta_0, y_i),\ "
    r"w \cdot x_i + l(\theta_1, y_i)\bigr) - |w \cdot x_i| \quad "
    r"\text{subject to } \lVert w \rVert^2 \le \nu",
    r"l(\theta, y) = -\theta_y + \ln \sum_k \exp \theta_k",
)
_DGMML_TEX = (
    r"w_j = \sqrt{\frac{B_j}{W_j}}, \quad B_j = \sum_{k < l} (m_{kj} - m_{lj})^2",
)
IN_TEX = {
    "quest": (r"\pi_A\, N(x; m_A, v_A) = \pi_B\, N(x; m_B, v_B)",),
    "ctree": (
        r"c = (n - 1) \frac{B}{B + W}, \quad p = P(\chi^2_{K - 1} > c)",
        r"p_{\text{adjusted}} = 1 - (1 - p)^M",
    ),
    "guide": (
        r"w = \max\left(0,\ \frac{7}{9} + \sqrt{\nu} \left(\left(\frac{X}{\nu}\right)"
        r"^{1/3} - 1 + \frac{2}{9 \nu}\right)\right)^3",
    ),
    "dgmml": (
        *_DGMML_TEX,
        r"\text{cut} = \frac{1}{2} \left(\bar{x}_{\text{highest } q \text{ of the "
        r"lower class}} + \bar{x}_{\text{lowest } q \text{ of the higher}}\right)",
    ),
    "wodt": _WODT_TEX,
    "wodt_l1": (
        *_WODT_TEX,
        r"\min_\theta \frac{E(\theta)}{n} + \mathrm{penalty} \sum_j |\theta_j|",
    ),
    "oc1": _OC1_TEX,
    "oc1r": _OC1_TEX,
    "cart_lc": _CART_LC_TEX,
    "cart_lcr": _CART_LC_TEX,
    "co2": _CO2_TEX,
    "co2r": _CO2_TEX,
    "dgmml_mdt": (*_DGMML_TEX, r"\sum_j \pm w_j x_j \le \text{cut}"),
    "fisher": (
        r"w = \left(S_w + \lambda \frac{\operatorname{tr}(S_w)}{d} I\right)^{-1} "
        r"(m_1 - m_0)",
    ),
    "ridge": (
        r"\min_{w, b} \sum_i s_i (w \cdot z_i + b - t_i)^2"
        r" + \mathrm{penalty}\, \lVert w \rVert^2",
    ),
    "logistic": (
        r"\min_{w, b} \sum_i s_i \ln\bigl(1 + \exp(-t_i (w \cdot z_i + b))\bigr)"
        r" + \frac{\mathrm{penalty}}{2} \lVert w \rVert^2",
    ),
    "svm": (
        r"\min_{w, b} \frac{\lVert w \rVert^2}{2}"
        r" + C \sum_i s_i \max(0, 1 - t_i (w \cdot z_i + b))^2",
    ),
    "mpsvm": (
        r"p = \arg\max_v \frac{v^T H v}{v^T G v}, \quad "
        r"q = \arg\max_v \frac{v^T G v}{v^T H v}, \quad v = (w, b)",
        r"G, H = \text{mean of } (x, -1)(x, -1)^T "
        r"\text{ over the first and the second group}",
    ),
    "hhcart": (r"Q = I - 2 u u^T, \quad u = \frac{e_1 - v}{\lVert e_1 - v \rVert}",),
    "cca": (r"w = \text{the eigenvectors of } (W + B)^+ B",),
    "pptree": (r"a = \text{the leading eigenvector of } (W + B)^+ B",),
    "rotation": (
        r"x' = x R, \quad R^T R = I, \quad "
        r"R \text{ made of blocks of } \mathtt{group\_size} \text{ columns}",
    ),
}
# Symbols that neither the formula nor the words below it explain.
_VECTORS = "$w$ and $b$ are the weights and the threshold of the hyperplane."
SYMBOLS = {
    **dict.fromkeys(
        ("wodt", "wodt_l1"),
        "$x_i$ and $y_i$ are a row and its class, $\\theta$ the weights of the "
        "hyperplane, $r_i$ how far a row goes right, $W_{tk}$ the weight of class $k$ "
        "in child $t$ and $W_t$ its sum over the classes.",
    ),
    **dict.fromkeys(
        ("oc1", "oc1r"),
        "$a$ and $c$ are the weights and the constant of the hyperplane, $x_i$ is a "
        "row, $x_{im}$ its value in column $m$, $q$ a random direction.",
    ),
    **dict.fromkeys(
        ("cart_lc", "cart_lcr"),
        "$a$ and $c$ are the weights and the threshold of the hyperplane, $x$ is a "
        "row, $x_m$ its value in column $m$.",
    ),
    **dict.fromkeys(
        ("co2", "co2r"),
        "$w$ are the weights of the hyperplane, $x_i$ and $y_i$ a row and its class, "
        "$\\nu$ is a parameter.",
    ),
    **dict.fromkeys(
        ("ridge", "logistic"), f"{_VECTORS} $s_i$ is the weight of row $i$."
    ),
    "svm": f"{_VECTORS} $s_i$ is the weight of row $i$, $C$ a parameter.",
    "mpsvm": f"{_VECTORS} $x$ is a row.",
    "quest": (
        "$\\pi$, $m$ and $v$ are the share, mean and variance of a group of classes, "
        "$N$ is the density of the normal distribution."
    ),
    "ctree": "$n$ is the number of rows, $K$ that of classes.",
    "fisher": "$d$ is the number of columns, $I$ the identity matrix.",
    "hhcart": "$I$ is the identity matrix, $e_1$ the first unit vector.",
    "dgmml_mdt": "$x_j$ is the value of a row in column $j$.",
    "rotation": "$x$ is a row, $I$ the identity matrix.",
}
