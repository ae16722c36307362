# SPDX-License-Identifier: BSD-3-Clause
"""What a reproduction found: our numbers beside the printed ones."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from ramify.comparison import statistics
from ramify.datasets import Dataset
from ramify.reproduce import published
from ramify.reproduce.figure import Figure, Shown
from ramify.reproduce.numbers import Grid, Numbers
from ramify.reproduce.paper import Claim, Judgement, Measure, Paper, Row
from ramify.reproduce.reading import read
from ramify.reproduce.run import Plan, Run

__all__ = ["Agreement", "Pair", "Reproduction"]

_HEADINGS = (
    *("paper", "table", "measure", "dataset", "file", "coding", "is_extra", "method"),
    *("reading", "settings", "printed", "ours", "difference", "noise", "n_trials"),
)
ALPHA = 0.05
CLEAR = 3.0  # standard errors
ENOUGH = 5  # repeats, to know the noise of one method by itself


@dataclass(frozen=True)
class Pair:
    """A printed number and ours: of one measure, data set, method and reading.

    Attributes
    ----------
    noise : float
        Standard error of the difference, from how much the mean changes when the folds
        are drawn anew (with one repeat, from its spread over the folds; with less than
        five, together with the other methods on the same data).
    """

    measure: Measure
    row: Row
    method: str
    reading: str
    settings: str
    printed: float
    ours: float
    noise: float
    n_trials: int

    @property
    def difference(self) -> float:
        """Ours less the printed one."""
        return self.ours - self.printed

    @property
    def is_clear(self) -> bool:
        """Whether the difference is more than three standard errors."""
        return abs(self.difference) > max(CLEAR * self.noise, 1e-9)


@dataclass(frozen=True)
class Agreement:
    """How near a reproduction is, by one measure.

    Attributes
    ----------
    n_cells, n_clear : int
        Cells of the table that have both numbers, and those that differ by more than
        three standard errors.
    distance : float
        Mean absolute difference.
    ratio : float
        Ours over the printed ones, as a geometric mean.
    correlation : float
        Spearman's, of the methods' average ranks.
    n_ranked : int
        Data sets that have all methods, on which they are ranked.
    """

    measure: Measure
    n_cells: int
    n_clear: int
    distance: float
    ratio: float
    correlation: float
    n_ranked: int


@dataclass(frozen=True)
class Reproduction:
    """The result of `ramify.reproduce`.

    Attributes
    ----------
    paper : Paper
        What was run.
    plan : Plan
        How much of it.
    runs : list of Run
        All numbers.
    sizes : dict
        Rows and columns of each data set.
    wanted, absent : tuple of Row
        Data sets that were wanted, and those of them for which no data were found.
    versions : dict
        Of what computed.
    figure_runs : mapping
        The numbers of what was run for the figures alone, by their keys.
    sources : mapping
        Where the data of each row are.
    """

    paper: Paper
    plan: Plan
    runs: Sequence[Run]
    sizes: dict[Row, tuple[int, int]]
    wanted: tuple[Row, ...]
    absent: tuple[Row, ...]
    versions: dict[str, str]
    figure_runs: Mapping[str, Sequence[Run]] = field(default_factory=dict)
    sources: Mapping[Row, str] = field(default_factory=dict)

    @cached_property
    def shown(self) -> dict[Figure, Shown]:
        """What came of each figure whose data were run."""
        found = ((figure, figure.show(self)) for figure in self.paper.figures)
        return {figure: shown for figure, shown in found if shown is not None}

    def data(self, row: Row) -> Dataset:
        """Read the data of a row once more, coded as its methods saw them."""
        return read(self.sources[row], row)

    @cached_property
    def chosen(self) -> dict[tuple[Row, str, str], Run]:
        """The run that stands for a row, method and reading: the best candidate."""
        candidates: dict[tuple[Row, str, str], list[Run]] = defaultdict(list)
        for run in self.runs:
            if run.trials:
                key = run.row, run.entry.method, run.entry.reading
                candidates[key].append(run)
        best = self.paper.measures[0].key
        return {
            key: max(runs, key=lambda run: round(run.mean(best), 9))
            for key, runs in candidates.items()
        }

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every number of ours that has a printed one beside it."""
        return tuple(self._pairs())

    def _pairs(self) -> Iterator[Pair]:
        for measure in self.paper.measures:
            table = published.grid(measure)
            for (row, method, reading), run in self.chosen.items():
                if row.name not in table.rows or method not in table.methods:
                    continue
                at = table.rows.index(row.name), table.methods.index(method)
                alike = [
                    other
                    for (r, _, way), other in self.chosen.items()
                    if r == row and way == reading
                ]
                yield Pair(
                    measure,
                    row,
                    method,
                    reading,
                    run.entry.settings,
                    float(table.values[at]),
                    run.mean(measure.key),
                    _noise(run, alike, measure.key, self.paper.n_repeats),
                    len(run.trials),
                )

    def ours(self, reading: str | None = None) -> Numbers:
        """Return our numbers as claims take them; extra rows are left out."""
        return {m.key: self._grid(m, reading) for m in self.paper.measures}

    @property
    def printed(self) -> Numbers:
        """The paper's numbers."""
        return {m.key: published.grid(m) for m in self.paper.measures}

    def _grid(self, measure: Measure, reading: str | None) -> Grid:
        table = published.grid(measure)
        values = np.full(table.values.shape, np.nan)
        marks = np.zeros(values.shape)
        for i, j, run in self._counted(table, reading):
            values[i, j] = run.mean(measure.key)
        if measure.marks:
            for i, j, run in self._counted(table, reading):
                own = self._of(table.rows[i], table.methods[0], reading)
                marks[i, j] = _mark(own, run, measure) if own is not None else 0
        return Grid(measure, table.rows, table.methods, values, marks)

    def _counted(
        self, table: Grid, reading: str | None
    ) -> Iterator[tuple[int, int, Run]]:
        for i, name in enumerate(table.rows):
            for j, method in enumerate(table.methods):
                run = self._of(name, method, reading)
                if run is not None:
                    yield i, j, run

    def _of(self, name: str, method: str, reading: str | None) -> Run | None:
        """Find a run; a method that is not read in this way has its first reading."""
        ways = self._ways[method]
        wanted = reading if reading in ways else ways[0]
        for row in self.sizes:
            if row.name == name and not row.is_extra:
                return self.chosen.get((row, method, wanted))
        return None

    @cached_property
    def _ways(self) -> dict[str, list[str]]:
        """Readings of each method, in the paper's order."""
        ways: dict[str, list[str]] = defaultdict(lambda: list(self.paper.readings))
        wanted = {(run.entry.method, run.entry.reading) for run in self.runs}
        for method in {method for method, _ in wanted}:
            ways[method] = [r for r in self.paper.readings if (method, r) in wanted]
        return ways

    def agreement(self, measure: Measure, reading: str | None = None) -> Agreement:
        """Return how near we are by a measure, over the rows that are not extra."""
        wanted = reading or next(iter(self.paper.readings))
        pairs = [
            pair
            for pair in self.pairs
            if pair.measure is measure
            and pair.reading == wanted
            and not pair.row.is_extra
            and not math.isnan(pair.difference)
        ]
        return Agreement(
            measure,
            len(pairs),
            sum(pair.is_clear for pair in pairs),
            float(np.mean([abs(p.difference) for p in pairs])) if pairs else math.nan,
            _ratio(pairs),
            *self._order(measure, reading),
        )

    def _order(self, measure: Measure, reading: str | None) -> tuple[float, int]:
        """Compare the methods' average ranks, printed and ours, on the same rows."""
        theirs, ours = published.grid(measure), self._grid(measure, reading)
        has_any = ~np.isnan(ours.values).all(axis=0)
        both = np.isnan(theirs.values) | np.isnan(ours.values)
        rows = ~both[:, has_any].any(axis=1)
        if rows.sum() < 2 or has_any.sum() < 3:
            return math.nan, int(rows.sum())
        sign = 1 if measure.higher_is_better else -1
        ranks = [
            statistics.average_ranks(sign * grid.values[np.ix_(rows, has_any)])
            for grid in (theirs, ours)
        ]
        return float(spearmanr(*ranks).statistic), int(rows.sum())

    def judged(
        self, reading: str | None = None
    ) -> list[tuple[Claim, Judgement, Judgement]]:
        """Judge each claim by the printed numbers and by ours."""
        theirs, ours = self.printed, self.ours(reading)
        return [(c, c.judge(theirs), c.judge(ours)) for c in self.paper.claims]

    @cached_property
    def not_run(self) -> list[tuple[str, str]]:
        """What of the printed tables has no number of ours, and why."""
        is_whole = self.wanted == self.paper.rows
        found = dict(self.paper.missing) if is_whole else {}
        for row in self.absent:
            found.setdefault(row.label, f"no file {row.file}")
        for row in self.wanted:
            if row.is_large and not self.plan.is_full and row not in self.absent:
                found[row.label] = "left to --full"
        for row in self.sizes:
            if why := self._lacks(row):
                found[row.label] = why
        return list(found.items())

    def _lacks(self, row: Row) -> str:
        wanted = {run.entry.method for run in self.runs if run.row == row}
        every = list(dict.fromkeys(m for g in self.printed.values() for m in g.methods))
        parts = []
        if left := [m for m in every if m not in wanted]:
            parts.append(f"{', '.join(left)}: {self.paper.left_out}")
        errors = [
            f"{run.entry.method}: {run.errors[0]}"
            for run in self.runs
            if run.row == row and run.errors
        ]
        parts += dict.fromkeys(errors)
        n_wanted = self.plan.n_repeats * self.paper.n_folds
        few = {
            _way(run, self.paper): len(run.trials)
            for run in self.runs
            if run.row == row and len(run.trials) < n_wanted and not run.errors
        }
        if few:
            counts = ", ".join(f"{way} {n}" for way, n in few.items())
            parts.append(f"time limit; of {n_wanted} folds ran {counts}")
        return "; ".join(parts)

    def to_csv(self) -> str:
        """Write every pair of numbers as a line of CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_HEADINGS)
        for pair in self.pairs:
            numbers = (pair.printed, pair.ours, pair.difference, pair.noise)
            writer.writerow(
                [
                    self.paper.name,
                    pair.measure.table,
                    pair.measure.key,
                    pair.row.name,
                    pair.row.file,
                    pair.row.coding,
                    int(pair.row.is_extra),
                    pair.method,
                    pair.reading,
                    pair.settings,
                    *("" if math.isnan(x) else f"{x:.6g}" for x in numbers),
                    pair.n_trials,
                ]
            )
        return text.getvalue()


def _way(run: Run, paper: Paper) -> str:
    """Name a run among those of its row."""
    reading = "" if len(paper.readings) == 1 else f" ({run.entry.reading})"
    settings = f" {run.entry.settings}" if run.entry.settings else ""
    return f"{run.entry.method}{reading}{settings}"


def _repeat_means(run: Run, key: str) -> NDArray[np.float64]:
    """Return the mean over the folds of each repeat that is whole."""
    by_repeat: dict[int, list[float]] = defaultdict(list)
    for (repeat, _), trial in sorted(run.trials.items()):
        by_repeat[repeat].append(trial.get(key, np.nan))
    most = max(map(len, by_repeat.values()))
    return np.array([np.nanmean(v) for v in by_repeat.values() if len(v) == most])


def _noise(run: Run, alike: Sequence[Run], key: str, n_printed: int) -> float:
    """Return the standard error of our mean less the printed one.

    How much a mean changes with the folds is taken from the repeats. A few repeats of
    one method say little, so they are pooled with those of the runs that are alike:
    the other methods on the same data.
    """
    own = _repeat_means(run, key)
    if len(own) == 1:
        values = run.values(key)
        spread = float(np.nanstd(values, ddof=1)) / math.sqrt(len(values))
    else:
        pool = [run] if len(own) >= ENOUGH else alike
        means = [_repeat_means(other, key) for other in pool]
        squares = sum(float(((m - m.mean()) ** 2).sum()) for m in means)
        spread = math.sqrt(squares / sum(len(m) - 1 for m in means))
    return spread * math.sqrt(1 / len(own) + 1 / n_printed)


def _mark(own: Run, other: Run, measure: Measure) -> float:
    """Say by the paired t-test, as papers use it, whether the first run is better."""
    if own is other:
        return 0.0
    shared = sorted(own.trials.keys() & other.trials.keys())
    ours, theirs = (
        [run.trials[place].get(measure.key, np.nan) for place in shared]
        for run in (own, other)
    )
    test = statistics.paired_t_test(
        ours, theirs, higher_is_better=measure.higher_is_better
    )
    return float(np.sign(test.t)) if test.p < ALPHA else 0.0


def _ratio(pairs: Sequence[Pair]) -> float:
    logs = [math.log(p.ours / p.printed) for p in pairs if p.ours > 0 and p.printed > 0]
    return math.exp(float(np.mean(logs))) if logs else math.nan
