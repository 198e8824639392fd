// What the page of comparison shows of a `pairwise` board: the games behind the scores, item by item.

import { Board } from "../explorer/board.js";
import { button, element, grid, head, rowHead, value } from "../dom.js";
import * as words from "../words.js";
import { column, evidence, title } from "../compare/sections.js";
import { standing } from "./pairwise.js";

const EVEN = 50;
const STEP = 10;

// How many items a contestant won, drew and lost: by more than half of its games there, half, and less.
const tally = (scores) => [1, 0, -1].map((sign) => scores.filter((score) => words.known(score) && Math.sign(score - EVEN) === sign).length);

const counts = (view) => grid(
  "Items by what was won of their games", "nb-board",
  [head("Contestant", "c-name"), head("More than half"), head("Half"), head("Less"), head("No game", "num c-opt")],
  view.contestants.map((_, place) => {
    const ended = tally(view.scores[place]);
    const without = view.scores[place].filter((score) => !words.known(score)).length;
    return [rowHead(title(view, place), "c-name"), ...ended.map((n) => value(words.number(n, 0))), value(words.number(without, 0), "num c-opt")];
  }),
);

const both = (view, place) => {
  const over = [0, place].map((each) => view.scores[each].map((score) => words.known(score) ? score > EVEN : null));
  const items = (one, other) => over[0].filter((first, item) => first === one && over[1][item] === other).length;
  return element("p", [
    "More than half of its games: both on ", words.plural(items(true, true), "item"), ", only ", title(view, 0), ` on ${words.number(items(true, false), 0)}, only `,
    title(view, place), ` on ${words.number(items(false, true), 0)}, neither on ${words.number(items(false, false), 0)}.`,
  ], "nb-note");
};

// What one has won against the other, where they met.
const met = (view, place) => {
  const [one, other] = [0, place].map((each) => view.contestants[each].id);
  const [of, against] = view.board.met[one]?.[other] ? [0, place] : [place, 0];
  const found = view.board.met[one]?.[other] ?? view.board.met[other]?.[one];
  if (!found) return [];
  const [rate, n, why] = found;
  return [element("p", [
    "Against each other: ", title(view, of), ` won ${rate} of 100 over ${words.plural(n, "answer")} against `, title(view, against), why ? ` (no interval: ${why}).` : ".",
  ], "nb-note")];
};

const ENDS = [[1, "won"], [0, "drawn"], [-1, "lost"], [null, "not read"]];

// The verdicts on an answer in words, by whom it is held against where those are several.
const said = ({ samples }, titles, several) => {
  const games = samples.flatMap((sample) => sample.games);
  return [...new Set(games.map(({ opponent }) => opponent))].sort().map((opponent) => {
    const signs = games.filter((game) => game.opponent === opponent).map(standing);
    const ends = ENDS.map(([sign, name]) => [signs.filter((one) => one === sign).length, name]).filter(([n]) => n);
    const whom = several ? [element("bdi", titles.get(opponent)?.title ?? opponent), ": "] : [];
    return element("span", [...whom, ends.map(([n, name]) => `${n} ${name}`).join(", ")], "nb-parts");
  });
};

const verdicts = async (view, load, item) => {
  const board = new Board(await load(`evidence/${view.board.id}/index.json`), load);
  const { id, domain } = view.items[item];
  return Promise.all(view.contestants.map(async (contestant) => {
    const hit = await board.find(id, contestant.id, domain);
    const { answer } = hit?.answered ? await board.texts(hit) : {};
    const lines = answer ? said(answer, board.models, view.board.several) : [];
    const unscored = hit?.state && hit.state.id !== "scored";
    return lines.length || !unscored ? lines : [element("span", [hit.state.title], "nb-parts")];
  }));
};

export const items = (view, load) => {
  if (view.contestants.length < 2) return [];
  const apart = (item) => {
    const scores = view.scores.map((of) => of[item]).filter(words.known);
    return scores.length > 1 ? Math.max(...scores) - Math.min(...scores) : -1;
  };
  const order = view.items.map((_, item) => [item, apart(item)]).filter(([, by]) => by >= 0)
    .sort(([a, x], [b, y]) => y - x || a - b);
  const box = grid(
    "Games, item by item", "nb-board nb-games",
    [head("Item", "c-name"), ...view.contestants.map((_, place) => column(view, place)), head("Apart")], [],
  );
  const body = box.querySelector("tbody");
  const grow = () => {
    for (const [item, by] of order.slice(body.rows.length, body.rows.length + STEP)) {
      const { id, private: hidden } = view.items[item];
      const cells = view.contestants.map((_, place) => value(evidence(view, item, place)));
      const name = rowHead([id, ...(hidden ? [" ", element("span", "private", "nb-kind")] : [])], "c-name");
      body.insertRow().append(name, ...cells, value(words.number(by)));
      verdicts(view, load, item).then((found) => found.forEach((lines, place) => cells[place].append(...lines))).catch((error) => {
        cells[0].append(element("span", `The verdicts could not be loaded: ${error.message}.`, "nb-parts"));
      });
    }
    more.hidden = body.rows.length >= order.length;
  };
  const more = button("Show more items", "nb-plain-button", grow);
  grow();
  return [
    element("h2", "Games, item by item"),
    element("p", `Answers are held against ${view.board.against}. A score is the share of its games that an answer won, and leads to them: both answers, their order, and what each judge said. Below it the single verdicts are counted.`, "nb-note"),
    counts(view),
    ...view.contestants.flatMap((_, place) => place ? [both(view, place), ...met(view, place)] : []),
    box, more,
  ];
};
