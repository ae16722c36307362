# SPDX-License-Identifier: BSD-3-Clause
"""A model as JSON, by a schema that is published, and a reader of it.

The reader needs nothing of Ramify: it is what a user would write in any language.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ramify.exports.base import Answers, Artefact, Format, Option
from ramify.exports.certificates.rows import columns_for
from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, LEAF, Walk

__all__ = ["FORMAT", "schema"]

_VERSION = 1


def schema() -> dict[str, Any]:
    """Return the JSON schema of exported models."""
    text = files("ramify.exports.formats").joinpath("schema.json").read_text("utf-8")
    return dict(json.loads(text))


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as JSON."""
    vote = walk.vote
    document = {
        "format": "ramify-model",
        "version": _VERSION,
        "model": walk.hash(),
        "estimator": walk.estimator,
        **({"by_hand": [*walk.by_hand]} if walk.by_hand else {}),
        "columns": [
            {"name": info.name}
            | ({"categories": [*info.categories]} if info.is_categorical else {})
            for info in walk.columns
        ],
        "unseen": walk.unseen,
        "missing": walk.missing,
        "vote": {
            "start": vote.start.tolist(),
            "divide": vote.divide,
            "link": vote.link,
            "decide": vote.decide,
            "decide_from": vote.decide_from,
            "costs": None if vote.costs is None else vote.costs.tolist(),
            "outputs": [
                None if output.labels is None else output.labels.tolist()
                for output in vote.outputs
            ],
        },
        "trees": [
            {"first_score": int(vote.first[t]), "nodes": _nodes(walk, t)}
            for t in range(walk.n_trees)
        ],
    }
    indent = options["indent"]
    text = json.dumps(
        document,
        allow_nan=False,
        ensure_ascii=False,
        indent=indent,
        separators=None if indent else (",", ":"),
    )
    return Artefact(text + "\n")


def _nodes(walk: Walk, tree: int) -> list[dict[str, Any]]:
    root = int(walk.root[tree])
    found = []
    for node in range(root, int(walk.end[tree])):
        if walk.kind[node] == LEAF:
            leaf = int(walk.leaf[node])
            found.append(
                {
                    "leaf": walk.value[leaf].tolist(),
                    **({} if walk.lines is None else {"line": _line(walk, leaf)}),
                    "weight": float(walk.weight[node]),
                }
            )
            continue
        children = walk.children(node)
        missing = int(walk.missing_branch[node])
        inner: dict[str, Any] = {
            "test": _test(walk, node),
            "children": [child - root for child in children],
        }
        if walk.kind[node] != HYPERPLANE:
            inner["missing"] = "every" if missing < 0 else missing
        if missing < 0:
            inner["shares"] = walk.share[children.start : children.stop].tolist()
        found.append(inner | {"weight": float(walk.weight[node])})
    return found


def _line(walk: Walk, leaf: int) -> dict[str, Any]:
    """Write what a leaf adds to its number, and what the sum is clipped to."""
    lines = walk.lines
    assert lines is not None
    names = ("slope", "low", "high", "if_missing")
    return {
        "terms": [
            {"column": walk.columns[column].name, **dict(zip(names, rest, strict=True))}
            for column, *rest in lines.terms(leaf)
        ],
        "low": float(lines.bottom[leaf]),
        "high": float(lines.top[leaf]),
    }


def _test(walk: Walk, node: int) -> dict[str, Any]:
    kind = walk.kind[node]
    if kind == HYPERPLANE:
        terms = []
        for column, category, weight, fill in walk.terms(node):
            info = walk.columns[column]
            term: dict[str, Any] = {"column": info.name, "weight": weight}
            if category < 0:
                term["if_missing"] = fill
            else:
                term["category"] = info.categories[category]
            terms.append(term)
        return {"sum": terms, "at_most": float(walk.threshold[node])}
    info = walk.columns[walk.column[node]]
    default = int(walk.default_branch[node])
    if kind == KNOWN:
        return {"column": info.name, "known": default}
    if kind == CATEGORIES:
        codes, branches = walk.listed(node)
        sets: list[list[Any]] = [[] for _ in walk.children(node)]
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            sets[branch].append(info.categories[int(code)])
        return {"column": info.name, "sets": sets, "other": default}
    if kind == INTERVALS:
        bounds, branches = walk.listed(node)
        every = [*branches.tolist(), default]
        return {"column": info.name, "bounds": bounds.tolist(), "branches": every}
    return {"column": info.name, "at_most": float(walk.threshold[node])}


# --- a reader -------------------------------------------------------------------------


