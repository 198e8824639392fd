// The table as it is shown now, as text to paste: CSV for programs, Markdown for readers.

import { button, element } from "../dom.js";

// A spreadsheet takes a text that begins with one of these for a formula.
const FORMULA = /^[=+\-@\t\r]/;
const csvText = (text) => {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvCell = (value) => typeof value === "number" ? String(value) : csvText(value ?? "");

const markdown = (text) => text.replace(/\s+/gu, " ").trim().replace(/[\\`*_{}[\]<>()#+!|~&$-]/g, "\\$&");

const words = (node) => node.textContent.replace(/\s+/gu, " ").trim();

// What a column that is shown says of a contestant, without what stands there for screen readers or under the name.
const shown = ({ key, place }, row) => {
  if (key === "name") return row.title;
  return words(key === "rank" ? row.cells[place].firstChild : row.cells[place]);
};

const AS_WORDS = new Set(["rank", "name", "count", "trust"]);

export const csv = (heads, rows, valueOf) => {
  const fields = heads.flatMap((head) => {
    if (head.key === "name") return [["model", (row) => row.id], ["contestant", (row) => row.title]];
    if (head.key === "interval") return [["ci_low", (row) => valueOf("low", row)], ["ci_high", (row) => valueOf("high", row)]];
    if (AS_WORDS.has(head.kind ?? head.key)) return [[head.key, (row) => shown(head, row)]];
    return [[head.key, (row) => valueOf(head.key, row)]];
  });
  return [fields.map(([name]) => csvText(name)), ...rows.map((row) => fields.map(([, value]) => csvCell(value(row))))]
    .map((line) => `${line.join(",")}\r\n`).join("");
};

export const markdownTable = (heads, rows) => {
  const lines = [
    heads.map((head) => markdown(head.title)),
    heads.map((head) => head.key === "name" ? "---" : "---:"),
    ...rows.map((row) => heads.map((head) => markdown(shown(head, row)))),
  ];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
};

const byHand = (box, text) => {
  const area = Object.assign(element("textarea", [], "nb-copied"), { readOnly: true, value: text, ariaLabel: "Text to copy" });
  box.append(area);
  area.select();
};

// texts: what each button copies, as a function. say: tells the reader what came of it.
export const makeCopying = (texts, say) => {
  const box = element("div", undefined, "nb-copying");
  for (const [name, text] of Object.entries(texts)) {
    box.append(button(`Copy ${name}`, "nb-plain-button", async () => {
      box.querySelector("textarea")?.remove();
      const copied = text();
      try {
        await navigator.clipboard.writeText(copied);
        say(`The ${name.replace(/^as /, "")} is copied.`);
      } catch {
        byHand(box, copied);
        say("The browser does not let the page copy. The text stands selected below the table: copy it from there.");
      }
    }));
  }
  return box;
};
