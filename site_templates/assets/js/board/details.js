// On a phone most columns fall away; a button in each row opens what they hold.

import { element } from "../dom.js";

const PHONE = "(max-width: 45rem)";

const figures = (board, row, hidden) => {
  const made = element("dl", undefined, "nb-row-figures");
  for (const { title, place } of board.heads.filter((head) => head.group && !hidden(head))) {
    const entry = element("div");
    const value = element("dd");
    value.append(...[...row.cells[place].childNodes].map((node) => node.cloneNode(true)));
    entry.append(element("dt", title), value);
    made.append(entry);
  }
  return made;
};

const close = (row) => {
  row.figures?.remove();
  row.figures = null;
  row.opener?.setAttribute("aria-expanded", "false");
};

const addOpener = (board, row, hidden) => {
  row.opener = element("button", "Details", "nb-more");
  row.opener.type = "button";
  row.opener.setAttribute("aria-label", `Details of ${row.title}`);
  row.opener.setAttribute("aria-expanded", "false");
  row.opener.addEventListener("click", () => {
    if (row.figures) { close(row); return; }
    row.figures = figures(board, row, hidden);
    row.opener.after(row.figures);
    row.opener.setAttribute("aria-expanded", "true");
  });
  row.tr.querySelector(".c-name").append(row.opener);
};

// hidden: whether a column is not shown now. Returns what closes all rows.
export const startDetails = (board, hidden) => {
  const phone = matchMedia(PHONE);
  const add = () => {
    if (!phone.matches || board.rows[0]?.opener) return;
    for (const row of board.rows) addOpener(board, row, hidden);
  };
  phone.addEventListener("change", add);
  add();
  return () => { for (const row of board.rows) if (row.figures) close(row); };
};
