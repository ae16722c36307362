# SPDX-License-Identifier: BSD-3-Clause
"""What a model adds up: its trees, what their leaves are worth, and for which score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.table import Schema
from ramify.tree import Tree

__all__ = ["Scores"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of rows as sums over trees: class shares, votes, log odds or numbers.

    Score ``k`` of a row is ``start[k]`` plus the sum of what its leaves are worth, over
    the trees that add to it, divided by `divide`.

    Attributes
    ----------
    trees : tuple of Tree
        The trees.
    tables : tuple of ndarray of shape (n_nodes, n_values)
        What the nodes of each tree are worth.
    first : tuple of int
        The score that the first value of each tree is added to.
    start : ndarray of shape (n_scores,)
        The scores before the first tree.
    divide : float
        The number of trees, where they are averaged.
    names : tuple of str or None
        What the scores are called: labels of classes, or outputs. None if there is but
        one number.
    schema : Schema
        The columns.
    read : callable
        Reads a table as the model does.
    link : str
        What turns scores into predictions: "none", "expit", "softmax", "exp", or
        "shares" if they are made to sum to 1.
    has_classes : bool
        Whether classes are predicted, and not numbers.
    decide : callable
        Turns scores into what `predict` gives.
    """

    trees: tuple[Tree, ...]
    tables: tuple[Floats, ...]
    first: tuple[int, ...]
    start: Floats
    divide: float
    names: tuple[str, ...] | None
    schema: Schema
    read: Callable[[Any], NDArray[Any]]
    link: str
    has_classes: bool
    decide: Callable[[Floats], NDArray[Any]]

    @classmethod
    def from_model(cls, model: Any, who: str, *, smooth: bool = True) -> Scores:
        """Take a fitted model apart; `who` is the caller, for errors.

        A single tree with ``laplace=True`` smooths its probabilities, but decides
        without: not if `smooth` is False.
        """
        found = getattr(model, "best_estimator_", model)
        if "sum_" in vars(found):
            return _of_gradient(found)
        if "samme_" in vars(found):
            return _of_samme(found, who)
        if hasattr(found, "tree_") and hasattr(found, "schema_"):
            return _of_tree(found, smooth)
        if hasattr(found, "_tables") and hasattr(found, "schema_"):
            return _of_forest(found, who)
        if hasattr(found, "estimators_") and hasattr(found, "_votes"):
            return _of_one_per_class(found)
        raise TypeError(
            f"{who}() takes a fitted tree, forest or boosted model of Ramify, not "
            f"{model!r}"
        )

    @property
    def n_scores(self) -> int:
        """Number of scores."""
        return len(self.start)

    @cached_property
    def has_planes(self) -> bool:
        """Whether a node is a hyperplane."""
        return any((tree.kind == Tree.HYPERPLANE).any() for tree in self.trees)

    @cached_property
    def has_lines(self) -> bool:
        """Whether leaves have lines."""
        return any(tree.lines is not None for tree in self.trees)

    @cached_property
    def is_balanced(self) -> bool:
        """Whether the scores of every node sum to the same, so that one is redundant.

        What is sampled has an error of its own for each score: none is redundant then.
        """
        if any(table.shape[1] < max(2, self.n_scores) for table in self.tables):
            return False
        if self.has_planes:
            return False
        sums = [table.sum(axis=1) for table in self.tables]
        return all(
            bool(np.allclose(each, each[0], rtol=0, atol=1e-12)) for each in sums
        )

    def matrix(self, X: Any) -> Floats:
        """Read rows: numbers, and codes of categories, one row after the other."""
        return np.ascontiguousarray(self.read(X), dtype=np.float64)

    def explainer(self) -> _core.Explainer:
        """Lay the trees out to be explained; without the last score if it is redundant.

        Its results are to be divided by `divide`.
        """
        n = self.n_scores - self.is_balanced
        tables = [np.ascontiguousarray(table[:, :n]) for table in self.tables]
        arrays = [tree.arrays() for tree in self.trees]
        n_columns = self.schema.n_columns
        return _core.Explainer(arrays, tables, list(self.first), n_columns, n)

    def completed(self, values: Floats, total: float = 0.0) -> Floats:
        """Divide what an explainer gave, and add the redundant score.

        `total` is what all scores sum to.
        """
        values = values / self.divide
        if not self.is_balanced:
            return values
        last = total - values.sum(axis=-1, keepdims=True)
        return np.concatenate([values, last], axis=-1)

    @property
    def total(self) -> float:
        """What the scores sum to, if one is redundant."""
        return sum(float(table[0].sum()) for table in self.tables) / self.divide

    def scores(
        self, matrix: Floats, n_threads: int = 1, *, clipped: bool = True
    ) -> Floats:
        """Return the scores of rows: (n_rows, n_scores).

        Lines in leaves without the clip to their range if they are not `clipped`.
        """
        found = np.zeros((len(matrix), self.n_scores))
        for tree, table, first in zip(self.trees, self.tables, self.first, strict=True):
            part = found[:, first : first + table.shape[1]]
            if tree.lines is not None:
                part += tree.on_lines(matrix, n_threads, clipped=clipped)
                continue
            part += tree.average(matrix, table[:, None], n_threads).reshape(part.shape)
        return np.asarray(self.start + found / self.divide)


