/* A graph as a drawing from left to right, and what its lines and boxes mean. */

import { make } from "../check/show.js";
import { SIGNS } from "./graph_rows.js";

// ---- where concepts and facts are drawn: numbers in pixels

const LETTER = 7.2; // width of a letter on average, in the size in which concepts are drawn
const SMALL = 6.2; // of a relation
const HEIGHT = 34;
const [ROW, GAP, MARGIN] = [26, 44, 14];
const MOST_LETTERS = 26;

const APART = 20; // of lines between the same two concepts
const held = (shift) => Math.max(-HEIGHT / 2 + 4, Math.min(HEIGHT / 2 - 4, shift)); // so that a line meets its box
const pairOf = (...ends) => ends.sort().join("\n");

const shown = (text) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text || "…");
const wide = (text) => Math.max(44, shown(text).length * LETTER + 22);

/** The facts that close a cycle, by their places: drawn, but not gone by for the order. */
function closing(facts, concepts) {
  const [open, done, back] = [new Set(), new Set(), new Set()];
  const visit = (concept) => {
    open.add(concept);
    for (const [place, [source, , target]] of facts.entries()) {
      if (source !== concept || done.has(target)) continue;
      if (open.has(target)) back.add(place);
      else visit(target);
    }
    open.delete(concept);
    done.add(concept);
  };
  for (const concept of concepts) if (!done.has(concept)) visit(concept);
  return back;
}

/** Columns of names: concepts, and a name for each column that a fact passes on its way. */
function columnsOf(facts, concepts, back) {
  const depth = new Map(concepts.map((concept) => [concept, 0]));
  const forward = facts.map(([source, , target], place) => (back.has(place) ? [target, source] : [source, target]))
    .filter(([source, target]) => source !== target);
  for (let again = concepts.length; again > 0; again -= 1) {
    for (const [source, target] of forward) depth.set(target, Math.max(depth.get(target), Math.min(depth.get(source) + 1, concepts.length)));
  }
  for (const concept of concepts) { // a source stands right before what it leads to
    const targets = forward.filter(([source]) => source === concept).map(([, target]) => depth.get(target));
    if (targets.length && !forward.some(([, target]) => target === concept)) depth.set(concept, Math.min(...targets) - 1);
  }
  const columns = Array.from({ length: Math.max(0, ...depth.values()) + 1 }, () => []);
  for (const concept of concepts) columns[depth.get(concept)].push(`=${concept}`);
  const ways = facts.map(([source, , target], place) => {
    const ends = [source, target].map((concept) => depth.get(concept));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const between = [];
    for (let column = low + 1; column < high; column += 1) {
      const name = `/${place} ${column}`;
      columns[column].push(name);
      between.push(name);
    }
    return ends[0] <= ends[1] ? between : between.reverse();
  });
  return { columns, ways, depth };
}

/** Orders each column by where its neighbours stand, so that fewer lines cross. */
function untangle(columns, links) {
  const at = new Map();
  const note = (column) => column.forEach((name, i) => at.set(name, i - (column.length - 1) / 2));
  columns.forEach(note);
  const sorted = (column, side) => {
    const weight = (name) => {
      const near = (links.get(name) || []).filter((other) => side.has(other)).map((other) => at.get(other));
      return near.length ? near.reduce((sum, value) => sum + value, 0) / near.length : at.get(name);
    };
    const weights = new Map(column.map((name) => [name, weight(name)]));
    column.sort((a, b) => weights.get(a) - weights.get(b));
    note(column);
  };
  for (let round = 0; round < 4; round += 1) {
    for (let i = 1; i < columns.length; i += 1) sorted(columns[i], new Set(columns[i - 1]));
    for (let i = columns.length - 2; i >= 0; i -= 1) sorted(columns[i], new Set(columns[i + 1]));
  }
}

/** `{width, height, nodes: [{concept, label, x, y, width, height}], edges: [{points, label, x, y}]}`; points are where a
    line runs through, from the source to the target. An edge for each fact, in their order. */
export function layout(facts) {
  const concepts = [...new Set(facts.flatMap(([source, , target]) => [source, target]))];
  const { columns, ways, depth } = columnsOf(facts, concepts, closing(facts, concepts));
  const links = new Map();
  const link = (a, b) => { links.set(a, [...(links.get(a) || []), b]); };
  const paths = facts.map(([source, , target], place) => [`=${source}`, ...ways[place], `=${target}`]);
  for (const path of paths) path.slice(1).forEach((name, i) => { link(name, path[i]); link(path[i], name); });
  untangle(columns, links);

  const gaps = columns.map((_, column) => Math.max(GAP, ...facts.filter(([source, , target]) =>
    Math.min(depth.get(source), depth.get(target)) === column).map(([, relation]) => shown(relation).length * SMALL + 34)));
  const widths = columns.map((column) => Math.max(0, ...column.filter((name) => name[0] === "=").map((name) => wide(name.slice(1)))));
  const height = Math.max(1, ...columns.map(({ length }) => length)) * (HEIGHT + ROW) - ROW + 2 * MARGIN;
  const middle = new Map();
  let x = MARGIN;
  for (const [column, names] of columns.entries()) {
    const top = height / 2 - (names.length * (HEIGHT + ROW) - ROW) / 2;
    names.forEach((name, i) => middle.set(name, { x: x + widths[column] / 2, y: top + i * (HEIGHT + ROW) + HEIGHT / 2, half: widths[column] / 2 }));
    x += widths[column] + gaps[column];
  }
  const nodes = concepts.map((concept) => {
    const { x: at, y } = middle.get(`=${concept}`);
    return { concept, label: shown(concept), x: at, y, width: wide(concept), height: HEIGHT };
  });
  const [over, beside] = [new Map(), new Map()]; // facts over the same two concepts are drawn apart
  for (const [source, , target] of facts) over.set(pairOf(source, target), (over.get(pairOf(source, target)) || 0) + 1);
  const edges = facts.map(([source, relation, target], place) => {
    const pair = pairOf(source, target);
    const before = beside.get(pair) || 0;
    beside.set(pair, before + 1);
    const shift = (before - (over.get(pair) - 1) / 2) * APART;
    const ends = [source, target].map((concept) => nodes.find((node) => node.concept === concept));
    if (source === target) {
      const { x: at, y } = ends[0];
      return { points: [[at - 12, y - HEIGHT / 2], [at, y - HEIGHT / 2 - 11], [at + 12, y - HEIGHT / 2]], label: shown(relation), x: at, y: y - HEIGHT / 2 - 14 };
    }
    const onward = depth.get(source) <= depth.get(target) ? 1 : -1;
    const leave = [ends[0].x + (onward * ends[0].width) / 2, ends[0].y + held(shift)];
    const arrive = [ends[1].x - (onward * ends[1].width) / 2, ends[1].y + held(shift)];
    const between = paths[place].slice(1, -1).flatMap((name) => {
      const { x: at, y, half } = middle.get(name);
      return [[at - onward * half, y + shift], [at + onward * half, y + shift]];
    });
    const points = [leave, ...between, arrive];
    const [low, high] = onward > 0 ? [points[0], points[1]] : [points.at(-1), points.at(-2)];
    return { points, label: shown(relation), x: (low[0] + high[0]) / 2, y: (low[1] + high[1]) / 2 + shift - held(shift) };
  });
  return { width: Math.max(0, x - (gaps.at(-1) || 0)) + MARGIN, height, nodes, edges };
}

// ---- the drawing

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
