# SPDX-License-Identifier: BSD-3-Clause
"""Our own reading of PMML: the part of the standard that our documents use.

It knows the document alone, and reads it as the standard says: predicates are true,
false or unknown, the first child that holds is taken, and an unknown one leads to the
default child.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

__all__ = ["Document", "Said"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
_FALSE, _UNKNOWN, _TRUE = range(3)  # "and" is the least, "or" the largest of them
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


class Field(NamedTuple):
    """What the rows have in a column.

    Numbers stand in `cells` as they are, categories as their places in `place`.
    """

    kind: str
    cells: Floats
    known: Bools
    place: Mapping[Any, int] | None = None

    def cell(self, text: str) -> float:
        """Read a value of the document as a cell; one that no row has is -1."""
        value = _typed(text, self.kind)
        return value if self.place is None else self.place.get(value, -1)


@dataclass(frozen=True, eq=False)
class Said:
    """What a model says of rows.

    Attributes
    ----------
    known : ndarray of bool
        Rows for which there is an answer.
    number : ndarray or None
        The numbers predicted.
    labels : list of str
        The classes.
    decision : ndarray or None
        The place of the class decided for.
    shares : ndarray of shape (n_rows, n_classes) or None
        Probabilities.
    """

    known: Bools
    number: Floats | None
    labels: list[str]
    decision: Ints | None
    shares: Floats | None


class Document:
    """A PMML document that predicts.

    Parameters
    ----------
    data : bytes
        The file.
    """

    def __init__(self, data: bytes) -> None:
        if b"<!DOCTYPE" in data:
            raise ValueError("a PMML document has no DOCTYPE; this one is not read")
        try:
            root = ElementTree.fromstring(data)
        except ElementTree.ParseError as error:
            raise ValueError(f"this is no XML: {error}") from error
        if root.tag != f"{_NAMESPACE}PMML":
            raise ValueError(f"this is no PMML 4.4 but {root.tag!r}")
        for element in root.iter():
            element.tag = element.tag.removeprefix(_NAMESPACE)
        self.data_fields = {
            _get(field, "name"): field for field in _one(root, "DataDictionary")
        }
        self.derived = root.findall("TransformationDictionary/DerivedField")
        found = [each for each in root if each.tag in _MODELS]
        if len(found) != 1:
            raise ValueError(f"the document has {len(found)} models; one can be read")
        self.model = found[0]
        target = self.model.find("MiningSchema/MiningField[@usageType='target']")
        if target is None:
            raise ValueError("the model has no target")
        self.labels = self._values(_get(target, "name"))

    def _values(self, name: str) -> list[str]:
        if name not in self.data_fields:
            raise ValueError(f"the document has no field {name!r}")
        return [_get(value, "value") for value in self.data_fields[name]]

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> Said:
        """Predict rows: columns by name, None where a value is missing."""
        fields: dict[str, Field] = {}
        n_rows = 0
        for name, values in columns.items():
            if name not in self.data_fields:
                raise ValueError(f"the document has no field {name!r}")
            fields[name] = _field(self.data_fields[name], values)
            n_rows = len(values)
        fields = self._seen_by(self.model, fields)
        for element in self.derived:
            name = _get(element, "name")
            fields[name] = _value_of(element[0], fields, n_rows)
        said = self._evaluate(self.model, fields, n_rows)
        shown = self.model.findall("Output/OutputField[@feature='probability']")
        if said.shares is None or not shown:
            return said
        order = [self._class(field, "value") for field in shown]
        return Said(said.known, None, self.labels, said.decision, said.shares[:, order])

    def _seen_by(self, model: Element, fields: Mapping[str, Field]) -> dict[str, Field]:
        """Return the fields of a model's schema, with invalid values treated."""
        found = {}
        for element in _one(model, "MiningSchema"):
            if element.get("usageType") == "target":
                continue
            name = _get(element, "name")
            if name not in fields:
                raise ValueError(f"a model reads {name!r}, which is no field")
            found[name] = field = fields[name]
            if field.place is None or name not in self.data_fields:
                continue
            treatment = element.get("invalidValueTreatment", "returnInvalid")
            valid = self._values(name)
            if treatment == "asMissing" and valid:
                is_valid = np.isin(field.cells, [field.cell(text) for text in valid])
                found[name] = field._replace(known=field.known & is_valid)
            elif treatment != "asIs" and valid:
                raise ValueError(f"invalidValueTreatment={treatment!r} is not read")
        return found

    def _evaluate(self, model: Element, fields: Mapping[str, Field], n: int) -> Said:
        if model.tag not in _MODELS:
            raise ValueError(f"a {model.tag} is not read")
        return _MODELS[model.tag](self, model, fields, n)

    # --- one tree -----------------------------------------------------------------

    def _tree(self, model: Element, fields: Mapping[str, Field], n: int) -> Said:
        if model.get("missingValueStrategy") != "defaultChild":
            raise ValueError("only missingValueStrategy='defaultChild' is read")
        leaf = np.full(n, -1)
        leaves: list[Element] = []
        stack = [(_one(model, "Node"), np.arange(n))]
        while stack:
            node, rows = stack.pop()
            children = node.findall("Node")
            if not children:
                leaf[rows] = len(leaves)
                leaves.append(node)
                continue
            default = next((c for c in children if c.get("id") == _default(node)), None)
            for child in children:
                state = _holds(_predicate(child), fields, rows)
                for to, here in ((child, state == _TRUE), (default, state == _UNKNOWN)):
                    if to is not None and here.any():
                        stack.append((to, rows[here]))
                rows = rows[state == _FALSE]
        known = leaf >= 0
        if not leaves:
            raise ValueError("no row reaches a leaf")
        if model.get("functionName") == "regression":
            score = np.array([float(_get(node, "score")) for node in leaves])
            return Said(known, score[leaf], [], None, None)
        decided = np.array([self._class(node, "score") for node in leaves])
        shares = np.array([self._shares(node) for node in leaves])
        return Said(known, None, self.labels, decided[leaf], shares[leaf])

    def _class(self, element: Element, name: str) -> int:
        label = _get(element, name)
        if label not in self.labels:
            raise ValueError(f"{name}={label!r} is no class of the document")
        return self.labels.index(label)

    def _shares(self, leaf: Element) -> list[float]:
        own = {
            _get(each, "value"): float(_get(each, "probability"))
            for each in leaf.findall("ScoreDistribution")
        }
        return [own.get(label, 0.0) for label in self.labels]

    # --- several ------------------------------------------------------------------

    def _mining(self, model: Element, fields: Mapping[str, Field], n: int) -> Said:
        parts = _one(model, "Segmentation")
        method = parts.get("multipleModelMethod")
        segments = parts.findall("Segment")
        if any(segment[0].tag != "True" for segment in segments):
            raise ValueError("only segments for every row are read")
        if method == "modelChain":
            return self._chained(segments, dict(fields), n)
        if method not in ("average", "sum"):
            raise ValueError(f"multipleModelMethod={method!r} is not read")
        divide = len(segments) if method == "average" else 1
        total: Floats | None = None
        known = np.ones(n, dtype=np.bool_)
        for segment in segments:
            said = self._evaluate(segment[1], fields, n)
            known &= said.known
            own = said.number if said.shares is None else said.shares
            assert own is not None
            total = own if total is None else total + own
        assert total is not None
        if total.ndim == 1:
            return Said(known, total / divide, [], None, None)
        return self._by_shares(known, total / divide)

    def _by_shares(self, known: Bools, shares: Floats) -> Said:
        """Decide for the first of the most probable classes."""
        return Said(known, None, self.labels, shares.argmax(axis=1), shares)

    def _chained(
        self, segments: list[Element], fields: dict[str, Field], n: int
    ) -> Said:
        for segment in segments:
            said = self._evaluate(segment[1], fields, n)
            for output in segment[1].findall("Output/OutputField"):
                if output.get("feature") != "predictedValue" or said.number is None:
                    raise ValueError("a chain passes on predicted numbers only")
                fields[_get(output, "name")] = Field("double", said.number, said.known)
        return said

    def _regression(self, model: Element, fields: Mapping[str, Field], n: int) -> Said:
        fields = self._seen_by(model, fields)
        sums: dict[str, Floats] = {}
        known = np.ones(n, dtype=np.bool_)
        for table in model.findall("RegressionTable"):
            total = np.full(n, float(_get(table, "intercept")))
            for term in table:
                field = fields[_get(term, "name")]
                known &= field.known
                total = total + float(_get(term, "coefficient")) * field.cells
            sums[table.get("targetCategory", "")] = total
        link = model.get("normalizationMethod")
        if model.get("functionName") == "regression" and link == "exp":
            (number,) = sums.values()
            return Said(known, np.exp(number), [], None, None)
        if link == "softmax":
            scores = np.column_stack([sums[label] for label in self.labels])
            power = np.exp(scores - scores.max(axis=1, keepdims=True))
            return self._by_shares(known, power / power.sum(axis=1, keepdims=True))
        if link == "logit" and len(sums) == 2:
            # The first table has the link, the other class has the rest.
            (first, score), (second, _) = sums.items()
            small = np.exp(-np.abs(score))
            share = np.where(score >= 0, 1 / (1 + small), small / (1 + small))
            own = {first: share, second: 1 - share}
            return self._by_shares(
                known, np.column_stack([own[label] for label in self.labels])
            )
        raise ValueError(f"normalizationMethod={link!r} is not read")


