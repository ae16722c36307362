# SPDX-License-Identifier: BSD-3-Clause
"""A model as one C header: static tables, a walker, nothing allocated."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ramify.exports.base import Answers, Artefact, ExportRefused, Format, Option
from ramify.exports.certificates.c_driver import run
from ramify.exports.certificates.c_reader import body_of, coded, read_walk
from ramify.exports.certificates.rows import columns_for
from ramify.exports.formats.c_ifelse import functions
from ramify.exports.formats.literals import (
    c_number,
    c_text,
    comment,
    identifier,
    lines_of,
)
from ramify.exports.formats.tables import LINE_NAMES, answers_of, tables_of
from ramify.exports.walk import KNOWN, LEAF, THRESHOLD, Walk

__all__ = ["FORMAT"]

_HEAD = """\
/* {what}, as a C99 header. Made by ramify; model {hash}.

   int {m}_predict(const double *x, double *answer, int32_t *decision);

   x         one row: {n_columns} columns in the order below; NaN is a missing number
   answer    {n_answers} numbers: {answers}
   decision  {n_outputs} class number{s} (see {m}_label_<output>), or NULL
   returns   0, or 1 if a value is missing, 2 if a category is new, and the model
             refuses that

   A column of categories takes the code that {m}_code_<column> gives. Nothing is
   allocated, nothing is remembered; any number of threads may call.

{columns}
*/
#ifndef RAMIFY_{M}_H
#define RAMIFY_{M}_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "missing values are NaN: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0)
#error "doubles must be doubles: compile with -msse2 -mfpmath=sse or the like"
#endif
/* A product must be rounded before it is added. */
#if defined(__GNUC__) && !defined(__clang__)
#define RAMIFY_EXACT __attribute__((optimize("fp-contract=off")))
#else
#define RAMIFY_EXACT
#endif
#if defined(__GNUC__)
#define RAMIFY_UNUSED __attribute__((unused))
#else
#define RAMIFY_UNUSED
#endif

"""

_PRAGMA = """\
#if !defined(__GNUC__) || defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
"""

# Nodes that compare one number: the sign of the column says where missing values go.
_SIMPLE = """\
/* threshold; column, or -1 - column if missing values go left; first child, or minus
   the number of the leaf */
static const struct {{ double threshold; int32_t column, first; }} {m}_node[] = {{
{nodes}}};

static int32_t {m}_leaf(const double *x, int32_t at) {{
  while ({m}_node[at].first > 0) {{
    const int32_t c = {m}_node[at].column;
    const double v = x[c < 0 ? -1 - c : c];
    /* no branches: which way a row goes cannot be foreseen */
    at = {m}_node[at].first + ((v > {m}_node[at].threshold) | ((v != v) & (c >= 0)));
  }}
  return -{m}_node[at].first;
}}

"""

_GENERAL = """\
enum {{ {m}_LEAF, {m}_THRESHOLD, {m}_CATEGORIES, {m}_INTERVALS, {m}_SUM, {m}_KNOWN }};

/* The branch that a row takes at a node; -1 is every branch. */
RAMIFY_EXACT static int32_t {m}_branch(const double *x, int32_t at) {{
  const int32_t begin = {m}_begin[at], end = {m}_end[at];
  double v;
  int32_t low = begin, high = end;
  if ({m}_kind[at] == {m}_SUM) {{
    double sum = 0;
    int32_t i;
    for (i = begin; i < end; ++i) {{
      v = x[{m}_termColumn[i]];
      if ({m}_termCategory[i] >= 0)
        sum += v == {m}_termCategory[i] ? {m}_termWeight[i] : 0.0;
      else
        sum += {m}_termWeight[i] * (v != v ? {m}_termFill[i] : v);
    }}
    return sum > {m}_threshold[at];
  }}
  v = x[{m}_column[at]];
  if (v != v) return {m}_missing[at];
  if ({m}_kind[at] == {m}_THRESHOLD) return v > {m}_threshold[at];
  if ({m}_kind[at] == {m}_KNOWN) return {m}_other[at];
  while (low < high) {{ /* the first bound that v is not above */
    const int32_t middle = low + (high - low) / 2;
    if ({m}_bound[middle] < v) low = middle + 1;
    else high = middle;
  }}
  if (low == end || ({m}_kind[at] == {m}_CATEGORIES && {m}_bound[low] != v))
    return {m}_other[at];
  return {m}_branchOf[low];
}}

