# SPDX-License-Identifier: BSD-3-Clause
"""Trees that are pruned while they are fitted: what is grown, on which rows."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ramify import _core
from ramify.criteria.planning import set_plan
from ramify.estimators.validation.reading import matrix_of
from ramify.estimators.validation.sample import Sample
from ramify.pruning.counting import reaches, steps_path
from ramify.pruning.folds import Losses, betas, choose, deal, draw_share, losses
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome
from ramify.pruning.pruned import check_defined, nodes_of, prune_tree
from ramify.pruning.sequence import Sequence, risks, weakest_links
from ramify.pruning.settings import settings_of
from ramify.table import n_threads
from ramify.tree import Tree

__all__ = ["Growth", "fit_pruned", "seed_of", "stored_impurity"]

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]
Fold = tuple[Places, Mask]  # rows to grow on, rows to hold out


class Growth:
    """Grows the tree of a model on all rows of a sample, or on some of them.

    Parameters
    ----------
    model : BaseTree
        Says how.
    chosen : Expression
        Its criterion.
    sample : Sample
        All rows that have weight.
    costs : ndarray or None
        Of errors, if they differ.
    """

    def __init__(
        self,
        model: Any,
        chosen: Any,
        sample: Sample,
        costs: Floats | None,
    ) -> None:
        self.model, self._chosen, self.sample, self.costs = model, chosen, sample, costs
        self.schema, self._renumber = model._seen(sample.table, sample.rows)
        self.is_numeric = isinstance(model, RegressorMixin)

    @cached_property
    def rows(self) -> Rows:
        """The rows as the tree sees them, their weights without the costs of errors.

        They are in the order of what they hold, so that sums over them are the same
        for every order of the table.
        """
        sample, target = self.sample, self.sample.target
        weight = np.ones(len(sample)) if sample.weight is None else sample.weight
        if self.costs is not None:
            weight = weight / self.costs.sum(axis=1)[target.codes[:, 0]]
        X = matrix_of(sample.table, sample.rows, self._renumber)
        values = target.values if self.is_numeric else target.codes
        return Rows(X, values, weight).some(self.order)

    def held(self, is_held: Mask) -> Rows:
        """Return the rows that are marked, as in `rows`."""
        return self.rows.some(is_held[self.order])

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The places of the rows in the order of what they hold."""
        return self.sample.content_order()

    @property
    def strata(self) -> NDArray[Any]:
        """The class of each row; one for all if numbers are predicted."""
        if self.is_numeric:
            return np.zeros(len(self.sample), dtype=np.uint32)
        return np.asarray(self.sample.target.codes[:, 0])

    def _plan(self, n_rows: int) -> _core.Plan:
        sample = self.sample
        plan: _core.Plan = self.model._plan_for(
            self._chosen, sample.table, n_rows, sample.target
        )
        return plan

    def grow_one(self, progress: Any = None) -> Tree:
        """Grow the tree of all rows, and show how far it is."""
        sample = self.sample
        make_plan = partial(self._plan, len(sample))
        tree: Tree = self.model._grow(
            make_plan, sample, self._renumber, self.costs, progress
        )
        if progress is not None:
            progress.close()
        return tree

    def grow(self, parts: list[Places | None], threads: int) -> list[Tree]:
        """Grow a tree on each part of the rows; None means all of them.

        One part has all threads, several have one each. Plans are made in order, so
        that what is sampled does not depend on threads.
        """
        share = threads if len(parts) == 1 else 1
        jobs = [self._job(part, share) for part in parts]

        def grow(job: tuple[Callable[[], _core.Plan], Sample]) -> Tree:
            tree: Tree = self.model._grow(*job, self._renumber, self.costs)
            return tree

        try:
            if threads == 1 or len(jobs) == 1:
                return [grow(job) for job in jobs]
            with ThreadPoolExecutor(min(threads, len(jobs))) as pool:
                return list(pool.map(grow, jobs))
        finally:
            jobs.clear()  # of plans that were not used: see `BaseTree._arrays`

    def _job(
        self, part: Places | None, threads: int
    ) -> tuple[Callable[[], _core.Plan], Sample]:
        """Return what hands out the plan of a tree, once, and its rows."""
        own = self.sample if part is None else self.sample.some(part)
        plans = [self._plan(len(own))]
        plans[0].n_threads = threads
        return plans.pop, own

    def nodes(self, tree: Tree, settings: dict[str, Any]) -> Nodes:
        """Return the nodes of a tree as methods of pruning count them."""
        return nodes_of(
            tree,
            settings,
            is_numeric=self.is_numeric,
            costs=self.costs,
            rows=self.rows if settings["weights"] == "rows" else None,
            is_multiway=self.model.categories.startswith("multiway"),
        )


