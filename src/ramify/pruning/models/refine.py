# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees whose tests are chosen anew, one at a time, given all the others."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.criteria import catalogue
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tree.oblique import ObliqueTreeClassifier
from ramify.estimators.tree.oblique_parameters import METHOD_PARAMS
from ramify.estimators.tree.pruned_fit import stored_impurity
from ramify.estimators.validation.parameters import n_rows_of
from ramify.estimators.validation.rules import is_real
from ramify.pruning.impurities import impurity_of
from ramify.pruning.linked_nodes import LinkedNode, fold, unfold
from ramify.pruning.models.model import (
    check_single,
    costs_of,
    is_numeric,
    rows_of,
    with_tree,
)
from ramify.pruning.models.simplify import simplify as simplified
from ramify.pruning.nodes import Floats, Rows
from ramify.pruning.refine import Refiner, Test
from ramify.table import Table

__all__ = ["refine"]


def refine(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    solver: Any = "exact",
    penalty: float = 0.0,
    max_iter: int = 20,
    simplify: bool = False,
    keep_limits: bool = False,
) -> Any:
    """Return a tree with fewer training errors, or a cheaper one; the model stays.

    Tree alternating optimisation (Carreira-Perpiñán, Tavallali 2018): node by node, the
    deepest first, the test is chosen anew so that rows go where the subtrees below
    serve them best. The training objective (errors, costs or squared errors by weight,
    plus `penalty` for every test) never rises. Fewer training errors need not mean
    fewer errors on other rows.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor or ObliqueTreeClassifier
        A fitted tree of one output.
    X, y, sample_weight : table, target and weights
        The training rows.
    solver : str or criterion, default="exact"
        "exact" tries all cuts of one column. The name of a criterion, or a criterion,
        lets that one propose a split besides; the name of an oblique method ("wodt",
        "fisher", ...) lets it propose a hyperplane. A proposal is taken only if the
        objective falls.
    penalty : float, default=0.0
        Price of a test, in units of weight, per column that it mixes. Above 0, nodes
        may become leaves, too.
    max_iter : int, default=20
        Most passes over the tree.
    simplify : bool, default=False
        Apply `ramify.simplify` at the end.
    keep_limits : bool, default=False
        Refuse tests that leave a leaf with fewer rows than `min_samples_leaf`.

    Returns
    -------
    estimator
        Fitted; `refine_path_` lists the objective before and after each pass.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X[:, :2], y)
    >>> ramify.refine(tree, X[:, :2], y).refine_path_
    [34.0, 32.0]
    """
    check_single(model, "refine")
    _refuse(model, penalty, max_iter)
    rows = rows_of(model, X, y, sample_weight).sorted()
    if len(rows) == 0:
        raise ValueError("X has no rows with weight; give the training rows")
    schema = model.schema_
    is_categorical = [column.is_categorical for column in schema.columns]
    propose = None if _is_exact(solver) else _proposer(model, solver, rows)
    if is_numeric(model) and propose is not None:
        raise ValueError(
            f"solver={solver!r} proposes splits of classes; use solver='exact' where "
            "numbers are predicted"
        )
    least = n_rows_of(model.min_samples_leaf, len(rows), least=1) if keep_limits else 0
    refiner = Refiner(
        unfold(model.tree_),
        rows,
        None if is_numeric(model) else _costs(model),
        is_categorical,
        float(penalty),
        propose,
        least,
    )
    path = refiner.run(int(max_iter))
    refiner.refill(impurity_of(stored_impurity(model)))
    refined = with_tree(model, fold(refiner.root, model.tree_), refine_path_=path)
    if simplify:
        refined = simplified(refined)
        refined.refine_path_ = path
    return refined


def _costs(model: Any) -> Floats:
    given = costs_of(model)
    return 1.0 - np.eye(model.n_classes_) if given is None else given


def _is_exact(solver: Any) -> bool:
    return isinstance(solver, str) and solver == "exact"


def _refuse(model: Any, penalty: Any, max_iter: Any) -> None:
    """Refuse trees and numbers for which this is not defined."""
    if model.tree_.n_outputs > 1:
        raise ValueError(f"refine needs one output; y has {model.tree_.n_outputs}")
    if model.monotonic_cst is not None:
        raise ValueError("refine cannot keep monotonic_cst; fit without it")
    if model.tree_.is_fractional:
        raise ValueError(
            "refine needs rows that go down one branch; fit with another missing= than "
            "'fractional'"
        )
    if is_numeric(model) and str(model.criterion) in ("absolute_error", "quantile"):
        raise ValueError(
            f"refine lowers squared errors; criterion={model.criterion!r} predicts "
            "quantiles"
        )
    if not is_real(penalty, 0, sys.float_info.max):
        raise ValueError(f"penalty={penalty!r} is not allowed; use a number from 0 on")
    whole = isinstance(max_iter, numbers.Integral) and not isinstance(max_iter, bool)
    if not whole or max_iter < 1:
        raise ValueError(f"max_iter={max_iter!r} is not allowed; use 1 or more passes")


def _proposer(
    model: Any, solver: Any, rows: Rows
) -> Callable[[NDArray[np.intp], NDArray[np.intp], Floats], list[Test]]:
    """Let a tree of one split propose tests for rows that want to go left or right."""
    seed = model.random_state if isinstance(model.random_state, numbers.Integral) else 0
    own: dict[str, Any] = {"max_depth": 1, "random_state": seed}
    stump: Any
    if isinstance(solver, str) and solver in METHOD_PARAMS:
        same = getattr(model, "method", None) == solver
        params = model.method_params if same else None
        stump = ObliqueTreeClassifier(solver, method_params=params, **own)
    else:
        try:
            catalogue.resolve(solver, None)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"solver={solver!r} is not allowed ({error}); use 'exact', a "
                f"criterion, or one of {', '.join(METHOD_PARAMS)}"
            ) from None
        stump = DecisionTreeClassifier(solver, **own)
    schema = model.schema_
    categorical = [
        j for j, column in enumerate(schema.columns) if column.is_categorical
    ]
    table = Table(rows.X, categorical_features=categorical)

    def propose(
        at: NDArray[np.intp], side: NDArray[np.intp], matters: Floats
    ) -> list[Test]:
        if len(np.unique(side)) < 2:
            return []
        stump.fit(table[at], side, sample_weight=matters / matters.sum() * len(at))
        root = unfold(stump.tree_)
        return [_translated(root, stump.schema_)] if root.children else []

    return propose


def _translated(root: LinkedNode, schema: Any) -> Test:
    """Write the test of a stump in the codes of the model's columns."""
    test = Test.from_node(root)
    values = [column.categories for column in schema.columns]
    terms = root.terms
    if terms is not None:
        pairs = zip(terms.column.tolist(), terms.category.tolist(), strict=True)
        codes = [c if c < 0 else int(values[j][c]) for j, c in pairs]
        terms = type(terms)(
            terms.column,
            np.array(codes, dtype=np.int64),
            *(terms.weight, terms.fill, terms.share),
        )
    of_column = values[root.feature]
    listed = {
        float(of_column[int(code)]): branch for code, branch in root.listed.items()
    }
    return Test(
        *(test.kind, test.feature, test.threshold, listed),
        *(terms, test.missing, test.default),
    )
