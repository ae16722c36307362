# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees are pruned: by split complexity, or by the deviance."""

from __future__ import annotations

import numbers
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.estimators.validation.reading import matrix_of
from ramify.estimators.validation.sample import Sample
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["check_pruning", "prune_survival", "split_complexities"]

Floats = NDArray[np.float64]

_DEFAULTS: dict[str, dict[str, Any]] = {
    "split_complexity": {"alpha": 4.0, "n_bootstrap": None, "random_state": 0},
    "ccp": {"alpha": None, "cp": None, "n_leaves": None},
}


def split_complexities(tree: Tree, scores: Floats) -> Floats:
    """Return the price of a split at which each node collapses, weakest links first.

    The worth of a branch is the sum of the scores of its splits (LeBlanc, Crowley
    1993). Leaves have inf.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify import SurvivalTree
    >>> from ramify.estimators.survival.pruning import split_complexities
    >>> tree = SurvivalTree(max_depth=1).fit(np.arange(12.0)[:, None],
    ...     (np.arange(1, 13), np.ones(12))).tree_
    >>> split_complexities(tree, tree.gain)[0] == tree.gain[0]
    np.True_
    """
    inner = tree.children_left >= 0
    worth = np.where(inner, np.maximum(np.nan_to_num(scores), 0), 0.0)
    parents = tree.parents()
    below = worth.copy()  # of the whole branch
    for node in range(tree.node_count - 1, 0, -1):
        below[parents[node]] += below[node]
    # Cost complexity with this risk: leaves cost nothing beyond what is lost above.
    return _core.weakest_links(tree.arrays(), np.ascontiguousarray(below))


def check_pruning(model: Any) -> None:
    """Refuse a way of pruning that does not exist, or what it has no use for."""
    method, given = model.prune, model.prune_params
    if method is None:
        if given:
            raise ValueError(
                f"prune_params={given!r} is given, but prune is None; set prune, such "
                "as 'split_complexity'"
            )
        return
    if method not in _DEFAULTS:
        raise ValueError(
            f"prune={method!r} is not allowed for survival trees; use "
            "'split_complexity' or 'ccp'"
        )
    if given is not None and not isinstance(given, dict):
        raise ValueError(f"prune_params={given!r} is not allowed; use a dict")
    known = _DEFAULTS[method]
    for name, value in (given or {}).items():
        if name not in known:
            raise ValueError(
                f"prune={method!r} has no parameter {name!r}; it has {', '.join(known)}"
            )
        good, right = _is_right(name, value)
        if not good:
            raise ValueError(
                f"prune={method!r} has {name}={value!r}, which is not allowed; use "
                f"{right}"
            )
    if method == "ccp" and sum(v is not None for v in (given or {}).values()) != 1:
        raise ValueError("prune='ccp' takes exactly one of alpha, cp and n_leaves")


def _is_right(name: str, value: Any) -> tuple[bool, str]:
    is_flag = isinstance(value, (bool, np.bool_))
    if name in ("n_bootstrap", "n_leaves"):
        is_whole = isinstance(value, numbers.Integral) and not is_flag
        return value is None or (is_whole and value >= 1), "a whole number from 1 on"
    if name == "random_state":
        return isinstance(value, numbers.Integral) and not is_flag, "a whole number"
    is_real = isinstance(value, numbers.Real) and not is_flag
    return value is None or (is_real and 0 <= value < np.inf), "a number from 0 on"


def prune_survival(model: Any, chosen: Any, sample: Sample, tree: Tree) -> Tree:
    """Return the subtree that the parameters of a model ask for."""
    settings = {**_DEFAULTS[model.prune], **(model.prune_params or {})}
    if model.prune == "ccp":
        return _by_deviance(tree, settings)
    collapse = split_complexities(tree, tree.gain)
    alpha = float(settings["alpha"])
    if settings["n_bootstrap"] is None:
        return tree.cut(collapse <= alpha * (1 + 1e-12))
    return _by_bootstrap(model, sample, tree, collapse, settings)


