# SPDX-License-Identifier: BSD-3-Clause
"""All targets by name: each is a function in a module of its own, named alike."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.tables import Rng

TARGETS = (
    *("cache", "checkpoints", "clicks", "commands", "data_files", "estimators"),
    *("exports", "expressions", "model_files", "pages", "pruning", "streams"),
    "survival",
)


def target_named(name: str) -> Callable[[Rng], list[str]]:
    """Import a target; the others are not imported, which would take two seconds."""
    found: Callable[[Rng], list[str]] = getattr(import_module(f"fuzz.{name}"), name)
    return found
