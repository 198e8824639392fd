// The numbers of one domain or one difficulty in the place of those of the whole board.

import { element, link } from "../dom.js";
import { interval, known, milliseconds, number, of, percent, rankRange } from "../words.js";
import { placesOf, sortValues } from "./rows.js";

// The answers behind a score of a part, where the score of the whole board leads to all of them.
const scoreLink = (row, part, place) => link(`${row.link}&${new URLSearchParams({ [part.kind]: part.id })}`, number(part.score[place]));

const scoreNodes = (row, part, place) => {
  const ends = interval(part.ci_low[place], part.ci_high[place]);
  return [element("b", known(part.score[place]) ? scoreLink(row, part, place) : number(null)), " ", element("span", ends, "nb-pm")];
};

const rankNodes = (part, place) => {
  const range = rankRange(part.rank[place], part.rank_low[place], part.rank_high[place]);
  return part.best[place] ? [range, element("i", " may be the first", "nb-sr")] : [range];
};

const valueWords = (part, { key, kind, digits }, place) => {
  const value = part.columns[key][place];
  if (kind === "percent") {
    const [low, high] = (part.ends[key] ?? []).map((side) => side[place]);
    const whole = known(value) ? part.wholes[key]?.[place] : null;
    return [percent(value), known(whole) ? `of ${number(whole, 0)}` : "", known(low) ? interval(100 * low, 100 * high) : ""].filter(Boolean).join(" ");
  }
  if (kind === "time") return milliseconds(value);
  if (kind === "count" && known(value)) return of(value, part.wholes[key][place]);
  return number(value, digits);
};

const nodesOf = (row, part, head) => {
  const { place } = row;
  if (head.key === "rank") return rankNodes(part, place);
  if (head.key === "score") return scoreNodes(row, part, place);
  if (head.key === "interval") {
    const [low, high] = [part.ci_low[place], part.ci_high[place]];
    if (!known(low)) return [element("span", "not measured", "nb-quiet")];
    const drawn = element("span", element("i", interval(low, high)), "nb-interval");
    for (const [name, value] of [["--a", part.score[place]], ["--l", low], ["--h", high]]) drawn.style.setProperty(name, value.toFixed(1));
    return [drawn];
  }
  return [valueWords(part, head, place)];
};

// What a column of a part is sorted by.
export const partValues = (board, part, head) => {
  const { key } = head;
  if (key === "name") return sortValues(board, head);
  if (key === "interval") return part.ci_low;
  if (key === "score") return part.score;
  if (key !== "rank") return part.columns[key];
  return placesOf(board.rows, ({ place: a }, { place: b }) => (part.rank[a] ?? Infinity) - (part.rank[b] ?? Infinity)
    || (part.score[b] ?? -1) - (part.score[a] ?? -1));
};

// Whether a column has numbers in a part.
export const inPart = (head) => !head.wholeOnly;

const floorWords = (part) => known(part.floor) ? `${number(part.floor)}: what the best null model scores here` : "";

// Puts the numbers of a part into the cells of rows, or those of the whole board back where there is none.
export const fillRows = (board, part, rows) => {
  const heads = board.heads.filter((head) => inPart(head) && head.key !== "name");
  for (const row of rows) {
    if (row.part === part) continue;
    row.part = part;
    row.link ??= row.tr.querySelector(".c-score a")?.href;
    row.whole ??= [...row.cells].map((cell) => [...cell.childNodes]);
    for (const head of heads) {
      const cell = row.cells[head.place];
      cell.replaceChildren(...(part ? nodesOf(row, part, head) : row.whole[head.place]));
      if (head.key === "interval") cell.classList.toggle("nb-none", !cell.querySelector(".nb-interval"));
    }
  }
};

// Where the axis of the intervals ends, in the table and in words.
const showAxis = (board, part) => {
  const words = board.table.querySelector(".nb-extent");
  board.axis ??= { top: board.table.style.getPropertyValue("--top"), extent: words.textContent };
  const top = part ? part.top === 100 ? "" : String(part.top) : board.axis.top;
  if (top) board.table.style.setProperty("--top", top);
  else board.table.style.removeProperty("--top");
  words.textContent = part ? part.extent : board.axis.extent;
};

// The figures above the table; the words of the legend that hold for the whole board alone.
const showFacts = ({ facts, wholeFacts, ofWhole }, part) => {
  const made = part?.facts.map(([value, name]) => element("div", [element("dt", name), element("dd", value)]));
  facts.replaceChildren(...(made ?? wholeFacts));
  for (const words of ofWhole) words.hidden = part !== null;
};

// The same for what stands above the board and for the null floor.
export const showAround = (board, part) => {
  board.reading ??= [...board.says.childNodes];
  board.says.replaceChildren(...(part ? [element("p", part.says, "nb-says")] : board.reading));
  const foot = board.table.querySelector(".nb-floor-words");
  board.whole ??= { floor: board.table.style.getPropertyValue("--f"), foot: foot?.textContent };
  const floor = part ? part.floor?.toFixed(1) : board.whole.floor;
  if (floor) board.table.style.setProperty("--f", floor);
  else board.table.style.removeProperty("--f");
  if (foot) foot.textContent = part ? floorWords(part) : board.whole.foot;
  showAxis(board, part);
  showFacts(board, part);
};
