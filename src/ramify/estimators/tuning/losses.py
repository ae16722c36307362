# SPDX-License-Identifier: BSD-3-Clause
"""The loss that a criterion for numbers makes small, measured on new rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.validation.regression_target import level_of

__all__ = ["loss_of"]

Floats = NDArray[np.float64]
Loss = Callable[[Floats, Floats], Floats]

_LEAST = float(np.finfo(np.float64).tiny)  # a mean of 0 would cost infinitely much


def loss_of(chosen: Any) -> Loss:
    """Return the loss of each row, given what is true and what is predicted.

    The squared error where leaves predict means of any other criterion, the distance
    where they predict medians (and of "crps", whose score of one number it is), the
    pinball loss of quantiles, and the deviance of "poisson", "gamma", "tweedie" and
    "negative_binomial".

    >>> import numpy as np
    >>> from ramify.criteria import for_regression
    >>> loss = loss_of(for_regression("quantile", level=0.9))
    >>> loss(np.array([1.0, 3.0]), np.array([2.0, 2.0])).round(12)
    array([0.1, 0.9])
    """
    name, params = getattr(chosen, "name", ""), getattr(chosen, "params", {})
    if name in ("absolute_error", "crps"):
        return lambda y, f: np.abs(y - f)
    if name == "quantile":
        level = float(level_of(chosen) or 0.5)
        return lambda y, f: np.where(y < f, (level - 1) * (y - f), level * (y - f))
    if name in ("poisson", "gamma", "tweedie"):
        power = {"poisson": 1.0, "gamma": 2.0}.get(name)
        return _deviance(params["power"] if power is None else power)
    if name == "negative_binomial":
        return _negative_binomial(params["dispersion"])
    return lambda y, f: np.asarray((y - f) ** 2)


def _deviance(power: float) -> Loss:
    """Return the unit deviance of a Tweedie distribution (Jorgensen 1987)."""
    if power == 0:
        return lambda y, f: np.asarray((y - f) ** 2)
    if abs(power - 1) < 1e-8:
        return lambda y, f: 2 * (_y_log(y, np.maximum(f, _LEAST)) - y + f)
    if abs(power - 2) < 1e-8:
        return lambda y, f: np.asarray(2 * (y / f - 1 - np.log(y / f)))

    def loss(y: Floats, f: Floats) -> Floats:
        f = np.maximum(f, _LEAST)
        own = np.maximum(y, 0) ** (2 - power) / ((1 - power) * (2 - power))
        given = -y * f ** (1 - power) / (1 - power) + f ** (2 - power) / (2 - power)
        return np.asarray(2 * (own + given))

    return loss


def _negative_binomial(dispersion: float) -> Loss:
    def loss(y: Floats, f: Floats) -> Floats:
        shifted = y + 1 / dispersion
        ratio = (1 + dispersion * y) / (1 + dispersion * f)
        return 2 * (_y_log(y, np.maximum(f, _LEAST)) - shifted * np.log(ratio))

    return loss


def _y_log(y: Floats, f: Floats) -> Floats:
    """Return y ln(y / f), which is 0 where y is."""
    safe = np.where(y > 0, y, 1.0)
    return np.where(y > 0, y * np.log(safe / f), 0.0)
