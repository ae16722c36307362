# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model as one flat walk: what every export is a translation of.

Rules of the walk, which an artefact must follow to the last bit:

1. At a threshold a row goes right if ``x > threshold``.
2. A category that a node does not list follows `default_branch`, be it new or not. With
   ``unseen="missing"`` a category that its column does not have is missing.
3. A hyperplane adds its terms as doubles, one after the other, from 0. A product is
   rounded before it is added. Right if the sum is above the threshold.
4. Where missing values go down every branch, a leaf counts with the product of shares
   from the root down, and leaves are added in preorder.
5. Trees are added to `start` in their order; then comes one division. Ties of decisions
   go to the first class.
6. Links come last, and decisions do not look at them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import ColumnInfo, Schema
from ramify.tree.conditions import columns_of
from ramify.tree.tree import Tree

__all__ = [
    "CATEGORIES",
    "HYPERPLANE",
    "INTERVALS",
    "KIND_NAMES",
    "KNOWN",
    "LEAF",
    "THRESHOLD",
    "Output",
    "Visit",
    "Vote",
    "Walk",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LEAF, THRESHOLD, CATEGORIES, INTERVALS, HYPERPLANE, KNOWN = range(6)
KIND_NAMES = (
    *("leaf", "threshold", "set of categories"),
    *("list of intervals", "hyperplane", "test for a missing value"),
)


@dataclass(frozen=True, eq=False)
class Output:
    """One thing that is predicted: a class among `labels`, or a number (None)."""

    labels: NDArray[Any] | None

    @property
    def size(self) -> int:
        """How many numbers stand for it: one per class, or one."""
        return 1 if self.labels is None else len(self.labels)


@dataclass(frozen=True, eq=False)
class Vote:
    """How the numbers of leaves become an answer.

    Attributes
    ----------
    start : ndarray of shape (n_scores,)
        Scores before the first tree.
    first : ndarray of int64, of shape (n_trees,)
        The score to which a tree's first number is added.
    divide : int
        By what the sums are divided: 1, or the number of trees.
    link : {"none", "expit", "softmax", "exp"}
        What makes probabilities, or the number predicted, of scores.
    decide : {"number", "argmax", "positive", "argmin_cost"}
        How a class is chosen, per output.
    decide_from : int
        Where the scores begin at which decisions look; those before it are shown.
    costs : ndarray of shape (n_classes, n_classes) or None
        For "argmin_cost": what predicting a class costs where another is true.
    outputs : tuple of Output
        What is predicted.
    """

    start: Floats
    first: Ints
    divide: int
    link: str
    decide: str
    decide_from: int
    costs: Floats | None
    outputs: tuple[Output, ...]

    @property
    def n_answers(self) -> int:
        """Probabilities or numbers that are shown, over all outputs."""
        return sum(output.size for output in self.outputs)

    @property
    def is_number(self) -> bool:
        """Whether numbers are predicted, not classes."""
        return self.outputs[0].labels is None


class Visit(NamedTuple):
    """The rows that come to a node."""

    tree: int
    node: int
    rows: NDArray[np.intp]
    share: Floats  # of each row
    branch: Ints  # that each row takes; -1 all of them; empty in a leaf


@dataclass(frozen=True, eq=False)
class Walk:
    """The trees of a model end to end; children of a node stand side by side.

    Attributes
    ----------
    columns : tuple of ColumnInfo
        Names, and the categories of those that have any.
    unseen : {"heavier", "parent", "missing", "error"}
        What becomes of a category that the column does not have.
    missing : {"branch", "error"}
        Whether missing values have a way.
    root : ndarray of int64
        The first node of each tree.
    kind : ndarray of int64
        `LEAF`, `THRESHOLD`, `CATEGORIES`, `INTERVALS`, `HYPERPLANE` or `KNOWN`.
    column, threshold : ndarray
        Of each node. A hyperplane looks at no single column (-1).
    first, n_children : ndarray of int64
        Branch b of a node leads to node ``first + b``.
    missing_branch, default_branch : ndarray of int64
        The branch of missing values (-1: all), and of categories that are not listed,
        numbers above the last bound, or, at `KNOWN`, of what is not missing.
    list_begin, list_value, list_branch : ndarray
        Ascending codes, or upper bounds, of node i at
        ``list_begin[i]:list_begin[i + 1]``, and their branches.
    term_begin, term_column, term_category, term_weight, term_fill : ndarray
        Terms of hyperplanes, likewise, in the order in which they are added.
    share, weight : ndarray of float64
        Share of a node in the weight of its siblings, and its training weight.
    leaf : ndarray of int64
        Number of a leaf among all leaves, or -1.
    value : ndarray of shape (n_leaves, width)
        What a leaf adds to the scores.
    vote : Vote
        What becomes of the scores.
    estimator : str
        Name of the model's class.
    """

    columns: tuple[ColumnInfo, ...]
    has_names: bool
    unseen: str
    missing: str
    root: Ints
    kind: Ints
    column: Ints
    threshold: Floats
    first: Ints
    n_children: Ints
    missing_branch: Ints
    default_branch: Ints
    list_begin: Ints
    list_value: Floats
    list_branch: Ints
    term_begin: Ints
    term_column: Ints
    term_category: Ints
    term_weight: Floats
    term_fill: Floats
    share: Floats
    weight: Floats
    leaf: Ints
    value: Floats
    vote: Vote
    estimator: str

    # --- of a model --------------------------------------------------------------

    @classmethod
    def of(cls, model: Any, feature_names: Sequence[str] | None = None) -> Walk:
        """Read a fitted model: a tree, a forest, gradient boosting, a tuned tree."""
        _refuse_unfitted(model)
        name = type(model).__name__
        model = getattr(model, "best_estimator_", model)
        if hasattr(model, "tree_"):
            trees, vote, values = _of_tree(model)
        elif "sum_" in vars(model):
            trees, vote, values = _of_boosting(model)
        elif "samme_" not in vars(model) and hasattr(model, "_together"):
            trees, vote, values = _of_forest(model)
        else:
            raise TypeError(
                f"{name} cannot be exported: a single tree, a forest or gradient "
                "boosting can; export its trees (estimators_) one by one"
            )
        schema: Schema = getattr(model, "schema_", None) or Schema.numeric(
            model.n_features_in_
        )
        columns = schema.columns
        if feature_names is not None:
            holder = model if hasattr(model, "tree_") else _Holder(trees[0], schema)
            columns = tuple(columns_of(holder, feature_names))
        policy = getattr(model, "_policy", lambda key: getattr(model, key, None))
        refuses = policy("missing") == "error" or getattr(
            model, "_needs_values", _first_needs_values(model)
        )
        parts = [
            _Part.of(tree, value, schema.columns)
            for tree, value in zip(trees, values, strict=True)
        ]
        return _joined(
            parts,
            columns=columns,
            has_names=schema.has_names or feature_names is not None,
            unseen=str(policy("unseen")),
            missing="error" if refuses else "branch",
            vote=vote,
            estimator=name,
        )

    # --- facts -------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Nodes of all trees."""
        return len(self.kind)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.root)

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees."""
        return len(self.value)

    @property
    def width(self) -> int:
        """Numbers that a leaf holds."""
        return int(self.value.shape[1])

    @cached_property
    def is_fractional(self) -> bool:
        """Whether missing values go down every branch somewhere."""
        return bool((self.missing_branch[self.kind > 0] < 0).any())

    @cached_property
    def kinds(self) -> frozenset[int]:
        """The kinds of nodes that occur."""
        return frozenset(self.kind.tolist())

    @cached_property
    def end(self) -> Ints:
        """Where the nodes of each tree end."""
        return np.append(self.root[1:], self.n_nodes)

    @cached_property
    def depth(self) -> Ints:
        """Depth of each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node in np.flatnonzero(self.kind > 0).tolist():
            depth[self.first[node] : self.first[node] + self.n_children[node]] = (
                depth[node] + 1
            )
        return depth

    def children(self, node: int) -> range:
        """Give the children of a node, in the order of its branches."""
        first = int(self.first[node])
        return range(first, first + int(self.n_children[node]))

    def listed(self, node: int) -> tuple[Floats, Ints]:
        """Give the codes or upper bounds of a node, and their branches."""
        part = slice(self.list_begin[node], self.list_begin[node + 1])
        return self.list_value[part], self.list_branch[part]

    def terms(self, node: int) -> list[tuple[int, int, float, float]]:
        """Give column, category (-1: a number), weight and fill of each term."""
        part = slice(self.term_begin[node], self.term_begin[node + 1])
        return list(
            zip(
                self.term_column[part].tolist(),
                self.term_category[part].tolist(),
                self.term_weight[part].tolist(),
                self.term_fill[part].tolist(),
                strict=True,
            )
        )

    def preorder(self, root: int) -> Iterator[int]:
        """Give the nodes below a node, itself first, each before its children."""
        stack = [int(root)]
        while stack:
            node = stack.pop()
            yield node
            if self.kind[node] != LEAF:
                stack += reversed(self.children(node))

    def leaf_decisions(self) -> Ints | None:
        """Give the classes, per output, that the leaves of a single tree decide for.

        None where a decision depends on more than one leaf.
        """
        if self.n_trees > 1 or self.vote.is_number or self.vote.link != "none":
            return None
        return self.decisions(self.value)

    def hash(self) -> str:
        """Name the model by its content."""
        digest = hashlib.sha256()
        for name in _ARRAYS:
            array = getattr(self, name)
            kind = "<f8" if array.dtype.kind == "f" else "<i8"
            digest.update(name.encode() + str(array.shape).encode())
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        vote = self.vote
        rest = {
            "columns": [[c.name, c.kind, [*c.categories]] for c in self.columns],
            "policies": [self.unseen, self.missing],
            "vote": [
                *(vote.start.tolist(), vote.first.tolist(), vote.divide, vote.link),
                *(vote.decide, vote.decide_from),
                None if vote.costs is None else vote.costs.tolist(),
                [None if o.labels is None else o.labels.tolist() for o in vote.outputs],
            ],
        }
        digest.update(json.dumps(rest, sort_keys=True).encode())
        return f"sha256:{digest.hexdigest()}"

    # --- the reference -----------------------------------------------------------

    def visits(self, matrix: Floats) -> Iterator[Visit]:
        """Lead rows through all trees, node by node in preorder."""
        everyone = np.arange(len(matrix))
        for tree, root in enumerate(self.root.tolist()):
            stack = [(root, everyone, np.ones(len(matrix)))]
            while stack:
                node, rows, share = stack.pop()
                if self.kind[node] == LEAF:
                    yield Visit(tree, node, rows, share, np.zeros(0, dtype=np.int64))
                    continue
                branch = self.branches(node, matrix[rows])
                yield Visit(tree, node, rows, share, branch)
                for b in range(int(self.n_children[node]) - 1, -1, -1):
                    child = int(self.first[node]) + b
                    here = (branch == b) | (branch < 0)
                    if here.any():
                        part = np.where(branch < 0, self.share[child], 1.0)[here]
                        stack.append((child, rows[here], share[here] * part))

    def branches(self, node: int, matrix: Floats) -> Ints:
        """Give the branch that each row takes at a node; -1 is every branch."""
        kind = self.kind[node]
        if kind == HYPERPLANE:
            is_above = self.sums(node, matrix) > self.threshold[node]
            return np.asarray(is_above, dtype=np.int64)
        x = matrix[:, self.column[node]]
        default = int(self.default_branch[node])
        if kind == THRESHOLD:
            branch = (x > self.threshold[node]).astype(np.int64)
        elif kind == KNOWN:
            branch = np.full(len(x), default)
        else:
            values, branches = self.listed(node)
            place = np.searchsorted(values, x)
            found = np.append(branches, default)[place]
            if kind == CATEGORIES:
                is_listed = np.append(values, np.nan)[place] == x
                found = np.where(is_listed, found, default)
            branch = found
        gap = self.missing_branch[node]
        return np.asarray(np.where(np.isnan(x), gap, branch), dtype=np.int64)

    def sums(self, node: int, matrix: Floats) -> Floats:
        """Give the sum of a hyperplane's terms for each row."""
        total = np.zeros(len(matrix))
        with np.errstate(over="ignore", invalid="ignore"):
            for column, category, weight, fill in self.terms(node):
                x = matrix[:, column]
                if category < 0:
                    total += weight * np.where(np.isnan(x), fill, x)
                else:
                    total += np.where(x == category, weight, 0.0)
        return total

    def scores(self, matrix: Floats) -> Floats:
        """Give the scores of rows: (n_rows, n_scores)."""
        vote = self.vote
        total = np.tile(vote.start, (len(matrix), 1))
        own = np.zeros((len(matrix), self.width))
        last = -1
        for visit in self.visits(matrix):
            if visit.tree != last and last >= 0:
                self._add(total, own, last)
            last = visit.tree
            if len(visit.branch) == 0:
                value = self.value[self.leaf[visit.node]]
                own[visit.rows] += visit.share[:, None] * value
        self._add(total, own, last)
        return total / vote.divide

    def _add(self, total: Floats, own: Floats, tree: int) -> None:
        first = int(self.vote.first[tree])
        total[:, first : first + self.width] += own
        own[:] = 0

    def decisions(self, scores: Floats) -> Ints:
        """Choose a class per row and output: (n_rows, n_outputs)."""
        vote = self.vote
        if vote.decide == "positive":
            return np.asarray(scores[:, :1] > 0, dtype=np.int64)
        found, begin = [], vote.decide_from
        for output in vote.outputs:
            own = scores[:, begin : begin + output.size]
            begin += output.size
            if vote.costs is not None:
                cost = np.zeros_like(own)
                for k in range(output.size):
                    cost += own[:, k : k + 1] * vote.costs[k]
                own = -cost
            found.append(own.argmax(axis=1))
        return np.column_stack(found)

    def answers(self, scores: Floats) -> Floats:
        """Give what is shown: probabilities, or the numbers predicted."""
        vote = self.vote
        if vote.link == "exp":
            return np.exp(scores)
        if vote.link == "expit":
            second = _expit(scores[:, 0])
            return np.column_stack([1 - second, second])
        if vote.link == "softmax":
            power = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(power / power.sum(axis=1, keepdims=True))
        return scores[:, : vote.n_answers]


