# SPDX-License-Identifier: BSD-3-Clause
"""A model as a genuine fitted estimator of scikit-learn, for programs that need one.

Experimental: scikit-learn's trees are filled through the protocol by which they are
pickled, which is not public; what that does not know is refused.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ramify.exports.base import Artefact, ExportRefused, Format
from ramify.exports.certificates.certificate import ExportMismatch, coded_rows
from ramify.exports.certificates.probes import make_rows
from ramify.exports.certificates.rows import Rows, as_float32
from ramify.exports.reading import walk_of
from ramify.exports.walk import KNOWN, LEAF, THRESHOLD, Walk
from ramify.tree.moment import as_tree
from ramify.tree.tree import Tree

__all__ = ["FORMAT", "to_sklearn"]

_FIELDS = {
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
}


def _no_file(walk: Walk, options: Any) -> Artefact:
    raise ValueError(
        "a scikit-learn estimator is no file; use ramify.to_sklearn(model)"
    )


FORMAT = Format(
    name="sklearn",
    suffix="",
    write=_no_file,
    about="an estimator of scikit-learn: ramify.to_sklearn(model)",
    kinds=frozenset([LEAF, THRESHOLD, KNOWN]),
    fractional=False,
    links=frozenset(["none"]),
    decides=frozenset(["number", "argmax"]),
    decides_apart=False,
    exact_on="float32",
)


def to_sklearn(model: Any, *, certify: Any = True) -> Any:
    """Return a fitted scikit-learn tree or forest with the same predictions.

    For programs that take no other classes: dtreeviz, `sklearn.tree.plot_tree` and
    `export_text`, `shap.TreeExplainer`, partial dependence by recursion. scikit-learn
    rounds rows to float32; for such rows the answers are equal to the last bit.

    Parameters
    ----------
    model : estimator
        A fitted tree or forest whose nodes are thresholds of numbers.
    certify : bool or table, default=True
        Compare both on rows on every border, and raise if an answer differs. Of a table
        of rows, a warning says how many are answered otherwise once scikit-learn has
        rounded them to float32.

    Returns
    -------
    DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier or \
