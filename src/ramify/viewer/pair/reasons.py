# SPDX-License-Identifier: BSD-3-Clause
"""Why two trees differ at a node: its best splits under both criteria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.criteria import catalogue
from ramify.datasets import Dataset
from ramify.estimators.tree import DecisionTreeClassifier
from ramify.table import Table
from ramify.tree.inspect import is_regressor
from ramify.viewer.page_data import Seen, plain_number, round_to
from ramify.viewer.pictures import Axis, class_slots, runs

__all__ = ["isolines", "why_data"]

MAX_NODES = 24  # of each tree, the heaviest
MAX_SPLITS = 10
N_LISTED = 200  # cuts of the ledger; columns that are not among them are scored here
N_POINTS = 110  # of a curve
N_GRID = 24  # squares along an axis of isolines
SKEWS = (0.01, 0.05, 0.1, 0.25, 0.5)  # shares of the second class

Floats = NDArray[np.float64]


def why_data(first: Seen, second: Seen, data: Dataset) -> dict[str, Any] | None:
    """Give, for the heaviest nodes of both trees, their best splits by both criteria.

    They are searched anew among the rows of the node, axis-parallel, so that they are
    known for oblique trees too. None for regression trees.
    """
    if is_regressor(first.model) or first.tree.n_outputs > 1:
        return None
    both = [_criterion_of(one.model) for one in (first, second)]
    table, labels = data.table(), np.asarray(first.target)
    found: dict[str, Any] = {}
    for which, seen in zip("ab", (first, second), strict=True):
        assert seen.passage is not None
        n_rows = seen.passage.n_rows
        inner = np.flatnonzero((seen.tree.children_left >= 0) & (n_rows > 3))
        heavy = inner[np.argsort(-n_rows[inner], kind="stable")[:MAX_NODES]]
        for i in heavy.tolist():
            rows = seen.passage.at(i)
            if len(np.unique(labels[rows])) < 2:
                continue
            one = _at_node(first, table, labels, rows, both)
            if one is not None:
                found[f"{which}{i}"] = one
    return found


def _criterion_of(model: Any) -> dict[str, Any]:
    """Return the parameters that say what a tree judges its splits by."""
    given = model.get_params(deep=False)
    kept = ("criterion", "criterion_params", "missing", "categories")
    return {name: given[name] for name in kept if name in given}


def _at_node(
    seen: Seen,
    table: Table,
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    both: list[dict[str, Any]],
) -> dict[str, Any] | None:
    """Search a node by both criteria, and join what each finds best per column."""
    splits: dict[Any, dict[str, Any]] = {}
    best: list[Any] = []
    for which in (0, 1):
        ledger = _ledger(table[rows], labels[rows], both[which], both[1 - which])
        if ledger is None:
            return None
        per_column: dict[int, Any] = {}
        for one in ledger:
            per_column.setdefault(one["column"], one)
        ranked = list(per_column.values())
        if not ranked:
            return None
        best.append(_key(ranked[0]))
        for one in ranked:
            scores = [one["score"], one["also"]]
            known = splits.setdefault(_key(one), one)
            known["scores"] = scores if which == 0 else scores[::-1]
    listed = {one["column"] for one in splits.values()}
    for j, info in enumerate(seen.columns):
        if j not in listed and not info.is_categorical:
            for one in _best_cuts(seen, labels, rows, j, both):
                splits.setdefault(_key(one), one)
    every = [{**one, "id": key} for key, one in splits.items()]
    table_of_scores = np.array([one["scores"] for one in every])
    order = np.argsort(-table_of_scores, axis=0, kind="stable").T.tolist()
    by = [[every[i] for i in ranks] for ranks in order]
    shown = _fairly(by)
    chosen = {tuple(key) for key in best}
    return {
        "splits": [
            {
                "column": one["column"],
                "threshold": one["threshold"],
                "left": one["left"],
                "scores": [round_to(score, 5) for score in one["scores"]],
            }
            for one in shown
        ],
        "curves": [
            _curve(seen, labels, rows, one["column"], both)
            for one in shown
            if one["id"] in chosen and one["threshold"] is not None
        ][:2],
    }


def _fairly(by: list[list[Any]]) -> list[Any]:
    """Take the best of either list in turn."""
    shown: list[Any] = []
    for pair in zip(*by, strict=True):
        for one in pair:
            if len(shown) < MAX_SPLITS and one["id"] not in [x["id"] for x in shown]:
                shown.append(one)
    return shown


def _key(one: dict[str, Any]) -> tuple[Any, ...]:
    return (one["column"], one["threshold"], tuple(one["left"]))


def _ledger(
    table: Table, labels: NDArray[np.int64], own: dict[str, Any], other: dict[str, Any]
) -> list[dict[str, Any]] | None:
    """Grow a stump, and read what it considered; None if it cannot be grown so."""
    stump = DecisionTreeClassifier(
        **own,
        max_depth=1,
        record_candidates=N_LISTED,
        candidate_criteria=[other["criterion"]],
        categorical_features=[
            name
            for name, kind in zip(table.schema.names, table.schema.kinds, strict=True)
            if kind == "categorical"
        ],
    )
    try:
        stump.fit(table, labels)
    except ValueError:  # such as a criterion for two classes, or one without scores
        return None
    ledger = stump.tree_.ledger
    assert ledger is not None
    arrays, begin = ledger.arrays, ledger.arrays["left_begin"]
    found = []
    for i in range(len(ledger)):
        column = int(arrays["feature"][i])
        known = ledger.schema.columns[column].categories
        codes = arrays["left_codes"][begin[i] : begin[i + 1]].tolist()
        scores = float(arrays["score"][i]), float(arrays["also"][i, 0])
        if not np.isfinite(scores).all():
            continue
        found.append(
            {
                "column": column,
                "threshold": plain_number(float(arrays["threshold"][i])),
                "left": [str(known[code]) for code in codes if code < len(known)],
                "score": scores[0],
                "also": scores[1],
            }
        )
    return found


# --- curves -----------------------------------------------------------------------


def _judges(both: list[dict[str, Any]]) -> list[Any]:
    """Return the criteria as functions of class weights; None for what needs more."""
    found: list[Any] = []
    for one in both:
        try:
            judge: Any = catalogue.resolve(
                one["criterion"], one.get("criterion_params")
            )
            judge([2.0, 2.0], left=[[2.0, 0.0]], right=[[0.0, 2.0]])
        except (TypeError, ValueError):
            found.append(None)
        else:
            found.append(judge)
    return found


@dataclass(frozen=True)
class _Cuts:
    """The cuts of a column among some rows, and the classes left of each."""

    values: Floats  # ascending, those that are known
    codes: NDArray[np.int64]
    cuts: Floats
    left: Floats
    known: Floats  # classes of the rows with a value, and of those without
    missing: Floats

    @classmethod
    def from_column(
        cls,
        seen: Seen,
        labels: NDArray[np.int64],
        rows: NDArray[np.int64],
        column: int,
    ) -> _Cuts:
        assert seen.matrix is not None
        assert seen.classes is not None
        n_classes = len(seen.classes)
        values, codes = seen.matrix[rows, column], labels[rows]
        is_known = np.isfinite(values)
        missing = np.bincount(codes[~is_known], minlength=n_classes).astype(float)
        values, codes = values[is_known], codes[is_known]
        order = np.argsort(values, kind="stable")
        values, codes = values[order], codes[order]
        ends = np.flatnonzero(values[1:] > values[:-1])
        counts = np.zeros((len(codes), n_classes))
        counts[np.arange(len(codes)), codes] = 1.0
        sums = np.cumsum(counts, axis=0)
        cuts = (values[ends] + values[ends + 1]) / 2
        known = sums[-1] if len(sums) else np.zeros(n_classes)
        return cls(values, codes, cuts, sums[ends], known, missing)

    def scores(self, judge: Any) -> Floats:
        """Score every cut, with the missing rows on the better side."""
        parent = self.known + self.missing
        found = np.full(len(self.cuts), -np.inf)
        sides = (self.left, self.left + self.missing)
        for left in sides if self.missing.any() else sides[:1]:
            scores = np.asarray(judge(parent, left=left, right=parent - left))
            found = np.maximum(found, np.where(np.isfinite(scores), scores, 0.0))
        return found


def _best_cuts(
    seen: Seen,
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    column: int,
    both: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Get the best cut of a column by each criterion, if class weights say it all."""
    judges = _judges(both)
    here = _Cuts.from_column(seen, labels, rows, column)
    if None in judges or len(here.cuts) == 0:
        return []
    scores = [here.scores(judge) for judge in judges]
    return [
        {
            "column": column,
            "threshold": plain_number(float(here.cuts[at])),
            "left": [],
            "scores": [float(part[at]) for part in scores],
        }
        for at in {int(np.argmax(part)) for part in scores}
    ]


