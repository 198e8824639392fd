// What the evidence explorer shows of a `rubric` board.

import { element, list, rounded, table, text, ticked } from "../dom.js";
import { names, panelOf } from "../explorer/answers.js";
import { verdictBox } from "../explorer/calls.js";
import { promptItem } from "../explorer/items.js";
import { known } from "../words.js";

export const item = (index, shown) => promptItem(shown, () => [
  element("h3", "Ideal answer"), text(shown.ideal, ""),
  element("h3", "Criteria"), list(shown.criteria),
  ...(shown.checks.length ? [element("h3", "Checks"), list(shown.checks.map((check) => index.checks?.[check] ?? check))] : []),
]);

const hundredths = (value) => rounded(known(value) ? 100 * value : value);

const checksFound = (index, checks) => ticked(checks.map(({ type, outcome, flags }) => [
  outcome === "passed" ? true : outcome === "failed" ? false : null,
  `${index.checks?.[type] ?? type}: ${outcome}${flags.length ? `. ${flags.join(" ")}` : ""}`,
]));

const asked = (item, { question, kind }) => {
  const number = Number(question.replace("criterion-", ""));
  const words = Number.isInteger(number) ? item.criteria?.[number - 1] ?? `Criterion ${number}` : "Does it contradict itself? (in no mark)";
  return kind === "prohibition" ? `${words} (a prohibition)` : words;
};

const shareOf = (value) => (known(value) ? rounded(100 * value) : "–");

const answered = (index, item, { judge, mark, questions }) => [
  element("h4", index.judges?.[judge] ?? judge),
  table("Short questions, 0 to 100", ["Requirement", "Yes", "Empty response", "Value"], questions.map((each) => [
    asked(item, each),
    known(each.yes) ? shareOf(each.yes) : each.state ?? "not valid",
    shareOf(each.empty), known(each.value) ? shareOf(each.value) : "does not count",
  ])),
  element("p", known(mark) ? `Mark ${Math.round(100 * mark) / 100} of 5` : "No mark: an answer is not valid."),
];

export const verdicts = (index, item, { verdicts: marks, geval, checks, hidden, answers }) => {
  const parts = [];
  if (checks?.length) parts.push(element("h3", "Checks"), checksFound(index, checks));
  const judges = names(index, marks);
  if (answers) parts.push(element("h3", "Short questions to the judges"), ...answers.flatMap((each) => answered(index, item, each)));
  if (!answers || marks.length) parts.push(element("h3", "Marks of the judges"));
  if (!answers || marks.length) parts.push(marks.length
    ? table("Marks by judge", ["Judge", ...judges], [["Mark, 1 to 5", ...marks.map((verdict) => rounded(verdict.scores.score))]])
    : element("p", "No verdict."));
  if (!hidden) parts.push(...marks.map((verdict, place) => verdictBox(judges[place], verdict)));
  if (!index.geval) return parts;
  const { judge, metrics } = index.geval;
  const scores = geval.flatMap((verdict) => Object.entries(verdict.scores));
  parts.push(element("h3", `G-Eval by ${judge}`));
  parts.push(scores.length
    ? table("G-Eval scores", ["Metric", "0 to 100"], scores.map(([metric, score]) => [metrics[metric] ?? metric, hundredths(score)]))
    : element("p", "No score."));
  if (!hidden) {
    parts.push(...geval.map((verdict) => verdictBox(
      Object.keys(verdict.scores).map((metric) => metrics[metric] ?? metric).join(", ") || judge, verdict,
    )));
  }
  return parts;
};

export const score = (index, score, state) => `${state}: overall ${rounded(score.overall)}, mean mark ${rounded(score.judge_mean)}${index.geval ? `, G-Eval ${hundredths(score.geval_mean)}` : ""} ${panelOf(index, score.spread ? `, judges differ by ${rounded(score.spread)}` : "")}`;
