// SPDX-License-Identifier: BSD-3-Clause
// Two trees face to face: how well they do, where they split alike, why they differ, and
// which rows they predict otherwise.
"use strict";

const KINDS = {
  equal: "the same split",
  shifted: "the same column, another cut",
  different: "another column",
};

// What the stage needs to know of two trees: partners, ribbons and their marks.
function pairOptions(app) {
  const { pair } = app.facts;
  const from = app.trees[0].n;
  const ties = pair.ties.map((tie) => ({ ...tie, one: tie.a, two: from + tie.b }));
  const partner = new Map();
  for (const tie of ties) {
    partner.set(tie.one, { g: tie.two, tie });
    partner.set(tie.two, { g: tie.one, tie });
  }
  app.partner = partner;
  app.showTies = true;
  app.extra = (g) => whyPart(app, g);
  return {
    partnerOf: (g) => (partner.has(g) ? partner.get(g).g : -1),
    ribbons: (stage) => (app.showTies ? ribbons(stage, ties) : []),
  };
}

function ribbons(stage, ties) {
  const made = [];
  for (const { one, two, kind } of ties) {
    if (stage.level[one] < 0 || stage.level[two] < 0 || stage.isEnd(one) || stage.isEnd(two))
      continue;
    const a = stage.place(one),
      b = stage.place(two);
    const high = (g) => (stage.detail[g] === DOT ? 4 : Math.min(stage.height[g] * 0.62, 60));
    const x0 = a.x + stage.widthAt(one) / 2 + 3,
      x1 = b.x - stage.widthAt(two) / 2 - 3;
    const y0 = a.y + high(one),
      y1 = b.y + high(two);
    const bend = Math.max(30, (x1 - x0) * 0.35);
    const isLit = stage.selected === one || stage.selected === two;
    const weight = stage.detail[one] >= CARD && stage.detail[two] >= CARD ? "" : " faint";
    const d = `M${r1(x0)} ${r1(y0)}C${r1(x0 + bend)} ${r1(y0)} ${r1(x1 - bend)} ${r1(y1)} ${r1(x1)} ${r1(y1)}`;
    made.push(s("path", { d, class: `tie ${kind}${isLit ? " chosen" : weight}` }));
    for (const [x, y] of [
      [x0, y0],
      [x1, y1],
    ])
      made.push(
        s("circle", { cx: r1(x), cy: r1(y), r: weight ? 1.5 : 3, class: `tie-end ${kind}` }),
      );
  }
  return made;
}

// --- the head --------------------------------------------------------------------------

function pairHeader(app) {
  const { pair } = app.facts;
  const count3 = { equal: 0, shifted: 0, different: 0 };
  for (const { kind } of pair.ties) count3[kind] += 1;
  const keys = Object.entries(KINDS).map(([kind, words]) =>
    h(
      "span",
      { class: "tie-key" },
      h("i", { class: `line ${kind}`, "aria-hidden": "true" }),
      `${words} ${count3[kind]}`,
    ),
  );
  const toggle = button(
    "Ribbons",
    () => {
      app.showTies = !app.showTies;
      toggle.setAttribute("aria-pressed", String(app.showTies));
      app.stage.draw();
    },
    { "aria-pressed": "true", "data-tool": "ties" },
  );
  const scores = pair.scores
    ? h(
        "div",
        { class: "scores", tabindex: 0, role: "group", "aria-label": "How well they do" },
        nameKey(app),
        pair.scores.lines.map((line) => scoreCard(pair, line)),
      )
    : h("p", {
        class: "note no-scores",
        text: "No cross-validation was asked for, so nothing is said of which one does better.",
      });
  const protocol = pair.scores
    ? h("p", {
        class: "note protocol",
        text: `${pair.scores.protocol} cross-validation on these rows, both on the same folds; 95 % intervals of the corrected resampled t-test, probabilities of the Bayesian one.`,
      })
    : null;
  return h(
    "div",
    { class: "pair-head" },
    scores,
    protocol,
    h(
      "div",
      { class: "tie-line" },
      h("span", { class: "muted", text: "Nodes that hold the same rows:" }),
      keys,
      toggle,
    ),
  );
}

