// SPDX-License-Identifier: BSD-3-Clause
// Where rows go, what a path asks of them, and numbers as text.
import assert from "node:assert/strict";
import { test } from "node:test";

import { COLUMNS, treeData, load, plain } from "./scripts.mjs";

const { TreeModel, both, count, exact, percent, plural, short, sqlName, sqlValue } = load(
  ["model.js"],
  ["TreeModel", "both", "count", "exact", "percent", "plural", "short", "sqlName", "sqlValue"],
);
const tree = new TreeModel(treeData(), COLUMNS, ["no", "yes"]);

test("children, depths and subtrees follow from first child and next sibling", () => {
  assert.deepEqual(plain(tree.children), [[1, 4], [2, 3], [], [], [5, 6], [], []]);
  assert.deepEqual([...tree.parent], [-1, 0, 1, 1, 0, 4, 4]);
  assert.deepEqual([...tree.depth], [0, 1, 2, 2, 1, 2, 2]);
  assert.deepEqual([...tree.end], [7, 4, 3, 4, 7, 6, 7]);
  assert.deepEqual([...tree.leavesBelow], [4, 2, 1, 1, 2, 1, 1]);
  assert.equal(tree.maxDepth, 2);
  assert.deepEqual(plain(tree.path(6)), [0, 4, 6]);
  assert.deepEqual(plain(tree.usedColumns()), [0, 1, 2]);
});

test("a row on the threshold goes left, a missing value where its node says", () => {
  assert.deepEqual(plain(tree.predict([30, 1500.5, 0]).leaves), [[2, 1]]);
  assert.deepEqual(plain(tree.predict([30, 1500.6, 0]).leaves), [[3, 1]]);
  assert.deepEqual(plain(tree.predict([31, 0, 2]).leaves), [[5, 1]]);
  assert.deepEqual(plain(tree.predict([NaN, 0, 1]).leaves), [[6, 1]]);
});

test("a category that training did not see takes the default branch", () => {
  assert.deepEqual(plain(tree.predict([31, 0, -1]).leaves), [[6, 1]]);
});

test("a row that goes down every branch is shared by the weights of the children", () => {
  const { leaves, best, shares } = tree.predict([31, 0, NaN]);
  assert.deepEqual(plain(leaves), [
    [5, 2 / 6],
    [6, 4 / 6],
  ]);
  assert.equal(best, 1);
  assert.equal(shares.get(0), 2 / 6);
  assert.equal(shares.get(1), 4 / 6);
});

test("a smaller tree ends where it is cut", () => {
  assert.deepEqual(plain(tree.predict([10, 9999, 0], (i) => i === 1).leaves), [[1, 1]]);
});

test("rules say the conditions of a path, and SQL names NULL where it passes", () => {
  assert.equal(tree.rule(3), "IF age ≤ 30 AND income > 1500.5 THEN yes");
  assert.equal(tree.rule(2), "IF age ≤ 30 AND (income ≤ 1500.5 or missing) THEN no");
  assert.equal(tree.sql(3), '"age" <= 30\n  AND "income" > 1500.5');
  assert.equal(
    tree.sql(5),
    '("age" > 30 OR "age" IS NULL)\n  AND ("city" IN (\'Oslo\', \'Bergen\') OR "city" IS NULL)',
  );
  assert.equal(
    tree.sql(6),
    '("age" > 30 OR "age" IS NULL)\n  AND ("city" NOT IN (\'Oslo\', \'Bergen\') OR "city" IS NULL)',
  );
});

test("two demands on one column become one", () => {
  const interval = (low, high, missing) => ({ column: 0, low, high, missing });
  assert.deepEqual(plain(both(interval(1, 5, true), interval(3, 9, false))), {
    column: 0,
    low: 3,
    high: 5,
    missing: false,
  });
  const set = (codes, excluded) => ({ column: 2, codes, excluded, missing: true });
  assert.deepEqual(plain(both(set([0, 1], false), set([1, 2], false)).codes), [1]);
  assert.deepEqual(plain(both(set([0, 1], false), set([1, 2], true)).codes), [0]);
  assert.deepEqual(plain(both(set([1, 2], true), set([0, 1], false)).codes), [0]);
  assert.deepEqual(plain(both(set([2, 1], true), set([0, 1], true))), {
    column: 2,
    codes: [0, 1, 2],
    excluded: true,
    missing: true,
  });
});

test("an oblique split adds its terms, with what stands for missing values", () => {
  const own = treeData();
  own.kind[0] = 3;
  own.threshold[0] = 5;
  own.terms[0] = {
    column: [0, 1, 2],
    category: [-1, -1, 1],
    weight: [0.5, -1, 2],
    fill: [40, 3, 0],
    share: [0.2, 0.5, 0.3],
  };
  const oblique = new TreeModel(own, COLUMNS, ["no", "yes"]);
  assert.equal(oblique.sum(0, [10, 1, 1]), 0.5 * 10 - 1 + 2);
  assert.equal(oblique.sum(0, [NaN, NaN, 0]), 0.5 * 40 - 3);
  assert.equal(oblique.branchOf(0, [10, 1, 1]), 1);
  assert.equal(oblique.branchOf(0, [10, 2, 1]), 0); // 5 is not above 5
  assert.equal(oblique.termsText(0, 2).join(" "), "−income + 2 [city = O'Hare] + 1 more");
  assert.equal(
    oblique.sqlOf(oblique.demands(0)[1]),
    '(0.5 * COALESCE("age", 40) + -1 * COALESCE("income", 3)' +
      " + CASE WHEN \"city\" = 'O''Hare' THEN 2 ELSE 0 END) > 5",
  );
});

test("numbers are written short, with a true minus and the end of the line", () => {
  assert.equal(short(1234.5678), "1235");
  assert.equal(short(-0.0123456), "−0.01235");
  assert.equal(short(123456789), "123456789");
  assert.equal(short(2.5e-7), "2.50e−7");
  assert.equal(short(-Infinity), "−∞");
  assert.equal(short(NaN), "–");
  assert.equal(short(null), "–");
  assert.equal(exact(0.1 + 0.2), "0.3");
  assert.equal(exact(1e-7), "1e-7");
});

test("counts, percentages and plurals read well at their ends", () => {
  assert.equal(count(1234567), "1\u202f234\u202f567");
  assert.equal(count(2.5), "2.5");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(0.004), "<1 %");
  assert.equal(percent(0.996), ">99 %");
  assert.equal(percent(1), "100 %");
  assert.equal(plural(1, "leaf", "leaves"), "1 leaf");
  assert.equal(plural(2, "leaf", "leaves"), "2 leaves");
});

test("names and values are quoted for SQL", () => {
  assert.equal(sqlName('a "b"'), '"a ""b"""');
  assert.equal(sqlValue("O'Hare"), "'O''Hare'");
  assert.equal(sqlValue(true), "TRUE");
  assert.equal(sqlValue(1.5), "1.5");
});
