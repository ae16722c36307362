// SPDX-License-Identifier: BSD-3-Clause
// What is known of one node: numbers, classes, the split, the ledger, the rule.
"use strict";

const MAX_CHIPS = 12;

function section(title, ...children) {
  return h("section", {}, title ? h("h3", { text: title }) : null, children);
}

function definitions(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined);
  return h(
    "dl",
    { class: "definitions" },
    shown.map(([word, value]) => [h("dt", { text: word }), h("dd", { text: value })]),
  );
}

function swatch(tree, k) {
  return h("i", { class: `swatch s${tree.slots[k]}`, "aria-hidden": "true" });
}

// Everything about a node, for the side of the page.
function nodePanel(app, g) {
  const { stage } = app;
  const [tree, i, t] = stage.treeOf(g);
  const isLeaf = tree.isLeaf(i) || stage.isCut(t, i);
  const kind = isLeaf ? "Leaf" : i === 0 ? "Root" : "Node";
  const name = app.trees.length > 1 ? `${tree.name}: ` : "";
  const parts = [
    h("h2", { text: `${name}${kind} ${i}` }),
    h("p", { class: "lead", text: isLeaf ? `predicts ${tree.says(i)}` : splitTitle(tree, i) }),
    definitions([
      ["rows", `${count(tree.rows[i])} (${percent(tree.weight[i] / tree.weight[0])})`],
      [
        "weight",
        Math.abs(tree.weight[i] - tree.rows[i]) > 1e-9 * tree.rows[i]
          ? count(tree.weight[i])
          : null,
      ],
      [
        "rows of the data",
        tree.dataRows && tree.dataRows[i] !== tree.rows[i] ? count(tree.dataRows[i]) : null,
      ],
      ["depth", String(tree.depth[i])],
      ["impurity", tree.impurity[i] === null ? null : short(tree.impurity[i], 4)],
      ["gain", isLeaf || tree.gain[i] === null ? null : short(tree.gain[i], 4)],
      ["leaves below", isLeaf ? null : count(tree.leavesBelow[i])],
    ]),
    h(
      "p",
      { class: "buttons" },
      isLeaf
        ? null
        : button(stage.folded.has(g) ? "Unfold" : "Fold", () => app.toggle(g), {
            "data-action": "fold",
          }),
      button("Zoom here", () => stage.show(g, true)),
      i > 0 ? button("Parent", () => app.choose(stage.offset[t] + tree.parent[i])) : null,
    ),
    outcomePart(tree, i),
  ];
  if (!isLeaf) parts.push(splitPart(tree, i), ...extraParts(app, g));
  parts.push(rulePart(tree, i, isLeaf));
  return parts;
}

function extraParts(app, g) {
  const [tree, i] = app.stage.treeOf(g);
  const found = [ledgerPart(tree, i)];
  return app.extra ? [...app.extra(g), ...found] : found;
}

function splitTitle(tree, i) {
  if (isSum(tree, i)) return `splits by a sum of ${plural(tree.terms[i].column.length, "term")}`;
  return `splits by ${titleOf(tree, i)}`;
}

// --- classes --------------------------------------------------------------------------

function outcomePart(tree, i) {
  if (!tree.classes) {
    const line = tree.lines ? [["line", tree.lines[i].text]] : [];
    const words = [["mean", short(tree.value[i], 6)], ...line];
    return section("Number", definitions(words), heatBar(tree, i));
  }
  const parts = tree.mixture(i).sort((a, b) => b[1] - a[1]);
  return section("Classes", classBars(tree, parts, tree.weight[i]));
}

function heatBar(tree, i) {
  const share = Math.min(1, Math.max(0, heatOf(tree, i)));
  const mark = h("i", { style: `left:${(100 * share).toFixed(1)}%` });
  const [low, high] = tree.heat;
  return h(
    "div",
    { class: "heat" },
    h("span", { text: short(low, 4) }),
    h("div", {}, mark),
    h("span", { text: short(high, 4) }),
  );
}

