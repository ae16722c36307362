// SPDX-License-Identifier: BSD-3-Clause
// Where nodes are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { COLUMNS, treeData, load, plain } from "./scripts.mjs";

const { Places, TreeModel, fitted, tidy } = load(
  ["dom.js", "model.js", "glyphs.js", "layout.js", "places.js"],
  ["Places", "TreeModel", "fitted", "tidy"],
);

/** A random tree as lists of children. */
function randomTree(n, seed) {
  let state = seed;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const children = [[]];
  while (children.length < n) {
    const parent = Math.floor(random() * children.length);
    children[parent].push(children.length);
    children.push([]);
  }
  return children;
}

test("neighbours are at least one unit apart, parents in the middle of their children", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const children = randomTree(40, seed);
    const { x, width, levels, order } = tidy(40, (i) => children[i]);
    assert.equal(order.length, 40);
    for (const nodes of levels) {
      for (let at = 1; at < nodes.length; at += 1) {
        assert.ok(x[nodes[at]] - x[nodes[at - 1]] >= 1 - 1e-9);
      }
    }
    children.forEach((below, i) => {
      if (!below.length) return;
      const middle = (x[below[0]] + x[below.at(-1)]) / 2;
      assert.ok(Math.abs(x[i] - middle) < 1e-9);
    });
    assert.ok(Math.abs(Math.min(...x)) < 1e-9);
    assert.ok(Math.abs(Math.max(...x) - width) < 1e-9);
  }
});

test("nodes that are not shown get no place", () => {
  const { x, levels } = tidy(7, (i) => (i === 0 ? [1, 4] : []));
  assert.deepEqual(plain(levels), [[0], [1, 4]]);
  assert.deepEqual([...x].map(Number.isNaN), [false, false, true, true, false, true, true]);
});

test("folding hides a branch, showing a node opens it, pruning cuts what costs least", () => {
  const places = new Places([new TreeModel(treeData(), COLUMNS, ["no", "yes"])]);
  places.relayout();
  places.fit();
  places.setFolded(1, true);
  assert.equal(places.level[2], -1);
  assert.ok(places.isFolded(1));
  places.reveal(3);
  assert.equal(places.level[3], 2);
  places.price = [0.5];
  places.relayout();
  assert.deepEqual(plain(places.leaves(0)).sort(), [1, 5, 6]);
  assert.equal(places.shownAbove(0, 3), 1);
  places.foldBelow(1);
  assert.deepEqual(plain(places.levels), [[0], [1, 4]]);
});

test("zooming keeps what is under the pointer", () => {
  const places = new Places([new TreeModel(treeData(), COLUMNS, ["no", "yes"])]);
  places.relayout();
  places.fit();
  const before = (300 - places.pan.x) / places.k;
  places.zoom(1.4, 300, 200);
  assert.ok(Math.abs((300 - places.pan.x) / places.k - before) < 1e-9);
});

test("text that does not fit ends with an ellipsis", () => {
  assert.equal(fitted("short", 100, 10), "short");
  assert.equal(fitted("a  long\nname", 49, 10), "a long…");
  assert.equal(fitted("name", 6, 10), "");
});
