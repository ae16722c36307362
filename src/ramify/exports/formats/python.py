# SPDX-License-Identifier: BSD-3-Clause
"""A model as one Python file that needs nothing but Python."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from typing import Any

from ramify.exports.base import Answers, Artefact, Format
from ramify.exports.certificates.rows import columns_for
from ramify.exports.formats.literals import comment, lines_of, number, python_value
from ramify.exports.walk import (
    CATEGORIES,
    HYPERPLANE,
    INTERVALS,
    KNOWN,
    LEAF,
    LeafLines,
    Walk,
)

__all__ = ["FORMAT"]

# Python reads at most 100 levels of indentation: deeper subtrees are functions.
_MAX_LEVELS = 60
_TERMS_PER_LINE = 8

_HEAD = '''\
"""{what}.

Made by ramify; model {hash}.
predict(row) and {answer}(row) take a dict by column, or a sequence in the
order of COLUMNS. None and NaN are missing values.
"""

from math import exp as _exp

'''

_READ = """
_NAN = float("nan")


def _read(row):
    if isinstance(row, dict):
        row = [row[name] for name in COLUMNS]
    if len(row) != len(COLUMNS):
        raise ValueError("a row has %d values, not %d" % (len(row), len(COLUMNS)))
    x = []
    for value, name, codes in zip(row, COLUMNS, _CODES):
        is_missing = value is None or value != value
        if codes is None:
            if not is_missing and isinstance(value, (str, bytes)):
                raise TypeError("%r holds numbers, not %r" % (name, value))
            value = _NAN if is_missing else float(value)
        else:
            value = -2 if is_missing else codes.get(value, -1)
            if value == -1:
                {unseen}
            is_missing = value == -2
        if is_missing:
            {missing}
        x.append(value)
    return x

"""


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as Python."""
    vote = walk.vote
    answer = "predict" if vote.is_number else "predict_proba"
    out = [_HEAD.format(what=comment(walk.described), hash=walk.hash(), answer=answer)]
    out.append("COLUMNS = [\n")
    out.append(lines_of((python_value(info.name) for info in walk.columns), 84, "    "))
    out.append("]\n")
    if not vote.is_number:
        out.append("CLASSES = [\n")
        for output in vote.outputs:
            assert output.labels is not None
            labels = map(python_value, output.labels.tolist())
            out.append("    [\n" + lines_of(labels, 84, "        ") + "    ],\n")
        out.append("]\n")
    out += _tables(walk)
    out.append(
        _READ.format(
            unseen={
                "error": 'raise ValueError("%r has category %r, not seen in training"'
                " % (name, row[len(x)]))",
                "missing": "value = -2",
            }.get(walk.unseen, "pass"),
            missing='raise ValueError("%r has no value" % (name,))'
            if walk.missing == "error"
            else "pass",
        )
    )
    writer = _Fractional(walk) if walk.is_fractional else _Nested(walk)
    out += [f"{line}\n" for line in writer.lines()]
    out += [f"{line}\n" for line in _vote(walk)]
    return Artefact("".join(out))


def _tables(walk: Walk) -> Iterator[str]:
    yield "_CODES = [\n"
    for info in walk.columns:
        if not info.is_categorical:
            yield "    None,\n"
            continue
        pairs = (f"{python_value(v)}: {i}" for i, v in enumerate(info.categories))
        yield "    {\n" + lines_of(pairs, 84, "        ") + "    },\n"
    yield "]\n_VALUES = [\n"
    for line in walk.value.tolist():
        yield f"    ({', '.join(map(number, line))},),\n"
    yield "]\n"
    if walk.lines is not None:
        yield from _lines(walk.lines)


_LINE = """
def _line(leaf, x):
    total = _VALUES[leaf][0]
    for column, slope, low, high, fill in _LINES[leaf]:
        value = fill if x[column] != x[column] else x[column]
        total += slope * min(max(value, low), high)
    low, high = _RANGES[leaf]
    return min(max(total, low), high)

"""


def _lines(lines: LeafLines) -> Iterator[str]:
    """Write the terms of each leaf, and what their sum is clipped to."""
    yield "# Terms of each leaf: column, slope, low, high, what a missing value is.\n"
    yield "_LINES = [\n"
    for leaf in range(len(lines.bottom)):
        terms = lines.terms(leaf)
        if not terms:
            yield "    (),\n"
            continue
        yield "    (\n"
        for column, *rest in terms:
            yield f"        ({column}, {', '.join(map(number, rest))}),\n"
        yield "    ),\n"
    yield "]\n_RANGES = [\n"
    for low, high in zip(lines.bottom.tolist(), lines.top.tolist(), strict=True):
        yield f"    ({number(low)}, {number(high)}),\n"
    yield f"]\n{_LINE}"


