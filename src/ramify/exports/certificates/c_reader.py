# SPDX-License-Identifier: BSD-3-Clause
"""Our own reading of the C header that we write: its tables and its numbers.

The text alone is read. That the functions around the tables are ours is seen by writing
what was read once more: a header that does not come out the same is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.formats.tables import LINE_NAMES, walk_of
from ramify.exports.walk import (
    CATEGORIES,
    HYPERPLANE,
    INTERVALS,
    KNOWN,
    LEAF,
    THRESHOLD,
    Vote,
    Walk,
)

__all__ = ["body_of", "coded", "read_walk"]

Floats = NDArray[np.float64]

_TABLES = {
    **{name: name for name in ("kind", "column", "first", "missing", "other")},
    **{"begin": "begin", "end": "end", "branch": "branchOf", "leaf": "leafOf"},
    **{name: name for name in ("termColumn", "termCategory")},
}
_DOUBLES = ("threshold", "bound", "termWeight", "termFill")
_LISTS = {
    "list": ("bound", "branch"),
    "term": ("termColumn", "termCategory", "termWeight", "termFill"),
}


def body_of(text: str) -> str:
    """Return what follows the comment at the beginning."""
    head, mark, body = text.partition("\n*/\n")
    if not mark or not head.startswith("/*") or "*/" in head:
        raise ValueError("the header does not begin with the comment of ramify")
    return body


def read_walk(text: str, walk: Walk) -> tuple[str, Walk]:
    """Read a header; give its prefix, and the walk that it takes.

    Of the walk that is given, only names and kinds of columns and labels are used.
    """
    body = body_of(text)
    m = _found(r"static int (\w+)_predict\(\n", body)
    predict = _found(rf"static int {m}_predict\((.*?)\n}}\n", body)
    width = 1
    if walk.lines is None:
        pattern = rf"{m}_value \+ \(size_t\)[\w\[\]]+ \* (\d+);"
        width = int(_found(pattern, body))
    vote = _vote(predict, walk.vote)
    unseen, categories = _read_codes(body, m, walk)
    known = replace(
        walk,
        columns=tuple(
            replace(info, categories=categories.get(j, ()))
            for j, info in enumerate(walk.columns)
        ),
        unseen="error" if "return 2;" in predict else unseen,
        missing="error" if "return 1;" in predict else "branch",
        value=np.zeros((0, width)),
        vote=vote,
    )
    is_simple = f" {m}_node[] = {{\n" in body
    tables = _simple(body, m) if is_simple else _general(body, m)
    tables["root"] = _integers(_found(r" root\[\d+\] = \{(.*?)\};", predict))
    tables["value"] = _table(body, f"{m}_value", float.fromhex)
    if walk.lines is not None:
        for old, new in LINE_NAMES.items():
            whole = getattr(walk.lines, old).dtype.kind == "i"
            read = int if whole else float.fromhex
            tables[new] = _table(body, f"{m}_{new}", read)
        _check_lines(tables, len(walk.columns))
    _check_ways(tables, len(walk.columns), width)
    return m, walk_of(known, tables)


def _check_lines(tables: dict[str, Any], n_columns: int) -> None:
    """Refuse lines that no leaf has, or that look at no column."""
    n_leaves, begin = len(tables["value"]), tables["lineBegin"]
    columns = tables["lineColumn"]
    if len(begin) != n_leaves + 1 or begin[0] != 0 or begin != sorted(begin):
        raise ValueError("the lines of the header do not belong to its leaves")
    if begin[-1] == 0:  # C has no empty arrays: one 0 stands there
        for name in ("lineColumn", "lineSlope", "lineLow", "lineHigh", "lineFill"):
            tables[name] = []
    elif not all(0 <= column < n_columns for column in columns):
        raise ValueError("a line of the header looks at a column that is not there")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError(f"the header has nothing like {pattern!r}")
    return found[1]


def _integers(items: str) -> list[int]:
    return [int(item) for item in items.split(",") if item.strip()]


def _doubles(items: str) -> list[float]:
    return [float.fromhex(item.strip()) for item in items.split(",") if item.strip()]


def _table(body: str, name: str, read: Callable[[str], Any]) -> list[Any]:
    items = _found(rf"static const \w+ {name}\[\] = \{{(.*?)\}};", body)
    return [read(item.strip()) for item in items.split(",") if item.strip()]


# --- nodes ----------------------------------------------------------------------------


def _simple(body: str, m: str) -> dict[str, Any]:
    """Read nodes that compare one number."""
    text = _found(rf" {m}_node\[\] = \{{\n(.*?)\n\}};", body)
    tables: dict[str, list[Any]] = {
        name: []
        for name in (
            *("kind", "column", "threshold", "first", "children", "missing"),
            *("other", "begin", "end", "share", "leaf"),
        )
    }
    sides = {"HUGE_VAL": 0, "-HUGE_VAL": 1}
    for cut, column_text, first_text in re.findall(r"\{(.*?), (.*?), (.*?)\}", text):
        column, first = int(column_text), int(first_text)
        line: dict[str, Any] = dict.fromkeys(tables, 0) | {"share": 1.0, "leaf": -1}
        if first <= 0:
            line |= {"kind": LEAF, "column": -1, "leaf": -first}
        else:
            line |= {
                "kind": KNOWN if cut in sides else THRESHOLD,
                "column": -1 - column if column < 0 else column,
                "threshold": 0.0 if cut in sides else float.fromhex(cut),
                "first": first,
                "children": 2,
                "missing": 0 if column < 0 else 1,
                "other": sides.get(cut, 0),
            }
        for name, value in line.items():
            tables[name].append(value)
    return tables | {name: [] for names in _LISTS.values() for name in names}


def _general(body: str, m: str) -> dict[str, Any]:
    """Read nodes of every kind."""
    tables = {new: _table(body, f"{m}_{old}", int) for new, old in _TABLES.items()}
    for name in _DOUBLES:
        tables[name] = _table(body, f"{m}_{name}", float.fromhex)
    kind, end = np.array(tables["kind"]), np.array(tables["end"])
    is_sum = kind == HYPERPLANE
    is_list = (kind == CATEGORIES) | (kind == INTERVALS)
    for names, here in zip(_LISTS.values(), (is_list, is_sum), strict=True):
        n = int(end[here].max(initial=0))
        for name in names:
            tables[name] = tables[name][:n]  # C has no empty arrays: a 0 stands there
    if f" {m}_share[]" in body:
        tables["children"] = _table(body, f"{m}_children", int)
        tables["share"] = _table(body, f"{m}_share", float.fromhex)
        return tables
    tables["share"] = [1.0] * len(kind)
    tables["children"] = [
        0 if kind[i] == LEAF else 2 if not is_list[i] else _n_branches(tables, i)
        for i in range(len(kind))
    ]
    return tables


def _n_branches(tables: dict[str, Any], node: int) -> int:
    listed = tables["branch"][tables["begin"][node] : tables["end"][node]]
    return 1 + int(max(*listed, tables["missing"][node], tables["other"][node]))


def _check_ways(tables: dict[str, Any], n_columns: int, width: int) -> None:
    """See that every way leads on, and to something that is there."""
    n, n_leaves = len(tables["kind"]), len(tables["value"]) // width
    used = [*tables["column"], *tables["termColumn"]]
    if not -1 <= min(used) <= max(used) < n_columns:
        raise ValueError(f"the header reads columns {min(used)} to {max(used)}")
    for node, (kind, first, count, leaf) in enumerate(
        zip(
            *(tables[name] for name in ("kind", "first", "children", "leaf")),
            strict=True,
        )
    ):
        if kind == LEAF and not 0 <= leaf < n_leaves:
            raise ValueError(f"node {node} of the header is leaf {leaf}, which is none")
        if kind != LEAF and not node < first <= first + count <= n:
            raise ValueError(f"node {node} of the header leads back, or to no node")


# --- the answer -----------------------------------------------------------------------


def _vote(predict: str, known: Vote) -> Vote:
    """Read how scores become an answer."""
    start = np.array(_doubles(_found(r" score\[\d+\] = \{(.*?)\};", predict)))
    n_trees = int(_found(r" root\[(\d+)\]", predict))
    first = re.search(r" first\[\d+\] = \{(.*?)\};", predict)
    divide = re.search(r"score\[k\] /= (\d+);", predict)
    link = "none"
    if "answer[1] = score[0]" in predict:
        link = "expit"
    elif "largest" in predict:
        link = "softmax"
    elif "exp(score[k])" in predict:
        link = "exp"
    decide, begin, costs = "argmax", 0, None
    lines = re.findall(r"cost\[(\d+)\] \+= score\[(\d+)\] \* (\S+);", predict)
    if "(void)decision;" in predict:
        decide = "number"
    elif "decision[0] = score[0] > 0;" in predict:
        decide = "positive"
    elif lines:
        decide, begin = "argmin_cost", min(int(k) for _, k, _ in lines)
        size = 1 + max(int(i) for i, _, _ in lines)
        costs = np.zeros((size, size))
        for i, k, cost in lines:
            costs[int(k) - begin, int(i)] = float.fromhex(cost)
    else:
        begin = int(_found(r"\(score \+ (\d+)\)", predict))
    return Vote(
        start=start,
        first=np.array(_integers(first[1]) if first else [0] * n_trees),
        divide=int(divide[1]) if divide else 1,
        link=link,
        decide=decide,
        decide_from=begin,
        costs=costs,
        outputs=known.outputs,
    )


# --- categories -----------------------------------------------------------------------


def _read_codes(
    body: str, m: str, walk: Walk
) -> tuple[str, dict[int, tuple[Any, ...]]]:
    """Read the categories of columns, and what becomes of others."""
    found: dict[int, tuple[Any, ...]] = {}
    unseen = "heavier"
    for j, info in enumerate(walk.columns):
        if not info.is_categorical:
            continue
        part = _found(rf"static double {m}_code_{j}\((.*?)\n}}\n", body)
        n = int(_found(r"high = (\d+);", part))
        if part.endswith("  return NAN;"):
            unseen = "missing"
        items = _found(r" known\[\] = \{\n(.*?)  \};\n", part)
        if part.startswith("double"):
            found[j] = tuple(_doubles(items))
            if list(found[j]) != sorted(found[j]):
                raise ValueError(f"the categories of column {j} are not in order")
            continue
        texts = [_text(each) for each in re.findall(r'"([^"]*)"', items)][:n]
        codes = _integers(_found(r" code\[\] = \{\n(.*?)  \};\n", part))[:n]
        if sorted(codes) != [*range(n)] or len(texts) != n:
            raise ValueError(f"the codes of column {j} in the header are not 0, 1, ...")
        found[j] = tuple(text for _, text in sorted(zip(codes, texts, strict=True)))
    return unseen, found


def _text(literal: str) -> str:
    """Read text that was written with bytes in octal."""
    data = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), literal)
    return data.encode("latin-1").decode()


def coded(walk: Walk, columns: Sequence[Sequence[Any]]) -> Floats:
    """Return values as the functions of the header code them."""
    other = np.nan if walk.unseen == "missing" else -1.0
    matrix = np.empty((len(columns[0]), len(columns)))
    for j, (info, values) in enumerate(zip(walk.columns, columns, strict=True)):
        if not info.is_categorical:
            matrix[:, j] = [np.nan if value is None else value for value in values]
            continue
        place: dict[Any, float] = {value: i for i, value in enumerate(info.categories)}
        place[None] = np.nan
        matrix[:, j] = [place.get(value, other) for value in values]
    return matrix
