// SPDX-License-Identifier: BSD-3-Clause
// The viewer's page with hands: every press is one call of the editor behind the server.
"use strict";

class StudioApp extends App {
  constructor(state) {
    const nodes = new Map(Object.entries(state.nodes).map(([n, node]) => [Number(n), node]));
    super(StudioApp.dataOf(state, nodes));
    this.nodes = nodes;
    this.version = state.version;
    this.isBusy = false;
    this.showTop();
    this.openTab(this.tab);
    this.listen();
  }

  static dataOf(state, nodes) {
    const tree = treeDataOf(state.order, state.kids, nodes, state.about, state.span);
    return { ...state, subtitle: "", trees: [tree] };
  }

  // Read from the data, since the page is built before they are stored apart.
  get about() {
    return this.data.about;
  }

  get span() {
    return this.data.span;
  }

  get top() {
    return this.data.top;
  }

  get order() {
    return this.data.order;
  }

  numberOf(g) {
    return this.order[g];
  }

  build() {
    const known = this.data.choices.criteria;
    const wanted = ["gini", "hellinger", "ihdw", "squared_error", "absolute_error"];
    /** @type {(() => Promise<void>) | null} */
    this.showSplits = null; // of the node that is shown
    this.criteria = wanted.filter((name) => known.includes(name)).slice(0, 3);
    super.build();
    this.bench = h("div", { class: "bench", role: "toolbar", "aria-label": "Editing" });
    this.working = h("div", { class: "working", hidden: true, role: "status" });
    this.toast = h("div", { class: "toast", hidden: true, role: "alert" });
    this.work.before(this.bench, this.working);
    document.body.append(this.toast);
  }

  tabNames() {
    return [
      ["node", "Node"],
      ["versions", "Versions"],
      ["machines", "Machines"],
      ["out", "Export"],
      ["row", "Trace"],
      ["rules", "Rules"],
      ["about", "About"],
    ];
  }

  ownTabs() {
    return {
      versions: () => versionsPanel(this),
      machines: () => machinesPanel(this),
      out: () => scriptPanel(this),
    };
  }

  nodeParts(g) {
    return studioPanel(this, g);
  }

  // The viewer's slider prunes what is shown; here pruning is an edit.
  pruner() {
    return h("span");
  }

  // --- the bar -------------------------------------------------------------------------

  showTop() {
    const { top } = this;
    const metric = top.metric.replace(/_/g, " ");
    const scores = h(
      "span",
      { class: "scores-now", role: "status" },
      h("span", {}, h("b", { text: count(top.leaves) }), ` ${top.leaves === 1 ? "leaf" : "leaves"}`),
      h("span", {}, "depth ", h("b", { text: String(top.depth) })),
      h("span", {}, `training ${metric} `, h("b", { text: scoreText(top.training) }), changeOf(top.training, top.trainingBefore)),
      top.validation === null
        ? null
        : h("span", {}, "validation ", h("b", { text: scoreText(top.validation) }), changeOf(top.validation, top.validationBefore)),
    );
    const tools = h(
      "span",
      { class: "group" },
      button("Undo", () => this.edit("undo", {}), { disabled: !top.canUndo, "data-tool": "undo", title: "Undo (u)" }),
      button("Redo", () => this.edit("redo", {}), { disabled: !top.canRedo, "data-tool": "redo", title: "Redo (Shift+u)" }),
    );
    const { output } = this.data.choices;
    const away = h(
      "span",
      { class: "group" },
      button("Versions", () => this.openTab("versions", true)),
      button("Script", () => this.openTab("out", true), { "data-tool": "script" }),
      button("Export", () => this.openTab("out", true), { "data-tool": "export" }),
      output ? button("Save", () => this.save(), { "data-tool": "save" }) : null,
    );
    this.bench.replaceChildren(...[scores, tools, away, sealedPart(this)].filter((one) => one !== null));
    const tree = this.trees[0];
    const parts = [
      tree.estimator,
      String(this.about.method || this.about.criterion),
      plural(tree.n, "node"),
      plural(tree.rows[0], "training row"),
      plural(this.data.columns.length, "column"),
    ];
    const words = document.querySelector(".head .subtitle");
    if (words) words.textContent = parts.join(" · ");
  }

