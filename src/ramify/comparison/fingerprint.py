# SPDX-License-Identifier: BSD-3-Clause
"""Short texts that differ when data, parameters or a user's code differ."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import pickle
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np
import scipy
import sklearn

from ramify import _core
from ramify.criteria import CompiledCriterion
from ramify.datasets import Dataset

__all__ = ["UnknowableError", "build", "of_data", "of_estimator", "versions"]


# What only fetches results and writes them down: a change there changes no tree.
_ASKING = ("cli", "reproduce")
# Their versions, and that of Python, are part of every result.
_OURS = ("ramify", "numpy", "scipy", "sklearn")


class UnknowableError(Exception):
    """There is nothing by which another process would know a thing again."""


def versions(*estimators: Any) -> dict[str, str]:
    """Return the versions of what computes: Python, our packages, the estimators'."""
    found = {
        "ramify": version("ramify"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    for estimator in estimators:
        package = _package(type(estimator))
        if package not in _OURS and _version(package):
            found[package] = _version(package)
    return found


@functools.cache
def build() -> str:
    """Return a key of this build: of its core and its Python files.

    Two builds of one version may grow different trees. Commands and reproductions do
    not count: they only use trees.
    """
    folder = Path(__file__).parents[1]
    # Not in the folder of the Python files where an install is editable.
    digest = hashlib.sha256(Path(_core.__file__).read_bytes())
    for file in sorted(folder.rglob("*.py")):
        place = file.relative_to(folder)
        if place.parts[0] not in _ASKING:
            digest.update(f"{place.as_posix()} ".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def of_data(dataset: Dataset) -> str:
    """Return a key of a data set: of its values and labels, not of its names."""
    digest = hashlib.sha256()
    for values in (*dataset.columns.values(), dataset.y):
        is_text = values.dtype.kind in "OUS"
        content = repr(values.tolist()).encode() if is_text else values.tobytes()
        digest.update(f"{values.dtype} {len(values)} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def of_estimator(estimator: Any) -> str:
    """Return a key of an estimator: of its class, parameters, and code of functions.

    A function counts with its code, defaults, closure, and what it uses of its own
    module. A class counts by the version of its package, or, if that has none, by the
    code of its methods.

    Raises
    ------
    UnknowableError
        If there is a part, such as an address, that has no lasting key.
    """
    text = "\n".join(_parts(estimator, set()))
    return hashlib.sha256(text.encode()).hexdigest()


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Walk through a value; each line is a part of what it is."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield repr(value)
    elif isinstance(value, np.generic):
        yield f"{value.dtype} {value.item()!r}"
    elif id(value) in seen:
        yield "seen"
    else:
        yield f"<{type(value).__name__}"
        yield from _inside(value, seen | {id(value)})
        yield ">"


def _inside(value: Any, seen: set[int]) -> Iterator[str]:
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        content = hashlib.sha256(value.tobytes()).hexdigest()
        yield f"{value.dtype} {value.shape} {content}"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _parts(key, seen)
            yield from _parts(item, seen)
    elif isinstance(value, (list, tuple, range)):
        for item in value:
            yield from _parts(item, seen)
    elif isinstance(value, (set, frozenset)):
        yield from sorted("\n".join(_parts(item, seen)) for item in value)
    elif isinstance(value, CompiledCriterion):
        raise UnknowableError(
            "a compiled function can only be identified by its address and is "
            "therefore not cached"
        )
    elif isinstance(value, FunctionType):
        yield from _of_function(value, seen)
    elif isinstance(value, MethodType):
        yield from _parts(value.__func__, seen)
        yield from _parts(value.__self__, seen)
    elif isinstance(value, functools.partial):
        yield from _parts((value.func, value.args, value.keywords), seen)
    elif isinstance(value, CodeType):
        yield from _of_code(value, seen)
    elif isinstance(value, type):
        yield from _of_class(value, seen)
    elif hasattr(value, "get_params"):
        yield from _of_class(type(value), seen)
        yield from _parts(dict(sorted(value.get_params(deep=False).items())), seen)
    elif dataclasses.is_dataclass(value):
        yield from _of_class(type(value), seen)
        for part in dataclasses.fields(value):
            yield from _parts(getattr(value, part.name), seen)
    else:
        yield from _of_class(type(value), seen)
        yield from _of_other(value)


def _of_other(value: Any) -> Iterator[str]:
    try:
        yield hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception as error:
        raise UnknowableError(f"{type(value).__name__} cannot be pickled") from error


def _of_function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield f"{function.__module__}.{function.__qualname__}"
    if _version(_package(function)):
        yield from _of_package(_package(function))
        return
    yield from _of_code(function.__code__, seen)
    yield from _parts((function.__defaults__, function.__kwdefaults__), seen)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, seen)
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield from _of_global(function.__globals__[name], seen)


def _of_global(value: Any, seen: set[int]) -> Iterator[str]:
    """Look into what may change with the function: its module's functions, numbers."""
    if isinstance(value, (FunctionType, type, np.ndarray, int, float, str, tuple)):
        yield from _parts(value, seen)


def _of_code(code: CodeType, seen: set[int]) -> Iterator[str]:
    yield hashlib.sha256(code.co_code).hexdigest()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    yield from _parts(code.co_consts, seen)


def _of_class(kind: type, seen: set[int]) -> Iterator[str]:
    yield f"{kind.__module__}.{kind.__qualname__}"
    for base in kind.__mro__:
        if _version(_package(base)):
            yield from _of_package(_package(base))
            continue
        for name, part in vars(base).items():
            inner = getattr(part, "__func__", getattr(part, "fget", part))
            if isinstance(inner, FunctionType):
                yield name
                yield from _parts(inner, seen)


def _of_package(package: str) -> Iterator[str]:
    if package not in _OURS and package not in sys.stdlib_module_names:
        yield f"{package} {_version(package)}"


def _package(kind: Any) -> str:
    return str(kind.__module__ or "").partition(".")[0]


def _version(package: str) -> str:
    """Return the version of a package; none of a user's own script."""
    if package in sys.stdlib_module_names:
        return platform.python_version()
    return str(getattr(sys.modules.get(package), "__version__", ""))
