# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of an oblique tree are allowed: one table of methods."""

from __future__ import annotations

import math
import numbers
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ramify.criteria.planning import judges_sides
from ramify.messages import did_you_mean

__all__ = [
    "METHOD_PARAMS",
    "NUMBER_PARAMS",
    "check_oblique",
    "compares_axis",
    "known_methods",
    "method_params",
    "native_params",
]


@dataclass(frozen=True)
class _Setting:
    """A setting of a method: its default, and what it may be."""

    default: Any

    def allows(self, value: Any) -> bool:
        raise NotImplementedError

    @property
    def right(self) -> str:
        """What would be allowed, in words."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Number(_Setting):
    """A number: whole or real, and between which bounds."""

    least: float = 0
    most: float = math.inf
    whole: bool = False
    optional: bool = False
    open: bool = False  # must be above `least`

    def allows(self, value: Any) -> bool:
        if value is None:
            return self.optional
        kind = numbers.Integral if self.whole else numbers.Real
        if not isinstance(value, kind) or isinstance(value, (bool, np.bool_)):
            return False
        number: Any = value  # as it is: a float may not hold it
        above = number > self.least if self.open else number >= self.least
        return bool(above and number <= min(self.most, sys.float_info.max))

    @property
    def right(self) -> str:
        text = "a whole number" if self.whole else "a number"
        text += (
            f" above {self.least:g}" if self.open else f" of at least {self.least:g}"
        )
        if self.most < _MAX:
            text += f" and at most {self.most:g}"
        return text + (", or None" if self.optional else "")


@dataclass(frozen=True)
class _Choice(_Setting):
    """One of a few words, or a switch."""

    words: tuple[Any, ...] = (True, False)

    def allows(self, value: Any) -> bool:
        if self.words == (True, False):
            return isinstance(value, (bool, np.bool_))
        return isinstance(value, str) and value in self.words

    @property
    def right(self) -> str:
        return " or ".join(map(repr, self.words))


@dataclass(frozen=True)
class _Methods(_Setting):
    """Some of the other methods, each once, by name."""

    def allows(self, value: Any) -> bool:
        if not isinstance(value, (list, tuple)) or not value:
            return False
        is_known = all(
            isinstance(name, str) and name in METHOD_PARAMS and name not in _NO_MEMBERS
            for name in value
        )
        return is_known and len(set(value)) == len(value)

    @property
    def right(self) -> str:
        but = " and ".join(map(repr, _NO_MEMBERS))
        return f"a list of different methods, of all but {but}"


@dataclass(frozen=True)
class _NumberMethods(_Setting):
    """Some of the other methods for numbers, each once, by name."""

    def allows(self, value: Any) -> bool:
        if not isinstance(value, (list, tuple)) or not value:
            return False
        is_known = all(
            isinstance(name, str) and name in NUMBER_PARAMS and name not in _NO_MEMBERS
            for name in value
        )
        return is_known and len(set(value)) == len(value)

    @property
    def right(self) -> str:
        but = " and ".join(map(repr, _NO_MEMBERS))
        return f"a list of different methods for numbers, of all but {but}"


_MAX = 2**31 - 1


def _whole(default: int | None, least: int, optional: bool = False) -> _Number:
    return _Number(default, least, _MAX, whole=True, optional=optional)


_WODT: dict[str, _Setting] = {
    "n_restarts": _whole(3, 0),
    "max_iter": _whole(1000, 1),
    "memory": _Number(10, 1, 1000, whole=True),
    "tol": _Number(1e-5, 0),
    "cut": _Choice("sign", ("sign", "scan")),
}
_OC1: dict[str, _Setting] = {
    "n_starts": _whole(20, 1),
    "n_kicks": _whole(5, 0),
    "order": _Choice("sequential", ("sequential", "best_first", "random")),
    "n_random_steps": _whole(50, 1),
    "min_samples_oblique": _whole(None, 0, optional=True),
}
_CART_LC: dict[str, _Setting] = {
    "standardize": _Choice(True),
    "tol": _Number(1e-4, 0),
    "max_cycles": _whole(100, 1),
    "backward_deletion": _Number(0.0, 0, 1),
}
_CO2: dict[str, _Setting] = {
    "nu": _Number(4.0, 0, open=True),
    "eta": _Number(0.01, 0, open=True),
    "max_outer": _whole(50, 1),
    "tol": _Number(1e-3, 0),
    "decay": _Choice(False),
}
_CUT = {"cut": _Choice("search", ("search", "own"))}
METHOD_PARAMS: dict[str, dict[str, _Setting]] = {
    "wodt": _WODT,
    "wodt_l1": {**_WODT, "penalty": _Number(1e-3, 0), "debias": _Choice(True)},
    "oc1": _OC1,
    "oc1r": _OC1,
    "cart_lc": _CART_LC,
    "cart_lcr": _CART_LC,
    "co2": _CO2,
    "co2r": _CO2,
    "dgmml_mdt": {
        "split_point": _Choice("gap", ("gap", "median", "mean")),
        "n_gap_points": _whole(10, 2),
        "signed": _Choice(True),
    },
    "fisher": {
        "ridge": _Number(1e-6, 0),
        "superclasses": _Choice("two_means", ("two_means", "ova")),
    },
    "random_sparse": {
        "n_directions": _whole(None, 1, optional=True),
        "n_terms": _whole(3, 1, optional=True),
        "density": _Number(None, 0, 1, optional=True, open=True),
        "binary": _Choice(True),
    },
    "ridge": {"penalty": _Number(1.0, 0, 1e6), **_CUT},
    "logistic": {"penalty": _Number(1.0, 0, 1e6, open=True), **_CUT},
    "svm": {"C": _Number(1.0, 0, 1e6, open=True), **_CUT},
    "mpsvm": {
        "grouping": _Choice("bhattacharyya", ("bhattacharyya", "largest")),
        "delta": _Number(0.01, 0, open=True),
        **_CUT,
    },
    "hhcart": {"variant": _Choice("D", ("D", "A"))},
    "cca": {"bootstrap": _Choice(False)},
    "pptree": {
        "index": _Choice("lda", ("lda", "pda")),
        "shrinkage": _Number(0.1, 0, 1),
        **_CUT,
    },
    "cart_elc": {
        "n_points": _Number(2, 1, 3, whole=True),
        "max_planes": _Number(200_000, 1, 10_000_000, whole=True),
    },
    "heterogeneous": {
        "methods": _Methods(("ridge", "fisher", "mpsvm", "logistic", "svm"))
    },
    "rotation": {
        "group_size": _whole(3, 1),
        "share": _Number(0.75, 0, 1, open=True),
    },
}
# Of methods that direct a tree of numbers.
NUMBER_PARAMS: dict[str, dict[str, _Setting]] = {
    "ridge": METHOD_PARAMS["ridge"],
    **{
        name: METHOD_PARAMS[name]
        for name in (
            *("cca", "random_sparse", "rotation", "logistic", "svm", "mpsvm"),
            *("fisher", "pptree", "hhcart", "dgmml_mdt"),
        )
    },
    "heterogeneous": {
        "methods": _NumberMethods(("ridge", "logistic", "svm", "fisher"))
    },
}
_NO_MEMBERS = ("heterogeneous", "rotation")  # they turn nodes over to others, or trees
_WITHOUT_AXIS = ("wodt", "wodt_l1", "co2r", "dgmml_mdt")


def compares_axis(model: Any) -> bool:
    """Return whether a hyperplane must be better than the best split of one column."""
    if model.compare_axis is not None:
        return bool(model.compare_axis)
    return model.method not in _WITHOUT_AXIS or bool(model.combine)


def known_methods(model: Any) -> dict[str, dict[str, _Setting]]:
    """Return the methods that a model may have: for classes, or for numbers."""
    of_numbers = getattr(model, "_is_regression", False)  # a forest says nothing
    return NUMBER_PARAMS if of_numbers else METHOD_PARAMS


def method_params(model: Any) -> dict[str, Any]:
    """Return the settings of the method, with their defaults."""
    known = known_methods(model)[model.method]
    given = model.method_params or {}
    for name, value in given.items():
        if name not in known:
            raise ValueError(
                f"method={model.method!r} has no parameter {name!r}; it has "
                f"{', '.join(known)}"
            )
        if not known[name].allows(value):
            raise ValueError(
                f"method_params has {name}={value!r}, which is not allowed; use "
                f"{known[name].right}"
            )
    return {**{name: each.default for name, each in known.items()}, **given}


def native_params(model: Any) -> dict[str, Any]:
    """Return the settings as the engine reads them, those of all members included.

    A member has its defaults, and Fisher's discriminant one class against the rest, as
    the others.
    """
    own = method_params(model)
    if model.method != "heterogeneous":
        return own
    settings = {
        name: {key: each.default for key, each in known_methods(model)[name].items()}
        for name in own["methods"]
    }
    if "fisher" in settings:
        settings["fisher"]["superclasses"] = "ova"
    return {"methods": list(own["methods"]), "settings": settings}


def check_oblique(model: Any, criterion: Any) -> None:
    """Refuse what an oblique tree has no answer to."""
    known = known_methods(model)
    if not isinstance(model.method, str) or model.method not in known:
        hint = did_you_mean(model.method, known, "{} Use") or "use"
        why = _why_no_numbers(model.method) if model._is_regression else ""
        raise ValueError(
            f"method={model.method!r} is not allowed{why}; {hint} one of "
            f"{', '.join(known)}"
        )
    given = model.method_params
    terms = _whole(None, 1, optional=True)
    for name, allowed, right in (
        ("scale", model.scale in ("global", "node", None), "'global', 'node' or None"),
        ("max_terms", terms.allows(model.max_terms), terms.right),
        (
            "compare_axis",
            model.compare_axis is None or isinstance(model.compare_axis, bool),
            "True, False or None",
        ),
        ("missing", model.missing != "fractional", "'both', 'left', 'right', 'error'"),
        ("categories", model.categories != "multiway", "'subset' or 'one_vs_rest'"),
        (
            "combine",
            model.combine is None or _is_listing(model.combine),
            "a list of lists of columns, such as [['age', 'income']], or None",
        ),
        ("method_params", given is None or isinstance(given, dict), "a dict or None"),
    ):
        if not allowed:
            raise ValueError(
                f"{name}={getattr(model, name)!r} is not allowed in an oblique tree; "
                f"use {right}"
            )
    method_params(model)
    if model.method == "rotation":
        _check_rotation(model)
    if model._is_regression:
        _check_number_criterion(model, criterion)
    elif not judges_sides(criterion):
        raise ValueError(
            f"criterion={model.criterion!r} is not allowed in an oblique tree, which "
            "needs a formula of the class weights on either side; use a name such as "
            "'entropy', 'gini' or 'hellinger', a sum of such, or a function"
        )


def _why_no_numbers(method: Any) -> str:
    """Say why a method of classes directs no tree of numbers."""
    if method in ("co2", "co2r"):
        return " where numbers are predicted: its bound is one of class losses"
    if isinstance(method, str) and method in METHOD_PARAMS:
        return " where numbers are predicted: its search counts classes"
    return ""


def _check_number_criterion(model: Any, criterion: Any) -> None:
    name = getattr(criterion, "name", "")
    if name in ("", "absolute_error", "quantile", "crps"):
        raise ValueError(
            f"criterion={model.criterion!r} is not allowed in an oblique tree, which "
            "judges by weight and sum of the numbers on either side; use "
            "'squared_error', 'poisson', 'gamma', 'tweedie' or 'negative_binomial'"
        )


def _check_rotation(model: Any) -> None:
    """Refuse what has no place where columns are turned before the tree grows."""
    for name, allowed, right in (
        ("scale", model.scale != "node", "'global' or None"),
        ("combine", model.combine is None, "None"),
        ("max_terms", model.max_terms is None, "None, and group_size of method_params"),
        (
            "compare_axis",
            model.compare_axis is None
            or (model._is_regression and model.compare_axis is True),
            "None",
        ),
    ):
        if not allowed:
            raise ValueError(
                f"{name}={getattr(model, name)!r} cannot be used with "
                f"method='rotation', which turns the columns of the whole tree; use "
                f"{right}"
            )


def _is_listing(combine: Any) -> bool:
    return (
        isinstance(combine, (list, tuple))
        and len(combine) > 0
        and all(isinstance(group, (list, tuple, np.ndarray)) for group in combine)
    )
