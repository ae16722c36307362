# SPDX-License-Identifier: BSD-3-Clause
"""Splits that a person asks for, read and checked."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.editing.data import EditorData
from ramify.editing.engine import Engine
from ramify.editing.node import Node, Places, Test
from ramify.messages import did_you_mean
from ramify.table.schema import Schema
from ramify.tree.tree import Terms, Tree

__all__ = [
    "column_of",
    "columns_of",
    "cut_by_categories",
    "cut_by_threshold",
    "cut_by_weights",
    "settled",
]


def column_of(schema: Schema, column: Any) -> int:
    """Return the place of a column that is given by its name or place."""
    if isinstance(column, int | np.integer) and not isinstance(column, bool):
        if 0 <= column < schema.n_columns:
            return int(column)
        raise ValueError(
            f"column={column!r} is not there; the table has {schema.n_columns} "
            "columns, from 0"
        )
    if column in schema.names:
        return schema.names.index(column)
    hint = did_you_mean(column, schema.names) or (
        f"; the columns are {', '.join(schema.names[:10])}"
        + (" and more" if schema.n_columns > 10 else "")
    )
    raise ValueError(f"column {column!r} is not there{hint}")


def columns_of(schema: Schema, columns: Any) -> list[int]:
    """Return the places of one column or of several, ascending."""
    is_one = isinstance(columns, str | numbers.Integral)
    given = [columns] if is_one else list(columns)
    return sorted({column_of(schema, column) for column in given})


def cut_by_threshold(data: EditorData, node: Node, j: int, threshold: Any) -> Test:
    """Return the test of a numeric column."""
    info = data.schema.columns[j]
    if info.is_categorical:
        raise ValueError(
            f"column {info.name!r} holds categories; give categories=[...], those that "
            f"go left, of {_words(info.categories)}"
        )
    cut = number_of("threshold", threshold)
    _refuse_constant(data, node, j)
    return Test(Tree.THRESHOLD, j, cut)


def cut_by_categories(data: EditorData, node: Node, j: int, categories: Any) -> Test:
    """Return the test of a column of categories; those that are listed go left."""
    info = data.schema.columns[j]
    if not info.is_categorical:
        raise ValueError(
            f"column {info.name!r} holds numbers; give threshold=, not categories="
        )
    given = [categories] if isinstance(categories, str) else list(categories)
    codes = []
    for value in given:
        code = info.codes.get(value)
        if code is None:
            hint = did_you_mean(value, map(str, info.categories)) or (
                f"; it has {_words(info.categories)}"
            )
            raise ValueError(f"column {info.name!r} has no category {value!r}{hint}")
        codes.append(code)
    _refuse_constant(data, node, j)
    x = data.matrix[node.all_rows(), j]
    here = set(np.unique(x[~np.isnan(x)]).astype(int).tolist())
    # Categories that no row of the node has are not listed, as in trees that are grown:
    # they go with the heavier side.
    known = here | set(codes)
    if not codes or len(set(codes)) == len(info.categories):
        raise ValueError(
            f"categories={given!r} leaves a side of node {node.number} without any; "
            "list some of its categories, and not all"
        )
    if not known - set(codes):  # the empty side gets those that the node lacks
        known = set(range(len(info.categories)))
    listed = {float(code): int(code not in codes) for code in sorted(known)}
    return Test(Tree.CATEGORIES, j, np.nan, listed)


def cut_by_weights(
    data: EditorData,
    engine: Engine,
    node: Node,
    weights: Any,
    threshold: Any,
    chosen: Any,
) -> Test:
    """Return the test of a weighted sum of numeric columns."""
    if not isinstance(weights, Mapping) or not weights:
        raise TypeError(
            f"weights={weights!r} is not allowed; use a dict such as "
            "{'age': 0.3, 'bmi': 1.2}"
        )
    by_place: dict[tuple[int, int], float] = {}
    for name, weight in weights.items():
        j, code = _term_of(data.schema, name)
        value = number_of(f"the weight of {name!r}", weight)
        if value == 0:
            raise ValueError(f"the weight of {name!r} is 0; leave it out")
        by_place[j, code] = value
    places = sorted(by_place)
    columns = np.array([j for j, _ in places], dtype=np.int64)
    category = np.array([code for _, code in places], dtype=np.int64)
    weight = np.array([by_place[place] for place in places])
    rows = node.all_rows()
    x = data.matrix[np.ix_(rows, columns)]
    is_category = category >= 0
    x[:, is_category] = x[:, is_category] == category[is_category]
    own = np.ones(len(rows)) if engine.weight is None else engine.weight[rows]
    known = ~np.isnan(x)
    total = (known * own[:, None]).sum(axis=0)
    mean = np.where(known, x, 0.0).T @ own / np.where(total > 0, total, 1.0)
    away = np.where(known, x - mean, 0.0)
    spread = np.abs(weight) * np.sqrt((away**2).T @ own)
    fill = np.where(is_category, 0.0, mean)
    if not spread.sum() > 0:
        raise ValueError(
            f"the weighted sum has one value only in node {node.number}; choose "
            "columns that differ there"
        )
    terms = Terms(columns, category, weight, fill, spread / spread.sum())
    feature = int(columns[spread.argmax()])
    if threshold is None:
        cut = engine.best_threshold(chosen, _projected(terms, x), rows)
    else:
        cut = number_of("threshold", threshold)
    return Test(Tree.HYPERPLANE, feature, cut, {}, terms)


def _term_of(schema: Schema, name: Any) -> tuple[int, int]:
    """Return the column of a term, and the code of its category or -1.

    A term of a category is named ``"city=Oslo"``, and counts 1 in rows that have it.
    """
    if isinstance(name, str) and name not in schema.names and "=" in name:
        for j, info in enumerate(schema.columns):
            for code, value in enumerate(info.categories):
                if name == f"{info.name}={value}":
                    return j, code
    j = column_of(schema, name)
    info = schema.columns[j]
    if info.is_categorical:
        raise ValueError(
            f"column {info.name!r} holds categories; give a weight to one of them, "
            f"such as {f'{info.name}={info.categories[0]}'!r}"
        )
    return j, -1


def _projected(terms: Terms, x: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(len(x))
    for j, (weight, fill) in enumerate(zip(terms.weight, terms.fill, strict=True)):
        total += weight * np.where(np.isnan(x[:, j]), fill, x[:, j])
    return total


def settled(
    data: EditorData,
    engine: Engine,
    chosen: Any,
    node: Node,
    test: Test,
    missing: Any,
    allow_empty: bool,
) -> tuple[Test, list[tuple[Places, Places]]]:
    """Say where missing values go, which side is heavier; refuse an empty side.

    Missing values go where the criterion likes them better, unless told otherwise; if
    no row of the node misses one, to the heavier side.
    """
    if missing not in (None, "left", "right"):
        raise ValueError(
            f"missing={missing!r} is not allowed; use 'left', 'right', or None for the "
            "side that scores better"
        )
    if missing is not None and test.terms is not None:
        raise ValueError(
            "missing= is for splits of one column; in a weighted sum the mean of the "
            "node's rows stands for a missing value"
        )
    rows, held = node.all_rows(), node.all_held()
    weights = [engine_weight(engine, part) for part, _ in data.route(test, rows, held)]
    default = int(np.argmax(weights))
    tests = {
        side: _with(test, place, default)
        for place, side in enumerate(("left", "right"))
    }
    if missing is None:
        is_missing = (
            np.isnan(data.matrix[rows, test.feature])
            if test.terms is None
            else np.zeros(len(rows), dtype=bool)
        )
        missing = ("left", "right")[default]
        if is_missing.any():
            scores = {
                side: engine.score(chosen, each.branches(data.matrix, rows) > 0, rows)
                for side, each in tests.items()
            }
            left, right = scores["left"], scores["right"]
            if left != right and not (np.isnan(left) and np.isnan(right)):
                missing = "left" if right != right or left > right else "right"
    test = tests[missing]
    parts = data.route(test, rows, held)
    weights = [engine_weight(engine, part) for part, _ in parts]
    test = _with(test, test.missing, int(np.argmax(weights)))
    sizes = [len(part) for part, _ in parts]
    if 0 in sizes and not allow_empty:
        raise ValueError(
            f"the split of node {node.number} sends {sizes[0]} rows left and "
            f"{sizes[1]} right; {_where(data, node, test)}, or pass allow_empty=True"
        )
    return test, parts


def engine_weight(engine: Engine, rows: Places) -> float:
    """Return the weight of some training rows."""
    return float(len(rows) if engine.weight is None else engine.weight[rows].sum())


def number_of(name: str, value: Any) -> float:
    """Return a finite number, or say what is wrong with it."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not np.isfinite(float(value)):
        raise ValueError(f"{name}={value!r} is not allowed; use a finite number")
    return float(value)


