# SPDX-License-Identifier: BSD-3-Clause
"""What all trees share: the checks, the plan of a fit, and prediction from the tree."""

from __future__ import annotations

import numbers
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from ramify import _core, criteria
from ramify.criteria import catalogue
from ramify.criteria.planning import measures_of, set_plan
from ramify.distributed.files.tree import FitsTree
from ramify.estimators.tree.notebook import ShowsItself
from ramify.estimators.tree.pruned_fit import Growth, fit_pruned
from ramify.estimators.validation.criterion_data import check_structure, own_sums
from ramify.estimators.validation.parameters import (
    check_parameters,
    monotonic_signs,
    n_columns_of,
    n_rows_of,
    splitter_params,
)
from ramify.estimators.validation.reading import (
    check_categorical,
    forget_fit,
    is_ready,
    matrix_of,
    read_rows,
    remember_columns,
    seen_columns,
)
from ramify.estimators.validation.rows import PredictsRows, check_fitted
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import (
    Labels,
    check_costs,
    check_weights,
    class_weights,
    encode_labels,
    flat_target,
)
from ramify.pruning.branches import (
    at_data_values,
    with_every_category,
    with_parent_for_unseen,
)
from ramify.pruning.outcome import to_frame
from ramify.serialization import Saved
from ramify.table import Table, check_shape, n_threads
from ramify.table.schema import Schema
from ramify.tree import Tree
from ramify.tree.by_hand import by_hand
from ramify.tree.ledger import Ledger, empty_ledger
from ramify.tree.packed import restored

__all__ = ["BaseTree"]


