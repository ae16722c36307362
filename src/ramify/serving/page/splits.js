// SPDX-License-Identifier: BSD-3-Clause
// The candidates of a node: the best splits by several criteria, drawn when pointed at.
"use strict";

/** The section "Split": which criteria, the table, and a split of one's own. */
function splitsPart(app, g) {
  const number = app.numberOf(g);
  const place = h("div", { "aria-live": "polite" });
  const choices = app.data.choices.criteria;
  const lists = [0, 1, 2].map((k) => {
    const options = k ? [["", "–"], ...choices] : choices;
    return choice(k ? `Criterion ${k + 1}` : "Criterion that ranks", options, app.criteria[k] ?? "", {
      "data-criterion": k,
      onchange: () => {
        app.criteria = [...new Set(lists.map((one) => one.value).filter(Boolean))];
      },
    });
  });
  const kind = choice(
    "Kind of split",
    [
      ["axis", "one column"],
      ["oblique", "weighted sums"],
    ],
    "axis",
  );
  const show = async () => {
    place.replaceChildren(h("p", { class: "note", text: "Looking for splits …" }));
    try {
      const asked = { node: number, criteria: app.criteria, kind: kind.value };
      const found = await ask(`api/candidates?${queryOf(asked)}`);
      app.top.looks = found.looks;
      place.replaceChildren(...splitsTable(app, number, found));
    } catch (error) {
      place.replaceChildren(h("p", { class: "warning", text: wordsOf(error) }));
    }
  };
  app.showSplits = async () => {
    await show();
    const first = /** @type {HTMLElement | null} */ (place.querySelector("tbody button"));
    if (first) first.focus();
  };
  return section(
    "Split",
    line(lists),
    line(
      app.data.classes ? kind : null,
      button("Show splits", () => app.showSplits(), { class: "main", "data-action": "splits" }),
    ),
    place,
    ownSplit(app, number),
  );
}

function splitsTable(app, number, found) {
  if (!found.rows.length)
    return [h("p", { class: "note", text: "No split of this node is worth anything by these criteria." })];
  const preview = h("div", { class: "preview", "aria-hidden": "true" });
  const heads = [
    ["split", null],
    ...found.criteria.map((name, c) => [name, (row) => row.scores[c]]),
    ["logworth", (row) => row.logworth],
    ["valid.", (row) => row.validationGain],
  ];
  const body = h("tbody");
  const draw = (rows) => {
    body.replaceChildren(
      ...rows.map((row) => {
        const tree = stumpOf(app, row.test, row.picture, row.rows, row.sides, found.columns);
        const look = () => preview.replaceChildren(plotFigure(tree, 110));
        const apply = () => app.edit("split", { node: number, ...row.apply });
        const go = button("", apply, { class: "link", onfocus: look, "data-split": row.column });
        const words = tree.say(tree.demands(0)[0], 3);
        go.append(h("bdi", { text: words.length > 90 ? `${words.slice(0, 89)}…` : words }));
        return h(
          "tr",
          { onmouseenter: look },
          h("td", {}, go, h("div", { class: "muted", text: `${count(row.rows[0])} | ${count(row.rows[1])} rows` })),
          row.scores.map((score, c) =>
            h("td", {
              class: row.ranks[c] === 1 ? "number first" : "number",
              title: `rank ${row.ranks[c]}`,
              text: short(score, 4),
            }),
          ),
          h("td", { class: "number", text: short(row.logworth, 3) }),
          h("td", { class: "number", text: short(row.validationGain, 3) }),
        );
      }),
    );
  };
  const cells = heads.map(([name, value], c) => {
    const cell = h("th", { scope: "col", class: c ? "number" : null });
    if (!value) cell.append(name);
    else {
      cell.append(
        button(name, () => {
          cells.forEach((one) => one.removeAttribute("aria-sort"));
          cell.setAttribute("aria-sort", "descending");
          draw([...found.rows].sort((a, b) => (value(b) ?? -Infinity) - (value(a) ?? -Infinity)));
        }),
      );
      if (c === 1) cell.setAttribute("aria-sort", "descending");
    }
    return cell;
  });
  draw(found.rows);
  return [
    preview,
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Candidate splits" },
      h("table", { class: "splits-table" }, h("thead", {}, h("tr", {}, cells)), body),
    ),
    h("p", { class: "note", text: "Press a split to make it; point at it to see it on the node's rows." }),
  ];
}

/** A split that the person writes: a column, and a threshold or categories. */
function ownSplit(app, number) {
  const { columns } = app.data;
  const place = h("span", { class: "line" });
  const list = choice(
    "Column to split",
    columns.map((info, j) => [String(j), info.name]),
    "0",
    { "data-own": "column" },
  );
  let take = () => ({});
  const fillIn = () => {
    const info = columns[Number(list.value)];
    if (info.kind === "category") {
      const ticks = info.categories.map((name) => {
        const tick = field(String(name), { type: "checkbox" });
        return [tick, name];
      });
      take = () => ({ categories: ticks.filter(([tick]) => tick.checked).map(([, name]) => name) });
      place.replaceChildren(
        h(
          "span",
          { class: "ticks", role: "group", "aria-label": "Categories that go left" },
          ticks.map(([tick, name]) => h("label", {}, tick, h("bdi", { text: String(name) }))),
        ),
      );
      return;
    }
    const box = field("Threshold", { type: "number", step: "any", value: info.middle, "data-own": "cut" });
    take = () => ({ threshold: box.valueAsNumber });
    place.replaceChildren(h("span", { text: "≤" }), box);
  };
  list.addEventListener("change", fillIn);
  fillIn();
  const make = () => app.edit("split", { node: number, column: Number(list.value), ...take() });
  return h(
    "details",
    {},
    h("summary", { text: "A split of your own" }),
    line(list, place),
    line(button("Split", make, { "data-action": "own-split" })),
  );
}
