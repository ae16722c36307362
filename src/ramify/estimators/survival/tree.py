# SPDX-License-Identifier: BSD-3-Clause
"""Single survival trees."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from ramify import _core
from ramify.criteria.survival import SurvivalCriterion, resolve_survival
from ramify.distributed.core.routing import OnePlace
from ramify.estimators.survival.predicting import PredictsSurvival
from ramify.estimators.survival.pruning import check_pruning, prune_survival
from ramify.estimators.survival.target import Times
from ramify.estimators.survival.text import ATTRIBUTES, OF_SURVIVAL
from ramify.estimators.tree.base import BaseTree, _Progress, _seed_of
from ramify.estimators.tree.pruned_fit import Growth
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.parameters import check_parameters
from ramify.estimators.validation.reading import forget_fit, remember_columns
from ramify.estimators.validation.rows import RowPredictor, finish_numbers
from ramify.estimators.validation.rules import (
    FROM_ZERO,
    Rule,
    check_rules,
    one_of,
)
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import check_weights
from ramify.estimators.validation.text import documented, other_defaults
from ramify.table import n_threads
from ramify.tree import Tree
from ramify.tree.curves import Curves
from ramify.tree.packed import restored

__all__ = ["ExtraSurvivalTree", "SurvivalTree"]

Floats = NDArray[np.float64]

_RULES: dict[str, Rule] = {
    "splitter": one_of("best", "random"),
    "missing": one_of("both", "left", "right", "error"),
    "unseen": one_of("heavier", "error", "missing"),
    "min_events_leaf": FROM_ZERO,
}


@documented(OF_SURVIVAL, attributes=ATTRIBUTES)
class SurvivalTree(PredictsSurvival, BaseTree):
    """A decision tree for times to an event, with censored rows.

    The tree searches all cuts exactly, in the logarithm of the number of event times
    for each cut; it is deterministic (the same for any number of threads and any order
    of rows) and takes categories, missing values and weights as they are. Parameters
    that scikit-survival's tree has mean the same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; ``value`` holds the risk of each node, ``impurity`` its
        deviance, as in R's rpart, per weight.
    {attributes}

    Examples
    --------
    >>> from ramify import SurvivalTree
    >>> from ramify.datasets import load
    >>> data = load("veteran")
    >>> tree = SurvivalTree(max_depth=2).fit(data.X, data.y)
    >>> tree.score(data.X, data.y) > 0.7
    True
    >>> tree.predict_survival_function(data.X[:2], times=[30, 365]).shape
    (2, 2)
    """

    __metadata_request__fit: ClassVar = {"check_input": UNUSED}

    _is_regression = True
    _one_place = OnePlace.ELSE

    # What only other trees choose.
    class_weight = None
    cost_matrix = None
    record_candidates = None
    candidate_criteria = None
    laplace = False
    monotonic_cst = None
    splitter_params = None
    categories = "subset"
    max_subset_size = None
    leaf_rule = "restrict"
    zero_gain = "split"
    threshold = "midpoint"
    min_impurity_decrease = 0.0
    ccp_alpha = 0.0

    def __init__(
        self,
        criterion: Any = "logrank",
        *,
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 6,
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        low_memory: bool = False,
        criterion_params: dict[str, Any] | None = None,
        min_events_leaf: float = 0.0,
        categorical_features: Any = "from_dtype",
        max_exhaustive_categories: int = 8,
        missing: Literal["both", "left", "right", "error"] = "both",
        unseen: Literal["heavier", "error", "missing"] = "heavier",
        prune: str | None = None,
        prune_params: dict[str, Any] | None = None,
        max_bins: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.low_memory = low_memory
        self.criterion_params = criterion_params
        self.min_events_leaf = min_events_leaf
        self.categorical_features = categorical_features
        self.max_exhaustive_categories = max_exhaustive_categories
        self.missing = missing
        self.unseen = unseen
        self.prune = prune
        self.prune_params = prune_params
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.verbose = verbose

    # --- fitting -----------------------------------------------------------------

    @all_or_nothing
    @documented(OF_SURVIVAL)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True
    ) -> Self:
        """Grow the tree on the rows of X and their times to the event y.

        Parameters
        ----------
        {parameters}
        """
        chosen = resolve_survival(self.criterion, self.criterion_params)
        self._check_parameters(chosen)
        table = self._table(X)
        n_rows = table.shape[0]
        weight = check_weights(sample_weight, n_rows)
        times = Times.read(y, n_rows, weight)
        sample = Sample(table, table.rows, times).weighted(weight)
        growth = Growth(self, chosen, sample, None)
        forget_fit(self)
        tree = growth.grow_one(_Progress() if self.verbose else None)
        if self.prune is not None:
            tree = prune_survival(self, chosen, sample, tree)
        self.tree_ = self._for_unseen(tree)
        self.schema_ = growth.schema
        remember_columns(self, table.columns, table.shape[1])
        self._remember(times)
        return self

    def _remember(self, times: Times) -> None:
        """Note the times of the training rows."""
        self.unique_times_, self.is_event_time_ = times.times, times.is_event
        self.n_outputs_ = 1

    def _check_parameters(self, chosen: SurvivalCriterion) -> None:
        check_rules(self, _RULES)
        check_pruning(self)
        prune, params = self.prune, self.prune_params
        try:  # the other checks know other ways of pruning
            self.prune = self.prune_params = None
            check_parameters(self)
        finally:
            self.prune, self.prune_params = prune, params

    def _plan(
        self, chosen: SurvivalCriterion, *, is_checked: bool = False
    ) -> _core.Plan:
        if not is_checked:
            self._check_parameters(chosen)
        plan = _core.Plan()
        if self.max_depth is not None:
            plan.max_depth = min(int(self.max_depth), 2**31 - 1)
        if self.max_leaf_nodes is not None:
            plan.max_leaves = min(int(self.max_leaf_nodes), 2**31 - 1)
        plan.min_leaf_share = float(self.min_weight_fraction_leaf)
        plan.random_cuts = self.splitter == "random"
        name = "both" if self.missing == "error" else self.missing
        plan.missing = _core.Missing[name]
        plan.max_exhaustive = int(self.max_exhaustive_categories)
        plan.n_threads = n_threads(self.n_jobs)
        return plan

    def _rules(self) -> _core.SurvivalRules:
        chosen = resolve_survival(self.criterion, self.criterion_params)
        return chosen.rules(self.min_events_leaf)

    def _arrays(
        self, make_plan: Any, sample: Sample, progress: Any
    ) -> dict[str, NDArray[Any]]:
        arrays, curves = _core.grow_survival(
            sample.table.core,
            sample.rows,
            sample.target.core(sample.weight),
            make_plan(),
            self._rules(),
            progress,
        )
        times: Times = sample.target
        arrays["curves"] = Curves.packed(times.times, times.is_event, curves, False)
        return arrays

    def _written(
        self,
        arrays: dict[str, Any],
        schema: Any,
        n_classes: list[int],
        renumber: dict[int, NDArray[np.int64]],
        costs: Any,
        values_of: Any,
    ) -> Tree:
        curves = arrays.pop("curves")
        tree = super()._written(arrays, schema, n_classes, renumber, costs, values_of)
        tree.curves = curves
        return tree

    def _grow_many(
        self,
        plan: _core.Plan,
        sample: Sample,
        weights: Floats | None,
        random_states: list[int],
        progress: Any,
    ) -> list[Tree]:
        draws = plan.max_columns > 0 or plan.random_cuts
        seeds = np.array(
            [_seed_of(state) if draws else 0 for state in random_states],
            dtype=np.uint64,
        )
        times: Times = sample.target
        target = times.core(sample.weight if weights is None else None)
        try:
            grown = _core.grow_survival_trees(
                sample.table.core,
                sample.rows,
                target,
                weights,
                seeds,
                plan,
                self._rules(),
                progress,
            )
        finally:
            del plan  # a kept exception keeps this frame, and with it the function
        trees = []
        for packed, (curves, shapes, _) in grown:
            tree = Tree.from_packed(restored(*packed), sample.table.shape[1], [1])
            whole = {
                name: np.broadcast_to(cells, shapes[name])
                for name, cells in curves.items()
            }
            tree.curves = Curves.packed(times.times, times.is_event, whole, True)
            trees.append(tree)
        return trees

    # --- prediction --------------------------------------------------------------

    def _check_is_fitted(self) -> None:
        check_is_fitted(self)

    def _risks(self, X: Any) -> Floats:
        matrix, has_missing = self._prepare(X)
        value = self.tree_.values()
        found = self.tree_.average(matrix, value, n_threads(self.n_jobs), has_missing)
        return np.asarray(found[:, 0])

    def _leaves(self, X: Any) -> NDArray[np.int64]:
        return self.tree_.leaf_numbers(self.apply(X))

    def _curves(
        self, kind: str, leaves: NDArray[np.int64], places: NDArray[np.int64]
    ) -> Floats:
        found = np.zeros((len(leaves), len(places)))
        curves = self.tree_.curves
        assert curves is not None
        curves.add(kind, leaves, places, found)
        return found

    def _row_predictor(self, proba: bool) -> RowPredictor:
        answers = self.tree_.answers(self.tree_.values())
        return RowPredictor(self.schema_, self._how_to_read(), answers, finish_numbers)

    @property
    def event_rates_(self) -> Floats:
        """Rate of events in each node, relative to that of all rows.

        Events over those expected by the hazard of the root, both and one more, as R's
        rpart has it.
        """
        check_is_fitted(self)
        tree, root = self.tree_, self.tree_.curves_of(0)
        curves = tree.curves
        assert curves is not None
        place = np.tile(root.time, 2).astype(np.uint32)
        is_event = np.repeat([1, 0], len(root.time)).astype(np.uint8)
        weight = np.concatenate([root.events, root.others]).astype(np.float64)
        exposure = _core.expected_events(
            _core.survival_target(
                root.times, place, is_event, root.is_event.astype(np.uint8), weight
            )
        )
        sums = np.zeros((tree.node_count, 2))
        each = np.stack(
            [curves.events, exposure[curves.time] * (curves.events + curves.others)]
        )
        begin = curves.begin.astype(np.int64)
        before = np.concatenate([np.zeros((2, 1)), np.cumsum(each, axis=1)], axis=1)
        sums[tree.children_left < 0] = (before[:, begin[1:]] - before[:, begin[:-1]]).T
        parents = tree.parents()
        for node in range(tree.node_count - 1, 0, -1):
            sums[parents[node]] += sums[node]
        observed, expected = sums.T
        return np.asarray((observed + 1) / (expected + 1))

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the scores of all splits."""
        check_is_fitted(self)
        tree = self.tree_
        inner = tree.children_left >= 0
        sums = np.bincount(
            tree.feature[inner],
            weights=np.maximum(tree.gain[inner], 0),
            minlength=tree.n_features,
        )
        return np.asarray(sums / sums.sum() if sums.sum() > 0 else sums)

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Any:
        """Return the alphas and deviances of minimal cost-complexity pruning."""
        return super().cost_complexity_pruning_path(X, y, sample_weight)

    def _takes_outputs(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.one_d_labels = False
        return tags


@documented(
    OF_SURVIVAL,
    {
        "splitter": """{"random", "best"}
Draw one cut of each column that is looked at and make the best of these; "best" tries
all cuts."""
    },
    attributes=ATTRIBUTES,
)
class ExtraSurvivalTree(SurvivalTree):
    """An extremely randomised survival tree: the best of random cuts.

    (Geurts, Ernst, Wehenkel 2006.) It is `SurvivalTree` with other defaults, and meant
    for ensembles: `ExtraSurvivalTrees` is a forest of such trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; ``value`` holds the risk of each node.
    {attributes}

    Examples
    --------
    >>> from ramify import ExtraSurvivalTree
    >>> from ramify.datasets import load
    >>> data = load("veteran")
    >>> tree = ExtraSurvivalTree(random_state=0).fit(data.X, data.y)
    >>> tree.score(data.X, data.y) > 0.7
    True
    """

    __init__: Any = other_defaults(SurvivalTree.__init__, splitter="random")