class BaseTree(FitsTree, ShowsItself, PredictsRows, Saved, BaseEstimator):
    """Grows one tree and predicts from it."""

    # It is for speed, and nothing that a pipeline should hand on.
    __metadata_request__predict: ClassVar = {"check_input": UNUSED}

    tree_: Tree
    _pruning: dict[str, NDArray[Any]]
    max_purity: float = 1.0  # trees of classes may stop earlier
    _mixes_columns = False  # in hyperplanes?
    _is_regression = False  # or classes?
    _needs_values = False  # does the criterion take no missing values?

    # --- fitting -----------------------------------------------------------------

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        criterion_data: Any,
        sensitive: Any,
        treatment: Any = None,
    ) -> tuple[Tree, Labels]:
        chosen = catalogue.resolve(self.criterion, self.criterion_params)
        self._check_parameters(chosen)
        table = self._table(X, self._takes_order(sample_weight))
        n_rows = table.shape[0]
        y = y if self._takes_outputs() else flat_target(y)
        labels = encode_labels(y, n_rows)
        weight = class_weights(
            self.class_weight, y, check_weights(sample_weight, n_rows)
        )
        costs = check_costs(self.cost_matrix, labels)
        if costs is not None:  # errors of costly classes weigh more
            by_row = costs.sum(axis=1)[labels.codes[:, 0]]
            weight = by_row if weight is None else weight * by_row
        others = [
            catalogue.resolve(other, None) for other in self.candidate_criteria or ()
        ]
        criteria_used = [chosen, *others]
        extra = own_sums(
            criteria_used, criterion_data, sensitive, n_rows, labels, treatment
        )
        sample = Sample(table, table.rows, labels, extra=extra).weighted(weight)
        check_structure(criteria_used, table, sample.rows, labels)
        tree = self._grow_pruned(Growth(self, chosen, sample, costs), weight)
        self._needs_values = _looks_at_rows(self)
        return tree, labels

    def _grow_pruned(self, growth: Growth, weight: NDArray[np.float64] | None) -> Tree:
        """Grow the tree of a fit, pruned if `prune` says so; note what it knows."""
        forget_fit(self)
        if self.prune is None:
            tree = growth.grow_one(_Progress() if self.verbose else None)
            tree = tree.pruned(self.ccp_alpha) if self.ccp_alpha > 0 else tree
        else:
            n_rows = len(growth.sample)
            used = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
            outcome = fit_pruned(growth, used)
            tree, self._pruning = outcome.tree, outcome.path
            for name, value in outcome.attributes.items():
                setattr(self, name, value)
        table = growth.sample.table
        self.schema_ = growth.schema
        remember_columns(self, table.columns, table.shape[1])
        return self._for_unseen(tree)

    def _for_unseen(self, tree: Tree) -> Tree:
        """Return categories that a node does not know a leaf, if they need one."""
        return with_parent_for_unseen(tree) if self.unseen == "parent" else tree

    @property
    def pruning_path_(self) -> Any:
        """How the tree was pruned, as a data frame.

        For "ccp" and "ccp_cv" one row per subtree: step, alpha, cp, n_leaves (without
        leaves that no row reaches), risk, and with folds beta, xerror and xstd, its
        standard error; `chosen` marks the result. For other methods one row per node
        of the grown tree that had a test: node, depth, n, what it was worth as_leaf,
        as_subtree and (raising) as_branch, and the decision: "cut", "raised", "kept"
        or "gone" with a node above it.
        """
        if "_pruning" not in self.__dict__:
            raise AttributeError(
                f"this {type(self).__name__} has no pruning_path_: it is not fitted, "
                "was not pruned (prune=None), or was loaded from a file"
            )
        return to_frame(self._pruning)

    def _grow(
        self,
        make_plan: Callable[[], _core.Plan],
        sample: Sample,
        renumber: dict[int, NDArray[np.int64]],
        costs: NDArray[np.float64] | None,
        progress: Any = None,
    ) -> Tree:
        """Let the engine grow a tree, and write it in the terms of the data."""
        arrays = self._arrays(make_plan, sample, progress)
        table = sample.table

        def values_of(j: int) -> NDArray[np.float64]:
            return matrix_of(table, sample.rows, {})[:, j]

        n_classes = sample.target.n_classes
        return self._written(
            arrays, table.schema, n_classes, renumber, costs, values_of
        )

    def _written(
        self,
        arrays: dict[str, NDArray[Any]],
        schema: Schema,
        n_classes: list[int],
        renumber: dict[int, NDArray[np.int64]],
        costs: NDArray[np.float64] | None,
        values_of: Callable[[int], NDArray[np.float64]],
    ) -> Tree:
        """Write what the engine has grown in the terms of the data."""
        found: Any = arrays.pop("ledger", None)
        _renumber_categories(arrays, renumber)
        if costs is not None:
            _take_back_costs(arrays, costs.sum(axis=1))
        tree = Tree(arrays, schema.n_columns, n_classes)
        if self.record_candidates is not None:
            tree.ledger = self._ledger(found, schema)
        return self._as_asked(tree, schema, renumber, values_of)

    def _as_asked(
        self,
        tree: Tree,
        schema: Schema,
        renumber: dict[int, NDArray[np.int64]],
        values_of: Callable[[int], NDArray[np.float64]],
    ) -> Tree:
        """Write splits in the ways that the engine does not know."""
        if self.categories == "multiway_all":
            sizes = {
                j: int((renumber[j] >= 0).sum()) if j in renumber else len(c.categories)
                for j, c in enumerate(schema.columns)
                if c.is_categorical
            }
            tree = with_every_category(tree, sizes)
        if self.threshold == "data":
            tree = at_data_values(tree, values_of)
        return tree

    def _arrays(
        self, make_plan: Callable[[], _core.Plan], sample: Sample, progress: Any
    ) -> dict[str, NDArray[Any]]:
        """Let the engine grow a tree.

        A plan may hold a function of the user. It is made for the call and is no
        variable: a kept exception would keep it for ever.
        """
        target = self._core_target(sample, sample.weight)
        return _core.grow(sample.table.core, sample.rows, target, make_plan(), progress)

    def _core_target(
        self, sample: Sample, weight: NDArray[np.float64] | None
    ) -> _core.Target:
        """Return the target as the engine reads it."""
        labels = sample.target
        codes = np.ascontiguousarray(labels.codes).ravel()
        return _core.class_target(codes, labels.n_classes, weight, sample.extra)

    def _grow_many(
        self,
        plan: _core.Plan,
        sample: Sample,
        weights: NDArray[np.float64] | None,
        random_states: list[int],
        progress: Any,
    ) -> list[Tree]:
        """Grow trees that differ in `random_state` and, if given, weights; packed."""
        draws = plan.max_columns > 0 or plan.random_cuts or self._draws()
        seeds = np.array(
            [_seed_of(state) if draws else 0 for state in random_states],
            dtype=np.uint64,
        )
        weight = sample.weight if weights is None else None
        target = self._core_target(sample, weight)
        table, rows = sample.table.core, sample.rows
        try:
            grown = _core.grow_trees(
                table, rows, target, weights, seeds, plan, progress
            )
        finally:
            del plan  # a kept exception keeps this frame, and with it the function
        n_features, n_classes = sample.table.shape[1], sample.target.n_classes
        return [
            Tree.from_packed(restored(*tree), n_features, n_classes) for tree in grown
        ]

    def _turns_columns(self) -> bool:
        """Return whether a tree grows on other columns than those of the table."""
        return False

    def _ledger(self, found: Any, schema: Schema) -> Ledger:
        """Get the candidates that the engine kept, if any node was searched at all."""
        names = tuple(str(name) for name in self.candidate_criteria or ())
        return Ledger(found or empty_ledger(len(names)), names, schema)

    def _seen(
        self, table: Table, rows: NDArray[np.uint32] | None
    ) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
        """Return the columns as the rows used know them; refuse NaN on request."""
        if self.missing == "error":
            _refuse_missing(table, rows)
        return seen_columns(table, rows)

    def _takes_order(self, sample_weight: Any) -> bool:
        """Return whether one tree will look at all rows and columns, node by node."""
        return (
            sample_weight is None
            and not self._mixes_columns
            and self.splitter == "best"
            and self.prune is None
            and self.max_features is None
            and self.max_leaf_nodes is None
        )

    def _table(self, X: Any, for_one_tree: bool = False) -> Table:
        """Check X, and encode it unless it is encoded."""
        bins = self.max_bins
        if bins is None and self.splitter == "chaid":
            bins = 10  # CHAID knows categories only
        if isinstance(X, Table):
            if bins is not None and X.max_bins != bins:
                why = "" if self.max_bins else f" (splitter={self.splitter!r})"
                raise ValueError(
                    f"max_bins={bins!r}{why}, but X is a Table with "
                    f"max_bins={X.max_bins!r}; give the Table the same max_bins"
                )
            check_categorical(self.categorical_features, X.schema)
            check_shape(*X.shape)
            return X
        make = Table.for_one_tree if for_one_tree else Table
        return make(
            X,
            categorical_features=self.categorical_features,
            max_bins=bins,
            n_jobs=self.n_jobs,
        )

    # --- the plan ----------------------------------------------------------------

    def _plan_for(
        self, chosen: Any, table: Table, n_rows: int, target: Any
    ) -> _core.Plan:
        """Return the engine's plan for some rows, of parameters that were checked."""
        plan = self._plan(chosen, is_checked=True)
        self._limit(plan, table, n_rows, target)
        return plan

    def _plan(self, chosen: Any, *, is_checked: bool = False) -> _core.Plan:
        """Turn parameters into the engine's plan; all that does not need the data.

        The parameters are checked, unless those of a twin were.
        """
        if not is_checked:
            self._check_parameters(chosen)
        plan = _core.Plan()
        set_plan(plan, chosen)
        plan.gives_up = self.leaf_rule == "give_up"
        plan.splits_at_zero = self.zero_gain == "split"
        if self.record_candidates is not None:
            plan.n_recorded = min(int(self.record_candidates), 2**31 - 1)
            for other in self.candidate_criteria or ():
                plan.also_score(catalogue.node_of(other))
        if self.max_depth is not None:
            plan.max_depth = min(int(self.max_depth), 2**31 - 1)
        if self.max_leaf_nodes is not None:
            plan.max_leaves = min(int(self.max_leaf_nodes), 2**31 - 1)
        plan.min_decrease = float(self.min_impurity_decrease)
        plan.min_leaf_share = float(self.min_weight_fraction_leaf)
        plan.max_purity = float(self.max_purity)
        plan.random_cuts = self.splitter == "random"
        plan.central_cuts = self.splitter == "central"
        if self.splitter == "chaid":
            plan.use_chaid(**splitter_params(self))
        elif self.splitter == "quest":
            plan.use_quest(**splitter_params(self))
        elif self.splitter == "ctree":
            plan.use_ctree(**splitter_params(self))
        elif self.splitter == "guide":
            plan.use_guide(**splitter_params(self))
        elif self.splitter == "dgmml":
            plan.use_dgmml(**splitter_params(self))
        plan.threshold_is_value = self.threshold == "value"
        plan.missing = _core.Missing[
            "both" if self.missing == "error" else self.missing
        ]
        by_category = self.categories.removesuffix("_all")
        plan.categories = _core.Categories[by_category]
        plan.max_exhaustive = int(self.max_exhaustive_categories)
        plan.max_subset = int(self.max_subset_size or 0)
        plan.n_threads = n_threads(self.n_jobs)
        return plan

    def _check_parameters(self, chosen: Any) -> None:
        """Refuse parameters that mean nothing."""
        check_parameters(self)

    def _limit(self, plan: _core.Plan, table: Table, n_rows: int, target: Any) -> None:
        """Add to the plan what depends on the size of the data."""
        n_columns = table.shape[1]
        is_scored = self.splitter in ("best", "random")
        if not is_scored and len(target.n_classes) > 1:
            raise ValueError(f"splitter={self.splitter!r} needs one output")
        plan.min_leaf_rows = n_rows_of(self.min_samples_leaf, n_rows, least=1)
        plan.min_split_rows = max(
            n_rows_of(self.min_samples_split, n_rows, least=2), 2 * plan.min_leaf_rows
        )
        self.max_features_ = n_columns_of(self.max_features, n_columns)
        plan.max_columns = self.max_features_ % n_columns  # 0 = all
        plan.set_binned(table.is_binned)
        if plan.max_columns > 0 or plan.random_cuts or self._draws():
            plan.seed = _seed_of(self.random_state)
        if self.monotonic_cst is not None:
            plan.monotonic = self._signs(table, target)

    def _signs(self, table: Table, target: Any) -> list[int]:
        """Return the direction in which each column must work."""
        return monotonic_signs(self.monotonic_cst, table.schema, target)

    def _draws(self) -> bool:
        """Test whether random numbers are needed besides those for columns and cuts."""
        return False

    # --- prediction --------------------------------------------------------------

    def _prepare(self, X: Any, check: bool = True) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; return floats, and if some miss."""
        check_fitted(self)
        if not check and is_ready(X, self.schema_):
            return X, True
        return read_rows(X, self.schema_, **self._how_to_read())

    def _how_to_read(self) -> dict[str, Any]:
        return {
            "unseen": self.unseen,
            "missing_error": self.missing == "error" or self._needs_values,
            "owner": type(self).__name__,
        }

    def _support(self, X: Any, check_input: bool) -> NDArray[np.float64]:
        """Return the training weight in the leaf of each row."""
        matrix, has_missing = self._prepare(X, check_input)
        weight = self.tree_.weighted_n_node_samples[:, None, None]
        found = self.tree_.average(matrix, weight, n_threads(self.n_jobs), has_missing)
        return found.reshape(len(found))

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """Return the leaf that each row of X reaches; `check_input` as in `predict`."""
        matrix, has_missing = self._prepare(X, check_input)
        return self.tree_.apply(matrix, n_threads(self.n_jobs), has_missing)

    def decision_path(self, X: Any, check_input: bool = True) -> sparse.csr_matrix:
        """Mark the nodes that each row of X passes, as a sparse indicator matrix.

        `check_input` as in `predict`.
        """
        matrix, _ = self._prepare(X, check_input)
        return self.tree_.decision_path(matrix)

    def get_depth(self) -> int:
        """Return the number of tests before the farthest leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Count the leaves of the tree.

        Those that only stand for unseen categories (``unseen="parent"``) are no leaves.
        """
        check_is_fitted(self)
        tree = self.tree_
        if self.unseen != "parent":
            return tree.n_leaves
        nodes = np.flatnonzero(tree.kind == Tree.CATEGORIES).tolist()
        only_unseen = [
            node
            for node in nodes
            if tree.default_branch[node] not in tree.listed(node)[1]
            and tree.default_branch[node] != tree.missing_branch[node]
        ]
        return tree.n_leaves - len(only_unseen)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the gain of all splits.

        Where the score of a split is no gain (expressions, CHAID, QUEST, dGMML) or is
        not known (nodes that pruning gave other rows) the drop of the impurity counts.
        """
        check_is_fitted(self)
        tree = self.tree_
        has_gains = not np.isnan(tree.gain[tree.children_left >= 0]).any()
        no_gain = _scores_no_gain(self) or not has_gains
        return tree.compute_feature_importances(by_impurity=no_gain)

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Return the alphas and impurities of minimal cost-complexity pruning."""
        unpruned = {"ccp_alpha": 0.0, "prune": None, "prune_params": None}
        other = type(self)(**{**self.get_params(deep=False), **unpruned})
        tree = other.fit(X, y, sample_weight=sample_weight).tree_
        alphas, impurities, _ = tree.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        decided = by_hand(self).summary
        # scikit-learn lays out what has no method of its own.
        line = str(super().__repr__(N_CHAR_MAX))
        text = textwrap.fill(
            line,
            width=80,
            subsequent_indent=" " * (line.index("(") + 1),
            break_long_words=False,
            break_on_hyphens=False,
        )
        return f"{text}, {decided}" if decided else text

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def _takes_outputs(self) -> bool:
        """Return whether y may have several columns, with these parameters."""
        return (
            self.splitter in ("best", "random")
            and self.cost_matrix is None
            and self.monotonic_cst is None
            and not _looks_at_rows(self)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        reads_rows = _looks_at_rows(self)
        tags.input_tags.allow_nan = self.missing != "error" and not reads_rows
        tags.input_tags.categorical = not reads_rows
        tags.input_tags.string = not reads_rows
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = self._takes_outputs()
        tags.target_tags.required = True
        return tags


_generators = threading.local()


def _seed_of(random_state: Any) -> int:
    """Draw the seed of a tree.

    The generator of a whole number is seeded again, not made anew: that would take as
    long as growing a small tree.
    """
    if isinstance(random_state, numbers.Integral):
        if not hasattr(_generators, "own"):
            _generators.own = np.random.RandomState()
        rng = _generators.own
        rng.seed(random_state)
    else:
        rng = check_random_state(random_state)
    return int(rng.randint(np.iinfo(np.int32).max))


def _resolved(model: Any) -> Any:
    """Return the criterion of a model, or None if fit would say what is wrong with it.

    A loaded model may have but a note of a function.
    """
    try:
        return catalogue.resolve(model.criterion, model.criterion_params)
    except (TypeError, ValueError):
        return None


def _looks_at_rows(model: Any) -> bool:
    """Return whether the criterion takes no missing values in any column."""
    chosen = _resolved(model)
    return chosen is not None and any(
        each.looks_at_rows for each in measures_of(chosen).values()
    )


def _scores_no_gain(model: Any) -> bool:
    """Return whether the score of a split is something else than what it gains."""
    users = (criteria.FunctionCriterion, criteria.CompiledCriterion, type(None))
    by_test = model.splitter not in ("best", "random", "guide")
    return by_test or not isinstance(_resolved(model), (criteria.Criterion, *users))


class _Progress:
    """Shows on stderr how many rows have reached a leaf."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, done: float) -> None:
        self._shown = True
        print(f"\rgrowing: {done:4.0%} of the rows in leaves", end="", file=sys.stderr)

    def close(self) -> None:
        if self._shown:
            print("\rgrowing: done" + " " * 24, file=sys.stderr)


