# SPDX-License-Identifier: BSD-3-Clause
"""Single trees with a line in every leaf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from ramify import _core
from ramify.distributed.core.routing import OnePlace
from ramify.estimators.conformal.spread import FLOOR, known_deviations
from ramify.estimators.tree.base import _seed_of
from ramify.estimators.tree.model_tree_parameters import (
    LINE_METHODS,
    check_model_tree,
    line_params,
    own_limits,
)
from ramify.estimators.tree.regressor import DecisionTreeRegressor
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.parameters import n_columns_of, n_rows_of
from ramify.estimators.validation.rows import RowPredictor, finish_numbers
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.text import (
    OF_REGRESSION,
    ONE_TARGET_VALUE,
    documented,
)
from ramify.table import Table, n_threads
from ramify.tree import Tree
from ramify.tree.lines import Lines

__all__ = ["ModelTreeRegressor"]

_OWN = {
    "method": """{"m5", "pilot"}
How the tree grows. "m5" is M5' (Quinlan 1992; Wang, Witten 1997; as WEKA's M5P): a tree
with a line in every node, cut back to lines that are as good, and smoothed. "pilot"
(Raymaekers, Rousseeuw, Verdonck, Yao 2024) takes one model of one column at a time, by
BIC, and is as fast as a tree of constants.""",
    "method_params": """dict
Settings of the method. Of "m5": smoothing=15 (how many rows the line of the node above
is worth; 0 for none), penalty=1 (of slopes, on standardised columns), factor=2 (what a
parameter costs in the adjusted error), stop=0.05 (a node whose deviation is below this
share of the root's is a leaf), share=0.2 (of the rows that a cut leaves on both sides),
prune=True. Of "pilot": models=("lin", "pcon", "blin", "plin") (which may be taken:
lines, steps, bent lines, broken lines), alpha=1 (what parameters beyond the first
cost), rel_tol=0.01 (a line that takes less of the squares is the last one), and
min_unique=5 (distinct values that a line needs).""",
    "max_depth": """int or None
Maximum depth of the tree; None for no limit ("m5") or 12 ("pilot"). Lines of "pilot"
that part no rows do not count.""",
    "min_samples_split": """int, float or None
Smallest weight of a node that is split, where a row weighs 1; a float is a share of all
rows. None for 4 ("m5") or 11 ("pilot").""",
    "min_samples_leaf": """int, float or None
Smallest weight of a leaf; a float is a share of all rows. None for 2 ("m5", which also
leaves a fifth of the node) or 5 ("pilot").""",
    "ccp_alpha": """float
Complexity parameter of minimal cost-complexity pruning; the cost of a node is the mean
squared residual of its line.""",
    "missing": """{"both", "left", "right", "error"}
Where rows with missing values go in a split: to the better side, or always to one side;
"error" refuses them. In a line the mean of the node's rows stands for the value.""",
    "unseen": """{"heavier", "error", "missing"}
What to do at prediction with a category that was not in the training data: follow the
child with more training weight, raise an error, or treat it as missing.""",
    "sample_weight": """array of shape (n_rows,)
Weights; a weight of 2 equals the row twice, and 0 equals no row. Sizes of nodes and
BIC count them as rows.""",
}


@dataclass
class _Plan:
    """What the engine gets to know of a fit."""

    rules: dict[str, Any] = field(default_factory=dict)
    n_threads: int = 1  # nobody asks: a tree grows on one


