# SPDX-License-Identifier: BSD-3-Clause
"""Edits as a tree of versions: what was done, from which version, and what it gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ramify.editing.state import State
from ramify.messages import did_you_mean

__all__ = ["Version", "Versions"]


@dataclass
class Version:
    """What one edit made.

    Attributes
    ----------
    number : int
        Its place in the order of making; 0 is the start.
    parent : int
        The version that was edited; -1 of the start.
    operation, arguments : str and dict
        The edit.
    name : str
        What a person calls it; may be empty.
    n_leaves, depth, training, validation
        Its size and its scores, by the metric of the editor.
    state : State or None
        The tree; None until a version that was read from a file is looked at.
    """

    number: int
    parent: int
    operation: str
    arguments: dict[str, Any]
    n_leaves: int
    depth: int
    training: float | None
    validation: float | None
    name: str = ""
    state: State | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all but the tree, as JSON can hold it."""
        names = ("parent", "operation", "arguments", "n_leaves", "depth")
        found = {name: getattr(self, name) for name in names}
        return found | {
            "training": self.training,
            "validation": self.validation,
            "name": self.name,
        }


@dataclass
class Versions:
    """All versions of an editor, and where it is."""

    every: list[Version]
    current: int = 0
    # The child that `redo` takes, by version: the last that was made or left by undo.
    ahead: dict[int, int] = field(default_factory=dict)

    @property
    def here(self) -> Version:
        """The current version."""
        return self.every[self.current]

    def path(self, number: int | None = None) -> list[Version]:
        """Return the versions from the start to one, by default the current one."""
        at = self.current if number is None else number
        found = []
        while at >= 0:
            found.append(self.every[at])
            at = self.every[at].parent
        return found[::-1]

    def add(self, version: Version) -> None:
        """Add what an edit of the current version made, and go there."""
        self.every.append(version)
        self.ahead[version.parent] = version.number
        self.current = version.number

    def back(self) -> None:
        """Go to the version that was edited."""
        if self.here.parent < 0:
            raise ValueError("there is nothing to undo; this is the start")
        self.ahead[self.here.parent] = self.current
        self.current = self.here.parent

    def forth(self) -> None:
        """Go to the version that `back` left."""
        if self.current not in self.ahead:
            raise ValueError("there is nothing to redo; no later version follows")
        self.current = self.ahead[self.current]

    def find(self, name: Any) -> Version:
        """Return the version of a name or number."""
        if isinstance(name, int) and not isinstance(name, bool):
            if 0 <= name < len(self.every):
                return self.every[name]
            raise ValueError(
                f"version {name} is not there; the last is {len(self.every) - 1}"
            )
        for version in reversed(self.every):
            if version.name and version.name == name:
                return version
        names = [version.name for version in self.every if version.name]
        hint = did_you_mean(name, names) or (
            f"; the names are {', '.join(map(repr, names)) or 'none yet'}"
        )
        raise ValueError(f"no version is called {name!r}{hint}")
