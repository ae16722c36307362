# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that come with Ramify or scikit-learn, or are made with a fixed seed."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from ramify.datasets.dataset import Dataset

__all__ = ["BUNDLED", "NUMBERS", "REFERENCES"]


def _from_sklearn(name: str, source: str) -> Dataset:
    bunch = getattr(sklearn_datasets, f"load_{name}")()
    return Dataset(
        name,
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target),
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
        source,
    )


# The generated sets draw from RandomState: NumPy has promised never to change its
# stream, which it has not for default_rng.


def _xor() -> Dataset:
    """Four squares of two classes: no single cut gains anything at the root."""
    rng = np.random.RandomState(1)
    X = rng.uniform(-1, 1, size=(500, 4))
    y = (X[:, 0] * X[:, 1] < 0).astype(np.int64)
    return Dataset(
        "xor",
        X,
        y,
        ("a", "b", "noise 1", "noise 2"),
        ("same sign", "opposite sign"),
        "Generated: the class is the sign of a times b; two columns of noise.",
    )


def _rings() -> Dataset:
    """Three rings around the origin, a little blurred."""
    rng = np.random.RandomState(2)
    y = np.repeat(np.arange(3), 200)
    radius = 1 + y + rng.normal(scale=0.25, size=600)
    angle = rng.uniform(0, 2 * np.pi, size=600)
    return Dataset(
        "rings",
        np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]),
        y,
        ("x", "y"),
        ("inner", "middle", "outer"),
        "Generated: three rings of radius 1, 2 and 3, blurred by 0.25.",
    )


def _waveform() -> Dataset:
    """Mix two of three triangular waves and add noise (Breiman et al. 1984)."""
    rng = np.random.RandomState(3)
    position = np.arange(1, 22)
    waves = np.array([np.maximum(6 - np.abs(position - c), 0) for c in (11, 15, 7)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    y = rng.randint(3, size=1000)
    share = rng.uniform(size=(1000, 1))
    clean = share * waves[pairs[y, 0]] + (1 - share) * waves[pairs[y, 1]]
    return Dataset(
        "waveform",
        clean + rng.normal(size=clean.shape),
        y,
        tuple(f"t{i}" for i in position),
        ("waves 1+2", "waves 1+3", "waves 2+3"),
        "Generated: the waveform problem of Breiman et al. 1984, 21 columns.",
    )


def _imbalanced() -> Dataset:
    """Two common clusters and two rare ones beside them, 19 to 1."""
    rng = np.random.RandomState(4)
    y = np.repeat([0, 1], [1140, 60])
    cluster = rng.randint(2, size=1200)
    X = rng.normal(size=(1200, 6))
    X[:, 0] += 4 * cluster + np.where(y == 1, 1.5, 0)
    X[:, 1] += np.where(y == 1, 2 - cluster, 0)
    return Dataset(
        "imbalanced",
        X,
        y,
        ("a", "b", "noise 1", "noise 2", "noise 3", "noise 4"),
        ("common", "rare"),
        "Generated: Gaussian clusters of a common class and a rare one (5 %).",
    )


def _imbalanced_classes() -> Dataset:
    """Draw a common class between a rarer one and a rare one, 90 to 8 to 2."""
    rng = np.random.RandomState(6)
    y = np.repeat([0, 1, 2], [900, 80, 20])
    X = rng.normal(size=(1000, 5))
    X[y == 1, 0] += 2
    X[y == 1, 1] += 1
    X[y == 2, :3] -= 1.5
    return Dataset(
        "imbalanced_classes",
        X,
        y,
        ("a", "b", "c", "noise 1", "noise 2"),
        ("common", "rarer", "rare"),
        "Generated: Gaussian clusters of three classes (90, 8 and 2 %).",
    )


def _passengers() -> Dataset:
    """Make people on a ship: categories, missing values, a rare level and class."""
    rng = np.random.RandomState(5)
    n_rows = 1000

    def draw(shares: dict[str, float]) -> NDArray[np.object_]:
        chosen = rng.choice(len(shares), size=n_rows, p=list(shares.values()))
        return np.array(list(shares), dtype=object)[chosen]

    cabin = draw({"first": 0.2, "second": 0.25, "third": 0.55})
    port = draw({"Cork": 0.1, "Le Havre": 0.2, "Plymouth": 0.69, "Vigo": 0.01})
    title = draw({"Dr": 0.02, "Master": 0.08, "Miss": 0.2, "Mr": 0.55, "Mrs": 0.15})
    deck = draw(dict.fromkeys("ABCDE", 0.2))
    is_child = title == "Master"
    age = np.where(is_child, rng.uniform(1, 14, n_rows), rng.gamma(9, 3.7, n_rows))
    price = np.select([cabin == "first", cabin == "second"], [60.0, 20.0], 9.0)
    fare = np.round(price * rng.lognormal(sigma=0.4, size=n_rows), 2)
    # The titles matter most, then the class; in the third class, children hardly.
    is_helped = np.isin(title, ["Miss", "Mrs", "Master"])
    chance = np.where(is_helped, 0.5, 0.03) * np.where(cabin == "third", 0.3, 1.2)
    y = (rng.uniform(size=n_rows) < chance).astype(np.int64)
    age = np.where(rng.uniform(size=n_rows) < 0.2, np.nan, np.round(age))
    deck[(cabin != "first") | (rng.uniform(size=n_rows) < 0.3)] = None
    return Dataset(
        "passengers",
        [age, fare, cabin, port, title, deck],
        y,
        ("age", "fare", "class", "port", "title", "deck"),
        ("lost", "saved"),
        "Generated: people on a ship, in the manner of the Titanic's but not those.",
    )


def _numbers(
    name: str, X: NDArray[np.float64], y: NDArray[np.float64], source: str
) -> Dataset:
    names = [f"x{j + 1}" for j in range(X.shape[1])]
    return Dataset(name, X, y.astype(np.float64), names, (), source)


def _diabetes() -> Dataset:
    bunch = sklearn_datasets.load_diabetes(scaled=False)
    return Dataset(
        "diabetes",
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.float64),
        tuple(map(str, bunch.feature_names)),
        (),
        "Efron et al. 2004, as bundled with scikit-learn; progress after a year.",
    )


def _friedman(which: int) -> Dataset:
    """Draw the surfaces of Friedman (1991) and Breiman (1996), with noise."""
    rng = np.random.RandomState(10 + which)
    if which == 1:
        X = rng.uniform(size=(1000, 10))
        y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
        y += 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=1000)
    else:
        low, span = np.array([0, 40, 0, 1]), np.array([100, 520, 1, 10])
        X = low + span * rng.uniform(size=(1000, 4)) * [1, np.pi, 1, 1]
        inner = X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])
        if which == 2:
            y = np.hypot(X[:, 0], inner) + 125 * rng.normal(size=1000)
        else:
            y = np.arctan(inner / X[:, 0]) + 0.1 * rng.normal(size=1000)
    said = "Generated: surface {} of Friedman 1991, with noise."
    return _numbers(f"friedman{which}", X, y, said.format(which))


