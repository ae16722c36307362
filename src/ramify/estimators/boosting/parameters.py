# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of boosted trees are allowed."""

from __future__ import annotations

import inspect
import math
from typing import Any, get_args

from ramify.estimators.validation.choices import BoostedUnseen
from ramify.estimators.validation.parameters import LIMITS
from ramify.estimators.validation.rules import (
    FLAG,
    FROM_ZERO,
    Rule,
    check_rules,
    is_real,
    one_of,
    whole,
)
from ramify.table import check_max_bins

__all__ = ["LOSSES", "check_boosted", "learning_rate"]

LOSSES = ("squared_error", "absolute_error", "quantile", "poisson", "gamma")
_GRADIENT_ONLY = (
    *(
        "max_leaf_nodes",
        "min_child_weight",
        "min_gain",
        "l2_regularization",
        "subsample",
    ),
    *("max_features", "max_bins"),
)


def learning_rate(model: Any) -> float:
    """Get the shrinkage; by default 0.1, or 1 where trees have votes of their own."""
    if model.learning_rate is None:
        return 0.1 if _is_gradient(model) else 1.0
    return float(model.learning_rate)


def _is_gradient(model: Any) -> bool:
    return getattr(model, "method", "gradient") == "gradient"


def _is_finite(x: Any) -> bool:
    return is_real(x, 0) and math.isfinite(x)


def _is_part(x: Any) -> bool:
    """Return whether this is a share in (0, 1], of which 1 may be a whole number."""
    return is_real(x, 0, 1) and x > 0


_FROM_ZERO: Rule = (_is_finite, FROM_ZERO[1])
_RULES: dict[str, Rule] = {
    **LIMITS,
    "n_estimators": whole(1),
    "learning_rate": (
        lambda x: x is None or (_is_finite(x) and x > 0),
        "a number above 0, such as 0.1, or None",
    ),
    "min_samples_leaf": whole(1),
    "min_child_weight": _FROM_ZERO,
    "min_gain": _FROM_ZERO,
    "l2_regularization": _FROM_ZERO,
    "subsample": (_is_part, "a share of the rows in (0, 1]"),
    "early_stopping": FLAG,
    "validation_fraction": (
        lambda x: _is_part(x) and x < 1,
        "a share of the rows between 0 and 1",
    ),
    "n_iter_no_change": whole(1),
    "tol": _FROM_ZERO,
    "unseen": one_of(*get_args(BoostedUnseen)),
    "warm_start": FLAG,
}
_OF_REGRESSION: dict[str, Rule] = {
    "loss": one_of(*LOSSES),
    "quantile": (lambda x: _is_part(x) and x < 1, "a number between 0 and 1"),
}
_RULES_OF_REGRESSION = _RULES | _OF_REGRESSION


def check_boosted(model: Any) -> None:
    """Refuse parameters that mean nothing; say what would be right."""
    given = model.get_params(deep=False)
    check_rules(model, _RULES if "method" in given else _RULES_OF_REGRESSION)
    if check_max_bins(model.max_bins) is None:
        raise ValueError("max_bins=None is not allowed; use a whole number, 2 to 255")
    if _is_gradient(model):
        if given.get("method_params"):
            raise ValueError(
                f"method_params={given['method_params']!r} are for methods of "
                "ramify.methods; method='gradient' takes its parameters by name"
            )
        return
    defaults = inspect.signature(type(model)).parameters
    for name in _GRADIENT_ONLY:
        if given[name] != defaults[name].default:
            raise ValueError(
                f"{name}={given[name]!r} is for method='gradient' only; give "
                f"parameters of method={model.method!r} as method_params"
            )
