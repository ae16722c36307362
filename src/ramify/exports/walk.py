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
5. A leaf with a line adds a multiple of each clipped column to its value, product by
   product in their order, and clips the sum.
6. Trees are added to `start` in their order; then comes one division. Ties of decisions
   go to the first class.
7. Links come last, and decisions do not look at them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import ColumnInfo

__all__ = [
    "CATEGORIES",
    "HYPERPLANE",
    "INTERVALS",
    "KIND_NAMES",
    "KNOWN",
    "LEAF",
    "THRESHOLD",
    "LeafLines",
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
class LeafLines:
    """The lines of leaves: ``clip(value + sum(slope * clip(x, low, high)), ...)``.

    Attributes
    ----------
    begin : ndarray of int64, of shape (n_leaves + 1,)
        The terms of leaf i are those from ``begin[i]`` to ``begin[i + 1]``.
    column, slope, low, high, fill : ndarray
        Of each term; `fill` stands for a missing value.
    bottom, top : ndarray of shape (n_leaves,)
        What the sum is clipped to.
    """

    begin: Ints
    column: Ints
    slope: Floats
    low: Floats
    high: Floats
    fill: Floats
    bottom: Floats
    top: Floats

    def terms(self, leaf: int) -> list[tuple[int, float, float, float, float]]:
        """Return column, slope, low, high and fill of each term of a leaf."""
        part = slice(self.begin[leaf], self.begin[leaf + 1])
        each = (self.column, self.slope, self.low, self.high, self.fill)
        return list(zip(*(array[part].tolist() for array in each), strict=True))

    def at(self, leaf: int, value: float, matrix: Floats) -> Floats:
        """Return what a leaf says of rows."""
        total = np.full(len(matrix), value)
        for column, slope, low, high, fill in self.terms(leaf):
            x = matrix[:, column]
            total += slope * np.clip(np.where(np.isnan(x), fill, x), low, high)
        return np.asarray(np.clip(total, self.bottom[leaf], self.top[leaf]))


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
    lines : LeafLines or None
        What leaves add to their value, if they have lines.
    file : dict or None
        How ``ramify fit`` read the columns of a file; see `ramify.exports.origins`.
    by_hand : tuple of str
        What people decided and wrote at its nodes, a line each; it changes no answer
        here, for decisions are in the leaves already.
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
    file: Mapping[str, Any] | None = None
    lines: LeafLines | None = None
    by_hand: tuple[str, ...] = ()

    # --- properties -------------------------------------------------------------------

    @property
    def described(self) -> str:
        """What the model is, and what people decided in it; for the head of a file."""
        return "; ".join([self.estimator, *self.by_hand])

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
        """Return the children of a node, in the order of its branches."""
        first = int(self.first[node])
        return range(first, first + int(self.n_children[node]))

    def listed(self, node: int) -> tuple[Floats, Ints]:
        """Return the codes or upper bounds of a node, and their branches."""
        part = slice(self.list_begin[node], self.list_begin[node + 1])
        return self.list_value[part], self.list_branch[part]

    def terms(self, node: int) -> list[tuple[int, int, float, float]]:
        """Return column, category (-1: a number), weight and fill of each term."""
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
        """Yield the nodes below a node, itself first, each before its children."""
        stack = [int(root)]
        while stack:
            node = stack.pop()
            yield node
            if self.kind[node] != LEAF:
                stack += reversed(self.children(node))

    def leaf_decisions(self) -> Ints | None:
        """Return the classes, per output, that the leaves of a single tree decide for.

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
        for part in () if self.lines is None else fields(self.lines):
            own = np.ascontiguousarray(getattr(self.lines, part.name), dtype="<f8")
            digest.update(part.name.encode() + own.tobytes())
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
        """Return the branch that each row takes at a node; -1 is every branch."""
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
        missing_branch = self.missing_branch[node]
        return np.asarray(np.where(np.isnan(x), missing_branch, branch), dtype=np.int64)

    def sums(self, node: int, matrix: Floats) -> Floats:
        """Return the sum of a hyperplane's terms for each row."""
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
        """Return the scores of rows: (n_rows, n_scores)."""
        vote = self.vote
        total = np.tile(vote.start, (len(matrix), 1))
        own = np.zeros((len(matrix), self.width))
        last = -1
        for visit in self.visits(matrix):
            if visit.tree != last and last >= 0:
                self._add(total, own, last)
            last = visit.tree
            if len(visit.branch) == 0:
                leaf = int(self.leaf[visit.node])
                value = self.value[leaf]
                if self.lines is not None:
                    here = matrix[visit.rows]
                    own[visit.rows, 0] = self.lines.at(leaf, float(value[0]), here)
                    continue
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
        """Return what is shown: probabilities, or the numbers predicted."""
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
