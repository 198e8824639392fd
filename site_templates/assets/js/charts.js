// Charts made interactive on demand: Vega is loaded when a reader first asks for it.

import { loader } from "./data.js";
import { element } from "./dom.js";

const STAND_INS = {
  "#0000a1": "--nb-ink", "#0000a2": "--nb-muted", "#0000a3": "--nb-hairline", "#0000a4": "--nb-accent",
  "#0000a5": "--nb-gold", "#0000a6": "--nb-rust", "#0000a7": "--nb-surface",
  "#0000b0": "--nb-look-0", "#0000b1": "--nb-look-1", "#0000b2": "--nb-look-2", "#0000b3": "--nb-look-3",
  "#0000b4": "--nb-look-4", "#0000b5": "--nb-look-5", "#0000b6": "--nb-look-6",
};

const template = loader(new URL("../charts/", import.meta.url).href);

let vega = null;
let failed = 0;
const loadVega = () => {
  vega ??= new Promise((resolve, reject) => {
    const tag = document.createElement("script");
    tag.type = "module";
    // A browser keeps the failure of a module under its address, so another try has another address.
    tag.src = new URL(failed ? `../vega.js?${failed}` : "../vega.js", import.meta.url).href;
    tag.onload = resolve;
    tag.onerror = () => { vega = null; failed += 1; reject(new Error("the chart library could not be loaded")); };
    document.head.append(tag);
  });
  return vega;
};

// Colours stay names of variables, so that a chart on the page turns dark with it.
const themed = (value) => {
  if (typeof value === "string") return value in STAND_INS ? `var(${STAND_INS[value]})` : value;
  if (Array.isArray(value)) return value.map(themed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, themed(inner)]));
};

// The policy of the pages lets nothing be compiled, so Vega interprets its expressions, and our CSS shows its tooltip.
const OPTIONS = {
  renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true, theme: "nb" },
};

const enliven = async (chart, button) => {
  button.disabled = true;
  try {
    const { kind, datasets, ...own } = JSON.parse(chart.querySelector(".nb-chart-data").textContent);
    const [spec] = await Promise.all([template(`${kind}.json`), loadVega()]);
    const live = document.createElement("div");
    live.className = "nb-chart-live";
    const font = getComputedStyle(document.body).fontFamily;
    await window.vegaEmbed(live, { ...themed({ ...spec, ...own }), datasets, config: { font, view: { stroke: null } } }, OPTIONS);
    const still = chart.querySelector(".nb-chart-static");
    const drawn = live.querySelector("svg");
    drawn.removeAttribute("style");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", still.getAttribute("aria-label"));
    still.replaceWith(live);
    const hint = element("span", "Point at a mark for its values");
    hint.tabIndex = -1;
    button.replaceWith(hint);
    hint.focus({ preventScroll: true });
  } catch (error) {
    button.disabled = false;
    button.textContent = `Not interactive: ${error.message}. Try again`;
  }
};

export const start = (charts) => {
  for (const chart of charts) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show values on hover";
    button.addEventListener("click", () => enliven(chart, button));
    chart.querySelector(".nb-chart-more").prepend(button);
  }
};
