// What the evidence explorer shows of an `oracle` board.

import { element, text, ticked } from "../dom.js";
import { promptItem } from "../explorer/items.js";

export const item = (index, shown) => promptItem(shown, () => {
  const { type, ...key } = shown.key;
  const bundle = shown.bundle ? [element("p", `A variant of the bundle ${shown.bundle}.`, "nb-quiet")] : [];
  const source = shown.source ? [element("h3", "Source"), text(shown.source, "")] : [];
  return [...source, ...bundle, element("h3", `Key: ${index.keys[type] ?? type}`), text(JSON.stringify(key, null, 1), "")];
});

export const verdicts = (index, item, { marks }) => [
  element("h3", "Mark"),
  ticked(marks.map(({ outcome, why }) => [outcome === "correct", why ? `${outcome}: ${why}` : outcome])),
  ...(marks.length ? [] : [element("p", "None.")]),
];

export const score = (index, score, state) => `${state}, marked by key`;
