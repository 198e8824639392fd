// What the HTML says of a board: its columns and its contestants, as numbers to sort and filter by.

// value: where the number that a column is sorted by stands in `data-v`.
const readHeads = (table) => {
  const heads = [...table.tHead.rows[1].cells].map((th, place) => ({
    th, place, key: th.dataset.key, title: th.querySelector("a")?.firstChild.textContent ?? th.textContent,
    group: th.dataset.group, kind: th.dataset.kind, digits: Number(th.dataset.digits), best: th.dataset.best,
    wholeOnly: "whole" in th.dataset,
  }));
  const fixed = { score: 0, interval: 1 };
  for (const head of heads) head.value = head.group ? head.place - 1 : fixed[head.key];
  return heads;
};

const readRow = (tr, place) => {
  const { m, v, t, kind = "model", status = "active", origin = "asked", vendor, weights, size, price } = tr.dataset;
  const name = tr.querySelector(".c-name a");
  return {
    tr, place, id: m, title: name.textContent, name, tie: t, banded: tr.className !== "", part: null, kind, status, origin, vendor, weights,
    size: size === undefined ? null : Number(size), price: price === undefined ? null : Number(price),
    values: v.split(",").map((value) => value === "" ? null : Number(value)),
    cells: [...tr.cells], link: tr.querySelector(".c-score a")?.href,
  };
};

export const readBoard = (box) => {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows].map(readRow);
  const byName = [...rows].sort((a, b) => a.title.localeCompare(b.title));
  for (const [place, row] of byName.entries()) row.byName = place;
  const { board, root, parts, folds } = box.dataset;
  const facts = document.querySelector(".nb-facts");
  return { box, says: document.querySelector(".nb-reading"), facts, wholeFacts: [...facts.children], ofWhole: [...document.querySelectorAll(".nb-of-whole")], table, heads: readHeads(table), rows, id: board, root, folds: folds !== undefined, parts: JSON.parse(parts) };
};

// The numbers that a column of the whole board is sorted by; null where a contestant has none.
export const sortValues = ({ rows }, { key, value }) => rows.map((row) => {
  if (key === "rank") return row.place;
  return key === "name" ? row.byName : row.values[value];
});
