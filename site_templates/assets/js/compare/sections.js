// What a comparison shows, part by part. Titles reach the page as text, each with a reading direction of its own.

import { element, grid, head, link, rowHead, value } from "../dom.js";
import * as words from "../words.js";
import { hue, key, mark, svg } from "./looks.js";

const ITEMS = 10;
const STEPS = [1, 2, 5, 10, 20, 50, 100];

export const title = (view, place) => element("bdi", view.contestants[place].title);

// A list in words, of nodes.
const listed = (nodes) => nodes.flatMap((node, place) => (
  place === 0 ? [node] : [place === nodes.length - 1 ? " and " : ", ", node]
));

// The name of a metric, with what it means and a link to its formula.
const metric = (view, id, label) => {
  const { title: name, sentence } = view.metrics[id];
  return Object.assign(link(`${view.addresses.glossary}#metric-${id}`, label ?? name, "nb-head"), { title: sentence });
};

// A contestant as a column's head: its mark and its name.
export const column = (view, place) => head([key(view.contestants[place], place), title(view, place)], "num nb-of-look");

const nowrap = (text) => element("span", text.trim(), "nb-nowrap");

// A difference without its sign, or with it, each with its interval.
const by = ({ mean, low, high }) => {
  const ends = mean < 0 && words.known(low) ? words.interval(-high, -low) : words.interval(low, high);
  return nowrap(`${words.number(Math.abs(mean))} ${ends}`);
};
const signed = ({ mean, low, high }) => (
  nowrap(`${words.signed(mean)} ${words.interval(low, high, 1, true)}`)
);

// --- what may be said: by the phrases of nullbench_site/site/claims.py -------------------------------------------

const outcome = ({ same, mean, significant }) => {
  if (same) return "same";
  if (mean === 0) return "equal";
  if (significant === null) return "unknown";
  return significant ? "significant" : "insignificant";
};

// How many trust marks of the two are low. number: of a domain; without it the whole board.
const lowMarks = (view, place, number = -1) => Math.max(
  ...[0, place].map((one) => Number(view.board.marks[view.contestants[one].id][number + 1])),
);

// How the difference of two came out on the whole board, and whether it is robust to the panel; where that was not
// studied, as in domains, by the items alone.
const outcomes = (view, place, result, number) => {
  const [one, other] = [0, place].map((each) => view.contestants[each].id);
  const studied = number < 0 ? view.board.pairs[`${one} ${other}`] ?? view.board.pairs[`${other} ${one}`] : null;
  return studied ?? `${outcome(result)} ${view.board.robust}`;
};

// Why nothing comparative is said of the two; empty where something may be.
const silence = (view, place, number = -1) => {
  const marks = lowMarks(view, place, number);
  const low = marks < view.silent ? [] : [`${marks === view.marks ? "all" : `${marks} of`} ${view.marks} trust checks are low or unmeasured`];
  return [...view.board.silence ? [view.board.silence] : [], ...low].join("; ");
};

// What a claim about the two lacks: points, or a part of the reporting minimum; empty where it lacks nothing.
const lacks = (view, place, { mean, own, other, n }) => {
  const least = 2 * Math.max(...[own, other].map((score) => Math.sqrt(score * (100 - score) / n)));
  const small = Math.abs(mean) > least ? [] : [`the difference of ${words.number(Math.abs(mean), 2)} points is not above ${words.number(least, 2)}, two plain errors of a score`];
  const names = new Set([0, place].flatMap((each) => view.board.lacks[view.contestants[each].id] ?? []));
  return [...small, ...names.size ? [`the reporting minimum lacks ${words.listed([...names])}`] : []].join("; ");
};

const phrases = (view, place, result, number = -1) => {
  if (silence(view, place, number)) return view.phrases.silent;
  const found = outcomes(view, place, result, number);
  const leads = ["significant holds", "significant no judge"].includes(found);
  return view.phrases[leads && lacks(view, place, result) ? "lacking" : found];
};

// The nodes of a phrase. holds: what stands in its braces, nodes or texts.
const filled = (phrase, holds) => phrase.split(/[{}]/u).flatMap((part, n) => n % 2 ? holds[part] : [part]);

// number: of a domain; without it the whole board.
const said = (view, { place, overall, domains }, number = -1) => {
  const { title: domain } = view.board.domains[number] ?? {};
  const result = domain === undefined ? overall : domains[number];
  const part = domain === undefined ? [] : [" in ", element("bdi", domain)];
  if (result === null) return ["No item", ...part, " has a score of both ", title(view, 0), " and ", title(view, place), "."];
  const pair = [[place, result.own], [0, result.other]];
  const [first, second] = result.mean >= 0 ? pair : pair.reverse();
  return filled(phrases(view, place, result, number).sentence, {
    a: title(view, first[0]), b: title(view, second[0]), by: by(result), silence: silence(view, place, number), lacks: lacks(view, place, result),
    score_a: words.number(first[1]), score_b: words.number(second[1]),
    on: element("span", [`on ${words.plural(result.n, domain !== undefined || result.n === view.items.length ? "item" : "shared item")}`, ...part]),
  });
};

