# SPDX-License-Identifier: BSD-3-Clause
"""Splitting criteria: by name, as a NumPy function, or as a compiled function.

A criterion judges cuts. It sees the class weights of a node, ``parent`` (K,), and of
both sides of m cuts, ``left`` and ``right`` (m, K), and answers with m scores; the
highest wins.

>>> import ramify
>>> gini = ramify.criteria.get("gini")
>>> gini([6, 4], left=[[5, 1]], right=[[1, 3]]).round(4)
array([0.1633])
"""

from __future__ import annotations

import ctypes
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ramify import _core

__all__ = [
    "CompiledCriterion",
    "Criterion",
    "FunctionCriterion",
    "check",
    "compiled",
    "function",
    "get",
    "names",
]

Scores = NDArray[np.float64]
_CFunction: Any = ctypes.CFUNCTYPE(None).__mro__[1]  # of all ctypes functions
JudgeFunction = Callable[
    [NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], ArrayLike
]

# C4.5 is gain ratio under Quinlan's rules; each is off unless asked for.
_C45_RULES: dict[str, Any] = {
    "threshold_cost": False,
    "average_gain": False,
    "min_branch": False,
}


@dataclass(frozen=True)
class Criterion:
    """A built-in criterion; call it on tables of class weights to get its scores."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    formula: str
    reference: str
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    def __call__(self, parent: ArrayLike, left: ArrayLike, right: ArrayLike) -> Scores:
        """Score m cuts: parent (K,), left and right (m, K)."""
        parent, left, right = _as_tables(parent, left, right)
        present = parent > 0
        if present.sum() < 2:
            return np.zeros(len(left))
        sums = np.ascontiguousarray(left[:, present].T).ravel()
        return _core.score_cuts(self.name, parent[present], sums)

    def __repr__(self) -> str:
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"ramify.criteria.get({self.name!r}{params})"


def _as_tables(
    parent: ArrayLike, left: ArrayLike, right: ArrayLike
) -> tuple[Scores, Scores, Scores]:
    whole = np.asarray(parent, dtype=np.float64)
    sides = [
        np.atleast_2d(np.asarray(side, dtype=np.float64)) for side in (left, right)
    ]
    for name, side in zip(("left", "right"), sides, strict=True):
        if whole.ndim != 1 or side.ndim != 2 or side.shape[1:] != whole.shape:
            raise ValueError(
                f"parent has shape {whole.shape} and {name} {side.shape}; they must "
                "be (K,) and (m, K)"
            )
        if not (np.isfinite(side).all() and (side >= 0).all()):
            raise ValueError(f"{name} must hold finite weights that are not negative")
    if not np.allclose(sides[0] + sides[1], whole, rtol=1e-9, atol=0):
        raise ValueError("left + right must be parent in every row")
    if not ((sides[0].sum(1) > 0) & (sides[1].sum(1) > 0)).all():
        raise ValueError("both sides of a cut must hold some weight")
    return whole, sides[0], sides[1]


_REGISTRY: dict[str, Criterion] = {
    info["name"]: Criterion(
        name=info["name"],
        aliases=tuple(info["aliases"].split()),
        summary=info["summary"],
        formula=info["formula"],
        reference=info["reference"],
    )
    for info in _core.criteria()
}
_ALIASES = {
    alias: criterion.name
    for criterion in _REGISTRY.values()
    for alias in criterion.aliases
}


def names() -> list[str]:
    """Names of all built-in criteria.

    >>> import ramify
    >>> "hellinger" in ramify.criteria.names()
    True
    """
    return sorted(_REGISTRY)


def get(name: str, **params: Any) -> Criterion:
    """Give a built-in criterion by its name or alias.

    Parameters
    ----------
    name : str
        One of `names()`, or an alias such as "hddt" for "hellinger".
    **params
        Parameters of the criterion. Gain ratio takes the rules of C4.5, release 8:
        ``threshold_cost``, ``average_gain`` and ``min_branch`` (True, or the least
        weight of a branch in place of 2).

    >>> import ramify
    >>> ramify.criteria.get("hddt").name
    'hellinger'
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a criterion is a str, not {name!r}")
    key = _ALIASES.get(name, name)
    if key not in _REGISTRY:
        close = difflib.get_close_matches(name, [*_REGISTRY, *_ALIASES], n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"criterion={name!r} is unknown; {hint}ramify.criteria.names() lists all "
            f"{len(_REGISTRY)}"
        )
    return _with_params(_REGISTRY[key], params)


