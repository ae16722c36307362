// SPDX-License-Identifier: BSD-3-Clause
// What the studio makes of the nodes that the server tells it.
import assert from "node:assert/strict";
import test from "node:test";

import { COLUMNS, load, plain } from "./scripts.mjs";

const { treeDataOf, pairsOf, stumpOf, oneAtATime, queryOf, TreeModel } = load(
  ["model.js", "dom.js", "../serving/page/parts.js"],
  ["treeDataOf", "pairsOf", "stumpOf", "oneAtATime", "queryOf", "TreeModel"],
);

const ABOUT = { estimator: "DecisionTreeClassifier", unseen: "heavier", refusesMissing: false };

function node(rows, more = {}) {
  return { rows, weight: rows, gain: null, impurity: 0.1, best: 0, shares: [0, 1], hits: rows, ...more };
}

test("children are found from the order of nodes and how many each has", () => {
  const test0 = { feature: 0, kind: 0, threshold: 30, missing: 1, other: 0, picture: { bins: 2 } };
  const nodes = new Map([
    [0, node(10, test0)],
    [7, node(4, { ...test0, feature: 1 })],
    [9, node(1)],
    [10, node(3)],
    [8, node(6)],
  ]);
  const tree = treeDataOf([0, 7, 9, 10, 8], [2, 2, 0, 0, 0], nodes, ABOUT, null);
  assert.deepEqual(plain(tree.left), [1, 2, -1, -1, -1]);
  assert.deepEqual(plain(tree.next), [-1, 4, 3, -1, -1]);
  assert.deepEqual(plain(tree.feature), [0, 1, -2, -2, -2]);
  assert.deepEqual(Object.keys(plain(tree.pictures)), ["0", "1"]);
  const model = new TreeModel(tree, COLUMNS, ["no", "yes"]);
  assert.deepEqual(plain(model.children), [[1, 4], [2, 3], [], [], []]);
  assert.equal(model.maxDepth, 2);
});

test("a node of many branches, and one that was a split and is a leaf again", () => {
  const nodes = new Map([0, 1, 2, 3].map((n) => [n, node(3, { feature: 2, kind: 1, threshold: 4 })]));
  const many = treeDataOf([0, 1, 2, 3], [3, 0, 0, 0], nodes, ABOUT, null);
  assert.deepEqual(plain(many.next), [-1, 2, 3, -1]);
  const leaf = treeDataOf([0], [0], nodes, ABOUT, null);
  assert.deepEqual(plain([leaf.left, leaf.feature, leaf.kind]), [[-1], [-2], [0]]);
});

test("a candidate becomes a tree of one split, with the shares of its sides", () => {
  const app = {
    data: { columns: COLUMNS, classes: ["no", "yes"], slots: [0, 1] },
    trees: [{ nSlots: 2 }],
    about: ABOUT,
    span: null,
  };
  const split = { feature: 0, kind: 0, threshold: 40, missing: 0, other: 0 };
  const tree = stumpOf(app, split, null, [30, 10], [[1, 0], [0.5, 0.5]], { 0: { low: 18 } });
  assert.deepEqual(plain(tree.mixture(0)), [[0, 0.875], [1, 0.125]]);
  assert.deepEqual(plain(tree.rows), [40, 30, 10]);
  assert.equal(tree.columns[0].low, 18);
  assert.equal(COLUMNS[0].low, undefined);
  assert.equal(tree.say(tree.demands(0)[0]), "age ≤ 40");
});

test("shares are listed as pairs, queries leave out what is missing", () => {
  assert.deepEqual(plain(pairsOf([0.25, 0, 0.75])), [0, 0.25, 2, 0.75]);
  assert.equal(queryOf({ node: 3, criteria: ["a b", "c"], kind: null }), "node=3&criteria=a+b&criteria=c");
});

test("of what comes while work goes on only the last is done", async () => {
  const seen = [];
  let free = () => {};
  const run = oneAtATime(async (x) => {
    seen.push(x);
    await new Promise((resolve) => (free = resolve));
  });
  const first = run(1);
  run(2);
  run(3);
  free();
  await first;
  free();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, [1, 3]);
});
