# SPDX-License-Identifier: BSD-3-Clause
"""The algebra of criteria: sums, products, normalised scores and tie-breaks.

A *score* is a number per cut: a criterion, a measure, or a sum or product of such. An
*expression* is what can choose a cut: a score, a score with tie-breaks, or a choice
among the best cuts. All are immutable values, and what ``repr`` shows can be read back.

>>> from ramify.criteria import bnm, gini
>>> gini + 0.01 * bnm
gini + 0.01 * bnm
"""

from __future__ import annotations

import math
import numbers
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Expression", "Program", "Score", "TableScore", "Then", "walk"]

Scores = NDArray[np.float64]
Node = tuple[Any, ...]

# So that no walk over an expression runs out of stack or time, e = e + e included.
_MAX_PARTS = 1000
_MAX_LEVELS = 100

# How tightly a text binds: a + b, a * b, -a, a.
_SUM, _PRODUCT, _SIGN, _ATOM = range(4)


class Program(NamedTuple):
    """An expression as the engine reads it."""

    score: Node
    top: int  # 0: the best score wins; k: of the k best one is chosen; -1: of all
    then: list[tuple[bool, Node]]  # is the largest chosen, and of what
    tie: Node | None
    gain_test: bool  # whether a split needs a score above 0


class Expression(ABC):
    """What can choose a cut; usable as ``criterion=``."""

    # NumPy's scalars shall leave `np.float64(2) * gini` to us.
    __array_ufunc__ = None

    @abstractmethod
    def program(self) -> Program:
        """Return the expression as the engine reads it."""

    def parts(self) -> tuple[Expression, ...]:
        """Return what it is made of."""
        return ()

    @property
    def tests_gain(self) -> bool:
        """Whether a split needs a score above 0."""
        return all(part.tests_gain for part in self.parts())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # a value that cannot change; so a cloned estimator keeps it


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts, in the order they are read."""
    yield expression
    for part in expression.parts():
        yield from walk(part)


class Composite(Expression):
    """An expression that is made of others."""

    def __post_init__(self) -> None:
        for i, _ in enumerate(walk(self)):
            if i >= _MAX_PARTS:
                raise ValueError(f"an expression has at most {_MAX_PARTS} parts")
        if _levels(self) > _MAX_LEVELS:
            raise ValueError(f"an expression has at most {_MAX_LEVELS} levels")

    @property
    def name(self) -> str:
        """Its text."""
        return repr(self)


def _levels(expression: Expression) -> int:
    return 1 + max(map(_levels, expression.parts()), default=0)


class NoNumber:
    """Refuses to be calculated with, and says why."""

    __array_ufunc__ = None

    def refuse(self, other: object = None) -> NoReturn:
        """Return what to write instead."""
        raise TypeError(
            f"{self!r} chooses a cut and is no number to calculate with; put the sum "
            "or product inside"
        )

    def _refuse(self, other: object = None) -> NoReturn:
        self.refuse()

    __add__ = __radd__ = __sub__ = __rsub__ = _refuse
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _refuse


# --- scores ---------------------------------------------------------------------------


class Score(Expression):
    """A number per cut. Numbers and scores may be added to it and multiplied by it."""

    @abstractmethod
    def node(self) -> Node:
        """Return the score as a node of the engine's program."""

    @abstractmethod
    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights, if these say enough."""

    @property
    def level(self) -> int:
        """How tightly the text binds."""
        return _ATOM

    def term(self) -> Score:
        """Return the score as a part of an expression, or refuse to be one."""
        return self

    def program(self) -> Program:
        """Return the expression as the engine reads it."""
        return Program(self.node(), 0, [], None, self.tests_gain)

    def normalised(self, how: str = "max") -> Score:
        """Return the score in proportion to those of the cuts it is compared with.

        Parameters
        ----------
        how : {"max", "range", "ratio"}
            x / max; (x - min) / (max - min), which is 1 for all if they are equal; or
            min / x, which is 1 for the smallest.
        """
        return Normalised(self.term(), how)

    def then(self, tie_break: Score) -> Then:
        """Let a second score decide between cuts that are equal in this one.

        >>> from ramify.criteria import gini, hellinger, misclassification
        >>> misclassification.then(gini).then(hellinger)
        misclassification.then(gini).then(hellinger)
        """
        return Then(self.term(), (as_score(tie_break, ".then()"),))

    def __add__(self, other: Score | float) -> TableScore:
        return Sum(self.term(), _operand(other))

    def __radd__(self, other: Score | float) -> TableScore:
        return Sum(_operand(other), self.term())

    def __sub__(self, other: Score | float) -> TableScore:
        return Sum(self.term(), _negative(_operand(other)))

    def __rsub__(self, other: Score | float) -> TableScore:
        return Sum(_operand(other), _negative(self.term()))

    def __mul__(self, other: Score | float) -> TableScore:
        return Product(self.term(), _operand(other))

    def __rmul__(self, other: Score | float) -> TableScore:
        return Product(_operand(other), self.term())

    def __neg__(self) -> Score:
        return _negative(self.term())

    def __truediv__(self, other: float) -> TableScore:
        if not isinstance(_operand(other), Number):
            raise TypeError(f"a criterion can be divided by a number, not by {other!r}")
        if other == 0:
            raise ValueError(f"{self!r} cannot be divided by {other!r}")
        return Product(_operand(1 / float(other)), self.term())

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"{other!r} cannot be divided by a criterion; .normalised('ratio') is "
            "larger where the criterion is smaller"
        )


class TableScore(Score):
    """A score that can be called on tables of class weights."""

    def __call__(self, parent: ArrayLike, left: ArrayLike, right: ArrayLike) -> Scores:
        """Score m cuts: parent (K,), left and right (m, K)."""
        return self.scores(*as_tables(parent, left, right))


def as_tables(
    parent: ArrayLike, left: ArrayLike, right: ArrayLike
) -> tuple[Scores, Scores, Scores]:
    """Check the class weights of a node and of both sides of its cuts."""
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


def as_score(value: Any, place: str) -> Score:
    """Return a score as a part of an expression; refuse what is none."""
    if isinstance(value, Score):
        return value.term()
    if isinstance(value, NoNumber):
        value.refuse()
    raise TypeError(
        f"{place} takes a criterion or measure, not {value!r}{_hint(value)}"
    )


def is_number(value: Any) -> bool:
    """Return whether this is a real number, and no truth value."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _operand(value: Any) -> Score:
    """Return what stands beside + or * as a score."""
    if isinstance(value, (Score, NoNumber)):
        return as_score(value, "arithmetic")
    if not is_number(value):
        raise TypeError(f"{value!r} is neither a number nor a criterion{_hint(value)}")
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"a number in an expression must be finite, not {value!r}")
    return Number(number)


