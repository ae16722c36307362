# SPDX-License-Identifier: BSD-3-Clause
"""What a branch, or a whole path, demands of a row; as data and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import ColumnInfo, Schema
from ramify.tree.bounds import Bound, bound
from ramify.tree.tree import Terms, Tree

__all__ = [
    "Condition",
    "HalfSpace",
    "Interval",
    "Subset",
    "Words",
    "as_in_file",
    "branches",
    "columns_of",
]

_DIGITS = 4  # of weights: a sum is read for its larger terms


@dataclass(frozen=True)
class Words:
    """How conditions are written.

    Attributes
    ----------
    decimals : int, optional
        Digits after the point; by default as many as distinguish thresholds. Of a
        hyperplane, leading digits of the weights and the bound; by default four.
    max_categories : int or None
        Categories named before the others are counted; None names them all.
    missing : bool
        Also say what happens to missing values and to categories not named.
    max_terms : int or None
        Terms of a hyperplane written, those of the largest share, before the others
        are counted; None writes them all.
    """

    decimals: int | None = None
    max_categories: int | None = 5
    missing: bool = False
    max_terms: int | None = 5

    def __post_init__(self) -> None:
        limits = {"categories": self.max_categories, "terms": self.max_terms}
        for what, n in limits.items():
            whole = isinstance(n, (int, np.integer)) and not isinstance(n, bool)
            if n is not None and not (whole and n >= 1):
                raise ValueError(
                    f"max_{what}={n!r} is not allowed; use a whole number of at least "
                    f"1, or None to name all {what}"
                )

    def bound(self, column: ColumnInfo, x: float) -> Bound:
        """Write a threshold of a column."""
        return bound(column, x, self.decimals)

    def rounded(self, x: float) -> str:
        """Write a number of a hyperplane: its leading digits, however small it is."""
        digits = _DIGITS if self.decimals is None else max(1, self.decimals)
        text = f"{x:.{digits}g}"
        is_long = 10**digits <= abs(float(text)) < 1e9  # not yet a case for exponents
        return f"{x:.0f}" if is_long else text

    def members(self, codes: NDArray[np.int64], categories: Sequence[Any]) -> str:
        """Write a set of categories; as codes where their values are not known."""
        shown = codes[: self.max_categories].tolist()
        parts = [_category(categories[c]) if categories else str(c) for c in shown]
        if len(codes) > len(shown):
            parts.append(f"+{len(codes) - len(shown)}")
        return f"{{{', '.join(parts)}}}"

    def terms(self, terms: Terms, columns: Sequence[ColumnInfo]) -> list[str]:
        """Write the terms of a sum, the largest shares first, each with its sign.

        As in ``0.82 age``, ``- 0.31 [city = Oslo]``, ``+ 3 more``.
        """
        parts: list[str] = []
        for i in self._largest(terms):
            weight, what = float(terms.weight[i]), _term(terms, i, columns)
            size = self.rounded(abs(weight))
            sign = ("- " if parts else "-") if weight < 0 else ("+ " if parts else "")
            parts.append(sign + (what if size == "1" else f"{size} {what}"))
        n_more = len(terms) - len(parts)
        return [*parts, f"+ {n_more} more"] if n_more else parts

    def fills(self, terms: Terms, columns: Sequence[ColumnInfo]) -> str:
        """Write what stands for missing numbers in the terms of a sum that it shows."""
        parts = [
            f"{columns[terms.column[i]].name} {self.rounded(terms.fill[i])}"
            for i in self._largest(terms)
            if terms.category[i] < 0
        ]
        return f" (if missing: {', '.join(parts)})" if parts else ""

    def _largest(self, terms: Terms) -> list[int]:
        order: list[int] = np.argsort(-terms.share, kind="stable").tolist()
        return order[: self.max_terms]


@dataclass(frozen=True)
class Interval:
    """Known numbers above `low` and up to `high`; none unless `low` is less.

    Attributes
    ----------
    column : ColumnInfo
        The column.
    low, high : float
        Exclusive lower and inclusive upper bound; infinite where there is none.
    missing : bool
        Whether a missing value will do, too.
    """

    column: ColumnInfo
    low: float
    high: float
    missing: bool

    @property
    def takes_all(self) -> bool:
        """Whether every value will do."""
        return self.missing and self.low == -math.inf and self.high == math.inf

    def __and__(self, other: Interval) -> Interval:
        """Return what meets both conditions."""
        return Interval(
            self.column,
            max(self.low, other.low),
            min(self.high, other.high),
            self.missing and other.missing,
        )

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values of the column meet the condition."""
        inside = (values > self.low) & (values <= self.high)
        return inside | (np.isnan(values) & self.missing)

    def text(self, words: Words) -> str:
        """Say it, as in ``2.5 < age <= 7``."""
        name = self.column.name
        if self.low >= self.high:
            return f"{name} is missing" if self.missing else f"{name} in {{}}"
        if self.low == -math.inf and self.high == math.inf:
            return f"{name} is known"
        low, high = (
            words.bound(self.column, self.low),
            words.bound(self.column, self.high),
        )
        if self.low == -math.inf:
            text = f"{name} {high.upto} {high.number}"
        elif self.high == math.inf:
            text = f"{name} {low.above} {low.number}"
        else:
            below = low.above.replace(">", "<")
            text = f"{low.number} {below} {name} {high.upto} {high.number}"
        return f"{text} or missing" if words.missing and self.missing else text

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold: None instead of infinity."""
        known = self.low < self.high
        return {
            "column": self.column.name,
            "kind": "numeric",
            "known": known,
            "low": self.low if known and math.isfinite(self.low) else None,
            "high": self.high if known and math.isfinite(self.high) else None,
            "missing": self.missing,
        }


@dataclass(frozen=True, eq=False)
class Subset:
    """Categories of a column: those listed, or all but those, new ones included.

    Attributes
    ----------
    column : ColumnInfo
        The column.
    codes : ndarray of int64
        Ascending codes of the categories listed.
    excluded : bool
        Whether these are the categories that will not do. A category that was not
        seen in training is never listed, so it will do exactly then.
    missing : bool
        Whether a missing value will do, too.
    """

    column: ColumnInfo
    codes: NDArray[np.int64]
    excluded: bool
    missing: bool

    @property
    def takes_all(self) -> bool:
        """Whether every value will do."""
        return self.missing and self.excluded and len(self.codes) == 0

    @property
    def unseen(self) -> bool:
        """Whether a category that was not seen in training will do."""
        return self.excluded

    @property
    def members(self) -> NDArray[np.int64]:
        """Codes of the categories that will do."""
        return self._others() if self.excluded else self.codes

    @property
    def categories(self) -> tuple[Any, ...]:
        """The categories that will do, by value."""
        return tuple(self.column.categories[code] for code in self.members.tolist())

    def _others(self) -> NDArray[np.int64]:
        """Return the codes that are not listed."""
        rest = np.ones(len(self.column.categories), dtype=bool)
        rest[self.codes] = False
        return np.flatnonzero(rest)

    def __and__(self, other: Subset) -> Subset:
        """Return what meets both conditions."""
        missing = self.missing and other.missing
        if self.excluded and other.excluded:
            codes = np.union1d(self.codes, other.codes)
            return Subset(self.column, codes, True, missing)
        one, two = (other, self) if self.excluded else (self, other)
        codes = one.codes[two._takes(one.codes)]
        return Subset(self.column, codes, False, missing)

    def _takes(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which known categories, by code, meet the condition."""
        if len(self.codes) == 0:
            return np.full(len(codes), self.excluded)
        place = np.searchsorted(self.codes, codes)
        is_listed = self.codes.take(place, mode="clip") == codes
        return np.asarray(is_listed != self.excluded)

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values of the column, as codes, meet the condition."""
        return np.where(np.isnan(values), self.missing, self._takes(values))

    def text(self, words: Words) -> str:
        """Say it by the shorter list: ``city in {Oslo}`` or ``city not in {Bergen}``.

        With ``words.missing``, "or unseen" and "and seen" say whether a category that
        was not seen in training will do, where the list alone says otherwise.
        """
        name, members = self.column.name, self.members
        n_others = len(self.column.categories) - len(members)
        if len(members) == 0:
            return self._text_of_no_category(words)
        if n_others == 0:
            text, includes_unseen = f"{name} is known", True
        elif len(members) <= n_others:
            text = f"{name} in {words.members(members, self.column.categories)}"
            includes_unseen = False
        else:
            others = self.codes if self.excluded else self._others()
            text = f"{name} not in {words.members(others, self.column.categories)}"
            includes_unseen = True
        if not words.missing:
            return text
        if includes_unseen != self.unseen:
            text += " or unseen" if self.unseen else " and seen"
        return f"{text} or missing" if self.missing else text

    def _text_of_no_category(self, words: Words) -> str:
        name = self.column.name
        if self.missing:
            says_both = words.missing and self.unseen
            return f"{name} is missing" + (" or unseen" if says_both else "")
        return f"{name} is unseen" if self.unseen else f"{name} in {{}}"

    def text_at_node(self, words: Words, listed: NDArray[np.int64]) -> str:
        """Say it at a node that lists these codes, so that the list alone is right.

        "or other" stands for all categories that the node does not list.
        """
        name, categories = self.column.name, self.column.categories
        own = listed[self._takes(listed)] if self.excluded else self.codes
        ending = ""
        if len(own) == 0 and self.excluded and not (self.missing and words.missing):
            return f"{name} is other"
        if len(own) == 0:
            text = f"{name} is missing"
            ending = " or other" if self.excluded else ""
        elif self.excluded and len(own) == len(listed):
            text = f"{name} is known"
        elif self.excluded and len(self.codes) < len(own):
            text = f"{name} not in {words.members(self.codes, categories)}"
            ending = " or missing" if self.missing else ""
        else:
            text = f"{name} in {words.members(own, categories)}"
            ending = " or other" if self.excluded else ""
            ending += " or missing" if self.missing else ""
        return text + ending if words.missing else text

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "column": self.column.name,
            "kind": "categorical",
            "categories": list(self.categories),
            "unseen": self.unseen,
            "missing": self.missing,
        }


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """Rows on one side of a hyperplane.

    Attributes
    ----------
    node : int
        The node that tests it.
    columns : sequence of ColumnInfo
        All columns of the model.
    terms : Terms
        The sum that is compared; ``terms.column`` are places in `columns`.
    bound : float
        What it is compared with.
    above : bool
        Whether the sum must be above the bound; otherwise it must not.
    """

    node: int
    columns: Sequence[ColumnInfo]
    terms: Terms
    bound: float
    above: bool

    @property
    def takes_all(self) -> bool:
        """Whether every row will do, which is never certain."""
        return False

    def holds(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows of a prediction matrix meet the condition, as `apply` does.

        A sum that is no number, as of two products that overflow, is not above.
        """
        return np.asarray((self.terms.project(matrix) > self.bound) == self.above)

    def text(self, words: Words) -> str:
        """Say it, as in ``0.82 age - 0.31 income <= 4.1``."""
        total = " ".join(words.terms(self.terms, self.columns))
        text = f"{total} {'>' if self.above else '<='} {words.rounded(self.bound)}"
        return text + words.fills(self.terms, self.columns) if words.missing else text

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; the sum adds the terms in this order.

        A term has a ``category`` and gives its weight to rows that have it, or a
        ``fill``, which stands for a missing number, and multiplies.
        """
        terms = []
        for i, (column, code) in enumerate(
            zip(self.terms.column.tolist(), self.terms.category.tolist(), strict=True)
        ):
            info = self.columns[column]
            term = {"column": info.name, "weight": float(self.terms.weight[i])}
            if code < 0:
                terms.append(term | {"fill": float(self.terms.fill[i])})
            else:
                terms.append(term | {"category": info.categories[code]})
        return {
            "kind": "hyperplane",
            "node": self.node,
            "terms": terms,
            "low": self.bound if self.above else None,
            "high": None if self.above else self.bound,
        }


Condition = Interval | Subset | HalfSpace


def columns_of(
    model: Any, feature_names: Sequence[str] | None = None
) -> list[ColumnInfo]:
    """Return what is known of each column of a fitted model."""
    n_columns = model.tree_.n_features
    schema = getattr(model, "schema_", None)
    columns = as_in_file(
        (schema or Schema.numeric(n_columns)).columns, getattr(model, "file_", None)
    )
    if feature_names is None:
        return list(columns)
    if len(feature_names) != n_columns:
        raise ValueError(
            f"feature_names has {len(feature_names)} names for {n_columns} columns"
        )
    return [
        replace(column, name=str(name))
        for name, column in zip(feature_names, columns, strict=True)
    ]


def as_in_file(
    columns: Sequence[ColumnInfo], file: Mapping[str, Any] | None
) -> Sequence[ColumnInfo]:
    """Add what `ramify fit` learnt of a file: which numbers are whole, or times."""
    if not file:
        return columns
    manners, whole = file.get("manners", {}), set(file.get("whole", ()))
    found = []
    for column in columns:
        kind, *how = manners.get(column.name, ("",))
        if kind == "time" and not column.is_categorical:
            column = replace(column, times=" ".join(how))
        found.append(replace(column, whole=column.whole or column.name in whole))
    return found


def branches(tree: Tree, node: int, columns: Sequence[ColumnInfo]) -> list[Condition]:
    """Return what each branch of a node demands; `columns` are all of the model."""
    if tree.kind[node] == tree.HYPERPLANE:
        terms, bound = tree.terms(node), float(tree.threshold[node])
        sides = (False, True)
        return [HalfSpace(node, columns, terms, bound, above) for above in sides]
    column = columns[tree.feature[node]]
    numbers = range(len(tree.children(node)))
    missing = [tree.missing_branch[node] in (b, -1) for b in numbers]
    values, branch = tree.listed(node)
    if tree.kind[node] == tree.CATEGORIES:
        default = int(tree.default_branch[node])
        return _subsets(column, values.astype(np.int64), branch, default, missing)
    if tree.kind[node] == tree.INTERVALS:
        return _intervals(column, values, branch, missing)
    if column.is_categorical:  # known against missing
        none = np.array([], dtype=np.int64)
        return [Subset(column, none, b == 0, missing[b]) for b in numbers]
    threshold = float(tree.threshold[node])
    return [
        Interval(column, -math.inf, threshold, missing[0]),
        Interval(column, threshold, math.inf, missing[1]),
    ]


def _subsets(
    column: ColumnInfo,
    codes: NDArray[np.int64],
    branch: NDArray[np.int64],
    default: int,
    missing: list[bool],
) -> list[Condition]:
    """Part the codes that a node lists by their branch."""
    order = np.argsort(branch, kind="stable")
    ends = np.searchsorted(branch[order], np.arange(1, len(missing)))
    own = np.split(codes[order], ends)
    return [
        Subset(column, codes[branch != b], True, missing[b])
        if b == default
        else Subset(column, own[b], False, missing[b])
        for b in range(len(missing))
    ]


def _intervals(
    column: ColumnInfo,
    bounds: NDArray[np.float64],
    branch: NDArray[np.int64],
    missing: list[bool],
) -> list[Condition]:
    """Return the interval of each branch; neighbours may share one."""
    numbers = np.arange(len(missing))
    first = np.searchsorted(branch, numbers)
    end = np.searchsorted(branch, numbers, side="right")
    edges = [-math.inf, *bounds.tolist()]
    return [
        Interval(column, edges[i], edges[j], missing[b])
        if i < j
        else Interval(column, math.inf, math.inf, missing[b])
        for b, (i, j) in enumerate(zip(first.tolist(), end.tolist(), strict=True))
    ]


def _term(terms: Terms, i: int, columns: Sequence[ColumnInfo]) -> str:
    """Name what a term looks at."""
    column, code = columns[int(terms.column[i])], int(terms.category[i])
    if code < 0:
        return column.name
    value = _category(column.categories[code]) if column.categories else str(code)
    return f"[{column.name} = {value}]"


def _category(value: Any) -> str:
    """Write a category; between quotes if it could be read in another way."""
    if not isinstance(value, str):
        return str(value)
    is_plain = value.isprintable() and not set(value) & set(" ,{}'\"")
    return value if is_plain and value and value[0] != "+" else repr(value)
