// Student's t distribution, by the formulas of nullbench_site/stats/student.py; a test compares the two.

// The logarithm of the gamma function, by the approximation of Lanczos with g = 7.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

const logGamma = (x) => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const sum = LANCZOS.reduce((total, part, place) => total + (place ? part / (x - 1 + place) : part), 0);
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
};

// I_x(a, b) for x below (a + 1) / (a + b + 2), by its continued fraction.
const incompleteBeta = (a, b, x) => {
  if (x === 0) return 0;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let d = 1 / (1 - (a + b) * x / (a + 1)), c = 1, fraction = d;
  for (let m = 1; m < 300; m += 1) {
    const before = fraction;
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= c * d;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    fraction *= c * d;
    if (Math.abs(fraction - before) < 1e-15 * fraction) break;
  }
  return front * fraction;
};

// P(|T| >= |t|) with `df` degrees of freedom.
export const twoSidedP = (t, df) => {
  const x = df / (df + t * t);
  return x < (df / 2 + 1) / (df / 2 + 2.5) ? incompleteBeta(df / 2, 0.5, x) : 1 - incompleteBeta(0.5, df / 2, 1 - x);
};

// The t with P(|T| > t) = alpha, at most 5 %: Newton's steps from the normal distribution's on, in log t, where none leaves t > 0.
export const quantile = (df, alpha = 0.05) => {
  const scale = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(Math.PI * df) / 2;
  let logT = Math.log(1.959963984540054);
  for (let step = 1, n = 0; Math.abs(step) > 1e-12 && n < 300; n += 1) {
    const p = twoSidedP(Math.exp(logT), df);
    const logDensity = scale - (df + 1) / 2 * Math.log1p(Math.exp(2 * logT) / df);
    step = (Math.log(p) - Math.log(alpha)) * p / (2 * Math.exp(logDensity + logT));
    logT += Math.max(-2, Math.min(2, step));
  }
  return Math.exp(logT);
};
