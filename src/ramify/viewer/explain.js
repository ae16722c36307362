// SPDX-License-Identifier: BSD-3-Clause
// What would change a prediction: the nearest row that a tree predicts otherwise.
//
// Distance is Euclidean in scaled columns: a number counts by its change over the scale of
// its column, another category counts 1, and so does a value where there was none. Known
// values are never taken away, and categories are those that training saw. Locked columns
// stay as they are.
//
// Without hyperplanes a leaf asks each column for an interval or a set, so the nearest row
// in a leaf is exact: each column moves to the edge it violates. With hyperplanes the leaf
// is a polytope, and the nearest point is a least-distance problem, solved exactly by the
// non-negative least squares of Lawson and Hanson. Whatever is found is walked down the
// tree again; only what really gets the other outcome is answered.
"use strict";

const MAX_COMBINATIONS = 256; // of categories that hyperplanes weigh, per leaf

/**
 * @param {TreeModel} tree
 * @param {Row} row
 * @param {(outcome: number) => boolean} wants says which classes or values will do
 * @param {Set<number>} locked columns that stay as they are
 * @param {(i: number) => boolean} isCut says where a smaller tree ends
 * @returns {Counterfactual | null}
 */
function counterfactual(tree, row, wants, locked = new Set(), isCut = () => false) {
  const goals = [];
  const stack = [0];
  for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
    if (!tree.isLeaf(i) && !isCut(i)) stack.push(...tree.children[i]);
    else if (wants(tree.classes ? tree.best[i] : tree.value[i])) goals.push(i);
  }
  const tasks = goals
    .flatMap((leaf) => leafTask(tree, leaf, row, locked) ?? [])
    .filter((task) => task.bound < Infinity)
    .sort((a, b) => a.bound - b.bound || a.leaf - b.leaf);
  /** @type {Counterfactual | null} */
  let best = null;
  for (const task of tasks) {
    if (best && task.bound >= best.distance) break;
    for (const fills of task.hasMissing ? [false, true] : [false]) {
      const found = nearestInLeaf(tree, task, row, locked, fills);
      if (!found || (best && found.distance >= best.distance)) continue;
      const prediction = tree.predict(found.row, isCut);
      if (wants(outcomeOf(prediction))) {
        best = found;
        break;
      }
    }
  }
  return best;
}

/**
 * The class, or the number, that is predicted.
 * @param {Prediction} prediction
 */
function outcomeOf({ best, value }) {
  return /** @type {number} */ (best ?? value);
}

/**
 * What a leaf demands, and the least that it can cost; null if it cannot be reached.
 * @param {TreeModel} tree
 * @param {number} leaf
 * @param {Row} row
 * @param {Set<number>} locked
 * @returns {LeafTask | null}
 */
function leafTask(tree, leaf, row, locked) {
  const demands = tree.conditions(leaf);
  const planes = demands.flatMap((demand) => (demand.column === undefined ? [demand] : []));
  const plain = demands.flatMap((demand) => (demand.column === undefined ? [] : [demand]));
  let squares = 0,
    hasMissing = false;
  for (const demand of plain) {
    const move = moveInto(tree.columns, demand, row[demand.column], false);
    if (!move || (move.cost > 0 && locked.has(demand.column))) return null;
    squares += move.cost ** 2;
    if (Number.isNaN(row[demand.column])) hasMissing = true;
  }
  for (const plane of planes) {
    if (tree.terms[plane.node].column.some((j) => Number.isNaN(row[j]))) hasMissing = true;
  }
  // A hair below: rounding must not hide a leaf that is as near as the best so far.
  return { leaf, planes, plain, hasMissing, bound: Math.sqrt(squares) * (1 - 1e-12) };
}

/**
 * The nearest value of one column that meets a demand, and its cost; null if none does.
 * @param {Column[]} columns
 * @param {ColumnDemand} demand
 * @param {number} x
 * @param {boolean} mustFill
 */
function moveInto(columns, demand, x, mustFill) {
  const info = columns[demand.column];
  const isMissing = Number.isNaN(x);
  if (isMissing && demand.missing && !mustFill) return { value: x, cost: 0 };
  if (demand.codes) {
    const { codes, excluded } = demand;
    const takes = (/** @type {number} */ code) => codes.includes(code) !== excluded;
    if (!isMissing && takes(x)) return { value: x, cost: 0 };
    const seen = info.categories.map((_, code) => code).filter(takes);
    if (!seen.length) return null;
    // Of equally near categories the most frequent one is the most natural.
    const common = info.frequent || [];
    const value = common.find((code) => seen.includes(code)) ?? seen[0];
    return { value, cost: 1 };
  }
  const [low, high] = intervalOf(demand);
  if (!(low < high)) return null;
  const start = isMissing ? info.middle : x;
  let value = start;
  if (!(start > low)) value = above(low, info);
  else if (start > high) value = info.whole ? Math.floor(high) : high;
  if (!(value > low && value <= high)) return null;
  return { value, cost: isMissing ? 1 : Math.abs(value - x) / info.scale };
}

