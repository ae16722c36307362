# SPDX-License-Identifier: BSD-3-Clause
"""A walk as named tables of plain numbers, and back: for formats that embed them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ramify.exports.base import Answers
from ramify.exports.walk import HYPERPLANE, LeafLines, Walk

__all__ = ["LINE_NAMES", "answers_of", "tables_of", "walk_of"]

_WHOLE = ("kind", "column", "first", "missing", "other", "begin", "end", "branch")
_NAMES = {
    "kind": "kind",
    "column": "column",
    "threshold": "threshold",
    "first": "first",
    "n_children": "children",
    "missing_branch": "missing",
    "default_branch": "other",
    "list_value": "bound",
    "list_branch": "branch",
    "term_column": "termColumn",
    "term_category": "termCategory",
    "term_weight": "termWeight",
    "term_fill": "termFill",
    "share": "share",
    "leaf": "leaf",
    "root": "root",
}
LINE_NAMES = {
    "begin": "lineBegin",
    "column": "lineColumn",
    "slope": "lineSlope",
    "low": "lineLow",
    "high": "lineHigh",
    "fill": "lineFill",
    "bottom": "bottom",
    "top": "top",
}


def tables_of(walk: Walk) -> dict[str, Any]:
    """Return the tables: lists of numbers by name.

    `begin` and `end` say where the list of a node lies, or its terms.
    """
    is_sum = walk.kind == HYPERPLANE
    tables = {new: getattr(walk, old).tolist() for old, new in _NAMES.items()}
    ends = {
        "begin": np.where(is_sum, walk.term_begin[:-1], walk.list_begin[:-1]).tolist(),
        "end": np.where(is_sum, walk.term_begin[1:], walk.list_begin[1:]).tolist(),
    }
    tables |= ends | {"value": walk.value.ravel().tolist()}
    if walk.lines is not None:
        tables |= {
            new: getattr(walk.lines, old).tolist() for old, new in LINE_NAMES.items()
        }
    return tables


def walk_of(walk: Walk, tables: Mapping[str, Any]) -> Walk:
    """Read tables back; columns and the vote are those of another walk."""
    arrays: dict[str, Any] = {}
    for old, new in _NAMES.items():
        kind = getattr(walk, old).dtype
        arrays[old] = np.array(tables[new], dtype=kind)
    is_sum = arrays["kind"] == HYPERPLANE
    length = np.array(tables["end"], dtype=np.int64) - np.array(
        tables["begin"], dtype=np.int64
    )
    for name, here in (("list_begin", ~is_sum), ("term_begin", is_sum)):
        own = np.where(here, length, 0)
        arrays[name] = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
    arrays["value"] = np.array(tables["value"]).reshape(-1, walk.width)
    if walk.lines is not None:
        lines = {
            old: np.array(tables[new], dtype=getattr(walk.lines, old).dtype)
            for old, new in LINE_NAMES.items()
        }
        arrays["lines"] = LeafLines(**lines)
    return replace(walk, **arrays)


def answers_of(walk: Walk, matrix: Any) -> Answers:
    """Predict rows by the reference."""
    scores = walk.scores(matrix)
    decision = None if walk.vote.is_number else walk.decisions(scores)
    refused = np.zeros(len(matrix), dtype=bool)
    if walk.missing == "error":
        refused |= np.isnan(matrix).any(axis=1)
    if walk.unseen == "error":
        is_set = [info.is_categorical for info in walk.columns]
        refused |= (matrix[:, is_set] < 0).any(axis=1)
    return Answers(walk.answers(scores), decision, refused)
