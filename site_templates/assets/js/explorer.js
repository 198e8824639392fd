// The evidence explorer: the item behind a score, what was answered and what was said of it.

import { loader } from "./data.js";
import { element, fill, known, list, rounded, table, text } from "./dom.js";

const axesItem = (index, item) => [
  element("h2", "Task"), element("p", item.task),
  element("p", `${item.category}, ${item.difficulty}`, "nb-quiet"),
  element("h3", "Source"), text(item.source, ""),
  element("h3", "What is known to be in it"), list(item.facts.map((fact) => `${fact.text} (${fact.kind})`)),
  element("h3", `Goal: ${item.goal.title}`), list(item.goal.rules.map((rule) => `${rule.dimension}: ${rule.rule}`), "nb-rules"),
];

const promptItem = (item, more) => {
  const place = element("p", `${item.category}, ${item.difficulty}`, "nb-quiet");
  const hash = item.hash ? [element("p", item.hash, "nb-quiet nb-digest")] : [];
  if (item.visibility === "private") {
    return [
      element("h2", "Private item"), place,
      element("p", "Its texts are not published, so that no model can be tuned to them. This hash proves later that they were not changed."),
      ...hash,
    ];
  }
  return [element("h2", "Prompt"), text(item.prompt, ""), place, ...more(), ...hash];
};

const rubricItem = (index, item) => promptItem(item, () => [
  element("h3", "Ideal answer"), text(item.ideal, ""),
  element("h3", "Criteria"), list(item.criteria),
  element("h3", "Checks"), list(item.checks.map((check) => index.checks[check] ?? check)),
]);

const oracleItem = (index, item) => promptItem(item, () => {
  const { type, ...key } = item.key;
  const bundle = item.bundle ? [element("p", `A variant of the bundle ${item.bundle}.`, "nb-quiet")] : [];
  return [...bundle, element("h3", `Key: ${index.keys[type] ?? type}`), text(JSON.stringify(key, null, 1), "")];
});

// Texts of an endpoint on one line: what steers a reading direction or shows nothing stands out.
const foreign = (value) => value.replace(/\s+/gu, " ").replace(/\p{C}/gu, "\uFFFD");

const ENDS = {
  length: "Ended at the token limit.", content_filter: "Withheld by a filter.",
  refusal: "Marked as a refusal by the endpoint.", tool_calls: "Called a tool nobody offered.",
};

// What the endpoint told of a call: nothing for programs.
const callNotes = (call) => {
  const told = [];
  if (call.input_tokens !== undefined) {
    const cached = call.cached_input_tokens ? ` (${call.cached_input_tokens} cached)` : "";
    told.push(`${call.input_tokens} tokens in${cached}`);
  }
  if (call.output_tokens !== undefined) told.push(`${call.output_tokens} tokens out`);
  if (call.cost_usd !== undefined) told.push(`$${Number(call.cost_usd.toPrecision(3))}`);
  if (call.served_model) told.push(`answered by ${foreign(call.served_model)}`);
  const notes = [];
  if (call.ended) notes.push(element("p", ENDS[call.ended] ?? `Ended: ${call.ended}`));
  if (call.repaired) notes.push(element("p", `Asked twice; the first reply was invalid: ${foreign(call.repaired)}`, "nb-quiet"));
  if (call.reasoning) {
    const box = element("details", undefined, "nb-details");
    const cut = call.reasoning_length ? `, the first ${call.reasoning.length} of ${call.reasoning_length} characters` : "";
    box.append(element("summary", `What it thought${cut}`), text(call.reasoning, ""));
    notes.push(box);
  }
  if (told.length) notes.push(element("p", told.join(", "), "nb-quiet nb-foreign"));
  return notes;
};

const GATES = { refused_answer: "by the answer alone", refused_prompt: "beside its task" };

const verdictWords = (verdict) => element("p", verdict.error
  ? `Failed after all attempts: ${foreign(verdict.error)}` : verdict.rationale || "No rationale.", "nb-foreign");

