// A board under one other choice: its scores drawn in their order, a dotted mark where each is published. The reader's
// own weights of domains move scores alone.

import { loader } from "./data.js";
import { element, fill } from "./dom.js";
import { known, number } from "./words.js";

const OWN = "weights";

// The mean of scores by domain with these weights; null where one that counts is missing.
export const weighted = (scores, weights) => {
  const used = scores.flatMap((score, place) => weights[place] ? [[score, weights[place]]] : []);
  if (!used.length || used.some(([score]) => !known(score))) return null;
  return used.reduce((sum, [score, weight]) => sum + score * weight, 0) / used.reduce((sum, [, weight]) => sum + weight, 0);
};

const drawing = ([at, low, high], published) => {
  const made = element("span", undefined, "nb-interval");
  for (const [name, value] of Object.entries({ "--a": at, "--l": low ?? at, "--h": high ?? at, "--p": published })) made.style.setProperty(name, value);
  return made;
};

const numbers = (cell) => cell.dataset.v?.split(",").map((text) => text === "" ? null : Number(text)) ?? [null, null, null];

export const start = ([box]) => {
  const says = [...box.querySelectorAll("li")];
  const titles = [...box.querySelectorAll("thead th")];
  const body = box.querySelector("tbody");
  const rows = [...body.rows].map((tr) => ({ tr, id: tr.dataset.m, cells: [...tr.cells].slice(1), own: tr.insertCell() }));
  const drawn = element("th", "dotted: as published");
  titles[0].parentElement.append(drawn);
  const select = element("select", undefined, "nb-chip");
  select.setAttribute("aria-label", "What changes");
  const inputs = element("div", undefined, "nb-chips");
  box.prepend(select, inputs);

  const show = (valueOf) => {
    const found = rows.map((row) => ({ ...row, value: valueOf(row) }));
    if (select.value) found.sort((a, b) => (b.value[0] ?? -1) - (a.value[0] ?? -1));
    for (const { tr, cells, own, value } of found) {
      own.replaceChildren(...known(value[0]) && select.value ? [drawing(value, numbers(cells[0])[0]), ...select.value === OWN ? [number(value[0])] : []] : []);
      body.append(tr);
    }
  };

  const weigh = async () => {
    const { models, groups } = await loader(box.dataset.root)(`data/v1/boards/${box.dataset.board}/groups.json`);
    const domains = groups.filter(({ kind }) => kind === "domain");
    if (!inputs.childElementCount) {
      inputs.append(...domains.map(({ title }) => {
        const label = element("label", `${title} `, "nb-check");
        const input = element("input");
        Object.assign(input, { type: "number", min: 0, step: "any", value: 1 });
        input.addEventListener("input", weigh);
        label.append(input);
        return label;
      }));
    }
    if (select.value !== OWN) return;
    const weights = [...inputs.querySelectorAll("input")].map((input) => Math.max(0, Number(input.value)));
    show(({ id }) => [weighted(domains.map(({ score }) => score[models.indexOf(id)]), weights), null, null]);
  };

  const choose = () => {
    const own = select.value === OWN;
    box.classList.toggle("nb-chosen", select.value !== "");
    for (const [place, li] of says.entries()) li.hidden = select.value !== "" && String(place) !== select.value;
    for (const cells of [titles.slice(1), ...rows.map((row) => row.cells)]) {
      for (const [place, cell] of cells.entries()) cell.hidden = place > 0 && select.value !== "" && String(place - 1) !== select.value;
    }
    for (const cell of [drawn, ...rows.map((row) => row.own)]) cell.hidden = !select.value;
    inputs.hidden = !own;
    if (own) weigh();
    else show(({ cells }) => numbers(cells[Number(select.value) + 1]));
  };

  const asked = new URLSearchParams(location.search).get("what") ?? "";
  const offered = [["", "All choices"], ...titles.slice(2).map((title, place) => [String(place), title.textContent])];
  if ("weighs" in box.dataset) offered.push([OWN, "Your weights of domains"]);
  fill(select, offered, asked);
  select.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    if (select.value) query.set("what", select.value);
    else query.delete("what");
    history.replaceState(history.state, "", `${location.pathname}?${query}#what-if`);
    choose();
  });
  choose();
};
