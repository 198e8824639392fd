// What is told of a call to a contestant or a judge.

import { details, element, text } from "../dom.js";
import { ABSENT, dollars, milliseconds, percent } from "../words.js";

// Texts of an endpoint on one line: what steers a reading direction or shows nothing stands out.
export const foreign = (value) => value.replace(/\s+/gu, " ").replace(/\p{C}/gu, "\uFFFD");

const ENDS = {
  length: "Ended at the token limit.", content_filter: "Withheld by a filter.",
  refusal: "Marked as a refusal by the endpoint.", tool_calls: "Called a tool nobody offered.",
};

// What the endpoint told of a call: nothing for programs.
export const callNotes = (call) => {
  const told = [];
  if (call.input_tokens !== undefined) {
    const cached = call.cached_input_tokens ? ` (${call.cached_input_tokens} cached)` : "";
    told.push(`${call.input_tokens} tokens in${cached}`);
  }
  if (call.output_tokens !== undefined) told.push(`${call.output_tokens} tokens out`);
  if (call.cost_usd !== undefined) told.push(dollars(call.cost_usd));
  if (call.confidence !== undefined) told.push(`confidence by token probabilities ${percent(call.confidence)}`);
  if (call.stated_confidence !== undefined) told.push(`states a confidence of ${percent(call.stated_confidence)}`);
  if (call.served_model) told.push(`answered by ${foreign(call.served_model)}`);
  const notes = [];
  if (call.ended) notes.push(element("p", ENDS[call.ended] ?? `Ended: ${call.ended}`));
  if (call.finish_reason) {
    notes.push(element("p", `Ended for a reason that is not known here, and counted as finished: ${foreign(call.finish_reason)}`, "nb-quiet nb-foreign"));
  }
  if (call.repaired) notes.push(element("p", `Asked twice; the first reply was invalid: ${foreign(call.repaired)}`, "nb-quiet"));
  if (call.reasoning) {
    const cut = call.reasoning_length ? `, the first ${call.reasoning.length} of ${call.reasoning_length} characters` : "";
    notes.push(details(`What it thought${cut}`, text(call.reasoning, "")));
  }
  if (told.length) notes.push(element("p", told.join(", "), "nb-quiet nb-foreign"));
  return notes;
};

// When it was made, how long it took, and by which key its record is found.
export const callLine = (call) => {
  const started = call.started_at ? `${call.started_at}, ` : "";
  const took = call.seconds == null ? `time ${ABSENT}` : milliseconds(1000 * call.seconds);
  return element("p", `${started}${took}, call ${call.key.slice(0, 16)}`, "nb-quiet nb-digest");
};

const GATES = { refused_answer: "refused", refused_prompt: "evaded" };

const verdictWords = (verdict) => element("p", verdict.error
  ? `Failed after all attempts: ${foreign(verdict.error)}` : verdict.rationale || "No rationale.", "nb-foreign");

// What one judge said of an answer.
export const verdictBox = (name, verdict) => {
  const words = Object.assign(verdictWords(verdict), { dir: "auto" });
  const box = element("div", [element("p", name, "nb-small-name"), words], "nb-verdict");
  for (const [vote, word] of Object.entries(GATES)) {
    if (verdict.scores[vote] === true) box.append(element("p", `Votes: ${word}.`));
  }
  for (const [field, reason] of Object.entries(verdict.invalid)) {
    box.append(element("p", `Invalid ${field}: ${reason}`, "nb-quiet nb-foreign"));
  }
  if (verdict.raw) box.append(text(verdict.raw, ""));
  box.append(...callNotes(verdict), callLine(verdict));
  return box;
};
