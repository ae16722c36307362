# SPDX-License-Identifier: BSD-3-Clause
"""The forest that learns row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ramify.estimators.online.base import RULES, OnlineClassifier
from ramify.estimators.online.classifier import tree_of
from ramify.estimators.online.text import OF_ONLINE
from ramify.estimators.validation.parameters import n_columns_of
from ramify.estimators.validation.rows import check_fitted
from ramify.estimators.validation.rules import (
    Rule,
    is_real,
    is_whole,
    one_of,
    or_none,
    whole,
)
from ramify.estimators.validation.text import OF_CLASSES, documented
from ramify.table import n_threads
from ramify.tree import Tree

__all__ = ["OnlineForestClassifier"]

_OWN = {
    "n_estimators": """int
Number of trees.""",
    "max_features": """int, float, "sqrt", "log2", "ccf" or None
Number of columns drawn; None for all.""",
    "draw": """{"attempt", "tree"}
Columns are drawn for each attempt of a leaf to split (adaptive random forests), or once
for each tree, which sees no others (streaming random patches).""",
    "drift": """{"replace"} or None
"replace" grows a tree in the background when ADWIN warns that the errors of a tree
increase (0.01), and lets it take over when they certainly do (0.001).""",
}

_WORDS = ("sqrt", "log2", "ccf")


def _is_number_of_columns(x: Any) -> bool:
    if isinstance(x, str):
        return x in _WORDS
    return is_whole(x, 1) or (is_real(x, 0, 1) and x > 0)


@documented(OF_CLASSES, OF_ONLINE, _OWN)
class OnlineForestClassifier(OnlineClassifier):
    """A forest that learns row by row: an adaptive random forest.

    Each tree learns a row as often as a Poisson draw says (6 times on average), looks
    at other columns at each attempt to split, and is replaced where the stream changes
    (Gomes et al. 2017). Votes weigh by the accuracy of their tree since it began. Trees
    are `OnlineTreeClassifier`'s: any criterion, and splits that are more than chance.
    The forest is the same for any number of threads, in whatever batches rows come.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    trees_ : list of Tree
        The trees of this moment as arrays, with majority leaves.
    history_ : list of dict
        Which tree was replaced after which row, and whether another had grown in the
        background.
    classes_ : ndarray
        The labels.
    n_rows_seen_, n_bytes_ : int
        Rows that were learnt, and the memory of sums and moments.
    n_classes_, n_features_in_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from ramify import OnlineForestClassifier
    >>> from ramify.datasets.streams import rbf
    >>> X, y = rbf(5000, n_classes=3)
    >>> forest = OnlineForestClassifier(random_state=0)
    >>> said = forest.test_then_train(X, y)
    >>> bool((said == y)[2000:].mean() > 0.85)
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        **RULES,
        "n_estimators": whole(1),
        "max_features": or_none(
            (
                _is_number_of_columns,
                "a whole number of at least 1, a share, 'sqrt', 'log2', 'ccf'",
            )
        ),
        "draw": one_of("attempt", "tree"),
        "drift": or_none(one_of("replace")),
        "random_state": or_none(whole(0)),
    }

    def __init__(
        self,
        criterion: Any = "entropy",
        *,
        n_estimators: int = 10,
        max_features: int | float | str | None = "sqrt",
        draw: str = "attempt",
        certain: str = "split",
        bound: str = "auto",
        delta: float = 0.05,
        grace_period: int = 50,
        tie_threshold: float = 0.05,
        leaf: str = "adaptive",
        max_bins: int = 64,
        warm_up: int = 500,
        max_categories: int = 64,
        drift: str | None = "replace",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_branch_share: float = 0.01,
        max_leaf_nodes: int | None = None,
        max_memory: int | str | None = "100MB",
        new_classes: str = "error",
        missing: str = "both",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        criterion_params: dict[str, Any] | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.draw = draw
        self.certain = certain
        self.bound = bound
        self.delta = delta
        self.grace_period = grace_period
        self.tie_threshold = tie_threshold
        self.leaf = leaf
        self.max_bins = max_bins
        self.warm_up = warm_up
        self.max_categories = max_categories
        self.drift = drift
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_branch_share = min_branch_share
        self.max_leaf_nodes = max_leaf_nodes
        self.max_memory = max_memory
        self.new_classes = new_classes
        self.missing = missing
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.criterion_params = criterion_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _options_for(self, n_columns: int) -> dict[str, Any]:
        options = self._options()
        n = n_columns_of(self.max_features, n_columns)
        n = 0 if n >= n_columns else n
        by_tree = self.draw == "tree"
        options |= {
            "n_trees": int(self.n_estimators),
            "poisson": 6.0,
            "warning": 0.01 if self.drift else 0.0,
            "swap": 0.001 if self.drift else 0.0,
            "seed": int(self.random_state or 0),
            "max_columns": 0 if by_tree else n,
            "columns_of_tree": n if by_tree else 0,
        }
        # Trees share what memory there is.
        options["max_bytes"] = options["max_bytes"] // int(self.n_estimators)
        return options

    @property
    def trees_(self) -> list[Tree]:
        """The trees of this moment, with majority leaves."""
        check_fitted(self)
        return [tree_of(self, i) for i in range(self._model.n_trees)]

    @property
    def history_(self) -> list[dict[str, Any]]:
        """Which tree was replaced after which row."""
        check_fitted(self)
        return [
            {"row": row, "event": "replaced", "tree": tree, "from_background": grown}
            for row, tree, grown in self._model.swaps
        ]
