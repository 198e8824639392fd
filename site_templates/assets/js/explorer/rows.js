// The list of answers: a link each, so that one can be opened beside the list, kept or sent.

import { element, link } from "../dom.js";
import { number } from "../words.js";

// What sets an answer apart, in words.
const notes = (hit) => {
  const { apart, checks, difficulties } = hit.board.index;
  return [
    ...(hit.state.id === "scored" ? [] : [hit.ended]),
    ...(hit.apart ? [`judges ${number(hit.apart, Number.isInteger(hit.apart) ? 0 : 1)} ${apart.unit}${hit.apart === 1 ? "" : "s"} apart`] : []),
    ...hit.failed.map((type) => `${checks[type]} failed`),
    ...(hit.private ? ["private"] : []),
    ...(difficulties.length > 1 ? [hit.difficulty] : []),
  ];
};

// ofOne: all rows are of one contestant, so that its name says nothing.
export const row = (hit, address, ofOne) => {
  const item = element("span", hit.item, "nb-hit-item");
  const score = element("span", number(hit.score, 1, "–"), "nb-hit-score");
  return element("li", link(address, [
    element("span", [ofOne ? item : element("bdi", hit.title, "nb-hit-who"), score], "nb-hit-head"),
    ...(ofOne ? [] : [item]),
    ...(hit.begins ? [element("bdi", hit.begins, "nb-hit-begins")] : []),
    element("span", notes(hit).join(", "), "nb-hit-notes"),
  ], "nb-hit"));
};
