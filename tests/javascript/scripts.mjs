// SPDX-License-Identifier: BSD-3-Clause
// Load the viewer's scripts, which are no modules, and return the names that a test needs.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const FOLDER = new URL("../../src/ramify/viewer/", import.meta.url);

// All of a page that is needed: something that measures text.
const measureText = (text) => ({ width: 7 * text.length });
const canvas = { getContext: () => ({ measureText }) };

/**
 * Run scripts in one context, as a page does.
 * @param {string[]} files
 * @param {string[]} names top-level names to return
 * @returns {Record<string, any>}
 */
export function load(files, names) {
  const document = { createElement: () => canvas };
  const location = { search: "?token=secret" };
  const context = vm.createContext({ document, location, URLSearchParams });
  const script = files.map((name) => readFileSync(new URL(name, FOLDER), "utf8")).join("\n");
  return vm.runInContext(`${script}\n({ ${names.join(", ")} })`, context);
}

/** Values of another context have other prototypes: compare them as JSON does. */
export function plain(value) {
  return JSON.parse(JSON.stringify(value));
}

export const COLUMNS = [
  { name: "age", kind: "number", scale: 10, middle: 40, whole: true },
  { name: "income", kind: "number", scale: 1000, middle: 2000, whole: false },
  { name: "city", kind: "category", categories: ["Oslo", "O'Hare", "Bergen"], frequent: [2, 0, 1] },
];

/**
 * The data of a small tree: age <= 30 (missing go right); then income <= 1500.5, and
 * city in {Oslo, Bergen} on the right.
 */
export function treeData() {
  const leaf = { feature: -1, kind: 0, threshold: null, missing: 0, other: 0 };
  const nodes = [
    { feature: 0, kind: 0, threshold: 30, missing: 1, other: 0, left: 1, next: -1, weight: 10 },
    { feature: 1, kind: 0, threshold: 1500.5, missing: 0, other: 0, left: 2, next: 4, weight: 4 },
    { ...leaf, left: -1, next: 3, weight: 3 },
    { ...leaf, left: -1, next: -1, weight: 1 },
    { feature: 2, kind: 1, threshold: null, missing: -1, other: 1, left: 5, next: -1, weight: 6 },
    { ...leaf, left: -1, next: 6, weight: 2 },
    { ...leaf, left: -1, next: -1, weight: 4 },
  ];
  const column = (name) => nodes.map((node) => node[name]);
  return {
    name: "gini",
    ...Object.fromEntries(
      ["feature", "kind", "threshold", "missing", "other", "left", "next", "weight"].map((name) => [
        name,
        column(name),
      ]),
    ),
    rows: column("weight"),
    listed: { 4: { values: [0, 2], branches: [0, 0] } },
    terms: {},
    price: [2, 0.5, null, null, 1, null, null],
    best: [1, 0, 0, 1, 1, 0, 1],
    shares: [[0, 0.5, 1, 0.5], [0, 0.75, 1, 0.25], [0, 1], [1, 1], [0, 0.4, 1, 0.6], [0, 1], [1, 1]],
  };
}
