// The home page was once the page of a board. What its old addresses ask for is now on that board's own page.

import { isChanged, readState } from "./board/state.js";

export const start = ([cards]) => {
  const { hash, search } = location;
  const state = readState(search);
  const isLost = hash && !document.getElementById(hash.slice(1));
  if (isLost || isChanged(state) || state.chosen.length) location.replace(`${cards.dataset.front}${search}${hash}`);
};
