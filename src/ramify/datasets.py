# SPDX-License-Identifier: BSD-3-Clause
"""Data sets by name or from a CSV file, each as one small `Dataset`."""

import csv
import difflib
import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

__all__ = ["CsvFile", "Dataset", "load", "names", "open_csv", "read_csv"]

# Rows converted at a time: the text of a big file never lies in memory as a whole.
_CHUNK_ROWS = 20_000

# Only integers that print as they were read: "007" and "+7" stay text.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of numbers with one class label per row.

    Attributes
    ----------
    name : str
        Short name, used in tables and reports.
    X : ndarray of shape (n_rows, n_columns)
        The columns as float64; NaN is a missing value.
    y : ndarray of shape (n_rows,)
        The labels: integers or text.
    feature_names : tuple of str
        One name per column.
    target_names : tuple of str
        One name per class, in the order of ``numpy.unique(y)``.
    source : str
        Where the rows come from, in one sentence.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source: str


def names() -> list[str]:
    """Names of the data sets that need no file.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.names()[:4]
    ['iris', 'wine', 'breast_cancer', 'digits']
    """
    return list(_BUNDLED)


def load(name_or_path: str | Path, target: str | None = None) -> Dataset:
    """Load a bundled data set by name, or a CSV file by path.

    Parameters
    ----------
    name_or_path : str or Path
        One of `names()`, or the path of a ``.csv`` or ``.csv.gz`` file.
    target : str, optional
        Column of the file that holds the labels; the last column if not given.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.load("waveform").X.shape
    (1000, 21)
    """
    name = str(name_or_path)
    if name in _BUNDLED:
        return _BUNDLED[name]()
    looks_like_path = "/" in name or "\\" in name or name.endswith((".csv", ".gz"))
    if not looks_like_path and not Path(name).exists():
        raise ValueError(
            f"data set {name!r} is unknown{_did_you_mean(name, list(_BUNDLED))} "
            f"Give the path of a CSV file or one of {', '.join(_BUNDLED)}."
        )
    return read_csv(name_or_path, target)


def read_csv(path: str | Path, target: str | None = None) -> Dataset:
    """Read a comma-separated file of numeric columns and one column of labels.

    The file is UTF-8 text (a byte order mark and gzip are fine) with a header row. An
    empty field is a missing value. Labels are integers if all are, else text.

    Parameters
    ----------
    path : str or Path
        The file, or ``"-"`` for standard input.
    target : str, optional
        Column that holds the labels; the last column if not given.
    """
    with open_csv(path) as file:
        label = file.names[-1] if target is None else target
        if label not in file.names:
            raise ValueError(
                f"{file.path} has no column {label!r} for the target"
                f"{_did_you_mean(label, file.names)} It has {_listed(file.names)}."
            )
        columns = [name for name in file.names if name != label]
        if not columns:
            raise ValueError(f"{file.path} has no column besides the target {label!r}.")
        X, text = file.read(columns, label)
    y = _labels(text, f"target column {label!r} of {file.path}")
    name = Path(file.path).name
    return Dataset(
        name.removesuffix(".gz").removesuffix(".csv"),
        X,
        y,
        tuple(columns),
        tuple(str(value) for value in np.unique(y)),
        f"{name}, target column {label!r}.",
    )


