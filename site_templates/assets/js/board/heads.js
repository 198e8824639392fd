// The head of a column: a button that sorts, and beside it what the column means, reachable by pointer and by keyboard.

import { element } from "../dom.js";

const EDGE = 8;

// Below the head and inside the window, whatever scrolls around it.
const place = (th, tip) => {
  const { left, bottom } = th.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - EDGE;
  tip.style.left = `${Math.max(EDGE, Math.min(left, room))}px`;
  tip.style.top = `${bottom}px`;
};

const addTip = (head, link, button) => {
  const tip = element("div", undefined, "nb-tip");
  const said = element("p", link.title);
  said.id = `nb-tip-${head.place}`;
  const more = element("a", `How ${head.title.toLowerCase()} is made`);
  more.href = link.href;
  tip.append(said, more);
  tip.hidden = true;
  button.setAttribute("aria-describedby", said.id);
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
    const link = head.th.querySelector("a");
    const button = element("button", undefined, "nb-sort");
    button.type = "button";
    button.append(...(link ?? head.th).childNodes);
    button.addEventListener("click", () => sort(head));
    head.th.replaceChildren(button, ...(link ? [addTip(head, link, button)] : []));
  }
};

export const markSorted = (board, key, direction) => {
  for (const { th, key: own } of board.heads) {
    if (own === key) th.setAttribute("aria-sort", direction === "asc" ? "ascending" : "descending");
    else th.removeAttribute("aria-sort");
  }
};