_ARRAYS = (
    *("root", "kind", "column", "threshold", "first", "n_children"),
    *("missing_branch", "default_branch", "list_begin", "list_value", "list_branch"),
    *("term_begin", "term_column", "term_category", "term_weight", "term_fill"),
    *("share", "leaf", "value"),
)


def _expit(x: Floats) -> Floats:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


# --- models -------------------------------------------------------------------------


class _Holder(NamedTuple):
    """What `columns_of` asks for."""

    tree_: Tree
    schema_: Schema


def _refuse_unfitted(model: Any) -> None:
    check = getattr(model, "__sklearn_is_fitted__", None)
    if check is None:
        raise TypeError(
            f"export takes a fitted model of Ramify, not {type(model).__name__}"
        )
    if not check():
        raise ValueError(f"{type(model).__name__} is not fitted; call fit first")
    if not hasattr(model, "predict"):
        raise TypeError(
            f"{type(model).__name__} predicts nothing that could be exported; export "
            "its trees (estimators_) one by one"
        )


def _first_needs_values(model: Any) -> bool:
    trees = getattr(model, "estimators_", None) if "sum_" not in vars(model) else None
    return any(getattr(tree, "_needs_values", False) for tree in (trees or [])[:1])


_Read = tuple[list[Tree], Vote, list[Floats]]


