// SPDX-License-Identifier: BSD-3-Clause
// Nodes, flows, missing values, lit paths and marks as SVG, and the map of the whole. What is only a
// dot is drawn in a few paths for all of them.
"use strict";

class Drawing extends Places {
  // --- drawing -----------------------------------------------------------------------

  build() {
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    this.root = s("g");
    for (const name of ["ribbons", "flows", "missing", "dots", "lit", "nodes", "marks"]) {
      this.root.append((this.layers[name] = s("g", { class: name })));
    }
    this.svg = s(
      "svg",
      {
        class: "stage",
        role: "tree",
        tabindex: 0,
        "aria-label": this.options.label || "Decision tree",
      },
      this.root,
    );
    this.tip = h("div", { class: "tip", hidden: true });
    this.map = h("canvas", { class: "minimap", width: 340, height: 200, "aria-hidden": "true" });
    this.element = h("div", { class: "stage-box" }, this.svg, this.map, this.tip);
    this.bindPointer();
    this.bindKeys();
  }

  // What the stage adds.
  bindPointer() {}

  bindKeys() {}

  resize() {
    const box = this.element.getBoundingClientRect();
    this.size = { width: box.width || 800, height: box.height || 600 };
    this.draw();
  }

  shift() {
    this.root.setAttribute("transform", `translate(${r1(this.pan.x)} ${r1(this.pan.y)})`);
    const { drawn, pan, size } = this;
    const far =
      !drawn ||
      Math.abs(pan.x - drawn.x) > size.width * 0.45 ||
      Math.abs(pan.y - drawn.y) > size.height * 0.45;
    if (far) this.draw();
    else this.drawMap();
  }

  // Everything within one and a half screens; all of it for a file or for paper.
  draw(isWhole = false) {
    if (!this.levels.length) return;
    const { pan, size } = this;
    this.drawn = { ...pan };
    this.root.setAttribute("transform", `translate(${r1(pan.x)} ${r1(pan.y)})`);
    const left = isWhole ? -Infinity : -pan.x - size.width * 0.5 - 120;
    const right = isWhole ? Infinity : -pan.x + size.width * 1.5 + 120;
    const top = isWhole ? -Infinity : -pan.y - size.height * 0.5 - 160;
    const low = isWhole ? Infinity : -pan.y + size.height * 1.5;
    /** @type {Record<string, SVGElement[]>} */
    const made = { flows: [], missing: [], nodes: [] };
    const dots = new Map(),
      thin = new Map();
    const collect = (map, key, d) => map.set(key, (map.get(key) || "") + d);
    this.levels.forEach((nodes, d) => {
      if (this.top[d] > low || (this.top[d + 1] ?? this.bottom) + 200 < top) return;
      for (const g of nodes) {
        const x = this.x[g] * this.k,
          y = this.top[d];
        this.drawFlows(g, x, y, left, right, made, (key, path) => collect(thin, key, path));
        if (x < left || x > right) continue;
        if (this.detail[g] === DOT && g !== this.selected)
          this.drawDot(g, x, y, (key, path) => collect(dots, key, path));
        else made.nodes.push(this.nodeElement(g, x, y));
      }
    });
    const paths = (map, css) =>
      [...map].map(([key, path]) => {
        const [name, wide, shade] = key.split("|");
        const color = name.startsWith("rgb") ? { style: `stroke:${name}` } : {};
        const own = name.startsWith("rgb") ? "" : ` ${name}`;
        return s("path", {
          d: path,
          class: `${css}${own}${shade}`,
          "stroke-width": wide,
          ...color,
        });
      });
    this.layers.flows.replaceChildren(...paths(thin, "thin"), ...made.flows);
    this.layers.dots.replaceChildren(...paths(dots, "dot"));
    this.layers.missing.replaceChildren(...made.missing);
    this.layers.nodes.replaceChildren(...made.nodes);
    this.drawLit();
    this.drawMarks();
    this.layers.ribbons.replaceChildren(
      ...(this.options.ribbons ? this.options.ribbons(this) : []),
    );
    this.drawMap();
  }

  shadeOf(g) {
    return this.matches && !this.matches.has(g) ? " dim" : "";
  }

  colorName(g) {
    const [tree, i] = this.treeOf(g);
    return tree.classes ? `k k${tree.slots[tree.best[i]]}` : rampColor(heatOf(tree, i));
  }

