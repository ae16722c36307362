# SPDX-License-Identifier: BSD-3-Clause
"""Data sets by name or from a file, each as one small `Dataset`."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from ramify.describe import ColumnFacts, describe
from ramify.files import DataFile, FileColumn, open_file
from ramify.kinds import (
    MISSING_WORDS,
    Notation,
    as_categories,
    as_guessed,
    as_numbers,
    known_fields,
)
from ramify.sources import RawColumns
from ramify.table import Table

__all__ = ["Dataset", "load", "names", "nearest", "read_file"]

# Only integers that print as they were read: "007" and "+7" stay text.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")

# These may well be the name of a class: "+" and "-", or "None" and "Mild".
_LABEL_WORDS = [word for word in MISSING_WORDS if word not in ("-", "None")]

_SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".parquet", ".pq")


class Dataset:
    """A table with one class label per row.

    Parameters
    ----------
    name : str
        Short name, used in tables and reports.
    X : array of shape (n_rows, n_columns), or sequence of arrays
        Numbers, NaN where missing; or one array per column, an object array for
        categories (all text or all numbers, None where missing).
    y : array of shape (n_rows,)
        The labels: integers or text.
    feature_names : sequence of str
        One name per column.
    target_names : sequence of str
        One name per class, in the order of ``numpy.unique(y)``.
    source : str
        Where the rows come from, in one sentence.
    n_dropped : int
        Rows of the source that had no label.

    Attributes
    ----------
    columns : dict of str to ndarray
        The columns by name: float64 if numeric, object if categorical.

    Examples
    --------
    >>> import ramify.datasets
    >>> data = ramify.datasets.load("passengers")
    >>> data.categorical
    ('class', 'port', 'title', 'deck')
    >>> data.table()
    Table(n_rows=1000, n_columns=6)
    """

    def __init__(
        self,
        name: str,
        X: NDArray[Any] | Sequence[NDArray[Any]],
        y: NDArray[Any],
        feature_names: Sequence[str],
        target_names: Sequence[str],
        source: str,
        n_dropped: int = 0,
    ) -> None:
        columns: Iterable[NDArray[Any]] = X.T if isinstance(X, np.ndarray) else X
        self.name = name
        self.columns = dict(zip(feature_names, columns, strict=True))
        self.y = y
        self.target_names = tuple(target_names)
        self.source = source
        self.n_dropped = n_dropped

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        return f"Dataset({self.name!r}, n_rows={n_rows}, n_columns={n_columns})"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, the labels not counted."""
        return len(self.y), len(self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def categorical(self) -> tuple[str, ...]:
        """Names of the categorical columns."""
        return tuple(
            name for name, values in self.columns.items() if values.dtype == object
        )

    @cached_property
    def X(self) -> NDArray[Any]:  # noqa: N802  # scikit-learn's word
        """The columns as one array: float64, or object if some are categorical."""
        dtype = object if self.categorical else np.float64
        X = np.empty(self.shape, dtype=dtype)
        for j, values in enumerate(self.columns.values()):
            X[:, j] = values
        return X

    def raw(self) -> RawColumns:
        """Give the columns with their names, as estimators take them."""
        return RawColumns(list(self.columns.values()), list(self.columns), self.shape)

    def table(self, max_bins: int | None = None, n_jobs: int | None = None) -> Table:
        """Encode the columns, with their names and kinds, for many fits."""
        return Table(
            self.raw(),
            categorical_features=list(self.categorical),
            max_bins=max_bins,
            n_jobs=n_jobs,
        )

    def describe(self) -> list[ColumnFacts]:
        """Summarise every column: kind, distinct values, missing values, a hint."""
        return [describe(name, values) for name, values in self.columns.items()]


def names() -> list[str]:
    """Names of the data sets that need no file.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.names()[:4]
    ['iris', 'wine', 'breast_cancer', 'digits']
    """
    return list(_BUNDLED)


def load(
    name_or_path: str | Path, target: str | None = None, **reading: Any
) -> Dataset:
    """Load a bundled data set by name, or a file by path.

    Parameters
    ----------
    name_or_path : str or Path
        One of `names()`, or a file as for `read_file`.
    target : str, optional
        Column of the file that holds the labels; the last column if not given.
    **reading
        How to read the file, as for `read_file`.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.load("waveform").X.shape
    (1000, 21)
    """
    name = str(name_or_path)
    if name in _BUNDLED:
        return _BUNDLED[name]()
    is_path = "/" in name or "\\" in name or name == "-" or name.endswith(_SUFFIXES)
    if not is_path and not Path(name).exists():
        raise ValueError(
            f"data set {name!r} is unknown{nearest(name, list(_BUNDLED))} "
            f"Give the path of a CSV file or one of {', '.join(_BUNDLED)}."
        )
    return read_file(name_or_path, target, **reading)


def read_file(
    path: str | Path,
    target: str | None = None,
    *,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ignore: Sequence[str] = (),
    missing_values: Sequence[str] | None = None,
    decimal: str = ".",
    numeric_target: bool = False,
) -> Dataset:
    r"""Read a CSV or Parquet file with a column of labels, or of numbers to learn.

    A column is numeric if all its fields are numbers, and categorical otherwise; the
    types of a Parquet file are kept. Labels are integers if all are, else text. Rows
    without a label are dropped, and counted in ``n_dropped``.

    Parameters
    ----------
    path : str or Path
        The file, or ``"-"`` for standard input; see `ramify.files.open_file`.
    target : str, optional
        Column that holds the labels; the last column if not given.
    categorical, numeric : sequence of str
        Columns that are so, whatever they look like.
    ignore : sequence of str
        Columns to leave out.
    missing_values : sequence of str, optional
        Fields that stand for a missing value, besides the empty one; by default
        `ramify.kinds.MISSING_WORDS` (without ``-`` and ``None`` among the labels).
    decimal : str
        The decimal point, ``"."`` or ``","``.
    numeric_target : bool, default=False
        Whether the target is numbers, for regression; then there are no target names.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.datasets
    >>> _ = Path("people.csv").write_text("city,age,y\nOslo,31,no\n?,NA,yes\n")
    >>> data = ramify.datasets.read_file("people.csv", "y")
    >>> data.columns
    {'city': array(['Oslo', None], dtype=object), 'age': array([31., nan])}
    """
    notation = Notation.of(missing_values, decimal)
    file = open_file(path)
    asked = {"categorical": categorical, "numeric": numeric, "ignored": ignore}
    _check_asked(file, asked)
    label = _target(file, target, ignore)
    used = [name for name in file.names if name not in (label, *ignore)]
    if not used:
        raise ValueError(f"{file.path} has no column besides the target {label!r}.")
    read = file.read([*used, label])
    if numeric_target:
        numbers = as_numbers(file, label, read.pop(label), notation)
        has_label = _labelled(file, label, np.where(np.isnan(numbers), -1, 0))
        y: NDArray[Any] = numbers[has_label]
    else:
        label_words = _LABEL_WORDS if missing_values is None else missing_values
        codes, fields = known_fields(read.pop(label), Notation.of(label_words, "."))
        has_label = _labelled(file, label, codes)
        y = _labels(fields, f"target column {label!r} of {file.path}")[codes[has_label]]
    kinds = {**dict.fromkeys(categorical, "c"), **dict.fromkeys(numeric, "n")}
    columns = []
    for name in used:
        values = _values(file, name, read.pop(name), notation, kinds.get(name))
        columns.append(values if has_label.all() else values[has_label])
    return Dataset(
        _short_name(file.path),
        columns,
        y,
        used,
        [] if numeric_target else [str(value) for value in np.unique(y)],
        f"{Path(file.path).name}, target column {label!r}{_separated(file)}.",
        int((~has_label).sum()),
    )


def nearest(name: str, known: Sequence[str]) -> str:
    """End a sentence on an unknown name: with the nearest known ones, if any."""
    folded = {other.casefold(): other for other in known}
    near = [
        folded[match]
        for match in difflib.get_close_matches(name.strip().casefold(), folded, n=3)
    ]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else "."


def _check_asked(file: DataFile, asked: Mapping[str, Sequence[str]]) -> None:
    """Refuse a column that is not there, and one that is to be two things."""
    role: dict[str, str] = {}
    for what, columns in asked.items():
        for name in columns:
            if name not in file.names:
                raise ValueError(
                    f"{file.path} has no column {name!r} ({what})"
                    f"{nearest(name, file.names)} It has {_listed(file.names)}."
                )
            if role.setdefault(name, what) != what:
                raise ValueError(
                    f"column {name!r} is given as {role[name]} and as {what}; choose "
                    "one."
                )


def _target(file: DataFile, target: str | None, ignore: Sequence[str]) -> str:
    if target is None:
        left = [name for name in file.names if name not in ignore]
        if not left:
            raise ValueError(f"all columns of {file.path} are ignored.")
        return left[-1]
    if target not in file.names:
        raise ValueError(
            f"{file.path} has no column {target!r} for the target"
            f"{nearest(target, file.names)} It has {_listed(file.names)}."
        )
    if target in ignore:
        raise ValueError(f"column {target!r} is the target; it cannot be ignored.")
    return target


def _values(
    file: DataFile,
    name: str,
    column: FileColumn,
    notation: Notation,
    kind: str | None,
) -> NDArray[Any]:
    if kind == "c":
        return as_categories(column, notation)
    if kind == "n":
        return as_numbers(file, name, column, notation)
    return as_guessed(file, name, column, notation)


def _labelled(file: DataFile, label: str, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    if len(codes) == 0:
        raise ValueError(f"{file.path} has a header but no rows.")
    has_label: NDArray[np.bool_] = codes >= 0
    if not has_label.any():
        raise ValueError(f"target column {label!r} of {file.path} has no labels.")
    return has_label


def _labels(fields: list[str], where: str) -> NDArray[Any]:
    if all(_INTEGER.fullmatch(label) for label in fields):
        try:
            return np.array([int(label) for label in fields], dtype=np.int64)
        except OverflowError:
            pass  # longer than 64 bits: keep the text
    fraction = _first_fraction(fields)
    if fraction is not None:
        raise ValueError(
            f"{where} holds numbers with fractions, such as {fraction!r}; a class "
            "label must be an integer or text."
        )
    return np.array(fields)


def _first_fraction(text: list[str]) -> str | None:
    """Tell the first label with a fraction, if all labels are numbers."""
    first = None
    for label in text:
        try:
            number = float(label)
        except ValueError:
            return None
        if first is None and not number.is_integer():
            first = label
    return first


def _listed(words: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, words[:most]))
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"


def _separated(file: DataFile) -> str:
    """Say what separates the columns, where it is not the comma of a CSV."""
    is_usual = file.delimiter in (None, ",")
    return "" if is_usual else f", separated by {file.delimiter!r}"


def _short_name(path: str) -> str:
    name = Path(path).name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


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


def _passengers() -> Dataset:
    """Make people on a ship: categories, gaps, a rare level and a rare class."""
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


_UCI = "UCI Machine Learning Repository, as bundled with scikit-learn."
_BUNDLED: dict[str, Callable[[], Dataset]] = {
    "iris": lambda: _from_sklearn("iris", f"Fisher 1936; {_UCI}"),
    "wine": lambda: _from_sklearn("wine", _UCI),
    "breast_cancer": lambda: _from_sklearn("breast_cancer", f"WDBC; {_UCI}"),
    "digits": lambda: _from_sklearn("digits", f"Optical digits, 8 x 8 pixels; {_UCI}"),
    "xor": _xor,
    "rings": _rings,
    "waveform": _waveform,
    "imbalanced": _imbalanced,
    "passengers": _passengers,
}
