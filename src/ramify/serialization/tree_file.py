# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a tree in a model file: written, read, and checked like any input."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.serialization.archive import read_member
from ramify.serialization.curves_file import write_curves
from ramify.table.schema import Schema
from ramify.tree import Tree
from ramify.tree.lines import Lines

__all__ = ["check_tree", "read_tree", "read_trees", "write_tree", "write_trees"]

Arrays = dict[str, NDArray[Any]]
Archive = Any  # a zipfile.ZipFile, or the part of one that holds one tree of many

_INTEGERS = (
    "n_nodes",
    "children_left",
    "children_right",
    "next_sibling",
    "feature",
    "missing_branch",
    "default_branch",
    "n_node_samples",
    "split_begin",
    "split_branch",
    "term_begin",
    "term_column",
    "term_category",
    "line_begin",
    "line_column",
)
_BYTES = ("kind", "optimal")


def write_tree(archive: Archive, tree: Tree) -> None:
    """Add each array of a tree to an archive, as ``tree/<array>.npy``."""
    arrays = {name: getattr(tree, name) for name in Tree.ARRAYS}
    if tree.lines is not None:
        arrays |= {f"line_{name}": getattr(tree.lines, name) for name in Lines.NAMES}
        arrays["line_range"] = np.array([tree.lines.y_low, tree.lines.y_high])
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        archive.writestr(f"tree/{name}.npy", buffer.getvalue())
    if tree.curves is not None:
        write_curves(archive, tree.curves)


def write_trees(archive: Archive, trees: list[Tree]) -> None:
    """Add the arrays of many trees, one after the other, as ``tree/<array>.npy``."""
    arrays = {"n_nodes": np.array([tree.node_count for tree in trees])}
    for name in Tree.ARRAYS:
        arrays[name] = np.concatenate([getattr(tree, name) for tree in trees])
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        archive.writestr(f"tree/{name}.npy", buffer.getvalue())


def read_trees(archive: Archive, schema: Schema) -> list[Tree]:
    """Read trees that predict numbers, and fit the columns."""
    n_nodes = _read_array(archive, "n_nodes", None)
    if len(n_nodes) == 0 or (n_nodes < 1).any() or n_nodes.max() > 2**40:
        raise ValueError("it has no trees, or trees without nodes")
    listed = {name: begin for begin, names in Tree.LISTS.items() for name in names}
    ends = {"": np.cumsum(n_nodes)}
    arrays: Arrays = {}
    for begin in Tree.LISTS:
        ends[begin] = np.cumsum(n_nodes + 1)
        arrays[begin] = _read_array(archive, begin, (int(ends[begin][-1]),))
        last = arrays[begin][ends[begin] - 1]
        if (last < 0).any() or last.max() > 2**40:
            raise ValueError(f"{begin} has an entry that is out of range")
        for name in Tree.LISTS[begin]:
            ends[name] = np.cumsum(last)
    for name in (name for name in Tree.ARRAYS if name not in arrays):
        n = int(ends[name if name in listed else ""][-1])
        arrays[name] = _read_array(
            archive, name, (n, 1, 1) if name == "value" else (n,)
        )
    trees = []
    for i in range(len(n_nodes)):
        own = {}
        for name, array in arrays.items():
            end = ends.get(name, ends[""])
            own[name] = array[end[i - 1] if i else 0 : end[i]].copy()
        tree = Tree(own, schema.n_columns, [1])
        check_tree(tree, schema, numeric=True)
        trees.append(tree)
    return trees


def read_tree(
    archive: Archive,
    schema: Schema,
    n_classes: list[int],
    numeric: bool = False,
    has_lines: bool = False,
) -> Tree:
    """Read a tree whose arrays fit together and fit the columns and classes.

    Trees that are `numeric` predict numbers, and have one "class" per output.
    """
    listed = {name for names in Tree.LISTS.values() for name in names}
    nodes = [name for name in Tree.ARRAYS if name not in listed]
    arrays = _read_nodes(archive, nodes, n_classes)
    for begin, names in Tree.LISTS.items():
        shape = (_n_entries(arrays, begin, schema),)
        arrays |= {name: _read_array(archive, name, shape) for name in names}
    tree = Tree(arrays, schema.n_columns, n_classes)
    if has_lines:
        tree.lines = _read_lines(archive, tree.node_count)
    check_tree(tree, schema, numeric)
    return tree


def _read_lines(archive: Archive, n_nodes: int) -> Lines:
    """Read the lines of a model tree."""
    begin = _read_array(archive, "line_begin", (n_nodes + 1,))
    n_terms = int(begin[-1])
    if not 0 <= n_terms <= 2**40:
        raise ValueError(f"its lines have {n_terms} terms")
    rest = {
        name: _read_array(archive, f"line_{name}", (n_terms,))
        for name in Lines.OF_TERMS
    }
    rest["mean"] = _read_array(archive, "line_mean", (n_nodes,))
    low, high = _read_array(archive, "line_range", (2,)).tolist()
    return Lines(begin=begin, **rest, y_low=low, y_high=high)