// Which colour is whose, and by what it was grown.
function nameKey(app) {
  return h(
    "div",
    { class: "name-key" },
    app.trees.map((tree, t) =>
      h(
        "div",
        {
          class: t ? "of-b" : "of-a",
          title: [tree.about.summary, tree.about.formula].filter(Boolean).join("\n") || null,
        },
        h("b", { text: tree.name }),
        h("span", {
          class: "muted",
          text: tree.about.formula || tree.about.summary || tree.estimator,
        }),
      ),
    ),
  );
}

function scoreCard(pair, line) {
  const show = (x) => (line.scale * x).toFixed(line.digits);
  const signed = (x) => {
    const words = show(Math.abs(x));
    return Number(words) === 0 ? words : `${x > 0 ? "+" : "−"}${words}`;
  };
  const odds = [
    ["better", line.better, pair.names[1]],
    ["better", line.worse, pair.names[0]],
  ].sort((a, b) => b[1] - a[1])[0];
  const isSame = line.same >= odds[1];
  let verdict = isSame
    ? `practically the same: ${percent(line.same)}`
    : `${odds[2]} better: ${percent(odds[1])}`;
  if (line.low === 0 && line.high === 0) verdict = "the same in every fold";
  const word = line.p < 0.001 ? "p < 0.001" : `p ${line.p.toFixed(3)}`;
  return h(
    "div",
    { class: "score", "data-score": line.name },
    h("h3", {}, line.title, h("span", { text: word })),
    h(
      "div",
      { class: "two" },
      h("span", { class: "of-a" }, h("b", { text: show(line.a) })),
      h("span", { class: "of-b" }, h("b", { text: show(line.b) })),
    ),
    intervalPicture(line),
    h("div", {
      class: "difference",
      text: `${signed(line.difference)} (${signed(line.low)} to ${signed(line.high)})`,
    }),
    h("div", { class: "muted verdict", text: verdict }),
  );
}

// The difference, its interval, and the range that is too small to matter.
function intervalPicture(line) {
  const wide = 172,
    high = 20,
    middle = wide / 2;
  const most = Math.max(Math.abs(line.low), Math.abs(line.high), line.rope * 1.6, 1e-9) * 1.12;
  const x = (value) => r1(middle + (value / most) * (middle - 4));
  return s(
    "svg",
    {
      viewBox: `0 0 ${wide} ${high}`,
      class: "interval",
      role: "img",
      "aria-label": "The difference and its interval",
    },
    line.rope
      ? s("rect", {
          x: x(-line.rope),
          y: 2,
          width: r1(x(line.rope) - x(-line.rope)),
          height: high - 4,
          class: "rope",
        })
      : null,
    s("path", { d: `M${middle} 0V${high}`, class: "zero" }),
    s("path", { d: `M${x(line.low)} ${high / 2}H${x(line.high)}`, class: "range" }),
    s("circle", { cx: x(line.difference), cy: high / 2, r: 4, class: "point" }),
  );
}

// --- pruning both ------------------------------------------------------------------------

function pairPruner(app) {
  const steps = app.trees.map((_, t) => app.steps(t));
  const leavesAt = app.trees.map((tree, t) => steps[t].map((price) => leavesLeft(tree, price)));
  const words = h("output", { class: "pruned", for: "prune" });
  let isEqual = false;
  const move = () => {
    const place = Number(slider.value) / Number(slider.max || 1);
    const first = Math.round(place * (steps[0].length - 1));
    let second = Math.round(place * (steps[1].length - 1));
    if (isEqual) {
      const wanted = leavesAt[0][first];
      second = leavesAt[1].reduce(
        (best, n, k) => (Math.abs(n - wanted) < Math.abs(leavesAt[1][best] - wanted) ? k : best),
        0,
      );
    }
    app.setPrices([steps[0][first], steps[1][second]]);
  };
  const slider = h("input", {
    type: "range",
    id: "prune",
    min: 0,
    max: 200,
    value: 0,
    step: 1,
    oninput: move,
  });
  const equal = button(
    "equal leaves",
    () => {
      isEqual = !isEqual;
      equal.setAttribute("aria-pressed", String(isEqual));
      move();
    },
    { "aria-pressed": "false", "data-tool": "equal" },
  );
  app.slider = slider;
  app.prunedWords = words;
  return h(
    "span",
    { class: "pruner" },
    h("label", { for: "prune", text: "Prune" }),
    slider,
    equal,
    words,
  );
}

function leavesLeft(tree, price) {
  let found = 0;
  const stack = [0];
  while (stack.length) {
    const i = stack.pop();
    const own = tree.price[i];
    if (tree.isLeaf(i) || (own !== null && own <= price)) found += 1;
    else stack.push(...tree.children[i]);
  }
  return found;
}

