// The paired difference of two contestants, by the formulas of nullbench_site/stats/estimate.py; a test compares the two.

import { quantile } from "./student.js";

const LEAST_CLUSTERS = 6;
const Z = 1.959963984540054;
// Of boards that show none of the items an interval allows for, and how much farther than the farthest cluster these lie.
const UNSEEN = 0.6, FARTHER = 12;
// Of all scores: what a difference may be.
const LARGEST = 100;
// As scoring/rounding.py: what is shown is rounded from that, so that a difference of 0.25 is not a little more here.
const DIGITS = 6;
const rounded = (value) => value === null ? null : Number(value.toFixed(DIGITS));

const added = (sums, key, value) => sums.set(key, (sums.get(key) ?? 0) + value);
const sum = (values) => [...values].reduce((total, value) => total + value, 0);

// What is independent of each other: the number of a block of each group; groups that share a cluster are of one.
const blocksOf = (parts) => {
  const block = new Map([...parts.keys()].map((group) => [group, group]));
  const root = (group) => block.get(group) === group ? group : root(block.get(group));
  const first = new Map();
  for (const [group, { residuals }] of parts) {
    for (const cluster of residuals.keys()) {
      if (first.has(cluster)) block.set(root(group), root(first.get(cluster)));
      else first.set(cluster, group);
    }
  }
  return { ofGroup: root, ofCluster: (cluster) => root(first.get(cluster)) };
};

// |sum d| / sqrt(sum d^2), d what each cluster adds to the mean: `flip_statistic` of nullbench_site/stats/ranking.py.
const flipStatistic = (values, groups, clusters, parts) => {
  const added_by = new Map();
  for (const [place, value] of values.entries()) {
    const { size, share } = parts.get(groups[place]);
    added(added_by, clusters[place], share * value / size);
  }
  const norm = Math.sqrt(sum([...added_by.values()].map((part) => part ** 2)));
  return norm > 0 ? Math.abs(sum(added_by.values())) / norm : 0;
};

// The mean over groups of the mean in each, its standard error by clusters and the degrees of freedom of that; null for
// no item. groups, clusters: a number an item; weights: by group, scaled to those that are there.
export const groupMean = (values, groups, clusters, weights) => {
  if (!values.length) return null;
  const sizes = new Map(), sums = new Map(), parts = new Map();
  for (const [place, value] of values.entries()) {
    added(sizes, groups[place], 1);
    added(sums, groups[place], value);
  }
  const whole = sum([...sizes.keys()].map((group) => weights[group]));
  for (const [place, value] of values.entries()) {
    const group = groups[place], size = sizes.get(group);
    if (!parts.has(group)) parts.set(group, { size, share: weights[group] / whole, residuals: new Map() });
    added(parts.get(group).residuals, clusters[place], value - sums.get(group) / size);
  }
  const mean = sum([...parts].map(([group, { size, share }]) => share * sums.get(group) / size));
  const found = { mean, n: values.length, clusters: new Set(clusters).size, se: null, df: null, statistic: null };
  const several = [...parts].filter(([, { residuals }]) => residuals.size > 1);
  if (!several.length) return found;
  found.statistic = flipStatistic(values, groups, clusters, parts);
  const looks = sum(several.map(([, { residuals }]) => residuals.size - 1));
  const alone = sum([...parts.values()].filter(({ residuals }) => residuals.size === 1).map(({ share }) => share ** 2));
  const dust = 1e-11 * Math.max(...values.map(Math.abs));
  const influence = new Map(), dfs = new Map(), variances = new Map(), blocks = blocksOf(parts);
  for (const [group, { size, share, residuals }] of several) {
    const m = residuals.size, block = blocks.ofGroup(group);
    const factor = Math.sqrt((share ** 2 + alone * (m - 1) * m / looks) * m / (m - 1)) / size;
    for (const [cluster, residual] of residuals) {
      added(influence, cluster, Math.abs(residual) <= dust ? 0 : residual * factor);
    }
    dfs.set(block, Math.min(dfs.get(block) ?? Infinity, m - 1));
  }
  for (const [cluster, of] of influence) added(variances, blocks.ofCluster(cluster), of ** 2);
  const variance = sum(variances.values()), of_blocks = sum(dfs.values());
  const moment = (more) => sum([...variances].map(([block, of]) => (of / variance) ** 2 / (dfs.get(block) + more)));
  const cubes = sum([...influence.values()].map((part) => part ** 3));
  return {
    ...found, se: Math.sqrt(variance),
    df: variance > 0 ? 1 / moment(0) : of_blocks,
    boundedDf: variance > 0 ? Math.min(1 / moment(2), of_blocks) : of_blocks,
    skew: variance > 0 ? cubes / variance : 0,
    farthest: Math.max(...[...influence.values()].map(Math.abs)),
  };
};

// The ends of the interval of a difference at level 1 - alpha, `difference_ends`; null if clusters are too few, or all
// items alike.
const certainty = ({ mean, se, clusters, boundedDf, skew, farthest }, alpha) => {
  if (alpha === 0 || se === null || clusters < LEAST_CLUSTERS || (se === 0 && mean === 0)) return { low: null, high: null };
  if (se > 0) {
    const t = quantile(boundedDf), half = quantile(boundedDf, alpha) * se, moved = skew * (2 * t * t + 1) / 6;
    const unseen = -Math.log(UNSEEN) * FARTHER * farthest, most = 1 - UNSEEN ** (1 / clusters);
    const below = Math.hypot(half + Math.max(-moved, 0), Math.min(unseen, most * (LARGEST + mean)));
    const above = Math.hypot(half + Math.max(moved, 0), Math.min(unseen, most * (LARGEST - mean)));
    return { low: Math.max(mean - below, -LARGEST), high: Math.min(mean + above, LARGEST) };
  }
  const several = Math.abs(mean) === LARGEST ? clusters : (clusters + boundedDf + 1) / 2;
  const q = Z * Z / (several + Z * Z);
  return { low: mean - q * (mean + LARGEST), high: mean + q * (LARGEST - mean) };
};

// How far `own` is from `other` on the chosen places of a board, of those at which both have a score.
// items: what items.json says of each place. weights: of the groups; without them all items are one group. critical: what
// the statistic has to exceed to be significant beside all other differences of the board or the domain: |t| if the
// joint test of the board is the bootstrap. alpha: of repeated intervals, or null for 95 % ones. A difference whose
// interval holds 0 is not significant.
export const compared = (
  own, other, items, { weights = null, critical = null, alpha = null, test = "flips", places = [...items.keys()] } = {},
) => {
  const both = places.filter((place) => own[place] !== null && other[place] !== null);
  const groups = both.map((place) => weights ? items[place].group : 0);
  const clusters = both.map((place) => items[place].cluster);
  const of = (values) => groupMean(values, groups, clusters, weights ?? [1]);
  const difference = of(both.map((place) => own[place] - other[place]));
  if (difference === null) return null;
  const sure = certainty(difference, alpha ?? 0.05);
  const { mean, se } = difference;
  const statistic = test === "bootstrap" && se > 0 ? Math.abs(mean) / se : difference.statistic;
  return {
    ...difference,
    ...sure,
    mean: rounded(difference.mean),
    low: rounded(sure.low),
    high: rounded(sure.high),
    own: rounded(of(both.map((place) => own[place])).mean),
    other: rounded(of(both.map((place) => other[place])).mean),
    significant: statistic === null || critical === null ? null
      : statistic > critical && !(difference.se > 0 && sure.low <= 0 && sure.high >= 0),
    same: both.every((place) => own[place] === other[place]),
  };
};
