# SPDX-License-Identifier: BSD-3-Clause
"""What the engine is asked while a tree is edited: it grows, fills leaves, scores cuts.

Statistics of a node and scores of a cut come from the engine, too, as those of a node
without a split and of a table with one column that has two values. So they are the same
for every criterion as those of `fit`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core, criteria
from ramify.criteria import catalogue
from ramify.criteria.planning import set_plan
from ramify.editing.data import EditorData
from ramify.editing.node import Node, Places, Statistics, nodes_of
from ramify.estimators.tree.pruned_fit import Growth
from ramify.estimators.validation.criterion_data import check_structure
from ramify.estimators.validation.regression_target import check_range
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import (
    check_costs,
    check_weights,
    class_attributes,
    class_weights,
    labels_of,
)
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["Engine", "check_editable", "empty_tree", "fractional", "resolved"]

Floats = NDArray[np.float64]


def resolved(model: Any, is_numeric: bool) -> Any:
    """Return the criterion of a model as the engine takes it."""
    if is_numeric:
        return criteria.resolve_numeric(model.criterion, model.criterion_params)
    return catalogue.resolve(model.criterion, model.criterion_params)


@dataclass
class Engine:
    """Asks the engine about the rows of a data, weighed as a model weighs them."""

    data: EditorData
    model: Any

    def __post_init__(self) -> None:
        data, model = self.data, self.model
        labels = data.target
        self.weight, self.costs = data.weight, None
        if not data.is_numeric:
            y = _labels(data)
            weight = class_weights(model.class_weight, y, data.weight)
            self.costs = check_costs(model.cost_matrix, labels)
            if self.costs is not None:
                by_row = self.costs.sum(axis=1)[labels.codes[:, 0]]
                weight = by_row if weight is None else weight * by_row
            self.weight = check_weights(weight, len(data))
            if self.weight is not None and (self.weight == 0).any():
                raise ValueError(
                    f"class_weight={model.class_weight!r} gives rows no weight; leave "
                    "those rows out of X and y"
                )

    # --- growing -------------------------------------------------------------------

    def grown(
        self,
        model: Any,
        rows: Places,
        held: Places,
        columns: tuple[int, ...] | None,
        number_of: Callable[[int], int],
        progress: Any = None,
    ) -> Node:
        """Return what a model grows on some rows, as `fit` would."""
        data = self.data
        table, chosen_columns = data.table(columns, _bins_of(model))
        chosen = resolved(model, data.is_numeric)
        model._check_parameters(chosen)
        self.check_target(chosen, rows)
        sample = data.sample(table, self.weight, self._sums([chosen]), rows)
        if not data.is_numeric:
            check_structure([chosen], table, sample.rows, sample.target)
        growth = Growth(model, chosen, sample, self.costs)
        growth._renumber = data.renumber(table)
        if progress is not None:
            whole = growth.grow_one
            growth.grow_one = lambda shown=None: whole(progress)  # type: ignore[method-assign,assignment]
        tree = model._grow_pruned(growth, None)
        check_editable(tree)
        model.schema_ = data.schema
        return nodes_of(
            tree,
            data.route,
            rows,
            held,
            number_of,
            None if columns is None else chosen_columns,
        )

    def check_target(self, chosen: Any, rows: Places) -> None:
        """Refuse numbers that the criterion is not defined for."""
        if self.data.is_numeric:
            check_range(self.data.target.values[rows.astype(np.intp)], chosen)

    def _sums(self, used: list[Any]) -> Any:
        return self.data.sums(used, self.data.target)

    # --- leaves and cuts -------------------------------------------------------------

    def statistics(self, rows: Places, above: Statistics | None) -> Statistics:
        """Return what some training rows say; none say what the node above says."""
        if len(rows) == 0:
            assert above is not None
            return Statistics(above.value.copy(), 0.0, 0, 0.0)
        arrays = self._alone(
            np.zeros((len(rows), 1)),
            self._target(rows),
            resolved(self.model, self.data.is_numeric),
        )
        return self._statistics(arrays)

    def _statistics(self, arrays: dict[str, NDArray[Any]]) -> Statistics:
        value = arrays["value"][0]
        weight = float(arrays["weighted_n_node_samples"][0])
        if self.costs is not None:
            share = value[0] / self.costs.sum(axis=1)
            value, weight = (share / share.sum())[None], weight * float(share.sum())
        n_rows, impurity = arrays["n_node_samples"][0], arrays["impurity"][0]
        return Statistics(np.asarray(value), weight, int(n_rows), float(impurity))

    def score(self, chosen: Any, goes_right: NDArray[Any], rows: Places) -> float:
        """Return what a criterion gives a cut of some training rows; NaN if nothing."""
        return self._score(chosen, goes_right, self._target(rows, chosen))

    def held_score(self, chosen: Any, goes_right: NDArray[Any], held: Places) -> float:
        """Return what a criterion gives a cut of some validation rows."""
        _, target, weight = self.data.held
        places = held.astype(np.intp)
        own = target.some(places)
        if not self.data.is_numeric:
            if self._needs_sums(chosen):
                return np.nan
            n_classes = [len(labels) for labels in self.data.target.classes]
            known = (own.codes < n_classes).all(axis=1)
            own, goes_right = own.some(np.flatnonzero(known)), goes_right[known]
            places = places[known]
        if len(own) == 0:
            return np.nan
        part = None if weight is None else np.ascontiguousarray(weight[places])
        if part is not None and (part == 0).any():
            own, goes_right = own.some(np.flatnonzero(part > 0)), goes_right[part > 0]
            part = part[part > 0]
        try:
            return self._score(chosen, goes_right, self._core_target(own, part, None))
        except ValueError:  # numbers that the criterion is not defined for
            return np.nan

    def _score(self, chosen: Any, goes_right: NDArray[Any], target: Any) -> float:
        n_right = int(np.count_nonzero(goes_right))
        if n_right in (0, len(goes_right)):
            return np.nan
        side = np.ascontiguousarray(goes_right, dtype=np.float64).reshape(-1, 1)
        arrays = self._alone(side, target, chosen, splits=True)
        return float(arrays["gain"][0]) if len(arrays["gain"]) > 1 else np.nan

    def best_threshold(self, chosen: Any, values: Floats, rows: Places) -> float:
        """Return where a criterion would cut some numbers of training rows."""
        column = np.ascontiguousarray(values).reshape(-1, 1)
        target = self._target(rows, chosen)
        arrays = self._alone(column, target, chosen, splits=True)
        if len(arrays["threshold"]) == 1:
            raise ValueError(
                "no threshold of this sum parts the rows in a way that the criterion "
                "likes; give threshold="
            )
        return float(arrays["threshold"][0])

    def _alone(
        self, column: Floats, target: Any, chosen: Any, splits: bool = False
    ) -> dict[str, NDArray[Any]]:
        """Let the engine look at one column: a node, and its split if it may split."""
        table = Table(column)
        plan = _core.Plan()
        set_plan(plan, chosen)
        plan.max_depth = 1
        plan.splits_at_zero = True
        if not splits:
            plan.min_split_rows = 2**31 - 1
        found: dict[str, NDArray[Any]] = _core.grow(
            table.core, None, target, plan, None
        )
        return found

    def _target(self, rows: Places, chosen: Any = None) -> Any:
        places = rows.astype(np.intp)
        weight = None if self.weight is None else self.weight[places]
        extra = None
        if chosen is not None and self._needs_sums(chosen):
            extra = self._sums([chosen])
            extra = None if extra is None else extra[places]
        return self._core_target(self.data.target.some(places), weight, extra)

    def _needs_sums(self, chosen: Any) -> bool:
        return not self.data.is_numeric and self._sums([chosen]) is not None

    def _core_target(self, own: Any, weight: Any, extra: Any) -> Any:
        sample = Sample(None, None, own, weight, extra)  # type: ignore[arg-type]
        return self.model._core_target(sample, weight)


def _bins_of(model: Any) -> int | None:
    """Return how many codes a column may have for a model; as `BaseTree._table`."""
    bins: int | None = model.max_bins
    return 10 if bins is None and model.splitter == "chaid" else bins


def _labels(data: EditorData) -> Any:
    """Return the labels of the training rows, from which weights of classes follow."""
    holder = type("Labels", (), {})()
    class_attributes(holder, data.target.classes)
    return labels_of(holder, data.target.codes)


def check_editable(tree: Tree) -> None:
    """Refuse trees in which a row reaches several leaves."""
    if tree.is_fractional:
        raise fractional()


def fractional() -> ValueError:
    """Return what is said of trees that send a row down several branches."""
    return ValueError(
        "missing='fractional' sends a row down several branches, and an editor keeps "
        "each row in one leaf; use missing='both'"
    )


def empty_tree(data: EditorData, statistics: Statistics) -> Tree:
    """Return a tree of one leaf, of which others are made."""
    arrays: dict[str, NDArray[Any]] = {
        **dict.fromkeys(("children_left", "children_right"), np.array([-1])),
        "next_sibling": np.array([-1]),
        "feature": np.array([-2]),
        "kind": np.zeros(1, dtype=np.uint8),
        "threshold": np.array([-2.0]),
        "split_begin": np.zeros(2, dtype=np.int64),
        "split_value": np.zeros(0),
        "split_branch": np.zeros(0, dtype=np.int64),
        "missing_branch": np.array([0]),
        "default_branch": np.array([0]),
        "optimal": np.zeros(1, dtype=np.uint8),
        "gain": np.array([np.nan]),
        "impurity": np.array([statistics.impurity]),
        "n_node_samples": np.array([statistics.n_rows]),
        "weighted_n_node_samples": np.array([statistics.weight]),
        "value": statistics.value[None],
    }
    return Tree(arrays, data.schema.n_columns, data.target.n_classes)
