# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue of published methods: name → estimator, parameters and reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ramify.criteria.registering import BUILT_IN as BUILT_IN_CRITERIA
from ramify.estimators.forest import RandomForestClassifier
from ramify.estimators.optimal import OptimalTreeClassifier
from ramify.estimators.tree import DecisionTreeClassifier, ObliqueTreeClassifier
from ramify.estimators.tree.methods import (
    PLUGINS,
    TREE_METHODS,
    Method,
    are_alike,
    method_of,
    note,
    unknown_method,
)
from ramify.estimators.tree.number_methods import NUMBER_METHODS

__all__ = ["Method", "get", "make", "names", "register"]


def names(task: str = "classes") -> list[str]:
    """Return the names of all methods, those of other packages among them.

    Parameters
    ----------
    task : {"classes", "numbers"}, default="classes"
        What they predict.

    Examples
    --------
    >>> import ramify
    >>> ramify.methods.names()[:2]
    ['id3', 'c45']
    >>> ramify.methods.names("numbers")[:2]
    ['m5', 'pilot']
    """
    if _is_of_numbers(task):
        return list(NUMBER_METHODS)
    PLUGINS.load()
    return list(_METHODS)


def get(name: str, task: str | None = None) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        One of `names()`, or of ``names("numbers")``.
    task : {"classes", "numbers"}, optional
        What it is to predict; by default classes, if it can.
    """
    of_numbers = name in NUMBER_METHODS if task is None else _is_of_numbers(task)
    if of_numbers and (task is not None or name not in _METHODS):
        if name not in NUMBER_METHODS:
            raise unknown_method(name, NUMBER_METHODS)
        return _with_task(NUMBER_METHODS[name])
    if name not in _METHODS:
        PLUGINS.load()
    if name in _METHODS:
        return _with_task(_METHODS[name])
    raise unknown_method(name, _METHODS)


def _is_of_numbers(task: str) -> bool:
    if task not in ("classes", "numbers"):
        raise ValueError(f"task={task!r} is unknown; use 'classes' or 'numbers'")
    return task == "numbers"


def _with_task(method: Method) -> Method:
    """Say of a method that predicts both that it does."""
    is_both = method.name in NUMBER_METHODS and method.name in _METHODS
    return replace(method, task="both") if is_both else method


def make(name: str, *, task: str | None = None, **overrides: Any) -> Any:
    """Return the estimator of a method, with other parameters where you name them.

    Parameters
    ----------
    name : str
        One of `names()`, or of ``names("numbers")``.
    task : {"classes", "numbers"}, optional
        What it is to predict; by default classes, if it can.
    **overrides
        Parameters of the estimator, such as max_depth, or of the method itself, such
        as k of "csn", w2 of "bnm", alpha of "spes" or theta of "scaff".

    Examples
    --------
    >>> import ramify
    >>> ramify.methods.make("segment_c45", k=7).criterion_params
    {'k': 7}
    >>> ramify.methods.make("m5", smoothing=0)
    ModelTreeRegressor(method_params={'smoothing': 0})
    >>> tree = ramify.methods.make("c45", max_depth=2)
    >>> tree = tree.fit([["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]], [0, 1, 0, 1])
    >>> print(ramify.export_text(tree))
    x0 in {a}: 0 (2 of 2)
    x0 in {b}: 1 (2 of 2)
    x0 is other: 0 (0 of 0)
    """
    return get(name, task).make(**overrides)


def _forest_of(name: str) -> Method:
    """Return the random forest of a method, in the setting of Li, Chen (2022)."""
    tree = TREE_METHODS[name]
    is_plain = tree.estimator is DecisionTreeClassifier
    return Method(
        f"{name}_rf",
        f"20 voting trees on bootstrap samples, sqrt(d) columns a node. {tree.summary}",
        f"Breiman (2001), Random Forests; {tree.reference}",
        {
            **(tree.parameters if is_plain else {"method": name}),
            "n_estimators": 20,
            "max_features": "sqrt",
            "voting": "hard",
        },
        estimator=RandomForestClassifier,
        is_usual=tree.is_usual and name not in ("ihdw", "dgmml"),
    )


_METHODS: dict[str, Method] = {
    **TREE_METHODS,
    **{
        f"{name}_rf": _forest_of(name)
        for name in (
            *("c45", "cart", "ihd", "ihdw", "dgmml", "hddt", "wodt"),
            "heterogeneous",
        )
    },
    "ccf": Method(
        "ccf",
        "100 trees grown on all rows; each node samples about log2(d) columns and "
        "splits along the canonical correlation directions of a bootstrap sample of "
        "its rows.",
        TREE_METHODS["cca"].reference,
        {
            "method": "cca",
            "method_params": {"bootstrap": True},
            "n_estimators": 100,
            "max_features": "ccf",
            "bootstrap": False,
        },
        estimator=RandomForestClassifier,
        is_usual=False,
    ),
    "rotation_forest": Method(
        "rotation_forest",
        "100 trees grown on all rows, each with the columns rotated in random groups "
        "of three to the principal axes of sampled rows; every split combines at most "
        "three columns.",
        TREE_METHODS["rotation"].reference,
        {
            "method": "rotation",
            "n_estimators": 100,
            "max_features": None,
            "bootstrap": False,
        },
        estimator=RandomForestClassifier,
        is_usual=False,
    ),
    "optimal": Method(
        "optimal",
        "The tree of depth 3 with the fewest training errors, by an exact search over "
        "all thresholds.",
        "Brita, van der Linden, Demirović (2025), Optimal Classification Trees for "
        "Continuous Feature Data Using Dynamic Programming with Branch-and-Bound",
        {"max_depth": 3, "time_limit": 60.0},
        estimator=OptimalTreeClassifier,
        is_usual=False,
    ),
    "lookahead": Method(
        "lookahead",
        "A tree of depth 5 in which every test is the first of the best tree of depth "
        "3 at its node; a leaf costs 0.5 % of the rows.",
        "Babbar, McTavish, Rudin, Seltzer (2025), Near-Optimal Decision Trees in a "
        "SPLIT Second",
        {"search": "lookahead", "max_depth": 5, "penalty": 0.005},
        estimator=OptimalTreeClassifier,
        is_usual=False,
    ),
}


note(_METHODS)
BUILT_IN = frozenset(_METHODS)


def register(
    name: str,
    method: Any,
    *,
    summary: str = "",
    reference: str = "",
    bibtex: str = "",
    overwrite: bool = False,
) -> Method:
    """Give a method to grow trees, or any classifier, a name.

    From then on `make`, `ramify.compare`, `ramify.advise`, forests and boosting
    (``method=``, where it is a tree of Ramify) and `ramify.TunedTreeClassifier` know
    it. A package that declares it as an entry point of the group ``ramify.methods``
    brings it to whoever installs the package, on the command line, too.

    Parameters
    ----------
    name : str
        The name, without blanks.
    method : estimator, type or Method
        An estimator that is not fitted, whose class and parameters make the method; a
        class of estimators; or a `Method`.
    summary, reference : str
        What lists and reports say of it. The summary is the first paragraph of the
        class's docstring if you give none; references are written
        ``Authors (year), Title``.
    bibtex : str
        What `ramify.cite` returns; else it makes an entry of the reference.
    overwrite : bool
        Whether another method that was registered under that name is replaced.
        Built-in names cannot be taken.

    Returns
    -------
    Method

    Examples
    --------
    >>> import ramify
    >>> tree = ramify.DecisionTreeClassifier("tsallis", criterion_params={"q": 1.4})
    >>> tree.set_params(prune="ccp_cv")
    DecisionTreeClassifier(criterion='tsallis', criterion_params={'q': 1.4},
                           prune='ccp_cv')
    >>> method = ramify.methods.register(
    ...     "pruned_tsallis", tree, reference="Doe (2026), Trees"
    ... )
    >>> ramify.methods.make("pruned_tsallis", q=1.6).criterion_params
    {'q': 1.6}
    """
    good = isinstance(name, str) and name.replace("-", "_").isidentifier()
    if not good:
        raise ValueError(f"{name!r} is not a name for a method; use letters and digits")
    if name in BUILT_IN or name in BUILT_IN_CRITERIA:
        raise ValueError(
            f"{name!r} is the name of a criterion or method of Ramify; choose another"
        )
    made = method_of(name, method)
    made = replace(
        made,
        summary=summary or made.summary,
        reference=reference or made.reference,
        bibtex=bibtex.strip() or made.bibtex,
        is_usual=False,
    )
    before = _METHODS.get(name)
    if before is not None and not overwrite and not are_alike(before, made):
        raise ValueError(
            f"{name!r} is registered already, for another method "
            f"({before.estimator.__name__}); pass overwrite=True to replace it"
        )
    made.make()  # which complains of parameters that do not fit
    _METHODS[name] = made
    TREE_METHODS.pop(name, None)
    if issubclass(made.estimator, (DecisionTreeClassifier, ObliqueTreeClassifier)):
        TREE_METHODS[name] = made
    note({name: made})
    return made


PLUGINS.use(lambda name: name in _METHODS and name not in BUILT_IN, register)
