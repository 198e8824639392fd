// What the evidence explorer shows of a `scores` board.

import { element, rounded } from "../dom.js";
import { place } from "../explorer/items.js";

const line = (words) => element("p", words, "nb-quiet");

// The address is checked when specs are read: it begins with http:// or https://.
const source = (address) => {
  const link = element("a", address);
  link.href = address;
  link.rel = "noopener";
  const paragraph = element("p", "Source: ");
  paragraph.append(link);
  return paragraph;
};

export const item = (index, { title, link, date, cluster, tags, ...shown }) => [
  element("h2", "Item"),
  element("p", title, "nb-foreign"),
  element("p", "Its prompt is not in the data."),
  ...(link ? [source(link)] : []),
  place(shown),
  ...(date ? [line(`Date: ${date}`)] : []),
  ...(cluster ? [line(`Cluster: ${cluster}`)] : []),
  ...(tags?.length ? [line(`Tags: ${tags.join(", ")}`)] : []),
];

export const score = (index, { overall, raw }) => (
  overall === raw ? `score ${rounded(overall)}` : `score ${rounded(overall)} of 100; ${raw} in the table`
);
