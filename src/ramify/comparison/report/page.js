// Sort a table by the column whose head is pressed; numbers by their full value.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  const number = cell.dataset.value;
  return number === undefined ? cell.textContent.trim() : Number(number);
}

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a - b;
}

function sortBy(head) {
  const table = head.closest("table");
  const body = table.tBodies[0];
  const first = head.dataset.first || "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const direction = head.getAttribute("aria-sort") === first ? second : first;
  const sign = direction === "ascending" ? 1 : -1;
  const column = head.cellIndex;
  const rows = Array.from(body.rows, (row) => [valueOf(row, column), row]);
  rows.sort(([a], [b]) => (Number.isNaN(a) || Number.isNaN(b) ? 1 : sign) * compare(a, b));
  body.append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}