/**
 * The least value of a column above a bound: the next whole number, or the next double.
 * @param {number} bound
 * @param {Column} info
 */
function above(bound, info) {
  return info.whole ? Math.floor(bound) + 1 : nextUp(bound);
}

/** @param {number} x */
function nextUp(x) {
  if (!Number.isFinite(x)) return x;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x === 0 ? 0 : x);
  const old = bits.getBigInt64(0);
  bits.setBigInt64(0, x === 0 ? 1n : x > 0 ? old + 1n : old - 1n);
  return bits.getFloat64(0);
}

/**
 * @param {TreeModel} tree
 * @param {LeafTask} task
 * @param {Row} row
 * @param {Set<number>} locked
 * @param {boolean} fills whether missing values may be filled
 * @returns {Counterfactual | null}
 */
function nearestInLeaf(tree, task, row, locked, fills) {
  const moved = [...row];
  let squares = 0;
  const within = new Map(task.plain.map((demand) => [demand.column, demand]));
  if (!task.planes.length) {
    for (const demand of task.plain) {
      const j = demand.column;
      const mayFill = fills && !locked.has(j);
      const move = moveInto(tree.columns, demand, row[j], mayFill);
      if (!move || (move.cost > 0 && locked.has(j))) return null;
      moved[j] = move.value;
      squares += move.cost ** 2;
    }
    return described(tree, task.leaf, row, moved, Math.sqrt(squares));
  }
  return nearestInPolytope(tree, task, row, locked, fills, within);
}

// --- hyperplanes ---------------------------------------------------------------------

/**
 * @param {TreeModel} tree
 * @param {LeafTask} task
 * @param {Row} row
 * @param {Set<number>} locked
 * @param {boolean} fills
 * @param {Map<number, ColumnDemand>} within the demands on single columns
 * @returns {Counterfactual | null}
 */
function nearestInPolytope(tree, task, row, locked, fills, within) {
  /** @type {Set<number>} */
  const weighed = new Set();
  for (const { node } of task.planes) tree.terms[node].column.forEach((j) => weighed.add(j));
  /** @type {number[]} */
  const free = [];
  /** @type {Choice[]} */
  const choices = [];
  const fixed = [...row];
  let squares = 0;
  const everything = new Set([...weighed, ...within.keys()]);
  for (const j of everything) {
    const info = tree.columns[j],
      demand = within.get(j);
    const mayMove = !locked.has(j);
    if (info.kind === "category" && weighed.has(j)) {
      choices.push({ column: j, codes: codesFor(info, demand, row[j], mayMove) });
      if (!choices[choices.length - 1].codes.length) return null;
      continue;
    }
    const isMissing = Number.isNaN(row[j]);
    if (isMissing && !(fills && mayMove) && (!demand || demand.missing)) continue;
    if (demand && (info.kind === "category" || !weighed.has(j))) {
      const move = moveInto(tree.columns, demand, row[j], fills && mayMove);
      if (!move || (move.cost > 0 && !mayMove)) return null;
      fixed[j] = move.value;
      squares += move.cost ** 2;
      continue;
    }
    if (isMissing) {
      if (!mayMove) return null;
      fixed[j] = info.middle;
      squares += 1;
    }
    if (mayMove) free.push(j);
    else if (demand && !isWithin(demand, row[j])) return null;
  }
  /** @type {Counterfactual | null} */
  let best = null;
  for (const chosen of combinations(choices)) {
    const start = [...fixed];
    let own = squares;
    for (const [j, code] of chosen) {
      start[j] = code;
      if (code !== row[j] && !(Number.isNaN(code) && Number.isNaN(row[j]))) own += 1;
    }
    if (best && Math.sqrt(own) >= best.distance) continue;
    const found = projected(tree, task, start, free, within);
    if (!found) continue;
    const distance = Math.sqrt(own + found.squares);
    if (!best || distance < best.distance) {
      best = described(tree, task.leaf, row, found.row, distance);
    }
  }
  return best;
}

/**
 * @param {ColumnDemand} demand on a number
 * @param {number} x
 */
function isWithin(demand, x) {
  const [low, high] = intervalOf(demand);
  return x > low && x <= high;
}

/**
 * @param {Column} info
 * @param {ColumnDemand | undefined} demand
 * @param {number} now
 * @param {boolean} mayMove
 */
