# SPDX-License-Identifier: BSD-3-Clause
"""The classification tree that learns row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ramify.estimators.online.base import RULES, OnlineClassifier
from ramify.estimators.online.reading import in_order, renumber_categories
from ramify.estimators.online.text import OF_ONLINE
from ramify.estimators.tree import DecisionTreeClassifier
from ramify.estimators.validation.reading import remember_columns
from ramify.estimators.validation.rows import check_fitted
from ramify.estimators.validation.rules import Rule, one_of, or_none
from ramify.estimators.validation.target import class_attributes
from ramify.estimators.validation.text import OF_CLASSES, documented
from ramify.tree import Tree

__all__ = ["OnlineTreeClassifier", "tree_of"]


def tree_of(model: OnlineClassifier, i: int) -> Tree:
    """Return one of the trees of a model, in the terms of its `schema_`."""
    arrays = model._model.tree(i)
    arrays.pop("ledger", None)
    renumber_categories(arrays, in_order(model._columns)[1])
    return Tree(arrays, model._columns.n_columns, [model.n_classes_])


_OWN = {
    "drift": """{"replace", "reevaluate"} or None
What to do where the stream changes: let another tree grow beside a node whose errors
increase, which takes over once it is certainly better (HAT); or look again whether
another column splits a node better (EFDT).""",
}


@documented(OF_CLASSES, OF_ONLINE, _OWN)
class OnlineTreeClassifier(OnlineClassifier):
    """A decision tree that learns row by row, with any splitting criterion.

    Each row is seen once, and the tree may be used after each. A leaf is split when the
    information of its best split is larger than chance can explain, which is proved for
    every criterion: with independent rows of one source, a leaf ever splits by chance
    with probability `delta` at most, however long the stream. The same rows in the same
    order give the same tree, in whatever batches they come.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree of this moment as arrays, with majority leaves.
    history_ : list of dict
        Each split, and each branch that was replaced: the row after which it happened,
        the column, the class weights on both sides, the information and how much was
        needed.
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
    >>> from ramify import OnlineTreeClassifier
    >>> from ramify.datasets.streams import sea
    >>> X, y = sea(20_000)
    >>> tree = OnlineTreeClassifier("hellinger")
    >>> said = tree.test_then_train(X, y)
    >>> bool((said == y).mean() > 0.86)
    True
    >>> tree.history_[0]["column"]
    'x0'
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        **RULES,
        "drift": or_none(one_of("replace", "reevaluate")),
    }

    def __init__(
        self,
        criterion: Any = "gini",
        *,
        certain: str = "split",
        bound: str = "auto",
        delta: float = 0.01,
        grace_period: int = 100,
        tie_threshold: float = 0.05,
        leaf: str = "adaptive",
        max_bins: int = 64,
        warm_up: int = 500,
        max_categories: int = 64,
        drift: str | None = None,
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
    ) -> None:
        self.criterion = criterion
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

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"drift": self.drift or "none"}

    @property
    def tree_(self) -> Tree:
        """The tree of this moment, with majority leaves."""
        check_fitted(self)
        return tree_of(self, 0)

    @property
    def history_(self) -> list[dict[str, Any]]:
        """What happened to the tree, in the order of rows."""
        check_fitted(self)
        return self._named_history(0)

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        return self.tree_.max_depth

    def _tree_of_moment(self) -> DecisionTreeClassifier:
        """Return the tree for what is done with trees, if it is all there is."""
        if self.leaf != "majority":
            raise TypeError(
                f"the leaves of this OnlineTreeClassifier (leaf={self.leaf!r}) may "
                "answer by naive Bayes, which a tree alone does not; take "
                "model.snapshot(), whose leaves answer by their largest class, or grow "
                "with leaf='majority'"
            )
        return self.snapshot()

    def snapshot(self) -> DecisionTreeClassifier:
        """Return the tree of this moment as an ordinary one, with majority leaves.

        It can be viewed, exported, pruned, explained and saved, and learns no more.
        With ``leaf="majority"`` it predicts what this tree predicts now.
        """
        check_fitted(self)
        frozen = DecisionTreeClassifier(
            missing="both" if self.missing == "error" else self.missing,  # type: ignore[arg-type]  # of the three words
            max_bins=self.max_bins,
        )
        frozen.tree_ = self.tree_
        frozen.schema_ = schema = self.schema_
        frozen.max_features_ = schema.n_columns
        names = schema.names if schema.has_names else None
        remember_columns(frozen, names, schema.n_columns)
        class_attributes(frozen, [self.classes_])
        return frozen
