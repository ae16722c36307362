# SPDX-License-Identifier: BSD-3-Clause
"""What a page shows of a tree, under random folds, cuts and zooms, run in Node."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from view_stage import Stage

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick

SIZES = ((1280, 860), (360, 640), (90, 40), (3000, 200))


@functools.cache
def _stage() -> Stage | None:
    return Stage.start()


@functools.cache
def _trees() -> tuple[tuple[Any, np.ndarray, np.ndarray], ...]:
    """Make trees small and large, a leaf alone, chains, many branches."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(2)
    y = rng.integers(0, 3, 300)
    codes = rng.integers(0, 9, size=(300, 3)).astype(float)
    grow = ramify.DecisionTreeClassifier
    many = {"categories": "multiway", "categorical_features": [0, 1, 2]}
    return (
        (grow(max_depth=3).fit(X, y), X, y),
        (grow().fit(X, y), X, y),
        (grow().fit(X, np.zeros(300)), X, np.zeros(300)),
        (grow().fit(X[:, :1], np.arange(300) % 2), X[:, :1], np.arange(300) % 2),
        (grow(max_depth=3, **many).fit(codes, y), codes, y),
        (ramify.DecisionTreeRegressor(max_depth=6).fit(X, X[:, 0] ** 2), X, X[:, 0]),
    )


def pages(rng: Rng) -> list[str]:
    """Open a tree, and do a dozen things with it."""
    stage = _stage()
    if stage is None:
        return ["Node is not here"]
    model, X, y = pick(rng, *_trees())
    wrong = stage.open(model, X, y, pick(rng, *SIZES))
    must(wrong == "", "a page shows its tree", wrong)
    n = model.tree_.node_count
    deeds = [_deed(rng, n) for _ in range(rng.integers(1, 20))]
    wrong = stage.do(*deeds)
    must(wrong == "", "nothing that one does breaks a page", f"{wrong}; {deeds}")
    return [f"{n} nodes"]


def _deed(rng: Rng, n: int) -> tuple[Any, ...]:
    kind = pick(rng, "toggle", "fold", "show", "zoomHere", "foldBelow", "zoom", "move",
                "fit", "prune")  # fmt: skip
    if kind in ("toggle", "fold", "show", "zoomHere"):
        return kind, int(rng.integers(n))
    if kind == "foldBelow":
        return kind, int(rng.integers(6))
    if kind == "zoom":
        at = rng.uniform(-100, 2000, 2).tolist()
        return kind, float(pick(rng, 1.6, 0.6, 1e6, 1e-6)), *at
    if kind == "move":
        return kind, *rng.normal(0, 10.0 ** rng.integers(1, 7), 2).tolist()
    return (kind, float(rng.random())) if kind == "prune" else (kind,)