def fit_pruned(growth: Growth, used: Places) -> Outcome:
    """Grow the tree of a model and prune it as the model's `prune` says.

    `used` are the places of the sample's rows among those given to `fit`.
    """
    model, sample = growth.model, growth.sample
    method = model.prune
    settings = settings_of(method, model.prune_params)
    check_defined(
        method,
        settings,
        is_numeric=growth.is_numeric,
        n_outputs=len(sample.target.n_classes),
        has_costs=growth.costs is not None,
    )
    threads = n_threads(model.n_jobs)
    if method == "ccp_cv" or (method == "cvp" and settings["critical"] == "cv"):
        return _by_folds(growth, method, settings, used, threads)
    if method == "rep":
        return _by_held_out(growth, settings, used, threads)
    tree = growth.grow([None], threads)[0]
    needs_rows = method in ("mdl", "km") or settings.get("raising", False)
    return prune_tree(
        growth.nodes(tree, settings),
        method,
        settings,
        growth.rows if needs_rows else None,
        stored_impurity(model),
        is_own=True,
    )


def stored_impurity(model: Any) -> str:
    """Name what the tree of a model stores as the impurity of its nodes."""
    from ramify.criteria import catalogue

    try:
        plan = _core.Plan()
        set_plan(plan, catalogue.resolve(model.criterion, model.criterion_params))
        return str(plan.impurity.name)
    except (TypeError, ValueError):  # a note of a function, in a loaded model
        return "gini"


def seed_of(model: Any, settings: dict[str, Any]) -> int:
    """Return the seed of folds and held-out rows; 0 unless one was given."""
    for given in (settings["random_state"], model.random_state):
        if isinstance(given, numbers.Integral):
            return int(given)
        if given is not None:
            return int(np.random.RandomState.randint(_generator(given), 2**31 - 1))
    return 0


def _generator(given: Any) -> np.random.RandomState:
    if not isinstance(given, np.random.RandomState):
        raise ValueError(
            f"random_state={given!r} is not allowed; use a whole number, a "
            "RandomState or None"
        )
    return given


# --- folds ----------------------------------------------------------------------------


def _by_folds(
    growth: Growth, method: str, settings: dict[str, Any], used: Places, threads: int
) -> Outcome:
    """Choose among the subtrees by rows that trees of the same kind have not seen."""
    folds = _folds(growth, settings, used)
    tree, *others = growth.grow([None, *(train for train, _ in folds)], threads)
    nodes = growth.nodes(tree, settings)
    sequence, risk, _ = _levels(nodes, method, settings)
    start = 0
    if method == "ccp_cv":
        least = float(settings["cp_min"]) * float(risk[0])
        start = sequence.step_of(least, 1e-12 * float(risk[0]))
        alphas = sequence.alphas.copy()
        alphas[start] = max(alphas[start], least)
        sequence = Sequence(tree, alphas, sequence.first, sequence.last)
        between = betas(alphas)
    else:
        middle = (sequence.alphas[:-1] + sequence.alphas[1:]) / 2
        between = np.append(middle, np.inf)
    loss = settings["loss"] or _usual_loss(nodes)
    unit = growth.rows.unit(tree.value[0, :, 0]) if nodes.is_numeric else 1.0
    total = Losses(0.0, np.zeros(len(sequence)), np.zeros(len(sequence)))
    for (_, held), other in zip(folds, others, strict=True):
        own = growth.nodes(other, settings)
        *_, (collapse, tolerance) = _levels(own, method, settings)
        at = Sequence.at(other, collapse, between, tolerance)
        total.add(losses(at, own, growth.held(held), loss, unit))
    mean, error = total.means(nodes.factor)
    chosen = start + choose(mean[start:], error[start:], float(settings["se"]))
    path = steps_path(
        sequence,
        risk,
        chosen,
        start,
        beta=between[start:],
        xerror=mean[start:] * unit * unit,
        xstd=error[start:] * unit * unit,
    )
    if method == "cvp":
        path["critical"] = path.pop("alpha")
        del path["cp"]
    return Outcome(sequence.subtree(chosen), path)


