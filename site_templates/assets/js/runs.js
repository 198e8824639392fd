// Two runs beside each other; which two stands in the address. What they hold comes from data files.

import { loader } from "./data.js";
import { element, link, table } from "./dom.js";
import { ABSENT, known, number, plural, rankRange, signed } from "./words.js";

const same = (a, b) => a.benchmark === b.benchmark && a.profile === b.profile && a.spec_digest === b.spec_digest;

const rank = (row) => rankRange(row.rank, row.rank_low, row.rank_high);
const stood = (row) => row ? `${number(row.overall)} · ${rank(row)}` : "not there";

const difference = (before, after) => before && after && known(before.overall) && known(after.overall)
  ? signed(after.overall - before.overall)
  : ABSENT;

const inBoth = (a, b) => {
  const before = new Map(a ? a.rows.map((row) => [row.model, row]) : []);
  const after = new Map(b ? b.rows.map((row) => [row.model, row]) : []);
  return [...new Set([...after.keys(), ...before.keys()])].map((model) => [before.get(model), after.get(model)]);
};

// Who judged stands wherever scores do.
const panels = (before, after) => before && after && before.panel !== after.panel
  ? [`Before: ${before.panel}`, `After: ${after.panel}`]
  : [(after ?? before).panel];

const boardOf = (title, before, after, linked) => {
  const pairs = inBoth(before, after);
  const moved = pairs.filter(([was, is]) => was && is && rank(was) !== rank(is)).length;
  const both = pairs.filter(([was, is]) => was && is).length;
  const made = element("section");
  made.append(
    element("h2", title),
    ...panels(before, after).filter(Boolean).map((panel) => element("p", panel, "nb-panel")),
  );
  if (!before || !after) {
    made.append(element("p", `Only the run ${before ? "before" : "after"} has this board.`, "nb-says"));
    return made;
  }
  made.append(
    element("p", `${plural(both, "contestant")} in both; ${number(moved, 0)} with another rank or range of ranks. Scores stand before ranks.`, "nb-says"),
  );
  const head = ["Contestant", "Before", "After", "Difference"];
  const shown = table(`${title}: ranks and scores in both runs`, head, pairs.map(([was, is]) => [
    (is ?? was).title, stood(was), stood(is), difference(was, is),
  ]));
  for (const [place, th] of shown.querySelectorAll("tbody th").entries()) {
    const { model } = pairs[place][1] ?? pairs[place][0];
    if (linked.has(model)) th.append(link(linked.get(model), [...th.childNodes]));
  }
  made.append(shown);
  return made;
};

const compared = (a, b, linked) => {
  const titles = new Map([...a.boards, ...b.boards].map((board) => [board.id, board.title]));
  const find = (run, id) => run.boards.find((board) => board.id === id);
  return [...titles].map(([id, title]) => boardOf(title, find(a, id), find(b, id), linked));
};

export const start = ([page]) => {
  page.hidden = false;
  const load = loader(page.dataset.root);
  const models = JSON.parse(page.querySelector(".nb-compare-data").textContent);
  const linked = new Map(models.map((model) => [model, `${page.dataset.models}${model}/`]));
  const [a, b] = ["a", "b"].map((name) => page.querySelector(`select[name=${name}]`));
  const [status, shown] = ["[role=status]", ".nb-compared-runs"].map((selector) => page.querySelector(selector));

  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const select of [a, b]) {
      const name = wanted.get(select.name);
      if ([...select.options].some((option) => option.value === name)) select.value = name;
    }
  };

  const show = async () => {
    const chosen = [a.value, b.value];
    try {
      const [before, after] = await Promise.all(chosen.map((name) => load(`runs/${name}.json`)));
      if (chosen[0] !== a.value || chosen[1] !== b.value) return;
      status.textContent = before.run === after.run ? "Both are the same run."
        : same(before, after) ? "The two asked and judged the same."
          : "The specs of the two differ, so a difference of scores need not be the contestants' own alone.";
      shown.replaceChildren(...compared(before, after, linked));
    } catch {
      status.textContent = "The data of these runs could not be loaded.";
      shown.replaceChildren();
    }
  };

  page.querySelector("form").addEventListener("change", () => {
    history.replaceState(null, "", `#${new URLSearchParams({ a: a.value, b: b.value })}`);
    show();
  });
  addEventListener("hashchange", () => { read(); show(); });
  read();
  show();
};
