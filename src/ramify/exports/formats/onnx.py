# SPDX-License-Identifier: BSD-3-Clause
"""A model as ONNX: one `TreeEnsemble` finds leaves, the rest of the graph adds them.

A leaf of TreeEnsemble has one number, so it is the number of the leaf; what a leaf
holds is gathered from a table. CumSum adds trees in their order, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ramify.exports.base import Artefact, Format, Option
from ramify.exports.certificates.onnx_engines import Onnxruntime, ReferenceEvaluation
from ramify.exports.formats.chains import Link, chain
from ramify.exports.walk import HYPERPLANE, LEAF, LeafLines, Walk

__all__ = ["FORMAT"]

_MAX_SPREAD = 2000  # leaves with missing values everywhere: the graph is dense
_MISSING = -2  # the code of a missing text, before it becomes NaN


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as ONNX."""
    return _Graph(walk, options).artefact()


class _Graph:
    """Builds the graph; every method gives the names of values."""

    def __init__(self, walk: Walk, options: Mapping[str, Any]) -> None:
        self.walk, self.options = walk, options
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.notes: list[str] = []
        self.n_names = 0

    # --- small words --------------------------------------------------------------

    def _name(self, what: str) -> str:
        self.n_names += 1
        return f"{what}_{self.n_names}"

    def add(self, kind: str, *inputs: str, domain: str = "", **settings: Any) -> str:
        """Add an operator; give its output."""
        from onnx import helper

        out = self._name(kind.lower())
        self.nodes.append(
            helper.make_node(kind, list(inputs), [out], domain=domain, **settings)
        )
        return out

    def constant(self, array: Any, dtype: Any = np.float64) -> str:
        """Add a table; give its name."""
        from onnx import numpy_helper

        name = self._name("table")
        array = np.asarray(array, dtype=dtype)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def cast(self, name: str, kind: str) -> str:
        from onnx import TensorProto

        return self.add("Cast", name, to=getattr(TensorProto, kind))

    def gather(self, name: str, places: Sequence[int] | Any, axis: int = 1) -> str:
        return self.add("Gather", name, self.constant(places, np.int64), axis=axis)

    # --- the graph ----------------------------------------------------------------

    def artefact(self) -> Artefact:
        from onnx import helper

        walk = self.walk
        z = self._columns()
        z = self._sums(z)
        spread = walk.is_fractional
        scores = self._spread(z) if spread else self._added(z)
        if walk.vote.divide > 1:
            scores = self.add("Div", scores, self.constant([walk.vote.divide]))
        self._answer(scores)
        graph = helper.make_graph(
            *(self.nodes, "ramify", self.inputs, self.outputs, self.constants)
        )
        model = helper.make_model(
            graph,
            producer_name="ramify",
            opset_imports=[
                helper.make_opsetid("", 21),
                helper.make_opsetid("ai.onnx.ml", 5),
            ],
            ir_version=10,
        )
        if walk.by_hand:
            model.doc_string = "; ".join(walk.by_hand)
        helper.set_model_props(model, {"ramify_model": walk.hash()})
        return Artefact(
            model.SerializeToString(deterministic=True), notes=tuple(self.notes)
        )

    def _input(self, name: str, kind: str, width: int) -> str:
        from onnx import TensorProto, helper

        info = helper.make_tensor_value_info(
            name, getattr(TensorProto, kind), ["rows", width]
        )
        self.inputs.append(info)
        return name

    def _columns(self) -> str:
        """Read the inputs: doubles, and codes of categories from 1 on."""
        walk = self.walk
        number = {"float64": "DOUBLE", "float32": "FLOAT"}[self.options["input"]]
        if not any(info.is_categorical for info in walk.columns):
            name = self._input("X", number, len(walk.columns))
            return name if number == "DOUBLE" else self.cast(name, "DOUBLE")
        parts = []
        for j, info in enumerate(walk.columns):
            if not info.name:
                raise ValueError(
                    f"ONNX cannot hold a column without a name (number {j}); pass "
                    "feature_names"
                )
            if not info.is_categorical:
                name = self._input(info.name, number, 1)
                parts.append(name if number == "DOUBLE" else self.cast(name, "DOUBLE"))
            elif not info.categories or isinstance(info.categories[0], str):
                parts.append(self._text(self._input(info.name, "STRING", 1), j))
            else:
                parts.append(self._category(self._input(info.name, "DOUBLE", 1), j))
        return self.add("Concat", *parts, axis=1)

    def _text(self, name: str, j: int) -> str:
        walk, info = self.walk, self.walk.columns[j]
        missing_text = self.options["missing_text"]
        if missing_text in info.categories:
            raise ValueError(
                f"ONNX has no missing text, so {missing_text!r} stands for it, and "
                f"that is a category of column {info.name!r}; choose another word: "
                "missing_text='?'"
            )
        coded = self.add(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_strings=[*info.categories, missing_text],
            values_int64s=[*range(1, len(info.categories) + 1), _MISSING],
            default_int64=_MISSING if walk.unseen == "missing" else -1,
        )
        is_missing = self.add("Equal", coded, self.constant([_MISSING], np.int64))
        return self.add(
            "Where", is_missing, self.constant([np.nan]), self.cast(coded, "DOUBLE")
        )

    def _category(self, name: str, j: int) -> str:
        """Find numbers among categories that are numbers."""
        walk, info = self.walk, self.walk.columns[j]
        known = [float(value) for value in info.categories]
        if [type(info.categories[0])(each) for each in known] != [*info.categories]:
            raise ValueError(
                f"ONNX takes categories that are numbers as doubles, which cannot hold "
                f"all of column {info.name!r}; use text"
            )
        same = self.cast(self.add("Equal", name, self.constant([known])), "DOUBLE")
        places = self.constant(np.arange(1, len(known) + 1)[:, None])
        code = self.add("MatMul", same, places)
        is_new = self.add("Equal", code, self.constant([0]))
        new = np.nan if walk.unseen == "missing" else -1
        code = self.add("Where", is_new, self.constant([new]), code)
        is_nan = self.add("IsNaN", name)
        return self.add("Where", is_nan, self.constant([np.nan]), code)

    def _sums(self, z: str) -> str:
        """Add one column per hyperplane: all sums at once, term by term."""
        walk = self.walk
        planes = np.flatnonzero(walk.kind == HYPERPLANE).tolist()
        self.plane = {node: len(walk.columns) + i for i, node in enumerate(planes)}
        if not planes:
            return z
        every = [walk.terms(node) for node in planes]
        total = ""
        for place in range(max(map(len, every))):
            terms = [
                terms[place] if place < len(terms) else (0, -1, 0.0, 0.0)
                for terms in every
            ]
            column, category, weight, fill = (
                list(each) for each in zip(*terms, strict=True)
            )
            x = self.gather(z, column)
            known = self.add("Where", self.add("IsNaN", x), self.constant(fill), x)
            term = self.add("Mul", known, self.constant(weight))
            if max(category) >= 0:
                here = self.add("Equal", x, self.constant(np.array(category) + 1))
                own = self.add("Mul", self.cast(here, "DOUBLE"), self.constant(weight))
                is_set = self.constant(np.array(category) >= 0, np.bool_)
                term = self.add("Where", is_set, own, term)
            total = (
                self.add("Add", total, term)
                if total
                else self.add("Add", self.constant([0.0]), term)
            )
        return self.add("Concat", z, total, axis=1)

    # --- leaves -------------------------------------------------------------------

    def _column_of(self, link: Link) -> int:
        node = link.node
        return self.plane.get(node, int(self.walk.column[node]))

    def _leaves(self, z: str) -> str:
        """Find the number of the leaf in each tree: (rows, trees)."""
        trees = _Ensemble(self)
        for root in self.walk.root.tolist():
            trees.add_tree(root)
        return trees.operator(z)

    def _added(self, z: str) -> str:
        """Gather what leaves hold, and add it tree by tree: (rows, scores)."""
        walk, vote = self.walk, self.walk.vote
        leaves = self.cast(self._leaves(z), "INT64")
        values = self.add("Gather", self.constant(walk.value), leaves, axis=0)
        if walk.lines is not None:
            values = self._on_lines(z, leaves, values, walk.lines)
        if vote.first.any():  # a tree per score, round by round
            shape = self.constant([0, -1, len(vote.start)], np.int64)
            values = self.add("Reshape", values, shape)
        return self._total(values, vote.start)

    def _on_lines(self, z: str, leaves: str, values: str, lines: LeafLines) -> str:
        """Add the lines of leaves to their values, term by term: (rows, trees, 1)."""
        length = np.diff(lines.begin)
        n_terms = int(length.max(initial=0))
        if n_terms > 0:
            place = np.arange(n_terms)
            exists = place < length[:, None]  # leaves of fewer terms add zeros
            first = np.where(exists, lines.begin[:-1, None] + place, 0)

            def of_leaf(cells: Any, dtype: Any = np.float64) -> str:
                table = np.where(exists, cells[first], 0)
                return self.add("Gather", self.constant(table, dtype), leaves, axis=0)

            flat = self.constant([0, -1], np.int64)
            columns = self.add("Reshape", of_leaf(lines.column, np.int64), flat)
            shape = self.constant([0, -1, n_terms], np.int64)
            x = self.add("GatherElements", z, columns, axis=1)
            x = self.add("Reshape", x, shape)
            x = self.add("Where", self.add("IsNaN", x), of_leaf(lines.fill), x)
            x = self.add("Max", x, of_leaf(lines.low))
            x = self.add("Min", x, of_leaf(lines.high))
            terms = self.add("Mul", of_leaf(lines.slope), x)
            every = self.add("Concat", values, terms, axis=2)
            summed = self.add("CumSum", every, self.constant(2, np.int64))
            values = self.add("Gather", summed, self.constant([-1], np.int64), axis=2)
        for kind, ends in (("Max", lines.bottom), ("Min", lines.top)):
            end = self.add("Gather", self.constant(ends[:, None]), leaves, axis=0)
            values = self.add(kind, values, end)
        return values

    def _total(self, values: str, start: Any) -> str:
        """Add (rows, n, width) over n, one after the other, from `start` on."""
        first = self.add("Gather", values, self.constant([0], np.int64), axis=1)
        same = self.add("Sub", first, first)  # zeros, as many rows as there are
        begin = self.add("Add", same, self.constant([[start]]))
        every = self.add("Concat", begin, values, axis=1)
        summed = self.add("CumSum", every, self.constant(1, np.int64))
        return self.add("Gather", summed, self.constant(-1, np.int64), axis=1)

    def _spread(self, z: str) -> str:
        """Let missing values go everywhere: shares of leaves, then their sum."""
        walk, vote = self.walk, self.walk.vote
        if walk.n_leaves > _MAX_SPREAD:
            raise ValueError(
                f"format='onnx' holds missing='fractional' in trees of {_MAX_SPREAD} "
                f"leaves, and these have {walk.n_leaves}; use 'c', 'json' or 'python'"
            )
        inner = np.flatnonzero(walk.kind != LEAF).tolist()
        owns = []
        if inner:
            trees = _Ensemble(self)
            for node in inner:
                trees.add_node(node)
            branch = trees.operator(z)  # of each node; -1: every
        place = {node: i for i, node in enumerate(inner)}
        for root in walk.root.tolist():
            leaves = [n for n in walk.preorder(root) if walk.kind[n] == LEAF]
            if len(leaves) == 1:
                # One leaf: its values, in as many rows as there are.
                zero = self.gather(self._zeros(z), [0] * walk.width)
                line = walk.value[walk.leaf[leaves[0]]]
                owns.append(self.add("Add", zero, self.constant([line])))
                continue
            shares = self._shares(root, branch, place)
            kept = self.add("Unsqueeze", shares, self.constant([2], np.int64))
            table = self.constant(walk.value[walk.leaf[leaves]][None])
            owns.append(self._total(self.add("Mul", kept, table), np.zeros(walk.width)))
        total = ""
        for own in owns:
            total = self.add("Add", total or self.constant([vote.start]), own)
        return total

    def _zeros(self, z: str) -> str:
        first = self.gather(z, [0])
        none = self.constant([0.0])
        return self.add("Mul", self.cast(self.add("IsNaN", first), "DOUBLE"), none)

    def _shares(self, root: int, branch: str, place: Mapping[int, int]) -> str:
        """Return the share of a row in each leaf of a tree, in preorder."""
        walk = self.walk
        level = [root]
        shares, found, parts = "", [], []
        while level:
            edges = [
                (node, b, child)
                for node in level
                if walk.kind[node] != LEAF
                for b, child in enumerate(walk.children(node))
            ]
            if not edges:
                break
            said = self.gather(branch, [place[node] for node, _, _ in edges])
            takes = self.cast(
                self.add("Equal", said, self.constant([b for _, b, _ in edges])),
                "DOUBLE",
            )
            every = self.add("Equal", said, self.constant([-1.0]))
            part = self.constant([walk.share[child] for _, _, child in edges])
            factor = self.add("Where", every, part, takes)
            if shares:
                above = [level.index(node) for node, _, _ in edges]
                factor = self.add("Mul", self.gather(shares, above), factor)
            shares, level = factor, [child for _, _, child in edges]
            parts.append(shares)
            found += level
        joined = self.add("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
        order = [n for n in walk.preorder(root) if walk.kind[n] == LEAF]
        return self.gather(joined, [found.index(leaf) for leaf in order])

    # --- answers ------------------------------------------------------------------

    def _answer(self, scores: str) -> None:
        vote = self.walk.vote
        if vote.is_number:
            shown = self.add("Exp", scores) if vote.link == "exp" else scores
            self._output(shown, "prediction", "DOUBLE", ["rows", vote.n_answers])
            return
        shares = self._linked(scores)
        several = len(vote.outputs) > 1
        begin = 0
        for j, output in enumerate(vote.outputs):
            ending = f"_{j}" if several else ""
            places = list(range(begin, begin + output.size))
            begin += output.size
            place = self._decided(scores, places)
            assert output.labels is not None
            labels = output.labels.tolist()
            kind, dtype = _KINDS[type(labels[0])]
            table = self.constant(labels, dtype)
            label = self.add("Gather", table, place, axis=0)
            self._output(label, f"label{ending}", kind, ["rows"])
            own = (
                self.gather(shares, places)
                if several or (vote.decide_from and vote.link == "none")
                else shares
            )
            shape = ["rows", output.size]
            self._output(own, f"probabilities{ending}", "DOUBLE", shape)

    def _output(self, value: str, name: str, kind: str, shape: list[Any]) -> None:
        from onnx import TensorProto, helper

        # A value must not be called as an input is: a column may be named "label".
        while name in {each.name for each in self.inputs}:
            name += "_"
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        info = helper.make_tensor_value_info(name, getattr(TensorProto, kind), shape)
        self.outputs.append(info)

    def _linked(self, scores: str) -> str:
        link = self.walk.vote.link
        if link == "expit":
            one = self.constant([1.0])
            tiny = self.add("Exp", self.add("Neg", self.add("Abs", scores)))
            below = self.add("Add", one, tiny)
            second = self.add(
                "Where",
                self.add("GreaterOrEqual", scores, self.constant([0.0])),
                self.add("Div", one, below),
                self.add("Div", tiny, below),
            )
            return self.add("Concat", self.add("Sub", one, second), second, axis=1)
        if link == "softmax":
            axis = self.constant([1], np.int64)
            power = self.add(
                "Exp", self.add("Sub", scores, self.add("ReduceMax", scores, axis))
            )
            return self.add("Div", power, self.add("ReduceSum", power, axis))
        return scores

    def _decided(self, scores: str, places: list[int]) -> str:
        """Return the number of a class: (rows,)."""
        vote = self.walk.vote
        if vote.decide == "positive":
            is_second = self.add("Greater", scores, self.constant([0.0]))
            axis = self.constant([1], np.int64)
            return self.add("Squeeze", self.cast(is_second, "INT64"), axis)
        own = self.gather(scores, [vote.decide_from + each for each in places])
        kind = "ArgMax"
        if vote.costs is not None:
            cost, kind = "", "ArgMin"
            for k in range(len(places)):
                share = self.gather(own, [k])
                part = self.add("Mul", share, self.constant([vote.costs[k]]))
                cost = self.add("Add", cost or self.constant([0.0]), part)
            own = cost
        return self.add(kind, own, axis=1, keepdims=0)


_KINDS: dict[type, tuple[str, Any]] = {
    str: ("STRING", object),
    bool: ("BOOL", np.bool_),
    int: ("INT64", np.int64),
    float: ("DOUBLE", np.float64),
}


class _Ensemble:
    """The arrays of one TreeEnsemble operator."""

    def __init__(self, graph: _Graph) -> None:
        self.graph = graph
        self.rows: dict[str, list[Any]] = {
            name: []
            for name in (
                *("featureids", "splits", "modes", "missing_value_tracks_true"),
                *("truenodeids", "trueleafs", "falsenodeids", "falseleafs"),
            )
        }
        self.members: list[float] = []
        self.roots: list[int] = []
        self.targets: list[int] = []
        self.weights: list[float] = []

    def _leaf(self, weight: float) -> int:
        self.targets.append(len(self.roots) - 1)
        self.weights.append(weight)
        return len(self.targets) - 1

    def add_tree(self, root: int) -> None:
        """Add a tree whose leaves hold their number."""
        walk = self.graph.walk
        self.roots.append(len(self.rows["splits"]))
        if walk.kind[root] == LEAF:
            # Twice: a tree that is one leaf is looked up wrongly by some readers.
            number = float(walk.leaf[root])
            self._node(0, 0.0, None, False)
            self._point(self.roots[-1], "true", self._leaf(number), True)
            self._point(self.roots[-1], "false", self._leaf(number), True)
            return
        stack: list[tuple[list[Link], int, int, str]] = [(chain(walk, root), 0, -1, "")]
        while stack:  # depth first, true before false: member lists lie in that order
            links, i, parent, side = stack.pop()
            link = links[i]
            own = self._link(link)
            if parent >= 0:
                self._point(parent, side, own, False)
            ends = [("true", link.on)]
            if link.off >= 0:
                ends.append(("false", link.off))
            else:
                stack.append((links, i + 1, own, "false"))
            for way, to in reversed(ends):
                if walk.kind[to] == LEAF:
                    leaf = self._leaf(float(walk.leaf[to]))
                    self._point(own, way, leaf, True)
                else:
                    stack.append((chain(walk, to), 0, own, way))

    def add_node(self, node: int) -> None:
        """Add a tree that says which branch a row takes at one node; -1: every."""
        walk = self.graph.walk
        self.roots.append(len(self.rows["splits"]))
        first = int(walk.first[node])
        every = walk.n_nodes + 1
        links = chain(walk, node, every)
        for i, link in enumerate(links):
            own = self._link(link)
            for way, to in (("true", link.on), ("false", link.off)):
                if to < 0:
                    self._point(own, way, own + 1, False)
                else:
                    branch = -1.0 if to == every else float(to - first)
                    self._point(own, way, self._leaf(branch), True)
            assert i + 1 < len(links) or link.off >= 0

    def _link(self, link: Link) -> int:
        return self._node(
            self.graph._column_of(link), link.at_most, link.members, link.missing
        )

    def _node(
        self,
        column: int,
        at_most: float | None,
        members: tuple[int, ...] | None,
        missing: bool,
    ) -> int:
        rows = self.rows
        rows["featureids"].append(column)
        rows["splits"].append(np.nan if at_most is None else at_most)
        rows["modes"].append(0 if members is None else 6)
        rows["missing_value_tracks_true"].append(int(missing))
        if members is not None:
            self.members += [*(code + 1.0 for code in members), np.nan]
        for name in ("truenodeids", "trueleafs", "falsenodeids", "falseleafs"):
            rows[name].append(0)
        return len(rows["splits"]) - 1

    def _point(self, node: int, side: str, to: int, is_leaf: bool) -> None:
        self.rows[f"{side}nodeids"][node] = to
        self.rows[f"{side}leafs"][node] = int(is_leaf)

    def operator(self, z: str) -> str:
        """Add the operator; give its output."""
        from onnx import numpy_helper

        def tensor(array: Any, dtype: Any) -> Any:
            return numpy_helper.from_array(np.asarray(array, dtype=dtype))

        rows = self.rows
        settings = {
            f"nodes_{name}": rows[name]
            for name in rows
            if name not in ("splits", "modes")
        }
        if self.members:
            settings["membership_values"] = tensor(self.members, np.float64)
        return self.graph.add(
            "TreeEnsemble",
            z,
            domain="ai.onnx.ml",
            n_targets=len(self.roots),
            aggregate_function=1,
            post_transform=0,
            tree_roots=self.roots,
            nodes_splits=tensor(rows["splits"], np.float64),
            nodes_modes=tensor(rows["modes"], np.uint8),
            leaf_targetids=self.targets,
            leaf_weights=tensor(self.weights, np.float64),
            **settings,
        )


FORMAT = Format(
    name="onnx",
    suffix=".onnx",
    write=write,
    lines=True,
    about="a graph for onnxruntime, in any language",
    packages=("onnx",),
    runtimes=(Onnxruntime(), ReferenceEvaluation()),
    options={
        "input": Option(
            "float64", "type of the numbers that are fed", ("float64", "float32")
        ),
        "missing_text": Option("", "the text that stands for a missing category"),
    },
)
