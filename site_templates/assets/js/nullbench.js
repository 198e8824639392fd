// What of the page needs a script; each part is loaded where the page has it. Without scripts tables and charts stand.

const PARTS = [
  [".md-header", "./frame.js"],
  [".nb-cards", "./home.js"],
  [".nb-board-box", "./board.js"],
  [".nb-what-if", "./what-if.js"],
  [".nb-map-draw", "./map.js"],
  ["#nb-explorer", "./explorer.js"],
  ["#nb-compare", "./compare.js"],
  ["#nb-compare-runs", "./runs.js"],
  ["#nb-glossary", "./glossary.js"],
];

for (const [selector, part] of PARTS) {
  const found = document.querySelectorAll(selector);
  if (found.length) import(part).then(({ start }) => start(found));
}
