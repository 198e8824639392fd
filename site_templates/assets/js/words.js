// Numbers as readers see them: the same words as nullbench_site/site/words.py, which a test holds beside these.

export const ABSENT = "not measured";
const MINUS = "\u2212";
const THIN = "\u202f";
const SPACE = "\u00a0";
const MOST_DIGITS = 6;

export const known = (value) => value !== null && value !== undefined;

// Half to even, as Python rounds; `toFixed` alone rounds a half up. Both see all digits of the binary number.
const fixed = (value, digits) => {
  const rounded = value.toFixed(digits);
  const exact = value.toFixed(digits + 40);
  if (!/^50*$/.test(exact.slice(exact.length - 40))) return rounded;
  const below = exact.slice(0, exact.length - 40).replace(/\.$/, "");
  return Number(below.at(-1)) % 2 ? rounded : below;
};

export const number = (value, digits = 1, absent = ABSENT) => {
  if (!known(value)) return absent;
  const text = fixed(Math.abs(value), digits);
  const [whole, ...parts] = text.split(".");
  const sign = value < 0 && Number(text) ? MINUS : "";
  return sign + [whole.replace(/\B(?=(\d{3})+$)/g, THIN), ...parts].join(".");
};

export const signed = (value, digits = 1) => {
  const text = number(value, digits);
  return known(value) && value > 0 && Number(fixed(value, digits)) ? `+${text}` : text;
};

export const interval = (low, high, digits = 1, signs = false) => {
  if (!known(low) || !known(high) || low >= high) return "";
  const hidden = (end) => signs && end !== 0 && !/[1-9]/.test(number(end, digits));
  if ((number(low, digits) === number(high, digits) || (low > 0 && hidden(low)) || (high < 0 && hidden(high)))
    && digits < MOST_DIGITS) return interval(low, high, digits + 1, signs);
  const end = signs ? signed : number;
  return `[${end(low, digits)}${signs || low < 0 ? " to " : "–"}${end(high, digits)}]`;
};

export const percent = (share, digits = 1) => known(share) ? `${number(100 * share, digits)}${SPACE}%` : ABSENT;

export const milliseconds = (value) => {
  if (!known(value)) return ABSENT;
  if (value < 0.9995) return `${number(1000 * value, 0)}${SPACE}µs`;
  if (value < 999.5) return `${number(value, value < 99.95 ? 1 : 0)}${SPACE}ms`;
  return `${number(value / 1000, 1)}${SPACE}s`;
};

export const rankRange = (rank, low, high) => {
  if (!known(rank)) return "–";
  if (!known(low) || !known(high)) return `${rank}?`;
  return low === high ? String(low) : `${low}–${high}`;
};

export const of = (part, whole) => `${number(part, 0)} of ${number(whole, 0)}`;

export const plural = (count, noun) => count === 1 ? `1 ${noun}` : `${number(count, 0)} ${noun}s`;

export const listed = (words) => (
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
);

export const dollars = (value) => {
  if (value > 0 && value < 0.00005) return "< $0.0001";
  return `$${number(value, value === 0 || value >= 0.995 ? 2 : 4)}`;
};
