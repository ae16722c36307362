# SPDX-License-Identifier: BSD-3-Clause
"""What was grown: flat read-only arrays under scikit-learn's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ramify import _core
from ramify.table.sparse_format import check_format
from ramify.tree.curves import Curves
from ramify.tree.ledger import Ledger
from ramify.tree.lines import Lines
from ramify.tree.packed import Packed, pack

__all__ = ["Terms", "Tree"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """The sum that a hyperplane compares with its threshold, one entry per term.

    Attributes
    ----------
    column : ndarray of int64
        The column that a term looks at. Terms ascend by column, then by category.
    category : ndarray of int64
        The code of the category that a term looks for; -1 if it takes a number.
    weight : ndarray of float64
        What a number is multiplied by, or what a row with the category gets.
    fill : ndarray of float64
        What stands for a missing number: the mean of the node's rows. 0 for
        categories: a row with a missing value, or with another one, gets nothing.
    share : ndarray of float64
        How much of the spread of the sum is due to a term; they add up to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.tree import Terms
    >>> weight, fill = np.array([0.5, -2.0]), np.array([3.0, 0.0])
    >>> terms = Terms(np.array([0, 1]), np.array([-1, 4]), weight, fill, weight)
    >>> terms.project(np.array([[8.0, 4.0], [np.nan, 4.0], [8.0, np.nan]]))
    array([ 2. , -0.5,  4. ])
    """

    column: Ints
    category: Ints
    weight: Floats
    fill: Floats
    share: Floats

    def __len__(self) -> int:
        return len(self.column)

    def project(self, X: NDArray[Any]) -> Floats:
        """Get the sum of each row of a prediction matrix, bit for bit as `apply` does.

        Products are rounded to doubles and added in the order of the terms.
        """
        total = np.zeros(len(X))
        each = zip(
            *(self.column.tolist(), self.category.tolist()),
            *(self.weight.tolist(), self.fill.tolist()),
            strict=True,
        )
        with np.errstate(over="ignore", invalid="ignore"):
            for column, category, weight, fill in each:
                x = np.asarray(X[:, column], dtype=np.float64)
                if category < 0:
                    total += weight * np.where(np.isnan(x), fill, x)
                else:
                    total += np.where(x == category, weight, 0.0)
        return total


_NOTHING_KEPT: dict[str, Any] = {
    "_predictor": None,
    "_averaged": None,
    "_smoothed": None,
}


class _LastChildren(np.ndarray):
    """The last children of nodes that are not all thresholds: no "right" of a node.

    Who needs the right child of a node reads left and right by a threshold;
    scikit-learn's export_graphviz drew such trees wrongly without a word.
    """

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, (int, np.integer)):
            raise TypeError(
                "this tree has tests of categories, intervals or sums, which cannot be "
                "read as the left and right of a scikit-learn tree; draw it with "
                "ramify.plot_tree or ramify.export(model, 'dot'), or read "
                "tree_.children(node)"
            )
        return np.asarray(self)[place]

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:
        # What is calculated from it is an ordinary array.
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain


class Tree:
    """A grown tree: one entry per node in each array, in preorder.

    Attributes
    ----------
    children_left, children_right : ndarray of int64
        The first and the last child of each node; -1 in a leaf. A tree whose nodes are
        not all thresholds cannot be walked by left and right, as scikit-learn's trees
        are: there ``children_right[node]`` is an error, and `children` gives all of a
        node. As a whole the array can be read.
    next_sibling : ndarray of int64
        The next child of the same parent, or -1.
    feature : ndarray of int64
        The column that a node looks at; -2 in a leaf.
    kind : ndarray of uint8
        How it parts its rows: `THRESHOLD` (leaves too), `CATEGORIES`, `INTERVALS` or
        `HYPERPLANE`.
    threshold : ndarray of float64
        Rows with ``x[feature] <= threshold`` go left, or, at a hyperplane, those whose
        sum of terms is not above it; NaN where categories or intervals are listed, -2
        in a leaf.
    split_begin, split_value, split_branch : ndarray
        For node i the slice ``split_begin[i]:split_begin[i + 1]`` of the other two
        lists the codes of categories, or the ascending upper bounds of intervals, and
        the branch (0, 1, ...) of each.
    term_begin, term_column, term_category, term_weight, term_fill, term_share : ndarray
        For a hyperplane i the slice ``term_begin[i]:term_begin[i + 1]`` of the other
        five lists its terms; see `terms`. Its `feature` is the column of the largest
        share.
    missing_branch, default_branch : ndarray of int64
        The branch of rows with missing values (-1: every branch, by its share of the
        weight), and the heaviest, which takes the categories that are not listed.
    optimal : ndarray of uint8
        Whether surely no split of that column would have scored higher.
    gain : ndarray
        Score of each split under the criterion it was chosen by; NaN in a leaf.
    impurity, n_node_samples, weighted_n_node_samples : ndarray
        As in scikit-learn; the impurity is Gini unless the criterion has its own.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Shares of the classes; the number predicted, if numbers are (one per output). In
        a model tree the intercept of the node's line.
    lines : Lines or None
        Of a model tree the lines of all nodes, also as ``line_begin``, ``line_column``,
        ``line_slope``, ``line_low``, ``line_high`` and ``line_fill``; see `Lines`.
    """

    THRESHOLD, CATEGORIES, INTERVALS, HYPERPLANE = 0, 1, 2, 3
    ARRAYS = (
        "children_left",
        "children_right",
        "next_sibling",
        "feature",
        "kind",
        "threshold",
        "split_begin",
        "split_value",
        "split_branch",
        "term_begin",
        "term_column",
        "term_category",
        "term_weight",
        "term_fill",
        "term_share",
        "missing_branch",
        "default_branch",
        "optimal",
        "gain",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "value",
    )
    # What says how rows walk down.
    WALKED = (
        *("children_left", "children_right", "next_sibling", "feature", "kind"),
        *("threshold", "split_begin", "split_value", "split_branch", "term_begin"),
        *("term_column", "term_category", "term_weight", "term_fill", "term_share"),
        *("missing_branch", "default_branch", "weighted_n_node_samples"),
    )
    # Arrays that are not one entry per node: where the part of each node begins.
    LISTS: ClassVar[dict[str, tuple[str, ...]]] = {
        "split_begin": ("split_value", "split_branch"),
        "term_begin": (
            *("term_column", "term_category"),
            *("term_weight", "term_fill", "term_share"),
        ),
    }
    children_left: Ints
    next_sibling: Ints
    feature: Ints
    kind: NDArray[np.uint8]
    threshold: Floats
    split_begin: Ints
    split_value: Floats
    split_branch: Ints
    term_begin: Ints
    term_column: Ints
    term_category: Ints
    term_weight: Floats
    term_fill: Floats
    term_share: Floats
    missing_branch: Ints
    default_branch: Ints
    optimal: NDArray[np.uint8]
    gain: Floats
    impurity: Floats
    n_node_samples: Ints
    weighted_n_node_samples: Floats
    value: Floats
    curves: Curves | None = None  # of the leaves of a survival tree
    lines: Lines | None = None  # of the nodes of a model tree
    # What was made of the arrays, when it was first needed.
    _predictor: _core.Predictor | None
    _averaged: tuple[Floats | Lines, _core.Answers] | None
    _smoothed: Floats | None

    def __init__(
        self, arrays: dict[str, NDArray[Any]], n_features: int, n_classes: list[int]
    ) -> None:
        every = arrays
        if "term_begin" not in arrays:
            every = _no_terms(len(arrays["feature"])) | arrays
        own = self.__dict__
        for name in self.ARRAYS:
            array = every[name]
            array.setflags(write=False)
            own[name] = array
        self.n_features = n_features
        self.n_classes: Ints = np.array(n_classes, dtype=np.int64)
        self.ledger: Ledger | None = None
        self._packed: Packed | None = None
        self.__dict__.update(_NOTHING_KEPT)

    @classmethod
    def from_packed(cls, packed: Packed, n_features: int, n_classes: list[int]) -> Tree:
        """Return a tree whose arrays are packed."""
        tree = cls.__new__(cls)
        tree.n_features = n_features
        tree.n_classes = np.array(n_classes, dtype=np.int64)
        tree.ledger = None
        tree._packed = packed
        tree.__dict__.update(_NOTHING_KEPT)
        return tree

    def packed(self) -> Tree:
        """Get the same tree in less memory; its arrays are made when they are read."""
        twin = Tree.__new__(Tree)
        twin.__dict__.update(self.__dict__ | _NOTHING_KEPT)
        twin._packed = pack({name: twin.__dict__.pop(name) for name in self.ARRAYS})
        return twin

    def __getattr__(self, name: str) -> Any:
        packed: Packed | None = self.__dict__.get("_packed")
        lines: Lines | None = self.__dict__.get("lines")
        if lines is not None and name.startswith("line_"):
            return getattr(lines, name.removeprefix("line_"))
        if packed is None or name not in self.ARRAYS:
            return object.__getattribute__(self, name)  # fails as it should
        return packed.arrays()[name]

    def array(self, name: str) -> NDArray[Any]:
        """Return one of `ARRAYS`."""
        if self._packed is not None:
            return self._packed.arrays()[name]
        return np.asarray(self.__dict__[name])

    @property
    def has_thresholds_only(self) -> bool:
        """Whether every test is a threshold of one column, as in scikit-learn."""
        return not self.kind.any()

    @property
    def children_right(self) -> Ints:
        """The last child of each node; -1 in a leaf."""
        last = self.array("children_right")
        return last if self.has_thresholds_only else last.view(_LastChildren)

    @children_right.setter
    def children_right(self, array: Ints) -> None:
        self.__dict__["children_right"] = array

    def values(self) -> Floats:
        """Return `value`; of a packed tree without unpacking the other arrays."""
        return self.value if self._packed is None else self._packed.value()

    def smoothed(self) -> Floats:
        """Return ``value`` by Laplace: (n_k + 1) / (n + K)."""
        if self._smoothed is None:
            smoothed = self._laplace()
            if self._packed is not None:  # which is to take little memory
                return smoothed
            self._smoothed = smoothed
        return self._smoothed

    def _laplace(self) -> Floats:
        value = self.values()
        weight = self.weighted_n_node_samples[:, None, None]
        n_classes = self.n_classes[None, :, None]
        exists = np.arange(value.shape[2]) < n_classes
        smooth = np.where(exists, (value * weight + 1) / (weight + n_classes), 0)
        empty = np.flatnonzero(weight[:, 0, 0] == 0)
        if len(empty):  # leaves that no row has reached say what their parents say
            parent = self.parents()
            for node in empty.tolist():
                smooth[node] = smooth[parent[node]]
        return smooth

    @property
    def candidates(self) -> Any:
        """The best candidate splits of every node, as a data frame.

        Kept if the tree was grown with ``record_candidates``; see `Ledger.to_frame`.
        """
        if self.ledger is None:
            raise AttributeError(
                "no candidates were recorded; fit with record_candidates=10"
            )
        return self.ledger.to_frame()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | _NOTHING_KEPT

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | _NOTHING_KEPT)
        for name in () if self._packed else self.ARRAYS:
            self.array(name).flags.writeable = False

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: self.array(name) for name in self.ARRAYS}

    def __repr__(self) -> str:
        return (
            f"Tree(node_count={self.node_count}, n_leaves={self.n_leaves}, "
            f"max_depth={self.max_depth})"
        )

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        if self._packed is not None:
            return self._packed.narrow["feature"].shape[0]
        return len(self.feature)

    capacity = node_count

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.children_left < 0).sum())

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.n_classes)

    @property
    def max_n_classes(self) -> int:
        """Largest number of classes of a target."""
        return int(self.n_classes.max())

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; the root has depth 0."""
        return int(self.depths().max())

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether rows with missing values go left, under scikit-learn's name."""
        goes_left = (self.missing_branch == 0) & (self.children_left >= 0)
        return np.asarray(goes_left, dtype=np.uint8)

    @property
    def is_fractional(self) -> bool:
        """Whether rows with missing values go down every branch."""
        return self.walker().is_fractional

    def children(self, node: int) -> list[int]:
        """Return the children of a node, in the order of its branches."""
        found = []
        child = int(self.children_left[node])
        while child >= 0:
            found.append(child)
            child = int(self.next_sibling[child])
        return found

    def listed(self, node: int) -> tuple[Floats, Ints]:
        """Return the codes or upper bounds that a node lists, and their branches."""
        part = slice(self.split_begin[node], self.split_begin[node + 1])
        return self.split_value[part], self.split_branch[part]

    def terms(self, node: int) -> Terms:
        """Return the terms of a hyperplane; a node of another kind has none."""
        part = slice(self.term_begin[node], self.term_begin[node + 1])
        return Terms(
            self.term_column[part],
            self.term_category[part],
            self.term_weight[part],
            self.term_fill[part],
            self.term_share[part],
        )

    def parents(self) -> Ints:
        """Return the parent of each node; -1 of the root."""
        parent = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.children_left >= 0)
        child = self.children_left[inner]
        while len(child):  # all first children, then all second ones, ...
            parent[child] = inner
            has_next = self.next_sibling[child] >= 0
            child, inner = self.next_sibling[child[has_next]], inner[has_next]
        return parent

    def depths(self) -> Ints:
        """Depth of each node."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        level = np.array([0])
        while len(level):
            inner = level[self.children_left[level] >= 0]
            child, below = self.children_left[inner], depth[inner] + 1
            levels = []
            while len(child):
                depth[child] = below
                levels.append(child)
                has_next = self.next_sibling[child] >= 0
                child, below = self.next_sibling[child[has_next]], below[has_next]
            level = np.concatenate(levels) if levels else np.array([], dtype=np.int64)
        return depth

    def compute_node_depths(self) -> Ints:
        """Return the level of each node as scikit-learn counts: 1 for the root."""
        return self.depths() + 1

    def apply(self, X: Any, n_threads: int = 1, has_missing: bool = True) -> Ints:
        """Return the leaf that each row reaches.

        X is a matrix of float32 or float64, or a sparse matrix. `has_missing` may be
        False, which is faster, if no value is NaN.
        """
        X = _dense(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {X.shape}; the tree was grown on {self.n_features} "
                "columns"
            )
        return self.walker().apply(X, has_missing, n_threads).reshape(-1)

    def walker(self) -> _core.Predictor:
        """Return the tree laid out for prediction; made once."""
        if self._predictor is None:
            self._predictor = _core.Predictor([self.walked()])
        return self._predictor

    def walked(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that say how rows walk down, packed if the tree is."""
        if self._packed is not None:
            narrow = self._packed.narrow
            return {name: narrow[name].cells for name in self.WALKED}
        return {name: self.__dict__[name] for name in self.WALKED}

    def node_values(self) -> Floats:
        """Return ``value`` as pictures show it: of a model tree the means of nodes."""
        if self.lines is None:
            return self.values()
        return self.lines.mean[:, None, None]

    @property
    def y_range(self) -> tuple[float, float] | None:
        """The range of what a model tree answers; None of other trees."""
        return None if self.lines is None else (self.lines.y_low, self.lines.y_high)

    def predict(self, X: Any, n_threads: int = 1) -> Floats:
        """Return the class shares of each row's leaf; with several outputs, in 3-d.

        A row that goes down every branch gets the average of its leaves. A model tree
        returns the numbers of the leaves' lines, (n_rows, 1).
        """
        if self.lines is not None:
            return self.on_lines(X, n_threads)
        return self.average(X, self.value, n_threads)

    def on_lines(
        self,
        X: Any,
        n_threads: int = 1,
        has_missing: bool = True,
        *,
        clipped: bool = True,
    ) -> Floats:
        """Return what the lines of a model tree say of each row: (n_rows, 1).

        Without the clip to the range of the answers if it is not `clipped`.
        """
        X = _dense(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {X.shape}; the tree was grown on {self.n_features} "
                "columns"
            )
        sums = np.zeros((len(X), 1))
        answers = self.line_answers() if clipped else self._unclipped()
        answers.add(X, has_missing, sums, 0, 1, None, n_threads)
        return sums

    def _unclipped(self) -> _core.Answers:
        assert self.lines is not None
        table = np.ascontiguousarray(self.values()[:, :, 0], dtype=np.float64)
        lines = self.lines.arrays() | {"y_low": -np.inf, "y_high": np.inf}
        return _core.Answers(self.walker(), [table], 0, 1, [lines])

    def line_answers(self) -> _core.Answers:
        """Return the lines of a model tree, laid out for prediction; made once."""
        assert self.lines is not None
        if self._averaged is None or self._averaged[0] is not self.lines:
            table = np.ascontiguousarray(self.values()[:, :, 0], dtype=np.float64)
            laid_out = _core.Answers(
                self.walker(), [table], 0, 1, [self.lines.arrays()]
            )
            self._averaged = self.lines, laid_out
        return self._averaged[1]

    def average(
        self,
        X: Any,
        value: Floats,
        n_threads: int = 1,
        has_missing: bool = True,
    ) -> Floats:
        """Return the value of each row's leaf, (n_nodes, n_outputs, n), or the average.

        The axis of outputs is dropped if there is one only.
        """
        if has_missing and self.is_fractional:
            X = _dense(X)
            answers = self.answers(value)
            sums = np.zeros((len(X), answers.width))
            answers.add(X, True, sums, 0, 1, None, n_threads)
            found = sums.reshape(-1, *value.shape[1:])
        else:
            found = value.take(self.apply(X, n_threads, has_missing), axis=0)
        return found[:, 0] if self.n_outputs == 1 else found

    def answers(self, value: Floats) -> _core.Answers:
        """Return the values of leaves, laid out for prediction; the last is kept."""
        if self._averaged is None or self._averaged[0] is not value:
            table = np.ascontiguousarray(value, dtype=np.float64).reshape(
                len(value), -1
            )
            self._averaged = value, _core.Answers(self.walker(), [table], 0, 1)
        return self._averaged[1]

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Mark the nodes that each row passes: an indicator (n_rows, node_count)."""
        leaves = self.apply(X)
        parent = self.parents()
        n_nodes = self.depths()[leaves] + 1
        starts = np.concatenate([[0], np.cumsum(n_nodes)])
        indices = np.empty(starts[-1], dtype=np.int64)
        at, place = leaves.copy(), starts[1:] - 1  # from the leaf up: ends at the root
        rows = np.arange(len(leaves))
        while len(rows):
            indices[place[rows]] = at[rows]
            place[rows] -= 1
            at[rows] = parent[at[rows]]
            rows = rows[at[rows] >= 0]
        ones = np.ones(len(indices), dtype=np.int64)
        return sparse.csr_matrix(
            (ones, indices, starts), shape=(len(leaves), self.node_count)
        )

    def compute_feature_importances(
        self, normalize: bool = True, by_impurity: bool = False
    ) -> Floats:
        """Sum, per column, the gains of its splits times the share of rows there.

        The gain of a hyperplane is divided among its columns by their `term_share`.
        With `by_impurity` the drop of the impurity counts instead of the gain, for
        scores that are no gains: test statistics, weights of columns, structure. In a
        model tree what the terms of a leaf took of the squared error counts, too.
        """
        inner = np.flatnonzero(self.children_left >= 0)
        share = self.weighted_n_node_samples / self.weighted_n_node_samples[0]
        worth = share * self.gain
        if self.lines is not None:
            return self._importances_of_lines(share, normalize)
        if by_impurity:
            risk = share * self.impurity
            below = np.bincount(
                self.parents()[1:], weights=risk[1:], minlength=self.node_count
            )
            worth = np.maximum(risk - below, 0)
        of_one = inner[self.kind[inner] != self.HYPERPLANE]
        importances = np.bincount(
            self.feature[of_one], weights=worth[of_one], minlength=self.n_features
        ).astype(np.float64)
        owner = np.repeat(np.arange(self.node_count), np.diff(self.term_begin))
        importances += np.bincount(
            self.term_column,
            weights=worth[owner] * self.term_share,
            minlength=self.n_features,
        )
        total = importances.sum()
        return importances / total if normalize and total > 0 else importances

    def _importances_of_lines(self, share: Floats, normalize: bool) -> Floats:
        """Sum what splits gained and what the terms of leaves took of the error."""
        assert self.lines is not None
        inner = self.children_left >= 0
        found = np.bincount(
            self.feature[inner],
            weights=(share * self.gain)[inner],
            minlength=self.n_features,
        ).astype(np.float64)
        owner = np.repeat(np.arange(self.node_count), np.diff(self.lines.begin))
        taken = np.where(inner[owner], 0.0, share[owner] * self.lines.gain)
        found += np.bincount(
            self.lines.column, weights=taken, minlength=self.n_features
        )
        total = found.sum()
        return found / total if normalize and total > 0 else found

    def pruning_path(self, up_to: float = np.inf) -> tuple[Floats, Floats, Any]:
        """Cut weakest links while their alpha is at most `up_to`.

        Returns the alphas, which ascend, the impurity of the tree after each step, and
        which nodes are leaves at the end.
        """
        share = self.weighted_n_node_samples / self.weighted_n_node_samples[0]
        risk = share * self.impurity
        collapse = _core.weakest_links(self.arrays(), risk)
        parent = self.parents()
        is_inner = self.children_left >= 0
        goes = is_inner & (collapse <= up_to)
        is_link = goes & (collapse < np.where(parent < 0, np.inf, collapse[parent]))
        links = np.flatnonzero(is_link)
        links = links[np.argsort(collapse[links], kind="stable")]
        # The steps from and up to which a node is a leaf of the tree that remains.
        top = np.arange(self.node_count)  # of what goes with a node
        while len(below := np.flatnonzero((goes & ~is_link)[top])):
            top[below] = parent[top[below]]
        first = np.where(is_inner, len(links) + 1, 0)
        first[links] = np.arange(1, len(links) + 1)
        first = np.where(goes, first[top], first)
        last = np.where(parent < 0, len(links) + 1, first[parent])
        lives = first < last
        change = np.zeros(len(links) + 2)
        np.add.at(change, first[lives], risk[lives])
        np.add.at(change, last[lives], -risk[lives])
        alphas = np.append(0.0, collapse[links])
        return alphas, np.cumsum(change[:-1]), goes | ~is_inner

    def pruned(self, ccp_alpha: float) -> Tree:
        """Return the smallest subtree whose links all cost more than `ccp_alpha`."""
        return self.cut(self.pruning_path(ccp_alpha)[2])

    def last_below(self) -> Ints:
        """Get the last node of the subtree of each node; it is one run of numbers."""
        right = self.children_right
        last = np.where(right < 0, np.arange(self.node_count), right)
        while True:
            farther = last[last]
            if np.array_equal(farther, last):
                return last
            last = farther

    def is_below(self, is_leaf: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the nodes that are below one of some nodes."""
        step = np.zeros(self.node_count + 1, dtype=np.int64)
        cut = np.flatnonzero(is_leaf)
        np.add.at(step, cut + 1, 1)
        np.add.at(step, self.last_below()[cut] + 1, -1)
        return np.asarray(np.cumsum(step[:-1]) > 0)

    def cut(self, is_leaf: NDArray[np.bool_]) -> Tree:
        """Make some nodes leaves; what is below them goes, the leaves stay leaves.

        >>> import numpy as np, ramify
        >>> X, y = np.array([[1.0], [2.0], [3.0]]), [0, 1, 0]
        >>> tree = ramify.DecisionTreeClassifier().fit(X, y).tree_
        >>> tree.n_leaves, tree.cut(np.arange(tree.node_count) == 2).n_leaves
        (3, 2)
        """
        is_leaf = is_leaf | (self.children_left < 0)
        keep = ~self.is_below(is_leaf)
        number = np.cumsum(keep) - 1
        listed = {n for begin, names in self.LISTS.items() for n in (begin, *names)}
        per_node = [name for name in self.ARRAYS if name not in listed]
        arrays = {name: getattr(self, name)[keep].copy() for name in per_node}
        leaf = is_leaf[keep]
        for link in ("children_left", "children_right", "next_sibling"):
            old = arrays[link]
            arrays[link] = np.where(old < 0, -1, number[old])
        for name in ("children_left", "children_right"):
            arrays[name][leaf] = -1
        arrays["feature"][leaf] = -2
        arrays["threshold"][leaf] = -2
        arrays["gain"][leaf] = np.nan
        for name in ("kind", "optimal", "missing_branch", "default_branch"):
            arrays[name][leaf] = 0
        is_inner = keep & ~is_leaf
        for begin, names in self.LISTS.items():
            length = np.diff(getattr(self, begin))
            is_kept = np.repeat(is_inner, length)
            arrays |= {name: getattr(self, name)[is_kept] for name in names}
            ends = np.cumsum(np.where(is_inner, length, 0)[keep])
            arrays[begin] = np.concatenate([[0], ends]).astype(np.int64)
        tree = Tree(arrays, self.n_features, self.n_classes.tolist())
        if self.lines is not None:
            tree.lines = self.lines.kept(keep)
        if self.ledger is not None:
            tree.ledger = self.ledger.kept(keep, is_leaf, number)
        if self.curves is not None:
            tree.curves = self.curves.joined(self._new_leaves(keep, leaf))
        return tree

    def _new_leaves(
        self, keep: NDArray[np.bool_], is_leaf: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return the leaf, after a cut, of which each leaf becomes a part.

        `is_leaf` marks the leaves among the nodes that are kept.
        """
        top = np.maximum.accumulate(np.where(keep, np.arange(self.node_count), 0))
        number = np.cumsum(keep) - 1
        order = np.cumsum(is_leaf) - 1
        return np.asarray(order[number[top]][self.children_left < 0])

    def leaf_numbers(self, nodes: Ints) -> Ints:
        """Return the place of leaves, given by their nodes, among the leaves."""
        order = np.cumsum(self.children_left < 0) - 1
        return np.asarray(order[nodes])

    def curves_of(self, node: int) -> Curves:
        """Return the curves of a node of a survival tree, as those of one leaf."""
        if self.curves is None:
            raise ValueError("this tree has no curves; survival trees have")
        leaves = np.flatnonzero(self.children_left < 0)
        last = int(self.last_below()[node])
        below = (leaves >= node) & (leaves <= last)
        return self.curves.joined(np.where(below, 0, -1))


def _dense(X: Any) -> NDArray[Any]:
    """Return the rows of a sparse matrix as an array of floats; arrays as they are."""
    if not sparse.issparse(X):
        return np.asarray(X)
    check_format(X)
    full: NDArray[Any] = X.toarray()
    return full if full.dtype.kind == "f" else full.astype(np.float64)


def _no_terms(n_nodes: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of terms of a tree without hyperplanes."""
    return {
        "term_begin": np.zeros(n_nodes + 1, dtype=np.int64),
        "term_column": np.zeros(0, dtype=np.int64),
        "term_category": np.zeros(0, dtype=np.int64),
        "term_weight": np.zeros(0),
        "term_fill": np.zeros(0),
        "term_share": np.zeros(0),
    }
