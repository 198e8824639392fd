// An item as it was put to contestants and judges, by protocol.

import { element, list, text } from "../dom.js";

const place = (item) => element("p", `${item.category}, ${item.difficulty}`, "nb-quiet");

const asked = (constraints) => Object.entries(constraints).map(([name, value]) => `${name.replaceAll("_", " ")}: ${[value].flat().join(", ")}`);

const axesItem = (index, item) => [
  element("h2", "Task"), element("p", item.task), place(item),
  element("h3", "Source"), text(item.source, ""),
  ...(Object.keys(item.constraints).length ? [element("h3", "Form asked for"), list(asked(item.constraints))] : []),
  element("h3", "What is known to be in it"), list(item.facts.map((fact) => `${fact.text} (${fact.kind})`)),
  element("h3", `Goal: ${item.goal.title}`), list(item.goal.rules.map((rule) => `${rule.dimension}: ${rule.rule}`), "nb-rules"),
];

const promptItem = (item, more) => {
  const hash = item.hash ? [element("p", item.hash, "nb-quiet nb-digest")] : [];
  if (item.visibility === "private") {
    return [
      element("h2", "Private item"), place(item),
      element("p", "Its texts are not published, so that no model can be tuned to them. This hash proves later that they were not changed."),
      ...hash,
    ];
  }
  return [element("h2", "Prompt"), text(item.prompt, ""), place(item), ...more(), ...hash];
};

const rubricItem = (index, item) => promptItem(item, () => [
  element("h3", "Ideal answer"), text(item.ideal, ""),
  element("h3", "Criteria"), list(item.criteria),
  ...(item.checks.length ? [element("h3", "Checks"), list(item.checks.map((check) => index.checks?.[check] ?? check))] : []),
]);

const oracleItem = (index, item) => promptItem(item, () => {
  const { type, ...key } = item.key;
  const bundle = item.bundle ? [element("p", `A variant of the bundle ${item.bundle}.`, "nb-quiet")] : [];
  return [...bundle, element("h3", `Key: ${index.keys[type] ?? type}`), text(JSON.stringify(key, null, 1), "")];
});

export const ITEMS = { axes: axesItem, rubric: rubricItem, oracle: oracleItem };