"""

_WALK = """\
static int32_t {m}_leaf(const double *x, int32_t at) {{
  while ({m}_kind[at] != {m}_LEAF) at = {m}_first[at] + {m}_branch(x, at);
  return {m}_leafOf[at];
}}

"""

_LINE = """\
/* What a leaf says of a row: its value and multiples of clipped columns, clipped. */
RAMIFY_EXACT static double {m}_line(const double *x, int32_t leaf) {{
  double total = {m}_value[leaf];
  int32_t i;
  for (i = {m}_lineBegin[leaf]; i < {m}_lineBegin[leaf + 1]; ++i) {{
    double v = x[{m}_lineColumn[i]];
    if (v != v) v = {m}_lineFill[i];
    if (v < {m}_lineLow[i]) v = {m}_lineLow[i];
    if (v > {m}_lineHigh[i]) v = {m}_lineHigh[i];
    total += {m}_lineSlope[i] * v;
  }}
  if (total < {m}_bottom[leaf]) total = {m}_bottom[leaf];
  if (total > {m}_top[leaf]) total = {m}_top[leaf];
  return total;
}}

"""

_SPREAD = """\
/* Adds the leaves of a tree, each with the share in which the row reaches it. */
RAMIFY_EXACT static void {m}_spread(const double *x, int32_t at, double *own) {{
  struct {{ int32_t node; double share; }} stack[{stack}];
  int32_t n = 1, k;
  stack[0].node = at;
  stack[0].share = 1;
  while (n > 0) {{
    const int32_t node = stack[--n].node;
    const double share = stack[n].share;
    int32_t branch;
    if ({m}_kind[node] == {m}_LEAF) {{
      const double *value = {m}_value + (size_t){m}_leafOf[node] * {width};
      for (k = 0; k < {width}; ++k) own[k] += share * value[k];
      continue;
    }}
    branch = {m}_branch(x, node);
    if (branch >= 0) {{
      stack[n].node = {m}_first[node] + branch;
      stack[n++].share = share;
      continue;
    }}
    for (k = {m}_children[node] - 1; k >= 0; --k) {{
      stack[n].node = {m}_first[node] + k;
      stack[n++].share = share * {m}_share[{m}_first[node] + k];
    }}
  }}
}}

"""


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as a C header."""
    m = identifier(options["name"])
    vote = walk.vote
    names = [
        f"   {j:4d}  {comment(info.name)}"
        + (f" ({len(info.categories)} categories)" if info.is_categorical else "")
        for j, info in enumerate(walk.columns)
    ]
    out = [
        _HEAD.format(
            **{"what": comment(walk.described), "hash": walk.hash(), "m": m},
            **{"M": m.upper(), "n_columns": len(walk.columns)},
            n_answers=vote.n_answers,
            answers="the numbers predicted"
            if vote.is_number
            else "class probabilities, output by output",
            n_outputs=len(vote.outputs),
            s="" if len(vote.outputs) == 1 else "s",
            columns="\n".join(names),
        )
    ]
    is_simple = walk.kinds <= {LEAF, THRESHOLD, KNOWN} and not walk.is_fractional
    out.append(_PRAGMA)
    if options["layout"] == "ifelse":
        out += functions(walk, m)
    elif is_simple:
        out.append(_SIMPLE.format(m=m, nodes=_simple_nodes(walk)))
    else:
        out += _general(walk, m)
    values = map(c_number, walk.value.ravel().tolist())
    # Before the walker that reads it.
    out.insert(2, _array("double", f"{m}_value", values))
    if walk.lines is not None:
        for old, new in LINE_NAMES.items():
            cells = getattr(walk.lines, old)
            is_real = cells.dtype.kind == "f"
            items = map(c_number if is_real else str, cells.tolist())
            out.append(_array("double" if is_real else "int32_t", f"{m}_{new}", items))
        out.append(_LINE.format(m=m))
    out.append(_predict(walk, m))
    out += _codes(walk, m)
    out += _labels(walk, m)
    out.append("\n#endif\n")
    return Artefact("".join(out))


