# SPDX-License-Identifier: BSD-3-Clause
"""What people said of the nodes of a tree, apart from what its rows say.

An editor (`ramify.edit`) leaves it in the `edits_` of its model, and model files keep
it. Pages, exports and certificates show it, so that nobody takes it for data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ByHand", "by_hand"]


class ByHand:
    """Texts at nodes, and leaves that people set; by the number of the node.

    Attributes
    ----------
    notes : dict of int to str
    overrides : dict of int to dict
        `value` (what was decided, per output), `rows_say` and `note`.
    """

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.notes = {int(n): str(text) for n, text in stored["notes"].items()}
        self.overrides = {int(n): dict(o) for n, o in stored["overrides"].items()}

    def __bool__(self) -> bool:
        return bool(self.notes or self.overrides)

    @property
    def summary(self) -> str:
        """How many leaves were set, in a few words; nothing if none was."""
        n = len(self.overrides)
        return f"{n} {'leaf' if n == 1 else 'leaves'} set by hand" if n else ""

    def of_node(self, node: int) -> str:
        """Return what is said of a node, on one line; may be empty."""
        parts = []
        override = self.overrides.get(node)
        if override is not None:
            why = _line(override["note"])
            parts.append("set by hand" + (f": {why}" if why else ""))
        if node in self.notes:
            parts.append(_line(self.notes[node]))
        return "; ".join(parts)

    def lines(self) -> list[str]:
        """Return a line for each leaf that was set, and for each text."""
        found = []
        for node, override in sorted(self.overrides.items()):
            decided, said = (_numbers(override[key]) for key in ("value", "rows_say"))
            why = _line(override["note"])
            found.append(
                f"leaf {node} set by hand to {decided}; its rows say {said}"
                + (f" ({why})" if why else "")
            )
        found += [f"node {n}: {_line(text)}" for n, text in sorted(self.notes.items())]
        return found


def by_hand(model: Any) -> ByHand:
    """Return what people said of the nodes of a model."""
    edits = getattr(model, "edits_", None) or {}
    return ByHand(edits.get("here", {"notes": {}, "overrides": {}}))


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _numbers(value: Any) -> str:
    return "; ".join(", ".join(f"{x:.4g}" for x in row) for row in value)
