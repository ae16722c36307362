# SPDX-License-Identifier: BSD-3-Clause
"""Published methods that grow one tree of numbers: name → estimator, reference."""

from __future__ import annotations

from ramify.estimators.tree.methods import Method
from ramify.estimators.tree.model_tree import ModelTreeRegressor

__all__ = ["NUMBER_METHODS"]

NUMBER_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "m5",
            "Cuts by the fifth root of the variance; a ridge line in every node, cut "
            "back to lines that are as good as the subtree below, and smoothed.",
            "Wang, Witten (1997), Inducing Model Trees for Continuous Classes; Quinlan "
            "(1992), Learning with Continuous Classes",
            {"method": "m5"},
            estimator=ModelTreeRegressor,
            task="numbers",
        ),
        Method(
            "pilot",
            "Each node takes one model of one column by BIC: a line, a step, a bent or "
            "a broken line.",
            "Raymaekers, Rousseeuw, Verdonck, Yao (2024), Fast Linear Model Trees by "
            "PILOT",
            {"method": "pilot"},
            estimator=ModelTreeRegressor,
            task="numbers",
        ),
    )
}
