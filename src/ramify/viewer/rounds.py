# SPDX-License-Identifier: BSD-3-Clause
"""Boosted models on a page: the tree of one round, and what all rounds add."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.tree import Tree

__all__ = ["RoundTree", "is_boosted", "round_of", "rounds_data"]

MAX_NODES = 40_000  # of all rounds, beyond which a page has their gains only

# What the page needs of a tree to let a row walk down.
_WALKED = (
    *("left", "next", "feature", "kind", "threshold", "missing", "other"),
    *("listed", "terms", "weight", "value", "unseen", "refusesMissing"),
)


class RoundTree:
    """The tree of one round, as a page shows trees that predict numbers.

    Attributes
    ----------
    tree_ : Tree
        Its leaves hold what the round adds to the score.
    schema_ : Schema
        The columns.
    unseen : str
        Of the model.
    criterion : str
        What its cuts make large.
    """

    missing = "both"
    criterion = "newton"

    def __init__(self, model: Any = None, place: int = 0, score: int = 0) -> None:
        if model is not None:
            self.tree_: Tree = model.sum_.rounds[place][score]
            self.schema_ = model.schema_
            self.unseen = model.unseen
            self.place, self.score = place, score

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: those of the model are on its own page."""
        return {}


def is_boosted(model: Any) -> bool:
    """Return whether a model is the sum of trees of gradient boosting."""
    return "sum_" in getattr(model, "__dict__", {})


def round_of(model: Any, which: int | None, score: int) -> RoundTree:
    """Return the tree of a round, of the score of one class if there are several."""
    rounds = model.sum_.rounds
    place = 0 if which is None else which
    if not 0 <= place < len(rounds):
        raise ValueError(
            f"tree={which!r} is not there; the model has {len(rounds)} rounds, from 0 "
            f"to {len(rounds) - 1}"
        )
    n_scores = len(model.sum_.baseline)
    if not 0 <= score < n_scores:
        raise ValueError(
            f"output={score!r} is not there; the model has {n_scores} scores, from 0 "
            f"to {n_scores - 1}"
        )
    return RoundTree(model, place, score)


def rounds_data(model: Any, shown: RoundTree, tree_data: Any) -> dict[str, Any]:
    """Return gain and losses of all rounds, and their trees if these are not too many.

    `tree_data` makes the plain values of a tree.
    """
    trees = [trees[shown.score] for trees in model.sum_.rounds]
    has_trees = sum(tree.node_count for tree in trees) <= MAX_NODES
    held = list(model.validation_score_)
    each = []
    for k, tree in enumerate(trees):
        gain = tree.gain[tree.children_left >= 0]
        one: dict[str, Any] = {
            "gain": _plain(float(np.nansum(gain))),
            "leaves": tree.n_leaves,
            "loss": _plain(float(model.train_score_[k])),
        }
        if k < len(held):
            one["held"] = _plain(float(held[k]))
        if has_trees:
            whole = tree_data(RoundTree(model, k, shown.score))
            one["tree"] = {name: whole[name] for name in _WALKED}
        each.append(one)
    loss = str(getattr(model, "loss", "log loss"))
    return {
        "chosen": shown.place,
        "start": _plain(float(model.sum_.baseline[shown.score])),
        "loss": loss.replace("_", " "),
        "each": each,
    }


def _plain(x: float) -> float | None:
    return float(f"{x:.7g}") if np.isfinite(x) else None
