# SPDX-License-Identifier: BSD-3-Clause
"""Trees that are pruned in every way, with parameters that are right and wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify.pruning.settings import METHODS

ODD = (None, True, -1, 0, 1, 2, 0.5, 1.5, 10**400, 1e308, float("nan"), "x", [], [0.5])


def _params(rng: Rng, method: str) -> dict[str, Any]:
    """Change a parameter or two, mostly to something that is allowed."""
    known = METHODS[method]
    found = {}
    for name, default in known.items():
        if rng.random() < 0.25:
            is_number = isinstance(default, float | int) and not isinstance(
                default, bool
            )
            near = default * pick(rng, 0.5, 1, 2) if is_number else default
            if isinstance(default, int):
                near = default
            found[name] = near if rng.random() < 0.7 else pick(rng, *ODD)
    return found


def pruning(rng: Rng) -> list[str]:
    """Fit a tree with pruning, in two orders of the rows, and look at both."""
    method = str(pick(rng, *METHODS))
    n, d = int(rng.integers(6, 60)), int(rng.integers(1, 4))
    X = np.round(rng.normal(size=(n, d)), int(pick(rng, 0, 0, 1)))
    is_numbers = rng.random() < 0.3
    params = {"max_depth": pick(rng, None, 3), "prune": method, "random_state": 0}
    params["prune_params"] = _params(rng, method) or None
    if is_numbers:
        scale = 10.0 ** float(pick(rng, 0, 0, -90, 90))
        y = np.round(rng.normal(size=n), 1) * scale
        model: Any = ramify.DecisionTreeRegressor(**params)
    else:
        y = rng.integers(int(rng.integers(2, 4)), size=n)
        model = ramify.DecisionTreeClassifier(**params)
    kind = pick(rng, "none", "whole", "real")
    weight = None if kind == "none" else rng.integers(1, 4, n).astype(float)
    if kind == "real":
        weight = np.round(rng.random(n) + 0.1, 2)
    try:
        model.fit(X, y, sample_weight=weight)
    except (ValueError, TypeError) as error:
        must(len(str(error)) > 20, "an error says what was wrong", repr(error))
        must("incompatible" not in str(error), "an error is ours", repr(error))
        return [f"{method}: refused"]
    answers = _answers(model, X)
    must(bool(np.isfinite(answers).all()), "answers are finite", model)
    whole = clone(model).set_params(prune=None, prune_params=None)
    whole.fit(X, y, sample_weight=weight)
    n_nodes = model.tree_.node_count
    # What holds rows out, or grafts branches, may grow another tree.
    if method not in ("rep", "ebp"):
        must(n_nodes <= whole.tree_.node_count, "pruning makes trees smaller", model)
    path = model.cost_complexity_pruning_path(X, y, sample_weight=weight)
    must(bool((np.diff(path.ccp_alphas) >= 0).all()), "prices ascend", model)
    order = rng.permutation(n)
    again = clone(model)
    again.fit(
        X[order], y[order], sample_weight=None if weight is None else weight[order]
    )
    same = np.allclose(_answers(again, X), answers, rtol=1e-12, atol=0)
    must(same, "same for any order", f"{model} weights {kind}")
    return [f"{method}: {'regression' if is_numbers else 'classes'}"]


def _answers(model: Any, X: np.ndarray) -> np.ndarray:
    is_classifier = hasattr(model, "predict_proba")
    return np.asarray(model.predict_proba(X) if is_classifier else model.predict(X))