class CsvFile:
    """An open CSV file whose header has been read; made by `open_csv`.

    Attributes
    ----------
    path : str
        The path as given, for messages.
    names : list of str
        The names in the header row.
    """

    def __init__(self, path: str, text: Iterator[str]) -> None:
        self.path = path
        self._reader = csv.reader(text, skipinitialspace=True)
        self.names = [name.strip() for name in next(self._reader, [])]
        self._check_header()

    def read(
        self, columns: Sequence[str], label: str | None = None
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Read all rows: some columns as numbers, and one (or none) as text."""
        positions = [self.names.index(name) for name in columns]
        blocks = [np.empty((0, len(columns)))]
        labels: list[str] = []
        for lines, rows in self._chunks():
            fields = list(zip(*rows, strict=True))
            block = np.empty((len(rows), len(columns)))
            for j, (name, position) in enumerate(zip(columns, positions, strict=True)):
                block[:, j] = self._numbers(name, fields[position], lines)
            blocks.append(block)
            if label is not None:
                labels += self._text(label, fields[self.names.index(label)], lines)
        if len(blocks) == 1:
            raise ValueError(f"{self.path} has a header but no rows.")
        return np.concatenate(blocks), labels

    def _check_header(self) -> None:
        names = self.names
        if not any(names):
            raise ValueError(f"{self.path} is empty; a header row of names is needed.")
        if len(names) == 1 and (found := re.search(r"[;\t|]", names[0])):
            raise ValueError(
                f"{self.path} has one column, {names[0]!r}: it seems to be separated "
                f"by {found.group()!r}; commas are needed."
            )
        if "" in names:
            raise ValueError(
                f"column {names.index('') + 1} of {self.path} has no name in the "
                "header row; name it, or write the file without its row index."
            )
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{self.path} has two columns named {twice!r}.")

    def _chunks(self) -> Iterator[tuple[list[int], list[list[str]]]]:
        lines: list[int] = []
        rows: list[list[str]] = []
        for row in self._reader:
            if not row:
                if len(self.names) > 1:
                    continue  # a blank line
                row = [""]  # the missing value of a file with one column
            if len(row) != len(self.names):
                raise ValueError(
                    f"{self.path}, line {self._reader.line_num}: {len(row)} fields, "
                    f"but the header names {len(self.names)} columns."
                )
            lines.append(self._reader.line_num)
            rows.append(row)
            if len(rows) == _CHUNK_ROWS:
                yield lines, rows
                lines, rows = [], []
        if rows:
            yield lines, rows

    def _numbers(
        self, name: str, fields: Sequence[str], lines: Sequence[int]
    ) -> NDArray[np.float64]:
        # Python reads "1_000" as a number; in a CSV file it is text.
        if "_" not in ",".join(fields):
            filled = [field or "nan" for field in fields]
            try:
                numbers = np.array(filled, dtype=np.float64)
            except ValueError:
                pass
            else:
                if not np.isinf(numbers).any():
                    return numbers
        return np.array(
            [self._number(name, *pair) for pair in zip(fields, lines, strict=True)]
        )

    def _number(self, name: str, field: str, line: int) -> float:
        field = field.strip()
        try:
            number = float(field or "nan")
        except ValueError:
            number = np.inf
        if np.isinf(number) or "_" in field:
            raise ValueError(
                f"column {name!r} of {self.path} is not numeric: line {line} has "
                f"{field!r}; write numbers, and an empty field for a missing value "
                "(columns of text are not supported yet)."
            )
        return number

    def _text(
        self, name: str, fields: Sequence[str], lines: Sequence[int]
    ) -> list[str]:
        text = [field.strip() for field in fields]
        if "" in text:
            raise ValueError(
                f"target column {name!r} of {self.path} is empty in line "
                f"{lines[text.index('')]}; remove the rows without a label."
            )
        return text


@contextmanager
def open_csv(path: str | Path) -> Iterator[CsvFile]:
    """Open a CSV file (``.gz`` too, ``"-"`` for standard input), read its header."""
    shown = "standard input" if str(path) == "-" else str(path)
    try:
        with (
            _open_binary(path) as binary,
            io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text,
        ):
            yield CsvFile(shown, text)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(
            f"{shown} is not UTF-8 text (it has the byte 0x{byte:02x}); save it as "
            "UTF-8."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{shown} is not a whole gzip file: {error}") from None
    except csv.Error as error:
        raise ValueError(f"{shown} is not comma-separated text: {error}.") from None


def _open_binary(path: str | Path) -> BinaryIO:
    if str(path) == "-":
        return io.BytesIO(sys.stdin.buffer.read())
    if str(path).endswith(".gz"):
        return gzip.open(path, "rb")  # type: ignore[return-value]  # not typed as one
    return open(path, "rb")


def _labels(text: list[str], where: str) -> NDArray[Any]:
    if all(_INTEGER.fullmatch(label) for label in text):
        try:
            return np.array([int(label) for label in text], dtype=np.int64)
        except OverflowError:
            pass  # longer than 64 bits: keep the text
    fraction = _first_fraction(text)
    if fraction is not None:
        raise ValueError(
            f"{where} holds numbers with fractions, such as {fraction!r}; a class "
            "label must be an integer or text."
        )
    return np.array(text)


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


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    folded = {other.casefold(): other for other in known}
    near = [
        folded[match]
        for match in difflib.get_close_matches(name.strip().casefold(), folded, n=3)
    ]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else "."


def _listed(words: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, words[:most]))
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"


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
}
