# SPDX-License-Identifier: BSD-3-Clause
"""Functions with a name: criteria that a user or another package registers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ramify.criteria.functions import FunctionCriterion, function
from ramify.criteria.parameters import Parameter, checked_params

__all__ = ["FUNCTIONS", "REGRESSION_FUNCTIONS", "RegisteredCriterion", "named_function"]


@dataclass(frozen=True, repr=False)
class RegisteredCriterion(FunctionCriterion):
    """A NumPy function that has a name among the criteria; see `register`.

    Called with parameters, by name, it gives the criterion with those.

    Attributes
    ----------
    name, summary, formula, reference, bibtex : str
        What it is and where it was published.
    aliases : tuple of str
        Other names.
    parameters : tuple of Parameter
        The keyword-only arguments of the function, with their defaults.
    params : dict
        Parameters that were set to something else than their default.
    """

    name: str = ""
    summary: str = ""
    formula: str = ""
    reference: str = ""
    bibtex: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    def __call__(
        self, parent: Any = None, left: Any = None, right: Any = None, **params: Any
    ) -> Any:
        """Score m cuts, parent (K,), left and right (m, K); or set parameters."""
        if parent is None and left is None and right is None:
            return self.with_params(params)
        if params:
            raise TypeError(
                f"{self.name}(...) takes parameters, by name, or tables of weights, "
                "not both"
            )
        return super().__call__(parent, left, right)

    def with_params(self, given: Mapping[str, Any]) -> RegisteredCriterion:
        """Return the criterion with these parameters besides those it has."""
        merged = {**self.params, **given}
        params = checked_params(self.name, self.parameters, merged)
        plain = self.judge
        if isinstance(plain, functools.partial) and self.params:
            plain = plain.func
        judge = functools.partial(plain, **params) if params else plain
        return replace(self, judge=judge, params=params)

    def __repr__(self) -> str:
        if not self.params:
            return self.name
        params = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.name}({params})"


# What was registered, by name: criteria of classification and of regression.
FUNCTIONS: dict[str, RegisteredCriterion] = {}
REGRESSION_FUNCTIONS: dict[str, RegisteredCriterion] = {}


def named_function(
    name: str, judge: Callable[..., Any] | FunctionCriterion, **details: Any
) -> RegisteredCriterion:
    """Return a function as a criterion with a name, a summary and parameters."""
    made = judge if isinstance(judge, FunctionCriterion) else function(judge)
    said = (inspect.getdoc(made.judge) or "").strip()
    details["summary"] = details.get("summary") or " ".join(
        said.partition("\n\n")[0].split()
    )
    return RegisteredCriterion(
        made.judge,
        made.tie_break,
        made.allow_zero_gain,
        made.quasi_convex,
        made.by_cut,
        name=name,
        parameters=_parameters_of(made.judge),
        **details,
    )


def _parameters_of(judge: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the keyword-only arguments of a function that have a default."""
    try:
        known = inspect.signature(judge).parameters.values()
    except (TypeError, ValueError):  # of some functions written in C
        return ()
    return tuple(
        Parameter(each.name, "any", each.default)
        for each in known
        if each.kind is each.KEYWORD_ONLY and each.default is not each.empty
    )
