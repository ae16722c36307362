# SPDX-License-Identifier: BSD-3-Clause
"""Methods that look at what nodes count: ccp, pep, ebp, mep, cvp, mdl and km."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, gammaln

from ramify import _core
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome, cut_by
from ramify.pruning.sequence import (
    Sequence,
    risks,
    rpart_complexities,
    weakest_links,
)
from ramify.tree.tree import Tree

__all__ = [
    "bottom_up",
    "collapsed",
    "cost_complexity",
    "critical_value",
    "description_length",
    "error_based",
    "kearns_mansour",
    "label_bits",
    "minimum_error",
    "pessimistic",
    "pessimistic_errors",
    "reaches",
    "steps_path",
    "strengths_by",
    "test_bits",
]


def cost_complexity(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Return the smallest subtree that is the best for a price of each leaf."""
    alpha, risk = settings["alpha"], settings["risk"]
    if alpha == "bic":
        if nodes.is_numeric:
            raise ValueError("alpha='bic' is defined for classes, not for numbers")
        risk = "entropy"
        n, n_classes = float(nodes.weight[0]), nodes.tree.max_n_classes
        alpha = n_classes * np.log2(n) / (2 * n)
    of_node = risks(nodes, risk)
    if settings["links"] == "rpart":
        return _as_rpart(nodes, of_node, alpha, settings)
    sequence, tolerance = weakest_links(nodes.tree, of_node)
    n_leaves = sequence.n_leaves
    if settings["n_leaves"] is not None:
        step = int(np.flatnonzero(n_leaves <= settings["n_leaves"])[0])
    else:
        if settings["cp"] is not None:
            alpha = settings["cp"] * of_node[0]
        step = sequence.step_of(float(alpha), tolerance)
    return Outcome(sequence.subtree(step), steps_path(sequence, of_node, step))


def _as_rpart(
    nodes: Nodes, risk: Floats, alpha: float | None, settings: dict[str, Any]
) -> Outcome:
    """Cut the nodes whose complexity, as rpart computes it, is at most alpha."""
    weight = float(nodes.weight[0])
    exact = np.round(risk * weight, 9)  # numbers of errors, so that ties are exact
    if settings["cp"] is not None:
        alpha = settings["cp"] * exact[0] / weight
    least = float(alpha or 0.0) * weight
    collapse = rpart_complexities(nodes.tree, exact, least) / weight
    tolerance = 1e-12 * float(risk[0])
    sequence = Sequence.from_levels(nodes.tree, collapse, tolerance)
    if settings["n_leaves"] is not None:
        start = step = int(np.flatnonzero(sequence.n_leaves <= settings["n_leaves"])[0])
    else:
        start = step = sequence.step_of(least / weight, tolerance)
    alphas = sequence.alphas.copy()
    alphas[start] = max(alphas[start], least / weight)
    sequence = Sequence(nodes.tree, alphas, sequence.first, sequence.last)
    return Outcome(sequence.subtree(step), steps_path(sequence, risk, step, start))


def steps_path(
    sequence: Sequence, risk: Floats, chosen: int, start: int = 0, **columns: Any
) -> dict[str, NDArray[Any]]:
    """List the subtrees of a sequence, the chosen one marked."""
    steps = np.arange(start, len(sequence))
    alphas = sequence.alphas[start:]
    return {
        "step": steps - start,
        "alpha": alphas,
        "cp": alphas / risk[0] if risk[0] > 0 else np.zeros(len(steps)),
        "n_leaves": sequence.n_leaves[start:],
        "risk": sequence.over_steps(risk)[start:],
        **columns,
        "chosen": steps == chosen,
    }


