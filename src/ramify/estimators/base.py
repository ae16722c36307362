# SPDX-License-Identifier: BSD-3-Clause
"""What all trees share: the checks, the plan of a fit, and prediction from the tree."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ramify import _core, criteria
from ramify.estimators.target import (
    Labels,
    check_weights,
    class_weights,
    encode_labels,
)
from ramify.table import (
    RawColumns,
    Table,
    check_shape,
    is_frame,
    n_threads,
    read_columns,
)
from ramify.tree import Tree

__all__ = ["BaseTree"]


class BaseTree(BaseEstimator):
    """Grows one tree and predicts from it."""

    tree_: Tree

    # --- fitting -----------------------------------------------------------------

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, criterion_data: Any
    ) -> tuple[Tree, Labels]:
        plan = self._plan()
        table = self._table(X)
        n_rows = table.shape[0]
        labels = encode_labels(y, n_rows)
        weight = class_weights(
            self.class_weight, y, check_weights(sample_weight, n_rows)
        )
        extra = self._criterion_data(criterion_data, n_rows, labels)
        rows = table.rows
        codes = labels.codes
        if weight is not None and not (weight > 0).all():  # no weight, no row
            used = np.flatnonzero(weight > 0)
            rows = used.astype(np.uint32) if rows is None else rows[used]
            codes, weight = codes[used], weight[used]
            extra = None if extra is None else extra[used]
        self._limit(plan, table.shape[1], len(codes), labels)
        progress = _Progress() if self.verbose else None
        try:
            arrays = _core.grow(
                table.core,
                rows,
                np.ascontiguousarray(codes).ravel(),
                labels.n_classes,
                weight,
                None if extra is None else extra.ravel(),
                0 if extra is None else extra.shape[1],
                plan,
                progress,
            )
        finally:
            del plan  # a kept exception keeps this frame, and with it the function
        if progress is not None:
            progress.close()
        self._remember(X, table)
        return Tree(arrays, table.shape[1], labels.n_classes), labels

    def _table(self, X: Any) -> Table:
        """Check X, and encode it unless it is encoded."""
        if isinstance(X, Table):
            if self.max_bins is not None and X.max_bins != self.max_bins:
                raise ValueError(
                    f"max_bins={self.max_bins!r}, but X is a Table with "
                    f"max_bins={X.max_bins!r}; give the Table the same max_bins"
                )
            check_shape(*X.shape)
            return X
        raw = self._read(X)
        return Table.from_columns(raw, self.max_bins, self.n_jobs)

    def _read(self, X: Any) -> RawColumns:
        if not is_frame(X):
            X = _as_array(X, self)
        return read_columns(X)

    def _remember(self, X: Any, table: Table) -> None:
        """Remember the columns; after growing, so that a failed fit changes nothing."""
        if is_frame(X):
            validate_data(self, X, reset=True, skip_check_array=True)
        else:
            self._remember_columns(table.columns, table.shape[1])

    def _remember_columns(self, names: list[str] | None, n_columns: int) -> None:
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _criterion_data(
        self, data: Any, n_rows: int, labels: Labels
    ) -> NDArray[np.float64] | None:
        if data is None:
            return None
        chosen = criteria.resolve(self.criterion, self.criterion_params)
        if isinstance(chosen, criteria.Criterion):
            raise ValueError(
                f"criterion_data was given, but criterion={chosen.name!r} does not "
                "look at it; pass a function as criterion"
            )
        if len(labels.classes) > 1:
            raise ValueError("criterion_data cannot be used with several outputs")
        array = check_array(
            data, ensure_2d=False, dtype=np.float64, input_name="criterion_data"
        )
        if len(array) != n_rows:
            raise ValueError(
                f"criterion_data has {len(array)} rows, X has {n_rows}; give one row "
                "of numbers per row of X"
            )
        return np.ascontiguousarray(array.reshape(n_rows, -1))

    # --- the plan ----------------------------------------------------------------

    def _plan(self) -> _core.Plan:
        """Turn parameters into the engine's plan; all that does not need the data."""
        _check_parameters(self)
        plan = _core.Plan()
        criteria.set_plan(plan, criteria.resolve(self.criterion, self.criterion_params))
        if self.max_depth is not None:
            plan.max_depth = min(int(self.max_depth), 2**31 - 1)
        if self.max_leaf_nodes is not None:
            plan.max_leaves = int(self.max_leaf_nodes)
        plan.min_decrease = float(self.min_impurity_decrease)
        plan.min_leaf_share = float(self.min_weight_fraction_leaf)
        plan.random_cuts = self.splitter == "random"
        plan.threshold_is_value = self.threshold == "value"
        plan.n_threads = n_threads(self.n_jobs)
        return plan

    def _limit(
        self, plan: _core.Plan, n_columns: int, n_rows: int, labels: Labels
    ) -> None:
        """Add to the plan what depends on the size of the data."""
        plan.min_leaf_rows = _rows(self.min_samples_leaf, n_rows, least=1)
        plan.min_split_rows = max(
            _rows(self.min_samples_split, n_rows, least=2), 2 * plan.min_leaf_rows
        )
        self.max_features_ = _columns(self.max_features, n_columns)
        plan.max_columns = self.max_features_ % n_columns  # 0 = all
        if plan.max_columns > 0 or plan.random_cuts:
            rng = check_random_state(self.random_state)
            plan.seed = int(rng.randint(np.iinfo(np.int32).max))
        if self.monotonic_cst is not None:
            plan.monotonic = _monotonic(self.monotonic_cst, n_columns, labels)

    # --- prediction --------------------------------------------------------------

    def _prepare(self, X: Any) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; give a float matrix, and if it has gaps."""
        check_is_fitted(self)
        if isinstance(X, Table):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is "
                    f"expecting {self.n_features_in_} features as input"
                )
            _check_names(self, X.columns)
            return X.to_numpy(), True
        raw = self._read(X)
        if is_frame(X) or hasattr(self, "feature_names_in_"):
            validate_data(self, X, reset=False, skip_check_array=True)
        if raw.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {raw.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features as input"
            )
        matrix = raw.arrays[0]
        if raw.names is not None:
            matrix = np.column_stack([a.astype(np.float64) for a in raw.arrays])
        elif matrix.dtype.kind != "f":
            matrix = matrix.astype(np.float64)
        has_missing, row, column = _core.inspect(matrix)
        if row >= 0:
            name = column if raw.names is None else repr(raw.names[column])
            raise ValueError(
                f"Input X contains infinity: column {name} is {matrix[row, column]} in "
                f"row {row}; use NaN for a missing value, or a large finite number"
            )
        return matrix, has_missing

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the leaf that each row of X reaches."""
        matrix, has_missing = self._prepare(X)  # first: it says so if there is no tree
        return self.tree_.apply(matrix, n_threads(self.n_jobs), has_missing)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Mark the nodes that each row of X passes, as a sparse indicator matrix."""
        matrix, _ = self._prepare(X)
        return self.tree_.decision_path(matrix)

    def get_depth(self) -> int:
        """Give the number of tests before the farthest leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Count the leaves of the tree."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the gain of all splits."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Give the alphas and impurities of minimal cost-complexity pruning."""
        other = type(self)(**{**self.get_params(deep=False), "ccp_alpha": 0.0})
        tree = other.fit(X, y, sample_weight=sample_weight).tree_
        alphas, impurities, _ = tree.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.multi_output = True
        tags.target_tags.required = True
        return tags

    def save(self, path: Any) -> None:
        """Write the fitted tree to a file; `ramify.load` reads it back."""
        from ramify.model import save

        save(self, path)


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


def _as_array(X: Any, estimator: BaseEstimator) -> Any:
    """Let scikit-learn look at what is no plain matrix of numbers."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
        return X
    return check_array(
        X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X"
    )