def _piecewise() -> Dataset:
    """Draw steps along two columns, which a tree can learn whole, and noise."""
    rng = np.random.RandomState(14)
    X = rng.uniform(size=(800, 5))
    y = 4.0 * (X[:, 0] > 0.3) + 2 * (X[:, 0] > 0.7) - 3 * (X[:, 1] > 0.5)
    y += rng.normal(scale=0.5, size=800)
    return _numbers("piecewise", X, y, "Generated: steps of two columns, with noise.")


def _counts() -> Dataset:
    """Draw counts whose mean depends on three columns, many of them 0."""
    rng = np.random.RandomState(15)
    X = rng.uniform(size=(1000, 6))
    mean = np.exp(-1 + 2 * X[:, 0] + 1.5 * (X[:, 1] > 0.6) - X[:, 2])
    y = rng.poisson(mean).astype(np.float64)
    return _numbers(
        "counts",
        X,
        y,
        "Generated: Poisson counts of three columns.",
    )


_UCI = "UCI Machine Learning Repository, as bundled with scikit-learn."
BUNDLED: dict[str, Callable[[], Dataset]] = {
    "iris": lambda: _from_sklearn("iris", f"Fisher 1936; {_UCI}"),
    "wine": lambda: _from_sklearn("wine", _UCI),
    "breast_cancer": lambda: _from_sklearn("breast_cancer", f"WDBC; {_UCI}"),
    "digits": lambda: _from_sklearn("digits", f"Optical digits, 8 x 8 pixels; {_UCI}"),
    "xor": _xor,
    "rings": _rings,
    "waveform": _waveform,
    "imbalanced": _imbalanced,
    "imbalanced_classes": _imbalanced_classes,
    "passengers": _passengers,
}

# The same for numbers to learn.
NUMBERS: dict[str, Callable[[], Dataset]] = {
    "diabetes": _diabetes,
    "friedman1": lambda: _friedman(1),
    "friedman2": lambda: _friedman(2),
    "friedman3": lambda: _friedman(3),
    "piecewise": _piecewise,
    "counts": _counts,
}

# Where the data were published, as scikit-learn and the UCI repository cite them. The
# sets that are not here were made up for Ramify.
REFERENCES: dict[str, str] = {
    "iris": "Fisher (1936), The Use of Multiple Measurements in Taxonomic Problems",
    "wine": "Aeberhard, Coomans, de Vel (1992), Comparison of Classifiers in High "
    "Dimensional Settings, technical report 92-02, James Cook University of North "
    "Queensland",
    "breast_cancer": "Street, Wolberg, Mangasarian (1993), Nuclear Feature Extraction "
    "for Breast Tumor Diagnosis",
    "digits": "Alpaydin, Kaynak (1998), Optical Recognition of Handwritten Digits, UCI "
    "Machine Learning Repository",
    "waveform": "Breiman, Friedman, Olshen, Stone (1984), Classification and "
    "Regression Trees",
    "diabetes": "Efron, Hastie, Johnstone, Tibshirani (2004), Least Angle Regression, "
    "The Annals of Statistics 32(2), 407-499",
    **dict.fromkeys(
        ("friedman1", "friedman2", "friedman3"),
        "Friedman (1991), Multivariate Adaptive Regression Splines, The Annals of "
        "Statistics 19(1), 1-67; Breiman (1996), Bagging Predictors",
    ),
}