  say(words, isFine = false) {
    this.toast.textContent = words;
    this.toast.classList.toggle("fine", isFine);
    this.toast.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (this.toast.hidden = true), isFine ? 4000 : 9000);
  }

  // --- edits ---------------------------------------------------------------------------

  async edit(operation, given) {
    if (this.isBusy) return;
    this.isBusy = true;
    document.documentElement.dataset.busy = "yes";
    this.toast.hidden = true;
    try {
      const body = { version: this.version, operation, arguments: given };
      const answer = await ask("api/edit", body);
      if (answer.cancelled) this.say("Cancelled; the tree is as it was.", true);
      else this.take(answer);
    } catch (error) {
      if (error instanceof Refused && error.status === 409) {
        await this.reload();
        this.say(`${wordsOf(error)}. Here is the newest; do it again if you still want to.`);
      } else this.say(wordsOf(error));
    } finally {
      this.isBusy = false;
      document.documentElement.dataset.busy = "no";
    }
  }

  async save() {
    try {
      const answer = await ask("api/save", {});
      this.say(`Saved to ${answer.saved}.`, true);
    } catch (error) {
      this.say(wordsOf(error));
    }
  }

  async reload() {
    const state = await ask("api/state");
    this.nodes = new Map();
    this.take({ ...state, columns: Object.fromEntries(state.columns.entries()) });
  }

  // Take the nodes that an edit has changed, and show the tree that they make.
  take(answer) {
    const { stage, data } = this;
    const chosen = stage.selected >= 0 ? this.numberOf(stage.selected) : -1;
    const folded = new Set([...stage.folded].map((g) => this.numberOf(g)));
    for (const [number, node] of Object.entries(answer.nodes)) this.nodes.set(Number(number), node);
    for (const [j, more] of Object.entries(answer.columns)) {
      const info = data.columns[Number(j)];
      delete info.boundTexts;
      Object.assign(info, more);
    }
    const { order, kids, about, top } = answer;
    Object.assign(data, { order, kids, about, top });
    this.version = answer.version;
    const tree = new TreeModel(
      treeDataOf(order, kids, this.nodes, about, data.span),
      data.columns,
      data.classes,
    );
    tree.slots = data.slots;
    tree.nSlots = this.trees[0].nSlots;
    this.trees = [tree];
    const place = new Map(order.map((number, g) => [number, g]));
    stage.take(this.trees);
    stage.folded = new Set([...folded].map((n) => place.get(n) ?? -1).filter((g) => g >= 0));
    stage.selected = place.get(chosen) ?? -1;
    stage.traced = [null];
    stage.relayout();
    if (this.hasMoved) stage.keepVisible();
    else stage.fit();
    this.tracer.used = tree.usedColumns();
    if (this.tracer.row) this.tracer.update();
    stage.draw();
    this.showTop();
    this.showDepth();
    this.openTab(this.tab);
  }

  // --- what the server tells -------------------------------------------------------------

  listen() {
    const source = new EventSource(`api/events${TOKEN ? `?${queryOf({ token: TOKEN })}` : ""}`);
    source.addEventListener("message", (event) => {
      const what = JSON.parse(event.data);
      if (what.kind === "progress") this.progress(what.share);
      else if (what.version !== this.version && !this.isBusy) this.follow(what.version);
    });
  }

  // Another page or a notebook has edited the tree.
  follow(version) {
    setTimeout(() => {
      if (this.version < version && !this.isBusy) this.reload().catch((error) => this.say(wordsOf(error)));
    }, 80);
  }

  progress(share) {
    const isOn = share !== null && share < 1;
    clearTimeout(this.progressTimer);
    if (!isOn) {
      this.working.hidden = true;
      return;
    }
    // Short work shows nothing.
    this.progressTimer = setTimeout(() => (this.working.hidden = !this.isBusy), 150);
    const bar = h("progress", { max: 1, value: share, "aria-label": "Growing" });
    this.working.replaceChildren(
      `Growing: ${percent(share)} of the rows in leaves `,
      bar,
      button("Cancel", () => ask("api/cancel", {}), { "data-action": "cancel" }),
    );
  }

  // --- keys ------------------------------------------------------------------------------

  key(event) {
    super.key(event);
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const { selected } = this.stage;
    const press = (css) => {
      this.openTab("node", true);
      const found = /** @type {HTMLElement | null} */ (this.panel.querySelector(css));
      if (found) found.focus();
    };
    const keys = {
      s: () => {
        this.openTab("node", true);
        if (this.showSplits) this.showSplits();
      },
      g: () => press("[data-action=grow]"),
      x: () => this.edit("prune", { node: this.numberOf(selected) }),
    };
    if (event.key === "u") this.edit("undo", {});
    else if (event.key === "U") this.edit("redo", {});
    else if (selected >= 0 && keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}

// --- a node -----------------------------------------------------------------------------

function studioPanel(app, g) {
  const [tree, i] = app.stage.treeOf(g);
  const isLeaf = tree.isLeaf(i);
  const number = app.numberOf(g);
  const node = app.nodes ? app.nodes.get(number) : {};
  const parts = [
    h("h2", { text: `${isLeaf ? "Leaf" : i === 0 ? "Root" : "Node"} ${number}${node.locked ? " · locked" : ""}` }),
    h("p", { class: "lead", text: isLeaf ? `predicts ${tree.outcome(i)}` : splitTitle(tree, i) }),
    definitions([
      ["rows", `${count(tree.rows[i])} (${percent(tree.weight[i] / tree.weight[0])})`],
      ["validation rows", node.held ? count(node.held) : null],
      ["depth", String(tree.depth[i])],
      ["impurity", short(tree.impurity[i], 4)],
      ["gain", isLeaf ? null : short(tree.gain[i], 4)],
    ]),
    saidPart(app, tree, node),
    outcomePart(tree, i),
    rulePart(tree, i, isLeaf),
    isLeaf ? null : splitPart(tree, i),
    splitsPart(app, g),
    isLeaf ? null : cuttingPart(app, g),
    growPart(app, number),
    isLeaf ? null : prunePart(app, tree, i, number),
    keepPart(app, number, node),
    notePart(app, number, node),
    isLeaf ? overridePart(app, number, node) : null,
  ];
  return parts.filter((one) => one !== null);
}

function saidPart(app, tree, node) {
  const found = [];
  if (node.override) {
    const { says, note } = node.override;
    const words = tree.classes
      ? says.map((share, k) => `${tree.classes[k]} ${percent(share)}`).join(", ")
      : short(says[0], 5);
    found.push(h("p", { class: "by-hand", text: `Set by hand${note ? `: ${note}` : ""}. Its rows say ${words}.` }));
  }
  if (node.note) found.push(h("p", { class: "by-hand", text: node.note }));
  return found;
}

function growPart(app, number) {
  const { criteria, methods } = app.data.choices;
  const how = [
    ...criteria.map((name) => [`criterion ${name}`, name]),
    ...methods.map((name) => [`method ${name}`, `${name} (method)`]),
  ];
  const list = choice("Grow by", how, `criterion ${app.grownBy || app.criteria[0]}`, { "data-grow": "by" });
  const depth = field("Most levels", { type: "number", min: 1, max: 50, value: app.growDepth ?? 3, "data-grow": "depth" });
  const go = () => {
    const [kind, name] = list.value.split(" ");
    if (kind === "criterion") app.grownBy = name;
    app.growDepth = depth.valueAsNumber;
    const given = { node: number, [kind]: name };
    if (Number.isFinite(depth.valueAsNumber)) given.max_depth = depth.valueAsNumber;
    app.edit("grow", given);
  };
  return section(
    "Grow",
    line(list, h("label", { text: "levels" }), depth, button("Grow", go, { class: "main", "data-action": "grow" })),
  );
}

function prunePart(app, tree, i, number) {
  const how = choice("Method of pruning", app.data.choices.pruning, "ebp");
  const raise = tree.children[i].length === 2 ? ["left", "right"] : [];
  return section(
    "Prune",
    line(
      button("Make it a leaf", () => app.edit("prune", { node: number }), { "data-action": "prune" }),
      raise.map((which) => button(`Raise ${which}`, () => app.edit("raise_child", { node: number, which }))),
    ),
    line(
      button("Prune below by", () => app.edit("prune", { below: number, how: how.value }), { "data-action": "prune-below" }),
      how,
    ),
  );
}

function keepPart(app, number, node) {
  const { columns } = app.data;
  const list = choice("Column to forbid", columns.map((info, j) => [String(j), info.name]), "0");
  const forbidden = (node.forbidden || []).map((j) =>
    button(`${columns[j].name} ×`, () => app.edit("allow", { columns: [j], below: number }), { title: "Allow it again" }),
  );
  const others = app.order.filter((one) => one !== number).map((one) => [String(one), `node ${one}`]);
  const source = choice("Subtree to copy", others, "");
  return section(
    "Keep",
    line(
      node.locked
        ? button("Unlock", () => app.edit("unlock", { node: number }), { "data-action": "lock" })
        : button("Lock", () => app.edit("lock", { node: number }), { "data-action": "lock" }),
      others.length ? button("Copy here", () => app.edit("copy", { source: Number(source.value), to: number })) : null,
      others.length ? source : null,
    ),
    line(button("Forbid", () => app.edit("forbid", { columns: [Number(list.value)], below: number }), { "data-action": "forbid" }), list, forbidden),
  );
}

function notePart(app, number, node) {
  const area = /** @type {HTMLTextAreaElement} */ (h("textarea", { "aria-label": "Note", placeholder: "Why? It travels with the model." }));
  area.value = node.note || "";
  return section(
    "Note",
    area,
    line(button("Keep the note", () => app.edit("note", { node: number, text: area.value }), { "data-action": "note" })),
  );
}

function overridePart(app, number, node) {
  const { classes } = app.data;
  const why = field("Reason", { type: "text", placeholder: "why", "data-override": "why" });
  const box = classes
    ? choice("Class it shall predict", classes.map((name, k) => [String(k), String(name)]), "0", { "data-override": "label" })
    : field("Number it shall predict", { type: "number", step: "any" });
  const set = () => {
    const what = classes ? { label: classes[Number(box.value)] } : { value: Number(box.value) };
    app.edit("set_leaf", { node: number, ...what, note: why.value });
  };
  return section(
    "Override",
    h("p", { class: "note", text: "A decision of yours, kept apart from what the rows say." }),
    line(
      box,
      why,
      button("Set", set, { "data-action": "set" }),
      node.override ? button("Let the rows say", () => app.edit("free_leaf", { node: number }), { "data-action": "free" }) : null,
    ),
  );
}

async function startStudio() {
  try {
    const state = await ask("api/state");
    // The token needs not stand in the address, where it could be copied along.
    if (TOKEN && window.top === window) history.replaceState(null, "", location.pathname + location.hash);
    window.app = new StudioApp(state);
  } catch (error) {
    document.body.append(h("p", { class: "noscript", role: "alert", text: wordsOf(error) }));
  }
}

startStudio();
