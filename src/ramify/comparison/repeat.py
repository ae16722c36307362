# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as lines of Python that run it again."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.criteria import catalogue
from ramify.criteria.score import Expression, walk

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = ["Code", "code_of", "python_of"]


class Code:
    """A value written as Python, and the imports that it needs.

    ``text`` is None for what cannot be written, such as a user's function.
    """

    def __init__(self, text: str | None, imports: Iterable[str] = ()) -> None:
        self.text = text
        self.imports = tuple(dict.fromkeys(imports))


def code_of(value: Any) -> Code:
    """Write a parameter or an estimator as Python that makes it anew.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> code = code_of(SVC(C=2))
    >>> code.text, code.imports
    ('SVC(C=2)', ('from sklearn.svm import SVC',))
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return Code(repr(value))
    if isinstance(value, float):
        return Code(repr(value) if math.isfinite(value) else f"float({str(value)!r})")
    if isinstance(value, (list, tuple)):
        return _of_sequence(value)
    if isinstance(value, dict):
        pairs = [(code_of(key), code_of(item)) for key, item in value.items()]
        parts = [part for pair in pairs for part in pair]
        body = ", ".join(f"{key.text}: {item.text}" for key, item in pairs)
        return _joined(f"{{{body}}}", parts)
    if isinstance(value, Expression):
        return Code(repr(repr(value)) if _can_be_read(value) else None)
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _of_estimator(value)
    return Code(None)


def _of_sequence(values: Any) -> Code:
    parts = [code_of(value) for value in values]
    body = ", ".join(str(part.text) for part in parts)
    if isinstance(values, list):
        return _joined(f"[{body}]", parts)
    return _joined(f"({body}{',' if len(parts) == 1 else ''})", parts)


def _joined(text: str, parts: Iterable[Code]) -> Code:
    """Return a text made of parts; none if one of them has none."""
    made = list(parts)
    if any(part.text is None for part in made):
        return Code(None)
    return Code(text, (line for part in made for line in part.imports))


def _of_estimator(estimator: Any) -> Code:
    kind = type(estimator)
    module = _home(kind)
    if module is None:
        return Code(None)
    given = estimator.get_params(deep=False)
    defaults = inspect.signature(kind.__init__).parameters
    words, parts = [], [Code("", [f"from {module} import {kind.__name__}"])]
    for name, value in given.items():
        default = defaults[name].default if name in defaults else inspect.Parameter
        if value is default or repr(value) == repr(default):
            continue
        parts.append(code_of(value))
        words.append(f"{name}={parts[-1].text}")
    return _joined(f"{kind.__name__}({', '.join(words)})", parts)


def _home(kind: type) -> str | None:
    """Return the outermost public module that a class can be imported from."""
    words = kind.__module__.split(".")
    if words[0] in ("__main__", "builtins") or kind.__name__ != kind.__qualname__:
        return None
    for n in range(1, len(words) + 1):
        if words[n - 1].startswith("_"):
            break
        try:
            module = importlib.import_module(".".join(words[:n]))
        except ImportError:
            return None
        if getattr(module, kind.__name__, None) is kind:
            return ".".join(words[:n])
    return None


def _can_be_read(expression: Expression) -> bool:
    """Return whether the text of a criterion is read as that criterion."""
    try:
        read = catalogue.resolve(repr(expression), None)
    except ValueError:
        return False
    return _settings(read) == _settings(expression)


def _settings(expression: Any) -> list[dict[str, Any]]:
    """Return the parameters of each part, which its text does not show."""
    return [dict(getattr(part, "params", {})) for part in walk(expression)]


def python_of(comparison: Comparison) -> str:
    """Write the call that repeats a comparison.

    What has no code, such as a user's function or a data frame, is a name that is set
    to None in a line that says what to put there.
    """
    imports = ["import ramify"]
    open_names: list[str] = []

    def named(what: str, name: str) -> str:
        open_names.append(
            f"{what}_{len(open_names) + 1} = None  # put your {name!r} here"
        )
        return open_names[-1].split(" ")[0]

    methods = []
    for method in comparison.methods:
        imports += method.imports
        text = method.code or named("method", method.name)
        methods.append((method.name, text))
    datasets = [data.code or named("data", data.name) for data in comparison.datasets]
    if all(text == repr(name) for name, text in methods):
        body = _block([text for _, text in methods], "[", "]")
    else:
        body = _block([f"{name!r}: {text}" for name, text in methods], "{", "}")
    options = {
        "cv": _cv(comparison, imports),
        "metrics": repr(list(comparison.metrics)),
        "random_state": repr(comparison.random_state),
    }
    if comparison.baseline:
        options["baseline"] = repr(comparison.baseline)
    if comparison.sizes:
        options["sizes"] = repr(list(comparison.sizes))
    lines = [
        *dict.fromkeys(imports),
        *(["", *open_names] if open_names else []),
        "",
        "result = ramify.compare(",
        f"    {body},",
        f"    {_block(datasets, '[', ']')},",
        *(f"    {key}={value}," for key, value in options.items()),
        ")",
    ]
    return "\n".join(lines)


def _cv(comparison: Comparison, imports: list[str]) -> str:
    """Write the folds; a splitter of scikit-learn as itself."""
    splitter = comparison.protocol.splitter
    if splitter is None:
        return repr(str(comparison.protocol))
    kind = type(splitter)
    home = _home(kind)
    if home is not None:
        imports.append(f"from {home} import {kind.__name__}")
    return str(comparison.protocol)


def _block(items: list[str], opening: str, closing: str) -> str:
    """Write a list in one line if it is short, else one line each."""
    line = f"{opening}{', '.join(items)}{closing}"
    if len(line) <= 80:
        return line
    body = "".join(f"        {item},\n" for item in items)
    return f"{opening}\n{body}    {closing}"
