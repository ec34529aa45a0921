/* Draws any two columns of the table below a plot; without this file the first two stand there.
   The same drawing as that of scorer/website/boards/plot_svg.py, which explains it. */

const WIDTH = 600;
const HEIGHT = 380;
const LEFT = 62;
const RIGHT = WIDTH - 22;
const TOP = 16;
const BOTTOM = HEIGHT - 50;
const SIZE = 5;
const ASIDE = [[9, -5], [-9, -5], [9, 14], [-9, 14], [9, -19], [-9, -19], [9, 28], [-9, 28]];
const TALL = 13;
const WIDE = 18;

const slug = (id) => id.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const round = (value, digits) => Number(value.toFixed(digits));
const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The range of an axis that shows all values. */
export function span(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) / 20 || 0.05;
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

/** A value as the site writes it: percentages, or distances with three decimals. */
function written(value, better) {
  const text = better === "higher" ? (Math.abs(value) * 100).toFixed(1) : Math.abs(value).toFixed(3);
  return value < 0 && Number(text) ? `\u2212${text}` : text;
}

const middle = (x, dx) => x + dx + (dx > 0 ? WIDE / 2 : -WIDE / 2);

/** For each dot the first place beside it that no dot and no earlier number covers. */
function labels(places) {
  const taken = [];
  return places.map(([x, y]) => {
    const free = ASIDE.find(([dx, dy]) => {
      const [at, down] = [middle(x, dx), y + dy];
      return Math.abs(at - (LEFT + WIDTH) / 2) < (WIDTH - LEFT - WIDE) / 2 && TOP < down && down < BOTTOM
        && taken.every(([a, b]) => Math.abs(at - a) >= WIDE || Math.abs(down - b) >= TALL)
        && places.every(([a, b]) => Math.abs(at - a) >= WIDE / 2 + SIZE
          || Math.abs(down - 4 - b) >= TALL / 2 + SIZE);
    }) || ASIDE[0];
    taken.push([middle(x, free[0]), y + free[1]]);
    return free;
  });
}

/** The shape of a kind of rows around a point. */
function mark(kind, x, y) {
  if (kind === "scored" || kind === "preview") return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="5"/>`;
  if (kind === "third-party") {
    return `<rect x="${(x - 4.5).toFixed(1)}" y="${(y - 4.5).toFixed(1)}" width="9" height="9"/>`;
  }
  if (kind === "reference") return `<path d="M${x.toFixed(1)} ${(y - 5).toFixed(1)}l5 10h-10z"/>`;
  return `<path d="M${x.toFixed(1)} ${(y - 6).toFixed(1)}l6 6l-6 6l-6 -6z"/>`;
}

/** The plot as SVG. `x` and `y` are columns with `id` and `better`; dots have `x`, `y`, `kind` and
    `title`, and are numbered from 1. */
export function draw(x, y, dots) {
  const [[low, high], [bottom, top]] = [span(dots.map((dot) => dot.x)), span(dots.map((dot) => dot.y))];
  const across = (value) => LEFT + ((value - low) / (high - low)) * (RIGHT - LEFT);
  const up = (value) => BOTTOM - ((value - bottom) / (top - bottom)) * (BOTTOM - TOP);
  const places = dots.map((dot) => [across(dot.x), up(dot.y)]);
  const beside = labels(places);
  const name = (column) => `${column.id} (${column.better} is better)`;
  return [
    `<svg class="wb-scatter" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`
      + `<title>${escape(`${y.id} against ${x.id}`)}</title>`
      + `<desc>${dots.length} rows, numbered as in the table below.</desc>`,
    ...roundSteps(low, high).map((step) => `<path class="grid" d="M${across(step).toFixed(1)} ${TOP}V${BOTTOM}"/>`
      + `<text x="${across(step).toFixed(1)}" y="${BOTTOM + 16}">${written(step, x.better)}</text>`),
    ...roundSteps(bottom, top).map((step) => `<path class="grid" d="M${LEFT} ${up(step).toFixed(1)}H${RIGHT}"/>`
      + `<text class="y" x="${LEFT - 7}" y="${(up(step) + 4).toFixed(1)}">${written(step, y.better)}</text>`),
    `<path class="frame" d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}"/>`,
    `<text class="a" x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 10}">${escape(name(x))}</text>`,
    `<text class="a" transform="translate(14 ${(TOP + BOTTOM) / 2}) rotate(-90)">${escape(name(y))}</text>`,
    ...dots.map((dot, at) => {
      const [[left, down], [dx, dy]] = [places[at], beside[at]];
      return `<g class="${escape(dot.kind)}"><title>${escape(dot.title)}</title>${mark(dot.kind, left, down)}`
        + `<text class="${dx > 0 ? "n" : "n end"}" x="${(left + dx).toFixed(1)}" y="${(down + dy).toFixed(1)}">`
        + `${at + 1}</text></g>`;
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
        title: `${row.dataset.title}: ${x.id} ${text(across)}, ${y.id} ${text(up)}` });
      row.querySelector(".wb-dot").textContent = dots.length;
    }
    document.title = document.title.replace(pair.textContent, `${y.id} against ${x.id}`);
    pair.textContent = `${y.id} against ${x.id}`;
    one(".wb-drawn").innerHTML = dots.length ? draw(x, y, dots) : "<p>No row has both numbers.</p>";
    const asked = new URLSearchParams({ x: x.id, y: y.id });
    history.replaceState(null, "", `${location.pathname}?${asked}${location.hash}`);
  }

  for (const [name, other] of [["x", "y"], ["y", "x"]]) {
    chosen[name].addEventListener("change", () => {
      if (chosen.x.value === chosen.y.value) chosen[other].value = before[name];
      show();
    });
  }
  const asked = new URLSearchParams(location.search);
  // Addresses of a time when every two columns had a page are written as slugs.
  const known = (name) => [...chosen.x.options].map((option) => option.value)
    .find((id) => name && [id, slug(id)].includes(name));
  const [x, y] = [known(asked.get("x")), known(asked.get("y"))];
  if (x && y && x !== y) {
    [chosen.x.value, chosen.y.value] = [x, y];
    show();
  } else {
    [chosen.x.value, chosen.y.value] = [chosen.x.dataset.first, chosen.y.dataset.first];
    before = { x: chosen.x.value, y: chosen.y.value };
  }
  page.dataset.ready = "yes";
}

if (typeof document !== "undefined") start(document.querySelector(".wb-plots"));