const verdictBox = (name, verdict) => {
  const box = element("div", undefined, "nb-verdict");
  box.append(element("p", name, "nb-small-name"), verdictWords(verdict));
  for (const [vote, where] of Object.entries(GATES)) {
    if (verdict.scores[vote] === true) box.append(element("p", `Votes: a refusal ${where}.`));
  }
  for (const [field, reason] of Object.entries(verdict.invalid)) {
    box.append(element("p", `Invalid ${field}: ${reason}`, "nb-quiet"));
  }
  if (verdict.raw) box.append(text(verdict.raw, ""));
  box.append(...callNotes(verdict));
  box.append(element("p", `call ${verdict.key.slice(0, 16)}`, "nb-quiet nb-digest"));
  return box;
};

const names = (index, verdicts) => verdicts.map((verdict) => index.judges[verdict.judge] ?? verdict.judge);

const axesVerdicts = (index, item, { verdicts }) => {
  if (!verdicts.length) return [element("p", "No verdict.")];
  const rows = item.axes.map((axis) => [
    index.axes[axis] ?? axis, ...verdicts.map((verdict) => rounded(verdict.scores[axis])),
  ]);
  rows.push(["Goal alignment", ...verdicts.map((verdict) => rounded(verdict.scores.goal_alignment))]);
  rows.push(["Quality", ...verdicts.map((verdict) => rounded(verdict.scores.quality))]);
  const judges = names(index, verdicts);
  return [
    table("Ratings by judge", ["Rating", ...judges], rows),
    ...verdicts.map((verdict, place) => verdictBox(judges[place], verdict)),
  ];
};

const hundredths = (value) => rounded(known(value) ? 100 * value : value);

