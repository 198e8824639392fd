// A board under one other choice: its scores drawn in their order, a dotted mark where each is published. The reader's
// own weights of domains move scores alone.

import { loader } from "./data.js";
import { element, fill } from "./dom.js";
import { known, number } from "./words.js";

const OWN = "weights";

// The mean of scores by domain with these weights; null where one that counts is missing.
export const weighted = (scores, weights) => {
  const used = [...scores.keys()].filter((place) => weights[place]);
  if (!used.length || !used.every((place) => known(scores[place]))) return null;
  const sum = (of) => used.reduce((total, place) => total + of(place), 0);
  return sum((place) => scores[place] * weights[place]) / sum((place) => weights[place]);
};

const drawing = ([at, low, high], published) => {
  const made = element("span", undefined, "nb-interval");
  for (const [name, value] of Object.entries({ a: at, l: low ?? at, h: high ?? at, p: published })) made.style.setProperty(`--${name}`, value);
  return made;
};

const numbers = (cell) => cell.dataset.v?.split(",").map((text) => text === "" ? null : Number(text)) ?? [null];

export const start = ([box]) => {
  const says = [...box.querySelectorAll("li")];
  const [heads] = box.querySelectorAll("thead tr");
  const titles = [...heads.cells].slice(1);
  const names = titles.slice(1).map((title) => title.dataset.what);
  let rows = null; // read when the reader first chooses
  const drawn = element("th", "dotted: as published");
  const select = Object.assign(element("select", [], "nb-chip"), { ariaLabel: "What changes" });
  const inputs = element("div", undefined, "nb-chips");
  heads.append(drawn);
  box.prepend(select, inputs);

  const show = (valueOf) => {
    const found = rows.map((row) => ({ ...row, value: valueOf(row) }));
    if (select.value) found.sort((a, b) => (b.value[0] ?? -1) - (a.value[0] ?? -1));
    for (const { tr, cells, own, value } of found) {
      own.replaceChildren(...known(value[0]) && select.value ? [drawing(value, numbers(cells[0])[0]), select.value === OWN ? number(value[0]) : ""] : []);
      tr.parentElement.append(tr);
    }
  };

  const weigh = async () => {
    const { models, groups } = await loader(box.dataset.root)(`data/v1/boards/${box.dataset.board}/groups.json`);
    const domains = groups.filter(({ kind }) => kind === "domain");
    for (const { title } of inputs.childElementCount ? [] : domains) {
      const input = Object.assign(element("input"), { type: "number", min: 0, step: "any", value: 1 });
      inputs.append(element("label", [`${title} `, input], "nb-check"));
    }
    if (select.value !== OWN) return;
    const weights = [...inputs.querySelectorAll("input")].map((input) => Math.max(0, Number(input.value)));
    show(({ id }) => [weighted(domains.map(({ score }) => score[models.indexOf(id)]), weights)]);
  };

  const choose = () => {
    const { value } = select;
    rows ??= [...box.querySelectorAll("tbody tr")].map((tr) => ({ tr, id: tr.dataset.m, cells: [...tr.cells].slice(1), own: tr.insertCell() }));
    box.classList.toggle("nb-chosen", value !== "");
    for (const list of [says, titles.slice(1), ...rows.map((row) => row.cells.slice(1))]) {
      for (const [place, shown] of list.entries()) shown.hidden = value !== "" && names[place] !== value;
    }
    for (const cell of [drawn, ...rows.map((row) => row.own)]) cell.hidden = value === "";
    inputs.hidden = value !== OWN;
    if (value === OWN) weigh();
    else show(({ cells }) => numbers(cells[names.indexOf(value) + 1]));
  };

  const offered = [["", "All choices"], ...names.map((name, place) => [name, titles[place + 1].textContent])];
  if ("weighs" in box.dataset) offered.push([OWN, "Your weights of domains"]);
  fill(select, offered, new URLSearchParams(location.search).get("what"));
  select.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    query.set("what", select.value);
    history.replaceState(history.state, "", `?${query}#what-if`);
    choose();
  });
  inputs.addEventListener("input", weigh);
  drawn.hidden = inputs.hidden = true;
  if (select.value) choose();
};
