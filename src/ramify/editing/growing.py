# SPDX-License-Identifier: BSD-3-Clause
"""Subtrees that the engine grows, or prunes, in the place of a node."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ramify import methods
from ramify.editing import cuts
from ramify.editing.data import EditorData
from ramify.editing.edits import Context, make_leaf, refilled, refuse_locked
from ramify.editing.engine import Engine, empty_tree, fractional, resolved
from ramify.editing.node import Node, tree_of
from ramify.editing.optimal import grown_optimally
from ramify.editing.state import State
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.tree.pruned_fit import stored_impurity
from ramify.estimators.validation.parameters import LIMITS, signs_of
from ramify.estimators.validation.reading import remember_columns
from ramify.estimators.validation.rules import check_rules
from ramify.estimators.validation.target import class_attributes
from ramify.messages import did_you_mean
from ramify.pruning.nodes import Rows
from ramify.pruning.pruned import check_defined, nodes_of, prune_tree
from ramify.pruning.settings import settings_of

__all__ = ["grow", "model_for", "prune"]

# What holds for the whole tree, and not for a part of it.
_OF_WHOLE = (
    *("class_weight", "cost_matrix", "categorical_features", "unseen", "laplace"),
)
# What a part takes from the whole, unless it is given.
_INHERITED = (*_OF_WHOLE, "missing", "threshold", "n_jobs")


def grow(
    context: Context,
    state: State,
    node: Any,
    *,
    criterion: Any = None,
    method: Any = None,
    max_depth: Any = None,
    columns: Any = None,
    **parameters: Any,
) -> State:
    """Grow the rows of a node to a subtree; locked nodes below stay."""
    here = state.find(node)
    given = dict(parameters)
    if criterion is not None:
        given["criterion"] = criterion
    if max_depth is not None:
        given["max_depth"] = max_depth
    is_whole = here is state.root and not state.holds_locked(here)
    if here.number in state.locked:
        refuse_locked(state, here, "grow")
    if len(here.all_rows()) == 0:
        raise ValueError(f"node {here.number} has no rows to grow")
    if method == "optimal":
        return _optimal(context, state, here, columns, given)
    above = context.start if is_whole else state.model
    model = model_for(context.data, above, method, given, is_whole)
    if max_depth is not None:
        check_rules(model, {"max_depth": LIMITS["max_depth"]})
    asked = None
    if columns is not None:
        asked = cuts.columns_of(context.data.schema, columns)
    engine = context.engine
    if is_whole:
        engine = Engine(context.data, model)
    numbers = itertools.count(state.next_number)
    grown = _grown(
        replace(context, engine=engine), state, here, model, asked, numbers, max_depth
    )
    next_number = next(numbers)
    root = state.root.replaced(here.number, lambda _: grown)
    made = state.with_root(root, next_number)
    if is_whole:
        statistics = None
        if grown.is_leaf:  # of other weights, if the model has them
            statistics = engine.statistics(here.all_rows(), None)
            made = replace(made, root=replace(grown, statistics=statistics))
        kept = columns is None and not any(state.forbidden.values())
        made = replace(made, model=model, is_by_hand=not kept)
    return made


def _optimal(
    context: Context, state: State, here: Node, columns: Any, given: dict[str, Any]
) -> State:
    """Search the best subtree of a node without locks below."""
    refuse_locked(state, here, "grow")
    asked = None
    if columns is not None:
        asked = cuts.columns_of(context.data.schema, columns)
    path = state.root.path_to(here.number)
    assert path is not None
    numbers = itertools.count(state.next_number)
    grown = grown_optimally(
        context,
        here,
        path[-2].statistics if len(path) > 1 else None,
        _columns(context.data, state, here, asked),
        given,
        lambda place: here.number if place == 0 else next(numbers),
    )
    root = state.root.replaced(here.number, lambda _: grown)
    return state.with_root(root, next(numbers))


def _grown(
    context: Context,
    state: State,
    here: Node,
    model: Any,
    asked: list[int] | None,
    numbers: Iterator[int],
    max_depth: Any,
) -> Node:
    """Grow one node, or what hangs off the path to the locked nodes below it."""
    rows, held = here.all_rows(), here.all_held()
    if here.number in state.locked:
        return here
    if state.holds_locked(here):
        below = None if max_depth is None else max_depth - 1
        children = tuple(
            _grown(context, state, child, model, asked, numbers, below)
            for child in here.children
        )
        return replace(here, children=children)
    if len(rows) == 0 or (max_depth is not None and max_depth < 1):
        return here.as_leaf()
    columns = _columns(context.data, state, here, asked)
    own = copy.copy(model)
    if max_depth is not None:
        own.max_depth = max_depth
    _fit_columns(own, context.data, columns)

    def number_of(place: int) -> int:
        return here.number if place == 0 else next(numbers)

    node = context.engine.grown(own, rows, held, columns, number_of, context.progress)
    if columns is None and here is state.root:
        _take_fitted(model, own)
    return node


def _take_fitted(model: Any, own: Any) -> None:
    """Let the model know what was learnt by growing the whole tree."""
    given = model.get_params(deep=False)
    for name, value in vars(own).items():
        if name not in given:
            setattr(model, name, value)


def _columns(
    data: EditorData, state: State, here: Node, asked: list[int] | None
) -> tuple[int, ...] | None:
    """Return the columns that may be used at a node; None for all."""
    forbidden = state.forbidden_at(here.number)
    every = range(data.schema.n_columns)
    allowed = [j for j in (every if asked is None else asked) if j not in forbidden]
    if not allowed:
        raise ValueError(
            f"all of these columns are forbidden at node {here.number}; name others, "
            "or allow() them"
        )
    return None if len(allowed) == len(every) else tuple(allowed)


def _fit_columns(model: Any, data: EditorData, columns: tuple[int, ...] | None) -> None:
    """Say by place among some columns what a parameter says of all of them."""
    if columns is None:
        return
    if model.monotonic_cst is not None:
        signs = signs_of(model.monotonic_cst, data.schema)
        model.monotonic_cst = [signs[j] for j in columns]
    if getattr(model, "combine", None):
        place = {j: i for i, j in enumerate(columns)}
        groups = [cuts.columns_of(data.schema, group) for group in model.combine]
        groups = [[place[j] for j in group if j in place] for group in groups]
        model.combine = [group for group in groups if len(group) > 1] or None


def model_for(
    data: EditorData, whole: Any, method: Any, given: dict[str, Any], is_whole: bool
) -> Any:
    """Return the estimator that grows a node, not fitted."""
    usual = type(whole)().get_params(deep=False)
    inherited = {
        name: value
        for name, value in whole.get_params(deep=False).items()
        if name in _INHERITED
        and not (is_whole and _same(value, usual[name]))  # a method has its own
    }
    if method is None:
        kind = _plain_kind(whole, data.is_numeric)
        names = kind._get_param_names()
        wrong = [name for name in given if name not in names]
        if wrong:
            raise TypeError(
                f"grow() got an unexpected argument {wrong[0]!r}"
                f"{did_you_mean(wrong[0], [*names, 'method', 'columns'])}"
            )
        base = {n: v for n, v in inherited.items() if n in names}
        model = kind(**{**base, **given})
    else:
        model = _of_method(data, method, inherited, given)
    if not is_whole:
        for name in _OF_WHOLE:
            own, of_whole = getattr(model, name, None), getattr(whole, name, None)
            if name in given and not _same(own, of_whole):
                raise ValueError(
                    f"{name}={own!r} is for the whole tree, which has "
                    f"{name}={of_whole!r}; give it where the root is grown"
                )
    if getattr(model, "missing", None) == "fractional":
        raise fractional()
    draws = model._draws() or model.splitter == "random" or model.max_features
    if draws and model.random_state is None:  # so that a script grows it again
        model.random_state = int(data.parts.asked["random_state"])
    return model


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(np.array_equal(np.asarray(a), np.asarray(b)))


def _plain_kind(whole: Any, is_numeric: bool) -> Any:
    """Return the class of trees that test one column at a node."""
    from ramify.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeRegressor if is_numeric else DecisionTreeClassifier


def _of_method(
    data: EditorData, method: Any, inherited: dict[str, Any], given: dict[str, Any]
) -> Any:
    if data.is_numeric:
        raise ValueError(
            f"method={method!r} learns classes, and this tree predicts numbers; leave "
            "it out"
        )
    known = methods.get(method)
    names = known.estimator._get_param_names()
    base = {n: v for n, v in inherited.items() if n in names}
    base = {n: v for n, v in base.items() if n != "missing" or v != "both"}
    own = {**base, **given}
    if known.multiclass == "ova":
        own["multiclass"] = "native"  # one tree, which can be edited
    model = known.make(**own)
    if isinstance(model, OneVsRestTreeClassifier) or not hasattr(model, "_grow_pruned"):
        raise ValueError(
            f"method={method!r} grows more than one tree; an editor has one, so choose "
            "a method of single trees"
        )
    return model


# --- pruning --------------------------------------------------------------------------


def prune(
    context: Context,
    state: State,
    node: Any = None,
    *,
    below: Any = None,
    how: Any = None,
    **prune_params: Any,
) -> State:
    """Make a node a leaf, or prune what is below one by a published method."""
    if (node is None) == (below is None):
        raise TypeError("prune() takes a node, or below= and how=; give one of them")
    if node is not None:
        if how is not None or prune_params:
            raise TypeError(
                "prune(node) makes a leaf; to prune by a method give below= and how="
            )
        return make_leaf(context, state, node)
    if how is None:
        raise TypeError("prune(below=...) needs how=, such as how='ebp'")
    here = state.find(below)
    if here.is_leaf:
        raise ValueError(f"node {here.number} is a leaf; there is nothing to prune")
    pruned = _pruned(context, state, here, how, prune_params)
    return state.with_root(state.root.replaced(here.number, lambda _: pruned))


def _pruned(
    context: Context, state: State, here: Node, how: str, prune_params: dict[str, Any]
) -> Node:
    data, model = context.data, state.model
    if how == "rep":
        prune_params = {"refit": "none", **prune_params}
    settings = settings_of(how, prune_params)
    if how == "ccp_cv" or settings.get("critical") == "cv":
        raise ValueError(
            f"how={how!r} grows trees on folds of the rows; use "
            f"grow({here.number}, prune={how!r})"
        )
    if settings.get("refit", "none") != "none":
        raise ValueError(
            f"refit={settings['refit']!r} would let validation rows into the leaves; "
            "use refit='none'"
        )
    costs = None
    if not data.is_numeric and context.engine.costs is not None:
        costs = np.asarray(model.cost_matrix, dtype=np.float64)
    check_defined(
        how,
        settings,
        is_numeric=data.is_numeric,
        n_outputs=len(data.target.n_classes),
        has_costs=costs is not None,
    )
    rows = _rows_of(context, here, is_held=how == "rep")
    tree = tree_of(here, empty_tree(data, here.statistics))
    nodes = nodes_of(
        tree,
        settings,
        is_numeric=data.is_numeric,
        costs=costs,
        rows=None if how == "rep" else rows,
        is_multiway=model.categories.startswith("multiway"),
    )
    impurity = "gini" if data.is_numeric else stored_impurity(model)
    outcome = prune_tree(nodes, how, settings, rows, impurity)
    decision = outcome.path.get("decision")
    if decision is not None and "raised" in decision:
        return _raised(context, state, here, outcome)
    left = outcome.tree
    return _like(state, here, left, [0])


def _rows_of(context: Context, here: Node, is_held: bool) -> Rows:
    """Return the rows of a node as pruning reads them."""
    data = context.data
    if is_held:
        matrix, target, weight = data.held
        places = here.all_held().astype(np.intp)
        if len(places) == 0:
            raise ValueError(
                f"how='rep' prunes by validation rows, of which node {here.number} has "
                "none; start the editor with validation=0.2"
            )
    else:
        matrix, target, weight = data.matrix, data.target, context.engine.weight
        places = here.all_rows().astype(np.intp)
        if weight is not None and context.engine.costs is not None:
            weight = weight / context.engine.costs.sum(axis=1)[target.codes[:, 0]]
    values = target.values if data.is_numeric else target.codes
    own = np.ones(len(places)) if weight is None else weight[places]
    return Rows(np.ascontiguousarray(matrix[places]), values[places], own).sorted()


def _like(state: State, old: Node, left: Any, place: list[int]) -> Node:
    """Cut a subtree where a pruned tree has leaves; locked nodes and paths stay."""
    at = place[0]
    place[0] += 1
    if left.children_left[at] < 0:
        return _unlocked_cut(state, old)
    children = tuple(_like(state, child, left, place) for child in old.children)
    return replace(old, children=children)


def _unlocked_cut(state: State, old: Node) -> Node:
    """Make a node a leaf, but for the paths to locked nodes."""
    if old.number in state.locked or old.is_leaf:
        return old
    if not state.holds_locked(old):
        return old.as_leaf()
    children = tuple(_unlocked_cut(state, child) for child in old.children)
    return replace(old, children=children)


def _raised(context: Context, state: State, here: Node, outcome: Any) -> Node:
    """Follow the decisions of pruning that raises branches."""
    order = list(here.walk())
    path = outcome.path
    decided = dict(zip(path["node"].tolist(), path["decision"].tolist(), strict=True))
    number = {each.number: i for i, each in enumerate(order)}

    def follow(node: Node) -> Node:
        what = decided.get(number[node.number], "kept")
        if what == "cut":
            return _unlocked_cut(state, node)
        if what == "raised" and not state.holds_locked(node):
            heaviest = max(node.children, key=lambda child: child.statistics.weight)
            made = follow(heaviest)
            return replace(made, number=node.number)
        return replace(node, children=tuple(map(follow, node.children)))

    made = follow(here)
    root_path = state.root.path_to(here.number)
    assert root_path is not None
    above = root_path[-2].statistics if len(root_path) > 1 else None
    return refilled(context, made, here.all_rows(), here.all_held(), above)


def unfitted(data: EditorData, model: Any) -> Any:
    """Return a model that knows columns and classes, and has no tree yet."""
    other = copy.copy(model)
    schema = data.schema
    other.schema_ = schema
    remember_columns(
        other, schema.names if schema.has_names else None, schema.n_columns
    )
    if data.is_numeric:
        other.n_outputs_ = len(data.target.n_classes)
    else:
        class_attributes(other, data.target.classes)
    if not hasattr(other, "max_features_"):
        other.max_features_ = schema.n_columns
    resolved(other, data.is_numeric)
    return other
