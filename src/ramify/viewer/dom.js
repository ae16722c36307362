// SPDX-License-Identifier: BSD-3-Clause
// Elements. Text is only ever set as text, so that names cannot become markup.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function button(label, action, attributes = {}) {
  return h("button", { type: "button", onclick: action, ...attributes }, label);
}

// --- text that fits ------------------------------------------------------------------

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const measuring = /** @type {CanvasRenderingContext2D} */ (
  document.createElement("canvas").getContext("2d")
);
const widths = new Map();

function widthOf(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  let found = widths.get(key);
  if (found === undefined) {
    measuring.font = `${weight} ${size}px ${FONT}`;
    found = measuring.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, found);
  }
  return found;
}

function fitted(text, room, size, weight = 400) {
  const flat = String(text).replace(/\s+/g, " ");
  if (flat.length < 200 && widthOf(flat, size, weight) <= room) return flat;
  const letters = Array.from(flat.slice(0, 400));
  let low = 0,
    high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const fits = widthOf(`${letters.slice(0, middle).join("")}…`, size, weight) <= room;
    if (fits) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${letters.slice(0, low).join("").trimEnd()}…` : "";
}

// --- files and the clipboard -----------------------------------------------------------

function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from disk and frames may not: select it the old way.
    const area = h("textarea", { "aria-hidden": "true", class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(label, what) {
  const made = button(label, async () => {
    await copy(what());
    made.textContent = "Copied";
    made.dataset.copied = what();
    setTimeout(() => (made.textContent = label), 1200);
  });
  return made;
}