def _curve(
    seen: Seen,
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    column: int,
    both: list[dict[str, Any]],
) -> dict[str, Any]:
    """Score every cut of a column at a node by both criteria, over its histogram."""
    here = _Cuts.from_column(seen, labels, rows, column)
    cuts, axis = here.cuts, Axis.from_values(here.values, np.zeros(0))
    slots = np.array(class_slots(seen.shares()[0]))
    n_slots = int(slots.max()) + 1
    flat = axis.bins(here.values) * n_slots + slots[here.codes]
    fields: dict[str, Any] = {
        "column": column,
        "low": round_to(axis.low, 6),
        "high": round_to(axis.high, 6),
        "bins": axis.n_bins,
        "counts": runs(np.bincount(flat, minlength=axis.n_bins * n_slots)),
        "lines": [],
    }
    inside = (cuts >= axis.low) & (cuts <= axis.high)
    for judge in _judges(both):
        if judge is None or not inside.any():
            fields["lines"].append(None)
            continue
        scores = here.scores(judge)
        at = int(np.argmax(scores))
        kept = _thinned(scores[inside])
        fields["lines"].append(
            {
                "x": [round_to(x, 5) for x in cuts[inside][kept].tolist()],
                "y": [round_to(x, 4) for x in scores[inside][kept].tolist()],
                "best": round_to(float(cuts[at]), 6),
                "score": round_to(float(scores[at]), 5),
            }
        )
    return fields


