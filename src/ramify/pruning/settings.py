# SPDX-License-Identifier: BSD-3-Clause
"""The methods of pruning, their parameters, and which of these are allowed."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ramify.messages import did_you_mean

__all__ = ["METHODS", "check_method", "settings_of"]

_COMMON = {"weights": "counts", "random_state": None}
_FOLDS = {"cv": 10, "se": 1.0, "loss": None, "holdout": None}

METHODS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ccp": {
            "alpha": None,
            "cp": None,
            "n_leaves": None,
            "risk": "impurity",
            "links": "book",
        },
        "ccp_cv": {**_FOLDS, "risk": "error", "cp_min": 0.0},
        "rep": {"holdout": 1 / 3, "empty": "prune", "refit": "values"},
        "pep": {"n_se": 1.0, "correction": 0.5},
        "ebp": {
            "cf": 0.25,
            "raising": True,
            "bound": "j48",
            "collapse": True,
            "slack": 0.1,
        },
        "mep": {"m": 2.0, "prior": "root"},
        "cvp": {
            "measure": "chi2",
            "significance": 0.05,
            "critical": None,
            "weighted": False,
            **_FOLDS,
        },
        "mdl": {"test_bits": None},
        "km": {"c": 1.0, "delta": 0.05},
    }
)
_WORDS: Mapping[str, tuple[Any, ...]] = {
    "risk": ("impurity", "error", "gini", "entropy", "cost"),
    "loss": (None, "error", "cost", "log_loss", "brier", "squared_error"),
    "empty": ("prune", "keep"),
    "links": ("book", "rpart"),
    "refit": ("values", "none", "grow"),
    "bound": ("j48", "c45", "exact"),
    "measure": ("chi2", "gini", "entropy", "score"),
    "weights": ("counts", "rows"),
}
_FLAGS = ("raising", "collapse", "weighted")
_FROM_ZERO = (
    *("alpha", "cp", "cp_min", "se", "n_se", "correction", "slack"),
    *("m", "c", "test_bits", "critical"),
)


def check_method(method: Any) -> str:
    """Refuse a method that does not exist; name the nearest."""
    if isinstance(method, str) and method in METHODS:
        return method
    hint = did_you_mean(method, METHODS, "; {}") or ";"
    raise ValueError(
        f"prune={method!r} is unknown{hint} the methods are {', '.join(METHODS)}"
    )


def settings_of(method: str, given: Any) -> dict[str, Any]:
    """Return the parameters of a method, with their defaults; refuse bad ones.

    Examples
    --------
    >>> from ramify.pruning.settings import settings_of
    >>> settings_of("mep", {"m": 5})["m"]
    5
    >>> settings_of("ebp", {"fc": 0.1})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: prune='ebp' has no parameter 'fc'; did you mean 'cf'? It has cf, ...
    """
    check_method(method)
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise ValueError(
            f"prune_params={given!r} is not allowed; use a dict such as {{'cf': 0.1}}"
        )
    known = {**METHODS[method], **_COMMON}
    for name, value in given.items():
        if name not in known:
            hint = did_you_mean(name, known, "{} ", cutoff=0.4)
            raise ValueError(
                f"prune={method!r} has no parameter {name!r}; {hint}It has "
                f"{', '.join(known)}"
            )
        _check(method, name, value, known[name])
    found = {**known, **given}
    _check_together(method, found)
    return found


def _check(method: str, name: str, value: Any, default: Any) -> None:
    if value is None and default is None:
        return
    good, right = _is_right(method, name, value)
    if not good:
        raise ValueError(
            f"prune={method!r} has {name}={value!r}, which is not allowed; use {right}"
        )


def _is_real(value: Any) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    return real and bool(abs(value) <= sys.float_info.max)


def _is_right(method: str, name: str, value: Any) -> tuple[bool, str]:
    """Return whether a value is allowed, and what would be."""
    if name in _WORDS:
        words = _WORDS[name]
        listing = ", ".join(map(repr, words[:-1])) + f" or {words[-1]!r}"
        return isinstance(value, str) and value in words, listing
    if name in _FLAGS:
        return isinstance(value, (bool, np.bool_)), "True or False"
    if name == "cf":
        return (
            _is_real(value) and 0 < value < 1,
            "a confidence in (0, 0.5] for bound='j48', in (0, 1) for the others",
        )
    if name in ("significance", "delta"):
        return _is_real(value) and 0 < value < 1, "a number in (0, 1)"
    if name == "n_leaves":
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return whole and value >= 1, "a whole number of at least 1"
    if name == "alpha" and value == "bic":
        return True, ""
    if name == "critical" and isinstance(value, str):
        return value == "cv", "a number of at least 0, 'cv' or None"
    if name == "prior" and isinstance(value, str):
        return value in ("root", "laplace"), "'root', 'laplace' or a share per class"
    if name in ("prior", "cv", "random_state", "holdout"):
        return True, ""  # judged where the rows are known
    assert name in _FROM_ZERO
    extra = ", or 'bic'" if name == "alpha" else ""
    return _is_real(value) and value >= 0, f"a number of at least 0{extra}"


def _check_together(method: str, found: dict[str, Any]) -> None:
    """Refuse parameters that contradict each other."""
    if method == "ccp":
        names = ("alpha", "cp", "n_leaves")
        given = [name for name in names if found[name] is not None]
        if len(given) != 1:
            which = ", ".join(f"{name}={found[name]!r}" for name in given) or "none"
            raise ValueError(
                "prune='ccp' takes exactly one of alpha, cp and n_leaves; it has "
                f"{which}"
            )
    if method == "ebp" and found["bound"] == "j48" and found["cf"] > 0.5:
        raise ValueError(
            f"prune='ebp' has cf={found['cf']!r}, which is not allowed; use a "
            "confidence in (0, 0.5] for bound='j48', in (0, 1) for the others"
        )
    if method == "cvp" and found["measure"] != "chi2" and found["critical"] is None:
        raise ValueError(
            f"prune='cvp' with measure={found['measure']!r} needs critical: a number, "
            "or 'cv'"
        )