def _hint(value: Any) -> str:
    if isinstance(value, str):
        return f"; write ramify.criteria.parse({value!r})"
    return "; write ramify.criteria.function(...)" if callable(value) else ""


def _negative(score: Score) -> Score:
    if isinstance(score, Number):
        return Number(-score.value)
    return Product(Number(-1), score)


def _within(score: Score, least: int) -> str:
    """Return the text of a part, in parentheses if it would be torn apart."""
    return repr(score) if score.level >= least else f"({score!r})"


@dataclass(frozen=True, repr=False)
class Number(Score):
    """The same number for every cut."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value) + 0.0)  # no -0.0

    @property
    def level(self) -> int:
        """How tightly the text binds."""
        return _SIGN if self.value < 0 else _ATOM

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return ("number", self.value)

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        return np.full(len(left), self.value)

    def __repr__(self) -> str:
        is_whole = self.value.is_integer() and abs(self.value) < 1e15
        return str(int(self.value)) if is_whole else repr(self.value)


@dataclass(frozen=True, repr=False)
class Pair(Composite, TableScore):
    """Two scores, combined cut by cut."""

    first: Score
    second: Score

    word: ClassVar[str]
    combine: ClassVar[Callable[[Any, Any], Any]]

    def parts(self) -> tuple[Expression, ...]:
        """Return what it is made of."""
        return self.first, self.second

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return (self.word, self.first.node(), self.second.node())

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        both = (part.scores(parent, left, right) for part in (self.first, self.second))
        return np.asarray(type(self).combine(*both))


class Sum(Pair):
    """Two scores added."""

    word = "add"
    combine = operator.add

    @property
    def level(self) -> int:
        """How tightly the text binds."""
        return _SUM

    def __repr__(self) -> str:
        taken = _subtracted(self.second)
        sign, other = ("+", self.second) if taken is None else ("-", taken)
        return f"{_within(self.first, _SUM)} {sign} {_within(other, _PRODUCT)}"


def _subtracted(score: Score) -> Score | None:
    """Return b of a + (-b), which is read as a - b."""
    if isinstance(score, Number) and score.value < 0:
        return Number(-score.value)
    if isinstance(score, Product) and score.first == Number(-1):
        return score.second
    return None


class Product(Pair):
    """Two scores multiplied."""

    word = "multiply"
    combine = operator.mul

    @property
    def level(self) -> int:
        """How tightly the text binds."""
        return _SIGN if self.first == Number(-1) else _PRODUCT

    def __repr__(self) -> str:
        if self.first == Number(-1):
            return f"-{_within(self.second, _SIGN)}"
        return f"{_within(self.first, _PRODUCT)} * {_within(self.second, _SIGN)}"


@dataclass(frozen=True, repr=False)
class Normalised(Composite, TableScore):
    """A score in proportion to those of the cuts it is compared with."""

    score: Score
    how: str

    def __post_init__(self) -> None:
        if self.how not in ("max", "range", "ratio"):
            raise ValueError(
                f"normalised({self.how!r}) is unknown; use 'max' for x / max, 'range' "
                "for (x - min) / (max - min), or 'ratio' for min / x"
            )
        super().__post_init__()

    def parts(self) -> tuple[Expression, ...]:
        """Return what it is made of."""
        return (self.score,)

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        return ("normalised", self.how, self.score.node())

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights."""
        x = self.score.scores(parent, left, right)
        low, high = x.min(), x.max()
        result = np.ones_like(x)
        if self.how == "max":
            result = x / high if high != 0 else np.zeros_like(x)
        elif self.how == "range" and high - low > 1e-12 * max(1, abs(high)):
            result = (x - low) / (high - low)
        elif self.how == "ratio":
            np.divide(low, x, out=result, where=x != 0)
        return result

    def __repr__(self) -> str:
        how = "" if self.how == "max" else repr(self.how)
        return f"{_within(self.score, _ATOM)}.normalised({how})"


# --- tie-breaks -----------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Then(NoNumber, Composite):
    """A score whose ties are settled by others, in their order; larger is better."""

    score: Score
    ties: tuple[Score, ...]

    def then(self, tie_break: Score) -> Then:
        """Let one more score decide where the former are all equal."""
        return Then(self.score, (*self.ties, as_score(tie_break, ".then()")))

    def parts(self) -> tuple[Expression, ...]:
        """Return what it is made of."""
        return self.score, *self.ties

    def program(self) -> Program:
        """Return the expression as the engine reads it."""
        score, first = self.score.node(), self.ties[0].node()
        if len(self.ties) == 1:
            return Program(score, 0, [], first, self.tests_gain)
        # The engine takes one tie-break; more are steps of a choice among all.
        steps = [(True, part.node()) for part in (self.score, *self.ties)]
        return Program(score, -1, steps, first, self.tests_gain)

    def __repr__(self) -> str:
        ties = "".join(f".then({tie!r})" for tie in self.ties)
        return f"{_within(self.score, _ATOM)}{ties}"
