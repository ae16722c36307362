// SPDX-License-Identifier: BSD-3-Clause
// The nearest row that is predicted otherwise.
import assert from "node:assert/strict";
import { test } from "node:test";

import { COLUMNS, treeData, load, plain } from "./scripts.mjs";

const { TreeModel, counterfactual, leastDistance, leastSquares, nextUp } = load(
  ["model.js", "explain.js"],
  ["TreeModel", "counterfactual", "leastDistance", "leastSquares", "nextUp"],
);
const tree = new TreeModel(treeData(), COLUMNS, ["no", "yes"]);
const yes = (k) => k === 1;

test("the cheapest of several leaves is found: another category, or one year more", () => {
  const found = counterfactual(tree, [35, 0, 0], yes);
  assert.deepEqual(plain(found.changes[0]).column, 2);
  assert.deepEqual(plain(found.row), [35, 0, 1]);
  assert.equal(found.distance, 1);
  const near = counterfactual(tree, [30, 1000, 1], yes);
  assert.deepEqual(plain(near.row), [31, 1000, 1]);
  assert.equal(near.distance, 0.1);
});

test("whole numbers move to whole numbers, others to the next double", () => {
  const found = counterfactual(tree, [20, 1500, 0], yes);
  assert.equal(found.row[1], nextUp(1500.5));
  assert.ok(found.row[1] > 1500.5);
});

test("locked columns stay, and null says that nothing leads there", () => {
  const found = counterfactual(tree, [30, 1000, 1], yes, new Set([0]));
  assert.equal(found.row[0], 30);
  assert.equal(found.row[1], nextUp(1500.5));
  assert.equal(counterfactual(tree, [30, 1000, 1], yes, new Set([0, 1, 2])), null);
  assert.equal(counterfactual(tree, [30, 1000, 1], () => false), null);
});

test("the next double is the next", () => {
  assert.equal(nextUp(0), Number.MIN_VALUE);
  assert.equal(nextUp(1), 1 + Number.EPSILON);
  assert.equal(nextUp(-1), -1 + Number.EPSILON / 2);
  assert.equal(nextUp(Infinity), Infinity);
});

test("the nearest point of a half-space is its foot; of none there is none", () => {
  const near = (got, wanted) =>
    got.forEach((x, k) => assert.ok(Math.abs(x - wanted[k]) < 1e-12, `${got} for ${wanted}`));
  near(leastDistance([[3, 4]], [5]), [0.6, 0.8]);
  near(
    leastDistance(
      [
        [1, 0],
        [0, 1],
      ],
      [1, 2],
    ),
    [1, 2],
  );
  near(leastDistance([[3, 4]], [-1]), [0, 0]);
  assert.equal(
    leastDistance(
      [
        [1, 0],
        [-1, 0],
      ],
      [1, 1],
    ),
    null,
  );
  assert.equal(leastDistance([[0, 0]], [1]), null);
});

test("least squares solve the normal equations", () => {
  const columns = [
    [1, 2, 2],
    [0, 1, 3],
  ];
  const s = leastSquares(columns, 2);
  const residual = [0, 1, 2].map(
    (d) => (d === 2 ? 1 : 0) - s[0] * columns[0][d] - s[1] * columns[1][d],
  );
  for (const column of columns) {
    const dot = column.reduce((sum, x, d) => sum + x * residual[d], 0);
    assert.ok(Math.abs(dot) < 1e-12);
  }
});
