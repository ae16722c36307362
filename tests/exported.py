# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models of every kind that an export has to hold, small and made once."""

import atexit
from functools import cache

import numpy as np
import pandas as pd

import ramify
from ramify import methods

HOSTILE = [
    "'; DROP TABLE rows; --",
    'say "x" */ /*',
    "back\\slash \\n",
    "new\nline",
    "</script><b>",
    "__proto__",
    "constructor",
    " spaces ",
    "é e\u0301 \u2028",
    "🌳",
    "??/ trigraph %s",
    "select",
]


def numbers(n=400, d=5, classes=2, gaps=0.15, seed=0):
    """Return a matrix with gaps, and classes that depend on it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(2)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]), score)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def people(n=500, seed=1):
    """Return a frame of text, numbers and gaps, and three classes by name."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Oslo", "Bergen", "Bodø", "Paris", "Rome", "Lima"], n)
    size = rng.choice(["S", "M", "L"], n)
    age = rng.integers(18, 80, n).astype(float)
    pay = rng.normal(40, 10, n).round(1)
    score = np.isin(city, ["Oslo", "Lima", "Rome"]) * 2 + (size == "M") + age / 40
    score = score + rng.normal(0, 0.4, n)
    y = np.array(["bus", "car", "van"])[np.digitize(score, [1.6, 2.9])]
    frame = pd.DataFrame({"city": city, "size": size, "age": age, "pay": pay})
    for name in frame:
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, y


def hostile(n=300, seed=2):
    """Return a frame whose names and categories try to break out of their quotes."""
    rng = np.random.default_rng(seed)
    text = rng.choice(HOSTILE, n)
    x = rng.normal(size=n)
    known = sorted(HOSTILE)
    y = np.array(["a'b", 'c"d', "e\\f"])[
        (np.searchsorted(known, text) % 3 + (x > 0.4)) % 3
    ]
    frame = pd.DataFrame(
        {
            "na\"me'; --": text,
            "int": x,
            "new\nline */": rng.normal(size=n),
            "<b>&amp;": rng.choice(["", "a", " b "], n),
        }
    )
    return frame, y


@cache
def model(name):
    """Fit the model of a kind; see `KINDS`."""
    return KINDS[name]()


atexit.register(model.cache_clear)  # or the core would report what is left at the end


def _tree(**settings):
    return ramify.DecisionTreeClassifier(random_state=0, **settings)


def _gaps():
    return _tree(min_samples_leaf=3).fit(*numbers())


def _deep():
    X = np.arange(160.0)[:, None]
    return _tree().fit(X, np.arange(160) % 2)  # peels off one row at a time


def _classes_3():
    X, y = numbers(classes=3, seed=3)
    return _tree(min_samples_leaf=4).fit(X, np.array(["x", "y", "z"])[y])


def _classes_26():
    X, y = numbers(n=900, classes=26, seed=4, gaps=0.05)
    return _tree(min_samples_leaf=4).fit(X, np.array([*map(chr, range(97, 123))])[y])


def _categories():
    return _tree(min_samples_leaf=5).fit(*people())


def _unseen_missing():
    return _tree(min_samples_leaf=5, unseen="missing").fit(*people())


def _multiway():
    frame, y = people()
    return methods.make("id3", max_depth=4).fit(frame, y)


def _intervals():
    return methods.make("chaid").fit(*people(seed=5))


def _fractional():
    return methods.make("c45", max_depth=5).fit(*people())


def _oblique():
    X, y = numbers(n=300, d=4, seed=6)
    tree = ramify.ObliqueTreeClassifier(max_depth=4, random_state=0)
    return tree.fit(X, y)


def _oblique_categories():
    tree = ramify.ObliqueTreeClassifier(max_depth=3, random_state=0)
    return tree.fit(*people(n=300))


def _costs():
    cost = [[0, 1, 5], [2, 0, 1], [1, 4, 0]]
    return _tree(cost_matrix=cost, laplace=True, max_depth=5).fit(*people())


def _regression():
    frame, _ = people()
    y = np.nan_to_num(frame["age"]) * 1.7 + (frame["size"] == "M") * 9.3
    return ramify.DecisionTreeRegressor(min_samples_leaf=5).fit(frame, y)


def _lines():
    frame, _ = people()
    age = np.nan_to_num(frame["age"])
    number = age * 1.7 + (frame["size"] == "M") * (9.3 - 0.3 * age)
    number += np.nan_to_num(frame["pay"]) * np.where(age > 40, 0.9, -0.4)
    return ramify.ModelTreeRegressor().fit(frame, number)


def _committee():
    X, y = numbers()
    X = np.nan_to_num(X) + np.where(np.isnan(X), np.nan, 0)
    number = np.nan_to_num(X[:, 0]) * np.where(np.nan_to_num(X[:, 1]) > 0, 2, -1)
    return ramify.CommitteeRegressor(3, "pilot").fit(X, number + y)


