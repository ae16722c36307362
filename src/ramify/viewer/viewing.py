# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees and rows in, pages out."""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Sequence
from typing import Any

from ramify.tree.by_hand import by_hand
from ramify.tree.moment import as_tree
from ramify.viewer.page import Page, build
from ramify.viewer.page_data import Seen, column_data, one_tree, row_data, tree_data
from ramify.viewer.pictures import class_slots

__all__ = ["check_output", "page_of", "shared_data", "view"]


def view(
    model: Any,
    *data: Any,
    b: Any = None,
    X: Any = None,
    y: Any = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    names: Sequence[str] | None = None,
    cv: Any = "5x5",
    tree: int | None = None,
    output: int = 0,
    feature_names: Sequence[str] | None = None,
) -> Page:
    """Make an interactive HTML page of a fitted tree, or of two side by side.

    ``view(model, X, y, path)`` shows every node as data: the classes of its rows along
    the column that it cuts. Pan, zoom, fold, search; press a leaf for its rule; trace a
    row, and see what would change its prediction.

    ``view(a, b, X, y, path)`` shows two trees on the same rows: how well they do, with
    the uncertainty of each difference, where they split alike, why they differ at a
    node, and which rows they predict otherwise.

    The page is one HTML file that needs no network.

    Parameters
    ----------
    model : fitted estimator
        A tree, a tuned tree, or a forest, of which `tree` says which one is shown.
    b : fitted estimator, optional
        Another one, fitted on the same columns and labels.
    X : array, data frame or Table, optional
        Rows to show in the nodes, with all columns of the model. Without them a node
        shows the classes of its children. Two trees need them.
    y : array, optional
        Their labels, or the numbers to predict.
    path : str or path, optional
        Where to write the page.
    title : str, optional
        What to call it.
    names : pair of str, optional
        What to call two trees; their criteria or methods if not given.
    cv : int, str or None, default="5x5"
        How two models are cross-validated on X and y: a number of folds, or repeats and
        folds. None leaves it out, and with it the figures of how well they do.
    tree : int, optional
        Which tree of a forest; the first if not given.
    output : int, default=0
        Which target, of a tree that predicts several.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.

    Returns
    -------
    Page
        Shows itself in a notebook; ``save`` writes it, ``show`` opens a browser.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> page = ramify.view(tree, X, y)
    >>> page.html[:15]
    '<!DOCTYPE html>'
    >>> other = ramify.DecisionTreeClassifier("hellinger", max_depth=3).fit(X, y)
    >>> ramify.view(tree, other, X, y, cv=5).title
    'gini and hellinger, side by side'
    """
    if b is None and data and hasattr(data[0], "get_params"):
        b, data = data[0], data[1:]
    model, b = as_tree(model), as_tree(b)
    given = _arguments(data, X=X, y=y, path=path)
    options: dict[str, Any] = {
        "title": title,
        "tree": tree,
        "output": output,
        "feature_names": feature_names,
    }
    if b is None:
        page = page_of(model, given["X"], given["y"], **options)
    else:
        # Comparisons import estimators, which import this package: not before.
        pair = importlib.import_module("ramify.viewer.pair")
        options |= {"names": names, "cv": cv}
        page = pair.pair_page(model, b, given["X"], given["y"], **options)
    if given["path"] is not None:
        page.save(given["path"])
    return page


def page_of(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    tree: int | None = None,
    output: int = 0,
    feature_names: Sequence[str] | None = None,
    is_small: bool = False,
    has_script_beside: bool = False,
) -> Page:
    """Make the page of one tree."""
    shown = one_tree(model, tree)
    check_output(shown, output)
    seen = Seen.from_model(shown, X, y, output, feature_names)
    fields = tree_data(seen)
    words = title or _title(model, shown, tree)
    every = shared_data(seen, [seen], words) | {
        "subtitle": _subtitle(seen, fields["about"]),
        "trees": [fields],
    }
    html = build(every, words, is_small=is_small, has_script_beside=has_script_beside)
    return Page(html, words)


def shared_data(
    seen: Seen, both: Sequence[Seen], title: str, mentioned: Collection[int] = ()
) -> dict[str, Any]:
    """Return what belongs to the rows and not to one tree."""
    classes = seen.classes
    used = sorted(set[int]().union(*(one.used for one in both)))
    ledgers = [one.tree.ledger for one in both]
    listed = [one.arrays["feature"].tolist() for one in ledgers if one is not None]
    every = set(mentioned).union(*listed)
    return {
        "title": title,
        "columns": column_data(both, every),
        "classes": None if classes is None else classes,
        "slots": None if classes is None else class_slots(seen.shares()[0]),
        "rows": row_data(seen, used),
    }


def _arguments(data: tuple[Any, ...], **named: Any) -> dict[str, Any]:
    """Put what came by place under its name."""
    if len(data) > len(named):
        raise TypeError(
            f"view() takes a model, X, y and path by place; {len(data) - len(named)} "
            "too many were given"
        )
    found = dict(named)
    for name, value in zip(named, data, strict=False):
        if found[name] is not None and value is not None:
            raise TypeError(f"view() got {name} twice, by place and by name")
        found[name] = value if value is not None else found[name]
    return found


def check_output(model: Any, output: int) -> None:
    """Refuse a target that the tree does not predict."""
    n_outputs = model.tree_.n_outputs
    if not 0 <= output < n_outputs:
        raise ValueError(
            f"output={output!r} is not there; the tree predicts {n_outputs}, from 0 to "
            f"{n_outputs - 1}"
        )


def _title(model: Any, shown: Any, tree: int | None) -> str:
    name = type(shown).__name__
    if shown is model or not hasattr(model, "estimators_"):
        return name
    return f"{type(model).__name__}: tree {tree or 0} of {len(model.estimators_)}"


def _proof(model: Any) -> str:
    """Say what the search of a tree has proved."""
    if model.is_optimal_:
        return "proved optimal"
    above = model.objective_ - model.lower_bound_
    return f"at most {above:.4g} above the optimum"


def _subtitle(seen: Seen, about: dict[str, str]) -> str:
    tree = seen.tree
    parts = [
        about["criterion"] if "method" not in about else about["method"],
        _count(tree.node_count, "node"),
        _count(tree.n_leaves, "leaf", "leaves"),
        f"depth {tree.max_depth}",
        _count(int(tree.n_node_samples[0]), "row"),
        _count(tree.n_features, "column"),
    ]
    if by_hand(seen.model).summary:
        parts.append(by_hand(seen.model).summary)
    if hasattr(seen.model, "is_optimal_"):
        parts.append(_proof(seen.model))
    if tree.n_outputs > 1:
        parts.append(f"output {seen.output + 1} of {tree.n_outputs}")
    return " · ".join(parts)


def _count(n: int, word: str, words: str | None = None) -> str:
    return f"{n:,} {word if n == 1 else words or word + 's'}".replace(",", "\u202f")