const rubricVerdicts = (index, item, { verdicts, geval, checks, hidden }) => {
  const parts = [];
  if (checks?.length) {
    parts.push(element("h3", "Checks"), list(checks.map(({ type, outcome, flags }) => (
      `${index.checks[type] ?? type}: ${outcome}${flags.length ? `. ${flags.join(" ")}` : ""}`
    )), "nb-foreign"));
  }
  const judges = names(index, verdicts);
  parts.push(element("h3", "Marks of the judges"));
  parts.push(verdicts.length
    ? table("Marks by judge", ["Judge", ...judges], [["Mark, 1 to 5", ...verdicts.map((verdict) => rounded(verdict.scores.score))]])
    : element("p", "No verdict."));
  if (!hidden) parts.push(...verdicts.map((verdict, place) => verdictBox(judges[place], verdict)));
  if (!index.geval) return parts;
  const scores = geval.flatMap((verdict) => Object.entries(verdict.scores));
  parts.push(element("h3", `G-Eval by ${index.geval.judge}`));
  parts.push(scores.length
    ? table("G-Eval scores", ["Metric", "0 to 100"], scores.map(([metric, score]) => [index.geval.metrics[metric] ?? metric, hundredths(score)]))
    : element("p", "No score."));
  if (!hidden) {
    parts.push(...geval.map((verdict) => verdictBox(
      Object.keys(verdict.scores).map((metric) => index.geval.metrics[metric] ?? metric).join(", ") || index.geval.judge, verdict,
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

// What each protocol shows of an item, of the score of an answer, and of what was said of it.
const PROTOCOLS = {
  axes: {
    item: axesItem,
    verdicts: axesVerdicts,
    score: (index, score) => `${score.state}: goal alignment ${rounded(score.goal_alignment)}, quality ${rounded(score.quality)} ${panelOf(index, known(score.spread) ? `, judges ${rounded(score.spread)} points apart` : "")}`,
  },
  rubric: {
    item: rubricItem,
    verdicts: rubricVerdicts,
    score: (index, score) => `${score.state}: overall ${rounded(score.overall)}, mean mark ${rounded(score.judge_mean)}${index.geval ? `, G-Eval ${hundredths(score.geval_mean)}` : ""} ${panelOf(index, score.spread ? `, judges differ by ${rounded(score.spread)}` : "")}`,
  },
  oracle: {
    item: oracleItem,
    verdicts: oracleMarks,
    score: (index, score) => `${score.state}, marked by key`,
  },
};

const sampleTitle = (index, number) => (
  number < index.samples ? `Sample ${number + 1}` : "Earlier answer, which counts in no score"
);

const answerTexts = (sample) => [
  sample.error ? element("p", `Failed after all attempts: ${foreign(sample.error)}`, "nb-foreign") : text(sample.text, "nb-answer-text"),
  element("p", `${sample.started_at}, ${(1000 * sample.seconds).toFixed(2)} ms, call ${sample.key.slice(0, 16)}`, "nb-quiet nb-digest"),
  ...callNotes(sample),
];

const showAnswer = (index, item, answer, title) => {
  const box = document.getElementById("nb-answer");
  if (!answer) {
    box.replaceChildren(element("h2", title), element("p", "No answer is recorded for this item."));
    return;
  }
  const parts = [element("h2", title)];
  const protocol = PROTOCOLS[index.protocol];
  if (answer.score) parts.push(element("p", protocol.score(index, answer.score)));
  for (const sample of answer.samples) {
    if (answer.samples.length > 1) parts.push(element("h3", sampleTitle(index, sample.sample)));
    parts.push(...(sample.hidden ? [element("p", `The answer is private too: ${sample.state}.`, "nb-answer-text")] : answerTexts(sample)));
    parts.push(...protocol.verdicts(index, item, sample));
  }
  box.replaceChildren(...parts);
};

export const start = ([explorer]) => {
  explorer.hidden = false;
  const form = explorer.querySelector("form");
  const field = (name) => form.elements.namedItem(name);
  const status = document.getElementById("nb-status");
  const load = loader(explorer.dataset.root);

  const fail = (error) => {
    for (const id of ["nb-item", "nb-answer"]) document.getElementById(id).replaceChildren();
    status.textContent = `The evidence could not be loaded: ${error.message}. Reload the page to try again.`;
  };

  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    const [board, domain, item, model] = ["board", "domain", "item", "model"].map((name) => field(name).value);
    status.textContent = "Loading";
    try {
      const base = `evidence/${board}`;
      const [index, items, answers] = await Promise.all([
        load(`${base}/index.json`), load(`${base}/items/${domain}.json`), load(`${base}/answers/${model}/${domain}.json`),
      ]);
      if (mine !== turn) return;
      document.getElementById("nb-item").replaceChildren(...PROTOCOLS[index.protocol].item(index, items[item]));
      showAnswer(index, items[item], answers[item], field("model").selectedOptions[0].textContent);
      status.textContent = "";
      history.replaceState(null, "", `#${new URLSearchParams({ board, model, domain, item })}`);
    } catch (error) {
      if (mine === turn) fail(error);
    }
  };

  const fillItems = (index, wanted) => {
    const domain = index.domains.find((entry) => entry.id === field("domain").value);
    fill(field("item"), domain.items.map((item) => [item.id, `${item.id} (${item.difficulty})`]), wanted);
  };

  const open = async (wanted) => {
    const boards = field("board");
    if ([...(boards.options ?? [])].some((option) => option.value === wanted.get("board"))) boards.value = wanted.get("board");
    try {
      const index = await load(`evidence/${field("board").value}/index.json`);
      fill(field("domain"), index.domains.map((domain) => [domain.id, domain.title]), wanted.get("domain"));
      fill(field("model"), index.models.map((model) => [model.id, model.title]), wanted.get("model"));
      fillItems(index, wanted.get("item"));
      await show();
    } catch (error) {
      fail(error);
    }
  };

  const restore = () => open(new URLSearchParams(location.hash.slice(1)));

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => (
    ["board", "domain"].includes(target.name) ? open(new URLSearchParams(new FormData(form))) : show()
  ));
  window.addEventListener("hashchange", restore);
  restore();
};