def _of_tree(model: Any, smooth: bool = True) -> Scores:
    tree: Tree = model.tree_
    is_smooth = smooth and getattr(model, "laplace", False)
    value = tree.smoothed() if is_smooth else tree.values()
    return _shared((tree,), (value,), model, lambda X: model._prepare(X)[0])


def _shared(
    trees: tuple[Tree, ...],
    values: tuple[Floats, ...],
    model: Any,
    read: Callable[[Any], NDArray[Any]],
) -> Scores:
    """Average the answers of trees: (n_nodes, n_outputs, classes or 1)."""
    names, kept = _outputs_of(model)
    tables = tuple(value.reshape(len(value), -1)[:, kept] for value in values)
    return Scores(
        trees=trees,
        tables=tables,
        first=(0,) * len(trees),
        start=np.zeros(len(kept)),
        divide=float(len(trees)),
        names=names,
        schema=model.schema_,
        read=read,
        link="none",
        has_classes=hasattr(model, "classes_"),
        decide=lambda scores: _decided(model, scores),
    )


def _decided(model: Any, scores: Floats) -> NDArray[Any]:
    """Return the labels or numbers that a tree or forest predicts by its scores."""
    if not hasattr(model, "classes_"):
        return scores[:, 0] if model.n_outputs_ == 1 else scores
    if model.n_outputs_ == 1:
        best = model._best_classes(scores[:, None])[:, 0]
        return np.asarray(model.classes_.take(best))
    ends = np.cumsum([len(own) for own in model.classes_])[:-1]
    each = zip(model.classes_, np.split(scores, ends, axis=1), strict=True)
    return np.column_stack([own.take(part.argmax(axis=1)) for own, part in each])


def _outputs_of(model: Any) -> tuple[tuple[str, ...] | None, NDArray[np.intp]]:
    """Name what a tree or forest predicts; say which of its values are meant."""
    classes = getattr(model, "classes_", None)
    n_outputs = int(model.n_outputs_)
    if classes is None:
        names = tuple(f"output {j}" for j in range(n_outputs))
        return (names if n_outputs > 1 else None), np.arange(n_outputs)
    if n_outputs == 1:
        return tuple(map(str, classes.tolist())), np.arange(len(classes))
    most = max(map(len, classes))
    names = tuple(f"output {j}: {c}" for j, own in enumerate(classes) for c in own)
    kept = [j * most + k for j, own in enumerate(classes) for k in range(len(own))]
    return names, np.array(kept)


