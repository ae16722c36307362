# SPDX-License-Identifier: BSD-3-Clause
"""Methods that look at what nodes count: ccp, pep, ebp, mep, cvp, mdl and km."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

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
    "cost_complexity",
    "critical_value",
    "description_length",
    "error_based",
    "kearns_mansour",
    "minimum_error",
    "pessimistic",
    "reaches",
    "steps_path",
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
    found = _core.prune_pessimistic(
        nodes.tree.arrays(),
        nodes.of_one_output,
        float(settings["n_se"]),
        float(settings["correction"]),
    )
    return cut_by(nodes.tree, *found[:3])


def error_based(nodes: Nodes, settings: dict[str, Any]) -> Outcome:
    """Cut a node whose upper limit of errors is no higher than its subtree's."""
    found = _core.prune_error_based(
        nodes.tree.arrays(),
        nodes.of_one_output,
        settings["bound"],
        float(settings["cf"]),
        float(settings["slack"]),
        bool(settings["collapse"]),
    )
    return cut_by(nodes.tree, *found[:3])


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
        costs = np.zeros(0) if nodes.costs is None else nodes.costs.ravel()
        error = _core.static_errors(counts, m, shares, costs)
    return cut_by(
        nodes.tree, *_core.prune_minimum_error(nodes.tree.arrays(), error)[:3]
    )


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
    strength = strengths(nodes, settings)
    found = _core.prune_critical(nodes.tree.arrays(), strength, float(critical))
    return cut_by(nodes.tree, *found[:3])


def strengths(nodes: Nodes, settings: dict[str, Any]) -> Floats:
    """Return the strength of each test."""
    measure = settings["measure"]
    if measure == "score":
        strength = np.array(nodes.tree.gain)
    else:
        strength = _core.strengths(nodes.tree.arrays(), nodes.of_one_output, measure)
    if settings["weighted"] and measure != "chi2":
        strength = strength * nodes.share
    return np.ascontiguousarray(strength)


def reaches(nodes: Nodes, settings: dict[str, Any]) -> Floats:
    """Return the strongest test at or below each node; infinite in leaves."""
    strength = strengths(nodes, settings)
    reach = _core.prune_critical(nodes.tree.arrays(), strength, 0.0)[2]
    return np.where(np.isnan(reach), np.inf, np.maximum(reach, 0))


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
    found = _core.prune_description_length(tree.arrays(), nodes.of_one_output, bits)
    return cut_by(tree, *found[:3])


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
    """Return log2 of the ways to part n things into groups that are told apart.

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
    found = _core.prune_kearns_mansour(
        nodes.tree.arrays(),
        nodes.of_one_output,
        nodes.tree.depths(),
        float(n_tests),
        float(settings["c"]),
        float(settings["delta"]),
    )
    is_leaf, as_leaf, as_subtree, allowance = found
    n = np.where(nodes.weight > 0, nodes.weight, 1.0)
    return cut_by(nodes.tree, is_leaf, as_leaf / n, (as_subtree + allowance) / n)
