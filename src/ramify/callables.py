# SPDX-License-Identifier: BSD-3-Clause
"""Modules that can be called: `ramify.compare` is a room, and does what it says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["make_callable"]


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Let the module of that name do, when it is called, what `function` does.

    >>> import ramify.compare
    >>> type(ramify.compare).__name__, callable(ramify.compare)
    ('CallableModule', True)
    """
    sys.modules[name].__class__ = type(
        "CallableModule", (ModuleType,), {"__call__": staticmethod(function)}
    )
