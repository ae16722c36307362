// SPDX-License-Identifier: BSD-3-Clause
// What the studio is made of: requests, trees from what the server tells, small forms.
"use strict";

// The address that was opened has the token; a cookie keeps it, but not within a frame.
const TOKEN = new URLSearchParams(location.search).get("token") || "";

class Refused extends Error {
  constructor(words, status, answer) {
    super(words);
    this.status = status;
    this.answer = answer;
  }
}

/** @param {unknown} error */
function wordsOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Ask the server; throw its sentence if it refuses.
 * @param {string} path
 * @param {object | null} [body] sent as JSON; without it the request is a GET
 */
async function ask(path, body = null) {
  const headers = /** @type {Record<string, string>} */ ({});
  if (TOKEN) headers["X-Ramify-Token"] = TOKEN;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers,
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch {
    throw new Refused("The server does not answer; is ramify studio still running?", 0, {});
  }
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { error: text };
  }
  if (!response.ok) throw new Refused(answer.error || text, response.status, answer);
  return answer;
}

/** @param {Record<string, string | number | string[] | null | undefined>} fields */
function queryOf(fields) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) found.append(name, String(one));
  }
  return found.toString();
}

// --- trees ---------------------------------------------------------------------------

const LEAF_TEST = { feature: -2, kind: 0, threshold: -2, missing: 0, other: 0 };

/**
 * The arrays of a tree, from its nodes in preorder and the number of children of each.
 * @param {number[]} order
 * @param {number[]} kids
 * @param {Map<number, any>} nodes by number
 * @param {object} about
 * @param {number[] | null} span
 * @returns {any}
 */
function treeDataOf(order, kids, nodes, about, span) {
  const n = order.length;
  const left = new Array(n).fill(-1),
    next = new Array(n).fill(-1);
  const open = []; // [node, children to come, the last child]
  order.forEach((_, i) => {
    while (open.length && open[open.length - 1][1] === 0) open.pop();
    const above = open[open.length - 1];
    if (above) {
      if (above[2] < 0) left[above[0]] = i;
      else next[above[2]] = i;
      above[1] -= 1;
      above[2] = i;
    }
    open.push([i, kids[i], -1]);
  });
  const known = order.map((number, i) => {
    const node = nodes.get(number);
    return kids[i] ? node : { ...node, ...LEAF_TEST };
  });
  const column = (name) => known.map((node) => node[name]);
  const sparse = (name) =>
    Object.fromEntries(
      known.map((node, i) => [i, node[name]]).filter(([, x]) => x !== undefined && x !== null),
    );
  const isNumeric = n > 0 && known[0].value !== undefined;
  const { estimator, unseen, refusesMissing } = /** @type {any} */ (about);
  return {
    name: "by hand",
    about,
    estimator,
    unseen,
    refusesMissing,
    left,
    next,
    ...Object.fromEntries(
      ["feature", "kind", "threshold", "missing", "other", "gain", "impurity", "rows", "weight"].map(
        (name) => [name, column(name)],
      ),
    ),
    listed: sparse("listed"),
    terms: sparse("terms"),
    price: new Array(n).fill(null),
    dataRows: column("rows"),
    gaps: sparse("gaps"),
    newCategories: {},
    pictures: sparse("picture"),
    ...(isNumeric
      ? { value: column("value"), errors: column("error"), span }
      : { best: column("best"), shares: column("shares"), hits: column("hits") }),
  };
}

/** Shares of all classes as pairs of class and share. */
function pairsOf(shares) {
  return shares.flatMap((share, k) => (share > 0 ? [k, share] : []));
}

/**
 * A tree of one split, to be drawn like any other.
 * @param {any} app
 * @param {any} test
 * @param {any} picture
 * @param {number[]} rows on both sides
 * @param {any[]} sides shares of the classes, or the mean
 * @param {Record<string, object>} columns what is known besides
 */
function stumpOf(app, test, picture, rows, sides, columns = {}) {
  const isNumeric = !app.data.classes;
  const nodes = new Map();
  const of = (k, more) => ({ rows: rows[k], weight: rows[k], gain: null, impurity: null, ...more });
  const said = (shares) =>
    isNumeric
      ? { value: shares[0], error: 0 }
      : { shares: pairsOf(shares), best: shares.indexOf(Math.max(...shares)), hits: 0 };
  const all = rows[0] + rows[1];
  const whole = sides[0].map((x, k) => (x * rows[0] + (sides[1][k] ?? 0) * rows[1]) / (all || 1));
  nodes.set(0, { ...test, picture, gain: null, impurity: null, rows: all, weight: all, ...said(whole) });
  nodes.set(1, of(0, said(sides[0])));
  nodes.set(2, of(1, said(sides[1])));
  const known = app.data.columns.map((info, j) => (columns[j] ? { ...info, ...columns[j] } : info));
  const { about, span } = app;
  const tree = new TreeModel(treeDataOf([0, 1, 2], [2, 0, 0], nodes, about, span), known, app.data.classes);
  tree.slots = app.data.slots;
  tree.nSlots = app.trees[0].nSlots;
  if (isNumeric) tree.heat = app.trees[0].heat;
  return tree;
}

/** The rows of a split along its column, as the viewer draws them. */
function plotFigure(tree, high) {
  const plot = plotOf(tree, 0, 320, high);
  plot.setAttribute("transform", "translate(0 4)");
  const size = { width: 320, plot: high, title: 13, note: 11 };
  return h(
    "div",
    { class: "stage-look" },
    s(
      "svg",
      { viewBox: `-2 0 324 ${high + 28}`, class: "stage big" },
      plot,
      cutMarks(tree, 0, size, 0, high + 4, null),
    ),
  );
}

// --- small forms ---------------------------------------------------------------------

/**
 * A list to choose from.
 * @param {string} label
 * @param {(string | [any, string])[]} options
 * @param {any} chosen
 * @param {Record<string, any>} more
 */
function choice(label, options, chosen, more = {}) {
  const made = options.map((one) => {
    const [value, text] = Array.isArray(one) ? one : [one, one];
    return h("option", { value, text, selected: value === chosen });
  });
  return /** @type {HTMLSelectElement} */ (h("select", { "aria-label": label, ...more }, made));
}

function field(label, more = {}) {
  return /** @type {HTMLInputElement} */ (h("input", { "aria-label": label, ...more }));
}

function line(...children) {
  return h("p", { class: "line" }, children);
}

/** A change of a score with its sign; nothing where there is none. */
function changeOf(now, before) {
  if (now === null || before === null || now === before) return null;
  const up = now > before;
  return h("span", {
    class: up ? "up" : "down",
    text: ` ${up ? "+" : "−"}${short(Math.abs(now - before), 3)}`,
  });
}

function scoreText(x) {
  return x === null || x === undefined ? "–" : x.toFixed(4);
}

/** Do something at most once at a time; of what comes meanwhile only the last is done. */
function oneAtATime(work) {
  let isBusy = false,
    waiting = null;
  return async function run(...what) {
    if (isBusy) {
      waiting = what;
      return;
    }
    isBusy = true;
    try {
      await work(...what);
    } finally {
      isBusy = false;
      if (waiting) {
        const later = waiting;
        waiting = null;
        run(...later);
      }
    }
  };
}
