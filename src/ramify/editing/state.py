# SPDX-License-Identifier: BSD-3-Clause
"""What one version of an edited tree is: nodes, and what people said of them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ramify.editing.node import Node

__all__ = ["Override", "State"]


@dataclass(frozen=True)
class Override:
    """What a person decided that a leaf says, in place of what its rows say."""

    value: tuple[Any, ...]  # probabilities of the classes, or numbers, per output
    note: str = ""


@dataclass(frozen=True, eq=False)
class State:
    """One version of a tree.

    Attributes
    ----------
    root : Node
    next_number : int
        The handle of the next node that is made.
    model : estimator
        Not fitted; its parameters are those of the model.
    locked : frozenset of int
        Nodes that stay.
    notes, overrides, forbidden : mapping from the number of a node
        Texts; decisions of people; columns not to be used there and below.
    is_by_hand : bool
        Whether anything was changed since the whole tree was grown.
    """

    root: Node
    next_number: int
    model: Any
    locked: frozenset[int] = frozenset()
    notes: Mapping[int, str] = field(default_factory=dict)
    overrides: Mapping[int, Override] = field(default_factory=dict)
    forbidden: Mapping[int, frozenset[int]] = field(default_factory=dict)
    is_by_hand: bool = False

    def find(self, node: Any) -> Node:
        """Return the node of a number, or of a path such as "LRL" from the root."""
        if isinstance(node, str):
            return self._by_path(node)
        try:
            number = operator.index(node)
        except TypeError:
            raise TypeError(
                f"node={node!r} is not allowed; use the number of a node, or a path "
                "from the root such as 'LRL'"
            ) from None
        for each in self.root.walk():
            if each.number == number:
                return each
        was = "was removed" if 0 <= number < self.next_number else "was never there"
        raise ValueError(
            f"node {number} {was}; the nodes are {_listed(self.root.walk())}"
        )

    def _by_path(self, path: str) -> Node:
        node = self.root
        for i, step in enumerate(path):
            n = len(node.children)
            place = {"L": 0, "R": n - 1}.get(step.upper(), -1)
            if step.isdigit():
                place = int(step)
            if step.upper() not in ("L", "R") and not step.isdigit():
                raise ValueError(
                    f"node={path!r} is not allowed: {step!r} is no step; write L for "
                    "the first child, R for the last, or the place of a child as a "
                    "digit from 0"
                )
            if not 0 <= place < n:
                where = repr(path[:i]) if i else "the root"
                raise ValueError(
                    f"node={path!r} is not there: {where} has {n or 'no'} children"
                )
            node = node.children[place]
        return node

    def path_of(self, number: int) -> str:
        """Return the path to a node, which has it."""
        path = self.root.path_to(number)
        assert path is not None
        steps = []
        for above, node in itertools.pairwise(path):
            place = next(i for i, c in enumerate(above.children) if c is node)
            steps.append("LR"[place] if len(above.children) == 2 else str(place))
        return "".join(steps)

    def forbidden_at(self, number: int) -> frozenset[int]:
        """Return the columns that must not be used at a node."""
        path = self.root.path_to(number) or []
        none: frozenset[int] = frozenset()
        return none.union(*(self.forbidden.get(each.number, none) for each in path))

    def holds_locked(self, node: Node) -> bool:
        """Return whether a node, or one below it, is locked."""
        return bool(self.locked) and any(n.number in self.locked for n in node.walk())

    def with_root(self, root: Node, next_number: int | None = None) -> State:
        """Return the state with another tree; what was said of lost nodes goes."""
        alive = {node.number for node in root.walk()}
        leaves = {node.number for node in root.leaves()}

        def kept(said: Mapping[int, Any]) -> dict[int, Any]:
            return {number: each for number, each in said.items() if number in alive}

        overrides = {n: o for n, o in kept(self.overrides).items() if n in leaves}
        return replace(
            self,
            root=root,
            next_number=self.next_number if next_number is None else next_number,
            locked=self.locked & alive,
            notes=kept(self.notes),
            overrides=overrides,
            forbidden=kept(self.forbidden),
            is_by_hand=True,
        )


def _listed(nodes: Iterable[Node]) -> str:
    numbers = sorted(node.number for node in nodes)
    shown = ", ".join(map(str, numbers[:12]))
    return shown if len(numbers) <= 12 else f"{shown} and {len(numbers) - 12} more"
