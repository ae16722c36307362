// SPDX-License-Identifier: BSD-3-Clause
// A node as a picture, at four levels of detail. The split is shown as data: the classes of
// the rows along the column that is cut, on the same axis at every node of that column.
"use strict";

const DOT = 1,
  SPARK = 2,
  CARD = 3,
  LARGE = 4;
const INNER = {
  [LARGE]: { width: 190, plot: 74, title: 13, line: 17, note: 11 },
  [CARD]: { width: 120, plot: 44, title: 11, line: 14.5, note: 10 },
  [SPARK]: { width: 34, plot: 20, title: 0, line: 0, note: 0 },
};
const LEAF = {
  [LARGE]: { width: 96, radius: 19, title: 12, note: 11 },
  [CARD]: { width: 66, radius: 15, title: 11, note: 10 },
  [SPARK]: { width: 20, radius: 8.5, title: 0, note: 0 },
};
const PAD = 12; // between neighbours

// The most detail that fits into the room between a node's neighbours.
function detailFor(room, isLeaf) {
  const sizes = isLeaf ? LEAF : INNER;
  if (room >= sizes[LARGE].width + PAD) return LARGE;
  if (room >= sizes[CARD].width + PAD) return CARD;
  return room >= sizes[SPARK].width + (isLeaf ? 2 : 6) ? SPARK : DOT;
}

function isSum(tree, i) {
  return tree.kind[i] === HYPERPLANE;
}

function heightOf(tree, i, detail, isEnd) {
  if (detail === DOT) return 8;
  if (isEnd) {
    const size = LEAF[detail];
    return 2 * size.radius + (size.title ? size.title + size.note + 12 : 2);
  }
  const size = INNER[detail];
  if (detail === SPARK) return size.plot + 6;
  return size.line * (isSum(tree, i) ? 2 : 1) + 5 + size.plot + size.note + 10;
}

// --- colours --------------------------------------------------------------------------

const RAMP = [
  [43, 108, 168],
  [201, 196, 184],
  [209, 113, 28],
];

function rampColor(share) {
  const t = Math.min(1, Math.max(0, share)) * 2;
  const [from, to, part] = t < 1 ? [RAMP[0], RAMP[1], t] : [RAMP[1], RAMP[2], t - 1];
  const mixed = from.map((x, k) => Math.round(x + part * (to[k] - x)));
  return `rgb(${mixed.join(",")})`;
}

