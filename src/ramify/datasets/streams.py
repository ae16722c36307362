# SPDX-License-Identifier: BSD-3-Clause
"""Made streams: the generators of rows on which online trees are usually compared.

Each returns ``X, y`` for a seed. Rows do not depend on how many are asked for, except
where a concept changes along the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["agrawal", "hyperplane", "led", "rbf", "sea", "sine"]

Stream = tuple[NDArray[np.float64], NDArray[np.int64]]


def _generator(random_state: Any) -> np.random.Generator:
    return np.random.default_rng(random_state)


def _check(n_rows: int, **shares: float) -> None:
    if n_rows < 1:
        raise ValueError(
            f"n_rows={n_rows!r} is not allowed; use a whole number of at least 1"
        )
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name}={share!r} is not allowed; use a number in [0, 1]")


def _concept_of_rows(
    n_rows: int, concepts: Sequence[int], n_known: int
) -> NDArray[np.int64]:
    """Return the concept of each row: equally long stretches, one after the other."""
    known = list(concepts)
    if not known or not all(0 <= each < n_known for each in known):
        raise ValueError(
            f"concepts={concepts!r} is not allowed; use numbers from 0 to {n_known - 1}"
        )
    return np.asarray(known)[np.arange(n_rows) * len(known) // n_rows]


def sea(
    n_rows: int = 100_000,
    *,
    noise: float = 0.1,
    concepts: Sequence[int] = (0,),
    random_state: Any = 0,
) -> Stream:
    """Three numbers from 0 to 10; whether the sum of the first two is small.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    noise : float, default=0.1
        Share of labels that are turned.
    concepts : sequence of {0, 1, 2, 3}, default=(0,)
        Which limit holds: 8, 9, 7 or 9.5. Several follow each other abruptly, in
        equally long stretches.
    random_state : int, default=0
        Seed.

    References
    ----------
    Street, Kim (2001), A Streaming Ensemble Algorithm (SEA).

    Examples
    --------
    >>> from ramify.datasets.streams import sea
    >>> X, y = sea(4)
    >>> X.shape, y
    ((4, 3), array([1, 0, 1, 0]))
    """
    _check(n_rows, noise=noise)
    limit = np.array([8.0, 9.0, 7.0, 9.5])[_concept_of_rows(n_rows, concepts, 4)]
    draws = _generator(random_state).random((n_rows, 4))
    X = draws[:, :3] * 10
    y = X[:, 0] + X[:, 1] <= limit
    return X, (y ^ (draws[:, 3] < noise)).astype(np.int64)


def hyperplane(
    n_rows: int = 100_000,
    *,
    n_columns: int = 10,
    n_drifting: int = 2,
    change: float = 0.001,
    turn: float = 0.1,
    noise: float = 0.05,
    random_state: Any = 0,
) -> Stream:
    """Numbers from 0 to 1; on which side of a plane they are, which turns slowly.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    n_columns : int, default=10
        Number of columns.
    n_drifting : int, default=2
        How many of the plane's weights change, after each row.
    change : float, default=0.001
        By how much they change.
    turn : float, default=0.1
        How likely each of them changes its direction, after each row.
    noise : float, default=0.05
        Share of labels that are turned.
    random_state : int, default=0
        Seed.

    References
    ----------
    Hulten, Spencer, Domingos (2001), Mining Time-Changing Data Streams.

    Examples
    --------
    >>> from ramify.datasets.streams import hyperplane
    >>> X, y = hyperplane(3, n_columns=2)
    >>> X.shape, y.shape
    ((3, 2), (3,))
    """
    _check(n_rows, turn=turn, noise=noise)
    if not 0 <= n_drifting <= n_columns:
        raise ValueError(
            f"n_drifting={n_drifting!r} is not allowed; use a number from 0 to "
            f"n_columns={n_columns}"
        )
    rng = _generator(random_state)
    start = rng.random(n_columns)
    draws = rng.random((n_rows, n_columns + 1 + n_drifting))
    X = draws[:, :n_columns]
    weight = np.tile(start, (n_rows, 1))
    turns = draws[:, n_columns + 1 :] < turn
    direction = np.where(np.cumsum(turns, axis=0) % 2 == 0, 1.0, -1.0)
    weight[1:, :n_drifting] += change * np.cumsum(direction, axis=0)[:-1]
    y = (X * weight).sum(axis=1) >= weight.sum(axis=1) / 2
    return X, (y ^ (draws[:, n_columns] < noise)).astype(np.int64)


def rbf(
    n_rows: int = 100_000,
    *,
    n_columns: int = 10,
    n_classes: int = 2,
    n_centres: int = 50,
    random_state: Any = 0,
) -> Stream:
    """Points around random centres, each of which has a class, a weight and a spread.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    n_columns : int, default=10
        Number of columns.
    n_classes : int, default=2
        Number of classes.
    n_centres : int, default=50
        Number of centres.
    random_state : int, default=0
        Seed.

    References
    ----------
    Bifet, Holmes, Pfahringer, Kirkby, Gavalda (2009), New Ensemble Methods for Evolving
    Data Streams.

    Examples
    --------
    >>> from ramify.datasets.streams import rbf
    >>> X, y = rbf(1000, n_classes=4)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 10), [0, 1, 2, 3])
    """
    _check(n_rows)
    rng = _generator(random_state)
    centre = rng.random((n_centres, n_columns))
    label = rng.integers(n_classes, size=n_centres)
    label[:n_classes] = np.arange(min(n_classes, n_centres))
    spread, weight = rng.random(n_centres), rng.random(n_centres)
    own = rng.choice(n_centres, size=n_rows, p=weight / weight.sum())
    direction = rng.uniform(-1, 1, (n_rows, n_columns))
    direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
    distance = rng.standard_normal(n_rows) * spread[own]
    return centre[own] + direction * distance[:, None], label[own].astype(np.int64)


_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)


def led(
    n_rows: int = 100_000,
    *,
    noise: float = 0.1,
    n_irrelevant: int = 17,
    random_state: Any = 0,
) -> Stream:
    """Show a digit by seven segments, each of which may be wrong.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    noise : float, default=0.1
        Share of segments that are turned. At 0.1 nobody can be right more often than in
        74 % of the rows.
    n_irrelevant : int, default=17
        Further columns that are 0 or 1 at random.
    random_state : int, default=0
        Seed.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees.

    Examples
    --------
    >>> from ramify.datasets.streams import led
    >>> X, y = led(5, noise=0, n_irrelevant=0)
    >>> bool((X[y == 8] == 1).all())
    True
    """
    _check(n_rows, noise=noise)
    rng = _generator(random_state)
    y = rng.integers(10, size=n_rows)
    draws = rng.random((n_rows, 7 + n_irrelevant))
    X = np.empty(draws.shape)
    X[:, :7] = _SEGMENTS[y] ^ (draws[:, :7] < noise)
    X[:, 7:] = draws[:, 7:] < 0.5
    return X, y.astype(np.int64)


def _within(age: NDArray[Any], *ranges: tuple[float, float]) -> NDArray[np.bool_]:
    """Return where a value is in the range of its age: under 40, 40 to 59, and over."""
    value, years = age
    young, middle = years < 40, (years >= 40) & (years < 60)
    low = np.where(young, ranges[0][0], np.where(middle, ranges[1][0], ranges[2][0]))
    high = np.where(young, ranges[0][1], np.where(middle, ranges[1][1], ranges[2][1]))
    return np.asarray((value >= low) & (value <= high))


def _level(
    level: NDArray[Any], age: NDArray[Any], *levels: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return where the level of education is in the range of its age."""
    return _within(np.array([level, age]), *levels)


