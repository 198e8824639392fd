// A field that finds one of many entries while a reader types, as the ARIA authoring practices have a combobox.

import { element } from "../dom.js";

const SHOWN = 40;

// input: with the list it controls beside it. entries(): what can be chosen now, {id, label, beside} each.
// choose(id): called with what was chosen.
export const combobox = (input, entries, choose) => {
  const box = document.getElementById(input.getAttribute("aria-controls"));
  let active = -1;

  const options = () => [...box.querySelectorAll("[role=option]")];

  const close = () => {
    box.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const activate = (place) => {
    const all = options();
    if (!all.length) return;
    active = (place + all.length) % all.length;
    for (const [number, option] of all.entries()) option.setAttribute("aria-selected", String(number === active));
    input.setAttribute("aria-activedescendant", all[active].id);
    all[active].scrollIntoView({ block: "nearest" });
  };

  const option = ({ id, label, beside }, number) => {
    const made = element("li");
    made.id = `${box.id}-${number}`;
    made.dataset.id = id;
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    made.append(element("bdi", label), " ", element("bdi", beside, "nb-quiet"));
    return made;
  };

  const note = (text) => {
    const made = element("li", text, "nb-quiet");
    made.setAttribute("role", "option");
    made.setAttribute("aria-disabled", "true");
    return made;
  };

  const open = () => {
    const wanted = input.value.toLowerCase().split(/\s+/u);
    const found = entries().filter(({ id, label, beside }) => {
      const text = `${label} ${id} ${beside}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    const made = found.slice(0, SHOWN).map(option);
    if (found.length > SHOWN) made.push(note(`${found.length - SHOWN} more; type to find them`));
    if (!found.length) made.push(note("No other contestant of the board has this in its name."));
    box.replaceChildren(...made);
    box.hidden = false;
    active = -1;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
  };

  const take = (chosen) => {
    if (!chosen?.dataset.id) return;
    input.value = "";
    close();
    choose(chosen.dataset.id);
  };

  const keys = {
    ArrowDown: () => { if (box.hidden) open(); activate(active + 1); },
    ArrowUp: () => { if (box.hidden) open(); activate(active < 0 ? -1 : active - 1); },
    Enter: () => { if (!box.hidden) take(options()[Math.max(active, 0)]); },
    Escape: () => { if (box.hidden) input.value = ""; else close(); },
  };

  input.addEventListener("input", open);
  input.addEventListener("click", open);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.isComposing) return;
    event.preventDefault();
    act();
  });
  // Not a click: that would come after the field has lost the focus.
  box.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    take(event.target.closest("[data-id]"));
  });
};
