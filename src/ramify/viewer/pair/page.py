# SPDX-License-Identifier: BSD-3-Clause
"""The page of two trees on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.datasets import Dataset
from ramify.tree.inspect import is_regressor
from ramify.viewer.page import Page, build
from ramify.viewer.page_data import Seen, evenly, one_tree, rows_at, tree_data
from ramify.viewer.pair.matching import tie_data
from ramify.viewer.pair.reasons import isolines, why_data
from ramify.viewer.pair.scores import score_data
from ramify.viewer.viewing import check_output, shared_data

__all__ = ["pair_page"]

MAX_FLOWS = 400
MAX_ROWS, MAX_CELLS = 500, 30_000
APART = 0.25  # standard deviations between two numbers that disagree


def pair_page(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    cv: Any = "5x5",
    title: str | None = None,
    tree: int | None = None,
    output: int = 0,
    feature_names: Sequence[str] | None = None,
    random_state: int = 0,
    scripts_at: str | None = None,
) -> Page:
    """Make the page of two trees; see `ramify.view`."""
    if X is None or y is None:
        raise ValueError(
            "two trees are compared on rows; pass them as ramify.view(a, b, X, y)"
        )
    models = [one_tree(one, tree) for one in (a, b)]
    for model in models:
        check_output(model, output)
    for model in models:
        if model.tree_.curves is not None:
            raise TypeError(
                "view() compares trees of classes and numbers side by side; show "
                f"each {type(model).__name__} by itself"
            )
    _check_alike(*models)
    first, second = (
        Seen.from_model(one, X, y, output, feature_names) for one in models
    )
    called = _names(models, names)
    trees = [
        tree_data(one, name) for one, name in zip((first, second), called, strict=True)
    ]
    data = _dataset(first)
    words = title or f"{called[0]} and {called[1]}, side by side"
    why = why_data(first, second, data)
    mentioned = {s["column"] for node in (why or {}).values() for s in node["splits"]}
    fields = shared_data(first, [first, second], words, mentioned)
    fields |= {
        "subtitle": _subtitle(first, second, called),
        "trees": trees,
        "pair": {
            "names": called,
            "scores": score_data(models, data, first, cv, random_state),
            "ties": tie_data(first, second),
            "why": why,
            "isolines": isolines(models, first),
            **_changed(first, second),
        },
    }
    return Page(build(fields, words, scripts_at=scripts_at), words)


def _check_alike(a: Any, b: Any) -> None:
    """See that both trees know the same columns and predict the same thing."""
    if a.schema_ != b.schema_:
        own, other = a.schema_.names, b.schema_.names
        detail = ""
        if own != other:
            odd = sorted(set(own) ^ set(other)) or own
            detail = f" ({', '.join(map(repr, odd[:5]))})"
        raise ValueError(
            f"the two trees know different columns or categories{detail}; fit both on "
            "the same rows"
        )
    if is_regressor(a) != is_regressor(b):
        raise ValueError(
            "one tree predicts classes and the other numbers; compare two of a kind"
        )
    if not is_regressor(a) and not _same_classes(a, b):
        raise ValueError(
            f"the two trees know different classes, {_some(a)} and {_some(b)}; fit "
            "both on the same labels"
        )


def _same_classes(a: Any, b: Any) -> bool:
    one, two = (
        [np.asarray(part).tolist() for part in each.classes_]
        if each.tree_.n_outputs > 1
        else np.asarray(each.classes_).tolist()
        for each in (a, b)
    )
    return bool(one == two)


def _some(model: Any) -> str:
    classes = np.asarray(model.classes_, dtype=object).ravel().tolist()
    return ", ".join(map(repr, classes[:3])) + (", ..." if len(classes) > 3 else "")


def _names(models: Sequence[Any], given: Sequence[str] | None) -> list[str]:
    """Call the trees by their criteria or methods; apart, if these are the same."""
    if given is not None:
        if len(given) != 2:
            raise ValueError(f"names={list(given)!r} is not allowed; give two names")
        found = [str(name) for name in given]
    else:
        found = [str(getattr(one, "method", None) or _criterion(one)) for one in models]
    if found[0] == found[1]:
        found = [f"A: {found[0]}", f"B: {found[1]}"]
    return found


def _criterion(model: Any) -> str:
    criterion = model.criterion
    return criterion if isinstance(criterion, str) else repr(criterion)


def _subtitle(first: Seen, second: Seen, names: Sequence[str]) -> str:
    parts = [
        f"{name}: {one.tree.n_leaves:,} leaves, depth {one.tree.max_depth}"
        for name, one in zip(names, (first, second), strict=True)
    ]
    assert first.passage is not None
    n_rows = len(first.passage.matrix)
    return " · ".join(
        [*parts, f"{n_rows:,} rows", f"{first.tree.n_features:,} columns"]
    ).replace(",0", "\u202f0")


def _dataset(seen: Seen) -> Dataset:
    """Return the rows as a data set, with the categories by value."""
    assert seen.matrix is not None
    columns: list[NDArray[Any]] = []
    for info, values in zip(seen.columns, seen.matrix.T, strict=True):
        if not info.is_categorical:
            columns.append(np.ascontiguousarray(values))
            continue
        # A category that training did not see stands for itself.
        known = np.array([*info.categories, None, "(new)"], dtype=object)
        n = len(info.categories)
        codes = np.where(np.isnan(values), n, np.where(values < 0, n + 1, values))
        columns.append(known[codes.astype(np.int64)])
    names = [info.name for info in seen.columns]
    classes = seen.classes or []
    there = classes
    if classes:
        there = [classes[k] for k in np.unique(seen.target).tolist()]
    return Dataset(
        "these rows", columns, seen.target, names, [str(one) for one in there], ""
    )


def _changed(first: Seen, second: Seen) -> dict[str, Any]:
    """Return which rows lie in other leaves, and on which the trees disagree."""
    assert first.passage is not None
    assert second.passage is not None
    one, two = first.passage.leaves, second.passage.leaves
    numeric = is_regressor(first.model)
    apart = APART * float(np.std(first.target)) if numeric else 0.0
    differ = np.abs(first.predicted - second.predicted) > apart
    pairs, place, n_rows = np.unique(
        np.stack([one, two], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    n_differ = np.bincount(place.ravel(), weights=differ, minlength=len(pairs))
    heavy = np.argsort(-n_rows, kind="stable")[:MAX_FLOWS]
    odd = np.flatnonzero(differ)
    used = sorted(first.used | second.used)
    limit = min(MAX_ROWS, max(1, MAX_CELLS // max(1, len(used))))
    some = evenly(odd, limit)
    fields: dict[str, Any] = {
        "flows": [
            [*pairs[i].tolist(), int(n_rows[i]), int(n_differ[i])]
            for i in heavy.tolist()
        ],
        "nFlows": len(pairs),
        "apart": apart,
        "disagree": {
            **rows_at(first, used, some),
            "a": first.predicted[some].tolist(),
            "b": second.predicted[some].tolist(),
            "n": len(odd),
        },
    }
    if not numeric:
        right = [part.predicted == first.target for part in (first, second)]
        fields["right"] = {
            "a": int((right[0] & ~right[1]).sum()),
            "b": int((right[1] & ~right[0]).sum()),
            "neither": int((differ & ~right[0] & ~right[1]).sum()),
        }
    return fields
