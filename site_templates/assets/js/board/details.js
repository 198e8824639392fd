// On a phone most columns fall away; a button in each row opens what they hold.

import { AT_ONCE, button, element } from "../dom.js";

const PHONE = "(max-width: 45rem)";

const figures = (board, row, hidden) => element("dl", board.heads.filter((head) => head.group && !hidden(head)).map(({ title, place }) => (
  element("div", [element("dt", title), element("dd", [...row.cells[place].cloneNode(true).childNodes])])
)), "nb-row-figures");

const close = (row) => {
  row.figures?.remove();
  row.figures = null;
  row.opener.ariaExpanded = "false";
};

const addOpener = (board, row, hidden) => {
  row.opener = button("Details", "nb-more", () => {
    if (row.figures) { close(row); return; }
    row.figures = figures(board, row, hidden);
    row.opener.after(row.figures);
    row.opener.ariaExpanded = "true";
  });
  Object.assign(row.opener, { ariaLabel: `Details of ${row.title}`, ariaExpanded: "false" });
  row.name.parentElement.append(row.opener);
};

// hidden: whether a column is not shown now. Returns what closes all rows.
export const startDetails = (board, hidden) => {
  const phone = matchMedia(PHONE);
  const add = () => {
    if (!phone.matches || board.rows[0]?.opener) return;
    const open = (rows) => { for (const row of rows) addOpener(board, row, hidden); };
    open(board.rows.slice(0, AT_ONCE));
    // Those that are not shown at first get theirs in a task of their own.
    setTimeout(open, 0, board.rows.slice(AT_ONCE));
  };
  phone.addEventListener("change", add);
  add();
  return () => { for (const row of board.rows) if (row.figures) close(row); };
};
