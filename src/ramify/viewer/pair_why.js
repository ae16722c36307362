// SPDX-License-Identifier: BSD-3-Clause
// Why two trees differ at a node: ranks of its best splits, scores along a column, and the
// splits that a criterion holds for equal.
"use strict";

function whyPart(app, g) {
  const { pair } = app.data;
  const [, i, t] = app.stage.treeOf(g);
  const parts = [];
  const found = app.partner.get(g);
  if (found) {
    const [other, j] = app.stage.treeOf(found.g);
    const go = button(`Show it in ${other.name}`, () => app.choose(found.g));
    parts.push(
      section(
        `In ${other.name}`,
        h("p", {
          text: `${KINDS[found.tie.kind][0].toUpperCase()}${KINDS[found.tie.kind].slice(1)}: ${other.say(other.demands(j)[0], 3)} (${percent(found.tie.overlap)} of the rows are shared).`,
        }),
        h("p", { class: "buttons" }, go),
      ),
    );
  }
  if (!pair.why) return parts;
  const why = pair.why[`${"ab"[t]}${i}`];
  if (!why) {
    parts.push(
      h("p", {
        class: "note",
        text: "The splits under both criteria are known for the heaviest nodes of axis-parallel criteria only.",
      }),
    );
    return parts;
  }
  parts.push(
    section(
      "Why they differ here",
      h("p", {
        class: "note",
        text: `The best split of each column among the rows of this node, ranked by ${pair.names[0]} (left) and by ${pair.names[1]} (right).`,
      }),
      slopeChart(app, why),
      why.curves.map((curve) => curvePicture(app, curve)),
    ),
  );
  return parts;
}

function slopeChart(app, why) {
  const { splits } = why;
  const n = splits.length;
  const wide = 336,
    step = 21,
    top = 20,
    mid = [134, 202];
  const order = [0, 1].map((k) =>
    splits.map((_, at) => at).sort((a, b) => splits[b].scores[k] - splits[a].scores[k]),
  );
  const place = order.map((list) => {
    const found = [];
    list.forEach((at, rank) => (found[at] = rank));
    return found;
  });
  const svg = s("svg", {
    viewBox: `0 0 ${wide} ${top + n * step + 4}`,
    class: "stage slope",
    role: "img",
    "aria-label": "Ranks of the best splits under both criteria",
  });
  const tree = app.trees[0];
  svg.append(
    text(mid[0] - 6, 10, fitted(app.data.pair.names[0], 120, 11, 600), 11, "title", "end"),
    text(mid[1] + 6, 10, fitted(app.data.pair.names[1], 120, 11, 600), 11, "title", "start"),
  );
  splits.forEach((one, at) => {
    const y = place.map((list) => top + list[at] * step + 8);
    const isTop = place[0][at] === 0 || place[1][at] === 0;
    const css = `slope-line${place[0][at] === 0 ? " of-a" : ""}${place[1][at] === 0 ? " of-b" : ""}`;
    svg.append(s("path", { d: `M${mid[0]} ${y[0]}L${mid[1]} ${y[1]}`, class: css }));
    const words = candidateText(tree, one);
    [0, 1].forEach((k) => {
      const score = short(one.scores[k], 3);
      const room = 124 - widthOf(score, 10) - 6;
      const label = fitted(words, room, 10.5, isTop ? 600 : 400);
      const anchor = k ? "start" : "end";
      const x = k ? mid[1] + 5 : mid[0] - 5;
      svg.append(
        text(
          x,
          y[k] + 3.5,
          k ? `${score}  ${label}` : `${label}  ${score}`,
          10.5,
          isTop ? "title" : "value",
          anchor,
        ),
      );
      svg.append(s("circle", { cx: mid[k], cy: y[k], r: 2.5, class: "slope-end" }));
    });
    svg.lastChild.before(
      s("title", { text: `${words}: ${one.scores.map((score) => short(score, 4)).join(" and ")}` }),
    );
  });
  return svg;
}

// Both scores along a column, over the classes of the rows: where each has its maximum.
function curvePicture(app, curve) {
  const wide = 336,
    high = 120,
    base = 118;
  const tree = app.trees[0];
  const x = (value) =>
    Math.min(wide, Math.max(0, ((value - curve.low) / (curve.high - curve.low)) * wide));
  const slots = tree.nSlots,
    step = wide / curve.bins;
  const plot = s(
    "g",
    { class: "plot under" },
    bars(
      countsOf(curve, curve.bins * slots),
      slots,
      Array.from({ length: curve.bins }, (_, k) => k * step),
      step - 0.6,
      high * 0.8,
    ),
  );
  plot.setAttribute("transform", `translate(0 ${base - high * 0.8})`);
  const made = [plot, s("path", { d: `M0 ${base}H${wide}`, class: "axis" })];
  curve.lines.forEach((line, k) => {
    if (!line) return;
    const most = Math.max(...line.y, 1e-12),
      least = Math.min(0, ...line.y);
    const y = (value) => base - ((value - least) / (most - least)) * (high - 16);
    const d = line.x.map((at, p) => `${p ? "L" : "M"}${r1(x(at))} ${r1(y(line.y[p]))}`).join("");
    const css = k ? "of-b" : "of-a";
    made.push(
      s("path", { d, class: `curve ${css}` }),
      s("path", { d: `M${r1(x(line.best))} ${base}V4`, class: `peak ${css}` }),
      wedge(x(line.best), base + 0.5, 4, `wedge ${css}`),
    );
  });
  const name = app.data.columns[curve.column].name;
  const peaks = curve.lines.map((line, k) =>
    line
      ? `${app.data.pair.names[k]} is highest at ${short(line.best, 4)}`
      : `${app.data.pair.names[k]} looks at more than class weights`,
  );
  return h(
    "figure",
    { class: "curve-box" },
    h("figcaption", {}, h("bdi", { text: name })),
    s(
      "svg",
      {
        viewBox: `-2 0 ${wide + 4} ${base + 10}`,
        class: "stage curves",
        role: "img",
        "aria-label": `Scores along ${name}: ${peaks.join("; ")}`,
      },
      made,
    ),
    h("p", { class: "note", text: `${peaks.join("; ")}.` }),
  );
}

