# SPDX-License-Identifier: BSD-3-Clause
"""The NumPy twin of every built-in criterion: the plain formula, written for reading.

A twin judges many splits of one node at once: `parent` holds the weight of every
class in the node, shape (K,), `left` and `right` those of the children, shape (m, K).
It returns m scores, larger is better. Classes absent from the parent never count.
All examples use the same split, 3 + 3 rows parted into 2 + 0 and 1 + 3.
"""

from collections.abc import Callable

import numpy as np
from family_twins import FAMILIES

import ramify

Twin = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return part / whole, and 0 where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _share(counts: np.ndarray) -> np.ndarray:
    """Return the class proportions p_k of each row of counts."""
    return _ratio(counts, counts.sum(-1)[..., None])


def _entropy_of(share: np.ndarray) -> np.ndarray:
    """Return -sum p log2 p, with 0 log 0 = 0."""
    log = np.log2(share, out=np.zeros(share.shape), where=share > 0)
    return -(share * log).sum(-1)


def _gini_of(share: np.ndarray) -> np.ndarray:
    """Return 1 - sum p^2."""
    return 1 - (share**2).sum(-1)


def _branches(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple:
    """Return rho_L and rho_R, the shares of the node's weight."""
    n = parent.sum(-1)
    return left.sum(-1) / n, right.sum(-1) / n


def entropy(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Information gain, the drop of class entropy: here 1 - 2/3 H(1/4).

    >>> entropy(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.45914792])
    """
    rho_left, rho_right = _branches(parent, left, right)
    return (
        _entropy_of(_share(parent))
        - rho_left * _entropy_of(_share(left))
        - rho_right * _entropy_of(_share(right))
    )


def gain_ratio(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Information gain over the entropy of the branch sizes: 0.45914792 / H(1/3).

    >>> gain_ratio(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.5])
    """
    sizes = np.stack(_branches(parent, left, right), axis=-1)
    return entropy(parent, left, right) / _entropy_of(sizes)


def gini(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Drop of the Gini impurity: 1/2 - 1/3 * 0 - 2/3 * 3/8.

    >>> gini(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.25])
    """
    rho_left, rho_right = _branches(parent, left, right)
    return (
        _gini_of(_share(parent))
        - rho_left * _gini_of(_share(left))
        - rho_right * _gini_of(_share(right))
    )


def misclassification(
    parent: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Drop of the share of rows outside the majority class: 1/2 - 1/3 * 0 - 2/3 * 1/4.

    >>> split = np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> misclassification(np.array([3.0, 3.0]), *split)
    array([0.33333333])
    """
    return (left.max(-1) + right.max(-1) - parent.max(-1)) / parent.sum(-1)


def twoing(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Balance of the branches times their squared distance: 1/3 * 2/3 / 4 * (3/2)^2.

    >>> twoing(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.125])
    """
    rho_left, rho_right = _branches(parent, left, right)
    distance = np.abs(_share(left) - _share(right)).sum(-1)
    return rho_left * rho_right / 4 * distance**2


def cart_measure(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Textbook's measure, balance times the plain distance: 2 * 1/3 * 2/3 * 3/2.

    >>> split = np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> cart_measure(np.array([3.0, 3.0]), *split)
    array([0.66666667])
    """
    rho_left, rho_right = _branches(parent, left, right)
    return 2 * rho_left * rho_right * np.abs(_share(left) - _share(right)).sum(-1)


def distinct_classes(counts: np.ndarray, classes_in_node: np.ndarray) -> np.ndarray:
    """Penalty D exp(D) sum p exp(delta (1 - p^2)) of one child (or of the node itself).

    A pure child of a two-class node has D = 1, delta = 1/2 and p = 1, hence e:
    >>> distinct_classes(np.array([2.0, 0.0]), 2)
    np.float64(2.718281828459045)
    """
    share = _share(counts)
    present = (counts > 0).sum(-1)
    delta = np.asarray(present / classes_in_node)[..., None]
    return present * np.exp(present) * (share * np.exp(delta * (1 - share**2))).sum(-1)


def dcsm(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Drop M0 - M of the penalty for distinct classes: here M is
    e/3 + 2/3 * 2 e^2 (e^(15/16)/4 + 3 e^(7/16)/4) and M0 is 2 e^2 e^(3/4).

    >>> dcsm(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([12.64523727])
    """
    rho_left, rho_right = _branches(parent, left, right)
    in_node = (parent > 0).sum(-1)
    return (
        distinct_classes(parent, in_node)
        - rho_left * distinct_classes(left, in_node)
        - rho_right * distinct_classes(right, in_node)
    )


def hellinger(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Hellinger distance of a class and the others over the branches, best class:
    sqrt(2/3 + (1 - sqrt(1/3))^2).

    >>> hellinger(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.91940169])
    """
    all_but_one = 1 - np.eye(parent.shape[-1])
    others = parent @ all_but_one
    squared = 0
    for child in (left, right):
        own_share = np.sqrt(_ratio(child, parent))
        other_share = np.sqrt(_ratio(child @ all_but_one, others))
        squared = squared + (own_share - other_share) ** 2
    both_sides = (parent > 0) & (others > 0)
    return np.sqrt(np.where(both_sides, squared, 0).max(-1))


def _confidence(
    child: np.ndarray, parent: np.ndarray, multiclass: str = "one_vs_rest"
) -> np.ndarray:
    """Return the class-confidence proportions of a child: of each class against the
    rest (0/0 is 0), or normalised over the classes.

    >>> _confidence(np.array([4.0, 1.0, 0.0]), np.array([4.0, 3.0, 3.0])).round(4)
    array([0.8571, 0.3684, 0.    ])
    """
    own = _ratio(child, parent)
    if multiclass == "normalised":
        return _share(own)
    rest = child.sum(-1, keepdims=True) - child, parent.sum(-1, keepdims=True) - parent
    return _ratio(own, own + _ratio(*rest))


def _ccp_gain(impurity, parent, left, right, multiclass):
    """Return the drop of an impurity of the class-confidence proportions."""
    rho_left, rho_right = _branches(parent, left, right)
    whole, on_left, on_right = (
        impurity(_confidence(side, parent, multiclass))
        for side in (parent, left, right)
    )
    return whole - rho_left * on_left - rho_right * on_right


def ccp_entropy(
    parent: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    multiclass: str = "one_vs_rest",
) -> np.ndarray:
    """Information gain of the class-confidence proportions: 1 - 2/3 H(1/4), as
    equal classes change nothing.

    >>> split = np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> ccp_entropy(np.array([3.0, 3.0]), *split)
    array([0.45914792])
    """
    return _ccp_gain(_entropy_of, parent, left, right, multiclass)


def ccp_gini(
    parent: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    multiclass: str = "one_vs_rest",
) -> np.ndarray:
    """Gini gain of the class-confidence proportions: 1/2 - 2/3 * 3/8, as equal classes
    change nothing. Proportions against the rest do not add up to 1, so that
    sum q (1 - q) and the literal 1 - sum q^2 differ.

    >>> ccp_gini(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.25])
    """
    own = multiclass == "one_vs_rest"
    impurity = (lambda q: (q * (1 - q)).sum(-1)) if own else _gini_of
    return _ccp_gain(impurity, parent, left, right, multiclass)


def node_distance(child: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Squared Hellinger distance 1 - sum sqrt(p_tk p_k) of a child from the node.

    >>> node_distance(np.array([2.0, 0.0]), np.array([2.0, 6.0]))
    np.float64(0.5)
    """
    return 1 - np.sqrt(_share(child) * _share(parent)).sum(-1)


def lost_class_weight(child: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Weight 1 - prod n_tk / n_k over the classes of the node: here 1 - 1/2 * 3/4.

    >>> lost_class_weight(np.array([1.0, 3.0, 0.0]), np.array([2.0, 4.0, 0.0]))
    np.float64(0.625)
    """
    return 1 - np.where(parent > 0, _ratio(child, parent), 1).prod(-1)


def ihd(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Mean squared Hellinger distance of the children from the node:
    (1 - sqrt(1/2)) / 3 + 2/3 (1 - sqrt(1/8) - sqrt(3/8)).

    >>> ihd(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.12034719])
    """
    rho_left, rho_right = _branches(parent, left, right)
    return rho_left * node_distance(left, parent) + rho_right * node_distance(
        right, parent
    )


def ihdw(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Like ihd, each child weighted by the classes it lost: 1 on the left as one class
    is gone, 1 - 1/3 * 1 on the right.

    >>> ihdw(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([0.11277515])
    """
    rho_left, rho_right = _branches(parent, left, right)
    from_left = node_distance(left, parent) * lost_class_weight(left, parent)
    from_right = node_distance(right, parent) * lost_class_weight(right, parent)
    return rho_left * from_left + rho_right * from_right


def chi2(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Pearson's statistic of the 2 x K table of branches and classes:
    1 + 1 + 1/2 + 1/2, with 1 row of each class expected left and 2 right.

    >>> chi2(np.array([3.0, 3.0]), np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([3.])
    """
    rho_left, rho_right = _branches(parent, left, right)
    statistic = np.zeros(rho_left.shape)
    for child, rho in ((left, rho_left), (right, rho_right)):
        expected = rho[..., None] * parent
        statistic += _ratio((child - expected) ** 2, expected).sum(-1)
    return statistic


TWINS: dict[str, Twin] = {
    name: globals()[name] for name in ramify.criteria.names() if name in globals()
}

# Of two splits with the same score, the one with the larger second score wins.
TIE_BREAK: dict[str, Twin] = {
    "misclassification": gini,
    "ccp_entropy": hellinger,
    "ccp_gini": hellinger,
}

# Those that need nothing but X and y; uplift must know who was treated.
OF_CLASSES = sorted([*TWINS, *(twin.__name__ for twin in FAMILIES)])
# One criterion in families for each way in which such are computed.
OF_EACH_KIND = (
    *("tsallis", "alpha_divergence", "mdl", "credal_gain", "ks", "ordinal_gini"),
)
