/* Draws any two columns of the table below a plot. Without this file the table has the numbers.
   Kinds of rows differ in shape too; a dot has its name beside it where there is room. */

import { escape, number, slug } from "./text.js";

const WIDTH = 800;
const HEIGHT = 470;
const LEFT = 84;
const RIGHT = WIDTH - 24;
const TOP = 16;
const BOTTOM = HEIGHT - 68;
const SIZE = 6;
const LONGEST = 22;
const TALL = 15;
const LETTER = 7;
const ON_PHONES = 1.8;
const SYSTEMS = ["scored", "third-party", "preview"];

const round = (value, digits) => Number(value.toFixed(digits));

const LEAST_APART = 1e-6; // values less apart than this are one on an axis

/** The range of an axis that shows all values: a twentieth wider on both sides, and wide where they are hardly apart. */
export function span(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high - low > LEAST_APART ? (high - low) / 20 : 0.05;
  return [round(low - room, 9), round(high + room, 9)];
}

/** Round numbers between two others. */
export function roundSteps(low, high, most = 6) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) => round((first + at) * step, 12));
}

const overlap = (one, two) => one[0] < two[2] && two[0] < one[2] && one[1] < two[3] && two[1] < one[3];

/** The first place beside a dot that nothing covers, if there is any. */
function free([x, y], text, size, taken) {
  const [wide, tall] = [[...text].length * LETTER * size, TALL * size];
  for (const down of [0, -tall, tall, -2 * tall, 2 * tall]) {
    for (const side of [1, -1]) {
      const [edge, middle] = [x + side * 9, y + down];
      const ends = [edge, edge + side * wide];
      const box = [Math.min(...ends), middle - tall / 2, Math.max(...ends), middle + tall / 2];
      const inside = LEFT < box[0] && box[2] < WIDTH && TOP < box[1] && box[3] < BOTTOM;
      if (inside && !taken.some((other) => overlap(box, other))) {
        taken.push(box);
        return { text, x: edge, y: middle + 4, side: side > 0 ? "n" : "n end", small: size === 1 ? " small" : "", lead: down !== 0 };
      }
    }
  }
  return null;
}

/** Names beside dots; those that have room when they are large, as on phones, are placed first. */
function labels(places, dots) {
  const taken = places.map(([x, y]) => [x - SIZE, y - SIZE, x + SIZE, y + SIZE]);
  const found = places.map(() => null);
  const order = [...dots.keys()].sort((a, b) => (dots[a].kind === "reference") - (dots[b].kind === "reference"));
  for (const size of [ON_PHONES, 1]) {
    order.forEach((at) => {
      const letters = [...dots[at].name];
      const text = letters.length <= LONGEST ? dots[at].name : `${letters.slice(0, LONGEST - 1).join("").trimEnd()}…`;
      if (!found[at]) found[at] = free(places[at], text, size, taken);
    });
  }
  return found;
}