def check_tree(tree: Tree, schema: Schema, numeric: bool = False) -> None:
    """Refuse a tree that could not have been grown on these columns."""
    arrays = tree.arrays()
    _check_walk(arrays, schema)
    _check_splits(arrays, schema)
    _check_terms(arrays, schema)
    if numeric:
        finite = np.isfinite(arrays["value"]).all(axis=(1, 2))
        _require(np.asarray(finite), "predicts what is not a finite number")
    else:
        _check_shares(arrays["value"], tree.n_classes)
    _check_nodes(arrays, tree.parents())
    if tree.lines is not None:
        _check_lines(tree.lines, schema)


def _read_nodes(archive: Archive, names: Iterable[str], n_classes: list[int]) -> Arrays:
    """Read the arrays with one entry per node; one of them says how many there are."""
    n_nodes = _read_array(archive, "next_sibling", None).size
    shapes: dict[str, tuple[int, ...]] = {
        "value": (n_nodes, len(n_classes), max(n_classes)),
        **dict.fromkeys(Tree.LISTS, (n_nodes + 1,)),
    }
    return {
        name: _read_array(archive, name, shapes.get(name, (n_nodes,))) for name in names
    }


def _read_array(
    archive: Archive, name: str, shape: tuple[int, ...] | None
) -> NDArray[Any]:
    """Read one array of the shape it must have."""
    most = None if shape is None else 8 * int(np.prod(shape, dtype=object)) + 4096
    data = read_member(archive, f"tree/{name}.npy", most)
    array = np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
    dtype = np.dtype(
        np.int64 if name in _INTEGERS else np.uint8 if name in _BYTES else np.float64
    )
    if array.dtype != dtype or array.shape != (shape or (array.size,)):
        raise ValueError(
            f"array {name} is {array.dtype} of shape {array.shape}, expected {dtype} "
            f"of shape {shape}"
        )
    return np.ascontiguousarray(array)


def _n_entries(arrays: Arrays, begin: str, schema: Schema) -> int:
    """Get the length of the lists of nodes, which a forger must not choose freely."""
    n_entries = int(arrays[begin][-1])
    sizes = [max(1, len(column.categories)) for column in schema.columns]
    if begin == "term_begin":
        most = int((arrays["kind"] == Tree.HYPERPLANE).sum()) * sum(sizes)
    else:
        # An interval has a child of its own: no more of them than there are nodes.
        most = arrays["feature"].size * max(sizes)
    if not 0 <= n_entries <= most:
        what = "terms" if begin == "term_begin" else "values"
        raise ValueError(f"it lists {n_entries} {what}, at most {most} make sense")
    return n_entries


def _check_walk(arrays: Arrays, schema: Schema) -> None:
    """Refuse links, branches and lists that a row could not follow."""
    wrong = _core.what_is_wrong(arrays, schema.n_columns)
    if wrong:
        raise ValueError(wrong)
    for name in ("children_left", "children_right", "next_sibling"):
        _require(arrays[name] >= -1, f"has {name} below -1")
    leaf = arrays["children_left"] < 0
    _require(~leaf | (arrays["feature"] == -2), "is a leaf that tests a column")


def _check_splits(arrays: Arrays, schema: Schema) -> None:
    """Refuse a split that its column cannot have."""
    kind, threshold = arrays["kind"], arrays["threshold"]
    inner = arrays["children_left"] >= 0
    column = np.where(inner, arrays["feature"], 0)
    is_categorical = np.array([c.is_categorical for c in schema.columns])
    is_tilted = kind == Tree.HYPERPLANE
    of_categories = inner & is_categorical[column] & ~is_tilted
    parts_missing = threshold == np.inf  # known values against missing ones

    has_list = (kind == Tree.CATEGORIES) | (kind == Tree.INTERVALS)
    _require(np.isnan(threshold) == has_list, "has no threshold where one is needed")
    _require(~(threshold == -np.inf), "has a threshold of -inf")
    _require(
        ~(inner & parts_missing) | (arrays["missing_branch"] == 1),
        "has no upper bound, and missing values do not go right",
    )
    _require(
        ~of_categories | (kind == 1) | parts_missing, "puts categories into an order"
    )
    _require(of_categories | (kind != 1), "lists categories of a number")

    node = np.repeat(np.arange(len(kind)), np.diff(arrays["split_begin"]))
    value, branch = arrays["split_value"], arrays["split_branch"]
    n_categories = np.array([len(c.categories) for c in schema.columns])
    is_code = kind[node] == 1
    exists = value < n_categories[column[node]]
    _require(~is_code | exists, "lists a category that its column does not have", node)
    _require(is_code | (value > -np.inf), "has an interval without values", node)
    goes_on = np.concatenate([[False], node[1:] == node[:-1]]) & ~is_code
    step = np.diff(branch, prepend=0)
    _require(~goes_on | (step >= 0), "has a branch of two intervals", node)


