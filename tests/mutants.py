# SPDX-License-Identifier: BSD-3-Clause
"""Small faults planted in exported files, and whether a certificate sees them."""

import copy
import json
from typing import NamedTuple

import numpy as np

from ramify.exports.base import Artefact
from ramify.exports.certificates import certificate, probes
from ramify.exports.certificates.boxes import Box, Members
from ramify.exports.certificates.rows import source_for
from ramify.exports.reading import walk_of
from ramify.exports.registry import FORMATS


class Mutant(NamedTuple):
    """A document with one fault."""

    kind: str
    tree: int
    node: int
    document: dict


def _nodes(document):
    for t, tree in enumerate(document["trees"]):
        for i, node in enumerate(tree["nodes"]):
            yield t, i, node


def mutate(document, rng):
    """Plant one fault into a model in JSON; None if the place has no room for it."""
    places = list(_nodes(document))
    t, i, _ = places[rng.integers(len(places))]
    changed = copy.deepcopy(document)
    node = changed["trees"][t]["nodes"][i]
    if "leaf" in node:
        k = int(rng.integers(len(node["leaf"])))
        node["leaf"][k] += 1e-6  # an ulp may be lost in a sum of trees
        return Mutant("leaf", t, i, changed)
    test = node["test"]
    choices = ["swapped"]
    choices += ["cut + 1 ulp", "cut - 1 ulp"] * ("at_most" in test and "column" in test)
    choices += ["bound"] * (len(test.get("bounds", ())) > 0)
    choices += ["missing"] * (node.get("missing") in range(99))
    choices += ["category", "other"] * ("sets" in test)
    choices += ["weight", "weight", "sum"] * ("sum" in test)
    kind = str(rng.choice(choices))
    n = len(node["children"])
    if kind == "swapped":
        node["children"] = node["children"][1:] + node["children"][:1]
    elif kind.startswith("cut"):
        up = np.inf if "+" in kind else -np.inf
        test["at_most"] = float(np.nextafter(test["at_most"], up))
    elif kind == "bound":
        b = int(rng.integers(len(test["bounds"])))
        test["bounds"][b] = float(np.nextafter(test["bounds"][b], np.inf))
    elif kind == "missing":
        node["missing"] = (node["missing"] + 1 + int(rng.integers(n - 1))) % n
    elif kind == "other":
        test["other"] = (test["other"] + 1 + int(rng.integers(n - 1))) % n
    elif kind == "category":
        full = [b for b in range(n) if test["sets"][b]]
        b = int(rng.choice(full))
        moved = test["sets"][b].pop(int(rng.integers(len(test["sets"][b]))))
        test["sets"][(b + 1) % n].append(moved)
    elif kind == "weight":
        term = test["sum"][int(rng.integers(len(test["sum"])))]
        term["weight"] = float(term["weight"] * (1 + 1e-9))
    else:
        test["at_most"] = float(np.nextafter(test["at_most"], np.inf))
    return Mutant(kind, t, i, changed)


class Judge:
    """Replays documents of one model on the same rows."""

    def __init__(self, model, n_rows=4000):
        self.model, self.walk = model, walk_of(model)
        form = FORMATS["json"]
        self.form, self.options = form, form.options_with({})
        text = form.write(self.walk, self.options).text
        self.document = json.loads(text)
        self.rows = probes.make_rows(self.walk, n_rows)
        source = source_for(self.walk, self.rows.matrix)
        self.truth = certificate.truth(model, self.walk, source)

    def differs(self, document, matrix=None):
        """Return whether a document answers otherwise, on made rows or on others."""
        truth, artefact = self.truth, Artefact(json.dumps(document))
        if matrix is None:
            matrix = self.rows.matrix
        else:
            source = source_for(self.walk, matrix)
            truth = certificate.truth(self.model, self.walk, source)
        said = self.form.runtimes[0].replay(artefact, self.walk, matrix, self.options)
        differ, _ = certificate._compared(self.form, self.walk, truth, said)
        return bool(differ.any())

    def is_without_effect(self, mutant):
        """Return whether a fault changes no answer at all, as far as can be shown.

        Nothing reaches the changed place, or both ways end in the same number.
        """
        walk = self.walk
        node = int(walk.root[mutant.tree]) + mutant.node
        below = [n for n in walk.preorder(node) if walk.kind[n] == 0]
        values = {walk.value[walk.leaf[n]].tobytes() for n in below}
        if len(values) == 1 and not mutant.kind.startswith("leaf"):
            return True
        maker = probes._Maker(walk, 0)
        box = _box_of(maker, node)
        column = int(walk.column[node])
        if mutant.kind == "missing":
            return box.meet(column, maker._missing_in(column)) is None
        if mutant.kind == "other":
            listed = {int(c) for c in walk.listed(node)[0]}
            free = maker.every[column].codes - listed
            part = Members(frozenset(free), False)
            return box.meet(column, part) is None
        if mutant.kind == "category":
            before = self.document["trees"][mutant.tree]["nodes"][mutant.node]["test"]
            after = mutant.document["trees"][mutant.tree]["nodes"][mutant.node]["test"]
            names = walk.columns[column].categories
            moved = [
                names.index(c)
                for old, new in zip(before["sets"], after["sets"], strict=True)
                for c in set(old) - set(new)
            ]
            part = Members(frozenset(moved), False)
            return box.meet(column, part) is None
        return False


def _box_of(maker, node):
    """Return what the path to a node demands."""
    stack = [(int(root), Box({}, ())) for root in maker.walk.root]
    while stack:
        at, box = stack.pop()
        if at == node:
            return box
        for branch in range(maker.n_children[at]):
            inside = maker.below(box, at, branch)
            if inside is not None:
                stack.append((maker.first[at] + branch, inside))
    raise AssertionError(f"no row reaches node {node}")


def caught(judge, n, seed):
    """Plant n faults; give those with an effect, and those of them not seen."""
    rng = np.random.default_rng(seed)
    tried, missed = 0, []
    while tried < n:
        mutant = mutate(judge.document, rng)
        if judge.differs(mutant.document):
            tried += 1
        elif not judge.is_without_effect(mutant):
            tried += 1
            missed.append(mutant)
    return tried, missed
