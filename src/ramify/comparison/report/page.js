// Sort a table by the column whose head is pressed; numbers by their full value.
"use strict";

/**
 * @param {HTMLTableRowElement} row
 * @param {number} column
 */
function cellValue(row, column) {
  const cell = row.cells[column];
  const number = cell.dataset.value;
  return number === undefined ? (cell.textContent ?? "").trim() : Number(number);
}

/**
 * @param {string | number} a
 * @param {string | number} b
 */
function compare(a, b) {
  if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}

/** @param {HTMLTableCellElement} head */
function sortBy(head) {
  const table = head.closest("table");
  if (!table || !table.tHead) return;
  const body = table.tBodies[0];
  const first = head.dataset.first || "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const direction = head.getAttribute("aria-sort") === first ? second : first;
  const sign = direction === "ascending" ? 1 : -1;
  const column = head.cellIndex;
  /** @type {[string | number, HTMLTableRowElement][]} */
  const rows = Array.from(body.rows, (row) => [cellValue(row, column), row]);
  rows.sort(([a], [b]) => (Number.isNaN(a) || Number.isNaN(b) ? 1 : sign) * compare(a, b));
  body.append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
}

for (const button of document.querySelectorAll("th button")) {
  const head = button.closest("th");
  if (head) button.addEventListener("click", () => sortBy(head));
}
