# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons with made-up numbers, of any size, for pictures and reports."""

import numpy as np

from ramify import methods
from ramify.comparison.result import (
    Comparison,
    DatasetFacts,
    MethodFacts,
    Protocol,
    Record,
)

METRICS = ("accuracy", "auc", "leaves", "fit_time")


def comparison(
    scores,
    names=None,
    datasets=None,
    *,
    metric="accuracy",
    baseline=None,
    failed=(),
    folds=None,
):
    """Make a comparison in which each method has these means: data sets x methods."""
    scores = np.asarray(scores, dtype=float)
    n, k = scores.shape
    names = [f"c{j}" for j in range(k)] if names is None else names
    datasets = [f"d{i}" for i in range(n)] if datasets is None else datasets
    shifts = np.zeros(2) if folds is None else np.asarray(folds)
    records = []
    for i, dataset in enumerate(datasets):
        for fold, shift in enumerate(shifts):
            for j, name in enumerate(names):
                if (dataset, name) in failed:
                    record = Record(dataset, name, 0, fold, {}, "ValueError: not today")
                else:
                    values = {metric: float(scores[i, j] + shift)}
                    record = Record(dataset, name, 0, fold, values)
                records.append(record)
    return Comparison(
        methods=tuple(_facts(name) for name in names),
        datasets=tuple(_dataset(name) for name in datasets),
        metrics=(metric,),
        records=tuple(records),
        protocol=Protocol(len(shifts)),
        random_state=0,
        baseline=baseline,
        versions={"ramify": "0", "python": "3"},
    )


def random_comparison(k, n, *, n_folds=10, seed=0, baseline=None, failed=(), extra=()):
    """Make a comparison that looks like a real one, with k methods and n data sets."""
    rng = np.random.default_rng(seed)
    known = methods.names()
    extra = [*extra, *([] if baseline is None else [baseline])]
    names = [
        *extra,
        *(
            known[j % len(known)] + "_2" * (j // len(known))
            for j in range(k + len(extra))
        ),
    ]
    names = list(dict.fromkeys(names))[:k]
    datasets = [
        *("iris", "wine", "breast_cancer", "digits", "xor", "rings", "waveform"),
        *("imbalanced", "nine"),
        *(f"set{i}" for i in range(n)),
    ][:n]
    skill, size = rng.normal(0, 0.02, k), rng.lognormal(3, 0.9, k)
    records = []
    for dataset in datasets:
        level, wide = rng.uniform(0.7, 0.95), rng.uniform(0.5, 3)
        own = rng.normal(0, 0.012, k)
        for fold in range(n_folds):
            easy = rng.normal(0, 0.02)
            for j, name in enumerate(names):
                noise = rng.normal(0, 0.01)
                accuracy = min(level + skill[j] + own[j] + easy + noise, 1.0)
                values = {
                    "accuracy": accuracy,
                    "auc": min(accuracy + 0.03, 1.0),
                    "leaves": size[j] * wide + fold % 3,
                    "fit_time": 1e-4 * size[j] ** 1.5 * wide,
                }
                error = None
                if (dataset, name) in failed:
                    values, error = {}, "ValueError: not today"
                records.append(Record(dataset, name, 0, fold, values, error))
    return Comparison(
        methods=tuple(_facts(name) for name in names),
        datasets=tuple(_dataset(name) for name in datasets),
        metrics=METRICS,
        records=tuple(records),
        protocol=Protocol(n_folds),
        random_state=0,
        seconds=12.3,
        baseline=baseline,
        versions={"ramify": "0.1.0", "numpy": "2.0"},
    )


def _facts(name):
    return MethodFacts(
        name,
        "Parts the rows by a made-up measure.",
        "sum over k of p_k (1 - p_k)",
        "Nobody and Nowhere, 1999",
        "DecisionTreeClassifier(random_state=0)",
    )


def _dataset(name):
    return DatasetFacts(name, 150, 4, 1, 3, {"a": 50, "b": 100}, "Made up.")
