# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters of an estimator are allowed, and what they come to."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, get_args

import numpy as np

from ramify.criteria import catalogue
from ramify.criteria.choices import Choice
from ramify.criteria.measures import Measure
from ramify.criteria.planning import judges_sides
from ramify.criteria.score import walk
from ramify.estimators.validation import choices
from ramify.estimators.validation.rules import (
    FLAG,
    FROM_ZERO,
    Rule,
    check_rules,
    is_flag,
    is_real,
    is_share,
    is_whole,
    listed,
    one_of,
    or_none,
    whole,
)
from ramify.estimators.validation.target import Labels
from ramify.pruning.settings import settings_of
from ramify.table.schema import Schema

__all__ = [
    "LIMITS",
    "SPLITTER_PARAMS",
    "check_parameters",
    "monotonic_signs",
    "n_columns_of",
    "n_rows_of",
    "signs_of",
    "splitter_params",
]


_NO_LIMIT = " for no limit"
_SCORING = ("best", "random", "central")  # splitters that score candidates

# What all estimators have that limit trees.
LIMITS: dict[str, Rule] = {
    "max_depth": or_none(whole(1), _NO_LIMIT),
    "max_leaf_nodes": or_none(whole(2), _NO_LIMIT),
    "max_features": (
        lambda x: (
            x is None
            or (isinstance(x, str) and x in ("sqrt", "log2", "ccf"))
            or is_whole(x, 1)
            or is_share(x)
        ),
        "a whole number from 1 on, a share in (0, 1], 'sqrt', 'log2', 'ccf', or None",
    ),
    "verbose": (lambda x: is_whole(x, 0) or is_flag(x), whole(0)[1]),
}

_RULES: dict[str, Rule] = {
    "splitter": one_of(*get_args(choices.Splitter)),
    "missing": one_of(*get_args(choices.Missing)),
    "unseen": one_of(*get_args(choices.Unseen)),
    "categories": one_of(*get_args(choices.Categories)),
    "leaf_rule": one_of(*get_args(choices.LeafRule)),
    "zero_gain": one_of(*get_args(choices.ZeroGain)),
    "record_candidates": or_none(whole(1)),
    "candidate_criteria": (
        lambda x: x is None or isinstance(x, (list, tuple)),
        "a list of criteria, such as ['gini', 'ihd'], or None",
    ),
    "max_exhaustive_categories": (
        lambda x: is_whole(x, 1) and x <= 20,
        "a whole number from 1 to 20",
    ),
    "max_subset_size": or_none(whole(1), _NO_LIMIT),
    "threshold": one_of(*get_args(choices.Threshold)),
    "min_samples_split": (
        lambda x: is_whole(x, 2) or is_share(x),
        "a whole number of at least 2, or a share of the rows in (0, 1]",
    ),
    "min_samples_leaf": (
        lambda x: is_whole(x, 1) or (is_share(x) and x < 1),
        "a whole number of at least 1, or a share of the rows in (0, 1)",
    ),
    "min_weight_fraction_leaf": (
        lambda x: is_real(x, 0, 0.5),
        "a share of the weight from 0 to 0.5",
    ),
    "min_impurity_decrease": FROM_ZERO,
    "max_purity": (
        lambda x: is_real(x, 0, 1) and x > 0,
        "a share of the weight of a node in (0, 1]",
    ),
    "ccp_alpha": FROM_ZERO,
    "laplace": FLAG,
    **LIMITS,
}