_MODELS: dict[str, Callable[[Document, Element, Mapping[str, Field], int], Said]] = {
    "TreeModel": Document._tree,
    "MiningModel": Document._mining,
    "RegressionModel": Document._regression,
}


# --- elements -------------------------------------------------------------------------


def _one(parent: Element, tag: str) -> Element:
    found = parent.find(tag)
    if found is None:
        raise ValueError(f"a {parent.tag} has no {tag}")
    return found


def _get(element: Element, name: str) -> str:
    found = element.get(name)
    if found is None:
        raise ValueError(f"a {element.tag} has no {name}")
    return found


def _default(node: Element) -> str:
    return node.get("defaultChild", "none")


def _predicate(node: Element) -> Element:
    for each in node:
        if each.tag not in ("Node", "ScoreDistribution", "Extension"):
            return each
    raise ValueError(f"node {node.get('id')} has no predicate")


def _typed(text: str, kind: str) -> Any:
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    return {"integer": int, "double": float, "string": str}[kind](text)


def _field(element: Element, values: Sequence[Any]) -> Field:
    kind = _get(element, "dataType")
    known = np.array([value is not None for value in values], dtype=np.bool_)
    if _get(element, "optype") == "continuous":
        cells = np.array([np.nan if value is None else value for value in values])
        return Field(kind, cells.astype(np.float64), known)
    place: dict[Any, int] = {}
    codes = [place.setdefault(value, len(place)) for value in values]
    return Field(kind, np.array(codes, dtype=np.float64), known, place)


