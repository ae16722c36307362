# SPDX-License-Identifier: BSD-3-Clause
"""Criteria by name or text: which one is meant, with which parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ramify.criteria.builtin import (
    C45_RULES,
    CRITERION_OF_METHOD,
    REGISTRY,
    Criterion,
    balanced,
)
from ramify.criteria.choices import Top
from ramify.criteria.entry_points import PLUGINS
from ramify.criteria.functions import compiled, function, is_compiled
from ramify.criteria.hybrids import HYBRIDS, Hybrid
from ramify.criteria.measures import MEASURES
from ramify.criteria.named import FUNCTIONS, REGRESSION_FUNCTIONS, RegisteredCriterion
from ramify.criteria.parsing import compute, read
from ramify.criteria.regression import is_for_regression, number_names
from ramify.criteria.score import Expression, Score
from ramify.criteria.trial import Report, try_out
from ramify.messages import did_you_mean

__all__ = [
    "add_criterion",
    "add_expression",
    "check",
    "forget",
    "get",
    "is_family",
    "names",
    "node_of",
    "note_methods",
    "parameters_of",
    "parse",
    "registered",
    "resolve",
]

_ALIASES = {
    **{alias: one.name for one in REGISTRY.values() for alias in one.aliases},
    **{alias: one.name for one in HYBRIDS.values() for alias in one.aliases},
}


# --- names and texts ------------------------------------------------------------------


_OF_UPLIFT = {
    name for name, one in REGISTRY.items() if one.properties["needs_treatment"]
}


def names(kind: str = "criteria") -> list[str]:
    """Names of all criteria of classes, or of what else can be named.

    Those that were registered, or come from other packages, are among them.

    Parameters
    ----------
    kind : {"criteria", "uplift", "measures", "expressions", "regression"}
        Criteria see class weights only; those of "uplift" must know who was treated,
        too (``fit(..., treatment=)``). Measures are parts of expressions; the named
        expressions are published combinations of both. Those of "regression" judge
        numbers; see `for_regression`.

    Examples
    --------
    >>> import ramify
    >>> "hellinger" in ramify.criteria.names()
    True
    >>> "bnm_csn" in ramify.criteria.names("expressions")
    True
    """
    PLUGINS.load()
    known = {
        "criteria": sorted(REGISTRY.keys() - _OF_UPLIFT | FUNCTIONS.keys()),
        "uplift": sorted(_OF_UPLIFT),
        "measures": sorted(MEASURES),
        "expressions": sorted(HYBRIDS),
        "regression": sorted([*number_names(), *REGRESSION_FUNCTIONS]),
    }
    if kind not in known:
        listing = ", ".join([repr(each) for each in known])
        raise ValueError(f"kind={kind!r} is unknown; use {listing}")
    return known[kind]


def get(name: str, **params: Any) -> Any:
    """Return a criterion, or a named expression, by its name or alias.

    Parameters
    ----------
    name : str
        One of ``names()`` or ``names("expressions")``, or an alias such as
        "kolmogorov_smirnov" for "ks".
    **params
        Parameters; the attribute ``parameters`` of a criterion lists them. Gain ratio
        takes the rules of C4.5, release 8: ``threshold_cost``, ``average_gain`` and
        ``min_branch`` (True, or the least weight of a branch in place of 2). For those
        of an expression see `registered`.

    Returns
    -------
    Criterion or Expression

    Examples
    --------
    >>> import ramify
    >>> ramify.criteria.get("kolmogorov_smirnov").name
    'ks'
    >>> ramify.criteria.get("bnm_csn", k=5, purity="entropy")
    top(5, entropy + 0.01 * bnm).smallest(csn)
    >>> ramify.criteria.get("tsallis", q=0.5)
    tsallis(q=0.5)
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a criterion is a str, not {name!r}")
    key = _known(name)
    if key in HYBRIDS:
        return _build(HYBRIDS[key], params)
    if key in FUNCTIONS:
        return FUNCTIONS[key].with_params(params)
    if key not in REGISTRY:
        raise ValueError(f"criterion={name!r} {_why_unknown(name)}")
    return REGISTRY[key].with_params(params) if params else REGISTRY[key]


def _known(name: str) -> str:
    """Return what a name or an alias stands for; other packages may bring it."""
    key = _ALIASES.get(name, name)
    if key not in REGISTRY and key not in HYBRIDS and key not in FUNCTIONS:
        PLUGINS.load()
    return _ALIASES.get(name, name)


