# SPDX-License-Identifier: BSD-3-Clause
"""`register`: give a criterion of a user or of another package a name."""

from __future__ import annotations

import functools
import importlib
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ramify.criteria import catalogue
from ramify.criteria.builtin import REGISTRY
from ramify.criteria.choices import Choice
from ramify.criteria.entry_points import PLUGINS
from ramify.criteria.functions import CompiledCriterion, FunctionCriterion
from ramify.criteria.hybrids import HYBRIDS, Hybrid
from ramify.criteria.measures import MEASURES
from ramify.criteria.named import (
    FUNCTIONS,
    REGRESSION_FUNCTIONS,
    RegisteredCriterion,
    named_function,
)
from ramify.criteria.regression import (
    add_regression_criterion,
    forget_regression_criterion,
    is_for_regression,
)
from ramify.criteria.score import Expression, walk

__all__ = ["BUILT_IN", "mentions_registered", "register"]

# Names that come with Ramify, which nobody else may take.
BUILT_IN = frozenset(
    {
        *REGISTRY,
        *HYBRIDS,
        *MEASURES,
        *(alias for one in REGISTRY.values() for alias in one.aliases),
        *(alias for one in HYBRIDS.values() for alias in one.aliases),
        *("top", "balanced", "function", "compiled", "get"),
    }
)


