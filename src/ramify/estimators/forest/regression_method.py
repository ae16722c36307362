# SPDX-License-Identifier: BSD-3-Clause
"""Trees of regression forests that a method grows: with lines in their leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.model_tree import ModelTreeRegressor
from ramify.estimators.tree.model_tree_parameters import LINE_METHODS
from ramify.estimators.validation.text import defaults_of
from ramify.messages import did_you_mean

__all__ = ["METHODS", "tree_by_method"]

METHODS: dict[str, type[Any]] = dict.fromkeys(LINE_METHODS, ModelTreeRegressor)


def tree_by_method(forest: Any, given: Mapping[str, Any]) -> BaseTree:
    """Make the tree of a forest's method.

    `given` are the parameters that the forest hands on. Those that it has at its own
    defaults are left to the method.
    """
    name = forest.method
    if not isinstance(name, str) or name not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise ValueError(
            f"method={name!r} grows no trees of numbers; use one of {known}, or None"
            f"{did_you_mean(name, METHODS)}"
        )
    kind = METHODS[name]
    usual, takes = defaults_of(type(forest)), defaults_of(kind)
    own = {key: value for key, value in given.items() if not _is(value, usual[key])}
    for key, value in own.items():
        if key not in takes:
            raise ValueError(
                f"{key}={value!r} cannot be used with method={name!r}; leave it out"
            )
    if forest.honest is not None and kind is ModelTreeRegressor:
        raise ValueError(
            f"honest={forest.honest!r} fills leaves with means of other rows, but "
            f"method={name!r} has lines in them; set honest=None"
        )
    tree: BaseTree = kind(name, method_params=forest.method_params, **own)
    return tree


def _is(value: Any, usual: Any) -> bool:
    return value is usual or (type(value) is type(usual) and bool(value == usual))