def _disposable(
    income: NDArray[Any], loan: NDArray[Any], level: NDArray[Any], equity: NDArray[Any]
) -> NDArray[np.bool_]:
    rest = 2 * income / 3 - loan / 5 - 5000 * level + equity / 5 - 10_000
    return np.asarray(rest > 0)


def _functions(c: dict[str, NDArray[Any]]) -> list[Callable[[], NDArray[np.bool_]]]:
    """Return the ten functions of Agrawal et al.: which rows are of group A."""
    age, salary, level = c["age"], c["salary"], c["level"]
    income = salary + c["commission"]
    by_age = np.array([salary, age])
    nothing = np.zeros_like(age)
    equity = np.where(c["years"] >= 20, 0.1 * c["house"] * (c["years"] - 20), 0.0)

    def low_or_high(
        salaries: tuple[tuple[float, float], tuple[float, float]],
        is_first: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        (a, b), (low, high) = salaries
        first = (salary >= a) & (salary <= b)
        second = (salary >= low) & (salary <= high)
        return np.where(is_first, first, second)

    def fourth() -> NDArray[np.bool_]:
        young = low_or_high(((25e3, 75e3), (50e3, 100e3)), level <= 1)
        middle = low_or_high(
            ((50e3, 100e3), (75e3, 125e3)), (level >= 1) & (level <= 3)
        )
        old = low_or_high(((50e3, 100e3), (25e3, 75e3)), (level >= 2) & (level <= 4))
        return np.where(age < 40, young, np.where(age < 60, middle, old))

    def fifth() -> NDArray[np.bool_]:
        loan = c["loan"]

        def loans(is_rich: NDArray[np.bool_], *ranges: float) -> NDArray[np.bool_]:
            a, b, low, high = ranges
            first = (loan >= a) & (loan <= b)
            return np.where(is_rich, first, (loan >= low) & (loan <= high))

        young = loans((salary >= 50e3) & (salary <= 100e3), 100e3, 300e3, 200e3, 400e3)
        middle = loans((salary >= 75e3) & (salary <= 125e3), 200e3, 400e3, 300e3, 500e3)
        old = loans((salary >= 25e3) & (salary <= 75e3), 300e3, 500e3, 100e3, 300e3)
        return np.where(age < 40, young, np.where(age < 60, middle, old))

    salaries = ((50e3, 100e3), (75e3, 125e3), (25e3, 75e3))
    return [
        lambda: (age < 40) | (age >= 60),
        lambda: _within(by_age, *salaries),
        lambda: _level(level, age, (0, 1), (1, 3), (2, 4)),
        fourth,
        fifth,
        lambda: _within(np.array([income, age]), *salaries),
        lambda: _disposable(income, c["loan"], nothing, nothing),
        lambda: _disposable(income, nothing, level, nothing),
        lambda: _disposable(income, c["loan"], level, nothing),
        lambda: _disposable(income, nothing, level, equity),
    ]


def agrawal(
    n_rows: int = 100_000,
    *,
    concepts: Sequence[int] = (0,),
    noise: float = 0.0,
    random_state: Any = 0,
) -> Stream:
    """Who gets a loan: nine columns, of which ten functions make two groups.

    The columns are salary, commission, age, level of education, make of the car, zip
    code, value of the house, years it was owned, and the loan; the three that are
    categories are given as whole numbers.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    concepts : sequence of {0, ..., 9}, default=(0,)
        Which of the ten functions holds. Several follow each other abruptly, in equally
        long stretches.
    noise : float, default=0.0
        Share of labels that are turned.
    random_state : int, default=0
        Seed.

    References
    ----------
    Agrawal, Imielinski, Swami (1993), Database Mining: A Performance Perspective.

    Examples
    --------
    >>> from ramify.datasets.streams import agrawal
    >>> X, y = agrawal(1000)
    >>> X.shape, bool(((X[:, 2] >= 40) & (X[:, 2] < 60) == (y == 1)).all())
    ((1000, 9), True)
    """
    _check(n_rows, noise=noise)
    concept = _concept_of_rows(n_rows, concepts, 10)
    rng = _generator(random_state)
    u = rng.random((n_rows, 10))
    salary = 20e3 + 130e3 * u[:, 0]
    zipcode = np.floor(9 * u[:, 5])
    columns = {
        "salary": salary,
        "commission": np.where(salary >= 75e3, 0, 10e3 + 65e3 * u[:, 1]),
        "age": np.floor(20 + 61 * u[:, 2]),
        "level": np.floor(5 * u[:, 3]),
        "car": 1 + np.floor(20 * u[:, 4]),
        "zipcode": zipcode,
        "house": (9 - zipcode) * 100e3 * (0.5 + u[:, 6]),
        "years": 1 + np.floor(30 * u[:, 7]),
        "loan": 500e3 * u[:, 8],
    }
    functions = _functions(columns)
    is_a = np.zeros(n_rows, dtype=bool)
    for number in set(concept.tolist()):
        is_a = np.where(concept == number, functions[number](), is_a)
    y = ~is_a ^ (u[:, 9] < noise)
    return np.column_stack(list(columns.values())), y.astype(np.int64)


def sine(
    n_rows: int = 100_000,
    *,
    concepts: Sequence[int] = (0,),
    noise: float = 0.0,
    random_state: Any = 0,
) -> Stream:
    """Two numbers from 0 to 1; on which side of a curve they are.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of rows.
    concepts : sequence of {0, 1, 2, 3}, default=(0,)
        Which curve holds: below ``sin(x)``, above it, below ``0.5 + 0.3 sin(3 pi x)``,
        or above it. Several follow each other abruptly, in equally long stretches.
    noise : float, default=0.0
        Share of labels that are turned.
    random_state : int, default=0
        Seed.

    References
    ----------
    Gama, Medas, Castillo, Rodrigues (2004), Learning with Drift Detection.

    Examples
    --------
    >>> from ramify.datasets.streams import sine
    >>> X, y = sine(1000, concepts=(2, 3))
    >>> X.shape, y.shape
    ((1000, 2), (1000,))
    """
    _check(n_rows, noise=noise)
    concept = _concept_of_rows(n_rows, concepts, 4)
    draws = _generator(random_state).random((n_rows, 3))
    x, height = draws[:, 0], draws[:, 1]
    curve = np.where(concept < 2, np.sin(x), 0.5 + 0.3 * np.sin(3 * np.pi * x))
    y = (height < curve) ^ (concept % 2 == 1) ^ (draws[:, 2] < noise)
    return draws[:, :2], y.astype(np.int64)
