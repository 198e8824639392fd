// Elements made of texts. Whatever models and judges say reaches the page as text nodes only.

import { number } from "./words.js";

export const AT_ONCE = 30; // rows of a long table that are shown at first, as the style sheet has it

// content: a text or a node, or several.
export const element = (name, content, className) => {
  const made = document.createElement(name);
  made.append(...[content ?? []].flat());
  if (className) made.className = className;
  return made;
};

export const link = (href, content, className) => Object.assign(element("a", content, className), { href });

export const button = (content, className, press) => {
  const made = Object.assign(element("button", content, className), { type: "button" });
  made.addEventListener("click", press);
  return made;
};

export const fill = (select, entries, wanted) => {
  select.replaceChildren(...entries.map(([value, label]) => new Option(label, value)));
  if (entries.some(([value]) => value === wanted)) select.value = wanted;
};

// A wide table in a box of its own, which keys can scroll.
// bodies: rows of cells, in one group of rows or more.
export const grid = (caption, className, heads, ...bodies) => {
  const made = element("table", element("caption", caption, "nb-sr"), className);
  made.createTHead().insertRow().append(...heads);
  for (const rows of bodies) {
    const body = made.createTBody();
    for (const cells of rows) body.insertRow().append(...cells);
  }
  return Object.assign(element("div", made, "nb-scroll"), { tabIndex: 0, role: "region", ariaLabel: caption });
};

export const head = (content, className = "num") => Object.assign(element("th", content, className), { scope: "col" });
export const rowHead = (content, className) => Object.assign(element("th", content, className), { scope: "row" });
export const value = (content, className = "num") => element("td", content, className);

export const table = (caption, heads, rows) => grid(
  caption, "nb-plain", heads.map((text, place) => head(text, place ? "num" : "")),
  rows.map(([first, ...cells]) => [rowHead(element("bdi", first)), ...cells.map((cell) => value(cell))]),
);

export const text = (value, className) => value.trim()
  ? element("div", value, `nb-text ${className}`)
  : element("div", "The answer is empty.", `nb-text nb-empty ${className}`);

export const list = (lines, className) => element("ul", lines.map((line) => element("li", line)), className);

export const details = (title, content, className = "nb-details") => element("details", [element("summary", title), content].flat(), className);

// Lines, each with whether it holds (null: neither): a tick or a cross stands before it.
export const ticked = (lines) => list(lines.map(([holds, line]) => `${holds === null ? "–" : holds ? "✓" : "✗"} ${line}`), "nb-ticked nb-foreign");

export const rounded = (value) => number(value, 1, "–").replace(/\.0$/u, "");
