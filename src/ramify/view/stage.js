// SPDX-License-Identifier: BSD-3-Clause
// The stage: one tree, or two side by side, to pan, zoom, fold and walk with the keys.
//
// Zooming changes how much room a node has, not its size: with more room between its
// neighbours a node shows more (dot, sparkline, histogram). A level is as high as the
// tallest of its nodes. What is only a dot is drawn in a few paths for all of them.
"use strict";

const BETWEEN = 1.6; // units between two trees
const WIDEST = 38; // pixels of the flow at the root, on a wide screen
const WORTH = { [DOT]: 0, [SPARK]: 1, [CARD]: 2.4, [LARGE]: 2.5 }; // of a row seen so
const MOST_ZOOM = 320;
const FEWEST = 7; // pixels per unit below which a large tree opens folded

class Stage {
  constructor(trees, options = {}) {
    this.trees = trees;
    this.options = options;
    this.offset = [];
    let n = 0;
    for (const tree of trees) {
      this.offset.push(n);
      n += tree.n;
    }
    this.n = n;
    this.folded = new Set();
    this.price = trees.map(() => -1); // nodes at most this dear are cut
    this.selected = -1;
    this.matches = null;
    this.traced = trees.map(() => null); // { row, passed }
    this.listeners = { select: [], change: [] };
    this.showGaps = false;
    this.k = 100;
    this.pan = { x: 0, y: 0 };
    this.size = { width: 800, height: 600 };
    this.budget = 600; // pixels of height
    this.detail = new Uint8Array(n);
    this.height = new Float32Array(n);
    this.build();
  }

  on(event, action) {
    this.listeners[event].push(action);
  }

  tell(event, ...what) {
    for (const action of this.listeners[event]) action(...what);
  }

  treeOf(g) {
    const t = g >= (this.offset[1] ?? Infinity) ? 1 : 0;
    return [this.trees[t], g - this.offset[t], t];
  }

  // --- which nodes are shown ---------------------------------------------------------

  isCut(t, i) {
    const price = this.trees[t].price[i];
    return price !== null && price <= this.price[t];
  }

  isEnd(g) {
    const [tree, i, t] = this.treeOf(g);
    return tree.isLeaf(i) || this.folded.has(g) || this.isCut(t, i);
  }

  isFolded(g) {
    const [tree, i, t] = this.treeOf(g);
    return !tree.isLeaf(i) && this.folded.has(g) && !this.isCut(t, i);
  }

  // The leaves of a tree as it is pruned now, folded or not.
  leaves(t) {
    const found = [],
      stack = [0];
    while (stack.length) {
      const i = stack.pop();
      if (this.trees[t].isLeaf(i) || this.isCut(t, i)) found.push(i);
      else stack.push(...this.trees[t].children[i]);
    }
    return found;
  }

  setFolded(g, isFolded) {
    const partner = this.options.partnerOf ? this.options.partnerOf(g) : -1;
    for (const one of [g, partner]) {
      if (one < 0) continue;
      const [tree, i] = this.treeOf(one);
      if (tree.isLeaf(i)) continue;
      if (isFolded) this.folded.add(one);
      else this.folded.delete(one);
    }
    this.keepInPlace(g, () => this.relayout());
    this.tell("change");
  }

  toggle(g) {
    const [tree, i, t] = this.treeOf(g);
    if (!tree.isLeaf(i) && !this.isCut(t, i)) this.setFolded(g, !this.folded.has(g));
  }

  foldBelow(depth) {
    this.folded.clear();
    this.trees.forEach((tree, t) => {
      for (let i = 0; i < tree.n; i += 1) {
        if (tree.depth[i] === depth && !tree.isLeaf(i)) this.folded.add(this.offset[t] + i);
      }
    });
    this.openDepth = depth;
    this.relayout();
    this.tell("change");
  }

  reveal(g) {
    const [tree, i, t] = this.treeOf(g);
    let changed = false;
    for (const above of tree.path(i).slice(0, -1)) {
      changed = this.folded.delete(this.offset[t] + above) || changed;
    }
    if (changed) {
      this.relayout();
      this.tell("change");
    }
  }

  // --- places ------------------------------------------------------------------------

