# SPDX-License-Identifier: BSD-3-Clause
"""The criteria of the engine, with their parameters, and `balanced` ones.

>>> from ramify.criteria import balanced, gini, tsallis
>>> tsallis(q=0.5) + balanced(gini)
tsallis(q=0.5) + balanced(gini)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ramify import _core
from ramify.criteria.parameters import Parameter, checked_params, encoded
from ramify.criteria.score import (
    Node,
    Normalised,
    Number,
    Pair,
    Score,
    Scores,
    TableScore,
    Then,
    as_tables,
)

__all__ = [
    "C45_RULES",
    "CRITERION_OF_METHOD",
    "REGISTRY",
    "Balanced",
    "Criterion",
    "balanced",
]

# C4.5 is gain ratio under Quinlan's rules; each is off by default.
C45_RULES: dict[str, Any] = {
    "threshold_cost": False,
    "average_gain": False,
    "min_branch": False,
}


@dataclass(frozen=True, repr=False)
class Criterion(TableScore):
    """A built-in criterion; call it on tables of class weights to get its scores.

    Called with parameters, by name, it gives the criterion with those.

    Attributes
    ----------
    name, summary, formula, reference : str
        What it is and where it comes from.
    family, advice : str
        Its place on the map of criteria, and when to use it.
    aliases : tuple of str
        Other names.
    parameters : tuple of Parameter
        What it takes: name, range and default of each.
    params : dict
        Parameters that were set to something else than their default.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    formula: str
    reference: str
    family: str
    advice: str
    parameters: tuple[Parameter, ...] = ()
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    def __call__(
        self, parent: Any = None, left: Any = None, right: Any = None, **params: Any
    ) -> Any:
        """Score m cuts, parent (K,), left and right (m, K); or set parameters."""
        if params or (parent is None and left is None and right is None):
            if parent is not None or left is not None or right is not None:
                raise TypeError(
                    f"{self.name}(...) takes parameters, by name, or tables of "
                    "weights, not both"
                )
            return self.with_params(params)
        if left is None or right is None:
            names = ", ".join(f"{each.name}=..." for each in self.parameters)
            raise TypeError(
                f"{self.name}({parent!r}) is no call of a criterion; give parameters "
                f"by name ({names or 'it has none'}), or the tables parent, left, right"
            )
        return self.scores(*as_tables(parent, left, right))

    def with_params(self, given: Mapping[str, Any]) -> Criterion:
        """Return the criterion with these parameters besides those it has."""
        if self.name == "gain_ratio":
            return replace(self, params={**self.params, **_checked_rules(given)})
        merged = {**self.params, **given}
        params = checked_params(self.name, self.parameters, merged)
        if self.name in _TOGETHER:
            defaults = {each.name: each.default for each in self.parameters}
            _TOGETHER[self.name]({**defaults, **params})
        return replace(self, params=params)

    @property
    def has_rules(self) -> bool:
        """Whether it is more than a formula: a way to choose among columns, too."""
        return any(self.params.get(rule) for rule in C45_RULES)

    def term(self) -> Score:
        """Return the criterion as a part of an expression, if it is a formula only."""
        if self.has_rules:
            which = "the rules of C4.5 first choose a cut per column"
            if self.name != "gain_ratio":
                which = "threshold_cost is about the choice among columns"
            raise TypeError(
                f"{self!r} cannot be a part of an expression: {which}; use the plain "
                f"{self.name}"
            )
        return self

    def settings(self) -> tuple[list[float], list[float]]:
        """Return the parameters as the engine reads them: numbers, and class shares."""
        return encoded(self.parameters, self.params)

    @property
    def properties(self) -> dict[str, bool]:
        """What holds with these parameters: `is_quasi_convex`, `counts`, and so on."""
        found: dict[str, bool] = dict(_core.criterion_info(self.name, *self.settings()))
        return found

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        if not self.params:
            return ("criterion", self.name)
        return ("criterion", self.name, *self.settings(), False)

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        return _scores(self, parent, left, is_balanced=False)

    def __repr__(self) -> str:
        if not self.params:
            return self.name
        params = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        if self.name == "gain_ratio":
            return f"get({self.name!r}, {params})"
        return f"{self.name}({params})"


def _scores(
    criterion: Criterion, parent: Scores, left: Scores, *, is_balanced: bool
) -> Scores:
    properties = criterion.properties
    if properties["needs_treatment"]:
        raise ValueError(
            f"criterion={criterion.name!r} needs more than class weights: who was "
            "treated; only a tree that is grown can compute it"
        )
    present = parent > 0
    if present.sum() < 2:
        return np.zeros(len(left))
    sums = np.ascontiguousarray(left[:, present].T).ravel()
    values, shares = criterion.settings()
    if shares and len(shares) != len(parent):
        raise ValueError(
            f"criterion={criterion!r} has {len(shares)} shares, and there are "
            f"{len(parent)} classes; give one per class"
        )
    places = np.flatnonzero(present) if shares or properties["is_ordered"] else ()
    return _core.score_cuts(
        criterion.name,
        parent[present],
        sums,
        values=values,
        shares=shares,
        balanced=is_balanced,
        classes=list(map(int, places)),
    )


