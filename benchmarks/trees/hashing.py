# SPDX-License-Identifier: BSD-3-Clause
"""One hash of all that a fitted model has learnt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ramify import Tree


def hash_of(make: Callable[[], tuple[Any, Any]]) -> str:
    """Fit a model and hash its trees and what it predicts; a refusal counts, too."""
    digest = hashlib.sha256()
    try:
        model, X = make()
    except (TypeError, ValueError) as error:
        digest.update(f"{type(error).__name__}: {error}".encode())
        return "!" + digest.hexdigest()[:15]
    for tree in _trees_of(model):
        _add_tree(digest, tree)
    ask = getattr(model, "predict_proba", None) or model.predict
    answers = ask(X)
    for answer in answers if isinstance(answers, list) else [answers]:
        _add(digest, answer)
    for name in ("train_score_", "validation_score_"):
        if hasattr(model, name):
            _add(digest, getattr(model, name))
    return digest.hexdigest()[:16]


def _trees_of(model: Any) -> list[Tree]:
    if isinstance(getattr(model, "tree_", None), Tree):
        return [model.tree_]
    members = getattr(model, "estimators_", None)
    if members is None:
        inner = getattr(model, "best_estimator_", None)
        return [] if inner is None else _trees_of(inner)
    return [tree for member in members for tree in _trees_of(member)]


def _add_tree(digest: Any, tree: Tree) -> None:
    for name in Tree.ARRAYS:
        _add(digest, getattr(tree, name))
    if tree.ledger is not None:
        for name in sorted(tree.ledger.arrays):
            _add(digest, tree.ledger.arrays[name])


def _add(digest: Any, values: Any) -> None:
    array = np.ascontiguousarray(values)
    digest.update(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype.kind == "f":
        array = array + 0.0  # a zero has no sign
        array[np.isnan(array)] = np.nan  # nor a NaN a payload
    digest.update(array.tobytes())