def _levels(
    nodes: Nodes, method: str, settings: dict[str, Any]
) -> tuple[Sequence, Floats, tuple[Floats, float]]:
    """Get the subtrees of a tree, the risk of its nodes, and where these collapse."""
    tree = nodes.tree
    if method == "cvp":
        reach = reaches(nodes, settings)
        return (
            Sequence.from_levels(tree, reach, 0.0),
            risks(nodes, "error"),
            (reach, 0.0),
        )
    risk = risks(nodes, settings["risk"])
    tolerance = 1e-12 * float(risk[0])
    collapse = _core.weakest_links(tree.arrays(), np.ascontiguousarray(risk))
    return Sequence.from_levels(tree, collapse, tolerance), risk, (collapse, tolerance)


def _usual_loss(nodes: Nodes) -> str:
    if nodes.is_numeric:
        return "squared_error"
    return "error" if nodes.costs is None else "cost"


def _folds(growth: Growth, settings: dict[str, Any], used: Places) -> list[Fold]:
    """Return the rows to grow on and those to hold out of each fold."""
    n_rows = len(growth.sample)
    if settings["holdout"] is not None:
        return [_without(_held_rows(growth, settings, used))]
    cv = settings["cv"]
    seed = seed_of(growth.model, settings)
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        n_folds = int(cv)
        if not 2 <= n_folds <= n_rows:
            raise ValueError(
                f"prune={growth.model.prune!r} has cv={cv!r}, which is not allowed; "
                f"use 2 folds or more, and no more than the {n_rows} rows there are"
            )
        fold = deal(growth.strata, growth.order, n_folds, seed)
    elif hasattr(cv, "split") and not isinstance(cv, str):
        parts = cv.split(np.zeros((n_rows, 1)), growth.strata)
        return [(np.asarray(train), _marked(n_rows, test)) for train, test in parts]
    elif _are_pairs(cv):
        return _given_pairs(growth, cv, used)
    else:
        fold = _given_folds(growth, cv, used)
    return [_without(fold == each) for each in np.unique(fold)]


def _marked(n_rows: int, places: Any) -> Mask:
    """Mark the rows at some places."""
    marked = np.zeros(n_rows, dtype=bool)
    marked[np.asarray(places, dtype=np.intp)] = True
    return marked


def _without(held: Mask) -> Fold:
    """Return the rows that are not held out, and those that are."""
    return np.flatnonzero(~held), held


def _are_pairs(cv: Any) -> bool:
    """Check whether a list holds pairs of rows: those to grow on, those to hold out."""
    return (
        isinstance(cv, (list, tuple))
        and len(cv) > 0
        and all(isinstance(one, (list, tuple)) and len(one) == 2 for one in cv)
    )


def _given_pairs(growth: Growth, cv: Any, used: Places) -> list[Fold]:
    """Read pairs (train, test) of indices, or masks, of the rows given to fit."""
    n_given = growth.sample.table.shape[0]
    place = np.full(n_given, -1, dtype=np.intp)  # rows without weight have none
    place[used] = np.arange(len(used))

    def places(which: str, i: int, given: Any) -> Places:
        prefix = f"prune={growth.model.prune!r} has cv whose {which} rows of fold {i}"
        rows = np.asarray(given)
        if rows.ndim == 1 and rows.dtype.kind == "b" and len(rows) == n_given:
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows) > 0):
            raise ValueError(
                f"{prefix} are {given!r}; use the indices of rows, or a mask of all "
                f"{n_given}"
            )
        wrong = rows[(rows < 0) | (rows >= n_given)]
        if len(wrong) > 0:
            raise ValueError(
                f"{prefix} name row {wrong[0]}; the rows are 0 to {n_given - 1}"
            )
        found = place[rows.astype(np.intp)]
        found = found[found >= 0]
        if len(found) == 0:
            raise ValueError(f"{prefix} are none; give at least one row with weight")
        return found

    return [
        (places("train", i, train), _marked(len(used), places("test", i, test)))
        for i, (train, test) in enumerate(cv)
    ]