function classBars(tree, parts, weight) {
  const shown = parts.slice(0, MAX_CHIPS);
  const rows = shown.map(([k, share]) =>
    h(
      "li",
      {},
      h(
        "span",
        { class: "name", title: String(tree.classes[k]) },
        swatch(tree, k),
        h("bdi", { text: String(tree.classes[k]) }),
      ),
      h(
        "span",
        { class: "track" },
        h("span", { class: `bar s${tree.slots[k]}`, style: `width:${(100 * share).toFixed(2)}%` }),
      ),
      h("span", { class: "number", text: percent(share) }),
      h("span", { class: "number muted", text: weight === null ? "" : count(share * weight) }),
    ),
  );
  if (parts.length > shown.length)
    rows.push(h("li", { class: "muted", text: `and ${parts.length - shown.length} more` }));
  return h("ul", { class: "class-bars" }, rows);
}

// --- the split ------------------------------------------------------------------------

function splitPart(tree, i) {
  const words = tree.demands(i).map((demand, b) => {
    const child = tree.children[i][b];
    return h(
      "li",
      {},
      h("bdi", { text: tree.say(demand, 4) }),
      h("span", { class: "muted", text: ` → ${plural(tree.rows[child], "row")}` }),
    );
  });
  const parts = [h("ul", { class: "branches" }, words)];
  const wide = 320,
    high = 110;
  const plot = plotOf(tree, i, wide, high);
  plot.setAttribute("transform", "translate(0 4)");
  const marks = cutMarks(
    tree,
    i,
    { width: wide, plot: high, title: 13, note: 11 },
    0,
    high + 4,
    null,
  );
  parts.push(
    h(
      "div",
      { class: "stage-look" },
      s(
        "svg",
        {
          viewBox: `-2 0 ${wide + 4} ${high + 28}`,
          class: "stage big",
          role: "img",
          "aria-label": plotWords(tree, i),
        },
        plot,
        marks,
      ),
    ),
  );
  if (isSum(tree, i)) parts.push(weightBars(tree, i));
  else if (tree.kind[i] === CATEGORIES) parts.push(chips(tree, i));
  parts.push(gapWords(tree, i));
  return section("Split", parts);
}

function plotWords(tree, i) {
  const along = isSum(tree, i) ? "the sum" : titleOf(tree, i);
  if (!tree.pictures || !tree.pictures[i])
    return "The children side by side, as wide as they are heavy";
  return tree.classes
    ? `Histogram of the classes along ${along}`
    : `Rows along ${along}, and what is predicted on each side`;
}

function gapWords(tree, i) {
  const lines = [];
  if (isSum(tree, i)) {
    lines.push(
      "A missing number counts as the mean of the node's rows; a missing category adds nothing.",
    );
  } else {
    const to = (b) => tree.say(tree.demands(i)[b], 2);
    const missing = (tree.missingRows && tree.missingRows[i]) || 0;
    const seen = missing ? ` (${plural(missing, "row")} of the data)` : "";
    if (tree.refusesMissing) lines.push("Rows without a value are refused.");
    else if (tree.missing[i] < 0)
      lines.push(`Missing values go down every branch, by its weight${seen}.`);
    else lines.push(`Missing values go where ${to(tree.missing[i])}${seen}.`);
    if (tree.kind[i] === CATEGORIES && tree.unseen === "heavier") {
      const fresh = (tree.newCategories && tree.newCategories[i]) || 0;
      const found = fresh ? ` (${plural(fresh, "row")} of the data)` : "";
      lines.push(`Categories that the node does not list go where ${to(tree.other[i])}${found}.`);
    }
  }
  return lines.map((line) => h("p", { class: "note", text: line }));
}

