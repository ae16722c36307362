# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that all forests share, as text, and defaults in which they differ."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

__all__ = ["defaults_of", "documented", "other_defaults"]

_PARAMETERS = """n_estimators : int, default=100
        Number of trees.
    {own}
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `{tree}`. A row that is drawn twice is one row here, and twice its weight.
    max_features : int, float, "sqrt", "log2" or None, default={max_features!r}
        Number of columns drawn at each node; None for all.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, criterion_params
        As in `{tree}`.
    bootstrap : bool, default={bootstrap}
        Grow each tree on rows drawn with replacement. They are drawn with weights, and
        by what they hold: the order of rows changes nothing, and a row of weight 2 is
        drawn as the row twice would be (for whole weights of up to 16 in the mean).
    max_samples : int or float, optional
        Number of rows drawn, or their share; None for as many as there are.
    oob_score : bool or callable, default=False
        Predict each row by the trees that have not seen it. A function
        ``f(y_true, y_predicted)`` gives another score than {score}. Rows of weight 0
        do not count.
    honest : float, optional
        Share of each tree's rows that choose no splits and fill the leaves instead,
        so that {value} of rows the splits were not made for. A leaf that none of them
        reaches takes what the node above says. Rows are held out whole, whatever their
        weight. Not with `monotonic_cst`.
    warm_start : bool, default=False
        Add trees to those of the last `fit`; on the same data the forest is the one
        that would have been grown at once. On others it has no `oob_score`.
    random_state : int, RandomState or None
        Seed. Tree t draws from a stream of (seed, t).
    categorical_features, categories, max_exhaustive_categories, max_subset_size, \
missing, unseen, leaf_rule, max_bins, threshold
        As in `{tree}`.
    n_jobs : int, optional
        Threads, each growing trees; -1 for all processors. The forest does not depend
        on it.
    verbose : int, default=0
        Show on stderr how many trees have been grown."""

_ATTRIBUTES = """estimators_ : list of {tree}
        The trees.
    {found}
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of each column in what splits gained; see `importances` for better ones.
    estimators_samples_ : list of ndarray
        The rows drawn for each tree."""


def documented(cls: type[Any]) -> type[Any]:
    """Insert the parameters and attributes that all forests share."""
    defaults = defaults_of(cls)
    words = {
        "max_features": defaults["max_features"],
        "bootstrap": defaults["bootstrap"],
        **cls._WORDS,
    }
    doc = cls.__doc__ or ""
    for mark, text in (("parameters", _PARAMETERS), ("attributes", _ATTRIBUTES)):
        doc = doc.replace(f"{{{mark}}}", text.format(**words))
    cls.__doc__ = doc
    return cls


def other_defaults(init: Any, **changed: Any) -> Any:
    """Give a constructor with the same parameters and some other defaults."""
    twin = FunctionType(
        init.__code__, init.__globals__, init.__name__, init.__defaults__
    )
    twin.__kwdefaults__ = {**init.__kwdefaults__, **changed}
    twin.__annotations__ = init.__annotations__
    return twin


def defaults_of(cls: type[Any]) -> dict[str, Any]:
    """Give the defaults of all parameters."""
    found = inspect.signature(cls).parameters
    return {name: parameter.default for name, parameter in found.items()}