  relayout() {
    this.x = new Float64Array(this.n).fill(NaN);
    this.level = new Int32Array(this.n).fill(-1);
    this.levels = [];
    let start = 0;
    this.trees.forEach((tree, t) => {
      const from = this.offset[t];
      const below = (i) => (this.isEnd(from + i) ? [] : tree.children[i]);
      const { x, width, levels } = tidy(tree.n, below);
      levels.forEach((nodes, d) => {
        this.levels[d] = this.levels[d] || [];
        for (const i of nodes) {
          this.x[from + i] = start + x[i];
          this.level[from + i] = d;
          this.levels[d].push(from + i);
        }
      });
      start += width + BETWEEN;
    });
    this.width = start - BETWEEN;
    this.measure();
    this.draw();
  }

  // Choose the detail of every node, and from it the height of every level. Where the
  // levels together are higher than the budget, those show less that lose least by it: few
  // rows in detail for many pixels.
  measure() {
    const levels = this.levels.map((_, d) => this.measureLevel(d, LARGE));
    let high = levels.reduce((sum, level) => sum + level.tall + level.gap, 0);
    while (high > this.budget) {
      let worst = null;
      levels.forEach((level, d) => {
        if (level.detail === DOT) return;
        level.less = level.less || this.measureLevel(d, level.detail - 1);
        const saved = level.tall + level.gap - level.less.tall - level.less.gap;
        const price = (level.worth - level.less.worth) / Math.max(saved, 0.1);
        if (!worst || price < worst.price) worst = { d, price, saved };
      });
      if (!worst) break;
      levels[worst.d] = levels[worst.d].less;
      high -= worst.saved;
    }
    levels.forEach((level, d) => this.measureLevel(d, level.most));
    // What is left over goes between the levels.
    const gaps = levels.reduce((sum, level) => sum + level.gap, 0) || 1;
    const spare = Math.min(this.budget, this.size.height) - high;
    const stretch = Math.min(1.9, Math.max(1, 1 + spare / gaps));
    this.top = [];
    this.foot = []; // where a level ends, and flows may turn
    let y = 0;
    levels.forEach((level, d) => {
      this.top[d] = y;
      this.foot[d] = y + level.tall;
      y += level.tall + level.gap * stretch;
      level.gap *= stretch;
    });
    this.bottom = y - (levels.length ? levels[levels.length - 1].gap : 0);
  }

  // The detail of the nodes of one level: inner nodes first, leaves in what is left.
  measureLevel(d, most) {
    const nodes = this.levels[d],
      { detail, height } = this;
    const gap = (at) =>
      at > 0 && at < nodes.length ? (this.x[nodes[at]] - this.x[nodes[at - 1]]) * this.k : Infinity;
    const isEnd = nodes.map((g) => this.isEnd(g));
    const leafHalf = LEAF[Math.min(most, CARD)] ? LEAF[Math.min(most, CARD)].width / 2 : 4;
    const widest = this.size.width;
    const level = { most, tall: 0, detail: DOT, gap: 16, worth: 0 };
    for (const wantsEnd of [false, true]) {
      nodes.forEach((g, at) => {
        if (isEnd[at] !== wantsEnd) return;
        const side = (to, distance) => {
          if (distance === Infinity) return Infinity;
          if (!isEnd[to])
            return wantsEnd ? 2 * (distance - this.halfOf(nodes[to], false)) - PAD : distance;
          return wantsEnd ? distance : Math.max(distance, 2 * (distance - leafHalf) - PAD);
        };
        const x = this.x[g] * this.k,
          margin = this.edgeRoom();
        const inside = 2 * (Math.min(x, this.width * this.k - x) + margin);
        const room = Math.min(side(at - 1, gap(at)), side(at + 1, gap(at + 1)), widest, inside);
        detail[g] = Math.min(most, detailFor(room, wantsEnd));
        const [tree, i] = this.treeOf(g);
        const foot = this.isFolded(g) && detail[g] > DOT ? 7 : 0;
        height[g] = heightOf(tree, i, detail[g], wantsEnd) + foot;
        level.tall = Math.max(level.tall, height[g]);
        level.detail = Math.max(level.detail, detail[g]);
        const share = tree.weight[i] / tree.weight[0];
        level.worth += WORTH[detail[g]] * (share + 0.1) * (1 + 1 / (d + 1));
      });
    }
    level.gap = { [DOT]: 15, [SPARK]: 26, [CARD]: 36, [LARGE]: 44 }[level.detail];
    return level;
  }