  drawDot(g, x, y, collect) {
    const radius = this.dotRadius(g);
    collect(`${this.colorName(g)}|${2 * radius}|${this.shadeOf(g)}`, `M${r1(x)} ${r1(y + 4)}h.01`);
    if (this.isFolded(g)) {
      collect(
        `joint|1.4|${this.shadeOf(g)}`,
        `M${r1(x - 2.5)} ${r1(y + 9)}h5M${r1(x)} ${r1(y + 6.5)}v5`,
      );
    }
  }

  nodeElement(g, x, y) {
    const [tree, i, t] = this.treeOf(g);
    const isEnd = this.isEnd(g),
      detail = Math.max(SPARK, this.detail[g]);
    const traced = this.traced[t];
    const row = traced && traced.passed.has(i) ? traced.row : null;
    const group = s("g", {
      class: `node${this.shadeOf(g)}`,
      transform: `translate(${r1(x)} ${r1(y)})`,
      id: `node-${g}`,
      "data-node": g,
      role: "treeitem",
      "aria-level": tree.depth[i] + 1,
      "aria-expanded": tree.isLeaf(i) ? null : String(!isEnd),
      "aria-selected": String(g === this.selected),
      "aria-label": this.describe(g),
    });
    const isFolded = this.isFolded(g);
    group.append(isEnd ? endGlyph(tree, i, detail, isFolded) : innerGlyph(tree, i, detail, row));
    return group;
  }

  describe(g) {
    const [tree, i, t] = this.treeOf(g);
    const rows = plural(tree.rows[i], "row");
    if (tree.isLeaf(i) || this.isCut(t, i)) return `Leaf: ${tree.says(i)}, ${rows}`;
    const split = tree.say(tree.demands(i)[0], 3);
    const more = this.isFolded(g)
      ? `, folded, ${plural(tree.leavesBelow[i], "leaf", "leaves")} below`
      : "";
    return `${split}, ${rows}${more}`;
  }

  // The flow from a node to its children: as wide as the weight, divided by class.
  drawFlows(g, x, y, left, right, made, collect) {
    if (this.isEnd(g)) return;
    const [tree, i, t] = this.treeOf(g);
    const from = this.offset[t];
    const below = tree.children[i];
    const bottom = y + (this.detail[g] === DOT ? 4 : this.height[g]);
    const next = this.top[this.level[g] + 1],
      foot = this.foot[this.level[g]];
    const total = tree.weight[0];
    const most = Math.min(WIDEST, this.size.width / 18);
    const wide = (node) => Math.min(most * (tree.weight[node] / total), this.k * 2);
    const sum = below.reduce((all, child) => all + wide(child), 0);
    let start = x - sum / 2;
    below.forEach((child, b) => {
      const to = from + child;
      const cx = this.x[to] * this.k;
      const w = wide(child);
      const x0 = start;
      start += w;
      if (Math.max(x, cx) < left || Math.min(x, cx) > right) return;
      const shade = this.shadeOf(to);
      const end = next + (this.detail[to] === DOT ? 4 : 0) - (this.detail[to] > SPARK ? 2 : 0);
      if (w < 3.2) {
        const path = curve(x0 + w / 2, bottom, cx, end, foot);
        const color = this.colorName(to);
        collect(`${color}|${Math.max(0.8, Math.round(w * 2) / 2)}|${shade}`, path);
      } else {
        made.flows.push(...this.ribbon(to, x0, [bottom, foot], cx - w / 2, end, w, shade));
      }
      if (this.detail[g] >= CARD) this.drawMissing(g, b, x0 + w / 2, [bottom, foot], cx, end, w, made);
    });
  }

