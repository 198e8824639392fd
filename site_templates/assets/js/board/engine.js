// Which rows and columns of a board are in the table, and in which order.

import { AT_ONCE, element } from "../dom.js";

// Who has no number stands last, whichever way the others go; equals keep the order of the board.
const byValue = (values, sign) => (a, b) => {
  const [one, other] = [values[a], values[b]];
  if (one === null || other === null) return (one === null) - (other === null) || a - b;
  return sign * (one - other) || a - b;
};

const showColumns = ({ heads, rows, table }, hidden) => {
  for (const head of heads.filter(({ th, place }) => th.hidden !== hidden[place])) {
    head.th.hidden = hidden[head.place];
    for (const { cells } of rows) cells[head.place].hidden = head.th.hidden;
  }
  let from = 0;
  for (const th of table.tHead.rows[0].cells) {
    th.dataset.width ??= th.colSpan;
    const to = from + Number(th.dataset.width);
    const width = hidden.slice(from, to).filter((is) => !is).length;
    th.hidden = width === 0;
    if (width) th.colSpan = width;
    from = to;
  }
  for (const row of table.tFoot?.rows ?? []) row.cells[1].colSpan = hidden.filter((is) => !is).length - 1;
};

// matches: whether a row is shown. values: what each row is sorted by. Returns the places of all rows that match, in
// their order.
export const draw = (board, { matches, values, down, hidden }) => {
  showColumns(board, hidden);
  const places = board.rows.filter(matches).map(({ place }) => place).sort(byValue(values, down ? -1 : 1));
  const none = element("tr", Object.assign(element("td", "No contestant matches."), { colSpan: hidden.length }));
  board.table.tBodies[0].replaceChildren(...(places.length ? places.map((place) => board.rows[place].tr) : [none]));
  board.box.querySelector(".nb-all")?.toggleAttribute("hidden", places.length <= AT_ONCE);
  return places;
};
