# SPDX-License-Identifier: BSD-3-Clause
"""What the engine and the estimators need to know of a criterion."""

from __future__ import annotations

from ramify import _core
from ramify.criteria.builtin import C45_RULES, Balanced, Criterion
from ramify.criteria.functions import (
    CompiledCriterion,
    FunctionCriterion,
    checked_scores,
)
from ramify.criteria.measures import Measure
from ramify.criteria.regression import NumberCriterion
from ramify.criteria.score import Expression, Number, Pair, walk

__all__ = ["judges_sides", "measures_of", "set_plan"]


def set_plan(plan: _core.Plan, criterion: Expression | NumberCriterion) -> None:
    """Put a criterion into a plan of the engine."""
    if isinstance(criterion, NumberCriterion):
        plan.use_numeric(criterion.name, criterion.settings())
        return
    if isinstance(criterion, CompiledCriterion):
        plan.use_compiled(
            criterion.address, criterion.user_data, criterion.quasi_convex
        )
    elif isinstance(criterion, FunctionCriterion):
        tie_break = criterion.tie_break
        by_cut = criterion.by_cut
        plan.use_function(
            checked_scores(criterion.judge, by_cut),
            None if tie_break is None else checked_scores(tie_break, by_cut),
            criterion.allow_zero_gain,
            criterion.quasi_convex,
        )
    elif isinstance(criterion, Criterion):
        _use_builtin(plan, criterion)
    elif isinstance(criterion, Balanced):
        inner = criterion.inner
        plan.use_builtin(inner.name, *inner.settings(), balanced=True)
    else:
        plan.use_expression(*criterion.program(), str(criterion))
    plan.impurity = _impurity_of(criterion)


def _use_builtin(plan: _core.Plan, criterion: Criterion) -> None:
    if criterion.name != "gain_ratio" or not criterion.has_rules:
        plan.use_builtin(criterion.name, *criterion.settings())
        plan.threshold_cost = bool(criterion.params.get("threshold_cost"))
        plan.use_c45_rules(False, False, 0.0)
        return
    rules = {**C45_RULES, **criterion.params}
    # Under any of Quinlan's rules a column's cut is chosen by information gain.
    plan.use_builtin("entropy")
    least = rules["min_branch"]
    plan.use_c45_rules(
        bool(rules["threshold_cost"]),
        bool(rules["average_gain"]),
        2.0 if least is True else float(least),
    )


def _impurity_of(criterion: Expression) -> _core.Impurity:
    """Return the impurity to report for nodes: that of the first criterion named."""
    kinds = _core.Impurity
    own = {
        "entropy": kinds.entropy,
        "gain_ratio": kinds.entropy,
        "misclassification": kinds.misclassification,
    }
    first = [part.name for part in walk(criterion) if isinstance(part, Criterion)]
    return own.get(first[0], kinds.gini) if first else kinds.gini


def measures_of(criterion: Expression) -> dict[str, Measure]:
    """Return the measures that a criterion needs, by name."""
    return {part.name: part for part in walk(criterion) if isinstance(part, Measure)}


def judges_sides(criterion: Expression) -> bool:
    """Return whether a criterion is a formula of the class weights on either side."""
    formulas = (
        *(Criterion, Balanced, FunctionCriterion, CompiledCriterion),
        *(Number, Pair),
    )
    return all(
        isinstance(part, formulas) and not getattr(part, "has_rules", False)
        for part in walk(criterion)
    )
