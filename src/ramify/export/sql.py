# SPDX-License-Identifier: BSD-3-Clause
"""A model as one SQL statement over a table, in four dialects.

Deep trees are parted into stages: a stage ends at a leaf (a negative number) or at a
node, and the next one goes on from there. With ``layout="nodes"`` the nodes are a table
instead, and rows are led through it by a recursive query. Scores are added by explicit
``+`` in the order of the trees; SUM() would be free to choose another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ramify.export.facts import Artefact, ExportRefused, Format, Option
from ramify.export.literals import comment
from ramify.export.sql_engines import RUNTIMES
from ramify.export.sql_words import DIALECTS, Dialect
from ramify.export.walk import (
    CATEGORIES,
    HYPERPLANE,
    INTERVALS,
    KIND_NAMES,
    KNOWN,
    LEAF,
    THRESHOLD,
    Walk,
)

__all__ = ["FORMAT", "condition"]

_JOINS = 40  # SQLite joins at most 64 tables
_TERMS = 400  # of one chain of +
_MOST_TERMS = 900


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as a SELECT."""
    return _Writer(walk, DIALECTS[options["dialect"]], options).artefact()


class _Writer:
    def __init__(
        self, walk: Walk, dialect: Dialect, options: Mapping[str, Any]
    ) -> None:
        self.walk, self.d, self.options = walk, dialect, options
        self.key = (
            [options["key"]] if isinstance(options["key"], str) else [*options["key"]]
        )
        self.parts: list[tuple[str, str]] = []  # names and bodies of CTEs
        self.names: dict[str, Any] = {}
        self.notes: list[str] = []

    def artefact(self) -> Artefact:
        walk, d = self.walk, self.d
        if walk.is_fractional and self.options["layout"] == "nodes":
            raise ExportRefused(
                "layout='nodes' cannot say missing='fractional': a row goes down every "
                "branch; use layout='case'"
            )
        d.check_distinct([*self.key, *(info.name for info in walk.columns)])
        self._check_limits()
        self._input()
        if walk.is_fractional:
            self._fractional()
            scores, decided = self._scores_from("w"), None
        elif self.options["layout"] == "nodes":
            scores, decided = self._looked_up()
        else:
            scores, decided = self._staged()
        select = self._final(scores, decided)
        ctes = ",\n".join(
            f"{name} AS{'' if '(' in name else d.fence} (\n{body}\n)"
            for name, body in self.parts
        )
        recursive = ""
        if self.options["layout"] == "nodes":
            recursive = "RECURSIVE "
            own_names = {name.split(" ")[0] for name, _ in self.parts}
            if self.options["table"].lower() in own_names:
                raise ValueError(
                    f"table={self.options['table']!r} is the name of a part of the "
                    "statement with layout='nodes'; write it as schema.table"
                )
        text = (
            f"-- {comment(walk.estimator)}; made by ramify, dialect {d.name}.\n"
            f"-- model {walk.hash()}\n"
            f"WITH {recursive}{ctes}\n{select};\n"
        )
        files = {}
        if self.names:
            files[".names.json"] = json.dumps(self.names, indent=1) + "\n"
        return Artefact(text, files, tuple(self.notes))

    def _check_limits(self) -> None:
        walk, d = self.walk, self.d
        n_columns = len(walk.columns) + len(self.key) + 2
        if walk.is_fractional:
            n_columns += int(np.max(walk.end - walk.root)) + len(walk.vote.start)
        else:
            n_columns += walk.n_trees + len(walk.vote.start)
        if n_columns > d.most_columns:
            raise ValueError(
                f"dialect={d.name!r} takes {d.most_columns} columns, and this model "
                f"needs {n_columns}; use 'c', 'python' or 'onnx'"
            )
        n_terms = np.diff(walk.term_begin)
        if n_terms.max(initial=0) > _MOST_TERMS:
            raise ValueError(
                f"SQL engines take sums of {_MOST_TERMS} terms; node "
                f"{int(n_terms.argmax())} has {int(n_terms.max())}; use 'c' or 'json'"
            )

    # --- the table ----------------------------------------------------------------

    def _input(self) -> None:
        walk, d = self.walk, self.d
        keys = [f"{d.identifier(name)} AS k{i}" for i, name in enumerate(self.key)]
        cells = [f"{self._cell(j)} AS c{j}" for j in range(len(walk.columns))]
        table = ".".join(
            d.identifier(part) for part in self.options["table"].split(".")
        )
        body = "  SELECT " + ",\n    ".join([*keys, *cells]) + f"\n  FROM {table}"
        self.parts.append(("input", body))
        gaps = []
        if walk.missing == "error":
            gaps = [f"c{j} IS NULL" for j in range(len(walk.columns))]
        if walk.unseen == "error":
            gaps += [
                f"c{j} NOT IN ({self._members(j)})"
                for j, info in enumerate(walk.columns)
                if info.is_categorical and info.categories
            ]
        self.refuses = " OR ".join(gaps)

    def _cell(self, j: int) -> str:
        info, d = self.walk.columns[j], self.d
        name = d.identifier(info.name)
        if not info.is_categorical:
            real = f"CAST({name} AS {d.real})"
            return f"NULLIF({real}, CAST('NaN' AS {d.real}))" if d.has_nan else real
        kind = d.text
        if info.categories and isinstance(info.categories[0], bool):
            kind = "INTEGER"
        elif info.categories and not isinstance(info.categories[0], str):
            kind = d.real
        cast = f"CAST({name} AS {kind})"
        if kind == d.real and d.has_nan:
            cast = f"NULLIF({cast}, CAST('NaN' AS {d.real}))"
        if self.walk.unseen != "missing":
            return cast
        if not info.categories:
            return f"CAST(NULL AS {kind})"
        return f"CASE WHEN {cast} IN ({self._members(j)}) THEN {cast} END"

    def _category(self, j: int, code: int) -> str:
        value = self.walk.columns[j].categories[code]
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, int):
            if abs(value) > 2**53:
                raise ValueError(
                    f"SQL compares numbers as doubles, which cannot hold the category "
                    f"{value} of {self.walk.columns[j].name!r}; use text"
                )
            value = float(value)
        return self.d.value(value)

    def _members(self, j: int) -> str:
        codes = range(len(self.walk.columns[j].categories))
        return ", ".join(self._category(j, code) for code in codes)

    # --- conditions ---------------------------------------------------------------

    def cases(self, node: int) -> list[tuple[str, int]]:
        """Write what leads to each child; "" is ELSE, the last."""
        return condition(self.walk, node, self.d, self._category)

    # --- one leaf per tree --------------------------------------------------------

    def _staged(self) -> tuple[list[str], list[str] | None]:
        walk, d = self.walk, self.d
        nest = d.nest if walk.n_trees == 1 else d.nest_many
        carried = [f"k{i}" for i in range(len(self.key))]
        columns = [f"c{j}" for j in range(len(walk.columns))]
        source, stage = "input", 0
        waiting: list[list[int]] = [[root] for root in walk.root.tolist()]
        while any(waiting):
            stage += 1
            items = []
            following: list[list[int]] = []
            for t, tops in enumerate(waiting):
                cut: list[int] = []
                if stage == 1:
                    text = self._nested(tops[0], nest, cut)
                    items.append(f"{text} AS t{t}")
                elif tops:
                    arms = "".join(
                        f"\n      WHEN {top} THEN {self._nested(top, nest, cut)}"
                        for top in tops
                    )
                    items.append(f"CASE t{t}{arms}\n      ELSE t{t} END AS t{t}")
                else:
                    items.append(f"t{t}")
                following.append(cut)
            body = "  SELECT " + ",\n    ".join([*carried, *columns, *items])
            self.parts.append((f"stage{stage}", f"{body}\n  FROM {source}"))
            source, waiting = f"stage{stage}", following
        return self._joined(source, carried, columns)

    # --- nodes as a table ---------------------------------------------------------

    def _looked_up(self) -> tuple[list[str], list[str] | None]:
        """Walk by a recursive query over tables of nodes and of categories.

        A node has a number, a leaf -1 - its own. Rows are numbered, and one that has
        come to a leaf of a tree finds no node there, and stays.
        """
        walk, d = self.walk, self.d
        carried = [f"k{i}" for i in range(len(self.key))]
        columns = [f"c{j}" for j in range(len(walk.columns))]
        to = np.where(walk.kind == LEAF, -1 - walk.leaf, np.arange(walk.n_nodes))
        nodes, members = self._node_tables(to)
        roots = [f"    ({t}, {to[root]})" for t, root in enumerate(walk.root.tolist())]
        for header, lines in (
            ("tree (t, place)", roots),
            ("node (id, col, cuts, cut, low, high, gap)", nodes),
            ("listed (node, code, child)", members),
        ):
            if lines:
                self.parts.append((header, "  VALUES\n" + ",\n".join(lines)))
        order = ", ".join(carried)
        own = ", ".join([*carried, *columns])
        self.parts.append(
            (
                "numbered",
                f"  SELECT ROW_NUMBER() OVER (ORDER BY {order}) AS r,\n    {own}"
                "\n  FROM input",
            )
        )
        source = "numbered"
        if nodes:
            arms = " ".join(f"WHEN {j} THEN {self._coded(j)}" for j in self._used())
            x = f"CASE n.col {arms} END"
            found = f"\n  LEFT JOIN listed m ON m.node = n.id AND m.code = {x}"
            low = "COALESCE(m.child, n.low)" if members else "n.low"
            self.parts.append(
                (
                    f"walked (r, {own}, t, place)",
                    f"  SELECT r, {own}, t, place\n  FROM numbered CROSS JOIN tree\n"
                    f"  UNION ALL\n  SELECT r, {own}, t, CASE\n"
                    f"    WHEN {x} IS NULL THEN n.gap\n    WHEN n.cuts = 1 AND {x}\n"
                    f"      > CAST(n.cut AS {d.real}) THEN n.high\n    ELSE {low} END\n"
                    f"  FROM walked w JOIN node n ON n.id = w.place"
                    f"{found if members else ''}",
                )
            )
            ends = [
                f"MIN(CASE WHEN t = {t} THEN place END) AS t{t}"
                for t in range(walk.n_trees)
            ]
            group, source = f"\n  GROUP BY r, {own}", "walked"
        else:
            ends = [f"{to[root]} AS t{t}" for t, root in enumerate(walk.root.tolist())]
            group = ""
        body = f"  SELECT {own},\n    " + ",\n    ".join(ends)
        self.parts.append(("ended", f"{body}\n  FROM {source}{group}"))
        return self._joined("ended", carried, columns)

    def _used(self) -> list[int]:
        """Give the columns that some node looks at."""
        column = self.walk.column[self.walk.kind != LEAF]
        return sorted(set(column.tolist()))

    def _coded(self, j: int) -> str:
        """Write a cell as a number: a category as its code, another one as -1."""
        info, d = self.walk.columns[j], self.d
        if not info.is_categorical:
            return f"c{j}"
        arms = "".join(
            f" WHEN c{j} = {self._category(j, code)} THEN {code}"
            for code in range(len(info.categories))
        )
        return f"CAST(CASE WHEN c{j} IS NULL THEN NULL{arms} ELSE -1 END AS {d.real})"

    def _node_tables(self, to: Any) -> tuple[list[str], list[str]]:
        walk, d = self.walk, self.d
        nodes, members = [], []
        for node in np.flatnonzero(walk.kind != LEAF).tolist():
            first, kind = int(walk.first[node]), int(walk.kind[node])
            if kind not in (THRESHOLD, CATEGORIES, KNOWN):
                raise ExportRefused(
                    f"layout='nodes' cannot say node {node} (a {KIND_NAMES[kind]}); "
                    "use layout='case'"
                )
            cuts = kind == THRESHOLD
            low = first if cuts else first + int(walk.default_branch[node])
            gap = first + int(walk.missing_branch[node])
            high = first + 1 if cuts else low
            cells = [
                *(node, int(walk.column[node]), int(cuts)),
                *(d.number(walk.threshold[node]), to[low], to[high], to[gap]),
            ]
            nodes.append(f"    ({', '.join(map(str, cells))})")
            if kind == CATEGORIES:
                members += [
                    f"    ({node}, {int(code)}, {to[first + int(branch)]})"
                    for code, branch in zip(*walk.listed(node), strict=True)
                ]
        return nodes, members

    def _nested(self, node: int, room: int, cut: list[int]) -> str:
        walk = self.walk
        if walk.kind[node] == LEAF:
            return str(-1 - int(walk.leaf[node]))
        if room == 0:
            cut.append(node)
            return str(node)
        arms = []
        for test, child in self.cases(node):
            below = self._nested(child, room - 1, cut)
            arms.append(f"WHEN {test} THEN {below}" if test else f"ELSE {below}")
        return f"CASE {' '.join(arms)} END"

    def _joined(
        self, source: str, carried: list[str], columns: list[str]
    ) -> tuple[list[str], list[str] | None]:
        """Look up leaves, tree by tree, and add what they hold."""
        walk, d, vote = self.walk, self.d, self.walk.vote
        decisions = walk.leaf_decisions()
        n_scores, n_decided = len(vote.start), 0
        if decisions is not None:
            n_scores, n_decided = vote.n_answers, len(vote.outputs)
        if not d.arrays:
            self._leaf_table(n_scores if walk.width > 1 else 1, decisions)
        sums = [
            f"CAST({d.number(x)} AS {d.real})" for x in vote.start[:n_scores].tolist()
        ]
        keep = [*carried, *(columns if self.refuses else [])]
        for begin in range(0, walk.n_trees, _JOINS):
            trees = range(begin, min(begin + _JOINS, walk.n_trees))
            chains = [[each] for each in sums]
            for t in trees:
                for k in range(n_scores if walk.width > 1 else 1):
                    chains[int(vote.first[t]) + k].append(self._of_leaf(t, k))
            items = [f"{' + '.join(chain)} AS w{k}" for k, chain in enumerate(chains)]
            items += [
                f"{self._of_leaf(0, j, decisions)} AS d{j}" for j in range(n_decided)
            ]
            later = [f"t{t}" for t in range(trees[-1] + 1, walk.n_trees)]
            joins = (
                ""
                if d.arrays
                else "".join(f"\n  JOIN leaf l{t} ON l{t}.id = s.t{t}" for t in trees)
            )
            body = "  SELECT " + ",\n    ".join([*keep, *later, *items])
            name = f"added{begin // _JOINS}"
            self.parts.append((name, f"{body}\n  FROM {source} s{joins}"))
            source = name
            sums = [f"w{k}" for k in range(n_scores)]
        self.source = source
        decided = [f"d{j}" for j in range(n_decided)] or None
        return self._scores_from("w")[:n_scores], decided

    def _leaf_table(self, n_values: int, decisions: Any) -> None:
        """Write what leaves hold as a list of values."""
        walk, d = self.walk, self.d
        names = [f"v{k}" for k in range(n_values)]
        if decisions is not None:
            names += [f"d{j}" for j in range(decisions.shape[1])]
        rows = []
        for leaf, line in enumerate(walk.value[:, :n_values].tolist()):
            cells = [d.number(x) for x in line]
            if decisions is not None:
                cells += map(str, decisions[leaf].tolist())
            rows.append(f"    ({', '.join([str(-1 - leaf), *cells])})")
        header = f"leaf (id, {', '.join(names)})"
        self.parts.append((header, "  VALUES\n" + ",\n".join(rows)))

    def _of_leaf(self, tree: int, k: int, decisions: Any = None) -> str:
        """Write number k of the leaf of a tree, or what the leaf decides."""
        walk, d = self.walk, self.d
        if not d.arrays:
            return f"l{tree}.{'v' if decisions is None else 'd'}{k}"
        own = walk.leaf[walk.root[tree] : walk.end[tree]]
        leaves = own[own >= 0]
        if decisions is None:
            items, kind = map(d.number, walk.value[leaves, k].tolist()), d.real
        else:
            items, kind = map(str, decisions[leaves, k].tolist()), "INTEGER"
        # Leaf n of all is place n + 1 - the first, and t holds -1 - n.
        return f"(CAST(ARRAY[{', '.join(items)}] AS {kind}[]))[-t{tree} - {leaves[0]}]"

    def _scores_from(self, letter: str) -> list[str]:
        vote = self.walk.vote
        names = [f"{letter}{k}" for k in range(len(vote.start))]
        if vote.divide == 1:
            return names
        return [f"{name} / {self.d.number(vote.divide)}" for name in names]

    # --- every branch with its share ----------------------------------------------

    def _fractional(self) -> None:
        walk, d, vote = self.walk, self.d, self.walk.vote
        carried = [f"k{i}" for i in range(len(self.key))]
        columns = [f"c{j}" for j in range(len(walk.columns))]
        source = "input"
        sums = [f"CAST({d.number(x)} AS {d.real})" for x in vote.start.tolist()]
        depth = walk.depth
        for t, root in enumerate(walk.root.tolist()):
            nodes = np.arange(root, walk.end[t])
            leaves: list[int] = []
            carry = [
                s if s.startswith("w") else f"{s} AS w{k}" for k, s in enumerate(sums)
            ]
            shares = {root: f"CAST(1 AS {d.real})"}
            for level in range(1, int(depth[nodes].max()) + 1):
                items, found = [], {}
                for node in nodes[depth[nodes] == level - 1].tolist():
                    if walk.kind[node] == LEAF:
                        leaves.append(node)
                        continue
                    for child in walk.children(node):
                        items.append(
                            f"{shares[node]} * {self._part(node, child)} AS p{child}"
                        )
                        found[child] = f"p{child}"
                kept = [f"p{leaf}" for leaf in leaves]
                body = "  SELECT " + ",\n    ".join(
                    [*carried, *columns, *carry, *kept, *items]
                )
                name = f"tree{t}_level{level}"
                self.parts.append((name, f"{body}\n  FROM {source}"))
                source, shares = name, found
                carry = [f"w{k}" for k in range(len(sums))]
            order = [n for n in walk.preorder(root) if walk.kind[n] == LEAF]
            source = self._add_leaves(t, source, order, carried, columns, shares)
            sums = [f"w{k}" for k in range(len(sums))]
        self.source = source

    def _part(self, node: int, child: int) -> str:
        """Write the share of a row that goes to a child."""
        walk, d = self.walk, self.d
        arms = []
        if walk.missing_branch[node] < 0:
            share = d.number(walk.share[child])
            arms.append(f"WHEN c{walk.column[node]} IS NULL THEN {share}")
        one, zero = d.number(1), d.number(0)
        for test, to in self.cases(node):
            said = one if to == child else zero
            arms.append(f"WHEN {test} THEN {said}" if test else f"ELSE {said}")
        return f"CAST(CASE {' '.join(arms)} END AS {d.real})"

    def _add_leaves(
        self,
        tree: int,
        source: str,
        order: list[int],
        carried: list[str],
        columns: list[str],
        shares: Mapping[int, str],
    ) -> str:
        """Add leaves in their order, some hundred at a time; then the tree."""
        walk, d = self.walk, self.d
        first = int(walk.vote.first[tree])
        scores = [f"w{k}" for k in range(len(walk.vote.start))]
        own = [d.zero() for _ in range(walk.width)]
        for begin in range(0, len(order), _TERMS):
            part = order[begin : begin + _TERMS]
            is_last = begin + _TERMS >= len(order)
            items = []
            for k in range(walk.width):
                terms = [
                    f"{_share_name(leaf, len(order), d)} * "
                    f"{d.number(walk.value[walk.leaf[leaf], k])}"
                    for leaf in part
                ]
                items.append(f"{' + '.join([own[k], *terms])} AS o{k}")
            kept = [] if is_last else [f"p{leaf}" for leaf in order[begin + _TERMS :]]
            keep_w = (
                scores
                if tree or begin or len(order) > 1
                else [
                    f"CAST({d.number(x)} AS {d.real}) AS w{k}"
                    for k, x in enumerate(walk.vote.start.tolist())
                ]
            )
            body = "  SELECT " + ",\n    ".join(
                [*carried, *columns, *keep_w, *kept, *items]
            )
            name = f"tree{tree}_leaves{begin // _TERMS}"
            self.parts.append((name, f"{body}\n  FROM {source}"))
            source, own = name, [f"o{k}" for k in range(walk.width)]
        items = [
            f"w{k} + o{k - first} AS w{k}" if 0 <= k - first < walk.width else f"w{k}"
            for k in range(len(scores))
        ]
        body = "  SELECT " + ",\n    ".join([*carried, *columns, *items])
        self.parts.append((f"tree{tree}_added", f"{body}\n  FROM {source}"))
        return f"tree{tree}_added"

    # --- what is shown ------------------------------------------------------------

    def _final(self, scores: Sequence[str], decided: list[str] | None) -> str:
        d, vote = self.d, self.walk.vote
        keep = [f"k{i}" for i in range(len(self.key))]
        refused = f"CASE WHEN {self.refuses} THEN 1 ELSE 0 END" if self.refuses else ""
        items = [f"{score} AS s{k}" for k, score in enumerate(scores)]
        body = "  SELECT " + ",\n    ".join(
            [*keep, *([f"{refused} AS refused"] if refused else []), *items]
            + (decided or [])
        )
        self.parts.append(("scored", f"{body}\n  FROM {self.source}"))
        places = decided or self._decide()
        out = [f"k{i} AS {d.identifier(name)}" for i, name in enumerate(self.key)]
        if refused:
            out.append("refused")
        shown = self._link()
        labels = self._output_names()
        if not vote.is_number:
            for j, output in enumerate(vote.outputs):
                assert output.labels is not None
                arms = " ".join(
                    f"WHEN {k} THEN {d.value(label)}"
                    for k, label in enumerate(output.labels.tolist())
                )
                out.append(self._unless_refused(f"CASE {places[j]} {arms} END", labels))
        out += [self._unless_refused(text, labels) for text in shown]
        return "SELECT " + ",\n  ".join(out) + "\nFROM " + self.parts[-1][0]

    def _unless_refused(self, text: str, names: list[str]) -> str:
        name = self.d.identifier(names.pop(0))
        if self.refuses:
            text = f"CASE WHEN refused = 0 THEN {text} END"
        return f"{text} AS {name}"

    def _output_names(self) -> list[str]:
        """Name the columns of the answer; by number where labels will not do."""
        vote, d = self.walk.vote, self.d
        many = len(vote.outputs) > 1
        suffix = [f"_{j}" if many else "" for j in range(len(vote.outputs))]
        predictions = [f"prediction{each}" for each in suffix]
        if vote.is_number:
            return predictions
        wanted: list[str] = []
        plain: list[str] = []
        for j, output in enumerate(vote.outputs):
            assert output.labels is not None
            for k, label in enumerate(output.labels.tolist()):
                wanted.append(f"probability{suffix[j]}_{label}")
                plain.append(f"probability{suffix[j]}_{k}")
        try:
            d.check_distinct([*self.key, *predictions, *wanted])
            for name in wanted:
                d.identifier(name)
        except ValueError:
            self.names = {"columns": dict(zip(plain, wanted, strict=True))}
            self.notes.append("labels are no names here: see .names.json")
            return [*predictions, *plain]
        return [*predictions, *wanted]

    def _decide(self) -> list[str]:
        """Write the number of the class that each output decides for."""
        d, vote = self.d, self.walk.vote
        if vote.is_number:
            return []
        if vote.decide == "positive":
            return ["CASE WHEN s0 > 0 THEN 1 ELSE 0 END"]
        found, best, begin = [], [], vote.decide_from
        costs: list[str] = []
        for j, output in enumerate(vote.outputs):
            names = [f"s{begin + k}" for k in range(output.size)]
            begin += output.size
            word = d.greatest
            if vote.costs is not None:
                word = d.least
                for i in range(output.size):
                    terms = [
                        f"{name} * {d.number(vote.costs[k, i])}"
                        for k, name in enumerate(names)
                    ]
                    costs.append(f"{' + '.join([d.zero(), *terms])} AS e{i}")
                names = [f"e{i}" for i in range(output.size)]
            if output.size == 1:
                found.append("0")
                continue
            best.append(f"{word}({', '.join(names)}) AS b{j}")
            arms = " ".join(
                f"WHEN {name} = b{j} THEN {k}" for k, name in enumerate(names)
            )
            found.append(f"CASE {arms} END")
        for name, items in (("cost", costs), ("best", best)):
            if items:
                self.parts.append(
                    (
                        name,
                        "  SELECT *,\n    "
                        + ",\n    ".join(items)
                        + f"\n  FROM {self.parts[-1][0]}",
                    )
                )
        return found

    def _link(self) -> list[str]:
        vote, d = self.walk.vote, self.d
        if vote.link == "exp":
            return [f"EXP(s{k})" for k in range(len(vote.start))]
        if vote.link == "expit":
            one = d.number(1)
            second = (
                f"CASE WHEN s0 >= 0 THEN {one} / ({one} + EXP(-s0)) "
                f"ELSE EXP(s0) / ({one} + EXP(s0)) END"
            )
            return [f"{one} - {second}", second]
        if vote.link == "softmax":
            # The largest score was found for the decision.
            powers = [f"EXP(s{k} - b0)" for k in range(len(vote.start))]
            total = " + ".join(powers)
            return [f"{power} / ({total})" for power in powers]
        return [f"s{k}" for k in range(vote.n_answers)]