def _forest():
    forest = ramify.RandomForestClassifier(20, max_depth=5, random_state=0)
    return forest.fit(*people())


def _forest_hard():
    X, y = numbers(classes=3)
    forest = ramify.RandomForestClassifier(
        7, max_depth=4, voting="hard", random_state=0
    )
    return forest.fit(X, y)


def _forest_costs():
    X, y = numbers(classes=3)
    forest = ramify.RandomForestClassifier(
        5, max_depth=4, random_state=0, cost_matrix=[[0, 1, 5], [2, 0, 1], [1, 4, 0]]
    )
    return forest.fit(X, y)


def _forest_regression():
    X, y = numbers()
    forest = ramify.RandomForestRegressor(20, max_depth=5, random_state=0)
    return forest.fit(X, y + 0.1 * np.arange(len(y)))


def _boosted():
    frame, y = people()
    return ramify.BoostedTreesClassifier(n_estimators=10, max_depth=3).fit(
        frame, y == "van"
    )


def _boosted_3():
    return ramify.BoostedTreesClassifier(n_estimators=6, max_depth=3).fit(*people())


def _boosted_counts():
    X, _ = numbers()
    y = np.random.default_rng(0).poisson(np.exp(np.nan_to_num(X[:, 0])))
    return ramify.BoostedTreesRegressor("poisson", n_estimators=8, max_depth=3).fit(
        X, y
    )


def _boosted_numbers():
    X, y = numbers()
    return ramify.BoostedTreesRegressor(n_estimators=8, max_depth=3).fit(
        X, y + 0.1 * np.nan_to_num(X[:, 3])
    )


def _outputs():
    frame, y = people()
    both = np.column_stack([y, np.where(frame["age"] > 40, "old", "young")])
    return _tree(min_samples_leaf=8).fit(frame, both)


def _outputs_numbers():
    X, y = numbers()
    both = np.column_stack([y, np.nan_to_num(X[:, 1]) * 3.7])
    return ramify.DecisionTreeRegressor(min_samples_leaf=8).fit(X, both)


def _one_leaf():
    X, _ = numbers()
    return _tree().fit(X, np.zeros(len(X)))


def _names():
    return _tree(min_samples_leaf=4).fit(*hostile())


def _integer_categories():
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.integers(10, 19, 300), rng.normal(size=300).round(1)])
    y = (np.isin(X[:, 0], [11, 14, 18]) ^ (X[:, 1] > 0)).astype(int)
    return _tree(categorical_features=[0], max_depth=5).fit(X, y)


def _errors():
    frame, y = people()
    return _tree(missing="error", unseen="error", max_depth=4).fit(
        frame.fillna({"city": "Oslo", "size": "M", "age": 30, "pay": 40.0}), y
    )


KINDS = {
    "numeric with gaps": _gaps,
    "deep": _deep,
    "3 classes": _classes_3,
    "26 classes": _classes_26,
    "categories with unseen": _categories,
    "unseen is missing": _unseen_missing,
    "whole numbers as categories": _integer_categories,
    "multiway": _multiway,
    "intervals": _intervals,
    "fractional": _fractional,
    "oblique": _oblique,
    "oblique with categories": _oblique_categories,
    "costs and Laplace": _costs,
    "regression": _regression,
    "lines in leaves": _lines,
    "committee of 3": _committee,
    "forest of 20": _forest,
    "forest, hard votes": _forest_hard,
    "forest with costs": _forest_costs,
    "forest of 20, regression": _forest_regression,
    "boosted, 2 classes": _boosted,
    "boosted, 3 classes": _boosted_3,
    "boosted counts": _boosted_counts,
    "boosted numbers": _boosted_numbers,
    "several outputs": _outputs,
    "several outputs, numbers": _outputs_numbers,
    "one leaf": _one_leaf,
    "hostile names": _names,
    "gaps and unseen refused": _errors,
}


# Those of the table in docs/how_to/production.md, and what they are called there.
SHOWN = {
    "numeric with gaps": "numeric with missing values",
    "categories with unseen": "categories, missing, unseen",
    "multiway": "multiway",
    "intervals": "intervals (CHAID)",
    "fractional": "fractional missing (C4.5)",
    "oblique": "oblique",
    "oblique with categories": "oblique with categories",
    "3 classes": "3 classes",
    "26 classes": "26 classes",
    "costs and Laplace": "costs and Laplace",
    "regression": "regression",
    "lines in leaves": "lines in leaves (M5')",
    "committee of 3": "committee of model trees",
    "forest of 20": "forest of 20",
    "forest, hard votes": "forest, hard votes",
    "forest of 20, regression": "forest of 20, regression",
    "forest with costs": "forest with costs",
    "boosted, 2 classes": "boosted, 2 classes",
    "boosted, 3 classes": "boosted, 3 classes",
    "boosted counts": "boosted counts (Poisson)",
    "several outputs": "several outputs",
    "several outputs, numbers": "several outputs, numbers",
}
