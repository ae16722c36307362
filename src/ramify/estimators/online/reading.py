# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a stream as numbers; categories get their codes as they appear."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.validation.reading import read_rows
from ramify.table.schema import ColumnInfo, Schema, categorical_columns, column_names
from ramify.table.sources import read

__all__ = ["first_schema", "in_order", "read_known", "read_new", "renumber_categories"]

Rows = NDArray[np.float64]


def first_schema(X: Any, categorical_features: Any) -> Schema:
    """Return the columns of the first rows, without any category yet."""
    source = read(X)
    names = column_names(source.names, source.shape[1])
    kinds = categorical_columns(source, categorical_features)
    columns = tuple(
        ColumnInfo(name, "categorical" if is_category else "numeric")
        for name, is_category in zip(names, kinds, strict=True)
    )
    return Schema(columns, source.names is not None)


def _read(X: Any, schema: Schema, missing_error: bool, owner: str) -> Rows:
    matrix, _ = read_rows(
        X, schema, unseen="heavier", missing_error=missing_error, owner=owner
    )
    return np.ascontiguousarray(matrix, dtype=np.float64)


def read_known(
    X: Any, schema: Schema, max_categories: int, missing_error: bool, owner: str
) -> Rows:
    """Read rows to predict. A new category has the code that it would get."""
    matrix = _read(X, schema, missing_error, owner)
    for j, info in enumerate(schema.columns):
        if info.is_categorical and (matrix[:, j] < 0).any():
            matrix = matrix.copy() if np.shares_memory(matrix, X) else matrix
            matrix[matrix[:, j] < 0, j] = min(len(info.categories), max_categories)
    return matrix


def read_new(
    X: Any, schema: Schema, max_categories: int, missing_error: bool, owner: str
) -> tuple[Rows, Schema]:
    """Read rows to learn, and the columns with the categories that are new in them."""
    matrix = _read(X, schema, missing_error, owner)
    new = [
        j
        for j, info in enumerate(schema.columns)
        if info.is_categorical and (matrix[:, j] < 0).any()
    ]
    if not new:
        return matrix, schema
    source = read(X)
    columns = list(schema.columns)
    for j in new:
        by_name = schema.has_names and source.names is not None
        place = source.names.index(schema.names[j]) if by_name and source.names else j
        coded = source.columns[place].coded()
        known, first = np.unique(coded.codes, return_index=True)
        order = known[np.argsort(first)]
        categories = [coded.categories[code] for code in order if code >= 0]
        own = columns[j]
        added = [each for each in categories if each not in own.codes]
        room = max(max_categories - len(own.categories), 0)
        columns[j] = replace(own, categories=_alike([*own.categories, *added[:room]]))
        codes = columns[j].codes
        lookup = [codes.get(each, max_categories) for each in coded.categories]
        matrix[:, j] = np.array([*lookup, np.nan])[coded.codes]
    return matrix, replace(schema, columns=tuple(columns))


def _alike(categories: list[Any]) -> tuple[Any, ...]:
    """Return categories of one type: whole numbers among others become floats."""
    kinds = set(map(type, categories))
    return tuple(map(float, categories) if kinds == {int, float} else categories)


def in_order(schema: Schema) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
    """Return the columns with sorted categories, and the new code of every old one."""
    columns, renumber = list(schema.columns), {}
    for j, info in enumerate(columns):
        if not info.is_categorical:
            continue
        order = sorted(range(len(info.categories)), key=info.categories.__getitem__)
        columns[j] = replace(
            info, categories=tuple(info.categories[code] for code in order)
        )
        renumber[j] = np.argsort(order).astype(np.int64)
    return replace(schema, columns=tuple(columns)), renumber


def renumber_categories(
    arrays: dict[str, NDArray[Any]], renumber: dict[int, NDArray[np.int64]]
) -> None:
    """Give the categories that nodes list their codes in order, and list them so."""
    if not renumber:
        return
    node = np.repeat(np.arange(len(arrays["feature"])), np.diff(arrays["split_begin"]))
    value = arrays["split_value"].copy()
    for j, new in renumber.items():
        here = arrays["feature"][node] == j
        value[here] = new[value[here].astype(np.int64)]
    order = np.lexsort((value, node))
    arrays["split_value"] = value[order]
    arrays["split_branch"] = arrays["split_branch"][order]
