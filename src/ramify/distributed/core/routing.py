# SPDX-License-Identifier: BSD-3-Clause
"""Which way a model is fitted whose rows lie in parts: one rule, for streams and Dask.

*By passes* rows stay where they are, and sums over them travel. *In one place* is the
codes of all rows in memory (streams), or all rows on a worker (Dask). Both give the
model of one machine. What can be done neither way is refused, and the reason said. An
estimator says of itself:

- ``_one_place``: a `OnePlace`;
- ``_why_not_by_sums()``: why passes cannot grow it, as it is set; empty if they can;
- ``_regression_by_sums()``: its target then, a `RegressionTarget`; None if it learns
  classes;
- ``_fit_by_sums(engine, options, info, seen)``: how they do it. `seen` is what
  ``engine.look`` gave, if rows were looked at already, else None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ramify.distributed.core.info import words

__all__ = ["OnePlace", "Ways", "ways_of"]


class OnePlace(Enum):
    """When a model is fitted in one place."""

    NEVER = "by passes, or not at all"
    ELSE = "if passes cannot grow it"
    FIRST = "if the rows fit into memory; passes cost more"


@dataclass(frozen=True)
class Ways:
    """The ways that a model may be fitted.

    Attributes
    ----------
    owner : str
        The name of its class.
    why_not : str
        Why passes cannot grow it; empty if they can.
    may_be_whole : bool
        Whether it may be fitted in one place, which depends on the memory there.
    """

    owner: str
    why_not: str
    may_be_whole: bool

    def fits(self, needed: int, memory: int, held: str) -> bool:
        """Return whether the rows fit in one place; refuse if nothing else will do.

        Parameters
        ----------
        needed, memory : int
            Bytes that it takes, and that there are.
        held : str
            What takes them, and where.
        """
        if needed <= memory or not self.why_not:
            return needed <= memory
        raise ValueError(
            f"{self.owner} is fitted on {held}, which take {words(needed)}, and memory "
            f"is {words(memory)}: {self.why_not}; give more memory if there is some, "
            "use fewer rows or columns, or grow a single DecisionTreeClassifier or "
            "DecisionTreeRegressor, which goes by passes over rows"
        )


def ways_of(model: Any, one_place: OnePlace, requested: Mapping[str, Any]) -> Ways:
    """Say how a model may be fitted, before any data are read; refuse what cannot be.

    Parameters
    ----------
    model : estimator
        With its parameters.
    one_place : OnePlace
        When it is fitted in one place.
    requested : dict
        Parameters of the fit that mean something by passes only; None if not given.
    """
    owner, why_not = type(model).__name__, model._why_not_by_sums()
    if why_not and one_place is OnePlace.NEVER:
        raise ValueError(why_not)
    given = [name for name, value in requested.items() if value is not None]
    if why_not and given:
        raise ValueError(
            f"{given[0]}={requested[given[0]]!r} is for models that are grown level by "
            f"level, by passes over rows; {owner} is not: {why_not}; leave out "
            f"{' and '.join(given)}"
        )
    is_first = one_place is OnePlace.FIRST and not given
    return Ways(owner, why_not, bool(why_not) or is_first)