def _array(kind: str, name: str, items: Iterable[str]) -> str:
    lines = lines_of(items) or "  0\n"  # C has no empty arrays
    return f"static const {kind} {name}[] = {{\n{lines}}};\n"


def _simple_nodes(walk: Walk) -> str:
    items = []
    for node in range(walk.n_nodes):
        if walk.kind[node] == LEAF:
            items.append(f"{{0, 0, {-int(walk.leaf[node])}}}")
            continue
        column, first = int(walk.column[node]), int(walk.first[node])
        missing, cut = int(walk.missing_branch[node]), c_number(walk.threshold[node])
        if walk.kind[node] == KNOWN:
            # All known numbers are on one side of infinity.
            side = int(walk.default_branch[node])
            cut = "HUGE_VAL" if side == 0 else "-HUGE_VAL"
        items.append(f"{{{cut}, {-1 - column if missing == 0 else column}, {first}}}")
    return lines_of(items)


def _general(walk: Walk, m: str) -> Iterator[str]:
    tables = tables_of(walk)
    small = "int16_t" if walk.n_children.max(initial=0) < 30_000 else "int32_t"
    kinds = {"kind": "uint8_t", "missing": small, "other": small, "branch": small}
    renamed = {"branch": "branchOf", "leaf": "leafOf"}
    needed = [
        *("kind", "column", "threshold", "first", "missing", "other"),
        *("begin", "end", "bound", "branch", "leaf"),
        *("termColumn", "termCategory", "termWeight", "termFill"),
        *(("children", "share") if walk.is_fractional else ()),
    ]
    for name in needed:
        is_double = name in ("threshold", "bound", "termWeight", "termFill", "share")
        kind = "double" if is_double else kinds.get(name, "int32_t")
        items = map(c_number if is_double else str, tables[name])
        yield _array(kind, f"{m}_{renamed.get(name, name)}", items)
    yield _GENERAL.format(m=m)
    if walk.is_fractional:
        yield _SPREAD.format(m=m, width=walk.width, stack=_stack(walk))
    else:
        yield _WALK.format(m=m)


def _stack(walk: Walk) -> int:
    """Return the size of the stack that a walk down every branch needs."""
    size = np.ones(walk.n_nodes, dtype=np.int64)
    for node in range(walk.n_nodes - 1, -1, -1):  # children stand behind parents
        if walk.kind[node] != LEAF:
            children = walk.children(node)
            size[node] = len(children) - 1 + max(int(size[c]) for c in children)
    return int(size.max()) + 1


