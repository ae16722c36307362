// SPDX-License-Identifier: BSD-3-Clause
// Nodes of survival trees: Kaplan-Meier curves, rows at risk, events and medians.
"use strict";

const CURVE_GRID = 1000;

/**
 * The curve of a node, or undefined: inner nodes of trees of forests keep none.
 * @param {TreeModel} tree
 * @param {number} i
 */
function curveOf(tree, i) {
  return tree.curves ? tree.curves.nodes[i] : undefined;
}

// Whether a node can be drawn as curves: a leaf itself, else all its children.
function hasCurves(tree, i) {
  const below = tree.children[i];
  return (below.length ? below : [i]).every((one) => curveOf(tree, one));
}

// A curve as a path: level until the next event, then down.
function curvePath(curve, width, height) {
  const { steps } = curve;
  let d = "M0 0";
  for (let k = 0; k + 1 < steps.length; k += 2) {
    const x = (steps[k] / CURVE_GRID) * width;
    d += `H${r1(x)}V${r1(height * (1 - steps[k + 1] / CURVE_GRID))}`;
  }
  return `${d}H${r1((steps[steps.length - 1] / CURVE_GRID) * width)}`;
}

function curveMark(tree, i, width, height, css) {
  const curve = curveOf(tree, i);
  if (!curve) return null;
  const style = `stroke:${rampColor(heatOf(tree, i))}`;
  return s("path", { d: curvePath(curve, width, height), class: `curve ${css}`, style });
}

// The curves of a node and of its children; of a leaf its own alone.
function curvePlot(tree, i, width, height, isTiny) {
  const group = s("g", { class: "plot curves" });
  group.append(s("path", { d: `M0 0V${height}H${width}`, class: "axis" }));
  if (!isTiny)
    group.append(s("path", { d: `M0 ${r1(height / 2)}h${width}`, class: "half" }));
  const below = tree.children[i];
  const own = below.length
    ? s("path", {
        d: curveOf(tree, i) ? curvePath(curveOf(tree, i), width, height) : "",
        class: "curve whole",
      })
    : curveMark(tree, i, width, height, "own");
  if (own) group.append(own);
  for (const child of below) {
    const mark = curveMark(tree, child, width, height, isTiny ? "side tiny" : "side");
    if (mark) group.append(mark);
  }
  return group;
}

// What leads to either side, under the curves of a node.
function curveNotes(tree, i, size, left, y) {
  if (tree.kind[i] === CATEGORIES) return setNotes(tree, i, size, left, y);
  const cut = tree.threshold[i];
  const column = tree.feature[i];
  const isNumber = tree.kind[i] === THRESHOLD && cut !== null;
  if (!isNumber) return [text(0, y, "known | missing", size.note, "value")];
  const words = tree.boundText(column, cut);
  const [upto, above] = tree.columns[column].date ? ["<", "≥"] : ["≤", ">"];
  return [
    text(left, y, `${upto} ${words}`, size.note, "value", "start"),
    text(left + size.width, y, `${above} ${words}`, size.note, "value", "end"),
  ];
}

function medianWords(curve) {
  return curve.median === null ? "no median" : `median ${short(curve.median, 4)}`;
}

function eventWords(curve) {
  return `${count(curve.events)} of ${count(curve.weight)}`;
}

// A leaf as its own curve.
function curveEnd(tree, i, size) {
  const width = size.width * 0.8;
  const height = 2 * size.radius - 2;
  const plot = curvePlot(tree, i, width, height, true);
  plot.setAttribute("transform", `translate(${r1(-width / 2)} 2)`);
  return plot;
}

// --- the panel ---------------------------------------------------------------------

function survivalPart(tree, i) {
  const curve = curveOf(tree, i);
  const numbers = definitions([
    ["events", curve ? eventWords(curve) : null],
    ["median", curve ? (curve.median === null ? "not reached" : short(curve.median, 6)) : null],
    ["risk", short(tree.value[i], 6)],
  ]);
  return section("Survival", numbers, heatBar(tree, i), hasCurves(tree, i) ? bigCurves(tree, i) : null);
}

// The curves with both axes, and the rows at risk beneath.
function bigCurves(tree, i) {
  const wide = 300,
    high = 130,
    left = 26;
  const { last, ticks } = tree.curves;
  const plot = curvePlot(tree, i, wide, high, false);
  plot.setAttribute("transform", `translate(${left} 6)`);
  const marks = [1, 0.5, 0].map((share) =>
    text(left - 5, 6 + high * (1 - share) + 4, String(share), 11, "value", "end"),
  );
  ticks.forEach((tick, k) => {
    const x = left + (tick / last) * wide;
    const anchor = k === 0 ? "start" : k === ticks.length - 1 ? "end" : "middle";
    marks.push(text(x, high + 21, short(tick, 3), 11, "value", anchor));
  });
  const look = s(
    "svg",
    {
      viewBox: `0 0 ${wide + left + 4} ${high + 28}`,
      class: "stage big",
      role: "img",
      "aria-label": "Kaplan-Meier curves: share of the rows without an event, by time",
    },
    plot,
    marks,
  );
  return [h("div", { class: "stage-look" }, look), atRiskTable(tree, i)];
}

function atRiskTable(tree, i) {
  const { ticks } = tree.curves;
  const below = tree.children[i];
  const rowsOf = [[i, below.length ? "all" : "rows"], ...below.map((child, b) => [child, tree.say(tree.demands(i)[b], 2)])];
  const body = rowsOf.flatMap(([node, name]) => {
    const curve = curveOf(tree, node);
    if (!curve) return [];
    return [
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("i", {
            class: "swatch",
            style: node === i && below.length ? "" : `background:${rampColor(heatOf(tree, node))}`,
            "aria-hidden": "true",
          }),
          h("bdi", { text: name }),
        ),
        curve.atRisk.map((n) => h("td", { class: "number", text: count(n) })),
      ),
    ];
  });
  if (!body.length) return null;
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "Rows at risk" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", text: "at risk" }),
          ticks.map((tick) => h("th", { scope: "col", class: "number", text: short(tick, 3) })),
        ),
      ),
      h("tbody", {}, body),
    ),
  );
}