RandomForestRegressor
        Of scikit-learn. Experimental: its inside is not public.

    Raises
    ------
    ExportRefused
        If the model has categories, sums, several branches, votes, costs or boosting.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import export_text
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier("hellinger", max_depth=1).fit(X, y)
    >>> print(export_text(ramify.to_sklearn(tree)))
    |--- feature_2 <= 2.45
    |   |--- class: 0
    |--- feature_2 >  2.45
    |   |--- class: 1
    <BLANKLINE>
    """
    model = as_tree(model)
    walk = walk_of(model)
    _refuse(walk)
    model = getattr(model, "best_estimator_", model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin = _forest(model, walk) if walk.n_trees > 1 else _tree_of(model, walk)
    is_table = not isinstance(certify, bool)
    if is_table or certify:
        _compare(model, twin, walk)
    if is_table:
        _count_rounded(walk, coded_rows(model, walk, certify)[0])
    return twin


def _count_rounded(walk: Walk, matrix: Any) -> None:
    """Warn of rows that rounding to float32 moves across a border."""
    plain = Rows(matrix, np.array(["given"] * len(matrix), dtype=object))
    before, after = walk.scores(matrix), walk.scores(as_float32(plain).matrix)
    n = int((before != after).any(axis=1).sum())
    if n:
        warnings.warn(
            f"scikit-learn rounds rows to float32: {n} of {len(matrix)} rows are "
            "answered otherwise",
            stacklevel=3,
        )


def _refuse(walk: Walk) -> None:
    reasons = FORMAT.reasons(walk)
    for info in walk.columns:
        if info.is_categorical:
            reasons.insert(0, f"the column of categories {info.name!r}")
    if walk.n_trees > 1 and walk.vote.divide == 1:
        reasons.insert(0, "boosted sums of trees")
    if reasons:
        raise ExportRefused(
            f"scikit-learn cannot say {reasons[0]}; use ramify.export to draw or to "
            "move the model, and ramify.explain to explain it"
        )


def _tree_of(model: Any, walk: Walk) -> Any:
    """Make one tree; of a forest of one tree, its tree alone."""
    if not hasattr(model, "tree_"):
        return _forest(model, walk)
    return _single(model.tree_, model, walk)


def _forest(model: Any, walk: Walk) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if walk.vote.is_number else RandomForestClassifier
    forest = kind(n_estimators=walk.n_trees, bootstrap=False)
    hard = not walk.vote.is_number and getattr(model, "voting", "soft") == "hard"
    if hard:
        raise ExportRefused(
            "scikit-learn cannot say voting='hard': its forests average shares"
        )
    trees = []
    for each in model.estimators_:
        trees.append(_single(each.tree_, each, walk_of(each), is_coded=True))
    _set_attributes(forest, model, walk)
    forest.estimators_ = trees
    forest.estimator_ = type(trees[0])()
    return forest


def _single(tree: Tree, model: Any, walk: Walk, is_coded: bool = False) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if walk.vote.is_number else DecisionTreeClassifier
    seed = kind().fit([[0.0], [1.0]], [0, 1]).tree_
    fields = seed.__getstate__()["nodes"].dtype
    if set(fields.names or ()) != _FIELDS:
        odd = sorted(set(fields.names or ()) ^ _FIELDS)
        raise ExportRefused(
            f"this scikit-learn has trees with other fields ({', '.join(odd)}); "
            "ramify.to_sklearn does not know them"
        )
    nodes = np.zeros(tree.node_count, dtype=fields)
    is_leaf = tree.children_left < 0
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    nodes["feature"] = np.where(is_leaf, -2, tree.feature)
    nodes["threshold"] = np.where(is_leaf, -2.0, tree.threshold)
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    value = np.ascontiguousarray(tree.values(), dtype=np.float64).copy()
    if not walk.vote.is_number and getattr(model, "laplace", False):
        value = np.ascontiguousarray(tree.smoothed()).copy()
    n_classes = np.asarray(tree.n_classes, dtype=np.intp)
    twin = type(seed)(tree.n_features, n_classes, tree.n_outputs)
    twin.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": value,
        }
    )
    estimator = kind()
    _set_attributes(estimator, model, walk)
    if is_coded and not walk.vote.is_number:  # as in forests of scikit-learn
        coded = [np.arange(float(n)) for n in n_classes]
        estimator.classes_ = coded if tree.n_outputs > 1 else coded[0]
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    estimator.tree_ = twin
    return estimator


def _set_attributes(estimator: Any, model: Any, walk: Walk) -> None:
    """Set what fit would have set."""
    n_outputs = len(walk.vote.outputs)
    estimator.n_features_in_ = len(walk.columns)
    estimator.n_outputs_ = n_outputs
    estimator.max_features_ = len(walk.columns)
    if hasattr(model, "feature_names_in_"):
        estimator.feature_names_in_ = np.array(model.feature_names_in_, dtype=object)
    if not walk.vote.is_number:
        estimator.classes_ = model.classes_
        estimator.n_classes_ = model.n_classes_


def _compare(model: Any, twin: Any, walk: Walk) -> None:
    """Compare both on rows of float32 on every border."""
    rows = as_float32(make_rows(walk, 5000)).matrix
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names
        method = "predict" if walk.vote.is_number else "predict_proba"
        pairs = [
            (np.asarray(model.predict(rows)), np.asarray(twin.predict(rows))),
            *zip(
                _list(getattr(model, method)(rows)),
                _list(getattr(twin, method)(rows)),
                strict=True,
            ),
        ]
    for ours, theirs in pairs:
        same = np.asarray(ours == theirs).reshape(len(rows), -1).all(axis=1)
        if not same.all():
            raise ExportMismatch(
                f"scikit-learn answers {int((~same).sum())} of {len(rows)} rows "
                f"otherwise; the first is {rows[int(np.argmin(same))].tolist()}"
            )


def _list(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, list) else [answer]
