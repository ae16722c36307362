# SPDX-License-Identifier: BSD-3-Clause
"""What a person looks at while editing: cuts that are not made yet, other trees."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from ramify.editing import cuts
from ramify.editing.candidates import read_criteria
from ramify.editing.edits import Context
from ramify.editing.engine import Engine, empty_tree
from ramify.editing.finishing import model_of
from ramify.editing.growing import model_for
from ramify.editing.node import tree_of
from ramify.editing.scoring import score_tree
from ramify.editing.state import State
from ramify.tree.tree import Tree

__all__ = ["machine", "machines", "previewed"]

_MOST_SIZES = 40


def previewed(
    context: Context,
    state: State,
    node: Any,
    criterion: Any = None,
    threshold: Any = None,
    categories: Any = None,
) -> dict[str, Any]:
    """Return what a cut would do at a node: class weights on both sides, and a score.

    The column is that of the node's split.
    """
    here = state.find(node)
    if here.test is None or here.test.kind == Tree.INTERVALS or len(here.children) != 2:
        raise ValueError(f"node {here.number} has no one cut to move")
    test = here.test
    if test.terms is not None:
        test = replace(test, threshold=cuts.number_of("threshold", threshold))
    elif categories is not None:
        new = cuts.cut_by_categories(context.data, here, test.feature, categories)
        test = replace(new, missing=test.missing, default=test.default)
    else:
        test = replace(test, threshold=cuts.number_of("threshold", threshold))
    rows = here.all_rows()
    right = test.branches(context.data.matrix, rows) > 0
    ((_, chosen),) = read_criteria(context, criterion).items()
    target = context.data.target
    sides = []
    for part in (rows[~right], rows[right]):
        places = part.astype(np.intp)
        if context.data.is_numeric:
            y = target.values[places, 0]
            sides.append([float(y.mean())] if len(y) else [])
        else:
            codes = target.codes[places, 0].astype(np.intp)
            counts = np.bincount(codes, minlength=len(target.classes[0]))
            sides.append(counts.tolist())
    score = context.engine.score(chosen, right, rows)
    return {
        "rows": [int((~right).sum()), int(right.sum())],
        "sides": sides,
        "score": None if np.isnan(score) else score,
    }


def machines(
    context: Context, state: State, criteria: list[Any], metric: str
) -> list[dict[str, Any]]:
    """Score automatic trees at every size of their pruning paths.

    Each is grown on the training rows by one criterion, as the editor grows the root,
    and pruned by cost and complexity; of many sizes some are taken.
    """
    found = []
    for criterion in criteria:
        whole = _whole(context, state, criterion)
        tree = tree_of(whole.root, empty_tree(context.data, whole.root.statistics))
        for alpha in _alphas(tree):
            small = tree.pruned(alpha)
            score = functools.partial(
                score_tree, context.data, whole.model, small, metric=metric
            )
            found.append(
                {
                    "criterion": criterion,
                    "alpha": alpha,
                    "leaves": small.n_leaves,
                    "training": score("training"),
                    "validation": score("validation"),
                }
            )
    return found


def machine(context: Context, state: State, criterion: Any, alpha: float) -> Any:
    """Return one of these trees as a fitted estimator."""
    model = model_of(context.data, _whole(context, state, criterion))
    model.tree_ = model.tree_.pruned(alpha)
    return model


def _whole(context: Context, state: State, criterion: Any) -> State:
    data = context.data
    model = model_for(data, context.start, None, {"criterion": criterion}, True)
    engine = Engine(data, model)
    root = engine.grown(
        model,
        data.every_row(),
        data.every_held(),
        None,
        lambda place: place,
        context.progress,
    )
    return State(root, 0, model)


def _alphas(tree: Tree) -> list[float]:
    """Return the prices at which leaves go; of many some, more of the small trees."""
    alphas = np.unique(tree.pruning_path()[0])
    if len(alphas) > _MOST_SIZES:
        steps = np.geomspace(1, len(alphas), _MOST_SIZES).astype(int)
        alphas = alphas[np.unique(len(alphas) - steps)]
    return [float(x) for x in alphas]