// --- why they differ ----------------------------------------------------------------------

function whyPart(app, g) {
  const { pair } = app.facts;
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
    text(mid[0] - 6, 10, fitted(app.facts.pair.names[0], 120, 11, 600), 11, "title", "end"),
    text(mid[1] + 6, 10, fitted(app.facts.pair.names[1], 120, 11, 600), 11, "title", "start"),
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
  const name = app.facts.columns[curve.column].name;
  const peaks = curve.lines.map((line, k) =>
    line
      ? `${app.facts.pair.names[k]} is highest at ${short(line.best, 4)}`
      : `${app.facts.pair.names[k]} looks at more than class weights`,
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

// --- rows -----------------------------------------------------------------------------------

function pairRows(app) {
  const { pair, classes, columns } = app.facts;
  const { disagree, right } = pair;
  const [a, b] = pair.names;
  const total = disagree.total;
  const parts = [h("h2", { text: "Rows" })];
  const share = percent(disagree.n / total);
  const apart = classes
    ? "The trees disagree on"
    : `The predictions are more than ${short(pair.apart, 3)} (a quarter of the standard deviation) apart for`;
  parts.push(
    h("p", {
      class: "lead",
      text: disagree.n
        ? `${apart} ${count(disagree.n)} of ${count(total)} rows (${share}).`
        : `The trees predict ${classes ? "the same" : "nearly the same"} for all ${count(total)} rows.`,
    }),
  );
  if (right && disagree.n)
    parts.push(
      h("p", {
        class: "note",
        text: "On the rows of this page, which a tree may know from its fit; how well each does on new rows is in the head.",
      }),
      facts([
        [`${a} right, ${b} wrong`, count(right.a)],
        [`${b} right, ${a} wrong`, count(right.b)],
        ["both wrong, differently", right.neither ? count(right.neither) : null],
      ]),
    );
  if (pair.flows.length) parts.push(section("Rows that changed leaf", leafFlows(app)));
  if (app.facts.pair.isolines) parts.push(isolinePart(app));
  if (disagree.n) {
    const says = (x) => (classes ? String(classes[x]) : short(x, 5));
    const rows = disagree.index.slice(0, 100).map((index, k) => {
      const go = button(String(index), () => app.traceRow(k), {
        class: "link",
        "aria-label": `Trace row ${index}`,
      });
      return h(
        "tr",
        {},
        h("td", { class: "number" }, go),
        h("td", { text: says(disagree.a[k]) }),
        h("td", { text: says(disagree.b[k]) }),
        disagree.truth ? h("td", { text: says(disagree.truth[k]) }) : null,
      );
    });
    const save = button(
      "Save as CSV",
      () => download("disagreements.csv", disagreeCSV(app), "text/csv"),
      { "data-action": "csv" },
    );
    const note =
      disagree.n > disagree.index.length
        ? `${count(disagree.index.length)} of them are in this page.`
        : "";
    parts.push(
      section(
        "Rows on which they disagree",
        h("p", { class: "note", text: `Press a row to trace it. ${note}` }),
        h("p", { class: "buttons" }, save),
        h(
          "div",
          {
            class: "scroll",
            tabindex: 0,
            role: "group",
            "aria-label": "Rows on which they disagree",
          },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                [["row", "number"], [a, ""], [b, ""], ...(disagree.truth ? [["is", ""]] : [])].map(
                  ([word, css]) => h("th", { scope: "col", class: css, text: word }),
                ),
              ),
            ),
            h("tbody", {}, rows),
          ),
        ),
      ),
    );
  }
  return parts;
}

