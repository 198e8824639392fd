// Elements made of texts. Whatever models and judges say reaches the page as text nodes only.

import { known, number } from "./words.js";

export { known };

export const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

export const fill = (select, entries, wanted) => {
  select.replaceChildren(...entries.map(([value, label]) => {
    const option = element("option", label);
    option.value = value;
    return option;
  }));
  if (entries.some(([value]) => value === wanted)) select.value = wanted;
};

// A wide table in a box of its own, which keys can scroll.
export const scrolling = (made, caption) => {
  const box = element("div", undefined, "nb-scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  box.append(made);
  return box;
};

export const table = (caption, head, rows) => {
  const made = element("table", undefined, "nb-plain");
  made.append(element("caption", caption, "nb-sr"));
  const headRow = made.createTHead().insertRow();
  for (const [place, cell] of head.entries()) {
    const th = element("th", cell, place ? "num" : "");
    th.scope = "col";
    headRow.append(th);
  }
  const body = made.createTBody();
  for (const [first, ...cells] of rows) {
    const row = body.insertRow();
    const th = element("th");
    th.scope = "row";
    th.append(element("bdi", first));
    row.append(th, ...cells.map((cell) => element("td", cell, "num")));
  }
  return scrolling(made, caption);
};

export const text = (value, className) => value.trim()
  ? element("div", value, `nb-text ${className}`)
  : element("div", "The answer is empty.", `nb-text nb-empty ${className}`);

export const list = (lines, className) => {
  const made = element("ul", undefined, className);
  made.append(...lines.map((line) => element("li", line)));
  return made;
};

// Lines, each with whether it holds (null: neither): a tick or a cross stands before it.
export const ticked = (lines) => list(lines.map(([holds, line]) => `${holds === null ? "–" : holds ? "✓" : "✗"} ${line}`), "nb-ticked nb-foreign");

export const rounded = (value) => number(value, 1, "–").replace(/\.0$/u, "");