def _with_params(criterion: Criterion, params: Mapping[str, Any]) -> Criterion:
    if not params:
        return criterion
    allowed = _C45_RULES if criterion.name == "gain_ratio" else {}
    for key, value in params.items():
        if key not in allowed:
            listing = ", ".join(allowed) or "none"
            raise ValueError(
                f"criterion_params has {key!r}, which criterion={criterion.name!r} "
                f"does not take; it takes: {listing}"
            )
        if key == "min_branch":
            number = isinstance(value, (int, float, np.number))
            good, right = number and 0 <= value < np.inf, "True, False or a weight"
        else:
            good, right = isinstance(value, (bool, np.bool_)), "True or False"
        if not good:
            raise ValueError(f"criterion_params[{key!r}]={value!r} must be {right}")
    return Criterion(**{**criterion.__dict__, "params": {**criterion.params, **params}})


@dataclass(frozen=True)
class FunctionCriterion:
    """A NumPy function as a criterion; see `function`."""

    judge: JudgeFunction
    tie_break: JudgeFunction | None = None
    allow_zero_gain: bool = False

    def __call__(self, parent: ArrayLike, left: ArrayLike, right: ArrayLike) -> Scores:
        """Score m cuts: parent (K,), left and right (m, K)."""
        return _checked_scores(self.judge)(*_as_tables(parent, left, right))


def function(
    judge: JudgeFunction,
    *,
    tie_break: JudgeFunction | None = None,
    allow_zero_gain: bool = False,
) -> FunctionCriterion:
    """Make a criterion of a NumPy function.

    Parameters
    ----------
    judge : callable
        ``judge(parent, left, right) -> scores`` with parent (K,), left and right
        (m, K) and scores (m,): the score of each of m cuts, to be maximised; -inf
        refuses a cut. It is called with the cuts of many columns at once, and gets
        arrays of its own. With ``fit(..., criterion_data=Z)`` the columns after the
        K classes are the weighted sums of Z on each side.
    tie_break : callable, optional
        A second function that decides between cuts of equal score.
    allow_zero_gain : bool
        Whether a cut of score 0 may be made if its tie-break is above 0.
    """
    for part in (judge, tie_break):
        if part is not None and not callable(part):
            raise TypeError(f"a criterion must be callable, not {part!r}")
    return FunctionCriterion(judge, tie_break, allow_zero_gain)


