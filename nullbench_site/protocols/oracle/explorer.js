// What the evidence explorer shows of an `oracle` board.

import { element, text, ticked } from "../dom.js";
import { promptItem } from "../explorer/items.js";

const inWords = (value) => typeof value === "boolean" ? (value ? "yes" : "no")
  : Array.isArray(value) ? value.map(inWords).join("; ")
    : typeof value === "object" ? JSON.stringify(value, null, 1) : `${value}`;

// The fields of a key, a line each; its options by letter.
const lines = (key) => Object.entries(key).map(([name, value]) => {
  const said = name === "options" ? Object.entries(value).map(([letter, option]) => `${letter} ${option}`) : value;
  return `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}: ${inWords(said)}`;
}).join("\n");

export const item = (index, shown) => promptItem(shown, () => {
  const { type, ...key } = shown.key;
  const bundle = shown.bundle ? [element("p", `A variant of the bundle ${shown.bundle}.`, "nb-quiet")] : [];
  const source = shown.source ? [element("h3", "Source"), text(shown.source, "")] : [];
  return [...source, ...bundle, element("h3", `Key: ${index.keys[type] ?? type}`), text(lines(key), "")];
});

export const verdicts = (index, item, { marks }) => [
  element("h3", "Mark"),
  ticked(marks.map(({ outcome, why, cause }) => {
    const mark = cause ? `${outcome} (${cause})` : outcome;
    return [outcome === "correct", why ? `${mark}: ${why}` : mark];
  })),
  ...(marks.length ? [] : [element("p", "None.")]),
];

export const score = (index, score, state) => `${state}, marked by key`;
