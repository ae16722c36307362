# SPDX-License-Identifier: BSD-3-Clause
"""Trees as nested ifs in C: faster than tables for one tree, slow to compile."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.exports.base import ExportRefused
from ramify.exports.formats.literals import c_number
from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, LEAF, Walk

__all__ = ["functions"]

_DEEPEST = 50  # C99 promises 127 levels of blocks
_HEAD = "RAMIFY_EXACT static int32_t {name}(const double *x) {{\n"


def functions(walk: Walk, m: str) -> Iterator[str]:
    """Write a function per tree, and the one that chooses among them."""
    if walk.is_fractional:
        raise ExportRefused(
            "layout='ifelse' cannot say missing='fractional': a row goes down every "
            "branch; use layout='tables'"
        )
    for root in walk.root.tolist():
        # What lies too deep becomes a function of its own, written before it is called.
        tops = [root]
        for top in tops:
            tops += _cuts(walk, top)
        for top in reversed(tops):
            body = "".join(_lines(walk, m, top, _DEEPEST, "  "))
            unused = "" if walk.kind[top] != LEAF else "  (void)x;\n"
            yield f"{_HEAD.format(name=f'{m}_at_{top}')}{unused}{body}}}\n\n"
    yield f"static int32_t {m}_leaf(const double *x, int32_t at) {{\n"
    yield "  switch (at) {\n"
    for root in walk.root[1:].tolist():
        yield f"  case {root}: return {m}_at_{root}(x);\n"
    yield f"  default: return {m}_at_{int(walk.root[0])}(x);\n  }}\n}}\n\n"


def _cuts(walk: Walk, top: int) -> list[int]:
    """Return the nodes below a node at which another function begins."""
    level = [top]
    for _ in range(_DEEPEST):
        level = [
            child
            for node in level
            if walk.kind[node] != LEAF
            for child in walk.children(node)
        ]
    return [node for node in level if walk.kind[node] != LEAF]


def _lines(
    walk: Walk, m: str, node: int, depth_left: int, indent: str
) -> Iterator[str]:
    if walk.kind[node] == LEAF:
        yield f"{indent}return {int(walk.leaf[node])};\n"
        return
    if depth_left == 0:
        yield f"{indent}return {m}_at_{node}(x);\n"
        return
    word = f"{indent}if"
    for test, child in _cases(walk, node):
        yield f"{word} ({test}) {{\n" if test else f"{indent}}} else {{\n"
        yield from _lines(walk, m, child, depth_left - 1, indent + " ")
        word = f"{indent}}} else if"
    yield f"{indent}}}\n"


def _cases(walk: Walk, node: int) -> list[tuple[str, int]]:
    """Write what leads to each child; "" is else, the last."""
    kind, first = walk.kind[node], int(walk.first[node])
    if kind == HYPERPLANE:
        terms = ["0.0"]
        for column, category, weight, fill in walk.terms(node):
            x, own = f"x[{column}]", c_number(weight)
            if category >= 0:
                terms.append(f"({x} == {category} ? {own} : 0.0)")
            else:
                terms.append(f"{own} * ({x} != {x} ? {c_number(fill)} : {x})")
        above = f"{' + '.join(terms)} > {c_number(walk.threshold[node])}"
        return [(above, first + 1), ("", first)]
    x = f"x[{walk.column[node]}]"
    missing, default = int(walk.missing_branch[node]), int(walk.default_branch[node])
    if kind == KNOWN:
        return [(f"{x} != {x}", first + missing), ("", first + default)]
    values, branches = walk.listed(node)
    if kind == CATEGORIES:
        cases = []
        for branch in range(int(walk.n_children[node])):
            own_values = values[branches == branch].tolist()
            tests = [f"{x} == {int(code)}" for code in own_values]
            if missing == branch:
                tests.append(f"{x} != {x}")
            if branch != default and tests:
                cases.append((" || ".join(tests), first + branch))
        return [*cases, ("", first + default)]
    if kind == INTERVALS:
        cases = [(f"{x} != {x}", first + missing)]
        cases += [
            (f"{x} <= {c_number(bound)}", first + int(branch))
            for bound, branch in zip(values.tolist(), branches.tolist(), strict=True)
        ]
        return [*cases, ("", first + default)]
    cut = c_number(walk.threshold[node])
    left = f"{x} <= {cut}" if missing else f"!({x} > {cut})"  # NaN is neither
    return [(left, first), ("", first + 1)]