def _with(test: Test, missing: int, default: int) -> Test:
    return Test(
        *(test.kind, test.feature, test.threshold, test.listed, test.terms),
        *(missing, default),
    )


def _where(data: EditorData, node: Node, test: Test) -> str:
    """Return the range in which a cut would have rows on both sides."""
    if test.kind == Tree.CATEGORIES:
        return "list some of its categories, and not all"
    x = data.matrix[node.all_rows(), test.feature]
    if test.terms is not None:
        x = test.terms.project(data.matrix[node.all_rows()])
    x = x[~np.isnan(x)]
    if len(x) == 0:
        return "all its values are missing"
    return f"the values there are from {x.min():.10g} to {x.max():.10g}"


def _refuse_constant(data: EditorData, node: Node, j: int) -> None:
    x = data.matrix[node.all_rows(), j]
    known = x[~np.isnan(x)]
    if len(known) and (known == known[0]).all() and len(known) == len(x):
        info = data.schema.columns[j]
        value = info.categories[int(known[0])] if info.is_categorical else known[0]
        shown = repr(value) if isinstance(value, str) else f"{value:.10g}"
        raise ValueError(
            f"column {info.name!r} is constant in node {node.number}: it is {shown} in "
            f"all {len(x)} rows; choose another column"
        )


def _words(categories: Sequence[Any]) -> str:
    shown = ", ".join(repr(each) for each in categories[:10])
    rest = len(categories) - 10
    return shown if rest <= 0 else f"{shown} and {rest} more"
