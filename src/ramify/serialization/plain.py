# SPDX-License-Identifier: BSD-3-Clause
"""Parameters and labels as JSON can hold them, and back."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.criteria import catalogue
from ramify.criteria.builtin import CRITERION_OF_METHOD
from ramify.criteria.measures import Measure
from ramify.criteria.score import walk
from ramify.criteria.survival import SurvivalCuts, SurvivalScores
from ramify.tree.inspect import is_regressor

__all__ = [
    "from_plain",
    "plain",
    "plain_labels",
    "plain_online",
    "plain_parameters",
    "plain_scores",
    "plain_search",
    "plain_uplift",
    "read_labels",
    "read_parameters",
    "read_scores",
    "read_search",
    "read_uplift",
]


def plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: plain(item) for key, item in value.items()}
        # JSON has no other keys: {0: 1.0, 1: 5.0} becomes pairs.
        return {"pairs": [[plain(key), plain(item)] for key, item in value.items()]}
    if hasattr(value, "__array__"):  # an index of names, a mask
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None


# Parameters of files that were written before these had their names.
_RENAMED = {"also": "candidate_criteria", "l2": "l2_regularization"}


def read_parameters(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator, by the names that they have today."""
    found = {_RENAMED.get(key, key): from_plain(item) for key, item in stored.items()}
    if isinstance(found.get("criterion"), str):  # some were named after methods
        named = found["criterion"]
        found["criterion"] = CRITERION_OF_METHOD.get(named, named)
    return found


