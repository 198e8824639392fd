// Tie groups stand as bands where rows stand by rank; two groups that meet have two shades, whoever is hidden between.

const SHADES = ["nb-tie", "nb-tie-other"];

export const showBands = (board, rows, byRank) => {
  board.box.classList.toggle("nb-unranked", !byRank);
  if (!byRank) return;
  let [shade, last] = [1, undefined];
  for (const row of rows.filter(({ banded }) => banded)) {
    if (row.tie !== last) shade = 1 - shade;
    last = row.tie;
    if (row.tr.className !== SHADES[shade]) row.tr.className = SHADES[shade];
  }
};
