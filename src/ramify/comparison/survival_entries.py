# SPDX-License-Identifier: BSD-3-Clause
"""Names of methods for times to an event → estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.criteria.survival import SURVIVAL_CRITERIA
from ramify.estimators.survival import (
    ExtraSurvivalTrees,
    RandomSurvivalForest,
    SurvivalTree,
)
from ramify.messages import ask_or_stop
from ramify.survival import KaplanMeier

__all__ = ["SURVIVAL_METHODS", "survival_estimator", "survival_names"]

# What times are learnt by, if nobody says by what.
SURVIVAL_METHODS = (
    *("kaplan_meier", "logrank", "gehan", "logrank_score", "maxstat"),
    *("approximate_logrank", "full_likelihood", "logrank_rf", "logrank_et"),
)
# A curve of three rows, which the trees of forests may have, says little by itself.
_ROWS_OF_A_LEAF = 15
_MAKERS: dict[str, Callable[[str], Any]] = {
    "": lambda name: SurvivalTree(name, min_samples_leaf=_ROWS_OF_A_LEAF),
    "_rf": lambda name: RandomSurvivalForest(criterion=name),
    "_et": lambda name: ExtraSurvivalTrees(criterion=name),
}


def survival_names() -> list[str]:
    """List the names of all methods for times to an event, ensembles apart.

    >>> survival_names()[:3]
    ['kaplan_meier', 'logrank', 'gehan']
    """
    return ["kaplan_meier", *SURVIVAL_CRITERIA, "logrank_rf", "logrank_et"]


def survival_estimator(name: str) -> tuple[Any, str]:
    """Return the estimator of a name, and what it is in a sentence.

    A criterion with ``_rf`` or ``_et`` behind it names a forest or extra trees.
    """
    if name == "kaplan_meier":
        return KaplanMeier(), "The Kaplan-Meier curve of all rows, for every row."
    for ending in sorted(_MAKERS, key=len, reverse=True):
        criterion = name.removesuffix(ending)
        if name.endswith(ending) and criterion in SURVIVAL_CRITERIA:
            made = _MAKERS[ending](criterion)
            return made, f"{type(made).__name__} by {criterion}."
    every = [f"{one}{end}" for one in SURVIVAL_CRITERIA for end in _MAKERS]
    raise ValueError(
        f"method {name!r} is unknown for times to an event"
        f"{ask_or_stop(name, ['kaplan_meier', *every])} Give kaplan_meier, one of "
        f"{', '.join(SURVIVAL_CRITERIA)}, perhaps with _rf or _et behind it for a "
        "forest or extra trees, or any survival estimator."
    )
