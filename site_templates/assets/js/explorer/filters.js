// What a reader asks for: which answers, in which order.

export const FILTERS = ["domain", "model", "q", "state", "difficulty", "from", "to", "apart", "check", "private", "sort"];
const OF_THE_ITEM = ["domain", "q", "difficulty", "private"];
export const ANY_CHECK = "any";

const normal = (text) => text.toLowerCase().trim();

// Words in quotes mean that id alone.
export const exactly = (item) => `"${item}"`;

const namesItem = (q) => {
  const wanted = normal(q);
  const quoted = /^"(.*)"$/u.exec(wanted);
  return quoted ? (hit) => hit.item === quoted[1] : (hit) => hit.item.includes(wanted) || normal(hit.begins).includes(wanted);
};

const TESTS = {
  domain: (id) => (hit) => hit.domain.id === id,
  model: (id) => (hit) => hit.model === id,
  q: namesItem,
  state: (id) => (hit) => hit.state.id === id,
  difficulty: (name) => (hit) => hit.difficulty === name,
  from: (least) => (hit) => hit.score !== null && hit.score >= Number(least),
  to: (most) => (hit) => hit.score !== null && hit.score <= Number(most),
  apart: (least) => (hit) => hit.apart !== null && hit.apart >= Number(least),
  check: (type) => type === ANY_CHECK ? (hit) => hit.failed.length > 0 : (hit) => hit.failed.includes(type),
  private: (answer) => (hit) => hit.private === (answer === "yes"),
};

const passes = (wanted, names) => {
  const tests = names.filter((name) => wanted[name] && TESTS[name]).map((name) => TESTS[name](wanted[name]));
  return (hit) => tests.every((test) => test(hit));
};

// Whether an item, and whether an answer to it, is asked for.
export const itemTest = (wanted) => passes(wanted, OF_THE_ITEM);
export const answerTest = (wanted) => passes(wanted, FILTERS.filter((name) => !OF_THE_ITEM.includes(name)));

const last = (value, worst) => value ?? worst;

// How hits are put into order; null for that of the items. Answers without a score come last.
export const ORDERS = {
  low: (one, other) => last(one.score, Infinity) - last(other.score, Infinity),
  high: (one, other) => last(other.score, -Infinity) - last(one.score, -Infinity),
  apart: (one, other) => last(other.apart, -Infinity) - last(one.apart, -Infinity),
};
