# SPDX-License-Identifier: BSD-3-Clause
"""Runs the scripts of the page in node, without a page."""

import json
import shutil
import subprocess
from importlib import resources

import pytest

from ramify.viewer.page_data import Seen, column_data, tree_data

DRIVER = """
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const asRow = (row) => row.map((x) => (x === null ? NaN : x));
const plain = (row) => row.map((x) => (Number.isNaN(x) ? null : x));
const told = jobs.map(({ tree: fields, columns, classes, rows, tasks, rules }) => {
  const tree = new TreeModel(fields, columns, classes);
  const predicted = rows.map((row) => {
    const { best, value, shares, leaves } = tree.predict(asRow(row));
    return { best, value, shares: shares && [...shares], leaves };
  });
  const changes = tasks.map(({ row, to, above, locked }) => {
    const x = asRow(row);
    const now = tree.predict(x);
    const wants =
      above !== undefined ? (v) => v > above
      : to === undefined ? (k) => k !== now.best
      : (k) => k === to;
    const found = counterfactual(tree, x, wants, new Set(locked || []));
    return found && {
      leaf: found.leaf,
      row: plain(found.row),
      distance: found.distance,
      changed: found.changes.map((one) => one.column),
    };
  });
  const leaves = [...Array(tree.n).keys()].filter((i) => tree.isLeaf(i));
  const said = rules
    ? leaves.map((i) => ({ leaf: i, sql: tree.sql(i), text: tree.rule(i) }))
    : [];
  return { predicted, changes, said };
});
process.stdout.write(JSON.stringify(told));
"""


def job(model, X, y=None, *, rows=(), tasks=(), rules=False, scale=None):
    """Describe a tree and what to ask of it; rows are those of a prediction matrix."""
    seen = Seen.from_model(model, X, y)
    columns = column_data([seen])
    if scale is not None:
        for info, size in zip(columns, scale, strict=True):
            info["scale"] = size
    return {
        "tree": tree_data(seen),
        "columns": columns,
        "classes": seen.classes,
        "rows": [as_plain(row) for row in rows],
        "tasks": [{**task, "row": as_plain(task["row"])} for task in tasks],
        "rules": rules,
    }


def as_plain(row):
    return [None if x != x else float(x) for x in row]


def ask(jobs):
    """Run all jobs in one process of node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    files = resources.files("ramify.viewer")
    script = "\n".join(
        files.joinpath(name).read_text("utf-8") for name in ("model.js", "explain.js")
    )
    done = subprocess.run(
        [node, "-e", script + DRIVER],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
