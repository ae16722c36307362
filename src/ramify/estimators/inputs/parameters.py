# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of an estimator are allowed, and what they come to."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from ramify import criteria
from ramify.estimators.inputs.target import Labels
from ramify.expressions import Choice, Measure, walk
from ramify.pruning.settings import settings_of
from ramify.table.schema import Schema

__all__ = [
    "SPLITTER_PARAMS",
    "check_parameters",
    "monotonic_signs",
    "n_columns_of",
    "n_rows_of",
    "signs_of",
    "splitter_params",
]


def check_parameters(model: Any) -> None:
    """Refuse parameters that mean nothing; say what would be right."""

    def is_int(x: Any, least: int) -> bool:
        whole = isinstance(x, numbers.Integral) and not isinstance(x, bool)
        return whole and x >= least

    def is_share(x: Any, low: float, high: float) -> bool:
        real = isinstance(x, numbers.Real) and not isinstance(x, numbers.Integral)
        return real and low < x <= high

    def is_real(x: Any, low: float, high: float = math.inf) -> bool:
        real = isinstance(x, numbers.Real) and not isinstance(x, bool)
        return real and low <= x <= high

    def require(name: str, good: bool, right: str) -> None:
        if not good:
            raise ValueError(
                f"{name}={getattr(model, name)!r} is not allowed; use {right}"
            )

    m = model
    splitters = ("best", "random", "chaid", "quest", "dgmml")
    require("splitter", m.splitter in splitters, _one_of(splitters))
    ways = ("both", "left", "right", "fractional", "error")
    require("missing", m.missing in ways, _one_of(ways))
    policies = ("heavier", "parent", "error", "missing")
    require("unseen", m.unseen in policies, _one_of(policies))
    partitions = ("subset", "one_vs_rest", "multiway", "multiway_all")
    require("categories", m.categories in partitions, _one_of(partitions))
    rules = ("restrict", "give_up")
    require("leaf_rule", m.leaf_rule in rules, _one_of(rules))
    require(
        "record_candidates",
        m.record_candidates is None or is_int(m.record_candidates, 1),
        "a whole number of at least 1, or None",
    )
    require(
        "also",
        m.also is None or isinstance(m.also, (list, tuple)),
        "a list of criteria, such as ['gini', 'ihd'], or None",
    )
    if m.also is not None and m.record_candidates is None:
        raise ValueError(
            f"also={m.also!r} is given, but no candidates are recorded; set "
            "record_candidates, such as 10"
        )
    if m.record_candidates is not None and m.splitter not in ("best", "random"):
        raise ValueError(
            f"record_candidates={m.record_candidates!r} cannot be used with "
            f"splitter={m.splitter!r}, which does not score candidates"
        )
    require(
        "max_exhaustive_categories",
        is_int(m.max_exhaustive_categories, 1) and m.max_exhaustive_categories <= 20,
        "a whole number from 1 to 20",
    )
    require(
        "max_subset_size",
        m.max_subset_size is None or is_int(m.max_subset_size, 1),
        "a whole number of at least 1, or None for no limit",
    )
    places = ("midpoint", "value", "data")
    require("threshold", m.threshold in places, _one_of(places))
    require(
        "max_depth",
        m.max_depth is None or is_int(m.max_depth, 1),
        "a whole number of at least 1, or None for no limit",
    )
    require(
        "min_samples_split",
        is_int(m.min_samples_split, 2) or is_share(m.min_samples_split, 0, 1),
        "a whole number of at least 2, or a share of the rows in (0, 1]",
    )
    require(
        "min_samples_leaf",
        is_int(m.min_samples_leaf, 1)
        or (is_share(m.min_samples_leaf, 0, 1) and m.min_samples_leaf < 1),
        "a whole number of at least 1, or a share of the rows in (0, 1)",
    )
    require(
        "min_weight_fraction_leaf",
        is_real(m.min_weight_fraction_leaf, 0, 0.5),
        "a share of the weight from 0 to 0.5",
    )
    require(
        "max_leaf_nodes",
        m.max_leaf_nodes is None or is_int(m.max_leaf_nodes, 2),
        "a whole number of at least 2, or None for no limit",
    )
    require(
        "min_impurity_decrease",
        is_real(m.min_impurity_decrease, 0),
        "a number of at least 0",
    )
    require("ccp_alpha", is_real(m.ccp_alpha, 0), "a number of at least 0")
    require("laplace", isinstance(m.laplace, (bool, np.bool_)), "True or False")
    require(
        "verbose",
        is_int(m.verbose, 0) or isinstance(m.verbose, (bool, np.bool_)),
        "a whole number of at least 0",
    )
    require(
        "max_features",
        m.max_features is None
        or m.max_features in ("sqrt", "log2")
        or is_int(m.max_features, 1)
        or is_share(m.max_features, 0, 1),
        "a whole number of at least 1, a share in (0, 1], 'sqrt', 'log2', or None",
    )
    rules_of_c45 = ("threshold_cost", "average_gain", "min_branch")
    given = m.criterion_params or {}
    if m.splitter != "best" and any(given.get(rule) for rule in rules_of_c45):
        raise ValueError("the rules of C4.5 need splitter='best'")
    if m.missing == "fractional" and m.max_leaf_nodes is not None:
        raise ValueError(
            f"max_leaf_nodes={m.max_leaf_nodes!r} cannot be used with "
            "missing='fractional', which grows depth first; use max_depth"
        )
    splitter_params(m)
    _check_dgmml(m)
    _check_pruning(m)


