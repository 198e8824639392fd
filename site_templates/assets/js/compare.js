// Contestants beside each other: who is chosen stands in the address, the first is whom the others are held against.

import { compared } from "./compare/paired.js";
import { key } from "./compare/looks.js";
import { differences, inShort, items, profiles, verdicts } from "./compare/sections.js";
import { loader } from "./data.js";
import { button, element, fill, link } from "./dom.js";
import { listed } from "./words.js";

const MOST = 4;
const NAMED = 5;
const LONGEST = 80;
const PARTS = [verdicts, profiles, differences, inShort];
const NEEDED = ["Choose two contestants to compare.", "Add a contestant to compare this one with."];

const quoted = (id) => `“${id.length > LONGEST ? `${id.slice(0, LONGEST)}…` : id}”`;

export const start = ([page]) => {
  page.hidden = false;
  const data = JSON.parse(page.querySelector(".nb-compare-data").textContent);
  const boards = new Map(data.boards.map((board) => [board.id, board]));
  const contestants = new Map(Object.entries(data.contestants));
  const load = loader(page.dataset.root);
  const tabs = [...document.querySelectorAll(".nb-tabs a")];
  const [field, chips, status, shown] = [
    "#nb-add", ".nb-chosen", "#nb-compare-status", "#nb-compared",
  ].map((selector) => page.querySelector(selector));
  const { models, evidence, glossary } = page.dataset;
  let chosen = { board: data.boards[0], ids: [], notes: [] };

  const titleOf = (id) => contestants.get(id).title;

  // Two that are no null models, as far as the board has them.
  const usual = (board) => {
    const real = board.contestants.filter((id) => contestants.get(id).kind !== "null");
    return [...new Set([...real, ...board.contestants])].slice(0, 2);
  };

  const notHere = (id, board) => {
    const elsewhere = data.boards.filter((other) => other.contestants.includes(id)).map((other) => quoted(other.title));
    if (!elsewhere.length) return `No contestant ${quoted(id)} on this board.`;
    return `${titleOf(id)} is not on the board ${quoted(board.title)}; it is on ${listed(elsewhere)}.`;
  };

  // What an address asks for, with notes on what of it cannot be had.
  const asked = (search) => {
    const wanted = new URLSearchParams(search);
    const notes = [];
    const name = wanted.get("board");
    const board = boards.get(name ?? data.boards[0].id) ?? data.boards[0];
    if (name !== null && !boards.has(name)) {
      notes.push(`There is no board ${quoted(name)}; this is ${quoted(board.title)}.`);
    }
    const domain = wanted.get("domain");
    if (domain && !board.domains.some(({ id }) => id === domain)) notes.push(`There is no domain ${quoted(domain)} on this board.`);
    if (!wanted.has("m")) return { board, ids: usual(board), notes, domain };
    const ids = [...new Set(wanted.get("m").split(",").map((id) => id.trim()).filter(Boolean))];
    const here = ids.filter((id) => board.contestants.includes(id));
    const lost = ids.filter((id) => !board.contestants.includes(id));
    notes.push(...lost.slice(0, NAMED).map((id) => notHere(id, board)));
    if (lost.length > NAMED) notes.push(`${lost.length - NAMED} more names are of no contestant on this board.`);
    if (here.length > MOST) {
      const rest = here.slice(MOST).map(titleOf);
      if (rest.length > NAMED) rest.splice(NAMED, rest.length, `${rest.length - NAMED} more`);
      notes.push(`At most ${MOST} are compared; ${listed(rest)} left out.`);
    }
    return { board, ids: here.slice(0, MOST), notes, domain };
  };

  const act = (label, id, ids) => button([label, element("span", ` ${titleOf(id)}`, "nb-sr")], "", () => choose(chosen.board, ids));

  const chip = (id, place) => {
    const rest = chosen.ids.filter((other) => other !== id);
    const first = place ? act("Make reference", id, [id, ...rest]) : element("span", "reference", "nb-quiet");
    return element("li", [
      key(contestants.get(id), place), link(`${models}${id}/`, element("bdi", titleOf(id))),
      element("span", [first, act("Remove", id, rest)], "nb-acts"),
    ]);
  };

  const others = () => chosen.board.contestants.filter((id) => !chosen.ids.includes(id));

  const offer = () => {
    fill(field.list, others().map((id) => {
      const { title, vendor, kind } = contestants.get(id);
      return [title, kind === "model" ? vendor : kind === "null" ? "null model" : kind];
    }));
    field.value = "";
    for (const tab of tabs) tab.ariaCurrent = tab.dataset.board === chosen.board.id ? "true" : null;
    chips.replaceChildren(...chosen.ids.map(chip));
    field.disabled = chosen.ids.length >= MOST;
    field.placeholder = field.disabled ? `${MOST} are chosen` : `${chosen.board.contestants.length} on this board`;
  };

  const view = async ({ board, ids, domain }) => {
    const [{ weights, items: places }, ...found] = await Promise.all([
      load(`boards/${board.id}/items.json`),
      ...ids.flatMap((id) => [load(`boards/${board.id}/scores/${id}.json`), load(`models/${id}.json`)]),
    ]);
    const [scores, parts] = ["overall", "parts"].map((key) => (
      found.filter((_, number) => number % 2 === 0).map((of) => of[key] ?? of.overall)
    ));
    const own = found.filter((_, number) => number % 2 === 1);
    const in_domain = board.domains.map(({ id }) => [...places.keys()].filter((place) => places[place].domain === id));
    const pairs = ids.slice(1).map((_, number) => {
      const place = number + 1;
      return {
        place,
        overall: compared(parts[place], parts[0], places, { weights, critical: board.critical, alpha: board.alpha, test: board.test }),
        domains: in_domain.map((of, domain) => (
          compared(parts[place], parts[0], places, { places: of, critical: board.domains[domain].critical, alpha: board.domains[domain].alpha, test: board.test })
        )),
      };
    });
    return {
      board, domain, scores, pairs, items: places, models: own, metrics: data.metrics, phrases: data.phrases, silent: data.silent, marks: data.marks, addresses: { evidence, glossary },
      contestants: ids.map((id) => ({ id, ...contestants.get(id) })), rows: own.map((model) => model.boards[board.id]),
    };
  };

  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    offer();
    status.textContent = [...chosen.notes, "Loading."].join(" ");
    try {
      const { protocol } = chosen.board;
      const [seen, own] = await Promise.all([view(chosen), protocol ? import(`./protocols/${protocol}-compare.js`) : { items }]);
      if (mine !== turn) return;
      shown.replaceChildren(...[...PARTS, own.items].flatMap((part) => part(seen, load)));
      status.textContent = [...chosen.notes, NEEDED[chosen.ids.length] ?? ""].join(" ");
    } catch (error) {
      if (mine !== turn) return;
      shown.replaceChildren();
      status.textContent = `The scores could not be loaded: ${error.message}. Reload the page to try again.`;
    }
  };

  const choose = (board, ids) => {
    const inAddress = ids.map(encodeURIComponent).join(",");
    const domain = board === chosen.board ? chosen.domain : null;
    history.pushState(null, "", `?board=${encodeURIComponent(board.id)}${domain ? `&domain=${encodeURIComponent(domain)}` : ""}&m=${inAddress}`);
    chosen = { board, ids, notes: [], domain };
    // What held the focus may be gone with what is drawn anew.
    const held = chips.contains(document.activeElement);
    show();
    if (held) (chips.querySelector("button") ?? field).focus();
  };

  const restore = () => {
    chosen = asked(location.search);
    show();
  };

  page.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  for (const tab of tabs) {
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      const board = boards.get(tab.dataset.board);
      const still = chosen.ids.filter((id) => board.contestants.includes(id));
      choose(board, still.length > 1 ? still : usual(board));
    });
  }
  // Browsers differ in what they tell of a suggestion that was taken; typing alone takes none.
  const add = ({ type, inputType }) => {
    const name = field.value.trim(), found = others().find((id) => [id, titleOf(id).trim()].includes(name));
    if (!name || (type === "input" && inputType && inputType !== "insertReplacementText")) return;
    if (found) choose(chosen.board, [...chosen.ids, found]);
    else if (type === "change") status.textContent = `No other contestant of the board is called ${quoted(name)}.`;
  };
  for (const type of ["input", "change"]) field.addEventListener(type, add);
  window.addEventListener("popstate", restore);
  restore();
};
