# SPDX-License-Identifier: BSD-3-Clause
"""What both optimal trees share: the search, its limits, and what came of it."""

from __future__ import annotations

import time
import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils import Bunch

from ramify import _core
from ramify.distributed.core.routing import OnePlace
from ramify.estimators.optimal.progress import OptimalityWarning, Progress
from ramify.estimators.optimal.starts import greedy_trees
from ramify.estimators.validation.parameters import n_rows_of
from ramify.estimators.validation.reading import (
    forget_fit,
    matrix_of,
    remember_columns,
)
from ramify.estimators.validation.sample import Sample
from ramify.table import Table, n_threads
from ramify.tree import Tree

__all__ = ["OptimalTree"]

_WIDE = 10**6  # cells from which on lookahead sees two tests ahead
_BUDGETS = {
    "time": "time_limit={}",
    "subproblems": "max_subproblems={}",
    "interrupt": "an interrupt",
}


class OptimalTree:
    """Searches the best small tree. The parameters of greedy growth have no meaning."""

    splitter: Any = "best"
    splitter_params: Any = None
    criterion_params: Any = None
    monotonic_cst: Any = None
    record_candidates: Any = None
    candidate_criteria: Any = None
    max_features: Any = None
    max_leaf_nodes: Any = None
    min_samples_split: Any = 2
    min_impurity_decrease: Any = 0.0
    ccp_alpha: Any = 0.0
    prune: Any = None
    prune_params: Any = None
    categories: Any = "subset"
    max_exhaustive_categories: Any = 8
    max_subset_size: Any = None
    missing: Any = "both"
    unseen: Any = "heavier"
    leaf_rule: Any = "restrict"
    zero_gain: Any = "split"
    threshold: Any = "midpoint"
    random_state: Any = None

    _one_place: ClassVar[OnePlace] = OnePlace.NEVER
    _refines = True  # the greedy trees, where that is worth its time
    _leaf_price: float
    _starts: dict[str, tuple[float, int]]  # what greedy trees cost, and their leaves
    # What a search has learnt of its tree, which is not true of a smaller one.
    _of_search = (
        *("objective_", "loss_", "lower_bound_", "optimality_gap_", "is_optimal_"),
        *("search_space_", "stopped_by_", "start_objectives_", "root_objectives_"),
        *("n_subproblems_", "n_cuts_", "seconds_"),
    )

    def _why_not_by_sums(self) -> str:
        return (
            f"{type(self).__name__} searches all rows at once, which partitions do not "
            "allow; fit in memory, on a sample if need be"
        )

    def _takes_outputs(self) -> bool:
        return False

    def _fit_search(
        self,
        sample: Sample,
        y: Any,
        weight: NDArray[np.float64] | None,
        costs: NDArray[np.float64] | None,
    ) -> Tree:
        """Search the tree of these rows; note what is known of it."""
        model: Any = self
        began = time.monotonic()
        forget_fit(model)
        for fact in self._of_search:
            model.__dict__.pop(fact, None)
        table = sample.table
        self._check_memory(sample)
        schema, renumber = model._seen(table, sample.rows)
        horizon = self._horizon(sample)
        # The proof takes far longer than to refine trees from depth 4 on, not before.
        is_slow = model.search == "lookahead" or model.max_depth > 3
        is_slow = is_slow and self._refines
        starts = list(greedy_trees(model, table, y, weight, refined=is_slow))
        arrays = [_native_arrays(tree.tree_, renumber) for _, tree in starts]
        total = float(len(sample)) if weight is None else float(weight.sum())
        left = None
        if model.time_limit is not None:
            left = max(0.0, model.time_limit - (time.monotonic() - began))
        found: dict[str, Any] = _core.best_tree(
            table.core,
            sample.rows,
            model._core_target(sample, sample.weight),
            costs,
            float(model.penalty),
            self._impurity,
            arrays,
            {
                "max_depth": int(model.max_depth),
                "horizon": horizon,
                "min_rows": n_rows_of(model.min_samples_leaf, len(sample), least=1),
                "max_gap": float(model.max_gap),
                "max_subproblems": model.max_subproblems,
                "n_threads": n_threads(model.n_jobs),
                "all_roots": bool(model.all_roots),
            },
            left,
            Progress(model.penalty * total) if model.verbose else None,
        )
        grown = {name: np.asarray(value) for name, value in found["tree"].items()}
        tree: Tree = model._written(
            grown,
            table.schema,
            sample.target.n_classes,
            renumber,
            None,
            lambda j: matrix_of(table, sample.rows, {})[:, j],
        )
        self._note(found, tree, [name for name, _ in starts], schema.names)
        model.search_space_ = self._space(table)
        model.schema_ = schema
        model.max_features_ = table.shape[1]
        remember_columns(model, table.columns, table.shape[1])
        model.seconds_ = time.monotonic() - began
        self._warn()
        return tree

    @property
    def _impurity(self) -> str:
        """The impurity that the nodes of the tree store."""
        return "variance" if is_regressor(self) else "misclassification"

    def _horizon(self, sample: Sample) -> int:
        """How far lookahead sees; 0 if the search is exact."""
        model: Any = self
        if model.search == "exact":
            return 0
        if model.horizon is not None:
            return int(model.horizon)
        return 2 if len(sample) * sample.table.shape[1] > _WIDE else 3

    def _check_memory(self, sample: Sample) -> None:
        """Refuse a search whose sets of rows alone take more than is allowed."""
        model: Any = self
        n_rows, n_columns = len(sample), sample.table.shape[1]
        depth = min(model.max_depth, 5)
        needed = 8 * n_rows * n_columns * depth * n_threads(model.n_jobs)
        needed *= 1 if sample.weight is None and not is_regressor(self) else 2
        if needed > model.max_memory:
            raise ValueError(
                f"a search on {n_rows} rows and {n_columns} columns at "
                f"max_depth={model.max_depth} takes about {needed / 2**30:.2g} GB, and "
                f"max_memory={model.max_memory} allows {model.max_memory / 2**30:.2g}; "
                "use fewer rows or columns, a lower max_depth, or a larger max_memory"
            )

    def _note(
        self,
        found: dict[str, Any],
        tree: Tree,
        starts: list[str],
        names: list[str],
    ) -> None:
        """Set the attributes that say what the search has found, and proved."""
        model: Any = self
        first_leaf = found["penalty"]
        model.loss_ = self._loss_of(tree, found)
        model.objective_ = model.loss_ + first_leaf * tree.n_leaves
        model.is_optimal_ = bool(found["is_exact"])
        bound = found["bound"] + first_leaf
        model.lower_bound_ = (
            model.objective_ if model.is_optimal_ else min(bound, model.objective_)
        )
        above = model.objective_ - model.lower_bound_
        model.optimality_gap_ = above / model.objective_ if above > 0 else 0.0
        model.stopped_by_ = found["stopped_by"] or None
        model.n_subproblems_ = int(found["n_subproblems"])
        model.n_cuts_ = int(found["n_cuts"])
        known = zip(starts, found["known"], found["known_leaves"], strict=True)
        self._leaf_price = first_leaf
        self._starts = {
            name: (float(cost + first_leaf), int(leaves))
            for name, cost, leaves in known
            if not np.isnan(cost)
        }
        model.start_objectives_ = {
            name: cost for name, (cost, _) in self._starts.items()
        }
        if model.all_roots and model.stopped_by_ is None:
            roots = (found["roots"] + first_leaf).tolist()
            model.root_objectives_ = {
                name: cost
                for name, cost in zip(names, roots, strict=True)
                if np.isfinite(cost)
            }

    def _loss_of(self, tree: Tree, found: dict[str, Any]) -> float:
        """Return the loss of a tree, which the search of numbers has rounded."""
        if not is_regressor(self):
            return float(found["loss"])
        leaf = tree.children_left < 0
        return float((tree.impurity * tree.weighted_n_node_samples)[leaf].sum())

    def _space(self, table: Table) -> str:
        """Say which trees were searched."""
        model: Any = self
        space = f"trees of depth up to {model.max_depth}, all thresholds"
        if table.max_bins is not None:
            space = (
                f"trees of depth up to {model.max_depth}, thresholds between bins "
                f"(max_bins={table.max_bins})"
            )
        sizes = [len(c.categories) for c in table.schema.columns if c.is_categorical]
        if any(size > 6 for size in sizes):
            space += "; of more than six categories, one against the others"
        return space

    def _warn(self) -> None:
        """Warn once of a budget that ran out, with both numbers."""
        model: Any = self
        if model.stopped_by_ not in _BUDGETS:
            return
        limit = {"time": model.time_limit, "subproblems": model.max_subproblems}
        why = _BUDGETS[model.stopped_by_].format(limit.get(model.stopped_by_))
        warnings.warn(
            f"stopped by {why}: the tree has objective {model.objective_:.6g}, and no "
            f"tree has less than {model.lower_bound_:.6g}",
            OptimalityWarning,
            stacklevel=5,
        )

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Return the alphas and impurities of minimal cost-complexity pruning."""
        other: Any = type(self)(**self.get_params(deep=False))  # type: ignore[attr-defined]  # scikit-learn's
        tree = other.fit(X, y, sample_weight=sample_weight).tree_
        alphas, impurities, _ = tree.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)


def _native_arrays(
    tree: Tree, renumber: dict[int, NDArray[np.int64]]
) -> dict[str, NDArray[Any]]:
    """Return a tree with its categories as the table numbers them."""
    arrays: dict[str, NDArray[Any]] = dict(tree.arrays())
    if not renumber:
        return arrays
    feature = np.repeat(arrays["feature"], np.diff(arrays["split_begin"]))
    value = np.array(arrays["split_value"])
    for j, new in renumber.items():
        here = feature == j
        value[here] = np.flatnonzero(new >= 0)[value[here].astype(np.int64)]
    arrays["split_value"] = value
    return arrays
