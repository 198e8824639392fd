// A contestant's answers to an item, with what was said of each.

import { element, rounded, table, text } from "../dom.js";
import { known } from "../words.js";
import { callLine, callNotes, foreign, verdictBox } from "./calls.js";
import { promptItem } from "./items.js";

export const names = (index, verdicts) => verdicts.map((verdict) => index.judges[verdict.judge] ?? verdict.judge);

export const panelOf = (index, apart) => `(${index.rule_based ? "rule-based panel" : "panel"}${apart})`;

// What is shown on a board whose protocol has no script of its own.
const usualVerdicts = (index, item, { verdicts, hidden }) => {
  if (!verdicts?.length) return [element("p", "No verdict.")];
  const judges = names(index, verdicts);
  const fields = [...new Set(verdicts.flatMap((verdict) => Object.keys(verdict.scores)))];
  const rows = fields.map((field) => [field.replaceAll("_", " "), ...verdicts.map((verdict) => rounded(verdict.scores[field]))]);
  const boxes = hidden ? [] : verdicts.map((verdict, number) => verdictBox(judges[number], verdict));
  return [table("Verdicts by judge", ["Verdict", ...judges], rows), ...boxes];
};

// The words of an answer. length, digest: of those that are not in the data, where they are known.
export const answerText = ({ text: words, length, digest }, className = "nb-answer-text") => words === undefined
  ? element("p", `The text is not in the data${length === undefined ? "" : `; its length was recorded as ${length}`}${digest ? `, its hash as ${digest}` : ""}.`, "nb-quiet")
  : text(words, className);

const USUAL = {
  item: (index, item) => promptItem(item, undefined, index.source),
  verdicts: usualVerdicts,
  opponents: () => [],
  texts: (sample) => [answerText(sample)],
  score: (index, score, state) => `${state}${known(score.score) ? `: ${rounded(score.score)}` : ""}`,
};

// What a protocol shows: `item`, `texts` and `verdicts` of a sample and `score` in words, and the contestants whose
// answers stand beside one (`opponents`), which its own script exports. own: the protocols that have one.
export const shownBy = async (protocol, own) => (
  own.includes(protocol) ? { ...USUAL, ...await import(`../protocols/${protocol}.js`) } : USUAL
);

const sampleTitle = (index, { sample, template }) => {
  if (sample >= index.samples) return "Earlier answer, which counts in no score";
  const wording = template === undefined ? [] : [`Wording ${template}`];
  const number = template === undefined || index.samples > 1 ? [`Sample ${sample + 1}`] : [];
  return [...wording, ...number].join(", ");
};

const answerTexts = (protocol, sample, others) => [
  ...(sample.error ? [element("p", `Failed after all attempts: ${foreign(sample.error)}`, "nb-foreign")] : protocol.texts(sample, others)),
  callLine(sample),
  ...callNotes(sample),
];

// A conversation, turn by turn: what was asked, and what was answered; one turn is the answer alone.
const turnParts = (protocol, { turns }, sample, others, level) => {
  const said = [...(sample.before ?? []), sample];
  if (!turns) return answerTexts(protocol, sample, others);
  const parts = said.flatMap((answer, number) => [
    element(level, `Turn ${number + 1}`), text(turns[number], "nb-asked"), ...answerTexts(protocol, answer, answer === sample ? others : {}),
  ]);
  const left = turns.slice(said.length).map((_, number) => said.length + number + 1);
  const why = sample.error ? `turn ${said.length} failed` : "not yet";
  return [...parts, ...left.map((turn) => element("p", `Turn ${turn} was not asked: ${why}.`, "nb-quiet"))];
};

// The elements that show an answer; `state` is how it ended, in words. others: the answers that stand beside it.
export const answerParts = (protocol, index, item, answer, state, others) => {
  const parts = [];
  if (answer.score) parts.push(element("p", protocol.score(index, answer.score, state), "nb-says"));
  if (answer.sum) parts.push(element("p", answer.sum, "nb-quiet nb-sum"));
  for (const sample of answer.samples) {
    if (answer.samples.length > 1) parts.push(element("h3", sampleTitle(index, sample)));
    parts.push(...(sample.hidden ? [element("p", `The answer is private too: ${sample.state}.`, "nb-answer-text")] : turnParts(protocol, item, sample, others, answer.samples.length > 1 ? "h4" : "h3")));
    parts.push(...protocol.verdicts(index, item, sample, others));
  }
  return parts;
};
