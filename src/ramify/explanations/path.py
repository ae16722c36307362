# SPDX-License-Identifier: BSD-3-Clause
"""The way of one row down a tree, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ramify.explanations.one_tree import Floats, OneTree
from ramify.tree.conditions import Condition, HalfSpace, Subset, Words, branches
from ramify.tree.inspect import number_text

__all__ = ["DecisionPath", "Step", "explain_path"]


@dataclass(frozen=True, eq=False)
class Step:
    """A node on the way, and the branch that the row takes.

    Attributes
    ----------
    node : int
        Number of the node in ``tree_``.
    branch : int
        The branch taken: 0, 1, ...
    condition : Interval, Subset or HalfSpace
        What the branch demands.
    value : object
        What the row has there: a number, a category, the sum of a hyperplane; None if
        it is missing.
    share : float
        The share of the row that goes this way: 1, unless a missing value goes down
        every branch.
    text : str
        The condition in words, and what the row has.
    """

    node: int
    branch: int
    condition: Condition
    value: Any
    share: float
    text: str


@dataclass(frozen=True, eq=False)
class DecisionPath:
    """The way of a row from the root to a leaf; printed, it reads as sentences.

    Attributes
    ----------
    steps : tuple of Step
        The nodes on the way.
    leaf : int
        Number of the leaf in ``tree_``.
    prediction : object
        What the tree predicts for the row: a class, or a number.
    support : float
        Weight of the training rows in the leaf.
    confidence : float or None
        Share of the predicted class in that weight; None where a number is predicted.
    share : float
        The share of the row that reaches the leaf: 1, unless missing values go down
        every branch. Then it is the heaviest branch that is followed.
    """

    steps: tuple[Step, ...]
    leaf: int
    prediction: Any
    support: float
    confidence: float | None
    share: float

    def __str__(self) -> str:
        lines = [f"{i}. {step.text}" for i, step in enumerate(self.steps, 1)]
        if self.confidence is None:
            answer = f"so {number_text(self.prediction)}  (support {self.support:.12g})"
        else:
            answer = (
                f"so {self.prediction}  (support {self.support:.12g}, confidence "
                f"{self.confidence:.2f})"
            )
        return "\n".join([*lines, answer])


def explain_path(
    model: Any, row: Any, *, feature_names: Sequence[str] | None = None
) -> DecisionPath:
    """Return why a tree predicts what it predicts for a row.

    Parameters
    ----------
    model : fitted tree
        A tree of any kind, or a tuned one. Of a forest, pass one of its
        ``estimators_``.
    row : dict, Series, list, array, or a table of one row
        The row; None and NaN are missing values.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.

    Returns
    -------
    DecisionPath

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> data = load_iris(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(data.data, y)
    >>> print(ramify.explain_path(tree, data.data.iloc[70]))
    1. petal length (cm) > 2.45: it is 4.8
    2. petal width (cm) > 1.75: it is 1.8
    so virginica  (support 46, confidence 0.98)
    """
    one = OneTree.from_model(model, "explain_path", feature_names)
    x = one.read(row)
    tree, words = one.tree, Words(missing=False)
    steps: list[Step] = []
    node, share = 0, 1.0
    while tree.children_left[node] >= 0:
        children = tree.children(node)
        conditions = branches(tree, node, one.columns)
        value, shown = _value_at(one, node, x)
        # A missing value may meet several conditions: it goes down every branch.
        matched = [_holds(each, x, one) for each in conditions]
        branch = int(np.flatnonzero(matched)[0])
        part = 1.0
        if sum(matched) > 1:
            weight = tree.weighted_n_node_samples[children]
            branch = int(tree.default_branch[node])
            part = float(weight[branch] / weight.sum())
            shown += f", so {part:.0%} of the row goes here"
        share *= part
        condition = conditions[branch]
        text = f"{_words_of(condition, tree, node, words)}: {shown}"
        steps.append(Step(node, branch, condition, value, part, text))
        node = children[branch]
    answer = one.predict(x[None])[0]
    confidence = None
    if one.has_classes:
        confidence = float(tree.value[node, 0, int(answer)])
    return DecisionPath(
        steps=tuple(steps),
        leaf=node,
        prediction=one.label(answer),
        support=float(tree.weighted_n_node_samples[node]),
        confidence=confidence,
        share=share,
    )


def _words_of(condition: Condition, tree: Any, node: int, words: Words) -> str:
    if isinstance(condition, Subset):
        return condition.text_at_node(words, tree.listed(node)[0].astype(np.int64))
    return condition.text(words)


def _holds(condition: Condition, x: Floats, one: OneTree) -> bool:
    if isinstance(condition, HalfSpace):
        return bool(condition.holds(x[None])[0])
    place = next(j for j, c in enumerate(one.columns) if c is condition.column)
    return bool(condition.holds(x[[place]])[0])


def _value_at(one: OneTree, node: int, x: Floats) -> tuple[Any, str]:
    """Return what a row has at a node, and say it."""
    tree = one.tree
    if tree.kind[node] == tree.HYPERPLANE:
        terms = tree.terms(node)
        total = float(terms.project(x[None])[0])
        missing = sum(bool(np.isnan(x[j])) for j in np.unique(terms.column))
        filled = f", with {missing} missing filled in" if missing else ""
        return total, f"the sum is {Words().rounded(total)}{filled}"
    j = int(tree.feature[node])
    value = one.value(j, float(x[j]))
    if value is None:
        return None, "it is missing"
    if isinstance(value, float):
        return value, f"it is {value:.12g}"
    if value == "(unseen)" and x[j] < 0:
        return value, "it is a category that training has not seen"
    return value, f"it is {value}"
