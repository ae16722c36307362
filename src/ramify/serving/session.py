# SPDX-License-Identifier: BSD-3-Clause
"""One editor behind a page: edits one at a time, each saved before it is answered."""

from __future__ import annotations

import inspect
import json
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ramify import criteria, exports
from ramify.editing.candidates import candidates, read_criteria
from ramify.editing.editor import OPERATIONS, TreeEditor
from ramify.editing.looking import machine, machines, previewed
from ramify.estimators.tree.methods import TREE_METHODS
from ramify.messages import did_you_mean
from ramify.serving.page_data import PageData
from ramify.viewer.page_data import plain_number, rounded
from ramify.viewer.pair.page import pair_page

__all__ = ["Cancelled", "Session", "StaleVersion"]

_ASKED = ("undo", "redo", "switch", "branch", "reveal_test")  # besides the operations
_HOW = ("ccp", "rep", "pep", "ebp", "mep", "cvp", "mdl")


class StaleVersion(ValueError):  # noqa: N818  # it is the version that is stale
    """A page asked for an edit of a version that is not the current one."""


class Cancelled(RuntimeError):  # noqa: N818  # nothing went wrong
    """Long work was stopped by the person who had asked for it."""


class _Progress:
    """Tells pages how far long work is, and ends it on request."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._told = -1.0
        self.is_cancelled = False

    def __call__(self, share: float) -> None:
        if self.is_cancelled:
            raise Cancelled
        if share - self._told >= 0.01:
            self._told = share
            self._tell({"kind": "progress", "share": round(share, 3)})

    def close(self) -> None:
        self._tell({"kind": "progress", "share": None})


class Session:
    """What the server keeps: an editor, what pages know of it, and where it is saved.

    Parameters
    ----------
    editor : TreeEditor
    title : str
    autosave : path, optional
        Written after every edit, before the page is answered.
    output : path, optional
        What "Save" writes.
    """

    def __init__(
        self,
        editor: TreeEditor,
        title: str,
        autosave: str | os.PathLike[str] | None = None,
        output: str | os.PathLike[str] | None = None,
    ) -> None:
        self.editor, self.title = editor, title
        self.autosave = None if autosave is None else Path(autosave)
        self.output = None if output is None else Path(output)
        self.version = 1
        self._page = PageData(editor)
        self._lock = threading.Lock()
        self._listeners: list[queue.SimpleQueue[dict[str, Any]]] = []
        self._progress: _Progress | None = None
        self._is_editing = False
        editor._listeners.append(self._changed_elsewhere)

    # --- state and edits -------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return all that a page needs to begin."""
        with self._lock:
            return (
                {"version": self.version}
                | self._page.whole(self.title)
                | {"choices": self._choices()}
            )

    def _choices(self) -> dict[str, Any]:
        """Return what there is to choose from."""
        is_numeric = self.editor._data.is_numeric
        every = criteria.names("regression" if is_numeric else "criteria")
        return {
            "criteria": [name for name in every if self._is_usable(name)],
            "methods": [] if is_numeric else sorted(TREE_METHODS),
            "pruning": list(_HOW),
            "formats": [each["name"] for each in exports.export_formats()],
            "output": None if self.output is None else self.output.name,
        }

    def _is_usable(self, name: str) -> bool:
        """Return whether a criterion can score the root with what is known of rows."""
        editor = self.editor
        try:
            context = editor._context(editor.state)
            chosen = read_criteria(context, name)[name]
            rows = editor._data.every_row()
            context.engine.check_target(chosen, rows)
            context.engine._needs_sums(chosen)
        except (ValueError, TypeError):
            return False
        return True

    def edit(self, version: Any, operation: Any, arguments: Any) -> dict[str, Any]:
        """Make an edit of the current version; return what it changed."""
        call = self._checked(operation, arguments)
        with self._lock:
            if version != self.version:
                raise StaleVersion(
                    f"this page shows version {version}, and the tree is at version "
                    f"{self.version}: another page, or a notebook, has edited it"
                )
            progress = self._progress = _Progress(self.tell)
            self.editor._progress = progress
            self._is_editing = True
            try:
                found = call()
                self.version += 1
                self.editor._look()
                changed = self._page.changed()
                self._autosave()
            finally:
                self._is_editing = False
                self.editor._progress = self._progress = None
        self.tell({"kind": "changed", "version": self.version})
        return {"version": self.version, "found": found} | changed

    def _checked(self, operation: Any, arguments: Any) -> Callable[[], Any]:
        """Return the call of an operation whose arguments have names that it takes."""
        if not isinstance(operation, str) or operation not in (*OPERATIONS, *_ASKED):
            hint = did_you_mean(operation, [*OPERATIONS, *_ASKED])
            raise ValueError(f"operation={operation!r} is unknown{hint}")
        if not isinstance(arguments, dict):
            raise TypeError(f"arguments={arguments!r} is not allowed; use an object")
        method = getattr(self.editor, operation)
        try:
            inspect.signature(method).bind(**arguments)
        except TypeError as error:
            raise TypeError(f"{operation}(): {error}") from None
        return lambda: method(**arguments)

    def _changed_elsewhere(self) -> None:
        """Tell pages that a notebook has edited the tree."""
        if self._is_editing:
            return
        self.version += 1
        self._autosave()
        self.tell({"kind": "changed", "version": self.version})

    def _autosave(self) -> None:
        if self.autosave is not None:
            self.editor.save(self.autosave)

    def save(self) -> dict[str, Any]:
        """Write the model where the command line said."""
        if self.output is None:
            raise ValueError("this studio was started without a file to save to")
        with self._lock:
            self.editor.save(self.output)
        return {"saved": self.output.name}

    # --- looking ---------------------------------------------------------------------

    def candidates(
        self, node: Any, names: list[str] | None, k: int, kind: str
    ) -> dict[str, Any]:
        """Return the best splits of a node, each as the page draws it."""
        with self._lock:
            editor = self.editor
            editor._look()
            state = editor.state
            context = editor._context(state)
            found, chosen = candidates(
                context, state, node, names or None, None, k, kind
            )
            here = state.find(node)
            rows = []
            for each in found:
                shown = type(here)(here.number, here.statistics, each.test, 0.0)
                shown = _with_rows(shown, here)
                rows.append(
                    {
                        "column": each.column,
                        "test": self._page.split_data(each.test),
                        "apply": self._split_of(each.test),
                        "picture": self._page.picture(shown),
                        "rows": [each.n_left, each.n_right],
                        "sides": [each.left, each.right],
                        "scores": [rounded(each.scores[n]) for n in chosen],
                        "ranks": [each.ranks[n] for n in chosen],
                        "logworth": plain_number(each.logworth),
                        "validationGain": rounded(each.validation_gain),
                        "by": each.by,
                    }
                )
            cuts = {c.test.feature: [c.test.threshold] for c in found}
            columns = {}
            for j, thresholds in cuts.items():
                if not self._page._infos[j].is_categorical:
                    columns[j] = self._page._ends(
                        self._page._axis(j, tuple(thresholds))
                    )
            return {
                "version": self.version,
                "criteria": chosen,
                "rows": rows,
                "columns": columns,
                "looks": editor.looks,
            }

    def _split_of(self, test: Any) -> dict[str, Any]:
        """Return the arguments of `split` that make a test."""
        schema = self.editor._data.schema
        if test.terms is not None:
            terms, weights = test.terms, {}
            for j, code, weight in zip(
                terms.column.tolist(),
                terms.category.tolist(),
                terms.weight.tolist(),
                strict=True,
            ):
                name = schema.names[j]
                if code >= 0:
                    name = f"{name}={schema.columns[j].categories[code]}"
                weights[name] = weight
            return {"weights": weights, "threshold": test.threshold}
        found: dict[str, Any] = {
            "column": test.feature,
            "missing": ("left", "right")[min(1, test.missing)],
        }
        if test.listed:
            known = schema.columns[test.feature].categories
            left = [known[int(code)] for code, b in test.listed.items() if b == 0]
            return found | {"categories": left}
        return found | {"threshold": test.threshold}

    def preview(self, node: Any, criterion: Any, cut: Any) -> dict[str, Any]:
        """Return what a cut would do, while it is dragged."""
        with self._lock:
            state = self.editor.state
            return previewed(self.editor._context(state), state, node, criterion, **cut)

    def machines(self, names: list[str]) -> list[dict[str, Any]]:
        """Return sizes and scores of automatic trees."""
        with self._lock:
            self.editor._look()
            state = self.editor.state
            context = self.editor._context(state)
            return machines(context, state, names, self.editor.metric)

    def face_to_face(self, criterion: str, alpha: float) -> str:
        """Return the page of the tree beside an automatic one, on the training rows."""
        with self._lock:
            editor = self.editor
            state = editor.state
            other = machine(editor._context(state), state, criterion, alpha)
            model = editor.model
            X, y = self._training_rows()
        page = pair_page(
            model,
            other,
            X,
            y,
            names=["by hand", f"{criterion} alone"],
            cv=None,
            title=f"{self.title}: by hand and by {criterion}",
            scripts_at="static/",
        )
        return page.html

    def _training_rows(self) -> tuple[Any, Any]:
        """Return the training rows as a model reads them, and their targets."""
        data = self.editor._data
        columns: dict[str, Any] = {}
        for j, info in enumerate(data.schema.columns):
            values = data.matrix[:, j]
            if info.is_categorical:
                known = [*info.categories, None]
                codes = np.nan_to_num(values, nan=-1.0).astype(int)
                columns[info.name] = [known[code] for code in codes]
            else:
                columns[info.name] = values.tolist()
        names = list(columns)
        if data.schema.has_names:
            X: Any = [
                dict(zip(names, r, strict=True))
                for r in zip(*columns.values(), strict=True)
            ]
        else:
            X = np.array(data.matrix)
        if data.is_numeric:
            return X, data.target.values[:, 0]
        return X, data.target.classes[0][data.target.codes[:, 0]]

    def export(self, format: str, dialect: str | None) -> Any:
        """Return the current version in another form, with its certificate."""
        options: dict[str, Any] = {} if dialect is None else {"dialect": dialect}
        with self._lock:
            model = self.editor.model
        return exports.export(model, format, **options)

    def script(self) -> str:
        """Return the edits as Python."""
        with self._lock:
            return self.editor.script()

    # --- events ----------------------------------------------------------------------

    def listen(self) -> queue.SimpleQueue[dict[str, Any]]:
        """Return a queue of what happens from now on."""
        found: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._listeners.append(found)
        return found

    def leave(self, listener: queue.SimpleQueue[dict[str, Any]]) -> None:
        """Stop telling a listener."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def tell(self, event: dict[str, Any]) -> None:
        """Tell every listener."""
        for listener in list(self._listeners):
            listener.put(event)

    def cancel(self) -> bool:
        """End long work; return whether there was any."""
        progress = self._progress
        if progress is None:
            return False
        progress.is_cancelled = True
        return True


def _with_rows(shown: Any, here: Any) -> Any:
    """Give a node that is only drawn the rows of another."""
    leaf = type(here)(0, here.statistics, rows=here.all_rows(), held=here.all_held())
    empty = type(here)(1, here.statistics, rows=here.all_rows()[:0])
    return type(here)(shown.number, here.statistics, shown.test, 0.0, (leaf, empty))


def as_json(value: Any) -> bytes:
    """Write an answer; JSON has no NaN."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
