// SPDX-License-Identifier: BSD-3-Clause
// Versions, the comparison with automatic trees, the sealed test, script and exports.
"use strict";

function versionsPanel(app) {
  const { top } = app;
  const name = field("Name of this version", { type: "text", placeholder: "name this version" });
  const keep = () => app.edit("branch", { name: name.value });
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep();
  });
  const items = [...top.versions].reverse().map((one) => {
    const isHere = one.number === top.current;
    const go = button("", () => app.edit("switch", { name: one.number }), {
      class: "link",
      disabled: isHere,
      "data-version": one.number,
    });
    go.append(h("bdi", { text: `${one.number}. ${one.name ? `${one.name}: ` : ""}${one.words}` }));
    const scores = `${plural(one.leaves, "leaf", "leaves")} · training ${scoreText(one.training)} · validation ${scoreText(one.validation)}`;
    const from = one.parent >= 0 && one.parent !== one.number - 1 ? ` · from ${one.parent}` : "";
    return h(
      "li",
      { "aria-current": isHere ? "true" : null },
      go,
      h("div", { class: "muted", text: `${scores}${from}` }),
    );
  });
  return [
    h("h2", { text: "Versions" }),
    line(name, button("Name it", keep, { "data-action": "branch" })),
    h("ol", { class: "versions rules" }, items),
  ];
}

// --- against the machines --------------------------------------------------------------

function machinesPanel(app) {
  const place = h("div", { "aria-live": "polite" });
  const compare = async () => {
    place.replaceChildren(h("p", { class: "note", text: "Growing trees …" }));
    try {
      const found = await ask(`api/machines?${queryOf({ criteria: app.criteria })}`);
      app.machines = found.points;
      place.replaceChildren(...pointsPicture(app));
    } catch (error) {
      place.replaceChildren(h("p", { class: "warning", text: wordsOf(error) }));
    }
  };
  if (app.machines) place.replaceChildren(...pointsPicture(app));
  return [
    h("h2", { text: "Against the machines" }),
    h("p", {
      class: "note",
      text: `Your versions, and automatic trees by ${app.criteria.join(", ")} at every size of their pruning paths. Press a point of yours to go there, another to see both trees face to face.`,
    }),
    line(button("Compare", compare, { class: "main", "data-action": "compare" })),
    place,
  ];
}

function pointsPicture(app) {
  const part = app.top.validation === null ? "training" : "validation";
  const mine = app.top.versions
    .filter((one) => one[part] !== null)
    .map((one) => ({
      leaves: one.leaves,
      score: one[part],
      slot: "mine",
      isHere: one.number === app.top.current,
      words: `yours, version ${one.number}`,
      press: () => app.edit("switch", { name: one.number }),
    }));
  const names = [...new Set(app.machines.map((one) => one.criterion))];
  const others = app.machines
    .filter((one) => one[part] !== null)
    .map((one) => ({
      leaves: one.leaves,
      score: one[part],
      slot: `f${names.indexOf(one.criterion) % 6}`,
      isHere: false,
      words: one.criterion,
      press: () => {
        const asked = { criterion: one.criterion, alpha: one.alpha };
        open(`face?${queryOf(asked)}`, "_blank", "noopener");
      },
    }));
  const all = [...others, ...mine];
  const wide = 380,
    high = 240;
  const most = Math.max(2, ...all.map((one) => one.leaves));
  const scores = all.map((one) => one.score);
  const low = Math.min(...scores),
    top = Math.max(...scores, low + 1e-6);
  const x = (leaves) => 40 + (Math.log(leaves) / Math.log(most)) * (wide - 55);
  const y = (score) => high - 28 - ((score - low) / (top - low)) * (high - 46);
  const spots = all.map((one) => {
    const words = `${one.words}: ${plural(one.leaves, "leaf", "leaves")}, ${part} ${scoreText(one.score)}`;
    const spot = s(
      "circle",
      {
        cx: x(one.leaves).toFixed(1),
        cy: y(one.score).toFixed(1),
        r: one.slot === "mine" ? 5 : 4,
        class: `spot ${one.slot}${one.isHere ? " here" : ""}`,
        tabindex: 0,
        role: "button",
        "aria-label": words,
        onclick: one.press,
      },
      s("title", { text: words }),
    );
    spot.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key === "Enter") one.press();
    });
    return spot;
  });
  const label = (text, px, py, anchor) => s("text", { x: px, y: py, "text-anchor": anchor, text });
  return [
    s(
      "svg",
      { viewBox: `0 0 ${wide} ${high}`, class: "points", role: "group", "aria-label": "Leaves and scores" },
      s("path", { class: "axis-line", d: `M40 8V${high - 22}H${wide - 8}` }),
      label(scoreText(top), 36, y(top) + 4, "end"),
      label(scoreText(low), 36, y(low) + 4, "end"),
      label("1 leaf", x(1), high - 8, "start"),
      label(`${count(most)} leaves`, wide - 10, high - 8, "end"),
      label(`${part} ${app.top.metric.replace(/_/g, " ")}`, 44, 12, "start"),
      spots,
    ),
    h(
      "p",
      { class: "note" },
      h("span", { text: "● yours" }),
      names.map((name, k) =>
        h("span", {}, "  ", s("svg", { width: 10, height: 10 }, s("circle", { cx: 5, cy: 5, r: 4, class: `f${k % 6}` })), ` ${name}`),
      ),
    ),
  ];
}

