# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue of published methods: name → estimator, parameters and reference."""

from __future__ import annotations

from typing import Any

from ramify.estimators.forest import RandomForestClassifier
from ramify.estimators.tree import DecisionTreeClassifier
from ramify.estimators.tree.methods import TREE_METHODS, Method, note, unknown_method

__all__ = ["Method", "get", "make", "names"]


def names() -> list[str]:
    """Return the names of all methods.

    Examples
    --------
    >>> import ramify
    >>> ramify.methods.names()[:2]
    ['id3', 'c45']
    """
    return list(_METHODS)


def get(name: str) -> Method:
    """Return the method of that name."""
    if name in _METHODS:
        return _METHODS[name]
    raise unknown_method(name, _METHODS)


def make(name: str, **overrides: Any) -> Any:
    """Return the estimator of a method, with other parameters where you name them.

    Parameters
    ----------
    name : str
        One of `names()`.
    **overrides
        Parameters of the estimator, such as max_depth, or of the method itself, such
        as k of "csn", w2 of "bnm", alpha of "spes" or theta of "scaff".

    Examples
    --------
    >>> import ramify
    >>> ramify.methods.make("segment_c45", k=7).criterion_params
    {'k': 7}
    >>> tree = ramify.methods.make("c45", max_depth=2)
    >>> tree = tree.fit([["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]], [0, 1, 0, 1])
    >>> print(ramify.export_text(tree))
    x0 in {a}: 0 (2 of 2)
    x0 in {b}: 1 (2 of 2)
    x0 is other: 0 (0 of 0)
    """
    return get(name).make(**overrides)


def _forest_of(name: str) -> Method:
    """Return the random forest of a method, in the setting of Li, Chen (2022)."""
    tree = TREE_METHODS[name]
    is_plain = tree.estimator is DecisionTreeClassifier
    return Method(
        f"{name}_rf",
        f"20 voting trees on bootstrap samples, sqrt(d) columns a node. {tree.summary}",
        f"Breiman (2001), Random Forests; {tree.reference}",
        {
            **(tree.parameters if is_plain else {"method": name}),
            "n_estimators": 20,
            "max_features": "sqrt",
            "voting": "hard",
        },
        estimator=RandomForestClassifier,
        is_usual=tree.is_usual and name not in ("ihdw", "dgmml"),
    )


_METHODS: dict[str, Method] = {
    **TREE_METHODS,
    **{
        f"{name}_rf": _forest_of(name)
        for name in (
            *("c45", "cart", "ihd", "ihdw", "dgmml", "hddt", "wodt"),
            "heterogeneous",
        )
    },
    "ccf": Method(
        "ccf",
        "100 trees grown on all rows; each node samples about log2(d) columns and "
        "splits along the canonical correlation directions of a bootstrap sample of "
        "its rows.",
        TREE_METHODS["cca"].reference,
        {
            "method": "cca",
            "method_params": {"bootstrap": True},
            "n_estimators": 100,
            "max_features": "ccf",
            "bootstrap": False,
        },
        estimator=RandomForestClassifier,
        is_usual=False,
    ),
    "rotation_forest": Method(
        "rotation_forest",
        "100 trees grown on all rows, each with the columns rotated in random groups "
        "of three to the principal axes of sampled rows; every split combines at most "
        "three columns.",
        TREE_METHODS["rotation"].reference,
        {
            "method": "rotation",
            "n_estimators": 100,
            "max_features": None,
            "bootstrap": False,
        },
        estimator=RandomForestClassifier,
        is_usual=False,
    ),
}


note(_METHODS)
