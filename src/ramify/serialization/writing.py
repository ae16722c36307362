# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models are written: what their files say, and the arrays of their trees."""

from __future__ import annotations

import functools
import json
import os
import warnings
import zipfile
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

from ramify.messages import did_you_mean
from ramify.serialization.archive import (
    BOOSTED,
    EDITS,
    FORESTS,
    FORMAT,
    ONLINE,
    TREES,
    Part,
    version_of,
    write,
)
from ramify.serialization.curves_file import write_times
from ramify.serialization.plain import (
    plain,
    plain_labels,
    plain_online,
    plain_parameters,
    plain_scores,
    plain_search,
    plain_uplift,
)
from ramify.serialization.tree_file import check_tree, write_tree, write_trees
from ramify.tree import Tree
from ramify.tree.inspect import is_regressor, parts_of

__all__ = ["Saved", "VersionWarning", "save"]


# How criteria are noted that are in no list; see `plain_parameters`.
_NO_NAMES = ("function ", "compiled function", "expression ")


class VersionWarning(UserWarning):
    """A pickle was made by another version of Ramify."""


class Saved:
    """A model that can be written to a file, or pickled with its version."""

    def __new__(cls, *arguments: Any, **parameters: Any) -> Self:
        """Refuse a parameter that the class does not have, by its public name."""
        names: list[str] = cls._get_param_names()  # type: ignore[attr-defined]  # scikit-learn's
        for name in parameters:
            if name not in names:
                raise TypeError(
                    f"{cls.__name__}() got an unexpected keyword argument {name!r}"
                    f"{did_you_mean(name, names)}"
                )
        return super().__new__(cls)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {**state, "_ramify_version": _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        made_by = state.pop("_ramify_version", "an older version")
        if made_by != _version():
            warnings.warn(
                f"{type(self).__name__} was pickled by ramify {made_by}, and this is "
                f"{_version()}: it may predict otherwise, or fail. Files of "
                "ramify.save are read by every later version.",
                VersionWarning,
                stacklevel=2,
            )
        super().__setstate__(state)  # type: ignore[misc]  # scikit-learn's

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `ramify.load` reads it back."""
        save(self, path)


@functools.cache
def _version() -> str:
    try:
        return version("ramify")
    except PackageNotFoundError:  # run from its source
        return "unknown"


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    A criterion that is a function is stored as a note of its name: the loaded model
    predicts the same, but cannot be fitted again before `criterion` is set. A generator
    given as `random_state` is not stored. Of a forest, which rows each tree has seen is
    not stored either, and so there are no out-of-bag importances after loading.

    >>> import os, ramify, tempfile
    >>> tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.ramify")
    >>> ramify.save(tree, path)
    >>> ramify.load(path).predict([[1.9]])
    array(['b'], dtype='<U1')
    """
    kind = type(model).__name__
    if kind in BOOSTED and hasattr(model, "sum_"):
        trees = [tree for trees in model.trees_ for tree in trees]
        _check(model, trees, numeric=True)
        write(path, _boosted_header(model), lambda file: write_trees(file, trees))
        return
    if kind in ONLINE and hasattr(model, "_model"):
        state, parameters = model._model.state(), plain_online(model)
        chosen = parameters["criterion"]
        if isinstance(chosen, str) and chosen.startswith(_NO_NAMES):
            raise TypeError(
                f"a model with a criterion that is a {chosen} goes on learning only "
                "where that is known: register it by ramify.criteria.register, pickle "
                "the model, or save its snapshot()"
            )
        write(
            path,
            _header(model, _outputs(model))
            | {"parameters": parameters, "schema": model._columns.to_dict()},
            lambda file: file.writestr("state", state),
        )
        return
    if kind in BOOSTED and hasattr(model, "samme_"):
        parts = [part for each in model.estimators_ for part in parts_of(each)]
        trees = [part.tree_ for part in parts]
        _check(parts[0], trees, numeric=False)
        write(path, _samme_header(model, parts), functools.partial(_add, trees))
        return
    is_tree = kind in TREES and hasattr(model, "tree_")
    is_forest = kind in FORESTS and hasattr(model, "estimators_")
    if not (is_tree or is_forest):
        raise TypeError(
            f"save() takes a fitted tree of Ramify, or a forest, not {model!r}"
        )
    header = _header(model, _outputs(model)) | {
        "parameters": plain_parameters(model),
        "max_features": model.max_features_,
    }
    models = [model] if is_tree else model.estimators_
    trees = [each.tree_ for each in models]
    _check(model, trees, numeric=is_regressor(model))
    if hasattr(models[0], "uplift_"):
        header["uplift"] = [plain_uplift(each.uplift_) for each in models]
    if hasattr(model, "objective_"):
        header["search"] = plain_search(model)
    if is_tree:

        def add(file: zipfile.ZipFile) -> None:
            _add_times(model.tree_, file)
            write_tree(file, model.tree_)
            if getattr(model, "edits_", None):
                text = json.dumps(model.edits_, indent=1, allow_nan=False)
                file.writestr(EDITS, text)

        write(path, header, add)
    else:
        write(path, header | _forest_header(model), functools.partial(_add, trees))


def _check(model: Any, trees: list[Tree], numeric: bool) -> None:
    """Refuse to write what the reader would refuse to read."""
    for i, tree in enumerate(trees):
        try:
            check_tree(tree, model.schema_, numeric)
        except ValueError as error:
            which = f"tree {i}: " if len(trees) > 1 else ""
            raise ValueError(
                f"this model cannot be saved, since it could not be loaded: {which}"
                f"{error}"
            ) from None


def _add(trees: list[Tree], archive: zipfile.ZipFile) -> None:
    """Write the trees of a forest."""
    _add_times(trees[0], archive)
    for i, tree in enumerate(trees):
        write_tree(Part(archive, i), tree)


def _add_times(tree: Tree, archive: zipfile.ZipFile) -> None:
    """Write the times that the trees of a survival model share."""
    if tree.curves is not None:
        write_times(archive, tree.curves)


def _header(model: Any, classes: Any) -> dict[str, Any]:
    """Return what the file of any model says."""
    return {
        "format": FORMAT,
        "version": version_of(type(model).__name__),
        "kind": type(model).__name__,
        "n_features": model.n_features_in_,
        "schema": model.schema_.to_dict(),
        "classes": classes,
        **({"file": plain(model.file_)} if hasattr(model, "file_") else {}),
        **_errors(model),
    }


def _errors(model: Any) -> dict[str, Any]:
    """Return what a model knows of its errors on rows that were not fitted."""
    found: dict[str, Any] = {}
    if hasattr(model, "_deviation"):
        found["deviation"] = model._deviation.tolist()
    if hasattr(model, "calibration_") and model._calibrated is model._learnt():
        found["calibration"] = model.calibration_.to_dict()
    return found


def _forest_header(forest: Any) -> dict[str, Any]:
    """Return what the trees of a forest are; they differ in their seeds only."""
    tree = forest.estimators_[0]
    if type(tree).__name__ not in TREES:
        raise TypeError(f"a forest of {type(tree).__name__} cannot be saved")
    return {
        "tree": {"kind": type(tree).__name__, "parameters": plain_parameters(tree)},
        "seeds": [plain(each.random_state) for each in forest.estimators_],
    }


def _boosted_header(model: Any) -> dict[str, Any]:
    classes = getattr(model, "classes_", None)
    return (
        _header(model, None if classes is None else plain_labels(classes))
        | _scores_header(model)
        | {"baseline": model.sum_.baseline.tolist()}
    )


def _scores_header(model: Any) -> dict[str, Any]:
    """Return what any boosted model says: its parameters, its losses and its seed."""
    own = model.get_params(deep=False)
    return {
        "parameters": {key: plain(value) for key, value in own.items()},
        "train_score": plain_scores(model.train_score_),
        "validation_score": plain_scores(model.validation_score_),
        "seed": model._seed,
    }


def _samme_header(model: Any, parts: list[Any]) -> dict[str, Any]:
    """Return what the trees of SAMME are, and what their votes weigh."""
    first, seeds = parts[0], [part.random_state for part in parts]
    if type(first).__name__ not in TREES:
        raise TypeError(f"boosting of {type(first).__name__} cannot be saved")
    if any(part.schema_ != first.schema_ for part in parts):
        raise TypeError("boosted trees that know other categories cannot be saved")
    samme = model.samme_
    return (
        _header(model, plain_labels(model.classes_))
        | _scores_header(model)
        | {
            "schema": first.schema_.to_dict(),
            "max_features": first.max_features_,
            "tree": {
                "kind": type(first).__name__,
                "parameters": plain_parameters(first),
            },
            "seeds": [plain(seed) for seed in seeds],
            "votes": [float(vote) for vote in samme.weights],
            "errors": [float(error) for error in samme.errors],
        }
    )


def _outputs(model: Any) -> list[Any]:
    """Return the labels of each output; None where it is a number."""
    if is_regressor(model):
        return [None] * model.n_outputs_
    classes = model.classes_ if model.n_outputs_ > 1 else [model.classes_]
    return [plain_labels(labels) for labels in classes]
