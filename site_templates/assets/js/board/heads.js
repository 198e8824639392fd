// The head of a column: a button that sorts, and beside it what the column means, reachable by pointer and by keyboard.

import { button, element, link } from "../dom.js";

const EDGE = 8;

// Below the head and inside the window, whatever scrolls around it.
const place = (th, tip) => {
  const { left, bottom } = th.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - EDGE;
  tip.style.left = `${Math.max(EDGE, Math.min(left, room))}px`;
  tip.style.top = `${bottom}px`;
};

const addTip = (head, { title, href }, sorts) => {
  const said = Object.assign(element("p", title), { id: `nb-tip-${head.place}` });
  const tip = element("div", [said, link(href, `How ${head.title.toLowerCase()} is made`)], "nb-tip");
  tip.hidden = true;
  sorts.setAttribute("aria-describedby", said.id);
  const show = () => { tip.hidden = false; place(head.th, tip); };
  const hide = () => { tip.hidden = true; };
  head.th.addEventListener("pointerenter", show);
  head.th.addEventListener("focusin", show);
  head.th.addEventListener("pointerleave", () => { if (!head.th.contains(document.activeElement)) hide(); });
  head.th.addEventListener("focusout", ({ relatedTarget }) => { if (!head.th.contains(relatedTarget)) hide(); });
  head.th.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
  window.addEventListener("scroll", hide, { passive: true, capture: true });
  return tip;
};

// sort: told of the key of the column whose head was pressed.
export const liven = (board, sort) => {
  for (const head of board.heads) {
    const about = head.th.querySelector("a");
    const sorts = button([...(about ?? head.th).childNodes], "nb-sort", () => sort(head));
    head.th.replaceChildren(sorts, ...(about ? [addTip(head, about, sorts)] : []));
  }
};

export const markSorted = (board, key, direction) => {
  for (const { th, key: own } of board.heads) th.ariaSort = own !== key ? null : direction === "asc" ? "ascending" : "descending";
};
