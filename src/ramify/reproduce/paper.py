# SPDX-License-Identifier: BSD-3-Clause
"""What a paper is here: its data sets, methods, printed tables and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ramify.reproduce.figure import Figure
    from ramify.reproduce.numbers import Numbers

__all__ = [
    "Choice",
    "Claim",
    "Entries",
    "Entry",
    "Judgement",
    "Measure",
    "Paper",
    "Row",
    "Size",
]


@dataclass(frozen=True)
class Row:
    """A row of a paper's tables, and the file that stands for it.

    Attributes
    ----------
    name : str
        As printed.
    file : str
        Name of the file, without its ending.
    coding : str
        How categories become numbers, see `ramify.reproduce.reading`.
    is_extra : bool
        Another reading of the same row, or a part of its data: it is shown, but means,
        ranks and claims leave it out.
    is_large : bool
        Left to a full run.
    note : str
        What a reader should know of it.
    """

    name: str
    file: str
    coding: str = "numbers"
    is_extra: bool = False
    is_large: bool = False
    note: str = ""

    @property
    def label(self) -> str:
        """The name in tables: that of the row, and what sets this reading apart."""
        if not self.is_extra:
            return self.name
        return f"{self.name} ({self.file}, {self.coding})"


@dataclass(frozen=True)
class Measure:
    """A column of a printed table, and the number of ours that stands beside it.

    Attributes
    ----------
    key : str
        What is measured of a fitted model: accuracy, auc, leaves, depth or fit_time.
    table : str
        Where it is printed, such as "Table 3".
    file, column : str
        The file in ``tables/`` and its column.
    scale : float
        Printed number times this is the number that we measure.
    marks : str
        Column of the file that says where the paper's test found a difference.
    is_judged : bool
        Whether the reproduction is measured by it: its mean absolute difference and
        the order of the methods.
    """

    key: str
    table: str
    file: str
    column: str
    scale: float = 1.0
    marks: str = ""
    is_judged: bool = True

    @property
    def higher_is_better(self) -> bool:
        """Which way to rank."""
        return self.key in ("accuracy", "auc")

    @property
    def title(self) -> str:
        """Its name in a heading."""
        return _TITLES[self.key]

    def show(self, value: float | None, signed: bool = False) -> str:
        """Write a number of this measure, or a difference, for a table."""
        if value is None or value != value:
            return "..."
        factor, digits = _SHOWN[self.key]
        return f"{factor * value:{'+' if signed else ''}.{digits}f}"


_TITLES = {
    "accuracy": "Accuracy in percent",
    "auc": "AUC in percent",
    "leaves": "Leaves",
    "depth": "Depth",
    "fit_time": "Training time in ms",
}
_SHOWN = {
    "accuracy": (100, 2),
    "auc": (100, 2),
    "leaves": (1, 1),
    "depth": (1, 1),
    "fit_time": (1000, 3),
}


@dataclass(frozen=True)
class Entry:
    """One estimator that is run on the folds of a row.

    Several entries of the same method and reading are candidates: the one with the
    best mean score on the test folds stands for the method, as the paper did it.

    Attributes
    ----------
    method : str
        As printed.
    reading : str
        One of the paper's `readings`.
    settings : str
        What sets candidates apart, such as "w2=0.01".
    make : callable
        Gives the estimator for a seed.
    """

    method: str
    reading: str
    make: Callable[[int], Any] = field(compare=False)
    settings: str = ""

    @property
    def key(self) -> str:
        """A name that no other entry of the paper has on the same row."""
        return " | ".join((self.method, self.reading, self.settings))


@dataclass(frozen=True)
class Judgement:
    """Whether a claim holds (None: it cannot be judged), and the figures."""

    holds: bool | None
    figures: str

    @property
    def word(self) -> str:
        """Say it in words."""
        if self.holds is None:
            return "cannot be judged"
        return "holds" if self.holds else "does not hold"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and the function that judges it by numbers.

    The same function judges the printed numbers and ours.
    """

    text: str
    judge: Callable[[Numbers], Judgement] = field(compare=False)


@dataclass(frozen=True)
class Size:
    """What decides on the methods that are run on a row."""

    is_full: bool
    n_rows: int
    n_columns: int
    coding: str


Entries = Callable[[Size], Iterable[Entry]]


@dataclass(frozen=True)
class Choice:
    """A point of the protocol that the paper does not settle, and how we settle it.

    Attributes
    ----------
    point : str
        What it is about.
    says, leaves_open : str
        What the paper says of it, and what it does not say.
    chosen : str
        What is done here.
    """

    point: str
    says: str
    leaves_open: str
    chosen: str


@dataclass(frozen=True)
class Paper:
    """A published comparison that can be run again.

    Attributes
    ----------
    name : str
        Short name, for the command line.
    title, reference : str
        The method it is about, and where it was published.
    protocol : str
        What the paper did, in a few sentences.
    choices : tuple of Choice
        What the paper says, what it leaves open, and what is done here.
    n_folds, n_repeats : int
        Of the paper.
    full_repeats : int
        Of a full run; a quick run has one.
    measures : tuple of Measure
        What is printed.
    rows : tuple of Row
        From small to large, which is the order of running.
    entries : callable
        What is run on a row of a given size.
    readings : mapping
        Name and meaning of each way to run the methods; the first is the paper's.
    claims : tuple of Claim
        What the paper concludes.
    figures : tuple of Figure
        Its experiments that are not tables by data set and method.
    differences : str
        What was found about cells that differ by more than noise.
    missing : mapping
        Rows for which there are no data at all, and why.
    left_out : str
        Why some methods are not run on some rows.
    """

    name: str
    title: str
    reference: str
    protocol: str
    choices: tuple[Choice, ...]
    n_folds: int
    n_repeats: int
    full_repeats: int
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    entries: Entries
    readings: Mapping[str, str]
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    differences: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)
    left_out: str = "not run"