def _refuse_missing(table: Table, rows: NDArray[np.uint32] | None) -> None:
    for j, column in enumerate(table.schema.columns):
        row = table.first_missing(j, rows)
        if row is not None:
            raise ValueError(
                f"missing='error', but column {column.name!r} has no value in row "
                f"{row} (Input X contains NaN); fill it, or use missing='both'"
            )


def _renumber_categories(
    arrays: dict[str, NDArray[Any]], renumber: dict[int, NDArray[np.int64]]
) -> None:
    """Give the categories that the tree lists new numbers, column by column."""
    if not renumber:
        return
    feature = np.repeat(arrays["feature"], np.diff(arrays["split_begin"]))
    value = arrays["split_value"].copy()
    for j, new in renumber.items():
        here = feature == j
        value[here] = new[value[here].astype(np.int64)]
    arrays["split_value"] = value
    term = arrays["term_category"].copy()
    for j, new in renumber.items():
        here = arrays["term_column"] == j
        term[here] = new[term[here]]
    arrays["term_category"] = term


def _take_back_costs(
    arrays: dict[str, NDArray[Any]], by_class: NDArray[np.float64]
) -> None:
    """Give class shares as they are in the data, not as the costs made them."""
    share = arrays["value"] / by_class
    total = share.sum(axis=2, keepdims=True)
    arrays["value"] = share / total
    arrays["weighted_n_node_samples"] = (
        arrays["weighted_n_node_samples"] * total[:, 0, 0]
    )