function codesFor(info, demand, now, mayMove) {
  const takes = (/** @type {number} */ code) => {
    if (!demand || !demand.codes) return true;
    if (Number.isNaN(code)) return demand.missing;
    return demand.codes.includes(code) !== demand.excluded;
  };
  const own = takes(now) ? [now] : [];
  if (!mayMove) return own;
  return [...own, ...info.categories.map((_, code) => code).filter((c) => c !== now && takes(c))];
}

/**
 * Every choice of one code per column; where that is too many, those that keep all but one.
 * @param {Choice[]} choices
 * @returns {Generator<[number, number][]>}
 */
function* combinations(choices) {
  const total = choices.reduce((product, { codes }) => product * codes.length, 1);
  if (total <= MAX_COMBINATIONS) {
    const at = choices.map(() => 0);
    for (let k = 0; k < total; k += 1) {
      let rest = k;
      choices.forEach(({ codes }, c) => {
        at[c] = codes[rest % codes.length];
        rest = Math.floor(rest / codes.length);
      });
      yield choices.map(({ column }, c) => [column, at[c]]);
    }
    return;
  }
  /** @type {[number, number][]} */
  const first = choices.map(({ column, codes }) => [column, codes[0]]);
  yield first;
  for (let c = 0; c < choices.length; c += 1) {
    for (const code of choices[c].codes.slice(1)) {
      yield first.map((pair, k) => (k === c ? [pair[0], code] : pair));
    }
  }
}

/**
 * Move the free columns of a row as little as possible so that it meets all demands.
 * @param {TreeModel} tree
 * @param {LeafTask} task
 * @param {Row} start
 * @param {number[]} free
 * @param {Map<number, ColumnDemand>} within
 */
function projected(tree, task, start, free, within) {
  const place = new Map(free.map((j, k) => [j, k]));
  const scale = free.map((j) => tree.columns[j].scale);
  /** @type {number[][]} */
  const rows = [];
  /** @type {number[]} */
  const sides = [];
  /** @type {number[]} */
  const sizes = [];
  /** @type {(normal: number[], side: number, size: number) => void} */
  const add = (normal, side, size) => {
    rows.push(normal);
    sides.push(side);
    sizes.push(size);
  };
  for (const { node, above: isAbove, bound } of task.planes) {
    const { column, category, weight } = tree.terms[node];
    const sign = isAbove ? 1 : -1;
    const normal = new Array(free.length).fill(0);
    let size = Math.abs(bound);
    column.forEach((j, k) => {
      const at = place.get(j);
      if (category[k] < 0 && at !== undefined) {
        normal[at] += sign * weight[k] * scale[at];
        size += Math.abs(weight[k] * start[j]);
      }
    });
    add(normal, sign * (bound - tree.sum(node, start)), size);
  }
  free.forEach((j, at) => {
    const demand = within.get(j);
    if (!demand) return;
    const [low, high] = intervalOf(demand);
    for (const [sign, bound] of [
      [1, low],
      [-1, high],
    ]) {
      if (!Number.isFinite(bound)) continue;
      const normal = new Array(free.length).fill(0);
      normal[at] = sign * scale[at];
      add(normal, sign * (bound - start[j]), Math.abs(bound) + Math.abs(start[j]));
    }
  });
  // Strict sides, and rounding: step over the edge by a hair, and by more if need be.
  for (const margin of [1e-13, 1e-11, 1e-9, 1e-7, 1e-5]) {
    const z = leastDistance(
      rows,
      sides.map((side, k) => side + margin * (sizes[k] || 1)),
    );
    if (!z) return null;
    const moved = [...start];
    let squares = 0;
    free.forEach((j, k) => {
      moved[j] = start[j] + z[k] * scale[k];
      squares += ((moved[j] - start[j]) / scale[k]) ** 2;
    });
    const holds =
      task.planes.every(
        ({ node, above: isAbove, bound }) => tree.sum(node, moved) > bound === isAbove,
      ) &&
      free.every((j) => {
        const demand = within.get(j);
        return !demand || isWithin(demand, moved[j]);
      });
    if (holds) return { row: moved, squares };
  }
  return null;
}

/**
 * The shortest z with G z >= h: Lawson and Hanson 1974, chapter 23. Null if there is none.
 * @param {number[][]} G
 * @param {number[]} h
 * @returns {number[] | null}
 */
