// SPDX-License-Identifier: BSD-3-Clause
// The stage: places that are drawn, to pan, zoom, fold and walk with pointer and keys.
"use strict";

class Stage extends Drawing {
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
    const lines = [isLeaf ? tree.says(i) : tree.say(tree.demands(i)[0], 4)];
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
        End: () => go(from + (this.leaves(t).pop() ?? 0)),
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
}
