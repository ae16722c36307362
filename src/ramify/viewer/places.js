// SPDX-License-Identifier: BSD-3-Clause
// What of one tree, or of two side by side, is shown, where it stands, and in what detail.
//
// Zooming changes how much room a node has, not its size: with more room between its
// neighbours a node shows more (dot, sparkline, histogram). A level is as high as the
// tallest of its nodes.
"use strict";

const BETWEEN = 1.6; // units between two trees
const WIDEST = 38; // pixels of the flow at the root, on a wide screen
const WORTH = { [DOT]: 0, [SPARK]: 1, [CARD]: 2.4, [LARGE]: 2.5 }; // of a row seen so
const MAX_ZOOM = 320;
const FEWEST = 7; // pixels per unit below which a large tree opens folded

class Places {
  /**
   * @param {TreeModel[]} trees one, or two side by side
   * @param {StageOptions} options
   */
  constructor(trees, options = {}) {
    this.trees = trees;
    this.options = options;
    /** @type {number[]} */
    this.offset = [];
    let n = 0;
    for (const tree of trees) {
      this.offset.push(n);
      n += tree.n;
    }
    this.n = n;
    /** @type {Set<number>} */
    this.folded = new Set();
    this.price = trees.map(() => -1); // nodes that cost at most this are cut
    this.selected = -1;
    /** @type {Set<number> | null} */
    this.matches = null;
    /** @type {(Traced | null)[]} */
    this.traced = trees.map(() => null);
    /** @type {Record<string, ((...what: any[]) => void)[]>} */
    this.listeners = { select: [], change: [] };
    this.showMissing = false;
    this.k = 100;
    this.pan = { x: 0, y: 0 };
    this.size = { width: 800, height: 600 };
    this.budget = 600; // pixels of height
    this.detail = new Uint8Array(n);
    this.height = new Float32Array(n);
    this.hovered = -1;
    /** @type {number | undefined} how deep the tree was opened, of `foldBelow` */
    this.openDepth = undefined;
    /** @type {{ k: number, budget: number } | null} */
    this.fitted = null;
    // Set by relayout and measure; the arrays by node have one entry per node of all trees.
    this.x = new Float64Array(n);
    this.level = new Int32Array(n);
    /** @type {number[][]} */
    this.levels = [];
    /** @type {number[]} */
    this.top = [];
    /** @type {number[]} where a level ends, and flows may turn */
    this.foot = [];
    this.width = 0;
    this.bottom = 0;
    this.build();
  }

  // What a drawing adds: its elements, all of it drawn again, and only moved.
  build() {}

  draw(_isWhole = false) {}

  shift() {}

  on(event, action) {
    this.listeners[event].push(action);
  }

  tell(event, ...what) {
    for (const action of this.listeners[event]) action(...what);
  }

  /**
   * @param {number} g
   * @returns {[TreeModel, number, number]} the tree, the node in it, the place of the tree
   */
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
    for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
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
      for (const [d, level] of levels.entries()) {
        if (level.detail === DOT) continue;
        level.less = level.less || this.measureLevel(d, level.detail - 1);
        const saved = level.tall + level.gap - level.less.tall - level.less.gap;
        const price = (level.worth - level.less.worth) / Math.max(saved, 0.1);
        if (!worst || price < worst.price) worst = { d, price, saved, less: level.less };
      }
      if (!worst) break;
      levels[worst.d] = worst.less;
      high -= worst.saved;
    }
    levels.forEach((level, d) => this.measureLevel(d, level.most));
    // What is left over goes between the levels.
    const gaps = levels.reduce((sum, level) => sum + level.gap, 0) || 1;
    const spare = Math.min(this.budget, this.size.height) - high;
    const stretch = Math.min(1.9, Math.max(1, 1 + spare / gaps));
    this.top = [];
    this.foot = [];
    let y = 0;
    levels.forEach((level, d) => {
      this.top[d] = y;
      this.foot[d] = y + level.tall;
      y += level.tall + level.gap * stretch;
      level.gap *= stretch;
    });
    this.bottom = y - (levels.length ? levels[levels.length - 1].gap : 0);
  }

  /**
   * The detail of the nodes of one level: inner nodes first, leaves in what is left.
   * @param {number} d
   * @param {number} most
   * @returns {MeasuredLevel}
   */
  measureLevel(d, most) {
    const nodes = this.levels[d],
      { detail, height } = this;
    const gap = (at) =>
      at > 0 && at < nodes.length ? (this.x[nodes[at]] - this.x[nodes[at - 1]]) * this.k : Infinity;
    const isEnd = nodes.map((g) => this.isEnd(g));
    const leafHalf = LEAF[Math.min(most, CARD)] ? LEAF[Math.min(most, CARD)].width / 2 : 4;
    const widest = this.size.width;
    /** @type {MeasuredLevel} */
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

  dotRadius(g) {
    const [tree, i] = this.treeOf(g);
    const most = Math.max(2.2, Math.min(6, this.k / 2.2));
    const share = Math.sqrt(tree.weight[i] / tree.weight[0]);
    const least = this.isEnd(g) ? 1.8 : 1.2;
    return Math.round(Math.max(least, Math.min(most, 1.2 + 9 * share)) * 2) / 2;
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

  // The node itself, or the folded or pruned one that hides it.
  shownAbove(t, i) {
    let at = i;
    while (at > 0 && this.level[this.offset[t] + at] < 0) at = this.trees[t].parent[at];
    return at;
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
    const k = Math.min(MAX_ZOOM, Math.max(0.3, this.k * factor));
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

  // Bring a node, or the pruned one that hides it, into view; near means: and with room to
  // read it.
  show(node, isNear = false) {
    this.reveal(node);
    const [, i, t] = this.treeOf(node);
    const g = this.offset[t] + this.shownAbove(t, i);
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
      this.k = Math.min(MAX_ZOOM, Math.max(this.k, wide / gap));
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
}
