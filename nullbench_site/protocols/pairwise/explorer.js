// What the evidence explorer shows of a `pairwise` board: both answers beside each other, and what judges said of them.

import { details, element, rounded, table, text } from "../dom.js";
import { answerText, names, panelOf } from "../explorer/answers.js";
import { verdictBox } from "../explorer/calls.js";
import { promptItem } from "../explorer/items.js";

const VERDICTS = ["much worse", "worse", "as good", "better", "much better"];
const ORDERS = ["first", "second"];
const SHOWN = 3;

const unique = (values) => [...new Set(values)];

export const item = (index, shown) => promptItem(shown, () => (
  shown.reference ? [element("h3", "Reference answer"), text(shown.reference, "")] : []
), index.source);

export const opponents = ({ samples }) => unique(samples.flatMap(({ games }) => games.map(({ opponent }) => opponent)));

// The answer of an opponent in the same wording and sample, or in its first.
const otherText = ({ answer }, { sample: number, template: wording }) => {
  const same = answer?.samples.filter(({ sample }) => sample === number) ?? [];
  const found = same.find(({ template }) => template === wording) ?? same[0] ?? answer?.samples[0];
  if (!found) return element("p", "No answer is recorded.", "nb-quiet");
  if (found.error) return element("p", "Its call failed.", "nb-quiet");
  return element("div", [...(found.before ?? []), found].map((turn) => answerText(turn, "")));
};

const heading = (title) => Object.assign(element("h3", title), { dir: "auto" });
const column = (title, shown) => element("div", [heading(title), shown]);

export const texts = (sample, others) => {
  const against = Object.values(others);
  const [first, ...rest] = against;
  if (!first) return [answerText(sample)];
  const pair = [column("This answer", answerText(sample)), column(first.title, otherText(first, sample))];
  return [element("div", pair, "nb-beside"), ...rest.map((other) => details(["The answer of ", element("bdi", other.title)], otherText(other, sample)))];
};

// What this answer won of a game: verdicts are in the order in which answers were shown. null: no verdict was read.
const won = ({ scores: { preference, verdict }, position }) => {
  const shown = verdict === undefined ? preference === 0 ? 0.5 : preference - 1 : (verdict + 2) / 4;
  return Number.isNaN(shown) ? null : position === 0 ? 1 - shown : shown;
};

// 1 where this answer won a game, 0 where nobody did, -1 where it lost; null: no verdict was read.
export const standing = (game) => won(game) === null ? null : Math.sign(won(game) - 0.5);

const outcome = (game) => {
  const { scores, state } = game, share = won(game);
  if (share === null) return state === "errored" ? "failed" : "not readable";
  if (scores.verdict !== undefined) return VERDICTS[4 * share];
  const apart = scores.missing_mass === undefined ? "" : `, other tokens have ${rounded(100 * scores.missing_mass)} %`;
  return `${rounded(100 * share)} of 100${scores.token_alone ? ", by the token alone" : apart}`;
};

const order = ({ position }) => position === undefined || position === null ? "not known" : `shown ${ORDERS[position]}`;

export const verdicts = (index, _item, { games, hidden }, others) => {
  if (!games.length) return [element("p", "No game.")];
  return unique(games.map(({ opponent }) => opponent)).flatMap((opponent, number) => {
    const own = games.filter((game) => game.opponent === opponent);
    const judges = names(index, own);
    const name = others[opponent]?.title ?? opponent, title = `Against ${name}`;
    const parts = [
      table(title, ["Judge", "This answer", "What it won"], own.map((game, place) => [judges[place], order(game), outcome(game)])),
      ...(hidden ? [] : own.map((game, place) => verdictBox(`${judges[place]}, this answer ${order(game)}`, game))),
    ];
    return number < SHOWN ? [heading(title), ...parts] : [details(["Against ", element("bdi", name)], parts)];
  });
};

export const score = (index, score, state) => `${state}: won ${rounded(score.overall)} of 100 ${panelOf(index, score.spread ? `, judges differ by ${rounded(score.spread)}` : "")}`;
