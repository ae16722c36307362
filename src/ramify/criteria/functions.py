# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that are functions of the user: NumPy code, or compiled code."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ramify.criteria.score import Node, Score, Scores, TableScore

__all__ = ["CompiledCriterion", "FunctionCriterion", "compiled", "function"]

_CFunction: Any = ctypes.CFUNCTYPE(None).__mro__[1]  # of all ctypes functions
_Signature = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5
)
JudgeFunction = Callable[
    [NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], ArrayLike
]

_MAX_NESTING = 4


@dataclass(frozen=True)
class _Nesting:
    """How many functions of the user run, each in a fit that the one before makes.

    Python counts its own calls only, anew on each thread: the stack ends before. One
    fit that is too deep ends all that began with the same: there may be thousands.
    """

    depth: int = 0
    is_too_deep: threading.Event = field(default_factory=threading.Event)

    def check(self, judge: JudgeFunction) -> None:
        if self.depth > _MAX_NESTING:
            self.is_too_deep.set()
        if self.is_too_deep.is_set():
            raise RecursionError(
                f"criterion {name_of(judge)} fits a model whose criterion fits a "
                f"model, and so on, {_MAX_NESTING} deep; fit it with a criterion that "
                "fits nothing"
            )


_nesting: ContextVar[_Nesting | None] = ContextVar("nesting", default=None)


# --- NumPy functions ------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class FunctionCriterion(TableScore):
    """A NumPy function as a criterion; see `function`."""

    judge: JudgeFunction
    tie_break: JudgeFunction | None = None
    allow_zero_gain: bool = False
    quasi_convex: bool = False
    by_cut: bool = False

    def term(self) -> Score:
        """Return the function as a part of an expression, if it is one score only."""
        if self.tie_break is not None or self.allow_zero_gain:
            raise TypeError(
                f"{self!r} settles its own ties, which a part of an expression cannot; "
                "give the function alone, and .then(...) to the expression"
            )
        return self

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return ("function", checked_scores(self.judge, self.by_cut))

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        return checked_scores(self.judge, self.by_cut)(parent, left, right)

    def __repr__(self) -> str:
        more = ""
        if self.tie_break is not None:
            more += f", tie_break={name_of(self.tie_break)}"
        if self.allow_zero_gain:
            more += ", allow_zero_gain=True"
        if self.quasi_convex:
            more += ", quasi_convex=True"
        if self.by_cut:
            more += ", by_cut=True"
        return f"function({name_of(self.judge)}{more})"


def function(
    judge: JudgeFunction,
    *,
    tie_break: JudgeFunction | None = None,
    allow_zero_gain: bool = False,
    quasi_convex: bool = False,
    by_cut: bool = False,
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
    quasi_convex : bool
        Whether a cut whose class weights lie between those of two others never scores
        more than the better of them, as with Gini, entropy and every other decrease of
        a concave impurity. With two classes most cuts need no score then;
        the tree is the same. If it does not hold, better cuts may be missed.
    by_cut : bool
        Whether `parent` is to be (m, K), too: a row for each cut, with the class
        weights of its node. Then a tree of partitions (`fit_stream`, `ramify.dask`)
        scores the cuts of all nodes of a level in one call. `tie_break` has it so
        as well.

    Examples
    --------
    >>> import ramify
    >>> def first_class(parent, left, right):
    ...     return abs(left[:, 0] - right[:, 0]) / parent[0]
    >>> ramify.criteria.gini + 0.1 * ramify.criteria.function(first_class)
    gini + 0.1 * function(first_class)
    """
    for part in (judge, tie_break):
        if part is not None and not callable(part):
            raise TypeError(f"a criterion must be callable, not {part!r}")
    return FunctionCriterion(
        judge, tie_break, allow_zero_gain, bool(quasi_convex), bool(by_cut)
    )


def checked_scores(judge: JudgeFunction, by_cut: bool = False) -> Callable[..., Scores]:
    """Call the user's function and refuse what is not one real score per cut."""
    # Of the fit, which may call the function on threads that know no context.
    outer = _nesting.get() or _Nesting()
    own = _Nesting(outer.depth + 1, outer.is_too_deep)

    def scores(parent: Scores, left: Scores, right: Scores) -> Scores:
        own.check(judge)
        if by_cut and parent.ndim == 1:  # as cuts of many nodes have it, and lie
            parent = np.asfortranarray(np.broadcast_to(parent, left.shape))
        before = _nesting.set(own)
        try:
            answer = np.asarray(judge(parent, left, right))
        except Exception as error:
            error.add_note(
                f"in criterion {name_of(judge)}, at a node with the class weights "
                f"{(parent if parent.ndim == 1 else parent[0]).tolist()}"
            )
            raise
        finally:
            _nesting.reset(before)
        if answer.shape != left.shape[:1]:
            raise ValueError(
                f"criterion {name_of(judge)} returned shape {answer.shape} for "
                f"{len(left)} cuts; it must return one score per cut, shape "
                f"({len(left)},)"
            )
        if answer.dtype.kind not in "fiub":
            raise ValueError(
                f"criterion {name_of(judge)} returned {answer.dtype} numbers; scores "
                "must be real"
            )
        result = np.ascontiguousarray(answer, dtype=np.float64)
        if not result.max() < np.inf:  # one look finds +inf and NaN alike
            cut = int((~(result < np.inf)).argmax())
            raise ValueError(
                f"criterion {name_of(judge)} returned {result[cut]} for "
                f"parent={parent if parent.ndim == 1 else parent[cut]}, "
                f"left={left[cut]}, right={right[cut]}; scores must be finite (not "
                "NaN), or -inf to refuse a cut"
            )
        return result

    return scores


def name_of(judge: Any) -> str:
    """Return the name of a function, or what an object says of itself."""
    return getattr(judge, "__name__", repr(judge))


# --- compiled functions ---------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class CompiledCriterion(Score):
    """A compiled function as a criterion; see `compiled`."""

    address: int
    user_data: int = 0
    quasi_convex: bool = False
    owner: Any = field(default=None, compare=False)

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return ("compiled", self.address, self.user_data)

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        scores = np.full(len(left), np.nan)
        sides = [np.ascontiguousarray(side.T, dtype=float) for side in (left, right)]
        whole = np.ascontiguousarray(parent, dtype=float)
        pointers = [array.ctypes.data for array in (whole, *sides, scores)]
        run = _Signature(self.address)
        run(len(left), len(whole), *pointers, self.user_data)
        if np.isnan(scores).any():
            raise ValueError("the compiled criterion returned NaN, or wrote no scores")
        return scores

    def __repr__(self) -> str:
        more = f", user_data={self.user_data:#x}" if self.user_data else ""
        more += ", quasi_convex=True" if self.quasi_convex else ""
        return f"compiled({self.address:#x}{more})"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a compiled criterion is an address in this process and cannot be pickled"
        )


def compiled(
    pointer: Any, *, user_data: Any = None, quasi_convex: bool = False
) -> CompiledCriterion:
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
    quasi_convex : bool
        Whether a cut whose class weights lie between those of two others never scores
        more than the better of them; see `function`.
    """
    address = _address_of(pointer)
    data = 0 if user_data is None else _address_of(user_data)
    return CompiledCriterion(
        address, data, bool(quasi_convex), owner=(pointer, user_data)
    )


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
    """Return whether this is a function pointer of numba, ctypes or cffi."""
    return (
        isinstance(criterion, _CFunction)
        or isinstance(getattr(criterion, "address", None), int)
        or type(criterion).__module__ == "_cffi_backend"
    )