def check_parameters(model: Any) -> None:
    """Refuse parameters that mean nothing, alone or together; say what is right."""
    check_rules(model, _RULES)
    _check_recording(model)
    given = model.criterion_params or {}
    rules_of_c45 = ("threshold_cost", "average_gain", "min_branch")
    if model.splitter not in ("best", "central") and any(map(given.get, rules_of_c45)):
        raise ValueError("the rules of C4.5 need splitter='best' or 'central'")
    if model.splitter == "central" and callable(model.criterion):
        raise ValueError(
            f"criterion={model.criterion!r} cannot be used with splitter='central', "
            "which calls no Python function; use a built-in criterion or an expression"
        )
    if model.missing == "fractional" and model.max_leaf_nodes is not None:
        raise ValueError(
            f"max_leaf_nodes={model.max_leaf_nodes!r} cannot be used with "
            "missing='fractional', which grows depth first; use max_depth"
        )
    splitter_params(model)
    _check_dgmml(model)
    _check_guide(model)
    _check_pruning(model)


def _check_recording(model: Any) -> None:
    """Refuse candidates that nobody records, or nobody scores."""
    if model.candidate_criteria is not None and model.record_candidates is None:
        raise ValueError(
            f"candidate_criteria={model.candidate_criteria!r} is given, but no "
            "candidates are recorded; set record_candidates, such as 10"
        )
    if model.record_candidates is not None and model.splitter not in _SCORING:
        raise ValueError(
            f"record_candidates={model.record_candidates!r} cannot be used with "
            f"splitter={model.splitter!r}, which does not score candidates"
        )


SPLITTER_PARAMS: dict[str, dict[str, Any]] = {
    "chaid": {
        "alpha_merge": 0.05,
        "alpha_split": 0.05,
        "resplit": False,
        "binary": False,
    },
    "quest": {"alpha": 0.05},
    "ctree": {
        "alpha": 0.05,
        "minprob": 0.01,
        "splittry": 2,
        "tol": 2.0**-26,  # the root of the epsilon of float64, as in R
    },
    "guide": {"interactions": False},
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
    """Return the parameters of the splitter, with their defaults."""
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
    """Return whether a value is allowed, and what would be."""
    if name in _SPLITTER_CHOICES:
        choices = _SPLITTER_CHOICES[name]
        return any(value is c or value == c for c in choices), listed(choices)
    if isinstance(default, bool):
        return is_flag(value), "True or False"
    if name == "splittry":
        return is_whole(value, 1) and value < 2**31, "a whole number of at least 1"
    if name == "n_gap_points":
        return is_whole(value, 2) and value < 2**31, "a whole number of at least 2"
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


def _check_guide(model: Any) -> None:
    """Refuse a criterion that does not choose the cut of a single column."""
    if model.splitter != "guide":
        return
    chosen = catalogue.resolve(model.criterion, model.criterion_params)
    if not judges_sides(chosen):
        raise ValueError(
            f"criterion={model.criterion!r} cannot be used with splitter='guide', "
            "which needs a formula of the class weights on either side; use a name "
            "such as 'gini' or 'entropy', a sum of such, or a function"
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
    if isinstance(model.criterion, str) and model.criterion == "scaff":
        warnings.warn(
            f"prune={model.prune!r} looks at errors or counts of classes, not at the "
            "groups that criterion='scaff' keeps apart; check what is left for "
            "fairness",
            UserWarning,
            stacklevel=5,
        )


def _check_scores(model: Any) -> None:
    """Refuse scores of splits that mean something else in each node."""
    try:
        parts = walk(catalogue.resolve(model.criterion, model.criterion_params))
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
    if max_features == "ccf":  # as canonical correlation forests draw
        return min(
            2 if n_columns == 3 else math.ceil(math.log2(n_columns) + 1), n_columns
        )
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), n_columns)
    return max(1, int(max_features * n_columns))


def monotonic_signs(monotonic_cst: Any, schema: Schema, labels: Labels) -> list[int]:
    """Return the sign of each column; refuse those that make no sense."""
    if labels.n_classes != [2]:
        raise ValueError(
            "monotonic_cst needs one target of two classes; y has "
            f"{labels.n_classes} classes"
        )
    return signs_of(monotonic_cst, schema)


def signs_of(monotonic_cst: Any, schema: Schema) -> list[int]:
    """Return the sign of each column, whatever is predicted."""
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
