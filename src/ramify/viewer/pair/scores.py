# SPDX-License-Identifier: BSD-3-Clause
"""Two methods on the same folds: each number with its uncertainty, never alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ramify.comparison import Protocol, compare
from ramify.comparison.baseline import rope_of
from ramify.comparison.metrics import METRICS
from ramify.comparison.statistics import bayesian_correlated_t_test, corrected_t_test
from ramify.comparison.statistics.differences import variance_factor
from ramify.datasets import Dataset
from ramify.tree.inspect import is_regressor
from ramify.viewer.page_data import Seen

__all__ = ["score_data"]

CLASS_METRICS = (
    *("accuracy", "balanced_accuracy", "auc"),
    *("leaves", "depth", "path_length"),
)
# Of regression trees: title, higher is better, decimals, too small to matter.
NUMBER_METRICS = {
    "r2": ("R²", True, 3, 0.01),
    "mae": ("mean abs. error", False, 3, 0.0),
    "leaves": ("leaves", False, 1, 0.0),
    "depth": ("depth", False, 1, 0.0),
}
LEVEL = 0.95

Floats = NDArray[np.float64]


def score_data(
    models: Sequence[Any], data: Dataset, seen: Seen, cv: Any, random_state: int
) -> dict[str, Any] | None:
    """Cross-validate both models on the same folds; None if `cv` is.

    The interval of a difference, and its p, are those of the corrected resampled
    t-test (Nadeau and Bengio 2003); the probabilities those of the Bayesian correlated
    t-test (Corani and Benavoli 2015).
    """
    if cv is None:
        return None
    protocol = Protocol.parse(cv)
    numeric = is_regressor(seen.model)
    if numeric:
        values = _of_numbers(models, data, protocol, random_state)
    else:
        values = _of_classes(models, data, protocol, random_state)
    lines = []
    for name, (one, two) in values.items():
        if np.isnan(one).all() or np.isnan(two).all():
            continue
        line = _line(name, one, two, 1 / protocol.n_folds, numeric)
        lines.append(line)
    times = f"{protocol.n_repeats} times " if protocol.n_repeats > 1 else ""
    return {"protocol": f"{times}{protocol.n_folds}-fold", "lines": lines}


def _line(
    name: str, one: Floats, two: Floats, test_share: float, numeric: bool
) -> dict[str, Any]:
    """Return the means of both, and the difference with its uncertainty."""
    if numeric:
        title, higher, digits, rope = NUMBER_METRICS[name]
        scale = 1.0
        if name == "mae":  # in the units of the target: three leading digits
            size = math.log10(max(float(np.nanmean(one)), 1e-12))
            digits = max(0, 2 - math.floor(size))
    else:
        metric = METRICS[name]
        title, higher, digits = metric.title, metric.higher_is_better, metric.digits
        rope, scale = rope_of(name), metric.scale
    known = ~(np.isnan(one) | np.isnan(two))
    one, two = one[known], two[known]
    found = two - one
    mean = float(found.mean())
    spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
    half = 0.0
    if spread > 0:
        factor = variance_factor(len(found), test_share)
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, len(found) - 1))
        half = quantile * spread * math.sqrt(factor)
    options: dict[str, Any] = {"test_share": test_share, "higher_is_better": higher}
    test = corrected_t_test(two, one, **options)
    posterior = bayesian_correlated_t_test(two, one, rope=rope, **options)
    return {
        "name": name,
        "title": title,
        "higher": higher,
        "digits": digits,
        "scale": scale,
        "rope": rope,
        "a": float(one.mean()),
        "b": float(two.mean()),
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p": test.p,
        "better": posterior.better,
        "same": posterior.same,
        "worse": posterior.worse,
    }


def _of_classes(
    models: Sequence[Any], data: Dataset, protocol: Protocol, random_state: int
) -> dict[str, tuple[Floats, Floats]]:
    result = compare(
        {"a": models[0], "b": models[1]},
        [data],
        cv=protocol,
        metrics=CLASS_METRICS,
        random_state=random_state,
    )
    failed = [record.error for record in result.records if record.error]
    if failed:
        raise ValueError(
            f"a tree could not be fitted again for the cross-validation: {failed[0]}; "
            "pass cv=None to leave it out"
        )

    def values_of(method: str, metric: str) -> Floats:
        records = [one for one in result.records if one.method == method]
        return np.array([one.values[metric] for one in records])

    return {
        name: (values_of("a", name), values_of("b", name)) for name in CLASS_METRICS
    }


def _of_numbers(
    models: Sequence[Any], data: Dataset, protocol: Protocol, random_state: int
) -> dict[str, tuple[Floats, Floats]]:
    """Part the rows at random, and fit both trees on the same parts."""
    rng = np.random.default_rng(random_state)
    n_rows = len(data.y)
    if n_rows < protocol.n_folds:
        raise ValueError(
            f"cv={protocol} needs at least {protocol.n_folds} rows, not {n_rows}"
        )
    tables = [data.table(max_bins=one.max_bins) for one in models]
    found: dict[str, list[list[float]]] = {name: [[], []] for name in NUMBER_METRICS}
    for _ in range(protocol.n_repeats):
        folds = np.array_split(rng.permutation(n_rows), protocol.n_folds)
        for test in folds:
            train = np.setdiff1d(np.arange(n_rows), test)
            truth = data.y[test]
            for i, (model, table) in enumerate(zip(models, tables, strict=True)):
                parameters = model.get_params(deep=False)
                parameters |= {"categorical_features": list(data.categorical)}
                fitted = type(model)(**parameters).fit(table[train], data.y[train])
                error = fitted.predict(table[test]) - truth
                total = float(((truth - truth.mean()) ** 2).sum())
                r2 = 1 - float((error**2).sum()) / total if total > 0 else math.nan
                found["r2"][i].append(r2)
                found["mae"][i].append(float(np.abs(error).mean()))
                found["leaves"][i].append(fitted.get_n_leaves())
                found["depth"][i].append(fitted.get_depth())
    return {
        name: (np.array(one, dtype=float), np.array(two, dtype=float))
        for name, (one, two) in found.items()
    }
