# SPDX-License-Identifier: BSD-3-Clause
"""What partitions cannot do: one table, looked at before any data are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ramify.criteria import catalogue
from ramify.criteria.choices import Choice
from ramify.criteria.planning import measures_of
from ramify.distributed.core.recipe import chosen_of, is_numeric

__all__ = ["REFUSALS", "refuse", "why_refused"]


@dataclass(frozen=True)
class Refusal:
    """A parameter that needs more than sums over partitions.

    Attributes
    ----------
    parameter : str
        Its name.
    applies : callable
        Whether a model needs it.
    needs : str
        What it needs.
    instead : str
        What would work.
    """

    parameter: str
    applies: Callable[[Any], bool]
    needs: str
    instead: str


def _scores(model: Any) -> tuple[list[Any], list[Any]]:
    """List what is calculated of all cuts of a node, and what of a few of them."""
    if is_numeric(model):
        return [], []
    chosen = chosen_of(model)
    few = [
        catalogue.resolve(other, None)
        for other in getattr(model, "candidate_criteria", None) or ()
    ]
    if isinstance(chosen, Choice) and chosen.best.k is not None:
        return [chosen.best.score], [*few, *(measure for _, measure in chosen.steps)]
    return [chosen], few


def _measures(scores: list[Any]) -> list[Any]:
    return [m for each in scores for m in measures_of(each).values()]


def _reads_rows(model: Any) -> bool:
    """Whether a measure needs rows; sums will do for margins, and for few cuts."""
    all_cuts, few = map(_measures, _scores(model))
    known = [("bnm",)] * len(all_cuts) + [("bnm", "csn")] * len(few)
    return any(
        measure.looks_at_rows
        and (measure.name not in names or measure.params.get("penalty") == "euclidean")
        for measure, names in zip((*all_cuts, *few), known, strict=True)
    )


def _looks_beside(model: Any) -> bool:
    all_cuts, few = map(_measures, _scores(model))
    return any(measure.name == "sensitive_auc" for measure in (*all_cuts, *few))


def _needs_order(model: Any) -> bool:
    name = getattr(chosen_of(model), "name", "")
    return is_numeric(model) and name in ("absolute_error", "quantile", "crps")


_IN_MEMORY = "fit in memory"

REFUSALS = (
    Refusal(
        "leaf_rows",
        lambda model: bool(getattr(model, "leaf_rows", False)),
        "the rows of each leaf in one place, and these lie apart",
        f"set leaf_rows=False, or {_IN_MEMORY}",
    ),
    Refusal(
        "criterion",
        _needs_order,
        "the order of all rows, which partitions do not have",
        f"use 'squared_error', or {_IN_MEMORY}",
    ),
    Refusal(
        "criterion",
        _reads_rows,
        "the order or the places of all rows, which partitions do not have",
        "use a criterion of class counts, such as 'gini', perhaps with bnm, such as "
        "'gini + 0.01 * bnm', or with csn in a second step, such as "
        f"'top(3, gini).smallest(csn)', or {_IN_MEMORY}",
    ),
    Refusal(
        "criterion",
        _looks_beside,
        "the sensitive attribute of every row, which streams do not have",
        _IN_MEMORY,
    ),
    Refusal(
        "splitter",
        lambda model: model.splitter == "central",
        "means and medians of the rows of every node",
        f"use 'best' or 'random', or {_IN_MEMORY}",
    ),
    Refusal(
        "splitter",
        lambda model: model.splitter in ("ctree", "guide"),
        "tests that count rows in ways that are not summed over partitions",
        f"use 'best', 'random', 'chaid', 'quest' or 'dgmml', or {_IN_MEMORY}",
    ),
    Refusal(
        "prune",
        lambda model: getattr(model, "prune", None) is not None,
        "rows that are held back, or folds of them",
        "use ccp_alpha, or ramify.prune(model, ...) when it is fitted",
    ),
)


def why_refused(model: Any) -> str:
    """Describe why sums over partitions cannot grow a model; empty if they can."""
    if model._mixes_columns:
        return (
            f"an oblique tree needs the numbers of all rows, which partitions do not "
            f"have; use DecisionTreeClassifier, or {_IN_MEMORY}"
        )
    model._check_parameters(chosen_of(model))
    for refusal in REFUSALS:
        if refusal.applies(model):
            value = getattr(model, refusal.parameter)
            return (
                f"{refusal.parameter}={value!r} needs {refusal.needs}; "
                f"{refusal.instead}"
            )
    return ""


def refuse(model: Any) -> None:
    """Refuse a model that needs more than sums over partitions."""
    if reason := why_refused(model):
        raise ValueError(reason)
