# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models as plain files: a zip archive of JSON and NumPy arrays, no pickle.

``model.json`` holds the format's version, the class of the estimator, its parameters,
the labels and what is known of the columns; ``tree/<array>.npy`` holds each array of
the tree, or ``trees/<i>/<array>.npy`` those of each tree of a forest. Nothing in it can
run code.
"""

from __future__ import annotations

import functools
import io
import json
import os
import secrets
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.estimators.boost.boosted import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
)
from ramify.estimators.boost.gradient import TreeSum
from ramify.estimators.forest.classifier import (
    BaggedTreesClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from ramify.estimators.forest.regressor import (
    ExtraTreesRegressor,
    ForestRegressor,
    RandomForestRegressor,
)
from ramify.estimators.inputs.reading import remember_columns
from ramify.estimators.inputs.target import class_attributes
from ramify.estimators.single.base import BaseTree
from ramify.estimators.single.classifier import DecisionTreeClassifier
from ramify.estimators.single.oblique import ObliqueTreeClassifier
from ramify.estimators.single.regressor import DecisionTreeRegressor
from ramify.expressions import Measure, walk
from ramify.model.tree_file import (
    read_member,
    read_tree,
    read_trees,
    write_tree,
    write_trees,
)
from ramify.table.schema import Schema
from ramify.tree import Tree
from ramify.tree.inspect import predicted_classes

__all__ = ["load", "save"]

_FORMAT = "ramify-model"
_VERSION = 3
_KINDS: dict[str, type[BaseTree]] = {
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "ObliqueTreeClassifier": ObliqueTreeClassifier,
}
_BOOSTED: dict[str, type[Any]] = {
    "BoostedTreesClassifier": BoostedTreesClassifier,
    "BoostedTreesRegressor": BoostedTreesRegressor,
}
_BOOSTED_KEYS = {
    *("format", "version", "kind", "parameters", "n_features", "schema", "classes"),
    *("baseline", "train_score", "validation_score", "seed"),
}
_KEYS = {
    *("format", "version", "kind", "parameters"),
    *("n_features", "max_features", "schema", "classes"),
}
_FORESTS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(RandomForestClassifier, ExtraTreesClassifier, BaggedTreesClassifier),
        *(RandomForestRegressor, ExtraTreesRegressor),
    )
}
_OF_NUMBERS = (DecisionTreeRegressor, ForestRegressor)
_FOREST_KEYS = {"tree", "seeds"}  # the estimator of the trees, and the seed of each


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
    if kind in _BOOSTED and hasattr(model, "sum_"):
        trees = [tree for trees in model.trees_ for tree in trees]
        _write(path, _boosted_header(model), lambda file: write_trees(file, trees))
        return
    if kind in _BOOSTED and hasattr(model, "samme_"):
        raise TypeError(
            "save() takes gradient boosting; pickle a model that was boosted by SAMME, "
            "or save its trees (estimators_) one by one"
        )
    is_tree = kind in _KINDS and hasattr(model, "tree_")
    is_forest = kind in _FORESTS and hasattr(model, "estimators_")
    if not (is_tree or is_forest):
        raise TypeError(
            f"save() takes a fitted tree of Ramify, or a forest, not {model!r}"
        )
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": kind,
        "parameters": _plain_parameters(model),
        "n_features": model.n_features_in_,
        "max_features": model.max_features_,
        "schema": model.schema_.to_dict(),
        "classes": _write_outputs(model),
    }
    if is_tree:
        _write(path, header, lambda file: write_tree(file, model.tree_))
    else:
        trees = [each.tree_ for each in model.estimators_]
        _write(path, header | _forest_header(model), functools.partial(_add, trees))


def _add(trees: list[Tree], archive: zipfile.ZipFile) -> None:
    """Write the trees of a forest."""
    for i, tree in enumerate(trees):
        write_tree(_Part(archive, i), tree)


def _write(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    add_arrays: Callable[[zipfile.ZipFile], None],
) -> None:
    """Write header and arrays to a file."""
    target = Path(path)
    # Write beside the target and move it there: a crash leaves no half-written model.
    temporary = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        with (
            temporary.open("xb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            archive.writestr("model.json", json.dumps(header, indent=1))
            add_arrays(archive)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote, in this release or an earlier one.

    Raises
    ------
    ValueError
        If the file is damaged or is no model of Ramify.
    """
    data = Path(path).read_bytes()  # now, so that damage is no error of the system
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            header = _read_header(archive)
            if header["kind"] in _BOOSTED:
                return _read_boosted(archive, header)
            kind = {**_KINDS, **_FORESTS}[header["kind"]]
            numeric = issubclass(kind, _OF_NUMBERS)
            classes = [
                _read_number(each) if numeric else _read_labels(each)
                for each in header["classes"]
            ]
            n_classes = [len(labels) for labels in classes]
            schema = _read_schema(header)
            if header["kind"] in _FORESTS:
                n_trees = len(header["seeds"])
                trees = [
                    read_tree(part, schema, n_classes, numeric)
                    for part in (_Part(archive, i) for i in range(n_trees))
                ]
                return _rebuild_forest(header, schema, classes, trees)
            tree = read_tree(archive, schema, n_classes, numeric)
        return _rebuild(header, schema, classes, tree)
    except MemoryError as error:
        raise ValueError(f"{path} cannot be read as a model: too large") from error
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a model: {error}") from error