class _Nested:
    """Each tree as nested ifs that return the number of a leaf."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def lines(self) -> Iterator[str]:
        for t, root in enumerate(self.walk.root.tolist()):
            waiting = [(f"_tree_{t}", root)]
            while waiting:
                name, top = waiting.pop()
                yield ""
                yield f"def {name}(x):"
                yield from self._subtree(t, top, waiting)
                yield ""

    def _subtree(
        self, tree: int, top: int, waiting: list[tuple[str, int]]
    ) -> Iterator[str]:
        # Lines to come: text, or a node to be written at that level.
        stack: list[tuple[int, str | int]] = [(1, top)]
        while stack:
            level, item = stack.pop()
            pad = "    " * level
            if isinstance(item, str):
                yield pad + item
            elif self.walk.kind[item] == LEAF:
                yield f"{pad}return {self.walk.leaf[item]}"
            elif level > _MAX_LEVELS:
                name = f"_tree_{tree}_{item}"
                waiting.append((name, item))
                yield f"{pad}return {name}(x)"
            else:
                before, cases = conditions(self.walk, item)
                for line in before:
                    yield pad + line
                below: list[tuple[int, str | int]] = []
                for k, (test, child) in enumerate(cases):
                    word = f"{'elif' if k else 'if'} {test}:" if test else "else:"
                    below += [(level, word), (level + 1, child)]
                stack += below[::-1]


class _Fractional:
    """Each node as a function that adds its share of leaves, in preorder."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def lines(self) -> Iterator[str]:
        walk = self.walk
        for t, root in enumerate(walk.root.tolist()):
            for node in walk.preorder(root):
                yield ""
                yield f"def _node_{node}(x, share, out):"
                if walk.kind[node] == LEAF:
                    yield f"    for k, value in enumerate(_VALUES[{walk.leaf[node]}]):"
                    yield "        out[k] += share * value"
                else:
                    yield from self._inner(node)
                yield ""
            yield ""
            yield f"def _tree_{t}(x):"
            yield f"    out = [0.0] * {walk.width}"
            yield f"    _node_{root}(x, 1.0, out)"
            yield "    return out"
            yield ""

    def _inner(self, node: int) -> Iterator[str]:
        walk = self.walk
        if walk.missing_branch[node] < 0:
            column = int(walk.column[node])
            is_set = walk.columns[column].is_categorical
            test = f"x[{column}] == -2" if is_set else f"x[{column}] != x[{column}]"
            yield f"    if {test}:"
            for child in walk.children(node):
                part = number(walk.share[child])
                yield f"        _node_{child}(x, share * {part}, out)"
            yield "        return"
        before, cases = conditions(walk, node)
        for line in before:
            yield f"    {line}"
        for k, (test, child) in enumerate(cases):
            word = f"{'elif' if k else 'if'} {test}:" if test else "else:"
            yield f"    {word}"
            yield f"        _node_{child}(x, share, out)"


def conditions(walk: Walk, node: int) -> tuple[list[str], list[tuple[str, int]]]:
    """Write the tests of a node: lines before them, and (test, child); "" is else."""
    kind, first = walk.kind[node], int(walk.first[node])
    if kind == HYPERPLANE:
        is_above = f"s > {number(walk.threshold[node])}"
        return _sum(walk, node), [(is_above, first + 1), ("", first)]
    column, missing = int(walk.column[node]), int(walk.missing_branch[node])
    x, default = f"x[{column}]", int(walk.default_branch[node])
    is_set = walk.columns[column].is_categorical
    is_missing = f"{x} == -2" if is_set else f"{x} != {x}"
    if kind == KNOWN:
        return [], [(is_missing, first + max(missing, 0)), ("", first + default)]
    if kind == CATEGORIES:
        codes, branches = walk.listed(node)
        members: dict[int, list[int]] = {b: [] for b in range(len(walk.children(node)))}
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            members[branch].append(int(code))
        if missing >= 0:
            members[missing].append(-2)
        cases = [
            (_is_in(x, own), first + branch)
            for branch, own in members.items()
            if branch != default and own
        ]
        return [], [*cases, ("", first + default)]
    if kind == INTERVALS:
        bounds, branches = walk.listed(node)
        cases = [] if missing < 0 else [(is_missing, first + missing)]
        for bound, branch in zip(bounds.tolist(), branches.tolist(), strict=True):
            cases.append((f"{x} <= {number(bound)}", first + branch))
        return [], [*cases, ("", first + default)]
    cut = number(walk.threshold[node])
    if missing == 1:  # no comparison with NaN holds
        return [], [(f"{x} <= {cut}", first), ("", first + 1)]
    return [], [(f"{x} > {cut}", first + 1), ("", first)]


def _is_in(x: str, codes: list[int]) -> str:
    if len(codes) == 1:
        return f"{x} == {codes[0]}"
    return f"{x} in {{{', '.join(map(str, codes))}}}"


