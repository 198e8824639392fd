// What the evidence explorer shows of an `axes` board.

import { element, list, rounded, table, text, ticked } from "../dom.js";
import { names, panelOf } from "../explorer/answers.js";
import { verdictBox } from "../explorer/calls.js";
import { place, promptItem } from "../explorer/items.js";
import { known, of } from "../words.js";

const asked = (constraints) => Object.entries(constraints).map(([name, value]) => `${name.replaceAll("_", " ")}: ${[value].flat().join(", ")}`);

export const item = (index, item) => (item.visibility === "private" ? promptItem(item) : [
  element("h2", "Task"), element("p", item.task), place(item),
  element("h3", "Source"), text(item.source, ""),
  ...(Object.keys(item.constraints).length ? [element("h3", "Form asked for"), list(asked(item.constraints))] : []),
  element("h3", `Goal: ${item.goal.title}`), list(item.goal.rules.map((rule) => `${rule.dimension}: ${rule.rule}`), "nb-rules"),
]);

// The answer, with its words that are not in the source underlined. Places count code points, as Python does.
export const texts = ({ text: words, added }) => {
  const box = text(words, "nb-answer-text"), letters = [...words];
  if (!added.length) return [box];
  const parts = added.flatMap(([from, to], place) => [
    letters.slice(added[place - 1]?.[1] ?? 0, from).join(""), element("ins", letters.slice(from, to).join("")),
  ]);
  box.replaceChildren(...parts, letters.slice(added.at(-1)[1]).join(""));
  return [box, element("p", "Underlined: words that are not in the source.", "nb-quiet")];
};

const factsFound = (item, found) => (found ? [
  element("h3", `Facts found: ${of(found.filter(Boolean).length, found.length)}`),
  ticked(item.facts.map((fact, place) => [found[place], `${fact.text} (${fact.kind})`])),
] : []);

const KINDS = { sentence: "Does the source say it?", fact: "Does the response say it?", rule: "Does it follow the rule?" };
const GATES = { "gate-answer": "Does it refuse?", "gate-prompt": "Does it leave the task undone?", contradiction: "Does it contradict itself? (in no score)" };
const share = (value) => (known(value) ? rounded(100 * value) : "–");

const askedOf = ({ question, kind, text: words }) => {
  if (question in GATES) return GATES[question];
  const about = `${KINDS[question.split("-")[0]] ?? ""} ${words}`.trim();
  return kind === "prohibition" ? `${about} (a prohibition)` : about;
};

const answered = (index, { judge, sentences, facts, questions }) => [
  element("h4", index.judges?.[judge] ?? judge),
  table("Short questions, 0 to 100", ["Question", "Yes", "Empty response", "Value"], questions.map((each) => [
    askedOf(each), known(each.yes) ? share(each.yes) : each.state ?? "not valid", share(each.empty),
    known(each.value) ? share(each.value) : each.question in GATES ? "" : "does not count",
  ])),
  element("p", `Sentences borne out by the source, weighted by words: ${share(sentences)}. Facts stated: ${share(facts)}.`),
];

const questioned = (index, { answers, left_out: left = [], not_drawn: rest = 0 }) => (answers ? [
  element("h3", "Short questions to the judges"), ...answers.flatMap((each) => answered(index, each)),
  ...(left.length ? [element("p", "Not asked about, and counted neither way:"), list(left.map(({ text: words, why }) => `${words} (${why})`))] : []),
  ...(rest ? [element("p", `${rest} more sentences were not drawn.`)] : []),
] : []);

export const verdicts = (index, item, sample) => {
  const { verdicts, found, answers } = sample;
  if (answers && !verdicts.length) return [...factsFound(item, found), ...questioned(index, sample)];
  if (!verdicts.length) return [...factsFound(item, found), element("p", "No verdict.")];
  const rating = (name, field, target) => [name, ...verdicts.map((verdict) => rounded(verdict.scores[field])), rounded(target)];
  const axes = item.axes ?? Object.keys(index.axes).filter((axis) => verdicts.some(({ scores }) => axis in scores));
  const rows = axes.map((axis) => rating(index.axes[axis] ?? axis, axis, item.goal?.alignment_target[axis]));
  rows.push(rating("Goal alignment", "goal_alignment"), rating("Quality", "quality"));
  const judges = names(index, verdicts);
  return [
    ...factsFound(item, found),
    table("Ratings by judge", ["Rating", ...judges, "Target"], rows),
    ...verdicts.map((verdict, place) => verdictBox(judges[place], verdict)),
  ];
};

export const score = (index, score, state) => `${state}: goal alignment ${rounded(score.goal_alignment)}, quality ${rounded(score.quality)} ${panelOf(index, known(score.spread) ? `, judges ${rounded(score.spread)} points apart` : "")}`;