/** The shape of a kind of rows around a point. */
function mark(kind, x, y) {
  if (kind === "scored" || kind === "preview") return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="6"/>`;
  if (kind === "third-party") {
    return `<rect x="${(x - 5.4).toFixed(1)}" y="${(y - 5.4).toFixed(1)}" width="10.8" height="10.8"/>`;
  }
  if (kind === "reference") return `<path d="M${x.toFixed(1)} ${(y - 6).toFixed(1)}l6 12h-12z"/>`;
  return `<path d="M${x.toFixed(1)} ${(y - 7).toFixed(1)}l7 7l-7 7l-7 -7z"/>`;
}

/** The axis of a column that shows some values. */
function axis(column, values) {
  const [low, high] = span(values);
  return { name: `${column.id} (${column.better} is better)`, low, high, ticks: roundSteps(low, high).map((step) => [step, number(step, column)]) };
}

/** Two columns against each other. The axes fit the systems, where there are two: gold, say, would leave them a corner. */
export function scatter(x, y, all) {
  const systems = all.filter((dot) => SYSTEMS.includes(dot.kind));
  const fitting = systems.length > 1 ? systems : all;
  const [across, up] = [axis(x, fitting.map((dot) => dot.x)), axis(y, fitting.map((dot) => dot.y))];
  return draw(`${y.id} against ${x.id}`, `${all.length} rows; their values are in the table below.`, across, up, all.filter(
    (dot) => across.low <= dot.x && dot.x <= across.high && up.low <= dot.y && dot.y <= up.high));
}

/** The plot as SVG. Dots have `x`, `y`, `kind`, `name` and `title`. */
function draw(title, about, x, y, dots) {
  const across = (value) => LEFT + ((value - x.low) / (x.high - x.low)) * (RIGHT - LEFT);
  const up = (value) => BOTTOM - ((value - y.low) / (y.high - y.low)) * (BOTTOM - TOP);
  const places = dots.map((dot) => [across(dot.x), up(dot.y)]);
  const beside = labels(places, dots);
  return [
    `<svg class="wb-scatter" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`
      + `<title>${escape(title)}</title><desc>${escape(about)}</desc>`,
    ...x.ticks.map(([step, text]) => `<path class="grid" d="M${across(step).toFixed(1)} ${TOP}V${BOTTOM}"/>`
      + `<text x="${across(step).toFixed(1)}" y="${BOTTOM + 22}">${escape(text)}</text>`),
    ...y.ticks.map(([step, text]) => `<path class="grid" d="M${LEFT} ${up(step).toFixed(1)}H${RIGHT}"/>`
      + `<text class="y" x="${LEFT - 7}" y="${(up(step) + 4).toFixed(1)}">${escape(text)}</text>`),
    `<path class="frame" d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}"/>`,
    `<text class="a" x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 12}">${escape(x.name)}</text>`,
    `<text class="a" transform="translate(18 ${(TOP + BOTTOM) / 2}) rotate(-90)">${escape(y.name)}</text>`,
    ...dots.map((dot, at) => {
      const [[left, down], label] = [places[at], beside[at]];
      const lead = label && label.lead ? `<path class="lead${label.small}" d="M${left.toFixed(1)} ${down.toFixed(1)}L${label.x.toFixed(1)} ${(label.y - 4).toFixed(1)}"/>` : "";
      const name = label ? `<text class="${label.side}${label.small}" x="${label.x.toFixed(1)}" y="${label.y.toFixed(1)}">${escape(label.text)}</text>` : "";
      return `<g class="${escape(dot.kind)}"><title>${escape(dot.title)}</title>${lead}${mark(dot.kind, left, down)}${name}</g>`;
    }),
    "</svg>",
  ].join("");
}

// ---- the page

function start(page) {
  const one = (selector) => page.querySelector(selector);
  const chosen = { x: one("select[name=x]"), y: one("select[name=y]") };
  const rows = [...page.querySelectorAll(".wb-plotted tbody tr")];
  const column = (select) => ({ id: select.value, better: select.selectedOptions[0].dataset.better });
  const cell = (row, id) => [...row.cells].find((found) => found.dataset.metric === id);
  const pair = one(".wb-drawn-pair");
  let before = { x: chosen.x.value, y: chosen.y.value };

  function show() {
    const [x, y] = [column(chosen.x), column(chosen.y)];
    before = { x: x.id, y: y.id };
    for (const found of page.querySelectorAll(".wb-plotted [data-metric]")) {
      found.hidden = ![x.id, y.id].includes(found.dataset.metric);
    }
    const dots = [];
    for (const row of rows) {
      const [across, up] = [cell(row, x.id), cell(row, y.id)];
      row.hidden = across.dataset.value === "" || up.dataset.value === "";
      if (row.hidden) continue;
      const text = (found) => found.firstChild.textContent.trim();
      dots.push({ x: Number(across.dataset.value), y: Number(up.dataset.value), kind: row.dataset.kind,
        name: row.dataset.title, title: `${row.dataset.title}: ${x.id} ${text(across)}, ${y.id} ${text(up)}` });
    }
    document.title = document.title.replace(pair.textContent, `${y.id} against ${x.id}`);
    pair.textContent = `${y.id} against ${x.id}`;
    one(".wb-drawn").innerHTML = dots.length ? scatter(x, y, dots) : "<p>No row has both numbers.</p>";
    return new URLSearchParams({ x: x.id, y: y.id });
  }
  const remember = (asked) => history.replaceState(null, "", `${location.pathname}?${asked}${location.hash}`);

  for (const [name, other] of [["x", "y"], ["y", "x"]]) {
    chosen[name].addEventListener("change", () => {
      if (chosen.x.value === chosen.y.value) chosen[other].value = before[name];
      remember(show());
    });
  }
  const asked = new URLSearchParams(location.search);
  // Addresses of a time when every two columns had a page are written as slugs.
  const known = (name) => [...chosen.x.options].map((option) => option.value)
    .find((id) => name && [id, slug(id)].includes(name));
  const [x, y] = [known(asked.get("x")), known(asked.get("y"))];
  const own = x && y && x !== y;
  [chosen.x.value, chosen.y.value] = own ? [x, y] : [chosen.x.dataset.first, chosen.y.dataset.first];
  const drawn = show();
  if (own) remember(drawn);
  page.dataset.ready = "yes";
}

if (typeof document !== "undefined") start(document.querySelector(".wb-plots"));