def _sum(walk: Walk, node: int) -> list[str]:
    parts = []
    for column, category, weight, fill in walk.terms(node):
        x = f"x[{column}]"
        if category >= 0:
            parts.append(f"({number(weight)} if {x} == {category} else 0.0)")
        else:
            known = f"({number(fill)} if {x} != {x} else {x})"
            parts.append(f"{number(weight)} * {known}")
    lines, begin = [], "0.0"
    for i in range(0, len(parts), _TERMS_PER_LINE):
        lines.append(f"s = {' + '.join([begin, *parts[i : i + _TERMS_PER_LINE]])}")
        begin = "s"
    return lines


def _vote(walk: Walk) -> Iterator[str]:
    vote = walk.vote
    yield ""
    yield "def _scores(row):"
    yield "    x = _read(row)"
    yield f"    total = [{', '.join(map(number, vote.start.tolist()))}]"
    for t in range(walk.n_trees):
        leaf = f"_tree_{t}(x)"
        values = leaf if walk.is_fractional else f"_VALUES[{leaf}]"
        first = int(vote.first[t])
        if walk.lines is not None:
            yield f"    total[{first}] += _line({leaf}, x)"
            continue
        if walk.width == 1:
            yield f"    total[{first}] += {values}[0]"
            continue
        assert first == 0
        yield f"    for k, value in enumerate({values}):"
        yield "        total[k] += value"
    yield f"    return [score / {vote.divide} for score in total]"
    yield ""
    yield ""
    yield "def _answers(score):"
    yield from _LINKS[vote.link].format(n=vote.n_answers).splitlines()
    yield ""
    yield ""
    if vote.is_number:
        yield "def predict(row):"
        yield f'    """Give {_what(walk)}."""'
        if len(vote.outputs) == 1:
            yield "    return _answers(_scores(row))[0]"
        else:
            yield "    return _answers(_scores(row))"
        return
    yield "def predict(row):"
    yield f'    """Give {_what(walk)}."""'
    yield "    score = _scores(row)"
    yield from _decide(walk)
    yield ""
    yield ""
    yield "def predict_proba(row):"
    yield '    """Give the probability of each class, in the order of CLASSES."""'
    yield "    share = _answers(_scores(row))"
    if len(vote.outputs) == 1:
        yield "    return share"
        return
    begin, parts = 0, []
    for output in vote.outputs:
        parts.append(f"share[{begin}:{begin + output.size}]")
        begin += output.size
    yield f"    return [{', '.join(parts)}]"


def _what(walk: Walk) -> str:
    what = "number" if walk.vote.is_number else "class"
    return (
        f"the {what} of a row"
        if len(walk.vote.outputs) == 1
        else (f"a list with the {what} of each output")
    )


def _decide(walk: Walk) -> Iterator[str]:
    vote = walk.vote
    if vote.decide == "positive":
        yield "    return CLASSES[0][1 if score[0] > 0 else 0]"
        return
    begin = vote.decide_from
    yield "    found = []"
    for j, output in enumerate(vote.outputs):
        yield f"    own = score[{begin}:{begin + output.size}]"
        begin += output.size
        if vote.costs is not None:
            yield f"    cost = [0.0] * {output.size}"
            for k, line in enumerate(vote.costs.tolist()):
                for i, each in enumerate(line):
                    yield f"    cost[{i}] += own[{k}] * {number(each)}"
            yield "    own = [-each for each in cost]"
        yield f"    found.append(CLASSES[{j}][own.index(max(own))])"
    yield "    return found[0]" if len(vote.outputs) == 1 else "    return found"


_LINKS = {
    "none": "    return score[:{n}]",
    "exp": "    return [_exp(each) for each in score]",
    "expit": """\
    small = _exp(-abs(score[0]))
    second = 1 / (1 + small) if score[0] >= 0 else small / (1 + small)
    return [1 - second, second]""",
    "softmax": """\
    largest = max(score)
    power = [_exp(each - largest) for each in score]
    total = sum(power)
    return [each / total for each in power]""",
}


class _Python:
    """Runs the file in this interpreter."""

    name, is_own = "python", False

    def version(self) -> str | None:
        return platform.python_version()

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        module: dict[str, Any] = {"__name__": "exported_model"}
        exec(compile(artefact.text, "<exported model>", "exec"), module)
        names = [info.name for info in walk.columns]
        predict, predict_proba = module["predict"], module.get("predict_proba")
        said: list[tuple[Any, Any] | None] = []
        for i, row in enumerate(zip(*columns_for(walk, matrix), strict=True)):
            given = dict(zip(names, row, strict=True)) if i % 2 else list(row)
            try:
                answer = predict(given)
                said.append((answer, predict_proba(given) if predict_proba else answer))
            except ValueError:
                said.append(None)
        return Answers.of_rows(walk, said)


FORMAT = Format(
    name="python",
    suffix=".py",
    write=write,
    lines=True,
    about="one file of functions that needs nothing but Python",
    runtimes=(_Python(),),
)
