# SPDX-License-Identifier: BSD-3-Clause
"""A model as one ES module, for a page or for Node: tables and a small walker."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ramify.exports.base import Answers, Artefact, Format
from ramify.exports.certificates.rows import columns_for
from ramify.exports.formats.literals import comment, js_value
from ramify.exports.formats.tables import answers_of, tables_of, walk_of
from ramify.exports.walk import Walk

__all__ = ["FORMAT"]

_HEAD = """\
// {what}, as an ES module. Made by ramify; model {hash}.
//
//   import {{ predict, {answer} }} from "./model.mjs";
//   predict({{ column: value, ... }})
//
// A row is an object (or a Map) by column, or an array in the order of `columns`.
// null, undefined and NaN are missing values.
"""

_WALKER = """\
const LEAF = 0, THRESHOLD = 1, CATEGORIES = 2, INTERVALS = 3, SUM = 4, KNOWN = 5;
// A Map, not an object: "constructor" may be a category.
const codes = C.map(
  (known) => known && new Map(known.map((value, code) => [value, code])));

function read(row) {
  let values = row;
  if (row instanceof Map) values = columns.map((name) => row.get(name));
  else if (!Array.isArray(row)) {
    values = columns.map((name) => {
      if (!Object.prototype.hasOwnProperty.call(row, name))
        throw new TypeError("the row has no " + JSON.stringify(name));
      return row[name];
    });
  }
  if (values.length !== columns.length)
    throw new TypeError("a row has " + values.length + " values");
  return columns.map((name, j) => {
    let value = values[j];
    if (value === null || value === undefined || value !== value) value = NaN;
    else if (codes[j]) {
      const code = codes[j].get(value);
      if (code !== undefined) return code;
      if (V.unseen === "error")
        throw new RangeError(JSON.stringify(name) + " has a category that is new");
      if (V.unseen !== "missing") return -1;
      value = NaN;
    } else if (typeof value === "bigint") value = Number(value);
    else if (typeof value !== "number")
      throw new TypeError(JSON.stringify(name) + " takes no " + typeof value);
    if (value !== value && V.missing === "error")
      throw new RangeError(JSON.stringify(name) + " has no value");
    return value;
  });
}

// The branch that a row takes at a node; -1 is every branch.
function branch(x, at) {
  const begin = T.begin[at], end = T.end[at];
  if (T.kind[at] === SUM) {
    let sum = 0;
    for (let i = begin; i < end; ++i) {
      const v = x[T.termColumn[i]];
      if (T.termCategory[i] >= 0) sum += v === T.termCategory[i] ? T.termWeight[i] : 0;
      else sum += T.termWeight[i] * (v !== v ? T.termFill[i] : v);
    }
    return sum > T.threshold[at] ? 1 : 0;
  }
  const v = x[T.column[at]];
  if (v !== v) return T.missing[at];
  if (T.kind[at] === THRESHOLD) return v > T.threshold[at] ? 1 : 0;
  if (T.kind[at] === KNOWN) return T.other[at];
  let low = begin, high = end;
  while (low < high) { // the first bound that v is not above
    const middle = (low + high) >> 1;
    if (T.bound[middle] < v) low = middle + 1;
    else high = middle;
  }
  if (low === end) return T.other[at];
  if (T.kind[at] === CATEGORIES && T.bound[low] !== v) return T.other[at];
  return T.branch[low];
}

function addTree(x, root, to, score) {
  const own = new Array(V.width).fill(0);
  const nodes = [root], shares = [1];
  while (nodes.length) {
    const node = nodes.pop(), share = shares.pop();
    if (T.kind[node] === LEAF) {
      const begin = T.leaf[node] * V.width;
      for (let k = 0; k < V.width; ++k) own[k] += share * T.value[begin + k];
      continue;
    }
    const b = branch(x, node);
    if (b >= 0) {
      nodes.push(T.first[node] + b);
      shares.push(share);
      continue;
    }
    for (let k = T.children[node] - 1; k >= 0; --k) {
      nodes.push(T.first[node] + k);
      shares.push(share * T.share[T.first[node] + k]);
    }
  }
  for (let k = 0; k < V.width; ++k) score[to + k] += own[k];
}

function scores(row) {
  const x = read(row), score = V.start.slice();
  for (let t = 0; t < T.root.length; ++t) addTree(x, T.root[t], V.first[t], score);
  return score.map((each) => each / V.divide);
}

function answers(score) {
  if (V.link === "exp") return score.map(Math.exp);
  if (V.link === "expit") {
    const tiny = Math.exp(-Math.abs(score[0]));
    const second = score[0] >= 0 ? 1 / (1 + tiny) : tiny / (1 + tiny);
    return [1 - second, second];
  }
  if (V.link === "softmax") {
    const largest = Math.max(...score);
    const power = score.map((each) => Math.exp(each - largest));
    const total = power.reduce((sum, each) => sum + each, 0);
    return power.map((each) => each / total);
  }
  return score.slice(0, V.sizes.reduce((sum, each) => sum + each, 0));
}
"""

# What a leaf with a line adds, before the walker that calls it.
_LINE = """\
function line(x, leaf) {
  let total = T.value[leaf];
  for (let i = T.lineBegin[leaf]; i < T.lineBegin[leaf + 1]; ++i) {
    let v = x[T.lineColumn[i]];
    if (v !== v) v = T.lineFill[i];
    total += T.lineSlope[i] * Math.min(Math.max(v, T.lineLow[i]), T.lineHigh[i]);
  }
  return Math.min(Math.max(total, T.bottom[leaf]), T.top[leaf]);
}

