# SPDX-License-Identifier: BSD-3-Clause
"""Single trees whose nodes may be split by hyperplanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.classes import TreeClassifier
from ramify.estimators.tree.oblique_parameters import (
    check_oblique,
    compares_axis,
    method_params,
    native_params,
)
from ramify.estimators.tree.rotation import grow_turned
from ramify.estimators.validation.choices import (
    Categories,
    LeafRule,
    Missing,
    Threshold,
    Unseen,
    ZeroGain,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.text import OF_CLASSES, ONE_LABEL, documented
from ramify.table import Table
from ramify.table.schema import Schema, chosen_columns

__all__ = ["MixesColumns", "ObliqueTreeClassifier"]


_OWN = {
    "method": """str
Who proposes directions: "wodt" (weighted oblique trees: a smoothed entropy is
minimised), "wodt_l1" (the same with few columns per node), "oc1", "oc1r" (climb one
coefficient at a time, from the best split of one column or from a random one),
"cart_lc", "cart_lcr" (linear combinations of CART), "co2", "co2r" (stochastic descent
on a bound of the loss), "dgmml_mdt" (distance of class means against spreads), "fisher"
(Fisher's discriminant), "random_sparse" (the best of sparse random directions),
"ridge", "logistic", "svm" (least squares, logistic regression or support vectors of one
class against the rest), "mpsvm" (midway between two proximal planes), "hhcart" (axes
reflected onto the main axis of a class), "cca" (canonical correlation with the
classes), "pptree" (projection pursuit), "cart_elc" (all hyperplanes through a few
rows), "heterogeneous" (several of these propose, the best wins) or "rotation" (columns
are turned in small groups before the tree grows: a tree of a rotation forest).""",
    "criterion": """str, callable or criterion of `ramify.criteria`
How splits are judged: any criterion that looks at the class weights on either side, by
name, as an expression of such, or a function of yours.""",
    "method_params": """dict
Settings of the method; see `ramify.methods.get(name).settings`.""",
    "scale": """{"global", "node", None}
Columns are scaled to [-1, 1] before they are mixed: by their range in the training
rows, in the rows of each node, or not at all. The tree itself acts on raw values.""",
    "combine": """list of lists of columns
Which columns may be mixed with each other, by name or index. All others are split one
by one. By default all may be mixed with all.""",
    "max_terms": """int
Most columns in one split.""",
    "compare_axis": """bool
Take a hyperplane only if it is better than the best split of one column. By default
"wodt", "wodt_l1", "co2r" and "dgmml_mdt" do not, unless `combine` is given; without it
that split is used where no direction helps. Columns of categories always compete.""",
    "max_features": """int, float, "sqrt", "log2", "ccf" or None
Number of columns sampled at each node, of which a direction is made.""",
    "random_state": """int, RandomState or None
Seed of random starts, steps and columns.""",
    "categorical_features": """"from_dtype", list of names, indices or a mask, or None
Columns whose values have no order. By default those that hold text or have a
categorical dtype. In a direction a category stands for the shares of the classes among
its rows in the node.""",
    "categories": """{"subset", "one_vs_rest"}
How a column of categories is split on its own.""",
    "missing": """{"both", "left", "right", "error"}
Where rows with missing values go if one column is split. In a direction the mean of the
node's rows stands for the value.""",
    "threshold": """{"midpoint", "value"}
Where the threshold of a split of one column lies.""",
    "sample_weight": """array of shape (n_rows,)
Weights; 0 means no row.""",
}


_OF_ROTATIONS = 0x726F74  # a stream of random numbers apart from that of nodes


