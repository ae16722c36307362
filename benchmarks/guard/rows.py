# SPDX-License-Identifier: BSD-3-Clause
"""What the guard watches: small pieces of work, each beside scikit-learn's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import ensemble, tree

import ramify

from ..regression import draw
from ..speed.data import Data, Problem, digits, iris, letter
from ..speed.own import numpy_gini

Work = Callable[[], object]


@dataclass(frozen=True)
class Race:
    """One row: `prepare` makes the data and gives our work and scikit-learn's."""

    name: str
    prepare: Callable[[], tuple[Work, Work]]


def all_races() -> list[Race]:
    ours: Any = ramify
    one: dict[str, Any] = {"random_state": 0}
    few: dict[str, Any] = {"n_estimators": 5, **one}
    return [
        _fits("tree-40k", _made(40_000), ours.DecisionTreeClassifier(), _tree()),
        _fits("tree-20k-7", _made(20_000, 7), ours.DecisionTreeClassifier(), _tree()),
        _weighs("tree-20k-weights", _made(20_000), ours.DecisionTreeClassifier()),
        _fits(
            "tree-digits", _classes(digits()), ours.DecisionTreeClassifier(), _tree()
        ),
        _fits(
            "tree-letter", _classes(letter()), ours.DecisionTreeClassifier(), _tree()
        ),
        _fits("tree-iris", _classes(iris()), ours.DecisionTreeClassifier(), _tree()),
        _fits(
            "tree-numpy-gini",
            _made(5_000),
            ours.DecisionTreeClassifier(numpy_gini),
            _tree(),
        ),
        _fits(
            "forest-20k",
            _made(20_000),
            ours.RandomForestClassifier(**few),
            ensemble.RandomForestClassifier(**few),
        ),
        _fits(
            "forest-gaps",
            _gaps,
            ours.RandomForestClassifier(**few),
            ensemble.RandomForestClassifier(**few),
        ),
        _fits(
            "forest-letter",
            _classes(letter()),
            ours.RandomForestClassifier(**few),
            ensemble.RandomForestClassifier(**few),
        ),
        _fits(
            "forest-digits",
            _classes(digits()),
            ours.RandomForestClassifier(20, **one),
            ensemble.RandomForestClassifier(20, **one),
        ),
        _fits(
            "extra-20k",
            _made(20_000),
            ours.ExtraTreesClassifier(**few),
            ensemble.ExtraTreesClassifier(**few),
        ),
        _fits(
            "number-tree-20k",
            _numbers,
            ours.DecisionTreeRegressor(),
            tree.DecisionTreeRegressor(**one),
        ),
        _fits(
            "number-forest-20k",
            _numbers,
            ours.RandomForestRegressor(2, **one),
            ensemble.RandomForestRegressor(2, **one),
        ),
        _fits(
            "number-extra-20k",
            _numbers,
            ours.ExtraTreesRegressor(2, **one),
            ensemble.ExtraTreesRegressor(2, **one),
        ),
        _fits(
            "boosted-20k",
            _made(20_000),
            ours.BoostedTreesClassifier(n_estimators=20, max_depth=6, n_jobs=1),
            ensemble.HistGradientBoostingClassifier(max_iter=20, max_depth=6, **one),
        ),
        _predicts("predict-forest", 20_000),
        _predicts("predict-one-row", 1),
    ]


def _tree() -> tree.DecisionTreeClassifier:
    return tree.DecisionTreeClassifier(random_state=0)


Rows = tuple[np.ndarray, np.ndarray]


def _classes(problem: Problem) -> Callable[[], Rows]:
    def make() -> Rows:
        data: Data = problem.make()
        return data.X, data.y

    return make


def _made(n_rows: int, n_classes: int = 2) -> Callable[[], Rows]:
    return _classes(Problem(n_rows, n_classes=n_classes, n_test=0))


def _gaps() -> Rows:
    """Make columns of which every other has a tenth of its values missing."""
    X, y = _made(10_000)()
    lost = np.random.default_rng(0).random(X.shape) < 0.1
    lost[:, ::2] = False
    return np.where(lost, np.float32(np.nan), X), y


def _numbers() -> Rows:
    return draw(20_000)


def _fits(name: str, make: Callable[[], Rows], ours: Any, theirs: Any) -> Race:
    def prepare() -> tuple[Work, Work]:
        X, y = make()
        return lambda: ours.fit(X, y), lambda: theirs.fit(X, y)

    return Race(name, prepare)


def _weighs(name: str, make: Callable[[], Rows], ours: Any) -> Race:
    """Fit rows of which no two weigh the same."""

    def prepare() -> tuple[Work, Work]:
        X, y = make()
        weight = np.random.default_rng(0).random(len(y)) + 0.01
        theirs = _tree()
        return lambda: ours.fit(X, y, weight), lambda: theirs.fit(X, y, weight)

    return Race(name, prepare)


def _predicts(name: str, n_rows: int) -> Race:
    """Ask a forest of 50 trees for the classes of `n_rows` rows."""

    def prepare() -> tuple[Work, Work]:
        data = Problem(5_000, n_test=n_rows).make()
        size: dict[str, Any] = {"n_estimators": 50, "random_state": 0}
        ours = ramify.RandomForestClassifier(**size).fit(data.X, data.y)
        theirs = ensemble.RandomForestClassifier(**size).fit(data.X, data.y)
        return lambda: ours.predict(data.X_test), lambda: theirs.predict(data.X_test)

    return Race(name, prepare)
