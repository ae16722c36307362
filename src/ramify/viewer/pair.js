// SPDX-License-Identifier: BSD-3-Clause
// Two trees side by side: how well they do, where they split alike, and how both are pruned.
"use strict";

const KINDS = {
  equal: "the same split",
  shifted: "the same column, another cut",
  different: "another column",
};

// What the stage needs to know of two trees: partners, ribbons and their marks.
function pairOptions(app) {
  const { pair } = app.data;
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
  const { pair } = app.data;
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
  for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
    const own = tree.price[i];
    if (tree.isLeaf(i) || (own !== null && own <= price)) found += 1;
    else stack.push(...tree.children[i]);
  }
  return found;
}