def _outputs(model: Any, n_outputs: int) -> tuple[Output, ...]:
    classes = getattr(model, "classes_", None)
    if classes is None:
        return tuple(Output(None) for _ in range(n_outputs))
    return tuple(map(Output, [classes] if n_outputs == 1 else classes))


def _flat(value: Floats, outputs: tuple[Output, ...]) -> Floats:
    """Lay the outputs of nodes side by side, without the room of missing classes."""
    return np.concatenate(
        [value[:, j, : output.size] for j, output in enumerate(outputs)], axis=1
    )


def _of_tree(model: Any) -> _Read:
    tree: Tree = model.tree_
    outputs = _outputs(model, tree.n_outputs)
    shown = raw = _flat(tree.value, outputs)
    vote = Vote(
        start=np.zeros(raw.shape[1]),
        first=np.zeros(1, dtype=np.int64),
        divide=1,
        link="none",
        decide="number" if outputs[0].labels is None else "argmax",
        decide_from=0,
        costs=None,
        outputs=outputs,
    )
    if vote.is_number:
        return [tree], vote, [raw]
    costs = getattr(model, "cost_matrix", None)
    if model.laplace:
        shown = _flat(tree.smoothed(), outputs)
    if costs is not None and model.n_classes_ != 1:
        if tree.is_fractional:
            vote = replace(
                vote, decide="argmin_cost", costs=np.asarray(costs, dtype=np.float64)
            )
        else:
            # As predict multiplies: a leaf's costs are the same numbers, to the bit.
            raw = -(tree.value @ np.asarray(costs, float))[:, 0]
    if raw is shown or (not tree.is_fractional and _decide_alike(raw, shown, outputs)):
        return [tree], vote, [shown]
    both = np.concatenate([shown, raw], axis=1)
    vote = replace(vote, start=np.zeros(both.shape[1]), decide_from=shown.shape[1])
    return [tree], vote, [both]