@dataclass(frozen=True)
class CompiledCriterion:
    """A compiled function as a criterion; see `compiled`."""

    address: int
    user_data: int = 0
    owner: Any = field(default=None, compare=False, repr=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledCriterion:
        return self  # machine code is shared

    def __reduce__(self) -> Any:
        raise TypeError(
            "a compiled criterion is an address in this process and cannot be pickled"
        )


def compiled(pointer: Any, *, user_data: Any = None) -> CompiledCriterion:
    """Make a criterion of a compiled function.

    Parameters
    ----------
    pointer : numba cfunc, ctypes function, cffi function pointer or int
        A function with the C signature ``void (int64_t n_cuts, int64_t n_stats,
        const double *parent, const double *left, const double *right, double *scores,
        void *user_data)``, where ``left[k * n_cuts + i]`` is the weight of class k on
        the left of cut i. It runs without the interpreter lock, on several threads.
    user_data : ctypes pointer or int, optional
        Handed to every call. Keep what it points to alive.
    """
    address = _address_of(pointer)
    data = 0 if user_data is None else _address_of(user_data)
    return CompiledCriterion(address, data, owner=(pointer, user_data))


def _address_of(pointer: Any) -> int:
    address: Any = None
    if isinstance(pointer, (int, np.integer)) and not isinstance(pointer, bool):
        address = int(pointer)
    elif isinstance(getattr(pointer, "address", None), int):  # numba cfunc
        address = pointer.address
    elif isinstance(pointer, (_CFunction, ctypes._Pointer, ctypes.c_void_p)):
        address = ctypes.cast(pointer, ctypes.c_void_p).value
    elif type(pointer).__module__ == "_cffi_backend":
        address = _cffi_address(pointer)
    if not address:
        raise TypeError(
            f"{pointer!r} is not a function pointer; give a numba cfunc, a ctypes or "
            "cffi function, or its address"
        )
    return int(address)


def _cffi_address(pointer: Any) -> int:
    import _cffi_backend

    word = _cffi_backend.new_primitive_type("uintptr_t")
    return int(_cffi_backend.cast(word, pointer))


def is_compiled(criterion: Any) -> bool:
    """Tell whether this is a function pointer of numba, ctypes or cffi."""
    return (
        isinstance(criterion, _CFunction)
        or isinstance(getattr(criterion, "address", None), int)
        or type(criterion).__module__ == "_cffi_backend"
    )


AnyCriterion = Criterion | FunctionCriterion | CompiledCriterion


def resolve(criterion: Any, params: Mapping[str, Any] | None) -> AnyCriterion:
    """Give the criterion that a user's `criterion=` and `criterion_params=` mean."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"criterion_params={params!r} must be a dict or None")
    if isinstance(criterion, str):
        return get(criterion, **(params or {}))
    if isinstance(criterion, Criterion):
        return _with_params(criterion, params or {})
    if params:
        raise ValueError(
            f"criterion_params={dict(params)!r} was given, but only built-in criteria "
            "take parameters"
        )
    if isinstance(criterion, (FunctionCriterion, CompiledCriterion)):
        return criterion
    if is_compiled(criterion):
        return compiled(criterion)
    if callable(criterion) and not isinstance(criterion, type):
        return function(criterion)
    raise TypeError(
        f"criterion={criterion!r} is not a criterion; give a name of "
        "ramify.criteria.names(), a function f(parent, left, right) or a compiled "
        "function pointer"
    )


def set_plan(plan: _core.Plan, criterion: AnyCriterion) -> None:
    """Put a criterion into a plan of the engine."""
    if isinstance(criterion, CompiledCriterion):
        plan.use_compiled(criterion.address, criterion.user_data)
    elif isinstance(criterion, FunctionCriterion):
        tie_break = criterion.tie_break
        plan.use_function(
            _checked_scores(criterion.judge),
            None if tie_break is None else _checked_scores(tie_break),
            criterion.allow_zero_gain,
        )
    else:
        rules = {**_C45_RULES, **criterion.params}
        # Under any of Quinlan's rules a column's cut is chosen by information gain.
        plan.use_builtin("entropy" if any(rules.values()) else criterion.name)
        least = rules["min_branch"]
        plan.use_c45_rules(
            bool(rules["threshold_cost"]),
            bool(rules["average_gain"]),
            2.0 if least is True else float(least),
        )
    kinds = _core.Impurity
    own = {
        "entropy": kinds.entropy,
        "gain_ratio": kinds.entropy,
        "misclassification": kinds.misclassification,
    }
    plan.impurity = own.get(getattr(criterion, "name", ""), kinds.gini)


def _checked_scores(judge: JudgeFunction) -> Callable[..., Scores]:
    """Call the user's function and refuse what is not one real score per cut."""

    def scores(parent: Scores, left: Scores, right: Scores) -> Scores:
        answer = np.asarray(judge(parent, left, right))
        if answer.shape != left.shape[:1]:
            raise ValueError(
                f"criterion {_name_of(judge)} returned shape {answer.shape} for "
                f"{len(left)} cuts; it must return one score per cut, shape "
                f"({len(left)},)"
            )
        if answer.dtype.kind not in "fiub":
            raise ValueError(
                f"criterion {_name_of(judge)} returned {answer.dtype} numbers; scores "
                "must be real"
            )
        result = np.ascontiguousarray(answer, dtype=np.float64)
        if not result.max() < np.inf:  # one look finds +inf and NaN alike
            cut = int((~(result < np.inf)).argmax())
            raise ValueError(
                f"criterion {_name_of(judge)} returned {result[cut]} for "
                f"parent={parent}, left={left[cut]}, right={right[cut]}; scores must "
                "be finite (not NaN), or -inf to refuse a cut"
            )
        return result

    return scores


def _name_of(judge: Any) -> str:
    return getattr(judge, "__name__", repr(judge))


@dataclass(frozen=True)
class Report:
    """What `check` found; true if there is nothing to correct."""

    n_calls: int
    is_finite: bool
    is_symmetric: bool
    is_scale_free: bool
    is_zero_without_information: bool
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        lines = [
            f"called {self.n_calls} times",
            f"finite scores: {_yes(self.is_finite)}",
            f"left and right may be exchanged: {_yes(self.is_symmetric)}",
            f"multiplying all weights changes nothing: {_yes(self.is_scale_free)}",
            "zero where both sides have the same mixture: "
            + _yes(self.is_zero_without_information),
        ]
        return "\n".join([*lines, *(f"problem: {text}" for text in self.problems)])


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def check(
    criterion: Any, *, n_classes: int = 3, n_tables: int = 200, seed: int = 0
) -> Report:
    """Try a criterion on random tables of class weights and report what it does.

    Problems (wrong shape, NaN, never called) make the report false; the other facts
    are for its author to judge: a criterion that is not symmetric, for instance, grows
    other trees when a column is negated.

    >>> import ramify
    >>> def purity(parent, left, right):
    ...     return left.max(1) + right.max(1) - parent.max()
    >>> bool(ramify.criteria.check(purity))
    True
    """
    chosen = resolve(criterion, None)
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 20, (n_tables, n_classes)).astype(float)
    right = rng.integers(0, 20, (n_tables, n_classes)).astype(float)
    left[:, 0] += 1
    right[:, 1] += 1
    parent = left[0] + right[0]
    problems: list[str] = []
    calls = 0

    def call(whole: Scores, one: Scores, other: Scores) -> Scores:
        nonlocal calls
        calls += 1
        try:
            return _call(chosen, whole, one, other)
        except Exception as error:
            problems.append(str(error))
            return np.full(len(one), np.nan)

    each, swapped, scaled, batch = [], [], [], []
    for i in range(n_tables):
        whole = left[i] + right[i]
        one, other = left[i : i + 1], right[i : i + 1]
        each.append(call(whole, one, other)[0])
        if problems:
            break
        swapped.append(call(whole, other, one)[0])
        scaled.append(call(3 * whole, 3 * one, 3 * other)[0])
    if not problems:
        # Many cuts of one node at once must score as each cut alone.
        share = rng.random((n_tables, n_classes)) * 0.8 + 0.1
        batch = list(call(parent, share * parent, (1 - share) * parent))
        alone = [
            call(parent, row[None] * parent, (1 - row[None]) * parent)[0]
            for row in share
        ]
        if not problems and not np.allclose(batch, alone, rtol=1e-9, atol=1e-12):
            problems.append("scores of several cuts differ from those of each cut")
    scores = np.array(each)
    known = len(swapped) == len(scores) == len(scaled)
    flat = call(2 * parent, parent[None], parent[None]) if not problems else [np.nan]
    return Report(
        n_calls=calls,
        is_finite=bool(np.isfinite(scores).all()),
        is_symmetric=known and bool(np.allclose(scores, swapped, rtol=1e-9)),
        is_scale_free=known and bool(np.allclose(scores, scaled, rtol=1e-9)),
        is_zero_without_information=bool(abs(float(flat[0])) < 1e-9),
        problems=tuple(dict.fromkeys(problems)),
    )


def _call(chosen: AnyCriterion, parent: Scores, left: Scores, right: Scores) -> Scores:
    if not isinstance(chosen, CompiledCriterion):
        return chosen(parent, left, right)
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5
    )
    scores = np.full(len(left), np.nan)
    tables = [np.ascontiguousarray(table.T, dtype=float) for table in (left, right)]
    whole = np.ascontiguousarray(parent, dtype=float)
    pointers = [array.ctypes.data for array in (whole, *tables, scores)]
    signature(chosen.address)(len(left), len(whole), *pointers, chosen.user_data)
    if np.isnan(scores).any():
        raise ValueError("the compiled criterion returned NaN, or wrote no scores")
    return scores
