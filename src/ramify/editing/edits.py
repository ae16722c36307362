# SPDX-License-Identifier: BSD-3-Clause
"""What a person does to nodes: one function per operation, from a state to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ramify.editing import cuts
from ramify.editing.data import EditorData
from ramify.editing.engine import Engine, resolved
from ramify.editing.node import Node, Places, Statistics, Test
from ramify.editing.state import Override, State
from ramify.messages import did_you_mean
from ramify.tree.tree import Tree

__all__ = ["Context", "refilled", "with_test"]


@dataclass(frozen=True, eq=False)
class Context:
    """What operations work with besides the state.

    Attributes
    ----------
    data, engine
        The rows, and who counts them.
    start : estimator
        What the editor started with, not fitted: what holds for every tree of it.
    progress : callable, optional
        Told how far long work is.
    """

    data: EditorData
    engine: Engine
    start: Any
    progress: Callable[[float], None] | None = None

    @property
    def criterion(self) -> Any:
        """The criterion of the model, by which edits are scored."""
        return resolved(self.engine.model, self.data.is_numeric)


# --- splits ---------------------------------------------------------------------------


def split(
    context: Context,
    state: State,
    node: Any,
    column: Any = None,
    *,
    threshold: Any = None,
    categories: Any = None,
    weights: Any = None,
    missing: Any = None,
    allow_empty: bool = False,
) -> State:
    """Replace whatever is below a node by a split."""
    here = state.find(node)
    refuse_locked(state, here, "split")
    if len(here.all_rows()) == 0:
        raise ValueError(f"node {here.number} has no rows to split")
    data = context.data
    if (column is None) == (weights is None):
        raise TypeError("split() takes a column, or weights= of several; give one")
    if threshold is not None and categories is not None:
        raise TypeError("split() takes threshold= or categories=; give one")
    if weights is not None:
        if categories is not None:
            raise TypeError("a weighted sum has a threshold=, and no categories=")
        test = cuts.cut_by_weights(
            data, context.engine, here, weights, threshold, context.criterion
        )
    else:
        j = cuts.column_of(data.schema, column)
        if threshold is not None:
            test = cuts.cut_by_threshold(data, here, j, threshold)
        elif categories is not None:
            test = cuts.cut_by_categories(data, here, j, categories)
        else:
            raise TypeError(
                f"split() of column {data.schema.names[j]!r} needs "
                + (
                    "categories=[...], those that go left"
                    if data.schema.columns[j].is_categorical
                    else "threshold="
                )
            )
    return with_test(context, state, here, test, missing, allow_empty)


def with_test(
    context: Context,
    state: State,
    here: Node,
    test: Test,
    missing: Any,
    allow_empty: bool,
) -> State:
    """Give a node a test, and leaves below it."""
    test, parts = cuts.settled(
        context.data,
        context.engine,
        context.criterion,
        here,
        test,
        missing,
        allow_empty,
    )
    number = state.next_number
    children = tuple(
        Node(
            number + i,
            context.engine.statistics(rows, here.statistics),
            rows=rows,
            held=held,
        )
        for i, (rows, held) in enumerate(parts)
    )
    made = Node(
        here.number, here.statistics, test, _gain(context, test, here), children
    )
    root = state.root.replaced(here.number, lambda _: made)
    return state.with_root(root, number + len(children))


def move(
    context: Context,
    state: State,
    node: Any,
    *,
    threshold: Any = None,
    categories: Any = None,
    missing: Any = None,
    allow_empty: bool = False,
) -> State:
    """Change the cut of a node and keep what is below; its rows are sent down anew."""
    here = state.find(node)
    test = here.test
    if test is None:
        raise ValueError(f"node {here.number} is a leaf and has no cut to move")
    if here.number in state.locked:
        raise _locked(here.number, "move")
    if len(here.children) > 2 or test.kind == Tree.INTERVALS:
        raise ValueError(
            f"node {here.number} has {len(here.children)} branches, and no one cut to "
            "move; split it anew"
        )
    if (threshold is None) == (categories is None):
        raise TypeError("move() takes threshold= or categories=; give one")
    if test.terms is not None:
        if threshold is None:
            raise TypeError("a weighted sum has a threshold=, and no categories=")
        new = replace(test, threshold=cuts.number_of("threshold", threshold))
    elif threshold is not None:
        new = cuts.cut_by_threshold(context.data, here, test.feature, threshold)
    else:
        new = cuts.cut_by_categories(context.data, here, test.feature, categories)
    return moved(context, state, here, new, missing, allow_empty)


def moved(
    context: Context,
    state: State,
    here: Node,
    test: Test,
    missing: Any,
    allow_empty: bool,
) -> State:
    """Give a node another test of the same kind, and its rows to its children."""
    test, parts = cuts.settled(
        context.data,
        context.engine,
        context.criterion,
        here,
        test,
        missing,
        allow_empty,
    )
    children = tuple(
        refilled(context, child, *part, here.statistics)
        for child, part in zip(here.children, parts, strict=True)
    )
    made = Node(
        here.number, here.statistics, test, _gain(context, test, here), children
    )
    return state.with_root(state.root.replaced(here.number, lambda _: made))


def refilled(
    context: Context, node: Node, rows: Places, held: Places, above: Statistics | None
) -> Node:
    """Return a node with all below it, as other rows fill it."""
    order = list(node.walk())
    given: dict[int, tuple[Places, Places, Statistics | None]] = {
        node.number: (rows, held, above)
    }
    statistics: dict[int, Statistics] = {}
    for each in order:
        own, own_held, over = given[each.number]
        statistics[each.number] = context.engine.statistics(own, over)
        if each.test is not None:
            parts = context.data.route(each.test, own, own_held)
            for child, part in zip(each.children, parts, strict=True):
                given[child.number] = (*part, statistics[each.number])
    made: dict[int, Node] = {}
    for each in reversed(order):
        own, own_held, _ = given[each.number]
        children = tuple(made[child.number] for child in each.children)
        gain, test = np.nan, each.test
        if test is not None:
            test = replace(test, optimal=0)
            gain = _gain_of(context, test, own, len(children))
        made[each.number] = Node(
            each.number,
            statistics[each.number],
            test,
            gain,
            children,
            None if children else own,
            None if children else own_held,
        )
    return made[node.number]


def _gain(context: Context, test: Test, here: Node) -> float:
    return _gain_of(context, test, here.all_rows(), 2)


def _gain_of(context: Context, test: Test, rows: Places, n_branches: int) -> float:
    """Return what the criterion of the model gives a split; NaN of many branches."""
    if n_branches != 2 or len(rows) == 0:
        return np.nan
    goes_right = test.branches(context.data.matrix, rows) > 0
    return context.engine.score(context.criterion, goes_right, rows)


# --- other shapes ---------------------------------------------------------------------


def raise_child(context: Context, state: State, node: Any, which: Any) -> State:
    """Replace a node by one of its children, to which all its rows go."""
    here = state.find(node)
    if here.is_leaf:
        raise ValueError(f"node {here.number} is a leaf and has no child to raise")
    if isinstance(which, str) and which.upper() in ("L", "LEFT", "R", "RIGHT"):
        place = 0 if which.upper() in ("L", "LEFT") else len(here.children) - 1
        child = here.children[place]
    else:
        known = {child.number: child for child in here.children}
        if which not in known:
            raise ValueError(
                f"which={which!r} is no child of node {here.number}; use 'left', "
                f"'right', or one of {sorted(known)}"
            )
        child = known[which]
    if here.number in state.locked:
        raise _locked(here.number, "raise_child")
    for other in here.children:
        if other is not child:
            refuse_locked(state, other, "raise_child")
    path = state.root.path_to(here.number)
    assert path is not None
    above = path[-2].statistics if len(path) > 1 else None
    made = refilled(context, child, here.all_rows(), here.all_held(), above)
    if here is state.root:  # node 0 is always the root
        made = replace(made, number=here.number)
        state = _renamed(state, child.number, here.number)
    return state.with_root(state.root.replaced(here.number, lambda _: made))


def _renamed(state: State, old: int, new: int) -> State:
    """Return the state in which what was said of one node is said of another."""

    def moved_to(said: Mapping[int, Any]) -> dict[int, Any]:
        return {(new if n == old else n): each for n, each in said.items() if n != new}

    return replace(
        state,
        locked=frozenset(new if n == old else n for n in state.locked if n != new),
        notes=moved_to(state.notes),
        overrides=moved_to(state.overrides),
        forbidden=moved_to(state.forbidden),
    )


def copy(context: Context, state: State, source: Any, to: Any) -> State:
    """Graft a copy of a subtree; the rows of the place go down it."""
    from_, here = state.find(source), state.find(to)
    if from_ is here:
        raise ValueError(f"source and to are both node {here.number}; name two nodes")
    if from_.path_to(here.number) is not None:
        raise ValueError(
            f"node {from_.number} is above node {here.number}: a subtree cannot be "
            "copied into itself"
        )
    if from_.is_leaf:
        raise ValueError(f"node {from_.number} is a leaf; there is nothing to copy")
    refuse_locked(state, here, "copy")
    number = state.next_number
    numbers = {}
    for i, each in enumerate(from_.walk()):
        numbers[each.number] = here.number if i == 0 else number + i - 1
    made: dict[int, Node] = {}
    for each in reversed(list(from_.walk())):
        children = tuple(made[child.number] for child in each.children)
        made[each.number] = replace(
            each, number=numbers[each.number], children=children
        )
    path = state.root.path_to(here.number)
    assert path is not None
    above = path[-2].statistics if len(path) > 1 else None
    graft = refilled(
        context, made[from_.number], here.all_rows(), here.all_held(), above
    )
    root = state.root.replaced(here.number, lambda _: graft)
    return state.with_root(root, number + len(numbers) - 1)


def make_leaf(context: Context, state: State, node: Any) -> State:
    """Make a node a leaf."""
    here = state.find(node)
    refuse_locked(state, here, "prune")
    if here.is_leaf:
        raise ValueError(f"node {here.number} is a leaf already")
    leaf = here.as_leaf()
    return state.with_root(state.root.replaced(here.number, lambda _: leaf))


# --- what people say ------------------------------------------------------------------


def set_leaf(
    context: Context,
    state: State,
    node: Any,
    *,
    label: Any = None,
    probabilities: Any = None,
    value: Any = None,
    note: str = "",
) -> State:
    """Decide what a leaf says, in place of its rows."""
    here = state.find(node)
    if not here.is_leaf:
        raise ValueError(
            f"node {here.number} has a split; only a leaf is set, so prune it first"
        )
    if here.number in state.locked:
        raise _locked(here.number, "set_leaf")
    given = [each is not None for each in (label, probabilities, value)]
    data = context.data
    if sum(given) != 1:
        raise TypeError(
            "set_leaf() takes one of "
            + ("value=" if data.is_numeric else "label= and probabilities=")
        )
    if not isinstance(note, str):
        raise TypeError(f"note={note!r} is not allowed; use a text")
    if data.is_numeric:
        if value is None:
            raise TypeError("this tree predicts numbers; set_leaf() takes value=")
        outputs = [[v] for v in _each_output(data, "value", value)]
        numbers = [[cuts.number_of("value", v) for v in row] for row in outputs]
        found = np.array(numbers)
    elif value is not None:
        raise TypeError(
            "this tree predicts classes; set_leaf() takes label= or probabilities="
        )
    elif label is not None:
        found = _one_hot(data, label)
    else:
        found = _shares(data, probabilities)
    overrides = {
        **state.overrides,
        here.number: Override(tuple(map(tuple, found.tolist())), note),
    }
    return replace(state, overrides=overrides, is_by_hand=True)


def free_leaf(context: Context, state: State, node: Any) -> State:
    """Let a leaf say again what its rows say."""
    here = state.find(node)
    if here.number not in state.overrides:
        raise ValueError(f"node {here.number} was not set by hand")
    rest = {n: each for n, each in state.overrides.items() if n != here.number}
    return replace(state, overrides=rest, is_by_hand=True)


def _each_output(data: EditorData, name: str, given: Any) -> list[Any]:
    n = len(data.target.n_classes)
    if n == 1:
        return [given]
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != n:
        raise ValueError(f"{name}={given!r} is not allowed; use one for each of {n}")
    return list(given)


def _one_hot(data: EditorData, label: Any) -> Any:
    found = np.zeros((len(data.target.classes), max(data.target.n_classes)))
    for j, each in enumerate(_each_output(data, "label", label)):
        labels = data.target.classes[j].tolist()
        if each not in labels:
            hint = did_you_mean(each, map(str, labels)) or (
                f"; the classes are {', '.join(map(repr, labels[:20]))}"
            )
            raise ValueError(f"label={each!r} is no class{hint}")
        found[j, labels.index(each)] = 1.0
    return found


def _shares(data: EditorData, probabilities: Any) -> Any:
    found = np.zeros((len(data.target.classes), max(data.target.n_classes)))
    for j, each in enumerate(_each_output(data, "probabilities", probabilities)):
        labels = data.target.classes[j].tolist()
        if isinstance(each, Mapping):
            wrong = [label for label in each if label not in labels]
            if wrong:
                raise ValueError(
                    f"probabilities name {wrong[0]!r}, which is no class; the classes "
                    f"are {', '.join(map(repr, labels[:20]))}"
                )
            each = [each.get(label, 0.0) for label in labels]
        if not hasattr(each, "__len__") or len(each) != len(labels):
            raise ValueError(
                f"probabilities={each!r} is not allowed; use {len(labels)} numbers, "
                "one per class, or a dict"
            )
        row = [cuts.number_of("probability", p) for p in each]
        if min(row) < 0 or abs(sum(row) - 1) > 1e-6:
            raise ValueError(
                f"probabilities={each!r} sum to {sum(row):.6g}; use numbers of at "
                "least 0 that sum to 1"
            )
        found[j, : len(row)] = row
    return found


def lock(context: Context, state: State, node: Any) -> State:
    """Keep a node, and the path to it, from being grown over or pruned away."""
    return replace(state, locked=state.locked | {state.find(node).number})


def unlock(context: Context, state: State, node: Any) -> State:
    """Let a node be changed again."""
    number = state.find(node).number
    if number not in state.locked:
        raise ValueError(
            f"node {number} is not locked; locked are {sorted(state.locked) or 'none'}"
        )
    return replace(state, locked=state.locked - {number})


def forbid(context: Context, state: State, columns: Any, below: Any = 0) -> State:
    """Keep columns from being used by `candidates` and `grow` at a node and below."""
    here = state.find(below)
    schema = context.data.schema
    chosen = frozenset(cuts.columns_of(schema, columns))
    every = state.forbidden_at(here.number) | chosen
    if len(every) == schema.n_columns:
        raise ValueError(
            f"all {schema.n_columns} columns would be forbidden at node {here.number}; "
            "leave at least one"
        )
    own = state.forbidden.get(here.number, frozenset()) | chosen
    return replace(state, forbidden={**state.forbidden, here.number: own})


def allow(context: Context, state: State, columns: Any = None, below: Any = 0) -> State:
    """Let columns be used again that were forbidden at a node; all by default."""
    here = state.find(below)
    own = state.forbidden.get(here.number, frozenset())
    chosen = own
    if columns is not None:
        chosen = frozenset(cuts.columns_of(context.data.schema, columns))
    if not own & chosen:
        raise ValueError(f"none of these columns was forbidden at node {here.number}")
    rest = {n: each for n, each in state.forbidden.items() if n != here.number}
    if own - chosen:
        rest[here.number] = own - chosen
    return replace(state, forbidden=rest)


def note(context: Context, state: State, node: Any, text: str) -> State:
    """Write a text beside a node; an empty one removes it."""
    here = state.find(node)
    if not isinstance(text, str):
        raise TypeError(f"text={text!r} is not allowed; use a text")
    rest = {n: each for n, each in state.notes.items() if n != here.number}
    return replace(state, notes={**rest, here.number: text} if text else rest)


def refuse_locked(state: State, here: Node, what: str) -> None:
    """Refuse what would remove a locked node."""
    if not state.locked:
        return
    for each in here.walk():
        if each.number in state.locked:
            raise _locked(each.number, what)


def _locked(number: int, what: str) -> ValueError:
    return ValueError(
        f"{what}() would change node {number}, which is locked; unlock it first"
    )
