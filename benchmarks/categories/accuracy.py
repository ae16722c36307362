# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy and leaves by cross-validation: native categories against one-hot."""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder

from ramify import DecisionTreeClassifier

from .sets import DataSet

CRITERIA = ("gini", "entropy", "gain_ratio", "hellinger", "ihd")
LARGE = 20_000  # rows: above, 5 folds do

Frames = tuple[Any, Any]
Coding = Callable[[pd.DataFrame, pd.DataFrame, list[str]], Frames]


def native(train: pd.DataFrame, test: pd.DataFrame, categorical: list[str]) -> Frames:
    return train, test


def one_hot(train: pd.DataFrame, test: pd.DataFrame, categorical: list[str]) -> Frames:
    """One column of 0 and 1 per level of the training rows, and one for missing.

    A level that only the test rows have is 0 in all of them.
    """
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encoder.fit(_as_objects(train[categorical]))

    def code(X: pd.DataFrame) -> np.ndarray:
        numbers = X.drop(columns=categorical).to_numpy(dtype=np.float64)
        return np.hstack([numbers, encoder.transform(_as_objects(X[categorical]))])

    return code(train), code(test)


CODINGS: dict[str, Coding] = {"native": native, "one-hot": one_hot}


def compare(
    data: DataSet, criteria: tuple[str, ...] = CRITERIA, n_seeds: int = 1
) -> Iterator[dict[str, Any]]:
    """Yield one record per criterion and coding, with a number for each fold."""
    folds = [fold for seed in range(n_seeds) for fold in _folds(data, seed)]
    for coding, code in CODINGS.items():
        parts = [
            code(data.X.iloc[train], data.X.iloc[test], data.categorical)
            for train, test in folds
        ]
        for criterion in criteria:
            _say(f"{data.name}: {criterion}, {coding}")
            runs = [
                _run(criterion, *part, data.y[train], data.y[test])
                for part, (train, test) in zip(parts, folds, strict=True)
            ]
            yield {
                "set": data.name,
                "criterion": criterion,
                "coding": coding,
                **{key: [run[key] for run in runs] for key in runs[0]},
            }


def _run(
    criterion: str, train: Any, test: Any, y_train: np.ndarray, y_test: np.ndarray
) -> dict[str, float]:
    start = time.perf_counter()
    tree = DecisionTreeClassifier(criterion=criterion, n_jobs=1).fit(train, y_train)
    seconds = time.perf_counter() - start
    return {
        "accuracy": float(np.mean(tree.predict(test) == y_test)),
        "leaves": int(tree.get_n_leaves()),
        "depth": int(tree.get_depth()),
        "fit seconds": seconds,
    }


def _folds(data: DataSet, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    n_folds = 5 if len(data.X) > LARGE else 10
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # lymphography has a class of two rows
        warnings.filterwarnings("ignore", "The least populated class")
        yield from folds.split(data.X, data.y)


def _as_objects(X: pd.DataFrame) -> np.ndarray:
    return np.asarray(X.astype(object).where(X.notna(), None))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