// Numbers of a node between the least and the greatest leaf.
function heatOf(tree, i) {
  if (!tree.heat) {
    let low = Infinity,
      high = -Infinity;
    tree.value.forEach((x, k) => {
      if (tree.isLeaf(k)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    });
    tree.heat = [low, high > low ? high : low + 1];
  }
  const [low, high] = tree.heat;
  return (tree.value[i] - low) / (high - low);
}

// How a part of a glyph is coloured: by the slot of its class, or by its number.
function paint(tree, i) {
  if (!tree.classes) return { style: `fill:${rampColor(heatOf(tree, i))}` };
  return { class: `k k${tree.slots[tree.best[i]]}` };
}

// Shares by colour, largest class first in the order of slots.
function slotShares(tree, i) {
  const bySlot = new Map();
  for (const [k, share] of tree.mixture(i)) {
    const slot = tree.slots[k];
    bySlot.set(slot, (bySlot.get(slot) || 0) + share);
  }
  return [...bySlot].sort((a, b) => a[0] - b[0]);
}

// --- the pictures of nodes --------------------------------------------------------------

function countsOf(picture, n) {
  if (!picture.dense) {
    picture.dense = new Float64Array(n);
    let at = 0;
    for (const x of picture.counts) {
      if (x < 0) at -= x;
      else picture.dense[at++] = x;
    }
  }
  return picture.dense;
}

function axisOf(tree, i, picture) {
  if (picture && picture.low !== undefined) return [picture.low, picture.high];
  const column = tree.columns[tree.feature[i]];
  return [column.low, column.high];
}

function cutsOf(tree, i) {
  if (tree.kind[i] === INTERVALS) return tree.listed[i].values.filter((x) => x !== null);
  const cut = tree.threshold[i];
  return tree.kind[i] === CATEGORIES || cut === null ? [] : [cut];
}

function box(x, y, width, height) {
  return `M${r1(x)} ${r1(y)}h${r1(width)}v${r1(height)}h${r1(-width)}z`;
}

function r1(x) {
  return Math.round(x * 10) / 10;
}

// Stacked bars: counts[bin * slots + slot], bars at given places.
function bars(counts, slots, places, width, height) {
  const paths = new Array(slots).fill("");
  const n = places.length;
  let most = 0;
  for (let b = 0; b < n; b += 1) {
    let total = 0;
    for (let k = 0; k < slots; k += 1) total += counts[b * slots + k];
    most = Math.max(most, total);
  }
  if (!most) return [];
  for (let b = 0; b < n; b += 1) {
    let y = height;
    for (let k = 0; k < slots; k += 1) {
      const part = (counts[b * slots + k] / most) * height;
      if (part <= 0) continue;
      paths[k] += box(places[b], y - part, width, part);
      y -= part;
    }
  }
  return paths.flatMap((d, k) => (d ? [s("path", { d, class: `k k${k}` })] : []));
}

function coarser(counts, bins, slots, fewer) {
  const found = new Float64Array(fewer * slots);
  for (let b = 0; b < bins; b += 1) {
    const to = Math.floor((b * fewer) / bins);
    for (let k = 0; k < slots; k += 1) found[to * slots + k] += counts[b * slots + k];
  }
  return found;
}

// The plot of a node: a group of the given size, its left top corner at 0, 0.
function plotOf(tree, i, width, height, isTiny) {
  if (hasCurves(tree, i)) return curvePlot(tree, i, width, height, isTiny);
  const picture = tree.pictures && tree.pictures[i];
  const group = s("g", { class: "plot" });
  if (!picture) {
    group.append(...mosaic(tree, i, width, height));
    return group;
  }
  if (picture.codes) group.append(...categoryPlot(tree, picture, width, height));
  else if (picture.points) group.append(...scatter(tree, i, picture, width, height, isTiny));
  else {
    const slots = tree.nSlots;
    let bins = picture.bins,
      counts = countsOf(picture, bins * slots);
    const fewer = Math.max(6, Math.floor(width / 3));
    if (bins > fewer) {
      counts = coarser(counts, bins, slots, fewer);
      bins = fewer;
    }
    const step = width / bins;
    const places = Array.from({ length: bins }, (_, b) => b * step);
    group.append(...bars(counts, slots, places, Math.max(step - (isTiny ? 0 : 0.6), 0.8), height));
  }
  group.append(s("path", { d: `M0 ${height}h${width}`, class: "axis" }));
  return group;
}

function branchGaps(picture, width) {
  const n = picture.codes.length;
  const gap = Math.min(10, width / 10);
  const breaks = picture.branches.filter((b, k) => k && b !== picture.branches[k - 1]).length;
  const step = Math.min((width - gap * breaks) / n, 16);
  let x = (width - step * n - gap * breaks) / 2;
  return picture.codes.map((_, k) => {
    if (k && picture.branches[k] !== picture.branches[k - 1]) x += gap;
    x += step;
    return { x: x - step, step };
  });
}

function categoryPlot(tree, picture, width, height) {
  const places = branchGaps(picture, width);
  if (!places.length) return [];
  const step = places[0].step;
  const thick = Math.max(step - 1, 0.8);
  const marks = [];
  places.forEach(({ x }, k) => {
    if (k && picture.branches[k] !== picture.branches[k - 1]) {
      const last = places[k - 1].x + step;
      marks.push(s("path", { d: `M${r1((x + last) / 2)} 0V${height + 4}`, class: "cut" }));
    }
  });
  if (picture.means) {
    const most = Math.max(...picture.sizes);
    return [
      ...places.map(({ x }, k) => {
        const y = height * (1 - picture.means[k] / 100);
        const radius = 1.5 + 2.5 * Math.sqrt(picture.sizes[k] / most);
        const style = `fill:${rampColor(picture.means[k] / 100)}`;
        return s("circle", { cx: r1(x + step / 2), cy: r1(y), r: r1(radius), style });
      }),
      ...marks,
    ];
  }
  const counts = countsOf(picture, picture.codes.length * tree.nSlots);
  return [
    ...bars(
      counts,
      tree.nSlots,
      places.map(({ x }) => x),
      thick,
      height,
    ),
    ...marks,
  ];
}

function scatter(tree, i, picture, width, height, isTiny) {
  const made = [];
  let d = "";
  for (let k = 0; k < picture.points.length; k += 2) {
    const x = (picture.points[k] / 100) * width;
    const y = height * (1 - picture.points[k + 1] / 100);
    d += `M${r1(x)} ${r1(y)}h.01`;
  }
  made.push(s("path", { d, class: isTiny ? "points tiny" : "points" }));
  const [low, high] = axisOf(tree, i, picture);
  const cuts = cutsOf(tree, i).map((cut) => ((cut - low) / (high - low)) * width);
  const edges = [0, ...cuts, width].map((x) => Math.min(width, Math.max(0, x)));
  const [from, to] = tree.span;
  tree.children[i].forEach((child, b) => {
    if (b + 1 >= edges.length) return;
    const share = Math.min(1, Math.max(0, (tree.value[child] - from) / (to - from)));
    const y = r1(height * (1 - share));
    made.push(s("path", { d: `M${r1(edges[b])} ${y}H${r1(edges[b + 1])}`, class: "mean" }));
  });
  return made;
}

// Without rows: the children side by side, as wide as they are heavy, divided by class.
function mosaic(tree, i, width, height) {
  const below = tree.children[i];
  const gap = Math.min(4, width / 12);
  const room = width - gap * (below.length - 1);
  const total = below.reduce((sum, child) => sum + tree.weight[child], 0) || 1;
  const made = [];
  let x = 0;
  for (const child of below) {
    const wide = Math.max(0.8, (tree.weight[child] / total) * room);
    if (!tree.classes) {
      const tall = Math.max(
        1,
        height * (0.08 + 0.92 * Math.min(1, Math.max(0, heatOf(tree, child)))),
      );
      const style = `fill:${rampColor(heatOf(tree, child))}`;
      made.push(s("path", { d: box(x, height - tall, wide, tall), style }));
    } else {
      let y = height;
      for (const [slot, share] of slotShares(tree, child)) {
        made.push(
          s("path", { d: box(x, y - share * height, wide, share * height), class: `k k${slot}` }),
        );
        y -= share * height;
      }
    }
    x += wide + gap;
  }
  made.push(s("path", { d: `M0 ${height}h${width}`, class: "axis" }));
  return made;
}

// --- whole nodes ------------------------------------------------------------------------

function wedge(x, y, size, css) {
  return s("path", { d: `M${r1(x)} ${r1(y)}l${size} ${r1(size * 1.5)}h${-2 * size}z`, class: css });
}

function text(x, y, words, size, css, anchor = "middle") {
  return s("text", {
    x: r1(x),
    y: r1(y),
    "font-size": size,
    class: css,
    "text-anchor": anchor,
    text: words,
  });
}

// An inner node, centred at x = 0, its top at y = 0.
function innerGlyph(tree, i, detail, row) {
  const size = INNER[detail];
  const group = s("g", { class: "inner" });
  const left = -size.width / 2;
  let y = 0;
  if (size.title) {
    const room = size.width;
    const lines = isSum(tree, i) ? sumLines(tree, i, room, size.title) : [titleOf(tree, i)];
    for (const line of lines) {
      const shown = fitted(line, room, size.title, 600);
      group.append(text(0, y + size.title, shown, size.title, "title"));
      y += size.line;
    }
    y += 5;
  } else y += 1;
  const plot = plotOf(tree, i, size.width, size.plot, detail === SPARK);
  plot.setAttribute("transform", `translate(${left} ${r1(y)})`);
  group.append(plot);
  group.append(...cutMarks(tree, i, size, left, y + size.plot, row));
  return group;
}

function titleOf(tree, i) {
  return tree.columns[tree.feature[i]].name;
}

function sumLines(tree, i, room, size) {
  const parts = tree.termsText(i, 2, size > 12 ? 3 : 2);
  if (parts.length < 2) return ["", parts[0]];
  const rest = tree.terms[i].column.length - 2;
  const more = rest > 0 ? ` +${rest}` : "";
  return [parts[0], fitted(parts[1], room - widthOf(more, size, 600), size, 600) + more];
}

// The cut under the axis, its value, and where a traced row lies.
function cutMarks(tree, i, size, left, base, row) {
  if (hasCurves(tree, i))
    return size.note ? curveNotes(tree, i, size, left, base + size.note + 7) : [];
  const made = [];
  const picture = tree.pictures && tree.pictures[i];
  const small = size.title ? 4 : 2.5;
  const clamp = (x) => Math.min(size.width, Math.max(0, x));
  let marks = [];
  if (picture && !picture.codes) {
    const [low, high] = axisOf(tree, i, picture);
    const place = (x) => left + clamp(((x - low) / (high - low)) * size.width);
    marks = cutsOf(tree, i).map((cut) => [place(cut), cut]);
    for (const [x] of marks) {
      made.push(s("path", { d: `M${r1(x)} ${r1(base)}v${-size.plot}`, class: "cut" }));
      made.push(wedge(x, base + 0.5, small, "wedge"));
    }
    if (row) {
      const value = isSum(tree, i) ? tree.sum(i, row) : row[tree.feature[i]];
      if (!Number.isNaN(value)) made.push(wedge(place(value), base + 0.5, small + 1, "wedge row"));
    }
  } else if (!picture && tree.kind[i] !== CATEGORIES) {
    const below = tree.children[i];
    const total = below.reduce((sum, child) => sum + tree.weight[child], 0) || 1;
    let x = left;
    cutsOf(tree, i).forEach((cut, b) => {
      x += (tree.weight[below[b]] / total) * size.width;
      marks.push([x, cut]);
      made.push(wedge(x, base + 0.5, small, "wedge"));
    });
  } else if (picture && row) {
    const at = picture.codes.indexOf(row[tree.feature[i]]);
    const place = at >= 0 ? branchGaps(picture, size.width)[at] : null;
    if (place)
      made.push(wedge(left + place.x + place.step / 2, base + 0.5, small + 1, "wedge row"));
  }
  if (!size.note) return made;
  const y = base + size.note + 7;
  if (marks.length) {
    const column = tree.feature[i];
    const isColumn = tree.columns[column] !== undefined && !tree.terms?.[i];
    const wordsOf = (cut) => (isColumn ? tree.boundText(column, cut) : short(cut, 4));
    const shown = marks.slice(0, 3).map(([x, cut]) => [x, wordsOf(cut)]);
    shown.forEach(([x, words], k) => {
      const wide = widthOf(words, size.note) / 2;
      const at = Math.min(left + size.width - wide, Math.max(left + wide, x));
      const before = k ? shown[k - 1][0] + widthOf(shown[k - 1][1], size.note) / 2 + 4 : -Infinity;
      if (at - wide > before) made.push(text(at, y, words, size.note, "value"));
    });
    return made;
  }
  return [...made, ...setNotes(tree, i, size, left, y)];
}

// What goes left and right at a node of categories, under its bars.
function setNotes(tree, i, size, left, y) {
  const demands = tree.demands(i);
  if (demands.length > 2 || !demands[0].codes) {
    const words = demands.length > 2 ? `${demands.length} branches` : "known | missing";
    return [text(0, y, fitted(words, size.width, size.note), size.note, "value")];
  }
  const names = tree.columns[tree.feature[i]].categories;
  const half = size.width / 2 - 6;
  const sides = demands.map((demand) => {
    const own = demand.excluded ? null : demand.codes;
    return own
      ? listing(
          own.map((k) => names[k]),
          half,
          size.note,
        )
      : null;
  });
  const other = (k) => sides[k] ?? "other";
  return [
    text(left, y, other(0), size.note, "value", "start"),
    text(left + size.width, y, other(1), size.note, "value", "end"),
  ];
}

// As many names as fit, and how many more there are.
function listing(names, room, size) {
  let shown = "";
  for (let k = 0; k < names.length; k += 1) {
    const longer = shown ? `${shown}, ${names[k]}` : String(names[k]);
    const rest = names.length - k - 1;
    const more = rest ? ` +${rest}` : "";
    if (widthOf(longer.slice(0, 200) + more, size) > room) {
      const left = names.length - k;
      if (shown) return `${shown} +${left}`;
      const tail = left > 1 ? ` +${left - 1}` : "";
      return fitted(names[k], room - widthOf(tail, size), size) + tail;
    }
    shown = longer;
  }
  return shown;
}

// A leaf, or a branch that is folded: its classes as a pie, as large as it is heavy.
function endGlyph(tree, i, detail, isFolded) {
  const size = LEAF[detail];
  const group = s("g", { class: isFolded ? "end folded" : "end" });
  const share = Math.sqrt(tree.weight[i] / tree.weight[0]);
  const radius = Math.max(
    size.radius * 0.42,
    Math.min(size.radius, size.radius * (0.4 + 1.1 * share)),
  );
  const cy = size.radius + 1;
  const curve = curveOf(tree, i);
  if (curve && size.title) group.append(curveEnd(tree, i, size));
  else group.append(...pie(tree, i, radius, cy));
  if (isFolded) {
    const y = cy + (curve && size.title ? size.radius : radius) + 2;
    group.append(s("path", { d: `M0 ${r1(y)}l4.5 6h-9z`, class: "fold" }));
  }
  if (!size.title) return group;
  const y = 2 * size.radius + size.title + 3 + (isFolded ? 6 : 0);
  const said = curve ? medianWords(curve) : String(tree.outcome(i));
  const name = isFolded ? `+${count(tree.leavesBelow[i])} leaves` : said;
  group.append(text(0, y, fitted(name, size.width, size.title, 600), size.title, "title"));
  const rows = curve ? eventWords(curve) : `${count(tree.weight[i])}`;
  group.append(text(0, y + size.note + 3, fitted(rows, size.width, size.note), size.note, "value"));
  return group;
}

function pie(tree, i, radius, cy) {
  const circle = (attributes) => s("circle", { cx: 0, cy: r1(cy), r: r1(radius), ...attributes });
  if (!tree.classes) return [circle(paint(tree, i))];
  const parts = slotShares(tree, i);
  const total = parts.reduce((sum, [, share]) => sum + share, 0);
  if (parts.length === 1 || parts.some(([, share]) => share / total > 0.995)) {
    return [circle(paint(tree, i))];
  }
  const point = (angle) => `${r1(radius * Math.sin(angle))} ${r1(cy - radius * Math.cos(angle))}`;
  let angle = 0;
  return parts.map(([slot, share]) => {
    const end = angle + (share / total) * 2 * Math.PI;
    const big = end - angle > Math.PI ? 1 : 0;
    const d = `M0 ${r1(cy)}L${point(angle)}A${r1(radius)} ${r1(radius)} 0 ${big} 1 ${point(end)}z`;
    angle = end;
    return s("path", { d, class: `k k${slot}` });
  });
}
