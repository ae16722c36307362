# SPDX-License-Identifier: BSD-3-Clause
"""Expressions from text, without running it: only what is listed here is understood.

Numbers, names, ``+ - * / **``, ``top(k, a)``, measures with parameters, and the methods
``smallest``, ``largest``, ``then`` and ``normalised``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ramify.criteria.builtin import Criterion
from ramify.criteria.choices import Choice, Top, top
from ramify.criteria.functions import function
from ramify.criteria.measures import Measure
from ramify.criteria.named import RegisteredCriterion
from ramify.criteria.score import Expression, NoNumber, Score, Then, is_number
from ramify.messages import did_you_mean

__all__ = ["compute", "read"]

_MAX_CHARACTERS = 10_000
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_METHODS: dict[str, tuple[type[Any], ...]] = {
    "smallest": (Top, Choice),
    "largest": (Top, Choice),
    "then": (Score, Then),
    "normalised": (Score,),
}


def compute(text: str, names: Mapping[str, Any]) -> Any:
    """Return the value of a text that is known to be well formed."""
    return _Reader(names).visit(ast.parse(text, mode="eval").body)


def read(
    text: str,
    names: Mapping[str, Any],
    makers: Mapping[str, Callable[..., Any]],
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Expression:
    """Return the expression that a user's text describes.

    Parameters
    ----------
    text : str
        What ``repr`` of an expression gives.
    names : mapping
        What each name means: a criterion, a measure, a number, a word or None.
    makers : mapping
        What else can be called, besides ``top`` and measures.
    functions : mapping, optional
        What the name in ``function(name)`` means.

    Raises
    ------
    ValueError
        If the text is not understood, or means no expression.
    """
    shown = repr(text if len(text) <= 80 else f"{text[:77]}...")
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"the expression {shown} has over {_MAX_CHARACTERS} letters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _Reader(names, makers, functions or {}).visit(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        reason = "it is nested too deeply"
        if isinstance(error, SyntaxError):
            reason = f"it is not well formed ({error.msg})"
        raise ValueError(f"the expression {shown} cannot be read: {reason}") from None
    except ArithmeticError:
        raise ValueError(
            f"the expression {shown} cannot be read: its numbers are too large, or "
            "divided by 0"
        ) from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"the expression {shown} cannot be read: {error}") from None
    if isinstance(value, Top):
        raise ValueError(
            f"the expression {shown} does not choose a cut yet; add .smallest(...) or "
            ".largest(...)"
        )
    if not isinstance(value, Expression):
        raise ValueError(f"the expression {shown} has no criterion in it")
    return value


class _Reader:
    """Computes the value of a syntax tree, node by node."""

    def __init__(
        self,
        names: Mapping[str, Any],
        makers: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
        functions: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    ) -> None:
        self.names = names
        self.makers = makers
        self.functions = functions

    def visit(self, node: ast.expr) -> Any:
        """Return the value of one node."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(map(self.visit, parts))
            case ast.Name(id=name):
                return self.look_up(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=part):
                value = _number_or_score(self.visit(part))
                return -value if isinstance(sign, ast.USub) else value
            case ast.BinOp(left=left, op=symbol, right=right):
                return self.calculate(symbol, self.visit(left), self.visit(right))
            case ast.Call(func=ast.Name(id=name)):
                return self.call(name, node)
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                return self.call_method(self.visit(owner), method, node)
        raise ValueError(f"{ast.unparse(node)!r} is no part of an expression")

    def look_up(self, name: str) -> Any:
        """Return what a name means."""
        if name in self.names:
            return self.names[name]
        known = [*self.names, *self.makers, "top"]
        hint = did_you_mean(name, known)
        raise ValueError(f"{name!r} is no criterion or measure{hint}")

    def calculate(self, symbol: ast.operator, left: Any, right: Any) -> Any:
        """Return the sum, product and so on of two values."""
        if type(symbol) not in _OPERATORS:
            raise ValueError("the operators of an expression are + - * / and **")
        values = [_number_or_score(left), _number_or_score(right)]
        are_numbers = all(map(is_number, values))
        if isinstance(symbol, ast.Pow) and not are_numbers:
            raise ValueError("** takes numbers only; multiply a criterion with itself")
        if are_numbers:  # whole numbers of any size would take any time
            values = list(map(float, values))
        value = _OPERATORS[type(symbol)](*values)
        if isinstance(value, complex):
            raise ValueError(f"{left!r} ** {right!r} is no real number")
        return value

    def call(self, name: str, node: ast.Call) -> Any:
        """Return the value of ``name(...)``."""
        if name == "function":
            return self.own_function(node)
        if name == "compiled":
            raise ValueError("a compiled function cannot be read from a text")
        arguments, words = self.arguments(node)
        if name == "top":
            if len(arguments) != 2 or words:
                raise ValueError("top takes k and a criterion, as in top(3, gini)")
            return top(*arguments)
        if name in self.makers:
            return self.makers[name](*arguments, **words)
        value = self.look_up(name)
        takes_parameters = (Measure, Criterion, RegisteredCriterion)
        if not isinstance(value, takes_parameters) or arguments:
            raise ValueError(
                f"{ast.unparse(node)!r} is no part of an expression; only criteria and "
                "measures take parameters, by name"
            )
        return value(**words)

    def own_function(self, node: ast.Call) -> Any:
        """Return the user's function that ``function(name)`` stands for."""
        match node:
            case ast.Call(args=[ast.Name(id=name)], keywords=[]):
                if name in self.functions:
                    return function(self.functions[name])
        raise ValueError(
            f"{ast.unparse(node)!r} stands for a function of your own; pass it to "
            "parse(text, functions={name: function})"
        )

    def call_method(self, owner: Any, method: str, node: ast.Call) -> Any:
        """Return the value of ``owner.method(...)``."""
        if method not in _METHODS:
            hint = did_you_mean(method, _METHODS)
            raise ValueError(f"there is no .{method}(...){hint}")
        if not isinstance(owner, _METHODS[method]):
            raise ValueError(f"{owner!r} has no .{method}(...)")
        arguments, words = self.arguments(node)
        return getattr(owner, method)(*arguments, **words)

    def arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        """Return the values in the parentheses of a call."""
        words: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ValueError("** takes two numbers")
            words[keyword.arg] = self.visit(keyword.value)
        return list(map(self.visit, node.args)), words


def _number_or_score(value: Any) -> Any:
    if isinstance(value, NoNumber):
        value.refuse()
    if is_number(value) or isinstance(value, Score):
        return value
    raise ValueError(f"{value!r} is neither a number nor a criterion")