  // The room beyond the outermost nodes: little as long as the tree just fits.
  edgeRoom() {
    if (!this.fitted || this.k > this.fitted.k * 1.001) return Infinity;
    return Math.max(0, (this.size.width - this.width * this.k) / 2 - 4);
  }

  halfOf(g, isEnd) {
    const size = (isEnd ? LEAF : INNER)[this.detail[g]];
    return size ? size.width / 2 : 5;
  }

  place(g) {
    return { x: this.x[g] * this.k, y: this.top[this.level[g]] };
  }

  widthAt(g) {
    if (this.detail[g] === DOT) return 2 * this.dotRadius(g);
    return (this.isEnd(g) ? LEAF : INNER)[this.detail[g]].width;
  }

  // Run a change of the layout, and pan so that a node stays where it is on the screen.
  keepInPlace(g, change) {
    const was = this.level[g] >= 0 ? this.place(g) : null;
    change();
    if (was && this.level[g] >= 0) {
      const now = this.place(g);
      this.pan.x += was.x - now.x;
      this.pan.y += was.y - now.y;
    }
    this.draw();
  }

  fit() {
    const edge = this.levels.length > 1 ? 130 : 0;
    const room = this.size.width - 50,
      units = Math.max(this.width, 0.5);
    this.k = Math.max(0.5, Math.min(230, (room - edge) / units));
    if (this.k < 70) this.k = Math.max(0.5, (room - 20) / units);
    this.fitted = { k: this.k, budget: this.size.height - 44 - this.headRoom() };
    this.budget = this.fitted.budget;
    this.measure();
    this.pan.x = (this.size.width - this.width * this.k) / 2;
    this.pan.y =
      this.headRoom() + Math.max(20, Math.min(110, (this.size.height - this.bottom) / 2));
    this.draw();
    this.tell("change");
  }

  headRoom() {
    return this.trees.length > 1 ? 22 : 0;
  }

  zoom(factor, px = this.size.width / 2, py = this.size.height / 3) {
    const k = Math.min(MOST_ZOOM, Math.max(0.3, this.k * factor));
    if (k === this.k) return;
    // Keep what is under the pointer: the place along x, the level along y.
    const unit = (px - this.pan.x) / this.k;
    const wanted = py - this.pan.y;
    const end = () => this.bottom + 16;
    let d = this.top.length - 1;
    while (d > 0 && this.top[d] > wanted) d -= 1;
    const part = Math.min(1, (wanted - this.top[d]) / ((this.top[d + 1] ?? end()) - this.top[d]));
    this.k = k;
    if (this.fitted) this.budget = this.fitted.budget * Math.max(1, k / this.fitted.k);
    this.measure();
    const now = this.top[d] + part * ((this.top[d + 1] ?? end()) - this.top[d]);
    this.pan = { x: px - unit * k, y: py - now };
    this.draw();
    this.tell("change");
  }

  moveBy(dx, dy) {
    this.pan.x += dx;
    this.pan.y += dy;
    this.keepVisible();
    this.shift();
    this.tell("change");
  }

  keepVisible() {
    const { width, height } = this.size;
    const right = this.width * this.k;
    this.pan.x = Math.min(width - 40, Math.max(40 - right, this.pan.x));
    this.pan.y = Math.min(height - 40, Math.max(40 - this.bottom, this.pan.y));
  }

  // Bring a node into view; near means: and with room to read it.
  show(g, isNear = false) {
    this.reveal(g);
    if (isNear && this.detail[g] < CARD) {
      const nodes = this.levels[this.level[g]],
        at = nodes.indexOf(g);
      const gaps = [nodes[at - 1], nodes[at + 1]]
        .filter((other) => other !== undefined)
        .map((other) => Math.abs(this.x[other] - this.x[g]));
      const gap = Math.min(...gaps, 4);
      const wide = (this.isEnd(g) ? LEAF : INNER)[CARD].width + PAD + 1;
      this.budget = Infinity;
      this.fitted = null;
      this.k = Math.min(MOST_ZOOM, Math.max(this.k, wide / gap));
      this.measure();
      const { x, y } = this.place(g);
      this.pan = { x: this.size.width / 2 - x, y: this.size.height / 2.6 - y };
    }
    const { x, y } = this.place(g);
    const left = x + this.pan.x,
      top = y + this.pan.y;
    const half = this.widthAt(g) / 2 + 12;
    if (left - half < 0) this.pan.x += half - left + 20;
    if (left + half > this.size.width) this.pan.x -= left + half - this.size.width + 20;
    if (top < 10) this.pan.y += 30 - top;
    const low = top + this.height[g];
    if (low > this.size.height - 10) this.pan.y -= low - this.size.height + 40;
    this.draw();
    this.tell("change");
  }