// What other judges make of the difference on the whole board, of two of which the results tell it.
const otherJudges = (view, { place, overall }) => {
  if (overall === null) return [];
  const [one, other] = [0, place].map((each) => view.contestants[each].id);
  const found = view.board.other_judges[`${one} ${other}`] ?? view.board.other_judges[`${other} ${one}`];
  return found ? [` The difference is ${found}.`] : [];
};

export const verdicts = (view) => {
  if (!view.pairs.length) return [];
  const domain = view.board.domains.findIndex(({ id }) => id === view.domain);
  const there = domain < 0 ? [] : view.pairs.map((pair) => element("p", said(view, pair, domain), "nb-verdict-said"));
  const overall = view.pairs.map((pair) => element("p", [...said(view, pair), ...otherJudges(view, pair)], "nb-verdict-said"));
  const opening = view.board.opening ? [element("p", view.board.opening, "nb-says")] : [];
  return [element("div", [...there, ...overall], "nb-quote"), ...opening, element("p", view.board.panel, "nb-panel")];
};

// --- profiles ----------------------------------------------------------------------------------------------------

const tick = (x, className) => svg("line", { class: className, x1: x, x2: x, y1: 0, y2: 16 });
const drawn = (...parts) => svg(
  "svg", { viewBox: "0 0 200 16", class: "nb-iv nb-iv-marks", "aria-hidden": "true" },
  svg("line", { class: "nb-iv-axis", x1: 0, x2: 200, y1: 8, y2: 8 }), ...parts,
);

// Where the spokes are domains, their values stand with the differences.
export const profiles = (view) => {
  const scale = view.board.radar;
  if (scale === null || (!scale.field && scale.parts === "domains") || !view.rows.length) return [];
  const goals = scale.spokes.some((spoke) => spoke.goal !== null);
  const at = (number) => (200 * (number - scale.low) / (scale.high - scale.low)).toFixed(2);
  const places = [...view.rows.keys()];
  const extent = `${scale.low} to ${scale.high}`;
  return [element("h2", "Profiles"), grid(
    `${scale.caption}, ${extent}`, "nb-board nb-profiles", [
      head(scale.head, "c-name"), head(goals ? `${extent}, with the goal` : extent, "c-iv"),
      ...places.map((place) => column(view, place)), ...(goals ? [head("Goal")] : []),
    ],
    scale.spokes.map(({ id, label, goal }) => {
      const values = view.rows.map((row) => (scale.field ? row.board[scale.field][id] : row[scale.parts][id]?.overall) ?? null);
      const marks = places.filter((place) => values[place] !== null).map((place) => mark(view.contestants[place], at(values[place]), 8, 3.4));
      return [
        rowHead(element("bdi", label), "c-name"),
        value(drawn(...(goal === null ? [] : [tick(at(goal), "nb-goal-line")]), ...marks), "c-iv"),
        ...values.map((own) => value(words.number(own, goals ? 2 : 1, "–"))),
        ...(goals ? [value(words.number(goal, 2))] : []),
      ];
    }),
  )];
};

// --- differences ---------------------------------------------------------------------------------------------------

const verdict = (view, place, result, number) => {
  if (result === null) return "no shared item";
  const told = phrases(view, place, result, number);
  return filled(result.mean >= 0 ? told.higher : told.lower, { by: by(result), signed: signed(result) });
};

const drawing = (look, result, most) => {
  if (result === null) return element("span", "–", "nb-quiet");
  const at = (points) => (100 + 100 * Math.max(-1, Math.min(1, points / most))).toFixed(2);
  const ends = { x1: at(result.low), x2: at(result.high), y1: 8, y2: 8 };
  const span = words.known(result.low) ? [svg("line", { class: "nb-iv-span", style: hue(look), ...ends })] : [];
  return drawn(tick(100, "nb-iv-zero"), ...span, mark(look, at(result.mean), 8, 3.4));
};

const widest = (view) => {
  const ends = view.pairs.flatMap(({ overall, domains }) => [overall, ...domains])
    .filter((result) => result !== null).map(({ mean, low, high }) => Math.max(Math.abs(mean), Math.abs(low ?? 0), Math.abs(high ?? 0)));
  return STEPS.find((step) => step >= Math.max(...ends)) ?? STEPS.at(-1);
};