def pessimistic(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Cut a node whose errors, raised by a half, are within a standard error."""
    n_se, correction = float(settings["n_se"]), float(settings["correction"])
    as_leaf, below, allowance = pessimistic_errors(nodes, n_se, correction)
    slack = 1e-9 * max(1.0, float(as_leaf[0]))
    return _cut_unpruned(
        nodes.tree, as_leaf <= below + allowance + slack, as_leaf, below
    )


def pessimistic_errors(
    nodes: Nodes, n_se: float, correction: float
) -> tuple[Floats, Floats, Floats]:
    """Return errors as a leaf and of the unpruned subtree, and the standard errors."""
    weight, errors = _errors(nodes)
    as_leaf = np.where(weight > 0, errors + correction, 0.0)
    below = _leaf_sums(nodes.tree, as_leaf)
    variance = below * (weight - below) / np.where(weight > 0, weight, 1.0)
    return as_leaf, below, n_se * np.sqrt(np.maximum(variance, 0))


def _errors(nodes: Nodes) -> tuple[Floats, Floats]:
    """Return the weight of each node, and that of its training errors as a leaf."""
    counts = nodes.of_one_output
    weight = counts.sum(axis=1)
    return weight, weight - counts.max(axis=1)


def _leaf_sums(tree: Tree, of_leaf: Floats) -> Floats:
    """Sum what the leaves below each node are worth; of a leaf its own."""
    own = np.where(tree.children_left < 0, of_leaf, 0.0)
    up_to = np.cumsum(own)
    return np.asarray(up_to[tree.last_below()] - up_to + own)


def _cut_unpruned(
    tree: Tree, is_cut: NDArray[np.bool_], as_leaf: Floats, below: Floats
) -> Outcome:
    """Cut a tree at nodes that were compared with their unpruned subtrees."""
    is_leaf = tree.children_left < 0
    return cut_by(tree, is_leaf | is_cut, as_leaf, np.where(is_leaf, np.nan, below))


def collapsed(nodes: Nodes) -> NDArray[np.uint8]:
    """Mark nodes whose subtrees have (almost) no fewer training errors than a leaf."""
    _, errors = _errors(nodes)
    is_leaf = nodes.tree.children_left < 0
    is_cut = _leaf_sums(nodes.tree, errors) >= errors - 1e-3
    return np.asarray(is_leaf | is_cut, dtype=np.uint8)


def error_based(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Cut a node whose upper limit of errors is no higher than its subtree's."""
    errors = _core.estimated_errors(
        nodes.of_one_output, settings["bound"], float(settings["cf"])
    )
    found = bottom_up(
        nodes.tree,
        errors,
        float(settings["slack"]) + np.nextafter(1e-6, 0),  # WEKA's small number
        is_leaf=collapsed(nodes) if settings["collapse"] else None,
    )
    return cut_by(nodes.tree, *found[:3])


def bottom_up(
    tree: Tree, as_leaf: Floats, allowance: Floats | float | None = None, **more: Any
) -> tuple[NDArray[np.uint8], Floats, Floats, Floats]:
    """Cut, from the leaves up, nodes that cost no more than their pruned subtree.

    Without an allowance, no more than rounding: relative, so that neither the unit of
    the target nor that of the weights matters. Returns which nodes become leaves, what
    each costs as a leaf and with its subtree, and how much worse a leaf may be.
    """
    if allowance is None:
        allowance = 1e-9 * as_leaf[0]
    each = np.broadcast_to(np.asarray(allowance, dtype=np.float64), as_leaf.shape)
    found: Any = _core.prune_bottom_up(
        tree.arrays(),
        np.ascontiguousarray(as_leaf, dtype=np.float64),
        np.ascontiguousarray(each),
        **more,
    )
    return found  # type: ignore[no-any-return]


def minimum_error(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Cut a node whose expected error by the m-estimate is no higher."""
    m = float(settings["m"])
    if nodes.is_numeric:
        error = _static_errors_of_regression(nodes, m)
    else:
        counts = nodes.of_one_output
        n_classes = counts.shape[1]
        prior = settings["prior"]
        if isinstance(prior, str) and prior == "laplace":
            m, shares = float(n_classes), np.full(n_classes, 1 / n_classes)
        elif isinstance(prior, str):
            shares = nodes.tree.value[0, 0].copy()
        else:
            shares = _checked_prior(prior, n_classes)
        error = _static_errors(counts, m, shares, nodes.costs)
    return cut_by(nodes.tree, *bottom_up(nodes.tree, error, averages=True)[:3])


def _static_errors(
    counts: Floats, m: float, prior: Floats, costs: Floats | None
) -> Floats:
    """Return 1 - the largest estimated share, or the minimum expected cost."""
    total = counts.sum(axis=1, keepdims=True) + m
    has_rows = total[:, 0] > 0
    share = (counts + m * prior) / np.where(total > 0, total, 1.0)
    error = 1 - share.max(axis=1) if costs is None else (share @ costs).min(axis=1)
    return np.where(has_rows, error, 0.0)


def _static_errors_of_regression(nodes: Nodes, m: float) -> Floats:
    """Return (S_t + m S_root / n) / (n_t + m)."""
    spread = nodes.weight * nodes.tree.impurity
    below = nodes.weight + m
    above = spread + m * spread[0] / nodes.weight[0]
    error = np.zeros(len(below))
    np.divide(above, below, out=error, where=below > 0)
    return error


def _checked_prior(prior: Any, n_classes: int) -> Floats:
    try:
        shares = np.array(prior, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        shares = np.zeros(0)
    fits = shares.shape == (n_classes,) and bool((shares >= 0).all())
    if not fits or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(
            f"prune='mep' has prior={prior!r}, which is not allowed; use 'root', "
            f"'laplace', or {n_classes} shares that add up to 1"
        )
    return shares


def critical_value(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Cut a node if neither its test nor any below it is strong enough."""
    critical = settings["critical"]
    if critical is None:
        critical = 1 - float(settings["significance"])
    tree = nodes.tree
    reach = _strongest(tree, strengths(nodes, settings))
    as_leaf = np.full(tree.node_count, float(critical))
    return _cut_unpruned(tree, reach < float(critical), as_leaf, reach)


def _strongest(tree: Tree, strength: Floats) -> Floats:
    """Return the strongest test at or below each node."""
    depth, parent = tree.depths(), tree.parents()
    reach = np.where(tree.children_left < 0, -np.inf, strength)
    order = np.argsort(depth, kind="stable")
    begins = np.searchsorted(depth[order], np.arange(1, depth.max() + 1))
    for level in reversed(np.split(order, begins)[1:]):
        np.fmax.at(reach, parent[level], reach[level])
    return reach


def strengths(nodes: Nodes, settings: dict[str, Any]) -> Floats:
    """Return the strength of each test."""
    measure = settings["measure"]
    if measure == "score":
        strength = np.array(nodes.tree.gain)
    else:
        strength = strengths_by(nodes, measure)
    if settings["weighted"] and measure != "chi2":
        strength = strength * nodes.share
    return np.ascontiguousarray(strength)


def strengths_by(nodes: Nodes, measure: str) -> Floats:
    """Return the strength of each test, from its table of branches and classes.

    By "chi2", one minus the level of significance; else the decrease of impurity.
    """
    counts, parent = nodes.of_one_output, nodes.tree.parents()
    child = np.flatnonzero(parent >= 0)
    above, own = parent[child], counts[child]
    weight = counts.sum(axis=1)
    columns = np.zeros_like(counts)  # the sum of the branches
    np.add.at(columns, above, own)
    total = columns.sum(axis=1)
    size = np.where(total > 0, total, 1.0)
    if measure == "chi2":
        expected = weight[child, None] * columns[above] / size[above, None]
        safe = np.where(expected > 0, expected, 1.0)
        parts = np.where(expected > 0, (own - expected) ** 2 / safe, 0.0).sum(axis=1)
        n_rows = np.bincount(above, weight[child] > 0, len(counts))
        n_columns = (columns > 0).sum(axis=1)
        statistic = np.bincount(above, parts, len(counts))
        has_two = (n_rows > 1) & (n_columns > 1)
        degrees = np.where(has_two, (n_rows - 1) * (n_columns - 1), 1)
        strength = np.where(has_two, chdtr(degrees, statistic), 0.0)
    else:
        share = counts / np.where(weight > 0, weight, 1.0)[:, None]
        logs = np.log2(np.where(share > 0, share, 1.0))
        sums = (share * (share if measure == "gini" else -logs)).sum(axis=1)
        impurity = np.where(weight > 0, 1 - sums, 1.0) if measure == "gini" else sums
        parts = weight[child] * impurity[child]
        strength = impurity - np.bincount(above, parts, len(counts)) / size
    return np.where(nodes.tree.children_left < 0, np.nan, strength)


def reaches(nodes: Nodes, settings: dict[str, Any]) -> Floats:
    """Return the strongest test at or below each node; infinite in leaves."""
    reach = _strongest(nodes.tree, strengths(nodes, settings))
    return np.where(nodes.tree.children_left < 0, np.inf, np.maximum(reach, 0))


def description_length(
    nodes: Nodes, settings: dict[str, Any], rows: Rows | None
) -> Outcome:
    """Cut a node whose labels take no more bits than its subtree's and its tests."""
    tree = nodes.tree
    if settings["test_bits"] is not None:
        bits = np.full(tree.node_count, float(settings["test_bits"]))
    else:
        assert rows is not None
        n_distinct, n_missing = _core.tested_values(tree.arrays(), rows.X)
        bits = test_bits(nodes, n_distinct, n_missing)
    labels = label_bits(nodes.of_one_output)
    return cut_by(tree, *bottom_up(tree, labels, of_test=1 + bits)[:3])


def label_bits(counts: Floats) -> Floats:
    """Return the bits of the labels of each node (Mehta, Rissanen, Agrawal 1995)."""
    n, k = counts.sum(axis=1), counts.shape[1]
    size = np.where(n > 0, n, 1.0)
    share = np.where(counts > 0, counts, size[:, None]) / size[:, None]
    bits = (k - 1) / 2 * np.log2(size / 2) + k / 2 * np.log2(np.pi)
    bits -= gammaln(k / 2) / np.log(2)
    bits -= (np.maximum(counts, 0) * np.log2(share)).sum(axis=1)
    return 1 + np.where(n > 0, np.maximum(bits, 0), 0.0)


def test_bits(
    nodes: Nodes, n_distinct: NDArray[np.int64], n_missing: NDArray[np.int64]
) -> Floats:
    """Return the bits of each test: which column, and which of its splits."""
    tree = nodes.tree
    n_columns = tree.n_features
    bits = np.zeros(tree.node_count)
    for t in np.flatnonzero(tree.children_left >= 0).tolist():
        v = int(n_distinct[t])
        n_branches = len(tree.children(t))
        if tree.kind[t] == Tree.HYPERPLANE:
            q = len(np.unique(tree.terms(t).column))
            choices = _log2_choose(n_columns, q)
            bits[t] = choices + (q + 1) / 2 * np.log2(max(nodes.weight[t], 1.0))
            continue
        bits[t] = np.log2(n_columns)
        if tree.kind[t] == Tree.THRESHOLD:
            bits[t] += np.log2(max(v - 1, 1))
        elif tree.kind[t] == Tree.INTERVALS:
            bits[t] += _log2_choose(max(v - 1, 0), n_branches - 1)
        elif not (_is_one_each(tree, t) and (n_branches > 2 or nodes.is_multiway)):
            bits[t] += _log2_groupings(v, n_branches)
        if n_missing[t] > 0 and tree.missing_branch[t] >= 0:
            bits[t] += 1
    return bits


def _is_one_each(tree: Tree, node: int) -> bool:
    """Return whether every category has a branch of its own."""
    branch = tree.listed(node)[1]
    return len(branch) == len(np.unique(branch))


def _log2_groupings(n: int, n_groups: int) -> float:
    """Return log2 of the ways to divide n things into groups that are distinguished.

    Two groups have 2^n - 2.
    """
    ways = sum(
        (-1) ** i * math.comb(n_groups, i) * (n_groups - i) ** n
        for i in range(n_groups)
    )
    return math.log2(ways) if ways > 1 else 0.0


def _log2_choose(n: int, k: int) -> float:
    if k <= 0 or k >= n:
        return 0.0
    return float((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2))


def kearns_mansour(nodes: Nodes, settings: dict[str, Any], n_tests: float) -> Outcome:
    """Cut a node whose share of errors is within a bound of the subtree's."""
    tree = nodes.tree
    weight, errors = _errors(nodes)
    of_test = math.log(max(n_tests, 1.0))  # in nats
    found = bottom_up(
        tree,
        errors,
        np.where(weight > 0, 1e-9 * errors[0], 0.0),
        of_size=float(settings["c"]) * np.sqrt(np.maximum(weight, 0)),
        before=tree.depths() * of_test + math.log(weight[0] / float(settings["delta"])),
        per_node=of_test,
    )
    is_leaf, as_leaf, as_subtree, allowance = found
    n = np.where(nodes.weight > 0, nodes.weight, 1.0)
    return cut_by(tree, is_leaf, as_leaf / n, (as_subtree + allowance) / n)