def _decide_alike(raw: Floats, shown: Floats, outputs: tuple[Output, ...]) -> bool:
    """Tell whether decisions by what is shown are those by what is looked at."""
    begin = 0
    for output in outputs:
        part = slice(begin, begin + output.size)
        begin += output.size
        if (raw[:, part].argmax(axis=1) != shown[:, part].argmax(axis=1)).any():
            return False
    return True


def _of_forest(model: Any) -> _Read:
    trees = [each.tree_ for each in model.estimators_]
    outputs = _outputs(model, trees[0].n_outputs)
    is_number = outputs[0].labels is None
    is_hard = not is_number and model.voting == "hard"
    costs = None if is_number else model._costs()
    tables = model._tables(for_votes=True) if is_hard else model._tables()
    if is_hard and any(tree.is_fractional for tree in trees):
        raise TypeError(
            f"{type(model).__name__} with voting='hard' and missing='fractional' "
            "cannot be exported: a tree votes by an average of leaves; use "
            "voting='soft'"
        )
    values = [_flat(table, outputs) for table in tables]
    if is_hard:
        values = [_votes(value, outputs) for value in values]
        costs = None
    vote = Vote(
        start=np.zeros(values[0].shape[1]),
        first=np.zeros(len(trees), dtype=np.int64),
        divide=len(trees),
        link="none",
        decide="number" if is_number else "argmax" if costs is None else "argmin_cost",
        decide_from=0,
        costs=costs,
        outputs=outputs,
    )
    return trees, vote, values


