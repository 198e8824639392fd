// Every answer of a board at a glance: a row a contestant, a column an item, stronger for a higher score.

import { loader } from "./data.js";
import { element } from "./dom.js";
import { Board, Hit } from "./explorer/board.js";
import { number } from "./words.js";

const ROW = 24;
const GAP = 4;
const MOST = [200, 4000];
const FAILED = ["refused", "errored", "unparsed", "invalid"];
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const mean = (hits) => hits.reduce((sum, { score }) => sum + (score ?? 0), 0) / hits.length;

// The items of a board, each with the cells of its first contestants.
const columnsOf = async (board) => {
  const across = board.columns().slice(0, Math.ceil(MOST[0] / board.tileModels)), down = board.rows().slice(0, Math.ceil(MOST[1] / board.tileItems));
  const rows = await Promise.all(down.map(({ row }) => Promise.all(across.map((column) => board.tile(row, column)))));
  return rows.flatMap((row) => row[0].items.id.map((_, place) => (
    row.flatMap((tile) => tile.contestants.map((contestant) => new Hit(board, tile, place, contestant))).slice(0, MOST[0])
  ))).slice(0, MOST[1]);
};

const draw = async (box, { root, board: id, evidence }) => {
  const load = loader(root), board = new Board(await load(`evidence/${id}/index.json`), load), columns = await columnsOf(board);
  const [group, sort, heads, canvas, says] = box.querySelectorAll("select, .nb-scroll > div, canvas, p");
  const all = [[board.models.size, "contestants"], [board.index.items, "items"]];
  const cut = all.flatMap(([n, name], place) => n > MOST[place] ? [`the first ${number(MOST[place], 0)} of ${number(n, 0)} ${name}`] : []);
  if (cut.length) box.prepend(element("p", `Drawn: ${cut.join(" and ")}.`, "nb-note"));
  box.hidden = false;
  box.querySelector("ol").append(...columns[0].map(({ title }) => element("li", title)));
  const width = Math.min(ROW, Math.max(3, Math.floor(canvas.parentElement.clientWidth / columns.length)));
  let shown = [], left = [], at = null;

  const paint = () => {
    const groups = new Map();
    for (const column of columns) {
      const name = group.value === "domain" ? column[0].domain.title : column[0].difficulty;
      groups.set(name, [...groups.get(name) ?? [], column]);
    }
    if (sort.value) for (const some of groups.values()) some.sort((one, other) => mean(one) - mean(other));
    shown = [...groups.values()].flat();
    left = [];
    heads.replaceChildren(...[...groups].map(([name, some]) => {
      const head = element("bdi", name), start = left.length ? left.at(-1) + width + GAP : 0;
      head.style.left = `${start}px`;
      left.push(...some.map((_, place) => start + place * width));
      return head;
    }));
    Object.assign(canvas, { width: left.at(-1) + width, height: ROW * columns[0].length });
    const pen = canvas.getContext("2d");
    for (const [column, hits] of shown.entries()) {
      for (const [row, { score, state, answered }] of hits.entries()) {
        pen.fillStyle = `rgb(27 132 181 / ${answered ? 8 + 0.92 * (score ?? 0) : 0}%)`;
        pen.fillRect(left[column], ROW * row + 1, width - (width > 3), ROW - 2);
        pen.fillStyle = "#c05a2c";
        if (answered && FAILED.includes(state.id)) pen.fillRect(left[column], ROW * row + ROW - 6, width - (width > 3), 4);
      }
    }
  };

  const tell = (column, row) => {
    at = [Math.min(Math.max(column, 0), shown.length - 1), Math.min(Math.max(row, 0), columns[0].length - 1)];
    const hit = shown[at[0]][at[1]];
    says.textContent = `${hit.title}, ${hit.item} (${hit.domain.title}, ${hit.difficulty}): ${hit.answered ? `${number(hit.score)}, ${hit.ended}` : "no answer"}`;
  };
  const open = async () => {
    const hit = shown[at[0]][at[1]], { item } = await board.texts(hit);
    location.assign(item.link ?? `${evidence}#${new URLSearchParams({ board: id, by: hit.model, item: hit.item })}`);
  };
  const under = ({ offsetX, offsetY }) => tell(left.findLastIndex((x) => x <= offsetX), Math.floor(offsetY / ROW));
  canvas.addEventListener("mousemove", under);
  canvas.addEventListener("click", (event) => { under(event); open(); });
  canvas.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (move) tell(...move.map((step, place) => at ? at[place] + step : 0));
    else if (event.key === "Enter" && at) open();
    else return;
    event.preventDefault();
  });
  for (const select of [group, sort]) select.addEventListener("change", paint);
  paint();
};

// A large map waits for its button; others for a reader who comes near.
export const start = ([button]) => {
  button.hidden = false;
  button.addEventListener("click", () => { button.remove(); draw(box, box.dataset).catch(fail); });
  const box = button.nextElementSibling;
  const fail = ({ message }) => {
    box.hidden = false;
    box.replaceChildren(`The map could not be drawn: ${message}. Reload the page.`);
  };
  if (!("asks" in box.dataset)) new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) button.click(); }).observe(button);
};
