// The paired difference of two contestants, by the formula of nullbench_site/stats/comparison.py; a test compares the two.

// The quantile of the normal distribution for 95 %.
const Z = 1.959963984540054;

// What stands behind a "±"; null where there is no standard error.
export const halfWidth = (se) => se === null ? null : Z * se;

const added = (sums, key, value) => sums.set(key, (sums.get(key) ?? 0) + value);

// The mean over groups of the mean in each, and its standard error by clusters; null for no item.
// groups, clusters: a number an item; weights: by group, scaled to those that are there. se is null where no group has
// two clusters: residuals then cancel, which is no evidence.
export const groupedMean = (values, groups, clusters, weights) => {
  if (!values.length) return null;
  const sizes = new Map(), sums = new Map(), influence = new Map(), pairs = new Set();
  for (const [place, value] of values.entries()) {
    added(sizes, groups[place], 1);
    added(sums, groups[place], value);
    pairs.add(`${groups[place]} ${clusters[place]}`);
  }
  const total = [...sizes.keys()].reduce((sum, group) => sum + weights[group], 0);
  const share = (group) => weights[group] / total;
  const mean = [...sizes].reduce((sum, [group, size]) => sum + share(group) * sums.get(group) / size, 0);
  if (pairs.size === sizes.size) return { mean, se: null, n: values.length };
  for (const [place, value] of values.entries()) {
    const group = groups[place], size = sizes.get(group);
    added(influence, clusters[place], (value - sums.get(group) / size) * share(group) / size);
  }
  const squares = [...influence.values()].reduce((sum, of) => sum + of * of, 0);
  return { mean, se: Math.sqrt(influence.size / (influence.size - 1) * squares), n: values.length };
};

// How far `own` is from `other` on the chosen places of a board, of those at which both have a score.
// items: what items.json says of each place. weights: of the groups; without them all items are one group.
export const compared = (own, other, items, weights, places = [...items.keys()]) => {
  const both = places.filter((place) => own[place] !== null && other[place] !== null);
  const groups = both.map((place) => weights ? items[place].group : 0);
  const clusters = both.map((place) => items[place].cluster);
  const of = (values) => groupedMean(values, groups, clusters, weights ?? [1]);
  const difference = of(both.map((place) => own[place] - other[place]));
  if (difference === null) return null;
  const half = halfWidth(difference.se);
  return {
    ...difference,
    half,
    own: of(both.map((place) => own[place])).mean,
    other: of(both.map((place) => other[place])).mean,
    measurable: half !== null && Math.abs(difference.mean) > half,
    same: both.every((place) => own[place] === other[place]),
  };
};
