# SPDX-License-Identifier: BSD-3-Clause
"""What may be advised: methods and criteria, each as an estimator and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ramify import methods as catalogue
from ramify.comparison.entries import entries_of, settings_of
from ramify.comparison.repeat import code_of
from ramify.comparison.rows import wants_numbers
from ramify.datasets import Dataset
from ramify.estimators.tree import DecisionTreeRegressor, ObliqueTreeClassifier
from ramify.estimators.tuning.grid import tree_of

__all__ = ["BASELINE", "METHODS", "Candidate", "baseline_of", "candidates"]

BASELINE = "gini"

# Quick ones, each of another kind: impurity, ratio, distances for rare classes, class
# means, two that are pruned, and two that cut along weighted sums of columns.
METHODS = (
    BASELINE,
    *("entropy", "c45", "hellinger", "ihd", "ihdw", "dgmml"),
    *("j48", "cart_1se", "fisher", "wodt"),
)
_OBLIQUE = ("fisher", "wodt")
_MANY_COLUMNS = 150  # beyond, directions cost minutes


def baseline_of(data: Dataset) -> str:
    """Name what a choice must beat: gini, or squared_error of numbers."""
    return "squared_error" if data.is_regression else BASELINE


def _for_regression(data: Dataset) -> tuple[str, ...]:
    """Name the criteria for numbers that can learn these."""
    names = ["squared_error", "absolute_error"]
    if (data.y >= 0).all() and data.y.any():
        names.append("poisson")
    if (data.y > 0).all():
        names.append("gamma")
    return tuple(names)


@dataclass(frozen=True)
class Candidate:
    """A method that may be advised.

    Attributes
    ----------
    name : str
        Its name in tables.
    estimator : estimator
        The tree, with its seed and the categorical columns, not fitted.
    is_oblique : bool
        Whether it cuts along weighted sums of columns.
    flags : tuple of str or None
        The options of ``ramify fit``; None if it has none such.
    python : str
        The estimator as Python text.
    """

    name: str
    estimator: Any
    is_oblique: bool
    flags: tuple[str, ...] | None
    python: str


def candidates(
    methods: Sequence[Any] | None,
    data: Dataset,
    categorical: list[Any],
    random_state: int,
) -> tuple[list[Candidate], list[str]]:
    """Make the candidates, gini first, and say which were left out and why.

    `categorical` are names of columns, or places if they have no names.
    """
    baseline = baseline_of(data)
    usual = _for_regression(data) if data.is_regression else METHODS
    given = list(usual) if methods is None else _listed(methods)
    notes = []
    if methods is None and data.shape[1] > _MANY_COLUMNS:
        given = [name for name in given if name not in _OBLIQUE]
        notes.append(
            f"{' and '.join(_OBLIQUE)} left out: with {data.shape[1]} columns they "
            "are slow; name them among the methods to try them."
        )
    if baseline not in given:
        given.insert(0, baseline)
    has_missing = any(
        values.dtype == object or np.isnan(values).any()
        for values in data.columns.values()
    )
    found = []
    task = "regression" if data.is_regression else "classification"
    for entry in entries_of(given, task):
        if not hasattr(tree_of(entry.estimator), "_table"):
            raise ValueError(
                f"method {entry.name!r} is a {type(entry.estimator).__name__}, no tree "
                "of Ramify; ramify.compare takes any estimator."
            )
        if has_missing and wants_numbers(entry.estimator):
            notes.append(
                f"{entry.name} left out: it takes numbers without missing values only."
            )
            continue
        settings: dict[str, Any] = {"random_state": random_state}
        if categorical:
            settings["categorical_features"] = categorical
        found.append(_candidate(entry.name, entry.estimator, settings))
    found.sort(key=lambda one: one.name != baseline)
    return found, notes


def _listed(methods: Any) -> list[Any]:
    if isinstance(methods, str) or not isinstance(methods, Sequence):
        return [methods]
    return list(methods)


def _candidate(name: str, estimator: Any, settings: dict[str, Any]) -> Candidate:
    """Return an estimator its seed and the categorical columns, and put it in words."""
    shown = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    flags: tuple[str, ...] | None = None
    if name in catalogue.names():
        if catalogue.get(name).multiclass == "ova":
            settings["multiclass"] = "native"  # one tree, which can be saved and shown
            shown += ", multiclass='native'"
        tree = catalogue.make(name, **settings)
        flags = ("--method", name)
        python = f"ramify.methods.make({name!r}, {shown})"
    elif isinstance(getattr(estimator, "criterion", None), str) and name == str(
        estimator.criterion
    ):
        tree = clone(estimator).set_params(**settings)
        flags = ("--criterion", name)
        python = f"ramify.{type(tree).__name__}({name!r}, {shown})"
        if isinstance(tree, DecisionTreeRegressor):
            flags = ("--task", "regression", *flags)
    else:
        tree = clone(estimator).set_params(**settings)
        code = code_of(tree).text or settings_of(tree)
        python = f"ramify.{code}"
        if name == str(getattr(estimator, "criterion", None)):  # an expression
            flags = ("--criterion", name)
    if flags is not None:
        flags = (*flags, "--random-state", str(settings["random_state"]))
    return Candidate(name, tree, isinstance(tree, ObliqueTreeClassifier), flags, python)