def register(
    name: str,
    criterion: Any = None,
    *,
    task: str = "classification",
    summary: str = "",
    formula: str = "",
    reference: str = "",
    bibtex: str = "",
    aliases: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Any:
    """Give a criterion a name that every estimator knows.

    From then on the name can be written where that of a built-in criterion can: as
    ``criterion=`` of trees, forests and boosting, in expressions such as
    ``"gini + 0.1 * mine"``, in `ramify.compare` and `ramify.advise`. A package that
    declares it as an entry point of the group ``ramify.criteria`` brings it to whoever
    installs the package, on the command line, too.

    Parameters
    ----------
    name : str
        The name: letters, digits and ``_``.
    criterion : callable, expression or str, optional
        A function ``f(parent, left, right)`` as for `function`; what `function`
        returns; or an expression of criteria, as an object or as text. Keyword-only
        arguments of a function, with defaults, are parameters: they are set by
        ``criterion_params``. Without it, `register` is a decorator.
    task : {"classification", "regression"}
        Whether the function gets class weights, or weight, sum and sum of squares.
    summary, formula, reference : str
        What lists, reports and the viewer say of it. The summary of a function is the
        first paragraph of its docstring if you give none; references are written
        ``Authors (year), Title``.
    bibtex : str
        What `ramify.cite` returns; else it makes an entry of the reference.
    aliases : sequence of str
        Other names.
    params : mapping, optional
        Parameters of an expression given as text, and their defaults: names in it.
    overwrite : bool
        Whether another criterion that was registered under that name is replaced. The
        same function, defined anew, always is. Built-in names cannot be taken.

    Returns
    -------
    criterion
        What was registered; as a decorator, the function.

    Examples
    --------
    >>> import numpy as np
    >>> import ramify
    >>> @ramify.criteria.register("power_gain", reference="Doe (2026), Power Gain")
    ... def power_gain(parent, left, right, *, q=2.0):
    ...     "Decrease of the power impurity 1 - sum of p to the q."
    ...     def impurity(n):
    ...         total = n.sum(-1, keepdims=True)
    ...         return total[..., 0] * (1 - ((n / total) ** q).sum(-1))
    ...     gain = impurity(parent) - impurity(left) - impurity(right)
    ...     return gain / parent.sum()
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> tree = ramify.DecisionTreeClassifier("power_gain", criterion_params={"q": 3.0})
    >>> tree.fit(X, y).get_n_leaves()
    2
    >>> ramify.criteria.parse("gini + 0.1 * power_gain(q=3.0)")
    gini + 0.1 * power_gain(q=3.0)
    """
    about = {"summary": summary, "reference": reference, "bibtex": bibtex.strip()}
    details = {**about, "aliases": tuple(aliases)}
    if criterion is None:
        return functools.partial(
            _decorate,
            name,
            task=task,
            formula=formula,
            params=params,
            overwrite=overwrite,
            **details,
        )
    if task not in ("classification", "regression"):
        raise ValueError(
            f"task={task!r} is unknown; use 'classification' or 'regression'"
        )
    made = _made(name, criterion, task, formula, details, dict(params or {}))
    for each in (name, *aliases):
        _check_name(each)
        _check_clash(each, made, overwrite)
    for each in (name, *aliases):
        catalogue.forget(each)
        forget_regression_criterion(each)
    if isinstance(made, Hybrid):
        catalogue.add_expression(made)
    elif task == "regression":
        add_regression_criterion(made)
    else:
        catalogue.add_criterion(made)
    return made


def _decorate(name: str, judge: Any, **details: Any) -> Any:
    register(name, judge, **details)
    return judge


def _made(
    name: str,
    criterion: Any,
    task: str,
    formula: str,
    details: dict[str, Any],
    params: dict[str, Any],
) -> RegisteredCriterion | Hybrid:
    """Return what the name is to stand for."""
    if isinstance(criterion, CompiledCriterion):
        raise TypeError(
            f"{criterion!r} is an address in this process and cannot be registered; "
            "register a NumPy function, or give the compiled one as criterion="
        )
    is_text = isinstance(criterion, str)
    if isinstance(criterion, FunctionCriterion) or (
        callable(criterion) and not isinstance(criterion, (Expression, Choice, type))
    ):
        if params:
            raise ValueError(
                f"params={params!r} is for expressions given as text; the parameters "
                "of a function are its keyword-only arguments"
            )
        return named_function(name, criterion, formula=formula, **details)
    if not is_text and not isinstance(criterion, Expression):
        raise TypeError(
            f"criterion={criterion!r} cannot be registered; give a function "
            "f(parent, left, right), or an expression of criteria"
        )
    if task == "regression":
        raise ValueError("expressions are for classification; register a function")
    if not is_text and any(type(part) is FunctionCriterion for part in walk(criterion)):
        raise ValueError(
            f"{criterion!r} has a function without a name; register the function "
            "first, and name it in the expression"
        )
    if is_text and not params:
        catalogue.parse(criterion)  # whose messages name the mistake
    return Hybrid(name, str(criterion), params=params, **details)


def _check_name(name: Any) -> None:
    good = isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
    if not good:
        raise ValueError(
            f"{name!r} is not a name for a criterion; use letters, digits and _, not a "
            "digit first"
        )
    methods = importlib.import_module("ramify.methods")  # later in the order of imports
    is_ours = name in BUILT_IN or (is_for_regression(name) and not _before(name))
    if is_ours or name in methods.BUILT_IN:
        raise ValueError(
            f"{name!r} is the name of a criterion or method of Ramify; choose another"
        )


def _before(name: str) -> Any:
    """Return what is registered under a name or alias, or None."""
    for known in (FUNCTIONS, REGRESSION_FUNCTIONS, HYBRIDS):
        for each in known.values():
            if name == each.name or name in each.aliases:
                return each
    return None


def _check_clash(name: str, made: Any, overwrite: bool) -> None:
    """Refuse to take a name from another criterion, unless `replace` is set."""
    before = _before(name)
    if before is None or overwrite or _core_of(before) == _core_of(made):
        return
    raise ValueError(
        f"{name!r} is registered already, for another criterion ({before!r}); pass "
        "overwrite=True to replace it"
    )


def _core_of(made: RegisteredCriterion | Hybrid) -> Any:
    """Return what makes a criterion the same: a cell run again defines it again."""
    if isinstance(made, Hybrid):
        return replace(made, summary="", reference="", bibtex="")
    judge = made.judge
    module, name = (getattr(judge, key, "") for key in ("__module__", "__qualname__"))
    return (module, name) if name and "<lambda>" not in name else judge


def mentions_registered(text: str) -> bool:
    """Return whether the name of a registered criterion stands in a text."""
    return any(map(_is_registered, re.findall(r"[a-zA-Z_]\w*", text)))


def _is_registered(name: str) -> bool:
    return name not in BUILT_IN and _before(name) is not None


PLUGINS.use(_is_registered, register)
