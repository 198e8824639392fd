// What the header needs a script for: choosing light or dark, and opening the search on a narrow screen.

// The theme shows the button that belongs to the scheme in use, and knows how to change it by its own hidden inputs.
const startPalette = (form) => {
  const inputs = [...form.querySelectorAll("input")];
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const at = inputs.indexOf(button.previousElementSibling);
    inputs[(at + 1) % inputs.length].click();
    form.querySelector("button:not([hidden])")?.focus();
  });
  for (const button of form.querySelectorAll("button")) {
    // At Enter the theme would change the scheme too, and back again.
    button.addEventListener("keydown", (event) => { if (event.key === "Enter") event.stopPropagation(); });
  }
};

const startSearch = (button, query) => {
  button.hidden = false;
  button.addEventListener("click", () => {
    document.getElementById("__search").click();
    query.focus();
  });
  query.addEventListener("keydown", (event) => { if (event.key === "Escape") button.focus(); });
};

export const start = ([header]) => {
  const palette = header.querySelector(".nb-palette");
  const query = header.querySelector(".md-search__input");
  if (palette) startPalette(palette);
  if (query) startSearch(header.querySelector(".nb-search-button"), query);
};
