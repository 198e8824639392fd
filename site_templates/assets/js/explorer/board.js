// The evidence of one board: its index, and the files that are asked for.

// A cell of a tile: one contestant's answer to one item.
export class Hit {
  constructor(board, tile, place, contestant) {
    Object.assign(this, { board, tile, place, contestant });
  }

  get item() { return this.tile.items.id[this.place]; }
  get model() { return this.contestant.id; }
  get title() { return this.board.models.get(this.model).title; }
  get begins() { return this.tile.items.begins[this.place]; }
  get private() { return this.tile.items.private[this.place]; }
  get domain() { return this.board.index.domains[this.tile.items.domain[this.place]]; }
  get difficulty() { return this.board.index.difficulties[this.tile.items.difficulty[this.place]]; }
  get state() { return this.board.index.states[Number(this.contestant.states[this.place])]; }
  // The state in words. It is that of the worst sample, so an answer with a score was not so in every sample.
  get ended() {
    const { states, samples, templates = [] } = this.board.index, several = samples * Math.max(templates.length, 1) > 1;
    return `${this.state.title}${several && this.score > 0 && this.state !== states[0] ? " at least once" : ""}`;
  }
  get score() { return this.contestant.scores[this.place]; }
  get apart() { return this.contestant.apart[this.place] ?? null; }
  get answered() { return this.contestant.states[this.place] !== "."; }

  // The types of checks that failed.
  get failed() {
    const found = this.contestant.failed.find(([place]) => place === this.place);
    return found ? found.slice(1).map((place) => this.board.checks[place]) : [];
  }

  is(item, model) { return this.item === item && this.model === model; }
}

export class Board {
  constructor(index, load) {
    this.index = index;
    this.root = load;
    this.load = (path) => load(`evidence/${index.board}/${path}`);
    this.models = new Map(index.models.map((model, place) => [model.id, { ...model, place }]));
    this.domains = new Map(index.domains.map((domain) => [domain.id, domain]));
    this.checks = Object.keys(index.checks ?? {});
    [this.tileItems, this.tileModels] = index.tile;
  }

  // Rows of tiles: the row, and from which to which of its items a domain (or the board) stands in it.
  rows(domain) {
    const { first, n } = this.domains.get(domain) ?? { first: 0, n: this.index.items };
    const rows = [];
    for (let row = Math.floor(first / this.tileItems); row * this.tileItems < first + n; row += 1) {
      const start = row * this.tileItems;
      rows.push({ row, from: Math.max(first - start, 0), to: Math.min(first + n - start, this.tileItems) });
    }
    return rows;
  }

  // Columns of tiles: that of a contestant, or all.
  columns(model) {
    const { place } = this.models.get(model) ?? {};
    if (place !== undefined) return [Math.floor(place / this.tileModels)];
    return Array.from({ length: Math.ceil(this.models.size / this.tileModels) }, (_, column) => column);
  }

  tile(row, column) { return this.load(`scores/${row}-${column}.json`); }

  // The cell of a contestant's answer to an item, in that domain if it is there; null where there is none.
  async find(item, model, domain) {
    const [column] = this.columns(model);
    for (const { row } of [...(this.domains.has(domain) ? this.rows(domain) : []), ...this.rows()]) {
      const tile = await this.tile(row, column);
      const place = tile.items.id.indexOf(item);
      if (place >= 0) return new Hit(this, tile, place, tile.contestants.find(({ id }) => id === model));
    }
    return null;
  }

  // The item of a cell and, where there is one, the answer.
  async texts(hit) {
    const [items, answers] = await Promise.all([
      this.load(`items/${hit.tile.items.part[hit.place]}.json`),
      hit.answered ? this.load(`answers/${hit.model}/${hit.contestant.parts[hit.place]}.json`) : {},
    ]);
    return { item: items[hit.item], answer: answers[hit.item] };
  }

  // Contestant -> its title and its answer to the item of a cell, where it has one. Controls are held against the
  // contestants of their board.
  async beside(hit, models) {
    const name = this.index.board.replace(/\/controls$/u, "");
    const board = name === this.index.board ? this : new Board(await this.root(`evidence/${name}/index.json`), this.root);
    const found = await Promise.all(models.map(async (model) => {
      const other = await board.find(hit.item, model, hit.domain.id);
      const { answer } = other?.answered ? await board.texts(other) : {};
      return [model, { title: board.models.get(model)?.title ?? model, answer }];
    }));
    return Object.fromEntries(found);
  }
}