def _by_deviance(tree: Tree, settings: dict[str, Any]) -> Tree:
    """Cost-complexity pruning of the deviance."""
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    risk = np.maximum(share * tree.impurity, 0)
    collapse = _core.weakest_links(tree.arrays(), np.ascontiguousarray(risk))
    if settings["n_leaves"] is None:
        alpha = settings["alpha"]
        alpha = settings["cp"] * risk[0] if alpha is None else alpha
        return tree.cut(collapse <= alpha * (1 + 1e-12))
    levels = np.unique(collapse[np.isfinite(collapse)])
    for level in levels:
        if tree.n_leaves <= settings["n_leaves"]:
            break
        tree = tree.cut(collapse <= level)
        collapse = _core.weakest_links(
            tree.arrays(),
            np.maximum(
                tree.weighted_n_node_samples
                / tree.weighted_n_node_samples[0]
                * tree.impurity,
                0,
            ),
        )
    return tree


def _by_bootstrap(
    model: Any, sample: Sample, tree: Tree, collapse: Floats, settings: dict[str, Any]
) -> Tree:
    """Choose among the subtrees by scores that are corrected for being selected.

    What the splits of a tree score on the bootstrap sample that chose them, less what
    they score on the rows given, is how much too good scores of such a subtree are
    (LeBlanc, Crowley 1993, section 3).
    """
    levels = np.unique(collapse[np.isfinite(collapse)])
    alphas = np.append(0.0, levels)
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)
    rng = np.random.default_rng(int(settings["random_state"]))
    order = sample.content_order()
    weight = np.ones(len(sample)) if sample.weight is None else sample.weight
    excess = np.zeros(len(alphas))
    n_bootstrap = int(settings["n_bootstrap"])
    for _ in range(n_bootstrap):
        drawn = rng.multinomial(len(sample), weight[order] / weight.sum())
        own = np.zeros(len(sample))
        own[order] = drawn
        part = sample.weighted(own)
        grown = model._grow(partial(_plan, model, sample, len(part)), part, {}, None)
        reaches = split_complexities(grown, grown.gain)
        chosen = np.nan_to_num(grown.gain)
        true = _scores_on(model, sample, grown)
        inner = grown.children_left >= 0
        for k, level in enumerate(between):
            kept = inner & (reaches > level)
            excess[k] += float((chosen - true)[kept].sum()) / n_bootstrap
    worth = np.nan_to_num(tree.gain)
    inner = tree.children_left >= 0
    value = np.empty(len(alphas))
    for k, level in enumerate(alphas):
        kept = inner & (collapse > level)
        price = float(settings["alpha"]) * kept.sum()
        value[k] = worth[kept].sum() - excess[k] - price
    best = len(value) - 1 - int(np.argmax(value[::-1]))
    return tree.cut(collapse <= alphas[best])


def _plan(model: Any, sample: Sample, n_rows: int) -> _core.Plan:
    from ramify.criteria.survival import resolve_survival

    chosen = resolve_survival(model.criterion, model.criterion_params)
    plan: _core.Plan = model._plan_for(chosen, sample.table, n_rows, sample.target)
    return plan


def _scores_on(model: Any, sample: Sample, tree: Tree) -> Floats:
    """Return what the splits of a tree score on the rows of a sample."""
    X = matrix_of(sample.table, sample.rows, {})
    path = tree.decision_path(X).tocsc()
    weight = np.ones(len(sample)) if sample.weight is None else sample.weight
    scores = np.zeros(tree.node_count)
    rules = model._rules()
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        rows = path.indices[path.indptr[node] : path.indptr[node + 1]]
        child = int(tree.children_left[node])
        left = path.indices[path.indptr[child] : path.indptr[child + 1]]
        scores[node] = _score(rules, sample, np.sort(rows), left, weight)
    return scores


def _score(
    rules: _core.SurvivalRules,
    sample: Sample,
    rows: NDArray[Any],
    left: NDArray[Any],
    weight: Floats,
) -> float:
    """Score one cut: that of a column of two values."""
    if len(left) == 0 or len(left) == len(rows):
        return 0.0
    side = np.isin(rows, left, invert=True).astype(np.float64)
    plan = _core.Plan()
    plan.max_depth = 1
    target = sample.target.some(rows).core(weight[rows])
    table = Table(side[:, None]).core
    arrays, _ = _core.grow_survival(table, None, target, plan, rules, None)
    return float(np.nan_to_num(arrays["gain"][0]))