def _thinned(scores: Floats) -> NDArray[np.int64]:
    """Keep some places of a curve, and the highest of each stretch between them."""
    if len(scores) <= N_POINTS:
        return np.arange(len(scores))
    parts = np.array_split(np.arange(len(scores)), N_POINTS // 2)
    kept = {int(part[0]) for part in parts}
    kept |= {int(part[np.argmax(scores[part])]) for part in parts}
    kept.add(len(scores) - 1)
    return np.array(sorted(kept))


# --- geometry ---------------------------------------------------------------------


def isolines(models: list[Any], seen: Seen) -> dict[str, Any] | None:
    """Score splits of two classes by what part of each class goes left.

    A grid over (share of the first class that goes left, share of the second), as a
    receiver operating characteristic has it, for several shares of the second class.
    None where a criterion needs more than class weights, or there are other classes.
    """
    if seen.classes is None or len(seen.classes) != 2 or seen.tree.n_outputs > 1:
        return None
    judges = _judges([_criterion_of(one) for one in models])
    if None in judges:
        return None
    side = (np.arange(N_GRID) + 0.5) / N_GRID
    first, second = np.meshgrid(side, side)
    n_rows = 1000.0
    grids: list[list[list[int]]] = []
    for judge in judges:
        own = []
        for skew in SKEWS:
            parent = np.array([n_rows * (1 - skew), n_rows * skew])
            left = np.stack([first.ravel(), second.ravel()], axis=1) * parent
            scores = np.asarray(judge(parent, left=left, right=parent - left))
            scores = np.where(np.isfinite(scores), scores, 0.0)
            top = float(scores.max()) or 1.0
            own.append(np.round(99 * np.clip(scores / top, 0, 1)).astype(int).tolist())
        grids.append(own)
    return {"size": N_GRID, "skews": list(SKEWS), "grids": grids}
