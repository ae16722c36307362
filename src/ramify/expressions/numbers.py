# SPDX-License-Identifier: BSD-3-Clause
"""Criteria for trees that predict numbers: by name, or as a function of three sums."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ramify import _core
from ramify.expressions.functions import (
    CompiledCriterion,
    FunctionCriterion,
    compiled,
    function,
    is_compiled,
)

__all__ = ["NumberCriterion", "for_numbers", "number_names", "resolve_numeric"]

_PARAMS: dict[str, dict[str, Any]] = {"quantile": {"level": 0.5}}


@dataclass(frozen=True, repr=False)
class NumberCriterion:
    """A built-in criterion for numbers; its score is the drop of the impurity.

    Attributes
    ----------
    name, summary, formula, reference : str
        What it is.
    aliases : tuple of str
        Other names of it.
    is_exact_for_categories : bool
        Whether the categories in the order of their means are surely cut at the best
        of all subsets.
    params : dict
        Its parameters.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    formula: str
    reference: str
    is_exact_for_categories: bool
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def level(self) -> float:
        """The quantile that leaves predict, where they predict one."""
        return float(self.params.get("level", 0.5))

    def __repr__(self) -> str:
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"for_numbers({self.name!r}{params})"


_REGISTRY: dict[str, NumberCriterion] = {
    info["name"]: NumberCriterion(
        name=info["name"],
        aliases=tuple(info["aliases"].split()),
        summary=info["summary"],
        formula=info["formula"],
        reference=info["reference"],
        is_exact_for_categories=info["is_convex"],
        params=dict(_PARAMS.get(info["name"], {})),
    )
    for info in _core.number_criteria()
}
_ALIASES = {alias: one.name for one in _REGISTRY.values() for alias in one.aliases}


def number_names() -> list[str]:
    """List the criteria for numbers."""
    return sorted(_REGISTRY)


def for_numbers(name: str, **params: Any) -> NumberCriterion:
    """Give a built-in criterion for numbers by its name or alias.

    Parameters
    ----------
    name : str
        One of ``ramify.criteria.names("regression")``, or an alias such as "mse".
    **params
        Parameters: "quantile" has ``level``, between 0 and 1.

    Examples
    --------
    >>> import ramify
    >>> ramify.criteria.for_numbers("mse").name
    'squared_error'
    >>> ramify.criteria.for_numbers("quantile", level=0.9)
    for_numbers('quantile', level=0.9)
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a criterion is a str, not {name!r}")
    key = _ALIASES.get(name, name)
    if key not in _REGISTRY:
        raise ValueError(f"criterion={name!r} {_why_unknown(name)}")
    return _with_params(_REGISTRY[key], params)


def is_for_numbers(name: str) -> bool:
    """Tell whether a name is that of a criterion for numbers."""
    return _ALIASES.get(name, name) in _REGISTRY


def _why_unknown(name: str) -> str:
    close = difflib.get_close_matches(name, [*_REGISTRY, *_ALIASES], n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return (
        f"is unknown for numbers; {hint}ramify.criteria.names('regression') lists "
        f"all {len(_REGISTRY)}"
    )


def _with_params(
    criterion: NumberCriterion, params: Mapping[str, Any]
) -> NumberCriterion:
    for key, value in params.items():
        if key not in criterion.params:
            listing = ", ".join(criterion.params) or "none"
            raise ValueError(
                f"criterion_params has {key!r}, which criterion={criterion.name!r} "
                f"does not take; it takes: {listing}"
            )
        is_number = isinstance(value, (int, float, np.number))
        if isinstance(value, bool) or not is_number or not 0 < value < 1:
            raise ValueError(
                f"criterion_params[{key!r}]={value!r} must be between 0 and 1, such "
                "as 0.9"
            )
    merged = {**criterion.params, **params}
    return NumberCriterion(**{**criterion.__dict__, "params": merged})


def resolve_numeric(
    criterion: Any, params: Mapping[str, Any] | None
) -> NumberCriterion | FunctionCriterion | CompiledCriterion:
    """Give what a regressor's `criterion=` and `criterion_params=` mean."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"criterion_params={params!r} must be a dict or None")
    if isinstance(criterion, str):
        return for_numbers(criterion, **(params or {}))
    if isinstance(criterion, NumberCriterion):
        return _with_params(criterion, params or {})
    if params:
        raise ValueError(
            f"criterion_params={dict(params)!r} was given, but criterion="
            f"{criterion!r} has its numbers in itself; only names take parameters"
        )
    if isinstance(criterion, (FunctionCriterion, CompiledCriterion)):
        return criterion
    if is_compiled(criterion):
        return compiled(criterion)
    if callable(criterion) and not isinstance(criterion, type):
        if hasattr(criterion, "formula") or hasattr(criterion, "term"):
            raise TypeError(
                f"criterion={criterion!r} judges classes, and y holds numbers; use one "
                "of ramify.criteria.names('regression')"
            )
        return function(criterion)
    raise TypeError(
        f"criterion={criterion!r} is not a criterion for numbers; give a name of "
        "ramify.criteria.names('regression'), a function f(parent, left, right) of "
        "(weight, sum, sum of squares) or a compiled function pointer"
    )
