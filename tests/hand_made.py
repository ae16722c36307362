# SPDX-License-Identifier: BSD-3-Clause
"""Trees written down by hand or drawn at random, and a walk down them in plain Python.

Nothing here grows a tree, so that what reads trees can be tested without the engine.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ramify import DecisionTreeClassifier, Tree
from ramify.table.schema import ColumnInfo, Schema


@dataclass(frozen=True)
class Leaf:
    """Class weights of a leaf."""

    counts: tuple[float, ...]


@dataclass(frozen=True)
class Test:
    """An inner node: `listed` has (code or bound, branch), or one threshold.

    Each of `terms` is (column, category or -1, weight, fill, share).
    """

    __test__ = False  # no test of pytest's

    column: int
    kind: int
    listed: tuple[tuple[float, int], ...]
    children: tuple[Leaf | Test, ...]
    missing: int
    terms: tuple[tuple[int, int, float, float, float], ...] = ()


def leaf(*counts: float) -> Leaf:
    return Leaf(counts)


def cut(column: int, threshold: float, low, high, missing: int = 1) -> Test:
    return Test(column, Tree.THRESHOLD, ((threshold, 0),), (low, high), missing)


def parts(column: int, branch_of: dict[int, int], *children, missing: int = 0) -> Test:
    listed = tuple(sorted(branch_of.items()))
    return Test(column, Tree.CATEGORIES, listed, children, missing)


def steps(column: int, bounds: Sequence[float], *children, missing: int = 0) -> Test:
    """Return one branch per interval; the last interval has no upper bound."""
    listed = tuple((bound, b) for b, bound in enumerate([*bounds, np.inf]))
    return Test(column, Tree.INTERVALS, listed, children, missing)


def tilt(
    weights: Mapping[int | tuple[int, int], float],
    threshold: float,
    low: Leaf | Test,
    high: Leaf | Test,
    fills: Mapping[int, float] | None = None,
    shares: Sequence[float] | None = None,
) -> Test:
    """Return a hyperplane: weights by column, or by (column, code) of a category.

    Shares follow the order of columns; by default they are those of the weights.
    """
    places = {at if isinstance(at, tuple) else (at, -1): w for at, w in weights.items()}
    ordered = sorted(places.items())
    sizes = [abs(weight) for _, weight in ordered]
    shares = [size / sum(sizes) for size in sizes] if shares is None else shares
    terms = tuple(
        (column, code, weight, (fills or {}).get(column, 0.0) if code < 0 else 0.0, s)
        for ((column, code), weight), s in zip(ordered, shares, strict=True)
    )
    heavier = int(counts_of(high).sum() > counts_of(low).sum())
    largest = ordered[int(np.argmax(shares))][0][0]
    return Test(
        largest, Tree.HYPERPLANE, ((threshold, 0),), (low, high), heavier, terms
    )


def counts_of(node: Leaf | Test) -> np.ndarray:
    if isinstance(node, Leaf):
        return np.array(node.counts, dtype=float)
    return sum(counts_of(child) for child in node.children)


def build(root: Leaf | Test, n_columns: int) -> Tree:
    """Write a tree down as arrays."""
    nodes: list[dict[str, Any]] = []
    values: list[float] = []
    branches: list[int] = []
    terms: list[tuple[int, int, float, float, float]] = []
    begin, term_begin = [0], [0]

    def add(node: Leaf | Test) -> int:
        number = len(nodes)
        counts = counts_of(node)
        share = counts / counts.sum()
        entry: dict[str, Any] = {
            "children_left": -1,
            "children_right": -1,
            "next_sibling": -1,
            "feature": -2,
            "kind": 0,
            "threshold": -2.0,
            "missing_branch": 0,
            "default_branch": 0,
            "optimal": 0,
            "gain": np.nan,
            "impurity": 1 - (share**2).sum(),
            "n_node_samples": max(1, int(counts.sum())),
            "weighted_n_node_samples": counts.sum(),
            "value": [share],
        }
        nodes.append(entry)
        if isinstance(node, Test):
            is_cut = node.kind in (Tree.THRESHOLD, Tree.HYPERPLANE)
            terms.extend(node.terms)
            if not is_cut:
                values.extend(value for value, _ in node.listed)
                branches.extend(branch for _, branch in node.listed)
            weights = [counts_of(child).sum() for child in node.children]
            entry |= {
                "feature": node.column,
                "kind": node.kind,
                "threshold": node.listed[0][0] if is_cut else np.nan,
                "missing_branch": node.missing,
                "default_branch": int(np.argmax(weights)),
                "optimal": 1,
                "gain": 0.5,
            }
        begin.append(len(values))
        term_begin.append(len(terms))
        if isinstance(node, Test):
            children = [add(child) for child in node.children]
            entry |= {"children_left": children[0], "children_right": children[-1]}
            for one, other in itertools.pairwise(children):
                nodes[one]["next_sibling"] = other
        return number

    add(root)
    arrays = {name: np.array([entry[name] for entry in nodes]) for name in nodes[0]}
    arrays |= {name: arrays[name].astype(np.uint8) for name in ("kind", "optimal")}
    arrays["split_begin"] = np.array(begin)
    arrays["split_value"] = np.array(values, dtype=float)
    arrays["split_branch"] = np.array(branches, dtype=np.int64)
    arrays["term_begin"] = np.array(term_begin)
    for k, name in enumerate(Tree.LISTS["term_begin"]):
        kind = np.int64 if k < 2 else np.float64
        arrays[name] = np.array([term[k] for term in terms], dtype=kind)
    return Tree(arrays, n_columns, [len(counts_of(root))])


def model_of(
    root: Leaf | Test, columns: dict[str, Sequence[Any] | None], classes: Sequence[Any]
) -> DecisionTreeClassifier:
    """Make a fitted model; `columns` gives categories, or None for numbers."""
    infos = [
        ColumnInfo(name)
        if values is None
        else ColumnInfo(name, "categorical", tuple(values))
        for name, values in columns.items()
    ]
    model = DecisionTreeClassifier()
    model.tree_ = build(root, len(columns))
    model.schema_ = Schema(tuple(infos), has_names=True)
    model.n_features_in_ = model.max_features_ = len(columns)
    model.feature_names_in_ = np.array(list(columns), dtype=object)
    model.classes_ = np.array(classes)
    model.n_classes_, model.n_outputs_ = len(classes), 1
    return model


def sum_of(tree: Tree, node: int, row: np.ndarray) -> float:
    """Add up the terms of a hyperplane for a row, one by one as the contract says."""
    total = 0.0
    for i in range(tree.term_begin[node], tree.term_begin[node + 1]):
        x, weight = float(row[tree.term_column[i]]), float(tree.term_weight[i])
        if tree.term_category[i] < 0:
            total += weight * (float(tree.term_fill[i]) if x != x else x)
        elif x == tree.term_category[i]:
            total += weight
    return total


def leaves_of(tree: Tree, row: np.ndarray) -> list[int]:
    """Walk a row of the prediction matrix down a tree: all leaves that it reaches."""
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        children = tree.children(node)
        if not children:
            found.append(node)
            continue
        if tree.kind[node] == Tree.HYPERPLANE:
            is_above = sum_of(tree, node, row) > tree.threshold[node]
            stack.append(children[int(is_above)])
            continue
        x = row[tree.feature[node]]
        if np.isnan(x):
            branch = tree.missing_branch[node]
            stack += children if branch < 0 else [children[branch]]
            continue
        values, branches = tree.listed(node)
        if tree.kind[node] == Tree.THRESHOLD:
            branch = int(x > tree.threshold[node])
        elif tree.kind[node] == Tree.INTERVALS:
            branch = branches[np.flatnonzero(x <= values)[0]]
        else:
            named = branches[values == x]
            branch = named[0] if len(named) else tree.default_branch[node]
        stack.append(children[branch])
    return sorted(found)


CITIES = ("Bergen", "Oslo", "Paris", "Rome", "Tromsø")
COLUMNS = {"age": None, "city": CITIES, "sex": ("f", "m"), "size": None}
VALUES = (-1.0, 0.0, 1.0, 2.5)  # bounds; rows have them, and values between
WEIGHTS = (-2.0, -0.75, 0.25, 1.0, 3.0)  # of terms: their sums have no rounding errors


@st.composite
def roots(
    draw: st.DrawFn,
    *,
    max_depth: int = 4,
    fractional: bool = False,
    oblique: bool = False,
) -> Leaf | Test:
    """Draw a tree over COLUMNS: thresholds, categories and intervals in any order.

    If `oblique`, there are hyperplanes among them, and there is at least one.
    """

    def node(depth: int, *, tilted: bool = False) -> Leaf | Test:
        if tilted or (depth > 0 and oblique and draw(st.booleans())):
            return hyperplane(depth)
        if depth == 0 or draw(st.integers(0, 4)) == 0:
            return leaf(*draw(st.tuples(*[st.integers(1, 9)] * 3)))
        column = draw(st.integers(0, 3))
        categories = list(COLUMNS.values())[column]
        if categories is not None:
            return split_categories(column, len(categories), depth)
        if draw(st.booleans()):
            choices = [*VALUES] if fractional else [*VALUES, np.inf]
            threshold = draw(st.sampled_from(choices))
            missing = 1 if threshold == np.inf else missing_branch(2)
            low, high = node(depth - 1), node(depth - 1)
            return cut(column, threshold, low, high, missing)
        bounds = sorted(draw(st.sets(st.sampled_from(VALUES), min_size=1)))
        # Missing values may have a branch of their own, as in CHAID.
        n = len(bounds) + 1 + (not fractional and draw(st.booleans()))
        missing = n - 1 if n > len(bounds) + 1 else missing_branch(n)
        below = [node(depth - 1) for _ in range(n)]
        return steps(column, bounds, *below, missing=missing)

    def hyperplane(depth: int) -> Test:
        every = [
            place
            for j, categories in enumerate(COLUMNS.values())
            for place in (
                [j] if categories is None else [(j, k) for k in range(len(categories))]
            )
        ]
        chosen = draw(st.sets(st.sampled_from(every), min_size=1, max_size=6))
        weights = {
            place: draw(st.sampled_from(WEIGHTS)) for place in sorted(chosen, key=str)
        }
        fills = {j: draw(st.sampled_from(VALUES)) for j in (0, 3)}
        threshold = draw(st.sampled_from([-2.0, -0.75, 0.0, 0.25, 1.75]))
        low, high = node(depth - 1), node(depth - 1)
        return tilt(weights, threshold, low, high, fills)

    def split_categories(column: int, n_codes: int, depth: int) -> Test:
        codes = sorted(draw(st.sets(st.integers(0, n_codes - 1), min_size=1)))
        own = not fractional and (len(codes) == 1 or draw(st.booleans()))
        if fractional and len(codes) == 1:
            return node(depth)  # one category alone cannot be parted
        n_known = draw(st.integers(1 if own else 2, len(codes)))
        drawn = [draw(st.integers(0, n_known - 1)) for _ in codes]
        branch = [*range(n_known), *drawn[n_known:]]
        branch = draw(st.permutations(branch))
        n = n_known + own
        missing = n - 1 if own else missing_branch(n)
        below = [node(depth - 1) for _ in range(n)]
        listed = dict(zip(codes, branch, strict=True))
        return parts(column, listed, *below, missing=missing)

    def missing_branch(n: int) -> int:
        return -1 if fractional else draw(st.integers(0, n - 1))

    return node(max_depth, tilted=oblique)


def every_kind_of_row(seed: int, n_rows: int = 300) -> np.ndarray:
    """Return rows of the matrix: bounds, values between, all codes, unseen, missing."""
    rng = np.random.default_rng(seed)
    columns = []
    for categories in COLUMNS.values():
        if categories is None:
            choices = np.array([*VALUES, -2, -0.5, 0.5, 2, 3, np.nan])
        else:
            choices = np.array([*range(len(categories)), -1, np.nan])
        columns.append(rng.choice(choices, n_rows))
    return np.column_stack(columns)


def as_frame(matrix: np.ndarray, library: Any) -> Any:
    """Return rows of the matrix as a person has them."""
    data: dict[str, Any] = {}
    for x, (name, categories) in zip(matrix.T, COLUMNS.items(), strict=True):
        if categories is None:
            data[name] = x
        else:
            names = {-1.0: "Atlantis", **dict(enumerate(categories))}
            data[name] = [names.get(value) for value in x.tolist()]
    return library(data)
