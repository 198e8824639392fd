// Contestants chosen to be compared: a box in each row while the reader chooses, and a link to their comparison.

import { button, element } from "../dom.js";
import { pressed } from "./controls.js";
import { choose, isFull } from "./state.js";

const addBoxes = (board, pick) => {
  for (const row of board.rows) {
    row.box = Object.assign(element("input", [], "nb-pick"), { type: "checkbox", ariaLabel: `Compare ${row.title}` });
    row.box.addEventListener("change", () => pick(row.id, row.box.checked));
    row.name.before(row.box);
  }
};

// change: told of whom the reader chose. Returns the controls and what shows a state in them.
export const makeChoosing = (board, change) => {
  let state = null;
  const pick = (id, on) => change({ chosen: choose(state, id, on) });
  const open = (is) => {
    if (is && !board.rows[0]?.box) addBoxes(board, pick);
    board.box.classList.toggle("nb-choosing", is);
    pressed(chip, is);
  };
  const chip = button("Compare", "nb-chip", () => {
    const is = chip.getAttribute("aria-pressed") !== "true";
    open(is);
    if (!is) change({ chosen: [] });
    else show(state);
  });
  const link = element("a", "", "nb-compare");
  const address = (ids) => {
    const query = new URLSearchParams({ board: board.id, ...state.part.startsWith("domain:") && { domain: state.part.slice(7) } });
    return `${new URL("compare/", new URL(board.root, document.baseURI)).href}?${query}&m=${ids.map(encodeURIComponent).join(",")}`;
  };
  const show = (now) => {
    state = now;
    const { chosen } = state;
    if (chosen.length) open(true);
    for (const { box, id } of board.rows) {
      if (!box) break;
      box.checked = chosen.includes(id);
      box.disabled = !box.checked && isFull(state);
    }
    chip.textContent = chosen.length ? `Compare ${chosen.length}` : "Compare";
    link.hidden = chosen.length < 2;
    link.textContent = `Compare these ${chosen.length}`;
    link.href = address(chosen);
  };
  pressed(chip, false);
  return { elements: [chip, link], show };
};