@documented(OF_REGRESSION, ONE_TARGET_VALUE, _OWN)
class ModelTreeRegressor(DecisionTreeRegressor):
    """A regression tree with a line in every leaf.

    A leaf predicts ``a + b x1 + c x2 ...``, where each column is clipped to the values
    that its node had in training, and the sum to the range of y: nothing explodes
    outside the data. Trees are small and often as accurate as forests of hundreds of
    leaves where y follows its columns smoothly. They learn the mean of one output. The
    tree is the same for any order of rows and any number of threads.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; ``value`` holds the intercepts, `Tree.lines` the terms.
    n_outputs_, n_features_in_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_diabetes
    >>> data = load_diabetes(as_frame=True, scaled=False)
    >>> tree = ramify.ModelTreeRegressor("pilot").fit(data.data[["bmi", "s5"]],
    ...                                              data.target)
    >>> print(ramify.export_text(tree))
    y = -263.7 + 7.865 bmi + 44.9 s5 (weight 442)
    """

    criterion = "squared_error"
    criterion_params = None
    splitter: Any = "best"
    splitter_params = None
    min_weight_fraction_leaf = 0.0
    max_leaf_nodes = None
    min_impurity_decrease = 0.0
    prune = None
    prune_params = None
    monotonic_cst = None
    max_exhaustive_categories = 8
    max_subset_size = None
    leaf_rule: Any = "restrict"
    zero_gain: Any = "split"
    max_bins = None
    threshold: Any = "midpoint"

    _one_place = OnePlace.NEVER
    _has_lines = True
    _y_range: tuple[float, float] | None = None  # of the answers, if not that of y

    # None: what the method says.
    min_samples_split: Any
    min_samples_leaf: Any

    def __init__(
        self,
        method: Literal["m5", "pilot"] = "m5",
        *,
        method_params: dict[str, Any] | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float | None = None,
        min_samples_leaf: int | float | None = None,
        max_features: int | float | str | None = None,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        categories: Literal["subset", "one_vs_rest"] = "subset",
        missing: Literal["both", "left", "right", "error"] = "both",
        unseen: Literal["heavier", "error", "missing"] = "heavier",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.method_params = method_params
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(OF_REGRESSION, ONE_TARGET_VALUE, _OWN)
    def fit(  # type: ignore[override]  # nobody needs check_input
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Self:
        """Grow the tree on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        return self._fit_clipped(X, y, sample_weight, None)

    def _fit_clipped(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        y_range: tuple[float, float] | None,
    ) -> Self:
        """Grow the tree; its answers are clipped to a range, or to that of y."""
        self._y_range = y_range
        try:
            tree = self._fit_regression(X, y, sample_weight)
        finally:
            del self._y_range
        self.n_outputs_ = 1
        self.tree_ = tree
        return self

    # --- growing -----------------------------------------------------------------

    def _check_parameters(self, chosen: Any) -> None:
        check_model_tree(self)

    def _why_not_by_sums(self) -> str:
        return (
            f"{type(self).__name__} needs the residuals of all rows, which partitions "
            "do not have; use DecisionTreeRegressor, or fit in memory"
        )

    def _takes_outputs(self) -> bool:
        return False

    def _takes_order(self, sample_weight: Any) -> bool:
        return False

    def _draws(self) -> bool:
        return False

    def _table(self, X: Any, for_one_tree: bool = False) -> Table:
        table = super()._table(X)
        if table.max_bins is not None:
            raise ValueError(
                f"X is a Table with max_bins={table.max_bins!r}; a model tree needs "
                "all values, a Table with max_bins=None"
            )
        return table

    def _plan(self, chosen: Any, *, is_checked: bool = False) -> Any:
        if not is_checked:
            self._check_parameters(chosen)
        settings = line_params(self)
        models = settings.pop("models", None)
        if models is not None:
            settings |= {name: name in models for name in ("lin", "pcon", "blin")}
            settings["plin"] = "plin" in models
        defaults = LINE_METHODS[self.method]
        rules = {
            name: type(defaults[name][0])(value) if name in defaults else value
            for name, value in settings.items()
        }
        rules |= {
            "method": self.method,
            "missing": "both" if self.missing == "error" else self.missing,
            "one_vs_rest": self.categories == "one_vs_rest",
        }
        if self._y_range is not None:
            rules["y_low"], rules["y_high"] = map(float, self._y_range)
        return _Plan(rules)

    def _limit(self, plan: Any, table: Table, n_rows: int, target: Any) -> None:
        n_outputs = len(target.n_classes)
        if n_outputs > 1:
            raise ValueError(
                f"y has {n_outputs} outputs; a model tree (method={self.method!r}) "
                "takes one: fit a tree per output, as "
                "sklearn.multioutput.MultiOutputRegressor does"
            )
        rules, n_columns = plan.rules, table.shape[1]
        depth, split, leaf = own_limits(self)
        if depth is not None:
            rules["max_depth"] = min(int(depth), 2**31 - 1)
        rules["min_leaf"] = float(n_rows_of(leaf, n_rows, least=1))
        rules["min_split"] = float(n_rows_of(split, n_rows, least=2))
        self.max_features_ = n_columns_of(self.max_features, n_columns)
        rules["max_columns"] = self.max_features_ % n_columns  # 0 = all
        if rules["max_columns"] > 0:
            rules["seed"] = _seed_of(self.random_state)

    def _grow(
        self,
        make_plan: Callable[[], Any],
        sample: Sample,
        renumber: dict[int, NDArray[np.int64]],
        costs: NDArray[np.float64] | None,
        progress: Any = None,
    ) -> Tree:
        plan = make_plan()
        target = self._core_target(sample, sample.weight)
        arrays, lines = _core.grow_model_tree(
            sample.table.core, sample.rows, target, plan.rules, progress
        )
        schema = sample.table.schema
        tree = self._written(arrays, schema, [1], renumber, None, _no_values)
        tree.lines = Lines(**lines)
        return tree

    def _grow_many(
        self,
        plan: Any,
        sample: Sample,
        weights: NDArray[np.float64] | None,
        random_states: list[int],
        progress: Any,
    ) -> list[Tree]:
        grown = []
        for t, state in enumerate(random_states):
            own = sample if weights is None else sample.weighted(weights[t])
            if plan.rules["max_columns"] > 0:
                plan.rules["seed"] = _seed_of(state)
            tree = self._grow(lambda: plan, own, {}, None, progress)
            grown.append(tree.packed())
        return grown

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Return the alphas and impurities of minimal cost-complexity pruning."""
        own = {**self.get_params(deep=False), "ccp_alpha": 0.0}
        tree = type(self)(**own).fit(X, y, sample_weight=sample_weight).tree_
        alphas, impurities, _ = tree.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    # --- prediction --------------------------------------------------------------

    def _numbers_and_spread(
        self, X: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        matrix, has_missing = self._prepare(X)
        tree, threads = self.tree_, n_threads(self.n_jobs)
        numbers = tree.on_lines(matrix, threads, has_missing)
        deviation = known_deviations(self, [tree], 1)
        if deviation is None:
            return numbers, None
        spread = np.sqrt(tree.impurity[tree.apply(matrix, threads, has_missing)])
        return numbers, spread[:, None] + FLOOR * deviation

    def _row_predictor(self, proba: bool) -> RowPredictor:
        answers = self.tree_.line_answers()
        return RowPredictor(self.schema_, self._how_to_read(), answers, finish_numbers)

    def predict(
        self, X: Any, check_input: bool = True, *, return_support: bool = False
    ) -> Any:
        """Predict the number of each row: the line of its leaf.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows.
        check_input : bool, default=True
            If False, a matrix of floats is taken as it is, with categories by their
            codes and NaN where a value is missing; anything else is read as usual.
        return_support : bool, default=False
            Also return the training weight in the leaf of each row: (n_rows,).

        Returns
        -------
        numbers : ndarray of shape (n_rows,)
        support : ndarray of shape (n_rows,)
            If `return_support`.
        """
        matrix, has_missing = self._prepare(X, check_input)  # first: is there a tree?
        found = self.tree_.on_lines(matrix, n_threads(self.n_jobs), has_missing)
        numbers = found[:, 0]
        return (numbers, self._support(X, check_input)) if return_support else numbers


def _no_values(j: int) -> NDArray[np.float64]:
    raise AssertionError("thresholds are written as they were grown")
