# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models are read into a walk: their trees, how these vote, what leaves say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify.exports.levels import joined, leaves_of, levels_of
from ramify.exports.walk import LeafLines, Output, Vote, Walk
from ramify.table.schema import Schema
from ramify.tree.by_hand import by_hand
from ramify.tree.conditions import as_in_file, columns_of
from ramify.tree.tree import Tree

__all__ = ["walk_of"]

Floats = NDArray[np.float64]


def walk_of(model: Any, feature_names: Sequence[str] | None = None) -> Walk:
    """Read a fitted model: a tree, a forest, gradient boosting, a tuned tree."""
    _refuse_unfitted(model)
    name = type(model).__name__
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "tree_"):
        trees, vote, values = _of_tree(model)
    elif "sum_" in vars(model):
        trees, vote, values = _of_boosting(model)
    elif "samme_" not in vars(model) and hasattr(model, "_together"):
        trees, vote, values = _of_forest(model)
    else:
        is_samme = "samme_" in vars(model)
        raise TypeError(
            f"{name}{', a boosted model with weighted votes,' if is_samme else ''} "
            "cannot be exported: a single tree, a forest or gradient boosting can; "
            "export its trees (estimators_) one by one"
        )
    schema: Schema = getattr(model, "schema_", None) or Schema.numeric(
        model.n_features_in_
    )
    columns = tuple(as_in_file(schema.columns, getattr(model, "file_", None)))
    if feature_names is not None:
        holder = model if hasattr(model, "tree_") else _Holder(trees[0], schema)
        columns = tuple(columns_of(holder, feature_names))
    policy = getattr(model, "_policy", lambda key: getattr(model, key, None))
    refuses = policy("missing") == "error" or getattr(
        model, "_needs_values", _first_needs_values(model)
    )
    parts = [
        levels_of(tree, value, schema.columns)
        for tree, value in zip(trees, values, strict=True)
    ]
    return joined(
        parts,
        columns=columns,
        has_names=schema.has_names or feature_names is not None,
        unseen=str(policy("unseen")),
        missing="error" if refuses else "branch",
        vote=vote,
        estimator=name,
        by_hand=tuple(by_hand(model).lines()),
        file=getattr(model, "file_", None) if feature_names is None else None,
        lines=_lines_of(trees),
    )


def _lines_of(trees: list[Tree]) -> LeafLines | None:
    """Return the lines of the leaves of all trees, in the order of the walk."""
    parts = []
    for tree in trees:
        if tree.lines is None:
            return None
        levels = leaves_of(tree)
        length = np.diff(tree.lines.begin)[levels]
        starts = tree.lines.begin[:-1][levels]
        before = np.cumsum(length) - length
        places = np.arange(length.sum()) + np.repeat(starts - before, length)
        rest = {
            name: getattr(tree.lines, name)[places]
            for name in ("column", "slope", "low", "high", "fill")
        }
        ends = {"bottom": tree.lines.y_low, "top": tree.lines.y_high}
        bounds = {name: np.full(len(levels), x) for name, x in ends.items()}
        parts.append({"begin": length, **rest, **bounds})
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    whole["begin"] = np.concatenate([[0], np.cumsum(whole["begin"])]).astype(np.int64)
    return LeafLines(**whole)


class _Holder(NamedTuple):
    """What `columns_of` needs."""

    tree_: Tree
    schema_: Schema


def _refuse_unfitted(model: Any) -> None:
    check = getattr(model, "__sklearn_is_fitted__", None)
    if check is None:
        raise TypeError(
            f"export takes a fitted model of Ramify, not {type(model).__name__}"
        )
    if not check():
        raise ValueError(f"{type(model).__name__} is not fitted; call fit first")
    if not hasattr(model, "predict"):
        raise TypeError(
            f"{type(model).__name__} predicts nothing that could be exported; export "
            "its trees (estimators_) one by one"
        )


def _first_needs_values(model: Any) -> bool:
    trees = getattr(model, "estimators_", None) if "sum_" not in vars(model) else None
    return any(getattr(tree, "_needs_values", False) for tree in (trees or [])[:1])


_Read = tuple[list[Tree], Vote, list[Floats]]


def _outputs(model: Any, n_outputs: int) -> tuple[Output, ...]:
    classes = getattr(model, "classes_", None)
    if classes is None:
        return tuple(Output(None) for _ in range(n_outputs))
    return tuple(map(Output, [classes] if n_outputs == 1 else classes))