def _votes(merit: Floats, outputs: tuple[Output, ...]) -> Floats:
    """Give 1 for the first of the largest merits of each output, else 0."""
    votes, begin = np.zeros_like(merit), 0
    for output in outputs:
        best = merit[:, begin : begin + output.size].argmax(axis=1)
        votes[np.arange(len(merit)), begin + best] = 1
        begin += output.size
    return votes


def _of_boosting(model: Any) -> _Read:
    rounds, start = model.sum_.rounds, np.asarray(model.sum_.baseline, dtype=np.float64)
    trees = [tree for trees in rounds for tree in trees]
    outputs = _outputs(model, 1)
    if outputs[0].labels is None:
        link = "exp" if model.loss in ("poisson", "gamma") else "none"
        decide = "number"
    else:
        link, decide = (
            ("softmax", "argmax") if len(start) > 1 else ("expit", "positive")
        )
    vote = Vote(
        start=start,
        first=np.arange(len(trees)) % len(start),
        divide=1,
        link=link,
        decide=decide,
        decide_from=0,
        costs=None,
        outputs=outputs,
    )
    return trees, vote, [tree.value[:, 0] for tree in trees]


# --- one tree, level by level -------------------------------------------------------


class _Part(NamedTuple):
    """The arrays of one tree, in the order of its levels."""

    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, tree: Tree, node_value: Floats, columns: Sequence[ColumnInfo]) -> _Part:
        every = tree.arrays()
        order, first, n_children = _levels(tree)
        left = every["children_left"][order]
        inner = left >= 0
        kind = np.where(inner, np.asarray(every["kind"][order], np.int64) + 1, LEAF)
        threshold = np.where(inner, every["threshold"][order], 0.0)
        column = np.where(inner, every["feature"][order], -1)
        is_set = np.array([info.is_categorical for info in columns])
        known = (kind == THRESHOLD) & (
            np.isinf(threshold) | is_set[np.maximum(column, 0)]
        )
        default = np.where(inner, every["default_branch"][order], 0)
        # At a threshold that all known values are above, they go right.
        default = np.where(known, threshold == -np.inf, default)
        kind = np.where(known, KNOWN, kind)
        threshold = np.where((kind == THRESHOLD) | (kind == HYPERPLANE), threshold, 0.0)
        column = np.where(kind == HYPERPLANE, -1, column)
        weight = every["weighted_n_node_samples"][order]
        lists = _picked(every, order, "split_begin", ("split_value", "split_branch"))
        begin, value, branch = lists
        if (kind == INTERVALS).any():
            begin, value, branch, default = _without_infinity(
                kind, begin, value, branch, default
            )
        terms = _picked(
            *(every, order, "term_begin"),
            ("term_column", "term_category", "term_weight", "term_fill"),
        )
        return cls(
            {
                "kind": kind,
                "column": column,
                "threshold": threshold,
                "first": first,
                "n_children": n_children,
                "missing_branch": np.where(
                    inner & (kind != HYPERPLANE), every["missing_branch"][order], 0
                ),
                "default_branch": default.astype(np.int64),
                "list_begin": begin,
                "list_value": value,
                "list_branch": branch,
                "term_begin": terms[0],
                "term_column": terms[1],
                "term_category": terms[2],
                "term_weight": terms[3],
                "term_fill": terms[4],
                "share": _shares(weight, first, n_children),
                "weight": weight,
                "leaf": np.where(inner, -1, np.cumsum(~inner) - 1),
                "value": node_value[order][~inner],
            }
        )


