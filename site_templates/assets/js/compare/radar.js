// Profiles over one another: the geometry of nullbench_site/site/charts/radar.py, a circle of radius 1, y downwards.

const SVG = "http://www.w3.org/2000/svg";
const LABEL_AT = 1.13;
const SIZE = 0.042;
const LINE = 0.115;
const LETTER = 0.056;
const MOST = 16;

export const svg = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const triangle = (turn) => (s) => svg("polygon", {
  points: `0,${-1.2 * s} ${1.15 * s},${0.9 * s} ${-1.15 * s},${0.9 * s}`, transform: `rotate(${turn})`,
});

const SHAPES = {
  circle: (s) => svg("circle", { r: s }),
  square: (s) => svg("rect", { x: -0.9 * s, y: -0.9 * s, width: 1.8 * s, height: 1.8 * s }),
  "triangle-up": triangle(0),
  "triangle-right": triangle(90),
  "triangle-down": triangle(180),
  "triangle-left": triangle(270),
  diamond: (s) => svg("polygon", { points: `0,${-1.35 * s} ${1.35 * s},0 0,${1.35 * s} ${-1.35 * s},0` }),
  cross: (s) => svg("path", { d: `M${-s},${-s}L${s},${s}M${-s},${s}L${s},${-s}`, class: "nb-cross" }),
};

// A contestant's mark at a point. look: its colour and shape.
export const mark = (look, x, y, size = SIZE) => {
  const made = svg("g", { transform: `translate(${x} ${y})`, class: `nb-look nb-look-${look.colour}` });
  made.append(SHAPES[look.shape](size));
  return made;
};

// A contestant's line and mark, as legends show them. order: its place in the comparison, which its dashes tell.
export const key = (look, order) => {
  const made = svg("svg", { viewBox: "0 0 36 12", class: "nb-look-key", "aria-hidden": "true", focusable: "false" });
  made.append(
    svg("line", { x1: 0, x2: 36, y1: 6, y2: 6, class: `nb-look-line nb-look-${look.colour} nb-dash-${order}` }),
    mark(look, 18, 6, 4),
  );
  return made;
};

export const position = (value, place, spokes, scale) => {
  const radius = Math.max(0, (value - scale.low) / (scale.high - scale.low));
  const angle = 2 * Math.PI * place / spokes;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
};

const corners = (values, scale) => values
  .map((value, place) => position(value, place, values.length, scale).map((at) => at.toFixed(3)).join(",")).join(" ");

// A long title in lines of whole words.
const lines = (label) => {
  const made = [""];
  for (const word of label.split(/\s+/u)) {
    const longer = `${made.at(-1)} ${word}`.trim();
    if (longer.length <= MOST) made[made.length - 1] = longer;
    else made.push(word);
  }
  const shown = made.filter(Boolean).slice(0, 3);
  return shown.map((line) => line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line);
};

const label = (shown, place, n, scale) => {
  const [x, y] = position(scale.high, place, n, scale);
  const anchor = x > 0.2 ? "start" : x < -0.2 ? "end" : "middle";
  const top = y * LABEL_AT - (shown.length - 1) * LINE * (1 - y) / 2 + 0.03;
  const made = svg("text", { "text-anchor": anchor, class: "nb-radar-label" });
  for (const [number, line] of shown.entries()) {
    made.append(svg("tspan", { x: (x * LABEL_AT).toFixed(3), y: (top + number * LINE).toFixed(3) }, line));
  }
  return made;
};

// Half the width that the radar needs with its labels beside it.
const reach = (labels, scale) => Math.max(1.2, ...labels.map((shown, place) => {
  const [x] = position(scale.high, place, labels.length, scale);
  const wide = LETTER * Math.max(...shown.map((line) => line.length));
  return Math.abs(x) > 0.2 ? LABEL_AT * Math.abs(x) + wide : wide / 2;
}));

// The line of the goals, as the legend shows it.
export const goalKey = () => {
  const made = svg("svg", { viewBox: "0 0 36 12", class: "nb-look-key", "aria-hidden": "true", focusable: "false" });
  made.append(svg("line", { x1: 0, x2: 36, y1: 6, y2: 6, class: "nb-goal-line" }));
  return made;
};

// scale: the page's radar of the board. profiles: {look, order, values} each, null where a value is absent.
// A profile that would not be whole is not joined by a line.
export const radar = (scale, profiles, alt) => {
  const n = scale.spokes.length;
  const labels = scale.spokes.map((spoke) => lines(spoke.label));
  const half = reach(labels, scale);
  const box = `${-half} -1.36 ${2 * half} 2.72`;
  const made = svg("svg", { viewBox: box, role: "img", "aria-label": alt, class: "nb-overlaid" });
  for (const ring of scale.rings) {
    made.append(svg("polygon", { points: corners(Array(n).fill(ring), scale), class: "nb-ring" }));
  }
  for (let place = 0; place < n; place += 1) {
    const [x, y] = position(scale.high, place, n, scale);
    made.append(svg("line", { x1: 0, y1: 0, x2: x.toFixed(3), y2: y.toFixed(3), class: "nb-ring" }));
    made.append(label(labels[place], place, n, scale));
  }
  const goals = scale.spokes.map((spoke) => spoke.goal);
  if (!goals.includes(null)) made.append(svg("polygon", { points: corners(goals, scale), class: "nb-goal-line" }));
  for (const { look, order, values } of profiles) {
    if (values.includes(null)) continue;
    const line = `nb-look-line nb-look-${look.colour} nb-dash-${order}`;
    made.append(svg("polygon", { points: corners(values, scale), class: line }));
  }
  for (const { look, values } of profiles) {
    for (const [place, value] of values.entries()) {
      if (value !== null) made.append(mark(look, ...position(value, place, n, scale).map((at) => at.toFixed(3))));
    }
  }
  return made;
};
