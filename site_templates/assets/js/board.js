// A board as a table to work with. The HTML has all of it.

import { loader } from "./data.js";
import { button, element } from "./dom.js";
import { number, plural } from "./words.js";
import { showBands } from "./board/bands.js";
import { makeChoosing } from "./board/choosing.js";
import { makeControls } from "./board/controls.js";
import { csv, makeCopying, markdownTable } from "./board/copy.js";
import { startDetails } from "./board/details.js";
import { draw } from "./board/engine.js";
import { matcher } from "./board/filters.js";
import { liven, markSorted } from "./board/heads.js";
import { fillRows, inPart, partValues, showAround } from "./board/parts.js";
import { readBoard, sortValues } from "./board/rows.js";
import { FIRST, isChanged, isFiltered, readState, sorting, writeState } from "./board/state.js";

const startBoard = (box) => {
  const board = readBoard(box);
  const load = loader(board.root);
  const headOf = Object.fromEntries(board.heads.map((head) => [head.key, head]));
  let state = readState(location.search);
  if (!headOf[sorting(state)[0]]) state.sort = FIRST.sort;
  let part = null; // whose numbers stand in the cells; null for the whole board
  let matches = matcher(state, board.folds);
  let shown = board.rows.filter(matches); // all that match, in their order

  const values = (head) => part ? partValues(board, part, head) : sortValues(board, head);
  const isHidden = (head) => state.hide.includes(head.group) || (part !== null && !inPart(head));
  const shownHeads = () => board.heads.filter((head) => !isHidden(head));

  const [status, said] = ["", ""].map(() => Object.assign(element("p", [], "nb-shown"), { role: "status" }));
  const clear = button("Clear filters", "nb-plain-button", () => change({ ...FIRST, nulls: state.nulls, part: state.part, sort: state.sort, hide: state.hide, chosen: state.chosen }));

  const tell = () => {
    const [key] = sorting(state);
    const words = [];
    const total = board.rows.filter(matcher({ ...FIRST, nulls: state.nulls }, board.folds)).length;
    if (isFiltered(state)) words.push(shown.length ? `${number(shown.length, 0)} of ${plural(total, "contestant")}.` : "No contestant matches.");
    if (part) {
      words.push(`${part.title}, ${plural(part.n_items, "item")}: scores and ranks are of this ${part.kind} alone, and columns that only the whole board has are left out.`);
      if (part.best.filter(Boolean).length > 1) words.push("The band marks those that no other exceeds significantly.");
      if (board.ofWhole.some((said) => said.href)) words.push("No thin line: only the whole board has the interval of the panel.");
    }
    if (key !== "rank") words.push(`By ${headOf[key].title.toLowerCase()}, so ties in rank are not marked.`);
    clear.hidden = !isFiltered(state);
    status.textContent = words.join(" ");
  };

  const wantedPart = async () => {
    if (!state.part) return null;
    const { models, groups } = await load(`data/v1/boards/${board.id}/groups.json`);
    if (models.length !== board.rows.length || models.some((model, place) => model !== board.rows[place].id)) {
      throw new Error("the file and the page are of two runs; reload the page");
    }
    return groups.find(({ kind, id }) => `${kind}:${id}` === state.part) ?? null;
  };

  let turn = 0;
  const apply = async () => {
    const mine = ++turn;
    box.setAttribute("aria-busy", "true");
    try {
      const wanted = await wantedPart();
      if (mine !== turn) return;
      closeRows();
      if (wanted !== part) {
        part = wanted;
        showAround(board, part);
      }
      matches = matcher(state, board.folds);
      let [key, direction] = sorting(state);
      if (isHidden(headOf[key])) [key, direction] = ["rank", "asc"];
      const places = draw(board, {
        matches, values: values(headOf[key]), down: direction === "desc", hidden: board.heads.map(isHidden),
      });
      shown = places.map((place) => board.rows[place]);
      fillRows(board, part, shown);
      showBands(board, part, shown, key === "rank" && direction === "asc");
      markSorted(board, key, direction);
      tell();
    } catch (error) {
      if (mine === turn) status.textContent = `The table cannot do that now: ${error.message}. Reload the page to try again.`;
    } finally {
      if (mine === turn) box.removeAttribute("aria-busy");
    }
  };

  const show = () => {
    controls.show(state);
    choosing.show(state);
    const query = writeState(state, location.search);
    if (query !== location.search) history.replaceState(history.state, "", `${location.pathname}${query}${location.hash}`);
  };

  const change = (news) => {
    state = { ...state, ...news };
    said.textContent = "";
    show();
    if (Object.keys(news).some((name) => name !== "chosen")) apply();
  };

  const sort = ({ key, best }) => {
    const [old, direction] = sorting(state);
    const down = old === key ? direction === "asc" : best === "higher";
    change({ sort: down ? `-${key}` : key });
  };

  const controls = makeControls(board, change);
  const choosing = makeChoosing(board, change);
  controls.row.append(...choosing.elements);
  liven(board, sort);
  markSorted(board, "rank", "asc");
  const closeRows = startDetails(board, isHidden);

  const ends = { low: { key: "interval", value: 1 }, high: { key: "high", value: 2 } };
  const valueOf = (key, row) => {
    if (part && key === "high") return part.ci_high[row.place];
    return values(ends[key] ?? headOf[key])[row.place];
  };
  const copying = makeCopying({
    "link": () => location.href,
    "as CSV": () => csv(shownHeads(), shown, valueOf),
    "as Markdown": () => markdownTable(shownHeads(), shown),
  }, (words) => { said.textContent = words; });

  box.querySelector(".nb-waiting").replaceWith(controls.element, element("div", [status, clear], "nb-state"));
  box.append(copying, said);

  show();
  tell();
  if (isChanged(state)) apply();
};

// In a task of its own: the browser lays out the whole page in the task that ends its loading.
export const start = (boxes) => boxes.forEach((box) => setTimeout(startBoard, 0, box));