"""
_ADDED = """\
      const begin = T.leaf[node] * V.width;
      for (let k = 0; k < V.width; ++k) own[k] += share * T.value[begin + k];
"""
_LINE_ADDED = """\
      own[0] += line(x, T.leaf[node]);
"""

_CLASSES = """\

/** The class of a row; with several outputs, one of each. */
export function predict(row) {
  const score = scores(row);
  if (V.decide === "positive") return classes[0][score[0] > 0 ? 1 : 0];
  let begin = V.decideFrom;
  const found = V.sizes.map((size, j) => {
    let own = score.slice(begin, begin + size);
    begin += size;
    if (V.costs) {
      const cost = new Array(size).fill(0);
      for (let k = 0; k < size; ++k)
        for (let i = 0; i < size; ++i) cost[i] += own[k] * V.costs[k][i];
      own = cost.map((each) => -each);
    }
    let best = 0;
    for (let k = 1; k < size; ++k) if (own[k] > own[best]) best = k;
    return classes[j][best];
  });
  return found.length === 1 ? found[0] : found;
}

/** The probability of each class, in the order of `classes`. */
export function predictProba(row) {
  const share = answers(scores(row));
  if (V.sizes.length === 1) return share;
  let begin = 0;
  return V.sizes.map((size) => share.slice(begin, (begin += size)));
}
"""

_NUMBERS = """\

/** The number of a row; with several outputs, one of each. */
export function predict(row) {
  const found = answers(scores(row));
  return found.length === 1 ? found[0] : found;
}
"""


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as an ES module."""
    vote = walk.vote
    for info in walk.columns:
        if info.categories and not isinstance(info.categories[0], (str, bool)):
            _refuse_large(info.categories, info.name)
    settings = {
        "start": vote.start.tolist(),
        "first": vote.first.tolist(),
        "width": walk.width,
        "divide": vote.divide,
        "link": vote.link,
        "decide": vote.decide,
        "decideFrom": vote.decide_from,
        "costs": None if vote.costs is None else vote.costs.tolist(),
        "sizes": [output.size for output in vote.outputs],
        "unseen": walk.unseen,
        "missing": walk.missing,
    }
    categories = [
        [*info.categories] if info.is_categorical else None for info in walk.columns
    ]
    answer = "predict" if vote.is_number else "predictProba"
    out = [
        _HEAD.format(what=comment(walk.described), hash=walk.hash(), answer=answer),
        f"export const columns = {js_value([info.name for info in walk.columns])};\n",
    ]
    if not vote.is_number:
        labels = [output.labels.tolist() for output in vote.outputs]  # type: ignore[union-attr]  # classes
        out.append(f"export const classes = {js_value(labels)};\n")
    out += [
        f"const C = {js_value(categories)};\n",
        f"const V = {js_value(settings)};\n",
        f"const T = {js_value(tables_of(walk))};\n",
        _functions(walk),
    ]
    return Artefact("".join(out))


def _functions(walk: Walk) -> str:
    """Write the functions, which are the same for all models of a kind."""
    walker = _WALKER
    if walk.lines is not None:
        walker = _LINE + walker.replace(_ADDED, _LINE_ADDED)
    return walker + (_NUMBERS if walk.vote.is_number else _CLASSES)


def _refuse_large(categories: tuple[Any, ...], name: str) -> None:
    for value in categories:
        if isinstance(value, int) and abs(value) > 2**53:
            raise ValueError(
                f"JavaScript cannot hold the category {value} of column {name!r}: its "
                "numbers are doubles; use text"
            )


_RUNNER = """\
import { readFileSync, writeFileSync } from "node:fs";
import * as model from "./model.mjs";
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
const out = rows.map((values, i) => {
  // By position, by name in a Map, and by name in an object.
  let row = values;
  if (i % 3 === 1) row = new Map(model.columns.map((name, j) => [name, values[j]]));
  if (i % 3 === 2) {
    row = Object.create(null);
    model.columns.forEach((name, j) => { row[name] = values[j]; });
  }
  try {
    const answer = model.predict(row);
    return [answer, model.predictProba ? model.predictProba(row) : answer];
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
});
writeFileSync("out.json", JSON.stringify(out));
"""


class _Node:
    """Runs the module in Node."""

    name, is_own = "node", False

    def version(self) -> str | None:
        node = shutil.which("node")
        if node is None:
            return None
        done = subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=False
        )
        return done.stdout.strip().removeprefix("v") or None

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "model.mjs").write_text(artefact.text)
            (place / "run.mjs").write_text(_RUNNER)
            rows = list(zip(*columns_for(walk, matrix), strict=True))
            (place / "rows.json").write_text(json.dumps(rows))
            done = subprocess.run(
                ["node", "run.mjs"],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise ValueError(f"node cannot run the module: {done.stderr[-2000:]}")
            said = json.loads((place / "out.json").read_text())
        return Answers.of_rows(walk, said)


class _Tables:
    """Reads the tables of the module, for want of Node."""

    name, is_own = "ramify's reader of the tables", True

    def version(self) -> str | None:
        return "1"

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        text = artefact.text
        if not text.endswith(_functions(walk)):
            raise ValueError("the functions of the module are not those of ramify")
        found = re.search(r"^const T = (.*);$", text, re.MULTILINE)
        if found is None:
            raise ValueError("the module has no table T")
        return answers_of(walk_of(walk, json.loads(found[1])), matrix)


FORMAT = Format(
    name="javascript",
    suffix=".mjs",
    write=write,
    lines=True,
    about="one ES module for a page or Node",
    runtimes=(_Node(), _Tables()),
)
