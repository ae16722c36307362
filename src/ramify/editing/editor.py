# SPDX-License-Identifier: BSD-3-Clause
"""A tree that a person grows and edits; every edit can be undone and done again."""

from __future__ import annotations

import copy
import importlib
import inspect
import os
import threading
from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ramify.editing import edits
from ramify.editing.candidates import candidates, to_frame
from ramify.editing.edits import Context
from ramify.editing.engine import Engine, empty_tree
from ramify.editing.finishing import model_of
from ramify.editing.growing import grow, prune
from ramify.editing.node import tree_of
from ramify.editing.opening import Start, opened
from ramify.editing.rounding import round_thresholds
from ramify.editing.saving import FORMAT, said
from ramify.editing.scoring import score_of, score_tree, usual_metric, values_of
from ramify.editing.script import script_of, spoken
from ramify.editing.state import State
from ramify.editing.versions import Version
from ramify.estimators.validation.sample import Extra
from ramify.table.sources import frame_backend
from ramify.viewer import view
from ramify.viewer.config import get_config

__all__ = ["OPERATIONS", "TreeEditor", "edit"]

OPERATIONS: dict[str, Callable[..., State]] = {
    "split": edits.split,
    "move": edits.move,
    "round_thresholds": round_thresholds,
    "grow": grow,
    "prune": prune,
    "raise_child": edits.raise_child,
    "copy": edits.copy,
    "set_leaf": edits.set_leaf,
    "free_leaf": edits.free_leaf,
    "lock": edits.lock,
    "unlock": edits.unlock,
    "forbid": edits.forbid,
    "allow": edits.allow,
    "note": edits.note,
}
_NODES = ("node", "below", "source", "to")  # arguments that name one


def edit(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    validation: Any = None,
    test: Any = None,
    random_state: int = 0,
    metric: Any = None,
    criterion_data: Any = None,
    sensitive: Any = None,
    treatment: Any = None,
) -> TreeEditor:
    """Grow and edit a tree by hand, with every criterion at your side.

    The rows are dealt into those that the tree learns from, those that score each
    version (`validation`), and those that score the last one, once (`test`). Leaves,
    splits and candidates look at the training rows only.

    Parameters
    ----------
    model : None, estimator or fitted tree
        None starts with one leaf, of classes, or of numbers if y has fractions. An
        estimator that is not fitted, such as ``DecisionTreeRegressor()``, says what is
        predicted, and what holds for the whole tree (`class_weight`, `cost_matrix`). A
        fitted single tree is edited as it is; if an editor has made it, its edits go
        on, and the rows must be the same.
    X, y : table and target
        All rows.
    sample_weight : array, optional
        Weights of the rows.
    validation, test : float or list of rows, optional
        Which rows are kept apart: a share, of each class the same, or their indices.
    random_state : int, default=0
        Seed of these shares.
    metric : str, scorer or callable, optional
        What scores are: any metric of `ramify.compare`. By default "accuracy", or "r2"
        for numbers.
    criterion_data, sensitive, treatment : array, optional
        As in `DecisionTreeClassifier.fit`, one entry per row of X.

    Returns
    -------
    TreeEditor

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> editor = ramify.edit(None, X, y, validation=0.3)
    >>> editor.split(0, "petal length (cm)", threshold=2.5)
    >>> editor.grow("R", criterion="hellinger", max_depth=1)
    >>> editor
    TreeEditor(3 leaves, depth 2, 2 edits, training accuracy 0.981)
    >>> print(ramify.export_text(editor.model))
    petal length (cm) <= 2.5: 0 (35 of 35)
    petal length (cm) > 2.5
        petal length (cm) <= 4.95: 1 (35 of 37)
        petal length (cm) > 4.95: 2 (33 of 33)
    >>> print(editor.script())  # doctest: +ELLIPSIS
    \"\"\"A tree that was grown and edited by hand; X and y are its rows.\"\"\"
    import ramify
    <BLANKLINE>
    editor = ramify.edit(None, X, y, validation=0.3)
    editor.split(0, 'petal length (cm)', threshold=2.5)
    editor.grow(2, criterion='hellinger', max_depth=1)
    model = editor.model
    <BLANKLINE>
    """
    extra = Extra(sample_weight, criterion_data, sensitive, treatment)
    asked = {"validation": validation, "test": test, "random_state": random_state}
    return TreeEditor(opened(model, X, y, extra, asked, metric))


