# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan-Meier and Nelson-Aalen: survival and hazard of a set of rows."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.survival.target import read_survival_target

__all__ = ["LifeTable", "kaplan_meier_estimator", "nelson_aalen_estimator"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LifeTable:
    """What happened at each distinct time, ascending; weights are frequencies."""

    times: Floats
    events: Floats
    censored: Floats
    at_risk: Floats  # just before the time: whoever is censored then is counted

    @classmethod
    def of(
        cls, event: NDArray[np.bool_], time: Floats, weight: Floats | None = None
    ) -> LifeTable:
        """Count rows by their times.

        >>> import numpy as np
        >>> table = LifeTable.of(np.array([True, False, True]), np.array([2.0, 2, 5]))
        >>> table.at_risk.tolist(), table.events.tolist()
        ([3.0, 1.0], [1.0, 1.0])
        """
        weight = np.ones(len(time)) if weight is None else weight
        times, place = np.unique(time, return_inverse=True)
        n_times = len(times)
        events = _counted(place[event], weight[event], n_times)
        censored = _counted(place[~event], weight[~event], n_times)
        gone = events + censored
        at_risk = np.cumsum(gone[::-1])[::-1]
        return cls(times, events, censored, at_risk)

    @classmethod
    def entered(
        cls, event: NDArray[np.bool_], time: Floats, entry: Floats, weight: Floats
    ) -> LifeTable:
        """Count rows that are seen from their entry on, also at times of entry."""
        exits = cls.of(event, time, weight)
        times = np.unique(np.concatenate([entry, time]))
        place = np.searchsorted(times, exits.times)
        events, censored, gone = np.zeros((3, len(times)))
        events[place], censored[place] = exits.events, exits.censored
        gone[place] = exits.events + exits.censored
        came = np.bincount(np.searchsorted(times, entry), weight, len(times))
        before = np.concatenate([[0.0], np.cumsum(came - gone)[:-1]])
        # Who enters at a time is not yet at risk then. The first time of all has no
        # one before it: those who enter are shown there.
        before[0] = came[0]
        events[0] = 0
        return cls(times, events, censored, before)

    @property
    def survival(self) -> Floats:
        """Kaplan-Meier: the product of 1 - d / n up to each time."""
        return _survival(self.events, self.at_risk)

    @property
    def hazard(self) -> Floats:
        """Nelson-Aalen: the sum of d / n up to each time."""
        return np.cumsum(_share(self.events, self.at_risk))

    @property
    def uncensored(self) -> Floats:
        """Kaplan-Meier of censoring, where events come first at equal times."""
        return _survival(self.censored, self.at_risk - self.events)


def _counted(place: NDArray[np.intp], weight: Floats, n_times: int) -> Floats:
    """Return the weight at each time; of no rows, too, as floats."""
    return np.bincount(place, weight, n_times).astype(np.float64)


def _survival(events: Floats, at_risk: Floats) -> Floats:
    product: Floats = np.multiply.accumulate(1 - _share(events, at_risk))
    return product


def _share(part: Floats, of: Floats) -> Floats:
    """Return part / of; 0 where nothing happened, also if no one is there."""
    return np.divide(part, of, out=np.zeros(len(part)), where=part != 0)


def kaplan_meier_estimator(
    event: Any,
    time_exit: Any,
    time_enter: Any = None,
    time_min: float | None = None,
    reverse: bool = False,
    conf_level: float = 0.95,
    conf_type: str | None = None,
    *,
    sample_weight: Any = None,
) -> tuple[Floats, ...]:
    """Estimate the probability to get beyond each time (Kaplan, Meier 1958).

    Parameters
    ----------
    event : array-like of bool, shape (n_rows,)
        True where the event happened, False where the row is censored.
    time_exit : array-like, shape (n_rows,)
        When it happened, or until when it had not.
    time_enter : array-like, shape (n_rows,), optional
        From when on a row is seen (left truncation).
    time_min : float, optional
        Leave out earlier times: the curve of those who got so far.
    reverse : bool
        Whether to estimate the distribution of censoring instead; events come first at
        equal times.
    conf_level : float
        Level of the confidence band.
    conf_type : {"log-log"}, optional
        Return a band as well, from the normal distribution of log(-log S).
    sample_weight : array-like, shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    time : ndarray, shape (n_times,)
        The distinct times.
    survival : ndarray, shape (n_times,)
    band : ndarray, shape (2, n_times)
        Only with `conf_type`.

    Examples
    --------
    >>> from ramify.survival import kaplan_meier_estimator
    >>> time, survival = kaplan_meier_estimator([True, False, True, True], [1, 1, 2, 4])
    >>> time, survival
    (array([1., 2., 4.]), array([0.75 , 0.375, 0.   ]))
    """
    target = read_survival_target((time_exit, _bools(event)))
    weight = _weights(sample_weight, len(target))
    if conf_type not in (None, "log-log"):
        raise ValueError(f"conf_type={conf_type!r} is unknown; use 'log-log' or None")
    if conf_type and reverse:
        raise NotImplementedError("there is no confidence band of censoring times")
    if time_enter is None:
        table = LifeTable.of(target.event, target.time, weight)
    else:
        if reverse:
            raise ValueError(
                "reverse=True estimates the times of censoring, for which entries "
                "are not accounted for: leave out time_enter or reverse"
            )
        table = _entered(target.event, target.time, time_enter, weight)
    n_events, at_risk = table.events, table.at_risk
    if reverse:
        n_events, at_risk = table.censored, table.at_risk - table.events
    kept = slice(None) if time_min is None else table.times >= time_min
    n_events, at_risk = n_events[kept], at_risk[kept]
    survival = _survival(n_events, at_risk)
    if conf_type is None:
        return table.times[kept], survival
    return table.times[kept], survival, _band(survival, n_events, at_risk, conf_level)


def nelson_aalen_estimator(
    event: Any, time: Any, *, sample_weight: Any = None
) -> tuple[Floats, Floats]:
    """Estimate the cumulative hazard at each time (Nelson 1972, Aalen 1978).

    Parameters
    ----------
    event : array-like of bool, shape (n_rows,)
        True where the event happened, False where the row is censored.
    time : array-like, shape (n_rows,)
        When it happened, or until when it had not.
    sample_weight : array-like, shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    time : ndarray, shape (n_times,)
        The distinct times.
    hazard : ndarray, shape (n_times,)

    Examples
    --------
    >>> from ramify.survival import nelson_aalen_estimator
    >>> nelson_aalen_estimator([True, False, True, True], [1, 1, 2, 4])
    (array([1., 2., 4.]), array([0.25, 0.75, 1.75]))
    """
    target = read_survival_target((time, _bools(event)), allow_all_censored=False)
    table = LifeTable.of(
        target.event, target.time, _weights(sample_weight, len(target))
    )
    return table.times, table.hazard


def _bools(event: Any) -> NDArray[np.bool_]:
    """Refuse events that are not bool: here the order of arguments is easily mixed."""
    array = np.asarray(event)
    if array.dtype != np.bool_:
        raise ValueError(
            f"event has dtype {array.dtype}; give True and False, such as event == 1"
        )
    return array


def _weights(sample_weight: Any, n_rows: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; give one weight for each of the "
            f"{n_rows} rows"
        )
    good = np.isfinite(weight) & (weight >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(
            f"sample_weight has {weight[row]:g} in row {row}; weights must be finite "
            "and not negative"
        )
    return weight


def _entered(
    event: NDArray[np.bool_], time: Floats, time_enter: Any, weight: Floats
) -> LifeTable:
    entry = read_survival_target((time_enter, event)).time
    if (entry > time).any():
        row = int(np.argmax(entry > time))
        raise ValueError(
            f"row {row} enters at {entry[row]:g} and leaves at {time[row]:g}; a row "
            "is seen from its entry on, so time must not come before time_enter"
        )
    return LifeTable.entered(event, time, entry, weight)


def _band(survival: Floats, n_events: Floats, at_risk: Floats, level: float) -> Floats:
    """Return the band that is symmetric in log(-log S), by Greenwood's variance."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise ValueError(
            f"conf_level={level!r} is not allowed; give a share between 0 and 1, "
            "such as 0.95"
        )
    left = at_risk - n_events
    greenwood = np.cumsum(_share(n_events * (left > 0), at_risk * np.maximum(left, 1)))
    alive = survival > np.finfo(np.float64).eps
    log_survival = np.log(survival, out=np.zeros(len(survival)), where=alive)
    spread = np.divide(
        np.sqrt(greenwood),
        log_survival,
        out=np.zeros(len(survival)),
        where=log_survival < -np.finfo(np.float64).eps,
    )
    z = NormalDist().inv_cdf(0.5 + level / 2)
    band = np.exp(np.exp(np.multiply.outer([-z, z], spread)) * log_survival)
    band[:, ~alive] = 0.0
    return np.asarray(band)
