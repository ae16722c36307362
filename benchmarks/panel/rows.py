# SPDX-License-Identifier: BSD-3-Clause
"""What the panel times: fits with default parameters, on made and on real tables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ramify

from ..regression import draw
from ..speed.data import Problem, digits, letter

Fit = Callable[[], object]
Table = tuple[Any, np.ndarray]

REAL = ("shuttle", "spambase", "pendigits", "letter", "segment", "satimage", "adult")
ALL_CRITERIA = ("gain_ratio", "hellinger", "dcsm")


@dataclass(frozen=True)
class Row:
    """A named fit; `prepare` makes its table, which is not timed."""

    name: str
    prepare: Callable[[], Fit]


def all_rows(folder: Path | None) -> list[Row]:
    """Return the rows; those of real tables only if their folder is given."""
    return [*_made(), *(_real(folder) if folder else ())]


def _made() -> Iterator[Row]:
    two, seven = Problem(40_000, n_test=0), Problem(20_000, n_classes=7, n_test=0)
    tables: dict[str, Callable[[], Table]] = {
        "40k": lambda: _table(two),
        "20k-7-classes": lambda: _table(seven),
        "5k-x-200": lambda: _table(Problem(5_000, 200, n_test=0)),
        "digits": lambda: _table(digits()),
        "grid": lambda: _table(letter()),
    }
    for name, make in tables.items():
        yield from _classifiers(name, make)
    for criterion in ALL_CRITERIA:
        yield _row(f"40k tree {criterion}", tables["40k"], _tree(criterion))
        yield _row(
            f"20k-7-classes tree {criterion}", tables["20k-7-classes"], _tree(criterion)
        )
    yield _row("40k tree missing", lambda: _lose(*_table(two)), _tree())
    yield _row("40k forest missing", lambda: _lose(*_table(two)), _forest())
    yield _weighted("40k tree weights", tables["40k"], _tree())
    yield _weighted("40k forest weights", tables["40k"], _forest())
    yield _row("40k tree balanced", tables["40k"], _tree(class_weight="balanced"))
    yield _row("40k tree leaf-20", tables["40k"], _tree(min_samples_leaf=20))
    yield _row("40k tree best-first", tables["40k"], _tree(max_leaf_nodes=500))
    yield _row("40k tree 255 bins", tables["40k"], _tree(max_bins=255))
    yield from _regressors("20k-numbers", lambda: draw(20_000))
    numbers = lambda: draw(5_000)  # noqa: E731
    for criterion in ("poisson", "absolute_error"):
        yield _row(
            f"5k-numbers tree {criterion}", numbers, _regression(criterion, max_depth=8)
        )


def _real(folder: Path) -> Iterator[Row]:
    for name in REAL:
        yield from _classifiers(name, lambda name=name: _read(folder, name))
    for name in ("pendigits", "shuttle"):
        yield from _regressors(
            name, lambda name=name: _as_regression(_read(folder, name))
        )


def _classifiers(name: str, make: Callable[[], Table]) -> Iterator[Row]:
    extra = ramify.ExtraTreesClassifier(5, random_state=0)
    boosted = ramify.BoostedTreesClassifier(n_estimators=5, max_depth=6, n_jobs=1)
    yield _row(f"{name} tree", make, _tree())
    yield _row(f"{name} forest", make, _forest())
    yield _row(f"{name} extra", make, extra)
    yield _row(f"{name} boosted", make, boosted)


def _regressors(name: str, make: Callable[[], Table]) -> Iterator[Row]:
    third = ramify.RandomForestRegressor(2, max_features=1 / 3, random_state=0)
    yield _row(f"{name} regression tree", make, _regression())
    yield _row(
        f"{name} regression forest",
        make,
        ramify.RandomForestRegressor(2, random_state=0),
    )
    yield _row(f"{name} regression forest third", make, third)
    yield _row(
        f"{name} regression extra", make, ramify.ExtraTreesRegressor(2, random_state=0)
    )


def _tree(criterion: str = "gini", **params: Any) -> Any:
    return ramify.DecisionTreeClassifier(criterion, **params)


def _forest() -> Any:
    return ramify.RandomForestClassifier(5, random_state=0)


def _regression(criterion: str = "squared_error", **params: Any) -> Any:
    return ramify.DecisionTreeRegressor(criterion, **params)


def _row(name: str, make: Callable[[], Table], model: Any) -> Row:
    def prepare() -> Fit:
        X, y = make()
        return lambda: model.fit(X, y)

    return Row(name, prepare)


def _weighted(name: str, make: Callable[[], Table], model: Any) -> Row:
    """Fit rows of which no two weigh the same."""

    def prepare() -> Fit:
        X, y = make()
        weight = np.random.default_rng(0).random(len(y)) + 0.01
        return lambda: model.fit(X, y, weight)

    return Row(name, prepare)


def _table(problem: Problem) -> Table:
    data = problem.make()
    return data.X, data.y


def _lose(X: np.ndarray, y: np.ndarray) -> Table:
    """Remove a tenth of the values of every other column."""
    lost = np.random.default_rng(0).random(X.shape) < 0.1
    lost[:, ::2] = False
    return np.where(lost, np.float32(np.nan), X), y


def _read(folder: Path, name: str) -> Table:
    """Read a table of which the last column is the class."""
    import pandas as pd

    frame = pd.read_csv(folder / f"{name}.csv.gz")
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy()
    words = X.select_dtypes(exclude="number").columns
    if len(words):
        return X.astype(dict.fromkeys(words, "category")), y
    return X.to_numpy(np.float64), y


def _as_regression(table: Table) -> Table:
    """Predict the last column from the others."""
    X, _ = table
    return X[:, :-1], X[:, -1]
