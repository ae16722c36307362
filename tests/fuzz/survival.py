# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees and forests of any parameters, on odd times and odd tables."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.base import clone

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick, rows_of, table
from ramify.criteria.survival import SURVIVAL_CRITERIA

KINDS = (
    ramify.SurvivalTree,
    ramify.ExtraSurvivalTree,
    ramify.RandomSurvivalForest,
    ramify.ExtraSurvivalTrees,
)


def times(rng: Rng, n: int) -> np.ndarray:
    """Times: few or many, tied, zero, near and far."""
    kind = rng.integers(6)
    if kind == 0:
        return rng.integers(0, 4, n).astype(float)
    if kind == 1:
        return np.full(n, float(rng.integers(0, 3)))
    if kind == 2:
        return rng.exponential(size=n) * 10.0 ** rng.integers(-300, 300)
    if kind == 3:
        return 1e15 + rng.integers(0, 5, n)
    if kind == 4:
        return rng.choice([0.0, 5e-324, 1e-310, 1.0, np.finfo(float).max], n)
    return rng.exponential(size=n)


def survival(rng: Rng) -> list[str]:
    """Fit a model in two orders of the rows, ask it everything, and load it again."""
    case = table(rng)
    n = len(case.y)
    event = rng.random(n) < pick(rng, 0.05, 0.5, 1.0)
    time = times(rng, n)
    kind = pick(rng, *KINDS)
    params: dict[str, Any] = {
        "criterion": pick(rng, *SURVIVAL_CRITERIA),
        "max_depth": pick(rng, None, 1, 4),
        "min_samples_leaf": int(pick(rng, 1, 3, 9)),
        "min_events_leaf": float(pick(rng, 0, 0, 2)),
        "missing": pick(rng, "both", "both", "left", "right"),
        "max_features": pick(rng, None, 1, "sqrt"),
        "max_leaf_nodes": pick(rng, None, None, 5),
        "random_state": 0,
    }
    if "n_estimators" in kind().get_params():
        params["n_estimators"] = 3
        params["honest"] = pick(rng, None, None, 0.4)
    model = kind(**params)
    try:
        model.fit(case.X, (time, event), sample_weight=case.weight)
    except (ValueError, TypeError) as error:
        must(len(str(error)) > 20, "an error says what was wrong", repr(error))
        return ["refused"]
    risks = model.predict(case.X)
    must(bool((risks >= 0).all() and np.isfinite(risks).all()), "risks", model)
    curves = model.predict_survival_function(case.X, return_array=True)
    good = (curves >= 0) & (curves <= 1 + 1e-12)
    must(bool(good.all()), "survival is a probability", model)
    must(bool((np.diff(curves, axis=1) <= 1e-12).all()), "survival falls", model)
    model.predict_median(case.X)
    model.predict_cumulative_hazard_function(case.X, times=[0.0, 1.0, 1e30])
    twin = pickle.loads(pickle.dumps(model))
    must(np.array_equal(twin.predict(case.X), risks), "same after pickle", model)
    if case.weights not in ("none", "whole", "zero"):
        return [f"{params['criterion']}: weights {case.weights}"]
    order = rng.permutation(n)
    weight = None if case.weight is None else case.weight[order]
    again = clone(model)
    again.fit(rows_of(case.X, order), (time[order], event[order]), sample_weight=weight)
    same = np.allclose(again.predict(case.X), risks, rtol=1e-9, atol=1e-12)
    must(same, "same for any order", f"{model} weights {case.weights}")
    return [f"{params['criterion']}: fitted"]