def _read_header(archive: zipfile.ZipFile) -> dict[str, Any]:
    header = json.loads(read_member(archive, "model.json"))
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError("it is not a model of Ramify")
    version = header["version"]
    if version != _VERSION:
        raise ValueError(
            f"it has format version {version!r}; this release reads version {_VERSION}"
        )
    own = _FOREST_KEYS if header.get("kind") in _FORESTS else set()
    known = _KEYS | own
    if header.get("kind") in _BOOSTED:
        known = _BOOSTED_KEYS
    odd = set(header) ^ known
    if odd:
        raise ValueError(f"its header lacks, or should not have, {sorted(odd)}")
    return header


def _read_schema(header: dict[str, Any]) -> Schema:
    n_columns = int(header["n_features"])
    schema = Schema.from_dict(header["schema"])
    if len(schema.columns) != n_columns:
        raise ValueError(f"it names {len(schema.columns)} columns of {n_columns}")
    return schema


def _rebuild(
    header: dict[str, Any], schema: Schema, classes: list[NDArray[Any]], tree: Tree
) -> Any:
    parameters = header["parameters"]
    model = _KINDS[header["kind"]](
        **{key: _from_plain(value) for key, value in parameters.items()}
    )
    model.tree_ = tree
    _set_facts(model, header, schema, classes)
    if not isinstance(model, _OF_NUMBERS):
        predicted_classes(model)  # fails if the costs do not fit the classes
    return model


class _Part:
    """The part of an archive that holds one tree of many."""

    def __init__(self, archive: zipfile.ZipFile, number: int) -> None:
        self._archive, self._number = archive, number

    def _path(self, name: str) -> str:
        return f"trees/{self._number}/{name.removeprefix('tree/')}"

    def writestr(self, name: str, data: bytes) -> None:
        self._archive.writestr(self._path(name), data)

    def getinfo(self, name: str) -> zipfile.ZipInfo:
        return self._archive.getinfo(self._path(name))

    def read(self, info: zipfile.ZipInfo) -> bytes:
        return self._archive.read(info)


def _forest_header(forest: Any) -> dict[str, Any]:
    """Say what the trees of a forest are; they differ in their seeds only."""
    tree = forest.estimators_[0]
    if type(tree).__name__ not in _KINDS:
        raise TypeError(f"a forest of {type(tree).__name__} cannot be saved")
    return {
        "tree": {"kind": type(tree).__name__, "parameters": _plain_parameters(tree)},
        "seeds": [_plain(each.random_state) for each in forest.estimators_],
    }


