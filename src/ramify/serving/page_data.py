# SPDX-License-Identifier: BSD-3-Clause
"""Data of an edited tree for its page: node by node, so that an edit sends few."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ramify.editing.editor import TreeEditor
from ramify.editing.node import Node
from ramify.editing.scoring import values_of
from ramify.tree.bounds import with_values
from ramify.tree.conditions import columns_of
from ramify.tree.tree import Tree
from ramify.viewer.page_data import (
    about_of,
    bound_texts,
    plain_number,
    plain_value,
    round_to,
    rounded,
    sparse_shares,
    spread_of,
)
from ramify.viewer.pictures import Axis, class_slots, node_picture, span_of
from ramify.viewer.rows import Passage

__all__ = ["PageData"]

_MOST_ROWS, _MOST_CELLS = 200, 20_000
_MOST_VERSIONS = 200


class PageData:
    """What a page knows of an editor, and what changed since it was told last."""

    def __init__(self, editor: TreeEditor) -> None:
        self.editor = editor
        data = editor._data
        self._matrix = data.matrix
        self._infos = with_values(columns_of(editor.model, None), data.matrix)
        self._categorical = frozenset(
            j for j, info in enumerate(self._infos) if info.is_categorical
        )
        self._axes: dict[tuple[int, tuple[float, ...]], Axis] = {}
        if data.is_numeric:
            self._target: Any = data.target.values[:, 0]
            self._slots = None
            self._span: Any = span_of(self._target)
            self._shown = self._target
        else:
            self._target = data.target.codes[:, 0].astype(np.int64)
            root = editor.state.root.statistics.value[0]
            self._slots = class_slots(root[: len(data.target.classes[0])])
            self._span = None
            self._shown = np.array(self._slots)[self._target]
        self._columns = [self._column(j) for j in range(len(self._infos))]
        self._told: dict[int, tuple[Any, ...]] = {}
        self._told_columns: dict[int, Any] = {}

    # --- all of it -------------------------------------------------------------------

    def whole(self, title: str) -> dict[str, Any]:
        """Return all that a page needs to begin."""
        self._told, self._told_columns = {}, {}
        changed = self.changed()
        columns = [dict(column) for column in self._columns]
        for j, more in changed.pop("columns").items():
            columns[j] |= more
        classes = self.editor._data.classes
        return changed | {
            "title": title,
            "columns": columns,
            "classes": None if classes is None else [*map(plain_value, classes[0])],
            "slots": self._slots,
            "span": self._span,
            "rows": self._rows(),
        }

    def _column(self, j: int) -> dict[str, Any]:
        """Return what never changes about a column."""
        info, values = self._infos[j], self._matrix[:, j]
        one: dict[str, Any] = {"name": info.name}
        if info.is_categorical:
            codes = values[values >= 0].astype(np.int64)
            by_code = np.bincount(codes, minlength=len(info.categories))
            order = np.argsort(-by_code, kind="stable")[:50]
            return one | {
                "kind": "category",
                "categories": [plain_value(c) for c in info.categories],
                "frequent": order.tolist(),
            }
        none = np.zeros(0)
        return (
            one
            | {"kind": "number"}
            | spread_of(values)
            | bound_texts(info, [none])
            | self._ends(self._axis(j, ()))
        )

    def _rows(self) -> dict[str, Any]:
        """Return some training rows to trace."""
        n_rows, n_columns = self._matrix.shape
        most = min(_MOST_ROWS, max(1, _MOST_CELLS // max(1, n_columns)))
        chosen = np.unique(np.linspace(0, n_rows - 1, most).astype(np.int64))
        part = self._matrix[chosen]
        places = self.editor._data.parts.train[chosen]
        return {
            "index": places.tolist(),
            "columns": list(range(n_columns)),
            "values": [[plain_number(x) for x in column] for column in part.T.tolist()],
            "truth": self._target[chosen].tolist(),
            "total": n_rows,
        }

    # --- what an edit changes ---------------------------------------------------------

    def changed(self) -> dict[str, Any]:
        """Return the nodes and columns that a page does not know yet."""
        state = self.editor.state
        order = list(state.root.walk())
        cuts = self._cuts(order)
        axes = {j: self._axis(j, found) for j, found in cuts.items()}
        nodes: dict[int, Any] = {}
        told: dict[int, tuple[Any, ...]] = {}
        for node in order:
            number, test = node.number, node.test
            axis = None if test is None else axes.get(test.feature)
            key = (
                *(node.statistics, test, axis, node.gain),
                *(number in state.locked, state.notes.get(number)),
                state.overrides.get(number),
                state.forbidden.get(number),
                tuple(child.statistics for child in node.children),
            )
            told[number] = key
            old = self._told.get(number)
            if old is None or not _are_same(old, key):
                nodes[number] = self._node(node, axes)
        self._told = told
        return {
            "order": [node.number for node in order],
            "kids": [len(node.children) for node in order],
            "nodes": nodes,
            "columns": self._changed_columns(cuts, axes),
            "about": self._about(),
            "top": self.top(),
        }

    def _cuts(self, order: list[Node]) -> dict[int, tuple[float, ...]]:
        found: dict[int, set[float]] = {}
        for node in order:
            test = node.test
            if test is None or test.kind in (Tree.CATEGORIES, Tree.HYPERPLANE):
                continue
            is_one = test.kind == Tree.THRESHOLD
            cuts = [test.threshold] if is_one else [*test.listed]
            found.setdefault(test.feature, set()).update(cuts)
        return {j: tuple(sorted(cuts)) for j, cuts in found.items()}

    def _axis(self, j: int, cuts: tuple[float, ...]) -> Axis:
        """Return the range of a column; it holds every cut, and is kept."""
        if (j, ()) not in self._axes:
            self._axes[j, ()] = Axis.from_values(self._matrix[:, j], np.zeros(0))
        usual = self._axes[j, ()]
        outside = tuple(c for c in cuts if not usual.low <= c <= usual.high)
        if not outside:
            return usual
        if (j, outside) not in self._axes:
            known = Axis.from_values(self._matrix[:, j], np.array(outside))
            self._axes[j, outside] = known
        return self._axes[j, outside]

    def _ends(self, axis: Axis) -> dict[str, Any]:
        return {"low": round_to(axis.low), "high": round_to(axis.high)}

    def _changed_columns(
        self, cuts: dict[int, tuple[float, ...]], axes: dict[int, Axis]
    ) -> dict[int, Any]:
        found = {}
        for j, bounds in cuts.items():
            if self._told_columns.get(j) == bounds:
                continue
            self._told_columns[j] = bounds
            found[j] = bound_texts(self._infos[j], [np.array(bounds)]) | self._ends(
                axes[j]
            )
        return found

    def _node(self, node: Node, axes: dict[int, Axis]) -> dict[str, Any]:
        """Return all that a page knows of a node."""
        state, data, test = self.editor.state, self.editor._data, node.test
        rows = node.all_rows()
        value = values_of(state, node)[0]
        says = node.statistics.value[0]
        one: dict[str, Any] = {
            "gain": rounded(node.gain),
            "impurity": rounded(node.statistics.impurity),
            "rows": node.statistics.n_rows,
            "weight": round_to(node.statistics.weight, 9),
            "held": len(node.all_held()),
            "locked": node.number in state.locked,
            "note": state.notes.get(node.number, ""),
            "forbidden": sorted(state.forbidden.get(node.number, ())),
        }
        if data.is_numeric:
            one["value"] = float(value[0])
            y = self._target[rows] - value[0]
            one["error"] = round_to(float(y @ y), 7)
        else:
            n = len(data.target.classes[0])
            best = self._best(value[:n])
            one["best"] = best
            one["shares"] = sparse_shares(value[None, :n], 6)[0]
            counts = np.bincount(self._target[rows], minlength=n)
            one["hits"] = int(counts[best])
        override = state.overrides.get(node.number)
        if override is not None:
            shown = says[: len(value)]
            one["override"] = {"note": override.note, "says": shown.tolist()}
        if test is not None:
            one |= self.split_data(test)
            one |= self._gaps(node, rows)
            one["picture"] = self.picture(node, axes)
        return one

    def _best(self, shares: Any) -> int:
        costs = getattr(self.editor.state.model, "cost_matrix", None)
        if costs is None or len(shares) == 1:
            return int(shares.argmax())
        return int((shares @ np.asarray(costs, dtype=np.float64)).argmin())

    def split_data(self, test: Any) -> dict[str, Any]:
        """Return how a node parts its rows, as the page reads it."""
        one: dict[str, Any] = {
            "feature": test.feature,
            "kind": test.kind,
            "threshold": plain_number(test.threshold),
            "missing": test.missing,
            "other": test.default,
        }
        if test.listed:
            pairs = sorted(test.listed.items())
            one["listed"] = {
                "values": [plain_number(value) for value, _ in pairs],
                "branches": [branch for _, branch in pairs],
            }
        if test.terms is not None:
            terms = test.terms
            one["terms"] = {
                "column": terms.column.tolist(),
                "category": terms.category.tolist(),
                "weight": terms.weight.tolist(),
                "fill": terms.fill.tolist(),
                "share": [round_to(x, 4) for x in terms.share.tolist()],
            }
        return one

    def _gaps(self, node: Node, rows: Any) -> dict[str, int]:
        assert node.test is not None
        if node.test.terms is not None:
            return {}
        n_missing = int(np.isnan(self._matrix[rows, node.test.feature]).sum())
        return {"gaps": n_missing} if n_missing else {}

    def picture(self, node: Node, axes: dict[int, Axis] | None = None) -> Any:
        """Draw the rows of a node along its split."""
        rows = node.all_rows().astype(np.int64)
        if len(rows) == 0 or node.test is None:
            return None
        children = tuple(
            Node(i, node.statistics, rows=rows[:0].astype(np.uint32))
            for i in range(max(2, len(node.children)))
        )
        stump = Node(0, node.statistics, node.test, node.gain, children)
        tree = self.editor._tree_of(stump)
        if axes is None:
            cuts = self._cuts([stump])
            axes = {j: self._axis(j, found) for j, found in cuts.items()}
        passage = Passage(tree, self._matrix, self._categorical)
        return node_picture(
            passage, 0, rows, self._shown, self._slots, self._span, axes
        )

    # --- the head of the page ---------------------------------------------------------

    def _about(self) -> dict[str, Any]:
        model = self.editor.state.model
        return about_of(model) | {
            "estimator": type(model).__name__,
            "unseen": getattr(model, "unseen", "heavier"),
            "refusesMissing": getattr(model, "missing", "both") == "error",
        }

    def top(self) -> dict[str, Any]:
        """Return size, scores, versions and the sealed test."""
        editor = self.editor
        versions = editor._versions
        here = versions.here
        before = versions.every[max(here.parent, 0)]
        every = versions.every[-_MOST_VERSIONS:]
        names = [v for v in versions.every[:-_MOST_VERSIONS] if v.name]
        return {
            "leaves": here.n_leaves,
            "depth": here.depth,
            "metric": editor.metric,
            "training": here.training,
            "validation": here.validation,
            "trainingBefore": before.training,
            "validationBefore": before.validation,
            "canUndo": here.parent >= 0,
            "canRedo": versions.current in versions.ahead,
            "current": versions.current,
            "edits": editor.n_edits,
            "looks": editor.looks,
            "hasTest": len(editor._data.sealed[0]) > 0,
            "sealed": editor.sealed,
            "versions": [
                {
                    "number": v.number,
                    "parent": v.parent,
                    "name": v.name,
                    "words": _words(v),
                    "leaves": v.n_leaves,
                    "training": v.training,
                    "validation": v.validation,
                }
                for v in itertools.chain(names, every)
            ],
        }


def _words(version: Any) -> str:
    """Describe an edit in a few words."""
    given = version.arguments
    parts = [version.operation.replace("_", " ")]
    parts += [
        str(given[name]) if name != "node" else f"node {given[name]}"
        for name in ("node", "below", "column", "threshold", "criterion", "how")
        if given.get(name) is not None
    ]
    return " ".join(parts)[:120]


def _are_same(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    """Compare what was told; nodes that an edit did not touch are the same objects."""
    if len(old) != len(new):
        return False
    for a, b in zip(old, new, strict=True):
        if isinstance(a, tuple) and isinstance(b, tuple):
            if not _are_same(a, b):
                return False
        elif a is not b and not (
            isinstance(a, bool | str | float | frozenset | Axis)
            and (a == b or (a != a and b != b))
        ):
            return False
    return True
