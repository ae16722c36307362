# SPDX-License-Identifier: BSD-3-Clause
"""Published methods that grow one tree of numbers: name → estimator, reference."""

from __future__ import annotations

from ramify.estimators.tree.methods import TREE_METHODS, Method
from ramify.estimators.tree.model_tree import ModelTreeRegressor
from ramify.estimators.tree.oblique_regressor import ObliqueTreeRegressor

__all__ = ["NUMBER_METHODS"]


def _oblique(name: str, summary: str, reference: str) -> Method:
    return Method(
        name,
        summary,
        reference,
        {"method": name},
        estimator=ObliqueTreeRegressor,
        task="numbers",
    )


def _of_groups(name: str) -> Method:
    """Return a method of classes, which sees two groups of rows."""
    of_classes = TREE_METHODS[name]
    return _oblique(
        name,
        f"Of two groups of rows, parted at a cut of y: {of_classes.summary}",
        of_classes.reference,
    )


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
        _oblique(
            "ridge",
            "Splits along the least squares of y, with a penalty on the weights.",
            TREE_METHODS["ridge"].reference,
        ),
        _oblique(
            "cca",
            "Splits along the least squares of y without a penalty, which is the "
            "canonical direction of one output.",
            TREE_METHODS["cca"].reference,
        ),
        *(
            _oblique(name, TREE_METHODS[name].summary, TREE_METHODS[name].reference)
            for name in ("random_sparse", "rotation", "heterogeneous")
        ),
        *(
            _of_groups(name)
            for name in (
                *("logistic", "svm", "mpsvm", "fisher", "pptree", "hhcart"),
                "dgmml_mdt",
            )
        ),
    )
}
