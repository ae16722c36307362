# SPDX-License-Identifier: BSD-3-Clause
"""How an editor starts: with nothing, with a tree, or where another one has stopped."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ramify.editing.data import EditorData, read_data
from ramify.editing.edits import Context, refilled
from ramify.editing.engine import Engine, check_editable
from ramify.editing.node import Node, nodes_of
from ramify.editing.saving import arrays_of, read_state, read_versions, tree_from
from ramify.editing.script import spoken
from ramify.editing.state import State
from ramify.editing.versions import Version, Versions
from ramify.estimators.loading import read_tree_model
from ramify.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from ramify.serialization.plain import plain_parameters
from ramify.tree import Tree

__all__ = ["Start", "opened"]

_EDITED = (
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ObliqueTreeClassifier",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
)
_DEFAULT = {"validation": None, "test": None, "random_state": 0}


@dataclass
class Start:
    """What an editor begins with."""

    data: EditorData
    model: Any  # not fitted: its parameters
    tree: Tree | None  # what was edited first; None for one leaf
    asked: dict[str, Any]
    metric: Any
    has_model: bool
    file: Any = None  # how `ramify fit` read the columns, if it did
    versions: Versions = field(default_factory=lambda: Versions([]))
    looks: int = 0
    sealed: dict[str, Any] | None = None

    def first(self) -> State:
        """Return the state before all edits."""
        data, engine = self.data, Engine(self.data, self.model)
        rows, held = data.every_row(), data.every_held()
        if self.tree is None:
            root = Node(0, engine.statistics(rows, None), rows=rows, held=held)
            return State(root, 1, self.model)
        root = nodes_of(self.tree, data.route, rows, held, lambda place: place)
        state = State(root, self.tree.node_count, self.model)
        anew = refilled(Context(data, engine, self.model), root, rows, held, None)
        if not _are_alike(root, anew):
            return replace(state, root=anew, is_by_hand=True)
        return state

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file says of the start."""
        return {
            "asked": spoken(self.asked),
            "start": {
                "kind": type(self.model).__name__,
                "parameters": plain_parameters(self.model),
                "is_given": self.has_model,
                "tree": None if self.tree is None else arrays_of(self.tree),
            },
        }

    @property
    def words(self) -> str:
        """How a script names what the editor starts with."""
        if self.tree is not None:
            return "start"
        if not self.has_model:
            return "None"
        plain = self.model.__repr__(N_CHAR_MAX=10**9)
        return "ramify." + " ".join(plain.split())

    @property
    def model_line(self) -> str:
        """The line of a script that loads the tree that was edited first."""
        if self.tree is None:
            return ""
        return "start = ramify.load('start.ramify')  # the tree that was edited"

    @property
    def asked_words(self) -> dict[str, Any]:
        """What a script says besides, as JSON can hold it."""
        words = {n: v for n, v in self.asked.items() if not _same(v, _DEFAULT[n])}
        if isinstance(self.metric, str):
            words["metric"] = self.metric
        own = self.data
        if own.weight is not None:
            words["sample_weight"] = _Name("sample_weight")
        for name in ("criterion_data", "sensitive", "treatment"):
            if getattr(own.extra, name) is not None:
                words[name] = _Name(name)
        return {n: v if isinstance(v, _Name) else spoken(v) for n, v in words.items()}