class MixesColumns(BaseTree):
    """A tree whose nodes may test a weighted sum of columns."""

    # A direction has no answer to these.
    splitter: Any = "best"
    splitter_params: Any = None
    monotonic_cst = None
    record_candidates = None
    candidate_criteria = None
    max_bins: Any = None

    method: Any
    combine: Any
    max_terms: Any

    _mixes_columns = True

    def _limit(self, plan: _core.Plan, table: Table, n_rows: int, target: Any) -> None:
        n_outputs = len(target.n_classes)
        if n_outputs > 1:
            raise ValueError(f"y has {n_outputs} outputs; an oblique tree takes one")
        super()._limit(plan, table, n_rows, target)
        if self._turns_columns():  # one column per test
            return
        plan.use_oblique(
            self.method,
            native_params(self),
            self.scale,
            compares_axis(self),
            int(self.max_terms or 0),
            _groups(self.combine, table.schema),
        )

    def _arrays(
        self, make_plan: Callable[[], _core.Plan], sample: Sample, progress: Any
    ) -> dict[str, NDArray[Any]]:
        if not self._turns_columns():
            return super()._arrays(make_plan, sample, progress)
        plans = [make_plan()]  # taken from here when the tree grows: see there
        return grow_turned(
            lambda turned: super(MixesColumns, self)._arrays(
                plans.pop, turned, progress
            ),
            sample,
            np.random.default_rng([plans[0].seed, _OF_ROTATIONS]),
            is_scaled=self.scale is not None,
            n_threads=plans[0].n_threads,
            **method_params(self),
        )

    def _turns_columns(self) -> bool:
        return bool(self.method == "rotation")

    def _table(self, X: Any, for_one_tree: bool = False) -> Table:
        table = super()._table(X, for_one_tree)
        if table.max_bins is not None:
            raise ValueError(
                f"X is a Table with max_bins={table.max_bins!r}; an oblique tree needs "
                "all values, a Table with max_bins=None"
            )
        return table

    def _draws(self) -> bool:
        return True

    def _takes_outputs(self) -> bool:
        return False


@documented(OF_CLASSES, _OWN)
class ObliqueTreeClassifier(MixesColumns, TreeClassifier):
    """A decision tree whose nodes may test a weighted sum of columns.

    A method proposes a direction, the criterion judges what it parts, in the units of
    the data. Splits of one column remain: where they are better, where a method
    compares (see `compare_axis`), for columns of categories, and where no direction
    helps. The tree is the same for any number of threads. Parameters that
    `DecisionTreeClassifier` has mean the same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; `Tree.terms` gives the terms of a hyperplane.
    classes_, n_classes_, n_outputs_, n_features_in_, max_features_, feature_names_in_
        As in `DecisionTreeClassifier`.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = ramify.ObliqueTreeClassifier("wodt", random_state=0)
    >>> tree = tree.fit(iris.data, iris.target)
    >>> tree.score(iris.data, iris.target)
    1.0
    """

    def __init__(
        self,
        method: str = "wodt",
        criterion: Any = "entropy",
        *,
        method_params: dict[str, Any] | None = None,
        scale: str | None = "global",
        combine: Any = None,
        max_terms: int | None = None,
        compare_axis: bool | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_purity: float = 1.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        prune: str | None = None,
        prune_params: dict[str, Any] | None = None,
        criterion_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: Categories = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        cost_matrix: Any = None,
        leaf_rule: LeafRule = "restrict",
        zero_gain: ZeroGain = "stop",
        threshold: Threshold = "midpoint",
        laplace: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.method_params = method_params
        self.scale = scale
        self.combine = combine
        self.max_terms = max_terms
        self.compare_axis = compare_axis
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_purity = max_purity
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.prune_params = prune_params
        self.criterion_params = criterion_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.cost_matrix = cost_matrix
        self.leaf_rule = leaf_rule
        self.zero_gain = zero_gain
        self.threshold = threshold
        self.laplace = laplace
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(ONE_LABEL, _OWN)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree on the rows of X and their labels y.

        Parameters
        ----------
        {parameters}
        """
        return self._fit_classes(X, y, sample_weight)

    def _check_parameters(self, chosen: Any) -> None:
        check_oblique(self, chosen)
        super()._check_parameters(chosen)


def _groups(combine: Any, schema: Schema) -> list[list[int]]:
    """Return the columns that may be mixed, as sorted indices."""
    names = schema.names if schema.has_names else None
    groups = []
    for group in combine or ():
        mask = chosen_columns(group, names, schema.n_columns, what="combine")
        columns = np.flatnonzero(mask).tolist()
        if len(columns) < 2:
            raise ValueError(
                f"combine has the group {group!r}; a group needs two columns or more"
            )
        groups.append(columns)
    return groups
