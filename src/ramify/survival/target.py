# SPDX-License-Identifier: BSD-3-Clause
"""Times to an event, in every form that `y` may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.table.columns import show

__all__ = ["Surv", "SurvivalTarget", "is_survival_target", "read_survival_target"]

_ADVICE = (
    "give a pair (time, event), or ramify.survival.Surv.from_arrays(event, time), or "
    "a data frame of two columns, one of them True and False"
)
_ONE_KIND = (
    "event is True or 1 for an event and False or 0 for a censored row; of several "
    "kinds of events choose one, such as event=(status == 1)"
)


@dataclass(frozen=True)
class SurvivalTarget:
    """When each row was last seen, and whether the event happened then."""

    event: NDArray[np.bool_]
    time: NDArray[np.float64]
    event_name: str = "event"
    time_name: str = "time"

    def __len__(self) -> int:
        return len(self.time)

    def some(self, places: NDArray[Any]) -> SurvivalTarget:
        """Return those of some rows."""
        return SurvivalTarget(
            self.event[places], self.time[places], self.event_name, self.time_name
        )

    def to_structured(self) -> NDArray[Any]:
        """Return both as the structured array that scikit-survival takes."""
        names = [(self.event_name, np.bool_), (self.time_name, np.float64)]
        y = np.empty(len(self), dtype=names)
        y[self.event_name] = self.event
        y[self.time_name] = self.time
        return y


class Surv:
    """Makers of the structured array that scikit-learn's tools can split and index.

    Examples
    --------
    >>> from ramify.survival import Surv
    >>> y = Surv.from_arrays(event=[True, False, True], time=[10, 25, 15])
    >>> y["time"]
    array([10., 25., 15.])
    """

    @staticmethod
    def from_arrays(
        event: Any,
        time: Any,
        name_event: str | None = None,
        name_time: str | None = None,
    ) -> NDArray[Any]:
        """Return a structured array of events and times.

        Parameters
        ----------
        event : array-like of shape (n_rows,)
            True or 1 where the event happened, False or 0 where the row is censored.
        time : array-like of shape (n_rows,)
            When it happened, or until when it had not.
        name_event, name_time : str, optional
            Names of the two fields; ``event`` and ``time`` if not given.

        Returns
        -------
        y : structured array of shape (n_rows,)
            A bool field and a float field.

        Examples
        --------
        >>> from ramify.survival import Surv
        >>> y = Surv.from_arrays([1, 0], [3.5, 8], name_event="dead", name_time="days")
        >>> y.dtype.names, y["dead"]
        (('dead', 'days'), array([ True, False]))
        """
        names = (name_event or "event", name_time or "time")
        if names[0] == names[1]:
            raise ValueError(
                f"name_time and name_event are both {names[0]!r}; give two names"
            )
        return _checked(event, time, *names).to_structured()

    @staticmethod
    def from_dataframe(event: str, time: str, data: Any) -> NDArray[Any]:
        """Return a structured array of two columns of a data frame.

        Parameters
        ----------
        event, time : str
            Names of the columns.
        data : DataFrame
            Of pandas, polars, or whatever narwhals reads.

        Returns
        -------
        y : structured array of shape (n_rows,)
            Its fields are named as the columns.

        Examples
        --------
        >>> import pandas as pd
        >>> from ramify.survival import Surv
        >>> data = pd.DataFrame({"days": [72.0, 411.0], "dead": [1, 0]})
        >>> Surv.from_dataframe("dead", "days", data)["dead"]
        array([ True, False])
        """
        try:
            frame = nw.from_native(data, eager_only=True)
        except TypeError as error:
            raise TypeError(
                f"data is a {type(data).__name__}, but should be a data frame with "
                f"the columns {event!r} and {time!r}"
            ) from error
        for name in (event, time):
            if name not in frame.columns:
                known = ", ".join(map(repr, frame.columns))
                raise ValueError(f"data has no column {name!r}; it has {known}")
        return Surv.from_arrays(
            _plain(frame.get_column(event)),
            _plain(frame.get_column(time)),
            str(event),
            str(time),
        )


def read_survival_target(
    y: Any, n_rows: int | None = None, *, allow_all_censored: bool = True
) -> SurvivalTarget:
    """Read events and times from any of the forms of `y`.

    Parameters
    ----------
    y : structured array, pair or DataFrame
        A structured array of one bool and one float field, in either order; a pair
        ``(time, event)``; a data frame of two columns, the bool being the event.
    n_rows : int, optional
        The rows of X, of which there must be as many.
    allow_all_censored : bool
        Whether there may be no event at all.

    Returns
    -------
    target : SurvivalTarget

    Examples
    --------
    >>> from ramify.survival import read_survival_target
    >>> read_survival_target(([5, 8.5], [1, 0])).event
    array([ True, False])
    """
    target = _read(y)
    if n_rows is not None and len(target) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows and y has {len(target)}"
        )
    if not allow_all_censored and not target.event.any():
        raise ValueError(
            "all samples are censored: y has no event in any row, so there is nothing "
            "to learn; is the event coded the other way round?"
        )
    return target


def is_survival_target(y: Any) -> bool:
    """Return whether y can only be times to an event.

    >>> is_survival_target(Surv.from_arrays([1, 0], [2.0, 3.0]))
    True
    >>> is_survival_target([1, 0])
    False
    """
    if isinstance(y, SurvivalTarget):
        return True
    is_pair = isinstance(y, tuple) and len(y) == 2
    if is_pair and all(hasattr(one, "__len__") and np.ndim(one) == 1 for one in y):
        return True
    if isinstance(y, np.ndarray):
        return y.dtype.names is not None
    return len(getattr(y, "columns", ())) == 2


def _read(y: Any) -> SurvivalTarget:
    if y is None:
        raise ValueError(
            "this estimator requires y to be passed, but the target y is None: "
            f"{_ADVICE}"
        )
    if isinstance(y, SurvivalTarget):
        return y
    if isinstance(y, np.ndarray):
        return _read_array(y)
    if isinstance(y, tuple) and len(y) == 2 and all(np.ndim(one) == 1 for one in y):
        return _by_kind([("time", np.asarray(y[0])), ("event", np.asarray(y[1]))], True)
    if hasattr(y, "columns") or hasattr(y, "__arrow_c_stream__"):
        return _read_frame(y)
    raise _refusal(np.asarray(y), f"y is a {type(y).__name__}")


def _read_array(y: NDArray[Any]) -> SurvivalTarget:
    names = y.dtype.names
    if names is None:
        raise _refusal(y, f"y is an array of shape {y.shape} and dtype {y.dtype}")
    if y.ndim != 1:
        raise ValueError(f"y has shape {y.shape}; give one event and time per row")
    if len(names) != 2:
        raise ValueError(
            f"y has the fields {', '.join(map(repr, names))}; it must have two, a bool "
            "for the event and a float for the time"
        )
    return _by_kind([(name, y[name]) for name in names], False)


def _read_frame(y: Any) -> SurvivalTarget:
    try:
        frame = nw.from_native(y, eager_only=True)
    except TypeError:
        raise _refusal(np.asarray(y), f"y is a {type(y).__name__}") from None
    if len(frame.columns) != 2:
        raise ValueError(
            f"y has {len(frame.columns)} columns, {', '.join(map(repr, frame.columns))}"
            "; give two, the event and the time, or choose them by "
            "ramify.survival.Surv.from_dataframe(event, time, data)"
        )
    return _by_kind(
        [(str(name), _plain(frame.get_column(name))) for name in frame.columns], False
    )


def _by_kind(
    fields: Sequence[tuple[str, NDArray[Any]]], is_time_first: bool
) -> SurvivalTarget:
    """Tell the event from the time: by bool, else by being the only one of 0 and 1."""
    for is_event in (_is_bool, _is_binary):
        found = [is_event(values) for _, values in fields]
        if sum(found) == 1:
            at = found.index(True)
            (event_name, event), (time_name, time) = fields[at], fields[1 - at]
            return _checked(event, time, event_name, time_name)
    if is_time_first:
        (time_name, time), (event_name, event) = fields
        return _checked(event, time, event_name, time_name)
    said = " and ".join(f"{name!r} of {values.dtype}" for name, values in fields)
    raise ValueError(
        f"y has {said}, which does not say which is the event; make that one bool, "
        "True where the event happened"
    )


def _is_bool(values: NDArray[Any]) -> bool:
    return values.dtype == np.bool_


def _is_binary(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "iuf" and bool(np.isin(values, (0, 1)).all())


def _refusal(y: NDArray[Any], what: str) -> ValueError:
    if y.dtype.names is None and y.ndim == 2 and y.shape[1] == 2:
        return ValueError(
            f"{what}, which does not say which column is the event; give "
            "ramify.survival.Surv.from_arrays(event=y[:, 1], time=y[:, 0]), or with 0 "
            "and 1 the other way round"
        )
    return ValueError(f"{what}, which has no times and events; {_ADVICE}")


def _plain(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a column as NumPy has it, without losing whether it is bool."""
    if series.dtype == nw.Boolean and not series.is_null().any():
        return np.asarray(series.to_list(), dtype=np.bool_)
    if series.dtype.is_numeric():
        return series.cast(nw.Float64).to_numpy()
    return np.asarray(series.to_numpy())