// --- geometry ---------------------------------------------------------------------------------

// What a criterion prefers: equal scores over the parts of both classes that go left.
function isolinePart(app) {
  const { isolines, names } = app.data.pair;
  const { classes } = app.data;
  const rare = app.trees[0].mixture(0).find(([k]) => k === 1);
  const prior = rare ? rare[1] : 0.5;
  const near = isolines.skews.reduce(
    (best, skew, k) =>
      Math.abs(Math.log(skew / prior)) < Math.abs(Math.log(isolines.skews[best] / prior))
        ? k
        : best,
    0,
  );
  const words = h("output", { for: "skew" });
  const box = h("div", { class: "isolines" });
  const slider = h("input", {
    type: "range",
    id: "skew",
    min: 0,
    max: isolines.skews.length - 1,
    value: near,
    step: 1,
    oninput: () => draw(),
  });
  const draw = () => {
    const k = Number(slider.value);
    words.textContent = percent(isolines.skews[k]);
    box.replaceChildren(
      ...names.map((name, m) =>
        isolinePicture(isolines.grids[m][k], isolines.size, name, classes, m, app),
      ),
    );
  };
  draw();
  return section(
    "What each criterion prefers",
    h("p", {
      class: "note",
      text: `Every split of two classes sends a part of ${classes[0]} (across) and of ${classes[1]} (up) to the left. Darker is a higher score; lines join equal ones. The point is the split of the root.`,
    }),
    h(
      "p",
      { class: "goal" },
      h("label", { for: "skew", text: `share of ${classes[1]}` }),
      slider,
      words,
    ),
    box,
  );
}

function isolinePicture(grid, size, name, classes, t, app) {
  const wide = 156,
    cell = wide / size;
  const svg = s("svg", {
    viewBox: `-14 -4 ${wide + 20} ${wide + 20}`,
    class: "stage iso",
    role: "img",
    "aria-label": `Scores of ${name}`,
  });
  const bands = new Map();
  grid.forEach((value, at) => {
    const level = Math.min(9, Math.floor(value / 10));
    const x = (at % size) * cell,
      y = wide - (Math.floor(at / size) + 1) * cell;
    bands.set(level, (bands.get(level) || "") + box(x, y, cell + 0.3, cell + 0.3));
  });
  for (const [level, d] of [...bands].sort((a, b) => a[0] - b[0]))
    svg.append(
      s("path", {
        d,
        class: `iso-band ${t ? "of-b" : "of-a"}`,
        style: `opacity:${(0.05 + level * 0.09).toFixed(2)}`,
      }),
    );
  for (const level of [10, 20, 30, 40, 50, 60, 70, 80, 90])
    svg.append(s("path", { d: contour(grid, size, cell, wide, level), class: "iso-line" }));
  svg.append(
    s("path", { d: `M0 0H${wide}V${wide}H0z`, class: "axis" }),
    s("path", { d: `M0 ${wide}L${wide} 0`, class: "cut" }),
  );
  const tree = app.trees[t];
  if (!tree.isLeaf(0)) {
    const share = (i, k) => (tree.mixture(i).find(([c]) => c === k) || [0, 0])[1] * tree.weight[i];
    const child = tree.children[0][0];
    const [x, y] = [0, 1].map((k) => share(child, k) / (share(0, k) || 1));
    svg.append(
      s(
        "circle",
        { cx: r1(x * wide), cy: r1((1 - y) * wide), r: 4.5, class: "root-point" },
        s("title", {
          text: `The root of ${name}: ${percent(x)} of ${classes[0]}, ${percent(y)} of ${classes[1]} go left`,
        }),
      ),
    );
  }
  return h("figure", {}, h("figcaption", { class: t ? "of-b" : "of-a", text: name }), svg);
}

// Marching squares between the middles of the cells.
function contour(grid, size, cell, wide, level) {
  let d = "";
  const at = (x, y) => grid[y * size + x];
  const point = (x, y) => `${r1((x + 0.5) * cell)} ${r1(wide - (y + 0.5) * cell)}`;
  for (let y = 0; y + 1 < size; y += 1) {
    for (let x = 0; x + 1 < size; x += 1) {
      const corner = [
        [x, y],
        [x + 1, y],
        [x + 1, y + 1],
        [x, y + 1],
      ];
      const value = corner.map(([cx, cy]) => at(cx, cy) - level);
      const crossed = [];
      for (let k = 0; k < 4; k += 1) {
        const [a, b] = [value[k], value[(k + 1) % 4]];
        if (a < 0 === b < 0) continue;
        const part = a / (a - b),
          [p, q] = [corner[k], corner[(k + 1) % 4]];
        crossed.push(point(p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])));
      }
      for (let k = 0; k + 1 < crossed.length; k += 2) d += `M${crossed[k]}L${crossed[k + 1]}`;
    }
  }
  return d;
}