function leastDistance(G, h) {
  const n = G.length ? G[0].length : 0;
  if (h.every((side) => side <= 0)) return new Array(n).fill(0);
  if (n === 0) return null;
  const unit = G.map((row, i) => Math.hypot(...row, 0) || (h[i] > 0 ? 0 : 1));
  if (unit.some((size) => size === 0)) return null; // no column can help
  // Columns of E are (g_i, h_i), each row of G at length 1.
  const E = G.map((row, i) => [...row.map((x) => x / unit[i]), h[i] / unit[i]]);
  const top = Math.max(...E.map((column) => Math.abs(column[n]))) || 1;
  for (const column of E) column[n] /= top;
  const u = nonNegative(E, n);
  const r = new Array(n + 1).fill(0);
  u.forEach((size, i) => {
    if (size > 0) for (let k = 0; k <= n; k += 1) r[k] += size * E[i][k];
  });
  r[n] -= 1;
  // The last entry of the residual tends to zero exactly if nothing meets all sides.
  if (r[n] > -1e-10) return null;
  return r.slice(0, n).map((x) => (-x / r[n]) * top);
}

/**
 * u >= 0 that brings the sum of u_i E_i nearest to the last unit vector.
 * @param {number[][]} E
 * @param {number} last
 * @returns {number[]}
 */
function nonNegative(E, last) {
  const m = E.length,
    dim = last + 1;
  const u = new Array(m).fill(0);
  /** @type {boolean[]} */
  const isIn = new Array(m).fill(false);
  const residual = () => {
    const r = new Array(dim).fill(0);
    r[last] = 1;
    for (let i = 0; i < m; i += 1) {
      if (u[i]) for (let k = 0; k < dim; k += 1) r[k] -= u[i] * E[i][k];
    }
    return r;
  };
  for (let turn = 0; turn < 6 * m + 20; turn += 1) {
    const r = residual();
    let next = -1,
      most = 1e-12;
    for (let i = 0; i < m; i += 1) {
      if (isIn[i]) continue;
      let gain = 0;
      for (let k = 0; k < dim; k += 1) gain += E[i][k] * r[k];
      if (gain > most) [next, most] = [i, gain];
    }
    if (next < 0) break;
    isIn[next] = true;
    for (;;) {
      const active = isIn.flatMap((flag, i) => (flag ? [i] : []));
      const s = leastSquares(
        active.map((i) => E[i]),
        last,
      );
      const negative = active.some((i, k) => s[k] <= 0);
      if (!negative) {
        u.fill(0);
        active.forEach((i, k) => (u[i] = s[k]));
        break;
      }
      let step = 1;
      active.forEach((i, k) => {
        if (s[k] <= 0) step = Math.min(step, u[i] / (u[i] - s[k]));
      });
      active.forEach((i, k) => {
        u[i] += step * (s[k] - u[i]);
        if (u[i] <= 1e-15 || (s[k] <= 0 && u[i] / (u[i] - s[k] || 1) === 0)) {
          u[i] = 0;
          isIn[i] = false;
        }
      });
      if (isIn.every((flag) => !flag)) break;
    }
  }
  return u;
}

/**
 * Least squares for the last unit vector, by Gram-Schmidt done twice.
 * @param {number[][]} columns
 * @param {number} last
 * @returns {number[]}
 */
function leastSquares(columns, last) {
  /** @type {number[][]} */
  const q = [];
  /** @type {number[][]} */
  const R = [];
  columns.forEach((column, k) => {
    const v = [...column];
    const coefficients = new Array(k).fill(0);
    for (let pass = 0; pass < 2; pass += 1) {
      q.forEach((other, j) => {
        const dot = other.reduce((sum, x, d) => sum + x * v[d], 0);
        coefficients[j] += dot;
        for (let d = 0; d < v.length; d += 1) v[d] -= dot * other[d];
      });
    }
    const size = Math.hypot(...v);
    R.push([...coefficients, size]);
    q.push(size > 1e-13 ? v.map((x) => x / size) : v.map(() => 0));
  });
  const s = new Array(columns.length).fill(0);
  for (let k = columns.length - 1; k >= 0; k -= 1) {
    let rest = q[k][last];
    for (let j = k + 1; j < columns.length; j += 1) rest -= R[j][k] * s[j];
    s[k] = R[k][k] > 1e-13 ? rest / R[k][k] : 0;
  }
  return s;
}

/**
 * @param {TreeModel} tree
 * @param {number} leaf
 * @param {Row} row
 * @param {Row} moved
 * @param {number} distance
 * @returns {Counterfactual}
 */
function described(tree, leaf, row, moved, distance) {
  const demands = tree.conditions(leaf);
  /** @type {Change[]} */
  const changes = [];
  for (let j = 0; j < row.length; j += 1) {
    if (moved[j] === row[j] || (Number.isNaN(moved[j]) && Number.isNaN(row[j]))) continue;
    const demand = demands.find((one) => one.column === j);
    changes.push({ column: j, from: row[j], to: moved[j], demand });
  }
  return { leaf, row: moved, changes, distance };
}
