# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison found: one record per cell, its means and ranks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.metrics import METRICS
from ramify.comparison.statistics import average_ranks

if TYPE_CHECKING:
    from ramify.comparison.power import Power
    from ramify.comparison.tables import Shown
    from ramify.comparison.trees import Sources
    from ramify.comparison.verdict import BaselineLine, Verdict
    from ramify.viewer.page import Page

__all__ = ["Comparison", "DatasetFacts", "MethodFacts", "Protocol", "Record"]


@dataclass(frozen=True)
class Record:
    """One cell: a method on one fold of a data set.

    ``values`` holds one number per metric, NaN where the model has no such number (an
    SVM has no leaves). It is empty when the cell failed, and ``error`` says why.
    ``size`` is the number or share of the training rows that it was fitted on; None for
    all of them. ``limit`` is the time limit in seconds, if that is why it failed.
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    values: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    size: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class DatasetFacts:
    """What a reader wants to know of a data set.

    ``code`` is the Python that loads it again, nothing for what came as an object;
    ``n_events`` are the rows that are not censored, of times to an event.
    """

    name: str
    n_rows: int
    n_columns: int
    n_categorical: int
    n_missing: int
    class_counts: dict[str, int]
    source: str
    code: str = ""
    n_events: int | None = None


@dataclass(frozen=True)
class MethodFacts:
    """What a reader wants to know of a method.

    ``settings`` is the estimator as Python text. Summary, formula and reference are
    empty where nothing is known, as for somebody else's estimator. ``code`` is what to
    give as this method to repeat the run, after the lines of ``imports``; nothing for
    what cannot be written, such as a function. ``league`` is what it plays against on
    even terms, such as "single oblique trees".
    """

    name: str
    summary: str
    formula: str
    reference: str
    settings: str
    code: str = ""
    imports: tuple[str, ...] = ()
    league: str = ""


@dataclass(frozen=True)
class Protocol:
    """How often the rows of a data set are split, and into how many folds.

    ``splitter`` is one of scikit-learn's, if it parts the rows; ``share`` the part of
    the rows that its folds test, on average.

    Examples
    --------
    >>> from ramify.comparison import Protocol
    >>> Protocol.parse("10x5")
    Protocol(n_folds=5, n_repeats=10)
    >>> str(Protocol(10))
    '10'
    """

    n_folds: int
    n_repeats: int = 1
    splitter: Any = field(default=None, repr=False)
    share: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.splitter is not None:
            return
        if self.n_folds < 2:
            raise ValueError(f"cv={self} is too small; at least 2 folds are needed.")
        if self.n_repeats < 1:
            raise ValueError(f"cv={self} repeats nothing; at least 1 is needed.")

    def __str__(self) -> str:
        if self.splitter is not None:
            return " ".join(repr(self.splitter).split())
        is_plain = self.n_repeats == 1
        return f"{self.n_folds}" if is_plain else f"{self.n_repeats}x{self.n_folds}"

    @property
    def test_share(self) -> float:
        """Part of the rows that each trial tests."""
        return 1 / self.n_folds if self.share is None else self.share

    @property
    def words(self) -> str:
        """What was done, as in a sentence."""
        if self.splitter is not None:
            return f"the {self.n_folds} folds of {self}"
        times = f"{self.n_repeats} times " if self.n_repeats > 1 else ""
        return f"{times}{self.n_folds}-fold cross-validation"

    @property
    def n_trials(self) -> int:
        """How often each method is fitted on each data set."""
        return self.n_repeats * self.n_folds

    @classmethod
    def parse(cls, text: Any) -> Protocol:
        """Read "10" (folds), "10x5" (10 repeats of 5 folds), or a number of folds."""
        if isinstance(text, Protocol):
            return text
        if hasattr(text, "split") and not isinstance(text, str):
            return cls(n_folds=0, splitter=text)
        found = re.fullmatch(r"(?:(\d+)\s*[xX]\s*)?(-?\d+)", str(text).strip())
        if found is None or isinstance(text, bool):
            raise ValueError(
                f"cv={text!r} is not understood; give a number of folds, such as 10, "
                "repeats and folds, such as '10x5', or a splitter of scikit-learn."
            )
        return cls(n_folds=int(found[2]), n_repeats=int(found[1] or 1))


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `ramify.compare`.

    Attributes
    ----------
    methods : tuple of MethodFacts
        The methods, in the order given.
    datasets : tuple of DatasetFacts
        The data sets, in the order given.
    metrics : tuple of str
        Names of the metrics. Ranks are taken by the first.
    records : tuple of Record
        One per data set, repeat, fold and method, in that order.
    protocol : Protocol
        Folds and repeats.
    random_state : int
        Seed of the folds and of the methods.
    n_jobs : int or None
        How many cells were run at once.
    seconds : float
        How long the run took.
    baseline : str or None
        Name of the method that the others are held against.
    versions : dict of str to str
        Versions of Python and of the packages that took part.
    n_cached : int
        How many of the records came from the cache.
    notes : tuple of str
        What a reader should know of the form in which methods saw the data.
    sources : Sources or None
        The estimators and the rows, for `view`; not kept in a pickle.
    sizes : tuple of float or int
        Shares, or numbers, of the training rows of the learning curves, if there are.
    curve_records : tuple of Record
        The cells that were fitted on part of the training rows only.
    """

    methods: tuple[MethodFacts, ...]
    datasets: tuple[DatasetFacts, ...]
    metrics: tuple[str, ...]
    records: tuple[Record, ...]
    protocol: Protocol
    random_state: int
    n_jobs: int | None = None
    seconds: float = 0.0
    baseline: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    n_cached: int = 0
    notes: tuple[str, ...] = ()
    sources: Sources | None = field(default=None, compare=False)
    sizes: tuple[float, ...] = ()
    curve_records: tuple[Record, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        # Numbers can be kept by anybody; functions and estimators perhaps not.
        return self.__dict__ | {"sources": None}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(method.name for method in self.methods)

    @property
    def failures(self) -> tuple[Record, ...]:
        """The cells that failed."""
        return tuple(record for record in self.records if record.error is not None)

    @property
    def rank_metric(self) -> str:
        """The metric by which the methods are ranked."""
        return self.metrics[0]

    def values(self, metric: str) -> NDArray[np.float64]:
        """All numbers of a metric: data sets x methods x trials.

        The trials are the folds of the first repeat, then those of the second, and so
        on; the same for every method. NaN where a cell failed.
        """
        row = {data.name: i for i, data in enumerate(self.datasets)}
        column = {name: j for j, name in enumerate(self.names)}
        shape = (len(row), len(column), self.protocol.n_trials)
        values = np.full(shape, np.nan)
        for record in self.records:
            trial = record.repeat * self.protocol.n_folds + record.fold
            cell = row[record.dataset], column[record.method], trial
            values[cell] = record.values.get(metric, np.nan)
        return values

    def means(self, metric: str) -> NDArray[np.float64]:
        """Mean over the trials, one row per data set and one column per method.

        NaN where a cell failed.
        """
        return np.asarray(self.values(metric).mean(axis=2))

    def learning_curves(self, metric: str | None = None) -> NDArray[np.float64]:
        """Mean over the trials: data sets x methods x sizes.

        NaN where a cell failed, or a data set has fewer training rows than that size.

        Examples
        --------
        >>> import ramify
        >>> result = ramify.compare(["gini"], ["iris", "wine"], cv=3, sizes=[0.2, 0.5])
        >>> result.sizes
        (0.2, 0.5, 1.0)
        >>> result.learning_curves("leaves").shape
        (2, 1, 3)
        """
        metric = self._known_metric(metric)
        values = self.values(metric)
        curves = np.full((*values.shape[:2], len(self.sizes)), np.nan)
        for s, size in enumerate(self.sizes):
            if size == 1.0 and isinstance(size, float):
                curves[:, :, s] = values.mean(axis=2)
                continue
            part = replace(
                self,
                records=tuple(one for one in self.curve_records if one.size == size),
            )
            curves[:, :, s] = part.values(metric).mean(axis=2)
        return curves

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Average rank of each method; a failed one ranks last on its data set."""
        higher = METRICS[self.rank_metric].higher_is_better
        return average_ranks(self.means(self.rank_metric), higher_is_better=higher)

    def summary(self) -> list[dict[str, str | float]]:
        """One row per method, best rank first: means over all data sets, and rank.

        A mean is NaN if one of its cells failed.
        """
        means = {metric: self.means(metric).mean(axis=0) for metric in self.metrics}
        rows = []
        for j in np.argsort(self.ranks, kind="stable"):
            row: dict[str, str | float] = {"method": self.names[j]}
            row |= {metric: float(mean[j]) for metric, mean in means.items()}
            rows.append(row | {"rank": float(self.ranks[j])})
        return rows

    def only(self, names: Sequence[str]) -> Comparison:
        """Return the comparison of some of the methods, on the same folds.

        Examples
        --------
        >>> import ramify
        >>> result = ramify.compare(["gini", "ihd", "wodt"], ["iris", "wine"], cv=2)
        >>> result.only(["gini", "ihd"]).ranks.shape
        (2,)
        """
        for name in names:
            if name not in self.names:
                raise ValueError(
                    f"{name!r} is not among the methods, {', '.join(self.names)}."
                )
        return replace(
            self,
            methods=tuple(method for method in self.methods if method.name in names),
            records=tuple(one for one in self.records if one.method in names),
            curve_records=tuple(
                one for one in self.curve_records if one.method in names
            ),
            baseline=self.baseline if self.baseline in names else None,
        )

    def leagues(self) -> dict[str, Comparison]:
        """Get the comparison within each league: a forest beats a tree by its size."""
        found: dict[str, list[str]] = {}
        for method in self.methods:
            found.setdefault(method.league or "others", []).append(method.name)
        return {league: self.only(names) for league, names in found.items()}

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the ranks differ reliably: Friedman's test, then Nemenyi's."""
        from ramify.comparison.verdict import judge

        return judge(self)

    @cached_property
    def power(self) -> Power | None:
        """Which difference these data sets, or folds, show in 80 % of cases.

        None if there is one method only, or if all are the same everywhere.

        Examples
        --------
        >>> import ramify
        >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=2)
        >>> result.power.difference  # two data sets show nothing
        inf
        """
        from ramify.comparison.power import power_of

        return power_of(self)

    def against_baseline(self) -> list[BaselineLine]:
        """Hold every method against the baseline: one line per method.

        Wins, ties and losses over the data sets by the corrected resampled t-test, p of
        Wilcoxon's signed-rank test with Holm's correction, Bayesian probabilities.
        """
        from ramify.comparison.verdict import against_baseline

        return against_baseline(self)

    def view(self, method: str, dataset: str | None = None) -> Page:
        """Fit a method on all rows of a data set, and make the page of its tree.

        Parameters
        ----------
        method : str
            One of `names`. Of a forest, or of one tree per class, the first is shown.
        dataset : str, optional
            Name of the data set; the first if not given.

        Returns
        -------
        Page
            As of `ramify.view`.

        Examples
        --------
        >>> import ramify
        >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=2)
        >>> result.view("ihd", "wine").title
        'ihd on wine'
        """
        if self.sources is None:
            raise ValueError(
                "this comparison has numbers only; compare again to see the trees."
            )
        known = [data.name for data in self.datasets]
        dataset = known[0] if dataset is None else dataset
        for what, given, all_of in (
            ("method", method, self.names),
            ("dataset", dataset, known),
        ):
            if given not in all_of:
                raise ValueError(
                    f"{what}={given!r} was not compared; use one of "
                    f"{', '.join(all_of)}."
                )
        return self.sources.page(method, dataset)

    # --- for people --------------------------------------------------------------

    def __repr__(self) -> str:
        sizes = f"{len(self.methods)} methods, {len(self.datasets)} data sets"
        return f"<Comparison of {sizes}: {self.verdict.headline}>"

    def __str__(self) -> str:
        said = [f"{self.verdict.headline}.", self.verdict.details, *self.notes]
        tables = [self.to_text(), "\n".join(said[:2])]
        if self.sizes:
            tables.append(self.to_text(what="sizes"))
        return "\n\n".join([*tables, *said[2:]])

    def _repr_html_(self) -> str | None:
        """Show the ranking and the verdict in a notebook."""
        from ramify.comparison.tables import ranking
        from ramify.viewer.config import get_config

        if get_config()["display"] == "text":
            return None
        verdict = self.verdict
        lines = [f"<b>{escape(verdict.headline)}.</b>", escape(verdict.details)]
        lines += map(escape, self.notes)
        said = "".join(f"<p>{line}</p>" for line in lines)
        return f"{ranking(self).to_html()}{said}"

    def to_text(
        self,
        width: int | None = None,
        what: str = "summary",
        metric: str | None = None,
    ) -> str:
        """Return a table as text of that width; parameters as for `to_latex`."""
        return self._shown(what, metric).to_text(width)

    def to_markdown(self, what: str = "summary", metric: str | None = None) -> str:
        """Return a table of Markdown; parameters as for `to_latex`."""
        return self._shown(what, metric).to_markdown()

    def to_latex(self, what: str = "summary", metric: str | None = None) -> str:
        r"""Return a tabular for LaTeX, with ``\usepackage{booktabs}``.

        Parameters
        ----------
        what : {"summary", "datasets", "sizes"}
            The ranking, one line per method; or one line per data set with the mean and
            the standard deviation of each method, a mark where it is reliably better
            (+) or worse (-) than the baseline, and the average ranks; or the learning
            curves of ``compare(..., sizes=)``. The best are bold.
        metric : str, optional
            The metric of the tables of data sets and sizes; by default the one that
            ranks.

        Examples
        --------
        >>> import ramify
        >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3)
        >>> print(result.to_latex("datasets", "leaves").splitlines()[3])
        data set & gini & ihd \\
        """
        return self._shown(what, metric).to_latex()

    def _shown(self, what: str, metric: str | None) -> Shown:
        from ramify.comparison.tables import dataset_table, ranking, size_table

        if what == "summary":
            return ranking(self)
        known = {"datasets": dataset_table, "sizes": size_table}
        if what not in known:
            raise ValueError(
                f"what={what!r} is unknown; use 'summary', 'datasets' or 'sizes'."
            )
        self._check_sizes(what)
        return known[what](self, self._known_metric(metric))

    def _check_sizes(self, what: str) -> None:
        if what == "sizes" and not self.sizes:
            raise ValueError(
                "there are no learning curves; use compare(..., sizes=[0.1, 0.3])."
            )

    def _known_metric(self, metric: str | None) -> str:
        if metric is not None and metric not in self.metrics:
            raise ValueError(
                f"metric={metric!r} was not measured; use one of "
                f"{', '.join(self.metrics)}, or compare(..., metrics=[...])."
            )
        return metric or self.rank_metric

    def to_frame(self, what: str = "summary", metric: str | None = None) -> Any:
        """Return a data frame of pandas, or of polars where there is no pandas.

        Parameters
        ----------
        what : {"summary", "datasets", "sizes", "records"}
            One row per method; one row per data set, with columns for mean, standard
            deviation and mark of each method (see `to_latex`), and a last row with the
            average ranks; one row per data set, method and size of the learning curves;
            or one row per cell.
        metric : str, optional
            The metric of "datasets" and "sizes"; by default the one that ranks.
        """
        from ramify.comparison.tables import dataset_columns, frame_of, size_columns

        if what == "summary":
            rows = self.summary()
            return frame_of({key: [row[key] for row in rows] for key in rows[0]})
        if what == "datasets":
            return frame_of(dataset_columns(self, self._known_metric(metric)))
        if what == "sizes":
            self._check_sizes(what)
            return frame_of(size_columns(self, self._known_metric(metric)))
        if what != "records":
            raise ValueError(
                f"what={what!r} is unknown; use 'summary', 'datasets', 'sizes' or "
                "'records'."
            )
        keys = ("dataset", "method", "repeat", "fold")
        columns: dict[str, list[Any]] = {
            key: [getattr(record, key) for record in self.records] for key in keys
        }
        for metric in self.metrics:
            columns[metric] = [r.values.get(metric, np.nan) for r in self.records]
        return frame_of(columns | {"error": [r.error for r in self.records]})

    def to_csv(self) -> str:
        """Return all records as CSV text, one line per cell."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        keys = ["dataset", "method", "repeat", "fold"]
        writer.writerow([*keys, *self.metrics, "error"])
        for record in self.records:
            cell = [getattr(record, key) for key in keys]
            values = [record.values.get(metric, "") for metric in self.metrics]
            writer.writerow([*cell, *values, record.error or ""])
        return text.getvalue()
