# SPDX-License-Identifier: BSD-3-Clause
"""What greedy growth costs: trees by every criterion beside the best tree there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ramify.estimators.optimal.classifier import OptimalTreeClassifier
from ramify.estimators.optimal.regressor import OptimalTreeRegressor
from ramify.pruning.outcome import to_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GreedRow", "PriceOfGreed", "price_of_greed"]


@dataclass(frozen=True)
class GreedRow:
    """What the greedy tree of one criterion costs.

    Attributes
    ----------
    criterion : str
        How it was grown.
    loss : float
        The weight of the rows that it gets wrong, or its squared error.
    leaves : int
        Its size, without splits that save nothing.
    excess : float
        What it costs, penalties included, above the best tree that is known.
    percent : float
        The same per 100 units of weight of all rows: percentage points of the training
        error if rows weigh 1. In regression per cent of what a single leaf loses.
    """

    criterion: str
    loss: float
    leaves: int
    excess: float
    percent: float


@dataclass(frozen=True)
class PriceOfGreed:
    """Greedy trees by criterion, the least costly first, beside the best tree.

    Attributes
    ----------
    best : OptimalTreeClassifier or OptimalTreeRegressor
        The best tree.
    rows : tuple of GreedRow
        The greedy trees.
    max_depth : int
        The depth of all of them.
    """

    best: Any
    rows: tuple[GreedRow, ...]
    max_depth: int

    @property
    def is_optimal(self) -> bool:
        """Whether the best tree is proved to be the best."""
        return bool(self.best.is_optimal_)

    @property
    def verdict(self) -> str:
        """What is proved of the best tree."""
        leaves = self.best.get_n_leaves()
        text = f"The best tree of depth {self.max_depth} has loss "
        text += f"{self.best.loss_:.6g} with {leaves} leaves"
        if self.is_optimal:
            return f"{text}; no tree is better (proved)."
        return (
            f"{text}, as far as is known: the search was stopped by "
            f"{self.best.stopped_by_}, and the bound is {self.best.lower_bound_:.6g}. "
            "Greed may cost more than the table says."
        )

    def to_frame(self) -> Any:
        """Return the table as a data frame (pandas or polars)."""
        import numpy as np

        columns = {name: [getattr(row, name) for row in self.rows] for name in _COLUMNS}
        return to_frame({name: np.array(column) for name, column in columns.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as JSON can hold them."""
        return {
            "max_depth": self.max_depth,
            "loss": self.best.loss_,
            "leaves": int(self.best.get_n_leaves()),
            "objective": self.best.objective_,
            "lower_bound": self.best.lower_bound_,
            "is_optimal": self.is_optimal,
            "criteria": [asdict(row) for row in self.rows],
        }

    def __str__(self) -> str:
        wide = max([len(row.criterion) for row in self.rows] + [len("criterion")])
        lines = [f"{'criterion':<{wide}}  {'loss':>10} {'leaves':>6} {'excess':>10} "]
        lines[0] += f"{'per cent':>8}"
        lines += [
            f"{row.criterion:<{wide}}  {row.loss:>10.6g} {row.leaves:>6} "
            f"{row.excess:>10.6g} {row.percent:>8.2f}"
            for row in self.rows
        ]
        return "\n".join([*lines, "", self.verdict])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each criterion costs above the best tree, as bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ramify.plotting.greed import draw_greed

        return draw_greed(
            [row.criterion for row in self.rows],
            [row.percent for row in self.rows],
            f"depth {self.max_depth}: {'' if self.is_optimal else 'at least '}per cent "
            "above the best tree",
            ax,
        )


_COLUMNS = tuple(GreedRow.__annotations__)


def price_of_greed(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    max_depth: int = 3,
    criteria: str | Sequence[Any] = "all",
    penalty: float = 0.0,
    task: str = "classification",
    cost_matrix: Any = None,
    class_weight: Any = None,
    categorical_features: Any = "from_dtype",
    max_bins: int | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = 1,
) -> PriceOfGreed:
    """Compare greedy trees of every criterion with the best tree of their depth.

    Every criterion is a guess at one step of a tree. This tells what the guesses cost:
    the training loss of each greedy tree above the least that any tree of this depth
    has, with the proof that there is none better. It says nothing about other rows,
    where the best tree on the training rows may be worse.

    Parameters
    ----------
    X, y, sample_weight : table, target and weights
        The training rows.
    max_depth : int, default=3
        Most tests before a leaf, 1 to 5.
    criteria : "all", "usual" or list of criteria, default="all"
        How the greedy trees are grown. "all" leaves out those that these data do not
        allow, such as criteria of two classes.
    penalty : float, default=0.0
        Price of a leaf, as a share of the weight of all rows; splits of greedy trees
        that do not save it are cut.
    task : {"classification", "regression"}, default="classification"
        Whether y holds labels or numbers.
    cost_matrix, class_weight, categorical_features, max_bins, time_limit, n_jobs
        As in `OptimalTreeClassifier`.

    Returns
    -------
    PriceOfGreed
        `rows`, `best`, `verdict`, `to_frame()`, `plot()`; `print` shows a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True)
    >>> print(ramify.price_of_greed(X, y, criteria=["gini", "twoing"]))
    criterion        loss leaves     excess per cent
    gini                4      4          3     2.00
    twoing              4      4          3     2.00
    <BLANKLINE>
    The best tree of depth 3 has loss 1 with 8 leaves; no tree is better (proved).
    """
    if task not in ("classification", "regression"):
        raise ValueError(
            f"task={task!r} is not allowed; use 'classification' or 'regression'"
        )
    if task == "regression" and (cost_matrix is not None or class_weight is not None):
        raise ValueError(
            "cost_matrix and class_weight are for labels, not for task='regression'"
        )
    start = criteria if isinstance(criteria, str) else list(criteria)
    shared: dict[str, Any] = {
        "max_depth": max_depth,
        "penalty": penalty,
        "start": start,
        "categorical_features": categorical_features,
        "max_bins": max_bins,
        "time_limit": time_limit,
        "n_jobs": n_jobs,
    }
    best: Any = (
        OptimalTreeRegressor(**shared)
        if task == "regression"
        else OptimalTreeClassifier(
            cost_matrix=cost_matrix, class_weight=class_weight, **shared
        )
    )
    best._refines = False
    best.fit(X, y, sample_weight)
    whole = float(best.tree_.weighted_n_node_samples[0])
    if task == "regression":  # of what one leaf loses
        whole *= float(best.tree_.impurity[0]) or 1.0
    price = best._leaf_price
    rows = [
        GreedRow(
            criterion=name,
            loss=cost - price * leaves,
            leaves=leaves,
            excess=max(0.0, cost - best.objective_),
            percent=max(0.0, 100 * (cost - best.objective_) / whole),
        )
        for name, (cost, leaves) in best._starts.items()
    ]
    rows.sort(key=lambda row: (row.excess, row.criterion))
    return PriceOfGreed(best, tuple(rows), int(max_depth))
