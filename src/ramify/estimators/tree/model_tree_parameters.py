# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of a model tree are allowed, and what its methods leave open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ramify.estimators.validation.parameters import LIMITS
from ramify.estimators.validation.rules import (
    FLAG,
    FROM_ZERO,
    Rule,
    check_rules,
    is_real,
    is_share,
    is_whole,
    one_of,
    or_none,
    whole,
)
from ramify.messages import did_you_mean

__all__ = ["LINE_METHODS", "check_model_tree", "line_params", "own_limits"]

_MODELS = ("lin", "pcon", "blin", "plin")


def _are_models(x: Any) -> bool:
    return (
        isinstance(x, (list, tuple))
        and all(isinstance(name, str) and name in _MODELS for name in x)
        and len(set(x)) == len(x)
    )


# Of each method: the default of a setting, and what it may be.
LINE_METHODS: dict[str, dict[str, tuple[Any, Rule]]] = {
    "m5": {
        "smoothing": (15.0, FROM_ZERO),
        "penalty": (1.0, FROM_ZERO),
        "factor": (2.0, FROM_ZERO),
        "stop": (
            0.05,
            (lambda x: is_real(x, 0, 1), "a share of the deviation from 0 to 1"),
        ),
        "share": (
            0.2,
            (
                lambda x: is_real(x, 0, 0.5) and x < 0.5,
                "a share of the rows from 0 to below 0.5",
            ),
        ),
        "prune": (True, FLAG),
    },
    "pilot": {
        "models": (
            _MODELS,
            (_are_models, "a list of some of 'lin', 'pcon', 'blin' and 'plin'"),
        ),
        "alpha": (
            1.0,
            (lambda x: is_real(x, 0, 1) and x > 0, "a number above 0 and at most 1"),
        ),
        "rel_tol": (
            0.01,
            (lambda x: is_real(x, 0, 1), "a share of the squares from 0 to 1"),
        ),
        "min_unique": (5, whole(2)),
    },
}

_RULES: dict[str, Rule] = {
    "missing": one_of("both", "left", "right", "error"),
    "unseen": one_of("heavier", "error", "missing"),
    "categories": one_of("subset", "one_vs_rest"),
    "min_samples_split": (
        lambda x: x is None or is_whole(x, 2) or is_share(x),
        "a whole number of at least 2, a share of the rows in (0, 1], or None for what "
        "the method says",
    ),
    "min_samples_leaf": (
        lambda x: x is None or is_whole(x, 1) or (is_share(x) and x < 1),
        "a whole number of at least 1, a share of the rows in (0, 1), or None for what "
        "the method says",
    ),
    "max_depth": or_none(whole(1), " for what the method says"),
    "max_features": LIMITS["max_features"],
    "verbose": LIMITS["verbose"],
    "ccp_alpha": FROM_ZERO,
}


def check_model_tree(model: Any) -> None:
    """Refuse parameters that mean nothing; say what would be right."""
    method = model.method
    if not isinstance(method, str) or method not in LINE_METHODS:
        raise ValueError(
            f"method={method!r} is no model tree; use 'm5' or 'pilot'"
            f"{did_you_mean(method, LINE_METHODS)}"
        )
    check_rules(model, _RULES)
    line_params(model)


def line_params(model: Any) -> dict[str, Any]:
    """Return the settings of the method, with their defaults."""
    known = LINE_METHODS[model.method]
    given = model.method_params
    if given is not None and not isinstance(given, dict):
        raise TypeError(
            f"method_params={given!r} is not allowed; use a dict of settings, or None"
        )
    for name, value in (given or {}).items():
        if name not in known:
            raise ValueError(
                f"method={model.method!r} has no setting {name!r}; it has "
                f"{', '.join(known)}{did_you_mean(name, known)}"
            )
        try:
            check_rules(SimpleNamespace(**{name: value}), {name: known[name][1]})
        except ValueError as error:
            raise ValueError(f"method_params has {error}") from None
    return {name: default for name, (default, _) in known.items()} | (given or {})


def own_limits(model: Any) -> tuple[int | None, int | float, int | float]:
    """Return depth and sizes of split nodes and of leaves, where they are left open."""
    is_pilot = model.method == "pilot"
    depth, split, leaf = (12, 11, 5) if is_pilot else (None, 4, 2)
    return (
        depth if model.max_depth is None else model.max_depth,
        split if model.min_samples_split is None else model.min_samples_split,
        leaf if model.min_samples_leaf is None else model.min_samples_leaf,
    )
