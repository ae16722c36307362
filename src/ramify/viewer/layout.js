// SPDX-License-Identifier: BSD-3-Clause
// Where nodes go: a tidy tree, each level packed so that neighbours are one unit apart.
"use strict";

/**
 * Place the shown nodes of a tree.
 * @param {number} n
 * @param {(i: number) => number[]} below the shown children of a node
 * @returns x per node (in units; the root's subtree starts at 0), the width, and the nodes
 * of each level
 */
function tidy(n, below) {
  const offset = new Float64Array(n); // of a node from its parent
  /** @type {number[]} */
  const order = [];
  const stack = [0];
  for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
    order.push(i);
    const children = below(i);
    for (let k = children.length - 1; k >= 0; k -= 1) stack.push(children[k]);
  }
  // From the leaves up: push each child's outline against those before it.
  /** @type {Map<number, Outline>} */
  const outlines = new Map();
  const take = (/** @type {number} */ i) => {
    const found = /** @type {Outline} */ (outlines.get(i));
    outlines.delete(i);
    return found;
  };
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const i = order[at];
    const children = below(i);
    if (!children.length) {
      outlines.set(i, { left: [0], right: [0] });
      continue;
    }
    const places = [0];
    let joined = take(children[0]);
    for (const child of children.slice(1)) {
      const next = take(child);
      // Outlines are stored deepest level first, so that a level is added at the end.
      const levels = Math.min(joined.right.length, next.left.length);
      let shift = -Infinity;
      for (let d = 1; d <= levels; d += 1) {
        const gap = joined.right[joined.right.length - d] - next.left[next.left.length - d];
        shift = Math.max(shift, gap + 1);
      }
      places.push(shift);
      joined = merged(joined, next, shift, levels);
    }
    const middle = places[places.length - 1] / 2;
    children.forEach((child, k) => (offset[child] = places[k] - middle));
    // The outline moves with the node in its middle; the new level is the node itself.
    shiftBy(joined, -middle);
    joined.left.push(0);
    joined.right.push(0);
    outlines.set(i, joined);
  }
  const x = new Float64Array(n).fill(NaN);
  /** @type {number[][]} */
  const levels = [];
  const depth = new Int32Array(n);
  let least = 0,
    most = 0;
  x[0] = 0;
  for (const i of order) {
    (levels[depth[i]] = levels[depth[i]] || []).push(i);
    least = Math.min(least, x[i]);
    most = Math.max(most, x[i]);
    for (const child of below(i)) {
      x[child] = x[i] + offset[child];
      depth[child] = depth[i] + 1;
    }
  }
  for (const i of order) x[i] -= least;
  return { x, width: most - least, levels, order };
}

/**
 * @param {Outline} one
 * @param {Outline} two
 * @param {number} shift
 * @param {number} levels
 * @returns {Outline}
 */
function merged(one, two, shift, levels) {
  // The left outline is the first's, and below it the second's; the right one likewise.
  const keepLeft = one.left.length >= two.left.length;
  const keepRight = two.right.length >= one.right.length;
  const left = keepLeft ? one.left : two.left.map((x) => x + shift);
  const right = keepRight ? two.right.map((x) => x + shift) : one.right;
  if (!keepLeft) {
    for (let d = 1; d <= levels; d += 1) left[left.length - d] = one.left[one.left.length - d];
  }
  if (!keepRight) {
    for (let d = 1; d <= levels; d += 1) {
      right[right.length - d] = two.right[two.right.length - d] + shift;
    }
  }
  return { left, right };
}

/**
 * @param {Outline} outline
 * @param {number} by
 */
function shiftBy(outline, by) {
  for (let d = 0; d < outline.left.length; d += 1) outline.left[d] += by;
  for (let d = 0; d < outline.right.length; d += 1) outline.right[d] += by;
}