function disagreeCSV(app) {
  const { pair, classes, columns } = app.facts;
  const { disagree } = pair;
  const quoted = (x) => {
    const words = x === null || x === undefined ? "" : String(x);
    return /[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  };
  const says = (x) => (classes ? classes[x] : x);
  const value = (c, k) => {
    const info = columns[disagree.columns[c]],
      x = disagree.values[c][k];
    if (x === null || info.kind === "number") return x;
    return x < 0 ? "(new)" : info.categories[x];
  };
  const head = [
    "row",
    ...disagree.columns.map((j) => columns[j].name),
    ...pair.names.map((name) => `predicted by ${name}`),
    ...(disagree.truth ? ["truth"] : []),
  ];
  const lines = disagree.index.map((index, k) => [
    index,
    ...disagree.columns.map((_, c) => value(c, k)),
    says(disagree.a[k]),
    says(disagree.b[k]),
    ...(disagree.truth ? [says(disagree.truth[k])] : []),
  ]);
  return `${[head, ...lines].map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
}

// Leaves of the first tree on the left, of the second on the right, rows flowing between.
function leafFlows(app) {
  const { stage, trees, facts: all } = app;
  const flows = new Map();
  for (const [one, two, n, differ] of all.pair.flows) {
    const a = cutAbove(app, 0, one),
      b = cutAbove(app, 1, two);
    const old = flows.get(`${a} ${b}`) || { a, b, n: 0, differ: 0 };
    flows.set(`${a} ${b}`, { a, b, n: old.n + n, differ: old.differ + differ });
  }
  const shown = [...flows.values()].sort((x, y) => y.n - x.n).slice(0, 80);
  const total = shown.reduce((sum, one) => sum + one.n, 0) || 1;
  const high = 300,
    wide = 336,
    bar = 12;
  const side = (key, t) => {
    const found = new Map();
    for (const one of shown) found.set(one[key], (found.get(one[key]) || 0) + one.n);
    const leaves = [...found.keys()].sort((x, y) => x - y);
    const gap = Math.min(3, (high * 0.25) / Math.max(1, leaves.length));
    const scale = (high - gap * (leaves.length - 1)) / total;
    let y = 0;
    const places = new Map();
    for (const leaf of leaves) {
      places.set(leaf, { y, high: found.get(leaf) * scale, at: y, leaf, t });
      y += found.get(leaf) * scale + gap;
    }
    return { places, scale };
  };
  const left = side("a", 0),
    right = side("b", 1);
  const svg = s("svg", {
    viewBox: `0 0 ${wide} ${high + 4}`,
    class: "stage flows-map",
    role: "img",
    "aria-label": "Rows between the leaves of both trees",
  });
  const ordered = [...shown].sort((x, y) => x.a - y.a || x.b - y.b);
  for (const one of ordered) {
    const from = left.places.get(one.a),
      to = right.places.get(one.b);
    const w0 = one.n * left.scale,
      w1 = one.n * right.scale;
    const [y0, y1] = [from.at, to.at];
    from.at += w0;
    to.at += w1;
    const m = wide / 2;
    const d = `M${bar} ${r1(y0)}C${m} ${r1(y0)} ${m} ${r1(y1)} ${wide - bar} ${r1(y1)}V${r1(y1 + w1)}C${m} ${r1(y1 + w1)} ${m} ${r1(y0 + w0)} ${bar} ${r1(y0 + w0)}z`;
    const css = one.differ * 2 > one.n ? "flow odd" : "flow";
    svg.append(
      s(
        "path",
        { d, class: css },
        s("title", {
          text: `${plural(one.n, "row")} from leaf ${one.a} to leaf ${one.b}${one.differ ? `, ${count(one.differ)} predicted otherwise` : ""}`,
        }),
      ),
    );
  }
  for (const { places } of [left, right]) {
    for (const { y, high: tall, leaf, t } of places.values()) {
      const tree = trees[t];
      const mark = s(
        "rect",
        {
          x: t ? wide - bar : 0,
          y: r1(y),
          width: bar,
          height: r1(Math.max(tall, 1)),
          ...paint(tree, leaf),
        },
        s("title", { text: `${tree.name}, leaf ${leaf}: ${tree.outcome(leaf)}` }),
      );
      mark.addEventListener("click", () => app.choose(stage.offset[t] + leaf));
      svg.append(mark);
    }
  }
  const hidden = all.pair.nFlows - all.pair.flows.length;
  return [
    h("p", {
      class: "note",
      text: `Leaves of ${trees[0].name} on the left, of ${trees[1].name} on the right; orange where the prediction changes.${hidden > 0 ? ` ${count(hidden)} small flows are left out.` : ""}`,
    }),
    svg,
  ];
}

function cutAbove(app, t, leaf) {
  const tree = app.trees[t];
  for (const i of tree.path(leaf)) if (app.stage.isCut(t, i)) return i;
  return leaf;
}

// --- geometry ---------------------------------------------------------------------------------

// What a criterion prefers: equal scores over the parts of both classes that go left.
function isolinePart(app) {
  const { isolines, names } = app.facts.pair;
  const { classes } = app.facts;
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
