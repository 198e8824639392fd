// What the evidence explorer shows of a `graded` board.

import { element, rounded, table, text } from "../dom.js";
import { names } from "../explorer/answers.js";
import { verdictBox } from "../explorer/calls.js";
import { promptItem } from "../explorer/items.js";
import { known } from "../words.js";

export const item = (index, shown) => promptItem(shown, () => (shown.references ?? []).flatMap((reference, number) => [
  element("h3", shown.references.length > 1 ? `A right answer to turn ${number + 1}` : "A right answer"), text(reference, ""),
]));

export const verdicts = (index, item, { verdicts: turns, hidden }) => {
  if (!turns.length) return [element("p", "No verdict.")];
  return turns.flatMap((given, number) => {
    const judges = names(index, given);
    const title = turns.length > 1 ? `Grades of turn ${number + 1}` : "Grades";
    const rows = [["Grade, 1 to 10", ...given.map((verdict) => rounded(verdict.scores.score))]];
    const boxes = hidden ? [] : given.map((verdict, place) => verdictBox(judges[place], verdict));
    return [element("h3", title), table(title, ["Judge", ...judges], rows), ...boxes];
  });
};

export const score = (index, score, state) => {
  const turns = ["turn_1", "turn_2"].filter((turn) => known(score[turn]));
  const grades = turns.map((turn) => `${turns.length > 1 ? turn.replace("_", " ") : "grade"}: ${rounded(score[turn])} of 10`);
  return known(score.overall) ? [`${state}: overall ${rounded(score.overall)} of 100`, ...grades].join(", ") : state;
};
