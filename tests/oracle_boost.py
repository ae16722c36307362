# SPDX-License-Identifier: BSD-3-Clause
"""Boosting written down plainly in NumPy, to be compared with the engine."""

from dataclasses import dataclass, field

import numpy as np

MAX_UNITS = 2.0**30


@dataclass
class TwinNode:
    """A node: what it predicts, and how it parts its rows."""

    value: float
    rows: np.ndarray
    column: int = -2
    left_codes: frozenset = frozenset()
    gain: float = 0.0
    children: list = field(default_factory=list)


@dataclass(frozen=True)
class TwinRules:
    learning_rate: float = 0.1
    max_depth: int = 6
    l2_regularization: float = 1.0
    min_child_weight: float = 1.0
    min_samples_leaf: int = 1


def scale_for(total):
    """Return the power of two that brings a sum close to 2^30, not above."""
    return 2.0 ** np.floor(np.log2(MAX_UNITS / total)) if total > 0 else 1.0


def derivatives(loss, y, scores):
    """Return gradient and hessian of each row and score, (n, k) each."""
    if loss == "log_loss":
        p = 1 / (1 + np.exp(-scores))
        return p - y[:, None], p * (1 - p)
    if loss == "multinomial":
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p - (y[:, None] == np.arange(scores.shape[1])), p * (1 - p)
    if loss == "poisson":
        mean = np.exp(scores)
        return mean - y[:, None], mean
    assert loss == "squared_error"
    return scores - y[:, None], np.ones_like(scores)


def whole(x, weight):
    """Turn derivatives into whole multiples of a unit; gives them and the scale."""
    scale = scale_for((np.abs(x) * weight).sum())
    return (np.rint(x * scale) * weight).astype(np.int64), scale


def grow(codes, is_categorical, g, h, scales, rules, rows, depth=0):
    """Grow a tree; the code -1 stands for missing."""
    total_g, total_h = int(g[rows].sum()), int(h[rows].sum())
    below = total_h / scales[1] + rules.l2_regularization
    node = TwinNode(-(total_g / scales[0]) / below * rules.learning_rate, rows)
    if depth == rules.max_depth:
        return node
    l2 = rules.l2_regularization * scales[1]
    own = float(total_g) ** 2 / (total_h + l2)
    best = -np.inf
    for j in range(codes.shape[1]):
        for left in candidates(codes[rows, j], is_categorical[j], g[rows], h[rows], l2):
            is_left = np.isin(codes[rows, j], list(left))
            left_g, left_h = int(g[rows][is_left].sum()), int(h[rows][is_left].sum())
            right_g, right_h = total_g - left_g, total_h - left_h
            least = max(1, rules.min_child_weight * scales[1])
            if min(left_h, right_h) < least:
                continue
            if min(is_left.sum(), (~is_left).sum()) < rules.min_samples_leaf:
                continue
            low, high = left_h + l2, right_h + l2
            score = float(left_g) ** 2 * high + float(right_g) ** 2 * low
            score /= low * high
            if score > best and score - own > 1e-12 * own:
                best = score
                node.column, node.left_codes = j, frozenset(left)
                node.gain = (score - own) * scales[1] / scales[0] ** 2 / 2
    if node.column >= 0:
        is_left = np.isin(codes[rows, node.column], list(node.left_codes))
        node.children = [
            grow(codes, is_categorical, g, h, scales, rules, part, depth + 1)
            for part in (rows[is_left], rows[~is_left])
        ]
    return node


def candidates(codes, is_categorical, g, h, l2):
    """List the sets of codes that may go left, in the order in which ties are kept."""
    present = np.unique(codes)
    if is_categorical:
        sums = [(int(g[codes == c].sum()), int(h[codes == c].sum())) for c in present]
        # Missing is the last of equals.
        place = {c: c if c >= 0 else 10**9 for c in present}
        order = sorted(
            range(len(present)),
            key=lambda i: (sums[i][0] / (sums[i][1] + l2), place[present[i]]),
        )
        return [{present[i] for i in order[:n]} for n in range(1, len(order))]
    numbers = [int(c) for c in range(codes.max() + 1)]
    found = [set(numbers[: c + 1]) for c in numbers]
    if -1 in present:
        found += [left | {-1} for left in found]
    return found


def boost(codes, is_categorical, y, weight, loss, scores, n_rounds, rules):
    """Return the trees of each round, one per score; the scores are filled on."""
    rounds = []
    every = np.arange(len(y))
    for _ in range(n_rounds):
        gradient, hessian = derivatives(loss, y, scores)
        trees = []
        for k in range(scores.shape[1]):
            g, g_scale = whole(gradient[:, k], weight)
            h, h_scale = whole(hessian[:, k], weight)
            trees.append(
                grow(codes, is_categorical, g, h, (g_scale, h_scale), rules, every)
            )
        for k, tree in enumerate(trees):
            for leaf in leaves(tree):
                scores[leaf.rows, k] += leaf.value
        rounds.append(trees)
    return rounds


def leaves(node):
    """List the leaves under a node."""
    if not node.children:
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def preorder(node):
    """List a node and all under it, the left ones first."""
    return [node, *(below for child in node.children for below in preorder(child))]


def samme(make_tree, X, y, n_classes, n_rounds, learning_rate=1.0):
    """Boost trees by SAMME; gives them, their votes and the sum of votes per class."""
    n = len(y)
    weight = np.ones(n)
    trees, votes = [], []
    decision = np.zeros((n, n_classes))
    for _ in range(n_rounds):
        tree = make_tree().fit(X, y, sample_weight=weight)
        said = tree.predict(X)
        error = weight[said != y].sum() / weight.sum()
        if error >= 1 - 1 / n_classes:
            break
        vote = (
            1.0
            if error <= 0
            else learning_rate * (np.log((1 - error) / error) + np.log(n_classes - 1))
        )
        trees.append(tree)
        votes.append(vote)
        decision[np.arange(n), said] += vote
        if error <= 0:
            break
        weight = weight * np.exp(vote * (said != y))
        weight = np.maximum(weight, np.finfo(float).eps * weight.sum())
        weight *= n / weight.sum()
    return trees, np.array(votes), decision
