// SPDX-License-Identifier: BSD-3-Clause
// The cut of a node, dragged over the histogram of its rows, with counts that follow.
"use strict";

/** The section "Cut" of a node whose split has one cut; nothing for others. */
function cuttingPart(app, g) {
  const [tree, i] = app.stage.treeOf(g);
  const kind = tree.kind[i];
  if (tree.children[i].length !== 2 || kind === INTERVALS) return null;
  return section("Move the cut", kind === CATEGORIES ? setPart(app, g) : sliderPart(app, g));
}

function livePart(app, g) {
  const [tree] = app.stage.treeOf(g);
  const place = h("output", { class: "live", "aria-live": "polite" });
  const look = oneAtATime(async (cut) => {
    try {
      const asked = { node: app.numberOf(g), criterion: app.criteria[0], ...cut };
      const found = await ask(`api/cut?${queryOf(asked)}`);
      const sides = found.sides.map((side, b) => {
        const words = tree.classes
          ? side.map((n, k) => `${tree.classes[k]} ${count(n)}`).join(", ")
          : `mean ${short(side[0], 5)}`;
        return h("div", { text: `${b ? "right" : "left"} ${count(found.rows[b])}: ${words}` });
      });
      const score = `${app.criteria[0]} ${short(found.score, 5)}`;
      place.replaceChildren(...sides, h("div", { class: "muted", text: score }));
    } catch (error) {
      place.replaceChildren(h("div", { text: wordsOf(error) }));
    }
  });
  return { place, look };
}

function sliderPart(app, g) {
  const [tree, i] = app.stage.treeOf(g);
  const picture = (tree.pictures && tree.pictures[i]) || null;
  const [low, high] = axisOf(tree, i, picture);
  const info = tree.columns[tree.feature[i]];
  const isWhole = Boolean(info.whole) && !isSum(tree, i);
  const { place, look } = livePart(app, g);
  const cut = tree.threshold[i];
  const shown = h("div", { "aria-hidden": "true" });
  const box = field("Threshold", { type: "number", step: "any", value: cut, "data-cut": "box" });
  const slider = field("Cut", {
    type: "range",
    min: Math.min(low, cut),
    max: Math.max(high, cut),
    step: isWhole && high - low < 500 ? 0.5 : (high - low) / 500 || "any",
    value: cut,
    "data-cut": "slider",
  });
  const children = tree.children[i];
  const rows = children.map((child) => tree.rows[child]);
  const sides = children.map((child) =>
    tree.classes
      ? tree.classes.map((_, k) => (tree.mixture(child).find(([c]) => c === k) || [0, 0])[1])
      : [tree.value[child]],
  );
  const draw = (at) => {
    const test = {
      ...Object.fromEntries(
        ["feature", "kind", "missing", "other"].map((name) => [name, tree[name][i]]),
      ),
      terms: tree.terms[i],
      threshold: at,
    };
    const stump = stumpOf(app, test, picture, rows, sides);
    shown.replaceChildren(plotFigure(stump, 60));
  };
  const move = () => app.edit("move", { node: app.numberOf(g), threshold: box.valueAsNumber });
  slider.addEventListener("input", () => {
    const at = Number(Number(slider.value).toPrecision(6));
    box.value = String(at);
    draw(at);
    look({ threshold: at });
  });
  slider.addEventListener("change", move);
  box.addEventListener("input", () => {
    if (!Number.isFinite(box.valueAsNumber)) return;
    draw(box.valueAsNumber);
    look({ threshold: box.valueAsNumber });
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") move();
  });
  draw(cut);
  return [
    shown,
    slider,
    line(box, button("Move", move, { "data-action": "move" }), roundTool(app, g)),
    place,
    h("p", { class: "note", text: "What is below stays, and its rows are sent down anew." }),
  ];
}

function roundTool(app, g) {
  const digits = choice("Significant digits", ["1", "2", "3", "4"], "2");
  const go = () =>
    app.edit("round_thresholds", { digits: Number(digits.value), below: app.numberOf(g) });
  return h("span", { class: "line" }, button("Round from here", go, { "data-action": "round" }), digits);
}

function setPart(app, g) {
  const [tree, i] = app.stage.treeOf(g);
  const info = tree.columns[tree.feature[i]];
  const { values, branches } = tree.listed[i];
  const { place, look } = livePart(app, g);
  const ticks = values.map((code, k) => [
    field(String(info.categories[code]), { type: "checkbox", checked: branches[k] === 0 }),
    info.categories[code],
  ]);
  const chosen = () => ticks.filter(([tick]) => tick.checked).map(([, name]) => name);
  for (const [tick] of ticks)
    tick.addEventListener("change", () => look({ categories: JSON.stringify(chosen()) }));
  const move = () => app.edit("move", { node: app.numberOf(g), categories: chosen() });
  return [
    h(
      "div",
      { class: "ticks", role: "group", "aria-label": "Categories that go left" },
      ticks.map(([tick, name]) => h("label", {}, tick, h("bdi", { text: String(name) }))),
    ),
    line(button("Move", move, { "data-action": "move" })),
    place,
  ];
}
