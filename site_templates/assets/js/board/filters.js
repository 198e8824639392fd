// Which contestants are shown, and which choices the data has.

import { number } from "../words.js";

const RANGES = 5;
const UNKNOWN = "unknown";

const distinct = (values) => [...new Set(values)];

// At most RANGES upper bounds that stand in the data, none of which holds everybody.
const bounds = (values) => {
  const known = distinct(values.filter((value) => value !== null)).sort((a, b) => a - b);
  if (known.length < 2) return [];
  const inner = known.slice(0, -1);
  const step = Math.max(1, inner.length / RANGES);
  return distinct(Array.from({ length: Math.min(RANGES, inner.length) }, (_, n) => inner[Math.ceil((n + 1) * step) - 1]));
};

const short = (value) => number(value, value < 10 && value % 1 ? (value * 10 % 1 ? 2 : 1) : 0);

const ranges = (rows, field, any, label, unknown) => {
  const values = rows.map((row) => row[field]);
  const options = bounds(values).map((bound) => [String(bound), label(short(bound))]);
  if (values.some((value) => value !== null) && values.includes(null)) options.push([UNKNOWN, unknown]);
  return options.length ? [["", any], ...options] : [];
};

const vendors = (rows) => {
  const found = distinct(rows.map((row) => row.vendor).filter(Boolean)).sort((a, b) => a.localeCompare(b));
  return found.length > 1 || (found.length && rows.some((row) => !row.vendor))
    ? [["", "Any vendor"], ...found.map((vendor) => [vendor, vendor])] : [];
};

const weights = (rows) => {
  const found = distinct(rows.map((row) => row.weights).filter(Boolean));
  const known = [["open", "Open weights"], ["closed", "Closed weights"]].filter(([value]) => found.includes(value));
  const unknown = found.length && rows.some((row) => !row.weights) ? [[UNKNOWN, "Weights not known"]] : [];
  return known.length + unknown.length > 1 ? [["", "Any weights"], ...known, ...unknown] : [];
};

const STATUSES = [["active", "Active"], ["provisional", "Provisional"], ["retired", "Retired"]];

const statuses = (rows) => {
  const found = STATUSES.filter(([value]) => rows.some((row) => row.status === value));
  return found.length > 1 ? [["", "Any status"], ...found] : [];
};

const CLAIMS = ["reproduced", "signed"];

const called = (origin) => origin[0].toUpperCase() + origin.slice(1) + (CLAIMS.includes(origin) ? " (claim)" : "");

const origins = (rows) => {
  const found = distinct(rows.map((row) => row.origin)).sort();
  return found.length > 1 ? [["", "Any provenance"], ...found.map((origin) => [origin, called(origin)])] : [];
};

// The choices of each filter, as value and words; none where the data has nothing to choose from.
export const offered = (rows) => ({
  status: statuses(rows),
  origin: origins(rows),
  vendor: vendors(rows),
  weights: weights(rows),
  size: ranges(rows, "size", "Any size", (bound) => `≤ ${bound}B`, "Size not known"),
  price: ranges(rows, "price", "Any price", (bound) => `≤ $${bound} per million out`, "Price not known"),
});

const within = (value, bound) => {
  if (!bound) return true;
  return bound === UNKNOWN ? value === null : value !== null && value <= Number(bound);
};

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// folds: whether null models are left out until the reader asks for them.
export const matcher = (state, folds) => {
  const sought = plain(state.q.trim());
  return (row) => (!folds || state.nulls || row.kind !== "null")
    && (!state.status || row.status === state.status)
    && (!state.origin || row.origin === state.origin)
    && (!state.vendor || row.vendor === state.vendor)
    && (!state.weights || (row.weights ?? UNKNOWN) === state.weights)
    && within(row.size, state.size) && within(row.price, state.price)
    && (!sought || plain(`${row.title} ${row.vendor ?? ""}`).includes(sought));
};
