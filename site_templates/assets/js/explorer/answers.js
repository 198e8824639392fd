// A contestant's answers to an item, with what was said of each, by protocol.

import { element, known, list, rounded, table, text } from "../dom.js";
import { callLine, callNotes, foreign, verdictBox } from "./calls.js";

const names = (index, verdicts) => verdicts.map((verdict) => index.judges[verdict.judge] ?? verdict.judge);

const axesVerdicts = (index, item, { verdicts }) => {
  if (!verdicts.length) return [element("p", "No verdict.")];
  const rating = (name, field, target) => [name, ...verdicts.map((verdict) => rounded(verdict.scores[field])), rounded(target)];
  const rows = item.axes.map((axis) => rating(index.axes[axis] ?? axis, axis, item.goal.alignment_target[axis]));
  rows.push(rating("Goal alignment", "goal_alignment"), rating("Quality", "quality"));
  const judges = names(index, verdicts);
  return [
    table("Ratings by judge", ["Rating", ...judges, "Target"], rows),
    ...verdicts.map((verdict, place) => verdictBox(judges[place], verdict)),
  ];
};

const hundredths = (value) => rounded(known(value) ? 100 * value : value);

const checksFound = (index, checks) => list(checks.map(({ type, outcome, flags }) => (
  `${index.checks?.[type] ?? type}: ${outcome}${flags.length ? `. ${flags.join(" ")}` : ""}`
)), "nb-foreign");

const rubricVerdicts = (index, item, { verdicts, geval, checks, hidden }) => {
  const parts = [];
  if (checks?.length) parts.push(element("h3", "Checks"), checksFound(index, checks));
  const judges = names(index, verdicts);
  parts.push(element("h3", "Marks of the judges"));
  parts.push(verdicts.length
    ? table("Marks by judge", ["Judge", ...judges], [["Mark, 1 to 5", ...verdicts.map((verdict) => rounded(verdict.scores.score))]])
    : element("p", "No verdict."));
  if (!hidden) parts.push(...verdicts.map((verdict, place) => verdictBox(judges[place], verdict)));
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

const oracleMarks = (index, item, { marks }) => [
  element("h3", "Mark"),
  ...marks.map(({ outcome, why }) => element("p", why ? `${outcome}: ${why}` : outcome, "nb-foreign")),
  ...(marks.length ? [] : [element("p", "None.")]),
];

const panelOf = (index, apart) => `(${index.rule_based ? "rule-based panel" : "panel"}${apart})`;

const PROTOCOLS = {
  axes: {
    verdicts: axesVerdicts,
    score: (index, score, state) => `${state}: goal alignment ${rounded(score.goal_alignment)}, quality ${rounded(score.quality)} ${panelOf(index, known(score.spread) ? `, judges ${rounded(score.spread)} points apart` : "")}`,
  },
  rubric: {
    verdicts: rubricVerdicts,
    score: (index, score, state) => `${state}: overall ${rounded(score.overall)}, mean mark ${rounded(score.judge_mean)}${index.geval ? `, G-Eval ${hundredths(score.geval_mean)}` : ""} ${panelOf(index, score.spread ? `, judges differ by ${rounded(score.spread)}` : "")}`,
  },
  oracle: { verdicts: oracleMarks, score: (index, score, state) => `${state}, marked by key` },
};

const sampleTitle = (index, number) => (
  number < index.samples ? `Sample ${number + 1}` : "Earlier answer, which counts in no score"
);

const answerTexts = (sample) => [
  sample.error ? element("p", `Failed after all attempts: ${foreign(sample.error)}`, "nb-foreign") : text(sample.text, "nb-answer-text"),
  callLine(sample),
  ...callNotes(sample),
];

// The elements that show an answer; `state` is how it ended, in words.
export const answerParts = (index, item, answer, state) => {
  const protocol = PROTOCOLS[index.protocol];
  const parts = [];
  if (answer.score) parts.push(element("p", protocol.score(index, answer.score, state), "nb-says"));
  for (const sample of answer.samples) {
    if (answer.samples.length > 1) parts.push(element("h3", sampleTitle(index, sample.sample)));
    parts.push(...(sample.hidden ? [element("p", `The answer is private too: ${sample.state}.`, "nb-answer-text")] : answerTexts(sample)));
    parts.push(...protocol.verdicts(index, item, sample));
  }
  return parts;
};
