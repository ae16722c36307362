# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue of published methods: name → estimator, parameters and reference."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ramify import criteria
from ramify.estimators.single import DecisionTreeClassifier

__all__ = ["Method", "get", "make", "names"]


@dataclass(frozen=True)
class Method:
    """A published way to grow trees, as parameters of an estimator.

    Attributes
    ----------
    name : str
        Short name.
    summary : str
        What it does, in one sentence.
    reference : str
        Where it was published.
    parameters : mapping
        What is passed to the estimator; all else is the estimator's default.
    estimator : type
        The estimator that runs it.
    """

    name: str
    summary: str
    reference: str
    parameters: Mapping[str, Any]
    estimator: type[Any] = DecisionTreeClassifier

    def make(self, **overrides: Any) -> Any:
        """Give an estimator that is ready to be fitted."""
        return self.estimator(**{**copy.deepcopy(dict(self.parameters)), **overrides})


def names() -> list[str]:
    """Give the names of all methods.

    Examples
    --------
    >>> import ramify
    >>> ramify.methods.names()[:4]
    ['id3', 'c45', 'cart', 'misclassification']
    """
    return list(_METHODS)


def get(name: str) -> Method:
    """Give the method of that name."""
    if name in _METHODS:
        return _METHODS[name]
    near = difflib.get_close_matches(str(name).casefold(), _METHODS, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"method {name!r} is unknown; {hint}ramify.methods.names() lists all "
        f"{len(_METHODS)}."
    )


def make(name: str, **overrides: Any) -> Any:
    """Give the estimator of a method, with other parameters where you name them.

    Examples
    --------
    >>> import ramify
    >>> tree = ramify.methods.make("c45", max_depth=2)
    >>> tree = tree.fit([["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]], [0, 1, 0, 1])
    >>> print(ramify.export_text(tree))
    x0 in {a}: 0 (2 of 2)
    x0 in {b}: 1 (2 of 2)
    """
    return get(name).make(**overrides)


def _by_criterion(name: str, criterion: str, **parameters: Any) -> Method:
    """Give a method that is a criterion and perhaps a few parameters."""
    known = criteria.get(criterion)
    return Method(
        name,
        known.summary,
        known.reference,
        {"criterion": criterion, **parameters},
    )


_C45_RULES = {"threshold_cost": True, "average_gain": True, "min_branch": True}

_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "id3",
            "Information gain, one branch per category, no pruning.",
            "Quinlan (1986), Induction of Decision Trees",
            {"criterion": "entropy", "categories": "multiway"},
        ),
        Method(
            "c45",
            "Gain ratio with the rules of release 8, one branch per category, rows "
            "with missing values in all branches; not pruned.",
            "Quinlan (1993), C4.5: Programs for Machine Learning; Quinlan (1996), "
            "Improved Use of Continuous Attributes in C4.5",
            {
                "criterion": "gain_ratio",
                "criterion_params": _C45_RULES,
                "categories": "multiway",
                "missing": "fractional",
            },
        ),
        _by_criterion("cart", "gini"),
        _by_criterion("misclassification", "misclassification"),
        _by_criterion("twoing", "twoing"),
        _by_criterion("cart_measure", "cart_measure"),
        _by_criterion("dcsm", "dcsm"),
        _by_criterion("hddt", "hellinger", laplace=True),
        _by_criterion("ccpdt", "ccp_entropy"),
        _by_criterion("ihd", "ihd"),
        _by_criterion("ihdw", "ihdw"),
        Method(
            "chaid",
            "Merges categories that do not differ, and splits into all groups of the "
            "column with the smallest adjusted p.",
            "Kass (1980), An Exploratory Technique for Investigating Large Quantities "
            "of Categorical Data",
            {"splitter": "chaid"},
        ),
        Method(
            "quest",
            "Chooses the column by tests of means and spreads, its cut by quadratic "
            "discriminant analysis.",
            "Loh, Shih (1997), Split Selection Methods for Classification Trees",
            {"splitter": "quest"},
        ),
    )
}
