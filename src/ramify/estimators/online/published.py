# SPDX-License-Identifier: BSD-3-Clause
"""Published methods that learn row by row: name → estimator and reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ramify.estimators.online.certainty import first_certain
from ramify.estimators.online.classifier import OnlineTreeClassifier
from ramify.estimators.online.forest import OnlineForestClassifier
from ramify.messages import did_you_mean

__all__ = ["PUBLISHED", "OnlineMethod", "online_method"]


@dataclass(frozen=True)
class OnlineMethod:
    """A published way to learn a stream, as parameters of an estimator.

    Attributes
    ----------
    name, summary, reference : str
        What it is called, what it does, and where it was published.
    estimator : type
        What runs it.
    parameters : mapping
        What is passed to the estimator; all else is the estimator's default.
    """

    name: str
    summary: str
    reference: str
    estimator: type[Any]
    parameters: Mapping[str, Any]

    def make(self, **overrides: Any) -> Any:
        """Return an estimator, with other parameters where you name them."""
        return self.estimator(**{**self.parameters, **overrides})


_HYBRID = {"certain": "column", "leaf": "majority"}
_BOTH = ("misclassification", "gini")

PUBLISHED: dict[str, OnlineMethod] = {
    method.name: method
    for method in (
        OnlineMethod(
            "vfdt",
            "A leaf is split when the gains of its two best columns differ by more "
            "than Hoeffding's bound, a heuristic, or when that bound is small.",
            "Domingos, Hulten (2000), Mining High-Speed Data Streams",
            OnlineTreeClassifier,
            {
                "criterion": "entropy",
                "certain": "hoeffding",
                "delta": 1e-7,
                "grace_period": 200,
                "leaf": "majority",
            },
        ),
        OnlineMethod(
            "efdt",
            "Inner nodes look again whether another column splits them better; here by "
            "bounds that hold, an interpretation.",
            "Manapragada, Webb, Salehi (2018), Extremely Fast Decision Tree",
            OnlineTreeClassifier,
            {"criterion": "entropy", "drift": "reevaluate"},
        ),
        OnlineMethod(
            "hat",
            "Where the errors of a branch increase another tree grows beside it, which "
            "takes over once it is certainly better.",
            "Bifet, Gavalda (2009), Adaptive Learning from Evolving Data Streams",
            OnlineTreeClassifier,
            {"criterion": "entropy", "drift": "replace"},
        ),
        *(
            OnlineMethod(
                f"hybrid{gini_type}",
                "Misclassification or Gini: the first that is certain of its column "
                f"splits the leaf; Gini by a bound of type {'I' * gini_type}. An "
                "interpretation: the bounds are Ramify's.",
                "Jaworski, Duda, Rutkowski (2018), New Splitting Criteria for Decision "
                "Trees in Stationary Data Streams",
                OnlineTreeClassifier,
                {"criterion": first_certain(*_BOTH, types=(1, gini_type)), **_HYBRID},
            )
            for gini_type in (1, 2)
        ),
        OnlineMethod(
            "arf",
            "Ten trees on rows drawn six times on average, with columns drawn at each "
            "attempt; a tree whose errors increase is replaced.",
            "Gomes et al. (2017), Adaptive Random Forests for Evolving Data Streams",
            OnlineForestClassifier,
            {},
        ),
        OnlineMethod(
            "srp",
            "Ten trees on rows drawn six times on average, each of which sees 60 % of "
            "the columns; a tree whose errors increase is replaced.",
            "Gomes, Read, Bifet (2019), Streaming Random Patches",
            OnlineForestClassifier,
            {"draw": "tree", "max_features": 0.6},
        ),
    )
}


def online_method(name: str, **overrides: Any) -> Any:
    """Return the estimator of a published method that learns row by row.

    Parameters
    ----------
    name : {"vfdt", "efdt", "hat", "hybrid1", "hybrid2", "arf", "srp"}
        The method.
    **overrides
        Parameters of its estimator, such as `delta`.

    Examples
    --------
    >>> from ramify.estimators.online import online_method
    >>> online_method("hat", delta=0.05)
    OnlineTreeClassifier(criterion='entropy', delta=0.05, drift='replace')
    """
    if name not in PUBLISHED:
        raise ValueError(
            f"{name!r} is no online method{did_you_mean(name, list(PUBLISHED))}; there "
            f"are {', '.join(PUBLISHED)}"
        )
    return PUBLISHED[name].make(**overrides)
