# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees as rules: one per leaf, with its conditions merged per column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import ColumnInfo
from ramify.table.sources import frame_backend
from ramify.tree.conditions import Condition, HalfSpace, Words, branches, columns_of
from ramify.tree.intervals import share_interval
from ramify.tree.line_text import line_fields, line_text
from ramify.tree.lines import Lines

__all__ = [
    "Reader",
    "Rule",
    "Rules",
    "is_regressor",
    "number_text",
    "parts_of",
    "predicted_classes",
    "rules",
]

Conditions = dict[str | int, Condition]


def rules(model: Any, *, feature_names: Sequence[str] | None = None) -> Rules:
    """Read a fitted tree as rules, one per leaf.

    The tests on the way to a leaf are merged: one condition per column, with the
    tightest bounds of a number, or the categories that are left. A hyperplane is a
    condition of its own. Exactly one rule fires for each row, and it is that of the
    leaf the row reaches, also if the row has missing values or categories that training
    did not see.

    Trees grown with ``missing="fractional"`` send a row with a missing value down every
    branch. Their rules let a missing value pass on each of these branches, so that
    several rules may fire for such a row.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.

    Returns
    -------
    Rules
        The rules, in the order of the leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> rules = ramify.rules(tree)
    >>> print(rules[0])
    IF petal length (cm) <= 2.45 THEN 0  (support 50, confidence 1.00)
    >>> rules[1].conditions["petal length (cm)"].low
    2.45
    >>> rules.which(X[:3])
    array([0, 0, 0])
    """
    if not hasattr(model, "tree_") or not hasattr(model, "schema_"):
        raise TypeError(f"rules() takes a fitted tree of Ramify, not {model!r}")
    columns = columns_of(model, feature_names)
    names = [column.name for column in columns]
    for name, n in Counter(names).items():
        if n > 1:
            raise ValueError(
                f"feature_names has {name!r} {n} times; give each column its own name"
            )
    tree, reader = model.tree_, Reader(model, names)
    numeric = is_regressor(model)
    if not numeric:
        best = predicted_classes(model)
        outputs = [model.classes_] if tree.n_outputs == 1 else model.classes_

    def rule(leaf: int, conditions: Conditions) -> Rule:
        if numeric:
            values = tree.value[leaf, :, 0].tolist()
            return Rule(
                leaf=leaf,
                conditions=conditions,
                prediction=values[0] if len(values) == 1 else tuple(values),
                support=float(tree.weighted_n_node_samples[leaf]),
                n_rows=int(tree.n_node_samples[leaf]),
                confidence=None,
                _reader=reader,
                impurity=float(tree.impurity[leaf]),
                _line=None if tree.lines is None else (tree.lines, columns),
            )
        at = best[leaf].tolist()
        labels = [_plain(classes[k]) for classes, k in zip(outputs, at, strict=True)]
        shares = tree.value[leaf, np.arange(len(at)), at].tolist()
        return Rule(
            leaf=leaf,
            conditions=conditions,
            prediction=labels[0] if len(labels) == 1 else tuple(labels),
            support=float(tree.weighted_n_node_samples[leaf]),
            n_rows=int(tree.n_node_samples[leaf]),
            confidence=shares[0] if len(shares) == 1 else tuple(shares),
            _reader=reader,
        )

    found: list[Rule] = []
    stack: list[tuple[int, Conditions]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        if tree.children_left[node] < 0:
            kept = {name: c for name, c in path.items() if not c.takes_all}
            found.append(rule(node, kept))
            continue
        below = zip(tree.children(node), branches(tree, node, columns), strict=True)
        stack += [(child, _merged(path, branch)) for child, branch in below][::-1]
    return Rules(found)


def _merged(path: Conditions, branch: Condition) -> Conditions:
    """Add a condition to those of a path."""
    if isinstance(branch, HalfSpace):
        return {**path, branch.node: branch}
    name = branch.column.name
    old: Any = path.get(name)
    return {**path, name: branch if old is None else old & branch}


def parts_of(model: Any) -> list[Any]:
    """Return the trees of a model that grows one per class; else the model alone."""
    return list(getattr(model, "estimators_", [model]))


def is_regressor(model: Any) -> bool:
    """Return whether a tree predicts numbers and not classes."""
    return not hasattr(model, "classes_")


def share_text(share: float) -> str:
    """Return two decimals of a share, or as many as distinguish it from 0 and 1.

    >>> share_text(2 / 3), share_text(3321 / 3330), share_text(1.0)
    ('0.67', '0.997', '1.00')
    """
    for digits in range(2, 16):
        text = f"{share:.{digits}f}"
        if share in (0, 1) or float(text) not in (0, 1):
            break
    return text


def number_text(value: float) -> str:
    """Write a predicted number or a weight: whole numbers whole, others in 7 digits.

    >>> number_text(8 / 7), number_text(2.0**30), number_text(0.1 + 0.2)
    ('1.142857', '1073741824', '0.3')
    """
    near = round(value)
    if abs(value - near) <= 1e-12 * abs(value) and abs(value) < 1e15:
        return str(near)
    return f"{value:.7g}"


def predicted_classes(model: Any) -> NDArray[np.int64]:
    """Return the index of the class that each node predicts, per output."""
    choose = getattr(model, "_leaf_classes", None)
    best = model.tree_.value.argmax(axis=2) if choose is None else choose()
    return np.asarray(best, dtype=np.int64).reshape(model.tree_.node_count, -1)


class Reader:
    """Reads a table as the model does: numbers, and codes of categories."""

    def __init__(self, model: Any, names: Sequence[str]) -> None:
        self._schema = model.schema_
        self._options = {
            "unseen": getattr(model, "unseen", "heavier"),
            "missing_error": getattr(model, "missing", "both") == "error",
        }
        self.place = {name: j for j, name in enumerate(names)}

    def read(self, X: Any) -> NDArray[np.float64]:
        """Return a matrix of doubles, a column in one piece.

        A single number would be compared with a rounded bound.
        """
        matrix = self._schema.matrix(X, **self._options)
        return np.asfortranarray(matrix, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Rule:
    """What a leaf says: if all conditions hold, predict this class.

    Attributes
    ----------
    leaf : int
        Number of the leaf in ``tree_``.
    conditions : dict
        What is demanded of each column that the path tests, by its name, in the order
        of the path. An `Interval` has ``low`` (exclusive) and ``high`` (inclusive), a
        `Subset` has ``categories`` and ``unseen``, and both have ``missing``. A
        `HalfSpace` stands under the number of the node that has the hyperplane; it has
        ``terms``, ``bound`` and ``above``.
    prediction : object
        The class that `predict` gives; with several outputs, a tuple. Of a model tree
        the intercept of the line, which `line` gives whole.
    support : float
        Weight of the training rows in the leaf.
    n_rows : int
        Number of these rows.
    confidence : float
        Share of the predicted class in the weight; with several outputs, a tuple. None
        where a number is predicted.
    impurity : float or None
        Where a number is predicted, how far the rows of the leaf lie from it, by the
        criterion of the tree.
    """

    leaf: int
    conditions: dict[str | int, Any]
    prediction: Any
    support: float
    n_rows: int
    confidence: Any
    _reader: Reader = field(repr=False)
    impurity: float | None = None
    _line: tuple[Lines, Sequence[ColumnInfo]] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(
        self,
        *,
        decimals: int | None = None,
        max_categories: int | None = 5,
        missing: bool = False,
        max_terms: int | None = 5,
    ) -> str:
        """Write the rule as one line; see `Rules.to_text`."""
        return self._text(Words(decimals, max_categories, missing, max_terms))

    def interval(
        self, level: float = 0.95, kind: str = "wilson"
    ) -> tuple[float, float]:
        """Return the interval of the confidence, by the training rows of the leaf.

        Parameters
        ----------
        level : float, default=0.95
            Its probability.
        kind : {"wilson", "jeffreys"}, default="wilson"
            How it is made.

        Examples
        --------
        >>> import ramify
        >>> tree = ramify.DecisionTreeClassifier(max_depth=1)
        >>> tree = tree.fit([[1.0]] * 10 + [[2.0]] * 10, [0] * 9 + [1] * 11)
        >>> low, high = ramify.rules(tree)[0].interval()
        >>> round(low, 3), round(high, 3)
        (0.596, 0.982)
        """
        if self.impurity is not None or isinstance(self.confidence, tuple):
            raise ValueError(
                "an interval is that of the share of one class; this rule predicts "
                "a number, or several outputs"
            )
        low, high = share_interval(self.confidence, self.n_rows, level, kind)
        return float(low), float(high)

    @property
    def line(self) -> dict[str, Any] | None:
        """Of a model tree, the line: its intercept, its terms and its range.

        A term has column, slope, low, high and fill; see `ramify.tree.lines.Lines`.
        """
        if self._line is None:
            return None
        lines, columns = self._line
        return line_fields(lines, self.prediction, self.leaf, columns)

    def _text(self, words: Words, level: float | None = None) -> str:
        if self.impurity is not None:
            values = (
                self.prediction
                if isinstance(self.prediction, tuple)
                else (self.prediction,)
            )
            says = ", ".join(map(number_text, values))
            if self._line is not None:
                lines, columns = self._line
                says = line_text(lines, self.prediction, self.leaf, columns, words)
            return (
                f"IF {self._conditions_text(words)} THEN "
                f"{says}  (support {self.support:.12g}, "
                f"impurity {self.impurity:.6g})"
            )
        many = isinstance(self.confidence, tuple)
        labels = self.prediction if many else (self.prediction,)
        shares = self.confidence if many else (self.confidence,)
        says = ", ".join(map(str, labels))
        confidence = ", ".join(map(share_text, shares))
        if level is not None:
            low, high = self.interval(level)
            confidence += f", {share_text(low)} to {share_text(high)} at {level:.0%}"
        return (
            f"IF {self._conditions_text(words)} THEN {says}  "
            f"(support {self.support:.12g}, confidence {confidence})"
        )

    def _conditions_text(self, words: Words) -> str:
        parts = [condition.text(words) for condition in self.conditions.values()]
        if len(parts) > 1 and words.missing:
            parts = [f"({part})" if " or " in part else part for part in parts]
        return " AND ".join(parts) or "TRUE"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain values that JSON can hold."""
        return {
            "leaf": self.leaf,
            "conditions": [c.to_dict() for c in self.conditions.values()],
            "prediction": self.prediction,
            "support": self.support,
            "n_rows": self.n_rows,
            **self._trust(),
            **({} if self._line is None else {"line": self.line}),
        }

    def _trust(self) -> dict[str, Any]:
        """Return how sure the prediction is: of a class, or of a number."""
        if self.impurity is None:
            return {"confidence": self.confidence}
        return {"impurity": self.impurity}

    def fires(self, X: Any) -> NDArray[np.bool_]:
        """Return for which rows of X all conditions hold."""
        return self._fires(self._reader.read(X))

    def _fires(self, matrix: NDArray[np.float64]) -> NDArray[np.bool_]:
        fired = np.ones(len(matrix), dtype=bool)
        for condition in self.conditions.values():
            if isinstance(condition, HalfSpace):
                fired &= condition.holds(matrix)
            else:
                place = self._reader.place[condition.column.name]
                fired &= condition.holds(matrix[:, place])
        return fired


class Rules(Sequence[Rule]):
    """The rules of a tree, in the order of its leaves; `ramify.rules` makes them.

    Examples
    --------
    >>> import ramify
    >>> tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], list("abb"))
    >>> print(ramify.rules(tree))
    IF x0 <= 1.5 THEN a  (support 1, confidence 1.00)
    IF x0 > 1.5 THEN b  (support 2, confidence 1.00)
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    @overload
    def __getitem__(self, key: int) -> Rule: ...
    @overload
    def __getitem__(self, key: slice) -> Rules: ...
    def __getitem__(self, key: int | slice) -> Rule | Rules:
        """Return one rule, or some of them."""
        found = self._rules[key]
        return found if isinstance(found, Rule) else Rules(found)

    def __len__(self) -> int:
        return len(self._rules)

    def __repr__(self) -> str:
        return f"Rules(n_rules={len(self)})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(
        self,
        *,
        decimals: int | None = None,
        max_categories: int | None = 5,
        missing: bool = False,
        max_terms: int | None = 5,
        intervals: float | None = None,
    ) -> str:
        """Write the rules, one per line.

        Parameters
        ----------
        decimals : int, optional
            Round thresholds to this many digits. By default as many as distinguish
            them apart again. Weights and bound of a hyperplane get this many leading
            digits, by default four; 17 are exact.
        max_categories : int or None, default=5
            Name at most this many categories of a condition and count the others, as
            in ``city in {Bergen, Oslo, +3}``; None names them all. The shorter list is
            written, of the categories that are in or of those that are not.
        missing : bool, default=False
            Say where a missing value will do ("or missing"), and a category that
            training did not see ("or unseen"; where only such a one will not do, "and
            seen"), and what stands for missing numbers in a hyperplane.
        max_terms : int or None, default=5
            Write at most this many terms of a hyperplane, those of the largest share
            first, and count the others; None writes them all.
        intervals : float, optional
            Also write the interval of each confidence, at this level, such as 0.95; of
            training rows, so that it is too good. See `Rule.interval`.
        """
        words = Words(decimals, max_categories, missing, max_terms)
        return "\n".join(rule._text(words, intervals) for rule in self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rules as plain values that JSON can hold.

        Examples
        --------
        >>> import ramify
        >>> tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> rule = ramify.rules(tree).to_dicts()[0]
        >>> rule["prediction"], rule["conditions"][0]["high"]
        ('a', 1.5)
        """
        return [rule.to_dict() for rule in self]

    def to_frame(
        self,
        *,
        backend: str | None = None,
        decimals: int | None = None,
        max_categories: int | None = 5,
        missing: bool = False,
        max_terms: int | None = 5,
    ) -> Any:
        """Return the rules as a data frame, one row per rule.

        Its columns are ``leaf``, ``conditions`` (as text), ``prediction``,
        ``support``, ``n_rows`` and ``confidence`` (``impurity`` where numbers are
        predicted). With several outputs there are ``prediction_0``, ``prediction_1``,
        and so on, and as many confidences.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first of these that is installed.
        decimals, max_categories, missing, max_terms
            How conditions are written, as in `to_text`.
        """
        words = Words(decimals, max_categories, missing, max_terms)
        data: dict[str, list[Any]] = {
            "leaf": [rule.leaf for rule in self],
            "conditions": [rule._conditions_text(words) for rule in self],
            **_spread("prediction", [rule.prediction for rule in self]),
            "support": [rule.support for rule in self],
            "n_rows": [rule.n_rows for rule in self],
            **self._trust(),
        }
        chosen: Any = frame_backend(backend)
        return nw.from_dict(data, backend=chosen).to_native()

    def _trust(self) -> dict[str, list[Any]]:
        if any(rule.impurity is not None for rule in self):
            return {"impurity": [rule.impurity for rule in self]}
        return _spread("confidence", [rule.confidence for rule in self])

    def fires(self, X: Any) -> NDArray[np.bool_]:
        """Return which rules fire for each row: an array (n_rows, n_rules)."""
        matrix = self._read(X)
        return np.column_stack([rule._fires(matrix) for rule in self])

    def which(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the rule that fires for each row, or -1.

        If several do, which can only be with ``missing="fractional"``, it is the one
        of most support. None can fire only if these are not all rules of a tree.
        """
        matrix = self._read(X)
        index = np.full(len(matrix), -1)
        support = np.zeros(len(matrix))
        for i, rule in enumerate(self):
            better = rule._fires(matrix) & (rule.support > support)
            index[better] = i
            support[better] = rule.support
        return index

    def _read(self, X: Any) -> NDArray[np.float64]:
        if not self:
            raise ValueError("there is no rule that could fire: the list is empty")
        return self[0]._reader.read(X)


def _spread(name: str, values: list[Any]) -> dict[str, list[Any]]:
    """Return one column, or one per output."""
    if not values or not isinstance(values[0], tuple):
        return {name: values}
    return {
        f"{name}_{j}": list(part) for j, part in enumerate(zip(*values, strict=True))
    }


def _plain(label: Any) -> Any:
    """Return a label as Python's own type."""
    return label.item() if isinstance(label, np.generic) else label
