# SPDX-License-Identifier: BSD-3-Clause
"""Names of methods for times to an event → estimators."""

from __future__ import annotations

from typing import Any

from ramify.messages import ask_or_stop
from ramify.survival import KaplanMeier

__all__ = ["SURVIVAL_METHODS", "survival_estimator", "survival_names"]

# What times are learnt by, if nobody says by what.
SURVIVAL_METHODS: tuple[str, ...] = ("kaplan_meier",)


def survival_names() -> list[str]:
    """List the names of all methods for times to an event."""
    return ["kaplan_meier"]


def survival_estimator(name: str) -> tuple[Any, str]:
    """Return the estimator of a name, and what it is in a sentence."""
    if name == "kaplan_meier":
        return KaplanMeier(), "The Kaplan-Meier curve of all rows, for every row."
    known = survival_names()
    raise ValueError(
        f"method {name!r} is unknown for times to an event{ask_or_stop(name, known)} "
        f"Give one of {', '.join(known)}, or any survival estimator."
    )
