# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy against the depth of the tree: Figs. 2 and 3 of the WODT paper.

One tree is grown to the greatest depth. Growing is greedy, so a tree of less depth is
the top of it, and all depths are read off the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from ramify.comparison.metrics import Metric, Trial
from ramify.reproduce import charts
from ramify.reproduce.figure import Figure, Finding, Shown
from ramify.reproduce.paper import Entry, Judgement, Size

if TYPE_CHECKING:
    from ramify.reproduce.results import Reproduction

__all__ = ["DEPTHS", "DepthCurve", "accuracies", "figure"]

DEPTHS = tuple(range(2, 21, 2))
KINDS = {"test": "Fig. 2", "training": "Fig. 3"}
OWN = "WODT"
Curves = dict[tuple[str, str, str], NDArray[np.float64]]  # kind, data set, method


def accuracies(
    model: Any, X: Any, y: NDArray[Any], depths: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the accuracy of a tree that ends at each of these depths."""
    tree = model.tree_
    depth_of, parent_of = tree.depths(), tree.parents()
    answers = model.classes_[tree.values().reshape(len(depth_of), -1).argmax(axis=1)]
    node = model.apply(X)
    found = []
    for depth in sorted(depths, reverse=True):
        while (too_deep := depth_of[node] > depth).any():
            node = np.where(too_deep, parent_of[node], node)
        found.append(float(np.mean(answers[node] == y)))
    return np.array(found[::-1])


class DepthCurve(ClassifierMixin, BaseEstimator):
    """A tree, and its accuracy on the training rows if it ended at lesser depths."""

    def __init__(self, tree: Any = None, depths: tuple[int, ...] = DEPTHS) -> None:
        self.tree = tree
        self.depths = depths

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Grow the tree to the greatest depth."""
        deepest = max(self.depths)
        self.grown_ = clone(self.tree).set_params(max_depth=deepest).fit(X, y)
        self.classes_ = self.grown_.classes_
        self.training_ = accuracies(self.grown_, X, y, self.depths)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the tree of the greatest depth."""
        return np.asarray(self.grown_.predict(X))


@dataclass(frozen=True)
class _At:
    """The accuracy at the depth of a place."""

    kind: str
    place: int

    def __call__(self, trial: Trial) -> float:
        model = trial.model
        if self.kind == "training":
            return float(model.training_[self.place])
        if not hasattr(model, "tested_"):
            model.tested_ = accuracies(
                model.grown_, trial.X_test, trial.y_test, model.depths
            )
        return float(model.tested_[self.place])


METRICS = {
    f"{kind}@{depth}": Metric(f"{kind} accuracy", _At(kind, i), True)
    for kind in KINDS
    for i, depth in enumerate(DEPTHS)
}


def _make(seed: int, make: Callable[[int], Any]) -> DepthCurve:
    return DepthCurve(make(seed))


def figure(
    methods: Mapping[str, Callable[[int], Any]], rows: tuple[str, ...], max_cells: int
) -> Figure:
    """Yield the figure of these methods on these rows.

    Parameters
    ----------
    methods : mapping
        Estimator for a seed, by name.
    rows : tuple of str
        Data sets.
    max_cells : int
        Cells of a table (rows x columns) up to which the other methods are run beside
        WODT and the axis-parallel tree, which are fast.
    """

    def entries(size: Size) -> Iterator[Entry]:
        is_small = size.n_rows * size.n_columns <= max_cells
        for name, make in methods.items():
            if is_small or name in (OWN, "APDT"):
                yield Entry(name, "paper", partial(_make, make=make))

    return Figure(
        key="depths",
        place="Figs. 2 and 3",
        title="test and training accuracy against depth",
        says="Accuracy on test rows (Fig. 2) and training rows (Fig. 3) at depths 2, "
        "4, ..., 20. WODT is the most accurate at every depth and needs a shallow "
        "tree only; WODT and APDT fit usps and mnist well at depth 20.",
        show=partial(_show, methods=tuple(methods)),
        entries=entries,
        rows=rows,
        n_folds=1,
        metrics=METRICS,
    )


def _curves(found: Reproduction) -> Curves:
    curves: Curves = {}
    for run in found.figure_runs.get("depths", ()):
        if run.trials:
            for kind in KINDS:
                values = [run.mean(f"{kind}@{depth}") for depth in DEPTHS]
                curves[kind, run.row.name, run.entry.method] = np.array(values)
    return curves


def _show(found: Reproduction, methods: tuple[str, ...]) -> Shown | None:
    curves = _curves(found)
    if not curves:
        return None
    sets = list(dict.fromkeys(name for _, name, _ in curves))
    panels = [
        charts.Panel(
            f"{name}, {kind}",
            DEPTHS,
            {
                method: 100 * curves.get((kind, name, method), np.full(10, np.nan))
                for method in methods
            },
        )
        for kind in KINDS
        for name in sets
    ]
    label = "Accuracy of trees on test and training rows against their depth"
    picture = charts.curves(panels, "depth", "accuracy in %", label, len(sets))
    lines = [
        [KINDS[kind], name, method, *(f"{100 * value:.2f}" for value in values)]
        for (kind, name, method), values in sorted(
            curves.items(), key=lambda item: (*item[0][:1], sets.index(item[0][1]))
        )
    ]
    headings = ["figure", "data set", "method", *map(str, DEPTHS)]
    return Shown(headings, lines, picture, judged(curves), _note(found, curves))


def _note(found: Reproduction, curves: Curves) -> str:
    parts = {
        run.row.name: run.row.note
        for run in found.figure_runs["depths"]
        if run.row.is_extra
    }
    text = "One of the five folds. Accuracy in percent."
    for name, note in parts.items():
        text += f" {name}: {note}."
    few = {
        name
        for _, name, _ in curves
        if len({m for _, at, m in curves if at == name}) == 2
    }
    if few:
        text += f" On {', '.join(sorted(few))} only the two fast methods were run."
    return text


def judged(curves: Curves) -> tuple[Finding, ...]:
    """Judge what the paper reads off the two figures."""
    findings = []
    for kind, place in KINDS.items():
        leads, places, behind = 0, 0, []
        for (of, name, method), own in curves.items():
            rivals = [
                values
                for (also, at, other), values in curves.items()
                if (also, at) == (kind, name) and other != OWN
            ]
            if of != kind or method != OWN or not rivals:
                continue
            is_best = own >= np.max(rivals, axis=0)
            leads, places = leads + int(is_best.sum()), places + len(own)
            if not is_best.all():
                behind.append(name)
        holds = None if not places else leads == places
        figures = f"{leads} of {places} places"
        figures += f"; not on {', '.join(behind)}" if behind else ""
        text = f"WODT has the highest {kind} accuracy at every depth ({place})."
        findings.append(Finding(text, Judgement(holds, figures)))
    fits = {
        (name, method): curves["training", name, method][-1]
        for name in ("usps", "mnist")
        for method in (OWN, "APDT")
        if ("training", name, method) in curves
    }
    listed = [f"{m} on {s} {100 * fit:.1f} %" for (s, m), fit in fits.items()]
    findings.append(
        Finding(
            "WODT and APDT fit usps and mnist well at depth 20 (99 % and more).",
            Judgement(
                min(fits.values()) >= 0.99 if fits else None, ", ".join(listed) or "-"
            ),
        )
    )
    return tuple(findings)