def _checked(event: Any, time: Any, event_name: str, time_name: str) -> SurvivalTarget:
    times = _checked_times(np.asarray(time), time_name)
    events = _checked_events(np.asarray(event), event_name)
    if len(times) != len(events):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {time_name} "
            f"has {len(times)} rows and {event_name} has {len(events)}"
        )
    return SurvivalTarget(events, times, event_name, time_name)


def _checked_times(time: NDArray[Any], name: str) -> NDArray[np.float64]:
    if time.ndim != 1:
        raise ValueError(f"{name} has shape {time.shape}; give one time per row")
    if time.dtype.kind in "mM":
        raise ValueError(
            f"{name} has dtype {time.dtype}; times are numbers: choose a unit, such as "
            "days by (end - start) / np.timedelta64(1, 'D')"
        )
    if time.dtype.kind not in "iufbO":
        raise ValueError(f"{name} has dtype {time.dtype}; times must be numbers")
    if time.dtype == np.bool_:
        raise ValueError(
            f"{name} is bool; times are numbers: is the event in its place?"
        )
    values = (
        np.array([_number(one, row, name) for row, one in enumerate(time)])
        if (time.dtype.kind == "O")
        else time.astype(np.float64)
    )
    good = np.isfinite(values) & (values >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(
            f"{name} has {show(values[row])} in row {row}; times must be finite and "
            "not negative"
        )
    return np.asarray(values, dtype=np.float64)


def _checked_events(event: NDArray[Any], name: str) -> NDArray[np.bool_]:
    if event.ndim != 1:
        raise ValueError(f"{name} has shape {event.shape}; give one event per row")
    if event.dtype == np.bool_:
        return event.astype(np.bool_)
    if event.dtype.kind not in "iufO":
        raise ValueError(f"{name} has dtype {event.dtype}; {_ONE_KIND}")
    for row, value in enumerate(event.tolist()):
        if not (isinstance(value, (bool, int, float)) and value in (0, 1)):
            raise ValueError(f"{name} has {show(value)} in row {row}; {_ONE_KIND}")
    return event.astype(np.bool_)


def _number(value: Any, row: int, name: str) -> float:
    if value is None:
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} has {show(value)} in row {row}; times must be numbers"
        ) from None
