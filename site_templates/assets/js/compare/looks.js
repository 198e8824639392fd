// How contestants look where several share a drawing: a colour, a shape and dashes each.

const SVG = "http://www.w3.org/2000/svg";

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

export const hue = (look) => `--nb-look: var(--nb-look-${look.colour})`;

// A contestant's mark at a point. look: its colour and shape.
export const mark = (look, x, y, size) => {
  const made = svg("g", { transform: `translate(${x} ${y})`, class: "nb-look", style: hue(look) });
  made.append(SHAPES[look.shape](size));
  return made;
};

// A contestant's line and mark, as legends show them. order: its place in the comparison, which its dashes tell.
export const key = (look, order) => {
  const made = svg("svg", { viewBox: "0 0 36 12", class: "nb-look-key", "aria-hidden": "true", focusable: "false" });
  made.append(
    svg("line", { x1: 0, x2: 36, y1: 6, y2: 6, class: `nb-look-line nb-dash-${order}`, style: hue(look) }),
    mark(look, 18, 6, 4),
  );
  return made;
};
