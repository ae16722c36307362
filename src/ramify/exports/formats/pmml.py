# SPDX-License-Identifier: BSD-3-Clause
"""A model as PMML 4.4: trees, forests by their mean, boosted sums with their link."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import numpy as np

from ramify.exports.base import Answers, Artefact, Format, codes_of_labels
from ramify.exports.certificates.pmml_reader import Document
from ramify.exports.certificates.rows import columns_for
from ramify.exports.formats.literals import comment, number
from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, LEAF, Walk

__all__ = ["FORMAT"]

_MAX_TERMS = 400  # a sum is nested that deep
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Quote the value of an attribute; refuse what XML 1.0 cannot hold."""
    if _NOT_XML.search(text):
        raise ValueError(f"PMML cannot hold the text {text!r}: XML has no such sign")
    for sign, word in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, word)
    for sign in "\n\r\t":
        text = text.replace(sign, f"&#{ord(sign)};")
    return f'"{text}"'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, float) else str(value)


def _kind_of(values: Any) -> str:
    first = values[0] if len(values) else ""
    if isinstance(first, bool):
        return "boolean"
    if isinstance(first, int):
        return "integer"
    return "double" if isinstance(first, float) else "string"


def _kind_of_labels(labels: list[Any]) -> str:
    """Return the type of the target; JPMML finds no probability of a boolean."""
    kind = _kind_of(labels)
    return "string" if kind == "boolean" else kind


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as PMML."""
    return Artefact("\n".join(_Writer(walk).document()) + "\n")


class _Writer:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.names = [info.name for info in walk.columns]
        self.target = self._free("prediction")
        n_terms = np.diff(walk.term_begin)
        if n_terms.max(initial=0) > _MAX_TERMS:
            raise ValueError(
                f"format='pmml' nests sums of {_MAX_TERMS} terms at most; node "
                f"{int(n_terms.argmax())} has {int(n_terms.max())}; use 'c' or 'json'"
            )
        planes = np.flatnonzero(walk.kind == HYPERPLANE).tolist()
        self.planes = {node: self._free(f"sum_{node}") for node in planes}

    def _free(self, name: str) -> str:
        """Return a name that no column has."""
        while name in self.names:
            name += "_"
        return name

    # --- the document -------------------------------------------------------------

    def document(self) -> Iterator[str]:
        walk, vote = self.walk, self.walk.vote
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield '<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">'
        about = f"{comment(walk.described)}, model {walk.hash()}"
        yield f"<Header description={attribute(about)}>"
        yield '<Application name="ramify"/></Header>'
        yield "<DataDictionary>"
        for info in walk.columns:
            name = attribute(info.name)
            if not info.is_categorical:
                yield f'<DataField name={name} optype="continuous" dataType="double"/>'
                continue
            kind = _kind_of(info.categories)
            yield f'<DataField name={name} optype="categorical" dataType="{kind}">'
            if walk.unseen == "missing":
                for value in info.categories:
                    yield f"<Value value={attribute(_value(value))}/>"
            yield "</DataField>"
        name = attribute(self.target)
        labels = vote.outputs[0].labels
        if labels is None:
            yield f'<DataField name={name} optype="continuous" dataType="double"/>'
        else:
            kind = _kind_of_labels(labels.tolist())
            yield f'<DataField name={name} optype="categorical" dataType="{kind}">'
            for label in labels.tolist():
                yield f"<Value value={attribute(_value(label))}/>"
            yield "</DataField>"
        yield "</DataDictionary>"
        if self.planes:
            yield "<TransformationDictionary>"
            for node, own in self.planes.items():
                yield from self._derived(node, own)
            yield "</TransformationDictionary>"
        yield from self._model()
        yield "</PMML>"

    def _model(self) -> Iterator[str]:
        walk, vote = self.walk, self.walk.vote
        task = "regression" if vote.is_number else "classification"
        if walk.n_trees == 1 and vote.link == "none" and not vote.start.any():
            yield from self._tree(0, task, is_outer=True)
            return
        yield f'<MiningModel functionName="{task}">'
        yield from self._schema(is_outer=True)
        yield from self._output()
        if vote.divide > 1:
            yield from self._segments("average", range(walk.n_trees), task)
        elif vote.link == "none":
            yield from self._segments("sum", range(walk.n_trees), task)
        else:
            yield from self._linked(task)
        yield "</MiningModel>"

    def _schema(self, is_outer: bool) -> Iterator[str]:
        """List the fields that a model reads."""
        treat = "asMissing" if self.walk.unseen == "missing" else "asIs"
        yield "<MiningSchema>"
        for info in self.walk.columns:
            # In an inner model the values have been treated already.
            own = treat if is_outer and info.is_categorical else "asIs"
            name = attribute(info.name)
            yield f'<MiningField name={name} invalidValueTreatment="{own}"/>'
        if is_outer:
            yield f'<MiningField name={attribute(self.target)} usageType="target"/>'
        yield "</MiningSchema>"

    def _output(self) -> Iterator[str]:
        labels = self.walk.vote.outputs[0].labels
        if labels is None:
            return
        yield "<Output>"
        kind = _kind_of_labels(labels.tolist())
        shown = attribute(self._free("label"))
        yield (
            f'<OutputField name={shown} optype="categorical" dataType="{kind}" '
            'feature="predictedValue"/>'
        )
        for k, label in enumerate(labels.tolist()):
            name = attribute(self._free(f"probability_{k}"))
            yield (
                f'<OutputField name={name} optype="continuous" dataType="double" '
                f'feature="probability" value={attribute(_value(label))}/>'
            )
        yield "</Output>"

    # --- several trees ------------------------------------------------------------

    def _segments(self, method: str, trees: Any, task: str) -> Iterator[str]:
        yield f'<Segmentation multipleModelMethod="{method}">'
        for i, t in enumerate(trees):
            yield f'<Segment id="{i + 1}"><True/>'
            # The start comes first, as it should: in the leaves of the first tree.
            vote = self.walk.vote
            yield from self._tree(t, task, start=vote.start if i == 0 else None)
            yield "</Segment>"
        yield "</Segmentation>"

    def _linked(self, task: str) -> Iterator[str]:
        """Chain the sums of scores with a regression that has the link."""
        walk, vote = self.walk, self.walk.vote
        yield '<Segmentation multipleModelMethod="modelChain">'
        scores = [self._free(f"score_{k}") for k in range(len(vote.start))]
        for k, score in enumerate(scores):
            trees = np.flatnonzero(vote.first == k).tolist()
            yield f'<Segment id="{k + 1}"><True/>'
            yield '<MiningModel functionName="regression">'
            yield from self._schema(is_outer=False)
            yield (
                f'<Output><OutputField name={attribute(score)} optype="continuous" '
                'dataType="double" feature="predictedValue"/></Output>'
            )
            yield '<Segmentation multipleModelMethod="sum">'
            for i, t in enumerate(trees):
                yield f'<Segment id="{i + 1}"><True/>'
                start = vote.start[k : k + 1] if i == 0 else None
                yield from self._tree(t, "regression", start=start)
                yield "</Segment>"
            yield "</Segmentation></MiningModel></Segment>"
        link = {"expit": "logit", "softmax": "softmax", "exp": "exp"}[vote.link]
        yield f'<Segment id="{len(scores) + 1}"><True/>'
        yield f'<RegressionModel functionName="{task}" normalizationMethod="{link}">'
        yield "<MiningSchema>"
        for score in scores:
            yield f"<MiningField name={attribute(score)}/>"
        yield f'<MiningField name={attribute(self.target)} usageType="target"/>'
        yield "</MiningSchema>"
        labels = vote.outputs[0].labels
        if labels is None:
            yield from self._table(scores[0], "")
        elif vote.link == "expit":
            first, second = map(_value, labels.tolist())
            yield from self._table(scores[0], f" targetCategory={attribute(second)}")
            empty = f" targetCategory={attribute(first)}"
            yield f'<RegressionTable intercept="0"{empty}/>'
        else:
            for score, label in zip(scores, labels.tolist(), strict=True):
                target = f" targetCategory={attribute(_value(label))}"
                yield from self._table(score, target)
        yield "</RegressionModel></Segment></Segmentation>"
        assert walk.width == 1

    def _table(self, score: str, target: str) -> Iterator[str]:
        yield f'<RegressionTable intercept="0"{target}>'
        yield f'<NumericPredictor name={attribute(score)} coefficient="1"/>'
        yield "</RegressionTable>"

    # --- one tree -----------------------------------------------------------------

    def _tree(
        self, tree: int, task: str, *, is_outer: bool = False, start: Any = None
    ) -> Iterator[str]:
        walk = self.walk
        yield (
            f'<TreeModel functionName="{task}" missingValueStrategy="defaultChild" '
            'splitCharacteristic="multiSplit">'
        )
        yield from self._schema(is_outer)
        if is_outer:
            yield from self._output()
        values = walk.value if start is None else start + walk.value
        root = int(walk.root[tree])
        stack: list[Any] = [(root, "<True/>")]
        decided = walk.leaf_decisions()
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
                continue
            node, test = item
            if walk.kind[node] == LEAF:
                yield from self._leaf(node, test, values, task, decided)
                continue
            if_missing = int(walk.first[node] + max(int(walk.missing_branch[node]), 0))
            default = (
                "" if walk.kind[node] == HYPERPLANE else f' defaultChild="{if_missing}"'
            )
            yield f'<Node id="{node}"{default}>{test}'
            stack.append("</Node>")
            stack += [(child, text) for text, child in self._tests(node)][::-1]
        yield "</TreeModel>"

    def _leaf(
        self, node: int, test: str, values: Any, task: str, decided: Any
    ) -> Iterator[str]:
        walk, vote = self.walk, self.walk.vote
        line = values[walk.leaf[node]].tolist()
        if task == "regression":
            yield f'<Node id="{node}" score="{number(line[0])}">{test}</Node>'
            return
        output = vote.outputs[0]
        assert output.labels is not None
        labels = [_value(label) for label in output.labels.tolist()]
        shares = line[: output.size]
        best = int(np.argmax(shares))
        if decided is not None:
            best = int(decided[walk.leaf[node], 0])
        yield f'<Node id="{node}" score={attribute(labels[best])}>{test}'
        for label, share in zip(labels, shares, strict=True):
            n = number(share)
            yield (
                f"<ScoreDistribution value={attribute(label)} "
                f'recordCount="{n}" probability="{n}"/>'
            )
        yield "</Node>"

    def _tests(self, node: int) -> list[tuple[str, int]]:
        """Write the predicates of the children; the first that holds is taken."""
        walk, kind = self.walk, self.walk.kind[node]
        first = int(walk.first[node])
        if kind == HYPERPLANE:
            field, cut = attribute(self.planes[node]), number(walk.threshold[node])
            return [
                (_simple(field, "lessOrEqual", cut), first),
                (_simple(field, "greaterThan", cut), first + 1),
            ]
        info = walk.columns[walk.column[node]]
        field = attribute(info.name)
        if_missing, default = (
            int(walk.missing_branch[node]),
            int(walk.default_branch[node]),
        )
        is_missing = f'<SimplePredicate field={field} operator="isMissing"/>'
        known = f'<SimplePredicate field={field} operator="isNotMissing"/>'
        if kind == KNOWN:
            found = [(known, first + default)]
            other = 1 - default
            return [(is_missing, first + other), *found]
        if kind == CATEGORIES:
            codes, branches = walk.listed(node)
            tests, last = [], []
            for branch, child in enumerate(walk.children(node)):
                own = [info.categories[int(c)] for c in codes[branches == branch]]
                if branch == default:
                    others = codes[branches != branch]
                    values = [info.categories[int(c)] for c in others]
                    text = _members(field, values, False) if values else known
                    last.append((text, child))
                elif own:
                    tests.append((_members(field, own, True), child))
                else:
                    tests.insert(0, (is_missing, child))
            return [*tests, *last]
        if kind == INTERVALS:
            bounds, branches = walk.listed(node)
            edges = [None, *bounds.tolist(), None]
            owners = [*branches.tolist(), default]
            tests = []
            for branch, child in enumerate(walk.children(node)):
                own_parts = [
                    _between(field, edges[i], edges[i + 1])
                    for i, owner in enumerate(owners)
                    if owner == branch
                ]
                if not own_parts:
                    tests.insert(0, (is_missing, child))
                else:
                    tests.append((_any(own_parts), child))
            return tests
        cut = number(walk.threshold[node])
        assert if_missing in (0, 1)
        return [
            (_simple(field, "lessOrEqual", cut), first),
            (_simple(field, "greaterThan", cut), first + 1),
        ]

    # --- sums ---------------------------------------------------------------------

    def _derived(self, node: int, name: str) -> Iterator[str]:
        yield (
            f'<DerivedField name={attribute(name)} optype="continuous" '
            'dataType="double">'
        )
        terms = self.walk.terms(node)
        yield '<Apply function="+">' * len(terms)
        yield _constant(0.0)
        for column, category, weight, fill in terms:
            info = self.walk.columns[column]
            field = f"<FieldRef field={attribute(info.name)}/>"
            if_missing = f'<Apply function="isMissing">{field}</Apply>'
            if category < 0:
                known = (
                    f'<Apply function="if">{if_missing}{_constant(fill)}{field}</Apply>'
                )
                yield f'<Apply function="*">{_constant(weight)}{known}</Apply></Apply>'
                continue
            value = info.categories[category]
            same = (
                f'<Apply function="equal">{field}'
                f'<Constant dataType="{_kind_of(info.categories)}">'
                f"{attribute(_value(value))[1:-1]}</Constant></Apply>"
            )
            parts = f"{same}{_constant(weight)}{_constant(0.0)}"
            own = f'<Apply function="if">{parts}</Apply>'
            zero = _constant(0.0)
            yield f'<Apply function="if">{if_missing}{zero}{own}</Apply></Apply>'
        yield "</DerivedField>"


def _constant(x: float) -> str:
    return f'<Constant dataType="double">{number(x)}</Constant>'


def _simple(field: str, operator: str, value: str) -> str:
    return f'<SimplePredicate field={field} operator="{operator}" value="{value}"/>'


def _members(field: str, values: list[Any], is_in: bool) -> str:
    """Write a set; word by word where arrays are not read alike by all engines."""
    texts = [_value(value) for value in values]
    is_text = isinstance(values[0], str)
    if (is_text and any(not _is_tame(text) for text in texts)) or len(texts) == 1:
        word, join = ("equal", "or") if is_in else ("notEqual", "and")
        parts = [
            f'<SimplePredicate field={field} operator="{word}" '
            f"value={attribute(text)}/>"
            for text in texts
        ]
        if len(parts) == 1:
            return parts[0]
        return (
            f'<CompoundPredicate booleanOperator="{join}">{"".join(parts)}'
            "</CompoundPredicate>"
        )
    kind = {"integer": "int", "double": "real"}.get(_kind_of(values), "string")
    listed = " ".join(f"&quot;{text}&quot;" if is_text else text for text in texts)
    return (
        f'<SimpleSetPredicate field={field} booleanOperator="'
        f'{"isIn" if is_in else "isNotIn"}"><Array type="{kind}" n="{len(texts)}">'
        f"{listed}</Array></SimpleSetPredicate>"
    )


def _is_tame(text: str) -> bool:
    return bool(re.fullmatch(r"\w+", text))


def _between(field: str, low: float | None, high: float | None) -> str:
    parts = []
    if low is not None:
        parts.append(_simple(field, "greaterThan", number(low)))
    if high is not None:
        parts.append(_simple(field, "lessOrEqual", number(high)))
    if len(parts) == 1:
        return parts[0]
    return (
        f'<CompoundPredicate booleanOperator="and">{"".join(parts)}</CompoundPredicate>'
    )


def _any(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return (
        f'<CompoundPredicate booleanOperator="or">{"".join(parts)}</CompoundPredicate>'
    )


# --- who reads it ---------------------------------------------------------------------

_SCRIPT = """\
import json, sys
from pypmml import Model
model = Model.load("model.pmml")
with open("rows.json") as file:
    said = model.predict(file.read())