// --- the sealed test ---------------------------------------------------------------------

function sealedPart(app) {
  const { sealed, hasTest } = app.top;
  if (sealed) {
    const words = `test ${sealed.metric.replace(/_/g, " ")} ${scoreText(sealed.score)} after ${plural(sealed.edits, "edit")}, ${plural(sealed.looks, "look")} at validation`;
    return h("span", { class: "sealed" }, button(words, () => {}, { disabled: true, "data-tool": "test" }));
  }
  if (!hasTest) return null;
  const place = h("span", { class: "sealed" });
  const first = button("Open the test", () => {
    const yes = button(
      "Yes, once and for all",
      () => app.edit("reveal_test", {}),
      { class: "down", "data-action": "reveal" },
    );
    place.replaceChildren(
      "The test score can be seen once. ",
      yes,
      button("Not yet", () => place.replaceChildren(first)),
    );
    yes.focus();
  }, { "data-tool": "test" });
  place.append(first);
  return place;
}

// --- script and exports ------------------------------------------------------------------

function scriptPanel(app) {
  const place = h("pre", { class: "script", tabindex: 0, "aria-label": "Script" });
  const headers = /** @type {Record<string, string>} */ (TOKEN ? { "X-Ramify-Token": TOKEN } : {});
  const kept = { text: "" };
  fetch("api/script", { headers })
    .then((response) => response.text())
    .then((text) => {
      kept.text = text;
      place.textContent = text;
    })
    .catch((error) => app.say(wordsOf(error)));
  const format = choice("Format", app.data.choices.formats, "sql", { "data-export": "format" });
  const result = h("p", { class: "note", role: "status" });
  const fetchFile = async (what) => {
    result.textContent = "Writing …";
    const asked = queryOf({ format: format.value, what });
    try {
      const response = await fetch(`api/export?${asked}`, { headers });
      if (!response.ok) throw new Error((await response.json()).error);
      const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") || "");
      download(name ? name[1] : "tree", await response.arrayBuffer(), "application/octet-stream");
      const replayed = response.headers.get("x-ramify-certificate");
      result.textContent = replayed ? `Certificate: ${replayed}.` : "A picture, which answers nothing.";
    } catch (error) {
      result.textContent = wordsOf(error);
    }
  };
  const { output } = app.data.choices;
  return [
    h("h2", { text: "Take it away" }),
    section(
      "Export",
      line(
        format,
        button("Download", () => fetchFile("file"), { class: "main", "data-action": "export" }),
        button("Certificate", () => fetchFile("certificate"), { "data-action": "certificate" }),
      ),
      result,
    ),
    output
      ? section(
          "Save",
          line(button(`Save to ${output}`, () => app.save(), { "data-action": "save" })),
        )
      : null,
    section(
      "Script",
      h("p", { class: "note", text: "Python that makes these edits again, to the same bytes." }),
      place,
      line(copyButton("Copy", () => kept.text)),
    ),
  ];
}
