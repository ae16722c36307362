# SPDX-License-Identifier: BSD-3-Clause
"""What the trees of a survival forest learn: times to an event."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.criteria.survival import SurvivalCriterion, resolve_survival
from ramify.estimators.forest.task import _MAX_AT_ONCE, Task
from ramify.estimators.survival.target import Times

__all__ = ["SurvivalTask"]


class SurvivalTask(Task):
    """A task whose target is `Times`."""

    target: Times

    def _criterion(self) -> SurvivalCriterion:
        return resolve_survival(self._tree.criterion, self._tree.criterion_params)

    def _read(self, y: Any, n_rows: int) -> Times:
        assert isinstance(y, Times)  # made where the weights are known
        return y

    @property
    def at_once(self) -> int:
        """How many trees the engine may grow in one call."""
        is_plain = self._chosen.function is None and not self._renumber
        return _MAX_AT_ONCE if is_plain else 1

    def _grow_one(self, t: int, check_stop: Any) -> Any:
        model = super()._grow_one(t, check_stop)
        curves = model.tree_.curves
        assert curves is not None
        model.tree_.curves = curves.brief()
        return model

    def describe(self, model: Any) -> None:
        """Set what a model knows of times."""
        model._remember(self.target)

    def _honest_values(
        self, tree: Any, leaves: NDArray[np.int64], target: Any, weight: Any
    ) -> Any:
        raise NotImplementedError("survival forests are not honest")
