# SPDX-License-Identifier: BSD-3-Clause
"""Which criteria have which bound, and criteria that compete to be certain first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramify import _core
from ramify.criteria import catalogue
from ramify.criteria.builtin import Criterion
from ramify.criteria.planning import set_plan

__all__ = ["FirstCertain", "contests_of", "first_certain"]

# Criteria whose gain changes by a bounded amount when one row is replaced.
_BY_MCDIARMID = ("gini", "entropy", "misclassification")
# The range of the gain, as Hoeffding's bound needs it; that of entropy is log2 of the
# number of classes.
_RANGES = {"gini": 1.0, "entropy": 1.0, "misclassification": 1.0, "hellinger": 2**0.5}


class FirstCertain:
    """Some criteria, of which the first that is certain of its column decides.

    Made by `first_certain`.
    """

    def __init__(self, criteria: Sequence[Any], types: Sequence[int]) -> None:
        self.criteria = tuple(criteria)
        self.types = tuple(types)

    def __repr__(self) -> str:
        named = ", ".join(map(repr, self.criteria))
        return f"first_certain({named}, types={self.types})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FirstCertain)
            and self.criteria == other.criteria
            and self.types == other.types
        )

    def __hash__(self) -> int:
        return hash((self.criteria, self.types))


def first_certain(*criteria: Any, types: Sequence[int] | None = None) -> FirstCertain:
    """Let several criteria compete: the first that is certain of its column splits.

    For online trees with ``certain="column"``. Each criterion has an equal share of
    `delta`. With misclassification and gini these are the hybrid splitting criteria of
    Jaworski, Duda and Rutkowski (2018), as Ramify reads them: misclassification is
    often certain early, gini later where misclassification sees no gain.

    Parameters
    ----------
    *criteria : str or criterion
        At least one; in the order in which they are asked.
    types : sequence of {1, 2}, optional
        By criterion whether McDiarmid's bound is on the gain that n rows have on
        average (1, the default), or on the gain of all rows (2).

    Returns
    -------
    FirstCertain
        To be used as `criterion`.

    Examples
    --------
    >>> import ramify
    >>> from ramify.estimators.online import first_certain
    >>> hybrid = first_certain("misclassification", "gini")
    >>> tree = ramify.OnlineTreeClassifier(hybrid, certain="column")
    """
    if not criteria:
        raise ValueError("first_certain() needs at least one criterion")
    chosen = (1,) * len(criteria) if types is None else tuple(types)
    if len(chosen) != len(criteria) or not set(chosen) <= {1, 2}:
        raise ValueError(
            f"types={types!r} is not allowed; use 1 or 2 for each of the "
            f"{len(criteria)} criteria"
        )
    return FirstCertain(criteria, chosen)


def contests_of(model: Any) -> list[tuple[_core.Plan, dict[str, Any]]]:
    """Return the criteria of an online tree, each with the bounds that it has."""
    criterion = model.criterion
    if isinstance(criterion, FirstCertain):
        if model.certain != "column":
            raise ValueError(
                f"criterion={criterion!r} needs certain='column', not {model.certain!r}"
            )
        named, types = criterion.criteria, criterion.types
    else:
        named, types = (criterion,), (1,)
    params = getattr(model, "criterion_params", None)
    return [
        _contest(model, catalogue.resolve(each, params), kind)
        for each, kind in zip(named, types, strict=True)
    ]


def _contest(model: Any, chosen: Any, kind: int) -> tuple[_core.Plan, dict[str, Any]]:
    plan = _core.Plan()
    set_plan(plan, chosen)
    plan.missing = _core.Missing["both" if model.missing == "error" else model.missing]
    name = chosen.name if isinstance(chosen, Criterion) and not chosen.params else ""
    bound = model.bound
    if bound == "auto":
        bound = "mcdiarmid" if name in _BY_MCDIARMID else "normal"
    if bound == "mcdiarmid" and name not in _BY_MCDIARMID:
        raise ValueError(
            f"bound='mcdiarmid' is known for {', '.join(_BY_MCDIARMID)}, not for "
            f"criterion={chosen!r}; use bound='normal'"
        )
    if kind == 2 and bound != "mcdiarmid":
        raise ValueError(
            f"types=2 is for McDiarmid's bound, which criterion={chosen!r} does not "
            "have here"
        )
    if model.certain == "hoeffding" and name not in _RANGES:
        raise ValueError(
            f"certain='hoeffding' needs the range of the gain, which is known for "
            f"{', '.join(_RANGES)}, not for criterion={chosen!r}; use certain='split'"
        )
    return plan, {
        "normal": bound == "normal",
        "type": kind,
        "impurity": name if name in _BY_MCDIARMID else "gini",
        "range": _RANGES.get(name, 1.0),
        "is_in_bits": name == "entropy",
    }
