# SPDX-License-Identifier: BSD-3-Clause
"""The best splits of a node, by several criteria beside each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.criteria import catalogue
from ramify.criteria.functions import is_compiled
from ramify.criteria.planning import measures_of, set_plan
from ramify.editing import cuts
from ramify.editing.edits import Context
from ramify.editing.engine import resolved
from ramify.editing.growing import _columns
from ramify.editing.node import Node, Places, Test
from ramify.editing.state import State
from ramify.estimators.tree.methods import TREE_METHODS
from ramify.estimators.tree.oblique import ObliqueTreeClassifier
from ramify.table.sources import frame_backend
from ramify.tree.ledger import empty_ledger
from ramify.tree.tree import Tree

__all__ = ["Candidate", "candidates", "read_criteria", "to_frame"]

_MANY_ROWS = 300_000  # from here on columns are cut at quantiles, unless `exact`
_BINS = 255


@dataclass
class Candidate:
    """A split that a node could have."""

    test: Test
    column: str
    scores: dict[str, float] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    n_left: int = 0
    n_right: int = 0
    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    logworth: float = math.nan
    validation_gain: float = math.nan
    by: str = ""


def read_criteria(context: Context, given: Any) -> dict[str, Any]:
    """Return the criteria that were asked for, by name; that of the model if none."""
    if given is None:
        chosen = context.criterion
        name = getattr(chosen, "name", None) or repr(chosen)
        return {name: chosen}
    several = list(given) if isinstance(given, list | tuple) else [given]
    if not several:
        raise ValueError("criteria=[] names none; leave it out for the model's own")
    found: dict[str, Any] = {}
    for each in several:
        holder = type("Asked", (), {"criterion": each, "criterion_params": None})()
        chosen = resolved(holder, context.data.is_numeric)
        name = each if isinstance(each, str) else getattr(chosen, "name", repr(each))
        found[name] = chosen
    return found


def candidates(
    context: Context,
    state: State,
    node: Any,
    criteria: Any = None,
    columns: Any = None,
    k: Any = 10,
    kind: str = "axis",
    exact: bool | None = None,
) -> tuple[list[Candidate], list[str]]:
    """Return the best splits of a node; the first criterion ranks them."""
    here = state.find(node)
    rows = here.all_rows()
    if len(rows) == 0:
        raise ValueError(f"node {here.number} has no rows, and no candidates")
    if kind not in ("axis", "oblique"):
        raise ValueError(f"kind={kind!r} is unknown; use 'axis' or 'oblique'")
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k={k!r} is not allowed; use a whole number of at least 1")
    chosen = read_criteria(context, criteria)
    asked = None
    if columns is not None:
        asked = cuts.columns_of(context.data.schema, columns)
    allowed = _columns(context.data, state, here, asked)
    every = tuple(range(context.data.schema.n_columns)) if allowed is None else allowed
    for each in chosen.values():
        context.engine.check_target(each, rows)
    if kind == "oblique":
        found = _oblique(context, state, here, chosen, allowed)
    else:
        is_binned = not exact if exact is not None else len(rows) > _MANY_ROWS
        found = _axis(context, here, rows, chosen, every, is_binned)
    _score_all(context, found, rows, chosen)
    first = next(iter(chosen))
    _rank(found, chosen)
    found.sort(key=lambda c: (c.ranks[first], c.test.feature, c.test.threshold))
    found = found[: int(k)]
    for each in found:
        _describe(context, here, each, rows, chosen[first])
    return found, list(chosen)


# --- splits of one column -------------------------------------------------------------


def _axis(
    context: Context,
    here: Node,
    rows: Places,
    chosen: dict[str, Any],
    columns: tuple[int, ...],
    is_binned: bool,
) -> list[Candidate]:
    """Find the best cut of every column by each criterion."""
    found: dict[Any, Candidate] = {}
    bins = _BINS if is_binned else None
    targets = {
        name: context.engine._target(rows, each) for name, each in chosen.items()
    }
    for name, each in chosen.items():
        for j in columns:
            table, _ = context.data.table((j,), bins)
            own = None if len(rows) == len(context.data) else rows
            others = [
                n for n in chosen if n != name and _can_also(context, each, chosen[n])
            ]
            test, scores = _best_of_column(
                context, table, own, targets[name], each, [chosen[n] for n in others], j
            )
            if test is None:
                continue
            key: tuple[Any, ...] = (
                j,
                test.threshold,
                tuple(sorted(test.listed.items())),
                test.missing,
            )
            key = tuple(None if part != part else part for part in key)
            at = found.setdefault(
                key, Candidate(test, context.data.schema.names[j], by=name)
            )
            at.scores.update(zip([name, *others], scores, strict=True))
    return list(found.values())


def _can_also(context: Context, first: Any, other: Any) -> bool:
    """Return whether the engine scores the cuts of one criterion by another, too."""
    if context.data.is_numeric or context.engine._needs_sums(other):
        return False
    if context.engine._needs_sums(first) or measures_of(other) or measures_of(first):
        return False
    try:
        catalogue.node_of(other)
    except (TypeError, ValueError):
        return False
    return not is_compiled(other)


def _best_of_column(
    context: Context,
    table: Any,
    rows: Any,
    target: Any,
    chosen: Any,
    others: list[Any],
    j: int,
) -> tuple[Test | None, list[float]]:
    """Let the engine find the best cut of a table of one column."""
    plan = _core.Plan()
    set_plan(plan, chosen)
    plan.max_depth = 1
    plan.set_binned(table.is_binned)
    if not context.data.is_numeric:
        plan.n_recorded = 1
        for other in others:
            plan.also_score(catalogue.node_of(other))
    arrays = _core.grow(table.core, rows, target, plan, None)
    ledger: Any = arrays.pop("ledger", None) or empty_ledger(len(others))
    if len(arrays["feature"]) == 1:
        return None, []
    renumber = context.data.renumber(table)
    begin, end = arrays["split_begin"][0], arrays["split_begin"][1]
    codes = arrays["split_value"][begin:end]
    if 0 in renumber and int(arrays["kind"][0]) == Tree.CATEGORIES:
        codes = renumber[0][codes.astype(np.int64)]
    listed = dict(
        zip(
            np.asarray(codes, dtype=np.float64).tolist(),
            arrays["split_branch"][begin:end].tolist(),
            strict=True,
        )
    )
    test = Test(
        int(arrays["kind"][0]),
        j,
        float(arrays["threshold"][0]),
        listed,
        None,
        int(arrays["missing_branch"][0]),
        int(arrays["default_branch"][0]),
        int(arrays["optimal"][0]),
    )
    scores = [float(arrays["gain"][0])]
    at = np.flatnonzero(ledger["chosen"])
    if others:
        also = ledger["also"][at[0]] if len(at) else np.full(len(others), np.nan)
        scores += [float(x) for x in also]
    return test, scores


# --- oblique splits ----------------------------------------------------------------


def _oblique(
    context: Context,
    state: State,
    here: Node,
    chosen: dict[str, Any],
    columns: tuple[int, ...] | None,
) -> list[Candidate]:
    """Ask every oblique method for one direction."""
    if context.data.is_numeric:
        raise ValueError(
            "kind='oblique' is for trees of classes; this tree predicts numbers"
        )
    if len(context.data.target.classes) > 1:
        raise ValueError("kind='oblique' is for one output; y has several")
    found = []
    names = [
        name
        for name, method in TREE_METHODS.items()
        if method.estimator is ObliqueTreeClassifier
        and method.parameters.get("method") != "rotation"
    ]
    rows, held = here.all_rows(), here.all_held()
    seen = set()
    for name in names:
        model = TREE_METHODS[name].make(
            max_depth=1, random_state=0, **_one_class(TREE_METHODS[name])
        )
        try:
            grown = context.engine.grown(
                model, rows, held, columns, lambda place: place, None
            )
        except ValueError:  # such as a method for two classes, or for values only
            continue
        test = grown.test
        if test is None or test.terms is None:
            continue
        terms = test.terms
        key = (tuple(terms.column), tuple(terms.weight), test.threshold)
        if key not in seen:
            seen.add(key)
            names_of = [
                context.data.schema.names[j] for j in set(terms.column.tolist())
            ]
            found.append(Candidate(test, " + ".join(sorted(names_of)), by=name))
    return found


def _one_class(method: Any) -> dict[str, Any]:
    return {"multiclass": "native"} if method.multiclass == "ova" else {}


# --- what is said of each ---------------------------------------------------------


def _score_all(
    context: Context, found: list[Candidate], rows: Places, chosen: dict[str, Any]
) -> None:
    """Score each cut by the criteria that have not scored it yet."""
    for each in found:
        missing = [name for name in chosen if name not in each.scores]
        if missing:
            goes_right = each.test.branches(context.data.matrix, rows) > 0
            for name in missing:
                each.scores[name] = context.engine.score(chosen[name], goes_right, rows)


def _rank(found: list[Candidate], chosen: dict[str, Any]) -> None:
    """Rank the splits by each criterion; equal scores have the same rank."""
    for name in chosen:
        scores = [each.scores[name] for each in found]
        for each in found:
            own = each.scores[name]
            better = sum(s > own or (own != own and s == s) for s in scores)
            each.ranks[name] = 1 + better


def _describe(
    context: Context, here: Node, each: Candidate, rows: Places, first: Any
) -> None:
    data, test = context.data, each.test
    right = test.branches(data.matrix, rows) > 0
    each.n_left, each.n_right = int((~right).sum()), int(right.sum())
    tables = [_mix(context, rows[~right]), _mix(context, rows[right])]
    each.left, each.right = [_shares(context, table) for table in tables]
    each.logworth = _logworth(context, test, rows, tables)
    held = here.all_held()
    if len(held):
        other = test.branches(data.held[0], held) > 0
        each.validation_gain = context.engine.held_score(first, other, held)


def _mix(context: Context, rows: Places) -> NDArray[np.float64]:
    """Return the weights of the classes; or weight, sum and sum of squares."""
    places = rows.astype(np.intp)
    weight = None if context.engine.weight is None else context.engine.weight[places]
    target = context.data.target
    if context.data.is_numeric:
        y = target.values[places, 0]
        w = np.ones(len(y)) if weight is None else weight
        return np.array([w.sum(), w @ y, w @ (y * y)])
    codes = target.codes[places, 0].astype(np.intp)
    n = len(target.classes[0])
    return np.bincount(codes, weight, minlength=n).astype(np.float64)


def _shares(context: Context, table: NDArray[np.float64]) -> list[float]:
    if context.data.is_numeric:
        return [float(table[1] / table[0])]
    return [float(x) for x in table / table.sum()]


def _logworth(
    context: Context, test: Test, rows: Places, tables: list[NDArray[np.float64]]
) -> float:
    """Return -log10 of the p-value of the split, times the number of splits tried.

    The test is Pearson's chi-square of classes, or the F test of two means.
    """
    if context.data.is_numeric:
        log_p = _log_p_of_means(tables)
    else:
        both = np.array(tables)
        both = both[:, both.sum(axis=0) > 0]
        expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
        chi2 = float(((both - expected) ** 2 / expected).sum())
        degrees = both.shape[1] - 1
        log_p = _core.log_chi2_tail(chi2, degrees) if degrees else 0.0
    worth = -(log_p + _log_n_splits(context, test, rows)) / math.log(10)
    return max(0.0, worth)


def _log_p_of_means(tables: list[NDArray[np.float64]]) -> float:
    (n, s, q), (m, t, r) = tables
    mean = (s + t) / (n + m)
    between = n * (s / n - mean) ** 2 + m * (t / m - mean) ** 2
    within = max(q - s * s / n, 0.0) + max(r - t * t / m, 0.0)
    degrees = n + m - 2
    if degrees <= 0 or between <= 0:
        return 0.0
    if within <= 0:
        return -math.inf if between > 0 else 0.0
    return _core.log_f_tail(between / (within / degrees), 1, degrees)


def _log_n_splits(context: Context, test: Test, rows: Places) -> float:
    """Return the logarithm of how many splits of the column there are (Bonferroni)."""
    if test.terms is not None:
        return 0.0
    x = context.data.matrix[rows, test.feature]
    n = len(np.unique(x[~np.isnan(x)]))
    if test.kind == Tree.CATEGORIES:
        return (
            math.log(2.0) * max(0, n - 1)
            if n > 50
            else math.log(2 ** max(0, n - 1) - 1 or 1)
        )
    return math.log(max(1, n - 1))


def to_frame(
    context: Context,
    found: list[Candidate],
    names: list[str],
    backend: str | None = None,
) -> Any:
    """Return candidates as a data frame, one row each."""
    table: dict[str, Any] = {
        "column": [each.column for each in found],
        "threshold": [each.test.threshold for each in found],
        "categories": [_left_categories(context, each.test) for each in found],
        "weights": [_weights(context, each.test) for each in found],
        "missing": [
            None
            if each.test.terms is not None
            else ("left", "right")[each.test.missing]
            for each in found
        ],
        "n_left": [each.n_left for each in found],
        "n_right": [each.n_right for each in found],
    }
    for side in ("left", "right"):
        shares = [getattr(each, side) for each in found]
        table["mean_" + side if context.data.is_numeric else side] = (
            [each[0] for each in shares] if context.data.is_numeric else shares
        )
    for name in names:
        table[name] = [each.scores[name] for each in found]
    for name in names:
        table[f"{name} rank"] = [each.ranks[name] for each in found]
    table["logworth"] = [each.logworth for each in found]
    table["validation_gain"] = [each.validation_gain for each in found]
    if any(each.test.terms is not None for each in found):
        table["method"] = [each.by for each in found]
    chosen: Any = frame_backend(backend)
    return nw.from_dict(table, backend=chosen).to_native()


def _left_categories(context: Context, test: Test) -> list[Any] | None:
    if test.kind != Tree.CATEGORIES:
        return None
    known = context.data.schema.columns[test.feature].categories
    return [
        known[int(code)] for code, branch in sorted(test.listed.items()) if branch == 0
    ]


def _weights(context: Context, test: Test) -> dict[str, float] | None:
    """Return the weights of numeric columns; categories have a column's name twice."""
    if test.terms is None:
        return None
    names = context.data.schema.names
    found: dict[str, float] = {}
    for j, category, weight in zip(
        test.terms.column.tolist(),
        test.terms.category.tolist(),
        test.terms.weight.tolist(),
        strict=True,
    ):
        name = names[j]
        if category >= 0:
            name = f"{name}={context.data.schema.columns[j].categories[category]}"
        found[name] = weight
    return found
