# SPDX-License-Identifier: BSD-3-Clause
"""Fits of every kind, and what must hold of the models."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import ramify
from fuzz.models import Made, made
from fuzz.promise import must
from fuzz.tables import Case, Rng, pick, rows_of, table


def estimators(rng: Rng) -> list[str]:
    """Fit a model, or see it refused, and check all that is promised."""
    kind = made(rng)
    outputs = 2 if rng.random() < 0.1 else 1
    case = table(rng, task=kind.task, outputs=outputs)
    name = type(kind.model).__name__
    try:
        kind.model.fit(case.X, case.y, sample_weight=case.weight)
    except (ValueError, TypeError) as error:
        must(len(str(error)) > 10, "an error says what was wrong", repr(error))
        return [f"{name} refused"]
    seen = [f"{name} fitted"]
    try:
        answers = _answers(kind.model, case.X)
    except ValueError as error:
        # Where no gaps are allowed, rows without weight may have had some.
        weightless = case.weights == "zero" and "missing='error'" in str(error)
        must(weightless, "what was fitted is predicted", repr(error))
        return seen
    _check_answers(kind, answers)
    if hasattr(kind.model, "tree_"):
        seen += _check_tree(kind.model, case)
    seen += _check_copies(kind.model, case.X, answers)
    if outputs == 1:
        seen += _check_laws(rng, kind, case, answers)
    return seen


def _answers(model: Any, X: Any) -> list[np.ndarray]:
    proba = getattr(model, "predict_proba", None)
    answers = proba(X) if proba else model.predict(X)
    return list(answers) if isinstance(answers, list) else [np.asarray(answers)]


def _same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


def _check_answers(kind: Made, answers: list[np.ndarray]) -> None:
    for answer in answers:
        must(bool(np.isfinite(answer).all()), "answers are finite", kind.model)
        if kind.task == "classes":
            total = answer.sum(axis=1)
            must(bool(np.allclose(total, 1)), "probabilities sum to 1", kind.model)
            must(bool((answer >= 0).all()), "probabilities are not negative", kind)


def _check_tree(model: Any, case: Case) -> list[str]:
    tree = model.tree_
    weight, rows = tree.weighted_n_node_samples, tree.n_node_samples
    # A leaf for unseen categories has no rows.
    usual = rows > 0 if model.unseen == "parent" else np.full(len(rows), True)
    must(bool((weight[usual] > 0).all()), "no node is without weight", model)
    leaf = np.asarray(model.apply(case.X))
    must(tree.kind[leaf].max(initial=0) == 0, "apply gives leaves", model)
    if model.missing == "fractional":
        return ["no node is without weight"]
    path = model.decision_path(case.X)
    last = np.array([row.indices.max() for row in path])
    must(bool((last >= leaf).all()), "apply is on the decision path", model)
    must(bool(path[np.arange(len(leaf)), leaf].all()), "apply = path", model)
    seen = ["no node is without weight", "apply = path"]
    if getattr(model, "prune", None) is not None:
        return seen  # a raised branch has leaves that none of its own rows reaches
    must(bool((rows[usual] > 0).all()), "no node is empty", model)
    _check_sums(tree, rows, model)
    seen += ["no node is empty", "leaves sum up"]
    has_all = getattr(model, "max_bins", None) is None
    if case.weights in ("none", "whole") and has_all:
        reached = np.bincount(leaf, minlength=tree.node_count)
        is_leaf = tree.children_left < 0
        grew = bool((reached[is_leaf] == rows[is_leaf]).all())
        must(grew, "rows reach the leaves that they grew", model)
        seen.append("rows reach the leaves that they grew")
    return seen


def _check_sums(tree: Any, rows: np.ndarray, model: Any) -> None:
    """Check that the rows of a node are those of its children."""
    total = np.zeros(tree.node_count, dtype=np.int64)
    parent = tree.parents()
    has_parent = parent >= 0
    np.add.at(total, parent[has_parent], rows[has_parent])
    inner = np.unique(parent[has_parent])
    must(bool((total[inner] == rows[inner]).all()), "leaves sum up", model)


def _check_copies(model: Any, X: Any, answers: list[np.ndarray]) -> list[str]:
    copy = pickle.loads(pickle.dumps(model))
    must(_same(_answers(copy, X), answers), "same after pickle", model)
    seen = ["same after pickle"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.ramify"
        try:
            ramify.save(model, path)
        except (ValueError, TypeError):
            return [*seen, "not saved"]
        loaded = ramify.load(path)
    must(_same(_answers(loaded, X), answers), "same after load", model)
    return [*seen, "same after load"]


def _check_laws(
    rng: Rng, kind: Made, case: Case, answers: list[np.ndarray]
) -> list[str]:
    law = pick(rng, "threads", "order", "repeats")
    weight = case.weight
    if law == "threads":
        n_jobs = pick(rng, 1, 2, 3)
        again = clone(kind.model)
        own = "n_jobs" if "n_jobs" in again.get_params() else "estimator__n_jobs"
        again.set_params(**{own: n_jobs})
        again.fit(case.X, case.y, sample_weight=weight)
        must(_same(_answers(again, case.X), answers), "same for any n_jobs", kind.model)
        return ["same for any n_jobs"]
    # Rows of a raised branch are added up anew, in their order.
    by_class = getattr(kind.model, "class_weight", None) is not None
    adds_up = getattr(kind.model, "prune", None) == "ebp" and (
        case.weights == "real" or by_class
    )
    in_any_order = kind.any_order and case.weights != "extreme" and not adds_up
    if law == "order" and in_any_order:
        order = rng.permutation(len(case.y))
        again = clone(kind.model)
        shuffled = None if weight is None else weight[order]
        again.fit(rows_of(case.X, order), case.y[order], sample_weight=shuffled)
        must(_same(_answers(again, case.X), answers), "same for any order", kind.model)
        return ["same for any order"]
    if law == "repeats" and kind.repeats and case.weights in ("whole", "zero"):
        assert weight is not None
        rows = np.repeat(np.arange(len(case.y)), weight.astype(int))
        again = clone(kind.model)
        if len(np.unique(case.y[rows])) < len(np.unique(case.y)):
            return []
        again.fit(rows_of(case.X, rows), case.y[rows])
        must(_same(_answers(again, case.X), answers), "weight = repeats", kind.model)
        return ["weight = repeats"]
    return []