def _predict(walk: Walk, m: str) -> str:
    vote, w = walk.vote, walk.width
    n_scores = len(vote.start)
    lines = [
        f"RAMIFY_EXACT RAMIFY_UNUSED static int {m}_predict(",
        "    const double *x, double *answer, int32_t *decision) {",
        f"  double score[{n_scores}] = {{{', '.join(map(c_number, vote.start))}}};",
        "  int32_t t, k;",
    ]
    checks = []
    if walk.missing == "error":
        checks.append(
            f"  for (k = 0; k < {len(walk.columns)}; ++k) if (x[k] != x[k]) return 1;"
        )
    if walk.unseen == "error":
        checks += [
            f"  if (x[{j}] < 0) return 2;"
            for j, info in enumerate(walk.columns)
            if info.is_categorical
        ]
    roots = ", ".join(map(str, walk.root.tolist()))
    first = ", ".join(map(str, vote.first.tolist()))
    lines += [
        f"  static const int32_t root[{walk.n_trees}] = {{{roots}}};",
        *(
            [f"  static const int32_t first[{walk.n_trees}] = {{{first}}};"]
            if vote.first.any()
            else []
        ),
        *checks,
        f"  for (t = 0; t < {walk.n_trees}; ++t) {{",
    ]
    to = "score[first[t] + k]" if vote.first.any() else "score[k]"
    if walk.is_fractional:
        lines += [
            f"    double own[{w}] = {{0}};",
            f"    {m}_spread(x, root[t], own);",
            f"    for (k = 0; k < {w}; ++k) {to} += own[k];",
        ]
    elif walk.lines is not None:
        lines.append(f"    score[0] += {m}_line(x, {m}_leaf(x, root[t]));")
    else:
        lines += [
            f"    const int32_t leaf = {m}_leaf(x, root[t]);",
            f"    const double *value = {m}_value + (size_t)leaf * {w};",
            f"    for (k = 0; k < {w}; ++k) {to} += value[k];",
        ]
    lines.append("  }")
    if vote.divide > 1:
        lines.append(f"  for (k = 0; k < {n_scores}; ++k) score[k] /= {vote.divide};")
    lines += _decide(walk)
    lines += _LINKS[vote.link].format(n=vote.n_answers).splitlines()
    return "\n".join([*lines, "  return 0;", "}", "", ""])


def _decide(walk: Walk) -> Iterator[str]:
    vote = walk.vote
    if vote.is_number:
        yield "  (void)decision;"
        return
    yield "  if (decision != NULL) {"
    if vote.decide == "positive":
        yield "    decision[0] = score[0] > 0;"
    begin = vote.decide_from
    for j, output in enumerate(vote.outputs if vote.decide != "positive" else ()):
        if vote.costs is not None:
            yield f"    double cost[{output.size}] = {{0}};"
            for k, line in enumerate(vote.costs.tolist()):
                for i, each in enumerate(line):
                    yield f"    cost[{i}] += score[{begin + k}] * {c_number(each)};"
            yield f"    for (k = 0; k < {output.size}; ++k) cost[k] = -cost[k];"
        own = "cost" if vote.costs is not None else f"(score + {begin})"
        yield f"    decision[{j}] = 0;"
        yield f"    for (k = 1; k < {output.size}; ++k)"
        yield f"      if ({own}[k] > {own}[decision[{j}]]) decision[{j}] = k;"
        begin += output.size
    yield "  }"


_LINKS = {
    "none": "  for (k = 0; k < {n}; ++k) answer[k] = score[k];",
    "exp": "  for (k = 0; k < {n}; ++k) answer[k] = exp(score[k]);",
    "expit": """\
  {{
    const double tiny = exp(-fabs(score[0]));
    answer[1] = score[0] >= 0 ? 1 / (1 + tiny) : tiny / (1 + tiny);
    answer[0] = 1 - answer[1];
  }}""",
    "softmax": """\
  {{
    double largest = score[0], total = 0;
    for (k = 1; k < {n}; ++k) if (score[k] > largest) largest = score[k];
    for (k = 0; k < {n}; ++k) total += answer[k] = exp(score[k] - largest);
    for (k = 0; k < {n}; ++k) answer[k] /= total;
  }}""",
}

_TEXT_CODE = """\
/* The code of a category of column {j}; NULL is missing. */
RAMIFY_UNUSED static double {m}_code_{j}(const char *text) {{
  static const char *const known[] = {{
{items}  }};
  static const int32_t code[] = {{
{codes}  }};
  int32_t low = 0, high = {n};
  if (text == NULL) return NAN;
  while (low < high) {{
    const int32_t middle = low + (high - low) / 2;
    const int order = strcmp(known[middle], text);
    if (order == 0) return code[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }}
  return {unseen};
}}

"""

_NUMBER_CODE = """\
/* The code of a category of column {j}; NaN is missing. */
RAMIFY_UNUSED static double {m}_code_{j}(double value) {{
  static const double known[] = {{
{items}  }};
  int32_t low = 0, high = {n};
  if (value != value) return NAN;
  while (low < high) {{
    const int32_t middle = low + (high - low) / 2;
    if (known[middle] == value) return middle;
    if (known[middle] < value) low = middle + 1;
    else high = middle;
  }}
  return {unseen};
}}

"""


