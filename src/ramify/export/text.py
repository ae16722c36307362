# SPDX-License-Identifier: BSD-3-Clause
"""A tree as indented text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ramify.table import column_names

__all__ = ["export_text"]


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    decimals: int | None = None,
    missing: bool = False,
) -> str:
    """Write a fitted tree as text, one line per test and per leaf.

    Parameters
    ----------
    model : DecisionTreeClassifier
        A fitted tree.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.
    max_depth : int, optional
        Show the tests down to this depth; what lies below is counted.
    decimals : int, optional
        Round thresholds to this many digits. By default as many as needed to tell
        them apart again.
    missing : bool, default=False
        Say at each test which way rows without a value go.

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
    tree = model.tree_
    names = column_names(
        feature_names
        if feature_names is not None
        else getattr(model, "feature_names_in_", None),
        tree.n_features,
    )
    if len(names) != tree.n_features:
        raise ValueError(
            f"feature_names has {len(names)} names for {tree.n_features} columns"
        )
    lines: list[str] = []

    def number(x: float) -> str:
        return f"{x:.{decimals}f}" if decimals is not None else f"{x:.12g}"

    def leaf(node: int) -> str:
        weight = tree.weighted_n_node_samples[node]
        parts = []
        outputs = [model.classes_] if tree.n_outputs == 1 else model.classes_
        for classes, share in zip(outputs, tree.value[node], strict=True):
            best = int(share.argmax())
            parts.append(
                f"{classes[best]} ({share[best] * weight:.12g} of {weight:.12g})"
            )
        return ", ".join(parts)

    def tests(node: int) -> tuple[str, str]:
        name, threshold = names[tree.feature[node]], tree.threshold[node]
        if np.isinf(threshold):
            return f"{name} is known", f"{name} is missing"
        text = number(threshold)
        left, right = f"{name} <= {text}", f"{name} > {text}"
        if missing and tree.missing_go_to_left[node]:
            left += " or missing"
        elif missing:
            right += " or missing"
        return left, right

    stack = [(0, "", 0)]
    while stack:
        node, test, depth = stack.pop()
        indent = "    " * max(0, depth - 1)
        head = f"{indent}{test}: " if test else ""
        if tree.children_left[node] < 0:
            lines.append(head + leaf(node))
            continue
        if max_depth is not None and depth >= max_depth:
            below = _n_leaves_below(tree, node)
            lines.append(f"{head}{leaf(node)}, {below} leaves below")
            continue
        if test:
            lines.append(f"{indent}{test}")
        left, right = tests(node)
        stack.append((tree.children_right[node], right, depth + 1))
        stack.append((tree.children_left[node], left, depth + 1))
    return "\n".join(lines)


def _n_leaves_below(tree: Any, node: int) -> int:
    n_leaves, stack = 0, [node]
    while stack:
        i = stack.pop()
        if tree.children_left[i] < 0:
            n_leaves += 1
        else:
            stack += [tree.children_left[i], tree.children_right[i]]
    return n_leaves