  // --- drawing -----------------------------------------------------------------------

  build() {
    this.layers = {};
    this.root = s("g");
    for (const name of ["ribbons", "flows", "gaps", "dots", "lit", "nodes", "marks"]) {
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
    if (!this.levels) return;
    const { pan, size } = this;
    this.drawn = { ...pan };
    this.root.setAttribute("transform", `translate(${r1(pan.x)} ${r1(pan.y)})`);
    const left = isWhole ? -Infinity : -pan.x - size.width * 0.5 - 120;
    const right = isWhole ? Infinity : -pan.x + size.width * 1.5 + 120;
    const top = isWhole ? -Infinity : -pan.y - size.height * 0.5 - 160;
    const low = isWhole ? Infinity : -pan.y + size.height * 1.5;
    const made = { flows: [], gaps: [], nodes: [], ribbons: [], lit: [], marks: [] };
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
    this.layers.gaps.replaceChildren(...made.gaps);
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

  dotRadius(g) {
    const [tree, i] = this.treeOf(g);
    const most = Math.max(2.2, Math.min(6, this.k / 2.2));
    const share = Math.sqrt(tree.weight[i] / tree.weight[0]);
    const least = this.isEnd(g) ? 1.8 : 1.2;
    return Math.round(Math.max(least, Math.min(most, 1.2 + 9 * share)) * 2) / 2;
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
    if (tree.isLeaf(i) || this.isCut(t, i)) return `Leaf: ${tree.outcome(i)}, ${rows}`;
    const split = tree.say(tree.demands(i)[0], 3);
    const more = this.isFolded(g)
      ? `, folded, ${plural(tree.leavesBelow[i], "leaf", "leaves")} below`
      : "";
    return `${split}, ${rows}${more}`;
  }

  // The flow from a node to its children: as wide as the weight, parted by class.
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
      if (this.detail[g] >= CARD) this.drawGap(g, b, x0 + w / 2, [bottom, foot], cx, end, w, made);
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
  drawGap(g, b, x0, [y, y0], x1, y1, wide, made) {
    const [tree, i] = this.treeOf(g);
    if (tree.kind[i] === HYPERPLANE) return;
    const dotted = (n, css, sign, side) => {
      const shift = side * (wide / 2 + 3);
      const path = s("path", { d: curve(x0 + shift, y, x1 + shift, y1, y0), class: `gap ${css}` });
      const label = n ? `${sign} ${count(n)}` : sign;
      // Halfway, and on the outer side, so that it stays clear of the glyphs.
      const at = { x: (x0 + x1) / 2 + shift + side * 5, y: (y0 + y1) / 2 + 3 };
      const anchor = side < 0 ? "end" : "start";
      made.gaps.push(path, text(at.x, at.y, label, 10, "value gap-label", anchor));
    };
    const side = x1 < x0 ? -1 : 1;
    const gaps = (tree.gaps && tree.gaps[i]) || 0;
    const goes = tree.missing[i] === b || tree.missing[i] < 0;
    if (goes && (gaps || this.showGaps)) dotted(gaps, "missing", "∅", side);
    const fresh = (tree.newCategories && tree.newCategories[i]) || 0;
    const isSet = tree.kind[i] === CATEGORIES && tree.other[i] === b;
    if (isSet && (fresh || this.showGaps)) dotted(fresh, "unseen", "new", -side);
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
    if (this.options.marks) this.options.marks(this, ring);
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

  // The node itself, or the folded one that hides it.
  shownAbove(t, i) {
    let at = i;
    while (at > 0 && this.level[this.offset[t] + at] < 0) at = this.trees[t].parent[at];
    return at;
  }

  drawMap() {
    const { map, size } = this;
    const needed = this.width * this.k > size.width + 4 || this.bottom > size.height - 20;
    map.hidden = !needed || this.options.noMap;
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
        const size = this.isEnd(g) ? 3 : 4;
        pen.fillStyle = colorOf(this.colorName(g));
        pen.fillRect(8 + this.x[g] * this.k * fx - size / 2, y - 1, size, 4);
      }
    });
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.lineWidth = 2.5;
    pen.strokeRect(8 - this.pan.x * fx, 8 - this.pan.y * fy, size.width * fx, size.height * fy);
  }

