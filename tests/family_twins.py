# SPDX-License-Identifier: BSD-3-Clause
"""The NumPy twins of the criteria that come in families; see twins.py.

Parameters are keyword arguments. All examples use the split of twins.py, 3 + 3 rows
parted into 2 + 0 and 1 + 3, which is `SPLIT`.
"""

import itertools

import numpy as np
from scipy.special import gammaln, xlogy

import ramify

PARENT = np.array([3.0, 3.0])
SPLIT = (PARENT, np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
LN2 = np.log(2)


def _total(counts):
    return counts.sum(-1)


def _share(counts):
    return counts / _total(counts)[..., None]


def _drop(impurity, parent, left, right):
    """Return the weighted decrease of an impurity."""
    n = _total(parent)
    return (
        impurity(parent)
        - _total(left) / n * impurity(left)
        - _total(right) / n * impurity(right)
    )


def _power(x, q):
    """Return x^q with 0^q = 0."""
    return np.where(x > 0, np.where(x > 0, x, 1.0) ** q, 0.0)


def _bits(share):
    return -xlogy(share, share).sum(-1) / LN2


def _entropy(counts):
    return _bits(_share(counts))


def _sizes(parent, left, right):
    return np.stack([_total(left), _total(right)], -1) / _total(parent)[..., None]


def _in_node(parent):
    """Return the number of classes of the node."""
    return (parent > 0).sum(-1)


# --- entropies of power sums ----------------------------------------------------------


def _tsallis(share, q):
    if abs(q - 1) < 1e-8:
        return -xlogy(share, share).sum(-1)
    return (1 - _power(share, q).sum(-1)) / (q - 1)


def tsallis(parent, left, right, q=1.5):
    """Drop of (1 - sum p^q) / (q - 1), here with q = 2 the Gini gain 1/4.

    >>> tsallis(*SPLIT, q=2)
    array([0.25])
    """
    return _drop(lambda counts: _tsallis(_share(counts), q), parent, left, right)


def tsallis_ratio(parent, left, right, q=2.0):
    """Tsallis gain over that of the branches, 1/4 / (2 * 1/3 * 2/3).

    >>> tsallis_ratio(*SPLIT)
    array([0.5625])
    """
    sizes = _sizes(parent, left, right)
    return tsallis(parent, left, right, q) / _tsallis(sizes, q)


def _renyi(share, q):
    if abs(q - 1) < 1e-8:
        return _bits(share)
    return np.log2(_power(share, q).sum(-1)) / (1 - q)


def renyi(parent, left, right, q=0.5):
    """Drop of log2(sum p^q) / (1 - q), with q = 2: 1 - 2/3 log2(8/5).

    >>> renyi(*SPLIT, q=2)
    array([0.54795206])
    """
    return _drop(lambda counts: _renyi(_share(counts), q), parent, left, right)


def sharma_mittal(parent, left, right, q=0.5, r=0.5):
    """Drop of (2^((1-r) H) - 1) / (1-r), H Rényi's; q = 1/2, r = 0 is dkm.

    >>> sharma_mittal(*SPLIT, q=0.5, r=0)
    array([0.42264973])
    """

    def value(counts):
        nats = _renyi(_share(counts), q) * LN2
        return nats if abs(r - 1) < 1e-8 else np.expm1((1 - r) * nats) / (1 - r)

    return _drop(value, parent, left, right)


def two_power(parent, left, right, a=0.5, b=1.5):
    """Drop of sum (p^a - p^b) / (b - a); a = 1, b = 2 is the Gini gain.

    >>> two_power(*SPLIT, a=1, b=2)
    array([0.25])
    """

    def value(counts):
        share = _share(counts)
        if abs(a - b) < 1e-8:
            return -(_power(share, a) * np.log(np.where(share > 0, share, 1))).sum(-1)
        return (_power(share, a) - _power(share, b)).sum(-1) / (b - a)

    return _drop(value, parent, left, right)


def dkm(parent, left, right):
    """Drop of (sum sqrt p)^2 - 1, here 1 - 2/3 * 2 sqrt(3/16).

    >>> dkm(*SPLIT)
    array([0.42264973])
    """
    return _drop(
        lambda counts: np.sqrt(_share(counts)).sum(-1) ** 2 - 1, parent, left, right
    )


# --- children against the parent ------------------------------------------------------


def alpha_divergence(parent, left, right, alpha=5 / 3):
    """(sum rho sum p_tk^a p_k^(1-a) - 1) / (a (a - 1)); a = 2 is chi2 / 2n = 3 / 12.

    >>> alpha_divergence(*SPLIT, alpha=2)
    array([0.25])
    """
    if abs(alpha - 1) < 1e-8:
        return _drop(_entropy, parent, left, right) * LN2
    p, total = _share(parent), 0
    for child in (left, right):
        rho = _total(child) / _total(parent)
        both = _power(_share(child), alpha) * _power(p, 1 - alpha)
        total = total + rho * both.sum(-1)
    return (total - 1) / (alpha * (alpha - 1))


def mpi(parent, left, right):
    """rho_L rho_R (1 - sum p_Lk p_Rk / p_k) = 2/9 (1 - 1/4 / (1/2)).

    >>> mpi(*SPLIT)
    array([0.11111111])
    """
    p = _share(parent)
    both = _share(left) * _share(right)
    alike = np.divide(both, p, out=np.zeros(np.broadcast(both, p).shape), where=p > 0)
    rho = _sizes(parent, left, right)
    return rho[..., 0] * rho[..., 1] * (1 - alike.sum(-1))


def _gini(counts):
    return 1 - (_share(counts) ** 2).sum(-1)


def symmetric_tau(parent, left, right):
    """(gini + 2 mpi) / (G + 2 rho_L rho_R) = (1/4 + 2/9) / (1/2 + 4/9).

    >>> symmetric_tau(*SPLIT)
    array([0.5])
    """
    rho = _sizes(parent, left, right)
    gain = _drop(_gini, parent, left, right) + 2 * mpi(parent, left, right)
    return gain / (_gini(parent) + 2 * rho[..., 0] * rho[..., 1])


def relief_gini(parent, left, right):
    """Same branch given same class, less given another: 14/18 - (20 - 14) / (36 - 18).

    >>> relief_gini(*SPLIT)
    array([0.44444444])
    """
    same = (left**2).sum(-1) + (right**2).sum(-1)
    pairs = _total(left) ** 2 + _total(right) ** 2
    of_class = (parent**2).sum(-1)
    return same / of_class - (pairs - same) / (_total(parent) ** 2 - of_class)


# --- gains set against the branches ---------------------------------------------------


def mantaras(parent, left, right):
    """Information gain over the joint entropy: 0.45914792 / 1.45914792.

    >>> mantaras(*SPLIT)
    array([0.31466852])
    """
    cells = np.concatenate([left, right], -1) / _total(parent)[..., None]
    return _drop(_entropy, parent, left, right) / _bits(cells)


def balanced_gain_ratio(parent, left, right):
    """Information gain over 1 + SI: 0.45914792 / 1.91829583.

    >>> balanced_gain_ratio(*SPLIT)
    array([0.23935199])
    """
    gain = _drop(_entropy, parent, left, right)
    return gain / (1 + _bits(_sizes(parent, left, right)))


# --- codes and small samples ----------------------------------------------------------


def _log_marginal(counts, a, present):
    k = present.sum(-1)
    terms = np.where(present, gammaln(counts + a) - gammaln(a), 0).sum(-1)
    return gammaln(k * a) - gammaln(_total(counts) + k * a) + terms


def bayes(parent, left, right, alpha=1.0, equivalent=False, threshold_cost=False):
    """Log Bayes factor per row; beta integrals 1/3, 1/20 and 1/140: log2(7/3) / 6.

    >>> bayes(*SPLIT)
    array([0.20373207])
    """
    present, own = parent > 0, alpha / 2 if equivalent else alpha
    children = sum(_log_marginal(side, own, present) for side in (left, right))
    whole = _log_marginal(parent, alpha, present)
    return (children - whole) / (_total(parent) * LN2)


def mdl(parent, left, right, threshold_cost=False):
    """Bits saved per row: multinomials 20, 1, 4 and counts 7, 3, 5: log2(140/60) / 6.

    >>> mdl(*SPLIT)
    array([0.20373207])
    """
    k = _in_node(parent)

    def bits(counts):
        n = _total(counts)
        labels = gammaln(n + 1) - gammaln(counts + 1).sum(-1)
        return (labels + gammaln(n + k) - gammaln(k) - gammaln(n + 1)) / LN2

    return (bits(parent) - bits(left) - bits(right)) / _total(parent)


def stochastic_complexity(parent, left, right):
    """0.45914792 + (ln(3) - ln(1) - ln(2) - 2 ln(pi)) / (12 ln 2).

    >>> stochastic_complexity(*SPLIT)
    array([0.23264544])
    """
    k, n = _in_node(parent), _total(parent)
    logs = np.log(n / 2) - np.log(_total(left) / 2) - np.log(_total(right) / 2)
    paid = (k - 1) / 2 * logs - (k / 2 * np.log(np.pi) - gammaln(k / 2))
    return _drop(_entropy, parent, left, right) + paid / (n * LN2)


def exact_probability(parent, left, right):
    """-log2(3! 3! 2! 4! / (6! 2! 1! 3!)) / 6 = log2(5) / 6.

    >>> exact_probability(*SPLIT)
    array([0.38698802])
    """

    def multinomial(counts):
        return gammaln(_total(counts) + 1) - gammaln(counts + 1).sum(-1)

    saved = multinomial(parent) - multinomial(left) - multinomial(right)
    return saved / (_total(parent) * LN2)


def unbiased_gini(parent, left, right):
    """Gini with n / (n - 1): 1/2 * 6/5 - 2/3 * 3/8 * 4/3.

    >>> unbiased_gini(*SPLIT)
    array([0.26666667])
    """

    def value(counts):
        n = _total(counts)
        return _gini(counts) * np.where(n < 2, 2, n / np.maximum(n - 1, 1))

    return _drop(value, parent, left, right)


def miller_madow(parent, left, right):
    """Entropies plus (D - 1) / (2 n ln 2), which cancels here: each node pays once.

    >>> miller_madow(*SPLIT)
    array([0.45914792])
    """

    def value(counts):
        extra = ((counts > 0).sum(-1) - 1) / (2 * _total(counts) * LN2)
        return _entropy(counts) + extra

    return _drop(value, parent, left, right)


def upper_entropy(counts, present, s):
    """Return the highest entropy in bits when mass s is poured on the lowest counts.

    The poured counts are (2 + 0, 0 + 1): H(1/3).

    >>> upper_entropy(np.array([2.0, 0.0]), np.array([True, True]), 1.0)
    0.9182958340544894
    """
    own = np.sort(np.asarray(counts, dtype=float)[present])
    level = own[-1] + s
    for k in range(1, len(own) + 1):  # the k lowest rise to one level
        level = (own[:k].sum() + s) / k
        if k == len(own) or level <= own[k]:
            break
    raised = np.maximum(own, level)
    return float(_bits(raised / raised.sum()))


def _upper(sides, parent, s):
    sides, parent = np.broadcast_arrays(sides, parent)
    flat = zip(
        sides.reshape(-1, sides.shape[-1]),
        parent.reshape(-1, sides.shape[-1]),
        strict=True,
    )
    found = [upper_entropy(side, whole > 0, s) for side, whole in flat]
    return np.reshape(found, sides.shape[:-1])


def credal_gain(parent, left, right, s=1.0):
    """Upper entropies of (3 + 1/2, 3 + 1/2), (2, 1) and (2, 3).

    >>> credal_gain(*SPLIT)
    array([0.04660099])
    """
    return _drop(lambda counts: _upper(counts, parent, s), parent, left, right)


def credal_ratio(parent, left, right, s=1.0):
    """(1 - 2/7 H(1/3) - 5/7 H(2/5)) / H(1/3), as s goes to the side of larger H.

    >>> credal_ratio(*SPLIT)
    array([0.04801679])
    """
    n = _total(parent)
    upper = [_upper(side, parent, s) for side in (left, right)]
    more = np.where(upper[0] >= upper[1], s, 0)
    weights = [(_total(left) + more) / (n + s), (_total(right) + s - more) / (n + s)]
    gain = _upper(parent, parent, s) - weights[0] * upper[0] - weights[1] * upper[1]
    return gain / _bits(_sizes(parent, left, right))


# --- where classes go -----------------------------------------------------------------


def _over_groups(parent, left, mode, distance):
    """Ask distance(left of a, a, left of b, b) of the groups of a mode."""
    parent, left = np.broadcast_arrays(parent, left)
    results = []
    for whole, here in zip(parent, left, strict=True):
        present = np.flatnonzero(whole > 0)
        if mode.startswith("ovo"):
            pairs = [
                (here[i], whole[i], here[j], whole[j])
                for i, j in itertools.combinations(present, 2)
            ]
        else:
            pairs = [
                (here[i], whole[i], here.sum() - here[i], whole.sum() - whole[i])
                for i in present
            ]
        values = [distance(here.sum() / whole.sum(), *pair) for pair in pairs]
        results.append(max(values) if mode.endswith("max") else np.mean(values))
    return np.array(results)


def ks(parent, left, right, mode="ovo_max"):
    """|2/3 - 0|.

    >>> ks(*SPLIT)
    array([0.66666667])
    """
    return _over_groups(parent, left, mode, lambda _, a, A, b, B: abs(a / A - b / B))


def hellinger_mode(parent, left, right, mode="ovr_max"):
    """As twins.hellinger, in any mode.

    >>> hellinger_mode(*SPLIT)
    array([0.91940169])
    """

    def distance(_, a, A, b, B):
        there = np.sqrt((A - a) / A) - np.sqrt((B - b) / B)
        return np.hypot(np.sqrt(a / A) - np.sqrt(b / B), there)

    return _over_groups(parent, left, mode, distance)


def information_value(parent, left, right, adjust=1.0, mode="ovr_mean"):
    """Shares (2 + 1/3) / 4 and (1/3) / 4 left: 1/2 ln 7 + 1/2 ln(11/5).

    >>> information_value(*SPLIT)
    array([1.36718375])
    """

    def distance(rho, a, A, b, B):
        total = 0.0
        for r, x, y in ((rho, a, b), (1 - rho, A - a, B - b)):
            first, second = (
                (x + adjust * r) / (A + adjust),
                (y + adjust * r) / (B + adjust),
            )
            if first == second == 0:
                continue
            if min(first, second) <= 0:
                return -np.inf
            total += (first - second) * np.log(first / second)
        return total

    return _over_groups(parent, left, mode, distance)


def angle(parent, left, right, mode="ovo_mean"):
    """sqrt(1 - cos) of (2/3, 1/3) and (0, 1): sqrt(1 - 1/sqrt 5).

    >>> angle(*SPLIT)
    array([0.74349607])
    """

    def distance(_, a, A, b, B):
        u, v = np.array([a / A, 1 - a / A]), np.array([b / B, 1 - b / B])
        m = np.linalg.norm(u) * np.linalg.norm(v)
        return abs(u[0] - v[0]) / np.sqrt(m * (m + u @ v))

    return _over_groups(parent, left, mode, distance)


def ort(parent, left, right):
    """1 - 2 / sqrt(4 * 10).

    >>> ort(*SPLIT)
    array([0.68377223])
    """
    length = np.sqrt((left**2).sum(-1) * (right**2).sum(-1))
    return 1 - (left * right).sum(-1) / length


# --- given shares ---------------------------------------------------------------------


def _centre(parent, prior):
    centre = parent if prior is None else np.where(parent > 0, prior, 0)
    return _share(centre)


def asymmetric_entropy(parent, left, right, prior=None):
    """Mean over classes of p(1-p) / ((1-2w)p + w^2), 1 here in the node: 1 - 2/3 * 3/4.

    >>> asymmetric_entropy(*SPLIT)
    array([0.5])
    """
    w, k = _centre(parent, prior), _in_node(parent)

    def value(counts):
        p = _share(counts)
        below = (1 - 2 * w) * p + w**2
        ratio = np.divide(p * (1 - p), below, out=np.zeros_like(p), where=below > 0)
        return ratio.sum(-1) / k

    return _drop(value, parent, left, right)


def off_centred_entropy(parent, left, right, prior=None):
    """Entropy gain of moved shares; equal classes are not moved.

    >>> off_centred_entropy(*SPLIT)
    array([0.45914792])
    """
    w = _centre(parent, prior)
    k = _in_node(parent)[..., None] * np.ones_like(w)

    def value(counts):
        p = _share(counts)
        safe = np.where(w > 0, w, 1)
        below, above = p / (k * safe), (k * (p - w) + 1 - p) / (k * (1 - w))
        moved = np.where(p <= w, below, above) * (w > 0)
        return _bits(_share(moved))

    return _drop(value, parent, left, right)


# --- ordered classes ------------------------------------------------------------------


def _steps(counts):
    up_to = np.cumsum(counts, -1)[..., :-1]
    return (up_to * (_total(counts)[..., None] - up_to)).sum(-1)


def ordinal_gini(parent, left, right):
    """Drop of F (1 - F): 1/4 - 2/3 * 3/16.

    >>> ordinal_gini(*SPLIT)
    array([0.125])
    """
    return _drop(lambda c: _steps(c) / _total(c) ** 2, parent, left, right)


def ranking_impurity(parent, left, right):
    """(9 - 0 - 3) / 36.

    >>> ranking_impurity(*SPLIT)
    array([0.16666667])
    """
    saved = _steps(parent) - _steps(left) - _steps(right)
    return saved / _total(parent) ** 2


def weighted_information_gain(parent, left, right, power=1.0):
    """Only the class that is not the mode counts: 1/2 - 2/3 * 1/4 log2 4.

    >>> weighted_information_gain(*SPLIT)
    array([0.16666667])
    """
    places = np.arange(parent.shape[-1], dtype=float)

    def value(counts):
        share = _share(counts)
        mode = share.round(12).argmax(-1)[..., None]
        weight = np.abs(places - mode) ** power * (parent > 0)
        weight = weight / weight.sum(-1)[..., None]
        return -(weight * xlogy(share, share)).sum(-1) / LN2

    return _drop(value, parent, left, right)


def balanced(twin):
    """Return the twin for which every class weighs 1.

    >>> balanced(ordinal_gini)(*SPLIT)
    array([0.125])
    """

    def judge(parent, left, right, **params):
        safe = np.where(parent > 0, parent, 1)
        return twin((parent > 0) * 1.0, left / safe, right / safe, **params)

    return judge


FAMILIES = tuple(
    globals()[name] for name in ramify.criteria.names() if name in globals()
)
