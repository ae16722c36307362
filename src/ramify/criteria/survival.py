# SPDX-License-Identifier: BSD-3-Clause
"""How cuts of survival trees are scored: criteria by name, and functions of users."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ramify import _core
from ramify.messages import did_you_mean

__all__ = [
    "SURVIVAL_CRITERIA",
    "SurvivalCriterion",
    "SurvivalCuts",
    "SurvivalScores",
    "resolve_survival",
]

_REAL = "a number of at least 0"
_TAU = "a positive number, or None for the last event"
_CUTS = "a whole number of at least 1, or None for all"

# The parameters of each criterion, with their defaults.
SURVIVAL_CRITERIA: dict[str, dict[str, Any]] = {
    "logrank": {},
    "gehan": {},
    "tarone_ware": {},
    "peto_peto": {"andersen": False},
    "fleming_harrington": {"rho": 1.0, "gamma": 0.0},
    "logrank_score": {"ties": "nelson_aalen"},
    "maxstat": {"alpha": 0.05, "minprop": 0.1},
    "ctree": {"alpha": 0.05},
    "harrell_c": {"ties": "half", "max_cuts": 256},
    "gehan_score": {},
    "martingale": {},
    "rmst": {"tau": None},
    "brier": {"times": None},
    "approximate_logrank": {},
    "poisson": {},
    "exponential": {},
    "full_likelihood": {},
    "l1": {"max_cuts": 256},
    "rmst_difference": {"tau": None, "max_cuts": 256},
}


@dataclass(frozen=True)
class SurvivalScores:
    """A criterion by scores of rows: cuts reduce their squared error the most.

    Parameters
    ----------
    function : callable
        ``f(time, event, weight)`` gives one number for each row of a node, or a matrix
        with a line for each. It is called once per node; rows come in the order of
        their times.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify import SurvivalTree
    >>> from ramify.criteria.survival import SurvivalScores
    >>> X, y = np.arange(12.0)[:, None], (np.arange(1, 13), np.ones(12))
    >>> tree = SurvivalTree(SurvivalScores(lambda time, event, weight: np.log(time)))
    >>> tree.fit(X, y).get_n_leaves()
    3
    """

    function: Callable[..., Any]


@dataclass(frozen=True)
class SurvivalCuts:
    """A criterion by counts on the left of each cut.

    Parameters
    ----------
    function : callable
        ``f(at_risk_left, events_left, at_risk, events, times)`` gives one score for
        each of some cuts, higher for better ones. The first two are arrays (cuts,
        event times), the others hold the whole node by event time.
    max_cuts : int or None
        Cuts tried of each column, evenly by rank; None for all.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify import SurvivalTree
    >>> from ramify.criteria.survival import SurvivalCuts
    >>> def deaths(at_risk_left, events_left, at_risk, events, times):
    ...     expected = events * at_risk_left / at_risk
    ...     return np.abs((events_left - expected).sum(axis=1))
    >>> X, y = np.arange(12.0)[:, None], (np.arange(1, 13), np.ones(12))
    >>> SurvivalTree(SurvivalCuts(deaths)).fit(X, y).tree_.threshold[0]
    np.float64(6.5)
    """

    function: Callable[..., Any]
    max_cuts: int | None = 256


@dataclass(frozen=True)
class SurvivalCriterion:
    """A criterion with its parameters, ready for the engine."""

    name: str
    params: dict[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None

    @property
    def is_log_rank(self) -> bool:
        """Whether it is of the log-rank family."""
        return self.name in tuple(SURVIVAL_CRITERIA)[:5]

    @property
    def has_rates(self) -> bool:
        """Whether it compares observed with expected events."""
        names = ("approximate_logrank", "poisson", "exponential", "full_likelihood")
        return self.name in names

    def rules(self, min_events: float) -> _core.SurvivalRules:
        """Return the choices as the engine reads them."""
        rules = _core.SurvivalRules()
        rules.min_events = float(min_events)
        given = dict(self.params)
        rules.max_cuts = int(given.pop("max_cuts", 256) or 0)
        if self.name == "user_scores":
            rules.use_scores(self.function)  # type: ignore[arg-type]  # it is callable
            return rules
        if self.name == "user_cuts":
            rules.use_cuts(self.function)  # type: ignore[arg-type]  # it is callable
            return rules
        ties = given.pop("ties", None)
        rules.hothorn_lausen = ties == "hothorn_lausen"
        rules.use("concordance" if ties == "ignore" else self.name)
        for name, value in given.items():
            if value is not None:
                setattr(rules, name, value)
        return rules


def resolve_survival(
    criterion: Any, params: dict[str, Any] | None
) -> SurvivalCriterion:
    """Return what a criterion of survival trees means; refuse what is none.

    Examples
    --------
    >>> from ramify.criteria.survival import resolve_survival
    >>> resolve_survival("fleming_harrington", {"gamma": 1}).params
    {'rho': 1.0, 'gamma': 1.0}
    """
    given = {} if params is None else params
    if not isinstance(given, dict):
        raise ValueError(f"criterion_params={params!r} is not allowed; use a dict")
    if isinstance(criterion, (SurvivalScores, SurvivalCuts)):
        return _of_user(criterion, given)
    if not isinstance(criterion, str):
        raise ValueError(
            f"criterion={criterion!r} is not allowed; use a name such as 'logrank', or "
            "a function as ramify.criteria.survival.SurvivalScores(f) or "
            "SurvivalCuts(f)"
        )
    if criterion not in SURVIVAL_CRITERIA:
        known = ", ".join(SURVIVAL_CRITERIA)
        raise ValueError(
            f"criterion={criterion!r} is unknown"
            f"{did_you_mean(criterion, list(SURVIVAL_CRITERIA))}; survival trees "
            f"have {known}"
        )
    defaults = SURVIVAL_CRITERIA[criterion]
    for name in given:
        if name not in defaults:
            have = f"it has {', '.join(defaults)}" if defaults else "it has none"
            raise ValueError(
                f"criterion={criterion!r} has no parameter {name!r}; {have}"
            )
    found = {**defaults, **given}
    for name, value in found.items():
        good, right = _is_right(criterion, name, value)
        if not good:
            raise ValueError(
                f"criterion={criterion!r} has {name}={value!r}, which is not allowed; "
                f"use {right}"
            )
    reals = ("rho", "gamma", "alpha", "minprop", "tau")
    plain = {
        name: float(value) if name in reals and value is not None else value
        for name, value in found.items()
    }
    if plain.get("times") is not None:
        plain["times"] = np.asarray(plain["times"], dtype=np.float64).tolist()
    return SurvivalCriterion(criterion, plain)


def _of_user(
    criterion: SurvivalScores | SurvivalCuts, given: dict[str, Any]
) -> SurvivalCriterion:
    if given:
        raise ValueError(
            f"criterion_params={given!r} cannot be used with a function; give it its "
            "parameters itself"
        )
    if not callable(criterion.function):
        raise ValueError(
            f"{type(criterion).__name__}({criterion.function!r}) needs a function"
        )
    if isinstance(criterion, SurvivalScores):
        return SurvivalCriterion("user_scores", {}, criterion.function)
    good, right = _is_right("SurvivalCuts", "max_cuts", criterion.max_cuts)
    if not good:
        raise ValueError(f"max_cuts={criterion.max_cuts!r} is not allowed; use {right}")
    most = {"max_cuts": criterion.max_cuts}
    return SurvivalCriterion("user_cuts", most, criterion.function)


def _is_real(value: Any) -> bool:
    is_flag = isinstance(value, (bool, np.bool_))
    return isinstance(value, numbers.Real) and not is_flag and math.isfinite(value)


def _is_right(criterion: str, name: str, value: Any) -> tuple[bool, str]:
    """Return whether a value is allowed, and what would be."""
    if name == "ties":
        words = (
            ("half", "ignore")
            if criterion == "harrell_c"
            else ("nelson_aalen", "hothorn_lausen")
        )
        listed = " or ".join(map(repr, words))
        return isinstance(value, str) and value in words, listed
    if name == "andersen":
        return isinstance(value, (bool, np.bool_)), "True or False"
    if name == "alpha":
        return _is_real(value) and 0 < value <= 1, "a number in (0, 1]"
    if name == "minprop":
        return _is_real(value) and 0 < value < 0.5, "a share in (0, 0.5)"
    if name == "tau":
        return value is None or (_is_real(value) and value > 0), _TAU
    if name == "max_cuts":
        is_flag = isinstance(value, (bool, np.bool_))
        is_whole = isinstance(value, numbers.Integral) and not is_flag
        return value is None or (is_whole and 1 <= value < 2**31), _CUTS
    if name == "times":
        right = "ascending numbers of at least 0, or None for the deciles of the events"
        return value is None or _are_times(value), right
    return _is_real(value) and value >= 0, _REAL


def _are_times(value: Any) -> bool:
    try:
        times = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return (
        times.ndim == 1
        and times.size > 0
        and bool(np.isfinite(times).all() and (times >= 0).all())
        and bool((np.diff(times) > 0).all())
    )
