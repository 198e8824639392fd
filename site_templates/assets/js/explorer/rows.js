// The list of answers: a link each, so that one can be opened beside the list, kept or sent.

import { element } from "../dom.js";
import { number } from "../words.js";

const isolated = (text, className) => {
  const made = element("bdi", text, className);
  made.dir = "auto";
  return made;
};

// What sets an answer apart, in words.
const notes = (hit) => {
  const { apart, checks, difficulties } = hit.board.index;
  return [
    ...(hit.state.id === "scored" ? [] : [hit.state.title]),
    ...(hit.apart ? [`judges ${number(hit.apart, Number.isInteger(hit.apart) ? 0 : 1)} ${apart.unit}${hit.apart === 1 ? "" : "s"} apart`] : []),
    ...hit.failed.map((type) => `${checks[type]} failed`),
    ...(hit.private ? ["private"] : []),
    ...(difficulties.length > 1 ? [hit.difficulty] : []),
  ];
};

// ofOne: all rows are of one contestant, so that its name says nothing.
export const row = (hit, address, ofOne) => {
  const link = element("a", undefined, "nb-hit");
  link.href = address;
  const head = element("span", undefined, "nb-hit-head");
  head.append(
    ofOne ? element("span", hit.item, "nb-hit-item") : isolated(hit.title, "nb-hit-who"),
    element("span", number(hit.score, 1, "–"), "nb-hit-score"),
  );
  link.append(head);
  if (!ofOne) link.append(element("span", hit.item, "nb-hit-item"));
  if (hit.begins) link.append(isolated(hit.begins, "nb-hit-begins"));
  link.append(element("span", notes(hit).join(", "), "nb-hit-notes"));
  const made = element("li");
  made.append(link);
  return made;
};