def _why_unknown(name: str) -> str:
    if name in MEASURES:
        using = [
            key for key, one in HYBRIDS.items() if name in re.split(r"\W", one.formula)
        ]
        return (
            "is a measure, which is a part of a criterion; take one that uses it "
            f"({', '.join([repr(each) for each in using])}), or compose "
            f"ramify.criteria.{name} with another"
        )
    if is_for_regression(name):
        return "judges numbers, not classes; use DecisionTreeRegressor"
    if name in CRITERION_OF_METHOD:
        return (
            f"is a method, with settings of its own; use ramify.methods.make({name!r}),"
            f" or its criterion, criterion={CRITERION_OF_METHOD[name]!r}"
        )
    if name in _METHODS:
        return f"is a method, not a criterion; use {_METHODS[name]}"
    if PLUGINS.why_not(name):
        return PLUGINS.why_not(name)
    known = [*REGISTRY, *FUNCTIONS, *HYBRIDS, *_ALIASES]
    hint = did_you_mean(name, known, "{} ")
    return f"is unknown; {hint}ramify.criteria.names() lists all {len(names())}"


# What makes a published method, for those who take its name for a criterion's.
_METHODS: dict[str, str] = {}


def note_methods(made_by: Mapping[str, str]) -> None:
    """Let errors say how to make the methods of these names."""
    _METHODS.update(made_by)


def registered(name: str) -> Hybrid:
    """Return what is known of a named expression: formula, parameters, reference.

    Examples
    --------
    >>> import ramify
    >>> found = ramify.criteria.registered("bnm_gini")
    >>> found.formula
    'w1 * purity + w2 * bnm(penalty=penalty, scale=scale)'
    >>> found.params["w2"]
    0.01
    """
    key = _known(name)
    if key not in HYBRIDS:
        hint = did_you_mean(name, HYBRIDS, "{} ")
        raise ValueError(
            f"{name!r} is no named expression; {hint}"
            f"ramify.criteria.names('expressions') lists all {len(HYBRIDS)}"
        )
    return HYBRIDS[key]


def parameters_of(criterion: Any) -> dict[str, Any]:
    """Return the parameters that a criterion takes as `criterion_params`."""
    key = _known(criterion) if isinstance(criterion, str) else None
    if key in HYBRIDS:
        return dict(HYBRIDS[key].params)
    found = {**REGISTRY, **FUNCTIONS}.get(key) if isinstance(key, str) else criterion
    if not isinstance(found, (Criterion, RegisteredCriterion)):
        return {}
    if found.name == "gain_ratio":
        return dict(C45_RULES)
    return {each.name: each.default for each in found.parameters}


def is_family(criterion: Any) -> bool:
    """Return whether this is a built-in criterion with parameters in its formula."""
    key = _ALIASES.get(criterion, criterion) if isinstance(criterion, str) else None
    found = REGISTRY.get(key) if isinstance(key, str) else criterion
    return isinstance(found, Criterion) and bool(found.parameters)


def _build(hybrid: Hybrid, given: Mapping[str, Any]) -> Expression:
    """Return a named expression with these parameters."""
    params = hybrid.check(given)
    if "purity" in params:
        params["purity"] = _purity(params["purity"])
    found: Expression = compute(
        hybrid.formula_with(params), {**REGISTRY, **MEASURES, **FUNCTIONS, **params}
    )
    return found


def _purity(value: Any) -> Score:
    found = get(value) if isinstance(value, str) else value
    if not isinstance(found, Score):
        raise TypeError(
            f"criterion_params['purity']={value!r} must be a criterion or its name, "
            "such as 'gini'"
        )
    return found.term()


_NAMED: dict[str, Any] = {
    **{alias: REGISTRY[key] for alias, key in _ALIASES.items() if key in REGISTRY},
    **{name: _build(hybrid, {}) for name, hybrid in HYBRIDS.items()},
    **REGISTRY,
    **MEASURES,
}


def add_criterion(criterion: RegisteredCriterion) -> None:
    """Add a registered function of class weights to the catalogue."""
    FUNCTIONS[criterion.name] = criterion
    _NAMED.update(dict.fromkeys((criterion.name, *criterion.aliases), criterion))
    _ALIASES.update(dict.fromkeys(criterion.aliases, criterion.name))


