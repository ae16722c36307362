# SPDX-License-Identifier: BSD-3-Clause
"""What the trees of a forest learn of numbers: means, medians or quantiles."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.estimators.conformal.spread import deviations_of
from ramify.estimators.forest.honest import number_sums_by_node, quantiles_by_node
from ramify.estimators.forest.task import Task
from ramify.estimators.validation.regression_target import (
    Numbers,
    check_range,
    check_target_values,
    level_of,
    shrink_of,
)
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["RegressionTask"]

Floats = NDArray[np.float64]


class RegressionTask(Task):
    """A task whose target is `Numbers`."""

    def _criterion(self) -> Any:
        tree = self._tree
        return criteria.resolve_numeric(tree.criterion, tree.criterion_params)

    def _read(self, y: Any, n_rows: int) -> Numbers:
        return Numbers(check_target_values(y, n_rows, type(self._forest).__name__))

    def _check(self, table: Table) -> None:
        check_range(self.sample.target.values, self._chosen)
        honest, shrink = self._forest.honest, shrink_of(self._chosen)
        if honest is not None and shrink > 0:
            raise ValueError(
                f"honest={honest!r} fills leaves with means of other rows, which "
                f"criterion='poisson' with shrink={shrink:g} does not reach; set "
                "honest=None, or shrink=0"
            )

    def _honest_values(
        self, tree: Tree, leaves: NDArray[np.int64], target: Numbers, weight: Floats
    ) -> tuple[Floats, Floats]:
        total, sums = number_sums_by_node(tree, leaves, target.values, weight)
        level = level_of(self._chosen)
        if level is None:
            safe = np.where(total > 0, total, 1.0)
            value = sums / safe[:, None]
        else:
            value = quantiles_by_node(tree, leaves, target.values, weight, level)
        return value[:, :, None], total

    def describe(self, model: Any) -> None:
        """Set the number of outputs, and how far their numbers are spread."""
        model.n_outputs_ = self.target.values.shape[1]
        model._deviation = self._deviation

    @cached_property
    def _deviation(self) -> Floats:
        return deviations_of(self.sample.target.values, self.sample.weight)