def _share_name(leaf: int, n_leaves: int, d: Dialect) -> str:
    return f"p{leaf}" if n_leaves > 1 else f"CAST(1 AS {d.real})"


def condition(
    walk: Walk,
    node: int,
    d: Dialect,
    category: Callable[[int, int], str],
    name: Callable[[int], str] = lambda j: f"c{j}",
) -> list[tuple[str, int]]:
    """Write what leads to each child of a node as SQL; "" is ELSE, the last.

    Missing values are NULL and are written into the conditions.
    """
    kind, first = walk.kind[node], int(walk.first[node])
    if kind == HYPERPLANE:
        terms = [d.zero()]
        for column, code, weight, fill in walk.terms(node):
            x = name(column)
            if code >= 0:
                has = f"{x} = {category(column, code)}"
                terms.append(
                    f"CASE WHEN {has} THEN {d.number(weight)} ELSE {d.number(0)} END"
                )
            else:
                terms.append(f"{d.number(weight)} * COALESCE({x}, {d.number(fill)})")
        above = f"{' + '.join(terms)} > {d.number(walk.threshold[node])}"
        return [(above, first + 1), ("", first)]
    column, gap = int(walk.column[node]), int(walk.missing_branch[node])
    x, default = name(column), int(walk.default_branch[node])
    if kind == KNOWN:
        return [(f"{x} IS NULL", first + max(gap, 0)), ("", first + default)]
    if kind == CATEGORIES:
        codes, branches = walk.listed(node)
        cases = []
        for branch in range(int(walk.n_children[node])):
            own = codes[branches == branch].tolist()
            if branch == default or (not own and gap != branch):
                continue
            tests = []
            if own:
                listed = ", ".join(category(column, int(code)) for code in own)
                tests.append(f"{x} IN ({listed})")
            if gap == branch:
                tests.append(f"{x} IS NULL")
            cases.append((" OR ".join(tests), first + branch))
        return [*cases, ("", first + default)]
    if kind == INTERVALS:
        bounds, branches = walk.listed(node)
        cases = [] if gap < 0 else [(f"{x} IS NULL", first + gap)]
        for bound, branch in zip(bounds.tolist(), branches.tolist(), strict=True):
            cases.append((f"{x} <= {d.number(bound)}", first + branch))
        return [*cases, ("", first + default)]
    low = f"{x} <= {d.number(walk.threshold[node])}"
    if gap == 0:
        low += f" OR {x} IS NULL"
    return [(low, first), ("", first + 1)]


FORMAT = Format(
    name="sql",
    suffix=".sql",
    write=write,
    about="one SELECT over a table of the database",
    runtimes=RUNTIMES,
    options={
        "dialect": Option("sqlite", "the database", tuple(DIALECTS)),
        "table": Option("rows", "the table with the rows; may be schema.table"),
        "layout": Option(
            "case",
            "nodes: as a table, for huge forests in DuckDB",
            ("case", "nodes"),
        ),
        "key": Option("id", "the column, or list of columns, to copy to the answer"),
    },
)