SPLITTER_PARAMS: dict[str, dict[str, Any]] = {
    "chaid": {
        "alpha_merge": 0.05,
        "alpha_split": 0.05,
        "resplit": False,
        "binary": False,
    },
    "quest": {"alpha": 0.05},
    "dgmml": {
        "split_point": "gap",
        "n_gap_points": 10,
        "between": "pairs",
        "fallback": "gini",
    },
}
_SPLITTER_CHOICES: dict[str, tuple[Any, ...]] = {
    "split_point": ("gap", "median", "mean"),
    "between": ("pairs", "scatter"),
    "fallback": ("gini", None),
}


def splitter_params(model: Any) -> dict[str, Any]:
    """Give the parameters of the splitter, with their defaults."""
    given = model.splitter_params or {}
    known = SPLITTER_PARAMS.get(model.splitter, {})
    for name, value in given.items():
        if name not in known:
            have = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(
                f"splitter={model.splitter!r} has no parameter {name!r}; {have}"
            )
        good, right = _check_splitter_param(name, value, known[name])
        if not good:
            raise ValueError(
                f"splitter_params has {name}={value!r}, which is not allowed; use "
                f"{right}"
            )
    return {**known, **given}


def _check_splitter_param(name: str, value: Any, default: Any) -> tuple[bool, str]:
    """Say whether a value is allowed, and what would be."""
    if name in _SPLITTER_CHOICES:
        choices = _SPLITTER_CHOICES[name]
        return any(value is c or value == c for c in choices), _one_of(choices)
    if isinstance(default, bool):
        return isinstance(value, (bool, np.bool_)), "True or False"
    if name == "n_gap_points":
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return whole and 2 <= value < 2**31, "a whole number of at least 2"
    return isinstance(value, (int, float)) and 0 <= value <= 1, "0 to 1"


def _check_dgmml(model: Any) -> None:
    """Refuse what dGMML has no answer to."""
    if model.splitter != "dgmml":
        return
    for name, allowed, why in (
        ("missing", model.missing != "fractional", "use 'both', 'left' or 'right'"),
        ("categories", model.categories == "subset", "use 'subset'"),
        ("max_leaf_nodes", model.max_leaf_nodes is None, "use max_depth"),
        ("leaf_rule", model.leaf_rule == "restrict", "use 'restrict'"),
        ("monotonic_cst", model.monotonic_cst is None, "use splitter='best'"),
    ):
        if not allowed:
            raise ValueError(
                f"{name}={getattr(model, name)!r} cannot be used with "
                f"splitter='dgmml'; {why}"
            )


def _check_pruning(model: Any) -> None:
    """Refuse a way of pruning that does not exist, or two at once."""
    if model.prune is None:
        if model.prune_params:
            raise ValueError(
                f"prune_params={model.prune_params!r} is given, but prune is None; set "
                "prune, such as 'ccp_cv'"
            )
        return
    settings = settings_of(model.prune, model.prune_params)
    if model.ccp_alpha > 0:
        raise ValueError(
            f"ccp_alpha={model.ccp_alpha!r} cannot be used with prune={model.prune!r}; "
            "use prune='ccp' with prune_params={'alpha': ...}, or one of the two"
        )
    if model.prune == "cvp" and settings["measure"] == "score":
        _check_scores(model)


def _check_scores(model: Any) -> None:
    """Refuse scores of splits that mean something else in each node."""
    try:
        parts = walk(criteria.resolve(model.criterion, model.criterion_params))
    except (TypeError, ValueError):  # a criterion for numbers
        parts = iter(())
    is_mixed = any(isinstance(part, (Measure, Choice)) for part in parts)
    if model.splitter == "dgmml" or is_mixed:
        what = (
            "splitter='dgmml'"
            if model.splitter == "dgmml"
            else f"criterion={model.criterion!r}"
        )
        raise ValueError(
            f"prune='cvp' with measure='score' cannot be used with {what}, whose "
            "scores are not comparable between nodes; use measure='chi2', 'gini' or "
            "'entropy'"
        )


def _one_of(words: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, words[:-1])) + f" or {words[-1]!r}"


def n_rows_of(limit: Any, n_rows: int, least: int) -> int:
    """Turn a number or a share of rows into a number of rows."""
    if isinstance(limit, numbers.Integral):
        return min(int(limit), 2**31 - 1)
    return max(least, math.ceil(float(limit) * n_rows))


def n_columns_of(max_features: Any, n_columns: int) -> int:
    """Turn a number, a share or a word into a number of columns."""
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_columns)))
    if max_features == "log2":
        return max(1, int(math.log2(n_columns)))
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), n_columns)
    return max(1, int(max_features * n_columns))


def monotonic_signs(monotonic_cst: Any, schema: Schema, labels: Labels) -> list[int]:
    """Give the sign of each column; refuse those that make no sense."""
    if labels.n_classes != [2]:
        raise ValueError(
            "monotonic_cst needs one target of two classes; y has "
            f"{labels.n_classes} classes"
        )
    return signs_of(monotonic_cst, schema)


def signs_of(monotonic_cst: Any, schema: Schema) -> list[int]:
    """Give the sign of each column, whatever is predicted."""
    n_columns = len(schema.columns)
    signs = np.asarray(monotonic_cst)
    if signs.shape != (n_columns,):
        raise ValueError(
            f"monotonic_cst has shape {signs.shape}, expected one sign per column, "
            f"({n_columns},)"
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must hold -1, 0 or 1, not {signs.tolist()}")
    for sign, column in zip(signs, schema.columns, strict=True):
        if sign != 0 and column.kind == "categorical":
            raise ValueError(
                f"monotonic_cst is {sign} for column {column.name!r}, whose categories "
                "have no order; use 0 there"
            )
    return [int(sign) for sign in signs]
