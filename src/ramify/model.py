# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models as plain files: a zip archive of JSON and NumPy arrays, no pickle.

``model.json`` holds the format's version, the class of the estimator, its parameters,
the labels and what is known of the columns; ``tree/<array>.npy`` holds each array of
the tree. Nothing in it can run code.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.estimators.classifier import TreeClassifier
from ramify.estimators.oblique import ObliqueTreeClassifier
from ramify.estimators.single import DecisionTreeClassifier
from ramify.expressions import Measure, walk
from ramify.inspect import predicted_classes
from ramify.schema import Schema
from ramify.tree import Tree
from ramify.tree_file import read_member, read_tree, write_tree

__all__ = ["load", "save"]

_FORMAT = "ramify-model"
_VERSION = 3
_KINDS: dict[str, type[TreeClassifier]] = {
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "ObliqueTreeClassifier": ObliqueTreeClassifier,
}
_KEYS = {
    *("format", "version", "kind", "parameters"),
    *("n_features", "max_features", "classes"),
}
# Per version. The second has branches of any number, the third hyperplanes.
_COLUMN_KEYS = {1: {"feature_names"}, 2: {"schema"}, 3: {"schema"}}
_MOST_UNNAMED = 2**20  # columns of a file that does not say what they are


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    A criterion that is a function is stored as a note of its name: the loaded model
    predicts the same, but cannot be fitted again before `criterion` is set. A generator
    given as `random_state` is not stored.

    >>> import os, ramify, tempfile
    >>> tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.ramify")
    >>> ramify.save(tree, path)
    >>> ramify.load(path).predict([[1.9]])
    array(['b'], dtype='<U1')
    """
    kind = type(model).__name__
    if kind not in _KINDS or not hasattr(model, "tree_"):
        raise TypeError(f"save() takes a fitted tree of Ramify, not {model!r}")
    classes = model.classes_ if model.n_outputs_ > 1 else [model.classes_]
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": kind,
        "parameters": _plain_parameters(model),
        "n_features": model.tree_.n_features,
        "max_features": model.max_features_,
        "schema": model.schema_.to_dict(),
        "classes": [_write_labels(labels) for labels in classes],
    }
    target = Path(path)
    # Write beside the target and move it there: a crash leaves no half-written model.
    temporary = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        with (
            temporary.open("xb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            archive.writestr("model.json", json.dumps(header, indent=1))
            write_tree(archive, model.tree_)
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
            classes = [_read_labels(labels) for labels in header["classes"]]
            n_classes = [len(labels) for labels in classes]
            schema = _read_schema(header)
            tree = read_tree(archive, header["version"], schema, n_classes)
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
    if version not in _COLUMN_KEYS:
        raise ValueError(
            f"it has format version {version}; this release reads versions 1 to "
            f"{_VERSION}"
        )
    odd = set(header) ^ (_KEYS | _COLUMN_KEYS[version])
    if odd:
        raise ValueError(f"its header lacks, or should not have, {sorted(odd)}")
    return header


def _read_schema(header: dict[str, Any]) -> Schema:
    n_columns = int(header["n_features"])
    if header["version"] == 1:  # all numbers
        names = header["feature_names"]
        if names is None and n_columns > _MOST_UNNAMED:
            raise ValueError(f"it has {n_columns} columns without names")
        schema = Schema.numeric(n_columns, names)
    else:
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
    model.schema_ = schema
    model.n_features_in_ = schema.n_columns
    model.max_features_ = int(header["max_features"])
    if schema.has_names:
        model.feature_names_in_ = np.array(schema.names, dtype=object)
    n_classes = [len(labels) for labels in classes]
    model.n_outputs_ = len(classes)
    model.classes_ = classes if len(classes) > 1 else classes[0]
    model.n_classes_ = n_classes if len(classes) > 1 else n_classes[0]
    predicted_classes(model)  # fails if the costs do not fit the classes
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
    chosen = criteria.resolve(model.criterion, model.criterion_params)
    if isinstance(chosen, criteria.Criterion):
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