  ribbon(to, x0, [y, y0], x1, y1, wide, shade) {
    const [tree, i] = this.treeOf(to);
    const middle = (y0 + y1) / 2,
      slope = (x1 - x0) / Math.max(y1 - y0, 1);
    // Where the curve runs across, its width is a height: shift the edges up and down.
    const lean = Math.sign(slope) * Math.min(1.3, Math.abs(slope) * 0.7, (0.55 * (y1 - y0)) / wide);
    const band = (a, b, attributes) => {
      const [over, under] = [a, b].map((at) => r1(middle - lean * (at - wide / 2)));
      const d =
        `M${r1(x0 + a)} ${r1(y)}V${r1(y0)}C${r1(x0 + a)} ${over} ${r1(x1 + a)} ${over} ${r1(x1 + a)} ${r1(y1)}` +
        `H${r1(x1 + b)}C${r1(x1 + b)} ${under} ${r1(x0 + b)} ${under} ${r1(x0 + b)} ${r1(y0)}V${r1(y)}z`;
      return s("path", { d, ...attributes });
    };
    if (!tree.classes) {
      return [
        band(0, wide, { class: `band${shade}`, style: `fill:${rampColor(heatOf(tree, i))}` }),
      ];
    }
    const parts = slotShares(tree, i);
    const total = parts.reduce((sum, [, share]) => sum + share, 0);
    let at = 0;
    return parts.flatMap(([slot, share]) => {
      const from = at;
      at += (share / total) * wide;
      return at - from < 0.3 ? [] : [band(from, at, { class: `band k k${slot}${shade}` })];
    });
  }

  // Rows without a value, and with a category that training did not see: dotted.
  drawMissing(g, b, x0, [y, y0], x1, y1, wide, made) {
    const [tree, i] = this.treeOf(g);
    if (tree.kind[i] === HYPERPLANE) return;
    const dotted = (n, css, sign, side) => {
      const shift = side * (wide / 2 + 3);
      const path = s("path", { d: curve(x0 + shift, y, x1 + shift, y1, y0), class: `aside ${css}` });
      const label = n ? `${sign} ${count(n)}` : sign;
      // Halfway, and on the outer side, so that it stays clear of the glyphs.
      const at = { x: (x0 + x1) / 2 + shift + side * 5, y: (y0 + y1) / 2 + 3 };
      const anchor = side < 0 ? "end" : "start";
      made.missing.push(path, text(at.x, at.y, label, 10, "value aside-label", anchor));
    };
    const side = x1 < x0 ? -1 : 1;
    const missing = (tree.missingRows && tree.missingRows[i]) || 0;
    const goes = tree.missing[i] === b || tree.missing[i] < 0;
    if (goes && (missing || this.showMissing)) dotted(missing, "missing", "∅", side);
    const fresh = (tree.newCategories && tree.newCategories[i]) || 0;
    const isSet = tree.kind[i] === CATEGORIES && tree.other[i] === b;
    if (isSet && (fresh || this.showMissing)) dotted(fresh, "unseen", "new", -side);
  }

  // The path of the chosen node, and of a traced row.
  drawLit() {
    const made = [];
    const lines = (t, nodes, css) => {
      const shown = new Set(nodes);
      for (const i of nodes) {
        const g = this.offset[t] + i;
        const above = this.trees[t].parent[i];
        if (above < 0 || this.level[g] < 0 || !shown.has(above)) continue;
        const from = this.place(this.offset[t] + above),
          to = this.place(g);
        const bottom =
          from.y +
          (this.detail[this.offset[t] + above] === DOT ? 4 : this.height[this.offset[t] + above]);
        const end = to.y + (this.detail[g] === DOT ? 4 : 0);
        made.push(
          s("path", {
            d: curve(from.x, bottom, to.x, end, this.foot[this.level[g] - 1]),
            class: css,
          }),
        );
      }
    };
    if (this.selected >= 0) {
      const [tree, i, t] = this.treeOf(this.selected);
      lines(t, tree.path(i), "lit");
    }
    this.traced.forEach((traced, t) => {
      if (!traced) return;
      lines(t, [...traced.passed], "lit traced");
    });
    this.layers.lit.replaceChildren(...made);
  }