export const differences = (view) => {
  if (!view.pairs.some(({ overall }) => overall !== null)) return [];
  const most = widest(view);
  const several = view.pairs.length > 1;
  const reference = view.contestants[0].title;
  const lines = [
    ["Overall", ({ overall }) => overall],
    ...view.board.domains.map((domain, number) => [domain.title, ({ domains }) => domains[number]]),
  ];
  // With several contestants a domain is a row of its own above theirs.
  const group = (name) => [Object.assign(rowHead(element("bdi", name), "c-name"), { scope: "rowgroup", colSpan: 5 })];
  const bodies = lines.map(([name, result], number) => [...(several ? [group(name)] : []), ...view.pairs.map((pair) => {
    const own = result(pair);
    const contestant = [key(view.contestants[pair.place], pair.place), title(view, pair.place)];
    return [
      several ? rowHead(contestant, "nb-of-look") : rowHead(element("bdi", name), "c-name"),
      value(own === null ? "–" : words.number(own.other), "num c-opt"),
      value(own === null ? "–" : words.number(own.own), "num c-opt"),
      value(drawing(view.contestants[pair.place], own, most), "c-iv"),
      value(verdict(view, pair.place, own, number - 1), "c-verdict"),
    ];
  })]);
  const who = several ? "Differences" : `Difference of ${view.contestants[1].title}`;
  const caption = `${who} to ${reference} by domain`;
  const heads = [
    head(several ? "Domain, contestant" : "Domain", "c-name"),
    head(title(view, 0), "num c-opt"), head(several ? "Its score" : title(view, 1), "num c-opt"),
    head([`−${most} to +${most}`, element("span", " points", "nb-long")], "c-iv"),
    head(metric(view, "paired_difference", "Difference"), "c-verdict"),
  ];
  const which = several ? ["of each to "] : ["of ", title(view, 1), " to "];
  const interval = view.board.alpha === null ? "95 % interval" : "repeated confidence interval";
  const scale = `, in points, with its ${interval}: right of the line it is above zero.`;
  return [
    element("h2", "By domain"),
    element("p", ["The difference ", ...which, title(view, 0), scale], "nb-note"),
    grid(caption, `nb-board nb-differences${several ? " nb-several" : ""}`, heads, ...bodies),
  ];
};

// --- in short --------------------------------------------------------------------------------------------------------

// What may be said of the two by domains: those of which the same is said stand in one sentence.
const inDomains = (view, { place, domains }) => {
  const told = new Map();
  for (const [number, result] of domains.entries()) {
    if (result === null) continue;
    const { group } = phrases(view, place, result, number);
    if (!group) continue;
    const key = `${result.mean > 0} ${group}`;
    if (!told.has(key)) told.set(key, { group, own: result.mean > 0, named: [] });
    told.get(key).named.push(element("bdi", view.board.domains[number].title));
  }
  return [...told.values()].flatMap(({ group, own, named }) => [...filled(group, {
    a: title(view, own ? place : 0), b: title(view, own ? 0 : place), listed: listed(named),
  }), " "]);
};

const byItem = (view, place) => {
  const [own, reference] = [view.scores[place], view.scores[0]];
  const signs = own.flatMap((score, number) => (
    score === null || reference[number] === null ? [] : [Math.sign(score - reference[number])]
  ));
  const tally = (sign) => signs.filter((one) => one === sign).length;
  return [
    title(view, 0), ` scores higher on ${words.plural(tally(-1), "item")}, `, title(view, place),
    ` on ${words.number(tally(1), 0)}; on ${words.number(tally(0), 0)} they are equal.`,
  ];
};

export const inShort = (view) => {
  const measured = view.pairs.filter(({ overall }) => overall !== null);
  const told = measured.filter(({ place }) => !silence(view, place))
    .map((pair) => element("p", [...inDomains(view, pair), ...byItem(view, pair.place)]));
  return told.length ? [element("h2", "Item by item"), ...told] : [];
};

// --- items ---------------------------------------------------------------------------------------------------------

export const evidence = (view, item, place) => {
  const score = view.scores[place][item];
  if (score === null) return element("span", "no score", "nb-quiet");
  const { id, domain } = view.items[item];
  const parts = new URLSearchParams({ board: view.board.id, model: view.contestants[place].id, domain, item: id });
  const where = ` scored by ${view.contestants[place].title} on ${id}: the answer and what was said of it`;
  return link(`${view.addresses.evidence}#${parts}`, [words.number(score), element("span", where, "nb-sr")], "nb-item-score");
};

export const items = (view) => {
  const spread = (item) => {
    const given = view.scores.map((scores) => scores[item]).filter(words.known);
    return given.length > 1 ? Math.max(...given) - Math.min(...given) : 0;
  };
  const places = view.items.map((_, item) => [item, spread(item)]).filter(([, apart]) => apart > 0)
    .sort(([a, x], [b, y]) => y - x || a - b).slice(0, ITEMS);
  if (!places.length) return [];
  const titles = new Map(view.board.domains.map((domain) => [domain.id, domain.title]));
  return [
    element("h2", "Items where they differ most"),
    element("p", view.board.asked ? "A score leads to the answer behind it and to what was said of it." : "A score leads to its item.", "nb-note"),
    grid(
      "Items where they differ most", "nb-board", [
        head("Item", "c-name"), head("Domain", "c-opt"), head("Difficulty", "c-opt"),
        ...view.contestants.map((_, place) => column(view, place)), head("Apart"),
      ],
      places.map(([item, apart]) => {
        const about = view.items[item];
        return [
          rowHead([about.id, ...(about.private ? [" ", element("span", "private", "nb-kind")] : [])], "c-name"),
          value(element("bdi", titles.get(about.domain)), "c-opt"), value(about.difficulty ?? "", "c-opt"),
          ...view.contestants.map((_, place) => value(evidence(view, item, place))), value(words.number(apart)),
        ];
      }),
    ),
  ];
};
