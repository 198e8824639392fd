// The evidence explorer: a list of the answers that match, and the one that is open. The address holds all of it.

import { loader } from "./data.js";
import { details, element, fill, link as way } from "./dom.js";
import { answerParts, answerText, shownBy } from "./explorer/answers.js";
import { Board } from "./explorer/board.js";
import { ANY_CHECK, exactly, FILTERS } from "./explorer/filters.js";
import { row } from "./explorer/rows.js";
import { Search } from "./explorer/search.js";
import { number, of, plural } from "./words.js";

const PAGE = 50;
const FAR = 10 * PAGE;
const TYPING_MS = 250;
const NARROW = matchMedia("(max-width: 60em)");

// Texts read in their own direction; one that scrolls is reached by the keyboard.
const isolate = (box) => {
  for (const words of box.querySelectorAll(".nb-text, li, .nb-foreign")) words.dir = "auto";
  for (const words of box.querySelectorAll(".nb-text")) {
    if (words.scrollHeight <= words.clientHeight) continue;
    Object.assign(words, { tabIndex: 0, role: "group", ariaLabel: "Text" });
  }
};

export const start = ([explorer]) => {
  explorer.hidden = false;
  const find = (selector) => explorer.querySelector(selector);
  const form = find("form");
  const [status, openedStatus, list, found, opened] = ["#nb-status", "#nb-opened-status", ".nb-hits", ".nb-found", ".nb-opened"].map(find);
  const [more, count, turnOver, previous, next] = [".nb-show-more", ".nb-count", ".nb-turn-over", ".nb-back", ".nb-forth"].map(find);
  const field = (name) => form.elements.namedItem(name);
  const load = loader(explorer.dataset.root);

  let board = null;
  let search = null;
  let open = null;
  let shown = 0;
  let turn = 0;
  let opening = 0;
  let note = "";

  const wanted = () => Object.fromEntries(FILTERS.map((name) => [name, field(name).value.trim()]));

  // --- the address ---------------------------------------------------------------------------------------------------

  const address = (hit) => {
    const parts = new URLSearchParams({ board: field("board").value });
    for (const [name, value] of Object.entries(wanted())) if (value) parts.set(name, value);
    if (hit) {
      if (parts.get("model") !== hit.model) parts.set("by", hit.model);
      parts.set("item", hit.item);
    }
    return `#${parts}`;
  };

  const keepAddress = () => history.replaceState(null, "", address(open));

  // --- what can be chosen ----------------------------------------------------------------------------------------------

  const choices = (name, first, entries, asked) => {
    fill(field(name), [["", first], ...entries], asked.get(name) ?? "");
    field(name).closest("label").hidden = entries.length === 0;
  };

  const offer = (asked) => {
    const { index } = board;
    choices("domain", "all domains", index.domains.map(({ id, title }) => [id, title]), asked);
    choices("model", "all contestants", index.models.map(({ id, title }) => [id, title]), asked);
    const ended = index.states.filter(({ n }) => n > 0);
    choices("state", "any", ended.map(({ id, title, n }) => [id, `${title} (${number(n, 0)})`]), asked);
    choices("difficulty", "any", index.difficulties.map((name) => [name, name]), asked);
    const checks = Object.entries(index.checks ?? {});
    choices("check", "any or none", checks.length ? [[ANY_CHECK, "any"], ...checks] : [], asked);
    field("q").value = asked.get("q") ?? "";
    for (const name of ["from", "to", "apart"]) field(name).value = Number.isFinite(Number(asked.get(name))) ? asked.get(name) ?? "" : "";
    for (const name of ["private", "sort"]) {
      field(name).value = asked.get(name) ?? "";
      if (field(name).selectedIndex < 0) field(name).value = "";
    }
    find(".nb-apart-unit").textContent = index.apart ? index.apart.unit : "";
    field("apart").closest("label").hidden = !index.apart;
    field("private").closest("label").hidden = index.private === 0;
    const byApart = [...field("sort").options].find(({ value }) => value === "apart");
    byApart.hidden = byApart.disabled = !index.apart;
    markFilters();
  };

  const markFilters = () => {
    const set = Object.entries(wanted()).filter(([name, value]) => value && field(name).closest(".nb-further"));
    find(".nb-further-set").textContent = set.length ? ` (${set.length} set)` : "";
    find(".nb-clear").disabled = Object.values(wanted()).every((value) => !value);
  };

  // --- the list ----------------------------------------------------------------------------------------------------------

  const counted = () => {
    const all = board.index.answers;
    if (search.total === null) return `The first ${number(Math.min(shown, search.hits.length), 0)} that match, of ${plural(all, "answer")}.`;
    if (search.total === 0) return `None of the ${plural(all, "answer")} match; clear a filter to see more.`;
    if (search.total === all) return `${all === 1 ? "The" : "All"} ${plural(all, "answer")}.`;
    return `${of(search.total, all)} answers match.`;
  };

  const progress = () => {
    if (search.tiles > 1 && !search.done) status.textContent = `Reading scores, ${of(search.read, search.tiles)} files.`;
  };

  const draw = () => {
    const rows = search.hits.slice(list.childElementCount, shown);
    list.append(...rows.map((hit) => row(hit, address(hit), Boolean(field("model").value))));
    more.hidden = search.done && search.hits.length <= shown;
    count.hidden = search.total !== null;
    status.textContent = [note, counted()].filter(Boolean).join(" ");
    mark();
  };

  const place = () => open ? search.hits.findIndex((hit) => hit.is(open.item, open.model)) : -1;

  const mark = () => {
    const at = place();
    for (const [number, { firstChild: link }] of [...list.children].entries()) link.ariaCurrent = number === at ? "true" : null;
    previous.disabled = at <= 0;
    next.disabled = search.done && at === search.hits.length - 1;
    const whole = search.total === null ? "" : ` of ${number(search.total, 0)}`;
    find(".nb-place").textContent = at < 0 ? "not in the list" : `${number(at + 1, 0)}${whole}`;
    const link = list.children[at]?.firstChild;
    if (link && !NARROW.matches) {
      const [box, line] = [found.getBoundingClientRect(), link.getBoundingClientRect()];
      if (line.top < box.top || line.bottom > box.bottom) found.scrollTop += line.top - box.top - box.height / 3;
    }
  };

  // Runs what needs files for the list; a later call makes an earlier one stop.
  const working = async (work) => {
    const mine = ++turn;
    try {
      await work(() => mine === turn);
    } catch (error) {
      if (mine === turn) fail(error);
    }
  };

  const show = (upTo) => working(async (current) => {
    await search.until(upTo);
    if (!current()) return;
    shown = upTo;
    draw();
  });

  // A new list; `hit` is opened, else the first of it.
  const renew = async (current, hit) => {
    search = new Search(board, wanted(), progress);
    shown = PAGE;
    await search.until(shown);
    const isThere = () => search.hits.some((other) => other.is(hit.item, hit.model));
    while (current() && hit && !search.done && search.hits.length < FAR && !isThere()) await search.until(search.hits.length + PAGE);
    if (!current()) return;
    if (hit && isThere()) {
      open = hit;
      shown = PAGE * Math.max(1, Math.ceil((place() + 1) / PAGE));
      if (shown > FAR) shown = PAGE;
    }
    list.replaceChildren();
    found.scrollTop = 0;
    open = hit ?? search.hits[0] ?? null;
    draw();
    await showAnswer();
  };

  const changed = () => {
    note = "";
    markFilters();
    return working((current) => renew(current, null));
  };

  // --- the answer --------------------------------------------------------------------------------------------------------

  const fail = (error) => {
    for (const id of ["nb-item", "nb-answer"]) document.getElementById(id).replaceChildren();
    status.textContent = `The evidence could not be loaded: ${error.message}. Choose again, or reload the page.`;
  };

  // An issue about an answer, prefilled.
  const dispute = (hit, key) => {
    const name = board.index.board, here = new URL(`#${new URLSearchParams({ board: name, by: hit.model, item: hit.item })}`, location);
    const said = { title: `Dispute: ${hit.title}, ${hit.item} on ${name}`, place: `${here}, call ${key}` };
    return way(explorer.dataset.dispute.replace(/\{(title|place)\}/gu, (_, part) => encodeURIComponent(said[part])), "dispute this answer");
  };

  const ways = (hit, answer) => {
    const every = new URLSearchParams({ board: board.index.board, q: exactly(hit.item), by: hit.model, item: hit.item });
    return [
      way(`#${every}`, "all answers to this item"),
      board.models.get(hit.model).kind === "control"
        ? way(`${explorer.dataset.judges}${board.index.board.split("/")[0]}/#controls`, "what the panel sees")
        : way(`${explorer.dataset.models}${encodeURIComponent(hit.model)}/`, "this contestant"),
      ...(explorer.dataset.dispute && answer && !hit.private ? [dispute(hit, answer.samples.at(-1)?.key ?? "not recorded")] : []),
    ];
  };

  // What the best null model, which does not do the task, answered; read when a reader asks.
  const doingNothing = (hit, protocol) => {
    const { floor, states } = board.index, box = details(`What doing nothing answers: ${floor.title}`, []);
    box.addEventListener("toggle", async () => {
      const { answer } = (await board.beside(hit, [floor.id]))[floor.id], state = states.find(({ id }) => id === answer?.score?.state);
      if (state) box.append(element("p", protocol.score(board.index, answer.score, state.title)));
      box.append(...(answer?.samples.map((sample) => answerText(sample)) ?? [element("p", "No answer is recorded.")]));
      isolate(box);
    }, { once: true });
    return box;
  };

  const showAnswer = async () => {
    const mine = ++opening;
    const [itemBox, answerBox] = ["nb-item", "nb-answer"].map((id) => document.getElementById(id));
    turnOver.hidden = !open;
    keepAddress();
    if (!open) {
      itemBox.replaceChildren();
      answerBox.replaceChildren();
      return;
    }
    const hit = open;
    opened.ariaBusy = "true";
    try {
      const { index } = board;
      const [{ item, answer }, protocol] = await Promise.all([
        board.texts(hit), shownBy(index.protocol, explorer.dataset.protocols.split(" ")),
      ]);
      const others = answer ? await board.beside(hit, protocol.opponents(answer)) : {};
      if (mine !== opening) return;
      const title = element("h2", hit.title);
      title.dir = "auto";
      itemBox.replaceChildren(...protocol.item(index, item));
      answerBox.replaceChildren(title, ...(answer
        ? answerParts(protocol, index, item, answer, hit.ended, others)
        : [element("p", "No answer is recorded for this item.")]));
      const line = answerBox.querySelector(":scope > .nb-digest");
      if (line && index.floor && index.floor.id !== hit.model) line.after(doingNothing(hit, protocol));
      find(".nb-ways").replaceChildren(...ways(hit, answer));
      for (const box of [itemBox, answerBox]) isolate(box);
    } catch (error) {
      if (mine === opening) fail(error);
    }
    if (mine === opening) opened.ariaBusy = "false";
  };

  // A reader chose this answer. On a narrow screen it stands below the list, so that the reader is taken there.
  const choose = async (hit) => {
    open = hit;
    note = "";
    draw();
    await showAnswer();
    if (open !== hit) return;
    openedStatus.textContent = `Open: ${hit.title}, ${hit.item}`;
    if (NARROW.matches) {
      opened.focus({ preventScroll: true });
      opened.scrollIntoView();
    }
  };

  const step = (by) => working(async (current) => {
    const to = place() + by;
    const upTo = to < shown ? shown : shown + PAGE;
    await search.until(upTo);
    if (!current()) return;
    shown = upTo;
    draw();
    if (search.hits[to]) await choose(search.hits[to]);
  });

  // --- beginning, and a changed address ------------------------------------------------------------------------------------

  const openBoard = async (asked) => {
    const boards = field("board");
    if ([...(boards.options ?? [])].some(({ value }) => value === asked.get("board"))) boards.value = asked.get("board");
    if (board?.index.board !== boards.value) board = new Board(await load(`evidence/${boards.value}/index.json`), load);
    for (const each of document.querySelectorAll("[data-panel]")) each.hidden = each.dataset.panel !== boards.value.split("/")[0];
  };

  // By the address that was asked for: a list that was still loading may have put its own into the bar since.
  const restore = (href) => working(async (current) => {
    const asked = new URLSearchParams(new URL(href).hash.slice(1));
    status.textContent = "Loading";
    await openBoard(asked);
    if (!current()) return;
    note = "";
    const item = asked.get("item");
    const by = [asked.get("by"), asked.get("model"), board.index.models[0]?.id].find((id) => board.models.has(id));
    // An item of nobody: all answers to it.
    if (item && !asked.has("q") && !asked.has("by") && !asked.get("model")) asked.set("q", exactly(item));
    offer(asked);
    if (["domain", "model"].some((name) => asked.get(name) && !field(name).value)) {
      note = "The address names a domain or contestant that this board does not have.";
    }
    const hit = item && by !== undefined ? await board.find(item, by, asked.get("domain")) : null;
    if (!current()) return;
    if (item && !hit) {
      field("q").value = asked.get("q") === exactly(item) ? "" : field("q").value;
      note = "The item that the address names is not on this board.";
    }
    if (hit && field("domain").value) field("domain").value = hit.domain.id;
    await renew(current, hit);
  });

  let typing = null;
  const typed = () => {
    clearTimeout(typing);
    typing = null;
    changed();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (!target.matches("input")) return;
    clearTimeout(typing);
    typing = setTimeout(typed, TYPING_MS);
  });
  form.addEventListener("change", ({ target }) => {
    // What was typed may have been looked for already: then the list stays as it is.
    if (target.matches("input")) {
      if (typing !== null) typed();
    } else if (target.name !== "board") changed();
    else working(async (current) => {
      await openBoard(new URLSearchParams({ board: target.value }));
      if (!current()) return;
      offer(new URLSearchParams());
      await renew(current, null);
    });
  });
  find(".nb-clear").addEventListener("click", () => {
    offer(new URLSearchParams());
    changed();
  });
  list.addEventListener("click", (event) => {
    const at = [...list.children].indexOf(event.target.closest("li"));
    if (at < 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    choose(search.hits[at]);
  });
  more.addEventListener("click", () => show(shown + PAGE));
  count.addEventListener("click", () => working(async (current) => {
    await search.until(Infinity);
    if (current()) draw();
  }));
  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    const button = { ArrowLeft: previous, ArrowRight: next }[event.key];
    if (!button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, select, .nb-scroll")) return;
    button.click();
  });
  window.addEventListener("hashchange", ({ newURL }) => restore(newURL));
  restore(location.href);
};
