// What the header needs a script for: choosing light or dark, and the search, for which the theme's script is loaded.

const COLOURS = ["media", "scheme", "primary", "accent"];

// The button that belongs to the scheme in use is shown; pressing it chooses the next scheme, which the browser keeps.
const startPalette = (form) => {
  const options = [...form.querySelectorAll("input")];
  const kept = window.__md_get("__palette")?.index ?? options.findIndex(({ dataset }) => matchMedia(dataset.mdColorMedia).matches);
  let at = kept in options ? kept : 0;
  const show = () => {
    const color = Object.fromEntries(COLOURS.map((name) => [name, options[at].getAttribute(`data-md-color-${name}`)]));
    for (const name of COLOURS) document.body.setAttribute(`data-md-color-${name}`, color[name]);
    for (const option of options) if (option.nextElementSibling) option.nextElementSibling.hidden = option !== options[at];
    return { index: at, color };
  };
  form.addEventListener("click", ({ target }) => {
    if (!target.closest("button")) return;
    at = (at + 1) % options.length;
    window.__md_set("__palette", show());
    form.querySelector("button:not([hidden])")?.focus();
  });
  show();
};

// The theme's script and index weigh more than most pages: they are loaded for a reader who goes to the search.
const loadTheme = () => {
  const waiting = document.querySelector("script[data-src]");
  if (!waiting) return;
  const script = document.createElement("script");
  script.src = waiting.dataset.src;
  waiting.replaceWith(script);
};

const startSearch = (search, button, query) => {
  for (const place of [search, button]) for (const event of ["pointerenter", "focusin"]) place.addEventListener(event, loadTheme);
  document.addEventListener("keydown", (event) => {
    const typed = event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select");
    if (typed || !["/", "f", "s"].includes(event.key) || !document.querySelector("script[data-src]")) return;
    event.preventDefault();
    button.click();
  });
  button.hidden = false;
  button.addEventListener("click", () => {
    document.getElementById("__search").click();
    query.focus();
  });
  query.addEventListener("keydown", (event) => { if (event.key === "Escape") button.focus(); });
};

export const start = ([header]) => {
  document.documentElement.classList.replace("no-js", "js");
  if (self !== top) document.head.append(Object.assign(document.createElement("base"), { target: "_blank" })); // not in the frame
  const palette = header.querySelector(".nb-palette");
  const query = header.querySelector(".md-search__input");
  if (palette) startPalette(palette);
  const button = header.querySelector(".nb-search-button"), zensical = header.querySelector(".md-search__button");
  if (query) startSearch(query.closest(".md-search"), button, query);
  else if (zensical) { // whose own button is out of sight on a phone
    button.hidden = false;
    button.addEventListener("click", () => zensical.click());
  }
};