# --- predicates -----------------------------------------------------------------------

_COMPARE: dict[str, Callable[[Floats, float], Any]] = {
    "equal": np.equal,
    "notEqual": np.not_equal,
    "lessThan": np.less,
    "lessOrEqual": np.less_equal,
    "greaterThan": np.greater,
    "greaterOrEqual": np.greater_equal,
}


def _holds(test: Element, fields: Mapping[str, Field], rows: Ints) -> Ints:
    """Say of each row whether a predicate is true, false or unknown."""
    if test.tag == "True":
        return np.full(len(rows), _TRUE)
    if test.tag == "CompoundPredicate":
        states = [_holds(part, fields, rows) for part in test]
        join = {"and": np.minimum, "or": np.maximum}[_get(test, "booleanOperator")]
        return np.asarray(join.reduce(states))
    field = fields[_get(test, "field")]
    cells, known = field.cells[rows], field.known[rows]
    if test.tag == "SimpleSetPredicate":
        is_in = np.isin(cells, [field.cell(text) for text in _array(test)])
        if _get(test, "booleanOperator") == "isNotIn":
            is_in = ~is_in
        return np.where(known, np.where(is_in, _TRUE, _FALSE), _UNKNOWN)
    if test.tag != "SimplePredicate":
        raise ValueError(f"the predicate {test.tag} is not read")
    operator = _get(test, "operator")
    if operator in ("isMissing", "isNotMissing"):
        return np.where(known == (operator == "isNotMissing"), _TRUE, _FALSE)
    if field.place is not None and operator not in ("equal", "notEqual"):
        raise ValueError(f"categories are not compared by {operator!r}")
    holds = _COMPARE[operator](cells, field.cell(_get(test, "value")))
    return np.where(known, np.where(holds, _TRUE, _FALSE), _UNKNOWN)


def _array(test: Element) -> list[str]:
    array = _one(test, "Array")
    words = [
        re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2]
        for found in _WORD.finditer(array.text or "")
    ]
    if array.get("n", str(len(words))) != str(len(words)):
        raise ValueError(f"an array of {array.get('n')} values has {len(words)}")
    return words


# --- sums -----------------------------------------------------------------------------


def _value_of(element: Element, fields: Mapping[str, Field], n: int) -> Field:
    """Compute an expression for all rows."""
    if element.tag == "FieldRef":
        return fields[_get(element, "field")]
    if element.tag == "Constant":
        number = float(element.text or "")
        return Field("double", np.full(n, number), np.ones(n, dtype=np.bool_))
    if element.tag != "Apply":
        raise ValueError(f"the expression {element.tag} is not read")
    function, parts = _get(element, "function"), list(element)
    if function == "+":
        return _sum(element, fields, n)
    if function == "isMissing":
        known = _value_of(parts[0], fields, n).known
        return Field("boolean", (~known).astype(np.float64), np.ones_like(known))
    if function == "equal":
        field = _value_of(parts[0], fields, n)
        same = field.cells == field.cell(parts[1].text or "")
        return Field("boolean", same.astype(np.float64), field.known)
    if function == "if":
        test, yes, no = (_value_of(part, fields, n) for part in parts)
        is_yes = test.cells == 1
        known = test.known & np.where(is_yes, yes.known, no.known)
        return Field("double", np.where(is_yes, yes.cells, no.cells), known)
    if function == "*":
        one, other = (_value_of(part, fields, n) for part in parts)
        with np.errstate(over="ignore"):
            return Field("double", one.cells * other.cells, one.known & other.known)
    raise ValueError(f"the function {function!r} is not read")


def _sum(element: Element, fields: Mapping[str, Field], n: int) -> Field:
    """Add terms from the innermost one outwards; they may be nested deeply."""
    terms = []
    while element.tag == "Apply" and element.get("function") == "+":
        element, term = element
        terms.append(term)
    total = _value_of(element, fields, n)
    with np.errstate(over="ignore", invalid="ignore"):
        for term in reversed(terms):
            own = _value_of(term, fields, n)
            total = Field("double", total.cells + own.cells, total.known & own.known)
    return total
