# SPDX-License-Identifier: BSD-3-Clause
"""The entries of a parameter grid, each as an estimator ready to be fitted."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ramify import methods
from ramify.criteria import catalogue, resolve_numeric
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.validation.parameters import splitter_params
from ramify.messages import did_you_mean

__all__ = ["Entry", "default_grid", "entries", "tree_of"]

# Ranges that papers search: k and w2 of Du, Chen (2023), alpha of Yan et al. (2019).
_RANGES: dict[str, list[Any]] = {
    "w2": [0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1],
    "k": [2, 3, 5, 7, 10, 15, 20, 30],
    "alpha": [0.0, 0.25, 0.5, 0.75, 1.0],
}


# Members of families worth a look, by parameter of a criterion.
_FAMILY: dict[str, list[Any]] = {
    "q": [0.5, 1.0, 1.5, 2.0, 3.0],
    "r": [0.5, 1.0, 2.0],
    "alpha": [0.25, 0.5, 1.0, 5 / 3, 2.0],
    "s": [0.0, 0.5, 1.0, 2.0],
    "mode": ["ovr_max", "ovo_max", "ovr_mean", "ovo_mean"],
    "kind": ["kl", "ed", "chi"],
}


@dataclass(frozen=True)
class Entry:
    """One choice of a grid.

    Attributes
    ----------
    params : dict
        What the grid says; ``{"estimator": ...}`` if it lists an estimator itself.
    model : estimator
        The estimator with these parameters, not fitted.
    """

    params: dict[str, Any]
    model: Any


def entries(
    estimator: Any, param_grid: Any, default: type[Any] = DecisionTreeClassifier
) -> list[Entry]:
    """List the entries of a grid in the order in which it is written.

    Parameters
    ----------
    estimator : estimator, str or None
        What the parameters belong to: a tree, or the name of a method.
    param_grid : dict, list or None
        Lists of values by parameter; or several such dicts, estimators and names.
    default : class, default=DecisionTreeClassifier
        What is tuned if no estimator is given; it says what is predicted, too.

    Examples
    --------
    >>> from ramify.estimators.tuning.grid import entries
    >>> for entry in entries("csn", {"k": [2, 3], "max_depth": [None, 4]}):
    ...     print(entry.params)
    {'k': 2, 'max_depth': None}
    {'k': 2, 'max_depth': 4}
    {'k': 3, 'max_depth': None}
    {'k': 3, 'max_depth': 4}
    """
    base = _base(estimator, "estimator", default)
    grid = default_grid(base) if param_grid is None else param_grid
    parts = [grid] if isinstance(grid, Mapping) else grid
    if isinstance(parts, str) or not isinstance(parts, Iterable):
        raise TypeError(
            f"param_grid={param_grid!r} is not allowed; use a dict such as "
            "{'max_depth': [3, 5]}, a list of such dicts, or a list of estimators"
        )
    parts = list(parts)
    if not any(parts):
        raise ValueError(
            f"param_grid={param_grid!r} is empty, so there is nothing to choose from; "
            "give at least one parameter with its values, such as "
            "{'max_depth': [3, 5]}"
        )
    return [entry for part in parts for entry in _entries_of(base, part, default)]


def default_grid(estimator: Any) -> dict[str, list[Any]]:
    """Return the ranges of a method's k, w2 and alpha, or sizes of leaves.

    >>> from ramify.estimators.tuning.grid import default_grid
    >>> default_grid("csn")
    {'k': [2, 3, 5, 7, 10, 15, 20, 30]}
    >>> default_grid("cart")
    {'min_samples_leaf': [1, 2, 5, 10, 20]}
    """
    model = _made(estimator, {}) if isinstance(estimator, str) else estimator
    if _is_of_numbers(tree_of(model)):
        return {"min_samples_leaf": [1, 2, 5, 10, 20]}
    criterion = tree_of(model).criterion
    known = catalogue.parameters_of(criterion)
    ranges = _FAMILY if catalogue.is_family(criterion) else _RANGES
    own = {name: list(values) for name, values in ranges.items() if name in known}
    return own or {"min_samples_leaf": [1, 2, 5, 10, 20]}


def tree_of(model: Any) -> Any:
    """Return the tree that an estimator grows, once or several times."""
    if not isinstance(model, OneVsRestTreeClassifier):
        return model
    return DecisionTreeClassifier() if model.estimator is None else model.estimator


def _base(estimator: Any, what: str, default: type[Any]) -> Any:
    """Return what parameters belong to: the name of a method, or a tree."""
    if not isinstance(estimator, str):
        return _checked(estimator, what, default)
    if default._is_regression:
        raise ValueError(
            f"{estimator!r} is given by name, and methods with names grow trees of "
            "classes; give a tree such as DecisionTreeRegressor()"
        )
    return estimator


def _is_of_numbers(tree: Any) -> bool:
    return bool(getattr(tree, "_is_regression", False))


def _entries_of(base: Any, part: Any, default: type[Any]) -> Iterator[Entry]:
    """List what one dict stands for, or one estimator."""
    if not isinstance(part, Mapping):
        model = _base(part, "entry", default)
        model = _made(model, {}) if isinstance(model, str) else model
        yield Entry({"estimator": part}, model)
        return
    values = [_values(name, part[name]) for name in part]
    for chosen in itertools.product(*values):
        params = dict(zip(part, chosen, strict=True))
        yield Entry(params, _made(base, params))


def _values(name: Any, values: Any) -> list[Any]:
    if not isinstance(name, str):
        raise TypeError(f"param_grid has the key {name!r}; use names of parameters")
    has_no_order = isinstance(values, (str, Mapping, Set))
    if has_no_order or not isinstance(values, Iterable):
        raise TypeError(
            f"param_grid[{name!r}]={values!r} is not a list; use "
            + (f"{list(values)!r}" if isinstance(values, Set) else f"[{values!r}]")
        )
    listed = list(values)
    if not listed:
        raise ValueError(f"param_grid[{name!r}] is empty; give at least one value")
    # A value of an array prints as np.float64(0.1), and JSON does not know it.
    return [each.item() if isinstance(each, np.generic) else each for each in listed]


def _checked(model: Any, what: str, default: type[Any]) -> Any:
    if model is None:
        return default()
    tree = tree_of(model)
    where = "estimator" if what == "estimator" else "an entry of param_grid"
    is_tree = not isinstance(model, type) and hasattr(tree, "_table")
    if is_tree and _is_of_numbers(tree) != default._is_regression:
        own, other = ("numbers", "classes")[:: 1 if default._is_regression else -1]
        raise TypeError(
            f"{where} is {model!r}, which predicts {other}, and {own} are tuned here; "
            f"use a tree such as {default.__name__}()"
        )
    if not is_tree:
        raise TypeError(
            f"{where} is {model!r}, which is no tree of Ramify; use such as "
            f"{default.__name__}()"
            + (
                ""
                if default._is_regression
                else ", or the name of a method (ramify.methods.names() lists them)"
            )
        )
    return clone(model)


def _made(base: Any, params: dict[str, Any]) -> Any:
    """Return a new estimator with these parameters."""
    if isinstance(base, str):
        method = methods.get(base)
        try:
            return method.make(**params)
        except TypeError as error:
            raise ValueError(f"param_grid: {error}") from None
    model = clone(base)
    if isinstance(model, OneVsRestTreeClassifier):
        model.set_params(estimator=tree_of(model))
    tree = tree_of(model)
    of_model, of_tree = model.get_params(), tree.get_params()
    was = {"criterion": tree.criterion, "splitter": tree.splitter}
    rest: dict[str, Any] = {}
    for name, value in params.items():
        owner = model if name in of_model else tree if name in of_tree else None
        if owner is None:
            rest[name] = value
        else:
            owner.set_params(**{name: value})
    for what, known in _own_parameters(tree).items():
        place = f"{what}_params"
        if place not in of_tree:  # an oblique tree has no splitter to choose
            continue
        preset = getattr(tree, place) or {}
        if place not in params and getattr(tree, what) != was[what]:
            # What was preset for another criterion, and this one does not have.
            preset = {name: preset[name] for name in preset if name in known}
        given = {name: rest.pop(name) for name in known if name in rest}
        tree.set_params(**{place: {**preset, **given} or None})
    if rest:
        raise ValueError(_why_unknown(next(iter(rest)), model, tree))
    return model


def _own_parameters(tree: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of the tree's criterion, and those of its splitter."""
    plain = DecisionTreeClassifier(splitter=tree.splitter)
    if _is_of_numbers(tree):
        chosen = resolve_numeric(tree.criterion, None)
        known = {one.name: one.default for one in getattr(chosen, "parameters", ())}
        return {"criterion": known, "splitter": splitter_params(plain)}
    return {
        "criterion": catalogue.parameters_of(tree.criterion),
        "splitter": splitter_params(plain),
    }


def _why_unknown(name: str, model: Any, tree: Any) -> str:
    own = [key for known in _own_parameters(tree).values() for key in known]
    known = [*own, *tree.get_params(), *model.get_params()]
    hint = did_you_mean(name, known)
    have = f"its criterion has {', '.join(own)}" if own else "its criterion has none"
    return (
        f"param_grid has {name!r}, which is no parameter of {type(model).__name__}"
        f"(criterion={tree.criterion!r}){hint} ({have})"
    )