def _check_names(estimator: Any, names: list[str] | None) -> None:
    known = getattr(estimator, "feature_names_in_", None)
    if known is None or names is None or list(known) == names:
        return
    missing = [name for name in known if name not in names]
    extra = [name for name in names if name not in known]
    raise ValueError(
        "The feature names should match those that were passed during fit: "
        f"missing {missing}, not seen in fit {extra}"
        if missing or extra
        else "The feature names should match those that were passed during fit: they "
        "must be in the same order"
    )


# --- parameters --------------------------------------------------------------------


def _check_parameters(model: Any) -> None:
    """Refuse parameters that mean nothing; say what would be right."""

    def is_int(x: Any, least: int) -> bool:
        whole = isinstance(x, numbers.Integral) and not isinstance(x, bool)
        return whole and x >= least

    def is_share(x: Any, low: float, high: float) -> bool:
        real = isinstance(x, numbers.Real) and not isinstance(x, numbers.Integral)
        return real and low < x <= high

    def is_real(x: Any, low: float, high: float = math.inf) -> bool:
        real = isinstance(x, numbers.Real) and not isinstance(x, bool)
        return real and low <= x <= high

    def require(name: str, good: bool, right: str) -> None:
        if not good:
            raise ValueError(
                f"{name}={getattr(model, name)!r} is not allowed; use {right}"
            )

    m = model
    require("splitter", m.splitter in ("best", "random"), "'best' or 'random'")
    require("threshold", m.threshold in ("midpoint", "value"), "'midpoint' or 'value'")
    require(
        "max_depth",
        m.max_depth is None or is_int(m.max_depth, 1),
        "a whole number of at least 1, or None for no limit",
    )
    require(
        "min_samples_split",
        is_int(m.min_samples_split, 2) or is_share(m.min_samples_split, 0, 1),
        "a whole number of at least 2, or a share of the rows in (0, 1]",
    )
    require(
        "min_samples_leaf",
        is_int(m.min_samples_leaf, 1)
        or (is_share(m.min_samples_leaf, 0, 1) and m.min_samples_leaf < 1),
        "a whole number of at least 1, or a share of the rows in (0, 1)",
    )
    require(
        "min_weight_fraction_leaf",
        is_real(m.min_weight_fraction_leaf, 0, 0.5),
        "a share of the weight from 0 to 0.5",
    )
    require(
        "max_leaf_nodes",
        m.max_leaf_nodes is None or is_int(m.max_leaf_nodes, 2),
        "a whole number of at least 2, or None for no limit",
    )
    require(
        "min_impurity_decrease",
        is_real(m.min_impurity_decrease, 0),
        "a number of at least 0",
    )
    require("ccp_alpha", is_real(m.ccp_alpha, 0), "a number of at least 0")
    require("laplace", isinstance(m.laplace, (bool, np.bool_)), "True or False")
    require(
        "verbose",
        is_int(m.verbose, 0) or isinstance(m.verbose, (bool, np.bool_)),
        "a whole number of at least 0",
    )
    require(
        "max_features",
        m.max_features is None
        or m.max_features in ("sqrt", "log2")
        or is_int(m.max_features, 1)
        or is_share(m.max_features, 0, 1),
        "a whole number of at least 1, a share in (0, 1], 'sqrt', 'log2', or None",
    )
    if m.splitter == "random" and any((m.criterion_params or {}).values()):
        raise ValueError("the rules of C4.5 need splitter='best'")


def _rows(limit: Any, n_rows: int, least: int) -> int:
    """Turn a number or a share of rows into a number of rows."""
    if isinstance(limit, numbers.Integral):
        return min(int(limit), 2**31 - 1)
    return max(least, math.ceil(float(limit) * n_rows))


def _columns(max_features: Any, n_columns: int) -> int:
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_columns)))
    if max_features == "log2":
        return max(1, int(math.log2(n_columns)))
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), n_columns)
    return max(1, int(max_features * n_columns))


def _monotonic(monotonic_cst: Any, n_columns: int, labels: Labels) -> list[int]:
    if labels.n_classes != [2]:
        raise ValueError(
            "monotonic_cst needs one target of two classes; y has "
            f"{labels.n_classes} classes"
        )
    signs = np.asarray(monotonic_cst)
    if signs.shape != (n_columns,):
        raise ValueError(
            f"monotonic_cst has shape {signs.shape}, expected one sign per column, "
            f"({n_columns},)"
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must hold -1, 0 or 1, not {signs.tolist()}")
    return [int(sign) for sign in signs]