def _given_folds(growth: Growth, cv: Any, used: Places) -> NDArray[Any]:
    """Read an array of fold numbers, one for each row given to fit."""
    fold = np.asarray(cv)
    is_whole = fold.ndim == 1 and fold.dtype.kind in "iu"
    if not is_whole or len(fold) <= used.max():
        raise ValueError(
            f"prune={growth.model.prune!r} has cv={cv!r}, which is not allowed; use a "
            "number of folds, a splitter such as StratifiedKFold(5), a list of pairs "
            "(train, test) of row indices, or an array with the number of each row's "
            "fold"
        )
    fold = fold[used]
    if len(np.unique(fold)) < 2:
        raise ValueError(
            f"prune={growth.model.prune!r} has cv with one fold only; use at least two"
        )
    return fold


def _held_rows(growth: Growth, settings: dict[str, Any], used: Places) -> Mask:
    """Draw a share of the rows to be held out, or find those that are named."""
    held = settings["holdout"]
    n_rows = len(growth.sample)
    prefix = f"prune={growth.model.prune!r} has holdout={held!r}"
    is_number = isinstance(held, numbers.Real) and not isinstance(held, bool)
    if is_number and not isinstance(held, numbers.Integral):
        if not 0 < held < 1:
            raise ValueError(f"{prefix}, which is not allowed; use a share in (0, 1)")
        seed = seed_of(growth.model, settings)
        marked = draw_share(growth.strata, growth.order, float(held), seed)
    else:
        rows = np.asarray(held)
        if rows.ndim != 1 or rows.dtype.kind not in "iub" or isinstance(held, str):
            raise ValueError(
                f"{prefix}, which is not allowed; use a share in (0, 1), or the "
                "indices of rows"
            )
        if rows.dtype.kind == "b":
            rows = np.flatnonzero(rows)
        marked = np.isin(used, rows)
    if not marked.any() or marked.all():
        left = "no row to grow on" if marked.all() else "no rows to prune by"
        raise ValueError(
            f"{prefix}, which leaves {left} of the {n_rows}; use another share"
        )
    return marked


# --- held-out rows --------------------------------------------------------------------


def _by_held_out(
    growth: Growth, settings: dict[str, Any], used: Places, threads: int
) -> Outcome:
    """Grow on a part of the rows and prune by the others."""
    is_held = _held_rows(growth, settings, used)
    grown = growth.grow([np.flatnonzero(~is_held)], threads)[0]
    nodes = growth.nodes(grown, settings)
    outcome = prune_tree(nodes, "rep", settings, growth.held(is_held))
    attributes = {
        "n_rows_grown_": int((~is_held).sum()),
        "n_rows_held_": int(is_held.sum()),
    }
    tree = outcome.tree
    if settings["refit"] == "grow":
        tree = grown_again(growth, settings, tree, threads)
    return Outcome(tree, outcome.path, attributes)


def grown_again(
    growth: Growth, settings: dict[str, Any], small: Tree, threads: int
) -> Tree:
    """Grow on all rows, and take the largest subtree that is as small as another."""
    whole = growth.grow([None], threads)[0]
    sequence, _ = weakest_links(whole, risks(growth.nodes(whole, settings), "error"))
    n_leaves = int(
        ((small.children_left < 0) & (small.weighted_n_node_samples > 0)).sum()
    )
    step = int(np.flatnonzero(sequence.n_leaves <= n_leaves)[0])
    return sequence.subtree(step)
