# SPDX-License-Identifier: BSD-3-Clause
"""The two columns of a file that say when the event happened, and whether."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.datasets.names import listed
from ramify.io import DataFile, FileColumn
from ramify.io.kinds import Notation, as_numbers, known_fields
from ramify.messages import ask_or_stop
from ramify.survival.target import SurvivalTarget

__all__ = ["EventColumns"]

# The fields of a column of two that need no word on which is the event.
_PAIRS = (
    {"0": False, "1": True},
    {"0.0": False, "1.0": True},
    {"false": False, "true": True},
    {"f": False, "t": True},
    {"no": False, "yes": True},
    {"censored": False, "dead": True},
    {"alive": False, "dead": True},
)


@dataclass(frozen=True)
class EventColumns:
    """Names of both columns, and the field that means that the event happened."""

    time: str
    event: str
    value: str | None = None

    @classmethod
    def from_options(
        cls, file: DataFile, target: str | None, options: Mapping[str, Any]
    ) -> EventColumns | None:
        """Read the options time, event and event_value; None if there are none."""
        time, event, value = (options[key] for key in ("time", "event", "event_value"))
        if time is None and event is None and value is None:
            return None
        if time is None or event is None:
            given, lacking = ("event", "time") if time is None else ("time", "event")
            if time is None and event is None:
                given, lacking = "event_value", "time and event"
            raise ValueError(f"{given} needs {lacking}, the name of the other column.")
        if target is not None or options["numeric_target"]:
            raise ValueError(
                f"time={time!r} and event={event!r} are the target; leave out target "
                "and numeric_target."
            )
        for word, name in (("time", time), ("event", event)):
            if not file.has(name):
                raise ValueError(
                    f"{file.path} has no column {name!r} for the {word}"
                    f"{ask_or_stop(name, file.names)} It has {listed(file.names)}."
                )
            if name in options["ignore"]:
                raise ValueError(f"column {name!r} is the {word}; do not ignore it.")
        if time == event:
            raise ValueError(f"time and event are both {time!r}; they are two columns.")
        return cls(time, event, None if value is None else str(value))

    @property
    def names(self) -> tuple[str, str]:
        """Both names, the time first."""
        return self.time, self.event

    def take(
        self, file: DataFile, read: dict[str, FileColumn], notation: Notation
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Take both out of what was read: the target, and which rows have one."""
        times = as_numbers(file, self.time, read.pop(self.time), notation).values
        codes, fields = known_fields(read.pop(self.event), notation.in_labels())
        if len(codes) == 0:
            raise ValueError(f"{file.path} has a header but no rows.")
        has_both = (codes >= 0) & ~np.isnan(times)
        if not has_both.any():
            raise ValueError(
                f"{file.path} has no row with both {self.time!r} and {self.event!r}."
            )
        happened = self._happened(file, fields)[codes[has_both]]
        times = times[has_both]
        if (times < 0).any():
            row = int(np.flatnonzero(has_both)[np.argmax(times < 0)])
            raise ValueError(
                f"column {self.time!r} of {file.path} has {times.min():g}, such as in "
                f"row {row}; times must not be negative."
            )
        target = SurvivalTarget(happened, times, self.event, self.time)
        return target.to_structured(), has_both

    def _happened(self, file: DataFile, fields: Sequence[str]) -> NDArray[np.bool_]:
        where = f"column {self.event!r} of {file.path}"
        if self.value is not None:
            if self.value not in fields:
                raise ValueError(
                    f"{where} has no field {self.value!r}; event_value is one of "
                    f"{listed(list(fields))}."
                )
            return np.array([field == self.value for field in fields])
        words = [field.casefold() for field in fields]
        for pair in _PAIRS:
            if set(words) <= set(pair):
                return np.array([pair[word] for word in words])
        raise ValueError(
            f"{where} has {listed(list(fields))}; say which of them means that the "
            f"event happened, such as event_value={fields[-1]!r}: all others are "
            "censored."
        )
