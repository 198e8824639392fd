// The answers that match, found tile by tile: no further than a reader wants to see.

import { Hit } from "./board.js";
import { answerTest, itemTest, ORDERS } from "./filters.js";

const AHEAD = 6;

export class Search {
  // progress: called with how many tiles are read, of how many.
  constructor(board, wanted, progress) {
    Object.assign(this, { board, wanted, progress, hits: [], done: false, read: 0 });
    this.order = Object.hasOwn(ORDERS, wanted.sort) ? ORDERS[wanted.sort] : null;
    this.rows = board.rows(wanted.domain);
    this.columns = board.columns(wanted.model);
    this.steps = this.scan();
  }

  // How many answers match, as far as that is known: all of a full board where nothing but its parts is chosen.
  get total() {
    if (this.done) return this.hits.length;
    const { items, answers, models } = this.board.index;
    const others = Object.entries(this.wanted).some(([name, value]) => value && !["domain", "model", "sort"].includes(name));
    if (others || answers !== items * models.length) return null;
    const chosen = this.rows.reduce((sum, { from, to }) => sum + to - from, 0);
    return chosen * (this.board.models.has(this.wanted.model) ? 1 : models.length);
  }

  get tiles() { return this.rows.length * this.columns.length; }

  // Reads on until there are so many hits, or all where they have to be put into order.
  async until(count) {
    const enough = this.order ? Infinity : count;
    while (!this.done && this.hits.length < enough) {
      const { value, done } = await this.steps.next(enough === Infinity);
      this.done = done;
      if (!done) this.hits.push(...value);
    }
    if (this.order && this.done) {
      this.hits.sort(this.order);
      this.order = null;
    }
  }

  // The tile, while those that come after it are asked for too where all are wanted.
  tile(row, column, all) {
    if (all) {
      const from = row * this.columns.length + column;
      for (let next = from + 1; next <= from + AHEAD && next < this.tiles; next += 1) {
        this.at(Math.floor(next / this.columns.length), next % this.columns.length).catch(() => {});
      }
    }
    return this.at(row, column);
  }

  at(row, column) { return this.board.tile(this.rows[row].row, this.columns[column]); }

  // Hits item by item, each with its contestants in the order of the board.
  async* scan() {
    const wantsItem = itemTest(this.wanted);
    const wantsAnswer = answerTest(this.wanted);
    let all = false;
    const seen = new Set();
    const tileOf = async (row, column) => {
      const tile = await this.tile(row, column, all);
      seen.add(row * this.columns.length + column);
      this.read = seen.size;
      this.progress();
      return tile;
    };
    for (const [row, { from, to }] of this.rows.entries()) {
      const first = await tileOf(row, 0);
      for (let place = from; place < Math.min(to, first.items.id.length); place += 1) {
        if (!wantsItem(new Hit(this.board, first, place, first.contestants[0]))) continue;
        for (const column of this.columns.keys()) {
          const tile = await tileOf(row, column);
          const hits = tile.contestants.map((contestant) => new Hit(this.board, tile, place, contestant));
          all = yield hits.filter((hit) => hit.answered && wantsAnswer(hit));
        }
      }
    }
  }
}