  // --- pointer -----------------------------------------------------------------------

  nodeAt(px, py) {
    const x = px - this.pan.x,
      y = py - this.pan.y;
    let best = -1,
      least = 12;
    this.levels.forEach((nodes, d) => {
      if (y < this.top[d] - 10 || y > (this.top[d + 1] ?? this.bottom + 60)) return;
      let low = 0,
        high = nodes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.x[nodes[middle]] * this.k < x) low = middle + 1;
        else high = middle;
      }
      for (const g of [nodes[low - 1], nodes[low]]) {
        if (g === undefined) continue;
        const away = Math.abs(this.x[g] * this.k - x) - this.widthAt(g) / 2;
        const under = Math.max(this.top[d] - y, y - this.top[d] - this.height[g], 0);
        const distance = Math.max(away, 0) + under;
        if (distance < least) [best, least] = [g, distance];
      }
    });
    return best;
  }

  bindPointer() {
    const { svg } = this;
    const pointers = new Map();
    let moved = 0,
      spread = 0;
    const local = (event) => {
      const box = svg.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      pointers.set(event.pointerId, local(event));
      moved = 0;
      spread = 0;
      try {
        svg.setPointerCapture(event.pointerId);
      } catch {
        // A pointer made by a script cannot be captured; moving still works.
      }
    });
    svg.addEventListener("pointermove", (event) => {
      const [x, y] = local(event);
      const old = pointers.get(event.pointerId);
      if (!old) {
        this.hover(x, y);
        return;
      }
      pointers.set(event.pointerId, [x, y]);
      if (pointers.size === 2) {
        const [[ax, ay], [bx, by]] = [...pointers.values()];
        const now = Math.hypot(ax - bx, ay - by);
        if (spread) this.zoom(now / spread, (ax + bx) / 2, (ay + by) / 2);
        spread = now;
        moved += 10;
        return;
      }
      moved += Math.abs(x - old[0]) + Math.abs(y - old[1]);
      if (moved > 4) {
        svg.classList.add("dragging");
        this.hideTip();
        this.moveBy(x - old[0], y - old[1]);
      }
    });
    const up = (event) => {
      const was = pointers.delete(event.pointerId);
      svg.classList.remove("dragging");
      if (!was || moved > 4 || event.type === "pointercancel") return;
      const g = this.nodeAt(...local(event));
      if (g < 0) return;
      const [x, y] = local(event);
      if (this.isFolded(g) || this.onFoot(g, x, y)) this.toggle(g);
      this.select(g);
    };
    svg.addEventListener("pointerup", up);
    svg.addEventListener("pointercancel", up);
    svg.addEventListener("pointerleave", () => this.hideTip());
    svg.addEventListener("dblclick", (event) => {
      const g = this.nodeAt(...local(event));
      if (g >= 0) this.toggle(g);
      else this.zoom(1.6, ...local(event));
    });
    svg.addEventListener(
      "wheel",
      (event) => {
        if (this.options.isSmall && !event.ctrlKey) return;
        event.preventDefault();
        const [x, y] = local(event);
        const isPinch = event.ctrlKey;
        if (!isPinch && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
          this.moveBy(-event.deltaX - (event.shiftKey ? event.deltaY : 0), 0);
        } else {
          const lines = event.deltaMode === 1 ? 16 : 1;
          this.zoom(Math.exp(-event.deltaY * lines * (isPinch ? 0.01 : 0.0016)), x, y);
        }
      },
      { passive: false },
    );
    const jump = (event) => {
      const box = this.map.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * this.map.width - 8;
      const y = ((event.clientY - box.top) / box.height) * this.map.height - 8;
      this.pan.x = this.size.width / 2 - x / this.mapScale.fx;
      this.pan.y = this.size.height / 2 - y / this.mapScale.fy;
      this.moveBy(0, 0);
    };
    this.map.addEventListener("pointerdown", (event) => {
      jump(event);
      const move = (later) => jump(later);
      const end = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", end);
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
    });
  }

  // The foot of an inner node, where its flow leaves: a press there folds it.
  onFoot(g, px, py) {
    if (this.isEnd(g) || this.detail[g] < CARD) return false;
    const { x, y } = this.place(g);
    const under = py - this.pan.y - y - this.height[g];
    return under > -2 && under < 14 && Math.abs(px - this.pan.x - x) < 30;
  }

  hover(x, y) {
    const g = this.nodeAt(x, y);
    if (g < 0) {
      this.hideTip();
      return;
    }
    if (this.hovered !== g) {
      this.hovered = g;
      this.tip.replaceChildren(...this.tipLines(g));
    }
    this.tip.hidden = false;
    const room = this.tip.offsetWidth + 20;
    this.tip.style.left = `${x + room > this.size.width ? Math.max(4, x - room + 4) : x + 14}px`;
    this.tip.style.top = `${Math.min(y + 16, this.size.height - this.tip.offsetHeight - 6)}px`;
  }

  hideTip() {
    this.tip.hidden = true;
    this.hovered = -1;
  }

  tipLines(g) {
    const [tree, i, t] = this.treeOf(g);
    const isLeaf = tree.isLeaf(i) || this.isCut(t, i);
    const lines = [isLeaf ? String(tree.outcome(i)) : tree.say(tree.demands(i)[0], 4)];
    const rows = `${plural(tree.rows[i], "row")}, ${percent(tree.weight[i] / tree.weight[0])}`;
    if (tree.classes) {
      const share = tree.mixture(i).find(([k]) => k === tree.best[i]);
      lines.push(`${rows} · ${tree.classes[tree.best[i]]} ${percent(share ? share[1] : 0)}`);
    } else lines.push(`${rows} · mean ${short(tree.value[i], 5)}`);
    if (this.isFolded(g)) lines.push(`${plural(tree.leavesBelow[i], "leaf", "leaves")} folded`);
    return lines.map((line, k) =>
      h(k ? "div" : "strong", { text: line.length > 160 ? `${line.slice(0, 159)}…` : line }),
    );
  }

  // --- keys --------------------------------------------------------------------------

  select(g, isQuiet = false) {
    this.selected = g;
    if (!isQuiet) this.svg.focus({ preventScroll: true });
    this.draw();
    this.tell("select", g);
  }

  bindKeys() {
    this.svg.addEventListener("focus", () => {
      if (this.selected < 0 && this.svg.matches(":focus-visible")) this.select(0, true);
    });
    this.svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const g = Math.max(0, this.selected);
      const [tree, i, t] = this.treeOf(g);
      const from = this.offset[t];
      const nodes = this.levels[Math.max(0, this.level[g])];
      const at = nodes.indexOf(g);
      const go = (to) => {
        if (to === undefined || to < 0) return;
        this.show(to);
        this.select(to, true);
      };
      const keys = {
        ArrowUp: () => go(i > 0 ? from + tree.parent[i] : -1),
        ArrowDown: () => {
          if (tree.isLeaf(i) || this.isCut(t, i)) return;
          if (this.folded.has(g)) this.toggle(g);
          go(from + tree.children[i][0]);
        },
        ArrowLeft: () => go(nodes[at - 1]),
        ArrowRight: () => go(nodes[at + 1]),
        Home: () => go(0),
        End: () => go(from + this.leaves(t).pop()),
        Enter: () => this.toggle(g),
        " ": () => this.toggle(g),
        "+": () => this.zoomOn(g, 1.3),
        "=": () => this.zoomOn(g, 1.3),
        "-": () => this.zoomOn(g, 1 / 1.3),
        0: () => this.fit(),
        z: () => this.show(g, true),
        Escape: () => {
          this.selected = -1;
          this.draw();
          this.tell("select", -1);
        },
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  zoomOn(g, factor) {
    if (this.level[g] < 0) return this.zoom(factor);
    const { x, y } = this.place(g);
    return this.zoom(factor, x + this.pan.x, y + this.pan.y + 1);
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
      .filter((rule) => rule.selectorText && rule.selectorText.startsWith(".stage "))
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
