# SPDX-License-Identifier: BSD-3-Clause
"""The tree of a method on all rows of a data set, and a page of it."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ramify.comparison import fingerprint
from ramify.comparison.entries import is_ours
from ramify.comparison.rows import Rows
from ramify.comparison.workers import run_soon
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.viewer.page import Page
from ramify.viewer.page_data import one_tree
from ramify.viewer.viewing import page_of

__all__ = ["Sources", "TreePage"]

# What a page of a report may cost: it is one of hundreds.
MAX_ROWS = 20_000
MAX_NODES = 2_000
MAX_SECONDS = 3.0  # of one fit
MAX_PAGES = 500

Pair = tuple[str, str]  # a method and a data set
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class TreePage:
    """The page of a method on a data set; no HTML where there is none to show."""

    pair: Pair
    html: str


@dataclass(frozen=True)
class Sources:
    """What was compared: estimators with their seeds, and rows, by their names.

    ``fit_times`` are the processor times of the longest fit of each pair.
    """

    estimators: Mapping[str, Any]
    rows: Mapping[str, Rows]
    fit_times: dict[Pair, float] = field(default_factory=dict)

    def page(self, method: str, dataset: str, *, is_one_of_many: bool = False) -> Page:
        """Fit a method on all rows of a data set, and make the page of its tree.

        One of many has its script in a file beside it.

        Raises
        ------
        TypeError
            If there is no tree of Ramify in the method.
        ValueError
            If it is one of many, and too large.
        """
        rows = self.rows[dataset]
        model = clone(self.estimators[method], safe=False)
        part = rows.whole(model)
        if part.settings:
            model.set_params(**part.settings)
        y = _labels(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as in the comparison
            model.fit(part.X_train, y, **part.extra)
        title = f"{method} on {dataset}"
        if isinstance(model, OneVsRestTreeClassifier) and len(model.estimators_) > 1:
            first = model.classes_[0]  # of one tree per class
            y, title = y == first, f"{title}: {first} against the rest"
        n_nodes = one_tree(model).tree_.node_count
        if is_one_of_many and n_nodes > MAX_NODES:
            raise ValueError(f"{title} has {n_nodes} nodes, more than {MAX_NODES}.")
        return page_of(
            model,
            part.X_train,
            y,
            title=title,
            feature_names=rows.names_for(model),
            has_script_beside=is_one_of_many,
        )

    def worth_showing(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Choose the pairs whose trees are single ones, quickly grown, of some rows.

        Every method keeps as many data sets, the first ones, as fit on the page.
        """
        single = [
            name for name, estimator in self.estimators.items() if _is_tree(estimator)
        ]
        small = [name for name, rows in self.rows.items() if _n_rows(rows) <= MAX_ROWS]
        shown = small[: max(MAX_PAGES // max(len(single), 1), 1)]
        return [
            (method, dataset)
            for method, dataset in pairs
            if method in single
            and dataset in shown
            and self.fit_times.get((method, dataset), 0.0) <= MAX_SECONDS
        ]

    def pages(
        self, pairs: Sequence[Pair], n_workers: int, progress: Progress | None = None
    ) -> Iterator[TreePage]:
        """Make the pages of the pairs, so many at once, and give each as it comes."""
        known = {name: self._code(name) is not None for name in self.estimators}
        work = _Work(self)
        found = run_soon(work, pairs, n_workers, _lost, lambda pair: not known[pair[0]])
        for done, page in enumerate(found, 1):
            if progress is not None:
                progress(done, len(pairs), "trees: " + " on ".join(page.pair))
            yield page

    def keys(self, pairs: Sequence[Pair], page: str = "") -> dict[Pair, str]:
        """Return a key of pages, of all that they depend on; none if unknown."""
        contents = {name: self._content(name) for name in {data for _, data in pairs}}
        codes = {name: self._code(name) for name in {method for method, _ in pairs}}
        versions = fingerprint.versions()
        keys = {}
        for method, dataset in pairs:
            parts = [method, codes[method], dataset, contents[dataset], versions, page]
            digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
            keys[method, dataset] = "" if codes[method] is None else digest
        return keys

    def _content(self, dataset: str) -> list[Any]:
        data = self.rows[dataset].dataset
        weight = None if data.weight is None else data.weight.tolist()
        names = [*data.columns, *data.target_names]
        return [fingerprint.of_data(data), names, weight]

    def _code(self, method: str) -> str | None:
        with suppress(fingerprint.UnknowableError):
            return fingerprint.of_estimator(self.estimators[method])
        return None


class _Work:
    """What is done with a pair; another process gets all data when it starts."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def __call__(self, pair: Pair) -> TreePage:
        try:
            html = self._sources.page(*pair, is_one_of_many=True).html
        except Exception:  # too large, or all rows fail where those of a fold did not
            html = ""
        return TreePage(pair, html)


def _lost(pair: Pair, why: str) -> TreePage:
    return TreePage(pair, "")


def _is_tree(estimator: Any) -> bool:
    """Return whether it is one tree of Ramify, or one per class."""
    if isinstance(estimator, OneVsRestTreeClassifier):
        return True
    is_sized = is_ours(estimator) and hasattr(type(estimator), "get_n_leaves")
    return is_sized and not hasattr(estimator, "n_estimators")


def _n_rows(rows: Rows) -> int:
    return len(rows.dataset.y)


def _labels(rows: Rows) -> NDArray[Any]:
    """Return the names of the classes, which say more than their codes."""
    data = rows.dataset
    if data.task != "classification":
        return data.y
    codes = np.unique(data.y, return_inverse=True)[1]
    return np.asarray(data.target_names, dtype=object)[codes]
