# SPDX-License-Identifier: BSD-3-Clause
"""How each library is asked for the same regression trees.

Full depth, by squared error; forests draw rows and a third of the columns, extra trees
a third of the columns and one cut of each.
"""

from typing import Any

import numpy as np

from .peers import Fitted, Peer, Settings

KINDS = ("DecisionTree", "RandomForest", "ExtraTrees")


def _fit_ramify(kind: str, X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import ramify

    model = getattr(ramify, f"{kind}Regressor")(**_options(kind, settings)).fit(X, y)
    return Fitted(model.predict, model.get_n_leaves)


def _fit_sklearn(kind: str, X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn import ensemble, tree

    home = tree if kind == "DecisionTree" else ensemble
    model = getattr(home, f"{kind}Regressor")(**_options(kind, settings)).fit(X, y)
    trees = getattr(model, "estimators_", [model])
    return Fitted(model.predict, lambda: sum(tree.get_n_leaves() for tree in trees))


def _options(kind: str, settings: Settings) -> dict[str, Any]:
    options: dict[str, Any] = {"random_state": 0}
    if kind != "DecisionTree":
        options |= {"n_estimators": settings.n_trees, "max_features": 1 / 3}
        options["n_jobs"] = settings.n_threads
    return options


def _peer(label: str, package: str, fit: Any, kind: str) -> Peer:
    return Peer(label, package, lambda X, y, settings: fit(kind, X, y, settings))


NUMBERS: dict[str, Peer] = {
    f"{name}-{kind}": _peer(label, package, fit, kind)
    for kind in KINDS
    for name, label, package, fit in (
        ("ramify", "Ramify", "ramify", _fit_ramify),
        ("sklearn", "scikit-learn", "scikit-learn", _fit_sklearn),
    )
}
