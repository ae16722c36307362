# SPDX-License-Identifier: BSD-3-Clause
"""Data of a fitted tree as plain values, for the page to draw."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.pruning import collapse_alphas
from ramify.table.schema import ColumnInfo
from ramify.tree import Tree
from ramify.tree.bounds import bound, with_values
from ramify.tree.conditions import Words, columns_of
from ramify.tree.inspect import is_regressor, predicted_classes
from ramify.tree.line_text import line_text
from ramify.tree.lines import Lines, Term
from ramify.viewer.pictures import Axis, axes_of, class_slots, node_pictures
from ramify.viewer.rows import Passage, labels_of, matrix_of

__all__ = [
    "Seen",
    "column_data",
    "evenly",
    "one_tree",
    "plain_number",
    "round_to",
    "row_data",
    "rows_at",
    "tree_data",
]

MAX_SHARES = 60  # classes of a node that are listed one by one
MAX_ROWS, MAX_CELLS = 200, 20_000  # of the data, to choose from on the page
MAX_CANDIDATES = 10
MAX_FREQUENT = 50
MAX_COLUMNS = 300  # that are listed of even if no tree looks at them

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """A fitted tree, and perhaps rows to look at with it.

    Attributes
    ----------
    model : estimator
        The tree that is drawn.
    output : int
        Which of its targets.
    columns : list of ColumnInfo
        What it knows of the columns.
    passage : Passage or None
        The rows on their way through it.
    target : ndarray or None
        The class of each row, as a code, or the number to predict.
    """

    model: Any
    output: int
    columns: list[ColumnInfo]
    passage: Passage | None
    target: Any

    @classmethod
    def from_model(
        cls,
        model: Any,
        X: Any,
        y: Any,
        output: int = 0,
        feature_names: Sequence[str] | None = None,
    ) -> Seen:
        """Read the rows as the model does."""
        columns = columns_of(model, feature_names)
        if X is None:
            if y is not None:
                raise ValueError("y was given without X; give both, or none")
            return cls(model, output, columns, None, None)
        matrix = matrix_of(model, X)
        columns = with_values(columns, matrix)
        target = None if y is None else labels_of(model, y, len(matrix), output)
        places = frozenset(j for j, one in enumerate(columns) if one.is_categorical)
        return cls(model, output, columns, Passage(model.tree_, matrix, places), target)

    @property
    def tree(self) -> Tree:
        """The arrays."""
        tree: Tree = self.model.tree_
        return tree

    @property
    def matrix(self) -> Floats | None:
        """The rows as numbers and codes."""
        return None if self.passage is None else self.passage.matrix

    @property
    def classes(self) -> list[Any] | None:
        """The classes of the output; None if it is a number."""
        if is_regressor(self.model):
            return None
        found = self.model.classes_
        own = found[self.output] if self.tree.n_outputs > 1 else found
        return list(np.asarray(own).tolist())

    def shares(self) -> Floats:
        """Return the value of each node: shares of the classes, or one number."""
        value = self.tree.node_values()[:, self.output]
        classes = self.classes
        return value if classes is None else value[:, : len(classes)]

    @property
    def used(self) -> set[int]:
        """The columns that the tree looks at."""
        tree = self.tree
        is_single = (tree.children_left >= 0) & (tree.kind != tree.HYPERPLANE)
        single = tree.feature[is_single]
        found = set(single.tolist()) | set(tree.term_column.tolist())
        return found if tree.lines is None else found | set(tree.lines.column.tolist())

    def on_line(self, nodes: Ints, rows: Ints | None = None) -> Floats:
        """Return what the lines of nodes say of rows, one node per row."""
        assert self.tree.lines is not None
        assert self.matrix is not None
        matrix = self.matrix if rows is None else self.matrix[rows]
        return self.tree.lines.at(self.tree.values()[:, 0, 0], nodes, matrix)

    @property
    def predicted(self) -> Any:
        """What each row is predicted: a code of a class, or a number."""
        assert self.passage is not None
        if self.tree.lines is not None:
            return self.on_line(self.passage.leaves)
        if is_regressor(self.model):
            return self.shares()[self.passage.leaves, 0]
        return predicted_classes(self.model)[self.passage.leaves, self.output]


def one_tree(model: Any, which: int | None = None) -> Any:
    """Return the tree to draw: of a tuned model the best one, of a forest one of many.

    Raises
    ------
    TypeError
        If there is no fitted tree of Ramify in it.
    """
    found = getattr(model, "best_estimator_", model)
    trees = getattr(found, "estimators_", None)
    if trees is not None and not hasattr(found, "tree_"):
        trees = list(getattr(trees, "flat", trees))
        place = 0 if which is None else which
        if not 0 <= place < len(trees):
            raise ValueError(
                f"tree={which!r} is not there; the model has {len(trees)} trees, from "
                f"0 to {len(trees) - 1}"
            )
        return one_tree(trees[place])
    if not hasattr(found, "tree_") or not hasattr(found, "schema_"):
        raise TypeError(
            f"view() takes a fitted tree of Ramify, or a forest of them, not "
            f"{type(model).__name__}; fit it first, or load a saved one"
        )
    return found


# --- columns and rows -----------------------------------------------------------------


def column_data(
    seen: Sequence[Seen], mentioned: Collection[int] = ()
) -> list[dict[str, Any] | int]:
    """Return of each column its range, spread, middle, and most frequent categories.

    Of very many columns only those that a tree looks at, or that are mentioned; there
    is a 0 for each of the others.
    """
    first = seen[0]
    trees = [one.tree for one in seen]
    axes: dict[int, Axis] = {}
    for tree in trees:
        axes = _joined(axes, axes_of(tree, first.matrix))
    fields: list[dict[str, Any] | int] = []
    listed: set[int] = set(range(len(first.columns)))
    if len(first.columns) > MAX_COLUMNS:
        listed = set(mentioned).union(*(one.used for one in seen))
    for j, info in enumerate(first.columns):
        if j not in listed:
            fields.append(0)
            continue
        values = None if first.matrix is None else first.matrix[:, j]
        one: dict[str, Any] = {"name": info.name}
        if info.is_categorical:
            one |= {"kind": "category", "categories": [*map(_plain, info.categories)]}
            if values is not None:
                codes = values[values >= 0].astype(np.int64)
                by_code = np.bincount(codes, minlength=len(info.categories))
                order = np.argsort(-by_code, kind="stable")[:MAX_FREQUENT]
                one["frequent"] = order.tolist()
        else:
            cuts = _cuts(trees, j)
            one |= {"kind": "number"} | _spread(cuts if values is None else values)
            one |= _shown(info, [_bounds(tree, j) for tree in trees])
            if j in axes:
                one |= {"low": round_to(axes[j].low), "high": round_to(axes[j].high)}
        fields.append(one)
    return fields


def _joined(old: dict[int, Axis], new: dict[int, Axis]) -> dict[int, Axis]:
    found = dict(old)
    for j, axis in new.items():
        if j in found:
            low, high = min(axis.low, found[j].low), max(axis.high, found[j].high)
            found[j] = Axis(low, high, max(axis.n_bins, found[j].n_bins))
        else:
            found[j] = axis
    return found


def _cuts(trees: Sequence[Tree], j: int) -> Floats:
    """Return the thresholds of a column: all that is known of it without rows."""
    found = [
        tree.threshold[(tree.feature == j) & (tree.kind == tree.THRESHOLD)]
        for tree in trees
    ]
    return np.concatenate(found)


def _bounds(tree: Tree, j: int) -> Floats:
    """Return the thresholds and the bounds of intervals of a column."""
    found = [_cuts([tree], j)]
    nodes = np.flatnonzero((tree.feature == j) & (tree.kind == tree.INTERVALS))
    found += [tree.listed(int(node))[0] for node in nodes]
    return np.concatenate(found)


def _shown(info: ColumnInfo, bounds: Sequence[Floats]) -> dict[str, Any]:
    """Return how each bound of a column is written, and whether as a date."""
    every = np.unique(np.concatenate(bounds))
    every = every[np.isfinite(every)].tolist()
    words = [bound(info, x) for x in every]
    return {
        "bounds": [[x, each.number] for x, each in zip(every, words, strict=True)],
        "date": any(each.upto == "<" for each in words),
        **({"unit": info.times.rpartition(" ")[2]} if info.times else {}),
    }


def _spread(values: Floats) -> dict[str, Any]:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return {"scale": 1.0, "middle": 0.0, "whole": False}
    scale = float(known.std())
    is_whole = bool((known == np.round(known)).all())
    return {
        "scale": scale if scale > 0 and math.isfinite(scale) else 1.0,
        "middle": float(np.quantile(known, 0.5, method="lower")),
        "whole": is_whole,
    }


def row_data(seen: Seen, used: Sequence[int]) -> dict[str, Any] | None:
    """Return some rows to choose from: wrong ones first, then evenly spread ones."""
    if seen.passage is None:
        return None
    matrix = seen.passage.matrix
    limit = min(MAX_ROWS, max(1, MAX_CELLS // max(1, len(used))))
    chosen = evenly(np.arange(len(matrix)), limit)
    if seen.target is not None and not is_regressor(seen.model):
        wrong = evenly(np.flatnonzero(seen.predicted != seen.target), limit // 3)
        chosen = np.union1d(wrong, evenly(chosen, limit - len(wrong)))
    return rows_at(seen, used, chosen)


def evenly(rows: Ints, limit: int) -> Ints:
    """Return at most so many of some rows, evenly spread."""
    if len(rows) <= limit:
        return rows
    return rows[np.linspace(0, len(rows) - 1, limit).astype(np.int64)]


def rows_at(seen: Seen, used: Sequence[int], chosen: Ints) -> dict[str, Any]:
    """Return rows by their numbers: the columns that are used, and what is true."""
    assert seen.matrix is not None
    part = seen.matrix[chosen][:, list(used)]
    truth = None if seen.target is None else seen.target[chosen].tolist()
    return {
        "index": chosen.tolist(),
        "columns": list(used),
        "values": [[plain_number(x) for x in column] for column in part.T.tolist()],
        "truth": truth,
        "total": len(seen.matrix),
    }


# --- trees ----------------------------------------------------------------------------


def tree_data(seen: Seen, name: str | None = None) -> dict[str, Any]:
    """Return all that the page needs of a tree."""
    tree = seen.tree
    n = tree.node_count
    slots = None if seen.classes is None else class_slots(seen.shares()[0])
    # Where rows go down every branch, averages may tie: the page needs every digit.
    digits = 17 if tree.is_fractional else 9
    fields: dict[str, Any] = {
        "name": name or _criterion_name(seen.model),
        "estimator": type(seen.model).__name__,
        "about": _about(seen.model),
        "left": tree.children_left.tolist(),
        "next": tree.next_sibling.tolist(),
        "feature": tree.feature.tolist(),
        "kind": tree.kind.tolist(),
        "threshold": [plain_number(x) for x in tree.threshold.tolist()],
        "missing": tree.missing_branch.tolist(),
        "other": tree.default_branch.tolist(),
        "listed": {i: _listed(tree, i) for i in range(n) if _lists(tree, i)},
        "terms": {i: _terms(tree, i) for i in range(n) if _is_sum(tree, i)},
        "gain": [_rounded(x) for x in tree.gain.tolist()],
        "impurity": [_rounded(x) for x in tree.impurity.tolist()],
        "rows": tree.n_node_samples.tolist(),
        "weight": [round_to(x, digits) for x in tree.weighted_n_node_samples.tolist()],
        "price": [_rounded(x) for x in collapse_alphas(tree).tolist()],
        "unseen": getattr(seen.model, "unseen", "heavier"),
        "refusesMissing": getattr(seen.model, "missing", "both") == "error",
    }
    if seen.classes is None:
        fields["value"] = seen.shares()[:, 0].tolist()
        if tree.lines is not None:
            fields["lines"] = [_line(seen, tree.lines, i) for i in range(n)]
    else:
        fields["best"] = predicted_classes(seen.model)[:, seen.output].tolist()
        fields["shares"] = _sparse_shares(
            seen.shares(), 17 if tree.is_fractional else 6
        )
    if tree.ledger is not None:
        fields["ledger"] = _ledger(tree, seen.columns)
    if seen.passage is not None:
        fields |= _data_at_nodes(seen, slots)
    return fields


def _line(seen: Seen, lines: Lines, i: int) -> dict[str, Any]:
    """Return the line of a node, in numbers and in words."""
    value = float(seen.tree.values()[i, 0, 0])
    terms = lines.terms(i)
    columns = zip(*terms, strict=True) if terms else [[]] * len(Term._fields)
    return {
        "intercept": value,
        **dict(zip(Term._fields, map(list, columns), strict=True)),
        "bottom": lines.y_low,
        "top": lines.y_high,
        "text": line_text(lines, value, i, seen.columns, Words()),
    }


def _lists(tree: Tree, i: int) -> bool:
    return bool(tree.split_begin[i + 1] > tree.split_begin[i])


def _is_sum(tree: Tree, i: int) -> bool:
    return bool(tree.kind[i] == tree.HYPERPLANE)


def _listed(tree: Tree, i: int) -> dict[str, Any]:
    values, branches = tree.listed(i)
    return {
        "values": [plain_number(x) for x in values.tolist()],
        "branches": branches.tolist(),
    }


def _terms(tree: Tree, i: int) -> dict[str, Any]:
    terms = tree.terms(i)
    return {
        "column": terms.column.tolist(),
        "category": terms.category.tolist(),
        "weight": terms.weight.tolist(),
        "fill": terms.fill.tolist(),
        "share": [round_to(x, 4) for x in terms.share.tolist()],
    }


def _sparse_shares(shares: Floats, digits: int) -> list[list[float]]:
    """List class and share in turn: all there are, or the largest of very many."""
    limit = shares.shape[1] if shares.shape[1] <= MAX_SHARES else MAX_SHARES // 4
    found = []
    for row in shares:
        there = np.flatnonzero(row > 0)
        if len(there) > limit:
            there = np.sort(there[np.argsort(-row[there], kind="stable")[:limit]])
        flat: list[float] = []
        for k in there.tolist():
            flat += [k, round_to(float(row[k]), digits)]
        found.append(flat)
    return found


def _data_at_nodes(seen: Seen, slots: list[int] | None) -> dict[str, Any]:
    """Count the rows of the data at each node: all, missing, new categories, hits."""
    assert seen.passage is not None
    passage, tree = seen.passage, seen.tree
    with_missing: dict[int, int] = {}
    new: dict[int, int] = {}
    for i in np.flatnonzero(tree.children_left >= 0).tolist():
        if _is_sum(tree, i):
            continue
        values = passage.matrix[passage.at(i), int(tree.feature[i])]
        n_missing, n_new = int(np.isnan(values).sum()), 0
        if int(tree.feature[i]) in passage.categorical:
            n_new = int((values < 0).sum())
        with_missing |= {i: n_missing} if n_missing else {}
        new |= {i: n_new} if n_new else {}
    fields: dict[str, Any] = {
        "dataRows": passage.n_rows.tolist(),
        "missingRows": with_missing,
        "newCategories": new,
    }
    if seen.target is None:
        return fields
    axes = axes_of(tree, passage.matrix)
    fields["pictures"] = node_pictures(passage, seen.target, slots, axes)
    if slots is not None:
        fields["hits"] = _hits(seen)
    else:
        fields["errors"] = _squares(seen)
        low, high = np.quantile(seen.target, [0.005, 0.995]).tolist()
        fields["span"] = [low, high if high > low else low + 1.0]
    return fields


def _hits(seen: Seen) -> list[int]:
    """Count, per node, the rows that it would predict right."""
    assert seen.passage is not None
    assert seen.classes is not None
    tree, k = seen.tree, len(seen.classes)
    flat = seen.passage.leaves * k + seen.target
    counts = np.bincount(flat, minlength=tree.node_count * k).reshape(-1, k)
    _add_up(tree, counts)
    best = predicted_classes(seen.model)[:, seen.output]
    found: list[int] = counts[np.arange(tree.node_count), best].tolist()
    return found


def _squares(seen: Seen) -> list[float]:
    """Sum, per node, the squared errors of the rows if it were a leaf."""
    assert seen.passage is not None
    tree, leaves = seen.tree, seen.passage.leaves
    if tree.lines is not None:
        return _squares_of_lines(seen)
    y = seen.target - seen.target.mean()  # sums of squares near zero are exact
    sums = np.stack([np.ones(len(y)), y, y * y], axis=1)
    total = np.zeros((tree.node_count, 3))
    np.add.at(total, leaves, sums)
    _add_up(tree, total)
    value = seen.shares()[:, 0] - seen.target.mean()
    n, s, q = total.T
    return [round_to(x, 7) for x in np.maximum(q - 2 * value * s + n * value**2, 0)]


def _squares_of_lines(seen: Seen) -> list[float]:
    """Sum, per node, the squared errors that its line makes on the rows there."""
    assert seen.passage is not None
    parent, at = seen.tree.parents(), seen.passage.leaves
    rows = np.arange(len(at))
    total = np.zeros(seen.tree.node_count)
    while len(rows):
        error = seen.target[rows] - seen.on_line(at, rows)
        np.add.at(total, at, error**2)
        at = parent[at]
        rows, at = rows[at >= 0], at[at >= 0]
    return [round_to(x, 7) for x in total]


def _add_up(tree: Tree, counts: NDArray[Any]) -> None:
    """Add what the leaves have to all nodes above them."""
    parent = tree.parents()
    for i in range(tree.node_count - 1, 0, -1):
        counts[parent[i]] += counts[i]


def _ledger(tree: Tree, columns: Sequence[ColumnInfo]) -> dict[str, Any]:
    """Return the candidates of each node, best first."""
    ledger = tree.ledger
    assert ledger is not None
    arrays = ledger.arrays
    found: dict[int, list[Any]] = {}
    begin, codes = arrays["left_begin"], arrays["left_codes"]
    for i, node in enumerate(arrays["node"].tolist()):
        column = int(arrays["feature"][i])
        known = ledger.schema.columns[column].categories
        left = [
            str(known[code])
            for code in codes[begin[i] : begin[i + 1]].tolist()
            if code < len(known)
        ]
        found.setdefault(node, []).append(
            {
                "column": column,
                "threshold": plain_number(float(arrays["threshold"][i])),
                "left": left,
                "score": _rounded(float(arrays["score"][i])),
                "chosen": bool(arrays["chosen"][i]),
                "also": [_rounded(float(x)) for x in arrays["also"][i]],
            }
        )
    short = {
        node: [one for k, one in enumerate(c) if k < MAX_CANDIDATES or one["chosen"]]
        for node, c in found.items()
    }
    return {"also": list(ledger.also), "nodes": short}


# --- what the model is ----------------------------------------------------------------


def _criterion_name(model: Any) -> str:
    criterion = getattr(model, "criterion", None)
    if isinstance(criterion, str):
        return criterion
    return getattr(criterion, "__name__", None) or repr(criterion)


def _about(model: Any) -> dict[str, str]:
    """Return what the tree was grown by."""
    found: dict[str, str] = {"criterion": _criterion_name(model)}
    method = getattr(model, "method", None)
    if method is not None:
        found["method"] = str(method)
    try:
        chosen: Any = criteria.get(found["criterion"])
    except (ValueError, TypeError, KeyError):
        chosen = None
    for key in ("summary", "formula", "reference"):
        text = getattr(chosen, key, "")
        if isinstance(text, str) and text:
            found[key] = text
    changed = _changed(model)
    if changed:
        found["parameters"] = changed
    return found


def _changed(model: Any) -> str:
    """Write the parameters that are not the usual ones."""
    usual = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    parts = []
    for key, value in given.items():
        if key in ("criterion", "candidate_criteria", "record_candidates"):
            continue
        if repr(value) != repr(usual.get(key)):
            text = repr(value)
            parts.append(f"{key}={text if len(text) <= 60 else text[:59] + '…'}")
    return ", ".join(parts)


# --- numbers --------------------------------------------------------------------------


def plain_number(x: float) -> float | int | None:
    """Return a number as JSON can hold it: None where it is missing or infinite."""
    if not math.isfinite(x):
        return None
    return int(x) if x == round(x) and abs(x) < 2**53 else x


def _rounded(x: float) -> float | None:
    return round_to(x, 6) if math.isfinite(x) else None


def round_to(x: float, digits: int = 6) -> float:
    """Return a number with so many leading digits."""
    found = float(f"{x:.{digits}g}")
    return int(found) if found == round(found) and abs(found) < 2**53 else found


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool)) else str(value)