def add_expression(hybrid: Hybrid) -> None:
    """Add a named expression to the catalogue; raise if it cannot be read."""
    built = _build(hybrid, {})
    HYBRIDS[hybrid.name] = hybrid
    _NAMED.update(dict.fromkeys((hybrid.name, *hybrid.aliases), built))
    _ALIASES.update(dict.fromkeys(hybrid.aliases, hybrid.name))


def forget(name: str) -> None:
    """Remove a registered criterion or expression, and its aliases."""
    aliases = [alias for alias, key in _ALIASES.items() if key == name]
    FUNCTIONS.pop(name, None)
    HYBRIDS.pop(name, None)
    for each in (name, *aliases):
        _ALIASES.pop(each, None)
        _NAMED.pop(each, None)


def parse(
    text: str, functions: Mapping[str, Callable[..., Any]] | None = None
) -> Expression:
    """Return the expression that a text describes; the opposite of ``repr``.

    Parameters
    ----------
    text : str
        Names of criteria, measures and named expressions; numbers; ``+ - * /``,
        ``top(k, a)`` and the methods of expressions. It is read, never run.
    functions : mapping, optional
        Your functions by the names that stand in ``function(name)``.

    Examples
    --------
    >>> from ramify.criteria import csn, gini, parse, top
    >>> parse("top(3, gini).smallest(csn)") == top(3, gini).smallest(csn)
    True
    """
    if not isinstance(text, str):
        raise TypeError(f"parse() takes a text, not {text!r}")
    makers: dict[str, Callable[..., Any]] = {"get": get, "balanced": balanced}
    try:
        return read(text, _NAMED, makers, functions)
    except ValueError:
        if not PLUGINS.load():
            raise
    return read(text, _NAMED, makers, functions)


# --- what estimators need to know
# ----------------------------------------------------------


# A name has none of these; "gain-ratio" is meant to be one.
_EXPRESSION_SIGNS = re.compile(r"[+*/().]|\s-|^-")


def resolve(criterion: Any, params: Mapping[str, Any] | None) -> Expression:
    """Return the criterion that a user's `criterion=` and `criterion_params=` mean."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"criterion_params={params!r} must be a dict or None")
    is_text = isinstance(criterion, str) and _EXPRESSION_SIGNS.search(criterion.strip())
    if isinstance(criterion, str) and not is_text:
        found: Expression = get(criterion, **(params or {}))
        return found
    if isinstance(criterion, (Criterion, RegisteredCriterion)):
        return criterion.with_params(params) if params else criterion
    if params:
        raise ValueError(
            f"criterion_params={dict(params)!r} was given with criterion="
            f"{criterion!r}; criterion_params applies to named criteria only"
        )
    if is_text:
        return parse(criterion)
    if isinstance(criterion, Expression):
        return criterion
    if isinstance(criterion, Top):
        criterion.refuse()
    if is_compiled(criterion):
        return compiled(criterion)
    if callable(criterion) and not isinstance(criterion, type):
        return function(criterion)
    raise TypeError(
        f"criterion={criterion!r} is not a criterion; give a name of "
        "ramify.criteria.names(), an expression of ramify.criteria, a function "
        "f(parent, left, right) or a compiled function pointer"
    )


def node_of(criterion: Any) -> Any:
    """Return a criterion, which must be one score, as the engine reads expressions."""
    chosen = resolve(criterion, None)
    if not isinstance(chosen, Score):
        raise ValueError(
            f"{criterion!r} chooses among candidates and has no score of its own; "
            "name a criterion, a measure or a sum or product of them"
        )
    return chosen.term().node()


# --- trying a criterion out -----------------------------------------------------------


def check(
    criterion: Any, *, n_classes: int = 3, n_tables: int = 200, seed: int = 0
) -> Report:
    """Try a criterion on random tables of class weights and report what it does.

    Problems (wrong shape, NaN, never called) make the report false; its other fields
    are for its author to judge: a criterion that is not symmetric, for instance, grows
    other trees when a column is negated.

    >>> import ramify
    >>> def purity(parent, left, right):
    ...     return left.max(1) + right.max(1) - parent.max()
    >>> bool(ramify.criteria.check(purity))
    True
    """
    chosen = resolve(criterion, None)
    if not isinstance(chosen, Score):
        raise TypeError(f"check() tries scores, and {chosen!r} is a choice among cuts")
    return try_out(chosen, n_classes, n_tables, seed)