def _of_forest(model: Any, who: str) -> Scores:
    trees = tuple(each.tree_ for each in model.estimators_)
    if getattr(model, "voting", "soft") == "hard":
        _refuse_shares(trees, who, "voting='hard'")
        values = [_votes(merit) for merit in model._tables(for_votes=True)]
    else:
        values = model._tables()
    return _shared(trees, tuple(values), model, lambda X: model._prepare(X)[0])


def _votes(merit: Floats) -> Floats:
    """Return 1 to the first of the largest merits of each output, 0 to the others."""
    return np.asarray(np.eye(merit.shape[2])[merit.argmax(axis=2)])


def _refuse_shares(trees: tuple[Tree, ...], who: str, votes: str) -> None:
    if any(tree.is_fractional for tree in trees):
        raise ValueError(
            f"{who}() adds up what leaves say, but {votes} with missing='fractional' "
            "counts one vote for what several leaves say together; fit with "
            "missing='both', or average (voting='soft')"
        )


def _of_gradient(model: Any) -> Scores:
    baseline = np.asarray(model.sum_.baseline, dtype=np.float64)
    trees = tuple(tree for trees in model.sum_.rounds for tree in trees)
    classes: Any = getattr(model, "classes_", None)
    link = "exp" if getattr(model, "loss", "") in ("poisson", "gamma") else "none"
    if classes is not None:
        link = "expit" if len(baseline) == 1 else "softmax"

    def decide(scores: Floats) -> NDArray[Any]:
        if classes is not None:
            return np.asarray(model._labels(scores))
        return np.asarray(model._answer(scores[:, 0]))

    return Scores(
        trees=trees,
        tables=tuple(tree.values().reshape(-1, 1) for tree in trees),
        first=tuple(i % len(baseline) for i in range(len(trees))),
        start=baseline,
        divide=1.0,
        names=tuple(map(str, classes.tolist())) if len(baseline) > 1 else None,
        schema=model.schema_,
        read=lambda X: model._prepare(X)[0],
        link=link,
        has_classes=classes is not None,
        decide=decide,
    )


def _of_samme(model: Any, who: str) -> Scores:
    members = model.samme_.estimators
    if not all(hasattr(member, "tree_") for member in members):
        raise TypeError(
            f"{who}() takes SAMME of single trees; method={model.method!r} has one "
            "tree per class"
        )
    trees = tuple(member.tree_ for member in members)
    _refuse_shares(trees, who, "SAMME")
    n_classes, weights = model.n_classes_, model.samme_.weights
    others, total = n_classes - 1, sum(weights)
    tables = []
    for member, weight in zip(members, weights, strict=True):
        vote = np.eye(n_classes)[member._leaf_classes()[:, 0]]
        score = weight / total * (vote * (1 + 1 / others) - 1 / others)
        tables.append(score if n_classes > 2 else score[:, 1:] - score[:, :1])
    return Scores(
        trees=trees,
        tables=tuple(tables),
        first=(0,) * len(trees),
        start=np.zeros(tables[0].shape[1]),
        divide=1.0,
        names=tuple(map(str, model.classes_.tolist())) if n_classes > 2 else None,
        schema=model.schema_,
        read=lambda X: members[0]._prepare(X)[0],
        link="softmax" if n_classes > 2 else "expit",
        has_classes=True,
        decide=model._labels,
    )


def _of_one_per_class(model: Any) -> Scores:
    members = model.estimators_
    if len(members) == 1:
        return _of_tree(members[0])
    each = [_of_tree(member) for member in members]
    return Scores(
        trees=tuple(one.trees[0] for one in each),
        tables=tuple(one.tables[0][:, 1:] for one in each),  # of False and True
        first=tuple(range(len(each))),
        start=np.zeros(len(each)),
        divide=1.0,
        names=tuple(map(str, model.classes_.tolist())),
        schema=members[0].schema_,
        read=each[0].read,
        link="shares",
        has_classes=True,
        decide=lambda scores: np.asarray(model.classes_[scores.argmax(axis=1)]),
    )
