// SPDX-License-Identifier: BSD-3-Clause
// Rows that two trees send to other leaves, or predict otherwise.
"use strict";

function pairRows(app) {
  const { pair, classes } = app.data;
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
      definitions([
        [`${a} right, ${b} wrong`, count(right.a)],
        [`${b} right, ${a} wrong`, count(right.b)],
        ["both wrong, differently", right.neither ? count(right.neither) : null],
      ]),
    );
  if (pair.flows.length) parts.push(section("Rows that changed leaf", leafFlows(app)));
  if (app.data.pair.isolines) parts.push(isolinePart(app));
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
  const { pair, classes, columns } = app.data;
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
  const { stage, trees, data: all } = app;
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
