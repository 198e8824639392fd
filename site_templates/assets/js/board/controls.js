// The controls above a board: real inputs, selects and buttons, of which only those stand that the data has a use for.

import { button, element, fill } from "../dom.js";
import { offered } from "./filters.js";

const KINDS = { domain: "Domain", difficulty: "Difficulty" };
const NAMES = { status: "Status", origin: "Provenance", vendor: "Vendor", weights: "Weights", size: "Size", price: "Price" };

export const pressed = (made, is) => made.setAttribute("aria-pressed", String(is));

const group = (name, className, content) => Object.assign(element("div", content, className), { role: "group", ariaLabel: name });

const menu = (name, entries) => {
  const made = element("details", [element("summary", name, "nb-chip"), element("div", entries, "nb-drop-box")], "nb-drop");
  made.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !made.open) return;
    made.open = false;
    made.firstChild.focus();
  });
  document.addEventListener("click", ({ target }) => { if (!made.contains(target)) made.open = false; });
  return made;
};

// change: told of what the reader changed in the state. Returns what shows a state in the controls.
const partChips = (board, change) => {
  const box = group("Part of the board", "nb-chips");
  let kind = "";
  const chips = [["", "All items"], ...board.parts].map(([value, title]) => {
    const [own] = value.split(":");
    if (own !== kind) box.append(element("span", KINDS[own]));
    kind = own;
    const chip = button(title, "nb-chip", () => change({ part: value }));
    box.append(chip);
    return [value, chip];
  });
  return [box, ({ part }) => { for (const [value, chip] of chips) pressed(chip, value === part); }];
};

const searchField = (change) => {
  const name = "Find a contestant";
  const made = Object.assign(element("input", [], "nb-chip nb-find"), { type: "search", placeholder: name, ariaLabel: name });
  made.addEventListener("input", () => change({ q: made.value }));
  return [made, ({ q }) => { if (made.value !== q) made.value = q; }];
};

const choice = (name, options, change) => {
  const made = Object.assign(element("select", [], "nb-chip"), { ariaLabel: NAMES[name] });
  fill(made, options, "");
  made.addEventListener("change", () => change({ [name]: made.value }));
  return [made, (state) => {
    made.value = state[name];
    made.toggleAttribute("data-set", Boolean(state[name]));
  }];
};

// Null models are folded into the row of the floor, where there is one.
const nullsChip = (board, change) => {
  const chip = button("Null models", "nb-chip", () => change({ nulls: chip.getAttribute("aria-pressed") !== "true" }));
  board.table.querySelector(".nb-floor")?.cells[1].append(" ", chip);
  return [chip, ({ nulls }) => {
    pressed(chip, nulls);
    board.box.classList.toggle("nb-unfolded", nulls);
  }];
};

const columnsMenu = (board, change) => {
  const names = [...new Set(board.heads.map((head) => head.group).filter((name) => name && name !== "Score"))];
  const boxes = names.map((name) => {
    const box = Object.assign(element("input"), { type: "checkbox", value: name });
    box.addEventListener("change", () => change({ hide: boxes.filter(([one]) => !one.checked).map(([one]) => one.value) }));
    return [box, element("label", [box, name], "nb-check")];
  });
  return [menu("Columns", boxes.map(([, label]) => label)), ({ hide }) => {
    for (const [box] of boxes) box.checked = !hide.includes(box.value);
  }];
};

export const makeControls = (board, change) => {
  const parts = board.parts.length > 1 ? [partChips(board, change)] : [];
  const choices = Object.entries(offered(board.rows)).filter(([, options]) => options.length);
  const filters = [
    searchField(change),
    ...choices.map(([name, options]) => choice(name, options, change)),
    ...(board.folds ? [nullsChip(board, change)] : []),
    columnsMenu(board, change),
  ];
  const row = group("Filters", "nb-filters", filters.map(([made]) => made).filter((made) => !made.isConnected));
  const made = element("div", [...parts.map(([part]) => part), row], "nb-tools");
  return { element: made, row, show: (state) => { for (const [, shown] of [...parts, ...filters]) shown(state); } };
};
