# SPDX-License-Identifier: BSD-3-Clause
"""Curves that are flat between times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["StepFunction"]


class StepFunction:
    """A function of time that is flat from one point to the next.

    Its value at ``t`` is ``a * y[i] + b`` with the last ``x[i] <= t``; before ``x[0]``
    it is that of ``x[0]``.

    Parameters
    ----------
    x : array of shape (n_points,)
        Times, ascending.
    y : array of shape (n_points,)
        The value from each time on.
    a, b : float
        What multiplies and what is added to the values.
    domain : tuple of float or None
        Where it may be asked; None stands for the first or the last of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.survival import StepFunction
    >>> curve = StepFunction(np.array([2.0, 5.0]), np.array([0.9, 0.4]))
    >>> curve([2, 4.5, 5])
    array([0.9, 0.9, 0.4])
    """

    def __init__(
        self,
        x: NDArray[Any],
        y: NDArray[Any],
        *,
        a: float = 1.0,
        b: float = 0.0,
        domain: tuple[float | None, float | None] = (0, None),
    ) -> None:
        if len(x) != len(y):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: x has "
                f"{len(x)} points and y has {len(y)}"
            )
        self.x = x
        self.y = y
        self.a = a
        self.b = b
        low, high = domain
        self._domain = (
            float(x[0] if low is None else low),
            float(x[-1] if high is None else high),
        )

    @property
    def domain(self) -> tuple[float, float]:
        """The least and the largest time at which it may be asked."""
        return self._domain

    def __call__(self, x: Any) -> Any:
        """Return the values at some times: one number for one time."""
        times = np.atleast_1d(np.asarray(x, dtype=np.float64))
        if not np.isfinite(times).all():
            raise ValueError(f"x must be finite, but has {times[~np.isfinite(times)]}")
        low, high = self._domain
        if times.size and (times.min() < low or times.max() > high):
            wrong = times[(times < low) | (times > high)][0]
            raise ValueError(f"x must be within [{low:f}; {high:f}], but has {wrong:g}")
        at = np.searchsorted(self.x, times, side="right") - 1
        values = self.a * self.y[np.maximum(at, 0)] + self.b
        return values[0] if len(values) == 1 else values

    def __repr__(self) -> str:
        return f"StepFunction(x={self.x!r}, y={self.y!r}, a={self.a!r}, b={self.b!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StepFunction):
            return False
        return (
            np.array_equal(self.x, other.x)
            and np.array_equal(self.y, other.y)
            and (self.a, self.b) == (other.a, other.b)
        )

    __hash__ = None  # type: ignore[assignment]  # points may be changed in place