with open("out.json", "w") as file:
    file.write(said)
Model.close()
"""


class _Pmml4s:
    """Runs PMML4S by pypmml, in a process of its own."""

    name, is_own = "pypmml", False

    def version(self) -> str | None:
        if importlib.util.find_spec("pypmml") is None or shutil.which("java") is None:
            return None
        return version_of("pypmml")

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        names = [info.name for info in walk.columns]
        rows = list(zip(*columns_for(walk, matrix), strict=True))
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "model.pmml").write_text(artefact.text, encoding="utf-8")
            table = {"columns": names, "data": rows}  # with all digits
            (place / "rows.json").write_text(json.dumps(table))
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise ValueError(f"pypmml cannot run the model: {done.stderr[-2000:]}")
            said = json.loads((place / "out.json").read_text())
        return _answers(walk, said["columns"], said["data"])


class _OwnReading:
    """Reads the document ourselves, for want of an engine."""

    name, is_own = "ramify's own reading of PMML", True

    def version(self) -> str | None:
        return "1"

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        names = [info.name for info in walk.columns]
        columns = columns_for(walk, matrix)
        document = Document(artefact.content)
        try:
            said = document.predict(dict(zip(names, columns, strict=True)))
        except KeyError as error:
            raise ValueError(f"the document speaks of {error}: what is that?") from None
        if walk.vote.is_number:
            if said.number is None:
                raise ValueError("the document predicts classes, not numbers")
            return Answers(said.number[:, None], None, ~said.known)
        labels = walk.vote.outputs[0].labels
        if said.decision is None or said.shares is None or labels is None:
            raise ValueError("the document predicts numbers, not classes")
        place = {_value(label): i for i, label in enumerate(labels.tolist())}
        codes = np.array([place.get(label, -9) for label in said.labels])
        return Answers(said.shares, codes[said.decision][:, None], ~said.known)


def _answers(walk: Walk, names: list[str], lines: list[list[Any]]) -> Answers:
    vote = walk.vote
    if vote.is_number:
        column = [line[0] for line in lines]
        return Answers(np.array(column, dtype=np.float64)[:, None], None)
    labels = vote.outputs[0].labels
    assert labels is not None
    at = next(i for i, name in enumerate(names) if name.startswith("label"))
    shown = [i for i, name in enumerate(names) if name.startswith("probability_")]
    numbers = np.array(
        [[line[i] for i in shown[-len(labels) :]] for line in lines], dtype=np.float64
    )
    said = [[_value(line[at]) for line in lines]]
    place = {_value(label): label for label in labels.tolist()}
    known = [[place.get(each, each) for each in said[0]]]
    return Answers(numbers, codes_of_labels(walk, known))


FORMAT = Format(
    name="pmml",
    suffix=".pmml",
    write=write,
    about="for engines of the PMML standard (4.4)",
    fractional=False,
    outputs=1,
    decides=frozenset(["number", "argmax", "positive"]),
    tolerance={"none": 1e-15, "expit": 1e-12, "softmax": 1e-12, "exp": 1e-12},
    runtimes=(_Pmml4s(), _OwnReading()),
)
