// SPDX-License-Identifier: BSD-3-Clause
// The rounds of a boosted model: what each gains, and the sum so far for the traced row.
"use strict";

function roundsPanel(app) {
  const { rounds, columns } = app.data;
  const { row } = app.tracer;
  if (!app.roundTrees)
    app.roundTrees = rounds.each.map((one) => one.tree && new TreeModel(one.tree, columns, null));
  const hasHeld = rounds.each.some((one) => one.held !== undefined);
  const isTraced = Boolean(row && app.roundTrees[0]);
  const most = Math.max(...rounds.each.map((one) => one.gain || 0)) || 1;
  let sum = rounds.start;
  const lines = rounds.each.map((one, k) => {
    const cells = [
      h("td", { class: "number", text: String(k) }),
      h(
        "td",
        { title: `gain ${short(one.gain, 4)}, ${plural(one.leaves, "leaf", "leaves")}` },
        h("div", {
          class: "round-gain",
          style: `width:${((64 * (one.gain || 0)) / most).toFixed(1)}px`,
        }),
      ),
      h("td", { class: "number", text: short(one.loss, 4) }),
    ];
    if (hasHeld) cells.push(h("td", { class: "number", text: short(one.held, 4) }));
    if (isTraced) {
      const tree = app.roundTrees[k];
      const { value } = tree.predict(app.tracer.asSeen(tree));
      sum += value;
      cells.push(
        h("td", { class: "number", text: `${value < 0 ? "−" : "+"}${short(Math.abs(value), 3)}` }),
        h("td", { class: "number", text: short(sum, 4) }),
      );
    }
    return h("tr", k === rounds.chosen ? { class: "chosen-round" } : {}, cells);
  });
  const heads = ["#", "gain", "loss"];
  if (hasHeld) heads.push("held");
  if (isTraced) heads.push("adds", "sum");
  return [
    h("h2", { text: "Rounds" }),
    h("p", {
      class: "note",
      text: isTraced
        ? `The score of the traced row starts at ${short(rounds.start, 4)}; each round adds what its leaf says.`
        : `Scores start at ${short(rounds.start, 4)}, and each round adds what its leaf says. Trace a row to see the sum so far.`,
    }),
    h("p", {
      class: "note",
      text: `The page shows the tree of round ${rounds.chosen}; ramify.view(model, X, tree=3) shows that of round 3. The loss (${rounds.loss}) is the one on the training rows after the round${hasHeld ? ", then on those held out" : ""}.`,
    }),
    h(
      "table",
      { class: "rounds" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((head) => h("th", { text: head })),
        ),
      ),
      h("tbody", {}, lines),
    ),
  ];
}
