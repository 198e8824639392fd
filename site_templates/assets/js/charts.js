// Charts made interactive on demand: Vega is loaded when a reader first asks for it.

const STAND_INS = {
  "#0000a1": "--nb-ink", "#0000a2": "--nb-muted", "#0000a3": "--nb-hairline", "#0000a4": "--nb-accent",
  "#0000a5": "--nb-gold", "#0000a6": "--nb-rust", "#0000a7": "--nb-surface",
};

let vega = null;
const loadVega = () => {
  vega ??= new Promise((resolve, reject) => {
    const tag = document.createElement("script");
    tag.type = "module";
    tag.src = new URL("../vega.js", import.meta.url).href;
    tag.onload = resolve;
    tag.onerror = () => { vega = null; reject(new Error("the chart library could not be loaded")); };
    document.head.append(tag);
  });
  return vega;
};

// Colours stay names of variables, so that a chart on the page turns dark with it.
const themedSpec = (text) => {
  for (const [standIn, variable] of Object.entries(STAND_INS)) text = text.replaceAll(`"${standIn}"`, `"var(${variable})"`);
  const font = getComputedStyle(document.body).fontFamily;
  return { ...JSON.parse(text), config: { font, view: { stroke: null } } };
};

const enliven = async (chart, button) => {
  button.disabled = true;
  try {
    await loadVega();
    const live = document.createElement("div");
    live.className = "nb-chart-live";
    const spec = themedSpec(chart.querySelector(".nb-chart-spec").textContent);
    await window.vegaEmbed(live, spec, { renderer: "svg", actions: false });
    const still = chart.querySelector(".nb-chart-static");
    const drawn = live.querySelector("svg");
    drawn.removeAttribute("style");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", still.getAttribute("aria-label"));
    still.replaceWith(live);
    button.remove();
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
    chart.append(button);
  }
};
