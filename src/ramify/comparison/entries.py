# SPDX-License-Identifier: BSD-3-Clause
"""Whatever names a method → an estimator with a name and a description."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone, is_classifier, is_regressor

from ramify import criteria
from ramify import methods as catalogue
from ramify.comparison.repeat import code_of
from ramify.comparison.result import MethodFacts
from ramify.comparison.survival_entries import (
    SURVIVAL_METHODS,
    survival_estimator,
    survival_names,
)
from ramify.criteria.catalogue import resolve
from ramify.estimators.boosting import BoostedTreesRegressor
from ramify.estimators.forest import ExtraTreesRegressor, RandomForestRegressor
from ramify.estimators.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
)
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier, tree_of
from ramify.messages import ask_or_stop
from ramify.pruning.settings import settings_of as settings_of_pruning

__all__ = [
    "NUMBER_METHODS",
    "Entry",
    "are_for_regression",
    "entries_of",
    "pruned_alike",
    "with_baseline",
]

# What numbers are learnt by, if nobody says by what.
NUMBER_METHODS = (
    *("squared_error", "absolute_error"),
    *("squared_error_rf", "squared_error_et", "squared_error_boosted"),
)
# One criterion of each family that no method of a paper is made of.
_OF_FAMILIES = (
    *("tsallis", "alpha_divergence", "dkm", "mpi", "ks", "mantaras"),
    *("mdl", "credal_gain", "off_centred_entropy", "balanced(gini)"),
)
# What stands behind the name of a criterion for numbers.
_ENSEMBLES: dict[str, Callable[[str], Any]] = {
    "_rf": lambda criterion: RandomForestRegressor(criterion=criterion),
    "_et": lambda criterion: ExtraTreesRegressor(criterion=criterion),
    "_boosted": lambda criterion: BoostedTreesRegressor(loss=criterion),
}


@dataclass(frozen=True)
class Entry:
    """A method of the comparison: what it is called, what is fitted, what is known.

    ``names`` are what it may be called, from short to long; the first one that no
    other method has is its name.
    """

    names: tuple[str, ...]
    estimator: Any
    profile: MethodFacts

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.profile.name


def entries_of(given: Any, task: str = "classification") -> tuple[Entry, ...]:
    """Read what a user gives as methods: None, "all", a mix, or a dict of them."""
    if given is None:
        given = _USUAL[task]()
    elif isinstance(given, str) and given == "all":
        given = _ALL[task]()
    if isinstance(given, Mapping):
        entries = [_entry(one, task, str(name)) for name, one in given.items()]
    elif _is_one(given):
        entries = [_entry(given, task)]
    else:
        entries = [_entry(one, task) for one in given]
    if not entries:
        raise ValueError("no methods to compare; give at least one, or None for all.")
    return tuple(_named(entry, entries) for entry in entries)


def _usual() -> list[str]:
    """List the methods of the papers, and one criterion of each further family."""
    named = [name for name in catalogue.names() if catalogue.get(name).is_usual]
    return [*named, *_OF_FAMILIES]


def _all() -> list[str]:
    """List the whole catalogue: every method, and every criterion that makes none."""
    known = catalogue.names()
    made = {_criterion_of(name) for name in known}
    alone = [name for name in criteria.names() if name not in made]
    return [*known, *alone, "balanced(gini)"]


def _criterion_of(method: str) -> str:
    """Return the criterion that makes a method all by itself, or nothing."""
    tree = catalogue.get(method).make()
    if type(tree) is not DecisionTreeClassifier or tree.splitter != "best":
        return ""
    found = resolve(tree.criterion, tree.criterion_params)
    return found.name if isinstance(found, criteria.Criterion) else ""


def _all_of_regression() -> list[str]:
    return [*criteria.names("regression"), *NUMBER_METHODS[2:]]


_USUAL: dict[str, Callable[[], Iterable[str]]] = {
    "classification": _usual,
    "regression": lambda: NUMBER_METHODS,
    "survival": lambda: SURVIVAL_METHODS,
}
_ALL: dict[str, Callable[[], Iterable[str]]] = {
    "classification": _all,
    "regression": _all_of_regression,
    "survival": survival_names,
}


def are_for_regression(given: Any) -> bool:
    """Return whether all methods that are given learn numbers."""
    if given is None:
        return False
    methods = given.values() if isinstance(given, Mapping) else given
    each = [methods] if _is_one(methods) else list(methods)
    return bool(each) and all(map(_is_for_regression, each))


def _is_for_regression(method: Any) -> bool:
    if isinstance(method, str):
        ends = ("", *_ENSEMBLES)
        if method in catalogue.names("numbers"):
            return True
        known = criteria.names("regression")
        return any(method == name + end for name in known for end in ends)
    is_estimator = hasattr(method, "get_params") and not isinstance(method, type)
    return is_estimator and is_regressor(method)


def _is_one(given: Any) -> bool:
    # An ensemble is a list of its trees, too.
    is_list = isinstance(given, Iterable) and not hasattr(given, "fit")
    return isinstance(given, str) or not is_list


def with_baseline(
    entries: tuple[Entry, ...], name: str, task: str = "classification"
) -> tuple[tuple[Entry, ...], str]:
    """Return the methods with the baseline among them, and its name."""
    if not isinstance(name, str):
        raise TypeError(f"baseline={name!r} must be the name of a method.")
    known = [entry.name for entry in entries]
    if name in known:
        return entries, name
    try:
        (baseline,) = entries_of([name], task)
    except ValueError as error:
        raise ValueError(
            f"baseline {name!r} is not among the methods{ask_or_stop(name, known)} "
            f"Nor can it be added: {error}"
        ) from None
    return entries if baseline.name in known else (*entries, baseline), baseline.name


def pruned_alike(
    entries: tuple[Entry, ...], prune: str, prune_params: Mapping[str, Any] | None
) -> tuple[tuple[Entry, ...], str]:
    """Prune the trees of all methods in one way, and say so in a note.

    Methods that are no single tree, and estimators of other packages, stay as they
    are.
    """
    settings_of_pruning(prune, prune_params)  # complains before the work
    given = dict(prune_params) if prune_params else None
    found, left = [], []
    for entry in entries:
        estimator = clone(entry.estimator) if is_ours(entry.estimator) else None
        tree = tree_of(estimator)
        if tree is None or not hasattr(tree, "prune"):
            found.append(entry)
            left.append(entry.name)
            continue
        tree.set_params(prune=prune, prune_params=given)
        code = code_of(estimator)
        profile = replace(entry.profile, settings=settings_of(estimator))
        if code.text is not None:
            profile = replace(profile, code=code.text, imports=code.imports)
        found.append(replace(entry, estimator=estimator, profile=profile))
    if len(left) == len(entries):
        raise ValueError(
            f"prune={prune!r} is for single trees of Ramify, and there is none among "
            f"the methods: {', '.join(left)}."
        )
    how = f"prune={prune!r}" + (f" with {given}" if given else "")
    note = f"All trees were pruned in the same way, by {how}."
    if left:
        note += f" Not so {', '.join(left)}: no single trees."
    return tuple(found), note


def _named(entry: Entry, among: list[Entry]) -> Entry:
    others = [other for other in among if other is not entry]
    for level, name in enumerate(entry.names):
        taken = {other.names[min(level, len(other.names) - 1)] for other in others}
        if name not in taken:
            return replace(entry, profile=replace(entry.profile, name=name))
    raise ValueError(
        f"method {entry.names[-1]!r} is given twice; once is enough, or give a dict "
        "with a name for each."
    )


def _entry(given: Any, task: str, name: str | None = None) -> Entry:
    if isinstance(given, str) and task == "regression":
        entry = _for_regression(given.strip())
    elif isinstance(given, str) and task == "survival":
        entry = _for_survival(given.strip())
    elif isinstance(given, str):
        entry = _by_name(given.strip())
    elif isinstance(given, catalogue.Method):
        entry = _by_name(given.name)
    elif isinstance(given, type):
        raise TypeError(
            f"{given.__name__} is a class; give an estimator, {given.__name__}()."
        )
    elif hasattr(given, "fit"):
        entry = _of_estimator(given, task)
    elif task == "regression":
        entry = _of_number_criterion(given)
    else:
        entry = _of_criterion(given)
    code = code_of(given.name if isinstance(given, catalogue.Method) else given)
    profile = replace(entry.profile, league=_league_of(entry.estimator))
    if code.text is not None:
        profile = replace(profile, code=code.text, imports=code.imports)
    entry = replace(entry, profile=profile)
    return entry if name is None else replace(entry, names=(name,))


def _by_name(name: str) -> Entry:
    """Find a published method of that name, else a criterion or an expression."""
    if name in catalogue.names():
        return _of_method(name, catalogue.get(name))
    is_expression = re.fullmatch(r"[\w\s-]*", name) is None
    known_otherwise = criteria.names("measures") + criteria.names("regression")
    try:
        criterion = resolve(name, None)
    except ValueError as error:
        if is_expression or name in known_otherwise:
            raise ValueError(f"method {name!r}: {error}") from None
        known = [*catalogue.names(), *criteria.names(), *criteria.names("expressions")]
        raise ValueError(
            f"method {name!r} is unknown{ask_or_stop(name, known)} It is none of the "
            f"{len(catalogue.names())} of ramify.methods.names(), and no criterion."
        ) from None
    if is_expression:
        return _of_criterion(criterion)
    # An alias goes by the criterion's own name.
    about: Any = criterion
    own_facts = (criteria.Criterion, criteria.RegisteredCriterion)
    if not isinstance(criterion, own_facts):
        about = criteria.registered(name)
    return _of_criterion(about.name, about)


def _of_method(name: str, method: catalogue.Method) -> Entry:
    tree = method.make()
    profile = MethodFacts(
        name, method.summary, _formula(tree), method.reference, settings_of(tree)
    )
    return Entry((name,), tree, profile)


def _for_regression(name: str) -> Entry:
    """Find a criterion for numbers, or one with _rf, _et or _boosted behind it."""
    known = criteria.names("regression")
    if name in catalogue.names("numbers"):
        method = catalogue.get(name, "numbers")
        return _of_method(name, method)
    for ending, make in _ENSEMBLES.items():
        criterion = name.removesuffix(ending)
        if name.endswith(ending) and criterion in known:
            model = make(criterion)
            what = type(model).__name__
            said = f"{what} by {criterion}."
            profile = MethodFacts(name, said, "", "", settings_of(model))
            return Entry((name,), model, profile)
    if name not in known:
        every = [*known, *(c + ending for c in known for ending in _ENSEMBLES)]
        raise ValueError(
            f"method {name!r} is unknown for numbers{ask_or_stop(name, every)} "
            f"Give one of {', '.join(known)}, perhaps with _rf, _et or _boosted behind "
            "it for a forest, extra trees or boosting, or any regressor."
        )
    return _of_number_criterion(name)


def _for_survival(name: str) -> Entry:
    model, said = survival_estimator(name)
    profile = MethodFacts(name, said, "", "", settings_of(model))
    return Entry((name,), model, profile)


def _of_number_criterion(criterion: Any) -> Entry:
    """Return a regression tree grown by a criterion, by name or as a function."""
    tree = DecisionTreeRegressor(criterion=criterion)
    resolved: Any = criteria.resolve_numeric(criterion, None)
    judge = getattr(resolved, "judge", None)
    name = getattr(resolved, "name", "") or getattr(judge, "__name__", repr(resolved))
    summary, formula, reference = (
        str(getattr(resolved, key, "")) for key in ("summary", "formula", "reference")
    )
    profile = MethodFacts(name, summary, formula, reference, settings_of(tree))
    return Entry((name,), tree, profile)


def _of_criterion(criterion: Any, about: Any = None) -> Entry:
    """Return a tree grown by a criterion; `about` has its summary and reference."""
    resolved = resolve(criterion, None)
    about = about or resolved
    if isinstance(resolved, criteria.CompiledCriterion):
        criterion = resolved
    tree = DecisionTreeClassifier(criterion=criterion)
    judge = getattr(resolved, "judge", None)  # a user's function
    if judge is not None and not isinstance(resolved, criteria.RegisteredCriterion):
        name = getattr(judge, "__name__", type(judge).__name__)
        said = (getattr(judge, "__doc__", None) or "").strip().splitlines()
        profile = MethodFacts(name, said[0] if said else "", "", "", settings_of(tree))
        return Entry((name,), tree, profile)
    name = criterion if isinstance(criterion, str) else _in_one_line(repr(resolved))
    profile = MethodFacts(
        name,
        getattr(about, "summary", ""),
        _formula(tree),
        getattr(about, "reference", ""),
        settings_of(tree),
    )
    return Entry((name,), tree, profile)


_WANTED = {
    "classification": "classifier",
    "regression": "regressor",
    "survival": "survival tree or forest",
}


def _of_estimator(estimator: Any, task: str) -> Entry:
    kind = type(estimator)
    wanted = _WANTED[task]
    if not hasattr(estimator, "predict"):
        raise TypeError(f"{kind.__name__} cannot predict; give a {wanted}.")
    if hasattr(estimator, "get_params"):
        if task == "classification" and is_regressor(estimator):
            raise TypeError(f"{kind.__name__} predicts numbers; give a classifier.")
        if task == "regression" and is_classifier(estimator):
            raise TypeError(f"{kind.__name__} predicts classes; give a regressor.")
        if task == "survival" and (is_classifier(estimator) or is_regressor(estimator)):
            raise TypeError(f"{kind.__name__} knows no censored rows; give a {wanted}.")
    settings = settings_of(estimator)
    package = kind.__module__.partition(".")[0]
    profile = MethodFacts(kind.__name__, "", _formula(estimator), "", settings)
    names = (kind.__name__, settings, f"{package}.{settings}")
    return Entry(names, estimator, profile)


def _league_of(estimator: Any) -> str:
    """Describe what an estimator plays against on even terms."""
    last = _learner_of(estimator)
    is_one_vs_rest = isinstance(last, OneVsRestTreeClassifier)  # a tree per class
    tree = last.estimator if is_one_vs_rest else last
    if isinstance(tree, ObliqueTreeClassifier):
        return "single oblique trees"
    if "boost" in type(last).__name__.lower() or _is_boosted(last):
        return "boosted trees"
    if hasattr(last, "n_estimators"):
        return "forests"
    kinds = (DecisionTreeClassifier, DecisionTreeRegressor)
    if isinstance(tree, kinds) or _is_tree(tree):
        return "single trees along columns"
    return "others"


def _learner_of(estimator: Any) -> Any:
    """Return what a pipeline ends in, or whose settings a search looks for."""
    if hasattr(estimator, "steps"):
        return _learner_of(estimator.steps[-1][1])
    if not hasattr(estimator, "refit") or not hasattr(estimator, "estimator"):
        return estimator
    inner = estimator.estimator
    if isinstance(inner, str) and inner in catalogue.names():
        inner = catalogue.get(inner).make()
    return estimator if inner is None else _learner_of(inner)


def _is_boosted(estimator: Any) -> bool:
    """Return whether many estimators take small steps, one after the other."""
    return hasattr(estimator, "n_estimators") and hasattr(estimator, "learning_rate")


def _is_tree(estimator: Any) -> bool:
    """Return whether a class of another library is a single tree."""
    has_size = hasattr(type(estimator), "get_n_leaves")
    return has_size and hasattr(type(estimator), "get_depth")


def settings_of(estimator: Any) -> str:
    """Write an estimator as Python text, in one line."""
    if hasattr(estimator, "get_params"):
        try:  # scikit-learn shortens long texts
            return _in_one_line(estimator.__repr__(N_CHAR_MAX=10**6))
        except TypeError:
            pass
    return _in_one_line(repr(estimator))


def _formula(estimator: Any) -> str:
    """Write what judges the splits, where that is a criterion of Ramify."""
    tree = tree_of(estimator)
    judges = getattr(tree, "splitter", "") in ("best", "random")
    judges = judges and not is_regressor(tree)
    if not judges or getattr(tree, "method", None) is not None or not is_ours(tree):
        return ""
    params = getattr(tree, "criterion_params", None)
    resolved = resolve(tree.criterion, params)
    return str(getattr(resolved, "formula", "")) or repr(resolved)


def is_ours(estimator: Any) -> bool:
    """Return whether an estimator is one of Ramify's, or derived from one."""
    bases = type(estimator).__mro__
    return any(base.__module__.partition(".")[0] == "ramify" for base in bases)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