def _levels(tree: Tree) -> tuple[Ints, Ints, Ints]:
    """Order nodes by levels; give the first child, and their number, of each."""
    left, sibling = tree.children_left, tree.next_sibling
    order, first, n_children = [0], [], []
    for node in order:  # grows as it goes
        child = int(left[node])
        first.append(len(order) if child >= 0 else 0)
        count = 0
        while child >= 0:
            order.append(child)
            count += 1
            child = int(sibling[child])
        n_children.append(count)
    return np.array(order), np.array(first), np.array(n_children)


def _picked(
    every: dict[str, NDArray[Any]], order: Ints, begin: str, names: tuple[str, ...]
) -> list[NDArray[Any]]:
    """Give parts of lists in the order of the nodes, and where they begin."""
    starts = every[begin]
    length = np.diff(starts)[order]
    begins = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    places = np.arange(begins[-1]) + np.repeat(starts[:-1][order] - begins[:-1], length)
    return [begins, *(every[name][places] for name in names)]


def _without_infinity(
    kind: Ints, begin: Ints, value: Floats, branch: Ints, default: Ints
) -> tuple[Ints, Floats, Ints, Ints]:
    """Make the last interval, which has no upper bound, the default of its node."""
    default = default.copy()
    is_last = np.zeros(len(value), dtype=bool)
    nodes = np.flatnonzero(kind == INTERVALS)
    last = begin[nodes + 1] - 1
    default[nodes] = branch[last]
    is_last[last] = True
    length = np.diff(begin) - (kind == INTERVALS)
    begins = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    return begins, value[~is_last], branch[~is_last], default


def _shares(weight: Floats, first: Ints, n_children: Ints) -> Floats:
    """Give the share of each node in the weight of its siblings, added in order."""
    share = np.ones(len(weight))
    parents = np.flatnonzero(n_children > 0)
    total = np.zeros(len(parents))
    for b in range(int(n_children.max(initial=0))):
        has = n_children[parents] > b
        total[has] += weight[first[parents[has]] + b]
    for b in range(int(n_children.max(initial=0))):
        has = n_children[parents] > b
        child = first[parents[has]] + b
        share[child] = weight[child] / total[has]
    return share


def _joined(parts: list[_Part], **rest: Any) -> Walk:
    """Lay trees end to end."""
    arrays = [part.arrays for part in parts]
    sizes = np.array([len(each["kind"]) for each in arrays])
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    leaves = np.cumsum([0, *(len(each["value"]) for each in arrays)])
    joined: dict[str, Any] = {"root": root}
    for name in arrays[0]:
        pieces = [each[name] for each in arrays]
        if name == "first":
            pieces = [p + r * (p > 0) for p, r in zip(pieces, root, strict=True)]
        elif name == "leaf":
            pieces = [
                p + n * (p >= 0) for p, n in zip(pieces, leaves[:-1], strict=True)
            ]
        elif name.endswith("_begin"):
            ends = np.cumsum([0, *(piece[-1] for piece in pieces)])
            last = ends[-1:]
            pieces = [p[:-1] + n for p, n in zip(pieces, ends[:-1], strict=True)]
            pieces.append(last)
        joined[name] = np.concatenate(pieces)
    for array in joined.values():
        array.flags.writeable = False
    return Walk(**joined, **rest)
