// What the evidence explorer shows of a `scores` board.

import { element, rounded } from "../dom.js";
import { place, source } from "../explorer/items.js";

const line = (words) => element("p", words, "nb-quiet");

export const item = (index, { title, link, date, cluster, tags, ...shown }) => [
  element("h2", "Item"),
  element("p", title, "nb-foreign"),
  element("p", "Its prompt is not in this repository."),
  ...(link ?? index.source ? [source(link ?? index.source)] : []),
  place(shown),
  ...(date ? [line(`Date: ${date}`)] : []),
  ...(cluster ? [line(`Cluster: ${cluster}`)] : []),
  ...(tags?.length ? [line(`Tags: ${tags.join(", ")}`)] : []),
];

export const score = (index, { overall, raw }) => (
  overall === raw ? `score ${rounded(overall)}` : `score ${rounded(overall)} of 100; ${raw} in the table`
);