def _flat(value: Floats, outputs: tuple[Output, ...]) -> Floats:
    """Lay the outputs of nodes side by side, without the space for missing classes."""
    return np.concatenate(
        [value[:, j, : output.size] for j, output in enumerate(outputs)], axis=1
    )


def _of_tree(model: Any) -> _Read:
    tree: Tree = model.tree_
    outputs = _outputs(model, tree.n_outputs)
    shown = raw = _flat(tree.value, outputs)
    vote = Vote(
        start=np.zeros(raw.shape[1]),
        first=np.zeros(1, dtype=np.int64),
        divide=1,
        link="none",
        decide="number" if outputs[0].labels is None else "argmax",
        decide_from=0,
        costs=None,
        outputs=outputs,
    )
    if vote.is_number:
        return [tree], vote, [raw]
    costs = getattr(model, "cost_matrix", None)
    if model.laplace:
        shown = _flat(tree.smoothed(), outputs)
    if costs is not None and model.n_classes_ != 1:
        if tree.is_fractional:
            vote = replace(
                vote, decide="argmin_cost", costs=np.asarray(costs, dtype=np.float64)
            )
        else:
            # As predict multiplies: a leaf's costs are the same numbers, to the bit.
            raw = -(tree.value @ np.asarray(costs, float))[:, 0]
    if raw is shown or (not tree.is_fractional and _decide_alike(raw, shown, outputs)):
        return [tree], vote, [shown]
    both = np.concatenate([shown, raw], axis=1)
    vote = replace(vote, start=np.zeros(both.shape[1]), decide_from=shown.shape[1])
    return [tree], vote, [both]


def _decide_alike(raw: Floats, shown: Floats, outputs: tuple[Output, ...]) -> bool:
    """Return whether decisions by what is shown are those by what is looked at."""
    begin = 0
    for output in outputs:
        part = slice(begin, begin + output.size)
        begin += output.size
        if (raw[:, part].argmax(axis=1) != shown[:, part].argmax(axis=1)).any():
            return False
    return True


def _of_forest(model: Any) -> _Read:
    trees = [each.tree_ for each in model.estimators_]
    outputs = _outputs(model, trees[0].n_outputs)
    is_number = outputs[0].labels is None
    is_hard = not is_number and model.voting == "hard"
    costs = None if is_number else model._costs()
    tables = model._tables(for_votes=True) if is_hard else model._tables()
    if is_hard and any(tree.is_fractional for tree in trees):
        raise TypeError(
            f"{type(model).__name__} with voting='hard' and missing='fractional' "
            "cannot be exported: a tree votes by an average of leaves; use "
            "voting='soft'"
        )
    values = [_flat(table, outputs) for table in tables]
    if is_hard:
        values = [_votes(value, outputs) for value in values]
        costs = None
    vote = Vote(
        start=np.zeros(values[0].shape[1]),
        first=np.zeros(len(trees), dtype=np.int64),
        divide=len(trees),
        link="none",
        decide="number" if is_number else "argmax" if costs is None else "argmin_cost",
        decide_from=0,
        costs=costs,
        outputs=outputs,
    )
    return trees, vote, values


def _votes(merit: Floats, outputs: tuple[Output, ...]) -> Floats:
    """Return 1 for the first of the largest merits of each output, else 0."""
    votes, begin = np.zeros_like(merit), 0
    for output in outputs:
        best = merit[:, begin : begin + output.size].argmax(axis=1)
        votes[np.arange(len(merit)), begin + best] = 1
        begin += output.size
    return votes


def _of_boosting(model: Any) -> _Read:
    rounds, start = model.sum_.rounds, np.asarray(model.sum_.baseline, dtype=np.float64)
    trees = [tree for trees in rounds for tree in trees]
    outputs = _outputs(model, 1)
    if outputs[0].labels is None:
        link = "exp" if model.loss in ("poisson", "gamma") else "none"
        decide = "number"
    else:
        link, decide = (
            ("softmax", "argmax") if len(start) > 1 else ("expit", "positive")
        )
    vote = Vote(
        start=start,
        first=np.arange(len(trees)) % len(start),
        divide=1,
        link=link,
        decide=decide,
        decide_from=0,
        costs=None,
        outputs=outputs,
    )
    return trees, vote, [tree.value[:, 0] for tree in trees]
