/* A graph as a drawing from left to right, and what its lines and boxes mean. */

import { make } from "../check/show.js";
import { SIGNS } from "./graph_rows.js";
import { layout } from "./graph_layout.js";

const LOOKS = { kept: "", added: "added", removed: "removed" };
const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const number = (value) => String(Math.round(value * 10) / 10);

function line(points) {
  const [[x, y], ...rest] = points;
  let [path, from] = [`M${number(x)} ${number(y)}`, points[0]];
  for (const to of rest) {
    const half = number((from[0] + to[0]) / 2);
    path += ` C${half} ${number(from[1])} ${half} ${number(to[1])} ${number(to[0])} ${number(to[1])}`;
    from = to;
  }
  return path;
}
function head(points) {
  const [x, y] = points.at(-1);
  const turned = points.length > 2 && points[0][1] === points.at(-1)[1] && points[1][1] < y && points[0][0] < x && x - points[0][0] < 30;
  if (turned) return `M${number(x)} ${number(y)} l-4 -8 l8 0 z`; // a line back to where it began
  const back = points.at(-2)[0] < x ? -9 : 9;
  return `M${number(x)} ${number(y)} l${back} -4.5 l0 9 z`;
}

/** The drawing: `facts` as `[{fact, change}]`; `inside(concept)`: whether it occurs in a text; `negated`: relations. */
export function drawing(facts, inside, negated) {
  const { width, height, nodes, edges } = layout(facts.map(({ fact }) => fact));
  const lost = new Set(nodes.map(({ concept }) => concept));
  for (const { fact: [source, , target], change } of facts) {
    if (change !== "removed") for (const concept of [source, target]) lost.delete(concept);
  }
  const lines = edges.map(({ points }, place) => draw("g", { class: `e ${LOOKS[facts[place].change]}` },
    draw("path", { d: line(points) }), draw("path", { class: "h", d: head(points) })));
  const labels = edges.map(({ label, x, y }, place) => {
    const { fact, change } = facts[place];
    const sign = SIGNS[change] ? `${SIGNS[change]} ` : "";
    return draw("text", { class: `l ${LOOKS[change]}${negated.includes(fact[1]) ? " neg" : ""}`, x: number(x), y: number(y + 4) }, sign + label);
  });
  const boxes = nodes.map(({ concept, label, x, y, width: wide, height: high }) =>
    draw("g", { class: `n ${inside(concept) ? "k0" : "kx"}${lost.has(concept) ? " ghost" : ""}` },
      draw("title", {}, concept),
      draw("rect", { x: number(x - wide / 2), y: number(y - high / 2), width: number(wide), height: number(high), rx: "5" }),
      draw("text", { x: number(x), y: number(y + 4.5) }, label)));
  const [wide, high] = [Math.ceil(width), Math.ceil(height)];
  const svg = draw("svg", {
    class: "wb-graph wb-drawn", viewBox: `0 0 ${wide} ${high}`, width: String(wide), height: String(high),
    role: "img", "aria-label": "The graph; its facts are listed below",
  }, ...lines, ...boxes, ...labels);
  return make("div", { class: "wb-graphbox", tabindex: "0", role: "region", "aria-label": "Drawing of the graph" }, svg);
}

/** What borders and signs mean; `texts`: the names of the item's texts. */
export function legend(texts, changed) {
  const box = (kind) => make("span", { class: `wb-swatch ${kind}`, "aria-hidden": "true" });
  return make("ul", { class: "wb-drawlegend" },
    make("li", {}, box("inside"), ` Solid border: occurs in the ${texts.join(" or ")}`),
    make("li", {}, box("outside"), " Dashed border: your own concept"),
    ...(changed ? [make("li", {}, `${SIGNS.added} added, ${SIGNS.removed} removed, no sign: kept`)] : []));
}
