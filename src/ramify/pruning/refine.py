# SPDX-License-Identifier: BSD-3-Clause
"""Tree alternating optimisation: every test is chosen anew, given all the others.

Carreira-Perpiñán, Tavallali (2018), Alternating Optimization of Decision Trees, with
Application to Learning Sparse Oblique Trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ramify.pruning.linked_nodes import LinkedNode
from ramify.pruning.nodes import Floats, Rows
from ramify.tree.tree import Terms, Tree

__all__ = ["Proposal", "Refiner", "Test", "branches_of"]

Places = NDArray[np.intp]
Proposal = Callable[[Places, NDArray[np.intp], Floats], "list[Test]"]


@dataclass(frozen=True)
class Test:
    """What a node tests; the attributes are those of `LinkedNode`."""

    kind: int
    feature: int
    threshold: float
    listed: dict[float, int]
    terms: Terms | None
    missing: int
    default: int
    swap: bool = False  # its first branch is the node's second subtree

    @classmethod
    def from_node(cls, node: LinkedNode) -> Test:
        """Return the test of a node."""
        return cls(
            *(node.kind, node.feature, node.threshold, dict(node.listed)),
            *(node.terms, node.missing, node.default),
        )

    @property
    def n_terms(self) -> int:
        """How many columns it mixes."""
        return 1 if self.terms is None else max(1, len(self.terms))

    def put(self, node: LinkedNode) -> None:
        """Let a node test this."""
        for name, value in vars(self).items():
            if name != "swap":
                setattr(node, name, value)
        if self.swap:
            node.children.reverse()


def branches_of(test: Test, X: Floats) -> NDArray[np.intp]:
    """Return the subtree that each row is sent to."""
    branch = _branches(test, X)
    return 1 - branch if test.swap else branch


def _branches(test: Test, X: Floats) -> NDArray[np.intp]:
    if test.kind == Tree.HYPERPLANE:
        assert test.terms is not None
        total = test.terms.project(X)
        return np.asarray(total > test.threshold, dtype=np.intp)
    x = X[:, test.feature]
    gone = np.isnan(x)
    if test.kind == Tree.THRESHOLD:
        branch = (x > test.threshold).astype(np.intp)
    else:
        values = np.array(sorted(test.listed))
        branches = np.array([test.listed[value] for value in values], dtype=np.intp)
        place = np.searchsorted(values, np.where(gone, values[0], x))
        place = np.minimum(place, len(values) - 1)
        branch = branches[place]
        if test.kind == Tree.CATEGORIES:
            branch = np.where(values[place] == x, branch, test.default)
    return np.asarray(np.where(gone, test.missing, branch), dtype=np.intp)


@dataclass
class Refiner:
    """Improves the tests and leaves of a tree, node by node.

    Attributes
    ----------
    root : LinkedNode
        The tree, which is changed.
    rows : Rows
        The training rows, one output.
    costs : ndarray or None
        [true][predicted] class, if classes are predicted; None for numbers.
    is_categorical : list of bool
        Which columns hold codes of categories.
    penalty : float
        Price of every test, per term.
    propose : callable or None
        Gives other tests for rows, the side each wants, and how much it matters.
    min_rows : int
        Fewest rows of a leaf; 0 for no limit.
    """

    root: LinkedNode
    rows: Rows
    costs: Floats | None
    is_categorical: list[bool]
    penalty: float = 0.0
    propose: Proposal | None = None
    min_rows: int = 0
    answer: dict[int, float] = field(default_factory=dict)  # of leaves, by identity

    def __post_init__(self) -> None:
        self._tolerance = 1e-9 * self._loss_of_one_leaf()
        for node in self.root.walk():
            if not node.children:
                self.answer[id(node)] = self._answer_of(node)

    def _loss_of_one_leaf(self) -> float:
        """Give what the rows lose at most: errors of all, or squares about the mean."""
        weight = self.rows.weight
        if self.costs is not None:
            return float(weight.sum())
        target = self.rows.target[:, 0]
        return float(weight @ (target - np.average(target, weights=weight)) ** 2)

    def _answer_of(self, node: LinkedNode) -> float:
        if self.costs is None:
            return float(node.value[0, 0])
        return float((node.value[0] @ self.costs).argmin())

    # --- losses ------------------------------------------------------------------

    def _loss(self, leaf: LinkedNode, at: Places) -> Floats:
        """Return the loss of rows that end in a leaf."""
        target = self.rows.target[at, 0]
        said = self.answer[id(leaf)]
        if self.costs is None:
            return np.asarray((target - said) ** 2)
        return np.asarray(self.costs[target, int(said)])

    def _reached(self, node: LinkedNode, at: Places) -> list[tuple[LinkedNode, Places]]:
        """Send rows down a subtree; list its leaves with the rows they get."""
        found, waiting = [], [(node, at)]
        while waiting:
            node, rows = waiting.pop()
            if not node.children:
                found.append((node, rows))
                continue
            branch = branches_of(Test.from_node(node), self.rows.X[rows])
            waiting.extend(
                (child, rows[branch == b]) for b, child in enumerate(node.children)
            )
        return found

    def _losses(self, node: LinkedNode, at: Places) -> Floats:
        """Return the loss of each row if it is sent into a subtree."""
        place = np.zeros(len(self.rows))
        for leaf, rows in self._reached(node, at):
            place[rows] = self._loss(leaf, rows)
        return place[at]

    def objective(self) -> float:
        """Return the weighted loss of all rows and the price of all tests."""
        everything = np.arange(len(self.rows))
        lost = float(self.rows.weight @ self._losses(self.root, everything))
        return lost + self._price(self.root)

    def _price(self, node: LinkedNode) -> float:
        if self.penalty == 0:
            return 0.0
        tests = [Test.from_node(one).n_terms for one in node.walk() if one.children]
        return self.penalty * sum(tests)

    # --- a pass ------------------------------------------------------------------

    def run(self, max_iter: int) -> list[float]:
        """Improve the tree until nothing changes; list the objective of each pass."""
        found = [self.objective()]
        for _ in range(max_iter):
            if not self._pass():
                break
            found.append(self.objective())
        self._drop_dead(self._sets())
        return found

    def _sets(self) -> list[tuple[int, LinkedNode, Places]]:
        """List depth, node and rows of every node."""
        found = []
        waiting = [(0, self.root, np.arange(len(self.rows)))]
        while waiting:
            depth, node, at = waiting.pop()
            found.append((depth, node, at))
            if node.children:
                branch = branches_of(Test.from_node(node), self.rows.X[at])
                waiting.extend(
                    (depth + 1, child, at[branch == b])
                    for b, child in enumerate(node.children)
                )
        return found

    def _pass(self) -> bool:
        """Visit every node, the deepest first; return whether anything changed."""
        changed = False
        sets = sorted(self._sets(), key=lambda one: -one[0])
        for _, node, at in sets:
            if len(at) == 0:
                continue
            if node.children:
                changed |= self._improve(node, at)
            else:
                changed |= self._improve_leaf(node, at)
        return changed

    def _best_constant(self, at: Places, old: float | None) -> tuple[float, float]:
        """Get the best answer for some rows, and what it loses; ties keep the old."""
        weight, target = self.rows.weight[at], self.rows.target[at, 0]
        if self.costs is None:
            mean = float(weight @ target / weight.sum())
            return mean, float(weight @ (target - mean) ** 2)
        by_class = np.bincount(target, weights=weight, minlength=len(self.costs))
        lost = by_class @ self.costs
        best = int(lost.argmin())
        if old is not None and lost[int(old)] <= lost[best] + self._tolerance:
            best = int(old)
        return float(best), float(lost[best])

    def _improve_leaf(self, leaf: LinkedNode, at: Places) -> bool:
        old = self.answer[id(leaf)]
        before = float(self.rows.weight[at] @ self._loss(leaf, at))
        new, after = self._best_constant(at, old)
        if before - after <= self._tolerance:
            return False
        self.answer[id(leaf)] = new
        return True

    def _improve(self, node: LinkedNode, at: Places) -> bool:
        """Choose the test of a node anew, or do without it."""
        X, weight = self.rows.X[at], self.rows.weight[at]
        lost = np.column_stack([self._losses(child, at) for child in node.children])
        lost = lost * weight[:, None]
        current = Test.from_node(node)
        rows = np.arange(len(at))
        now = float(lost[rows, branches_of(current, X)].sum())
        best, price = current, now + self.penalty * current.n_terms
        for test in self._candidates(node, at, lost, current):
            cost = float(lost[rows, branches_of(test, X)].sum())
            cost += self.penalty * test.n_terms
            if cost < price - self._tolerance and self._fits(node, test, at):
                best, price = test, cost
        changed = best is not current
        if changed:
            best.put(node)
            node.gain, node.optimal = np.nan, 0
        if self.penalty > 0:
            changed |= self._without_test(node, at, lost, price)
        return changed

    def _fits(self, node: LinkedNode, test: Test, at: Places) -> bool:
        """Return whether all leaves keep enough rows."""
        if self.min_rows == 0:
            return True
        branch = branches_of(test, self.rows.X[at])
        return all(
            len(rows) >= self.min_rows
            for b, child in enumerate(node.children)
            for _, rows in self._reached(child, at[branch == b])
        )

    def _without_test(
        self, node: LinkedNode, at: Places, lost: Floats, price: float
    ) -> bool:
        """Make a leaf of a node, or one of its branches, where that is no worse."""
        with_test = price + sum(self._price(child) for child in node.children)
        answer, as_leaf = self._best_constant(at, None)
        options = [(as_leaf, -1)]
        for b, child in enumerate(node.children):
            options.append((float(lost[:, b].sum()) + self._price(child), b))
        cost, branch = min(options)
        if cost > with_test + self._tolerance:
            return False
        if branch < 0:
            node.become_leaf()
            self.answer[id(node)] = answer
        else:
            child = node.children[branch]
            if not child.children:
                self.answer[id(node)] = self.answer[id(child)]
            node.become(child)
        return True

    # --- tests to try ------------------------------------------------------------

    def _candidates(
        self, node: LinkedNode, at: Places, lost: Floats, current: Test
    ) -> list[Test]:
        cares = (lost != lost[:, :1]).any(axis=1)
        if not cares.any():
            return []
        X, lost = self.rows.X[at[cares]], lost[cares]
        heavy = int(np.argmax([child.weight for child in node.children]))
        if lost.shape[1] > 2:
            return self._regrouped(current, X, lost)
        found = []
        for j, is_set in enumerate(self.is_categorical):
            best = (
                _best_groups(X[:, j], lost, j, heavy, current)
                if is_set
                else _best_cut(X[:, j], lost, j, heavy)
            )
            found += best
        if self.propose is not None:
            side = lost.argmin(axis=1)
            matters = np.abs(lost[:, 0] - lost[:, 1])
            found += [
                way
                for test in self.propose(at[cares], side, matters)
                for way in (test, replace(test, swap=True))
            ]
        return found

    def _regrouped(self, current: Test, X: Floats, lost: Floats) -> list[Test]:
        """Send each category of a node with several branches where it loses least."""
        if not self.is_categorical[current.feature]:
            return []
        x = X[:, current.feature]
        listed = dict(current.listed)
        for code in np.unique(x[~np.isnan(x)]).tolist():
            listed[code] = int(lost[x == code].sum(axis=0).argmin())
        gone = np.isnan(x)
        missing = current.missing
        if gone.any():
            missing = int(lost[gone].sum(axis=0).argmin())
        return [replace(current, listed=listed, missing=missing)]

    # --- afterwards --------------------------------------------------------------

    def _drop_dead(self, sets: list[tuple[int, LinkedNode, Places]]) -> None:
        """Put the only branch that rows take in the place of its parent."""
        size = {id(node): len(at) for _, node, at in sets}
        for _, node, _ in sorted(sets, key=lambda one: -one[0]):
            alive = [child for child in node.children if size[id(child)] > 0]
            if len(alive) == 1:
                only = alive[0]
                if not only.children:
                    self.answer[id(node)] = self.answer[id(only)]
                node.become(only)

    def refill(self, impurity: Callable[[Floats], float]) -> None:
        """Give every node the rows, value and impurity that it has now."""
        sets = self._sets()
        for _, node, at in sorted(sets, key=lambda one: one[0]):
            weight, target = self.rows.weight[at], self.rows.target[at, 0]
            node.n_rows, node.weight = len(at), float(weight.sum())
            for child in node.children:
                child.value = node.value  # of one without rows
            if len(at) == 0:
                node.impurity = 0.0
            elif self.costs is None:
                mean = float(weight @ target / node.weight)
                node.value = np.array([[mean]])
                node.impurity = float(weight @ (target - mean) ** 2) / node.weight
            else:
                n = node.value.shape[1]
                by_class = np.bincount(target, weights=weight, minlength=n)
                node.value = (by_class / node.weight)[None]
                node.impurity = impurity(node.value[0])
            if node.children:
                branch = branches_of(Test.from_node(node), self.rows.X[at])
                heavy = np.bincount(
                    branch, weights=weight, minlength=len(node.children)
                )
                node.default = int(heavy.argmax())


def _best_cut(x: Floats, lost: Floats, column: int, heavy: int) -> list[Test]:
    """Return the best cut of a number, and the best one that exchanges the subtrees."""
    gone = np.isnan(x)
    known = np.flatnonzero(~gone)
    order = known[np.argsort(x[known], kind="stable")]
    values = x[order]
    cuts = np.flatnonzero(values[1:] > values[:-1])
    if len(cuts) == 0:
        return []
    up_to = np.cumsum(lost[order], axis=0)
    beyond = up_to[-1] - up_to[cuts]
    up_to = up_to[cuts]
    missing = int(lost[gone].sum(axis=0).argmin()) if gone.any() else heavy
    found = []
    for swap, cost in (
        (False, up_to[:, 0] + beyond[:, 1]),
        (True, up_to[:, 1] + beyond[:, 0]),
    ):
        at = cuts[int(cost.argmin())]
        low, high = float(values[at]), float(values[at + 1])
        middle = low + (high - low) / 2
        middle = middle if low <= middle < high else low
        sides = [1 - b if swap else b for b in (missing, heavy)]
        found.append(Test(0, column, middle, {}, None, sides[0], sides[1], swap))
    return found


def _best_groups(
    x: Floats, lost: Floats, column: int, heavy: int, current: Test
) -> list[Test]:
    """Send each category where it loses least; others stay where they are."""
    gone = np.isnan(x)
    listed = dict(current.listed) if current.feature == column else {}
    for code in np.unique(x[~gone]).tolist():
        listed[code] = int(lost[x == code].sum(axis=0).argmin())
    if len(set(listed.values())) < 2:
        return []
    missing = int(lost[gone].sum(axis=0).argmin()) if gone.any() else heavy
    return [Test(1, column, float("nan"), listed, None, missing, heavy)]
