// What the HTML says of a board: its columns and its contestants, as numbers to sort and filter by.

const FACTS = ["m", "v", "t", "kind", "status", "origin", "vendor", "weights", "size", "price"].map((name) => `data-${name}`);

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

// `dataset` would take most of the time of a thousand rows.
const readRow = (tr, place) => {
  const [m, v, t, kind, status, origin, vendor, weights, size, price] = FACTS.map((name) => tr.getAttribute(name));
  const name = tr.cells[1].querySelector("a");
  return {
    tr, place, id: m, title: name.textContent, name, tie: t, banded: tr.className !== "", part: null, vendor, weights,
    kind: kind ?? "model", status: status ?? "active", origin: origin ?? "asked",
    size: size && Number(size), price: price && Number(price), values: v.split(",").map((value) => value === "" ? null : Number(value)), cells: tr.cells,
  };
};

export const readBoard = (box) => {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows].map(readRow);
  const { board, root, parts, folds } = box.dataset;
  const facts = document.querySelector(".nb-facts");
  return { box, says: document.querySelector(".nb-reading"), facts, wholeFacts: [...facts.children], ofWhole: [...document.querySelectorAll(".nb-of-whole")], table, heads: readHeads(table), rows, id: board, root, folds: folds !== undefined, parts: JSON.parse(parts) };
};

// The place of each row among all, in an order.
export const placesOf = (rows, order) => {
  const places = [];
  for (const [place, row] of [...rows.keys()].sort((a, b) => order(rows[a], rows[b]) || a - b).entries()) places[row] = place;
  return places;
};

// The numbers that a column of the whole board is sorted by; null where a contestant has none.
export const sortValues = ({ rows }, { key, value }) => {
  if (key === "name") return placesOf(rows, (a, b) => a.title.localeCompare(b.title));
  return rows.map((row) => key === "rank" ? row.place : row.values[value]);
};