def _check_terms(arrays: Arrays, schema: Schema) -> None:
    """Refuse a hyperplane whose terms its columns cannot have."""
    is_tilted = arrays["kind"] == Tree.HYPERPLANE
    _require(
        ~is_tilted | (arrays["missing_branch"] >= 0),
        "has a hyperplane, and rows without a value go to every branch",
    )
    n_nodes, column = len(is_tilted), arrays["term_column"]
    node = np.repeat(np.arange(n_nodes), np.diff(arrays["term_begin"]))
    n_categories = np.array([len(c.categories) for c in schema.columns])[column]
    is_categorical = np.array([c.is_categorical for c in schema.columns])[column]
    code = arrays["term_category"]
    _require(
        (code >= 0) == is_categorical,
        "has a term of a category of numbers, or of a number among categories",
        node,
    )
    _require(
        code < np.maximum(n_categories, 1),
        "has a term of a category that its column does not have",
        node,
    )
    numbers = ("term_weight", "term_fill", "term_share")
    known = np.all([np.isfinite(arrays[name]) for name in numbers], axis=0)
    _require(known, "has a term that is not a finite number", node)
    names_one = np.bincount(
        node, weights=column == arrays["feature"][node], minlength=n_nodes
    )
    _require(~is_tilted | (names_one > 0), "names a column that is in no term of its")
    total = np.bincount(node, weights=arrays["term_share"], minlength=n_nodes)
    _require(
        ~is_tilted | (np.abs(total - 1) <= 1e-6),
        "has terms whose shares do not add up to 1",
    )


def _check_lines(lines: Lines, schema: Schema) -> None:
    """Refuse lines that its columns cannot have."""
    if lines.begin[0] != 0 or (np.diff(lines.begin) < 0).any():
        raise ValueError("the terms of its lines do not begin one after the other")
    _require(np.isfinite(lines.mean), "has a mean that is not a finite number")
    if not -np.inf < lines.y_low <= lines.y_high < np.inf:
        raise ValueError("the range of its lines is none")
    node = np.repeat(np.arange(len(lines.begin) - 1), np.diff(lines.begin))
    is_number = np.array([not column.is_categorical for column in schema.columns])
    exists = (lines.column >= 0) & (lines.column < len(is_number))
    _require(exists, "has a line in a column that does not exist", node)
    _require(is_number[lines.column], "has a line in a column of categories", node)
    numbers = (lines.slope, lines.low, lines.high, lines.fill, lines.gain)
    known = np.all([np.isfinite(array) for array in numbers], axis=0)
    _require(known, "has a line with what is not a finite number", node)
    _require(lines.low <= lines.high, "has a term whose bounds are none", node)


def _check_shares(value: NDArray[np.float64], n_classes: NDArray[np.int64]) -> None:
    """Refuse shares of classes that are none, of each output."""
    good = ((value >= 0) & (value <= 1)).all(axis=(1, 2))
    _require(np.asarray(good), "has a class share that is not between 0 and 1")
    exists = np.arange(value.shape[2]) < n_classes[:, None]
    known = (value[:, ~exists] == 0).all(axis=1)
    _require(np.asarray(known), "has a share of a class that its output does not have")
    even = (np.abs(value.sum(axis=2) - 1) <= 1e-6).all(axis=1)
    _require(np.asarray(even), "has class shares that do not add up to 1")


def _check_nodes(arrays: Arrays, parent: NDArray[np.int64]) -> None:
    """Refuse numbers that would make a prediction, or an importance, meaningless."""
    weight = arrays["weighted_n_node_samples"]
    known = np.isfinite(arrays["impurity"]) & np.isfinite(weight)
    _require(known, "has an impurity or a weight that is not a number")
    n_rows = arrays["n_node_samples"]
    has_rows = (weight > 0) & (n_rows > 0)
    # A leaf for a category that did not occur in its node.
    is_empty = (arrays["children_left"] < 0) & (weight == 0) & (n_rows == 0)
    is_empty[0] = False
    _require(has_rows | is_empty, "has no weight or no rows")
    below = np.bincount(parent[1:], weights=weight[1:], minlength=len(weight))
    is_leaf = arrays["children_left"] < 0
    _require(is_leaf | (below > 0), "has branches without weight only")
    _require(arrays["optimal"] <= 1, "is neither optimal nor not")


def _require(
    good: NDArray[np.bool_], what: str, node: NDArray[np.int64] | None = None
) -> None:
    """Refuse a tree with a node, or an entry of a node, that is not good."""
    if not good.all():
        place = int(np.argmin(good))
        raise ValueError(f"node {place if node is None else node[place]} {what}")