class _Name(str):
    """A name of a variable, which is written without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and bool(np.all(a == b)))


def _are_alike(one: Node, other: Node) -> bool:
    """Return whether the rows say what a tree says already."""
    for a, b in zip(one.walk(), other.walk(), strict=True):
        if (
            a.statistics.n_rows != b.statistics.n_rows
            or a.statistics.value.shape != b.statistics.value.shape
        ):
            return False
        if not np.allclose(
            a.statistics.value, b.statistics.value, rtol=1e-9, atol=1e-12
        ):
            return False
        if not np.isclose(a.statistics.weight, b.statistics.weight, rtol=1e-9):
            return False
    return True


def opened(
    model: Any, X: Any, y: Any, extra: Any, asked: dict[str, Any], metric: Any
) -> Start:
    """Return the start of an editor."""
    if model is not None and type(model).__name__ not in _EDITED:
        raise TypeError(
            f"ramify.edit takes a single tree, fitted or not, or None; not "
            f"{model!r:.60}. Such trees are {', '.join(_EDITED)}"
        )
    if hasattr(model, "predict_survival_function"):
        raise TypeError(
            f"ramify.edit knows trees of classes and numbers, not "
            f"{type(model).__name__}; ramify.view shows its curves"
        )
    is_fitted = hasattr(model, "tree_")
    edits = getattr(model, "edits_", None) if is_fitted else None
    if edits is not None:
        return _gone_on(model, X, y, extra, asked, metric, edits)
    has_model = model is not None
    if model is None:
        model = (
            DecisionTreeRegressor() if _has_fractions(y) else DecisionTreeClassifier()
        )
    is_numeric = bool(model._is_regression)
    data = read_data(model, is_fitted, is_numeric, X, y, extra, asked)
    bare = _bare(model)
    tree = None
    if is_fitted:
        tree = model.tree_
        check_editable(tree)
    file = getattr(model, "file_", None)
    start = Start(data, bare, tree, asked, metric, has_model, file)
    state = start.first()
    start.versions.every.append(
        Version(0, -1, "start", {}, 0, 0, None, None, state=state)
    )
    return start


def _bare(model: Any) -> Any:
    """Return a model without its tree; what else it has learnt stays."""
    bare = copy.copy(model)
    bare.__dict__.pop("tree_", None)
    bare.__dict__.pop("edits_", None)
    return bare


def _has_fractions(y: Any) -> bool:
    values = np.asarray(y)
    if values.dtype.kind != "f":
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.floor(known)).any())


def _gone_on(
    model: Any,
    X: Any,
    y: Any,
    extra: Any,
    asked: dict[str, Any],
    metric: Any,
    edits: dict[str, Any],
) -> Start:
    """Return the start of an editor that goes on where a saved one stopped."""
    stored = dict(edits["asked"])
    for name, value in asked.items():
        if not _same(value, _DEFAULT[name]) and spoken(value) != stored[name]:
            raise ValueError(
                f"{name}={value!r}, but the edits of this model were made with "
                f"{name}={stored[name]!r}; leave it out to go on"
            )
    if edits["format"] != 1:
        raise ValueError(
            f"the edits of this model have format {edits['format']!r}; this release "
            "reads format 1"
        )
    bare = _bare(model)
    data = read_data(model, True, bool(model._is_regression), X, y, extra, stored)
    if data.fingerprint != edits["fingerprint"]:
        raise ValueError(
            "X and y are not the rows that the edits of this model were made on; give "
            "the same rows in the same order. To edit the tree on other rows, take "
            "its edits away: del model.edits_"
        )
    begun = edits["start"]
    first = read_tree_model(begun["kind"], begun["parameters"])
    tree = None
    if begun["tree"] is not None:
        tree = tree_from(begun["tree"], data.schema.n_columns, data.target.n_classes)
    start = Start(
        data,
        first,
        tree,
        stored,
        edits["metric"] if metric is None else metric,
        bool(begun["is_given"]),
        getattr(model, "file_", None),
        read_versions(edits),
        int(edits["looks"]),
        edits["sealed"],
    )
    start.versions.here.state = _current(data, model, bare, edits)
    return start


def _current(data: EditorData, model: Any, bare: Any, edits: dict[str, Any]) -> State:
    """Return the state of the tree in the file."""
    here = edits["here"]
    tree: Tree = model.tree_
    numbers = [int(n) for n in here["numbers"]]
    if len(numbers) != tree.node_count:
        raise ValueError(
            "the edits of this model are of another tree; del model.edits_"
        )
    value = tree.value.copy()
    for place, each in here["overrides"].items():
        value[int(place)] = np.array(each["rows_say"])
    own = Tree(
        {**tree.arrays(), "value": value}, tree.n_features, tree.n_classes.tolist()
    )
    root = nodes_of(
        own,
        data.route,
        data.every_row(),
        data.every_held(),
        lambda place: numbers[place],
    )
    place_of = {name: j for j, name in enumerate(data.schema.names)}
    return read_state(here, State(root, 0, bare), place_of)