def _rebuild_forest(
    header: dict[str, Any],
    schema: Schema,
    classes: list[NDArray[Any]],
    trees: list[Tree],
) -> Any:
    if not trees:
        raise ValueError("it is a forest without trees")
    parameters = header["parameters"]
    forest = _FORESTS[header["kind"]](
        **{key: _from_plain(value) for key, value in parameters.items()}
    )
    of_trees = header["tree"]
    forest.estimators_ = [
        _rebuild(
            {
                **header,
                "kind": of_trees["kind"],
                "parameters": {**of_trees["parameters"], "random_state": seed},
            },
            schema,
            classes,
            tree.packed(),
        )
        for seed, tree in zip(header["seeds"], trees, strict=True)
    ]
    _set_facts(forest, header, schema, classes)
    forest._set_trees()
    return forest


def _set_facts(
    model: Any, header: dict[str, Any], schema: Schema, classes: list[NDArray[Any]]
) -> None:
    """Set what a model knows of its columns and classes."""
    model.schema_ = schema
    model.max_features_ = int(header["max_features"])
    names = schema.names if schema.has_names else None
    remember_columns(model, names, schema.n_columns)
    if isinstance(model, _OF_NUMBERS):
        model.n_outputs_ = len(classes)
    else:
        class_attributes(model, classes)


def _boosted_header(model: Any) -> dict[str, Any]:
    classes = getattr(model, "classes_", None)
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": type(model).__name__,
        "parameters": {
            key: _plain(value) for key, value in model.get_params(deep=False).items()
        },
        "n_features": model.n_features_in_,
        "schema": model.schema_.to_dict(),
        "classes": None if classes is None else _write_labels(classes),
        "baseline": model.sum_.baseline.tolist(),
        "train_score": model.train_score_.tolist(),
        "validation_score": model.validation_score_.tolist(),
        "seed": model._seed,
    }


def _read_boosted(archive: zipfile.ZipFile, header: dict[str, Any]) -> Any:
    """Rebuild a model of gradient boosting."""
    schema = _read_schema(header)
    baseline = np.array(header["baseline"], dtype=np.float64)
    trees = read_trees(archive, schema)
    n_scores = baseline.size
    if baseline.ndim != 1 or n_scores == 0 or not np.isfinite(baseline).all():
        raise ValueError("its scores do not start at numbers")
    if len(trees) != n_scores * len(header["train_score"]):
        raise ValueError(f"it has {len(trees)} trees, which are no whole rounds")
    for tree in trees:
        if (tree.kind > Tree.CATEGORIES).any() or tree.is_fractional:
            raise ValueError("it has a tree that was not boosted")
    model = _BOOSTED[header["kind"]](
        **{key: _from_plain(value) for key, value in header["parameters"].items()}
    )
    model.sum_ = TreeSum(
        baseline,
        [trees[i : i + n_scores] for i in range(0, len(trees), n_scores)],
    )
    model.schema_ = schema
    model.n_features_in_ = schema.n_columns
    if schema.has_names:
        model.feature_names_in_ = np.array(schema.names, dtype=object)
    model.n_iter_ = len(model.sum_.rounds)
    model.train_score_ = np.array(header["train_score"], dtype=np.float64)
    model.validation_score_ = np.array(header["validation_score"], dtype=np.float64)
    model._seed = int(header["seed"])
    if isinstance(model, BoostedTreesClassifier):
        model.classes_ = _read_labels(header["classes"])
        model.n_classes_ = len(model.classes_)
        if max(n_scores, 2) != model.n_classes_:
            raise ValueError(f"it has {n_scores} scores, {model.n_classes_} classes")
    elif n_scores != 1:
        raise ValueError(f"it predicts numbers from {n_scores} scores")
    return model