// The weights of a sum, by the share of its spread that each is due.
function weightBars(tree, i) {
  const { column, category, weight, share } = tree.terms[i];
  const order = column.map((_, k) => k).sort((a, b) => share[b] - share[a] || a - b);
  const most = Math.max(...share.map(Math.abs)) || 1;
  const rows = order.slice(0, 30).map((k) => {
    const info = tree.columns[column[k]];
    const name = category[k] < 0 ? info.name : `${info.name} = ${info.categories[category[k]]}`;
    const size = (50 * Math.abs(share[k])) / most;
    const css = weight[k] < 0 ? "minus" : "plus";
    return h(
      "li",
      {},
      h("span", { class: "name", title: name }, h("bdi", { text: name })),
      h(
        "span",
        { class: "track two" },
        h("span", { class: `bar ${css}`, style: `width:${size.toFixed(1)}%` }),
      ),
      h("span", { class: "number", text: short(weight[k], 3) }),
    );
  });
  const more =
    order.length > 30 ? h("li", { class: "muted", text: `and ${order.length - 30} more` }) : null;
  return [
    h("p", {
      class: "note",
      text: "Weights, and as bars how much of the spread of the sum each term makes:",
    }),
    h("ul", { class: "class-bars weights" }, rows, more),
  ];
}

// Categories on each side, those with most rows of the second class first.
function chips(tree, i) {
  const names = tree.columns[tree.feature[i]].categories;
  const picture = tree.pictures && tree.pictures[i];
  const rank = new Map(picture && picture.codes ? picture.codes.map((code, k) => [code, k]) : []);
  return tree.demands(i).map((demand, b) => {
    const own = tree.listed[i].values.filter((_, k) => tree.listed[i].branches[k] === b);
    own.sort((x, y) => (rank.get(x) ?? 1e9) - (rank.get(y) ?? 1e9) || x - y);
    const list = h("ul", { class: "chips" });
    const fillIn = (most) => {
      const shown = own
        .slice(0, most)
        .map((k) => h("li", { class: "chip" }, h("bdi", { text: String(names[k]) })));
      const rest = own.length - most;
      if (rest > 0)
        shown.push(
          h(
            "li",
            {},
            button(`+${rest} more`, () => fillIn(Infinity), { class: "chip" }),
          ),
        );
      if (demand.excluded) shown.push(h("li", { class: "chip other", text: "any other" }));
      list.replaceChildren(...shown);
    };
    fillIn(MAX_CHIPS);
    return [h("h4", { text: `Branch ${b + 1}` }), list];
  });
}

// --- the ledger -------------------------------------------------------------------------

function candidateText(tree, one) {
  const info = tree.columns[one.column];
  if (info.kind === "category") {
    const shown = one.left.slice(0, 3).join(", ");
    return `${info.name} in {${shown}${one.left.length > 3 ? `, +${one.left.length - 3}` : ""}}`;
  }
  return one.threshold === null
    ? `${info.name} is known`
    : `${info.name} ${info.unit ? "<" : "≤"} ${tree.boundText(one.column, one.threshold)}`;
}

