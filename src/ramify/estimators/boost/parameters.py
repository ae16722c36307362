# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of boosted trees are allowed."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from ramify.table import check_max_bins

__all__ = ["LOSSES", "check_boosted", "learning_rate"]

LOSSES = ("squared_error", "absolute_error", "quantile", "poisson", "gamma")
_GRADIENT_ONLY = (
    *("max_leaf_nodes", "min_child_weight", "min_gain", "l2", "subsample"),
    *("max_features", "max_bins"),
)


def learning_rate(model: Any) -> float:
    """Give the shrinkage; by default 0.1, or 1 where trees have votes of their own."""
    if model.learning_rate is None:
        return 0.1 if _is_gradient(model) else 1.0
    return float(model.learning_rate)


def _is_gradient(model: Any) -> bool:
    return getattr(model, "method", "gradient") == "gradient"


def _is_int(x: Any, least: int) -> bool:
    return (
        isinstance(x, numbers.Integral) and not isinstance(x, bool) and int(x) >= least
    )


def _is_real(x: Any, low: float, high: float = math.inf) -> bool:
    real = isinstance(x, numbers.Real) and not isinstance(x, bool)
    return real and math.isfinite(x) and low <= x <= high


def _is_flag(x: Any) -> bool:
    return isinstance(x, (bool, np.bool_))


def _is_share(x: Any) -> bool:
    return _is_real(x, 0, 1) and x > 0


_Check = tuple[Callable[[Any], bool], str]
_CHECKS: dict[str, _Check] = {
    "n_estimators": (lambda x: _is_int(x, 1), "a whole number of at least 1"),
    "learning_rate": (
        lambda x: x is None or (_is_real(x, 0) and x > 0),
        "a number above 0, such as 0.1, or None",
    ),
    "max_depth": (
        lambda x: x is None or _is_int(x, 1),
        "a whole number of at least 1, or None for no limit",
    ),
    "max_leaf_nodes": (
        lambda x: x is None or _is_int(x, 2),
        "a whole number of at least 2, or None for no limit",
    ),
    "min_samples_leaf": (lambda x: _is_int(x, 1), "a whole number of at least 1"),
    "min_child_weight": (lambda x: _is_real(x, 0), "a number of at least 0"),
    "min_gain": (lambda x: _is_real(x, 0), "a number of at least 0"),
    "l2": (lambda x: _is_real(x, 0), "a number of at least 0"),
    "subsample": (_is_share, "a share of the rows in (0, 1]"),
    "max_features": (
        lambda x: (
            x is None
            or (isinstance(x, str) and x in ("sqrt", "log2"))
            or _is_int(x, 1)
            or (isinstance(x, float) and _is_share(x))
        ),
        "a whole number of at least 1, a share in (0, 1], 'sqrt', 'log2', or None",
    ),
    "early_stopping": (_is_flag, "True or False"),
    "validation_fraction": (
        lambda x: _is_share(x) and x < 1,
        "a share of the rows between 0 and 1",
    ),
    "n_iter_no_change": (lambda x: _is_int(x, 1), "a whole number of at least 1"),
    "tol": (lambda x: _is_real(x, 0), "a number of at least 0"),
    "unseen": (
        lambda x: x in ("heavier", "error", "missing"),
        "'heavier', 'error' or 'missing'",
    ),
    "verbose": (
        lambda x: _is_int(x, 0) or _is_flag(x),
        "a whole number of at least 0",
    ),
    "warm_start": (_is_flag, "True or False"),
    "loss": (lambda x: x in LOSSES, ", ".join(map(repr, LOSSES))),
    "quantile": (
        lambda x: _is_real(x, 0, 1) and 0 < x < 1,
        "a number between 0 and 1",
    ),
}


def check_boosted(model: Any) -> None:
    """Refuse parameters that mean nothing; say what would be right."""
    given = model.get_params(deep=False)
    for name, (is_good, right) in _CHECKS.items():
        if name in given and not is_good(given[name]):
            raise ValueError(f"{name}={given[name]!r} is not allowed; use {right}")
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
