# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models as plain files: a zip archive of JSON and NumPy arrays, no pickle.

``model.json`` holds the format's version, the class of the estimator, its parameters,
the labels and the names of the columns; ``tree/<array>.npy`` holds each array of the
tree. Nothing in it can run code.
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

from ramify import _core, criteria
from ramify.estimators.single import DecisionTreeClassifier
from ramify.tree import Tree

__all__ = ["load", "save"]

_FORMAT = "ramify-model"
_VERSION = 1
_KINDS = {"DecisionTreeClassifier": DecisionTreeClassifier}


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
    names = getattr(model, "feature_names_in_", None)
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": kind,
        "parameters": _plain_parameters(model),
        "n_features": model.tree_.n_features,
        "max_features": model.max_features_,
        "feature_names": None if names is None else [str(name) for name in names],
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
            for name in Tree.ARRAYS:
                buffer = io.BytesIO()
                np.save(buffer, getattr(model.tree_, name), allow_pickle=False)
                archive.writestr(f"tree/{name}.npy", buffer.getvalue())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Raises
    ------
    ValueError
        If the file is damaged or is no model of Ramify.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(_read_member(archive, "model.json"))
            if not isinstance(header, dict) or header.get("format") != _FORMAT:
                raise ValueError("it is not a model of Ramify")
            if header["version"] != _VERSION:
                raise ValueError(
                    f"it has format version {header['version']}; this release reads "
                    f"version {_VERSION}"
                )
            arrays = _read_arrays(archive, header)
        return _rebuild(header, arrays)
    except OSError:
        raise
    except MemoryError as error:
        raise ValueError(f"{path} cannot be read as a model: too large") from error
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a model: {error}") from error


def _read_arrays(
    archive: zipfile.ZipFile, header: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    """Read all arrays of the tree, none larger than the number of nodes allows."""
    first, *others = Tree.ARRAYS
    arrays = {first: _read_array(archive, first)}
    classes = [len(labels["values"]) for labels in header["classes"]]
    n_numbers = max(1, len(classes) * max(classes)) * arrays[first].size
    for name in others:
        arrays[name] = _read_array(archive, name, most=8 * n_numbers + 4096)
    return arrays


def _read_array(
    archive: zipfile.ZipFile, name: str, most: int | None = None
) -> NDArray[Any]:
    data = _read_member(archive, f"tree/{name}.npy", most)
    return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))


def _read_member(archive: zipfile.ZipFile, name: str, most: int | None = None) -> bytes:
    """Unpack one file, unless a forger made it explode.

    Header and children do not repeat themselves; they never shrink a hundredfold.
    """
    info = archive.getinfo(name)
    if most is None:
        most = 2**20 + 100 * info.compress_size
    if info.file_size > most:
        raise ValueError(
            f"{name} has {info.file_size} bytes, at most {most} make sense"
        )
    return archive.read(info)


def _rebuild(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    classes = [_read_labels(labels) for labels in header["classes"]]
    n_classes = [len(labels) for labels in classes]
    n_features = int(header["n_features"])
    _check_arrays(arrays, n_features, n_classes)
    parameters = header["parameters"]
    model = _KINDS[header["kind"]](
        **{key: _from_plain(value) for key, value in parameters.items()}
    )
    model.tree_ = Tree(arrays, n_features, n_classes)
    model.n_features_in_ = n_features
    model.max_features_ = int(header["max_features"])
    names = header["feature_names"]
    if names is not None:
        if len(names) != n_features:
            raise ValueError(f"it names {len(names)} columns of {n_features}")
        model.feature_names_in_ = np.array(names, dtype=object)
    model.n_outputs_ = len(classes)
    model.classes_ = classes if len(classes) > 1 else classes[0]
    model.n_classes_ = n_classes if len(classes) > 1 else n_classes[0]
    return model


def _check_arrays(
    arrays: dict[str, NDArray[Any]], n_features: int, n_classes: list[int]
) -> None:
    n_nodes = len(arrays["feature"])
    expected: dict[str, tuple[type, tuple[int, ...]]] = dict.fromkeys(
        Tree.ARRAYS, (np.float64, (n_nodes,))
    )
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        expected[name] = (np.int64, (n_nodes,))
    expected["missing_go_to_left"] = (np.uint8, (n_nodes,))
    expected["value"] = (np.float64, (n_nodes, len(n_classes), max(n_classes)))
    for name, (dtype, shape) in expected.items():
        array = arrays[name]
        if array.dtype != dtype or array.shape != shape:
            raise ValueError(
                f"array {name} is {array.dtype} of shape {array.shape}, expected "
                f"{np.dtype(dtype)} of shape {shape}"
            )
        arrays[name] = np.ascontiguousarray(array)
    wrong = _core.what_is_wrong(
        arrays["children_left"],
        arrays["children_right"],
        arrays["feature"],
        n_features,
    )
    if wrong:
        raise ValueError(wrong)
    if np.isnan(arrays["threshold"]).any() or not np.isfinite(arrays["value"]).all():
        raise ValueError("a threshold or a class share is not a number")
    weight = arrays["weighted_n_node_samples"]
    if not (np.isfinite(arrays["impurity"]).all() and np.isfinite(weight).all()):
        raise ValueError("an impurity or a weight is not a number")
    if not (weight > 0).all() or not (arrays["n_node_samples"] > 0).all():
        raise ValueError("a node has no weight or no rows")


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
    if isinstance(value, (list, tuple, np.ndarray)):
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
    else:
        parameters["criterion"] = "compiled function"
    return parameters


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