function ledgerPart(tree, i) {
  if (!tree.ledger) return null;
  const found = tree.ledger.nodes[i];
  if (!found) return null;
  const heads = ["", "split", "score", ...tree.ledger.also];
  const rows = found.map((one, k) =>
    h(
      "tr",
      { class: one.chosen ? "chosen" : null },
      h("td", { class: "number", text: one.chosen ? `${k + 1} ✓` : String(k + 1) }),
      h("td", {}, h("bdi", { text: candidateText(tree, one) })),
      h("td", { class: "number", text: short(one.score, 4) }),
      one.also.map((score) => h("td", { class: "number", text: short(score, 4) })),
    ),
  );
  return section(
    "What else it could have chosen",
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Candidates" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((word) => h("th", { scope: "col", text: word })),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
}

// --- the rule ---------------------------------------------------------------------------

function rulePart(tree, i, isLeaf) {
  const demands = tree.conditions(i);
  const items = demands.map((demand) => {
    const words = tree.say(demand, 6);
    const orMissing = demand.missing && !words.endsWith("is missing");
    return h(
      "li",
      {},
      h("bdi", { text: words }),
      orMissing ? h("span", { class: "muted", text: " or missing" }) : null,
    );
  });
  const rule = isLeaf ? tree.rule(i) : tree.rule(i).replace(/ THEN .*$/s, "");
  return section(
    isLeaf ? "The rule of this leaf" : "The way here",
    items.length
      ? h("ol", { class: "rule" }, items)
      : h("p", { class: "note", text: "Every row." }),
    isLeaf
      ? h("p", { class: "then" }, "then ", h("strong", { text: tree.says(i) }))
      : null,
    h(
      "p",
      { class: "buttons" },
      copyButton("Copy as text", () => rule),
      copyButton("Copy as SQL", () => tree.sql(i)),
    ),
  );
}

// All leaves as rules, heaviest first: the tree without a picture.
function rulesPanel(app, most = 60) {
  const parts = [h("h2", { text: "Leaves as rules" })];
  app.trees.forEach((tree, t) => {
    const leaves = app.stage.leaves(t).sort((a, b) => tree.weight[b] - tree.weight[a] || a - b);
    if (app.trees.length > 1) parts.push(h("h3", { text: tree.name }));
    const shown = leaves.slice(0, most).map((i) => {
      const words =
        tree
          .conditions(i)
          .map((demand) => tree.say(demand, 3))
          .join(" and ") || "every row";
      const go = button("", () => app.choose(app.stage.offset[t] + i), { class: "link" });
      go.append(h("bdi", { text: words.length > 400 ? `${words.slice(0, 399)}…` : words }));
      return h(
        "li",
        {},
        go,
        h(
          "div",
          { class: "muted" },
          "→ ",
          tree.classes ? swatch(tree, tree.best[i]) : null,
          h("bdi", { text: tree.says(i) }),
          ` · ${plural(tree.rows[i], "row")}`,
        ),
      );
    });
    parts.push(h("ol", { class: "rules" }, shown));
    if (leaves.length > most)
      parts.push(
        h(
          "p",
          { class: "note" },
          `${count(leaves.length - most)} lighter leaves are not listed. `,
          button("List them", () => app.fillPanel(rulesPanel(app, Infinity))),
        ),
      );
  });
  return parts;
}

function aboutPanel(app) {
  const parts = [h("h2", { text: "About" })];
  app.trees.forEach((tree) => {
    const { about } = tree;
    parts.push(
      section(
        app.trees.length > 1 ? tree.name : tree.estimator,
        definitions([
          ["estimator", tree.estimator],
          ["method", about.method],
          ["criterion", about.criterion],
          ["in words", about.summary],
          ["formula", about.formula],
          ["reference", about.reference],
          ["parameters", about.parameters],
          ["nodes", count(tree.n)],
          ["leaves", count(tree.leavesBelow[0])],
          ["depth", String(tree.maxDepth)],
        ]),
      ),
    );
  });
  parts.push(
    section(
      "How to read it",
      h("p", {
        text: app.trees[0].pictures
          ? "Each node shows its rows along the column that it cuts, the same axis at every node of that column; the wedge is the cut. Flows are as wide as the weight of the rows and have the colours of their classes."
          : "No rows were given: a node shows its children side by side, as wide as they are heavy. Flows are as wide as the weight of the rows and have the colours of their classes.",
      }),
      h("p", {
        text: "Zoom in and nodes show more: dot, sparkline, histogram. Rows without a value, and categories that training did not see, flow along dotted lines.",
      }),
    ),
    section("Keys", keyList()),
  );
  return parts;
}

function keyList() {
  const keys = [
    ["↑ ↓ ← →", "parent, first child, neighbours"],
    ["Enter", "fold or unfold"],
    ["+ − 0", "zoom in, zoom out, fit"],
    ["z", "zoom to the node"],
    ["/", "search"],
    ["r", "trace a row"],
    ["Esc", "let go"],
  ];
  return h(
    "dl",
    { class: "definitions keys" },
    keys.map(([key, what]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text: what })]),
  );
}