def _plain(value: Any) -> Any:
    """Give a parameter as JSON can hold it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _plain(item) for key, item in value.items()}
        # JSON has no other keys: {0: 1.0, 1: 5.0} becomes pairs.
        return {"pairs": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if hasattr(value, "__array__"):  # an index of names, a mask
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None


def _from_plain(value: Any) -> Any:
    """Give back the parameter that `_plain` stored."""
    if isinstance(value, dict):
        if isinstance(value.get("pairs"), list):
            return {key: _from_plain(item) for key, item in value["pairs"]}
        return {key: _from_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_plain(item) for item in value]
    return value


def _plain_parameters(model: Any) -> dict[str, Any]:
    given = model.get_params(deep=False)
    parameters = {key: _plain(value) for key, value in given.items()}
    if getattr(model, "also", None) is not None:
        parameters["also"] = [
            each if isinstance(each, str) else _text_of(criteria.resolve(each, None))
            for each in model.also
        ]
    if isinstance(model.criterion, str):
        return parameters
    numeric = isinstance(model, _OF_NUMBERS)
    resolve = criteria.resolve_numeric if numeric else criteria.resolve
    chosen: Any = resolve(model.criterion, model.criterion_params)
    if isinstance(chosen, (criteria.Criterion, criteria.NumberCriterion)):
        parameters["criterion"] = chosen.name
        if chosen.params:
            parameters["criterion_params"] = _plain(chosen.params)
    elif isinstance(chosen, criteria.FunctionCriterion):
        name = getattr(chosen.judge, "__name__", type(chosen.judge).__name__)
        parameters["criterion"] = f"function {name}"  # no name of a built-in criterion
    elif isinstance(chosen, criteria.CompiledCriterion):
        parameters["criterion"] = "compiled function"
    else:
        parameters["criterion"] = _text_of(chosen)
        parameters["criterion_params"] = None
    return parameters


def _text_of(expression: Any) -> str:
    """Give an expression as text that can be fitted again, or a note of it."""
    users = (criteria.FunctionCriterion, criteria.CompiledCriterion)
    if any(isinstance(part, users) for part in walk(expression)):
        return f"expression {expression!r}"
    text = repr(expression)
    # A lone measure is no name of a criterion; as a sum it is an expression.
    return f"{text} + 0" if isinstance(expression, Measure) else text


def _write_outputs(model: Any) -> list[Any]:
    """Give the labels of each output; None where it is a number."""
    if isinstance(model, _OF_NUMBERS):
        return [None] * model.n_outputs_
    classes = model.classes_ if model.n_outputs_ > 1 else [model.classes_]
    return [_write_labels(labels) for labels in classes]


def _read_number(stored: Any) -> NDArray[Any]:
    """Give the one "class" of an output that is a number."""
    if stored is not None:
        raise ValueError("it predicts numbers, and has classes")
    return np.zeros(1)


def _write_labels(labels: NDArray[Any]) -> dict[str, Any]:
    is_text = labels.dtype.kind == "O" and all(isinstance(x, str) for x in labels)
    if not is_text and labels.dtype.kind not in "iufbU":
        raise TypeError(
            f"labels of type {type(labels[0]).__name__} cannot be saved; use strings "
            "or numbers"
        )
    kind = "O" if labels.dtype.kind == "O" else labels.dtype.str
    return {"dtype": kind, "values": labels.tolist()}


def _read_labels(stored: dict[str, Any]) -> NDArray[Any]:
    values, kind = stored["values"], stored["dtype"]
    if kind != "O" and np.dtype(kind).kind not in "iufbU":
        raise ValueError(f"labels of type {kind!r} are not allowed")
    if kind != "O" and np.dtype(kind).itemsize > 1000 * len(str(values)):
        raise ValueError(f"labels of type {kind!r} are longer than any of them")
    labels = np.array(values, dtype=object if kind == "O" else kind)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError("the labels are not a list")
    return labels