def _checked_rules(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of C4.5 that were set, or refuse them."""
    for key, value in given.items():
        if key not in C45_RULES:
            raise ValueError(
                f"criterion_params has {key!r}, which criterion='gain_ratio' does not "
                f"take; it takes: {', '.join(C45_RULES)}"
            )
        if key == "min_branch":
            number = isinstance(value, (int, float, np.number))
            good, right = number and 0 <= value < np.inf, "True, False or a weight"
        else:
            good, right = isinstance(value, (bool, np.bool_)), "True or False"
        if not good:
            raise ValueError(f"criterion_params[{key!r}]={value!r} must be {right}")
    return dict(given)


def _check_two_power(params: Mapping[str, Any]) -> None:
    a, b = params["a"], params["b"]
    if not min(a, b) <= 1 <= max(a, b):
        raise ValueError(
            f"two_power(a={a!r}, b={b!r}) is no concave entropy; one of a and b must "
            "be at most 1 and the other at least 1"
        )


def _check_sharma_mittal(params: Mapping[str, Any]) -> None:
    q, r = params["q"], params["r"]
    if r < 2 - 1 / q:
        warnings.warn(
            f"sharma_mittal(q={q!r}, r={r!r}) is not concave, so gains may be "
            f"negative; it is for r of at least 2 - 1/q = {2 - 1 / q:g}",
            UserWarning,
            stacklevel=5,
        )


# What parameters must be together.
_TOGETHER: dict[str, Callable[[Mapping[str, Any]], None]] = {
    "two_power": _check_two_power,
    "sharma_mittal": _check_sharma_mittal,
}

# Methods that are more than their criterion: their names are no names of criteria.
CRITERION_OF_METHOD = {
    "c45": "gain_ratio",
    "cart": "gini",
    "ccpdt": "ccp_entropy",
    "hddt": "hellinger",
    "id3": "entropy",
}

REGISTRY: dict[str, Criterion] = {
    info["name"]: Criterion(
        name=info["name"],
        aliases=tuple(info["aliases"].split()),
        summary=info["summary"],
        formula=info["formula"],
        reference=info["reference"],
        family=info["family"],
        advice=info["advice"],
        parameters=tuple(map(Parameter.from_engine, info["parameters"])),
    )
    for info in _core.criteria()
}


# --- every class weighs the same ------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Balanced(TableScore):
    """A criterion that sees the share of each class on a side, not its weight."""

    inner: Criterion

    @property
    def name(self) -> str:
        """Its text."""
        return repr(self)

    @property
    def summary(self) -> str:
        """What it is."""
        return f"{self.inner.name} where every class of the node weighs the same."

    @property
    def formula(self) -> str:
        """Its formula."""
        return f"{self.inner.formula}\nwith n_tk / n_k in place of n_tk"

    def parts(self) -> tuple[Criterion, ...]:
        """Return what it is made of."""
        return (self.inner,)

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return ("criterion", self.inner.name, *self.inner.settings(), True)

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        return _scores(self.inner, parent, left, is_balanced=True)

    def __repr__(self) -> str:
        return f"balanced({self.inner!r})"


def balanced(criterion: Any) -> Any:
    """Let every class of a node weigh the same, whatever the criterion.

    The criterion is applied to the shares n_tk / n_k of the classes in place of their
    weights: exactly blind to how frequent the classes are.

    Parameters
    ----------
    criterion : criterion, or an expression of criteria
        One that does not count rows.

    Examples
    --------
    >>> from ramify.criteria import balanced, entropy, gini
    >>> balanced(gini)
    balanced(gini)
    >>> balanced(gini)([6, 4], left=[[5, 1]], right=[[1, 3]]).round(4)
    array([0.1713])
    >>> balanced(gini + 0.5 * entropy)
    balanced(gini) + 0.5 * balanced(entropy)
    """
    if isinstance(criterion, Criterion):
        criterion.term()  # complains if it is more than a formula
        properties = criterion.properties
        if properties["counts"] or properties["needs_treatment"]:
            raise ValueError(
                f"balanced({criterion!r}) makes no sense: {criterion.name!r} counts "
                "rows, and balanced shares are no rows"
            )
        return Balanced(criterion)
    if isinstance(criterion, (Number, Balanced)):
        return criterion
    if isinstance(criterion, Pair):
        return type(criterion)(balanced(criterion.first), balanced(criterion.second))
    if isinstance(criterion, Normalised):
        return Normalised(balanced(criterion.score), criterion.how)
    if isinstance(criterion, Then):
        return Then(balanced(criterion.score), tuple(map(balanced, criterion.ties)))
    raise TypeError(
        f"balanced() takes a built-in criterion, or sums and products of them, not "
        f"{criterion!r}"
    )