def _codes(walk: Walk, m: str) -> Iterator[str]:
    unseen = "NAN" if walk.unseen == "missing" else "-1"
    for j, info in enumerate(walk.columns):
        if not info.is_categorical:
            continue
        categories = info.categories
        fields = {"m": m, "j": j, "n": len(categories), "unseen": unseen}
        if categories and not isinstance(categories[0], str):
            items = lines_of(map(c_number, categories), indent="    ")
            yield _NUMBER_CODE.format(items=items, **fields)
            continue
        # By bytes, as strcmp orders them.
        pairs = sorted((_bytes(t, "category"), k) for k, t in enumerate(categories))
        texts = [c_text(categories[k]) for _, k in pairs]
        yield _TEXT_CODE.format(
            items=lines_of(texts, indent="    ") or "    NULL\n",
            codes=lines_of((str(k) for _, k in pairs), indent="    ") or "    0\n",
            **fields,
        )


def _bytes(text: str, what: str) -> bytes:
    if "\0" in text:
        raise ExportRefused(
            f"C cannot hold the {what} {text!r}: its text ends at the first NUL; "
            "rename it, or use 'json' or 'python'"
        )
    return text.encode()


def _labels(walk: Walk, m: str) -> Iterator[str]:
    for j, output in enumerate(walk.vote.outputs):
        if output.labels is None:
            continue
        texts = [str(label) for label in output.labels.tolist()]
        for text in texts:
            _bytes(text, "label")
        items = lines_of(map(c_text, texts))
        yield f"/* Labels of output {j}, by class number. */\n"
        yield f"RAMIFY_UNUSED static const char *const {m}_label_{j}[] = {{\n"
        yield f"{items}}};\n"


# --- who reads it ---------------------------------------------------------------------


class _Compiler:
    """Compiles the header with a program around it, and runs that."""

    name, is_own = "cc", False

    def version(self) -> str | None:
        compiler = shutil.which("cc")
        if compiler is None:
            return None
        done = subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()[0].removeprefix("cc ") if done.stdout else None

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        m = re.search(r"int (\w+)_predict\(", artefact.text)
        if m is None:
            raise ValueError("the header has no function ..._predict")
        found = run(artefact.text, m[1], walk, matrix)
        decision = None
        if not walk.vote.is_number:
            decision = found["decision"].astype(np.int64)
            _check_labels(artefact.text, walk, m[1])
        return Answers(found["answer"], decision, found["status"] != 0)


class _OwnReading:
    """Reads the tables of the header ourselves, for want of a compiler."""

    name, is_own = "ramify's own reading of the header", True

    def takes(self, options: Mapping[str, Any]) -> bool:
        """Return whether there are tables that can be read."""
        return bool(options["layout"] == "tables")

    def version(self) -> str | None:
        return "1"

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        name, read = read_walk(artefact.text, walk)
        again = write(read, {"name": name, "layout": "tables"}).text
        if body_of(again) != body_of(artefact.text):
            raise ValueError(
                "the functions of the header are not those of ramify, so that only a "
                "compiler can read it"
            )
        return answers_of(read, coded(read, columns_for(walk, matrix)))


def _check_labels(text: str, walk: Walk, m: str) -> None:
    """See that the names of classes are there as they should be."""
    for line in _labels(walk, m):
        if line not in text:
            raise ValueError("the labels of the header are not those of the model")


FORMAT = Format(
    name="c",
    suffix=".h",
    write=write,
    lines=True,
    about="one C99 header: static tables, no allocation, re-entrant",
    runtimes=(_Compiler(), _OwnReading()),
    options={
        "name": Option("model", "prefix of all names in the header"),
        "layout": Option(
            "tables", "nested ifs are faster, and slow to compile", ("tables", "ifelse")
        ),
    },
)
