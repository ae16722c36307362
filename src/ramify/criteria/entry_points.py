# SPDX-License-Identifier: BSD-3-Clause
"""Entry points: what other packages bring, loaded when it is first used."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from importlib import metadata
from typing import Any

__all__ = ["PLUGINS", "EntryPoints"]


class EntryPoints:
    """The entry points of a group, each loaded once.

    Parameters
    ----------
    group : str
        The module that they add to, such as "ramify.criteria".
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self._waiting: list[metadata.EntryPoint] | None = None
        self._failed: dict[str, str] = {}
        self._is_known: Callable[[str], bool] = lambda name: False
        self._register: Callable[[str, Any], object] = lambda name, found: None

    def use(
        self, is_known: Callable[[str], bool], register: Callable[[str, Any], object]
    ) -> None:
        """Set the functions that look up a name and that register it."""
        self._is_known, self._register = is_known, register

    def load(self) -> bool:
        """Load what is not loaded yet, and return whether there was any.

        What cannot be loaded is left out, with a warning.
        """
        if self._waiting is None:
            importlib.import_module(self.group)  # which calls `use`
            self._waiting = list(metadata.entry_points(group=self.group))
        has_any = bool(self._waiting)
        while self._waiting:
            self._load(self._waiting.pop(0))
        return has_any

    def why_not(self, name: str) -> str:
        """Return why the entry point of that name could not be loaded, or ""."""
        return self._failed.get(name, "")

    def _load(self, point: metadata.EntryPoint) -> None:
        try:
            found = point.load()
            if not self._is_known(point.name):  # by the module that was loaded
                self._register(point.name, found)
        except Exception as error:  # of somebody else's code
            package = point.dist.name if point.dist is not None else "a package"
            why = (
                f"is an entry point of {package} ({point.value}) that cannot be "
                f"loaded: {type(error).__name__}: {error}"
            )
            self._failed[point.name] = why
            warnings.warn(f"{point.name!r} {why}", UserWarning, stacklevel=5)


PLUGINS = EntryPoints("ramify.criteria")
