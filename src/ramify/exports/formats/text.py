# SPDX-License-Identifier: BSD-3-Clause
"""A tree as indented text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ramify.exports.base import Artefact, ExportRefused, Format, Option
from ramify.table.schema import ColumnInfo
from ramify.tree.by_hand import by_hand
from ramify.tree.conditions import Subset, Words, branches, columns_of
from ramify.tree.inspect import is_regressor, number_text, predicted_classes
from ramify.tree.line_text import line_text

__all__ = ["export_text", "text_lines"]

_DEEPEST = 100  # levels that are shown by the indent


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    decimals: int | None = None,
    missing: bool = False,
    max_categories: int | None = 5,
    max_terms: int | None = 5,
) -> str:
    """Write a fitted tree as text, one line per test and per leaf.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.
    max_depth : int, optional
        Show the tests down to this depth; what lies below is counted.
    decimals : int, optional
        Round thresholds to this many digits. By default as many as distinguish
        them apart again. Weights and bound of a hyperplane get this many leading
        digits, by default four; 17 are exact.
    missing : bool, default=False
        Say at each test which way rows go that have no value ("or missing"), or a
        category that the test does not name ("or other"), and what stands for missing
        numbers in a hyperplane.
    max_categories : int or None, default=5
        Name at most this many categories of a test and count the others, as in
        ``city in {Bergen, Oslo, +3}``; None names them all.
    max_terms : int or None, default=5
        Write at most this many terms of a hyperplane, those of the largest share first,
        and count the others, as in ``0.82 age - 0.31 income + 3 more <= 4.1``; None
        writes them all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> iris = load_iris(as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> print(ramify.export_text(tree))
    petal length (cm) <= 2.45: 0 (50 of 50)
    petal length (cm) > 2.45: 1 (50 of 100)
    """
    if hasattr(model, "estimators_") or hasattr(model, "trees_"):
        raise TypeError(
            f"export_text() writes one tree, and {type(model).__name__} has many; "
            + _which_tree(model)
        )
    if not hasattr(model, "tree_"):
        raise TypeError(f"export_text() takes a fitted tree of Ramify, not {model!r}")
    lines = text_lines(
        model,
        feature_names=feature_names,
        max_depth=max_depth,
        decimals=decimals,
        missing=missing,
        max_categories=max_categories,
        max_terms=max_terms,
    )
    return "\n".join(lines)


def text_lines(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    decimals: int | None = None,
    missing: bool = False,
    max_categories: int | None = 5,
    max_terms: int | None = 5,
) -> Iterator[str]:
    """Yield the lines of the text one by one, so that a huge tree is never held whole.

    Below `_DEEPEST` levels the indent grows no further and the depth is written, else
    a chain of n levels would take n squared characters.
    """
    tree = model.tree_
    words = Words(decimals, max_categories, missing, max_terms)
    columns = columns_of(model, feature_names)
    numeric = is_regressor(model)
    if not numeric:
        best = predicted_classes(model)
        outputs = [model.classes_] if tree.n_outputs == 1 else model.classes_

    said = by_hand(model)

    def noted(node: int) -> str:
        return f"  # {said.of_node(node)}" if said.of_node(node) else ""

    def leaf(node: int) -> str:
        weight = tree.weighted_n_node_samples[node]
        if tree.lines is not None:
            line = line_text(
                tree.lines, float(tree.value[node, 0, 0]), node, columns, words
            )
            return f"{line} (weight {number_text(weight)})"
        if numeric:
            values = ", ".join(map(number_text, tree.value[node, :, 0].tolist()))
            return f"{values} (weight {number_text(weight)})"
        parts = []
        for j, classes in enumerate(outputs):
            share = tree.value[node, j, best[node, j]]
            parts.append(
                f"{classes[best[node, j]]} ({number_text(share * weight)} of "
                f"{number_text(weight)})"
            )
        return ", ".join(parts)

    if tree.children_left[0] >= 0 and said.of_node(0):
        yield f"# {said.of_node(0)}"
    stack = [(0, "", 0)]
    while stack:
        node, test, depth = stack.pop()
        indent = "    " * max(0, min(depth, _DEEPEST) - 1)
        if depth > _DEEPEST:
            indent += f"[{depth}] "
        head = f"{indent}{test}: " if test else ""
        if tree.children_left[node] < 0:
            yield head + leaf(node) + noted(node)
            continue
        if max_depth is not None and depth >= max_depth:
            below = _n_leaves_below(tree, node)
            yield f"{head}{leaf(node)}, {below} leaves below"
            continue
        if test:
            yield f"{indent}{test}{noted(node)}"
        tests = _tests(tree, node, columns, words)
        below_node = zip(tree.children(node), tests, strict=True)
        stack += [(child, text, depth + 1) for child, text in below_node][::-1]


def _which_tree(model: Any) -> str:
    """Describe how to write one tree of many."""
    trees = getattr(model, "estimators_", None)
    if trees is None:
        return "boosted trees are read together, not one by one"
    return f"write one of its {len(trees)}: export_text(model.estimators_[0])"


def _write(model: Any, options: Mapping[str, Any]) -> Artefact:
    """Write a tree, or one of a forest."""
    chosen = dict(options)
    tree = chosen.pop("tree")
    if not hasattr(model, "tree_"):
        model = _one_of(getattr(model, "best_estimator_", model), tree)
    return Artefact(export_text(model, **chosen) + "\n")


def _one_of(model: Any, tree: Any) -> Any:
    if hasattr(model, "tree_"):
        return model
    trees = None if "sum_" in vars(model) else getattr(model, "estimators_", None)
    if not trees or not hasattr(trees[0], "tree_"):
        raise ExportRefused(
            f"format='text' cannot say the sums of {type(model).__name__}; use 'dot' "
            "with tree=0 to see one of its trees"
        )
    if not isinstance(tree, int) or not 0 <= tree < len(trees):
        raise ValueError(
            f"tree={tree!r} is not allowed; the model has {len(trees)} trees, from 0"
        )
    return trees[tree]


FORMAT = Format(
    name="text",
    suffix=".txt",
    write=_write,
    about="indented text, to be read",
    lines=True,
    exact_on="picture",
    from_model=True,
    options={
        "tree": Option(0, "which tree of a forest"),
        "max_depth": Option(None, "show the tests down to this depth"),
        "decimals": Option(None, "digits of thresholds"),
        "missing": Option(False, "say where missing values go"),
        "max_categories": Option(5, "name that many categories of a test"),
        "max_terms": Option(5, "write that many terms of a sum"),
    },
)


def _tests(
    tree: Any, node: int, columns: Sequence[ColumnInfo], words: Words
) -> list[str]:
    """Write the test of each branch of a node."""
    conditions = branches(tree, node, columns)
    if tree.kind[node] != tree.CATEGORIES:
        return [condition.text(words) for condition in conditions]
    codes = tree.listed(node)[0].astype(np.int64)
    subsets = (part for part in conditions if isinstance(part, Subset))
    return [subset.text_at_node(words, codes) for subset in subsets]


def _n_leaves_below(tree: Any, node: int) -> int:
    n_leaves, stack = 0, [node]
    while stack:
        i = stack.pop()
        if tree.children_left[i] < 0:
            n_leaves += 1
        else:
            stack += tree.children(i)
    return n_leaves
