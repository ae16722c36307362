// SPDX-License-Identifier: BSD-3-Clause
// The page: puts the stage, the tools and the panel together, and remembers in the hash.
"use strict";

class App {
  constructor(all) {
    this.data = all;
    // Of very many columns those that nothing mentions are left out.
    all.columns = all.columns.map(
      (info, j) => info || { name: `column ${j}`, kind: "number", scale: 1, middle: 0 },
    );
    this.trees = all.trees.map((one) => {
      const tree = new TreeModel(one, all.columns, all.classes);
      tree.slots = all.slots;
      tree.nSlots = all.slots ? Math.max(...all.slots) + 1 : 0;
      return tree;
    });
    this.isSmall = document.documentElement.classList.contains("small");
    this.isReady = false;
    const extras = all.pair ? pairOptions(this) : {};
    this.stage = new Stage(this.trees, { label: all.title, isSmall: this.isSmall, ...extras });
    this.tracer = new Tracer(this);
    this.build();
    this.stage.on("select", (g) => this.selected(g));
    this.stage.on("change", () => this.changed());
    this.start();
  }

  build() {
    const { stage } = this;
    this.panel = h("div", { class: "panel-body", tabindex: -1, id: "panel", role: "tabpanel" });
    this.tabs = {};
    const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Details" });
    for (const [name, title] of this.tabNames()) {
      this.tabs[name] = button(title, () => this.openTab(name, true), {
        role: "tab",
        "aria-controls": "panel",
        "data-tab": name,
      });
      tabs.append(this.tabs[name]);
    }
    tabs.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      const names = Object.keys(this.tabs);
      const next = names[(names.indexOf(this.tab) + step + names.length) % names.length];
      this.openTab(next, true);
      this.tabs[next].focus();
    });
    this.side = h("aside", { class: "panel", "aria-label": "Details" }, tabs, this.panel);
    this.work = h("main", { class: "work" }, stage.element, this.side);
    document.body.append(this.header(), this.legend(), this.work);
    if (this.data.pair) this.work.before(pairHeader(this));
    addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      stage.resize();
      if (!this.isReady) return;
      if (!this.hasMoved) stage.fit();
    }).observe(stage.element);
    addEventListener("beforeprint", () => this.beforePrint());
    addEventListener("afterprint", () => this.afterPrint());
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.hash) this.readHash();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => stage.draw());
  }

  tabNames() {
    const own = this.data.pair ? [["rows", "Rows"]] : [];
    return [["node", "Node"], ["row", "Trace"], ...own, ["rules", "Rules"], ["about", "About"]];
  }

  // --- the head of the page ------------------------------------------------------------

  header() {
    const { stage } = this;
    const tool = (sign, label, action, more = {}) =>
      button(sign, action, { "aria-label": label, title: label, ...more });
    const touched = (action) => () => {
      this.hasMoved = true;
      action();
    };
    const zoomTools = h(
      "span",
      { class: "group" },
      tool(
        "−",
        "Zoom out",
        touched(() => stage.zoom(1 / 1.4)),
        { "data-tool": "out" },
      ),
      tool(
        "fit",
        "Fit the tree to the screen",
        () => {
          this.hasMoved = false;
          stage.fit();
        },
        { "data-tool": "fit" },
      ),
      tool(
        "+",
        "Zoom in",
        touched(() => stage.zoom(1.4)),
        { "data-tool": "in" },
      ),
    );
    this.depthWords = h("output", { class: "depth", "aria-live": "off" });
    const depthTools = h(
      "span",
      { class: "group" },
      tool("−", "One level less", () => this.setDepth(-1), { "data-tool": "shallower" }),
      this.depthWords,
      tool("+", "One level more", () => this.setDepth(1), { "data-tool": "deeper" }),
      tool(
        "all",
        "Open the whole tree",
        () => {
          stage.foldBelow(Infinity);
          this.hasMoved = false;
          stage.fit();
          this.showDepth();
        },
        { "data-tool": "all" },
      ),
    );
    this.search = h("input", {
      type: "search",
      placeholder: "Search column or class",
      "aria-label": "Search by column, category or class",
      list: "names",
      spellcheck: "false",
      oninput: () => this.find(),
      onkeydown: (event) => {
        if (event.key === "Enter") this.nextMatch(event.shiftKey ? -1 : 1);
        if (event.key === "Escape") {
          this.search.value = "";
          this.find();
          stage.svg.focus();
        }
      },
    });
    this.found = h("output", { class: "found", "aria-live": "polite" });
    const names = [
      ...new Set([
        ...this.tracer.used.map((j) => this.data.columns[j].name),
        ...(this.data.classes || []).map(String),
      ]),
    ];
    const list = h(
      "datalist",
      { id: "names" },
      names.slice(0, 200).map((name) => h("option", { value: name })),
    );
    this.missingTool = button("∅", () => this.toggleMissing(), {
      "aria-pressed": "false",
      "aria-label": "Show where rows without a value go",
      title: "Show where rows without a value go",
      "data-tool": "missing",
    });
    const theme = button("◐", () => this.toggleTheme(), {
      "aria-label": "Light or dark",
      title: "Light or dark",
      "data-tool": "theme",
    });
    const save = button(
      "SVG",
      () =>
        download(
          `${fileName(this.data.title)}.svg`,
          stage.toSVG(this.data.title),
          "image/svg+xml",
        ),
      { "aria-label": "Save as SVG", title: "Save as SVG", "data-tool": "svg" },
    );
    const print = button("print", () => window.print(), {
      "aria-label": "Print",
      title: "Print",
      "data-tool": "print",
    });
    const tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "View" },
      h("span", { class: "group search" }, this.search, this.found, list),
      h("span", { class: "group-label", text: "depth" }),
      depthTools,
      h("span", { class: "group-label", text: "zoom" }),
      zoomTools,
      h(
        "span",
        { class: "group" },
        this.missingTool,
        theme,
        this.isSmall ? null : save,
        this.isSmall ? null : print,
      ),
    );
    return h(
      "header",
      { class: "head" },
      h(
        "div",
        { class: "heading" },
        h("h1", {}, h("bdi", { text: this.data.title })),
        h("p", { class: "subtitle", text: this.data.subtitle }),
      ),
      tools,
    );
  }

  legend() {
    const { classes, slots } = this.data;
    const strip = h("div", { class: "legend" });
    const tree = this.trees[0];
    if (!classes) {
      heatOf(tree, 0);
      const [low, high] = tree.heat;
      const [a, b, c] = RAMP.map((rgb) => `rgb(${rgb.join(",")})`);
      strip.append(
        h("span", { text: short(low, 4) }),
        h("span", { class: "ramp", style: `background:linear-gradient(90deg, ${a}, ${b}, ${c})` }),
        h("span", { text: short(high, 4) }),
      );
    } else {
      const prior = new Map(tree.mixture(0));
      const order = classes.map((_, k) => k).filter((k) => classes.length <= 12 || slots[k] < 11);
      for (const k of order) {
        const chip = button("", () => this.focusClass(chip, slots[k]), {
          class: "key",
          "aria-pressed": "false",
          title: `${classes[k]}: ${percent(prior.get(k) || 0)} of the rows. Press to see this class alone.`,
        });
        chip.append(
          h("i", { class: `swatch s${slots[k]}`, "aria-hidden": "true" }),
          h("bdi", { text: String(classes[k]) }),
          h("span", { class: "muted", text: ` ${percent(prior.get(k) || 0)}` }),
        );
        strip.append(chip);
      }
      if (order.length < classes.length)
        strip.append(
          h(
            "span",
            { class: "key" },
            h("i", { class: "swatch s11", "aria-hidden": "true" }),
            `${count(classes.length - order.length)} more classes`,
          ),
        );
    }
    const isGrown = this.trees.some((one) => !one.isLeaf(0));
    if (isGrown) strip.append(this.data.pair ? pairPruner(this) : this.pruner());
    return strip;
  }

  focusClass(chip, slot) {
    const root = document.documentElement;
    const isOn = chip.getAttribute("aria-pressed") === "true";
    for (const other of document.querySelectorAll(".key[aria-pressed]"))
      other.setAttribute("aria-pressed", "false");
    if (isOn) delete root.dataset.focus;
    else {
      root.dataset.focus = slot;
      chip.setAttribute("aria-pressed", "true");
    }
  }

  // --- pruning -------------------------------------------------------------------------

  // Distinct prices of one tree, ascending, and the leaves that each leaves over.
  steps(t) {
    const prices = [...new Set(this.trees[t].price.filter((price) => price !== null))].sort(
      (a, b) => a - b,
    );
    return [-1, ...prices];
  }

  pruner() {
    const steps = this.steps(0);
    this.prunedWords = h("output", { class: "pruned", for: "prune" });
    const slider = h("input", {
      type: "range",
      id: "prune",
      min: 0,
      max: steps.length - 1,
      value: 0,
      step: 1,
      oninput: () => this.setPrices([steps[Number(slider.value)]]),
    });
    this.slider = slider;
    const made = h(
      "span",
      { class: "pruner" },
      h("label", { for: "prune", text: "Prune" }),
      slider,
      this.prunedWords,
    );
    return made;
  }

  setPrices(prices) {
    const { stage } = this;
    stage.price = [...prices];
    if (stage.selected >= 0 && !this.isThere(stage.selected)) stage.selected = -1;
    stage.relayout();
    if (!this.hasMoved) stage.fit();
    if (this.tracer.row) this.tracer.update();
    this.showPruned();
    this.changed();
  }

  isThere(g) {
    const [tree, i, t] = this.stage.treeOf(g);
    return tree
      .path(i)
      .slice(0, -1)
      .every((above) => !this.stage.isCut(t, above));
  }

  scoreOf(t) {
    const tree = this.trees[t],
      leaves = this.stage.leaves(t);
    const sum = (list) => leaves.reduce((all, i) => all + list[i], 0);
    if (tree.hits) return `accuracy ${((100 * sum(tree.hits)) / tree.dataRows[0]).toFixed(1)} %`;
    if (tree.errors) return `R² ${(1 - sum(tree.errors) / (tree.errors[0] || 1)).toFixed(3)}`;
    return "";
  }

  showPruned() {
    if (!this.prunedWords) return;
    const words = this.trees.map((tree, t) => {
      const score = this.scoreOf(t);
      const name = this.trees.length > 1 ? `${tree.name} ` : "";
      return `${name}${plural(this.stage.leaves(t).length, "leaf", "leaves")}${score ? ` · ${score}` : ""}`;
    });
    this.prunedWords.textContent = words.join(" | ");
    this.prunedWords.title = this.trees[0].pictures ? "on the rows of this page" : "";
  }

  // --- depth, search, missing values, theme --------------------------------------------------------

  setDepth(step) {
    const most = Math.max(...this.trees.map((tree) => tree.maxDepth));
    const now = Math.min(this.stage.openDepth ?? most, most);
    const depth = Math.max(1, Math.min(most, now + step));
    this.stage.foldBelow(depth >= most ? Infinity : depth);
    this.stage.openDepth = depth;
    this.hasMoved = false;
    this.stage.fit();
    this.showDepth();
  }

  showDepth() {
    const most = Math.max(...this.trees.map((tree) => tree.maxDepth));
    const now = Math.min(this.stage.openDepth ?? most, most);
    this.depthWords.textContent = `${now}/${most}`;
  }

  find() {
    const { stage } = this;
    const words = this.search.value.trim().toLowerCase();
    stage.matches = null;
    this.at = -1;
    if (words) {
      const matches = new Set();
      stage.matches = matches;
      this.trees.forEach((tree, t) => {
        for (let i = 0; i < tree.n; i += 1) {
          if (this.matches(tree, i, words)) matches.add(stage.offset[t] + i);
        }
      });
    }
    this.found.textContent = stage.matches ? plural(stage.matches.size, "node") : "";
    stage.draw();
    this.changed();
  }

  matches(tree, i, words) {
    const has = (name) => String(name).toLowerCase().includes(words);
    if (tree.isLeaf(i)) return tree.classes ? has(tree.classes[tree.best[i]]) : false;
    if (isSum(tree, i)) return tree.terms[i].column.some((j) => has(tree.columns[j].name));
    const info = tree.columns[tree.feature[i]];
    if (has(info.name)) return true;
    return (
      tree.kind[i] === CATEGORIES && tree.listed[i].values.some((k) => has(info.categories[k]))
    );
  }

  nextMatch(step) {
    const { stage } = this;
    if (!stage.matches || !stage.matches.size) return;
    const all = [...stage.matches].sort((a, b) => a - b);
    this.at = (this.at + step + all.length) % all.length;
    this.hasMoved = true;
    stage.show(all[this.at]);
    stage.select(all[this.at], true);
    this.found.textContent = `${this.at + 1} of ${plural(all.length, "node")}`;
  }

  toggleMissing() {
    this.stage.showMissing = !this.stage.showMissing;
    this.missingTool.setAttribute("aria-pressed", String(this.stage.showMissing));
    this.stage.draw();
  }

  toggleTheme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    this.stage.draw();
    this.changed();
  }

  key(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      this.search.focus();
    } else if (event.key === "r") this.openTab("row", true);
    else if (event.key === "?") this.openTab("about", true);
  }

  // --- the panel -------------------------------------------------------------------------

  openTab(name, isOpen = false) {
    this.tab = name;
    for (const [key, tab] of Object.entries(this.tabs)) {
      tab.setAttribute("aria-selected", String(key === name));
      tab.tabIndex = key === name ? 0 : -1;
    }
    if (isOpen) this.side.classList.add("is-open");
    const content = {
      node: () =>
        this.stage.selected >= 0 ? nodePanel(this, this.stage.selected) : this.welcome(),
      row: () => this.tracer.panel(),
      rows: () => pairRows(this),
      rules: () => rulesPanel(this),
      about: () => aboutPanel(this),
    }[name]();
    this.fillPanel(content);
    this.changed();
  }

  fillPanel(content) {
    this.panel.replaceChildren(...content.flat(Infinity).filter(Boolean));
    this.panel.scrollTop = 0;
  }

  welcome() {
    const top = this.trees.map((tree, t) => {
      const heavy = this.stage
        .leaves(t)
        .sort((a, b) => tree.weight[b] - tree.weight[a])
        .slice(0, 5);
      return section(
        this.trees.length > 1 ? tree.name : "Heaviest leaves",
        h(
          "ul",
          { class: "rules" },
          heavy.map((i) => {
            const go = button("", () => this.choose(this.stage.offset[t] + i), { class: "link" });
            go.append(
              h("bdi", {
                text:
                  tree
                    .conditions(i)
                    .map((demand) => tree.say(demand, 3))
                    .join(" and ")
                    .slice(0, 300) || "every row",
              }),
            );
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
          }),
        ),
      );
    });
    return [
      h("h2", { text: "Choose a node" }),
      h("p", {
        class: "note",
        text: "Press a node for its numbers, its split and its rule; drag to move, scroll to zoom, press twice to fold.",
      }),
      ...top,
    ];
  }

  choose(g) {
    this.hasMoved = true;
    this.stage.show(g);
    this.stage.select(g);
  }

  toggle(g) {
    this.hasMoved = true;
    this.stage.toggle(g);
    this.openTab("node");
  }

  selected(g) {
    if (g >= 0) this.side.classList.add("is-open");
    if (g >= 0 || this.tab === "node") this.openTab("node");
  }

  // Trace one of the rows on which two trees disagree.
  traceRow(k) {
    const { disagree } = this.data.pair;
    const row = this.tracer.middle();
    disagree.columns.forEach(
      (j, c) => (row[j] = disagree.values[c][k] === null ? NaN : disagree.values[c][k]),
    );
    this.tracer.row = row;
    this.tracer.chosen = this.data.rows.index.indexOf(disagree.index[k]);
    this.tracer.update();
    this.openTab("row", true);
  }

  // --- the hash --------------------------------------------------------------------------

  changed() {
    if (!this.isReady) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.writeHash(), 120);
  }

  writeHash() {
    const { stage, tracer } = this;
    const parts = new URLSearchParams();
    if (stage.selected >= 0) parts.set("node", String(stage.selected));
    if (this.tab !== "node") parts.set("tab", this.tab);
    if (this.hasMoved)
      parts.set(
        "at",
        [
          stage.k.toFixed(2),
          stage.pan.x.toFixed(0),
          stage.pan.y.toFixed(0),
          Number.isFinite(stage.budget) ? stage.budget.toFixed(0) : -1,
        ].join(","),
      );
    const folded = [...stage.folded].sort((a, b) => a - b);
    if (folded.length && folded.length <= 400) parts.set("fold", folded.join("."));
    else if (!folded.length && this.opensFolded) parts.set("fold", "none");
    if (stage.price.some((price) => price >= 0)) parts.set("prune", stage.price.join(","));
    if (this.search.value.trim()) parts.set("find", this.search.value.trim());
    if (tracer.row && tracer.chosen >= 0) parts.set("row", this.data.rows.index[tracer.chosen]);
    else if (tracer.row)
      parts.set(
        "values",
        tracer.used.map((j) => (Number.isNaN(tracer.row[j]) ? "" : tracer.row[j])).join(","),
      );
    if (document.documentElement.dataset.theme)
      parts.set("theme", document.documentElement.dataset.theme);
    const words = parts.toString();
    if (words === this.hash) return;
    this.hash = words;
    try {
      history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
    } catch {
      // A frame without an origin has no address to write to.
    }
  }

  readHash() {
    const { stage, tracer } = this;
    const parts = new URLSearchParams(location.hash.slice(1));
    this.hash = location.hash.slice(1);
    const whole = (text, least, most) => {
      const number = Number(text);
      return text !== null &&
        text !== "" &&
        Number.isInteger(number) &&
        number >= least &&
        number < most
        ? number
        : null;
    };
    const theme = parts.get("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    const fold = parts.get("fold");
    if (fold !== null) {
      const nodes = fold === "none" ? [] : fold.split(".");
      stage.folded = new Set(
        nodes.map((one) => whole(one, 0, stage.n)).filter((one) => one !== null),
      );
      if (!nodes.length) stage.openDepth = undefined;
    }
    const prune = parts.get("prune");
    if (prune !== null) {
      prune
        .split(",")
        .slice(0, this.trees.length)
        .forEach((text, t) => {
          if (text !== "" && Number.isFinite(Number(text))) stage.price[t] = Number(text);
        });
      if (this.slider) {
        const steps = this.steps(0),
          most = Number(this.slider.max);
        this.slider.value = Math.round(
          (Math.max(0, steps.indexOf(stage.price[0])) / Math.max(1, steps.length - 1)) * most,
        );
      }
    }
    stage.relayout();
    stage.fit();
    const place = (parts.get("at") || "").split(",").map(Number);
    if (place.length === 4 && place.every(Number.isFinite) && place[0] > 0) {
      this.hasMoved = true;
      [stage.k, stage.pan.x, stage.pan.y] = place;
      stage.budget = place[3] < 0 ? Infinity : place[3];
      stage.measure();
      stage.keepVisible();
    }
    this.search.value = parts.get("find") || "";
    this.find();
    const node = whole(parts.get("node"), 0, stage.n);
    if (node !== null && this.isThere(node)) {
      stage.reveal(node);
      stage.selected = node;
      stage.draw();
    }
    const { rows } = this.data;
    if (rows && parts.has("row")) {
      const chosen = rows.index.indexOf(Number(parts.get("row")));
      if (chosen >= 0) tracer.choose(chosen);
    } else if (parts.has("values")) {
      const values = String(parts.get("values")).split(",");
      if (values.length === tracer.used.length) {
        tracer.row = tracer.middle();
        tracer.used.forEach((j, k) => {
          const number = values[k] === "" ? NaN : Number(values[k]);
          tracer.row[j] = number;
        });
        tracer.chosen = -1;
        tracer.update();
      }
    }
    const tab = parts.get("tab");
    this.openTab(tab && this.tabs[tab] ? tab : "node", Boolean(tab));
  }

  // --- paper -----------------------------------------------------------------------------

  beforePrint() {
    const { stage } = this;
    this.before = {
      k: stage.k,
      pan: { ...stage.pan },
      size: { ...stage.size },
      budget: stage.budget,
      fitted: stage.fitted,
    };
    stage.size = { width: 1020, height: 620 };
    stage.fit();
    stage.svg.setAttribute("viewBox", `0 0 1020 ${Math.max(620, Math.ceil(stage.bottom + 60))}`);
    stage.draw(true);
  }

  afterPrint() {
    const { stage, before } = this;
    stage.svg.removeAttribute("viewBox");
    Object.assign(stage, before);
    stage.measure();
    stage.draw();
  }

  // --- the beginning ---------------------------------------------------------------------

  start() {
    const { stage } = this;
    stage.resize();
    stage.relayout();
    stage.fit();
    // A tree that would be a smear opens as deep as it can be read.
    const most = Math.max(...this.trees.map((tree) => tree.maxDepth));
    let depth = most;
    if (stage.k < FEWEST) {
      depth = 1;
      for (let next = 2; next < most; next += 1) {
        stage.foldBelow(next);
        if ((stage.size.width - 60) / Math.max(stage.width, 0.5) < FEWEST) break;
        depth = next;
      }
      stage.foldBelow(depth);
      stage.fit();
    }
    stage.openDepth = depth;
    this.opensFolded = depth < most;
    this.readHash();
    this.showDepth();
    this.showPruned();
    this.isReady = true;
    document.documentElement.dataset.ready = "yes";
  }
}

function fileName(title) {
  return title.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "tree";
}

const dataElement = document.getElementById("page-data");
if (dataElement) window.app = new App(JSON.parse(dataElement.textContent));
