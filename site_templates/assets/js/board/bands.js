// Tie groups stand as bands where rows stand by rank; two groups that meet have two shades, whoever is hidden between.
// In a part of the board those that may be the first share the only band.

const SHADES = ["nb-tie", "nb-tie-other"];

export const showBands = (board, part, rows, byRank) => {
  board.box.classList.toggle("nb-unranked", !byRank);
  if (!byRank) return;
  const several = part !== null && part.best.filter(Boolean).length > 1;
  let [shade, last] = [1, undefined];
  for (const row of rows) {
    let wanted = "";
    if (part) {
      if (several && part.best[row.place]) [wanted] = SHADES;
    } else if (row.banded) {
      if (row.tie !== last) shade = 1 - shade;
      last = row.tie;
      wanted = SHADES[shade];
    }
    if (row.tr.className !== wanted) row.tr.className = wanted;
  }
};
