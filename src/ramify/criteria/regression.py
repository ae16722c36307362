# SPDX-License-Identifier: BSD-3-Clause
"""Criteria for regression trees: by name, or as a function of three sums."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ramify import _core
from ramify.criteria.entry_points import PLUGINS
from ramify.criteria.functions import (
    CompiledCriterion,
    FunctionCriterion,
    compiled,
    function,
    is_compiled,
)
from ramify.criteria.named import REGRESSION_FUNCTIONS, RegisteredCriterion
from ramify.criteria.parameters import Parameter, checked_params, encoded
from ramify.messages import did_you_mean

__all__ = [
    "NumberCriterion",
    "add_regression_criterion",
    "for_regression",
    "forget_regression_criterion",
    "is_for_regression",
    "number_names",
    "resolve_numeric",
]


@dataclass(frozen=True, repr=False)
class NumberCriterion:
    """A built-in criterion for numbers; its score is the drop of the impurity.

    Attributes
    ----------
    name, summary, formula, reference : str
        What it is.
    family, advice : str
        Its place on the map of criteria, and when to use it.
    aliases : tuple of str
        Other names of it.
    is_exact_for_categories : bool
        Whether the categories in the order of their means are surely cut at the best
        of all subsets.
    parameters : tuple of Parameter
        What it takes: name, range and default of each.
    params : dict
        Its parameters.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    formula: str
    reference: str
    family: str
    advice: str
    is_exact_for_categories: bool
    parameters: tuple[Parameter, ...] = ()
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def level(self) -> float:
        """The quantile that leaves predict, where they predict one."""
        return float(self.params.get("level", 0.5))

    def settings(self) -> list[float]:
        """Return the parameters as the engine reads them."""
        return encoded(self.parameters, self.params)[0]

    def __call__(self, **params: Any) -> NumberCriterion:
        """Return the criterion with other parameters."""
        return _with_params(self, params)

    def __repr__(self) -> str:
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"for_regression({self.name!r}{params})"


_REGISTRY: dict[str, NumberCriterion] = {
    info["name"]: NumberCriterion(
        name=info["name"],
        aliases=tuple(info["aliases"].split()),
        summary=info["summary"],
        formula=info["formula"],
        reference=info["reference"],
        family=info["family"],
        advice=info["advice"],
        is_exact_for_categories=info["is_quasi_convex"],
        parameters=tuple(map(Parameter.from_engine, info["parameters"])),
        params={
            each["name"]: Parameter.from_engine(each).default
            for each in info["parameters"]
        },
    )
    for info in _core.regression_criteria()
}
_ALIASES = {alias: one.name for one in _REGISTRY.values() for alias in one.aliases}


def number_names() -> list[str]:
    """List the built-in criteria for numbers."""
    return sorted(_REGISTRY)


def for_regression(name: str, **params: Any) -> NumberCriterion | RegisteredCriterion:
    """Return a criterion for numbers, built in or registered, by its name or alias.

    Parameters
    ----------
    name : str
        One of ``ramify.criteria.names("regression")``, or an alias such as "mse".
    **params
        Parameters, such as ``level`` of "quantile"; the attribute ``parameters`` of a
        criterion lists them.

    Examples
    --------
    >>> import ramify
    >>> ramify.criteria.for_regression("mse").name
    'squared_error'
    >>> ramify.criteria.for_regression("quantile", level=0.9)
    for_regression('quantile', level=0.9)
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a criterion is a str, not {name!r}")
    key = _ALIASES.get(name, name)
    if key not in _REGISTRY:
        if key not in REGRESSION_FUNCTIONS and PLUGINS.load():
            key = _ALIASES.get(name, name)
        if key in REGRESSION_FUNCTIONS:
            return REGRESSION_FUNCTIONS[key].with_params(params)
        raise ValueError(f"criterion={name!r} {_why_unknown(name)}")
    return _with_params(_REGISTRY[key], params)


def is_for_regression(name: str) -> bool:
    """Return whether a name is that of a criterion for numbers."""
    key = _ALIASES.get(name, name)
    return key in _REGISTRY or key in REGRESSION_FUNCTIONS


def add_regression_criterion(criterion: RegisteredCriterion) -> None:
    """Add a registered function of sums of targets to the catalogue."""
    REGRESSION_FUNCTIONS[criterion.name] = criterion
    _ALIASES.update(dict.fromkeys(criterion.aliases, criterion.name))


def forget_regression_criterion(name: str) -> None:
    """Remove a registered regression criterion, and its aliases."""
    REGRESSION_FUNCTIONS.pop(name, None)
    for alias in [alias for alias, key in _ALIASES.items() if key == name]:
        del _ALIASES[alias]


def _why_unknown(name: str) -> str:
    known = [*_REGISTRY, *_ALIASES, *REGRESSION_FUNCTIONS]
    hint = did_you_mean(name, known, "{} ")
    return (
        f"is unknown for numbers; {hint}ramify.criteria.names('regression') lists "
        f"all {len(_REGISTRY) + len(REGRESSION_FUNCTIONS)}"
    )


def _with_params(
    criterion: NumberCriterion, params: Mapping[str, Any]
) -> NumberCriterion:
    merged = {**criterion.params, **params}
    checked = checked_params(criterion.name, criterion.parameters, merged)
    defaults = {each.name: each.default for each in criterion.parameters}
    return replace(criterion, params={**defaults, **checked})


_CALL = re.compile(r"(?P<name>\w+)\(.*\)", re.DOTALL)


def _read(text: str) -> dict[str, Any]:
    """Return the parameters in a text such as ``tweedie(power=1.5)``."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Call) and not call.args:
            return {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
    except (SyntaxError, ValueError):
        pass
    raise ValueError(
        f"criterion={text!r} cannot be read; write such as 'tweedie(power=1.5)'"
    )


def resolve_numeric(
    criterion: Any, params: Mapping[str, Any] | None
) -> NumberCriterion | FunctionCriterion | CompiledCriterion:
    """Return what a regressor's `criterion=` and `criterion_params=` mean."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"criterion_params={params!r} must be a dict or None")
    if isinstance(criterion, str):
        called = _CALL.fullmatch(criterion.strip())
        if called is None:
            return for_regression(criterion, **(params or {}))
        return for_regression(called["name"], **{**_read(criterion), **(params or {})})
    if isinstance(criterion, NumberCriterion):
        return _with_params(criterion, params or {})
    if isinstance(criterion, RegisteredCriterion) and params:
        return criterion.with_params(params)
    if params:
        raise ValueError(
            f"criterion_params={dict(params)!r} was given with criterion="
            f"{criterion!r}; criterion_params applies to named criteria only"
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