class Reader:
    """Predicts from the JSON alone; a row is a dict of plain values, None missing."""

    def __init__(self, text: str) -> None:
        self.model = json.loads(text)
        self.known = {
            column["name"]: set(column["categories"])
            for column in self.model["columns"]
            if "categories" in column
        }

    def scores(self, row: dict[str, Any]) -> list[float] | None:
        """Return the scores of a row; None if the model refuses it."""
        model = self.model
        row = dict(row)
        for name, known in self.known.items():
            if row[name] is not None and row[name] not in known:
                if model["unseen"] == "error":
                    return None
                if model["unseen"] == "missing":
                    row[name] = None
        if model["missing"] == "error" and None in row.values():
            return None
        scores = list(model["vote"]["start"])
        for tree in model["trees"]:
            first = tree["first_score"]
            own: list[float] = []
            stack = [(0, 1.0)]
            while stack:
                number, share = stack.pop()
                node = tree["nodes"][number]
                if "leaf" in node:
                    own = own or [0.0] * len(node["leaf"])
                    if "line" in node:
                        own[0] = _on_line(node, row)
                        continue
                    for k, value in enumerate(node["leaf"]):
                        own[k] += share * value
                    continue
                branch = _branch(node, row)
                if branch == "every":
                    below = zip(node["children"], node["shares"], strict=True)
                    stack += [(child, share * part) for child, part in below][::-1]
                else:
                    stack.append((node["children"][branch], share))
            for k, value in enumerate(own):
                scores[first + k] += value
        return [score / model["vote"]["divide"] for score in scores]

    def answers(self, scores: list[float]) -> list[float]:
        """Return what is shown: probabilities, or numbers."""
        vote = self.model["vote"]
        if vote["link"] == "exp":
            return [math.exp(score) for score in scores]
        if vote["link"] == "expit":
            small = math.exp(-abs(scores[0]))
            second = 1 / (1 + small) if scores[0] >= 0 else small / (1 + small)
            return [1 - second, second]
        if vote["link"] == "softmax":
            power = [math.exp(score - max(scores)) for score in scores]
            return [each / sum(power) for each in power]
        return scores[: vote["decide_from"] or len(scores)]

    def labels(self, scores: list[float]) -> list[Any]:
        """Return the class of each output."""
        vote = self.model["vote"]
        if vote["decide"] == "positive":
            return [vote["outputs"][0][int(scores[0] > 0)]]
        found, begin = [], vote["decide_from"]
        for labels in vote["outputs"]:
            own = scores[begin : begin + len(labels)]
            begin += len(labels)
            if vote["costs"] is not None:
                cost = [0.0] * len(own)
                for k, share in enumerate(own):
                    own_costs = zip(cost, vote["costs"][k], strict=True)
                    cost = [c + share * d for c, d in own_costs]
                own = [-c for c in cost]
            found.append(labels[own.index(max(own))])
        return found


def _on_line(node: dict[str, Any], row: dict[str, Any]) -> float:
    total: float = node["leaf"][0]
    for term in node["line"]["terms"]:
        x = row[term["column"]]
        x = term["if_missing"] if x is None else x
        total += term["slope"] * min(max(x, term["low"]), term["high"])
    return float(min(max(total, node["line"]["low"]), node["line"]["high"]))


def _branch(node: dict[str, Any], row: dict[str, Any]) -> Any:
    test = node["test"]
    if "sum" in test:
        total = 0.0
        for term in test["sum"]:
            x = row[term["column"]]
            if "category" in term:
                total += term["weight"] if x == term["category"] else 0.0
            else:
                total += term["weight"] * (term["if_missing"] if x is None else x)
        return int(total > test["at_most"])
    x = row[test["column"]]
    if x is None:
        return node["missing"]
    if "sets" in test:
        for branch, members in enumerate(test["sets"]):
            if x in members:
                return branch
        return test["other"]
    if "bounds" in test:
        for bound, branch in zip(test["bounds"], test["branches"], strict=False):
            if x <= bound:
                return branch
        return test["branches"][-1]
    return test["known"] if "known" in test else int(x > test["at_most"])


class _OwnReader:
    """Predicts by our reader of the JSON."""

    name, is_own = "ramify's reader of the schema", True

    def version(self) -> str | None:
        return str(_VERSION)

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        reader = Reader(artefact.text)
        names = [info.name for info in walk.columns]
        rows = zip(*columns_for(walk, matrix), strict=True)
        is_one = len(walk.vote.outputs) == 1
        said: list[tuple[Any, Any] | None] = []
        for row in rows:
            scores = reader.scores(dict(zip(names, row, strict=True)))
            if scores is None:
                said.append(None)
                continue
            numbers = reader.answers(scores)
            if walk.vote.is_number:
                said.append((None, numbers))
                continue
            labels = reader.labels(scores)
            said.append((labels[0] if is_one else labels, _by_output(numbers, walk)))
        return Answers.of_rows(walk, said)


def _by_output(numbers: list[float], walk: Walk) -> Any:
    """Part probabilities by output, if there are several."""
    if len(walk.vote.outputs) == 1:
        return numbers
    parts, begin = [], 0
    for output in walk.vote.outputs:
        parts.append(numbers[begin : begin + output.size])
        begin += output.size
    return parts


FORMAT = Format(
    name="json",
    suffix=".json",
    write=write,
    lines=True,
    about="a documented file that any language reads",
    runtimes=(_OwnReader(),),
    options={"indent": Option(None, "spaces per level; None for one line")},
)