def from_plain(value: Any) -> Any:
    """Return the parameter that `plain` stored."""
    if isinstance(value, dict):
        if isinstance(value.get("pairs"), list):
            return {key: from_plain(item) for key, item in value["pairs"]}
        return {key: from_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    return value


def plain_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of a fitted tree or forest; of its criterion, the name."""
    given = model.get_params(deep=False)
    parameters = {key: plain(value) for key, value in given.items()}
    if getattr(model, "candidate_criteria", None) is not None:
        parameters["candidate_criteria"] = [
            each if isinstance(each, str) else _text_of(catalogue.resolve(each, None))
            for each in model.candidate_criteria
        ]
    if isinstance(getattr(model, "criterion", ""), str):
        return parameters
    if isinstance(model.criterion, (SurvivalScores, SurvivalCuts)):
        function = model.criterion.function
        name = getattr(function, "__name__", type(function).__name__)
        parameters["criterion"] = f"function {name}"
        return parameters
    numeric = is_regressor(model)
    resolve = criteria.resolve_numeric if numeric else catalogue.resolve
    chosen: Any = resolve(model.criterion, model.criterion_params)
    named = (criteria.Criterion, criteria.NumberCriterion, criteria.RegisteredCriterion)
    if isinstance(chosen, named):
        parameters["criterion"] = chosen.name
        if chosen.params:
            parameters["criterion_params"] = plain(chosen.params)
    elif isinstance(chosen, criteria.FunctionCriterion):
        name = getattr(chosen.judge, "__name__", type(chosen.judge).__name__)
        parameters["criterion"] = f"function {name}"  # no name of a built-in criterion
    elif isinstance(chosen, criteria.CompiledCriterion):
        parameters["criterion"] = "compiled function"
    else:
        parameters["criterion"] = _text_of(chosen)
        parameters["criterion_params"] = None
    return parameters


def plain_online(model: Any) -> dict[str, Any]:
    """Return the parameters of an online model, whose criteria may be several."""
    several = getattr(model.criterion, "criteria", None)
    if several is None or not hasattr(model.criterion, "types"):
        return plain_parameters(model)
    given = model.get_params(deep=False)
    return {key: plain(value) for key, value in given.items()} | {
        "criterion": {
            "first_certain": [
                each
                if isinstance(each, str)
                else _text_of(catalogue.resolve(each, None))
                for each in several
            ],
            "types": list(model.criterion.types),
        }
    }


def _text_of(expression: Any) -> str:
    """Return an expression as text that can be fitted again, or a note of it."""
    users = (criteria.FunctionCriterion, criteria.CompiledCriterion)
    if any(
        isinstance(part, users) and not isinstance(part, criteria.RegisteredCriterion)
        for part in walk(expression)
    ):
        return f"expression {expression!r}"
    text = repr(expression)
    # A lone measure is no name of a criterion; as a sum it is an expression.
    return f"{text} + 0" if isinstance(expression, Measure) else text


def plain_labels(labels: NDArray[Any]) -> dict[str, Any]:
    """Return labels with their type."""
    is_text = labels.dtype.kind == "O" and all(isinstance(x, str) for x in labels)
    if not is_text and labels.dtype.kind not in "iufbU":
        raise TypeError(
            f"labels of type {type(labels[0]).__name__} cannot be saved; use strings "
            "or numbers"
        )
    kind = "O" if labels.dtype.kind == "O" else labels.dtype.str
    return {"dtype": kind, "values": labels.tolist()}


def read_labels(stored: dict[str, Any]) -> NDArray[Any]:
    """Return the labels that `plain_labels` stored."""
    values, kind = stored["values"], stored["dtype"]
    if kind != "O" and np.dtype(kind).kind not in "iufbU":
        raise ValueError(f"labels of type {kind!r} are not allowed")
    n_bytes = 0 if kind == "O" else np.dtype(kind).itemsize * len(values)
    if n_bytes > 2**24 + 1000 * len(str(values)):
        raise ValueError(f"labels of type {kind!r} are far longer than any of them")
    labels = np.array(values, dtype=object if kind == "O" else kind)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError("the labels are not a list")
    try:
        is_sorted = all(a < b for a, b in itertools.pairwise(labels.tolist()))
    except TypeError:
        is_sorted = False
    if not is_sorted:
        raise ValueError("the labels are not sorted, each once and none missing")
    return labels


def plain_scores(scores: NDArray[np.float64]) -> list[float | None]:
    """Return the losses of rounds; JSON has no infinity."""
    return [None if value == np.inf else value for value in scores.tolist()]


def read_scores(stored: Any) -> NDArray[np.float64]:
    """Return what `plain_scores` stored."""
    scores = np.array([np.inf if x is None else x for x in stored], dtype=np.float64)
    if scores.ndim != 1 or np.isnan(scores).any():
        raise ValueError("the losses of its rounds are not numbers")
    return scores


# What a search notes of its tree: the type of each figure, and whether it may lack. How
# long it took is left out: the same model is the same bytes.
_OF_SEARCH: dict[str, tuple[type, ...]] = {
    "objective_": (float, int),
    "loss_": (float, int),
    "lower_bound_": (float, int),
    "optimality_gap_": (float, int),
    "is_optimal_": (bool,),
    "search_space_": (str,),
    "stopped_by_": (str, type(None)),
    "start_objectives_": (dict,),
    "n_subproblems_": (int,),
    "n_cuts_": (int,),
}
_MAYBE_OF_SEARCH: dict[str, tuple[type, ...]] = {"root_objectives_": (dict,)}


def plain_search(model: Any) -> dict[str, Any]:
    """Return what a search has found and proved."""
    names = [*_OF_SEARCH, *_MAYBE_OF_SEARCH]
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def read_search(stored: Any) -> dict[str, Any]:
    """Return what `plain_search` stored."""
    if not isinstance(stored, dict) or not set(_OF_SEARCH) <= set(stored):
        raise ValueError("what its search has proved is not complete")
    for name, value in stored.items():
        types = (_OF_SEARCH | _MAYBE_OF_SEARCH).get(name)
        is_flag = isinstance(value, bool) and types != (bool,)
        if types is None or not isinstance(value, types) or is_flag:
            raise ValueError(f"its search has {name}={value!r}")
        if isinstance(value, dict) and not all(
            isinstance(cost, (float, int)) for cost in value.values()
        ):
            raise ValueError(f"its search has {name}={value!r}")
    return dict(stored)


def plain_uplift(uplift: NDArray[np.float64]) -> list[float | None]:
    """Return what treatment changes in each node; JSON has no NaN."""
    return [None if value != value else value for value in uplift.tolist()]


def read_uplift(stored: Any, n_nodes: int) -> NDArray[np.float64]:
    """Return what `plain_uplift` stored."""
    uplift = np.array(stored, dtype=np.float64)
    if uplift.shape != (n_nodes,) or (np.abs(uplift) > 1).any():
        raise ValueError("what treatment changes is no difference of shares per node")
    return uplift