class TreeEditor:
    """A tree that is grown and edited; `ramify.edit` makes it.

    Nodes have handles: a number, which a node keeps until it is removed, or a path from
    the root such as ``"LRL"``. Node 0 is the root. Every edit makes a version; `undo`
    goes back to the one before, and an edit from there makes a branch.

    Attributes
    ----------
    metric : str
        What scores are.
    sealed : dict or None
        What `reveal_test` gave: the score, and how many edits and looks at the
        validation rows came before.
    """

    def __init__(self, start: Start) -> None:
        self._start = start
        self._data = start.data
        self._versions = start.versions
        self._looks = start.looks
        self.metric = usual_metric(start.metric, self._data.is_numeric)
        self.sealed: dict[str, Any] | None = start.sealed
        self._engines: dict[int, Engine] = {}
        self._model: tuple[int, Any] | None = None
        self._progress: Any = None
        self._lock = threading.RLock()
        self._studio: Any = None  # that a notebook shows
        self._listeners: list[Callable[[], None]] = []
        first = self._versions.every[0]
        if first.n_leaves == 0:  # a new one
            assert first.state is not None
            self._measure(first, first.state)

    # --- looking ---------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The current version of the tree."""
        return self._state_of(self._versions.here)

    @property
    def version(self) -> int:
        """The number of the current version."""
        return self._versions.current

    @property
    def n_edits(self) -> int:
        """How many edits were made, those that were undone included."""
        return len(self._versions.every) - 1

    @property
    def nodes(self) -> Any:
        """The nodes of the current version, as a data frame, one row each."""
        state = self.state
        rows = list(state.root.walk())
        data: dict[str, Any] = {
            "node": [node.number for node in rows],
            "path": [state.path_of(node.number) for node in rows],
            "split": [self._words(node) for node in rows],
            "n_rows": [node.statistics.n_rows for node in rows],
            "value": [values_of(state, node).ravel().tolist() for node in rows],
            "locked": [node.number in state.locked for node in rows],
            "note": [state.notes.get(node.number, "") for node in rows],
        }
        chosen: Any = frame_backend(None)
        return nw.from_dict(data, backend=chosen).to_native()

    def _words(self, node: Any) -> str:
        test = node.test
        if test is None:
            return ""
        names = self._data.schema.names
        if test.terms is not None:
            sums = (
                f"{weight:.4g} {names[j]}"
                for weight, j in zip(test.terms.weight, test.terms.column, strict=True)
            )
            return f"{' + '.join(sums)} <= {test.threshold:.6g}"
        name = names[test.feature]
        if not test.listed:
            return f"{name} <= {test.threshold!r}"
        info = self._data.schema.columns[test.feature]
        if not info.is_categorical:
            return f"{name} in {len(node.children)} intervals"
        left = [info.categories[int(c)] for c, b in test.listed.items() if b == 0]
        return f"{name} in {{{', '.join(map(str, left))}}}"

    def candidates(
        self,
        node: Any,
        criteria: Any = None,
        *,
        columns: Any = None,
        k: int = 10,
        kind: str = "axis",
        exact: bool | None = None,
    ) -> Any:
        """Return the best splits of a node, by several criteria beside each other.

        Of every column the best cut by each criterion is taken. The rows of the frame
        have the split, its rows and class shares (or means) on both sides, its score
        and rank among these splits by each criterion, `logworth` (-log10 of the p-value
        of the chi-square or F test, times the number of splits of the column), and
        `validation_gain`, what the first criterion gives the split on the validation
        rows; looking at it is counted.

        Parameters
        ----------
        node : int or str
            The node.
        criteria : criterion, or list of criteria, optional
            Those that score; the first one ranks. That of the model if not given.
        columns : list, optional
            Only these; without those that are forbidden there.
        k : int, default=10
            How many splits.
        kind : {"axis", "oblique"}, default="axis"
            Splits of one column, or one direction by each oblique method.
        exact : bool, optional
            Whether every cut is scored, or those at 255 quantiles of a column. By
            default quantiles are for nodes of more than 300,000 rows.
        """
        found, names = self._candidates(
            node, criteria=criteria, columns=columns, k=k, kind=kind, exact=exact
        )
        return to_frame(self._context(self.state), found, names)

    def _candidates(self, node: Any, **how: Any) -> Any:
        self._look()
        state = self.state
        return candidates(self._context(state), state, node, **how)

    @property
    def history(self) -> Any:
        """All edits as a data frame, with what each did to size and scores.

        Scores of validation rows are in it, so this is counted as a look at them.
        """
        self._look()
        every = self._versions.every
        before = [every[max(v.parent, 0)] for v in every]
        both = list(zip(every, before, strict=True))
        data: dict[str, Any] = {
            "version": [v.number for v in every],
            "parent": [v.parent for v in every],
            "name": [v.name for v in every],
            "operation": [v.operation for v in every],
            "arguments": [
                ", ".join(f"{k}={a!r}" for k, a in v.arguments.items()) for v in every
            ],
            "n_leaves": [v.n_leaves for v in every],
            "depth": [v.depth for v in every],
            "training": [_number(v.training) for v in every],
            "validation": [_number(v.validation) for v in every],
            "leaves_change": [v.n_leaves - b.n_leaves for v, b in both],
            "validation_change": [
                _number(v.validation) - _number(b.validation) for v, b in both
            ],
            "is_current": [v.number == self.version for v in every],
        }
        chosen: Any = frame_backend(None)
        return nw.from_dict(data, backend=chosen).to_native()

    def score(self, metric: Any = None) -> dict[str, float | None]:
        """Return the score of the training and of the validation rows.

        Several outputs give the mean of their scores. It counts as a look at the
        validation rows.
        """
        self._look()
        name = self.metric
        if metric is not None:
            name = usual_metric(metric, self._data.is_numeric)
        return {
            part: score_of(self._data, self.state.model, self.state, part, name)
            for part in ("training", "validation")
        }

    def reveal_test(self, metric: Any = None) -> dict[str, Any]:
        """Return the score of the sealed test rows; once.

        It says how many edits and how many looks at the validation rows came before,
        and so does the saved model.
        """
        if self.sealed is not None:
            raise ValueError(
                "the test rows were looked at already, after "
                f"{self.sealed['edits']} edits: {self.sealed['metric']} "
                f"{self.sealed['score']:.4g}; a second look would not be honest"
            )
        if len(self._data.sealed[0]) == 0:
            raise ValueError(
                "no rows were kept for a test; start the editor with test=0.2"
            )
        name = self.metric
        if metric is not None:
            name = usual_metric(metric, self._data.is_numeric)
        self.sealed = {
            "metric": name,
            "score": score_tree(self._data, self.model, self.model.tree_, "test", name),
            "edits": self.n_edits,
            "looks": self._looks,
            "version": self.version,
        }
        self._model = None  # which carries the record
        self._tell()
        return dict(self.sealed)

    @property
    def looks(self) -> int:
        """How often scores of the validation rows were looked at."""
        return self._looks

    def _look(self) -> None:
        if len(self._data.held[0]):
            self._looks += 1
            self._model = None

    # --- editing ---------------------------------------------------------------------

    def split(
        self,
        node: Any,
        column: Any = None,
        *,
        threshold: float | None = None,
        categories: Any = None,
        weights: Any = None,
        missing: str | None = None,
        allow_empty: bool = False,
    ) -> None:
        """Replace whatever is below a node by a split; its children become leaves.

        Parameters
        ----------
        node : int or str
            The node.
        column : str or int
            The column; with `weights` none.
        threshold : float
            Numbers that are not above it go left.
        categories : list
            Those that go left.
        weights : dict
            Weights of columns, whose sum is compared with `threshold` (by default where
            the criterion would cut it); ``"city=Oslo"`` is 1 in rows of that category.
        missing : {"left", "right"}, optional
            Where rows without a value go: by default where the criterion likes them
            better, or to the heavier side if no row of the node misses its value.
        allow_empty : bool, default=False
            Whether a side may have no rows; it then says what the node says.
        """
        self._do(
            "split",
            node=node,
            column=column,
            threshold=threshold,
            categories=categories,
            weights=weights,
            missing=missing,
            allow_empty=allow_empty,
        )

    def move(
        self,
        node: Any,
        *,
        threshold: float | None = None,
        categories: Any = None,
        missing: str | None = None,
        allow_empty: bool = False,
    ) -> None:
        """Change the cut of a node and keep what is below; rows go down anew.

        Parameters are as in `split`.
        """
        self._do(
            "move",
            node=node,
            threshold=threshold,
            categories=categories,
            missing=missing,
            allow_empty=allow_empty,
        )

    def round_thresholds(
        self, digits: int = 2, below: Any = 0, tolerance: float = 0.0
    ) -> None:
        """Round thresholds to short decimals.

        A threshold stays between the two training values on either side of it, so that
        no training prediction changes; it has more digits where that needs them.

        Parameters
        ----------
        digits : int, default=2
            Significant digits.
        below : int or str, default=0
            The node where to begin.
        tolerance : float, default=0.0
            How much the training loss (mean Brier score, or mean squared error) may
            rise in all, for thresholds that leave their interval.
        """
        self._do("round_thresholds", digits=digits, below=below, tolerance=tolerance)

    def grow(
        self,
        node: Any,
        *,
        criterion: Any = None,
        method: str | None = None,
        max_depth: int | None = None,
        columns: Any = None,
        **parameters: Any,
    ) -> None:
        """Grow the rows of a node to a subtree; locked nodes below it stay.

        At the root this is what ``fit`` of the training rows gives, to the last bit,
        and its parameters become those of the model.

        Parameters
        ----------
        node : int or str
            The node.
        criterion : criterion, optional
            Any name, expression or function that trees take.
        method : str, optional
            A published method that grows one tree, such as "c45" or "wodt"; or
            "optimal", which searches the subtree of fewest errors as
            `OptimalTreeClassifier` and `OptimalTreeRegressor` do, with their
            parameters.
        max_depth : int, optional
            Most tests below the node.
        columns : list, optional
            Only these; without those that are forbidden there.
        **parameters
            Any other parameters of the estimator or method.
        """
        self._do(
            "grow",
            node=node,
            criterion=criterion,
            method=method,
            max_depth=max_depth,
            columns=columns,
            **parameters,
        )

    def prune(
        self,
        node: Any = None,
        *,
        below: Any = None,
        how: str | None = None,
        **prune_params: Any,
    ) -> None:
        """Make a node a leaf; or prune what is below one by a published method.

        Parameters
        ----------
        node : int or str
            The node that becomes a leaf.
        below : int or str
            The node whose subtree is pruned instead; locked nodes and their paths stay.
        how : str
            A method of `ramify.prune`: "ccp", "rep" (by the validation rows), "pep",
            "ebp", "mep", "cvp", "mdl" or "km".
        **prune_params
            Parameters of the method.
        """
        self._do("prune", node=node, below=below, how=how, **prune_params)

    def raise_child(self, node: Any, which: Any) -> None:
        """Replace a node by one of its children, to which all its rows go.

        Parameters
        ----------
        node : int or str
            The node.
        which : {"left", "right"} or int
            The child, by its side or number.
        """
        self._do("raise_child", node=node, which=which)

    def copy(self, source: Any, to: Any) -> None:
        """Graft a copy of the subtree of one node in the place of another."""
        self._do("copy", source=source, to=to)

    def set_leaf(
        self,
        node: Any,
        *,
        label: Any = None,
        probabilities: Any = None,
        value: Any = None,
        note: str = "",
    ) -> None:
        """Decide what a leaf says, in place of its rows; see `overrides`.

        Parameters
        ----------
        node : int or str
            A leaf.
        label : label
            The class that it predicts, with probability 1.
        probabilities : list or dict
            The probabilities of the classes.
        value : float
            The number that it predicts.
        note : str
            Why.
        """
        self._do(
            "set_leaf",
            node=node,
            label=label,
            probabilities=probabilities,
            value=value,
            note=note,
        )

    def free_leaf(self, node: Any) -> None:
        """Let a leaf say again what its rows say."""
        self._do("free_leaf", node=node)

    def lock(self, node: Any) -> None:
        """Keep a node and its path from `grow` and ``prune(below=)``."""
        self._do("lock", node=node)

    def unlock(self, node: Any) -> None:
        """Let a locked node be changed again."""
        self._do("unlock", node=node)

    def forbid(self, columns: Any, below: Any = 0) -> None:
        """Keep columns from `candidates` and `grow` at a node and below."""
        self._do("forbid", columns=columns, below=below)

    def allow(self, columns: Any = None, below: Any = 0) -> None:
        """Take back what `forbid` forbade at a node; all of it by default."""
        self._do("allow", columns=columns, below=below)

    def note(self, node: Any, text: str) -> None:
        """Write a text at a node, which travels with the model; "" removes it."""
        self._do("note", node=node, text=text)

    def _do(self, operation: str, /, **given: Any) -> None:
        """Make the next version by an edit."""
        with self._lock:
            self._edit(operation, given)
        self._tell()

    def _tell(self) -> None:
        """Tell who listens, such as a page, that something has changed."""
        for listener in self._listeners:
            listener()

    def _edit(self, operation: str, given: dict[str, Any]) -> None:
        state = self.state
        context = self._context(state)
        arguments = {n: v for n, v in given.items() if v is not _default(operation, n)}
        made = OPERATIONS[operation](context, state, **arguments)
        for name in _NODES:
            if arguments.get(name) is not None:
                arguments[name] = state.find(arguments[name]).number
        if operation == "raise_child" and not isinstance(given["which"], str):
            arguments["which"] = int(given["which"])
        version = Version(
            len(self._versions.every),
            self.version,
            operation,
            spoken(arguments),
            *(0, 0, None, None),
            state=made,
        )
        self._measure(version, made)
        self._versions.add(version)

    def _measure(self, version: Version, state: State) -> None:
        version.n_leaves = sum(1 for _ in state.root.leaves())
        version.depth = state.root.depth()
        version.state = state
        for part in ("training", "validation"):
            found = score_of(self._data, state.model, state, part, self.metric)
            setattr(version, part, found)

    def _context(self, state: State) -> Context:
        model = state.model
        engine = self._engines.get(id(model))
        if engine is None:
            engine = self._engines[id(model)] = Engine(self._data, model)
        return Context(self._data, engine, self._start.model, self._progress)

    def _tree_of(self, node: Any) -> Any:
        """Return some nodes as arrays."""
        return tree_of(node, empty_tree(self._data, node.statistics))

    # --- versions --------------------------------------------------------------------

    def undo(self) -> None:
        """Go back to the version before; a new edit from there makes a branch."""
        self._versions.back()
        self._tell()

    def redo(self) -> None:
        """Go forth to the version that was left last."""
        self._versions.forth()
        self._tell()

    def branch(self, name: str) -> None:
        """Give the current version a name, to which `switch` comes back."""
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"name={name!r} is not allowed; use a text")
        for version in self._versions.every:
            if version.name == name:
                version.name = ""
        self._versions.here.name = name
        self._model = None
        self._tell()

    def switch(self, name: Any) -> None:
        """Go to the version of a name, or of a number of `history`."""
        self._versions.current = self._versions.find(name).number
        self._tell()

    def _state_of(self, version: Version) -> State:
        """Return the tree of a version; one that was read from a file is made anew."""
        missing = []
        at = version
        while at.state is None:
            missing.append(at)
            if at.parent < 0:
                at.state = self._start.first()
                missing.pop()
                break
            at = self._versions.every[at.parent]
        for each in reversed(missing):
            before = self._versions.every[each.parent].state
            assert before is not None
            each.state = OPERATIONS[each.operation](
                self._context(before), before, **each.arguments
            )
        assert version.state is not None
        return version.state

    # --- results ---------------------------------------------------------------------

    @property
    def overrides(self) -> dict[int, dict[str, Any]]:
        """What people decided for leaves, beside what their rows say."""
        state = self.state
        statistics = {node.number: node.statistics for node in state.root.leaves()}
        return {
            number: {
                "value": np.array(each.value).squeeze().tolist(),
                "rows_say": statistics[number].value.squeeze().tolist(),
                "note": each.note,
            }
            for number, each in sorted(state.overrides.items())
        }

    @property
    def notes(self) -> dict[int, str]:
        """The texts at nodes."""
        return dict(sorted(self.state.notes.items()))

    @property
    def model(self) -> Any:
        """The current version as an ordinary fitted estimator.

        It can be saved, exported, certified, viewed and explained. Its `edits_` holds
        what the editor needs to go on: ``ramify.edit(model, X, y)``.
        """
        if self._model is None or self._model[0] != self.version:
            made = model_of(self._data, self.state)
            if self._start.file is not None:
                made.file_ = self._start.file
            made.edits_ = self._edits()
            self._model = self.version, made
        return copy.copy(self._model[1])

    def _edits(self) -> dict[str, Any]:
        start, versions = self._start, self._versions
        return {
            "format": FORMAT,
            **start.to_dict(),
            "metric": None if start.metric is None else self.metric,
            "fingerprint": self._data.fingerprint,
            "looks": self._looks,
            "sealed": self.sealed,
            "versions": [version.to_dict() for version in versions.every],
            "current": versions.current,
            "ahead": {str(k): v for k, v in versions.ahead.items()},
            "here": said(self.state, self._data.schema.names),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its edits to a file; see `ramify.save`."""
        self.model.save(path)

    def script(self) -> str:
        """Return Python that replays the edits and gives the same tree, to the bit."""
        start = self._start
        return script_of(
            self._versions.path(), start.words, start.asked_words, start.model_line
        )

    def _repr_html_(self) -> str | None:
        """Show the page of the studio in a notebook, which stays in step."""
        if get_config()["display"] == "text":
            return None
        # The server is made of this package, and comes with an extra: not before.
        serving = importlib.import_module("ramify.serving")
        try:
            if self._studio is None:
                self._studio = serving.studio(self, open_browser=False)
        except ImportError:  # without the extra a picture, which does not edit
            return view(self.model)._repr_html_()
        return str(self._studio._repr_html_())

    def __repr__(self) -> str:
        here = self._versions.here
        leaves = "1 leaf" if here.n_leaves == 1 else f"{here.n_leaves} leaves"
        n = len(self._versions.path()) - 1
        edits_ = "1 edit" if n == 1 else f"{n} edits"
        name = self.metric.replace("_", " ")
        score = (
            "" if here.training is None else f", training {name} {here.training:.4g}"
        )
        return f"TreeEditor({leaves}, depth {here.depth}, {edits_}{score})"


def _default(operation: str, name: str) -> Any:
    """Return what an argument is if it is not given; nothing equals that of others."""
    taken = inspect.signature(OPERATIONS[operation]).parameters
    return taken[name].default if name in taken else inspect.Parameter.empty


def _number(x: float | None) -> float:
    return np.nan if x is None else x
