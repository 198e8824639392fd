// What a reader has chosen, and the address that brings it back.

const TEXTS = ["q", "status", "origin", "vendor", "weights", "size", "price", "part"];

export const FIRST = { q: "", status: "", origin: "", vendor: "", weights: "", size: "", price: "", part: "", nulls: false, sort: "rank", hide: [], chosen: [] };
const KEYS = [...TEXTS, "nulls", "sort", "hide", "m"];
const MOST = 4;

const names = (text) => text ? text.split(",") : [];

export const readState = (search) => {
  const params = new URLSearchParams(search);
  const state = { ...FIRST };
  for (const name of TEXTS) state[name] = params.get(name) ?? "";
  state.nulls = params.get("nulls") === "1";
  state.sort = params.get("sort") || FIRST.sort;
  state.hide = names(params.get("hide"));
  state.chosen = names(params.get("m")).slice(0, MOST);
  return state;
};

// The query of the address, with what others put there left alone.
export const writeState = (state, search) => {
  const params = new URLSearchParams(search);
  for (const key of KEYS) params.delete(key);
  for (const name of TEXTS) if (state[name]) params.set(name, state[name]);
  if (state.nulls) params.set("nulls", "1");
  if (state.sort !== FIRST.sort) params.set("sort", state.sort);
  if (state.hide.length) params.set("hide", state.hide.join(","));
  if (state.chosen.length) params.set("m", state.chosen.join(","));
  const text = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text ? `?${text}` : "";
};

export const isFiltered = ({ q, status, origin, vendor, weights, size, price }) => Boolean(q || status || origin || vendor || weights || size || price);

// Whether the table looks other than in the HTML.
export const isChanged = (state) => isFiltered(state) || Boolean(state.part || state.hide.length) || state.sort !== FIRST.sort;

export const sorting = ({ sort }) => sort.startsWith("-") ? [sort.slice(1), "desc"] : [sort, "asc"];

export const choose = (state, id, on) => on
  ? [...state.chosen, id].slice(0, MOST) : state.chosen.filter((one) => one !== id);

export const isFull = (state) => state.chosen.length >= MOST;