  drawMarks() {
    const made = [];
    const ring = (g, css) => {
      if (this.level[g] < 0) return;
      const { x, y } = this.place(g);
      const isDot = this.detail[g] === DOT && g !== this.selected;
      if (isDot)
        made.push(s("circle", { cx: r1(x), cy: r1(y + 4), r: this.dotRadius(g) + 3, class: css }));
      else {
        const detail = Math.max(SPARK, this.detail[g]);
        const wide = (this.isEnd(g) ? LEAF : INNER)[detail].width + 14;
        const [tree, i] = this.treeOf(g);
        const high = heightOf(tree, i, detail, this.isEnd(g)) + (this.isFolded(g) ? 7 : 0) + 10;
        made.push(
          s("rect", {
            x: r1(x - wide / 2),
            y: r1(y - 6),
            width: r1(wide),
            height: r1(high),
            rx: 7,
            class: css,
          }),
        );
      }
    };
    if (this.trees.length > 1) {
      this.trees.forEach((tree, t) => {
        const { x } = this.place(this.offset[t]);
        const name = fitted(tree.name, Math.max(90, (this.width * this.k) / 2.2), 15, 650);
        made.push(text(x, -12, name, 15, `title name ${t ? "of-b" : "of-a"}`));
      });
    }
    if (this.matches) for (const g of this.matches) ring(g, "ring found");
    this.traced.forEach((traced, t) => {
      if (traced)
        for (const [leaf] of traced.leaves)
          ring(this.offset[t] + this.shownAbove(t, leaf), "ring traced");
    });
    if (this.selected >= 0) ring(this.selected, "ring chosen");
    this.layers.marks.replaceChildren(...made);
    if (this.selected >= 0) this.svg.setAttribute("aria-activedescendant", `node-${this.selected}`);
    else this.svg.removeAttribute("aria-activedescendant");
  }

  drawMap() {
    const { map, size } = this;
    const needed = this.width * this.k > size.width + 4 || this.bottom > size.height - 20;
    map.hidden = !needed;
    if (map.hidden) return;
    const pen = map.getContext("2d");
    const fx = (map.width - 16) / Math.max(this.width * this.k, 1);
    const fy = (map.height - 16) / Math.max(this.bottom, 1);
    this.mapScale = { fx, fy };
    pen.clearRect(0, 0, map.width, map.height);
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue("--muted");
    const colors = this.mapColors || (this.mapColors = new Map());
    if (this.mapTheme !== ink) colors.clear();
    this.mapTheme = ink;
    const colorOf = (name) => {
      if (name.startsWith("rgb")) return name;
      if (!colors.has(name))
        colors.set(name, style.getPropertyValue(`--c${name.split("k").pop()}`) || ink);
      return colors.get(name);
    };
    this.levels.forEach((nodes, d) => {
      const y = 8 + this.top[d] * fy;
      for (const g of nodes) {
        const wide = this.isEnd(g) ? 3 : 4;
        pen.fillStyle = colorOf(this.colorName(g));
        pen.fillRect(8 + this.x[g] * this.k * fx - wide / 2, y - 1, wide, 4);
      }
    });
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.lineWidth = 2.5;
    pen.strokeRect(8 - this.pan.x * fx, 8 - this.pan.y * fy, size.width * fx, size.height * fy);
  }

  // --- as a file -----------------------------------------------------------------------

  // The tree as it is laid out now, whole, as a picture of its own.
  toSVG(title) {
    this.draw(true);
    const copyOf = this.root.cloneNode(true);
    this.draw();
    copyOf.setAttribute("transform", "translate(0 0)");
    const left = -110,
      top = -40;
    const wide = this.width * this.k + 220,
      high = this.bottom + 80;
    const style = getComputedStyle(this.element);
    // Programs that draw SVG know no variables: put in what they stand for.
    const resolve = (words) =>
      words.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    const rules = [...document.styleSheets[0].cssRules]
      .filter((rule) => rule instanceof CSSStyleRule && rule.selectorText.startsWith(".stage "))
      .map((rule) => resolve(rule.cssText.replaceAll(".stage ", "")))
      .join("\n");
    const paper = style.getPropertyValue("--paper").trim();
    const picture = s(
      "svg",
      {
        viewBox: `${r1(left)} ${r1(top)} ${r1(wide)} ${r1(high)}`,
        width: r1(wide),
        height: r1(high),
        "font-family": FONT,
      },
      s("title", { text: title }),
      s("style", { text: rules }),
      s("rect", {
        x: r1(left),
        y: r1(top),
        width: r1(wide),
        height: r1(high),
        style: `fill:${paper}`,
      }),
      copyOf,
    );
    for (const one of picture.querySelectorAll("[id], [role], [data-node]")) {
      for (const name of [
        "id",
        "role",
        "data-node",
        "aria-selected",
        "aria-expanded",
        "aria-level",
      ])
        one.removeAttribute(name);
    }
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}`;
  }
}

// Straight down to a turning point, then across to a place below.
function curve(x0, y0, x1, y1, turn) {
  const middle = r1((turn + y1) / 2);
  return `M${r1(x0)} ${r1(y0)}V${r1(turn)}C${r1(x0)} ${middle} ${r1(x1)} ${middle} ${r1(x1)} ${r1(y1)}`;
}
