# SPDX-License-Identifier: BSD-3-Clause
"""A fit that fails leaves the model as it was."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["all_or_nothing"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Let a method that raises restore every attribute of its model.

    A fit replaces what a model has learnt and never changes it in place, so that the
    old values are enough.

    Examples
    --------
    >>> from ramify import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> tree.fit([[1.0, 2.0]], ["a", "b"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: ... X has 1 rows and y has 2
    >>> tree.n_features_in_
    1
    """

    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return cast(Fit, whole)
